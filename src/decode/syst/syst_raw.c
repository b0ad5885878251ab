/*
 * SyS-T without a transport: messages one after the other, without framing.
 *
 * "A list of variable length SyS-T Messages without additional padding bytes between them" [SyS-T
 * 1.0, "Overview"], as Zephyr writes it [SyS-T 1.0, raw data, second hand: Zephyr].  There is no
 * sync word.  A message that states its length, or has a fixed size, leads to the next one; all
 * others end where the next one seems to start.  Candidates are judged by following them.  Each
 * message that parses adds evidence: a CRC that fits adds a lot, a word whose low bits happen to
 * be right adds little.  Enough evidence makes a chain.  The same chains find the way back after
 * damage.
 *
 * The normal case is a loop with one bounds check per message: while there are REACH bytes left,
 * no message and no look at the next one can leave the window.  Everything unusual, and the end of
 * the window, goes through syst_raw_decide().  Its results depend only on REACH bytes, so that any
 * window gives the same messages.
 *
 * Runs of zero bytes parse as builds with number 0; 16 or more are filler.
 */
#include "config.h"

#include "decode/summary.h"
#include "decode/syst/syst_expand.h"
#include "decode/syst/syst_frame.h"
#include "decode/syst/syst_printf.h"

#include <stdio.h>

enum {
	FILLER_LEAST = 16,
	LONG = 1024,		     /* longer messages are doubted: a wrong length hides much */
	OPEN_MAX = SYST_MESSAGE_MAX, /* most bytes of a message without length, or of damage */
	CHAIN_BYTES = 4096,	     /* most bytes examined for a chain */
	CHAIN_MESSAGES = 16,	     /* most messages followed in a chain */
	START_WORDS = 6,	     /* words in a row that start a chain without other evidence */
	CHAIN_OPEN = 512,	     /* most bytes of a message without length in a chain */
	NATURAL_MAX = 4096,	     /* bytes searched for an end by content */
	REACH = OPEN_MAX + CHAIN_BYTES,
	RUN_UP = 65536,
	DAMAGE_SHOWN = 64 /* bytes in the text; the field has all */
};

/* Evidence, in bits: how unlikely a coincidence is. */
enum {
	EVIDENCE_SHORT = 2,
	EVIDENCE_COMPACT = 4,
	EVIDENCE_HEADER = 6,
	EVIDENCE_LENGTH = 4,   /* a length that is not far away */
	EVIDENCE_LOCATION = 4, /* a location with a defined tag */
	EVIDENCE_TEXT = 8,     /* valid text, a bit for each byte */
	EVIDENCE_CRC = 24,
	EVIDENCE_END = 8, /* a message that ends with the capture */
	WEAK = 6,	  /* enough where a boundary is likely */
	FAIR = 16,	  /* enough after a long message */
	STRONG = 24	  /* enough anywhere */
};

/* Bytes that a decision may depend on. */
struct syst_raw_view {
	const uint8_t *p;
	size_t length; /* at most REACH */
	bool last;     /* the capture ends with them */
};

/* --- judging ----------------------------------------------------------- */

static bool
is_filler(const uint8_t *p, size_t length)
{
	return length >= FILLER_LEAST && bytes_zero_run(p, FILLER_LEAST) == FILLER_LEAST;
}

static bool
known_header(uint32_t header)
{
	return syst_subtypes[syst_header_type(header)] >> syst_header_subtype(header) & 1;
}

static bool
crc_fits(const uint8_t *p, size_t length)
{
	return bytes_crc32c(0, p, length - 4) == bytes_le32(p + length - 4);
}

/* Return the end of the message by a CRC-32C that fits, or 0.  Such an end is as certain as that
 * of a length field. */
static size_t
crc_end(const uint8_t *p, size_t length, size_t least)
{
	uint32_t crc = bytes_crc32c(0, p, least - 4);
	for (size_t at = least - 4;; at++) {
		if (crc == bytes_le32(p + at))
			return at + 4;
		if (at + 4 == length)
			return 0;
		crc = bytes_crc32c(crc, p + at, 1);
	}
}

