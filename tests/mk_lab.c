/*
 * The demo session: a camera that loses a frame, seen by five traces at once.
 *
 * Frames go from a sensor through a RISC-V hub (E-Trace) and DMA to a DSP (OVERLAY
 * words and its log of events) that filters them, and from there to a display;
 * software on the SoC (SyS-T over STP) drives all that, and a safety monitor logs
 * what becomes of each frame (CSEL).  It gets dark; the DSP is told to load its
 * overlay for the night, which takes longer than the mailbox waits; meanwhile no
 * buffer comes free, a frame is lost, and the watchdog restarts the camera.
 *
 * The hub executes a program (mk_hub.c), and ends in an exception as no buffer is free.
 *
 * Each device has a clock of its own, up to 100 ppm off.  Sync points as of
 * mk_session.c tie them, and ties in the profile.  The truth says when everything
 * really happened.
 */
#include "config.h"

#include "mk_device.h"
#include "mk_hub.h"
#include "mk_lab.h"
#include "mk_stp.h"
#include "mk_syst.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BEGIN (UINT64_C(1763719600) * MK_SECOND) /* since 1970 */

enum trace { SOC, DSP, LOG, CAM, HUB, TRACES };
enum who { CAMERA, DMA, MAILBOX, DISPLAY, WATCHDOG, WHO_COUNT };
enum task { IDLE = 0x80010000, FILTER = 0x80010100, LOADER = 0x80010200 };
enum overlay { DAY = 0x80020001, NIGHT = 0x80020002 };
enum stage { EXPOSED = 1, FILTERED, SHOWN };
enum event {
	EVENT_TASK = 3,
	EVENT_OVERLAY = 4,
	EVENT_FRAME = 16,
	EVENT_DONE,
	EVENT_LOAD,
	EVENT_LATE
};
enum { HUB_ID = 3, CALL_COUNTER = 4, BUFFERS_HELD = 2 };
enum { TIES_MAX = 8, FIRST_MODULE = 16, HANDLER_NS = 1400 };

static const struct {
	const char *name, *file;
} traces[TRACES] = {
    [SOC] = {"soc", "lab-soc.stp"},  [DSP] = {"dsp", "lab-dsp.gem"}, [LOG] = {"log", "lab-dsp.uia"},
    [CAM] = {"cam", "lab-cam.csel"}, [HUB] = {"hub", "lab-hub.enc"},
};

static const char *const clients[WHO_COUNT] = {"camera", "dma", "mailbox", "display", "watchdog"};

struct tie {
	uint64_t soc, log, hub;
};

struct lab {
	uint64_t seed, now; /* ns since BEGIN */
	struct mk_clock clocks[TRACES], global;
	struct mk_out *out[TRACES];
	struct mk_stp stp;
	struct mk_logger logger;
	struct mk_sink hub_sink;
	struct mk_hub *hub;
	unsigned group, held; /* groups of the frame's lines; buffers that are in use */
	bool stuck;	      /* and do not come free */
	struct mk_message message;
	struct mk_format format;
	FILE *truth;
	uint32_t serial, stages, task, overlay;
	struct tie ties[TIES_MAX];
	unsigned tie_count;
};

static void
wait_us(struct lab *l, unsigned microseconds)
{
	l->now += microseconds * UINT64_C(1000) + random_below(&l->seed, 900);
}

static uint64_t
ticks(const struct lab *l, enum trace trace)
{
	return mk_clock_reads(&l->clocks[trace], l->now);
}

static void
tell(struct lab *l, enum trace trace, uint64_t place)
{
	fprintf(l->truth, "%s\t%" PRIu64 "\t%" PRIu64 "\n", traces[trace].name, place,
		BEGIN + l->now);
}

/* --- what devices say -------------------------------------------------- */

static void
send_stp(struct lab *l, enum who who)
{
	uint8_t bytes[MK_MESSAGE_MAX];
	struct mk_feed feed = {.bytes = bytes,
			       .length = mk_encode(&l->message, bytes),
			       .master = 1,
			       .channel = (uint16_t)(1 + who),
			       .time = ticks(l, SOC)};
	while (!feed.sent)
		mk_stp_feed(&l->stp, &feed, &l->seed);
	tell(l, SOC, (l->stp.position - 1) / 2);
}

