/*
 * Pairs of begins and ends, by pairing.h: cases by hand, and random ones against a search
 * through all items, which has neither stacks nor hashes.  Where they are, by
 * interval_tree.h, against a search through all of them.
 */
#include "config.h"

#include "test.h"

#include "query/interval/interval_tree.h"
#include "query/interval/pairing.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { TRACES = 3, INTERVALS = 2, KEYS = 4, ITEMS = 400 };

/* What is fed, and what is expected of it. */
struct item {
	bool lost;
	struct interval_item item;
	size_t other; /* number of the item at the other end; SIZE_MAX: none */
	bool doubtful;
	size_t event; /* number of its event in its trace */
};

static void
feed(struct pairing *p, uint8_t interval, bool end, size_t trace, uint64_t offset, uint64_t key,
     int64_t time)
{
	const struct interval_item item = {.interval = interval,
					   .end = end,
					   .trace = trace,
					   .id = {.offset = offset},
					   .key = {key, interval},
					   .timed = true,
					   .time = time};
	pairing_feed(p, &item);
}

static int64_t
length_at(const struct pairing *p, size_t trace, size_t event)
{
	return pairing_length(p, &pairing_events(p, trace)->at[event]);
}

static void
test_cases(void **state)
{
	(void)state;
	struct pairing *p = pairing_new(2);
	feed(p, 0, false, 0, 10, 7, 100);
	feed(p, 0, false, 0, 20, 8, 110); /* overlaps */
	feed(p, 0, false, 0, 30, 7, 120); /* nested */
	feed(p, 0, true, 0, 40, 7, 130);
	feed(p, 0, true, 0, 50, 7, 170);
	feed(p, 0, true, 0, 60, 7, 180);  /* has not begun */
	feed(p, 1, true, 0, 70, 8, 190);  /* of another interval */
	feed(p, 0, true, 1, 5, 8, 105);	  /* in another trace, before */
	feed(p, 1, false, 0, 80, 7, 200); /* stays open */
	assert_int_equal(pairing_counts(p, 0)->pairs, 3);
	assert_int_equal(pairing_counts(p, 0)->unbegun, 1);
	assert_int_equal(pairing_counts(p, 0)->open, 0);
	assert_int_equal(pairing_counts(p, 1)->unbegun, 1);
	assert_int_equal(pairing_counts(p, 1)->open, 1);
	const interval_events *events = pairing_events(p, 0);
	assert_int_equal(events->count, 6);
	assert_int_equal(events->at[2].other, 3); /* the last begun is ended first */
	assert_int_equal(events->at[3].other, 2);
	assert_int_equal(events->at[0].other, 4);
	assert_int_equal(length_at(p, 0, 2), 10);
	assert_int_equal(length_at(p, 0, 3), 10);
	assert_int_equal(length_at(p, 0, 0), 70);
	assert_int_equal(length_at(p, 1, 0), -5);
	assert_int_equal(events->at[1].other_trace, 1);
	assert_int_equal(events->at[5].flags, INTERVAL_TIMED); /* open */
	pairing_free(p);
}

/* Loss between, in the trace of either end; not before, nor behind, nor elsewhere. */
static void
test_loss(void **state)
{
	(void)state;
	struct pairing *p = pairing_new(3);
	pairing_lose(p, 0);
	feed(p, 0, false, 0, 1, 1, 1);
	pairing_lose(p, 2);
	feed(p, 0, true, 1, 1, 1, 2);
	assert_int_equal(pairing_counts(p, 0)->doubtful, 0);
	feed(p, 0, false, 0, 2, 1, 3);
	pairing_lose(p, 0);
	feed(p, 0, true, 1, 2, 1, 4);
	assert_int_equal(pairing_counts(p, 0)->doubtful, 1);
	feed(p, 0, false, 0, 3, 1, 5);
	pairing_lose(p, 1);
	feed(p, 0, true, 1, 3, 1, 6);
	assert_int_equal(pairing_counts(p, 0)->doubtful, 2);
	assert_true(pairing_events(p, 0)->at[2].flags & INTERVAL_DOUBTFUL);
	assert_true(pairing_events(p, 1)->at[2].flags & INTERVAL_DOUBTFUL);
	assert_false(pairing_events(p, 0)->at[0].flags & INTERVAL_DOUBTFUL);
	pairing_free(p);
}