/* Return the end of a message without length by its content: its CRC, the NUL of its text, the
 * last argument of its format.  Return 0 if unknown. */
static size_t
natural_end(const uint8_t *p, size_t length, const struct syst_peek *peek)
{
	uint32_t header = bytes_le32(p);
	unsigned subtype = syst_header_subtype(header);
	if (length < peek->least)
		return 0;
	if (header & SYST_HEADER_CRC)
		return crc_end(p, length, peek->least);
	if (peek->kind == SYST_BUILD)
		return peek->least;
	const uint8_t *nul =
	    peek->kind == SYST_STRING ? memchr(p + peek->prefix, 0, length - peek->prefix) : NULL;
	if (!nul)
		return 0;
	size_t end = (size_t)(nul - p) + 1, size = 0;
	if (subtype != SYST_STRING_PRINTF32 && subtype != SYST_STRING_PRINTF64)
		return end;
	const struct syst_args args = {
	    .at = p + end,
	    .length = length - end,
	    .packing = subtype == SYST_STRING_PRINTF64 ? SYST_P64 : SYST_P32,
	};
	return syst_printf_size((const char *)p + peek->prefix, end - 1 - peek->prefix, &args,
				&size)
		   ? end + size
		   : 0;
}

/* Count the bytes of text at P, up to EVIDENCE_TEXT.  Return 0 if anything before the NUL is not
 * text. */
static unsigned
text_bytes(const uint8_t *p, size_t length)
{
	unsigned count = 0;
	while (count < length && count < EVIDENCE_TEXT && p[count]) {
		uint32_t code;
		size_t taken = text_decode((const char *)p + count, length - count, &code);
		if (!taken || (code < 0x20 && !(code >= '\t' && code <= '\r')))
			return 0;
		count += (unsigned)taken;
	}
	return count;
}

static unsigned
evidence_of(const uint8_t *p, size_t length, const struct syst_peek *peek)
{
	uint32_t header = bytes_le32(p);
	if (syst_word_size(header)) {
		if (peek->kind == SYST_BUILD)
			return header ? EVIDENCE_COMPACT : 0;
		return EVIDENCE_SHORT;
	}
	unsigned evidence = EVIDENCE_HEADER;
	if (peek->has_length)
		evidence += EVIDENCE_LENGTH;
	if (header & SYST_HEADER_LOCATION)
		evidence += EVIDENCE_LOCATION;
	if (header & SYST_HEADER_CRC) {
		if (length < peek->least || !crc_fits(p, length))
			return 0;
		evidence += EVIDENCE_CRC;
	}
	if (peek->kind == SYST_STRING && length > peek->prefix)
		evidence += text_bytes(p + peek->prefix, length - peek->prefix);
	return evidence;
}

/* True if messages seem to follow each other from AT on. */
static bool
is_chain(const struct syst_raw_view *v, size_t at, unsigned needed)
{
	size_t stop = v->length - at > CHAIN_BYTES ? at + CHAIN_BYTES : v->length;
	unsigned evidence = 0;
	for (int i = 0; i < CHAIN_MESSAGES && evidence < needed; i++) {
		const uint8_t *p = v->p + at;
		size_t left = stop - at;
		struct syst_peek peek;
		if (!left && v->last && stop == v->length)
			return i && evidence + EVIDENCE_END >= needed;
		if (left < 4 || is_filler(p, left))
			break;
		syst_peek(p, left, &peek);
		if (peek.kind == SYST_UNKNOWN || peek.suspect)
			return false;
		if (peek.extent == SYST_SHORT)
			break;
		if (!syst_plausible(p, left))
			return false;
		size_t open = left < CHAIN_OPEN ? left : CHAIN_OPEN;
		size_t length = peek.length ? peek.length : natural_end(p, open, &peek);
		evidence += evidence_of(p, length ? length : left, &peek);
		if (!length)
			break;
		at += length;
	}
	return evidence >= needed;
}

/* True if a chain starts at AT, where no message is expected.  Almost anything can be a word, so
 * one counts only if others follow. */
