/*
 * Plots against an oracle: the lines of `-t jsonl`, read as text. For random windows and fields,
 * the least, the greatest and the count of each column are those of the lines.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "query/density.h"
#include "query/interval/intervals.h"
#include "query/plot.h"
#include "random.h"
#include "session/clock/clocks.h"
#include "session_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What to plot, and how a line of JSON has it. */
struct subject {
	const char *name, *of;
	const char *key;    /* text before the number */
	const char *needle; /* a line without it does not count; NULL: all count */
	const char *other;  /* a value that is no number begins so, or NULL */
};

struct value_at {
	int64_t time;
	long double number;
	bool timed;
};
typedef VEC(struct value_at) values;

static uint64_t seed = 7;

/* Read the values of all lines. UNIT: "time", or "ticks" without a rate. */
static void
read_lines(const char *path, const struct subject *subject, const char *unit, values *all,
	   uint64_t *others)
{
	char command[512], head[32], *line = NULL;
	size_t room = 0;
	snprintf(command, sizeof command, "'%s' -q --no-cache -t jsonl '%s' 2>/dev/null",
		 getenv("TRAWL"), path);
	snprintf(head, sizeof head, "\"%s\":", unit);
	FILE *lines = popen(command, "r");
	assert_non_null(lines);
	*others = 0;
	while (getline(&line, &room, lines) > 0) {
		const char *at = strstr(line, subject->key), *time = strstr(line, head);
		char *end;
		if (!at || !time || (subject->needle && !strstr(line, subject->needle)))
			continue;
		at += strlen(subject->key);
		*others += subject->other && !strncmp(at, subject->other, strlen(subject->other));
		struct value_at value = {.number = strtold(at, &end)};
		if (end == at)
			continue;
		time += strlen(head);
		value.timed = strncmp(time, "null", 4) != 0;
		value.time = strtoll(time, NULL, 10);
		*vec_add(all) = value;
	}
	free(line);
	pclose(lines);
}

static void
testdata_path(const char *name, struct text *path)
{
	const char *srcdir = getenv("srcdir");
	text_addf(path, "%s/testdata/%s", srcdir ? srcdir : ".", name);
}

static const struct plot_answer *
ask(struct density *d, const struct density_window *w)
{
	const struct density_lane lane = {.trace = w->trace};
	const struct density_answer *answer = density_load(d, w, &lane, 1, false, NULL);
	assert_true(answer->final && answer->plots.at[0]->final);
	return answer->plots.at[0];
}

static void
check_window(struct session *session, struct density *d, struct plot *plot, const values *all,
	     const struct density_window *w)
{
	const struct plot_answer *answer = ask(d, w);
	struct plot_range *expected = mem_new(w->columns * sizeof *expected);
	uint64_t octaves[PLOT_OCTAVES] = {0}, untimed = 0, count = 0;
	for (size_t i = 0; i < all->count; i++) {
		const struct value_at *value = &all->at[i];
		untimed += !value->timed;
		if (!value->timed || value->time < w->from)
			continue;
		uint64_t c = ((uint64_t)value->time - (uint64_t)w->from) / w->step;
		if (c >= w->columns)
			continue;
		struct plot_range *range = &expected[c];
		if (!range->count || value->number < range->min)
			range->min = value->number;
		if (!range->count || value->number > range->max)
			range->max = value->number;
		range->count++;
		count++;
		size_t octave = 0;
		for (long double limit = 2; value->number >= limit && octave < PLOT_OCTAVES - 1;
		     limit *= 2)
			octave++;
		octaves[octave]++;
	}
	for (size_t c = 0; c < w->columns; c++) {
		const struct plot_range *own = &answer->columns[c];
		if (own->count != expected[c].count)
			print_error("column %zu of %zu, from %lld, step %llu\n", c, w->columns,
				    (long long)w->from, (unsigned long long)w->step);
		assert_int_equal(own->count, expected[c].count);
		if (!own->count)
			continue;
		assert_true(own->min == expected[c].min && own->max == expected[c].max);
		for (size_t i = 0; answer->octaves && i < PLOT_OCTAVES; i++)
			octaves[i] -= answer->octaves[c * PLOT_OCTAVES + i];
	}
	for (size_t i = 0; answer->octaves && i < PLOT_OCTAVES; i++)
		assert_int_equal(octaves[i], 0);
	assert_int_equal(answer->all.count, count);
	assert_int_equal(answer->untimed, untimed);
	if (count) { /* the place is that of a message with this number */
		struct text text = {0};
		const struct plot_place *at = &answer->all.max_at;
		struct reader *reader = reader_new(session->traces.at[at->trace]);
		plot_add_number(plot, at, reader, &text);
		reader_free(reader);
		assert_true(text.length > 0);
		if (!strpbrk(text.data, " x")) /* no unit, not hexadecimal */
			assert_true(strtold(text.data, NULL) == answer->all.max);
		text_free(&text);
	}
	free(expected);
}

