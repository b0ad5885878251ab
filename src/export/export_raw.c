/*
 * Cuts of captures: see export_raw.h.
 *
 * The bytes that a decoder needs before the messages differ between formats, and between
 * places in a capture.  So start places are tried, nearest first.  They are the first byte
 * of the messages, the resync points before it, boundaries that the decoder finds further
 * back, and the start of the capture.  A place is right if decoding from there, as if the
 * capture started there, gives the messages of the trace.  Nothing is assumed about the
 * format.
 *
 * Cost: the messages of the cut are decoded twice, and a few before them for each place
 * that fails.
 */
#include "config.h"

#include "export/export_raw.h"
#include "export/export.h"
#include "index/step.h"
#include "session/session.h"

#include <string.h>
#include <unistd.h>

enum {
	STEP = 256,
	PLACES_MAX = 48,
	LEAD_MAX = 1 << 20, /* bytes before the messages */
	CELLS_BACK = 64,    /* cells searched for resync points */
	ORIGINS_MAX = 64,   /* origins to search a last sync for */
	TAIL_MAX = 1 << 16, /* bytes after the last message that may belong to it */
	ENDS_MAX = 16,	    /* more bytes at the end that may complete the last byte's contents */
	ENDS_CUT = 4 << 20  /* largest cut to try these ends with, since each try decodes it */
};

struct cutter {
	struct trace *trace;
	struct reader *reader;
	struct message_id first, last;
	struct position from; /* of the first message */
	uint64_t begin, end;  /* bytes of the messages, from the first to the last */
	uint64_t behind;      /* first byte of the next message, or `end` */
	uint64_t latest;      /* last place to start that still includes all the texts need */
	uint64_t origins[ORIGINS_MAX];
	bool synced[ORIGINS_MAX];
	size_t origin_count;
	uint64_t places[PLACES_MAX];
	size_t count;
	bool (*goes_on)(void *context);
	void *context;
};

static bool
goes_on(const struct cutter *c)
{
	return !c->goes_on || c->goes_on(c->context);
}

/* --- the messages ------------------------------------------------------ */

bool
export_cut_select(struct trace *trace, const struct filter *filter, struct message_id *first,
		  struct message_id *last)
{
	struct reader *reader = reader_new(trace);
	struct expansion scratch = {0};
	struct position at;
	uint64_t judged = UINT64_MAX;
	bool any = false, none = false, more = reader_find_id(reader, *first, &at);
	struct message_id until = *last;
	while (more && message_id_compare(reader_message_id(reader, at), until) <= 0) {
		none =
		    at.cell == judged ? none : filter_judge(filter, trace, at.cell) == FILTER_NONE;
		judged = at.cell;
		if (none) {
			at = (struct position){.cell = at.cell + 1};
			more = at.cell < index_cell_count(trace_index(trace)) &&
			       (reader_message(reader, at) || reader_next(reader, &at, 0));
			continue;
		}
		struct message m = *reader_message(reader, at);
		if (filter_match(filter, reader, &m, &scratch)) {
			*last = reader_message_id(reader, at);
			*first = any ? *first : *last;
			any = true;
		}
		more = reader_next(reader, &at, 0);
	}
	expansion_free(&scratch);
	reader_free(reader);
	return any;
}

/* Note an origin, and whether its first message is a sync.  If texts depend on earlier messages,
 * an origin needs those from its last sync. */
static void
note_origin(struct cutter *c, const struct message *m)
{
	for (size_t i = 0; i < c->origin_count; i++)
		if (c->origins[i] == m->origin)
			return;
	if (c->origin_count < ORIGINS_MAX) {
		c->synced[c->origin_count] = m->flags & MESSAGE_RESYNC;
		c->origins[c->origin_count++] = m->origin;
	}
}

/* Note the sync of an origin before the messages: the cut must include it. */
static void
take_sync(struct cutter *c, const struct message *m)
{
	for (size_t i = 0; i < c->origin_count; i++) {
		if (c->origins[i] != m->origin || c->synced[i])
			continue;
		c->synced[i] = true;
		c->latest = m->offset < c->latest ? m->offset : c->latest;
	}
}

