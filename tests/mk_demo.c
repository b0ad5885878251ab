/*
 * The demo capture: a boot that goes wrong, told in SyS-T over STP.
 *
 * A board powers up; ROM, power management, kernel, DMA, mailbox and DSP
 * report; a rail droops, the DSP slows down, a mailbox message gets no answer,
 * the link loses its framing for a moment, the watchdog bites, and the board
 * comes back with an older DSP build, whose catalog gives the same ids other
 * texts.  The story is a list of messages with times; the link sends their
 * packets in order of time, so that channels interleave as they do in life.
 * Catalog and XML come from the formats that the story itself uses.
 */
#include "config.h"

#include "mk_demo.h"
#include "mk_out.h"
#include "mk_stp.h"
#include "mk_syst.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS(array) (sizeof(array) / sizeof *(array))

enum { LINK_HZ = 38400000, DSP_HZ = 19200000, ASYNC_EVERY = 1500 };

/* --- who speaks -------------------------------------------------------- */

enum style { PRINTF32, PRINTF64, CATALOG32, CATALOG64 };
enum who { ROM, PMIC, KERNEL, DMA, MAILBOX, DSP, WATCHDOG, WHO_COUNT };

struct client {
	const char *name;
	uint8_t guid[16]; /* all zero: `module` instead */
	uint8_t module;
	uint16_t unit, master, channel;
	enum style style;
	bool length, crc, stamps; /* what its messages have */
	unsigned pace;		  /* nanoseconds per byte */
	const char *source;	  /* the file its messages come from */
};

static const struct client clients[WHO_COUNT] = {
    [ROM] = {"boot rom",
	     {0x2f, 0x81, 0x6c, 0x0a, 0x5d, 0x90, 0x4e, 0x2b, 0x8c, 0x11, 0x7a, 0x40, 0x9b, 0xe3,
	      0x52, 0x01},
	     0,
	     0,
	     0x01,
	     1,
	     PRINTF32,
	     false,
	     false,
	     false,
	     40,
	     "rom/boot.c"},
    [PMIC] = {"pmic", {0}, 0x21, 2, 0x02, 1, PRINTF32, true, false, false, 25, "pm/rails.c"},
    [KERNEL] = {"kernel",
		{0xa4, 0x0e, 0x77, 0xd1, 0x03, 0xbe, 0x47, 0x65, 0xb2, 0x5f, 0x18, 0xc9, 0x6d, 0x24,
		 0xf0, 0x02},
		0,
		1,
		0x10,
		0x100,
		PRINTF64,
		true,
		false,
		true,
		12,
		"kernel/task.c"},
    [DMA] = {"dma",
	     {0x61, 0xd3, 0x2a, 0x98, 0xee, 0x47, 0x4b, 0x0c, 0x93, 0x7d, 0x05, 0xb6, 0xa1, 0x8f,
	      0x3c, 0x03},
	     0,
	     4,
	     0x10,
	     3,
	     CATALOG32,
	     false,
	     true,
	     true,
	     30,
	     "drivers/dma.c"},
    [MAILBOX] = {"mailbox",
		 {0x95, 0x4b, 0xc0, 0x1e, 0x72, 0xfd, 0x4d, 0x33, 0xa7, 0x06, 0xe8, 0x59, 0x13,
		  0xd4, 0x6b, 0x04},
		 0,
		 0,
		 0x10,
		 4,
		 CATALOG64,
		 true,
		 false,
		 true,
		 30,
		 "ipc/mailbox.c"},
    [DSP] = {"dsp",
	     {0xc8, 0x35, 0xf9, 0x64, 0x1b, 0xa2, 0x42, 0xd7, 0x85, 0xe0, 0x9c, 0x2f, 0x70, 0x4d,
	      0xb1, 0x05},
	     0,
	     0,
	     0x20,
	     0,
	     CATALOG32,
	     true,
	     true,
	     true,
	     45,
	     "dsp/codec.c"},
    [WATCHDOG] = {"watchdog",
		  {0x7b, 0x1c, 0x0d, 0xe5, 0x3f, 0x52, 0x4c, 0x1a, 0x9d, 0x86, 0x52, 0xa1, 0xf0,
		   0x0d, 0xca, 0x75},
		  0,
		  0,
		  0x02,
		  7,
		  PRINTF32,
		  false,
		  false,
		  false,
		  20,
		  "pm/watchdog.c"},
};

