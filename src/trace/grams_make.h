/*
 * Making n-grams (index/grams.h) of all texts of a trace.
 */
#ifndef TRAWL_TRACE_GRAMS_MAKE_H
#define TRAWL_TRACE_GRAMS_MAKE_H

#include "trace/trace.h"

enum { GRAMS_CELLS_MIN = 64 }; /* captures of fewer are searched as fast without */

/*
 * Makes and keeps them, where trace_grams looks for them from the next opening on.  The index
 * is complete, what texts need is loaded, and messages are decoded once more, by as many
 * threads as the host has.  *WHY: they are not kept, without the name of the trace; else NULL.
 * 0, or ERR_IO.
 */
int grams_make(struct trace *, const char **why, struct err *);

#endif
