/*
 * Nibbles of an STP stream by what they belong to: see stp_walk.h.  The lengths
 * are those of MIPI STP 2.1, opcode table, timestamps and VERSION; what follows
 * damage is the rule of this program: all up to the next ASYNC, in pieces that
 * end at multiples of 64 KiB, but for zeros at the start of a piece.
 */
#include "config.h"

#include "stp_walk.h"

#include "base/vec.h"

#include <stdbool.h>

enum { ASYNC = 22, GAP = 128, PIECE = 2 * 65536 };

struct walk {
	const uint8_t *bytes;
	uint64_t end; /* nibbles */
	uint8_t *classes;
	bool legacy; /* timestamps of two nibbles */
};

/* A packet at some nibble. */
struct packet {
	enum { WHOLE, WRONG, CUT } state;
	char what; /* n null, t null_ts, s sender, d data, v version, a ASYNC, else p */
	uint64_t payload, payload_end, end;
};

static unsigned
nibble(const struct walk *w, uint64_t at)
{
	return at < w->end ? w->bytes[at / 2] >> at % 2 * 4 & 15 : 0;
}

static bool
is_async(const struct walk *w, uint64_t at)
{
	if (at + ASYNC > w->end)
		return false;
	for (unsigned i = 0; i + 1 < ASYNC; i++)
		if (nibble(w, at + i) != 15)
			return false;
	return nibble(w, at + ASYNC - 1) == 0;
}

/* What opcodes of 1 to 4 nibbles are, by the last: kind, payload in nibbles (z 16,
 * a 10), T if timed. */
static const char *const opcodes[4][16] = {
    {"n0", "s2", "p2", "s2", "d2", "d4", "d8", "dz", "d2T", "d4T", "d8T", "dzT", "d1", "d1T", "p0T",
     NULL},
    {NULL, "s4", "p2", "s4", "d2T", "d4T", "d8T", "dzT", "d2", "d4", "d8", "dz", "d1T", "d1", "p0",
     "a"},
    {"v", "t0T", "u", "uT", "i", "iT", "p2", "p2T", "p8", "p8T", "p2", "p2T", NULL, NULL, NULL,
     NULL},
    {"pa", "paT", NULL, "p2"},
};

/* Nibbles of a timestamp by its length nibble; -1: there is no such. */
static int
time_nibbles(unsigned length)
{
	return length < 13 ? (int)length : length == 13 ? 14 : length == 14 ? 16 : -1;
}

static struct packet
wrong(void)
{
	return (struct packet){.state = WRONG};
}

/* The payload of a packet whose opcode ends at AT; false: it cannot be. */
static bool
read_payload(const struct walk *w, const char *op, uint64_t at, struct packet *p)
{
	unsigned first = nibble(w, at), size;
	p->payload = at;
	switch (op[0]) {
	case 'v':
		p->payload_end = at + (first & 8 ? 3 : 1);
		return (first & 7) < 5;
	case 'u': /* USER: how many more than one follow */
		p->payload_end = at + 1 + first + 1;
		return true;
	case 'i': /* TIME */
		size = nibble(w, at + 2);
		p->payload_end = at + 3 + (unsigned)(size < 15 ? time_nibbles(size) : 0);
		return size < 15;
	default:
		size = (unsigned)(op[1] == 'z' ? 16 : op[1] == 'a' ? 10 : op[1] - '0');
		p->payload_end = at + size;
		return true;
	}
}

static struct packet
read_packet(const struct walk *w, uint64_t at)
{
	/* F, F0 and F0F go on */
	unsigned row = nibble(w, at) != 15	 ? 0
		       : nibble(w, at + 1) != 0	 ? 1
		       : nibble(w, at + 2) != 15 ? 2
						 : 3;
	const char *op = opcodes[row][nibble(w, at + row)];
	struct packet p = {.end = at + row + 1};
	if (op && op[0] == 'a') {
		uint64_t left = at;
		if (is_async(w, at))
			return (struct packet){.what = 'a', .end = at + ASYNC};
		if (at + ASYNC <= w->end)
			return wrong();
		while (left < w->end && nibble(w, left) == 15)
			left++;
		p.state = left < w->end ? WRONG : CUT;
		return p;
	}
	if (p.end > w->end)
		return (struct packet){.state = CUT};
	if (!op || !read_payload(w, op, p.end, &p))
		return wrong();
	p.what = op[0] == 'u' || op[0] == 'i' ? 'p' : op[0];
	p.end = p.payload_end;
	bool timed = op[1] && (op[1] == 'T' || op[2] == 'T');
	if (timed && w->legacy) {
		p.end += 2;
	} else if (timed) {
		int more = time_nibbles(nibble(w, p.end));
		if (more < 0)
			return wrong();
		p.end += 1 + (unsigned)more;
	}
	if (p.end > w->end)
		return (struct packet){.state = CUT};
	for (uint64_t inside = at + 1; inside < p.end; inside++)
		if (is_async(w, inside))
			return wrong();
	return p;
}

static void
set(struct walk *w, uint64_t from, uint64_t to, enum stp_class class)
{
	for (; from < to; from++)
		w->classes[from] = (uint8_t) class;
}

/* An ASYNC at AT and the VERSION that must follow; *GOOD if it does.  Returns the
 * end of both. */
static uint64_t
walk_async(struct walk *w, uint64_t at, bool *good)
{
	uint64_t end = at + ASYNC, next = end;
	while (next < w->end && next < end + GAP && !nibble(w, next))
		next++;
	struct packet version = read_packet(w, next);
	*good = next < w->end && version.state == WHOLE && version.what == 'v';
	if (*good) {
		w->legacy = (nibble(w, version.payload) & 7) < 2;
		end = version.end;
	}
	set(w, at, end, STP_CLASS_PACKET);
	return end;
}

/* Out of step at AT: what comes next. */
static uint64_t
walk_damage(struct walk *w, uint64_t at, bool *good)
{
	if (!nibble(w, at)) {
		set(w, at, at + 1, STP_CLASS_NULL);
		return at + 1;
	}
	if (is_async(w, at))
		return walk_async(w, at, good);
	uint64_t cut = (at / 2 * 2 + 2 * 64 + PIECE - 1) / PIECE * PIECE, end = at;
	while (end < cut && end < w->end && !is_async(w, end))
		end++;
	set(w, at, end, STP_CLASS_DAMAGE);
	return end;
}

uint8_t *
stp_classes(const uint8_t *bytes, size_t length)
{
	struct walk w = {
	    .bytes = bytes, .end = 2 * (uint64_t)length, .classes = mem_new(2 * length + 1)};
	bool good = false;
	for (uint64_t at = 0; at < w.end;) {
		if (!good) {
			at = walk_damage(&w, at, &good);
			continue;
		}
		struct packet p = read_packet(&w, at);
		if (p.state == CUT) {
			set(&w, at, w.end, STP_CLASS_DAMAGE);
			break;
		}
		if (p.state == WRONG) {
			good = false;
			continue;
		}
		if (p.what == 'a') {
			at = walk_async(&w, at, &good);
			continue;
		}
		if (p.what == 'v')
			w.legacy = (nibble(&w, p.payload) & 7) < 2;
		set(&w, at, p.end,
		    p.what == 'n'   ? STP_CLASS_NULL
		    : p.what == 't' ? STP_CLASS_TIME
		    : p.what == 's' ? STP_CLASS_SENDER
				    : STP_CLASS_PACKET);
		if (p.what == 'd')
			set(&w, p.payload, p.payload_end, STP_CLASS_PAYLOAD);
		at = p.end;
	}
	return w.classes;
}