/* Find the bytes of the messages.  Return false on a stop. */
static bool
measure_bytes(struct cutter *c)
{
	struct position at = c->from;
	uint64_t count = 0;
	bool more = true, depend = trace_decoder(c->trace)->needs_history;
	c->begin = UINT64_MAX;
	for (; more; more = reader_next(c->reader, &at, 0)) {
		const struct message *m = reader_message(c->reader, at);
		if (message_id_compare(reader_message_id(c->reader, at), c->last) > 0)
			break;
		c->begin = m->offset < c->begin ? m->offset : c->begin;
		c->end = m->offset + m->length > c->end ? m->offset + m->length : c->end;
		if (depend)
			note_origin(c, m);
		if (!(++count % STEP) && !goes_on(c))
			return false;
	}
	uint64_t size = capture_size(trace_capture(c->trace));
	c->behind = more ? reader_message(c->reader, at)->offset : size;
	if (c->behind < c->end || c->behind - c->end > TAIL_MAX)
		c->behind = c->end;
	return true;
}

/* --- start places ---------------------------------------------------- */

static void
add_place(struct cutter *c, uint64_t offset)
{
	bool known = offset > c->latest || c->begin - offset > LEAD_MAX;
	for (size_t i = 0; i < c->count; i++)
		known |= c->places[i] == offset;
	if (!known && c->count < PLACES_MAX)
		c->places[c->count++] = offset;
}

/* Find the last sync of each origin. */
static void
find_syncs(struct cutter *c)
{
	struct position at = c->from;
	c->latest = c->begin;
	for (bool more = c->origin_count; more;) {
		const struct message *m = reader_message(c->reader, at);
		if (c->begin > m->offset && c->begin - m->offset > LEAD_MAX)
			break;
		if (m->flags & MESSAGE_RESYNC)
			take_sync(c, m);
		more = memchr(c->synced, false, c->origin_count) &&
		       reader_previous(c->reader, &at, CELLS_BACK);
	}
}

/* Add the resync points before the first message, nearest first. */
static void
add_resync_points(struct cutter *c)
{
	struct position at = c->from;
	for (bool more = true; more && c->count < PLACES_MAX / 2;) {
		const struct message *m = reader_message(c->reader, at);
		if (m->flags & MESSAGE_RESYNC && m->offset <= c->begin)
			add_place(c, m->offset);
		if (c->begin > m->offset && c->begin - m->offset > LEAD_MAX)
			break;
		more = reader_previous(c->reader, &at, CELLS_BACK);
	}
}

/* Add the boundary that the decoder finds from OFFSET. */
static void
add_boundary(struct cutter *c, uint64_t offset)
{
	const struct decoder *decoder = trace_decoder(c->trace);
	struct window window = reader_window(c->reader);
	struct decode_state *state = decode_state_new(decoder);
	window.bytes += offset - window.offset;
	window.length -= (size_t)(offset - window.offset);
	window.offset = offset;
	if (!step_resync(trace_capture(c->trace), decoder, state, &window, offset) &&
	    state->offset <= c->begin)
		add_place(c, state->offset);
	decode_state_free(decoder, state);
}

static void
add_places(struct cutter *c)
{
	find_syncs(c);
	add_place(c, c->latest);
	add_resync_points(c);
	for (uint64_t back = 64; back <= LEAD_MAX && back <= c->begin; back *= 2)
		add_boundary(c, c->begin - back);
	add_place(c, 0);
}

/* --- tests of a place ------------------------------------------------ */

/* A walk over the messages of a cut. */
struct cut_walk {
	struct decode_state *state;
	struct window window;
	struct message messages[STEP];
	size_t at, count;
};

static const struct message *
next_of_cut(struct cut_walk *walk, const struct decoder *decoder)
{
	if (walk->at == walk->count) {
		walk->at = 0;
		walk->count =
		    decoder->ops->step(decoder, walk->state, &walk->window, walk->messages, STEP);
	}
	return walk->at < walk->count ? &walk->messages[walk->at++] : NULL;
}

