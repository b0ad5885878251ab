/*
 * Maps of clocks: see clock_map.h.
 */
#include "config.h"

#include "session/clock/clock_map.h"
#include "session/clock/clocks.h"
#include "session/link/sync_options.h"
#include "session/session.h"
#include "trace/trace_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NANO = 1e9;

/* Seconds, 2001 to 2100: a clock in this range counts from 1970. */
static const double WALL_FROM = 1e9, WALL_TO = 4.1e9;

static const struct clock_id wall_id = {.kind = CLOCK_WALL};

/* --- the clocks of messages -------------------------------------------- */

/* Return the key of a message's clock within its trace. */
static uint64_t
clock_key(const struct trace *trace, const struct message *m)
{
	const struct clock_source *source = clock_source_of(trace);
	return source && source->key ? source->key(m) : m->origin;
}

size_t
clock_map_find(const struct clock_map *map, size_t number, const struct message *m,
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

/* Return the key that a client shares with senders that match it by FIT. */
static uint64_t
client_key(const struct clock_owner *sender, enum client_fit fit)
{
	return fit == CLIENT_ORIGIN ? sender->origin
				    : sender->port >> (fit == CLIENT_GROUP ? 16 : 0);
}

static void
add_client(struct trace_clocks *own, const struct clock_client *client)
{
	*vec_add(&own->clients) = *client;
	for (unsigned fit = 0; fit < CLIENT_FITS; fit++) {
		uint64_t *first = map_add(&own->first[fit], client_key(&client->sender, fit));
		*first = *first ? *first : own->clients.count;
	}
}

size_t
clock_map_client(const struct trace_clocks *own, const struct clock_owner *sender)
{
	for (unsigned fit = 0; fit < CLIENT_FITS; fit++) {
		const uint64_t *first = map_find(&own->first[fit], client_key(sender, fit));
		if (first)
			return own->clients.at[*first - 1].clock;
	}
	return SIZE_MAX;
}

uint64_t
clock_map_ticks(const struct trace_clocks *own, const struct message *m)
{
	return own->by_offset ? message_id_offset(m) : m->ticks;
}

/* --- the map ----------------------------------------------------------- */

static void
name_clock(const struct clock_map *map, const struct clock_id *id, struct text *out)
{
	static const char *const words[] = {[CLOCK_TRACE] = "",
					    [CLOCK_GROUP] = "",
					    [CLOCK_OFFSETS] = " places",
					    [CLOCK_CORE] = " core ",
					    [CLOCK_CLIENT] = " sender ",
					    [CLOCK_HART] = " hart ",
					    [CLOCK_TIMESTAMPS] = " time stamps",
					    [CLOCK_ORIGIN] = " sender ",
					    [CLOCK_STEADY] = " seconds"};
	if (id->kind == CLOCK_WALL || id->kind == CLOCK_GLOBAL) {
		text_add(out, id->kind == CLOCK_WALL ? "wall clock" : "global time");
		return;
	}
	text_addf(out, "%s%s%s", id->kind == CLOCK_GROUP ? "group " : "",
		  trace_name(map->session->traces.at[id->trace]), words[id->kind]);
	if (id->kind == CLOCK_CORE || id->kind == CLOCK_HART)
		text_addf(out, "%llu", (unsigned long long)id->key);
}

/* Return the clock's number; add it if it is new. */
static size_t
map_clock(struct clock_map *map, const struct clock_id *id, double hz, bool wall)
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
	name_clock(map, id, &name);
	*vec_add(&map->ids) = *id;
	size_t clock = graph_add_clock(&map->graph, text_get(&name), relation_rate_of(hz), wall);
	text_free(&name);
	return clock;
}

/* Add a relation by definition, in which both clocks show 0 at the same time. */
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
map_wall(struct clock_map *map, size_t clock)
{
	size_t wall = map_clock(map, &wall_id, NANO, true);
	map_exact(map, "epoch", clock, wall);
}

/* Ticks and nanoseconds beyond the end of any real stream. */
#define FAR ((uint64_t)1 << 50)
#define FAR_NS 9e18L

static long double
ticks_to_nanoseconds(uint64_t ticks, uint64_t hz)
{
	return (long double)ticks * 1e9L / (long double)hz;
}

/* Relate the ticks of an STP stream to nanoseconds where its rate changes, in linear pieces. */
static void
map_rates(struct clock_map *map, const struct clock_feed *feed, size_t own)
{
	if (feed->rates.count < 2 || trace_options(feed->trace)->clock.hz > 0)
		return;
	struct clock_id id = {.kind = CLOCK_STEADY, .trace = feed->number};
	size_t steady = map_clock(map, &id, NANO, false);
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
	/* extend the last piece beyond any message */
	uint64_t far = UINT64_MAX - from < FAR ? UINT64_MAX - from : FAR;
	while (ns + ticks_to_nanoseconds(far, hz) > FAR_NS)
		far /= 2;
	if (far)
		relation_add(r, from + far, (uint64_t)(ns + ticks_to_nanoseconds(far, hz)),
			     from + far);
	map->graph.clocks.at[own].rate = (struct relation_rate){0, 1};
}

