/*
 * The clocks of a session: see clocks.h.
 *
 * A map (clock_map.h) is made from the points of clock_points.c and the relations in the
 * profile and by the user. It then replaces the previous map under a lock, and all times
 * come from it.
 *
 * Cost: a new map is made when the points have grown by an eighth, and at the end. A time
 * takes a shared lock and the cost of relation.c.
 */
#include "config.h"

#include "session/clock/clocks.h"
#include "base/generation.h"
#include "base/job.h"
#include "session/clock/clock_map.h"
#include "session/link/sync_options.h"
#include "session/session.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	CELL_SPAN = 2000000000 /* ns between the bounds of a cell that make them doubtful */
};

/* --- state ---------------------------------------------------------------- */

struct clocks {
	struct session *session;
	struct clock_points points;
	struct job job;
	uint64_t mapped; /* points in the map */
	bool mapped_all; /* the map has all points there will be */

	/* under the job's lock; only the owner changes them */
	VEC(struct sync_options) ties;
	bool tied; /* tied or untied since the last map */

	pthread_rwlock_t map_lock;
	struct clock_map *map;
	struct generation generation;
	atomic_bool settled;
	atomic_int order; /* enum clocks_order */
};

/* --- the thread -------------------------------------------------------- */

static struct clock_map *
make_map(struct clocks *clocks)
{
	struct clock_map *map = clock_map_new(clocks->session, &clocks->points);
	job_lock(&clocks->job);
	clock_map_add_ties(map, clocks->ties.at, clocks->ties.count);
	clocks->tied = false;
	job_unlock(&clocks->job);
	clock_map_settle(map);
	return map;
}

static void
publish_map(struct clocks *clocks, struct clock_map *map)
{
	pthread_rwlock_wrlock(&clocks->map_lock);
	struct clock_map *before = clocks->map;
	clocks->map = map;
	generation_bump(&clocks->generation);
	pthread_rwlock_unlock(&clocks->map_lock);
	clock_map_free(before);
	for (size_t i = 0; i < clocks->session->traces.count; i++)
		trace_bump_generation(clocks->session->traces.at[i]);
}

/* Look at new cells, and publish a new map if points or ties changed enough. */
static void
clocks_run(void *context)
{
	struct clocks *clocks = context;
	bool stale = clock_points_look(&clocks->points);
	bool all = clock_points_are_all(&clocks->points);
	uint64_t points = clock_points_count(&clocks->points);
	job_lock(&clocks->job);
	bool tied = clocks->tied;
	job_unlock(&clocks->job);
	bool grown =
	    points > clocks->mapped + clocks->mapped / 8 || (all && points != clocks->mapped);
	if (grown || stale || tied) {
		clocks->mapped = points;
		publish_map(clocks, make_map(clocks));
	}
	bool news = grown || stale || tied || all != clocks->mapped_all;
	clocks->mapped_all = all;
	atomic_store(&clocks->settled, all);
	if (news)
		job_tell(&clocks->job);
}

struct clocks *
clocks_new(struct session *session)
{
	struct clocks *clocks = mem_new(sizeof *clocks);
	clocks->session = session;
	atomic_init(&clocks->order, session->profile.order);
	job_init(&clocks->job, clocks_run, clocks);
	pthread_rwlock_init(&clocks->map_lock, NULL);
	clock_points_open(&clocks->points, session, &clocks->job);
	clocks->map = make_map(clocks); /* relations that need no capture */
	return clocks;
}

void
clocks_free(struct clocks *clocks)
{
	if (!clocks)
		return;
	job_free(&clocks->job);
	clock_points_close(&clocks->points);
	for (size_t i = 0; i < clocks->ties.count; i++)
		option_release(&sync_options_table, &clocks->ties.at[i]);
	vec_free(&clocks->ties);
	clock_map_free(clocks->map);
	pthread_rwlock_destroy(&clocks->map_lock);
	free(clocks);
}

void
clocks_load(struct clocks *clocks, bool wait)
{
	for (size_t i = 0; i < clocks->points.feeds.count; i++) {
		struct trace *trace = clocks->points.feeds.at[i].trace;
		if (!clock_points_may_have(&clocks->points, i))
			continue;
		while (wait && trace_wait(trace))
			continue;
		trace_unpack(trace);
		if (capture_ended(trace_capture(trace)))
			clock_feed_build(&clocks->points.feeds.at[i]);
	}
	clocks_run(clocks);
}

void
clocks_start(struct clocks *clocks)
{
	clocks->job.notify = trace_host_notify;
	clocks->job.owner = &clocks->session->host;
	job_start(&clocks->job);
}

void
clocks_wake(struct clocks *clocks)
{
	job_wake(&clocks->job);
}

unsigned
clocks_generation(const struct clocks *clocks)
{
	return clocks ? generation_now(&clocks->generation) : 0;
}

bool
clocks_are_settled(const struct clocks *clocks)
{
	return atomic_load(&clocks->settled);
}

/* --- times ------------------------------------------------------------- */

/* Return the clock of M's sender; SIZE_MAX: none. */
static size_t
client_of(const struct trace_clocks *own, const struct trace *trace, const struct message *m)
{
	const struct clock_owner sender = clock_source_of(trace)->owner(m);
	return clock_map_client(own, &sender);
}

/* Make a time from FOUND, a time by CLOCK, without the profile's offset. Return false if it is
 * out of range. */
