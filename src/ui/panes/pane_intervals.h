/*
 * The pane of intervals, as the commands see it.
 */
#ifndef TRAWL_UI_PANE_INTERVALS_H
#define TRAWL_UI_PANE_INTERVALS_H

#include "command/command.h"

struct screen;

/* Shows the interval of that name; NULL: the one that was shown.  False, and said why, if
 * there is none. */
bool intervals_choose(struct screen *, const char *name);

/* Defines one as `NAME begin EXPR end EXPR [key NAMES] [across]`, and shows it.  False,
 * and said why, if that is wrong. */
bool intervals_define_typed(struct screen *, const char *text);

/* Goes to the other end of the pair of the message under the cursor; false if it is in
 * none. */
bool intervals_go_to_other(struct screen *);

/* Goes to a message that begins an interval without an end or one of the slowest. */
void intervals_jump(struct screen *, const struct command_call *); /* ]i [i */

#endif
