/*
 * Readers and cursors over real SyS-T captures: what is seen through cells,
 * before and after the index is there, is what one walk sees; positions,
 * numbers, offsets and places lead to each other.
 */
#include "config.h"

#include "test.h"

#include "base/notice.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "drive.h"
#include "nibbles.h"
#include "query/next_match.h"
#include "same_index.h"
#include "session/session.h"
#include "toy.h"
#include "trace/reader.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 30000 };

static struct index *completed; /* after the next index_find(); or NULL */

bool __real_index_find(const struct index *, uint64_t number, uint64_t *cell);
bool __wrap_index_find(const struct index *, uint64_t number, uint64_t *cell);

bool
__wrap_index_find(const struct index *index, uint64_t number, uint64_t *cell)
{
	bool found = __real_index_find(index, number, cell);
	if (completed)
		index_build(completed);
	completed = NULL;
	return found;
}

/* COUNT strings with LEN, `n NUMBER`; each 1000th is an error, each 5000th
 * says so; sizes differ so that messages straddle cells.  A few builds of one
 * GUID  */
static struct text
strings(void)
{
	struct text out = {0};
	for (unsigned i = 0; i < COUNT; i++) {
		unsigned severity = i % 1000 == 999 ? SEVERITY_ERROR : SEVERITY_INFO;
		char body[64];
		int length = snprintf(body, sizeof body, "n %u%.*s%s", i, (int)(i % 23),
				      "                       ", i % 5000 == 0 ? "needle" : "");
		uint32_t header = 2 | severity << 4 | 1u << 9 | (i % 3) << 12 | 5u << 16 | 1u << 24;
		uint8_t prefix[6] = {(uint8_t)header,	      (uint8_t)(header >> 8),
				     (uint8_t)(header >> 16), (uint8_t)(header >> 24),
				     (uint8_t)length,	      0};
		text_add_bytes(&out, prefix, 6);
		text_add_bytes(&out, body, (size_t)length);
	}
	return out;
}

struct fixture {
	struct text bytes;
	char *path;
	struct session session;
	struct trace *trace;
	struct reader *reader;
	struct sequence *sequence;
	struct message *walked;
};

static int
setup(void **state)
{
	struct fixture *f = mem_new(sizeof *f);
	struct err err = {0};
	f->bytes = strings();
	f->path = toy_file(f->bytes.data, f->bytes.length);
	option_defaults(profile_options_table(), &f->session.profile);
	f->trace = session_open(&f->session, f->path, "syst/raw", NULL, 0, &err);
	assert_non_null(f->trace);
	session_link(&f->session);
	f->reader = reader_new(f->trace);
	f->sequence = sequence_new(&f->session);
	f->walked = mem_new((COUNT + 1) * sizeof *f->walked);
	size_t got = 0, n;
	while ((n = reader_walk(f->reader, f->walked + got, COUNT + 1 - got)) > 0)
		got += n;
	assert_int_equal(got, COUNT);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	sequence_free(f->sequence);
	reader_free(f->reader);
	session_close(&f->session);
	unlink(f->path);
	free(f->path);
	text_free(&f->bytes);
	free(f->walked);
	free(f);
	return 0;
}

static void
test_indexed(void **state)
{
	struct fixture *f = *state;
	index_build(trace_index(f->trace));
	same_messages(f->reader, f->walked, COUNT, "strings");
}

/* Whether a cell is still there after so many others, those past the end too. */
static bool
is_kept(struct reader *reader, unsigned others)
{
	const struct decoded_cell *first = reader_decoded_cell(reader, 0);
	for (unsigned i = 1; i <= others; i++)
		reader_decoded_cell(reader, i);
	return first->cell == 0 && reader_decoded_cell(reader, 0) == first;
}

static void
test_widened(void **state)
{
	struct fixture *f = *state;
	index_build(trace_index(f->trace));
	assert_true(is_kept(f->reader, 11));
	assert_false(is_kept(f->reader, 12));
	reader_limit(f->reader, 40);
	assert_true(is_kept(f->reader, 39));
	assert_false(is_kept(f->reader, 40));
	reader_limit(f->reader, READER_CELLS);
	assert_true(is_kept(f->reader, 11));
	assert_false(is_kept(f->reader, 12));
	reader_limit(f->reader, UINT_MAX);
	assert_true(is_kept(f->reader, 143));
	same_messages(f->reader, f->walked, COUNT, "widened");
}

