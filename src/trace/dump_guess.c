/*
 * How memory became a capture: see dump_guess.h.
 *
 * Turning costs nothing where a format is certain of the bytes or enough of them decodes;
 * else some of the head is turned, thrice.  A seam costs a look at the first and the last
 * cell; only if times go back between them all is decoded, once.
 */
#include "config.h"

#include "trace/dump_guess.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "decode/lines.h"
#include "trace/recognise.h"
#include "trace/trace_options.h"

#include <stdlib.h>
#include <string.h>

enum {
	HEAD = 16 * 1024, /* bytes that are turned */
	BATCH = 256,
	GOOD_LEAST = 8,	  /* messages that turned bytes must give, */
	GOOD_TIMES = 8,	  /* and of those as they are */
	GOOD_BYTES = 256, /* a good message in so many bytes is good enough */
	LOOK = 16 * 1024, /* bytes of the first and the last look */
};

static const unsigned sizes[] = {4, 2, 8};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* --- words --------------------------------------------------------------- */

/* The first bytes of HEAD with their words turned, in memory of the caller's. */
static struct window
turn_head(const struct window *head, unsigned size)
{
	struct window turned = *head;
	turned.length = head->length < HEAD ? head->length : HEAD;
	turned.last = head->last && turned.length == head->length;
	uint8_t *bytes = mem_new(turned.length + 1);
	memcpy(bytes, head->bytes, turned.length);
	bytes_turn_words(bytes, turned.length, size);
	turned.bytes = bytes;
	return turned;
}

static bool
is_good(const struct message *m)
{
	return !(m->flags & (MESSAGE_DAMAGED | MESSAGE_LOST | MESSAGE_SUSPECT | MESSAGE_FILLER));
}

/* How many good messages the window has, of ALL. */
static size_t
count_good(const struct decoder_ops *ops, const void *options, const struct window *window,
	   size_t *all)
{
	struct err err = {0};
	struct message batch[BATCH];
	struct decoder *decoder = ops->open(options, window, &err);
	size_t good = 0, count;
	*all = 0;
	if (!decoder)
		return 0;
	struct decode_state *state = decode_state_new(decoder);
	ops->start(decoder, state);
	do {
		count = ops->step(decoder, state, window, batch, BATCH);
		for (size_t i = 0; i < count; i++)
			good += is_good(&batch[i]);
		*all += count;
	} while (count == BATCH);
	decode_state_free(decoder, state);
	ops->close(decoder);
	return good;
}

/* Whether the head decodes, rather than only having the signature of a format. */
static bool
is_sound(const struct candidate *candidate, const struct window *head)
{
	const struct decoder_ops *ops = candidate->ops;
	struct trace_options *options = mem_new(trace_options_table()->size);
	size_t good, all;
	option_defaults(trace_options_table(), options);
	recognition_apply(candidate->probe.settings, ops, options, false);
	good = count_good(ops, trace_format_options(options, ops), head, &all);
	trace_options_free(options);
	return good && good * 2 >= all;
}

/* Whether a format is certain of the head with its words turned, but for the one that the bytes
 * as they are could be of: with words turned packets and text look like packets and text. */
static bool
is_certain(const struct window *head, unsigned size, const char *format,
	   const struct decoder_ops *as_is)
{
	struct window turned = turn_head(head, size);
	struct recognition r = {0};
	recognition_find(&r, &turned, format);
	const struct candidate *best = r.candidates.at;
	bool certain = r.candidates.count && best->probe.score >= PROBE_CERTAIN &&
		       best->ops != as_is && is_sound(best, &turned);
	recognition_free(&r);
	free((uint8_t *)turned.bytes);
	return certain;
}

unsigned
dump_guess_swap(const struct window *head, const char *format)
{
	struct window plain = turn_head(head, 1);
	struct recognition r = {0};
	unsigned found = 0;
	recognition_find(&r, &plain, format);
	const struct candidate *best = r.candidates.at;
	int score = r.candidates.count ? best->probe.score : 0;
	for (size_t i = 0; i < SIZES && !found && score < PROBE_CERTAIN; i++)
		if (is_certain(head, sizes[i], format, score >= PROBE_DECODE ? best->ops : NULL))
			found = sizes[i];
	recognition_free(&r);
	free((uint8_t *)plain.bytes);
	return found;
}

unsigned
dump_guess_swap_of(const struct decoder_ops *ops, const void *options, const struct window *head)
{
	struct window plain = turn_head(head, 1);
	size_t all, good = count_good(ops, options, &plain, &all), best = 0;
	size_t enough = plain.length / GOOD_BYTES;
	unsigned found = 0;
	free((uint8_t *)plain.bytes);
	if (good > (enough > GOOD_LEAST ? enough : GOOD_LEAST))
		return 0;
	for (size_t i = 0; i < SIZES; i++) {
		struct window turned = turn_head(head, sizes[i]);
		size_t count = count_good(ops, options, &turned, &all);
		if (count >= GOOD_LEAST && count >= GOOD_TIMES * good && count > best) {
			best = count;
			found = sizes[i];
		}
		free((uint8_t *)turned.bytes);
	}
	return found;
}

/* --- circles ------------------------------------------------------------- */

