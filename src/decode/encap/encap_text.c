/*
 * Texts of messages of an encapsulated stream, and the search strings that none can have.
 *
 * One function per kind of text writes its parts.  With a text as the destination it
 * writes those that the message has.  With pieces (pieces.h) it writes all that a message
 * of the kind may have, each of them optional.  A search can thus skip the messages of
 * most kinds.
 */
#include "config.h"

#include "decode/encap/encap_frame.h"
#include "decode/pieces.h"

#include <string.h>

/* Destination of a text: either is NULL. */
struct text_sink {
	struct text *text;
	struct text_pieces *pieces;
};

static const char decimal[] = "0123456789", hexadecimal[] = "0123456789abcdef";

/* --- parts ------------------------------------------------------------- */

/* Add a part to all texts: BEFORE, then VALUE or any of LETTERS, then AFTER. */
static void
allow_part(struct text_pieces *pieces, const char *before, const char *value, const char *letters,
	   const char *after)
{
	const struct text_pieces without = *pieces;
	pieces_add(pieces, before, strlen(before));
	pieces_add(pieces, value, strlen(value));
	pieces_add_letters(pieces, letters);
	pieces_add(pieces, after, strlen(after));
	pieces_join(pieces, &without);
}

/* The put_ functions write a part if HAS is set, or allow it. */
static inline void
put_words(const struct text_sink *sink, bool has, const char *words)
{
	if (!sink->text)
		allow_part(sink->pieces, words, "", "", "");
	else if (has)
		text_add(sink->text, words);
}

static inline void
put_uint(const struct text_sink *sink, bool has, const char *before, uint64_t value)
{
	if (!sink->text) {
		allow_part(sink->pieces, before, "", decimal, "");
	} else if (has) {
		text_add(sink->text, before);
		text_add_uint(sink->text, value);
	}
}

static inline void
put_hex(const struct text_sink *sink, bool has, const char *before, uint64_t value)
{
	if (!sink->text) {
		allow_part(sink->pieces, before, "", hexadecimal, "");
	} else if (has) {
		text_add(sink->text, before);
		text_add_hex_digits(sink->text, value, 1);
	}
}

/* Write a difference with its sign. */
static inline void
put_signed(const struct text_sink *sink, bool has, const char *before, uint64_t value,
	   const char *after)
{
	if (!sink->text) {
		allow_part(sink->pieces, before, "", "+-0123456789", after);
	} else if (has) {
		text_add(sink->text, before);
		if ((int64_t)value >= 0)
			text_add_char(sink->text, '+');
		text_add_int(sink->text, (int64_t)value);
		text_add(sink->text, after);
	}
}

/* Write NAME, or allow all of COUNT names, of which some may be NULL. */
static inline void
put_name(const struct text_sink *sink, const char *before, const char *name,
	 const char *const *names, size_t count, const char *after)
{
	for (size_t i = 0; i < count && !sink->text; i++)
		if (names[i])
			allow_part(sink->pieces, before, names[i], "", after);
	if (sink->text && name) {
		text_add(sink->text, before);
		text_add(sink->text, name);
		text_add(sink->text, after);
	}
}

/* --- encapsulation ----------------------------------------------------- */

static void
put_nulls(const struct text_sink *sink, unsigned count, uint64_t idle, bool sync)
{
	put_uint(sink, true, "", count);
	put_words(sink, true, " null");
	put_words(sink, count != 1, "s");
	put_uint(sink, true, ": ", idle);
	put_uint(sink, true, " idle, ", count - idle);
	put_words(sink, true, " alignment");
	put_words(sink, sync, ", sync");
}

void
encap_text_nulls(struct text *out, unsigned count, uint64_t idle, bool sync)
{
	put_nulls(&(struct text_sink){.text = out}, count, idle, sync);
}

static void
put_truncated(const struct text_sink *sink, unsigned length, unsigned declared)
{
	put_uint(sink, true, "", length);
	put_uint(sink, true, " of ", declared);
	put_words(sink, true, " bytes");
}

void
encap_text_truncated(struct text *out, unsigned length, unsigned declared)
{
	put_truncated(&(struct text_sink){.text = out}, length, declared);
}

