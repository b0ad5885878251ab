/*
 * The content of the screen: the list that is shown, and the pane in the list's place.
 */
#ifndef TRAWL_UI_SHOWN_H
#define TRAWL_UI_SHOWN_H

#include "ui/screen/layout.h"

struct screen;

/* Show a trace by its number, or all traces together for the number of traces. */
void shown_set_trace(struct screen *, size_t trace);

/* Return the pane in the list's place: PANE_LIST, or PANE_GUESSES if nothing is decoded. */
enum pane_id shown_base(const struct screen *);

/* Open that pane.  Open the bytes too if nothing is decoded. */
void shown_open_base(struct screen *);

/* Move the focus to a pane.  For PANE_LIST, use the pane in its place. */
void shown_set_focus(struct screen *, enum pane_id);

#endif
