/*
 * SyS-T in lines of text: `SYS-T RAW DATA: ` and a message in hexadecimal.
 *
 * The marker may follow other text on its line, for example a boot message without line end.  It
 * may also follow another message, if a line end was lost.  Digits may begin with 0x and stand in
 * groups of bytes.  Anything after them on the line (quotes, colours, other text) is not part of
 * the message.  Lines without marker are shown as text; empty ones are skipped.  Stepping finds
 * line ends and checks the digits, but converts only the prefix of a message.  Plain digits to the
 * end of the line take a fast path.
 *
 * The marker is that of the library's example platform and of Zephyr's log backend [SyS-T 1.0,
 * lines of text, second hand: library, Zephyr].  The reference printer accepts only lines that
 * begin with it.
 *
 * A line longer than LINE_LONGEST is cut into pieces of that size.  Without that, a step could
 * search a file without line ends to its end.
 */
#include "config.h"

#include "decode/lines.h"
#include "decode/syst/syst_expand.h"
#include "decode/syst/syst_frame.h"

#include <stdio.h>

enum { RUN_UP = 65536 };

static const struct silent_row silent[] = {[LINE_SILENT] = LINE_SILENT_ROW};

static const char marker[] = "SYS-T RAW DATA:";
enum { MARKER_LENGTH = sizeof marker - 1 };

/* A line, or its rest after a message, and the position of its digits. */
struct syst_hex_line {
	const uint8_t *p;
	size_t length;	       /* without its end, or up to the next message */
	const uint8_t *digits; /* NULL without a marker */
	size_t span;	       /* bytes from the first digit to the last */
	size_t digit_count;    /* digits in `span`; fewer if it has other characters */
	const char *fault;     /* why the digits are no message, or NULL */
};

static bool
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static void
parse_line(struct syst_hex_line *line, const uint8_t *p, size_t length)
{
	*line = (struct syst_hex_line){.p = p, .length = length};
	const uint8_t *found = length >= MARKER_LENGTH && !memcmp(p, marker, MARKER_LENGTH)
				   ? p
				   : memmem(p, length, marker, MARKER_LENGTH);
	if (!found)
		return;
	const uint8_t *begin = found + MARKER_LENGTH, *end = p + length;
	while (begin < end && is_blank(*begin))
		begin++;
	while (begin < end && is_blank(end[-1]))
		end--;
	line->digits = begin;
	line->span = line->digit_count = (size_t)(end - begin);
}

/* Values of hexadecimal digits; 0xff for other characters. */
/* clang-format off */
#define NONE4 0xff, 0xff, 0xff, 0xff
#define NONE16 NONE4, NONE4, NONE4, NONE4
#define DIGITS16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xff, 0xff, NONE4
#define LETTERS16 0xff, 10, 11, 12, 13, 14, 15, 0xff, NONE4, NONE4
static const uint8_t digit_values[256] = {
    NONE16,    NONE16, NONE16,	  DIGITS16,
    LETTERS16, NONE16, LETTERS16, NONE16,
    NONE16,    NONE16, NONE16,	  NONE16,
    NONE16,    NONE16, NONE16,	  NONE16,
};
#undef NONE4
#undef NONE16
#undef DIGITS16
#undef LETTERS16
/* clang-format on */

/* Convert COUNT pairs of digits to bytes.  Return false if one is not a digit. */
static bool
syst_hex_convert(const uint8_t *digits, size_t count, uint8_t *out)
{
	uint8_t bad = 0;
	for (size_t i = 0; i < count; i++) {
		uint8_t high = digit_values[digits[2 * i]], low = digit_values[digits[2 * i + 1]];
		bad |= high | low;
		out[i] = (uint8_t)(high << 4 | (low & 15));
	}
	return bad < 16;
}

static bool
all_digits(const uint8_t *digits, size_t count)
{
	uint8_t bad = 0;
	for (size_t i = 0; i < count; i++)
		bad |= digit_values[digits[i]];
	return bad < 16;
}

static bool
is_digit(uint8_t c)
{
	return digit_values[c] < 16;
}

