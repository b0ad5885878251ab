/*
 * The pane of notices: the log, one line each.
 *
 * Long texts wrap, so that the user can read a whole error message.
 */
#include "config.h"

#include "ui/panes/pager.h"
#include "ui/screen/log.h"
#include "ui/screen/screen.h"

static void
messages_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct pager *pager = screen->state[PANE_MESSAGES];
	pager_begin(pager, area->rows);
	for (size_t i = 0; i < screen->log->lines.count; i++)
		pager_put(pager, screen, canvas, area,
			  screen->log->lines.at[i].is_error ? ROLE_TROUBLE : ROLE_NORMAL,
			  screen->log->lines.at[i].text);
	if (!screen->log->lines.count)
		pager_put(pager, screen, canvas, area, ROLE_ABSENT, "no messages yet");
	pager_end(pager);
}

const struct pane_ops pane_messages = {
    .name = "messages",
    .scope = SCOPE_HELP,
    .state_size = sizeof(struct pager),
    .close = pager_close,
    .draw = messages_draw,
    .commands = pager_commands,
};
