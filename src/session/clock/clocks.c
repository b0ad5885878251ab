/*
 * The clocks of a session: see clocks.h.
 *
 * A map is made of what clock_points.c finds and of what the profile and the user
 * say: the graph of relation.h, and for each trace which clock its messages have.
 * It is then put in the place of the one before, under a lock, and what asks for
 * times uses it from then on.
 *
 * Cost: a map is made again when the points have grown by an eighth, and at the
 * end; a time takes a lock that is shared, and what relation.c says.
 */
#include "config.h"

#include "session/clock/clocks.h"
#include "base/thread.h"
#include "session/clock/clock_points.h"
#include "session/link/serial.h"
#include "session/session.h"
#include "trace/trace_options.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	CELL_SPAN = 2000000000 /* ns between the bounds of a cell that make one doubtful */
};

static const double NANO = 1e9;

/* A clock that shows seconds between these, 2001 to 2100, counts from 1970. */
static const double WALL_FROM = 1e9, WALL_TO = 4.1e9;

/* --- what there is ----------------------------------------------------- */

/* A sender with a clock of its own. */
struct client {
	size_t clock;
	struct clock_owner sender;
};

/* What the clocks of a trace's messages are, in a map. */
struct trace_clocks {
	size_t main;
	size_t own; /* of the senders' time stamps by their stated rate, or SIZE_MAX */
	bool by_place;
	VEC(struct keyed {
		uint64_t key;
		size_t clock;
	}) others; /* by origin or core */
	VEC(struct client) clients;
	int64_t shift; /* nanoseconds, of the profile's offset */
};

struct clock_map {
	struct graph graph;
	VEC(struct clock_id) ids;	 /* of the graph's clocks */
	VEC(struct trace_clocks) traces; /* as in the session */
};

struct clocks {
	struct session *session;
	struct clock_points points;
	struct background thread;
	bool notifies;	 /* the session, of what is new */
	uint64_t mapped; /* points in the map */
	bool mapped_all; /* and then all was known */

	pthread_mutex_t lock; /* of ties; only the owner changes them */
	VEC(struct sync_options) ties;
	bool tied; /* or untied, since the last map */

	pthread_rwlock_t map_lock;
	struct clock_map *map;
	atomic_uint generation;
	atomic_bool settled;
};

static const struct clock_id wall_id = {.kind = CLOCK_WALL};

/* --- the clocks of messages -------------------------------------------- */

/* What distinguishes the clocks of a trace's messages apart. */
static uint64_t
clock_key(const struct trace *trace, const struct message *m)
{
	const struct clock_source *source = clock_source_of(trace);
	return source && source->key ? source->key(m) : m->origin;
}

static size_t
clock_of(const struct clock_map *map, size_t number, const struct message *m,
	 const struct trace *trace)
{
	const struct trace_clocks *own = &map->traces.at[number];
	if (!own->others.count)
		return own->main;
	uint64_t key = clock_key(trace, m);
	for (size_t i = 0; i < own->others.count; i++)
		if (own->others.at[i].key == key)
			return own->others.at[i].clock;
	return own->main;
}

static uint64_t
ticks_of(const struct trace_clocks *own, const struct message *m)
{
	return own->by_place ? message_place(m) : m->ticks;
}

/* --- the map ----------------------------------------------------------- */

static void
name_clock(struct clocks *clocks, const struct clock_id *id, struct text *out)
{
	static const char *const words[] = {[CLOCK_TRACE] = "",
					    [CLOCK_GROUP] = " and its kin",
					    [CLOCK_PLACES] = " places",
					    [CLOCK_CORE] = " core ",
					    [CLOCK_CLIENT] = " sender ",
					    [CLOCK_HART] = " hart ",
					    [CLOCK_STAMPS] = " time stamps",
					    [CLOCK_ORIGIN] = " sender ",
					    [CLOCK_STEADY] = " seconds"};
	if (id->kind == CLOCK_WALL || id->kind == CLOCK_GLOBAL) {
		text_add(out, id->kind == CLOCK_WALL ? "wall clock" : "global time");
		return;
	}
	text_addf(out, "%s%s", trace_name(clocks->session->traces.at[id->trace]), words[id->kind]);
	if (id->kind == CLOCK_CORE || id->kind == CLOCK_HART)
		text_addf(out, "%llu", (unsigned long long)id->key);
}

/* The clock, added where it is not there yet. */
static size_t
map_clock(struct clocks *clocks, struct clock_map *map, const struct clock_id *id, double hz,
	  bool wall)
{
	for (size_t i = 0; i < map->ids.count; i++) {
		struct graph_clock *clock = &map->graph.clocks.at[i];
		if (!clock_id_same(&map->ids.at[i], id))
			continue;
		if (!clock->rate.numerator)
			clock->rate = relation_rate_of(hz);
		return i;
	}
	struct text name = {0};
	name_clock(clocks, id, &name);
	*vec_add(&map->ids) = *id;
	size_t clock = graph_add_clock(&map->graph, text_get(&name), relation_rate_of(hz), wall);
	text_free(&name);
	return clock;
}

