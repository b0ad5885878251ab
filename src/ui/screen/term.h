/*
 * A term shows the screen.
 *
 * There are two kinds: the terminal (term.c, the only file that uses curses), and a still
 * (still.c), which keeps the last screen as a picture and needs no terminal.  Size, colours,
 * background, keys and mouse come from here and from nowhere else.
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

/* Functions of one kind of term.  NULL if that kind has nothing to do. */
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
	int file;		 /* readable when keys wait; -1: there are no keys */
	int colours;		 /* of its palette; negative: it has none */
	bool light;		 /* its background, as far as is known */
	bool has_colours;	 /* errors have a colour in the theme */
	struct term_press press; /* of the last KEYCODE_MOUSE */
};

/* Opens the terminal of standard input and output; keys come from /dev/tty where standard
 * input is none.  While it is open, a crash of the program gives the terminal back to the
 * shell first.  One at a time.  NULL if TERM cannot move its cursor. */
struct term *term_open(const struct theme *, struct err *);

/* Restores a terminal, finishes a still; NULL is fine. */
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

/* Finds out whether the background is light: by COLORFGBG, or by asking the terminal, whose
 * answer comes among the keys, or never. */
static inline void
term_ask_background(struct term *term)
{
	if (term->ops->ask_background)
		term->ops->ask_background(term);
}

/* Takes a theme, and for the roles behind its own COUNT of COLOURS, at most ROLE_COLOURS: bold
 * text in these. */
static inline void
term_theme(struct term *term, const struct theme *theme, char *const *colours, size_t count)
{
	term->ops->theme(term, theme, colours, count);
}

/* Appends, a line each, what this terminal cannot do of what is used. */
static inline void
term_missing_features(const struct term *term, struct text *out)
{
	if (term->ops->missing_features)
		term->ops->missing_features(term, out);
}

/* The size now. */
static inline void
term_size(const struct term *term, int *rows, int *cols)
{
	term->ops->size(term, rows, cols);
}

/* Asks for reports of the mouse, or not; from the next paint on. */
static inline void
term_set_mouse(struct term *term, bool on)
{
	if (term->ops->set_mouse)
		term->ops->set_mouse(term, on);
}

/* The next key, or KEYCODE_NONE if none waits; with KEYCODE_PASTED if it is part of
 * text that is pasted.  A key that arrives as an escape sequence is waited for
 * some milliseconds. */
static inline uint32_t
term_key(struct term *term)
{
	return term->ops->key ? term->ops->key(term) : KEYCODE_NONE;
}

/* Shows a canvas.  On a terminal what changed is sent, in one write. */
static inline void
term_paint(struct term *term, const struct canvas *canvas)
{
	term->ops->paint(term, canvas);
}

/* The next paint draws everything. */
static inline void
term_forget(struct term *term)
{
	if (term->ops->forget)
		term->ops->forget(term);
}

/* Hands text to the terminal's clipboard (OSC 52). */
static inline void
term_copy(struct term *term, const char *text, size_t length)
{
	if (term->ops->copy)
		term->ops->copy(term, text, length);
}

/* The version of ncurses that is linked, `ncurses 6.4.20221231`. */
const char *term_version(void);

#endif