/* Lengths need two times of one clock, in one unit. */
static void
test_times(void **state)
{
	(void)state;
	static const struct {
		bool timed, ticks;
		size_t part;
		bool has;
	} ends[] = {{true, false, 0, true},
		    {false, false, 0, false},
		    {true, true, 0, false},
		    {true, false, 1, false}};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct pairing *p = pairing_new(1);
		struct interval_item item = {.key = {1, 1}, .timed = true, .time = 5};
		pairing_feed(p, &item);
		item = (struct interval_item){.end = true,
					      .key = {1, 1},
					      .timed = ends[i].timed,
					      .ticks = ends[i].ticks,
					      .part = ends[i].part,
					      .time = 9};
		pairing_feed(p, &item);
		assert_int_equal(pairing_counts(p, 0)->pairs, 1);
		assert_int_equal(pairing_counts(p, 0)->untimed, !ends[i].has);
		for (size_t k = 0; k < 2; k++)
			assert_int_equal((pairing_events(p, 0)->at[k].flags & INTERVAL_TIMED) != 0,
					 ends[i].has);
		pairing_free(p);
	}
}

/* --- random ---------------------------------------------------------------- */

static void
make_items(uint64_t *random, struct item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		items[i] = (struct item){.other = SIZE_MAX};
		struct interval_item *item = &items[i].item;
		items[i].lost = random_below(random, 12) == 0;
		item->trace = random_below(random, TRACES);
		item->interval = (uint8_t)random_below(random, INTERVALS);
		item->end = random_below(random, 2);
		item->key[0] = random_below(random, KEYS);
		item->key[1] = item->interval;
		item->id.offset = i;
		item->timed = true;
		item->time = (int64_t)(10 * i + random_below(random, 30));
	}
}

static bool
has_loss(const struct item *items, size_t from, size_t to)
{
	for (size_t i = from + 1; i < to; i++)
		if (items[i].lost && (items[i].item.trace == items[from].item.trace ||
				      items[i].item.trace == items[to].item.trace))
			return true;
	return false;
}

/* Each end takes the nearest begin before it that is alike and free. */
static void
expect_pairs(struct item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct interval_item *end = &items[i].item;
		for (size_t k = i; !items[i].lost && end->end && k--;) {
			const struct interval_item *begin = &items[k].item;
			if (items[k].lost || begin->end || begin->interval != end->interval ||
			    begin->key[0] != end->key[0] || items[k].other != SIZE_MAX)
				continue;
			items[i].other = k;
			items[k].other = i;
			items[i].doubtful = items[k].doubtful = has_loss(items, k, i);
			break;
		}
	}
}

static void
check_items(const struct pairing *p, struct item *items, size_t count)
{
	size_t next[TRACES] = {0};
	uint64_t pairs[INTERVALS] = {0}, open[INTERVALS] = {0}, unbegun[INTERVALS] = {0};
	for (size_t i = 0; i < count; i++) {
		const struct interval_item *item = &items[i].item;
		if (items[i].lost)
			continue;
		pairs[item->interval] += item->end && items[i].other != SIZE_MAX;
		open[item->interval] += !item->end && items[i].other == SIZE_MAX;
		unbegun[item->interval] += item->end && items[i].other == SIZE_MAX;
		if (item->end && items[i].other == SIZE_MAX)
			continue;
		items[i].event = next[item->trace]++;
	}
	for (size_t i = 0; i < count; i++) {
		const struct interval_item *item = &items[i].item;
		if (items[i].lost || (item->end && items[i].other == SIZE_MAX))
			continue;
		const struct interval_event *event =
		    &pairing_events(p, item->trace)->at[items[i].event];
		assert_int_equal(event->offset, i);
		assert_int_equal((event->flags & INTERVAL_PAIRED) != 0, items[i].other != SIZE_MAX);
		if (items[i].other == SIZE_MAX)
			continue;
		const struct item *other = &items[items[i].other];
		assert_int_equal(event->other_trace, other->item.trace);
		assert_int_equal(event->other, other->event);
		assert_int_equal((event->flags & INTERVAL_DOUBTFUL) != 0, items[i].doubtful);
		int64_t length = item->time - other->item.time;
		assert_int_equal(pairing_length(p, event), item->end ? length : -length);
	}
	for (size_t i = 0; i < INTERVALS; i++) {
		assert_int_equal(pairing_counts(p, i)->pairs, pairs[i]);
		assert_int_equal(pairing_counts(p, i)->open, open[i]);
		assert_int_equal(pairing_counts(p, i)->unbegun, unbegun[i]);
	}
}

