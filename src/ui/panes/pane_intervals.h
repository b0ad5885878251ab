/*
 * The pane of intervals, for the commands.
 */
#ifndef TRAWL_UI_PANE_INTERVALS_H
#define TRAWL_UI_PANE_INTERVALS_H

#include "command/command.h"

struct screen;

/* Define an interval as `NAME begin EXPR end EXPR [key NAMES] [across]`, and show it. On bad
 * syntax, show an error and return false. */
bool intervals_define_typed(struct screen *, const char *text);

/* Find the interval NAME, or show an error and return false. NULL: that of the pane if it has the
 * cursor, else of the pair at the list's cursor, else the one that the pane showed last. */
bool intervals_find_typed(struct screen *, const char *name, size_t *interval);

/* Go to the other end of the selected message's pair. False without a pair. */
bool intervals_go_to_other(struct screen *);

/* Go to a message that begins one of the slowest intervals, or one without an end. */
void intervals_jump(struct screen *, const struct command_call *); /* ]i [i */

#endif
