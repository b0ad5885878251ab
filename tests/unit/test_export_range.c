/*
 * Messages that are written while the order or the clocks of their session change: the write is
 * given up, and the next one equals batch output.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "export/export_range.h"
#include "folder.h"
#include "kept_back.h"
#include "random.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TRACES = 2, PAIRS = 800, PLACES = 40 };

static const bool none_hidden[TRACES], all_but_first[TRACES] = {false, true};

struct fixture {
	struct folder folder;
	struct session session;
};

/* What a test does in the middle of a write, and what was written. */
struct taker {
	struct session *session;
	void (*disturb)(struct session *);
	bool disturbed;
	struct text out;
};

static bool
take(void *context, struct text *text)
{
	struct taker *taker = context;
	text_add_bytes(&taker->out, text_get(text), text->length);
	text_clear(text);
	if (!taker->disturbed && taker->disturb)
		taker->disturb(taker->session);
	taker->disturbed = true;
	return true;
}

static void
set_time(struct session *session)
{
	clocks_set_order(session->clocks, CLOCKS_BY_TIME);
}

static void
set_transport(struct session *session)
{
	clocks_set_order(session->clocks, CLOCKS_BY_TRANSPORT);
}

/* The first message from NUMBER on that has a time. */
static struct message
find_timed(struct trace *trace, uint64_t number)
{
	struct reader *reader = reader_new(trace);
	struct position at;
	struct message m;
	bool more, exact;
	assert_true(reader_find_number(reader, number, &at, &exact) && exact);
	do {
		m = *reader_message(reader, at);
		more = reader_next(reader, &at, 0);
	} while (!(m.flags & MESSAGE_TIMED) && more);
	reader_free(reader);
	return m;
}

/* Tie the first message of a trace to a later one of the other, so that times change. */
static void
tie(struct session *session)
{
	struct trace *a = session->traces.at[0], *b = session->traces.at[1];
	struct message m = find_timed(a, 0), n = find_timed(b, 20);
	struct err err;
	assert_int_equal(clocks_tie(session->clocks, a, &m, b, &n, &err), 0);
}

static void
tie_and_load(struct session *session)
{
	tie(session);
	clocks_load(session->clocks, true);
}

static int64_t
write_range(const struct export_range *range, struct taker *taker)
{
	struct export_range own = *range;
	own.session = taker->session;
	own.format = export_find("csv");
	own.write = take;
	own.context = taker;
	text_clear(&taker->out);
	return export_range(&own);
}

/* The same by batch output. */
static void
print(struct session *session, const struct export_range *range, struct text *out)
{
	struct export_result result;
	struct err err;
	struct writer writer = {.file = memfd_create("test", 0), .is_direct = true};
	const struct export_options options = {
	    .format = export_find("csv"),
	    .output = &writer,
	    .filter = range->filter ? *range->filter : filter_all(),
	    .source = range->hidden[1] ? trace_name(session->traces.at[0]) : NULL,
	    .threads = 1};
	assert_int_equal(export_run(session, &options, &result, &err), 0);
	off_t size = lseek(writer.file, 0, SEEK_END);
	char *bytes = mem_new((size_t)size + 1);
	assert_int_equal(pread(writer.file, bytes, (size_t)size, 0), size);
	text_clear(out);
	text_add_bytes(out, bytes, (size_t)size);
	free(bytes);
	writer_abandon(&writer);
}

static struct trace *
open_trace(struct session *session, const char *path)
{
	struct err err = {0};
	kept_back_write(path, PAIRS);
	struct trace *trace = session_open(session, path, NULL, NULL, 0, &err);
	assert_non_null(trace);
	return trace;
}

static void
open_session(struct fixture *f)
{
	*f = (struct fixture){0};
	folder_make(&f->folder);
	option_defaults(profile_options_table(), &f->session.profile);
	for (int i = 0; i < TRACES; i++)
		open_trace(&f->session, folder_path(&f->folder, i ? "b.stp" : "a.stp"));
	session_link(&f->session);
	for (int i = 0; i < TRACES; i++)
		trace_build(f->session.traces.at[i]);
	clocks_load(f->session.clocks, true);
}

