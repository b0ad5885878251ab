/*
 * What can be done with several traces at once.
 */
#ifndef TRAWL_UI_SESSION_H
#define TRAWL_UI_SESSION_H

#include "command/command.h"

struct app;

/* Handlers. */
void session_tie(struct app *, const struct command_call *);
void session_counterpart(struct app *, const struct command_call *);
void session_show_trace(struct app *, const struct command_call *);

#endif
