/*
 * Numbers over time: the least, the greatest and how many in each column of a timeline.
 *
 * A plot has the numbers of one name in the messages that pass a filter, of all traces, shown or
 * not. The length of an interval counts at the message that ends it. Numbers of messages without
 * a time are only counted. In a trace without any time, offsets serve as times.
 *
 * A plot reads each message once and keeps a summary of each run of messages in a cell. An answer
 * adds the runs within a column. Only runs across the borders of columns are read again, so the
 * result is exact at any zoom.
 *
 * Cost: once that of expanding messages. Then some ns a run, and decoding a cell for each border.
 *
 * Memory: 112 bytes a run, with octaves 272. A cell has up to 32 runs, of 64 messages or more;
 * fewer if there would be more than PLOT_RUNS (28 MiB; with octaves half of it, 34 MiB), but at
 * least one.
 *
 * Threads: one at a time, except plot_add_number() and plot_explain_absent().
 */
#ifndef TRAWL_QUERY_PLOT_H
#define TRAWL_QUERY_PLOT_H

#include "query/density.h"

enum {
	PLOT_RUNS = 1 << 18,
	PLOT_OCTAVES = 40 /* octave I: from 2^I up to 2^(I+1); the ends have the rest */
};

/* Some numbers. Of equal ones, the first has the place. */
struct plot_range {
	uint64_t count; /* 0: the rest is not set */
	long double min, max;
	struct plot_place {
		uint64_t cell;
		uint32_t at, trace; /* `at`: as in struct position */
	} min_at, max_at;
};

struct plot_answer {
	struct plot_range all; /* of the window */
	uint32_t *octaves;     /* PLOT_OCTAVES for each column, or NULL */
	uint64_t untimed;      /* numbers without a time on the clock of the window */
	uint64_t others;       /* values that are no numbers */
	bool waits;	       /* pairs of the interval are still searched */
	bool final;	       /* the best answer from the current index */
	struct plot_range columns[];
};

/* Create a plot of NAME (as for value_name_new) in the messages of a trace or an origin, or that
 * pass a filter (OF; NULL: all). OCTAVES: also count by octave. Return NULL with a reason if the
 * name has no numbers, or if the filter is wrong or depends on other messages. */
struct plot *plot_new(struct session *, const char *name, const char *of, bool octaves,
		      struct err *);
void plot_free(struct plot *);
uint64_t plot_generation(const struct plot *); /* an epoch of all that the numbers depend on */

typedef bool plot_stop(void *context); /* called after each cell */

/* Read the indexed messages, until STOP(CONTEXT). Start again if the generation or the unit of
 * times changed. Return true at the end. */
bool plot_extend(struct plot *, enum track_unit, plot_stop *stop, void *context);

/* Make an answer, which is not final if STOP(CONTEXT) ends the reading of borders. */
struct plot_answer *plot_answer_new(struct plot *, const struct density_window *, plot_stop *stop,
				    void *context);
void plot_answer_free(struct plot_answer *);
size_t plot_octave(long double number);

/* Append the number of a message as its field shows it, not safe yet. READER: of its trace. */
void plot_add_number(const struct plot *, const struct plot_place *, struct reader *,
		     struct text *);

/* Append a sentence if no message passed the filter, or if none had a value of this name, with the
 * nearest name. */
void plot_explain_absent(const struct plot *, struct text *);

#endif
