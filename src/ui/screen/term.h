/*
 * A term shows the screen.
 *
 * One kind is the terminal (term.c, the only file that uses curses).  The other
 * kind is a still (still.c), which keeps the last screen as a picture and needs
 * no terminal.  Size, colours, background, keys and mouse come from here and
 * from nowhere else.
 *
 * A term takes whole canvases, and gives keys one by one without waiting.
 */
#ifndef TRAWL_UI_TERM_H
#define TRAWL_UI_TERM_H

#include "base/err.h"
#include "command/keys.h"
#include "ui/screen/canvas.h"
#include "ui/screen/theme.h"

/* A button that was pressed, or the wheel; rows and columns from 0. */
enum { TERM_BUTTON_LEFT = 0, TERM_WHEEL_UP = 64, TERM_WHEEL_DOWN = 65 };
struct term_press {
	unsigned button;
	int row, col;
};

struct term;

/* Functions of a kind of term.  NULL if that kind has nothing to do. */
struct term_ops {
	void (*close)(struct term *);
	void (*size)(const struct term *, int *rows, int *cols);
	void (*theme)(struct term *, const struct theme *, char *const *colours, size_t count);
	void (*paint)(struct term *, const struct canvas *);
	void (*forget)(struct term *);
	void (*suspend)(struct term *);
	void (*resume)(struct term *);
	uint32_t (*key)(struct term *);
	void (*set_mouse)(struct term *, bool on);
	void (*ask_background)(struct term *);
	void (*missing_features)(const struct term *, struct text *);
	void (*copy)(struct term *, const char *text, size_t length);
};

/* Common part of all kinds, and the first member of each. */
struct term {
	const struct term_ops *ops;
	int file;		 /* readable when keys wait; -1: no keys */
	int colours;		 /* size of the palette; negative: none */
	bool light;		 /* the background is light, as far as is known */
	bool has_colours;	 /* errors have a colour in the theme */
	bool wide_lines;	 /* lines and blocks may be two columns wide */
	struct term_press press; /* of the last KEYCODE_MOUSE */
};

/* Open the terminal of standard input and output.  Keys come from /dev/tty if standard input is
 * not a terminal.  While it is open, a crash first gives the terminal back to the shell.  Only
 * one can be open.  Return NULL on error, as when TERM cannot move its cursor. */
struct term *term_open(const struct theme *, struct err *);

/* Restore a terminal or finish a still.  NULL is fine. */
static inline void
term_close(struct term *term)
{
	if (term)
		term->ops->close(term);
}

/* Give the terminal back for a while, and take it again (then paint). */
static inline void
term_suspend(struct term *term)
{
	if (term->ops->suspend)
		term->ops->suspend(term);
}

static inline void
term_resume(struct term *term)
{
	if (term->ops->resume)
		term->ops->resume(term);
}

/* Find out whether the background is light: by COLORFGBG, or by a query to the terminal.  The
 * reply comes among the keys, or never. */
static inline void
term_ask_background(struct term *term)
{
	if (term->ops->ask_background)
		term->ops->ask_background(term);
}

/* Set a theme.  Roles after its own are bold text in the COUNT colours, at most ROLE_COLOURS. */
static inline void
term_theme(struct term *term, const struct theme *theme, char *const *colours, size_t count)
{
	term->ops->theme(term, theme, colours, count);
}

/* Append the features that the program uses and this terminal does not have, a line each. */
static inline void
term_missing_features(const struct term *term, struct text *out)
{
	if (term->ops->missing_features)
		term->ops->missing_features(term, out);
}

/* Get the current size. */
static inline void
term_size(const struct term *term, int *rows, int *cols)
{
	term->ops->size(term, rows, cols);
}

/* Turn mouse reports on or off, from the next paint on. */
static inline void
term_set_mouse(struct term *term, bool on)
{
	if (term->ops->set_mouse)
		term->ops->set_mouse(term, on);
}

/* Return the next key, or KEYCODE_NONE if none waits.  Add KEYCODE_PASTED if it is part of
 * pasted text.  Wait some milliseconds for the rest of an escape sequence. */
static inline uint32_t
term_key(struct term *term)
{
	return term->ops->key ? term->ops->key(term) : KEYCODE_NONE;
}

/* Show a canvas.  A terminal gets the changes, in one write. */
static inline void
term_paint(struct term *term, const struct canvas *canvas)
{
	term->ops->paint(term, canvas);
}

/* Make the next paint draw everything. */
static inline void
term_forget(struct term *term)
{
	if (term->ops->forget)
		term->ops->forget(term);
}

/* Send text to the terminal's clipboard (OSC 52). */
static inline void
term_copy(struct term *term, const char *text, size_t length)
{
	if (term->ops->copy)
		term->ops->copy(term, text, length);
}

/* Return the version of the linked ncurses, `ncurses 6.4.20221231`. */
const char *term_version(void);

#endif
