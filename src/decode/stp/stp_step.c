/*
 * STP: assemble packets into messages, see stp_step.h.
 *
 * Packets of several masters and channels interleave.  Which packets begin and end a message
 * depends on the sender's software, so the caller chooses (stp_setup.begin).  An open message
 * keeps only its first bytes (stp_open.h).  Its position is where it ends.
 *
 * Each packet, each start of damage and the end of the capture is one event, at its first nibble.
 * An event can return several messages, and step() can leave and reenter it between them.
 * Messages that it closes are placed at its first byte, the one that it completes at its last.
 * Positions therefore never decrease.
 *
 * A checkpoint is the start of the oldest open message, and the progress of decoding.  Decoding
 * repeats from that start and drops the messages returned before.  If a message was already open
 * at that start, the repeat sees its packets without a start: an orphan.  Each event that closes a
 * message must therefore close its orphan, too.  Such events are a packet of the sender, damage,
 * and each multiple of 64 KiB of the capture, but never the age of the message alone.
 *
 * step() reads the head of each payload and no more.
 */
#include "config.h"

#include "decode/stp/stp_step.h"

#include "base/bytes.h"

enum {
	CUT = 2 * 65536,     /* nibbles from one cut to the next */
	CUTS_OPEN = 5,	     /* cuts that close a message: after 256 KiB */
	CUTS_ORPHAN = 1,     /* cuts that close a message without start */
	QUIET = 2 * 64,	     /* NULL nibbles after which a cut closes all */
	VERSION_GAP = 2 * 64 /* most NULL nibbles between ASYNC and VERSION */
};

/* One call of stp_step(). */
struct stp_run {
	const struct decoder *decoder;
	const struct stp_setup *setup;
	struct stp_stream *state;
	const struct window *window;
	uint64_t base; /* first nibble of the window */
	uint64_t end;  /* nibble after the window */
	uint64_t stop; /* no event starts from here on, except the end */
	struct message *out;
	struct message dropped;
	size_t count, max;
};

/* Indexed by stp_setup.begin, marked, timed. */
static const struct stp_role roles[][2][2] = {
    [STP_BEGIN_TIMED] = {{{false, false}, {true, false}}, {{false, true}, {true, true}}},
    [STP_BEGIN_MARKED] = {{{false, false}, {false, true}}, {{true, false}, {false, true}}},
    [STP_BEGIN_NOWHERE] = {{{false, false}, {false, true}}, {{false, true}, {false, true}}},
};

struct stp_role
stp_role_of(const struct stp_setup *setup, const struct stp_opcode *opcode)
{
	return opcode->what == STP_FLAG ? (struct stp_role){.ends = true}
					: roles[setup->begin][opcode->marked][opcode->timed];
}

/* Packets that belong to no message. */
enum silent { SILENT_NULL, SILENT_TIME, SILENT_SENDER };
const struct silent_row stp_silent[STP_SILENT_COUNT] = {
    [SILENT_NULL] = {.name = "null", .help = "NULL packets"},
    [SILENT_TIME] = {.name = "null_ts", .help = "NULL_TS packets, which move the time"},
    [SILENT_SENDER] = {.name = "sender", .help = "M and C packets: the master and the channel"},
};

/* Count silent nibbles of the current event, unless they were counted before the checkpoint. */
static void
count_silent(struct stp_stream *s, enum silent row, uint64_t nibbles)
{
	if (s->at >= s->border)
		s->base.silent[row] += 4 * nibbles;
}

/* Return END, or the border if it comes first: an event ended there before the checkpoint. */
static uint64_t
end_at_border(const struct stp_stream *s, uint64_t end)
{
	return s->at < s->border && s->border < end ? s->border : end;
}

/* --- repeating --------------------------------------------------------- */

static uint64_t
round_up(uint64_t nibble)
{
	return (nibble + CUT - 1) / CUT * CUT;
}