/* Short messages of the watchdog: the high byte of the 28 bits says what. */
enum { HEARTBEAT = 0x1000000, BARK = 0x2000000, SHORT_MASK = 0xf000000 };

/* The builds of the DSP: the second one is what recovery falls back to. */
static const struct {
	uint64_t number;
	const char *label;
} builds[] = {{0x0001000400000211, "dsp 1.4.0"}, {0x00010003000901f4, "dsp 1.3.9"}};

/* --- the story as data ------------------------------------------------- */

struct entry {
	enum who who;
	unsigned build;
	uint32_t id;
	unsigned line;
	const char *format;
};

struct event {
	uint64_t time; /* nanoseconds since power-on */
	enum { MESSAGE, ASYNC, NOISE, ERROR, TRIGGER } kind;
	enum who who;
	struct mk_message *message;
	uint8_t *bytes;
	struct mk_feed feed;
};

struct story {
	uint64_t now;	   /* nanoseconds since power-on */
	uint64_t dsp_boot; /* when the clock of the DSP started */
	unsigned build;	   /* which of `builds` runs */
	uint64_t seed;
	size_t event_count, entry_count;
	struct event events[600];
	struct entry entries[80];
	struct mk_format format;
};

static struct event *
add_event(struct story *t, int kind, enum who who)
{
	if (t->event_count == ITEMS(t->events))
		mk_die("the story is too long");
	struct event *e = &t->events[t->event_count++];
	e->time = t->now;
	e->kind = kind;
	e->who = who;
	return e;
}

static void
wait_us(struct story *t, unsigned microseconds)
{
	t->now += microseconds * 1000ull + random_below(&t->seed, 900);
}

static uint64_t
dsp_clock(const struct story *t)
{
	/* 35 ppm fast, which its clock messages give away. */
	return (t->now - t->dsp_boot) * 192 / 10000 * 1000035 / 1000000;
}

/* A message of WHO with the head its messages have; send() ends it. */
static struct mk_message *
begin(struct story *t, enum who who, enum mk_type type, unsigned subtype, enum mk_severity severity)
{
	const struct client *c = &clients[who];
	struct mk_message *m = calloc(1, sizeof *m);
	if (!m)
		mk_die("no memory");
	m->told = true;
	mk_begin(m, type, subtype, severity);
	memcpy(m->guid, c->guid, sizeof m->guid);
	m->has_guid = c->guid[0];
	m->module = c->module;
	m->unit = c->unit;
	m->has_length = c->length;
	m->has_crc = c->crc;
	m->has_time = c->stamps;
	m->time = who == DSP ? dsp_clock(t) : t->now / 1000;
	return m;
}

static void
send(struct story *t, enum who who, struct mk_message *m)
{
	uint8_t bytes[MK_MESSAGE_MAX];
	size_t length = mk_encode(m, bytes);
	struct event *e = add_event(t, MESSAGE, who);
	e->message = m;
	e->bytes = malloc(length);
	if (!e->bytes)
		mk_die("no memory");
	memcpy(e->bytes, bytes, length);
	e->feed = (struct mk_feed){
	    .bytes = e->bytes,
	    .length = length,
	    .master = clients[who].master,
	    .channel = clients[who].channel,
	    .time = t->now * 384 / 10000,
	    .is_short = mk_is_short(m),
	    .mixed = who == DMA,
	};
}

