/*
 * Build fields and text of a message of an encapsulated stream.
 *
 * Messages are null runs, whole packets, and the remains of truncated packets.  Fields
 * are bits of the packet in its aligned form, header first.  Extents map these bits to
 * the capture.  etrace.c and etrace_data.c read the payloads, encap_text.c makes the
 * texts.
 */
#include "config.h"

#include "decode/encap/encap_frame.h"

#include <string.h>

/* A message being expanded. */
struct encap_view {
	const struct encap_decoder *d;
	const struct message *m;
	const struct window *w;
	const uint8_t *p; /* aligned, ENCAP_LOOK bytes readable */
	struct expansion *e;
	bool fields, origin; /* are wanted */
};

/* --- bytes ------------------------------------------------------------- */

static void
add_extents(const struct encap_view *v)
{
	const struct message *m = v->m;
	size_t pieces = v->d->options->container.reversed ? v->e->payload_length : 1;
	uint64_t last = 8 * (m->offset + m->length - 1);
	for (size_t i = 0; i < pieces; i++)
		*vec_add(&v->e->extents) = (struct extent){
		    .payload_bit = 8 * i,
		    .capture_bit = pieces > 1 ? last - 8 * i : 8 * m->offset + v->d->phase,
		    .bits = (uint32_t)(8 * v->e->payload_length / pieces),
		    .form = EXTENT_PLAIN,
		};
}

/* --- fields ------------------------------------------------------------ */

/* Add a field of BITS bits starting at BIT, cut at the end of the packet. */
static struct field *
encap_add_field(const struct encap_view *v, enum encap_field row, unsigned bit, unsigned bits,
		uint64_t value)
{
	unsigned end = 8 * (unsigned)v->e->payload_length;
	if (bit + bits > end)
		bits = bit < end ? end - bit : 0;
	struct field *field = expansion_add(v->e, &encap_fields[row],
					    bits ? FIELD_PAYLOAD : FIELD_NOWHERE, bit, bits);
	field->u = value;
	return field;
}

static void
add_text(const struct encap_view *v, enum encap_field row, const char *text)
{
	struct field *field = encap_add_field(v, row, 0, 0, 0);
	field->s.at = text;
	field->s.length = strlen(text);
}

static void
add_notes(const struct encap_view *v)
{
	static const char *const notes[ENCAP_NOTE_COUNT] = {
	    "after null.idle, though the stream is unframed",
	    "flow in a null packet, though the stream is unframed",
	    "extended, though there are no timestamps",
	    "bits left over after the payload",
	    "cut by the end of its block",
	    "cut by the end of its slot",
	};
	bool any = v->m->kind == ENCAP_MALFORMED || v->m->aux & ((1u << ENCAP_NOTE_COUNT) - 1);
	if (!any || !v->fields)
		return;
	expansion_open(v->e, &encap_fields[ENCAP_F_NOTES], FIELD_NOWHERE, 0, 0);
	for (unsigned i = 0; i < ENCAP_NOTE_COUNT; i++)
		if (v->m->aux >> i & 1)
			add_text(v, ENCAP_F_NOTE, notes[i]);
	if (v->m->kind == ENCAP_MALFORMED)
		add_text(v, ENCAP_F_NOTE, "no room for a payload");
	expansion_close(v->e);
}

static void
add_header(const struct encap_view *v)
{
	uint8_t header = v->p[0];
	encap_add_field(v, ENCAP_F_HEADER_LENGTH, 0, 5, header & 0x1f);
	encap_add_field(v, ENCAP_F_FLOW, 5, 2, encap_flow(header));
	encap_add_field(v, ENCAP_F_EXTEND, 7, 1, encap_is_extended(header));
	if (v->d->phase)
		encap_add_field(v, ENCAP_F_BIT_OFFSET, 0, 0, 8 * v->m->offset + v->d->phase);
}

static void
add_packet(const struct encap_view *v, const struct encap_packet *packet)
{
	static const char *const classes[] = {
	    [ENCAP_INSTRUCTION] = "instruction", [ENCAP_DATA] = "data", [ENCAP_OTHER] = "opaque"};
	const struct encap_decoder *d = v->d;
	unsigned timestamp = 8 + d->srcid_width, type_width = packet->source->type_width;
	size_t bits = packet->payload_bits > 0 ? (size_t)packet->payload_bits : 0;
	size_t length = (bits + 7) / 8;

	add_header(v);
	if (d->srcid_width)
		encap_add_field(v, ENCAP_F_SRCID, 8, d->srcid_width, packet->srcid);
	if (packet->extend && d->timestamp_bytes)
		encap_add_field(v, ENCAP_F_TIMESTAMP, timestamp, 8 * d->timestamp_bytes,
				packet->timestamp);
	if (type_width)
		encap_add_field(v, ENCAP_F_TYPE, packet->payload - type_width, type_width,
				packet->type);
	encap_add_field(v, ENCAP_F_PAYLOAD_BITS, 0, 0, bits);
	uint8_t *bytes = arena_alloc(&v->e->arena, length + 1);
	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)bytes_bits(v->p, packet->length, packet->payload + 8 * i, 8);
	struct field *payload =
	    encap_add_field(v, ENCAP_F_PAYLOAD, packet->payload, (unsigned)bits, 0);
	payload->s.at = (const char *)bytes;
	payload->s.length = length;
	add_text(v, ENCAP_F_CLASS, classes[packet->class]);
}

/* --- messages ---------------------------------------------------------- */

