/*
 * Origin totals: counts by origin and severity, per group of cells and over all.
 *
 * They add up the tallies of cells (decode/summary.h) in the order of the capture.
 * They number the origins by first occurrence, from 0.
 *
 * Threads: any; locked inside.
 */
#ifndef TRAWL_INDEX_ORIGIN_TOTALS_H
#define TRAWL_INDEX_ORIGIN_TOTALS_H

#include "base/bytes.h"
#include "decode/summary.h"
#include "index/index.h"

struct origin_totals;

/* The first GROUPS count as dropped. With KEEP, others can be dropped later, even if they
 * have very many origins. */
struct origin_totals *origin_totals_new(uint64_t groups, bool keep);
void origin_totals_free(struct origin_totals *);

/* Add the next cell, with the counts ROWS. */
void origin_totals_add(struct origin_totals *, const struct tally_row *rows, size_t row_count);

/* Drop the first GROUPS, which must be full; each covers GROUP_SIZE bytes of the capture. If
 * the first message of an origin was dropped, its example becomes the beginning of its first
 * remaining group. The origin may occur anywhere in that group. */
void origin_totals_drop(struct origin_totals *, uint64_t groups, uint64_t group_size);
/* Count the error of ORIGIN at OFFSET that stands for the dropped messages, in the last
 * dropped group. */
void origin_totals_lose(struct origin_totals *, uint64_t origin, uint64_t offset);

/* Return all origins with messages, in order of first occurrence. */
void origin_totals_get(struct origin_totals *, index_origins *);
/* Return the number of messages of each severity, over all. */
void origin_totals_severities(struct origin_totals *, uint64_t severities[SEVERITY_COUNT]);
/* Count the messages of one origin in a group of INDEX_GROUP cells. Return false if the
 * counts are not known (yet). */
bool origin_totals_group(struct origin_totals *, uint64_t group, uint64_t key,
			 uint64_t severities[SEVERITY_COUNT]);

/* Return the origins in a group, at most ORIGIN_TOTALS_KEYS; false if they are not known. */
enum { ORIGIN_TOTALS_KEYS = 512 };
bool origin_totals_keys(struct origin_totals *, uint64_t group, uint64_t keys[ORIGIN_TOTALS_KEYS],
			size_t *count);

/* Append the totals as bytes. origin_totals_read fills empty totals from untrusted bytes,
 * with the first CELLS cells: all, or a multiple of INDEX_GROUP. It returns false if
 * origin_totals_write cannot have written them, or if they do not suffice. */
void origin_totals_write(struct origin_totals *, struct text *);
bool origin_totals_read(struct origin_totals *, struct bytes_rest *, uint64_t cells);
size_t origin_totals_memory(struct origin_totals *);

#endif
