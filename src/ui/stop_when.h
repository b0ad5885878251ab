/*
 * :stop-when freezes the list at the first new message that passes a filter.
 */
#ifndef TRAWL_UI_STOP_WHEN_H
#define TRAWL_UI_STOP_WHEN_H

#include "command/command.h"

#include <stdbool.h>

struct screen;
struct stop_when;

void stop_when_set(struct screen *, const struct command_call *); /* handler of :stop-when */

/* Search the new messages.  Return true if the list was frozen. */
bool stop_when_poll(struct screen *);

void stop_when_free(struct stop_when *); /* NULL is fine */

#endif
