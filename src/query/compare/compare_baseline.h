/*
 * The differences of BAD that none of several good runs shows.
 *
 * BAD is aligned with each good run, of which only counts remain. A message of BAD is a difference
 * if no good run has it in its place. A message is missing if all good runs have it between the
 * same messages of BAD.
 *
 * Good runs differ from each other, too: one may be alone with a message, or alone without one.
 * For a text of an origin, BAD must have more than eight times as many such places as a good run.
 *
 * Memory: 32 bytes for each message of BAD, and about 80 bytes for each place where good runs
 * have a message that BAD lacks: all places of the first run, and up to 262,144 others.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_BASELINE_H
#define TRAWL_QUERY_COMPARE_COMPARE_BASELINE_H

#include "base/map.h"
#include "query/compare/compare.h"
#include "query/compare/compare_slower.h"

/* A message that BAD lacks. */
struct compare_other {
	uint64_t kind; /* its origin and token */
	uint64_t runs; /* number of good runs that have it */
};

struct compare_baseline {
	size_t
	    runs; /* number of good runs, set by the owner; the rest is private, zeroed at first */
	size_t run;
	VEC(struct compare_other) others;
	size_t others_max;
	struct map places;  /* from kind, place and ordinal to `others`, from 1 */
	struct map taken;   /* from kind and place to the next ordinal of this run */
	struct map numbers; /* from kind and enum number */
	uint64_t usual;
};
void compare_baseline_free(struct compare_baseline *);

/* Count the differences of an origin from a good run. After all runs, with the differences from
 * the nearest one, remove those that a good run shows, and count in `usual` those of texts that
 * differ between good runs as often. Return the number of differences left in LIST. */
size_t compare_baseline_judge(struct compare_baseline *, const struct compare_aligned *,
			      struct compare_difference *list, size_t count);

/* End a good run. */
void compare_baseline_next(struct compare_baseline *, const struct compare_side *bad);

#endif