/* A relation by definition: tick 0 of A is tick B of the other. */
static void
map_exact(struct clock_map *map, const char *kind, size_t a, size_t b)
{
	struct relation *r = graph_add_relation(&map->graph, kind, a, b);
	r->exact = true;
	relation_add(r, 0, 0, RELATION_NOWHERE);
}

static bool
has_relation(const struct clock_map *map, const char *kind, size_t a)
{
	for (size_t i = 0; i < map->graph.relations.count; i++)
		if (map->graph.relations.at[i]->a == a &&
		    !strcmp(map->graph.relations.at[i]->kind, kind))
			return true;
	return false;
}

static void
map_wall(struct clocks *clocks, struct clock_map *map, size_t clock)
{
	size_t wall = map_clock(clocks, map, &wall_id, NANO, true);
	map_exact(map, "epoch", clock, wall);
}

/* Ticks and nanoseconds that no stream gets to unless it lies. */
#define FAR ((uint64_t)1 << 50)
#define FAR_NS 9e18L

static long double
ticks_to_nanoseconds(uint64_t ticks, uint64_t hz)
{
	return (long double)ticks * 1e9L / (long double)hz;
}

/* Where the rate of an STP stream changes, its ticks become nanoseconds piece by
 * piece. */
static void
map_rates(struct clocks *clocks, struct clock_map *map, struct clock_feed *feed, size_t own)
{
	if (feed->rates.count < 2 || trace_options(feed->trace)->clock.hz > 0)
		return;
	struct clock_id id = {.kind = CLOCK_STEADY, .trace = feed->number};
	size_t steady = map_clock(clocks, map, &id, NANO, false);
	struct relation *r = graph_add_relation(&map->graph, "STP frequency", own, steady);
	r->exact = true;
	uint64_t from = 0, hz = feed->rates.at[0].hz;
	long double ns = 0;
	relation_add(r, 0, 0, 0);
	for (size_t i = 1; i < feed->rates.count; i++) {
		const struct rate_change *change = &feed->rates.at[i];
		if (change->ticks <= from)
			continue;
		long double then = ns + ticks_to_nanoseconds(change->ticks - from, hz);
		if (then > FAR_NS)
			break;
		ns = then;
		relation_add(r, change->ticks, (uint64_t)ns, change->ticks);
		from = change->ticks;
		hz = change->hz;
	}
	/* and on to where no message will be */
	uint64_t far = UINT64_MAX - from < FAR ? UINT64_MAX - from : FAR;
	while (ns + ticks_to_nanoseconds(far, hz) > FAR_NS)
		far /= 2;
	if (far)
		relation_add(r, from + far, (uint64_t)(ns + ticks_to_nanoseconds(far, hz)),
			     from + far);
	map->graph.clocks.at[own].rate = (struct relation_rate){0, 1};
}

/* Senders' own time stamps count from 1970, if the profile says so. */
static size_t
map_stamps(struct clocks *clocks, struct clock_map *map, const struct clock_feed *feed)
{
	struct clock_id id = {.kind = CLOCK_STAMPS, .trace = feed->number};
	double hz = trace_decoder(feed->trace)->stamp_hz;
	if (!(hz > 0))
		return SIZE_MAX;
	size_t clock = map_clock(clocks, map, &id, hz, false);
	map_wall(clocks, map, clock);
	return clock;
}

static void
map_traces(struct clocks *clocks, struct clock_map *map)
{
	for (size_t i = 0; i < clocks->points.feeds.count; i++) {
		struct trace *trace = clocks->points.feeds.at[i].trace;
		struct clock_feed *feed = &clocks->points.feeds.at[i];
		struct trace_clock clock = trace_clock(trace);
		struct trace_clocks *own = vec_add(&map->traces);
		struct clock_id id = clock_id_of(clocks->session, i);
		if (!(clock.hz > 0) && feed->rates.count)
			clock.hz = (double)feed->rates.at[0].hz;
		own->by_place = id.kind == CLOCK_PLACES;
		own->main = map_clock(clocks, map, &id, own->by_place ? 0 : clock.hz, false);
		if (clock.has_epoch && clock.hz > 0 && !has_relation(map, "epoch", own->main))
			map_wall(clocks, map, own->main);
		map_rates(clocks, map, feed, own->main);
		own->own = map_stamps(clocks, map, feed);
	}
}

static double
rate_of_b(const struct clock_link *link)
{
	return link->configured_hz_b > 0 ? link->configured_hz_b : link->hz_b;
}

/* A client's clock that shows a date is one. */
static bool
shows_date(const struct clock_link *link)
{
	double hz = rate_of_b(link);
	if (link->b.kind != CLOCK_CLIENT || !(hz > 0) || !link->points.points.count)
		return false;
	double seconds = (double)link->points.points.at[0].b / hz;
	return seconds > WALL_FROM && seconds < WALL_TO;
}

