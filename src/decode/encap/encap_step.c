/*
 * Step over an encapsulated stream: find the end of each packet, and the offsets where
 * decoding can start.
 *
 * A table maps the header byte to the packet's length.  Another table maps the first
 * seven bits of an instruction payload to kind and severity.  Only traps, support
 * packets, format 0 and data are read to their end, because their deciding bits are
 * there.  A run of null packets becomes one message, or several if it is long.
 *
 * A stream has no checksums.  Damage shows as an impossible packet, and packets after
 * it are suspect until the next certain boundary.  That boundary follows N null bytes
 * in a row, where N is the most that a packet can hold: "any 'null' bytes after this
 * must be null packets" [Encap 1.0, "Synchronization"].  A false packet may swallow
 * some null bytes.  While packets are suspect, the null bytes at their ends therefore
 * count too.
 *
 * Bit streams and slots are converted to the plain form piece by piece.
 */
#include "config.h"

#include "decode/encap/encap_frame.h"
#include "decode/summary.h"

#include <string.h>

enum {
	VIEW_SMALL = 4096,
	VIEW = 65 * 1024 + 64 + ENCAP_LOOK, /* holds any run of nulls */
	LIKELY_STRETCH = 4096		    /* bytes over which chains of packets meet */
};

static void
set_note(struct message *m, unsigned note, enum severity least)
{
	m->aux |= note;
	if (m->severity > least)
		m->severity = (uint8_t)least;
}

/* --- null packets ------------------------------------------------------ */

/* Return the number of null bytes at the start of P.  Store their OR in *BITS. */
static size_t
null_run(const uint8_t *p, size_t length, uint8_t *bits)
{
	const uint64_t lengths = 0x1f1f1f1f1f1f1f1f;
	uint64_t together = 0;
	size_t n = 0;
	for (; length - n >= 8; n += 8) {
		uint64_t word = bytes_le64(p + n);
		if (word & lengths)
			break;
		together |= word;
	}
	for (; n < length && encap_is_null(p[n]); n++)
		together |= p[n];
	for (unsigned half = 32; half >= 8; half /= 2)
		together |= together >> half;
	*bits = (uint8_t)together;
	return n;
}

static size_t
null_tail(const uint8_t *p, size_t length)
{
	size_t n = 0;
	while (n < length && encap_is_null(p[length - 1 - n]))
		n++;
	return n;
}

/* Step over the run of null packets in LENGTH bytes at P.  Return its length, or 0 if it may
 * continue after them. */
static size_t
step_nulls(const struct encap_decoder *d, struct encap_state *s, const uint8_t *p, size_t length,
	   bool ended, struct message *m)
{
	uint64_t cut = decode_run_cut(s->base.offset) - s->base.offset;
	uint8_t bits;
	size_t count = null_run(p, length < cut ? length : (size_t)cut, &bits);
	if (count == length && count < cut && !ended)
		return 0;

	size_t run = s->run + count;
	bool certain = run + s->tail >= d->longest;
	m->kind = ENCAP_NULL_RUN;
	m->severity = SEVERITY_DEBUG;
	m->flags = MESSAGE_FILLER;
	m->origin = ENCAP_ORIGIN_NONE;
	m->aux = (uint64_t)s->run << ENCAP_RUN_SHIFT;
	if (encap_flow(bits) && !d->framed)
		set_note(m, ENCAP_FLOW_IN_NULL, SEVERITY_WARNING);
	if (certain) {
		s->suspect = false;
		m->flags |= MESSAGE_RESYNC;
	} else if (s->suspect) {
		m->flags |= MESSAGE_SUSPECT;
	}
	s->run = (uint8_t)(run <= d->longest ? run : d->longest + 1);
	s->idle = !encap_is_extended(p[count - 1]);
	return count;
}

/* --- packets ----------------------------------------------------------- */

/* Set the time.  Complete the timestamp from the last one, which may be up to 7/8 of the
 * counter's range earlier.  Small steps back occur where packets of several sources overtook
 * each other.  Unit and epoch are not defined [Encap 1.0, "Timestamp"]. */
