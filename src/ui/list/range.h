/*
 * A range of messages, from the place where the user typed `v` to the present position.
 */
#ifndef TRAWL_UI_RANGE_H
#define TRAWL_UI_RANGE_H

#include "base/text.h"
#include "command/command.h"
#include "export/export_range.h"
#include "ui/list/jump.h"

struct screen;

/* The part of the range in one strand: from `first` to `last`, both included. */
struct range_span {
	size_t trace;
	struct message_id first, last;
	bool in_strand; /* only messages of strand `strand` count */
	size_t strand;	/* clocks_strand(), set by range_find() */
};

struct range {
	bool on;
	struct location from;	      /* start of the range */
	VEC(struct range_span) spans; /* set by range_find() */
};

/* Find the spans of the range, one per strand that is shown.  Return false, with no spans, if
 * there is no range or the list does not show its trace. */
bool range_find(struct screen *);

/* Return its two ends.  Return false if there is no range or the list does not show its trace. */
bool range_places(const struct screen *, struct export_place places[2]);
void range_free(struct range *);

/* Return true if a message was in the range at the last range_find(). */
bool range_has(const struct screen *, size_t trace, struct message_id);

/* Copy its messages, as the list shows them, to the terminal's clipboard, and end the range.
 * Return false if there is none. */
bool range_copy(struct screen *);

/* End the range with a notice.  Return false if there is none. */
bool range_drop(struct screen *);

/* Append its length and the number of its rows.  Append nothing if there is no range. */
void range_describe(struct screen *, struct text *out);

/* Handler. */
void range_toggle(struct screen *, const struct command_call *);

#endif
