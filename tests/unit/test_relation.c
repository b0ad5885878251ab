/*
 * Clock relations against clocks whose truth is known: each clock here is a
 * rational function of a true time in nanoseconds, computed apart, read with
 * jitter at some moments that are not all seen.
 */
#include "config.h"

#include "test.h"

#include "base/bytes.h"
#include "random.h"
#include "session/clock/relation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the truth --------------------------------------------------------- */

struct truth {
	uint64_t hz;	/* nominal */
	int64_t ppb;	/* what it differs from that, in 10^-9 */
	uint64_t start; /* ticks at time 0 */
};

/* What the clock shows at NS nanoseconds. */
static uint64_t
reads(const struct truth *clock, uint64_t ns)
{
	unsigned __int128 ticks = (unsigned __int128)ns * clock->hz;
	ticks = ticks * (unsigned __int128)(1000000000 + clock->ppb) / 1000000000 / 1000000000;
	return clock->start + (uint64_t)ticks;
}

static uint64_t seed;

static uint64_t
draw(uint64_t below)
{
	return (uint64_t)((unsigned __int128)random_next(&seed) * below >> 64);
}

static int64_t
jitter(uint64_t most)
{
	return most ? (int64_t)draw(2 * most + 1) - (int64_t)most : 0;
}

struct plan {
	struct truth a, b;
	uint64_t interval, count; /* between points in ns, and how many */
	uint64_t jitter;	  /* of B's reading, ns */
	unsigned lost;		  /* points of 1000 */
	unsigned wrong;		  /* points of 1000 whose B is far off */
};

static struct graph
make(const struct plan *plan)
{
	struct graph graph = {0};
	size_t b = graph_add_clock(&graph, "b", relation_rate_of((double)plan->b.hz), false);
	size_t a = graph_add_clock(&graph, "a", relation_rate_of((double)plan->a.hz), false);
	struct relation *r = graph_add_relation(&graph, "test", a, b);
	for (uint64_t i = 0; i < plan->count; i++) {
		uint64_t ns = plan->jitter + (i + 1) * plan->interval;
		uint64_t late = (uint64_t)((int64_t)ns + jitter(plan->jitter));
		if (draw(1000) < plan->wrong)
			late += plan->interval / 4 + draw(plan->interval / 4);
		if (draw(1000) >= plan->lost)
			relation_add(r, reads(&plan->a, ns), reads(&plan->b, late), i);
	}
	graph_settle(&graph);
	return graph;
}

static double
nanoseconds(const struct truth *b, uint64_t ns)
{
	return (double)reads(b, ns) * 1e9 / (double)b->hz;
}

/* The share of moments from FROM to TO that A's ticks give within the error;
 * the largest error stated. */
static double
good(const struct graph *graph, const struct plan *plan, uint64_t from, uint64_t to, double *most)
{
	enum { TRIES = 20000 };
	unsigned within = 0;
	*most = 0;
	for (int i = 0; i < TRIES; i++) {
		uint64_t ns = from + draw(to - from);
		struct graph_time time;
		assert_true(
		    graph_time(graph, 1, reads(&plan->a, ns), SIZE_MAX, RELATION_NOWHERE, &time));
		assert_true(time.known);
		assert_int_equal(time.root, 0);
		double off = fabs((double)time.nanoseconds - nanoseconds(&plan->b, ns));
		within += off <= time.error;
		*most = fmax(*most, time.error);
	}
	return (double)within / TRIES;
}

#define SECOND UINT64_C(1000000000)

static const struct plan plans[] = {
    {{60000000, 200000, 5000}, {1000000000, -200000, 77}, SECOND, 300, 0, 0, 0},
    {{60000000, -200000, 5000}, {1000000000, 200000, 77}, SECOND, 300, 5000, 100, 0},
    {{32768, 150000, 1u << 20}, {19200000, 0, 9}, SECOND / 10, 1000, 100000, 300, 0},
    {{19200000, -30000, 1u << 20}, {1000000, 120000, 0}, SECOND / 50, 4000, 2000, 200, 10},
    {{700000000, 1, UINT64_C(1) << 62}, {100000000, 0, 3}, SECOND, 8, 1000, 0, 0},
};
enum { PLANS = sizeof plans / sizeof *plans };