/* The id of FORMAT in the catalog of WHO, entered on first use. */
static const struct entry *
catalog_entry(struct story *t, enum who who, const char *format)
{
	unsigned build = who == DSP ? t->build : 0, count = 0;
	for (size_t i = 0; i < t->entry_count; i++) {
		const struct entry *e = &t->entries[i];
		if (e->who != who || e->build != build)
			continue;
		if (strcmp(e->format, format) == 0)
			return e;
		count++;
	}
	if (t->entry_count == ITEMS(t->entries))
		mk_die("the catalog is too long");
	struct entry *e = &t->entries[t->entry_count++];
	*e = (struct entry){who, build, 0x100u * who + 1 + count, 41 + 17 * count, format};
	return e;
}

__attribute__((format(printf, 4, 0))) static struct mk_message *
words(struct story *t, enum who who, enum mk_severity severity, const char *format, va_list list)
{
	enum style style = clients[who].style;
	bool catalog = style == CATALOG32 || style == CATALOG64;
	bool wide = style == PRINTF64 || style == CATALOG64;
	mk_format_clear(&t->format, wide);
	mk_format_vadd(&t->format, format, list);
	struct mk_message *m;
	if (catalog) {
		m = begin(t, who, MK_CATALOG, mk_catalog_subtype(false, wide), severity);
		mk_catalog(m, catalog_entry(t, who, format)->id, &t->format);
	} else {
		m = begin(t, who, MK_STRING, wide ? MK_PRINTF64 : MK_PRINTF32, severity);
		mk_printf(m, &t->format);
	}
	return m;
}

/* WHO says something, in its way. */
__attribute__((format(printf, 4, 5))) static void
say(struct story *t, enum who who, enum mk_severity severity, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	send(t, who, words(t, who, severity, format, list));
	va_end(list);
}

/* The same from LINE of its source file. */
__attribute__((format(printf, 5, 6))) static void
say_from(struct story *t, enum who who, unsigned line, enum mk_severity severity,
	 const char *format, ...)
{
	va_list list;
	va_start(list, format);
	struct mk_message *m = words(t, who, severity, format, list);
	va_end(list);
	m->has_location = true;
	m->location = (uint64_t)(who + 1) << 32 | line;
	m->file_name = clients[who].source;
	send(t, who, m);
}

static void
say_string(struct story *t, enum who who, unsigned subtype, enum mk_severity severity,
	   const char *text)
{
	struct mk_message *m = begin(t, who, MK_STRING, subtype, severity);
	mk_string(m, text, strlen(text), true);
	send(t, who, m);
}

static void
say_short(struct story *t, uint32_t what, uint32_t value)
{
	struct mk_message *m = begin(t, WATCHDOG, MK_SHORT32, 0, MK_UNASSIGNED);
	mk_short(m, what | value);
	snprintf(m->text, sizeof m->text, what == BARK ? "bark, %u ms to bite" : "heartbeat %u",
		 value);
	send(t, WATCHDOG, m);
}

static void
say_build(struct story *t, enum who who, uint64_t number, const char *label)
{
	struct mk_message *m = begin(t, who, MK_BUILD, MK_BUILD_LONG, MK_INFO);
	mk_build(m, number, label);
	send(t, who, m);
}

static void
say_clock(struct story *t)
{
	struct mk_message *m = begin(t, DSP, MK_CLOCK, 1, MK_UNASSIGNED);
	m->has_time = false;
	mk_clock(m, dsp_clock(t), DSP_HZ);
	send(t, DSP, m);
}

static void
random_bytes(struct story *t, uint8_t *to, size_t length)
{
	while (length--)
		*to++ = (uint8_t)random_next(&t->seed);
}

/* --- the story --------------------------------------------------------- */