static void
close_session(struct fixture *f)
{
	session_close(&f->session);
	folder_remove(&f->folder);
}

/* A write that is disturbed is void; the next one is all of the new order. */
static void
check_disturbed(struct fixture *f, const struct export_range *range,
		void (*disturb)(struct session *))
{
	struct taker taker = {.session = &f->session, .disturb = disturb};
	struct text before = {0}, after = {0};
	print(&f->session, range, &before);
	assert_int_equal(write_range(range, &taker), ERR_MORE);
	assert_true(taker.disturbed && taker.out.length < before.length);
	assert_true(write_range(range, &taker) > 1000);
	print(&f->session, range, &after);
	assert_string_not_equal(text_get(&before), text_get(&after));
	assert_string_equal(text_get(&taker.out), text_get(&after));
	text_free(&before);
	text_free(&after);
	text_free(&taker.out);
}

static void
check_all(const struct export_range *range)
{
	struct fixture f;
	open_session(&f);
	check_disturbed(&f, range, set_time);
	check_disturbed(&f, range, set_transport);
	if (!range->hidden[1])
		check_disturbed(&f, range, tie_and_load);
	close_session(&f);
}

static void
test_all(void **state)
{
	(void)state;
	check_all(&(struct export_range){.hidden = none_hidden});
}

static void
test_filtered(void **state)
{
	(void)state;
	struct filter filter = filter_all();
	filter.severities = 0xf7;
	check_all(&(struct export_range){.hidden = none_hidden, .filter = &filter});
	check_all(&(struct export_range){.hidden = all_but_first, .filter = &filter});
}

/* One trace is one strand by the order of the transport and several by that of time. */
static void
test_one_trace(void **state)
{
	(void)state;
	check_all(&(struct export_range){.hidden = all_but_first});
}

/* --- from one message to another --------------------------------------- */

/* Write from one message to another; it equals the lines of all. */
static void
check_places(struct taker *taker, struct sequence *sequence, const bool *hidden, const char *all,
	     uint64_t first, uint64_t last)
{
	const struct sequence_wish wishes[] = {{.by = SEQUENCE_BY_NUMBER, .value = first},
					       {.by = SEQUENCE_BY_NUMBER, .value = last}};
	struct export_place places[2];
	for (int i = 0; i < 2; i++) {
		struct sequence_position p;
		assert_true(sequence_find(sequence, &wishes[i], &p));
		struct reader *reader = sequence_reader(sequence, p.trace);
		places[i] = (struct export_place){reader_trace(reader),
						  reader_message_id(reader, p.at), NULL};
	}
	const struct export_range range = {.hidden = hidden, .places = places, .count = 2};
	assert_int_equal(write_range(&range, taker),
			 (first < last ? last - first : first - last) + 1);
	const char *from = strchr(all, '\n') + 1;
	for (uint64_t i = 0; i < first && i < last; i++)
		from = strchr(from, '\n') + 1;
	const char *written = strchr(text_get(&taker->out), '\n') + 1;
	assert_memory_equal(written, from, strlen(written));
}

static void
check_ranges(struct fixture *f, const bool *hidden)
{
	struct taker taker = {.session = &f->session};
	struct text all = {0};
	bool exact;
	struct sequence *sequence = sequence_new(&f->session);
	for (size_t i = 0; i < TRACES; i++)
		sequence_show(sequence, i, !hidden[i]);
	sequence_load(sequence);
	uint64_t count = sequence_count(sequence, &exact);
	print(&f->session, &(struct export_range){.hidden = hidden}, &all);
	for (uint64_t i = 0; i < PLACES; i++)
		check_places(&taker, sequence, hidden, text_get(&all), i * 7919 % count,
			     i * 104729 % count);
	text_free(&all);
	text_free(&taker.out);
	sequence_free(sequence);
}

static void
test_places(void **state)
{
	(void)state;
	struct fixture f;
	open_session(&f);
	for (int order = CLOCKS_BY_TRANSPORT; order <= CLOCKS_BY_TIME; order++) {
		clocks_set_order(f.session.clocks, (enum clocks_order)order);
		check_ranges(&f, none_hidden);
		check_ranges(&f, all_but_first);
	}
	close_session(&f);
}

