/*
 * The clocks of a session against what mkcapture says of when its messages were
 * sent: five captures of one system, by clocks that drift, read with jitter,
 * with parts lost.
 */
#include "config.h"

#include "test.h"

#include "base/job.h"
#include "encap_tool.h"
#include "folder.h"
#include "nibbles.h"
#include "session_fixture.h"
#include "config/profile.h"
#include "config/schema.h"
#include "query/filter/filter.h"
#include "session/clock/clock_map.h"
#include "session/clock/clock_position.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/session.h"
#include "temp_file.h"
#include "trace/reader.h"
#include "ui/notebook.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t
trace_by_name(const struct session_fixture *f, const char *name)
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

/* Compares the times of all messages that the truth tells of, or of those of the
 * trace ONLY. */
static struct verdict
compare(struct session_fixture *f, const char *only)
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
		if (only && strcmp(name, only) != 0)
			continue;
		if (!readers[number])
			readers[number] = reader_new(trace);
		assert_true(reader_find_id(readers[number], (struct message_id){place, 0}, &at));
		const struct message *m = reader_message(readers[number], at);
		assert_int_equal(message_id_offset(m), place);
		assert_true(clocks_time(trace, m, &time));
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
	static const double limits[] = {6e3, 1.5e5, 1e6, 1.5e4}; /* ns */
	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct session_fixture f;
		session_fixture_open(&f, plans[i], NULL);
		session_fixture_load(&f);
		struct verdict v = compare(&f, NULL);
		assert_true(v.all > 10000);
		assert_true(v.within >= 0.999 * v.all);
		assert_int_equal(v.out_of_order, 0);
		assert_true(v.most < limits[i]);
		session_fixture_close(&f);
	}
}

/* Of the words' numbers only the first two are there; then they tell half of the
 * global time.  The clock of the words goes by that, also where its half has
 * wrapped; with two of them it is less certain. */
static void
test_global_time(void **state)
{
	(void)state;
	static const char *const options[] = {"-c 600000 -m all --rate=0 --jitter=500 --sync=7000",
					      "-c 600000 -m all --rate=0 --jitter=500 --sync=0"};
	double most[2];
	for (size_t i = 0; i < 2; i++) {
		struct session_fixture f;
		session_fixture_open(&f, options[i], NULL);
		session_fixture_load(&f);
		struct verdict v = compare(&f, "dsp.gem");
		assert_true(v.all > 100000);
		assert_true(v.within >= 0.999 * v.all);
		assert_int_equal(v.out_of_order, 0);
		most[i] = v.most;
		session_fixture_close(&f);
	}
	/* 7 s by a rate that the two points before tell to within 2 us */
	assert_true(most[0] < 5e4);
	assert_true(most[1] > 20 * most[0]);
}

/* Two sync points at the start only: times are less certain, and it is said. */
static void
test_without_sync(void **state)
{
	(void)state;
	struct session_fixture f;
	session_fixture_open(&f, "-c 40000 --rate=0.01 --jitter=500 --sync=0", NULL);
	session_fixture_load(&f);
	struct verdict v = compare(&f, NULL);
	assert_true(v.within >= 0.999 * v.all);
	assert_int_equal(v.out_of_order, 0);
	assert_true(v.most > 1e4);
	session_fixture_close(&f);
}

/* The thread finds the same, and tells of it. */

static void
count_up(void *context)
{
	atomic_fetch_add((atomic_uint *)context, 1);
}

static void
wait_until_settled(struct session_fixture *f)
{
	for (int tries = 0; !clocks_are_settled(f->session.clocks); tries++) {
		assert_true(tries < 10000);
		usleep(1000);
		session_wake(&f->session);
		for (size_t i = 0; i < f->session.traces.count; i++)
			trace_poll(f->session.traces.at[i], false);
	}
}

static void
test_thread(void **state)
{
	(void)state;
	struct session_fixture f;
	atomic_uint told = 0;
	session_fixture_open(&f, plans[1], NULL);
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
	session_fixture_close(&f);
}

/* --- what is said of them ---------------------------------------------- */

static const char calm[] = "-c 4000 --rate=0 --jitter=0 --drift=50";
static const struct sync_options no_tie = {.kind = SYNC_TIE};

