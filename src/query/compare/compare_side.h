/*
 * One of two compared runs: its messages by trace and origin, as tokens.
 *
 * A token stands for the type of a message, its text with numbers masked, and its
 * flags of doubt. Texts are not kept; compare_texts_get() builds them again from a
 * message's number. Memory: 32 bytes a message, at most 48 while reading.
 *
 * Threads: one thread reads a side; then it does not change.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_SIDE_H
#define TRAWL_QUERY_COMPARE_COMPARE_SIDE_H

#include "base/lower_bound.h"
#include "query/filter/filter.h"
#include "trace/doubts.h"

#include <stdatomic.h>

struct session;

#define COMPARE_NO_TIME INT64_MIN

/* A message of BAD in several good runs. */
struct compare_span {
	double least, second, most; /* ns that it came later after the last message of both */
	uint32_t runs, lacking;	    /* number of runs with these times, and without the message */
};

/* The messages of one origin of one trace, in their order. */
struct compare_stream {
	size_t trace;	       /* number of the trace in the session */
	uint64_t name, alike;  /* hash of the origin's text; the same with numbers masked */
	bool timed;	       /* times are in nanoseconds, not ticks or absent */
	VEC(uint64_t) tokens;  /* flags of doubt in the lowest four bits */
	VEC(uint64_t) exact;   /* the same without masking */
	VEC(int64_t) times;    /* session times, or COMPARE_NO_TIME */
	VEC(uint64_t) numbers; /* numbers in the trace */
	struct compare_span *spans; /* of BAD with several good runs, by message, else NULL */
};

/* Return the index of the message with a number, or of the first one after it. */
static inline size_t
compare_stream_find(const struct compare_stream *stream, uint64_t number)
{
	size_t at;
	lower_bound(at, stream->numbers.count, stream->numbers.at[at] < number);
	return at;
}

struct compare_side {
	/* set by the owner, borrowed */
	struct session *session;
	const struct filter *filter; /* only passing messages; not used elsewhere during the run */
	const char *source;	     /* names of traces to read, separated by commas; NULL:
					all */
	const atomic_bool *stop;     /* or NULL */

	VEC(struct compare_stream *) streams; /* by trace, then by first occurrence */
	uint64_t messages;
	int64_t begin;	      /* earliest time, or COMPARE_NO_TIME */
	struct doubts doubts; /* of all decoded messages, even those that do not pass */
};

/* Wait for the ends of the captures, build their indexes and read all messages. Return false if
 * stopped. */
bool compare_side_read(struct compare_side *);
void compare_side_free(struct compare_side *);

/* Readers that build texts again: one for each trace of a session, created at first use.
 * Zero-initialise. */
struct compare_texts {
	struct session *session;
	VEC(struct reader *) readers;
};
void compare_texts_free(struct compare_texts *);

/* Return the reader of a trace; borrowed. */
struct reader *compare_texts_reader(struct compare_texts *, size_t trace);

/* Find a message by its number and expand it. Return false if it is no longer there. */
bool compare_texts_get(struct compare_texts *, size_t trace, uint64_t number, struct message *,
		       struct expansion *);

#endif