__attribute__((format(printf, 4, 5))) static void
say(struct lab *l, enum who who, enum mk_severity severity, const char *format, ...)
{
	va_list list;
	mk_format_clear(&l->format, false);
	va_start(list, format);
	mk_format_vadd(&l->format, format, list);
	va_end(list);
	mk_begin(&l->message, MK_STRING, MK_PRINTF32, severity);
	l->message.module = (uint8_t)(FIRST_MODULE + who);
	mk_printf(&l->message, &l->format);
	send_stp(l, who);
}

static void
log_event(struct lab *l, enum event id, uint32_t first, uint32_t second)
{
	tell(l, LOG, mk_event(&l->logger, id, ticks(l, LOG), (uint32_t[]){first, second}, 2));
}

static void
log_change(struct lab *l, enum event id, uint32_t old, uint32_t new)
{
	const uint32_t args[] = {0x80004000, 77, old, 0x80004020, new, 0, 0, 0};
	tell(l, LOG, mk_event(&l->logger, id, ticks(l, LOG), args, 8));
}

static void
switch_task(struct lab *l, uint32_t task)
{
	tell(l, DSP, l->out[DSP]->offset);
	mk_word(l->out[DSP], MK_WORD_CONTEXT, l->logger.sequence + 1u, ticks(l, DSP));
	wait_us(l, 1);
	log_change(l, EVENT_TASK, l->task, task);
	l->task = task;
}

/* A pair of words and their event; its first word may be LOST. */
static void
switch_overlay(struct lab *l, uint32_t overlay, bool lost)
{
	if (!lost) {
		tell(l, DSP, l->out[DSP]->offset);
		mk_word(l->out[DSP], MK_WORD_FIRST | 15, overlay >> 8, ticks(l, DSP));
	}
	tell(l, DSP, l->out[DSP]->offset);
	mk_word_second(l->out[DSP], l->logger.sequence + 1u, overlay, ticks(l, DSP));
	wait_us(l, 2);
	log_change(l, EVENT_OVERLAY, l->overlay, overlay);
	l->overlay = overlay;
}

static void
monitor(struct lab *l, enum stage stage)
{
	tell(l, CAM, l->out[CAM]->offset);
	mk_log_event(l->out[CAM], (BEGIN + l->now) / 1000, l->stages++, stage);
}

/* The next packet of the hart, AFTER_NS behind now. */
static void
run_hub(struct lab *l, unsigned after_ns)
{
	tell(l, HUB, l->out[HUB]->offset);
	mk_hub_run(l->hub, mk_clock_reads(&l->clocks[HUB], l->now + after_ns));
}

static void
announce(struct lab *l, enum mk_hart_what what)
{
	tell(l, HUB, l->out[HUB]->offset);
	mk_hub_announce(l->hub, what, ticks(l, HUB));
}

static void
begin_hub_trace(struct lab *l)
{
	announce(l, MK_HART_SYNC);
	announce(l, MK_HART_SUPPORT);
	announce(l, MK_HART_START);
}

/* All clocks are read at one moment. */
static void
synchronise(struct lab *l)
{
	mk_stp_async(&l->stp);
	mk_stp_freq(&l->stp, (uint32_t)l->clocks[SOC].hz);
	mk_begin(&l->message, MK_CLOCK, 1, MK_UNASSIGNED);
	l->message.module = FIRST_MODULE;
	mk_clock(&l->message, BEGIN + l->now, MK_SECOND);
	send_stp(l, CAMERA);

	l->serial++;
	tell(l, DSP, l->out[DSP]->offset);
	mk_word(l->out[DSP], MK_WORD_SYNC, l->serial, ticks(l, DSP));
	tell(l, LOG, l->out[LOG]->offset + 16);
	mk_event_sync(&l->logger, l->serial, ticks(l, LOG), mk_clock_reads(&l->global, l->now),
		      (uint32_t)l->clocks[LOG].hz);
	mk_event_rate(&l->logger, l->serial, ticks(l, LOG), (uint32_t)l->global.hz);

	begin_hub_trace(l);
	if (l->tie_count == TIES_MAX)
		mk_die("too many ties");
	l->ties[l->tie_count++] = (struct tie){ticks(l, SOC), ticks(l, LOG), ticks(l, HUB)};
}

/* --- the story --------------------------------------------------------- */

/* Whether one of the hub's buffers has come free as a frame begins. */
static bool
is_freed(struct lab *l)
{
	if (l->group || l->stuck)
		return false;
	return l->held == BUFFERS_HELD || !++l->held;
}