/* True if the next message was returned before the checkpoint. */
static bool
stream_is_repeating(const struct stp_stream *s)
{
	return s->at < s->border || (s->at == s->border && s->emitted < s->skip);
}

/* Return the point from which decoding must be repeated.  During the repeat, the message that
 * starts there stays open, as it was at the checkpoint. */
static struct stp_point
repeat_point(const struct stp_stream *s)
{
	if (s->held)
		return s->hold;
	if (s->open.oldest)
		return s->open.oldest->start;
	return (struct stp_point){s->at, s->stp};
}

/* Return the struct for the next message.  The caller has checked that one is free. */
static inline struct message *
stream_room(struct stp_run *r)
{
	return stream_is_repeating(r->state) ? &r->dropped : &r->out[r->count++];
}

/* Like stream_room(), for an event that may be left before it is finished. */
static struct message *
stream_emit(struct stp_run *r)
{
	struct stp_stream *s = r->state;
	struct message *m = stream_room(r);
	if (!s->held)
		s->hold = repeat_point(s);
	s->held = true;
	s->emitted++;
	return m;
}

/* Finish the event.  The next one is at AT. */
static void
stream_advance(struct stp_stream *s, uint64_t at)
{
	s->at = at;
	s->emitted = 0;
	s->held = false;
}

static void
stream_consume(struct stp_stream *s, const struct stp_packet *packet)
{
	stream_advance(s, s->at + packet->nibbles);
	s->busy = s->at;
}

/* --- messages ---------------------------------------------------------- */

/* Set offset, length and aux of a message from START to nibble END, with LAST as its last byte. */
static void
fill_place(struct message *m, const struct stp_point *start, uint64_t end, uint64_t last)
{
	m->offset = start->nibble / 2;
	m->length = (uint32_t)(last - m->offset + 1);
	m->aux = stp_aux(&start->stp, start->nibble % 2, (unsigned)(2 * last + 2 - end));
}

static void
fill_row(struct stp_run *r, struct message *m, enum stp_what what, uint64_t end)
{
	struct stp_point start = {r->state->at, r->state->stp};
	const struct stp_protocol *p = r->setup->protocol;
	*m = (struct message){.kind = p->rows[what].kind,
			      .severity = p->rows[what].severity,
			      .origin = p->origin_none};
	if (what == STP_FLAG)
		m->origin = p->data_origin(stp_sender(&start.stp));
	fill_place(m, &start, end, (end - 1) / 2);
}

static void
fill_time(struct message *m, uint64_t ticks, bool certain)
{
	m->ticks = ticks;
	m->flags |= MESSAGE_TIMED;
	if (!certain)
		m->flags |= MESSAGE_ESTIMATED;
}

/* Fill in M from the open message up to nibble END in byte LAST.  WHOLE: it ends here. */
static inline void
fill_message(struct stp_run *r, struct message *m, const struct stp_message *open, uint64_t end,
	     uint64_t last, bool whole)
{
	r->setup->protocol->fill(r->decoder, open, r->window, whole, m);
	m->flags |= open->flags | MESSAGE_SCATTERED;
	m->ticks = open->ticks;
	fill_place(m, &open->start, end, last);
}

static inline struct stp_message *
stream_current(struct stp_stream *s)
{
	if (!s->looked) {
		s->current = stp_open_find(&s->open, stp_sender(&s->stp));
		s->looked = true;
	}
	return s->current;
}

static void
stream_drop_message(struct stp_stream *s, struct stp_message *open)
{
	stp_open_remove(&s->open, open);
	s->looked = false;
}

/* Close a message that the event does not end.  CUT: at invalid bytes.  Return false if the output
 * is full. */
static bool
close_message(struct stp_run *r, struct stp_message *open, bool cut)
{
	struct stp_stream *s = r->state;
	if (r->count == r->max)
		return false;
	/* at the end of the capture the event has no byte */
	uint64_t last = (s->at < r->end ? s->at : s->at - 1) / 2;
	struct message *m = stream_emit(r);
	fill_message(r, m, open, s->at, last, false);
	if (cut || r->setup->protocol->strict)
		m->flags |= MESSAGE_TRUNCATED;
	stream_drop_message(s, open);
	return true;
}

