/*
 * Decode the ITM packets of an SWO pin to messages: see swo.h.
 *
 * A message is a packet.  Bytes of text ports are joined to lines.  After a start, messages are
 * suspect until a synchronisation or enough consecutive good packets.
 *
 * Time.  A local timestamp belongs to the packets since the last one.  The decoder searches ahead
 * for it, once for all these packets.  The sum of local timestamps continues across
 * synchronisations; after an overflow it is a lower bound.
 *
 * Frames.  Some signs of wrong frames start a search for the frame start: an impossible source, a
 * source missing in the head, or two forbidden packets close together.  If frames fit better
 * elsewhere, the bytes before are lost.
 *
 * Cost: linear in the size of the capture.  After a few searches for the frame start, the next one
 * must wait for 64 frames, as many as its window has.  A search reads its window up to 31 times,
 * so bytes that fit nowhere cost at most 32 times as much.
 */
#include "config.h"

#include "decode/coresight/swo.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PROOF = SWO_PROOF,
	BAD_NEAR = 64,		 /* ITM bytes in which two bad packets are too many */
	ZEROS_MAX = 4096,	 /* in one message */
	PACKET_SPAN = 32 * 1024, /* maximum extent of a packet in the capture */
	LINES = 2,		 /* open at the same time */
	LINE_BYTES = 1024,
	LINE_SPAN = 16 * 1024, /* maximum extent in the capture */
	STAMP_AHEAD = 128,     /* ITM bytes searched for a timestamp */
	STAMP_SPAN = 1024,     /* capture bytes searched for it */
	NO_STAMP = 0x0fffffff + 1,
	SILENCE = 8 * CORESIGHT_FRAME,
	DOUBT_AHEAD = 16, /* ITM bytes after a rare packet in which a bad one makes it suspect */
	LOOK_COST = SWO_ALIGN_WINDOW / CORESIGHT_FRAME, /* in frames */
	DEBT_MAX = 7 * LOOK_COST,
	RUN_UP = 4096,
	REACH = PACKET_SPAN + SWO_ALIGN_REACH + STAMP_SPAN
};
static_assert((int)STAMP_SPAN + 2 * SWO_UNIT_MAX <= (int)SWO_AHEAD, "a timestamp is in reach");
static_assert((int)SWO_ALIGN_REACH + SWO_UNIT_MAX <= (int)SWO_AHEAD, "a place is in reach");

/* --- tables -------------------------------------------------------------- */

static const struct {
	uint8_t severity;
	uint16_t flags;
	uint16_t origin;
} kind_rows[SWO_KIND_COUNT] = {
    [SWO_KIND_LINE] = {SEVERITY_INFO, 0, 0},
    [SWO_KIND_PORT] = {SEVERITY_INFO, 0, 0},
    [SWO_KIND_EVENTS] = {SEVERITY_DEBUG, 0, SWO_ORIGIN_DWT},
    [SWO_KIND_EXCEPTION] = {SEVERITY_INFO, 0, SWO_ORIGIN_DWT},
    [SWO_KIND_PC] = {SEVERITY_DEBUG, 0, SWO_ORIGIN_DWT},
    [SWO_KIND_DATA] = {SEVERITY_INFO, 0, SWO_ORIGIN_DWT},
    [SWO_KIND_LOCAL] = {SEVERITY_DEBUG, 0, SWO_ORIGIN_ITM},
    [SWO_KIND_GLOBAL] = {SEVERITY_DEBUG, 0, SWO_ORIGIN_ITM},
    [SWO_KIND_GLOBAL_PART] = {SEVERITY_DEBUG, 0, SWO_ORIGIN_ITM},
    [SWO_KIND_EXTENSION] = {SEVERITY_DEBUG, 0, SWO_ORIGIN_ITM},
    [SWO_KIND_RESERVED] = {SEVERITY_WARNING, 0, SWO_ORIGIN_DWT},
    [SWO_KIND_SYNC] = {SEVERITY_DEBUG, 0, SWO_ORIGIN_ITM},
    [SWO_KIND_OVERFLOW] = {SEVERITY_ERROR, MESSAGE_LOST, SWO_ORIGIN_ITM},
    [SWO_KIND_TRIGGER] = {SEVERITY_WARNING, 0, SWO_ORIGIN_TRIGGER},
    [SWO_KIND_DAMAGE] = {SEVERITY_ERROR, MESSAGE_DAMAGED, SWO_ORIGIN_ITM},
    [SWO_KIND_CUT] = {SEVERITY_ERROR, MESSAGE_TRUNCATED, SWO_ORIGIN_ITM},
    [SWO_KIND_ALIGN] = {SEVERITY_ERROR, MESSAGE_LOST, SWO_ORIGIN_ITM},
};

enum swo_silent {
	SILENT_FRAME,
	SILENT_SYNC,
	SILENT_IDLE,
	SILENT_SOURCE,
	SILENT_NOBODY,
	SILENT_ITM,
	SILENTS
};

static const struct silent_row tpiu_silent[SILENTS] = {
    [SILENT_FRAME] = {"frame", "IDs of sources in frames, and their low bits"},
    [SILENT_SYNC] = {"frame_sync", "synchronisation of frames"},
    [SILENT_IDLE] = {"idle", "bytes of source 0, which fill frames up"},
    [SILENT_SOURCE] = {"source", "bytes of sources other than the ITM", .undecoded = true},
    [SILENT_ITM] = {"other_itm", "bytes of the other ITMs, which are traces of their own"},
    [SILENT_NOBODY] = {"no_source", "bytes before frames name a source", .undecoded = true},
};

static const struct context_row contexts[] = {
    {"exception", "running", "exception", NULL, NULL, .per_trace = true},
};

#define OPTION(...) OPTION_ROW(struct swo_options, __VA_ARGS__)
#define COMMON_OPTIONS                                                                             \
	OPTION(lines, TEXT,                                                                        \
	       "ports below 32 with lines of text, separated by commas; none: no port; "           \
	       "absent: found in the first 64 KiB")