static void
set_time(const struct encap_decoder *d, struct encap_state *s, const struct encap_packet *packet,
	 struct message *m)
{
	unsigned bits = 8 * d->timestamp_bytes;
	m->ticks = packet->timestamp;
	if (s->timed) /* bytes_unwrap allows half of the range in both directions */
		m->ticks = bytes_unwrap(s->ticks + ((uint64_t)3 << (bits - 3)), m->ticks, bits);
	m->flags |= MESSAGE_TIMED;
	if (!s->suspect) {
		s->ticks = m->ticks;
		s->timed = true;
	}
}

/* Mark an impossible message.  Everything after it is suspect. */
static void
set_damage(struct encap_state *s, struct message *m, unsigned note, enum severity least)
{
	m->flags |= MESSAGE_DAMAGED;
	set_note(m, note, least);
	s->suspect = true;
}

/* Read a payload to its end because its first bits do not decide its kind and severity. */
static void
read_payload(struct encap_state *s, const uint8_t *p, const struct encap_packet *packet,
	     struct message *m)
{
	static const struct etrace_place place; /* modes change no severity */
	const struct etrace_options *options = &packet->source->etrace;
	struct etrace_bits bits = encap_bits(p, packet, NULL);
	struct etrace_packet payload;
	if (packet->class == ENCAP_DATA)
		dtrace_read(options, &place, &bits, &payload);
	else
		etrace_read(options, &place, &bits, &payload);
	m->kind = payload.kind;
	m->severity = payload.severity;
	m->flags |= payload.flags;
	if (payload.error)
		set_damage(s, m, 0, SEVERITY_ERROR);
	else if (payload.unused > 7 && packet->class != ENCAP_DATA)
		set_damage(s, m, ENCAP_UNUSED_BITS, SEVERITY_WARNING);
}

/* True if the payload bit that HEAD names as its choice is set. */
static inline bool
is_chosen(const struct etrace_head *head, const struct etrace_bits *bits)
{
	return head->choice && etrace_peek(bits, bits->at + head->choice, 1);
}

static void
step_payload(struct encap_state *s, const uint8_t *p, const struct encap_packet *packet,
	     struct message *m)
{
	const struct etrace_head *head = &packet->source->heads[packet->head];
	m->severity = SEVERITY_DEBUG;
	if (packet->payload_bits < 1) {
		m->kind = ENCAP_MALFORMED;
		set_damage(s, m, 0, SEVERITY_ERROR);
	} else if (packet->class == ENCAP_OTHER) {
		m->kind = ENCAP_OPAQUE;
	} else if (packet->class == ENCAP_DATA || !head->most) {
		read_payload(s, p, packet, m);
	} else {
		struct etrace_bits bits = encap_bits(p, packet, NULL);
		bool chosen = is_chosen(head, &bits);
		m->kind = head->kind;
		m->severity = chosen ? head->chosen_severity : head->severity;
		m->flags |= head->flags;
		if (packet->payload_bits > (chosen ? head->chosen_most : head->most))
			set_damage(s, m, ENCAP_UNUSED_BITS, SEVERITY_WARNING);
	}
}

/* Step over the packet at P, with ENCAP_LOOK bytes readable. */
static void
step_whole(const struct encap_decoder *d, struct encap_state *s, const uint8_t *p,
	   struct message *m)
{
	struct encap_packet packet;
	encap_read(d, p, &packet);
	m->origin = packet.srcid;
	step_payload(s, p, &packet, m);
	if (packet.extend && d->timestamp_bytes)
		set_time(d, s, &packet, m);
	else
		m->flags &= (uint16_t)~MESSAGE_SYNC; /* without a timestamp it relates no clocks */
	if (packet.extend && !d->timestamp_bytes)
		set_damage(s, m, ENCAP_NO_TIMESTAMP, SEVERITY_WARNING);
	if (s->idle && !d->framed)
		set_note(m, ENCAP_AFTER_IDLE, SEVERITY_WARNING);
	s->tail = 0;
	if (s->suspect) {
		m->flags |= MESSAGE_SUSPECT;
		s->tail = (uint8_t)null_tail(p, packet.length);
	}
	s->run = 0;
	s->idle = false;
}

