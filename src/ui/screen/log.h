/*
 * What was said since the start: the last row shows the newest until the next
 * key, :messages all of it.
 */
#ifndef TRAWL_UI_LOG_H
#define TRAWL_UI_LOG_H

#include "base/vec.h"

#include <stdbool.h>

struct log_line {
	char *text; /* owned; not yet safe for a terminal */
	bool is_error;
};

/* Zero-initialise.  The oldest lines go when there are very many. */
struct log {
	VEC(struct log_line) lines;
};

/* Adds each line of a text; how many. */
size_t log_add(struct log *, bool is_error, const char *text);
void log_free(struct log *);

#endif
