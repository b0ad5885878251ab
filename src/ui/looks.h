/*
 * The looks of the screen: a view, a theme and keys.  Together they are the output of
 * --dump-config and the input of --config and :source.
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
	bool given[LOOKS_PARTS]; /* the file they were read from has the part */
};

extern const struct option_table looks_options_table;

/* Move a part from FROM to TO.  Free the part that TO had, and leave FROM without it. */
void looks_move(struct looks *to, struct looks *from, enum looks_part);

/* Append the looks as YAML, including all keys.  Loading it gives the same looks. */
void looks_write(const struct looks *, struct text *);

#endif