static void
first_time(struct session_fixture *f, const char *name, struct message *m,
	   struct message_time *time)
{
	struct trace *trace = f->session.traces.at[trace_by_name(f, name)];
	struct reader *reader = reader_new(trace);
	struct position at;
	assert_true(reader_first(reader, &at));
	while (!(reader_message(reader, at)->flags & MESSAGE_TIMED))
		assert_true(reader_next(reader, &at, 0));
	*m = *reader_message(reader, at);
	assert_true(clocks_time(trace, m, time));
	reader_free(reader);
}

/* Without a tie the processor is apart; the user makes one. */
static void
test_ties(void **state)
{
	(void)state;
	struct session_fixture f;
	struct message soc, dsp;
	struct message_time soc_time, dsp_time;
	struct err err;
	session_fixture_open(&f, calm, &no_tie);
	session_fixture_load(&f);
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

	/* and takes it back: the tie is that of its two messages, and of no other */
	struct clocks *clocks = f.session.clocks;
	untimed = soc;
	untimed.ticks++;
	assert_true(clocks_find_tie(clocks, traces[0], &untimed) == SIZE_MAX);
	assert_true(clocks_find_tie(clocks, traces[1], &soc) == SIZE_MAX);
	assert_int_equal(clocks_find_tie(clocks, traces[0], &soc), 0);
	assert_int_equal(clocks_find_tie(clocks, traces[1], &dsp), 0);
	clocks_untie(clocks, 0);
	assert_true(clocks_find_tie(clocks, traces[0], &soc) == SIZE_MAX);
	clocks_load(clocks, true);
	first_time(&f, "dsp.uia", &dsp, &dsp_time);
	assert_false(dsp_time.wall);
	session_fixture_close(&f);
}

/* Of several ties one is taken back, and the others stay as they were. */
static void
test_untie_one(void **state)
{
	(void)state;
	static char here[] = "soc.stp", there[] = "dsp.uia";
	const struct sync_options ties[] = {
	    {.kind = SYNC_TIE, .a = {here, 1, -1}, .b = {there, 2, -1}},
	    {.kind = SYNC_TIE, .a = {here, 3, -1}, .b = {there, 4, -1}},
	    {.kind = SYNC_TIE, .a = {here, 5, -1}, .b = {there, 6, -1}},
	};
	struct session_fixture f;
	struct text said = {0};
	size_t count;
	session_fixture_open(&f, calm, &no_tie);
	clocks_add_ties(f.session.clocks, ties, 3);
	clocks_untie(f.session.clocks, 1);
	const struct sync_options *left = clocks_ties(f.session.clocks, &count);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(left[i].a.trace, here);
		assert_int_equal(left[i].a.ticks, ties[2 * i].a.ticks);
		assert_string_equal(left[i].b.trace, there);
		assert_int_equal(left[i].b.ticks, ties[2 * i].b.ticks);
	}
	clocks_describe(f.session.clocks, &said);
	assert_non_null(strstr(said.data, "\ntie 2: soc.stp 5 - dsp.uia 6\n"));
	text_free(&said);
	session_fixture_close(&f);
}

/* Ties come back from a session's file as they were, also those of traces that are
 * not open. */
static void
test_kept_ties(void **state)
{
	(void)state;
	struct session_fixture f;
	struct message soc, dsp, again;
	struct message_time time, kept;
	struct notebook notebook = {0}, read;
	struct text text = {0};
	struct err err = {0};
	static char here[] = "soc.stp", elsewhere[] = "elsewhere";
	struct sync_options other = {.kind = SYNC_TIE, .a = {here, 1, -1}, .b = {elsewhere, 2, -1}};
	session_fixture_open(&f, calm, &no_tie);
	session_fixture_load(&f);
	first_time(&f, "soc.stp", &soc, &time);
	first_time(&f, "dsp.uia", &dsp, &time);
	struct clocks *clocks = f.session.clocks;
	clocks_add_ties(clocks, &other, 1);
	assert_int_equal(clocks_tie(clocks, f.session.traces.at[trace_by_name(&f, "soc.stp")], &soc,
				    f.session.traces.at[trace_by_name(&f, "dsp.uia")], &dsp, &err),
			 0);
	clocks_load(clocks, true);
	first_time(&f, "dsp.uia", &dsp, &time);
	assert_true(time.wall);
	notebook.ties.at = (void *)clocks_ties(clocks, &notebook.ties.count);
	assert_int_equal(notebook.ties.count, 2);
	option_write(&notebook_options_table, &notebook, &text);
	session_fixture_close(&f);

	assert_int_equal(schema_load_text("s.yaml", text.data, text.length, &notebook_options_table,
					  &read, &err),
			 0);
	session_fixture_open(&f, calm, &no_tie);
	clocks_add_ties(f.session.clocks, read.ties.at, read.ties.count);
	option_release(&notebook_options_table, &read);
	session_fixture_load(&f);
	first_time(&f, "dsp.uia", &again, &kept);
	assert_int_equal(again.ticks, dsp.ticks);
	assert_int_equal(kept.nanoseconds, time.nanoseconds);
	assert_true(kept.wall && kept.error == time.error);
	session_fixture_close(&f);
	text_free(&text);
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
		struct session_fixture f;
		struct message m;
		struct message_time before, after;
		session_fixture_open(&f, calm, &no_tie);
		session_fixture_load(&f);
		first_time(&f, offsets[i].trace, &m, &before);
		assert_int_equal(before.wall, i == 0);
		session_fixture_close(&f);

		session_fixture_open(&f, calm, &offsets[i]);
		session_fixture_load(&f);
		first_time(&f, offsets[i].trace, &m, &after);
		assert_true(after.wall);
		int64_t moved = after.nanoseconds - before.nanoseconds;
		assert_in_range(moved - (int64_t)(offsets[i].seconds * 1e9) + 100, 0, 200);
		session_fixture_close(&f);
	}
}

