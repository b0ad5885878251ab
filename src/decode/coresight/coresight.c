/*
 * Undo the CoreSight formatter: see coresight.h.
 *
 * Aligned frames are read in place.  Frames of a trace port are collected two bytes at a time,
 * since half-frame synchronisation may follow any pair.  Data never looks like synchronisation,
 * because both kinds would name the reserved source 0x7f.
 */
#include "config.h"

#include "decode/coresight/coresight.h"

#include <string.h>

enum {
	BLOCK = 512, /* of a DSTREAM capture */
	BLOCK_TRACE = 504
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

void
coresight_start_grid(struct coresight *c, unsigned phase, uint64_t offset)
{
	coresight_start(c, CORESIGHT_TPIU, offset);
	c->grid = c->synced = true;
	c->wait = (phase - offset) % CORESIGHT_FRAME;
}

struct coresight_job {
	struct coresight *c;
	coresight_sink *sink;
	void *context;
	struct coresight_run run;
};

static void
coresight_add_byte(struct coresight_job *j, uint8_t byte, uint64_t offset)
{
	j->run.bytes[j->run.count] = byte;
	j->run.offsets[j->run.count++] = offset;
}

static void
coresight_end_run(struct coresight_job *j)
{
	if (j->run.count)
		j->sink(j->context, &j->run);
	j->run.count = 0;
}

static void
coresight_change_source(struct coresight_job *j, uint8_t id, uint64_t index, uint64_t frame)
{
	struct coresight *c = j->c;
	c->anchor = c->format == CORESIGHT_ALIGNED || c->grid ? frame : c->sync;
	if (id == c->id) {
		if (!j->run.count)
			j->run.anchor = c->anchor;
		return;
	}
	if (j->run.count) {
		coresight_end_run(j);
		j->run.index = index;
	}
	c->id = j->run.id = id;
	j->run.anchor = c->anchor;
}

/* Pass the runs of a frame to the sink.  Byte N has offset OFFSETS[N]. */
static void
coresight_unpack_frame(struct coresight_job *j, const uint8_t *frame, const uint64_t *offsets)
{
	struct coresight *c = j->c;
	uint64_t index = coresight_index(c->format, offsets[0]);
	coresight_end_run(j); /* bytes before the first frame, without a source */
	j->run.index = index;
	j->run.id = c->id;
	j->run.anchor = c->anchor;
	for (unsigned i = 0; i < 16; i += 2) {
		const struct coresight_pair pair = coresight_pair(frame, i);
		if (!pair.names)
			coresight_add_byte(j, pair.data, offsets[i]);
		else
			c->counts.frame++;
		bool late = pair.names && pair.low && i < 14 && pair.id != c->id;
		if (late)
			coresight_add_byte(j, frame[i + 1], offsets[i + 1]);
		if (pair.names)
			coresight_change_source(j, pair.id, index + i, offsets[0]);
		if (i < 14 && !late)
			coresight_add_byte(j, frame[i + 1], offsets[i + 1]);
	}
	coresight_end_run(j);
	c->counts.frame++;
}

static void
feed_aligned(struct coresight_job *j, const uint8_t *bytes, size_t length, uint64_t offset)
{
	uint64_t offsets[CORESIGHT_FRAME];
	for (size_t at = 0; at + CORESIGHT_FRAME <= length; at += CORESIGHT_FRAME) {
		for (unsigned i = 0; i < CORESIGHT_FRAME; i++)
			offsets[i] = offset + at + i;
		coresight_unpack_frame(j, bytes + at, offsets);
	}
}

/* Add a byte outside any frame to a run of CORESIGHT_NOBODY. */
static void
pass_over(struct coresight_job *j, uint8_t byte, uint64_t offset)
{
	struct coresight *c = j->c;
	if (!j->run.count) {
		j->run.index = coresight_index(c->format, offset);
		j->run.id = CORESIGHT_NOBODY;
		j->run.anchor = c->anchor;
	}
	coresight_add_byte(j, byte, offset);
	if (j->run.count == CORESIGHT_RUN_MAX)
		coresight_end_run(j);
}

/* Give up the unfinished frame.  Its last KEEP bytes belong to something else. */
static void
coresight_drop_frame(struct coresight_job *j, unsigned keep)
{
	struct coresight *c = j->c;
	c->id = CORESIGHT_NOBODY;
	for (unsigned i = 0; i + keep < c->have; i++)
		pass_over(j, c->frame[i], c->offsets[i]);
	c->have = 0;
}

/* Handle the last byte of a frame synchronisation.  The three bytes before it are in the
 * unfinished frame, or in no frame if none is known. */
static void
coresight_sync_frame(struct coresight_job *j, uint64_t offset)
{
	struct coresight *c = j->c;
	unsigned before = c->synced ? c->have : c->fresh;
	if (c->synced && c->have != 3)
		coresight_drop_frame(j, 3);
	coresight_end_run(j);
	c->synced = true;
	c->grid = false;
	c->have = c->fresh = 0;
	c->tail = 0;
	c->sync = offset > 3 ? offset - 3 : 0;
	c->counts.sync += before < 3 ? before + 1 : 4; /* the first byte may have ended a frame */
}

/* Hold back a byte until a frame is known: the last three bytes may begin a frame
 * synchronisation. */
static void
feed_unsynced(struct coresight_job *j, uint8_t before, uint64_t offset)
{
	struct coresight *c = j->c;
	if (c->fresh == 3)
		pass_over(j, before, c->offsets[0]);
	else
		c->fresh++;
	memmove(c->offsets, c->offsets + 1, 2 * sizeof *c->offsets);
	c->offsets[2] = offset;
}

/* Handle one byte of a trace port. */
static void
feed_byte(struct coresight_job *j, uint8_t byte, uint64_t offset)
{
	struct coresight *c = j->c;
	uint8_t before = (uint8_t)(c->tail >> 8);
	c->tail = c->tail >> 8 | (uint32_t)byte << 24;
	if (c->tail == CORESIGHT_SYNC_FRAME) {
		coresight_sync_frame(j, offset);
		return;
	}
	if (!c->synced) {
		feed_unsynced(j, before, offset);
		return;
	}
	if (c->wait) {
		c->wait--;
		pass_over(j, byte, offset);
		return;
	}
	c->frame[c->have] = byte;
	c->offsets[c->have++] = offset;
	/* the first half of a frame synchronisation differs, so this is a half-frame one */
	if (c->have % 2 == 0 && c->tail >> 16 == CORESIGHT_SYNC_HALF) {
		c->have -= 2;
		c->counts.sync += 2;
	}
	if (c->have == CORESIGHT_FRAME) {
		c->have = 0;
		coresight_unpack_frame(j, c->frame, c->offsets);
	}
}

void
coresight_feed(struct coresight *c, const uint8_t *bytes, size_t length, uint64_t offset,
	       coresight_sink *sink, void *context)
{
	struct coresight_job j = {.c = c, .sink = sink, .context = context};
	if (c->format == CORESIGHT_ALIGNED) {
		feed_aligned(&j, bytes, length, offset);
		return;
	}
	for (size_t i = 0; i < length; i++) {
		if (c->format != CORESIGHT_DSTREAM || (offset + i) % BLOCK < BLOCK_TRACE)
			feed_byte(&j, bytes[i], offset + i);
		else
			c->counts.block++;
	}
	coresight_end_run(&j);
}

void
coresight_finish(struct coresight *c, coresight_sink *sink, void *context)
{
	struct coresight_job j = {.c = c, .sink = sink, .context = context};
	unsigned fresh = c->synced ? 0 : c->fresh;
	for (unsigned i = 3 - fresh; fresh && i < 3; i++)
		pass_over(&j, (uint8_t)(c->tail >> 8 * (i + 1)), c->offsets[i]);
	if (c->synced)
		coresight_drop_frame(&j, 0);
	coresight_end_run(&j);
	c->fresh = 0;
}
