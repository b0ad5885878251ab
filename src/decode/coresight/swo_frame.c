/*
 * Units of a capture and where frames start: see swo.h.
 *
 * What tells right frames from wrong ones is the ITM's packets in them: at a wrong place
 * one in ten or more is forbidden.  How far they fit from where one looks is what counts:
 * bytes may be lost again behind that.  IDs do not tell, nor do synchronisation packets of an
 * ETM: both look as good at other even offsets [measured on captures of a Cortex-M3].
 */
#include "config.h"

#include "decode/coresight/swo.h"

#include "base/bytes.h"

#include <string.h>

enum {
	SYNCS_MAX = (SWO_UNIT_MAX - CORESIGHT_FRAME) / 2 /* half ones in a frame, no more */
};

/* --- frames -------------------------------------------------------------- */

/* Whether one of the pairs of 16 bytes is synchronisation: a pair without bits of difference,
 * of four in a word at once. */
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

/* Puts the pairs of a frame together, and leaves out what stands between them.  Returns the
 * frame's length, 0 if LENGTH bytes do not hold it. */
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
		if (pair.names) {
			id = pair.id;
			sort |= d->sorts[id];
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
	unit->impossible = sort & SWO_ID_IMPOSSIBLE;
	unit->odd = sort & SWO_ID_ODD;
}

/* A byte of bare packets. */
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
	/* the arrays are filled as far as `count` says */
	unit->length = unit->sync = unit->count = 0;
	unit->impossible = unit->odd = false;
	unit->next = id;
	if (!left)
		return false;
	if (!d->framed) {
		read_bare(*p, unit);
		return true;
	}
	/* synchronisation before a frame is a unit of its own */
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
	int64_t best; /* score of the beginning that fits best */
};

/* Good packets speak for a place, bad ones weigh more against it than luck can make up. */
static int64_t
fit_score(const struct align_fit *fit)
{
	enum { BAD_WEIGHT = 12, ODD_WEIGHT = 4 };
	return (int64_t)fit->itm.good - (int64_t)BAD_WEIGHT * fit->itm.bad -
	       (int64_t)ODD_WEIGHT * fit->odd;
}

/* Adds how well frames fit from OFFSET on, as far as END, or as the first odd one. */
static void
fit_add(const struct swo_decoder *d, const struct window *w, uint64_t offset, uint64_t end,
	bool until_odd, struct align_fit *fit)
{
	struct swo_packet packet;
	struct swo_unit unit;
	uint8_t id = CORESIGHT_NOBODY;
	while (offset < end && swo_unit_read(d, w, offset, id, &unit)) {
		offset += unit.length;
		if (until_odd && (unit.odd || offset > end))
			break;
		id = unit.next;
		fit->odd += unit.odd;
		for (unsigned i = 0; i < unit.count; i++)
			if (unit.ids[i] == d->id)
				swo_fit_add(&fit->itm, unit.bytes[i], &packet);
		int64_t score = fit_score(fit);
		if (score > fit->best)
			fit->best = score;
	}
}

/* How many bytes the frames take from OFFSET on that are odd or, if not ALL of these count,
 * impossible. */
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

/* Where frames that fit lie in the LENGTH bytes from OFFSET on that odd ones take in the
 * grid that fits best afterwards: bytes were lost or came in behind them. */
static bool
find_stretch(const struct swo_decoder *d, const struct window *w, uint64_t offset, uint32_t length,
	     uint32_t *skipped)
{
	uint32_t best = 0;
	for (uint32_t i = 0; i < CORESIGHT_FRAME && i < length; i++) {
		struct align_fit fit = {.odd = 0};
		fit_add(d, w, offset + i, offset + length, true, &fit);
		if (fit.itm.bad || fit.itm.good <= best)
			continue;
		best = fit.itm.good;
		*skipped = i;
	}
	return best > 0;
}

bool
swo_align(const struct swo_decoder *d, const struct window *w, uint64_t offset, bool start,
	  uint32_t *skipped)
{
	enum { LEAST = 8 };
	uint64_t end = offset + SWO_ALIGN_WINDOW;
	if (w->offset + w->length < offset + SWO_ALIGN_REACH && !w->last)
		return false;
	if (end > w->offset + w->length)
		end = w->offset + w->length;
	int64_t best = INT64_MIN;
	*skipped = 0;
	for (uint32_t i = 0; i < CORESIGHT_FRAME && offset + i < end; i++) {
		struct align_fit fit = {.odd = 0};
		fit_add(d, w, offset + i, end, false, &fit);
		/* frames that go on need no reason to, others do */
		if (fit.best <= best || (!start && i && fit.best < LEAST))
			continue;
		best = fit.best;
		*skipped = i;
	}
	/* a source that the head does not have may begin where frames go on */
	uint32_t passed = pass_odd(d, w, offset + *skipped, start || *skipped);
	*skipped += passed;
	if (passed)
		find_stretch(d, w, offset, *skipped, skipped);
	return true;
}
