/*
 * Counts by origin and severity of all cells.
 *
 * A census adds up the tallies of cells (decode/summary.h), in the order of the
 * capture, for each group of cells and in all.  It interns the origins: the first to
 * occur is number 0.
 *
 * Threads: a census is locked inside.
 */
#ifndef TRAWL_INDEX_ORIGIN_TOTALS_H
#define TRAWL_INDEX_ORIGIN_TOTALS_H

#include "base/bytes.h"
#include "decode/summary.h"
#include "index/index.h"

struct census;

struct census *census_new(void);
void census_free(struct census *);
void census_clear(struct census *);

/* Adds the next COUNT cells, which all have ROWS. */
void census_add(struct census *, const struct tally_row *rows, size_t row_count, uint64_t count);

/* All origins in the order in which they first occur. */
void census_get(struct census *, index_origins *);
/* Messages of each severity, in all. */
void census_totals(struct census *, uint64_t severities[SEVERITY_COUNT]);
/* Messages of one origin in a group of INDEX_GROUP cells; false if that is not
 * known (yet). */
bool census_group(struct census *, uint64_t group, uint64_t key,
		  uint64_t severities[SEVERITY_COUNT]);

/* The origins that occur in a group, at most CENSUS_KEYS; false if that is not
 * known. */
enum { CENSUS_KEYS = 512 };
bool census_keys(struct census *, uint64_t group, uint64_t keys[CENSUS_KEYS], size_t *count);

/* Appends the census as bytes.  census_read fills an empty census with that of
 * the first CELLS of its cells, either all or a multiple of INDEX_GROUP; it may
 * come from anywhere: false if it is not what census_write writes, or does not
 * say enough. */
void census_write(struct census *, struct text *);
bool census_read(struct census *, struct bytes_rest *, uint64_t cells);
size_t census_memory(struct census *);

#endif
