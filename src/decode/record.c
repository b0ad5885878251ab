/* Fields of a record that lies in the capture unchanged: see record.h. */
#include "config.h"

#include "decode/record.h"

#include <string.h>

struct record
record_open(struct expansion *e, const struct field_row *rows, const struct message *m,
	    const struct window *w, enum expand_want want)
{
	const uint8_t *p = w->bytes + (m->offset - w->offset);
	e->fieldless = want != EXPAND_FIELDS;
	e->payload = arena_copy(&e->arena, p, m->length);
	e->payload_length = m->length;
	if (m->length)
		*vec_add(&e->extents) = (struct extent){
		    .capture_bit = 8 * m->offset, .bits = 8 * m->length, .form = EXTENT_PLAIN};
	return (struct record){.e = e, .rows = rows, .p = e->payload, .length = m->length};
}

void
record_bits(struct record *r, unsigned row, uint64_t bit, uint32_t bits, uint64_t value)
{
	expansion_add(r->e, &r->rows[row], FIELD_PAYLOAD, bit, bits)->u = value;
}

void
record_uint(struct record *r, unsigned row, size_t at, size_t bytes, uint64_t value)
{
	record_bits(r, row, 8 * at, (uint32_t)(8 * bytes), value);
}

struct field *
record_part(struct record *r, unsigned row, size_t at, size_t length)
{
	struct field *field =
	    expansion_add(r->e, &r->rows[row], FIELD_PAYLOAD, 8 * at, (uint32_t)(8 * length));
	field->s.at = (const char *)r->p + at;
	field->s.length = length;
	return field;
}

void
record_value(struct record *r, unsigned row, uint64_t value)
{
	expansion_add(r->e, &r->rows[row], FIELD_NOWHERE, 0, 0)->u = value;
}

void
record_text(struct record *r, unsigned row, const char *text)
{
	struct field *field = expansion_add(r->e, &r->rows[row], FIELD_NOWHERE, 0, 0);
	field->s.at = text;
	field->s.length = strlen(text);
}

void
record_list(struct record *r, unsigned row)
{
	expansion_open(r->e, &r->rows[row], FIELD_NOWHERE, 0, 0);
}

void
record_list_end(struct record *r)
{
	expansion_close(r->e);
}