/* By time the messages between two others of a trace reach further in it than these. */
static void
test_ends(void **state)
{
	(void)state;
	struct fixture f;
	struct export_place places[2] = {0}, ends[2];
	open_session(&f);
	struct export_range range = {.session = &f.session,
				     .hidden = all_but_first,
				     .places = places,
				     .count = 2,
				     .format = export_find("raw")};
	struct reader *reader = reader_new(f.session.traces.at[0]);
	for (uint64_t i = 0; i < 2; i++) {
		struct position at;
		bool exact;
		assert_true(reader_find_number(reader, 500 - 300 * i, &at, &exact) && exact);
		places[i] = (struct export_place){.trace = f.session.traces.at[0],
						  .id = reader_message_id(reader, at)};
	}
	assert_int_equal(export_range_ends(&range, ends), 0);
	assert_int_equal(message_id_compare(ends[0].id, places[1].id), 0);
	assert_int_equal(message_id_compare(ends[1].id, places[0].id), 0);
	set_time(&f.session);
	assert_int_equal(export_range_ends(&range, ends), 0);
	assert_int_equal(message_id_compare(ends[0].id, places[1].id), 0);
	assert_true(message_id_compare(ends[1].id, places[0].id) > 0);
	range.hidden = none_hidden;
	range.count = 0;
	assert_int_equal(export_range_ends(&range, ends), ERR_USAGE);
	reader_free(reader);
	close_session(&f);
}

/* --- while all changes ------------------------------------------------- */

enum { TIED = 1, BY_TIME = 2, STATES = 4, WRITES = 60 };

struct race {
	struct fixture f;
	struct text expected[STATES];
	atomic_bool done;
	size_t written[STATES];
};

static void
set_state(struct session *session, unsigned state)
{
	size_t ties;
	clocks_ties(session->clocks, &ties);
	clocks_set_order(session->clocks, state & BY_TIME ? CLOCKS_BY_TIME : CLOCKS_BY_TRANSPORT);
	if (ties && !(state & TIED))
		clocks_untie(session->clocks, 0);
	else if (!ties && state & TIED)
		tie(session);
}

/* Write again and again.  Each write that succeeds is that of one state. */
static void *
write_on(void *context)
{
	struct race *race = context;
	struct taker taker = {.session = &race->f.session};
	const struct export_range range = {.hidden = none_hidden};
	for (unsigned count = 0; count < WRITES;) {
		unsigned state = 0;
		if (write_range(&range, &taker) == ERR_MORE)
			continue;
		while (state < STATES &&
		       strcmp(text_get(&race->expected[state]), text_get(&taker.out)) != 0)
			state++;
		if (state == STATES)
			break; /* fewer are written than should be */
		race->written[state]++;
		count++;
	}
	text_free(&taker.out);
	atomic_store(&race->done, true);
	return NULL;
}

static void
test_race(void **state)
{
	(void)state;
	struct race race = {.done = false};
	struct session *session = &race.f.session;
	uint64_t seed = 1;
	size_t written = 0;
	pthread_t thread;
	open_session(&race.f);
	for (unsigned i = 0; i < STATES; i++) {
		set_state(session, i);
		clocks_load(session->clocks, true);
		print(session, &(struct export_range){.hidden = none_hidden}, &race.expected[i]);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(text_get(&race.expected[i]),
						text_get(&race.expected[k]));
	}
	clocks_start(session->clocks);
	assert_int_equal(pthread_create(&thread, NULL, write_on, &race), 0);
	while (!atomic_load(&race.done)) {
		set_state(session, (unsigned)random_below(&seed, STATES));
		usleep((unsigned)random_below(&seed, 20000));
	}
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < STATES; i++) {
		written += race.written[i];
		text_free(&race.expected[i]);
	}
	assert_int_equal(written, WRITES);
	close_session(&race.f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all),	      cmocka_unit_test(test_filtered),
	    cmocka_unit_test(test_one_trace), cmocka_unit_test(test_places),
	    cmocka_unit_test(test_ends),      cmocka_unit_test(test_race)};
	return cmocka_run_group_tests_name("export_range", tests, NULL, NULL);
}
