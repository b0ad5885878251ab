/*
 * Filter terms on time: see filter_tree.h.
 *
 * Times are nanoseconds on the session's common clock, or ticks if the rate of a
 * clock is unknown. Terms become ranges of such times once a trace has its first
 * time, and again after the clocks change. If times follow from ticks alone,
 * bisection turns the ranges into ticks. A message then costs one comparison;
 * otherwise each message needs a conversion by the clocks.
 *
 * The summaries of cells contain times, so they can judge cells.
 */
#include "config.h"

#include "query/filter/filter_tree.h"
#include "query/gap/gap.h"
#include "query/gap/step_back.h"
#include "query/flow/run_on.h"
#include "session/clock/clocks.h"
#include "session/intervals.h"
#include "session/session.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS_BACK = 1024 /* most cells to decode in the search for a time */ };

/* --- times of messages ------------------------------------------------- */

static bool
time_of(struct trace *trace, const struct message *m, struct message_time *time)
{
	return clocks_time(trace, m, time) && (time->known || m->flags & MESSAGE_TIMED);
}

/* True if two times count the same units from the same zero, as far as that matters here. */
static bool
same_unit(const struct filter_times *times, const struct message_time *time)
{
	return time->known == times->known && time->wall == times->wall;
}

/* Return the number to compare. */
static long double
value_of(const struct message_time *time)
{
	return time->known ? (long double)time->nanoseconds : (long double)(uint64_t)time->order;
}

/* Find the first time of a trace; return false while it has none. */
static bool
first_time(struct trace *trace, const struct clocks_nature *nature, struct message *m,
	   struct message_time *time)
{
	struct reader *reader = reader_new(trace);
	struct index *index = trace_index(trace);
	uint64_t count = index_cell_count(index);
	bool found = false;
	for (uint64_t cell = 0, looked = 0; !found && cell < count && looked < CELLS_BACK; cell++) {
		struct index_cell summary;
		if (!nature->by_offset && index_cell(index, cell, &summary) &&
		    !(summary.message_flags & MESSAGE_TIMED))
			continue;
		for (size_t i = 0; !found && i < reader_decoded_cell(reader, cell)->count; i++) {
			*m = reader_decoded_cell(reader, cell)->messages[i];
			found = time_of(trace, m, time);
		}
		looked++;
	}
	reader_free(reader);
	return found;
}

/* Return the first time of all traces with times comparable to OWN, a time of TRACE. */
static int64_t
start_of(struct trace *trace, const struct message_time *own)
{
	const struct session *session = session_of(trace);
	int64_t start = own->order;
	for (size_t i = 0; session->clocks && i < session->traces.count; i++) {
		struct trace *other = session->traces.at[i];
		struct clocks_nature nature = clocks_nature(other);
		struct message m;
		struct message_time time;
		if (other != trace && clocks_part(other) == own->part &&
		    first_time(other, &nature, &m, &time) && time.part == own->part &&
		    time.order < start)
			start = time.order;
	}
	return start;
}

bool
filter_find_start(struct trace *trace, struct message_time *start)
{
	struct clocks_nature nature = clocks_nature(trace);
	struct message m;
	bool found = first_time(trace, &nature, &m, start);
	if (found)
		start->order = start_of(trace, start);
	return found;
}

/* --- ranges of ticks --------------------------------------------------- */

/* A limit on times, for the bisection of ticks. */
struct limit {
	struct trace *trace;
	struct message m;  /* all but its ticks */
	bool known;	   /* times are in nanoseconds */
	long double value; /* NAN: any tick with a time is past it */
	bool open;
};

/* True if the time of a tick is at or past the limit. */
static bool
is_past(struct limit *limit, uint64_t ticks)
{
	struct message_time time;
	limit->m.ticks = ticks;
	if (!clocks_time(limit->trace, &limit->m, &time) || time.known != limit->known)
		return false;
	long double value = value_of(&time);
	return isnan(limit->value) || (limit->open ? value > limit->value : value >= limit->value);
}

/* Bisect between FROM and TO, which differ in is_past(). Return the tick nearest to FROM that
 * has the result of TO. */
static uint64_t
filter_bisect_ticks(struct limit *limit, uint64_t from, uint64_t to)
{
	bool past = is_past(limit, to);
	while (from > to ? from - to > 1 : to - from > 1) {
		uint64_t middle = from < to ? from + (to - from) / 2 : to + (from - to) / 2;
		if (is_past(limit, middle) == past)
			to = middle;
		else
			from = middle;
	}
	return to;
}

