/* Texts that cannot contain a search string: see verdict.h. */
#include "config.h"

#include "decode/verdict.h"

#include <string.h>

enum { FORMATS_KEPT = 4096 };

void
verdicts_free(struct verdicts *v)
{
	byte_map_free(&v->formats);
}

enum verdict
verdict_of(struct verdicts *v, const char *format, size_t length,
	   enum verdict (*judge)(const struct needles *, const char *, size_t))
{
	if (v->formats.count >= FORMATS_KEPT) /* a hostile capture */
		byte_map_clear(&v->formats);
	uint64_t hash = byte_map_hash(format, length);
	struct byte_map_entry *entry = byte_map_add(&v->formats, hash, format, length);
	if (entry->value == VERDICT_UNKNOWN)
		entry->value = judge(v->needles, format, length);
	return (enum verdict)entry->value;
}

/* --- pieces ---------------------------------------------------------------- */

/* Return the open positions of a needle after one more byte of a set.  They replace OPEN. */
static uint32_t
open_after(const struct needle *n, uint32_t open, const struct byte_set *set)
{
	uint32_t may = open << 1 | 1, after = 0;
	for (size_t i = 0; i < n->length; i++) {
		const uint64_t *own = n->at[i].bits, *other = set->bits;
		bool meet = (own[0] & other[0]) | (own[1] & other[1]) | (own[2] & other[2]) |
			    (own[3] & other[3]);
		after |= (may >> i & meet) << i;
	}
	return after;
}

void
verdict_add(struct verdict_walk *p, const char *text, size_t length)
{
	for (size_t at = 0; at < length; at++) {
		struct byte_set set = {0};
		byte_set_add(&set, (uint8_t)text[at]);
		for (size_t i = 0; i < p->needles->count; i++) {
			const struct needle *n = &p->needles->at[i];
			p->open[i] = open_after(n, p->open[i], &set);
			p->found |= p->open[i] >> (n->length - 1) & 1;
		}
	}
}

void
verdict_add_letters(struct verdict_walk *p, const char *letters)
{
	struct byte_set set = {0};
	for (; *letters; letters++)
		byte_set_add(&set, (uint8_t)*letters);
	for (size_t i = 0; i < p->needles->count; i++) {
		const struct needle *n = &p->needles->at[i];
		uint32_t before;
		do {
			before = p->open[i];
			p->open[i] |= open_after(n, before, &set);
		} while (p->open[i] != before);
		p->found |= p->open[i] >> (n->length - 1) & 1;
	}
}

void
verdict_add_unknown(struct verdict_walk *p)
{
	for (size_t i = 0; i < p->needles->count; i++) {
		uint32_t parts = (UINT32_C(1) << (p->needles->at[i].length - 1)) - 1;
		p->found |= (p->open[i] & parts) != 0;
		p->open[i] = parts;
	}
}
