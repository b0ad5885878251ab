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

/* Show the causes of slow pairs of interval NAME; NULL: of the pair at the cursor. In the pane: of
 * its interval, or the longest pairs again. False without such an interval. */
bool intervals_show_causes(struct screen *, const char *name);

/* Go to the other end of the selected message's pair. False without a pair. */
bool intervals_go_to_other(struct screen *);

/* Go to a message that begins one of the slowest intervals, or one without an end. */
void intervals_jump(struct screen *, const struct command_call *); /* ]i [i */

#endif
