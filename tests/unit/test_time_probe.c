/*
 * Where times are in a trace without an index, and where a filter by time begins, against
 * a list of the messages and their times.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "folder.h"
#include "query/filter/filter.h"
#include "query/time_probe.h"
#include "random.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 200 };

struct fixture {
	struct folder folder;
	struct session session;
	struct trace *trace;
	VEC(int64_t) times; /* of each message, the one before's if it has none */
};

static void
open_fixture(struct fixture *f, const char *format, const char *clock)
{
	struct text profile = {0};
	char command[512];
	struct err err = {0};
	memset(f, 0, sizeof *f);
	folder_make(&f->folder);
	snprintf(command, sizeof command, "%s -f %s -n 3M -o %s", getenv("MKCAPTURE"), format,
		 folder_path(&f->folder, "t.bin"));
	assert_int_equal(system(command), 0);
	text_addf(&profile, "traces:\n  - {file: t.bin, format: %s%s}\n", format, clock);
	folder_put_text(&f->folder, "t.yaml", text_get(&profile));
	text_free(&profile);
	assert_true(profile_load(folder_path(&f->folder, "t.yaml"), &f->session.profile, &err) >=
		    0);
	assert_int_equal(session_open_named(&f->session, NULL, 0, &err), 1);
	session_link(&f->session);
	f->trace = f->session.traces.at[0];
	struct reader *reader = reader_new(f->trace);
	struct message m;
	while (reader_walk(reader, &m, 1)) {
		struct message_time time;
		int64_t last = f->times.count ? f->times.at[f->times.count - 1] : INT64_MIN;
		*vec_add(&f->times) =
		    clocks_transport_time(f->trace, &m, &time) ? time.order : last;
	}
	reader_free(reader);
	assert_true(f->times.count > 10000);
}

static void
close_fixture(struct fixture *f)
{
	vec_free(&f->times);
	session_close(&f->session);
	folder_remove(&f->folder);
}

static void
probe(const char *format, const char *clock)
{
	struct fixture f;
	struct reader *reader;
	uint64_t seed = 7;
	open_fixture(&f, format, clock);
	reader = reader_new(f.trace);
	for (unsigned i = 0; i < TIMES; i++) {
		struct position at;
		struct message_time found;
		size_t first = 0;
		int64_t time = f.times.at[random_below(&seed, f.times.count)] + (int64_t)(i % 3);
		while (first < f.times.count && f.times.at[first] < time)
			first++;
		assert_true(time_probe(reader, time, &at));
		assert_true(clocks_transport_time(f.trace, reader_message(reader, at), &found));
		if (first < f.times.count)
			assert_int_equal(found.order, f.times.at[first]);
	}
	assert_int_equal(index_known(trace_index(f.trace)), 0);
	reader_free(reader);
	close_fixture(&f);
}

static void
test_probe(void **state)
{
	(void)state;
	probe("syst/raw", ", clock: {hz: 1000000}");
	probe("syst/stp", "");
}

static void
test_begin(void **state)
{
	static const struct {
		const char *text;
		int64_t begin; /* after the first time; -1: there is none */
	} rows[] = {
	    {"time >= +5ms", 5000000},
	    {"time in {+9ms, +3ms..+4ms} and severity <= error", 3000000},
	    {"time >= +1ms and time <= +2ms and (time > +1500us and text ~ /a/)", 1500000},
	    {"time <= +2ms", -1},
	    {"time >= +1ms or severity <= error", -1},
	    {"not time <= +1ms", -1},
	    {"time", -1},
	};
	struct fixture f;
	size_t first = 0;
	(void)state;
	open_fixture(&f, "syst/raw", ", clock: {hz: 1000000}");
	while (f.times.at[first] == INT64_MIN)
		first++;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct filter filter = filter_all();
		int64_t time;
		filter.expr = filter_parse(rows[i].text, &f.session, NULL);
		assert_non_null(filter.expr);
		assert_int_equal(filter_find_begin(&filter, f.trace, &time), rows[i].begin >= 0);
		if (rows[i].begin >= 0)
			assert_int_equal(time, f.times.at[first] + rows[i].begin);
		filter_free(&filter);
	}
	close_fixture(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_probe),
	    cmocka_unit_test(test_begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