/* The hub passes lines on: it waited, is interrupted, and waits again. */
static void
pass_lines(struct lab *l, unsigned interrupts)
{
	while (interrupts--) {
		wait_us(l, 1500);
		mk_hub_lines(l->hub, l->group, is_freed(l));
		l->group++;
		run_hub(l, 0);
		wait_us(l, 0);
		run_hub(l, 0);
		wait_us(l, 40);
		run_hub(l, 0);
	}
}

static void
expose(struct lab *l, unsigned number, unsigned lux)
{
	monitor(l, EXPOSED);
	wait_us(l, 5);
	say(l, CAMERA, MK_DEBUG, "frame %u: exposure, %u lx", number, lux);
	l->group = 0;
	pass_lines(l, 4);
}

static void
filter(struct lab *l, unsigned number)
{
	unsigned took = 8000 + random_below(&l->seed, 900);
	say(l, MAILBOX, MK_DEBUG, "send FILTER seq %u", number);
	wait_us(l, 40);
	switch_task(l, FILTER);
	wait_us(l, 3);
	log_event(l, EVENT_FRAME, number, number % 3);
	wait_us(l, took);
	log_event(l, EVENT_DONE, number, took * 1250);
	wait_us(l, 2);
	switch_task(l, IDLE);
	wait_us(l, 35);
	say(l, MAILBOX, MK_DEBUG, "ack seq %u after %u us", number, took + 80);
	monitor(l, FILTERED);
}

static void
frame(struct lab *l, unsigned number, unsigned lux)
{
	uint64_t begun = l->now;
	if (number % 3 == 1)
		synchronise(l);
	wait_us(l, 10);
	expose(l, number, lux);
	say(l, DMA, MK_DEBUG, "frame %u: 1080 lines in buffer %u", number, number % 3);
	wait_us(l, 12);
	filter(l, number);
	wait_us(l, 4000);
	say(l, DISPLAY, MK_INFO, "frame %u: shown", number);
	monitor(l, SHOWN);
	l->now = begun + 33333000;
}

/* The overlay is asked for, and its loader runs. */
static void
begin_loading(struct lab *l)
{
	say(l, CAMERA, MK_INFO, "3 lx: overlay \"night\" wanted");
	wait_us(l, 4);
	say(l, MAILBOX, MK_DEBUG, "send OVERLAY seq %u", 70u);
	wait_us(l, 45);
	switch_task(l, LOADER);
	wait_us(l, 3);
	log_event(l, EVENT_LOAD, NIGHT & 0xff, 96);
}

/* The mailbox gives up before the overlay is there. */
static void
load_overlay(struct lab *l)
{
	begin_loading(l);
	for (unsigned retry = 1; retry <= 2; retry++) {
		pass_lines(l, 6);
		say(l, MAILBOX, MK_WARNING, "no ack for seq %u, retry %u of 2", 70u, retry);
	}
	pass_lines(l, 6);
	say(l, MAILBOX, MK_ERROR, "timeout: seq %u given up after %u us", 70u, 27800u);
	wait_us(l, 500);
	switch_overlay(l, NIGHT, false);
	wait_us(l, 20);
	log_event(l, EVENT_LATE, NIGHT & 0xff, 28400);
	wait_us(l, 2);
	switch_task(l, IDLE);
	wait_us(l, 40);
	say(l, MAILBOX, MK_WARNING, "late ack for seq %u: nobody waits", 70u);
}

/* The overlay is there before the mailbox would have to wait. */
static void
load_in_time(struct lab *l)
{
	begin_loading(l);
	wait_us(l, 8400);
	switch_overlay(l, NIGHT, false);
	wait_us(l, 20);
	switch_task(l, IDLE);
	wait_us(l, 40);
	say(l, MAILBOX, MK_DEBUG, "ack seq %u after %u us", 70u, 8512u);
	wait_us(l, 6000);
}