/* --- inside and outside of the points ---------------------------------- */

static void
test_inside(void **state)
{
	(void)state;
	for (size_t i = 0; i < PLANS; i++) {
		double most;
		seed = i;
		const struct plan *plan = &plans[i];
		struct graph graph = make(plan);
		double share = good(&graph, plan, plan->interval * 2,
				    plan->interval * (plan->count - 1), &most);
		assert_true(share >= 0.999);
		/* and the error that is stated is not just large */
		double tick = 1e9 / (double)plan->a.hz + 1e9 / (double)plan->b.hz;
		assert_true(most < 12 * (double)plan->jitter + 4 * tick);
		graph_free(&graph);
	}
}

static void
test_outside(void **state)
{
	(void)state;
	for (size_t i = 0; i < PLANS; i++) {
		double near, far;
		seed = 100 + i;
		const struct plan *plan = &plans[i];
		struct graph graph = make(plan);
		uint64_t end = plan->interval * (plan->count + 1), length = end - plan->interval;
		assert_true(good(&graph, plan, end, end + length / 10, &near) >= 0.999);
		assert_true(good(&graph, plan, end + 5 * length, end + 6 * length, &far) >= 0.999);
		assert_true(far > 5 * near);
		graph_free(&graph);
	}
}

/* One point alone goes by the rates that were stated. */
/* Two points so near to each other that one tick turns their line by 2,000 ppm: the stated
 * rates say more of what is 300 ms away.  Points that contradict the rates are believed. */
static void
test_near_points(void **state)
{
	(void)state;
	const struct plan plan = {
	    {1000000, 100000, 0}, {1000000000, 0, 0}, SECOND / 2000, 2, 0, 0, 0};
	double most;
	struct graph graph = make(&plan);
	assert_true(good(&graph, &plan, SECOND / 3, SECOND / 2, &most) == 1);
	assert_true(most < 0.0005 * (double)SECOND / 2);
	struct graph_time time;
	assert_true(graph_time(&graph, 1, 300000, SIZE_MAX, RELATION_NOWHERE, &time));
	assert_true(fabs((double)time.nanoseconds - 300e6) < 150e3);
	graph_free(&graph);

	struct plan other = plan;
	other.a.ppb = 500000000;
	graph = make(&other);
	assert_true(good(&graph, &other, SECOND / 3, SECOND / 2, &most) == 1);
	graph_free(&graph);
}

static void
test_one_point(void **state)
{
	(void)state;
	double near, far;
	struct plan plan = plans[0];
	plan.count = 1;
	struct graph graph = make(&plan);
	assert_true(good(&graph, &plan, SECOND, 2 * SECOND, &near) >= 0.999);
	assert_true(good(&graph, &plan, SECOND, 100 * SECOND, &far) >= 0.999);
	assert_true(near > 1e3 && near < 1e6);
	assert_true(far > 30 * near);
	/* without one there is no telling */
	graph.relations.at[0]->rate_a.numerator = 0;
	struct graph_time time;
	assert_false(graph_time(&graph, 1, 77, SIZE_MAX, RELATION_NOWHERE, &time));
	graph_free(&graph);
}

static void
test_what_is_said(void **state)
{
	(void)state;
	seed = 1;
	struct graph graph = make(&plans[0]);
	const struct relation *r = graph.relations.at[0];
	/* B at -200 ppm against A at +200 ppm: (1 - 2e-4) / (1 + 2e-4) - 1 */
	assert_true(fabs(r->ppm + 399.92) < 0.01);
	assert_int_equal(r->used.count, 300);
	assert_int_equal(r->rejected, 0);
	assert_true(r->residual < 50e-9 && r->rms <= r->residual);
	/* B shows 0.9998 s and 77 ns, A 1.0002 s and 5000 ticks at the first point */
	assert_true(fabs(r->offset - (-0.0004 + 77e-9 - 5000 / 60e6)) < 100e-9);
	graph_free(&graph);
}

/* --- exactness --------------------------------------------------------- */