static bool
starts_chain(const struct syst_raw_view *v, size_t at)
{
	size_t next = at;
	for (int words = 0; words < START_WORDS; words++) {
		if (v->length - next < 4)
			return false;
		uint32_t header = bytes_le32(v->p + next), size = syst_word_size(header);
		if (!header || !known_header(header))
			return false;
		if (!size) /* this quick test spares most offsets a thorough one */
			return !words && !(header & SYST_HEADER_RESERVED) &&
			       is_chain(v, at, STRONG);
		if (v->length - next < size)
			return false;
		next += size;
	}
	return is_chain(v, at, STRONG);
}

/* Return the first offset in [FROM, TO) where a chain starts, or TO. */
static size_t
find_chain(const struct syst_raw_view *v, size_t from, size_t to)
{
	while (from < to && !starts_chain(v, from))
		from++;
	return from < to ? from : to;
}

/* --- deciding ---------------------------------------------------------- */

/* True if V has all bytes that a decision can depend on. */
static bool
is_enough(const struct syst_raw_view *v)
{
	return v->last || v->length == REACH;
}

static size_t
open_most(const struct syst_raw_view *v)
{
	return v->length < OPEN_MAX ? v->length : OPEN_MAX;
}

/* Return the length of the zero run at the start, which is filler.  Return 0 if more bytes are
 * needed.  The next header may begin with zero bytes. */
static size_t
filler_length(const struct syst_raw_view *v, uint64_t offset)
{
	static const unsigned needs[] = {STRONG, WEAK};
	size_t run = bytes_zero_run(v->p, v->length);
	size_t cut = (size_t)(decode_run_cut(offset) - offset);
	if (run >= cut + FILLER_LEAST + 3) /* the rest is long enough to be filler again */
		return cut;
	if (!is_enough(v) && v->length - run < CHAIN_BYTES)
		return 0;
	if (run == v->length)
		return run;
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
		for (size_t own = 0; own <= 3; own++)
			if (is_chain(v, run - own, needs[i]))
				return run - own;
	return run;
}

/* True if AT has a known header, or (if requested) a reserved one with a length, or the end of the
 * capture. */
static bool
fits_at(const struct syst_raw_view *v, size_t at, bool reserved_too)
{
	size_t left = v->length - at;
	struct syst_peek peek;
	if (left < 4)
		return is_enough(v);
	if (known_header(bytes_le32(v->p + at)))
		return true;
	syst_peek(v->p + at, left, &peek);
	return reserved_too && peek.extent == SYST_RESERVED && peek.length;
}

static size_t
decide_filler(const struct syst_raw_view *v, struct message *m)
{
	m->kind = SYST_FILLER;
	m->severity = SEVERITY_DEBUG;
	m->flags = MESSAGE_FILLER;
	return filler_length(v, m->offset);
}

static size_t
decide_damage(const struct syst_raw_view *v, struct message *m)
{
	m->kind = SYST_DAMAGE;
	m->severity = SEVERITY_ERROR;
	m->flags = MESSAGE_DAMAGED;
	return is_enough(v) ? find_chain(v, 1, open_most(v)) : 0;
}

/* True if a message's stated length is credible: its CRC fits, or a message may follow.  After a
 * long message, one must follow. */
static bool
is_trusted(const struct syst_raw_view *v, const struct syst_peek *peek)
{
	size_t length = peek->length;
	bool reserved = peek->extent == SYST_RESERVED;
	bool has_crc = bytes_le32(v->p) & SYST_HEADER_CRC;
	if (has_crc && crc_fits(v->p, length))
		return true;
	if (v->last && length == v->length)
		return true;
	if (length <= LONG)
		return fits_at(v, length, reserved);
	/* a text that ends at the stated length proves it right */
	if (!reserved && !has_crc && !peek->suspect && natural_end(v->p, length, peek) == length)
		return true;
	/* a wrong length leads into other messages, and soon back in step with them: after a
	 * doubtful header a chain proves little, unless it would be found anywhere; after a
	 * reserved one, nothing */
	if (reserved || has_crc)
		return false;
	return peek->suspect ? starts_chain(v, length) : is_chain(v, length, FAIR);
}