static size_t
step_truncated(struct encap_state *s, size_t length, unsigned note, struct message *m)
{
	m->kind = ENCAP_TRUNCATED;
	m->origin = ENCAP_ORIGIN_NONE;
	m->severity = SEVERITY_ERROR;
	m->flags = MESSAGE_TRUNCATED;
	m->aux = note;
	if (s->suspect)
		m->flags |= MESSAGE_SUSPECT;
	s->run = s->tail = 0;
	s->idle = false;
	return length;
}

/* Decode one message from LENGTH bytes at P, at least one.  ENDED is true if the capture ends
 * after them.  A packet longer than ROOM is cut there; NOTE gives the reason.  Return the
 * message's length, or 0 if more bytes are needed. */
static size_t
step_one(const struct encap_decoder *d, struct encap_state *s, const uint8_t *p, size_t length,
	 bool ended, size_t room, unsigned note, struct message *m)
{
	*m = (struct message){.offset = s->base.offset};
	if (encap_is_null(*p))
		return step_nulls(d, s, p, length, ended, m);
	size_t own = d->length[*p];
	if (own > room && room <= length)
		return step_truncated(s, room, note, m);
	if (own > length)
		return ended ? step_truncated(s, length, 0, m) : 0;
	if (length >= ENCAP_LOOK) {
		step_whole(d, s, p, m);
	} else {
		uint8_t padded[ENCAP_LOOK] = {0};
		memcpy(padded, p, own);
		step_whole(d, s, padded, m);
	}
	return own;
}

/* --- stepping ---------------------------------------------------------- */

/* Enter a block, a certain boundary without a sync sequence: "the first byte of every block"
 * [Encap 1.0, "Synchronization"; E-Trace 2.0, "Instruction Trace Encoder Output Packets"]. */
static void
enter_block(struct encap_state *s)
{
	s->suspect = false;
	s->tail = 0;
}

static size_t
step_plain(const struct encap_decoder *d, struct encap_state *s, const struct window *w,
	   struct message *out, size_t max)
{
	uint64_t block = d->options->block_size, end = w->offset + w->length;
	uint64_t border = UINT64_MAX; /* of the block */
	size_t count = 0;
	if (block)
		border = s->base.offset + (block - s->base.offset % block);
	while (count < max && s->base.offset < end && s->base.offset < w->until) {
		const uint8_t *p = w->bytes + (s->base.offset - w->offset);
		size_t taken =
		    step_one(d, s, p, (size_t)(end - s->base.offset), w->last,
			     (size_t)(border - s->base.offset), ENCAP_CUT_BY_BLOCK, &out[count]);
		if (!taken)
			break;
		out[count++].length = (uint32_t)taken;
		s->base.offset += taken;
		if (s->base.offset >= border) {
			border = s->base.offset + (block - s->base.offset % block);
			enter_block(s);
		}
	}
	return count;
}

void
encap_align(const struct encap_decoder *d, const uint8_t *p, size_t count, uint8_t *out)
{
	if (d->phase)
		for (size_t i = 0; i < count; i++)
			out[i] = encap_shifted(p, i, d->phase);
	else if (d->options->container.reversed)
		for (size_t i = 0; i < count; i++)
			out[i] = p[count - 1 - i];
	else
		memcpy(out, p, count);
}

/* Step over at most ROOM bytes of a bit stream, in aligned form. */
static size_t
step_view(const struct encap_decoder *d, struct encap_state *s, const struct window *w, size_t room,
	  struct message *out, size_t max)
{
	uint8_t view[VIEW];
	size_t from = (size_t)(s->base.offset - w->offset), left = w->length - from;
	size_t length = left ? left - 1 : 0; /* the last byte has no second half */
	bool all = length <= room;
	struct window aligned = {.bytes = view,
				 .offset = s->base.offset,
				 .length = all ? length : room,
				 .until = w->until,
				 .last = all && w->last};
	encap_align(d, w->bytes + from, aligned.length, view);
	size_t count = step_plain(d, s, &aligned, out, max);
	if (aligned.last && s->base.offset == w->offset + w->length - 1) {
		s->base.offset++; /* edge bits: no message, here and before the phase */
		s->base.silent[ENCAP_SILENT_EDGE] += 8;
	}
	return count;
}

