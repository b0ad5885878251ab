/*
 * Message counts for each column of a timeline.
 *
 * A window is a number of columns of equal length, on the clock of one trace. A lane is a
 * trace, or one origin of a trace. A job adds the counts of the index cells that lie within
 * one column. It decodes the cells that cross a border, about one for each column, up to a
 * bound. The counts of the others are spread evenly over their columns. The first answer
 * decodes for some ms, whatever the size of the capture. If that was not enough, a better
 * one follows.
 *
 * With a filter, messages that pass and other messages are counted separately. Match sets
 * or cell summaries give the number that pass in a cell. Only cells across a border are
 * decoded. If some messages of a cell pass, their severities are estimated.
 *
 * The index counts origins in groups of cells only. The lane of an origin is exact where
 * groups lie within columns, or where the window holds few enough cells.
 *
 * Contexts cover all origins. context_spans.h gives their cost.
 *
 * Cost: some ns per cell for each new window, and 24 bytes per cell kept. Links cost a few
 * us per column and relation between two traces.
 *
 * Threads: the session's owner makes all calls.
 */
#ifndef TRAWL_QUERY_DENSITY_H
#define TRAWL_QUERY_DENSITY_H

#include "query/matches.h"
#include "query/track.h"

struct density;
struct plot;
struct plot_answer;
struct session;

enum {
	DENSITY_COLUMNS_MAX = 1024,
	DENSITY_LANES_MAX = 256,
	DENSITY_NAME = 32,
	DENSITY_STATES_MAX = 64
};

struct density_lane {
	size_t trace; /* index in the session */
	bool by_origin;
	uint64_t origin; /* raw key */
};

/* Column I covers the times [from + I * step, from + (I + 1) * step). */
struct density_window {
	size_t trace; /* gives the clock; unrelated lanes are apart */
	bool fit;     /* show everything; the answer sets `from` and `step` */
	int64_t from;
	uint64_t step; /* at least 1 */
	size_t columns;
};

/* The filter and its match sets. */
struct density_filter {
	const struct filter *filter;  /* borrowed during the call */
	struct matches *const *known; /* match sets of this filter, one per trace; borrowed
					 during the call */
};

struct density_column {
	uint64_t severities[SEVERITY_COUNT]; /* of messages that pass */
	uint64_t hidden;		     /* number of messages that do not pass */
	uint64_t estimated;		     /* number of messages in `severities` that may
						belong to a column nearby */
	bool shared;			     /* only the sum of the severities is exact */
	uint16_t flags;			     /* flags of all its messages: enum message_flag */
	bool open;			     /* counts and `flags` may still grow */
};

/* A context of an origin, or of a trace if ORIGIN is 0. */
struct density_state {
	unsigned context;
	size_t trace;
	uint64_t origin;
	struct message_id first; /* first message with this context */
};

/* The value of a state over some columns. */
struct density_span {
	size_t state;	 /* index in `states` */
	size_t from, to; /* columns, both included */
	bool doubtful;
	bool dense;		 /* several values in each column; this is the last */
	char text[DENSITY_NAME]; /* not safe yet */
};

/* A time of one trace and its counterpart in another. See clocks.h. */
struct density_link {
	size_t a, b;	  /* the traces */
	int64_t from, to; /* columns; -1 or the column count: out of sight, at most one is */
	bool rejected;
};

struct density_answer {
	struct density_window window;
	/* unit and range of the indexed times: */
	enum track_unit unit;
	bool wall, plain;    /* as in struct track */
	enum zone zone;	     /* of the times, if `wall` */
	int64_t first, last; /* first > last: no messages */
	bool complete;	     /* the related traces are completely indexed */
	bool final;	     /* the best answer from the current index */
	size_t lanes;
	bool apart[DENSITY_LANES_MAX];	/* its clock is not related to the window's */
	struct density_column *columns; /* window.columns entries for each lane */
	/* of the traces that have lanes, sorted by context, trace and origin */
	VEC(struct density_state) states; /* at most DENSITY_STATES_MAX */
	size_t states_left;		  /* number of states that did not fit */
	VEC(struct density_span) spans;	  /* grouped by state */
	VEC(struct density_link) links;	  /* at most two for each relation and column */
	VEC(struct plot_answer *) plots;  /* of the plots set */
};

/* The session must outlive the result. session_signal() announces better answers. */
struct density *density_new(struct session *);
void density_free(struct density *); /* NULL is fine */

/* Add a plot (query/plot.h), which must outlive it, to all answers. Before the first question. */
void density_add_plot(struct density *, struct plot *);

/* Return the best answer to this question, after waiting some ms at most. If there is none
 * yet, return the last answer, or NULL before the first. session_signal() announces better
 * answers. Borrowed until the next call. */
const struct density_answer *density_ask(struct density *, const struct density_window *,
					 const struct density_lane *, size_t lanes,
					 bool with_contexts,
					 const struct density_filter * /* NULL: all */);

/* True if a better answer than the last returned one is ready. */
bool density_has_news(struct density *);

/* Return the final answer without a thread, for tests and batch output. */
const struct density_answer *density_load(struct density *, const struct density_window *,
					  const struct density_lane *, size_t lanes,
					  bool with_contexts, const struct density_filter *);

/* Clamp a time to the range of int64_t. */
static inline int64_t
density_clamp_time(__int128 time)
{
	return time > INT64_MAX ? INT64_MAX : time < INT64_MIN ? INT64_MIN : (int64_t)time;
}

/* Return the first or last time of a column, or the column of a time. Columns may be out of
 * sight. */
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
