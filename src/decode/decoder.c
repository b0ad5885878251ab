/* Helpers for both sides of the decoder contract: see decoder.h. */
#include "config.h"

#include "decode/decoder.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	char letter;
} severities[SEVERITY_COUNT] = {
    [SEVERITY_MAX] = {"MAX", '-'},     [SEVERITY_FATAL] = {"FATAL", 'F'},
    [SEVERITY_ERROR] = {"ERROR", 'E'}, [SEVERITY_WARNING] = {"WARNING", 'W'},
    [SEVERITY_INFO] = {"INFO", 'I'},   [SEVERITY_USER1] = {"USER1", '1'},
    [SEVERITY_USER2] = {"USER2", '2'}, [SEVERITY_DEBUG] = {"DEBUG", 'D'},
    [SEVERITY_NONE] = {"none", ' '},
};

const char *
severity_name(enum severity severity)
{
	return severities[severity].name;
}

char
severity_letter(enum severity severity)
{
	return severities[severity].letter;
}

int
severity_parse(const char *name)
{
	for (int i = 0; i < SEVERITY_COUNT; i++) {
		const char *own = severities[i].name;
		size_t length = strlen(name);
		/* abbreviations are fine: e, err, warn, warning */
		if (length && length <= strlen(own) && !strncasecmp(name, own, length) &&
		    (length == strlen(own) || strncasecmp(name, "USER", length) != 0))
			return i;
		if (length == 1 && (name[0] == '0' + i))
			return i;
	}
	return ERR_USAGE;
}

const char *
severity_next_name(void *unused, size_t at)
{
	static const char *const names[SEVERITY_COUNT] = {
	    "max", "fatal", "error", "warning", "info", "user1", "user2", "debug", "none"};
	(void)unused;
	return at < SEVERITY_COUNT ? names[at] : NULL;
}

const char *
message_flag_name(unsigned bit)
{
	static const char *const names[MESSAGE_FLAGS_SHOWN] = {"damaged", "lost",      "truncated",
							       "suspect", "estimated", "sync"};
	return bit < MESSAGE_FLAGS_SHOWN ? names[bit] : "";
}

const struct kind_row decode_kind_loss = {
    "loss", "what is missing of the capture: bytes that could not be read or kept"};

const struct kind_row *
decoder_kind(const struct decoder_ops *ops, size_t i, unsigned *kind)
{
	*kind = i < ops->kind_count ? (unsigned)i : DECODE_KIND_LOSS;
	return i < ops->kind_count    ? &ops->kinds[i]
	       : i == ops->kind_count ? &decode_kind_loss
				      : NULL;
}

const struct kind_row *
message_kind(const struct decoder_ops *ops, const struct message *m)
{
	return m->kind == DECODE_KIND_LOSS ? &decode_kind_loss : &ops->kinds[m->kind];
}

struct decode_state *
decode_state_new(const struct decoder *decoder)
{
	struct decode_state *state = mem_new(decoder->ops->state_size);
	decoder->ops->start(decoder, state);
	return state;
}

/* A state of plain data contains no offset but its own. */
bool
decoder_starts_anywhere(const struct decoder_ops *ops)
{
	return ops->is_free || ops->start == decode_plain_start || ops->start_is_free;
}

void
decode_state_start_at(const struct decoder *decoder, struct decode_state *state, uint64_t offset)
{
	const struct decoder_ops *ops = decoder->ops;
	uint64_t silent[DECODE_SILENT_MAX];
	memcpy(silent, state->silent, sizeof silent);
	if (ops->release)
		ops->release(state);
	memset(state, 0, ops->state_size);
	ops->start(decoder, state);
	if (ops->is_free) {
		uint8_t saved[CHECKPOINT_MAX];
		ops->save(decoder, state, saved);
		decode_checkpoint_shift(saved, offset);
		ops->restore(decoder, state, saved);
	} else {
		state->offset = offset;
	}
	memcpy(state->silent, silent, sizeof silent);
}

void
decode_state_free(const struct decoder *decoder, struct decode_state *state)
{
	if (!state)
		return;
	if (decoder->ops->release)
		decoder->ops->release(state);
	free(state);
}

void
decode_plain_start(const struct decoder *decoder, struct decode_state *state)
{
	memset(state, 0, decoder->ops->state_size);
}

void
decode_plain_save(const struct decoder *decoder, const struct decode_state *state, uint8_t *out)
{
	memcpy(out, &state->offset, sizeof state->offset);
	memcpy(out + sizeof state->offset, state + 1, decoder->ops->state_size - sizeof *state);
}

void
decode_plain_restore(const struct decoder *decoder, struct decode_state *state,
		     const uint8_t *saved)
{
	memcpy(&state->offset, saved, sizeof state->offset);
	memcpy(state + 1, saved + sizeof state->offset, decoder->ops->state_size - sizeof *state);
}

void
decode_checkpoint_shift(uint8_t *saved, uint64_t bytes)
{
	uint64_t offset;
	memcpy(&offset, saved, sizeof offset);
	offset += bytes;
	memcpy(saved, &offset, sizeof offset);
}

void
decode_plain_close(struct decoder *decoder)
{
	free(decoder);
}

static bool
take_sound(void *context, const struct message *m)
{
	if (!(m->flags & MESSAGE_DAMAGED))
		*(struct message *)context = *m;
	return m->flags & MESSAGE_DAMAGED;
}