static void
test_exact(void **state)
{
	(void)state;
	struct graph graph = {0};
	struct graph_time time;
	/* three hops through rates that have no common measure; 2^62 at the end */
	size_t ns = graph_add_clock(&graph, "ns", relation_rate_of(1e9), true);
	size_t thirds = graph_add_clock(&graph, "thirds", relation_rate_of(3e9), false);
	size_t sevens = graph_add_clock(&graph, "sevens", relation_rate_of(7e9), false);
	size_t usual = graph_add_clock(&graph, "usual", relation_rate_of(1e9), false);
	size_t chain[] = {ns, thirds, sevens, usual};
	for (size_t i = 0; i + 1 < 4; i++) {
		struct relation *r = graph_add_relation(&graph, "test", chain[i], chain[i + 1]);
		r->exact = true;
		relation_add(r, 0, 0, RELATION_NOWHERE);
	}
	graph_settle(&graph);
	static const uint64_t ticks[] = {0, 1, 2, 3, 1000000007, 1763719600123456789, 1ull << 62};
	for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
		assert_true(graph_time(&graph, usual, ticks[i], SIZE_MAX, RELATION_NOWHERE, &time));
		assert_true(time.known);
		assert_int_equal(time.nanoseconds, ticks[i]);
		assert_true(time.error <= 1); /* a tick */
	}
	/* what does not fit is not known, not wrong */
	assert_true(graph_time(&graph, sevens, UINT64_MAX, SIZE_MAX, RELATION_NOWHERE, &time));
	assert_int_equal(time.nanoseconds, UINT64_MAX / 7);
	assert_true(graph_time(&graph, usual, UINT64_MAX, SIZE_MAX, RELATION_NOWHERE, &time));
	assert_false(time.known);
	graph_free(&graph);
}

/* A fractional rate: 10/3 MHz as a tick of 0.3 us makes it. */
static void
test_fraction(void **state)
{
	(void)state;
	struct graph graph = {0};
	struct graph_time time;
	graph_add_clock(&graph, "third", relation_rate_of(1e6 / 0.3), false);
	graph_settle(&graph);
	assert_true(graph_time(&graph, 0, 1000000, SIZE_MAX, RELATION_NOWHERE, &time));
	assert_true(time.nanoseconds >= 299999998 && time.nanoseconds <= 300000002);
	assert_int_equal(relation_rate_of(0).numerator, 0);
	assert_int_equal(relation_rate_of(-5).numerator, 0);
	assert_int_equal(relation_rate_of(NAN).numerator, 0);
	assert_int_equal(relation_rate_of(INFINITY).numerator, 0);
	graph_free(&graph);
}

/* --- bad points -------------------------------------------------------- */

static void
test_outliers(void **state)
{
	(void)state;
	struct plan plan = plans[1];
	plan.count = 2000;
	plan.lost = 0;
	plan.wrong = 20;
	seed = 3;
	struct graph graph = make(&plan);
	const struct relation *r = graph.relations.at[0];
	/* the rejected ones are just those that are not where B was */
	size_t wrong = 0;
	for (size_t i = 0; i < r->points.count; i++) {
		uint64_t ns = plan.jitter + (i + 1) * plan.interval;
		double off = fabs((double)r->points.at[i].b - (double)reads(&plan.b, ns));
		bool is_wrong = off > 1e8;
		assert_int_equal(r->points.at[i].rejected, is_wrong);
		wrong += is_wrong;
	}
	assert_true(wrong > 20);
	assert_int_equal(r->rejected, wrong);
	assert_int_equal(r->segments.count, 1);
	graph_free(&graph);
}