/* What messages find a link's clock by. */
static void
map_senders(struct clocks *clocks, struct clock_map *map, const struct clock_link *link, size_t a,
	    size_t b)
{
	if (link->b.kind == CLOCK_CLIENT)
		*vec_add(&map->traces.at[link->b.trace].clients) = (struct client){b, link->sender};
	if (link->a.kind == CLOCK_ORIGIN)
		*vec_add(&map->traces.at[link->a.trace].others) = (struct keyed){link->a.key, a};
	if (shows_date(link) && !has_relation(map, "epoch", b))
		map_wall(clocks, map, b);
}

static void
map_link(struct clocks *clocks, struct clock_map *map, const struct clock_link *link)
{
	size_t a = map_clock(clocks, map, &link->a, link->hz_a, false);
	size_t b = map_clock(clocks, map, &link->b, rate_of_b(link), false);
	struct relation *r = graph_add_relation(&map->graph, link->kind, a, b);
	r->uneven = link->uneven;
	r->owner = link->owner;
	r->seen = link->points.seen;
	r->stride = link->points.stride;
	vec_reserve(&r->points, link->points.points.count);
	for (size_t i = 0; i < link->points.points.count; i++)
		*vec_add(&r->points) = link->points.points.at[i];
	map_senders(clocks, map, link, a, b);
}

/* The cores of a UIA trace: the first is what its other messages go by. */
static void
map_cores(struct clocks *clocks, struct clock_map *map)
{
	for (size_t i = 0; i < map->ids.count; i++) {
		const struct clock_id id = map->ids.at[i];
		if (id.kind != CLOCK_CORE)
			continue;
		struct trace_clocks *own = &map->traces.at[id.trace];
		struct trace_clock clock = trace_clock(clocks->session->traces.at[id.trace]);
		if (!own->others.count) {
			if (!map->graph.clocks.at[i].rate.numerator)
				map->graph.clocks.at[i].rate = relation_rate_of(clock.hz);
			own->main = i;
		}
		*vec_add(&own->others) = (struct keyed){id.key, i};
	}
}

/* --- what the profile and the user say --------------------------------- */

static struct trace *
trace_named(const struct session *session, const char *name)
{
	for (size_t i = 0; name && i < session->traces.count; i++)
		if (!strcmp(trace_name(session->traces.at[i]), name))
			return session->traces.at[i];
	return NULL;
}

static int
compare_points(const void *x, const void *y)
{
	const struct relation_point *a = x, *b = y;
	return (a->a > b->a) - (a->a < b->a);
}

/* The relation of ties between two clocks. */
static void
map_tie(struct clock_map *map, size_t a, size_t b, uint64_t ticks_a, uint64_t ticks_b)
{
	struct relation *r = NULL;
	for (size_t i = 0; i < map->graph.relations.count && !r; i++) {
		struct relation *other = map->graph.relations.at[i];
		bool same = (other->a == a && other->b == b) || (other->a == b && other->b == a);
		if (same && !strcmp(other->kind, "tie"))
			r = other;
	}
	if (a == b)
		return;
	if (!r)
		r = graph_add_relation(&map->graph, "tie", a, b);
	relation_add(r, r->a == a ? ticks_a : ticks_b, r->a == a ? ticks_b : ticks_a, 0);
	qsort(r->points.at, r->points.count, sizeof *r->points.at, compare_points);
}

/* The clock that an end of a tie means; SIZE_MAX: its trace is not open. */
static size_t
clock_of_end(const struct clocks *clocks, const struct clock_map *map, const struct sync_end *end)
{
	struct trace *trace = trace_named(clocks->session, end->trace);
	if (!trace)
		return SIZE_MAX;
	const struct trace_clocks *own = &map->traces.at[trace_number(trace)];
	for (size_t i = 0; end->core >= 0 && i < own->others.count; i++)
		if (own->others.at[i].key == (uint64_t)end->core)
			return own->others.at[i].clock;
	return own->main;
}

static void
map_ties(const struct clocks *clocks, struct clock_map *map, const struct sync_options *ties,
	 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t a = clock_of_end(clocks, map, &ties[i].a);
		size_t b = clock_of_end(clocks, map, &ties[i].b);
		if (ties[i].kind == SYNC_TIE && a != SIZE_MAX && b != SIZE_MAX)
			map_tie(map, a, b, ties[i].a.ticks, ties[i].b.ticks);
	}
}

static void
map_all_ties(struct clocks *clocks, struct clock_map *map)
{
	const struct option_list *said = &clocks->session->profile.syncs;
	map_ties(clocks, map, said->at, said->count);
	pthread_mutex_lock(&clocks->lock);
	map_ties(clocks, map, clocks->ties.at, clocks->ties.count);
	clocks->tied = false;
	pthread_mutex_unlock(&clocks->lock);
}

