/*
 * The oracle: see oracle.h.  Sessions, and what is asked of each message by itself: its time,
 * filters, columns of the timeline, scans, times that step back.
 */
#include "config.h"

#include "oracle.h"

#include "config/profile.h"
#include "export/export.h"
#include "query/check.h"
#include "query/density.h"
#include "query/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND SENT_SECOND

enum { COLUMNS = 40 };

/* --- opening ----------------------------------------------------------- */

void
oracle_fail(const struct oracle *o, const char *format, ...)
{
	struct text what = {0};
	va_list list;
	va_start(list, format);
	text_addv(&what, format, list);
	va_end(list);
	fail_msg("plan %u, order %s: %s\n%s", o->plan, o->by_time ? "time" : "transport",
		 text_get(&what), text_get(&o->profile));
	text_free(&what);
}

/* Says what relates the clock of a trace to those before it, if it does not tell a date;
 * if it does, its times may all be put off. */
static void
add_offset(struct oracle *o, size_t number, struct text *syncs)
{
	const struct sent_format *format = o->formats[number];
	bool wall = o->dated && format->wall, off = wall && number && random_below(&o->seed, 2);
	bool related = wall || (!o->dated && !number);
	for (size_t i = 0; i < number; i++)
		related |= format->related && o->formats[i] == format;
	if (!related || off)
		text_addf(syncs, "  - {kind: offset, trace: t%zu, seconds: %" PRId64 "}\n", number,
			  off	     ? 3
			  : o->dated ? SENT_BEGIN / SECOND
				     : 0);
	for (size_t i = 0; off && i < o->sents[number].count; i++) {
		o->sents[number].at[i].made += 3 * SECOND;
		o->sents[number].at[i].carried += 3 * SECOND;
	}
}

static void
write_captures(struct oracle *o, unsigned count)
{
	struct text syncs = {0}, origins = {0};
	text_add(&o->profile, "traces:\n");
	for (size_t i = 0; i < o->traces; i++) {
		char name[24];
		struct sent_profile own = {0};
		snprintf(name, sizeof name, "t%zu", i);
		const struct sent_plan plan = {.seed = o->seed + i,
					       .number = i,
					       .plan = o->plan,
					       .count = count + random_below(&o->seed, count),
					       .dated = o->dated,
					       .one = o->one};
		o->formats[i]->write(&plan, folder_path(&o->folder, name), &o->sents[i], &own);
		text_addf(&o->profile, "  - {file: %s, name: %s%s}\n", name, name,
			  text_get(&own.trace));
		text_add(&origins, text_get(&own.origins));
		add_offset(o, i, &syncs);
		if (o->formats[i]->near > o->near)
			o->near = o->formats[i]->near;
		text_free(&own.trace);
		text_free(&own.origins);
	}
	if (origins.length)
		text_addf(&o->profile, "origins:\n%s", text_get(&origins));
	if (syncs.length)
		text_addf(&o->profile, "sync:\n%s", text_get(&syncs));
	text_free(&origins);
	text_free(&syncs);
}

static void
open_captures(struct oracle *o)
{
	struct err err = {0};
	folder_put_text(&o->folder, "session.yaml", text_get(&o->profile));
	if (profile_load(folder_path(&o->folder, "session.yaml"), &o->session.profile, &err) < 0)
		oracle_fail(o, "%s", err.what);
	assert_int_equal(session_open_named(&o->session, NULL, 0, &err), o->traces);
	session_link(&o->session);
	for (size_t i = 0; i < o->traces; i++)
		trace_build(o->session.traces.at[i]);
	clocks_load(o->session.clocks, true);
}

/* What the messages of a cell have. */
struct cell_times {
	int64_t from, to; /* to know: those of all */
};

