/*
 * The help: every command with its keys as they are bound now.
 *
 * Made from the table of commands and the key map alone; there is no other
 * list to keep in step.
 */
#include "config.h"

#include "ui/app.h"

#include <string.h>

enum { KEYS_COLUMNS = 24, NAME_COLUMNS = 18 };

struct help_state {
	size_t top, lines;
	int rows;
};

static struct help_state *
state_of(struct app *app)
{
	return app->state[PANE_HELP];
}

/* --- drawing ----------------------------------------------------------- */

/* Where lines go: those above the top of the screen are only counted. */
struct help_page {
	struct app *app;
	struct canvas *canvas;
	const struct area *area;
	size_t line;
};

/* The row of the next line, outside the area if it is not shown. */
static int
next_line(struct help_page *page)
{
	size_t line = page->line++, top = state_of(page->app)->top;
	return line >= top && line - top < (size_t)page->area->rows ? (int)(line - top) : -1;
}

static void
draw_command(struct help_page *page, enum command_id id)
{
	const struct command *command = &commands[id];
	struct canvas *canvas = page->canvas;
	struct text keys = {0}, safe = {0};
	int y = next_line(page);
	if (y < 0)
		return;
	keymap_keys(&page->app->keymap, id, &keys);
	text_add_safe(&safe, text_get(&keys), keys.length, page->app->charset);
	int x = canvas_put(canvas, page->area, y, 2, ROLE_FIELD, text_get(&safe), safe.length);
	x = x < KEYS_COLUMNS ? KEYS_COLUMNS : x + 1;
	int end = canvas_puts(canvas, page->area, y, x, ROLE_NOTE, command->name);
	if (command->scope != SCOPE_ANY)
		end = canvas_putf(canvas, page->area, y, end, ROLE_NOTE, " (%s)",
				  command_scope_name(command->scope));
	x = end < x + NAME_COLUMNS ? x + NAME_COLUMNS : end + 1;
	canvas_puts(canvas, page->area, y, x, ROLE_NORMAL, command->help);
	text_free(&keys);
	text_free(&safe);
}

static void
draw_group(struct help_page *page, enum command_group group)
{
	canvas_puts(page->canvas, page->area, next_line(page), 0, ROLE_HEADER,
		    command_group_title(group));
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].group == group)
			draw_command(page, (enum command_id)i);
	next_line(page);
}

static void
help_draw(struct app *app, struct canvas *canvas, const struct area *area)
{
	struct help_state *state = state_of(app);
	struct help_page page = {.app = app, .canvas = canvas, .area = area};
	state->rows = area->rows;
	canvas_puts(canvas, area, next_line(&page), 0, ROLE_NORMAL,
		    "Keys, names and what they do. Digits before a key are a count; :NAME runs a "
		    "command. q goes back.");
	next_line(&page);
	for (int group = 0; group < GROUP_COUNT; group++)
		draw_group(&page, (enum command_group)group);
	state->lines = page.line - 1;
}

/* --- commands ---------------------------------------------------------- */

static void
go_to_line(struct app *app, int64_t line)
{
	struct help_state *state = state_of(app);
	int64_t last = (int64_t)state->lines - state->rows;
	line = line > last ? last : line;
	state->top = line > 0 ? (size_t)line : 0;
}

static void
move(struct app *app, const struct command_call *call)
{
	go_to_line(app, (int64_t)state_of(app)->top + pane_step(call, state_of(app)->rows));
}

static void
top(struct app *app, const struct command_call *call)
{
	(void)call;
	go_to_line(app, 0);
}

static void
end(struct app *app, const struct command_call *call)
{
	(void)call;
	go_to_line(app, INT64_MAX);
}

static void
leave(struct app *app, const struct command_call *call)
{
	(void)call;
	state_of(app)->top = 0;
	app->open[PANE_HELP] = false;
	app_focus(app, PANE_LIST);
}

static pane_command *const help_commands[COMMAND_COUNT] = {
    [COMMAND_DOWN] = move,	  [COMMAND_UP] = move,	      [COMMAND_PAGE_DOWN] = move,
    [COMMAND_PAGE_UP] = move,	  [COMMAND_HALF_DOWN] = move, [COMMAND_HALF_UP] = move,
    [COMMAND_SCROLL_DOWN] = move, [COMMAND_SCROLL_UP] = move, [COMMAND_TOP] = top,
    [COMMAND_END] = end,	  [COMMAND_CLOSE] = leave,    [COMMAND_HELP] = leave,
    [COMMAND_CANCEL] = leave,
};

const struct pane_ops pane_help = {
    .name = "help",
    .scope = SCOPE_HELP,
    .state_size = sizeof(struct help_state),
    .draw = help_draw,
    .commands = help_commands,
};
