/*
 * The card of keys: a page of keys for each pane, with the current bindings, sorted by purpose.
 *
 * The list's card comes from the table of the card (command/card.def). The card of another pane
 * shows the commands of that pane, with wrapped descriptions, and its signs. After the list's card
 * comes one with the signs of rows and numbers (screen/sign.def). Sections fill columns, and a
 * small screen needs several pages. The paging keys stop at the first and the last card. Other
 * keys are ignored (ui/input.c).
 */
#include "config.h"

#include "ui/panes/pane_card.h"
#include "base/notice.h"
#include "command/card.h"
#include "session/context/context.h"
#include "session/session.h"
#include "ui/list/list.h"
#include "ui/list/shown.h"
#include "ui/panes/pane.h"
#include "ui/screen/screen.h"
#include "ui/screen/signs.h"

#include <string.h>

enum {
	COLUMN = 26,	 /* screen columns for a column of the card */
	KEYS = 5,	 /* least width of the keys in it */
	KEYS_ALONE = 14, /* the same if the card has a single column */
	WORDS = 20,	 /* width of the words if the help of the command follows */
	HELP_MIN = 28,	 /* least width of that help */
};

struct card_state {
	enum pane_id of;    /* pane of the card; PANE_CARD: signs */
	enum pane_id from;  /* the focused pane before the card opened */
	size_t page, pages; /* current page of the card; SIZE_MAX: its last */
};

struct card_line {
	struct text keys;  /* empty in headings and wrapped lines */
	const char *words; /* `length` bytes */
	size_t length;
	const char *help; /* after the words, in a wide card; or NULL */
	bool heading;
	bool dim; /* no effect in this session */
};

struct card {
	VEC(struct card_line) lines;
	int columns; /* screen columns for a column of the card */
	int keys;    /* width of the keys in it */
};

static struct card_state *
state_of(const struct screen *screen)
{
	return screen->state[PANE_CARD];
}

/* --- contents ---------------------------------------------------------- */

static bool
any_severity(const struct screen *screen)
{
	struct index_progress progress;
	bool any = false;
	list_get_progress(screen->list, &progress);
	for (unsigned s = SEVERITY_FATAL; s <= SEVERITY_DEBUG; s++)
		any |= progress.severities[s] > 0;
	return any || !progress.complete;
}

/* The thing without which a command has no effect. */
enum card_need { NEEDS_NOTHING, NEEDS_SEVERITIES, NEEDS_CONTEXTS, NEEDS_TRACES, NEEDS_COMPARE };

static const enum card_need needs[COMMAND_COUNT] = {
    [COMMAND_NEXT_ERROR] = NEEDS_SEVERITIES,	[COMMAND_NEXT_WARNING] = NEEDS_SEVERITIES,
    [COMMAND_STRICTER] = NEEDS_SEVERITIES,	[COMMAND_UNASSIGNED] = NEEDS_SEVERITIES,
    [COMMAND_ONLY_SEVERITY] = NEEDS_SEVERITIES, [COMMAND_NEXT_CONTEXT] = NEEDS_CONTEXTS,
    [COMMAND_ONLY_CONTEXT] = NEEDS_CONTEXTS,	[COMMAND_NEXT_TRACE] = NEEDS_TRACES,
    [COMMAND_ONLY_TRACE] = NEEDS_TRACES,	[COMMAND_NEXT_DIFFERENCE] = NEEDS_COMPARE,
};

/* True if a command can have an effect in this session. */
static bool
card_applies(const struct screen *screen, enum command_id id)
{
	if (needs[id] == NEEDS_SEVERITIES)
		return any_severity(screen);
	if (needs[id] == NEEDS_CONTEXTS)
		return contexts_count(screen->session->contexts);
	return needs[id] != NEEDS_TRACES || screen->session->traces.count > 1;
}

static struct card_line *
add_line(struct card *card, const char *words)
{
	struct card_line *line = vec_add(&card->lines);
	*line = (struct card_line){.words = words, .length = strlen(words)};
	return line;
}

static void
add_heading(struct card *card, const char *words)
{
	add_line(card, words)->heading = true;
}

static void
make_list_card(const struct screen *screen, struct card *card)
{
	enum card_section section = CARD_NONE;
	card->columns = COLUMN;
	card->keys = KEYS;
	for (size_t i = 0; i < card_row_count && card_rows[i].section != CARD_NONE; i++) {
		if (needs[card_rows[i].first] == NEEDS_COMPARE && !screen->compare)
			continue; /* a comparison must be requested at the start */
		if (!i || card_rows[i].section != section)
			add_heading(card, card_section_title(card_rows[i].section));
		section = card_rows[i].section;
		struct card_line *line = add_line(card, card_rows[i].words);
		card_add_keys(&card_rows[i], screen->keymap, &line->keys);
		line->dim = !card_applies(screen, card_rows[i].first);
		line->help = commands[card_rows[i].first].help;
	}
}

