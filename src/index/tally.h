/*
 * Counts by origin and severity: of one cell, and of all.
 *
 * A tally counts the messages of one cell; a census adds tallies up, in the
 * order of the capture, for each group of cells and in all.  It interns the
 * origins: the first to occur is number 0.
 *
 * Threads: a tally belongs to one; a census is locked inside.
 */
#ifndef TRAWL_INDEX_TALLY_H
#define TRAWL_INDEX_TALLY_H

#include "base/bytes.h"
#include "index/index.h"

struct tally_row {
	uint64_t key;	  /* message.origin */
	uint64_t example; /* place of its first message */
	uint32_t severities[SEVERITY_COUNT];
};
typedef VEC(struct tally_row) tally_rows;

struct tally_slot {
	uint64_t key;
	uint32_t round, row;
};

/* An open hash over the rows: what was said before the last tally_clear is
 * told apart by its round, so that clearing costs nothing.  Cleared first. */
struct tally {
	tally_rows rows;
	struct tally_slot *slots;
	unsigned slot_bits; /* 1 << slot_bits slots */
	uint32_t round;
};

void tally_free(struct tally *);
void tally_clear(struct tally *);
/* The row of an origin, made if it is new, for a message at PLACE; until the next
 * call. */
struct tally_row *tally_row(struct tally *, uint64_t key, uint64_t place);

/* Where a key belongs; the high bits of the product depend on all of the key's. */
static inline size_t
tally_home(const struct tally *tally, uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15 >> (64 - tally->slot_bits));
}

/* Counts a message. */
static inline void
tally_count(struct tally *tally, uint64_t key, enum severity severity, uint64_t place)
{
	const struct tally_slot *slot = &tally->slots[tally_home(tally, key)];
	struct tally_row *row = slot->key == key && slot->round == tally->round
				    ? &tally->rows.at[slot->row]
				    : tally_row(tally, key, place);
	row->severities[severity]++;
}

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
