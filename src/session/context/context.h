/*
 * Contexts: what was true at a message, by messages that said so: the task
 * that ran, the overlay that was loaded, the privilege of a hart.
 *
 * A context has a value from the message that carries it until the next one
 * that does, for each origin by itself (or for all of the trace).  It is
 * doubtful from the first message on that is loss or damage, of that
 * origin or of none, until the next one that carries it.
 *
 * An origin is a sender by its raw key.  Two senders that are shown under one name, as a client
 * on two channels or as a profile may call them, have states of their own: of what both say in
 * turn would come states that neither had.
 *
 * A struct contexts is shared by all threads, a cursor belongs to one.
 */
#ifndef TRAWL_SESSION_CONTEXT_CONTEXT_H
#define TRAWL_SESSION_CONTEXT_CONTEXT_H

#include "session/context/context_rule.h"
#include "trace/reader.h"

struct contexts;
struct session;
struct context_cursor;

enum context_state {
	CONTEXT_LATER,	 /* what is known so far does not tell */
	CONTEXT_NONE,	 /* no message has said anything yet */
	CONTEXT_UNKNOWN, /* it changed, but not to what is known */
	CONTEXT_KNOWN
};

struct context_value {
	enum context_state state;
	/* if KNOWN or UNKNOWN: */
	bool doubtful;	/* something was lost since, or, in another trace, it changed when
			   it is uncertain which was first */
	bool recovered; /* the message itself was lost in part */
	bool earlier;	/* it may have been so before `since` already */
	struct trace *trace;
	struct message_id since; /* the message that began it */
	bool timed;
	uint64_t ticks; /* of that message, if timed */
	/* if KNOWN: */
	bool is_number;
	uint64_t number;
	const char *name; /* by the profile or the format, or NULL */
	uint64_t value;	  /* equal for equal values */
	uint16_t row;	  /* of the field, in its format's table */
};

/* Where it ends. */
struct context_end {
	enum context_state state; /* LATER; NONE: it lasts to the end; KNOWN: */
	struct message_id id;
	bool timed;
	uint64_t ticks;
};

/* Of all traces that are open now, and the session's profile; borrowed until
 * contexts_free.  NULL if there are none. */
struct contexts *contexts_new(struct session *);
void contexts_free(struct contexts *); /* stops its thread; NULL is fine */

size_t contexts_count(const struct contexts *); /* 0 for NULL */
const char *contexts_name(const struct contexts *, unsigned context);
bool contexts_find(const struct contexts *, const char *name, unsigned *context);
/* Whether it holds for all of a trace, not for each origin by itself. */
bool contexts_is_per_trace(const struct contexts *, unsigned context);
/* Whether it is the profile that defines them. */
bool contexts_defined(const struct contexts *);
/* What is wrong with the definitions, or NULL. */
const char *contexts_complaint(const struct contexts *);

/* For batch output: builds the indexes of the traces that carry contexts; from
 * now on cursors walk as far as it takes. */
void contexts_load(struct contexts *);

/* From the first cursor on, looks through the traces in a thread of its own, at
 * low priority, as far as their indexes are known; NOTIFY now and then.  Twice
 * is once.  contexts_wake: an index went on. */
void contexts_start(struct contexts *);
void contexts_wake(struct contexts *);

/* Counts up when more may be known than before. */
unsigned contexts_generation(const struct contexts *); /* 0 for NULL */

/* How many cells of a trace, from the first on, are known; UINT64_MAX where
 * nothing in it matters. */
uint64_t contexts_known(struct contexts *, const struct trace *);
size_t contexts_memory(struct contexts *); /* bytes */
/* How many entries are kept of a trace at most; before contexts_start. */
void contexts_limit(struct contexts *, size_t entries);

/* What a search for a position leaves for the next one. */
struct context_hint {
	int64_t order; /* no message of the cell before `at` is later than that */
	uint64_t cell;
	size_t at;
	unsigned generation; /* of index and trace */
};

/* The latest times up to some cells that searches ask for again and again. */
struct context_latest {
	unsigned generation; /* as above */
	struct {
		uint64_t behind; /* 1 + the cell; 0: none */
		int64_t order;
	} at[64]; /* by the last bits of the cell */
};

/* Where a message of one trace stands in another one. */
struct context_position {
	struct position at; /* the last message there that is not later */
	/* the same if times are off by as much as they may be */
	struct position least, most;
	bool open; /* nothing limits that */
	struct context_hint hints[3];
	struct context_latest latest;
};

/*
 * How traces are related in time: FIND gives the position in READER's trace at the
 * time of M of FROM; false if that is not known.  What the position was for the message
 * before, zeroed at first, makes that faster where messages come in order, but nothing
 * else of it.  Without FIND contexts hold for no other trace.
 */
typedef bool context_relate(void *, const struct trace *from, const struct message *m,
			    struct reader *reader, struct context_position *);
void contexts_relate(struct contexts *, context_relate *find, void *context);

/* For messages of TRACE. */
struct context_cursor *context_cursor_new(struct contexts *, struct trace *);
void context_cursor_free(struct context_cursor *);

/* What CONTEXT was at M, which may itself set it.  False if it does not apply
 * to such messages.  Cheapest when messages come in order; else it costs a walk
 * of M's cell at most once the trace is known, and a few cells before. */
bool context_value(struct contexts *, struct context_cursor *, const struct message *m,
		   unsigned context, struct context_value *);

/* What a context that does not apply to M is at its time in a trace that has it.
 * False if there is none, or it is not known (yet). */
bool context_elsewhere(struct contexts *, struct context_cursor *, const struct message *m,
		       unsigned context, struct context_value *);

/* Where a value that context_value has given for M ends. */
void context_end(struct contexts *, struct context_cursor *, const struct message *m,
		 unsigned context, const struct context_value *, struct context_end *);

/* The value as people read it, appended; not safe yet. */
void context_text(struct contexts *, struct context_cursor *, unsigned context,
		  const struct context_value *, struct text *);

/* The next (FORWARD) or previous message at which a context of this trace gets
 * a value; M NULL: the last one of all.  NONE: there is none; LATER: none is known
 * so far. */
enum context_state context_step(struct contexts *, struct context_cursor *, const struct message *m,
				bool forward, struct message_id *);

/* --- along a trace --------------------------------------------------------- */

/* A message from which on a context of an origin has another value (BEGINS), is told again
 * after it was doubtful (likewise), or is doubtful. */
struct context_turn {
	unsigned context;
	uint64_t origin; /* 0 if it is of the whole trace */
	bool begins;
	struct message message;
	struct context_value value; /* `since` is the ID of the message where it BEGINS */
};

/* A walk through a trace from its start, in a thread of its own reader. */
struct context_turns;
typedef void context_turns_take(void *, const struct context_turn *);

/* NULL if no message of the trace carries a context. */
struct context_turns *context_turns_new(struct contexts *, struct trace *);
void context_turns_free(struct context_turns *); /* NULL is fine */

/* Gives TAKE the turns of the next cell, those of each context and origin in their order;
 * false: there is no further cell that can be read by now.  When the trace's generation or
 * its index's counts up, all is to be begun anew. */
bool context_turns_next(struct context_turns *, context_turns_take *take, void *);

/* Appends the value of the turn that TAKE has, as people read it.  Not safe yet. */
void context_turns_text(struct context_turns *, const struct context_turn *, struct text *);

#endif
