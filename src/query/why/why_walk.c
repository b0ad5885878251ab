/*
 * The walk of a search for causes: see why_walk.h.
 *
 * The messages come in the order of the session.  Begins and ends are recognised by their places
 * in the pairs found already (pairing.h).  Between two messages three things happen by time: slow
 * pairs leave their window, contexts turn, and gaps reach a length.
 *
 * A context or interval that holds for some time is on.  The pairs open when it comes on get it,
 * and so do all that begin until it goes off.
 */
#include "config.h"

#include "query/why/why_walk.h"
#include "base/rank.h"
#include "query/compare/compare_mask.h"
#include "query/gap/gap.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum {
	TELL_MS = 200 /* between two signals */,
	BATCH = 1024,
	GAP_LEAST = 20 /* the shortest gap is 1/20 of the window */
};

struct why_turn {
	int64_t time;
	uint32_t part, lane, at;
};

/* --- sets of open pairs -------------------------------------------------- */

/* Add to the count of pair NUMBER.  AT[i] is the sum of the numbers of pairs up to i that its
 * lowest bit covers (a Fenwick tree). */
static void
tree_add(struct why_walk *w, enum why_set set, uint32_t number, uint32_t by)
{
	struct why_tree *tree = &w->trees[set];
	tree->total += by;
	for (size_t i = (size_t)number + 1; i <= w->pairs.count; i += i & -i)
		tree->at[i] += by;
}

/* Count the open pairs before NUMBER. */
static uint32_t
tree_sum(const struct why_walk *w, enum why_set set, uint32_t number)
{
	uint32_t sum = 0;
	for (size_t i = number; i; i -= i & -i)
		sum += w->trees[set].at[i];
	return sum;
}

static uint32_t
begun_pairs(const struct why_walk *w)
{
	return w->begun[0] + w->begun[1];
}

static void
open_pair(struct why_walk *w, enum why_set set, uint32_t number)
{
	struct why_pair *pair = &w->pairs.at[number];
	pair->in[set] = true;
	tree_add(w, set, number, 1);
	if (set == WHY_OTHERS)
		return;
	pair->older[set] = w->newest[set];
	pair->newer[set] = WHY_NONE;
	if (w->newest[set] != WHY_NONE)
		w->pairs.at[w->newest[set]].newer[set] = number;
	w->newest[set] = number;
}

static void
close_pair(struct why_walk *w, enum why_set set, uint32_t number)
{
	struct why_pair *pair = &w->pairs.at[number];
	if (!pair->in[set])
		return;
	pair->in[set] = false;
	tree_add(w, set, number, UINT32_MAX);
	if (set == WHY_OTHERS)
		return;
	if (pair->older[set] != WHY_NONE)
		w->pairs.at[pair->older[set]].newer[set] = pair->newer[set];
	if (pair->newer[set] != WHY_NONE)
		w->pairs.at[pair->newer[set]].older[set] = pair->older[set];
	else
		w->newest[set] = pair->older[set];
}

/* --- candidates ---------------------------------------------------------- */

static uint64_t
hash_words(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t words[] = {a, b, c, d};
	return compare_hash_bytes(0, words, sizeof words);
}

/* Find or add a candidate.  Return its number, or WHY_NONE if it is new but there are too many,
 * or if it is not listed by the second walk. */
static uint32_t
find_candidate(struct why_walk *w, uint64_t what, const struct why_candidate *as)
{
	uint64_t *number = map_find(&w->by_what, what);
	if (number)
		return !w->listing || w->candidates.at[*number - 1].row ? (uint32_t)*number - 1
									: WHY_NONE;
	if (w->listing || w->candidates.count == WHY_CANDIDATES_MAX)
		return WHY_NONE;
	*vec_add(&w->candidates) = *as;
	*map_add(&w->by_what, what) = w->candidates.count;
	return (uint32_t)w->candidates.count - 1;
}

