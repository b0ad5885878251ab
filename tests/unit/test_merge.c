/*
 * The merged list against a sort of all messages: whatever way a message of the
 * list is reached, it is the one that stands there.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "folder.h"
#include "random.h"
#include "session_fixture.h"
#include "session/clock/clocks.h"
#include "session/sequence.h"
#include "session/session.h"
#include "sorted.h"

#include <unistd.h>

static const struct message *
message_at(struct sequence *s, struct sequence_position p)
{
	return sequence_message(s, p);
}

static bool
find_number(struct sequence *s, uint64_t number, struct sequence_position *p, bool *exact)
{
	const struct sequence_wish wish = {.by = SEQUENCE_BY_NUMBER, .value = number};
	*exact = sequence_is_known(s, &wish);
	return sequence_find(s, &wish, p);
}

static void
assert_is(struct sequence *s, struct sequence_position p, const struct sorted_message *entry)
{
	bool exact;
	assert_int_equal(p.trace, entry->lane);
	assert_int_equal(reader_number(sequence_reader(s, p.trace), p.at, &exact), entry->number);
	assert_true(exact);
}

/* --- properties -------------------------------------------------------- */

static void
check_walks(struct sequence *s, const sorted_messages *all)
{
	struct sequence_position p;
	assert_true(sequence_first(s, &p));
	for (size_t i = 0; i < all->count; i++) {
		assert_is(s, p, &all->at[i]);
		assert_int_equal(sequence_next(s, &p), i + 1 < all->count);
	}
	assert_is(s, p, &all->at[all->count - 1]);
	assert_true(sequence_last(s, &p));
	for (size_t i = all->count; i-- > 0;) {
		assert_is(s, p, &all->at[i]);
		assert_int_equal(sequence_previous(s, &p), i > 0);
	}
	assert_is(s, p, &all->at[0]);
}

static uint64_t seed;

/* A message by its number, and a few around it in both directions. */
static void
check_numbers(struct sequence *s, const sorted_messages *all, unsigned times)
{
	for (unsigned t = 0; t < times; t++) {
		size_t at = t == 0 ? 0 : t == 1 ? all->count - 1 : random_below(&seed, all->count);
		struct sequence_position p, q;
		bool exact;
		assert_true(find_number(s, at, &p, &exact));
		assert_true(exact);
		assert_is(s, p, &all->at[at]);
		assert_int_equal(sequence_number(s, p, &exact), at);
		assert_true(exact);
		q = p;
		for (size_t i = at; i < at + 5 && i + 1 < all->count; i++) {
			assert_true(sequence_next(s, &q));
			assert_is(s, q, &all->at[i + 1]);
		}
		q = p;
		for (size_t i = at; i > 0 && i + 5 > at; i--) {
			assert_true(sequence_previous(s, &q));
			assert_is(s, q, &all->at[i - 1]);
		}
		assert_int_equal(sequence_number(s, q, &exact), at > 5 ? at - 5 : 0);
	}
	struct sequence_position p;
	bool exact;
	assert_false(find_number(s, all->count, &p, &exact));
	assert_int_equal(sequence_count(s, &exact), all->count);
	assert_true(exact);
}

static void
check_times(struct sequence *s, const sorted_messages *all, unsigned times)
{
	for (unsigned t = 0; t < times; t++) {
		const struct sorted_message *entry = &all->at[random_below(&seed, all->count)];
		int64_t key = entry->key + (int64_t)random_below(&seed, 3) - 1;
		if (entry->key == INT64_MIN)
			continue;
		size_t i = sorted_find(all, entry->part, key);
		struct sequence_position p;
		const struct sequence_wish wish = {
		    .by = SEQUENCE_BY_TIME, .trace = entry->lane, .time = key};
		assert_true(sequence_find(s, &wish, &p));
		assert_is(s, p, &all->at[i < all->count ? i : all->count - 1]);
	}
}

