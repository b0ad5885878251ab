/*
 * Names of origins that a user gave: is there such an origin?
 */
#ifndef TRAWL_QUERY_ORIGIN_NAMES_H
#define TRAWL_QUERY_ORIGIN_NAMES_H

#include "trace/trace.h"

struct session;

/*
 * Appends, a line each, which names of LIST, separated by commas, no message of the
 * session has as its origin, with the nearest that there is.  SOURCE: of the trace of
 * that name only; NULL: of all.  Builds the indexes.  Where one sender has several
 * names nothing is said.
 */
void origin_names_check(struct session *, const char *list, const char *source, struct text *);

#endif
