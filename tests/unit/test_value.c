/*
 * Values of messages under names: of a message of demo.stp whose bytes testdata's generator
 * tells (message 3: 775 ticks of 38.4 MHz after the one before), of a field of each type, of
 * contexts of lab.yaml; and names that are none.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "query/gap/gap.h"
#include "query/value.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
	struct session session;
	char *collateral;
	struct reader *reader;
	struct expansion expansion;
	struct value_look look;
};

static char *
data_path(const char *name)
{
	char path[512];
	const char *folder = getenv("srcdir");
	snprintf(path, sizeof path, "%s/testdata/%s", folder ? folder : ".", name);
	return mem_text(path);
}

static void
open_fixture(struct fixture *f, const char *profile, const char *capture, const char *trace)
{
	struct err err = {0};
	char *path = data_path(profile);
	memset(f, 0, sizeof *f);
	assert_int_equal(profile_load(path, &f->session.profile, &err), 0);
	f->session.profile_path = path;
	if (capture) {
		char *captured = data_path(capture);
		f->collateral = data_path("demo.xml");
		assert_non_null(session_open(&f->session, captured, NULL, &f->collateral, 1, &err));
		free(captured);
	} else if (session_open_named(&f->session, NULL, 0, &err) < 0) {
		fail_msg("%s", err.what);
	}
	for (size_t i = 0; i < f->session.traces.count; i++)
		assert_true(trace_load(f->session.traces.at[i], &err) >= 0);
	session_link(&f->session);
	session_build(&f->session);
	clocks_load(f->session.clocks, true);
	if (f->session.contexts)
		contexts_load(f->session.contexts);
	for (size_t i = 0; i < f->session.traces.count; i++)
		if (!strcmp(trace_name(f->session.traces.at[i]), trace))
			f->reader = reader_new(f->session.traces.at[i]);
	assert_non_null(f->reader);
	f->look = (struct value_look){
	    .reader = f->reader, .expansion = &f->expansion, .gaps = gap_cursor_new(&f->session)};
	if (f->session.contexts)
		f->look.contexts = context_cursor_new(f->session.contexts, reader_trace(f->reader));
}

static void
close_fixture(struct fixture *f)
{
	gap_cursor_free(f->look.gaps);
	context_cursor_free(f->look.contexts);
	expansion_free(&f->expansion);
	reader_free(f->reader);
	free((char *)f->session.profile_path);
	session_close(&f->session);
	free(f->collateral);
}

/* The value of message NUMBER, and how people read it; borrowed until the next call. */
static const char *
find_value(struct fixture *f, uint64_t number, const char *text, struct value *value)
{
	static char words[256];
	struct err err = {0};
	struct position at;
	enum expand_want want;
	bool exact;
	struct text out = {0};
	struct value_name *name = value_name_new(text, &f->session, &err);
	if (!name)
		fail_msg("%s", err.what);
	assert_string_equal(value_name_text(name), text);
	assert_true(reader_find_number(f->reader, number, &at, &exact));
	const struct message m = *reader_message(f->reader, at);
	expansion_clear(&f->expansion);
	if (value_expands(name, &want))
		reader_expand(f->reader, &m, want, &f->expansion);
	f->look.message = &m;
	f->look.number = number;
	value_get(name, &f->look, value);
	value_add(name, value, &out);
	snprintf(words, sizeof words, "%s", text_get(&out));
	text_free(&out);
	value_name_free(name);
	return words;
}

#define assert_words(f, number, name, words)                                                       \
	assert_string_equal(find_value(f, number, name, &value), words)

static void
values_are_those_of_the_message(void **state)
{
	struct fixture f;
	struct value value;
	(void)state;
	open_fixture(&f, "demo.profile.yaml", "demo.stp", "board");
	assert_words(&f, 3, "severity", "INFO");
	assert_int_equal(value.type, VALUE_TEXT);
	assert_words(&f, 3, "trace", "board");
	assert_words(&f, 3, "origin", "boot rom");
	assert_words(&f, 3, "type", "STRING:PRINTF32");
	assert_words(&f, 3, "text", "reset cause 0x00 (power-on)");
	assert_words(&f, 3, "kind", "string");
	assert_words(&f, 3, "flags", "");
	assert_words(&f, 3, "trace_number", "3");
	assert_words(&f, 3, "offset", "78");
	assert_words(&f, 3, "length", "66");
	assert_words(&f, 3, "ticks", "775");
	assert_int_equal(value.type, VALUE_UNSIGNED);
	assert_words(&f, 3, "time", "0.000020182");
	assert_int_equal(value.type, VALUE_SIGNED);
	assert_int_equal(value.i, 20182);
	assert_words(&f, 3, "gap", "20.182 us");
	assert_int_equal(value.u, 20182);
	assert_false(value.ticks);
	assert_words(&f, 3, "delta", "20.182 us");
	assert_words(&f, 0, "time", "");
	assert_int_equal(value.type, VALUE_ABSENT);
	assert_words(&f, 0, "ticks", "");
	assert_words(&f, 0, "gap", "");
	close_fixture(&f);
}

