/*
 * The queue of commands that wait until the index or the order of messages can answer them.
 *
 *  - A jump to a number or a share of all messages waits until its target is known, and then
 *    runs once.  A jump to a time goes near it at once, and waits to go there.
 *  - Commands that use the row under the cursor, or go to another row, wait behind it in order,
 *    also behind a search that runs.
 *    The same keys therefore end at the same messages, whenever they are typed.
 *  - Other jumps never wait for the index: to the first and last row, to a share of the bytes, to
 *    the next message of some kind.  Only those of the command line wait for the order of
 *    several traces, because nobody has seen a row yet.
 *  - Filters and views wait behind other commands, because they change the rows.  Panes and
 *    other settings take effect at once.
 *  - A move by hand (rows, pages, following, a jump from another pane) or Esc drops the queue,
 *    and ends a search.  On the command line a move waits behind other commands.
 *  - While a capture grows, its order is never final: no command waits for the order then.
 *
 * Thread: the screen's.
 */
#ifndef TRAWL_UI_WAITING_H
#define TRAWL_UI_WAITING_H

#include "command/command.h"
#include "session/sequence.h"

struct list;
struct screen;

typedef void waiting_run_command(struct screen *, const struct command_call *);

struct waiting_command {
	waiting_run_command *run;
	struct command_call call;   /* its text is owned, or NULL */
	struct sequence_wish needs; /* the target that must be known */
	bool needs_clocks;	    /* the relations of the clocks must be final */
	bool begun;		    /* it ran once, up to the target; its notice stays */
};

struct waiting_queue {
	VEC(struct waiting_command) commands; /* in the order in which they run */
	bool starting;			      /* commands of the command line are typed */
	const struct list *list;	      /* list shown after the last command */
	unsigned moves;			      /* its count of moves then */
};

void waiting_free(struct waiting_queue *);

/* Run a command, or queue it if another one waits that must run before it. */
void waiting_run(struct screen *, waiting_run_command *, const struct command_call *);

/* Queue a command, before all others, until WISH (NULL: none) is known and, for CLOCKS, the
 * relations of the clocks are final.  Return false if that is so already. */
bool waiting_for(struct screen *, const struct sequence_wish *, bool clocks, waiting_run_command *,
		 const struct command_call *);

/* Run the commands that can be answered.  Call before each paint, after list_settle(). */
void waiting_settle(struct screen *);

/* Call search_poll(), without counting the end of a search as a move by hand. */
void waiting_poll(struct screen *);

/* Return true if a command waits without an effect so far.  A jump to a time has gone near it. */
bool waiting_shows(const struct waiting_queue *);

/* Return the name of a queued command that marks, copies or writes, or NULL. */
const char *waiting_for_marks(const struct waiting_queue *);

/* Drop the queue because of Esc.  Return false if the user has seen no command wait. */
bool waiting_cancel(struct screen *);

#endif
