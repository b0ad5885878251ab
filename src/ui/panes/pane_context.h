/*
 * What contexts are to the screen: a pane, columns, fields of the detail pane,
 * and jumps from change to change.
 */
#ifndef TRAWL_UI_PANE_CONTEXT_H
#define TRAWL_UI_PANE_CONTEXT_H

#include "command/command.h"
#include "decode/decoder.h"

struct app;

void contexts_close(struct app *);

/* Adds what holds at M, a message of the present trace, to its expansion. */
void contexts_add(struct app *, const struct message *m, struct expansion *);

/* If NAME is a context's, `context.task`: appends what it is at M, safe. */
bool contexts_column(struct app *, const struct message *m, const char *name, struct text *out);

void contexts_jump(struct app *, const struct command_call *); /* ]c [c */

#endif
