/*
 * Which messages come later in BAD than in GOOD, of runs whose times and alignment the test
 * writes: what is just long enough and what is not, clocks that drift apart, times that always
 * differ somewhat, what another difference explains, and one delay that several origins share.
 */
#include "config.h"

#include "test.h"

#include "query/compare/compare_slower.h"

#include <stdlib.h>

enum { MESSAGES = 200, ORIGINS = 3 };
#define US INT64_C(1000)
#define MS INT64_C(1000000)

/* What is asked for unless a test says otherwise. */
static const double factor = 2;
static const int64_t least = MS;

/* Runs of up to ORIGINS origins, of which all messages are aligned one by one. */
struct runs {
	struct compare_stream good[ORIGINS], bad[ORIGINS];
	struct compare_aligned aligned[ORIGINS];
	compare_delays delays;
};

static void
add_times(struct compare_stream *stream, int64_t start, int64_t step, double rate)
{
	stream->timed = true;
	for (int64_t i = 0; i < MESSAGES; i++) {
		*vec_add(&stream->times) = (int64_t)((double)(start + i * step) * rate);
		*vec_add(&stream->tokens) = 16;
	}
}

/* A message every STEP in both, BAD by a clock that is RATE times as fast; origins begin a
 * microsecond after each other. */
static void
make_runs(struct runs *r, int64_t step, double rate)
{
	*r = (struct runs){0};
	for (int i = 0; i < ORIGINS; i++) {
		add_times(&r->good[i], i * US, step, 1);
		add_times(&r->bad[i], i * US, step, rate);
		r->aligned[i] = (struct compare_aligned){.good = &r->good[i], .bad = &r->bad[i]};
		*vec_add(&r->aligned[i].runs) = (struct compare_run){0, 0, MESSAGES};
	}
}

static void
free_runs(struct runs *r)
{
	for (int i = 0; i < ORIGINS; i++) {
		vec_free(&r->good[i].times);
		vec_free(&r->good[i].tokens);
		vec_free(&r->bad[i].times);
		vec_free(&r->bad[i].tokens);
		vec_free(&r->aligned[i].runs);
	}
	vec_free(&r->delays);
}

/* All messages of BAD come so much later from AT on. */
static void
delay(struct runs *r, int origin, size_t at, int64_t by)
{
	for (size_t i = at; i < MESSAGES; i++)
		r->bad[origin].times.at[i] += by;
}

static size_t
find(struct runs *r, size_t origins)
{
	vec_clear(&r->delays);
	compare_find_delays(r->aligned, origins, factor, least, 1, &r->delays);
	return r->delays.count;
}

static void
check_delay(const struct compare_delay *d, size_t stream, size_t at, int64_t good, int64_t bad,
	    uint64_t with)
{
	assert_int_equal(d->stream, stream);
	assert_int_equal(d->a, at);
	assert_int_equal(d->b, at);
	assert_int_equal(d->took[0], good);
	assert_int_equal(d->took[1], bad);
	assert_int_equal(d->with, with);
}

/* --- long enough ------------------------------------------------------------------ */

static void
test_least(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, MS / 2, 1);
	delay(&r, 0, 100, MS - 1);
	assert_int_equal(find(&r, 1), 0);
	delay(&r, 0, 100, 1);
	assert_int_equal(find(&r, 1), 1);
	check_delay(&r.delays.at[0], 0, 100, MS / 2, MS / 2 + MS, 0);
	free_runs(&r);
}

static void
test_factor(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, 8 * MS, 1);
	delay(&r, 0, 100, 8 * MS - 1);
	assert_int_equal(find(&r, 1), 0);
	delay(&r, 0, 100, 1);
	assert_int_equal(find(&r, 1), 1);
	check_delay(&r.delays.at[0], 0, 100, 8 * MS, 16 * MS, 0);
	free_runs(&r);
}

