/*
 * Logs of lines of text: build text and fields of a message.  `aux` contains the
 * offsets of text and origin in the first line as shown.  For fields, the head of a
 * message is matched again.
 *
 * A group fills the field of its name.  Without such a field, or if the field is a
 * number and the group is not, it becomes an element `NAME=VALUE` of the list
 * `others`.  The shape of a message is its text with # for each number.  Messages that
 * are alike share it.
 */
#include "config.h"

#include "base/needle.h"
#include "decode/lines.h"
#include "decode/record.h"
#include "decode/text/textlog.h"

const struct field_row textlog_fields[TEXTLOG_F_COUNT] = {
    [TEXTLOG_F_STAMP] = {"stamp", FIELD_TEXT, "the time as it stands in the line"},
    [TEXTLOG_F_LEVEL] = {"level", FIELD_TEXT, "the level as it stands in the line"},
    [TEXTLOG_F_FACILITY] = {"facility", FIELD_TEXT, "facility of syslog"},
    [TEXTLOG_F_HOST] = {"host", FIELD_TEXT, "writer of the log"},
    [TEXTLOG_F_PID] = {"pid", FIELD_UINT, "number of the process"},
    [TEXTLOG_F_TID] = {"tid", FIELD_UINT, "number of the thread"},
    [TEXTLOG_F_UID] = {"uid", FIELD_TEXT, "user of the process"},
    [TEXTLOG_F_CPU] = {"cpu", FIELD_UINT, "number of the processor"},
    [TEXTLOG_F_CALLER] = {"caller", FIELD_TEXT,
			  "caller of the kernel's printk: T and a thread, C and a "
			  "processor"},
    [TEXTLOG_F_THREAD] = {"thread", FIELD_TEXT, "name of the thread"},
    [TEXTLOG_F_PROCESS] = {"process", FIELD_TEXT, "name of the process"},
    [TEXTLOG_F_MODULE] = {"module", FIELD_TEXT, "module that wrote the message"},
    [TEXTLOG_F_FUNCTION] = {"function", FIELD_TEXT, "function that wrote the message"},
    [TEXTLOG_F_FILE] = {"file", FIELD_TEXT, "source file that wrote the message"},
    [TEXTLOG_F_LINE] = {"line", FIELD_UINT, "its line"},
    [TEXTLOG_F_CODE] = {"code", FIELD_TEXT, "number or code of the message"},
    [TEXTLOG_F_MSGID] = {"msgid", FIELD_TEXT, "type of message (syslog, RFC 5424)"},
    [TEXTLOG_F_DATA] = {"data", FIELD_TEXT, "structured data (syslog, RFC 5424)"},
    [TEXTLOG_F_OTHERS] = {"others", FIELD_LIST, "groups of the pattern with other names"},
    [TEXTLOG_F_OTHER] = {"other", FIELD_TEXT, "one group, NAME=VALUE"},
    [TEXTLOG_F_LINES] = {"lines", FIELD_UINT, "lines of the message, if more than one"},
    [TEXTLOG_F_SHAPE] = {"shape", FIELD_TEXT, "the text with each number as #", .detail = true},
    [TEXTLOG_F_NOTE] = {"note", FIELD_TEXT, "fault, in words", .detail = true},
};

static const char *const types[TEXTLOG_KIND_COUNT] = {
    [TEXTLOG_MESSAGE] = "MESSAGE", [TEXTLOG_LINE] = "TEXT", [TEXTLOG_REST] = "REST"};

/* "Numerical Code" 0 to 23 [RFC 5424, 6.2.1, table 1], by the names of syslog.h. */
static const char *const facilities[] = {
    "kern",   "user",	"mail",	    "daemon", "auth",	"syslog", "lpr",    "news",
    "uucp",   "cron",	"authpriv", "ftp",    "ntp",	"audit",  "alert",  "clock",
    "local0", "local1", "local2",   "local3", "local4", "local5", "local6", "local7",
};

struct textlog_job {
	struct record r;
	const struct textlog_decoder *d;
	const struct message *m;
	const char *p;
	size_t length;
	size_t line;		    /* length of the first line */
	struct textlog_shown shown; /* the first line as shown */
	struct textlog_screen screen, others;
	struct regex *regex;
	bool found;
	uint64_t unplaced; /* field groups without field, a bit each */
	struct textlog_head head;
};

/* --- text -------------------------------------------------------------- */

/* Append further lines as shown, each after a newline. */
static void
add_lines(struct textlog_job *j, struct text *out)
{
	const char *p = j->p + j->line, *end = j->p + j->length, *next;
	for (; p < end; p = next) {
		next = memchr(p + 1, '\n', (size_t)(end - p - 1));
		next = next ? next : end;
		size_t length = (size_t)(next - p - 1);
		while (length && p[length] == '\r')
			length--;
		struct textlog_shown shown = textlog_show(&j->others, p + 1, length);
		text_add_char(out, '\n');
		text_add_bytes(out, shown.text, shown.length);
	}
}

