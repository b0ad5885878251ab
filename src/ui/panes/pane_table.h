/*
 * The pane of a table, as the commands see it.
 */
#ifndef TRAWL_UI_PANE_TABLE_H
#define TRAWL_UI_PANE_TABLE_H

#include "export/export.h"

#include <stdbool.h>

struct screen;

/* Groups by `NAMES of NAME`; NULL: by origin, or by the field under the cursor of the detail
 * pane if that has the cursor.  False, and said why, if there is no such name. */
bool table_set_names(struct screen *, const char *names);

/* Append the rows as a table of the file format.  Return their number; *COMPLETE is false while
 * they are still counted. */
size_t table_add_rows(struct screen *, enum export_rows, struct text *out, bool *complete);

#endif