/* Add the clock of senders' timestamps, which counts from 1970, if the profile gives its rate.
 * Return SIZE_MAX if not. */
static size_t
map_timestamps(struct clock_map *map, const struct clock_feed *feed)
{
	struct clock_id id = {.kind = CLOCK_TIMESTAMPS, .trace = feed->number};
	double hz = trace_decoder(feed->trace)->timestamp_hz;
	if (!(hz > 0))
		return SIZE_MAX;
	size_t clock = map_clock(map, &id, hz, false);
	map_wall(map, clock);
	return clock;
}

static void
map_traces(struct clock_map *map, const struct clock_points *points)
{
	for (size_t i = 0; i < points->feeds.count; i++) {
		const struct clock_feed *feed = &points->feeds.at[i];
		struct trace *trace = feed->trace;
		struct trace_clock clock = trace_clock(trace);
		struct trace_clocks *own = vec_add(&map->traces);
		struct clock_id id = clock_id_of(map->session, i);
		if (!(clock.hz > 0) && feed->rates.count)
			clock.hz = (double)feed->rates.at[0].hz;
		own->by_offset = id.kind == CLOCK_OFFSETS;
		own->main = map_clock(map, &id, own->by_offset ? 0 : clock.hz, false);
		if (clock.has_epoch && clock.hz > 0 && !has_relation(map, "epoch", own->main))
			map_wall(map, own->main);
		map_rates(map, feed, own->main);
		own->own = map_timestamps(map, feed);
		for (size_t k = 0; k < feed->restarts.count; k++)
			*vec_add(&own->restarts) = feed->restarts.at[k];
	}
}

static double
rate_of_b(const struct clock_link *link)
{
	return link->configured_hz_b > 0 ? link->configured_hz_b : link->hz_b;
}

/* True if a client's clock shows a plausible date. */
static bool
shows_date(const struct clock_link *link)
{
	double hz = rate_of_b(link);
	if (link->b.kind != CLOCK_CLIENT || !(hz > 0) || !link->points.points.count)
		return false;
	double seconds = (double)link->points.points.at[0].b / hz;
	return seconds > WALL_FROM && seconds < WALL_TO;
}

/* Register a link's clocks with their trace, so that its messages find them. */
static void
map_senders(struct clock_map *map, const struct clock_link *link, size_t a, size_t b)
{
	if (link->b.kind == CLOCK_CLIENT)
		add_client(&map->traces.at[link->b.trace], &(struct clock_client){b, link->sender});
	if (link->a.kind == CLOCK_ORIGIN)
		*vec_add(&map->traces.at[link->a.trace].others) =
		    (struct clock_keyed){link->a.key, a};
	if (shows_date(link) && !has_relation(map, "epoch", b))
		map_wall(map, b);
}

static void
map_link(struct clock_map *map, const struct clock_link *link)
{
	size_t a = map_clock(map, &link->a, link->hz_a, false);
	size_t b = map_clock(map, &link->b, rate_of_b(link), false);
	struct relation *r = graph_add_relation(&map->graph, link->kind, a, b);
	r->uneven = link->uneven;
	r->owner = link->owner;
	r->seen = link->points.seen;
	r->stride = link->points.stride;
	if (r->owner < map->traces.count && map->traces.at[r->owner].main == a && !r->uneven) {
		r->restarts = map->traces.at[r->owner].restarts.at;
		r->restart_count = map->traces.at[r->owner].restarts.count;
	}
	vec_reserve(&r->points, link->points.points.count);
	for (size_t i = 0; i < link->points.points.count; i++)
		*vec_add(&r->points) = link->points.points.at[i];
	map_senders(map, link, a, b);
}

/* Map the links found in a trace. The traces are taken in turn because the indexes may have been
 * built in any order. */
static void
map_links_of(struct clock_map *map, const struct clock_links *links, size_t trace)
{
	for (size_t i = 0; i < links->count; i++) {
		const struct clock_link *link = links->at[i];
		if ((link->owner == SIZE_MAX ? link->a.trace : link->owner) == trace)
			map_link(map, link);
	}
}

static bool
has_points(const struct clock_map *map, size_t clock)
{
	for (size_t i = 0; i < map->graph.relations.count; i++) {
		const struct relation *r = map->graph.relations.at[i];
		if ((r->a == clock || r->b == clock) && r->points.count)
			return true;
	}
	return false;
}

/* Add the UIA cores with points (RELATED) or without. The first core of a trace becomes its main
 * clock, for all other messages. */
