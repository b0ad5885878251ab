/*
 * The lines of the timeline: which of its lanes, pairs and contexts are shown, how high, and
 * their names.
 */
#ifndef TRAWL_UI_TIMELINE_LINES_H
#define TRAWL_UI_TIMELINE_LINES_H

#include "ui/panes/timeline_state.h"

/* Chooses the lines for so many rows. */
void timeline_lines_make(struct timeline_state *state, size_t rows);

/* The name of a line, of the capture: to be made safe.  Borrowed. */
const char *timeline_line_name(struct screen *screen, const struct timeline_line *line);

/* Where all of what has no lane is listed. */
const char *timeline_left_where(enum timeline_left);

/* Columns for the names.  They do not become fewer when a line goes, since what is
 * in sight depends on them in turn. */
int timeline_gutter(struct screen *screen, int cols);

/* Whether a column has a sync point. */
bool timeline_has_sync(const struct density_answer *answer, size_t column);

#endif
