/*
 * Search strings: see sought.h.
 *
 * A sieve is the shift-and algorithm of string search.  It has a bit for each
 * position of each needle.  The bit is set if the text so far ends with the
 * needle up to that position.  A piece with many possible texts moves each bit
 * on if one of its letters matches, until no more bits change.
 */
#include "config.h"

#include "decode/sought.h"

#include <stdlib.h>
#include <string.h>

enum {
	AHEAD = 1 << 16, /* bytes searched at once */
	LAST = 4	 /* last bytes, which decide how needles may continue */
};

static const char *const letters[SOUGHT_LETTERS] = {
    [SOUGHT_NUMBERS] = "0123456789abcdefABCDEFxXpP+-., naifNAIF",
    [SOUGHT_BLANKS] = " ",
    [SOUGHT_DECIMALS] = "0123456789+-",
    [SOUGHT_HEX] = "0123456789abcdefx",
    [SOUGHT_CAPITALS] = "0123456789ABCDEFX",
    [SOUGHT_FLOATS] = "0123456789+-.,eE",
};

/* --- making ---------------------------------------------------------------- */

/* Put needles side by side into a word. */
static void
place_needles(struct sought *s)
{
	size_t most = 64 / s->needles.count, at = 0;
	for (size_t i = 0; i < s->needles.count; i++) {
		const struct needle *n = &s->needles.at[i];
		size_t length = n->length < most ? n->length : most;
		s->starts |= UINT64_C(1) << at;
		for (size_t k = 0; k < length; k++, at++)
			for (unsigned c = 0; c < 256; c++)
				if (byte_set_has(&n->at[k], (uint8_t)c))
					s->places[c] |= UINT64_C(1) << at;
		s->ends |= UINT64_C(1) << (at - 1);
		s->cuts |= (uint64_t)(length < n->length) << (at - 1);
	}
	s->all = UINT64_MAX >> (64 - at);
	for (size_t i = 0; i < SOUGHT_LETTERS; i++)
		for (const char *c = letters[i]; *c; c++)
			s->letters[i] |= s->places[(uint8_t)*c];
}

/* True if a position of a needle matches a letter that any text may contain.  Also true for
 * bytes of characters beyond ASCII, which may come from a number. */
static bool
is_common(const struct byte_set *set)
{
	if (set->bits[2] | set->bits[3])
		return true;
	for (size_t i = 0; i < SOUGHT_LETTERS; i++)
		for (const char *c = letters[i]; *c; c++)
			if (byte_set_has(set, (uint8_t)*c))
				return true;
	return false;
}

/* Find a rare position of each needle that matches no such letter. */
static void
find_own(struct sought *s)
{
	for (size_t i = 0; i < s->needles.count; i++) {
		const struct needle *n = &s->needles.at[i];
		size_t at = n->tests[0].place;
		for (size_t k = 0; k < n->length && is_common(&n->at[at]); k++)
			at = k;
		if (is_common(&n->at[at])) {
			s->own.count = 0;
			return;
		}
		needle_init_sets(&s->own.at[s->own.count++], &n->at[at], 1);
	}
}

/* Return the hexadecimal digits that match at a position, a bit each. */
static unsigned
digits_of(const struct byte_set *set)
{
	static const char names[] = "0123456789abcdef";
	unsigned digits = 0;
	for (unsigned i = 0; i < 16; i++)
		digits |= (unsigned)byte_set_has(set, (uint8_t)names[i]) << i;
	return digits;
}

/* Return the digits of position AT.  Outside the needle any digit matches. */
static unsigned
digits_at(const struct needle *n, size_t at)
{
	return at < n->length ? digits_of(&n->at[at]) : 0xffff;
}

/* Add the bytes that a needle spells in hexadecimal.  It begins at the first nibble of a byte
 * (BEFORE 0) or at the second (BEFORE 1).  Spare nibbles at both ends match any digit. */
static void
add_hex(struct sought *s, const struct needle *n, size_t before)
{
	struct byte_set sets[NEEDLE_MAX] = {0};
	size_t length = (before + n->length + 1) / 2;
	if (s->hex.count >= NEEDLES_MAX) {
		s->hex.count = NEEDLES_MAX + 1; /* any bytes may match */
		return;
	}
	for (size_t i = 0; i < length; i++) {
		unsigned high = digits_at(n, 2 * i - before); /* -1 wraps around: any digit */
		unsigned low = digits_at(n, 2 * i + 1 - before);
		for (unsigned c = 0; c < 256; c++)
			if (high >> (c >> 4) & low >> (c & 15) & 1)
				byte_set_add(&sets[i], (uint8_t)c);
	}
	needle_init_sets(&s->hex.at[s->hex.count++], sets, length);
}