/* Random windows: some within the time of the values, some wider. */
static void
check_windows(struct session *session, struct density *d, struct plot *plot, const values *all,
	      unsigned count)
{
	static const size_t widths[] = {1, 7, 80, 200};
	int64_t first = INT64_MAX, last = INT64_MIN;
	for (size_t i = 0; i < all->count; i++) {
		if (!all->at[i].timed)
			continue;
		first = all->at[i].time < first ? all->at[i].time : first;
		last = all->at[i].time > last ? all->at[i].time : last;
	}
	assert_true(first < last);
	uint64_t length = (uint64_t)last - (uint64_t)first;
	for (unsigned i = 0; i < count; i++) {
		struct density_window w = {.columns = widths[random_below(&seed, 4)]};
		uint64_t own = (length * 3 / 2 >> random_below(&seed, 14)) + 1;
		w.step = own / w.columns + 1;
		w.from = first - (int64_t)(own / 2) + (int64_t)(random_next(&seed) % (length + 1));
		if (!i) /* all of it */
			w.from = first, w.step = length / w.columns + 1;
		check_window(session, d, plot, all, &w);
	}
}

static struct plot *
make_plot(struct session *session, const struct subject *subject, bool octaves)
{
	struct err err = {0};
	struct plot *plot = plot_new(session, subject->name, subject->of, octaves, &err);
	if (!plot)
		print_error("%s\n", err.what);
	assert_non_null(plot);
	return plot;
}

static void
check_subject(struct session *session, const char *path, const struct subject *subject,
	      const char *unit)
{
	values all = {0};
	uint64_t others;
	read_lines(path, subject, unit, &all, &others);
	struct plot *plot = make_plot(session, subject, random_below(&seed, 2));
	struct density *d = density_new(session);
	density_add_plot(d, plot);
	if (all.count) /* the capture has such messages */
		check_windows(session, d, plot, &all, test_runs(24));
	const struct density_window w = {.columns = 1, .step = 1};
	if (subject->other)
		assert_int_equal(ask(d, &w)->others, others);
	density_free(d);
	plot_free(plot);
	vec_free(&all);
}

static void
open_one(struct session *session, const char *path)
{
	struct err err = {0};
	struct text profile = {0};
	testdata_path("demo.profile.yaml", &profile); /* for the demo alone */
	memset(session, 0, sizeof *session);
	if (strstr(path, "demo.stp"))
		assert_int_equal(profile_load(profile.data, &session->profile, &err), 0);
	assert_non_null(session_open(session, path, NULL, NULL, 0, &err));
	text_free(&profile);
	session_link(session);
	trace_load(session->traces.at[0], &err);
	assert_int_equal(err.code, 0);
	trace_build(session->traces.at[0]);
	clocks_load(session->clocks, true);
}