static void
check_all(struct session_fixture *f, struct sequence *s, unsigned shown)
{
	sorted_messages all = sorted_session(&f->session, shown);
	assert_true(all.count > 1000);
	check_walks(s, &all);
	check_numbers(s, &all, 300);
	check_times(s, &all, 300);
	vec_free(&all);
}

/* --- tests ------------------------------------------------------------- */

static void
test_merged(void **state)
{
	(void)state;
	static const char *const plans[] = {"-c 100000 --rate=0 --jitter=0",
					    "-c 40000 --rate=0.2 --jitter=5000 --seed=2",
					    "-c 20000 --seed=3 --sync=0 --drift=2000"};
	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct session_fixture f;
		session_fixture_open(&f, plans[i], NULL);
		session_fixture_load(&f);
		struct sequence *s = sequence_new(&f.session);
		sequence_load(s);
		assert_true(sequence_relates(s, 0, 4));
		check_all(&f, s, 31);
		sequence_free(s);
		session_fixture_close(&f);
	}
}

/* What no clock relates stays apart, behind the others. */
static void
test_parts(void **state)
{
	(void)state;
	struct session_fixture f;
	const struct sync_options no_tie = {.kind = SYNC_TIE};
	session_fixture_open(&f, "-c 40000", &no_tie);
	session_fixture_load(&f);
	struct sequence *s = sequence_new(&f.session);
	sequence_load(s);
	assert_true(sequence_relates(s, 0, 4)); /* soc and cam */
	assert_true(sequence_relates(s, 2, 3)); /* words and their log */
	assert_false(sequence_relates(s, 0, 2));
	check_all(&f, s, 31);
	sequence_free(s);
	session_fixture_close(&f);
}

static void
test_hidden(void **state)
{
	(void)state;
	struct session_fixture f;
	session_fixture_open(&f, "-c 40000", NULL);
	session_fixture_load(&f);
	struct sequence *s = sequence_new(&f.session);
	sequence_load(s);
	sequence_show(s, 0, false);
	sequence_show(s, 3, false);
	check_all(&f, s, 31 & ~1 & ~8);
	sequence_show(s, 0, true);
	check_all(&f, s, 31 & ~8);
	sequence_free(s);
	session_fixture_close(&f);
}

/* Before anything is indexed there is a first screen, and a last; when all is,
 * the thread has found the exact order. */
static void
test_early(void **state)
{
	(void)state;
	struct session_fixture f;
	struct sequence_position p;
	bool exact;
	session_fixture_open(&f, "-c 100000", NULL);
	struct sequence *s = sequence_new(&f.session);
	assert_true(sequence_first(s, &p));
	for (int i = 0; i < 100; i++)
		assert_true(sequence_next(s, &p));
	sequence_number(s, p, &exact);
	assert_false(exact);
	assert_true(sequence_last(s, &p));
	for (int i = 0; i < 100; i++)
		assert_true(sequence_previous(s, &p));
	assert_true(find_number(s, 5000, &p, &exact));
	assert_false(exact);
	assert_non_null(message_at(s, p));

	session_start(&f.session);
	sequence_start(s);
	for (int tries = 0; !find_number(s, 5000, &p, &exact) || !exact; tries++) {
		assert_true(tries < 10000);
		usleep(1000);
		session_wake(&f.session);
		for (size_t i = 0; i < f.session.traces.count; i++)
			trace_poll(f.session.traces.at[i], false);
		sequence_wake(s);
		sequence_renew(s);
	}
	check_all(&f, s, 31);
	sequence_free(s);
	session_fixture_close(&f);
}

static bool
is_uncertain(struct sequence *s, struct sequence_position p, struct sequence_position q)
{
	return sequence_is_uncertain(s, p.trace, message_at(s, p), q.trace, message_at(s, q));
}

