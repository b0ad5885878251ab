/*
 * The interface of a pane: a part of the screen that shows one thing.
 *
 * A pane draws the selected message, or the list, into a given area and has handlers for its
 * commands. Commands without a handler go to the list, and then to the program (commands.c).
 */
#ifndef TRAWL_UI_PANE_H
#define TRAWL_UI_PANE_H

#include "command/command.h"
#include "ui/screen/layout.h"

struct screen;
struct list;

typedef void pane_command(struct screen *, const struct command_call *);

/* One or two commands with a short label. The rule of a pane shows their keys. */
struct pane_key {
	enum command_id first, second; /* second: COMMAND_DOWN (zero) means none */
	const char *word;
	bool spare; /* hidden first if the rule is too narrow */
};

enum { PANE_KEYS_MAX = 9 };

struct pane_ops {
	const char *name;
	enum command_scope scope;
	size_t state_size;	    /* of its state in screen->state[]; zeroed at the start */
	void (*close)(void *state); /* or NULL */
	/* Prepare to be shown, with the text typed after the command or NULL. Return false if there
	 * is nothing to show, with a notice. NULL: always shown. */
	bool (*prepare)(struct screen *, const char *text);
	/* Append the title for the rule. NULL: use the name. */
	void (*title)(struct screen *, struct text *);
	struct pane_key keys[PANE_KEYS_MAX]; /* the last one closes the pane; ends at a NULL word */
	void (*draw)(struct screen *, struct canvas *, const struct area *);
	pane_command *const *commands; /* COMMAND_COUNT entries; NULL: not handled here */
	/* The current number of lines, for a pane with a cursor (lines.h). */
	size_t (*lines)(struct screen *);
	void (*moved)(struct screen *); /* runs after each move of that cursor, or NULL */
	/* Return the pane's own list (list.h). NULL: it has none. */
	struct list *(*list)(struct screen *);
	/* Work for one slice on data that the last drawing lacked. True if the pane should be drawn
	 * again. NULL: never any work. */
	bool (*work)(struct screen *);
	bool (*may_work)(struct screen *); /* true if work is left; NULL: unknown */
	/* True if background results need a new drawing. Also called for a closed pane, which can
	 * then stop its background work. NULL: never. */
	bool (*news)(struct screen *);
};

/* Draw the rule of a pane: its title and, if there is room, its keys. */
void pane_draw_rule(struct screen *, enum pane_id);

/* Return the role of a severity. */
enum role severity_role(unsigned severity);

/* Return the role of a trace, by its number. A single trace has the normal role. */
struct session;
enum role trace_role(const struct session *, size_t trace);

/* Return the rows by which a moving command moves a pane of ROWS rows. */
int64_t pane_step(const struct command_call *, int rows);

/* Return the handler of a moving command, or NULL for other commands. It moves in the focused
 * pane's own list, else in the list of messages. */
pane_command *pane_mover(enum command_id);

/* Move to the top, middle or bottom row of the screen; and the row meant, of ROWS on the screen. */
extern pane_command move_in_window;
int64_t pane_window_row(const struct command_call *, int64_t rows);

/* Scroll the bytes in the hex pane. */
extern pane_command hex_move;

#endif
