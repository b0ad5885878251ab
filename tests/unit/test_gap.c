/*
 * Silences against a naive walk: every two messages that follow each other in
 * a trace of many cells, forwards and backwards, with and without a filter, with
 * and without an index.
 */
#include "config.h"

#include "test.h"

#include "base/bytes.h"
#include "base/vec.h"
#include "query/next_match.h"
#include "query/gap.h"
#include "random.h"
#include "session/session.h"
#include "trace/trace.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 30000, TICK = 100, SIZE = 54 };

/* Longer than any cell, shorter than two, and longer than one of the gaps between
 * cells but not with the cell before it. */
enum { LONGER = 2200 * TICK };

/* The first message of a cell. */
#define FIRST_OF(cell) (((cell)*65536 + SIZE - 1) / SIZE)

/* SyS-T strings of one size, most with a time stamp (MIPI SyS-T 1.0, message header:
 * type 2, severity from bit 4 on, length 9, time stamp 11, subtype from 24 on).  In
 * the first cells some come late.  The longest gaps end where a cell begins, with
 * a message that has a time and with one that has none; one lies within a cell and is
 * as long as its times are apart.  Some cells have no times, or their last message has
 * the only one, or no errors. */
struct made {
	uint64_t ticks[MESSAGES];
	bool timed[MESSAGES];
	unsigned severity[MESSAGES];
};

static size_t
cell_of(size_t message)
{
	return message * SIZE / 65536;
}

static bool
is_timed(size_t i, uint64_t *seed)
{
	bool drawn = random_below(seed, 40) > 0;
	switch (cell_of(i)) {
	case 7:
	case 17:
		return false;
	case 8:
		return i + 1 == FIRST_OF(9);
	default:
		return i == FIRST_OF(20) || (i != FIRST_OF(10) && drawn);
	}
}

/* The time from the message before I to it. */
static uint64_t
gap_before(size_t i, uint64_t *seed)
{
	uint32_t far = random_below(seed, 4000), drawn = random_below(seed, 2 * TICK);
	uint64_t gap = drawn;
	if (cell_of(i) == 22 && i > FIRST_OF(22))
		return i == FIRST_OF(22) + 600 ? LONGER : 0;
	if (far < 3)
		gap = far ? 90 * TICK : 400 * TICK;
	if (i == FIRST_OF(10) || i == FIRST_OF(20))
		gap += 3000 * TICK;
	return i == FIRST_OF(15) ? gap + 1500 * TICK : gap;
}

static char *
make_capture(struct made *made)
{
	static char path[] = "/tmp/test_gap.XXXXXX";
	strcpy(path + strlen(path) - 6, "XXXXXX");
	int file = mkstemp(path);
	uint64_t seed = 7;
	uint64_t now = 1000000;
	FILE *out = fdopen(file, "wb");
	assert_non_null(out);
	for (size_t i = 0; i < MESSAGES; i++) {
		now += gap_before(i, &seed);
		bool late = i < FIRST_OF(5) && random_below(&seed, 200) == 0;
		made->ticks[i] = now - (late ? 60 * TICK : 0);
		made->timed[i] = is_timed(i, &seed);
		made->severity[i] = cell_of(i) == 12 || cell_of(i) == 13
					? SEVERITY_INFO
					: 1 + random_below(&seed, 7);
		size_t head = made->timed[i] ? 14 : 6;
		uint32_t header = 2 | made->severity[i] << 4 | 1u << 9 |
				  (made->timed[i] ? 1u << 11 : 0) | 5u << 16 | 1u << 24;
		uint8_t bytes[SIZE];
		bytes_put_le64(bytes, header | (uint64_t)(SIZE - head) << 32);
		memset(bytes + 6, 'x', SIZE - 6);
		if (made->timed[i])
			bytes_put_le64(bytes + 6, made->ticks[i]);
		fwrite(bytes, sizeof bytes, 1, out);
	}
	assert_int_equal(fclose(out), 0);
	return path;
}

static void
tell(void *context)
{
	sem_post(context);
}

/* The message where the search ends, MESSAGES if it finds none. */
static size_t
find(struct sequence *sequence, const struct filter *shown, size_t from, int direction,
     uint64_t least)
{
	const struct next_bound bound = {.background = true};
	struct reader *reader = sequence_reader(sequence, 0);
	struct session *session = session_of(reader_trace(reader));
	struct filter all = filter_all();
	struct next_query query = {.sequence = sequence,
				   .want = &all,
				   .also = shown,
				   .direction = direction,
				   .gap = least};
	struct sequence_position found;
	enum next_result result;
	bool exact;
	sem_t done;
	sem_init(&done, 0, 0);
	session_notify(session, tell, &done);
	assert_true(reader_find_number(reader, from, &query.from.at, &exact) && exact);
	struct next_match *next = next_match_new(&query);
	while ((result = next_match(next, &bound, &found)) == NEXT_WAITING)
		while (sem_wait(&done) != 0)
			;
	next_match_free(next);
	session_notify(session, NULL, NULL);
	sem_destroy(&done);
	assert_true(result == NEXT_FOUND || result == NEXT_END);
	if (result != NEXT_FOUND)
		return MESSAGES;
	size_t number = (size_t)reader_number(reader, found.at, &exact);
	assert_true(exact);
	return number;
}

