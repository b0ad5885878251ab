/*
 * Random filters over captures of every format.  Each is made as a tree and as
 * a text; the tree is evaluated here, naively, from fully expanded messages,
 * the text by the program: message by message as batch output walks them,
 * through what cells say, as the match set of the screen has them, and as batch output
 * counts them with one thread and with several, with an index and without.  All must want
 * the same messages, with small cells as with usual ones.
 *
 * Values come from the messages themselves, so that terms hold now and then.
 * TRAWL_RUNS=100 tries so many times as many filters, TRAWL_SEED=7 other ones; how many
 * there were is printed.
 */
#include "config.h"

#include "test.h"

#include "base/map.h"
#include "config/profile.h"
#include "decode/registry.h"
#include "export/export.h"
#include "query/matches.h"
#include "random.h"
#include "toy.h"
#include "session/clock/clocks.h"
#include "sorted.h"
#include "session/context/context.h"
#include "session/link/serial.h"
#include "session/session.h"
#include "trace/reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* --- chance ------------------------------------------------------------ */

static uint64_t seed = 1; /* or as TRAWL_SEED says */

static size_t
below(size_t n)
{
	return random_below(&seed, n);
}

/* --- what a filter is made of ------------------------------------------ */

enum subject {
	S_SEVERITY,
	S_FLAG,
	S_KIND,
	S_OFFSET,
	S_LENGTH,
	S_TICKS,
	S_NUMBER,
	S_TIME,
	S_DELTA,
	S_GAP,
	S_TRACE,
	S_ORIGIN,
	S_TYPE,
	S_TEXT,
	S_ANY,
	S_BYTES,
	S_PAYLOAD,
	S_FIELD,
	S_CONTEXT,
	SUBJECTS
};

static const char *const subject_names[] = {
    "severity", "flags", "kind",    "offset",  "length",   "ticks", "trace_number",
    "time",	"delta", "gap",	    "trace",   "origin",   "type",  "text",
    "",		"bytes", "payload", "a field", "a context"};

enum op { EQ, NE, LT, LE, GT, GE, BETWEEN, ONE_OF, FITS, NO_FIT, PRESENT };

enum { PART_MAX = 8 };
struct node {
	enum { LEAF, NOT, AND, OR } type;
	struct node *child[3];
	size_t children;
	enum subject subject;
	enum op op;
	long double a, b;    /* numbers */
	char name[64];	     /* of a field, as written */
	char words[2][256];  /* texts; a part of one */
	size_t lengths[2];   /* their bytes */
	uint8_t masks[16];   /* of bytes in words[0] */
	bool part;	     /* of a text, */
	bool fold, anchored; /* and how */
	bool either;	     /* words[1] may fit instead */
	struct bytes {
		bool has[256];
	} places[2][PART_MAX]; /* what may stand where a part has its bytes */
	unsigned context;
	char written[2][1100]; /* the values as they stand in the filter */
};

/* When a message was sent: nanoseconds, or ticks where no rate is known. */
struct sent {
	bool timed, known, wall;
	size_t part;
	long double value;
};

struct capture {
	const char *path, *format; /* as it was opened */
	struct session session;
	struct trace *trace;
	struct reader *reader, *other;
	struct context_cursor *cursor; /* NULL: the session has no contexts */
	VEC(struct message) messages;
	VEC(struct sent) times;	 /* of these */
	VEC(struct sent) before; /* and the last one before each, of any trace */
	struct doubts doubts;	 /* that these show */
	struct sent start;	 /* the first that is known */
};

/* A message and all there is to know about it. */
struct facts {
	const struct capture *capture;
	const struct message *m;
	uint64_t number;
	struct sent sent, before; /* and the message before, of any trace, that has a time */
	const struct expansion *e;
	const uint8_t *bytes;
	size_t length;
};

/* --- the naive evaluator ----------------------------------------------- */

/* How bad: as the manual says, max is worse than all, and none has no order. */
static long double
badness(unsigned severity)
{
	static const int order[] = {
	    [SEVERITY_MAX] = 100,    [SEVERITY_FATAL] = 90, [SEVERITY_ERROR] = 80,
	    [SEVERITY_WARNING] = 70, [SEVERITY_INFO] = 60,  [SEVERITY_USER1] = 50,
	    [SEVERITY_USER2] = 40,   [SEVERITY_DEBUG] = 30, [SEVERITY_NONE] = 20};
	return order[severity];
}

static bool
number_holds(const struct node *node, long double value)
{
	switch ((int)node->op) {
	case EQ:
	case NE: /* negated by the caller */
		return value == node->a;
	case LT:
		return value < node->a;
	case LE:
		return value <= node->a;
	case GT:
		return value > node->a;
	case GE:
		return value >= node->a;
	case BETWEEN:
		return value >= node->a && value <= node->b;
	case ONE_OF:
		return value == node->a || value == node->b;
	default:
		return node->op == PRESENT;
	}
}

static bool
part_fits(const struct node *node, int which, const char *text, size_t length)
{
	size_t own = node->lengths[which];
	for (size_t i = 0; i + own <= length && (!i || !node->anchored); i++) {
		size_t same = 0;
		while (same < own && node->places[which][same].has[(uint8_t)text[i + same]])
			same++;
		if (same == own)
			return true;
	}
	return false;
}

static bool
text_holds(const struct node *node, const char *text, size_t length)
{
	if (node->op == PRESENT)
		return length > 0;
	if (node->op == FITS || node->op == NO_FIT)
		return part_fits(node, 0, text, length) ||
		       (node->either && part_fits(node, 1, text, length));
	if (node->op != EQ && node->op != NE && node->op != ONE_OF)
		return false; /* texts have no order */
	for (int i = 0; i < (node->op == ONE_OF ? 2 : 1); i++)
		if (node->lengths[i] == length && !memcmp(node->words[i], text, length))
			return true;
	return false;
}

static bool
bytes_hold(const struct node *node, const uint8_t *p, size_t length)
{
	if (node->op == PRESENT)
		return length > 0;
	if (node->op == EQ || node->op == NE)
		return length == node->lengths[0] && !memcmp(p, node->words[0], length);
	if (node->op == ONE_OF)
		return false;
	for (size_t i = 0; i + node->lengths[0] <= length; i++) {
		size_t k = 0;
		while (k < node->lengths[0] &&
		       !((p[i + k] ^ (uint8_t)node->words[0][k]) & node->masks[k]))
			k++;
		if (k == node->lengths[0])
			return true;
	}
	return false;
}

static bool
is_number(const struct field *field)
{
	return field->row->type <= FIELD_NUMBER;
}

static long double
number_of(const struct field *field)
{
	switch ((int)field->row->type) {
	case FIELD_INT:
		return (long double)field->i;
	case FIELD_NUMBER:
		return (long double)field->d;
	default:
		return (long double)field->u;
	}
}

