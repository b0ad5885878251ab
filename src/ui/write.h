/*
 * Write messages to a file while the screen stays responsive.
 */
#ifndef TRAWL_UI_WRITE_H
#define TRAWL_UI_WRITE_H

#include "command/command.h"

#include <stdbool.h>

struct screen;
struct text;
struct write_job;

/* The words of :write for the messages to write, NULL-terminated. */
extern const char *const write_whats[];

/* Handler of :write. */
void write_start(struct screen *, const struct command_call *);

void write_poll(struct screen *);   /* starts what is ready, reports the end */
bool write_cancel(struct screen *); /* true if a file was being written */
void write_free(struct screen *);   /* cancels the writing */

/* Return the path of the file being written, or NULL. */
const char *write_path(const struct screen *);

/* Cancel the writing at the end of the program.  If its file was not written, append the reason. */
void write_end(struct screen *, struct text *why);

#endif
