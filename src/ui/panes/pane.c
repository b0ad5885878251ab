/* Shared parts of panes: see pane.h. */
#include "config.h"

#include "ui/panes/pane.h"
#include "command/keymap.h"
#include "session/session.h"
#include "ui/list/list.h"
#include "ui/screen/screen.h"

enum role
severity_role(unsigned severity)
{
	static const enum role roles[SEVERITY_COUNT] = {
	    [SEVERITY_MAX] = ROLE_UNASSIGNED,  [SEVERITY_FATAL] = ROLE_FATAL,
	    [SEVERITY_ERROR] = ROLE_ERROR,     [SEVERITY_WARNING] = ROLE_WARNING,
	    [SEVERITY_INFO] = ROLE_INFO,       [SEVERITY_USER1] = ROLE_USER,
	    [SEVERITY_USER2] = ROLE_USER,      [SEVERITY_DEBUG] = ROLE_DEBUG,
	    [SEVERITY_NONE] = ROLE_UNASSIGNED,
	};
	return severity < SEVERITY_COUNT ? roles[severity] : ROLE_NORMAL;
}

enum role
trace_role(const struct session *session, size_t trace)
{
	static const enum role roles[] = {ROLE_TRACE1, ROLE_TRACE2, ROLE_TRACE3,
					  ROLE_TRACE4, ROLE_TRACE5, ROLE_TRACE6};
	if (session->traces.count < 2)
		return ROLE_NORMAL;
	return roles[trace % (sizeof roles / sizeof *roles)];
}

/* --- the rule ---------------------------------------------------------- */

enum { KEYS_COLUMNS_MIN = 60 }; /* narrower rules show no keys */

/* The keys of a pane with their labels, and the columns of each key. */
struct rule_keys {
	struct text text;
	struct {
		int col, cols;
	} at[PANE_KEYS_MAX];
	size_t count;
};

/* Which keys are shown, from all to none. */
enum { RULE_KEYS_ALL, RULE_KEYS_FEW, RULE_KEYS_CLOSE, RULE_KEYS_NONE };

static bool
is_key_shown(const struct pane_key *key, bool last, int which)
{
	return which == RULE_KEYS_ALL || (which == RULE_KEYS_FEW && !key->spare) ||
	       (which == RULE_KEYS_CLOSE && last);
}

static void
add_key(const struct screen *screen, const struct pane_key *key, struct rule_keys *keys)
{
	struct text *text = &keys->text;
	text_add(text, text->length ? "  " : " ");
	int from = text_columns(text->data, text->length, screen->charset);
	keymap_hint(screen->keymap, key->first, text);
	if (key->second != COMMAND_DOWN) {
		text_add_char(text, ' ');
		keymap_hint(screen->keymap, key->second, text);
	}
	keys->at[keys->count].col = from;
	keys->at[keys->count++].cols =
	    text_columns(text->data, text->length, screen->charset) - from;
	text_addf(text, " %s", key->word);
}

/* Collect as many keys as fit into COLUMNS. */
static void
make_keys(const struct screen *screen, const struct pane_key *all, int columns,
	  struct rule_keys *keys)
{
	for (int which = RULE_KEYS_ALL; which < RULE_KEYS_NONE; which++) {
		text_clear(&keys->text);
		keys->count = 0;
		for (size_t i = 0; i < PANE_KEYS_MAX && all[i].word; i++)
			if (is_key_shown(&all[i], i + 1 == PANE_KEYS_MAX || !all[i + 1].word,
					 which))
				add_key(screen, &all[i], keys);
		text_add_char(&keys->text, ' ');
		if (text_columns(keys->text.data, keys->text.length, screen->charset) <= columns)
			return;
	}
	text_clear(&keys->text);
	keys->count = 0;
}

