/*
 * Checks for scripts: search captures for damage, loss and other faults. The result is yes
 * or no. Each check that found something adds a line with the number and offset of its
 * first message.
 */
#ifndef TRAWL_QUERY_CHECK_H
#define TRAWL_QUERY_CHECK_H

#include "query/filter/filter.h"

struct check;
struct check_part;
struct doubts;
struct session;

/* Create a check. LIST is check names separated by commas, or one filter expression. An
 * empty LIST selects the usual checks. Return NULL on error. */
struct check *check_new(const char *list, const struct session *, struct err *);
void check_free(struct check *);

/* Load what the checks need, for the traces that SOURCE names (trace_is_among). */
void check_load(const struct check *, struct session *, const char *source);

/* A part has the results for some successive messages of a trace, so that threads can check
 * different cells. It copies the filters of its check, and belongs to one thread at a time.
 * check_append() adds a part to the check and empties it; parts must come in order. */
struct check_part *check_part_new(const struct check *);
void check_part_free(struct check_part *); /* NULL is fine */
void check_part_add(struct check_part *, struct reader *, const struct message *, uint64_t number,
		    struct expansion *scratch);
void check_append(struct check *, struct check_part *);

/* Follow the program of the traces that SOURCE names, if a check asks for it. Then append a line
 * to REPORT for each check that found something, in the messages or in DOUBTS. Return true if any
 * did. DOUBTS are those of the traces, and get those of the program. */
bool check_report(const struct check *, struct session *, const char *source, struct doubts *,
		  struct text *report);

/* Return name and help of check number AT, for the manual. Return false past the end. */
bool check_help(size_t at, const char **name, const char **help);

#endif