/* What a walk has seen. */
struct seam_walk {
	bool timed;
	bool brief;  /* it ends with the first time */
	bool synced; /* byte 0 begins a resync point other than filler */
	uint64_t first, last, lowest, highest;
	uint64_t gap;			 /* the largest step on of times */
	uint64_t drop, second;		 /* the largest steps back, */
	uint64_t next;			 /* the first of them to the message there */
	uint64_t damage, resync;	 /* the first before that and behind the last good time */
	uint64_t new_damage, new_resync; /* of the next step back; UINT64_MAX: none */
};

static void
see_message(struct seam_walk *walk, const struct message *m)
{
	walk->synced |= !m->offset && m->flags & MESSAGE_RESYNC && is_good(m);
	if (!is_good(m) && walk->new_damage == UINT64_MAX)
		walk->new_damage = m->offset;
	if (m->flags & MESSAGE_RESYNC && walk->new_resync == UINT64_MAX)
		walk->new_resync = m->offset;
	if (!(m->flags & MESSAGE_TIMED) || !is_good(m))
		return;
	if (!walk->timed)
		walk->first = walk->last = walk->lowest = walk->highest = m->ticks;
	walk->timed = true;
	uint64_t on = m->ticks > walk->last ? m->ticks - walk->last : 0;
	uint64_t back = m->ticks < walk->last ? walk->last - m->ticks : 0;
	walk->gap = on > walk->gap ? on : walk->gap;
	if (back > walk->drop) {
		walk->second = walk->drop;
		walk->drop = back;
		walk->next = m->offset;
		walk->damage = walk->new_damage;
		walk->resync = walk->new_resync;
	} else if (back > walk->second) {
		walk->second = back;
	}
	walk->lowest = m->ticks < walk->lowest ? m->ticks : walk->lowest;
	walk->highest = m->ticks > walk->highest ? m->ticks : walk->highest;
	walk->last = m->ticks;
	walk->new_damage = walk->new_resync = UINT64_MAX;
}

/* Walks the messages of the capture from OFFSET, a resync point but for 0, to END. */
static void
walk_capture(const struct decoder *decoder, const struct capture *capture, uint64_t offset,
	     uint64_t end, struct seam_walk *walk)
{
	struct message batch[BATCH];
	struct window window = {.bytes = capture_bytes(capture) + offset,
				.offset = offset,
				.length = (size_t)(capture_size(capture) - offset),
				.until = UINT64_MAX,
				.last = true};
	size_t count;
	struct decode_state *state = decode_state_new(decoder);
	walk->new_damage = walk->new_resync = UINT64_MAX;
	decoder->ops->start(decoder, state);
	bool found = !offset || !decoder->ops->resync(decoder, state, &window);
	do {
		count = found ? decoder->ops->step(decoder, state, &window, batch, BATCH) : 0;
		for (size_t i = 0; i < count && batch[i].offset < end; i++)
			see_message(walk, &batch[i]);
	} while (count == BATCH && state->offset < end && !(walk->brief && walk->timed));
	decode_state_free(decoder, state);
}

/* Whether the end of a capture is before its beginning, as far as that shows. */
static bool
ends_early(const struct decoder *decoder, const struct capture *capture)
{
	struct seam_walk begin = {.brief = true}, end = {0};
	uint64_t size = capture_size(capture), back = LOOK + decoder->ops->run_up;
	walk_capture(decoder, capture, 0, LOOK, &begin);
	walk_capture(decoder, capture, size > back ? size - back : 0, UINT64_MAX, &end);
	return begin.timed && end.timed && end.last < begin.first;
}

/* Whether times go back since a counter of some bits begins anew. */
static bool
is_overflow(const struct seam_walk *walk)
{
	enum { FEWEST = 8 };
	bool found = false;
	for (unsigned bits = FEWEST; bits < 64 && !found; bits++) {
		uint64_t end = (uint64_t)1 << bits;
		found = walk->highest < end && end - walk->highest <= 2 * walk->gap &&
			walk->lowest <= 2 * walk->gap;
	}
	return found;
}

enum dump_seam
dump_guess_seam(const struct decoder *decoder, const struct capture *capture, uint64_t *pointer)
{
	enum { LEAST = 256 };
	struct seam_walk walk = {0};
	uint64_t size = capture_size(capture);
	if (size < LEAST || size > DUMP_SEAM_MOST || decoder->untimed ||
	    line_ends_pass(decoder->ops) || !ends_early(decoder, capture))
		return DUMP_SEAM_NONE;
	walk_capture(decoder, capture, 0, UINT64_MAX, &walk);
	uint64_t span = walk.highest - walk.lowest;
	/* a time that is far off goes as far on as back */
	if (!walk.timed || walk.drop < span / 2 || walk.gap > walk.drop / 2 || is_overflow(&walk))
		return DUMP_SEAM_NONE;
	*pointer = walk.damage != UINT64_MAX   ? walk.damage
		   : walk.resync != UINT64_MAX ? walk.resync
					       : walk.next;
	/* the largest gap may be the one that the file's end cuts */
	bool circle = walk.second < walk.drop / 4 && walk.last <= walk.first &&
		      walk.first - walk.last <= 2 * walk.gap;
	/* A write pointer hardly ever stands at a resync point, but every recording begins with
	 * one: then the clock started again, for example after a reboot. */
	circle &= !walk.synced;
	return circle && *pointer && *pointer < size ? DUMP_SEAM_FOUND : DUMP_SEAM_MAYBE;
}