static void
expand_nulls(const struct encap_view *v)
{
	const struct message *m = v->m;
	struct expansion *e = v->e;
	const uint8_t *bytes = v->w->bytes + (m->offset - v->w->offset);
	bool seen[4] = {false}, idle_last = false;
	uint64_t idle = 0, run = m->aux >> ENCAP_RUN_SHIFT;
	for (size_t i = 0; i < m->length; i++) {
		uint8_t byte = v->d->phase ? encap_shifted(bytes, i, v->d->phase) : bytes[i];
		seen[encap_flow(byte)] = true;
		idle_last = !encap_is_extended(byte);
		idle += idle_last;
	}
	bool sync = m->length + run > v->d->longest;
	encap_text_nulls(&e->text, m->length, idle, sync);
	if (!v->fields)
		return;
	encap_add_field(v, ENCAP_F_COUNT_NULLS, 0, 0, m->length);
	encap_add_field(v, ENCAP_F_IDLE, 0, 0, idle);
	encap_add_field(v, ENCAP_F_ALIGNMENT, 0, 0, m->length - idle);
	add_text(v, ENCAP_F_LAST, idle_last ? "idle" : "alignment");
	expansion_open(e, &encap_fields[ENCAP_F_FLOWS], FIELD_NOWHERE, 0, 0);
	for (unsigned flow = 0; flow < 4; flow++)
		if (seen[flow])
			encap_add_field(v, ENCAP_F_FLOW, 0, 0, flow);
	expansion_close(e);
	encap_add_field(v, ENCAP_F_SYNC, 0, 0, sync);
	if (v->d->phase)
		encap_add_field(v, ENCAP_F_BIT_OFFSET, 0, 0, 8 * m->offset + v->d->phase);
}

static void
expand_truncated(const struct encap_view *v)
{
	unsigned declared = encap_is_null(v->p[0]) ? 1 : v->d->length[v->p[0]];
	encap_text_truncated(&v->e->text, v->m->length, declared);
	if (v->fields) {
		add_header(v);
		encap_add_field(v, ENCAP_F_DECLARED_LENGTH, 0, 0, declared);
	}
}

static void
expand_payload(const struct encap_view *v, const struct encap_packet *packet,
	       const struct decode_history *history)
{
	struct expansion *e = v->e;
	const struct etrace_options *options = &packet->source->etrace;
	bool data = packet->class == ENCAP_DATA;
	bool matters = encap_place_matters(v->m);
	struct etrace_place place = {0};
	if (matters)
		place = encap_place_before(v->d, v->m, v->w, history);
	struct etrace_bits bits = encap_bits(v->p, packet, v->fields ? e : NULL);
	struct etrace_packet payload;
	if (v->fields)
		expansion_open(e, &encap_fields[data ? ENCAP_F_DTRACE : ENCAP_F_ETRACE],
			       FIELD_PAYLOAD, packet->payload, (uint32_t)packet->payload_bits);
	if (data)
		dtrace_read(options, &place, &bits, &payload);
	else
		etrace_read(options, &place, &bits, &payload);
	if (v->m->flags & MESSAGE_DAMAGED)
		place.known = false;
	etrace_apply(options, &payload, &place);
	if (v->fields && place.known && (payload.move == ETRACE_TO || payload.move == ETRACE_BY))
		encap_add_field(v, ENCAP_F_PC, 0, 0, place.pc);
	if (v->fields)
		expansion_close(e);
	if (matters)
		encap_place_after(v->m, &place, history);
	etrace_text(&payload, &place, &e->text);
}

static void
add_origin(const struct encap_view *v, const struct encap_packet *packet)
{
	struct text *origin = &v->e->origin;
	if (packet->source->name) {
		text_add(origin, packet->source->name);
	} else if (v->d->srcid_width) {
		text_add(origin, "src ");
		text_add_uint(origin, packet->srcid);
	}
}

static void
expand_packet(const struct encap_view *v, const struct decode_history *history)
{
	const struct encap_decoder *d = v->d;
	struct expansion *e = v->e;
	struct encap_packet packet;
	encap_read(d, v->p, &packet);
	if (packet.length > v->m->length) { /* the bytes have changed */
		expand_truncated(v);
		return;
	}
	if (v->origin)
		add_origin(v, &packet);
	if (v->fields)
		add_packet(v, &packet);
	if (packet.payload_bits < 1)
		encap_text_malformed(&e->text);
	else if (packet.class == ENCAP_OTHER)
		encap_text_opaque(&e->text, v->p, &packet);
	else
		expand_payload(v, &packet, history);
}

void
encap_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
	     enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	const struct encap_decoder *d = (const struct encap_decoder *)decoder;
	struct encap_view v = {.d = d,
			       .m = m,
			       .w = w,
			       .e = e,
			       .fields = want == EXPAND_FIELDS,
			       .origin = want >= EXPAND_TEXT};
	if (want >= EXPAND_TYPE)
		text_add(&e->type, encap_type_name(m->kind));
	v.p = encap_fetch(d, m, w, arena_alloc(&e->arena, ENCAP_LOOK));
	if (!v.p)
		return;
	e->payload = v.p;
	e->payload_length = m->length < ENCAP_LOOK ? m->length : ENCAP_LOOK;
	if (v.fields)
		add_extents(&v);
	if (m->kind == ENCAP_NULL_RUN)
		expand_nulls(&v);
	else if (m->kind == ENCAP_TRUNCATED)
		expand_truncated(&v);
	else
		expand_packet(&v, history);
	add_notes(&v);
	encap_place_passed(m, history);
}
