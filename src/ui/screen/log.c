/* The program's own notices: see log.h. */
#include "config.h"

#include "ui/screen/log.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 1000 };

static void
add_line(struct log *log, bool is_error, const char *text, size_t length)
{
	if (log->lines.count == LINES_MAX) {
		free(log->lines.at[0].text);
		memmove(log->lines.at, log->lines.at + 1, (LINES_MAX - 1) * sizeof *log->lines.at);
		log->lines.count--;
	}
	char *line = mem_text(text);
	line[length] = '\0';
	*vec_add(&log->lines) = (struct log_line){.text = line, .is_error = is_error};
}

size_t
log_add(struct log *log, bool is_error, const char *text)
{
	size_t count = 0;
	for (size_t length; *text || !count; text += length + (text[length] == '\n'), count++) {
		length = strcspn(text, "\n");
		add_line(log, is_error, text, length);
	}
	return count;
}

void
log_free(struct log *log)
{
	for (size_t i = 0; i < log->lines.count; i++)
		free(log->lines.at[i].text);
	vec_free(&log->lines);
}