/* Clock A starts again at 0, then B jumps by an hour; places tell which. */
static void
test_steps(void **state)
{
	(void)state;
	struct truth a = {60000000, 50000, 1000}, b = {1000000000, 0, 0};
	struct graph graph = {0};
	size_t root = graph_add_clock(&graph, "b", relation_rate_of(1e9), true);
	size_t own = graph_add_clock(&graph, "a", relation_rate_of(60e6), false);
	struct relation *r = graph_add_relation(&graph, "test", own, root);
	r->owner = 4;
	for (uint64_t i = 0; i < 300; i++) {
		uint64_t ns = i * SECOND, hour = i >= 200 ? 3600 * SECOND : 0;
		uint64_t since = i >= 100 ? ns - 100 * SECOND : ns;
		relation_add(r, reads(&a, since), reads(&b, ns) + hour, i * 1000);
	}
	graph_settle(&graph);
	assert_int_equal(r->segments.count, 3);
	assert_int_equal(r->rejected, 0);
	struct graph_time time;
	uint64_t tick = reads(&a, 50 * SECOND + SECOND / 2); /* has two meanings */
	assert_true(graph_time(&graph, own, tick, 4, 50500, &time));
	assert_true(fabs((double)time.nanoseconds - 50.5e9) <= time.error + 1);
	assert_true(graph_time(&graph, own, tick, 4, 150500, &time));
	assert_true(fabs((double)time.nanoseconds - 150.5e9) <= time.error + 1);
	/* just before and behind the step the nearer one counts */
	assert_true(graph_time(&graph, own, reads(&a, 99 * SECOND + 1000), 4, 99010, &time));
	assert_true(fabs((double)time.nanoseconds - 99.000001e9) <= time.error + 1);
	assert_true(graph_time(&graph, own, 1000, 4, 99990, &time));
	assert_true(fabs((double)time.nanoseconds - 100e9) <= time.error + 1);
	assert_true(graph_time(&graph, own, reads(&a, 130 * SECOND), 4, 230000, &time));
	assert_true(fabs((double)time.nanoseconds - 3830e9) <= time.error + 1);
	graph_free(&graph);
}

/* A clock that starts again twice: ten points before, none between the two, one after.  The
 * tick says nothing without a point between the same restarts. */
static void
test_restarts(void **state)
{
	(void)state;
	static const uint64_t restarts[] = {20500, 30500};
	struct truth a = {60000000, 50000, 0}, b = {1000000000, 0, 0};
	struct graph graph = {0};
	struct graph_time time, far;
	size_t root = graph_add_clock(&graph, "b", relation_rate_of(1e9), true);
	size_t own = graph_add_clock(&graph, "a", relation_rate_of(60e6), false);
	struct relation *r = graph_add_relation(&graph, "test", own, root);
	r->owner = 4;
	r->restarts = restarts;
	r->restart_count = 2;
	for (uint64_t i = 0; i < 10; i++)
		relation_add(r, reads(&a, i * SECOND), reads(&b, i * SECOND), i * 1000);
	relation_add(r, reads(&a, 9 * SECOND), reads(&b, 49 * SECOND), 40000);
	graph_settle(&graph);
	assert_int_equal(r->rejected, 0);
	assert_true(graph_time(&graph, own, reads(&a, 12 * SECOND), 4, 20000, &time));
	assert_true(fabs((double)time.nanoseconds - 12e9) <= time.error && !time.alone);
	assert_false(graph_time(&graph, own, reads(&a, SECOND), 4, 25000, &time));
	assert_true(graph_time(&graph, own, reads(&a, SECOND), 4, 31000, &far));
	assert_true(fabs((double)far.nanoseconds - 41e9) <= far.error && far.alone);
	assert_true(graph_time(&graph, own, reads(&a, 9 * SECOND), 4, 40000, &time));
	assert_true(far.error > 2 * time.error); /* it grows with the distance */
	graph_free(&graph);
}

/* Sync points that are wrong together are no segment, as the clock goes on after them. */
static void
test_wrong_together(void **state)
{
	(void)state;
	struct truth a = {60000000, 50000, 0}, b = {1000000000, 0, 0};
	struct graph graph = {0};
	struct graph_time time;
	size_t root = graph_add_clock(&graph, "b", relation_rate_of(1e9), true);
	size_t own = graph_add_clock(&graph, "a", relation_rate_of(60e6), false);
	struct relation *r = graph_add_relation(&graph, "test", own, root);
	r->owner = 4;
	for (uint64_t i = 0; i < 60; i++) {
		uint64_t late = i >= 30 && i < 33 ? SECOND / 2 : i >= 33 && i < 35 ? SECOND : 0;
		relation_add(r, reads(&a, i * SECOND), reads(&b, i * SECOND + late), i * 1000);
	}
	graph_settle(&graph);
	assert_int_equal(r->rejected, 5);
	assert_int_equal(r->segments.count, 1);
	assert_true(graph_time(&graph, own, reads(&a, 32 * SECOND), 4, 32000, &time));
	assert_true(fabs((double)time.nanoseconds - 32e9) <= time.error);
	assert_true(time.error < 1e4);
	graph_free(&graph);
}

