/*
 * No length of time between clocks that nothing relates: gaps, intervals, spans of contexts and
 * rows of tables of random UIA logs, of whose cores some have sync points and some have none, or
 * only such as were made before the global time ran.  [UIA 1.01, UIASync]: events are stamped by
 * their core's clock, and a sync point has that time beside the global one.
 *
 * The oracle knows when each event was and what its core's clock was off by.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "query/gap/gap.h"
#include "query/group/group.h"
#include "query/interval/intervals.h"
#include "query/span/spans.h"
#include "query/value.h"
#include "random.h"
#include "session/context/context.h"
#include "session/session.h"
#include "uia_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CORES = 4, EVENTS = 300, LOGS = 60, NONE = -1 };

/* Events of a log beside those of uia_write.h, and the rate of all cores. */
enum { BEGIN_EVENT = 0x1501, END_EVENT };
#define HZ 1000000000

static uint64_t seed;

/* --- a log ---------------------------------------------------------------- */

struct event {
	unsigned core, id;
	int64_t time; /* true: nanoseconds, ticks of the core's clock but for what it is off by */
	uint64_t offset;
};

struct story {
	struct uia_log log;
	struct event events[3 * EVENTS];
	size_t count;
	uint64_t off[CORES];
	bool synced[CORES], early[CORES]; /* early: sync points without a global time */
	uint16_t packets, sequence[CORES];
	char folder[64];
	struct session session;
	struct reader *reader;
	struct value_look look;
	struct expansion expansion;
};

static void
put_event(struct story *s, unsigned core, unsigned id, int64_t time, const uint32_t *args,
	  size_t count)
{
	uint64_t ticks = s->off[core] + (uint64_t)time;
	uia_packet_begin(&s->log, 10, core, 1, s->packets++);
	size_t at = uia_event_add(&s->log, s->sequence[core]++, id, ticks, args, count);
	uia_packet_end(&s->log);
	s->events[s->count++] = (struct event){core, id, time, at};
}

static void
put_sync(struct story *s, unsigned core, int64_t time)
{
	uint64_t ticks = s->off[core] + (uint64_t)time;
	uint64_t global = s->early[core] ? 0 : (uint64_t)time / 5;
	const uint32_t args[8] = {1,
				  (uint32_t)ticks,
				  (uint32_t)(ticks >> 32),
				  (uint32_t)global,
				  (uint32_t)(global >> 32),
				  1,
				  HZ,
				  0};
	put_event(s, core, UIA_SYNC_EVENT, time, args, 8);
}

static void
put_next(struct story *s, int64_t time)
{
	static const unsigned ids[] = {BEGIN_EVENT, END_EVENT, UIA_CONTEXT_EVENT};
	unsigned core = random_below(&seed, CORES), id = ids[random_below(&seed, 3)];
	/* of a change of threads the fifth is the new one: another each time */
	const uint32_t args[8] = {1, 2, 3, 4, (uint32_t)s->count, 0, 0, 0};
	put_event(s, core, id, time, args, 8);
}

static void
write_log(struct story *s)
{
	int64_t time = 1000000;
	for (unsigned i = 0; i < CORES; i++) {
		unsigned sort = random_below(&seed, 3);
		s->off[i] = (uint64_t)random_below(&seed, 1000000) * 1000000;
		s->synced[i] = sort == 0;
		s->early[i] = sort == 1;
	}
	for (size_t i = 0; i < EVENTS; i++) {
		time += 5 * (1 + (int64_t)random_below(&seed, 20000));
		for (unsigned c = 0; i % 50 == 10 && c < CORES; c++)
			if (s->synced[c] || s->early[c])
				put_sync(s, c, time);
		time += 5;
		put_next(s, time);
	}
}

static const char profile[] =
    "traces:\n"
    "  - file: log.uia\n"
    "    format: uia\n"
    "    uia:\n"
    "      events:\n"
    "        - {id: 0x1101, name: syncPoint}\n"
    "        - {id: 0x1201, name: threadCtxChg}\n"
    "        - {id: 0x1501, name: start, format: \"start %u\"}\n"
    "        - {id: 0x1502, name: stop, format: \"stop %u\"}\n"
    "intervals:\n"
    "  - {name: any, begin: text ~ \"^start\", end: text ~ \"^stop\", across: true}\n"
    "  - {name: own, begin: text ~ \"^start\", end: text ~ \"^stop\"}\n";

static void
write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

static void
open_story(struct story *s)
{
	struct err err = {0};
	char path[128];
	strcpy(s->folder, "/tmp/test_lengths.XXXXXX");
	assert_non_null(mkdtemp(s->folder));
	write_file(s->folder, "log.uia", s->log.bytes.at, s->log.bytes.count);
	write_file(s->folder, "p.yaml", profile, sizeof profile - 1);
	snprintf(path, sizeof path, "%s/p.yaml", s->folder);
	if (profile_load(path, &s->session.profile, &err))
		fail_msg("%s", err.what);
	s->session.profile_path = path;
	assert_int_equal(session_open_named(&s->session, NULL, 0, &err), 1);
	s->session.profile_path = NULL;
	assert_non_null(intervals_new(&s->session, &err));
	session_link(&s->session);
	clocks_load(s->session.clocks, true);
	session_build(&s->session);
	if (s->session.contexts)
		contexts_load(s->session.contexts);
	session_load_intervals(&s->session);
	struct spans *spans = spans_new(&s->session);
	assert_true(spans_extend(spans, NULL, NULL));
	s->reader = reader_new(s->session.traces.at[0]);
	s->look = (struct value_look){.reader = s->reader,
				      .expansion = &s->expansion,
				      .gaps = gap_cursor_new(&s->session),
				      .spans = spans,
				      .ends = true};
}

