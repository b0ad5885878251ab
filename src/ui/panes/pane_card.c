/*
 * The card of keys: one screen for each pane, by what one wants to do, with the keys as they
 * are bound now.
 *
 * The list's is made from the table of the card (command/card.def), that of another pane from
 * the commands that are its alone.  Sections fill columns; what a screen is too small for is
 * on a further page.  Keys that are not the card's own close it and act (ui/input.c).
 */
#include "config.h"

#include "ui/panes/pane_card.h"
#include "command/card.h"
#include "session/context/context.h"
#include "session/session.h"
#include "ui/list/list.h"
#include "ui/list/shown.h"
#include "ui/panes/pane.h"
#include "ui/screen/screen.h"

enum {
	COLUMN = 26,	 /* columns of the screen for one of the card */
	KEYS = 5,	 /* of these for the keys, at least */
	KEYS_ALONE = 14, /* the same where there is one column of the card */
};

struct card_state {
	enum pane_id of;    /* whose keys are shown */
	enum pane_id from;  /* where the cursor was */
	size_t page, pages; /* the one shown, of its card */
};

struct card_line {
	struct text keys; /* empty: a heading */
	const char *words;
	bool dim; /* it does nothing here */
};

struct card {
	VEC(struct card_line) lines;
	int columns; /* of the screen for one of the card */
};

static struct card_state *
state_of(const struct screen *screen)
{
	return screen->state[PANE_CARD];
}

/* --- what is on it ----------------------------------------------------- */

static bool
any_severity(const struct screen *screen)
{
	struct index_progress progress;
	bool any = false;
	list_get_progress(screen->list, &progress);
	for (unsigned s = SEVERITY_FATAL; s < SEVERITY_COUNT; s++)
		any |= progress.severities[s] > 0;
	return any || !progress.complete;
}

/* What a command can do nothing without. */
enum card_need { NEEDS_NOTHING, NEEDS_SEVERITIES, NEEDS_CONTEXTS, NEEDS_TRACES };

static const enum card_need needs[COMMAND_COUNT] = {
    [COMMAND_NEXT_ERROR] = NEEDS_SEVERITIES,	[COMMAND_NEXT_WARNING] = NEEDS_SEVERITIES,
    [COMMAND_STRICTER] = NEEDS_SEVERITIES,	[COMMAND_UNASSIGNED] = NEEDS_SEVERITIES,
    [COMMAND_ONLY_SEVERITY] = NEEDS_SEVERITIES, [COMMAND_NEXT_CONTEXT] = NEEDS_CONTEXTS,
    [COMMAND_ONLY_CONTEXT] = NEEDS_CONTEXTS,	[COMMAND_NEXT_TRACE] = NEEDS_TRACES,
    [COMMAND_ONLY_TRACE] = NEEDS_TRACES,
};

/* Whether a command can do something in what is open. */
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
	line->words = words;
	return line;
}

static void
make_list_card(const struct screen *screen, struct card *card)
{
	enum card_section section = CARD_NONE;
	card->columns = COLUMN;
	for (size_t i = 0; i < card_row_count && card_rows[i].section != CARD_NONE; i++) {
		if (!i || card_rows[i].section != section)
			add_line(card, card_section_title(card_rows[i].section));
		section = card_rows[i].section;
		struct card_line *line = add_line(card, card_rows[i].words);
		card_add_keys(&card_rows[i], screen->keymap, &line->keys);
		line->dim = !card_applies(screen, card_rows[i].first);
	}
}

/* Whether a pane has commands of its own. */
static bool
has_commands(const struct screen *screen, enum pane_id pane)
{
	int i = 0;
	while (i < COMMAND_COUNT && commands[i].scope != screen->panes[pane]->scope)
		i++;
	return i < COMMAND_COUNT;
}

static void
make_pane_card(const struct screen *screen, enum pane_id pane, struct card *card)
{
	const struct pane_ops *ops = screen->panes[pane];
	card->columns = screen->canvas->cols;
	add_line(card, "in this pane; other keys are those of the list");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		if (commands[i].scope != ops->scope)
			continue;
		struct card_line *line = add_line(card, commands[i].help);
		keymap_keys(screen->keymap, (enum command_id)i, &line->keys);
		if (!line->keys.length)
			keymap_hint(screen->keymap, (enum command_id)i, &line->keys);
	}
}

static void
card_make(const struct screen *screen, struct card *card)
{
	if (state_of(screen)->of == PANE_LIST)
		make_list_card(screen, card);
	else
		make_pane_card(screen, state_of(screen)->of, card);
}

static void
card_free(struct card *card)
{
	for (size_t i = 0; i < card->lines.count; i++)
		text_free(&card->lines.at[i].keys);
	vec_free(&card->lines);
}

