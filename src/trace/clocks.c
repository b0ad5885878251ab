/*
 * The clocks of a session: see clocks.h.
 *
 * Three steps.  Feeds, one per trace, look at the cells that have become known
 * and note points: links between clocks, which are named by what they are
 * (struct clock_id), not by numbers.  A map is made of all links: the graph of
 * relation.h, and for each trace which clock its messages have.  It is then put
 * in the place of the one before, under a lock, and what asks for times uses it
 * from then on.
 *
 * Cost: a cell with sync points is decoded once; a map is made again when the
 * points have grown by an eighth, and at the end.
 */
#include "config.h"

#include "trace/clocks.h"
#include "base/thread.h"
#include "decode/gem.h"
#include "decode/syst_stp.h"
#include "decode/uia.h"
#include "trace/reader.h"
#include "trace/relation.h"
#include "trace/serial.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	CLOCKS_MAX = 4096,	/* of senders in all; further ones have none */
	CELL_SPAN = 2000000000, /* ns between the bounds of a cell that make one doubtful */
	OWN_APART = 10		/* seconds that a message may take to be sent */
};

static const double NANO = 1e9;

/* A clock that shows seconds between these, 2001 to 2100, counts from 1970. */
static const double WALL_FROM = 1e9, WALL_TO = 4.1e9;

/* --- what there is ----------------------------------------------------- */

enum clock_kind {
	CLOCK_WALL,   /* nanoseconds since 1970 */
	CLOCK_TRACE,  /* of a transport */
	CLOCK_GROUP,  /* of a snapshot: all its buffers; trace is its first one */
	CLOCK_PLACES, /* of a trace without times: where a message lies */
	CLOCK_CORE,   /* UIA: of the core `key` */
	CLOCK_GLOBAL, /* UIA: the time of all cores, by its rate */
	CLOCK_STAMPS, /* SyS-T: of the messages' own time stamps, as the profile says */
	CLOCK_CLIENT, /* SyS-T: of the sender `key` */
	CLOCK_HART,   /* E-Trace: of the source `key` */
	CLOCK_ORIGIN, /* whose rate the profile gives; `key` is the origin */
	CLOCK_STEADY  /* nanoseconds of a trace whose rate changes */
};

struct clock_id {
	enum clock_kind kind;
	size_t trace;
	uint64_t key;
};

/* What relates two clocks. */
struct link {
	const char *kind; /* a static word */
	struct clock_id a, b;
	double hz_a, hz_b; /* 0: unknown */
	bool exact, uneven;
	size_t owner;		/* trace of the points' places */
	struct relation points; /* only `points`, `seen` and `stride` of it */
	uint32_t sender;	/* of a client: master and channel */
	uint64_t origin;	/* and its key without them */
};

/* A sender with a clock of its own. */
struct client {
	size_t clock;
	uint32_t sender;
	uint64_t origin;
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

/* A rate that an STP stream announces from some tick on. */
struct rate_change {
	uint64_t ticks, hz;
};

/* Looks for points in one trace. */
struct feed {
	struct clocks *clocks;
	struct trace *trace;
	size_t number;		     /* in the session */
	const struct source *source; /* NULL: nothing to be found */
	struct reader *reader, *log; /* made on first use */
	struct serial_cursor *cursor;
	struct expansion e;
	uint64_t next; /* cell to look at */
	uint64_t last_ticks;
	uint64_t global; /* UIA's global time met last, 0 = none */
	size_t origins;	 /* that were looked at */
	VEC(struct rate_change) rates;
};

struct tie {
	struct clock_id a, b;
	double hz_a, hz_b;
	uint64_t ticks_a, ticks_b;
};

struct clocks {
	struct session *session;
	VEC(struct feed) feeds;	  /* as the session's traces */
	VEC(struct link *) links; /* owned; found so far */
	struct background thread;
	bool tells;	 /* the session, of what is new */
	uint64_t mapped; /* points in the map */
	bool mapped_all; /* and then all was known */

	pthread_mutex_t lock; /* of ties */
	VEC(struct tie) ties;
	bool tied; /* since the last map */