static void
map_cores(struct clock_map *map, bool related)
{
	for (size_t i = 0; i < map->ids.count; i++) {
		const struct clock_id id = map->ids.at[i];
		if (id.kind != CLOCK_CORE || has_points(map, i) != related)
			continue;
		struct trace_clocks *own = &map->traces.at[id.trace];
		struct trace_clock clock = trace_clock(map->session->traces.at[id.trace]);
		if (!map->graph.clocks.at[i].rate.numerator)
			map->graph.clocks.at[i].rate = relation_rate_of(clock.hz);
		if (!own->others.count)
			own->main = i;
		*vec_add(&own->others) = (struct clock_keyed){id.key, i};
	}
}

static bool
has_key(const struct trace_clocks *own, uint64_t key)
{
	for (size_t i = 0; i < own->others.count; i++)
		if (own->others.at[i].key == key)
			return true;
	return false;
}

/* Give each unrelated core a separate clock. If no core is related, the first one gets the main
 * clock of the trace. */
static void
map_keys(struct clock_map *map, const struct clock_feed *feed)
{
	struct trace_clocks *own = &map->traces.at[feed->number];
	double hz = trace_clock(feed->trace).hz;
	for (size_t i = 0; i < feed->keys.count; i++) {
		struct clock_id id = {feed->source->a, feed->number, feed->keys.at[i]};
		if (has_key(own, id.key))
			continue;
		size_t clock = own->others.count ? map_clock(map, &id, hz, false) : own->main;
		*vec_add(&own->others) = (struct clock_keyed){id.key, clock};
	}
}

/* --- profile and user ----------------------------------------------------- */

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

/* Add a tie to the relation between two clocks. */
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

size_t
clock_map_end(const struct clock_map *map, const struct sync_end *end)
{
	struct trace *trace = trace_named(map->session, end->trace);
	if (!trace)
		return SIZE_MAX;
	const struct trace_clocks *own = &map->traces.at[trace_number(trace)];
	for (size_t i = 0; end->core >= 0 && i < own->others.count; i++)
		if (own->others.at[i].key == (uint64_t)end->core)
			return own->others.at[i].clock;
	return own->main;
}

void
clock_map_add_ties(struct clock_map *map, const struct sync_options *ties, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t a = clock_map_end(map, &ties[i].a);
		size_t b = clock_map_end(map, &ties[i].b);
		if (ties[i].kind == SYNC_TIE && a != SIZE_MAX && b != SIZE_MAX)
			map_tie(map, a, b, ties[i].a.ticks, ties[i].b.ticks);
	}
}

/* Return the root of the main part: the one with the wall clock, else that of the first trace. */
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

/* Apply an offset. In the main part, or without known rates, it corrects the trace's times.
 * Otherwise it relates the trace to the main part: both clocks started together except for the
 * offset. Return true in the second case. */
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
map_offsets(struct clock_map *map)
{
	const struct sync_options *syncs = map->session->profile.syncs.at;
	for (size_t i = 0; i < map->session->profile.syncs.count; i++) {
		struct trace *trace = trace_named(map->session, syncs[i].trace);
		if (syncs[i].kind == SYNC_OFFSET && trace &&
		    map_offset(map, trace_number(trace), syncs[i].seconds))
			graph_settle(&map->graph);
	}
}

/* --- making one -------------------------------------------------------- */

void
clock_map_free(struct clock_map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->traces.count; i++) {
		vec_free(&map->traces.at[i].others);
		vec_free(&map->traces.at[i].clients);
		for (unsigned fit = 0; fit < CLIENT_FITS; fit++)
			map_free(&map->traces.at[i].first[fit]);
		vec_free(&map->traces.at[i].restarts);
		vec_free(&map->traces.at[i].strands);
	}
	vec_free(&map->traces);
	vec_free(&map->ids);
	graph_free(&map->graph);
	free(map);
}

struct clock_map *
clock_map_new(const struct session *session, const struct clock_points *points)
{
	struct clock_map *map = mem_new(sizeof *map);
	const struct option_list *syncs = &session->profile.syncs;
	map->session = session;
	map_traces(map, points);
	for (size_t i = 0; i < points->feeds.count; i++)
		map_links_of(map, &points->links, i);
	map_cores(map, true);
	map_cores(map, false);
	for (size_t i = 0; i < points->feeds.count; i++)
		map_keys(map, &points->feeds.at[i]);
	clock_map_add_ties(map, syncs->at, syncs->count);
	return map;
}

/* --- strands ----------------------------------------------------------- */

size_t
clock_map_strand(const struct trace_clocks *has, size_t clock)
{
	for (size_t i = 0; i < has->strands.count; i++)
		if (has->strands.at[i] == clock)
			return i + 1;
	return 0;
}

