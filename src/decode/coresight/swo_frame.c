/*
 * Read units of a capture and find where frames start: see swo.h.
 *
 * The ITM packets inside frames show where the frames start: at a wrong place one packet in ten or
 * more is forbidden.  Only the part from the tested place up to the best score counts, because
 * bytes may be lost again later.  IDs prove nothing, nor do synchronisation packets of an ETM:
 * both look as good at other even offsets [measured on captures of a Cortex-M3].
 *
 * Cost: every place is tried, but only as far as it can still beat the best one.  Only the frames
 * that may contain bytes of the ITM are read.
 */
#include "config.h"

#include "decode/coresight/swo.h"

#include "base/bytes.h"

#include <string.h>

enum {
	SYNCS_MAX = (SWO_UNIT_MAX - CORESIGHT_FRAME) / 2 /* most half-frame synchronisations in
							    a frame */
};

/* --- frames -------------------------------------------------------------- */

/* True if one of the pairs of 16 bytes is synchronisation.  Tests four pairs of a word at once for
 * a pair that equals it in all bits. */
static bool
has_half_sync(const uint8_t *p)
{
	const uint64_t ones = UINT64_C(0x0001000100010001);
	uint64_t found = 0;
	for (unsigned i = 0; i < CORESIGHT_FRAME; i += 8) {
		uint64_t pairs = bytes_le64(p + i) ^ ones * CORESIGHT_SYNC_HALF;
		found |= (pairs - ones) & ~pairs & ones << 15;
	}
	return found;
}

/* Join the pairs of a frame, without the half-frame synchronisation between them [IHI0029, trace
 * formatter].  Return the frame's length, or 0 if it does not end within LENGTH bytes. */
static size_t
gather_frame(const uint8_t *p, size_t length, uint8_t frame[static CORESIGHT_FRAME],
	     uint8_t places[static CORESIGHT_FRAME])
{
	size_t at = 0, syncs = 0;
	for (unsigned i = 0; i < CORESIGHT_FRAME; at += 2) {
		if (at + 2 > length)
			return 0;
		if (bytes_le16(p + at) == CORESIGHT_SYNC_HALF && syncs++ < SYNCS_MAX)
			continue;
		for (unsigned k = 0; k < 2; k++, i++) {
			frame[i] = p[at + k];
			places[i] = (uint8_t)(at + k);
		}
	}
	return at;
}

static void
unpack_frame(const struct swo_decoder *d, const uint8_t *frame, const uint8_t *places,
	     struct swo_unit *unit)
{
	uint8_t id = unit->next, sort = 0, n = 0;
	for (unsigned i = 0; i < CORESIGHT_FRAME; i += 2) {
		const struct coresight_pair pair = coresight_pair(frame, i);
		uint8_t old = id;
		sort |= d->sorts[frame[i]];
		if (pair.names) {
			id = pair.id;
		} else {
			unit->bytes[n] = pair.data;
			unit->ids[n] = id;
			unit->places[n++] = places[i];
		}
		if (i == CORESIGHT_FRAME - 2)
			break;
		unit->bytes[n] = frame[i + 1];
		unit->ids[n] = pair.names && pair.low ? old : id;
		unit->places[n++] = places[i + 1];
	}
	unit->next = id;
	unit->count = n;
	unit->impossible = sort & SWO_PAIR_IMPOSSIBLE;
	unit->odd = sort & SWO_PAIR_ODD;
}

/* Make a unit from a byte of bare packets. */
static void
read_bare(uint8_t byte, struct swo_unit *unit)
{
	unit->length = unit->count = 1;
	unit->bytes[0] = byte;
	unit->ids[0] = CORESIGHT_NOBODY;
	unit->places[0] = 0;
}

bool
swo_unit_read(const struct swo_decoder *d, const struct window *w, uint64_t offset, uint8_t id,
	      struct swo_unit *unit)
{
	static const uint8_t plain[CORESIGHT_FRAME] = {0, 1, 2,	 3,  4,	 5,  6,	 7,
						       8, 9, 10, 11, 12, 13, 14, 15};
	const uint8_t *p = w->bytes + (offset - w->offset);
	size_t left = w->offset + w->length - offset;
	uint8_t frame[CORESIGHT_FRAME], places[CORESIGHT_FRAME];
	/* the arrays are valid only up to `count` */
	unit->length = unit->sync = unit->count = 0;
	unit->impossible = unit->odd = false;
	unit->next = id;
	if (!left)
		return false;
	if (!d->framed) {
		read_bare(*p, unit);
		return true;
	}
	/* synchronisation before a frame is a separate unit */
	if (left >= 4 && bytes_le32(p) == CORESIGHT_SYNC_FRAME)
		unit->length = unit->sync = 4;
	else if (left >= 2 && bytes_le16(p) == CORESIGHT_SYNC_HALF)
		unit->length = unit->sync = 2;
	if (unit->length)
		return true;
	if (left >= CORESIGHT_FRAME && !has_half_sync(p)) {
		unit->length = CORESIGHT_FRAME;
		unpack_frame(d, p, plain, unit);
		return true;
	}
	unit->length = (uint32_t)gather_frame(p, left, frame, places);
	if (!unit->length)
		return false;
	unit->sync = unit->length - CORESIGHT_FRAME;
	unpack_frame(d, frame, places, unit);
	return true;
}