static bool
make_time(const struct clock_map *map, size_t clock, const struct graph_time *found,
	  struct message_time *time)
{
	const struct graph_clock *root = &map->graph.clocks.at[found->root];
	int64_t whole = (int64_t)(found->ticks >> RELATION_FRACTION);
	*time = (struct message_time){.nanoseconds = found->nanoseconds,
				      .error = found->error,
				      .part = found->root,
				      .known = found->known,
				      .wall = root->unix_epoch,
				      .plain = found->root == clock,
				      .estimated = found->alone,
				      .order = found->known ? found->nanoseconds : whole};
	return found->known || !root->rate.numerator;
}

/* Add the profile's offset. Return false if the time overflows. */
static bool
shift_time(const struct trace_clocks *has, struct message_time *time)
{
	if (__builtin_add_overflow(time->nanoseconds, has->shift, &time->nanoseconds))
		return false;
	if (time->known)
		time->order = time->nanoseconds;
	return true;
}

static bool
time_of(const struct clock_map *map, size_t number, size_t clock, uint64_t ticks,
	const struct message *m, struct message_time *time)
{
	struct graph_time found;
	return graph_time(&map->graph, clock, ticks, number, message_id_offset(m), &found) &&
	       make_time(map, clock, &found, time);
}

static uint64_t
nanoseconds_apart(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* True if a sender's time is close enough to the transport's to be believed. */
static bool
is_near(int64_t own, int64_t transport)
{
	return nanoseconds_apart(own, transport) < (uint64_t)CLOCKS_OWN_APART;
}

static double
times_apart(const struct message_time *a, const struct message_time *b)
{
	return (double)nanoseconds_apart(a->nanoseconds, b->nanoseconds);
}

/* Find the time by the sender's CLOCK, in the segment around PLACE. */
static bool
time_at(const struct clock_map *map, size_t clock, size_t number, const struct message *m,
	uint64_t place, const struct message_time *carried, struct message_time *time)
{
	struct graph_time found;
	return graph_time(&map->graph, clock, m->sender_ticks, number, place, &found) &&
	       make_time(map, clock, &found, time) && time->known && time->part == carried->part;
}

/* True if a sender's time is not after the transport's, within their errors. No message is
 * carried before it is made. */
static bool
is_before(const struct message_time *own, const struct message_time *carried)
{
	return own->nanoseconds <= carried->nanoseconds ||
	       times_apart(own, carried) <= own->error + carried->error;
}

/* The possible times of a message by its sender's clock. */
struct made {
	const struct message_time *carried;
	struct message_time best; /* latest one that is near */
	bool found;
	double farthest; /* ns from the earliest one to the transport's time, plus its error */
};

/* Add a possible time by the sender's clock. */
static void
add_made(struct made *made, const struct message_time *own)
{
	if (!is_before(own, made->carried))
		return;
	made->farthest = fmax(made->farthest, times_apart(own, made->carried) + own->error);
	if (!is_near(own->nanoseconds, made->carried->nanoseconds) ||
	    (made->found && own->nanoseconds <= made->best.nanoseconds))
		return;
	made->best = *own;
	made->found = true;
}

/* Return the relation of a sender's clock to the next one; NULL: the clock does not step. */
static const struct relation *
stepping_relation(const struct clock_map *map, size_t clock, size_t number)
{
	const struct relation *r = map->graph.clocks.at[clock].towards;
	return r && r->owner == number && r->segments.count > 1 ? r : NULL;
}

/* Add the time by the next segment: the clock may have stepped since its last point. */
static void
add_made_next(const struct clock_map *map, size_t clock, size_t number, const struct message *m,
	      struct made *made)
{
	const struct relation *r = stepping_relation(map, clock, number);
	uint64_t next = r ? relation_place_beside(r, message_id_offset(m), true) : RELATION_NOWHERE;
	struct message_time own;
	if (next != RELATION_NOWHERE && time_at(map, clock, number, m, next, made->carried, &own))
		add_made(made, &own);
}

/* Add the times by earlier segments: the message may have been held back since before the clock
 * stepped. */
static void
add_made_before(const struct clock_map *map, size_t clock, size_t number, const struct message *m,
		struct made *made)
{
	enum { BACK = 4 };
	const struct relation *r = stepping_relation(map, clock, number);
	uint64_t place = r ? message_id_offset(m) : RELATION_NOWHERE;
	struct message_time own;
	for (int i = 0; i < BACK && place != RELATION_NOWHERE; i++) {
		place = relation_place_beside(r, place, false);
		if (place != RELATION_NOWHERE &&
		    time_at(map, clock, number, m, place, made->carried, &own))
			add_made(made, &own);
	}
}

/* Set *TIME, the transport's, to the time by the sender's CLOCK. Return true if that time is
 * plausible or at least near. Otherwise the error of *TIME grows by the longest delay in the
 * sender. */
static bool
own_time(const struct clock_map *map, size_t clock, size_t number, const struct message *m,
	 struct message_time *time)
{
	struct message_time own;
	struct made made = {.carried = time};
	if (clock == SIZE_MAX || map->graph.clocks.at[clock].root != time->part)
		return false;
	bool any = time_at(map, clock, number, m, message_id_offset(m), time, &own);
	bool near = any && is_near(own.nanoseconds, time->nanoseconds);
	add_made_next(map, clock, number, m, &made);
	if (near && is_before(&own, time) &&
	    (!made.found || own.nanoseconds >= made.best.nanoseconds ||
	     times_apart(&own, &made.best) <= own.error + made.best.error)) {
		*time = own;
		return true;
	}
	if (any)
		add_made(&made, &own);
	add_made_before(map, clock, number, m, &made);
	if (made.found) {
		double apart = made.farthest - times_apart(&made.best, time);
		made.best.error = fmax(made.best.error, apart);
		*time = made.best;
		return true;
	}
	if (near) /* after the transport's: some relation is off */
		*time = own;
	time->estimated = true;
	time->error += made.farthest > 0 && !near ? made.farthest : INFINITY;
	return near;
}

/* Find a time without clocks, by the rate of the trace. */
static bool
plain_time(const struct trace *trace, const struct message *m, struct message_time *time)
{
	struct trace_clock clock = trace_clock(trace);
	struct graph_clock own = {.rate = relation_rate_of(clock.hz)};
	struct graph graph = {.clocks = {.at = &own, .count = 1}};
	struct graph_time found;
	if (!(m->flags & MESSAGE_TIMED) || !graph_time(&graph, 0, m->ticks, 0, 0, &found))
		return false;
	*time = (struct message_time){.nanoseconds = found.nanoseconds,
				      .known = found.known,
				      .wall = clock.has_epoch,
				      .plain = true,
				      .order = found.known ? found.nanoseconds : (int64_t)m->ticks};
	return true;
}

/* Which timestamp to use. */
enum stamp { BY_TRANSPORT, BY_SENDER, BY_ANY /* of a cell: allow any value of senders' clocks */ };

/* Find the time of a message. *CLOCK: the clock it is from. *CARRIED, unless NULL: the
 * transport's time. */
static bool
mapped_time(const struct clock_map *map, struct trace *trace, size_t number,
	    const struct message *m, enum stamp by, struct message_time *time, size_t *clock,
	    struct message_time *carried)
{
	const struct trace_clocks *has = &map->traces.at[number];
	if (!(m->flags & MESSAGE_TIMED) && !has->by_offset)
		return false;
	*clock = clock_map_find(map, number, m, trace);
	if (!time_of(map, number, *clock, clock_map_ticks(has, m), m, time))
		return false;
	if (carried) {
		*carried = *time;
		if (!shift_time(has, carried))
			return false;
	}
	if (by == BY_SENDER && m->flags & MESSAGE_SENDER_TIMED) {
		size_t client;
		if (own_time(map, has->own, number, m, time))
			*clock = has->own;
		else if (own_time(map, client = client_of(has, trace, m), number, m, time))
			*clock = client;
	}
	if (!shift_time(has, time))
		return false;
	time->plain &= !has->shift && !has->clients.count && has->own == SIZE_MAX;
	time->estimated |= has->by_offset && time->error > 2;
	return true;
}

static bool
find_time(struct trace *trace, const struct message *m, enum stamp by, struct message_time *time)
{
	struct session *session = session_of(trace);
	struct clocks *clocks = session->clocks;
	*time = (struct message_time){0};
	if (!clocks)
		return plain_time(trace, m, time);
	pthread_rwlock_rdlock(&clocks->map_lock);
	size_t number = trace_number(trace), clock;
	bool any = number < clocks->map->traces.count &&
		   mapped_time(clocks->map, trace, number, m, by, time, &clock, NULL);
	pthread_rwlock_unlock(&clocks->map_lock);
	return any;
}

bool
clocks_time(struct trace *trace, const struct message *m, struct message_time *time)
{
	return find_time(trace, m, BY_SENDER, time);
}

/* Return the nanoseconds per tick of a trace, or 1 for bare ticks. 0: not a whole number,
 * messages have several clocks, or the main clock has a relation to another one. */
static uint64_t
nanoseconds_of_tick(const struct clock_map *map, const struct trace_clocks *has)
{
	const struct graph_clock *main = &map->graph.clocks.at[has->main];
	if (has->others.count || has->by_offset || main->towards)
		return 0;
	return main->rate.numerator ? relation_rate_tick(main->rate) : 1;
}

static bool
find_scale(const struct clock_map *map, struct trace *trace, struct clocks_scale *scale)
{
	const struct message m = {.flags = MESSAGE_TIMED}; /* at tick 0 */
	size_t number = trace_number(trace), clock;
	scale->tick = nanoseconds_of_tick(map, &map->traces.at[number]);
	if (!scale->tick ||
	    !mapped_time(map, trace, number, &m, BY_TRANSPORT, &scale->zero, &clock, NULL))
		return false;
	int64_t left = scale->zero.order < 0 ? INT64_MAX : INT64_MAX - scale->zero.order;
	scale->most = scale->zero.known ? (uint64_t)left / scale->tick : UINT64_MAX;
	return true;
}

/* Find the times of COUNT messages in the map. */
static void
map_times(const struct clock_map *map, struct trace *trace, const struct message *m, size_t count,
	  struct message_time *times, bool *any)
{
	size_t number = trace_number(trace), clock;
	struct clocks_scale scale = {0};
	bool scaled = find_scale(map, trace, &scale);
	for (size_t i = 0; i < count; i++) {
		times[i] = (struct message_time){0};
		if (scaled && clocks_scale_fits(&scale, &m[i])) {
			any[i] = m[i].flags & MESSAGE_TIMED;
			times[i] = clocks_scale_time(&scale, m[i].ticks);
		} else {
			any[i] = mapped_time(map, trace, number, &m[i], BY_SENDER, &times[i],
					     &clock, NULL);
		}
	}
}

void
clocks_times(struct trace *trace, const struct message *m, size_t count, struct message_time *times,
	     bool *any)
{
	struct clocks *clocks = session_of(trace)->clocks;
	if (!clocks) {
		for (size_t i = 0; i < count; i++)
			any[i] = plain_time(trace, &m[i], &times[i]);
		return;
	}
	pthread_rwlock_rdlock(&clocks->map_lock);
	if (trace_number(trace) < clocks->map->traces.count)
		map_times(clocks->map, trace, m, count, times, any);
	else
		memset(any, 0, count * sizeof *any);
	pthread_rwlock_unlock(&clocks->map_lock);
}

bool
clocks_scale(struct trace *trace, struct clocks_scale *scale)
{
	struct clocks *clocks = session_of(trace)->clocks;
	*scale = (struct clocks_scale){0};
	if (!clocks)
		return false;
	pthread_rwlock_rdlock(&clocks->map_lock);
	bool found = trace_number(trace) < clocks->map->traces.count &&
		     find_scale(clocks->map, trace, scale);
	pthread_rwlock_unlock(&clocks->map_lock);
	return found;
}

bool
clocks_transport_time(struct trace *trace, const struct message *m, struct message_time *time)
{
	return find_time(trace, m, BY_TRANSPORT, time);
}

void
clocks_set_order(struct clocks *clocks, enum clocks_order order)
{
	pthread_rwlock_wrlock(&clocks->map_lock);
	if (atomic_exchange(&clocks->order, (int)order) != (int)order)
		generation_bump(&clocks->generation);
	pthread_rwlock_unlock(&clocks->map_lock);
}

enum clocks_order
clocks_get_order(const struct clocks *clocks)
{
	return (enum clocks_order)atomic_load(&clocks->order);
}

size_t
clocks_strand_count(struct trace *trace)
{
	struct clocks *clocks = session_of(trace)->clocks;
	size_t number = trace_number(trace), count = 1;
	if (!clocks)
		return 1;
	pthread_rwlock_rdlock(&clocks->map_lock);
	if (clocks_get_order(clocks) == CLOCKS_BY_TIME && number < clocks->map->traces.count)
		count += clocks->map->traces.at[number].strands.count +
			 clocks->map->traces.at[number].cores;
	pthread_rwlock_unlock(&clocks->map_lock);
	return count;
}

size_t
clocks_strand(struct trace *trace, const struct message *m, struct message_time *time,
	      struct message_time *carried)
{
	struct clocks *clocks = session_of(trace)->clocks;
	size_t number = trace_number(trace), clock, strand = 0;
	if (!clocks)
		return 0;
	pthread_rwlock_rdlock(&clocks->map_lock);
	const struct clock_map *map = clocks->map;
	if (number < map->traces.count) {
		const struct trace_clocks *has = &map->traces.at[number];
		if (mapped_time(map, trace, number, m, BY_SENDER, time, &clock, carried))
			strand = clock_map_strand(has, clock);
		else
			time->order = INT64_MIN;
		strand = strand ? strand : clock_map_core(has, trace, m);
	}
	pthread_rwlock_unlock(&clocks->map_lock);
	return strand;
}

size_t
clocks_sender_strands(struct clocks *clocks, size_t *left_out)
{
	pthread_rwlock_rdlock(&clocks->map_lock);
	size_t count = clocks->map->strands;
	*left_out = clocks->map->left_out;
	pthread_rwlock_unlock(&clocks->map_lock);
	return count;
}

/* Count the messages of a trace with a clock outside of the main clock's part. *COUNT: the
 * number of such clocks. */
static uint64_t
count_apart(const struct clock_map *map, struct trace *trace, size_t *count)
{
	const struct trace_clocks *has = &map->traces.at[trace_number(trace)];
	size_t part = map->graph.clocks.at[has->main].root;
	index_origins origins = {0};
	uint64_t messages = 0;
	for (size_t i = 0; i < has->others.count; i++)
		*count += map->graph.clocks.at[has->others.at[i].clock].root != part;
	if (*count)
		index_get_origins(trace_index(trace), &origins);
	for (size_t i = 0; i < origins.count; i++) {
		const struct message m = {.origin = origins.at[i].key};
		size_t clock = clock_map_find(map, trace_number(trace), &m, trace);
		if (map->graph.clocks.at[clock].root != part)
			messages += index_origin_count(&origins.at[i]);
	}
	vec_free(&origins);
	return messages;
}

uint64_t
clocks_apart(struct trace *trace, size_t *count)
{
	struct clocks *clocks = session_of(trace)->clocks;
	uint64_t messages = 0;
	*count = 0;
	if (!clocks)
		return 0;
	pthread_rwlock_rdlock(&clocks->map_lock);
	if (trace_number(trace) < clocks->map->traces.count)
		messages = count_apart(clocks->map, trace, count);
	pthread_rwlock_unlock(&clocks->map_lock);
	return messages;
}

size_t
clocks_part(struct trace *trace)
{
	struct session *session = session_of(trace);
	if (!session->clocks)
		return 0;
	pthread_rwlock_rdlock(&session->clocks->map_lock);
	const struct clock_map *map = session->clocks->map;
	size_t main = map->traces.at[trace_number(trace)].main;
	size_t part = map->graph.clocks.at[main].root;
	pthread_rwlock_unlock(&session->clocks->map_lock);
	return part;
}

/* True if all messages of a trace have its main clock. */
static bool
has_one_clock(const struct trace_clocks *own)
{
	return !own->others.count ||
	       (own->others.count == 1 && own->others.at[0].clock == own->main);
}

/* True if no relation from a trace's main clock to the root has a step or a restart. */
static bool
is_steady(const struct clock_map *map, size_t number)
{
	const struct graph_clock *clock = &map->graph.clocks.at[map->traces.at[number].main];
	while (clock->towards && clock->towards->segments.count < 2 &&
	       !clock->towards->restart_count)
		clock = &map->graph.clocks.at[clock->back ? clock->towards->a : clock->towards->b];
	return !clock->towards;
}

struct clocks_nature
clocks_nature(struct trace *trace)
{
	struct session *session = session_of(trace);
	struct clocks *clocks = session->clocks;
	struct trace_clock clock = trace_clock(trace);
	struct clocks_nature nature = {
	    .rising = true, .known = clock.hz > 0, .wall = clock.has_epoch};
	if (!clocks)
		return nature;
	size_t number = trace_number(trace);
	pthread_rwlock_rdlock(&clocks->map_lock);
	const struct trace_clocks *has = &clocks->map->traces.at[number];
	nature.by_offset = has->by_offset;
	nature.own = clock_is_transported(trace) && (has->own != SIZE_MAX || has->clients.count);
	const struct graph *graph = &clocks->map->graph;
	const struct graph_clock *root = &graph->clocks.at[graph->clocks.at[has->main].root];
	nature.known = root->rate.numerator;
	nature.wall = root->unix_epoch;
	nature.rising = !has->by_offset && has_one_clock(has) && is_steady(clocks->map, number);
	pthread_rwlock_unlock(&clocks->map_lock);
	return nature;
}

bool
clocks_may_change(const struct clocks *clocks)
{
	for (size_t i = 0; i < clocks->points.feeds.count; i++)
		if (clock_points_may_have(&clocks->points, i) && !clocks_are_settled(clocks))
			return true;
	return false;
}

/* --- times of cells ---------------------------------------------------- */

/* The offsets of a cell and its summary. */
struct cell_facts {
	const struct index_cell *summary;
	size_t number;	     /* of the trace */
	uint64_t begin, end; /* its first and last offset */
};

static struct cell_facts
facts_of(const struct trace *trace, uint64_t cell, const struct index_cell *summary)
{
	uint64_t size = index_cell_size(trace_index(trace)), begin = cell * size;
	return (struct cell_facts){summary, trace_number(trace), begin, begin + size - 1};
}

/* Find the times at which CLOCK shows LOW and HIGH in a cell, without offset. Return false if
 * they are unknown or out of range. */
static bool
clock_span(const struct clock_map *map, const struct cell_facts *cell, size_t clock, uint64_t low,
	   uint64_t high, struct message_time *first, struct message_time *last)
{
	struct graph_time from, to;
	return graph_span(&map->graph, clock, low, high, cell->number, cell->begin, cell->end,
			  &from, &to) &&
	       make_time(map, clock, &from, first) && make_time(map, clock, &to, last);
}

/* Find the bounds without clocks, by the rate of the trace. */
static bool
plain_span(const struct trace *trace, const struct index_cell *summary, int64_t *from, int64_t *to)
{
	struct message first = {.ticks = summary->time_min, .flags = MESSAGE_TIMED};
	struct message last = {.ticks = summary->time_max, .flags = MESSAGE_TIMED};
	struct message_time time;
	if (!(summary->flags & CELL_TIMED))
		return true;
	if (!plain_time(trace, &last, &time))
		return false;
	*to = time.order;
	if (!plain_time(trace, &first, &time))
		return false;
	*from = time.order;
	return true;
}

/* Find the bounds of the transport's times, without offset. */
static bool
transport_span(const struct clock_map *map, const struct cell_facts *cell,
	       struct message_time *first, struct message_time *last, bool *any)
{
	const struct trace_clocks *has = &map->traces.at[cell->number];
	const struct index_cell *summary = cell->summary;
	uint64_t low = has->by_offset ? cell->begin : summary->time_min;
	uint64_t high = has->by_offset ? cell->end : summary->time_max;
	struct message end = {.offset = cell->end};
	*any = false;
	if (!has_one_clock(has))
		return false;
	if (has->by_offset ? !summary->count : !(summary->flags & CELL_TIMED))
		return true;
	if (!time_of(map, cell->number, has->main, high, &end, last))
		return has->by_offset;
	*any = true;
	return clock_span(map, cell, has->main, low, high, first, last);
}

/* Bounds of a cell's times by senders' clocks. */
struct sender_span {
	int64_t low, high;   /* every valid time lies between these */
	int64_t least, most; /* bounds over the clocks so far; least > most: none */
};

static bool
is_of_part(const struct clock_map *map, size_t clock, size_t part)
{
	return map->graph.clocks.at[clock].root == part;
}

/* Widen SPAN by the times of a sender's clock. */
static void
add_clock(const struct clock_map *map, const struct cell_facts *cell, size_t clock, size_t part,
	  struct sender_span *span)
{
	const struct index_cell *summary = cell->summary;
	struct message_time first, last;
	if (!is_of_part(map, clock, part))
		return;
	bool known =
	    !stepping_relation(map, clock, cell->number) && /* its other segments may apply */
	    clock_span(map, cell, clock, summary->sender_min, summary->sender_max, &first, &last);
	int64_t least = known && first.order > span->low ? first.order : span->low;
	int64_t most = known && last.order < span->high ? last.order : span->high;
	if (least > most) /* none is valid */
		return;
	span->least = least < span->least ? least : span->least;
	span->most = most > span->most ? most : span->most;
}

/* True if all times by the clock of the senders' timestamps are valid. No message then uses the
 * transport's. */
static bool
are_all_sound(const struct clock_map *map, const struct cell_facts *cell, int64_t *from,
	      int64_t *to)
{
	const struct trace_clocks *has = &map->traces.at[cell->number];
	const struct index_cell *summary = cell->summary;
	struct message_time first, last;
	if (!(summary->flags & CELL_BY_SENDERS) || has->own == SIZE_MAX ||
	    !is_of_part(map, has->own, map->graph.clocks.at[has->main].root) ||
	    !clock_span(map, cell, has->own, summary->sender_min, summary->sender_max, &first,
			&last) ||
	    !is_near(first.order, *to) || !is_near(last.order, *from))
		return false;
	*from = first.order;
	*to = last.order;
	return true;
}

/* Widen the transport's bounds by the largest difference of a sender's time. */
static void
widen_by_most(int64_t from, int64_t to, int64_t *low, int64_t *high)
{
	if (__builtin_sub_overflow(from, CLOCKS_OWN_APART, low))
		*low = INT64_MIN;
	if (__builtin_add_overflow(to, CLOCKS_OWN_APART, high))
		*high = INT64_MAX;
}

/* Turn bounds of the transport's times, in nanoseconds, into bounds of the messages' times, for
 * any of the senders' clocks. */
static void
widen_by_senders(const struct clock_map *map, const struct cell_facts *cell, int64_t *from,
		 int64_t *to)
{
	const struct trace_clocks *has = &map->traces.at[cell->number];
	size_t part = map->graph.clocks.at[has->main].root;
	struct sender_span span = {.least = INT64_MAX, .most = INT64_MIN};
	if (are_all_sound(map, cell, from, to))
		return;
	widen_by_most(*from, *to, &span.low, &span.high);
	if (has->own != SIZE_MAX)
		add_clock(map, cell, has->own, part, &span);
	for (size_t i = 0; i < has->clients.count; i++) {
		if (span.least == span.low && span.most == span.high)
			break; /* already the widest */
		add_clock(map, cell, has->clients.at[i].clock, part, &span);
	}
	*from = span.least < *from ? span.least : *from;
	*to = span.most > *to ? span.most : *to;
}

/* Find the bounds in the map. */
static bool
mapped_span(const struct clock_map *map, const struct cell_facts *cell, enum stamp by,
	    int64_t *from, int64_t *to)
{
	const struct trace_clocks *has = &map->traces.at[cell->number];
	struct message_time first, last;
	bool any;
	if (!transport_span(map, cell, &first, &last, &any))
		return false;
	if (!any)
		return true;
	bool sent = last.known && cell->summary->sender_min <= cell->summary->sender_max;
	if (by == BY_SENDER && sent)
		widen_by_senders(map, cell, &first.nanoseconds, &last.nanoseconds);
	else if (by == BY_ANY && sent)
		widen_by_most(first.nanoseconds, last.nanoseconds, &first.nanoseconds,
			      &last.nanoseconds);
	if (!shift_time(has, &first) || !shift_time(has, &last))
		return false;
	*from = first.order;
	*to = last.order;
	return true;
}

static bool
find_span(struct trace *trace, uint64_t cell, const struct index_cell *summary, enum stamp by,
	  int64_t *from, int64_t *to)
{
	struct clocks *clocks = session_of(trace)->clocks;
	struct cell_facts facts = facts_of(trace, cell, summary);
	*from = INT64_MAX;
	*to = INT64_MIN;
	if (!clocks)
		return plain_span(trace, summary, from, to);
	pthread_rwlock_rdlock(&clocks->map_lock);
	bool known = facts.number < clocks->map->traces.count &&
		     mapped_span(clocks->map, &facts, by, from, to);
	pthread_rwlock_unlock(&clocks->map_lock);
	return known;
}

bool
clocks_cell_span(struct trace *trace, uint64_t cell, const struct index_cell *summary,
		 int64_t *from, int64_t *to)
{
	return find_span(trace, cell, summary, BY_SENDER, from, to);
}

bool
clocks_cell_reach(struct trace *trace, uint64_t cell, const struct index_cell *summary,
		  int64_t *from, int64_t *to)
{
	return find_span(trace, cell, summary, BY_ANY, from, to);
}

bool
clocks_cell_transport_span(struct trace *trace, uint64_t cell, const struct index_cell *summary,
			   int64_t *from, int64_t *to)
{
	return find_span(trace, cell, summary, BY_TRANSPORT, from, to);
}

bool
clocks_is_doubtful(const struct index_cell *summary, int64_t from, int64_t to)
{
	return summary->flags & CELL_TIME_BACK && from < to &&
	       (uint64_t)to - (uint64_t)from > CELL_SPAN;
}

bool
clocks_cell_time(struct trace *trace, uint64_t cell, const struct index_cell *summary,
		 int64_t *order)
{
	int64_t from;
	bool known = clocks_cell_transport_span(trace, cell, summary, &from, order);
	return known && !clocks_is_doubtful(summary, from, *order);
}

/* --- links ------------------------------------------------------------- */

size_t
clocks_relations(struct clocks *clocks)
{
	pthread_rwlock_rdlock(&clocks->map_lock);
	size_t count = clocks->map->graph.relations.count;
	pthread_rwlock_unlock(&clocks->map_lock);
	return count;
}

/* Find the time of a relation's point by the clock at one of its ends. */
static bool
end_time(const struct clock_map *map, const struct relation *r, const struct relation_point *p,
	 bool at_b, struct clocks_link *link)
{
	struct graph_time found;
	size_t clock = at_b ? r->b : r->a, trace = map->ids.at[clock].trace;
	/* ties have no offsets, so use a trace number that does not exist */
	size_t owner = r->owner == SIZE_MAX ? map->traces.count : r->owner;
	int64_t *time = at_b ? &link->time_b : &link->time_a;
	if (!graph_time(&map->graph, clock, at_b ? p->b : p->a, owner, p->found_at, &found))
		return false;
	*time = found.known ? found.nanoseconds : (int64_t)(found.ticks >> RELATION_FRACTION);
	*(at_b ? &link->b : &link->a) = trace;
	link->part = found.root;
	return !__builtin_add_overflow(*time, map->traces.at[trace].shift, time);
}

/* True if a relation is between two traces, and not by definition. */
static bool
is_between_traces(const struct clock_map *map, const struct relation *r)
{
	const struct clock_id *a = &map->ids.at[r->a], *b = &map->ids.at[r->b];
	bool shared = a->kind == CLOCK_WALL || a->kind == CLOCK_GLOBAL || b->kind == CLOCK_WALL ||
		      b->kind == CLOCK_GLOBAL;
	return !shared && !r->exact && a->trace != b->trace;
}

/* Return the first point of [FIRST, END) that is not rejected; END: none. */
static size_t
next_sound(const struct relation *r, size_t first, size_t end)
{
	while (first < end && r->points.at[first].rejected)
		first++;
	return first;
}

static bool
find_link(const struct clock_map *map, const struct relation *r, bool at_b, int64_t time,
	  struct clocks_link *link)
{
	size_t low = 0, high = r->points.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		size_t probe = at_b ? next_sound(r, middle, high) : middle;
		if (probe < high && !end_time(map, r, &r->points.at[probe], at_b, link))
			return false;
		if (probe < high && (at_b ? link->time_b : link->time_a) < time)
			low = probe + 1;
		else
			high = middle;
	}
	low = at_b ? next_sound(r, low, r->points.count) : low;
	if (low == r->points.count)
		return false;
	const struct relation_point *p = &r->points.at[low];
	link->rejected = p->rejected;
	return end_time(map, r, p, false, link) && end_time(map, r, p, true, link);
}

