/*
 * `-t table`, `-t table-csv`, `-t table-jsonl`: see export_table.h.
 *
 * As text, columns are as wide as their widest cell, so every cell is formatted twice.  Times
 * and durations have units there; for programs they are nanoseconds, and nothing where the
 * rate of a clock is not known.
 */
#include "config.h"

#include "export/export_table.h"

#include <stdlib.h>
#include <string.h>

struct export_table {
	struct export_format format;
	struct group_spec spec;
	unsigned sort; /* as of group_sort */
	bool backwards;
};

/* --- cells ------------------------------------------------------------------- */

/* How many columns there are, names first, and what number CELL is of group_sort. */
static size_t
cell_count(const struct group_spec *spec)
{
	size_t count = spec->by_count;
	for (unsigned c = 0; c < GROUP_COLUMNS; c++)
		count += spec->columns >> c & 1;
	return count;
}

static enum group_column
cell_column(const struct group_spec *spec, size_t cell)
{
	unsigned c = 0;
	for (size_t before = cell - spec->by_count;; c++)
		if (spec->columns >> c & 1 && !before--)
			return (enum group_column)c;
}

static const char *
cell_title(const struct group_spec *spec, size_t cell)
{
	return cell < spec->by_count ? value_name_text(spec->by[cell])
				     : group_column_names[cell_column(spec, cell)];
}

/* Appends a cell as people read it, safe. */
static void
add_words(struct group *group, const struct group_spec *spec, size_t row, size_t cell,
	  enum text_charset charset, struct text *out)
{
	if (cell >= spec->by_count) {
		group_add_cell(group, spec, row, cell_column(spec, cell), out);
		return;
	}
	struct text key = {0};
	group_add_key_text(spec, cell, &group_row(group, row)->keys[cell], &key);
	text_add_safe(out, text_get(&key), key.length, charset);
	text_free(&key);
}

/* What programs get of a column: numbers, but no ticks among nanoseconds. */
static void
add_digits(struct group *group, const struct group_spec *spec, size_t row, size_t cell,
	   const char *without, struct text *out)
{
	struct value value;
	enum group_column column = cell_column(spec, cell);
	group_value(group, row, column, &value);
	bool ticks = value.ticks && (column != GROUP_COLUMN_VALUES || group_is_time(spec, column) ||
				     group_is_duration(spec, column));
	if (value.type == VALUE_ABSENT || ticks)
		text_add(out, without);
	else
		value_add_number(&value, out);
}

static void
add_csv_key(const struct group_key *key, struct text *out)
{
	if (key->is_number && key->is_plain) {
		text_add_bytes(out, key->text, key->length);
		return;
	}
	size_t start = out->length;
	text_add_safe(out, key->text, key->length, TEXT_UTF8);
	if (!key->absent)
		export_csv_quote(out, start);
}

static void
add_json_key(const struct group_key *key, struct text *out)
{
	if (key->absent)
		text_add(out, "null");
	else if (key->is_number && key->is_plain)
		text_add_bytes(out, key->text, key->length);
	else
		export_json_string(out, key->text, key->length);
}

/* --- rows --------------------------------------------------------------------- */

static void
add_aligned(struct group *group, const struct group_spec *spec, const size_t *order, size_t count,
	    enum text_charset charset, struct text *out)
{
	size_t cells = cell_count(spec);
	int *widths = mem_new((cells + 1) * sizeof *widths);
	struct text cell = {0};
	/* row COUNT: first to measure, then to write: the titles are row 0 of each */
	for (size_t turn = 0; turn < 2 * (count + 1); turn++) {
		size_t row = turn % (count + 1);
		for (size_t c = 0; c < cells; c++) {
			text_clear(&cell);
			if (row)
				add_words(group, spec, order[row - 1], c, charset, &cell);
			else
				text_add(&cell, cell_title(spec, c));
			int width = text_columns(text_get(&cell), cell.length);
			if (turn <= count) {
				widths[c] = width > widths[c] ? width : widths[c];
				continue;
			}
			bool right = c >= spec->by_count;
			text_addf(out, "%s%*s", c ? "  " : "", right ? widths[c] - width : 0, "");
			text_add_bytes(out, text_get(&cell), cell.length);
			text_addf(out, "%*s", right ? 0 : widths[c] - width, "");
		}
		if (turn > count)
			text_add_char(out, '\n');
	}
	text_free(&cell);
	free(widths);
}

void
export_table_add_tabs(struct group *group, const struct group_spec *spec, const size_t *order,
		      size_t count, enum text_charset charset, struct text *out)
{
	size_t cells = cell_count(spec);
	for (size_t c = 0; c < cells; c++)
		text_addf(out, "%s%s", c ? "\t" : "", cell_title(spec, c));
	text_add_char(out, '\n');
	for (size_t i = 0; i < count; i++) {
		for (size_t c = 0; c < cells; c++) {
			text_add(out, c ? "\t" : "");
			add_words(group, spec, order[i], c, charset, out);
		}
		text_add_char(out, '\n');
	}
}

static void
add_csv(struct group *group, const struct group_spec *spec, const size_t *order, size_t count,
	struct text *out)
{
	size_t cells = cell_count(spec);
	for (size_t c = 0; c < cells; c++)
		text_addf(out, "%s%s", c ? "," : "", cell_title(spec, c));
	text_add_char(out, '\n');
	for (size_t i = 0; i < count; i++) {
		const struct group_row *row = group_row(group, order[i]);
		for (size_t c = 0; c < cells; c++) {
			text_add(out, c ? "," : "");
			if (c < spec->by_count)
				add_csv_key(&row->keys[c], out);
			else
				add_digits(group, spec, order[i], c, "", out);
		}
		text_add_char(out, '\n');
	}
}

