/*
 * Times of random sessions against their truth: two to four traces of SyS-T over STP, whose
 * clocks drift, start again, wrap and are read late; senders keep messages back; some sync
 * points are wrong.
 *
 * In each trace sender 0 shows a date, which is the time of the session.  The writer computes
 * the date of each message apart, in long double, and the test compares: the stated error
 * covers the true one, or the message has no time.
 *
 * TRAWL_RUNS=500 makes so many sessions, TRAWL_FIRST=N those from N on.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "folder.h"
#include "mk_stp.h"
#include "mk_syst.h"
#include "random.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "trace/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRACES = 4, SENDERS = 4, HELD = 2048, RUNS = 40, FEWEST_BEFORE_WRONG = 5 };

static const double SECOND = 1e9;
static const double BEGIN = 1.7e18; /* the date at time 0, in ns */

/* --- the writer --------------------------------------------------------- */

/* A counter: at the true time `zero` it showed `start`. */
struct counter {
	double hz;     /* as stated */
	double drift;  /* share that it is faster */
	double zero;   /* ns */
	double start;  /* ticks */
	unsigned bits; /* 64: it does not wrap in these sessions */
};

struct sender {
	struct counter clock;
	double interval, next; /* of CLOCK messages, ns; the time of the next one */
	double patience;       /* ns that it keeps messages back at most */
	double restart;	       /* when its clock starts again */
	double held[HELD];
	size_t count;
	uint64_t last;	 /* that it showed in a CLOCK message */
	unsigned points; /* since its clock or the transport's started */
	unsigned wrong;	 /* this many points from now on are wrong, */
	double wrong_by; /* by so many ns */
	bool stamps;	 /* its messages have times */
	bool related;	 /* it sends CLOCK messages */
};

/* A message as it was sent: where it stands and its date. */
struct sent {
	uint64_t place;
	double made, carried; /* dates */
	unsigned sender;
};
typedef VEC(struct sent) sent_list;

struct writer {
	uint64_t seed;
	struct mk_stp stp;
	struct mk_message message;
	struct counter transport;
	struct sender senders[SENDERS];
	size_t active;
	double now, end;
	double late;	/* ns that sync points are read apart at most */
	double restart; /* of the transport's clock; INFINITY: none */
	double wrap;	/* when it wraps next */
	bool reboots;	/* with all senders but the date */
	bool wrong;	/* some sync points are */
	sent_list *sents;
};

static double
draw(struct writer *w, double low, double high)
{
	return low + (high - low) * random_below(&w->seed, 1u << 30) / (double)(1u << 30);
}

static bool
one_of(struct writer *w, unsigned n)
{
	return random_below(&w->seed, n) == 0;
}

static double
real_hz(const struct counter *c)
{
	return c->hz * (1 + c->drift);
}

static uint64_t
shows(const struct counter *c, double time)
{
	long double ticks =
	    c->start + ((long double)time - c->zero) * (long double)real_hz(c) / 1e9L;
	uint64_t whole = ticks > 0 ? (uint64_t)ticks : 0;
	return c->bits < 64 ? whole & (((uint64_t)1 << c->bits) - 1) : whole;
}

/* ns from one wrap to the next. */
static double
period(const struct counter *c)
{
	return c->bits < 64 ? ldexp(1, (int)c->bits) / real_hz(c) * SECOND : INFINITY;
}

static double
next_wrap(const struct counter *c, double now)
{
	double each = period(c);
	if (!isfinite(each))
		return INFINITY;
	double first = c->zero - c->start / real_hz(c) * SECOND;
	return first + (floor((now - first) / each) + 1) * each;
}

/* The date at TIME, as sender 0 shows it. */
static double
date_at(const struct writer *w, double time)
{
	return (double)(((long double)time - w->senders[0].clock.zero) *
			(1 + (long double)w->senders[0].clock.drift));
}

