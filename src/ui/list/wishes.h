/*
 * Wishes: commands whose end is not known when they are given, kept until it is.
 *
 * The rule, which is held here for all commands:
 *  - A command that goes somewhere (a jump, a search) or takes hold of the message under
 *    the cursor (a mark, `v`), given before the indexes and clocks tell where that is,
 *    is run at once on what is known so far, and kept.  So is each of these that
 *    follows, as it stands on the ones before.
 *  - When it is known where the first of them ends, cursor, range, marks and trail are
 *    put back to what they were before it, by the identity of the messages, and the
 *    commands are run again in their order, each when the one before has arrived.  So
 *    the same keys end at the same messages, whenever they are typed.
 *  - What cannot be taken back (copying, writing, ties) is not run on an estimate: it
 *    waits for its turn.  Saving does not wait: it keeps marks as they are.
 *  - A move by hand (rows, pages, following, a jump from another pane) and Esc end the
 *    wishes: the user is at the message that the screen shows, and marks and the range
 *    are at those that it showed.
 *  - Filters, panes and settings take effect at once; they apply to what is kept too.
 *  - While a capture grows the order is never all known: what follows from it counts as
 *    known, and only numbers, shares and times are waited for.
 *
 * A list of several traces starts with the wish for its first message.
 *
 * Memory: one copy of marks and trail while there is a wish.  Thread: the screen's.
 */
#ifndef TRAWL_UI_WISHES_H
#define TRAWL_UI_WISHES_H

#include "command/command.h"
#include "session/sequence.h"
#include "ui/list/jump.h"

struct list;
struct screen;

typedef void wishes_command(struct screen *, const struct command_call *);

struct wishes_step {
	wishes_command *run;
	struct command_call call; /* its text is owned, or NULL */
	struct sequence_wish needs;
	bool needs_clocks;
	char *said; /* in the last row; owned, or NULL */
};

/* The message under the cursor of a list; not THERE: it is empty. */
struct wishes_cursor {
	bool there;
	size_t lane;
	struct message_id id;
};

/* What commands that are kept begin from. */
struct wishes_base {
	size_t trace; /* number of the list shown */
	VEC(struct wishes_cursor) cursors;
	bool has_range;
	struct location range; /* where it began */
	struct jumps jumps;
	char *searched; /* what was typed for n; owned, or NULL */
	int direction;	/* of that */
};

struct wishes {
	VEC(struct wishes_step) steps; /* in the order they were given */
	struct wishes_base base;       /* of the first of them */
	bool arriving;		       /* the first has been run for good and is on its way */
	bool running;		       /* a command is run by this file */
	bool together;		       /* see wishes_begin */
	const struct list *list;       /* that was shown after the last of them, */
	unsigned moves;		       /* and how often the user had moved in it */

	/* Set by a command while it runs: */
	struct sequence_wish needs; /* what it looked for, if it did */
	bool needs_clocks;	    /* what its text means depends on how clocks relate */
};

void wishes_free(struct wishes *);

/* Runs a command of the list, and keeps it if need be. */
void wishes_run(struct screen *, wishes_command *, const struct command_call *);

/* Runs what is known by now; to be called before each paint, after list_settle. */
void wishes_settle(struct screen *);

/* As search_poll: where a search of these ends is no move by hand. */
void wishes_poll(struct screen *);

/* Ends them: the user stays where the screen shows. */
void wishes_end(struct screen *);

/* At the start: begins with the wish for the first message if that is not known.  Between
 * the two, a command waits too for a search before it that takes long. */
void wishes_begin(struct screen *);
void wishes_begun(struct screen *);

#endif
