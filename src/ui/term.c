/*
 * The terminal through curses: see term.h.
 *
 * A canvas is compared row by row with the last one shown; rows that differ
 * are written to curses, which finds the shortest way there, scrolling
 * included (idlok), and sends it with one write at the end.  Keys are read
 * through a pad, because reading through a window would paint it.
 *
 * Signals are the caller's (app.c), but for those of a crash: their handler
 * sends strings prepared at the start and uses nothing but write(2),
 * tcsetattr(3) and raise(3).
 */
#include "config.h"

#include "ui/term.h"
#include "base/vec.h"

#include <curses.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { ESCAPE_MS = 25 };

struct term {
	FILE *in, *out;
	bool own_in;
	SCREEN *screen;
	WINDOW *keys;
	attr_t attributes[ROLE_COUNT];
	short pairs[ROLE_COUNT];
	struct canvas shown;
	bool cursor_shown;
	struct text row; /* scratch */
};

/* --- crashes ----------------------------------------------------------- */

static const int crash_signals[] = {SIGSEGV, SIGILL, SIGFPE, SIGABRT};

/* What the handler of a crash needs; the one state outside struct term. */
static struct {
	volatile sig_atomic_t armed;
	int file;
	struct termios modes;
	char text[256];
	size_t length;
} rescue;

static void
on_crash(int number)
{
	if (rescue.armed) {
		rescue.armed = 0;
		if (write(rescue.file, rescue.text, rescue.length) < 0) {
			/* nobody is left to tell */
		}
		tcsetattr(rescue.file, TCSANOW, &rescue.modes);
	}
	raise(number); /* SA_RESETHAND: the usual end */
}

static void
rescue_add(const char *name)
{
	const char *string = tigetstr(name);
	if (!string || string == (char *)-1)
		return;
	size_t length = strlen(string);
	if (length > sizeof rescue.text - rescue.length)
		return;
	memcpy(rescue.text + rescue.length, string, length);
	rescue.length += length;
}

static void
rescue_prepare(int file, const struct termios *modes)
{
	rescue.file = file;
	rescue.modes = *modes;
	rescue.length = 0;
	rescue_add("sgr0");
	rescue_add("rmkx");
	rescue_add("cnorm");
	rescue_add("rmcup");
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND};
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
		sigaction(crash_signals[i], &action, NULL);
}

/* --- opening ----------------------------------------------------------- */

/* Curses draws on any terminal; this asks for what a screen needs. */
static bool
can_draw(void)
{
	const char *move_cursor = tigetstr("cup"), *clear_all = tigetstr("clear");
	return move_cursor && move_cursor != (char *)-1 && clear_all && clear_all != (char *)-1;
}

