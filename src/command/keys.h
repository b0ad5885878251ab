/*
 * Keys and their notation: `j`, `Ctrl-D`, `PgDn`, and sequences such as `]e` or `Ctrl-Ww`.
 *
 * The code of a key is the code point that it types.  Keys without one have codes above all code
 * points.  Tables and users' files write a sequence as one word.  For people, a blank separates a
 * key with a name: `Ctrl-W w`.
 */
#ifndef TRAWL_COMMAND_KEYS_H
#define TRAWL_COMMAND_KEYS_H

#include "base/text.h"

enum keycode {
	KEYCODE_NONE = 0,
	KEYCODE_TAB = 0x09,
	KEYCODE_ENTER = 0x0d,
	KEYCODE_ESC = 0x1b,
	KEYCODE_SPACE = 0x20,
	KEYCODE_BACKSPACE = 0x7f,
	KEYCODE_NAMED = 0x110000, /* first code that is no character */
	KEYCODE_UP,
	KEYCODE_DOWN,
	KEYCODE_LEFT,
	KEYCODE_RIGHT,
	KEYCODE_HOME,
	KEYCODE_END,
	KEYCODE_PAGE_UP,
	KEYCODE_PAGE_DOWN,
	KEYCODE_INSERT,
	KEYCODE_DELETE,
	KEYCODE_BACKTAB,
	KEYCODE_F1, /* F1 to F12 are consecutive, as are those with Shift */
	KEYCODE_F12 = KEYCODE_F1 + 11,
	KEYCODE_SHIFT_F1,
	KEYCODE_SHIFT_F12 = KEYCODE_SHIFT_F1 + 11,
	KEYCODE_MOUSE,		   /* no key: see ui/screen/term.h */
	KEYCODE_PASTED = 0x1000000 /* added to pasted characters: no key */
};

enum { KEYS_MAX = 4 }; /* keys in a sequence */

/* Code of Ctrl with a letter. */
#define KEYCODE_CTRL(letter) ((letter)&0x1f)

struct keys {
	uint32_t at[KEYS_MAX];
	size_t count;
};

/* Parse a sequence of LENGTH bytes.  Return false if it is none. */
bool keys_parse(const char *text, size_t length, struct keys *);

/* Return the I-th name of a key, NULL past the end. */
const char *keys_word(size_t i);

/* Append a sequence in the form that keys_parse reads. */
void keys_format(const struct keys *, struct text *);
/* Append a sequence for people. */
void keys_show(const struct keys *, struct text *);

#endif