static const struct option_row itm_option_rows[] = {COMMON_OPTIONS};
static const struct option_row tpiu_option_rows[] = {
    COMMON_OPTIONS,
    OPTION(id, UINT, "trace ID of the ITM; 0: as the first 64 KiB show", "0", .max = 0x6f),
};
static const struct option_table itm_options =
    OPTION_TABLE("itm", struct swo_options, itm_option_rows);
static const struct option_table tpiu_options =
    OPTION_TABLE("tpiu", struct swo_options, tpiu_option_rows);

/* --- state --------------------------------------------------------------- */

/* An unfinished line.  Offsets are stored as their low 16 bits, since a line never reaches further
 * back. */
struct swo_line {
	uint16_t start;
	uint16_t count; /* bytes; 0: no line */
	uint8_t port;
	uint8_t first : 4; /* position of the first byte in the unit at START */
	uint8_t skip : 2;  /* bytes of the first write that belong to the previous line */
	bool lost : 1;	   /* an overflow or damage came since START */
	bool doubt : 1;	   /* one of the writes is suspect */
};

struct swo_state {
	struct decode_state base; /* with the offset of the current unit */
	uint64_t local;		  /* sum of local timestamps */
	uint64_t global;
	uint32_t stamp;	      /* next local timestamp, or NO_STAMP */
	uint16_t stamp_ahead; /* ITM bytes up to the end of STAMP; 0: not searched yet */
	uint16_t zeros;	      /* zeros before the next byte */
	struct swo_line lines[LINES];
	uint16_t start;			/* of the current packet */
	uint8_t packet[SWO_PACKET_MAX]; /* bytes of the current packet */
	uint8_t have : 4;
	uint8_t trail : 3;  /* zeros at the end of the last packet */
	uint8_t first : 4;  /* position of the first byte in the unit at START */
	uint8_t skip : 4;   /* bytes of the unit already decoded */
	uint8_t given : 4;  /* messages of the next byte already returned */
	uint8_t page : 3;   /* page of ports */
	bool page_lost : 1; /* damage came after the page was set */
	uint8_t proof : 7;  /* sum of weights of good packets, up to PROOF */
	bool aligned : 1;
	uint8_t since_bad : 7; /* ITM bytes since a bad packet, up to BAD_NEAR */
	bool stamped : 1;      /* a local timestamp came */
	uint8_t id;
	uint16_t debt;	 /* cost in frames of searches for the frame start, not yet worked off */
	bool looked : 1; /* searched the frame start at the current unit */
	bool low_known : 1, high_known : 1; /* parts of the global time */
	bool doubtful : 1;		    /* two bad packets came close together */
	bool inexact : 1;		    /* damage came: lost timestamps are missing in times */
	bool high_doubtful : 1;		    /* the high bits of the global time are suspect */
	bool is_rare : 1;		    /* the last packet is rare */
};
enum { SAVED = DECODE_SAVED_SIZE(struct swo_state) };
static_assert((size_t)SAVED <= (size_t)SWO_CHECKPOINT, "a checkpoint is the state itself");

static void
swo_start(const struct decoder *decoder, struct decode_state *state)
{
	struct swo_state *s = (struct swo_state *)state;
	decode_plain_start(decoder, state);
	s->id = CORESIGHT_NOBODY;
	s->since_bad = BAD_NEAR;
	s->stamped = ((const struct swo_decoder *)decoder)->stamped;
	s->proof = ((const struct swo_decoder *)decoder)->begins ? PROOF : 0;
}

/* --- messages ------------------------------------------------------------ */

enum { GIVEN_MAX = LINES + 4 };

/* A byte being decoded: its position, and the messages it produces. */
struct swo_feed {
	const struct swo_decoder *d;
	const struct window *w;
	struct swo_state *s;
	const struct swo_units *units; /* receiver of units, or NULL */
	const struct swo_unit *unit;
	unsigned index; /* position of the byte in the unit */
	struct message given[GIVEN_MAX];
	unsigned count;
	bool is_short; /* the window ends before the next timestamp */
};

static uint64_t
offset_of(const struct swo_feed *j, uint16_t low)
{
	uint64_t here = j->s->base.offset;
	return here - (uint16_t)((uint16_t)here - low);
}

/* Set the time from the next local timestamp or the last global one. */
static void
set_time(const struct swo_feed *j, enum swo_kind kind, struct message *m)
{
	const struct swo_state *s = j->s;
	bool ahead = s->stamp_ahead && s->stamp != NO_STAMP, exact;
	if (j->d->by_global ? !s->low_known : !s->stamped)
		return;
	m->flags |= MESSAGE_TIMED;
	if (j->d->by_global) {
		m->ticks = s->global;
		exact = kind == SWO_KIND_GLOBAL;
	} else {
		m->ticks = s->local + (ahead ? s->stamp : 0);
		exact = !s->inexact && (ahead || kind == SWO_KIND_LOCAL || kind == SWO_KIND_SYNC ||
					kind > SWO_KIND_OVERFLOW);
	}
	if (!exact)
		m->flags |= MESSAGE_ESTIMATED;
}

/* Append a message of the bytes from START to END. */
static struct message *
give_message(struct swo_feed *j, enum swo_kind kind, uint64_t start, uint64_t end)
{
	const struct swo_state *s = j->s;
	struct message *m = &j->given[j->count++];
	assert(j->count <= GIVEN_MAX);
	*m = (struct message){.offset = start,
			      .length = (uint32_t)(end - start),
			      .kind = (uint8_t)kind,
			      .severity = kind_rows[kind].severity,
			      .flags = kind_rows[kind].flags,
			      .origin = kind_rows[kind].origin};
	if (j->d->framed && kind != SWO_KIND_ALIGN)
		m->flags |= MESSAGE_SCATTERED;
	if (s->proof < PROOF && kind < SWO_KIND_SYNC)
		m->flags |= MESSAGE_SUSPECT;
	set_time(j, kind, m);
	return m;
}