static size_t
step_bits(const struct encap_decoder *d, struct encap_state *s, const struct window *w,
	  struct message *out, size_t max)
{
	size_t count = 0, room = VIEW_SMALL;
	while (count < max && s->base.offset < w->until) {
		size_t more = step_view(d, s, w, room, out + count, max - count);
		count += more;
		if (!more && room == VIEW)
			break; /* only a long run of nulls needs VIEW bytes */
		room = more ? VIEW_SMALL : VIEW;
	}
	return count;
}

/* Return the bytes of a slot that its packet uses.  The rest is padding. */
static size_t
slot_used(const struct encap_decoder *d, const uint8_t *p, size_t length, bool whole)
{
	size_t own = encap_is_null(*p) ? 1 : d->length[*p];
	return whole && own < length ? own : length;
}

static void
step_slot(const struct encap_decoder *d, struct encap_state *s, const uint8_t *p, size_t length,
	  bool whole, struct message *m)
{
	enter_block(s);
	if (whole) {
		size_t most = encap_is_null(*p) ? 1 : length;
		m->length = (uint32_t)step_one(d, s, p, most, true, length, ENCAP_CUT_BY_SLOT, m);
	} else {
		*m = (struct message){.offset = s->base.offset};
		m->length = (uint32_t)step_truncated(s, length, 0, m);
	}
}

/* Step over slots.  Each holds one packet, at its start or, if reversed, at its end.  PULP's
 * rv_tracer writes its packets like this, [Encap 1.0, second hand: captures of rv_tracer]. */
static size_t
step_slots(const struct encap_decoder *d, struct encap_state *s, const struct window *w,
	   struct message *out, size_t max)
{
	uint64_t slot = d->options->container.slot, end = w->offset + w->length;
	size_t count = 0;
	while (count < max && s->base.offset < end) {
		uint8_t view[ENCAP_SLOT_MAX];
		uint64_t left = end - s->base.offset;
		size_t length = left < slot ? (size_t)left : (size_t)slot;
		if (left < slot && !w->last)
			break;
		encap_align(d, w->bytes + (s->base.offset - w->offset), length, view);
		size_t padding = length - slot_used(d, view, length, length == slot);
		size_t before = d->options->container.reversed ? padding : 0;
		if (s->base.offset + before >= w->until)
			break;
		step_slot(d, s, view, length, length == slot, &out[count]);
		out[count++].offset += before;
		s->base.offset += length;
		s->base.silent[ENCAP_SILENT_PADDING] += 8 * padding;
	}
	return count;
}

size_t
encap_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	   struct message *out, size_t max)
{
	const struct encap_decoder *d = (const struct encap_decoder *)decoder;
	struct encap_state *s = (struct encap_state *)state;
	if (d->options->container.slot)
		return step_slots(d, s, w, out, max);
	return d->phase ? step_bits(d, s, w, out, max) : step_plain(d, s, w, out, max);
}

/* --- counting ---------------------------------------------------------- */

enum { UNTIMED = MESSAGE_SYNC | MESSAGE_TIMED | MESSAGE_SENDER_TIMED };

/* Fill M from the packet at P like step_whole.  Return false if the packet's head does not
 * decide, does not fit, or changes more state than the time.  ENCAP_LOOK bytes must be
 * readable, and the previous packet must not be suspect. */
static inline __attribute__((always_inline)) bool
take_head(const struct encap_decoder *d, struct encap_state *s, const uint8_t *p, struct message *m)
{
	struct encap_packet packet;
	if (encap_is_null(*p))
		return false;
	encap_read(d, p, &packet);
	const struct etrace_head *head = &packet.source->heads[packet.head];
	struct etrace_bits bits = encap_bits(p, &packet, NULL);
	bool chosen = is_chosen(head, &bits);
	if (packet.payload_bits < 1 || packet.class != ENCAP_INSTRUCTION || !head->most ||
	    packet.payload_bits > (chosen ? head->chosen_most : head->most) ||
	    (packet.extend && !d->timestamp_bytes))
		return false;
	m->origin = packet.srcid;
	m->length = packet.length;
	m->sender_ticks = 0;
	m->flags = (uint16_t)(head->flags & ~MESSAGE_SENDER_TIMED);
	m->kind = head->kind;
	m->severity = chosen ? head->chosen_severity : head->severity;
	if (packet.extend)
		set_time(d, s, &packet, m);
	else
		m->flags &= (uint16_t) ~(MESSAGE_SYNC | MESSAGE_TIMED);
	return true;
}

