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

/* What it holds of a strand: messages from one to another, both included. */
struct range_span {
	size_t trace;
	struct message_id first, last;
	bool in_strand; /* those alone that are in one strand of the trace: */
	size_t strand;	/* clocks_strand(), as of range_find */
};

struct range {
	bool on;
	struct location from;	      /* where it began */
	VEC(struct range_span) spans; /* as of range_find */
};

/* Finds out what it holds: in a list of several traces a span of each that is shown.
 * False, and none, if there is no range where the list shows its trace. */
bool range_find(struct screen *);

/* Its two ends; false if there is no range where the list shows its trace. */
bool range_places(const struct screen *, struct export_place places[2]);
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