/* Decide about a message that states its length.  The length is wrong if it cannot be trusted and
 * a chain starts inside. */
static size_t
decide_whole(const struct syst_raw_view *v, const struct syst_peek *peek, struct message *m)
{
	size_t length = peek->length;
	if (peek->has_length && !is_trusted(v, peek)) {
		if (!is_enough(v))
			return 0;
		length = find_chain(v, peek->prefix, length);
	}
	syst_fill(peek, length, m);
	return length;
}

static size_t
decide_open(const struct syst_raw_view *v, const struct syst_peek *peek, struct message *m)
{
	size_t most = open_most(v);
	size_t length = natural_end(v->p, most < NATURAL_MAX ? most : NATURAL_MAX, peek);
	bool certain = length && bytes_le32(v->p) & SYST_HEADER_CRC;
	bool likely = length && (is_chain(v, length, WEAK) || (v->last && length == v->length));
	if (!certain && !likely) {
		if (!is_enough(v))
			return 0;
		length = find_chain(v, peek->least, most);
	}
	syst_fill(peek, length, m);
	if (!certain)
		m->flags |= MESSAGE_ESTIMATED;
	return length;
}

/* Decide about a message that the capture's end cuts off, or that has a wrong length. */
static size_t
decide_short(const struct syst_raw_view *v, const struct syst_peek *peek, struct message *m)
{
	if (!is_enough(v))
		return 0;
	if (peek->kind == SYST_UNKNOWN)
		return decide_damage(v, m);
	size_t length = find_chain(v, peek->prefix ? peek->prefix : 1, v->length);
	syst_fill(peek, length, m);
	return length;
}

static size_t
decide_reserved(const struct syst_raw_view *v, const struct syst_peek *peek, struct message *m)
{
	if (!peek->length || !is_trusted(v, peek))
		return decide_damage(v, m);
	syst_fill(peek, peek->length, m);
	return peek->length;
}

/* Fill in M with the message at the start of V, which is at OFFSET.  Return its length, or 0 if
 * that needs more bytes. */
static size_t
syst_raw_decide(const struct syst_raw_view *v, uint64_t offset, struct message *m)
{
	struct syst_peek peek;
	*m = (struct message){.offset = offset, .origin = SYST_ORIGIN_NONE};
	if (!is_enough(v) && v->length < FILLER_LEAST)
		return 0;
	if (is_filler(v->p, v->length))
		return decide_filler(v, m);
	syst_peek(v->p, v->length, &peek);
	switch (peek.extent) {
	case SYST_WHOLE:
		return decide_whole(v, &peek, m);
	case SYST_OPEN:
		return decide_open(v, &peek, m);
	case SYST_SHORT:
		return decide_short(v, &peek, m);
	case SYST_RESERVED:
		return decide_reserved(v, &peek, m);
	}
	return 0;
}

static struct syst_raw_view
view_at(const struct window *w, uint64_t offset)
{
	size_t left = (size_t)(w->offset + w->length - offset);
	return (struct syst_raw_view){.p = w->bytes + (offset - w->offset),
				      .length = left < REACH ? left : REACH,
				      .last = w->last && left <= REACH};
}

/* --- the decoder ------------------------------------------------------- */

/* Layout of the last message.  Most messages have the layout of the one before.  The walk can then
 * read the length without waiting for the header to arrive from memory. */
struct shape {
	uint32_t flags;
	unsigned wide; /* wide bit of the location */
	struct syst_layout at;
};

static inline __attribute__((always_inline)) void
peek_shaped(const uint8_t *p, struct shape *shape, struct syst_peek *peek)
{
	uint32_t header = bytes_le32(p), flags = header & SYST_HEADER_FLAGS;
	uint32_t word = syst_word_size(header);
	if (word) {
		syst_peek_word(header, word, REACH, peek);
		return;
	}
	if (flags != shape->flags ||
	    (flags & SYST_HEADER_LOCATION &&
	     (p[shape->at.location] & SYST_LOCATION_WIDE) != shape->wide)) {
		shape->at = syst_layout(header, p);
		shape->wide = p[shape->at.location] & SYST_LOCATION_WIDE;
		shape->flags = flags;
	}
	syst_peek_laid(p, REACH, header, shape->flags, shape->at, peek);
}

