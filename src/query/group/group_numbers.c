/*
 * Sums, limits and percentiles of numbers: see group_numbers.h.
 *
 * Exact percentiles need all numbers. If most are small, a counter for each small value is
 * enough. Each time the list doubles, its share of small numbers is checked. Larger numbers
 * stay in the list. If a number is negative or real, all numbers stay in the list.
 */
#include "config.h"

#include "query/group/group_numbers.h"
#include "base/rank.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 4096 };

/* Sums and limits of numbers. */
struct sums {
	uint64_t count;
	__int128 sum; /* of integers */
	long double real_sum;
	long double min, max;
};

struct group_numbers {
	enum value_type type;	    /* of all numbers */
	bool ticks, sorted, summed; /* summed: `all` is up to date */
	VEC(uint64_t) bits;	    /* the list: int64_t, uint64_t or double, by `type` */
	struct sums listed;	    /* sums of the list */
	struct sums all;
	/* counters for numbers below FEW, which are then not in the list; NULL: none. Only with
	 * VALUE_UNSIGNED. */
	uint64_t *few;
	size_t tried; /* size of the list at the last check */
};

/* --- numbers of eight bytes ---------------------------------------------------- */

static uint64_t
bits_of(double d)
{
	uint64_t bits;
	memcpy(&bits, &d, sizeof bits);
	return bits;
}

/* --- sums ------------------------------------------------------------------------ */

static void
note_limits(struct sums *sums, long double least, long double most)
{
	if (!sums->count || least < sums->min)
		sums->min = least;
	if (!sums->count || most > sums->max)
		sums->max = most;
}

static void
add_sums(struct sums *sums, const struct sums *more)
{
	if (!more->count)
		return;
	note_limits(sums, more->min, more->max);
	sums->count += more->count;
	sums->sum += more->sum;
	sums->real_sum += more->real_sum;
}

static void
add_times(struct sums *sums, uint64_t number, uint64_t times)
{
	const struct sums more = {times, (__int128)number * times, 0, (long double)number,
				  (long double)number};
	add_sums(sums, &more);
}

/* Return the sums of all numbers. */
static const struct sums *
sums_of(struct group_numbers *numbers)
{
	if (numbers->summed)
		return &numbers->all;
	numbers->all = numbers->listed;
	for (size_t i = 0; numbers->few && i < FEW; i++)
		add_times(&numbers->all, i, numbers->few[i]);
	numbers->summed = true;
	return &numbers->all;
}

/* --- the list and the counters ------------------------------------------ */

/* Move the small numbers of the list to counters. The list is VALUE_UNSIGNED. */
static void
open_few(struct group_numbers *numbers)
{
	size_t kept = 0;
	if (numbers->few)
		return;
	numbers->few = mem_new(FEW * sizeof *numbers->few);
	numbers->listed = (struct sums){0};
	for (size_t i = 0; i < numbers->bits.count; i++) {
		uint64_t number = numbers->bits.at[i];
		if (number < FEW) {
			numbers->few[number]++;
		} else {
			numbers->bits.at[kept++] = number;
			add_times(&numbers->listed, number, 1);
		}
	}
	numbers->bits.count = kept;
	if (!kept)
		vec_free(&numbers->bits);
}

/* Move the counted numbers back to the list. */
static void
close_few(struct group_numbers *numbers)
{
	for (size_t i = 0; numbers->few && i < FEW; i++) {
		for (uint64_t times = numbers->few[i]; times; times--)
			*vec_add(&numbers->bits) = i;
		add_times(&numbers->listed, i, numbers->few[i]);
	}
	free(numbers->few);
	numbers->few = NULL;
}

/* Start counters if the list has doubled and most numbers are small. */
static void
consider_few(struct group_numbers *numbers)
{
	size_t count = numbers->bits.count, small = 0;
	if (numbers->few || numbers->type != VALUE_UNSIGNED || count < FEW ||
	    count / 2 < numbers->tried)
		return;
	numbers->tried = count;
	for (size_t i = 0; i < count; i++)
		small += numbers->bits.at[i] < FEW;
	if (small > count / 2)
		open_few(numbers);
}