static bool
close_all(struct stp_run *r, bool cut)
{
	while (r->state->open.oldest)
		if (!close_message(r, r->state->open.oldest, cut))
			return false;
	return true;
}

/* At a cut, close the messages that have been open too long. */
static bool
close_old(struct stp_run *r)
{
	struct stp_stream *s = r->state;
	bool quiet = s->cut >= s->busy + QUIET;
	for (struct stp_message *m = s->open.oldest, *newer; m; m = newer) {
		uint64_t cuts = s->cut / CUT - m->start.nibble / CUT;
		newer = m->newer;
		if (quiet || cuts >= (m->orphan ? CUTS_ORPHAN : CUTS_OPEN))
			if (!close_message(r, m, false))
				return false;
	}
	s->cut = round_up(s->at + 1);
	return true;
}

/* --- events ------------------------------------------------------------
 * Each returns false if it could not finish: OUT is full, or the event's last message ends past
 * the window or `until`. */

static void
stream_apply(struct stp_run *r, const struct stp_packet *packet)
{
	struct stp_stream *s = r->state;
	stp_apply(&s->stp, packet, &r->setup->order);
	s->looked = false;
	stream_consume(s, packet);
}

/* Take a packet that only changes the state. */
static bool
take_state(struct stp_run *r, const struct stp_packet *packet)
{
	bool time = packet->opcode->what == STP_TIME_ONLY;
	count_silent(r->state, time ? SILENT_TIME : SILENT_SENDER, packet->nibbles);
	stream_apply(r, packet);
	return true;
}

/* Take a NULL and all that follow up to the next cut. */
static bool
take_null(struct stp_run *r, const struct stp_packet *packet)
{
	struct stp_stream *s = r->state;
	uint64_t at = s->at + packet->nibbles;
	uint64_t end = end_at_border(s, r->stop < s->cut ? r->stop : s->cut);
	if (at % 2 == 0 && at < end) {
		uint64_t byte = (at - r->base) / 2;
		at += 2 * bytes_zero_run(r->window->bytes + byte, (size_t)((end - at) / 2));
	}
	count_silent(s, SILENT_NULL, at - s->at);
	stream_advance(s, at);
	return true;
}

static bool
take_row(struct stp_run *r, const struct stp_packet *packet)
{
	struct stp_stream *s = r->state;
	struct message *m = stream_emit(r);
	fill_row(r, m, packet->opcode->what, s->at + packet->nibbles);
	stp_apply(&s->stp, packet, &r->setup->order);
	if (packet->opcode->timed)
		fill_time(m, s->stp.time, s->stp.certain);
	s->looked = false;
	stream_consume(s, packet);
	return true;
}

/* Mark open messages as suspect after an error packet.  It means lost data of the current channel,
 * of all channels of the current master, or of all masters [STP 2, MERR and GERR, second hand:
 * OpenCSD, ADI, TI]. */
static void
doubt_open(struct stp_stream *s, enum stp_what what)
{
	uint32_t sender = stp_sender(&s->stp);
	uint32_t mask = what == STP_CERR ? UINT32_MAX : what == STP_MERR ? UINT32_MAX << 16 : 0;
	for (struct stp_message *m = s->open.oldest; m; m = m->newer)
		if (!((m->sender ^ sender) & mask))
			m->flags |= MESSAGE_SUSPECT;
}

static bool
take_error(struct stp_run *r, const struct stp_packet *packet)
{
	doubt_open(r->state, packet->opcode->what);
	return take_row(r, packet);
}

/* True if a message that the packet ends may be returned now. */
static bool
can_end(const struct stp_run *r, const struct stp_packet *packet)
{
	uint64_t last = (r->state->at + packet->nibbles - 1) / 2;
	return r->count < r->max && last < r->window->until;
}

