/*
 * Match sets of a list: see list_matches.h.
 *
 * A message of several traces has as many hits before it as each trace has before
 * its first message that is not before that one.
 */
#include "config.h"

#include "ui/list/list_matches.h"
#include "base/thread.h"
#include "ui/list/list.h"

#include <stdlib.h>

enum { AT_ONCE_MS = 6 /* of counting before threads go on with it */ };

void
hits_open(struct hits *hits, struct list *list, const struct filter *want,
	  const struct filter *also)
{
	hits->list = list;
	hits->count = list->lane_count;
	hits->of = mem_new(hits->count * sizeof *hits->of);
	int64_t until = thread_now_ms() + AT_ONCE_MS;
	for (size_t i = 0; i < hits->count; i++) {
		struct trace *trace = list->lanes[i].trace;
		uint64_t size = index_cell_size(trace_index(trace));
		uint64_t around = i == list->anchor_lane ? list->anchor.offset / size : 0;
		hits->of[i] =
		    matches_new_here(trace, want, also, around, list->lanes[i].reader, until);
	}
}

void
hits_close(struct hits *hits)
{
	for (size_t i = 0; i < hits->count; i++)
		matches_free(hits->of[i]);
	free(hits->of);
	*hits = (struct hits){0};
}

bool
hits_update(struct hits *hits)
{
	bool stale = false;
	for (size_t i = 0; i < hits->count; i++)
		stale |= matches_update(hits->of[i]);
	return stale;
}

void
hits_stop(struct hits *hits)
{
	for (size_t i = 0; i < hits->count; i++)
		matches_stop(hits->of[i]);
}

bool
hits_get_progress(const struct hits *hits, struct matches_progress *sum)
{
	*sum = (struct matches_progress){.exact = true};
	for (size_t i = 0; i < hits->count; i++) {
		struct matches_progress own;
		if (!sequence_shows(hits->list->sequence, i))
			continue;
		matches_get_progress(hits->of[i], &own);
		sum->count += own.count;
		sum->exact &= own.exact;
		sum->working |= own.working;
		sum->cells += own.cells;
		sum->of += own.of;
		sum->looked += own.looked;
		sum->seconds += own.seconds;
	}
	return hits->count > 0;
}

/* Hits of a lane before P; true if P, or what comes next in that lane, is one. */
static bool
rank_in_lane(const struct hits *hits, size_t lane, struct sequence_position p, uint64_t *before,
	     bool *exact)
{
	struct list *list = hits->list;
	struct position at = p.at;
	struct matches_progress all;
	if (sequence_head(list->sequence, p, lane, &at))
		return matches_rank(hits->of[lane], list->lanes[lane].reader, at, before, exact);
	matches_get_progress(hits->of[lane], &all);
	*before = all.count;
	*exact = all.exact;
	return false;
}

bool
hits_rank(const struct hits *hits, const struct row *row, uint64_t *rank, bool *exact)
{
	struct list *list = hits->list;
	struct sequence_position p = row_position(row);
	bool hit = false;
	*rank = 0;
	*exact = true;
	for (size_t i = 0; i < hits->count; i++) {
		uint64_t before;
		bool sure;
		if (!sequence_shows(list->sequence, i))
			continue;
		bool own = rank_in_lane(hits, i, p, &before, &sure);
		hit |= own && i == row->lane;
		*rank += before;
		*exact &= sure;
	}
	*exact &= hits->count && sequence_is_exact(list->sequence);
	return hit;
}