size_t
clock_map_core(const struct trace_clocks *has, const struct trace *trace, const struct message *m)
{
	const struct decoder *decoder = trace_decoder(trace);
	struct origin_identity who = {0};
	if (!has->cores)
		return 0;
	decoder->ops->identify_origin(decoder, m, &who);
	size_t core =
	    who.numbered && who.number < decoder->strand_ids ? decoder->strand_of[who.number] : 0;
	return core && core <= has->cores ? has->strands.count + core : 0;
}

/* Make CLOCK a strand, if its times can be compared with the transport's. */
static void
add_strand(struct clock_map *map, struct trace_clocks *has, size_t clock)
{
	const struct graph_clock *clocks = map->graph.clocks.at;
	if (clock == SIZE_MAX || clock == has->main || clock_map_strand(has, clock) ||
	    clocks[clock].root != clocks[has->main].root)
		return;
	if (map->strands == CLOCKS_STRANDS_MAX) {
		map->left_out++;
		return;
	}
	*vec_add(&has->strands) = clock;
	map->strands++;
}

static void
make_strands(struct clock_map *map)
{
	for (size_t i = 0; i < map->traces.count; i++) {
		struct trace_clocks *has = &map->traces.at[i];
		add_strand(map, has, has->own);
		for (size_t k = 0; k < has->clients.count; k++)
			add_strand(map, has, has->clients.at[k].clock);
		for (size_t k = 0; k < has->others.count; k++)
			add_strand(map, has, has->others.at[k].clock);
		size_t left = CLOCKS_STRANDS_MAX - map->strands;
		size_t cores = trace_decoder(map->session->traces.at[i])->strands;
		has->cores = cores < left ? cores : left;
		map->strands += has->cores;
		map->left_out += cores - has->cores;
	}
}

void
clock_map_settle(struct clock_map *map)
{
	graph_settle(&map->graph);
	map_offsets(map);
	make_strands(map);
}

/* --- description ---------------------------------------------------------- */

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

/* Append the name of the sender KEY if one of its messages is indexed. Several channels may
 * share the key. */
static void
add_sender(struct trace *trace, uint64_t key, struct text *out)
{
	index_origins origins = {0};
	struct expansion e = {0};
	struct message m;
	struct reader *reader = reader_new(trace);
	reader_set(reader, (struct reader_options){.aside = true});
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
add_clock(const struct clock_map *map, size_t clock, struct text *out)
{
	const struct clock_id *id = &map->ids.at[clock];
	text_add(out, map->graph.clocks.at[clock].name);
	if (id->kind == CLOCK_CLIENT || id->kind == CLOCK_ORIGIN)
		add_sender(map->session->traces.at[id->trace], id->key, out);
}

static void
describe_relation(const struct clock_map *map, const struct relation *r, struct text *out)
{
	double growth = relation_growth(r);
	add_clock(map, r->a, out);
	text_add(out, " - ");
	add_clock(map, r->b, out);
	text_addf(out, ": %s", r->kind);
	if (r->exact && r->points.count < 2) {
		text_add(out, ", by definition\n");
		return;
	}
	text_addf(out, ", %zu point%s", r->used.count, r->used.count == 1 ? "" : "s");
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
		text_add(out, ", ");
		add_seconds(growth, out);
		text_add(out, " more for each second away from the points");
	}
	text_add(out, "\n");
}

static void
describe_part(const struct clock_map *map, size_t root, struct text *out)
{
	const char *between = ": ";
	for (size_t i = 0; i < map->traces.count; i++) {
		if (map->graph.clocks.at[map->traces.at[i].main].root != root)
			continue;
		if (*between == ':')
			add_clock(map, root, out);
		text_addf(out, "%s%s", between, trace_name(map->session->traces.at[i]));
		between = ", ";
	}
	if (*between == ',')
		text_add(out, "\n");
}

bool
clock_map_reference(const struct clock_map *map, size_t number, struct text *name, double *residual)
{
	size_t root = map->graph.clocks.at[map->traces.at[number].main].root;
	*residual = NAN;
	for (size_t i = 0; i < map->graph.relations.count; i++) {
		const struct relation *r = map->graph.relations.at[i];
		bool alone = !r->exact && r->points.count && isnan(r->residual);
		if (map->graph.clocks.at[r->a].root == root) /* fmax ignores NAN */
			*residual = fmax(*residual, alone ? INFINITY : r->residual);
	}
	if (isnan(*residual))
		return false;
	add_clock(map, root, name);
	return true;
}

void
clock_map_describe(const struct clock_map *map, struct text *out)
{
	for (size_t i = 0; i < map->graph.clocks.count; i++)
		if (map->graph.clocks.at[i].root == i)
			describe_part(map, i, out);
	for (size_t i = 0; i < map->graph.relations.count; i++)
		describe_relation(map, map->graph.relations.at[i], out);
}
