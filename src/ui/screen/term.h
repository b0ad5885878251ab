/*
 * The terminal: the only part that uses curses.
 *
 * Takes whole canvases and sends what changed, in one write; gives keys one
 * by one without waiting.  While a term is open, a crash of the program gives
 * the terminal back to the shell first.  One term at a time.
 */
#ifndef TRAWL_UI_TERM_H
#define TRAWL_UI_TERM_H

#include "base/err.h"
#include "command/keys.h"
#include "ui/screen/canvas.h"
#include "ui/screen/theme.h"

struct term;

/* Opens the terminal of standard input and output; keys come from /dev/tty
 * where standard input is none.  NULL if TERM cannot move its cursor. */
struct term *term_open(const struct theme *, struct err *);
void term_close(struct term *); /* restores the terminal; NULL is fine */

/* Give the terminal back for a while, and take it again (then paint). */
void term_suspend(struct term *);
void term_resume(struct term *);

/* Finds out whether the background is light: by COLORFGBG, or by asking the terminal, whose
 * answer comes among the keys, or never. */
void term_ask_background(struct term *);
bool term_is_light(const struct term *); /* as far as is known */
int term_colours(const struct term *);	 /* of its palette; negative: it has none */

int term_file(const struct term *); /* readable when keys wait */
/* Takes a theme, and for the roles behind its own COUNT of COLOURS, at most ROLE_COLOURS: bold
 * text in these. */
void term_theme(struct term *, const struct theme *, char *const *colours, size_t count);

/* Whether errors stand out by a colour, and not by an attribute alone. */
bool term_has_colours(const struct term *);

/* Appends, a line each, what this terminal cannot do of what is used. */
void term_missing_features(const struct term *, struct text *);

/* The size now. */
void term_size(struct term *, int *rows, int *cols);

/* A button that was pressed, or the wheel; rows and columns from 0. */
enum { TERM_BUTTON_LEFT = 0, TERM_WHEEL_UP = 64, TERM_WHEEL_DOWN = 65 };
struct term_press {
	unsigned button;
	int row, col;
};

/* Asks for reports of the mouse, or not; from the next paint on. */
void term_set_mouse(struct term *, bool on);
/* What KEYCODE_MOUSE, as the last key, stands for. */
struct term_press term_get_press(const struct term *);

/* The next key, or KEYCODE_NONE if none waits; with KEYCODE_PASTED if it is part of
 * text that is pasted.  A key that arrives as an escape sequence is waited for
 * some milliseconds. */
uint32_t term_key(struct term *);

void term_paint(struct term *, const struct canvas *);
void term_forget(struct term *); /* the next paint draws everything */

/* Hands text to the terminal's clipboard (OSC 52). */
void term_copy(struct term *, const char *text, size_t length);

/* The version of ncurses that is linked, `ncurses 6.4.20221231`. */
const char *term_version(void);

#endif
