/*
 * Makes captures: of any size, the same bytes for the same options on every
 * machine, damaged on request, with the truth beside them.
 *
 * Tests compare what the program decodes with what was meant here; so this
 * encoder shares no code with it.  Of SyS-T, mk_mix.c invents messages,
 * mk_syst.c encodes them, mk_stp.c cuts them into packets, mk_demo.c tells the
 * story of the demo capture, mk_session.c makes several captures of one system.
 * Each other format is one file; mk_sink.c has what they share, damage too.
 * This file has the options, the transports of SyS-T, and the list of what
 * testdata/ holds.
 */
#include "config.h"

#include "mk_coresight.h"
#include "mk_csel.h"
#include "mk_demo.h"
#include "mk_encap.h"
#include "mk_gem.h"
#include "mk_lab.h"
#include "mk_mix.h"
#include "mk_out.h"
#include "mk_session.h"
#include "mk_sink.h"
#include "mk_stp.h"
#include "mk_swo.h"
#include "mk_syst.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS(array) (sizeof(array) / sizeof *(array))

/* Behind those of mk_mix.h. */
enum { MIX_CONTEXTS = MK_MIX_BYTES + 1 };

enum transport { RAW, HEX, STP, ENCAP, GEM, UIA, CSEL, OPENCSD, ITM, TPIU };

enum { SENDERS_MAX = 64, STP_HZ = 38400000 };

/* What to make. */
struct plan {
	int transport, mix, nibbles, stamps;
	unsigned senders, damage; /* of enum mk_damage */
	double rate;		  /* share of messages that are damaged */
	uint64_t size, count;	  /* where to stop; 0 = not for this reason */
	uint64_t seed, async;	  /* bytes between ASYNCs */
	bool sparse;
	unsigned srcid_width, timestamp_bytes, type_width;
	double drift; /* of a session's clocks, and so on */
	uint64_t jitter, sync;
	const char *output, *truth, *collateral;
};

/* What is at work. */
struct work {
	const struct plan *plan;
	struct mk_sink sink; /* its seed is that of interleaving too */
	struct mk_maker maker;
	struct mk_message message;
};

static FILE *
open_text(const char *path)
{
	FILE *file = fopen(path, "w");
	if (!file)
		mk_die("%s: %s", path, strerror(errno));
	return file;
}

static void
close_text(FILE *file, const char *path)
{
	int bad = ferror(file);
	if (fclose(file) != 0 || bad)
		mk_die("%s: cannot write it all", path);
}

/* --- raw --------------------------------------------------------------- */

static void
raw_message(struct work *w)
{
	mk_make(&w->maker, &w->message);
	uint8_t *to = mk_out_room(w->sink.out);
	unsigned kind = mk_damage_choose(&w->sink);
	if (kind == MK_GARBAGE) {
		mk_out_took(w->sink.out, mk_garbage(&w->sink, to));
		to = mk_out_room(w->sink.out);
	}
	size_t length = mk_encode(&w->message, to);
	if (kind)
		length = mk_damage_bytes(&w->sink, kind, to, length);
	if (w->sink.truth)
		mk_truth_message(w->sink.truth, w->sink.out->offset, length, mk_damage_name(kind),
				 NULL, &w->message);
	mk_out_took(w->sink.out, length);
}

/* Islands of messages in a sea of nothing. */
static void
make_sparse(struct work *w)
{
	enum { ISLAND = 1 << 18, APART = 1 << 26 };
	const uint64_t size = w->plan->size;
	while (w->sink.out->offset < size) {
		uint64_t start = w->sink.out->offset;
		uint64_t next = start / APART * APART + APART;
		if (next > size - ISLAND && start < size - ISLAND)
			next = size - ISLAND;
		while (w->sink.out->offset < start + ISLAND && w->sink.out->offset < size)
			raw_message(w);
		if (w->sink.out->offset < size)
			mk_out_skip(w->sink.out, next);
	}
}

static void
make_raw(struct work *w)
{
	if (w->plan->sparse) {
		make_sparse(w);
		return;
	}
	for (uint64_t made = 0; !mk_enough(&w->sink, made); made++)
		raw_message(w);
}

/* --- hex lines --------------------------------------------------------- */