/* The root of the part that others are to be related to: with the wall clock, or
 * else the first trace's. */
static size_t
main_part(const struct clock_map *map)
{
	for (size_t i = 0; i < map->traces.count; i++) {
		size_t root = map->graph.clocks.at[map->traces.at[i].main].root;
		if (map->graph.clocks.at[root].unix_epoch)
			return root;
	}
	return map->graph.clocks.at[map->traces.at[0].main].root;
}

/* An offset corrects the time of a trace of the main part, and relates one that
 * is apart: both clocks began together but for that.  True if it did. */
static bool
map_offset(struct clock_map *map, size_t number, double seconds)
{
	struct trace_clocks *own = &map->traces.at[number];
	size_t part = main_part(map);
	struct relation_rate from = map->graph.clocks.at[own->main].rate;
	struct relation_rate to = map->graph.clocks.at[part].rate;
	if (map->graph.clocks.at[own->main].root == part || !from.numerator || !to.numerator) {
		own->shift = (int64_t)(seconds * NANO + (seconds < 0 ? -0.5 : 0.5));
		return false;
	}
	struct relation *r = graph_add_relation(&map->graph, "offset", own->main, part);
	r->exact = true;
	if (seconds < 0)
		relation_add(r, (uint64_t)(-seconds * relation_rate_hz(from) + 0.5), 0, 0);
	else
		relation_add(r, 0, (uint64_t)(seconds * relation_rate_hz(to) + 0.5), 0);
	return true;
}

static void
map_offsets(struct clocks *clocks, struct clock_map *map)
{
	const struct sync_options *syncs = clocks->session->profile.syncs.at;
	for (size_t i = 0; i < clocks->session->profile.syncs.count; i++) {
		struct trace *trace = trace_named(clocks->session, syncs[i].trace);
		if (syncs[i].kind == SYNC_OFFSET && trace &&
		    map_offset(map, trace_number(trace), syncs[i].seconds))
			graph_settle(&map->graph);
	}
}

/* --- making maps ------------------------------------------------------- */

static void
map_free(struct clock_map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->traces.count; i++) {
		vec_free(&map->traces.at[i].others);
		vec_free(&map->traces.at[i].clients);
	}
	vec_free(&map->traces);
	vec_free(&map->ids);
	graph_free(&map->graph);
	free(map);
}

static struct clock_map *
map_make(struct clocks *clocks)
{
	struct clock_map *map = mem_new(sizeof *map);
	map_traces(clocks, map);
	for (size_t i = 0; i < clocks->points.links.count; i++)
		map_link(clocks, map, clocks->points.links.at[i]);
	map_cores(clocks, map);
	map_all_ties(clocks, map);
	graph_settle(&map->graph);
	map_offsets(clocks, map);
	return map;
}

static void
publish_map(struct clocks *clocks, struct clock_map *map)
{
	pthread_rwlock_wrlock(&clocks->map_lock);
	struct clock_map *before = clocks->map;
	clocks->map = map;
	pthread_rwlock_unlock(&clocks->map_lock);
	map_free(before);
	atomic_fetch_add(&clocks->generation, 1);
	for (size_t i = 0; i < clocks->session->traces.count; i++)
		trace_bump_generation(clocks->session->traces.at[i]);
}

/* Does what can be done now. */
static void
clocks_run(void *context)
{
	struct clocks *clocks = context;
	bool stale = clock_points_look(&clocks->points);
	bool all = clock_points_are_all(&clocks->points);
	uint64_t points = clock_points_count(&clocks->points);
	pthread_mutex_lock(&clocks->lock);
	bool tied = clocks->tied;
	pthread_mutex_unlock(&clocks->lock);
	bool grown =
	    points > clocks->mapped + clocks->mapped / 8 || (all && points != clocks->mapped);
	if (grown || stale || tied) {
		clocks->mapped = points;
		publish_map(clocks, map_make(clocks));
	}
	bool news = grown || stale || tied || all != clocks->mapped_all;
	clocks->mapped_all = all;
	atomic_store(&clocks->settled, all);
	if (news && clocks->notifies)
		session_tell(clocks->session);
}

struct clocks *
clocks_new(struct session *session)
{
	struct clocks *clocks = mem_new(sizeof *clocks);
	clocks->session = session;
	background_init(&clocks->thread, clocks_run, clocks);
	pthread_mutex_init(&clocks->lock, NULL);
	pthread_rwlock_init(&clocks->map_lock, NULL);
	clock_points_open(&clocks->points, session, &clocks->thread);
	clocks->map = map_make(clocks); /* what needs no capture */
	return clocks;
}

