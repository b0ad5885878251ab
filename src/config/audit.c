/*
 * Finding mistakes in a YAML text: see audit.h.
 *
 * The audit walks the tree of the text along the option tables.  option_set() checks each value on
 * a scratch object.  Checks that need several members happen later, while loading.  Everything
 * that an alias expands to has the place of the alias.
 */
#include "config.h"

#include "config/audit.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct audit_walk {
	struct audit *audit;
	const struct option_table *root;
	struct text path;		    /* of the current value */
	const struct survey_place *instead; /* place of the alias that leads here, or NULL */
};

/* --- faults ------------------------------------------------------------ */

void
audit_add(struct audit *audit, struct survey_place place, const char *format, ...)
{
	struct text what = {0};
	va_list args;
	va_start(args, format);
	text_addv(&what, format, args);
	va_end(args);
	*vec_add(&audit->faults) = (struct audit_fault){place, what.data};
}

static int
compare_faults(const void *a, const void *b)
{
	const struct survey_place *p = &((const struct audit_fault *)a)->place,
				  *q = &((const struct audit_fault *)b)->place;
	if (p->line != q->line)
		return p->line < q->line ? -1 : 1;
	return p->column < q->column ? -1 : p->column > q->column;
}

/* Write as many faults as fit.  Their sentences may quote the file. */
static void
write_faults(const struct audit *audit, const char *name, struct err *err)
{
	enum { REST = 32 }; /* bytes for "and N more" */
	struct text out = {0}, line = {0};
	size_t i = 0;
	for (; i < audit->faults.count && i < AUDIT_SHOWN; i++) {
		const struct audit_fault *fault = &audit->faults.at[i];
		text_clear(&line);
		text_addf(&line, "%s%s:%zu:%zu: ", i ? "\n" : "", name, fault->place.line,
			  fault->place.column);
		text_add_safe(&line, fault->what, strlen(fault->what), TEXT_UTF8);
		if (i && out.length + line.length + REST > sizeof err->what)
			break;
		text_add_bytes(&out, line.data, line.length);
	}
	if (i < audit->faults.count)
		text_addf(&out, "\nand %zu more", audit->faults.count - i);
	err_set(err, ERR_CONFIG, "%s", text_get(&out));
	text_free(&out);
	text_free(&line);
}

int
audit_report(struct audit *audit, const char *name, struct err *err)
{
	size_t count = audit->faults.count;
	if (count)
		qsort(audit->faults.at, count, sizeof *audit->faults.at, compare_faults);
	if (count && err)
		write_faults(audit, name, err);
	for (size_t i = 0; i < count; i++)
		free(audit->faults.at[i].what);
	vec_free(&audit->faults);
	return count ? ERR_CONFIG : 0;
}

/* --- the walk ---------------------------------------------------------- */

static struct survey_place
place_of_node(const struct audit_walk *walk, const struct survey_node *node)
{
	return walk->instead ? *walk->instead : node->place;
}

static const char *
path_or_file(const struct audit_walk *walk)
{
	return walk->path.length ? walk->path.data : "the file";
}

/* True if a value means the same as an absent one, by libcyaml's rules. */
static bool
is_nothing(const struct survey_node *node)
{
	static const char *const words[] = {"", "~", "null", "Null", "NULL"};
	if (node->shape != SURVEY_VALUE)
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(node->text, words[i]))
			return true;
	return false;
}

/* Check the shape of a value.  The error shows an example for KEY, unless that is NULL. */
static bool
check_shape(struct audit_walk *walk, const struct survey_node *node, enum survey_shape shape,
	    const char *key)
{
	static const char *const names[] = {[SURVEY_VALUE] = "a single value",
					    [SURVEY_LIST] = "a list",
					    [SURVEY_MAPPING] = "a mapping"};
	static const char *const forms[] = {
	    [SURVEY_VALUE] = "WORD", [SURVEY_LIST] = "[...]", [SURVEY_MAPPING] = "{...}"};
	struct text example = {0};
	if (key)
		text_addf(&example, ", for example \"%s: %s\"", key, forms[shape]);
	if (node->shape != shape)
		audit_add(walk->audit, place_of_node(walk, node), "%s is %s; expected %s%s",
			  path_or_file(walk), names[node->shape], names[shape], text_get(&example));
	text_free(&example);
	return node->shape == shape;
}

