/*
 * Logs of lines of text: render a line as a terminal shows it, after all cursor
 * movements and erasures.  Patterns, losses and texts use the result.
 *
 * The terminal has one endless row.  Movements to other rows are ignored.  Each cell
 * refers to bytes of the line, so a line needs memory for its own bytes and at most
 * COLUMNS further cells.  A line without control characters stays unchanged.
 */
#include "config.h"

#include "decode/text/textlog.h"

#include <string.h>

enum {
	COLUMNS = 1000,
	PARAMETERS = 1,
	MOVES_MOST = 1 << 24 /* most cells erased or moved for a line; no terminal has as many */
};

/* An escape sequence: ESC and its further bytes [ECMA-48, 5.3 to 5.6]. */
struct escape {
	size_t length;
	char final; /* of a control sequence; 0: another sequence, ignored */
	size_t parameters[PARAMETERS];
};

static size_t
pass_range(const char *p, size_t at, size_t left, char first, char last)
{
	while (at < left && p[at] >= first && p[at] <= last)
		at++;
	return at;
}

/* Return the end of a command string, which BEL or ST terminates. */
static size_t
pass_string(const char *p, size_t left)
{
	for (size_t at = 2; at < left; at++) {
		if (p[at] == '\a')
			return at + 1;
		if (p[at] == '\033' && at + 1 < left && p[at + 1] == '\\')
			return at + 2;
	}
	return left;
}

/* Read CSI P..P I..I F: the final byte is 0x40 to 0x7e. */
static void
read_control(const char *p, size_t left, struct escape *s)
{
	size_t end = pass_range(p, 2, left, 0x30, 0x3f);
	unsigned count = 0;
	for (size_t at = 2; at < end && count < PARAMETERS; at++) {
		size_t *value = &s->parameters[count];
		if (p[at] == ';')
			count++;
		else if (p[at] <= '9' && *value < COLUMNS)
			*value = 10 * *value + (size_t)(p[at] - '0');
	}
	size_t plain = end;
	end = pass_range(p, end, left, 0x20, 0x2f);
	s->length = end;
	if (end == left || p[end] < 0x40 || p[end] > 0x7e)
		return;
	s->length = end + 1;
	s->final = end == plain ? p[end] : 0;
}

/* Read the escape sequence at P. */
static struct escape
read_escape(const char *p, size_t left)
{
	struct escape s = {.length = 1};
	if (left < 2)
		return s;
	if (p[1] == '[') {
		read_control(p, left, &s);
	} else if (strchr("]PX^_", p[1]) && p[1]) {
		s.length = pass_string(p, left);
	} else {
		size_t end = pass_range(p, 1, left, 0x20, 0x2f);
		s.length = end < left && p[end] >= 0x30 && p[end] <= 0x7e ? end + 1 : end;
	}
	return s;
}

/* --- the row ------------------------------------------------------------- */

static struct textlog_cell *
cell_at(struct textlog_screen *screen, size_t column, size_t from)
{
	while (screen->cells.count <= column) {
		struct textlog_cell *blank = vec_add(&screen->cells);
		blank->from = (uint32_t)from;
	}
	return &screen->cells.at[column];
}

/* Blank the cells from BEGIN to END.  Cut the row at BEGIN if END is past its end. */
static void
erase_cells(struct textlog_screen *screen, size_t begin, size_t end)
{
	if (end >= screen->cells.count) {
		if (begin < screen->cells.count)
			screen->cells.count = begin;
		return;
	}
	for (; begin < end && screen->moves < MOVES_MOST; begin++, screen->moves++)
		screen->cells.at[begin].length = 0;
}

static size_t
go_to(const struct textlog_screen *screen, size_t column)
{
	size_t most = screen->cells.count > COLUMNS ? screen->cells.count : COLUMNS;
	return column < most ? column : most;
}

/* Delete COUNT cells and move the following ones there. */
static void
delete_cells(struct textlog_screen *screen, size_t at, size_t count)
{
	size_t all = screen->cells.count;
	if (at >= all || screen->moves >= MOVES_MOST)
		return;
	screen->moves += all - at;
	count = count < all - at ? count : all - at;
	memmove(&screen->cells.at[at], &screen->cells.at[at + count],
		(all - at - count) * sizeof *screen->cells.at);
	screen->cells.count -= count;
}

/* Apply a control sequence.  Return the new cursor column [ECMA-48, 8.3: CUF, CUB, CHA, HPA,
 * ED, EL, ECH, DCH]. */