/* Of cells whose messages take more than 4 MiB a reader keeps fewer, but as many as it lends. */
static void
test_dense(void **state)
{
	enum { DENSE = 150000 }; /* of 7 bytes: 16 cells */
	struct text bytes = {0};
	struct session session = {0};
	struct err err = {0};
	(void)state;
	for (unsigned i = 0; i < DENSE; i++) /* as strings() has them */
		text_add_bytes(&bytes, "\102\002\005\001\001\0n", 7);
	char *path = toy_file(bytes.data, bytes.length);
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, path, "syst/raw", NULL, 0, &err);
	assert_non_null(trace);
	session_link(&session);
	index_build(trace_index(trace));
	struct reader *reader = reader_new(trace);
	struct message *walked = mem_new((DENSE + 1) * sizeof *walked);
	size_t got = 0, n;
	while ((n = reader_walk(reader, walked + got, DENSE + 1 - got)) > 0)
		got += n;
	assert_int_equal(got, DENSE);
	assert_true(is_kept(reader, 3));
	assert_false(is_kept(reader, 11));
	reader_limit(reader, 14);
	assert_true(is_kept(reader, 5));
	same_messages(reader, walked, DENSE, "dense");
	reader_free(reader);
	session_close(&session);
	unlink(path);
	free(path);
	free(walked);
	text_free(&bytes);
}

/* Without the index the messages of every cell are right all the same, and
 * the end is there at once. */
static void
test_provisional(void **state)
{
	struct fixture *f = *state;
	struct position p;
	assert_true(reader_last(f->reader, &p));
	assert_true(drive_same_message(reader_message(f->reader, p), &f->walked[COUNT - 1]));
	for (size_t i = COUNT; i-- > 0;) {
		assert_true(drive_same_message(reader_message(f->reader, p), &f->walked[i]));
		assert_true(reader_previous(f->reader, &p, 0) == (i > 0));
	}
}

static void
test_numbers(void **state)
{
	struct fixture *f = *state;
	struct position p;
	bool exact;
	index_build(trace_index(f->trace));
	static const uint64_t numbers[] = {0, 1, 2500, 17777, COUNT - 1};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		assert_true(reader_find_number(f->reader, numbers[i], &p, &exact));
		assert_true(exact);
		assert_int_equal(reader_number(f->reader, p, &exact), numbers[i]);
	}
	assert_false(reader_find_number(f->reader, COUNT, &p, &exact));
}

/* A message is found although the index is completed between two looks at it. */
static void
test_numbers_race(void **state)
{
	struct fixture *f = *state;
	struct position p;
	bool exact;
	completed = trace_index(f->trace);
	assert_true(reader_find_number(f->reader, COUNT - 1, &p, &exact));
	assert_null(completed);
	assert_true(reader_find_number(f->reader, COUNT - 1, &p, &exact));
	assert_true(exact);
	assert_false(reader_find_number(f->reader, COUNT, &p, &exact));
}

static void
test_offsets(void **state)
{
	struct fixture *f = *state;
	index_build(trace_index(f->trace));
	for (size_t i = 0; i < COUNT; i += 7) {
		const struct message *m = &f->walked[i];
		const uint64_t offsets[] = {m->offset, m->offset + m->length / 2,
					    m->offset + m->length - 1};
		for (int k = 0; k < 3; k++) {
			struct position p;
			assert_true(reader_find_offset(f->reader, offsets[k], &p));
			assert_int_equal(reader_message(f->reader, p)->offset, m->offset);
		}
	}
	struct position p;
	assert_true(reader_find_offset(f->reader, UINT64_MAX, &p));
	assert_int_equal(reader_message(f->reader, p)->offset, f->walked[COUNT - 1].offset);
}

static void
test_message_ids(void **state)
{
	struct fixture *f = *state;
	struct position p, again;
	index_build(trace_index(f->trace));
	assert_true(reader_first(f->reader, &p));
	do {
		struct message_id place = reader_message_id(f->reader, p);
		assert_true(reader_find_id(f->reader, place, &again));
		assert_int_equal(again.cell, p.cell);
		assert_int_equal(again.at, p.at);
	} while (reader_next(f->reader, &p, 0));
}

static struct next_match *
cursor(struct fixture *f, struct filter *want, uint64_t from, int direction, bool wrap)
{
	struct next_query query = {
	    .sequence = f->sequence, .want = want, .direction = direction, .wrap = wrap};
	bool exact;
	assert_true(reader_find_number(f->reader, from, &query.from.at, &exact));
	return next_match_new(&query);
}

