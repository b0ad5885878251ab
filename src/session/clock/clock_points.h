/*
 * What the captures of a session tell of how clocks go together: for clocks.c.
 *
 * A feed for each trace looks at the cells that its index knows, those alone whose
 * summaries tell of sync points, and notes points of links.  A link is between
 * two clocks, which are named by what they are, not by numbers.
 *
 * Threads: one at a time.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_POINTS_H
#define TRAWL_SESSION_CLOCK_CLOCK_POINTS_H

#include "session/clock/relation.h"
#include "trace/reader.h"

struct background;
struct session;
struct serial_cursor;
struct clock_feed;

enum clock_kind {
	CLOCK_WALL,   /* nanoseconds since 1970 */
	CLOCK_TRACE,  /* of a transport */
	CLOCK_GROUP,  /* of a snapshot: all its buffers; trace is its first one */
	CLOCK_PLACES, /* of a trace without times: where a message lies */
	CLOCK_CORE,   /* UIA: of the core `key` */
	CLOCK_GLOBAL, /* UIA: the time of all cores, by its rate */
	CLOCK_STAMPS, /* SyS-T: of the messages' own time stamps, as the profile says */
	CLOCK_CLIENT, /* SyS-T: of the sender `key` */
	CLOCK_HART,   /* E-Trace: of the source `key` */
	CLOCK_ORIGIN, /* whose rate the profile gives; `key` is the origin */
	CLOCK_STEADY  /* nanoseconds of a trace whose rate changes */
};

struct clock_id {
	enum clock_kind kind;
	size_t trace;
	uint64_t key;
};

/* What relates two clocks. */
struct clock_link {
	const char *kind; /* a static word */
	struct clock_id a, b;
	double hz_a, hz_b; /* 0: unknown */
	double told_b;	   /* what the profile says instead of hz_b; 0: nothing */
	bool uneven;
	size_t owner;		/* trace of the points' places */
	struct relation points; /* only `points`, `seen` and `stride` of it */
	uint32_t sender;	/* of a client: master and channel */
	uint64_t origin;	/* and its key without them */
};

/* How a format tells of other clocks: which kinds of message do, and what is
 * made of one. */
struct clock_source {
	const char *format;
	uint64_t kinds;
	uint16_t flags; /* and they have one of these; 0: any */
	/* False: not yet, ask again. */
	bool (*look)(struct clock_feed *, const struct message *);
	bool from_log; /* it takes a log's events */
	/* The links, if all that is found is in the trace alone: their kind, and of
	 * their clocks. */
	const char *link;
	enum clock_kind a, b;
};

/* A rate that an STP stream announces from some tick on. */
struct rate_change {
	uint64_t ticks, hz;
};

/* Looks for points in one trace. */
struct clock_feed {
	struct clock_points *points;
	struct trace *trace;
	size_t number;			   /* in the session */
	const struct clock_source *source; /* NULL: nothing to be found */
	struct reader *reader, *log;	   /* made on first use */
	struct serial_cursor *cursor;
	struct expansion e;
	uint64_t next;	/* cell to look at */
	unsigned epoch; /* of the index */
	uint64_t last_ticks;
	uint64_t global;  /* UIA's global time met last, 0 = none */
	size_t origins;	  /* that were looked at */
	uint64_t decoded; /* cells */
	bool kept;	  /* in a file, as far as it is worth one */
	VEC(struct rate_change) rates;
};

struct clock_points {
	struct session *session;
	struct background *thread;	/* to be obeyed when it is to stop */
	VEC(struct clock_feed) feeds;	/* as the session's traces */
	VEC(struct clock_link *) links; /* owned; found so far */
	bool crowded;			/* there were more */
};

/* The session is borrowed until clock_points_close. */
void clock_points_open(struct clock_points *, struct session *, struct background *);
void clock_points_close(struct clock_points *);

/* Looks on as far as the indexes are known.  True if something that was found
 * before does not hold any more. */
bool clock_points_look(struct clock_points *);

/* The link that a feed's source makes between two clocks with these keys, made if
 * it is new; NULL: there are too many. */
struct clock_link *clock_points_link(struct clock_feed *, uint64_t key_a, uint64_t key_b);

/* How many points were found, and whether they are all there will be. */
uint64_t clock_points_count(const struct clock_points *);
bool clock_points_are_all(const struct clock_points *);

/* Whether there may be points in a trace at all. */
bool clock_points_may_have(const struct clock_points *, size_t trace);

/* The clock that most messages of a trace have. */
struct clock_id clock_id_of(const struct session *, size_t trace);
bool clock_id_same(const struct clock_id *, const struct clock_id *);

bool clock_is_stp(const struct trace *);
bool clock_is_format(const struct trace *, const char *format);

#endif