static void
check_cell(struct oracle *o, size_t number, uint64_t cell, const struct cell_times *times)
{
	struct trace *trace = o->session.traces.at[number];
	struct index_cell summary;
	int64_t from, to;
	assert_true(index_cell(trace_index(trace), cell, &summary));
	if (!clocks_cell_span(trace, cell, &summary, &from, &to))
		return;
	if (times->from > times->to) {
		assert_true(from > to);
		return;
	}
	assert_in_range(times->from - from, 0, 2 * SENT_APART);
	assert_in_range(to - times->to, 0, 2 * SENT_APART);
	if (o->one) { /* each message has the same clock */
		int64_t span = to - from, own = times->to - times->from;
		assert_true(span <= own + 3 * SECOND);
	}
}

/* Takes over what is no matter of time. */
static void
learn(struct oracle *o, size_t number, struct sent *sent, struct reader *reader,
      const struct message *m)
{
	char **origin = &o->origins[number][sent->sender];
	if (sent->severity == SENT_ANY)
		sent->severity = m->severity;
	if (sent->severity != m->severity)
		oracle_fail(o, "trace %zu at %" PRIu64 ": severity %u", number, sent->place,
			    m->severity);
	if (*origin)
		return;
	struct expansion e = {0};
	reader_expand(reader, m, EXPAND_TEXT, &e);
	*origin = mem_text(text_get(&e.origin));
	o->keys[number][sent->sender] = m->origin;
	expansion_free(&e);
}

static void
check_time(const struct oracle *o, size_t number, size_t at, const struct message *m)
{
	struct trace *trace = o->session.traces.at[number];
	const struct sent *sent = &o->sents[number].at[at];
	struct message_time time, carried;
	bool timed = clocks_time(trace, m, &time);
	if (timed != sent->timed || clocks_transport_time(trace, m, &carried) != timed)
		oracle_fail(o, "trace %zu message %zu: it has a time: %d", number, at, timed);
	if (timed && !oracle_near(o, time.order, sent->made))
		oracle_fail(o, "trace %zu message %zu: %" PRId64 ", not %" PRId64 " (%" PRId64 ")",
			    number, at, time.order, sent->made, sent->carried);
	if (timed && !oracle_near(o, carried.order, sent->carried))
		oracle_fail(o, "trace %zu message %zu carried: %" PRId64 ", not %" PRId64, number,
			    at, carried.order, sent->carried);
}

/* Looks at all messages of a trace, and at what its cells say. */
static void
check_messages(struct oracle *o, size_t number)
{
	struct trace *trace = o->session.traces.at[number];
	struct reader *reader = reader_new(trace), *other = reader_new(trace);
	uint64_t size = index_cell_size(trace_index(trace)), at = 0;
	const struct cell_times none = {INT64_MAX, INT64_MIN};
	struct cell_times times = none;
	struct message_time time;
	struct message m;
	for (size_t k = 0; k < o->sents[number].count; k++) {
		struct sent *sent = &o->sents[number].at[k];
		bool any = reader_walk(reader, &m, 1);
		if (any && sent->place == SENT_SOMEWHERE)
			sent->place = message_id_offset(&m);
		if (!any || message_id_offset(&m) != sent->place)
			oracle_fail(o, "trace %zu message %zu is not at %" PRIu64, number, k,
				    sent->place);
		for (; at < sent->place / size; at++) {
			check_cell(o, number, at, &times);
			times = none;
		}
		learn(o, number, sent, other, &m);
		check_time(o, number, k, &m);
		if (!clocks_time(trace, &m, &time))
			continue;
		times.from = time.order < times.from ? time.order : times.from;
		times.to = time.order > times.to ? time.order : times.to;
	}
	if (reader_walk(reader, &m, 1))
		oracle_fail(o, "trace %zu has more than %zu messages: %" PRIu64 "+%u of kind %u",
			    number, o->sents[number].count, m.offset, m.length, m.kind);
	check_cell(o, number, at, &times);
	reader_free(reader);
	reader_free(other);
}

