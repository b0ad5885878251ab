/*
 * A page of text lines that covers the other panes: the help, the notices, the clocks.
 *
 * A pager has the scroll position, the commands that move it, and the search. The pane puts
 * line after line. A line longer than a row wraps. The pane's state starts with a struct pager.
 */
#ifndef TRAWL_UI_PAGER_H
#define TRAWL_UI_PAGER_H

#include "base/regex.h"
#include "base/vec.h"
#include "ui/panes/pane.h"

struct pager {
	size_t top, lines; /* first row on the screen; number of all rows */
	int rows;	   /* on the screen */
	size_t line;	   /* the next row while drawing */
	/* Set a role in ROLES for each byte of TEXT to highlight, or NULL. */
	void (*mark)(struct screen *, const char *text, size_t length, uint8_t *roles);

	struct regex *pattern; /* the search pattern, or NULL; owned */
	VEC(size_t) matches;   /* rows where a match begins, in order, from the last drawing */
	size_t match;	       /* row of the current match; SIZE_MAX: none */
	bool backward;	       /* direction of the last search */
};

/* A part of a line: unsafe text and its first column. If the part before it is too long, it begins
 * a few blanks after that. */
struct pager_part {
	enum role role;
	int column;
	const char *text;
};

/* Begin to draw into an area of ROWS rows. */
void pager_begin(struct pager *, int rows);
void pager_end(struct pager *);

/* Put a line with one role, or with several parts. If it wraps, indent its further rows to the last
 * part. */
void pager_put(struct pager *, struct screen *, struct canvas *, const struct area *, enum role,
	       const char *text);
void pager_put_parts(struct pager *, struct screen *, struct canvas *, const struct area *,
		     const struct pager_part *, size_t count);

/* Free the pager; for pane_ops. */
void pager_close(void *state);

extern pane_command *const pager_commands[COMMAND_COUNT];

#endif
