/*
 * Golden decodes: each case.txt beside this file holds a capture, written so
 * that people can read it, and the messages it must decode to.
 *
 *	decoder syst/stp
 *	option nibbles lsn		any number, as in a profile
 *	option etrace.iaddress_lsb 0	a member of a structure
 *	option types.0.type 2		a member of an element of a list
 *	bytes
 *	hex 32 26 01 01			bytes
 *	text "Hello\n\0"		with \n \r \t \0 \\ \"
 *	le16 1000, le32, le64		numbers, little-endian
 *	fill 300 00			so many times that byte
 *	nibbles FFFFF F0 3		low nibble of each byte first
 *	pad				a nibble 0 if one is needed
 *	bits 5 0x1f			so many bits of a number, lowest first
 *	sign				the last bit again, to the end of the byte
 *	expect
 *	OFFSET+LENGTH TYPE SEVERITY TICKS FLAGS | TEXT
 *	  field=value			as the detail pane shows it; numbers in any base
 *	  !field			there is none of that name
 *
 * Ticks and flags may be `-`, flags are parted by commas, a text of `*` is
 * not compared, and neither are fields that are not mentioned.  `#` starts a
 * comment.  Expected values come from the specifications or by hand, never
 * from the program.
 */
#include "config.h"

#include "../drive.h"

#include "base/text.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expected {
	char *message;
	VEC(char *) fields;
};

struct golden {
	const char *path;
	unsigned line;
	struct drive drive;
	char *decoder;
	VEC(char *) options; /* name, value, name, ... */
	VEC(uint8_t) bytes;
	unsigned taken; /* low bits of the last byte; 0: it is full */
	VEC(struct expected) expected;
};

static _Noreturn void
bail(const struct golden *g, const char *what)
{
	printf("Bail out! %s:%u: %s\n", g->path, g->line, what);
	exit(1);
}

/* --- the assembler ----------------------------------------------------- */

static void
put_bits(struct golden *g, unsigned count, uint64_t value)
{
	for (unsigned i = 0; i < count; i++) {
		if (!g->taken)
			*vec_add(&g->bytes) = 0;
		g->bytes.at[g->bytes.count - 1] |= (uint8_t)((value >> i & 1) << g->taken);
		g->taken = (g->taken + 1) % 8;
	}
}

static void
put_byte(struct golden *g, unsigned byte)
{
	if (g->taken)
		bail(g, "pad or sign is missing");
	put_bits(g, 8, byte);
}

static void
put_sign(struct golden *g)
{
	while (g->taken)
		put_bits(g, 1, g->bytes.at[g->bytes.count - 1] >> (g->taken - 1));
}

static unsigned
digit(const struct golden *g, char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
	if (!at)
		bail(g, "a hexadecimal digit was expected");
	return (unsigned)(at - digits);
}

static void
put_hex(struct golden *g, const char *at)
{
	for (; *at; at++)
		if (!isspace((unsigned char)*at)) {
			unsigned high = digit(g, *at++);
			put_byte(g, high << 4 | digit(g, *at));
		}
}

static void
put_nibbles(struct golden *g, const char *at)
{
	for (; *at; at++)
		if (!isspace((unsigned char)*at))
			put_bits(g, 4, digit(g, *at));
}

static void
put_text(struct golden *g, const char *at)
{
	static const char escapes[] = "nrt0", values[] = "\n\r\t";
	if (*at++ != '"')
		bail(g, "a text in quotes was expected");
	for (; *at && *at != '"'; at++) {
		const char *escape = *at == '\\' ? strchr(escapes, at[1]) : NULL;
		if (*at == '\\')
			at++;
		put_byte(g, (unsigned char)(escape ? values[escape - escapes] : *at));
	}
}

static void
put_number(struct golden *g, const char *at, unsigned bytes)
{
	uint64_t value = strtoull(at, NULL, 0);
	for (unsigned i = 0; i < bytes; i++)
		put_byte(g, value >> 8 * i & 0xff);
}