/* --- one trace --------------------------------------------------------- */

/* The rate of an STP stream changes: 10 000 ticks at 1 MHz, then at 2 MHz. */
static void
test_frequency(void **state)
{
	(void)state;
	static const int64_t expected[] = {0, 10000000, 15000000, 20000000}; /* ns */
	struct nibbles n = {0};
	struct session session = {0};
	struct err err;
	char path[TEMP_PATH];
	nibbles_add(&n, ASYNC "F003 F08 000F4240");		/* 1 000 000 Hz */
	nibbles_add(&n, "8 41 E 0000000000000000 8 42 4 2710"); /* D8MTS */
	nibbles_add(&n, "F08 001E8480");			/* 2 000 000 Hz */
	nibbles_add(&n, "8 43 4 4E20 8 44 4 7530 0");
	temp_make(path, "", n.bytes.at, n.bytes.count);
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, path, "syst/stp", NULL, 0, &err);
	assert_non_null(trace);
	session_link(&session);
	clocks_load(session.clocks, true);
	struct reader *reader = reader_new(trace);
	struct message m;
	size_t seen = 0;
	while (reader_walk(reader, &m, 1)) {
		struct message_time time;
		if (!(m.flags & MESSAGE_TIMED))
			continue;
		assert_true(clocks_time(trace, &m, &time) && time.known);
		assert_in_range(time.nanoseconds - expected[seen] + 1, 0, 2);
		seen++;
	}
	assert_int_equal(seen, 4);
	reader_free(reader);
	session_close(&session);
	nibbles_free(&n);
	unlink(path);
}

/* Opens a folder's profile, which names its captures. */
static void
open_folder(struct session *session, struct folder *folder, const char *profile)
{
	struct err err = {0};
	folder_put_text(folder, "p.yaml", profile);
	if (profile_load(folder_path(folder, "p.yaml"), &session->profile, &err) < 0 ||
	    session_open_named(session, NULL, 0, &err) <= 0)
		fail_msg("%s", err.what);
	session_link(session);
	clocks_load(session->clocks, true);
}

static void
assert_same_time(bool any, const struct message_time *a, bool also, const struct message_time *b)
{
	assert_int_equal(any, also);
	if (!any)
		return;
	assert_true(a->known == b->known && a->order == b->order && a->part == b->part);
	assert_true(a->wall == b->wall && a->plain == b->plain && a->error == b->error);
	assert_true(!a->known || a->nanoseconds == b->nanoseconds);
}

/* Times of many messages are those of each, up to the last tick that has one: at a RATE, with
 * what is added to them. */
