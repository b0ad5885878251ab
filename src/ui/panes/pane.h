/*
 * The contract of a pane: a part of the screen that shows one thing.
 *
 * A pane draws the selected message, or the list, into an area it is given,
 * and has functions for the commands it understands; what it does not
 * understand goes to the list, and then to the program (commands.c).
 */
#ifndef TRAWL_UI_PANE_H
#define TRAWL_UI_PANE_H

#include "command/command.h"
#include "ui/screen/layout.h"

struct screen;
struct list;

typedef void pane_command(struct screen *, const struct command_call *);

/* A command, or two, whose keys the rule of a pane shows with a word for what they do. */
struct pane_key {
	enum command_id first, second; /* second COMMAND_DOWN, which is no such one: none */
	const char *word;
	bool spare; /* left out first where there is little room */
};

enum { PANE_KEYS_MAX = 8 };

struct pane_ops {
	const char *name;
	enum command_scope scope;
	size_t state_size;	    /* of its own state, zeroed at the start; screen->state[] */
	void (*close)(void *state); /* NULL: nothing to free */
	/* What it shows, for its rule; NULL: the name. */
	void (*title)(struct screen *, struct text *);
	struct pane_key keys[PANE_KEYS_MAX]; /* the last one closes it; no word: no more */
	void (*draw)(struct screen *, struct canvas *, const struct area *);
	pane_command *const *commands; /* COMMAND_COUNT entries, NULL = not its own */
	/* With a cursor among lines (lines.h): how many there are now; and, or NULL,
	 * that the cursor moved. */
	size_t (*lines)(struct screen *);
	void (*moved)(struct screen *);
	/* With rows of its own list (list.h): that. */
	struct list *(*list)(struct screen *);
	/* Works for a slice at what was missing when it was drawn; true if it should be
	 * drawn again.  NULL: nothing ever is. */
	bool (*work)(struct screen *);
	bool (*may_work)(struct screen *); /* whether anything is; NULL: that is not known */
	/* Threads have news: whether it is to be drawn again for them.  Asked while it is closed
	 * too, so that it can stop what it began.  NULL: never. */
	bool (*news)(struct screen *);
};

/* Draws the rule of a pane: what it shows, and its keys where there is room. */
void pane_draw_rule(struct screen *, enum pane_id);

/* How a severity looks. */
enum role severity_role(unsigned severity);

/* How a trace of a session looks, by its number; a single one as usual. */
struct session;
enum role trace_role(const struct session *, size_t trace);

/* By how many rows a moving command moves a pane that shows so many. */
int64_t pane_step(const struct command_call *, int rows);

/* The handler of a moving command, NULL for others: among the rows of the list that
 * the pane with the cursor has, or else of the list of messages. */
pane_command *pane_mover(enum command_id);

/* Moves the bytes that the hex pane shows. */
extern pane_command hex_move;

#endif