static inline void
end_message(struct stp_run *r, struct stp_message *open, const struct stp_packet *packet)
{
	uint64_t end = r->state->at + packet->nibbles;
	struct message *m = stream_room(r); /* the event ends here, too */
	fill_message(r, m, open, end, (end - 1) / 2, true);
	stream_drop_message(r->state, open);
}

/* Set the message's time if the packet has its first timestamp.  Call after the packet has updated
 * the state. */
static inline void
set_time(struct stp_message *open, const struct stp_packet *packet, const struct stp_state *stp)
{
	if (!packet->opcode->timed || open->flags & MESSAGE_TIMED)
		return;
	open->ticks = stp->time;
	open->flags |= MESSAGE_TIMED;
	if (!stp->certain)
		open->flags |= MESSAGE_ESTIMATED;
}

/* Open a message of the current sender.  BEGINS: the packet is an explicit begin. */
static struct stp_message *
open_message(struct stp_run *r, bool begins)
{
	struct stp_stream *s = r->state;
	struct stp_message *open = stp_open_add(&s->open, s->at, &s->stp);
	if (r->window->check)
		stp_message_keep(open);
	open->orphan = !begins && !s->stp.ended; /* the packet after an end is a start */
	if (open->orphan && r->setup->protocol->strict)
		open->flags = MESSAGE_LOST;
	s->current = open;
	s->looked = true;
	return open;
}

static inline __attribute__((always_inline)) bool
add_data(struct stp_run *r, const struct stp_packet *packet, struct stp_role role)
{
	struct stp_stream *s = r->state;
	struct stp_message *open = stream_current(s);

	if (role.begins && open) {
		if (!close_message(r, open, false))
			return false;
		open = NULL;
	}
	if (role.ends && !can_end(r, packet))
		return false;
	if (!open)
		open = open_message(r, role.begins);
	stp_apply_data(&s->stp, packet);
	set_time(open, packet, &s->stp);
	stp_message_add(open, packet->data, packet->data_nibbles);
	if (role.ends)
		end_message(r, open, packet);
	stream_consume(s, packet);
	return true;
}

static bool
take_data(struct stp_run *r, const struct stp_packet *packet)
{
	return add_data(r, packet, stp_role_of(r->setup, packet->opcode));
}

/* End the open message with a FLAG.  Without one, the FLAG is a message. */
static bool
take_flag(struct stp_run *r, const struct stp_packet *packet)
{
	struct stp_message *open = stream_current(r->state);
	if (!open)
		return take_row(r, packet);
	if (!can_end(r, packet))
		return false;
	if (!r->setup->protocol->strict) {
		struct stp_state behind = r->state->stp;
		stp_apply_data(&behind, packet);
		set_time(open, packet, &behind);
	}
	end_message(r, open, packet);
	stp_apply_data(&r->state->stp, packet);
	stream_consume(r->state, packet);
	return true;
}

/* Take ASYNC and the VERSION that must follow it. */
static bool
take_async(struct stp_run *r, const struct stp_packet *packet)
{
	struct stp_stream *s = r->state;
	const struct window *w = r->window;
	struct stp_packet version;
	uint64_t at = s->at + packet->nibbles, end = at;

	while (at < r->end && at < end + VERSION_GAP && !bytes_nibble(w->bytes, at - r->base))
		at++;
	int got = stp_read(&s->stp, w->bytes, w->length, at - r->base, &version);
	bool good = got > 0 && version.opcode->what == STP_VERSION;
	if (good)
		end = at + version.nibbles;
	else if (!close_all(r, true) || r->count == r->max)
		return false;

	struct message *m = stream_emit(r);
	fill_row(r, m, STP_ASYNC, end);
	if (good) {
		m->flags |= MESSAGE_RESYNC;
		stp_apply(&s->stp, &version, &r->setup->order);
	} else {
		m->severity = SEVERITY_ERROR;
		m->flags |= got == ERR_MORE ? MESSAGE_TRUNCATED : MESSAGE_DAMAGED;
		s->stp.sync = STP_SYNC_LOST;
		s->stp.certain = false;
	}
	s->looked = false;
	stream_advance(s, end);
	s->busy = end;
	return true;
}

