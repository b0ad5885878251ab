/* Options of a theme, a style for each role of role.def: see theme.h. */
#include "config.h"

#include "ui/screen/theme.h"
#include "ui/screen/colour.h"

#define STYLE(...) OPTION_ROW(struct style, __VA_ARGS__)
static const struct option_row style_rows[] = {
    STYLE(fg, TEXT, "colour of the text: red, bright-red, color208, \"#ff8700\"",
	  .check = colour_check),
    STYLE(bg, TEXT, "background colour", .check = colour_check),
    STYLE(bold, BOOL, "bold"),
    STYLE(dim, BOOL, "dim"),
    STYLE(underline, BOOL, "underlined"),
    STYLE(reverse, BOOL, "colours exchanged"),
};
static const struct option_table style_table = OPTION_TABLE("style", struct style, style_rows);

static const struct option_row theme_rows[] = {
#define ROLE(id, name_, help_)                                                                     \
	{.name = (name_),                                                                          \
	 .type = OPTION_STRUCT,                                                                    \
	 .member = offsetof(struct theme, styles[ROLE_##id]),                                      \
	 .whole = true,                                                                            \
	 .table = &style_table,                                                                    \
	 .help = (help_)},
#include "ui/screen/role.def"
#undef ROLE
};

const struct option_table theme_options_table = OPTION_TABLE("theme", struct theme, theme_rows);

/* False if a theme is for attributes alone, as NO_COLOR requests. */
static bool
has_colours(const struct theme *theme)
{
	bool any = false;
	for (size_t i = 0; i < ROLE_COUNT && !any; i++)
		any = theme->styles[i].fg || theme->styles[i].bg;
	return any;
}

/* Return a style with the cursor's colours and attributes where it has none of its own. */
static struct style
under_cursor(struct style style, const struct style *cursor)
{
	style.fg = style.fg ? style.fg : cursor->fg;
	style.bg = style.bg ? style.bg : cursor->bg;
	style.bold |= cursor->bold;
	style.dim |= cursor->dim;
	style.underline |= cursor->underline;
	style.reverse ^= cursor->reverse;
	return style;
}

struct style
theme_style(const struct theme *theme, size_t role, char *const *colours, size_t count)
{
	if (role >= ROLE_ALL)
		return under_cursor(theme_style(theme, role - ROLE_ALL, colours, count),
				    &theme->styles[ROLE_CURSOR]);
	if (role < ROLE_COUNT)
		return theme->styles[role];
	if (role - ROLE_COUNT < count)
		return (struct style){.fg = has_colours(theme) ? colours[role - ROLE_COUNT] : NULL,
				      .bold = true};
	return (struct style){0};
}
