/*
 * Decode CoreSight trace buffers to messages.  A message is a generic trace element.  Bytes that a
 * decoder could not read, and bytes of trace IDs that are not decoded, are messages too.
 *
 * The capture is deformatted in chunks.  Each run of bytes goes to the lane of its source, and
 * each lane puts its messages into a queue.  The queues are merged by offset (the index of the
 * packet), then in the order of sources.  After a chunk is decoded, the messages of the previous
 * chunk are certain and are handed out.  A message may come even later, if its source paused in
 * the middle of a packet.  It then gets the first offset not yet handed out (MESSAGE_SCATTERED).
 * Chunks lie on a fixed grid, so this does not depend on windows or on where decoding started.
 * Messages that a decoder gives at the end of the trace are at the last byte.
 *
 * The state of the library cannot be saved.  A checkpoint holds how far back each lane must start
 * (opencsd_lane.h), and how much was handed out.  Decoding is repeated from there, and that much
 * is dropped.  A state at or before a checkpoint simply continues to it.
 */
#include "config.h"

#include "decode/coresight/opencsd_decoder.h"
#include "decode/coresight/opencsd_kept.h"
#include "decode/flow_packet.h"

#include "base/bytes.h"
#include "decode/syst/syst_frame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK = 8192, /* a multiple of a frame and of a DSTREAM's block */
	CHUNKS = 4,   /* chunks with a recorded start state */
	RUN_UP = 65536
};

/* Layout of a checkpoint. */
enum {
	SAVED_OFFSET = 0,
	SAVED_SKIP = 8,
	SAVED_FRAMES = 12, /* how far back deformatting starts */
	SAVED_LANES = 13,  /* how far back each lane starts */
	SAVED_SIZE = CHECKPOINT_MAX
};

/* Layout of a checkpoint with an ITM, after the number of messages.  It describes the chunk that
 * contains the offset, with exact offsets as distances from the start of the chunk. */
enum {
	MIXED = 12,
	MIXED_KNOWN = 0,    /* 0: decoding must begin at the start */
	MIXED_FRAMES = 1,   /* how far back units are read */
	MIXED_DISTANCE = 5, /* size of a distance in bytes */
	MIXED_SWO = 6,	    /* state of frames and ITM at the start of the chunk */
	MIXED_LANES = MIXED_SWO + SWO_CHECKPOINT,
	MIXED_LANE = 1 + MIXED_DISTANCE, /* enum opencsd_since and start of a lane */
	MIXED_SIZE = MIXED_LANES + OPENCSD_SWO_SOURCES * MIXED_LANE
};
static_assert((int)MIXED + (int)MIXED_SIZE <= (int)SAVED_SIZE, "all lanes fit in");

/* Messages not yet handed out. */
struct queue {
	VEC(struct message) list;
	size_t head;
	uint64_t last;		  /* offset of the last message */
	uint64_t from;		  /* the lane skips bytes before this offset */
	enum opencsd_since since; /* knowledge about the skipped bytes */
	uint64_t oldest[CHUNKS];  /* oldest open message at the start of each chunk */
};

/* Kinds of bytes in no message.  Some bytes of decoded sources are also in none: packets without
 * an element, and bytes before synchronisation. */
enum {
	SILENT_TRACE,
	SILENT_FRAME,
	SILENT_NULL,
	SILENT_TRIGGER,
	SILENT_RESERVED,
	SILENT_SYNC,
	SILENT_BLOCK,
	SILENT_COUNT
};
/* [IHI0029, trace formatter, special trace source IDs] */
static const struct silent_row silent[SILENT_COUNT] = {
    [SILENT_TRACE] = {"trace",
		      "bytes of sources that are decoded; those of messages are among them", false},
    [SILENT_FRAME] = {"frame", "trace IDs and low bits in frames of the trace formatter", false},
    [SILENT_NULL] = {"null", "bytes of trace ID 0, with which frames are filled up", false},
    [SILENT_TRIGGER] = {"trigger", "bytes of trace IDs 0x7b and 0x7d: flush and trigger", false},
    [SILENT_RESERVED] = {"reserved", "bytes of trace ID 0x7f, which is reserved", false},
    [SILENT_SYNC] = {"sync", "frame and half-frame synchronisation of a trace port", false},
    [SILENT_BLOCK] = {"block", "the last 8 of each 512 bytes of a DSTREAM", false},
};

/* Bytes of an undecoded trace ID in this chunk. */
struct stray {
	uint64_t first, last; /* offsets */
	uint32_t count;	      /* bytes; 0: none */
};

struct opencsd_state {
	struct decode_state base;
	const struct opencsd_decoder *decoder;
	struct coresight frames;
	struct opencsd_lane *lanes; /* NULL until first needed */
	struct queue *queues;	    /* one for each lane, and one for stray bytes */
	size_t lane_count;
	struct stray strays[CORESIGHT_IDS];
	struct {
		uint64_t number, anchor; /* offset from which the source is known */
		uint8_t mixed[MIXED_SIZE];
	} chunks[CHUNKS];

	uint64_t fed; /* end of the decoded bytes; base.offset is lower if a unit crosses it */
	struct decode_state *swo; /* NULL: no ITM in frames */
	struct opencsd_units units;
	uint64_t resume; /* units before this are read without SWO, which resumes here */

	uint64_t run;	 /* offset of the last run started, if known */
	uint64_t whence; /* offset of a resync: nothing before it is decoded */
	bool whole;	 /* deformatting began at the start */
	bool sourced;	 /* an ID came since deformatting began */
	uint64_t floor;	 /* no new message may come before this offset */
	uint64_t end;	 /* end of the capture, valid at the end of the trace */
	bool ended;

