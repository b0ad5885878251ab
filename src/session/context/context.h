/*
 * Contexts: states at a message, as set by earlier messages. Examples are the running
 * task, the loaded overlay, the privilege of a hart.
 *
 * A context has a value from the message that carries it until the next one that does. It
 * belongs to an origin or to the whole trace. Loss or damage makes it doubtful until it is
 * carried again; such messages count for their origin, or for all if they have none.
 *
 * An origin is a sender by its raw key. Two senders may have one name, as a client on two
 * channels or through the profile. Their states stay separate: merged, they would form
 * states that neither sender had.
 *
 * Threads: all share a struct contexts; a cursor belongs to one.
 */
#ifndef TRAWL_SESSION_CONTEXT_CONTEXT_H
#define TRAWL_SESSION_CONTEXT_CONTEXT_H

#include "session/context/context_rule.h"
#include "trace/reader.h"

struct contexts;
struct session;
struct context_cursor;

enum context_state {
	CONTEXT_LATER,	 /* not known yet */
	CONTEXT_NONE,	 /* no message has set it yet */
	CONTEXT_UNKNOWN, /* it changed to an unknown value */
	CONTEXT_KNOWN
};

struct context_value {
	enum context_state state;
	/* if KNOWN or UNKNOWN: */
	bool doubtful;	/* loss or damage since then; or, from another trace, the order with its
			 * change is uncertain */
	bool recovered; /* its message had lost the value, which comes from elsewhere */
	bool earlier;	/* it may have held before `since` already */
	struct trace *trace;
	struct message_id since; /* the message that began it */
	bool timed;
	uint64_t ticks; /* of the message at `since`, if timed */
	/* if KNOWN: */
	bool is_number;
	uint64_t number;
	const char *name; /* from the profile or the format, or NULL */
	uint64_t value;	  /* equal for equal values */
	uint16_t row;	  /* index of the field in its format's table */
};

/* The end of a value. */
struct context_end {
	enum context_state state; /* LATER, NONE if it lasts to the end, or KNOWN */
	struct message_id id;
	bool timed;
	uint64_t ticks;
};

/* Make the contexts of all open traces from the session's profile, borrowed until
 * contexts_free(). Return NULL if there are none. */
struct contexts *contexts_new(struct session *);
void contexts_free(struct contexts *); /* stops the thread; NULL is fine */

size_t contexts_count(const struct contexts *); /* 0 for NULL */
const char *contexts_name(const struct contexts *, unsigned context);
const char *contexts_next_name(void *contexts, size_t at); /* for nearest_hint() */
bool contexts_find(const struct contexts *, const char *name, unsigned *context);
/* True if it holds for a whole trace, not for each origin separately. */
bool contexts_is_per_trace(const struct contexts *, unsigned context);
/* True if the profile defines the contexts. */
bool contexts_defined(const struct contexts *);
/* Return the errors in the definitions, or NULL. */
const char *contexts_complaint(const struct contexts *);

/* For batch output: build the indexes of the traces with contexts. From now on cursors walk as
 * far as necessary. */
void contexts_load(struct contexts *);

/* Start a thread at low priority with the first cursor. It scans the indexed cells of the traces
 * and notifies the session at times. A second call does nothing. contexts_wake(): an index grew. */
void contexts_start(struct contexts *);
void contexts_wake(struct contexts *);

/* Return the epoch of the contexts, which goes up when more may be known. */
unsigned contexts_generation(const struct contexts *); /* 0 for NULL */

/* Return how many cells of a trace are known, from the first on; UINT64_MAX if it has no
 * contexts. */
uint64_t contexts_known(struct contexts *, const struct trace *);
size_t contexts_memory(struct contexts *); /* bytes */
/* Set the largest number of entries of a trace; before contexts_start(). */
void contexts_limit(struct contexts *, size_t entries);

/* Result of a position search that speeds up the next one. */
struct context_hint {
	int64_t order; /* no message of the cell before `at` has a later time */
	uint64_t cell;
	size_t at;
	uint64_t generation; /* of index and trace */
};

/* Latest times up to some cells, which searches need again and again. */
struct context_latest {
	uint64_t generation; /* of index and trace */
	struct {
		uint64_t behind; /* 1 + the cell; 0: none */
		int64_t order;
	} at[64]; /* by the low bits of the cell */
};

/* Position in another trace at the time of a message. */
struct context_position {
	struct position at; /* the last message there that is not later */
	/* the first and last possible `at` within the error of the times */
	struct position least, most;
	bool open; /* the error is unlimited */
	struct context_hint hints[3];
	struct context_latest latest;
};

/*
 * Relation of traces in time. FIND returns the position in READER's trace at the time of
 * M, a message of FROM, or false if it is unknown. The position of the previous message
 * (zeroed at first) makes messages in order faster and has no other effect. Without FIND,
 * contexts hold in no other trace.
 */
typedef bool context_relate(void *, const struct trace *from, const struct message *m,
			    struct reader *reader, struct context_position *);
void contexts_relate(struct contexts *, context_relate *find, void *context);

/* Make a cursor for messages of TRACE. */
struct context_cursor *context_cursor_new(struct contexts *, struct trace *);
void context_cursor_free(struct context_cursor *);

/* Find the value of CONTEXT at M, including a value that M sets. Return false if it does not
 * apply to such messages. Messages in order are cheapest. Otherwise the cost in a known trace is
 * at most a walk of M's cell and a few cells before it. */
bool context_value(struct contexts *, struct context_cursor *, const struct message *m,
		   unsigned context, struct context_value *);

/* Find the value, at M's time, of a context that does not apply to M, in a trace that has it.
 * Return false if there is none, or none is known yet. */
bool context_elsewhere(struct contexts *, struct context_cursor *, const struct message *m,
		       unsigned context, struct context_value *);

/* Find the end of a value that context_value() returned for M. */
void context_end(struct contexts *, struct context_cursor *, const struct message *m,
		 unsigned context, const struct context_value *, struct context_end *);

/* Append the value as people read it; not safe for the terminal yet. */
void context_text(struct contexts *, struct context_cursor *, unsigned context,
		  const struct context_value *, struct text *);

/* Find the next (FORWARD) or previous message at which a context of this trace gets a value. M
 * NULL: the last one of the trace. NONE: there is none; LATER: none is known yet. */
enum context_state context_step(struct contexts *, struct context_cursor *, const struct message *m,
				bool forward, struct message_id *);

/* --- along a trace --------------------------------------------------------- */

/* A message at which a context of an origin changes, or becomes doubtful. BEGINS: it gets
 * another value, or is set again after doubt. */
struct context_turn {
	unsigned context;
	uint64_t origin; /* 0 if it is of the whole trace */
	bool begins;
	struct message message;
	struct context_value value; /* `since` is the ID of the message where it BEGINS */
};

/* A walk through a trace from its start, in a thread with its own reader. */
struct context_turns;
typedef void context_turns_take(void *, const struct context_turn *);

/* Return NULL if no message of the trace carries a context. */
struct context_turns *context_turns_new(struct contexts *, struct trace *);
void context_turns_free(struct context_turns *); /* NULL is fine */

/* Pass the turns of the next cell to TAKE; those with the same context and origin are in order.
 * Return false if no further cell can be read yet. When the epoch of the trace or its index goes
 * up, start again with a new walk. */
bool context_turns_next(struct context_turns *, context_turns_take *take, void *);

/* Append the value of the turn passed to TAKE, as people read it. Not safe for the terminal yet. */
void context_turns_text(struct context_turns *, const struct context_turn *, struct text *);

#endif