static void
set_text(struct textlog_job *j, struct expansion *e)
{
	size_t start = TEXTLOG_AUX_TEXT(j->m->aux), end = j->shown.length;
	if (j->found)
		textlog_group_find(&j->head, &j->d->message_group, &start, &end);
	if (start < end) /* the bytes of a growing capture may change and the line become shorter */
		text_add_bytes(&e->text, j->shown.text + start, end - start);
	add_lines(j, &e->text);
}

static void
set_origin(const struct textlog_job *j, struct expansion *e)
{
	size_t start = TEXTLOG_AUX_ORIGIN(j->m->aux), end = TEXTLOG_AUX_ORIGIN_END(j->m->aux);
	if (start < end && end <= j->shown.length)
		text_add_bytes(&e->origin, j->shown.text + start, end - start);
}

/* --- fields ------------------------------------------------------------ */

static bool
read_number(const char *p, size_t length, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < length; i++) {
		if (p[i] < '0' || p[i] > '9' || i == 18)
			return false;
		*value = 10 * *value + (uint64_t)(p[i] - '0');
	}
	return length;
}

/* Add a span of the shown line as a text. */
static void
add_part(struct textlog_job *j, unsigned row, size_t start, size_t end)
{
	size_t from = start, until = end, length = end - start;
	textlog_span(&j->shown, &from, &until);
	struct field *field = record_part(&j->r, row, from, until - from);
	if (j->shown.from) {
		field->s.at = arena_copy(&j->r.e->arena, j->shown.text + start, length);
		field->s.length = length;
	}
}

/* Add a group as the field ROW.  Return false if that is impossible. */
static bool
add_named(struct textlog_job *j, unsigned row, size_t start, size_t end)
{
	uint64_t number;
	if (row == TEXTLOG_F_COUNT)
		return false;
	if (textlog_fields[row].type == FIELD_TEXT) {
		add_part(j, row, start, end);
	} else if (read_number(j->shown.text + start, end - start, &number)) {
		textlog_span(&j->shown, &start, &end);
		record_uint(&j->r, row, start, end - start, number);
	} else {
		return false;
	}
	return true;
}

/* Add a group as a text NAME=VALUE, cut at a NUL. */
static void
add_other(struct textlog_job *j, const char *name, size_t start, size_t end)
{
	size_t head = strlen(name), length = strnlen(j->shown.text + start, end - start);
	char *text = arena_alloc(&j->r.e->arena, head + length + 2);
	memcpy(text, name, head);
	text[head] = '=';
	memcpy(text + head + 1, j->shown.text + start, length);
	text[head + 1 + length] = '\0';
	record_text(&j->r, TEXTLOG_F_OTHER, text);
}

/* Add the groups that have a field, or the others. */
static void
add_groups(struct textlog_job *j, bool others)
{
	for (unsigned i = 0; i < j->d->field_group_count; i++) {
		const struct textlog_field_group *group = &j->d->field_groups[i];
		const size_t *span = &j->head.spans[(size_t)2 * group->number];
		if (span[0] == SIZE_MAX || span[1] <= span[0])
			continue;
		if (others && (j->unplaced >> i & 1))
			add_other(j, group->name, span[0], span[1]);
		else if (!others && !add_named(j, group->field, span[0], span[1]))
			j->unplaced |= (uint64_t)1 << i;
	}
}

static void
add_head(struct textlog_job *j)
{
	size_t start, end;
	uint64_t number;
	if (textlog_group_find(&j->head, &j->d->time_group, &start, &end))
		add_part(j, TEXTLOG_F_STAMP, start, end);
	if (textlog_group_find(&j->head, &j->d->level_group, &start, &end)) {
		add_part(j, TEXTLOG_F_LEVEL, start, end);
		if (read_number(j->shown.text + start, end - start, &number) && number < 8 * 24)
			record_text(&j->r, TEXTLOG_F_FACILITY, facilities[number / 8]);
	}
	add_groups(j, false);
	if (!j->unplaced)
		return;
	record_list(&j->r, TEXTLOG_F_OTHERS);
	add_groups(j, true);
	record_list_end(&j->r);
}

static void
add_shape(struct textlog_job *j, const struct text *text)
{
	enum { SHAPE_MOST = 512 };
	size_t most = text->length < SHAPE_MOST ? text->length : SHAPE_MOST, length = 0;
	char *shape = arena_alloc(&j->r.e->arena, most + 1);
	bool inside = false;
	for (size_t i = 0; i < most; i++) {
		bool digit = text->data[i] >= '0' && text->data[i] <= '9';
		if (!digit || !inside)
			shape[length++] = digit ? '#' : text->data[i];
		inside = digit;
	}
	shape[length] = '\0';
	record_text(&j->r, TEXTLOG_F_SHAPE, shape);
}

