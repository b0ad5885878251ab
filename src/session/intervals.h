/*
 * Intervals of a session: pairs of messages, begin and end.
 *
 * This file has their profile entries, and the hook through which filters, values
 * and exports get their lengths. The code that makes the pairs (query/interval)
 * sets the hook.
 */
#ifndef TRAWL_SESSION_INTERVALS_H
#define TRAWL_SESSION_INTERVALS_H

#include "base/option.h"
#include "trace/reader.h"

/* An entry of `intervals:`. */
struct interval_options {
	char *name;
	char *begin, *end; /* filters */
	char *key;	   /* names separated by commas, or NULL */
	bool across;	   /* begin and end may be of different origins */
};
extern const struct option_table interval_options_table;

struct interval_length {
	int64_t length; /* from begin to end; negative if clocks disagree by that much */
	bool ticks;	/* in ticks, since the rate of the clock is not known */
	bool doubtful;	/* a trace of the pair lost messages in between */
};

/* Threads: any, except for the functions that session.c calls. */
struct session_intervals {
	void *context;
	size_t (*count)(void *context);
	const char *(*name)(void *context, size_t interval);

	/* Find the length of the pair that a message ends. Unless ENDS, a message that only
	 * begins a pair has its length, too. Return false for other messages, or if the length
	 * is not known or not yet found. */
	bool (*find)(void *context, size_t interval, struct reader *, const struct message *,
		     bool ends, struct interval_length *);

	/* Return an epoch that goes up when find() may find other pairs. */
	unsigned (*generation)(void *context);

	/* Return how many cells all indexes had when the messages of all their cells were searched.
	 * The pairs that end there do not change until *STARTS (unless NULL) goes up. */
	uint64_t (*searched)(void *context, unsigned *starts);

	/* Find all pairs in this thread, for batch output. The caller has loaded clocks and
	 * contexts and built the indexes. */
	void (*load)(void *context);

	/* For the session. unlink: give up threads and readers until start. start: threads may
	 * run. wake: an index advanced. */
	void (*unlink)(void *context);
	void (*start)(void *context);
	void (*wake)(void *context);
};

/* Find the interval called NAME. Return false if there is none or HOOK is NULL. */
bool session_intervals_find(const struct session_intervals *hook, const char *name,
			    size_t *interval);

/* Return the name of interval AT, for nearest_hint(). HOOK may be NULL. */
const char *session_intervals_next(void *hook, size_t at);

#endif