	/* Messages handed out: COUNT at OFFSET, and all before OFFSET. */
	uint64_t offset;
	uint32_t count;
	/* After a restore, messages up to here are dropped. */
	bool repeating;
	uint64_t border;
	uint32_t skip;
	uint8_t saved[SAVED_SIZE];

	bool keeps; /* keep the elements of this chunk, for the expansion of their messages */
	VEC(struct opencsd_kept_element) kept;

	uint64_t frequency; /* of STM timestamps: the first one in the trace */
};

/* A call of step(). */
struct opencsd_run {
	struct opencsd_state *state;
	const struct window *window;
	struct message *out;
	size_t count, max;
};

/* --- messages into queues ---------------------------------------------- */

/* Append a message to a queue, at an offset not yet handed out. */
static void
opencsd_enqueue(struct opencsd_state *s, struct queue *queue, struct message *m)
{
	uint64_t floor = queue->last > s->floor ? queue->last : s->floor;
	if (message_id_offset(m) < floor) {
		if (floor - m->offset >= UINT32_MAX)
			m->offset = floor; /* more than 4 GiB late */
		m->length = (uint32_t)(floor - m->offset) + 1;
		m->flags |= MESSAGE_SCATTERED;
	}
	queue->last = message_id_offset(m);
	vec_reserve(&queue->list, 1);
	queue->list.at[queue->list.count++] = *m;
}

/* If the element ends a SyS-T message, turn M into that message, with the time of its first
 * packet. */
static void
fill_syst(const struct opencsd_lane *lane, struct message *m)
{
	const struct stp_message *message = lane->message;
	size_t length = (message->nibbles + 1) / 2;
	struct syst_peek peek;
	syst_peek(message->bytes, length, &peek);
	bool word = !peek.prefix && length == peek.length;
	if (peek.suspect || peek.kind >= SYST_UNKNOWN || (!peek.prefix && !word))
		return;
	struct message syst = {0};
	syst_fill(&peek, length, &syst);
	m->kind = OPENCSD_SYST;
	m->severity = syst.severity;
	m->flags |= MESSAGE_TIMED | (syst.flags & (uint16_t)~MESSAGE_TIMED);
	m->ticks = message->ticks;
	m->origin ^= (syst.origin + 1) * 0x9e3779b97f4a7c15;
}

/* True if the text of an element needs earlier elements. */
static bool
joins_packets(const struct opencsd_element *e)
{
	return e->type == OPENCSD_SWTRACE && e->flags & OPENCSD_MARKER;
}

/* True if an element is kept for the expansion of its message. */
static bool
is_kept(const struct opencsd_state *s, const struct opencsd_element *e)
{
	return s->keeps && e->type != OPENCSD_EO_TRACE && !joins_packets(e);
}

static void
on_element(void *context, struct opencsd_lane *lane, const struct opencsd_element *e)
{
	struct opencsd_state *s = context;
	struct queue *queue = &s->queues[lane - s->lanes];
	struct message m = {
	    .offset = coresight_offset(lane->format, e->index),
	    .length = opencsd_lane_length(lane, e->index),
	};
	if (s->swo) {
		/* times come from the ITM, on another clock */
		struct opencsd_element untimed = *e;
		untimed.flags &= ~(uint32_t)OPENCSD_HAS_TIMESTAMP;
		opencsd_element_message(&untimed, &m);
		m.flags &= (uint16_t)~MESSAGE_SYNC;
	} else {
		opencsd_element_message(e, &m);
	}
	bool at_end = e->type == OPENCSD_EO_TRACE;
	uint32_t ordinal = at_end ? 0 : lane->ordinal;
	/* offset from which decoding must be right to give the element again */
	uint64_t needed = at_end ? s->end : m.offset;
	if (e->flags & OPENCSD_FREQUENCY && !s->frequency)
		s->frequency = e->value;
	if (lane->message && !s->swo)
		fill_syst(lane, &m);
	if (m.kind == OPENCSD_SYST)
		needed = lane->message->start.nibble / 2;
	else if (e->type == OPENCSD_SWTRACE && e->flags & OPENCSD_MARKER)
		needed -= needed < OPENCSD_OTHER_SPAN ? needed : OPENCSD_OTHER_SPAN;
	struct opencsd_restart start = opencsd_lane_restart(lane, needed);
	if (start.offset < s->whence)
		start = (struct opencsd_restart){s->whence, OPENCSD_SINCE_ANYWHERE};
	if (at_end) {
		m.offset = s->end ? s->end - 1 : 0;
		m.length = s->end > 0;
	}
	m.aux |= opencsd_aux_place(0, at_end, start.since);
	if (s->swo)
		m.aux |= opencsd_aux_exact(e->id, ordinal, start.offset, m.offset);
	else
		m.aux |= opencsd_aux(e->id, ordinal) |
			 opencsd_aux_place(opencsd_distance(start.offset, m.offset), false, 0);
	opencsd_enqueue(s, queue, &m);
	if (is_kept(s, e)) {
		vec_reserve(&s->kept, 1);
		struct opencsd_kept_element *kept = &s->kept.at[s->kept.count++];
		kept->message = m;
		kept->element = *e;
	}
}

static void
on_fatal(void *context, struct opencsd_lane *lane, uint64_t index, int why)
{
	struct opencsd_state *s = context;
	struct message m = {
	    .offset = coresight_offset(lane->format, index),
	    .origin = lane->source->id,
	    .aux = opencsd_aux(lane->source->id, (uint32_t)why),
	    .length = 1,
	    .flags = MESSAGE_DAMAGED,
	    .kind = OPENCSD_FATAL,
	    .severity = SEVERITY_ERROR,
	};
	opencsd_enqueue(s, &s->queues[lane - s->lanes], &m);
}

