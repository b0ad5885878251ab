/*
 * A theme: how each role looks.  Filled from themes/NAME.yaml.
 */
#ifndef TRAWL_UI_THEME_H
#define TRAWL_UI_THEME_H

#include "base/option.h"
#include "ui/canvas.h"

/* The eight colours every terminal has, and its own. */
enum colour {
	COLOUR_DEFAULT,
	COLOUR_BLACK,
	COLOUR_RED,
	COLOUR_GREEN,
	COLOUR_YELLOW,
	COLOUR_BLUE,
	COLOUR_MAGENTA,
	COLOUR_CYAN,
	COLOUR_WHITE
};

struct style {
	int fg, bg; /* enum colour */
	bool bold, dim, underline, reverse;
};

struct theme {
	struct style styles[ROLE_COUNT];
};

extern const struct option_table theme_options_table;

#endif