/* Fill in the plain message at P.  Return false if it is unusual. */
static inline __attribute__((always_inline)) bool
take_plain(const uint8_t *p, uint64_t offset, struct shape *shape, struct message *m)
{
	struct syst_peek peek;
	if (!bytes_le32(p))
		return false;
	peek_shaped(p, shape, &peek);
	if (peek.extent != SYST_WHOLE || peek.length > LONG ||
	    !known_header(bytes_le32(p + peek.length)))
		return false;
	m->offset = offset;
	m->length = peek.length;
	syst_fill(&peek, peek.length, m);
	return true;
}

/* Step over plain messages that start before END, up to an unusual one. */
static size_t
step_plain(const uint8_t *p, uint64_t offset, uint64_t end, struct message *out, size_t max)
{
	struct shape shape = {.flags = UINT32_MAX};
	size_t count = 0;
	for (; count < max && offset < end && take_plain(p, offset, &shape, &out[count]); count++) {
		offset += out[count].length;
		p += out[count].length;
	}
	return count;
}

/* Count messages as step_plain() would fill them, as long as they have a length, no location and
 * nothing unusual.  Return the offset after them.  Arithmetic tests their flags: if these vary
 * from message to message, mispredicted branches cost more than all else. */
static uint64_t
sum_common(const uint8_t *p, uint64_t offset, uint64_t end, struct summing *all)
{
	const uint32_t asked = SYST_HEADER_RESERVED | SYST_HEADER_LOCATION | SYST_HEADER_LENGTH;
	const unsigned types = 1u << SYST_STRING | 1u << SYST_CATALOG | 1u << SYST_RAW;
	struct summing sums = *all;
	while (offset < end) {
		uint32_t header = bytes_le32(p);
		unsigned type = syst_header_type(header), subtype = syst_header_subtype(header);
		unsigned time = header / SYST_HEADER_TIME & 1, crc = header / SYST_HEADER_CRC & 1;
		unsigned before = 4 + 16 * (header / SYST_HEADER_GUID & 1);
		unsigned payload = bytes_le16(p + before);
		unsigned length = before + 2 + 8 * time + 4 * crc + payload;
		if ((header & asked) != SYST_HEADER_LENGTH || !(types >> type & 1) ||
		    !(syst_subtypes[type] >> subtype & 1) || length > LONG ||
		    payload < syst_payload_least[type][subtype & 15] ||
		    !known_header(bytes_le32(p + length)))
			break;
		unsigned checked = (crc | (unsigned)(syst_formatted[type] >> subtype)) & 1;
		summing_add(&sums, &(struct message){
				       .offset = offset,
				       .ticks = bytes_le64(p + before + 2),
				       .origin = syst_origin(header, p),
				       .flags = (uint16_t)(time * MESSAGE_TIMED |
							   checked * MESSAGE_CHECKED),
				       .kind = (uint8_t)type,
				       .severity = header >> 4 & 7,
				   });
		offset += length;
		p += length;
	}
	*all = sums;
	return offset;
}

/* Like step_plain(), but count the messages.  Return the offset after them. */
static uint64_t
sum_plain(const uint8_t *p, uint64_t offset, uint64_t end, struct summary *summary)
{
	struct shape shape = {.flags = UINT32_MAX};
	struct summing sums = summing_open(summary);
	struct message m;
	for (;;) {
		uint64_t from = offset;
		offset = sum_common(p, offset, end, &sums);
		p += offset - from;
		if (offset >= end || !take_plain(p, offset, &shape, &m))
			break;
		summing_add(&sums, &m);
		offset += m.length;
		p += m.length;
	}
	summing_close(&sums, summary);
	return offset;
}

