/*
 * The help: every command with its current keys, and the signs on the screen.
 *
 * It comes from the tables of commands and signs and from the key map. No other list needs an
 * update.
 */
#include "config.h"

#include "command/keymap.h"
#include "ui/panes/pager.h"
#include "ui/screen/screen.h"
#include "ui/screen/signs.h"

#include <string.h>

enum { FIRST_COLUMN = 2, SECOND_COLUMN = 24, HELP_COLUMN = 42 };

/* The target of the lines. */
struct help_page {
	struct screen *screen;
	struct canvas *canvas;
	const struct area *area;
	struct pager *pager;
};

static void
put_line(struct help_page *page, enum role role, const char *text)
{
	pager_put(page->pager, page->screen, page->canvas, page->area, role, text);
}

static void
put_row(struct help_page *page, const char *first, const char *second, const char *help)
{
	const struct pager_part parts[] = {
	    {ROLE_FIELD, FIRST_COLUMN, first},
	    {ROLE_NOTE, SECOND_COLUMN, second},
	    {ROLE_NORMAL, HELP_COLUMN, help},
	};
	pager_put_parts(page->pager, page->screen, page->canvas, page->area, parts, 3);
}

static void
put_title(struct help_page *page, const char *title)
{
	put_line(page, ROLE_NORMAL, "");
	put_line(page, ROLE_HEADER, title);
}

static void
draw_command(struct help_page *page, enum command_id id)
{
	const struct command *command = &commands[id];
	struct text keys = {0}, name = {0};
	keymap_keys(page->screen->keymap, id, &keys);
	text_add(&name, command->name);
	if (command->scope != SCOPE_ANY)
		text_addf(&name, " (%s)", command_scope_name(command->scope));
	put_row(page, text_get(&keys), name.data, command->help);
	text_free(&keys);
	text_free(&name);
}

/* Draw the user's keys that run a whole command line. Keys of a single command stand next to it. */
static void
draw_own_keys(struct help_page *page)
{
	const struct keymap *map = page->screen->keymap;
	bool any = false;
	for (size_t i = 0; i < map->bindings.count; i++) {
		const struct binding *b = &map->bindings.at[i];
		struct text keys = {0};
		if (!b->line)
			continue;
		if (!any)
			put_title(page, "Keys of your own");
		any = true;
		keys_show(&b->keys, &keys);
		put_row(page, keys.data, "", b->line);
		text_free(&keys);
	}
}

static void
help_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct pager *pager = screen->state[PANE_HELP];
	struct help_page page = {.screen = screen, .canvas = canvas, .area = area, .pager = pager};
	pager_begin(pager, area->rows);
	put_line(&page, ROLE_NORMAL,
		 "Keys, names and what they do. Digits before a key are a count; :NAME runs a "
		 "command. / searches here, q goes back.");
	draw_own_keys(&page);
	for (int group = 0; group < GROUP_COUNT; group++) {
		put_title(&page, command_group_title((enum command_group)group));
		for (int i = 0; i < COMMAND_COUNT; i++)
			if ((int)commands[i].group == group)
				draw_command(&page, (enum command_id)i);
	}
	put_title(&page, "Signs");
	for (int i = 0; i < SIGN_COUNT; i++)
		put_row(&page, signs[i].text, signs[i].where, signs[i].help);
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
