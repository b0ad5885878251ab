/*
 * `-t table`, `-t table-csv`, `-t table-jsonl`: see export_table.h.
 *
 * In text, a column is as wide as its widest cell, so every cell is formatted twice.  That
 * costs less than to keep the texts of millions of rows.  Times and durations have units
 * in text.  For programs they are nanoseconds, or empty if the rate of a clock is unknown.
 */
#include "config.h"

#include "export/export_table.h"
#include "export/export_flow.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 8 /* rows prefetched before they are written */ };

struct export_table {
	struct export_format format;
	struct group_spec spec;
	unsigned sort; /* as in group_sort */
	bool backwards;
};

/* The rows to write, with their context. */
struct table_page {
	struct group *group;
	const struct group_spec *spec;
	enum text_charset charset;
	int *widths;	       /* of columns, or NULL */
	struct text cell, key; /* scratch */
};

/* --- cells ------------------------------------------------------------------- */

/* Return the number of columns, names first.  CELL below is an index among them. */
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

/* Append the title of a column, safe. */
static void
add_title(const struct table_page *page, size_t cell, enum text_charset charset, struct text *out)
{
	const char *title = cell_title(page->spec, cell);
	text_add_safe(out, title, strlen(title), charset);
}

/* Append a cell as people read it, safe. */
static void
add_words(struct table_page *page, size_t row, size_t cell, struct text *out)
{
	const struct group_spec *spec = page->spec;
	struct group_key key;
	if (cell >= spec->by_count) {
		group_add_cell(page->group, spec, row, cell_column(spec, cell), out);
		return;
	}
	group_get_key(group_row(page->group, row), cell, &key);
	text_clear(&page->key);
	group_add_key_text(spec, cell, &key, &page->key);
	text_add_safe(out, text_get(&page->key), page->key.length, page->charset);
}

