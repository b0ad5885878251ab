/*
 * The file of a session: any note comes back as it was written, and mistakes
 * are told with their place.  Lines and columns are counted by hand.
 */
#include "config.h"

#include "test.h"

#include "config/schema.h"
#include "session/link/sync_options.h"
#include "ui/state.h"

#include <stdio.h>
#include <string.h>

static int
load(const char *text, struct notebook *saved, struct err *err)
{
	*err = (struct err){0};
	return schema_load_text("s.yaml", text, strlen(text), &notebook_options_table, saved, err);
}

static void
test_round_trip(void **state)
{
	(void)state;
	static const char *const notes[] = {
	    "plain",
	    "two words: a colon, # no comment",
	    "\"quoted\" and 'quoted' and \\ and {braces} [too]",
	    "- a dash, ~ a tilde, * and & and !",
	    "tab\there, line\nthere, return\r, bell\a, escape\033[31m, DEL\x7f",
	    "\u00e9\u20ac\U0001f600 \u202e\u2066 \u2028 \xc2\x85 \ufeff \u200b",
	    " blanks around ",
	    "true",
	    "12",
	    "n",
	    "%TAG",
	    "@at `tick` |pipe >more",
	};
	enum { COUNT = sizeof notes / sizeof *notes };
	struct notebook_mark marks[COUNT];
	struct notebook_filter filters[] = {{.filter = (char[]){"lost"}, .hide = true},
					    {.filter = (char[]){"text ~ /\"#: /"}, .off = true}};
	struct sync_options tie = {
	    .kind = SYNC_TIE,
	    .logger = -1,
	    .core = -1,
	    .a = {.trace = (char[]){"a: {b}"}, .ticks = UINT64_MAX, .core = -1},
	    .b = {.trace = (char[]){"#1"}, .ticks = 0, .core = 3}};
	struct notebook saved = {.view = (char[]){"a b/c.yaml"},
				 .severity = 3,
				 .severities = (char[]){"FE-"},
				 .filter = (char[]){"\\d+ \"x\" #[0-9]{2}"},
				 .filters = {.at = filters, .count = 2},
				 .marks = {.at = marks, .count = COUNT},
				 .ties = {.at = &tie, .count = 1}};
	for (size_t i = 0; i < COUNT; i++)
		marks[i] = (struct notebook_mark){.trace = (char *)(i % 2 ? "b: #1" : "a"),
						  .offset = UINT64_MAX - i,
						  .ordinal = i,
						  .letter = (char *)(i % 3 ? NULL : "n"),
						  .note = (char *)notes[i]};
	struct text text = {0};
	struct notebook again;
	struct err err;
	option_write(&notebook_options_table, &saved, &text);
	if (load(text.data, &again, &err) < 0)
		fail_msg("%s\n%s", err.what, text.data);
	assert_string_equal(again.view, saved.view);
	assert_int_equal(again.severity, 3);
	assert_false(again.unassigned);
	assert_string_equal(again.filter, saved.filter);
	assert_string_equal(again.severities, "FE-");
	assert_int_equal(again.filters.count, 2);
	const struct notebook_filter *back = again.filters.at;
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(back[i].filter, filters[i].filter);
		assert_true(back[i].hide == filters[i].hide && back[i].off == filters[i].off);
	}
	assert_int_equal(again.marks.count, COUNT);
	const struct notebook_mark *read = again.marks.at;
	for (size_t i = 0; i < COUNT; i++) {
		assert_string_equal(read[i].trace, marks[i].trace);
		assert_true(read[i].offset == marks[i].offset);
		assert_int_equal(read[i].ordinal, i);
		assert_string_equal(read[i].note, notes[i]);
		assert_true((read[i].letter == NULL) == (marks[i].letter == NULL));
	}
	const struct sync_options *ties = again.ties.at;
	assert_int_equal(again.ties.count, 1);
	assert_int_equal(ties->kind, SYNC_TIE);
	assert_string_equal(ties->a.trace, "a: {b}");
	assert_true(ties->a.ticks == UINT64_MAX && ties->a.core == -1);
	assert_string_equal(ties->b.trace, "#1");
	assert_true(ties->b.ticks == 0 && ties->b.core == 3);
	option_release(&notebook_options_table, &again);
	text_free(&text);
}