/* A line without its end, at TO. */
static size_t
hex_line(struct work *w, uint8_t *to)
{
	static const char prefix[] = "SYS-T RAW DATA: ";
	static const char *const before[] = {
	    "", "", "", "", "", "Booting from ROM..", "[    1.250000] uart: "};
	static const char *const digits[] = {"0123456789ABCDEF", "0123456789abcdef"};

	mk_make(&w->maker, &w->message);
	uint8_t bytes[MK_MESSAGE_MAX];
	size_t length = mk_encode(&w->message, bytes);
	const char *words = before[random_below(&w->sink.seed, ITEMS(before))];
	const char *digit = digits[random_below(&w->sink.seed, 8) == 0];
	uint8_t *at = to + sprintf((char *)to, "%s%s", words, prefix);
	for (size_t i = 0; i < length; i++) {
		*at++ = (uint8_t)digit[bytes[i] >> 4];
		*at++ = (uint8_t)digit[bytes[i] & 15];
	}
	return (size_t)(at - to);
}

/* A line of something else, at TO. */
static size_t
other_line(struct work *w, uint8_t *to)
{
	static const char *const lines[] = {
	    "*** Booting board revision C ***",
	    "STP Protocol Output:",
	    "uart: console ready",
	    "SYS-T RAW DATA",
	};
	const char *line = lines[random_below(&w->sink.seed, ITEMS(lines))];
	memcpy(to, line, strlen(line));
	if (w->sink.truth)
		mk_truth_other(w->sink.truth, w->sink.out->offset, strlen(line), "other", NULL,
			       MK_UNASSIGNED, "*", line, "");
	return strlen(line);
}

static void
make_hex(struct work *w)
{
	static const char *const ends[] = {"\n", "\n", "\n", "\r\n"};
	for (uint64_t made = 0; !mk_enough(&w->sink, made);) {
		uint8_t *to = mk_out_room(w->sink.out);
		size_t length;
		if (random_below(&w->sink.seed, 20) == 0) {
			length = other_line(w, to);
		} else {
			unsigned kind = mk_damage_choose(&w->sink);
			length = hex_line(w, to);
			if (kind == MK_GARBAGE)
				to[length / 2] = 'z', kind = MK_FLIP;
			else if (kind)
				length = mk_damage_bytes(&w->sink, kind, to, length);
			if (w->sink.truth)
				mk_truth_message(w->sink.truth, w->sink.out->offset, length,
						 mk_damage_name(kind), NULL, &w->message);
			made++;
		}
		mk_out_took(w->sink.out, length);
		const char *end = ends[random_below(&w->sink.seed, ITEMS(ends))];
		mk_out_put(w->sink.out, end, strlen(end));
	}
}

/* --- STP --------------------------------------------------------------- */

struct sender {
	struct mk_message message;
	struct mk_feed feed;
	bool busy;
	unsigned damage; /* to come */
	const char *state;
	uint8_t bytes[MK_MESSAGE_MAX];
};

struct link {
	struct work *work;
	struct mk_frames *frames; /* of CoreSight, or NULL */
	struct mk_stp stp;
	struct sender *senders;
	uint64_t time, next_async;
	bool doubtful; /* the framing was broken and no ASYNC came since */
};

/* A row for what lies between the nibble START and here. */
static void
truth_event(struct link *l, uint64_t start, enum mk_severity severity, const char *type,
	    const uint64_t *time, const char *fields)
{
	if (!l->work->sink.truth)
		return;
	struct mk_transport t = {.timed = time, .ticks = time ? *time : 0};
	uint64_t first = start / 2, last = (l->stp.position - 1) / 2;
	mk_truth_other(l->work->sink.truth, first, last - first + 1, l->doubtful ? "damaged" : "ok",
		       &t, severity, type, "*", fields);
}

static void
send_async(struct link *l)
{
	l->doubtful = false;
	uint64_t start = l->stp.position;
	mk_stp_async(&l->stp);
	truth_event(l, start, MK_DEBUG, "STP:ASYNC", NULL, "");
	if (random_below(&l->work->sink.seed, 2)) {
		start = l->stp.position;
		mk_stp_freq(&l->stp, STP_HZ);
		truth_event(l, start, MK_DEBUG, "STP:FREQ", NULL, "");
	}
	l->next_async = l->work->sink.out->offset + l->work->plan->async;
}

/* One of the packets that are no data. */
static void
send_event(struct link *l)
{
	static const struct {
		enum mk_stp_event event;
		enum mk_severity severity;
	} events[] = {
	    {MK_STP_TRIG, MK_WARNING},
	    {MK_STP_XSYNC, MK_DEBUG},
	    {MK_STP_USER, MK_DEBUG},
	};
	size_t i = random_below(&l->work->sink.seed, l->frames ? 1 : ITEMS(events));
	bool timed = random_below(&l->work->sink.seed, 2);
	uint64_t start = l->stp.position;
	uint8_t value = (uint8_t)random_next(&l->work->sink.seed);
	mk_stp_event(&l->stp, events[i].event, value, timed ? &l->time : NULL);
	truth_event(l, start, events[i].severity, mk_stp_event_name(events[i].event),
		    timed ? &l->time : NULL, "");
}

