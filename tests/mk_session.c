/*
 * Time passes in nanoseconds; at each step one of the traces gets a message,
 * with what its own clock shows at that moment.  Clocks are off by a constant
 * part of a million each.  Now and then all are tied: the STP streams by a
 * CLOCK message with the wall clock, the words of a processor to its log by
 * their numbers, its clock to the global time by a sync point, and that to the
 * STP stream by ties in the profile.  What is read for that comes early or late
 * by the jitter.
 *
 * A message is at the place of its last byte in STP, at its first elsewhere;
 * the truth says that place.
 */
#include "config.h"

#include "mk_device.h"
#include "mk_gem.h"
#include "mk_session.h"
#include "mk_sink.h"
#include "mk_stp.h"
#include "session/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN (UINT64_C(1763719600) * MK_SECOND) /* of everything, since 1970 */

enum { SOC, AUX, GEM, UIA, CAM, TRACES, TIES = 8 };
enum { CLOCK_MESSAGE = 1, EVENT_TASK = 4, CONTEXT_USER = 15, CONTEXT_GLOBAL = 14 };

static const char *const names[TRACES] = {"soc.stp", "aux.stp", "dsp.gem", "dsp.uia", "cam.csel"};

struct system {
	const struct mk_session_plan *plan;
	uint64_t seed, now; /* ns since BEGIN */
	struct mk_clock clocks[TRACES];
	struct mk_clock global;
	struct mk_out *out[TRACES];
	struct mk_stp stp[2];
	struct mk_message message;
	FILE *truth, *contexts;
	uint32_t serial, cam_sequence, task;
	struct mk_logger logger;
	struct {
		uint64_t soc, dsp;
	} ties[TIES];
	unsigned tie_count;
};

static double
share(struct system *s)
{
	return (double)(random_next(&s->seed) >> 11) * 0x1p-53;
}

static bool
is_lost(struct system *s)
{
	return share(s) < s->plan->loss;
}

/* The moment at which something is read that should be read now. */
static uint64_t
about_now(struct system *s)
{
	int64_t off = (int64_t)((2 * share(s) - 1) * (double)s->plan->jitter);
	return (int64_t)s->now + off > 0 ? (uint64_t)((int64_t)s->now + off) : 0;
}

static void
tell(struct system *s, unsigned trace, uint64_t place)
{
	fprintf(s->truth, "%s\t%" PRIu64 "\t%" PRIu64 "\n", names[trace], place, BEGIN + s->now);
}

/* --- traces ------------------------------------------------------------ */

static void
send_stp(struct system *s, unsigned trace)
{
	struct mk_stp *stp = &s->stp[trace];
	uint8_t bytes[MK_MESSAGE_MAX];
	struct mk_feed feed = {.bytes = bytes,
			       .length = mk_encode(&s->message, bytes),
			       .master = 1,
			       .channel = (uint16_t)(1 + trace),
			       .time = mk_clock_reads(&s->clocks[trace], s->now)};
	if (random_below(&s->seed, 50) == 0) {
		mk_stp_async(stp);
		mk_stp_freq(stp, (uint32_t)s->clocks[trace].hz);
	}
	while (!feed.sent)
		mk_stp_feed(stp, &feed, &s->seed);
	tell(s, trace, (stp->position - 1) / 2);
}

static void
send_text(struct system *s, unsigned trace)
{
	char text[64];
	int length = snprintf(text, sizeof text, "something at %" PRIu64, s->now);
	mk_begin(&s->message, MK_STRING, MK_GENERIC, MK_INFO);
	s->message.module = 7;
	mk_string(&s->message, text, (size_t)length, true);
	send_stp(s, trace);
}

static void
send_clock(struct system *s, unsigned trace)
{
	mk_begin(&s->message, MK_CLOCK, CLOCK_MESSAGE, MK_UNASSIGNED);
	s->message.module = 7;
	mk_clock(&s->message, BEGIN + about_now(s), MK_SECOND);
	send_stp(s, trace);
}

static void
send_word(struct system *s, unsigned type, uint32_t value)
{
	tell(s, GEM, s->out[GEM]->offset);
	mk_word(s->out[GEM], type, value, mk_clock_reads(&s->clocks[GEM], s->now));
}

/* An event, in the packet that mk_event puts around it. */
static void
tell_event(struct system *s)
{
	tell(s, UIA, s->out[UIA]->offset + 16);
}

/* A value in two words. */
static void
send_pair(struct system *s, unsigned context, uint32_t value)
{
	send_word(s, MK_WORD_FIRST | context, value >> 8);
	tell(s, GEM, s->out[GEM]->offset);
	mk_word_second(s->out[GEM], s->logger.sequence + 1u, value,
		       mk_clock_reads(&s->clocks[GEM], s->now));
}

static void
switch_task(struct system *s)
{
	uint32_t task = 0x80010000u + random_below(&s->seed, 1000);
	send_pair(s, CONTEXT_USER, task);
	fprintf(s->contexts, "%" PRIu64 "\t%" PRIu32 "\n", BEGIN + s->now, task);
	tell_event(s);
	mk_event(&s->logger, EVENT_TASK, mk_clock_reads(&s->clocks[UIA], s->now),
		 (uint32_t[]){0x80004000, 77, s->task, 0x80004020, task, 0, 0, 0}, 8);
	s->task = task;
}

