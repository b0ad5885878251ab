/*
 * SyS-T over MIPI STP: from packets to messages.
 *
 * Packets of several masters and channels interleave.  A message starts with a
 * timestamp, or without one right behind an end of the same sender; it ends with a
 * mark or a FLAG of that sender, and stands where it ends.  The sequences are DnMTS,
 * DnTS-Dn*-DnM and DnTS-Dn*-FLAG [SyS-T 1.0, "MIPI STPv2 Protocol Encoding"].  Of one
 * under way only the first bytes are kept (stp_open.h).
 *
 * Each packet, each start of damage and the end of the capture is one event,
 * at its first nibble.  An event can give several messages and be left and
 * entered again between them.  What it closes stands at its first byte, what
 * it completes at its last: so places never decrease.
 *
 * A checkpoint is the point where the oldest open message starts, and how far
 * decoding had got: it is repeated from there, and what was handed out before
 * is dropped.  To packets of a message that was open at that point already,
 * repeating sees no start.  Whatever closes a message must therefore close
 * such orphans too: a packet of the sender, damage, or a multiple of 64 KiB
 * of the capture, but never the age of the message alone.
 *
 * Stepping reads the head of each payload and no more.
 */
#include "config.h"

#include "decode/syst/syst_stp.h"

#include "base/bytes.h"
#include "decode/stp/stp_open.h"
#include "decode/syst/syst_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CUT = 2 * 65536,	  /* nibbles between the places that close messages */
	CUTS_OPEN = 5,		  /* the one that closes a message: after 256 KiB */
	CUTS_ORPHAN = 1,	  /* the one that closes a message without start */
	QUIET = 2 * 64,		  /* nibbles NULL before a cut that closes all */
	VERSION_GAP = 2 * 64,	  /* most nibbles NULL between ASYNC and VERSION */
	LOOK = 64 + 2 * STP_LOOK, /* bytes that decide about any event but damage */
	REACH = 65536 + 64 + LOOK
};

/* Raw key of senders that are not SyS-T's, before the master is mixed in. */
#define ORIGIN_DATA UINT64_MAX

struct syst_stp_state {
	struct decode_state base;
	uint64_t at;	  /* nibble of the next event */
	uint64_t cut;	  /* the next multiple of CUT */
	uint64_t busy;	  /* end of the last packet that was not NULL */
	uint32_t emitted; /* messages of this event that were handed out */

	/* what comes before message `skip` of the event at `border` is dropped */
	uint64_t border;
	uint32_t skip;

	/* once an event has handed out something: where its oldest message
	 * started, so that all it closes can be found again */
	bool held;
	struct stp_point hold;

	struct stp_state stp;
	struct stp_open open;
	bool looked;		     /* `current` is valid */
	struct stp_message *current; /* of the current master and channel */
};

/* One call of step. */
struct syst_stp_run {
	const struct stp_decoder *decoder;
	struct syst_stp_state *state;
	const struct window *window;
	uint64_t base; /* first nibble of the window */
	uint64_t end;  /* nibble after its last one */
	uint64_t stop; /* no event at or past it, save the last */
	struct message *out;
	struct message dropped;
	size_t count, max;
};

/* What gives a row of its own. */
static const struct syst_stp_row {
	uint8_t kind, severity;
} rows[STP_WHAT_COUNT] = {
    [STP_ASYNC] = {SYST_STP_ASYNC, SEVERITY_DEBUG},
    [STP_VERSION] = {SYST_STP_ASYNC, SEVERITY_DEBUG},
    [STP_FREQ] = {SYST_STP_FREQ, SEVERITY_DEBUG},
    [STP_TRIG] = {SYST_STP_TRIG, SEVERITY_WARNING},
    [STP_XSYNC] = {SYST_STP_XSYNC, SEVERITY_DEBUG},
    [STP_USER] = {SYST_STP_USER, SEVERITY_DEBUG},
    [STP_TIME] = {SYST_STP_TIME, SEVERITY_DEBUG},
    [STP_MERR] = {SYST_STP_MERR, SEVERITY_ERROR},
    [STP_GERR] = {SYST_STP_GERR, SEVERITY_ERROR},
    [STP_CERR] = {SYST_STP_CERR, SEVERITY_ERROR},
    [STP_FLAG] = {SYST_DATA, SEVERITY_DEBUG},
    [STP_RESERVED] = {SYST_DAMAGE, SEVERITY_ERROR},
};

