/*
 * One story for all formats whose messages have one time stamp: senders that keep messages
 * back, clocks that are put back, messages without a time.  A format writes each message as
 * it can.
 */
#include "config.h"

#include "sent.h"

#include "decode/coresight/opencsd_library.h"
#include "encap_tool.h"
#include "mk_stp.h"
#include "mk_syst.h"
#include "random.h"
#include "uia_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SENDERS = 4, HELD = 256, TEXT_MAX = 80 };

const char *const sent_words[SENT_WORDS] = {"quartz", "marble", "basalt", "slate"};

/* --- the story --------------------------------------------------------- */

struct sender {
	uint64_t hz;	  /* of its own clock, which the profile tells; 0: the story's */
	int64_t patience; /* ns that it keeps messages back at most; 0: none */
	int64_t back;	  /* ns that its clock was put back in all */
	int64_t held[HELD];
	size_t count;
};

struct story {
	const struct sent_plan *plan;
	uint64_t seed;
	uint64_t hz; /* of time stamps; a second is a whole number of them, as a tick of ns */
	int64_t now; /* ns */
	bool steady; /* no clock is put back */
	struct sender senders[SENDERS];
	sents *sents;
	struct mk_out *out;
	struct mk_message message;
	void *own; /* the format's */
};

static unsigned
below(struct story *s, size_t n)
{
	return random_below(&s->seed, n);
}

/* A time as the session has it. */
static int64_t
as_session(const struct story *s, int64_t time)
{
	return time + (s->plan->dated ? SENT_BEGIN : 0);
}

static uint64_t
as_ticks(const struct story *s, int64_t time)
{
	return (uint64_t)time / ((uint64_t)SENT_SECOND / s->hz);
}

/* The message that begins here, of SENDER (from 1, 0: nobody) at TIME. */
static struct sent *
add_sent(struct story *s, unsigned sender, bool timed, int64_t time)
{
	struct sent *sent = vec_add(s->sents);
	*sent = (struct sent){.place = s->out->offset,
			      .timed = timed,
			      .made = timed ? as_session(s, time) : 0,
			      .carried = timed ? as_session(s, time) : 0,
			      .sender = sender,
			      .severity = SENT_ANY};
	return sent;
}

/* Some text, of which WORD is one (0: none). */
static void
make_text(struct story *s, unsigned *word, char *text)
{
	*word = below(s, SENT_WORDS + 1);
	snprintf(text, TEXT_MAX, "%u %s %u", below(s, 1000), *word ? sent_words[*word - 1] : "-",
		 below(s, 1000));
}

/* Writes a message of SENDER (from 0) of TIME, if it is TIMED. */
typedef void writer(struct story *, unsigned sender, bool timed, int64_t time);

static void
flush(struct story *s, unsigned number, writer *write)
{
	struct sender *sender = &s->senders[number];
	for (size_t i = 0; i < sender->count; i++)
		write(s, number, below(s, 12) > 0, sender->held[i]);
	sender->count = 0;
}

static void
tell(struct story *s, writer *write)
{
	int64_t tick = SENT_SECOND / (int64_t)s->hz;
	for (unsigned i = 0; i < s->plan->count; i++) {
		unsigned number = below(s, SENDERS);
		struct sender *sender = &s->senders[number];
		s->now += (1 + below(s, i % 512 ? 10000000 : 2000000000)) / tick * tick;
		if (!s->steady && below(s, s->plan->count) < 3) {
			flush(s, number, write);
			sender->back += below(s, 3) * (SENT_SECOND / 2);
		}
		int64_t made = s->now - sender->back;
		if (sender->count &&
		    (sender->count == HELD || made - sender->held[0] > sender->patience))
			flush(s, number, write);
		if (sender->patience)
			sender->held[sender->count++] = made;
		else
			write(s, number, below(s, 12) > 0, made);
	}
	for (unsigned i = 0; i < SENDERS; i++)
		flush(s, i, write);
}

static struct story *
begin(const struct sent_plan *plan, const char *path, sents *all, uint64_t hz)
{
	struct story *s = mem_new(sizeof *s);
	s->plan = plan;
	s->seed = plan->seed;
	s->hz = hz;
	s->now = 10 * SENT_SECOND + (int64_t)plan->number * 1234000;
	s->sents = all;
	s->out = mk_out_open(path);
	for (unsigned i = 0; i < SENDERS; i++)
		s->senders[i].patience = below(s, 2) * (1 + below(s, 3)) * (SENT_SECOND / 4);
	return s;
}