static void
check_scale(uint64_t hz, int seconds)
{
	static const uint8_t capture[] = {0x42, 0x12, 3, 1, 2, 0, 'm', 0};
	const uint64_t tick = hz && 1000000000 % hz == 0 ? 1000000000 / hz : 1;
	const uint64_t last = INT64_MAX / tick, moved = 1000000000 / tick * 2;
	const uint64_t ticks[] = {0,
				  1,
				  999,
				  1700000000000000,
				  last - moved - 1,
				  last,
				  last + 1,
				  last / 3,
				  last - moved / 2,
				  last - moved / 2 + 1,
				  last / 2,
				  last - moved,
				  UINT64_MAX / 2,
				  UINT64_MAX - 1,
				  UINT64_MAX};
	enum { COUNT = sizeof ticks / sizeof *ticks };
	struct session session = {0};
	struct folder folder;
	struct text profile = {0};
	struct message messages[COUNT + 1] = {0};
	struct message_time times[COUNT + 1], one;
	bool any[COUNT + 1];
	folder_make(&folder);
	folder_put(&folder, "a.bin", capture, sizeof capture);
	text_add(&profile, "traces: [{file: a.bin, name: a, format: syst/raw");
	if (hz)
		text_addf(&profile, ", syst: {ts_hz: %llu, ts_epoch: none}",
			  (unsigned long long)hz);
	text_addf(&profile, "}]\nsync: [{kind: offset, trace: a, seconds: %d}]\n", seconds);
	open_folder(&session, &folder, text_get(&profile));
	struct trace *trace = session.traces.at[0];
	for (size_t i = 0; i < COUNT; i++)
		messages[i] = (struct message){.ticks = ticks[i], .flags = MESSAGE_TIMED};
	clocks_times(trace, messages, COUNT + 1, times, any);
	for (size_t i = 0; i < COUNT + 1; i++) {
		bool alone = clocks_time(trace, &messages[i], &one);
		assert_same_time(any[i], &times[i], alone, &one);
		bool exact = hz && 1000000000 % hz == 0 && i < 3;
		assert_true(!exact ||
			    (any[i] && times[i].nanoseconds == (int64_t)(ticks[i] * tick) +
								   seconds * INT64_C(1000000000)));
	}
	session_close(&session);
	folder_remove(&folder);
	text_free(&profile);
}

static void
test_scale(void **state)
{
	static const uint64_t hz[] = {0,	1000,	 1000000,    1000000000, 500000000,
				      38400000, 3000000, 3000000000, 999999999};
	static const int seconds[] = {0, -2, 1, 100};
	(void)state;
	for (size_t i = 0; i < sizeof hz / sizeof *hz; i++)
		for (size_t k = 0; k < sizeof seconds / sizeof *seconds; k++)
			check_scale(hz[i], seconds[k]);
}

/* A packet of a hart that starts (Efficient Trace 2.0, format 3 subformat 0), with
 * the encapsulation's time and its own. */
static void
add_start(struct stream *stream, uint64_t stamp, uint64_t own)
{
	static const struct encap_widths widths = {8, 8, 0};
	struct bits p = {0};
	bits_add(&p, 3, 2);
	bits_add(&p, 0, 2);
	bits_add(&p, 1, 1); /* branch */
	bits_add(&p, 3, 2); /* privilege */
	bits_add(&p, own, 32);
	bits_add(&p, 0x80001234 >> 1, 31);
	bits_shorten(&p);
	stream_packet(stream, &widths, 0, 3, &stamp, 0, &p);
}

/* A hart's clock that is 150 ppm fast, by one that is 50 ppm slow. */
static void
test_hart(void **state)
{
	(void)state;
	enum { PACKETS = 500, STEP_MS = 137 };
	struct session session = {0};
	struct folder folder;
	struct stream stream = {0};
	struct text said = {0};
	folder_make(&folder);
	stream_nulls(&stream, 64);
	for (uint64_t i = 0; i < PACKETS; i++) {
		long double seconds = (long double)i * STEP_MS / 1000;
		add_start(&stream, (uint64_t)(1e9L + seconds * 50e6L * (1 - 50e-6L)),
			  (uint64_t)(77 + seconds * 10e6L * (1 + 150e-6L)));
	}
	folder_put(&folder, "hub.enc", stream.bytes, stream.length);
	open_folder(&session, &folder,
		    "traces:\n"
		    "  - {file: hub.enc, format: encap, clock: {hz: 50000000},\n"
		    "     encap: {srcid_width: 8, timestamp_bytes: 8}, etrace: {notime: false}}\n"
		    "origins: [{trace: hub.enc, id: 3, name: hart, clock: {hz: 10000000}}]\n");
	clocks_describe(session.clocks, &said);
	const char *line = strstr(text_get(&said), "E-Trace time");
	unsigned points = 0;
	double ppm = 0;
	assert_non_null(line);
	assert_int_equal(sscanf(line, "E-Trace time, %u points, %lf ppm", &points, &ppm), 2);
	assert_int_equal(points, PACKETS);
	assert_true(fabs(ppm - ((1 + 150e-6) / (1 - 50e-6) - 1) * 1e6) < 0.01);
	assert_non_null(strstr(line, "residual"));
	session_close(&session);
	text_free(&said);
	stream_free(&stream);
	folder_remove(&folder);
}