static void
close_story(struct story *s)
{
	char command[128];
	gap_cursor_free(s->look.gaps);
	spans_free((struct spans *)s->look.spans);
	expansion_free(&s->expansion);
	reader_free(s->reader);
	intervals_free(intervals_of(&s->session));
	session_close(&s->session);
	vec_free(&s->log.bytes);
	snprintf(command, sizeof command, "rm -r '%s'", s->folder);
	assert_int_equal(system(command), 0);
}

/* --- what is true --------------------------------------------------------- */

/* The clock of an event: one of all cores that are tied, else its core's own. */
static unsigned
clock_of(const struct story *s, const struct event *event)
{
	return s->synced[event->core] ? CORES : event->core;
}

/* The clock of the log: that of tied cores, else of the first that sends anything. */
static unsigned
main_clock(const struct story *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->synced[s->events[i].core])
			return CORES;
	for (size_t i = 0; i < s->count; i++)
		if (s->early[s->events[i].core] && s->events[i].id == UIA_SYNC_EVENT)
			return s->events[i].core;
	return clock_of(s, &s->events[0]);
}

/* What precedes an event, of those of the main clock; NONE if that is not the event's own. */
static int
before_gap(const struct story *s, size_t at)
{
	unsigned own = main_clock(s);
	int before = NONE;
	for (size_t i = 0; i < at; i++)
		if (clock_of(s, &s->events[i]) == own)
			before = (int)i;
	return clock_of(s, &s->events[at]) == own ? before : NONE;
}

/* The begin that each end belongs to: the last one that has no end, of its core or of all; NONE:
 * there is none. */
static void
find_begins(const struct story *s, bool across, int *begins)
{
	int open[CORES][3 * EVENTS];
	size_t depth[CORES] = {0};
	for (size_t i = 0; i < s->count; i++) {
		const struct event *event = &s->events[i];
		unsigned stack = across ? 0 : event->core;
		begins[i] = NONE;
		if (event->id == BEGIN_EVENT)
			open[stack][depth[stack]++] = (int)i;
		else if (event->id == END_EVENT && depth[stack])
			begins[i] = open[stack][--depth[stack]];
	}
}

static bool
can_compare(const struct story *s, int a, size_t b)
{
	return a != NONE && clock_of(s, &s->events[a]) == clock_of(s, &s->events[b]);
}

static void
look_at(struct story *s, size_t at, const char *name, struct value *value)
{
	struct err err = {0};
	struct position position;
	enum expand_want want;
	struct value_name *named = value_name_new(name, &s->session, &err);
	if (!named)
		fail_msg("%s", err.what);
	assert_true(reader_find_offset(s->reader, s->events[at].offset, &position));
	const struct message m = *reader_message(s->reader, position);
	assert_int_equal(m.offset, s->events[at].offset);
	expansion_clear(&s->expansion);
	if (value_expands(named, &want))
		reader_expand(s->reader, &m, want, &s->expansion);
	s->look.message = &m;
	value_get(named, &s->look, value);
	value_name_free(named);
}

/* A value is the time from event BEFORE to event AT, or absent where the two have no clock in
 * common. */
static void
check_length(struct story *s, const char *name, int before, size_t at, size_t asked)
{
	struct value value;
	long double number;
	look_at(s, asked, name, &value);
	bool any = value_number(&value, &number);
	if (any != can_compare(s, before, at))
		fail_msg("%s of event %zu: %s", name, asked,
			 any ? "there is none" : "it is missing");
	if (any)
		assert_true(number == (long double)(s->events[at].time - s->events[before].time));
}

static void
check_all(void (*check)(struct story *))
{
	seed = 4;
	for (unsigned i = 0; i < LOGS; i++) {
		struct story *s = calloc(1, sizeof *s);
		assert_non_null(s);
		write_log(s);
		open_story(s);
		check(s);
		close_story(s);
		free(s);
	}
}

static void
check_gaps(struct story *s)
{
	for (size_t i = 0; i < s->count; i++)
		check_length(s, "gap", before_gap(s, i), i, i);
}

static void
test_gaps(void **state)
{
	(void)state;
	check_all(check_gaps);
}

/* --- intervals -------------------------------------------------------------- */

