/*
 * The captures in testdata/ against what mkcapture says it sent: every
 * message at its offset with its length, time, severity, type, text and
 * fields.  The truth comes from an encoder that shares no code with the
 * decoders.  In damaged captures, what was not damaged must still be there.
 */
#include "config.h"

#include "test.h"

#include "base/text.h"
#include "base/vec.h"
#include "decode/syst/syst.h"
#include "samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a line of truth, before the fields. */
enum column { OFFSET, LENGTH, TICKS, STATE, SEVERITY, TYPE, TEXT, FIELDS };

struct truth {
	char *column[FIELDS + 32];
	size_t columns;
	uint64_t offset;
};

struct capture {
	const struct sample *sample;
	struct drive drive;
	struct drive_messages messages;
	char *bytes, *lines; /* as read */
	VEC(struct truth) truth;
	struct expansion expansion;
	struct text shown;
	void *memory; /* of expand */
};

static void
read_truth(struct capture *c, const char *name)
{
	char file[64];
	size_t length;
	snprintf(file, sizeof file, "%s.truth.tsv", name);
	c->lines = sample_read_file(file, &length);
	char *rest = c->lines;
	strsep(&rest, "\n"); /* the head */
	for (char *line; (line = strsep(&rest, "\n")) && *line;) {
		struct truth *t = vec_add(&c->truth);
		while (line && t->columns < sizeof t->column / sizeof *t->column)
			t->column[t->columns++] = strsep(&line, "\t");
		assert_true(t->columns >= FIELDS);
		t->offset = strtoull(t->column[OFFSET], NULL, 10);
	}
}

static void
set_collateral(struct capture *c)
{
	const struct sample *sample = c->sample;
	if (!sample->collateral)
		return;
	struct syst_options *options = c->drive.options;
	struct text path = {0};
	const char *srcdir = getenv("srcdir");
	text_addf(&path, "%s/testdata/%s", srcdir ? srcdir : ".", sample->collateral);
	options->guid = mem_text("{7b1c0de5-3f52-4c1a-9d86-52a1f00dca75}");
	options->collateral.at = mem_new(sizeof(char *));
	options->collateral.count = 1;
	*(char **)options->collateral.at = mem_text(path.data);
	text_free(&path);
}

static void
open_capture(struct capture *c, const struct sample *sample)
{
	size_t length;
	*c = (struct capture){.sample = sample};
	c->bytes = sample_read(sample, &length);
	sample_open(sample, &c->drive, c->bytes, length);
	set_collateral(c);
	drive_start(&c->drive);
	struct err err = {0};
	if (sample->collateral && c->drive.ops->load(c->drive.decoder, &err) != 1)
		fail_msg("%s", err.what);
	c->memory = mem_new(c->drive.ops->memory_size + 1);
	drive_all(&c->drive, &c->messages);
	read_truth(c, sample->name);
}

static void
close_capture(struct capture *c)
{
	drive_close(&c->drive);
	vec_free(&c->messages.list);
	vec_free(&c->truth);
	expansion_free(&c->expansion);
	text_free(&c->shown);
	vec_release(c->bytes);
	vec_release(c->lines);
	vec_release(c->memory);
}

/* The build number that the sender of GUID announced last before a message:
 * a plain walk over the truth's side of things. */
static bool
last_build(void *context, const struct message *before, const uint8_t guid[16], uint64_t *value)
{
	const struct capture *c = context;
	struct window w = drive_window(&c->drive);
	struct expansion e = {0};
	bool found = false;
	for (size_t i = c->messages.list.count; i-- && !found;) {
		const struct message *m = &c->messages.list.at[i];
		if (message_id_offset(m) >= message_id_offset(before) ||
		    !(c->drive.ops->kinds_history >> m->kind & 1))
			continue;
		expansion_clear(&e);
		c->drive.ops->expand(c->drive.decoder, m, &w, EXPAND_FLAGS, NULL, &e);
		found = e.announces && memcmp(e.guid, guid, sizeof e.guid) == 0;
	}
	*value = e.build;
	expansion_free(&e);
	return found;
}

static bool
walk_back(void *context, const struct message *before, uint64_t kinds, uint16_t flags,
	  bool (*each)(void *, const struct message *), void *each_context)
{
	const struct capture *c = context;
	for (size_t i = c->messages.list.count; i--;) {
		const struct message *m = &c->messages.list.at[i];
		bool own = m->origin == before->origin && kinds >> m->kind & 1;
		if (m->offset < before->offset && (own || m->flags & flags) &&
		    !each(each_context, m))
			break;
	}
	return true;
}

static void
expand(struct capture *c, const struct message *m)
{
	struct window w = drive_window(&c->drive);
	struct decode_history history = {
	    .context = c, .build = last_build, .walk_back = walk_back, .memory = c->memory};
	expansion_clear(&c->expansion);
	c->drive.ops->expand(c->drive.decoder, m, &w, EXPAND_FIELDS, &history, &c->expansion);
	drive_check_numbers(&c->expansion);
}

