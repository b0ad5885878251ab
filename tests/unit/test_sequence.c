/*
 * Sequences of one lane and of several against a plain sort of all messages, before
 * and after the indexes are complete; and wishes, whose answers must be those of the
 * end once they are called final.
 */
#include "config.h"

#include "test.h"

#include "random.h"
#include "session_fixture.h"
#include "session/clock/clocks.h"
#include "session/sequence.h"
#include "sorted.h"

#include <unistd.h>

enum { TRACES = 5, CSEL = 4 };

static uint64_t seed;

/* --- what is expected --------------------------------------------------- */

static bool
is_entry(struct sequence *s, struct sequence_position p, const struct sorted_message *entry)
{
	const struct message *m = sequence_message(s, p);
	bool exact;
	return m && p.trace == entry->lane && m->offset == entry->message.offset &&
	       reader_number(sequence_reader(s, p.trace), p.at, &exact) == entry->number && exact;
}

static void
assert_is(struct sequence *s, struct sequence_position p, const struct sorted_message *entry)
{
	assert_true(is_entry(s, p, entry));
}

/* The first of the part of LANE that is not before TIME, or of a part behind it, else
 * the last of all. */
static size_t
expect_time(const sorted_messages *all, size_t lane, int64_t time)
{
	size_t part = 0;
	for (size_t k = 0; k < all->count; k++)
		part = all->at[k].lane == lane ? all->at[k].part : part;
	size_t i = sorted_find(all, part, time);
	return i < all->count ? i : all->count - 1;
}

static bool
has_ticks(const struct message *m, uint64_t ticks)
{
	return m->flags & MESSAGE_TIMED && m->ticks >= ticks;
}

static bool
ends_behind(const struct message *m, uint64_t offset)
{
	return m->offset + m->length > offset;
}

/* The first of lane 0 that HAS the value, else its last. */
static size_t
expect_first(const sorted_messages *all, bool (*has)(const struct message *, uint64_t),
	     uint64_t value)
{
	size_t last = 0;
	for (size_t i = 0; i < all->count; i++) {
		if (all->at[i].lane != 0)
			continue;
		last = i;
		if (has(&all->at[i].message, value))
			break;
	}
	return last;
}

static uint64_t
share_of(uint64_t whole, uint64_t percent)
{
	percent = percent < 100 ? percent : 100;
	return whole / 100 * percent + whole % 100 * percent / 100;
}

static bool
is_expected(struct sequence *s, const sorted_messages *all, const struct sequence_wish *wish)
{
	struct sequence_position p;
	size_t at = 0;
	bool found = sequence_find(s, wish, &p);
	if (wish->by == SEQUENCE_BY_NUMBER && wish->value >= all->count)
		return !found;
	if (wish->by == SEQUENCE_BY_PERCENT && sequence_trace_count(s) > 1) {
		bool exact; /* the share may be rounded */
		at = share_of(all->count - 1, wish->value);
		uint64_t number = sequence_number(s, p, &exact);
		return found && exact && (number == at || number + 1 == at);
	}
	if (wish->by == SEQUENCE_BY_NUMBER)
		at = wish->value;
	else if (wish->by == SEQUENCE_BY_TIME)
		at = expect_time(all, wish->trace, wish->time);
	else if (wish->by == SEQUENCE_BY_TICKS)
		at = expect_first(all, has_ticks, wish->value);
	else
		at = expect_first(
		    all, ends_behind,
		    share_of(capture_size(trace_capture(reader_trace(sequence_reader(s, 0)))),
			     wish->value));
	return found && is_entry(s, p, &all->at[at]);
}

/* --- properties -------------------------------------------------------- */

static void
check_steps(struct sequence *s, const sorted_messages *all)
{
	struct sequence_position p;
	assert_true(sequence_first(s, &p));
	for (size_t i = 0; i < all->count; i++) {
		assert_is(s, p, &all->at[i]);
		assert_int_equal(sequence_next(s, &p), i + 1 < all->count);
	}
	assert_true(sequence_last(s, &p));
	for (size_t i = all->count; i-- > 0;) {
		assert_is(s, p, &all->at[i]);
		assert_int_equal(sequence_previous(s, &p), i > 0);
	}
}

