/*
 * UIA: cut a log of software events into packets and events, and count lost events.
 *
 * Packets and events contain their lengths, so a sound log is two nested walks.  Bytes
 * that cannot be an event or a packet are damage.  Damage ends at the end of its
 * packet, or earlier at a certain packet header.  Between packets there may be
 * padding: packets without data, and zero bytes.  After a packet there may be a footer
 * of one word.  The footer is declared [UIA 1.01, UIAPacket Footer], but the services
 * that write files and packets omit it [UIA 1.01, Rta], so it is optional.
 *
 * Each logger counts its events, including dropped ones [UIA 1.01, code of its
 * loggers], so a step of more than one means loss.  The state keeps the counts of the
 * last LOGGERS loggers, found by a hash of 20 bits.  If a logger was evicted, its next
 * event is not checked.  More would not fit into a checkpoint, which is the state
 * itself.
 *
 * uia_expand.c builds the fields and text of an event.
 */
#include "config.h"

#include "decode/gem/uia.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEADER_SIZE = 16,
	WORD = 4,
	EVENT_MAX = 2047,
	PADDING_MAX = 65536, /* longer runs are not padding */
	PIECE_MAX = 65536 + 64,
	LOOK = HEADER_SIZE + WORD, /* bytes that make a packet certain */
	REACH = PIECE_MAX + LOOK,
	RUN_UP = 65536,
	LOGGERS = 24,
	PROBE_PACKETS = 64
};

/* Packet types; 8 and above contain data: [UIA 1.01, UIAPacket HdrType]. */
enum { TYPE_INVALID = 0, TYPE_LEAST = 8, TYPE_MESSAGE = 9, TYPE_EVENTS = 10 };

enum uia_mode {
	MODE_BETWEEN, /* between packets */
	MODE_AFTER,   /* directly after a packet */
	MODE_EVENTS,
	MODE_BROKEN, /* in a packet of events, after damage */
	MODE_DATA
};

struct uia_state {
	struct decode_state base;
	uint32_t remaining; /* bytes left in the packet */
	uint16_t source, module, instance;
	uint8_t known;	   /* number of loggers, most recent first */
	uint8_t mode : 3;  /* enum uia_mode */
	bool is_heard : 1; /* the current logger is in the list, as its first entry */
	bool big : 1;
	uint16_t sequence[LOGGERS];
	uint16_t id[LOGGERS];	       /* lower 16 bits of a hash of 20 bits */
	uint8_t id_above[LOGGERS / 2]; /* upper 4 bits of the hashes, two to a byte */
};
static_assert(DECODE_SAVED_SIZE(struct uia_state) <= CHECKPOINT_MAX,
	      "a checkpoint is the state itself");

/* --- packets ----------------------------------------------------------- */

struct header {
	unsigned type;
	bool big;
	uint32_t length; /* includes the header */
	unsigned source, module, instance;
};

/* Read HEADER_SIZE bytes, four words in "network byte (big endian) order" [UIA 1.01, UIAPacket
 * Hdr].  Return false if they are not a packet's header. */
static bool
read_header(const uint8_t *p, struct header *h)
{
	uint32_t w1 = bytes_be32(p), w2 = bytes_be32(p + 4);
	uint32_t w3 = bytes_be32(p + 8), w4 = bytes_be32(p + 12);
	h->type = w1 >> 28;
	h->big = w1 >> 27 & 1;
	h->length = h->type == TYPE_MESSAGE ? w1 >> 16 & 0x7ff : w1 & 0x7ffffff;
	h->source = w4 & 0xffff;
	h->module = w3 & 0xffff;
	h->instance = w3 >> 16 & 0x7fff;
	bool reserved = w2 & 0xfffc;
	return h->type >= TYPE_LEAST && h->length >= HEADER_SIZE && !reserved;
}

/* True if WORD can begin an event within LEFT bytes.  It contains 5 bits of type, 11 of length
 * including this word, and 16 of sequence number [UIA 1.01, EventHdr]. */
static bool
is_event(uint32_t word, size_t left)
{
	unsigned type = word >> 27;
	size_t length = word >> 16 & 0x7ff;
	return type < UIA_EVENT_TYPES && length >= uia_event_least(type) && length <= left;
}