/* Packets that belong to no message. */
enum silent { SILENT_NULL, SILENT_TIME, SILENT_SENDER, SILENT_COUNT };
static const struct silent_row silent[SILENT_COUNT] = {
    [SILENT_NULL] = {.name = "null", .help = "NULL packets"},
    [SILENT_TIME] = {.name = "null_ts", .help = "NULL_TS packets, which move the time"},
    [SILENT_SENDER] = {.name = "sender", .help = "M and C packets: the master and the channel"},
};

/* Of the event at the state's place; what comes before the checkpoint was counted. */
static void
count_silent(struct syst_stp_state *s, enum silent row, uint64_t nibbles)
{
	if (s->at >= s->border)
		s->base.silent[row] += 4 * nibbles;
}

/* Where an event that can end anywhere before END does: an event ended at the border. */
static uint64_t
end_at_border(const struct syst_stp_state *s, uint64_t end)
{
	return s->at < s->border && s->border < end ? s->border : end;
}

/* --- repeating --------------------------------------------------------- */

static uint64_t
round_up(uint64_t nibble)
{
	return (nibble + CUT - 1) / CUT * CUT;
}

/* Whether the next message was handed out before the checkpoint. */
static bool
syst_stp_is_repeating(const struct syst_stp_state *s)
{
	return s->at < s->border || (s->at == s->border && s->emitted < s->skip);
}

/* From where decoding has to be repeated.  While it is, the message that
 * starts there is open: it was when the checkpoint was taken. */
static struct stp_point
repeat_point(const struct syst_stp_state *s)
{
	if (s->held)
		return s->hold;
	if (s->open.oldest)
		return s->open.oldest->start;
	return (struct stp_point){s->at, s->stp};
}

/* The next message is to be written here; there is room for it. */
static struct message *
syst_stp_emit(struct syst_stp_run *r)
{
	struct syst_stp_state *s = r->state;
	bool again = syst_stp_is_repeating(s);
	s->hold = repeat_point(s);
	s->held = true;
	s->emitted++;
	return again ? &r->dropped : &r->out[r->count++];
}

/* The event is over; the next one is at AT. */
static void
syst_stp_advance(struct syst_stp_state *s, uint64_t at)
{
	s->at = at;
	s->emitted = 0;
	s->held = false;
}

static void
syst_stp_consume(struct syst_stp_state *s, const struct stp_packet *packet)
{
	syst_stp_advance(s, s->at + packet->nibbles);
	s->busy = s->at;
}

/* --- messages ---------------------------------------------------------- */

/* Fills the place of a message between two nibbles of the capture, the last
 * byte of which is LAST. */
static void
fill_place(struct message *m, const struct stp_point *start, uint64_t end, uint64_t last)
{
	m->offset = start->nibble / 2;
	m->length = (uint32_t)(last - m->offset + 1);
	m->aux = stp_aux(&start->stp, start->nibble % 2, (unsigned)(2 * last + 2 - end));
}