static int
compare_times(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The first time of a trace, as filters count from it. */
static int64_t
first_time(struct oracle *o, size_t number)
{
	struct trace *trace = o->session.traces.at[number];
	struct reader *reader = reader_new(trace);
	struct message m;
	struct message_time time;
	size_t at = 0;
	while (!o->sents[number].at[at].timed)
		at++;
	do
		assert_true(reader_walk(reader, &m, 1));
	while (!clocks_time(trace, &m, &time));
	reader_free(reader);
	return o->near ? time.order : o->sents[number].at[at].made;
}

static void
note_times(struct oracle *o)
{
	o->start = INT64_MAX;
	for (size_t i = 0; i < o->traces; i++) {
		for (size_t k = 0; k < o->sents[i].count; k++) {
			const struct sent *sent = &o->sents[i].at[k];
			if (!sent->timed)
				continue;
			*vec_add(&o->times) = sent->made;
			*vec_add(&o->times) = sent->carried;
		}
		int64_t first = first_time(o, i);
		o->start = first < o->start ? first : o->start;
	}
	qsort(o->times.at, o->times.count, sizeof *o->times.at, compare_times);
}

void
oracle_open(struct oracle *o, const struct sent_format *const *formats, size_t traces,
	    unsigned plan, unsigned count, bool dated, bool one)
{
	*o = (struct oracle){.traces = traces,
			     .plan = plan,
			     .seed = 0x7133 + plan * 977,
			     .dated = dated,
			     .one = one};
	for (size_t i = 0; i < traces; i++)
		o->formats[i] = formats[i];
	folder_make(&o->folder);
	write_captures(o, count);
	open_captures(o);
	for (size_t i = 0; i < traces; i++)
		check_messages(o, i);
	note_times(o);
}

void
oracle_close(struct oracle *o)
{
	session_close(&o->session);
	for (size_t i = 0; i < o->traces; i++) {
		vec_free(&o->sents[i]);
		vec_free(&o->messages[i]);
		for (size_t k = 0; k < ORACLE_SENDERS; k++)
			free(o->origins[i][k]);
	}
	vec_free(&o->times);
	vec_free(&o->rows);
	vec_free(&o->all);
	text_free(&o->profile);
	folder_remove(&o->folder);
}

/* --- times that are certain -------------------------------------------- */

/* Whether no message is near a time, so that it is certain on which side of it each is. */
static bool
is_free(const struct oracle *o, int64_t time)
{
	size_t low = 0, high = o->times.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (o->times.at[middle] < time - o->near)
			low = middle + 1;
		else
			high = middle;
	}
	return low == o->times.count || o->times.at[low] > time + o->near;
}

static int64_t
first_of(const struct oracle *o)
{
	return o->times.at[0];
}

static int64_t
last_of(const struct oracle *o)
{
	return o->times.at[o->times.count - 1];
}

static int64_t
free_time(struct oracle *o)
{
	int64_t time;
	do
		time = first_of(o) +
		       (int64_t)(random_next(&o->seed) % (uint64_t)(last_of(o) - first_of(o)));
	while (!is_free(o, time));
	return time;
}

/* --- what is selected --------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void
add_term(struct text *text, const char *format, ...)
{
	va_list list;
	if (text->length)
		text_add(text, " and ");
	va_start(list, format);
	text_addv(text, format, list);
	va_end(list);
}

/* An end of a range: of exact times also one that a message has. */
static int64_t
range_end(struct oracle *o)
{
	if (!o->near && random_below(&o->seed, 2))
		return o->times.at[random_below(&o->seed, o->times.count)];
	return free_time(o);
}

/* A range of time, as a mark on the timeline or -S and -U say it. */
static void
select_time(struct oracle *o, struct selection *s)
{
	do {
		s->from = range_end(o);
		s->to = random_below(&o->seed, 2) ? s->from + SECOND / 100 : range_end(o);
	} while (s->from < o->start || s->to < s->from || (o->near && !is_free(o, s->to)));
	s->by_time = true;
	add_term(&s->text,
		 random_below(&o->seed, 2) ? "time in +%" PRId64 "ns..+%" PRId64 "ns"
					   : "(time >= +%" PRId64 "ns and time <= +%" PRId64 "ns)",
		 s->from - o->start, s->to - o->start);
}

