/*
 * Looking for points of clocks in one trace: see clock_feed.h.
 *
 * A table says for each format which kinds of message tell of other clocks, and
 * what is made of one.  A cell is decoded once, if its summary has such kinds.
 */
#include "config.h"

#include "session/clock/clock_feed.h"
#include "base/thread.h"
#include "decode/gem/gem.h"
#include "decode/gem/uia.h"
#include "decode/syst/syst_stp.h"
#include "session/link/serial.h"
#include "session/session.h"
#include "trace/trace_options.h"

#include <string.h>

/* --- messages that tell of clocks -------------------------------------- */

static void
add_point(struct clock_link *link, uint64_t a, uint64_t b, uint64_t place)
{
	relation_add(&link->points, a, b, place);
}

static struct clock_id
global_id(void)
{
	return (struct clock_id){.kind = CLOCK_GLOBAL};
}

static struct clock_id
id_of_kind(const struct clock_feed *feed, enum clock_kind kind, uint64_t key)
{
	if (kind == CLOCK_GLOBAL)
		return global_id();
	if (kind == CLOCK_TRACE)
		return clock_id_of(feed->session, feed->number);
	return (struct clock_id){kind, feed->number, key};
}

struct clock_link *
clock_feed_link(struct clock_feed *feed, uint64_t key_a, uint64_t key_b)
{
	const struct clock_source *source = feed->source;
	struct clock_link *link =
	    clock_link_between(feed->links, source->link, id_of_kind(feed, source->a, key_a),
			       id_of_kind(feed, source->b, key_b));
	if (link)
		link->owner = feed->number;
	return link;
}

/* The feed's own reader: it goes from cell to cell, and back to where a sender began. */
static void
need_reader(struct clock_feed *feed)
{
	if (feed->reader)
		return;
	feed->reader = reader_new(feed->trace);
	reader_limit(feed->reader, 2);
}

static bool
number_field(const struct expansion *e, const char *name, uint64_t *value)
{
	const struct field *field = expansion_find(e, name);
	if (field)
		*value = field->u;
	return field;
}

/* The rate that the profile gives the sender of a message, which is expanded; 0:
 * none. */
static double
configured_rate(struct clock_feed *feed, const struct message *m)
{
	const struct origin_options *told = reader_origin(feed->reader, m, &feed->e);
	return told && told->clock.hz > 0 ? told->clock.hz : 0;
}