static void
fill_row(struct syst_stp_run *r, struct message *m, enum stp_what what, uint64_t end)
{
	struct stp_point start = {r->state->at, r->state->stp};
	*m = (struct message){
	    .kind = rows[what].kind, .severity = rows[what].severity, .origin = SYST_ORIGIN_NONE};
	if (what == STP_FLAG)
		m->origin = ORIGIN_DATA ^ stp_sender_key(stp_sender(&start.stp));
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

/* Whether a message looks like SyS-T: a known type and subtype, and the size
 * that it must have if it is a single word. */
static bool
is_syst(const struct stp_message *open, const struct syst_peek *peek, size_t length)
{
	if (open->flags & MESSAGE_LOST)
		return false;
	if (peek->kind == SYST_BAD || peek->kind == SYST_UNKNOWN)
		return false;
	if (peek->suspect) /* with reserved bits, its length must speak for it */
		return peek->has_length && length == peek->length;
	return peek->prefix || length == peek->length;
}

/* The timestamp in a message is on its sender's clock, beside the transport's; of one
 * that was cut short it may be missing. */
static void
fill_sender_time(const struct syst_peek *peek, size_t length, struct message *m)
{
	m->flags &= (uint16_t)~MESSAGE_TIMED;
	if (!peek->has_ticks || length < peek->prefix)
		return;
	m->flags |= MESSAGE_SENDER_TIMED;
	m->sender_ticks = peek->ticks;
}

/* The open message as it is now, up to nibble END in byte LAST; WHOLE: it ends here. */
static void
fill_message(struct syst_stp_run *r, struct message *m, const struct stp_message *open,
	     uint64_t end, uint64_t last, bool whole)
{
	struct decode_check *check = r->window->check;
	size_t length = (open->nibbles + 1) / 2;
	struct syst_peek peek;
	syst_peek(open->head, length, &peek);
	if (is_syst(open, &peek, length)) {
		syst_fill(&peek, length, m);
		fill_sender_time(&peek, length, m);
	} else {
		*m = (struct message){
		    .kind = SYST_DATA, .severity = SEVERITY_DEBUG, .origin = ORIGIN_DATA};
	}
	m->origin ^= stp_sender_key(open->sender);
	m->flags |= open->flags | MESSAGE_SCATTERED;
	m->ticks = open->ticks;
	fill_place(m, &open->start, end, last);
	const uint8_t *payload = check ? stp_message_payload(open) : NULL;
	if (payload && whole && m->flags & MESSAGE_CHECKED)
		syst_settle(&r->decoder->syst, payload, length, check, m);
}

static struct stp_message *
syst_stp_current(struct syst_stp_state *s)
{
	if (!s->looked) {
		s->current = stp_open_find(&s->open, stp_sender(&s->stp));
		s->looked = true;
	}
	return s->current;
}

static void
syst_stp_drop_message(struct syst_stp_state *s, struct stp_message *open)
{
	stp_open_remove(&s->open, open);
	s->looked = false;
}

/* The event closes a message whose end is missing.  False: no room. */
static bool
close_message(struct syst_stp_run *r, struct stp_message *open)
{
	struct syst_stp_state *s = r->state;
	if (r->count == r->max)
		return false;
	/* at the end of the capture there is no byte of the event */
	uint64_t last = (s->at < r->end ? s->at : s->at - 1) / 2;
	struct message *m = syst_stp_emit(r);
	fill_message(r, m, open, s->at, last, false);
	m->flags |= MESSAGE_TRUNCATED;
	syst_stp_drop_message(s, open);
	return true;
}

static bool
close_all(struct syst_stp_run *r)
{
	while (r->state->open.oldest)
		if (!close_message(r, r->state->open.oldest))
			return false;
	return true;
}

/* At a cut: closes what has been open for too long. */
static bool
close_old(struct syst_stp_run *r)
{
	struct syst_stp_state *s = r->state;
	bool quiet = s->cut >= s->busy + QUIET;
	for (struct stp_message *m = s->open.oldest, *newer; m; m = newer) {
		uint64_t cuts = s->cut / CUT - m->start.nibble / CUT;
		newer = m->newer;
		if (quiet || cuts >= (m->flags & MESSAGE_LOST ? CUTS_ORPHAN : CUTS_OPEN))
			if (!close_message(r, m))
				return false;
	}
	s->cut = round_up(s->at + 1);
	return true;
}

/* --- events ------------------------------------------------------------
 * Each returns false if it could not be finished: OUT is full, or its last
 * message stands past the window or `until`. */

static void
syst_stp_apply(struct syst_stp_run *r, const struct stp_packet *packet)
{
	struct syst_stp_state *s = r->state;
	stp_apply(&s->stp, packet, &r->decoder->order);
	s->looked = false;
	syst_stp_consume(s, packet);
}

/* Packets that say nothing by themselves. */
static bool
take_state(struct syst_stp_run *r, const struct stp_packet *packet)
{
	bool time = packet->opcode->what == STP_TIME_ONLY;
	count_silent(r->state, time ? SILENT_TIME : SILENT_SENDER, packet->nibbles);
	syst_stp_apply(r, packet);
	return true;
}

/* NULL, and those that follow up to the next cut. */
static bool
take_null(struct syst_stp_run *r, const struct stp_packet *packet)
{
	struct syst_stp_state *s = r->state;
	uint64_t at = s->at + packet->nibbles;
	uint64_t end = end_at_border(s, r->stop < s->cut ? r->stop : s->cut);
	if (at % 2 == 0 && at < end) {
		uint64_t byte = (at - r->base) / 2;
		at += 2 * bytes_zero_run(r->window->bytes + byte, (size_t)((end - at) / 2));
	}
	count_silent(s, SILENT_NULL, at - s->at);
	syst_stp_advance(s, at);
	return true;
}

static bool
take_row(struct syst_stp_run *r, const struct stp_packet *packet)
{
	struct syst_stp_state *s = r->state;
	struct message *m = syst_stp_emit(r);
	fill_row(r, m, packet->opcode->what, s->at + packet->nibbles);
	stp_apply(&s->stp, packet, &r->decoder->order);
	if (packet->opcode->timed)
		fill_time(m, s->stp.time, s->stp.certain);
	s->looked = false;
	syst_stp_consume(s, packet);
	return true;
}

/* An error says that data were lost: of the current channel, of all channels of
 * the current master, or of all masters [STP 2, MERR and GERR, second hand: OpenCSD, ADI,
 * TI].  No message that is open is sure to be whole. */
static void
doubt_open(struct syst_stp_state *s, enum stp_what what)
{
	uint32_t sender = stp_sender(&s->stp);
	uint32_t mask = what == STP_CERR ? UINT32_MAX : what == STP_MERR ? UINT32_MAX << 16 : 0;
	for (struct stp_message *m = s->open.oldest; m; m = m->newer)
		if (!((m->sender ^ sender) & mask))
			m->flags |= MESSAGE_SUSPECT;
}

static bool
take_error(struct syst_stp_run *r, const struct stp_packet *packet)
{
	doubt_open(r->state, packet->opcode->what);
	return take_row(r, packet);
}

/* Whether a message that the packet ends may be handed out now. */
static bool
can_end(const struct syst_stp_run *r, const struct stp_packet *packet)
{
	uint64_t last = (r->state->at + packet->nibbles - 1) / 2;
	return r->count < r->max && last < r->window->until;
}

static void
end_message(struct syst_stp_run *r, struct stp_message *open, const struct stp_packet *packet)
{
	uint64_t end = r->state->at + packet->nibbles;
	fill_message(r, syst_stp_emit(r), open, end, (end - 1) / 2, true);
	syst_stp_drop_message(r->state, open);
}

/* A NULL, but not many. */
static bool
is_gap(const uint8_t *bytes, uint64_t nibble)
{
	uint64_t some = stp_load(bytes, nibble);
	return some && !(some & 15);
}

/* The bulk of most streams: data that goes on with open messages, and senders that
 * take turns.  What gives a message, or is unusual, is left to the others. */
static void
take_plain(struct syst_stp_run *r)
{
	struct syst_stp_state *s = r->state;
	const uint8_t *bytes = r->window->bytes;
	uint64_t at = s->at, busy = s->busy, data, nulls = 0, senders = 0;
	uint64_t end = r->end - r->base > 2 * STP_LOOK ? r->end - 2 * STP_LOOK : r->base;
	if (end > r->stop)
		end = r->stop;
	if (end > s->cut)
		end = s->cut;
	end = end_at_border(s, end);
	while (at < end) {
		unsigned got = stp_read_plain(&s->stp, bytes, at - r->base, &data);
		if (got) {
			struct stp_message *open = syst_stp_current(s);
			if (!open)
				break;
			stp_message_add(open, data, got - 1);
		} else if ((got = stp_take_sender(&s->stp, bytes, at - r->base))) {
			s->looked = false;
			senders += got;
		} else if (is_gap(bytes, at - r->base)) {
			nulls++;
			at++;
			continue;
		} else {
			break;
		}
		at += got;
		busy = at;
	}
	if (at == s->at)
		return;
	count_silent(s, SILENT_NULL, nulls);
	count_silent(s, SILENT_SENDER, senders);
	syst_stp_advance(s, at);
	s->busy = busy;
}

static bool
take_data(struct syst_stp_run *r, const struct stp_packet *packet)
{
	struct syst_stp_state *s = r->state;
	struct stp_message *open = syst_stp_current(s);
	bool timed = packet->opcode->timed, marked = packet->opcode->marked;

	if (timed && open) {
		if (!close_message(r, open))
			return false;
		open = NULL;
	}
	if (marked && !can_end(r, packet))
		return false;
	if (!open) {
		struct stp_point start = {s->at, s->stp};
		open = stp_open_add(&s->open, &start);
		open->keeps = r->window->check != NULL;
		if (timed)
			open->flags = MESSAGE_TIMED;
		else if (!s->stp.ended) /* a start without time, behind an end, is one */
			open->flags = MESSAGE_LOST;
		s->current = open;
		s->looked = true;
	}
	stp_apply(&s->stp, packet, &r->decoder->order);
	if (timed) {
		open->ticks = s->stp.time;
		if (!s->stp.certain)
			open->flags |= MESSAGE_ESTIMATED;
	}
	stp_message_add(open, packet->data, packet->data_nibbles);
	if (marked)
		end_message(r, open, packet);
	syst_stp_consume(s, packet);
	return true;
}

/* FLAG ends a message; where none is open it stands for itself. */
static bool
take_flag(struct syst_stp_run *r, const struct stp_packet *packet)
{
	struct stp_message *open = syst_stp_current(r->state);
	if (!open)
		return take_row(r, packet);
	if (!can_end(r, packet))
		return false;
	end_message(r, open, packet);
	syst_stp_apply(r, packet);
	return true;
}

/* ASYNC and the VERSION that must follow it. */
static bool
take_async(struct syst_stp_run *r, const struct stp_packet *packet)
{
	struct syst_stp_state *s = r->state;
	const struct window *w = r->window;
	struct stp_packet version;
	uint64_t at = s->at + packet->nibbles, end = at;

	while (at < r->end && at < end + VERSION_GAP && !bytes_nibble(w->bytes, at - r->base))
		at++;
	int got = stp_read(&s->stp, w->bytes, w->length, at - r->base, &version);
	bool good = got > 0 && version.opcode->what == STP_VERSION;
	if (good)
		end = at + version.nibbles;
	else if (!close_all(r) || r->count == r->max)
		return false;

	struct message *m = syst_stp_emit(r);
	fill_row(r, m, STP_ASYNC, end);
	if (good) {
		m->flags |= MESSAGE_RESYNC;
		stp_apply(&s->stp, &version, &r->decoder->order);
	} else {
		m->severity = SEVERITY_ERROR;
		m->flags |= got == ERR_MORE ? MESSAGE_TRUNCATED : MESSAGE_DAMAGED;
		s->stp.sync = STP_SYNC_LOST;
		s->stp.certain = false;
	}
	s->looked = false;
	syst_stp_advance(s, end);
	s->busy = end;
	return true;
}

/* Out of step: shows what lies before the next ASYNC, a piece at a time. */
static bool
take_damage(struct syst_stp_run *r)
{
	struct syst_stp_state *s = r->state;
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

	struct message *m = syst_stp_emit(r);
	fill_row(r, m, STP_RESERVED, end);
	m->flags |= s->stp.sync == STP_SYNC_NONE ? MESSAGE_LOST : MESSAGE_DAMAGED;
	s->stp.certain = false;
	syst_stp_advance(s, end);
	s->busy = end;
	return true;
}

/* The capture ends, perhaps inside a packet. */
static bool
take_end(struct syst_stp_run *r)
{
	struct syst_stp_state *s = r->state;
	if (!close_all(r))
		return false;
	if (s->at >= r->end || r->count == r->max)
		return false;
	struct message *m = syst_stp_emit(r);
	fill_row(r, m, STP_RESERVED, r->end);
	m->flags |= MESSAGE_TRUNCATED;
	syst_stp_advance(s, r->end);
	return true;
}

static bool (*const takers[STP_WHAT_COUNT])(struct syst_stp_run *, const struct stp_packet *) = {
    [STP_NULL] = take_null,	[STP_TIME_ONLY] = take_state, [STP_MASTER] = take_state,
    [STP_CHANNEL] = take_state, [STP_DATA] = take_data,	      [STP_FLAG] = take_flag,
    [STP_ASYNC] = take_async,	[STP_VERSION] = take_row,     [STP_FREQ] = take_row,
    [STP_TRIG] = take_row,	[STP_XSYNC] = take_row,	      [STP_USER] = take_row,
    [STP_TIME] = take_row,	[STP_MERR] = take_error,      [STP_GERR] = take_error,
    [STP_CERR] = take_error,
};

static bool
take_event(struct syst_stp_run *r)
{
	struct syst_stp_state *s = r->state;
	struct stp_packet packet;

	if (s->at >= s->cut)
		if (!close_old(r) || r->count == r->max)
			return false;
	if (s->stp.sync != STP_SYNC_GOOD)
		return take_damage(r);
	take_plain(r);
	if (s->at >= r->stop || s->at >= s->cut)
		return true;
	int got = stp_read(&s->stp, r->window->bytes, r->window->length, s->at - r->base, &packet);
	if (got > 0)
		return takers[packet.opcode->what](r, &packet);
	if (got == ERR_MORE)
		return take_end(r);
	if (!close_all(r))
		return false;
	s->stp.sync = STP_SYNC_LOST;
	return true;
}

static size_t
syst_stp_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	      struct message *out, size_t max)
{
	struct syst_stp_state *s = (struct syst_stp_state *)state;
	struct syst_stp_run r = {
	    .decoder = (const struct stp_decoder *)decoder,
	    .state = s,
	    .window = w,
	    .base = 2 * w->offset,
	    .end = 2 * (w->offset + w->length),
	    .out = out,
	    .max = max,
	};
	uint64_t look = w->last ? 0 : 2 * LOOK;
	r.stop = r.end > r.base + look ? r.end - look : r.base;
	if (w->until < r.stop / 2)
		r.stop = 2 * w->until;

	while (r.count < max && s->at < r.stop)
		if (!take_event(&r))
			break;
	if (w->last && s->at >= r.end && r.end && r.end / 2 - 1 < w->until)
		close_all(&r);
	state->offset = s->at / 2;
	return r.count;
}