static void
rails_up(struct story *t)
{
	static const struct {
		const char *name;
		int millivolts;
	} rails[] = {{"VDD_CORE", 850}, {"VDD_DSP", 800}, {"VDD_IO", 1800}};
	for (size_t i = 0; i < ITEMS(rails); i++) {
		say(t, PMIC, MK_INFO, "rail %s: enable, target %d mV", rails[i].name,
		    rails[i].millivolts);
		for (int step = 1; step <= 4; step++) {
			wait_us(t, 60);
			say(t, PMIC, MK_DEBUG, "rail %s: %d mV", rails[i].name,
			    rails[i].millivolts * step / 4 - (step < 4 ? 7 : 0));
		}
		wait_us(t, 30);
	}
	say(t, PMIC, MK_INFO,
	    "power good, die %.1f \xc2\xb0"
	    "C \xc2\xb1 %.1f",
	    41.5, 0.5);
}

static void
load_image(struct story *t, const char *name, unsigned blocks)
{
	say(t, ROM, MK_INFO, "loading %s, %u blocks of 4 KiB", name, blocks);
	for (unsigned i = 1; i <= blocks; i++) {
		wait_us(t, 190);
		say(t, ROM, MK_DEBUG, "block %2u/%u crc 0x%08x", i, blocks,
		    (unsigned)random_next(&t->seed));
	}
	wait_us(t, 400);
	say(t, ROM, MK_INFO, "%s: signature good", name);
}

static void
boot(struct story *t, unsigned cause, const char *cause_name)
{
	add_event(t, ASYNC, ROM);
	say_build(t, ROM, 0x20001, "boot rom 2.0.1");
	wait_us(t, 20);
	say(t, ROM, cause ? MK_WARNING : MK_INFO, "reset cause 0x%02x (%s)", cause, cause_name);
	wait_us(t, 35);
	uint8_t fuses[48];
	random_bytes(t, fuses, sizeof fuses);
	struct mk_message *m = begin(t, ROM, MK_RAW, 5, MK_DEBUG);
	mk_raw(m, fuses, sizeof fuses);
	m->protocol = "fuse bank";
	send(t, ROM, m);
	wait_us(t, 15);
	rails_up(t);
	load_image(t, builds[t->build].label, t->build ? 6 : 10);
}

static void
start_tasks(struct story *t)
{
	static const char *const tasks[] = {"idle", "console", "ipc", "dma", "audio"};
	say_string(t, KERNEL, MK_ENTER, MK_DEBUG, "kernel_start");
	for (unsigned i = 0; i < ITEMS(tasks); i++) {
		wait_us(t, 22);
		say(t, KERNEL, MK_INFO, "task %u \"%s\" prio %d stack %p", i, tasks[i],
		    i ? 8 - (int)i : 31, (void *)(uintptr_t)(0x20040000 + i * 0x1000));
		if (i == 3)
			say(t, DMA, MK_INFO, "ring at 0x%08x, %u descriptors", 0x40010000, 64);
		if (i == 2)
			say(t, MAILBOX, MK_INFO, "mailbox %u open to %s", 2, "dsp");
	}
	wait_us(t, 12);
	say_string(t, KERNEL, MK_EXIT, MK_DEBUG, "kernel_start");
}

static void
start_dsp(struct story *t)
{
	t->dsp_boot = t->now;
	wait_us(t, 300);
	say_build(t, DSP, builds[t->build].number, builds[t->build].label);
	wait_us(t, 9);
	say_clock(t);
	wait_us(t, 40);
	if (t->build)
		say(t, DSP, MK_WARNING, "safe settings: %u kHz, %u channels", 48u, 2u);
	say(t, DSP, MK_INFO, "codec ready, %u taps", 256u);
	wait_us(t, 15);
	say(t, MAILBOX, MK_INFO, "mailbox %u: %s is alive", 2, "dsp");
}