static bool
value_holds(const struct node *node, const struct field *field)
{
	if (field->row->type == FIELD_BYTES && !node->part) /* else as it is shown */
		return bytes_hold(node, (const uint8_t *)field->s.at, field->s.length);
	if (field->row->type == FIELD_TEXT)
		return text_holds(node, field->s.at, field->s.length);
	if (!is_number(field) && field->row->type != FIELD_BYTES)
		return false;
	if (node->op != FITS && node->op != NO_FIT)
		return number_holds(node, number_of(field));
	struct text text = {0};
	field_format(field, &text);
	const char *meaning = field_meaning(field);
	bool fits = text_holds(node, text_get(&text), text.length) ||
		    (meaning && text_holds(node, meaning, strlen(meaning)));
	text_free(&text);
	return fits;
}

/* `format.name` or `name`. */
static bool
is_named(const struct field_row *row, const char *name)
{
	const char *dot = strchr(name, '.');
	if (strcmp(row->name, dot ? dot + 1 : name) != 0)
		return false;
	for (size_t i = 0; dot && i < decoder_count; i++)
		if (!strncmp(decoders[i]->format, name, (size_t)(dot - name)) &&
		    row >= decoders[i]->fields &&
		    row < decoders[i]->fields + decoders[i]->field_count)
			return true;
	return !dot;
}

static bool
field_holds(const struct node *node, const struct expansion *e)
{
	for (size_t i = 0; i < e->fields.count; i++) {
		const struct field *field = &e->fields.at[i];
		if (!is_named(field->row, node->name))
			continue;
		if (node->op == PRESENT) {
			if (field->row->type != FIELD_BOOL || field->u)
				return true;
			continue;
		}
		if (value_holds(node, field))
			return true;
		for (size_t k = i + 1; k < e->fields.count && e->fields.at[k].depth > field->depth;
		     k++)
			if (value_holds(node, &e->fields.at[k]))
				return true;
	}
	return false;
}

static bool
expanded_holds(const struct node *node, const struct text *text)
{
	return text_holds(node, text_get(text), text->length);
}

/* With several traces: `TRACE ORIGIN`, but not for its trace alone. */
static bool
joint_holds(const struct node *node, const struct capture *capture, const struct text *origin)
{
	const char *name = trace_name(capture->trace);
	char joint[512];
	if (capture->session.traces.count < 2 || !origin->length)
		return false;
	snprintf(joint, sizeof joint, "%s %s", name, text_get(origin));
	return text_holds(node, joint, strlen(joint)) && !text_holds(node, name, strlen(name));
}

static bool
context_holds(const struct node *node, const struct facts *facts)
{
	struct contexts *contexts = facts->capture->session.contexts;
	struct context_cursor *cursor = facts->capture->cursor;
	struct context_value value;
	struct text text = {0};
	if (!context_value(contexts, cursor, facts->m, node->context, &value) ||
	    value.state != CONTEXT_KNOWN)
		return false;
	if (node->op == PRESENT || (value.name && text_holds(node, value.name, strlen(value.name))))
		return true;
	if (value.is_number && node->op != FITS && node->op != NO_FIT)
		return number_holds(node, (long double)value.number);
	context_text(contexts, cursor, node->context, &value, &text);
	bool fits = expanded_holds(node, &text);
	text_free(&text);
	return fits;
}

static bool
same_unit(const struct sent *a, const struct sent *b)
{
	return a->known == b->known && a->wall == b->wall;
}

static bool
leaf_holds(const struct node *node, const struct facts *facts)
{
	const struct message *m = facts->m;
	const struct expansion *e = facts->e;
	bool timed = m->flags & MESSAGE_TIMED;
	unsigned flags = (m->flags | e->flags) & ((1u << MESSAGE_FLAGS_SHOWN) - 1);
	const char *kind = trace_decoder(facts->capture->trace)->ops->kinds[m->kind].name;
	switch ((int)node->subject) {
	case S_SEVERITY:
		if (node->op == PRESENT)
			return m->severity != SEVERITY_MAX && m->severity != SEVERITY_NONE;
		if (m->severity == SEVERITY_NONE && node->op != EQ && node->op != NE &&
		    node->op != ONE_OF)
			return false;
		return number_holds(node, badness(m->severity));
	case S_FLAG:
		return node->op == PRESENT ? flags : flags >> (unsigned)node->a & 1;
	case S_KIND:
		return text_holds(node, kind, strlen(kind));
	case S_OFFSET:
		return number_holds(node, (long double)m->offset);
	case S_LENGTH:
		return number_holds(node, m->length);
	case S_NUMBER:
		return number_holds(node, (long double)facts->number);
	case S_TICKS:
		return timed && number_holds(node, (long double)m->ticks);
	case S_TIME:
		return facts->sent.timed &&
		       (node->op == PRESENT || (same_unit(&facts->capture->start, &facts->sent) &&
						number_holds(node, facts->sent.value)));
	case S_DELTA:
	case S_GAP:
		return facts->sent.timed && facts->before.timed &&
		       facts->sent.value >= facts->before.value &&
		       (node->op == PRESENT ||
			(same_unit(&facts->sent, &facts->before) &&
			 same_unit(&facts->sent, &facts->capture->start) &&
			 facts->sent.part == facts->before.part &&
			 number_holds(node, facts->sent.value - facts->before.value)));
	case S_TRACE:
		return text_holds(node, trace_name(facts->capture->trace),
				  strlen(trace_name(facts->capture->trace)));
	case S_ORIGIN:
		return expanded_holds(node, &e->origin);
	case S_TYPE:
		return expanded_holds(node, &e->type);
	case S_TEXT:
		return expanded_holds(node, &e->text);
	case S_ANY:
		return expanded_holds(node, &e->text) || expanded_holds(node, &e->origin) ||
		       expanded_holds(node, &e->type) ||
		       joint_holds(node, facts->capture, &e->origin);
	case S_BYTES:
		return bytes_hold(node, facts->bytes, facts->length);
	case S_PAYLOAD:
		return e->payload && bytes_hold(node, e->payload, e->payload_length);
	case S_FIELD:
		return field_holds(node, e);
	case S_CONTEXT:
		return context_holds(node, facts);
	default:
		fail();
		return false;
	}
}

static bool
holds(const struct node *node, const struct facts *facts)
{
	bool result = node->type == AND;
	switch ((int)node->type) {
	case LEAF:
		return leaf_holds(node, facts) != (node->op == NE || node->op == NO_FIT);
	case NOT:
		return !holds(node->child[0], facts);
	default:
		for (size_t i = 0; i < node->children; i++)
			if (holds(node->child[i], facts) != result)
				return !result;
		return result;
	}
}

/* --- making terms ------------------------------------------------------ */

/* Often one beside the border of a cell, where cells may be wrong. */
static const struct message *
some_message(const struct capture *c)
{
	struct index_cell cell;
	const struct index *index = trace_index(c->trace);
	size_t at = below(c->messages.count);
	if (!below(3) && index_cell(index, below(index_known(index)), &cell) && cell.count)
		at = (size_t)cell.first + (below(2) ? cell.count - 1 : 0);
	return &c->messages.at[at];
}