/* --- positions --------------------------------------------------------- */

/* Positions S at a point where nothing is open. */
static void
set_point(struct syst_stp_state *s, const struct stp_point *point)
{
	stp_open_clear(&s->open);
	s->base.offset = point->nibble / 2;
	s->at = s->busy = s->border = point->nibble;
	s->cut = round_up(s->at);
	s->emitted = s->skip = 0;
	s->held = s->looked = false;
	s->stp = point->stp;
}

static void
syst_stp_start(const struct decoder *decoder, struct decode_state *state)
{
	const struct stp_point start = {.stp = {.certain = true}};
	(void)decoder;
	set_point((struct syst_stp_state *)state, &start);
}

static void
syst_stp_release(struct decode_state *state)
{
	stp_open_free(&((struct syst_stp_state *)state)->open);
}

/* The checkpoint: offsets and sizes of its numbers. */
enum {
	SAVED_OFFSET = 0,
	SAVED_TIME = 8,
	SAVED_BORDER = 16,
	SAVED_SKIP = 24,
	SAVED_MASTER = 28,
	SAVED_CHANNEL = 30,
	SAVED_FLAGS = 32, /* bits: odd 0, lsn 1, certain 2, clock 3-4, sync 5-6, ended 7 */
	SAVED_SIZE = 33
};