/* While out of step, return the bytes before the next ASYNC as damage, a piece at a time. */
static bool
take_damage(struct stp_run *r)
{
	struct stp_stream *s = r->state;
	const struct window *w = r->window;
	static const struct stp_packet async = {.nibbles = STP_ASYNC_NIBBLES};
	static const struct stp_packet null = {.nibbles = 1};

	if (!bytes_nibble(w->bytes, s->at - r->base))
		return take_null(r, &null);
	if (stp_is_async(w->bytes, w->length, s->at - r->base))
		return take_async(r, &async);

	uint64_t cut = 2 * decode_run_cut(s->at / 2);
	uint64_t end = stp_find_async(w->bytes, w->length, s->at - r->base, cut - r->base);
	if (end != STP_NOWHERE)
		end += r->base;
	else if (cut + STP_ASYNC_NIBBLES <= r->end)
		end = cut;
	else if (w->last)
		end = cut < r->end ? cut : r->end;
	else
		return false;

	struct message *m = stream_emit(r);
	fill_row(r, m, STP_RESERVED, end);
	m->flags |= s->stp.sync == STP_SYNC_NONE ? MESSAGE_LOST : MESSAGE_DAMAGED;
	s->stp.certain = false;
	stream_advance(s, end);
	s->busy = end;
	return true;
}

/* Take the end of the capture, which may be inside a packet. */
static bool
take_end(struct stp_run *r)
{
	struct stp_stream *s = r->state;
	if (!close_all(r, false))
		return false;
	if (s->at >= r->end || r->count == r->max)
		return false;
	struct message *m = stream_emit(r);
	fill_row(r, m, STP_RESERVED, r->end);
	m->flags |= MESSAGE_TRUNCATED;
	stream_advance(s, r->end);
	return true;
}

static bool (*const takers[STP_WHAT_COUNT])(struct stp_run *, const struct stp_packet *) = {
    [STP_NULL] = take_null,	[STP_TIME_ONLY] = take_state, [STP_MASTER] = take_state,
    [STP_CHANNEL] = take_state, [STP_DATA] = take_data,	      [STP_FLAG] = take_flag,
    [STP_ASYNC] = take_async,	[STP_VERSION] = take_row,     [STP_FREQ] = take_row,
    [STP_TRIG] = take_row,	[STP_XSYNC] = take_row,	      [STP_USER] = take_row,
    [STP_TIME] = take_row,	[STP_MERR] = take_error,      [STP_GERR] = take_error,
    [STP_CERR] = take_error,
};

/* --- the bulk of most streams --------------------------------------------
 * Data, sender changes, a few NULL, and packets that begin or end messages.  The functions above
 * take packets that are rare or cannot finish. */

/* Return the end of the range for the fast path.  Enough bytes follow for unchecked reads, and no
 * cut, border or stop lies inside it. */
static uint64_t
plain_end(const struct stp_run *r)
{
	const struct stp_stream *s = r->state;
	uint64_t end = r->end - r->base > 2 * STP_LOOK ? r->end - 2 * STP_LOOK : r->base;
	if (end > r->stop)
		end = r->stop;
	if (end > s->cut)
		end = s->cut;
	return end_at_border(s, end);
}

/* Progress of the fast path beyond the stream's state.  Positions are nibbles of the window. */
struct stp_plain {
	uint64_t at;		  /* start of the next packet */
	uint64_t first;		  /* stp_look() there */
	uint64_t busy;		  /* as in the state */
	uint32_t sender;	  /* as stp_sender() */
	bool changed;		  /* `sender` differs from the state's */
	struct stp_message *open; /* the sender's open message, once looked up */
	uint64_t nulls, senders;  /* nibbles */
};

