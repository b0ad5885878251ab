/*
 * The trail: where the cursor is, and where jumps began.
 */
#ifndef TRAWL_UI_TRAIL_H
#define TRAWL_UI_TRAIL_H

#include "session/sequence.h"
#include "ui/list/jump.h"

struct screen;

/* Where the cursor is; false on an empty list. */
bool trail_here(struct screen *, struct location *);

/* Puts the message under the cursor at the end of the trail. */
void trail_remember(struct screen *);

/* Goes to a message of the present list and remembers where it began. */
void trail_go_to(struct screen *, struct sequence_position);

#endif