/* True if both are the same message, except for the offset and a difference of APART ticks. */
static bool
is_same(const struct message *own, const struct message *cut, uint64_t begin, uint64_t apart)
{
	const unsigned flags = ((1u << MESSAGE_FLAGS_SHOWN) - 1) | MESSAGE_TIMED |
			       MESSAGE_SCATTERED | MESSAGE_SENDER_TIMED;
	return own->offset == cut->offset + begin && own->length == cut->length &&
	       own->kind == cut->kind && own->severity == cut->severity &&
	       own->origin == cut->origin && !((own->flags ^ cut->flags) & flags) &&
	       (!(own->flags & MESSAGE_TIMED) || own->ticks - cut->ticks == apart) &&
	       (!(own->flags & MESSAGE_SENDER_TIMED) || own->sender_ticks == cut->sender_ticks);
}

/* True if CUT may be the same message as OWN, the first one with ticks.  Set *APART to the
 * difference of their ticks. */
static bool
is_first(const struct message *own, const struct message *cut, uint64_t begin, bool shifts,
	 uint64_t *apart)
{
	bool timed = own->flags & cut->flags & MESSAGE_TIMED;
	*apart = shifts && timed ? own->ticks - cut->ticks : 0;
	return is_same(own, cut, begin, *apart);
}

/* Compare the messages of the trace with those of WALK.  Return 1 if all are there, 0 if not, or
 * ERR_CANCELLED. */
static int
compare_messages(struct cutter *c, struct cut_walk *walk, uint64_t begin, bool shifts,
		 struct export_cut *cut)
{
	const struct decoder *decoder = trace_decoder(c->trace);
	struct position at = c->from;
	uint64_t apart = 0;
	bool known = !shifts;
	cut->messages = 0;
	for (bool more = true; more; more = reader_next(c->reader, &at, 0)) {
		struct message own = *reader_message(c->reader, at);
		const struct message *got;
		if (message_id_compare(reader_message_id(c->reader, at), c->last) > 0)
			break;
		if (own.kind == DECODE_KIND_LOSS)
			continue;
		do {
			got = next_of_cut(walk, decoder);
			if (got && !known && own.flags & MESSAGE_TIMED)
				known = is_first(&own, got, begin, shifts, &apart);
		} while (got && !cut->messages && !is_same(&own, got, begin, apart));
		if (!got || !is_same(&own, got, begin, apart))
			return 0;
		if (!(++cut->messages % STEP) && !goes_on(c))
			return ERR_CANCELLED;
	}
	cut->ticks_differ = apart;
	return 1;
}

/* True if no message after the cut's own is truncated or damaged. */
static bool
ends_whole(struct cut_walk *walk, const struct decoder *decoder)
{
	const struct message *m;
	for (int i = 0; i < STEP && (m = next_of_cut(walk, decoder)); i++)
		if (m->flags & (MESSAGE_TRUNCATED | MESSAGE_DAMAGED))
			return false;
	return true;
}

/* Decode the bytes from BEGIN to END as a capture.  Return 1 if it has the messages, 0 if not,
 * or ERR_CANCELLED.  *CLEAN, unless NULL: it also has nothing cut off after them. */
static int
try_cut(struct cutter *c, uint64_t begin, uint64_t end, bool shifts, struct export_cut *cut,
	bool *clean)
{
	const struct decoder *decoder = trace_decoder(c->trace);
	struct window whole = reader_window(c->reader);
	struct cut_walk walk = {.state = decode_state_new(decoder),
				.window = {.bytes = whole.bytes + (begin - whole.offset),
					   .length = (size_t)(end - begin),
					   .until = UINT64_MAX,
					   .last = true}};
	decoder->ops->start(decoder, walk.state);
	int found = compare_messages(c, &walk, begin, shifts, cut);
	if (clean)
		*clean = found > 0 && ends_whole(&walk, decoder);
	decode_state_free(decoder, walk.state);
	cut->begin = begin;
	cut->end = end;
	return found;
}

/* Try all places.  Return 1 if one is right, 0 if none, or ERR_CANCELLED. */
static int
try_places(struct cutter *c, struct export_cut *cut)
{
	uint64_t size = capture_size(trace_capture(c->trace));
	uint64_t reach = trace_decoder(c->trace)->ops->reach;
	uint64_t ends[] = {c->behind, size - c->behind < reach ? size : c->behind + reach};
	int found = 0;
	for (int shifts = 0; !found && shifts < 2; shifts++)
		for (size_t i = 0; !found && i < c->count; i++)
			for (size_t e = 0; !found && e < 2; e++)
				found = try_cut(c, c->places[i], ends[e], shifts, cut, NULL);
	return found;
}

