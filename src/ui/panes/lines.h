/*
 * A cursor in a pane of lines: fields of a message, marks, contexts, filters, origins.
 *
 * The state of such a pane starts with a struct lines, and its pane_ops return the number of
 * lines. The handlers here then run the commands that move the cursor.
 */
#ifndef TRAWL_UI_LINES_H
#define TRAWL_UI_LINES_H

#include "ui/panes/pane.h"

struct lines {
	size_t line, top; /* the cursor's line; the first line on the screen */
	int rows;	  /* of the pane in its last drawing */
};

/* Put the cursor on LINE, or on the nearest of the COUNT lines. */
void lines_go_to(struct lines *, size_t count, int64_t line);

/* Prepare to draw COUNT lines into ROWS rows. Keep the cursor on a line and on the screen. Leave no
 * row empty while lines above could fill it. */
void lines_show(struct lines *, size_t count, int rows);

/* True if a command moves a cursor; and the handler that moves it in the focused pane. */
bool lines_are_moved(enum command_id);
void lines_move(struct screen *, const struct command_call *);

#endif
