/*
 * Guesses how a memory dump was made: see dump_guess.h.
 *
 * Swapping costs nothing if a format is certain of the bytes, or enough of them
 * decode. Otherwise part of the head is swapped three times. A seam costs a look at
 * the first and the last bytes. Everything is decoded, once, only if times go back
 * between the two.
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
	HEAD = 16 * 1024, /* bytes to swap */
	BATCH = 256,
	GOOD_LEAST = 8,	  /* least number of messages in swapped bytes */
	GOOD_TIMES = 8,	  /* and this many times those in unswapped bytes */
	GOOD_BYTES = 256, /* one good message in this many bytes is enough */
	LOOK = 16 * 1024, /* bytes to examine at each end */
};

static const unsigned sizes[] = {4, 2, 8};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* --- words --------------------------------------------------------------- */

/* Return the first bytes of HEAD with the bytes of each word swapped. The caller frees them. */
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

/* Return the number of good messages in the window; ALL receives the number of all. */
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

/* True if the head decodes; the signature of a format alone is not enough. */
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

/* True if a format other than AS_IS is certain of the head with swapped bytes. AS_IS, the
 * format that may fit the unswapped bytes, does not count: swapped packets and text still
 * look like packets and text. */
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

/* Observations of a walk. */
struct seam_walk {
	bool timed;
	bool brief;  /* stop at the first timestamp */
	bool synced; /* byte 0 begins a resync point other than filler */
	uint64_t first, last, lowest, highest;
	uint64_t gap;			 /* largest step forward of times */
	uint64_t drop, second;		 /* largest steps back */
	uint64_t next;			 /* message after the step `drop` */
	uint64_t damage, resync;	 /* first ones between the last good time and `next` */
	uint64_t new_damage, new_resync; /* for the next step back; UINT64_MAX: none */
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

/* Walk the messages of the capture from OFFSET to END. OFFSET is 0 or near a resync point. */
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

/* True if the end of a capture seems earlier than its beginning. */
static bool
ends_early(const struct decoder *decoder, const struct capture *capture)
{
	struct seam_walk begin = {.brief = true}, end = {0};
	uint64_t size = capture_size(capture), back = LOOK + decoder->ops->run_up;
	walk_capture(decoder, capture, 0, LOOK, &begin);
	walk_capture(decoder, capture, size > back ? size - back : 0, UINT64_MAX, &end);
	return begin.timed && end.timed && end.last < begin.first;
}

/* True if times go back because a counter overflows. */
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
	/* a single wrong time steps as far forward as back */
	if (!walk.timed || walk.drop < span / 2 || walk.gap > walk.drop / 2 || is_overflow(&walk))
		return DUMP_SEAM_NONE;
	*pointer = walk.damage != UINT64_MAX   ? walk.damage
		   : walk.resync != UINT64_MAX ? walk.resync
					       : walk.next;
	/* the end of the file may cut the largest gap */
	bool circle = walk.second < walk.drop / 4 && walk.last <= walk.first &&
		      walk.first - walk.last <= 2 * walk.gap;
	/* A write pointer is hardly ever at a resync point, but every recording begins with
	 * one. The clock then started again, for example after a reboot. */
	circle &= !walk.synced;
	return circle && *pointer && *pointer < size ? DUMP_SEAM_FOUND : DUMP_SEAM_MAYBE;
}
