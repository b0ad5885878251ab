/* Payloads that step has assembled: see payloads.h.  Most lookups are in order, so the row is
 * usually the one after the last. */
#include "config.h"

#include "decode/payloads.h"

#include "base/lower_bound.h"

void
payloads_clear(struct payloads *p)
{
	vec_clear(&p->rows);
	vec_clear(&p->bytes);
	p->found = 0;
}

void
payloads_free(struct payloads *p)
{
	vec_free(&p->rows);
	vec_free(&p->bytes);
}

size_t
payloads_memory(const struct payloads *p)
{
	return p->rows.capacity * sizeof *p->rows.at + p->bytes.capacity;
}

void
payloads_add(struct payloads *p, const struct message *m, const uint8_t *bytes, size_t length)
{
	*vec_add(&p->rows) = (struct payload_row){.at = message_id_offset(m),
						  .offset = m->offset,
						  .aux = m->aux,
						  .begin = p->bytes.count};
	vec_reserve(&p->bytes, length);
	memcpy(p->bytes.at + p->bytes.count, bytes, length);
	p->bytes.count += length;
}

static bool
is_of(const struct payload_row *row, const struct message *m)
{
	return row->offset == m->offset && row->aux == m->aux && row->at == message_id_offset(m);
}

/* Return the row of M, or the row count if it has none. */
static size_t
find_row(const struct payloads *p, const struct message *m)
{
	uint64_t at = message_id_offset(m);
	size_t i = 0;
	for (i = p->found; i < p->rows.count && i < p->found + 2; i++)
		if (is_of(&p->rows.at[i], m))
			return i;
	lower_bound(i, p->rows.count, p->rows.at[i].at < at);
	while (i < p->rows.count && p->rows.at[i].at == at && !is_of(&p->rows.at[i], m))
		i++;
	return i < p->rows.count && is_of(&p->rows.at[i], m) ? i : p->rows.count;
}

const uint8_t *
payloads_find(struct payloads *p, const struct message *m, size_t *length)
{
	size_t i = p ? find_row(p, m) : 0;
	if (!p || i == p->rows.count)
		return NULL;
	size_t end = i + 1 < p->rows.count ? p->rows.at[i + 1].begin : p->bytes.count;
	p->found = i;
	*length = end - p->rows.at[i].begin;
	return p->bytes.at + p->rows.at[i].begin;
}
