/*
 * Gaps against an oracle that knows only the rows in their order, with the trace and the
 * time of each: the gap before each message, the next and the previous long one, the
 * longest of all, and the columns delta and gap; in random sessions of traces with
 * pauses, messages without a time and late ones, of which one may have a clock of its own,
 * with filters and hidden traces.
 */
#include "config.h"

#include "test.h"

#include "base/bytes.h"
#include "config/profile.h"
#include "export/export.h"
#include "query/gap_search.h"
#include "random.h"
#include "session_fixture.h"
#include "sorted.h"

#include <limits.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TRACES_MAX = 4, SIZE = 54, START = 1000000000, SESSIONS = 24 };

static uint64_t seed;

/* --- captures ---------------------------------------------------------- */

/* How far a message is from the one before it, in nanoseconds: most are near, and long
 * pauses are mostly where a cell begins, so that cells are dense or sparse, and follow
 * each other closely or not. */
static uint64_t
draw_distance(size_t i, unsigned rare)
{
	if (i * SIZE % 65536 < SIZE && random_below(&seed, 2))
		return random_below(&seed, 20000000);
	if (random_below(&seed, rare) == 0)
		return random_below(&seed, 5000000);
	return random_below(&seed, 2000);
}

/* SyS-T strings of one size (MIPI SyS-T 1.0, message header: type 2, severity from bit 4
 * on, length 9, time stamp 11, subtype from 24 on). */
static void
write_message(FILE *out, bool timed, uint64_t ticks)
{
	uint8_t bytes[SIZE];
	size_t head = timed ? 14 : 6;
	uint32_t severity = 1 + random_below(&seed, 7);
	uint32_t header =
	    2 | severity << 4 | 1u << 9 | (timed ? 1u << 11 : 0) | 5u << 16 | 1u << 24;
	bytes_put_le64(bytes, header | (uint64_t)(SIZE - head) << 32);
	memset(bytes + 6, 'x', SIZE - 6);
	if (timed)
		bytes_put_le64(bytes + 6, ticks);
	fwrite(bytes, sizeof bytes, 1, out);
}

static void
write_capture(const char *path, size_t count)
{
	FILE *out = fopen(path, "wb");
	uint64_t now = START + random_below(&seed, 50000000);
	/* of one sort each: sparse or dense; few are late, or none; few have a time, or most */
	unsigned rare = random_below(&seed, 2) ? 400 : 20000;
	unsigned late = random_below(&seed, 2) ? 0 : 2000;
	unsigned timed = random_below(&seed, 3) ? 40 : 2;
	assert_non_null(out);
	for (size_t i = 0; i < count; i++) {
		now += draw_distance(i, rare);
		if (late && random_below(&seed, 10000) == 0) /* the clock is set back */
			now -= random_below(&seed, 30000000);
		bool back = late && random_below(&seed, late) == 0;
		write_message(out, random_below(&seed, timed) > 0,
			      back ? now - random_below(&seed, 900000) : now);
	}
	assert_int_equal(fclose(out), 0);
}

static void
write_profile(const char *folder, size_t traces, size_t apart, bool rated)
{
	char path[128];
	snprintf(path, sizeof path, "%s/session.yaml", folder);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "traces:\n");
	for (size_t i = 0; i < traces; i++)
		fprintf(out,
			"  - {file: %zu.bin, format: syst,"
			" syst: {transport: raw, %sts_epoch: %s}}\n",
			i, rated ? "ts_hz: 1000000000, " : "",
			!rated || i == apart ? "none" : "unix");
	assert_int_equal(fclose(out), 0);
}

/* Opens a session of random captures; the last trace may have a clock of its own; each
 * has, of ticks, where they are not RATED. */
static void
open_random(struct session_fixture *f, bool rated)
{
	char path[128];
	struct err err = {0};
	size_t traces = 1 + random_below(&seed, TRACES_MAX);
	bool apart = traces > 1 && random_below(&seed, 3) == 0;
	memset(f, 0, sizeof *f);
	strcpy(f->folder, "/tmp/test_gap.XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	for (size_t i = 0; i < traces; i++) {
		snprintf(path, sizeof path, "%s/%zu.bin", f->folder, i);
		write_capture(path, 1 + random_below(&seed, i ? 15000 : 30000));
	}
	write_profile(f->folder, traces, apart ? traces - 1 : traces, rated);
	snprintf(path, sizeof path, "%s/session.yaml", f->folder);
	if (profile_load(path, &f->session.profile, &err))
		fail_msg("%s", err.what);
	assert_int_equal(session_open_named(&f->session, NULL, 0, &err), traces);
	session_link(&f->session);
	session_fixture_load(f);
}

