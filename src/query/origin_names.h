/*
 * Check of the names of origins, traces and types in a filter.
 */
#ifndef TRAWL_QUERY_ORIGIN_NAMES_H
#define TRAWL_QUERY_ORIGIN_NAMES_H

#include "trace/trace.h"

struct filter_expr;
struct session;

/*
 * Append a line for each value that a filter compares an origin, trace or type with and no message
 * has, with the nearest existing name. PASSED: a message passed the filter; types are then not
 * checked, as that costs a scan. Check the traces named in SOURCE only, or all if it is NULL.
 * Builds the indexes.
 */
void origin_names_check(struct session *, const struct filter_expr *, const char *source,
			bool passed, struct text *);

#endif
