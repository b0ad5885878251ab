/*
 * Cursors over several lanes against a walk over all of their messages: whatever is
 * known, in whatever steps and threads, the next match is the one that stands next.
 */
#include "config.h"

#include "test.h"

#include "base/thread.h"
#include "query/next_match.h"
#include "random.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "session_fixture.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct entry {
	struct sequence_position at;
	bool match;
};

typedef VEC(struct entry) entries;

static uint64_t seed = 1;

static size_t
draw(size_t below)
{
	return random_below(&seed, below);
}

static void
tell(void *context)
{
	sem_post(context);
}

/* All messages in their order, and which of them both filters want. */
static entries
walk_all(struct sequence *sequence, const struct filter *want, const struct filter *also)
{
	entries all = {0};
	struct sequence_position p;
	struct filter_pair pair = filter_pair_copy(want, also);
	assert_true(sequence_first(sequence, &p));
	do {
		struct message m = *sequence_message(sequence, p);
		bool match = filter_pair_match(&pair, sequence_reader(sequence, p.trace), &m);
		*vec_add(&all) = (struct entry){p, match};
	} while (sequence_next(sequence, &p));
	filter_pair_free(&pair);
	return all;
}

/* The number of the next match, `count` if there is none. */
static size_t
expect(const entries *all, size_t from, int direction, bool wrap, bool alone, bool *wrapped)
{
	size_t i = from, lane = all->at[from].at.trace;
	*wrapped = false;
	for (size_t k = 0; k < all->count; k++) {
		i += (size_t)(ptrdiff_t)direction;
		if (i >= all->count) {
			if (!wrap)
				break;
			*wrapped = true;
			i = direction > 0 ? 0 : all->count - 1;
		}
		if (all->at[i].match && (!alone || all->at[i].at.trace == lane))
			return i;
	}
	return all->count;
}

/* Some matches in a row, from a message on. */
static unsigned
check_one(struct next_query *query, struct matches *const *known, const entries *all, sem_t *told)
{
	size_t at = draw(all->count);
	query->from = all->at[at].at;
	query->direction = draw(2) ? 1 : -1;
	query->wrap = draw(2);
	query->alone = !draw(4);
	struct next_match *next = next_match_new(query);
	unsigned found = 0;
	for (size_t steps = 1 + draw(5); steps; steps--) {
		struct next_bound bound = {.known = draw(2) ? known : NULL,
					   .near = (unsigned)draw(3),
					   .background = draw(2)};
		struct sequence_position p;
		enum next_result result;
		bool wrapped;
		bound.until = draw(2) ? INT64_MAX : 0;
		if (!bound.background && !bound.near) /* else no call gets anywhere */
			bound.until = INT64_MAX;
		at = expect(all, at, query->direction, query->wrap, query->alone, &wrapped);
		while ((result = next_match(next, &bound, &p)) == NEXT_MORE ||
		       result == NEXT_WAITING)
			while (result == NEXT_WAITING && sem_wait(told) != 0)
				;
		assert_int_equal(result, at < all->count ? NEXT_FOUND : NEXT_END);
		if (result == NEXT_END)
			break;
		assert_int_equal(p.trace, all->at[at].at.trace);
		assert_int_equal(p.at.cell, all->at[at].at.at.cell);
		assert_int_equal(p.at.at, all->at[at].at.at.at);
		assert_int_equal(next_match_wrapped(next), wrapped);
		found++;
	}
	next_match_free(next);
	while (sem_trywait(told) == 0)
		;
	return found;
}

static bool
is_in_part(const struct next_part *part, struct position at)
{
	bool before =
	    at.cell < part->first.cell || (at.cell == part->first.cell && at.at < part->first.at);
	return part->any && !before && at.cell <= part->last;
}

/* All matches of some parts of lanes. */
static unsigned
check_parts(struct next_query query, const entries *all)
{
	struct next_part parts[8] = {0};
	unsigned found = 0;
	for (size_t i = 0; i < 2 * sequence_trace_count(query.sequence); i++) {
		size_t a = draw(all->count), b = a + draw(all->count - a);
		struct sequence_position first = all->at[a].at, last = all->at[b].at;
		if (last.trace == first.trace)
			parts[first.trace] = (struct next_part){true, first.at, last.at.cell};
	}
	query.parts = parts;
	query.direction = 1;
	struct next_match *next = next_match_new(&query);
	const struct next_bound bound = {.until = INT64_MAX};
	struct sequence_position p;
	for (size_t i = 0; i < all->count; i++) {
		const struct entry *entry = &all->at[i];
		if (!entry->match || !is_in_part(&parts[entry->at.trace], entry->at.at))
			continue;
		assert_int_equal(next_match(next, &bound, &p), NEXT_FOUND);
		assert_int_equal(p.trace, entry->at.trace);
		assert_int_equal(p.at.cell, entry->at.at.cell);
		assert_int_equal(p.at.at, entry->at.at.at);
		found++;
	}
	assert_int_equal(next_match(next, &bound, &p), NEXT_END);
	next_match_free(next);
	return found;
}

