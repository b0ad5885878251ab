/*
 * The table of signs: see signs.h.  The list draws single-character signs from
 * it.
 */
#include "config.h"

#include "ui/screen/signs.h"

const struct sign signs[SIGN_COUNT] = {
#define SIGN(id_, where_, text_, help_)                                                            \
	[SIGN_##id_] = {.where = (where_), .text = (text_), .help = (help_)},
#include "ui/screen/sign.def"
#undef SIGN
};
