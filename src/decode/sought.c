/*
 * What is looked for: see sought.h.
 *
 * A sieve is the shift-and search of strings: a bit for each place of each needle, set
 * where the text so far ends with the needle up to there.  What can be many a text moves
 * all bits on for which one of its letters would do, until no more are.
 */
#include "config.h"

#include "decode/sought.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 1 << 16 }; /* bytes that are looked through at once */

static const char *const letters[SOUGHT_LETTERS] = {
    [SOUGHT_NUMBERS] = "0123456789abcdefABCDEFxXpP+-., naifNAIF",
    [SOUGHT_BLANKS] = " ",
};

/* --- making ---------------------------------------------------------------- */

/* Puts needles side by side into a word. */
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
				if ((c | n->either[k]) == n->bytes[k])
					s->places[c] |= UINT64_C(1) << at;
		s->ends |= UINT64_C(1) << (at - 1);
	}
	for (size_t i = 0; i < SOUGHT_LETTERS; i++)
		for (const char *c = letters[i]; *c; c++)
			s->letters[i] |= s->places[(uint8_t)*c];
}

/* Whether a byte of a needle is one of the letters that any text may have. */
static bool
is_common(const struct needle *n, size_t at)
{
	for (size_t i = 0; i < SOUGHT_LETTERS; i++)
		for (const char *c = letters[i]; *c; c++)
			if (((uint8_t)*c | n->either[at]) == n->bytes[at])
				return true;
	return false;
}

static void
find_own(struct sought *s)
{
	for (size_t i = 0; i < s->needles.count; i++) {
		const struct needle *n = &s->needles.at[i];
		size_t at = n->rare[0];
		for (size_t k = 0; k < n->length && is_common(n, at); k++)
			at = k;
		s->own[i] = (uint8_t)(is_common(n, at) ? 0 : at + 1);
	}
}

static int
digit_of(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Adds the whole bytes of digits from AT on. */
static void
add_hex(struct sought *s, const struct needle *n, size_t at)
{
	char bytes[NEEDLE_MAX / 2];
	size_t length = 0;
	for (; at + 1 < n->length; at += 2)
		bytes[length++] = (char)(digit_of(n->bytes[at]) << 4 | digit_of(n->bytes[at + 1]));
	if (length && s->hex.count < NEEDLES_MAX)
		needle_init(&s->hex.at[s->hex.count++], bytes, length, false);
	else
		s->hex.count = NEEDLES_MAX + 1; /* any bytes may do */
}

static void
place_hex(struct sought *s)
{
	for (size_t i = 0; i < s->needles.count; i++) {
		const struct needle *n = &s->needles.at[i];
		size_t digits = 0;
		while (digits < n->length && digit_of(n->bytes[digits]) >= 0)
			digits++;
		if (digits < n->length)
			continue;
		s->in_hex = true;
		add_hex(s, n, 0); /* it begins at a byte, */
		add_hex(s, n, 1); /* or amid one */
	}
	if (s->hex.count > NEEDLES_MAX)
		s->hex.count = 0;
}

struct sought *
sought_new(const struct needles *set)
{
	static _Atomic uint64_t numbers;
	struct sought *s = mem_new(sizeof *s);
	s->number = atomic_fetch_add(&numbers, 1) + 1;
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
		memset(s->cursors, 0, sizeof s->cursors);
	s->generation = generation;
}

/* Looks on for a needle, up to END at least; false if the window ends before. */
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
sought_is_in(struct sought *s, const struct window *w, uint64_t offset, uint64_t length)
{
	for (size_t i = 0; i < s->needles.count; i++)
		if (needle_starts_in(&s->cursors[i], &s->needles.at[i], w, offset, offset + length))
			return true;
	return false;
}

bool
sought_own_is_in(const struct sought *s, const void *at, size_t length)
{
	for (size_t i = 0; i < s->needles.count; i++) {
		const struct needle *n = &s->needles.at[i];
		if (!s->own[i])
			return true;
		uint8_t byte = n->bytes[s->own[i] - 1], either = n->either[s->own[i] - 1];
		if (memchr(at, byte, length) || (either && memchr(at, byte & ~either, length)))
			return true;
	}
	return false;
}

bool
sought_is_in_hex(const struct sought *s, const uint8_t *p, size_t length)
{
	return s->in_hex && needles_are_in(&s->hex, p, length);
}

/* --- pieces ---------------------------------------------------------------- */

/* Whether a needle that starts SHIFT bytes behind the begin of a piece agrees with it. */
static bool
agrees_at(const struct needle *n, const char *piece, size_t length, long shift)
{
	for (long i = 0; i < n->length; i++) {
		long at = i + shift;
		if (at >= 0 && at < (long)length &&
		    ((uint8_t)piece[at] | n->either[i]) != n->bytes[i])
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

static bool
is_note(const struct sought_note *note, const uint64_t key[static 3])
{
	uint64_t differs = (note->key[0] ^ key[0]) | (note->key[1] ^ key[1]);
	return note->used && !(differs | (note->key[2] ^ key[2]));
}

struct sought_note *
sought_note(struct sought *s, const uint64_t key[static 3])
{
	uint64_t hash = key[0] * 0x9e3779b97f4a7c15u + key[1];
	hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u + key[2];
	size_t at = (hash ^ hash >> 31) % SOUGHT_NOTES;
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
