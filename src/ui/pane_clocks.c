/* How the clocks of the session go together: a cover over the other panes. */
#include "config.h"

#include "trace/clocks.h"
#include "ui/app.h"
#include "ui/pager.h"

#include <string.h>

static void
clocks_draw(struct app *app, struct canvas *canvas, const struct area *area)
{
	struct pager *pager = app->state[PANE_CLOCKS];
	struct text text = {0};
	pager_begin(pager, area->rows);
	if (!clocks_are_settled(app->session->clocks))
		pager_put(pager, app, canvas, area, ROLE_ABSENT, "so far; more is being looked at");
	clocks_describe(app->session->clocks, &text);
	for (char *line = text.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		pager_put(pager, app, canvas, area, ROLE_NORMAL, line);
	}
	pager_end(pager);
	text_free(&text);
}

const struct pane_ops pane_clocks = {
    .name = "clocks",
    .scope = SCOPE_HELP,
    .state_size = sizeof(struct pager),
    .draw = clocks_draw,
    .commands = pager_commands,
};