static void
make_capture(const char *options, char path[static 64])
{
	char command[512];
	const char *maker = getenv("MKCAPTURE");
	if (!maker || !getenv("TRAWL"))
		skip();
	strcpy(path, "/tmp/trawl-plot-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof command, "'%s' %s -o %s", maker, options, path);
	assert_int_equal(system(command), 0);
}

/* --- tests ------------------------------------------------------------- */

/* Fields of generated captures, by ticks and by time. */
static void
test_fields(void **state)
{
	(void)state;
	static const struct {
		const char *options, *unit;
	} plans[] = {{"-c 60000", "ticks"},
		     {"-f syst/stp -m all -c 30000 --senders=9", "time"},
		     {"-f syst/stp --damage=drop,flip --rate=0.001 -c 30000", "time"}};
	static const struct subject subjects[] = {
	    {"length", NULL, "\"length\":", NULL, NULL},
	    {"module", NULL, "\"module\":", NULL, NULL},
	    {"unit", "severity = error", "\"unit\":", "\"severity\":\"ERROR\"", NULL},
	    {"ticks", "33:0", "\"ticks\":", "\"origin\":\"33:0\"", NULL}};
	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct session session;
		char path[64];
		make_capture(plans[i].options, path);
		open_one(&session, path);
		for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
			check_subject(&session, path, &subjects[k], plans[i].unit);
		session_close(&session);
		remove(path);
	}
}

/* Arguments of the demo: some are texts, some reals. */
static void
test_arguments(void **state)
{
	(void)state;
	static const struct subject subjects[] = {
	    {"arg.target", "pmic", "\"target\":", "\"origin\":\"pmic\"", NULL},
	    {"arg.rail", "pmic", "\"rail\":", "\"origin\":\"pmic\"", "\""},
	    {"arg.seq", NULL, "\"seq\":", NULL, NULL}};
	struct session session;
	struct text path = {0};
	if (!getenv("TRAWL"))
		skip();
	testdata_path("demo.stp", &path);
	open_one(&session, path.data);
	check_subject(&session, path.data, &subjects[0], "time");
	check_subject(&session, path.data, &subjects[2], "time");
	struct plot *plot = make_plot(&session, &subjects[1], false);
	struct density *d = density_new(&session);
	const struct density_window w = {.columns = 1, .step = INT64_MAX};
	values none = {0};
	uint64_t others;
	read_lines(path.data, &subjects[1], "time", &none, &others);
	density_add_plot(d, plot);
	assert_int_equal(ask(d, &w)->others, others);
	assert_true(others > 30 && !none.count);
	density_free(d);
	plot_free(plot);
	text_free(&path);
	session_close(&session);
}

/* Lengths of intervals in the demo session, at the messages that end them. */
static void
test_interval(void **state)
{
	(void)state;
	static const struct subject subject = {"interval.mailbox", NULL, "\"mailbox\":", "ack ",
					       NULL};
	struct session session = {0};
	struct text path = {0};
	struct err err = {0};
	if (!getenv("TRAWL"))
		skip();
	testdata_path("lab.yaml", &path);
	assert_int_equal(profile_load(path.data, &session.profile, &err), 0);
	assert_int_equal(session_open_named(&session, NULL, 0, &err), 5);
	session_link(&session);
	struct intervals *intervals = intervals_new(&session, &err);
	assert_non_null(intervals);
	session_load_intervals(&session);
	check_subject(&session, path.data, &subject, "time");
	intervals_free(intervals);
	session_close(&session);
	text_free(&path);
}

/* All traces of a session, on one clock. */
static void
test_session(void **state)
{
	(void)state;
	static const struct subject subject = {"length", NULL, "\"length\":", NULL, NULL};
	struct session_fixture f;
	char path[128];
	if (!getenv("TRAWL"))
		skip();
	session_fixture_open(&f, "-c 20000 --rate=0.2 --jitter=5000", NULL);
	session_fixture_load(&f);
	snprintf(path, sizeof path, "%s/session.yaml", f.folder);
	check_subject(&f.session, path, &subject, "time");
	session_fixture_close(&f);
}

