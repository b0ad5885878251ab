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

enum { KEYS_COLUMN = 2, NAME_COLUMN = 24, HELP_COLUMN = 42 };

/* Where lines go. */
struct help_page {
	struct app *app;
	struct canvas *canvas;
	const struct area *area;
	struct pager *pager;
};

static void
put(struct help_page *page, enum role role, const char *text)
{
	pager_put(page->pager, page->app, page->canvas, page->area, role, text);
}

static void
draw_command(struct help_page *page, enum command_id id)
{
	const struct command *command = &commands[id];
	struct text keys = {0}, name = {0};
	keymap_keys(&page->app->keymap, id, &keys);
	text_add(&name, command->name);
	if (command->scope != SCOPE_ANY)
		text_addf(&name, " (%s)", command_scope_name(command->scope));
	const struct pager_part parts[] = {
	    {ROLE_FIELD, KEYS_COLUMN, text_get(&keys)},
	    {ROLE_NOTE, NAME_COLUMN, name.data},
	    {ROLE_NORMAL, HELP_COLUMN, command->help},
	};
	pager_put_parts(page->pager, page->app, page->canvas, page->area, parts, 3);
	text_free(&keys);
	text_free(&name);
}

static void
draw_group(struct help_page *page, enum command_group group)
{
	put(page, ROLE_NORMAL, "");
	put(page, ROLE_HEADER, command_group_title(group));
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
	put(&page, ROLE_NORMAL,
	    "Keys, names and what they do. Digits before a key are a count; :NAME runs a "
	    "command. / searches here, q goes back.");
	for (int group = 0; group < GROUP_COUNT; group++)
		draw_group(&page, (enum command_group)group);
	pager_end(pager);
}

const struct pane_ops pane_help = {
    .name = "help",
    .scope = SCOPE_HELP,
    .state_size = sizeof(struct pager),
    .close = pager_close,
    .draw = help_draw,
    .commands = pager_commands,
};
