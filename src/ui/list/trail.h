/*
 * The trail: the cursor's message, and the starts of jumps.
 */
#ifndef TRAWL_UI_TRAIL_H
#define TRAWL_UI_TRAIL_H

#include "session/sequence.h"
#include "ui/list/jump.h"

struct screen;

/* Return the message under the cursor, or false on an empty list. */
bool trail_here(struct screen *, struct location *);

/* Append the message under the cursor to the trail. */
void trail_remember(struct screen *);

/* Go to a message of the present list, and add the start to the trail. */
void trail_go_to(struct screen *, struct sequence_position);

#endif
