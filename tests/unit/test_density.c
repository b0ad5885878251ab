/*
 * Counts of the timeline against a naive count over all messages: the final ones
 * are equal for any window; in the first answer no message is left out, and no column
 * that has one is blank.  Links are where the truth has messages of one moment.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "query/density.h"
#include "session_fixture.h"
#include "session/clock/clocks.h"
#include "session/link/serial.h"
#include "session/link/sync_options.h"
#include "session/session.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stood {
	int64_t time;
	uint64_t origin;
	uint16_t flags;
	uint8_t severity;
	bool passes;
};
typedef VEC(struct stood) stoods;

static int
compare_stoods(const void *a, const void *b)
{
	const struct stood *x = a, *y = b;
	return (x->time > y->time) - (x->time < y->time);
}

/* Where each message of a trace stands: at its time; without one at the latest of the
 * transport's before it, or, before there is any, at the earliest of the first cell that
 * has one.  Of a trace without times at its place.  In the order of that, with whether
 * each passes a filter (NULL: all do). */
static stoods
naive(struct trace *trace, const struct filter *filter)
{
	stoods all = {0};
	VEC(int64_t) places = {0};
	struct reader *reader = reader_new(trace), *other = reader_new(trace);
	struct expansion e = {0};
	struct message m;
	uint64_t size = index_cell_size(trace_index(trace)), start_cell = UINT64_MAX;
	int64_t latest = INT64_MIN, start = INT64_MAX;
	bool any = false;
	while (reader_walk(reader, &m, 1)) {
		struct message_time time, carried;
		bool timed = clocks_time(trace, &m, &time);
		assert_int_equal(clocks_transport_time(trace, &m, &carried), timed);
		if (timed && start_cell == UINT64_MAX)
			start_cell = message_id_offset(&m) / size;
		if (timed && message_id_offset(&m) / size == start_cell && carried.order < start)
			start = carried.order;
		if (timed && carried.order > latest)
			latest = carried.order;
		any |= timed;
		bool passes = !filter || filter_match(filter, other, &m, &e);
		*vec_add(&all) = (struct stood){timed ? time.order : latest, m.origin, m.flags,
						m.severity, passes};
		if (!any) /* its place, if no other has a time either */
			*vec_add(&places) = (int64_t)message_id_offset(&m);
	}
	expansion_free(&e);
	reader_free(reader);
	reader_free(other);
	for (size_t i = 0; i < all.count; i++)
		if (all.at[i].time == INT64_MIN)
			all.at[i].time = any ? start : places.at[i];
	vec_free(&places);
	qsort(all.at, all.count, sizeof *all.at, compare_stoods);
	return all;
}

/* Those of all traces of a session. */
static stoods *
naive_all(const struct session *session)
{
	stoods *all = mem_new(session->traces.count * sizeof *all);
	for (size_t i = 0; i < session->traces.count; i++)
		all[i] = naive(session->traces.at[i], NULL);
	return all;
}

static void
free_all(const struct session *session, stoods *all)
{
	for (size_t i = 0; i < session->traces.count; i++)
		vec_free(&all[i]);
	free(all);
}