static void
make_counter(struct writer *w, struct counter *c)
{
	static const double rates[] = {1e6, 10e6, 38.4e6, 100e6, 1e9};
	static const unsigned bits[] = {64, 64, 24, 32, 40};
	do {
		*c = (struct counter){.hz = rates[random_below(&w->seed, 5)],
				      .drift = draw(w, -100e-6, 100e-6),
				      .bits = bits[random_below(&w->seed, 5)]};
	} while (period(c) < 4 * SECOND);
	c->start = floor(draw(w, 0, c->bits < 64 ? ldexp(1, (int)c->bits) : 1e12));
}

static void
make_senders(struct writer *w)
{
	for (size_t i = 0; i < w->active; i++) {
		struct sender *s = &w->senders[i];
		make_counter(w, &s->clock);
		double most = fmin(60 * SECOND, 0.7 * period(&s->clock));
		s->interval = draw(w, 0.2, 1.2) * SECOND;
		s->interval = fmin(s->interval, period(&s->clock) / 6);
		s->interval = fmin(s->interval, period(&w->transport) / 6);
		s->next = i ? draw(w, 0, s->interval) : 0;
		s->patience = one_of(w, 2) ? 0 : one_of(w, 2) ? most : draw(w, 0, most / 10);
		s->restart = one_of(w, 3) ? draw(w, 0.2, 0.8) * w->end : INFINITY;
		s->stamps = !one_of(w, 4);
		s->related = !i || !one_of(w, 5);
	}
	w->senders[0].clock =
	    (struct counter){.hz = 1e9, .drift = draw(w, -100e-6, 100e-6), .bits = 64};
	w->senders[0].restart = INFINITY;
	w->senders[0].stamps = one_of(w, 4); /* which are exact */
}

/* Writes the message at hand of a sender, which was made at MADE. */
static void
write_message(struct writer *w, struct sender *s, double made, double carried)
{
	static uint8_t bytes[MK_MESSAGE_MAX];
	struct mk_message *m = &w->message;
	size_t number = (size_t)(s - w->senders);
	m->module = (uint8_t)(16 + number);
	m->has_time = s->stamps;
	m->time = shows(&s->clock, made);
	if (!number && m->has_time)
		m->time = (uint64_t)((long double)BEGIN + date_at(w, made));
	struct mk_feed feed = {.bytes = bytes,
			       .length = mk_encode(m, bytes),
			       .master = (uint16_t)(1 + number),
			       .channel = (uint16_t)number,
			       .time = shows(&w->transport, carried)};
	while (!feed.sent)
		mk_stp_feed(&w->stp, &feed, &w->seed);
	bool own = s->stamps && s->related;
	*vec_add(w->sents) = (struct sent){.place = (w->stp.position - 1) / 2,
					   .made = date_at(w, own ? made : carried),
					   .carried = date_at(w, carried),
					   .sender = (unsigned)number};
}

static void
write_text(struct writer *w, struct sender *s, double made)
{
	mk_begin(&w->message, MK_STRING, MK_GENERIC, MK_INFO);
	mk_string(&w->message, "text", 4, true);
	write_message(w, s, made, w->now);
}

/* How long no clock steps. */
static double
quiet(const struct writer *w, const struct sender *s)
{
	double next = fmin(fmin(w->restart, w->wrap), w->end);
	return fmin(fmin(next, s->restart), next_wrap(&s->clock, w->now)) - w->now;
}

/* A CLOCK message: the sender's clock was read somewhat before the transport's. */
static void
write_clock(struct writer *w, struct sender *s)
{
	double read = w->now;
	double carried = w->now + draw(w, 0, w->late);
	uint64_t value = shows(&s->clock, read);
	s->points = value < s->last ? 0 : s->points;
	s->last = value;
	bool settled = s->points >= FEWEST_BEFORE_WRONG;
	if (w->wrong && !s->wrong && settled && quiet(w, s) > 16 * s->interval && one_of(w, 20)) {
		s->wrong = 1 + random_below(&w->seed, 4);
		s->wrong_by = draw(w, 0.1, 2) * SECOND * (one_of(w, 2) ? 1 : -1);
		s->points = 0;
	}
	s->points += !s->wrong;
	if (s == w->senders)
		value = (uint64_t)((long double)BEGIN + date_at(w, read));
	if (s->wrong) {
		s->wrong--;
		value += (uint64_t)(int64_t)(s->wrong_by / SECOND * s->clock.hz);
	}
	bool stamps = s->stamps;
	s->stamps = false;
	mk_begin(&w->message, MK_CLOCK, 1, MK_DEBUG);
	mk_clock(&w->message, value, (uint64_t)s->clock.hz);
	write_message(w, s, read, carried);
	s->stamps = stamps;
	w->now = carried;
}

