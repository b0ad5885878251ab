/*
 * How many messages fall into each column of a timeline.
 *
 * A window is so many columns of so much time each, of the clock of one trace.
 * For each lane (a trace, or an origin of one) a thread sums up the index's cells
 * that lie within a column, at once, and shares out the others; then it decodes
 * those that lie across a border, of which there is about one for each column,
 * and the counts are exact.  Nothing is decoded to look at a capture of any size
 * for the first time.
 *
 * With a filter, what passes is counted, and how much else there is.  Match sets tell of
 * how many messages of a cell that is, or its summary; only cells across a border are
 * decoded.  The severities of a part of a cell's messages are estimated.
 *
 * Of an origin the index counts groups of cells only; a lane of one is exact
 * where groups lie within columns, or where the window holds few enough cells.
 *
 * Contexts are told for all origins; see context_spans.h for what they cost.
 *
 * Cost: some ns per cell for each new window, 24 bytes per cell kept; a few us per
 * column for the links of each relation between two traces.
 *
 * Threads: all calls by one, the session's owner.
 */
#ifndef TRAWL_QUERY_DENSITY_H
#define TRAWL_QUERY_DENSITY_H

#include "query/matches.h"
#include "query/track.h"

struct density;
struct session;

enum {
	DENSITY_COLUMNS_MAX = 1024,
	DENSITY_LANES_MAX = 256,
	DENSITY_NAME = 32,
	DENSITY_STATES_MAX = 64
};

struct density_lane {
	size_t trace; /* in the session */
	bool by_origin;
	uint64_t origin; /* raw key */
};

/* Column I is [from + I * step, from + (I + 1) * step). */
struct density_window {
	size_t trace; /* whose clock; lanes that it does not relate to are apart */
	bool fit;     /* all of it: `from` and `step` are for the answer to say */
	int64_t from;
	uint64_t step; /* at least 1 */
	size_t columns;
};

/* What is counted, beside what else there is. */
struct density_passing {
	const struct filter *filter;  /* borrowed during the call */
	struct matches *const *known; /* of each trace of the session, of that filter; likewise */
};

struct density_column {
	uint64_t severities[SEVERITY_COUNT]; /* of those that pass */
	uint64_t hidden;		     /* that do not */
	uint64_t estimated;		     /* how many of them may belong to a column nearby */
	bool shared;	/* their sum is known, but of which severity they are is not */
	uint16_t flags; /* of its messages together: enum message_flag */
	bool open;	/* it may have more, as `flags` may */
};

/* A context of an origin, or (ORIGIN 0) of a trace. */
struct density_state {
	unsigned context;
	size_t trace;
	uint64_t origin;
	struct message_id first; /* the message that told it first */
};

/* Its value over some columns. */
struct density_span {
	size_t state;	 /* number of it */
	size_t from, to; /* columns, both belong to it */
	bool doubtful;
	bool dense;		 /* several values in each of the columns: the last of them */
	char text[DENSITY_NAME]; /* not safe yet */
};

/* A moment of a trace and its counterpart in another one: see clocks.h. */
struct density_link {
	size_t a, b;	  /* the traces */
	int64_t from, to; /* columns of both; -1, or their count: out of sight, which is so
			     for one of them at most */
	bool rejected;
};

struct density_answer {
	struct density_window window;
	/* what the times are, and all that is known of them so far: */
	enum track_unit unit;
	bool wall, plain;    /* as of struct track */
	int64_t first, last; /* first > last: nothing */
	bool complete;	     /* that is all there is */
	bool refined;	     /* it will not become better */
	size_t lanes;
	bool apart[DENSITY_LANES_MAX];	/* its clock is not related to the window's */
	struct density_column *columns; /* window.columns for each lane */
	/* of the traces that have lanes, in the order of contexts, traces and origins */
	VEC(struct density_state) states; /* at most DENSITY_STATES_MAX, */
	size_t states_left;		  /* and so many more */
	VEC(struct density_span) spans;	  /* of one state after the other */
	VEC(struct density_link) links;	  /* at most two for each relation and column */
};

/* The session must outlive it; session_signal says that there are better answers. */
struct density *density_new(struct session *);
void density_free(struct density *); /* NULL is fine */

/* What is known of a window: the last answer, NULL before any, at best that to
 * this question, for which it waits some ms.  A better one comes by itself.
 * Borrowed until the next call. */
const struct density_answer *density_ask(struct density *, const struct density_window *,
					 const struct density_lane *, size_t lanes,
					 bool with_contexts,
					 const struct density_passing * /* NULL: all */);

/* Whether there is a better answer than the one given last. */
bool density_has_news(struct density *);

/* The same without a thread, refined: for tests and batch. */
const struct density_answer *density_load(struct density *, const struct density_window *,
					  const struct density_lane *, size_t lanes,
					  bool with_contexts, const struct density_passing *);

/* A time that may be beyond those that there are. */
static inline int64_t
density_clamp_time(__int128 time)
{
	return time > INT64_MAX ? INT64_MAX : time < INT64_MIN ? INT64_MIN : (int64_t)time;
}

/* Where a column of the window begins and ends; it need not be in sight.  And the column that
 * a time is in. */
static inline int64_t
density_column_start(const struct density_window *w, int64_t column)
{
	return density_clamp_time((__int128)w->from + (__int128)column * (__int128)w->step);
}

static inline int64_t
density_column_end(const struct density_window *w, int64_t column)
{
	return density_clamp_time((__int128)w->from + ((__int128)column + 1) * (__int128)w->step -
				  1);
}

static inline int64_t
density_column_of(const struct density_window *w, int64_t time)
{
	__int128 away = (__int128)time - w->from, step = (__int128)w->step;
	return density_clamp_time(away >= 0 ? away / step : -((step - 1 - away) / step));
}

#endif
