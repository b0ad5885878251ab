/*
 * The pane of contexts, as the loop sees it.
 */
#ifndef TRAWL_UI_PANE_CONTEXT_H
#define TRAWL_UI_PANE_CONTEXT_H

#include <stdbool.h>

struct screen;

/* Whether other intervals may be open at the selected message than the pane shows. */
bool context_has_news(struct screen *);

#endif
