/*
 * Match sets of a list: see list_matches.h.
 *
 * The rank of a message is a sum over the traces.  Each trace adds the matches before its
 * first message that does not precede the ranked one.  A trace with several strands has such a
 * first message in each.  A match between them is compared with the one of its own strand.
 */
#include "config.h"

#include "ui/list/list_matches.h"
#include "base/thread.h"
#include "session/clock/clocks.h"
#include "ui/list/list.h"

#include <stdlib.h>

enum {
	AT_ONCE_MS = 6, /* of counting before threads continue */
	APART_MAX = 64	/* distance of strands in cells up to which a rank is exact */
};

void
list_matches_open(struct list_matches *matches, struct list *list, const struct filter *want,
		  const struct filter *also, const struct list_matches *former)
{
	matches->list = list;
	matches->count = list->lane_count;
	matches->of = mem_new(matches->count * sizeof *matches->of);
	int64_t until = thread_now_ms() + AT_ONCE_MS;
	for (size_t i = 0; i < matches->count; i++) {
		struct trace *trace = list->lanes[i].trace;
		uint64_t size = index_cell_size(trace_index(trace));
		uint64_t around = i == list->anchor_lane ? list->anchor.offset / size : 0;
		struct matches *of_lane = former && former->count ? former->of[i] : NULL;
		matches->of[i] = matches_new_here(trace, want, also, around, of_lane,
						  list->lanes[i].reader, until);
	}
}

void
list_matches_close(struct list_matches *matches)
{
	for (size_t i = 0; i < matches->count; i++)
		matches_free(matches->of[i]);
	free(matches->of);
	*matches = (struct list_matches){0};
}

void
list_matches_turn(struct list_matches *now, struct list_matches *former, const struct filter *want)
{
	struct list_matches left = *now, again = {0};
	if (former->count && matches_is_of(former->of[0], want)) {
		again = *former;
		*former = (struct list_matches){0};
	}
	if (left.count) {
		list_matches_stop(&left);
		list_matches_close(former);
		*former = left;
	}
	for (size_t i = 0; i < again.count; i++)
		matches_stop(again.of[i], false);
	*now = again;
}

bool
list_matches_update(struct list_matches *matches)
{
	bool stale = false;
	for (size_t i = 0; i < matches->count; i++)
		stale |= matches_update(matches->of[i]);
	return stale;
}

void
list_matches_stop(struct list_matches *matches)
{
	for (size_t i = 0; i < matches->count; i++)
		matches_stop(matches->of[i], true);
}

bool
list_matches_get_progress(const struct list_matches *matches, struct matches_progress *sum)
{
	*sum = (struct matches_progress){.exact = true};
	for (size_t i = 0; i < matches->count; i++) {
		struct matches_progress own;
		if (!sequence_shows(matches->list->sequence, i))
			continue;
		matches_get_progress_here(matches->of[i],
					  sequence_reader(matches->list->sequence, i), &own);
		sum->count += own.count;
		sum->exact &= own.exact;
		sum->working |= own.working;
		sum->cells += own.cells;
		sum->of += own.of;
		sum->looked += own.looked;
		sum->seconds += own.seconds;
	}
	return matches->count > 0;
}

/* The cut that a position makes through a lane.  Messages before `from` precede the position,
 * and messages from `to` on do not. */
struct lane_cut {
	size_t first, count; /* strands of the lane */
	struct position heads[CLOCKS_STRANDS_MAX + 1], from, to;
};

static bool
is_earlier(struct position a, struct position b)
{
	return a.cell != b.cell ? a.cell < b.cell : a.at < b.at;
}

static void
cut_lane(struct sequence *sequence, size_t lane, struct sequence_position p, struct lane_cut *cut)
{
	size_t strands = sequence_strand_count(sequence);
	*cut = (struct lane_cut){.count = 0};
	while (sequence_strand_trace(sequence, cut->first) != lane)
		cut->first++;
	for (size_t i = cut->first; i < strands && sequence_strand_trace(sequence, i) == lane;
	     i++) {
		struct position *head = &cut->heads[cut->count++], last;
		size_t number;
		sequence_head(sequence, p, i, head);
		if (cut->count == 1 || is_earlier(*head, cut->from))
			cut->from = *head;
		if (sequence_strand_group(sequence, i, &number) &&
		    sequence_step(sequence, i, *head, -1, &last) && !is_earlier(last, cut->to))
			cut->to = (struct position){last.cell, last.at + 1};
	}
	if (is_earlier(cut->to, cut->from))
		cut->to = cut->from;
}

/* Count the matches of a cell, between FROM and TO, that precede the cut. */
static uint64_t
count_in_cell(const struct list_matches *matches, size_t lane, const struct lane_cut *cut,
	      uint64_t cell, bool *exact)
{
	struct list *list = matches->list;
	struct matches_rows rows;
	uint64_t count = 0;
	if (!matches_rows(matches->of[lane], list->lanes[lane].reader, cell, &rows)) {
		*exact = false;
		return 0;
	}
	for (size_t i = 0; i < rows.count; i++) {
		struct sequence_position p = {lane, {cell, rows.at[i]}};
		if (is_earlier(p.at, cut->from) || !is_earlier(p.at, cut->to))
			continue;
		size_t strand = sequence_strand(list->sequence, p) - cut->first;
		count += strand < cut->count && is_earlier(p.at, cut->heads[strand]);
	}
	return count;
}

/* Count the matches of a lane before P.  Return true if P, or the next message of that lane, is
 * a match. */
static bool
rank_in_lane(const struct list_matches *matches, size_t lane, struct sequence_position p,
	     uint64_t *before, bool *exact)
{
	struct list *list = matches->list;
	struct reader *reader = list->lanes[lane].reader;
	struct matches_progress all;
	struct lane_cut cut;
	bool sure;
	cut_lane(list->sequence, lane, p, &cut);
	if (cut.from.cell >= index_cell_count(list->lanes[lane].index)) {
		matches_get_progress(matches->of[lane], &all);
		*before = all.count;
		*exact = all.exact;
		return false;
	}
	bool match = matches_rank(matches->of[lane], reader, cut.from, before, exact);
	if (cut.count == 1)
		return match;
	for (uint64_t cell = cut.from.cell; cell <= cut.to.cell; cell++) {
		if (cell - cut.from.cell == APART_MAX) {
			*exact = false;
			break;
		}
		*before += count_in_cell(matches, lane, &cut, cell, exact);
	}
	return lane == p.trace && matches_rank(matches->of[lane], reader, p.at, &all.count, &sure);
}

bool
list_matches_rank(const struct list_matches *matches, const struct row *row, uint64_t *rank,
		  bool *exact)
{
	struct list *list = matches->list;
	struct sequence_position p = row_position(row);
	bool match = false;
	*rank = 0;
	*exact = true;
	for (size_t i = 0; i < matches->count; i++) {
		uint64_t before;
		bool sure;
		if (!sequence_shows(list->sequence, i))
			continue;
		bool own = rank_in_lane(matches, i, p, &before, &sure);
		match |= own && i == row->lane;
		*rank += before;
		*exact &= sure;
	}
	*exact &= matches->count && sequence_is_exact(list->sequence);
	return match;
}