static void
add_fields(struct textlog_job *j, struct expansion *e)
{
	uint64_t lines = 1;
	for (const char *p = j->p; (p = memchr(p, '\n', (size_t)(j->p + j->length - p))); p++)
		lines++;
	if (j->found)
		add_head(j);
	if (lines > 1)
		record_value(&j->r, TEXTLOG_F_LINES, lines);
	add_shape(j, &e->text);
	if (j->m->flags & MESSAGE_DAMAGED)
		record_text(&j->r, TEXTLOG_F_NOTE, "bytes that no text has");
	else if (j->m->flags & MESSAGE_SUSPECT)
		record_text(&j->r, TEXTLOG_F_NOTE, "what should be its time is none");
}

void
textlog_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
	       enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	struct textlog_job j = {.r = record_open(e, textlog_fields, m, w, want),
				.d = (const struct textlog_decoder *)decoder,
				.m = m};
	(void)history;
	j.p = (const char *)j.r.p;
	j.length = j.r.length;
	const char *end = memchr(j.p, '\n', j.length);
	j.line = end ? (size_t)(end - j.p) : j.length;
	size_t line = j.line;
	while (end && line && j.p[line - 1] == '\r')
		line--;
	j.shown = textlog_show(&j.screen, j.p, line);
	bool matches_head = want == EXPAND_FIELDS || j.d->message_group.count;
	if (matches_head && m->kind == TEXTLOG_MESSAGE && j.d->regex) {
		j.regex = regex_share(j.d->regex);
		j.found = textlog_head_find(j.regex, &j.shown, &j.head);
	}
	text_add(&e->type, types[m->kind]);
	set_text(&j, e);
	set_origin(&j, e);
	if (want == EXPAND_FIELDS)
		add_fields(&j, e);
	regex_free(j.regex);
	textlog_screen_free(&j.screen);
	textlog_screen_free(&j.others);
}

/* --- searching ------------------------------------------------------------- */

/* Return the text if it is one piece at the end of the message's bytes and shown
 * unchanged.  Return NULL otherwise. */
const char *
textlog_text(const struct decoder *decoder, const struct message *m, const struct window *w,
	     size_t *length)
{
	const char *p = (const char *)w->bytes + (m->offset - w->offset);
	size_t start = TEXTLOG_AUX_TEXT(m->aux);
	bool grouped = ((const struct textlog_decoder *)decoder)->message_group.count;
	if (grouped || start > m->length || memchr(p, '\n', start) ||
	    textlog_as_is(p, m->length) < m->length)
		return NULL;
	*length = m->length - start;
	return p + start;
}

/* True if a needle may contain the end of a line. */
static bool
has_line_end(const struct needles *needles)
{
	for (size_t i = 0; i < needles->count; i++)
		if (needles->at[i].places['\n'])
			return true;
	return false;
}

/* True if the line around P, which a terminal shows differently, contains a needle as shown.  Move
 * P to the end of the line. */
static bool
shown_has(struct textlog_screen *screen, const char *begin, const char *end, const char **p,
	  const struct needles *needles)
{
	const char *before = memrchr(begin, '\n', (size_t)(*p - begin));
	const char *line = before ? before + 1 : begin;
	const char *after = memchr(*p, '\n', (size_t)(end - *p));
	*p = after ? after : end;
	size_t length = (size_t)(*p - line);
	while (length && line[length - 1] == '\r')
		length--;
	struct textlog_shown shown = textlog_show(screen, line, length);
	return needles_are_in(needles, (const uint8_t *)shown.text, shown.length);
}

/* Texts are lines of the capture.  Search those again that a terminal shows differently. */
bool
textlog_in_place(const struct decoder *decoder, const struct needles *needles,
		 const struct window *w, uint64_t kinds, unsigned flags)
{
	const unsigned plain = MESSAGE_TIMED | MESSAGE_LOST | MESSAGE_SUSPECT | MESSAGE_DAMAGED;
	struct textlog_screen screen = {0};
	if (!w)
		return false;
	const char *begin = (const char *)w->bytes, *end = begin + w->length, *p = begin;
	bool found = flags & ~plain || kinds >> TEXTLOG_KIND_COUNT || has_line_end(needles);
	(void)decoder;
	for (unsigned kind = 0; kind < TEXTLOG_KIND_COUNT && !found; kind++)
		found = kinds >> kind & 1 &&
			needles_are_in(needles, (const uint8_t *)types[kind], strlen(types[kind]));
	while (!found && (p += textlog_as_is(p, (size_t)(end - p))) < end)
		/* the rest of a long line begins inside it */
		found = kinds >> TEXTLOG_REST & 1 || shown_has(&screen, begin, end, &p, needles);
	textlog_screen_free(&screen);
	return !found;
}

void
textlog_type_keys(const struct decoder *decoder, const struct message *m, size_t count,
		  const struct window *w, uint64_t *keys, bool *keyed)
{
	(void)decoder;
	(void)w;
	(void)keyed;
	for (size_t i = 0; i < count; i++)
		keys[i] = m[i].kind;
}
