/*
 * The table pane, for the commands.
 */
#ifndef TRAWL_UI_PANE_TABLE_H
#define TRAWL_UI_PANE_TABLE_H

#include "export/export.h"

#include <stdbool.h>

struct screen;

/* Append the rows as a table of the file format.  Return their number; *COMPLETE is false while
 * they are still counted. */
size_t table_add_rows(struct screen *, enum export_rows, struct text *out, bool *complete);

#endif
