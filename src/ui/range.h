/*
 * A range of messages: from where `v` was typed to where the user moved since.
 */
#ifndef TRAWL_UI_RANGE_H
#define TRAWL_UI_RANGE_H

#include "base/text.h"
#include "command/command.h"
#include "export/export_range.h"

struct app;

struct range {
	bool on;
	size_t trace;
	struct place from; /* where it began */
};

/* Whether a message of that trace is in it. */
bool range_has(const struct app *, size_t trace, struct place);

/* Its messages; false if there is none where the list shows its trace. */
bool range_span(const struct app *, struct export_span *);

/* Copies its messages, as the list shows them, to the terminal's clipboard and
 * ends it; false if there is none. */
bool range_copy(struct app *);

/* Ends it and says so; false if there is none. */
bool range_drop(struct app *);

/* Appends how many of its messages the list shows, and how long it is; nothing if
 * there is none. */
void range_describe(struct app *, struct text *out);

/* Handler. */
void range_toggle(struct app *, const struct command_call *);

#endif