/* The value's text, decimal or hexadecimal. */
static void
write_number(char *out, size_t size, long double value, bool plain)
{
	if (value >= 0 && !plain && !below(3))
		snprintf(out, size, "0x%" PRIx64, (uint64_t)value);
	else
		snprintf(out, size, "%.0Lf", value);
}

static void
order(struct node *node)
{
	static const enum op ops[] = {EQ, NE, LT, LE, GT, GE, BETWEEN, ONE_OF};
	node->op = ops[below(8)];
	if (node->op == BETWEEN && node->a > node->b) {
		long double a = node->a;
		node->a = node->b;
		node->b = a;
	}
}

static void
make_number(struct node *node, long double a, long double b)
{
	node->a = a;
	node->b = b;
	order(node);
	write_number(node->written[0], sizeof node->written[0], node->a, false);
	write_number(node->written[1], sizeof node->written[1], node->b, false);
}

static void
make_severity(struct node *node)
{
	static const char *const names[] = {"max",   "fatal", "error", "warning", "INFO",
					    "user1", "6",     "debug", "none"};
	node->op = (enum op[]){EQ, NE, LT, LE, GT, GE, BETWEEN, ONE_OF, PRESENT}[below(9)];
	bool ordered = node->op != EQ && node->op != NE && node->op != ONE_OF;
	unsigned a = (unsigned)below(ordered ? 8 : 9), b = (unsigned)below(ordered ? 8 : 9);
	if (below(2) && badness(a) > badness(b)) {
		unsigned c = a;
		a = b;
		b = c;
	}
	node->a = badness(a);
	node->b = badness(b);
	strcpy(node->written[0], names[a]);
	strcpy(node->written[1], names[b]);
	if (node->op == BETWEEN && node->a > node->b) { /* either way round */
		long double c = node->a;
		node->a = node->b;
		node->b = c;
	}
}

/* A time since the start or by the clock, in seconds or as a plain number. */
static void
write_time(const struct capture *c, char *out, size_t size, long double value, bool since)
{
	const char *sign = since ? "+" : value < 0 ? "-" : "";
	if (value < 0)
		value = -value;
	if (c->start.known)
		snprintf(out, size, "%s%.9Lf%s", sign, value / 1e9L, below(2) ? "s" : "");
	else
		snprintf(out, size, "%s%.0Lf", sign, value);
}

static bool
make_time(const struct capture *c, struct node *node)
{
	struct sent a = c->times.at[below(c->times.count)], b = c->times.at[below(c->times.count)];
	bool since = c->start.wall || below(2);
	long double from = since ? c->start.value : 0;
	/* what is written is not negative, and has no more digits than there is room */
	if (!a.timed || !b.timed || a.value < from || b.value < from || a.value > 4e18L ||
	    b.value > 4e18L)
		return false;
	node->a = a.value;
	node->b = b.value;
	order(node);
	write_time(c, node->written[0], sizeof node->written[0], node->a - from, since);
	write_time(c, node->written[1], sizeof node->written[1], node->b - from, since);
	return true;
}

static bool
make_delta(const struct capture *c, struct node *node)
{
	size_t at = below(c->times.count - 1);
	const struct sent *a = &c->times.at[at], *b = a + 1;
	if (!a->timed || !b->timed)
		return false;
	node->a = b->value - a->value;
	node->b = below(2) ? 0 : node->a * 2;
	if (fabsl(node->a) > 1e18L)
		return false;
	order(node);
	write_time(c, node->written[0], sizeof node->written[0], node->a, false);
	write_time(c, node->written[1], sizeof node->written[1], node->b, false);
	return true;
}

static bool
is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == ' ' || c == '_';
}

/* A part of a text whose letters stand for themselves in a regular expression: its length. */
static size_t
take_part(struct node *node, int which, const char *text, size_t start, size_t length)
{
	size_t n = 0, most = 1 + below(6);
	while (start + n < length && n < most && is_plain(text[start + n]))
		n++;
	memcpy(node->words[which], text + start, n);
	node->words[which][n] = 0;
	memset(node->places[which], 0, sizeof node->places[which]);
	for (size_t i = 0; i < n; i++)
		node->places[which][i].has[(uint8_t)text[start + i]] = true;
	return node->lengths[which] = n;
}

/* A character beyond ASCII that stands for itself. */
static void
take_wide(struct node *node, int which, const char *wide)
{
	memset(node->places[which], 0, sizeof node->places[which]);
	node->lengths[which] = strlen(wide);
	for (size_t i = 0; wide[i]; i++)
		node->places[which][i].has[(uint8_t)wide[i]] = true;
}