static void
begin_message(struct link *l, struct sender *s)
{
	struct work *w = l->work;
	mk_make(&w->maker, &s->message);
	const struct mk_message *m = &s->message;
	uint16_t number = (uint16_t)(s - l->senders);
	/* CoreSight's masters have eight bits */
	unsigned apart = l->frames ? 1 : 0x101;
	s->feed = (struct mk_feed){
	    .bytes = s->bytes,
	    .length = mk_encode(m, s->bytes),
	    .master = (uint16_t)(0x80 + number / 3 * apart),
	    .channel = (uint16_t)(number % 3 * 0x90 + 1),
	    .time = l->time,
	    .is_short = mk_is_short(m),
	    .mixed = w->plan->mix == MK_MIX_ALL,
	};
	s->busy = true;
	s->damage = mk_damage_choose(&w->sink);
	s->state = l->doubtful ? "damaged" : "ok";
}

/* What comes now can be anything, for whoever reads. */
static void
break_framing(struct link *l)
{
	l->doubtful = true;
	for (unsigned i = 0; i < l->work->plan->senders; i++)
		l->senders[i].state = "damaged";
}

/* Does to a message what was decided when it began. */
static void
damage_message(struct link *l, struct sender *s)
{
	uint64_t *seed = &l->work->sink.seed;
	unsigned left = (unsigned)(s->feed.length - s->feed.done);
	unsigned kind = s->damage;
	s->damage = 0;
	if (kind == MK_CUT) {
		s->busy = false;
	} else if (kind == MK_DROP && left > 8 && s->feed.done) {
		s->feed.done += 4;
		s->state = "drop";
	} else if (kind == MK_FLIP) {
		l->stp.spoil_at = l->stp.position + random_below(seed, 12);
		l->stp.spoil = (uint8_t)(1 + random_below(seed, 15));
		break_framing(l);
	} else if (kind == MK_GARBAGE) {
		for (unsigned i = random_below(seed, 64); i; i--)
			mk_stp_nibble(&l->stp, random_below(seed, 16));
		l->stp.master = l->stp.channel = -1;
		break_framing(l);
	} else {
		s->damage = kind; /* later */
	}
}

static void
end_message(struct link *l, struct sender *s)
{
	s->busy = false;
	if (!l->work->sink.truth)
		return;
	struct mk_transport t = {.timed = true,
				 .ticks = s->feed.time,
				 .addressed = true,
				 .master = s->feed.master,
				 .channel = s->feed.channel};
	uint64_t first = s->feed.start / 2, last = (l->stp.position - 1) / 2;
	mk_truth_message(l->work->sink.truth, first, last - first + 1, s->state, &t, &s->message);
}

/* Sends one packet of a message.  True: it was the last. */
static bool
send_packet(struct link *l, struct sender *s)
{
	mk_stp_feed(&l->stp, &s->feed, &l->work->sink.seed);
	l->time += random_below(&l->work->sink.seed, 40);
	if (s->feed.sent) {
		end_message(l, s);
		return true;
	}
	if (s->damage && random_below(&l->work->sink.seed, 3) == 0)
		damage_message(l, s);
	return false;
}

/* Bytes of STP, from FRAMES to the capture. */
static void
put_stm(void *frames, const uint8_t *bytes, size_t length)
{
	mk_frames_put(frames, MK_STM_ID, bytes, length);
}

/* What another source, an ITM, says meanwhile: synchronisation now and then,
 * a local time stamp, a number from a port. */
static void
send_itm(struct link *l, uint64_t made)
{
	static const uint8_t sync[] = {0, 0, 0, 0, 0, 0x80};
	const uint8_t port = (uint8_t)random_below(&l->work->sink.seed, 32);
	const uint8_t packets[] = {0x10, (uint8_t)(port << 3 | 2), (uint8_t)made,
				   (uint8_t)(made >> 8)};
	if (made % 64 == 0)
		mk_frames_put(l->frames, MK_ITM_ID, sync, sizeof sync);
	mk_frames_put(l->frames, MK_ITM_ID, packets, sizeof packets);
}