/* Return the end of a message that ends with the current byte or, if BEFORE, with the previous
 * byte. */
static uint64_t
end_of(const struct swo_feed *j, bool before)
{
	return j->s->base.offset + (before && !j->d->framed ? 0 : j->unit->length);
}

/* --- lines --------------------------------------------------------------- */

static void
line_end(struct swo_feed *j, struct swo_line *line, uint64_t end)
{
	struct message *m;
	if (!line->count)
		return;
	m = give_message(j, SWO_KIND_LINE, offset_of(j, line->start), end);
	m->flags |= MESSAGE_SCATTERED | (line->lost ? MESSAGE_LOST : 0) |
		    (line->doubt ? MESSAGE_SUSPECT : 0);
	m->origin = line->port;
	m->aux = line->count | (uint64_t)line->skip << 16 | (uint64_t)line->first << 60;
	line->count = 0;
}

static void
lines_end(struct swo_feed *j, uint64_t end)
{
	for (unsigned i = 0; i < LINES; i++)
		line_end(j, &j->s->lines[i], end);
}

static bool
is_older(const struct swo_feed *j, const struct swo_line *a, const struct swo_line *b)
{
	return offset_of(j, a->start) < offset_of(j, b->start);
}

/* Return the line of a port, begun if necessary.  If all are in use, end the oldest. */
static struct swo_line *
line_of(struct swo_feed *j, uint8_t port)
{
	struct swo_line *lines = j->s->lines, *unused = NULL;
	for (unsigned i = 0; i < LINES; i++) {
		if (lines[i].count && lines[i].port == port)
			return &lines[i];
		if (!lines[i].count)
			unused = &lines[i];
	}
	if (!unused) {
		unused = is_older(j, &lines[0], &lines[1]) ? &lines[0] : &lines[1];
		line_end(j, unused, end_of(j, true));
	}
	*unused = (struct swo_line){.start = j->s->start, .port = port, .first = j->s->first};
	return unused;
}

/* Return how many of LEFT bytes end a line: up to its line feed and any padding NULs.  Return 0 if
 * the line continues after them. */
static unsigned
line_part(uint64_t bytes, unsigned left)
{
	for (unsigned i = 0; i < left; i++, bytes >>= 8)
		if ((uint8_t)bytes == '\n')
			return bytes >> 8 ? i + 1 : left;
	return 0;
}

/* Add a write, which may end several lines and begin one. */
static void
line_add(struct swo_feed *j, uint8_t port, const struct swo_packet *p)
{
	for (unsigned done = 0, part; done < p->size; done += part) {
		struct swo_line *line = line_of(j, port);
		bool ends = (part = line_part(p->value >> 8 * done, p->size - done));
		if (!line->count)
			line->skip = done & 3;
		if (!ends)
			part = p->size - done;
		line->doubt |= j->s->proof < PROOF || j->s->page_lost;
		line->count = (uint16_t)(line->count + part);
		if (ends || line->count >= LINE_BYTES)
			line_end(j, line, end_of(j, false));
	}
}

/* --- looking ahead ------------------------------------------------------- */

/* A walk over the ITM bytes after the current one. */
struct swo_ahead {
	struct swo_unit unit;
	uint64_t offset, end;
	unsigned at;
	bool is_short; /* the window is too short */
};

static struct swo_ahead
look_ahead(const struct swo_feed *j)
{
	uint64_t offset = j->s->base.offset;
	return (struct swo_ahead){
	    .unit = *j->unit, .offset = offset, .end = offset + STAMP_SPAN, .at = j->index + 1};
}

static bool
ahead_next(const struct swo_feed *j, struct swo_ahead *ahead, uint8_t *byte)
{
	struct swo_unit *unit = &ahead->unit;
	for (;; ahead->at++) {
		while (ahead->at >= unit->count) {
			uint8_t id = unit->next;
			ahead->offset += unit->length;
			ahead->at = 0;
			if (ahead->offset >= ahead->end)
				return false;
			if (!swo_unit_read(j->d, j->w, ahead->offset, id, unit)) {
				ahead->is_short = !j->w->last;
				return false;
			}
			if (unit->odd)
				return false;
		}
		if (unit->ids[ahead->at] != j->d->id)
			continue;
		*byte = unit->bytes[ahead->at++];
		return true;
	}
}

/* --- time ---------------------------------------------------------------- */

/* Find the next local timestamp after the current byte.  Return false if the window is too
 * short. */
static bool
find_stamp(struct swo_feed *j)
{
	struct swo_state *s = j->s;
	struct swo_ahead ahead = look_ahead(j);
	struct swo_fit fit = {0};
	struct swo_packet packet;
	uint8_t byte;
	s->stamp = NO_STAMP;
	s->stamp_ahead = 0;
	while (s->stamp_ahead < STAMP_AHEAD && ahead_next(j, &ahead, &byte)) {
		s->stamp_ahead++;
		if (swo_fit_add(&fit, byte, &packet) && packet.what == SWO_LOCAL) {
			s->stamp = (uint32_t)packet.value;
			return true;
		}
	}
	return !ahead.is_short;
}

/* True if a bad packet comes soon.  Set j->is_short if the window is too short. */
static bool
is_bad_near(struct swo_feed *j)
{
	struct swo_ahead ahead = look_ahead(j);
	struct swo_fit fit = {0};
	struct swo_packet packet;
	uint8_t byte;
	for (unsigned i = 0; i < DOUBT_AHEAD && !fit.bad && ahead_next(j, &ahead, &byte); i++)
		swo_fit_add(&fit, byte, &packet);
	j->is_short |= ahead.is_short;
	return fit.bad;
}

/* --- packets ------------------------------------------------------------- */

