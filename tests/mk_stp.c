/*
 * The writer behind mk_stp.h.  Opcodes as nibbles: 4..7 Dn, 8..B DnMTS,
 * F4..F7 DnTS, F8..FB DnM, 1/F1 M8/M16, 3/F3 C8/C16, FE FLAG, F00 VERSION,
 * F08 FREQ.  The low nibble of a byte comes first.
 */
#include "config.h"

#include "mk_stp.h"

void
mk_stp_nibble(struct mk_stp *s, unsigned nibble)
{
	if (s->spoil && s->position == s->spoil_at) {
		nibble ^= s->spoil;
		s->spoil = 0;
	}
	if (s->position++ % 2 == 0) {
		s->low = (uint8_t)nibble;
		return;
	}
	*mk_out_room(s->out) = (uint8_t)(s->low | nibble << 4);
	mk_out_took(s->out, 1);
}

static void
code(struct mk_stp *s, const char *digits)
{
	for (; *digits; digits++)
		mk_stp_nibble(s, (unsigned)(*digits <= '9' ? *digits - '0' : *digits - 'A' + 10));
}

static void
number(struct mk_stp *s, uint64_t value, unsigned nibbles)
{
	for (unsigned i = 0; i < nibbles; i++) {
		unsigned shift = 4 * (s->nibbles == MK_MSN ? nibbles - 1 - i : i);
		mk_stp_nibble(s, value >> shift & 15);
	}
}

static uint64_t
gray(uint64_t value)
{
	return value ^ value >> 1;
}

/* How many nibbles tell a reader who has FROM that it is now TO. */
static unsigned
stamp_nibbles(uint64_t from, uint64_t to)
{
	unsigned n = 0;
	while (n < 16 && from >> 4 * n != to >> 4 * n)
		n++;
	return n == 13 ? 14 : n == 15 ? 16 : n;
}

static void
stamp(struct mk_stp *s, uint64_t time)
{
	uint64_t value = time, from = s->time;
	if (s->stamps == MK_GRAY) {
		value = gray(time);
		from = gray(s->time);
	} else if (s->stamps == MK_DELTA) {
		value = time - s->time;
		from = 0;
	}
	unsigned n = s->long_stamps || s->stamp_whole ? 16 : stamp_nibbles(from, value);
	mk_stp_nibble(s, n == 16 ? 14 : n == 14 ? 13 : n);
	number(s, value, n);
	s->time = time;
	s->stamp_whole = false;
}

void
mk_stp_null(struct mk_stp *s)
{
	mk_stp_nibble(s, 0);
}

void
mk_stp_async(struct mk_stp *s)
{
	code(s, "FFFFFFFFFFFFFFFFFFFFF0");
	code(s, "F00");
	unsigned kind = s->stamps == MK_NAT ? 3 : s->stamps == MK_GRAY ? 4 : 2;
	if (s->nibbles == MK_LE22) {
		mk_stp_nibble(s, kind | 8);
		code(s, "81");
	} else {
		mk_stp_nibble(s, kind);
	}
	s->master = s->channel = -1;
	s->stamp_whole = true; /* for readers that start here */
}

void
mk_stp_freq(struct mk_stp *s, uint32_t hz)
{
	code(s, "F08");
	number(s, hz, 8);
}

void
mk_stp_select(struct mk_stp *s, uint16_t master, uint16_t channel)
{
	if (s->master != master) {
		bool near = (s->master < 0 ? 0 : s->master >> 8) == master >> 8;
		code(s, near ? "1" : "F1");
		number(s, near ? master & 0xff : master, near ? 2 : 4);
		s->master = master;
		s->channel = 0;
	}
	if (s->channel != channel) {
		bool near = s->channel >> 8 == channel >> 8;
		code(s, near ? "3" : "F3");
		number(s, near ? channel & 0xff : channel, near ? 2 : 4);
		s->channel = channel;
	}
}

void
mk_stp_data(struct mk_stp *s, unsigned bytes, uint64_t value, bool marked, const uint64_t *time)
{
	unsigned size = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
	if (marked != !!time)
		mk_stp_nibble(s, 15);
	mk_stp_nibble(s, (marked ? 8 : 4) + size);
	number(s, value, 2 * bytes);
	if (time)
		stamp(s, *time);
}

void
mk_stp_flag(struct mk_stp *s)
{
	code(s, "FE");
}

static const struct {
	const char *name, *code, *timed;
} events[] = {
    [MK_STP_TRIG] = {"STP:TRIG", "F06", "F07"}, [MK_STP_XSYNC] = {"STP:XSYNC", "F0A", "F0B"},
    [MK_STP_MERR] = {"STP:MERR", "2", NULL},	[MK_STP_GERR] = {"STP:GERR", "F2", NULL},
    [MK_STP_USER] = {"STP:USER", "F02", "F03"},
};

const char *
mk_stp_event_name(enum mk_stp_event event)
{
	return events[event].name;
}

void
mk_stp_event(struct mk_stp *s, enum mk_stp_event event, uint8_t value, const uint64_t *time)
{
	if (!events[event].timed)
		time = NULL;
	code(s, time ? events[event].timed : events[event].code);
	if (event == MK_STP_USER)
		mk_stp_nibble(s, 1); /* two nibbles follow */
	number(s, value, 2);
	if (time)
		stamp(s, *time);
	if (event == MK_STP_MERR || event == MK_STP_GERR)
		s->master = s->channel = -1;
}

void
mk_stp_finish(struct mk_stp *s)
{
	if (s->position % 2)
		mk_stp_null(s);
}

static uint64_t
little(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;
	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

/* Bytes of the packet that carries what comes next. */
static unsigned
packet_bytes(const struct mk_feed *f, uint64_t *seed)
{
	size_t left = f->length - f->done;
	unsigned bytes = 8;
	if (f->done == 0)
		bytes = f->is_short && f->length == 8 ? 8 : 4;
	else if (f->mixed && random_below(seed, 3) == 0)
		bytes = 1u << random_below(seed, 4);
	while (bytes > left)
		bytes /= 2;
	return bytes;
}

void
mk_stp_feed(struct mk_stp *s, struct mk_feed *f, uint64_t *seed)
{
	mk_stp_select(s, f->master, f->channel);
	if (f->done == f->length) {
		mk_stp_flag(s);
		f->sent = true;
		return;
	}
	bool first = f->done == 0;
	if (first)
		f->start = s->position;
	unsigned bytes = packet_bytes(f, seed);
	uint64_t value = little(f->bytes + f->done, bytes);
	f->done += bytes;
	bool marked =
	    f->is_short || (f->mixed && !first && f->done == f->length && random_below(seed, 2));
	mk_stp_data(s, bytes, value, marked, first ? &f->time : NULL);
	f->sent = marked;
}
