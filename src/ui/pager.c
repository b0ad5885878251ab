/* Lines of text that cover the screen: see pager.h. */
#include "config.h"

#include "ui/pager.h"
#include "ui/app.h"

#include <string.h>

enum { INDENT = 2 };

void
pager_begin(struct pager *pager, int rows)
{
	pager->rows = rows;
	pager->line = 0;
}

int
pager_line(struct pager *pager)
{
	size_t line = pager->line++;
	bool shown = line >= pager->top && line - pager->top < (size_t)pager->rows;
	return shown ? (int)(line - pager->top) : -1;
}

void
pager_end(struct pager *pager)
{
	pager->lines = pager->line;
}

void
pager_put(struct pager *pager, struct app *app, struct canvas *canvas, const struct area *area,
	  enum role role, const char *text)
{
	struct text safe = {0};
	app_add_safe(app, text, &safe);
	const char *at = text_get(&safe);
	size_t left = safe.length;
	int indent = 0;
	do {
		size_t fits = text_fit(at, left, area->cols - indent, NULL);
		fits = fits ? fits : left; /* no room for a character */
		int y = pager_line(pager);
		if (y >= 0)
			canvas_put(canvas, area, y, indent, role, at, fits);
		if (y >= 0 && pager->mark)
			pager->mark(app, canvas, area, y, indent, at, fits);
		at += fits;
		left -= fits;
		indent = INDENT;
	} while (left);
	text_free(&safe);
}

/* --- commands ---------------------------------------------------------- */

static struct pager *
pager_of(struct app *app)
{
	return app->state[app->focus];
}

static void
go_to_line(struct pager *pager, int64_t line)
{
	int64_t last = (int64_t)pager->lines - pager->rows;
	line = line > last ? last : line;
	pager->top = line > 0 ? (size_t)line : 0;
}

static void
move(struct app *app, const struct command_call *call)
{
	struct pager *pager = pager_of(app);
	go_to_line(pager, (int64_t)pager->top + pane_step(call, pager->rows));
}

static void
top(struct app *app, const struct command_call *call)
{
	(void)call;
	go_to_line(pager_of(app), 0);
}

static void
end(struct app *app, const struct command_call *call)
{
	(void)call;
	go_to_line(pager_of(app), INT64_MAX);
}

static void
leave(struct app *app, const struct command_call *call)
{
	(void)call;
	pager_of(app)->top = 0;
	app->open[app->focus] = false;
	app_focus(app, PANE_LIST);
}

/* Help from the help closes it, another cover takes its place. */
static void
turn(struct app *app, const struct command_call *call)
{
	bool same = app->focus == PANE_HELP && call->id == COMMAND_HELP;
	leave(app, call);
	if (!same)
		app_run(app, *call);
}

pane_command *const pager_commands[COMMAND_COUNT] = {
    [COMMAND_DOWN] = move,	  [COMMAND_UP] = move,	      [COMMAND_PAGE_DOWN] = move,
    [COMMAND_PAGE_UP] = move,	  [COMMAND_HALF_DOWN] = move, [COMMAND_HALF_UP] = move,
    [COMMAND_SCROLL_DOWN] = move, [COMMAND_SCROLL_UP] = move, [COMMAND_TOP] = top,
    [COMMAND_END] = end,	  [COMMAND_CLOSE] = leave,    [COMMAND_HELP] = turn,
    [COMMAND_MESSAGES] = turn,	  [COMMAND_CLOCKS] = turn,    [COMMAND_CANCEL] = leave,
};
