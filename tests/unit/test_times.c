/*
 * One time for a message: random sessions of STP, whose SyS-T clients have clocks of
 * their own that drift and start again, keep messages back, or say no time, against an
 * oracle that has a list of messages and when each was made, by the writer of the
 * capture.  What clocks_time says, the bounds of cells, the columns of the timeline,
 * filters and JSON agree with it message for message, and the order of time with what
 * follows from each message's time and whose clock it is by.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "export/export.h"
#include "folder.h"
#include "mk_stp.h"
#include "mk_syst.h"
#include "query/density.h"
#include "query/filter/filter.h"
#include "query/gap/gap.h"
#include "query/next_match.h"
#include "query/seek.h"
#include "session/clock/clocks.h"
#include "session/sequence.h"
#include "session/session.h"
#include "ui/list/list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define BEGIN (INT64_C(1700000000) * SECOND) /* of time, by clocks that show a date */
#define APART (10 * SECOND)		     /* from there on a sender is not believed */

enum {
	CLIENTS = 5,
	PLANS = 24,
	HELD_MAX = 4096, /* messages that a client keeps back */
	TRACES_MAX = 3,
	COLUMNS = 40,
	NEAR = 20000 /* ns that a time by a clock of 1 MHz may be off */
};

/* --- the oracle -------------------------------------------------------- */

struct sent {
	uint64_t place;
	bool timed;
	int64_t made;	 /* its time */
	int64_t carried; /* the transport's */
	unsigned clock;	 /* whose it is: from 1, 0: the transport's */
	unsigned severity;
};
typedef VEC(struct sent) sents;

/* --- writing captures -------------------------------------------------- */

struct client {
	uint16_t master, channel;
	uint8_t module;
	double hz;	  /* that its messages state */
	double true_hz;	  /* that it has */
	int64_t zero;	  /* when it showed 0 */
	bool related;	  /* by CLOCK messages of its own or of its master */
	bool tells_clock; /* its own */
	bool stamps;	  /* its messages have times */
	int64_t patience; /* ns that it keeps messages back at most; 0: none */
	int64_t held[HELD_MAX];
	size_t count;
};

struct writer {
	uint64_t seed;
	struct mk_stp stp;
	struct mk_message message;
	struct client clients[CLIENTS];
	size_t active; /* of them: the first ones; others say nothing */
	bool dated;    /* client 0 shows the date, so that times do */
	bool one;      /* all messages have that time, by the profile */
	bool calm;     /* clocks do not start again, nor step back as damaged times do */
	int64_t now;   /* ns */
	double hz;     /* of the transport */
	sents *sents;
};

static unsigned
below(struct writer *w, size_t n)
{
	return random_below(&w->seed, n);
}

static uint64_t
ticks_at(double hz, int64_t time)
{
	return (uint64_t)((long double)time * (long double)hz / (long double)SECOND);
}

/* What a client shows at TIME. */
static uint64_t
client_shows(const struct writer *w, const struct client *c, int64_t time)
{
	return w->one ? (uint64_t)(BEGIN + time) : ticks_at(c->true_hz, time - c->zero);
}

/* TIME on the session's clock as it is now: that of client 0, or the transport's. */
static int64_t
as_session(const struct writer *w, int64_t time)
{
	return w->dated ? time - w->clients[0].zero : time;
}

static void
write_rows(struct writer *w)
{
	struct mk_stp *stp = &w->stp;
	struct sent row = {.severity = SEVERITY_DEBUG};
	row.place = stp->position / 2;
	mk_stp_async(stp);
	*vec_add(w->sents) = row;
	row.place = stp->position / 2;
	mk_stp_freq(stp, (uint32_t)w->hz);
	*vec_add(w->sents) = row;
}

/* Writes the message at hand of a client, which was made at MADE. */
static void
write_message(struct writer *w, const struct client *c, int64_t made)
{
	static uint8_t bytes[MK_MESSAGE_MAX];
	struct mk_message *m = &w->message;
	m->module = c->module;
	m->has_time = c->stamps;
	m->time = client_shows(w, c, made);
	bool own = m->has_time && c->related && w->now - made < APART;
	size_t owner = c == &w->clients[CLIENTS - 1] ? 1 : (size_t)(c - w->clients);
	unsigned clock = w->one ? 1 : 1 + (unsigned)owner;
	struct mk_feed feed = {.bytes = bytes,
			       .length = mk_encode(m, bytes),
			       .master = c->master,
			       .channel = c->channel,
			       .time = ticks_at(w->hz, w->now)};
	while (!feed.sent)
		mk_stp_feed(&w->stp, &feed, &w->seed);
	*vec_add(w->sents) = (struct sent){.place = (w->stp.position - 1) / 2,
					   .timed = true,
					   .made = as_session(w, own ? made : w->now),
					   .carried = as_session(w, w->now),
					   .clock = own ? clock : 0,
					   .severity = m->severity};
}