static void
add_stray(struct opencsd_state *s, const struct coresight_run *run)
{
	struct stray *stray = &s->strays[run->id];
	if (!stray->count)
		stray->first = run->offsets[0];
	stray->last = run->offsets[run->count - 1];
	stray->count += run->count;
}

/* Kinds of bytes that belong to no source and are no loss; 0: not such an ID. */
static const uint8_t silent_kinds[CORESIGHT_IDS] = {
    [CORESIGHT_ID_NULL] = SILENT_NULL,
    [CORESIGHT_ID_FLUSH] = SILENT_TRIGGER,
    [CORESIGHT_ID_TRIGGER] = SILENT_TRIGGER,
    [CORESIGHT_ID_RESERVED] = SILENT_RESERVED,
};

static void
count_silent(struct opencsd_state *s, unsigned kind, uint64_t bytes)
{
	s->base.silent[kind] += 8 * bytes;
}

/* Take a run of bytes.  After a start in the middle, bytes before the first ID have no known
 * source and are dropped. */
static void
on_run(void *context, const struct coresight_run *run)
{
	struct opencsd_state *s = context;
	uint8_t lane = s->decoder->lane_of[run->id];
	unsigned kind = silent_kinds[run->id];
	s->sourced |= run->id != CORESIGHT_NOBODY;
	if (lane != OPENCSD_NO_LANE && s->lanes[lane].tree) {
		count_silent(s, SILENT_TRACE, run->count);
		if (run->offsets[0] >= s->queues[lane].from && lane != s->decoder->itm_lane)
			opencsd_lane_feed(&s->lanes[lane], run);
	} else if (kind) {
		count_silent(s, kind, run->count);
	} else if (s->sourced || s->whole) {
		add_stray(s, run);
	}
}

static void
count_frames(struct opencsd_state *s)
{
	struct coresight_counts *counts = &s->frames.counts;
	count_silent(s, SILENT_FRAME, counts->frame);
	count_silent(s, SILENT_SYNC, counts->sync);
	count_silent(s, SILENT_BLOCK, counts->block);
	*counts = (struct coresight_counts){0};
}

/* Make a message of stray bytes.  A buffer that wrapped begins in the middle of some source's
 * data, which is no loss.  All other undecoded bytes are lost. */
static void
enqueue_stray(struct opencsd_state *s, uint8_t id, const struct stray *stray)
{
	bool beginning = id == CORESIGHT_NOBODY && s->sourced && stray->last - s->run < CHUNK;
	struct message m = {
	    .offset = stray->first,
	    .origin = id | OPENCSD_ORIGIN_STRAY,
	    .aux = opencsd_aux(id, stray->count),
	    .length = (uint32_t)(stray->last - stray->first) + 1,
	    .flags = beginning ? 0 : MESSAGE_LOST,
	    .kind = OPENCSD_STRAY,
	    .severity = beginning ? SEVERITY_WARNING : SEVERITY_ERROR,
	};
	opencsd_enqueue(s, &s->queues[s->lane_count], &m);
}

/* Make messages of the stray bytes of a chunk, in order of their first byte. */
static void
flush_strays(struct opencsd_state *s)
{
	for (;;) {
		unsigned best = CORESIGHT_IDS;
		for (unsigned i = 0; i < CORESIGHT_IDS; i++)
			if (s->strays[i].count &&
			    (best == CORESIGHT_IDS || s->strays[i].first < s->strays[best].first))
				best = i;
		if (best == CORESIGHT_IDS)
			return;
		enqueue_stray(s, (uint8_t)best, &s->strays[best]);
		s->strays[best].count = 0;
	}
}

/* --- feeding ----------------------------------------------------------- */

static uint64_t
chunk_of(uint64_t offset)
{
	return offset / CHUNK;
}

/* Return the first offset that may still get messages, once everything before OFFSET, the end of a
 * chunk, is decoded. */
static uint64_t
opencsd_settled(uint64_t offset)
{
	uint64_t chunk = chunk_of(offset) * CHUNK;
	return chunk > CHUNK ? chunk - CHUNK : 0;
}

static bool
says_lost(const struct opencsd_run_options *run)
{
	return run->skip || run->lost || run->reason;
}

/* Append a message for the loss at run N.  OFFSET is the start of the run, or the last byte for a
 * run at the end of the capture. */
static void
enqueue_lost(struct opencsd_state *s, size_t n, uint64_t offset)
{
	const struct opencsd_run_options *run = s->decoder->runs.at[n];
	uint64_t skip = run->offset == offset ? run->skip : 0;
	struct message m = {
	    .offset = offset,
	    .origin = CORESIGHT_NOBODY | OPENCSD_ORIGIN_STRAY,
	    .aux = opencsd_aux(CORESIGHT_NOBODY, (uint32_t)n),
	    .length = skip > UINT32_MAX ? UINT32_MAX
		      : skip		? (uint32_t)skip
					: 1,
	    .flags = MESSAGE_LOST,
	    .kind = OPENCSD_LOST,
	    .severity = SEVERITY_ERROR,
	};
	if (says_lost(run))
		opencsd_enqueue(s, &s->queues[s->lane_count], &m);
}