/* Settle each of COUNT messages that needs nothing but its own bytes. */
static void
settle_plain(const struct decoder *decoder, const struct window *w, struct message *out,
	     size_t count)
{
	for (struct message *m = out; m < out + count; m++)
		if (m->flags & MESSAGE_CHECKED)
			syst_settle((const struct syst_decoder *)decoder,
				    w->bytes + (m->offset - w->offset), m->length, NULL, w->check,
				    m);
}

static size_t
syst_raw_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	      struct message *out, size_t max)
{
	uint64_t end = w->offset + w->length, offset = state->offset;
	uint64_t until = w->until < end ? w->until : end;
	size_t count = 0;
	(void)decoder;
	while (count < max && offset < until) {
		struct message *m = &out[count];
		if (end - offset >= REACH) {
			uint64_t stop = until <= end - REACH ? until : end - REACH + 1;
			size_t plain = step_plain(w->bytes + (offset - w->offset), offset, stop, m,
						  max - count);
			if (plain)
				offset = m[plain - 1].offset + m[plain - 1].length;
			if (w->check)
				settle_plain(decoder, w, m, plain);
			count += plain;
			if (count == max || offset >= until)
				break;
			m += plain;
		}
		struct syst_raw_view view = view_at(w, offset);
		size_t length = syst_raw_decide(&view, offset, m);
		if (!length)
			break;
		m->length = (uint32_t)length;
		offset += length;
		count++;
	}
	state->offset = offset;
	return count;
}

static void
syst_raw_summarise(const struct decoder *decoder, struct decode_state *state,
		   const struct window *w, struct summary *summary)
{
	uint64_t end = w->offset + w->length, offset = state->offset;
	uint64_t until = w->until < end ? w->until : end;
	(void)decoder;
	while (offset < until) {
		struct message m;
		if (end - offset >= REACH) {
			uint64_t stop = until <= end - REACH ? until : end - REACH + 1;
			offset = sum_plain(w->bytes + (offset - w->offset), offset, stop, summary);
			if (offset >= until)
				break;
		}
		struct syst_raw_view view = view_at(w, offset);
		size_t length = syst_raw_decide(&view, offset, &m);
		if (!length)
			break;
		m.length = (uint32_t)length;
		summary_add(summary, &m, 1);
		offset += length;
	}
	state->offset = offset;
}

static int
syst_raw_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	uint64_t end = w->offset + w->length;
	(void)decoder;
	state->offset = w->offset;
	if (!w->offset)
		return 0;
	for (uint64_t offset = w->offset; offset < end;) {
		struct syst_raw_view view = view_at(w, offset);
		/* the start of filler does not affect its end */
		size_t filler = is_filler(view.p, view.length) ? filler_length(&view, offset) : 0;
		size_t most = open_most(&view), found = find_chain(&view, 0, most);
		state->offset = offset + (filler ? filler : found);
		if (filler || found < most)
			return 0;
		offset += most;
	}
	return ERR_SYNC;
}

static void
syst_raw_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
		enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	const uint8_t *p = w->bytes + (m->offset - w->offset);
	*vec_add(&e->extents) = (struct extent){
	    .capture_bit = 8 * m->offset, .bits = 8 * m->length, .form = EXTENT_PLAIN};
	if (m->kind == SYST_FILLER) {
		text_add(&e->type, "FILLER");
		text_addf(&e->text, "%u zero bytes", m->length);
		return;
	}
	/* a copy, because the bytes of a growing capture may change */
	e->payload = arena_copy(&e->arena, p, m->length);
	e->payload_length = m->length;
	if (m->kind != SYST_DAMAGE) {
		syst_expand((const struct syst_decoder *)decoder, m, e->payload, m->length, want,
			    history, NULL, e);
		return;
	}
	text_add(&e->type, "DAMAGE");
	text_addf(&e->text, "%u undecoded bytes: ", m->length);
	text_add_hex(&e->text, e->payload, m->length < DAMAGE_SHOWN ? m->length : DAMAGE_SHOWN);
	if (m->length > DAMAGE_SHOWN)
		text_add(&e->text, "...");
	if (want != EXPAND_FIELDS)
		return;
	struct field *field =
	    expansion_add(e, &syst_fields[SYST_F_DATA], FIELD_PAYLOAD, 0, 8 * m->length);
	field->s.at = (const char *)e->payload;
	field->s.length = m->length;
}