/* A frame of audio: transfer, request, decoding, answer; SLOW of 1000. */
static void
frame(struct story *t, unsigned number, unsigned slow)
{
	unsigned ack = 180 + 40 * slow / 100 + random_below(&t->seed, 30);
	say(t, DMA, MK_DEBUG, "descriptor %u: %u bytes to 0x%08x", number % 64, 1152u,
	    0x60000000 + number % 8 * 0x480);
	wait_us(t, 2);
	say_from(t, MAILBOX, 118, MK_DEBUG, "mailbox %u: send %s seq %lu", 2, "DECODE",
		 (unsigned long)number);
	wait_us(t, 3);
	say(t, DMA, MK_DEBUG, "descriptor %u done", number % 64);
	wait_us(t, ack / 2);
	say(t, DSP, slow > 400 ? MK_WARNING : MK_DEBUG, "frame %u: %u cycles, load %.1f%%", number,
	    91000 + slow * 160 + random_below(&t->seed, 2000), 38.0 + slow / 18.0);
	wait_us(t, ack / 2);
	say(t, MAILBOX, MK_DEBUG, "mailbox %u: ack seq %lu after %u us", 2, (unsigned long)number,
	    ack);
	wait_us(t, 900);
}

static void
frames(struct story *t, unsigned first, unsigned count, unsigned slow, unsigned slower)
{
	for (unsigned i = first; i < first + count; i++, slow += slower) {
		if (i % 3 == 0)
			say_short(t, HEARTBEAT, i / 3);
		if (i % 8 == 4)
			say_clock(t);
		frame(t, i, slow);
	}
}

static void
droop(struct story *t)
{
	static const int millivolts[] = {788, 771, 749, 742};
	for (unsigned i = 0; i < ITEMS(millivolts); i++) {
		wait_us(t, 35);
		say(t, PMIC, millivolts[i] < 760 ? MK_WARNING : MK_USER1, "rail %s: %d mV%s",
		    "VDD_DSP", millivolts[i], millivolts[i] < 760 ? ", below 760 mV" : "");
	}
	uint8_t samples[64];
	for (unsigned i = 0; i < sizeof samples; i++)
		samples[i] = (uint8_t)(200 - i + random_below(&t->seed, 5));
	struct mk_message *m = begin(t, PMIC, MK_RAW, 3, MK_USER2);
	mk_raw(m, samples, sizeof samples);
	m->protocol = "adc samples";
	send(t, PMIC, m);
	wait_us(t, 50);
	say(t, PMIC, MK_ERROR, "rail %s: regulator %s, phase %d of %d off", "VDD_DSP",
	    "over-current", 2, 3);
}

static void
lost_mailbox(struct story *t, unsigned number)
{
	say_from(t, MAILBOX, 118, MK_DEBUG, "mailbox %u: send %s seq %lu", 2, "DECODE",
		 (unsigned long)number);
	for (unsigned i = 1; i <= 3; i++) {
		wait_us(t, 1800);
		say(t, MAILBOX, MK_WARNING, "mailbox %u: no ack for seq %lu, retry %u of %u", 2,
		    (unsigned long)number, i, 3u);
		say(t, DMA, MK_DEBUG, "descriptor %u busy", number % 64);
		wait_us(t, 40);
		/* its checksum is wrong: the rail is low */
		struct mk_message *m = begin(t, DSP, MK_STRING, MK_GENERIC, MK_ERROR);
		static const char text[] = "ecc: double bit error in bank 3";
		mk_string(m, text, strlen(text), true);
		m->bad_crc = i == 2;
		m->has_location = true;
		m->location_form = 3;
		m->location = 0xffff000000a41c00 + i * 4;
		send(t, DSP, m);
	}
	wait_us(t, 1800);
	say_from(t, MAILBOX, 203, MK_ERROR, "mailbox %u: timeout, seq %lu given up", 2,
		 (unsigned long)number);
	wait_us(t, 15);
	say_string(t, KERNEL, MK_ASSERT, MK_ERROR, "ipc/mailbox.c:211 seq == expected");
	wait_us(t, 8);
	say_string(t, KERNEL, MK_INVPARAM, MK_ERROR, "(null)");
}