/* Extend the cut by a few bytes if that makes its end clean.  The last message may end inside a
 * byte, and the rest of that byte would be cut off. */
static int
end_whole(struct cutter *c, struct export_cut *cut)
{
	const struct export_cut found = *cut;
	uint64_t size = capture_size(trace_capture(c->trace));
	bool shifts = found.ticks_differ, whole = false;
	if (found.end - found.begin > ENDS_CUT)
		return 1;
	for (unsigned i = 0; i <= ENDS_MAX && !whole && found.end + i <= size; i++) {
		int tried = try_cut(c, found.begin, found.end + i, shifts, cut, &whole);
		if (tried < 0)
			return tried;
	}
	if (!whole)
		*cut = found;
	return 1;
}

static int
find_cut(struct cutter *c, struct export_cut *cut, struct err *err)
{
	const char *name = trace_decoder(c->trace)->ops->format;
	if (trace_group(c->trace))
		return err_set(err, ERR_UNSUPPORTED,
			       "%s is a part of %s and is read with it: no cut of it decodes alone",
			       trace_name(c->trace), trace_group(c->trace));
	if (!reader_find_id(c->reader, c->first, &c->from))
		return err_set(err, ERR_UNSUPPORTED, "there are no messages to cut out");
	if (!measure_bytes(c))
		return ERR_CANCELLED;
	if (c->begin >= c->end)
		return err_set(err, ERR_UNSUPPORTED, "these messages have no bytes to cut out");
	add_places(c);
	int found = try_places(c, cut);
	if (found > 0)
		found = end_whole(c, cut);
	return found < 0 ? found
	       : found	 ? 0
			 : err_set(err, ERR_UNSUPPORTED,
				   "no cut of this %s trace decodes to these messages: there is no "
				     "place to begin within 1 MiB before them",
				   name);
}

int
export_cut_find(struct trace *trace, struct message_id first, struct message_id last,
		bool (*asked)(void *context), void *context, struct export_cut *cut,
		struct err *err)
{
	struct cutter c = {.trace = trace,
			   .reader = reader_new(trace),
			   .first = first,
			   .last = last,
			   .goes_on = asked,
			   .context = context};
	*cut = (struct export_cut){0};
	int failed = find_cut(&c, cut, err);
	reader_free(c.reader);
	return failed;
}

/* Find the one trace to write. */
static int
find_trace(const struct session *session, const struct export_options *options,
	   struct trace **trace, struct err *err)
{
	size_t count = 0;
	for (size_t i = 0; i < session->traces.count; i++)
		if (trace_is_among(session->traces.at[i], options->source)) {
			*trace = session->traces.at[i];
			count++;
		}
	if (count > 1)
		return err_set(err, ERR_USAGE,
			       "-t raw writes one trace; name one of %zu with --source", count);
	if (isatty(options->output->file))
		return err_set(err, ERR_USAGE,
			       "-t raw writes bytes, which a terminal cannot show: add -o FILE");
	return 0;
}

int
export_raw(struct session *session, const struct export_options *options,
	   const struct export_sink *sink, struct export_result *result, struct err *err)
{
	enum { PIECE = 256 * 1024 };
	struct message_id first = {0}, last = {.offset = UINT64_MAX, .ordinal = UINT32_MAX};
	struct export_cut cut;
	struct trace *trace = NULL;
	int failed = find_trace(session, options, &trace, err);
	if (failed)
		return failed;
	while (trace_wait(trace))
		continue;
	index_build(trace_index(trace));
	if (!export_cut_select(trace, &options->filter, &first, &last))
		return 0;
	failed = export_cut_find(trace, first, last, NULL, NULL, &cut, err);
	const uint8_t *bytes = capture_bytes(trace_capture(trace));
	for (uint64_t at = cut.begin, piece; !failed && at < cut.end; at += piece) {
		piece = cut.end - at < PIECE ? cut.end - at : PIECE;
		text_add_bytes(sink->out, bytes + at, (size_t)piece);
		failed = export_sink_flush(sink, err);
	}
	result->messages = failed ? 0 : cut.messages;
	return failed;
}
