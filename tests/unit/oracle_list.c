/*
 * The list of a session in either order, and ways through it: rows, numbers and times,
 * matches, ranks, gaps.  It follows from keys, which are made of each message's time and whose
 * clock that is by; where times are exact they are the writers' own.
 */
#include "config.h"

#include "oracle.h"

#include "query/gap/gap.h"
#include "query/gap_search.h"
#include "query/next_match.h"
#include "ui/list/list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define SECOND SENT_SECOND

/* --- keys ---------------------------------------------------------------- */

enum { WITNESSES = 4 };

/* Times of a cell's messages by one clock, in the order in which they came. */
struct strand {
	struct strand_time {
		int64_t time; /* INT64_MIN: it has none */
		size_t number;
		bool own; /* it is listed by that clock */
	} * at;
	size_t count;
	int64_t latest;
};

/* Whether a time is none that is damaged: half of the next ones are not a second before it. */
static bool
is_borne_out(const struct strand *strand, size_t at)
{
	unsigned looked = 0, good = 0;
	for (size_t i = at + 1; i < strand->count && looked < WITNESSES; i++) {
		if (strand->at[i].time == INT64_MIN)
			continue;
		looked++;
		good += strand->at[i].time > strand->at[at].time - SECOND;
	}
	return 2 * good >= looked;
}

/* The key of a message is the latest time so far that is borne out. */
static void
end_cell(struct oracle *o, size_t number, struct strand *strand)
{
	for (size_t i = 0; i < strand->count; i++) {
		const struct strand_time *t = &strand->at[i];
		if (t->time > strand->latest && is_borne_out(strand, i))
			strand->latest = t->time;
		if (t->own)
			o->messages[number].at[t->number].key = strand->latest;
	}
	strand->count = 0;
}

/* Those that the oracle has, or where they are off a little, those that are found. */
static void
find_times(const struct oracle *o, size_t number, const struct message *m, const struct sent *sent,
	   int64_t *made, int64_t *carried)
{
	struct trace *trace = o->session.traces.at[number];
	struct message_time time;
	*made = sent->made;
	*carried = sent->timed ? sent->carried : INT64_MIN;
	if (o->near && clocks_transport_time(trace, m, &time))
		*carried = time.order;
	if (o->near && clocks_time(trace, m, &time))
		*made = time.order;
}

/* By the times of each clock; by the transport's, of all messages. */
static void
make_keys(struct oracle *o, size_t number)
{
	struct reader *reader = reader_new(o->session.traces.at[number]);
	const sents *all = &o->sents[number];
	uint64_t cell = 0, size = index_cell_size(trace_index(o->session.traces.at[number]));
	struct strand strands[SENT_CLOCKS];
	struct message m;
	vec_clear(&o->messages[number]);
	for (size_t i = 0; i < SENT_CLOCKS; i++)
		strands[i] = (struct strand){.at = mem_new(all->count * sizeof *strands->at),
					     .latest = INT64_MIN};
	for (size_t i = 0; reader_walk(reader, &m, 1); i++) {
		const struct sent *sent = &all->at[i];
		unsigned clock = o->by_time ? sent->clock : 0;
		int64_t made, carried;
		find_times(o, number, &m, sent, &made, &carried);
		if (sent->place / size != cell)
			for (size_t k = 0; k < SENT_CLOCKS; k++)
				end_cell(o, number, &strands[k]);
		cell = sent->place / size;
		*vec_add(&o->messages[number]) = (struct listed){number, i, clock, 0};
		strands[0].at[strands[0].count++] = (struct strand_time){carried, i, !clock};
		if (clock)
			strands[clock].at[strands[clock].count++] =
			    (struct strand_time){made, i, true};
	}
	for (size_t i = 0; i < SENT_CLOCKS; i++) {
		end_cell(o, number, &strands[i]);
		free(strands[i].at);
	}
	reader_free(reader);
}

/* --- rows ---------------------------------------------------------------- */

static struct listed
listed_at(struct oracle *o, struct sequence_position p)
{
	bool exact;
	uint64_t number = reader_number(sequence_reader(o->sequence, p.trace), p.at, &exact);
	assert_true(exact);
	return o->messages[p.trace].at[number];
}

/* Goes through the list: all messages are in it once, by their keys, those of each clock as
 * they were carried. */
