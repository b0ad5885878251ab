/*
 * Which rows the list shows, as a search in the background that goes over all of them has to
 * know: of which list, by which filter, of which traces, and when any of them may have
 * changed.
 */
#ifndef TRAWL_UI_SHOWN_ROWS_H
#define TRAWL_UI_SHOWN_ROWS_H

#include "query/filter/filter.h"

#include <stdbool.h>

struct list;
struct screen;

/* Zero-initialise: of no rows. */
struct shown_rows {
	const struct list *list; /* NULL: of no rows */
	struct filter filter;	 /* a copy: it keeps what was compiled */
	bool *hidden;		 /* traces, by number; owned */
	unsigned generation;	 /* of clocks, texts that are filtered, what is indexed, ALSO */
};

/* Takes over what is shown.  ALSO: the generation (base/generation.h) of whatever else the
 * search rests on. */
void shown_rows_take(struct shown_rows *, const struct screen *, unsigned also);

/* Whether that is what is shown. */
bool shown_rows_are_current(const struct shown_rows *, const struct screen *, unsigned also);

void shown_rows_free(struct shown_rows *);

#endif
