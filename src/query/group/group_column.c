/* Specs, the columns of rows as text, and the order of rows: see group.h. */
#include "config.h"

#include "query/group/group.h"
#include "query/filter/filter.h"
#include "session/clock/clock_text.h"
#include "session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const group_column_names[GROUP_COLUMNS] = {
    [GROUP_COLUMN_COUNT] = "count",	[GROUP_COLUMN_SHARE] = "share",
    [GROUP_COLUMN_FIRST] = "first",	[GROUP_COLUMN_LAST] = "last",
    [GROUP_COLUMN_GAP] = "longest_gap", [GROUP_COLUMN_GAP_FROM] = "gap_from",
    [GROUP_COLUMN_VALUES] = "values",	[GROUP_COLUMN_SUM] = "sum",
    [GROUP_COLUMN_PART] = "part",	[GROUP_COLUMN_MIN] = "min",
    [GROUP_COLUMN_MEAN] = "mean",	[GROUP_COLUMN_P50] = "p50",
    [GROUP_COLUMN_P90] = "p90",		[GROUP_COLUMN_P99] = "p99",
    [GROUP_COLUMN_MAX] = "max"};

/* --- specs -------------------------------------------------------------- */

/* Add the needs of a name to the spec. */
static void
note_name(struct group_spec *spec, const struct value_name *name, bool is_key)
{
	enum expand_want want;
	spec->needs |= value_needs(name);
	if (value_expands(name, &want)) {
		spec->want = spec->expands && spec->want > want ? spec->want : want;
		spec->expands = true;
	}
	spec->by_raw &= value_has_raw_keys(name) || !is_key;
}

static int
add_by(struct group_spec *spec, const char *name, size_t length, const struct session *session,
       struct err *err)
{
	char own[200];
	if (spec->by_count == GROUP_NAMES_MAX)
		return err_set(err, ERR_USAGE, "a table groups by at most %d names",
			       GROUP_NAMES_MAX);
	while (length && *name == ' ')
		name++, length--;
	while (length && name[length - 1] == ' ')
		length--;
	snprintf(own, sizeof own, "%.*s", (int)(length < sizeof own ? length : sizeof own - 1),
		 name);
	struct value_name *made = value_name_new(own, session, err);
	if (!made)
		return err->code;
	spec->by[spec->by_count++] = made;
	note_name(spec, made, true);
	return 0;
}

int
group_spec_make(struct group_spec *spec, const char *by, const char *of,
		const struct session *session, struct err *err)
{
	const char *at = by && *by ? by : "origin", *end;
	int failed = 0;
	*spec = (struct group_spec){.by_raw = true,
				    .zone = session ? session->host.zone : ZONE_UNNAMED};
	for (bool more = true; more && !failed; at = end + 1) {
		end = at + strcspn(at, ",");
		more = *end;
		failed = add_by(spec, at, (size_t)(end - at), session, err);
	}
	if (!failed && of) {
		spec->of = value_name_new(of, session, err);
		failed = spec->of ? 0 : err->code;
	}
	enum expand_want want;
	if (spec->of)
		note_name(spec, spec->of, false);
	spec->of_expands = spec->of && value_expands(spec->of, &want);
	spec->columns = spec->counted = group_columns_all(spec);
	if (failed)
		group_spec_free(spec);
	return failed;
}

void
group_spec_free(struct group_spec *spec)
{
	for (size_t i = 0; i < spec->by_count; i++)
		value_name_free(spec->by[i]);
	value_name_free(spec->of);
	*spec = (struct group_spec){0};
}

unsigned
group_columns_all(const struct group_spec *spec)
{
	if (!spec->of)
		return (1u << GROUP_COLUMN_VALUES) - 1;
	unsigned part = value_is_part(spec->of) ? 0 : 1u << GROUP_COLUMN_PART;
	return ((1u << GROUP_COLUMNS) - 1) & ~part;
}

bool
group_is_time(enum group_column column)
{
	return column == GROUP_COLUMN_FIRST || column == GROUP_COLUMN_LAST ||
	       column == GROUP_COLUMN_GAP_FROM;
}

bool
group_is_duration(const struct group_spec *spec, enum group_column column)
{
	return column == GROUP_COLUMN_GAP ||
	       (column > GROUP_COLUMN_VALUES && column != GROUP_COLUMN_PART && spec->of &&
		value_is_duration(spec->of));
}

int
group_find_column(const struct group_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->by_count; i++)
		if (!strcmp(value_name_text(spec->by[i]), name))
			return GROUP_COLUMNS + (int)i;
	for (int c = 0; c < GROUP_COLUMNS; c++)
		if (spec->columns >> c & 1 && !strcmp(group_column_names[c], name))
			return c;
	return ERR_USAGE;
}

/* --- texts ---------------------------------------------------------------------- */

static void
add_time(const struct group_spec *spec, int64_t nanoseconds, bool wall, struct text *out)
{
	const struct trace_clock clock = {.hz = 1e9, .has_epoch = true, .zone = spec->zone};
	if (wall && nanoseconds >= 0)
		clock_format(&clock, (uint64_t)nanoseconds, out);
	else
		value_add_seconds(nanoseconds, out);
}