/* FRAMES: as an STM beside an ITM; else NULL. */
static void
send_stp(struct work *w, struct mk_frames *frames)
{
	const struct plan *p = w->plan;
	struct sender *senders = calloc(p->senders, sizeof *senders);
	if (!senders)
		mk_die("no memory");
	struct link l = {
	    .work = w,
	    .frames = frames,
	    .senders = senders,
	    .stp = {.out = frames ? mk_out_to(put_stm, frames) : w->sink.out,
		    .nibbles = (enum mk_nibbles)p->nibbles,
		    .stamps = (enum mk_stamps)p->stamps,
		    .long_stamps = p->mix == MK_MIX_LEN32},
	    .time = (uint64_t)STP_HZ * 3,
	};
	for (unsigned i = 0; i < p->senders; i++)
		senders[i].message.told = w->sink.truth;

	struct sender *s = senders;
	for (uint64_t made = 0; !mk_enough(&w->sink, made);) {
		if (w->sink.out->offset >= l.next_async)
			send_async(&l);
		if (random_below(&w->sink.seed, 3) == 0)
			s = senders + random_below(&w->sink.seed, p->senders);
		if (!s->busy) {
			if (p->mix == MK_MIX_ALL && random_below(&w->sink.seed, 24) == 0)
				send_event(&l);
			begin_message(&l, s);
		}
		bool sent = send_packet(&l, s);
		if (sent && frames) {
			mk_out_flush(l.stp.out);
			send_itm(&l, made);
		}
		made += sent;
		if (p->mix == MK_MIX_ALL && random_below(&w->sink.seed, 16) == 0)
			mk_stp_null(&l.stp);
	}
	for (s = senders; s < senders + p->senders; s++)
		while (s->busy)
			send_packet(&l, s);
	mk_stp_finish(&l.stp);
	if (frames) {
		mk_out_flush(l.stp.out);
		free(l.stp.out);
	}
	free(senders);
}

static void
make_stp(struct work *w)
{
	send_stp(w, NULL);
}

static void
make_opencsd(struct work *w)
{
	struct mk_frames frames = {.out = w->sink.out};
	send_stp(w, &frames);
	mk_frames_finish(&frames);
}

/* --- other formats ----------------------------------------------------- */

static void
make_encap(struct work *w)
{
	const struct plan *p = w->plan;
	const unsigned ids = 1u << p->srcid_width;
	const struct mk_encap_plan plan = {.srcid_width = p->srcid_width,
					   .timestamp_bytes = p->timestamp_bytes,
					   .type_width = p->type_width,
					   .sources = p->senders < ids ? p->senders : ids,
					   .sync = p->async,
					   .seed = p->seed,
					   .everything = p->mix == MK_MIX_ALL};
	mk_encap(&plan, &w->sink);
}

static struct mk_gem_plan
gem_plan(const struct plan *p)
{
	return (struct mk_gem_plan){.seed = p->seed,
				    .timestamp_bytes = p->timestamp_bytes,
				    .everything = p->mix == MK_MIX_ALL,
				    .contexts = p->mix == MIX_CONTEXTS};
}

static void
make_gem(struct work *w)
{
	const struct mk_gem_plan plan = gem_plan(w->plan);
	mk_gem(&plan, &w->sink);
}

static void
make_uia(struct work *w)
{
	const struct mk_gem_plan plan = gem_plan(w->plan);
	mk_uia(&plan, &w->sink);
}

static void
make_csel(struct work *w)
{
	mk_csel(&w->sink, w->plan->seed, w->plan->mix == MK_MIX_ALL);
}

static void
make_swo(struct work *w)
{
	const struct plan *p = w->plan;
	const struct mk_swo_plan plan = {
	    .seed = p->seed, .everything = p->mix == MK_MIX_ALL, .frames = p->transport == TPIU};
	mk_swo(&plan, &w->sink);
}

/* --- a capture --------------------------------------------------------- */

static void
make(const struct plan *p)
{
	static void (*const transports[])(struct work *) = {
	    [RAW] = make_raw, [HEX] = make_hex,	 [STP] = make_stp,   [ENCAP] = make_encap,
	    [GEM] = make_gem, [UIA] = make_uia,	 [CSEL] = make_csel, [OPENCSD] = make_opencsd,
	    [ITM] = make_swo, [TPIU] = make_swo,
	};
	struct work *w = calloc(1, sizeof *w);
	if (!w)
		mk_die("no memory");
	w->plan = p;
	w->sink = (struct mk_sink){.damage = p->damage,
				   .rate = p->rate,
				   .seed = p->seed ^ 0x5eed,
				   .size = p->size,
				   .count = p->count};
	if (p->truth) {
		w->sink.truth = open_text(p->truth);
		mk_truth_head(w->sink.truth);
	}
	w->message.told = w->sink.truth;
	mk_maker_open(&w->maker, (enum mk_mix)p->mix, p->seed);
	w->maker.delimited = p->transport == RAW;
	char *buffer = p->transport == OPENCSD ? mk_snapshot(p->output) : NULL;
	w->sink.out = mk_out_open(buffer ? buffer : p->output);
	transports[p->transport](w);
	mk_out_close(w->sink.out);
	free(buffer);
	if (w->sink.truth)
		close_text(w->sink.truth, p->truth);
	if (p->collateral) {
		FILE *file = open_text(p->collateral);
		mk_collateral(file);
		close_text(file, p->collateral);
	}
	free(w);
}

