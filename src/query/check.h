/*
 * Checking: is there in the captures what should not be?  For scripts, which
 * need a yes or no and a line that says where.
 */
#ifndef TRAWL_QUERY_CHECK_H
#define TRAWL_QUERY_CHECK_H

#include "query/filter/filter.h"

struct check;
struct session;

/* LIST is names of checks separated by commas, empty for the usual ones, or an
 * expression of the filter language.  NULL on error. */
struct check *check_new(const char *list, const struct session *, struct err *);
void check_free(struct check *);

/* Looks at all messages that pass FILTER, in the trace called SOURCE or, if
 * that is NULL, in all.  Appends a line to REPORT for each check that found
 * something; whether any did. */
bool check_run(struct check *, struct session *, const struct filter *, const char *source,
	       struct text *report);

/* The checks there are, for the manual; false past the end. */
bool check_help(size_t at, const char **name, const char **help);

#endif