static void
finish(struct story *s)
{
	mk_out_close(s->out);
	free(s);
}

static void
put_line(struct story *s, const char *line)
{
	mk_out_put(s->out, line, strlen(line));
	mk_out_put(s->out, "\n", 1);
}

/* --- SyS-T, raw and in lines -------------------------------------------- */

static void
make_message(struct story *s, unsigned sender, bool timed, int64_t time)
{
	struct mk_message *m = &s->message;
	char text[TEXT_MAX];
	struct sent *sent = add_sent(s, sender + 1, timed, time);
	sent->severity = 1 + below(s, 7);
	make_text(s, &sent->word, text);
	mk_begin(m, MK_STRING, MK_GENERIC, (enum mk_severity)sent->severity);
	mk_string(m, text, strlen(text), false);
	m->module = (uint8_t)(16 + sender);
	m->has_length = true;
	m->has_time = timed;
	uint64_t own = s->senders[sender].hz, hz = own ? own : s->hz;
	sent->clock = own && timed ? sender + 1 : 0;
	m->time =
	    (uint64_t)(s->plan->dated ? time + SENT_BEGIN : time) / ((uint64_t)SENT_SECOND / hz);
}

static void
put_raw(struct story *s, unsigned sender, bool timed, int64_t time)
{
	uint8_t bytes[MK_MESSAGE_MAX];
	make_message(s, sender, timed, time);
	mk_out_put(s->out, bytes, mk_encode(&s->message, bytes));
}

static void
put_hex(struct story *s, unsigned sender, bool timed, int64_t time)
{
	uint8_t bytes[MK_MESSAGE_MAX];
	if (!below(s, 16)) {
		struct sent *sent = add_sent(s, 0, false, 0);
		char text[TEXT_MAX];
		make_text(s, &sent->word, text);
		put_line(s, text);
	}
	make_message(s, sender, timed, time);
	size_t length = mk_encode(&s->message, bytes);
	mk_out_put(s->out, "SYS-T RAW DATA: ", 16);
	for (size_t i = 0; i < length; i++) {
		char digits[3];
		snprintf(digits, sizeof digits, "%02X", bytes[i]);
		mk_out_put(s->out, digits, 2);
	}
	mk_out_put(s->out, "\n", 1);
}

static void
write_syst(const struct sent_plan *plan, const char *path, sents *all, struct sent_profile *profile,
	   const char *transport, writer *put)
{
	static const uint64_t rates[] = {1000000, 1000000000, 100000000};
	static const uint64_t own[SENDERS] = {0, 2000000, 5000000, 1000000};
	bool apart = plan->plan % 2;
	struct story *s = begin(plan, path, all, apart ? 1000000 : rates[plan->plan % 3]);
	for (unsigned i = 0; apart && i < SENDERS; i++) {
		s->senders[i].hz = own[i];
		if (own[i])
			text_addf(&profile->origins,
				  "  - {trace: t%zu, module: %u, name: unit %u, clock: "
				  "{hz: %" PRIu64 "}}\n",
				  plan->number, 16 + i, i, own[i]);
	}
	tell(s, put);
	text_addf(&profile->trace, ", format: syst/%s, syst: {ts_hz: %" PRIu64 ", ts_epoch: %s}",
		  transport, s->hz, plan->dated ? "unix" : "none");
	finish(s);
}

static void
write_raw(const struct sent_plan *plan, const char *path, sents *all, struct sent_profile *profile)
{
	write_syst(plan, path, all, profile, "raw", put_raw);
}

static void
write_hex(const struct sent_plan *plan, const char *path, sents *all, struct sent_profile *profile)
{
	write_syst(plan, path, all, profile, "hex", put_hex);
}

/* --- data over STP ------------------------------------------------------ */

static void
put_packet(struct story *s, unsigned sender, bool timed, int64_t time)
{
	struct mk_stp *stp = s->own;
	uint64_t ticks = as_ticks(s, time);
	unsigned dice = below(s, 16);
	if (dice == 0) {
		add_sent(s, 0, false, 0)->place = stp->position / 2;
		mk_stp_async(stp);
	} else if (dice == 1) {
		add_sent(s, 0, timed, time)->place = stp->position / 2;
		mk_stp_event(stp, below(s, 2) ? MK_STP_TRIG : MK_STP_USER, 7,
			     timed ? &ticks : NULL);
		return;
	}
	mk_stp_select(stp, (uint16_t)(1 + sender), (uint16_t)(sender % 2));
	struct sent *sent = add_sent(s, sender + 1, timed, time);
	mk_stp_data(stp, 1u << below(s, 4), random_next(&s->seed), true, timed ? &ticks : NULL);
	sent->place = (stp->position - 1) / 2;
}