/* Find the range LOW to HIGH of ticks around M's that have a time. */
static void
limit_ticks(struct limit any, uint64_t *low, uint64_t *high)
{
	uint64_t ticks = any.m.ticks;
	any.value = (long double)NAN;
	*low = is_past(&any, 0) ? 0 : filter_bisect_ticks(&any, 0, ticks);
	*high =
	    is_past(&any, UINT64_MAX) ? UINT64_MAX : filter_bisect_ticks(&any, UINT64_MAX, ticks);
}

/* Find the first tick past a limit; return false if there is none. */
static bool
first_past(struct limit *limit, uint64_t low, uint64_t high, uint64_t *ticks)
{
	if (!is_past(limit, high))
		return false;
	*ticks = is_past(limit, low) ? low : filter_bisect_ticks(limit, low, high);
	return true;
}

/* Return the ticks with times in a range, for a trace with times that rise with ticks. */
static struct filter_range
tick_range(struct trace *trace, const struct message *m, bool known,
	   const struct filter_range *range)
{
	static const struct filter_range nothing = {.low = 1, .high = 0};
	uint64_t low, high, first, past;
	struct limit begin = {trace, *m, known, range->low, range->open_low};
	struct limit end = {trace, *m, known, range->high, !range->open_high};
	limit_ticks(begin, &low, &high);
	if (!first_past(&begin, low, high, &first))
		return nothing;
	if (!first_past(&end, low, high, &past))
		return (struct filter_range){.low = first, .high = high};
	return (struct filter_range){.low = first, .high = past, .open_high = true};
}

static struct filter_ranges
tick_ranges(struct filter_expr *expr, struct trace *trace, const struct message *m, bool known,
	    const struct filter_ranges *of)
{
	struct filter_range *ranges = arena_alloc(&expr->arena, of->count * sizeof *ranges);
	for (size_t i = 0; i < of->count; i++)
		ranges[i] = tick_range(trace, m, known, &of->at[i]);
	return (struct filter_ranges){ranges, of->count};
}

/* --- resolving terms for a trace ----------------------------------------- */

static void
work_out(struct filter_expr *expr, struct filter_times *times, struct trace *trace,
	 const struct message *m, const struct message_time *first)
{
	int64_t start = start_of(trace, first);
	times->known = first->known;
	times->wall = first->wall;
	times->by_ticks = times->nature.rising && !times->nature.own;
	for (size_t i = 0; i < expr->code->timed.count; i++) {
		const struct filter_leaf *leaf = expr->code->timed.at[i];
		struct trace_clock clock = {.hz = first->known ? 1e9 : 0,
					    .has_epoch = first->wall,
					    .zone = trace_zone(trace)};
		times->ranges[i] = filter_time_ranges(&expr->arena, leaf, &clock, start);
		if (times->by_ticks)
			times->ticks[i] =
			    tick_ranges(expr, trace, m, first->known, &times->ranges[i]);
	}
}

/* Prepare the ranges; return false while the trace has no time. After a failed search, search
 * again only once the number of cells has doubled. */
static bool
filter_prepare_ranges(struct filter_expr *expr, struct filter_bound *bound)
{
	struct filter_times *times = &bound->times;
	unsigned generation = trace_generation(bound->trace);
	struct message m;
	struct message_time first;
	if (times->valid && times->generation == generation)
		return true;
	uint64_t cells = index_cell_count(trace_index(bound->trace));
	if (times->looked && times->generation == generation && cells < 2 * times->cells)
		return false;
	if (!times->ranges) {
		times->ranges = mem_new(expr->code->timed.count * sizeof *times->ranges);
		times->ticks = mem_new(expr->code->timed.count * sizeof *times->ticks);
	}
	times->looked = true;
	times->generation = generation;
	times->cells = cells;
	times->nature = clocks_nature(bound->trace);
	times->valid = first_time(bound->trace, &times->nature, &m, &first);
	if (times->valid)
		work_out(expr, times, bound->trace, &m, &first);
	return times->valid;
}

void
filter_times_release(struct filter_times *times)
{
	free(times->ranges);
	free(times->ticks);
}

/* --- testing ------------------------------------------------------------- */