static uint64_t
find_number(struct fixture *f, struct filter *want, uint64_t from, int direction, bool wrap,
	    enum next_result expected, bool *wrapped)
{
	const struct next_bound bound = {.near = 1000};
	struct next_match *next = cursor(f, want, from, direction, wrap);
	struct sequence_position found = {0};
	bool exact;
	assert_int_equal(next_match(next, &bound, &found), expected);
	*wrapped = next_match_wrapped(next);
	next_match_free(next);
	return expected == NEXT_FOUND ? reader_number(f->reader, found.at, &exact) : UINT64_MAX;
}

static void
test_next(void **state)
{
	struct fixture *f = *state;
	bool wrapped;
	index_build(trace_index(f->trace));
	struct filter errors = {.severities = 1 << SEVERITY_ERROR};
	assert_int_equal(find_number(f, &errors, 0, 1, false, NEXT_FOUND, &wrapped), 999);
	assert_int_equal(find_number(f, &errors, 999, 1, false, NEXT_FOUND, &wrapped), 1999);
	assert_int_equal(find_number(f, &errors, 5000, -1, false, NEXT_FOUND, &wrapped), 4999);
	assert_int_equal(find_number(f, &errors, 4999, -1, false, NEXT_FOUND, &wrapped), 3999);
	find_number(f, &errors, 500, -1, false, NEXT_END, &wrapped);
	assert_int_equal(find_number(f, &errors, 500, -1, true, NEXT_FOUND, &wrapped), 29999);
	assert_true(wrapped);
	assert_int_equal(find_number(f, &errors, 29999, 1, true, NEXT_FOUND, &wrapped), 999);
	assert_true(wrapped);

	struct filter text = filter_all();
	text.expr = filter_parse_pattern("needle", NULL);
	assert_int_equal(find_number(f, &text, 0, 1, false, NEXT_FOUND, &wrapped), 5000);
	assert_int_equal(find_number(f, &text, 25000, 1, true, NEXT_FOUND, &wrapped), 0);
	assert_true(wrapped);
	filter_free(&text);

	/* the only match is where it began: a full round finds it again */
	text.expr = filter_parse_pattern("^n 12345 ", NULL);
	assert_int_equal(find_number(f, &text, 12345, 1, true, NEXT_FOUND, &wrapped), 12345);
	assert_int_equal(find_number(f, &text, 12345, -1, true, NEXT_FOUND, &wrapped), 12345);
	find_number(f, &text, 12345, 1, false, NEXT_END, &wrapped);
	filter_free(&text);
}

/* Going on from where a bounded look ended covers the rest, and ends. */
static void
test_next_in_steps(void **state)
{
	struct fixture *f = *state;
	const struct next_bound bound = {.near = 1};
	struct filter text = filter_all();
	struct sequence_position found;
	bool exact;
	index_build(trace_index(f->trace));
	uint64_t cells = index_cell_count(trace_index(f->trace));
	text.expr = filter_parse_pattern("^n (7|29990) ", NULL); /* in the first and last cell */
	for (int direction = -1; direction <= 1; direction += 2) {
		struct next_match *next =
		    cursor(f, &text, direction > 0 ? 7 : 29990, direction, false);
		uint64_t steps = 0;
		enum next_result result;
		while ((result = next_match(next, &bound, &found)) == NEXT_MORE)
			assert_true(++steps <= cells);
		assert_int_equal(result, NEXT_FOUND);
		assert_true(steps > cells / 2);
		assert_int_equal(reader_number(f->reader, found.at, &exact),
				 direction > 0 ? 29990 : 7);
		next_match_free(next);
	}
	filter_free(&text);
}

static void
ring(void *context)
{
	atomic_fetch_add((atomic_uint *)context, 1);
}

static void
test_next_in_thread(void **state)
{
	struct fixture *f = *state;
	const struct next_bound bound = {.background = true};
	struct filter text = filter_all();
	text.expr = filter_parse_pattern("no such thing", NULL);
	struct sequence_position found;
	atomic_uint rung = 0;
	enum next_result result;
	session_notify(&f->session, ring, &rung);
	struct next_match *next = cursor(f, &text, 20000, 1, true);
	for (unsigned waits = 1; (result = next_match(next, &bound, &found)) == NEXT_WAITING;
	     waits++)
		while (atomic_load(&rung) < waits)
			usleep(1000);
	assert_int_equal(result, NEXT_END);
	assert_int_equal(atomic_load(&rung), 2); /* to the end, and from the start on */
	next_match_free(next);
	next = cursor(f, &text, 0, 1, true);
	assert_int_equal(next_match(next, &bound, &found), NEXT_WAITING);
	next_match_free(next); /* ends it */
	session_notify(&f->session, NULL, NULL);
	filter_free(&text);
}