/* --- the oracle -------------------------------------------------------- */

struct pair {
	size_t before, after; /* in the sorted messages */
	uint64_t length;
};

typedef VEC(struct pair) pairs;

/* All gaps among the messages that a filter by severity shows. */
static pairs
expect_gaps(const sorted_messages *all, const struct filter *shown)
{
	pairs gaps = {0};
	size_t last = SIZE_MAX;
	for (size_t i = 0; i < all->count; i++) {
		const struct message *m = &all->at[i].message;
		if (!(shown->severities >> m->severity & 1) || !(m->flags & MESSAGE_TIMED))
			continue;
		if (last != SIZE_MAX && all->at[last].part == all->at[i].part &&
		    m->ticks >= all->at[last].message.ticks)
			*vec_add(&gaps) =
			    (struct pair){last, i, m->ticks - all->at[last].message.ticks};
		last = i;
	}
	return gaps;
}

/* The NTH gap of at least LEAST behind a message, or before it; NULL: none. */
static const struct pair *
expect_next(const pairs *gaps, size_t from, int direction, uint64_t least, uint64_t nth)
{
	for (size_t i = 0; i < gaps->count; i++) {
		size_t at = direction > 0 ? i : gaps->count - 1 - i;
		bool ahead = direction > 0 ? gaps->at[at].after > from : gaps->at[at].after < from;
		if (ahead && gaps->at[at].length >= least && !--nth)
			return &gaps->at[at];
	}
	return NULL;
}

static int
compare(const void *x, const void *y)
{
	const struct pair *a = x, *b = y;
	if (a->length != b->length)
		return a->length > b->length ? -1 : 1;
	return (a->after > b->after) - (a->after < b->after);
}

/* --- the cursor -------------------------------------------------------- */

static struct trace *
trace_of(struct session *session, const struct sorted_message *entry)
{
	return session->traces.at[entry->lane];
}

static void
check_gap(struct session *session, struct gap_cursor *cursor, const sorted_messages *all,
	  const struct pair *const *gaps, size_t i, bool rated)
{
	struct gap gap;
	const struct sorted_message *entry = &all->at[i];
	bool any = gap_cursor_find(cursor, trace_of(session, entry), &entry->message, &gap);
	assert_int_equal(any, gaps[i] != NULL);
	if (any)
		assert_int_equal(gap.length, gaps[i]->length);
	assert_true(!any || gap.known == rated);
}

/* The gap before each message, asked for in several orders. */
static void
check_cursor(struct session *session, const sorted_messages *all, const pairs *found, bool rated)
{
	struct gap_cursor *cursor = gap_cursor_new(session);
	const struct pair **gaps = mem_new((all->count + 1) * sizeof *gaps);
	for (size_t i = 0; i < found->count; i++)
		gaps[found->at[i].after] = &found->at[i];
	for (size_t i = 0; i < all->count; i++) /* as in batch */
		check_gap(session, cursor, all, gaps, i, rated);
	for (size_t lane = 0; lane < session->traces.count; lane++)
		for (size_t i = 0; i < all->count; i++) /* as a match set does */
			if (all->at[i].lane == lane && i % 7 < 5)
				check_gap(session, cursor, all, gaps, i, rated);
	for (size_t i = all->count; i-- > 0 && i > all->count - 300;)
		check_gap(session, cursor, all, gaps, i, rated);
	for (int i = 0; i < 300; i++)
		check_gap(session, cursor, all, gaps, random_below(&seed, all->count), rated);
	free(gaps);
	gap_cursor_free(cursor);
}

/* --- searches ---------------------------------------------------------- */

static sem_t news;

static void
tell(void *context)
{
	(void)context;
	sem_post(&news);
}

/* Waits until it is done; the session tells NEWS. */
static struct gap_search *
search(const struct gap_query *query)
{
	struct gap_search *search = gap_search_new(query);
	while (!gap_search_is_done(search))
		sem_wait(&news);
	return search;
}

static bool
is_message(const struct gap_message *m, const struct sorted_message *entry)
{
	return m->trace == entry->lane && m->id.offset == message_id_offset(&entry->message);
}

static void
assert_found(const struct gap_found *found, const sorted_messages *all, const struct pair *gap)
{
	assert_int_equal(found->gap.length, gap->length);
	assert_true(is_message(&found->before, &all->at[gap->before]));
	assert_true(is_message(&found->after, &all->at[gap->after]));
}