static void
watchdog_bites(struct story *t)
{
	say_string(t, KERNEL, MK_ENTER, MK_INFO, "dsp_recover");
	wait_us(t, 60);
	uint8_t registers[128];
	random_bytes(t, registers, sizeof registers);
	struct mk_message *m = begin(t, KERNEL, MK_SBD, 1 << 1 | 3 << 2, MK_ERROR);
	mk_sbd(m, 0xd5b, 0x58000040, "dsp_registers", registers, sizeof registers);
	send(t, KERNEL, m);
	wait_us(t, 25);
	say(t, KERNEL, MK_WARNING, "console: got \"%s\"", "\033[2J\033[31mreboot?\007");
	wait_us(t, 700);
	say(t, KERNEL, MK_ERROR, "%s: no answer from %s, %zu bytes of state saved", "dsp_recover",
	    "dsp", sizeof registers);
	for (unsigned left = 30; left; left -= 10) {
		wait_us(t, 10000);
		say_short(t, BARK, left);
	}
	wait_us(t, 9990);
	say(t, WATCHDOG, MK_FATAL, "bite: task \"%s\" stuck at 0x%08x, resetting", "audio",
	    0x2004412cu);
	wait_us(t, 2);
	add_event(t, TRIGGER, WATCHDOG);
}

static void
tell(struct story *t)
{
	boot(t, 0, "power-on");
	wait_us(t, 250);
	start_tasks(t);
	start_dsp(t);
	frames(t, 1, 14, 0, 0);
	droop(t);
	frames(t, 15, 5, 250, 90);
	lost_mailbox(t, 20);
	wait_us(t, 100);
	say(t, DMA, MK_ERROR, "descriptor %u: bus error 0x%x at 0x%08x", 20u, 0x12u, 0x60000480u);
	wait_us(t, 5);
	say(t, KERNEL, MK_ERROR, "%s: %s does not answer, DMA stopped", "ipc", "dsp");
	t->now += 400; /* in the middle of that */
	add_event(t, NOISE, DMA);
	wait_us(t, 300);
	add_event(t, ERROR, DMA);
	wait_us(t, 10);
	watchdog_bites(t);

	wait_us(t, 24000);
	t->build = 1;
	boot(t, 3, "watchdog");
	wait_us(t, 250);
	start_tasks(t);
	start_dsp(t);
	frames(t, 1, 10, 40, 0);
	say(t, KERNEL, MK_INFO, "back in service after %d ms", (int)(t->now / 1000000));
}

/* --- sending it -------------------------------------------------------- */

struct sending {
	struct mk_stp stp;
	FILE *truth;
	uint64_t seed, next_async;
	bool doubtful;
};

static void
truth_event(struct sending *s, uint64_t start, enum mk_severity severity, const char *type,
	    const uint64_t *time)
{
	struct mk_transport t = {.timed = time, .ticks = time ? *time : 0};
	uint64_t first = start / 2, last = (s->stp.position - 1) / 2;
	mk_truth_other(s->truth, first, last - first + 1, s->doubtful ? "damaged" : "ok", &t,
		       severity, type, "*", "");
}

static void
send_async(struct sending *s)
{
	s->doubtful = false;
	uint64_t start = s->stp.position;
	mk_stp_async(&s->stp);
	truth_event(s, start, MK_DEBUG, "STP:ASYNC", NULL);
	start = s->stp.position;
	mk_stp_freq(&s->stp, LINK_HZ);
	truth_event(s, start, MK_DEBUG, "STP:FREQ", NULL);
	s->next_async = s->stp.out->offset + ASYNC_EVERY;
}