void
group_add_key_text(const struct group_spec *spec, size_t name, const struct group_key *key,
		   struct text *out)
{
	struct value value = {.type = VALUE_UNSIGNED, .ticks = key->ticks};
	if (key->absent) {
		text_add(out, key->length ? "" : "-");
		text_add_bytes(out, key->text, key->length);
	} else if (key->is_number && value_is_duration(spec->by[name])) {
		if (key->number < 0) {
			value.type = VALUE_SIGNED;
			value.i = (int64_t)key->number;
		} else {
			value.u = (uint64_t)key->number;
		}
		value_add_duration(&value, out);
	} else if (key->is_number && value_is_time(spec->by[name]) && !key->ticks) {
		add_time(spec, (int64_t)key->number, key->wall, out);
	} else {
		text_add_bytes(out, key->text, key->length);
	}
}

/* Same as "%.0f%%". */
static void
add_percent(double percent, struct text *out)
{
	if (percent >= 0 && percent < 1e9)
		text_add_uint(out, (uint64_t)lrint(percent));
	else
		text_addf(out, "%.0f", percent);
	text_add_char(out, '%');
}

void
group_add_cell(struct group *group, const struct group_spec *spec, size_t row,
	       enum group_column column, struct text *out)
{
	struct value value;
	group_value(group, row, column, &value);
	if (value.type == VALUE_ABSENT)
		text_add_char(out, '-');
	else if (column == GROUP_COLUMN_SHARE || column == GROUP_COLUMN_PART)
		add_percent(100 * value.d, out);
	else if (group_is_time(column) && !value.ticks)
		add_time(spec, value.i, group_row(group, row)->first.wall, out);
	else if (group_is_duration(spec, column))
		value_add_duration(&value, out);
	else if (value.type == VALUE_REAL)
		text_addf(out, "%.6g", value.d);
	else
		value_add_number(&value, out);
}

/* --- order ------------------------------------------------------------------------ */

enum { AHEAD = 8, /* rows to prefetch */ DEEPEST = 4 };

/* A row during the sort. Rows are ordered by rank, then by `start`, a part of a name. Equal
 * texts are then ordered by later bytes, and finally by comparing the rows. */
struct group_place {
	uint64_t rank, start;
	size_t row;
};

struct group_order {
	struct group *group;
	unsigned column;
	size_t name;  /* the name of `start` */
	bool upwards; /* rank from the least */
	bool name_up; /* `start` from the least */
	bool exact;   /* rows of equal rank are equal in the column */
	bool texts;   /* no key of the name is a number */
};

/* Return the rank of a number, rising. Close numbers may share a rank. */
static uint64_t
rank_of_real(double number)
{
	const uint64_t sign = (uint64_t)1 << 63;
	uint64_t rank;
	number = number == 0 ? 0 : number; /* +0 and -0 are equal */
	memcpy(&rank, &number, sizeof rank);
	return rank & sign ? ~rank : rank | sign;
}

/* Get the rank of an integer. Return false if other integers may share it. */
static bool
rank_of_integer(const struct value *value, uint64_t *rank)
{
	bool high = value->type == VALUE_UNSIGNED && value->u >= INT64_MAX;
	int64_t number = high ? INT64_MAX : value->i;
	*rank = (uint64_t)number ^ (uint64_t)1 << 63;
	return number > INT64_MIN && number < INT64_MAX;
}

/* Return the rank of a key, rising, by its number or eight bytes of its text. Absent keys
 * are last. */
static uint64_t
rank_of_key(const struct group_key *key, unsigned depth)
{
	uint64_t rank = 0;
	if (key->absent)
		return UINT64_MAX;
	if (key->is_number)
		return rank_of_real((double)key->number);
	for (size_t i = depth * sizeof rank, end = i + sizeof rank; i < end; i++)
		rank = rank << 8 | (i < key->length ? (unsigned char)key->text[i] : 0);
	return rank;
}

/* Compare two keys. Return a negative number, 0 or a positive one. */
static int
compare_keys(const struct group_key *a, const struct group_key *b)
{
	if (a->is_number && b->is_number && a->number != b->number)
		return a->number < b->number ? -1 : 1;
	size_t common = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->text, b->text, common);
	return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Compare two rows by a name. *ABSENT: exactly one has no value. */
static int
compare_names(const struct group_row *a, const struct group_row *b, size_t name, bool *absent)
{
	struct group_key k, l;
	group_get_key(a, name, &k);
	group_get_key(b, name, &l);
	*absent = k.absent != l.absent;
	return *absent ? k.absent - l.absent : compare_keys(&k, &l);
}

/* Compare two rows by a column of numbers. *ABSENT: exactly one has no number. */
static int
compare_numbers(const struct group_order *order, size_t a, size_t b, bool *absent)
{
	struct value x, y;
	long double number = 0, other = 0;
	group_value(order->group, a, (enum group_column)order->column, &x);
	group_value(order->group, b, (enum group_column)order->column, &y);
	bool none = !value_number(&x, &number), no_other = !value_number(&y, &other);
	*absent = none != no_other;
	return *absent ? none - no_other : (number > other) - (number < other);
}