static uint32_t
add_candidate(struct why_walk *w, const struct why_candidate *as)
{
	return find_candidate(w,
			      hash_words(as->kind, as->lane,
					 (uint64_t)as->context << 32 | as->label,
					 (uint64_t)as->length),
			      as);
}

/* Note that a slow pair has a candidate that the second walk lists. */
static void
list_pair(struct why_walk *w, const struct why_candidate *c, uint32_t number)
{
	struct why_row *row = &w->result->rows.at[c->row - 1];
	*vec_add(&row->pairs) = number;
	row->after += w->now - w->pairs.at[number].since;
}

/* List the open pairs from FROM on, before UNTIL. */
static void
list_open(struct why_walk *w, const struct why_candidate *c, uint32_t from, uint32_t until)
{
	const struct why_row *row = &w->result->rows.at[c->row - 1];
	enum why_set set = row->kind == WHY_NO_MESSAGE ? WHY_SLOW_WHOLE : WHY_SLOW;
	uint32_t i = row->at_begin ? WHY_NONE : w->newest[set];
	for (; i != WHY_NONE && i >= from; i = w->pairs.at[i].older[set])
		if (i < until)
			list_pair(w, c, i);
}

/* Give a candidate to the open pairs before UNTIL that lack it. */
static void
give(struct why_walk *w, uint32_t number, uint32_t until)
{
	if (number == WHY_NONE)
		return;
	struct why_candidate *c = &w->candidates.at[number];
	uint32_t got[WHY_SETS] = {0}, last = c->last;
	if (until <= last)
		return;
	c->last = until;
	if (w->listing) {
		list_open(w, c, last, until);
		return;
	}
	for (int i = 0; i < WHY_SETS; i++) {
		if (!w->trees[i].total)
			continue;
		got[i] = (until == begun_pairs(w) ? w->trees[i].total : tree_sum(w, i, until)) -
			 tree_sum(w, i, last);
		c->with[i] += got[i];
	}
	c->places += got[WHY_SLOW] > 0;
	c->doubtful += c->doubt ? got[WHY_SLOW] + got[WHY_OTHERS] : 0;
}

static void
turn_on(struct why_walk *w, uint32_t number, bool doubt)
{
	if (number == WHY_NONE)
		return;
	struct why_candidate *c = &w->candidates.at[number];
	uint32_t places = c->places;
	c->doubt = doubt;
	give(w, number, begun_pairs(w));
	c->counted = c->places > places;
	c->on = true;
	memcpy(c->begun, w->begun, sizeof c->begun);
}

/* Pairs that began meanwhile have it from their begin. */
static void
turn_off(struct why_walk *w, uint32_t number)
{
	if (number == WHY_NONE || !w->candidates.at[number].on)
		return;
	struct why_candidate *c = &w->candidates.at[number];
	uint32_t others = w->begun[0] - c->begun[0], slow = w->begun[1] - c->begun[1];
	c->on = false;
	c->last = begun_pairs(w);
	if (w->listing)
		return;
	c->at_begin[0] += others;
	c->at_begin[1] += slow;
	c->with[WHY_OTHERS] += others;
	c->with[WHY_SLOW] += slow;
	c->places += slow > 0 && !c->counted;
	c->doubtful += c->doubt ? others + slow : 0;
}

/* --- contexts -------------------------------------------------------------- */

static uint64_t
own_key(unsigned context, size_t trace, uint64_t origin)
{
	return hash_words(context, trace, origin, 0);
}

