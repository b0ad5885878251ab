/*
 * Counts of the timeline against a naive count over all messages: refined they
 * are equal for any window; at first sight no message is left out, and no column
 * that has one is blank.
 */
#include "config.h"

#include "test.h"

#include "query/density.h"
#include "session_fixture.h"
#include "trace/clocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stood {
	int64_t time;
	uint64_t origin;
	uint16_t flags;
	uint8_t severity;
};
typedef VEC(struct stood) stoods;

/* Where each message of a trace stands: at its time; without one at the latest
 * before it, or, before there is any, at the earliest of the first cell that has
 * one.  Of a trace without times at its place. */
static stoods
naive(struct trace *trace)
{
	stoods all = {0};
	VEC(int64_t) places = {0};
	struct reader *reader = reader_new(trace);
	struct message m;
	uint64_t size = index_cell_size(trace_index(trace)), start_cell = UINT64_MAX;
	int64_t latest = INT64_MIN, start = INT64_MAX;
	bool any = false;
	while (reader_walk(reader, &m, 1)) {
		struct message_time time;
		bool timed = clocks_time(trace, &m, NULL, &time);
		if (timed && start_cell == UINT64_MAX)
			start_cell = message_place(&m) / size;
		if (timed && message_place(&m) / size == start_cell && time.order < start)
			start = time.order;
		if (timed && time.order > latest)
			latest = time.order;
		any |= timed;
		*vec_add(&all) =
		    (struct stood){timed ? time.order : latest, m.origin, m.flags, m.severity};
		if (!any) /* its place, if no other has a time either */
			*vec_add(&places) = (int64_t)message_place(&m);
	}
	reader_free(reader);
	for (size_t i = 0; i < all.count; i++)
		if (all.at[i].time == INT64_MIN)
			all.at[i].time = any ? start : places.at[i];
	vec_free(&places);
	return all;
}

static void
check_lane(const stoods *all, const struct density_lane *lane, const struct density_answer *answer,
	   const struct density_column *columns)
{
	const uint16_t shown = MESSAGE_LOST | MESSAGE_DAMAGED | MESSAGE_SYNC;
	const struct density_window *w = &answer->window;
	struct density_column *expected = mem_new(w->columns * sizeof *expected);
	for (size_t i = 0; i < all->count; i++) {
		const struct stood *m = &all->at[i];
		if (m->time < w->from || (lane->by_origin && m->origin != lane->origin))
			continue;
		uint64_t c = (uint64_t)(m->time - w->from) / w->step;
		if (c >= w->columns)
			continue;
		expected[c].severities[m->severity]++;
		expected[c].flags |= m->flags & shown;
	}
	for (size_t c = 0; c < w->columns; c++) {
		uint64_t sum = 0, own = 0;
		for (int s = 0; s < SEVERITY_COUNT; s++) {
			sum += expected[c].severities[s];
			own += columns[c].severities[s];
		}
		if (answer->refined) {
			assert_memory_equal(columns[c].severities, expected[c].severities,
					    sizeof expected[c].severities);
			if (!lane->by_origin)
				assert_int_equal(columns[c].flags & shown, expected[c].flags);
			assert_int_equal(columns[c].guessed, 0);
		} else if (sum) {
			assert_true(own || columns[c].open);
			if (!lane->by_origin)
				assert_int_equal(expected[c].flags & ~columns[c].flags, 0);
		}
	}
	free(expected);
}

static uint64_t
total(const struct density_answer *answer)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < answer->lanes * answer->window.columns; i++)
		for (int s = 0; s < SEVERITY_COUNT; s++)
			sum += answer->columns[i].severities[s];
	return sum;
}

