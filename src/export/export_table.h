/*
 * Tables in place of messages: counts of messages for each group, and statistics of their
 * numbers; see query/group/group.h.
 */
#ifndef TRAWL_EXPORT_EXPORT_TABLE_H
#define TRAWL_EXPORT_EXPORT_TABLE_H

#include "export/export.h"
#include "query/group/group.h"

/* Options of a table; NULL: not given. */
struct export_table_wish {
	const char *by, *of; /* as in group_spec_make */
	const char *columns; /* columns of struct group_row, separated by commas; NULL: all */
	const char *sort;    /* a column or a name, `-` before it reverses; NULL: by count */
};

/* Create a table format from FORMAT, for export_table_format().  *TABLE is NULL if FORMAT writes
 * messages.  Return 0, or ERR_USAGE, also for table options with such a format. */
int export_table_new(const struct export_format *, const struct export_table_wish *,
		     const struct session *, struct export_table **, struct err *);
const struct export_format *export_table_format(const struct export_table *);
/* Append a line for each field or argument that no counted message had. */
void export_table_explain_absent(const struct export_table *, struct text *out);
void export_table_free(struct export_table *); /* NULL is fine */

/* Return the specification of its groups. */
const struct group_spec *export_table_spec(const struct export_table *);

/* Write all rows of a group, in the order of `sort`.  Return 0 or ERR_IO. */
int export_table_write(const struct export_table *, struct group *, enum text_charset,
		       const struct export_sink *, struct err *);

/* Write all rows of a group in the given order.  A sink without `flush` keeps everything. */
int export_table_write_rows(enum export_rows, struct group *, const struct group_spec *,
			    const size_t *order, size_t count, enum text_charset,
			    const struct export_sink *, struct err *);

#endif
