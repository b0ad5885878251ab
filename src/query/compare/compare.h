/*
 * Two runs compared: where the messages of BAD differ from those of GOOD.
 *
 * Traces belong together by name and format, else by format in their order; origins by
 * name, else by name with numbers masked, in the order in which they first occur.  The
 * messages of an origin are aligned by their tokens (compare_side.h) apart from those of
 * others, as how origins interleave differs from run to run; differences are in order of
 * the time in BAD.
 *
 * A message comes later than it did if the time since the message of its origin before
 * it, the same in both runs, is longer than in GOOD by a factor and by a length, and by more
 * than that time usually differs by for its origin.  By how much the clocks of the runs
 * drift apart is taken out.  Of several origins that the same delay stops, the first one is
 * reported, with the number of the others.
 *
 * Threads: compare_run may run in any thread, which reads each run in one of its own; the
 * rest is for after it.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_H
#define TRAWL_QUERY_COMPARE_COMPARE_H

#include "query/compare/compare_side.h"

enum compare_run_id { COMPARE_GOOD, COMPARE_BAD };

enum compare_kind {
	COMPARE_MISSING,   /* not in BAD */
	COMPARE_EXTRA,	   /* not in GOOD */
	COMPARE_CHANGED,   /* other words at the same place */
	COMPARE_MOVED,	   /* before or behind others of its origin than in GOOD */
	COMPARE_SLOWER,	   /* later than in GOOD after the one before it */
	COMPARE_DAMAGED,   /* an extra one, damaged or cut off */
	COMPARE_LOST,	   /* an extra one that says something is lost */
	COMPARE_UNALIGNED, /* many against many */
	COMPARE_KINDS
};

/* What it is called, one word; and in a count of N of them, as `3 missing`. */
const char *compare_kind_name(enum compare_kind);

/* Where a difference is in one of the runs. */
struct compare_place {
	bool any;	 /* false: its origin has no message there */
	bool behind;	 /* what is missing was after this message; else before it */
	size_t trace;	 /* of the session */
	uint64_t number; /* of the message in it */
	int64_t time;	 /* of the session, COMPARE_NO_TIME: none */
};

struct compare_difference {
	enum compare_kind kind;
	uint64_t count[2]; /* messages of GOOD and BAD, from the places on in their
					origin; 0: none, the place is that of a neighbour */
	struct compare_place at[2];
	int64_t took[2]; /* SLOWER: ns since the message before */
	uint64_t with;	 /* SLOWER: other origins that wait for the same */
	int64_t order;	 /* time in BAD, or what it would be */
};

struct compare_options {
	double factor; /* SLOWER: at least so many times as long, more than 1, */
	int64_t least; /* and ns longer */
};
#define COMPARE_FACTOR 2.0
#define COMPARE_LEAST INT64_C(1000000)

struct compare;

/* The sessions are borrowed and linked; so are the filters, each used by no other thread
 * while it runs; and STOP, which ends it early (NULL: nothing does). */
struct compare *compare_new(const struct compare_side sides[2], const struct compare_options *,
			    const atomic_bool *stop);
void compare_free(struct compare *); /* NULL is fine */

/* Reads both runs and finds the differences; false if it was stopped. */
bool compare_run(struct compare *);

size_t compare_count(const struct compare *);
const struct compare_difference *compare_get(const struct compare *, size_t i);

/* How many there are of a kind, and all messages of a run. */
uint64_t compare_count_kind(const struct compare *, enum compare_kind);
uint64_t compare_count_messages(const struct compare *, enum compare_run_id);

/* What is doubtful of both runs. */
void compare_add_doubts(const struct compare *, struct doubts *);

/* Appends what is said behind the text of a difference, in brackets: how many more there are,
 * what the text was, how long it took; nothing if there is no more to say.  Texts are of GOOD,
 * whose messages are expanded into the expansion. */
void compare_add_remark(const struct compare_difference *, struct compare_texts *good,
			struct expansion *, enum text_charset, struct text *out);

/* Appends one line: how many differences of which kinds among how many messages. */
void compare_summarise(const struct compare *, struct text *);

#endif