static void
check_list(struct oracle *o)
{
	uint64_t next[ORACLE_TRACES][SENT_CLOCKS] = {0};
	int64_t latest = INT64_MIN;
	struct sequence_position p;
	size_t count = 0;
	vec_clear(&o->rows);
	vec_clear(&o->all);
	assert_true(sequence_first(o->sequence, &p));
	do {
		struct listed listed = listed_at(o, p);
		uint64_t *least = &next[listed.trace][listed.clock];
		if (listed.key < latest || listed.number < *least)
			oracle_fail(o,
				    "row %zu: message %zu of trace %zu by clock %u: %" PRId64
				    " behind %" PRId64,
				    o->all.count, listed.number, listed.trace, listed.clock,
				    listed.key, latest);
		*least = listed.number + 1;
		latest = listed.key;
		*vec_add(&o->rows) = p;
		*vec_add(&o->all) = listed;
	} while (sequence_next(o->sequence, &p));
	for (size_t i = 0; i < o->traces; i++)
		if (sequence_shows(o->sequence, i))
			count += o->sents[i].count;
	assert_int_equal(o->all.count, count);
	assert_true(sequence_last(o->sequence, &p));
	for (size_t i = count; i-- > 0;) {
		assert_true(sequence_position_is_same(p, o->rows.at[i]));
		assert_int_equal(sequence_previous(o->sequence, &p), i > 0);
	}
}