/* --- alignment ----------------------------------------------------------- */

struct align_fit {
	struct swo_fit itm;
	uint32_t odd;
};

/* Rate a place.  Good packets count by their bytes, and bad ones weigh more than luck can offset.
 * The number of good packets does not count: text yields more of them at a wrong place. */
static int64_t
fit_score(const struct align_fit *fit)
{
	enum { BAD_WEIGHT = 40, ODD_WEIGHT = 16 };
	return (int64_t)fit->itm.bytes - (int64_t)BAD_WEIGHT * fit->itm.bad -
	       (int64_t)ODD_WEIGHT * fit->odd;
}

static void
fit_unit(const struct swo_decoder *d, const struct swo_unit *unit, struct swo_fit *fit)
{
	struct swo_packet packet;
	for (unsigned i = 0; i < unit->count; i++)
		if (unit->ids[i] == d->id)
			swo_fit_add(fit, unit->bytes[i], &packet);
}

/* Running totals before each pair of a window: possible ITM bytes and odd sources. */
enum { PAIRS_MAX = (SWO_ALIGN_WINDOW + SWO_UNIT_MAX) / 2, FRAME_PAIRS = CORESIGHT_FRAME / 2 };
struct align_pairs {
	uint64_t offset; /* of the first pair */
	size_t count;
	uint16_t itm[PAIRS_MAX + 1], odd[PAIRS_MAX + 1];
};

/* Count possible ITM bytes and odd sources before each pair.  Which pairs name a source does not
 * depend on where frames start.  The exception is synchronisation between pairs, which looks like
 * a source. */
static void
count_pairs(const struct swo_decoder *d, const struct window *w, uint64_t offset, bool own_goes_on,
	    struct align_pairs *pairs)
{
	const uint8_t *p = w->bytes + (offset - w->offset);
	size_t count = (size_t)(w->offset + w->length - offset) / 2;
	unsigned itm = 0, odd = 0, own = own_goes_on;
	if (count > PAIRS_MAX)
		count = PAIRS_MAX;
	pairs->offset = offset;
	pairs->count = count;
	pairs->itm[0] = pairs->odd[0] = 0;
	for (size_t i = 1; i <= count; i++, p += 2) {
		unsigned sort = d->sorts[*p], old = own;
		own = (sort & SWO_PAIR_ITM) / SWO_PAIR_ITM |
		      (old & (sort & SWO_PAIR_STAYS) / SWO_PAIR_STAYS);
		itm += 2 * (old | own);
		odd += sort & SWO_PAIR_ODD;
		pairs->itm[i] = (uint16_t)itm;
		pairs->odd[i] = (uint16_t)odd;
	}
}

/* Add the ITM bytes of a frame without synchronisation.  OWN: the ITM is the current source.
 * Return that for the next frame. */
static bool
fit_frame(const struct swo_decoder *d, const uint8_t *frame, bool own, struct swo_fit *fit)
{
	struct swo_packet packet;
	for (unsigned i = 0; i < CORESIGHT_FRAME; i += 2) {
		const struct coresight_pair pair = coresight_pair(frame, i);
		bool old = own;
		if (pair.names)
			own = pair.id == d->id;
		else if (own)
			swo_fit_add(fit, pair.data, &packet);
		if ((pair.names && pair.low ? old : own) && i < CORESIGHT_FRAME - 2)
			swo_fit_add(fit, frame[i + 1], &packet);
	}
	return own;
}

/* Rate frames that start at OFFSET, up to END: return the score of the best-fitting beginning.  A
 * result up to ENOUGH may be too low. */
