/*
 * A range of messages: from where `v` was typed to where the user moved since.
 */
#ifndef TRAWL_UI_RANGE_H
#define TRAWL_UI_RANGE_H

#include "base/text.h"
#include "command/command.h"
#include "export/export_range.h"
#include "ui/list/jump.h"

struct screen;

struct range {
	bool on;
	struct location from;	       /* where it began */
	VEC(struct export_span) spans; /* what it holds, as of range_find */
};

/* Finds out what it holds: in a list of several traces a span of each that is shown.
 * False, and none, if there is no range where the list shows its trace. */
bool range_find(struct screen *);
void range_free(struct range *);

/* Whether a message of that trace is in it, as of the last range_find. */
bool range_has(const struct screen *, size_t trace, struct message_id);

/* Copies its messages, as the list shows them, to the terminal's clipboard and
 * ends it; false if there is none. */
bool range_copy(struct screen *);

/* Ends it and says so; false if there is none. */
bool range_drop(struct screen *);

/* Appends how many of its messages the list shows, and how long it is; nothing if
 * there is none. */
void range_describe(struct screen *, struct text *out);

/* Handler. */
void range_toggle(struct screen *, const struct command_call *);

#endif