static int
compare_turns(const void *a, const void *b)
{
	const struct why_turn *x = a, *y = b;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Sort the turns of all contexts by time. */
static void
open_contexts(struct why_walk *w)
{
	uint64_t seen = 0;
	for (size_t i = 0; i < spans_count(w->spans); i++) {
		const struct span_lane *lane = spans_lane(w->spans, i);
		uint64_t bit = UINT64_C(1) << (lane->context & 63);
		w->shared |= seen & bit;
		seen |= bit;
		*map_add(&w->lane_of, own_key(lane->context, lane->trace, lane->origin)) = i + 1;
		for (size_t at = 0; at < lane->turns.count; at++) {
			const struct span_turn *turn = &lane->turns.at[at];
			bool ticks = turn->flags & SPAN_TICKS;
			if (turn->time != INT64_MIN && ticks == w->result->ticks)
				*vec_add(&w->turns) = (struct why_turn){turn->time, turn->part,
									(uint32_t)i, (uint32_t)at};
		}
	}
	if (w->turns.count)
		qsort(w->turns.at, w->turns.count, sizeof *w->turns.at, compare_turns);
	w->held = mem_new((spans_count(w->spans) + 1) * sizeof *w->held);
}

static void
turn_context(struct why_walk *w, const struct why_turn *turn)
{
	const struct span_lane *lane = spans_lane(w->spans, turn->lane);
	const struct span_turn *to = &lane->turns.at[turn->at];
	const struct why_candidate as = {
	    .kind = WHY_CONTEXT, .lane = turn->lane, .context = lane->context, .label = to->label};
	struct why_held *held = &w->held[turn->lane];
	if (held->any)
		turn_off(w, held->candidate);
	*held =
	    (struct why_held){add_candidate(w, &as), to->label, true, to->flags & SPAN_DOUBTFUL};
	turn_on(w, held->candidate, held->doubt);
}

/* Give a pair the contexts of the origin that begins it, if a context has several. */
static void
give_own_contexts(struct why_walk *w, size_t trace, const struct message *m, uint32_t number,
		  bool slow)
{
	struct contexts *contexts = w->session->contexts;
	for (unsigned context = 0; context < contexts_count(contexts); context++) {
		uint64_t origin = contexts_is_per_trace(contexts, context) ? 0 : m->origin;
		uint64_t *lane = w->shared >> (context & 63) & 1
				     ? map_find(&w->lane_of, own_key(context, trace, origin))
				     : NULL;
		const struct why_held *held = lane ? &w->held[*lane - 1] : NULL;
		if (!held || !held->any)
			continue;
		const struct why_candidate as = {.kind = WHY_CONTEXT,
						 .lane = WHY_ALL_LANES,
						 .context = context,
						 .label = held->label};
		uint32_t own = add_candidate(w, &as);
		if (own == WHY_NONE)
			continue;
		struct why_candidate *c = &w->candidates.at[own];
		if (w->listing) {
			if (slow)
				list_pair(w, c, number);
			continue;
		}
		c->at_begin[slow]++;
		c->places += slow;
		c->doubtful += held->doubt;
	}
}

/* --- time ------------------------------------------------------------------ */

/* Return the time at which the trace has its next length of a gap. */
static int64_t
gap_end(const struct why_walk *w, const struct why_lane *lane)
{
	if (!lane->timed || lane->class == w->class_count ||
	    lane->last > INT64_MAX - w->classes[lane->class])
		return INT64_MAX;
	return lane->last + w->classes[lane->class];
}

static void
end_gaps(struct why_walk *w, int64_t time)
{
	int64_t due = INT64_MAX;
	w->now = time;
	for (size_t t = 0; t < w->session->traces.count; t++) {
		struct why_lane *lane = &w->lanes[t];
		while (gap_end(w, lane) <= time) {
			const struct why_candidate as = {.kind = WHY_GAP,
							 .lane = (uint32_t)t,
							 .length = w->classes[lane->class ++]};
			give(w, add_candidate(w, &as), lane->begun);
		}
		due = gap_end(w, lane) < due ? gap_end(w, lane) : due;
	}
	w->gap_due = due;
}

/* Return the end of the window of the oldest slow pair in it. */
static int64_t
window_end(struct why_walk *w)
{
	uint32_t begun = begun_pairs(w);
	while (w->due < begun && !w->pairs.at[w->due].in[WHY_SLOW])
		w->due++;
	if (w->due == begun || w->pairs.at[w->due].since > INT64_MAX - w->result->window)
		return INT64_MAX;
	return w->pairs.at[w->due].since + w->result->window;
}

/* Let everything happen up to TIME. */
static void
advance(struct why_walk *w, size_t part, int64_t time)
{
	if (!w->running || part != w->part) {
		w->running = true;
		w->part = part;
		w->now = time;
		w->turn = 0;
		while (w->turn < w->turns.count && w->turns.at[w->turn].part < part)
			w->turn++;
		for (size_t t = 0; t < w->session->traces.count; t++)
			w->lanes[t].timed = false;
		w->gap_due = INT64_MAX;
	}
	for (;;) {
		const struct why_turn *turn =
		    w->turn < w->turns.count && w->turns.at[w->turn].part == part
			? &w->turns.at[w->turn]
			: NULL;
		int64_t window = window_end(w), next = turn ? turn->time : INT64_MAX;
		next = window < next ? window : next;
		next = w->gap_due < next ? w->gap_due : next;
		if (next > time || next == INT64_MAX)
			break;
		w->now = next > w->now ? next : w->now;
		if (w->gap_due == next)
			end_gaps(w, w->now);
		else if (window == next)
			close_pair(w, WHY_SLOW, w->due);
		else {
			turn_context(w, turn);
			w->turn++;
		}
	}
	w->now = time > w->now ? time : w->now;
}

/* --- messages -------------------------------------------------------------- */

/* List a slow pair that begins while candidates with rows are on. */
static void
list_held(struct why_walk *w, uint32_t number)
{
	for (size_t i = 0; i < w->candidates.count; i++)
		if (w->candidates.at[i].row && w->candidates.at[i].on)
			list_pair(w, &w->candidates.at[i], number);
}

static void
begin_pair(struct why_walk *w, size_t trace, size_t event, const struct message *m)
{
	struct why_lane *lane = &w->lanes[trace];
	const struct interval_event *begin = &lane->events.at[event];
	const struct interval_event *end = &w->lanes[begin->other_trace].events.at[begin->other];
	int64_t length = (int64_t)((uint64_t)end->time - (uint64_t)begin->time);
	if (!(begin->flags & INTERVAL_TIMED) ||
	    !(begin->flags & INTERVAL_TICKS) != !w->result->ticks)
		return;
	uint32_t number = begun_pairs(w);
	bool slow = length > w->result->p90;
	struct why_pair *pair = &w->pairs.at[number];
	lane->numbers[event] = number;
	pair->begin = (struct interval_message){trace, {begin->offset, begin->ordinal}};
	pair->slow = slow;
	pair->since = begin->flags & INTERVAL_APART ? w->now : begin->time;
	w->begun[slow]++;
	open_pair(w, slow ? WHY_SLOW_WHOLE : WHY_OTHERS, number);
	if (slow)
		open_pair(w, WHY_SLOW, number);
	if (w->listing && slow)
		list_held(w, number);
	else if (begin->flags & INTERVAL_DOUBTFUL)
		w->result->doubtful[slow]++;
	if (w->shared)
		give_own_contexts(w, trace, m, number, slow);
}

/* Begin or end another interval. */
static void
turn_interval(struct why_walk *w, const struct interval_event *event)
{
	const struct why_candidate as = {.kind = WHY_INTERVAL, .lane = event->interval};
	uint32_t number = add_candidate(w, &as);
	uint32_t *open = &w->open[event->interval];
	if (event->flags & INTERVAL_END) {
		if (*open && !--*open)
			turn_off(w, number);
	} else if (!(*open)++) {
		turn_on(w, number, false);
	}
}

/* Process the events of a message. */
static void
take_events(struct why_walk *w, size_t trace, const struct message *m)
{
	struct why_lane *lane = &w->lanes[trace];
	uint64_t offset = message_id_offset(m);
	const struct interval_event *first = NULL;
	for (; lane->next < lane->events.count; lane->next++) {
		const struct interval_event *event = &lane->events.at[lane->next];
		if (event->offset != offset || event->hash != intervals_hash_message(m) ||
		    (first && event->ordinal != first->ordinal))
			return;
		first = event;
		if (!(event->flags & INTERVAL_PAIRED))
			continue;
		if (event->interval != w->result->interval) {
			turn_interval(w, event);
		} else if (!(event->flags & INTERVAL_END)) {
			begin_pair(w, trace, lane->next, m);
		} else if (w->lanes[event->other_trace].numbers[event->other] != WHY_NONE) {
			uint32_t number = w->lanes[event->other_trace].numbers[event->other];
			for (int set = 0; set < WHY_SETS; set++)
				close_pair(w, (enum why_set)set, number);
		}
	}
}

/* Give the open pairs a message of this kind. */
static void
take_kind(struct why_walk *w, struct sequence_position at, const struct message *m)
{
	struct reader *reader = sequence_reader(w->sequence, at.trace);
	const struct expansion *e = &w->expansion;
	reader_expand(reader, m, EXPAND_TEXT, &w->expansion);
	uint64_t hash = compare_hash_bytes(at.trace, text_get(&e->origin), e->origin.length);
	hash = compare_hash_bytes(hash, text_get(&e->type), e->type.length);
	hash = compare_hash_masked(hash, text_get(&e->text), e->text.length);
	struct why_candidate as = {.kind = WHY_MESSAGE, .message = {.trace = at.trace}};
	if (!w->listing && !map_find(&w->by_what, hash))
		as.message.id = reader_message_id(reader, at.at);
	uint32_t number = find_candidate(w, hash, &as);
	w->result->left_out += number == WHY_NONE && !w->listing;
	give(w, number, begun_pairs(w));
}

static bool
any_is_open(const struct why_walk *w)
{
	return w->trees[WHY_SLOW_WHOLE].total || (!w->listing && w->trees[WHY_OTHERS].total);
}

static void
take_message(struct why_walk *w, struct sequence_position at)
{
	const struct message *own = sequence_message(w->sequence, at);
	struct trace *trace = w->session->traces.at[at.trace];
	struct why_lane *lane = &w->lanes[at.trace];
	struct message_time time;
	bool timed;
	if (!own)
		return;
	const struct message m = *own; /* copy: the reader may drop the cell */
	gap_times(trace, &m, 1, &time, &timed);
	timed = timed && time.known == !w->result->ticks && time.part == lane->part;
	if (timed)
		advance(w, time.part, time.order);
	take_events(w, at.trace, &m);
	if (any_is_open(w))
		take_kind(w, at, &m);
	if (!timed)
		return;
	lane->timed = true;
	lane->last = w->now;
	lane->begun = begun_pairs(w);
	lane->class = 0;
	int64_t due = gap_end(w, lane);
	w->gap_due = due < w->gap_due ? due : w->gap_due;
}

/* Turn everything off at the end. */
static void
end_walk(struct why_walk *w)
{
	for (size_t i = 0; i < w->candidates.count; i++)
		turn_off(w, (uint32_t)i);
	for (size_t t = 0; t < w->session->traces.count; t++)
		w->missed |= w->lanes[t].next < w->lanes[t].events.count;
}

/* Forget the open pairs of an earlier walk. */
static void
begin_walk(struct why_walk *w)
{
	if (!w->sequence)
		w->sequence = sequence_new_walk(w->session, NULL);
	sequence_load(w->sequence);
	memset(w->begun, 0, sizeof w->begun);
	memset(w->open, 0, INTERVALS_MAX * sizeof *w->open);
	memset(w->held, 0, spans_count(w->spans) * sizeof *w->held);
	for (int set = 0; set < WHY_SETS; set++) {
		memset(w->trees[set].at, 0, (w->pairs.count + 1) * sizeof *w->trees[set].at);
		w->trees[set].total = 0;
		w->newest[set] = WHY_NONE;
	}
	for (size_t t = 0; t < w->session->traces.count; t++) {
		struct why_lane *lane = &w->lanes[t];
		lane->next = 0;
		lane->timed = false;
		memset(lane->numbers, 0xff, lane->events.count * sizeof *lane->numbers);
	}
	for (size_t i = 0; i < w->candidates.count; i++) {
		w->candidates.at[i].last = 0;
		w->candidates.at[i].on = false;
	}
	w->due = 0;
	w->running = false;
}

void
why_walk_run(struct why_walk *w)
{
	struct sequence_position at;
	bool exact;
	begin_walk(w);
	uint64_t all = sequence_count(w->sequence, &exact), passed = 0;
	for (bool any = sequence_first(w->sequence, &at); any;
	     any = sequence_next(w->sequence, &at)) {
		take_message(w, at);
		if (++passed % BATCH)
			continue;
		if (job_is_stopping(w->job))
			return;
		atomic_store(w->percent,
			     (unsigned)(passed * 50 / (all ? all : 1)) + (w->listing ? 50 : 0));
		if (!job_told_within(w->job, TELL_MS))
			job_tell(w->job);
	}
	end_walk(w);
}

/* --- start and end --------------------------------------------------------- */

/* Sum the lengths up to the p90, and choose the slow ones. */
static bool
choose_slow(struct why_walk *w, uint64_t *lengths, size_t count)
{
	struct why_result *result = w->result;
	long double sum = 0;
	result->pairs = (uint32_t)count;
	if (count < WHY_PAIRS_LEAST)
		return false;
	rank_sort(lengths, count);
	uint64_t p90 = lengths[rank_nearest(count, 90) - 1];
	for (size_t i = 0; i < count && lengths[i] <= p90; i++) {
		int64_t length = (int64_t)(lengths[i] ^ UINT64_C(1) << 63);
		sum += length > 0 ? (long double)length : 0;
		result->others++;
	}
	result->slow = result->pairs - result->others;
	result->p90 = (int64_t)(p90 ^ UINT64_C(1) << 63);
	result->window = (int64_t)(sum / result->others);
	return result->slow > 0;
}

/* Choose lengths of gaps: 1, 2 and 5 times the powers of ten up to the window. */
static void
choose_classes(struct why_walk *w)
{
	static const int steps[] = {1, 2, 5};
	int64_t window = w->result->window;
	for (int64_t power = 1; power && power <= window;
	     power = power < INT64_MAX / 10 ? power * 10 : 0)
		for (int i = 0; i < 3; i++)
			if (steps[i] * power <= window && steps[i] * power >= window / GAP_LEAST &&
			    w->class_count < WHY_CLASSES_MAX)
				w->classes[w->class_count++] = steps[i] * power;
}

bool
why_walk_open(struct why_walk *w, struct intervals *intervals)
{
	size_t traces = w->session->traces.count, count = 0;
	const uint8_t want = INTERVAL_END | INTERVAL_PAIRED | INTERVAL_TIMED;
	interval_events *events = mem_new((traces + 1) * sizeof *events);
	intervals_copy_events(intervals, events);
	w->lanes = mem_new((traces + 1) * sizeof *w->lanes);
	w->open = mem_new(INTERVALS_MAX * sizeof *w->open);
	VEC(uint64_t) lengths = {0};
	for (size_t t = 0; t < traces; t++)
		w->lanes[t].events = events[t];
	for (size_t t = 0; t < traces; t++)
		w->lanes[t].part = clocks_part(w->session->traces.at[t]);
	for (size_t t = 0; t < traces; t++) {
		w->lanes[t].numbers = mem_new((events[t].count + 1) * sizeof *w->lanes[t].numbers);
		for (size_t i = 0; i < events[t].count; i++) {
			const struct interval_event *end = &events[t].at[i];
			if (end->interval != w->result->interval || (end->flags & want) != want)
				continue;
			bool ticks = end->flags & INTERVAL_TICKS;
			if (!count++)
				w->result->ticks = ticks;
			const struct interval_event *begin =
			    &events[end->other_trace].at[end->other];
			if (ticks == w->result->ticks)
				*vec_add(&lengths) = ((uint64_t)end->time - (uint64_t)begin->time) ^
						     UINT64_C(1) << 63;
		}
	}
	free(events);
	bool any = choose_slow(w, lengths.at, lengths.count);
	vec_free(&lengths);
	if (!any)
		return false;
	vec_reserve(&w->pairs, w->result->pairs);
	for (uint32_t i = 0; i < w->result->pairs; i++)
		(void)vec_add(&w->pairs);
	for (int set = 0; set < WHY_SETS; set++)
		w->trees[set].at = mem_new((w->pairs.count + 1) * sizeof *w->trees[set].at);
	choose_classes(w);
	open_contexts(w);
	return true;
}

void
why_walk_free(struct why_walk *w)
{
	for (size_t t = 0; w->lanes && t < w->session->traces.count; t++) {
		vec_free(&w->lanes[t].events);
		free(w->lanes[t].numbers);
	}
	for (int set = 0; set < WHY_SETS; set++)
		free(w->trees[set].at);
	free(w->lanes);
	free(w->held);
	free(w->open);
	map_free(&w->by_what);
	map_free(&w->lane_of);
	vec_free(&w->turns);
	vec_free(&w->candidates);
	sequence_free(w->sequence);
	expansion_free(&w->expansion);
}

/* --- texts ----------------------------------------------------------------- */

/* Append the trace, with several, and the origin of a message.  Expand it. */
static void
add_sender(struct why_walk *w, const struct interval_message *of, struct text *out)
{
	struct reader *reader = sequence_reader(w->sequence, of->trace);
	struct position at;
	struct message m;
	size_t start = out->length;
	if (w->session->traces.count > 1)
		text_add(out, trace_name(w->session->traces.at[of->trace]));
	expansion_clear(&w->expansion);
	if (!reader_read_id(reader, of->id, &at, &m))
		return;
	reader_expand(reader, &m, EXPAND_TEXT, &w->expansion);
	text_add(out, out->length > start && w->expansion.origin.length ? " " : "");
	text_add_bytes(out, text_get(&w->expansion.origin), w->expansion.origin.length);
}

static void
describe_context(struct why_walk *w, const struct why_candidate *c, bool at_begin, struct text *out)
{
	text_addf(out, "%s %s", contexts_name(w->session->contexts, c->context),
		  spans_label(w->spans, c->label));
	text_add(out, at_begin ? " at begin" : " inside");
	if (!(w->shared >> (c->context & 63) & 1))
		return;
	if (c->lane == WHY_ALL_LANES) {
		text_add(out, ", of its own origin");
		return;
	}
	const struct span_lane *lane = spans_lane(w->spans, c->lane);
	const struct interval_message first = {
	    lane->trace, {lane->turns.at[0].offset, lane->turns.at[0].ordinal}};
	text_add(out, ", of ");
	add_sender(w, &first, out);
}

static void
describe_message(struct why_walk *w, const struct why_candidate *c, struct text *out)
{
	size_t start = out->length;
	add_sender(w, &c->message, out);
	text_add(out, out->length > start ? ": " : "");
	compare_add_masked(text_get(&w->expansion.text), w->expansion.text.length, out);
}

void
why_walk_describe(struct why_walk *w, const struct why_candidate *c, bool at_begin,
		  struct text *out)
{
	const struct gap gap = {(uint64_t)c->length, !w->result->ticks};
	switch (c->kind) {
	case WHY_CONTEXT:
		describe_context(w, c, at_begin, out);
		break;
	case WHY_INTERVAL:
		text_addf(out, "%s open%s", intervals_name(intervals_of(w->session), c->lane),
			  at_begin ? " at begin" : "");
		break;
	case WHY_GAP:
		if (w->session->traces.count > 1)
			text_addf(out, "%s: ", trace_name(w->session->traces.at[c->lane]));
		text_add(out, "no message for ");
		gap_format(&gap, true, out);
		break;
	case WHY_MESSAGE:
	case WHY_NO_MESSAGE:
	case WHY_KINDS:
		describe_message(w, c, out);
	}
}