/* True if a pane has its own commands. */
static bool
has_commands(const struct screen *screen, enum pane_id pane)
{
	int i = 0;
	while (i < COMMAND_COUNT && commands[i].scope != screen->panes[pane]->scope)
		i++;
	return i < COMMAND_COUNT;
}

/* Add a line with the keys, and more lines if the words do not fit into ROOM columns. */
static void
add_wrapped(struct card *card, struct text keys, const char *words, int room,
	    enum text_charset charset)
{
	size_t length = strlen(words);
	do {
		struct card_line *line = add_line(card, words);
		line->keys = keys;
		size_t part = text_fit_words(words, length, charset, room);
		line->length = part - (part && words[part - 1] == ' ');
		words += part;
		length -= part;
		keys = (struct text){0};
	} while (length);
}

/* Add the signs of a pane after its keys, if it has any. */
static void
add_signs(const struct screen *screen, const char *pane, int columns, struct card *card)
{
	bool any = false;
	for (int i = 0; i < SIGN_COUNT; i++) {
		struct text sign = {0};
		if (strcmp(signs[i].where, pane) != 0)
			continue;
		if (!any)
			add_heading(card, "signs");
		any = true;
		text_add(&sign, signs[i].text);
		add_wrapped(card, sign, signs[i].help, columns - card->keys - 2, screen->charset);
	}
}

static void
make_pane_card(const struct screen *screen, enum pane_id pane, int columns, struct card *card)
{
	const enum command_scope scope = screen->panes[pane]->scope;
	struct text keys[COMMAND_COUNT] = {0};
	card->columns = columns;
	card->keys = KEYS_ALONE;
	add_heading(card, "in this pane; other keys are those of the list");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		if (commands[i].scope != scope)
			continue;
		keymap_keys(screen->keymap, (enum command_id)i, &keys[i]);
		if (!keys[i].length) /* its name */
			keymap_hint(screen->keymap, (enum command_id)i, &keys[i]);
		int own = text_columns(keys[i].data, keys[i].length, screen->charset);
		card->keys = own > card->keys ? own : card->keys;
	}
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (keys[i].length)
			add_wrapped(card, keys[i], commands[i].help, columns - card->keys - 2,
				    screen->charset);
	add_signs(screen, screen->panes[pane]->name, columns, card);
}

/* True if a sign may appear before a row of the list or at a number, or is for patterns or the
 * mouse. */
static bool
sign_applies(const struct screen *screen, enum sign_id id)
{
	const char *where = signs[id].where;
	if (id == SIGN_DIFFERS || id == SIGN_MISSING)
		return screen->compare != NULL;
	return !strcmp(where, "list") || !strcmp(where, "tables") || !strcmp(where, "numbers") ||
	       !strcmp(where, "search") || !strcmp(where, "mouse");
}

static void
make_signs_card(const struct screen *screen, int columns, struct card *card)
{
	card->columns = columns;
	card->keys = KEYS_ALONE;
	for (int i = 0; i < SIGN_COUNT; i++) {
		struct text sign = {0};
		if (!sign_applies(screen, (enum sign_id)i))
			continue;
		text_add(&sign, signs[i].text);
		add_wrapped(card, sign, signs[i].help, columns - card->keys - 2, screen->charset);
	}
}

static void
card_make(const struct screen *screen, int columns, struct card *card)
{
	if (state_of(screen)->of == PANE_LIST)
		make_list_card(screen, card);
	else if (state_of(screen)->of == PANE_CARD)
		make_signs_card(screen, columns, card);
	else
		make_pane_card(screen, state_of(screen)->of, columns, card);
}

static void
card_free(struct card *card)
{
	for (size_t i = 0; i < card->lines.count; i++)
		text_free(&card->lines.at[i].keys);
	vec_free(&card->lines);
}

/* --- drawing ----------------------------------------------------------- */

/* The place of the next line: a column of the card, counted over all pages, and a row. */
struct card_place {
	int column, row;
};

/* Move PLACE to line AT, in columns of ROWS rows. Leave an empty row between sections. Keep a
 * section in one column if it fits. */
static void
place_line(const struct card *card, size_t at, int rows, struct card_place *place)
{
	place->row += at > 0;
	if (card->lines.at[at].heading && place->row) {
		size_t end = at + 1;
		while (end < card->lines.count && !card->lines.at[end].heading)
			end++;
		int height = (int)(end - at);
		place->row++;
		if (place->row + height > rows && (height <= rows || place->row + 2 > rows))
			place->row = rows;
	}
	if (place->row >= rows) {
		place->column++;
		place->row = 0;
	}
}

