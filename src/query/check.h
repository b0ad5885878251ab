/*
 * Checks for scripts: search captures for damage, loss and other faults. The result is yes
 * or no. Each check that found something adds a line with the number and offset of its
 * first message.
 */
#ifndef TRAWL_QUERY_CHECK_H
#define TRAWL_QUERY_CHECK_H

#include "query/filter/filter.h"

struct check;
struct session;

/* Create a check. LIST is check names separated by commas, or one filter expression. An
 * empty LIST selects the usual checks. Return NULL on error. */
struct check *check_new(const char *list, const struct session *, struct err *);
void check_free(struct check *);

/* Check all messages that pass FILTER, in the trace named SOURCE, or in all traces if
 * SOURCE is NULL. Append a line to REPORT for each check that found something. Return true
 * if any did. */
bool check_run(struct check *, struct session *, const struct filter *, const char *source,
	       struct text *report);

/* Return name and help of check number AT, for the manual. Return false past the end. */
bool check_help(size_t at, const char **name, const char **help);

#endif