/* Nothing sensible for a while; what was under way is lost. */
static void
send_noise(struct sending *s, struct story *t)
{
	for (int i = 0; i < 90; i++)
		mk_stp_nibble(&s->stp, random_below(&s->seed, 16));
	s->stp.master = s->stp.channel = -1;
	s->doubtful = true;
	for (size_t i = 0; i < t->event_count; i++)
		if (t->events[i].feed.done)
			t->events[i].feed.sent = true;
}

/* What is not a message. */
static void
send_other(struct sending *s, struct story *t, const struct event *e)
{
	uint64_t start = s->stp.position, ticks = e->time * 384 / 10000;
	switch (e->kind) {
	case ASYNC:
		send_async(s);
		break;
	case NOISE:
		send_noise(s, t);
		break;
	case ERROR:
		send_async(s);
		start = s->stp.position;
		mk_stp_event(&s->stp, MK_STP_GERR, 0x21, NULL);
		truth_event(s, start, MK_ERROR, "STP:GERR", NULL);
		break;
	case TRIGGER:
		mk_stp_event(&s->stp, MK_STP_TRIG, 0xb1, &ticks);
		truth_event(s, start, MK_WARNING, "STP:TRIG", &ticks);
		break;
	case MESSAGE:
		break;
	}
}

static void
send_packet(struct sending *s, struct event *e)
{
	mk_stp_feed(&s->stp, &e->feed, &s->seed);
	if (!e->feed.sent)
		return;
	struct mk_transport t = {.timed = true,
				 .ticks = e->feed.time,
				 .addressed = true,
				 .master = e->feed.master,
				 .channel = e->feed.channel};
	uint64_t first = e->feed.start / 2, last = (s->stp.position - 1) / 2;
	mk_truth_message(s->truth, first, last - first + 1, s->doubtful ? "damaged" : "ok", &t,
			 e->message);
}

/* When the next packet of E is due; a channel is busy until its message is
 * sent, so an event waits for the one before it of the same client. */
static uint64_t
due(const struct event *e)
{
	return e->time + e->feed.done * clients[e->who].pace;
}

static bool
finished(const struct event *e)
{
	return e->kind == MESSAGE ? e->feed.sent : e->feed.done;
}

static struct event *
next_event(struct story *t)
{
	bool busy[WHO_COUNT] = {false};
	struct event *best = NULL;
	for (size_t i = 0; i < t->event_count; i++) {
		struct event *e = &t->events[i];
		if (finished(e) || busy[e->who])
			continue;
		if (e->kind == MESSAGE)
			busy[e->who] = true;
		if (!best || due(e) < due(best))
			best = e;
	}
	return best;
}

static void
write_capture(struct story *t, const char *path, FILE *truth)
{
	struct sending s = {.stp = {.out = mk_out_open(path)}, .truth = truth, .seed = 7};
	mk_truth_head(truth);
	for (struct event *e; (e = next_event(t));) {
		if (e->kind != MESSAGE) {
			send_other(&s, t, e);
			e->feed.done = 1;
			continue;
		}
		if (s.stp.out->offset >= s.next_async && !s.doubtful)
			send_async(&s);
		send_packet(&s, e);
	}
	mk_stp_finish(&s.stp);
	mk_out_close(s.stp.out);
}

/* --- profile and collateral -------------------------------------------- */

static void
write_profile(FILE *to)
{
	char guid[40];
	mk_guid_text(clients[WATCHDOG].guid, guid);
	fprintf(to,
		"# A board that loses its DSP: open it with `trawl demo.stp`.\n"
		"traces:\n"
		"  - match: \"demo.stp\"\n"
		"    name: board\n"
		"    format: syst\n"
		"    clock: {hz: %d}\n"
		"    syst:\n"
		"      transport: stp\n"
		"      nibbles: msn\n"
		"      guid: \"%s\"         # who sends short messages\n"
		"      collateral: [demo.xml]\n"
		"      ts_hz: 1000000\n"
		"      ts_epoch: none\n",
		LINK_HZ, guid);
}