/* The first step of all may be one, and the last. */
static void
test_ends(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, MS / 2, 1);
	delay(&r, 0, 1, 3 * MS);
	delay(&r, 0, MESSAGES - 1, 3 * MS);
	assert_int_equal(find(&r, 1), 2);
	check_delay(&r.delays.at[0], 0, 1, MS / 2, 3 * MS + MS / 2, 0);
	check_delay(&r.delays.at[1], 0, MESSAGES - 1, MS / 2, 3 * MS + MS / 2, 0);
	free_runs(&r);
}

/* Delays as often as one step in nine are what is usual here, and four times as long is not. */
static void
test_usual(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, MS, 1);
	for (size_t i = 5; i < MESSAGES; i += 8)
		delay(&r, 0, i, 2 * MS);
	assert_int_equal(find(&r, 1), 0);
	delay(&r, 0, 100, 8 * MS - 1);
	assert_int_equal(find(&r, 1), 0);
	delay(&r, 0, 100, 1);
	assert_int_equal(find(&r, 1), 1);
	check_delay(&r.delays.at[0], 0, 100, MS, 9 * MS, 0);
	free_runs(&r);
}

/* --- drift ------------------------------------------------------------------------ */

/* A clock of BAD that is half a per cent fast makes steps of a second 5 ms longer; a single one
 * that is 12 ms longer yet is found, as what is left is nothing.  Such a step tells nothing of
 * drift. */
static void
test_drift(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, 1000 * MS, 1.005);
	delay(&r, 0, 100, 1100 * MS);
	assert_int_equal(find(&r, 1), 1);
	assert_int_equal(r.delays.at[0].b, 100);
	assert_int_equal(r.delays.at[0].took[0], 1000 * MS);
	assert_int_equal(r.delays.at[0].took[1], 2105 * MS);
	free_runs(&r);
	/* twice as long by its own clock, not by that of GOOD */
	make_runs(&r, 1000 * MS, 1.005);
	delay(&r, 0, 100, 1004 * MS);
	assert_int_equal(find(&r, 1), 0);
	free_runs(&r);
	make_runs(&r, 1000 * MS, 0.995);
	delay(&r, 0, 100, 996 * MS);
	assert_int_equal(find(&r, 1), 1);
	free_runs(&r);
}

/* Of a few messages no drift is known, and none is assumed. */
static void
test_few(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, 8 * MS, 1);
	r.aligned[0].runs.at[0].count = 10;
	delay(&r, 0, 5, 8 * MS - 1);
	assert_int_equal(find(&r, 1), 0);
	delay(&r, 0, 5, 1);
	assert_int_equal(find(&r, 1), 1);
	check_delay(&r.delays.at[0], 0, 5, 8 * MS, 16 * MS, 0);
	free_runs(&r);
}

/* --- what another difference explains --------------------------------------------- */

/* A message without a time is passed over, and with it the step behind it. */
static void
test_untimed(void **state)
{
	struct runs r;
	(void)state;
	for (int side = 0; side < 2; side++) {
		make_runs(&r, MS / 2, 1);
		(side ? r.bad : r.good)[0].times.at[99] = COMPARE_NO_TIME;
		delay(&r, 0, 100, 5 * MS);
		delay(&r, 0, 150, 5 * MS);
		assert_int_equal(find(&r, 1), 1);
		check_delay(&r.delays.at[0], 0, 150, MS / 2, 5 * MS + MS / 2, 0);
		free_runs(&r);
	}
	make_runs(&r, MS / 2, 1);
	delay(&r, 0, 100, 5 * MS);
	r.bad[0].timed = false;
	assert_int_equal(find(&r, 1), 0);
	r.bad[0].timed = true;
	r.good[0].timed = false;
	assert_int_equal(find(&r, 1), 0);
	r.good[0].timed = true;
	r.aligned[0].bad = NULL; /* an origin of one run */
	assert_int_equal(find(&r, 1), 0);
	free_runs(&r);
}