/* Bring the stream's state up to date. */
static inline void
settle_plain(struct stp_run *r, struct stp_plain *p)
{
	struct stp_stream *s = r->state;
	if (p->at + r->base != s->at)
		stream_advance(s, p->at + r->base);
	if (!p->changed)
		return;
	stp_set_sender(&s->stp, p->sender);
	s->looked = p->changed = false;
}

/* Continue at AT after a packet that was not NULL.  NEXT is stp_look() there. */
static inline void
go_on(struct stp_plain *p, uint64_t at, uint64_t next)
{
	p->busy = p->at = at;
	p->first = next;
}

/* Each function below takes one packet.  It reads the nibbles after the packet, which show whether
 * an ASYNC cuts it off and are then ready for the next packet.  It returns false if it leaves the
 * packet to the slow path. */

static inline bool
pass_data(struct stp_run *r, struct stp_plain *p)
{
	const uint8_t *bytes = r->window->bytes;
	struct stp_stream *s = r->state;
	unsigned count = stp_usual_data_nibbles(p->first);
	uint64_t end = p->at + 1 + count, next = stp_look(bytes, end);
	if (stp_may_cut(next) || (!p->open && !(p->open = stp_open_find(&s->open, p->sender))))
		return false;
	stp_message_add(p->open, stp_value(bytes, p->at + 1, count, s->stp.lsn), count);
	go_on(p, end, next);
	return true;
}

static inline bool
pass_sender(struct stp_run *r, struct stp_plain *p, const struct stp_short *start, uint64_t next)
{
	uint32_t payload = stp_sender_payload(start, p->first, r->state->stp.lsn);
	p->sender = stp_next_sender(p->sender, start, payload);
	p->changed = true;
	p->open = NULL;
	p->senders += start->nibbles;
	go_on(p, p->at + start->nibbles, next);
	return true;
}

/* Leave long runs to take_null(). */
static inline bool
pass_null(struct stp_plain *p, uint64_t next)
{
	if (!p->first)
		return false;
	p->nulls++;
	p->at++;
	p->first = next;
	return true;
}

/* Take data with a timestamp (TIMED) or a mark (MARKED), which may begin or end a message.  The
 * packet's end is computed before the message is looked up. */
static inline __attribute__((always_inline)) bool
pass_border(struct stp_run *r, struct stp_plain *p, const struct stp_short *start, uint64_t next,
	    bool timed, bool marked)
{
	const uint8_t *bytes = r->window->bytes;
	const bool lsn = r->state->stp.lsn;
	uint64_t time_at = p->at + start->nibbles, end = time_at;
	if (timed) {
		end = stp_time_end(bytes, time_at, r->state->stp.clock);
		if (end == STP_NOWHERE || stp_may_cut(next = stp_look(bytes, end)))
			return false;
	}
	struct stp_packet packet = {
	    .opcode = &stp_opcodes[start->opcode],
	    .nibbles = (uint8_t)(end - p->at),
	    .data_nibbles = start->count,
	    .data = stp_value(bytes, time_at - start->count, start->count, lsn),
	};
	if (timed) {
		packet.time_nibbles = (uint8_t)(end - time_at - 1);
		packet.time = stp_value(bytes, time_at + 1, packet.time_nibbles, lsn);
	}
	settle_plain(r, p);
	if (!add_data(r, &packet, roles[r->setup->begin][marked][timed]))
		return false;
	p->open = NULL;
	go_on(p, end, next);
	return true;
}

/* Take a FLAG without a timestamp that ends a message. */
static inline bool
pass_flag(struct stp_run *r, struct stp_plain *p, const struct stp_short *start, uint64_t next)
{
	const struct stp_packet packet = {.opcode = &stp_opcodes[start->opcode],
					  .nibbles = start->nibbles};
	if (start->timed)
		return false;
	settle_plain(r, p);
	if (!stream_current(r->state) || !take_flag(r, &packet))
		return false;
	p->open = NULL;
	go_on(p, p->at + start->nibbles, next);
	return true;
}