static void
syst_stp_put(uint8_t *p, uint64_t value, unsigned size)
{
	for (; size--; value >>= 8)
		*p++ = (uint8_t)value;
}

static void
syst_stp_save(const struct decoder *decoder, const struct decode_state *state, uint8_t *out)
{
	const struct syst_stp_state *s = (const struct syst_stp_state *)state;
	struct stp_point from = repeat_point(s);
	bool again = syst_stp_is_repeating(s);
	(void)decoder;
	syst_stp_put(out + SAVED_OFFSET, from.nibble / 2, 8);
	syst_stp_put(out + SAVED_TIME, from.stp.time, 8);
	syst_stp_put(out + SAVED_BORDER, again ? s->border : s->at, 8);
	syst_stp_put(out + SAVED_SKIP, again ? s->skip : s->emitted, 4);
	syst_stp_put(out + SAVED_MASTER, from.stp.master, 2);
	syst_stp_put(out + SAVED_CHANNEL, from.stp.channel, 2);
	out[SAVED_FLAGS] =
	    (uint8_t)(from.nibble % 2 | from.stp.lsn << 1 | from.stp.certain << 2 |
		      from.stp.clock << 3 | from.stp.sync << 5 | from.stp.ended << 7);
}

static void
syst_stp_restore(const struct decoder *decoder, struct decode_state *state, const uint8_t *saved)
{
	struct syst_stp_state *s = (struct syst_stp_state *)state;
	uint8_t flags = saved[SAVED_FLAGS];
	const struct stp_point from = {
	    .nibble = 2 * bytes_le64(saved + SAVED_OFFSET) + (flags & 1),
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
	s->border = bytes_le64(saved + SAVED_BORDER);
	s->skip = bytes_le32(saved + SAVED_SKIP);
}

/* Zeroes are skipped when a block of them has closed all messages. */
static void
syst_stp_shift(struct decode_state *state, uint64_t bytes)
{
	struct syst_stp_state *s = (struct syst_stp_state *)state;
	s->at += 2 * bytes;
	s->base.offset = s->at / 2;
	s->cut = round_up(s->at);
}

static int
syst_stp_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	uint64_t found = stp_find_async(w->bytes, w->length, 0, UINT64_MAX);
	(void)decoder;
	if (found == STP_NOWHERE)
		return ERR_SYNC;
	const struct stp_point point = {2 * w->offset + found, {.sync = STP_SYNC_LOST}};
	set_point((struct syst_stp_state *)state, &point);
	return 0;
}

