/*
 * The clocks of a session against what mkcapture says of when its messages were
 * sent: five captures of one system, by clocks that drift, read with jitter,
 * with parts lost.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "trace/clocks.h"
#include "trace/reader.h"
#include "trace/serial.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
	char folder[64];
	struct session session;
};

static void
run(const char *form, ...)
{
	char command[512];
	va_list arguments;
	va_start(arguments, form);
	vsnprintf(command, sizeof command, form, arguments);
	va_end(arguments);
	assert_int_equal(system(command), 0);
}

/* Instead of the ties of the profile. */
static void
say_instead(struct profile *profile, const struct sync_options *sync)
{
	struct sync_options *syncs = profile->syncs.at;
	for (size_t i = 0; i < profile->syncs.count; i++)
		option_release(&sync_options_table, &syncs[i]);
	syncs[0] = *sync;
	syncs[0].trace = sync->trace ? mem_text(sync->trace) : NULL;
	profile->syncs.count = 1;
}

/* Makes the captures and opens them, without looking at them; INSTEAD of what
 * the profile says of sync (NULL: that). */
static void
open_session(struct fixture *f, const char *options, const struct sync_options *instead)
{
	struct err err = {0};
	char path[128];
	const char *maker = getenv("MKCAPTURE");
	if (!maker)
		skip();
	memset(f, 0, sizeof *f);
	strcpy(f->folder, "/tmp/trawl-clocks-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	run("%s %s session %s", maker, options, f->folder);
	snprintf(path, sizeof path, "%s/session.yaml", f->folder);
	assert_int_equal(profile_load(path, &f->session.profile, &err), 0);
	assert_int_equal(session_open_named(&f->session, NULL, 0, &err), 5);
	if (instead)
		say_instead(&f->session.profile, instead);
	session_link(&f->session);
}

static void
load(struct fixture *f)
{
	for (size_t i = 0; i < f->session.traces.count; i++)
		if (trace_serial(f->session.traces.at[i]))
			serial_load(trace_serial(f->session.traces.at[i]));
	clocks_load(f->session.clocks, true);
}

static void
close_session(struct fixture *f)
{
	session_close(&f->session);
	run("rm -r %s", f->folder);
}

static size_t
trace_by_name(const struct fixture *f, const char *name)
{
	size_t i = 0;
	while (strcmp(trace_name(f->session.traces.at[i]), name))
		i++;
	return i;
}

struct verdict {
	unsigned all, within, out_of_order;
	double most; /* error stated */
};

struct seen {
	int64_t truth, time;
	double error;
};

/* Compares the times of all messages that the truth tells of, but those of the
 * trace EXCEPT (or NULL). */
static struct verdict
compare(struct fixture *f, const char *except)
{
	struct verdict verdict = {0};
	struct reader *readers[8] = {0};
	struct seen last = {0};
	char path[128], name[32];
	unsigned long long place;
	long long truth;
	snprintf(path, sizeof path, "%s/session.truth.tsv", f->folder);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fscanf(file, "%31s %llu %lld", name, &place, &truth) == 3) {
		size_t number = trace_by_name(f, name);
		struct trace *trace = f->session.traces.at[number];
		struct position at;
		struct message_time time;
		if (except && !strcmp(name, except))
			continue;
		if (!readers[number])
			readers[number] = reader_new(trace);
		assert_true(reader_find_place(readers[number], (struct place){place, 0}, &at));
		const struct message *m = reader_message(readers[number], at);
		assert_int_equal(message_place(m), place);
		assert_true(clocks_time(trace, m, NULL, &time));
		assert_true(time.known && time.wall);
		struct seen now = {truth, time.nanoseconds, time.error};
		verdict.all++;
		verdict.within += fabs((double)(now.time - now.truth)) <= now.error;
		verdict.most = fmax(verdict.most, now.error);
		/* the truth is in order; so are times, as far as they are certain */
		if (verdict.all > 1 && (double)(last.time - now.time) > last.error + now.error)
			verdict.out_of_order++;
		last = now;
	}
	fclose(file);
	for (size_t i = 0; i < f->session.traces.count; i++)
		reader_free(readers[i]);
	return verdict;
}

/* --- what is found in captures ----------------------------------------- */

static const char *const plans[] = {
    "-c 40000 --rate=0 --jitter=0 --drift=200",
    "-c 40000 --rate=0.1 --jitter=2000 --drift=200 --seed=2",
    "-c 20000 --rate=0.3 --jitter=50000 --drift=150 --seed=3 --sync=50",
    "-c 40000 --rate=0.01 --jitter=500 --drift=20 --seed=4 --sync=300",
};

static void
test_times(void **state)
{
	(void)state;
	/* the ties of the profile end early, which is where errors grow */
	static const double limits[] = {6e3, 1e5, 1e6, 1e4}; /* ns */
	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct fixture f;
		open_session(&f, plans[i], NULL);
		load(&f);
		struct verdict v = compare(&f, NULL);
		assert_true(v.all > 10000);
		assert_true(v.within >= 0.999 * v.all);
		assert_int_equal(v.out_of_order, 0);
		assert_true(v.most < limits[i]);
		close_session(&f);
	}
}