static void
put_malformed(const struct text_sink *sink)
{
	put_words(sink, true, "no room for a payload");
}

void
encap_text_malformed(struct text *out)
{
	put_malformed(&(struct text_sink){.text = out});
}

static void
put_opaque(const struct text_sink *sink, bool typed, unsigned type)
{
	put_uint(sink, typed, "type ", type);
	put_words(sink, !typed, "opaque");
	put_words(sink, true, ":");
	if (!sink->text) /* the bytes */
		pieces_add_letters(sink->pieces, " 0123456789abcdef");
}

void
encap_text_opaque(struct text *out, const uint8_t *p, const struct encap_packet *packet)
{
	put_opaque(&(struct text_sink){.text = out}, packet->source->type_width, packet->type);
	for (int bit = 0; bit < packet->payload_bits; bit += 8) {
		text_add_char(out, ' ');
		text_add_hex_digits(
		    out, bytes_bits(p, packet->length, packet->payload + (unsigned)bit, 8), 2);
	}
}

/* --- E-Trace ----------------------------------------------------------- */

const char *
etrace_privilege_name(uint8_t privilege)
{
	const struct field_row *row = &encap_fields[ENCAP_F_PRIVILEGE];
	return privilege < row->value_count ? row->values[privilege] : NULL;
}

static void
put_branches(const struct text_sink *sink, const struct etrace_packet *t)
{
	char branches[ETRACE_BRANCHES_MAX];
	if (!sink->text) {
		allow_part(sink->pieces, " ", "", "nt", "");
	} else if (t->branches) {
		text_add_char(sink->text, ' ');
		text_add_bytes(sink->text, branches, etrace_branches(t, branches));
	}
}

static void
put_trap(const struct text_sink *sink, const struct etrace_packet *t)
{
	put_uint(sink, t->is_interrupt, " interrupt=", t->ecause);
	put_uint(sink, !t->is_interrupt, " exception=", t->ecause);
	put_name(sink, " (", t->cause_name, etrace_exceptions, ETRACE_EXCEPTIONS, ")");
	if (!sink->text)
		put_name(sink, " (", NULL, etrace_interrupts, ETRACE_INTERRUPTS, ")");
	put_hex(sink, t->has_tval, " tval=0x", t->tval);
}

static void
put_mode(const struct text_sink *sink, const struct etrace_packet *t)
{
	const struct field_row *row = &encap_fields[ENCAP_F_PRIVILEGE];
	const char *name = etrace_privilege_name(t->privilege);
	put_name(sink, " priv=", name, row->values, row->value_count, "");
	put_uint(sink, !name, " priv=", t->privilege);
	put_uint(sink, t->has_context, " context=", t->context);
	put_uint(sink, t->has_time, " time=", t->time);
}

static void
put_instruction(const struct text_sink *sink, const struct etrace_packet *t,
		const struct etrace_place *place)
{
	bool known = t->move == ETRACE_TO || (t->move == ETRACE_BY && place->known);
	put_branches(sink, t);
	if (t->kind == ETRACE_BRANCH_COUNT)
		put_uint(sink, true, " count=", t->count + 31);
	if (t->kind == ETRACE_JUMP_TARGET)
		put_uint(sink, true, " index=", t->count);
	put_hex(sink, known, " pc=0x", place->pc);
	put_words(sink, !known && (t->move == ETRACE_BY || t->kind == ETRACE_TRAP), " pc=?");
	put_signed(sink, t->has_address && !t->full, " (", t->address, ")");
	if (t->kind == ETRACE_TRAP)
		put_trap(sink, t);
	if (t->kind == ETRACE_START || t->kind == ETRACE_TRAP || t->kind == ETRACE_CONTEXT)
		put_mode(sink, t);
}

static void
put_support(const struct text_sink *sink, const struct etrace_packet *t)
{
	const char *status = t->status ? etrace_statuses[t->status] : NULL;
	put_words(sink, t->count, " on");
	put_words(sink, !t->count, " off");
	put_name(sink, " ", status, etrace_statuses, ETRACE_STATUS_COUNT, "");
	put_words(sink, t->options.full_address, " full_address");
	put_words(sink, t->data_lost && t->status != ETRACE_STATUS_LOST, " data lost");
	put_words(sink, t->unhandled,
		  " implicit_exception: no mtvec in the profile, so the pc is unknown after traps");
}