/* One jump selects the kind of packet: each of several branches would be mispredicted as often. */
static inline __attribute__((always_inline)) bool
pass_other(struct stp_run *r, struct stp_plain *p, const struct stp_short *start)
{
	uint64_t next = stp_look(r->window->bytes, p->at + start->nibbles);
	if (stp_may_cut(next))
		return false;
	switch (start->bulk) {
	case STP_BULK_NULL:
		return pass_null(p, next);
	case STP_BULK_SENDER:
		return pass_sender(r, p, start, next);
	case STP_BULK_TIMED:
		return pass_border(r, p, start, next, true, false);
	case STP_BULK_MARKED:
		return pass_border(r, p, start, next, false, true);
	case STP_BULK_BOTH:
		return pass_border(r, p, start, next, true, true);
	case STP_BULK_DATA: /* D4 */
		return pass_border(r, p, start, next, false, false);
	case STP_BULK_FLAG:
		return pass_flag(r, p, start, next);
	default:
		return false;
	}
}

static void
take_plain(struct stp_run *r)
{
	struct stp_stream *s = r->state;
	const struct stp_short *shorts = r->setup->shorts.at;
	const uint64_t end = plain_end(r), counts = s->at >= s->border ? 4 : 0;
	if (s->at >= end)
		return;
	struct stp_plain p = {
	    .at = s->at - r->base,
	    .first = stp_look(r->window->bytes, s->at - r->base),
	    .busy = s->busy - r->base,
	    .sender = stp_sender(&s->stp),
	};
	while (p.at < end - r->base)
		if (!(stp_is_usual_data(p.first) ? pass_data(r, &p)
						 : pass_other(r, &p, &shorts[p.first & 0xff])))
			break;
	s->busy = p.busy + r->base;
	settle_plain(r, &p);
	s->base.silent[SILENT_NULL] += counts * p.nulls;
	s->base.silent[SILENT_SENDER] += counts * p.senders;
}

static bool
take_event(struct stp_run *r)
{
	struct stp_stream *s = r->state;
	struct stp_packet packet;

	if (s->at >= s->cut)
		if (!close_old(r) || r->count == r->max)
			return false;
	if (s->stp.sync != STP_SYNC_GOOD)
		return take_damage(r);
	take_plain(r);
	if (s->at >= r->stop || s->at >= s->cut || r->count == r->max)
		return true;
	int got = stp_read(&s->stp, r->window->bytes, r->window->length, s->at - r->base, &packet);
	if (got > 0)
		return takers[packet.opcode->what](r, &packet);
	if (got == ERR_MORE)
		return take_end(r);
	if (!close_all(r, true))
		return false;
	s->stp.sync = STP_SYNC_LOST;
	return true;
}

void
stp_setup_init(struct stp_setup *setup, const struct stp_protocol *protocol)
{
	*setup = (struct stp_setup){.protocol = protocol};
	stp_make_shorts(&setup->shorts);
}

size_t
stp_step(const struct decoder *decoder, const struct stp_setup *setup, struct decode_state *state,
	 const struct window *w, struct message *out, size_t max)
{
	struct stp_stream *s = (struct stp_stream *)state;
	struct stp_run r = {
	    .decoder = decoder,
	    .setup = setup,
	    .state = s,
	    .window = w,
	    .base = 2 * w->offset,
	    .end = 2 * (w->offset + w->length),
	    .out = out,
	    .max = max,
	};
	uint64_t look = w->last ? 0 : 2 * STP_STEP_LOOK;
	r.stop = r.end > r.base + look ? r.end - look : r.base;
	if (w->until < r.stop / 2)
		r.stop = 2 * w->until;

	while (r.count < max && s->at < r.stop)
		if (!take_event(&r))
			break;
	if (w->last && s->at >= r.end && r.end && r.end / 2 - 1 < w->until)
		close_all(&r, false);
	state->offset = s->at / 2;
	return r.count;
}

/* --- positions --------------------------------------------------------- */

