/*
 * Writing messages to a file while the screen stays alive.
 */
#ifndef TRAWL_UI_WRITE_H
#define TRAWL_UI_WRITE_H

#include "command/command.h"

#include <stdbool.h>

struct screen;
struct write_job;

/* What can be written: words of :write, NULL-terminated. */
extern const char *const write_whats[];

/* Handler of :write. */
void write_start(struct screen *, const struct command_call *);

void write_poll(struct screen *);   /* it may have come to its end */
bool write_cancel(struct screen *); /* true if there was something to stop */
void write_free(struct screen *);   /* stops it; at the end of the program */

#endif
