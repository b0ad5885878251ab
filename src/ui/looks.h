/*
 * What the screen looks like and which keys it has: a view, a theme and keys.
 * Together they are what --dump-config prints and --config and :source read.
 */
#ifndef TRAWL_UI_LOOKS_H
#define TRAWL_UI_LOOKS_H

#include "command/keymap.h"
#include "ui/screen/theme.h"
#include "ui/list/view.h"

enum looks_part { LOOKS_VIEW, LOOKS_THEME, LOOKS_KEYS, LOOKS_PARTS };

struct looks {
	struct view view;
	struct theme theme;
	struct keymap_options keys;
	bool given[LOOKS_PARTS]; /* by the file it was read from */
};

extern const struct option_table looks_options_table;

/* Puts what FROM has of a part into TO; what TO had of it is freed, and FROM
 * has none of it then. */
void looks_move(struct looks *to, struct looks *from, enum looks_part);

/* Appends the looks as YAML, all keys among them; loaded they are the same. */
void looks_write(const struct looks *, struct text *);

#endif