static void
write_stp_data(const struct sent_plan *plan, const char *path, sents *all,
	       struct sent_profile *profile)
{
	struct story *s = begin(plan, path, all, 10000000);
	struct mk_stp stp = {.out = s->out,
			     .nibbles = MK_MSN,
			     .stamps = plan->plan % 2 ? MK_NAT : MK_GRAY,
			     .master = -1,
			     .channel = -1};
	s->own = &stp;
	add_sent(s, 0, false, 0);
	mk_stp_async(&stp);
	add_sent(s, 0, false, 0)->place = stp.position / 2;
	mk_stp_freq(&stp, (uint32_t)s->hz);
	tell(s, put_packet);
	mk_stp_finish(&stp);
	text_add(&profile->trace, ", format: stp, stp: {begin: nowhere}");
	finish(s);
}

/* --- the STM of a CoreSight buffer ---------------------------------------- */

static void
put_stm(struct story *s, unsigned sender, bool timed, int64_t time)
{
	struct mk_stp *stp = s->own;
	uint64_t ticks = as_ticks(s, time);
	if (!below(s, 16))
		mk_stp_async(stp); /* which is no element */
	mk_stp_select(stp, (uint16_t)(1 + sender), (uint16_t)sender);
	add_sent(s, sender + 1, timed, time)->place = SENT_SOMEWHERE;
	mk_stp_data(stp, 8, random_next(&s->seed) << 4 | 15, false, timed ? &ticks : NULL);
}

static void
write_opencsd(const struct sent_plan *plan, const char *path, sents *all,
	      struct sent_profile *profile)
{
	struct story *s = begin(plan, path, all, 10000000);
	struct mk_stp stp = {
	    .out = s->out, .nibbles = MK_MSN, .stamps = MK_NAT, .master = -1, .channel = -1};
	s->own = &stp;
	add_sent(s, 0, false, 0); /* not synchronised so far */
	mk_stp_async(&stp);
	add_sent(s, 0, false, 0)->place = SENT_SOMEWHERE;
	mk_stp_freq(&stp, (uint32_t)s->hz);
	tell(s, put_stm);
	mk_stp_finish(&stp);
	add_sent(s, 0, false, 0)->place = SENT_SOMEWHERE; /* end of trace */
	text_add(&profile->trace, ", format: opencsd, opencsd: {format: source_data, "
				  "sources: [{id: 16, protocol: STM}]}");
	finish(s);
}

/* --- packets of RISC-V trace -------------------------------------------- */

static const struct encap_widths widths = {.srcid = 8, .stamp = 8, .type = 2};

static void
put_encap(struct story *s, unsigned sender, bool timed, int64_t time)
{
	struct stream stream = {0};
	struct bits payload = {0};
	uint64_t ticks = as_ticks(s, time);
	add_sent(s, sender + 1, timed, time);
	for (unsigned i = 1 + below(s, 12); i; i--)
		bits_add(&payload, random_next(&s->seed), 8);
	/* of a type that no encoder is said to send */
	stream_packet(&stream, &widths, 0, 3 + sender, timed ? &ticks : NULL, 3, &payload);
	mk_out_put(s->out, stream.bytes, stream.length);
	stream_free(&stream);
}

static void
write_encap(const struct sent_plan *plan, const char *path, sents *all,
	    struct sent_profile *profile)
{
	struct story *s = begin(plan, path, all, 50000000);
	struct stream sync = {0};
	stream_nulls(&sync, 40);
	add_sent(s, 0, false, 0);
	mk_out_put(s->out, sync.bytes, sync.length);
	stream_free(&sync);
	tell(s, put_encap);
	text_addf(&profile->trace,
		  ", format: encap, clock: {hz: %" PRIu64
		  "}, encap: {srcid_width: 8, timestamp_bytes: 8, type_width: 2}",
		  s->hz);
	finish(s);
}

/* --- words of a processor, and its events ------------------------------- */

static void
put_number(struct story *s, uint64_t value, unsigned bytes)
{
	for (; bytes--; value >>= 8)
		mk_out_put(s->out, &(uint8_t){(uint8_t)value}, 1);
}

static void
put_word(struct story *s, unsigned sender, bool timed, int64_t time)
{
	unsigned type = 4 + below(s, 12); /* reserved ones */
	(void)sender, (void)timed;
	add_sent(s, 1, true, time);
	put_number(s, type << 26 | below(s, 1 << 24) << 2 | 3, 4);
	put_number(s, as_ticks(s, time), 8);
}