/* --- testdata ---------------------------------------------------------- */

static const struct capture {
	const char *name, *ending;
	struct plan plan;
} testdata[] = {
    {"all-raw", "bin", {.mix = MK_MIX_ALL, .count = 400}},
    {"all-hex", "txt", {.transport = HEX, .mix = MK_MIX_ALL, .count = 200}},
    {"all-msn", "stp", {.transport = STP, .mix = MK_MIX_ALL, .count = 300}},
    {"all-lsn", "stp", {.transport = STP, .mix = MK_MIX_ALL, .count = 200, .nibbles = MK_LSN}},
    {"all-le22", "stp", {.transport = STP, .mix = MK_MIX_ALL, .count = 200, .nibbles = MK_LE22}},
    {"gray", "stp", {.transport = STP, .mix = MK_MIX_TEXT, .count = 100, .stamps = MK_GRAY}},
    {"delta", "stp", {.transport = STP, .mix = MK_MIX_TEXT, .count = 100, .stamps = MK_DELTA}},
    {"short", "bin", {.mix = MK_MIX_SHORT, .count = 200}},
    {"len32", "bin", {.mix = MK_MIX_LEN32, .size = 16384}},
    {"damaged-raw",
     "bin",
     {.mix = MK_MIX_ALL,
      .count = 300,
      .rate = .05,
      .damage = MK_CUT | MK_FLIP | MK_DROP | MK_GARBAGE}},
    {"damaged-hex",
     "txt",
     {.transport = HEX,
      .mix = MK_MIX_ALL,
      .count = 100,
      .rate = .2,
      .damage = MK_CUT | MK_FLIP | MK_DROP | MK_GARBAGE}},
    {"damaged-stp",
     "stp",
     {.transport = STP,
      .mix = MK_MIX_ALL,
      .count = 300,
      .rate = .05,
      .damage = MK_CUT | MK_FLIP | MK_DROP | MK_GARBAGE}},
    {"all-encap",
     "bin",
     {.transport = ENCAP, .mix = MK_MIX_ALL, .count = 400, .srcid_width = 8, .timestamp_bytes = 2}},
    {"bits-encap",
     "bin",
     {.transport = ENCAP, .mix = MK_MIX_ALL, .count = 300, .srcid_width = 6, .type_width = 2}},
    {"damaged-encap",
     "bin",
     {.transport = ENCAP,
      .mix = MK_MIX_ALL,
      .count = 600,
      .srcid_width = 8,
      .rate = .01,
      .damage = MK_CUT | MK_FLIP | MK_DROP | MK_GARBAGE}},
    {"all-gem", "bin", {.transport = GEM, .mix = MK_MIX_ALL, .count = 300, .seed = 7}},
    {"all-gem.uia", "bin", {.transport = UIA, .mix = MK_MIX_ALL, .count = 300, .seed = 7}},
    {"damaged-gem",
     "bin",
     {.transport = GEM,
      .mix = MK_MIX_ALL,
      .count = 300,
      .timestamp_bytes = 8,
      .rate = .1,
      .damage = MK_CUT | MK_FLIP | MK_DROP | MK_GARBAGE}},
    {"damaged-uia",
     "bin",
     {.transport = UIA,
      .mix = MK_MIX_ALL,
      .count = 600,
      .rate = .2,
      .damage = MK_CUT | MK_FLIP | MK_DROP | MK_GARBAGE}},
    {"all-csel", "csel", {.transport = CSEL, .mix = MK_MIX_ALL, .count = 400}},
    {"damaged-csel",
     "csel",
     {.transport = CSEL,
      .mix = MK_MIX_ALL,
      .count = 300,
      .rate = .005,
      .damage = MK_CUT | MK_FLIP | MK_DROP | MK_GARBAGE}},
    {"all-opencsd", "", {.transport = OPENCSD, .mix = MK_MIX_ALL, .count = 200}},
    {"damaged-opencsd",
     "",
     {.transport = OPENCSD,
      .mix = MK_MIX_ALL,
      .count = 200,
      .rate = .05,
      .damage = MK_CUT | MK_FLIP | MK_DROP | MK_GARBAGE}},
    {"all-itm", "itm", {.transport = ITM, .mix = MK_MIX_ALL, .count = 300}},
    {"untimed-itm", "itm", {.transport = ITM, .count = 200}},
    {"all-tpiu", "swo", {.transport = TPIU, .mix = MK_MIX_ALL, .count = 300}},
};