static void
syst_raw_type_keys(const struct decoder *decoder, const struct message *m, size_t count,
		   const struct window *w, uint64_t *keys, bool *keyed)
{
	for (size_t i = 0; i < count; i++)
		if (keyed[i])
			keyed[i] = syst_type_key((const struct syst_decoder *)decoder, &m[i],
						 w->bytes + (m[i].offset - w->offset), m[i].length,
						 &keys[i]);
}

/* Return a text without format or checksum.  The bytes may have changed since step() read them. */
static const char *
syst_raw_text(const struct decoder *decoder, const struct message *m, const struct window *w,
	      size_t *length)
{
	enum { location_end = 21 /* most bytes up to a location's first byte */ };
	const unsigned doubtful = MESSAGE_LOSS | MESSAGE_SUSPECT | MESSAGE_DAMAGED;
	const uint8_t *p = w->bytes + (m->offset - w->offset);
	(void)decoder;
	if (m->kind != SYST_STRING || m->flags & doubtful || m->length < 4)
		return NULL;
	uint32_t header = bytes_le32(p);
	if (header & SYST_HEADER_LOCATION && m->length < location_end)
		return NULL;
	size_t from = syst_layout(header, p).payload;
	bool formatted = syst_formatted[SYST_STRING] >> syst_header_subtype(header) & 1;
	if (header & SYST_HEADER_CRC || formatted || from > m->length)
		return NULL;
	*length = strnlen((const char *)p + from, m->length - from);
	return (const char *)p + from;
}

/* True if no type of these kinds contains a needle, nor a text other than that of STRING: a number,
 * or that of CLOCK. */
static bool
only_strings_have(const struct needles *needles, uint64_t kinds)
{
	static const char hex[] = "0123456789abcdefABCDEFx", clock[] = "clock atHz0123456789";
	for (unsigned type = 0; type < 16; type++)
		for (unsigned subtype = 0; kinds >> type & 1 && subtype < 64; subtype++) {
			struct text_pieces of_type = {.needles = needles},
					   text = {.needles = needles};
			const char *name = syst_type_name(type);
			const char *detail = syst_subtype_name(type, subtype);
			if (!(syst_subtypes[type] >> subtype & 1))
				continue;
			pieces_add(&of_type, name, strlen(name));
			pieces_add(&of_type, ":", 1);
			if (detail)
				pieces_add(&of_type, detail, strlen(detail));
			else
				pieces_add_letters(&of_type, "0123456789");
			if (type != SYST_STRING)
				pieces_add_letters(&text, type == SYST_CLOCK ? clock : hex);
			if (of_type.found || text.found)
				return false;
		}
	return true;
}

static bool
syst_raw_in_place(const struct decoder *decoder, const struct needles *needles,
		  const struct window *w, uint64_t kinds, unsigned flags)
{
	/* without MESSAGE_CHECKED: a checksum or a format adds to the text */
	const unsigned plain = MESSAGE_TIMED | MESSAGE_SENDER_TIMED | MESSAGE_SYNC | MESSAGE_RESYNC;
	const uint64_t numbers = 1u << SYST_RAW | 1u << SYST_SHORT32 | 1u << SYST_SHORT64;
	const struct syst_decoder *d = (const struct syst_decoder *)decoder;
	(void)w;
	if (flags & ~plain || kinds & ~(numbers | 1u << SYST_STRING | 1u << SYST_CLOCK))
		return false;
	if (kinds & numbers && d->collateral) /* it may name them */
		return false;
	return only_strings_have(needles, kinds);
}

/* Counts of the messages in the head of a capture. */
struct syst_raw_tally {
	size_t headers, checked; /* `checked`: headers with a CRC that fits */
	size_t weak;		 /* single words, and messages of unknown length */
	size_t doubtful;
};