/* Move S to a point where no message is open. */
static void
set_point(struct stp_stream *s, const struct stp_point *point)
{
	stp_open_clear(&s->open);
	s->base.offset = point->nibble / 2;
	s->at = s->busy = s->border = point->nibble;
	s->cut = round_up(s->at);
	s->emitted = s->skip = 0;
	s->held = s->looked = false;
	s->stp = point->stp;
}

void
stp_start(const struct decoder *decoder, struct decode_state *state)
{
	const struct stp_point start = {.stp = {.certain = true}};
	(void)decoder;
	set_point((struct stp_stream *)state, &start);
}

void
stp_release(struct decode_state *state)
{
	stp_open_free(&((struct stp_stream *)state)->open);
}

/* Layout of the checkpoint: the offset of each number. */
enum {
	SAVED_OFFSET = 0,
	SAVED_TIME = 8,
	SAVED_BORDER = 16, /* from the offset on, in nibbles */
	SAVED_SKIP = 24,
	SAVED_MASTER = 28,
	SAVED_CHANNEL = 30,
	SAVED_FLAGS = 32, /* bits: odd 0, lsn 1, certain 2, clock 3-4, sync 5-6, ended 7 */
	SAVED_SIZE = STP_CHECKPOINT
};

static void
stream_put(uint8_t *p, uint64_t value, unsigned size)
{
	for (; size--; value >>= 8)
		*p++ = (uint8_t)value;
}

void
stp_save(const struct decoder *decoder, const struct decode_state *state, uint8_t *out)
{
	const struct stp_stream *s = (const struct stp_stream *)state;
	struct stp_point from = repeat_point(s);
	bool again = stream_is_repeating(s);
	(void)decoder;
	uint64_t offset = from.nibble / 2;
	memcpy(out + SAVED_OFFSET, &offset, sizeof offset);
	stream_put(out + SAVED_TIME, from.stp.time, 8);
	stream_put(out + SAVED_BORDER, (again ? s->border : s->at) - from.nibble, 8);
	stream_put(out + SAVED_SKIP, again ? s->skip : s->emitted, 4);
	stream_put(out + SAVED_MASTER, from.stp.master, 2);
	stream_put(out + SAVED_CHANNEL, from.stp.channel, 2);
	out[SAVED_FLAGS] =
	    (uint8_t)(from.nibble % 2 | from.stp.lsn << 1 | from.stp.certain << 2 |
		      from.stp.clock << 3 | from.stp.sync << 5 | from.stp.ended << 7);
}

void
stp_restore(const struct decoder *decoder, struct decode_state *state, const uint8_t *saved)
{
	struct stp_stream *s = (struct stp_stream *)state;
	uint8_t flags = saved[SAVED_FLAGS];
	uint64_t offset;
	memcpy(&offset, saved + SAVED_OFFSET, sizeof offset);
	const struct stp_point from = {
	    .nibble = 2 * offset + (flags & 1),
	    .stp =
		{
		    .time = bytes_le64(saved + SAVED_TIME),
		    .master = bytes_le16(saved + SAVED_MASTER),
		    .channel = bytes_le16(saved + SAVED_CHANNEL),
		    .clock = flags >> 3 & 3,
		    .sync = flags >> 5 & 3,
		    .lsn = flags >> 1 & 1,
		    .certain = flags >> 2 & 1,
		    .ended = flags >> 7,
		},
	};
	(void)decoder;
	set_point(s, &from);
	s->border = from.nibble + bytes_le64(saved + SAVED_BORDER);
	s->skip = bytes_le32(saved + SAVED_SKIP);
}

int
stp_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	uint64_t found = stp_find_async(w->bytes, w->length, 0, UINT64_MAX);
	(void)decoder;
	if (found == STP_NOWHERE)
		return ERR_SYNC;
	const struct stp_point point = {2 * w->offset + found, {.sync = STP_SYNC_LOST}};
	set_point((struct stp_stream *)state, &point);
	return 0;
}