static void
assemble(struct golden *g, const char *word, const char *rest)
{
	if (strcmp(word, "hex") == 0) {
		put_hex(g, rest);
	} else if (strcmp(word, "text") == 0) {
		put_text(g, rest);
	} else if (strcmp(word, "nibbles") == 0) {
		put_nibbles(g, rest);
	} else if (strcmp(word, "pad") == 0) {
		if (g->taken)
			put_bits(g, 4, 0);
	} else if (strcmp(word, "bits") == 0) {
		char *value;
		unsigned long count = strtoul(rest, &value, 0);
		put_bits(g, (unsigned)count, strtoull(value, NULL, 0));
	} else if (strcmp(word, "sign") == 0) {
		put_sign(g);
	} else if (strncmp(word, "le", 2) == 0) {
		put_number(g, rest, (unsigned)atoi(word + 2) / 8);
	} else if (strcmp(word, "fill") == 0) {
		char *byte;
		unsigned long count = strtoul(rest, &byte, 0);
		while (count--)
			put_hex(g, byte);
	} else {
		bail(g, "no such directive");
	}
}

/* --- the file ---------------------------------------------------------- */

static void
cut_comment(char *line)
{
	bool quoted = false;
	for (; *line && (quoted || *line != '#'); line++)
		if (*line == '"' && line[-1] != '\\')
			quoted = !quoted;
	while (line[-1] && isspace((unsigned char)line[-1]))
		line--;
	*line = '\0';
}

static void
read_expected(struct golden *g, char *line)
{
	if (!isspace((unsigned char)*line)) {
		vec_add(&g->expected)->message = mem_text(line);
		return;
	}
	if (!g->expected.count)
		bail(g, "a message was expected");
	*vec_add(&g->expected.at[g->expected.count - 1].fields) =
	    mem_text(line + strspn(line, " \t"));
}

static void
read_case(struct golden *g, FILE *file)
{
	enum { HEAD, BYTES, EXPECT } part = HEAD;
	char buffer[1024] = "";
	while (fgets(buffer + 1, sizeof buffer - 1, file)) {
		char *line = buffer + 1;
		g->line++;
		cut_comment(line);
		if (!*line)
			continue;
		if (part == EXPECT) {
			read_expected(g, line);
			continue;
		}
		char *rest = line + strcspn(line, " \t");
		rest += strspn(rest, " \t");
		line[strcspn(line, " \t")] = '\0';
		if (strcmp(line, "bytes") == 0) {
			part = BYTES;
		} else if (strcmp(line, "expect") == 0) {
			part = EXPECT;
		} else if (part == BYTES) {
			assemble(g, line, rest);
		} else if (strcmp(line, "decoder") == 0) {
			g->decoder = mem_text(rest);
		} else if (strcmp(line, "option") == 0) {
			*vec_add(&g->options) = mem_text(strsep(&rest, " \t"));
			*vec_add(&g->options) = mem_text(rest);
		} else {
			bail(g, "no such word");
		}
	}
	if (!g->decoder || part != EXPECT)
		bail(g, "decoder, bytes or expect is missing");
}

/* --- comparing --------------------------------------------------------- */

static void
describe(const struct message *m, const struct expansion *e, struct text *to)
{
	text_clear(to);
	text_addf(to, "%" PRIu64 "+%" PRIu32 " %s %s ", m->offset, m->length, text_get(&e->type),
		  severity_name(m->severity));
	if (m->flags & MESSAGE_TIMED)
		text_addf(to, "%" PRIu64, m->ticks);
	else
		text_add(to, "-");
	const char *before = " ";
	for (unsigned bit = 0; bit < MESSAGE_FLAGS_SHOWN; bit++)
		if (m->flags >> bit & 1) {
			text_addf(to, "%s%s", before, message_flag_name(bit));
			before = ",";
		}
	if (*before == ' ')
		text_add(to, " -");
	text_addf(to, " | %s", text_get(&e->text));
}

/* Whether the expansion is as WANT says: NAME=VALUE or !NAME. */
static bool
is_as_wanted(const struct expansion *e, const char *want)
{
	if (*want == '!') {
		for (size_t i = 0; i < e->fields.count; i++)
			if (strcmp(e->fields.at[i].row->name, want + 1) == 0)
				return false;
		return true;
	}
	struct text shown = {0};
	bool found = false;
	size_t name = strcspn(want, "=");
	for (size_t i = 0; i < e->fields.count && !found; i++) {
		const struct field *f = &e->fields.at[i];
		if (strlen(f->row->name) != name || memcmp(f->row->name, want, name) != 0)
			continue;
		if (f->row->type < FIELD_NUMBER) {
			found = f->u == strtoull(want + name + 1, NULL, 0);
		} else {
			text_clear(&shown);
			field_format(f, &shown);
			found = strcmp(text_get(&shown), want + name + 1) == 0;
		}
	}
	text_free(&shown);
	return found;
}

