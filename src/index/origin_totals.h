/*
 * Counts by origin and severity of all cells.
 *
 * Origin totals add up the tallies of cells (decode/summary.h), in the order of the
 * capture, for each group of cells and in all.  They intern the origins: the first to
 * occur is number 0.
 *
 * Threads: they are locked inside.
 */
#ifndef TRAWL_INDEX_ORIGIN_TOTALS_H
#define TRAWL_INDEX_ORIGIN_TOTALS_H

#include "base/bytes.h"
#include "decode/summary.h"
#include "index/index.h"

struct origin_totals;

/* The first GROUPS are dropped from the beginning; with KEEP others can be dropped later,
 * however many origins they have. */
struct origin_totals *origin_totals_new(uint64_t groups, bool keep);
void origin_totals_free(struct origin_totals *);

/* Adds the next COUNT cells, which all have ROWS. */
void origin_totals_add(struct origin_totals *, const struct tally_row *rows, size_t row_count,
		       uint64_t count);

/* Takes the first GROUPS out, which are full; each is GROUP_SIZE bytes of the capture.  The
 * example of an origin whose first message went is where the first group begins that it
 * occurs in; it may stand anywhere in that. */
void origin_totals_drop(struct origin_totals *, uint64_t groups, uint64_t group_size);
/* Counts an error of ORIGIN at OFFSET, which stands for what was dropped, in the last one of
 * these groups. */
void origin_totals_lose(struct origin_totals *, uint64_t origin, uint64_t offset);

/* All origins that have messages, in the order in which they first occurred. */
void origin_totals_get(struct origin_totals *, index_origins *);
/* Messages of each severity, in all. */
void origin_totals_severities(struct origin_totals *, uint64_t severities[SEVERITY_COUNT]);
/* Messages of one origin in a group of INDEX_GROUP cells; false if that is not
 * known (yet). */
bool origin_totals_group(struct origin_totals *, uint64_t group, uint64_t key,
			 uint64_t severities[SEVERITY_COUNT]);

/* The origins that occur in a group, at most ORIGIN_TOTALS_KEYS; false if that is not
 * known. */
enum { ORIGIN_TOTALS_KEYS = 512 };
bool origin_totals_keys(struct origin_totals *, uint64_t group, uint64_t keys[ORIGIN_TOTALS_KEYS],
			size_t *count);

/* Appends the totals as bytes.  origin_totals_read fills empty ones with those of
 * the first CELLS of its cells, either all or a multiple of INDEX_GROUP; it may
 * come from anywhere: false if it is not what origin_totals_write writes, or does not
 * say enough. */
void origin_totals_write(struct origin_totals *, struct text *);
bool origin_totals_read(struct origin_totals *, struct bytes_rest *, uint64_t cells);
size_t origin_totals_memory(struct origin_totals *);

#endif