/* --- opening ----------------------------------------------------------- */

/* What decoding a head of a capture gives. */
struct trial {
	unsigned syst, data, damage, resyncs;
	uint64_t async;	    /* offset of the first ASYNC with VERSION */
	uint64_t frequency; /* the first one, 0 if none */
};

static void
trial_message(struct trial *t, const struct message *m, const struct window *head)
{
	if (m->flags & MESSAGE_RESYNC && !t->resyncs++)
		t->async = m->offset;
	if (m->kind == SYST_STP_FREQ && !t->frequency)
		t->frequency = stp_frequency(m, head);
	if (m->kind < SYST_UNKNOWN)
		t->syst++;
	else if (m->kind == SYST_BAD || m->kind == SYST_DATA)
		t->data++;
	else if (m->kind == SYST_DAMAGE && m->flags & MESSAGE_DAMAGED)
		t->damage++;
}

/* Decodes the head with one order of nibbles. */
static struct trial
trial_decode(const struct window *head, struct stp_order order)
{
	const struct stp_decoder decoder = {.order = order};
	const struct decoder *base = &decoder.syst.base;
	struct syst_stp_state state = {0};
	struct trial t = {0};
	struct message messages[64];
	size_t count;

	syst_stp_start(base, &state.base);
	do {
		count = syst_stp_step(base, &state.base, head, messages, 64);
		for (size_t i = 0; i < count; i++)
			trial_message(&t, &messages[i], head);
	} while (count == 64);
	syst_stp_release(&state.base);
	return t;
}

