/*
 * Pairs of a log whose begins, ends and messages that are both are drawn by the test, which
 * pairs them itself: how many there are and how long, the longest, the histogram, the other end
 * of each message, which are open, which hold a time or touch a range, and the steps from one
 * that is worth a look to the next.  Times go back now and then.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "folder.h"
#include "query/interval/intervals.h"
#include "query/value.h"
#include "random.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 1500, TAGS = 3, KEYS = 4, NONE = -1, OWN = 0, ANY, DEFINITIONS };

enum sort { OTHER, BEGIN, END, BOTH, SORTS };
static const char *const words[SORTS] = {"other", "start", "stop", "turn"};

struct drawn {
	enum sort sort;
	unsigned tag, key;
	int64_t time; /* ns */
	struct message_id id;
	struct message message;
};

/* What a message is of one definition: numbers of messages. */
struct paired {
	int begin;  /* that it ends */
	int end;    /* of what it begins; */
	bool open;  /* it has none */
	bool ended; /* it ends something, if only what has not begun */
};

struct fixture {
	struct folder folder;
	struct session session;
	struct intervals *intervals;
	struct reader *reader;
	struct drawn drawn[MESSAGES];
	struct paired paired[DEFINITIONS][MESSAGES];
	uint64_t unbegun[DEFINITIONS];
};

static uint64_t seed = 61;

/* --- the log ------------------------------------------------------------------ */

static void
draw(struct fixture *f, struct text *log)
{
	int64_t ms = 3600000;
	for (size_t i = 0; i < MESSAGES; i++) {
		struct drawn *d = &f->drawn[i];
		ms += (int64_t)random_below(&seed, 40) - (random_below(&seed, 20) ? 0 : 60);
		*d = (struct drawn){.sort = (enum sort)random_below(&seed, SORTS),
				    .tag = random_below(&seed, TAGS),
				    .key = random_below(&seed, KEYS),
				    .time = ms * 1000000};
		if (d->sort == BOTH && i % 3)
			d->sort = i % 6 < 4 ? BEGIN : END;
		text_addf(log, "%02lld:%02lld:%02lld.%03lld tag%u: ", (long long)ms / 3600000,
			  (long long)ms / 60000 % 60, (long long)ms / 1000 % 60,
			  (long long)ms % 1000, d->tag);
		if (d->key) /* none is a key too */
			text_addf(log, "<%u> ", d->key);
		text_addf(log, "%s\n", words[d->sort]);
	}
}

/* By the rules of pairing.h: an end belongs to the last begin of its key that has none, and a
 * message that is both ends one first. */
static void
pair_up(struct fixture *f, int which)
{
	int stacks[TAGS * KEYS][MESSAGES];
	size_t depths[TAGS * KEYS] = {0};
	for (int i = 0; i < MESSAGES; i++) {
		const struct drawn *d = &f->drawn[i];
		size_t key = d->key * TAGS + (which == OWN ? d->tag : 0);
		struct paired *own = &f->paired[which][i];
		*own = (struct paired){.begin = NONE, .end = NONE};
		if (d->sort == END || d->sort == BOTH) {
			own->ended = true;
			f->unbegun[which] += !depths[key];
			own->begin = depths[key] ? stacks[key][--depths[key]] : NONE;
			if (own->begin != NONE) {
				f->paired[which][own->begin].end = i;
				f->paired[which][own->begin].open = false;
			}
		}
		if (d->sort == BEGIN || d->sort == BOTH) {
			own->open = true;
			stacks[key][depths[key]++] = i;
		}
	}
}

static const char profile[] =
    "traces:\n"
    "  - file: drawn.log\n"
    "    format: text\n"
    "    text:\n"
    "      pattern: '^(?<time>[0-9:.]+) (?<origin>\\w+): (?:<(?<pid>\\d+)> )?'\n"
    "      time: clock\n"
    "intervals:\n"
    "  - {name: own, begin: text ~ \"start|turn\", end: text ~ \"stop|turn\", key: pid}\n"
    "  - {name: any, begin: text ~ \"start|turn\", end: text ~ \"stop|turn\", key: pid,\n"
    "     across: true}\n";

