/*
 * Listings of trc_pkt_lister: the elements and packets of CoreSight trace as text, one
 * on each line.
 *
 *	Idx:1676; ID:10; OCSD_GEN_TRC_ELEM_PE_CONTEXT((ISA=A64) EL1N; 64-bit; )
 *	Idx:1666; ID:10; [0x9d 0x30 ...];	I_ADDR_L_64IS0 : Address, Long, ...
 *	Idx:12; ID:1e;	I_TRACE_INFO : Trace Info.; INFO=0x0 { CC.0 }
 *
 * The last form is that of `perf report -D`, often pasted with blanks for tabs.
 *
 * The lister writes errors without a newline, so `Idx:` may follow other text on its
 * line.  A line that begins with `Idx:`, contains a valid index and ID, or names an
 * element must match the lister's output in every part.  Otherwise it is damaged, and
 * only its ID is used.  All other lines are shown unchanged, except empty ones.  A
 * message is a line, and its time is the one in the line.
 *
 * No document describes the listing.  It is known from the reference printer's
 * behaviour, that of trc_pkt_lister 1.3.3 over OpenCSD's own snapshots [OpenCSD 1.3.3,
 * second hand: trc_pkt_lister].  opencsd_element.c cites the sources for the elements.
 */
#include "config.h"

#include "base/bytes.h"
#include "decode/lines.h"
#include "decode/coresight/opencsd.h"
#include "decode/coresight/opencsd_element.h"
#include "decode/coresight/opencsd_flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_UP = 4096, HEAD_LINES = 512 };
#define ELEMENT_NAME "OCSD_GEN_TRC_ELEM_"

static const struct silent_row silent[] = {[LINE_SILENT] = LINE_SILENT_ROW};

/* A parsed line. */
struct ppl_line {
	const char *p; /* the whole line */
	size_t length;
	enum opencsd_kind kind;
	size_t start;			/* start of the `Idx:` part; the length without one */
	struct opencsd_element element; /* PACKET or headed: only index and ID */
	size_t name, name_end, text;	/* PACKET: offsets of its parts */
	bool damaged;			/* some part is a malformed element or packet */
	bool headed;			/* damaged: index and ID are valid */
	size_t good;			/* damaged: number of bytes before the defect */
};

static bool
is_byte(const char *p)
{
	return p[0] == '0' && p[1] == 'x' && bytes_hex_digit((unsigned char)p[2]) >= 0 &&
	       bytes_hex_digit((unsigned char)p[3]) >= 0 && p[4] == ' ';
}

/* Skip a tab or, if PLAIN (a line without bytes), the blanks that replaced it.  Return false if
 * neither is there, or if an element follows. */
static bool
pass_tab(const char **p, const char *end, bool plain)
{
	enum { WIDTH = 8 };
	const char *start = *p;
	if (start < end && *start == '\t')
		++*p;
	else
		while (plain && *p < end && *p - start < WIDTH && **p == ' ')
			++*p;
	size_t left = (size_t)(end - *p), name = strlen(ELEMENT_NAME);
	bool element = left >= name && !memcmp(*p, ELEMENT_NAME, name);
	return *p > start && left && **p != ' ' && !element;
}

/* Read a packet: `Idx:N; ID:N; [0x12 0x34 ];TAB NAME : text`, where the bytes are
 * optional.  STM has `NAME:text` [OpenCSD 1.3.3, second hand: trc_pkt_lister].  Store the
 * length of the valid part in *READ. */
static bool
parse_packet(struct ppl_line *line, size_t *read)
{
	const char *text = line->p + line->start, *p, *end = line->p + line->length;
	size_t head;
	*read = 0;
	if (!opencsd_element_parse_head(text, line->length - line->start, &line->element, &head))
		return false;
	p = text + head;
	if (end - p >= 2 && !memcmp(p, " [", 2)) {
		for (p += 2; end - p >= 5 && is_byte(p); p += 5)
			;
		p += end - p >= 2 && !memcmp(p, "];", 2) ? 2 : 0;
	}
	*read = (size_t)(p - text);
	bool plain = p == text + head;
	if (p[-1] != ';' || !pass_tab(&p, end, plain) || (plain && *p == '['))
		return false;
	line->name = (size_t)(p - line->p);
	line->name_end = line->name;
	while (line->name_end < line->length && !strchr(" :[", line->p[line->name_end]))
		line->name_end++;
	line->text = line->name_end;
	while (line->text < line->length && strchr(" :", line->p[line->text]))
		line->text++;
	line->kind = OPENCSD_PACKET;
	return true;
}

