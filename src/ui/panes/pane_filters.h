/* The filter under the cursor of the filter pane. */
#ifndef TRAWL_UI_PANE_FILTERS_H
#define TRAWL_UI_PANE_FILTERS_H

#include <stddef.h>

struct screen;

/* Return its number, or SIZE_MAX without one. */
size_t pane_filters_cursor(struct screen *);

#endif