/* What is kept of marks that were not saved comes back with what it is about. */
static void
test_state(void **state)
{
	(void)state;
	struct state_capture captures[] = {{.file = (char[]){"/a: b\xff"},
					    .size = UINT64_MAX,
					    .samples = (char[]){"00000001-2-3"}},
					   {.file = (char[]){"/c"}, .samples = (char[]){"0-0-0"}}};
	struct notebook_mark marks[] = {
	    {.trace = (char[]){"c"}, .offset = 7, .note = (char[]){"n: \"x\""}}};
	struct state_file kept = {.captures = {captures, 2}, .notebook.marks = {marks, 1}}, again;
	struct text text = {0};
	struct err err = {0};
	option_write(&state_options_table, &kept, &text);
	if (schema_load_text("s.yaml", text.data, text.length, &state_options_table, &again, &err))
		fail_msg("%s\n%s", err.what, text.data);
	const struct state_capture *read = again.captures.at;
	assert_int_equal(again.captures.count, 2);
	assert_true(read[0].size == UINT64_MAX && !read[1].size);
	assert_string_equal(read[0].samples, "00000001-2-3");
	assert_string_equal(read[1].file, "/c");
	const struct notebook_mark *mark = again.notebook.marks.at;
	assert_int_equal(again.notebook.marks.count, 1);
	assert_string_equal(mark->note, "n: \"x\"");
	assert_int_equal(mark->offset, 7);
	option_release(&state_options_table, &again);
	text_free(&text);
}

/* Bytes that are no text do not make the file unreadable. */
static void
test_bad_bytes(void **state)
{
	(void)state;
	struct notebook_mark mark = {.trace = (char[]){"a\xff"},
				     .note = (char[]){"\xc3(\xed\xa0\x80 end"}};
	struct notebook saved = {.marks = {.at = &mark, .count = 1}}, again;
	struct text text = {0};
	struct err err;
	option_write(&notebook_options_table, &saved, &text);
	assert_int_equal(load(text.data, &again, &err), 0);
	const struct notebook_mark *read = again.marks.at;
	assert_string_equal(read->trace, "a\ufffd");
	assert_string_equal(read->note, "\ufffd(\ufffd\ufffd\ufffd end");
	option_release(&notebook_options_table, &again);
	text_free(&text);
}

static void
test_mistakes(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} rows[] = {
	    {"marks:\n- {trace: a}\n", "s.yaml:2:3: marks[0] has no offset; expected offset: byte"},
	    {"marks: [{trace: a, offset: 1, letter: ab}]\n",
	     "s.yaml:1:39: marks[0].letter is \"ab\"; expected a letter, a to z or A to Z"},
	    {"marks: [{trace: a, offset: 1, letter: \"*\"}]\n", "s.yaml:1:39: marks[0].letter is"},
	    {"marks: [{trace: a, offset: 1, ordinal: 4294967296}]\n",
	     "s.yaml:1:40: marks[0].ordinal is \"4294967296\"; expected a number from 0 to"},
	    {"sync: [{kind: offset, trace: a, seconds: 1}]\n", "s.yaml:1:7: sync: only ties"},
	    {"sync: [{kind: tie, a: {trace: a, ticks: 1}}]\n", "s.yaml:1:7: sync: only ties"},
	    {"severity: loud\n", "s.yaml:1:11: severity is \"loud\"; expected one of all fatal"},
	    {"mark: []\n", "s.yaml:1:1: unknown key mark in the file; did you mean marks?"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct notebook saved;
		struct err err;
		assert_int_equal(load(rows[i].text, &saved, &err), ERR_CONFIG);
		if (strncmp(err.what, rows[i].error, strlen(rows[i].error)) != 0)
			fail_msg("\"%s\", not \"%s\"", err.what, rows[i].error);
		assert_int_equal(saved.marks.count, 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_state),
	    cmocka_unit_test(test_bad_bytes),
	    cmocka_unit_test(test_mistakes),
	};
	return cmocka_run_group_tests_name("notebook", tests, NULL, NULL);
}