static void
check_interval(struct story *s, const char *name, size_t interval, bool across)
{
	struct interval_summary summary;
	int begins[3 * EVENTS];
	uint64_t pairs = 0, untimed = 0;
	find_begins(s, across, begins);
	for (size_t i = 0; i < s->count; i++) {
		check_length(s, name, begins[i], i, i);
		pairs += begins[i] != NONE;
		untimed += begins[i] != NONE && !can_compare(s, begins[i], i);
	}
	intervals_summarise(intervals_of(&s->session), interval, &summary);
	assert_int_equal(summary.counts.pairs, pairs);
	assert_int_equal(summary.counts.untimed, untimed);
	assert_true(across || !untimed);
}

static void
check_intervals(struct story *s)
{
	check_interval(s, "interval.any", 0, true);
	check_interval(s, "interval.own", 1, false);
}

static void
test_intervals(void **state)
{
	(void)state;
	check_all(check_intervals);
}

/* --- spans ------------------------------------------------------------------ */

/* The event that ends the state which one begins: the next of its core. */
static size_t
end_of_span(const struct story *s, size_t at)
{
	size_t next = at + 1;
	while (next < s->count && (s->events[next].id != UIA_CONTEXT_EVENT ||
				   s->events[next].core != s->events[at].core))
		next++;
	return next;
}

/* The last event of the log's main clock. */
static size_t
last_of_main(const struct story *s)
{
	size_t last = s->count - 1;
	while (clock_of(s, &s->events[last]) != main_clock(s))
		last--;
	return last;
}

static void
check_spans(struct story *s)
{
	for (size_t i = 0; i < s->count; i++) {
		size_t end = end_of_span(s, i);
		end = end < s->count ? end : last_of_main(s);
		check_length(s, "span.thread", s->events[i].id == UIA_CONTEXT_EVENT ? (int)i : NONE,
			     end, i);
	}
}

static void
test_spans(void **state)
{
	(void)state;
	check_all(check_spans);
}

/* --- tables ----------------------------------------------------------------- */

/* The longest gap between events of a core that follow each other, or of all. */
static uint64_t
longest_gap(const struct story *s, unsigned core)
{
	uint64_t longest = 0;
	int last = NONE;
	for (size_t i = 0; i < s->count; i++) {
		if (core < CORES && s->events[i].core != core)
			continue;
		if (can_compare(s, last, i) &&
		    (uint64_t)(s->events[i].time - s->events[last].time) > longest)
			longest = (uint64_t)(s->events[i].time - s->events[last].time);
		last = (int)i;
	}
	return longest;
}

static void
check_row(const struct story *s, const struct group_row *row)
{
	unsigned core = CORES;
	struct group_key key;
	group_get_key(row, 0, &key);
	sscanf(key.text, "core %u", &core);
	uint64_t gap = row->more && row->more->gapped ? row->more->gap : 0;
	if (gap != longest_gap(s, core))
		fail_msg("a gap of %llu, not %llu", (unsigned long long)gap,
			 (unsigned long long)longest_gap(s, core));
}

/* As two tables that are appended. */
static void
check_table(struct story *s, const char *by, size_t cut)
{
	struct group_spec spec;
	struct err err = {0};
	assert_int_equal(group_spec_make(&spec, by, NULL, &s->session, &err), 0);
	struct group *group = group_new(&spec), *more = group_new(&spec);
	for (size_t i = 0; i < s->count; i++) {
		struct position position;
		assert_true(reader_find_offset(s->reader, s->events[i].offset, &position));
		const struct message m = *reader_message(s->reader, position);
		s->look.message = &m;
		group_add(i < cut ? group : more, &s->look);
		group_settle(i < cut ? group : more);
	}
	group_append(group, more);
	for (size_t i = 0; i < group_count(group); i++)
		check_row(s, group_row(group, i));
	group_free(group);
	group_free(more);
	group_spec_free(&spec);
}

static void
check_tables(struct story *s)
{
	for (size_t i = 0; i < 4; i++) {
		check_table(s, "origin", random_below(&seed, (uint32_t)s->count));
		check_table(s, "trace", random_below(&seed, (uint32_t)s->count));
	}
}

static void
test_tables(void **state)
{
	(void)state;
	check_all(check_tables);
}

/* --- what is said ------------------------------------------------------------ */

static void
check_counts(struct story *s)
{
	struct text line = {0};
	uint64_t events = 0, apart = 0;
	unsigned seen = 0;
	size_t clocks;
	for (size_t i = 0; i < s->count; i++) {
		unsigned clock = clock_of(s, &s->events[i]);
		events += clock != main_clock(s);
		seen |= clock != main_clock(s) ? 1u << clock : 0;
	}
	apart = clocks_apart(s->session.traces.at[0], &clocks);
	assert_int_equal(apart, 2 * events); /* each in a packet of its own */
	assert_int_equal(clocks, __builtin_popcount(seen));
	session_describe_clocks(&s->session, &line);
	assert_int_equal(line.length > 0, apart > 0);
	text_free(&line);
}

static void
test_counts(void **state)
{
	(void)state;
	check_all(check_counts);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_gaps),   cmocka_unit_test(test_intervals),
	    cmocka_unit_test(test_spans),  cmocka_unit_test(test_tables),
	    cmocka_unit_test(test_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