void
oracle_select(struct oracle *o, bool timed, struct selection *s)
{
	*s = (struct selection){.filter = filter_all()};
	if (timed || !random_below(&o->seed, 3))
		select_time(o, s);
	if (!timed && !random_below(&o->seed, 2))
		s->filter.severities = (random_next(&o->seed) & SEVERITY_ALL) | 1 << SEVERITY_INFO;
	const char *origin =
	    o->origins[random_below(&o->seed, o->traces)][1 + random_below(&o->seed, 4)];
	if (!timed && origin && !random_below(&o->seed, 3)) {
		s->origin = origin;
		add_term(&s->text, "origin = \"%s\"", origin);
	}
	if (!timed && !random_below(&o->seed, 4)) {
		s->word = 1 + random_below(&o->seed, SENT_WORDS);
		add_term(&s->text, "text ~ /%s/", sent_words[s->word - 1]);
	}
	if (!s->text.length)
		return;
	s->filter.expr = filter_parse(text_get(&s->text), &o->session, NULL);
	if (!s->filter.expr)
		oracle_fail(o, "%s", text_get(&s->text));
}

void
oracle_select_free(struct selection *s)
{
	filter_free(&s->filter);
	text_free(&s->text);
}

bool
oracle_wants(const struct oracle *o, const struct selection *s, size_t trace,
	     const struct sent *sent)
{
	if (!(s->filter.severities >> sent->severity & 1))
		return false;
	if (s->by_time && (!sent->timed || sent->made < s->from || sent->made > s->to))
		return false;
	if (s->origin && strcmp(s->origin, o->origins[trace][sent->sender]) != 0)
		return false;
	return !s->word || s->word == sent->word;
}

/* Which messages pass, each held against the oracle; cells that are left out have none. */
static void
check_filter(struct oracle *o, size_t number, const struct selection *s)
{
	struct trace *trace = o->session.traces.at[number];
	struct reader *reader = reader_new(trace), *other = reader_new(trace);
	struct expansion e = {0};
	struct message m;
	for (size_t i = 0; i < o->sents[number].count; i++) {
		const struct sent *sent = &o->sents[number].at[i];
		bool wanted = oracle_wants(o, s, number, sent);
		uint64_t cell = sent->place / index_cell_size(trace_index(trace));
		assert_true(reader_walk(reader, &m, 1));
		if (filter_match(&s->filter, other, &m, &e) != wanted)
			oracle_fail(o, "trace %zu message %zu: %s: %d", number, i,
				    text_get(&s->text), !wanted);
		if (wanted && filter_judge(&s->filter, trace, cell) == FILTER_NONE)
			oracle_fail(o, "trace %zu cell %" PRIu64 ": %s", number, cell,
				    text_get(&s->text));
		o->matches += wanted;
	}
	expansion_free(&e);
	reader_free(reader);
	reader_free(other);
}

static void
check_filters(struct oracle *o)
{
	for (unsigned i = 0; i < 4; i++) {
		struct selection s;
		oracle_select(o, i == 0, &s);
		for (size_t k = 0; k < o->traces; k++)
			check_filter(o, k, &s);
		oracle_select_free(&s);
	}
}

/* --- the timeline ------------------------------------------------------ */

struct lane {
	size_t trace;
	unsigned sender;		   /* 0: all */
	const struct selection *selection; /* NULL: all */
};

struct sender_tally {
	uint64_t severities[SEVERITY_COUNT], hidden;
};

/* Where a message stands: without a time where the transport had got to; before any that
 * has one, where the first of their cell were carried. */