void
clocks_free(struct clocks *clocks)
{
	if (!clocks)
		return;
	background_stop(&clocks->thread);
	clock_points_close(&clocks->points);
	for (size_t i = 0; i < clocks->ties.count; i++)
		option_release(&sync_options_table, &clocks->ties.at[i]);
	vec_free(&clocks->ties);
	map_free(clocks->map);
	pthread_rwlock_destroy(&clocks->map_lock);
	pthread_mutex_destroy(&clocks->lock);
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
		if (capture_ended(trace_capture(trace)))
			trace_build(trace);
	}
	clocks_run(clocks);
}

void
clocks_start(struct clocks *clocks)
{
	clocks->notifies = true;
	background_start(&clocks->thread);
}

void
clocks_wake(struct clocks *clocks)
{
	background_wake(&clocks->thread);
}

unsigned
clocks_generation(const struct clocks *clocks)
{
	return atomic_load(&clocks->generation);
}

bool
clocks_are_settled(const struct clocks *clocks)
{
	return atomic_load(&clocks->settled);
}

/* --- times ------------------------------------------------------------- */

/* The clock of M's sender: known for its port, else for the sender itself, else for
 * its group of ports; SIZE_MAX if there is none. */
static size_t
client_of(const struct trace_clocks *own, const struct trace *trace, const struct message *m)
{
	const struct clock_source *source = clock_source_of(trace);
	struct clock_owner sender = source->owner(m);
	size_t best = SIZE_MAX;
	int quality = 0;
	for (size_t i = 0; i < own->clients.count; i++) {
		const struct client *client = &own->clients.at[i];
		int fits = client->sender.port == sender.port		    ? 3
			   : client->sender.origin == sender.origin	    ? 2
			   : client->sender.port >> 16 == sender.port >> 16 ? 1
									    : 0;
		if (fits > quality) {
			quality = fits;
			best = client->clock;
		}
	}
	return best;
}

static bool
time_of(const struct clock_map *map, size_t number, size_t clock, uint64_t ticks,
	const struct message *m, struct message_time *time)
{
	struct graph_time found;
	if (!graph_time(&map->graph, clock, ticks, number, message_place(m), &found))
		return false;
	const struct graph_clock *root = &map->graph.clocks.at[found.root];
	int64_t whole = (int64_t)(found.instant >> RELATION_FRACTION);
	*time = (struct message_time){.nanoseconds = found.nanoseconds,
				      .error = found.error,
				      .part = found.root,
				      .known = found.known,
				      .wall = root->unix_epoch,
				      .plain = found.root == clock,
				      .order = found.known ? found.nanoseconds : whole};
	return found.known || !root->rate.numerator;
}

/* The time by the sender's CLOCK, if that makes sense. */
static bool
own_time(const struct clock_map *map, size_t clock, size_t number, const struct message *m,
	 uint64_t ticks, struct message_time *time)
{
	struct message_time own;
	bool sound =
	    clock != SIZE_MAX && time_of(map, number, clock, ticks, m, &own) && own.known &&
	    own.part == time->part &&
	    fabs((double)own.nanoseconds - (double)time->nanoseconds) < (double)CLOCKS_OWN_APART;
	if (sound)
		*time = own;
	return sound;
}

/* Without clocks: by the rate of the trace. */
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

/* By the map: the sender's own time where that is known. */
static bool
mapped_time(const struct clock_map *map, struct trace *trace, size_t number,
	    const struct message *m, const struct expansion *own, struct message_time *time)
{
	const struct trace_clocks *has = &map->traces.at[number];
	if (!(m->flags & MESSAGE_TIMED) && !has->by_place)
		return false;
	if (!time_of(map, number, clock_of(map, number, m, trace), ticks_of(has, m), m, time))
		return false;
	if (own && own->has_sender_time && clock_is_transported(trace) &&
	    !own_time(map, has->own, number, m, own->sender_time, time))
		own_time(map, client_of(has, trace, m), number, m, own->sender_time, time);
	if (__builtin_add_overflow(time->nanoseconds, has->shift, &time->nanoseconds))
		return false;
	if (time->known)
		time->order = time->nanoseconds;
	time->plain &= !has->shift && !has->clients.count && has->own == SIZE_MAX;
	time->estimated = m->flags & MESSAGE_ESTIMATED || (has->by_place && time->error > 2);
	return true;
}

bool
clocks_time(struct trace *trace, const struct message *m, const struct expansion *own,
	    struct message_time *time)
{
	struct session *session = session_of(trace);
	struct clocks *clocks = session->clocks;
	*time = (struct message_time){0};
	if (!clocks)
		return plain_time(trace, m, time);
	pthread_rwlock_rdlock(&clocks->map_lock);
	size_t number = trace_number(trace);
	bool any = number < clocks->map->traces.count &&
		   mapped_time(clocks->map, trace, number, m, own, time);
	pthread_rwlock_unlock(&clocks->map_lock);
	return any;
}