/* Read the `Idx:` part at the line's `start`.  If it is a malformed element or packet, set
 * `damaged` and `good`. */
static bool
parse_at(struct ppl_line *line)
{
	const char *p = line->p + line->start;
	size_t length = line->length - line->start, as_element, as_packet;
	struct opencsd_element element;
	if (opencsd_element_parse(p, length, &element, &as_element)) {
		line->element = element;
		line->kind = (enum opencsd_kind)element.type;
		return true;
	}
	if (parse_packet(line, &as_packet))
		return true;
	size_t head;
	bool headed = opencsd_element_parse_head(p, length, &element, &head);
	if (headed || !line->start) {
		line->damaged = true;
		line->headed = headed;
		line->element = element;
		line->good = line->start + (as_element > as_packet ? as_element : as_packet);
	}
	return false;
}

static void
ppl_parse(struct ppl_line *line, const char *p, size_t length)
{
	*line = (struct ppl_line){.p = p, .length = length, .kind = OPENCSD_LINE, .start = length};
	for (const char *at = p, *end = p + length;
	     (at = memmem(at, (size_t)(end - at), "Idx:", 4)) != NULL; at++) {
		line->start = (size_t)(at - p);
		if (parse_at(line)) {
			line->headed = false;
			return;
		}
	}
	line->start = length;
	line->damaged |= memmem(p, length, ELEMENT_NAME, strlen(ELEMENT_NAME)) != NULL;
}

/* Fill M from a packet, or from a line that is neither packet nor element. */
static void
fill_other(const struct ppl_line *line, struct message *m)
{
	bool sent = line->kind == OPENCSD_PACKET || line->headed;
	m->ticks = 0;
	m->flags = 0;
	m->kind = (uint8_t)line->kind;
	m->severity = line->kind == OPENCSD_PACKET ? SEVERITY_DEBUG : SEVERITY_INFO;
	m->origin = sent ? line->element.id : OPENCSD_ORIGIN_STRAY;
}

/* Fill all of M except offset and length.  In a damaged line with a valid element or packet,
 * the text before it is a lost one. */
static void
ppl_fill(const struct ppl_line *line, struct message *m)
{
	if (line->kind < OPENCSD_ELEMENTS)
		opencsd_element_message(&line->element, m);
	else
		fill_other(line, m);
	if (!line->damaged)
		return;
	m->flags |= line->kind == OPENCSD_LINE ? MESSAGE_DAMAGED : MESSAGE_LOST;
	m->severity = SEVERITY_ERROR;
}

static size_t
read_line(const uint8_t *p, size_t length, struct message *m)
{
	struct ppl_line line;
	ppl_parse(&line, (const char *)p, length);
	*m = (struct message){0};
	ppl_fill(&line, m);
	return length;
}

static size_t
ppl_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	 struct message *out, size_t max)
{
	(void)decoder;
	return line_step(state, w, out, max, read_line);
}

/* --- expanding --------------------------------------------------------- */

static void
add_part(struct expansion *e, enum opencsd_field row, const struct ppl_line *line, size_t start,
	 size_t end)
{
	struct field *field = expansion_add(e, &opencsd_fields[row], FIELD_PAYLOAD, 8 * start,
					    (uint32_t)(8 * (end - start)));
	field->s.at = line->p + start;
	field->s.length = end - start;
}

/* Add a note with the position of the defect in a damaged line. */
static void
add_damage(const struct ppl_line *line, struct expansion *e)
{
	struct text note = {0};
	text_addf(&note, "not as trc_pkt_lister writes it from byte %zu of the line on",
		  line->good);
	struct field *field =
	    expansion_add(e, &opencsd_fields[OPENCSD_F_NOTE], FIELD_NOWHERE, 0, 0);
	field->s.length = note.length;
	field->s.at = arena_text(&e->arena, text_get(&note), note.length);
	text_free(&note);
}

