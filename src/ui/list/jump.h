/*
 * Places to come back to, and ways to name a place.
 *
 * A command goes to what is known so far; wishes.h says what becomes of that when more
 * is known.
 */
#ifndef TRAWL_UI_JUMP_H
#define TRAWL_UI_JUMP_H

#include "command/command.h"
#include "trace/reader.h"
#include "ui/list/display_time.h"

struct screen;

/* A message of one of the traces of the session: a mark, or where a jump began. */
struct location {
	size_t trace;
	struct message_id id;
	char letter; /* of a mark; '*' = a bookmark without one */
	char *note;  /* of a mark, or NULL; owned */
};

enum { TRAIL_MAX = 100 };

struct jumps {
	VEC(struct location) marks; /* in the order of their messages */
	VEC(struct location) trail; /* where jumps began, oldest first */
	size_t at;		    /* in the trail; trail.count = not in it */
	bool has_base;		    /* what TIME_MARK counts from */
	struct display_time base;   /* that of the last mark set */
	char *last;		    /* of the go-to prompt, for `.`; owned */
};

void jumps_free(struct jumps *);
/* Into what is zero. */
void jumps_copy(struct jumps *, const struct jumps *);

/* The mark on a message, or 0. */
char jumps_mark(const struct jumps *, size_t trace, struct message_id);

/* Puts a mark into its place in the list and returns it; one that has the
 * same letter, or is the same bookmark, goes.  Takes the note. */
struct location *jumps_add(struct jumps *, struct location);
void jumps_drop(struct jumps *, size_t i);

/* The list that a trace's messages are shown in: the present one if that has the trace,
 * else its own; and which lane it is there. */
struct list *jump_list(struct screen *, size_t trace, size_t *lane);
/* The message of a location, and that list.  False if there is no message any more. */
bool jump_find(struct screen *, const struct location *, struct list **, struct row *);
/* Goes to a location and remembers where it began. */
void jump_to_location(struct screen *, const struct location *);

/* Gives a mark a note, an empty one takes it away; NULL: asks for it, the old one to
 * begin with.  The mark may be NULL. */
void jump_note_mark(struct screen *, struct location *, const char *note);

/* Handlers. */
void jump_goto(struct screen *, const struct command_call *);
/* To where the list's filter begins to let messages pass, if it asks for times. */
void jump_to_filter(struct screen *, const struct command_call *);
void jump_percent(struct screen *, const struct command_call *);
void jump_top(struct screen *, const struct command_call *);
void jump_end(struct screen *, const struct command_call *);
void jump_trail(struct screen *, const struct command_call *); /* back, forward */
void jump_set(struct screen *, const struct command_call *);   /* mark, bookmark */
void jump_mark(struct screen *, const struct command_call *);
void jump_next_mark(struct screen *, const struct command_call *);
void jump_note(struct screen *, const struct command_call *);
void jump_unmark(struct screen *, const struct command_call *);
void jump_trace(struct screen *, const struct command_call *); /* ]f [f */

#endif
