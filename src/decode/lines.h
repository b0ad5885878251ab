/*
 * Lines of text in a capture, for formats that consist of lines.  A line longer
 * than LINE_LONGEST is cut into pieces of that size.  So a step ends even in a
 * capture without line ends.
 */
#ifndef TRAWL_DECODE_LINES_H
#define TRAWL_DECODE_LINES_H

#include "decode/decoder.h"

#include <string.h>

/* Bytes of a capture of lines that belong to no message: the first row of `silent`. */
enum { LINE_SILENT };
#define LINE_SILENT_ROW                                                                            \
	{                                                                                          \
		.name = "line_end", .help = "ends of lines, and empty lines"                       \
	}

/* True if captures of this decoder are lines of text, so that it skips line ends. */
static inline bool
line_ends_pass(const struct decoder_ops *ops)
{
	return ops->silent_count && !strcmp(ops->silent[LINE_SILENT].name, "line_end");
}

enum { LINE_LONGEST = 256 * 1024, LINE_REACH = LINE_LONGEST + 2 };

/* Find the line at P: LENGTH without its end, WHOLE with it.  Return false if the LEFT bytes end
 * before the line does and are not the LAST ones. */
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

/* decoder_ops.step of a format of lines, inlined for each.  READ gets a line that is not empty
 * and fills in M except offset and length.  It returns the number of bytes used: less than
 * LENGTH if another message follows on the same line. */
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

/* Copy the line of a message, because bytes of a growing capture may change meanwhile. */
static inline const uint8_t *
line_copy(const struct message *m, const struct window *w, struct arena *arena)
{
	return arena_copy(arena, w->bytes + (m->offset - w->offset), m->length);
}

/* Find the first line start in LENGTH bytes at P that follow others.  It may lie just after
 * them.  Return false if no line ends in them. */
static inline bool
line_next(const uint8_t *p, size_t length, size_t *next)
{
	const uint8_t *end = length ? memchr(p, '\n', length) : NULL;
	*next = end ? (size_t)(end - p) + 1 : length;
	return end != NULL;
}

/* decoder_ops.resync of a format of lines: go to the next line start. */
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
