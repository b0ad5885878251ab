/*
 * Counts how often instructions were executed: see flow_counts.h.
 *
 * A run of instructions is two changes: one execution more from its first address on, one less
 * after its end.  The sums are made when a count is read.
 */
#include "config.h"

#include "flow/flow_counts.h"
#include "base/lower_bound.h"

#include <stdlib.h>
#include <string.h>

void
flow_counts_free(struct flow_counts *counts)
{
	map_free(&counts->changes_by);
	vec_free(&counts->changes);
	vec_free(&counts->levels);
	*counts = (struct flow_counts){0};
}

static void
change_level(struct flow_counts *counts, uint64_t address, uint64_t by)
{
	uint64_t *found = map_add(&counts->changes_by, address);
	if (!*found) {
		*vec_add(&counts->changes) = (struct flow_level){.address = address};
		*found = counts->changes.count;
	}
	counts->changes.at[*found - 1].count += by;
}

void
flow_counts_step(struct flow_counts *counts, const struct flow_step *step)
{
	if (step->kind != FLOW_STEP_RUN || step->doubtful)
		return;
	if (counts->changes.count + 2 > FLOW_COUNTS_MOST &&
	    (!map_find(&counts->changes_by, step->first) ||
	     !map_find(&counts->changes_by, step->end))) {
		counts->left++;
		return;
	}
	change_level(counts, step->first, 1);
	change_level(counts, step->end, UINT64_MAX);
	counts->summed = false;
}

static int
compare_levels(const void *a, const void *b)
{
	uint64_t x = ((const struct flow_level *)a)->address,
		 y = ((const struct flow_level *)b)->address;
	return (x > y) - (x < y);
}

static void
sum_levels(struct flow_counts *counts)
{
	size_t count = counts->changes.count;
	counts->summed = true;
	vec_clear(&counts->levels);
	if (!count)
		return;
	vec_reserve(&counts->levels, count);
	memcpy(counts->levels.at, counts->changes.at, count * sizeof *counts->levels.at);
	counts->levels.count = count;
	qsort(counts->levels.at, count, sizeof *counts->levels.at, compare_levels);
	for (size_t i = 1; i < count; i++)
		counts->levels.at[i].count += counts->levels.at[i - 1].count;
}

uint64_t
flow_counts_at(struct flow_counts *counts, uint64_t address)
{
	size_t i;
	if (!counts->summed)
		sum_levels(counts);
	lower_bound(i, counts->levels.count, counts->levels.at[i].address <= address);
	return i ? counts->levels.at[i - 1].count : 0;
}