static void
check_next(const struct gap_query *shown, const sorted_messages *all, const pairs *gaps)
{
	struct gap_query query = *shown;
	struct gap_found found;
	size_t from = random_below(&seed, all->count);
	query.direction = random_below(&seed, 2) ? 1 : -1;
	query.nth = random_below(&seed, 4) ? 1 : random_below(&seed, 4);
	query.from = (struct gap_message){all->at[from].lane,
					  {.offset = message_id_offset(&all->at[from].message)}};
	struct gap_search *s = search(&query);
	const struct pair *want =
	    expect_next(gaps, from, query.direction, query.least, query.nth ? query.nth : 1);
	assert_int_equal(gap_search_get(s, &found, 1), want != NULL);
	if (want)
		assert_found(&found, all, want);
	gap_search_free(s);
}

static void
check_longest(const struct gap_query *shown, const sorted_messages *all, const pairs *gaps)
{
	struct gap_query query = *shown;
	struct gap_found found[40];
	pairs want = {0};
	query.most = 1 + random_below(&seed, 40);
	for (size_t i = 0; i < gaps->count; i++)
		if (gaps->at[i].length >= query.least)
			*vec_add(&want) = gaps->at[i];
	if (want.count)
		qsort(want.at, want.count, sizeof *want.at, compare);
	size_t count = want.count < query.most ? want.count : query.most;
	struct gap_search *s = search(&query);
	assert_int_equal(gap_search_get(s, found, 40), count);
	for (size_t i = 0; i < count; i++)
		assert_found(&found[i], all, &want.at[i]);
	gap_search_free(s);
	vec_free(&want);
}

/* Among some traces of the WHOLE session: that others are hidden does not change the order. */
static void
check_searches(struct session *session, const sorted_messages *whole)
{
	static const uint64_t leasts[] = {1,	   2000,    300000,   2500000,
					  4000000, 8000000, 15000000, 1000000000};
	bool hidden[TRACES_MAX] = {false};
	unsigned shown = (1u << session->traces.count) - 1;
	struct filter filter = filter_all();
	if (random_below(&seed, 2))
		filter.severities = filter_threshold(SEVERITY_ERROR, false);
	for (size_t i = 0; i + 1 < session->traces.count; i++)
		if (random_below(&seed, 3) == 0) {
			hidden[i] = true;
			shown &= ~(1u << i);
		}
	sorted_messages all = {0};
	for (size_t i = 0; i < whole->count; i++)
		if (shown >> whole->at[i].lane & 1)
			*vec_add(&all) = whole->at[i];
	pairs gaps = expect_gaps(&all, &filter);
	struct gap_query query = {.session = session,
				  .hidden = hidden,
				  .filter = &filter,
				  .least =
				      leasts[random_below(&seed, sizeof leasts / sizeof *leasts)]};
	for (int i = 0; i < 6 && all.count; i++)
		check_next(&query, &all, &gaps);
	check_longest(&query, &all, &gaps);
	vec_free(&gaps);
	vec_free(&all);
}

/* --- what is printed ---------------------------------------------------- */

/* A time since the message at LAST, as a column tells it; SIZE_MAX: there is none. */
static void
expect_delta(const sorted_messages *all, size_t last, size_t i, char out[static 32])
{
	const struct message *m = &all->at[i].message;
	out[0] = '\0';
	if (last == SIZE_MAX || !(m->flags & MESSAGE_TIMED) ||
	    all->at[last].part != all->at[i].part)
		return;
	snprintf(out, 32, "%lld", (long long)(m->ticks - all->at[last].message.ticks));
}

/* Both columns of all messages that a filter by severity lets pass, formatted by several
 * threads. */
static void
check_columns(struct session *session, const sorted_messages *all, const pairs *gaps)
{
	FILE *file = tmpfile();
	char *line = NULL, delta[32], columns[64];
	size_t size = 0, last = SIZE_MAX, next = 0;
	struct err err;
	struct export_result result;
	struct writer writer = {.file = fileno(file), .is_direct = true};
	struct export_options options = {.format = export_find("csv"),
					 .filter = filter_all(),
					 .output = &writer,
					 .threads = random_below(&seed, 4),
					 .columns = EXPORT_DELTA | EXPORT_GAP};
	options.filter.severities = filter_threshold(SEVERITY_WARNING, false);
	assert_int_equal(export_run(session, &options, &result, &err), 0);
	rewind(file);
	assert_true(getline(&line, &size, file) > 0);
	assert_non_null(strstr(line, ",flags,delta,gap\n"));
	for (size_t i = 0; i < all->count; i++) {
		const struct message *m = &all->at[i].message;
		while (next < gaps->count && gaps->at[next].after < i)
			next++;
		bool any = next < gaps->count && gaps->at[next].after == i;
		if (!(options.filter.severities >> m->severity & 1))
			continue;
		expect_delta(all, last, i, delta);
		snprintf(columns, sizeof columns, ",%s,%.0llu%s\n", delta,
			 any ? (unsigned long long)gaps->at[next].length : 0,
			 any && !gaps->at[next].length ? "0" : "");
		ssize_t length = getline(&line, &size, file);
		assert_true(length > (ssize_t)strlen(columns));
		assert_string_equal(line + length - strlen(columns), columns);
		if (m->flags & MESSAGE_TIMED)
			last = i;
	}
	assert_true(getline(&line, &size, file) < 0);
	free(line);
	fclose(file);
}

