/* The card of keys, for the rest of the screen. */
#ifndef TRAWL_UI_PANE_CARD_H
#define TRAWL_UI_PANE_CARD_H

#include "command/command.h"

struct screen;

/* Handler of the help: open the card of the focused pane. */
void card_open(struct screen *, const struct command_call *);

/* Close the card and restore the focus. */
void card_close(struct screen *);
/* Report the key that goes back. */
void card_say_keys(struct screen *);

#endif