void
pane_draw_rule(struct screen *screen, enum pane_id id)
{
	const struct pane_ops *pane = screen->panes[id];
	const struct area *area = &screen->layout.rules[id];
	struct canvas *canvas = screen->canvas;
	bool focus = screen->focus == id;
	enum role role = focus ? ROLE_RULE_FOCUS : ROLE_RULE;
	struct rule_keys keys = {0};
	struct text title = {0};
	text_add_char(&title, ' ');
	if (pane->title)
		pane->title(screen, &title);
	else
		text_add(&title, pane->name);
	text_add_char(&title, ' ');
	canvas_line(canvas, area, 0, 0, area->cols, role, focus ? LINE_FOCUS : LINE_RULE);
	int x = canvas_put_cell(canvas, area, 0, 1, area->cols - 1, role, title.data, title.length);
	if (area->cols >= KEYS_COLUMNS_MIN)
		make_keys(screen, pane->keys, area->cols - 2 - x, &keys);
	x = area->cols - 1 - text_columns(text_get(&keys.text), keys.text.length, screen->charset);
	canvas_put(canvas, area, 0, x, role, text_get(&keys.text), keys.text.length);
	for (size_t i = 0; i < keys.count && !focus; i++)
		canvas_role(canvas, area, 0, x + keys.at[i].col, keys.at[i].cols, ROLE_KEY);
	text_free(&title);
	text_free(&keys.text);
}

/* --- moving ------------------------------------------------------------ */

static pane_command move_row, move_page, move_screen;

/* Handlers of moving commands, and their step. */
static const struct {
	pane_command *run;
	int direction; /* 0: not a moving command */
	int parts;     /* fraction of a page: 1 / parts; 0: one row */
} steps[COMMAND_COUNT] = {
    [COMMAND_DOWN] = {move_row, 1, 0},		 [COMMAND_UP] = {move_row, -1, 0},
    [COMMAND_SCROLL_DOWN] = {move_screen, 1, 0}, [COMMAND_SCROLL_UP] = {move_screen, -1, 0},
    [COMMAND_PAGE_DOWN] = {move_page, 1, 1},	 [COMMAND_PAGE_UP] = {move_page, -1, 1},
    [COMMAND_HALF_DOWN] = {move_page, 1, 2},	 [COMMAND_HALF_UP] = {move_page, -1, 2},
};

int64_t
pane_step(const struct command_call *call, int rows)
{
	int64_t step = steps[call->id].parts ? rows / steps[call->id].parts : 1;
	return steps[call->id].direction * (step ? step : 1) * command_steps(call);
}

pane_command *
pane_mover(enum command_id id)
{
	return steps[id].run;
}

static struct list *
list_of(struct screen *screen)
{
	const struct pane_ops *pane = screen->panes[screen->focus];
	return pane->list ? pane->list(screen) : screen->list;
}

static void
move_row(struct screen *screen, const struct command_call *call)
{
	list_move(list_of(screen), pane_step(call, 0));
}

static void
move_page(struct screen *screen, const struct command_call *call)
{
	struct list *list = list_of(screen);
	list_page(list, pane_step(call, (int)list->height));
}

static void
move_screen(struct screen *screen, const struct command_call *call)
{
	list_scroll(list_of(screen), pane_step(call, 0));
}

int64_t
pane_window_row(const struct command_call *call, int64_t rows)
{
	int64_t row = call->counted ? command_steps(call) - 1 : 0;
	if (call->id == COMMAND_PAGE_MIDDLE)
		return (rows - 1) / 2;
	row = row >= rows ? rows - 1 : row;
	return call->id == COMMAND_PAGE_TOP ? row : rows - 1 - row;
}

void
move_in_window(struct screen *screen, const struct command_call *call)
{
	struct list *list = list_of(screen);
	int64_t rows = 0;
	while (rows < (int64_t)list->height && list_row(list, (size_t)rows))
		rows++;
	int64_t from = (int64_t)list->cursor - (int64_t)list->top;
	if (rows)
		list_move(list, pane_window_row(call, rows) - from);
}
