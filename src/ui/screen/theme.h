/*
 * A theme: how each role looks.  Filled from themes/NAME.yaml.
 */
#ifndef TRAWL_UI_THEME_H
#define TRAWL_UI_THEME_H

#include "base/option.h"
#include "ui/screen/canvas.h"

struct style {
	char *fg, *bg; /* as colour_parse reads them; NULL: the terminal's own */
	bool bold, dim, underline, reverse;
};

struct theme {
	struct style styles[ROLE_COUNT];
};

extern const struct option_table theme_options_table;

/* Return the style of a role below ROLE_STYLES.  Roles after the theme's own are bold text in
 * the COUNT colours, if the theme has any colours, and plain after these.  From ROLE_ALL on they
 * are under the cursor.  The texts are borrowed. */
struct style theme_style(const struct theme *, size_t role, char *const *colours, size_t count);

#endif
