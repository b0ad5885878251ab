/*
 * Whether catalog messages lack their collateral: looked for before one is on the screen.
 */
#ifndef TRAWL_UI_UNNAMED_H
#define TRAWL_UI_UNNAMED_H

#include <stdbool.h>

struct screen;
struct unnamed;

/* Looks at a few of the cells that became known; true if a trace turned out to lack names
 * since the last time.  Owner's thread. */
bool unnamed_poll(struct screen *);

void unnamed_free(struct unnamed *); /* NULL is fine */

#endif