/* Points are up to 1 ms late: the error of a segment with one or two of them is no smaller
 * than the others show. */
static void
test_few_among_late(void **state)
{
	(void)state;
	struct truth a = {60000000, 0, 0}, b = {1000000000, 0, 0};
	for (uint64_t few = 1; few <= 2; few++) {
		static const uint64_t restart = 99500;
		struct graph graph = {0};
		struct graph_time time;
		size_t root = graph_add_clock(&graph, "b", relation_rate_of(1e9), true);
		size_t own = graph_add_clock(&graph, "a", relation_rate_of(60e6), false);
		struct relation *r = graph_add_relation(&graph, "test", own, root);
		seed = few;
		r->owner = 4;
		r->restarts = &restart;
		r->restart_count = 1;
		for (uint64_t i = 0; i < 100 + few; i++) {
			uint64_t since = i < 100 ? i * SECOND : (i - 99) * SECOND;
			relation_add(r, reads(&a, since), reads(&b, i * SECOND + draw(1000000)),
				     i * 1000);
		}
		graph_settle(&graph);
		assert_int_equal(r->segments.count, 2);
		assert_true(graph_time(&graph, own, reads(&a, SECOND), 4, 100000, &time));
		assert_true(time.error > 0.9e6 && time.error < 3e6);
		assert_true(fabs((double)time.nanoseconds - 100e9) <= time.error);
		graph_free(&graph);
	}
}

/* --- other shapes ------------------------------------------------------ */

/* Places of a trace without clock: known at its points, between them between. */
static void
test_uneven(void **state)
{
	(void)state;
	static const uint64_t times[] = {1000, 1010, 5000, 100, 5100, 9000, 10000};
	struct graph graph = {0};
	graph_add_clock(&graph, "ns", relation_rate_of(1e9), false);
	size_t places = graph_add_clock(&graph, "places", (struct relation_rate){0, 1}, false);
	struct relation *r = graph_add_relation(&graph, "test", places, 0);
	r->uneven = true;
	for (size_t i = 0; i < 7; i++)
		relation_add(r, 100 * i, times[i], 100 * i);
	graph_settle(&graph);
	assert_int_equal(r->rejected, 1);
	assert_int_equal(r->segments.count, 1);
	struct graph_time time;
	for (size_t i = 0; i < 7; i++) {
		assert_true(graph_time(&graph, places, 100 * i, SIZE_MAX, 100 * i, &time));
		if (i != 3) {
			assert_int_equal(time.nanoseconds, times[i]);
			assert_true(time.error <= 1);
		}
	}
	assert_true(graph_time(&graph, places, 150, SIZE_MAX, 150, &time));
	assert_int_equal(time.nanoseconds, 3005);
	assert_true(time.error >= 1995 && time.error < 2000);
	assert_true(graph_time(&graph, places, 900, SIZE_MAX, 900, &time));
	assert_int_equal(time.nanoseconds, 10000);
	assert_true(isinf(time.error));
	graph_free(&graph);
}

static void
test_parts(void **state)
{
	(void)state;
	struct graph graph = {0};
	struct graph_time time;
	size_t plain = graph_add_clock(&graph, "plain", relation_rate_of(1000), false);
	size_t wall = graph_add_clock(&graph, "wall", relation_rate_of(1e9), true);
	size_t alone = graph_add_clock(&graph, "alone", relation_rate_of(1e6), false);
	size_t no_rate = graph_add_clock(&graph, "no rate", (struct relation_rate){0, 1}, false);
	relation_add(graph_add_relation(&graph, "tie", plain, wall), 5000, 7 * SECOND, 0);
	graph_settle(&graph);
	assert_int_equal(graph.clocks.at[plain].root, wall);
	assert_int_equal(graph.clocks.at[wall].root, wall);
	assert_int_equal(graph.clocks.at[alone].root, alone);
	assert_true(graph_time(&graph, plain, 6000, SIZE_MAX, RELATION_NOWHERE, &time));
	assert_int_equal(time.nanoseconds, 8 * SECOND);
	assert_true(graph_time(&graph, alone, 5, SIZE_MAX, RELATION_NOWHERE, &time));
	assert_int_equal(time.nanoseconds, 5000);
	assert_true(graph_time(&graph, no_rate, 5, SIZE_MAX, RELATION_NOWHERE, &time));
	assert_false(time.known);
	assert_true(time.ticks == (relation_ticks)5 << RELATION_FRACTION);
	graph_free(&graph);
}

