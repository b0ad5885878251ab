/*
 * Notices since the start.  The last row shows the newest one until the next
 * key, and :messages shows all.
 */
#ifndef TRAWL_UI_LOG_H
#define TRAWL_UI_LOG_H

#include "base/vec.h"

#include <stdbool.h>

struct log_line {
	char *text; /* owned; not yet safe for a terminal */
	bool is_error;
};

/* Zero-initialise.  Beyond 1000 lines the oldest ones are dropped. */
struct log {
	VEC(struct log_line) lines;
};

/* Add each line of a text.  Return the number of lines. */
size_t log_add(struct log *, bool is_error, const char *text);
void log_free(struct log *);

#endif
