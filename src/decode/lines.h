/*
 * Lines of text in a capture, for the formats that have them.  A line longer
 * than LINE_LONGEST is cut into pieces of that size, so that a capture without
 * line ends cannot make a step look without end.
 */
#ifndef TRAWL_DECODE_LINES_H
#define TRAWL_DECODE_LINES_H

#include "decode/decoder.h"

#include <string.h>

/* What of a capture of lines belongs to no message: the first row of `silent`. */
enum { LINE_SILENT };
#define LINE_SILENT_ROW                                                                            \
	{                                                                                          \
		.name = "line_end", .help = "ends of lines, and empty lines"                       \
	}

/* Whether captures of a decoder are lines of text: it passes over their ends. */
static inline bool
line_ends_pass(const struct decoder_ops *ops)
{
	return ops->silent_count && !strcmp(ops->silent[LINE_SILENT].name, "line_end");
}

enum { LINE_LONGEST = 256 * 1024, LINE_REACH = LINE_LONGEST + 2 };

/* The line at P: its LENGTH without its end, and with it WHOLE.  False if the
 * LEFT bytes end before the line does and it is not the LAST. */
static inline bool
line_find(const uint8_t *p, size_t left, bool last, size_t *length, size_t *whole)
{
	size_t most = left < LINE_REACH ? left : LINE_REACH;
	const uint8_t *end = memchr(p, '\n', most);
	if (!end && left >= LINE_REACH) {
		*length = *whole = LINE_LONGEST;
		return true;
	}
	*whole = end ? (size_t)(end - p) + 1 : left;
	*length = end ? *whole - 1 : left;
	while (*length && p[*length - 1] == '\r')
		--*length;
	return end || last;
}

/* decoder_ops.step of a format of lines, inlined for each.  READ fills all of M but its
 * place from a line that is not empty, and returns its bytes: fewer than LENGTH where
 * another message follows on the same line. */
static inline __attribute__((always_inline)) size_t
line_step(struct decode_state *state, const struct window *w, struct message *out, size_t max,
	  size_t (*read)(const uint8_t *p, size_t length, struct message *m))
{
	uint64_t end = w->offset + w->length, offset = state->offset;
	uint64_t until = w->until < end ? w->until : end, lines = 0;
	size_t count = 0;
	while (count < max && offset < until) {
		const uint8_t *p = w->bytes + (offset - w->offset);
		size_t length, whole;
		if (!line_find(p, (size_t)(end - offset), w->last, &length, &whole))
			break;
		if (length) {
			struct message *m = &out[count++];
			size_t taken = read(p, length, m);
			m->offset = offset;
			m->length = (uint32_t)taken;
			if (taken < length)
				whole = length = taken;
		}
		offset += whole;
		lines += length;
	}
	state->silent[LINE_SILENT] += 8 * (offset - state->offset - lines);
	state->offset = offset;
	return count;
}

/* The line of a message, in a copy: the bytes of a growing capture may change
 * meanwhile. */
static inline const uint8_t *
line_copy(const struct message *m, const struct window *w, struct arena *arena)
{
	return arena_copy(arena, w->bytes + (m->offset - w->offset), m->length);
}

/* Where, in LENGTH bytes at P that follow others, the first line starts, maybe
 * just behind them; false if no line ends in them. */
static inline bool
line_next(const uint8_t *p, size_t length, size_t *next)
{
	const uint8_t *end = length ? memchr(p, '\n', length) : NULL;
	*next = end ? (size_t)(end - p) + 1 : length;
	return end != NULL;
}

/* decoder_ops.resync of a format of lines: to the next start of a line. */
static inline int
line_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	(void)decoder;
	size_t next = 0;
	bool found = !w->offset || line_next(w->bytes, w->length, &next);
	state->offset = w->offset + next;
	return found ? 0 : ERR_SYNC;
}

#endif
