/*
 * What stands on the screen: which list, and which pane in the list's place.
 */
#ifndef TRAWL_UI_SHOWN_H
#define TRAWL_UI_SHOWN_H

#include "ui/screen/layout.h"

struct screen;

/* Shows a trace, or all of them together: the number of traces. */
void shown_set_trace(struct screen *, size_t trace);

/* The pane that stands in the list's place: the list, unless nothing is decoded. */
enum pane_id shown_base(const struct screen *);

/* Opens that pane, and the bytes where there is nothing else. */
void shown_open_base(struct screen *);

/* Moves the cursor to a pane; the list: to what is in its place. */
void shown_set_focus(struct screen *, enum pane_id);

#endif
