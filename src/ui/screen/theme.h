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

#endif
