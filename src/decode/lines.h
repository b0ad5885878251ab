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