/* decode_history.walk_back, over the list of messages. */
static bool
walk_back(void *context, const struct message *before, uint64_t kinds, uint16_t flags,
	  bool (*each)(void *, const struct message *), void *each_context)
{
	const struct drive_messages *messages = context;
	size_t i = messages->list.count;
	while (i && !message_is_same(&messages->list.at[i - 1], before))
		i--;
	for (i -= i > 0; i; i--) {
		const struct message *m = &messages->list.at[i - 1];
		bool wanted = m->origin == before->origin && kinds >> m->kind & 1;
		if ((wanted || m->flags & flags) && !each(each_context, m))
			break;
	}
	return true;
}

/* Prints what differs as TAP diagnostics; true if nothing does. */
static bool
compare(const struct expected *want, const struct expansion *e, const char *got)
{
	size_t length = strlen(want->message);
	bool any_text = length >= 3 && strcmp(want->message + length - 3, "| *") == 0;
	bool good = any_text ? strncmp(want->message, got, length - 1) == 0
			     : strcmp(want->message, got) == 0;
	if (!good)
		printf("# want %s\n#  got %s\n", want->message, got);
	for (size_t i = 0; i < want->fields.count; i++)
		if (!is_as_wanted(e, want->fields.at[i])) {
			printf("# %s\n# is not %s\n", got, want->fields.at[i]);
			good = false;
		}
	return good;
}

static bool
check(struct golden *g)
{
	struct drive *d = &g->drive;
	struct drive_messages messages;
	struct window w = drive_window(d);
	struct expansion e = {0};
	struct text got = {0};
	bool good = true;
	drive_all(d, &messages);
	const struct decode_history history = {.context = &messages, .walk_back = walk_back};
	for (size_t i = 0; i < messages.list.count; i++) {
		const struct message *m = &messages.list.at[i];
		expansion_clear(&e);
		d->ops->expand(d->decoder, m, &w, EXPAND_FIELDS, &history, &e);
		describe(m, &e, &got);
		if (i < g->expected.count)
			good &= compare(&g->expected.at[i], &e, text_get(&got));
		else
			printf("# too much: %s\n", text_get(&got));
	}
	for (size_t i = messages.list.count; i < g->expected.count; i++)
		printf("# missing: %s\n", g->expected.at[i].message);
	good &= messages.list.count == g->expected.count;
	drive_everything(d);
	vec_free(&messages.list);
	expansion_free(&e);
	text_free(&got);
	return good;
}

/* Runs a case and writes its line of TAP. */
static void
run_case(const char *path, size_t number)
{
	struct golden g = {.path = path};
	FILE *file = fopen(path, "r");
	if (!file)
		bail(&g, strerror(errno));
	read_case(&g, file);
	fclose(file);

	drive_open(&g.drive, g.decoder, g.bytes.at, g.bytes.count);
	for (size_t i = 0; i < g.options.count; i += 2)
		if (!drive_set(&g.drive, g.options.at[i], g.options.at[i + 1]))
			bail(&g, "no such option or value");
	struct err err = {0};
	bool open = drive_try(&g.drive, &err);
	bool left_out = !open && strstr(err.what, "is built without");
	if (!open && !left_out)
		bail(&g, err.what);
	bool good = left_out || check(&g);
	printf("%s %zu - %s%s%s\n", good ? "ok" : "not ok", number, strrchr(path, '/') + 1,
	       left_out ? " # SKIP " : "", err.what);
	drive_close(&g.drive);

	for (size_t i = 0; i < g.expected.count; i++) {
		for (size_t j = 0; j < g.expected.at[i].fields.count; j++)
			vec_release(g.expected.at[i].fields.at[j]);
		vec_free(&g.expected.at[i].fields);
		vec_release(g.expected.at[i].message);
	}
	for (size_t i = 0; i < g.options.count; i++)
		vec_release(g.options.at[i]);
	vec_free(&g.expected);
	vec_free(&g.options);
	vec_free(&g.bytes);
	vec_release(g.decoder);
}

int
main(void)
{
	struct text pattern = {0};
	const char *srcdir = getenv("srcdir");
	glob_t cases;
	text_addf(&pattern, "%s/tests/golden/*.txt", srcdir ? srcdir : ".");
	if (glob(text_get(&pattern), 0, NULL, &cases) != 0)
		printf("Bail out! no cases: %s\n", text_get(&pattern));
	else
		for (size_t i = 0; i < cases.gl_pathc; i++)
			run_case(cases.gl_pathv[i], i + 1);
	printf("1..%zu\n", cases.gl_pathc);
	globfree(&cases);
	text_free(&pattern);
	return 0;
}
