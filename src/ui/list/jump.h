/*
 * Marks, the trail of jumps, and the go-to prompt.
 *
 * A jump whose target is not known yet waits (waiting.h).
 */
#ifndef TRAWL_UI_JUMP_H
#define TRAWL_UI_JUMP_H

#include "command/command.h"
#include "trace/reader.h"
#include "ui/list/display_time.h"

struct screen;

/* A message of the session: a mark, or the start of a jump. */
struct location {
	size_t trace;
	struct message_id id;
	char letter; /* of a mark; '*' for a bookmark */
	char *note;  /* of a mark, or NULL; owned */

	/* of a mark: its number in `list`, if `numbered`, at `generation` */
	const struct list *list;
	uint64_t number, generation;
	bool numbered;
};

enum { TRAIL_MAX = 100 };

struct jumps {
	VEC(struct location) marks; /* in order of their messages */
	VEC(struct location) trail; /* starts of jumps, oldest first */
	size_t at;		    /* position in the trail; trail.count if outside */
	bool has_base;		    /* `base` is set */
	struct display_time base;   /* time of the last mark set, from which TIME_MARK counts */
	char *last;		    /* last input of the go-to prompt, for `.`; owned */
};

void jumps_free(struct jumps *);

/* Return the letter of the mark on a message, or 0. */
char jumps_mark(const struct jumps *, size_t trace, struct message_id);

/* Insert a mark in message order, and return it.  Replace a mark with the same letter, or a
 * bookmark on the same message.  Take ownership of the note. */
struct location *jumps_add(struct jumps *, struct location);
void jumps_drop(struct jumps *, size_t i);

/* Return the list for messages of a trace, and its lane there.  That is the present list if it
 * has the trace, else the trace's own. */
struct list *jump_list(struct screen *, size_t trace, size_t *lane);
/* Find the message of a location, and that list.  Return false if the message is gone. */
bool jump_find(struct screen *, const struct location *, struct list **, struct row *);
/* Go to a location and add the start to the trail. */
void jump_to_location(struct screen *, const struct location *);

/* Set the note of a mark (may be NULL).  An empty note removes it.  Without NOTE, open a prompt
 * with the old one. */
void jump_note_mark(struct screen *, struct location *, const char *note);

/* Append the place of a row as the go-to prompt takes it: [TRACE:]0xOFFSET[#N].  It depends on
 * neither clocks nor zones. */
void jump_add_place(struct screen *, const struct row *, struct text *out);

/* Handlers. */
void jump_goto(struct screen *, const struct command_call *);
/* Go to the start of the time range in the list's filter, if it has one. */
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