static void
check_filters(struct session_fixture *f, struct sequence *sequence, const char *text,
	      unsigned often, uint8_t severities, sem_t *told)
{
	size_t lanes = sequence_trace_count(sequence);
	struct matches *known[8];
	struct filter want = filter_all(), also = filter_all();
	struct filter_error error;
	unsigned found = 0;
	want.expr = filter_parse(text, &f->session, &error);
	assert_non_null(want.expr);
	also.severities = severities;
	for (size_t i = 0; i < lanes; i++)
		known[i] = matches_new(f->session.traces.at[i], &want, &also, 0);
	entries all = walk_all(sequence, &want, &also);
	struct next_query query = {.sequence = sequence, .want = &want, .also = &also};
	for (unsigned i = 0; i < 3 * often; i++)
		found += check_one(&query, known, &all, told);
	assert_true(found > 20);
	query = (struct next_query){.sequence = sequence, .want = &want, .also = &also};
	for (unsigned i = found = 0; i < 2 * often; i++)
		found += check_parts(query, &all);
	assert_true(found > 20);
	for (size_t i = 0; i < lanes; i++)
		matches_free(known[i]);
	vec_free(&all);
	filter_free(&want);
}

static void
test_against_walk(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		unsigned often; /* a gap looks for other messages, which takes its time */
	} filters[] = {{"severity <= warning", 50},
		       {"text ~ /1/", 50},
		       {"sync or /needle/", 50},
		       {"trace_number in {3, 700, 1100}", 50},
		       {"origin ~ /a/ and gap > 50us", 12}};
	struct session_fixture f;
	sem_t told;
	sem_init(&told, 0, 0);
	session_fixture_open(&f, "-c 40000 --seed=5", NULL);
	session_fixture_load(&f);
	session_notify(&f.session, tell, &told);
	struct sequence *sequence = sequence_new(&f.session);
	sequence_load(sequence);
	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
		sequence_show(sequence, 1, i != 1);
		check_filters(&f, sequence, filters[i].text, filters[i].often, i % 2 ? 0xff : 0xfe,
			      &told);
	}
	sequence_free(sequence);
	session_fixture_close(&f);
	sem_destroy(&told);
}

/* Nothing is found by strands of an order that is over. */
static void
test_order(void **state)
{
	(void)state;
	struct session_fixture f;
	struct sequence_position found;
	session_fixture_open(&f, "-c 40000 --seed=5", NULL);
	session_fixture_load(&f);
	clocks_set_order(f.session.clocks, CLOCKS_BY_TIME);
	struct sequence *sequence = sequence_new(&f.session);
	sequence_load(sequence);
	struct filter want = filter_all();
	want.severities = 0xfe;
	const struct next_bound bound = {.until = INT64_MAX};
	for (int alone = 0; alone < 2; alone++) {
		const struct next_query query = {
		    .sequence = sequence, .want = &want, .direction = 1, .alone = alone};
		struct next_match *next = next_match_new(&query);
		assert_int_equal(next_match(next, &bound, &found), NEXT_FOUND);
		clocks_set_order(f.session.clocks, alone ? CLOCKS_BY_TIME : CLOCKS_BY_TRANSPORT);
		assert_int_equal(next_match(next, &bound, &found), NEXT_WAITING);
		sequence_load(sequence);
		assert_int_equal(next_match(next, &bound, &found), NEXT_FOUND);
		next_match_free(next);
	}
	sequence_free(sequence);
	session_fixture_close(&f);
}

/* Where no thread can be started it is not known whether there is a match; the cursor
 * goes on when there is one again. */
static void
test_refusal(void **state)
{
	struct session_fixture f;
	struct filter want = filter_all();
	struct filter_error error;
	struct sequence_position found;
	pthread_attr_t before, huge;
	sem_t told;
	(void)state;
	sem_init(&told, 0, 0);
	session_fixture_open(&f, "-c 40000 --seed=5", NULL);
	session_fixture_load(&f);
	session_notify(&f.session, tell, &told);
	struct sequence *sequence = sequence_new(&f.session);
	sequence_load(sequence);
	want.expr = filter_parse("text ~ /./ and trace_number = 700", &f.session, &error);
	assert_non_null(want.expr);
	const struct next_query query = {
	    .sequence = sequence, .want = &want, .direction = 1, .alone = true};
	const struct next_bound bound = {.background = true};
	struct next_match *next = next_match_new(&query);
	assert_int_equal(pthread_getattr_default_np(&before), 0);
	assert_int_equal(pthread_attr_init(&huge), 0);
	assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 60), 0);
	assert_int_equal(pthread_setattr_default_np(&huge), 0);
	enum next_result result = next_match(next, &bound, &found);
	assert_int_equal(pthread_setattr_default_np(&before), 0);
	assert_int_equal(result, NEXT_REFUSED);
	while ((result = next_match(next, &bound, &found)) == NEXT_WAITING)
		while (sem_wait(&told) != 0)
			;
	bool exact;
	assert_int_equal(result, NEXT_FOUND);
	assert_int_equal(reader_number(sequence_reader(sequence, 0), found.at, &exact), 700);
	next_match_free(next);
	pthread_attr_destroy(&before);
	pthread_attr_destroy(&huge);
	filter_free(&want);
	sequence_free(sequence);
	session_fixture_close(&f);
	sem_destroy(&told);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_walk),
					   cmocka_unit_test(test_order),
					   cmocka_unit_test(test_refusal)};
	return cmocka_run_group_tests_name("next_match", tests, NULL, NULL);
}