static void
draw_line(const struct card_line *line, struct canvas *canvas, const struct area *area, int row,
	  int col, int columns, int keys)
{
	int x = col, help = col + keys + 1 + WORDS;
	if (line->help && columns >= keys + 1 + WORDS + HELP_MIN) {
		canvas_put_cell(canvas, area, row, help, col + columns - 1 - help,
				line->dim ? ROLE_ABSENT : ROLE_NOTE, line->help,
				strlen(line->help));
		columns = help - col;
	}
	if (line->keys.length)
		x = canvas_put(canvas, area, row, col, line->dim ? ROLE_ABSENT : ROLE_KEY,
			       line->keys.data, line->keys.length) +
		    1;
	if (!line->heading && x < col + keys + 1)
		x = col + keys + 1;
	if (x < col + columns - 1)
		canvas_put_cell(canvas, area, row, x, col + columns - 1 - x,
				line->dim	? ROLE_ABSENT
				: line->heading ? ROLE_HEADER
						: ROLE_NORMAL,
				line->words, line->length);
}

/* Cards in order: the list, the signs, then the other panes. Some panes have no card. */
enum { CARD_PLACES = PANE_GUESSES + 1 };

static enum pane_id
card_at(int place)
{
	return place == 0 ? PANE_LIST : place == 1 ? PANE_CARD : (enum pane_id)(place - 1);
}

static bool
has_card(const struct screen *screen, int place)
{
	return place < 2 || has_commands(screen, card_at(place));
}

/* Return the number of cards. Set *NUMBER to that of a pane's card, from 1. */
static size_t
count_cards(const struct screen *screen, enum pane_id of, size_t *number)
{
	size_t count = 0;
	for (int place = 0; place < CARD_PLACES; place++) {
		count += has_card(screen, place);
		if (card_at(place) == of)
			*number = count;
	}
	return count;
}

/* True on the last page of the last card. */
static bool
is_last(const struct screen *screen)
{
	const struct card_state *state = state_of(screen);
	size_t number = 0, count = count_cards(screen, state->of, &number);
	return number == count && state->page + 1 >= state->pages;
}

/* Append the keys that turn the cards; on the last card, only the key that goes back. */
static void
add_turns(const struct screen *screen, struct text *out)
{
	bool last = is_last(screen);
	if (!last) {
		keymap_hint(screen->keymap, COMMAND_PAGE_DOWN, out);
		text_add_char(out, ' ');
	}
	keymap_hint(screen->keymap, COMMAND_PAGE_UP, out);
	text_add(out, last ? " back  " : " turn  ");
}

static void
draw_head(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	const struct card_state *state = state_of(screen);
	struct text left = {0}, right = {0};
	size_t number = 0, count = count_cards(screen, state->of, &number);
	if (state->of == PANE_CARD)
		text_add(&left, " signs in the list, mouse");
	else
		text_addf(&left, " keys of the %s", screen->panes[state->of]->name);
	text_addf(&left, ", %zu of %zu", number, count);
	if (state->pages > 1)
		text_addf(&left, ", page %zu of %zu", state->page + 1, state->pages);
	if (is_last(screen))
		text_add(&left, ", the last");
	add_turns(screen, &right);
	const size_t turns = right.length;
	keymap_hint(screen->keymap, COMMAND_MANUAL, &right);
	text_add(&right, " manual ");
	size_t manual = right.length;
	text_add(&right, " q back ");
	int room = area->cols - text_columns(left.data, left.length, screen->charset) - 2;
	if (text_columns(right.data, right.length, screen->charset) > room)
		text_cut(&right, manual);
	if (text_columns(right.data, right.length, screen->charset) > room)
		text_cut(&right, turns);
	int x = area->cols - text_columns(right.data, right.length, screen->charset);
	canvas_put_cell(canvas, area, 0, 0, x - 1, ROLE_HEADER, left.data, left.length);
	canvas_put(canvas, area, 0, x, ROLE_NOTE, right.data, right.length);
	text_free(&left);
	text_free(&right);
}

/* Return the area for the lines of the card. */
static struct area
card_body(const struct area *area)
{
	return (struct area){area->row + 1, area->col, area->rows - 1, area->cols};
}

/* Make the card for the area and count its pages. Return the number of columns on a page. If all
 * fits on one, that is the number needed: the columns are then as wide as possible. */
static int
card_fit(struct screen *screen, const struct area *area, struct card *card)
{
	struct card_state *state = state_of(screen);
	struct card_place place = {0};
	const struct area body = card_body(area);
	card_make(screen, area->cols, card);
	int across = card->columns > area->cols ? 1 : area->cols / card->columns;
	for (size_t i = 0; i < card->lines.count && body.rows > 0; i++)
		place_line(card, i, body.rows, &place);
	state->pages = (size_t)(place.column / across) + 1;
	across = place.column < across ? place.column + 1 : across;
	if (state->page >= state->pages)
		state->page = state->pages - 1;
	return across;
}