static void
open_session(struct fixture *f)
{
	struct err err = {0};
	const char *path = f->folder.files.at[f->folder.files.count - 1];
	if (profile_load(path, &f->session.profile, &err) < 0)
		fail_msg("%s", err.what);
	f->session.profile_path = path;
	if (session_open_named(&f->session, NULL, 0, &err) < 0)
		fail_msg("%s", err.what);
	f->intervals = intervals_new(&f->session, &err);
	if (!f->intervals)
		fail_msg("%s", err.what);
	assert_true(trace_load(f->session.traces.at[0], &err) >= 0);
	session_link(&f->session);
	session_build(&f->session);
	clocks_load(f->session.clocks, true);
	f->reader = reader_new(f->session.traces.at[0]);
	f->session.intervals->start(f->session.intervals->context);
	while (!intervals_are_done(f->intervals))
		usleep(1000);
}

static int
open_fixture(void **state)
{
	struct fixture *f = mem_new(sizeof *f);
	struct text log = {0};
	folder_make(&f->folder);
	draw(f, &log);
	folder_put(&f->folder, "drawn.log", log.data, log.length);
	folder_put(&f->folder, "drawn.yaml", profile, sizeof profile - 1);
	open_session(f);
	for (size_t i = 0; i < MESSAGES; i++) {
		struct position at;
		bool exact;
		assert_true(reader_find_number(f->reader, i, &at, &exact));
		f->drawn[i].message = *reader_message(f->reader, at);
		f->drawn[i].id = reader_message_id(f->reader, at);
	}
	for (int which = 0; which < DEFINITIONS; which++)
		pair_up(f, which);
	text_free(&log);
	*state = f;
	return 0;
}

static int
close_fixture(void **state)
{
	struct fixture *f = *state;
	reader_free(f->reader);
	intervals_free(f->intervals);
	session_close(&f->session);
	folder_remove(&f->folder);
	free(f);
	return 0;
}

/* --- lengths -------------------------------------------------------------------- */

static int64_t
length_of(const struct fixture *f, int which, int end)
{
	return f->drawn[end].time - f->drawn[f->paired[which][end].begin].time;
}