static void
lose_frame(struct lab *l, unsigned number)
{
	monitor(l, EXPOSED);
	wait_us(l, 5);
	say(l, CAMERA, MK_DEBUG, "frame %u: exposure, %u lx", number, 3u);
	wait_us(l, 900);
	say(l, DMA, MK_ERROR, "frame %u: no free buffer", number);
	wait_us(l, 30);
	mk_hub_lines(l->hub, 0, false);
	for (unsigned i = 0; i < 4; i++)
		run_hub(l, i / 2 * HANDLER_NS);
	wait_us(l, 60);
	say(l, CAMERA, MK_ERROR, "frames %u and %u: lost", number - 1, number);
	l->stages += 4; /* neither is filtered nor shown */
	wait_us(l, 12000);
	say(l, WATCHDOG, MK_WARNING, "bark: no frame for %u ms", 60u);
	wait_us(l, 10000);
	say(l, WATCHDOG, MK_FATAL, "bite: camera restarted");
	wait_us(l, 200);
	tell(l, HUB, l->out[HUB]->offset);
	mk_hub_settle(l->hub, ticks(l, HUB));
	announce(l, MK_HART_END);
	mk_hub_reset(l->hub);
	l->held = 0;
	l->stuck = false;
	begin_hub_trace(l);
	wait_us(l, 300);
	switch_overlay(l, DAY, true);
	wait_us(l, 8000);
	switch_overlay(l, NIGHT, false);
	wait_us(l, 400);
	say(l, CAMERA, MK_INFO, "streaming again, overlay \"night\"");
}

static void
tell_story(struct lab *l, bool good)
{
	static const unsigned lux[] = {412, 410, 405, 388, 207, 60};
	say(l, CAMERA, MK_INFO, "streaming 1080 lines, 30 frames/s");
	wait_us(l, 100);
	switch_overlay(l, DAY, false);
	wait_us(l, 300);
	for (unsigned i = 0; i < 6; i++)
		frame(l, 1 + i, lux[i]);
	synchronise(l);
	wait_us(l, 10);
	if (good) {
		load_in_time(l);
		frame(l, 7, 3);
		frame(l, 8, 3);
	} else {
		l->stuck = true;
		expose(l, 7, 3);
		load_overlay(l);
		wait_us(l, 1200);
		lose_frame(l, 8);
	}
	for (unsigned i = 0; i < 5; i++)
		frame(l, 9 + i, 3);
	synchronise(l);
	say(l, CAMERA, MK_INFO, "%u frames shown, %u lost", good ? 13u : 11u, good ? 0u : 2u);
}

/* --- files ------------------------------------------------------------- */

static void
write_profile(const struct lab *l, FILE *file)
{
	fputs("# A camera that loses a frame, by five traces: trawl lab.yaml\n"
	      "traces:\n"
	      "  - {file: lab-soc.stp, name: soc, format: syst/stp}\n"
	      "  - {file: lab-dsp.gem, name: dsp, format: gem, gem: {record_size: 12, "
	      "timestamp_offset: 4, timestamp_width: 8}}\n"
	      "  - file: lab-dsp.uia\n"
	      "    name: log\n"
	      "    format: uia\n"
	      "    uia:\n"
	      "      events:\n"
	      "        - {id: 1, name: syncPoint}\n"
	      "        - {id: 2, name: globalTimerFreq}\n"
	      "        - {id: 3, name: threadCtxChg}\n"
	      "        - {id: 4, name: userCtxChg}\n"
	      "        - {id: 16, name: frame, format: \"frame %u: filter, buffer %u\"}\n"
	      "        - {id: 17, name: done, format: \"frame %u: done, %u cycles\"}\n"
	      "        - {id: 18, name: load, format: \"overlay %u: loading %u KiB\"}\n"
	      "        - {id: 19, name: late, severity: WARNING, "
	      "format: \"overlay %u: in after %u us\"}\n"
	      "  - {file: lab-cam.csel, name: cam, format: csel}\n",
	      file);
	fprintf(file,
		"  - {file: lab-hub.enc, name: hub, format: encap, clock: {hz: %" PRIu64 "},\n"
		"     encap: {srcid_width: 8, timestamp_bytes: 8, "
		"sources: [{id: %d, name: hart 0}]},\n"
		"     etrace: {call_counter_size: %d}}\n"
		"symbols:\n"
		"  - {file: lab-hub.elf, applies_to: hub, optional: true}\n"
		"origins:\n",
		l->clocks[HUB].hz, HUB_ID, CALL_COUNTER);
	for (int i = 0; i < WHO_COUNT; i++)
		fprintf(file, "  - {trace: soc, module: %d, name: %s}\n", FIRST_MODULE + i,
			clients[i]);
	fprintf(file,
		"contexts:\n"
		"  - name: overlay\n"
		"    from: {format: gem, type: second, ctx_name: User}\n"
		"    field: data\n"
		"    applies_to: [log]\n"
		"    values: [{value: 0x%x, name: day}, {value: 0x%x, name: night}]\n"
		"  - name: overlay\n"
		"    from: {format: gem, type: second}\n"
		"    field: recovered_data\n"
		"    applies_to: [log]\n"
		"  - name: task\n"
		"    from: {format: uia, name: threadCtxChg}\n"
		"    field: new\n"
		"    applies_to: [dsp]\n"
		"    values: [{value: 0x%x, name: idle}, {value: 0x%x, name: filter},\n"
		"             {value: 0x%x, name: loader}]\n"
		"  - {name: privilege, from: {format: encap}, field: privilege}\n"
		"intervals:\n"
		"  - {name: mailbox, begin: 'text ~ /^send/', end: 'text ~ /^(late )?ack/',\n"
		"     key: seq}\n"
		"sync:\n"
		"  - {kind: serial, gem: dsp, uia: log}\n",
		DAY, NIGHT, IDLE, FILTER, LOADER);
	for (unsigned i = 0; i < l->tie_count; i++)
		fprintf(file,
			"  - {kind: tie, a: {trace: soc, ticks: %" PRIu64
			"}, b: {trace: log, ticks: %" PRIu64 "}}\n"
			"  - {kind: tie, a: {trace: soc, ticks: %" PRIu64
			"}, b: {trace: hub, ticks: %" PRIu64 "}}\n",
			l->ties[i].soc, l->ties[i].log, l->ties[i].soc, l->ties[i].hub);
}