/* Return a type that can hold the list and numbers of TYPE from LEAST to MOST. */
static enum value_type
common_type(const struct group_numbers *numbers, enum value_type type, long double least,
	    long double most)
{
	struct sums limits = numbers->listed;
	note_limits(&limits, least, most);
	if (numbers->type == VALUE_REAL || type == VALUE_REAL ||
	    (limits.min < 0 && limits.max > (long double)INT64_MAX))
		return VALUE_REAL;
	return limits.min < 0 ? VALUE_SIGNED : VALUE_UNSIGNED;
}

/* Convert the numbers to TYPE. Between integer types the bits stay the same. */
static void
change_type(struct group_numbers *numbers, enum value_type type)
{
	if (type == numbers->type)
		return;
	close_few(numbers);
	for (size_t i = 0; type == VALUE_REAL && i < numbers->bits.count; i++) {
		uint64_t *bits = &numbers->bits.at[i];
		*bits =
		    bits_of(numbers->type == VALUE_SIGNED ? (double)(int64_t)*bits : (double)*bits);
	}
	if (type == VALUE_REAL)
		numbers->listed.real_sum = (long double)numbers->listed.sum;
	numbers->type = type;
}

/* --- adding ----------------------------------------------------------------------- */

struct group_numbers *
group_numbers_new(enum value_type type, bool ticks)
{
	struct group_numbers *numbers = mem_new(sizeof *numbers);
	numbers->type = type;
	numbers->ticks = ticks;
	return numbers;
}

void
group_numbers_free(struct group_numbers *numbers)
{
	if (!numbers)
		return;
	vec_free(&numbers->bits);
	free(numbers->few);
	free(numbers);
}

/* Add a number to the list. */
static void
keep_number(struct group_numbers *numbers, const struct value *value, long double number)
{
	enum value_type type = common_type(numbers, value->type, number, number);
	struct sums own = {.count = 1, .min = number, .max = number};
	if (type == VALUE_REAL)
		own.real_sum = number;
	else
		own.sum = value->type == VALUE_SIGNED ? value->i : (__int128)value->u;
	change_type(numbers, type);
	add_sums(&numbers->listed, &own);
	numbers->sorted = false;
	*vec_add(&numbers->bits) = type == VALUE_REAL ? bits_of((double)number) : value->u;
	consider_few(numbers);
}

bool
group_numbers_add(struct group_numbers *numbers, const struct value *value)
{
	long double number;
	bool whole = value->type == VALUE_UNSIGNED || value->type == VALUE_SIGNED;
	if (numbers->ticks != value->ticks)
		return false;
	numbers->summed = false;
	if (numbers->few && whole && value->u < FEW) {
		numbers->few[value->u]++;
		return true;
	}
	if (!value_number(value, &number) || number != number)
		return false;
	keep_number(numbers, value, number);
	return true;
}

void
group_numbers_add_unsigned(struct group_numbers *numbers, uint64_t number)
{
	if (numbers->few && number < FEW) {
		numbers->few[number]++;
		numbers->summed = false;
	} else {
		group_numbers_add(numbers, &(struct value){.type = VALUE_UNSIGNED, .u = number});
	}
}

/* Join VALUE_UNSIGNED numbers if either side uses counters. */
static void
join_few(struct group_numbers *to, struct group_numbers *from)
{
	open_few(to);
	for (size_t i = 0; from->few && i < FEW; i++)
		to->few[i] += from->few[i];
	for (size_t i = 0; i < from->bits.count; i++)
		group_numbers_add(to, &(struct value){.type = VALUE_UNSIGNED,
						      .ticks = to->ticks,
						      .u = from->bits.at[i]});
}

/* Add a list of numbers to another list. */
static void
join_lists(struct group_numbers *to, struct group_numbers *from)
{
	const struct sums *more = &from->listed;
	close_few(to);
	close_few(from);
	if (!more->count)
		return;
	enum value_type type = common_type(to, from->type, more->min, more->max);
	change_type(to, type);
	change_type(from, type);
	add_sums(&to->listed, more);
	vec_reserve(&to->bits, from->bits.count);
	memcpy(to->bits.at + to->bits.count, from->bits.at, from->bits.count * sizeof *to->bits.at);
	to->bits.count += from->bits.count;
	to->sorted = false;
	consider_few(to);
}

struct group_numbers *
group_numbers_join(struct group_numbers *to, struct group_numbers *from)
{
	if (!to)
		return from;
	bool whole = to->type == VALUE_UNSIGNED && from->type == VALUE_UNSIGNED;
	to->summed = false;
	if (to->ticks == from->ticks && whole && (to->few || from->few))
		join_few(to, from);
	else if (to->ticks == from->ticks)
		join_lists(to, from);
	group_numbers_free(from);
	return to;
}

