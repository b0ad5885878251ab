/* Contexts along a window: see context_spans.h. */
#include "config.h"

#include "query/span/context_spans.h"
#include "base/lower_bound.h"
#include "base/thread.h"
#include "query/span/spans.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

struct context_spans {
	struct session *session;
	struct spans *spans;
	VEC(size_t) order; /* lanes, by context, trace and origin */
};

struct context_spans *
context_spans_new(struct session *session)
{
	struct context_spans *s = mem_new(sizeof *s);
	s->session = session;
	s->spans = spans_new(session);
	return s;
}

void
context_spans_free(struct context_spans *s)
{
	if (!s)
		return;
	spans_free(s->spans);
	vec_free(&s->order);
	free(s);
}

struct stopping {
	const struct context_spans_query *query;
	int64_t until; /* by thread_now_ms() */
};

static bool
is_cancelled(const struct context_spans_query *q)
{
	return generation_now(q->questions) != q->question;
}

static bool
is_stopping(void *context)
{
	const struct stopping *stopping = context;
	return is_cancelled(stopping->query) || thread_now_ms() >= stopping->until;
}

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

static void
sort_lanes(struct context_spans *s)
{
	vec_clear(&s->order);
	for (size_t i = 0; i < spans_count(s->spans); i++)
		*vec_add(&s->order) = i;
	if (s->order.count)
		qsort_r(s->order.at, s->order.count, sizeof *s->order.at, compare_lanes, s->spans);
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
span_of_turn(const struct context_spans *s, const struct span_turn *turn, size_t state,
	     size_t column)
{
	struct density_span span = {
	    .state = state, .from = column, .to = column, .doubtful = turn->flags & SPAN_DOUBTFUL};
	const char *label = spans_label(s->spans, turn->label);
	size_t fits = text_fit(label, strlen(label), TEXT_UTF8, DENSITY_NAME - 1, NULL);
	memcpy(span.text, label, fits < DENSITY_NAME ? fits : DENSITY_NAME - 1);
	return span;
}

static bool
is_alike(const struct density_span *a, const struct density_span *b)
{
	return a->doubtful == b->doubtful && a->dense == b->dense && !strcmp(a->text, b->text);
}

static void
add_spans(const struct context_spans *s, const struct context_spans_query *q,
	  const struct span_lane *lane, size_t state, struct density_answer *answer)
{
	const struct track *track = &q->tracks[lane->trace];
	size_t before = count_turns(track, &lane->turns, density_column_end(q->window, -1));
	struct density_span *last = NULL;
	int64_t end = 0;
	bool ends = track->unit != TRACK_OFFSETS && spans_end(s->spans, lane->trace, &end);
	for (size_t c = 0; c < q->window->columns; c++) {
		int64_t first = density_column_start(q->window, (int64_t)c);
		int64_t last_place = density_column_end(q->window, (int64_t)c);
		if (ends && first > end) /* no message is after `end` */
			return;
		size_t now = count_turns(track, &lane->turns, last_place);
		if (!now)
			continue;
		struct density_span own = span_of_turn(s, &lane->turns.at[now - 1], state, c);
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

bool
context_spans_extend(struct context_spans *s, const struct context_spans_query *q, int ms)
{
	struct stopping stopping = {q, thread_now_ms() + ms};
	return spans_extend(s->spans, is_stopping, &stopping);
}

bool
context_spans_find(struct context_spans *s, const struct context_spans_query *q,
		   struct density_answer *answer)
{
	struct stopping stopping = {q, INT64_MAX};
	if (!spans_extend(s->spans, is_stopping, &stopping))
		return false;
	sort_lanes(s);
	for (size_t i = 0; i < s->order.count; i++) {
		const struct span_lane *lane = spans_lane(s->spans, s->order.at[i]);
		if (!q->in_sight[lane->trace] || !lane->turns.count)
			continue;
		if (answer->states.count == DENSITY_STATES_MAX ||
		    (q->tracks[lane->trace].unit != TRACK_OFFSETS &&
		     !spans_is_related(s->spans, lane))) {
			answer->states_left++;
			continue;
		}
		const struct span_turn *first = &lane->turns.at[0];
		*vec_add(&answer->states) =
		    (struct density_state){.context = lane->context,
					   .trace = lane->trace,
					   .origin = lane->origin,
					   .first = {first->offset, first->ordinal}};
		add_spans(s, q, lane, answer->states.count - 1, answer);
	}
	return !is_cancelled(q);
}
