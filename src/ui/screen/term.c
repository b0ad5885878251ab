/*
 * The terminal through curses: see term.h.
 *
 * Curses supplies the terminal's strings and reads its keys.  It reads through
 * a pad, because reading through a window would paint it.  paint.c computes the
 * bytes for a new screen.  A frame is one write.
 *
 * The caller handles signals (ui/signals.c), except those that end the program
 * at once.  Their handler sends strings prepared at the start and uses only
 * write(2), tcsetattr(3) and raise(3).
 *
 * A terminal sends more than keys: replies, mouse reports, and pasted text
 * between two marks.  Such a sequence is read to its end by its form (ECMA-48,
 * sections 5.4 and 5.6), known or not.
 */
#include "config.h"

#include "ui/screen/term.h"
#include "base/arena.h"
#include "base/vec.h"
#include "ui/screen/background.h"
#include "ui/screen/colour.h"
#include "ui/screen/paint.h"

#include <curses.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
	ESCAPE_MS = 25,
	ANSWER_MS = 200 /* after the first ESC, while a reply is expected */
};

/* While this is on, pasted text comes between marks (xterm's control sequences, "Bracketed Paste
 * Mode"). */
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"

/* While this is on, the terminal reports presses and the wheel.  Coordinates have no upper bound
 * (same document, "Mouse Tracking", 1000 and 1006). */
#define MOUSE_ON "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1000l"

/* The terminal, as a kind of term. */
struct terminal {
	struct term base; /* first: see terminal_of */
	FILE *in;
	bool own_in;
	bool pasting; /* between the paste marks */
	bool mouse;   /* mouse reports are on */
	bool pressed; /* the last sequence was a mouse press */
	struct background background;
	SCREEN *screen;
	WINDOW *keys;
	struct paint_terminal can;
	struct painter painter;
	struct arena strings; /* memory of the strings in `can` */
	struct text out;
};

static const struct term_ops terminal_ops; /* defined at the end */

static struct terminal *
terminal_of(const struct term *base)
{
	return (struct terminal *)base;
}

/* --- crashes ----------------------------------------------------------- */

/* Signals that end a program by default, except SIGBUS (capture/guard.c turns it into SIGABRT)
 * and those in ui/signals.c. */
static const int crash_signals[] = {SIGSEGV, SIGILL,  SIGFPE,  SIGABRT,	  SIGSYS,
				    SIGTRAP, SIGQUIT, SIGPIPE, SIGALRM,	  SIGUSR1,
				    SIGUSR2, SIGPOLL, SIGPROF, SIGVTALRM, SIGXCPU};

/* Data that restores the terminal.  It is the one state outside struct term, because the crash
 * handler needs it. */
static struct {
	volatile sig_atomic_t armed;
	int file;
	struct termios modes;
	char text[256]; /* begins with MOUSE_OFF */
	size_t length;
	/* where to begin in `text`: after MOUSE_OFF, unless the mouse is on */
	volatile sig_atomic_t start;
} rescue;

/* Set the modes.  Return 0, or -1.  Try again if a signal interrupts the wait for pending
 * output. */
static int
set_modes(int file, int when, const struct termios *modes)
{
	int failed;
	do
		failed = tcsetattr(file, when, modes);
	while (failed && errno == EINTR);
	return failed;
}

static void
restore_terminal(void)
{
	if (!rescue.armed)
		return;
	rescue.armed = 0;
	if (write(rescue.file, rescue.text + rescue.start, rescue.length - (size_t)rescue.start) <
	    0) {
		/* nowhere left to report to */
	}
	set_modes(rescue.file, TCSANOW, &rescue.modes);
}

static void
on_crash(int number)
{
	restore_terminal();
	raise(number); /* SA_RESETHAND: the default action */
}