/* Message 99 of one run is not in the other, so that what comes behind it is not slow. */
static void
test_extra(void **state)
{
	struct runs r;
	(void)state;
	for (int side = 0; side < 2; side++) {
		make_runs(&r, MS / 2, 1);
		vec_clear(&r.aligned[0].runs);
		*vec_add(&r.aligned[0].runs) = (struct compare_run){0, 0, 99};
		*vec_add(&r.aligned[0].runs) =
		    (struct compare_run){.a = side ? 99 : 100, .b = side ? 100 : 99, .count = 90};
		delay(&r, 0, side ? 100 : 99, 5 * MS);
		delay(&r, 0, 150, 5 * MS);
		assert_int_equal(find(&r, 1), 1);
		assert_int_equal(r.delays.at[0].b, 150);
		assert_int_equal(r.delays.at[0].a, side ? 149 : 151);
		free_runs(&r);
	}
}

/* One message that comes early makes the next step longer, but nothing later. */
static void
test_early(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, 2 * MS, 1);
	r.bad[0].times.at[99] = r.bad[0].times.at[98] + 1; /* the next comes 4 ms behind it */
	assert_int_equal(find(&r, 1), 0);
	r.bad[0].times.at[99] = r.bad[0].times.at[98]; /* even if that is all the time it took */
	assert_int_equal(find(&r, 1), 0);
	r.bad[0].times.at[1] = r.bad[0].times.at[0]; /* and near the begin */
	assert_int_equal(find(&r, 1), 0);
	delay(&r, 0, 50, 5 * MS); /* behind what is late, too */
	assert_int_equal(find(&r, 1), 1);
	assert_int_equal(r.delays.at[0].b, 50);
	free_runs(&r);
}

/* --- the same delay --------------------------------------------------------------- */

static void
test_shared(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, MS / 2, 1);
	for (int i = 0; i < ORIGINS; i++)
		delay(&r, i, 100, 5 * MS);
	assert_int_equal(find(&r, ORIGINS), 1);
	check_delay(&r.delays.at[0], 0, 100, MS / 2, 5 * MS + MS / 2, 2);
	free_runs(&r);
	/* at the half of it the other is the same one, below it is one of its own */
	for (int more = 0; more < 2; more++) {
		make_runs(&r, MS / 2, 1);
		delay(&r, 0, 100, 5 * MS);
		delay(&r, 1, 100, 10 * MS + more * 2);
		assert_int_equal(find(&r, 2), more + 1);
		assert_int_equal(r.delays.at[0].with, !more);
		free_runs(&r);
	}
}

/* Apart in time, they are two, in the order of time and not of origins; so are those of one
 * origin. */
static void
test_apart(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, MS / 2, 1);
	delay(&r, 1, 50, 5 * MS);
	delay(&r, 0, 120, 5 * MS);
	delay(&r, 0, 121, 5 * MS);
	assert_int_equal(find(&r, 2), 3);
	check_delay(&r.delays.at[0], 1, 50, MS / 2, 5 * MS + MS / 2, 0);
	check_delay(&r.delays.at[1], 0, 120, MS / 2, 5 * MS + MS / 2, 0);
	check_delay(&r.delays.at[2], 0, 121, MS / 2, 5 * MS + MS / 2, 0);
	free_runs(&r);
}

/* Behind many of one origin, the one that two share is still one. */
static void
test_many(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, MS / 2, 1);
	for (size_t i = 2; i < 2 + 18 * 9; i += 9) /* too few to be usual */
		delay(&r, 0, i, 5 * MS);
	size_t own = find(&r, 2);
	assert_int_equal(own, 18);
	/* origin 1 stops with the last of them */
	int64_t end = r.bad[0].times.at[2 + 17 * 9];
	delay(&r, 1, 0, end - 4 * MS - r.bad[1].times.at[100]);
	delay(&r, 1, 101, 5 * MS);
	assert_int_equal(find(&r, 2), own);
	assert_int_equal(r.delays.at[own - 1].with, 1);
	free_runs(&r);
}

