/*
 * Times that step back, by filter, summaries and single looks, against a list of the last
 * time of each origin: captures written one behind the other, so that all times start
 * again, damaged ones, and a session with clocks that start again.
 */
#include "config.h"

#include "test.h"

#include "base/map.h"
#include "config/profile.h"
#include "folder.h"
#include "mk_syst.h"
#include "query/filter/filter.h"
#include "query/gap/step_back.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "session_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct totals {
	size_t steps, messages, cells, ruled_out;
};

/* Looks at each message of a trace in three ways. */
static void
check_trace(struct trace *trace, struct totals *totals)
{
	struct session *session = session_of(trace);
	struct reader *reader = reader_new(trace), *other = reader_new(trace);
	struct filter filter = filter_all();
	struct expansion e = {0};
	struct step_back *step = step_back_new(trace);
	struct map last = {0};
	struct message m;
	filter.expr = filter_parse("steps_back", session, NULL);
	assert_non_null(filter.expr);
	uint64_t cells = index_known(trace_index(trace));
	bool *any = mem_new((size_t)cells + 1);
	while (reader_walk(reader, &m, 1)) {
		uint64_t now, cell = message_id_offset(&m) / index_cell_size(trace_index(trace));
		bool want = false, first = !map_find(&last, m.origin);
		if (step_back_order(trace, &m, &now)) {
			uint64_t *known = map_add(&last, m.origin);
			want = !first && now < *known;
			*known = now;
		}
		struct position at;
		assert_true(reader_find_message(other, &m, &at));
		assert_int_equal(
		    step_back_test(step, reader_decoded_cell(other, at.cell), at.at, 0), want);
		assert_int_equal(filter_match(&filter, other, &m, &e), want);
		any[cell < cells ? cell : cells] |= want;
		totals->steps += want;
		totals->messages++;
	}
	for (uint64_t cell = 0; cell < cells; cell++) {
		bool none = filter_judge(&filter, trace, cell) == FILTER_NONE;
		assert_false(none && any[cell]);
		totals->ruled_out += none;
		totals->cells++;
	}
	free(any);
	map_free(&last);
	step_back_free(step);
	expansion_free(&e);
	filter_free(&filter);
	reader_free(reader);
	reader_free(other);
}

/* Captures that OPTIONS make (NULL: none), one behind the other. */
static struct totals
check_capture(const char *first, const char *second)
{
	const char *maker = getenv("MKCAPTURE"), *options[] = {first, second};
	char path[64] = "/tmp/trawl-step-XXXXXX", command[512];
	struct session session = {0};
	struct totals totals = {0};
	struct err err = {0};
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	for (int i = 0; i < 2 && options[i]; i++) {
		snprintf(command, sizeof command,
			 "'%s' %s -o %s.part && cat %s.part >> %s; rm %s.part", maker, options[i],
			 path, path, path, path);
		assert_int_equal(system(command), 0);
	}
	assert_non_null(session_open(&session, path, NULL, NULL, 0, &err));
	session_link(&session);
	trace_build(session.traces.at[0]);
	clocks_load(session.clocks, true);
	check_trace(session.traces.at[0], &totals);
	session_close(&session);
	remove(path);
	return totals;
}

static void
test_captures(void **state)
{
	(void)state;
	struct totals rising = check_capture("-c 60000", NULL);
	assert_int_equal(rising.steps, 0);
	assert_int_equal(rising.ruled_out, rising.cells);

	/* each origin steps back once, in whichever cell it comes next */
	struct totals twice = check_capture("-c 60000", "-c 60000");
	assert_true(twice.steps > 3);
	assert_true(twice.ruled_out >= twice.cells / 3);

	/* the second one goes on behind the first for most of its length */
	struct totals longer = check_capture("-c 2000", "-c 60000");
	assert_true(longer.steps > 0);
	assert_true(longer.ruled_out > longer.cells / 2);

	struct totals damaged =
	    check_capture("-m all -c 20000 --damage=cut,flip,drop,garbage --rate=0.02", NULL);
	assert_true(damaged.steps > 0);
	check_capture("-f syst/stp -m all -c 20000 --damage=flip,drop", NULL);
	check_capture("-f csel -c 5000", NULL);
	check_capture("-f gem -m all -c 20000", NULL);
}

/* Times start again, and an origin that is rare steps back cells later, where nothing
 * else does. */
static void
test_rare(void **state)
{
	enum { BEFORE = 3000, BEHIND = 9000, RARE = 6000 };
	struct folder folder;
	struct session session = {0};
	struct totals totals = {0};
	struct err err = {0};
	static struct mk_message m;
	static uint8_t bytes[MK_MESSAGE_MAX];
	char text[64];
	(void)state;
	memset(text, 'x', sizeof text);
	folder_make(&folder);
	FILE *file = fopen(folder_path(&folder, "t.bin"), "w");
	assert_non_null(file);
	for (int i = 0; i < BEFORE + BEHIND; i++) {
		mk_begin(&m, MK_STRING, MK_GENERIC, MK_INFO);
		mk_string(&m, text, sizeof text, false);
		m.module = i == BEFORE / 2 || i == BEFORE + RARE ? 2 : 1;
		m.has_length = m.has_time = true;
		m.time = i < BEFORE ? 100000 + (uint64_t)i : (uint64_t)(i - BEFORE);
		fwrite(bytes, 1, mk_encode(&m, bytes), file);
	}
	fclose(file);
	folder_put_text(&folder, "t.yaml", "traces:\n  - {file: t.bin, format: syst/raw}\n");
	assert_true(profile_load(folder_path(&folder, "t.yaml"), &session.profile, &err) >= 0);
	assert_int_equal(session_open_named(&session, NULL, 0, &err), 1);
	session_link(&session);
	trace_build(session.traces.at[0]);
	clocks_load(session.clocks, true);
	check_trace(session.traces.at[0], &totals);
	assert_int_equal(totals.messages, BEFORE + BEHIND);
	assert_int_equal(totals.steps, 2);
	assert_true(totals.ruled_out > 0);
	session_close(&session);
	folder_remove(&folder);
}

static void
test_session(void **state)
{
	struct session_fixture f;
	struct totals totals = {0};
	(void)state;
	session_fixture_open(&f, "-c 20000 --rate=0.1 --seed=3", NULL);
	session_fixture_load(&f);
	for (size_t i = 0; i < f.session.traces.count; i++)
		check_trace(f.session.traces.at[i], &totals);
	assert_true(totals.messages > 10000);
	session_fixture_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_captures),
	    cmocka_unit_test(test_rare),
	    cmocka_unit_test(test_session),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
