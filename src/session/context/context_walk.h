/*
 * Walking the messages of a cell for the contexts they carry: what a thread
 * that looks at contexts keeps.  Private to context.c, context_build.c and
 * context_walk.c.
 */
#ifndef TRAWL_SESSION_CONTEXT_CONTEXT_WALK_H
#define TRAWL_SESSION_CONTEXT_CONTEXT_WALK_H

#include "session/context/context.h"

/* Messages that make what was said before them doubtful. */

/* What holds of a context. */
struct context_held {
	uint64_t value;	 /* a number, or the hash of a text */
	uint64_t offset; /* offset of the message that began it */
	uint64_t ticks;
	uint32_t ordinal;
	uint32_t event; /* hash of the name of the event that set it last, or 0 */
	uint16_t row;
	uint8_t state; /* enum context_state; LATER does not occur */
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

/* One of them within a cell. */
struct context_history {
	struct context_key key;
	struct context_held start;
	VEC(struct context_change) changes;
};

/* And over the trace. */
struct context_entry {
	uint64_t cell;
	struct context_held held; /* at its end */
};

struct context_lane {
	struct context_key key;
	VEC(struct context_entry) entries;
};

/* What is known of a trace. */
struct context_trace {
	struct trace *trace;
	context_rules rules;
	uint64_t kinds;	   /* that any of them is about */
	uint64_t contexts; /* a bit each */
	uint64_t whole;	   /* those that the trace has, not its origins */
	bool needs_session;
	/* under the lock of all contexts; their thread alone writes */
	VEC(struct context_lane) lanes; /* in the order of their keys */
	size_t entries;
	bool overflowed; /* there were too many lanes */
	uint64_t known;	 /* cells */
	unsigned shift;	 /* cells taken together, as a power of two */
	unsigned generation;
	struct context_walker *walker; /* the thread's */
};

/* Where a thread stands in a trace. */
struct context_walker {
	struct contexts *contexts;
	struct context_trace *tracked;
	struct reader *reader;
	struct expansion expansion;
	VEC(struct context_history) histories; /* in the order of their keys */
	bool filled;
	bool sure;	 /* what no history has, no message said; else it is not known */
	bool overflowed; /* there were too many histories */
	bool unsettled;	 /* not all histories are doubtful */
	uint64_t cell, back;
	size_t done;			  /* messages of the cell that were walked */
	uint64_t last_offset;		  /* of the last one */
	uint32_t ordinal;		  /* and its number there */
	uint64_t size;			  /* of the capture when the cell was begun */
	uint64_t spent;			  /* messages expanded */
	struct context_position position; /* of a message of another trace, the last one */
	unsigned restarts;		  /* of all contexts */
};

struct context_walker *context_walker_new(struct contexts *, struct context_trace *);
void context_walker_free(struct context_walker *);  /* NULL is fine */
void context_walker_clear(struct context_walker *); /* drops its histories */

uint64_t context_hash(const char *text, size_t length);
int context_key_compare(struct context_key, struct context_key);
struct context_key context_key_of(const struct context_trace *, const struct message *,
				  unsigned context);
struct context_history *context_history_find(const struct context_walker *, struct context_key);

/* What holds now, at the end of what was walked; and what held at message AT of
 * the cell. */
const struct context_held *context_held_now(const struct context_history *);
const struct context_held *context_held_at(const struct context_history *, size_t at);

/* Begins at a cell with what the histories hold. */
void context_walk_from(struct context_walker *, uint64_t cell, bool sure);
/* Walks on in the cell, up to message END; true if there are more. */
bool context_walk(struct context_walker *, size_t end);
void context_walk_on(struct context_walker *); /* to the next cell */
void context_walk_to(struct context_walker *, uint64_t cell);
/* Begins the cell again if the end of the capture was in sight, and has moved. */
void context_walk_refresh(struct context_walker *);

/* --- values (context.c) --- */

/* What is held, as it is given out. */
void context_describe(const struct context_walker *, unsigned context, const struct context_held *,
		      struct context_value *);

/* Appends a value of the walker's trace without its name; may read its message again. */
void context_walker_text(struct context_walker *, unsigned context, const struct context_value *,
			 struct text *);

#endif