/* Take a port packet `aaaaa0ss` [ARMv7-M, D4]. */
static void
take_port(struct swo_feed *j, const struct swo_packet *p)
{
	unsigned port = j->s->page * 32u + p->source;
	bool text = port < SWO_PORTS && j->d->text_ports >> port & 1;
	if (text && swo_is_text(p->value, p->size)) {
		line_add(j, (uint8_t)port, p);
		return;
	}
	struct message *m =
	    give_message(j, SWO_KIND_PORT, offset_of(j, j->s->start), end_of(j, false));
	m->origin = port;
	if (j->s->page_lost)
		m->flags |= MESSAGE_SUSPECT;
}

/* Take a local timestamp, `11rr0000` or `0ttt0000`: a difference [ARMv7-M, D4].  It belongs to the
 * packets before it, so its message already has the new sum. */
static void
take_local(struct swo_feed *j, const struct swo_packet *p)
{
	j->s->local += p->value;
	j->s->stamped = true;
	j->s->stamp_ahead = 0;
	give_message(j, SWO_KIND_LOCAL, offset_of(j, j->s->start), end_of(j, false));
}

/* Take a part of a global timestamp: bits 25:0, with "clock changed" and "wrapped" in the last
 * byte, or bits 47:26 or 63:26 [ARMv7-M, D4].  The time is complete only with both parts.  Once
 * the low bits wrap, it is incomplete again. */
static void
take_global(struct swo_feed *j, const struct swo_packet *p)
{
	const uint64_t low = 0x3ffffff;
	struct swo_state *s = j->s;
	const uint64_t before = s->global;
	if (p->what == SWO_GLOBAL_LOW) {
		unsigned bits = p->size == 4 ? 26 : 7u * p->size;
		uint64_t mask = (UINT64_C(1) << bits) - 1;
		s->low_known |= bits == 26;
		if (p->size == 4 && p->value >> 27 & 1)
			s->high_known = false;
		s->global = (s->global & ~mask) | (p->value & mask);
		/* the new high bits come later */
		if (s->low_known && !s->high_known && s->global < before)
			s->global += low + 1;
	} else {
		/* more than one wrap between two packets means damage */
		s->high_doubtful = s->proof < PROOF || ((s->high_known || s->global >> 27) &&
							p->value - (s->global >> 26) > 1);
		s->global = (s->global & low) | p->value << 26;
		s->high_known = true;
	}
	bool whole = s->low_known && s->high_known;
	struct message *m = give_message(j, whole ? SWO_KIND_GLOBAL : SWO_KIND_GLOBAL_PART,
					 offset_of(j, s->start), end_of(j, false));
	if (whole)
		m->aux = s->global;
	if (whole && s->high_doubtful)
		m->flags |= MESSAGE_SUSPECT;
}

/* Mark open lines as incomplete. */
static void
lines_lose(struct swo_state *s)
{
	for (unsigned i = 0; i < LINES; i++)
		s->lines[i].lost = true;
}

/* Note damage: packets may begin elsewhere, the page of ports may differ, timestamps may be
 * missing. */
static void
note_damage(struct swo_feed *j)
{
	struct swo_state *s = j->s;
	s->proof = 0;
	s->inexact = true;
	s->page = 0;
	s->page_lost = j->d->paged;
	lines_lose(s);
}

/* Note bytes that are no packet. */
static void
note_bad(struct swo_feed *j)
{
	struct swo_state *s = j->s;
	s->doubtful |= s->since_bad < BAD_NEAR;
	s->since_bad = 0;
	note_damage(j);
}

/* True if a packet that sets a page is real, false if it comes from damage.  A rare page must
 * have rare ports and must not follow another rare packet.  Set j->is_short if the window is
 * too short. */
static bool
is_page(struct swo_feed *j, const struct swo_packet *p)
{
	struct swo_ahead ahead = look_ahead(j);
	struct swo_fit fit = {0};
	struct swo_packet next;
	bool any = false;
	uint8_t byte;
	if (!j->d->regular || j->d->changes_page || j->d->weights[p->header] > 1)
		return true;
	while (!any && !fit.zeros && ahead_next(j, &ahead, &byte))
		any = swo_fit_add(&fit, byte, &next);
	j->is_short |= ahead.is_short;
	return !j->s->is_rare &&
	       (!any || (next.what == SWO_PORT && j->d->weights[next.header] == 1));
}

/* Take a page packet: one byte from software sets the page of the ports that follow. */
static void
take_page(struct swo_feed *j, const struct swo_packet *p)
{
	if (p->header & 0x84 || !j->d->paged)
		return;
	if (!is_page(j, p)) {
		note_damage(j);
		return;
	}
	j->s->page = p->header >> 4 & 7;
	j->s->page_lost = j->s->proof < PROOF;
}

/* True if the packet is rare, in a capture where nearly all are of a few kinds. */
static bool
is_rare(const struct swo_feed *j, const struct swo_packet *p)
{
	bool text = p->what == SWO_PORT && !j->s->page && j->d->text_ports >> p->source & 1;
	return j->d->regular &&
	       (j->d->weights[p->header] == 1 || (text && !swo_is_text(p->value, p->size)));
}