enum { LEVELS_MAX = 5 };

/* Append the keys that lead from TABLE to a row called NAME, exactly LEVELS below.  Return false if
 * there is none. */
static bool
find_below(const struct option_table *table, const char *name, int levels, struct text *keys)
{
	size_t before = keys->length;
	if (!levels)
		return option_find(table, name);
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		if (!row->table)
			continue;
		text_addf(keys, "%s: %s", row->name, row->type == OPTION_LIST ? "- " : "");
		if (find_below(row->table, name, levels - 1, keys))
			return true;
		text_cut(keys, before);
	}
	return false;
}

/* Append the place of a key that is known at another level.  Return false if it is not. */
static bool
add_level(const struct option_table *root, const char *name, struct text *out)
{
	struct text keys = {0};
	bool found = false;
	for (int levels = 0; levels <= LEVELS_MAX && !found; levels++)
		found = find_below(root, name, levels, &keys);
	if (found)
		text_addf(out, "it belongs under %s%s:", text_get(&keys), name);
	text_free(&keys);
	return found;
}

static void
complain_of_key(struct audit_walk *walk, const struct option_table *table,
		const struct survey_node *key)
{
	const char *near = strlen(key->text) < 64 ? option_nearest(table, key->text) : NULL;
	struct text expected = {0};
	bool known = !near && add_level(walk->root, key->text, &expected);
	if (near)
		text_addf(&expected, "did you mean %s?", near);
	else if (!known)
		text_add(&expected, "expected one of");
	for (size_t i = 0; !near && !known && i < table->count; i++)
		text_addf(&expected, "%s %s", i ? "," : "", table->rows[i].name);
	audit_add(walk->audit, place_of_node(walk, key), "unknown key %.60s in %s; %s", key->text,
		  path_or_file(walk), text_get(&expected));
	text_free(&expected);
}

static void check_table(struct audit_walk *, const struct survey_node *,
			const struct option_table *);

static void
check_list(struct audit_walk *walk, const struct survey_node *list, const struct option_row *row)
{
	size_t outer = walk->path.length, i = 0;
	for (const struct survey_node *item = list->first; item; item = item->next) {
		text_addf(&walk->path, "[%zu]", i++);
		if (row->table)
			check_table(walk, item, row->table);
		else if (is_nothing(item))
			audit_add(walk->audit, place_of_node(walk, item),
				  "%s is empty; expected text", walk->path.data);
		else
			check_shape(walk, item, SURVEY_VALUE, NULL);
		text_cut(&walk->path, outer);
	}
}

/* Append the plain number that a number with a unit, as `48 MHz`, stands for. */
static void
add_number(const char *given, const struct option_row *row, void *scratch, struct text *out)
{
	static const char prefixes[] = "kMG";
	char *end, plain[40], buffer[256];
	double number = strtod(given, &end);
	if (end == given || (row->type != OPTION_UINT && row->type != OPTION_NUMBER))
		return;
	end += strspn(end, " ");
	const char *prefix = *end ? strchr(prefixes, *end) : NULL;
	if (!prefix || (end[1] && strcmp(end + 1, "Hz") != 0))
		return;
	for (const char *p = prefixes; p <= prefix; p++)
		number *= 1000;
	snprintf(plain, sizeof plain, "%.17g", number);
	if (!option_set(row, scratch, plain, buffer))
		text_addf(out, ", for example \"%s: %s\"", row->name, plain);
}