	pthread_rwlock_t map_lock;
	struct clock_map *map;
	atomic_uint generation;
	atomic_bool settled;
};

static bool
same_id(const struct clock_id *a, const struct clock_id *b)
{
	return a->kind == b->kind && a->trace == b->trace && a->key == b->key;
}

static const struct clock_id wall_id = {.kind = CLOCK_WALL};

/* --- links ------------------------------------------------------------- */

/* The link of KIND between two clocks, made if it is new; NULL: too many. */
static struct link *
link_of(struct clocks *clocks, const char *kind, struct clock_id a, struct clock_id b)
{
	for (size_t i = 0; i < clocks->links.count; i++) {
		struct link *link = clocks->links.at[i];
		if (same_id(&link->a, &a) && same_id(&link->b, &b) && !strcmp(link->kind, kind))
			return link;
	}
	if (clocks->links.count >= CLOCKS_MAX)
		return NULL;
	struct link *link = mem_new(sizeof *link);
	*link = (struct link){.kind = kind, .a = a, .b = b, .owner = SIZE_MAX};
	*vec_add(&clocks->links) = link;
	return link;
}

static void
link_free(struct link *link)
{
	vec_free(&link->points.points);
	free(link);
}

static void
add_point(struct link *link, uint64_t a, uint64_t b, uint64_t place)
{
	relation_add(&link->points, a, b, place);
}

/* --- the clocks of messages -------------------------------------------- */

static bool
is_format(const struct trace *trace, const char *format)
{
	return !strcmp(trace_decoder(trace)->ops->format, format);
}

static bool
is_stp(const struct trace *trace)
{
	return trace_decoder(trace)->ops == &syst_stp_ops;
}

/* Messages of a GEM trace without time stamps are known by their places. */
static bool
has_no_ticks(const struct trace *trace)
{
	const struct trace_options *options = trace_options(trace);
	const struct gem_options *gem = trace_format_options(options, trace_decoder(trace)->ops);
	return is_format(trace, "gem") && gem && !gem->timestamp_width;
}

/* The clock that most messages of a trace have. */
static struct clock_id
main_id(struct clocks *clocks, size_t number)
{
	struct trace *trace = clocks->session->traces.at[number];
	const char *group = trace_group(trace);
	struct clock_id id = {.kind = has_no_ticks(trace) ? CLOCK_PLACES : CLOCK_TRACE,
			      .trace = number};
	for (size_t i = 0; group && i <= number; i++) {
		struct trace *other = clocks->session->traces.at[i];
		if (trace_group(other) && !strcmp(trace_group(other), group) &&
		    trace_clock(other).hz == trace_clock(trace).hz)
			return (struct clock_id){.kind = CLOCK_GROUP, .trace = i};
	}
	return id;
}

/* What tells the clocks of a trace's messages apart. */
static uint64_t
clock_key(const struct trace *trace, const struct message *m)
{
	return is_format(trace, "uia") ? uia_origin_source(m->origin) : m->origin;
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

static size_t
number_of(const struct session *session, const struct trace *trace)
{
	size_t i = 0;
	while (i < session->traces.count && session->traces.at[i] != trace)
		i++;
	return i;
}

/* --- looking for points ------------------------------------------------ */

/* How a format tells of other clocks: which kinds of message do, and what is
 * made of one.  False: not yet, ask again. */
struct source {
	const char *format;
	uint64_t kinds;
	uint16_t flags; /* and they have one of these; 0: any */
	bool (*look)(struct feed *, const struct message *);
	bool from_log; /* it takes a log's events */
};

static bool
number_field(const struct expansion *e, const char *name, uint64_t *value)
{
	const struct field *field = expansion_find(e, name);
	if (field)
		*value = field->u;
	return field;
}

static double
rate_of_sender(struct feed *feed, const struct message *m, double stated)
{
	const struct origin_options *told = reader_origin(feed->reader, m, &feed->e);
	return told && told->clock.hz > 0 ? told->clock.hz : stated;
}

/* A CLOCK message: the transport's time and the sender's. */
static bool
look_syst(struct feed *feed, const struct message *m)
{
	uint64_t clock, hz;
	if (m->kind == SYST_STP_FREQ && is_stp(feed->trace)) {
		struct window window = reader_window(feed->reader);
		hz = stp_frequency(m, &window);
		size_t count = feed->rates.count;
		uint64_t ticks = m->flags & MESSAGE_TIMED ? m->ticks : feed->last_ticks;
		if (hz && (!count || feed->rates.at[count - 1].hz != hz) &&
		    count < RELATION_SEGMENTS_MAX)
			*vec_add(&feed->rates) = (struct rate_change){ticks, hz};
		return true;
	}
	if (!(m->flags & MESSAGE_TIMED) || m->flags & (MESSAGE_ESTIMATED | MESSAGE_DAMAGED))
		return true;
	reader_expand(feed->reader, m, EXPAND_FIELDS, &feed->e);
	if (feed->e.flags & MESSAGE_DAMAGED || !number_field(&feed->e, "clock", &clock) ||
	    !number_field(&feed->e, "freq", &hz))
		return true;
	struct clock_id client = {CLOCK_CLIENT, feed->number, m->origin};
	struct clock_id own = main_id(feed->clocks, feed->number);
	struct link *link = link_of(feed->clocks, "SyS-T clock", own, client);
	if (!link)
		return true;
	if (is_stp(feed->trace)) {
		struct stp_state stp = stp_aux_state(m->aux);
		link->sender = (uint32_t)stp.master << 16 | stp.channel;
	}
	link->origin = m->origin ^ (is_stp(feed->trace) ? stp_sender_key(link->sender) : 0);
	link->hz_b = rate_of_sender(feed, m, (double)hz);
	link->owner = feed->number;
	add_point(link, m->ticks, clock, message_place(m));
	return true;
}

/* The event that M of a UIA trace is. */
static bool
read_event(struct reader *reader, const struct message *m, struct uia_event *event)
{
	const struct uia_decoder *decoder =
	    (const struct uia_decoder *)trace_decoder(reader_trace(reader));
	struct window window = reader_window(reader);
	return m->kind == UIA_EVENT && m->offset + m->length <= window.length &&
	       uia_event_parse(decoder, m, window.bytes + m->offset, m->length, event);
}

enum {
	SYNC_CPU = 1,
	SYNC_GLOBAL = 3,
	SYNC_CYCLES = 5,
	SYNC_HZ = 6,
	TIMER_CYCLES = 1,
	TIMER_HZ = 2
};

static double
stated_rate(const struct uia_event *event, unsigned cycles_at, unsigned hz_at)
{
	uint32_t cycles = uia_argument(event, cycles_at);
	return (double)uia_argument64(event, hz_at) / (cycles ? cycles : 1);
}

static struct clock_id
global_id(void)
{
	return (struct clock_id){.kind = CLOCK_GLOBAL};
}

/* The rate of the global time follows the sync point, in an event of its own. */
static double
global_rate(struct feed *feed, const struct message *sync)
{
	const struct block *block = reader_block(
	    feed->reader, message_place(sync) / index_cell_size(trace_index(feed->trace)));
	for (size_t i = 0; i < block->count; i++) {
		struct uia_event event;
		if (read_event(feed->reader, &block->messages[i], &event) &&
		    event.row->role == UIA_ROLE_TIMER)
			return stated_rate(&event, TIMER_CYCLES, TIMER_HZ);
	}
	return 0;
}

/* What the core's clock showed at a sync point: the processor's time that goes
 * with the global one, if the event's time stamp is of the same clock. */
static uint64_t
core_ticks(const struct uia_event *event, const struct message *m)
{
	uint64_t cpu = uia_argument64(event, SYNC_CPU);
	uint64_t apart = cpu > m->ticks ? cpu - m->ticks : m->ticks - cpu;
	double near = stated_rate(event, SYNC_CYCLES, SYNC_HZ) / 1000;
	return !(m->flags & MESSAGE_TIMED) || (double)apart < near ? cpu : m->ticks;
}

/* A sync point: the core's time and the global time. */
static bool
look_uia(struct feed *feed, const struct message *m)
{
	struct uia_event event;
	struct message own = *m;
	if (!read_event(feed->reader, &own, &event) || event.row->role != UIA_ROLE_SYNC ||
	    event.args_length < 8 * 4)
		return true;
	uint64_t global = uia_argument64(&event, SYNC_GLOBAL);
	struct clock_id core = {CLOCK_CORE, feed->number, uia_origin_source(own.origin)};
	struct link *link = link_of(feed->clocks, "UIA sync points", core, global_id());
	if (!link || !global)
		return true;
	uint64_t ticks = core_ticks(&event, &own);
	link->owner = feed->number;
	if (!link->hz_a)
		link->hz_a = stated_rate(&event, SYNC_CYCLES, SYNC_HZ);
	if (!link->hz_b)
		link->hz_b = global_rate(feed, &own);
	add_point(link, ticks, global, message_place(&own));
	return true;
}

/* Two words that hold the low half of the global time. */
static void
look_global(struct feed *feed, const struct message *m, struct clock_id own)
{
	uint32_t word = GEM_AUX_WORD(m->aux), first = GEM_AUX_FIRST(m->aux);
	bool complete = m->kind == GEM_SECOND && m->aux & GEM_AUX_COMPLETE;
	if (!complete || first >> GEM_VALUE_BITS != GEM_CTX_GLOBAL_TIME || !feed->global)
		return;
	uint32_t low = (first & 0xffffff) << 8 | gem_data8(word);
	struct link *link = link_of(feed->clocks, "GEM global time", own, global_id());
	if (!link)
		return;
	feed->global = relation_unwrap(feed->global, low, 32);
	link->owner = feed->number;
	link->uneven = own.kind == CLOCK_PLACES;
	uint64_t ticks = link->uneven ? message_place(m) : m->ticks;
	if (link->uneven || m->flags & MESSAGE_TIMED)
		add_point(link, ticks, feed->global, message_place(m));
}

/* A word and the event that was logged with it. */
static bool
look_gem(struct feed *feed, const struct message *m)
{
	bool known;
	uint64_t offset;
	struct message word = *m;
	struct trace *log = serial_log(trace_serial(feed->trace));
	struct clock_id own = main_id(feed->clocks, feed->number);
	if (!feed->cursor) {
		feed->cursor = serial_cursor_new(trace_serial(feed->trace), feed->reader);
		feed->log = reader_new(log);
	}
	bool met = serial_meet(feed->cursor, &word, &offset, &known);
	if (!known)
		return false;
	look_global(feed, &word, own);
	bool uneven = own.kind == CLOCK_PLACES;
	/* contexts and snapshots are logged somewhat before they are written */
	if (!met || (!uneven && (word.kind != GEM_SYNCPOINT || !(word.flags & MESSAGE_TIMED))))
		return true;
	struct position at;
	struct uia_event event;
	if (!reader_find_offset(feed->log, offset, &at))
		return true;
	struct message m_event = *reader_message(feed->log, at);
	if (!read_event(feed->log, &m_event, &event))
		return true;
	bool sync = event.row->role == UIA_ROLE_SYNC && event.args_length >= 8 * 4;
	if (sync)
		feed->global = uia_argument64(&event, SYNC_GLOBAL);
	if (!(m_event.flags & MESSAGE_TIMED))
		return true;
	struct clock_id core = {CLOCK_CORE, number_of(feed->clocks->session, log),
				uia_origin_source(m_event.origin)};
	struct link *link = link_of(feed->clocks, "GEM serial numbers", own, core);
	if (!link)
		return true;
	link->owner = feed->number;
	link->uneven = uneven;
	add_point(link, uneven ? message_place(&word) : word.ticks,
		  sync ? core_ticks(&event, &m_event) : m_event.ticks, message_place(&word));
	return true;
}

/* A time of the encoder in a packet that the encapsulation stamped as well. */
static bool
look_encap(struct feed *feed, const struct message *m)
{
	uint64_t time;
	struct message own = *m;
	if (!(own.flags & MESSAGE_TIMED))
		return true;
	reader_expand(feed->reader, &own, EXPAND_FIELDS, &feed->e);
	if (!number_field(&feed->e, "time", &time))
		return true;
	struct clock_id hart = {CLOCK_HART, feed->number, own.origin};
	struct link *link =
	    link_of(feed->clocks, "E-Trace time", main_id(feed->clocks, feed->number), hart);
	if (!link)
		return true;
	link->owner = feed->number;
	link->hz_b = rate_of_sender(feed, &own, 0);
	add_point(link, own.ticks, time, message_place(&own));
	return true;
}

static const struct source sources[] = {
    {"syst", 1ull << SYST_CLOCK | 1ull << SYST_STP_FREQ, 0, look_syst, false},
    {"uia", 1ull << UIA_EVENT, MESSAGE_SYNC, look_uia, false},
    {"gem", 1ull << GEM_SYNCPOINT | 1ull << GEM_CTXCHG | 1ull << GEM_SNAPSHOT | 1ull << GEM_SECOND,
     0, look_gem, true},
    {"encap", UINT64_MAX, MESSAGE_SYNC, look_encap, false},
};

static const struct source *
source_of(const struct trace *trace)
{
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		if (is_format(trace, sources[i].format))
			return sources[i].from_log && !trace_serial(trace) ? NULL : &sources[i];
	return NULL;
}

/* Whether the summary of a cell rules out that it holds points. */
static bool
is_ruled_out(const struct source *source, const struct index_cell *summary)
{
	return !(summary->kinds & source->kinds) ||
	       (source->flags && !(summary->messages & source->flags));
}

static bool
concerns(const struct source *source, const struct message *m)
{
	return source->kinds >> m->kind & 1 && (!source->flags || m->flags & source->flags);
}

/* Looks at a cell; false if that must be done again later. */
static bool
look_at_cell(struct feed *feed, uint64_t cell)
{
	if (!feed->reader)
		feed->reader = reader_new(feed->trace);
	size_t count = reader_block(feed->reader, cell)->count;
	for (size_t i = 0; i < count; i++) {
		/* to look may ask for other cells: fetch the block each time */
		const struct block *block = reader_block(feed->reader, cell);
		if (i >= block->count)
			break;
		struct message m = block->messages[i];
		if (m.flags & MESSAGE_TIMED)
			feed->last_ticks = m.ticks;
		if (concerns(feed->source, &m) && !feed->source->look(feed, &m))
			return false;
	}
	return true;
}

/* Looks at the cells that have become known. */
static void
look_on(struct feed *feed)
{
	struct index *index = trace_index(feed->trace);
	struct index_cell summary;
	if (!feed->source)
		return;
	while (!background_is_stopping(&feed->clocks->thread) &&
	       index_cell(index, feed->next, &summary)) {
		if (summary.flags & CELL_TIMED)
			feed->last_ticks = summary.time_min;
		if (!is_ruled_out(feed->source, &summary) && !look_at_cell(feed, feed->next))
			return;
		feed->next++;
	}
}

/* Whether some sender's clock has a rate that the profile gives. */
static bool
has_told_rates(const struct session *session)
{
	const struct origin_options *rows = session->profile.origins.at;
	for (size_t i = 0; i < session->profile.origins.count; i++)
		if (rows[i].clock.hz > 0)
			return true;
	return false;
}

/* Finds the senders whose rate the profile gives, where a message's ticks are
 * its sender's. */
static void
look_at_origins(struct feed *feed)
{
	struct clocks *clocks = feed->clocks;
	index_origins origins = {0};
	if (!is_format(feed->trace, "syst") || is_stp(feed->trace) ||
	    !has_told_rates(clocks->session))
		return;
	if (!feed->reader)
		feed->reader = reader_new(feed->trace);
	index_get_origins(trace_index(feed->trace), &origins);
	for (; feed->origins < origins.count; feed->origins++) {
		const struct index_origin *origin = &origins.at[feed->origins];
		struct position at;
		const struct message *m =
		    reader_find_place(feed->reader, (struct place){.offset = origin->example}, &at)
			? reader_message(feed->reader, at)
			: NULL;
		if (!m || m->origin != origin->key)
			continue;
		struct message own = *m;
		reader_expand(feed->reader, &own, EXPAND_FIELDS, &feed->e);
		double hz = rate_of_sender(feed, &own, 0);
		struct clock_id id = {CLOCK_ORIGIN, feed->number, origin->key};
		struct link *link =
		    hz > 0 ? link_of(clocks, "same zero", id, main_id(clocks, feed->number)) : NULL;
		if (!link || link->points.seen)
			continue;
		link->hz_a = hz;
		add_point(link, 0, 0, RELATION_NOWHERE);
	}
	vec_free(&origins);
}

/* A capture shrank: what was found in it does not hold. */
static void
forget(struct feed *feed)
{
	struct clocks *clocks = feed->clocks;
	size_t kept = 0;
	for (size_t i = 0; i < clocks->links.count; i++) {
		struct link *link = clocks->links.at[i];
		if (link->owner == feed->number || link->a.trace == feed->number)
			link_free(link);
		else
			clocks->links.at[kept++] = link;
	}
	clocks->links.count = kept;
	vec_clear(&feed->rates);
	feed->next = feed->global = feed->last_ticks = 0;
	feed->origins = 0;
	clocks->mapped = 0;
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
		if (!same_id(&map->ids.at[i], id))
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

/* Where the rate of an STP stream changes, its ticks become nanoseconds piece by
 * piece. */
static void
map_rates(struct clocks *clocks, struct clock_map *map, struct feed *feed, size_t own)
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
		ns += (long double)(change->ticks - from) * 1e9L / (long double)hz;
		relation_add(r, change->ticks, (uint64_t)ns, change->ticks);
		from = change->ticks;
		hz = change->hz;
	}
	/* and on to where nobody will be */
	uint64_t far = (uint64_t)1 << 50;
	ns += (long double)far * 1e9L / (long double)hz;
	relation_add(r, from + far, (uint64_t)ns, from + far);
	map->graph.clocks.at[own].rate = (struct relation_rate){0, 1};
}

/* Time stamps of messages over STP count from 1970, if the profile says so. */
static size_t
map_stamps(struct clocks *clocks, struct clock_map *map, const struct feed *feed)
{
	struct clock_id id = {.kind = CLOCK_STAMPS, .trace = feed->number};
	const struct syst_options *options =
	    trace_format_options(trace_options(feed->trace), trace_decoder(feed->trace)->ops);
	bool epoch = false;
	double hz = is_stp(feed->trace) && options ? syst_stamp_rate(options, &epoch) : 0;
	if (!epoch)
		return SIZE_MAX;
	size_t clock = map_clock(clocks, map, &id, hz, false);
	map_wall(clocks, map, clock);
	return clock;
}

static void
map_traces(struct clocks *clocks, struct clock_map *map)
{
	for (size_t i = 0; i < clocks->feeds.count; i++) {
		struct trace *trace = clocks->feeds.at[i].trace;
		struct feed *feed = &clocks->feeds.at[i];
		struct trace_clock clock = trace_clock(trace);
		struct trace_clocks *own = vec_add(&map->traces);
		struct clock_id id = main_id(clocks, i);
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

/* A client's clock that shows a date is one. */
static bool
shows_date(const struct link *link)
{
	if (link->b.kind != CLOCK_CLIENT || !(link->hz_b > 0) || !link->points.points.count)
		return false;
	double seconds = (double)link->points.points.at[0].b / link->hz_b;
	return seconds > WALL_FROM && seconds < WALL_TO;
}

/* What messages find a link's clock by. */
static void
map_senders(struct clocks *clocks, struct clock_map *map, const struct link *link, size_t a,
	    size_t b)
{
	if (link->b.kind == CLOCK_CLIENT)
		*vec_add(&map->traces.at[link->b.trace].clients) =
		    (struct client){b, link->sender, link->origin};
	if (link->a.kind == CLOCK_ORIGIN)
		*vec_add(&map->traces.at[link->a.trace].others) = (struct keyed){link->a.key, a};
	if (shows_date(link) && !has_relation(map, "epoch", b))
		map_wall(clocks, map, b);
}

static void
map_link(struct clocks *clocks, struct clock_map *map, const struct link *link)
{
	size_t a = map_clock(clocks, map, &link->a, link->hz_a, false);
	size_t b = map_clock(clocks, map, &link->b, link->hz_b, false);
	struct relation *r = graph_add_relation(&map->graph, link->kind, a, b);
	r->exact = link->exact;
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
		struct trace_clock told = trace_clock(clocks->session->traces.at[id.trace]);
		if (!own->others.count) {
			if (!map->graph.clocks.at[i].rate.numerator)
				map->graph.clocks.at[i].rate = relation_rate_of(told.hz);
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

static void
map_ties(struct clocks *clocks, struct clock_map *map)
{
	const struct sync_options *syncs = clocks->session->profile.syncs.at;
	for (size_t i = 0; i < clocks->session->profile.syncs.count; i++) {
		struct trace *a = trace_named(clocks->session, syncs[i].a.trace);
		struct trace *b = trace_named(clocks->session, syncs[i].b.trace);
		if (syncs[i].kind == SYNC_TIE && a && b)
			map_tie(map, map->traces.at[number_of(clocks->session, a)].main,
				map->traces.at[number_of(clocks->session, b)].main,
				syncs[i].a.ticks, syncs[i].b.ticks);
	}
	pthread_mutex_lock(&clocks->lock);
	for (size_t i = 0; i < clocks->ties.count; i++) {
		const struct tie *tie = &clocks->ties.at[i];
		map_tie(map, map_clock(clocks, map, &tie->a, tie->hz_a, false),
			map_clock(clocks, map, &tie->b, tie->hz_b, false), tie->ticks_a,
			tie->ticks_b);
	}
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

/* What can be a whole number of ticks and of nanoseconds. */
static bool
is_sensible(double seconds)
{
	return fabs(seconds) < 9e9;
}

static void
map_offsets(struct clocks *clocks, struct clock_map *map)
{
	const struct sync_options *syncs = clocks->session->profile.syncs.at;
	for (size_t i = 0; i < clocks->session->profile.syncs.count; i++) {
		struct trace *trace = trace_named(clocks->session, syncs[i].trace);
		if (syncs[i].kind == SYNC_OFFSET && trace && is_sensible(syncs[i].seconds) &&
		    map_offset(map, number_of(clocks->session, trace), syncs[i].seconds))
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
	for (size_t i = 0; i < clocks->links.count; i++)
		map_link(clocks, map, clocks->links.at[i]);
	map_cores(clocks, map);
	map_ties(clocks, map);
	graph_settle(&map->graph);
	map_offsets(clocks, map);
	return map;
}

static void
publish(struct clocks *clocks, struct clock_map *map)
{
	pthread_rwlock_wrlock(&clocks->map_lock);
	struct clock_map *before = clocks->map;
	clocks->map = map;
	pthread_rwlock_unlock(&clocks->map_lock);
	map_free(before);
	atomic_fetch_add(&clocks->generation, 1);
}

static uint64_t
points_found(const struct clocks *clocks)
{
	uint64_t points = 0;
	for (size_t i = 0; i < clocks->links.count; i++)
		points += clocks->links.at[i]->points.seen;
	for (size_t i = 0; i < clocks->feeds.count; i++)
		points += clocks->feeds.at[i].rates.count;
	return points;
}

/* Whether the indexes are complete and all of them looked at. */
static bool
is_all_known(const struct clocks *clocks)
{
	for (size_t i = 0; i < clocks->feeds.count; i++) {
		const struct feed *feed = &clocks->feeds.at[i];
		struct index_progress progress;
		index_get_progress(trace_index(feed->trace), &progress);
		if (!progress.complete ||
		    (feed->source && feed->next < index_known(trace_index(feed->trace))))
			return false;
	}
	return true;
}

/* Does what can be done now. */
static void
work(void *context)
{
	struct clocks *clocks = context;
	for (size_t i = 0; i < clocks->feeds.count; i++) {
		struct feed *feed = &clocks->feeds.at[i];
		if (feed->next > index_known(trace_index(feed->trace)))
			forget(feed);
		look_on(feed);
		look_at_origins(feed);
	}
	bool all = is_all_known(clocks);
	uint64_t points = points_found(clocks);
	pthread_mutex_lock(&clocks->lock);
	bool tied = clocks->tied;
	pthread_mutex_unlock(&clocks->lock);
	bool grown = points > clocks->mapped + clocks->mapped / 8 || points < clocks->mapped ||
		     (all && points != clocks->mapped);
	if (grown || tied || !clocks->map) {
		clocks->mapped = points;
		publish(clocks, map_make(clocks));
	}
	bool news = grown || tied || all != clocks->mapped_all;
	clocks->mapped_all = all;
	atomic_store(&clocks->settled, all);
	if (news && clocks->tells)
		session_tell(clocks->session);
}

struct clocks *
clocks_new(struct session *session)
{
	struct clocks *clocks = mem_new(sizeof *clocks);
	clocks->session = session;
	background_init(&clocks->thread, work, clocks);
	pthread_mutex_init(&clocks->lock, NULL);
	pthread_rwlock_init(&clocks->map_lock, NULL);
	for (size_t i = 0; i < session->traces.count; i++)
		*vec_add(&clocks->feeds) =
		    (struct feed){.clocks = clocks,
				  .trace = session->traces.at[i],
				  .number = i,
				  .source = source_of(session->traces.at[i])};
	clocks->map = map_make(clocks); /* what needs no capture */
	return clocks;
}

void
clocks_free(struct clocks *clocks)
{
	if (!clocks)
		return;
	background_stop(&clocks->thread);
	for (size_t i = 0; i < clocks->feeds.count; i++) {
		struct feed *feed = &clocks->feeds.at[i];
		serial_cursor_free(feed->cursor);
		reader_free(feed->log);
		reader_free(feed->reader);
		expansion_free(&feed->e);
		vec_free(&feed->rates);
	}
	vec_free(&clocks->feeds);
	for (size_t i = 0; i < clocks->links.count; i++)
		link_free(clocks->links.at[i]);
	vec_free(&clocks->links);
	vec_free(&clocks->ties);
	map_free(clocks->map);
	pthread_rwlock_destroy(&clocks->map_lock);
	pthread_mutex_destroy(&clocks->lock);
	free(clocks);
}

void
clocks_load(struct clocks *clocks, bool wait)
{
	for (size_t i = 0; i < clocks->feeds.count; i++) {
		struct trace *trace = clocks->feeds.at[i].trace;
		if (!clocks->feeds.at[i].source)
			continue;
		while (wait && trace_wait(trace))
			continue;
		if (capture_ended(trace_capture(trace)))
			trace_build(trace);
	}
	work(clocks);
}

void
clocks_start(struct clocks *clocks)
{
	clocks->tells = true;
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

/* The clock of M's sender: known for its master and channel, else for the
 * sender itself, else for its master; SIZE_MAX if there is none. */
static size_t
client_of(const struct trace_clocks *own, const struct trace *trace, const struct message *m)
{
	struct stp_state stp = {0};
	if (is_stp(trace))
		stp = stp_aux_state(m->aux);
	uint32_t sender = (uint32_t)stp.master << 16 | stp.channel;
	uint64_t origin = m->origin ^ (is_stp(trace) ? stp_sender_key(sender) : 0);
	size_t best = SIZE_MAX;
	int quality = 0;
	for (size_t i = 0; i < own->clients.count; i++) {
		const struct client *client = &own->clients.at[i];
		int fits = client->sender == sender		  ? 3
			   : client->origin == origin		  ? 2
			   : client->sender >> 16 == sender >> 16 ? 1
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
	bool sound = clock != SIZE_MAX && time_of(map, number, clock, ticks, m, &own) &&
		     own.known && own.part == time->part &&
		     fabs((double)own.nanoseconds - (double)time->nanoseconds) < OWN_APART * NANO;
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

bool
clocks_time(struct trace *trace, const struct message *m, const struct expansion *own,
	    struct message_time *time)
{
	struct session *session = trace_session(trace);
	struct clocks *clocks = session->clocks;
	if (!clocks)
		return plain_time(trace, m, time);
	pthread_rwlock_rdlock(&clocks->map_lock);
	const struct clock_map *map = clocks->map;
	size_t number = number_of(session, trace);
	bool any = number < map->traces.count &&
		   (m->flags & MESSAGE_TIMED || map->traces.at[number].by_place);
	if (any) {
		const struct trace_clocks *has = &map->traces.at[number];
		any = time_of(map, number, clock_of(map, number, m, trace), ticks_of(has, m), m,
			      time);
		if (any && own && own->has_own && is_stp(trace) &&
		    !own_time(map, has->own, number, m, own->own, time))
			own_time(map, client_of(has, trace, m), number, m, own->own, time);
		if (any &&
		    __builtin_add_overflow(time->nanoseconds, has->shift, &time->nanoseconds))
			any = false;
		if (any && time->known)
			time->order = time->nanoseconds;
		time->plain &= !has->shift && !has->clients.count && has->own == SIZE_MAX;
		time->estimated =
		    any && (m->flags & MESSAGE_ESTIMATED || (has->by_place && time->error > 2));
	}
	pthread_rwlock_unlock(&clocks->map_lock);
	return any;
}

size_t
clocks_part(struct trace *trace)
{
	struct session *session = trace_session(trace);
	pthread_rwlock_rdlock(&session->clocks->map_lock);
	const struct clock_map *map = session->clocks->map;
	size_t main = map->traces.at[number_of(session, trace)].main;
	size_t part = map->graph.clocks.at[main].root;
	pthread_rwlock_unlock(&session->clocks->map_lock);
	return part;
}

/* Whether the largest tick of a cell is its latest time even if the clock starts
 * again in it. */
static bool
is_in_one_piece(const struct clock_map *map, size_t number)
{
	const struct relation *r = map->graph.clocks.at[map->traces.at[number].main].towards;
	return !r || r->owner != number || r->segments.count < 2;
}

/* Whether the cell's bounds are of one clock, and in which piece of its relation
 * they lie does not matter. */
static bool
has_one_clock(struct trace *trace, const struct index_cell *summary, bool *by_place,
	      uint64_t *origin)
{
	struct session *session = trace_session(trace);
	size_t number = number_of(session, trace);
	*by_place = false;
	*origin = 0;
	if (!session->clocks)
		return true;
	pthread_rwlock_rdlock(&session->clocks->map_lock);
	const struct clock_map *map = session->clocks->map;
	const struct trace_clocks *own = &map->traces.at[number];
	bool one =
	    !own->others.count || (own->others.count == 1 && own->others.at[0].clock == own->main);
	one &= !(summary->flags & CELL_TIME_BACK) || is_in_one_piece(map, number);
	*by_place = own->by_place;
	*origin = own->others.count ? UINT64_MAX : 0; /* no core's: the main clock */
	pthread_rwlock_unlock(&session->clocks->map_lock);
	return one;
}

bool
clocks_cell_time(struct trace *trace, uint64_t cell, const struct index_cell *summary,
		 int64_t *order)
{
	uint64_t size = index_cell_size(trace_index(trace));
	struct message bound = {.offset = (cell + 1) * size - 1, .flags = MESSAGE_TIMED};
	struct message_time first, last;
	bool by_place;
	*order = INT64_MIN;
	if (!has_one_clock(trace, summary, &by_place, &bound.origin))
		return false;
	if (by_place ? !summary->count : !(summary->flags & CELL_TIMED))
		return true;
	bound.ticks = summary->time_max;
	if (!clocks_time(trace, &bound, NULL, &last))
		return by_place;
	bound.ticks = summary->time_min;
	bool back = summary->flags & CELL_TIME_BACK;
	if (back && (!clocks_time(trace, &bound, NULL, &first) ||
		     (last.known && last.order - first.order > CELL_SPAN)))
		return false; /* one of them may be far off */
	*order = last.order;
	return true;
}

int
clocks_tie(struct clocks *clocks, struct trace *a, const struct message *m, struct trace *b,
	   const struct message *n, struct err *err)
{
	struct trace *traces[] = {a, b};
	const struct message *messages[] = {m, n};
	struct clock_id ids[2];
	uint64_t ticks[2];
	bool timed = true;
	pthread_rwlock_rdlock(&clocks->map_lock);
	for (int i = 0; i < 2; i++) {
		size_t number = number_of(clocks->session, traces[i]);
		const struct trace_clocks *own = &clocks->map->traces.at[number];
		ids[i] = clocks->map->ids.at[clock_of(clocks->map, number, messages[i], traces[i])];
		ticks[i] = ticks_of(own, messages[i]);
		timed &= messages[i]->flags & MESSAGE_TIMED || own->by_place;
	}
	pthread_rwlock_unlock(&clocks->map_lock);
	if (!timed)
		return err_set(err, ERR_USAGE, "a message without a time cannot be tied");
	if (same_id(&ids[0], &ids[1]))
		return err_set(err, ERR_USAGE, "both have the same clock");
	pthread_mutex_lock(&clocks->lock);
	*vec_add(&clocks->ties) = (struct tie){ids[0], ids[1], 0, 0, ticks[0], ticks[1]};
	clocks->tied = true;
	pthread_mutex_unlock(&clocks->lock);
	background_wake(&clocks->thread);
	return 0;
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

static void
describe_relation(const struct graph *graph, const struct relation *r, struct text *out)
{
	text_addf(out, "%s - %s: %s", graph->clocks.at[r->a].name, graph->clocks.at[r->b].name,
		  r->kind);
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
			text_addf(out, "%s", map->graph.clocks.at[root].name);
		text_addf(out, "%s%s", between, trace_name(clocks->session->traces.at[i]));
		between = ", ";
	}
	if (*between == ',')
		text_add(out, "\n");
}

/* The ties of the user, as a profile would say them. */
static void
describe_ties(struct clocks *clocks, struct text *out)
{
	pthread_mutex_lock(&clocks->lock);
	for (size_t i = 0; i < clocks->ties.count; i++) {
		const struct tie *tie = &clocks->ties.at[i];
		text_addf(
		    out,
		    "%s  - {kind: tie, a: {trace: %s, ticks: %llu}, b: {trace: %s, ticks: %llu}}\n",
		    i ? "" : "sync:\n", trace_name(clocks->session->traces.at[tie->a.trace]),
		    (unsigned long long)tie->ticks_a,
		    trace_name(clocks->session->traces.at[tie->b.trace]),
		    (unsigned long long)tie->ticks_b);
	}
	pthread_mutex_unlock(&clocks->lock);
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
		describe_relation(&map->graph, map->graph.relations.at[i], out);
	pthread_rwlock_unlock(&clocks->map_lock);
	describe_ties(clocks, out);
}