/* Senders by clocks of rates that the profile gives: SyS-T strings of the modules 3
 * and 4, with a length and a time stamp, at the same moments in turn. */
static void
test_rates_of_senders(void **state)
{
	(void)state;
	enum { COUNT = 20000 };
	static const uint64_t hz[] = {1000000, 3000000};
	struct session session = {0};
	struct folder folder;
	VEC(uint8_t) bytes = {0};
	folder_make(&folder);
	for (uint64_t i = 0; i < COUNT; i++) {
		uint64_t ticks = i * 1000 * hz[i % 2] / 1000000; /* i ms */
		ticks += i % 2 ? ticks / 20000 : 0;		 /* 50 ppm fast */
		*vec_add(&bytes) = 0x42;			 /* INFO, STRING */
		*vec_add(&bytes) = 0x1a;			 /* unit 1, with length and time */
		*vec_add(&bytes) = (uint8_t)(3 + i % 2);
		*vec_add(&bytes) = 1;
		*vec_add(&bytes) = 2;
		*vec_add(&bytes) = 0;
		for (int k = 0; k < 8; k++)
			*vec_add(&bytes) = (uint8_t)(ticks >> 8 * k);
		*vec_add(&bytes) = 'm';
		*vec_add(&bytes) = 0;
	}
	folder_put(&folder, "a.bin", bytes.at, bytes.count);
	folder_put(&folder, "b.bin", bytes.at, 16);
	open_folder(&session, &folder,
		    "traces:\n"
		    "  - {file: a.bin, format: syst/raw, syst: {ts_hz: 1000000, ts_epoch: none}}\n"
		    "  - {file: b.bin, format: syst/raw, syst: {ts_hz: 1000000, ts_epoch: none}}\n"
		    "origins: [{trace: a.bin, module: 4, name: fast, clock: {hz: 3000000}}]\n");
	struct trace *trace = session.traces.at[0];
	struct reader *reader = reader_new(trace);
	struct message m;
	int64_t i = 0, far = 0;
	for (; reader_walk(reader, &m, 1); i++) {
		struct message_time time;
		assert_true(clocks_time(trace, &m, &time) && time.known);
		double off = fabs((double)(time.nanoseconds - i * 1000000));
		assert_true(off <= 1 + time.error);
		assert_true(i % 2 || off <= 1);
		assert_true(time.error <= 20000 + 5e-4 * (double)i * 1e6);
		far += i % 2 && off > 1000;
	}
	assert_int_equal(i, COUNT);
	assert_true(far > COUNT / 4); /* so the error said something */
	/* a tie is said by the clock of the trace: this one was sent after 7001 ms */
	struct position at;
	struct message b;
	struct err err;
	size_t count;
	assert_true(reader_find_id(reader, (struct message_id){7001 * 16, 0}, &at));
	m = *reader_message(reader, at);
	assert_int_equal(m.ticks, 7001 * 3000 + 7001 * 3000 / 20000);
	struct reader *other = reader_new(session.traces.at[1]);
	assert_true(reader_first(other, &at));
	b = *reader_message(other, at);
	assert_int_equal(clocks_tie(session.clocks, trace, &m, session.traces.at[1], &b, &err), 0);
	const struct sync_options *tie = clocks_ties(session.clocks, &count);
	assert_int_equal(count, 1);
	assert_in_range(tie->a.ticks, 7001349, 7001351); /* 350 us fast */
	assert_int_equal(tie->a.core, -1);
	clocks_load(session.clocks, true);
	struct message_time time;
	assert_true(clocks_time(session.traces.at[1], &b, &time));
	assert_in_range(time.nanoseconds, 7001349000, 7001351000);
	reader_free(other);
	reader_free(reader);
	session_close(&session);
	vec_free(&bytes);
	folder_remove(&folder);
}