static void
test_random(void **state)
{
	(void)state;
	const struct filter all_shown = filter_all();
	sem_init(&news, 0, 0);
	for (uint64_t n = 0; n < SESSIONS; n++) {
		struct session_fixture f;
		seed = 100 * n;
		bool rated = n % 4 > 0;
		open_random(&f, rated);
		session_notify(&f.session, tell, NULL);
		sorted_messages all = sorted_session(&f.session, UINT_MAX);
		pairs gaps = expect_gaps(&all, &all_shown);
		check_cursor(&f.session, &all, &gaps, rated);
		if (rated)
			check_columns(&f.session, &all, &gaps);
		for (int i = 0; i < 10; i++)
			check_searches(&f.session, &all);
		vec_free(&gaps);
		vec_free(&all);
		session_fixture_close(&f);
	}
	sem_destroy(&news);
}

/* --- small things ------------------------------------------------------ */

static uint64_t
usual(const uint64_t *lengths, size_t count)
{
	uint64_t copy[16];
	for (size_t i = 0; i < count; i++)
		copy[i] = lengths[i];
	return gap_usual(copy, count);
}

static void
test_usual(void **state)
{
	(void)state;
	static const uint64_t even[] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10};
	/* of eleven gaps two do not count */
	static const uint64_t eleven[] = {10, 10, 10, 100, 10, 10, 10, 10, 10, 100, 10};
	static const uint64_t still[] = {0, 0, 60, 20};
	static const uint64_t jump[] = {10, 10, 10, UINT64_MAX - 130, 10};
	/* ten gaps: eight of 10, one of 20, which counts, and the tenth, which does not */
	static const uint64_t tenth[] = {10, 10, 10, 10, 10, 10, 10, 10, 20, 1000};
	assert_int_equal(usual(even, 10), 10);
	assert_int_equal(usual(eleven, 11), 10);
	assert_int_equal(usual(still, 4), 20 / 3); /* 0, 0 and 20 */
	assert_int_equal(usual(jump, 5), 10);	   /* the long one does not count */
	assert_int_equal(usual(tenth, 10), 100 / 9);
	assert_int_equal(usual(even, 1), 0);
	assert_int_equal(usual(NULL, 0), 0);
}

static void
test_format(void **state)
{
	(void)state;
	static const struct {
		struct gap gap;
		const char *full, *brief;
	} cases[] = {
	    {{0, true}, "0 ns", "0 ns"},
	    {{999, true}, "999 ns", "999 ns"},
	    {{1000, true}, "1.000 us", "1 us"},
	    {{20817, true}, "20.817 us", "20.817 us"},
	    {{2500000, true}, "2.500 ms", "2.5 ms"},
	    {{999999999, true}, "999.999 ms", "999.999 ms"},
	    {{100000000000, true}, "100.000 s", "100 s"},
	    {{10010000000, true}, "10.010 s", "10.01 s"},
	    {{2500000, false}, "2500000", "2500000 ticks"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text text = {0};
		gap_format(&cases[i].gap, false, &text);
		assert_string_equal(text_get(&text), cases[i].full);
		text_clear(&text);
		gap_format(&cases[i].gap, true, &text);
		assert_string_equal(text_get(&text), cases[i].brief);
		text_free(&text);
	}
}

/* Ticks without a rate may have all 64 bits; times of two parts have no gap. */
static void
test_between(void **state)
{
	(void)state;
	struct message_time a = {.order = INT64_MAX}, b = {.order = INT64_MIN};
	struct gap gap;
	assert_true(gap_between(&a, &b, &gap));
	assert_int_equal(gap.length, 1);
	assert_false(gap_between(&b, &a, &gap));
	a.known = b.known = true;
	assert_false(gap_between(&a, &b, &gap));
	assert_true(gap_between(&b, &a, &gap));
	assert_int_equal(gap.length, UINT64_MAX);
	assert_true(gap_between(&a, &a, &gap));
	assert_int_equal(gap.length, 0);
	a.part = 1;
	assert_false(gap_between(&b, &a, &gap));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random),
	    cmocka_unit_test(test_usual),
	    cmocka_unit_test(test_format),
	    cmocka_unit_test(test_between),
	};
	return cmocka_run_group_tests_name("gap", tests, NULL, NULL);
}
