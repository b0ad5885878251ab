/*
 * The place of the cursor as a command line, to be sent to somebody else.
 */
#ifndef TRAWL_UI_PLACE_H
#define TRAWL_UI_PLACE_H

#include "command/command.h"

struct screen;

/* The handler of copy-place. */
void place_copy(struct screen *, const struct command_call *);

#endif