static void
add_fields(const struct ppl_line *line, struct expansion *e)
{
	if (line->headed) {
		expansion_add(e, &opencsd_fields[OPENCSD_F_INDEX], FIELD_NOWHERE, 0, 0)->u =
		    line->element.index;
		expansion_add(e, &opencsd_fields[OPENCSD_F_ID], FIELD_NOWHERE, 0, 0)->u =
		    line->element.id;
	}
	if (line->damaged && line->kind == OPENCSD_LINE)
		add_damage(line, e);
	if (line->kind < OPENCSD_ELEMENTS) {
		opencsd_element_fields(&line->element, NULL, e);
	} else if (line->kind == OPENCSD_PACKET) {
		expansion_add(e, &opencsd_fields[OPENCSD_F_INDEX], FIELD_NOWHERE, 0, 0)->u =
		    line->element.index;
		expansion_add(e, &opencsd_fields[OPENCSD_F_ID], FIELD_NOWHERE, 0, 0)->u =
		    line->element.id;
		add_part(e, OPENCSD_F_PACKET_NAME, line, line->name, line->name_end);
		add_part(e, OPENCSD_F_PACKET_TEXT, line, line->text, line->length);
	}
	if (line->kind != OPENCSD_LINE && line->start > strspn(line->p, " \t"))
		add_part(e, OPENCSD_F_NOTE, line, 0, line->start);
	add_part(e, OPENCSD_F_TEXT, line, 0, line->length);
}

static void
set_texts(const struct ppl_line *line, struct expansion *e)
{
	const struct opencsd_element *element = &line->element;
	if (line->kind == OPENCSD_LINE) {
		if (line->headed)
			text_addf(&e->origin, "ID 0x%02x", element->id);
		text_add(&e->type, "TEXT");
		text_add_bytes(&e->text, line->p, line->length);
		return;
	}
	text_addf(&e->origin, "ID 0x%02x", element->id);
	if (line->kind == OPENCSD_PACKET) {
		text_add(&e->type, "PACKET");
		text_add_bytes(&e->text, line->p + line->name, line->length - line->name);
		return;
	}
	if (opencsd_element_has_sender(element))
		text_addf(&e->origin, " %u:%u", element->master, element->channel);
	text_add(&e->type, opencsd_type_name(element->type));
	opencsd_element_describe(element, &e->text);
}

static void
ppl_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
	   enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	struct ppl_line line;
	(void)decoder;
	(void)history;
	ppl_parse(&line, (const char *)line_copy(m, w, &e->arena), m->length);
	e->payload = (const uint8_t *)line.p;
	e->payload_length = line.length;
	*vec_add(&e->extents) = (struct extent){
	    .capture_bit = 8 * m->offset, .bits = 8 * m->length, .form = EXTENT_PLAIN};
	set_texts(&line, e);
	if (want == EXPAND_FIELDS)
		add_fields(&line, e);
}

static void
ppl_flow(const struct decoder *decoder, const struct message *m, const struct window *w,
	 const struct flow_modes *modes, struct flow_packet *flow)
{
	(void)modes;
	struct arena arena = {0};
	struct ppl_line line;
	(void)decoder;
	if (opencsd_message_flow(m, flow))
		return;
	ppl_parse(&line, (const char *)line_copy(m, w, &arena), m->length);
	opencsd_element_flow(&line.element, NULL, flow);
	arena_free(&arena);
}

static bool
ppl_print(const struct decoder *decoder, const struct message *m, const struct window *w,
	  struct expansion *e, struct text *out)
{
	(void)decoder;
	(void)e;
	if (m->kind >= OPENCSD_ELEMENTS)
		return false;
	struct arena arena = {0};
	struct ppl_line line;
	ppl_parse(&line, (const char *)line_copy(m, w, &arena), m->length);
	text_add_bytes(out, line.p + line.start, line.length - line.start);
	arena_free(&arena);
	return true;
}