static void
count_columns(const struct oracle *o, const struct lane *lane, const struct density_window *w,
	      struct sender_tally *tallies)
{
	const sents *all = &o->sents[lane->trace];
	uint64_t cell_size = index_cell_size(trace_index(o->session.traces.at[lane->trace]));
	int64_t latest = INT64_MIN, start = INT64_MAX;
	uint64_t cell = UINT64_MAX;
	for (size_t i = 0; i < all->count; i++) {
		const struct sent *sent = &all->at[i];
		if (sent->timed && cell == UINT64_MAX)
			cell = sent->place / cell_size;
		if (sent->timed && sent->place / cell_size == cell && sent->carried < start)
			start = sent->carried;
	}
	for (size_t i = 0; i < all->count; i++) {
		const struct sent *sent = &all->at[i];
		int64_t stands = sent->timed ? sent->made : latest == INT64_MIN ? start : latest;
		if (sent->timed && sent->carried > latest)
			latest = sent->carried;
		if (stands < w->from || (uint64_t)(stands - w->from) / w->step >= w->columns ||
		    (lane->sender && lane->sender != sent->sender))
			continue;
		struct sender_tally *tally = &tallies[(uint64_t)(stands - w->from) / w->step];
		if (!lane->selection || oracle_wants(o, lane->selection, lane->trace, sent))
			tally->severities[sent->severity]++;
		else
			tally->hidden++;
	}
}

static bool
has_free_borders(const struct oracle *o, const struct density_window *w)
{
	for (size_t c = 0; c <= w->columns; c++)
		if (!is_free(o, w->from + (int64_t)(c * w->step)))
			return false;
	return true;
}

/* Sums are exact; severities too, unless it says that they are shared out. */
static bool
is_tally(const struct sender_tally *want, const struct density_column *got)
{
	uint64_t sum = 0, own = 0;
	for (int i = 0; i < SEVERITY_COUNT; i++) {
		if (!got->shared && want->severities[i] != got->severities[i])
			return false;
		sum += want->severities[i];
		own += got->severities[i];
	}
	return sum == own && want->hidden == got->hidden && !got->estimated && !got->open;
}

static void
check_lane(const struct oracle *o, const struct lane *lane, const struct density_window *w,
	   const struct density_column *columns)
{
	struct sender_tally tallies[COLUMNS] = {0};
	count_columns(o, lane, w, tallies);
	for (size_t c = 0; c < w->columns; c++)
		if (!is_tally(&tallies[c], &columns[c]))
			oracle_fail(o,
				    "column %zu of trace %zu, sender %u, from %" PRId64
				    " by %" PRIu64 ", %s",
				    c, lane->trace, lane->sender, w->from, w->step,
				    lane->selection ? text_get(&lane->selection->text) : "all");
}

/* Looks at a window, of each trace and of a sender. */
static void
check_window(struct oracle *o, struct density *d, const struct density_window *w,
	     const struct selection *s, const struct density_filter *passing)
{
	struct lane own[ORACLE_TRACES + 1];
	struct density_lane lanes[ORACLE_TRACES + 1];
	size_t trace = random_below(&o->seed, o->traces);
	unsigned sender = 1 + random_below(&o->seed, 4);
	for (size_t i = 0; i <= o->traces; i++) {
		size_t of = i < o->traces ? i : trace;
		own[i] = (struct lane){of, i < o->traces ? 0 : sender, s};
		lanes[i] = (struct density_lane){of, i == o->traces, o->keys[of][sender]};
	}
	size_t count = o->traces + (o->origins[trace][sender] != NULL);
	const struct density_answer *answer = density_load(d, w, lanes, count, false, passing);
	assert_true(answer->final);
	for (size_t i = 0; i < count; i++) {
		assert_false(answer->apart[i]);
		check_lane(o, &own[i], &answer->window, &answer->columns[i * w->columns]);
	}
}