static void
write_formats(FILE *to, const struct story *t, enum who who, unsigned build)
{
	bool open = false;
	for (size_t i = 0; i < t->entry_count; i++) {
		const struct entry *e = &t->entries[i];
		if (e->who != who || e->build != build)
			continue;
		if (!open)
			fputs("    <syst:Catalog32>\n", to);
		open = true;
		fprintf(to,
			"      <syst:Format ID=\"0x%x\" File=\"%d\" Line=\"%u\">"
			"<![CDATA[%s]]></syst:Format>\n",
			e->id, who + 1, e->line, e->format);
	}
	if (open)
		fputs("    </syst:Catalog32>\n", to);
}

static void
write_client(FILE *to, const struct story *t, enum who who, unsigned build)
{
	const struct client *c = &clients[who];
	uint8_t by_module[16] = {[7] = c->module};
	char guid[40];
	mk_guid_text(c->guid[0] ? c->guid : by_module, guid);
	fprintf(to,
		"  <syst:Client Name=\"%s\">\n"
		"    <syst:Guids>\n"
		"      <syst:Guid ID=\"%s\">%s</syst:Guid>\n"
		"    </syst:Guids>\n",
		c->name, guid, c->name);
	if (who == DSP)
		fprintf(to,
			"    <syst:Builds>\n"
			"      <syst:Build ID=\"0x%016" PRIx64 "\">%s</syst:Build>\n"
			"    </syst:Builds>\n",
			builds[build].number, builds[build].label);
	fprintf(to,
		"    <syst:SourceFiles>\n"
		"      <syst:File ID=\"%d\"><![CDATA[%s]]></syst:File>\n"
		"    </syst:SourceFiles>\n",
		who + 1, c->source);
	write_formats(to, t, who, build);
	if (who == WATCHDOG)
		fprintf(to,
			"    <syst:Short32>\n"
			"      <syst:Format ID=\"0x%x\" Mask=\"0x%x\">heartbeat %%u</syst:Format>\n"
			"      <syst:Format ID=\"0x%x\" Mask=\"0x%x\">"
			"bark, %%u ms to bite</syst:Format>\n"
			"    </syst:Short32>\n",
			HEARTBEAT, SHORT_MASK, BARK, SHORT_MASK);
	if (who == ROM || who == PMIC)
		fprintf(to,
			"    <syst:Write>\n"
			"      <syst:Protocol ID=\"%d\">%s</syst:Protocol>\n"
			"    </syst:Write>\n",
			who == ROM ? 5 : 3, who == ROM ? "fuse bank" : "adc samples");
	fputs("  </syst:Client>\n", to);
}

static void
write_collateral(FILE *to, const struct story *t)
{
	fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
	      "<syst:Collateral xmlns:syst=\"http://www.mipi.org/1.0/sys-t\">\n",
	      to);
	for (int who = 0; who < WHO_COUNT; who++)
		write_client(to, t, (enum who)who, 0);
	write_client(to, t, DSP, 1);
	fputs("</syst:Collateral>\n", to);
}

void
mk_demo(const char *folder)
{
	struct story *t = calloc(1, sizeof *t);
	if (!t)
		mk_die("no memory");
	t->seed = 20;
	tell(t);

	char path[4096];
	snprintf(path, sizeof path, "%s/demo.stp", folder);
	FILE *truth = mk_text_open(folder, "demo.truth.tsv");
	write_capture(t, path, truth);
	mk_text_close(truth);
	FILE *profile = mk_text_open(folder, "demo.profile.yaml");
	write_profile(profile);
	mk_text_close(profile);
	FILE *collateral = mk_text_open(folder, "demo.xml");
	write_collateral(collateral, t);
	mk_text_close(collateral);

	for (size_t i = 0; i < t->event_count; i++) {
		free(t->events[i].message);
		free(t->events[i].bytes);
	}
	free(t);
}