/* TEXT as the truth writes it. */
static const char *
escaped(struct text *to, const char *text, size_t length)
{
	text_clear(to);
	for (size_t i = 0; i < length; i++) {
		unsigned char ch = (unsigned char)text[i];
		if (ch < ' ' || ch == '\\' || ch == 0x7f)
			text_addf(to, "\\x%02x", ch);
		else
			text_add_char(to, (char)ch);
	}
	return text_get(to);
}

static bool
is_value(struct capture *c, const struct field *f, const char *value)
{
	enum field_type type = f->row->type;
	if (type == FIELD_UINT || type == FIELD_HEX || type == FIELD_HEXTEXT || type == FIELD_BOOL)
		return f->u == strtoull(value, NULL, 0);
	text_clear(&c->shown);
	field_format(f, &c->shown);
	return strcmp(text_get(&c->shown), value) == 0;
}

/* Whether the message has the field `name=value`; numbers are compared as
 * numbers.  Members of lists share a name: one of them must have the value. */
static bool
has_field(struct capture *c, const char *want)
{
	const char *value = strchr(want, '=');
	size_t length = (size_t)(value++ - want);
	for (size_t i = 0; i < c->expansion.fields.count; i++) {
		const struct field *f = &c->expansion.fields.at[i];
		if (strlen(f->row->name) == length && memcmp(f->row->name, want, length) == 0 &&
		    f->row->type != FIELD_GROUP && is_value(c, f, value))
			return true;
	}
	return false;
}

/* What is wrong with M, which should be T; NULL if nothing. */
static const char *
difference(struct capture *c, const struct message *m, const struct truth *t)
{
	if (m->offset != t->offset)
		return "offset";
	if (m->length != strtoull(t->column[LENGTH], NULL, 10))
		return "length";
	if (strcmp(t->column[STATE], "other") == 0)
		return NULL;
	if (strcmp(t->column[TICKS], "-") == 0
		? m->flags & MESSAGE_TIMED && (!c->sample->collateral || m->kind < SYST_STP_ASYNC)
		: !(m->flags & MESSAGE_TIMED) || m->ticks != strtoull(t->column[TICKS], NULL, 10))
		return "ticks";
	if (strcmp(severity_name(m->severity), t->column[SEVERITY]) != 0)
		return "severity";

	expand(c, m);
	if (strcmp(text_get(&c->expansion.type), t->column[TYPE]) != 0)
		return "type";
	const struct text *text = &c->expansion.text;
	if (strcmp(t->column[TEXT], "*") != 0 &&
	    strcmp(escaped(&c->shown, text_get(text), text->length), t->column[TEXT]) != 0)
		return "text";
	for (size_t i = FIELDS; i < t->columns; i++)
		if (!has_field(c, t->column[i]))
			return t->column[i];
	bool bad_crc = strcmp(t->column[STATE], "bad-crc") == 0;
	if (!!(m->flags & MESSAGE_DAMAGED) != bad_crc && !bad_crc)
		return "flags";
	return NULL;
}

static void
complain(struct capture *c, const char *name, size_t i, const struct message *m, const char *what)
{
	const struct truth *t = &c->truth.at[i];
	expand(c, m);
	print_error("%s: message %zu at %s+%s (%s): %s differs; got %" PRIu64 "+%" PRIu32
		    " %s flags %x ticks %" PRIu64 ": %.200s; want %.200s\n",
		    name, i, t->column[OFFSET], t->column[LENGTH], t->column[TYPE], what, m->offset,
		    m->length, text_get(&c->expansion.type), m->flags, m->ticks,
		    text_get(&c->expansion.text), t->column[TEXT]);
}

/* Everything, in order, and nothing else. */
static void
check_exactly(const struct sample *sample)
{
	struct capture c;
	unsigned bad = 0;
	open_capture(&c, sample);
	for (size_t i = 0; i < c.truth.count && i < c.messages.list.count && bad < 5; i++) {
		const struct message *m = &c.messages.list.at[i];
		const char *what = difference(&c, m, &c.truth.at[i]);
		if (what) {
			complain(&c, sample->name, i, m, what);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
	assert_int_equal(c.messages.list.count, c.truth.count);
	close_capture(&c);
}

/* All that was not damaged, up to `spare` messages that damage before them hides. */
static void
check_survivors(const struct sample *sample)
{
	struct capture c;
	unsigned missing = 0;
	open_capture(&c, sample);
	for (size_t i = 0; i < c.truth.count; i++) {
		const struct truth *t = &c.truth.at[i];
		const struct message *best = NULL;
		if (strcmp(t->column[STATE], "ok") != 0)
			continue;
		for (size_t j = 0; j < c.messages.list.count; j++) {
			const struct message *m = &c.messages.list.at[j];
			if (m->offset == t->offset && (!best || !difference(&c, m, t)))
				best = m;
		}
		const char *what = best ? difference(&c, best, t) : "presence";
		if (what && missing++ >= sample->spare && missing < sample->spare + 5)
			complain(&c, sample->name, i, best ? best : c.messages.list.at, what);
	}
	assert_in_range(missing, 0, sample->spare);
	close_capture(&c);
}

static void
test_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < sample_count; i++)
		if (!samples[i].damaged)
			check_exactly(&samples[i]);
}

static void
test_damaged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sample_count; i++)
		if (samples[i].damaged)
			check_survivors(&samples[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_whole),
	    cmocka_unit_test(test_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