bool
clocks_find_link(struct clocks *clocks, size_t relation, bool at_b, int64_t time,
		 struct clocks_link *link)
{
	pthread_rwlock_rdlock(&clocks->map_lock);
	const struct clock_map *map = clocks->map;
	const struct relation *r =
	    relation < map->graph.relations.count ? map->graph.relations.at[relation] : NULL;
	bool found = r && is_between_traces(map, r) && find_link(map, r, at_b, time, link);
	pthread_rwlock_unlock(&clocks->map_lock);
	return found;
}

/* --- ties of the user -------------------------------------------------- */

/* Convert TICKS of a sender's clock to those of its trace's clock. Return false if the two are
 * not related. */
static bool
main_ticks(const struct clock_map *map, size_t clock, size_t main, uint64_t *ticks)
{
	for (size_t i = 0; i < map->graph.relations.count; i++) {
		const struct relation *r = map->graph.relations.at[i];
		relation_ticks from = (relation_ticks)*ticks << RELATION_FRACTION, to;
		double error = 0;
		if (r->a != clock || r->b != main)
			continue;
		if (!relation_convert(r, false, RELATION_NOWHERE, from, &to, &error) || to < 0)
			return false;
		*ticks = (uint64_t)(to >> RELATION_FRACTION);
		return true;
	}
	return false;
}

