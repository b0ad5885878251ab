/*
 * One of two runs that are compared: its messages by trace and origin, as tokens.
 *
 * A token stands for the type of a message, its text with numbers masked, and its flags of
 * doubt.  Texts are not kept: they are made again from a message's number.  Memory: 24
 * bytes a message, at most 36 while it is read.
 *
 * Threads: a side is read in one thread; then it does not change.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_SIDE_H
#define TRAWL_QUERY_COMPARE_COMPARE_SIDE_H

#include "query/filter/filter.h"
#include "trace/doubts.h"

#include <stdatomic.h>

struct session;

#define COMPARE_NO_TIME INT64_MIN

/* The messages of one origin of one trace, in their order. */
struct compare_stream {
	size_t trace;	       /* of the session */
	uint64_t name, alike;  /* hashes of the origin's text, and with numbers masked */
	bool timed;	       /* times are nanoseconds; else ticks, or there are none */
	VEC(uint64_t) tokens;  /* the lowest four bits: its flags of doubt */
	VEC(int64_t) times;    /* of the session, or COMPARE_NO_TIME */
	VEC(uint64_t) numbers; /* in the trace */
};

struct compare_side {
	/* set by the owner, borrowed */
	struct session *session;
	const struct filter *filter; /* only messages that pass; not used elsewhere meanwhile */
	const char *source;	     /* only these traces, with commas; NULL: all */
	const atomic_bool *stop;     /* NULL: runs to the end */

	VEC(struct compare_stream *) streams; /* by trace, then as they first occur */
	uint64_t messages;
	int64_t begin;	      /* the first time of all, or COMPARE_NO_TIME */
	struct doubts doubts; /* in all that was decoded, whatever passes */
};

/* Reads all messages, after it waited for the ends of the captures and built their
 * indexes; false if it was stopped. */
bool compare_side_read(struct compare_side *);
void compare_side_free(struct compare_side *);

/* Who looks at texts: a reader of each trace of a session, made when it is needed.
 * Zero-initialise. */
struct compare_texts {
	struct session *session;
	VEC(struct reader *) readers;
};
void compare_texts_free(struct compare_texts *);

/* The reader of a trace; borrowed. */
struct reader *compare_texts_reader(struct compare_texts *, size_t trace);

/* Finds a message by its number and expands it; false if it is there no more. */
bool compare_texts_get(struct compare_texts *, size_t trace, uint64_t number, struct message *,
		       struct expansion *);

#endif