static void
take_modes(struct term *term)
{
	raw();
	noecho();
	nonl();
	idlok(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	term->cursor_shown = false;
}

static bool
open_files(struct term *term, struct err *err)
{
	term->out = stdout;
	term->in = stdin;
	if (!isatty(STDIN_FILENO)) {
		term->in = fopen("/dev/tty", "r");
		term->own_in = true;
	}
	if (!term->in)
		err_set(err, ERR_IO, "no terminal for keys: /dev/tty: %s", strerror(errno));
	return term->in;
}

static void
free_term(struct term *term)
{
	if (term->own_in && term->in)
		fclose(term->in);
	canvas_free(&term->shown);
	text_free(&term->row);
	free(term);
}

struct term *
term_open(const struct theme *theme, struct err *err)
{
	const char *name = getenv("TERM");
	struct term *term = mem_new(sizeof *term);
	struct termios modes;
	if (!open_files(term, err)) {
		free_term(term);
		return NULL;
	}
	tcgetattr(fileno(term->in), &modes);
	term->screen = newterm(NULL, term->out, term->in);
	if (!term->screen || !can_draw()) {
		if (term->screen) {
			endwin();
			delscreen(term->screen);
		}
		free_term(term);
		err_set(err, ERR_UNSUPPORTED,
			"the terminal (TERM=%s) cannot show a screen; -t text prints instead",
			name ? name : "");
		return NULL;
	}
	rescue_prepare(fileno(term->in), &modes);
	take_modes(term);
	term->keys = newpad(1, 1);
	keypad(term->keys, TRUE);
	nodelay(term->keys, TRUE);
	if (has_colors()) {
		start_color();
		use_default_colors();
	}
	term_theme(term, theme);
	rescue.armed = 1;
	return term;
}

void
term_close(struct term *term)
{
	if (!term)
		return;
	curs_set(1);
	endwin();
	rescue.armed = 0;
	for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
		signal(crash_signals[i], SIG_DFL);
	delwin(term->keys);
	delscreen(term->screen);
	free_term(term);
}

void
term_suspend(struct term *term)
{
	curs_set(1);
	endwin();
	rescue.armed = 0;
	(void)term;
}

void
term_resume(struct term *term)
{
	rescue.armed = 1;
	refresh(); /* takes the terminal's modes again */
	curs_set(0);
	term->cursor_shown = false;
	term_forget(term);
}

int
term_file(const struct term *term)
{
	return fileno(term->in);
}

/* --- looks ------------------------------------------------------------- */

static short
colour_number(int colour)
{
	return (short)(colour == COLOUR_DEFAULT ? -1 : colour - COLOUR_BLACK);
}

void
term_theme(struct term *term, const struct theme *theme)
{
	for (int i = 0; i < ROLE_COUNT; i++) {
		const struct style *style = &theme->styles[i];
		bool coloured = style->fg != COLOUR_DEFAULT || style->bg != COLOUR_DEFAULT;
		term->attributes[i] = (style->bold ? A_BOLD : 0) | (style->dim ? A_DIM : 0) |
				      (style->underline ? A_UNDERLINE : 0) |
				      (style->reverse ? A_REVERSE : 0);
		term->pairs[i] = 0;
		if (coloured && has_colors() && i + 1 < COLOR_PAIRS &&
		    init_pair((short)(i + 1), colour_number(style->fg),
			      colour_number(style->bg)) == OK)
			term->pairs[i] = (short)(i + 1);
	}
	term_forget(term);
}

/* --- painting ---------------------------------------------------------- */

static void
add_cell(struct text *out, const struct cell *cell)
{
	for (int i = 0; i < CELL_CODES && cell->code[i]; i++) {
		char bytes[4];
		text_add_bytes(out, bytes, text_encode(cell->code[i], bytes));
	}
}

static void
write_row(struct term *term, const struct cell *cells, int row, int cols)
{
	move(row, 0);
	for (int col = 0; col < cols;) {
		uint8_t role = cells[col].role;
		text_clear(&term->row);
		for (; col < cols && cells[col].role == role; col++)
			add_cell(&term->row, &cells[col]);
		attr_set(term->attributes[role], term->pairs[role], NULL);
		addnstr(text_get(&term->row), (int)term->row.length);
	}
}

static void
place_cursor(struct term *term, const struct canvas *canvas)
{
	bool show = canvas->cursor_row >= 0;
	if (show)
		move(canvas->cursor_row, canvas->cursor_col);
	if (show != term->cursor_shown)
		curs_set(show);
	term->cursor_shown = show;
}

void
term_paint(struct term *term, const struct canvas *canvas)
{
	struct canvas *shown = &term->shown;
	size_t row_size = (size_t)canvas->cols * sizeof *canvas->cells;
	bool all = shown->rows != canvas->rows || shown->cols != canvas->cols;
	if (all)
		canvas_resize(shown, canvas->rows, canvas->cols);
	for (int row = 0; row < canvas->rows; row++) {
		const struct cell *cells = canvas->cells + row * canvas->cols;
		struct cell *old = shown->cells + row * canvas->cols;
		if (!all && !memcmp(old, cells, row_size))
			continue;
		write_row(term, cells, row, canvas->cols);
		memcpy(old, cells, row_size);
	}
	place_cursor(term, canvas);
	refresh();
}

void
term_forget(struct term *term)
{
	clearok(curscr, TRUE);
	canvas_resize(&term->shown, 0, 0);
}

void
term_size(struct term *term, int *rows, int *cols)
{
	struct winsize size;
	if (ioctl(fileno(term->out), TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col &&
	    (size.ws_row != LINES || size.ws_col != COLS))
		resizeterm(size.ws_row, size.ws_col);
	*rows = LINES;
	*cols = COLS;
}

/* --- keys -------------------------------------------------------------- */

static const struct {
	wint_t curses;
	uint32_t key;
} named_keys[] = {
    {KEY_UP, KEYCODE_UP},	 {KEY_DOWN, KEYCODE_DOWN},   {KEY_LEFT, KEYCODE_LEFT},
    {KEY_RIGHT, KEYCODE_RIGHT},	 {KEY_HOME, KEYCODE_HOME},   {KEY_END, KEYCODE_END},
    {KEY_PPAGE, KEYCODE_PAGE_UP}, {KEY_NPAGE, KEYCODE_PAGE_DOWN}, {KEY_IC, KEYCODE_INSERT},
    {KEY_DC, KEYCODE_DELETE},	 {KEY_BTAB, KEYCODE_BACKTAB}, {KEY_ENTER, KEYCODE_ENTER},
    {KEY_BACKSPACE, KEYCODE_BACKSPACE},
};

static uint32_t
named_key(wint_t code)
{
	for (size_t i = 0; i < sizeof named_keys / sizeof *named_keys; i++)
		if (named_keys[i].curses == code)
			return named_keys[i].key;
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return KEYCODE_F1 + (code - KEY_F(1));
	return KEYCODE_NONE;
}

/* After ESC: swallows a sequence that the terminal's description does not
 * know, so that its letters are no commands.  False if it was the key. */
static bool
swallow_sequence(struct term *term)
{
	wint_t code;
	int kind = wget_wch(term->keys, &code);
	if (kind == ERR)
		return false;
	if (kind == KEY_CODE_YES || (code != '[' && code != 'O')) {
		if (kind == KEY_CODE_YES)
			ungetch((int)code);
		else
			unget_wch((wchar_t)code);
		return false;
	}
	do
		kind = wget_wch(term->keys, &code);
	while (kind == OK && (code < 0x40 || code > 0x7e));
	return true;
}

uint32_t
term_key(struct term *term)
{
	wint_t code;
	int kind;
	while ((kind = wget_wch(term->keys, &code)) != ERR) {
		uint32_t key = kind == KEY_CODE_YES ? named_key(code) : (uint32_t)code;
		if (kind == OK && code == '\n')
			key = KEYCODE_ENTER;
		if (kind == OK && code == '\b')
			key = KEYCODE_BACKSPACE;
		if (key == KEYCODE_ESC && swallow_sequence(term))
			continue;
		if (key != KEYCODE_NONE)
			return key;
	}
	return KEYCODE_NONE;
}

/* --- clipboard --------------------------------------------------------- */

void
term_copy(struct term *term, const char *data, size_t length)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct text out = {0};
	text_add(&out, "\033]52;c;");
	for (size_t i = 0; i < length; i += 3) {
		uint32_t bits = 0;
		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (i + k < length ? (unsigned char)data[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			text_add_char(&out, i + k <= length ? digits[bits >> (18 - 6 * k) & 63] : '=');
	}
	text_add_char(&out, '\a');
	fwrite(out.data, 1, out.length, term->out);
	fflush(term->out);
	text_free(&out);
}