/* True if the LOOK bytes at P certainly begin a packet of events. */
static bool
is_certain(const uint8_t *p)
{
	struct header h;
	return p[0] >> 4 == TYPE_EVENTS && read_header(p, &h) && h.length % WORD == 0 &&
	       (h.length == HEADER_SIZE ||
		is_event(uia_word(p + HEADER_SIZE, h.big), h.length - HEADER_SIZE));
}

/* --- opening ----------------------------------------------------------- */

/* Return the rate of the timestamps from the first sync point in HEAD, 0 without one. */
static double
find_rate(struct uia_decoder *d, const struct window *head)
{
	struct uia_state state = {0};
	struct message m;
	struct uia_event event;
	state.base.offset = head->offset;
	while (uia_ops.step(&d->base, &state.base, head, &m, 1) == 1) {
		const uint8_t *p = head->bytes + (m.offset - head->offset);
		if (m.kind != UIA_EVENT || !uia_event_parse(d, &m, p, m.length, &event) ||
		    event.row->role != UIA_ROLE_SYNC)
			continue;
		uint32_t cycles = uia_argument(&event, 5);
		return (double)uia_argument64(&event, 6) / (cycles ? cycles : 1);
	}
	return 0;
}

static struct decoder *
uia_open(const void *options, const struct window *head, struct err *err)
{
	struct uia_decoder *d = mem_new(sizeof *d);
	d->base.ops = &uia_ops;
	if (uia_rows_make(d, options, err) < 0) {
		free(d);
		return NULL;
	}
	d->base.hz = find_rate(d, head);
	return &d->base;
}

static void
uia_close(struct decoder *decoder)
{
	if (decoder)
		uia_rows_free((struct uia_decoder *)decoder);
	free(decoder);
}

/* Score the packets that follow each other from the start.  The score is highest for
 * PROBE_PACKETS, or if they reach the end of the head. */
static void
uia_probe(const struct window *head, struct probe *probe)
{
	size_t at = 0, packets = 0;
	while (packets < PROBE_PACKETS && head->length - at >= LOOK) {
		struct header h;
		if (!is_certain(head->bytes + at) || !read_header(head->bytes + at, &h))
			break;
		packets++;
		if (h.length > head->length - at) {
			at = head->length;
			break;
		}
		at += h.length;
		if (head->length - at >= WORD && bytes_be16(head->bytes + at + 2) == 0x7777)
			at += WORD;
	}
	if (!packets)
		return;
	bool whole = packets == PROBE_PACKETS || head->length - at < LOOK;
	probe->score = whole ? 95 : packets > 1 ? 80 : 40;
	snprintf(probe->reason, sizeof probe->reason, "it starts with %zu event packet%s", packets,
		 packets == 1 ? "" : "s in a row");
}

/* --- loggers ----------------------------------------------------------- */

static uint64_t
origin_of(const struct uia_state *s)
{
	return uia_origin(s->source, s->module, s->instance);
}

static uint32_t
logger_id(const struct uia_state *s, size_t at)
{
	return (uint32_t)(s->id_above[at / 2] >> at % 2 * 4 & 15) << 16 | s->id[at];
}

static void
logger_set(struct uia_state *s, size_t at, uint32_t id, uint16_t sequence)
{
	uint8_t *above = &s->id_above[at / 2];
	*above = (uint8_t)((*above & ~(15u << at % 2 * 4)) | id >> 16 << at % 2 * 4);
	s->id[at] = (uint16_t)id;
	s->sequence[at] = sequence;
}

/* Put a logger first and move those before position AT back by one. */
static void
logger_to_front(struct uia_state *s, size_t at, uint32_t id, uint16_t sequence)
{
	for (; at; at--)
		logger_set(s, at, logger_id(s, at - 1), s->sequence[at - 1]);
	logger_set(s, 0, id, sequence);
}

static uint32_t
logger_hash(uint64_t origin)
{
	return (uint32_t)(origin * 0x9e3779b97f4a7c15u >> 44);
}

/* Begin a packet of the logger in the state: put its entry first if it has one. */
static void
logger_choose(struct uia_state *s)
{
	uint32_t id = logger_hash(origin_of(s));
	size_t at = 0;
	while (at < s->known && logger_id(s, at) != id)
		at++;
	s->is_heard = at < s->known;
	if (at && s->is_heard)
		logger_to_front(s, at, id, s->sequence[at]);
}

