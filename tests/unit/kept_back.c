/* Captures whose senders keep messages back: see kept_back.h. */
#include "config.h"

#include "test.h"

#include "base/vec.h"
#include "kept_back.h"
#include "mk_stp.h"
#include "mk_syst.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEP_US = 10000, SPAN_US = 8000000 /* within CLOCKS_OWN_APART */ };

struct writer {
	struct mk_stp stp;
	struct mk_message message;
	uint64_t seed;
	uint64_t now; /* us, of the transport */
};

/* Sends the message at hand, which SENDER made at MADE by its own clock. */
static void
send(struct writer *w, unsigned sender, uint64_t made)
{
	static uint8_t bytes[MK_MESSAGE_MAX];
	w->message.module = (uint8_t)(16 + sender);
	w->message.has_time = true;
	w->message.time = made + 5000000 * sender;
	struct mk_feed feed = {.bytes = bytes,
			       .length = mk_encode(&w->message, bytes),
			       .master = (uint16_t)(1 + sender),
			       .time = w->now};
	while (!feed.sent)
		mk_stp_feed(&w->stp, &feed, &w->seed);
	w->now += 10;
}

static void
send_text(struct writer *w, unsigned sender, unsigned number, uint64_t made)
{
	char text[32];
	int length = snprintf(text, sizeof text, "%s %02u.", sender ? "kept" : "sent", number);
	mk_begin(&w->message, MK_STRING, MK_GENERIC, number % 10 ? MK_INFO : MK_ERROR);
	mk_string(&w->message, text, (size_t)length, false);
	send(w, sender, made);
}

static void
send_clocks(struct writer *w, unsigned senders)
{
	for (unsigned sender = 0; sender < senders; sender++) {
		mk_begin(&w->message, MK_CLOCK, 1, MK_DEBUG);
		mk_clock(&w->message, w->now + 5000000 * sender, 1000000);
		send(w, sender, w->now);
	}
}

static struct writer *
open_capture(const char *path)
{
	struct writer *w = mem_new(sizeof *w);
	w->stp = (struct mk_stp){.out = mk_out_open(path),
				 .nibbles = MK_LE22,
				 .stamps = MK_NAT,
				 .master = -1,
				 .channel = -1};
	mk_stp_async(&w->stp);
	mk_stp_freq(&w->stp, 1000000);
	w->now = 1000;
	return w;
}

static void
close_capture(struct writer *w)
{
	mk_stp_finish(&w->stp);
	mk_out_close(w->stp.out);
	free(w);
}

void
kept_back_write(const char *path, unsigned pairs)
{
	struct writer *w = open_capture(path);
	unsigned step = SPAN_US / pairs < STEP_US ? SPAN_US / pairs : STEP_US;
	send_clocks(w, 2);
	for (unsigned i = 0; i < pairs; i++) {
		w->now = 2000 + i * step;
		send_text(w, 0, i, w->now);
	}
	w->now = 2000 + pairs * step;
	for (unsigned i = 0; i < pairs; i++)
		send_text(w, 1, i, 2000 + i * step + step / 2);
	send_clocks(w, 2);
	close_capture(w);
}

void
kept_back_write_many(const char *path, unsigned senders)
{
	struct writer *w = open_capture(path);
	send_clocks(w, senders);
	uint64_t begin = w->now;
	for (unsigned i = 0; i < senders; i++)
		send_text(w, i, i, w->now);
	w->now += STEP_US;
	for (unsigned i = senders; i-- > 0;)
		send_text(w, i, i, begin + 5 + i * 10);
	send_clocks(w, senders);
	close_capture(w);
}
