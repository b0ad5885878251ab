/* Texts that cannot contain a search string: see pieces.h. */
#include "config.h"

#include "decode/pieces.h"

/* Return the open positions of a needle after one more byte, which fits at PLACES. */
static uint32_t
open_after(uint32_t open, uint32_t places)
{
	return (open << 1 | 1) & places;
}

void
pieces_add(struct text_pieces *p, const char *text, size_t length)
{
	for (size_t i = 0; i < p->needles->count; i++) {
		const struct needle *n = &p->needles->at[i];
		uint32_t open = p->open[i], met = 0;
		for (size_t at = 0; at < length; at++)
			met |= open = open_after(open, n->places[(uint8_t)text[at]]);
		p->open[i] = open;
		p->found |= met >> (n->length - 1) & 1;
	}
}

void
pieces_add_letters(struct text_pieces *p, const char *letters)
{
	for (size_t i = 0; i < p->needles->count; i++) {
		const struct needle *n = &p->needles->at[i];
		uint32_t before, places = 0;
		for (const char *c = letters; *c; c++)
			places |= n->places[(uint8_t)*c];
		do {
			before = p->open[i];
			p->open[i] |= open_after(before, places);
		} while (p->open[i] != before);
		p->found |= p->open[i] >> (n->length - 1) & 1;
	}
}

void
pieces_add_any(struct text_pieces *p)
{
	for (size_t i = 0; i < p->needles->count; i++) {
		p->open[i] |= open_after(p->open[i], UINT32_MAX);
		p->found |= p->open[i] >> (p->needles->at[i].length - 1) & 1;
	}
}

void
pieces_add_unknown(struct text_pieces *p)
{
	for (size_t i = 0; i < p->needles->count; i++) {
		uint32_t parts = (UINT32_C(1) << (p->needles->at[i].length - 1)) - 1;
		p->found |= (p->open[i] & parts) != 0;
		p->open[i] = parts;
	}
}

void
pieces_join(struct text_pieces *p, const struct text_pieces *other)
{
	for (size_t i = 0; i < p->needles->count; i++)
		p->open[i] |= other->open[i];
	p->found |= other->found;
}
