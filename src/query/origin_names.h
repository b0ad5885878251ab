/*
 * Check of origin names that a user gave.
 */
#ifndef TRAWL_QUERY_ORIGIN_NAMES_H
#define TRAWL_QUERY_ORIGIN_NAMES_H

#include "trace/trace.h"

struct session;

/*
 * Append a line for each name in LIST that no message has as its origin, with the nearest
 * existing name. LIST is separated by commas. Check the trace named SOURCE only, or all
 * traces if it is NULL. Builds the indexes.
 */
void origin_names_check(struct session *, const char *list, const char *source, struct text *);

#endif