static bool
is_letter(int c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Lets letters have the other case. */
static void
fold(struct bytes *place)
{
	for (int c = 'A'; c <= 'Z'; c++)
		place->has[c] = place->has[c | 32] = place->has[c] || place->has[c | 32];
}

static bool
has_capital(const char *word)
{
	while (*word && !isupper((unsigned char)*word))
		word++;
	return *word;
}

/* Writes the places of a word, in the other case by chance if that does not matter. */
static void
fold_word(struct node *node, int which)
{
	for (size_t i = 0; i < node->lengths[which]; i++) {
		char *c = &node->words[which][i];
		fold(&node->places[which][i]);
		if (is_letter(*c) && below(2))
			*c = (char)(*c ^ 32);
	}
}

/* What C is among, as a range, which is written to OUT. */
static void
make_range(uint8_t c, struct text *out, struct bytes *place)
{
	uint8_t first = c >= 'a' ? 'a' : c >= 'A' ? 'A' : '0';
	uint8_t last = c >= 'a' ? 'z' : c >= 'A' ? 'Z' : '9';
	uint8_t low = (uint8_t)(c - below(c - first + 1u));
	uint8_t high = (uint8_t)(c + below(last - c + 1u));
	text_addf(out, "%c-%c", low, high);
	for (unsigned b = low; b <= high; b++)
		place->has[b] = true;
}

/* A class of C and others; or of all but some others, if that is no matter of characters. */
static void
make_class(uint8_t c, bool fold_it, bool negate, struct text *out, struct bytes *place)
{
	struct bytes own = {0};
	text_add(out, negate ? "[^" : "[");
	if (!negate && (is_letter(c) || isdigit(c)) && below(2)) {
		make_range(c, out, &own);
	} else if (!negate) {
		text_add_char(out, (char)c);
		own.has[c] = true;
	}
	for (size_t i = negate + below(4); i--;) {
		uint8_t other = (uint8_t) "qz09aeA_ #"[below(10)];
		if (negate && (other | 32) == (c | 32))
			other = '!';
		text_add_char(out, (char)other);
		own.has[other] = true;
	}
	text_add(out, "]");
	if (fold_it)
		fold(&own);
	for (int b = 0; b < 256; b++)
		place->has[b] = own.has[b] != negate;
}

/* What C is of, as a letter behind a backslash or a full stop. */
static void
make_type(uint8_t c, bool bytes, struct text *out, struct bytes *place)
{
	bool digit = isdigit(c), word = digit || is_letter(c) || c == '_', any = bytes && below(2);
	text_add(out, any ? "." : digit ? "\\d" : word ? "\\w" : "\\s");
	for (int b = 0; b < 256; b++) {
		bool is_word = b < 128 && (isalnum(b) || b == '_');
		place->has[b] = any	? b != '\n'
				: digit ? b < 128 && isdigit(b)
				: word	? is_word
					: b < 128 && isspace(b);
	}
}

/* Writes a word with classes for some of its letters.  BYTES: a character is one. */
static void
write_classes(struct node *node, int which, bool bytes, struct text *out)
{
	size_t each = 1 + below(4);
	for (size_t i = 0, n; i < node->lengths[which]; i += n) {
		uint8_t c = (uint8_t)node->words[which][i];
		struct bytes *place = &node->places[which][i];
		if (below(each))
			text_add_char(out, (char)c);
		else if (below(3))
			make_class(c, node->fold, bytes && !below(3), out, place);
		else
			make_type(c, bytes, out, place);
		for (n = 1; i + n < node->lengths[which] && below(4) &&
			    place->has[(uint8_t)node->words[which][i + n]];)
			place[n++] = *place;
		if (n > 1 || !below(10))
			text_addf(out, "{%zu}", n);
	}
}

static bool
make_part(struct node *node, const char *text, size_t length)
{
	static const char *const forms[][2] = {{"/", "/I"}, {"\"", "\""}, {"/(?:", ")/I"},
					       {"'", "'"},  {"/^", "/I"}, {"/", "/i"},
					       {"/", "/I"}, {"/", "/I"},  {"/", "/"}};
	static const char wide[] = "\xe2\x98\x83"; /* of which no text is made */
	size_t form = below(sizeof forms / sizeof *forms);
	bool utf = form == 7, smart = form == 1 || form == 3 || form == 8;
	bool classes = !smart && below(3);
	struct text out = {0};
	node->part = true;
	node->anchored = form == 4;
	node->fold = form == 5;
	node->either = form == 6 || form == 7;
	if (!take_part(node, 0, text, node->anchored ? 0 : below(length + 1), length) ||
	    (form == 6 && !take_part(node, 1, text, below(length + 1), length)))
		return false;
	if (utf)
		take_wide(node, 1, wide);
	node->op = below(4) ? FITS : NO_FIT;
	if (node->fold)
		fold_word(node, 0);
	for (size_t i = 0; smart && !has_capital(node->words[0]) && i < node->lengths[0]; i++)
		fold(&node->places[0][i]);
	text_add(&out, forms[form][0]);
	for (int which = 0; which <= node->either; which++) {
		text_add(&out, which ? "|" : "");
		if (which && utf)
			text_add(&out, wide);
		else if (classes)
			write_classes(node, which, !utf, &out);
		else
			text_add(&out, node->words[which]);
	}
	text_add(&out, forms[form][1]);
	snprintf(node->written[0], sizeof node->written[0], "%s", text_get(&out));
	text_free(&out);
	return true;
}

static bool
set_word(struct node *node, int which, const char *text, size_t length)
{
	if (length >= sizeof node->words[0] || memchr(text, 0, length))
		return false;
	memcpy(node->words[which], text, length);
	node->lengths[which] = length;
	node->a = node->b = (long double)NAN; /* no number */
	struct text quoted = {0};
	filter_quote(text, length, &quoted);
	snprintf(node->written[which], sizeof node->written[which], "%s", quoted.data);
	text_free(&quoted);
	return true;
}

static bool
make_text(struct node *node, const struct text *a, const struct text *b)
{
	if (!below(8)) {
		node->op = PRESENT;
		return true;
	}
	if (below(2))
		return make_part(node, text_get(a), a->length);
	node->op = (enum op[]){EQ, NE, ONE_OF}[below(3)];
	return set_word(node, 0, text_get(a), a->length) &&
	       set_word(node, 1, text_get(b), b->length);
}

static bool
make_bytes(struct node *node, const uint8_t *p, size_t length)
{
	size_t start = below(length), n = 1 + below(8), at = 0;
	char *out = node->written[0];
	if (!length)
		return false;
	if (n > length - start)
		n = length - start;
	node->op = below(3) ? FITS : NO_FIT;
	node->lengths[0] = n;
	at += (size_t)sprintf(out, "\"");
	for (size_t i = 0; i < n; i++) {
		static const uint8_t masks[] = {0xff, 0xff, 0xff, 0, 0x0f, 0xf0};
		uint8_t mask = masks[below(6)], byte = p[start + i];
		node->words[0][i] = (char)byte;
		node->masks[i] = mask;
		char high = "0123456789abcdef"[byte >> 4], low = "0123456789ABCDEF"[byte & 15];
		at += (size_t)sprintf(out + at, "%s%c%c%s", below(4) ? "" : "\\x",
				      mask & 0xf0 ? high : '?', mask & 15 ? low : '?',
				      below(2) ? " " : "");
	}
	sprintf(out + at, "\"");
	return true;
}

static bool
is_own_name(const char *name)
{
	for (int i = 0; i < SUBJECTS; i++)
		if (!strcmp(name, subject_names[i]))
			return true;
	for (unsigned i = 0; i < MESSAGE_FLAGS_SHOWN; i++)
		if (!strcmp(name, message_flag_name(i)))
			return true;
	return false;
}

static void
name_field(struct node *node, const struct field_row *row)
{
	const char *format = "";
	for (size_t i = 0; i < decoder_count; i++)
		if (row >= decoders[i]->fields &&
		    row < decoders[i]->fields + decoders[i]->field_count)
			format = decoders[i]->format;
	if (is_own_name(row->name) || below(2))
		snprintf(node->name, sizeof node->name, "%s.%s", format, row->name);
	else
		snprintf(node->name, sizeof node->name, "%s", row->name);
}

/* A comparison with what FIELD holds. */
static bool
make_value(struct node *node, const struct field *field)
{
	struct text text = {0};
	bool good;
	if (field->row->type == FIELD_BYTES)
		return make_bytes(node, (const uint8_t *)field->s.at, field->s.length);
	if (field->row->type == FIELD_TEXT || (is_number(field) && !below(5))) {
		field_format(field, &text);
		good = is_number(field) ? make_part(node, text_get(&text), text.length)
					: make_text(node, &text, &text);
		text_free(&text);
		return good;
	}
	if (!is_number(field) || (field->row->type == FIELD_NUMBER && !isfinite(field->d)))
		return false;
	if (field->row->type == FIELD_NUMBER && fabs(field->d) > 1e15)
		return false;
	make_number(node, number_of(field), number_of(field) + (long double)below(5));
	for (int i = 0; i < 2; i++) {
		long double *value = i ? &node->b : &node->a;
		if (field->row->type == FIELD_NUMBER) {
			snprintf(node->written[i], sizeof node->written[i], "%.21Lg", *value);
			*value = strtold(node->written[i], NULL);
		}
		/* another element of its list may be a text */
		node->lengths[i] = strlen(node->written[i]);
		memcpy(node->words[i], node->written[i], node->lengths[i] + 1);
	}
	return node->b < 0x1p64L;
}

/* A comparison with the name of the value. */
static bool
make_named(struct node *node, const struct field *field)
{
	const struct field_row *row = field->row;
	const char *name = field->u < row->value_count ? row->values[field->u] : NULL;
	if (!name || row->type == FIELD_TEXT || row->type == FIELD_BYTES)
		return false;
	for (size_t i = 0; i < field->u; i++)
		if (row->values[i] && !strcasecmp(row->values[i], name))
			return false;
	node->op = (enum op[]){EQ, NE, GE, ONE_OF}[below(4)];
	if (!set_word(node, 0, name, strlen(name)) || !set_word(node, 1, name, strlen(name)))
		return false;
	node->a = node->b = (long double)field->u;
	return true;
}

static bool
make_field(struct capture *c, struct node *node)
{
	struct message m = *some_message(c);
	struct expansion e = {0};
	bool good = false;
	reader_expand(c->reader, &m, EXPAND_FIELDS, &e);
	if (e.fields.count) {
		size_t at = below(e.fields.count), value = at;
		name_field(node, e.fields.at[at].row);
		/* of lists: what an element holds */
		while (value + 1 < e.fields.count && e.fields.at[value].row->type >= FIELD_LIST)
			value++;
		bool element = value != at;
		node->op = PRESENT;
		/* what is between quotes is a text there */
		good = !below(6) || (!element && make_named(node, &e.fields.at[at])) ||
		       (make_value(node, &e.fields.at[value]) &&
			(!element || (e.fields.at[value].depth > e.fields.at[at].depth &&
				      e.fields.at[value].row->type != FIELD_BYTES &&
				      (!node->part || node->written[0][0] == '/'))));
	}
	expansion_free(&e);
	return good;
}

static bool
make_context(struct capture *c, struct node *node)
{
	struct contexts *contexts = c->session.contexts;
	struct message m = *some_message(c);
	struct context_value value;
	struct text text = {0};
	if (!c->cursor)
		return false;
	node->context = (unsigned)below(contexts_count(contexts));
	snprintf(node->name, sizeof node->name, "context.%s",
		 contexts_name(contexts, node->context));
	node->op = PRESENT;
	if (!context_value(contexts, c->cursor, &m, node->context, &value) ||
	    value.state != CONTEXT_KNOWN || !below(6))
		return true;
	context_text(contexts, c->cursor, node->context, &value, &text);
	if (value.name && below(2))
		text_clear(&text), text_add(&text, value.name);
	bool good = true;
	if (value.is_number && below(2))
		make_number(node, (long double)value.number,
			    (long double)(value.number + below(9)));
	else
		good = make_text(node, &text, &text);
	char *end = text.data;
	if (value.is_number && text.length && isnan((double)node->a)) { /* a number as well */
		node->a = node->b = strtold(text.data, &end);
		if (*end)
			node->a = node->b = (long double)NAN;
	}
	text_free(&text);
	return good;
}

static bool
make_expanded(struct capture *c, struct node *node)
{
	struct message a = *some_message(c), b = *some_message(c);
	struct expansion ea = {0}, eb = {0};
	reader_expand(c->reader, &a, EXPAND_FIELDS, &ea);
	reader_expand(c->reader, &b, EXPAND_FIELDS, &eb);
	bool good = false;
	switch ((int)node->subject) {
	case S_ORIGIN:
		good = make_text(node, &ea.origin, &eb.origin);
		break;
	case S_TYPE:
		good = make_text(node, &ea.type, &eb.type);
		break;
	case S_TEXT:
		good = make_text(node, &ea.text, &eb.text);
		break;
	case S_ANY:
		do
			good = make_part(node, text_get(&ea.text), ea.text.length);
		while (good && node->written[0][0] != '/');
		node->op = FITS;
		break;
	default:
		good = ea.payload && make_bytes(node, ea.payload, ea.payload_length);
	}
	expansion_free(&ea);
	expansion_free(&eb);
	return good;
}

static bool
make_leaf(struct capture *c, struct node *node)
{
	const struct message *m = some_message(c), *o = some_message(c);
	struct window window = reader_window(c->reader);
	const struct kind_row *kinds = trace_decoder(c->trace)->ops->kinds;
	node->subject = (enum subject)below(SUBJECTS);
	snprintf(node->name, sizeof node->name, "%s", subject_names[node->subject]);
	switch ((int)node->subject) {
	case S_SEVERITY:
		make_severity(node);
		return true;
	case S_FLAG:
		node->a = (long double)below(MESSAGE_FLAGS_SHOWN);
		node->op = (enum op[]){EQ, NE, PRESENT}[below(3)];
		strcpy(node->written[0], message_flag_name((unsigned)node->a));
		return true;
	case S_KIND:
		node->op = (enum op[]){EQ, NE, ONE_OF}[below(3)];
		return set_word(node, 0, kinds[m->kind].name, strlen(kinds[m->kind].name)) &&
		       set_word(node, 1, kinds[o->kind].name, strlen(kinds[o->kind].name));
	case S_OFFSET:
		make_number(node, (long double)m->offset, (long double)o->offset);
		return true;
	case S_LENGTH:
		make_number(node, m->length, o->length);
		return true;
	case S_NUMBER:
		make_number(node, (long double)(m - c->messages.at), (long double)below(1000));
		return true;
	case S_TICKS:
		make_number(node, (long double)m->ticks, (long double)o->ticks);
		return true;
	case S_TIME:
		return make_time(c, node);
	case S_DELTA:
	case S_GAP:
		return make_delta(c, node);
	case S_TRACE:
		node->op = EQ;
		return set_word(node, 0, trace_name(c->trace), strlen(trace_name(c->trace)));
	case S_BYTES:
		return make_bytes(node, window.bytes + m->offset, m->length < 64 ? m->length : 64);
	case S_FIELD:
		return make_field(c, node);
	case S_CONTEXT:
		return make_context(c, node);
	default:
		return make_expanded(c, node);
	}
}

static struct node *
make(struct capture *c, int depth)
{
	struct node *node = mem_new(sizeof *node);
	if (!depth || !below(3)) {
		while (!make_leaf(c, node))
			memset(node, 0, sizeof *node);
		return node;
	}
	node->type = NOT + (int)below(3);
	node->children = node->type == NOT ? 1 : 2 + below(2);
	for (size_t i = 0; i < node->children; i++)
		node->child[i] = make(c, depth - 1);
	return node;
}

static void
forget(struct node *node)
{
	for (size_t i = 0; i < node->children; i++)
		forget(node->child[i]);
	free(node);
}

/* --- writing them ------------------------------------------------------ */

static void
write_leaf(const struct node *node, struct text *out)
{
	static const char *const signs[] = {
	    [EQ] = " = ", [NE] = "!=",	[LT] = " < ",	[LE] = "<=",
	    [GT] = " >",  [GE] = ">= ", [FITS] = " ~ ", [NO_FIT] = "!~"};
	const char *const *w = (const char *const[]){node->written[0], node->written[1]};
	if (node->subject == S_ANY)
		text_add(out, w[0]);
	else if (node->op == PRESENT)
		text_add(out, node->name);
	else if (node->subject == S_FLAG && node->op == EQ && below(2))
		text_add(out, w[0]);
	else if (node->op == BETWEEN)
		text_addf(out, below(2) ? "%s in %s..%s" : "%s in {%s..%s}", node->name, w[0],
			  w[1]);
	else if (node->op == ONE_OF)
		text_addf(out, "%s in {%s, %s}", node->name, w[0], w[1]);
	else
		text_addf(out, "%s%s%s", node->name, signs[node->op], w[0]);
}

static void
write_node(const struct node *node, int around, struct text *out)
{
	static const char *const words[2][2] = {{" and ", "&&"}, {" or ", " || "}};
	/* `or` inside `and` or `not` and `and` inside `not` need them */
	int binds = node->type == OR ? 1 : node->type == AND ? 2 : 3;
	bool brackets = binds < around || !below(6);
	if (brackets)
		text_add_char(out, '(');
	if (node->type == LEAF)
		write_leaf(node, out);
	if (node->type == NOT)
		text_add(out, below(2) ? "not " : "!");
	for (size_t i = 0; i < node->children; i++) {
		if (i)
			text_add(out, words[node->type == OR][below(2)]);
		write_node(node->child[i], binds, out);
	}
	if (brackets)
		text_add_char(out, ')');
}

enum { FILTERS = 40, SMALL_CELLS = 10 };

/* --- sessions ---------------------------------------------------------- */

/* Opens what C is of, without an index; false if it takes a library that the program is built
 * without. */
static bool
open_bare(struct capture *c, const char *path, const char *format, const char *cache)
{
	struct err err = {0};
	struct text profile = {0};
	*c = (struct capture){.path = path, .format = format};
	size_t length = strlen(path);
	bool whole = length > 5 && !strcmp(path + length - 5, ".yaml");
	if (whole)
		text_add(&profile, path);
	if (whole || profile_find((const char *const[]){path}, 1, &profile))
		assert_int_equal(profile_load(profile.data, &c->session.profile, &err), 0);
	else
		option_defaults(profile_options_table(), &c->session.profile);
	text_free(&profile);
	c->session.host.cache_dir = cache;
	c->session.host.cell_shift = cache ? SMALL_CELLS : 0;
	if (whole ? session_open_named(&c->session, NULL, 0, &err) < 0
		  : !session_open(&c->session, path, format, NULL, 0, &err)) {
		session_close(&c->session);
		if (strstr(err.what, "without the OpenCSD library"))
			return false;
		fail_msg("%s: %s", path, err.what);
	}
	session_link(&c->session);
	for (size_t i = 0; i < c->session.traces.count; i++) {
		struct trace *trace = c->session.traces.at[i];
		trace_load(trace, &err);
		if (serial_of(trace))
			serial_load(serial_of(trace));
	}
	return true;
}

/* --- comparing --------------------------------------------------------- */

static size_t tried; /* filters, in each of several ways */

struct trial {
	struct node *tree;
	struct text text;
	struct filter filter;
	struct matches *matches;
	uint64_t passed;
	uint64_t next;	     /* match, by the match set */
	uint64_t counted[4]; /* by batch output */
	struct doubts doubts[4];
	uint64_t cell;	     /* that was judged last; UINT64_MAX: none */
	enum filter_verdict verdicts[2];
};

/* Waits until the match set knows all, as a screen does. */
static void
count(struct trial *trial, struct capture *c)
{
	struct matches_progress progress;
	trial->matches = matches_new(c->trace, &trial->filter, NULL, 0);
	for (;;) {
		matches_update(trial->matches);
		matches_get_progress(trial->matches, &progress);
		if (progress.exact && progress.cells == progress.of)
			return;
		usleep(200);
	}
}

/* As `-t none` does. */
static void
count_in_batch(struct trial *trial, struct session *session, const char *trace, unsigned threads,
	       uint64_t *counted, struct doubts *doubts)
{
	struct err err = {0};
	struct export_result result;
	struct writer writer = {.file = STDOUT_FILENO, .is_direct = true};
	struct export_options options = {.format = export_find("none"),
					 .filter = trial->filter,
					 .source = trace,
					 .threads = threads,
					 .output = &writer};
	if (export_run(session, &options, &result, &err) < 0)
		fail_msg("%s: %s", trial->text.data, err.what);
	*counted = result.messages;
	*doubts = result.doubts;
}

/* The same of a session of its own, that no index is of: where the filter asks for none, pieces
 * that it rules out are passed over as the walk comes to them. */
static void
count_afresh(struct trial *trial, const struct capture *c, unsigned threads, uint64_t *counted,
	     struct doubts *doubts)
{
	struct filter_error error;
	struct capture fresh;
	struct trial own = {.text = trial->text, .filter = filter_all()};
	assert_true(open_bare(&fresh, c->path, c->format, NULL));
	own.filter.expr = filter_parse(trial->text.data, &fresh.session, &error);
	count_in_batch(&own, &fresh.session, trace_name(c->trace), threads, counted, doubts);
	filter_free(&own.filter);
	session_close(&fresh.session);
}

/* In each way; without an index once, where one may be kept. */
static void
count_in_ways(struct trial *trial, struct capture *c)
{
	bool known = c->session.host.cache_dir || filter_needs_clocks(&trial->filter) ||
		     filter_needs_contexts(&trial->filter) || filter_needs_order(&trial->filter);
	for (unsigned several = 0; several < 2; several++) {
		uint64_t *counted = &trial->counted[2 * several];
		struct doubts *doubts = &trial->doubts[2 * several];
		unsigned threads = several ? 3 : 1;
		count_in_batch(trial, &c->session, trace_name(c->trace), threads, counted, doubts);
		if (known) {
			counted[1] = counted[0];
			doubts[1] = doubts[0];
		} else {
			count_afresh(trial, c, threads, counted + 1, doubts + 1);
		}
	}
}

static void
go_on(struct trial *trial, struct capture *c)
{
	struct position at;
	bool exact;
	trial->next = UINT64_MAX;
	if (matches_find(trial->matches, c->other, trial->passed, &at))
		trial->next = reader_number(c->other, at, &exact);
}

/* What the summary of M's cell says. */
static void
judge_cell(struct trial *trial, const struct capture *c, const struct message *m)
{
	struct index *index = trace_index(c->trace);
	uint64_t cell = message_id_offset(m) / index_cell_size(index);
	uint64_t last = index_cell_count(index) - 1;
	struct index_cell summary;
	cell = cell < last ? cell : last;
	if (cell == trial->cell)
		return;
	trial->cell = cell;
	assert_true(index_cell(index, cell, &summary));
	trial->verdicts[0] = filter_judge(&trial->filter, c->trace, cell);
	trial->verdicts[1] = filter_cell(&trial->filter, &summary);
}

static void
try_message(struct trial *trial, struct capture *c, const struct facts *facts,
	    struct expansion *scratch)
{
	bool wanted = holds(trial->tree, facts);
	if (wanted != (trial->next == facts->number))
		fail_msg("%s: message %d is %swanted, the match set has %d:\n%s",
			 trace_name(c->trace), (int)facts->number, wanted ? "" : "not ",
			 (int)trial->next, trial->text.data);
	trial->passed += wanted;
	if (wanted)
		go_on(trial, c);
	if (filter_match(&trial->filter, c->other, facts->m, scratch) != wanted)
		fail_msg("%s: message %d is %swanted:\n%s", trace_name(c->trace),
			 (int)facts->number, wanted ? "" : "not ", trial->text.data);
	judge_cell(trial, c, facts->m);
	for (int i = 0; i < 2; i++)
		if (trial->verdicts[i] == (wanted ? FILTER_NONE : FILTER_ALL))
			fail_msg("%s: cell %d says %d, but message %d:\n%s", trace_name(c->trace),
				 (int)trial->cell, trial->verdicts[i], (int)facts->number,
				 trial->text.data);
}

/* Batch output reports the doubts of all messages, whichever it writes; but it checks only those
 * that it writes. */
static void
compare_doubts(const struct trial *trial, const struct capture *c)
{
	for (int k = 0; k < 4 && !trace_decoder(c->trace)->ops->kinds_checked; k++)
		for (int i = 0; i < DOUBT_FLAGS; i++)
			if (trial->doubts[k].count[i] != c->doubts.count[i])
				fail_msg(
				    "%s: %d messages are %s, not %d as in batch output (%d):\n%s",
				    trace_name(c->trace), (int)c->doubts.count[i],
				    message_flag_name((unsigned)i), (int)trial->doubts[k].count[i],
				    k, trial->text.data);
}

static void
compare(struct capture *c)
{
	const size_t filters = test_some(FILTERS);
	struct trial trials[FILTERS] = {0};
	struct expansion e = {0}, scratch = {0};
	struct window window = reader_window(c->reader);
	for (size_t i = 0; i < filters; i++) {
		struct filter_error error;
		trials[i].tree = make(c, i % 4);
		trials[i].cell = UINT64_MAX;
		write_node(trials[i].tree, 0, &trials[i].text);
		trials[i].filter = filter_all();
		trials[i].filter.expr = filter_parse(trials[i].text.data, &c->session, &error);
		if (!trials[i].filter.expr)
			fail_msg("%s: %s (column %zu)", trials[i].text.data, error.what,
				 error.at + 1);
		count(&trials[i], c);
		count_in_ways(&trials[i], c);
		go_on(&trials[i], c);
	}
	struct facts facts = {.capture = c, .e = &e};
	for (size_t n = 0; n < c->messages.count; n++) {
		const struct message *m = &c->messages.at[n];
		reader_expand(c->reader, m, EXPAND_FIELDS, &e);
		facts.m = m;
		facts.sent = c->times.at[n];
		facts.before = c->before.at[n];
		facts.number = n;
		facts.bytes = window.bytes + m->offset;
		facts.length = m->offset + m->length <= window.length ? m->length : 0;
		for (size_t i = 0; i < filters; i++)
			try_message(&trials[i], c, &facts, &scratch);
	}
	size_t some = 0;
	for (size_t i = 0; i < filters; i++) {
		for (int k = 0; k < 4; k++)
			if (trials[i].counted[k] != trials[i].passed)
				fail_msg(
				    "%s: %d messages pass, not %d as in batch output (%d):\n%s",
				    trace_name(c->trace), (int)trials[i].passed,
				    (int)trials[i].counted[k], k, trials[i].text.data);
		compare_doubts(&trials[i], c);
		tried++;
		some += trials[i].passed && trials[i].passed < c->messages.count;
		forget(trials[i].tree);
		text_free(&trials[i].text);
		matches_free(trials[i].matches);
		filter_free(&trials[i].filter);
	}
	assert_true(some > filters / 5); /* else this proves little */
	expansion_free(&e);
	expansion_free(&scratch);
}

/* Where the key tells who sent a message, it always tells the same. */
static void
check_origins(struct capture *c)
{
	struct map origins = {0};
	struct expansion e = {0};
	VEC(char *) texts = {0};
	for (size_t i = 0; reader_origin_kinds(c->reader) == UINT64_MAX && i < c->messages.count;
	     i++) {
		const struct message *m = &c->messages.at[i];
		reader_expand(c->reader, m, EXPAND_TEXT, &e);
		uint64_t *text = map_add(&origins, m->origin);
		if (!*text) {
			*vec_add(&texts) = mem_text(text_get(&e.origin));
			*text = texts.count;
		}
		if (strcmp(text_get(&e.origin), texts.at[*text - 1]) != 0)
			fail_msg("%s: message %zu: %s, not %s", trace_name(c->trace), i,
				 text_get(&e.origin), texts.at[*text - 1]);
	}
	for (size_t i = 0; i < texts.count; i++)
		free(texts.at[i]);
	vec_free(&texts);
	map_free(&origins);
	expansion_free(&e);
}

/* The time is what batch output prints. */
static struct sent
sent_at(struct trace *trace, const struct message *m)
{
	struct message_time time;
	if (!clocks_time(trace, m, &time) || !(time.known || m->flags & MESSAGE_TIMED))
		return (struct sent){0};
	return (struct sent){true, time.known, time.wall, time.part,
			     time.known ? (long double)time.nanoseconds : (long double)m->ticks};
}

/* Waits until contexts are known, as far as anybody asks for them. */
static void
learn_contexts(struct session *session)
{
	contexts_start(session->contexts);
	for (size_t i = 0; i < session->traces.count; i++) {
		struct trace *trace = session->traces.at[i];
		context_cursor_free(context_cursor_new(session->contexts, trace));
		while (contexts_known(session->contexts, trace) < index_known(trace_index(trace)))
			usleep(200);
	}
}

/* The same with all that is known of it at last.  CACHE: cells are small, and the index is kept
 * there; or NULL. */
static bool
open_session(struct capture *c, const char *path, const char *format, const char *cache)
{
	if (!open_bare(c, path, format, cache))
		return false;
	for (size_t i = 0; i < c->session.traces.count; i++)
		index_build(trace_index(c->session.traces.at[i]));
	clocks_load(c->session.clocks, true);
	if (c->session.contexts)
		learn_contexts(&c->session);
	return true;
}

/* The last time before each message of the trace, by a plain sort of the session. */
static void
find_before(struct capture *c)
{
	sorted_messages all = sorted_session(&c->session, UINT_MAX);
	struct sent last = {0};
	for (size_t i = 0; i < all.count; i++) {
		struct trace *trace = c->session.traces.at[all.at[i].lane];
		struct sent own = sent_at(trace, &all.at[i].message);
		if (trace == c->trace)
			*vec_add(&c->before) = last;
		if (own.timed && own.part == clocks_part(trace))
			last = own;
	}
	vec_free(&all);
}

static void
walk_trace(struct capture *c, struct trace *trace)
{
	struct message batch[64];
	size_t n;
	c->trace = trace;
	c->reader = reader_new(trace);
	c->other = reader_new(trace);
	c->cursor = c->session.contexts ? context_cursor_new(c->session.contexts, trace) : NULL;
	while ((n = reader_walk(c->reader, batch, 64)) > 0)
		for (size_t i = 0; i < n; i++) {
			*vec_add(&c->messages) = batch[i];
			doubts_add_flags(&c->doubts, batch[i].flags);
			*vec_add(&c->times) = sent_at(trace, &batch[i]);
		}
	find_before(c);
}

static void
leave_trace(struct capture *c)
{
	vec_free(&c->messages);
	vec_free(&c->times);
	vec_free(&c->before);
	c->doubts = (struct doubts){0};
	context_cursor_free(c->cursor);
	reader_free(c->reader);
	reader_free(c->other);
}

/* The first time of a trace, if it has any. */
static struct sent
first_of(struct trace *trace)
{
	struct reader *reader = reader_new(trace);
	struct sent first = {0};
	struct message m;
	while (!first.timed && reader_walk(reader, &m, 1))
		first = sent_at(trace, &m);
	reader_free(reader);
	return first;
}

/* The earliest of the first times of the traces. */
static struct sent
start_of(const struct session *session)
{
	struct sent start = {0};
	for (size_t i = 0; i < session->traces.count; i++) {
		struct sent first = first_of(session->traces.at[i]);
		if (!start.timed || (first.timed && first.value < start.value))
			start = first;
	}
	return start;
}

static void
try_session(const char *path, const char *format, const char *cache)
{
	const int runs = test_runs(1);
	struct capture c;
	if (!open_session(&c, path, format, cache))
		return;
	c.start = start_of(&c.session);
	for (size_t i = 0; i < c.session.traces.count; i++) {
		walk_trace(&c, c.session.traces.at[i]);
		check_origins(&c);
		for (int run = 0; run < runs && c.messages.count > 1; run++)
			compare(&c);
		leave_trace(&c);
	}
	session_close(&c.session);
}

static void
try_capture(const char *path, const char *format)
{
	char folder[] = "/tmp/trawl-filters-XXXXXX", command[64];
	assert_non_null(mkdtemp(folder));
	try_session(path, format, NULL);
	try_session(path, format, folder);
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void __attribute__((unused)) test_samples(void **state)
{
	static const char *const names[] = {
	    "demo.stp",		 "all-raw.bin",	      "all-hex.txt",	 "all-le22.stp",
	    "all-csel.csel",	 "all-encap.bin",     "bits-encap.bin",	 "all-gem.bin",
	    "all-gem.uia.bin",	 "delta.stp",	      "short.bin",	 "damaged-raw.bin",
	    "damaged-hex.txt",	 "damaged-stp.stp",   "damaged-gem.bin", "damaged-uia.bin",
	    "damaged-csel.csel", "damaged-encap.bin", "lab.yaml",	 "all-opencsd",
	    "damaged-opencsd",	 "all-itm.itm",	      "all-tpiu.swo",	 "log-dmesg.txt",
	    "log-logcat.txt",	 "log-bench.txt",     "log-zephyr.txt"};
	const char *srcdir = getenv("srcdir");
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct text path = {0};
		text_addf(&path, "%s/testdata/%s", srcdir ? srcdir : ".", names[i]);
		try_capture(path.data, NULL);
		text_free(&path);
	}
}

/* Of several cells. */
static void __attribute__((unused)) test_large(void **state)
{
	static const char *const arguments[][2] = {
	    {"syst/raw", "-f syst/raw -m len32 -n 300K"},
	    {"syst/raw", "-f syst/raw -m strings -n 300K"}, /* whose bytes can be looked at */
	    {"syst/stp", "-f syst/stp -m all -n 300K --senders=9"},
	    {"csel", "-f csel -n 150K"},
	};
	const char *program = getenv("MKCAPTURE");
	(void)state;
	if (!program)
		skip();
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
		char *path = toy_file("", 0);
		struct text command = {0};
		text_addf(&command, "'%s' %s -o %s", program, arguments[i][1], path);
		assert_int_equal(system(command.data), 0);
		try_capture(path, arguments[i][0]);
		unlink(path);
		free(path);
		text_free(&command);
	}
}