static void
place_hex(struct sought *s)
{
	for (size_t i = 0; i < s->needles.count; i++) {
		const struct needle *n = &s->needles.at[i];
		size_t digits = 0;
		while (digits < n->length && digits_of(&n->at[digits]))
			digits++;
		if (digits < n->length)
			continue;
		s->in_hex = true;
		add_hex(s, n, 0);
		add_hex(s, n, 1);
	}
	if (s->hex.count > NEEDLES_MAX)
		s->hex.count = 0;
}

struct sought *
sought_new(const struct needles *set)
{
	struct sought *s = mem_new(sizeof *s);
	s->needles = *set;
	place_needles(s);
	find_own(s);
	place_hex(s);
	return s;
}

void
sought_free(struct sought *s)
{
	if (s)
		free(s->room);
	free(s);
}

uint8_t *
sought_room(struct sought *s, size_t size)
{
	if (s->size < size) {
		s->room = mem_resize(s->room, 2 * size);
		s->size = 2 * size;
	}
	memset(s->room, 0, size);
	return s->room;
}

/* --- bytes ----------------------------------------------------------------- */

void
sought_renew(struct sought *s, unsigned generation)
{
	if (s->generation != generation)
		memset(s->looked, 0, sizeof s->looked);
	s->generation = generation;
}

/* Search on for a needle, at least up to END.  Return false if the window ends before. */
static bool
look_on(struct sought_cursor *cursor, const struct needle *needle, const struct window *w,
	uint64_t end)
{
	uint64_t left = w->offset + w->length - cursor->upto, want = end - cursor->upto;
	size_t most = (size_t)(want > AHEAD ? want : AHEAD) + needle->length - 1u;
	size_t size = left < most ? (size_t)left : most;
	size_t found = needle_find(needle, w->bytes + (cursor->upto - w->offset), size);
	cursor->found = found < size;
	if (cursor->found)
		cursor->upto += found;
	else if (size >= needle->length)
		cursor->upto += size - needle->length + 1u;
	return cursor->found || size == most;
}

static bool
needle_starts_in(struct sought_cursor *cursor, const struct needle *needle, const struct window *w,
		 uint64_t offset, uint64_t end)
{
	if (offset < cursor->from || offset > cursor->upto)
		*cursor = (struct sought_cursor){.from = offset, .upto = offset};
	while (cursor->upto < end && !cursor->found)
		if (!look_on(cursor, needle, w, end) || cursor->found)
			break;
	return cursor->found && cursor->upto < end;
}

bool
sought_look_in(struct sought *s, enum sought_look look, const struct window *w, uint64_t offset,
	       uint64_t length)
{
	const struct needles *set = look == SOUGHT_AS_BYTES ? &s->needles : &s->hex;
	struct sought_looked *looked = &s->looked[look];
	bool any = false;
	looked->from = 0;
	looked->upto = UINT64_MAX;
	if (look == SOUGHT_AS_DIGITS && !s->in_hex)
		return false;
	for (size_t i = 0; i < set->count; i++) {
		struct sought_cursor *cursor = &looked->cursors[i];
		any |= needle_starts_in(cursor, &set->at[i], w, offset, offset + length);
		looked->from = cursor->from > looked->from ? cursor->from : looked->from;
		looked->upto = cursor->upto < looked->upto ? cursor->upto : looked->upto;
	}
	if (!set->count)
		looked->upto = 0; /* any bytes may match */
	return any || !set->count;
}

bool
sought_own_is_in(const struct sought *s, const void *at, size_t length)
{
	return needles_are_in(&s->own, at, length);
}

bool
sought_is_in_hex(const struct sought *s, const uint8_t *p, size_t length)
{
	return s->in_hex && needles_are_in(&s->hex, p, length);
}

/* --- pieces ---------------------------------------------------------------- */

/* True if a needle that starts SHIFT bytes after the start of a piece agrees with it. */
static bool
agrees_at(const struct needle *n, const char *piece, size_t length, long shift)
{
	for (long i = 0; i < n->length; i++) {
		long at = i + shift;
		if (at >= 0 && at < (long)length && !byte_set_has(&n->at[i], (uint8_t)piece[at]))
			return false;
	}
	return true;
}

bool
sought_joins(const struct sought *s, const char *piece)
{
	size_t length = strlen(piece);
	for (size_t i = 0; i < s->needles.count; i++)
		for (long shift = 1 - s->needles.at[i].length; shift < (long)length; shift++)
			if (agrees_at(&s->needles.at[i], piece, length, shift))
				return true;
	return false;
}

