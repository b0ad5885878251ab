/*
 * Places to come back to, and ways to name a place.
 */
#ifndef TRAWL_UI_JUMP_H
#define TRAWL_UI_JUMP_H

#include "command/command.h"
#include "trace/reader.h"

struct app;

/* A place in one of the session's traces. */
struct spot {
	size_t trace;
	struct place place;
	char letter; /* of a mark; '*' = a bookmark without one */
};

struct jumps {
	VEC(struct spot) marks;
	VEC(struct spot) trail; /* where jumps began, oldest first */
	size_t at;		/* in the trail; trail.count = not in it */
	bool has_base;		/* what TIME_MARK counts from */
	uint64_t base;		/* ticks of the last mark set */
	char *last;		/* of the go-to prompt, for `.`; owned */
};

void jumps_free(struct jumps *);

/* The mark at a place, or 0. */
char jumps_mark(const struct jumps *, size_t trace, struct place);

/* Goes to a position of the present trace and remembers where it began. */
void jump_to(struct app *, struct position);

/* Handlers. */
void jump_goto(struct app *, const struct command_call *);
void jump_percent(struct app *, const struct command_call *);
void jump_top(struct app *, const struct command_call *);
void jump_end(struct app *, const struct command_call *);
void jump_trail(struct app *, const struct command_call *); /* back, forward */
void jump_set(struct app *, const struct command_call *); /* mark, bookmark */
void jump_mark(struct app *, const struct command_call *);
void jump_next_mark(struct app *, const struct command_call *);
void jump_trace(struct app *, const struct command_call *); /* ]f [f */

#endif