/* A capture that grows extends the plot. */
static void
test_growth(void **state)
{
	(void)state;
	static const struct subject subject = {"length", NULL, "\"length\":", NULL, NULL};
	char whole[64], path[64], command[512];
	values all = {0};
	uint64_t others;
	struct session session = {0};
	struct err err = {0};
	make_capture("-f syst/stp -c 30000", whole);
	strcpy(path, "/tmp/trawl-plot-XXXXXX");
	close(mkstemp(path));
	snprintf(command, sizeof command, "head -c 400000 %s >%s", whole, path);
	assert_int_equal(system(command), 0);
	assert_non_null(session_open(&session, path, NULL, NULL, 0, &err));
	session_link(&session);
	struct trace *trace = session.traces.at[0];
	struct index *index = trace_index(trace);
	capture_follow(trace_capture(trace), FOLLOW_FILE);
	index_start(index);
	while (index_known(index) < 5)
		usleep(1000);
	struct plot *plot = make_plot(&session, &subject, false);
	struct density *d = density_new(&session);
	const struct density_window w = {.columns = 200, .step = UINT64_C(1) << 40};
	density_add_plot(d, plot);
	uint64_t before = ask(d, &w)->all.count;
	assert_true(before > 1000);
	snprintf(command, sizeof command, "cat %s >%s", whole, path);
	assert_int_equal(system(command), 0);
	capture_follow(trace_capture(trace), FOLLOW_NOT);
	trace_refresh(trace);
	while (!index_is_complete(index))
		usleep(1000);
	read_lines(whole, &subject, "time", &all, &others);
	check_windows(&session, d, plot, &all, 6);
	assert_true(ask(d, &w)->all.count > before);
	density_free(d);
	plot_free(plot);
	vec_free(&all);
	session_close(&session);
	remove(whole);
	remove(path);
}

/* Names without numbers, and filters that cannot be used, are refused with what is expected. */
static void
test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *name, *of, *reason;
	} wrong[] = {{"severity", NULL, "interval.NAME"},
		     {"text", NULL, "interval.NAME"},
		     {"gap", NULL, "interval.NAME"},
		     {"lenght", NULL, "did you mean length"},
		     {"interval.x", NULL, "no interval is named x"},
		     {"length", "severity >", "column"},
		     {"length", "gap > 1ms", "an origin, or a filter"}};
	struct session session;
	struct text path = {0};
	testdata_path("demo.stp", &path);
	open_one(&session, path.data);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct err err = {0};
		assert_null(plot_new(&session, wrong[i].name, wrong[i].of, false, &err));
		if (!strstr(err.what, wrong[i].reason))
			print_error("%s: %s\n", wrong[i].name, err.what);
		assert_non_null(strstr(err.what, wrong[i].reason));
	}
	text_free(&path);
	session_close(&session);
}

static double
now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* TRAWL_PLOT=CAPTURE: print the processor times of a large one, for the field TRAWL_PLOT_NAME. */
static void
test_speed(void **state)
{
	(void)state;
	static const struct subject subject = {"length", NULL, NULL, NULL, NULL};
	const char *path = getenv("TRAWL_PLOT"), *name = getenv("TRAWL_PLOT_NAME");
	struct session session;
	if (!path)
		skip();
	struct subject own = subject;
	own.name = name ? name : own.name;
	open_one(&session, path);
	for (int octaves = 0; octaves < 2; octaves++) {
		struct plot *plot = make_plot(&session, &own, octaves);
		struct density *plain = density_new(&session), *d = density_new(&session);
		const struct density_lane lane = {0};
		struct density_window w = {.fit = true, .columns = 200};
		density_add_plot(d, plot);
		const struct density_answer *answer =
		    density_load(plain, &w, &lane, 1, false, NULL);
		w = answer->window;
		w.fit = false;
		double start = now_ms();
		const struct plot_answer *first = ask(d, &w);
		printf("# %s%s: first pass %.0f ms, %llu numbers\n", octaves ? "heat " : "",
		       own.name, now_ms() - start, (unsigned long long)first->all.count);
		uint64_t length = w.step * w.columns;
		for (int i = 0; i < 16; i++) {
			struct density_window some = w;
			some.step = (length >> i) / 200 + 1;
			some.from += (int64_t)(random_next(&seed) % (length - some.step * 200 + 1));
			double before = now_ms();
			density_load(plain, &some, &lane, 1, false, NULL);
			double middle = now_ms();
			ask(d, &some);
			printf("# 1/%d of all: %.1f ms, with the plot %.1f ms\n", 1 << i,
			       middle - before, now_ms() - middle);
		}
		density_free(plain);
		density_free(d);
		plot_free(plot);
	}
	session_close(&session);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fields),   cmocka_unit_test(test_arguments),
	    cmocka_unit_test(test_interval), cmocka_unit_test(test_session),
	    cmocka_unit_test(test_growth),   cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_speed),
	};
	return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