static void
test_filter_cell(void **state)
{
	(void)state;
	struct index_cell cell = {.count = 10, .message_flags = MESSAGE_DAMAGED};
	cell.severities[SEVERITY_INFO] = 7;
	cell.severities[SEVERITY_ERROR] = 3;
	struct filter f = filter_all();
	assert_int_equal(filter_cell(&f, &cell), FILTER_ALL);
	f.severities = filter_threshold(SEVERITY_WARNING, false);
	assert_int_equal(filter_cell(&f, &cell), FILTER_SOME);
	f.severities = filter_threshold(SEVERITY_FATAL, false);
	assert_int_equal(filter_cell(&f, &cell), FILTER_NONE);
	f.severities = filter_threshold(SEVERITY_INFO, false);
	assert_int_equal(filter_cell(&f, &cell), FILTER_ALL);
	f.flags = MESSAGE_LOST;
	assert_int_equal(filter_cell(&f, &cell), FILTER_NONE);
	f.flags = MESSAGE_DAMAGED;
	assert_int_equal(filter_cell(&f, &cell), FILTER_SOME);
	assert_int_equal(filter_threshold(SEVERITY_ERROR, false), 0x07);
	assert_int_equal(filter_threshold(SEVERITY_ERROR, true), 0x107);
	assert_int_equal(filter_threshold(SEVERITY_DEBUG, false), 0xff);
	assert_int_equal(filter_threshold(SEVERITY_DEBUG, true), SEVERITY_ALL);
	assert_int_equal(filter_threshold(SEVERITY_NONE, false), SEVERITY_ALL);
	cell.count += cell.severities[SEVERITY_NONE] = 2;
	f = filter_all();
	f.severities = filter_threshold(SEVERITY_DEBUG, false);
	assert_int_equal(filter_cell(&f, &cell), FILTER_SOME);
	f.severities = 1 << SEVERITY_NONE;
	assert_int_equal(filter_cell(&f, &cell), FILTER_SOME);
	cell.severities[SEVERITY_INFO] = cell.severities[SEVERITY_ERROR] = 0;
	cell.count = 2;
	assert_int_equal(filter_cell(&f, &cell), FILTER_ALL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* --- a capture that changes -------------------------------------------- */

static void
put(const char *path, int flags, const char *bytes, size_t length)
{
	int file = open(path, O_WRONLY | flags);
	assert_int_equal(write(file, bytes, length), length);
	close(file);
}

/* How many messages a reader shows, all as in the walk of the whole. */
static size_t
shown(struct fixture *f, struct reader *reader)
{
	struct position p;
	size_t count = 0;
	if (!reader_first(reader, &p))
		return 0;
	do
		assert_true(drive_same_message(reader_message(reader, p), &f->walked[count++]));
	while (reader_next(reader, &p, 0));
	return count;
}

/* At the end of a capture that grows, what is whole is shown, and what is cut
 * off there is not; only what is settled is counted and given to a walk. */
static void
test_growing(void **state)
{
	struct fixture *f = *state;
	enum { WHOLE = 5000 };
	size_t cut = (size_t)f->walked[WHOLE].offset + 3;
	char *path = toy_file(f->bytes.data, cut);
	struct session session = {0};
	struct message some[WHOLE + 2];
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, path, "syst/raw", NULL, 0, NULL);
	trace_follow(trace, true);
	struct reader *reader = reader_new(trace);
	bool exact;
	assert_int_equal(shown(f, reader), WHOLE);
	assert_int_equal(reader_count(reader, &exact), WHOLE);
	assert_true(exact);
	size_t walked = reader_walk(reader, some, WHOLE + 2);
	assert_in_range(walked, WHOLE - 2, WHOLE);
	for (size_t i = 0; i < walked; i++)
		assert_true(drive_same_message(&some[i], &f->walked[i]));

	put(path, O_APPEND, f->bytes.data + cut, f->bytes.length - cut);
	assert_true(trace_wait(trace));
	assert_in_range(shown(f, reader), COUNT - 1, COUNT);
	trace_follow(trace, false);
	assert_int_equal(shown(f, reader), COUNT);
	assert_null(trace_take_notice(trace)); /* growth is nothing to talk about */
	assert_null(trace_mark(trace));
	reader_free(reader);
	session_close(&session);
	unlink(path);
	free(path);
}

/* What was cut or written anew is forgotten, and said once. */
static void
test_anew(void **state)
{
	struct fixture *f = *state;
	struct position p;
	size_t half = (size_t)f->walked[COUNT / 2].offset;
	char *path = toy_file(f->bytes.data, f->bytes.length);
	struct session session = {0};
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, path, "syst/raw", NULL, 0, NULL);
	trace_follow(trace, true);
	struct reader *reader = reader_new(trace);
	struct message one;
	assert_int_equal(reader_walk(reader, &one, 1), 1);
	shown(f, reader);

	assert_int_equal(truncate(path, (off_t)half), 0);
	assert_true(trace_refresh(trace));
	assert_int_equal(reader_walk(reader, &one, 1), 0);
	assert_int_equal(shown(f, reader), COUNT / 2);
	char *notice = trace_take_notice(trace);
	assert_non_null(strstr(notice, NOTICE_CAPTURE_SHRANK));
	free(notice);
	assert_null(trace_take_notice(trace));
	assert_string_equal(trace_mark(trace), "cut");

	/* the same size, other bytes: the second half of the messages */
	char *other = mem_new(half);
	memcpy(other, f->bytes.data + f->bytes.length - half, half);
	put(path, O_TRUNC, other, half);
	assert_true(trace_refresh(trace));
	assert_string_equal(trace_mark(trace), "rewritten");
	assert_true(reader_last(reader, &p));
	struct expansion e = {0};
	const struct message *last = reader_message(reader, p);
	reader_expand(reader, last, EXPAND_TEXT, &e);
	char text[32];
	snprintf(text, sizeof text, "n %d", COUNT - 1);
	assert_int_equal(strncmp(text_get(&e.text), text, strlen(text)), 0);
	expansion_free(&e);
	free(other);
	reader_free(reader);
	session_close(&session);
	unlink(path);
	free(path);
}

