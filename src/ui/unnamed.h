/*
 * Detect missing collateral of catalog messages before such a message is on the screen.
 */
#ifndef TRAWL_UI_UNNAMED_H
#define TRAWL_UI_UNNAMED_H

#include <stdbool.h>

struct screen;
struct unnamed;

/* Check a few newly indexed cells.  Return true if a trace began or ceased to lack names since the
 * last call.  Owner's thread. */
bool unnamed_poll(struct screen *);

void unnamed_free(struct unnamed *); /* NULL is fine */

#endif