/* Add the current logger at its first event. */
static void
logger_add(struct uia_state *s)
{
	if (s->known < LOGGERS)
		s->known++;
	logger_to_front(s, s->known - 1u, logger_hash(origin_of(s)), 0);
	s->is_heard = true;
}

/* --- stepping ---------------------------------------------------------- */

/* The bytes from the state's offset to the end of the window. */
struct uia_view {
	const uint8_t *p;
	size_t left;
	bool last; /* the capture ends after them */
};

static void
leave_packet(struct uia_state *s, enum uia_mode mode)
{
	s->mode = mode & 7;
	s->remaining = 0;
}

/* Count BYTES of the packet as decoded. */
static void
uia_advance(struct uia_state *s, uint32_t bytes)
{
	s->remaining -= bytes;
	if (!s->remaining)
		leave_packet(s, MODE_AFTER);
}

static size_t
piece_limit(uint64_t offset, size_t most)
{
	/* whole words, so that the next piece is aligned too */
	size_t cut = (size_t)(decode_run_cut(offset) - offset) / WORD * WORD;
	return most < cut ? most : cut;
}

/* Step over zero words, at most MOST bytes. */
static bool
step_zeros(const struct uia_view *v, size_t most, struct message *m)
{
	size_t limit = piece_limit(m->offset, most);
	size_t seen = v->left < limit ? v->left : limit;
	size_t run = bytes_zero_run(v->p, seen);
	if (run == v->left && run < limit && !v->last)
		return false;
	if (run < seen)
		run -= run % WORD;
	m->kind = UIA_PADDING;
	m->severity = SEVERITY_DEBUG;
	m->flags = MESSAGE_FILLER;
	m->length = (uint32_t)run;
	return true;
}

/* Step over damage, up to MOST bytes or the next certain packet. */
static bool
step_damage(const struct uia_view *v, size_t most, struct message *m)
{
	size_t limit = piece_limit(m->offset, most), at = 1;
	if (limit > v->left)
		limit = v->left;
	while (at < limit && v->left - at >= LOOK && !is_certain(v->p + at))
		at++;
	if (!v->last && v->left - at < LOOK && at < most)
		return false;
	if (v->left - at < LOOK)
		at = limit;
	m->kind = UIA_DAMAGE;
	m->severity = SEVERITY_ERROR;
	m->flags = MESSAGE_DAMAGED;
	m->length = (uint32_t)at;
	return true;
}

/* Fill M from an event.  "Timestamp lower 32 bits" come first; the event's ID is in the top 16
 * bits of the next word: [UIA 1.01, EventHdr]. */
static inline void
fill_event(const struct uia_decoder *d, struct uia_state *s, const uint8_t *p, uint32_t word,
	   struct message *m)
{
	bool timed = word >> 27 & UIA_TYPE_TIMED;
	uint16_t sequence = (uint16_t)word;
	uint32_t ids = uia_word(p + (timed ? 12 : 4), s->big);
	const struct uia_event_row *row = &d->rows.at[d->row_of[ids >> 16]];

	m->kind = UIA_EVENT;
	m->severity = row->severity;
	m->aux = s->big ? UIA_AUX_BIG : 0;
	m->length = word >> 16 & 0x7ff;
	m->flags = row->role == UIA_ROLE_SYNC ? MESSAGE_SYNC : 0;
	if (timed) {
		m->ticks = uia_word(p + 4, s->big) | (uint64_t)uia_word(p + 8, s->big) << 32;
		m->flags |= MESSAGE_TIMED;
	}
	if (!s->is_heard) {
		logger_add(s);
	} else if (sequence != (uint16_t)(s->sequence[0] + 1)) {
		uint16_t missing = (uint16_t)(sequence - s->sequence[0] - 1);
		bool back = missing >= 0x8000; /* the logger was restarted */
		m->aux |= back ? UIA_AUX_BACK : missing;
		m->flags |= back ? MESSAGE_SUSPECT : MESSAGE_LOST;
		m->severity = back ? SEVERITY_WARNING : SEVERITY_ERROR;
	}
	s->sequence[0] = sequence;
}

