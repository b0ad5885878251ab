/*
 * Text lines that cover the screen: see pager.h.
 *
 * A whole line is made safe first, with a role for each byte, and only then cut into rows.
 * Matches and names may thus cross the end of a row. Each drawing makes all lines again: they
 * are only some hundreds.
 */
#include "config.h"

#include "ui/panes/pager.h"
#include "base/notice.h"
#include "ui/list/shown.h"
#include "ui/screen/screen.h"

#include <string.h>

enum {
	INDENT = 2,
	PARTING = 2 /* least number of blanks between parts */
};

void
pager_begin(struct pager *pager, int rows)
{
	pager->rows = rows;
	pager->line = 0;
	vec_clear(&pager->matches);
}

void
pager_end(struct pager *pager)
{
	pager->lines = pager->line;
}

void
pager_close(void *state)
{
	struct pager *pager = state;
	regex_free(pager->pattern);
	vec_free(&pager->matches);
}

/* --- a line ------------------------------------------------------------ */

/* Safe text with a role for each byte. */
struct pager_line {
	struct text text;
	VEC(uint8_t) roles;
	VEC(size_t) matches; /* first byte of each match */
	int indent;	     /* of wrapped rows */
};

static void
give_role(struct pager_line *line, enum role role)
{
	while (line->roles.count < line->text.length)
		*vec_add(&line->roles) = (uint8_t)role;
}

static void
add_part(struct pager_line *line, const struct screen *screen, const struct pager_part *part)
{
	int column = text_columns(text_get(&line->text), line->text.length, TEXT_UTF8);
	int blanks = part->column - column;
	blanks = column && blanks < PARTING ? PARTING : blanks;
	while (blanks-- > 0)
		text_add_char(&line->text, ' ');
	give_role(line, ROLE_NORMAL);
	line->indent = text_columns(text_get(&line->text), line->text.length, TEXT_UTF8);
	text_add_safe(&line->text, part->text, strlen(part->text), screen->charset);
	give_role(line, part->role);
}

/* True for a UTF-8 continuation byte. */
static bool
is_inside(char byte)
{
	return (byte & 0xc0) == 0x80;
}

static void
find_matches(struct pager_line *line, struct regex *pattern)
{
	const char *text = text_get(&line->text);
	size_t start, end, from = 0, length = line->text.length;
	while (pattern && from < length && regex_find(pattern, text, length, from, &start, &end)) {
		from = end > start ? end : end + 1;
		if (start == end)
			continue;
		while (is_inside(text[start])) /* whole characters only */
			start--;
		while (is_inside(text[end]))
			end++;
		*vec_add(&line->matches) = start;
		memset(line->roles.at + start, ROLE_MATCH, end - start);
	}
}

/* Draw the bytes from AT to END. CURRENT: matches look like the cursor. */
static void
draw_row(const struct pager_line *line, size_t at, size_t end, struct canvas *canvas,
	 const struct area *area, int y, int x, bool current)
{
	const char *text = text_get(&line->text);
	canvas_put(canvas, area, y, x, ROLE_NORMAL, text + at, end - at);
	while (at < end) {
		uint8_t role = line->roles.at[at];
		size_t start = at;
		while (at < end && line->roles.at[at] == role)
			at++;
		int columns = text_columns(text + start, at - start, TEXT_UTF8);
		bool found = current && role == ROLE_MATCH;
		canvas_role(canvas, area, y, x, columns, found ? ROLE_CURSOR : (enum role)role);
		x += columns;
	}
}

static bool
is_shown(const struct pager *pager, size_t line)
{
	return line >= pager->top && line - pager->top < (size_t)pager->rows;
}

static void
draw_line(struct pager *pager, const struct pager_line *line, struct canvas *canvas,
	  const struct area *area)
{
	size_t at = 0, match = 0, length = line->text.length;
	int indent = 0;
	do {
		size_t row = pager->line++;
		size_t end = at + text_fit_words(text_get(&line->text) + at, length - at, TEXT_UTF8,
						 area->cols - indent);
		if (match < line->matches.count && line->matches.at[match] < end)
			*vec_add(&pager->matches) = row;
		while (match < line->matches.count && line->matches.at[match] < end)
			match++;
		if (is_shown(pager, row))
			draw_row(line, at, end, canvas, area, (int)(row - pager->top), indent,
				 row == pager->match);
		at = end;
		indent = line->indent < area->cols * 2 / 3 ? line->indent : INDENT;
	} while (at < length);
}

void
pager_put_parts(struct pager *pager, struct screen *screen, struct canvas *canvas,
		const struct area *area, const struct pager_part *parts, size_t count)
{
	struct pager_line line = {0};
	for (size_t i = 0; i < count; i++)
		add_part(&line, screen, &parts[i]);
	if (count < 2)
		line.indent = INDENT;
	if (pager->mark)
		pager->mark(screen, text_get(&line.text), line.text.length, line.roles.at);
	find_matches(&line, pager->pattern);
	draw_line(pager, &line, canvas, area);
	text_free(&line.text);
	vec_free(&line.roles);
	vec_free(&line.matches);
}

void
pager_put(struct pager *pager, struct screen *screen, struct canvas *canvas,
	  const struct area *area, enum role role, const char *text)
{
	struct pager_part part = {.role = role, .text = text};
	pager_put_parts(pager, screen, canvas, area, &part, 1);
}

/* --- commands ---------------------------------------------------------- */

static struct pager *
pager_of(struct screen *screen)
{
	return screen->state[screen->focus];
}