/* --- percentiles ------------------------------------------------------------------- */

/* Map the bits of a number to an unsigned rank of the same order, and back. */
static uint64_t
rank_of_bits(uint64_t bits, enum value_type type)
{
	const uint64_t sign = (uint64_t)1 << 63;
	if (type == VALUE_REAL)
		return bits & sign ? ~bits : bits | sign;
	return type == VALUE_SIGNED ? bits ^ sign : bits;
}

static uint64_t
bits_of_rank(uint64_t rank, enum value_type type)
{
	const uint64_t sign = (uint64_t)1 << 63;
	if (type == VALUE_REAL)
		return rank & sign ? rank & ~sign : ~rank;
	return type == VALUE_SIGNED ? rank ^ sign : rank;
}

static void
sort_list(struct group_numbers *numbers)
{
	uint64_t *bits = numbers->bits.at;
	size_t count = numbers->bits.count;
	if (numbers->sorted)
		return;
	for (size_t i = 0; i < count; i++)
		bits[i] = rank_of_bits(bits[i], numbers->type);
	rank_sort(bits, count);
	for (size_t i = 0; i < count; i++)
		bits[i] = bits_of_rank(bits[i], numbers->type);
	numbers->sorted = true;
}

/* Return the number with a rank, from 1. Counted numbers come before the list. */
static uint64_t
number_of_rank(struct group_numbers *numbers, uint64_t rank)
{
	for (size_t i = 0; numbers->few && i < FEW; i++) {
		if (rank <= numbers->few[i])
			return i;
		rank -= numbers->few[i];
	}
	sort_list(numbers);
	return numbers->bits.at[rank - 1];
}

/* --- columns ------------------------------------------------------------------------ */

static void
set_sum(struct value *value, enum value_type type, const struct sums *sums)
{
	if (type == VALUE_REAL)
		group_set_real(value, sums->real_sum);
	else if (sums->sum > UINT64_MAX || sums->sum < INT64_MIN)
		group_set_real(value, (long double)sums->sum);
	else
		group_set_number(value, sums->sum < 0 ? VALUE_SIGNED : VALUE_UNSIGNED,
				 (uint64_t)sums->sum);
}

static void
set_limit(struct value *value, enum value_type type, long double limit)
{
	if (type == VALUE_REAL)
		group_set_real(value, limit);
	else if (limit < 0)
		group_set_number(value, VALUE_SIGNED, (uint64_t)(int64_t)limit);
	else
		group_set_number(value, VALUE_UNSIGNED, (uint64_t)limit);
}

static long double
whole_sum(enum value_type type, const struct sums *sums)
{
	return type == VALUE_REAL ? sums->real_sum : (long double)sums->sum;
}

size_t
group_numbers_size(const struct group_numbers *numbers)
{
	if (!numbers)
		return 0;
	return sizeof *numbers + numbers->bits.capacity * sizeof *numbers->bits.at +
	       (numbers->few ? FEW * sizeof *numbers->few : 0);
}

uint64_t
group_numbers_count(struct group_numbers *numbers)
{
	return sums_of(numbers)->count;
}

long double
group_numbers_sum(struct group_numbers *numbers)
{
	return whole_sum(numbers->type, sums_of(numbers));
}

void
group_numbers_value(struct group_numbers *numbers, enum group_column column, struct value *value)
{
	static const unsigned percents[GROUP_COLUMNS] = {
	    [GROUP_COLUMN_P50] = 50, [GROUP_COLUMN_P90] = 90, [GROUP_COLUMN_P99] = 99};
	const struct sums *sums = sums_of(numbers);
	value->ticks = numbers->ticks;
	if (percents[column])
		group_set_number(
		    value, numbers->type,
		    number_of_rank(numbers, rank_nearest(sums->count, percents[column])));
	else if (column == GROUP_COLUMN_SUM)
		set_sum(value, numbers->type, sums);
	else if (column == GROUP_COLUMN_MEAN)
		group_set_real(value, whole_sum(numbers->type, sums) / (long double)sums->count);
	else
		set_limit(value, numbers->type, column == GROUP_COLUMN_MIN ? sums->min : sums->max);
}