/* Find the time of the message under test. */
static bool
own_time(struct filter_look *look, struct message_time *time)
{
	return time_of(look->bound->trace, look->m, time);
}

bool
filter_test_time(struct filter_look *look, const struct filter_leaf *leaf)
{
	struct message_time time;
	if (!filter_prepare_ranges(look->expr, look->bound))
		return false;
	const struct filter_times *times = &look->bound->times;
	if (times->by_ticks && leaf->how == FILTER_COMPARED)
		return look->m->flags & MESSAGE_TIMED &&
		       filter_ranges_have(&times->ticks[leaf->timed], (long double)look->m->ticks);
	return own_time(look, &time) &&
	       (leaf->how == FILTER_PRESENT ||
		(same_unit(times, &time) &&
		 filter_ranges_have(&times->ranges[leaf->timed], value_of(&time))));
}

bool
filter_test_gap(struct filter_look *look, const struct filter_leaf *leaf)
{
	struct filter_expr *expr = look->expr;
	struct trace *trace = look->bound->trace;
	struct gap gap;
	if (!filter_prepare_ranges(expr, look->bound))
		return false;
	if (!expr->gaps)
		expr->gaps = gap_cursor_new(session_of(trace));
	const struct filter_times *times = &look->bound->times;
	return gap_cursor_find(expr->gaps, trace, look->m, &gap) &&
	       (leaf->how == FILTER_PRESENT ||
		(gap.known == times->known &&
		 filter_ranges_have(&times->ranges[leaf->timed], (long double)gap.length)));
}

/* --- intervals --------------------------------------------------------- */

bool
filter_test_interval(struct filter_look *look, const struct filter_leaf *leaf)
{
	const struct session_intervals *hook = session_of(look->bound->trace)->intervals;
	struct interval_length length;
	size_t interval;
	if (!session_intervals_find(hook, filter_interval_of(leaf), &interval) ||
	    !filter_prepare_ranges(look->expr, look->bound) ||
	    !hook->find(hook->context, interval, look->reader, look->m, look->expr->ends, &length))
		return false;
	const struct filter_times *times = &look->bound->times;
	return leaf->how == FILTER_PRESENT ||
	       (length.ticks != times->known &&
		filter_ranges_have(&times->ranges[leaf->timed], (long double)length.length));
}

/* --- steps back -------------------------------------------------------- */

/* Fail if a name that is a flag has a value. */
static int
refuse_value(struct filter_build *build, const struct filter_leaf *leaf)
{
	if (leaf->how == FILTER_PRESENT)
		return 0;
	return filter_fail(build, leaf->word.at, "%s has no value; it stands alone, or after not",
			   leaf->word.text);
}

int
filter_resolve_step_back(struct filter_build *build, struct filter_leaf *leaf)
{
	return refuse_value(build, leaf);
}

int
filter_resolve_run_on(struct filter_build *build, struct filter_leaf *leaf)
{
	return refuse_value(build, leaf);
}

bool
filter_test_run_on(struct filter_look *look, const struct filter_leaf *leaf)
{
	struct position at;
	(void)leaf;
	if (!look->bound->run_on)
		look->bound->run_on = run_on_new(look->bound->trace);
	return reader_find_message(look->reader, look->m, &at) &&
	       run_on_test(look->bound->run_on, reader_decoded_cell(look->reader, at.cell), at.at);
}

static struct step_back *
step_back_of(struct filter_bound *bound)
{
	if (!bound->step_back)
		bound->step_back = step_back_new(bound->trace);
	return bound->step_back;
}

bool
filter_test_step_back(struct filter_look *look, const struct filter_leaf *leaf)
{
	struct position at;
	(void)leaf;
	return reader_find_message(look->reader, look->m, &at) &&
	       step_back_test(step_back_of(look->bound), reader_decoded_cell(look->reader, at.cell),
			      at.at, 0);
}

enum filter_verdict
filter_judge_step_back(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	(void)leaf;
	return facts->index && step_back_rules_out(step_back_of(facts->bound), facts->number)
		   ? FILTER_NONE
		   : FILTER_SOME;
}

/* --- cells ------------------------------------------------------------- */

static bool
tick_time(struct trace *trace, const struct filter_times *times, uint64_t ticks, long double *value)
{
	const struct message m = {.ticks = ticks, .flags = MESSAGE_TIMED};
	struct message_time time;
	bool has = clocks_time(trace, &m, &time) && same_unit(times, &time);
	*value = has ? value_of(&time) : 0;
	return has;
}

