/*
 * Tables: how many messages there are of each sort, and what numbers they have, in place of
 * messages; see query/group/group.h.
 */
#ifndef TRAWL_EXPORT_EXPORT_TABLE_H
#define TRAWL_EXPORT_EXPORT_TABLE_H

#include "export/export.h"
#include "query/group/group.h"

/* What is asked for; NULL: nothing of it. */
struct export_table_wish {
	const char *by, *of; /* as of group_spec_make */
	const char *columns; /* of struct group_row, with commas between; NULL: all */
	const char *sort;    /* a column or a name, `-` in front: the other way; NULL: count */
};

/* Makes of FORMAT one of such a table, in export_table_format(); *TABLE is NULL if FORMAT is of
 * messages.  0, or ERR_USAGE, also if a table is asked for where there is none. */
int export_table_new(const struct export_format *, const struct export_table_wish *,
		     const struct session *, struct export_table **, struct err *);
const struct export_format *export_table_format(const struct export_table *);
void export_table_free(struct export_table *); /* NULL is fine */

/* What its rows are made by. */
const struct group_spec *export_table_spec(const struct export_table *);

/* Writes all rows of a group, in the order asked for; 0 or ERR_IO. */
int export_table_write(const struct export_table *, struct group *, enum text_charset,
		       const struct export_sink *, struct err *);

/* Writes all rows of a group in an order, as a format has them; a sink without `flush` keeps
 * all. */
int export_table_write_rows(enum export_rows, struct group *, const struct group_spec *,
			    const size_t *order, size_t count, enum text_charset,
			    const struct export_sink *, struct err *);

#endif