/* Start the runs at OFFSET.  Nothing before it is used. */
static void
start_runs(struct opencsd_state *s, uint64_t offset)
{
	const struct opencsd_decoder *d = s->decoder;
	flush_strays(s);
	for (size_t i = 0; i < s->lane_count; i++)
		opencsd_lane_start_run(&s->lanes[i], offset);
	if (d->format == CORESIGHT_ALIGNED)
		coresight_start(&s->frames, d->format, offset);
	s->whole = true;
	s->sourced = false;
	s->run = offset;
	for (size_t n = opencsd_run_from(d, offset);
	     n < d->runs.count && d->runs.at[n]->offset == offset; n++)
		enqueue_lost(s, n, offset);
}

/* Decode a piece of a run. */
static void
feed_run(struct opencsd_state *s, const struct window *w, uint64_t end)
{
	uint64_t at = s->base.offset;
	const uint8_t *bytes = w->bytes + (at - w->offset);
	if (s->decoder->format != CORESIGHT_SOURCE) {
		coresight_feed(&s->frames, bytes, (size_t)(end - at), at, on_run, s);
		count_frames(s);
	} else if (s->queues[0].from < end) {
		uint64_t skipped = s->queues[0].from > at ? s->queues[0].from - at : 0;
		count_silent(s, SILENT_TRACE, end - at);
		opencsd_lane_feed_plain(&s->lanes[0], bytes + skipped, (size_t)(end - at - skipped),
					at + skipped);
	}
}

/* --- frames with an ITM -------------------------------------------------- */

static void
on_unit(void *context, uint64_t offset, const struct swo_unit *unit)
{
	struct opencsd_state *s = context;
	opencsd_units_take(&s->units, offset, unit, on_run, s);
	count_silent(s, SILENT_SYNC, unit->sync);
	count_silent(s, SILENT_FRAME, unit->length - unit->sync - unit->count);
}

/* Restart each source after lost bytes. */
static void
on_move(void *context, uint64_t offset)
{
	struct opencsd_state *s = context;
	flush_strays(s);
	for (size_t i = 0; i < s->lane_count; i++)
		opencsd_lane_break(&s->lanes[i]);
	opencsd_units_start(&s->units, offset);
	s->whole = true;
	s->sourced = false;
	s->run = offset;
}

/* Decode frames that end before END, or all frames at the end of the capture. */
static void
feed_mixed(struct opencsd_state *s, const struct window *w, uint64_t end)
{
	const struct opencsd_decoder *d = s->decoder;
	const struct swo_units units = {s, on_unit, on_move};
	struct window part = *w;
	struct message out[64];
	const size_t most = sizeof out / sizeof *out;
	size_t count;
	bool last = w->last && end == w->offset + w->length;
	part.until = last ? UINT64_MAX : end;
	do {
		count = swo_step_units(d->swo, s->swo, &part, out, most, &units);
		for (size_t i = 0; i < count; i++) {
			opencsd_swo_mix(&out[i]);
			*vec_add(&s->queues[d->itm_lane].list) = out[i];
		}
	} while (count == most);
	flush_strays(s);
	s->fed = end;
	s->base.offset = s->swo->offset < end ? s->swo->offset : end;
}

/* Read units up to the offset where SWO resumes.  Their messages were already handed out.  Return
 * false if the window has no more units. */
static bool
catch_up(struct opencsd_state *s, const struct window *w)
{
	const struct swo_decoder *swo = (const struct swo_decoder *)s->decoder->swo;
	uint64_t start = s->base.offset;
	struct swo_unit unit;
	while (s->base.offset < s->resume &&
	       swo_unit_read(swo, w, s->base.offset, s->units.id, &unit)) {
		on_unit(s, s->base.offset, &unit);
		s->base.offset += unit.length;
	}
	memset(s->strays, 0, sizeof s->strays);
	return s->base.offset > start;
}

/* --- chunks ------------------------------------------------------------ */

static void
opencsd_feed(struct opencsd_state *s, const struct window *w, uint64_t end)
{
	if (s->swo)
		feed_mixed(s, w, end);
	while (s->base.offset < end && !s->swo) {
		bool skip;
		uint64_t next = opencsd_run_end(s->decoder, s->base.offset, end, &skip);
		if (opencsd_starts_run(s->decoder, s->base.offset))
			start_runs(s, s->base.offset);
		if (!skip)
			feed_run(s, w, next);
		s->base.offset = s->fed = next;
	}
	flush_strays(s);
}

/* Make a message of an incomplete last frame, and flush held-back bytes. */
static void
add_tail(struct opencsd_state *s, uint64_t end)
{
	uint64_t start = end & ~(uint64_t)(CORESIGHT_FRAME - 1);
	if (s->swo)
		return;
	if (s->decoder->format == CORESIGHT_DSTREAM || s->decoder->format == CORESIGHT_TPIU) {
		coresight_finish(&s->frames, on_run, s);
		flush_strays(s);
	}
	if (s->decoder->format != CORESIGHT_ALIGNED || start == end)
		return;
	struct message m = {
	    .offset = start,
	    .origin = CORESIGHT_NOBODY | OPENCSD_ORIGIN_STRAY,
	    .aux = opencsd_aux(CORESIGHT_NOBODY, (uint32_t)(end - start)),
	    .length = (uint32_t)(end - start),
	    .flags = MESSAGE_TRUNCATED,
	    .kind = OPENCSD_STRAY,
	    .severity = SEVERITY_WARNING,
	};
	opencsd_enqueue(s, &s->queues[s->lane_count], &m);
}

static void
opencsd_finish(struct opencsd_state *s, uint64_t end)
{
	s->end = end;
	add_tail(s, end);
	for (size_t i = 0; i < s->lane_count; i++)
		if (i != s->decoder->itm_lane)
			opencsd_lane_end(&s->lanes[i]);
	for (size_t n = opencsd_run_from(s->decoder, end); end && n < s->decoder->runs.count; n++)
		enqueue_lost(s, n, end - 1);
	s->ended = true;
}