/* Adds words, no two alike.  A terminal may show them in other colours, over others, or cut. */
static void
add_words(struct text *out, size_t count)
{
	static const char *const inside[] = {"\033[1;31m", "\033[0m", "\b", "\033[2D",
					     "\033[K",	   "\t",      "\r", "\xc3\xa9"};
	while (count--) {
		for (size_t i = 2 + below(6); i--;)
			text_add_char(out, (char)('a' + below(26)));
		if (!below(8))
			text_add(out, inside[below(8)]);
		for (size_t i = 1 + below(4); i--;)
			text_add_char(out, (char)("AaEeIi0123456789"[below(16)]));
		text_add_char(out, ' ');
	}
}

/* A kernel's log: with levels, origins, lines that go on, reports of losses, times that are none
 * and, by chance, lines that end in CR LF or are longer than a message. */
static void
make_log(struct text *out, size_t size)
{
	bool crlf = below(2), colours = below(2);
	size_t longest = below(3) ? 8 : 60000, micros = 0;
	while (out->length < size) {
		micros += below(30000);
		if (!below(8))
			text_add(out, "  at ");
		else if (below(60))
			text_addf(out, "<%zu>[%5zu.%06zu] cpu%zu: ", below(8), micros / 1000000,
				  micros % 1000000, below(3));
		else
			text_addf(out, "** %zu printk messages dropped **", below(100));
		if (colours)
			text_add(out, "\033[32m");
		add_words(out, 1 + below(below(300) ? 8 : longest));
		if (!below(60))
			text_add(out, "\x02");
		if (colours)
			text_add(out, "\033[0m");
		text_add(out, crlf ? "\r\n" : "\n");
	}
	if (below(2))
		text_cut(out, out->length - 1);
}

static void
test_logs(void **state)
{
	(void)state;
	for (int run = 0; run < 3; run++) {
		struct text log = {0};
		make_log(&log, 150000);
		char *path = toy_file(log.data, log.length);
		try_capture(path, "text");
		unlink(path);
		free(path);
		text_free(&log);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {

	    cmocka_unit_test(test_logs),
	};
	const char *other = getenv("TRAWL_SEED");
	if (other)
		seed = strtoull(other, NULL, 10);
	int failed = cmocka_run_group_tests_name("filter_random", tests, NULL, NULL);
	printf("# %zu filters, each in seven ways\n", tried);
	return failed;
}
