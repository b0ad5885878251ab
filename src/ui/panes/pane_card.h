/* The card of keys, as the rest of the screen opens and leaves it. */
#ifndef TRAWL_UI_PANE_CARD_H
#define TRAWL_UI_PANE_CARD_H

#include "command/command.h"

struct screen;

/* The handler of the help: opens the card of the pane with the cursor. */
void card_open(struct screen *, const struct command_call *);

/* The cursor goes back to where it was. */
void card_close(struct screen *);

#endif