/* Return the offset from which lane N must be right so that all messages from AT on are. */
static uint64_t
needed_at(const struct opencsd_state *s, size_t n, uint64_t at)
{
	uint64_t chunk = chunk_of(at);
	size_t slot = chunk % CHUNKS;
	if (s->lanes[n].source->options->protocol != OPENCSD_STM)
		return at;
	/* A message open at AT was open at the start of the chunk or began in the chunk.  Other
	 * payloads are shown if they end after AT. */
	uint64_t shown = at > OPENCSD_OTHER_SPAN ? at - OPENCSD_OTHER_SPAN : 0;
	uint64_t oldest = s->chunks[slot].number == chunk ? s->queues[n].oldest[slot] : 0;
	return oldest < shown ? oldest : shown;
}

/* Return where deformatting must start to find the source of the bytes from AT on.  A lane without
 * synchronisation must also get a whole one. */
static uint64_t
frames_start(const struct opencsd_state *s, uint64_t at)
{
	uint64_t chunk = chunk_of(at), start = 0;
	size_t slot = chunk % CHUNKS;
	if (s->chunks[slot].number == chunk)
		start = s->chunks[slot].anchor;
	for (size_t i = 0; i < s->lane_count; i++) {
		struct opencsd_restart r = opencsd_lane_restart(&s->lanes[i], needed_at(s, i, at));
		if (r.since != OPENCSD_SINCE_SYNC && r.offset < start)
			start = r.offset;
	}
	return start;
}

static void
opencsd_put(uint8_t *p, uint64_t value, unsigned size)
{
	for (; size--; value >>= 8)
		*p++ = (uint8_t)value;
}

/* Record the checkpoint data at the start of a chunk with an ITM.  Frames and lanes are followed
 * from there. */
static void
note_mixed(struct opencsd_state *s, uint64_t number)
{
	const struct decoder *swo = s->decoder->swo;
	const uint64_t at = s->base.offset, start = number * CHUNK;
	uint64_t from = s->units.anchor;
	uint8_t *out = s->chunks[number % CHUNKS].mixed;
	memset(out, 0, MIXED_SIZE);
	for (size_t i = 0; i < s->lane_count; i++) {
		const struct opencsd_lane *lane = &s->lanes[i];
		struct opencsd_restart r = opencsd_lane_restart(lane, needed_at(s, i, at));
		uint8_t *p = out + MIXED_LANES + i * MIXED_LANE;
		if (i == s->decoder->itm_lane)
			continue;
		if (r.since == OPENCSD_SINCE_START && lane->since == OPENCSD_SINCE_ANYWHERE)
			return;
		*p = (uint8_t)r.since;
		if (r.since == OPENCSD_SINCE_SYNC)
			opencsd_put(p + 1, start - r.offset, MIXED_DISTANCE);
		else if (r.offset < from)
			from = r.offset;
	}
	opencsd_put(out + MIXED_FRAMES, start - from, MIXED_DISTANCE);
	swo->ops->save(swo, s->swo, out + MIXED_SWO);
	out[MIXED_KNOWN] = 1;
}

/* Record the state at the start of a chunk. */
static void
note_chunk(struct opencsd_state *s, uint64_t number)
{
	size_t slot = number % CHUNKS;
	s->chunks[slot].number = number;
	bool plain = s->decoder->format == CORESIGHT_SOURCE;
	s->chunks[slot].anchor = plain ? number * CHUNK : s->frames.anchor;
	for (size_t i = 0; i < s->lane_count; i++)
		s->queues[i].oldest[slot] = opencsd_lane_oldest(&s->lanes[i]);
	if (s->swo)
		note_mixed(s, number);
}

/* Decode the next chunk.  Return false if it is not complete yet, or everything is decoded. */
static bool
feed_chunk(struct opencsd_state *s, const struct window *w)
{
	uint64_t at = s->fed, end = (chunk_of(at) + 1) * CHUNK;
	uint64_t there = w->offset + w->length, ahead = s->swo ? SWO_AHEAD : 0;
	bool last = end >= there && w->last;
	if (s->base.offset < s->resume)
		return catch_up(s, w);
	if (s->ended || (end + ahead > there && !w->last))
		return false;
	if (end > there)
		end = there;
	if (at % CHUNK == 0)
		note_chunk(s, chunk_of(at));
	s->floor = opencsd_settled(at);
	s->keeps = opencsd_kept_wanted(s->decoder->kept);
	if (at < end)
		opencsd_feed(s, w, end);
	if (s->kept.count)
		opencsd_kept_add(s->decoder->kept, s->kept.at, s->kept.count);
	vec_clear(&s->kept);
	s->floor = opencsd_settled(s->fed);
	if (last)
		opencsd_finish(s, end);
	return true;
}

/* --- messages out of queues -------------------------------------------- */

/* Return the queue with the next message, or NULL if all are empty. */
static struct queue *
next_queue(const struct opencsd_state *s)
{
	struct queue *best = NULL;
	uint64_t offset = UINT64_MAX;
	for (size_t i = 0; i <= s->lane_count; i++) {
		struct queue *queue = &s->queues[i];
		if (queue->head == queue->list.count)
			continue;
		uint64_t own = message_id_offset(&queue->list.at[queue->head]);
		if (!best || own < offset) {
			best = queue;
			offset = own;
		}
	}
	return best;
}

