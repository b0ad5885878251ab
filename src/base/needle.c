/*
 * Needles: see needle.h.
 *
 * Two bytes of the needle that are rare in what people write are compared for sixteen
 * places at once, by vectors that compilers have on every machine; the rest only where both
 * are there.  That costs the same whether or not one of them is frequent, so a text of
 * frequent letters is found nearly as fast as any other.
 */
#include "config.h"

#include "base/needle.h"

#include <string.h>

typedef uint8_t lanes __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

enum { LANES = sizeof(lanes) };

static bool
is_letter(uint8_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* How often a byte is met in logs, from 0, seldom, on. */
static unsigned
frequency_of(uint8_t c)
{
	static const char often[] = "zjqxkvbywgpfmucdlhrsnioate0123456789 ";
	bool capital = c >= 'A' && c <= 'Z';
	const char *at = c ? strchr(often, capital ? c | 0x20 : c) : NULL;
	return !at ? 0 : (unsigned)(at - often + 1) / (capital ? 2 : 1);
}

/* The place of the rarest byte but AVOID. */
static uint8_t
rarest_byte(const struct needle *n, size_t avoid)
{
	size_t best = avoid ? 0 : n->length - 1u;
	for (size_t i = 0; i < n->length; i++)
		if (i != avoid && frequency_of(n->bytes[i]) < frequency_of(n->bytes[best]))
			best = i;
	return (uint8_t)best;
}

void
needle_init(struct needle *n, const char *bytes, size_t length, bool fold)
{
	memset(n, 0, sizeof *n);
	n->length = (uint8_t)(length < NEEDLE_MAX ? length : NEEDLE_MAX);
	for (size_t i = 0; i < n->length; i++) {
		uint8_t c = (uint8_t)bytes[i];
		n->either[i] = fold && is_letter(c) ? 0x20 : 0;
		n->bytes[i] = c | n->either[i];
	}
	n->rare[0] = rarest_byte(n, SIZE_MAX);
	n->rare[1] = rarest_byte(n, n->rare[0]);
}

bool
needle_is_at(const struct needle *n, const uint8_t *p)
{
	for (size_t i = 0; i < n->length; i++)
		if ((p[i] | n->either[i]) != n->bytes[i])
			return false;
	return true;
}

static lanes
all_of(uint8_t byte)
{
	return (lanes){0} + byte;
}

/* The places, of sixteen, where the byte AT of the needle is as it should be. */
static lanes
places_of(const uint8_t *p, lanes either, lanes byte)
{
	lanes loaded;
	memcpy(&loaded, p, sizeof loaded);
	return (lanes)((loaded | either) == byte);
}

static bool
is_any(lanes places)
{
	halves both = (halves)places;
	return both[0] | both[1];
}

static size_t
find_simply(const struct needle *n, const uint8_t *p, size_t from, size_t starts)
{
	while (from < starts && !needle_is_at(n, p + from))
		from++;
	return from;
}

size_t
needle_find(const struct needle *n, const uint8_t *p, size_t length)
{
	const uint8_t *a = p + n->rare[0], *b = p + n->rare[1];
	const lanes byte_a = all_of(n->bytes[n->rare[0]]), byte_b = all_of(n->bytes[n->rare[1]]);
	const lanes either_a = all_of(n->either[n->rare[0]]),
		    either_b = all_of(n->either[n->rare[1]]);
	if (length < n->length)
		return length;
	size_t starts = length - n->length + 1, at = 0; /* places where one can start */
	for (; starts - at >= 2 * LANES; at += 2 * LANES) {
		lanes one =
		    places_of(a + at, either_a, byte_a) & places_of(b + at, either_b, byte_b);
		lanes two = places_of(a + at + LANES, either_a, byte_a) &
			    places_of(b + at + LANES, either_b, byte_b);
		if (!is_any(one | two))
			continue;
		size_t found = find_simply(n, p, at, at + 2 * LANES);
		if (found < at + 2 * LANES)
			return found;
	}
	at = find_simply(n, p, at, starts);
	return at < starts ? at : length;
}

bool
needles_are_in(const struct needles *set, const uint8_t *p, size_t length)
{
	for (size_t i = 0; i < set->count; i++)
		if (needle_find(&set->at[i], p, length) < length)
			return true;
	return !set->count;
}