static void
write_profile(const char *path, const char *folderless, const struct plan *p)
{
	static const char *const transports[] = {"raw", "hex", "stp"};
	FILE *file = open_text(path);
	/* the traces of a snapshot are FOLDER.BUFFER */
	fprintf(file, "traces:\n  - match: \"%s%s\"\n", folderless,
		p->transport == OPENCSD ? ".*" : "");
	if (p->transport <= STP)
		fprintf(file,
			"    format: syst\n"
			"    syst:\n"
			"      transport: %s\n"
			"      guid: \"" MK_SHORT_GUID "\"\n"
			"      collateral: [mix.xml]\n",
			transports[p->transport]);
	else if (p->transport == ENCAP)
		fprintf(file,
			"    format: encap\n"
			"    encap:\n"
			"      srcid_width: %u\n"
			"      timestamp_bytes: %u\n"
			"      type_width: %u\n",
			p->srcid_width, p->timestamp_bytes, p->type_width);
	else if (p->transport == GEM)
		fprintf(file,
			"    format: gem\n"
			"    gem:\n"
			"      record_size: %u\n"
			"      timestamp_offset: 4\n"
			"      timestamp_width: %u\n",
			4 + p->timestamp_bytes, p->timestamp_bytes);
	else if (p->transport == UIA)
		fputs("    format: uia\n"
		      "    uia:\n"
		      "      events:\n" MK_UIA_EVENTS,
		      file);
	else if (p->transport == OPENCSD)
		fputs("    opencsd:\n"
		      "      guid: \"" MK_SHORT_GUID "\"\n"
		      "      collateral: [mix.xml]\n",
		      file);
	else if (p->transport == CSEL)
		fputs("    format: csel\n", file);
	else
		fprintf(file, "    format: %s\n", p->transport == ITM ? "itm" : "tpiu");
	close_text(file, path);
}

static void
make_testdata(const char *folder)
{
	char path[4096], truth[4096], collateral[4096];
	snprintf(collateral, sizeof collateral, "%s/mix.xml", folder);
	for (size_t i = 0; i < ITEMS(testdata); i++) {
		const struct capture *c = &testdata[i];
		struct plan plan = c->plan;
		char name[64];
		snprintf(name, sizeof name, *c->ending ? "%s.%s" : "%s", c->name, c->ending);
		snprintf(path, sizeof path, "%s/%s.profile.yaml", folder, c->name);
		write_profile(path, name, &plan);
		snprintf(path, sizeof path, "%s/%s", folder, name);
		snprintf(truth, sizeof truth, "%s/%s.truth.tsv", folder, c->name);
		plan.output = path;
		plan.truth = truth;
		plan.collateral = collateral;
		plan.senders = 5;
		plan.async = 2000;
		if (!plan.seed)
			plan.seed = 100 + i;
		make(&plan);
	}
	mk_demo(folder);
	mk_lab(folder, false);
}

static void
make_session(const char *folder, const struct plan *p)
{
	const struct mk_session_plan plan = {.seed = p->seed,
					     .count = p->count,
					     .drift = p->drift,
					     .jitter = p->jitter,
					     .loss = p->rate,
					     .sync = p->sync,
					     .contexts = p->mix == MIX_CONTEXTS,
					     .global = p->mix == MK_MIX_ALL};
	mk_session(folder, &plan);
}

/* --- the command line -------------------------------------------------- */

