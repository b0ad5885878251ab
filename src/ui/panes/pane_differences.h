/*
 * The differences from another run, as the list and the commands see them.
 */
#ifndef TRAWL_UI_PANE_DIFFERENCES_H
#define TRAWL_UI_PANE_DIFFERENCES_H

#include "base/text.h"
#include "ui/panes/pane.h"

/* What a message of the list is in the comparison. */
enum difference_sign {
	DIFFERENCE_NONE,   /* the same in both, or nothing is compared */
	DIFFERENCE_HERE,   /* it differs */
	DIFFERENCE_MISSING /* before it, or behind it at the end of its origin, some are missing */
};

/* That of message NUMBER of a trace, both from 0. */
enum difference_sign differences_sign(struct screen *, size_t trace, uint64_t number);

/* Whether there are any, so that differences_sign is worth asking. */
bool differences_are_known(struct screen *);

/* Appends what the run is compared with and the result; nothing without a comparison. */
void differences_add_title(struct screen *, struct text *);

/* Whether the run is compared; says how to if it is not. */
bool differences_are_asked(struct screen *);

/* Handler: the next difference, and the previous one. */
pane_command differences_next;

#endif