/* True if a packet of LENGTH bytes at P fits its head, which has a choice.  Store the chosen
 * severity. */
static inline bool
choice_fits(const struct etrace_head *head, const uint8_t *p, unsigned length, unsigned payload,
	    unsigned *severity)
{
	const struct etrace_bits bits = {.packet = p, .length = length, .at = payload};
	bool chosen = is_chosen(head, &bits);
	*severity = chosen ? head->chosen_severity : head->severity;
	return 8 * length - payload <= (chosen ? head->chosen_most : head->most);
}

/* Count packets from FROM to END while they have no timestamp and their heads
 * decide.  ENCAP_LOOK bytes must be readable at each, and the previous packet must not be
 * suspect.  Return the offset of the next packet. */
static uint64_t
count_heads(const struct encap_decoder *d, const struct window *w, uint64_t from, uint64_t end,
	    struct summing *sums)
{
	const unsigned behind = 8 + d->srcid_width, srcids = (1u << d->srcid_width) - 1;
	const uint8_t *p = w->bytes + (from - w->offset), *const stop = p + (end - from);
	while (p < stop) {
		unsigned srcid = bytes_le16(p + 1) & srcids, length = d->length[*p];
		const struct encap_source *source = encap_source_of(d, srcid);
		uint64_t bits = encap_load(p, behind);
		unsigned payload = behind + source->type_width, left = 8 * length - payload;
		unsigned type = (unsigned)bits & ((1u << source->type_width) - 1);
		unsigned first = (unsigned)(bits >> source->type_width);
		const struct etrace_head *head = &source->heads[first % (1 << ETRACE_HEAD_BITS)];
		unsigned severity = head->severity;
		if (encap_is_null(*p) || encap_is_extended(*p) || left < ETRACE_HEAD_BITS ||
		    source->classes[type] != ENCAP_INSTRUCTION ||
		    (left > head->sure && !choice_fits(head, p, length, payload, &severity)))
			break;
		summing_count(sums, head->kind, head->flags & ~UNTIMED, srcid, severity,
			      w->offset + (uint64_t)(p - w->bytes));
		p += length;
	}
	return w->offset + (uint64_t)(p - w->bytes);
}

/* Count messages like step_plain, without blocks. */
static void
sum_plain(const struct encap_decoder *d, struct encap_state *s, const struct window *w,
	  struct summary *summary)
{
	struct summing sums = summing_open(summary);
	uint64_t end = w->offset + w->length, offset = s->base.offset;
	uint64_t until = end < w->until ? end : w->until;
	uint64_t near = w->length > ENCAP_LOOK ? end - ENCAP_LOOK : w->offset;
	bool usual = !s->suspect && !s->idle;
	while (offset < until) {
		struct message m, odd;
		uint64_t before = offset;
		if (usual && offset < near)
			offset = count_heads(d, w, offset, near < until ? near : until, &sums);
		if (offset != before)
			s->run = s->tail = 0;
		if (offset >= until)
			break;
		const uint8_t *p = w->bytes + (offset - w->offset);
		/* count_heads took the packets without a timestamp */
		if (usual && offset < near && encap_is_extended(*p) && take_head(d, s, p, &m)) {
			m.offset = offset;
			summing_add(&sums, &m);
			offset += m.length;
			s->run = s->tail = 0;
			continue;
		}
		s->base.offset = offset;
		size_t taken =
		    step_one(d, s, p, (size_t)(end - offset), w->last, SIZE_MAX, 0, &odd);
		if (!taken)
			break;
		odd.length = (uint32_t)taken;
		summing_add(&sums, &odd);
		offset += taken;
		usual = !s->suspect && !s->idle;
	}
	s->base.offset = offset;
	summing_close(&sums, summary);
}

void
encap_summarise(const struct decoder *decoder, struct decode_state *state, const struct window *w,
		struct summary *summary)
{
	enum { BATCH = 64 };
	const struct encap_decoder *d = (const struct encap_decoder *)decoder;
	struct message out[BATCH];
	size_t count;
	if (!d->options->container.slot && !d->phase && !d->options->block_size) {
		sum_plain(d, (struct encap_state *)state, w, summary);
		return;
	}
	do {
		count = encap_step(decoder, state, w, out, BATCH);
		summary_add(summary, out, count);
	} while (count == BATCH);
}