static void
write_gem(const struct sent_plan *plan, const char *path, sents *all, struct sent_profile *profile)
{
	struct story *s = begin(plan, path, all, 500000000);
	tell(s, put_word);
	text_addf(&profile->trace,
		  ", format: gem, clock: {hz: %" PRIu64
		  "}, gem: {record_size: 12, timestamp_offset: 4, timestamp_width: 8}",
		  s->hz);
	finish(s);
}

enum { UIA_SYNC = 1, UIA_OTHER = 16 };

struct loggers {
	uint16_t packets;
	uint16_t events[SENDERS];
	int64_t next_sync;
	uint32_t serial;
};

/* A packet with one event of a core, which is its sender too. */
static void
put_uia_packet(struct story *s, unsigned core, unsigned id, bool timed, int64_t time,
	       const uint32_t *args, size_t count)
{
	struct loggers *loggers = s->own;
	struct uia_log log = {0};
	uia_packet_begin(&log, 10, core, 1, loggers->packets++);
	size_t event = uia_event_add(&log, ++loggers->events[core], id,
				     timed ? as_ticks(s, time) : 0, args, count);
	uia_packet_end(&log);
	add_sent(s, core + 1, false, 0);
	struct sent *sent = add_sent(s, core + 1, timed, time);
	sent->place += event;
	sent->clock = timed ? core : 0; /* the first core's is the trace's */
	mk_out_put(s->out, log.bytes.at, log.bytes.count);
	vec_free(&log.bytes);
}

static void
put_uia(struct story *s, unsigned sender, bool timed, int64_t time)
{
	struct loggers *loggers = s->own;
	if (s->now >= loggers->next_sync) {
		int64_t now = s->now - s->now % 10; /* a tick of the global time */
		uint64_t ticks = as_ticks(s, now), global = ticks / 5;
		const uint32_t args[] = {++loggers->serial,	   (uint32_t)ticks,
					 (uint32_t)(ticks >> 32),  (uint32_t)global,
					 (uint32_t)(global >> 32), 1,
					 (uint32_t)s->hz,	   0};
		for (unsigned i = 0; i < SENDERS; i++)
			put_uia_packet(s, i, UIA_SYNC, true, now, args, 8);
		loggers->next_sync = s->now + SENT_SECOND / 2;
	}
	put_uia_packet(s, sender, UIA_OTHER, timed, time, (const uint32_t[]){below(s, 100)}, 1);
}

static void
write_uia(const struct sent_plan *plan, const char *path, sents *all, struct sent_profile *profile)
{
	struct story *s = begin(plan, path, all, 500000000);
	struct loggers loggers = {0};
	s->own = &loggers;
	s->steady = true; /* one clock of all cores that is put back is no clock */
	tell(s, put_uia);
	text_addf(&profile->trace,
		  ", format: uia, uia: {events: [{id: %d, name: syncPoint}, {id: %d, "
		  "name: other, format: \"other %%u\"}]}",
		  UIA_SYNC, UIA_OTHER);
	finish(s);
}

/* --- logs of streams and of lines --------------------------------------- */

enum { CSEL_ENTRY_START = 1, CSEL_ENTRY_STOP, CSEL_ENTRY_END, CSEL_ENTRY_EVENT };

static uint64_t
csel_time(const struct story *s, int64_t time)
{
	return as_ticks(s, s->plan->dated ? time + SENT_BEGIN : time);
}

static void
put_entry(struct story *s, unsigned entry, int64_t time)
{
	add_sent(s, 1, true, time);
	put_number(s, entry, 1);
	put_number(s, csel_time(s, time), 8);
}

static void
put_csel(struct story *s, unsigned sender, bool timed, int64_t time)
{
	uint32_t *sequence = s->own;
	(void)timed;
	put_entry(s, CSEL_ENTRY_EVENT, time);
	put_number(s, ++*sequence, 4);
	put_number(s, sender, 2);
	put_number(s, 0, 2);
}