static void
write_text(struct writer *w, const struct client *c, int64_t made)
{
	char text[256];
	size_t length = 1 + below(w, sizeof text - 1);
	memset(text, 'x', sizeof text);
	mk_begin(&w->message, MK_STRING, MK_GENERIC, (enum mk_severity)(1 + below(w, 7)));
	mk_string(&w->message, text, length, false);
	write_message(w, c, made);
}

static void
write_clock(struct writer *w, const struct client *c)
{
	if (!c->tells_clock)
		return;
	mk_begin(&w->message, MK_CLOCK, 1, MK_DEBUG);
	mk_clock(&w->message, ticks_at(c->true_hz, w->now - c->zero), (uint64_t)c->hz);
	write_message(w, c, w->now);
}

static void
flush(struct writer *w, struct client *c)
{
	for (size_t i = 0; i < c->count; i++) {
		write_text(w, c, c->held[i]);
		w->now += 10000;
	}
	if (c->count && !below(w, 4))
		write_rows(w);
	c->count = 0;
}

/* A client's clock starts again from 0, or a date is put back, and it says so. */
static void
start_again(struct writer *w, struct client *c)
{
	if (!c->tells_clock || w->one || w->calm)
		return;
	flush(w, c);
	write_clock(w, c);
	w->now += SECOND / 1000;
	c->zero = w->dated && c == w->clients ? c->zero + 5 * SECOND : w->now;
	write_clock(w, c);
}

static void
make_clients(struct writer *w, unsigned plan)
{
	static const double rates[] = {1e6, 24e6, 1e9, 19.2e6};
	int64_t unit = w->calm ? SECOND / 4 : SECOND;
	for (unsigned i = 0; i < CLIENTS; i++) {
		struct client *c = &w->clients[i];
		*c = (struct client){.master = (uint16_t)(1 + i),
				     .channel = (uint16_t)i,
				     .module = (uint8_t)(16 + i),
				     .hz = rates[below(w, 4)],
				     .zero = -(int64_t)below(w, 1000) * SECOND,
				     .related = i != 3,
				     .tells_clock = i != 3 && i != 4,
				     .stamps = i != 2 || below(w, 2),
				     .patience = below(w, 2) ? (1 + below(w, 3)) * unit : 0};
		c->true_hz = c->hz * (1 + ((double)below(w, 200) - 100) * 1e-6);
	}
	/* the last has the clock of its master */
	struct client *last = &w->clients[CLIENTS - 1], *first = &w->clients[1];
	last->master = first->master;
	last->hz = first->hz;
	last->true_hz = first->true_hz;
	last->zero = first->zero;
	if (plan % 5 == 3 && !w->calm) /* too far away at times */
		w->clients[w->active / 2].patience = 14 * SECOND;
	if (w->one) {
		for (unsigned i = 0; i < CLIENTS; i++) {
			w->clients[i].related = true;
			w->clients[i].tells_clock = i == 0;
		}
	}
	if (!w->dated)
		return;
	w->clients[0].hz = w->clients[0].true_hz = 1e9;
	w->clients[0].zero = -BEGIN;
}

/* Writes COUNT messages or so. */
static void
write_capture(struct writer *w, unsigned count, unsigned plan)
{
	w->active = 1 + plan / 4 % CLIENTS;
	make_clients(w, plan);
	write_rows(w);
	for (unsigned i = 0; i < w->active; i++)
		write_clock(w, &w->clients[i]);
	int64_t clock = 0;
	for (unsigned i = 0; i < count; i++) {
		struct client *c = &w->clients[below(w, w->active)];
		w->now += 1 + below(w, 10000000);
		if (w->now - clock > SECOND / 4) {
			clock = w->now;
			for (unsigned k = 0; k < w->active; k++)
				write_clock(w, &w->clients[k]);
			write_rows(w);
		}
		if (c != &w->clients[1] && c != &w->clients[4] && below(w, count) < 3)
			start_again(w, c);
		bool full = c->count && (c->count == HELD_MAX || w->now - c->held[0] > c->patience);
		if (full)
			flush(w, c);
		if (c->patience)
			c->held[c->count++] = w->now;
		else
			write_text(w, c, w->now);
	}
	for (unsigned i = 0; i < w->active; i++) {
		flush(w, &w->clients[i]);
		write_clock(w, &w->clients[i]);
	}
	mk_stp_finish(&w->stp);
}