static void
fields_have_their_types(void **state)
{
	struct fixture f;
	struct value value;
	long double number;
	(void)state;
	open_fixture(&f, "demo.profile.yaml", "demo.stp", "board");
	assert_words(&f, 3, "master", "1");
	assert_true(value_number(&value, &number));
	assert_true(number == 1);
	assert_words(&f, 3, "syst.master", "1");
	assert_words(&f, 3, "encap.type", "");
	assert_int_equal(value.type, VALUE_ABSENT);
	assert_false(value_number(&value, &number));
	assert_words(&f, 3, "guid", "{2f816c0a-5d90-4e2b-8c11-7a409be35201}");
	assert_int_equal(value.type, VALUE_TEXT);
	assert_words(&f, 5, "module", "33");
	assert_words(&f, 3, "module", "");
	close_fixture(&f);
}

static void
contexts_are_texts(void **state)
{
	struct fixture f;
	struct value value;
	uint64_t idle = 0, known = 0;
	(void)state;
	open_fixture(&f, "lab.yaml", NULL, "log");
	bool exact;
	uint64_t count = reader_count(f.reader, &exact);
	for (uint64_t i = 0; i < count; i++) {
		const char *words = find_value(&f, i, "context.task", &value);
		known += value.type == VALUE_TEXT;
		idle += !strcmp(words, "idle");
	}
	assert_true(idle > 0 && idle < known);
	close_fixture(&f);
}

static void
what_is_no_name_is_told(void **state)
{
	struct fixture f;
	struct err err = {0};
	(void)state;
	assert_null(value_name_new("sevrity", NULL, &err));
	assert_string_equal(err.what, "no column is named \"sevrity\"; did you mean severity?");
	assert_null(value_name_new("encap.master", NULL, &err));
	open_fixture(&f, "lab.yaml", NULL, "log");
	assert_null(value_name_new("context.tusk", &f.session, &err));
	assert_string_equal(err.what, "no context is named tusk; did you mean task?");
	struct value_name *name = value_name_new("context.tusk", NULL, &err);
	assert_non_null(name);
	assert_int_equal(value_needs(name), VALUE_NEEDS_CONTEXTS);
	value_name_free(name);
	close_fixture(&f);
}

static void
assert_duration(struct value value, const char *want)
{
	struct text out = {0};
	value_add_duration(&value, &out);
	assert_string_equal(text_get(&out), want);
	text_free(&out);
}

/* Whole numbers are exact up to the last one, and what leads back in time has a minus. */
static void
durations_have_signs(void **state)
{
	(void)state;
	assert_duration((struct value){.type = VALUE_UNSIGNED, .ticks = true, .u = UINT64_MAX},
			"18446744073709551615");
	assert_duration((struct value){.type = VALUE_UNSIGNED, .ticks = true, .u = 1ull << 63 | 1},
			"9223372036854775809");
	assert_duration((struct value){.type = VALUE_SIGNED, .ticks = true, .i = INT64_MIN},
			"-9223372036854775808");
	assert_duration((struct value){.type = VALUE_SIGNED, .ticks = true, .i = -14442433},
			"-14442433");
	assert_duration((struct value){.type = VALUE_SIGNED, .i = -1500000}, "-1.500 ms");
	assert_duration((struct value){.type = VALUE_REAL, .ticks = true, .d = -2.6}, "-3");
	assert_duration((struct value){.type = VALUE_REAL, .ticks = true, .d = -0.4}, "0");
	assert_duration((struct value){.type = VALUE_REAL, .d = 1499.5}, "1.500 us");
	/* by bc: 2^64 - 2048 and 2^64, 2^70 / 10^9 */
	assert_duration(
	    (struct value){.type = VALUE_REAL, .ticks = true, .d = 0x1.fffffffffffffp63},
	    "18446744073709549568");
	assert_duration((struct value){.type = VALUE_REAL, .ticks = true, .d = 0x1p64},
			"18446744073709551616");
	assert_duration((struct value){.type = VALUE_REAL, .d = 0x1p70}, "1180591620717 s");
	assert_duration((struct value){.type = VALUE_REAL, .d = -0x1p70}, "-1180591620717 s");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_are_those_of_the_message),
	    cmocka_unit_test(fields_have_their_types),
	    cmocka_unit_test(contexts_are_texts),
	    cmocka_unit_test(what_is_no_name_is_told),
	    cmocka_unit_test(durations_have_signs),
	};
	return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
