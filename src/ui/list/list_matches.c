/*
 * Match sets of a list: see list_matches.h.
 *
 * A message of several traces has as many matches before it as each trace has before
 * its first message that is not before that one.
 */
#include "config.h"

#include "ui/list/list_matches.h"
#include "base/thread.h"
#include "ui/list/list.h"

#include <stdlib.h>

enum { AT_ONCE_MS = 6 /* of counting before threads go on with it */ };

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
		matches_resume(again.of[i]);
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
		matches_stop(matches->of[i]);
}

bool
list_matches_get_progress(const struct list_matches *matches, struct matches_progress *sum)
{
	*sum = (struct matches_progress){.exact = true};
	for (size_t i = 0; i < matches->count; i++) {
		struct matches_progress own;
		if (!sequence_shows(matches->list->sequence, i))
			continue;
		matches_get_progress(matches->of[i], &own);
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

/* Matches of a lane before P; true if P, or what comes next in that lane, is one. */
static bool
rank_in_lane(const struct list_matches *matches, size_t lane, struct sequence_position p,
	     uint64_t *before, bool *exact)
{
	struct list *list = matches->list;
	struct position at = p.at;
	struct matches_progress all;
	if (sequence_head(list->sequence, p, lane, &at))
		return matches_rank(matches->of[lane], list->lanes[lane].reader, at, before, exact);
	matches_get_progress(matches->of[lane], &all);
	*before = all.count;
	*exact = all.exact;
	return false;
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