static void
go_to_line(struct pager *pager, int64_t line)
{
	int64_t last = (int64_t)pager->lines - pager->rows;
	line = line > last ? last : line;
	pager->top = line > 0 ? (size_t)line : 0;
}

static void
pager_move(struct screen *screen, const struct command_call *call)
{
	struct pager *pager = pager_of(screen);
	go_to_line(pager, (int64_t)pager->top + pane_step(call, pager->rows));
}

static void
pager_top(struct screen *screen, const struct command_call *call)
{
	(void)call;
	go_to_line(pager_of(screen), 0);
}

static void
pager_bottom(struct screen *screen, const struct command_call *call)
{
	(void)call;
	go_to_line(pager_of(screen), INT64_MAX);
}

/* --- searching --------------------------------------------------------- */

/* Return the next row with a match; the pager must have matches. Start after the current match if
 * it is on the screen, else at the first row. Set *ROUND if the search wrapped. */
static size_t
pager_next_match(const struct pager *pager, bool forward, bool *round)
{
	bool last = pager->match != SIZE_MAX && is_shown(pager, pager->match);
	size_t from = last ? pager->match + forward : pager->top;
	size_t i = 0, count = pager->matches.count;
	while (i < count && pager->matches.at[i] < from)
		i++; /* stop at the first match from there on */
	*round = forward ? i == count : !i;
	if (forward)
		return pager->matches.at[*round ? 0 : i];
	return pager->matches.at[*round ? count - 1 : i - 1];
}

static void
pager_find(struct screen *screen, bool forward, uint64_t count)
{
	struct pager *pager = pager_of(screen);
	bool round = false, rounds = false;
	screen_place_panes(screen); /* finds the matches; the loop repaints later anyway */
	screen->panes[screen->focus]->draw(screen, screen->canvas,
					   &screen->layout.panes[screen->focus]);
	if (!pager->matches.count) {
		screen_say(screen, NOTICE_PAGER_NO_MATCH);
		return;
	}
	count = count % pager->matches.count ? count % pager->matches.count : pager->matches.count;
	for (; count; count--) {
		pager->match = pager_next_match(pager, forward, &round);
		rounds |= round;
		if (!is_shown(pager, pager->match))
			go_to_line(pager, (int64_t)pager->match);
	}
	if (rounds)
		screen_say(screen,
			   forward ? NOTICE_SEARCH_WRAPPED_TOP : NOTICE_SEARCH_WRAPPED_BOTTOM);
}

static void
pager_search_again(struct screen *screen, const struct command_call *call)
{
	struct pager *pager = pager_of(screen);
	if (pager->pattern)
		pager_find(screen, (call->id == COMMAND_NEXT) != pager->backward, call->count);
	else
		screen_say(screen, NOTICE_SEARCH_NOTHING_YET);
}

static void
pager_search(struct screen *screen, const struct command_call *call)
{
	struct pager *pager = pager_of(screen);
	struct err err;
	struct regex *pattern = *call->text ? regex_new_typed(call->text, &err) : NULL;
	if (*call->text && !pattern) {
		screen_error(screen, NOTICE_SEARCH_REFUSED, err.what);
		return;
	}
	if (pattern) {
		regex_free(pager->pattern);
		pager->pattern = pattern;
		pager->match = SIZE_MAX;
	}
	pager->backward = call->id == COMMAND_SEARCH_BACK;
	pager_search_again(screen, &(struct command_call){.id = COMMAND_NEXT, .count = 1});
}

static void
pager_leave(struct screen *screen, const struct command_call *call)
{
	struct pager *pager = pager_of(screen);
	(void)call;
	regex_free(pager->pattern);
	pager->pattern = NULL;
	pager->top = 0;
	screen->open[screen->focus] = false;
	shown_set_focus(screen, screen->open[PANE_CARD] ? PANE_CARD : PANE_LIST);
}

/* Close the page if the command that opens it is typed in it. Other commands open another page. */
static void
pager_turn(struct screen *screen, const struct command_call *call)
{
	bool same = (screen->focus == PANE_HELP && call->id == COMMAND_HELP) ||
		    (screen->focus == PANE_FACTS && call->id == COMMAND_FACTS);
	pager_leave(screen, call);
	if (!same)
		screen_run(screen, *call);
}

pane_command *const pager_commands[COMMAND_COUNT] = {
    [COMMAND_DOWN] = pager_move,	 [COMMAND_UP] = pager_move,
    [COMMAND_PAGE_DOWN] = pager_move,	 [COMMAND_PAGE_UP] = pager_move,
    [COMMAND_HALF_DOWN] = pager_move,	 [COMMAND_HALF_UP] = pager_move,
    [COMMAND_SCROLL_DOWN] = pager_move,	 [COMMAND_SCROLL_UP] = pager_move,
    [COMMAND_TOP] = pager_top,		 [COMMAND_END] = pager_bottom,
    [COMMAND_CLOSE] = pager_leave,	 [COMMAND_HELP] = pager_turn,
    [COMMAND_MESSAGES] = pager_turn,	 [COMMAND_CLOCKS] = pager_turn,
    [COMMAND_FACTS] = pager_turn,	 [COMMAND_CANCEL] = pager_leave,
    [COMMAND_SEARCH] = pager_search,	 [COMMAND_SEARCH_BACK] = pager_search,
    [COMMAND_NEXT] = pager_search_again, [COMMAND_PREVIOUS] = pager_search_again,
};