/* Which of two is first, and where other lanes go on from one of them. */
static void
check_pair(struct sequence *s, const sorted_messages *all, size_t i, size_t k)
{
	struct sequence_wish first = {.by = SEQUENCE_BY_NUMBER, .value = i};
	struct sequence_wish second = {.by = SEQUENCE_BY_NUMBER, .value = k};
	struct sequence_position p, q, head;
	assert_true(sequence_find(s, &first, &p));
	assert_true(sequence_find(s, &second, &q));
	assert_int_equal(sequence_is_before(s, p, q), i < k);
	head.trace = q.trace;
	size_t next = i;
	while (next < all->count && all->at[next].lane != q.trace)
		next++;
	assert_int_equal(sequence_head(s, p, q.trace, &head.at), next < all->count);
	if (next < all->count)
		assert_is(s, head, &all->at[next]);
}

static void
check_numbers(struct sequence *s, const sorted_messages *all)
{
	bool exact;
	for (unsigned t = 0; t < 200; t++) {
		struct sequence_wish wish = {.by = SEQUENCE_BY_NUMBER,
					     .value = random_below(&seed, all->count)};
		struct sequence_position p;
		assert_true(sequence_is_known(s, &wish));
		assert_true(sequence_find(s, &wish, &p));
		assert_is(s, p, &all->at[wish.value]);
		assert_int_equal(sequence_number(s, p, &exact), wish.value);
		assert_true(exact);
		check_pair(s, all, wish.value, random_below(&seed, all->count));
	}
	assert_int_equal(sequence_count(s, &exact), all->count);
	assert_true(exact);
	assert_true(sequence_is_exact(s));
}

/* Wishes beyond all messages: the last one where it is of a time. */
static void
check_beyond(struct sequence *s, const sorted_messages *all, bool records)
{
	const size_t lane = all->at[all->count - 1].lane;
	const struct sequence_wish wishes[] = {
	    {.by = SEQUENCE_BY_NUMBER, .value = all->count},
	    {.by = SEQUENCE_BY_TIME, .trace = lane, .time = INT64_MAX},
	    {.by = SEQUENCE_BY_TICKS, .value = UINT64_MAX}};
	for (size_t i = 0; i < (records ? 3 : 2); i++) {
		assert_true(sequence_is_known(s, &wishes[i]));
		assert_true(is_expected(s, all, &wishes[i]));
	}
}

/* A wish of each kind, around a message that was drawn.  Shares of bytes and ticks: of a
 * lane of records whose time does not step back. */
static size_t
draw_wishes(const sorted_messages *all, bool several, bool records, struct sequence_wish *wishes)
{
	const struct sorted_message *entry = &all->at[random_below(&seed, all->count)];
	size_t count = 0;
	wishes[count++] = (struct sequence_wish){.by = SEQUENCE_BY_NUMBER,
						 .value = random_below(&seed, all->count + 2)};
	if (entry->key != INT64_MIN)
		wishes[count++] = (struct sequence_wish){
		    .by = SEQUENCE_BY_TIME,
		    .trace = entry->lane,
		    .time = entry->key + (int64_t)random_below(&seed, 3) - 1};
	if (several || records)
		wishes[count++] = (struct sequence_wish){.by = SEQUENCE_BY_PERCENT,
							 .value = random_below(&seed, 102)};
	if (records && entry->message.flags & MESSAGE_TIMED)
		wishes[count++] =
		    (struct sequence_wish){.by = SEQUENCE_BY_TICKS,
					   .value = entry->message.ticks + random_below(&seed, 2)};
	return count;
}

static void
check_wishes(struct sequence *s, const sorted_messages *all, bool records)
{
	for (unsigned t = 0; t < 200; t++) {
		struct sequence_wish wishes[4];
		size_t count = draw_wishes(all, sequence_trace_count(s) > 1, records, wishes);
		for (size_t i = 0; i < count; i++) {
			assert_true(sequence_is_known(s, &wishes[i]));
			assert_true(is_expected(s, all, &wishes[i]));
		}
	}
}