static bool
is_word(uint8_t c)
{
	return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

static bool
is_marker(const uint8_t *p, const uint8_t *end)
{
	return end - p >= MARKER_LENGTH && !memcmp(p, marker, MARKER_LENGTH);
}

/* Find the group of digits at P, after any blanks and 0x.  Return its start and set *LENGTH. */
static const uint8_t *
find_group(const uint8_t *p, const uint8_t *end, size_t *length)
{
	while (p < end && is_blank(*p))
		p++;
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	const uint8_t *q = p;
	while (q < end && is_digit(*q))
		q++;
	*length = (size_t)(q - p);
	return p;
}

/* Find the digits of a line with other characters after or between them, and the start of the next
 * message.  A word that only starts with digits does not count. */
static void
find_digits(struct syst_hex_line *line)
{
	const uint8_t *end = line->p + line->length, *p = line->digits;
	size_t length;
	line->span = line->digit_count = 0;
	for (;;) {
		const uint8_t *group = find_group(p, end, &length), *after = group + length;
		bool glued = after < end && is_word(*after) && !is_marker(after, end);
		if (glued && length && !line->digit_count)
			line->fault = "other characters among the hexadecimal digits";
		if (glued || !length)
			break;
		if (length % 2)
			line->fault = "odd number of hexadecimal digits";
		if (!line->digit_count)
			line->digits = group;
		line->digit_count += length;
		line->span = (size_t)(after - line->digits);
		p = after;
	}
	if (!line->digit_count && !line->fault)
		line->fault = "no hexadecimal digits";
	const uint8_t *next = memmem(p, (size_t)(end - p), marker, MARKER_LENGTH);
	if (next)
		line->length = (size_t)(next - line->p);
}

/* Convert the first COUNT pairs of digits, which are in groups, to bytes. */
static void
syst_hex_gather(const struct syst_hex_line *line, size_t count, uint8_t *out)
{
	const uint8_t *p = line->digits, *end = p + line->span;
	size_t length;
	for (; count; count -= length / 2, out += length / 2, p += length) {
		p = find_group(p, end, &length);
		length = length < 2 * count ? length : 2 * count;
		syst_hex_convert(p, length / 2, out);
	}
}

/* Fill in M from a line, except for offset and length. */
static void
syst_hex_fill(struct syst_hex_line *line, struct message *m)
{
	uint8_t prefix[SYST_PREFIX_MAX] = {0};
	struct syst_peek peek;
	m->ticks = 0;
	m->aux = 0;
	m->origin = SYST_ORIGIN_NONE;
	if (!line->digits) {
		m->flags = 0;
		m->kind = SYST_LINE;
		m->severity = SEVERITY_INFO;
		return;
	}
	size_t length = line->digit_count / 2;
	size_t head = length < sizeof prefix ? length : sizeof prefix;
	if (line->digit_count % 2 || !syst_hex_convert(line->digits, head, prefix) ||
	    !all_digits(line->digits + 2 * head, line->digit_count - 2 * head)) {
		find_digits(line);
		length = line->digit_count / 2;
		head = length < sizeof prefix ? length : sizeof prefix;
		memset(prefix, 0, sizeof prefix);
		syst_hex_gather(line, line->fault ? 0 : head, prefix);
	}
	if (line->fault) {
		m->flags = MESSAGE_DAMAGED;
		m->kind = SYST_BAD;
		m->severity = SEVERITY_ERROR;
		return;
	}
	if (head == sizeof prefix)
		syst_peek_padded(prefix, length, &peek);
	else
		syst_peek(prefix, length, &peek);
	syst_fill(&peek, length, m);
}

static size_t
read_line(const uint8_t *p, size_t length, struct message *m)
{
	struct syst_hex_line line;
	parse_line(&line, p, length);
	syst_hex_fill(&line, m);
	return line.length;
}

static size_t
syst_hex_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	      struct message *out, size_t max)
{
	(void)decoder;
	return line_step(state, w, out, max, read_line);
}

/* Convert the frame of a line, in E's arena.  Return false if its digits are invalid. */
static bool
frame_of(struct syst_hex_line *line, struct expansion *e)
{
	uint8_t *frame = arena_alloc(&e->arena, line->digit_count / 2 + 1);
	if (line->digit_count % 2 ||
	    !syst_hex_convert(line->digits, line->digit_count / 2, frame)) {
		find_digits(line); /* the number of digits may be lower then */
		if (!line->fault)
			syst_hex_gather(line, line->digit_count / 2, frame);
	}
	e->payload = line->fault ? NULL : frame;
	e->payload_length = line->fault ? 0 : line->digit_count / 2;
	return !line->fault;
}

/* Add an extent for each group of digits of the line at OFFSET of the capture. */
static void
add_extents(const struct syst_hex_line *line, uint64_t offset, struct expansion *e)
{
	const uint8_t *p = line->digits, *end = p + line->span;
	size_t length;
	for (uint64_t bit = 0; p < end; p += length, bit += 4 * length) {
		p = find_group(p, end, &length);
		*vec_add(&e->extents) = (struct extent){
		    .payload_bit = bit,
		    .capture_bit = 8 * (offset + (uint64_t)(p - line->p)),
		    .bits = (uint32_t)(4 * length),
		    .form = EXTENT_HEX,
		};
	}
}

