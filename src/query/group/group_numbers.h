/*
 * The numbers of a row of a table: their sum, limits and percentiles, all exact.
 *
 * Integers are added up in 128 bits; integers of which some are negative and others above
 * INT64_MAX are rounded as floating-point numbers are.
 *
 * Memory: 8 bytes for each number; of many that are small, as lengths and codes are, 32 KiB.
 */
#ifndef TRAWL_QUERY_GROUP_NUMBERS_H
#define TRAWL_QUERY_GROUP_NUMBERS_H

#include "query/group/group.h"

/* Makes a value of the eight bytes of a number, or of a real one. */
static inline void
group_set_number(struct value *value, enum value_type type, uint64_t bits)
{
	value->type = type;
	value->u = bits;
}

static inline void
group_set_real(struct value *value, long double number)
{
	value->type = VALUE_REAL;
	value->d = (double)number;
}

/* TYPE is that of the first number.  TICKS: of durations, in ticks; those in nanoseconds do not
 * count then, and the other way round. */
struct group_numbers *group_numbers_new(enum value_type type, bool ticks);
void group_numbers_free(struct group_numbers *); /* NULL is fine */

/* Adds a number; false if it does not count. */
bool group_numbers_add(struct group_numbers *, const struct value *);

/* Adds VALUE_UNSIGNED, no duration in ticks, to others of that sort. */
void group_numbers_add_unsigned(struct group_numbers *, uint64_t number);

/* Adds the numbers of FROM and frees it; TO may be NULL.  Returns what has them all. */
struct group_numbers *group_numbers_join(struct group_numbers *to, struct group_numbers *from);

/* How many there are, and their sum. */
uint64_t group_numbers_count(struct group_numbers *);
long double group_numbers_sum(struct group_numbers *);

/* A column from GROUP_COLUMN_SUM on, but GROUP_COLUMN_PART, of numbers of which there is one at
 * least. */
void group_numbers_value(struct group_numbers *, enum group_column, struct value *);

#endif