static void
check_all(struct sequence *s, const sorted_messages *all, bool records)
{
	check_steps(s, all);
	check_numbers(s, all);
	check_wishes(s, all, records);
	check_beyond(s, all, records);
}

/* --- tests ------------------------------------------------------------- */

static void
test_one_lane(void **state)
{
	(void)state;
	struct session_fixture f;
	session_fixture_open(&f, "-c 40000", NULL);
	session_fixture_load(&f);
	struct sequence *all = sequence_new(&f.session);
	sequence_load(all);
	for (size_t i = 0; i < TRACES; i++) {
		struct sequence *s = sequence_new_single(all, i);
		sorted_messages sorted = sorted_trace(&f.session, i);
		size_t lane;
		assert_true(sorted.count > 1000);
		assert_int_equal(sequence_trace_count(s), 1);
		assert_ptr_equal(reader_trace(sequence_reader(s, 0)), f.session.traces.at[i]);
		assert_true(sequence_find_trace(s, i, &lane) && lane == 0);
		assert_false(sequence_find_trace(s, (i + 1) % TRACES, &lane));
		sequence_show(s, 0, false); /* it is all there is */
		assert_true(sequence_shows(s, 0));
		check_all(s, &sorted, i == CSEL);
		vec_free(&sorted);
		sequence_free(s);
	}
	sequence_free(all);
	session_fixture_close(&f);
}

static void
test_lanes(void **state)
{
	(void)state;
	struct session_fixture f;
	size_t lane;
	session_fixture_open(&f, "-c 40000 --rate=0.2 --jitter=5000 --seed=2", NULL);
	session_fixture_load(&f);
	struct sequence *s = sequence_new(&f.session);
	sequence_load(s);
	assert_true(sequence_find_trace(s, 3, &lane) && lane == 3);
	assert_false(sequence_find_trace(s, TRACES, &lane));
	for (unsigned shown = 31; shown; shown = shown == 31 ? 22 : 0) {
		uint64_t generation = sequence_generation(s);
		for (size_t i = 0; i < TRACES; i++)
			sequence_show(s, i, shown >> i & 1);
		assert_int_not_equal(sequence_generation(s), generation);
		sorted_messages sorted = sorted_session(&f.session, shown);
		check_all(s, &sorted, false);
		vec_free(&sorted);
	}
	assert_false(sequence_shows(s, 0));
	assert_true(sequence_shows(s, 4));
	sequence_free(s);
	session_fixture_close(&f);
}

/* Lanes that nothing relates follow each other. */
static void
test_unrelated(void **state)
{
	(void)state;
	struct session_fixture f;
	const struct sync_options no_tie = {.kind = SYNC_TIE};
	session_fixture_open(&f, "-c 20000", &no_tie);
	session_fixture_load(&f);
	struct sequence *s = sequence_new(&f.session);
	sequence_load(s);
	sorted_messages sorted = sorted_session(&f.session, 31);
	assert_true(sequence_relates(s, 0, 4));
	assert_false(sequence_relates(s, 0, 2));
	check_all(s, &sorted, false);
	vec_free(&sorted);
	sequence_free(s);
	session_fixture_close(&f);
}

/* The first of one lane at a time, of all lanes related to it. */
static void
test_time_in_lane(void **state)
{
	(void)state;
	struct session_fixture f;
	session_fixture_open(&f, "-c 20000", NULL);
	session_fixture_load(&f);
	struct sequence *s = sequence_new(&f.session);
	sequence_load(s);
	for (size_t i = 0; i < TRACES; i++) {
		sorted_messages sorted = sorted_trace(&f.session, i);
		for (unsigned t = 0; t < 50; t++) {
			int64_t time = sorted.at[random_below(&seed, sorted.count)].key +
				       (int64_t)random_below(&seed, 3) - 1;
			struct sequence_position p = {.trace = i};
			struct sorted_message entry = sorted.at[expect_time(&sorted, 0, time)];
			entry.lane = i;
			assert_true(sequence_find_in_trace(s, i, time, &p.at));
			assert_is(s, p, &entry);
		}
		vec_free(&sorted);
	}
	sequence_free(s);
	session_fixture_close(&f);
}

