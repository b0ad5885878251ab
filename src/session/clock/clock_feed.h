/*
 * What one capture says of how clocks go together: for clock_points.c.
 *
 * A feed looks at the indexed cells, those alone whose summaries have sync
 * points, and notes points of links.
 *
 * Threads: one at a time.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_FEED_H
#define TRAWL_SESSION_CLOCK_CLOCK_FEED_H

#include "session/clock/clock_link.h"
#include "trace/reader.h"

struct job;
struct serial_cursor;

/* A rate that a transport announces from some tick on. */
struct rate_change {
	uint64_t ticks, hz;
};

/* Looks for points in one trace. */
struct clock_feed {
	struct session *session;
	struct trace *trace;
	size_t number;			   /* in the session */
	struct clock_links *links;	   /* borrowed; of all traces */
	const struct clock_source *source; /* NULL: nothing to be found */
	struct reader *reader, *log;	   /* made on first use */
	struct serial_cursor *cursor;
	struct expansion e;
	uint64_t next;	     /* cell to look at */
	unsigned generation; /* of the index */
	uint64_t last_ticks;
	uint64_t global;    /* global time of the log met last, 0 = none */
	bool global_sought; /* at the beginning of the log */
	size_t origins;	    /* that were looked at */
	VEC(uint64_t) keys; /* clocks that messages are stamped by (`key` of the source), in
			       the order in which they came */
	uint64_t decoded;   /* cells */
	bool kept;	    /* in a file, as far as it is worth one */
	VEC(struct rate_change) rates;
	VEC(uint64_t) restarts; /* offsets from which on the transport's clock counts anew */
	uint64_t restart_next;	/* cell to look at for them */
};

/* Of the session's trace NUMBER.  Session and LINKS are borrowed until clock_feed_close. */
void clock_feed_open(struct clock_feed *, struct session *, size_t number, struct clock_links *);
void clock_feed_close(struct clock_feed *);

/* Builds the trace's index, and takes from the cells what the walk reads in them anyway. */
void clock_feed_build(struct clock_feed *);

/* Whether all that can be found is told by messages, each by itself; and whether one of COUNT
 * messages of READER tells anything. */
bool clock_feed_is_told(const struct clock_feed *);
bool clock_feed_is_told_by(struct clock_feed *, struct reader *, const struct message *,
			   size_t count);

/* Looks on as far as the index is known, or the thread is to stop. */
void clock_feed_look(struct clock_feed *, struct job *);

/* Whether all cells that are indexed have been looked at. */
bool clock_feed_is_done(const struct clock_feed *);

/* What was found does not hold: the capture shrank or is another. */
void clock_feed_forget(struct clock_feed *);

/* The link that its source makes between two clocks with these keys, made if it is new;
 * NULL: there are too many. */
struct clock_link *clock_feed_link(struct clock_feed *, uint64_t key_a, uint64_t key_b);

/* Gives links that were kept between runs the rates that the profile says. */
void clock_feed_add_configured_rates(struct clock_feed *);

#endif
