/* The program's own notices: see log.h. */
#include "config.h"

#include "ui/screen/log.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 1000 };

void
log_add(struct log *log, bool is_error, const char *text)
{
	if (log->lines.count == LINES_MAX) {
		free(log->lines.at[0].text);
		memmove(log->lines.at, log->lines.at + 1, (LINES_MAX - 1) * sizeof *log->lines.at);
		log->lines.count--;
	}
	*vec_add(&log->lines) = (struct log_line){.text = mem_text(text), .is_error = is_error};
}

void
log_free(struct log *log)
{
	for (size_t i = 0; i < log->lines.count; i++)
		free(log->lines.at[i].text);
	vec_free(&log->lines);
}
