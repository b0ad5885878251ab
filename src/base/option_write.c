/*
 * Writing structs as YAML: see option.h.
 *
 * Scalars have the form that option_set() reads.  Texts that are not plain words get double quotes
 * and YAML's escapes.  Values without nested ones take one line, so that people can read and edit
 * a table of columns or colours.  Comments of a file are lost, because they are not read.
 */
#include "config.h"

#include "base/option.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { FLAT_MAX = 16 }; /* members on one line */

/* --- scalars ----------------------------------------------------------- */

static bool
is_plain(const char *text)
{
	static const char *const words[] = {"null", "true", "false", "yes", "no", "on",
					    "off",  "y",    "n",     "Y",   "N"};
	size_t length = strlen(text);
	if (!length || strspn(text, "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != length)
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(text, words[i]))
			return false;
	return text[0] > '9'; /* no number, no dash of a list */
}

void
option_quote(const char *text, struct text *out)
{
	size_t length = strlen(text);
	text_add_char(out, '"');
	while (length) {
		uint32_t code;
		size_t taken = text_decode(text, length, &code);
		if (!taken) {
			code = 0xfffd; /* YAML cannot hold other bytes */
			taken = 1;
		}
		if (code == '"' || code == '\\')
			text_addf(out, "\\%c", (char)code);
		else if (text_is_control(code) || code == 0xfffd)
			text_addf(out, "\\U%08x", (unsigned)code);
		else
			text_add_bytes(out, text, taken);
		text += taken;
		length -= taken;
	}
	text_add_char(out, '"');
}

bool
option_get(const struct option_row *row, const void *object, struct text *out)
{
	const void *at = (const char *)object + row->member;
	switch (row->type) {
	case OPTION_BOOL:
		text_add(out, *(const bool *)at ? "true" : "false");
		return true;
	case OPTION_UINT:
		text_addf(out, row->hex ? "%#llx" : "%llu",
			  (unsigned long long)*(const uint64_t *)at);
		return true;
	case OPTION_INT:
		text_addf(out, row->hex && *(const int64_t *)at > 0 ? "%#llx" : "%lld",
			  (long long)*(const int64_t *)at);
		return true;
	case OPTION_NUMBER:
		text_addf(out, "%.17g", *(const double *)at);
		return true;
	case OPTION_CHOICE:
		text_add(out, row->choices[*(const int *)at]);
		return true;
	case OPTION_TEXT:
		if (!*(char *const *)at)
			return false;
		text_add(out, *(char *const *)at);
		return true;
	case OPTION_STRUCT:
	case OPTION_LIST:
	case OPTION_ANY:
		break;
	}
	return false;
}

static void
add_scalar(const char *text, struct text *out)
{
	if (is_plain(text))
		text_add(out, text);
	else
		option_quote(text, out);
}

/* Append the scalar.  Return false if it is absent. */
static bool
write_scalar(const struct option_row *row, const void *object, struct text *out)
{
	struct text value = {0};
	bool there = option_get(row, object, &value);
	if (there && row->type == OPTION_TEXT)
		add_scalar(text_get(&value), out);
	else if (there)
		text_add(out, text_get(&value));
	text_free(&value);
	return there;
}

/* --- on one line ------------------------------------------------------- */

static bool
is_flat(const struct option_table *table)
{
	if (table->count > FLAT_MAX)
		return false;
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].type == OPTION_STRUCT || table->rows[i].type == OPTION_LIST)
			return false;
	return true;
}

static void *
make_standard(const struct option_table *table)
{
	void *standard = mem_new(table->size);
	option_defaults(table, standard);
	return standard;
}

static void
free_standard(const struct option_table *table, void *standard)
{
	option_release(table, standard);
	free(standard);
}

/* True if a scalar equals the one in STANDARD. */
static bool
is_standard(const struct option_row *row, const void *object, const void *standard)
{
	struct text own = {0}, usual = {0};
	bool there = option_get(row, object, &own), usually = option_get(row, standard, &usual);
	bool same = there == usually && !strcmp(text_get(&own), text_get(&usual));
	text_free(&own);
	text_free(&usual);
	return same;
}

static void
write_flat(const struct option_table *table, const void *object, struct text *out)
{
	void *standard = make_standard(table);
	const char *before = "";
	text_add_char(out, '{');
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		size_t start = out->length;
		if (!row->required && is_standard(row, object, standard))
			continue;
		text_addf(out, "%s%s: ", before, row->name);
		if (write_scalar(row, object, out))
			before = ", ";
		else
			text_cut(out, start);
	}
	text_add_char(out, '}');
	free_standard(table, standard);
}