/* The match set of a selection, when it is known. */
static struct matches *
find_matches(struct trace *trace, const struct selection *s)
{
	struct matches *matches = matches_new(trace, &s->filter, NULL, 0);
	struct matches_progress progress;
	for (;;) {
		matches_update(matches);
		matches_get_progress(matches, &progress);
		if (progress.exact && !progress.working)
			return matches;
		usleep(100);
	}
}

static void
check_ends(struct oracle *o, struct density *d)
{
	const struct density_lane lanes[ORACLE_TRACES] = {{.trace = 0}, {.trace = 1}, {.trace = 2}};
	const struct density_window w = {.fit = true, .columns = COLUMNS};
	const struct density_answer *answer = density_load(d, &w, lanes, o->traces, false, NULL);
	if (!oracle_near(o, answer->first, first_of(o)) ||
	    !oracle_near(o, answer->last, last_of(o)))
		oracle_fail(o,
			    "the timeline is from %" PRId64 " to %" PRId64 ", not %" PRId64
			    " to %" PRId64,
			    answer->first, answer->last, first_of(o), last_of(o));
}

static void
check_timeline(struct oracle *o)
{
	struct density *d = density_new(&o->session);
	struct matches *known[ORACLE_TRACES];
	struct selection s;
	check_ends(o, d);
	oracle_select(o, false, &s);
	const struct density_filter passing = {&s.filter, known};
	for (size_t i = 0; i < o->traces; i++)
		known[i] = find_matches(o->session.traces.at[i], &s);
	for (unsigned i = 0; i < 6; i++) {
		struct density_window w = {.columns = COLUMNS};
		do {
			w.from = free_time(o) - (int64_t)random_below(&o->seed, 2000000000);
			w.step = 1000000 + random_below(&o->seed, 1000000000);
		} while (!has_free_borders(o, &w));
		check_window(o, d, &w, i % 2 ? &s : NULL, i % 2 ? &passing : NULL);
	}
	for (size_t i = 0; i < o->traces; i++)
		matches_free(known[i]);
	oracle_select_free(&s);
	density_free(d);
}

/* --- scans ------------------------------------------------------------- */

/* Marks the messages of a trace that are in a range of times, or beside one that is. */
static char *
mark_range(const sents *all, int64_t from, int64_t to, size_t around)
{
	char *marks = mem_new(all->count + 1);
	for (size_t i = 0; i < all->count; i++) {
		if (!all->at[i].timed || all->at[i].made < from || all->at[i].made > to)
			continue;
		size_t first = i > around ? i - around : 0, end = i + around + 1;
		for (size_t k = first; k < end && k < all->count; k++)
			marks[k] = 1;
	}
	return marks;
}

/* Nothing that is marked is passed over. */
static void
pass_over(struct oracle *o, const char *marks, uint64_t from, uint64_t to)
{
	o->passed += to - from;
	for (; from < to; from++)
		if (marks[from])
			oracle_fail(o, "message %" PRIu64 " is passed over", from);
}

/* Walks with the index, by as many messages a call as happens. */
static void
check_scan(struct oracle *o, size_t number, const struct selection *s, unsigned around)
{
	const sents *all = &o->sents[number];
	struct reader *reader = reader_new(o->session.traces.at[number]);
	struct filter_pair pair = filter_pair_borrow(&s->filter, NULL);
	struct scan scan;
	char *marks = mark_range(all, s->from, s->to, around);
	struct message batch[300];
	uint64_t first, next = 0;
	size_t count;
	assert_true(filter_limits_time(&s->filter));
	scan_prepare(o->session.traces.at[number], &s->filter);
	scan_open(&scan, reader, &pair, around);
	assert_true(scan.skips);
	while ((count = scan_read(&scan, batch, 1 + random_below(&o->seed, 300), &first))) {
		pass_over(o, marks, next, first);
		next = first;
		for (size_t i = 0; i < count; i++, next++)
			assert_int_equal(message_id_offset(&batch[i]), all->at[next].place);
	}
	pass_over(o, marks, next, all->count);
	free(marks);
	filter_pair_free(&pair);
	reader_free(reader);
}

