/*
 * Wishes: commands that wait until the index and the clocks can answer them.
 *
 * The rules, which this file applies to all commands:
 *  - Some commands go somewhere (a jump, a search) or use the message under the cursor (a
 *    mark, `v`).  Typed too early, such a command runs at once on the present data, and is
 *    kept.  Later ones are kept too, because each starts where the one before ends.
 *  - When the end of the first one is known, its start is restored by message ID: cursor,
 *    range, marks and trail.  The commands then run again in order, each after the one before
 *    has arrived.  The same keys therefore end at the same messages, whenever they are typed.
 *  - A command that cannot be undone (copying, writing, ties) never runs on an estimate: it
 *    waits for its turn.  Saving does not wait: it saves the marks as they are.
 *  - A move by hand (rows, pages, following, a jump from another pane) or Esc drops the
 *    wishes.  The user stays at the message on the screen, with the marks and range shown.
 *  - Filters, panes and settings take effect at once, for kept commands too.
 *  - While a capture grows, its order is never final.  Commands that depend on the order do
 *    not wait for it then.  Only those that need numbers, shares or times wait.
 *
 * A list of several traces starts with a wish for its first message.
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
	char *said; /* its notice in the last row; owned, or NULL */
};

/* The message under the cursor of a list.  Without THERE the list is empty. */
struct wishes_cursor {
	bool there;
	size_t lane;
	struct message_id id;
};

/* State of the screen before the first kept command. */
struct wishes_base {
	size_t trace; /* number of the list shown */
	VEC(struct wishes_cursor) cursors;
	bool has_range;
	struct location range; /* start of the range */
	struct jumps jumps;
	char *searched; /* search string for n, as typed; owned, or NULL */
	int direction;	/* direction of that search */
};

struct wishes {
	VEC(struct wishes_step) steps; /* in the order in which they were typed */
	struct wishes_base base;       /* state before the first step */
	bool arriving;		       /* the first step ran for good and has not arrived yet */
	bool running;		       /* a command of a step is running */
	bool together;		       /* see wishes_begin */
	const struct list *list;       /* list shown after the last step */
	unsigned moves;		       /* its count of moves after the last step */

	/* Set by a command while it runs: */
	struct sequence_wish needs; /* the wish that the command looked up, if any */
	bool needs_clocks;	    /* the meaning of its text depends on how clocks relate */
};

void wishes_free(struct wishes *);

/* Run a command of the list, and keep it if necessary. */
void wishes_run(struct screen *, wishes_command *, const struct command_call *);

/* Run the steps that can be answered.  Call before each paint, after list_settle(). */
void wishes_settle(struct screen *);

/* Call search_poll(), without counting the end of a search as a move by hand. */
void wishes_poll(struct screen *);

/* Drop the wishes.  The user stays at the message on the screen. */
void wishes_end(struct screen *);

/* Start with a wish for the first message if that is not known yet.  From wishes_begin() to
 * wishes_begun(), a command also waits for a long search before it. */
void wishes_begin(struct screen *);
void wishes_begun(struct screen *);

#endif