/* Describe the time of a message in the terms of a profile. Return false if that is impossible. */
static bool
name_time(const struct clock_map *map, struct trace *trace, const struct message *m,
	  struct sync_end *end)
{
	size_t number = trace_number(trace);
	const struct trace_clocks *own = &map->traces.at[number];
	size_t clock = clock_map_find(map, number, m, trace);
	*end = (struct sync_end){
	    .trace = (char *)trace_name(trace), .ticks = clock_map_ticks(own, m), .core = -1};
	if (!(m->flags & MESSAGE_TIMED) && !own->by_offset)
		return false;
	if (clock == own->main)
		return true;
	if (map->ids.at[clock].kind != CLOCK_CORE)
		return main_ticks(map, clock, own->main, &end->ticks);
	end->core = (int64_t)map->ids.at[clock].key;
	return true;
}

static bool
same_end(const struct sync_end *x, const struct sync_end *y)
{
	return !strcmp(x->trace, y->trace) && x->ticks == y->ticks && x->core == y->core;
}

size_t
clocks_find_equal_tie(const struct clocks *clocks, const struct sync_options *tie)
{
	for (size_t i = 0; i < clocks->ties.count; i++) {
		const struct sync_options *own = &clocks->ties.at[i];
		if ((same_end(&own->a, &tie->a) && same_end(&own->b, &tie->b)) ||
		    (same_end(&own->a, &tie->b) && same_end(&own->b, &tie->a)))
			return i;
	}
	return SIZE_MAX;
}