static void
card_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	const struct card_state *state = state_of(screen);
	struct card card = {0};
	struct card_place place = {0};
	const struct area body = card_body(area);
	int across = card_fit(screen, area, &card), width = area->cols / across;
	for (size_t i = 0; i < card.lines.count && body.rows > 0; i++) {
		place_line(&card, i, body.rows, &place);
		if ((size_t)(place.column / across) == state->page)
			draw_line(&card.lines.at[i], canvas, &body, place.row,
				  place.column % across * width + 1, width, card.keys);
	}
	draw_head(screen, canvas, area);
	card_free(&card);
}

/* --- commands ---------------------------------------------------------- */

void
card_open(struct screen *screen, const struct command_call *call)
{
	struct card_state *state = state_of(screen);
	bool has = screen->focus < PANE_GUESSES && has_commands(screen, screen->focus);
	(void)call;
	*state = (struct card_state){.of = has ? screen->focus : PANE_LIST, .from = screen->focus};
	screen->open[PANE_CARD] = true;
	shown_set_focus(screen, PANE_CARD);
}

void
card_close(struct screen *screen)
{
	screen->open[PANE_CARD] = false;
	shown_set_focus(screen, state_of(screen)->from);
}

void
card_say_keys(struct screen *screen)
{
	struct text hint = {0};
	keymap_hint(screen->keymap, COMMAND_CLOSE, &hint);
	screen_say(screen, NOTICE_CARD_KEYS, hint.data);
	text_free(&hint);
}

static void
card_leave(struct screen *screen, const struct command_call *call)
{
	(void)call;
	card_close(screen);
}

/* Turn to the next card, or to the previous one. Wrap at both ends. */
static void
turn_card(struct screen *screen, bool back)
{
	struct card_state *state = state_of(screen);
	int place = 0, step = back ? CARD_PLACES - 1 : 1;
	while (card_at(place) != state->of)
		place++;
	do
		place = (place + step) % CARD_PLACES;
	while (!has_card(screen, place));
	state->of = card_at(place);
	state->page = back ? SIZE_MAX : 0;
}

static void
card_turn(struct screen *screen, const struct command_call *call)
{
	struct card_state *state = state_of(screen);
	bool back = call->id == COMMAND_PAGE_UP || call->id == COMMAND_HALF_UP ||
		    call->id == COMMAND_UP || call->id == COMMAND_PANE_PREVIOUS;
	bool round = call->id == COMMAND_CARD_NEXT || call->id == COMMAND_PANE_PREVIOUS;
	struct card card = {0};
	screen_place_panes(screen); /* keys may arrive faster than drawings */
	card_fit(screen, &screen->layout.panes[PANE_CARD], &card);
	card_free(&card);
	if (back ? state->page > 0 : state->page + 1 < state->pages)
		state->page += back ? SIZE_MAX : 1;
	else if (!round && (back ? state->of == PANE_LIST : is_last(screen)))
		screen_say(screen, back ? NOTICE_CARD_FIRST : NOTICE_CARD_LAST);
	else
		turn_card(screen, back);
}

static void
card_end(struct screen *screen, const struct command_call *call)
{
	struct card_state *state = state_of(screen);
	state->of = PANE_LIST;
	state->page = 0;
	if (call->id == COMMAND_END)
		turn_card(screen, true);
}

/* The manual has the commands in full: search there. */
static void
card_search(struct screen *screen, const struct command_call *call)
{
	card_close(screen);
	screen_run(screen, (struct command_call){.id = COMMAND_MANUAL, .count = 1});
	screen_run(screen, *call);
}

static pane_command *const card_commands[COMMAND_COUNT] = {
    [COMMAND_CARD_NEXT] = card_turn, [COMMAND_PAGE_DOWN] = card_turn,
    [COMMAND_PAGE_UP] = card_turn,   [COMMAND_PANE_PREVIOUS] = card_turn,
    [COMMAND_DOWN] = card_turn,	     [COMMAND_UP] = card_turn,
    [COMMAND_HALF_DOWN] = card_turn, [COMMAND_HALF_UP] = card_turn,
    [COMMAND_TOP] = card_end,	     [COMMAND_END] = card_end,
    [COMMAND_SEARCH] = card_search,  [COMMAND_SEARCH_BACK] = card_search,
    [COMMAND_NEXT] = card_search,    [COMMAND_PREVIOUS] = card_search,
    [COMMAND_HELP] = card_leave,     [COMMAND_CLOSE] = card_leave,
    [COMMAND_CANCEL] = card_leave,
};

const struct pane_ops pane_card = {
    .name = "keys",
    .scope = SCOPE_CARD,
    .state_size = sizeof(struct card_state),
    .draw = card_draw,
    .commands = card_commands,
};