/* Describes the clocks of a session whose indexes are built one after the other. */
static void
describe_in_order(bool backward, struct text *out)
{
	struct session_fixture f;
	struct job job;
	struct clock_points points;
	session_fixture_open(&f, calm, NULL);
	size_t count = f.session.traces.count;
	job_init(&job, NULL, NULL);
	clock_points_open(&points, &f.session, &job);
	for (size_t i = 0; i < count; i++) {
		trace_build(f.session.traces.at[backward ? count - 1 - i : i]);
		clock_points_look(&points);
	}
	clock_points_look(&points); /* again: a trace may need another one's index */
	struct clock_map *map = clock_map_new(&f.session, &points);
	clock_map_settle(map);
	clock_map_describe(map, out);
	clock_map_free(map);
	clock_points_close(&points);
	job_free(&job);
	session_fixture_close(&f);
}

/* The clocks and their order do not depend on which capture is indexed first. */
static void
test_order_of_indexes(void **state)
{
	(void)state;
	struct text forward = {0}, backward = {0};
	describe_in_order(false, &forward);
	describe_in_order(true, &backward);
	assert_non_null(strstr(text_get(&forward), " points, "));
	assert_string_equal(text_get(&forward), text_get(&backward));
	text_free(&forward);
	text_free(&backward);
}

/* What is said of the clocks of senders: each by its name, and how the error grows
 * beyond the points. */
static void
test_names_of_senders(void **state)
{
	(void)state;
	struct session_fixture f;
	struct text said = {0};
	session_fixture_open(&f, calm, NULL);
	session_fixture_load(&f);
	for (size_t i = 0; i < f.session.traces.count; i++)
		trace_build(f.session.traces.at[i]);
	clocks_describe(f.session.clocks, &said);
	size_t senders = 0;
	char names[8][64] = {{0}};
	for (const char *at = said.data; (at = strstr(at, " - soc.stp sender ")) && senders < 8;
	     senders++) {
		at += strlen(" - soc.stp sender ");
		const char *end = strchr(at, '\n');
		assert_true(*at != ':'); /* a name */
		snprintf(names[senders], sizeof names[0], "%.*s", (int)(strstr(at, ": ") - at), at);
		for (size_t k = 0; k < senders; k++)
			assert_string_not_equal(names[k], names[senders]);
		const char *growth = strstr(at, " more for each second away from the points");
		assert_true(growth && growth < end);
	}
	assert_true(senders > 0);
	assert_non_null(strstr(names[0], "(master "));
	text_free(&said);
	session_fixture_close(&f);
}

/* --- contexts ---------------------------------------------------------- */

struct change {
	int64_t truth; /* when it was sent */
	struct message_time time;
	uint64_t value;
};
typedef VEC(struct change) changes;

/* The changes of the context that the words tell, and when they seem to be. */
static void
read_changes(struct session_fixture *f, changes *list)
{
	char path[128];
	long long truth;
	unsigned long value;
	snprintf(path, sizeof path, "%s/session.contexts.tsv", f->folder);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fscanf(file, "%lld %lu", &truth, &value) == 2)
		*vec_add(list) = (struct change){.truth = truth, .value = value};
	fclose(file);
	struct trace *words = f->session.traces.at[trace_by_name(f, "dsp.gem")];
	struct reader *reader = reader_new(words);
	struct expansion e = {0};
	struct message m;
	size_t i = 0;
	while (reader_walk(reader, &m, 1)) {
		reader_expand(reader, &m, EXPAND_FIELDS, &e);
		const struct field *data = expansion_find(&e, "data");
		if (!data || i == list->count || data->u != list->at[i].value)
			continue;
		assert_true(clocks_time(words, &m, &list->at[i].time));
		i++;
	}
	assert_int_equal(i, list->count);
	expansion_free(&e);
	reader_free(reader);
}

/* What held at TIME, 0 if nothing did; and whether it is uncertain that it did: a
 * change seems to be as near as the errors of both. */
static uint64_t
held_at(const changes *list, int64_t truth, const struct message_time *time, bool *uncertain)
{
	uint64_t value = 0;
	*uncertain = false;
	for (size_t i = 0; i < list->count; i++) {
		const struct change *change = &list->at[i];
		if (change->truth <= truth)
			value = change->value;
		*uncertain |= fabs((double)(change->time.nanoseconds - time->nanoseconds)) <
			      change->time.error + time->error;
	}
	return value;
}

/* A trace whose messages ask for it, and what came of that. */
struct asker {
	struct trace *trace;
	struct reader *reader;
	struct context_cursor *cursor;
	unsigned all, doubtful, needless, wrong;
};