/* Handle a capture that ends within a packet. */
static bool
step_cut(struct uia_state *s, const struct uia_view *v, struct message *m)
{
	m->kind = UIA_TRUNCATED;
	m->severity = SEVERITY_ERROR;
	m->flags = MESSAGE_TRUNCATED;
	m->length = (uint32_t)v->left;
	leave_packet(s, MODE_BETWEEN);
	return v->last;
}

/* Step over the content of a packet without events, in pieces. */
static bool
step_data(struct uia_state *s, const struct uia_view *v, struct message *m)
{
	size_t piece = piece_limit(m->offset, s->remaining);
	if (v->left < piece)
		return v->last && step_cut(s, v, m);
	m->kind = UIA_DATA;
	m->severity = SEVERITY_DEBUG;
	m->length = (uint32_t)piece;
	uia_advance(s, m->length);
	return true;
}

/* True if a packet or padding can begin at AT, which lies in the view. */
static bool
is_boundary(const struct uia_view *v, size_t at)
{
	struct header h;
	size_t left = v->left - at;
	if (left < HEADER_SIZE)
		return true;
	return v->p[at] >> 4 == TYPE_INVALID || read_header(v->p + at, &h);
}

/* Step over a packet without data: "Only the first word of the header is filled in.  The length
 * includes the header field." [UIA 1.01, UIAPacket HdrType] */
static bool
step_padding(const struct uia_view *v, uint32_t length, struct message *m)
{
	bool fits = length >= WORD && length % WORD == 0 && length <= PADDING_MAX;
	if (fits && v->left < length + HEADER_SIZE && !v->last)
		return false;
	if (!fits || length > v->left || !is_boundary(v, length))
		return step_damage(v, SIZE_MAX, m);
	m->kind = UIA_PADDING;
	m->severity = SEVERITY_WARNING;
	m->length = length;
	return true;
}

static void
begin_packet(struct uia_state *s, const struct header *h, struct message *m)
{
	m->kind = UIA_PACKET;
	m->severity = SEVERITY_DEBUG;
	m->flags = MESSAGE_RESYNC;
	m->length = HEADER_SIZE;
	s->mode = h->type == TYPE_EVENTS ? MODE_EVENTS : MODE_DATA;
	s->source = (uint16_t)h->source;
	s->module = (uint16_t)h->module;
	s->instance = (uint16_t)h->instance;
	s->big = h->big;
	m->origin = origin_of(s);
	if (s->mode == MODE_EVENTS)
		logger_choose(s);
	s->remaining = h->length;
	uia_advance(s, HEADER_SIZE);
}

static bool
step_between(struct uia_state *s, const struct uia_view *v, struct message *m)
{
	struct header h;
	bool after = s->mode == MODE_AFTER;
	m->origin = UIA_ORIGIN_NONE;
	if (v->left < HEADER_SIZE && !v->last)
		return false;
	uint32_t word = v->left < WORD ? 0 : bytes_be32(v->p);
	if (v->left >= WORD && after &&
	    (word & 0xffff) == 0x7777) { /* [UIA 1.01, UIAPacket Footer] */
		m->kind = UIA_FOOTER;
		m->severity = SEVERITY_DEBUG;
		m->length = WORD;
	} else if (v->left >= WORD && !word) {
		if (!step_zeros(v, SIZE_MAX, m))
			return false;
	} else if (v->left >= WORD && word >> 28 == TYPE_INVALID) {
		if (!step_padding(v, word & 0x7ffffff, m))
			return false;
	} else if (v->left < HEADER_SIZE) {
		step_cut(s, v, m);
	} else if (read_header(v->p, &h)) {
		begin_packet(s, &h, m);
		return true;
	} else if (!step_damage(v, SIZE_MAX, m)) {
		return false;
	}
	s->mode = MODE_BETWEEN;
	return true;
}

/* Step over damage in a packet of events, up to the packet's end or the next certain packet. */
static bool
step_broken(struct uia_state *s, const struct uia_view *v, struct message *m)
{
	if (v->left < LOOK && !v->last)
		return false;
	if (v->left >= LOOK && is_certain(v->p)) {
		leave_packet(s, MODE_AFTER); /* the broken packet stated too large a length */
		return step_between(s, v, m);
	}
	if (!step_damage(v, s->remaining, m))
		return false;
	s->mode = MODE_BROKEN;
	uia_advance(s, m->length);
	return true;
}