/* List the packets' lines, without the text before `Idx:`. */
static void
ppl_list_packets(const struct decoder *decoder, const struct window *w,
		 bool (*take)(void *context, const struct text *line), void *context)
{
	struct decode_state state = {.offset = w->offset};
	struct message messages[HEAD_LINES];
	struct arena arena = {0};
	struct text out = {0};
	struct ppl_line line;
	size_t count;
	bool on = true;
	do {
		count = ppl_step(decoder, &state, w, messages, HEAD_LINES);
		for (size_t i = 0; i < count && on; i++) {
			if (messages[i].kind != OPENCSD_PACKET)
				continue;
			const uint8_t *copy = line_copy(&messages[i], w, &arena);
			ppl_parse(&line, (const char *)copy, messages[i].length);
			text_clear(&out);
			text_add_bytes(&out, line.p + line.start, line.length - line.start);
			text_add_char(&out, '\n');
			on = take(context, &out);
		}
		arena_reset(&arena);
	} while (count == HEAD_LINES && on);
	arena_free(&arena);
	text_free(&out);
}

static const struct decoder_listing listing = {OPENCSD_LISTING, ppl_list_packets};

/* --- the contract ------------------------------------------------------ */

static void
ppl_probe(const struct window *head, struct probe *probe)
{
	struct decode_state state = {.offset = head->offset};
	struct message messages[HEAD_LINES];
	size_t count = ppl_step(NULL, &state, head, messages, HEAD_LINES);
	size_t elements = 0, packets = 0;
	for (size_t i = 0; i < count; i++) {
		elements += messages[i].kind < OPENCSD_ELEMENTS;
		packets += messages[i].kind == OPENCSD_PACKET;
	}
	probe->score = elements + packets ? 95 : 0;
	snprintf(probe->reason, sizeof probe->reason,
		 "%zu lines are trace elements, %zu packets, %zu other text", elements, packets,
		 count - elements - packets);
}

static struct decoder *
ppl_open(const void *options, const struct window *head, struct err *err)
{
	struct decoder *decoder = mem_new(sizeof *decoder);
	(void)options;
	(void)head;
	(void)err;
	decoder->ops = &ppl_ops;
	return decoder;
}

static void
ppl_identify_origin(const struct decoder *decoder, const struct message *m,
		    struct origin_identity *origin)
{
	(void)decoder;
	origin->numbered = !(m->origin & OPENCSD_ORIGIN_STRAY);
	origin->number = m->origin & 0xff;
}

const struct decoder_ops ppl_ops = {
    .format = "ppl",
    .title = "listing of trc_pkt_lister",
    .help = "lines of text with `Idx:`, a trace ID, and an element or packet of CoreSight trace",
    .fields = opencsd_fields,
    .field_count = OPENCSD_F_COUNT,
    .kinds = opencsd_kinds,
    .kind_count = OPENCSD_KIND_COUNT,
    .origin_none = OPENCSD_ORIGIN_STRAY,
    .silent = silent,
    .silent_count = sizeof silent / sizeof *silent,
    .contexts = opencsd_contexts,
    .context_count = OPENCSD_CONTEXTS,
    .trigger = OPENCSD_TRIGGERS,
    /* no unnamed: elements have no number that stands for a text */
    /* no clocks: same as opencsd */
    /* no alike: same as opencsd */
    .reach = LINE_REACH,
    .run_up = RUN_UP,
    .state_size = sizeof(struct decode_state),
    .checkpoint_size = 8,
    .probe = ppl_probe,
    .open = ppl_open,
    .close = decode_plain_close,
    .start = decode_plain_start,
    .save = decode_plain_save,
    .restore = decode_plain_restore,
    .is_free = true,
    .step = ppl_step,
    .resync = line_resync,
    .expand = ppl_expand,
    .identify_origin = ppl_identify_origin,
    .cycles = opencsd_cycles,
    .flow = ppl_flow,
    .flow_form = FLOW_ELEMENTS,
    .listing = &listing,
    .printer = OPENCSD_PRINTER,
    .print = ppl_print,
};