static void
add_text(struct expansion *e, enum syst_field row, const struct message *m, const char *text,
	 size_t length)
{
	struct field *field =
	    expansion_add(e, &syst_fields[row], FIELD_CAPTURE, 8 * m->offset, 8 * m->length);
	field->s.at = text;
	field->s.length = length;
}

static void
syst_hex_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
		enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	struct syst_hex_line line;
	parse_line(&line, line_copy(m, w, &e->arena), m->length);
	if (line.digits && frame_of(&line, e)) {
		if (want == EXPAND_FIELDS)
			add_extents(&line, m->offset, e);
		syst_expand((const struct syst_decoder *)decoder, m, e->payload, e->payload_length,
			    want, history, NULL, e);
		return;
	}
	const char *why = line.fault;
	text_add(&e->type, line.digits ? "BAD" : "TEXT");
	if (line.digits)
		text_addf(&e->text, "%s: ", why);
	text_add_bytes(&e->text, line.p, line.length);
	if (want != EXPAND_FIELDS)
		return;
	add_text(e, SYST_F_STRING, m, (const char *)line.p, line.length);
	if (line.digits)
		add_text(e, SYST_F_NOTE, m, why, strlen(why));
}

/* Print a row for a line of the marker, one blank and digits; the printer accepts no other. */
static bool
syst_hex_systprint(const struct decoder *decoder, const struct message *m, const struct window *w,
		   struct expansion *e, struct text *out)
{
	size_t at = (size_t)(m->offset - w->offset), after = at + m->length;
	const uint8_t *p = w->bytes + at;
	bool line = (!at || p[-1] == '\n') &&
		    (after >= w->length || p[m->length] == '\n' || p[m->length] == '\r');
	return line && m->length > MARKER_LENGTH && is_marker(p, p + m->length) &&
	       p[MARKER_LENGTH] == ' ' &&
	       all_digits(p + MARKER_LENGTH + 1, m->length - MARKER_LENGTH - 1) &&
	       syst_systprint(decoder, m, w, e, out);
}

static void
syst_hex_probe(const struct window *head, struct probe *probe)
{
	size_t messages = 0, damaged = 0, others = 0, count;
	struct decode_state state = {.offset = head->offset};
	struct message batch[64];
	do {
		count = syst_hex_step(NULL, &state, head, batch, sizeof batch / sizeof *batch);
		for (size_t i = 0; i < count; i++) {
			if (batch[i].kind == SYST_LINE)
				others++;
			else if (batch[i].kind == SYST_BAD)
				damaged++;
			else
				messages++;
		}
	} while (count == sizeof batch / sizeof *batch);
	probe->score = messages ? 95 : damaged ? 60 : 0;
	snprintf(probe->reason, sizeof probe->reason,
		 "%zu lines hold `%s` and a message, %zu a damaged one, %zu are other text",
		 messages, marker, damaged, others);
}

static struct decoder *
syst_hex_open(const void *options, const struct window *head, struct err *err)
{
	(void)head;
	return syst_plain_open(&syst_hex_ops, options, err);
}

const struct decoder_ops syst_hex_ops = {
    .format = "syst",
    .transport = "hex",
    .title = "MIPI SyS-T in lines of hexadecimal digits",
    .help = "lines of text with `SYS-T RAW DATA:` and a message in hexadecimal digits",
    .fields = syst_fields,
    .field_count = SYST_F_COUNT,
    .kinds = syst_kinds,
    .kind_count = SYST_KIND_COUNT,
    .kinds_checked = SYST_KINDS_CHECKED,
    .origin_none = SYST_ORIGIN_NONE,
    .none_is_max = true,
    .origin_tells = syst_origin_tells,
    .silent = silent,
    .silent_count = sizeof silent / sizeof *silent,
    .kinds_history = 1ull << SYST_BUILD,
    .options = &syst_options,
    .unnamed = SYST_UNNAMED,
    .alike = "id",
    .clocks = &syst_clocks,
    /* no contexts: a profile defines which catalog messages set one */
    /* no trigger: SyS-T has none, and there is no transport */
    .reach = LINE_REACH,
    .run_up = RUN_UP,
    .state_size = sizeof(struct decode_state),
    .checkpoint_size = 8,
    .memory_size = sizeof(struct syst_memory),
    .probe = syst_hex_probe,
    .open = syst_hex_open,
    .close = syst_plain_close,
    .load = syst_load,
    .start = decode_plain_start,
    .save = decode_plain_save,
    .restore = decode_plain_restore,
    .is_free = true,
    .step = syst_hex_step,
    .resync = line_resync,
    .expand = syst_hex_expand,
    .printer = SYST_PRINTER,
    .print = syst_hex_systprint,
};