static void
put_data(const struct text_sink *sink, const struct etrace_packet *t)
{
	put_uint(sink, t->bytes, " ", t->bytes);
	put_words(sink, t->bytes, " byte");
	put_words(sink, t->bytes > 1, "s");
	put_hex(sink, t->has_data, " 0x", t->data[1] ? t->data[1] : t->data[0]);
	if (sink->text && t->has_data && t->data[1])
		text_add_hex_digits(sink->text, t->data[0], 16);
	put_hex(sink, t->has_address && t->full, " at 0x", t->address);
	put_signed(sink, t->has_address && !t->full, " at ", t->address, "");
}

static void
put_payload(const struct text_sink *sink, const struct etrace_packet *t,
	    const struct etrace_place *place)
{
	const char *const *names = &encap_kinds[t->kind].name;
	size_t count = 1;
	if (t->kind >= DTRACE_LOAD) {
		names = dtrace_names[t->kind - DTRACE_LOAD];
		count = DTRACE_NAMES_MAX;
	}
	put_name(sink, "", t->name, names, count, "");
	if (t->kind == ETRACE_SUPPORT)
		put_support(sink, t);
	else if (t->kind >= DTRACE_LOAD)
		put_data(sink, t);
	else
		put_instruction(sink, t, place);
	put_name(sink, ": ", t->error, etrace_errors, ETRACE_ERROR_COUNT, "");
}

void
etrace_text(const struct etrace_packet *t, const struct etrace_place *place, struct text *out)
{
	put_payload(&(struct text_sink){.text = out}, t, place);
}

/* --- search ------------------------------------------------------------ */

const char *
encap_type_name(unsigned kind)
{
	static const char *const names[] = {[ENCAP_NULL_RUN] = "null_run",
					    [ENCAP_TRUNCATED] = "truncated",
					    [ENCAP_MALFORMED] = "malformed",
					    [ENCAP_OPAQUE] = "normal"};
	return names[kind < ENCAP_OPAQUE ? kind : ENCAP_OPAQUE];
}

/* True if a message of the kind may have a needle in its text or type. */
static bool
kind_may_have(const struct needles *needles, unsigned kind)
{
	struct text_pieces type = {.needles = needles}, text = {.needles = needles};
	const struct text_sink sink = {.pieces = &text};
	const struct etrace_packet t = {.kind = (uint8_t)kind};
	const struct etrace_place place = {0};
	pieces_add(&type, encap_type_name(kind), strlen(encap_type_name(kind)));
	if (kind == ENCAP_NULL_RUN)
		put_nulls(&sink, 0, 0, false);
	else if (kind == ENCAP_TRUNCATED)
		put_truncated(&sink, 0, 0);
	else if (kind == ENCAP_MALFORMED)
		put_malformed(&sink);
	else if (kind == ENCAP_OPAQUE)
		put_opaque(&sink, false, 0);
	else
		put_payload(&sink, &t, &place);
	return type.found || text.found;
}

bool
encap_in_place(const struct decoder *decoder, const struct needles *needles,
	       const struct window *w, uint64_t kinds, unsigned flags)
{
	(void)decoder, (void)w, (void)flags; /* a kind has all its texts whatever the flags */
	if (kinds >> ENCAP_KIND_COUNT)
		return false;
	for (unsigned kind = 0; kind < ENCAP_KIND_COUNT; kind++)
		if (kinds >> kind & 1 && kind_may_have(needles, kind))
			return false;
	return true;
}

void
encap_type_keys(const struct decoder *decoder, const struct message *m, size_t count,
		const struct window *w, uint64_t *keys, bool *keyed)
{
	(void)decoder, (void)w, (void)keyed;
	for (size_t i = 0; i < count; i++)
		keys[i] = m[i].kind < ENCAP_OPAQUE ? m[i].kind : ENCAP_OPAQUE;
}