/* How much speaks for an order: SyS-T headers, and a frequency between 1 kHz
 * and 10 GHz. */
static int
trial_score(const struct trial *t)
{
	int sane = t->frequency >= 1000 && t->frequency <= 10000000000;
	return (int)t->syst - (int)t->data + (t->frequency ? (sane ? 4 : -4) : 0);
}

static void
syst_stp_probe(const struct window *head, struct probe *probe)
{
	struct trial msn = trial_decode(head, (struct stp_order){.lsn = false});
	struct trial lsn = trial_decode(head, (struct stp_order){.lsn = true});
	const struct trial *t = trial_score(&lsn) > trial_score(&msn) ? &lsn : &msn;

	probe->score = 0;
	if (!t->resyncs)
		return;
	/* 24 nibbles that nothing else has, whatever is damaged around them */
	probe->score = !t->damage && t->async < 16 ? 98 : PROBE_CERTAIN;
	snprintf(probe->reason, sizeof probe->reason,
		 "STP ASYNC with VERSION at byte %llu, %u in all; %u SyS-T messages, %u others",
		 (unsigned long long)t->async, t->resyncs, t->syst, t->data);
}

static struct decoder *
syst_stp_open(const void *options, const struct window *head, struct err *err)
{
	struct stp_decoder *decoder = mem_new(sizeof *decoder);
	const struct syst_options *o = options;
	if (syst_open(&decoder->syst, &syst_stp_ops, options, err) < 0) {
		free(decoder);
		return NULL;
	}
	decoder->order.forced = o->nibbles != SYST_NIBBLES_AUTO;
	decoder->order.lsn = o->nibbles == SYST_NIBBLES_LSN;

	struct trial t = trial_decode(head, decoder->order);
	if (!decoder->order.forced) {
		struct trial other = trial_decode(head, (struct stp_order){.lsn = true});
		if (trial_score(&other) > trial_score(&t)) {
			decoder->order.lsn = true;
			t = other;
		}
	}
	bool epoch;
	double hz = syst_timestamp_rate(o, &epoch);
	decoder->syst.base.timestamp_hz = epoch ? hz : 0;
	decoder->syst.base.hz = (double)t.frequency;
	return &decoder->syst.base;
}