static void
take_packet(struct swo_feed *j, struct swo_form form)
{
	static const uint8_t kinds[] = {
	    [SWO_BAD] = SWO_KIND_DAMAGE,
	    [SWO_RESERVED] = SWO_KIND_RESERVED,
	    [SWO_EVENTS] = SWO_KIND_EVENTS,
	    [SWO_EXCEPTION] = SWO_KIND_EXCEPTION,
	    [SWO_PC] = SWO_KIND_PC,
	    [SWO_DATA] = SWO_KIND_DATA,
	    [SWO_EXTENSION] = SWO_KIND_EXTENSION,
	    [SWO_OVERFLOW] = SWO_KIND_OVERFLOW,
	};
	struct swo_state *s = j->s;
	struct swo_packet p = swo_packet_read(form, s->packet, s->have);
	uint64_t first = s->first;
	unsigned before = j->count, trail = 0;
	uint8_t page = s->page;
	while (trail + 1 < s->have && !s->packet[s->have - 1 - trail])
		trail++;
	s->trail = trail & 7;
	s->have = 0;
	if (p.what == SWO_BAD)
		note_bad(j);
	else if (s->proof < PROOF)
		s->proof = (s->proof + j->d->weights[p.header]) & 0x7f;
	else if (j->d->weights[p.header] == 1 && (j->d->regular || p.what == SWO_RESERVED) &&
		 is_bad_near(j))
		note_damage(j);
	if (s->stamped && !s->stamp_ahead && p.what != SWO_LOCAL && !find_stamp(j))
		j->is_short = true;
	if (p.what == SWO_EXTENSION)
		take_page(j, &p);
	if (p.what == SWO_PORT && s->page && swo_is_first_page(j->d, &p))
		note_damage(j);
	s->is_rare = is_rare(j, &p);
	if (j->is_short)
		return;
	if (p.what == SWO_OVERFLOW)
		lines_lose(s);
	if (p.what == SWO_PORT)
		take_port(j, &p);
	else if (p.what == SWO_LOCAL)
		take_local(j, &p);
	else if (p.what == SWO_GLOBAL_LOW || p.what == SWO_GLOBAL_HIGH)
		take_global(j, &p);
	else
		give_message(j, (enum swo_kind)kinds[p.what], offset_of(j, s->start),
			     end_of(j, false));
	/* if frequent in the head, it is real but from an unknown source */
	if (p.what == SWO_RESERVED && j->d->weights[p.header] == 1)
		j->given[j->count - 1].flags |= MESSAGE_SUSPECT;
	for (unsigned i = before; i < j->count; i++)
		if (j->given[i].kind != SWO_KIND_LINE && j->given[i].kind != SWO_KIND_GLOBAL)
			j->given[i].aux = SWO_AUX_VALUE(p.value) | (uint64_t)p.header << 40 |
					  (uint64_t)page << 48 | (uint64_t)p.size << 56 |
					  first << 60;
}

static void
begin_packet(struct swo_feed *j)
{
	j->s->start = (uint16_t)j->s->base.offset;
	j->s->first = j->index & 15;
}

/* Drop an unfinished packet or run of zeros, and report it as KIND. */
static void
drop_packet(struct swo_feed *j, enum swo_kind kind, uint64_t end)
{
	struct swo_state *s = j->s;
	if (s->have || s->zeros)
		give_message(j, kind, offset_of(j, s->start), end);
	s->have = 0;
	s->zeros = 0;
}

/* Count bytes of the ITM. */
static void
note_bytes(struct swo_state *s, size_t count)
{
	s->stamp_ahead = (uint16_t)(s->stamp_ahead > count ? s->stamp_ahead - count : 0);
	s->since_bad = s->since_bad + count < BAD_NEAR ? (s->since_bad + count) & 0x7f : BAD_NEAR;
}

/* Decode one byte of the ITM. */
static void
feed_byte(struct swo_feed *j, uint8_t byte)
{
	struct swo_state *s = j->s;
	note_bytes(s, 1);
	if (!s->have && !byte) {
		if (!s->zeros++)
			begin_packet(j);
		if (s->zeros == ZEROS_MAX) {
			drop_packet(j, SWO_KIND_DAMAGE, end_of(j, false));
			note_bad(j);
		}
		return;
	}
	/* at least 47 zero bits and a one [ARMv7-M, D4]; after damage the first zeros may have
	 * looked like the end of a packet */
	if (s->zeros && s->zeros + s->trail >= SWO_SYNC_ZEROS && byte == SWO_SYNC_LAST) {
		s->proof = PROOF;
		s->zeros = 0;
		s->page = 0;
		s->page_lost = false;
		give_message(j, SWO_KIND_SYNC, offset_of(j, s->start), end_of(j, false));
		return;
	}
	if (s->zeros) {
		drop_packet(j, SWO_KIND_DAMAGE, end_of(j, true));
		note_bad(j);
	}
	if (!s->have)
		begin_packet(j);
	s->packet[s->have++] = byte;
	const struct swo_form form = swo_form_allowed(s->packet[0]);
	if (swo_form_is_whole(form, s->packet, s->have))
		take_packet(j, form);
}

static void
take_trigger(struct swo_feed *j, uint8_t byte)
{
	struct message *m = give_message(j, SWO_KIND_TRIGGER, j->s->base.offset, end_of(j, false));
	m->aux = byte;
}

/* --- stepping ------------------------------------------------------------ */

struct swo_output {
	struct message *out;
	size_t count, max;
	uint64_t until;
};

/* True if the next LENGTH bytes are never decoded again, unless `out` is too small. */
static bool
is_sure(const struct swo_feed *j, const struct swo_output *o, size_t length)
{
	const struct window *w = j->w;
	uint64_t end = j->s->base.offset + length;
	bool ahead = w->last || w->offset + w->length >= end + STAMP_SPAN + SWO_UNIT_MAX;
	return ahead && end <= o->until && !j->s->given;
}

/* Output the messages of a byte.  If not all can be output, restore the state BEFORE, note how
 * many were, and return false.  BEFORE may be NULL if all fit. */
static bool
put_out(struct swo_feed *j, const struct swo_state *before, struct swo_output *o)
{
	struct swo_state *s = j->s;
	unsigned i = before ? before->given : 0;
	for (; i < j->count && o->count < o->max; i++) {
		if (message_id_offset(&j->given[i]) >= o->until)
			break;
		o->out[o->count++] = j->given[i];
	}
	if (i >= j->count && !j->is_short) {
		s->given = 0;
		j->count = 0;
		return true;
	}
	assert(before);
	*s = *before;
	s->given = i & 15;
	return false;
}

