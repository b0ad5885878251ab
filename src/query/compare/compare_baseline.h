/*
 * The differences of BAD that none of several good runs shows.
 *
 * BAD is aligned with each good run, of which only counts remain. A message of BAD is a difference
 * if no good run has it in its place. A message is missing if all good runs have it between the
 * same messages of BAD. Good runs differ, too: one may be alone with a text of an origin, or
 * without it. BAD must have more than eight times as many such places as a good run.
 *
 * Memory: 32 bytes for each message of BAD, and about 60 bytes for each place where good runs
 * have a message that BAD lacks: all places of the first run, and up to 262,144 others.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_BASELINE_H
#define TRAWL_QUERY_COMPARE_COMPARE_BASELINE_H

#include "base/map.h"
#include "query/compare/compare.h"
#include "query/compare/compare_slower.h"

/* Zero-initialise. */
struct compare_baseline {
	size_t runs;		/* number of good runs, set by the owner; the rest is private */
	size_t run, places_max; /* number of runs counted; most of `places` */
	struct map places;  /* from kind, place and ordinal to the good runs with that message */
	struct map taken;   /* from kind and place to the next ordinal of this run */
	struct map numbers; /* see number_of() */
	uint64_t usual;	    /* number of differences of texts that differ between good runs, too */
};
void compare_baseline_free(struct compare_baseline *);

/* Count the differences of an origin from the next good run. After all runs, with the differences
 * from one again, remove those that a good run shows. Return the number of the rest. */
size_t compare_baseline_judge(struct compare_baseline *, const struct compare_aligned *,
			      struct compare_difference *list, size_t count);

void compare_baseline_next(struct compare_baseline *); /* ends a good run */

#endif