/* A delay that begins at the time at which another ends is one of its own. */
static void
test_behind(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, MS / 2, 1);
	for (size_t i = 0; i < MESSAGES; i++) { /* both at the same times */
		r.good[1].times.at[i] = r.good[0].times.at[i];
		r.bad[1].times.at[i] = r.bad[0].times.at[i];
	}
	delay(&r, 0, 100, 5 * MS); /* ends at 55 ms */
	delay(&r, 1, 110, 5 * MS); /* from 54.5 */
	assert_int_equal(find(&r, 2), 1);
	r.bad[1].times.at[109] = r.bad[0].times.at[100];
	assert_int_equal(find(&r, 2), 2);
	free_runs(&r);
}

/* Of the same time the first origin is the one. */
static void
test_equal(void **state)
{
	struct runs r;
	(void)state;
	make_runs(&r, MS / 2, 1);
	for (int i = 0; i < ORIGINS; i++) {
		for (size_t k = 0; k < MESSAGES; k++) {
			r.good[i].times.at[k] = (int64_t)k * (MS / 2);
			r.bad[i].times.at[k] = (int64_t)k * (MS / 2);
		}
		delay(&r, i, 100, 5 * MS);
	}
	assert_int_equal(find(&r, ORIGINS), 1);
	check_delay(&r.delays.at[0], 0, 100, MS / 2, 5 * MS + MS / 2, 2);
	free_runs(&r);
}

/* Three good runs, whose times of a step are 10, 12 and 15 ms: a spread of 5 ms.  There the slowest
 * run exceeds the second one by 3 ms, at two other steps by 2 ms, which is usual. */
static void
test_several(void **state)
{
	static const int64_t later[3][3] = {{0, 0, 0}, {2 * MS, 0, 0}, {5 * MS, 2 * MS, 2 * MS}};
	static const size_t at[3] = {50, 100, 150};
	(void)state;
	for (int64_t by = 9; by <= 11; by++) {
		struct runs r;
		make_runs(&r, 10 * MS, 1);
		struct compare_stream *good = &r.good[0], *bad = &r.bad[0];
		bad->spans = mem_new(MESSAGES * sizeof *bad->spans);
		delay(&r, 0, 50, by * MS); /* 10: by the spread longer than the slowest run */
		delay(&r, 0, 120, 3 * MS); /* too short for twice the usual excess */
		delay(&r, 0, 170, 4 * MS);
		for (int run = 0; run < 3; run++) {
			int64_t sum = 0;
			for (size_t i = 0, k = 0; i < MESSAGES; i++) {
				sum += k < 3 && i == at[k] ? later[run][k++] : 0;
				good->times.at[i] = (int64_t)i * 10 * MS + sum;
			}
			compare_add_spans(r.aligned, 1);
		}
		compare_find_delays(r.aligned, 1, factor, least, 3, &r.delays);
		assert_int_equal(r.delays.count, by < 10 ? 1 : 2);
		const struct compare_delay *last = &r.delays.at[r.delays.count - 1];
		assert_int_equal(last->b, 170);
		assert_int_equal(last->took[0], 10 * MS);
		assert_int_equal(last->took[1], 14 * MS);
		assert_int_equal(last->runs, 3);
		if (by >= 10) {
			assert_int_equal(r.delays.at[0].b, 50);
			assert_int_equal(r.delays.at[0].took[0], 15 * MS);
			assert_int_equal(r.delays.at[0].took[1], (10 + by) * MS);
		}
		free(bad->spans);
		free_runs(&r);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_least),   cmocka_unit_test(test_factor),
	    cmocka_unit_test(test_ends),    cmocka_unit_test(test_usual),
	    cmocka_unit_test(test_drift),   cmocka_unit_test(test_untimed),
	    cmocka_unit_test(test_extra),   cmocka_unit_test(test_early),
	    cmocka_unit_test(test_shared),  cmocka_unit_test(test_apart),
	    cmocka_unit_test(test_behind),  cmocka_unit_test(test_equal),
	    cmocka_unit_test(test_few),	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_several),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
