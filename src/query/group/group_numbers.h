/*
 * The numbers of a row of a table: their exact sum, limits and percentiles.
 *
 * Integers are summed in 128 bits. If some are negative and others exceed INT64_MAX, all
 * are rounded to doubles.
 *
 * Memory: 8 bytes for each number. With many small numbers, such as lengths and codes, 32
 * KiB in all.
 */
#ifndef TRAWL_QUERY_GROUP_NUMBERS_H
#define TRAWL_QUERY_GROUP_NUMBERS_H

#include "query/group/group.h"

/* Set a value from the eight bytes of a number, or from a real number. */
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

/* Create numbers with the type of the first. TICKS: accept only durations in ticks.
 * Otherwise these are rejected. */
struct group_numbers *group_numbers_new(enum value_type type, bool ticks);
void group_numbers_free(struct group_numbers *); /* NULL is fine */

/* Add a number. Return false if it is rejected. */
bool group_numbers_add(struct group_numbers *, const struct value *);

/* Add a VALUE_UNSIGNED that is not in ticks. The other numbers must be of the same kind. */
void group_numbers_add_unsigned(struct group_numbers *, uint64_t number);

/* Add the numbers of FROM to TO and free FROM. TO may be NULL. Return the result. */
struct group_numbers *group_numbers_join(struct group_numbers *to, struct group_numbers *from);

/* Return the bytes of memory that they take. NULL takes none. */
size_t group_numbers_size(const struct group_numbers *);

/* Return the number of numbers, or their sum. */
uint64_t group_numbers_count(struct group_numbers *);
long double group_numbers_sum(struct group_numbers *);

/* Get a column from GROUP_COLUMN_SUM on, except GROUP_COLUMN_PART. At least one number must
 * exist. */
void group_numbers_value(struct group_numbers *, enum group_column, struct value *);

#endif