static const char usage[] =
    "Usage: mkcapture [OPTION]... -o FILE\n"
    "       mkcapture demo DIRECTORY       the demo capture, profile, collateral\n"
    "       mkcapture lab-good DIRECTORY   the demo session without its fault\n"
    "       mkcapture testdata DIRECTORY   all that testdata/ holds\n"
    "       mkcapture [OPTION]... session DIRECTORY\n"
    "                        captures of one system by several clocks\n"
    "\n"
    "  -f, --format=NAME     syst/raw (default), syst/hex, syst/stp, encap, csel,\n"
    "                        gem, uia: the words and the software events of one\n"
    "                        schedule, if --seed, --mix and --count are the same;\n"
    "                        opencsd: a CoreSight snapshot, SyS-T over STM and ITM;\n"
    "                        itm, tpiu: what comes out of an SWO pin; all: with times\n"
    "  -m, --mix=NAME        len32 (default): 8 to 56 bytes, as for measuring\n"
    "                        all: every type, subtype and option\n"
    "                        csel: runs with faults\n"
    "                        short: SHORT and compact BUILD; text: strings\n"
    "                        strings, printf, catalog, bytes: SyS-T of that kind alone,\n"
    "                        for measuring what finding costs\n"
    "                        contexts: gem and uia, and what holds at each word;\n"
    "                        session: words that tell of tasks; all: session: words\n"
    "                        with half the global time instead of most numbers\n"
    "  -n, --size=SIZE       stop at this many bytes (K, M, G, T: times 1024)\n"
    "  -c, --count=NUMBER    stop after this many messages\n"
    "      --seed=NUMBER     another seed, another capture\n"
    "      --sparse          syst/raw: 256 KiB of messages per 64 MiB, then a hole\n"
    "      --nibbles=ORDER   syst/stp: msn (default), lsn (announced as msn), le22\n"
    "      --stamps=KIND     syst/stp: nat (default), gray, delta\n"
    "      --senders=NUMBER  syst/stp: masters and channels that interleave (4);\n"
    "                        encap: sources\n"
    "      --async=SIZE      syst/stp: bytes from ASYNC to ASYNC (2K);\n"
    "                        encap: from sync sequence to sync sequence\n"
    "      --srcid=BITS      encap: width of the source's number (8)\n"
    "      --type=BITS       encap: width of the type (0); 1: with data trace\n"
    "      --timestamp=BYTES encap, gem: width of time stamps (0)\n"
    "      --damage=LIST     of cut, flip, drop, garbage\n"
    "      --rate=SHARE      of messages that are damaged (0.01)\n"
    "      --drift=PPM       session: what clocks are off by at most (200)\n"
    "      --jitter=NS       and what is read at sync points (2000)\n"
    "      --sync=MS         time between them (100); 0: two at the start\n"
    "      --truth=FILE      what was sent, as tab-separated lines\n"
    "      --collateral=FILE the XML that explains catalog messages\n"
    "  -o, --output=FILE     - for standard output; opencsd: a folder\n"
    "  -h, --help            this text\n";

enum option_code {
	OPT_SEED = 256,
	OPT_SPARSE,
	OPT_NIBBLES,
	OPT_STAMPS,
	OPT_SENDERS,
	OPT_ASYNC,
	OPT_SRCID,
	OPT_TYPE,
	OPT_TIMESTAMP,
	OPT_DAMAGE,
	OPT_RATE,
	OPT_DRIFT,
	OPT_JITTER,
	OPT_SYNC,
	OPT_TRUTH,
	OPT_COLLATERAL
};

static const struct option options[] = {
    {"format", required_argument, NULL, 'f'},
    {"mix", required_argument, NULL, 'm'},
    {"size", required_argument, NULL, 'n'},
    {"count", required_argument, NULL, 'c'},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {"seed", required_argument, NULL, OPT_SEED},
    {"sparse", no_argument, NULL, OPT_SPARSE},
    {"nibbles", required_argument, NULL, OPT_NIBBLES},
    {"stamps", required_argument, NULL, OPT_STAMPS},
    {"senders", required_argument, NULL, OPT_SENDERS},
    {"async", required_argument, NULL, OPT_ASYNC},
    {"srcid", required_argument, NULL, OPT_SRCID},
    {"type", required_argument, NULL, OPT_TYPE},
    {"timestamp", required_argument, NULL, OPT_TIMESTAMP},
    {"damage", required_argument, NULL, OPT_DAMAGE},
    {"rate", required_argument, NULL, OPT_RATE},
    {"drift", required_argument, NULL, OPT_DRIFT},
    {"jitter", required_argument, NULL, OPT_JITTER},
    {"sync", required_argument, NULL, OPT_SYNC},
    {"truth", required_argument, NULL, OPT_TRUTH},
    {"collateral", required_argument, NULL, OPT_COLLATERAL},
    {NULL, 0, NULL, 0},
};

static uint64_t
parse_size(const char *text)
{
	static const char units[] = "KMGT";
	char *end;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 0);
	const char *unit = *end ? strchr(units, *end) : NULL;
	if (errno || end == text || (*end && (!unit || end[1])))
		mk_die("%s: not a number with K, M, G or T", text);
	return unit ? (uint64_t)value << 10 * (unit - units + 1) : value;
}

/* The option's argument, which must be less than LIMIT. */
static unsigned
parse_below(unsigned limit)
{
	uint64_t value = parse_size(optarg);
	if (value >= limit)
		mk_die("%s: must be less than %u", optarg, limit);
	return (unsigned)value;
}