static void
test_unwrap(void **state)
{
	(void)state;
	uint64_t last = 0, true_value = 0;
	seed = 9;
	for (int i = 0; i < 100000; i++) {
		true_value += draw(100000) - (i % 7 == 0 && true_value > 5000 ? 5000 : 0);
		last = bytes_unwrap(last, true_value & 0x3ffff, 18);
		assert_int_equal(last, true_value);
	}
	assert_int_equal(bytes_unwrap(0x1fffffff0, 5, 32), 0x200000005);
	assert_int_equal(bytes_unwrap(0x200000005, 0xfffffff0, 32), 0x1fffffff0);
	assert_int_equal(bytes_unwrap(5, 0xf0, 8), 0xf0); /* never below zero */
	assert_int_equal(bytes_unwrap(5, UINT64_MAX, 64), UINT64_MAX);
}

/* More points than are kept: as good, with fewer. */
static void
test_many(void **state)
{
	(void)state;
	double most;
	struct plan plan = plans[1];
	plan.count = 300000;
	plan.interval = SECOND / 1000;
	plan.lost = 0;
	struct graph graph = make(&plan);
	const struct relation *r = graph.relations.at[0];
	assert_int_equal(r->seen, 300000);
	assert_in_range(r->points.count, RELATION_POINTS_MAX / 2, RELATION_POINTS_MAX);
	assert_true(good(&graph, &plan, SECOND, 299 * SECOND, &most) >= 0.999);
	graph_free(&graph);
}

/* Whatever the points are, all that is asked has an answer or none. */
static void
test_nonsense(void **state)
{
	(void)state;
	for (seed = 0; seed < 3000; seed++) {
		struct graph graph = {0};
		uint64_t range = (uint64_t)1 << draw(64);
		graph_add_clock(&graph, "a", relation_rate_of((double)draw(1u << 31)), false);
		graph_add_clock(&graph, "b", relation_rate_of((double)draw(3)), false);
		struct relation *r = graph_add_relation(&graph, "test", 0, 1);
		r->uneven = draw(4) == 0;
		for (uint64_t i = draw(20); i > 0; i--)
			relation_add(r, draw(range) << draw(30), draw(range) << draw(30), draw(99));
		graph_settle(&graph);
		for (int i = 0; i < 20; i++) {
			struct graph_time time;
			uint64_t ticks = i ? draw(range) << draw(30) : UINT64_MAX;
			if (graph_time(&graph, draw(2), ticks, SIZE_MAX, draw(99), &time))
				assert_false(time.error < 0);
		}
		graph_free(&graph);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_inside),	   cmocka_unit_test(test_outside),
	    cmocka_unit_test(test_near_points),	   cmocka_unit_test(test_one_point),
	    cmocka_unit_test(test_what_is_said),   cmocka_unit_test(test_exact),
	    cmocka_unit_test(test_fraction),	   cmocka_unit_test(test_outliers),
	    cmocka_unit_test(test_steps),	   cmocka_unit_test(test_uneven),
	    cmocka_unit_test(test_parts),	   cmocka_unit_test(test_unwrap),
	    cmocka_unit_test(test_many),	   cmocka_unit_test(test_nonsense),
	    cmocka_unit_test(test_restarts),	   cmocka_unit_test(test_wrong_together),
	    cmocka_unit_test(test_few_among_late),
	};
	return cmocka_run_group_tests_name("relation", tests, NULL, NULL);
}