int
clocks_tie(struct clocks *clocks, struct trace *a, const struct message *m, struct trace *b,
	   const struct message *n, struct err *err)
{
	struct sync_options tie = {.kind = SYNC_TIE, .logger = -1, .core = -1};
	size_t equal;
	pthread_rwlock_rdlock(&clocks->map_lock);
	bool timed = name_time(clocks->map, a, m, &tie.a) && name_time(clocks->map, b, n, &tie.b);
	bool same =
	    timed && clock_map_end(clocks->map, &tie.a) == clock_map_end(clocks->map, &tie.b);
	pthread_rwlock_unlock(&clocks->map_lock);
	if (!timed)
		return err_set(err, ERR_USAGE,
			       "a message without a time cannot be tied; mark one that has a time");
	if (same)
		return err_set(err, ERR_USAGE, "both have the same clock");
	if ((equal = clocks_find_equal_tie(clocks, &tie)) != SIZE_MAX)
		return err_set(err, ERR_USAGE,
			       "these times are tied already; :untie %zu removes that tie",
			       equal + 1);
	clocks_add_ties(clocks, &tie, 1);
	return 0;
}

size_t
clocks_find_tie(struct clocks *clocks, struct trace *trace, const struct message *m)
{
	struct sync_end end;
	size_t i = clocks->ties.count;
	pthread_rwlock_rdlock(&clocks->map_lock);
	bool timed = name_time(clocks->map, trace, m, &end);
	pthread_rwlock_unlock(&clocks->map_lock);
	while (timed && i--)
		if (same_end(&clocks->ties.at[i].a, &end) || same_end(&clocks->ties.at[i].b, &end))
			return i;
	return SIZE_MAX;
}

