/*
 * Panes that cover the others and show lines of text: the help, what was said,
 * the clocks.
 *
 * A pager has the lines that are on the screen, the commands that move them
 * and those that search in them; the pane puts line after line.  What is longer
 * than a row goes on in the next.  Its state starts with a struct pager.
 */
#ifndef TRAWL_UI_PAGER_H
#define TRAWL_UI_PAGER_H

#include "base/regex.h"
#include "base/vec.h"
#include "ui/panes/pane.h"

struct pager {
	size_t top, lines; /* first row shown; of all */
	int rows;	   /* on the screen */
	size_t line;	   /* while drawing: the next one */
	/* Gives what stands out in a line its role, a byte of ROLES for each of TEXT;
	 * or NULL. */
	void (*mark)(struct screen *, const char *text, size_t length, uint8_t *roles);

	struct regex *pattern; /* what is searched for, or NULL; owned */
	VEC(size_t) matches;   /* rows where it begins, in order, as last drawn */
	size_t match;	       /* the one gone to, SIZE_MAX: none yet */
	bool backward;	       /* as the last search */
};

/* A part of a line: a text, not yet safe, and the column where it begins, or a bit
 * behind the part before it if that is longer. */
struct pager_part {
	enum role role;
	int column;
	const char *text;
};

/* Begins to draw into an area of ROWS rows. */
void pager_begin(struct pager *, int rows);
void pager_end(struct pager *);

/* Puts a line of one look, or of parts; then further rows begin below the last
 * of them. */
void pager_put(struct pager *, struct screen *, struct canvas *, const struct area *, enum role,
	       const char *text);
void pager_put_parts(struct pager *, struct screen *, struct canvas *, const struct area *,
		     const struct pager_part *, size_t count);

/* For pane_ops: frees what a pager has. */
void pager_close(void *state);

extern pane_command *const pager_commands[COMMAND_COUNT];

#endif
