/*
 * Why are some pairs of an interval slow?
 *
 * Slow pairs are longer than the p90 of all lengths.  A walk over the messages of the session
 * counts how many of them, and how many of the others, have each candidate for a cause:
 *
 * - a context with a value, at the begin of the pair or at any time inside;
 * - another interval that is open at the begin or begins inside;
 * - a kind of message inside: origin, type and text with numbers masked (compare_mask.h); the
 *   message that begins the pair counts, the one that ends it does not;
 * - no such message inside;
 * - a gap inside: no message of a trace for some time.
 *
 * A long pair has more of everything by chance, and what comes late in it may be an effect.  So
 * slow pairs count only from their begin for as long as the others take on average, the window.
 * Messages are absent only if the whole pair lacks them.
 *
 * A cause is a candidate that at least 5 % of the slow pairs have, in at least three places of
 * the session, 1.5 times as often as the others, and by chance (Fisher's exact test) with a
 * probability below 1 %, divided by the number of candidates (Bonferroni).  The least probable
 * one comes first, then the one with the stronger lift: how many times as often slow pairs have
 * it.  If the slow pairs are too few for the test, candidates that all of them have are rows,
 * too, as are those in fewer places.  They are marked as unproven.
 *
 * Cost: a second walk lists the slow pairs of each row.  The walks take O(messages x log pairs),
 * however many pairs are open at once.  Memory: about 150 bytes a pair, 24 bytes a change of a
 * context besides struct spans, 100 bytes a candidate.
 *
 * Threads: a search belongs to one thread, and works in another.
 */
#ifndef TRAWL_QUERY_WHY_WHY_H
#define TRAWL_QUERY_WHY_WHY_H

#include "query/interval/intervals.h"

enum {
	WHY_PAIRS_LEAST = 10,	    /* fewer have none above their p90 */
	WHY_CANDIDATES_MAX = 65536, /* kinds of messages, values of contexts ... */
	WHY_ROWS_MAX = 100
};

/* In the order of rows that are equal otherwise. */
enum why_kind { WHY_CONTEXT, WHY_INTERVAL, WHY_MESSAGE, WHY_GAP, WHY_NO_MESSAGE, WHY_KINDS };

struct why_row {
	enum why_kind kind;
	char *text; /* not safe */
	bool at_begin, unproven;
	uint32_t slow, others; /* numbers of pairs that have it */
	uint32_t doubtful;     /* of both: the context was doubtful, or messages that count as
				  absent may be lost */
	double log_p;	       /* of chance, natural logarithm; without the correction */
	int64_t after;	       /* mean time from the begin of the slow pairs until they have it */
	VEC(uint32_t) pairs;   /* the slow pairs with it, by their begin: for why_begin() */
};

struct why_result {
	size_t interval;
	bool ticks;	       /* unit of times; else nanoseconds */
	uint32_t pairs;	       /* with a length */
	uint32_t slow, others; /* 0 if there are too few pairs, or none is above the p90 */
	uint32_t doubtful[2];  /* of the others and the slow: messages were lost inside */
	int64_t p90, window;
	bool few;	   /* too few slow pairs for the test */
	size_t candidates; /* tested */
	uint64_t left_out; /* messages of more kinds than WHY_CANDIDATES_MAX */
	size_t dropped;	   /* rows after WHY_ROWS_MAX */
	VEC(struct why_row) rows;
};

struct why;

/* Start a search.  The session must outlive it, and its indexes must be complete. */
struct why *why_new(struct session *, size_t interval);
void why_free(struct why *); /* stops it; NULL is fine */

/* Wait for the end, for batch output. */
void why_wait(struct why *);

/* Return the result, or NULL until the search has ended. */
const struct why_result *why_get(struct why *);

/* Return the share that is done, in percent. */
unsigned why_percent(struct why *);

/* Return the message that begins a slow pair. */
struct interval_message why_begin(const struct why *, uint32_t pair);

/* Append a remark for a result without rows, or before its rows: how pairs are compared, and
 * what limits the result.  One line each. */
void why_describe(const struct why *, const struct why_result *, struct text *);

/* The cells of a row, and how to append them: `12x`, `38 of 41`, `12 of 370`, a time, the kind, the
 * text.  A lift with `?` is unproven. */
enum why_cell {
	WHY_CELL_LIFT,
	WHY_CELL_SLOW,
	WHY_CELL_OTHERS,
	WHY_CELL_AFTER,
	WHY_CELL_KIND,
	WHY_CELL_CAUSE,
	WHY_CELLS
};
const char *why_cell_title(enum why_cell);
void why_add_cell(const struct why_result *, const struct why_row *, enum why_cell, struct text *);

#endif