/* Two sync points at the start only: times are less certain, and it is said. */
static void
test_without_sync(void **state)
{
	(void)state;
	struct fixture f;
	open_session(&f, "-c 40000 --rate=0.01 --jitter=500 --sync=0", NULL);
	load(&f);
	struct verdict v = compare(&f, NULL);
	assert_true(v.within >= 0.999 * v.all);
	assert_int_equal(v.out_of_order, 0);
	assert_true(v.most > 1e4);
	close_session(&f);
}

/* The thread finds the same, and tells of it. */

static void
count_up(void *context)
{
	atomic_fetch_add((atomic_uint *)context, 1);
}

static void
wait_until_settled(struct fixture *f)
{
	for (int tries = 0; !clocks_are_settled(f->session.clocks); tries++) {
		assert_true(tries < 10000);
		usleep(1000);
		for (size_t i = 0; i < f->session.traces.count; i++)
			trace_poll(f->session.traces.at[i], false);
	}
}

static void
test_thread(void **state)
{
	(void)state;
	struct fixture f;
	atomic_uint told = 0;
	open_session(&f, plans[1], NULL);
	session_notify(&f.session, count_up, &told);
	unsigned before = clocks_generation(f.session.clocks);
	session_start(&f.session);
	wait_until_settled(&f);
	assert_true(clocks_generation(f.session.clocks) > before);
	assert_true(told > 0);
	struct verdict v = compare(&f, NULL);
	assert_true(v.within >= 0.999 * v.all);
	assert_int_equal(v.out_of_order, 0);
	session_notify(&f.session, NULL, NULL);
	close_session(&f);
}

/* --- what is said of them ---------------------------------------------- */

static const char calm[] = "-c 4000 --rate=0 --jitter=0 --drift=50";
static const struct sync_options no_tie = {.kind = SYNC_TIE};

static void
first_time(struct fixture *f, const char *name, struct message *m, struct message_time *time)
{
	struct trace *trace = f->session.traces.at[trace_by_name(f, name)];
	struct reader *reader = reader_new(trace);
	struct position at;
	assert_true(reader_first(reader, &at));
	while (!(reader_message(reader, at)->flags & MESSAGE_TIMED))
		assert_true(reader_next(reader, &at, 0));
	*m = *reader_message(reader, at);
	assert_true(clocks_time(trace, m, NULL, time));
	reader_free(reader);
}

/* Without a tie the processor is apart; the user makes one. */
static void
test_ties(void **state)
{
	(void)state;
	struct fixture f;
	struct message soc, dsp;
	struct message_time soc_time, dsp_time;
	struct err err;
	open_session(&f, calm, &no_tie);
	load(&f);
	first_time(&f, "soc.stp", &soc, &soc_time);
	first_time(&f, "dsp.uia", &dsp, &dsp_time);
	assert_true(soc_time.wall && !dsp_time.wall);
	assert_int_not_equal(soc_time.part, dsp_time.part);

	struct trace *traces[2] = {f.session.traces.at[trace_by_name(&f, "soc.stp")],
				   f.session.traces.at[trace_by_name(&f, "dsp.uia")]};
	assert_int_equal(clocks_tie(f.session.clocks, traces[0], &soc, traces[0], &soc, &err),
			 ERR_USAGE);
	struct message untimed = dsp;
	untimed.flags = 0;
	assert_int_equal(clocks_tie(f.session.clocks, traces[0], &soc, traces[1], &untimed, &err),
			 ERR_USAGE);
	/* the first messages of all traces were sent at the same moment */
	assert_int_equal(clocks_tie(f.session.clocks, traces[0], &soc, traces[1], &dsp, &err), 0);
	clocks_load(f.session.clocks, true);
	struct verdict v = compare(&f, NULL);
	assert_true(v.within >= 0.999 * v.all);
	assert_int_equal(v.out_of_order, 0);
	assert_true(v.most > 1e5); /* one tie says nothing of the rate */
	close_session(&f);
}

/* An offset relates what is not related, and corrects what is. */
static void
test_offsets(void **state)
{
	(void)state;
	static char cam[] = "cam.csel", dsp[] = "dsp.uia";
	const struct sync_options offsets[] = {
	    {.kind = SYNC_OFFSET, .trace = cam, .seconds = -0.25},
	    {.kind = SYNC_OFFSET, .trace = dsp, .seconds = 1763719000.5},
	};
	for (int i = 0; i < 2; i++) {
		struct fixture f;
		struct message m;
		struct message_time before, after;
		open_session(&f, calm, &no_tie);
		load(&f);
		first_time(&f, offsets[i].trace, &m, &before);
		assert_int_equal(before.wall, i == 0);
		close_session(&f);

		open_session(&f, calm, &offsets[i]);
		load(&f);
		first_time(&f, offsets[i].trace, &m, &after);
		assert_true(after.wall);
		int64_t moved = after.nanoseconds - before.nanoseconds;
		assert_in_range(moved - (int64_t)(offsets[i].seconds * 1e9) + 100, 0, 200);
		close_session(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_times),   cmocka_unit_test(test_without_sync),
	    cmocka_unit_test(test_thread),  cmocka_unit_test(test_ties),
	    cmocka_unit_test(test_offsets),
	};
	return cmocka_run_group_tests_name("clocks", tests, NULL, NULL);
}