/* Count the silent bits of a unit.  Bits of the ITM are in messages. */
static void
count_silent(const struct swo_decoder *d, struct swo_state *s, const struct swo_unit *unit)
{
	uint64_t frame = unit->length - unit->sync;
	unsigned idle = 0, unnamed = 0, others = 0, itms = 0;
	if (!d->framed)
		return;
	for (unsigned i = 0; i < unit->count; i++) {
		uint8_t id = unit->ids[i];
		idle += id == CORESIGHT_ID_NULL;
		unnamed += id == CORESIGHT_NOBODY;
		itms += id != d->id && id < SWO_IDS && d->itms[id];
		others += id != d->id && id != CORESIGHT_ID_TRIGGER;
	}
	s->base.silent[SILENT_SYNC] += 8 * unit->sync;
	s->base.silent[SILENT_FRAME] += 8 * (frame - unit->count);
	s->base.silent[SILENT_IDLE] += 8 * idle;
	s->base.silent[SILENT_NOBODY] += 8 * unnamed;
	s->base.silent[SILENT_ITM] += 8 * itms;
	s->base.silent[SILENT_SOURCE] += 8 * (others - idle - unnamed - itms);
}

static void
end_unit(const struct swo_feed *j)
{
	struct swo_state *s = j->s;
	const struct swo_unit *unit = j->unit;
	count_silent(j->d, s, unit);
	if (j->units)
		j->units->take(j->units->context, s->base.offset, unit);
	if (unit->count)
		s->id = unit->next;
	s->base.offset += unit->length;
	s->skip = 0;
	s->looked = false;
	if (s->debt && unit->count)
		s->debt--;
}

static bool
is_aged(const struct swo_feed *j, uint16_t start, uint32_t span)
{
	return j->s->base.offset - offset_of(j, start) >= span;
}

static bool
is_line_aged(const struct swo_feed *j, const struct swo_line *line)
{
	return line->count && is_aged(j, line->start, LINE_SPAN);
}

static bool
has_aged(const struct swo_feed *j)
{
	const struct swo_state *s = j->s;
	return ((s->have || s->zeros) && is_aged(j, s->start, PACKET_SPAN)) ||
	       is_line_aged(j, &s->lines[0]) || is_line_aged(j, &s->lines[1]);
}

/* End packets and lines that began too far back, whatever source the unit has: only the low 16
 * bits of an offset are kept.  Return false if the step ends here. */
static bool
step_aged(struct swo_feed *j, struct swo_output *o)
{
	struct swo_state *s = j->s;
	if (s->skip || !has_aged(j))
		return true;
	struct swo_state before = *s;
	if ((s->have || s->zeros) && is_aged(j, s->start, PACKET_SPAN))
		drop_packet(j, SWO_KIND_CUT, s->base.offset);
	for (unsigned i = 0; i < LINES && !s->have && !s->zeros; i++)
		if (is_line_aged(j, &s->lines[i]))
			line_end(j, &s->lines[i], s->base.offset);
	return !j->count || put_out(j, &before, o);
}

/* End everything unfinished at the end of the capture.  CUT: it ends inside a unit. */
static void
end_all(struct swo_feed *j, uint64_t end, bool cut)
{
	if (cut || j->s->have || j->s->zeros)
		lines_lose(j->s);
	drop_packet(j, SWO_KIND_CUT, end);
	lines_end(j, end);
}

/* End everything together with the last unit.  That unit is not done before this, because a caller
 * that consumed all bytes does not step again. */
static bool
end_capture(struct swo_feed *j, struct swo_output *o)
{
	struct swo_state *s = j->s;
	uint64_t end = s->base.offset + j->unit->length;
	if (!j->w->last || end != j->w->offset + j->w->length)
		return true;
	s->skip = j->unit->count & 15;
	struct swo_state before = *s;
	end_all(j, end, false);
	return put_out(j, &before, o);
}

/* Decode the remaining bytes of a unit.  Return false if the step ends in it. */
static bool
step_unit(struct swo_feed *j, struct swo_output *o)
{
	struct swo_state *s = j->s, before;
	const bool sure = is_sure(j, o, j->unit->length);
	for (unsigned i = s->skip; i < j->unit->count; i++) {
		bool itm = j->unit->ids[i] == j->d->id;
		bool fits = sure && o->max - o->count >= GIVEN_MAX;
		j->index = i;
		if (!itm && j->unit->ids[i] != CORESIGHT_ID_TRIGGER)
			continue;
		if (!fits)
			before = *s;
		if (itm)
			feed_byte(j, j->unit->bytes[i]);
		else
			take_trigger(j, j->unit->bytes[i]);
		if ((j->count || j->is_short) && !put_out(j, fits ? NULL : &before, o))
			return false;
		s->skip = (i + 1) & 15;
	}
	if (!end_capture(j, o))
		return false;
	end_unit(j);
	return true;
}

/* True if another search for the frame start is affordable.  Limits the cost of bytes that fit
 * nowhere. */
static bool
may_look(const struct swo_state *s)
{
	return !s->looked && s->debt <= DEBT_MAX;
}

/* True if a packet does not continue after damage: its source may have been misread. */
static bool
is_silent(const struct swo_feed *j)
{
	const struct swo_state *s = j->s;
	return (s->have || s->zeros) && s->proof < PROOF && is_aged(j, s->start, SILENCE);
}

/* Find where frames start from the state's offset on.  Return false if the step ends here. */
static bool
step_align(struct swo_feed *j, struct swo_output *o)
{
	struct swo_state *s = j->s, before = *s;
	uint8_t id = s->id;
	uint32_t skipped;
	if (!swo_align(j->d, j->w, s->base.offset, !s->aligned, &id, &skipped))
		return false;
	if (skipped) {
		uint64_t end = s->base.offset + skipped;
		drop_packet(j, SWO_KIND_CUT, s->base.offset);
		note_damage(j);
		lines_end(j, s->base.offset);
		give_message(j, SWO_KIND_ALIGN, s->base.offset, end);
		if (!put_out(j, &before, o))
			return false;
		s->base.offset = end;
		if (j->units)
			j->units->move(j->units->context, end);
		s->id = id;
		s->stamp_ahead = 0;
		s->since_bad = BAD_NEAR;
	}
	s->aligned = s->looked = true;
	s->doubtful = false;
	s->debt = (uint16_t)(s->debt + LOOK_COST);
	return true;
}