static void
write_rows(struct writer *w)
{
	mk_stp_async(&w->stp);
	mk_stp_freq(&w->stp, (uint32_t)w->transport.hz);
}

static void
flush(struct writer *w, struct sender *s)
{
	for (size_t i = 0; i < s->count; i++) {
		write_text(w, s, s->held[i]);
		w->now += 10000;
	}
	s->count = 0;
}

static void
start_sender(struct writer *w, struct sender *s, bool lost)
{
	if (lost)
		s->count = 0;
	else
		flush(w, s);
	if (s != w->senders) {
		s->clock.zero = w->now;
		s->clock.start = 0;
		s->next = w->now + draw(w, 0.001, 0.5) * s->interval;
	}
	s->points = s->wrong = 0;
	s->restart = INFINITY;
}

static void
start_transport(struct writer *w)
{
	w->transport.zero = w->now;
	w->transport.start = 0;
	w->wrap = next_wrap(&w->transport, w->now);
	w->restart = one_of(w, 2) ? w->now + draw(w, 10, 40) * SECOND : INFINITY;
	for (size_t i = 0; i < w->active; i++) {
		if (w->reboots)
			start_sender(w, &w->senders[i], true);
		w->senders[i].points = w->senders[i].wrong = 0;
	}
	write_rows(w);
}

static void
pass_time(struct writer *w)
{
	w->now += draw(w, 1000, 60e6);
	if (w->now >= w->restart)
		start_transport(w);
	if (w->now >= w->wrap) {
		w->wrap = next_wrap(&w->transport, w->now);
		w->restart = fmax(w->restart, w->now + 2 * SECOND);
		for (size_t i = 0; i < w->active; i++)
			w->senders[i].points = w->senders[i].wrong = 0;
	}
}

static void
write_trace(struct writer *w)
{
	write_rows(w);
	while (w->now < w->end) {
		struct sender *s = &w->senders[random_below(&w->seed, w->active)];
		pass_time(w);
		for (size_t i = 0; i < w->active; i++) {
			struct sender *other = &w->senders[i];
			if (w->now >= other->restart)
				start_sender(w, other, one_of(w, 2));
			if (w->now < other->next)
				continue;
			other->next = w->now + other->interval;
			if (other->related)
				write_clock(w, other);
		}
		if (one_of(w, 200))
			write_rows(w);
		if (s->count && (s->count == HELD || w->now - s->held[0] > s->patience))
			flush(w, s);
		if (s->patience > 0)
			s->held[s->count++] = w->now;
		else
			write_text(w, s, w->now);
	}
	mk_stp_finish(&w->stp);
}

static void
make_trace(uint64_t seed, const char *path, sent_list *all)
{
	struct writer *w = mem_new(sizeof *w);
	w->seed = seed;
	w->sents = all;
	w->end = draw(w, 30, 90) * SECOND;
	make_counter(w, &w->transport);
	w->transport.hz = fmin(w->transport.hz, 100e6); /* that FREQ can say, and wraps are few */
	w->wrap = next_wrap(&w->transport, 0);
	w->active = 1 + random_below(&w->seed, SENDERS);
	w->late = pow(10, draw(w, 1, 6)); /* 10 ns to 1 ms */
	w->restart = one_of(w, 2) ? draw(w, 0.2, 0.8) * w->end : INFINITY;
	w->reboots = one_of(w, 2);
	w->wrong = one_of(w, 2);
	make_senders(w);
	w->stp = (struct mk_stp){.out = mk_out_open(path),
				 .nibbles = MK_LE22,
				 .stamps = MK_NAT,
				 .master = -1,
				 .channel = -1};
	write_trace(w);
	mk_out_close(w->stp.out);
	free(w);
}