/* --- sessions ---------------------------------------------------------- */

struct fixture {
	struct folder folder;
	struct session session;
	size_t traces;
	sents sents[TRACES_MAX];
	bool dated, one, calm;
	unsigned plan;
	uint64_t seed;
};

/* Plans: whether one trace alone, dates, one clock by the profile. */
static void
open_session_of(struct fixture *f, unsigned plan, bool calm)
{
	struct err err = {0};
	struct text profile = {0};
	memset(f, 0, sizeof *f);
	f->plan = plan;
	f->calm = calm;
	f->seed = 0x7133 + plan * 977;
	f->one = plan % 4 == 3;
	f->dated = plan % 2 || f->one;
	f->traces = f->dated ? 1 + plan / 2 % TRACES_MAX : 1;
	folder_make(&f->folder);
	text_add(&profile, "traces:\n");
	for (size_t i = 0; i < f->traces; i++) {
		struct writer *w = mem_new(sizeof *w);
		char name[32];
		snprintf(name, sizeof name, "t%zu.stp", i);
		w->seed = f->seed + i;
		w->dated = f->dated;
		w->one = f->one;
		w->calm = f->calm;
		w->hz = 10e6;
		w->sents = &f->sents[i];
		w->now = (int64_t)i * 1234567;
		w->stp = (struct mk_stp){.out = mk_out_open(folder_path(&f->folder, name)),
					 .nibbles = MK_LE22,
					 .stamps = MK_NAT,
					 .master = -1,
					 .channel = -1};
		write_capture(w, 3000 + below(w, 3000), plan);
		mk_out_close(w->stp.out);
		free(w);
		text_addf(&profile, "  - {file: %s, name: t%zu%s}\n", name, i,
			  f->one ? ", syst: {ts_epoch: nanoseconds}" : "");
	}
	const char *path = folder_path(&f->folder, "session.yaml");
	folder_put_text(&f->folder, "session.yaml", text_get(&profile));
	if (profile_load(path, &f->session.profile, &err) < 0)
		fail_msg("%s", err.what);
	assert_int_equal(session_open_named(&f->session, NULL, 0, &err), f->traces);
	session_link(&f->session);
	for (size_t i = 0; i < f->traces; i++)
		trace_build(f->session.traces.at[i]);
	clocks_load(f->session.clocks, true);
	text_free(&profile);
}

static void
open_session(struct fixture *f, unsigned plan)
{
	open_session_of(f, plan, false);
}

static void
close_session(struct fixture *f)
{
	session_close(&f->session);
	for (size_t i = 0; i < f->traces; i++)
		vec_free(&f->sents[i]);
	folder_remove(&f->folder);
}

static bool
are_near(int64_t a, int64_t b)
{
	return a < b ? b - a <= NEAR : a - b <= NEAR;
}

/* Some time of the session that no message of the oracle is near, so that it is certain on
 * which side of it each is. */
static bool
is_free(const struct fixture *f, int64_t time)
{
	for (size_t i = 0; i < f->traces; i++)
		for (size_t k = 0; k < f->sents[i].count; k++) {
			const struct sent *sent = &f->sents[i].at[k];
			if (sent->timed &&
			    (are_near(sent->made, time) || are_near(sent->carried, time)))
				return false;
		}
	return true;
}

/* The first time of a trace, and the last. */
static void
find_ends(const sents *all, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (size_t i = 0; i < all->count; i++) {
		const struct sent *sent = &all->at[i];
		if (!sent->timed)
			continue;
		int64_t low = sent->made < sent->carried ? sent->made : sent->carried;
		int64_t high = sent->made > sent->carried ? sent->made : sent->carried;
		*first = low < *first ? low : *first;
		*last = high > *last ? high : *last;
	}
}

static int64_t
free_time(struct fixture *f)
{
	int64_t first, last, time;
	find_ends(&f->sents[0], &first, &last);
	do
		time = first + (int64_t)(random_next(&f->seed) % (uint64_t)(last - first));
	while (!is_free(f, time));
	return time;
}

/* --- times and bounds -------------------------------------------------- */

/* What the messages of a cell have. */
struct cell_times {
	int64_t from, to; /* to know: those of all */
};

static void
check_cell(struct fixture *f, size_t number, uint64_t cell, const struct cell_times *times,
	   unsigned *exact)
{
	struct trace *trace = f->session.traces.at[number];
	struct index_cell summary;
	int64_t from, to;
	assert_true(index_cell(trace_index(trace), cell, &summary));
	if (!clocks_cell_span(trace, cell, &summary, &from, &to))
		return;
	if (times->from > times->to) {
		assert_true(from > to);
		return;
	}
	assert_in_range(times->from - from, 0, 2 * APART);
	assert_in_range(to - times->to, 0, 2 * APART);
	if (f->one) { /* each message has the same clock */
		int64_t span = to - from, own = times->to - times->from;
		assert_true(span <= own + 3 * SECOND);
	}
	*exact += from == times->from && to == times->to;
}

