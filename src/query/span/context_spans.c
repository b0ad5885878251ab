/* Contexts along a window: see context_spans.h. */
#include "config.h"

#include "query/span/context_spans.h"
#include "base/lower_bound.h"
#include "query/span/spans.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

static int
compare_lanes(const void *a, const void *b, void *context)
{
	const struct span_lane *x = spans_lane(context, *(const size_t *)a);
	const struct span_lane *y = spans_lane(context, *(const size_t *)b);
	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return (x->origin > y->origin) - (x->origin < y->origin);
}

/* --- columns ------------------------------------------------------------ */

/* Return the position of a turn in the unit of the window. */
static int64_t
turn_place(const struct track *track, const struct span_turn *turn)
{
	return track->unit == TRACK_OFFSETS ? (int64_t)turn->offset : turn->time;
}

/* Return the number of turns at or before PLACE. */
static size_t
count_turns(const struct track *track, const span_turns *turns, int64_t place)
{
	size_t count;
	lower_bound(count, turns->count, turn_place(track, &turns->at[count]) <= place);
	return count;
}

static struct density_span
span_of_turn(const struct spans *spans, const struct span_turn *turn, size_t state, size_t column)
{
	struct density_span span = {
	    .state = state, .from = column, .to = column, .doubtful = turn->flags & SPAN_DOUBTFUL};
	const char *label = spans_label(spans, turn->label);
	size_t fits = text_fit(label, strlen(label), TEXT_UTF8, DENSITY_NAME - 1, NULL);
	memcpy(span.text, label, fits < DENSITY_NAME ? fits : DENSITY_NAME - 1);
	return span;
}

static bool
is_alike(const struct density_span *a, const struct density_span *b)
{
	return a->doubtful == b->doubtful && a->dense == b->dense && !strcmp(a->text, b->text);
}

/* Add the spans of a lane to the last state of the answer. */
static void
add_spans(const struct spans *spans, const struct track *track, const struct span_lane *lane,
	  struct density_answer *answer)
{
	const struct density_window *w = &answer->window;
	size_t state = answer->states.count - 1;
	size_t before = count_turns(track, &lane->turns, density_column_end(w, -1));
	struct density_span *last = NULL;
	int64_t end = 0;
	bool ends = track->unit != TRACK_OFFSETS && spans_end(spans, lane->trace, &end);
	for (size_t c = 0; c < w->columns; c++) {
		int64_t first = density_column_start(w, (int64_t)c);
		int64_t last_place = density_column_end(w, (int64_t)c);
		if (ends && first > end) /* no message is after `end` */
			return;
		size_t now = count_turns(track, &lane->turns, last_place);
		if (!now)
			continue;
		struct density_span own = span_of_turn(spans, &lane->turns.at[now - 1], state, c);
		own.dense = now > before + 1;
		before = now;
		if (last && is_alike(last, &own)) {
			last->to = c;
			continue;
		}
		last = vec_add(&answer->spans);
		*last = own;
	}
}

/* True if the trace has a lane on the clock of the window. */
static bool
is_in_sight(const struct density_lane *lanes, const struct density_answer *answer, size_t trace)
{
	for (size_t i = 0; i < answer->lanes; i++)
		if (lanes[i].trace == trace && !answer->apart[i])
			return true;
	return false;
}

void
context_spans_add(const struct spans *spans, const struct track *tracks,
		  const struct density_lane *lanes, struct density_answer *answer)
{
	size_t count = spans_count(spans);
	size_t *order = mem_new((count + 1) * sizeof *order);
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof *order, compare_lanes, (void *)spans);
	for (size_t i = 0; i < count; i++) {
		const struct span_lane *lane = spans_lane(spans, order[i]);
		if (!lane->turns.count || !is_in_sight(lanes, answer, lane->trace))
			continue;
		if (answer->states.count == DENSITY_STATES_MAX ||
		    (tracks[lane->trace].unit != TRACK_OFFSETS && !spans_is_related(spans, lane))) {
			answer->states_left++;
			continue;
		}
		const struct span_turn *first = &lane->turns.at[0];
		*vec_add(&answer->states) =
		    (struct density_state){.context = lane->context,
					   .trace = lane->trace,
					   .origin = lane->origin,
					   .first = {first->offset, first->ordinal}};
		add_spans(spans, &tracks[lane->trace], lane, answer);
	}
	free(order);
}