static void
complain_of_value(struct audit_walk *walk, const struct survey_node *value,
		  const struct option_row *row, void *scratch, const char *expected)
{
	struct text example = {0};
	add_number(value->text, row, scratch, &example);
	audit_add(walk->audit, place_of_node(walk, value), "%s is \"%.60s\"; expected %s%s",
		  walk->path.data, value->text, expected, text_get(&example));
	text_free(&example);
}

/* Check a value.  SCRATCH is an object of the row's table. */
static void
check_value(struct audit_walk *walk, const struct survey_node *value, const struct option_row *row,
	    void *scratch)
{
	char buffer[256];
	if (row->type == OPTION_ANY || is_nothing(value))
		return;
	if (row->type == OPTION_STRUCT) {
		check_table(walk, value, row->table);
	} else if (row->type == OPTION_LIST) {
		if (check_shape(walk, value, SURVEY_LIST, row->name))
			check_list(walk, value, row);
	} else if (check_shape(walk, value, SURVEY_VALUE, row->name)) {
		const char *expected = option_set(row, scratch, value->text, buffer);
		if (expected)
			complain_of_value(walk, value, row, scratch, expected);
	}
}

/* Same, with the path of the value.  An alias sets the place of its contents. */
static void
enter_value(struct audit_walk *walk, const struct survey_node *value, const struct option_row *row,
	    void *scratch)
{
	size_t outer = walk->path.length;
	const struct survey_place *instead = walk->instead;
	text_addf(&walk->path, "%s%s", outer ? "." : "", row->name);
	if (value->alias && !instead)
		walk->instead = &value->place;
	check_value(walk, value, row, scratch);
	walk->instead = instead;
	text_cut(&walk->path, outer);
}

/* Check the keys of a mapping, and set SEEN for each row with a value.  Return true if all are
 * known. */
static bool
check_keys(struct audit_walk *walk, const struct survey_node *mapping,
	   const struct option_table *table, bool *seen)
{
	void *scratch = mem_new(table->size);
	bool *named = mem_new(table->count + 1), known = true;
	for (const struct survey_node *key = mapping->first; key; key = key->next->next) {
		const struct option_row *row = option_find(table, key->text);
		if (!row) {
			complain_of_key(walk, table, key);
			known = false;
			continue;
		}
		size_t i = (size_t)(row - table->rows);
		if (named[i])
			audit_add(walk->audit, place_of_node(walk, key),
				  "%s%s%s stands here twice; expected it once",
				  text_get(&walk->path), walk->path.length ? "." : "", row->name);
		named[i] = true;
		seen[i] = !is_nothing(key->next);
		enter_value(walk, key->next, row, scratch);
	}
	option_release(table, scratch);
	free(scratch);
	free(named);
	return known;
}

static void
check_table(struct audit_walk *walk, const struct survey_node *mapping,
	    const struct option_table *table)
{
	const struct survey_place *instead = walk->instead;
	if (mapping->alias && !instead)
		walk->instead = &mapping->place;
	if (check_shape(walk, mapping, SURVEY_MAPPING, NULL)) {
		bool *seen = mem_new(table->count + 1);
		/* an unknown key may be a misspelt required one */
		bool known = check_keys(walk, mapping, table, seen);
		for (size_t i = 0; known && i < table->count; i++) {
			const struct option_row *row = &table->rows[i];
			if (row->required && !seen[i])
				audit_add(walk->audit, place_of_node(walk, mapping),
					  "%s has no %s; expected %s: %s", path_or_file(walk),
					  row->name, row->name, row->help ? row->help : "a value");
		}
		free(seen);
	}
	walk->instead = instead;
}

void
audit_check(struct audit *audit, const struct survey_node *root, const struct option_table *table)
{
	struct audit_walk walk = {.audit = audit, .root = table};
	if (root && !is_nothing(root))
		check_table(&walk, root, table);
	text_free(&walk.path);
}