static void
test_uncertain(void **state)
{
	(void)state;
	struct session_fixture f;
	struct sequence_position p, q;
	unsigned all = 0, uncertain = 0;
	session_fixture_open(&f, "-c 20000 --jitter=20000 --rate=0", NULL);
	session_fixture_load(&f);
	struct sequence *s = sequence_new(&f.session);
	sequence_load(s);
	assert_true(sequence_first(s, &p));
	for (q = p; sequence_next(s, &q); p = q, all++)
		uncertain += is_uncertain(s, p, q);
	/* messages are 100 us apart, read within 20 us */
	assert_true(uncertain > all / 20 && uncertain < all / 2);
	assert_false(is_uncertain(s, q, q));
	sequence_free(s);
	session_fixture_close(&f);
}

typedef VEC(uint8_t) bytes;

/* A SyS-T string with a length and a time stamp. */
static void
add_string(bytes *out, uint64_t ticks)
{
	static const uint8_t head[] = {0x42, 0x1a, 3, 1, 2, 0};
	for (size_t i = 0; i < sizeof head; i++)
		*vec_add(out) = head[i];
	for (int i = 0; i < 8; i++)
		*vec_add(out) = (uint8_t)(ticks >> 8 * i);
	*vec_add(out) = 'm';
	*vec_add(out) = 0;
}

/* The damaged times of a trace whose messages are a millisecond apart (0: it is whole):
 * one alone and two in a row are days ahead, one is ten seconds behind. */
static uint64_t
damaged_ticks(size_t i)
{
	switch (i) {
	case 100:
	case 200:
	case 201:
		return UINT64_C(1) << 40;
	case 300:
		return 1;
	default:
		return 0;
	}
}

static void
assert_next(struct sequence *s, struct sequence_position *p, size_t lane, size_t number)
{
	bool exact;
	assert_int_equal(p->trace, lane);
	assert_int_equal(reader_number(sequence_reader(s, lane), p->at, &exact), number);
	sequence_next(s, p);
}

/* A damaged time does not hold up the messages behind it, nor those before it: they
 * stand among those of the other trace, and it stands behind the one before it. */
static void
test_damaged_time(void **state)
{
	(void)state;
	enum { COUNT = 400, START = 10000000 };
	struct session session = {0};
	struct folder folder;
	bytes a = {0}, b = {0};
	struct err err = {0};
	folder_make(&folder);
	for (uint64_t i = 0; i < COUNT; i++) {
		uint64_t damaged = damaged_ticks(i);
		add_string(&a, damaged ? damaged : START + i * 1000);
		add_string(&b, START + i * 1000 + 500);
	}
	folder_put(&folder, "a.bin", a.at, a.count);
	folder_put(&folder, "b.bin", b.at, b.count);
	folder_put_text(&folder, "p.yaml",
			"traces:\n"
			"  - {file: a.bin, format: syst/raw, syst: {ts_hz: 1000000}}\n"
			"  - {file: b.bin, format: syst/raw, syst: {ts_hz: 1000000}}\n");
	assert_int_equal(profile_load(folder_path(&folder, "p.yaml"), &session.profile, &err), 0);
	assert_int_equal(session_open_named(&session, NULL, 0, &err), 2);
	session_link(&session);
	clocks_load(session.clocks, true);
	for (size_t i = 0; i < 2; i++)
		trace_build(session.traces.at[i]);
	struct sequence *s = sequence_new(&session);
	sequence_load(s);
	struct sequence_position p;
	assert_true(sequence_relates(s, 0, 1));
	assert_true(sequence_first(s, &p));
	for (size_t i = 0; i < COUNT; i++) {
		if (!damaged_ticks(i)) {
			assert_next(s, &p, 0, i);
			for (size_t k = i + 1; damaged_ticks(k); k++)
				assert_next(s, &p, 0, k);
		}
		assert_next(s, &p, 1, i);
	}
	assert_false(sequence_next(s, &p));
	sequence_free(s);
	session_close(&session);
	vec_free(&a);
	vec_free(&b);
	folder_remove(&folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_merged),    cmocka_unit_test(test_parts),
	    cmocka_unit_test(test_hidden),    cmocka_unit_test(test_early),
	    cmocka_unit_test(test_uncertain), cmocka_unit_test(test_damaged_time),
	};
	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
