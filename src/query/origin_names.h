/*
 * Check of the names of origins, traces and types in a filter.
 */
#ifndef TRAWL_QUERY_ORIGIN_NAMES_H
#define TRAWL_QUERY_ORIGIN_NAMES_H

#include "trace/trace.h"

struct filter_expr;
struct session;

enum origin_names_effort {
	ORIGIN_NAMES_QUICK,   /* expand few messages; with many or changing origins, assume that
				 all names exist */
	ORIGIN_NAMES_INDEXED, /* no types, as they cost a scan */
	ORIGIN_NAMES_SCAN
};

/*
 * Append a line for each value that a filter compares an origin, trace or type with and no message
 * has, with the nearest existing name. Check the traces named in SOURCE only, or all if it is NULL.
 * Builds the indexes.
 */
void origin_names_check(struct session *, const struct filter_expr *, const char *source,
			enum origin_names_effort, struct text *);

#endif
