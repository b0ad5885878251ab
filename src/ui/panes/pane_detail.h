/* What the detail pane tells others: the field under its cursor. */
#ifndef TRAWL_UI_PANE_DETAIL_H
#define TRAWL_UI_PANE_DETAIL_H

#include "decode/decoder.h"

struct screen;

/* Of the selected message; NULL if it has none.  Borrowed until the selection
 * changes. */
const struct field *detail_field(struct screen *);

#endif
