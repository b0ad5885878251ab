/*
 * Where does a long gap end?  See gap.h.
 *
 * Two messages with a time that follow each other in the list are compared.  A
 * cell all of whose messages count, and whose times lie closer together than
 * the gap, holds none: its bounds stand for its messages.  So a search
 * without a filter costs a look at each summary.
 */
#include "config.h"

#include "query/gap.h"

#include <stdlib.h>

struct gap_search
gap_begin(uint64_t least, int direction, struct reader *reader, struct position from)
{
	const struct message *m = reader_message(reader, from);
	struct gap_search gap = {.least = least, .direction = direction};
	if (m && m->flags & MESSAGE_TIMED) {
		gap.timed = gap.start = true;
		gap.ticks = m->ticks;
	}
	return gap;
}

static bool
is_long(const struct gap_search *gap, uint64_t from, uint64_t to)
{
	return gap->timed && to >= from && to - from >= gap->least;
}

bool
gap_passes(struct gap_search *gap, struct trace *trace, const struct filter *shown, uint64_t cell)
{
	struct index_cell summary;
	if (!index_cell(trace_index(trace), cell, &summary))
		return false;
	enum filter_verdict verdict = shown ? filter_judge(shown, trace, cell) : FILTER_ALL;
	if (verdict == FILTER_NONE || !(summary.flags & CELL_TIMED))
		return true;
	if (verdict == FILTER_SOME || summary.flags & CELL_TIME_BACK ||
	    summary.time_max - summary.time_min >= gap->least)
		return false;
	if (gap->direction > 0 ? is_long(gap, gap->ticks, summary.time_min)
			       : is_long(gap, summary.time_max, gap->ticks))
		return false;
	gap->timed = true;
	gap->start = false;
	gap->ticks = gap->direction > 0 ? summary.time_max : summary.time_min;
	gap->at = (struct position){.cell = cell, .at = SIZE_MAX};
	return true;
}

/* Where the message is that was passed last. */
static struct position
gap_last_passed(const struct gap_search *gap, struct reader *reader)
{
	struct position at = gap->at;
	if (at.at != SIZE_MAX)
		return at;
	const struct decoded_cell *decoded = reader_decoded_cell(reader, at.cell);
	at.at = 0;
	while (at.at + 1 < decoded->count && !(decoded->messages[at.at].flags & MESSAGE_TIMED))
		at.at++;
	return at;
}

bool
gap_ends(struct gap_search *gap, struct reader *reader, const struct message *m, struct position at,
	 struct position *end)
{
	if (!(m->flags & MESSAGE_TIMED))
		return false;
	bool forward = gap->direction > 0;
	if (forward ? is_long(gap, gap->ticks, m->ticks)
		    : is_long(gap, m->ticks, gap->ticks) && !gap->start) {
		*end = forward ? at : gap_last_passed(gap, reader);
		return true;
	}
	gap->timed = true;
	gap->start = false;
	gap->ticks = m->ticks;
	gap->at = at;
	return false;
}

static int
gap_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

uint64_t
gap_usual(const uint64_t *ticks, size_t count)
{
	VEC(uint64_t) gaps = {0};
	unsigned __int128 sum = 0; /* of damaged times it may be large */
	for (size_t i = 1; i < count; i++)
		if (ticks[i] >= ticks[i - 1])
			*vec_add(&gaps) = ticks[i] - ticks[i - 1];
	size_t kept = gaps.count - (gaps.count + 9) / 10;
	if (gaps.count)
		qsort(gaps.at, gaps.count, sizeof *gaps.at, gap_compare);
	for (size_t i = 0; i < kept; i++)
		sum += gaps.at[i];
	vec_free(&gaps);
	return kept ? (uint64_t)(sum / kept) : 0;
}
