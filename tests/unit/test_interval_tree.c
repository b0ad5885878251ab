/*
 * Which intervals of a tree hold a point or touch a range, against a look at each of them: of
 * random ones, short and long, alike, without an end, at both limits of a time.
 */
#include "config.h"

#include "test.h"

#include "query/interval/interval_tree.h"
#include "random.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 201, TRACES = 3, TREES = 400, RANGES = 40 };

static uint64_t seed = 16;

/* Mostly near to others, so that begins and ends are alike. */
static int64_t
draw_time(void)
{
	static const int64_t limits[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX};
	if (random_below(&seed, 20) == 0)
		return limits[random_below(&seed, 4)];
	return (int64_t)random_below(&seed, 60) - 30;
}

static void
draw_nodes(struct interval_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t a = draw_time(), b = random_below(&seed, 10) ? draw_time() : INT64_MAX;
		nodes[i] = (struct interval_node){.begin = a < b ? a : b,
						  .end = a < b ? b : a,
						  .event = (uint32_t)i / TRACES,
						  .trace = (uint16_t)(i % TRACES)};
	}
}

/* Which one of those that were drawn. */
static size_t
number_of(const struct interval_node *node)
{
	return node->event * TRACES + node->trace;
}

static bool
touches(const struct interval_node *node, int64_t from, int64_t to)
{
	return node->begin <= to && node->end >= from;
}

static size_t
count_touching(const struct interval_node *nodes, size_t count, int64_t from, int64_t to)
{
	size_t touching = 0;
	for (size_t i = 0; i < count; i++)
		touching += touches(&nodes[i], from, to);
	return touching;
}

/* All that is found touches the range, and nothing is found twice. */
static void
check_found(const struct interval_node *const *found, size_t count, int64_t from, int64_t to)
{
	bool seen[NODES] = {false};
	for (size_t i = 0; i < count; i++) {
		assert_true(touches(found[i], from, to));
		assert_false(seen[number_of(found[i])]);
		seen[number_of(found[i])] = true;
	}
}

static void
check_range(const struct interval_node *nodes, size_t count)
{
	const struct interval_node *found[NODES + 1];
	int64_t a = draw_time(), b = random_below(&seed, 2) ? a : draw_time();
	int64_t from = a < b ? a : b, to = a < b ? b : a;
	size_t want = count_touching(nodes, count, from, to), max = random_below(&seed, count + 2);
	assert_int_equal(interval_tree_find(nodes, count, from, to, found, NODES), want);
	check_found(found, want, from, to);
	assert_int_equal(interval_tree_find(nodes, count, from, to, NULL, SIZE_MAX), want);
	size_t few = want < max ? want : max;
	found[few] = NULL;
	assert_int_equal(interval_tree_find(nodes, count, from, to, found, max), few);
	check_found(found, few, from, to);
	assert_null(found[few]);
	assert_int_equal(interval_tree_find(nodes, count, from, to, NULL, max), few);
}

/* What was made is still what was given. */
static void
check_nodes(const struct interval_node *nodes, const struct interval_node *given, size_t count)
{
	bool seen[NODES] = {false};
	for (size_t i = 0; i < count; i++) {
		size_t number = number_of(&nodes[i]);
		assert_false(seen[number]);
		seen[number] = true;
		assert_true(nodes[i].begin == given[number].begin &&
			    nodes[i].end == given[number].end);
	}
}

static void
test_random(void **state)
{
	(void)state;
	for (size_t i = 0; i < TREES; i++) {
		struct interval_node given[NODES], nodes[NODES];
		size_t count = random_below(&seed, i % 4 ? NODES : 8);
		draw_nodes(given, count);
		memcpy(nodes, given, sizeof nodes);
		interval_tree_make(nodes, count);
		check_nodes(nodes, given, count);
		for (size_t k = 0; k < RANGES; k++)
			check_range(nodes, count);
	}
}

/* The same intervals in another order are the same tree: what is shown of many does not change
 * while more are found. */
static void
test_order(void **state)
{
	struct interval_node nodes[NODES], others[NODES];
	(void)state;
	draw_nodes(nodes, NODES);
	for (size_t i = 0; i < NODES; i++) /* many begin at the same time */
		nodes[i].begin = random_below(&seed, 4) - (int64_t)100;
	for (size_t i = 0; i < NODES; i++)
		others[i] = nodes[i * 7 % NODES];
	interval_tree_make(nodes, NODES);
	interval_tree_make(others, NODES);
	for (size_t i = 0; i < NODES; i++)
		assert_true(number_of(&nodes[i]) == number_of(&others[i]) &&
			    nodes[i].split == others[i].split);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
					   cmocka_unit_test(test_order)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