/* The first row whose key is not before a time, or the last one. */
static size_t
row_by_time(const struct oracle *o, int64_t time)
{
	size_t low = 0, high = o->all.count - 1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (o->all.at[middle].key < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whatever way a message of the list is reached, it is the one that stands there. */
static void
check_ways(struct oracle *o)
{
	struct sequence_position p;
	bool exact;
	assert_int_equal(sequence_count(o->sequence, &exact), o->all.count);
	for (unsigned i = 0; i < 100; i++) {
		size_t row = random_below(&o->seed, o->all.count);
		size_t other = random_below(&o->seed, o->all.count);
		struct sequence_wish wish = {.by = SEQUENCE_BY_NUMBER, .value = row};
		assert_true(sequence_is_known(o->sequence, &wish));
		assert_true(sequence_find(o->sequence, &wish, &p));
		assert_true(sequence_position_is_same(p, o->rows.at[row]));
		assert_int_equal(sequence_number(o->sequence, o->rows.at[other], &exact), other);
		assert_true(exact);
		if (row != other)
			assert_int_equal(
			    sequence_is_before(o->sequence, o->rows.at[row], o->rows.at[other]),
			    row < other);
		int64_t key = o->all.at[row].key, near = (int64_t)random_below(&o->seed, 3) - 1;
		if (key == INT64_MIN)
			continue;
		wish = (struct sequence_wish){
		    .by = SEQUENCE_BY_TIME, .trace = o->all.at[row].trace, .time = key + near};
		assert_true(sequence_find(o->sequence, &wish, &p));
		size_t want = row_by_time(o, wish.time);
		if (!sequence_position_is_same(p, o->rows.at[want]))
			oracle_fail(o, "row %zu is not found by %" PRId64, want, wish.time);
	}
}

/* Steps from match to match of a severity, from some row on, and of one trace alone. */
static void
check_matches(struct oracle *o)
{
	struct filter want = filter_all();
	const struct next_bound bound = {.near = 1000000};
	size_t row = random_below(&o->seed, o->all.count);
	bool alone = random_below(&o->seed, 4) == 0;
	unsigned level = (unsigned)random_below(&o->seed, SEVERITY_COUNT);
	want.severities = (uint16_t)(1U << level);
	const struct next_query query = {.sequence = o->sequence,
					 .want = &want,
					 .from = o->rows.at[row],
					 .direction = random_below(&o->seed, 2) ? 1 : -1,
					 .alone = alone};
	struct next_match *next = next_match_new(&query);
	struct sequence_position p;
	for (unsigned found = 0; found < 40; found++) {
		size_t trace = o->all.at[row].trace;
		do
			row += (size_t)query.direction;
		while (row < o->all.count && (oracle_sent(o, &o->all.at[row])->severity != level ||
					      (alone && o->all.at[row].trace != trace)));
		enum next_result result = next_match(next, &bound, &p);
		assert_int_equal(result, row < o->all.count ? NEXT_FOUND : NEXT_END);
		if (result == NEXT_END)
			break;
		assert_true(sequence_position_is_same(p, o->rows.at[row]));
	}
	next_match_free(next);
}

/* A list of one severity: how many of its rows stand before a message. */
static void
check_ranks(struct oracle *o)
{
	struct filter want = filter_all();
	struct list list;
	unsigned level = (unsigned)random_below(&o->seed, SEVERITY_COUNT);
	want.severities = (uint16_t)(1U << level);
	list_open(&list, o->sequence, &want);
	list_resize(&list, 20);
	list_show(&list);
	for (unsigned i = 0; i < 30; i++) {
		size_t at = random_below(&o->seed, o->all.count);
		struct row row = {.lane = o->rows.at[at].trace, .at = o->rows.at[at].at};
		uint64_t rank, before = 0;
		bool exact;
		for (size_t k = 0; k < at; k++)
			before += oracle_sent(o, &o->all.at[k])->severity == level;
		assert_int_equal(list_matches_rank(&list.matches, &row, &rank, &exact),
				 oracle_sent(o, &o->all.at[at])->severity == level);
		assert_true(exact);
		assert_int_equal(rank, before);
	}
	list_close(&list);
}

/* The gap before a message is that since the row above it that has a time. */
static void
check_gaps(struct oracle *o)
{
	struct gap_cursor *cursor = gap_cursor_new(&o->session);
	for (unsigned i = 0; i < 30; i++) {
		size_t row = random_below(&o->seed, o->all.count);
		size_t end = row + 10 < o->all.count ? row + 10 : o->all.count;
		for (; row < end; row++) {
			struct trace *trace = o->session.traces.at[o->all.at[row].trace];
			struct message m = *sequence_message(o->sequence, o->rows.at[row]);
			const struct sent *sent = oracle_sent(o, &o->all.at[row]), *before;
			struct gap got;
			size_t above = row;
			do
				before = above ? oracle_sent(o, &o->all.at[--above]) : NULL;
			while (before && !before->timed);
			bool found = gap_cursor_find(cursor, trace, &m, &got);
			int64_t want = before ? sent->made - before->made : -1;
			bool certain = want > 2 * o->near || want < -2 * o->near || !o->near;
			if (!sent->timed || !before ? found : certain && found != (want >= 0))
				oracle_fail(o, "row %zu has a gap: %d", row, found);
			if (found && llabs((int64_t)got.length - want) > 2 * o->near)
				oracle_fail(o, "row %zu: gap %" PRIu64 ", not %" PRId64, row,
					    got.length, want);
		}
	}
	gap_cursor_free(cursor);
}

/* --- long gaps ------------------------------------------------------------ */

/* A gap between rows that are shown. */
struct pair {
	size_t before, after;
	uint64_t length;
};
typedef VEC(struct pair) pairs;

/* All gaps of at least LEAST among the rows that are selected and have a time. */
static pairs
find_pairs(const struct oracle *o, const struct selection *s, uint64_t least)
{
	pairs all = {0};
	size_t last = SIZE_MAX;
	for (size_t i = 0; i < o->all.count; i++) {
		const struct sent *sent = oracle_sent(o, &o->all.at[i]);
		if (!sent->timed || !oracle_wants(o, s, o->all.at[i].trace, sent))
			continue;
		int64_t before =
		    last == SIZE_MAX ? INT64_MAX : oracle_sent(o, &o->all.at[last])->made;
		if (sent->made >= before && (uint64_t)(sent->made - before) >= least)
			*vec_add(&all) = (struct pair){last, i, (uint64_t)(sent->made - before)};
		last = i;
	}
	return all;
}

static struct gap_message
row_message(struct oracle *o, size_t row)
{
	struct sequence_position p = o->rows.at[row];
	return (struct gap_message){p.trace,
				    reader_message_id(sequence_reader(o->sequence, p.trace), p.at)};
}

static bool
is_row(struct oracle *o, const struct gap_message *m, size_t row)
{
	struct gap_message want = row_message(o, row);
	return m->trace == want.trace && !message_id_compare(m->id, want.id);
}

static void
check_found(struct oracle *o, const struct gap_found *found, const struct pair *want)
{
	if (found->gap.length != want->length || !is_row(o, &found->before, want->before) ||
	    !is_row(o, &found->after, want->after))
		oracle_fail(o,
			    "a gap of %" PRIu64 " behind %" PRIu64 " of trace %zu, not of %" PRIu64
			    " behind row %zu",
			    found->gap.length, found->before.id.offset, found->before.trace,
			    want->length, want->before);
}

static size_t
search_gaps(const struct gap_query *query, struct gap_found *found, size_t max)
{
	struct gap_search *search = gap_search_new(query);
	while (!gap_search_is_done(search))
		usleep(50);
	size_t count = gap_search_get(search, found, max);
	gap_search_free(search);
	return count;
}

/* The next one from a row on. */
static void
check_next_gap(struct oracle *o, struct gap_query query, const pairs *all)
{
	struct gap_found found;
	const struct pair *want = NULL;
	size_t from = random_below(&o->seed, o->all.count);
	query.direction = random_below(&o->seed, 2) ? 1 : -1;
	query.nth = 1;
	query.from = row_message(o, from);
	for (size_t i = 0; i < all->count; i++) {
		bool ahead =
		    query.direction > 0 ? all->at[i].after > from : all->at[i].after < from;
		if (ahead && (!want || query.direction < 0))
			want = &all->at[i];
	}
	if ((search_gaps(&query, &found, 1) > 0) != (want != NULL))
		oracle_fail(o, "a gap of %" PRIu64 " from row %zu on: %d", query.least, from,
			    !want);
	if (want)
		check_found(o, &found, want);
}

static int
compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->length != y->length)
		return x->length > y->length ? -1 : 1;
	return (x->after > y->after) - (x->after < y->after);
}

