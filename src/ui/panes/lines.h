/*
 * Lines of a pane with a cursor among them: the fields of a message, marks,
 * contexts, filters, origins.
 *
 * The state of such a pane starts with a struct lines, and its pane_ops tell how
 * many lines there are; the commands that move a cursor are then served here.
 */
#ifndef TRAWL_UI_LINES_H
#define TRAWL_UI_LINES_H

#include "ui/panes/pane.h"

struct lines {
	size_t line, top; /* that of the cursor; the first on the screen */
	int rows;	  /* of the pane, when it was last drawn */
};

/* Puts the cursor on a line, of COUNT, or on the nearest there is. */
void lines_go_to(struct lines *, size_t count, int64_t line);

/* Before COUNT lines are drawn into ROWS rows: the cursor is on one of them and
 * on the screen, and no row stays empty while there are lines above. */
void lines_show(struct lines *, size_t count, int rows);

/* Whether a command moves a cursor; and the handler that does, in the pane with
 * the focus. */
bool lines_are_moved(enum command_id);
void lines_move(struct screen *, const struct command_call *);

#endif
