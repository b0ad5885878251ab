/*
 * The CoreSight formatter undone: see coresight.h.
 *
 * Aligned frames are read where they lie.  A trace port's are put together
 * two bytes at a time, since half-frame synchronisation may stand between any
 * two pairs; neither kind of synchronisation can be mistaken for data, for
 * both would name the reserved source 0x7f.
 */
#include "config.h"

#include "decode/coresight.h"

#include <string.h>

enum {
	BLOCK = 512, /* of a DSTREAM */
	BLOCK_TRACE = 504,
	SYNC_FRAME = 0x7fffffff,
	SYNC_HALF = 0x7fff
};

void
coresight_start(struct coresight *c, enum coresight_format format, uint64_t offset)
{
	*c = (struct coresight){
	    .format = format,
	    .synced = format == CORESIGHT_ALIGNED,
	    .id = CORESIGHT_NOBODY,
	    .anchor = offset,
	    .sync = offset,
	};
}

struct job {
	struct coresight *c;
	coresight_sink *sink;
	void *context;
	struct coresight_run run;
};

static void
add(struct job *j, uint8_t byte, uint64_t offset)
{
	j->run.bytes[j->run.count] = byte;
	j->run.offsets[j->run.count++] = offset;
}

static void
finish(struct job *j)
{
	if (j->run.count)
		j->sink(j->context, &j->run);
	j->run.count = 0;
}

static void
change(struct job *j, uint8_t id, uint64_t index, uint64_t frame)
{
	struct coresight *c = j->c;
	c->anchor = c->format == CORESIGHT_ALIGNED ? frame : c->sync;
	if (id == c->id) {
		if (!j->run.count)
			j->run.anchor = c->anchor;
		return;
	}
	if (j->run.count) {
		finish(j);
		j->run.index = index;
	}
	c->id = j->run.id = id;
	j->run.anchor = c->anchor;
}

/* Gives the runs of one frame; byte N lies at OFFSETS[N]. */
static void
unpack(struct job *j, const uint8_t *frame, const uint64_t *offsets)
{
	struct coresight *c = j->c;
	uint64_t index = coresight_index(c->format, offsets[0]);
	j->run.index = index;
	j->run.id = c->id;
	j->run.anchor = c->anchor;
	for (unsigned i = 0; i < 16; i += 2) {
		unsigned low = frame[15] >> i / 2 & 1;
		bool names = frame[i] & 1;
		uint8_t id = frame[i] >> 1;
		if (!names)
			add(j, (uint8_t)(frame[i] | low), offsets[i]);
		/* with the low bit set the second byte is still the old one's */
		bool late = names && low && i < 14 && id != c->id;
		if (late)
			add(j, frame[i + 1], offsets[i + 1]);
		if (names)
			change(j, id, index + i, offsets[0]);
		if (i < 14 && !late)
			add(j, frame[i + 1], offsets[i + 1]);
	}
	finish(j);
}

static void
feed_aligned(struct job *j, const uint8_t *bytes, size_t length, uint64_t offset)
{
	uint64_t offsets[CORESIGHT_FRAME];
	for (size_t at = 0; at + CORESIGHT_FRAME <= length; at += CORESIGHT_FRAME) {
		for (unsigned i = 0; i < CORESIGHT_FRAME; i++)
			offsets[i] = offset + at + i;
		unpack(j, bytes + at, offsets);
	}
}

/* A frame starts over: the one at hand is not whole. */
static void
lose(struct coresight *c)
{
	c->synced = false;
	c->have = 0;
	c->id = CORESIGHT_NOBODY;
}

/* One byte of a trace port. */
static void
feed_byte(struct job *j, uint8_t byte, uint64_t offset)
{
	struct coresight *c = j->c;
	c->tail = c->tail >> 8 | (uint32_t)byte << 24;
	if (c->tail == SYNC_FRAME) {
		if (c->synced && c->have != 3)
			lose(c);
		c->synced = true;
		c->have = 0;
		c->tail = 0;
		c->sync = offset > 3 ? offset - 3 : 0;
		return;
	}
	if (!c->synced)
		return;
	c->frame[c->have] = byte;
	c->offsets[c->have++] = offset;
	/* the first half of a frame synchronisation is none of these */
	if (c->have % 2 == 0 && c->tail >> 16 == SYNC_HALF)
		c->have -= 2;
	if (c->have == CORESIGHT_FRAME) {
		c->have = 0;
		unpack(j, c->frame, c->offsets);
	}
}

void
coresight_feed(struct coresight *c, const uint8_t *bytes, size_t length, uint64_t offset,
	       coresight_sink *sink, void *context)
{
	struct job j = {.c = c, .sink = sink, .context = context};
	if (c->format == CORESIGHT_ALIGNED) {
		feed_aligned(&j, bytes, length, offset);
		return;
	}
	for (size_t i = 0; i < length; i++)
		if (c->format != CORESIGHT_DSTREAM || (offset + i) % BLOCK < BLOCK_TRACE)
			feed_byte(&j, bytes[i], offset + i);
}