static int64_t
fit_place(const struct swo_decoder *d, const struct window *w, uint64_t offset, uint64_t end,
	  bool own, const struct align_pairs *pairs, int64_t enough)
{
	struct align_fit fit = {.odd = 0};
	struct swo_unit unit;
	int64_t score = 0, best = 0;
	while (offset < end) {
		const uint8_t *p = w->bytes + (offset - w->offset);
		size_t at = (size_t)(offset - pairs->offset) / 2, next = at + FRAME_PAIRS;
		int64_t most = score + pairs->itm[pairs->count] - pairs->itm[at];
		if (most <= best || most <= enough)
			break;
		bool plain = next <= pairs->count && !has_half_sync(p);
		if (plain && pairs->itm[at] == pairs->itm[next]) {
			own = false;
		} else if (plain) {
			own = fit_frame(d, p, own, &fit.itm);
		} else if (swo_unit_read(d, w, offset, own ? d->id : CORESIGHT_NOBODY, &unit)) {
			fit_unit(d, &unit, &fit.itm);
			own = unit.next == d->id;
		} else {
			break;
		}
		fit.odd += plain ? pairs->odd[at] != pairs->odd[next] : unit.odd;
		offset += plain ? CORESIGHT_FRAME : unit.length;
		score = fit_score(&fit);
		if (score > best)
			best = score;
	}
	return best;
}

/* Return the length of the odd frames from OFFSET on if ALL, otherwise of the impossible ones.
 * Return 0 if it reaches MOST. */
static uint32_t
pass_odd(const struct swo_decoder *d, const struct window *w, uint64_t offset, bool all)
{
	enum { MOST = 8 * CORESIGHT_FRAME };
	struct swo_unit unit;
	uint32_t passed = 0;
	while (passed < MOST && swo_unit_read(d, w, offset + passed, CORESIGHT_ID_NULL, &unit) &&
	       (all ? unit.odd : unit.impossible))
		passed += unit.length;
	return passed < MOST ? passed : 0;
}

/* Find the best frame start in the LENGTH bytes from OFFSET on.  The grid that fits best later has
 * only odd frames there, since bytes were lost or added after them.  Return false if none fits. */
static bool
find_stretch(const struct swo_decoder *d, const struct window *w, uint64_t offset, uint32_t length,
	     uint32_t *skipped)
{
	const uint64_t end = offset + length;
	uint32_t best = 0;
	for (uint32_t i = 0; i < CORESIGHT_FRAME && i < length; i++) {
		struct swo_fit fit = {0};
		struct swo_unit unit;
		uint8_t id = CORESIGHT_NOBODY;
		uint64_t at = offset + i;
		while (at < end && swo_unit_read(d, w, at, id, &unit) && !unit.odd &&
		       at + unit.length <= end) {
			fit_unit(d, &unit, &fit);
			at += unit.length;
			id = unit.next;
		}
		if (fit.bad || fit.good <= best)
			continue;
		best = fit.good;
		*skipped = i;
	}
	return best > 0;
}

bool
swo_align(const struct swo_decoder *d, const struct window *w, uint64_t offset, bool start,
	  uint8_t *id, uint32_t *skipped)
{
	enum { LEAST = 24 };
	uint64_t end = offset + SWO_ALIGN_WINDOW;
	if (w->offset + w->length < offset + SWO_ALIGN_REACH && !w->last)
		return false;
	if (end > w->offset + w->length)
		end = w->offset + w->length;
	struct align_pairs pairs[2][2]; /* for even and odd places; without and with the ITM as
					   current source */
	bool own = *id == d->id, best_own = own;
	int64_t best = INT64_MIN;
	*skipped = 0;
	for (uint32_t i = 0; i < 4 && offset + i / 2 < end; i++)
		count_pairs(d, w, offset + i / 2, i % 2, &pairs[i / 2][i % 2]);
	for (uint32_t i = 0; i < CORESIGHT_FRAME && offset + i < end; i++) {
		/* Offset 0 needs no minimum score, other places do.  Wrong frames may have named a
		 * wrong source, so both are tried. */
		if (i && !start && best < LEAST - 1)
			best = LEAST - 1;
		for (unsigned k = 0; k < (i && !start ? 2u : 1u); k++) {
			bool other = k ? !own : own;
			int64_t score =
			    fit_place(d, w, offset + i, end, other, &pairs[i % 2][other], best);
			if (score <= best)
				continue;
			best = score;
			best_own = other;
			*skipped = i;
		}
	}
	/* where frames simply continue, a new source may appear */
	uint32_t passed = pass_odd(d, w, offset + *skipped, start || *skipped);
	*skipped += passed;
	if (passed)
		find_stretch(d, w, offset, *skipped, skipped);
	if (*skipped)
		*id = best_own ? d->id : CORESIGHT_NOBODY;
	return true;
}