/* A CLOCK message: the transport's time and the sender's. */
static bool
look_syst(struct clock_feed *feed, const struct message *m)
{
	uint64_t clock, hz;
	if (m->kind == SYST_STP_FREQ && clock_is_stp(feed->trace)) {
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
	struct clock_link *link = clock_feed_link(feed, 0, m->origin);
	if (!link)
		return true;
	if (clock_is_stp(feed->trace)) {
		struct stp_state stp = stp_aux_state(m->aux);
		link->sender = (uint32_t)stp.master << 16 | stp.channel;
	}
	link->origin = m->origin ^ (clock_is_stp(feed->trace) ? stp_sender_key(link->sender) : 0);
	link->hz_b = (double)hz;
	if (!link->points.seen)
		link->configured_hz_b = configured_rate(feed, m);
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

/* The rate of the global time follows the sync point, in an event of its own. */
static double
global_rate(struct clock_feed *feed, const struct message *sync)
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
look_uia(struct clock_feed *feed, const struct message *m)
{
	struct uia_event event;
	struct message own = *m;
	if (!read_event(feed->reader, &own, &event) || event.row->role != UIA_ROLE_SYNC ||
	    event.args_length < 8 * 4)
		return true;
	uint64_t global = uia_argument64(&event, SYNC_GLOBAL);
	struct clock_link *link = clock_feed_link(feed, uia_origin_source(own.origin), 0);
	if (!link || !global)
		return true;
	uint64_t ticks = core_ticks(&event, &own);
	if (!link->hz_a)
		link->hz_a = stated_rate(&event, SYNC_CYCLES, SYNC_HZ);
	if (!link->hz_b)
		link->hz_b = global_rate(feed, &own);
	add_point(link, ticks, global, message_place(&own));
	return true;
}

/* Two words that hold the low half of the global time. */
static void
look_global(struct clock_feed *feed, const struct message *m, struct clock_id own)
{
	uint32_t word = GEM_AUX_WORD(m->aux), first = GEM_AUX_FIRST(m->aux);
	bool complete = m->kind == GEM_SECOND && m->aux & GEM_AUX_COMPLETE;
	if (!complete || first >> GEM_VALUE_BITS != GEM_CTX_GLOBAL_TIME || !feed->global)
		return;
	uint32_t low = (first & 0xffffff) << 8 | gem_data8(word);
	struct clock_link *link =
	    clock_link_between(feed->links, "GEM global time", own, global_id());
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
look_gem(struct clock_feed *feed, const struct message *m)
{
	bool known;
	uint64_t offset;
	struct message word = *m;
	struct trace *log = serial_log(serial_of(feed->trace));
	struct clock_id own = clock_id_of(feed->session, feed->number);
	if (!feed->cursor) {
		feed->cursor = serial_cursor_new(serial_of(feed->trace), feed->reader);
		feed->log = reader_new(log);
	}
	bool met = serial_find_event(feed->cursor, &word, &offset, &known);
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
	struct clock_id core = {CLOCK_CORE, trace_number(log), uia_origin_source(m_event.origin)};
	struct clock_link *link = clock_link_between(feed->links, "GEM serial numbers", own, core);
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
look_encap(struct clock_feed *feed, const struct message *m)
{
	uint64_t time;
	struct message own = *m;
	if (!(own.flags & MESSAGE_TIMED))
		return true;
	reader_expand(feed->reader, &own, EXPAND_FIELDS, &feed->e);
	if (!number_field(&feed->e, "time", &time))
		return true;
	struct clock_link *link = clock_feed_link(feed, 0, own.origin);
	if (!link)
		return true;
	if (!link->points.seen)
		link->configured_hz_b = configured_rate(feed, &own);
	add_point(link, own.ticks, time, message_place(&own));
	return true;
}

static const struct clock_source sources[] = {
    {.format = "syst",
     .kinds = 1ull << SYST_CLOCK | 1ull << SYST_STP_FREQ,
     .look = look_syst,
     .link = "SyS-T clock",
     .a = CLOCK_TRACE,
     .b = CLOCK_CLIENT},
    {.format = "uia",
     .kinds = 1ull << UIA_EVENT,
     .flags = MESSAGE_SYNC,
     .look = look_uia,
     .link = "UIA sync points",
     .a = CLOCK_CORE,
     .b = CLOCK_GLOBAL},
    {.format = "gem",
     .kinds =
	 1ull << GEM_SYNCPOINT | 1ull << GEM_CTXCHG | 1ull << GEM_SNAPSHOT | 1ull << GEM_SECOND,
     .look = look_gem,
     .from_log = true},
    {.format = "encap",
     .kinds = UINT64_MAX,
     .flags = MESSAGE_SYNC,
     .look = look_encap,
     .link = "E-Trace time",
     .a = CLOCK_TRACE,
     .b = CLOCK_HART},
};

static const struct clock_source *
source_of(const struct trace *trace)
{
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		if (clock_is_format(trace, sources[i].format))
			return sources[i].from_log && !serial_of(trace) ? NULL : &sources[i];
	return NULL;
}

/* Whether the summary of a cell rules out that it holds points. */
static bool
is_ruled_out(const struct clock_source *source, const struct index_cell *summary)
{
	return !(summary->kinds & source->kinds) ||
	       (source->flags && !(summary->messages & source->flags));
}

static bool
concerns_message(const struct clock_source *source, const struct message *m)
{
	return source->kinds >> m->kind & 1 && (!source->flags || m->flags & source->flags);
}

/* Looks at a cell; false if that must be done again later. */
static bool
look_at_cell(struct clock_feed *feed, uint64_t cell)
{
	need_reader(feed);
	size_t count = reader_block(feed->reader, cell)->count;
	feed->decoded++;
	for (size_t i = 0; i < count; i++) {
		/* to look may ask for other cells: fetch the block each time */
		const struct block *block = reader_block(feed->reader, cell);
		if (i >= block->count)
			break;
		struct message m = block->messages[i];
		if (m.flags & MESSAGE_TIMED)
			feed->last_ticks = m.ticks;
		if (concerns_message(feed->source, &m) && !feed->source->look(feed, &m))
			return false;
	}
	return true;
}

/* Looks at the cells that have become known. */
static void
look_on(struct clock_feed *feed, struct background *thread)
{
	struct index *index = trace_index(feed->trace);
	struct index_cell summary;
	if (!feed->source)
		return;
	while (!background_is_stopping(thread) && index_cell(index, feed->next, &summary)) {
		if (summary.flags & CELL_TIMED)
			feed->last_ticks = summary.time_min;
		if (!is_ruled_out(feed->source, &summary) && !look_at_cell(feed, feed->next))
			return;
		feed->next++;
	}
}

/* Whether some sender's clock has a rate that the profile gives. */
static bool
has_configured_rates(const struct session *session)
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
look_at_origins(struct clock_feed *feed)
{
	index_origins origins = {0};
	if (!clock_is_format(feed->trace, "syst") || clock_is_stp(feed->trace) ||
	    !has_configured_rates(feed->session))
		return;
	need_reader(feed);
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
		double hz = configured_rate(feed, &own);
		struct clock_id id = {CLOCK_ORIGIN, feed->number, origin->key};
		struct clock_link *link =
		    hz > 0 ? clock_link_between(feed->links, "same zero", id,
						clock_id_of(feed->session, feed->number))
			   : NULL;
		if (!link || link->points.seen)
			continue;
		link->hz_a = hz;
		add_point(link, 0, 0, RELATION_NOWHERE);
	}
	vec_free(&origins);
}

/* --- a feed ------------------------------------------------------------ */

void
clock_feed_look(struct clock_feed *feed, struct background *thread)
{
	look_on(feed, thread);
	look_at_origins(feed);
}

void
clock_feed_forget(struct clock_feed *feed)
{
	clock_links_remove(feed->links, feed->number);
	vec_clear(&feed->rates);
	feed->next = feed->global = feed->last_ticks = 0;
	feed->origins = 0;
	feed->decoded = 0;
	feed->kept = false;
}

/* What the profile says of the rate of a link's sender, by its first message. */
static void
add_configured_rate(struct clock_feed *feed, struct clock_link *link)
{
	if (!link->points.points.count || link->b.kind == CLOCK_GLOBAL)
		return;
	need_reader(feed);
	uint64_t place = link->points.points.at[0].place;
	uint64_t size = index_cell_size(trace_index(feed->trace));
	const struct block *block = reader_block(feed->reader, place / size);
	for (size_t i = block_find(block, place); i < block->count; i++) {
		struct message m = block->messages[i];
		if (message_place(&m) != place)
			return;
		if (m.origin != link->b.key || !concerns_message(feed->source, &m))
			continue;
		reader_expand(feed->reader, &m, EXPAND_FIELDS, &feed->e);
		link->configured_hz_b = configured_rate(feed, &m);
		return;
	}
}

void
clock_feed_add_configured_rates(struct clock_feed *feed)
{
	for (size_t i = 0; has_configured_rates(feed->session) && i < feed->links->count; i++)
		if (feed->links->at[i]->owner == feed->number)
			add_configured_rate(feed, feed->links->at[i]);
}

void
clock_feed_open(struct clock_feed *feed, struct session *session, size_t number,
		struct clock_links *links)
{
	struct trace *trace = session->traces.at[number];
	*feed = (struct clock_feed){.session = session,
				    .trace = trace,
				    .number = number,
				    .links = links,
				    .source = source_of(trace),
				    .epoch = index_epoch(trace_index(trace))};
}

void
clock_feed_close(struct clock_feed *feed)
{
	serial_cursor_free(feed->cursor);
	reader_free(feed->log);
	reader_free(feed->reader);
	expansion_free(&feed->e);
	vec_free(&feed->rates);
}