/* An STP stream whose only message is a string of four letters, lowest byte last. */
static struct nibbles
stream(const char *letters)
{
	struct nibbles n = {0};
	nibbles_add(&n, ASYNC "F003 F6 01000042 0 6");
	nibbles_add(&n, letters);
	nibbles_add(&n, "FE");
	nibbles_fill(&n, 2 * (n.count / 2 + 1));
	return n;
}

/* So is what a decoder remembers of messages that it expanded. */
static void
test_memory_anew(void **state)
{
	(void)state;
	struct nibbles abcd = stream("64636261"), efgh = stream("68676665");
	char *path = toy_file(abcd.bytes.at, abcd.bytes.count);
	struct session session = {0};
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, path, "syst/stp", NULL, 0, NULL);
	trace_follow(trace, true);
	struct reader *walker = reader_new(trace), *reader = reader_new(trace);
	struct expansion e = {0};
	struct position p;
	assert_true(reader_first(walker, &p));
	assert_true(reader_next(walker, &p, 0));
	const struct message m = *reader_message(walker, p);
	reader_expand(reader, &m, EXPAND_TEXT, &e);
	assert_string_equal(text_get(&e.text), "abcd");

	put(path, O_TRUNC, (const char *)efgh.bytes.at, efgh.bytes.count);
	assert_true(trace_refresh(trace));
	reader_expand(reader, &m, EXPAND_TEXT, &e);
	assert_string_equal(text_get(&e.text), "efgh");
	expansion_free(&e);
	reader_free(reader);
	reader_free(walker);
	session_close(&session);
	unlink(path);
	free(path);
	nibbles_free(&abcd);
	nibbles_free(&efgh);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_indexed),
	    TEST(test_provisional),
	    TEST(test_numbers),
	    TEST(test_numbers_race),
	    TEST(test_offsets),
	    TEST(test_message_ids),
	    TEST(test_next),
	    TEST(test_widened),
	    cmocka_unit_test(test_dense),
	    TEST(test_next_in_steps),
	    TEST(test_next_in_thread),
	    cmocka_unit_test(test_filter_cell),
	    TEST(test_growing),
	    TEST(test_anew),
	    /* of another format */
	    cmocka_unit_test(test_memory_anew),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