/* --- states ------------------------------------------------------------ */

void
encap_start(const struct decoder *decoder, struct decode_state *state)
{
	const struct encap_decoder *d = (const struct encap_decoder *)decoder;
	bool block = d->options->block_size != 0;
	/* with sync sequences, packets before the first one are not verified */
	*(struct encap_state *)state = (struct encap_state){.suspect = d->syncs && !block};
}

void
encap_save(const struct decoder *decoder, const struct decode_state *state, uint8_t *out)
{
	const struct encap_state *s = (const struct encap_state *)state;
	(void)decoder;
	memcpy(out, &s->base.offset, 8);
	memcpy(out + 8, &s->ticks, 8);
	out[16] = s->run;
	out[17] = s->tail;
	out[18] = (uint8_t)(s->timed | s->idle << 1 | s->suspect << 2);
}

void
encap_restore(const struct decoder *decoder, struct decode_state *state, const uint8_t *saved)
{
	struct encap_state *s = (struct encap_state *)state;
	(void)decoder;
	*s = (struct encap_state){
	    .run = saved[16],
	    .tail = saved[17],
	    .timed = saved[18] & 1,
	    .idle = saved[18] & 2,
	    .suspect = saved[18] & 4,
	};
	memcpy(&s->base.offset, saved, 8);
	memcpy(&s->ticks, saved + 8, 8);
}

/* --- resync ------------------------------------------------------------ */

static uint8_t
aligned_byte(const struct encap_decoder *d, const uint8_t *p, size_t at)
{
	return d->phase ? encap_shifted(p, at, d->phase) : p[at];
}

/* Return the first position in LENGTH bytes at P that follows N null bytes, or LENGTH.  With
 * few nulls, only every Nth byte is read. */
static size_t
after_nulls(const struct encap_decoder *d, const uint8_t *p, size_t length)
{
	size_t n = d->longest, at = 0;
	while (at + n < length) {
		size_t k = at + n;
		while (k > at && encap_is_null(aligned_byte(d, p, k - 1)))
			k--;
		if (k == at)
			return at + n;
		at = k;
	}
	return length;
}

/* Return the offset where most chains meet that start at consecutive bytes, LENGTH without a
 * majority.  A wrong chain falls in step with the right one after a few packets. */
static size_t
encap_likely_start(const struct encap_decoder *d, const uint8_t *p, size_t length)
{
	size_t ends[2 * ENCAP_PACKET_MAX];
	size_t count = d->longest + 1, best = 0, found = length;
	size_t stop = length < LIKELY_STRETCH ? length : LIKELY_STRETCH;
	for (size_t i = 0; i < count && i < stop; i++) {
		size_t at = i;
		while (at < stop) {
			uint8_t byte = aligned_byte(d, p, at);
			at += encap_is_null(byte) ? 1 : d->length[byte];
		}
		ends[i] = at;
		size_t votes = 0;
		for (size_t j = 0; j <= i; j++)
			votes += ends[j] == at;
		if (votes > best) {
			best = votes;
			found = at;
		}
	}
	return 2 * best > count ? found : length;
}

int
encap_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	const struct encap_decoder *d = (const struct encap_decoder *)decoder;
	uint64_t block =
	    d->options->container.slot ? d->options->container.slot : d->options->block_size;
	size_t length = w->length - (d->phase && w->length), found = length;
	if (!d->options->container.slot)
		found = after_nulls(d, w->bytes, length);
	bool nulls = found < length;
	if (block) {
		uint64_t border = (w->offset + block - 1) / block * block - w->offset;
		if (border < found) {
			found = (size_t)border;
			nulls = false;
		}
	}
	if (found == length && !block && !d->syncs)
		found = encap_likely_start(d, w->bytes, length);
	if (found >= length)
		return ERR_SYNC;
	*(struct encap_state *)state = (struct encap_state){
	    .base.offset = w->offset + found,
	    .run = nulls ? (uint8_t)d->longest : 0,
	    .idle = nulls && !encap_is_extended(aligned_byte(d, w->bytes, found - 1)),
	};
	return 0;
}