static void
write_csel(const struct sent_plan *plan, const char *path, sents *all, struct sent_profile *profile)
{
	struct story *s = begin(plan, path, all, 1000000);
	uint32_t sequence = 0;
	char name[64] = "stream";
	s->own = &sequence;
	add_sent(s, 1, false, 0);
	mk_out_put(s->out, "MFMN\1\0\0", 8);
	add_sent(s, 1, false, 0);
	put_number(s, random_next(&s->seed), 8);
	put_number(s, random_next(&s->seed), 8);
	mk_out_put(s->out, name, sizeof name);
	put_number(s, csel_time(s, s->now), 8);
	add_sent(s, 1, false, 0);
	put_number(s, 0, 4);
	put_number(s, 100000000, 4);
	put_entry(s, CSEL_ENTRY_START, s->now);
	tell(s, put_csel);
	put_entry(s, CSEL_ENTRY_STOP, s->now);
	put_entry(s, CSEL_ENTRY_END, s->now);
	add_sent(s, 1, false, 0); /* a note that the log ends */
	text_addf(&profile->trace, ", format: csel, csel: {epoch: %s}",
		  plan->dated ? "unix" : "none");
	finish(s);
}

static void
put_log(struct story *s, unsigned sender, bool timed, int64_t time)
{
	static const struct {
		const char *word;
		unsigned severity;
	} levels[] = {{"ERROR", 2}, {"WARN", 3}, {"INFO", 4}, {"DEBUG", 7}};
	char text[TEXT_MAX], line[4 * TEXT_MAX], stamp[40];
	struct sent *sent = add_sent(s, timed ? sender + 1 : 0, timed, time);
	unsigned level = below(s, 4);
	time_t seconds = (time_t)((SENT_BEGIN + time) / SENT_SECOND);
	struct tm tm;
	make_text(s, &sent->word, text);
	if (!timed) {
		put_line(s, text);
		return;
	}
	sent->severity = levels[level].severity;
	if (!s->plan->dated) {
		snprintf(line, sizeof line, "[%5" PRId64 ".%06" PRId64 "] name%u: %s",
			 time / SENT_SECOND, time % SENT_SECOND / 1000, sender, text);
		sent->severity = 8; /* its lines have no level */
	} else {
		gmtime_r(&seconds, &tm);
		strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &tm);
		snprintf(line, sizeof line, "%s.%06" PRId64 "Z %s name%u: %s", stamp,
			 time % SENT_SECOND / 1000, levels[level].word, sender, text);
	}
	put_line(s, line);
}

static void
write_log(const struct sent_plan *plan, const char *path, sents *all, struct sent_profile *profile)
{
	struct story *s = begin(plan, path, all, 1000000);
	tell(s, put_log);
	text_addf(&profile->trace, ", format: text, text: {preset: %s, join: false}",
		  plan->dated ? "iso8601" : "dmesg");
	finish(s);
}

/* --- listings of CoreSight trace ----------------------------------------- */

static void
put_element(struct story *s, unsigned sender, bool timed, int64_t time)
{
	char line[200], text[TEXT_MAX];
	struct sent *sent = add_sent(s, timed ? sender + 1 : 0, timed, time);
	if (!timed) {
		make_text(s, &sent->word, text);
		put_line(s, text);
		return;
	}
	snprintf(line, sizeof line,
		 "Idx:%" PRIu64 "; ID:%x; OCSD_GEN_TRC_ELEM_SWTRACE( (Ma:0x%02x; Ch:0x%02x) "
		 "0x%08x; +Mrk  [ TS=0x%012" PRIx64 "]; )",
		 s->out->offset, 0x10, 0x40 + sender, sender, below(s, 1 << 30), as_ticks(s, time));
	put_line(s, line);
}

static void
write_ppl(const struct sent_plan *plan, const char *path, sents *all, struct sent_profile *profile)
{
	struct story *s = begin(plan, path, all, 100000000);
	put_line(s, "Idx:0; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])");
	*vec_add(s->sents) = (struct sent){.sender = SENDERS + 1, .severity = SENT_ANY};
	tell(s, put_element);
	text_addf(&profile->trace, ", format: ppl, clock: {hz: %" PRIu64 "}", s->hz);
	finish(s);
}

const struct sent_format sent_formats[] = {
    {.name = "raw", .wall = true, .write = write_raw},
    {.name = "hex", .wall = true, .write = write_hex},
    {.name = "stp-data", .write = write_stp_data},
    {.name = "encap", .write = write_encap},
    {.name = "gem", .write = write_gem},
    {.name = "uia", .related = true, .write = write_uia},
    {.name = "csel", .wall = true, .write = write_csel},
    {.name = "text", .wall = true, .write = write_log},
    {.name = "ppl", .write = write_ppl},
    {.name = "opencsd", .write = write_opencsd}, /* the last one */
};

size_t
sent_format_count(void)
{
	size_t count = sizeof sent_formats / sizeof *sent_formats;
	return opencsd_library_version() ? count : count - 1;
}
