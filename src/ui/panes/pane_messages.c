/*
 * What was said, and its pane: see log.h.
 *
 * Texts that are longer than the screen is wide go on in the next row, so that
 * an error of a file can be read whole.
 */
#include "config.h"

#include "ui/app.h"
#include "ui/panes/pager.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 1000 };

void
log_add(struct log *log, bool trouble, const char *text)
{
	if (log->lines.count == LINES_MAX) {
		free(log->lines.at[0].text);
		memmove(log->lines.at, log->lines.at + 1, (LINES_MAX - 1) * sizeof *log->lines.at);
		log->lines.count--;
	}
	*vec_add(&log->lines) = (struct log_line){.text = mem_text(text), .trouble = trouble};
}

void
log_free(struct log *log)
{
	for (size_t i = 0; i < log->lines.count; i++)
		free(log->lines.at[i].text);
	vec_free(&log->lines);
}

static void
messages_draw(struct app *app, struct canvas *canvas, const struct area *area)
{
	struct pager *pager = app->state[PANE_MESSAGES];
	pager_begin(pager, area->rows);
	for (size_t i = 0; i < app->log.lines.count; i++)
		pager_put(pager, app, canvas, area,
			  app->log.lines.at[i].trouble ? ROLE_TROUBLE : ROLE_NORMAL,
			  app->log.lines.at[i].text);
	if (!app->log.lines.count)
		pager_put(pager, app, canvas, area, ROLE_ABSENT, "nothing was said yet");
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
