/* What is grouped, the columns of its rows as text, and their order: see group.h. */
#include "config.h"

#include "query/group/group.h"
#include "query/filter/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const group_column_names[GROUP_COLUMNS] = {
    [GROUP_COLUMN_COUNT] = "count",	[GROUP_COLUMN_SHARE] = "share",
    [GROUP_COLUMN_FIRST] = "first",	[GROUP_COLUMN_LAST] = "last",
    [GROUP_COLUMN_GAP] = "longest_gap", [GROUP_COLUMN_VALUES] = "values",
    [GROUP_COLUMN_SUM] = "sum",		[GROUP_COLUMN_PART] = "part",
    [GROUP_COLUMN_MIN] = "min",		[GROUP_COLUMN_MEAN] = "mean",
    [GROUP_COLUMN_P50] = "p50",		[GROUP_COLUMN_P90] = "p90",
    [GROUP_COLUMN_P99] = "p99",		[GROUP_COLUMN_MAX] = "max"};

/* --- what is grouped ---------------------------------------------------------- */

/* Notes what a name asks for. */
static void
note_name(struct group_spec *spec, const struct value_name *name, bool is_key)
{
	enum expand_want want;
	bool is_text = !strcmp(value_name_text(name), "text");
	spec->needs |= value_needs(name);
	if (value_expands(name, &want)) {
		spec->want = spec->expands && spec->want > want ? spec->want : want;
		spec->expands = true;
	}
	spec->by_raw &= value_has_raw_keys(name) || !is_key;
	spec->by_text &= value_has_raw_keys(name) || is_text || !is_key;
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
	*spec = (struct group_spec){.by_raw = true, .by_text = true};
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
group_is_time(const struct group_spec *spec, enum group_column column)
{
	(void)spec;
	return column == GROUP_COLUMN_FIRST || column == GROUP_COLUMN_LAST;
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
add_time(const struct value *value, struct text *out)
{
	if (value->ticks)
		value_add_number(value, out);
	else
		value_add_seconds(value->i, out);
}

void
group_add_key_text(const struct group_spec *spec, size_t name, const struct group_key *key,
		   struct text *out)
{
	struct value value = {.type = VALUE_UNSIGNED, .ticks = key->ticks};
	if (key->absent) {
		text_add_char(out, '-');
	} else if (key->is_number && value_is_duration(spec->by[name])) {
		if (key->number < 0) {
			value.type = VALUE_SIGNED;
			value.i = (int64_t)key->number;
		} else {
			value.u = (uint64_t)key->number;
		}
		value_add_duration(&value, out);
	} else if (key->is_number && value_is_time(spec->by[name]) && !key->ticks) {
		value_add_seconds((int64_t)key->number, out);
	} else {
		text_add_bytes(out, key->text, key->length);
	}
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
		text_addf(out, "%.0f%%", 100 * value.d);
	else if (group_is_time(spec, column))
		add_time(&value, out);
	else if (group_is_duration(spec, column))
		value_add_duration(&value, out);
	else if (value.type == VALUE_REAL)
		text_addf(out, "%.6g", value.d);
	else
		value_add_number(&value, out);
}

/* --- order ------------------------------------------------------------------------ */

/* A row among others, with what it is sorted by. */
struct group_place {
	long double number; /* if `column` is none of the names, and it has one */
	bool absent;
	size_t row;
};

struct group_order {
	struct group *group;
	unsigned column;
	bool upwards; /* from the least */
	size_t names; /* that tell rows apart */
};

/* Negative, 0 or positive as A stands before B, whatever is absent. */
static int
compare_keys(const struct group_key *a, const struct group_key *b)
{
	if (a->is_number && b->is_number && a->number != b->number)
		return a->number < b->number ? -1 : 1;
	size_t common = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->text, b->text, common);
	return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* By numbers; *ABSENT: one of them has none. */
static int
compare_numbers(const struct group_place *a, const struct group_place *b, bool *absent)
{
	*absent = a->absent != b->absent;
	return *absent ? a->absent - b->absent : (a->number > b->number) - (a->number < b->number);
}

/* By one of their names; *ABSENT: one of them has none. */
static int
compare_names(const struct group_row *a, const struct group_row *b, size_t name, bool *absent)
{
	const struct group_key *k = &a->keys[name], *l = &b->keys[name];
	*absent = k->absent != l->absent;
	return *absent ? k->absent - l->absent : compare_keys(k, l);
}

static int
compare_rows(const void *a, const void *b, void *context)
{
	const struct group_order *order = context;
	const struct group_place *x = a, *y = b;
	const struct group_row *first = group_row(order->group, x->row);
	const struct group_row *second = group_row(order->group, y->row);
	bool absent = false;
	int found;
	if (order->column >= GROUP_COLUMNS)
		found = compare_names(first, second, order->column - GROUP_COLUMNS, &absent);
	else
		found = compare_numbers(x, y, &absent);
	if (found)
		return absent || order->upwards ? found : -found;
	for (size_t i = 0; !found && i < order->names; i++)
		found = compare_names(first, second, i, &absent);
	return found;
}

/* The places of all rows, in the order in which they came. */
static struct group_place *
list_places(struct group *group, unsigned column, size_t count)
{
	struct group_place *places = mem_new((count + 1) * sizeof *places);
	for (size_t i = 0; i < count; i++) {
		struct value value = {0};
		places[i].row = i;
		if (column < GROUP_COLUMNS)
			group_value(group, i, (enum group_column)column, &value);
		places[i].absent = !value_number(&value, &places[i].number);
	}
	return places;
}

void
group_sort(struct group *group, unsigned column, bool backwards, size_t *order)
{
	bool upwards =
	    column >= GROUP_COLUMNS || column == GROUP_COLUMN_FIRST || column == GROUP_COLUMN_LAST;
	struct group_order by = {group, column, upwards != backwards, group_names(group)};
	size_t count = group_count(group);
	struct group_place *places = list_places(group, column, count);
	qsort_r(places, count, sizeof *places, compare_rows, &by);
	for (size_t i = 0; i < count; i++)
		order[i] = places[i].row;
	free(places);
}