/* Strands stay as they are until the sequence is renewed, whatever becomes of the order. */
static void
test_strands_stay(void **state)
{
	(void)state;
	struct session_fixture f;
	session_fixture_open(&f, "-c 20000", NULL);
	session_fixture_load(&f);
	struct sequence *all = sequence_new(&f.session), *one = sequence_new_single(all, 0);
	clocks_set_order(f.session.clocks, CLOCKS_BY_TIME);
	assert_int_equal(sequence_strand_count(all), TRACES);
	assert_int_equal(sequence_strand_count(one), 1);
	assert_false(sequence_is_current(one) || sequence_is_exact(one));
	sequence_load(all);
	size_t count = sequence_strand_count(all), own = sequence_strand_count(one);
	assert_true(count > TRACES && own > 1 && sequence_is_current(one));
	assert_true(sequence_is_exact(all) && sequence_is_exact(one));

	clocks_set_order(f.session.clocks, CLOCKS_BY_TRANSPORT);
	uint64_t generation = sequence_generation(all);
	struct sequence_position p;
	struct position at;
	assert_true(sequence_first(all, &p));
	for (unsigned i = 0; i < 100; i++) {
		assert_true(sequence_next(all, &p));
		assert_true(sequence_strand(all, p) < count);
		sequence_head(all, p, count - 1, &at);
	}
	assert_int_equal(sequence_strand_count(all), count);
	assert_int_equal(sequence_strand_count(one), own);
	assert_int_equal(sequence_generation(all), generation);
	assert_false(sequence_is_current(all) || sequence_is_exact(all));
	sequence_renew(all);
	assert_int_equal(sequence_strand_count(all), TRACES);
	assert_int_equal(sequence_strand_count(one), 1);
	assert_int_not_equal(sequence_generation(all), generation);
	assert_true(sequence_is_current(all));
	clocks_set_order(f.session.clocks, CLOCKS_BY_TIME);
	sequence_renew(one); /* the list of one trace does: all follow */
	assert_int_equal(sequence_strand_count(one), own);
	assert_int_equal(sequence_strand_count(all), count);
	sequence_free(one);
	sequence_free(all);
	session_fixture_close(&f);
}

/* Before the times of the cells are noted no order is final, though all is indexed. */
static void
test_not_noted(void **state)
{
	(void)state;
	struct session_fixture f;
	session_fixture_open(&f, "-c 20000", NULL);
	session_fixture_load(&f);
	struct sequence *all = sequence_new(&f.session), *one = sequence_new_single(all, 0);
	sorted_messages sorted = sorted_session(&f.session, 31);
	int64_t time = sorted.at[sorted.count / 2].key;
	const struct sequence_wish number = {.by = SEQUENCE_BY_NUMBER, .value = 5000};
	const struct sequence_wish moment = {.by = SEQUENCE_BY_TIME, .time = time};
	assert_false(sequence_is_known(all, &number) || sequence_is_known(all, &moment));
	assert_false(sequence_is_known(one, &moment));
	assert_true(sequence_is_known(one, &number) && sequence_is_exact(one));
	sequence_load(all);
	assert_true(sequence_is_known(all, &number) && sequence_is_known(all, &moment));
	assert_true(sequence_is_known(one, &moment));
	vec_free(&sorted);
	sequence_free(one);
	sequence_free(all);
	session_fixture_close(&f);
}

/* The end of a capture that may still grow is not known: what is asked for there is
 * not final, what stands before it is. */
static void
test_growing(void **state)
{
	(void)state;
	struct session_fixture f;
	session_fixture_open(&f, "-c 100000", NULL);
	struct trace *trace = f.session.traces.at[CSEL];
	struct index *index = trace_index(trace);
	sorted_messages sorted = sorted_trace(&f.session, CSEL);
	trace_follow(trace, true);
	struct sequence *all = sequence_new(&f.session), *s = sequence_new_single(all, CSEL);
	session_start(&f.session);
	for (int same = 0, tries = 0; same < 100; tries++) {
		uint64_t before = index_known(index);
		assert_true(tries < 20000);
		usleep(500);
		same = before && before == index_known(index) ? same + 1 : 0;
	}
	size_t known = 0;
	uint64_t end = index_known(index) * index_cell_size(index);
	while (known < sorted.count && message_id_offset(&sorted.at[known].message) < end)
		known++;
	assert_true(known > 100 && known < sorted.count);
	for (size_t i = known - 50; i < known + 50 && i < sorted.count; i++) {
		const struct sequence_wish wishes[] = {
		    {.by = SEQUENCE_BY_NUMBER, .value = i},
		    {.by = SEQUENCE_BY_TICKS, .value = sorted.at[i].message.ticks}};
		for (size_t k = 0; k < 2; k++) {
			assert_int_equal(sequence_is_known(s, &wishes[k]), i < known);
			if (i < known)
				assert_true(is_expected(s, &sorted, &wishes[k]));
		}
	}
	vec_free(&sorted);
	sequence_free(s);
	sequence_free(all);
	session_fixture_close(&f);
}

