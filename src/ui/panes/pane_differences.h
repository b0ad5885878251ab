/*
 * The differences from another run, for the list and the commands.
 */
#ifndef TRAWL_UI_PANE_DIFFERENCES_H
#define TRAWL_UI_PANE_DIFFERENCES_H

#include "base/text.h"
#include "ui/panes/pane.h"

struct row;

/* The sign of a message in the comparison. Missing messages mark the next message of their origin,
 * or the last one at its end. */
enum difference_sign {
	DIFFERENCE_NONE,   /* equal in both runs, or no comparison */
	DIFFERENCE_HERE,   /* it differs */
	DIFFERENCE_MISSING /* next to it, messages of its origin are missing */
};

/* Return the sign of a row of the list. */
enum difference_sign differences_sign(struct screen *, const struct row *);

/* Append the result and the name of the other run, or nothing without a comparison. */
void differences_add_title(struct screen *, struct text *);

/* Handler: go to the next or previous difference. */
pane_command differences_next;

#endif