/* Count a message as handed out.  Return false if it was already handed out before a restore. */
static bool
count_out(struct opencsd_state *s, uint64_t offset)
{
	if (offset != s->offset)
		s->count = 0;
	s->offset = offset;
	s->count++;
	if (s->repeating && (offset > s->border || (offset == s->border && s->count > s->skip)))
		s->repeating = false;
	return !s->repeating;
}

/* Remove the first message of a queue.  In dense trace queues are never empty, so the rest moves
 * down once half of the list is used up.  A queue thus never has more than twice the size of its
 * content. */
static void
drop_first(struct queue *queue)
{
	size_t left = queue->list.count - ++queue->head;
	if (queue->head < left)
		return;
	memmove(queue->list.at, queue->list.at + queue->head, left * sizeof *queue->list.at);
	queue->list.count = left;
	queue->head = 0;
}

/* Hand out the next certain message.  Return false if none is left, or if it belongs to a later
 * call. */
static bool
hand_out(struct opencsd_run *r)
{
	struct opencsd_state *s = r->state;
	struct queue *queue = next_queue(s);
	if (!queue)
		return false;
	const struct message *m = &queue->list.at[queue->head];
	uint64_t offset = message_id_offset(m);
	if (offset >= r->window->until || (offset >= s->floor && !s->ended) || r->count == r->max)
		return false;
	if (count_out(s, offset))
		r->out[r->count++] = *m;
	drop_first(queue);
	return true;
}

/* --- states ------------------------------------------------------------ */

static void
make_lanes(struct opencsd_state *s, const struct opencsd_decoder *d)
{
	const struct opencsd_lane_sink sink = {s, on_element, on_fatal, NULL};
	s->decoder = d;
	s->lane_count = d->source_count;
	s->swo = d->swo ? decode_state_new(d->swo) : NULL;
	s->lanes = mem_new(d->source_count * sizeof *s->lanes);
	s->queues = mem_new((d->source_count + 1) * sizeof *s->queues);
	for (size_t i = 0; i < d->source_count; i++)
		opencsd_lane_init(&s->lanes[i], &d->sources[i], d->format, &sink);
}

/* Set the position of a state: read frames from OFFSET on.  Each lane starts at the offset in its
 * queue. */
static void
set_position(struct opencsd_state *s, uint64_t offset)
{
	s->base.offset = s->fed = offset;
	s->resume = 0;
	opencsd_start_frames(s->decoder, &s->frames, offset);
	opencsd_units_start(&s->units, offset);
	if (s->swo)
		s->decoder->swo->ops->start(s->decoder->swo, s->swo);
	for (size_t i = 0; i <= s->lane_count; i++) {
		struct queue *queue = &s->queues[i];
		vec_clear(&queue->list);
		queue->head = 0;
		queue->last = 0;
		if (i < s->lane_count)
			opencsd_lane_start(&s->lanes[i], queue->since);
	}
	memset(s->strays, 0, sizeof s->strays);
	for (size_t i = 0; i < CHUNKS; i++)
		s->chunks[i].number = UINT64_MAX;
	s->floor = opencsd_settled(offset);
	s->whence = s->offset = s->count = s->run = 0;
	s->whole = !offset;
	s->sourced = false;
	s->ended = s->repeating = false;
}

static void
opencsd_start(const struct decoder *decoder, struct decode_state *state)
{
	struct opencsd_state *s = (struct opencsd_state *)state;
	if (!s->lanes)
		make_lanes(s, (const struct opencsd_decoder *)decoder);
	for (size_t i = 0; i < s->lane_count; i++) {
		s->queues[i].from = 0;
		s->queues[i].since = OPENCSD_SINCE_START;
	}
	set_position(s, 0);
}

static void
opencsd_release(struct decode_state *state)
{
	struct opencsd_state *s = (struct opencsd_state *)state;
	for (size_t i = 0; i < s->lane_count; i++)
		opencsd_lane_free(&s->lanes[i]);
	for (size_t i = 0; s->queues && i <= s->lane_count; i++)
		vec_free(&s->queues[i].list);
	vec_free(&s->kept);
	free(s->lanes);
	free(s->queues);
	if (s->swo)
		decode_state_free(s->decoder->swo, s->swo);
	s->swo = NULL;
	s->lanes = NULL;
	s->queues = NULL;
	s->lane_count = 0;
}

/* --- checkpoints ------------------------------------------------------- */

/* Return the earliest offset of the next message.  Set COUNT to the number handed out there. */
static uint64_t
next_offset(const struct opencsd_state *s, uint32_t *count)
{
	const struct queue *queue = next_queue(s);
	uint64_t offset = queue ? message_id_offset(&queue->list.at[queue->head]) : UINT64_MAX;
	if (!s->ended && offset > s->floor)
		offset = s->floor;
	if (offset == UINT64_MAX || offset < s->offset)
		offset = s->offset;
	*count = offset == s->offset ? s->count : 0;
	return offset;
}

/* Return how far before AT lane N must start. */
static unsigned
lane_distance(const struct opencsd_state *s, size_t n, uint64_t at)
{
	struct opencsd_restart r = opencsd_lane_restart(&s->lanes[n], needed_at(s, n, at));
	if (!r.offset || n + SAVED_LANES >= SAVED_SIZE)
		return OPENCSD_FROM_START;
	return r.since == OPENCSD_SINCE_START	   ? OPENCSD_NOT_BEGUN
	       : r.since == OPENCSD_SINCE_UNSYNCED ? OPENCSD_UNSYNCED
						   : opencsd_distance(r.offset, at);
}

