/*
 * The help: every command with its keys as they are bound now.
 *
 * Made from the table of commands and the key map alone; there is no other
 * list to keep in step.
 */
#include "config.h"

#include "ui/app.h"
#include "ui/pager.h"

#include <string.h>

enum { KEYS_COLUMNS = 24, NAME_COLUMNS = 18 };

/* Where lines go: those above the top of the screen are only counted. */
struct help_page {
	struct app *app;
	struct canvas *canvas;
	const struct area *area;
	struct pager *pager;
};

static void
draw_command(struct help_page *page, enum command_id id)
{
	const struct command *command = &commands[id];
	struct canvas *canvas = page->canvas;
	struct text keys = {0}, safe = {0};
	int y = pager_line(page->pager);
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
	pager_line(page->pager);
	canvas_puts(page->canvas, page->area, pager_line(page->pager), 0, ROLE_HEADER,
		    command_group_title(group));
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].group == group)
			draw_command(page, (enum command_id)i);
}

static void
help_draw(struct app *app, struct canvas *canvas, const struct area *area)
{
	struct pager *pager = app->state[PANE_HELP];
	struct help_page page = {.app = app, .canvas = canvas, .area = area, .pager = pager};
	pager_begin(pager, area->rows);
	canvas_puts(canvas, area, pager_line(page.pager), 0, ROLE_NORMAL,
		    "Keys, names and what they do. Digits before a key are a count; :NAME runs a "
		    "command. q goes back.");
	for (int group = 0; group < GROUP_COUNT; group++)
		draw_group(&page, (enum command_group)group);
	pager_end(pager);
}

const struct pane_ops pane_help = {
    .name = "help",
    .scope = SCOPE_HELP,
    .state_size = sizeof(struct pager),
    .draw = help_draw,
    .commands = pager_commands,
};