static const struct sync_end *
tie_end(const struct clocks *clocks, size_t number, bool at_b)
{
	return at_b ? &clocks->ties.at[number].b : &clocks->ties.at[number].a;
}

bool
clocks_tie_end(struct clocks *clocks, size_t number, bool at_b, size_t *trace, int64_t *order)
{
	const struct sync_end *end = tie_end(clocks, number, at_b);
	struct graph_time time;
	pthread_rwlock_rdlock(&clocks->map_lock);
	const struct clock_map *map = clocks->map;
	size_t clock = clock_map_end(map, end);
	bool found = clock != SIZE_MAX && graph_time(&map->graph, clock, end->ticks,
						     map->traces.count, RELATION_NOWHERE, &time);
	if (found) {
		*trace = map->ids.at[clock].trace;
		*order = time.known ? time.nanoseconds : (int64_t)(time.ticks >> RELATION_FRACTION);
		found = !__builtin_add_overflow(*order, map->traces.at[*trace].shift, order);
	}
	pthread_rwlock_unlock(&clocks->map_lock);
	return found;
}

bool
clocks_is_tie_end(struct clocks *clocks, size_t number, bool at_b, struct trace *trace,
		  const struct message *m)
{
	struct sync_end end;
	pthread_rwlock_rdlock(&clocks->map_lock);
	bool timed = name_time(clocks->map, trace, m, &end);
	pthread_rwlock_unlock(&clocks->map_lock);
	return timed && same_end(&end, tie_end(clocks, number, at_b));
}

