/* The signs next to texts on the screen, from sign.def. */
#ifndef TRAWL_UI_SIGNS_H
#define TRAWL_UI_SIGNS_H

enum sign_id {
#define SIGN(id, where, text, help) SIGN_##id,
#include "ui/screen/sign.def"
#undef SIGN
	SIGN_COUNT
};

struct sign {
	const char *where; /* pane or part of the screen */
	const char *text;
	const char *help; /* one sentence, no full stop */
};

extern const struct sign signs[SIGN_COUNT];

#endif
