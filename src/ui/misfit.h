/*
 * Whether the image of a program is not the one that a trace is of: the beginning of each trace
 * is followed once, by a worker, and the title says what that found.
 */
#ifndef TRAWL_UI_MISFIT_H
#define TRAWL_UI_MISFIT_H

#include <stdbool.h>

struct misfit;
struct screen;
struct trace;

/* Starts to look, once; true if it became known that an image does not fit since the last
 * time.  Owner's thread, as the others. */
bool misfit_poll(struct screen *);

/* Whether the image of a trace does not fit, as far as it is known. */
bool misfit_is(const struct screen *, const struct trace *);

void misfit_free(struct misfit *); /* stops; NULL is fine */

#endif