/* --- the comparison ----------------------------------------------------- */

struct errors {
	VEC(double) stated, real;
	size_t messages, without, outside;
};

static void
compare_trace(struct trace *trace, const sent_list *sents, unsigned run, struct errors *errors)
{
	struct reader *reader = reader_new(trace);
	struct message m;
	size_t at = 0;
	while (reader_walk(reader, &m, 1)) {
		struct message_time time;
		if (at == sents->count || message_id_offset(&m) != sents->at[at].place)
			continue; /* ASYNC, FREQ */
		const struct sent *sent = &sents->at[at++];
		errors->messages++;
		if (!clocks_time(trace, &m, &time) || !time.wall) {
			errors->without++;
			continue;
		}
		double real = fabs((double)(time.nanoseconds - (int64_t)BEGIN) - sent->made);
		*vec_add(&errors->stated) = time.error;
		*vec_add(&errors->real) = real;
		if (real <= time.error + 1)
			continue;
		if (!errors->outside++ || getenv("TRAWL_RUNS"))
			print_message("run %u, %s, message %zu at %" PRIu64
				      " of sender %u: made %.9f, carried %.9f, off by %.12g ns, "
				      "stated %.12g ns\n",
				      run, trace_name(trace), at - 1, sent->place, sent->sender,
				      sent->made / SECOND, sent->carried / SECOND, real,
				      time.error);
	}
	assert_int_equal(at, sents->count);
	reader_free(reader);
}

static void
compare_session(unsigned run, struct errors *errors)
{
	struct folder folder;
	struct session session = {0};
	struct text profile = {0};
	sent_list sents[TRACES] = {{0}};
	struct err err = {0};
	uint64_t seed = run;
	size_t traces = 2 + random_below(&seed, TRACES - 1);
	folder_make(&folder);
	text_add(&profile, "traces:\n");
	for (size_t i = 0; i < traces; i++) {
		char name[24];
		snprintf(name, sizeof name, "t%zu.stp", i);
		make_trace(random_next(&seed), folder_path(&folder, name), &sents[i]);
		text_addf(&profile, "  - {file: %s, format: syst/stp}\n", name);
	}
	folder_put_text(&folder, "session.yaml", text_get(&profile));
	if (profile_load(folder_path(&folder, "session.yaml"), &session.profile, &err) < 0)
		fail_msg("%s", err.what);
	assert_int_equal(session_open_named(&session, NULL, 0, &err), traces);
	session_link(&session);
	for (size_t i = 0; i < traces; i++)
		trace_build(session.traces.at[i]);
	clocks_load(session.clocks, true);
	for (size_t i = 0; i < traces; i++) {
		compare_trace(session.traces.at[i], &sents[i], run, errors);
		vec_free(&sents[i]);
	}
	session_close(&session);
	text_free(&profile);
	folder_remove(&folder);
}

static int
compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static unsigned
number_of(const char *name, unsigned usual)
{
	const char *number = getenv(name);
	return number ? (unsigned)strtoul(number, NULL, 10) : usual;
}

static void
test_truth(void **state)
{
	unsigned runs = number_of("TRAWL_RUNS", RUNS), first = number_of("TRAWL_FIRST", 0);
	struct errors errors = {0};
	(void)state;
	for (unsigned run = first; run < first + runs; run++)
		compare_session(run, &errors);
	size_t count = errors.stated.count;
	assert_true(count > 0);
	qsort(errors.stated.at, count, sizeof(double), compare_doubles);
	qsort(errors.real.at, count, sizeof(double), compare_doubles);
	double stated = errors.stated.at[count / 2], real = errors.real.at[count / 2];
	if (getenv("TRAWL_RUNS"))
		print_message("%zu messages, %zu without time, %zu outside; median error %g ns, "
			      "stated %g ns\n",
			      errors.messages, errors.without, errors.outside, real, stated);
	assert_int_equal(errors.outside, 0);
	assert_true(errors.without * 50 <= errors.messages);
	assert_true(stated <= 10 * real);
	vec_free(&errors.stated);
	vec_free(&errors.real);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_truth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
