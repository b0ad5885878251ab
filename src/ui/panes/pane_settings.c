/*
 * The settings of the view with their values: `:set` alone.
 */
#include "config.h"

#include "session/session.h"
#include "ui/list/view.h"
#include "ui/panes/pager.h"
#include "ui/screen/screen.h"

enum { NAME_COLUMNS = 16, VALUE_COLUMNS = 20 };

static void
put_setting(struct screen *screen, struct canvas *canvas, const struct area *area, const char *name,
	    const char *value, const char *help)
{
	const struct pager_part parts[] = {
	    {ROLE_KEY, 1, name},
	    {ROLE_NORMAL, NAME_COLUMNS, value},
	    {ROLE_NOTE, NAME_COLUMNS + VALUE_COLUMNS, help},
	};
	pager_put_parts(screen->state[PANE_SETTINGS], screen, canvas, area, parts,
			sizeof parts / sizeof *parts);
}

static void
settings_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct pager *pager = screen->state[PANE_SETTINGS];
	pager_begin(pager, area->rows);
	pager_put(pager, screen, canvas, area, ROLE_HEADER, " :set NAME=VALUE changes one");
	put_setting(screen, canvas, area, "order", session_order(screen->session),
		    "order of the messages");
	for (size_t i = 0; i < view_options_table.count; i++) {
		const struct option_row *row = &view_options_table.rows[i];
		struct text value = {0};
		if (!view_can_set(row))
			continue;
		option_get(row, screen->view, &value);
		put_setting(screen, canvas, area, row->name, text_get(&value), row->help);
		text_free(&value);
	}
	pager_end(pager);
}

const struct pane_ops pane_settings = {
    .name = "settings",
    .scope = SCOPE_HELP,
    .state_size = sizeof(struct pager),
    .close = pager_close,
    .draw = settings_draw,
    .commands = pager_commands,
};
