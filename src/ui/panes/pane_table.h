/*
 * The table pane, for the commands.
 */
#ifndef TRAWL_UI_PANE_TABLE_H
#define TRAWL_UI_PANE_TABLE_H

#include "export/export.h"

#include <stdbool.h>

struct screen;

/* Group by `NAMES of NAME`. NULL: by the field under the cursor if the detail pane has the focus,
 * else by origin. On an unknown name, show an error and return false. */
bool table_set_names(struct screen *, const char *names);

/* Append the rows as a table of the file format.  Return their number; *COMPLETE is false while
 * they are still counted. */
size_t table_add_rows(struct screen *, enum export_rows, struct text *out, bool *complete);

#endif