/* The number of NAME among NAMES, which ends with NULL. */
static int
parse_name(const char *name, const char *const *names)
{
	for (int i = 0; names[i]; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	mk_die("%s: no such choice, see --help", name);
}

static unsigned
parse_damage(char *list)
{
	static const char *const names[] = {"cut", "flip", "drop", "garbage", NULL};
	unsigned kinds = 0;
	for (char *name = strtok(list, ","); name; name = strtok(NULL, ","))
		kinds |= 1u << parse_name(name, names);
	return kinds;
}

static void
parse_option(struct plan *p, int code)
{
	static const char *const formats[] = {"syst/raw", "syst/hex", "syst/stp", "encap",
					      "gem",	  "uia",      "csel",	  "opencsd",
					      "itm",	  "tpiu",     NULL};
	static const char *const mixes[] = {"len32",  "all",	 "short", "text",     "strings",
					    "printf", "catalog", "bytes", "contexts", NULL};
	static const char *const orders[] = {"msn", "lsn", "le22", NULL};
	static const char *const stamps[] = {"nat", "gray", "delta", NULL};
	switch (code) {
	case 'f':
		p->transport = parse_name(optarg, formats);
		break;
	case 'm':
		p->mix = parse_name(optarg, mixes);
		break;
	case 'n':
		p->size = parse_size(optarg);
		break;
	case 'c':
		p->count = parse_size(optarg);
		break;
	case 'o':
		p->output = optarg;
		break;
	case OPT_SEED:
		p->seed = parse_size(optarg);
		break;
	case OPT_SPARSE:
		p->sparse = true;
		break;
	case OPT_NIBBLES:
		p->nibbles = parse_name(optarg, orders);
		break;
	case OPT_STAMPS:
		p->stamps = parse_name(optarg, stamps);
		break;
	case OPT_SENDERS:
		p->senders = (unsigned)parse_size(optarg);
		break;
	case OPT_ASYNC:
		p->async = parse_size(optarg);
		break;
	case OPT_SRCID:
		p->srcid_width = parse_below(17);
		break;
	case OPT_TYPE:
		p->type_width = parse_below(9);
		break;
	case OPT_TIMESTAMP:
		p->timestamp_bytes = parse_below(9);
		break;
	case OPT_DAMAGE:
		p->damage = parse_damage(optarg);
		break;
	case OPT_RATE:
		p->rate = atof(optarg);
		break;
	case OPT_DRIFT:
		p->drift = atof(optarg);
		break;
	case OPT_JITTER:
		p->jitter = parse_size(optarg);
		break;
	case OPT_SYNC:
		p->sync = parse_size(optarg);
		break;
	case OPT_TRUTH:
		p->truth = optarg;
		break;
	case OPT_COLLATERAL:
		p->collateral = optarg;
		break;
	case 'h':
		fputs(usage, stdout);
		exit(0);
	default:
		exit(2);
	}
}

int
main(int argc, char **argv)
{
	struct plan plan = {.senders = 4,
			    .async = 2048,
			    .rate = .01,
			    .seed = 1,
			    .srcid_width = 8,
			    .drift = 200,
			    .jitter = 2000,
			    .sync = 100};
	int code;
	while ((code = getopt_long(argc, argv, "f:m:n:c:o:h", options, NULL)) >= 0)
		parse_option(&plan, code);

	if (argc - optind == 2 && strcmp(argv[optind], "demo") == 0)
		mk_demo(argv[optind + 1]);
	else if (argc - optind == 2 && strcmp(argv[optind], "lab-good") == 0)
		mk_lab(argv[optind + 1], true);
	else if (argc - optind == 2 && strcmp(argv[optind], "testdata") == 0)
		make_testdata(argv[optind + 1]);
	else if (argc - optind == 2 && strcmp(argv[optind], "session") == 0 && plan.count)
		make_session(argv[optind + 1], &plan);
	else if (optind < argc || !plan.output)
		mk_die("say what to write: -o FILE, demo DIRECTORY, testdata DIRECTORY");
	else if (!plan.size && !plan.count)
		mk_die("say how much: --size or --count");
	else if (!plan.senders || plan.senders > SENDERS_MAX)
		mk_die("--senders must be 1 to %d", SENDERS_MAX);
	else if (plan.mix == MIX_CONTEXTS && plan.transport != GEM && plan.transport != UIA)
		mk_die("--mix=contexts is for --format=gem and uia");
	else if (plan.sparse && (plan.transport != RAW || !plan.size))
		mk_die("--sparse needs --format=syst/raw and --size");
	else
		make(&plan);
	return 0;
}
