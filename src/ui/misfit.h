/*
 * Check that the program image fits each trace.  A worker follows the beginning of each
 * trace once; the title shows a misfit.
 */
#ifndef TRAWL_UI_MISFIT_H
#define TRAWL_UI_MISFIT_H

#include <stdbool.h>

struct misfit;
struct screen;
struct trace;

/* Start the check, once.  Return true if it found another misfit since the last call.  Owner's
 * thread, as for the other functions. */
bool misfit_poll(struct screen *);

/* True if the image is known not to fit the trace. */
bool misfit_is(const struct screen *, const struct trace *);

void misfit_free(struct misfit *); /* stops the check; NULL is fine */

#endif