/* Set the handler of all crash signals that are not ignored. */
static void
handle_crashes(void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, now;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
		if (!sigaction(crash_signals[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaction(crash_signals[i], &action, NULL);
}

/* Return a string of the terminal's description, or NULL. */
static const char *
term_capability(const char *name)
{
	const char *string = tigetstr(name);
	return string == (char *)-1 ? NULL : string;
}

/* Append a string without its padding, `$<5>`, which no terminal needs today. */
static void
add_string(struct text *out, const char *string)
{
	while (string && *string) {
		const char *padding = strstr(string, "$<");
		const char *end = padding ? strchr(padding, '>') : NULL;
		if (!end) {
			text_add(out, string);
			return;
		}
		text_add_bytes(out, string, (size_t)(padding - string));
		string = end + 1;
	}
}

/* True if PASTE_ON is safe: terminals that move the cursor as in ECMA-48 ignore unknown modes. */
static bool
brackets_pastes(void)
{
	const char *move = term_capability("cup");
	return move && !strncmp(move, "\033[", 2);
}

static void
rescue_prepare(int file, const struct termios *modes)
{
	rescue.file = file;
	rescue.modes = *modes;
	static const char *const names[] = {"sgr0", "rmkx", "cnorm", "rmcup"};
	struct text text = {0};
	text_add(&text, MOUSE_OFF);
	if (brackets_pastes())
		text_add(&text, PASTE_OFF);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t before = text.length;
		add_string(&text, term_capability(names[i]));
		if (text.length > sizeof rescue.text)
			text_cut(&text, before);
	}
	rescue.length = text.length;
	memcpy(rescue.text, text_get(&text), text.length);
	rescue.start = sizeof MOUSE_OFF - 1;
	text_free(&text);
	handle_crashes(on_crash, (int)SA_RESETHAND);
	mem_before_end(restore_terminal);
}

/* --- sending ----------------------------------------------------------- */

static void
send_bytes(const char *bytes, size_t length)
{
	while (length) {
		ssize_t sent = write(STDOUT_FILENO, bytes, length);
		if (sent < 0 && errno != EINTR && errno != EAGAIN)
			return; /* the terminal is gone; poll() reports that to the loop */
		if (sent > 0) {
			bytes += sent;
			length -= (size_t)sent;
		}
	}
}

static void
send_out(struct terminal *term)
{
	send_bytes(text_get(&term->out), term->out.length);
	text_clear(&term->out);
}

static void
add_move(struct text *out, int row, int col)
{
	add_string(out, tiparm(term_capability("cup"), row, col));
}

static void
add_forward(struct text *out, int columns)
{
	add_string(out, tiparm(term_capability("cuf"), columns));
}

static void
add_region(struct text *out, int top, int bottom)
{
	add_string(out, tiparm(term_capability("csr"), top, bottom));
}

/* --- opening ----------------------------------------------------------- */

static bool
can_draw(void)
{
	return term_capability("cup") && term_capability("clear");
}

/* Return a string without its padding, kept as long as the term.  Return NULL if the terminal
 * has none. */
static const char *
keep_string(struct terminal *term, const char *name)
{
	const char *string = term_capability(name);
	struct text text = {0};
	if (!string)
		return NULL;
	add_string(&text, string);
	string = arena_text(&term->strings, text_get(&text), text.length);
	text_free(&text);
	return string;
}

/* Return the string for plain attributes, without the character set that some descriptions
 * select before or after it.  No other set is ever selected here. */
static const char *
keep_plain(struct terminal *term)
{
	static const char charset[] = "\033(B", shift_in = '\017';
	const char *plain = keep_string(term, "sgr0");
	size_t skip = sizeof charset - 1;
	if (plain && !strncmp(plain, charset, skip) && plain[skip])
		plain += skip;
	size_t length = plain ? strlen(plain) : 0;
	if (length > 1 && plain[length - 1] == shift_in)
		plain = arena_text(&term->strings, plain, length - 1);
	return plain ? plain : "";
}

/* True in locales of East Asia.  Only there do terminals draw symbols of "ambiguous" width wide,
 * if at all. */
static bool
is_east_asian(void)
{
	static const char *const languages[] = {"ja", "ko", "zh"};
	const char *locale = setlocale(LC_CTYPE, NULL);
	for (size_t i = 0; locale && i < sizeof languages / sizeof *languages; i++)
		if (!strncmp(locale, languages[i], 2))
			return true;
	return false;
}

static void
read_capabilities(struct terminal *term)
{
	term->can = (struct paint_terminal){
	    .clear = keep_string(term, "clear"),
	    .erase = keep_string(term, "el"),
	    .reverse_index = keep_string(term, "ri"),
	    .plain = keep_plain(term),
	    .show_cursor = keep_string(term, "cnorm"),
	    .hide_cursor = keep_string(term, "civis"),
	    .wraps_late = !tigetflag("am") || tigetflag("xenl"),
	    .wide_lines = is_east_asian(),
	    .move = add_move,
	    .forward = term_capability("cuf") ? add_forward : NULL,
	    .region = term_capability("csr") ? add_region : NULL,
	};
}

/* Set the modes: keys come as they are typed, line feeds go out unchanged. */
static void
take_modes(struct terminal *term)
{
	struct termios modes;
	raw();
	noecho();
	nonl();
	set_escdelay(ESCAPE_MS);
	if (!tcgetattr(fileno(term->in), &modes)) {
		modes.c_oflag &= ~(tcflag_t)OPOST;
		set_modes(fileno(term->in), TCSADRAIN, &modes);
	}
	def_prog_mode();
}

static bool
open_files(struct terminal *term, struct err *err)
{
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
free_term(struct terminal *term)
{
	if (term->screen)
		delscreen(term->screen);
	if (term->own_in && term->in)
		fclose(term->in);
	paint_free(&term->painter);
	arena_free(&term->strings);
	text_free(&term->out);
	free(term);
}

struct term *
term_open(const struct theme *theme, struct err *err)
{
	const char *name = getenv("TERM");
	struct terminal *term = mem_new(sizeof *term);
	struct termios modes;
	if (!open_files(term, err)) {
		free_term(term);
		return NULL;
	}
	tcgetattr(fileno(term->in), &modes);
	term->screen = newterm(NULL, stdout, term->in);
	if (!term->screen || !can_draw()) {
		if (term->screen)
			endwin();
		free_term(term);
		err_set(err, ERR_UNSUPPORTED,
			"the terminal (TERM=%s) cannot show a screen; -t text prints instead",
			name ? name : "");
		return NULL;
	}
	rescue_prepare(fileno(term->in), &modes);
	rescue.armed = 1;
	take_modes(term);
	term->keys = newpad(1, 1);
	keypad(term->keys, TRUE);
	nodelay(term->keys, TRUE);
	define_key(NULL, KEY_MOUSE); /* half a report: read_sequence() reads the rest, too */
	read_capabilities(term);
	term->base = (struct term){.ops = &terminal_ops,
				   .file = fileno(term->in),
				   .colours = tigetnum("colors"),
				   .wide_lines = term->can.wide_lines};
	add_string(&term->out, term->can.hide_cursor);
	if (brackets_pastes())
		text_add(&term->out, PASTE_ON);
	term_theme(&term->base, theme, NULL, 0);
	return &term->base;
}

static void
give_back(struct terminal *term)
{
	int last = term->painter.shown.rows - 1;
	if (last >= 0) {
		if (term->can.region)
			add_region(&term->out, 0, last);
		add_move(&term->out, last, 0);
	}
	send_out(term);
	send_bytes(rescue.text + rescue.start, rescue.length - (size_t)rescue.start);
	set_modes(rescue.file, TCSADRAIN, &rescue.modes);
	rescue.armed = 0;
}

static void
terminal_close(struct term *base)
{
	struct terminal *term = terminal_of(base);
	give_back(term);
	handle_crashes(SIG_DFL, 0);
	mem_before_end(NULL);
	delwin(term->keys);
	free_term(term);
}

static void
terminal_suspend(struct term *base)
{
	struct terminal *term = terminal_of(base);
	give_back(term);
}

static void
terminal_resume(struct term *base)
{
	struct terminal *term = terminal_of(base);
	rescue.armed = 1;
	reset_prog_mode();
	add_string(&term->out, term_capability("smcup"));
	add_string(&term->out, term_capability("smkx"));
	add_string(&term->out, term->can.hide_cursor);
	if (brackets_pastes())
		text_add(&term->out, PASTE_ON);
	if (term->mouse)
		text_add(&term->out, MOUSE_ON);
	term->pasting = false;
	term->painter.cursor_shown = false;
	paint_forget(&term->painter);
}

static void
terminal_set_mouse(struct term *base, bool on)
{
	struct terminal *term = terminal_of(base);
	if (term->mouse == on)
		return;
	term->mouse = on;
	rescue.start = on ? 0 : sizeof MOUSE_OFF - 1;
	text_add(&term->out, on ? MOUSE_ON : MOUSE_OFF);
}

static void
terminal_ask_background(struct term *base)
{
	struct terminal *term = terminal_of(base);
	const char *says = getenv("COLORFGBG"), *last = says ? strrchr(says, ';') : NULL;
	struct background *background = &term->background;
	if (last) { /* 7 and 9 to 15 are the light colours of the first sixteen */
		int entry = atoi(last + 1);
		*background = (struct background){.answered = true};
		base->light = entry == 7 || entry > 8;
	} else if (brackets_pastes() && !background->answered) {
		text_add(&term->out, "\033]11;?\033\\");
		background->asked = true;
	}
}

/* --- looks ------------------------------------------------------------- */

/* Append a string to a style.  `ESC [ 1 m` and `ESC [ 7 m` become one sequence. */
static void
add_style(char *style, const char *string)
{
	struct text text = {0};
	size_t length = strlen(style), skip = 0;
	add_string(&text, string);
	const char *bytes = text_get(&text);
	bool merges = length && style[length - 1] == 'm' && !strncmp(bytes, "\033[", 2) &&
		      bytes[text.length - 1] == 'm';
	if (length + text.length < PAINT_STYLE_SIZE) {
		if (merges) {
			style[length - 1] = ';';
			skip = 2;
		}
		memcpy(style + length, bytes + skip, text.length - skip + 1);
	}
	text_free(&text);
}

/* True if the terminal takes red, green and blue: by its description, or by COLORTERM. */
static bool
takes_rgb(const char *string)
{
	const char *says = getenv("COLORTERM");
	if (tigetflag("RGB") > 0 || tigetflag("Tc") > 0)
		return true;
	return says && (!strcmp(says, "truecolor") || !strcmp(says, "24bit")) &&
	       !strncmp(string, "\033[", 2) && tigetnum("colors") >= 256;
}

/* Append a colour to a style.  NAME is setaf or setab, FIRST the start of the standard RGB
 * sequence.  Return false if the style keeps the terminal's own colour. */
static bool
add_colour(char *style, const char *name, const char *first, struct colour colour, bool paired)
{
	const char *string = term_capability(name);
	int count = tigetnum("colors");
	if (colour.kind == COLOUR_OWN || !string)
		return false;
	if (colour.kind == COLOUR_RGB && takes_rgb(string)) {
		struct text rgb = {0};
		text_addf(&rgb, "\033[%s;2;%u;%u;%um", first, colour.value >> 16,
			  colour.value >> 8 & 0xff, colour.value & 0xff);
		add_style(style, rgb.data);
		text_free(&rgb);
		return true;
	}
	colour = colour_degrade(colour, count, paired);
	if (colour.kind == COLOUR_PALETTE)
		add_style(style, tiparm(string, (int)colour.value));
	return colour.kind == COLOUR_PALETTE;
}

enum {
	ATTR_BOLD = 1 << 0,
	ATTR_DIM = 1 << 1,
	ATTR_LINE = 1 << 2,
	ATTR_REVERSE = 1 << 3,
	ATTR_FG = 1 << 4,
	ATTR_BG = 1 << 5
};

/* Make the string of a style.  Return its ATTR_ bits. */
static unsigned
make_style(char *string, const struct style *style)
{
	const struct {
		bool on;
		unsigned bit;
		const char *name;
	} attributes[] = {
	    {style->bold, ATTR_BOLD, "bold"},
	    {style->dim, ATTR_DIM, "dim"},
	    {style->underline, ATTR_LINE, "smul"},
	    {style->reverse, ATTR_REVERSE, "rev"},
	};
	unsigned bits = 0;
	*string = '\0';
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
		if (!attributes[i].on)
			continue;
		add_style(string, term_capability(attributes[i].name));
		bits |= attributes[i].bit;
	}
	struct colour fg, bg;
	colour_parse(style->fg, &fg);
	colour_parse(style->bg, &bg);
	bool paired = fg.kind != COLOUR_OWN && bg.kind != COLOUR_OWN;
	bits |= add_colour(string, "setaf", "38", fg, paired) ? ATTR_FG : 0;
	bits |= add_colour(string, "setab", "48", bg, paired) ? ATTR_BG : 0;
	return bits;
}

static void
terminal_theme(struct term *base, const struct theme *theme, char *const *colours, size_t count)
{
	struct terminal *term = terminal_of(base);
	struct paint_terminal *can = &term->can;
	unsigned bits[ROLE_STYLES];
	for (size_t i = 0; i < ROLE_STYLES; i++) {
		const struct style style = theme_style(theme, i, colours, count);
		bits[i] = make_style(can->style[i], &style);
		*can->anew[i] = '\0';
		add_style(can->anew[i], can->plain);
		add_style(can->anew[i], can->style[i]);
		can->marks_blanks[i] =
		    *can->style[i] && bits[i] & (ATTR_REVERSE | ATTR_LINE | ATTR_BG);
	}
	term->base.has_colours = bits[ROLE_ERROR] & (ATTR_FG | ATTR_BG);
	for (int over = 0; over < ROLE_STYLES; over++)
		for (int under = 0; under < ROLE_STYLES; under++)
			can->covers[over][under] =
			    !*can->style[under] || !(bits[under] & ~bits[over]);
	paint_forget(&term->painter);
}

static void
terminal_missing_features(const struct term *base, struct text *out)
{
	const struct terminal *term = terminal_of(base);
	int colours = base->colours;
	const char *name = getenv("TERM");
	const struct {
		bool missing;
		const char *what;
	} rows[] = {
	    {colours < 8, "no colours: attributes are used instead"},
	    {colours >= 8 && colours < 256, "fewer than 256 colours: the nearest are used"},
	    {!term_capability("bold"), "no bold"},
	    {!term_capability("dim"), "no dim text"},
	    {!term_capability("smul"), "no underlined text"},
	    {!term_capability("rev"), "no reversed text: the current row has only its sign"},
	    {!term->can.region || !term->can.reverse_index, "no scrolling: rows are sent again"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].missing)
			text_addf(out, "terminal %s: %s\n", name ? name : "", rows[i].what);
}

/* --- painting ---------------------------------------------------------- */

static void
terminal_paint(struct term *base, const struct canvas *canvas)
{
	struct terminal *term = terminal_of(base);
	painter_paint(&term->painter, &term->can, canvas, &term->out);
	send_out(term);
}

static void
terminal_forget(struct term *base)
{
	struct terminal *term = terminal_of(base);
	paint_forget(&term->painter);
}

static void
terminal_size(const struct term *base, int *rows, int *cols)
{
	struct winsize size = {0};
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*rows = size.ws_row ? size.ws_row : tigetnum("lines");
	*cols = size.ws_col ? size.ws_col : tigetnum("cols");
	(void)base;
}

/* --- keys -------------------------------------------------------------- */

static const struct {
	wint_t curses;
	uint32_t key;
} named_keys[] = {
    {KEY_UP, KEYCODE_UP},
    {KEY_DOWN, KEYCODE_DOWN},
    {KEY_LEFT, KEYCODE_LEFT},
    {KEY_RIGHT, KEYCODE_RIGHT},
    {KEY_HOME, KEYCODE_HOME},
    {KEY_END, KEYCODE_END},
    {KEY_PPAGE, KEYCODE_PAGE_UP},
    {KEY_NPAGE, KEYCODE_PAGE_DOWN},
    {KEY_IC, KEYCODE_INSERT},
    {KEY_DC, KEYCODE_DELETE},
    {KEY_BTAB, KEYCODE_BACKTAB},
    {KEY_ENTER, KEYCODE_ENTER},
    {KEY_BACKSPACE, KEYCODE_BACKSPACE},
};

static uint32_t
named_key(wint_t code)
{
	for (size_t i = 0; i < sizeof named_keys / sizeof *named_keys; i++)
		if (named_keys[i].curses == code)
			return named_keys[i].key;
	if (code >= KEY_F(1) && code <= KEY_F(24)) /* from F13 on with Shift */
		return KEYCODE_F1 + (code - KEY_F(1));
	return KEYCODE_NONE;
}

/* Read the next character of a sequence, which may come late.  Return false if none comes, or if
 * a key comes instead. */
static bool
next_of_sequence(struct terminal *term, wint_t *code)
{
	wtimeout(term->keys, ESCAPE_MS);
	int kind = wget_wch(term->keys, code);
	nodelay(term->keys, TRUE);
	if (kind == KEY_CODE_YES)
		ungetch((int)*code);
	if (kind != OK)
		*code = 0;
	return kind == OK;
}

/* Store a mouse report `<BUTTON;COLUMN;ROW`, counted from 1, of a press or the wheel. */
static void
read_press(struct terminal *term, const char *parameters)
{
	unsigned button;
	int col, row;
	if (!term->mouse || sscanf(parameters, "<%u;%d;%d", &button, &col, &row) != 3 ||
	    button & 32) /* movement */
		return;
	term->pressed = true;
	term->base.press = (struct term_press){.button = button, .row = row - 1, .col = col - 1};
}

/* Read a control sequence to its final character (ECMA-48, 5.4).  Note paste marks and mouse
 * reports. */
static void
read_control(struct terminal *term)
{
	char parameters[32] = "";
	size_t count = 0;
	wint_t code;
	while (next_of_sequence(term, &code) && code >= 0x20 && code < 0x40)
		if (count + 1 < sizeof parameters)
			parameters[count++] = (char)code;
	if (code == '~' && !strcmp(parameters, "200"))
		term->pasting = true;
	else if (code == '~' && !strcmp(parameters, "201"))
		term->pasting = false;
	else if (code == 'M' && *parameters == '<')
		read_press(term, parameters);
	else if (code == 'M' && !count) /* xterm's oldest mouse report */
		for (int i = 0; i < 3 && next_of_sequence(term, &code); i++)
			continue;
}

/* Read a control string to its end (ECMA-48, 5.6), or to BEL. */
static void
read_string(struct terminal *term)
{
	wint_t code, before = 0;
	while (next_of_sequence(term, &code) && code != '\a' && !(before == '\033' && code == '\\'))
		before = code;
}

/* After ESC, read a sequence that the terminal's description does not contain, so that its
 * letters do not run commands.  Return false if ESC was the key. */
static bool
read_sequence(struct terminal *term)
{
	wint_t code, next;
	if (term->background.asked && !term->background.late)
		wtimeout(term->keys, ANSWER_MS);
	int kind = wget_wch(term->keys, &code);
	nodelay(term->keys, TRUE);
	/* many terminals never reply */
	term->background.late |= term->background.asked && kind == ERR;
	if (kind == KEY_CODE_YES)
		ungetch((int)code);
	if (kind != OK)
		return false;
	if (term->background.asked && code == ']' &&
	    background_take(&term->background, code) == BACKGROUND_HELD)
		return true; /* terminal_key() reads the rest, even if it is late */
	if (code == '[') {
		read_control(term);
		return true;
	}
	if (code == 'O') { /* a single shift and its character */
		next_of_sequence(term, &next);
		return true;
	}
	/* a reply is a control string; but a key may follow ESC, too */
	if (code == ']' || code == 'P') {
		bool string = next_of_sequence(term, &next) &&
			      ((next >= '0' && next <= '9') || next == '>' || next == '!');
		if (string) {
			read_string(term);
			return true;
		}
		if (next)
			unget_wch((wchar_t)next);
	}
	unget_wch((wchar_t)code);
	return false;
}

/* Release characters after ESC that turned out not to be the reply.  CODE came last.  If they
 * start another control string, read it to its end and return false.  Else they are keys, and
 * the first one is ESC. */
static bool
release_held(struct terminal *term, int kind, wint_t code)
{
	struct background *background = &term->background;
	bool string = kind == OK && (background->length > 1 || (code >= '0' && code <= '9'));
	background->length = 0;
	if (kind == KEY_CODE_YES)
		ungetch((int)code);
	else if (!string || code == '\033' || code == '\a')
		unget_wch((wchar_t)code);
	if (string)
		read_string(term);
	else
		unget_wch(L']');
	return !string;
}

/* True if the character belongs to a reply that is being read. */
static bool
goes_to_answer(struct terminal *term, int kind, wint_t code)
{
	if (kind != OK || !term->background.length)
		return false;
	enum background_step step = background_take(&term->background, (uint32_t)code);
	if (step == BACKGROUND_DONE)
		term->base.light = term->background.light;
	return step != BACKGROUND_NONE;
}

static uint32_t
terminal_key(struct term *base)
{
	struct terminal *term = terminal_of(base);
	wint_t code;
	int kind;
	while ((kind = wget_wch(term->keys, &code)) != ERR) {
		if (goes_to_answer(term, kind, code))
			continue;
		if (term->background.length) {
			if (release_held(term, kind, code))
				return KEYCODE_ESC;
			continue;
		}
		uint32_t key = kind == KEY_CODE_YES ? named_key(code) : (uint32_t)code;
		if (kind == OK && code == '\n')
			key = KEYCODE_ENTER;
		if (kind == OK && code == '\b')
			key = KEYCODE_BACKSPACE;
		if (key == KEYCODE_ESC && read_sequence(term)) {
			bool pressed = term->pressed && !term->pasting;
			term->pressed = false;
			if (pressed)
				return KEYCODE_MOUSE;
			continue;
		}
		if (key == KEYCODE_ESC)
			term->pasting = false; /* the end mark was lost */
		if (key != KEYCODE_NONE)
			return term->pasting ? key | KEYCODE_PASTED : key;
	}
	return KEYCODE_NONE;
}

/* --- clipboard --------------------------------------------------------- */

static void
terminal_copy(struct term *base, const char *data, size_t length)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct text out = {0};
	(void)base;
	text_add(&out, "\033]52;c;");
	for (size_t i = 0; i < length; i += 3) {
		uint32_t bits = 0;
		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (i + k < length ? (unsigned char)data[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			text_add_char(&out,
				      i + k <= length ? digits[bits >> (18 - 6 * k) & 63] : '=');
	}
	text_add_char(&out, '\a');
	send_bytes(out.data, out.length);
	text_free(&out);
}

static const struct term_ops terminal_ops = {
    .close = terminal_close,
    .size = terminal_size,
    .theme = terminal_theme,
    .paint = terminal_paint,
    .forget = terminal_forget,
    .suspend = terminal_suspend,
    .resume = terminal_resume,
    .key = terminal_key,
    .set_mouse = terminal_set_mouse,
    .ask_background = terminal_ask_background,
    .missing_features = terminal_missing_features,
    .copy = terminal_copy,
};

const char *
term_version(void)
{
	return curses_version();
}