static void
opencsd_save(const struct decoder *decoder, const struct decode_state *state, uint8_t *out)
{
	const struct opencsd_state *s = (const struct opencsd_state *)state;
	(void)decoder;
	if (s->repeating) {
		memcpy(out, s->saved, SAVED_SIZE);
		return;
	}
	uint32_t count;
	uint64_t offset = next_offset(s, &count);
	memset(out, 0, SAVED_SIZE);
	opencsd_put(out + SAVED_OFFSET, offset, 8);
	opencsd_put(out + SAVED_SKIP, count, 4);
	if (s->swo) {
		const size_t slot = chunk_of(offset) % CHUNKS;
		if (s->chunks[slot].number == chunk_of(offset))
			memcpy(out + MIXED, s->chunks[slot].mixed, MIXED_SIZE);
		return;
	}
	out[SAVED_FRAMES] = (uint8_t)opencsd_distance(frames_start(s, offset), offset);
	for (size_t i = 0; i < s->lane_count && SAVED_LANES + i < SAVED_SIZE; i++)
		out[SAVED_LANES + i] = (uint8_t)lane_distance(s, i, offset);
}

/* Return the saved start of lane N.  Set SINCE to its knowledge of the bytes before. */
static uint64_t
saved_lane(const uint8_t *saved, size_t n, enum opencsd_since *since)
{
	unsigned code = SAVED_LANES + n < SAVED_SIZE ? saved[SAVED_LANES + n] : OPENCSD_FROM_START;
	*since = code == OPENCSD_UNSYNCED  ? OPENCSD_SINCE_UNSYNCED
		 : code < OPENCSD_UNSYNCED ? OPENCSD_SINCE_SYNC
					   : OPENCSD_SINCE_START;
	if (code == OPENCSD_NOT_BEGUN || code == OPENCSD_UNSYNCED)
		return UINT64_MAX; /* it can start wherever others do */
	return opencsd_start_of(code, bytes_le64(saved + SAVED_OFFSET));
}

/* Return the first offset that decoding from a checkpoint needs. */
static uint64_t
saved_start(const struct opencsd_state *s, const uint8_t *saved)
{
	uint64_t start = opencsd_start_of(saved[SAVED_FRAMES], bytes_le64(saved + SAVED_OFFSET));
	for (size_t i = 0; i < s->lane_count; i++) {
		enum opencsd_since since;
		uint64_t from = saved_lane(saved, i, &since);
		if (from < start)
			start = from;
	}
	return start;
}

/* True if a state reaches a checkpoint sooner by continuing. */
static bool
can_go_on(const struct opencsd_state *s, uint64_t start, uint64_t border, uint32_t skip)
{
	uint32_t count;
	if (s->ended || s->whence || s->repeating || s->base.offset < start)
		return false;
	uint64_t offset = next_offset(s, &count);
	return offset < border || (offset == border && count <= skip);
}

/* Convert a distance in a checkpoint to an offset. */
static uint64_t
mixed_place(const uint8_t *saved, const uint8_t *distance)
{
	return chunk_of(bytes_le64(saved + SAVED_OFFSET)) * CHUNK -
	       bytes_le(distance, MIXED_DISTANCE);
}

/* Return where lane I starts, or 0 if it can start anywhere. */
static uint64_t
mixed_lane(const uint8_t *saved, size_t i, enum opencsd_since *since)
{
	const uint8_t *p = saved + MIXED + MIXED_LANES + i * MIXED_LANE;
	*since = (enum opencsd_since) * p;
	return *since == OPENCSD_SINCE_SYNC ? mixed_place(saved, p + 1) : 0;
}

/* Like saved_start(), with an ITM. */
static uint64_t
mixed_start(const struct opencsd_state *s, const uint8_t *saved)
{
	const uint8_t *own = saved + MIXED;
	uint64_t start = mixed_place(saved, own + MIXED_FRAMES);
	if (!own[MIXED_KNOWN])
		return 0;
	if (bytes_le64(own + MIXED_SWO) < start)
		start = bytes_le64(own + MIXED_SWO);
	for (size_t i = 0; i < s->lane_count; i++) {
		enum opencsd_since since;
		uint64_t from = mixed_lane(saved, i, &since);
		if (since == OPENCSD_SINCE_SYNC && from < start)
			start = from;
	}
	return start;
}

static void
restore_mixed(struct opencsd_state *s, uint64_t start, const uint8_t *saved)
{
	const struct decoder *swo = s->decoder->swo;
	const uint8_t *own = saved + MIXED;
	for (size_t i = 0; i < s->lane_count; i++)
		s->queues[i].from = mixed_lane(saved, i, &s->queues[i].since);
	set_position(s, start);
	if (!own[MIXED_KNOWN])
		return;
	swo->ops->restore(swo, s->swo, own + MIXED_SWO);
	s->resume = s->swo->offset;
	/* the frames before the first named source continue from there */
	s->run = start;
	s->whole = true;
	s->fed = chunk_of(bytes_le64(saved + SAVED_OFFSET)) * CHUNK;
	s->floor = opencsd_settled(s->fed);
}

static void
restore_lanes(struct opencsd_state *s, uint64_t start, const uint8_t *saved)
{
	for (size_t i = 0; i < s->lane_count; i++) {
		struct queue *queue = &s->queues[i];
		queue->from = saved_lane(saved, i, &queue->since);
		if (queue->from == UINT64_MAX)
			queue->from = 0;
	}
	set_position(s, start);
}