/* End everything at the end of the capture.  The last LEFT bytes are no complete unit. */
static bool
step_end(struct swo_feed *j, struct swo_output *o, size_t left)
{
	struct swo_state *s = j->s, before = *s;
	uint64_t end = s->base.offset;
	end_all(j, end, left);
	if (left)
		give_message(j, SWO_KIND_CUT, end, end + left)->flags &=
		    (uint16_t)~MESSAGE_SCATTERED;
	if (!put_out(j, &before, o))
		return false;
	s->base.offset += left;
	return true;
}

/* True if messages of a unit may belong after UNTIL, so that the step ends before it.  Bare
 * packets belong where they begin, frames where they end. */
static bool
is_behind(const struct swo_feed *j, const struct swo_unit *unit, uint64_t until)
{
	if (j->d->framed)
		return j->s->base.offset + unit->length > until;
	return j->s->base.offset >= until && !j->s->have && !j->s->zeros;
}

/* Decode a whole bare packet in one step.  Return false if its bytes must be decoded one by one.
 * That is so if bytes are missing, another event is due, or the packet may be decoded again. */
static bool
step_packet(struct swo_feed *j, struct swo_output *o)
{
	static const struct swo_unit one = {.length = 1, .count = 1, .next = CORESIGHT_NOBODY};
	struct swo_state *s = j->s;
	const struct window *w = j->w;
	uint64_t left = w->offset + w->length - s->base.offset;
	if (j->d->framed || s->have || s->zeros || left <= SWO_PACKET_MAX || has_aged(j) ||
	    o->max - o->count < GIVEN_MAX)
		return false;
	const uint8_t *bytes = w->bytes + (s->base.offset - w->offset);
	const struct swo_form form = swo_form_allowed(*bytes);
	size_t length = *bytes ? swo_form_length(form, bytes) : 0;
	j->unit = &one;
	j->index = 0;
	if (!length || !is_sure(j, o, length))
		return false;
	begin_packet(j);
	memcpy(s->packet, bytes, length);
	s->have = (uint8_t)length;
	s->base.offset += length - 1;
	note_bytes(s, length);
	take_packet(j, form);
	put_out(j, NULL, o);
	s->base.offset++;
	return true;
}

size_t
swo_step_units(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	       struct message *out, size_t max, const struct swo_units *units)
{
	const struct swo_decoder *d = (const struct swo_decoder *)decoder;
	struct swo_state *s = (struct swo_state *)state;
	struct swo_output o = {.out = out, .max = max, .until = w->until};
	struct swo_feed j = {.d = d, .w = w, .s = s, .units = units};
	uint64_t end = w->offset + w->length;
	struct swo_unit unit;
	while (o.count < max) {
		if (step_packet(&j, &o))
			continue;
		bool doubtful = s->doubtful || is_silent(&j);
		bool look = d->framed && s->base.offset < end && !s->skip &&
			    (!s->aligned || (doubtful && may_look(s)));
		if (s->base.offset >= w->until && d->framed)
			break;
		if (!look && !swo_unit_read(d, w, s->base.offset, s->id, &unit)) {
			if (w->last)
				step_end(&j, &o, (size_t)(end - s->base.offset));
			break;
		}
		if (!look)
			look = unit.odd && !s->skip && may_look(s);
		if (look) {
			if (!step_align(&j, &o))
				break;
			continue;
		}
		if (is_behind(&j, &unit, w->until))
			break;
		j.unit = &unit;
		if (!step_aged(&j, &o) || !step_unit(&j, &o))
			break;
	}
	return o.count;
}

static size_t
swo_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	 struct message *out, size_t max)
{
	return swo_step_units(decoder, state, w, out, max, NULL);
}

enum { RATED = 512 }; /* bytes used to rate how well packets fit */

/* Score of the packets from the first byte on, up to each byte. */
struct rating {
	int16_t score[RATED + SWO_PACKET_MAX];
	bool between[RATED + SWO_PACKET_MAX]; /* at a packet boundary, and not after zeros */
};

static int16_t
rate_fit(const struct swo_fit *fit)
{
	enum { BAD_WEIGHT = 12 };
	return (int16_t)((int)fit->good - BAD_WEIGHT * (int)fit->bad);
}

static void
rate_first(const struct window *w, size_t length, struct rating *rating)
{
	struct swo_fit fit = {0};
	struct swo_packet packet;
	for (size_t i = 0; i <= length; i++) {
		rating->score[i] = rate_fit(&fit);
		rating->between[i] = !fit.have && !fit.zeros;
		if (i < length)
			swo_fit_add(&fit, w->bytes[i], &packet);
	}
}

/* Rate the packets from FROM to END.  Once a boundary coincides with one of the walk from the
 * first byte, the rest is equal. */
static int
rate_place(const struct window *w, size_t from, size_t end, const struct rating *first)
{
	struct swo_fit fit = {0};
	struct swo_packet packet;
	for (size_t i = from; i < end; i++) {
		if (first->between[i] && !fit.have && !fit.zeros)
			return rate_fit(&fit) + first->score[end] - first->score[i];
		swo_fit_add(&fit, w->bytes[i], &packet);
	}
	return rate_fit(&fit);
}

/* Find the offset at which packets fit best, among those where one could begin. */
static int
itm_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	size_t best = 0, most = RATED + SWO_PACKET_MAX - 1;
	int best_score = INT_MIN;
	struct rating first;
	if (!w->length)
		return ERR_SYNC;
	rate_first(w, w->length < most ? w->length : most, &first);
	for (size_t i = 0; i < SWO_PACKET_MAX && i < w->length; i++) {
		size_t end = w->length - i < RATED ? w->length : i + RATED;
		int score = rate_place(w, i, end, &first);
		if (score > best_score) {
			best_score = score;
			best = i;
		}
	}
	swo_start(decoder, state);
	((struct swo_state *)state)->proof = PROOF;
	state->offset = w->offset + best;
	return 0;
}

