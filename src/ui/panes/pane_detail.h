/* The field under the cursor of the detail pane. */
#ifndef TRAWL_UI_PANE_DETAIL_H
#define TRAWL_UI_PANE_DETAIL_H

#include "decode/decoder.h"

struct screen;

/* Return that field of the selected message, or NULL. Borrowed until the selection changes. */
const struct field *detail_field(struct screen *);

#endif