/* Compare word by word, because compilers do not unroll such a loop and each message needs this. */
static inline bool
is_note(const struct sought_note *note, const uint64_t key[static SOUGHT_KEY])
{
	const uint64_t *own = note->key;
	return note->used && !((own[0] ^ key[0]) | (own[1] ^ key[1]) | (own[2] ^ key[2]) |
			       (own[3] ^ key[3]) | (own[4] ^ key[4]));
}

static inline uint64_t
hash_of(uint64_t word, uint64_t factor)
{
	return (word ^ word >> 32) * factor;
}

struct sought_note *
sought_note_wide(struct sought *s, const uint64_t key[static SOUGHT_KEY])
{
	uint64_t hash = hash_of(key[0], 0x9e3779b97f4a7c15u) +
			hash_of(key[1], 0xbf58476d1ce4e5b9u) +
			hash_of(key[2], 0x94d049bb133111ebu) +
			hash_of(key[3], 0xd6e8feb86659fd93u) + hash_of(key[4], 0xa0761d6478bd642fu);
	size_t at = (hash ^ hash >> 29) >> 32 & (SOUGHT_NOTES - 1);
	struct sought_note *note = &s->notes[at], *beside = &s->notes[at ^ 1];
	if (is_note(note, key))
		return note;
	if (is_note(beside, key))
		return beside;
	if (note->used && !beside->used)
		note = beside;
	*note = (struct sought_note){.used = true, .fresh = true};
	memcpy(note->key, key, sizeof note->key);
	return note;
}

struct sought_note *
sought_note(struct sought *s, const uint64_t key[static 3])
{
	const uint64_t wide[SOUGHT_KEY] = {0, key[0], key[1], key[2]};
	return sought_note_wide(s, wide);
}

void
sought_rest_on(struct sought *s, const void *basis)
{
	if (s->basis == basis)
		return;
	memset(s->forms, 0, sizeof s->forms);
	for (size_t i = 0; i < SOUGHT_NOTES; i++)
		s->notes[i].used = false;
	s->basis = basis;
}

/* --- sieving --------------------------------------------------------------- */

void
sought_pass(const struct sought *s, struct sought_sieve *sieve, const void *at, size_t length)
{
	const uint8_t *p = at;
	uint64_t open = sieve->open, found = 0;
	for (size_t i = 0; i < length; i++) {
		open = (open << 1 | s->starts) & s->places[p[i]];
		found |= open & s->ends;
	}
	sieve->open = open;
	sieve->found |= found != 0;
}

void
sought_pass_text(const struct sought *s, struct sought_sieve *sieve, const char *text)
{
	sought_pass(s, sieve, text, strlen(text));
}

bool
sought_joins_begin(const struct sought *s, const char *piece)
{
	struct sought_sieve sieve = {0};
	sought_pass_text(s, &sieve, piece);
	return sieve.found || sieve.open;
}

void
sought_pass_any(const struct sought *s, struct sought_sieve *sieve, enum sought_letters which)
{
	uint64_t open = sieve->open, before;
	do {
		before = open;
		open |= (open << 1 | s->starts) & s->letters[which];
	} while (open != before);
	sieve->open = open;
	sieve->found |= (open & s->ends) != 0;
}

void
sought_pass_placed(const struct sought *s, struct sought_sieve *sieve, const void *at,
		   size_t length)
{
	const uint8_t *p = at, *end = p + length, *last = p;
	uint64_t open = sieve->open & ~s->ends, inside = 0, found = 0;
	if (length > LAST && !s->cuts) { /* earlier bytes may match any needle */
		last = end - LAST;
		inside = s->all;
	}
	for (const uint8_t *q = last; q < end; q++) {
		inside = ((inside & ~s->ends) << 1 | s->starts) & s->places[*q];
		found |= inside & s->cuts;
	}
	for (; p < end && open; p++) {
		open = open << 1 & s->places[*p];
		found |= open & s->ends;
		open &= ~s->ends;
	}
	sieve->open = (open | inside) & ~s->ends;
	sieve->found |= found != 0;
}

void
sought_pass_unknown(const struct sought *s, struct sought_sieve *sieve)
{
	sieve->found |= (sieve->open & ~s->ends) || s->cuts;
	sieve->open = s->all & ~s->ends;
}

void
sought_pass_byte(const struct sought *s, struct sought_sieve *sieve)
{
	sieve->open |= (sieve->open << 1 | s->starts) & s->all;
	sieve->found |= (sieve->open & s->ends) != 0;
}