void
clocks_untie(struct clocks *clocks, size_t number)
{
	job_lock(&clocks->job);
	struct sync_options *tie = &clocks->ties.at[number];
	option_release(&sync_options_table, tie);
	memmove(tie, tie + 1, (--clocks->ties.count - number) * sizeof *tie);
	clocks->tied = true;
	job_unlock(&clocks->job);
	job_wake(&clocks->job);
}

const struct sync_options *
clocks_ties(const struct clocks *clocks, size_t *count)
{
	*count = clocks->ties.count;
	return clocks->ties.at;
}

void
clocks_add_ties(struct clocks *clocks, const struct sync_options *ties, size_t count)
{
	job_lock(&clocks->job);
	for (size_t i = 0; i < count; i++) {
		struct sync_options *tie = vec_add(&clocks->ties);
		*tie = ties[i];
		tie->a.trace = mem_text(ties[i].a.trace);
		tie->b.trace = mem_text(ties[i].b.trace);
	}
	clocks->tied = true;
	job_unlock(&clocks->job);
	job_wake(&clocks->job);
}

/* --- description ---------------------------------------------------------- */

static void
describe_tie(const struct sync_options *tie, size_t number, struct text *out)
{
	text_addf(out, "tie %zu: %s %llu - %s %llu\n", number, tie->a.trace,
		  (unsigned long long)tie->a.ticks, tie->b.trace, (unsigned long long)tie->b.ticks);
}

/* Append the user's ties, as lines and in the form of a profile. */
static void
describe_ties(const struct clocks *clocks, struct text *out)
{
	static const struct option_row row = {
	    .name = "sync", .type = OPTION_LIST, .table = &sync_options_table};
	static const struct option_table table = {
	    .name = "ties", .size = sizeof(struct option_list), .rows = &row, .count = 1};
	struct option_list ties = {clocks->ties.at, clocks->ties.count};
	for (size_t i = 0; i < ties.count; i++)
		describe_tie(&clocks->ties.at[i], i + 1, out);
	if (ties.count)
		option_write(&table, &ties, out);
}

bool
clocks_reference(struct clocks *clocks, const struct trace *trace, struct text *name,
		 double *residual)
{
	pthread_rwlock_rdlock(&clocks->map_lock);
	bool found = clock_map_reference(clocks->map, trace_number(trace), name, residual);
	pthread_rwlock_unlock(&clocks->map_lock);
	return found;
}

void
clocks_describe(struct clocks *clocks, struct text *out)
{
	pthread_rwlock_rdlock(&clocks->map_lock);
	clock_map_describe(clocks->map, out);
	pthread_rwlock_unlock(&clocks->map_lock);
	describe_ties(clocks, out);
}