/* A function of clocks.h that finds the bounds of a cell's times. */
typedef bool cell_span(struct trace *, uint64_t cell, const struct index_cell *, int64_t *from,
		       int64_t *to);

/* Find the bounds of the times in a cell that has some; return false if they are unknown. */
static bool
cell_bounds(const struct filter_facts *facts, cell_span *span, long double *least,
	    long double *most)
{
	const struct filter_times *times = &facts->bound->times;
	struct trace *trace = facts->bound->trace;
	int64_t from, to;
	if (!times->known || times->nature.by_offset)
		return times->nature.rising &&
		       tick_time(trace, times, facts->cell->time_min, least) &&
		       tick_time(trace, times, facts->cell->time_max, most);
	if (!span(trace, facts->number, facts->cell, &from, &to) || from > to)
		return false;
	*least = (long double)from;
	*most = (long double)to;
	return true;
}

/* Judge a cell by such bounds; return FILTER_SOME if there are none. */
static enum filter_verdict
judge_bounds(const struct filter_facts *facts, const struct filter_leaf *leaf, cell_span *span)
{
	const struct filter_ranges *ranges = &facts->bound->times.ranges[leaf->timed];
	long double least, most;
	return cell_bounds(facts, span, &least, &most) ? filter_ranges_judge(ranges, least, most)
						       : FILTER_SOME;
}

/* Messages without a time may be among those with one, so never return FILTER_ALL. The wider
 * bounds decide most cells, at a tenth of the cost. */
enum filter_verdict
filter_judge_time(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	bool timed = facts->cell->flags & CELL_TIMED;
	if (!facts->index || !filter_prepare_ranges(facts->expr, facts->bound))
		return FILTER_SOME;
	const struct filter_times *times = &facts->bound->times;
	if (!timed && !times->nature.by_offset)
		return FILTER_NONE;
	if (leaf->how == FILTER_PRESENT)
		return FILTER_SOME;
	enum filter_verdict verdict = judge_bounds(facts, leaf, clocks_cell_reach);
	if (verdict == FILTER_SOME)
		verdict = judge_bounds(facts, leaf, clocks_cell_span);
	return verdict == FILTER_NONE ? FILTER_NONE : FILTER_SOME;
}

/* --- earliest time ------------------------------------------------------- */

/* True if only messages within some time range can pass a term. */
static bool
limits_time(const struct filter_node *node)
{
	if (node->type == FILTER_LEAF)
		return node->leaf->name->judge == filter_judge_time &&
		       node->leaf->how == FILTER_COMPARED;
	bool any = false;
	for (const struct filter_node *child = node->child; child; child = child->next)
		any |= node->type == FILTER_AND && limits_time(child);
	return any;
}

bool
filter_limits_time(const struct filter *filter)
{
	return filter->expr && limits_time(filter->expr->code->root);
}

/* Find the earliest value that passes a term; return false if there is no limit. */
static bool
find_least(const struct filter_times *times, const struct filter_node *node, long double *least)
{
	bool any = false;
	*least = (long double)INFINITY;
	if (node->type == FILTER_LEAF && node->leaf->name->judge == filter_judge_time &&
	    node->leaf->how == FILTER_COMPARED) {
		const struct filter_ranges *ranges = &times->ranges[node->leaf->timed];
		for (size_t i = 0; i < ranges->count; i++)
			*least = ranges->at[i].low < *least ? ranges->at[i].low : *least;
		return isfinite(*least);
	}
	for (const struct filter_node *child = node->child; child; child = child->next) {
		long double own;
		if (node->type != FILTER_AND || !find_least(times, child, &own))
			continue;
		*least = !any || own > *least ? own : *least; /* all terms must hold */
		any = true;
	}
	return any;
}

bool
filter_find_begin(const struct filter *filter, struct trace *trace, int64_t *time)
{
	long double least;
	if (!filter_limits_time(filter))
		return false;
	struct filter_bound *bound = filter_bind(filter->expr, trace);
	if (!filter_prepare_ranges(filter->expr, bound) ||
	    !find_least(&bound->times, filter->expr->code->root, &least) ||
	    least < (long double)INT64_MIN || least > (long double)INT64_MAX)
		return false;
	*time = (int64_t)least;
	return true;
}