static int
compare_rows(const struct group_order *order, size_t a, size_t b)
{
	const struct group_row *first = group_row(order->group, a);
	const struct group_row *second = group_row(order->group, b);
	bool absent = false;
	int found = 0;
	if (order->column >= GROUP_COLUMNS)
		found = compare_names(first, second, order->column - GROUP_COLUMNS, &absent);
	else if (!order->exact)
		found = compare_numbers(order, a, b, &absent);
	if (found)
		return absent || order->upwards ? found : -found;
	for (size_t i = 0; !found && i < group_names(order->group); i++)
		found = compare_names(first, second, i, &absent);
	return found;
}

static int
compare_places(const void *a, const void *b)
{
	const struct group_place *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static int
compare_equals(const void *a, const void *b, void *order)
{
	return compare_rows(order, ((const struct group_place *)a)->row,
			    ((const struct group_place *)b)->row);
}

/* Set the starts of some places, from byte DEPTH * 8 of the text. */
static void
set_starts(struct group_order *order, struct group_place *places, size_t count, unsigned depth)
{
	struct group_key key;
	for (size_t i = 0; i < count; i++) {
		if (i + 2 * AHEAD < count)
			group_near_row(order->group, places[i + 2 * AHEAD].row);
		if (i + AHEAD < count)
			group_nearer_row(order->group, places[i + AHEAD].row);
		group_get_key(group_row(order->group, places[i].row), order->name, &key);
		uint64_t rank = rank_of_key(&key, depth);
		places[i].start = order->name_up || key.absent ? rank : ~rank;
	}
}

static void
sort_places(struct group_order *order, struct group_place *places, size_t count, unsigned depth)
{
	qsort(places, count, sizeof *places, compare_places);
	for (size_t from = 0, until; from < count; from = until) {
		until = from + 1;
		while (until < count && !compare_places(&places[from], &places[until]))
			until++;
		size_t same = until - from;
		if (same > 1 && order->texts && order->exact && depth < DEEPEST) {
			set_starts(order, &places[from], same, depth + 1);
			sort_places(order, &places[from], same, depth + 1);
		} else if (same > 1) {
			qsort_r(&places[from], same, sizeof *places, compare_equals, order);
		}
	}
}

/* List all rows in their present order and set the starts. If keys mix numbers and texts,
 * leave the starts unset: only a comparison of rows orders them. */
static void
find_starts(struct group_order *order, struct group_place *places, size_t count)
{
	struct group_key key;
	bool numbers = false, others = false;
	for (size_t i = 0; i < count; i++) {
		group_get_key(group_row(order->group, i), order->name, &key);
		numbers |= key.is_number;
		others |= !key.is_number && !key.absent;
		places[i].row = i;
		places[i].rank = key.absent;
	}
	order->texts = !numbers;
	if (!numbers || !others)
		set_starts(order, places, count, 0);
}

/* Rank rows by a column of integers. Return false if it contains a real number. */
static bool
rank_integers(struct group_order *order, struct group_place *places, size_t count)
{
	struct value value;
	for (size_t i = 0; i < count; i++) {
		group_value(order->group, i, (enum group_column)order->column, &value);
		places[i].rank = UINT64_MAX;
		if (value.type == VALUE_ABSENT)
			continue;
		if (value.type == VALUE_REAL)
			return false;
		order->exact &= rank_of_integer(&value, &places[i].rank);
		if (!order->upwards)
			places[i].rank = ~places[i].rank;
	}
	return true;
}

static void
rank_reals(struct group_order *order, struct group_place *places, size_t count)
{
	struct value value;
	long double number;
	for (size_t i = 0; i < count; i++) {
		group_value(order->group, i, (enum group_column)order->column, &value);
		places[i].rank = UINT64_MAX;
		if (!value_number(&value, &number))
			continue;
		order->exact &= (long double)(double)number == number;
		uint64_t rank = rank_of_real((double)number);
		places[i].rank = order->upwards ? rank : ~rank;
	}
}

/* Return the places of all rows, unsorted. */
static struct group_place *
list_places(struct group_order *order, size_t count)
{
	struct group_place *places = mem_new((count + 1) * sizeof *places);
	find_starts(order, places, count);
	if (order->column < GROUP_COLUMNS && !rank_integers(order, places, count))
		rank_reals(order, places, count);
	for (size_t i = 0; !order->exact && i < count; i++)
		places[i].start = 0;
	return places;
}

void
group_sort(struct group *group, unsigned column, bool backwards, size_t *order)
{
	bool upwards = column >= GROUP_COLUMNS || group_is_time((enum group_column)column);
	struct group_order by = {
	    .group = group, .column = column, .upwards = upwards != backwards, .exact = true};
	by.name = column < GROUP_COLUMNS ? 0 : column - GROUP_COLUMNS;
	by.name_up = column < GROUP_COLUMNS || by.upwards;
	size_t count = group_count(group);
	struct group_place *places = list_places(&by, count);
	sort_places(&by, places, count, 0);
	for (size_t i = 0; i < count; i++)
		order[i] = places[i].row;
	free(places);
}
