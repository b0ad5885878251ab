/*
 * A walk through the messages of a cell for the contexts they carry, and its state.
 * Private to the .c files of this folder.
 */
#ifndef TRAWL_SESSION_CONTEXT_CONTEXT_WALK_H
#define TRAWL_SESSION_CONTEXT_CONTEXT_WALK_H

#include "session/context/context.h"

/* The state of a context. */
struct context_held {
	uint64_t value;	 /* a number, or the hash of a text */
	uint64_t offset; /* of the message that began it */
	uint64_t ticks;
	uint32_t ordinal;
	uint32_t event; /* hash of the name of the event that set it last, or 0 */
	uint16_t row;
	uint8_t state; /* enum context_state, but never LATER */
	uint8_t flags;
};

enum { HELD_DOUBTFUL = 1, HELD_RECOVERED = 2, HELD_EARLIER = 4, HELD_TIMED = 8, HELD_NUMBER = 16 };

/* A context of an origin, or of the whole trace. */
struct context_key {
	uint64_t origin; /* 0 if of the trace */
	unsigned context;
};

struct context_change {
	size_t at; /* in the cell */
	struct context_held held;
};

/* A context's changes within a cell. */
struct context_history {
	struct context_key key;
	struct context_held start;
	VEC(struct context_change) changes;
};

/* A context's state after a cell. */
struct context_entry {
	uint64_t cell;
	struct context_held held; /* at the end of the cell */
};

struct context_lane {
	struct context_key key;
	VEC(struct context_entry) entries;
};

/* The known contexts of a trace. */
struct context_trace {
	struct trace *trace;
	context_rules rules;
	uint64_t kinds;	   /* of the messages of all rules */
	uint64_t contexts; /* one bit for each context */
	uint64_t whole;	   /* contexts of the whole trace, not of its origins */
	bool needs_session;
	/* under the lock of all contexts; only their thread writes */
	VEC(struct context_lane) lanes; /* in the order of their keys */
	size_t entries;
	bool overflowed; /* some lanes did not fit */
	uint64_t known;	 /* number of cells */
	unsigned shift;	 /* binary logarithm of the cells in a group */
	unsigned generation;
	struct context_walker *walker; /* of the thread */
};

/* The walk of a thread through a trace. */
struct context_walker {
	struct contexts *contexts;
	struct context_trace *tracked;
	struct reader *reader;
	struct expansion expansion;
	VEC(struct context_history) histories; /* in the order of their keys */
	bool filled;
	bool sure;	 /* a context without a history has not been set; else it is unknown */
	bool overflowed; /* some histories did not fit */
	bool unsettled;	 /* some history may not be doubtful */
	uint64_t cell, back;
	size_t done;			  /* walked messages of the cell */
	uint64_t last_offset;		  /* of the last message */
	uint32_t ordinal;		  /* of the last message at its offset */
	uint64_t size;			  /* of the capture at the start of the cell */
	uint64_t spent;			  /* expanded messages */
	struct context_position position; /* of the last message of another trace */
	unsigned restarts;		  /* `restarts` of all contexts at its last start */
};

struct context_walker *context_walker_new(struct contexts *, struct context_trace *);
void context_walker_free(struct context_walker *);  /* NULL is fine */
void context_walker_clear(struct context_walker *); /* drops its histories */

uint64_t context_hash(const char *text, size_t length);
int context_key_compare(struct context_key, struct context_key);
struct context_key context_key_of(const struct context_trace *, const struct message *,
				  unsigned context);
struct context_history *context_history_find(const struct context_walker *, struct context_key);

/* Return the state at the end of the walk, or at message AT of the cell. */
const struct context_held *context_held_now(const struct context_history *);
const struct context_held *context_held_at(const struct context_history *, size_t at);

/* Start at a cell with the current histories. */
void context_walk_from(struct context_walker *, uint64_t cell, bool sure);
/* Walk the cell up to message END. Return true if it has more. */
bool context_walk(struct context_walker *, size_t end);
void context_walk_on(struct context_walker *); /* to the next cell */
void context_walk_to(struct context_walker *, uint64_t cell);
/* Start the cell again if the end of the capture was near and has moved. */
void context_walk_refresh(struct context_walker *);

/* --- values (context.c) --- */

/* Convert a state to a value for the caller. */
void context_describe(const struct context_walker *, unsigned context, const struct context_held *,
		      struct context_value *);

/* Append a value of the walker's trace without its name; may read its message again. */
void context_walker_text(struct context_walker *, unsigned context, const struct context_value *,
			 struct text *);

#endif
