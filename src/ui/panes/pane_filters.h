/* What the pane of filters tells others: the filter under its cursor. */
#ifndef TRAWL_UI_PANE_FILTERS_H
#define TRAWL_UI_PANE_FILTERS_H

#include <stddef.h>

struct screen;

/* Its number; SIZE_MAX if there is none. */
size_t pane_filters_cursor(struct screen *);

#endif
