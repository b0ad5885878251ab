/*
 * A scan: a walk over the cells of a trace, for messages that pass a filter.
 *
 * For each cell the scan tries the cheapest proof first that no message passes: the counts
 * of a match set, the summary in the index, the bytes of the cell. Only without such a proof
 * it decodes the cell.
 *
 * scan_next() finds one match after the other, in either direction, within a budget. Cells
 * that are not indexed are decoded, too. The screen uses it, through next_match.h.
 *
 * scan_read() is for batch output, where other threads filter. It returns all messages of
 * the cells that may have a match, in order. A cell with a message that is a doubt
 * (trace/doubts.h) is never skipped, so the caller can count the doubts of the whole trace.
 * The index must be complete to skip cells. scan_prepare() builds it if that costs less than
 * it saves. Otherwise scan_read() returns all messages and waits for more, as reader_walk()
 * does.
 *
 * Threads: a scan belongs to one thread, as its reader does. Several threads can divide a
 * trace: each has its own scan, and sets it to one range of cells after another.
 */
#ifndef TRAWL_QUERY_SCAN_H
#define TRAWL_QUERY_SCAN_H

#include "query/filter/filter_pair.h"
#include "query/matches.h"
#include "trace/doubts.h"

/* The next cells are those after `at`, up to `last`. */
struct scan {
	struct reader *reader;	  /* borrowed */
	struct filter_pair *pair; /* borrowed */
	struct matches *known;	  /* match set of `pair`, borrowed; or NULL */
	int direction;
	struct position at; /* everything up to here is searched */
	uint64_t last;	    /* the last cell of the scan, in its direction */
	size_t strand;	    /* only messages of this strand of the trace; or SCAN_ALL_STRANDS */
	bool whole;	    /* find all messages of cells that may have a match or a doubt */

	/* for scan_read() only */
	bool skips;	     /* skip cells; else visit all messages */
	unsigned around;     /* also visit the cells with so many messages around a match */
	unsigned generation; /* of the capture */
	uint64_t next;	     /* number of the next message, if the scan does not skip */
};

enum { SCAN_BATCH = 1024 }; /* messages to read at once: enough to make the calls cheap */

#define SCAN_ALL_STRANDS SIZE_MAX

/* Set up a scan of all cells, forward or backward. */
void scan_init(struct scan *, struct reader *, struct filter_pair *, int direction);

/* Return the position before all messages, in the direction of the scan. */
struct position scan_start(const struct scan *);

enum scan_result { SCAN_FOUND, SCAN_END, SCAN_MORE };

/* True if counts or the summary prove that no message of the cell passes. With `whole`, false
 * for a cell with a doubt. */
bool scan_rules_out(const struct scan *, uint64_t cell);

/* Search the messages of a cell that come after `at`. Return true, with `at` at the match, if
 * one is found. */
bool scan_cell(struct scan *, uint64_t cell);

/* Find the next match and move `at` to it. Return SCAN_MORE after work worth CELLS decoded
 * cells. */
enum scan_result scan_next(struct scan *, unsigned cells);

/* True if scan_read() should skip cells by the index of a trace, or several threads divide them.
 * Not for captures that may still grow. Not for formats in which indexing takes as long as the
 * search, unless more than two threads share both, the filter limits the time, or samples of the
 * bytes show that most cells can be skipped. */
bool scan_pays(struct trace *, const struct filter *);
/* Build that index if it pays. */
void scan_prepare(struct trace *, const struct filter *);

/* True if the cells of a trace can be skipped, and divided among threads. */
bool scan_can_skip(struct trace *);

/* Set up a scan for scan_read(). It also visits the cells with AROUND messages before and
 * after each match. */
void scan_open(struct scan *, struct reader *, struct filter_pair *, unsigned around);

/* Restrict an open scan to the cells [FROM, UNTIL), which are known. The index need not be
 * complete. */
void scan_set_cells(struct scan *, uint64_t from, uint64_t until);

/* Return up to MAX consecutive messages. *FIRST is the number of the first. Return 0 at the
 * end, when interrupted, and if the capture was rewritten. */
size_t scan_read(struct scan *, struct message *out, size_t max, uint64_t *first);

/* Add the undecoded bytes of the whole trace, after the end of the scan. */
void scan_add_undecoded(struct scan *, struct doubts *);

#endif