static void
ask(struct session_fixture *f, struct asker *asker, const changes *list, uint64_t place,
    int64_t truth)
{
	struct position at;
	struct message_time time;
	struct context_value value;
	bool uncertain;
	assert_true(reader_find_id(asker->reader, (struct message_id){place, 0}, &at));
	struct message m = *reader_message(asker->reader, at);
	assert_true(clocks_time(asker->trace, &m, &time));
	uint64_t held = held_at(list, truth, &time, &uncertain);
	assert_true(context_value(f->session.contexts, asker->cursor, &m, 0, &value));
	if (!held || value.state != CONTEXT_KNOWN)
		return;
	asker->all++;
	asker->doubtful += value.doubtful;
	asker->needless += value.doubtful && !uncertain;
	asker->wrong += !value.doubtful && value.number != held;
}

/* Messages of two traces ask for what words of a third said, by clocks that drift:
 * it is so, or it is said to be doubtful, and that only near a change. */
static void
test_contexts(void **state)
{
	(void)state;
	static const char *const names[] = {"soc.stp", "cam.csel"};
	struct session_fixture f;
	struct asker askers[2] = {0};
	changes list = {0};
	char path[128], name[32];
	unsigned long long place;
	long long truth;
	session_fixture_open(&f, "-c 10000 -m contexts --rate=0 --jitter=5000 --sync=200", NULL);
	session_fixture_load(&f);
	read_changes(&f, &list);
	contexts_load(f.session.contexts);
	for (int i = 0; i < 2; i++) {
		struct trace *trace = f.session.traces.at[trace_by_name(&f, names[i])];
		askers[i] = (struct asker){.trace = trace,
					   .reader = reader_new(trace),
					   .cursor = context_cursor_new(f.session.contexts, trace)};
	}
	snprintf(path, sizeof path, "%s/session.truth.tsv", f.folder);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fscanf(file, "%31s %llu %lld", name, &place, &truth) == 3)
		for (int i = 0; i < 2; i++)
			if (!strcmp(name, names[i]))
				ask(&f, &askers[i], &list, place, truth);
	fclose(file);
	for (int i = 0; i < 2; i++) {
		assert_true(askers[i].all > 1500);
		assert_in_range(askers[i].doubtful, 10, askers[i].all / 10);
		assert_int_equal(askers[i].needless, 0);
		assert_int_equal(askers[i].wrong, 0);
		context_cursor_free(askers[i].cursor);
		reader_free(askers[i].reader);
	}
	vec_free(&list);
	session_fixture_close(&f);
}

/* What was found for another message makes a position no other one: in order, back
 * some way, and far. */
static void
test_instants(void **state)
{
	(void)state;
	static const char *const names[] = {"dsp.gem", "dsp.uia", "cam.csel"};
	struct session_fixture f;
	session_fixture_open(&f, plans[1], NULL);
	session_fixture_load(&f);
	struct trace *soc = f.session.traces.at[trace_by_name(&f, "soc.stp")];
	for (size_t i = 0; i < 3; i++) {
		struct trace *other = f.session.traces.at[trace_by_name(&f, names[i])];
		struct reader *reader = reader_new(soc), *there = reader_new(other);
		struct context_position kept = {0};
		struct message past[64] = {0}, m;
		uint64_t seen = 0, found = 0;
		while (reader_walk(reader, &m, 1)) {
			past[seen++ % 64] = m;
			if (seen % 7 == 0)
				m = past[seen * 31 % 64];
			if (seen > 1000 && seen % 501 == 0)
				m = past[0], m.ticks /= 2;
			struct context_position fresh = {0};
			bool is = clock_find_position(NULL, soc, &m, there, &fresh);
			assert_int_equal(clock_find_position(NULL, soc, &m, there, &kept), is);
			found += is;
			if (!is)
				continue;
			assert_memory_equal(&kept.at, &fresh.at, sizeof fresh.at);
			assert_memory_equal(&kept.least, &fresh.least, sizeof fresh.least);
			assert_memory_equal(&kept.most, &fresh.most, sizeof fresh.most);
			assert_int_equal(kept.open, fresh.open);
		}
		assert_true(found > 4000);
		reader_free(reader);
		reader_free(there);
	}
	session_fixture_close(&f);
}

/* --- filters ----------------------------------------------------------- */