bool
decode_last(const struct decode_history *history, const struct message *before, uint64_t kinds,
	    struct message *found)
{
	*found = (struct message){0};
	if (!history->last || !history->last(history->context, before, kinds, found))
		history->walk_back(history->context, before, kinds, 0, take_sound, found);
	return found->length > 0;
}

void
expansion_clear(struct expansion *e)
{
	arena_reset(&e->arena);
	text_clear(&e->text);
	text_clear(&e->type);
	text_clear(&e->origin);
	e->payload = NULL;
	e->payload_length = 0;
	vec_clear(&e->extents);
	vec_clear(&e->fields);
	e->depth = 0;
	e->flags = 0;
	e->unnamed = e->fieldless = e->no_match = e->announces = false;
}

void
expansion_free(struct expansion *e)
{
	arena_free(&e->arena);
	text_free(&e->text);
	text_free(&e->type);
	text_free(&e->origin);
	vec_free(&e->extents);
	vec_free(&e->fields);
	*e = (struct expansion){0};
}

/* Make room, then add.  A separate function, so that the fast path saves no registers. */
static __attribute__((noinline)) struct field *
add_with_room(struct expansion *e, const struct field_row *row, enum field_place place,
	      uint64_t bit, uint32_t bits)
{
	vec_reserve(&e->fields, 1);
	return expansion_add(e, row, place, bit, bits);
}

struct field *
expansion_add(struct expansion *e, const struct field_row *row, enum field_place place,
	      uint64_t bit, uint32_t bits)
{
	if (e->fieldless)
		return &e->spare;
	if (e->fields.count == e->fields.capacity)
		return add_with_room(e, row, place, bit, bits);
	struct field *field = &e->fields.at[e->fields.count++];
	*field = (struct field){.row = row,
				.depth = (uint8_t)e->depth,
				.place = (uint8_t)place,
				.bit = bit,
				.bits = bits};
	return field;
}

struct field *
expansion_open(struct expansion *e, const struct field_row *row, enum field_place place,
	       uint64_t bit, uint32_t bits)
{
	struct field *field = expansion_add(e, row, place, bit, bits);
	e->depth++;
	return field;
}

void
expansion_close(struct expansion *e)
{
	e->depth--;
}

/* Locate the part [from, from + bits) of an extent, in its payload bits. */
static void
locate_part(const struct extent *x, uint64_t from, uint32_t bits,
	    void (*each)(void *, uint64_t, uint32_t), void *context)
{
	uint64_t begin = from / 4 * 4, end = (from + bits + 3) / 4 * 4;
	switch (x->form) {
	case EXTENT_PLAIN:
		each(context, x->capture_bit + from, bits);
		break;
	case EXTENT_REVERSED:
		each(context, x->capture_bit + x->bits - end, (uint32_t)(end - begin));
		break;
	case EXTENT_HEX:
		begin = from / 8 * 8;
		end = (from + bits + 7) / 8 * 8;
		each(context, x->capture_bit + 2 * begin, (uint32_t)(2 * (end - begin)));
		break;
	}
}

void
expansion_locate(const struct expansion *e, const struct field *field,
		 void (*each)(void *, uint64_t, uint32_t), void *context)
{
	if (field->place == FIELD_NOWHERE || !field->bits)
		return;
	if (field->place == FIELD_CAPTURE) {
		each(context, field->bit, field->bits);
		return;
	}
	uint64_t end = field->bit + field->bits;
	for (size_t i = 0; i < e->extents.count; i++) {
		const struct extent *x = &e->extents.at[i];
		uint64_t from = field->bit > x->payload_bit ? field->bit : x->payload_bit;
		uint64_t to = x->payload_bit + x->bits;
		if (to > end)
			to = end;
		if (from < to)
			locate_part(x, from - x->payload_bit, (uint32_t)(to - from), each, context);
	}
}

const struct field *
expansion_find(const struct expansion *e, const char *name)
{
	for (size_t i = 0; i < e->fields.count; i++)
		if (!strcmp(e->fields.at[i].row->name, name))
			return &e->fields.at[i];
	return NULL;
}

const char *
field_meaning(const struct field *field)
{
	const struct field_row *row = field->row;
	bool number = row->type == FIELD_UINT || row->type == FIELD_HEX;
	if (field->note || !row->values || !number || field->u >= row->value_count)
		return field->note;
	return row->values[field->u];
}

void
field_format(const struct field *field, struct text *out)
{
	switch (field->row->type) {
	case FIELD_UINT:
		text_add_uint(out, field->u);
		break;
	case FIELD_INT:
		text_add_int(out, field->i);
		break;
	case FIELD_HEX:
	case FIELD_HEXTEXT:
		text_add(out, "0x");
		text_add_hex_digits(out, field->u, field->row->digits);
		break;
	case FIELD_BOOL:
		text_add(out, field->u ? "true" : "false");
		break;
	case FIELD_NUMBER:
		text_addf(out, "%.17g", field->d); /* unique for each double */
		break;
	case FIELD_TEXT:
		text_add_bytes(out, field->s.at, field->s.length);
		break;
	case FIELD_BYTES:
		text_add_hex(out, (const uint8_t *)field->s.at, field->s.length);
		break;
	case FIELD_LIST:
	case FIELD_OBJECT:
	case FIELD_GROUP:
		break;
	}
}