/* The first one that is not before a time. */
static size_t
first_from(const stoods *all, int64_t time)
{
	size_t low = 0, high = all->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (all->at[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
check_lane(const stoods *all, const struct density_lane *lane, const struct density_answer *answer,
	   const struct density_column *columns)
{
	const uint16_t shown = MESSAGE_LOST | MESSAGE_DAMAGED | MESSAGE_SYNC;
	const struct density_window *w = &answer->window;
	struct density_column *expected = mem_new(w->columns * sizeof *expected);
	for (size_t i = first_from(all, w->from); i < all->count; i++) {
		const struct stood *m = &all->at[i];
		uint64_t c = (uint64_t)(m->time - w->from) / w->step;
		if (c >= w->columns)
			break;
		if (lane->by_origin && m->origin != lane->origin)
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
		if (answer->final) {
			assert_memory_equal(columns[c].severities, expected[c].severities,
					    sizeof expected[c].severities);
			if (!lane->by_origin)
				assert_int_equal(columns[c].flags & shown, expected[c].flags);
			assert_int_equal(columns[c].estimated, 0);
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
check_windows(struct session *session, const stoods *all, size_t trace,
	      const struct density_lane *lanes, size_t count)
{
	struct density *d = density_new(session);
	static const size_t widths[] = {1, 7, 64, 200};
	for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
		struct density_window w = {.trace = trace, .fit = true, .columns = widths[k]};
		const struct density_answer *answer =
		    density_load(d, &w, lanes, count, false, NULL);
		assert_true(answer->final && answer->complete);
		uint64_t messages = 0;
		for (size_t i = 0; i < count; i++) {
			check_lane(&all[lanes[i].trace], &lanes[i], answer,
				   &answer->columns[i * widths[k]]);
			messages +=
			    lanes[i].by_origin || answer->apart[i] ? 0 : all[lanes[i].trace].count;
		}
		if (!lanes[0].by_origin)
			assert_int_equal(total(answer), messages);
		w = answer->window;
		w.fit = false;
		for (uint64_t part = 1; w.step / 5; part++) {
			w.step /= 5;
			w.from += (int64_t)(w.step * widths[k] * (part * 7 % 4));
			answer = density_load(d, &w, lanes, count, false, NULL);
			for (size_t i = 0; i < count; i++)
				check_lane(&all[lanes[i].trace], &lanes[i], answer,
					   &answer->columns[i * widths[k]]);
		}
	}
	/* at first sight: what a thread gives before it decodes */
	struct density_window w = {.trace = trace, .fit = true, .columns = 80};
	for (int tries = 0; tries < 50; tries++) {
		const struct density_answer *answer = density_ask(d, &w, lanes, count, false, NULL);
		if (!answer || answer->window.columns != 80)
			continue;
		for (size_t i = 0; i < count; i++)
			check_lane(&all[lanes[i].trace], &lanes[i], answer,
				   &answer->columns[i * 80]);
		if (answer->final)
			break;
	}
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
		stoods *all = naive_all(&f.session);
		check_windows(&f.session, all, 0, lanes, 5);
		check_windows(&f.session, all, 3, lanes, 5);
		free_all(&f.session, all);
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
	session_fixture_open(&f, "-c 40000", &no_tie);
	session_fixture_load(&f);
	struct density *d = density_new(&f.session);
	struct density_window w = {.trace = 0, .fit = true, .columns = 50};
	const struct density_answer *answer = density_load(d, &w, lanes, 2, false, NULL);
	assert_false(answer->apart[0]);
	assert_true(answer->apart[1]);
	assert_int_equal(total(answer), trace_count(f.session.traces.at[0], &(bool){0}));
	density_free(d);
	session_fixture_close(&f);
}

/* The time of the message of a trace that has these ticks, as another of it would
 * have. */
static int64_t
time_of_ticks(struct trace *trace, uint64_t ticks)
{
	struct reader *reader = reader_new(trace);
	struct message m;
	struct message_time time;
	do
		assert_true(reader_walk(reader, &m, 1));
	while (!(m.flags & MESSAGE_TIMED));
	m.ticks = ticks;
	assert_true(clocks_time(trace, &m, &time));
	reader_free(reader);
	return time.order;
}

/* The times of the sync points of a trace of words or events, and the moments at
 * which they were written. */
struct sync_point {
	int64_t time;
	char moment[32];
};
typedef VEC(struct sync_point) sync_points;

static sync_points
points_of(struct trace *trace, const char *truth)
{
	sync_points points = {0};
	struct reader *reader = reader_new(trace);
	struct message m;
	char line[256], name[64], moment[32];
	FILE *file = fopen(truth, "r");
	assert_non_null(file);
	while (reader_walk(reader, &m, 1)) {
		struct message_time time;
		unsigned long long offset = 0;
		if (!(m.flags & MESSAGE_SYNC) || !clocks_time(trace, &m, &time))
			continue;
		do {
			assert_non_null(fgets(line, sizeof line, file));
			assert_int_equal(sscanf(line, "%63s %llu %31s", name, &offset, moment), 3);
		} while (strcmp(name, trace_name(trace)) != 0 || offset != m.offset);
		struct sync_point *point = vec_add(&points);
		point->time = time.order;
		strcpy(point->moment, moment);
	}
	fclose(file);
	reader_free(reader);
	return points;
}

static int64_t
column_of_time(const struct density_window *w, int64_t time)
{
	if (time < w->from)
		return -1;
	uint64_t column = (uint64_t)(time - w->from) / w->step;
	return column < w->columns ? (int64_t)column : (int64_t)w->columns;
}

/* That a link from TIME in trace A to OTHER in trace B is in the answer, or one
 * that comes before it in the same column; false if both ends are out of sight, or
 * that in A is and the link is rejected. */
static bool
has_link(const struct density_answer *answer, size_t a, size_t b, int64_t time, int64_t other,
	 bool rejected)
{
	const struct density_window *w = &answer->window;
	int64_t from = column_of_time(w, time), to = column_of_time(w, other);
	bool at_b = from < 0 || from == (int64_t)w->columns;
	if (at_b && (rejected || to < 0 || to == (int64_t)w->columns))
		return false;
	for (size_t i = 0; i < answer->links.count; i++) {
		const struct density_link *link = &answer->links.at[i];
		if (link->a != a || link->b != b || (at_b ? link->to != to : link->from != from))
			continue;
		assert_int_equal(at_b ? link->from : link->to, at_b ? from : to);
		assert_int_equal(link->rejected, rejected);
		return true;
	}
	fail_msg("no link of traces %zu and %zu from column %lld to %lld", a, b, (long long)from,
		 (long long)to);
	return false;
}

enum { APART_NS = 250000000 };

/* A session with the events shifted by a quarter of a second, and a tie in the middle
 * of the others that means the last one's moment in trace 3: its tick in trace 0. */
static void
open_shifted(struct session *session, const struct session_fixture *f, uint64_t *wrong)
{
	char path[128];
	struct err err = {0};
	const struct sync_options *ties = f->session.profile.syncs.at;
	size_t count = f->session.profile.syncs.count, middle = (count + 1) / 2;
	assert_true(count > 6);
	*wrong = ties[middle - 1].a.ticks / 2 + ties[middle].a.ticks / 2;
	snprintf(path, sizeof path, "%s/session.yaml", f->folder);
	FILE *file = fopen(path, "a");
	assert_non_null(file);
	fprintf(file,
		"  - {kind: offset, trace: dsp.uia, seconds: -0.25}\n"
		"  - {kind: tie, a: {trace: soc.stp, ticks: %llu}, b: {trace: dsp.uia, ticks: "
		"%llu}}\n",
		(unsigned long long)*wrong, (unsigned long long)ties[count - 1].b.ticks);
	fclose(file);
	memset(session, 0, sizeof *session);
	assert_int_equal(profile_load(path, &session->profile, &err), 0);
	assert_int_equal(session_open_named(session, NULL, 0, &err), 5);
	session_link(session);
	for (size_t i = 0; i < session->traces.count; i++) {
		if (serial_of(session->traces.at[i]))
			serial_load(serial_of(session->traces.at[i]));
		trace_build(session->traces.at[i]);
	}
	clocks_load(session->clocks, true);
}

/* How many of the words and ties are in sight, at one end at least: each has its
 * link. */
static size_t
check_links(const struct density_answer *answer, struct session *session, const sync_points *words,
	    const sync_points *events, uint64_t wrong)
{
	size_t seen = 0;
	struct trace *soc = session->traces.at[0], *log = session->traces.at[3];
	for (size_t i = 0, k = 0; i < words->count; i++) {
		while (k < events->count && strcmp(events->at[k].moment, words->at[i].moment) != 0)
			k++;
		assert_true(k < events->count);
		int64_t word = words->at[i].time, event = events->at[k].time;
		assert_true(llabs(word - event - APART_NS) <= 2);
		seen += has_link(answer, 2, 3, word, event, false);
	}
	const struct sync_options *syncs = session->profile.syncs.at;
	for (size_t i = 0; i < session->profile.syncs.count; i++) {
		if (syncs[i].kind != SYNC_TIE)
			continue;
		int64_t a = time_of_ticks(soc, syncs[i].a.ticks);
		int64_t b = time_of_ticks(log, syncs[i].b.ticks);
		seen += has_link(answer, 0, 3, a, b, syncs[i].a.ticks == wrong);
	}
	return seen;
}

/* Words and their events, ties: both ends in their columns, also where they are
 * apart, in a window of any size; no other links. */
static void
test_links(void **state)
{
	(void)state;
	struct session_fixture f;
	struct session session;
	uint64_t wrong;
	char truth[128];
	const struct density_lane lanes[] = {{.trace = 0}, {.trace = 2}, {.trace = 3}};
	session_fixture_open(&f, "-c 20000 --rate=0 --jitter=0", NULL);
	open_shifted(&session, &f, &wrong);
	snprintf(truth, sizeof truth, "%s/session.truth.tsv", f.folder);
	sync_points words = points_of(session.traces.at[2], truth);
	sync_points events = points_of(session.traces.at[3], truth);
	assert_true(words.count > 10);
	struct density *d = density_new(&session);
	struct density_window w = {.trace = 0, .fit = true, .columns = 200};
	const struct density_answer *answer = density_load(d, &w, lanes, 3, false, NULL);
	size_t all = words.count + session.profile.syncs.count - 1; /* but the offset */
	assert_int_equal(check_links(answer, &session, &words, &events, wrong), all);
	assert_int_equal(answer->links.count, all);
	w = answer->window;
	w.fit = false;
	for (int64_t part = 1; w.step > 1000; part++) {
		w.step /= 3;
		w.from = words.at[part].time - (int64_t)w.step * (30 + 7 * part);
		answer = density_load(d, &w, lanes, 3, false, NULL);
		size_t seen = check_links(answer, &session, &words, &events, wrong);
		assert_true(seen > 0);
		assert_int_equal(answer->links.count, seen);
	}
	/* columns that end behind all time */
	w = (struct density_window){.from = INT64_MIN, .step = 10000000000000000000u, .columns = 4};
	answer = density_load(d, &w, lanes, 3, false, NULL);
	assert_int_equal(answer->links.count, 2); /* one of each relation */
	density_free(d);
	vec_free(&words);
	vec_free(&events);
	session_close(&session);
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
	snprintf(command, sizeof command, "'%s' %s -o %s", maker, options, path);
	assert_int_equal(system(command), 0);
	memset(session, 0, sizeof *session);
	assert_non_null(session_open(session, path, NULL, NULL, 0, &err));
	session_link(session);
	trace_build(session->traces.at[0]);
	clocks_load(session->clocks, true);
}

/* --- filters ----------------------------------------------------------- */

struct tally_of_column {
	uint64_t severities[SEVERITY_COUNT], hidden;
};

static struct tally_of_column *
tally_columns(const stoods *all, const struct density_lane *lane, const struct density_window *w)
{
	struct tally_of_column *columns = mem_new(w->columns * sizeof *columns);
	for (size_t i = first_from(all, w->from); i < all->count; i++) {
		const struct stood *m = &all->at[i];
		uint64_t c = (uint64_t)(m->time - w->from) / w->step;
		if (c >= w->columns)
			break;
		if (lane->by_origin && m->origin != lane->origin)
			continue;
		if (m->passes)
			columns[c].severities[m->severity]++;
		else
			columns[c].hidden++;
	}
	return columns;
}

/* Sums are exact, and severities unless it says that they are shared out; those that do
 * not occur are not said to.  ALONE: without match sets, sums are estimates. */
static void
check_passing(const struct tally_of_column *want, const struct density_column *got, bool alone,
	      unsigned *shared)
{
	uint64_t sum = 0, own = 0;
	for (int s = 0; s < SEVERITY_COUNT; s++) {
		sum += want->severities[s];
		own += got->severities[s];
		assert_int_equal(!got->severities[s] && !alone, !want->severities[s] && !alone);
		if (!got->shared && !got->open && !got->estimated)
			assert_int_equal(got->severities[s], want->severities[s]);
	}
	if (!alone) {
		assert_int_equal(own, sum);
		assert_int_equal(got->hidden, want->hidden);
		assert_int_equal(got->estimated, 0);
	} else if (sum) {
		assert_true(own || got->open);
	}
	*shared += got->shared;
}

/* The matches of a filter in a trace, all that there are. */
static struct matches *
find_matches(struct trace *trace, const struct filter *filter)
{
	struct matches_progress progress;
	struct matches *matches = matches_new(trace, filter, NULL, 0);
	do {
		usleep(1000);
		matches_update(matches);
		matches_get_progress(matches, &progress);
	} while (!progress.exact || progress.working);
	return matches;
}

/* Of a session of one trace. */
static void
check_filter(struct session *session, const struct density_lane *lanes, size_t count,
	     const char *text, unsigned *shared)
{
	struct matches *known[8] = {0};
	struct density *d = density_new(session);
	struct filter filter = filter_all();
	filter.expr = filter_parse(text, session, NULL);
	assert_non_null(filter.expr);
	stoods all = naive(session->traces.at[0], &filter);
	for (size_t i = 0; i < session->traces.count; i++)
		known[i] = find_matches(session->traces.at[i], &filter);
	for (int with = 1; with >= 0; with--) {
		const struct density_filter passing = {&filter, with ? known : NULL};
		struct density_window w = {.trace = 0, .fit = true, .columns = 60};
		for (int zoom = 0; zoom < 3; zoom++) {
			const struct density_answer *answer =
			    density_load(d, &w, lanes, count, false, &passing);
			w = answer->window;
			assert_true(answer->final);
			for (size_t i = 0; i < count; i++) {
				struct tally_of_column *want = tally_columns(&all, &lanes[i], &w);
				for (size_t c = 0; c < w.columns; c++)
					check_passing(&want[c], &answer->columns[i * w.columns + c],
						      !with, shared);
				free(want);
			}
			w.fit = false;
			w.from += (int64_t)(w.step * 7);
			w.step = w.step / 6 + 1;
		}
	}
	for (size_t i = 0; i < session->traces.count; i++)
		matches_free(known[i]);
	vec_free(&all);
	filter_free(&filter);
	density_free(d);
}

/* With a filter: by severity, by what cells tell, by text, of all and of none. */
static void
test_filters(void **state)
{
	static const char *const texts[] = {
	    "severity >= warning", "text ~ /a/",  "text ~ /ab/ and severity <= error",
	    "offset < 2000000",	   "length > 30", "length > 100000"};
	struct session session;
	char path[64];
	unsigned shared = 0;
	(void)state;
	open_one(&session, "-c 150000", path);
	index_origins origins = {0};
	index_get_origins(trace_index(session.traces.at[0]), &origins);
	const struct density_lane lanes[] = {{.trace = 0}, {0, true, origins.at[1].key}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check_filter(&session, lanes, 2, texts[i], &shared);
	assert_true(shared > 0);
	vec_free(&origins);
	session_close(&session);
	remove(path);
}

/* How many messages of the first lane pass. */
static uint64_t
count_passing(struct density *d, const struct filter *filter, struct matches **known)
{
	const struct density_window w = {.trace = 0, .fit = true, .columns = 60};
	const struct density_lane lane = {.trace = 0};
	const struct density_filter passing = {filter, known};
	const struct density_answer *answer = density_load(d, &w, &lane, 1, false, &passing);
	uint64_t sum = 0;
	assert_true(answer->final);
	for (size_t c = 0; c < answer->window.columns; c++)
		for (int s = 0; s < SEVERITY_COUNT; s++)
			sum += answer->columns[c].severities[s];
	return sum;
}

/* What passes rests on texts: when they are there, those of the collateral pass too. */
static void
test_collateral(void **state)
{
	const char *srcdir = getenv("srcdir");
	struct session session = {0};
	struct text path = {0}, xml = {0};
	struct err err = {0};
	(void)state;
	text_addf(&path, "%s/testdata/demo.stp", srcdir ? srcdir : ".");
	text_addf(&xml, "%s/testdata/demo.xml", srcdir ? srcdir : ".");
	char *collateral[] = {xml.data};
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace =
	    session_open(&session, text_get(&path), "syst/stp", collateral, 1, &err);
	assert_non_null(trace);
	session_link(&session);
	trace_build(trace);
	clocks_load(session.clocks, true);
	struct filter filter = filter_all();
	filter.expr = filter_parse("text ~ /send DECODE seq 19/", &session, NULL);
	struct density *d = density_new(&session);
	struct matches *known = find_matches(trace, &filter);
	uint64_t before = count_passing(d, &filter, &known);
	matches_free(known);
	trace_load(trace, &err);
	assert_int_equal(err.code, 0);
	known = find_matches(trace, &filter);
	assert_int_equal(before, 0);
	assert_int_equal(count_passing(d, &filter, &known), 1);
	matches_free(known);
	density_free(d);
	filter_free(&filter);
	session_close(&session);
	text_free(&path);
	text_free(&xml);
}

/* --- who is told ------------------------------------------------------- */

static void
count_notice(void *context)
{
	atomic_fetch_add((atomic_uint *)context, 1);
}

/* Waits for an answer, and a notice besides those BEFORE. */
static void
await_notice(struct density *d, atomic_uint *notices, unsigned before)
{
	for (unsigned ms = 0; atomic_load(notices) == before || !density_has_news(d); ms++) {
		assert_true(ms < 30000);
		usleep(1000);
	}
}

/* An answer that comes when nobody waits for it is told, one that was kept from before
 * as one that is made: what is known of the matches changes, and changes back. */
static void
test_told(void **state)
{
	struct session session;
	char path[64];
	atomic_uint notices;
	(void)state;
	open_one(&session, "-c 20000", path);
	struct filter filter = filter_all();
	filter.expr = filter_parse("text ~ /a/", &session, NULL);
	struct matches *known = find_matches(session.traces.at[0], &filter);
	atomic_init(&notices, 0);
	session.host.notify = count_notice;
	session.host.notify_context = &notices;
	struct density *d = density_new(&session);
	const struct density_window w = {.trace = 0, .fit = true, .columns = 60};
	const struct density_lane lane = {.trace = 0};
	const struct density_filter with = {&filter, &known}, without = {&filter, NULL};
	const struct density_answer *answer;
	do {
		usleep(1000);
		answer = density_ask(d, &w, &lane, 1, false, &with);
	} while (!answer || !answer->final);
	for (int round = 0; round < 2; round++) {
		unsigned before = atomic_load(&notices);
		density_ask(d, &w, &lane, 1, false, round % 2 ? &with : &without);
		await_notice(d, &notices, before);
		answer = density_ask(d, &w, &lane, 1, false, round % 2 ? &with : &without);
		assert_true(answer->final);
	}
	density_free(d);
	matches_free(known);
	filter_free(&filter);
	session_close(&session);
	remove(path);
}

/* Losses, damage, and lanes of single origins, over several groups of cells. */
static void
test_formats(void **state)
{
	(void)state;
	static const char *const plans[] = {"-f syst/stp --damage=drop,flip --rate=0.001 -c 40000",
					    "-c 1200000", "-m all --damage=cut,garbage -c 50000",
					    "-f csel -c 30000"};
	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct session session;
		char path[64];
		open_one(&session, plans[i], path);
		const struct density_lane whole = {.trace = 0};
		stoods *all = naive_all(&session);
		check_windows(&session, all, 0, &whole, 1);
		index_origins origins = {0};
		struct density_lane some[4];
		size_t count = 0;
		index_get_origins(trace_index(session.traces.at[0]), &origins);
		for (; count < 4 && count < origins.count; count++)
			some[count] = (struct density_lane){0, true, origins.at[count].key};
		check_windows(&session, all, 0, some, count);
		free_all(&session, all);
		vec_free(&origins);
		session_close(&session);
		remove(path);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_session), cmocka_unit_test(test_apart),
	    cmocka_unit_test(test_links),   cmocka_unit_test(test_formats),
	    cmocka_unit_test(test_filters), cmocka_unit_test(test_collateral),
	    cmocka_unit_test(test_told),
	};
	return cmocka_run_group_tests_name("density", tests, NULL, NULL);
}
