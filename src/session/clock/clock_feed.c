/*
 * Search for clock points in one trace: see clock_feed.h.
 *
 * The clock table of a format lists the kinds of messages with readings, and reads them. A
 * cell is decoded if its summary has such kinds. If this code builds the index and each
 * message is complete on its own, that scan collects the readings.
 */
#include "config.h"

#include "session/clock/clock_feed.h"
#include "base/bytes.h"
#include "base/job.h"
#include "session/link/serial.h"
#include "session/session.h"
#include "trace/trace_options.h"

enum {
	KEYS_MAX = 256, /* clocks of a trace; messages of further ones use its main clock */
	WINDOW = 8,	/* timed messages before and after a restart that prove it */
	STRAY_LEAST = 4 /* among this many messages one may be wrong */
};

/* --- messages with readings ----------------------------------------------- */

static void
add_point(struct clock_link *link, uint64_t a, uint64_t b, uint64_t found_at)
{
	relation_add(&link->points, a, b, found_at);
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

/* Make the feed's reader if necessary. It goes from cell to cell, and back to a sender's start. */
static void
need_reader(struct clock_feed *feed)
{
	if (feed->reader)
		return;
	feed->reader = reader_new(feed->trace);
	reader_set(feed->reader, (struct reader_options){.aside = true});
	reader_limit(feed->reader, 2);
}

/* Return the profile's rate for the sender of an expanded message; 0: none. */
static double
configured_rate(struct clock_feed *feed, const struct message *m)
{
	const struct origin_options *origin = reader_origin(feed->reader, m, &feed->e);
	return origin && origin->clock.hz > 0 ? origin->clock.hz : 0;
}

/* Read M, a message of READER, by the table of its format. */
static struct clock_reading
read_message(struct clock_feed *feed, struct reader *reader, const struct message *m)
{
	const struct decoder *decoder = trace_decoder(reader_trace(reader));
	const struct clock_source *source = decoder->ops->clocks;
	struct clock_reading reading = {.kind = CLOCK_READING_NOTHING};
	if (source->expand)
		reader_expand(reader, m, EXPAND_FIELDS, &feed->e);
	struct window window = reader_window(reader);
	if (source->kinds >> m->kind & 1 && m->offset >= window.offset)
		source->read(decoder, m, &window, source->expand ? &feed->e : NULL, &reading);
	return reading;
}

/* Note that the transport's rate changes at TICKS. */
static void
add_rate(struct clock_feed *feed, uint64_t ticks, uint64_t hz)
{
	size_t count = feed->rates.count;
	if (hz && (!count || feed->rates.at[count - 1].hz != hz) && count < RELATION_SEGMENTS_MAX)
		*vec_add(&feed->rates) = (struct rate_change){ticks, hz};
}

/* Return the rate of clock B from another message in POINT's cell; 0: unknown. */
static double
rate_beside(struct clock_feed *feed, const struct message *point)
{
	uint64_t cell = message_id_offset(point) / index_cell_size(trace_index(feed->trace));
	for (size_t i = 0; i < reader_decoded_cell(feed->reader, cell)->count; i++) {
		struct message m = reader_decoded_cell(feed->reader, cell)->messages[i];
		struct clock_reading reading = read_message(feed, feed->reader, &m);
		if (reading.kind == CLOCK_READING_RATE_B)
			return reading.hz_b;
	}
	return 0;
}

/* Add a point of two clocks from a message of SENDER. Return its link; NULL: no point. */
static struct clock_link *
add_reading(struct clock_feed *feed, const struct clock_reading *reading, struct clock_owner sender,
	    uint64_t found_at)
{
	struct clock_link *link = clock_feed_link(feed, reading->key_a, reading->key_b);
	bool global = feed->source->b == CLOCK_GLOBAL;
	if (!link || (global && !reading->b)) /* the global time does not run yet */
		return NULL;
	link->sender = sender;
	if (!link->hz_a)
		link->hz_a = reading->hz_a;
	if (!feed->source->rate_apart)
		link->hz_b = reading->hz_b;
	add_point(link, reading->a, reading->b, found_at);
	return link;
}

/* Add the point of M, which is expanded if its format needs that. Set the rates of the link. */
static void
note_point(struct clock_feed *feed, const struct message *m, const struct clock_reading *reading)
{
	const struct clock_source *source = feed->source;
	struct clock_link *link =
	    add_reading(feed, reading, clock_source_owner(source, m), message_id_offset(m));
	if (!link)
		return;
	if (source->b != CLOCK_GLOBAL && link->points.seen == 1)
		link->configured_hz_b = configured_rate(feed, m);
	if (source->rate_apart && !link->hz_b)
		link->hz_b = rate_beside(feed, m);
}

/* True if a cell's summary proves that it has no points. */
static bool
is_ruled_out(const struct clock_source *source, const struct index_cell *summary)
{
	return !(summary->kinds & source->kinds) ||
	       (source->flags && !(summary->message_flags & source->flags));
}

/* Return the global time at the first sync point of the log; 0: none. */
static uint64_t
first_global(struct clock_feed *feed)
{
	struct trace *log = reader_trace(feed->log);
	const struct clock_source *source = clock_source_of(log);
	struct index_cell summary;
	for (uint64_t cell = 0; index_cell(trace_index(log), cell, &summary); cell++) {
		if (is_ruled_out(source, &summary))
			continue;
		for (size_t i = 0; i < reader_decoded_cell(feed->log, cell)->count; i++) {
			struct message m = reader_decoded_cell(feed->log, cell)->messages[i];
			if (!clock_source_concerns(source, &m))
				continue;
			struct clock_reading reading = read_message(feed, feed->log, &m);
			if (reading.kind == CLOCK_READING_POINT && reading.b)
				return reading.b;
		}
	}
	return 0;
}

/* Add a point from a message with the low bits of the global time. The log supplies the high
 * bits: those of the last matched sync point, else of the first one. */
static void
note_low_bits(struct clock_feed *feed, const struct message *m, struct clock_id own)
{
	struct clock_reading reading = read_message(feed, feed->reader, m);
	if (reading.kind != CLOCK_READING_POINT)
		return;
	if (!feed->global && !feed->global_sought)
		feed->global = first_global(feed);
	feed->global_sought = true;
	if (!feed->global)
		return;
	struct clock_link *link =
	    clock_link_between(feed->links, feed->source->link, own, global_id());
	if (!link)
		return;
	feed->global = bytes_unwrap(feed->global, reading.b, feed->source->bits_b);
	link->owner = feed->number;
	link->uneven = own.kind == CLOCK_OFFSETS;
	uint64_t ticks = link->uneven ? message_id_offset(m) : reading.a;
	if (link->uneven || m->flags & MESSAGE_TIMED)
		add_point(link, ticks, feed->global, message_id_offset(m));
}

/* Add a point of M and the event that was logged with it. Return false if that event is not yet
 * known. */
static bool
note_match(struct clock_feed *feed, const struct message *m)
{
	bool known;
	uint64_t offset;
	struct trace *log = serial_log(serial_of(feed->trace));
	struct clock_id own = clock_id_of(feed->session, feed->number);
	if (!feed->cursor) {
		feed->cursor = serial_cursor_new(serial_of(feed->trace), feed->reader);
		feed->log = reader_new(log);
		reader_set(feed->log, (struct reader_options){.aside = true});
	}
	bool found = serial_find_event(feed->cursor, m, &offset, &known);
	if (!known)
		return false;
	note_low_bits(feed, m, own);
	bool uneven = own.kind == CLOCK_OFFSETS;
	/* other events than sync points are logged a little before they are written */
	if (!found || (!uneven && (m->flags & (MESSAGE_SYNC | MESSAGE_TIMED)) !=
				      (MESSAGE_SYNC | MESSAGE_TIMED)))
		return true;
	struct position at;
	if (!reader_find_offset(feed->log, offset, &at))
		return true;
	struct message event = *reader_message(feed->log, at);
	struct clock_reading reading = read_message(feed, feed->log, &event);
	bool sync = reading.kind == CLOCK_READING_POINT;
	if (sync)
		feed->global = reading.b;
	if (!(event.flags & MESSAGE_TIMED))
		return true;
	struct clock_id core = {CLOCK_CORE, trace_number(log), clock_source_of(log)->key(&event)};
	struct clock_link *link = clock_link_between(feed->links, feed->source->matched, own, core);
	if (!link)
		return true;
	link->owner = feed->number;
	link->uneven = uneven;
	add_point(link, uneven ? message_id_offset(m) : m->ticks, sync ? reading.a : event.ticks,
		  message_id_offset(m));
	return true;
}

/* Add the readings of M. Return false if M must be looked at again later. */
static bool
look_at_message(struct clock_feed *feed, const struct message *m)
{
	if (feed->source->matched)
		return note_match(feed, m);
	struct clock_reading reading = read_message(feed, feed->reader, m);
	if (reading.kind == CLOCK_READING_POINT)
		note_point(feed, m, &reading);
	else if (reading.kind == CLOCK_READING_RATE_A)
		add_rate(feed, m->flags & MESSAGE_TIMED ? m->ticks : feed->last_ticks,
			 (uint64_t)reading.hz_a);
	return true;
}

/* Return the table for a trace; NULL: nothing to find. A table that needs a log is used only
 * with one; a table of the trace's own rate only if the profile has none. */
static const struct clock_source *
usable_source(const struct trace *trace)
{
	const struct clock_source *source = clock_source_of(trace);
	if (!source || (source->matched && !serial_of(trace)))
		return NULL;
	return source->a == source->b && trace_options(trace)->clock.hz > 0 ? NULL : source;
}

/* Look at a cell. Return false if that must be done again later. */
static bool
look_at_cell(struct clock_feed *feed, uint64_t cell)
{
	need_reader(feed);
	size_t count = reader_decoded_cell(feed->reader, cell)->count;
	feed->decoded++;
	for (size_t i = 0; i < count; i++) {
		/* looking may load other cells: fetch this one each time */
		const struct decoded_cell *decoded = reader_decoded_cell(feed->reader, cell);
		if (i >= decoded->count)
			break;
		struct message m = decoded->messages[i];
		if (m.flags & MESSAGE_TIMED)
			feed->last_ticks = m.ticks;
		if (clock_source_concerns(feed->source, &m) && !look_at_message(feed, &m))
			return false;
	}
	return true;
}

/* Look at the newly indexed cells. */
static void
look_on(struct clock_feed *feed, struct job *job)
{
	struct index *index = trace_index(feed->trace);
	struct index_cell summary;
	if (!feed->source)
		return;
	while (!job_is_stopping(job) && index_cell(index, feed->next, &summary)) {
		if (summary.flags & CELL_TIMED)
			feed->last_ticks = summary.time_min;
		if (!is_ruled_out(feed->source, &summary) && !look_at_cell(feed, feed->next))
			return;
		feed->next++;
	}
}

/* Add the readings that the index collected during its scan of a cell. */
static void
take_readings(void *context, const struct index_news *cell)
{
	struct clock_feed *feed = context;
	bool timed = cell->cell->flags & CELL_TIMED;
	if (cell->number != feed->next) /* earlier cells came from a file */
		return;
	feed->next++;
	if (timed)
		feed->last_ticks = cell->cell->time_min;
	if (is_ruled_out(feed->source, cell->cell))
		return;
	for (size_t i = 0; i < cell->count; i++) {
		const struct index_reading *r = &cell->readings[i];
		if (r->reading.kind == CLOCK_READING_POINT)
			add_reading(feed, &r->reading, r->sender, r->found_at);
		else if (r->reading.kind == CLOCK_READING_RATE_A)
			add_rate(feed, r->timed ? r->ticks : feed->last_ticks,
				 (uint64_t)r->reading.hz_a);
	}
	if (timed)
		feed->last_ticks = cell->ticks_last;
	feed->decoded++;
}

/* True if the profile gives the rate of some sender's clock. */
static bool
has_configured_rates(const struct session *session)
{
	const struct origin_options *rows = session->profile.origins.at;
	for (size_t i = 0; i < session->profile.origins.count; i++)
		if (rows[i].clock.hz > 0)
			return true;
	return false;
}

/* True if the profile's rates of senders apply to this trace. */
static bool
asks_origins(const struct clock_feed *feed)
{
	return feed->source && feed->source->by_sender && has_configured_rates(feed->session);
}

/* Find the senders with a rate in the profile, if a message's ticks are its sender's. */
static void
look_at_origins(struct clock_feed *feed)
{
	index_origins origins = {0};
	if (!asks_origins(feed))
		return;
	need_reader(feed);
	index_get_origins(trace_index(feed->trace), &origins);
	for (; feed->origins < origins.count; feed->origins++) {
		const struct index_origin *origin = &origins.at[feed->origins];
		struct position at;
		const struct message *m =
		    reader_find_id(feed->reader, (struct message_id){.offset = origin->example},
				   &at)
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

static bool
has_key(const struct clock_feed *feed, uint64_t key)
{
	for (size_t i = 0; i < feed->keys.count; i++)
		if (feed->keys.at[i] == key)
			return true;
	return false;
}

/* Note the keys of the messages' clocks, related or not. */
static void
look_at_keys(struct clock_feed *feed)
{
	index_origins origins = {0};
	if (!feed->source || !feed->source->key)
		return;
	index_get_origins(trace_index(feed->trace), &origins);
	for (; feed->origins < origins.count; feed->origins++) {
		const struct message m = {.origin = origins.at[feed->origins].key};
		uint64_t key = feed->source->key(&m);
		if (key != UINT64_MAX && !has_key(feed, key) && feed->keys.count < KEYS_MAX)
			*vec_add(&feed->keys) = key;
	}
	vec_free(&origins);
}

/* --- restarts ----------------------------------------------------------- */

struct stamp {
	uint64_t ticks, offset;
};
typedef VEC(struct stamp) stamp_list;

/* True if sync points tie the clock that all messages of the trace use. */
static bool
may_restart(const struct clock_feed *feed)
{
	struct clock_id own = clock_id_of(feed->session, feed->number);
	if (!feed->source || feed->source->by_sender || own.kind == CLOCK_OFFSETS)
		return false;
	for (size_t i = 0; i < feed->links->count; i++)
		if (feed->links->at[i]->owner == feed->number &&
		    clock_id_same(&feed->links->at[i]->a, &own))
			return true;
	return false;
}

/* Append the ticks of a cell's undamaged messages. */
static void
add_stamps(struct clock_feed *feed, uint64_t cell, stamp_list *stamps)
{
	const struct decoded_cell *decoded = reader_decoded_cell(feed->reader, cell);
	for (size_t i = 0; i < decoded->count; i++) {
		const struct message *m = &decoded->messages[i];
		if (m->flags & MESSAGE_TIMED && !(m->flags & (MESSAGE_DAMAGED | MESSAGE_SUSPECT)))
			*vec_add(stamps) = (struct stamp){m->ticks, message_id_offset(m)};
	}
}

/* Return the lowest of COUNT ticks, or the highest. With STRAY_LEAST or more, return the second,
 * since one may be wrong. */
static uint64_t
bound_of(const struct stamp *stamps, size_t count, bool highest)
{
	uint64_t flip = highest ? UINT64_MAX : 0, first = UINT64_MAX, second = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		uint64_t ticks = stamps[i].ticks ^ flip;
		second = ticks < first ? first : ticks < second ? ticks : second;
		first = ticks < first ? ticks : first;
	}
	return (count < STRAY_LEAST ? first : second) ^ flip;
}

/* True if the clock starts again at stamp I: all ticks before it, from FIRST on, are higher than
 * those after it. Messages that overtook each other fail this test. */
static bool
is_restart(const stamp_list *stamps, size_t first, size_t i)
{
	const struct stamp *at = stamps->at;
	size_t before = i - first < WINDOW ? i - first : WINDOW;
	size_t after = stamps->count - i < WINDOW ? stamps->count - i : WINDOW;
	return before && at[i].ticks < at[i - 1].ticks &&
	       bound_of(&at[i], after, true) < bound_of(&at[i - before], before, false);
}

/* Note the restarts in a cell whose neighbours are known. */
static void
find_restarts(struct clock_feed *feed, uint64_t cell)
{
	stamp_list stamps = {0};
	need_reader(feed);
	if (cell)
		add_stamps(feed, cell - 1, &stamps);
	size_t first = 0, begin = stamps.count, end;
	add_stamps(feed, cell, &stamps);
	end = stamps.count;
	add_stamps(feed, cell + 1, &stamps);
	uint64_t last = feed->restarts.count ? feed->restarts.at[feed->restarts.count - 1] : 0;
	while (first < begin && stamps.at[first].offset < last)
		first++;
	for (size_t i = begin; i < end && feed->restarts.count < RELATION_SEGMENTS_MAX; i++)
		if (is_restart(&stamps, first, i)) {
			*vec_add(&feed->restarts) = stamps.at[i].offset;
			first = i;
		}
	vec_free(&stamps);
}

/* True if the summaries allow a restart in a cell. Times must step back, and either another
 * restart is near or the cell starts earlier than the previous one. */
static bool
may_restart_in(const struct clock_feed *feed, uint64_t cell, const struct index_cell *summary)
{
	struct index *index = trace_index(feed->trace);
	struct index_cell before;
	size_t count = feed->restarts.count;
	uint64_t last = count ? feed->restarts.at[count - 1] / index_cell_size(index) : 0;
	if (!(summary->flags & CELL_TIME_BACK))
		return false;
	return cell < last + 2 || !index_cell(index, cell - 1, &before) ||
	       !(before.flags & CELL_TIMED) || summary->time_min < before.time_min;
}

static void
look_for_restarts(struct clock_feed *feed, struct job *job)
{
	struct index *index = trace_index(feed->trace);
	struct index_cell summary;
	bool complete = index_is_complete(index);
	if (!may_restart(feed))
		return;
	while (!job_is_stopping(job) && index_cell(index, feed->restart_next, &summary) &&
	       (complete || feed->restart_next + 1 < index_known(index))) {
		if (may_restart_in(feed, feed->restart_next, &summary))
			find_restarts(feed, feed->restart_next);
		feed->restart_next++;
	}
}

/* --- a feed ------------------------------------------------------------ */

bool
clock_feed_is_done(const struct clock_feed *feed)
{
	uint64_t known = index_known(trace_index(feed->trace));
	return !feed->source ||
	       (feed->next >= known && (feed->restart_next >= known || !may_restart(feed)));
}

void
clock_feed_look(struct clock_feed *feed, struct job *job)
{
	look_on(feed, job);
	look_for_restarts(feed, job);
	look_at_origins(feed);
	look_at_keys(feed);
}

void
clock_feed_forget(struct clock_feed *feed)
{
	clock_links_remove(feed->links, feed->number);
	vec_clear(&feed->rates);
	vec_clear(&feed->keys);
	vec_clear(&feed->restarts);
	feed->restart_next = 0;
	feed->global_sought = false;
	feed->next = feed->global = feed->last_ticks = 0;
	feed->origins = 0;
	feed->decoded = 0;
	feed->kept = feed->reopened = false;
}

/* Set the profile's rate of a link's sender, found by its first message. */
static void
add_configured_rate(struct clock_feed *feed, struct clock_link *link)
{
	if (!link->points.points.count || link->b.kind == CLOCK_GLOBAL)
		return;
	need_reader(feed);
	uint64_t found_at = link->points.points.at[0].found_at;
	uint64_t size = index_cell_size(trace_index(feed->trace));
	const struct decoded_cell *decoded = reader_decoded_cell(feed->reader, found_at / size);
	for (size_t i = decoded_cell_find(decoded, found_at); i < decoded->count; i++) {
		struct message m = decoded->messages[i];
		if (message_id_offset(&m) != found_at)
			return;
		if (m.origin != link->b.key || !clock_source_concerns(feed->source, &m))
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
clock_feed_build(struct clock_feed *feed)
{
	struct index *index = trace_index(feed->trace);
	bool plain = clock_source_is_plain(feed->source);
	if (plain)
		index_read_clocks(index, take_readings, feed);
	trace_build(feed->trace);
	if (plain)
		index_read_clocks(index, NULL, NULL);
	clock_feed_add_configured_rates(feed);
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
				    .source = usable_source(trace),
				    .generation = index_generation(trace_index(trace))};
}

void
clock_feed_close(struct clock_feed *feed)
{
	serial_cursor_free(feed->cursor);
	reader_free(feed->log);
	reader_free(feed->reader);
	expansion_free(&feed->e);
	vec_free(&feed->rates);
	vec_free(&feed->keys);
	vec_free(&feed->restarts);
}
