/*
 * Intervals of a session: pairs of messages, one that begins and one that ends.
 *
 * What a profile says of them, and the hook by which filters, values and exports ask for
 * their lengths.  Who makes the pairs (query/interval) sets it.
 */
#ifndef TRAWL_SESSION_INTERVALS_H
#define TRAWL_SESSION_INTERVALS_H

#include "base/option.h"
#include "trace/reader.h"

/* An entry of `intervals:`. */
struct interval_options {
	char *name;
	char *begin, *end; /* filters */
	char *key;	   /* names with commas between, or NULL */
	bool across;	   /* begin and end may be of different origins */
};
extern const struct option_table interval_options_table;

struct interval_length {
	int64_t length; /* from begin to end; negative where clocks are that far off */
	bool ticks;	/* not nanoseconds: the rate of the clock is not known */
	bool doubtful;	/* messages of a trace of the pair were lost between */
};

/* Threads: any, but for those that session.c calls. */
struct session_intervals {
	void *context;
	size_t (*count)(void *context);
	const char *(*name)(void *context, size_t interval);

	/* The length of the pair that a message ends or, unless ENDS, begins (if it does
	 * both, of the one that it ends); false if it does neither, the length is not
	 * known, or not found so far. */
	bool (*find)(void *context, size_t interval, struct reader *, const struct message *,
		     bool ends, struct interval_length *);

	/* Counts up when it may find others than before. */
	unsigned (*generation)(void *context);

	/* For batch output: finds all pairs, in this thread.  Clocks and contexts are
	 * loaded and the indexes built before. */
	void (*load)(void *context);

	/* For the session: threads and readers are to be given up, and may be had again;
	 * a thread may be started; an index went on. */
	void (*unlink)(void *context);
	void (*start)(void *context);
	void (*wake)(void *context);
};

/* Which interval is called NAME; false: none, also for HOOK NULL. */
bool session_intervals_find(const struct session_intervals *hook, const char *name,
			    size_t *interval);

#endif