static void
check_scans(struct oracle *o)
{
	for (unsigned i = 0; i < 8; i++) {
		unsigned around = i % 2 ? random_below(&o->seed, 700) : 0;
		struct selection s;
		oracle_select(o, true, &s);
		for (size_t k = 0; k < o->traces; k++)
			check_scan(o, k, &s, around);
		oracle_select_free(&s);
	}
}

/* --- times that step back ------------------------------------------------ */

/* How often the time of a sender steps back, at least and at most; the first that does. */
static void
count_back(const struct oracle *o, unsigned *least, unsigned *most, size_t *trace, size_t *number)
{
	*least = *most = 0;
	for (size_t i = 0; i < o->traces; i++) {
		const struct sent *last[ORACLE_SENDERS] = {0};
		for (size_t k = 0; k < o->sents[i].count; k++) {
			const struct sent *sent = &o->sents[i].at[k];
			const struct sent *before = last[sent->sender];
			if (!sent->timed)
				continue;
			last[sent->sender] = sent;
			if (!before || sent->made >= before->made + (o->near ? 2 * o->near : 0))
				continue;
			*least += sent->made < before->made - 2 * o->near;
			if ((*most)++)
				continue;
			*trace = i;
			*number = k;
		}
	}
}

/* Which messages are marked so. */
static void
check_marks_back(struct oracle *o, size_t number)
{
	struct trace *trace = o->session.traces.at[number];
	struct reader *reader = reader_new(trace), *other = reader_new(trace);
	const struct sent *last[ORACLE_SENDERS] = {0};
	struct filter filter = filter_all();
	struct expansion e = {0};
	struct message m;
	filter.expr = filter_parse("steps_back", &o->session, NULL);
	for (size_t i = 0; reader_walk(reader, &m, 1); i++) {
		const struct sent *sent = &o->sents[number].at[i], *before = last[sent->sender];
		bool both = before && sent->timed;
		bool certain = !both || !o->near || !oracle_near(o, sent->made, before->made);
		bool want = both && sent->made < before->made;
		if (certain && filter_match(&filter, other, &m, &e) != want)
			oracle_fail(o, "trace %zu message %zu steps back: %d", number, i, !want);
		if (sent->timed)
			last[sent->sender] = sent;
	}
	expansion_free(&e);
	filter_free(&filter);
	reader_free(reader);
	reader_free(other);
}

static void
check_steps_back(struct oracle *o)
{
	struct export_options options = {.format = export_find("none"), .filter = filter_all()};
	struct export_result result;
	struct text report = {0}, want = {0};
	struct err err = {0};
	struct check *check = check_new("time", &o->session, &err);
	unsigned least, most, count = 0;
	size_t trace = 0, number = 0;
	assert_non_null(check);
	count_back(o, &least, &most, &trace, &number);
	options.check = check;
	check_load(check, &o->session, NULL);
	assert_int_equal(export_run(&o->session, &options, &result, &err), 0);
	bool found = check_report(check, &o->session, NULL, &result.doubts, &report);
	if (found)
		assert_int_equal(sscanf(text_get(&report), "trawl: check time: %u", &count), 1);
	if (count < least || count > most || found != (count > 0))
		oracle_fail(o, "not %u to %u: %s", least, most, text_get(&report));
	text_addf(&want, "the first is trace_number %zu at offset ", number);
	if (!o->near && found && !strstr(text_get(&report), text_get(&want)))
		oracle_fail(o, "%s (trace %zu): %s", text_get(&want), trace, text_get(&report));
	check_free(check);
	text_free(&report);
	text_free(&want);
}

void
oracle_check(struct oracle *o)
{
	check_timeline(o);
	check_filters(o);
	check_scans(o);
	check_steps_back(o);
	for (size_t i = 0; i < o->traces; i++)
		check_marks_back(o, i);
	oracle_check_list(o, false);
	oracle_check_list(o, true);
}
