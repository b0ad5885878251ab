/*
 * The lines of the timeline: the choice among its lanes, pairs and contexts, their heights and
 * names.
 */
#ifndef TRAWL_UI_TIMELINE_LINES_H
#define TRAWL_UI_TIMELINE_LINES_H

#include "ui/panes/timeline_state.h"

/* Choose the lines for ROWS rows. */
void timeline_lines_make(struct timeline_state *state, size_t rows);

/* Return the name of a line. It comes from the capture, so the caller must make it safe.
 * Borrowed. */
const char *timeline_line_name(struct screen *screen, const struct timeline_line *line);

/* Return where the user finds the complete list of origins or states. */
const char *timeline_left_where(enum timeline_left);

/* Return the width of the names, in columns. It never shrinks when a line goes: the width changes
 * the window, and the window changes the lines. */
int timeline_gutter(struct screen *screen, int cols);

/* True if a column has a sync point. */
bool timeline_has_sync(const struct density_answer *answer, size_t column);

#endif