static void
send_sync(struct system *s)
{
	uint64_t cpu = mk_clock_reads(&s->clocks[UIA], s->now);
	uint64_t global = mk_clock_reads(&s->global, about_now(s));
	s->serial++;
	bool numbered = !s->plan->global || s->serial <= 2;
	if (!is_lost(s) && numbered)
		send_word(s, MK_WORD_SYNC, s->serial);
	else if (!numbered)
		send_pair(s, CONTEXT_GLOBAL, (uint32_t)global);
	if (!is_lost(s)) {
		tell_event(s);
		mk_event_sync(&s->logger, s->serial, cpu, global, (uint32_t)s->clocks[UIA].hz);
	}
	tell_event(s);
	mk_event_rate(&s->logger, s->serial, cpu, (uint32_t)s->global.hz);
}

static void
send_mark(struct system *s)
{
	tell_event(s);
	mk_event(&s->logger, 6, mk_clock_reads(&s->clocks[UIA], s->now),
		 (uint32_t[]){1, random_below(&s->seed, 100)}, 2);
}

static void
send_cam(struct system *s)
{
	uint32_t sequence = s->cam_sequence++;
	tell(s, CAM, s->out[CAM]->offset);
	mk_log_event(s->out[CAM], (BEGIN + s->now) / 1000, sequence, s->cam_sequence % 5);
}

/* --- the system -------------------------------------------------------- */

static void
send_something(struct system *s)
{
	unsigned trace = random_below(&s->seed, TRACES);
	if (is_lost(s))
		return;
	if (s->plan->contexts && random_below(&s->seed, 20) == 0)
		switch_task(s);
	else if (trace == SOC || trace == AUX)
		send_text(s, trace);
	else if (trace == GEM)
		send_word(s, 4 + random_below(&s->seed, 20), random_below(&s->seed, 1 << 24));
	else if (trace == UIA)
		send_mark(s);
	else
		send_cam(s);
}

static void
tie(struct system *s)
{
	send_sync(s);
	for (unsigned trace = SOC; trace <= AUX; trace++)
		if (!is_lost(s))
			send_clock(s, trace);
	if (s->tie_count < TIES) {
		s->ties[s->tie_count].soc = mk_clock_reads(&s->clocks[SOC], s->now);
		s->ties[s->tie_count++].dsp = mk_clock_reads(&s->clocks[UIA], about_now(s));
	}
}

static struct mk_clock
new_clock(struct system *s, uint64_t hz, uint64_t start)
{
	return (struct mk_clock){hz, start, (2 * share(s) - 1) * s->plan->drift};
}

static void
write_profile(const struct system *s, const char *folder)
{
	FILE *file = mk_text_open(folder, "session.yaml");
	fputs("traces:\n"
	      "  - {file: soc.stp, format: syst/stp}\n"
	      "  - {file: aux.stp, format: syst/stp}\n"
	      "  - {file: dsp.gem, format: gem, gem: {record_size: 12, timestamp_offset: 4, "
	      "timestamp_width: 8}}\n"
	      "  - file: dsp.uia\n"
	      "    format: uia\n"
	      "    uia:\n"
	      "      events:\n" MK_UIA_EVENTS "  - {file: cam.csel, format: csel}\n",
	      file);
	if (s->plan->contexts)
		fputs("contexts:\n"
		      "  - {name: task, from: {format: gem, type: second, ctx_name: User}, field: "
		      "data, "
		      "applies_to: [soc.stp, cam.csel]}\n",
		      file);
	fputs("sync:\n", file);
	for (unsigned i = 0; i < s->tie_count; i++)
		fprintf(file,
			"  - {kind: tie, a: {trace: soc.stp, ticks: %" PRIu64
			"}, b: {trace: dsp.uia, ticks: %" PRIu64 "}}\n",
			s->ties[i].soc, s->ties[i].dsp);
	mk_text_close(file);
}

static void
open_all(struct system *s, const char *folder)
{
	char path[4096];
	for (unsigned i = 0; i < TRACES; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		s->out[i] = mk_out_open(path);
	}
	s->truth = mk_text_open(folder, "session.truth.tsv");
	s->contexts = mk_text_open(folder, "session.contexts.tsv");
	s->clocks[SOC] = new_clock(s, 19200000, 1000);
	s->clocks[AUX] = new_clock(s, 60000000, UINT64_C(1) << 40);
	s->clocks[UIA] = new_clock(s, 1250000000, UINT64_C(77) << 32);
	s->clocks[GEM] = s->clocks[UIA];
	s->global = new_clock(s, 100000000, UINT64_C(5) << 32);
	for (unsigned i = SOC; i <= AUX; i++) {
		s->stp[i] = (struct mk_stp){.out = s->out[i], .master = -1, .channel = -1};
		mk_stp_async(&s->stp[i]);
		mk_stp_freq(&s->stp[i], (uint32_t)s->clocks[i].hz);
	}
	s->logger.out = s->out[UIA];
	mk_log_head(s->out[CAM], "cam", &s->seed, BEGIN / 1000);
}

void
mk_session(const char *folder, const struct mk_session_plan *plan)
{
	static struct system s;
	s = (struct system){.plan = plan, .seed = plan->seed};
	open_all(&s, folder);
	uint64_t next = 0, every = plan->sync * (MK_SECOND / 1000), synced = 0;
	for (uint64_t made = 0; made < plan->count; made++) {
		s.now += 1 + random_below(&s.seed, 200000);
		if (s.now >= next && (every || synced < 2)) {
			tie(&s);
			synced++;
			next = s.now + (every ? every : MK_SECOND / 10);
		} else {
			send_something(&s);
		}
	}
	for (unsigned i = SOC; i <= AUX; i++)
		mk_stp_finish(&s.stp[i]);
	for (unsigned i = 0; i < TRACES; i++)
		mk_out_close(s.out[i]);
	write_profile(&s, folder);
	mk_text_close(s.truth);
	mk_text_close(s.contexts);
}