static void
opencsd_restore(const struct decoder *decoder, struct decode_state *state, const uint8_t *saved)
{
	struct opencsd_state *s = (struct opencsd_state *)state;
	uint64_t start = s->swo ? mixed_start(s, saved) : saved_start(s, saved);
	(void)decoder;
	s->border = bytes_le64(saved + SAVED_OFFSET);
	s->skip = bytes_le32(saved + SAVED_SKIP);
	if (!can_go_on(s, start, s->border, s->skip))
		(s->swo ? restore_mixed : restore_lanes)(s, start, saved);
	s->repeating = true;
	memcpy(s->saved, saved, SAVED_SIZE);
}

static int
opencsd_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	struct opencsd_state *s = (struct opencsd_state *)state;
	const uint64_t unit = s->decoder->format == CORESIGHT_DSTREAM ? 512 : CORESIGHT_FRAME;
	uint64_t start = (w->offset + unit - 1) / unit * unit;
	(void)decoder;
	if (start > w->offset + w->length)
		return ERR_SYNC;
	for (size_t i = 0; i < s->lane_count; i++) {
		s->queues[i].from = start;
		s->queues[i].since = OPENCSD_SINCE_ANYWHERE;
	}
	set_position(s, start);
	if (s->swo) {
		const struct decoder *swo = s->decoder->swo;
		if (swo->ops->resync(swo, s->swo, w))
			return ERR_SYNC;
		start = s->base.offset = s->fed = s->swo->offset;
		opencsd_units_start(&s->units, start);
		s->floor = opencsd_settled(start);
	}
	s->whence = start;
	return 0;
}

/* --- stepping ---------------------------------------------------------- */

static size_t
opencsd_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	     struct message *out, size_t max)
{
	struct opencsd_state *s = (struct opencsd_state *)state;
	struct opencsd_run r = {.state = s, .window = w, .out = out, .max = max};
	(void)decoder;
	while (r.count < max) {
		if (hand_out(&r))
			continue;
		if (s->repeating && s->floor > s->border)
			s->repeating = false;
		if (s->ended || s->floor >= w->until || !feed_chunk(s, w))
			break;
	}
	return r.count;
}

/* Return the frequency of STM timestamps found in the head, or 0. */
static double
find_frequency(const struct opencsd_decoder *d, const struct window *head)
{
	const struct decoder *decoder = &d->syst.base;
	struct decode_state *state = mem_new(sizeof(struct opencsd_state));
	struct message messages[64];
	opencsd_start(decoder, state);
	while (opencsd_step(decoder, state, head, messages, 64) == 64)
		;
	double hz = (double)((struct opencsd_state *)state)->frequency;
	opencsd_release(state);
	free(state);
	return hz;
}

static struct decoder *
opencsd_open_buffer(const void *options, const struct window *head, struct err *err)
{
	struct opencsd_decoder *d = opencsd_open(options, head, err);
	if (!d)
		return NULL;
	d->syst.base.ops = &opencsd_ops;
	if (opencsd_is_stm(d))
		d->syst.base.hz = find_frequency(d, head);
	return &d->syst.base;
}

static void
opencsd_identify_origin(const struct decoder *decoder, const struct message *m,
			struct origin_identity *origin)
{
	(void)decoder;
	origin->number = opencsd_aux_id(m->aux);
	origin->numbered = m->kind < OPENCSD_KIND_COUNT && origin->number != CORESIGHT_NOBODY;
}

static const struct decoder_guide guide = {.survey = opencsd_survey};
static const struct decoder_listing listing = {OPENCSD_LISTING, opencsd_list_packets};

const struct decoder_ops opencsd_ops = {
    .format = "opencsd",
    .title = "Arm CoreSight trace",
    .help = "trace buffers with ETM, PTM, ETE, STM and ITM trace, decoded by OpenCSD",
    .fields = opencsd_fields,
    .field_count = (size_t)OPENCSD_F_COUNT + SWO_F_COUNT,
    .kinds = opencsd_kinds,
    .kind_count = (size_t)OPENCSD_KIND_COUNT + SWO_KIND_COUNT,
    .kinds_checked = 1ull << OPENCSD_SYST,
    .origin_none = CORESIGHT_NOBODY | OPENCSD_ORIGIN_STRAY,
    .kinds_history = 1ull << OPENCSD_SYST,
    .silent = silent,
    .silent_count = SILENT_COUNT,
    .silent_repeats = true, /* counted by chunks, and one before the checkpoint is decoded again */
    .options = &opencsd_options,
    .contexts = opencsd_contexts,
    .context_count = OPENCSD_CONTEXTS_ALL,
    .trigger = OPENCSD_TRIGGERS,
    .unnamed = "kind = syst and type ~ /^CATALOG/ and not syst.format",
    .guide = &guide,
    .listing = &listing,
    /* no clocks: a timestamp is the time of the trace itself, for all of a snapshot */
    /* no alike: the type of an element is the whole event, apart from addresses */
    .reach = CHUNK + SWO_AHEAD + SWO_UNIT_MAX,
    .run_up = RUN_UP,
    .state_size = sizeof(struct opencsd_state),
    .checkpoint_size = SAVED_SIZE,
    .probe = opencsd_probe,
    .open = opencsd_open_buffer,
    .close = opencsd_close,
    .load = opencsd_load,
    .start = opencsd_start,
    .release = opencsd_release,
    .save = opencsd_save,
    .restore = opencsd_restore,
    .step = opencsd_step,
    .resync = opencsd_resync,
    .expand = opencsd_expand,
    .type_keys = opencsd_type_keys,
    .identify_origin = opencsd_identify_origin,
    .cycles = opencsd_cycles,
    .flow = opencsd_flow,
    .flow_form = FLOW_ELEMENTS,
    .memory = opencsd_memory,
    .printer = OPENCSD_PRINTER,
    .print = opencsd_print,
};