static int
compare_lengths(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The lengths of all pairs, the shortest first. */
static size_t
sort_lengths(const struct fixture *f, int which, int64_t *lengths)
{
	size_t count = 0;
	for (int i = 0; i < MESSAGES; i++)
		if (f->paired[which][i].begin != NONE)
			lengths[count++] = length_of(f, which, i);
	qsort(lengths, count, sizeof *lengths, compare_lengths);
	return count;
}

/* By the definition: the least number that so many per cent do not exceed. */
static int64_t
percentile(const int64_t *sorted, size_t count, unsigned percent)
{
	size_t rank = 1;
	while (rank * 100 < count * percent)
		rank++;
	return sorted[rank - 1];
}

/* Whether bins are of 1, 2 or 5 times a power of ten, as narrow as all lengths allow. */
static void
check_width(int64_t width, uint64_t range)
{
	int64_t power = 1;
	while (power * 10 <= width)
		power *= 10;
	assert_true(width == power || width == 2 * power || width == 5 * power);
	int64_t narrower = width == 5 * power ? 2 * power : width / 2;
	assert_true((uint64_t)width * (INTERVAL_BINS - 1) >= range);
	assert_true(width == 1 || (uint64_t)narrower * (INTERVAL_BINS - 1) <= range);
}

static void
check_histogram(const struct interval_summary *s, const int64_t *sorted, size_t count)
{
	uint64_t bins[INTERVAL_BINS] = {0};
	check_width(s->bin_width, (uint64_t)(sorted[count - 1] - sorted[0]));
	assert_int_equal(s->bin_start % s->bin_width, 0);
	assert_true(s->bin_start <= sorted[0] && sorted[0] < s->bin_start + s->bin_width);
	for (size_t i = 0; i < count; i++)
		bins[(sorted[i] - s->bin_start) / s->bin_width]++;
	for (size_t i = 0; i < INTERVAL_BINS; i++)
		assert_int_equal(s->bins[i], bins[i]);
	assert_true(bins[s->bin_count - 1]);
	assert_true(s->bin_count == INTERVAL_BINS || !bins[s->bin_count]);
}

static void
test_summary(void **state)
{
	const struct fixture *f = *state;
	for (int which = 0; which < DEFINITIONS; which++) {
		int64_t sorted[MESSAGES];
		size_t count = sort_lengths(f, which, sorted);
		uint64_t open = 0;
		long double sum = 0;
		struct interval_summary s;
		intervals_summarise(f->intervals, (size_t)which, &s);
		for (int i = 0; i < MESSAGES; i++)
			open += f->paired[which][i].open;
		for (size_t i = 0; i < count; i++)
			sum += (long double)sorted[i];
		assert_int_equal(s.counts.pairs, count);
		assert_int_equal(s.counts.open, open);
		assert_int_equal(s.counts.unbegun, f->unbegun[which]);
		assert_true(!s.counts.doubtful && !s.counts.untimed && s.done && !s.ticks);
		assert_int_equal(s.timed, count);
		assert_true(s.sum == sum);
		assert_int_equal(s.min, sorted[0]);
		assert_int_equal(s.max, sorted[count - 1]);
		assert_int_equal(s.p50, percentile(sorted, count, 50));
		assert_int_equal(s.p90, percentile(sorted, count, 90));
		assert_int_equal(s.p99, percentile(sorted, count, 99));
		check_histogram(&s, sorted, count);
	}
}

/* The number of the message with an ID. */
static int
number_of(const struct fixture *f, struct message_id id)
{
	int i = 0;
	while (i < MESSAGES && message_id_compare(f->drawn[i].id, id))
		i++;
	assert_true(i < MESSAGES);
	return i;
}

static void
check_longest(const struct fixture *f, int which, size_t max)
{
	int64_t sorted[MESSAGES];
	struct interval_pair pairs[MESSAGES];
	size_t count = sort_lengths(f, which, sorted);
	size_t got = intervals_longest(f->intervals, (size_t)which, pairs, max);
	int before = NONE;
	assert_int_equal(got, count < max ? count : max);
	for (size_t i = 0; i < got; i++) {
		int end = number_of(f, pairs[i].end.id);
		assert_int_equal(pairs[i].length, sorted[count - 1 - i]);
		assert_int_equal(pairs[i].length, length_of(f, which, end));
		assert_int_equal(number_of(f, pairs[i].begin.id), f->paired[which][end].begin);
		if (i && pairs[i - 1].length == pairs[i].length)
			assert_true(end > before);
		before = end;
	}
}

static void
test_longest(void **state)
{
	for (int which = 0; which < DEFINITIONS; which++) {
		check_longest(*state, which, MESSAGES);
		check_longest(*state, which, 7);
	}
}

/* --- one message ------------------------------------------------------------------ */

/* Messages in an order of their own, near and far. */
static int
turn(int i, int order)
{
	return order == 0 ? i : order == 1 ? MESSAGES - 1 - i : i * 7 % MESSAGES;
}

static void
check_other(const struct fixture *f, int i)
{
	struct interval_message other;
	size_t interval;
	const struct message *m = &f->drawn[i].message;
	int want = NONE, of = NONE;
	bool ends = false;
	for (int which = 0; which < DEFINITIONS && want == NONE; which++) {
		const struct paired *own = &f->paired[which][i];
		ends = own->begin != NONE;
		want = ends ? own->begin : own->end;
		of = which;
	}
	bool found = intervals_find_other(f->intervals, f->reader, m, &other, &interval);
	assert_int_equal(found, want != NONE);
	if (!found)
		return;
	assert_int_equal(number_of(f, other.id), want);
	assert_int_equal(interval, of);
}

static void
check_hook(const struct fixture *f, int i, int which)
{
	const struct session_intervals *hook = f->session.intervals;
	const struct paired *own = &f->paired[which][i];
	const struct message *m = &f->drawn[i].message;
	struct interval_length length;
	int end = own->begin != NONE ? i : own->end;
	bool found = hook->find(hook->context, (size_t)which, f->reader, m, false, &length);
	assert_int_equal(found, end != NONE);
	if (found)
		assert_int_equal(length.length, length_of(f, which, end));
	found = hook->find(hook->context, (size_t)which, f->reader, m, true, &length);
	assert_int_equal(found, own->begin != NONE);
	assert_int_equal(intervals_is_open(f->intervals, (size_t)which, f->reader, m), own->open);
}

static void
test_messages(void **state)
{
	const struct fixture *f = *state;
	for (int order = 0; order < 3; order++) {
		for (int i = 0; i < MESSAGES; i++) {
			check_other(f, turn(i, order));
			check_hook(f, turn(i, order), OWN);
			check_hook(f, turn(i, order), ANY);
		}
	}
}

/* --- where they are ----------------------------------------------------------------- */

/* Whether what message BEGIN begins lies in some of the time from FROM to TO; what ends before it
 * begins lies nowhere. */
static bool
is_there(const struct fixture *f, int which, int begin, int64_t from, int64_t to)
{
	const struct paired *own = &f->paired[which][begin];
	int64_t since = f->drawn[begin].time;
	int64_t until = own->open ? INT64_MAX : own->end != NONE ? f->drawn[own->end].time : 0;
	return (own->open || own->end != NONE) && since <= until && since <= to && until >= from;
}

static uint64_t
count_there(const struct fixture *f, int which, int64_t from, int64_t to)
{
	uint64_t count = 0;
	for (int i = 0; i < MESSAGES; i++)
		count += is_there(f, which, i, from, to);
	return count;
}

static void
check_span(const struct fixture *f, const struct interval_span *span, int64_t from, int64_t to)
{
	int begin = number_of(f, span->begin.id);
	const struct paired *own = &f->paired[span->interval][begin];
	assert_true(is_there(f, (int)span->interval, begin, from, to));
	assert_int_equal(span->since, f->drawn[begin].time);
	assert_int_equal(span->ended, own->end != NONE);
	assert_false(span->doubtful);
	if (!span->ended)
		return;
	assert_int_equal(number_of(f, span->end.id), own->end);
	assert_int_equal(span->until, f->drawn[own->end].time);
}

/* Of each definition the last begun comes first. */
static void
check_ordered(const struct fixture *f, const struct interval_span *a, const struct interval_span *b)
{
	assert_true(a->interval <= b->interval);
	if (a->interval != b->interval)
		return;
	assert_true(a->since > b->since || (a->since == b->since &&
					    number_of(f, a->begin.id) > number_of(f, b->begin.id)));
}

static void
check_enclosing(const struct fixture *f, int i, size_t max)
{
	struct interval_span spans[2 * MESSAGES];
	struct message_time time;
	uint64_t all, want[DEFINITIONS], seen[DEFINITIONS] = {0};
	int64_t at = f->drawn[i].time;
	assert_true(clocks_time(f->session.traces.at[0], &f->drawn[i].message, &time));
	size_t count = intervals_enclosing(f->intervals, &time, spans, max, &all);
	for (int which = 0; which < DEFINITIONS; which++)
		want[which] = count_there(f, which, at, at);
	assert_int_equal(all, want[OWN] + want[ANY]);
	assert_true(count <= max && (count == all || count + DEFINITIONS > max));
	for (size_t k = 0; k < count; k++) {
		check_span(f, &spans[k], at, at);
		seen[spans[k].interval]++;
		if (k)
			check_ordered(f, &spans[k - 1], &spans[k]);
	}
	for (int which = 0; which < DEFINITIONS && max >= DEFINITIONS; which++)
		assert_true(seen[which] || !want[which]); /* one of each has room */
}

static void
test_enclosing(void **state)
{
	const struct fixture *f = *state;
	for (int i = 0; i < MESSAGES; i += 11) {
		check_enclosing(f, i, 2 * MESSAGES);
		check_enclosing(f, i, 1 + random_below(&seed, 12));
	}
}

static void
test_touching(void **state)
{
	const struct fixture *f = *state;
	size_t part = clocks_part(f->session.traces.at[0]);
	for (int i = 0; i < 300; i++) {
		struct interval_span spans[65];
		int which = i % DEFINITIONS;
		int64_t a = f->drawn[random_below(&seed, MESSAGES)].time;
		int64_t b = i % 3 ? a : f->drawn[random_below(&seed, MESSAGES)].time;
		int64_t from = a < b ? a : b, to = a < b ? b : a;
		size_t max = i % 5 ? 1000 : random_below(&seed, 6); /* no more than 64 are given */
		uint64_t want = count_there(f, which, from, to), room = max < 64 ? max : 64;
		size_t count = intervals_touching(f->intervals, (size_t)which, part, false, from,
						  to, spans, max);
		assert_int_equal(count, want < room ? want : room);
		for (size_t k = 0; k < count; k++) {
			assert_int_equal(spans[k].interval, which);
			check_span(f, &spans[k], from, to);
		}
	}
}

/* --- steps ------------------------------------------------------------------------ */

/* Whether a message begins what is worth a look: it is open, or of the longest hundredth. */
static bool
is_notable(const struct fixture *f, int i)
{
	for (int which = 0; which < DEFINITIONS; which++) {
		struct interval_summary s;
		const struct paired *own = &f->paired[which][i];
		intervals_summarise(f->intervals, (size_t)which, &s);
		if (own->open || (own->end != NONE && length_of(f, which, own->end) >= s.p99))
			return true;
	}
	return false;
}

/* The next one behind a message, or the previous one before it; NONE: there is none. */
static int
expect_step(const bool *notable, int from, bool forward)
{
	int i = forward ? from + 1 : from - 1;
	while (i >= 0 && i < MESSAGES && !notable[i])
		i += forward ? 1 : -1;
	return i >= 0 && i < MESSAGES ? i : NONE;
}

static void
check_step(const struct fixture *f, const bool *notable, int from, bool forward)
{
	struct message_id to;
	bool inside = from >= 0 && from < MESSAGES;
	int want = expect_step(notable, from, forward);
	bool found =
	    intervals_step(f->intervals, 0, inside ? &f->drawn[from].id : NULL, forward, &to);
	assert_int_equal(found, want != NONE);
	if (found)
		assert_int_equal(number_of(f, to), want);
}

static void
test_steps(void **state)
{
	const struct fixture *f = *state;
	bool notable[MESSAGES];
	for (int i = 0; i < MESSAGES; i++)
		notable[i] = is_notable(f, i);
	for (int i = 0; i < MESSAGES; i++) {
		check_step(f, notable, i, true);
		check_step(f, notable, i, false);
	}
	check_step(f, notable, NONE, true);
	check_step(f, notable, MESSAGES, false);
	struct message_id to;
	assert_false(intervals_step(f->intervals, 1, NULL, true, &to)); /* no such trace */
}

static void
test_keys(void **state)
{
	const struct fixture *f = *state;
	struct expansion e = {0};
	for (int i = 0; i < 40; i++) {
		struct text text = {0};
		char want[32];
		struct value_look look = {
		    .reader = f->reader, .message = &f->drawn[i].message, .expansion = &e};
		intervals_add_key(f->intervals, OWN, &look, &text);
		snprintf(want, sizeof want, f->drawn[i].key ? "pid %u" : "pid -", f->drawn[i].key);
		assert_string_equal(text_get(&text), want);
		text_free(&text);
	}
	expansion_free(&e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_summary),  cmocka_unit_test(test_longest),
	    cmocka_unit_test(test_messages), cmocka_unit_test(test_enclosing),
	    cmocka_unit_test(test_touching), cmocka_unit_test(test_steps),
	    cmocka_unit_test(test_keys),
	};
	return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
