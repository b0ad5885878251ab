/*
 * :record: what a stream or a live source gives goes to a file.
 */
#ifndef TRAWL_UI_RECORDING_H
#define TRAWL_UI_RECORDING_H

#include "command/command.h"

#include <stdbool.h>

struct screen;
struct text;

void recording_toggle(struct screen *, const struct command_call *); /* handler */
void recording_poll(struct screen *);				     /* it may have ended */

/* At the end of the program: end it with what is there.  If it failed, append a line
 * that says why. */
void recording_end(struct screen *, struct text *why);

bool recording_is_on(const struct screen *);

#endif
