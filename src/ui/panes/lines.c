/* A cursor among the lines of a pane: see lines.h. */
#include "config.h"

#include "ui/panes/lines.h"
#include "ui/screen/screen.h"

void
lines_go_to(struct lines *lines, size_t count, int64_t line)
{
	int64_t last = (int64_t)count - 1;
	line = line > last ? last : line;
	lines->line = line > 0 ? (size_t)line : 0;
}

void
lines_show(struct lines *lines, size_t count, int rows)
{
	size_t shown = (size_t)rows;
	lines->rows = rows;
	lines_go_to(lines, count, (int64_t)lines->line);
	if (lines->line < lines->top)
		lines->top = lines->line;
	if (lines->line >= lines->top + shown)
		lines->top = lines->line - shown + 1;
	if (lines->top + shown > count)
		lines->top = count > shown ? count - shown : 0;
}

static bool
is_window_command(enum command_id id)
{
	return id == COMMAND_PAGE_TOP || id == COMMAND_PAGE_MIDDLE ||
	       id == COMMAND_PAGE_BOTTOM;
}

bool
lines_are_moved(enum command_id id)
{
	const struct command_call call = {.id = id, .count = 1};
	return id == COMMAND_TOP || id == COMMAND_END || is_window_command(id) ||
	       pane_step(&call, 1);
}

void
lines_move(struct screen *screen, const struct command_call *call)
{
	const struct pane_ops *pane = screen->panes[screen->focus];
	struct lines *lines = screen->state[screen->focus];
	size_t count = pane->lines(screen);
	int64_t line = (int64_t)lines->line + pane_step(call, lines->rows);
	if (call->id == COMMAND_TOP)
		line = 0;
	if (call->id == COMMAND_END)
		line = INT64_MAX;
	if (is_window_command(call->id) && count) {
		size_t left = count - lines->top, shown = (size_t)lines->rows;
		line = (int64_t)lines->top +
		       pane_window_row(call, (int64_t)(left < shown ? left : shown));
	}
	if (count)
		lines_go_to(lines, count, line);
	if (count && pane->moved)
		pane->moved(screen);
}