static int
tpiu_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	struct swo_state *s = (struct swo_state *)state;
	uint8_t id = CORESIGHT_NOBODY;
	uint32_t skipped;
	if (!w->length ||
	    !swo_align((const struct swo_decoder *)decoder, w, w->offset, true, &id, &skipped))
		return ERR_SYNC;
	swo_start(decoder, state);
	s->proof = PROOF;
	s->aligned = true;
	s->base.offset = w->offset + skipped;
	return 0;
}

/* --- opening ------------------------------------------------------------- */

/* Parse the ports that the options list.  Return false with an error if they are invalid. */
static bool
list_ports(const char *text, uint32_t *ports, struct err *err)
{
	*ports = 0;
	if (!strcmp(text, "none"))
		return true;
	for (char *end;; text = end + 1) {
		unsigned long port = strtoul(text, &end, 0);
		if (end == text || (*end && *end != ',') || port >= SWO_PORTS)
			break;
		*ports |= UINT32_C(1) << port;
		if (!*end)
			return true;
	}
	err_set(err, ERR_CONFIG, "lines has %s; expected ports from 0 to %d, or none", text,
		SWO_PORTS - 1);
	return false;
}

void
swo_part_add(struct decoder *decoder, struct decoder_part *parts, unsigned id)
{
	struct decoder_part *part = &parts[decoder->part_count++];
	decoder->parts = parts;
	part->format = tpiu_ops.format;
	snprintf(part->settings, sizeof part->settings, "id: %u", id);
	snprintf(part->name, sizeof part->name, ".id%u", id);
}

static struct decoder *
open_as(const struct decoder_ops *ops, bool framed, const void *options, const struct window *head,
	struct err *err)
{
	const struct swo_options *own = options;
	struct swo_decoder *d = mem_new(sizeof *d);
	struct swo_head *found = mem_new(sizeof *found);
	d->base.ops = ops;
	d->framed = framed;
	swo_head_read(head, framed, (uint8_t)own->id, found);
	d->id = framed ? (found->id ? found->id : 1) : CORESIGHT_NOBODY;
	d->text_ports = swo_head_text_ports(found);
	d->stamped = found->kinds[SWO_LOCAL];
	d->by_global = found->kinds[SWO_GLOBAL_LOW] && !d->stamped;
	d->base.untimed = found->whole && !d->stamped && !d->by_global;
	swo_head_weigh(found, d);
	swo_sort_pairs(d, found);
	for (unsigned id = 0; id < SWO_IDS && framed; id++) {
		d->itms[id] = swo_head_is_itm(found, id);
		if (d->itms[id] && !own->id)
			swo_part_add(&d->base, d->parts, id);
	}
	if (d->base.part_count < 2)
		d->base.part_count = 0;
	free(found);
	if (!own->lines || list_ports(own->lines, &d->text_ports, err))
		return &d->base;
	free(d);
	return NULL;
}

static struct decoder *
itm_open(const void *options, const struct window *head, struct err *err)
{
	return open_as(&itm_ops, false, options, head, err);
}

static struct decoder *
tpiu_open(const void *options, const struct window *head, struct err *err)
{
	return open_as(&tpiu_ops, true, options, head, err);
}

static void
itm_probe(const struct window *head, struct probe *probe)
{
	swo_head_rate(head, false, probe);
}

static void
tpiu_probe(const struct window *head, struct probe *probe)
{
	swo_head_rate(head, true, probe);
}

static void
swo_identify(const struct decoder *decoder, const struct message *m, struct origin_identity *origin)
{
	(void)decoder;
	origin->numbered = m->origin < SWO_ORIGIN_DWT;
	origin->number = m->origin;
}

static const struct decoder_guide itm_guide = {.propose = swo_itm_propose, .survey = swo_survey};
static const struct decoder_guide tpiu_guide = {.propose = swo_tpiu_propose, .survey = swo_survey};

#define COMMON_OPS                                                                                 \
	.fields = SWO_FIELDS, .field_count = SWO_F_COUNT, .kinds = SWO_KINDS,                      \
	.kind_count = SWO_KIND_COUNT, .origin_none = SWO_ORIGIN_ITM,                               \
	.context_count = sizeof contexts / sizeof *contexts, .reach = REACH, .run_up = RUN_UP,     \
	.state_size = sizeof(struct swo_state), .checkpoint_size = SAVED,                          \
	.close = decode_plain_close, .start = swo_start, .start_is_free = true,                    \
	.save = decode_plain_save, .restore = decode_plain_restore, .step = swo_step,              \
	.expand = swo_expand, .identify_origin = swo_identify

const struct decoder_ops itm_ops = {
    .format = "itm",
    .title = "Arm ITM and DWT packets",
    .help = "bytes of an SWO pin without frames: stimulus ports and DWT "
	    "packets",
    COMMON_OPS,
    .options = &itm_options,
    .guide = &itm_guide,
    .contexts = contexts,
    /* no trigger: bare packets contain none */
    /* no unnamed: a file contains no names of ports */
    .alike = "action",
    /* no clocks: no packet relates two clocks */
    /* no printer: every tool has a different listing */
    .probe = itm_probe,
    .open = itm_open,
    .resync = itm_resync,
};

const struct decoder_ops tpiu_ops = {
    .format = "tpiu",
    .title = "Arm TPIU frames of an SWO pin or trace port",
    .help = "frames with other sources and one or more ITMs, a trace for each ITM; with or "
	    "without frame synchronisation",
    COMMON_OPS,
    .silent = tpiu_silent,
    .silent_count = SILENTS,
    .options = &tpiu_options,
    .guide = &tpiu_guide,
    .contexts = contexts,
    .trigger = "kind = trigger",
    /* no unnamed: a file contains no names of ports */
    .alike = "action",
    /* no clocks: no packet relates two clocks */
    /* no printer: every tool has a different listing */
    .probe = tpiu_probe,
    .open = tpiu_open,
    .resync = tpiu_resync,
};