static void
count_message(struct syst_raw_tally *tally, const struct message *m, const uint8_t *p)
{
	uint32_t header = m->length >= 4 ? bytes_le32(p) : 0;
	if (m->kind == SYST_FILLER)
		return;
	if (m->kind >= SYST_UNKNOWN || m->flags & MESSAGE_SUSPECT) {
		tally->doubtful++;
	} else if (syst_word_size(header) || m->flags & MESSAGE_ESTIMATED) {
		tally->weak++;
	} else {
		tally->headers++;
		tally->checked += header & SYST_HEADER_CRC && crc_fits(p, m->length);
	}
}

/* Return the score of a head.  Words are accepted nearly anywhere, so only messages with a header
 * and an end count for the format.  Anything doubtful counts against it. */
static int
score_of(const struct syst_raw_tally *t)
{
	if (t->checked > t->doubtful)
		return 95;
	if (t->doubtful * 20 > t->headers + t->weak)
		return 0;
	if (t->headers >= 4 && t->headers * 2 > t->weak)
		return 80;
	if (t->headers)
		return 30;
	return t->weak && !t->doubtful ? 10 : 0;
}

static void
syst_raw_probe(const struct window *head, struct probe *probe)
{
	uint64_t end = head->offset + head->length;
	struct decode_state state = {.offset = head->offset};
	struct message batch[64];
	struct syst_raw_tally tally = {0};
	size_t count;
	do {
		count = syst_raw_step(NULL, &state, head, batch, sizeof batch / sizeof *batch);
		for (size_t i = 0; i < count; i++) {
			const struct message *m = &batch[i];
			/* the head may end inside a message */
			if (m->offset + m->length < end || m->kind < SYST_UNKNOWN)
				count_message(&tally, m, head->bytes + (m->offset - head->offset));
		}
	} while (count == sizeof batch / sizeof *batch);
	probe->score = score_of(&tally);
	if (!tally.headers)
		snprintf(probe->reason, sizeof probe->reason, "no SyS-T header found");
	else
		snprintf(probe->reason, sizeof probe->reason,
			 "%zu SyS-T messages with a header (%zu with a CRC that fits), %zu others, "
			 "%zu doubtful",
			 tally.headers, tally.checked, tally.weak, tally.doubtful);
}

static struct decoder *
syst_raw_open(const void *options, const struct window *head, struct err *err)
{
	(void)head;
	return syst_plain_open(&syst_raw_ops, options, err);
}

const struct decoder_ops syst_raw_ops = {
    .format = "syst",
    .transport = "raw",
    .title = "MIPI SyS-T, messages one after the other",
    .help = "SyS-T messages without any framing; those without a length field end at the next "
	    "plausible message",
    .fields = syst_fields,
    .field_count = SYST_F_COUNT,
    .kinds = syst_kinds,
    .kind_count = SYST_KIND_COUNT,
    .kinds_checked = SYST_KINDS_CHECKED,
    .origin_none = SYST_ORIGIN_NONE,
    .none_is_max = true,
    .origin_tells = syst_origin_tells,
    .kinds_history = 1ull << SYST_BUILD,
    .options = &syst_options,
    .unnamed = SYST_UNNAMED,
    .alike = "id",
    .clocks = &syst_clocks,
    /* no contexts: a profile defines which catalog messages set one */
    /* no trigger: SyS-T has none, and there is no transport */
    .reach = REACH,
    .run_up = RUN_UP,
    .state_size = sizeof(struct decode_state),
    .checkpoint_size = 8,
    .memory_size = sizeof(struct syst_memory),
    .probe = syst_raw_probe,
    .open = syst_raw_open,
    .close = syst_plain_close,
    .load = syst_load,
    .start = decode_plain_start,
    .save = decode_plain_save,
    .restore = decode_plain_restore,
    .is_free = true,
    .step = syst_raw_step,
    .summarise = syst_raw_summarise,
    .resync = syst_raw_resync,
    .expand = syst_raw_expand,
    .type_keys = syst_raw_type_keys,
    .text_at = syst_raw_text,
    .in_place = syst_raw_in_place,
    .printer = SYST_PRINTER,
    .print = syst_systprint,
};
