/*
 * The oracle: see oracle.h.  Its list is made from keys that follow from each message's time
 * and whose clock it is by; where times are exact they are the writers' own.
 */
#include "config.h"

#include "oracle.h"

#include "config/profile.h"
#include "query/check.h"
#include "query/density.h"
#include "query/gap/gap.h"
#include "query/next_match.h"
#include "query/seek.h"
#include "ui/list/list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* What relates the clock of a trace to those before it, if it does not tell a date. */
static void
add_offset(struct oracle *o, size_t number, struct text *syncs)
{
	const struct sent_format *format = o->formats[number];
	bool related = (o->dated && format->wall) || (!o->dated && !number);
	for (size_t i = 0; i < number; i++)
		related |= format->related && o->formats[i] == format;
	if (!related)
		text_addf(syncs, "  - {kind: offset, trace: t%zu, seconds: %" PRId64 "}\n", number,
			  o->dated ? SENT_BEGIN / SECOND : 0);
}

static void
write_captures(struct oracle *o, unsigned count)
{
	struct text syncs = {0};
	text_add(&o->profile, "traces:\n");
	for (size_t i = 0; i < o->traces; i++) {
		char name[8];
		snprintf(name, sizeof name, "t%zu", i);
		const struct sent_plan plan = {.seed = o->seed + i,
					       .number = i,
					       .plan = o->plan,
					       .count = count + random_below(&o->seed, count),
					       .dated = o->dated,
					       .one = o->one};
		text_addf(&o->profile, "  - {file: %s, name: %s", name, name);
		o->formats[i]->write(&plan, folder_path(&o->folder, name), &o->sents[i],
				     &o->profile);
		text_add(&o->profile, "}\n");
		add_offset(o, i, &syncs);
		if (o->formats[i]->near > o->near)
			o->near = o->formats[i]->near;
	}
	if (syncs.length)
		text_addf(&o->profile, "sync:\n%s", text_get(&syncs));
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
		if (!reader_walk(reader, &m, 1) || message_id_offset(&m) != sent->place)
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

/* --- the timeline ------------------------------------------------------ */

/* Where a message stands: without a time where the transport had got to; before any that
 * has one, where the first of their cell were carried. */
static void
count_columns(const sents *all, uint64_t cell_size, const struct density_window *w,
	      uint64_t *counts)
{
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
		if (stands >= w->from && (uint64_t)(stands - w->from) / w->step < w->columns)
			counts[(uint64_t)(stands - w->from) / w->step * SEVERITY_COUNT +
			       sent->severity]++;
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

static void
check_window(const struct oracle *o, const struct density_answer *answer)
{
	const struct density_window *w = &answer->window;
	assert_true(answer->refined);
	for (size_t i = 0; i < o->traces; i++) {
		uint64_t counts[COLUMNS * SEVERITY_COUNT] = {0};
		assert_false(answer->apart[i]);
		count_columns(&o->sents[i], index_cell_size(trace_index(o->session.traces.at[i])),
			      w, counts);
		for (size_t c = 0; c < w->columns; c++) {
			const struct density_column *column = &answer->columns[i * w->columns + c];
			if (memcmp(column->severities, &counts[c * SEVERITY_COUNT],
				   sizeof column->severities) != 0)
				oracle_fail(o,
					    "column %zu of trace %zu from %" PRId64 " by %" PRIu64,
					    c, i, w->from, w->step);
		}
	}
}

static void
check_columns(struct oracle *o)
{
	static const struct density_origin none = {0};
	struct density_lane lanes[ORACLE_TRACES] = {{.trace = 0}, {.trace = 1}, {.trace = 2}};
	struct density *d = density_new(&o->session);
	struct density_window w = {.fit = true, .columns = COLUMNS};
	const struct density_answer *answer = density_load(d, &w, lanes, o->traces, &none, NULL);
	if (!oracle_near(o, answer->first, first_of(o)) ||
	    !oracle_near(o, answer->last, last_of(o)))
		oracle_fail(o,
			    "the timeline is from %" PRId64 " to %" PRId64 ", not %" PRId64
			    " to %" PRId64,
			    answer->first, answer->last, first_of(o), last_of(o));
	w.fit = false;
	for (unsigned i = 0; i < 6; i++) {
		do {
			w.from = free_time(o) - (int64_t)random_below(&o->seed, 2000000000);
			w.step = 1000000 + random_below(&o->seed, 1000000000);
		} while (!has_free_borders(o, &w));
		check_window(o, density_load(d, &w, lanes, o->traces, &none, NULL));
	}
	density_free(d);
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

/* A range of time, as a mark on the timeline or -S and -U say it. */
static void
select_time(struct oracle *o, struct selection *s)
{
	do {
		s->from = free_time(o);
		s->to = random_below(&o->seed, 2) ? s->from + SECOND / 100 : free_time(o);
	} while (s->from < o->start || s->to < s->from || !is_free(o, s->to));
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
		s->filter.severities = (uint8_t)random_next(&o->seed) | 1 << SEVERITY_INFO;
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

/* --- seeking ----------------------------------------------------------- */

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
check_seek(struct oracle *o, size_t number, const struct selection *s, unsigned around)
{
	const sents *all = &o->sents[number];
	struct reader *reader = reader_new(o->session.traces.at[number]);
	struct seek *seek = seek_new(reader, &s->filter, around);
	char *marks = mark_range(all, s->from, s->to, around);
	struct message batch[300];
	uint64_t first, next = 0;
	size_t count;
	assert_true(filter_limits_time(&s->filter));
	assert_true(seek_skips(seek));
	while ((count = seek_walk(seek, batch, 1 + random_below(&o->seed, 300), &first))) {
		pass_over(o, marks, next, first);
		next = first;
		for (size_t i = 0; i < count; i++, next++)
			assert_int_equal(message_id_offset(&batch[i]), all->at[next].place);
	}
	pass_over(o, marks, next, all->count);
	free(marks);
	seek_free(seek);
	reader_free(reader);
}

static void
check_seeks(struct oracle *o)
{
	for (unsigned i = 0; i < 8; i++) {
		unsigned around = i % 2 ? random_below(&o->seed, 700) : 0;
		struct selection s;
		oracle_select(o, true, &s);
		for (size_t k = 0; k < o->traces; k++)
			check_seek(o, k, &s, around);
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

static void
check_steps_back(struct oracle *o)
{
	struct filter all = filter_all();
	struct text report = {0}, want = {0};
	struct err err = {0};
	struct check *check = check_new("time", &o->session, &err);
	unsigned least, most, count = 0;
	size_t trace = 0, number = 0;
	assert_non_null(check);
	count_back(o, &least, &most, &trace, &number);
	bool found = check_run(check, &o->session, &all, NULL, &report);
	if (found)
		assert_int_equal(sscanf(text_get(&report), "trawl: check time: %u", &count), 1);
	if (count < least || count > most || found != (count > 0))
		oracle_fail(o, "not %u to %u: %s", least, most, text_get(&report));
	text_addf(&want, "the first is number %zu at offset ", number);
	if (!o->near && found && !strstr(text_get(&report), text_get(&want)))
		oracle_fail(o, "%s (trace %zu): %s", text_get(&want), trace, text_get(&report));
	check_free(check);
	text_free(&report);
	text_free(&want);
}

/* --- the list ------------------------------------------------------------ */

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

static struct listed
listed_at(struct oracle *o, struct sequence_position p)
{
	bool exact;
	uint64_t number = reader_number(sequence_reader(o->sequence, p.lane), p.at, &exact);
	assert_true(exact);
	return o->messages[p.lane].at[number];
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
		    .by = SEQUENCE_BY_TIME, .lane = o->all.at[row].trace, .time = key + near};
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
	want.severities = (uint8_t)(1U << level);
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
	want.severities = (uint8_t)(1U << level);
	list_open(&list, o->sequence, &want);
	list_resize(&list, 20);
	list_show(&list);
	for (unsigned i = 0; i < 30; i++) {
		size_t at = random_below(&o->seed, o->all.count);
		struct row row = {.lane = o->rows.at[at].lane, .at = o->rows.at[at].at};
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

/* One trace alone stands in the same order as among the others. */
static void
check_alone(struct oracle *o)
{
	for (size_t trace = 0; trace < o->traces; trace++) {
		struct sequence *own = sequence_new_lane(o->sequence, trace);
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

static void
check_order(struct oracle *o, bool by_time)
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

void
oracle_check(struct oracle *o)
{
	check_columns(o);
	check_filters(o);
	check_seeks(o);
	check_steps_back(o);
	check_order(o, false);
	check_order(o, true);
}