/* Holds a filter against the times of all messages of a trace; how many it wants. */
static unsigned
filter_trace(struct trace *trace, const struct filter *filter, int64_t from, int64_t to)
{
	struct reader *reader = reader_new(trace), *other = reader_new(trace);
	struct expansion e = {0}, scratch = {0};
	struct message batch[64];
	unsigned matches = 0;
	size_t count;
	while ((count = reader_walk(reader, batch, 64)) > 0) {
		for (size_t i = 0; i < count; i++) {
			const struct message *m = &batch[i];
			uint64_t cell = message_id_offset(m) / index_cell_size(trace_index(trace));
			struct message_time time;
			reader_expand(reader, m, EXPAND_TEXT, &e);
			bool wanted = clocks_time(trace, m, &time) && time.known &&
				      time.nanoseconds >= from && time.nanoseconds <= to;
			assert_int_equal(filter_match(filter, other, m, &scratch), wanted);
			if (wanted && cell < index_cell_count(trace_index(trace)))
				assert_int_not_equal(filter_judge(filter, trace, cell),
						     FILTER_NONE);
			matches += wanted;
		}
	}
	expansion_free(&e);
	expansion_free(&scratch);
	reader_free(reader);
	reader_free(other);
	return matches;
}

/* The earliest of the first times of all traces. */
static int64_t
earliest(struct session_fixture *f)
{
	int64_t start = INT64_MAX;
	for (size_t i = 0; i < f->session.traces.count; i++) {
		struct message m;
		struct message_time time;
		first_time(f, trace_name(f->session.traces.at[i]), &m, &time);
		start = time.nanoseconds < start ? time.nanoseconds : start;
	}
	return start;
}

/* A filter on time wants the same moments in all traces, and counts from the
 * first message of them all. */
static void
test_filters(void **state)
{
	(void)state;
	static const int64_t windows[][2] = {{0, 100}, {100, 101}, {250, 400}, {399, 100000}};
	struct session_fixture f;
	session_fixture_open(&f, plans[1], NULL);
	session_fixture_load(&f);
	int64_t start = earliest(&f);
	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		char text[64];
		unsigned matches = 0, traces = 0;
		snprintf(text, sizeof text, "time in +%dms..+%dms", (int)windows[i][0],
			 (int)windows[i][1]);
		for (size_t k = 0; k < f.session.traces.count; k++) {
			struct filter filter = filter_all();
			filter.expr = filter_parse(text, &f.session, NULL);
			assert_non_null(filter.expr);
			unsigned own = filter_trace(f.session.traces.at[k], &filter,
						    start + windows[i][0] * 1000000,
						    start + windows[i][1] * 1000000);
			matches += own;
			traces += own > 0;
			filter_free(&filter);
		}
		assert_true(matches > 0 && traces > 2);
	}
	session_fixture_close(&f);
}

/* What was worked out before clocks were related does not count after it. */
static void
test_late_relation(void **state)
{
	(void)state;
	struct session_fixture f;
	session_fixture_open(&f, calm, NULL);
	struct trace *dsp = f.session.traces.at[trace_by_name(&f, "dsp.uia")];
	struct filter filter = filter_all();
	filter.expr = filter_parse("time > 2020-01-01", &f.session, NULL);
	assert_non_null(filter.expr); /* a date, though no clock tells dates yet */
	struct reader *reader = reader_new(dsp);
	struct expansion scratch = {0};
	struct message m;
	struct message_time time;
	first_time(&f, "dsp.uia", &m, &time);
	assert_false(time.wall);
	assert_false(filter_match(&filter, reader, &m, &scratch));
	session_fixture_load(&f);
	assert_true(filter_match(&filter, reader, &m, &scratch));
	expansion_free(&scratch);
	reader_free(reader);
	filter_free(&filter);
	session_fixture_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_times),
	    cmocka_unit_test(test_global_time),
	    cmocka_unit_test(test_without_sync),
	    cmocka_unit_test(test_thread),
	    cmocka_unit_test(test_ties),
	    cmocka_unit_test(test_untie_one),
	    cmocka_unit_test(test_kept_ties),
	    cmocka_unit_test(test_offsets),
	    cmocka_unit_test(test_frequency),
	    cmocka_unit_test(test_scale),
	    cmocka_unit_test(test_filters),
	    cmocka_unit_test(test_contexts),
	    cmocka_unit_test(test_hart),
	    cmocka_unit_test(test_rates_of_senders),
	    cmocka_unit_test(test_names_of_senders),
	    cmocka_unit_test(test_order_of_indexes),
	    cmocka_unit_test(test_late_relation),
	    cmocka_unit_test(test_instants),
	};
	return cmocka_run_group_tests_name("clocks", tests, NULL, NULL);
}