static void
test_each_time(void **state)
{
	(void)state;
	for (unsigned plan = 0; plan < PLANS; plan++) {
		struct fixture f;
		unsigned exact = 0;
		open_session(&f, plan);
		for (size_t i = 0; i < f.traces; i++) {
			struct trace *trace = f.session.traces.at[i];
			struct reader *reader = reader_new(trace);
			uint64_t size = index_cell_size(trace_index(trace)), at = 0;
			struct cell_times times = {INT64_MAX, INT64_MIN};
			struct message m;
			for (size_t k = 0; k < f.sents[i].count; k++) {
				const struct sent *sent = &f.sents[i].at[k];
				struct message_time time, carried;
				assert_true(reader_walk(reader, &m, 1));
				assert_int_equal(message_id_offset(&m), sent->place);
				for (; at < sent->place / size; at++) {
					check_cell(&f, i, at, &times, &exact);
					times = (struct cell_times){INT64_MAX, INT64_MIN};
				}
				assert_int_equal(clocks_time(trace, &m, &time), sent->timed);
				assert_int_equal(clocks_transport_time(trace, &m, &carried),
						 sent->timed);
				if (!sent->timed)
					continue;
				if (!are_near(time.order, sent->made))
					fail_msg("plan %u trace %zu message %zu: %" PRId64
						 ", not %" PRId64 " (%" PRId64 ")",
						 plan, i, k, time.order, sent->made, sent->carried);
				assert_true(are_near(carried.order, sent->carried));
				times.from = time.order < times.from ? time.order : times.from;
				times.to = time.order > times.to ? time.order : times.to;
			}
			assert_false(reader_walk(reader, &m, 1));
			check_cell(&f, i, at, &times, &exact);
			reader_free(reader);
		}
		close_session(&f);
	}
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
has_free_borders(const struct fixture *f, const struct density_window *w)
{
	for (size_t c = 0; c <= w->columns; c++)
		if (!is_free(f, w->from + (int64_t)(c * w->step)))
			return false;
	return true;
}

static void
check_columns(const struct fixture *f, const struct density_answer *answer)
{
	const struct density_window *w = &answer->window;
	assert_true(answer->refined);
	for (size_t i = 0; i < f->traces; i++) {
		uint64_t counts[COLUMNS * SEVERITY_COUNT] = {0};
		assert_false(answer->apart[i]);
		count_columns(&f->sents[i], index_cell_size(trace_index(f->session.traces.at[i])),
			      w, counts);
		for (size_t c = 0; c < w->columns; c++) {
			const struct density_column *column = &answer->columns[i * w->columns + c];
			assert_memory_equal(column->severities, &counts[c * SEVERITY_COUNT],
					    sizeof column->severities);
		}
	}
}

static void
test_columns(void **state)
{
	(void)state;
	static const struct density_origin none = {0};
	struct density_lane lanes[TRACES_MAX] = {{.trace = 0}, {.trace = 1}, {.trace = 2}};
	for (unsigned plan = 0; plan < PLANS; plan++) {
		struct fixture f;
		open_session(&f, plan);
		struct density *d = density_new(&f.session);
		struct density_window w = {.fit = true, .columns = COLUMNS};
		int64_t first = INT64_MAX, last = INT64_MIN;
		for (size_t i = 0; i < f.traces; i++) {
			int64_t low, high;
			find_ends(&f.sents[i], &low, &high);
			first = low < first ? low : first;
			last = high > last ? high : last;
		}
		const struct density_answer *answer =
		    density_load(d, &w, lanes, f.traces, &none, NULL);
		assert_true(are_near(answer->first, first));
		assert_true(are_near(answer->last, last));
		w.fit = false;
		for (unsigned i = 0; i < 6; i++) {
			do {
				w.from = free_time(&f) - (int64_t)random_below(&f.seed, 2000000000);
				w.step = 1000000 + random_below(&f.seed, 1000000000);
			} while (!has_free_borders(&f, &w));
			check_columns(&f, density_load(d, &w, lanes, f.traces, &none, NULL));
		}
		density_free(d);
		close_session(&f);
	}
}

/* --- filters ----------------------------------------------------------- */

/* The first time of the session, as filters count from it. */
static int64_t
start_of_filters(struct fixture *f)
{
	int64_t start = INT64_MAX;
	for (size_t i = 0; i < f->traces; i++) {
		struct reader *reader = reader_new(f->session.traces.at[i]);
		struct message m;
		struct message_time time;
		do
			assert_true(reader_walk(reader, &m, 1));
		while (!clocks_time(f->session.traces.at[i], &m, &time));
		start = time.order < start ? time.order : start;
		reader_free(reader);
	}
	return start;
}

/* How many messages it wants, each held against the oracle; cells that it leaves out have
 * none. */
static unsigned
check_filter(struct fixture *f, size_t number, const char *text, int64_t from, int64_t to)
{
	struct trace *trace = f->session.traces.at[number];
	struct reader *reader = reader_new(trace), *other = reader_new(trace);
	struct filter filter = filter_all();
	struct expansion e = {0};
	struct message m;
	unsigned matches = 0;
	filter.expr = filter_parse(text, &f->session, NULL);
	assert_non_null(filter.expr);
	for (size_t i = 0; i < f->sents[number].count; i++) {
		const struct sent *sent = &f->sents[number].at[i];
		bool wanted = sent->timed && sent->made >= from && sent->made <= to;
		uint64_t cell = sent->place / index_cell_size(trace_index(trace));
		assert_true(reader_walk(reader, &m, 1));
		assert_int_equal(filter_match(&filter, other, &m, &e), wanted);
		if (wanted)
			assert_int_not_equal(filter_judge(&filter, trace, cell), FILTER_NONE);
		matches += wanted;
	}
	expansion_free(&e);
	filter_free(&filter);
	reader_free(reader);
	reader_free(other);
	return matches;
}

static void
test_filters(void **state)
{
	(void)state;
	unsigned matches = 0;
	for (unsigned plan = 0; plan < PLANS; plan++) {
		struct fixture f;
		open_session(&f, plan);
		int64_t start = start_of_filters(&f);
		for (unsigned i = 0; i < 4; i++) {
			int64_t from, to;
			do {
				from = free_time(&f);
				to = free_time(&f);
			} while (from > to || from < start);
			char text[80];
			snprintf(text, sizeof text, "time in +%" PRId64 "ns..+%" PRId64 "ns",
				 from - start, to - start);
			for (size_t k = 0; k < f.traces; k++)
				matches += check_filter(&f, k, text, from, to);
		}
		close_session(&f);
	}
	assert_true(matches > 10000);
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

/* Walks with the index, by as many messages a call as happens; how many it passes over. */
static size_t
check_seek(struct fixture *f, size_t number, const char *text, const char *marks, unsigned around)
{
	const sents *all = &f->sents[number];
	struct reader *reader = reader_new(f->session.traces.at[number]);
	struct filter filter = filter_all();
	filter.expr = filter_parse(text, &f->session, NULL);
	assert_true(filter_limits_time(&filter));
	struct seek *seek = seek_new(reader, &filter, around);
	struct message batch[300];
	uint64_t first, next = 0;
	size_t count, passed = 0;
	assert_true(seek_skips(seek));
	while ((count = seek_walk(seek, batch, 1 + random_below(&f->seed, 300), &first))) {
		for (passed += first - next; next < first; next++)
			assert_false(marks[next]);
		for (size_t i = 0; i < count; i++, next++)
			assert_int_equal(message_id_offset(&batch[i]), all->at[next].place);
	}
	for (passed += all->count - next; next < all->count; next++)
		assert_false(marks[next]);
	seek_free(seek);
	filter_free(&filter);
	reader_free(reader);
	return passed;
}

static void
test_seek(void **state)
{
	(void)state;
	size_t passed = 0, all = 0;
	for (unsigned plan = 0; plan < PLANS; plan++) {
		struct fixture f;
		open_session(&f, plan);
		int64_t start = start_of_filters(&f);
		for (unsigned i = 0; i < 8; i++) {
			unsigned around = i % 2 ? random_below(&f.seed, 700) : 0;
			int64_t from = free_time(&f), to = free_time(&f);
			char text[120];
			if (from < start)
				continue;
			if (i < 4)
				to = from + SECOND / 100;
			snprintf(text, sizeof text,
				 "time >= +%" PRId64 "ns and time <= +%" PRId64 "ns", from - start,
				 to - start);
			for (size_t k = 0; k < f.traces; k++) {
				char *marks = mark_range(&f.sents[k], from, to, around);
				passed += check_seek(&f, k, text, marks, around);
				all += f.sents[k].count;
				free(marks);
			}
		}
		close_session(&f);
	}
	assert_true(passed > all / 4);
}

/* --- exports ----------------------------------------------------------- */

/* The time in a line of JSON; false if there is none. */
static bool
time_in(const char *line, int64_t *time)
{
	const char *at = strstr(line, "\"time\":");
	char *end = NULL;
	if (at)
		*time = strtoll(at + strlen("\"time\":"), &end, 10);
	return at && end > at + strlen("\"time\":");
}

static void
test_json(void **state)
{
	(void)state;
	for (unsigned plan = 0; plan < 4; plan++) {
		struct fixture f;
		struct export_result result;
		struct err err = {0};
		open_session(&f, plan);
		struct export_options options = {.format = export_find("jsonl"),
						 .filter = filter_all(),
						 .output = memfd_create("test", 0)};
		assert_int_equal(export_run(&f.session, &options, &result, &err), 0);
		size_t next[TRACES_MAX] = {0}, all = 0;
		char *line = NULL;
		size_t room = 0;
		FILE *file = fdopen(options.output, "r");
		rewind(file);
		while (getline(&line, &room, file) >= 0) {
			const char *trace = strstr(line, "\"trace\":\"t");
			size_t number = trace ? (size_t)(trace[10] - '0') : 0;
			int64_t time = 0;
			assert_true(number < f.traces && next[number] < f.sents[number].count);
			const struct sent *sent = &f.sents[number].at[next[number]++];
			assert_int_equal(time_in(line, &time), sent->timed);
			assert_true(!sent->timed || are_near(time, sent->made));
			all++;
		}
		for (size_t i = 0; i < f.traces; i++)
			all -= f.sents[i].count;
		assert_int_equal(all, 0);
		free(line);
		fclose(file);
		close_session(&f);
	}
}

/* The lines of what a filter (NULL: all) lets through, those of a time alone where FROM is
 * not past TO. */
static void
export_lines(struct fixture *f, const char *text, int64_t from, int64_t to, struct text *out)
{
	struct export_result result;
	struct err err = {0};
	struct export_options options = {.format = export_find("jsonl"),
					 .filter = filter_all(),
					 .output = memfd_create("test", 0)};
	if (text)
		options.filter.expr = filter_parse(text, &f->session, NULL);
	assert_int_equal(export_run(&f->session, &options, &result, &err), 0);
	FILE *file = fdopen(options.output, "r");
	char *line = NULL;
	size_t room = 0;
	rewind(file);
	while (getline(&line, &room, file) >= 0) {
		int64_t time;
		if (from > to || (time_in(line, &time) && time >= from && time <= to))
			text_add(out, line);
	}
	free(line);
	fclose(file);
	filter_free(&options.filter);
}

static void
test_seek_in_order(void **state)
{
	(void)state;
	size_t length = 0;
	for (unsigned plan = 1; plan < PLANS; plan += 4) {
		struct fixture f;
		open_session(&f, plan);
		if (plan % 8 == 1)
			assert_int_equal(session_set_order(&f.session, "time", NULL), 0);
		int64_t start = start_of_filters(&f);
		for (unsigned i = 0; i < 3; i++) {
			int64_t from = free_time(&f), to = from + (i ? SECOND / 10 : SECOND * 60);
			struct text want = {0}, got = {0};
			char text[80];
			if (from < start || !is_free(&f, to))
				continue;
			snprintf(text, sizeof text, "time in +%" PRId64 "ns..+%" PRId64 "ns",
				 from - start, to - start);
			export_lines(&f, NULL, from, to, &want);
			export_lines(&f, text, 1, 0, &got);
			assert_string_equal(text_get(&got), text_get(&want));
			length += got.length;
			text_free(&want);
			text_free(&got);
		}
		close_session(&f);
	}
	assert_true(length > 100000);
}

/* --- order ------------------------------------------------------------- */

/* A message of the list: all that its place may follow from. */
struct listed {
	size_t trace, number;
	unsigned clock;
	unsigned severity;
	int64_t key;
};

struct ordered {
	struct fixture f;
	struct sequence *sequence;
	VEC(struct listed) messages[TRACES_MAX]; /* of each trace */
	VEC(struct sequence_position) rows;
	VEC(struct listed) all; /* the same */
};

/* The latest time so far among those of its clock; of the transport's clock among all. */
static void
make_keys(struct ordered *o, size_t number)
{
	struct trace *trace = o->f.session.traces.at[number];
	struct reader *reader = reader_new(trace);
	int64_t latest[CLIENTS + 1];
	struct message m;
	for (size_t i = 0; i <= CLIENTS; i++)
		latest[i] = INT64_MIN;
	for (size_t i = 0; reader_walk(reader, &m, 1); i++) {
		const struct sent *sent = &o->f.sents[number].at[i];
		struct message_time time;
		if (clocks_transport_time(trace, &m, &time) && time.order > latest[0])
			latest[0] = time.order;
		if (sent->clock && clocks_time(trace, &m, &time) &&
		    time.order > latest[sent->clock])
			latest[sent->clock] = time.order;
		*vec_add(&o->messages[number]) =
		    (struct listed){number, i, sent->clock, sent->severity, latest[sent->clock]};
	}
	reader_free(reader);
}

static struct listed
listed_at(struct ordered *o, struct sequence_position p)
{
	bool exact;
	uint64_t number = reader_number(sequence_reader(o->sequence, p.lane), p.at, &exact);
	assert_true(exact);
	return o->messages[p.lane].at[number];
}

/* Goes through the list: all messages are in it once, by their keys, those of each clock as
 * they were carried. */
static void
check_list(struct ordered *o)
{
	uint64_t next[TRACES_MAX][CLIENTS + 1] = {0};
	int64_t latest = INT64_MIN;
	struct sequence_position p;
	size_t count = 0;
	vec_clear(&o->rows);
	vec_clear(&o->all);
	assert_true(sequence_first(o->sequence, &p));
	do {
		struct listed listed = listed_at(o, p);
		uint64_t *least = &next[listed.trace][listed.clock];
		if (listed.key < latest)
			fail_msg("plan %u row %zu: message %zu of trace %zu by clock %u: %" PRId64
				 " behind %" PRId64,
				 o->f.plan, o->all.count, listed.number, listed.trace, listed.clock,
				 listed.key, latest);
		assert_true(listed.number >= *least);
		*least = listed.number + 1;
		latest = listed.key;
		*vec_add(&o->rows) = p;
		*vec_add(&o->all) = listed;
	} while (sequence_next(o->sequence, &p));
	for (size_t i = 0; i < o->f.traces; i++)
		if (sequence_shows(o->sequence, i))
			count += o->f.sents[i].count;
	assert_int_equal(o->all.count, count);
	assert_true(sequence_last(o->sequence, &p));
	for (size_t i = count; i-- > 0;) {
		assert_true(sequence_position_is_same(p, o->rows.at[i]));
		assert_int_equal(sequence_previous(o->sequence, &p), i > 0);
	}
}

/* Whatever way a message of the list is reached, it is the one that stands there. */
static void
check_ways(struct ordered *o)
{
	struct sequence_position p;
	bool exact;
	assert_int_equal(sequence_count(o->sequence, &exact), o->all.count);
	for (unsigned i = 0; i < 100; i++) {
		size_t row = random_below(&o->f.seed, o->all.count);
		size_t other = random_below(&o->f.seed, o->all.count), first = 0;
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
		int64_t key = o->all.at[row].key, near = (int64_t)random_below(&o->f.seed, 3) - 1;
		if (key == INT64_MIN)
			continue;
		wish = (struct sequence_wish){
		    .by = SEQUENCE_BY_TIME, .lane = o->all.at[row].trace, .time = key + near};
		while (first < o->all.count - 1 && o->all.at[first].key < wish.time)
			first++;
		assert_true(sequence_find(o->sequence, &wish, &p));
		assert_true(sequence_position_is_same(p, o->rows.at[first]));
	}
}

/* The output has all rows, as they stand in the list. */
static void
check_output(struct ordered *o)
{
	struct export_options options = {.format = export_find("jsonl"),
					 .filter = filter_all(),
					 .output = memfd_create("test", 0)};
	struct export_result result;
	struct err err = {0};
	assert_int_equal(export_run(&o->f.session, &options, &result, &err), 0);
	FILE *file = fdopen(options.output, "r");
	rewind(file);
	for (size_t i = 0; i < o->all.count; i++) {
		size_t number, trace;
		assert_int_equal(
		    fscanf(file, "{\"n\":%zu,\"trace\":\"t%zu%*[^\n]\n", &number, &trace), 2);
		assert_int_equal(number, o->all.at[i].number);
		assert_int_equal(trace, o->all.at[i].trace);
	}
	assert_int_equal(fgetc(file), EOF);
	fclose(file);
}

/* Steps from match to match of a severity, from some row on, and of one trace alone. */
static void
check_matches(struct ordered *o)
{
	struct filter want = filter_all();
	const struct next_bound bound = {.near = 1000000};
	size_t row = random_below(&o->f.seed, o->all.count);
	bool alone = random_below(&o->f.seed, 4) == 0;
	unsigned level = (unsigned)random_below(&o->f.seed, SEVERITY_COUNT);
	want.severities = (uint8_t)(1U << level);
	const struct next_query query = {.sequence = o->sequence,
					 .want = &want,
					 .from = o->rows.at[row],
					 .direction = random_below(&o->f.seed, 2) ? 1 : -1,
					 .alone = alone};
	struct next_match *next = next_match_new(&query);
	struct sequence_position p;
	for (unsigned found = 0; found < 40; found++) {
		size_t trace = o->all.at[row].trace;
		do
			row += (size_t)query.direction;
		while (row < o->all.count && (o->all.at[row].severity != level ||
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
check_ranks(struct ordered *o)
{
	struct filter want = filter_all();
	struct list list;
	unsigned level = (unsigned)random_below(&o->f.seed, SEVERITY_COUNT);
	want.severities = (uint8_t)(1U << level);
	list_open(&list, o->sequence, &want);
	list_resize(&list, 20);
	list_show(&list);
	for (unsigned i = 0; i < 30; i++) {
		size_t at = random_below(&o->f.seed, o->all.count);
		struct row row = {.lane = o->rows.at[at].lane, .at = o->rows.at[at].at};
		uint64_t rank, before = 0;
		bool exact;
		for (size_t k = 0; k < at; k++)
			before += o->all.at[k].severity == level;
		assert_int_equal(list_matches_rank(&list.matches, &row, &rank, &exact),
				 o->all.at[at].severity == level);
		assert_true(exact);
		assert_int_equal(rank, before);
	}
	list_close(&list);
}

/* The gap before a message is that since the row above it that has a time. */
static void
check_gaps(struct ordered *o)
{
	struct gap_cursor *cursor = gap_cursor_new(&o->f.session);
	for (unsigned i = 0; i < 30; i++) {
		size_t row = random_below(&o->f.seed, o->all.count);
		size_t end = row + 10 < o->all.count ? row + 10 : o->all.count;
		for (; row < end; row++) {
			struct trace *trace = o->f.session.traces.at[o->all.at[row].trace];
			struct message m = *sequence_message(o->sequence, o->rows.at[row]);
			struct message_time time, before;
			struct gap want, got;
			bool any = false;
			for (size_t k = row; gap_time(trace, &m, &time) && !any && k-- > 0;)
				any =
				    gap_time(o->f.session.traces.at[o->all.at[k].trace],
					     sequence_message(o->sequence, o->rows.at[k]), &before);
			any = any && gap_between(&before, &time, &want);
			assert_int_equal(gap_cursor_find(cursor, trace, &m, &got), any);
			if (any)
				assert_int_equal(got.length, want.length);
		}
	}
	gap_cursor_free(cursor);
}

/* One trace alone stands in the same order as among the others. */
static void
check_alone(struct ordered *o)
{
	for (size_t trace = 0; trace < o->f.traces; trace++) {
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
open_ordered(struct ordered *o, unsigned plan)
{
	*o = (struct ordered){0};
	open_session_of(&o->f, plan, true);
	for (size_t i = 0; i < o->f.traces; i++)
		make_keys(o, i);
	o->sequence = sequence_new(&o->f.session);
	assert_int_equal(session_set_order(&o->f.session, "time", NULL), 0);
	sequence_load(o->sequence);
}

static void
close_ordered(struct ordered *o)
{
	sequence_free(o->sequence);
	for (size_t i = 0; i < o->f.traces; i++)
		vec_free(&o->messages[i]);
	vec_free(&o->rows);
	vec_free(&o->all);
	close_session(&o->f);
}

static void
test_order(void **state)
{
	(void)state;
	unsigned moved = 0;
	for (unsigned plan = 0; plan < PLANS; plan++) {
		struct ordered o;
		open_ordered(&o, plan);
		check_list(&o);
		check_ways(&o);
		check_output(&o);
		check_alone(&o);
		for (unsigned i = 0; i < 60; i++)
			check_matches(&o);
		for (unsigned i = 0; i < 5; i++)
			check_ranks(&o);
		check_gaps(&o);
		for (size_t i = 1; i < o.all.count; i++)
			moved += o.all.at[i].trace == o.all.at[i - 1].trace &&
				 o.all.at[i].number < o.all.at[i - 1].number;
		sequence_show(o.sequence, o.f.traces - 1, false);
		if (o.f.traces > 1) {
			check_list(&o);
			check_ways(&o);
		}
		close_ordered(&o);
	}
	assert_in_range(moved, 1000, 1000000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_time), cmocka_unit_test(test_columns),
	    cmocka_unit_test(test_filters),   cmocka_unit_test(test_seek),
	    cmocka_unit_test(test_json),      cmocka_unit_test(test_seek_in_order),
	    cmocka_unit_test(test_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