static bool
is_shown(const struct made *made, const struct filter *shown, size_t i)
{
	return !shown || shown->severities >> made->severity[i] & 1;
}

/* The same by comparing all neighbours. */
static size_t
expect(const struct made *made, const struct filter *shown, size_t from, int direction,
       uint64_t least)
{
	size_t last = from;
	for (size_t i = from + (size_t)direction; i < MESSAGES; i += (size_t)direction) {
		if (!is_shown(made, shown, i) || !made->timed[i])
			continue;
		size_t before = direction > 0 ? last : i, after = direction > 0 ? i : last;
		if (made->timed[last] && made->ticks[after] >= made->ticks[before] &&
		    made->ticks[after] - made->ticks[before] >= least &&
		    (direction > 0 || last != from))
			return after;
		last = i;
	}
	return MESSAGES;
}

static void
test_against_walk(void **state)
{
	(void)state;
	struct made *made = mem_new(sizeof *made);
	char *path = make_capture(made);
	struct session session = {0};
	struct err err;
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, path, "syst/raw", NULL, 0, &err);
	if (!trace)
		fail_msg("%s", err.what);
	index_build(trace_index(trace));
	assert_true(index_cell_count(trace_index(trace)) > 4);
	session_link(&session);
	struct sequence *sequence = sequence_new(&session);
	struct filter worse = filter_all();
	worse.severities = filter_threshold(SEVERITY_ERROR, true);
	/* one that is met exactly */
	static const uint64_t leasts[] = {1,	      50 * TICK, 90 * TICK,
					  300 * TICK, LONGER,	 100000 * TICK};
	unsigned found = 0, none = 0;
	for (size_t n = 0; n < 336; n++) {
		uint64_t seed = n;
		const struct filter *shown = n & 1 ? &worse : NULL;
		int direction = n & 2 ? 1 : -1;
		uint64_t least = leasts[n / 4 % 6];
		size_t from = random_below(&seed, MESSAGES);
		if (n >= 240) { /* within each cell */
			from = FIRST_OF((n - 240) / 4) + 500;
			least = LONGER;
		}
		while (from + 1 < MESSAGES && !is_shown(made, shown, from))
			from++;
		size_t want = expect(made, shown, from, direction, least);
		assert_int_equal(find(sequence, shown, from, direction, least), want);
		found += want < MESSAGES;
		none += want == MESSAGES;
	}
	assert_true(found > 50 && none > 30);
	sequence_free(sequence);
	session_close(&session);
	unlink(path);
	free(made);
}

static void
test_usual(void **state)
{
	(void)state;
	static const uint64_t even[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110};
	static const uint64_t jump[] = {10, 20, 30, 40, UINT64_MAX - 90, UINT64_MAX - 80};
	/* of eleven gaps two do not count */
	static const uint64_t eleven[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 300};
	static const uint64_t back[] = {50, 40, 30};
	/* ten gaps: eight of 10, one of 20, which counts, and the tenth, which does not */
	static const uint64_t tenth[] = {0, 10, 20, 30, 40, 50, 60, 70, 80, 100, 1100};
	static const uint64_t still[] = {10, 10, 10, 70, 90};
	static const uint64_t hops[] = {10, 30, 20, 90, 100, 110};
	assert_int_equal(gap_usual(even, 11), 10);
	assert_int_equal(gap_usual(eleven, 12), 10);
	assert_int_equal(gap_usual(still, 5), 20 / 3); /* 0, 0 and 20 */
	assert_int_equal(gap_usual(hops, 6), 40 / 3);  /* 10, 10 and 20; not 70 */
	assert_int_equal(gap_usual(jump, 6), 10);      /* the long one does not count */
	assert_int_equal(gap_usual(tenth, 11), 100 / 9);
	assert_int_equal(gap_usual(back, 3), 0);
	assert_int_equal(gap_usual(even, 1), 0);
	assert_int_equal(gap_usual(NULL, 0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_against_walk),
	    cmocka_unit_test(test_usual),
	};
	return cmocka_run_group_tests_name("gap", tests, NULL, NULL);
}