/* Append a cell for programs: a number, but never ticks in a column of nanoseconds. */
static void
add_digits(struct table_page *page, size_t row, size_t cell, const char *without, struct text *out)
{
	struct value value;
	enum group_column column = cell_column(page->spec, cell);
	group_value(page->group, row, column, &value);
	bool ticks =
	    value.ticks && (column != GROUP_COLUMN_VALUES || group_is_time(column) ||
			    group_is_duration(page->spec, column));
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
	if (key->absent)
		return;
	size_t start = out->length;
	text_add_safe(out, key->text, key->length, TEXT_UTF8);
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

/* Append the scratch cell, padded to its column: names to the left, numbers to the right. */
static void
add_padded(const struct table_page *page, size_t cell, struct text *out)
{
	int width = text_columns(text_get(&page->cell), page->cell.length, page->charset);
	size_t fill = (size_t)(page->widths[cell] - width);
	bool right = cell >= page->spec->by_count;
	text_add(out, cell ? "  " : "");
	text_add_fill(out, ' ', right ? fill : 0);
	text_add_bytes(out, page->cell.data, page->cell.length);
	text_add_fill(out, ' ', right ? 0 : fill);
}

static void
add_aligned_head(struct table_page *page, struct text *out)
{
	for (size_t c = 0, cells = cell_count(page->spec); c < cells; c++) {
		text_clear(&page->cell);
		add_title(page, c, page->charset, &page->cell);
		add_padded(page, c, out);
	}
	text_add_char(out, '\n');
}

static void
add_aligned(struct table_page *page, size_t row, struct text *out)
{
	for (size_t c = 0, cells = cell_count(page->spec); c < cells; c++) {
		text_clear(&page->cell);
		add_words(page, row, c, &page->cell);
		add_padded(page, c, out);
	}
	text_add_char(out, '\n');
}

static void
add_titles(struct table_page *page, char between, struct text *out)
{
	for (size_t c = 0, cells = cell_count(page->spec); c < cells; c++) {
		if (c)
			text_add_char(out, between);
		add_title(page, c, TEXT_UTF8, out);
	}
	text_add_char(out, '\n');
}

static void
add_tabs(struct table_page *page, size_t row, struct text *out)
{
	for (size_t c = 0, cells = cell_count(page->spec); c < cells; c++) {
		text_add(out, c ? "\t" : "");
		add_words(page, row, c, out);
	}
	text_add_char(out, '\n');
}

static void
add_csv(struct table_page *page, size_t row, struct text *out)
{
	struct group_key key;
	for (size_t c = 0, cells = cell_count(page->spec); c < cells; c++) {
		text_add(out, c ? "," : "");
		if (c >= page->spec->by_count) {
			add_digits(page, row, c, "", out);
			continue;
		}
		group_get_key(group_row(page->group, row), c, &key);
		add_csv_key(&key, out);
	}
	text_add_char(out, '\n');
}

static void
add_jsonl(struct table_page *page, size_t row, struct text *out)
{
	struct group_key key;
	for (size_t c = 0, cells = cell_count(page->spec); c < cells; c++) {
		const char *title = cell_title(page->spec, c);
		text_add_char(out, c ? ',' : '{');
		export_json_string(out, title, strlen(title));
		text_add_char(out, ':');
		if (c >= page->spec->by_count) {
			add_digits(page, row, c, "null", out);
			continue;
		}
		group_get_key(group_row(page->group, row), c, &key);
		add_json_key(&key, out);
	}
	text_add(out, "}\n");
}

static const struct {
	void (*row)(struct table_page *, size_t row, struct text *out);
	char between;	 /* between titles; 0: no titles */
	bool is_aligned; /* padded to the widths of columns */
} forms[] = {[EXPORT_ROWS_ALIGNED] = {add_aligned, 0, true},
	     [EXPORT_ROWS_TABS] = {add_tabs, '\t', false},
	     [EXPORT_ROWS_CSV] = {add_csv, ',', false},
	     [EXPORT_ROWS_JSON] = {add_jsonl, 0, false}};

/* Find the widths of columns.  Rows are read in memory order. */
static void
measure_columns(struct table_page *page)
{
	size_t cells = cell_count(page->spec), count = group_count(page->group);
	page->widths = mem_new((cells + 1) * sizeof *page->widths);
	for (size_t c = 0; c < cells; c++) {
		const char *title = cell_title(page->spec, c);
		page->widths[c] = text_columns(title, strlen(title), page->charset);
	}
	for (size_t row = 0; row < count; row++)
		for (size_t c = 0; c < cells; c++) {
			text_clear(&page->cell);
			add_words(page, row, c, &page->cell);
			int width =
			    text_columns(text_get(&page->cell), page->cell.length, page->charset);
			page->widths[c] = width > page->widths[c] ? width : page->widths[c];
		}
}

int
export_table_write_rows(enum export_rows rows, struct group *group, const struct group_spec *spec,
			const size_t *order, size_t count, enum text_charset charset,
			const struct export_sink *sink, struct err *err)
{
	struct table_page page = {.group = group, .spec = spec, .charset = charset};
	int failed = 0;
	if (forms[rows].is_aligned) {
		measure_columns(&page);
		add_aligned_head(&page, sink->out);
	} else if (forms[rows].between) {
		add_titles(&page, forms[rows].between, sink->out);
	}
	for (size_t i = 0; i < count && !failed; i++) {
		if (i + 2 * AHEAD < count)
			group_near_row(group, order[i + 2 * AHEAD]);
		if (i + AHEAD < count)
			group_nearer_row(group, order[i + AHEAD]);
		forms[rows].row(&page, order[i], sink->out);
		failed = export_sink_flush(sink, err);
	}
	text_free(&page.cell);
	text_free(&page.key);
	free(page.widths);
	return failed;
}

int
export_table_write(const struct export_table *table, struct group *group, enum text_charset charset,
		   const struct export_sink *sink, struct err *err)
{
	size_t count = group_count(group);
	group_end(group);
	size_t *order = mem_new((count + 1) * sizeof *order);
	group_sort(group, table->sort, table->backwards, order);
	int failed = export_table_write_rows(table->format.rows, group, &table->spec, order, count,
					     charset, sink, err);
	free(order);
	return failed;
}

/* --- options --------------------------------------------------------- */

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
	table->spec.columns = group_columns_all(&table->spec); /* columns that are not shown may
								  sort too */
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
	if (!format->rows &&
	    (wish->by || wish->sort || (wish->of && format->walk != export_why)))
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
	/* count a column that only sorts, too */
	if (table->sort < GROUP_COLUMNS)
		table->spec.counted = table->spec.columns | 1u << table->sort;
	else
		table->spec.counted = table->spec.columns;
	table->format = *format;
	table->format.table = table;
	table->format.needs = table->spec.needs;
	if (table->spec.counted & GROUP_TIME_COLUMNS)
		table->format.needs |= VALUE_NEEDS_CLOCKS;
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
export_table_explain_absent(const struct export_table *table, struct text *out)
{
	for (size_t i = 0; i < table->spec.by_count; i++)
		value_explain_absent(table->spec.by[i], NULL, out);
	if (table->spec.of)
		value_explain_absent(table->spec.of, NULL, out);
}

void
export_table_free(struct export_table *table)
{
	if (!table)
		return;
	group_spec_free(&table->spec);
	free(table);
}