static void
test_random(void **state)
{
	(void)state;
	uint64_t random = 17;
	struct item *items = mem_new(ITEMS * sizeof *items);
	for (unsigned run = 0; run < 300; run++) {
		size_t count = random_below(&random, ITEMS);
		struct pairing *p = pairing_new(TRACES);
		make_items(&random, items, count);
		expect_pairs(items, count);
		for (size_t i = 0; i < count; i++) {
			if (items[i].lost)
				pairing_lose(p, items[i].item.trace);
			else
				pairing_feed(p, &items[i].item);
		}
		check_items(p, items, count);
		pairing_free(p);
	}
	free(items);
}

/* Many keys at once, and many begins of one key; all ended. */
static void
test_many(void **state)
{
	(void)state;
	enum { MANY = 200000 };
	struct pairing *p = pairing_new(1);
	for (uint64_t i = 0; i < MANY; i++)
		feed(p, 0, false, 0, i, i % 2 ? i : 1, 0);
	for (uint64_t i = 0; i < MANY; i++)
		feed(p, 0, true, 0, MANY + i, i % 2 ? i : 1, 1);
	assert_int_equal(pairing_counts(p, 0)->pairs, MANY);
	assert_int_equal(pairing_counts(p, 0)->open, 0);
	assert_true(sizeof(struct interval_event) == 32);
	pairing_free(p);
}

/* --- where they are ---------------------------------------------------------- */

/* Short and long ones, points, and some without an end. */
static void
make_nodes(uint64_t *random, struct interval_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t begin = (int64_t)random_below(random, 100) - 50;
		int64_t length = (int64_t)random_below(random, random_below(random, 4) ? 8 : 100);
		nodes[i] = (struct interval_node){.begin = begin,
						  .end = random_below(random, 10) ? begin + length
										  : INT64_MAX,
						  .event = (uint32_t)i};
	}
}

/* That a search finds what a scan of all does, each once; with room for MAX only, so many of
 * them. */
static void
check_range(const struct interval_node *tree, const struct interval_node *all, size_t count,
	    int64_t from, int64_t to, size_t max)
{
	const struct interval_node *found[ITEMS];
	uint8_t seen[ITEMS] = {0};
	size_t expected = 0;
	for (size_t i = 0; i < count; i++)
		expected += all[i].begin <= to && all[i].end >= from;
	size_t own = interval_tree_find(tree, count, from, to, found, max);
	assert_int_equal(own, expected < max ? expected : max);
	assert_int_equal(interval_tree_find(tree, count, from, to, NULL, SIZE_MAX), expected);
	for (size_t i = 0; i < own; i++) {
		assert_true(found[i]->begin <= to && found[i]->end >= from);
		assert_int_equal(seen[found[i]->event]++, 0);
		assert_int_equal(found[i]->begin, all[found[i]->event].begin);
		assert_int_equal(found[i]->end, all[found[i]->event].end);
	}
}

static void
test_tree(void **state)
{
	(void)state;
	uint64_t random = 29;
	struct interval_node all[ITEMS], tree[ITEMS];
	for (unsigned run = 0; run < 300; run++) {
		size_t count = random_below(&random, run < 100 ? 8 : ITEMS);
		make_nodes(&random, all, count);
		memcpy(tree, all, count * sizeof *all);
		interval_tree_make(tree, count);
		for (int64_t at = -55; at < 160; at++) {
			int64_t to = at + (int64_t)random_below(&random, 3) *
					      (int64_t)random_below(&random, 40);
			check_range(tree, all, count, at, to, ITEMS);
			check_range(tree, all, count, at, at, random_below(&random, 5));
		}
	}
	assert_true(sizeof(struct interval_node) == 32);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cases), cmocka_unit_test(test_loss),
	    cmocka_unit_test(test_times), cmocka_unit_test(test_random),
	    cmocka_unit_test(test_many),  cmocka_unit_test(test_tree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
