/* View, theme and keys as one table: see looks.h. */
#include "config.h"

#include "ui/looks.h"
#include "command/keymap.h"
#include "ui/list/view.h"
#include "ui/screen/theme.h"

#include <string.h>

#define ROW(...) OPTION_ROW(struct looks, __VA_ARGS__)
static const struct option_row rows[] = {
    [LOOKS_VIEW] =
	ROW(view, STRUCT, "what stands in a view",
	    .given = offsetof(struct looks, given[LOOKS_VIEW]), .table = &view_options_table),
    [LOOKS_THEME] =
	ROW(theme, STRUCT, "what stands in a theme",
	    .given = offsetof(struct looks, given[LOOKS_THEME]), .table = &theme_options_table),
    [LOOKS_KEYS] =
	ROW(keys, STRUCT, "what stands in a file of keys",
	    .given = offsetof(struct looks, given[LOOKS_KEYS]), .table = &keymap_options_table),
};

const struct option_table looks_options_table = OPTION_TABLE("config", struct looks, rows);

void
looks_move(struct looks *to, struct looks *from, enum looks_part part)
{
	const struct option_row *row = &rows[part];
	char *target = (char *)to + row->member, *source = (char *)from + row->member;
	option_release(row->table, target);
	memcpy(target, source, row->table->size);
	memset(source, 0, row->table->size);
	to->given[part] = true;
}

void
looks_write(const struct looks *looks, struct text *out)
{
	struct looks full = *looks; /* borrows all but the keys */
	struct keymap map = {0};
	keymap_make(&map, &looks->keys);
	keymap_describe(&map, &full.keys);
	for (int part = 0; part < LOOKS_PARTS; part++)
		full.given[part] = true;
	option_write(&looks_options_table, &full, out);
	option_release(&keymap_options_table, &full.keys);
	keymap_free(&map);
}
