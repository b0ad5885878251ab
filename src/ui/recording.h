/*
 * :record: what a stream or a live source gives goes to a file.
 */
#ifndef TRAWL_UI_RECORDING_H
#define TRAWL_UI_RECORDING_H

#include "command/command.h"

#include <stdbool.h>

struct screen;

void recording_toggle(struct screen *, const struct command_call *); /* handler */
void recording_poll(struct screen *);				     /* it may have ended */
void recording_free(struct screen *); /* ends it, with what is there */

bool recording_is_on(const struct screen *);

#endif
