/*
 * A snapshot of the set of rows in the list.  It records the list, the filter and the traces.
 * A background search over all rows uses it to detect changes.
 */
#ifndef TRAWL_UI_SHOWN_ROWS_H
#define TRAWL_UI_SHOWN_ROWS_H

#include "query/filter/filter.h"

#include <stdbool.h>
#include <stdint.h>

struct list;
struct screen;

/* Zero-initialise: no rows. */
struct shown_rows {
	const struct list *list; /* NULL if there are no rows */
	struct filter filter;	 /* a copy, which keeps the compiled filter alive */
	bool *hidden;		 /* a flag for each trace of the session; owned */
	uint64_t generation;	 /* of clocks, filtered texts, captures, indexes and ALSO */
};

/* Record the rows that are shown.  ALSO is the epoch of other data that the search depends on. */
void shown_rows_take(struct shown_rows *, const struct screen *, uint64_t also);

/* Return true if the recorded rows are still shown. */
bool shown_rows_are_current(const struct shown_rows *, const struct screen *, uint64_t also);

void shown_rows_free(struct shown_rows *);

#endif