/* The firmware of the hub is made by tests/hub/build, and stands in the source tree. */
static void
copy_program(const char *folder, char path[4096])
{
	static const char program[] = TESTDATA "/lab-hub.elf";
	struct stat from, to;
	char bytes[4096];
	snprintf(path, 4096, "%s/lab-hub.elf", folder);
	if (stat(program, &from))
		mk_die("%s: %s", program, strerror(errno));
	if (!stat(path, &to) && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
		return;
	FILE *in = fopen(program, "rb"), *out = mk_text_open(folder, "lab-hub.elf");
	for (size_t got; in && (got = fread(bytes, 1, sizeof bytes, in)) > 0;)
		fwrite(bytes, 1, got, out);
	if (!in || fclose(in))
		mk_die("%s: %s", program, strerror(errno));
	mk_text_close(out);
}

static void
open_all(struct lab *l, const char *folder)
{
	static char paths[TRACES][4096]; /* which they keep */
	char program[4096];
	static const struct mk_encap_plan hub = {.srcid_width = 8,
						 .timestamp_bytes = 8,
						 .sources = 1,
						 .seed = 5,
						 .call_counter = CALL_COUNTER};
	for (int i = 0; i < TRACES; i++) {
		snprintf(paths[i], sizeof paths[i], "%s/%s", folder, traces[i].file);
		l->out[i] = mk_out_open(paths[i]);
	}
	l->truth = mk_text_open(folder, "lab.truth.tsv");
	l->clocks[SOC] = (struct mk_clock){38400000, 1000000, 60};
	l->clocks[LOG] = (struct mk_clock){1250000000, UINT64_C(77) << 32, -80};
	l->clocks[DSP] = l->clocks[LOG];
	l->clocks[HUB] = (struct mk_clock){50000000, UINT64_C(3) << 32, 100};
	l->global = (struct mk_clock){100000000, UINT64_C(5) << 32, 20};
	l->stp = (struct mk_stp){.out = l->out[SOC], .master = -1, .channel = -1};
	l->logger.out = l->out[LOG];
	l->hub_sink.out = l->out[HUB];
	copy_program(folder, program);
	l->hub = mk_hub_new(program, &hub, &l->hub_sink, HUB_ID);
	l->task = IDLE;
	l->overlay = DAY;
	mk_log_head(l->out[CAM], "camera frames", &l->seed, BEGIN / 1000);
	synchronise(l);
}

void
mk_lab(const char *folder, bool good)
{
	static struct lab l;
	l = (struct lab){.seed = 11};
	open_all(&l, folder);
	tell_story(&l, good);
	mk_log_end(l.out[CAM], (BEGIN + l.now) / 1000);
	mk_stp_finish(&l.stp);
	mk_hub_free(l.hub);
	for (int i = 0; i < TRACES; i++)
		mk_out_close(l.out[i]);
	mk_text_close(l.truth);
	FILE *profile = mk_text_open(folder, "lab.yaml");
	write_profile(&l, profile);
	mk_text_close(profile);
}
