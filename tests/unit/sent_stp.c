/*
 * SyS-T over STP: clients that have clocks of their own, which drift and start again, keep
 * messages back, or say no time.
 */
#include "config.h"

#include "sent.h"

#include "mk_stp.h"
#include "mk_syst.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

#define SECOND SENT_SECOND

enum {
	CLIENTS = SENT_CLOCKS - 1,
	HELD_MAX = 4096 /* messages that a client keeps back */
};

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
	return w->one ? (uint64_t)(SENT_BEGIN + time) : ticks_at(c->true_hz, time - c->zero);
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
	struct sent row = {.severity = MK_DEBUG};
	row.place = stp->position / 2;
	mk_stp_async(stp);
	*vec_add(w->sents) = row;
	row.place = stp->position / 2;
	mk_stp_freq(stp, (uint32_t)w->hz);
	*vec_add(w->sents) = row;
}

/* Writes the message at hand of a client, which was made at MADE and has WORD in it. */
static void
write_message(struct writer *w, const struct client *c, int64_t made, unsigned word)
{
	static uint8_t bytes[MK_MESSAGE_MAX];
	struct mk_message *m = &w->message;
	m->module = c->module;
	m->has_time = c->stamps;
	m->time = client_shows(w, c, made);
	bool own = m->has_time && c->related && w->now - made < SENT_APART;
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
					   .sender = 1 + (unsigned)(c - w->clients),
					   .severity = m->severity,
					   .word = word};
}

static void
write_text(struct writer *w, const struct client *c, int64_t made)
{
	char text[256];
	size_t length = 1 + below(w, sizeof text - 1);
	unsigned word = below(w, SENT_WORDS + 1);
	size_t letters = word ? strlen(sent_words[word - 1]) : 0;
	memset(text, 'x', sizeof text);
	if (length < letters)
		word = 0;
	else if (word)
		memcpy(text + length - letters, sent_words[word - 1], letters);
	mk_begin(&w->message, MK_STRING, MK_GENERIC, (enum mk_severity)(1 + below(w, 7)));
	mk_string(&w->message, text, length, false);
	write_message(w, c, made, word);
}

static void
write_clock(struct writer *w, const struct client *c)
{
	if (!c->tells_clock)
		return;
	mk_begin(&w->message, MK_CLOCK, 1, MK_DEBUG);
	mk_clock(&w->message, ticks_at(c->true_hz, w->now - c->zero), (uint64_t)c->hz);
	write_message(w, c, w->now, 0);
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
	if (!c->tells_clock || w->one)
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
				     .patience = below(w, 2) ? (1 + below(w, 3)) * SECOND : 0};
		c->true_hz = c->hz * (1 + ((double)below(w, 200) - 100) * 1e-6);
	}
	/* the last has the clock of its master */
	struct client *last = &w->clients[CLIENTS - 1], *first = &w->clients[1];
	last->master = first->master;
	last->hz = first->hz;
	last->true_hz = first->true_hz;
	last->zero = first->zero;
	if (plan % 5 == 3) /* too far away at times */
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
	w->clients[0].zero = -SENT_BEGIN;
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

static void
write_stp(const struct sent_plan *plan, const char *path, sents *all, struct sent_profile *profile)
{
	struct writer *w = mem_new(sizeof *w);
	w->seed = plan->seed;
	w->dated = plan->dated;
	w->one = plan->one;
	w->hz = 10e6;
	w->sents = all;
	w->now = (int64_t)plan->number * 1234567;
	w->stp = (struct mk_stp){.out = mk_out_open(path),
				 .nibbles = MK_LE22,
				 .stamps = MK_NAT,
				 .master = -1,
				 .channel = -1};
	write_capture(w, plan->count, plan->plan);
	mk_out_close(w->stp.out);
	free(w);
	if (plan->one)
		text_add(&profile->trace, ", syst: {ts_epoch: nanoseconds}");
}

const struct sent_format sent_stp = {
    .name = "stp", .wall = true, .near = 20000, .write = write_stp};