static bool
step_event(const struct uia_decoder *d, struct uia_state *s, const struct uia_view *v,
	   struct message *m)
{
	if (v->left < WORD && !v->last)
		return false;
	if (v->left < WORD)
		return v->left < s->remaining ? step_cut(s, v, m) : step_broken(s, v, m);
	uint32_t word = uia_word(v->p, s->big); /* read once, as it may change */
	if (word && !is_event(word, s->remaining))
		return step_broken(s, v, m);
	if (word && v->left < (word >> 16 & 0x7ff))
		return v->last && step_cut(s, v, m);
	if (word)
		fill_event(d, s, v->p, word, m);
	else if (!step_zeros(v, s->remaining, m))
		return false;
	uia_advance(s, m->length);
	return true;
}

static bool
step_one(const struct uia_decoder *d, struct uia_state *s, const struct uia_view *v,
	 struct message *m)
{
	switch ((enum uia_mode)s->mode) {
	case MODE_EVENTS:
		return step_event(d, s, v, m);
	case MODE_BROKEN:
		return step_broken(s, v, m);
	case MODE_DATA:
		return step_data(s, v, m);
	case MODE_BETWEEN:
	case MODE_AFTER:
		break;
	}
	return step_between(s, v, m);
}

static size_t
uia_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	 struct message *out, size_t max)
{
	const struct uia_decoder *d = (const struct uia_decoder *)decoder;
	struct uia_state *s = (struct uia_state *)state;
	size_t count = 0;
	while (count < max && state->offset < w->until) {
		struct message *m = &out[count];
		size_t at = (size_t)(state->offset - w->offset);
		struct uia_view v = {.p = w->bytes + at, .left = w->length - at, .last = w->last};
		*m = (struct message){.offset = state->offset, .origin = origin_of(s)};
		/* report a capture that ends between two events of a packet, too */
		bool more =
		    v.left ? step_one(d, s, &v, m) : v.last && s->remaining && step_cut(s, &v, m);
		if (!more)
			break;
		state->offset += m->length;
		count++;
	}
	return count;
}

static int
uia_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	decode_plain_start(decoder, state);
	for (size_t at = 0; at + LOOK <= w->length; at++) {
		if (is_certain(w->bytes + at)) {
			state->offset = w->offset + at;
			return 0;
		}
	}
	return w->offset ? ERR_SYNC : 0;
}

static void
uia_identify_origin(const struct decoder *decoder, const struct message *m,
		    struct origin_identity *origin)
{
	(void)decoder;
	origin->numbered = m->origin != UIA_ORIGIN_NONE;
	origin->number = uia_origin_instance(m->origin);
}

static const struct context_row contexts[] = {{"thread", "new", "event", NULL, NULL}};

const struct decoder_ops uia_ops = {
    .format = "uia",
    .title = "TI UIA software events",
    .help = "packets of events that the loggers of a program write",
    .fields = uia_fields,
    .field_count = UIA_F_COUNT,
    .kinds = uia_kinds,
    .kind_count = UIA_KIND_COUNT,
    .origin_none = UIA_ORIGIN_NONE,
    .options = &uia_options_table,
    .contexts = contexts,
    .context_count = sizeof contexts / sizeof *contexts,
    .alike = "event_id",
    /* no unnamed: names come from the profile, which may omit some */
    .clocks = &uia_clocks,
    /* no trigger: the program logs events */
    .reach = REACH,
    .run_up = RUN_UP,
    .state_size = sizeof(struct uia_state),
    .checkpoint_size = DECODE_SAVED_SIZE(struct uia_state),
    .probe = uia_probe,
    .open = uia_open,
    .close = uia_close,
    .start = decode_plain_start,
    .save = decode_plain_save,
    .restore = decode_plain_restore,
    .is_free = true,
    .step = uia_step,
    .resync = uia_resync,
    .expand = uia_expand,
    .identify_origin = uia_identify_origin,
    /* no printer: no public tool prints it */
};