/* What the sequences of a session that is being indexed say is final must be what is
 * found in the end; and in the end all is final. */
struct early {
	struct sequence *s;
	sorted_messages sorted;
	struct sequence_wish wishes[40];
	bool known[40];
	size_t count, left;
};

static void
draw_early(struct early *early, struct sequence *s, struct session *session, size_t trace)
{
	early->s = s;
	early->sorted = trace < TRACES ? sorted_trace(session, trace) : sorted_session(session, 31);
	while (early->count + 4 <= 40)
		early->count += draw_wishes(&early->sorted, trace == TRACES, trace == CSEL,
					    early->wishes + early->count);
	early->left = early->count;
}

static void
check_early(struct early *early)
{
	for (size_t i = 0; i < early->count; i++) {
		if (early->known[i] || !sequence_is_known(early->s, &early->wishes[i]))
			continue;
		assert_true(is_expected(early->s, &early->sorted, &early->wishes[i]));
		early->known[i] = true;
		early->left--;
	}
}

static void
test_early(void **state)
{
	(void)state;
	struct session_fixture f, other;
	struct early early[TRACES + 1] = {0};
	size_t left = 1;
	bool exact;
	session_fixture_open(&other, "-c 100000", NULL); /* the same bytes, for the oracle */
	session_fixture_load(&other);
	session_fixture_open(&f, "-c 100000", NULL);
	struct sequence *all = sequence_new(&f.session);
	draw_early(&early[TRACES], all, &other.session, TRACES);
	for (size_t i = 0; i < TRACES; i++)
		draw_early(&early[i], sequence_new_single(all, i), &other.session, i);
	for (size_t i = 0; i <= TRACES; i++) {
		struct sequence_position p;
		struct sequence_wish far = {.by = SEQUENCE_BY_NUMBER,
					    .value = early[i].sorted.count / 2};
		assert_false(sequence_is_known(early[i].s, &far));
		assert_true(sequence_find(early[i].s, &far, &p)); /* near it */
		assert_non_null(sequence_message(early[i].s, p));
	}
	sequence_count(all, &exact);
	assert_false(exact);
	assert_false(sequence_is_exact(all));
	session_start(&f.session);
	sequence_start(all);
	for (int tries = 0; left; tries++) {
		assert_true(tries < 20000);
		usleep(500);
		session_wake(&f.session);
		for (size_t i = 0; i < TRACES; i++)
			trace_poll(f.session.traces.at[i], false);
		sequence_wake(all);
		sequence_renew(all);
		left = 0;
		for (size_t i = 0; i <= TRACES; i++) {
			check_early(&early[i]);
			left += early[i].left;
		}
	}
	check_steps(all, &early[TRACES].sorted);
	for (size_t i = 0; i <= TRACES; i++) {
		if (i < TRACES)
			sequence_free(early[i].s);
		vec_free(&early[i].sorted);
	}
	sequence_free(all);
	session_fixture_close(&f);
	session_fixture_close(&other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_lane),  cmocka_unit_test(test_lanes),
	    cmocka_unit_test(test_unrelated), cmocka_unit_test(test_time_in_lane),
	    cmocka_unit_test(test_not_noted), cmocka_unit_test(test_growing),
	    cmocka_unit_test(test_early),     cmocka_unit_test(test_strands_stay),
	};
	return cmocka_run_group_tests_name("sequence", tests, NULL, NULL);
}