/* --- drawing ----------------------------------------------------------- */

/* Where the next line goes: a column of the card, over all pages, and a row. */
struct card_place {
	int column, row;
};

/* How many lines a heading is followed by, up to the next one, and itself. */
static int
section_rows(const struct card *card, size_t from)
{
	size_t i = from + 1;
	while (i < card->lines.count && card->lines.at[i].keys.length)
		i++;
	return (int)(i - from);
}

/* Moves to where line AT goes, of ROWS rows: sections stand below each other with a row
 * between, each in one column if it fits. */
static void
place_line(const struct card *card, size_t at, int rows, struct card_place *place)
{
	bool heading = !card->lines.at[at].keys.length;
	place->row += at > 0;
	if (heading && place->row) {
		int height = section_rows(card, at);
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
	int x = col;
	if (line->keys.length) {
		x = canvas_put(canvas, area, row, col, line->dim ? ROLE_ABSENT : ROLE_KEY,
			       line->keys.data, line->keys.length) +
		    1;
		x = x < col + keys + 1 ? col + keys + 1 : x;
	}
	if (x < col + columns - 1)
		canvas_put_cell(canvas, area, row, x, col + columns - 1 - x,
				line->dim	    ? ROLE_ABSENT
				: line->keys.length ? ROLE_NORMAL
						    : ROLE_HEADER,
				line->words, strlen(line->words));
}

/* The number of a pane's card among all of them, and how many there are. */
static size_t
count_cards(const struct screen *screen, enum pane_id of, size_t *number)
{
	size_t count = 0;
	for (int pane = 0; pane < PANE_GUESSES; pane++) {
		count += pane == PANE_LIST || has_commands(screen, (enum pane_id)pane);
		if (pane == (int)of)
			*number = count;
	}
	return count;
}

static void
draw_head(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	const struct card_state *state = state_of(screen);
	struct text left = {0}, right = {0};
	size_t number = 0, count = count_cards(screen, state->of, &number);
	text_addf(&left, " keys of the %s, %zu of %zu", screen->panes[state->of]->name, number,
		  count);
	if (state->pages > 1)
		text_addf(&left, ", page %zu of %zu", state->page + 1, state->pages);
	keymap_hint(screen->keymap, COMMAND_CARD_NEXT, &right);
	text_add(&right, " next  ");
	keymap_hint(screen->keymap, COMMAND_MANUAL, &right);
	text_add(&right, " manual ");
	int x = canvas_put(canvas, area, 0, 0, ROLE_HEADER, left.data, left.length);
	size_t shorter = right.length;
	text_add(&right, " other keys go back and act ");
	if (x + 2 + text_columns(right.data, right.length) > area->cols)
		text_cut(&right, shorter);
	int columns = text_columns(right.data, right.length);
	if (x + 2 + columns <= area->cols)
		canvas_put(canvas, area, 0, area->cols - columns, ROLE_NOTE, right.data,
			   right.length);
	text_free(&left);
	text_free(&right);
}

static void
card_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct card_state *state = state_of(screen);
	struct card card = {0};
	struct card_place place = {0};
	const struct area body = {area->row + 1, area->col, area->rows - 1, area->cols};
	card_make(screen, &card);
	int across = card.columns > area->cols ? 1 : area->cols / card.columns;
	int width = across > 1 ? area->cols / across : area->cols;
	for (size_t i = 0; i < card.lines.count && body.rows > 0; i++) {
		place_line(&card, i, body.rows, &place);
		if ((size_t)(place.column / across) == state->page)
			draw_line(&card.lines.at[i], canvas, &body, place.row,
				  place.column % across * width + 1, width,
				  card.columns == COLUMN ? KEYS : KEYS_ALONE);
	}
	state->pages = (size_t)(place.column / across) + 1;
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

static void
card_leave(struct screen *screen, const struct command_call *call)
{
	(void)call;
	card_close(screen);
}

static void
card_next(struct screen *screen, const struct command_call *call)
{
	struct card_state *state = state_of(screen);
	(void)call;
	if (++state->page < state->pages)
		return;
	state->page = 0;
	do
		state->of = (enum pane_id)((state->of + 1) % PANE_GUESSES);
	while (state->of != PANE_LIST && !has_commands(screen, state->of));
}

static pane_command *const card_commands[COMMAND_COUNT] = {
    [COMMAND_CARD_NEXT] = card_next,
    [COMMAND_HELP] = card_leave,
    [COMMAND_CLOSE] = card_leave,
    [COMMAND_CANCEL] = card_leave,
};

const struct pane_ops pane_card = {
    .name = "keys",
    .scope = SCOPE_CARD,
    .state_size = sizeof(struct card_state),
    .draw = card_draw,
    .commands = card_commands,
};