static void
add_jsonl(struct group *group, const struct group_spec *spec, const size_t *order, size_t count,
	  struct text *out)
{
	size_t cells = cell_count(spec);
	for (size_t i = 0; i < count; i++) {
		const struct group_row *row = group_row(group, order[i]);
		for (size_t c = 0; c < cells; c++) {
			const char *title = cell_title(spec, c);
			text_add_char(out, c ? ',' : '{');
			export_json_string(out, title, strlen(title));
			text_add_char(out, ':');
			if (c < spec->by_count)
				add_json_key(&row->keys[c], out);
			else
				add_digits(group, spec, order[i], c, "null", out);
		}
		text_add(out, "}\n");
	}
}

void
export_table_add_rows(enum export_rows rows, struct group *group, const struct group_spec *spec,
		      const size_t *order, size_t count, enum text_charset charset,
		      struct text *out)
{
	switch (rows) {
	case EXPORT_ROWS_CSV:
		add_csv(group, spec, order, count, out);
		break;
	case EXPORT_ROWS_JSON:
		add_jsonl(group, spec, order, count, out);
		break;
	case EXPORT_NO_ROWS:
	case EXPORT_ROWS_ALIGNED:
		add_aligned(group, spec, order, count, charset, out);
		break;
	}
}

void
export_table_write(const struct export_table *table, struct group *group, enum text_charset charset,
		   struct text *out)
{
	size_t count = group_count(group);
	size_t *order = mem_new((count + 1) * sizeof *order);
	group_sort(group, table->sort, table->backwards, order);
	export_table_add_rows(table->format.rows, group, &table->spec, order, count, charset, out);
	free(order);
}

/* --- what is asked for ------------------------------------------------------------ */

static int
refuse_column(const struct group_spec *spec, const char *option, const char *name, int length,
	      struct err *err)
{
	struct text names = {0};
	for (unsigned c = 0; c < GROUP_COLUMNS; c++)
		if (group_columns_all(spec) >> c & 1)
			text_addf(&names, "%s%s", names.length ? ", " : "", group_column_names[c]);
	err_set(err, ERR_USAGE, "--%s: the table has no column \"%.*s\"; it has %s", option,
		length > 60 ? 60 : length, name, text_get(&names));
	text_free(&names);
	return ERR_USAGE;
}

static int
read_columns(struct group_spec *spec, const char *list, struct err *err)
{
	unsigned all = group_columns_all(spec), chosen = 0;
	for (const char *at = list; at && *at;) {
		size_t length = strcspn(at, ",");
		unsigned c = 0;
		while (c < GROUP_COLUMNS &&
		       (!(all >> c & 1) || strlen(group_column_names[c]) != length ||
			strncmp(group_column_names[c], at, length) != 0))
			c++;
		if (c == GROUP_COLUMNS)
			return refuse_column(spec, "columns", at, (int)length, err);
		chosen |= 1u << c;
		at += length + (at[length] == ',');
	}
	if (chosen)
		spec->columns = chosen;
	return 0;
}

static int
read_sort(struct export_table *table, const char *sort, struct err *err)
{
	const char *name = sort ? sort : group_column_names[GROUP_COLUMN_COUNT];
	table->backwards = *name == '-';
	name += table->backwards;
	unsigned columns = table->spec.columns;
	table->spec.columns = group_columns_all(&table->spec); /* those that are not shown, too */
	int column = group_find_column(&table->spec, name);
	table->spec.columns = columns;
	if (column < 0)
		return refuse_column(&table->spec, "sort", name, (int)strlen(name), err);
	table->sort = (unsigned)column;
	return 0;
}

int
export_table_new(const struct export_format *format, const struct export_table_wish *wish,
		 const struct session *session, struct export_table **out, struct err *err)
{
	*out = NULL;
	if (!format->rows && (wish->by || wish->of || wish->sort))
		return err_set(
		    err, ERR_USAGE,
		    "--by, --of and --sort are for -t table, table-csv and table-jsonl, not %s",
		    format->name);
	if (!format->rows)
		return 0;
	struct export_table *table = mem_new(sizeof *table);
	int failed = group_spec_make(&table->spec, wish->by, wish->of, session, err);
	if (!failed)
		failed = read_columns(&table->spec, wish->columns, err);
	if (!failed)
		failed = read_sort(table, wish->sort, err);
	if (failed) {
		export_table_free(table);
		return failed;
	}
	/* a column that only sorts is counted all the same */
	if (table->sort < GROUP_COLUMNS)
		table->spec.counted = table->spec.columns | 1u << table->sort;
	else
		table->spec.counted = table->spec.columns;
	table->format = *format;
	table->format.table = table;
	table->format.timed =
	    table->spec.needs & VALUE_NEEDS_CLOCKS ||
	    table->spec.counted &
		(1u << GROUP_COLUMN_FIRST | 1u << GROUP_COLUMN_LAST | 1u << GROUP_COLUMN_GAP);
	table->format.contexts = table->spec.needs & VALUE_NEEDS_CONTEXTS;
	table->format.intervals = table->spec.needs & VALUE_NEEDS_INTERVALS;
	table->format.spans = table->spec.needs & VALUE_NEEDS_SPANS;
	table->format.uses = table->spec.needs & VALUE_NEEDS_GAPS ? EXPORT_GAP : 0;
	*out = table;
	return 0;
}

const struct export_format *
export_table_format(const struct export_table *table)
{
	return &table->format;
}

const struct group_spec *
export_table_spec(const struct export_table *table)
{
	return &table->spec;
}

void
export_table_free(struct export_table *table)
{
	if (!table)
		return;
	group_spec_free(&table->spec);
	free(table);
}
