/*
 * Panes that cover the others and show lines of text: the help, what was said,
 * the clocks.
 *
 * A pager knows which lines are on the screen and has the commands that move
 * them; the pane draws line after line, each into the row that pager_line
 * gives it.  Its state starts with a struct pager.
 */
#ifndef TRAWL_UI_PAGER_H
#define TRAWL_UI_PAGER_H

#include "ui/pane.h"

struct pager {
	size_t top, lines; /* first line shown; of all */
	int rows;	   /* on the screen */
	size_t line;	   /* while drawing: the next one */
	/* Says what stands out in a row that was put, or NULL. */
	void (*mark)(struct app *, struct canvas *, const struct area *, int y, int x,
		     const char *text, size_t length);
};

/* Begins to draw into an area of ROWS rows. */
void pager_begin(struct pager *, int rows);
/* The row of the next line, -1 if it is not on the screen. */
int pager_line(struct pager *);
void pager_end(struct pager *);

/* Draws a text, made safe, going on in further rows where it is long. */
void pager_put(struct pager *, struct app *, struct canvas *, const struct area *, enum role,
	       const char *text);

extern pane_command *const pager_commands[COMMAND_COUNT];

#endif