static void
syst_stp_close(struct decoder *decoder)
{
	if (decoder)
		syst_close((struct syst_decoder *)decoder);
	free(decoder);
}

const struct decoder_ops syst_stp_ops = {
    .format = "syst",
    .transport = "stp",
    .title = "MIPI SyS-T over STP",
    .help = "SyS-T messages in a MIPI System Trace Protocol stream, version 2",
    .fields = syst_fields,
    .field_count = SYST_F_COUNT,
    .kinds = syst_kinds,
    .kind_count = SYST_KIND_COUNT,
    .kinds_sync = 1ull << SYST_CLOCK,
    .kinds_checked = SYST_KINDS_CHECKED,
    .kinds_resync = 1ull << SYST_STP_ASYNC,
    .origin_none = SYST_ORIGIN_NONE,
    .silent = silent,
    .silent_count = SILENT_COUNT,
    .options = &syst_options,
    .trigger = "kind = stp_trig",
    .unnamed = SYST_UNNAMED,
    .alike = "id",
    .clocks = &syst_stp_clocks,
    /* no contexts: which of its catalog's messages sets one, a profile says */
    .reach = REACH,
    .run_up = 65536,
    .state_size = sizeof(struct syst_stp_state),
    .checkpoint_size = SAVED_SIZE,
    .probe = syst_stp_probe,
    .open = syst_stp_open,
    .close = syst_stp_close,
    .load = syst_load,
    .start = syst_stp_start,
    .release = syst_stp_release,
    .save = syst_stp_save,
    .restore = syst_stp_restore,
    .shift = syst_stp_shift,
    .step = syst_stp_step,
    .resync = syst_stp_resync,
    .expand = syst_stp_expand,
    .kinds_history = 1ull << SYST_BUILD,
    .announces = syst_stp_announces,
    .printer = SYST_PRINTER,
    .print = syst_stp_systprint,
};
