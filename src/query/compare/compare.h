/*
 * Compare two runs: find where the messages of BAD differ from those of GOOD.
 *
 * Traces are paired by name and format, else by format in their order. Origins are
 * paired by name, else by name with numbers masked, in order of first occurrence.
 * Each pair of origins is aligned by tokens (compare_side.h), apart from the
 * others. How origins interleave differs from run to run. Differences are sorted by
 * time in BAD.
 *
 * A message counts as slower if the time since its predecessor grew by more than a
 * factor and a length. The predecessor is the previous message of its origin, equal
 * in both runs. The growth must also exceed the usual variation of the origin. The
 * drift between the clocks of the runs is removed first. If one delay stops several
 * origins, the first is reported with the number of the others.
 *
 * Threads: compare_run() may run in any thread; it starts another thread for GOOD.
 * Call the other functions afterwards.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_H
#define TRAWL_QUERY_COMPARE_COMPARE_H

#include "query/compare/compare_side.h"

enum compare_run_id { COMPARE_GOOD, COMPARE_BAD };

enum compare_kind {
	COMPARE_MISSING,   /* not in BAD */
	COMPARE_EXTRA,	   /* not in GOOD */
	COMPARE_CHANGED,   /* other words in the same position */
	COMPARE_MOVED,	   /* its order within its origin changed */
	COMPARE_SLOWER,	   /* later after its predecessor than in GOOD */
	COMPARE_DAMAGED,   /* extra, and damaged or cut off */
	COMPARE_LOST,	   /* extra, and reports a loss */
	COMPARE_UNALIGNED, /* many messages against many others */
	COMPARE_KINDS
};

/* Return the name of a kind, one word; it also fits a count, as `3 missing`. */
const char *compare_kind_name(enum compare_kind);

/* The place of a difference in one of the runs: a message of the difference, or a neighbour. The
 * neighbour in BAD is of the same origin, the one in GOOD of the same trace. */
struct compare_place {
	bool any;	 /* false: there is no such message */
	bool behind;	 /* missing messages came after this one, else before it */
	size_t trace;	 /* number of the trace in the session */
	uint64_t number; /* number of the message in the trace, from 0 */
	uint64_t listed; /* its number in the session, from 1; counts the compared traces */
	int64_t time;	 /* session time, or COMPARE_NO_TIME */
};

struct compare_difference {
	enum compare_kind kind;
	uint64_t count[2]; /* messages in each run from `at` on; 0: `at` is a neighbour */
	struct compare_place at[2];
	int64_t took[2]; /* SLOWER: ns since the predecessor; of several good runs the longest */
	uint64_t with;	 /* SLOWER: number of further origins with the same delay */
	uint64_t runs;	 /* of several good runs, the number with the message or time of GOOD */
	int64_t order;	 /* time in BAD, or its estimate */
};

struct compare_options {
	double factor; /* SLOWER: least ratio of the times, above 1 */
	int64_t least; /* SLOWER: least difference in ns */
};
#define COMPARE_FACTOR 2.0
#define COMPARE_LEAST INT64_C(1000000)

/* The good runs. The owner fills it in; COMPARE borrows it. */
struct compare_good {
	size_t count;
	const char *const *names;
	const struct compare_side *sides; /* open sessions */
	/* Load what texts and times of run I need. Return false on failure. NULL: all is loaded. */
	bool (*load)(void *context, size_t i);
	void (*close)(void *context, size_t i); /* end its session; only of several runs */
	void *context;
};

struct compare;

/* Prepare a comparison. Sessions and filters are borrowed. The sessions must be linked, and no
 * other thread may use a filter during compare_run(). Setting STOP (may be NULL) ends the run
 * early. */
struct compare *compare_new(const struct compare_good *, const struct compare_side *bad,
			    const struct compare_options *, const atomic_bool *stop);
void compare_free(struct compare *); /* NULL is allowed */

/* Read the runs and find the differences. Return false if stopped, or if a run was not loaded. Of
 * several good runs only the nearest stays open, with the fewest differences: it is GOOD then. */
bool compare_run(struct compare *);

/* Sort the differences by their places in the list of GOOD. Those that only BAD has come before
 * the partner of the next message of their trace that has one. */
void compare_sort_by_good(struct compare *);

size_t compare_count(const struct compare *);
const struct compare_difference *compare_get(const struct compare *, size_t i);

/* Return the number of differences of a kind (COMPARE_KINDS: left out as usual), or
 * the number of messages of a run. */
uint64_t compare_count_kind(const struct compare *, enum compare_kind);
uint64_t compare_count_messages(const struct compare *, enum compare_run_id);

size_t compare_nearest(const struct compare *); /* the number of the nearest good run */

/* Add the doubts about all runs. */
void compare_add_doubts(const struct compare *, struct doubts *);

/* Append the remark that follows the text of a difference, in brackets, if any: the number of
 * further messages, the old text, good runs, the times. GOOD provides the texts; E is scratch. */
void compare_add_remark(const struct compare *, const struct compare_difference *,
			struct compare_texts *good, struct expansion *, enum text_charset,
			struct text *out);

/* Append one line: the number of differences of each kind and the numbers of messages. */
void compare_summarise(const struct compare *, struct text *);

#endif
