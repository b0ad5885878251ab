/*
 * :record copies a stream or a live source to a file.
 */
#ifndef TRAWL_UI_RECORDING_H
#define TRAWL_UI_RECORDING_H

#include "command/command.h"

#include <stdbool.h>

struct screen;
struct text;

void recording_toggle(struct screen *, const struct command_call *); /* handler of :record */
void recording_poll(struct screen *); /* finishes a recording that has ended */

/* End the recording at the end of the program and keep its file.  If it failed, append the reason
 * as a line. */
void recording_end(struct screen *, struct text *why);

bool recording_is_on(const struct screen *);

#endif