static size_t
obey_escape(struct textlog_screen *screen, const struct escape *s, size_t x)
{
	size_t n = s->parameters[0], count = n ? n : 1;
	switch (s->final) {
	case 'C':
		return go_to(screen, x + count);
	case 'D':
		return x > count ? x - count : 0;
	case 'G':
	case '`':
		return go_to(screen, count - 1);
	case 'J':
	case 'K':
		erase_cells(screen, n ? 0 : x, n == 1 ? x + 1 : SIZE_MAX);
		return x;
	case 'X':
		erase_cells(screen, x, x + count);
		return x;
	case 'P':
		delete_cells(screen, x, count);
		return x;
	default:
		return x;
	}
}

static void
draw_line(struct textlog_screen *screen, const char *line, size_t length)
{
	size_t x = 0, taken;
	for (size_t at = 0; at < length; at += taken) {
		uint32_t code;
		taken = 1;
		if (line[at] == '\r') {
			x = 0;
		} else if (line[at] == '\b') {
			x -= x > 0;
		} else if (line[at] == '\033') {
			struct escape s = read_escape(line + at, length - at);
			x = obey_escape(screen, &s, x);
			taken = s.length;
		} else {
			size_t bytes = text_decode(line + at, length - at, &code);
			taken = bytes ? bytes : 1;
			*cell_at(screen, x++, at) =
			    (struct textlog_cell){.from = (uint32_t)at, .length = (uint32_t)taken};
		}
	}
}

static void
add_bytes(struct textlog_screen *screen, const char *line, size_t from, size_t end)
{
	size_t text = screen->text.count;
	if (from == end)
		return;
	vec_reserve(&screen->text, end - from);
	vec_reserve(&screen->from, end - from);
	memcpy(screen->text.at + text, line + from, end - from);
	for (size_t i = from; i < end; i++)
		screen->from.at[text + i - from] = (uint32_t)i;
	screen->text.count = screen->from.count = text + end - from;
}

/* Copy the line without its escape sequences.  Return false if one of them, or another character,
 * moves the cursor or erases cells. */
static bool
copy_line(struct textlog_screen *screen, const char *line, size_t length)
{
	const char *end = line + length, *p = line, *next;
	if (memchr(line, '\r', length) || memchr(line, '\b', length))
		return false;
	while ((next = memchr(p, '\033', (size_t)(end - p)))) {
		struct escape s = read_escape(next, (size_t)(end - next));
		if (s.final && strchr("CDG`JKXP", s.final)) /* those of obey_escape */
			return false;
		add_bytes(screen, line, (size_t)(p - line), (size_t)(next - line));
		p = next + s.length;
	}
	add_bytes(screen, line, (size_t)(p - line), length);
	return true;
}

static textlog_lanes
find_controls(textlog_lanes bytes)
{
	return (textlog_lanes)((bytes == '\033') | (bytes == '\r') | (bytes == '\b'));
}

size_t
textlog_as_is(const char *p, size_t length)
{
	return textlog_find((const uint8_t *)p, length, find_controls);
}

struct textlog_shown
textlog_show(struct textlog_screen *screen, const char *line, size_t length)
{
	if (textlog_as_is(line, length) == length)
		return (struct textlog_shown){.text = line, .length = length};
	screen->moves = 0;
	vec_clear(&screen->cells);
	vec_clear(&screen->text);
	vec_clear(&screen->from);
	if (!copy_line(screen, line, length)) {
		vec_clear(&screen->text);
		vec_clear(&screen->from);
		draw_line(screen, line, length);
	}
	for (size_t i = 0; i < screen->cells.count; i++) {
		const struct textlog_cell *cell = &screen->cells.at[i];
		*vec_add(&screen->text) = cell->length ? line[cell->from] : ' ';
		*vec_add(&screen->from) = cell->from;
		for (uint32_t k = 1; k < cell->length; k++) {
			*vec_add(&screen->text) = line[cell->from + k];
			*vec_add(&screen->from) = cell->from + k;
		}
	}
	vec_reserve(&screen->text, 1); /* so that text.at is not NULL */
	return (struct textlog_shown){
	    .text = screen->text.at, .length = screen->text.count, .from = screen->from.at};
}

void
textlog_span(const struct textlog_shown *shown, size_t *start, size_t *end)
{
	size_t least = SIZE_MAX, most = 0;
	if (!shown->from)
		return;
	for (size_t i = *start; i < *end; i++) {
		least = shown->from[i] < least ? shown->from[i] : least;
		most = shown->from[i] > most ? shown->from[i] : most;
	}
	*start = least;
	*end = most + 1;
}

void
textlog_screen_free(struct textlog_screen *screen)
{
	vec_free(&screen->cells);
	vec_free(&screen->text);
	vec_free(&screen->from);
}
