/*
 * Copy a command line that opens the message at the cursor, to send to another person.
 */
#ifndef TRAWL_UI_PLACE_H
#define TRAWL_UI_PLACE_H

#include "command/command.h"

struct screen;

/* Handler of copy-place. */
void place_copy(struct screen *, const struct command_call *);

#endif
