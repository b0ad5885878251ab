/*
 * Clock points from one capture, for clock_points.c.
 *
 * A feed decodes the indexed cells with sync points in their summaries, and adds the
 * points to its links.
 *
 * Threads: one at a time.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_FEED_H
#define TRAWL_SESSION_CLOCK_CLOCK_FEED_H

#include "session/clock/clock_link.h"
#include "trace/reader.h"

struct job;
struct serial_cursor;

/* A rate that a transport announces, valid from a tick on. */
struct rate_change {
	uint64_t ticks, hz;
};

/* A search for points in one trace. */
struct clock_feed {
	struct session *session;
	struct trace *trace;
	size_t number;			   /* in the session */
	struct clock_links *links;	   /* borrowed; of all traces */
	const struct clock_source *source; /* NULL: the trace has no points */
	struct reader *reader, *log;	   /* made on first use */
	struct serial_cursor *cursor;
	struct expansion e;
	uint64_t next;				 /* next cell to look at */
	uint64_t generation, capture_generation; /* of the index and its capture */
	uint64_t last_ticks;
	uint64_t global;    /* last global time found in the log, 0 = none */
	bool global_sought; /* the beginning of the log has been searched for it */
	size_t origins;	    /* number of origins looked at */
	VEC(uint64_t) keys; /* keys of the messages' clocks (`key` of the source), in order of
			     * appearance */
	uint64_t decoded;   /* number of cells */
	bool kept;	    /* in a file, or not worth one */
	VEC(struct rate_change) rates;
	VEC(uint64_t) restarts; /* offsets where the transport's clock starts again */
	uint64_t restart_next;	/* next cell to search for restarts */
	bool reopened;		/* cells that were looked at are being indexed again */
};

/* Open the feed of trace NUMBER. Session and LINKS are borrowed until clock_feed_close(). */
void clock_feed_open(struct clock_feed *, struct session *, size_t number, struct clock_links *);
void clock_feed_close(struct clock_feed *);

/* Build the trace's index and collect the readings that its scan finds anyway. */
void clock_feed_build(struct clock_feed *);

/* Look at the newly indexed cells, until the thread must stop. */
void clock_feed_look(struct clock_feed *, struct job *);

/* True if all indexed cells have been looked at. */
bool clock_feed_is_done(const struct clock_feed *);

/* Drop all points: the capture shrank or was replaced. */
void clock_feed_forget(struct clock_feed *);

/* Return the source's link between the clocks with these keys, made if new; NULL: too many. */
struct clock_link *clock_feed_link(struct clock_feed *, uint64_t key_a, uint64_t key_b);

/* Set the profile's rates in links that were read from a file. */
void clock_feed_add_configured_rates(struct clock_feed *);

#endif