/* --- in blocks --------------------------------------------------------- */

/* Write all rows, or, with STANDARD, only those that differ from it. */
static bool write_block(const struct option_table *, const void *object, const void *standard,
			int indent, struct text *);

static void
write_item(const struct option_table *table, const void *item, bool all, int indent,
	   struct text *out)
{
	size_t start = out->length;
	if (is_flat(table)) {
		text_addf(out, "%*s- ", indent, "");
		write_flat(table, item, out);
		text_add_char(out, '\n');
		return;
	}
	void *standard = all ? NULL : make_standard(table);
	if (write_block(table, item, standard, indent + 2, out))
		out->data[start + (size_t)indent] = '-';
	else
		text_addf(out, "%*s- {}\n", indent, "");
	if (standard)
		free_standard(table, standard);
}

static void
write_list(const struct option_row *row, const struct option_list *list, bool all, int indent,
	   struct text *out)
{
	text_addf(out, "%*s%s:%s\n", indent, "", row->name, list->count ? "" : " []");
	for (size_t i = 0; i < list->count; i++) {
		if (row->table) {
			write_item(row->table, (const char *)list->at + i * row->table->size, all,
				   indent + 2, out);
			continue;
		}
		text_addf(out, "%*s  - ", indent, "");
		add_scalar(((char *const *)list->at)[i], out);
		text_add_char(out, '\n');
	}
}

static bool is_changed(const struct option_table *, const void *object, const void *standard);

/* True if a row differs from STANDARD.  A struct that records whether it was given must be
 * given. */
static bool
is_row_changed(const struct option_row *row, const void *object, const void *standard)
{
	const struct option_list *list = (const void *)((const char *)object + row->member);
	if (row->given && !*((const bool *)((const char *)object + row->given)))
		return false;
	if (row->type == OPTION_LIST)
		return list->count;
	if (row->type == OPTION_STRUCT)
		return is_changed(row->table, list, (const char *)standard + row->member);
	return !is_standard(row, object, standard);
}

static bool
is_changed(const struct option_table *table, const void *object, const void *standard)
{
	bool changed = false;
	for (size_t i = 0; i < table->count && !changed; i++)
		changed = is_row_changed(&table->rows[i], object, standard);
	return changed;
}

static void
write_struct(const struct option_row *row, const void *at, const void *standard, int indent,
	     struct text *out)
{
	text_addf(out, "%*s%s:", indent, "", row->name);
	if (is_flat(row->table)) {
		text_add_char(out, ' ');
		write_flat(row->table, at, out);
		text_add_char(out, '\n');
	} else {
		text_add_char(out, '\n');
		write_block(row->table, at, standard, indent + 2, out);
	}
}

static bool
write_row(const struct option_row *row, const void *object, const void *standard, int indent,
	  struct text *out)
{
	const void *at = (const char *)object + row->member;
	size_t start = out->length;
	if (row->given && !*((const bool *)((const char *)object + row->given)))
		return false;
	if (standard && !row->required && !is_row_changed(row, object, standard))
		return false;
	if (row->type == OPTION_STRUCT) {
		if (standard)
			standard = (const char *)standard + row->member;
		write_struct(row, at, standard, indent, out);
		return true;
	}
	if (row->type == OPTION_LIST) {
		write_list(row, at, !standard, indent, out);
		return true;
	}
	text_addf(out, "%*s%s: ", indent, "", row->name);
	bool there = write_scalar(row, object, out);
	if (there)
		text_add_char(out, '\n');
	else
		text_cut(out, start);
	return there;
}

static bool
write_block(const struct option_table *table, const void *object, const void *standard, int indent,
	    struct text *out)
{
	bool any = false;
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].type != OPTION_ANY)
			any |= write_row(&table->rows[i], object, standard, indent, out);
	return any;
}

void
option_write(const struct option_table *table, const void *object, struct text *out)
{
	write_block(table, object, NULL, 0, out);
}

bool
option_write_changed(const struct option_table *table, const struct option_row *row,
		     const void *object, int indent, struct text *out)
{
	void *standard = make_standard(table);
	bool any = row ? write_row(row, object, standard, indent, out)
		       : write_block(table, object, standard, indent, out);
	free_standard(table, standard);
	return any;
}