static void
check_longest_gaps(struct oracle *o, struct gap_query query, pairs *all)
{
	struct gap_found found[20];
	query.most = 20;
	size_t count = search_gaps(&query, found, 20);
	if (all->count)
		qsort(all->at, all->count, sizeof *all->at, compare_pairs);
	if (count != (all->count < 20 ? all->count : 20))
		oracle_fail(o, "%zu gaps, not %zu", count, all->count);
	for (size_t i = 0; i < count; i++)
		check_found(o, &found[i], &all->at[i]);
}

/* Where times are off a little, so are gaps: those are left to others. */
static void
check_long_gaps(struct oracle *o, const struct selection *s)
{
	static const uint64_t leasts[] = {1, 1000000, 20000000, 500000000};
	const struct gap_query query = {.session = &o->session,
					.filter = &s->filter,
					.least = leasts[random_below(&o->seed, 4)]};
	if (o->near)
		return;
	pairs all = find_pairs(o, s, query.least);
	check_next_gap(o, query, &all);
	check_longest_gaps(o, query, &all);
	vec_free(&all);
}

/* --- all ------------------------------------------------------------------ */

/* One trace alone stands in the same order as among the others. */
static void
check_alone(struct oracle *o)
{
	for (size_t trace = 0; trace < o->traces; trace++) {
		struct sequence *own = sequence_new_single(o->sequence, trace);
		struct sequence_position p;
		bool more = sequence_first(own, &p), exact;
		uint64_t number = 0;
		for (size_t i = 0; i < o->all.count; i++) {
			if (o->all.at[i].trace != trace)
				continue;
			assert_true(more);
			assert_int_equal(p.at.cell, o->rows.at[i].at.cell);
			assert_int_equal(p.at.at, o->rows.at[i].at.at);
			if (number % 100 == 0)
				assert_int_equal(sequence_number(own, p, &exact), number);
			number++;
			more = sequence_next(own, &p);
		}
		assert_false(more);
		sequence_free(own);
	}
}

void
oracle_check_list(struct oracle *o, bool by_time)
{
	o->by_time = by_time;
	for (size_t i = 0; i < o->traces; i++)
		make_keys(o, i);
	o->sequence = sequence_new(&o->session);
	assert_int_equal(session_set_order(&o->session, by_time ? "time" : "transport", NULL), 0);
	sequence_load(o->sequence);
	check_list(o);
	check_ways(o);
	check_alone(o);
	for (unsigned i = 0; i < 60; i++)
		check_matches(o);
	for (unsigned i = 0; i < 5; i++)
		check_ranks(o);
	check_gaps(o);
	for (unsigned i = 0; i < 3; i++) {
		struct selection s = {.filter = filter_all()};
		if (i)
			oracle_select(o, i == 1, &s);
		oracle_check_outputs(o, &s);
		check_long_gaps(o, &s);
		oracle_select_free(&s);
	}
	for (size_t i = 1; i < o->all.count; i++)
		o->moved += o->all.at[i].trace == o->all.at[i - 1].trace &&
			    o->all.at[i].number < o->all.at[i - 1].number;
	sequence_show(o->sequence, o->traces - 1, false);
	if (o->traces > 1) {
		check_list(o);
		check_ways(o);
	}
	sequence_free(o->sequence);
	o->sequence = NULL;
}
