/* The options of a theme, a style per role of role.def: see theme.h. */
#include "config.h"

#include "ui/screen/theme.h"
#include "ui/screen/colour.h"

static const struct option_row style_rows[] = {
    {.name = "fg",
     .type = OPTION_TEXT,
     .member = offsetof(struct style, fg),
     .check = colour_check,
     .help = "colour of the text: red, bright-red, color208, \"#ff8700\""},
    {.name = "bg",
     .type = OPTION_TEXT,
     .member = offsetof(struct style, bg),
     .check = colour_check,
     .help = "colour behind it"},
    {.name = "bold", .type = OPTION_BOOL, .member = offsetof(struct style, bold), .help = "bold"},
    {.name = "dim", .type = OPTION_BOOL, .member = offsetof(struct style, dim), .help = "dim"},
    {.name = "underline",
     .type = OPTION_BOOL,
     .member = offsetof(struct style, underline),
     .help = "underlined"},
    {.name = "reverse",
     .type = OPTION_BOOL,
     .member = offsetof(struct style, reverse),
     .help = "colours exchanged"},
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
