/*
 * Makes captures: of any size, the same bytes for the same options on every
 * machine, damaged on request, with the truth beside them.
 *
 * Tests compare what the program decodes with what was meant here; so this
 * encoder shares no code with it.  mk_mix.c invents messages, mk_syst.c
 * encodes them, mk_stp.c cuts them into packets, mk_demo.c tells the story of
 * the demo capture; this file has the options, the three transports, damage,
 * and the list of what testdata/ holds.
 */
#include "config.h"

#include "mk_demo.h"
#include "mk_mix.h"
#include "mk_out.h"
#include "mk_stp.h"
#include "mk_syst.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS(array) (sizeof(array) / sizeof *(array))

enum transport { RAW, HEX, STP };
enum damage { CUT = 1, FLIP = 2, DROP = 4, GARBAGE = 8 };

enum { SENDERS_MAX = 64, STP_HZ = 38400000 };

/* What to make. */
struct plan {
	int transport, mix, nibbles, stamps;
	unsigned senders, damage; /* of enum damage */
	double rate;		  /* share of messages that are damaged */
	uint64_t size, count;	  /* where to stop; 0 = not for this reason */
	uint64_t seed, async;	  /* bytes between ASYNCs */
	bool sparse;
	const char *output, *truth, *collateral;
};

/* What is at work. */
struct work {
	const struct plan *plan;
	struct mk_out *out;
	FILE *truth;
	uint64_t seed; /* of damage and interleaving */
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

static bool
enough(const struct work *w, uint64_t made)
{
	const struct plan *p = w->plan;
	return (p->size && w->out->offset >= p->size) || (p->count && made >= p->count);
}

/* --- damage ------------------------------------------------------------ */

/* One of the kinds of damage asked for, or 0 for most messages. */
static unsigned
choose_damage(struct work *w)
{
	const struct plan *p = w->plan;
	if (!p->damage || (double)(mk_random(&w->seed) >> 11) >= p->rate * 0x1p53)
		return 0;
	unsigned kind;
	do
		kind = 1u << mk_below(&w->seed, 4);
	while (!(p->damage & kind));
	return kind;
}

static const char *
damage_name(unsigned kind)
{
	return kind == CUT ? "cut" : kind == FLIP ? "flip" : kind == DROP ? "drop" : "ok";
}

/* Damages LENGTH > 1 bytes and returns how many are left. */
static size_t
damage_bytes(struct work *w, unsigned kind, uint8_t *at, size_t length)
{
	size_t where = mk_below(&w->seed, (uint32_t)length);
	if (kind == CUT)
		return where ? where : 1;
	if (kind == FLIP)
		at[where] ^= (uint8_t)(1u << mk_below(&w->seed, 8));
	if (kind == DROP) {
		size_t lost = 1 + mk_below(&w->seed, 8);
		if (where + lost >= length)
			return where ? where : 1;
		memmove(at + where, at + where + lost, length - where - lost);
		return length - lost;
	}
	return length;
}

static size_t
garbage(struct work *w, uint8_t *to)
{
	size_t length = 1 + mk_below(&w->seed, 64);
	for (size_t i = 0; i < length; i++)
		to[i] = (uint8_t)mk_random(&w->seed);
	return length;
}

/* --- raw --------------------------------------------------------------- */

static void
raw_message(struct work *w)
{
	mk_make(&w->maker, &w->message);
	uint8_t *to = mk_out_room(w->out);
	unsigned kind = choose_damage(w);
	if (kind == GARBAGE) {
		mk_out_took(w->out, garbage(w, to));
		to = mk_out_room(w->out);
	}
	size_t length = mk_encode(&w->message, to);
	if (kind)
		length = damage_bytes(w, kind, to, length);
	if (w->truth)
		mk_truth_message(w->truth, w->out->offset, length, damage_name(kind), NULL,
				 &w->message);
	mk_out_took(w->out, length);
}

/* Islands of messages in a sea of nothing. */
static void
make_sparse(struct work *w)
{
	enum { ISLAND = 1 << 18, APART = 1 << 26 };
	const uint64_t size = w->plan->size;
	while (w->out->offset < size) {
		uint64_t start = w->out->offset;
		uint64_t next = start / APART * APART + APART;
		if (next > size - ISLAND && start < size - ISLAND)
			next = size - ISLAND;
		while (w->out->offset < start + ISLAND && w->out->offset < size)
			raw_message(w);
		if (w->out->offset < size)
			mk_out_skip(w->out, next);
	}
}

static void
make_raw(struct work *w)
{
	if (w->plan->sparse) {
		make_sparse(w);
		return;
	}
	for (uint64_t made = 0; !enough(w, made); made++)
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
	const char *words = before[mk_below(&w->seed, ITEMS(before))];
	const char *digit = digits[mk_below(&w->seed, 8) == 0];
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
	const char *line = lines[mk_below(&w->seed, ITEMS(lines))];
	memcpy(to, line, strlen(line));
	if (w->truth)
		mk_truth_other(w->truth, w->out->offset, strlen(line), "other", NULL, MK_UNASSIGNED,
			       "*", line, "");
	return strlen(line);
}

static void
make_hex(struct work *w)
{
	static const char *const ends[] = {"\n", "\n", "\n", "\r\n"};
	for (uint64_t made = 0; !enough(w, made);) {
		uint8_t *to = mk_out_room(w->out);
		size_t length;
		if (mk_below(&w->seed, 20) == 0) {
			length = other_line(w, to);
		} else {
			unsigned kind = choose_damage(w);
			length = hex_line(w, to);
			if (kind == GARBAGE)
				to[length / 2] = 'z', kind = FLIP;
			else if (kind)
				length = damage_bytes(w, kind, to, length);
			if (w->truth)
				mk_truth_message(w->truth, w->out->offset, length,
						 damage_name(kind), NULL, &w->message);
			made++;
		}
		mk_out_took(w->out, length);
		const char *end = ends[mk_below(&w->seed, ITEMS(ends))];
		mk_out_put(w->out, end, strlen(end));
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
	if (!l->work->truth)
		return;
	struct mk_transport t = {.timed = time, .ticks = time ? *time : 0};
	uint64_t first = start / 2, last = (l->stp.position - 1) / 2;
	mk_truth_other(l->work->truth, first, last - first + 1, l->doubtful ? "damaged" : "ok", &t,
		       severity, type, "*", fields);
}

static void
send_async(struct link *l)
{
	l->doubtful = false;
	uint64_t start = l->stp.position;
	mk_stp_async(&l->stp);
	truth_event(l, start, MK_DEBUG, "STP:ASYNC", NULL, "");
	if (mk_below(&l->work->seed, 2)) {
		start = l->stp.position;
		mk_stp_freq(&l->stp, STP_HZ);
		truth_event(l, start, MK_DEBUG, "STP:FREQ", NULL, "");
	}
	l->next_async = l->work->out->offset + l->work->plan->async;
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
	size_t i = mk_below(&l->work->seed, ITEMS(events));
	bool timed = mk_below(&l->work->seed, 2);
	uint64_t start = l->stp.position;
	uint8_t value = (uint8_t)mk_random(&l->work->seed);
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
	s->feed = (struct mk_feed){
	    .bytes = s->bytes,
	    .length = mk_encode(m, s->bytes),
	    .master = (uint16_t)(0x80 + number / 3 * 0x101),
	    .channel = (uint16_t)(number % 3 * 0x90 + 1),
	    .time = l->time,
	    .is_short = mk_is_short(m),
	    .mixed = w->plan->mix == MK_MIX_ALL,
	};
	s->busy = true;
	s->damage = choose_damage(w);
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
	uint64_t *seed = &l->work->seed;
	unsigned left = (unsigned)(s->feed.length - s->feed.done);
	unsigned kind = s->damage;
	s->damage = 0;
	if (kind == CUT) {
		s->busy = false;
	} else if (kind == DROP && left > 8 && s->feed.done) {
		s->feed.done += 4;
		s->state = "drop";
	} else if (kind == FLIP) {
		l->stp.spoil_at = l->stp.position + mk_below(seed, 12);
		l->stp.spoil = (uint8_t)(1 + mk_below(seed, 15));
		break_framing(l);
	} else if (kind == GARBAGE) {
		for (unsigned i = mk_below(seed, 64); i; i--)
			mk_stp_nibble(&l->stp, mk_below(seed, 16));
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
	if (!l->work->truth)
		return;
	struct mk_transport t = {.timed = true,
				 .ticks = s->feed.time,
				 .addressed = true,
				 .master = s->feed.master,
				 .channel = s->feed.channel};
	uint64_t first = s->feed.start / 2, last = (l->stp.position - 1) / 2;
	mk_truth_message(l->work->truth, first, last - first + 1, s->state, &t, &s->message);
}

/* Sends one packet of a message.  True: it was the last. */
static bool
send_packet(struct link *l, struct sender *s)
{
	mk_stp_feed(&l->stp, &s->feed, &l->work->seed);
	l->time += mk_below(&l->work->seed, 40);
	if (s->feed.sent) {
		end_message(l, s);
		return true;
	}
	if (s->damage && mk_below(&l->work->seed, 3) == 0)
		damage_message(l, s);
	return false;
}

static void
make_stp(struct work *w)
{
	const struct plan *p = w->plan;
	struct sender *senders = calloc(p->senders, sizeof *senders);
	if (!senders)
		mk_die("no memory");
	struct link l = {
	    .work = w,
	    .senders = senders,
	    .stp = {.out = w->out,
		    .nibbles = (enum mk_nibbles)p->nibbles,
		    .stamps = (enum mk_stamps)p->stamps,
		    .long_stamps = p->mix == MK_MIX_LEN32},
	    .time = (uint64_t)STP_HZ * 3,
	};
	for (unsigned i = 0; i < p->senders; i++)
		senders[i].message.told = w->truth;

	struct sender *s = senders;
	for (uint64_t made = 0; !enough(w, made);) {
		if (w->out->offset >= l.next_async)
			send_async(&l);
		if (mk_below(&w->seed, 3) == 0)
			s = senders + mk_below(&w->seed, p->senders);
		if (!s->busy) {
			if (p->mix == MK_MIX_ALL && mk_below(&w->seed, 24) == 0)
				send_event(&l);
			begin_message(&l, s);
		}
		made += send_packet(&l, s);
		if (p->mix == MK_MIX_ALL && mk_below(&w->seed, 16) == 0)
			mk_stp_null(&l.stp);
	}
	for (s = senders; s < senders + p->senders; s++)
		while (s->busy)
			send_packet(&l, s);
	mk_stp_finish(&l.stp);
	free(senders);
}

/* --- a capture --------------------------------------------------------- */

static void
make(const struct plan *p)
{
	static void (*const transports[])(struct work *) = {
	    [RAW] = make_raw,
	    [HEX] = make_hex,
	    [STP] = make_stp,
	};
	struct work *w = calloc(1, sizeof *w);
	if (!w)
		mk_die("no memory");
	w->plan = p;
	w->seed = p->seed ^ 0x5eed;
	if (p->truth) {
		w->truth = open_text(p->truth);
		mk_truth_head(w->truth);
	}
	w->message.told = w->truth;
	mk_maker_open(&w->maker, (enum mk_mix)p->mix, p->seed);
	w->maker.delimited = p->transport == RAW;
	w->out = mk_out_open(p->output);
	transports[p->transport](w);
	mk_out_close(w->out);
	if (w->truth)
		close_text(w->truth, p->truth);
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
     {.mix = MK_MIX_ALL, .count = 300, .rate = .05, .damage = CUT | FLIP | DROP | GARBAGE}},
    {"damaged-hex",
     "txt",
     {.transport = HEX,
      .mix = MK_MIX_ALL,
      .count = 100,
      .rate = .2,
      .damage = CUT | FLIP | DROP | GARBAGE}},
    {"damaged-stp",
     "stp",
     {.transport = STP,
      .mix = MK_MIX_ALL,
      .count = 300,
      .rate = .05,
      .damage = CUT | FLIP | DROP | GARBAGE}},
};

static void
write_profile(const char *path, const char *folderless, enum transport transport)
{
	static const char *const names[] = {"raw", "hex", "stp"};
	FILE *file = open_text(path);
	fprintf(file,
		"traces:\n"
		"  - match: \"%s\"\n"
		"    format: syst\n"
		"    syst:\n"
		"      transport: %s\n"
		"      guid: \"" MK_SHORT_GUID "\"\n"
		"      collateral: [mix.xml]\n",
		folderless, names[transport]);
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
		snprintf(name, sizeof name, "%s.%s", c->name, c->ending);
		snprintf(path, sizeof path, "%s/%s.profile.yaml", folder, c->name);
		write_profile(path, name, (enum transport)plan.transport);
		snprintf(path, sizeof path, "%s/%s", folder, name);
		snprintf(truth, sizeof truth, "%s/%s.truth.tsv", folder, c->name);
		plan.output = path;
		plan.truth = truth;
		plan.collateral = collateral;
		plan.senders = 5;
		plan.async = 2000;
		plan.seed = 100 + i;
		make(&plan);
	}
	mk_demo(folder);
}

/* --- the command line -------------------------------------------------- */

static const char usage[] =
    "Usage: mkcapture [OPTION]... -o FILE\n"
    "       mkcapture demo DIRECTORY       the demo capture, profile, collateral\n"
    "       mkcapture testdata DIRECTORY   all that testdata/ holds\n"
    "\n"
    "  -f, --format=NAME     syst/raw (default), syst/hex, syst/stp\n"
    "  -m, --mix=NAME        len32 (default): 8 to 56 bytes, as for measuring\n"
    "                        all: every type, subtype and option\n"
    "                        short: SHORT and compact BUILD; text: strings\n"
    "  -n, --size=SIZE       stop at this many bytes (K, M, G, T: times 1024)\n"
    "  -c, --count=NUMBER    stop after this many messages\n"
    "      --seed=NUMBER     another seed, another capture\n"
    "      --sparse          syst/raw: 256 KiB of messages per 64 MiB, then a hole\n"
    "      --nibbles=ORDER   syst/stp: msn (default), lsn (announced as msn), le22\n"
    "      --stamps=KIND     syst/stp: nat (default), gray, delta\n"
    "      --senders=NUMBER  syst/stp: masters and channels that interleave (4)\n"
    "      --async=SIZE      syst/stp: bytes from ASYNC to ASYNC (2K)\n"
    "      --damage=LIST     of cut, flip, drop, garbage\n"
    "      --rate=SHARE      of messages that are damaged (0.01)\n"
    "      --truth=FILE      what was sent, as tab-separated lines\n"
    "      --collateral=FILE the XML that explains catalog messages\n"
    "  -o, --output=FILE     - for standard output\n"
    "  -h, --help            this text\n";

enum option_code {
	OPT_SEED = 256,
	OPT_SPARSE,
	OPT_NIBBLES,
	OPT_STAMPS,
	OPT_SENDERS,
	OPT_ASYNC,
	OPT_DAMAGE,
	OPT_RATE,
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
    {"damage", required_argument, NULL, OPT_DAMAGE},
    {"rate", required_argument, NULL, OPT_RATE},
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
	static const char *const formats[] = {"syst/raw", "syst/hex", "syst/stp", NULL};
	static const char *const mixes[] = {"len32", "all", "short", "text", NULL};
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
	case OPT_DAMAGE:
		p->damage = parse_damage(optarg);
		break;
	case OPT_RATE:
		p->rate = atof(optarg);
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
	struct plan plan = {.senders = 4, .async = 2048, .rate = .01, .seed = 1};
	int code;
	while ((code = getopt_long(argc, argv, "f:m:n:c:o:h", options, NULL)) >= 0)
		parse_option(&plan, code);

	if (argc - optind == 2 && strcmp(argv[optind], "demo") == 0)
		mk_demo(argv[optind + 1]);
	else if (argc - optind == 2 && strcmp(argv[optind], "testdata") == 0)
		make_testdata(argv[optind + 1]);
	else if (optind < argc || !plan.output)
		mk_die("say what to write: -o FILE, demo DIRECTORY, testdata DIRECTORY");
	else if (!plan.size && !plan.count)
		mk_die("say how much: --size or --count");
	else if (!plan.senders || plan.senders > SENDERS_MAX)
		mk_die("--senders must be 1 to %d", SENDERS_MAX);
	else if (plan.sparse && (plan.transport != RAW || !plan.size))
		mk_die("--sparse needs --format=syst/raw and --size");
	else
		make(&plan);
	return 0;
}