size_t
clocks_part(struct trace *trace)
{
	struct session *session = session_of(trace);
	pthread_rwlock_rdlock(&session->clocks->map_lock);
	const struct clock_map *map = session->clocks->map;
	size_t main = map->traces.at[trace_number(trace)].main;
	size_t part = map->graph.clocks.at[main].root;
	pthread_rwlock_unlock(&session->clocks->map_lock);
	return part;
}

/* Whether all messages of a trace have its main clock. */
static bool
has_one_clock(const struct trace_clocks *own)
{
	return !own->others.count ||
	       (own->others.count == 1 && own->others.at[0].clock == own->main);
}

/* Whether the way from a trace's main clock goes through no steps. */
static bool
is_steady(const struct clock_map *map, size_t number)
{
	const struct graph_clock *clock = &map->graph.clocks.at[map->traces.at[number].main];
	while (clock->towards && clock->towards->segments.count < 2)
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
	nature.placed = has->by_place;
	nature.own = clock_is_transported(trace) && (has->own != SIZE_MAX || has->clients.count);
	const struct graph *graph = &clocks->map->graph;
	const struct graph_clock *root = &graph->clocks.at[graph->clocks.at[has->main].root];
	nature.known = root->rate.numerator;
	nature.wall = root->unix_epoch;
	nature.rising = !has->by_place && has_one_clock(has) && is_steady(clocks->map, number);
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

/* Whether the largest tick of a cell is its latest time even if the clock starts
 * again in it. */
static bool
is_in_one_piece(const struct clock_map *map, size_t number)
{
	const struct relation *r = map->graph.clocks.at[map->traces.at[number].main].towards;
	return !r || r->owner != number || r->segments.count < 2;
}

/* What gives the times of a cell from its bounds. */
struct cell_clock {
	bool one;	 /* one clock does */
	bool by_place;	 /* not ticks, but places */
	bool in_pieces;	 /* if the cell lies in one piece of its relation */
	uint64_t origin; /* of a message of that clock */
};

static struct cell_clock
clock_of_cell(struct trace *trace, const struct index_cell *summary)
{
	struct session *session = session_of(trace);
	struct cell_clock clock = {.one = true};
	size_t number = trace_number(trace);
	if (!session->clocks)
		return clock;
	pthread_rwlock_rdlock(&session->clocks->map_lock);
	const struct clock_map *map = session->clocks->map;
	const struct trace_clocks *own = &map->traces.at[number];
	clock.one = has_one_clock(own);
	clock.in_pieces = summary->flags & CELL_TIME_BACK && !is_in_one_piece(map, number);
	clock.by_place = own->by_place;
	clock.origin = own->others.count ? UINT64_MAX : 0; /* no core's: the main clock */
	pthread_rwlock_unlock(&session->clocks->map_lock);
	return clock;
}

/* The time of a bound at the end of the cell; in pieces only if it would be the
 * same at its beginning, so that no piece begins in between. */
static bool
bound_time(struct trace *trace, const struct cell_clock *clock, const struct message *bound,
	   uint64_t begin, int64_t *order)
{
	struct message_time time, other;
	struct message first = *bound;
	first.offset = begin;
	if (!clocks_time(trace, bound, NULL, &time))
		return false;
	*order = time.order;
	return !clock->in_pieces ||
	       (clocks_time(trace, &first, NULL, &other) && other.order == time.order);
}

bool
clocks_cell_span(struct trace *trace, uint64_t cell, const struct index_cell *summary,
		 int64_t *from, int64_t *to)
{
	uint64_t size = index_cell_size(trace_index(trace)), begin = cell * size;
	struct cell_clock clock = clock_of_cell(trace, summary);
	struct message bound = {
	    .offset = begin + size - 1, .origin = clock.origin, .flags = MESSAGE_TIMED};
	int64_t first, last;
	*from = INT64_MAX;
	*to = INT64_MIN;
	if (!clock.one)
		return false;
	if (clock.by_place ? !summary->count : !(summary->flags & CELL_TIMED))
		return true;
	bound.ticks = summary->time_max;
	if (!bound_time(trace, &clock, &bound, begin, &last))
		return clock.by_place;
	bound.ticks = summary->time_min;
	bound.offset = clock.by_place ? begin : bound.offset;
	if (!bound_time(trace, &clock, &bound, begin, &first))
		return false;
	*from = first;
	*to = last;
	return true;
}

bool
clocks_cell_time(struct trace *trace, uint64_t cell, const struct index_cell *summary,
		 int64_t *order)
{
	int64_t from;
	bool known = clocks_cell_span(trace, cell, summary, &from, order);
	bool apart = from < *order && (uint64_t)*order - (uint64_t)from > CELL_SPAN;
	/* where time steps back, a bound that is far off may be one's alone */
	return known && !(summary->flags & CELL_TIME_BACK && apart);
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

/* When a point of a relation was, by the clock of a trace at one of its ends. */
static bool
end_time(const struct clock_map *map, const struct relation *r, const struct relation_point *p,
	 bool at_b, struct clocks_link *link)
{
	struct graph_time found;
	size_t clock = at_b ? r->b : r->a, trace = map->ids.at[clock].trace;
	/* ties have no places, nor has a trace that there is not */
	size_t owner = r->owner == SIZE_MAX ? map->traces.count : r->owner;
	int64_t *time = at_b ? &link->time_b : &link->time_a;
	if (!graph_time(&map->graph, clock, at_b ? p->b : p->a, owner, p->place, &found))
		return false;
	*time = found.known ? found.nanoseconds : (int64_t)(found.instant >> RELATION_FRACTION);
	*(at_b ? &link->b : &link->a) = trace;
	link->part = found.root;
	return !__builtin_add_overflow(*time, map->traces.at[trace].shift, time);
}

/* Whether a relation is between two traces, by what was found or said. */
static bool
is_between_traces(const struct clock_map *map, const struct relation *r)
{
	const struct clock_id *a = &map->ids.at[r->a], *b = &map->ids.at[r->b];
	bool shared = a->kind == CLOCK_WALL || a->kind == CLOCK_GLOBAL || b->kind == CLOCK_WALL ||
		      b->kind == CLOCK_GLOBAL;
	return !shared && !r->exact && a->trace != b->trace;
}

/* The first point from FIRST on, but before END, that is not rejected. */
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

/* The ticks of its trace's clock when the clock of a sender, which is related to
 * that, shows TICKS. */
static bool
main_ticks(const struct clock_map *map, size_t clock, size_t main, uint64_t *ticks)
{
	for (size_t i = 0; i < map->graph.relations.count; i++) {
		const struct relation *r = map->graph.relations.at[i];
		relation_instant from = (relation_instant)*ticks << RELATION_FRACTION, to;
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

/* What a profile says to mean the moment of a message; false: it has no words for
 * that. */
static bool
name_moment(const struct clock_map *map, struct trace *trace, const struct message *m,
	    struct sync_end *end)
{
	size_t number = trace_number(trace);
	const struct trace_clocks *own = &map->traces.at[number];
	size_t clock = clock_of(map, number, m, trace);
	*end = (struct sync_end){
	    .trace = (char *)trace_name(trace), .ticks = ticks_of(own, m), .core = -1};
	if (!(m->flags & MESSAGE_TIMED) && !own->by_place)
		return false;
	if (clock == own->main)
		return true;
	if (map->ids.at[clock].kind != CLOCK_CORE)
		return main_ticks(map, clock, own->main, &end->ticks);
	end->core = (int64_t)map->ids.at[clock].key;
	return true;
}

int
clocks_tie(struct clocks *clocks, struct trace *a, const struct message *m, struct trace *b,
	   const struct message *n, struct err *err)
{
	struct sync_options tie = {.kind = SYNC_TIE, .logger = -1, .core = -1};
	pthread_rwlock_rdlock(&clocks->map_lock);
	bool timed =
	    name_moment(clocks->map, a, m, &tie.a) && name_moment(clocks->map, b, n, &tie.b);
	bool same = timed && clock_of_end(clocks, clocks->map, &tie.a) ==
				 clock_of_end(clocks, clocks->map, &tie.b);
	pthread_rwlock_unlock(&clocks->map_lock);
	if (!timed)
		return err_set(err, ERR_USAGE, "a message without a time cannot be tied");
	if (same)
		return err_set(err, ERR_USAGE, "both have the same clock");
	clocks_add_ties(clocks, &tie, 1);
	background_wake(&clocks->thread);
	return 0;
}

static bool
same_end(const struct sync_end *x, const struct sync_end *y)
{
	return !strcmp(x->trace, y->trace) && x->ticks == y->ticks && x->core == y->core;
}

size_t
clocks_find_tie(struct clocks *clocks, struct trace *trace, const struct message *m)
{
	struct sync_end end;
	size_t i = clocks->ties.count;
	pthread_rwlock_rdlock(&clocks->map_lock);
	bool timed = name_moment(clocks->map, trace, m, &end);
	pthread_rwlock_unlock(&clocks->map_lock);
	while (timed && i--)
		if (same_end(&clocks->ties.at[i].a, &end) || same_end(&clocks->ties.at[i].b, &end))
			return i;
	return SIZE_MAX;
}

void
clocks_untie(struct clocks *clocks, size_t number)
{
	pthread_mutex_lock(&clocks->lock);
	struct sync_options *tie = &clocks->ties.at[number];
	option_release(&sync_options_table, tie);
	memmove(tie, tie + 1, (--clocks->ties.count - number) * sizeof *tie);
	clocks->tied = true;
	pthread_mutex_unlock(&clocks->lock);
	background_wake(&clocks->thread);
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
	pthread_mutex_lock(&clocks->lock);
	for (size_t i = 0; i < count; i++) {
		struct sync_options *tie = vec_add(&clocks->ties);
		*tie = ties[i];
		tie->a.trace = mem_text(ties[i].a.trace);
		tie->b.trace = mem_text(ties[i].b.trace);
	}
	clocks->tied = true;
	pthread_mutex_unlock(&clocks->lock);
}

/* --- words ------------------------------------------------------------- */

static void
add_seconds(double seconds, struct text *out)
{
	static const struct {
		double least, factor;
		const char *unit;
	} units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
	size_t i = 0;
	while (fabs(seconds) < units[i].least)
		i++;
	text_addf(out, "%.3g %s", seconds * units[i].factor, units[i].unit);
}

/* The name of the sender KEY, once a message of it is indexed; several may share
 * it on different channels. */
static void
add_sender(struct trace *trace, uint64_t key, struct text *out)
{
	index_origins origins = {0};
	struct expansion e = {0};
	struct message m;
	struct reader *reader = reader_new(trace);
	index_get_origins(trace_index(trace), &origins);
	for (size_t i = 0; i < origins.count; i++) {
		if (origins.at[i].key != key || !reader_find_origin(reader, &origins.at[i], &m))
			continue;
		reader_expand(reader, &m, EXPAND_FIELDS, &e);
		text_add(out, text_get(&e.origin));
		const struct field *master = expansion_find(&e, "master");
		const struct field *channel = expansion_find(&e, "channel");
		if (master && channel)
			text_addf(out, " (master %llu, channel %llu)",
				  (unsigned long long)master->u, (unsigned long long)channel->u);
	}
	reader_free(reader);
	expansion_free(&e);
	vec_free(&origins);
}

static void
add_clock(struct clocks *clocks, const struct clock_map *map, size_t clock, struct text *out)
{
	const struct clock_id *id = &map->ids.at[clock];
	text_add(out, map->graph.clocks.at[clock].name);
	if (id->kind == CLOCK_CLIENT || id->kind == CLOCK_ORIGIN)
		add_sender(clocks->session->traces.at[id->trace], id->key, out);
}

static void
describe_relation(struct clocks *clocks, const struct clock_map *map, const struct relation *r,
		  struct text *out)
{
	double growth = relation_growth(r);
	add_clock(clocks, map, r->a, out);
	text_add(out, " - ");
	add_clock(clocks, map, r->b, out);
	text_addf(out, ": %s", r->kind);
	if (r->exact && r->points.count < 2) {
		text_add(out, ", by definition\n");
		return;
	}
	text_addf(out, ", %zu points", r->used.count);
	if (r->seen > r->points.count)
		text_addf(out, " of %llu", (unsigned long long)r->seen);
	if (r->rejected)
		text_addf(out, ", %zu rejected", r->rejected);
	if (r->segments.count > 1)
		text_addf(out, ", %zu pieces", r->segments.count);
	if (!isnan(r->ppm))
		text_addf(out, ", %+.3f ppm", r->ppm);
	else if (r->slope > 0)
		text_addf(out, ", rate %.9g", r->slope);
	if (!isnan(r->offset)) {
		text_add(out, ", offset ");
		text_addf(out, "%.9f s", r->offset);
	}
	if (!isnan(r->residual)) {
		text_add(out, ", residual ");
		add_seconds(r->residual, out);
		text_add(out, " (usually ");
		add_seconds(r->rms, out);
		text_add(out, ")");
	}
	if (!isnan(growth)) {
		text_add(out, ", error beyond the points + ");
		add_seconds(growth, out);
		text_add(out, " per s");
	}
	text_add(out, "\n");
}

static void
describe_part(struct clocks *clocks, const struct clock_map *map, size_t root, struct text *out)
{
	const char *between = ": ";
	for (size_t i = 0; i < map->traces.count; i++) {
		if (map->graph.clocks.at[map->traces.at[i].main].root != root)
			continue;
		if (*between == ':')
			add_clock(clocks, map, root, out);
		text_addf(out, "%s%s", between, trace_name(clocks->session->traces.at[i]));
		between = ", ";
	}
	if (*between == ',')
		text_add(out, "\n");
}

static void
describe_tie(const struct sync_options *tie, size_t number, struct text *out)
{
	text_addf(out, "tie %zu: %s %llu - %s %llu\n", number, tie->a.trace,
		  (unsigned long long)tie->a.ticks, tie->b.trace, (unsigned long long)tie->b.ticks);
}

/* The ties of the user, as a profile would say them. */
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

void
clocks_describe(struct clocks *clocks, struct text *out)
{
	pthread_rwlock_rdlock(&clocks->map_lock);
	const struct clock_map *map = clocks->map;
	for (size_t i = 0; i < map->graph.clocks.count; i++)
		if (map->graph.clocks.at[i].root == i)
			describe_part(clocks, map, i, out);
	for (size_t i = 0; i < map->graph.relations.count; i++)
		describe_relation(clocks, map, map->graph.relations.at[i], out);
	pthread_rwlock_unlock(&clocks->map_lock);
	describe_ties(clocks, out);
}
