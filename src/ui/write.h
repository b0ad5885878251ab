/*
 * Writing messages to a file while the screen stays alive.
 */
#ifndef TRAWL_UI_WRITE_H
#define TRAWL_UI_WRITE_H

#include "command/command.h"

#include <stdbool.h>

struct screen;
struct text;
struct write_job;

/* What can be written: words of :write, NULL-terminated. */
extern const char *const write_whats[];

/* Handler of :write. */
void write_start(struct screen *, const struct command_call *);

void write_poll(struct screen *);   /* it may have come to its end */
bool write_cancel(struct screen *); /* true if there was something to stop */
void write_free(struct screen *);   /* cancels it */

/* The path of the file that is being written, or NULL. */
const char *write_path(const struct screen *);

/* At the end of the program: cancel what runs.  Append why a file was not written; nothing if
 * there is no such file. */
void write_end(struct screen *, struct text *why);

#endif