/* All of it, then smaller and smaller windows around several moments. */
static void
check_windows(struct session *session, size_t trace, const struct density_lane *lanes, size_t count)
{
	struct density *d = density_new(session);
	const struct density_sender nobody = {0};
	static const size_t widths[] = {1, 7, 64, 200};
	stoods *all = mem_new(count * sizeof *all);
	for (size_t i = 0; i < count; i++)
		all[i] = naive(session->traces.at[lanes[i].trace]);
	for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
		struct density_window w = {.trace = trace, .fit = true, .columns = widths[k]};
		const struct density_answer *answer = density_load(d, &w, lanes, count, &nobody);
		assert_true(answer->refined && answer->complete);
		uint64_t messages = 0;
		for (size_t i = 0; i < count; i++) {
			check_lane(&all[i], &lanes[i], answer, &answer->columns[i * widths[k]]);
			messages += lanes[i].by_origin || answer->apart[i] ? 0 : all[i].count;
		}
		if (!lanes[0].by_origin)
			assert_int_equal(total(answer), messages);
		w = answer->window;
		w.fit = false;
		for (uint64_t part = 1; w.step / 5; part++) {
			w.step /= 5;
			w.from += (int64_t)(w.step * widths[k] * (part * 7 % 4));
			answer = density_load(d, &w, lanes, count, &nobody);
			for (size_t i = 0; i < count; i++)
				check_lane(&all[i], &lanes[i], answer,
					   &answer->columns[i * widths[k]]);
		}
	}
	/* at first sight: what a thread gives before it decodes */
	struct density_window w = {.trace = trace, .fit = true, .columns = 80};
	for (int tries = 0; tries < 50; tries++) {
		const struct density_answer *answer = density_ask(d, &w, lanes, count, &nobody);
		if (!answer || answer->window.columns != 80)
			continue;
		for (size_t i = 0; i < count; i++)
			check_lane(&all[i], &lanes[i], answer, &answer->columns[i * 80]);
		if (answer->refined)
			break;
	}
	for (size_t i = 0; i < count; i++)
		vec_free(&all[i]);
	free(all);
	density_free(d);
}

/* --- tests ------------------------------------------------------------- */

static void
test_session(void **state)
{
	(void)state;
	static const char *const plans[] = {"-c 100000 --rate=0 --jitter=0",
					    "-c 40000 --rate=0.2 --jitter=5000 --seed=2"};
	const struct density_lane lanes[] = {
	    {.trace = 0}, {.trace = 1}, {.trace = 2}, {.trace = 3}, {.trace = 4}};
	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct session_fixture f;
		session_fixture_open(&f, plans[i], NULL);
		session_fixture_load(&f);
		check_windows(&f.session, 0, lanes, 5);
		check_windows(&f.session, 3, lanes, 5);
		session_fixture_close(&f);
	}
}

/* What no clock relates has no columns beside the others. */
static void
test_apart(void **state)
{
	(void)state;
	struct session_fixture f;
	const struct sync_options no_tie = {.kind = SYNC_TIE};
	const struct density_lane lanes[] = {{.trace = 0}, {.trace = 3}};
	const struct density_sender nobody = {0};
	session_fixture_open(&f, "-c 40000", &no_tie);
	session_fixture_load(&f);
	struct density *d = density_new(&f.session);
	struct density_window w = {.trace = 0, .fit = true, .columns = 50};
	const struct density_answer *answer = density_load(d, &w, lanes, 2, &nobody);
	assert_false(answer->apart[0]);
	assert_true(answer->apart[1]);
	assert_int_equal(total(answer), trace_count(f.session.traces.at[0], &(bool){0}));
	density_free(d);
	session_fixture_close(&f);
}

/* One capture that mkcapture makes as OPTIONS say. */
static void
open_one(struct session *session, const char *options, char path[static 64])
{
	char command[512];
	const char *maker = getenv("MKCAPTURE");
	struct err err = {0};
	if (!maker)
		skip();
	strcpy(path, "/tmp/trawl-density-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	snprintf(command, sizeof command, "%s %s -o %s", maker, options, path);
	assert_int_equal(system(command), 0);
	memset(session, 0, sizeof *session);
	assert_non_null(session_open(session, path, NULL, NULL, 0, &err));
	session_link(session);
	trace_build(session->traces.at[0]);
	clocks_load(session->clocks, true);
}

/* Losses, damage, and lanes of single origins, over several groups of cells. */
static void
test_formats(void **state)
{
	(void)state;
	static const char *const plans[] = {"-f syst/stp --damage=drop,flip --rate=0.001 -c 200000",
					    "-c 1200000", "-m all --damage=cut,garbage -c 50000",
					    "-f csel -c 100000"};
	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct session session;
		char path[64];
		open_one(&session, plans[i], path);
		const struct density_lane whole = {.trace = 0};
		check_windows(&session, 0, &whole, 1);
		index_origins origins = {0};
		struct density_lane some[4];
		size_t count = 0;
		index_get_origins(trace_index(session.traces.at[0]), &origins);
		for (; count < 4 && count < origins.count; count++)
			some[count] = (struct density_lane){0, true, origins.at[count].key};
		check_windows(&session, 0, some, count);
		vec_free(&origins);
		session_close(&session);
		remove(path);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_session),
	    cmocka_unit_test(test_apart),
	    cmocka_unit_test(test_formats),
	};
	return cmocka_run_group_tests_name("density", tests, NULL, NULL);
}
