/*
 * Any terminal: sizes, colours or none, what it sends, and how it is left.
 */
#include "config.h"

#include "test.h"

#include "base/thread.h"
#include "base/vec.h"
#include "scene.h"
#include "temp_file.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void
find_error(struct scene *s)
{
	scene_keys(s, "e");
	scene_until(s, " 1 of 309", false);
	for (int col = 0; col < 30; col++) {
		struct emulator_cell cell = emulator_cell(s->emulator, 12, col);
		if (cell.code == 'E' && cell.bold)
			return;
	}
}

/* Without colours everything is still told by letters and attributes. */
static void
test_mono(void **state)
{
	struct scene *colour = *state, *mono = colour + 1;
	scene_open_demo(colour, 24, 80);
	scene_open(mono, 24, 80, "xterm-256color", "demo.stp", "--theme=mono", NULL);
	scene_wait(mono, "1 of 309");
	scene_wait(colour, "boot rom ");
	scene_wait(mono, "boot rom ");
	scene_wait(colour, "E 15  W 12"); /* all is indexed */
	scene_wait(mono, "E 15  W 12");
	scene_wait(colour, DEMO_TIME);
	scene_wait(mono, DEMO_TIME);
	find_error(colour);
	find_error(mono);
	/* columns are measured anew, whatever rows were on the screen on the way */
	scene_keys(colour, "T");
	scene_keys(mono, "T");
	scene_wait_id(colour, NOTICE_TIME_MODE, NULL);
	scene_wait_id(mono, NOTICE_TIME_MODE, NULL);
	assert_true(scene_has_colours(colour));
	assert_false(scene_has_colours(mono));
	for (int row = 0; row < 24; row++) {
		char *text = mem_text(emulator_row(colour->emulator, row));
		assert_string_equal(emulator_row(mono->emulator, row), text);
		free(text);
	}
	scene_quit(colour);
	scene_quit(mono);
}

static void
test_ascii(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "all-raw.bin", "--ascii", "+x\033", NULL);
	scene_wait(s, "- bytes ");
	scene_keys(s, "  ");
	scene_keys(s, "G");
	scene_keys(s, "?");
	scene_wait(s, "backward search");
	for (size_t i = 0; i < s->sent.length; i++)
		assert_true((unsigned char)s->sent.data[i] < 0x7f);
	scene_keys(s, "\003");
	scene_quit(s);
}

static void
test_wide_screen(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 50, 200);
	scene_keys(s, "px\033");
	scene_wait(s, "- message ");
	scene_wait(s, "- bytes");
	/* beside the list, in the row of its names */
	scene_wait_at(s, 1, "message");
	scene_wait_at(s, 1, "- message ");
	scene_keys(s, "|");
	scene_wait_notice(s, NOTICE_LAYOUT, "stacked");
	assert_null(strstr(emulator_row(s->emulator, 1), "detail"));
	scene_quit(s);
}

static void
test_small_screens(void **state)
{
	static const struct {
		int rows, cols;
	} sizes[] = {{5, 20}, {3, 10}, {2, 5}, {1, 80}, {1, 1}, {24, 1}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct scene *s = *state;
		scene_open(s, sizes[i].rows, sizes[i].cols, "xterm-256color", "demo.stp", NULL);
		scene_wait(s, ">");
		scene_keys(s, "px\033jG|\\?\003/a\rg\033OPqBa.\r2;z j&(\033");
		scene_keys(s, "j");
		scene_quit(s);
	}
	struct scene *s = *state; /* one row: the current message */
	scene_open(s, 1, 80, "xterm-256color", "demo.stp", NULL);
	scene_keys(s, "7G");
	scene_wait(s, "VDD_CORE: 205 mV");
	scene_quit(s);
}

static void
test_resize(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "101G");
	scene_wait(s, "101 of 309");
	struct winsize size = {.ws_row = 8, .ws_col = 40};
	emulator_resize(s->emulator, 8, 40);
	s->rows = 8;
	ioctl(s->master, TIOCSWINSZ, &size);
	scene_wait(s, "101 of 309");
	scene_wait(s, ">");
	scene_wait_at(s, 7, "101 of 309");
	scene_quit(s);
}

/* What a terminal cannot do is told to those who ask. */
static void
test_lacks(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "vt100", "demo.stp", NULL);
	scene_wait(s, "1 of 309");
	scene_keys(s, ":messages\r");
	scene_wait(s, "terminal vt100: no colours");
	assert_false(scene_has_colours(s));
	scene_keys(s, "Q");
	scene_end(s);
	assert_true(WIFEXITED(s->status));
	scene_close(s);
}

/* The colour that was meant, or the like of it that the terminal has. */
static void
test_colours(void **state)
{
	static const struct {
		const char *term, *colorterm, *sent;
	} rows[] = {
	    {"xterm-256color", "truecolor", "\033[38;2;255;135;0m"},
	    {"xterm-256color", "", "\033[38;5;208m"},
	    {"xterm", "", "\033[33m"},
	    {"vt100", "truecolor", NULL},
	};
	const char *before = getenv("COLORTERM");
	char *kept = before ? mem_text(before) : NULL;
	char path[TEMP_PATH], option[48];
	temp_make_text(path, ".yaml", "info: {fg: \"#ff8700\"}\n");
	snprintf(option, sizeof option, "--theme=%s", path);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct scene *s = *state;
		setenv("COLORTERM", rows[i].colorterm, 1);
		scene_open(s, 24, 80, rows[i].term, "demo.stp", option, NULL);
		scene_wait(s, "1 of 309");
		assert_true(scene_has_colours(s) == (rows[i].sent != NULL));
		if (rows[i].sent)
			assert_non_null(strstr(s->sent.data, rows[i].sent));
		scene_keys(s, "Q");
		scene_end(s);
		scene_close(s);
	}
	unlink(path);
	unsetenv("COLORTERM");
	if (kept)
		setenv("COLORTERM", kept, 1);
	free(kept);
}

static void
test_signals(void **state)
{
	static const int numbers[] = {SIGTERM, SIGHUP,	SIGSEGV, SIGABRT,
				      SIGQUIT, SIGALRM, SIGUSR1, SIGPIPE};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct scene *s = *state;
		if (getenv("ASAN_OPTIONS") && numbers[i] == SIGSEGV)
			continue;	     /* the sanitizer has it */
		signal(numbers[i], SIG_DFL); /* a shell's background jobs ignore some */
		scene_open_demo(s, 24, 80);
		kill(s->child, numbers[i]);
		scene_end(s);
		assert_true(WIFSIGNALED(s->status));
		assert_int_equal(WTERMSIG(s->status), numbers[i]);
		scene_check_restored(s);
		scene_close(s);
	}
}

/* What is pasted is text where text is typed, and runs no command elsewhere. */
static void
test_pasted(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	assert_non_null(strstr(s->sent.data, "\033[?2004h"));
	scene_keys(s, "\033[200~G:scene_quit\rQ\r\033[201~");
	scene_wait_id(s, NOTICE_PASTE_IGNORED, NULL);
	scene_wait_at(s, 2, ">    ");
	scene_keys(s, ":\033[200~one\r\033[Atwo\tthree\r\033[201~");
	scene_wait(s, ":one two three");
	scene_keys(s, "!");
	scene_wait(s, ":one two three!");
	scene_keys(s, "\033");
	scene_until(s, ":one", false);
	scene_quit(s);
}

/* Sequences that no key sends are read to their end, even if it comes late. */
static void
test_sequences(void **state)
{
	static const char *const sequences[] = {
	    "\033[<0;5;5M",	"\033[<0;5;5m",	   "\033[M G!",	 "\033]11;rgb:GG/GG/GG\033\\",
	    "\033]52;c;R0c=\a", "\033P>|GG\033\\", "\033[?1;2c", "\033[I",
	    "\033[O",		"\033[12;34R",	   "\033OG"};
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
		scene_keys(s, sequences[i]);
	scene_keys(s, ":sequences");
	scene_wait(s, ":sequences");
	scene_wait_at(s, 2, ">    ");
	scene_keys(s, "\003");
	scene_until(s, ":sequences", false);
	scene_quit(s);
}

static void
test_bad_terminal(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "dumb", "demo.stp", NULL);
	scene_end(s);
	assert_true(WIFEXITED(s->status));
	assert_int_equal(WEXITSTATUS(s->status), 2);
	assert_non_null(strstr(scene_screen(s), "TERM=dumb"));
	scene_close(s);
}

/* The colour of the letter of an error. */
static int
error_colour(struct scene *s)
{
	for (int row = 2; row < 23; row++) {
		struct emulator_cell cell = emulator_cell(s->emulator, row, 11);
		if (cell.code == 'E' && emulator_cell(s->emulator, row, 0).code != '>')
			return cell.fg;
	}
	return -1;
}

static bool
has_error_colour(struct scene *s, const struct sought *sought)
{
	return error_colour(s) == sought->col;
}

static void
wait_error_colour(struct scene *s, int colour)
{
	struct sought sought = {.col = colour};
	if (!scene_awaits(s, has_error_colour, &sought))
		scene_fail(s, "the letter of an error is %d, not %d", error_colour(s), colour);
}

/* A terminal with 256 colours gets a theme for its background: by COLORFGBG, else by its
 * answer, which is no key, in whatever pieces it comes.  The theme of the user stays. */
static void
test_background(void **state)
{
	static const char *const pieces[] = {"\033]11;rgb:ffff/ffff/dddd\033\\",
					     NULL,
					     "\033]11;rgb:fff",
					     "f/ffff/dddd\a",
					     NULL,
					     "\033",
					     "]11;rgb:ff/ff/ee\033",
					     "\\",
					     NULL,
					     "\033]",
					     "11",
					     ";rgba:ffff/ffff/ffff/ffff\a",
					     NULL};
	struct scene *s = *state;
	size_t count = sizeof pieces / sizeof *pieces;
	unsetenv("COLORFGBG");
	for (size_t i = 0; i < count; i++) {
		scene_open_demo(s, 24, 80);
		assert_non_null(strstr(s->sent.data, "\033]11;?"));
		scene_keys(s, "170G");
		wait_error_colour(s, 210);
		size_t first = i;
		bool late = false; /* by when ESC may have become a key */
		for (; pieces[i]; i++) {
			int64_t before = thread_now_ms();
			scene_keys(s, pieces[i]);
			scene_read(s, 60); /* longer than keys of one sequence are apart */
			late |= thread_now_ms() - before > 120;
		}
		if (late) {
			scene_quit(s);
			i = first - 1;
			continue;
		}
		wait_error_colour(s, 160);
		scene_wait(s, " 170 of 309");
		assert_null(strstr(scene_screen(s), "no key"));
		scene_quit(s);
	}
	scene_open_demo(s, 24, 80); /* these are keys, though they begin as it does */
	scene_keys(s, "\033");
	scene_keys(s, "]e");
	scene_wait(s, " 138 of 309");
	scene_keys(s, "\033[11~"); /* F1 of some terminals: no answer, and no letters */
	scene_keys(s, "\033]4;1;rgb:0000/0000/0000\a");
	scene_keys(s, "\033]11;rgb:0000/0000/0000\a"); /* dark, as it was taken for */
	scene_keys(s, "e");
	scene_wait(s, " 171 of 309");
	wait_error_colour(s, 210);
	scene_quit(s);
	setenv("COLORFGBG", "0;default;15", 1);
	scene_open_demo(s, 24, 80);
	scene_keys(s, "170G");
	wait_error_colour(s, 160);
	assert_null(strstr(s->sent.data, "\033]11;?"));
	scene_quit(s);
	unsetenv("COLORFGBG");
	scene_open(s, 24, 80, "xterm-256color", "demo.stp", "--theme=default", NULL);
	scene_keys(s, "170G");
	wait_error_colour(s, 1);
	scene_keys(s, pieces[0]);
	scene_keys(s, "j");
	scene_wait(s, " 171 of 309");
	wait_error_colour(s, 1);
	scene_quit(s);
}

/* Once all is shown nothing more is sent: no clock, no blinking. */
static void
test_idle(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_wait(s, "boot rom ");
	scene_wait(s, DEMO_TIME);
	scene_keys(s, "T"); /* an answer to this comes behind all else */
	scene_wait(s, "T:start");
	size_t before = s->sent.length;
	struct pollfd file = {.fd = s->master, .events = POLLIN};
	assert_int_equal(poll(&file, 1, 700), 0);
	assert_int_equal(s->sent.length, before);
	scene_check_idle(s);
	scene_quit(s);
}

/* Bytes of a key each, for COUNT rows down from message FROM: MS between keys. */
static size_t
bytes_of_steps(struct scene *s, int from, int count, int ms)
{
	char wanted[32];
	size_t before = s->sent.length;
	for (int i = 1; i <= count; i++) {
		scene_keys(s, "j");
		for (int waited = 0; waited < ms; waited += 5)
			scene_read(s, 5);
	}
	snprintf(wanted, sizeof wanted, "- message %d ", from + count);
	scene_wait(s, wanted);
	scene_check_idle(s);
	return (s->sent.length - before) / (size_t)count;
}

/* Return the bytes of a step down, on average over COUNT rows, with a cursor of that FORM. */
static size_t
bytes_of_cursor(struct scene *s, int rows, int cols, const char *form)
{
	enum { COUNT = 30 };
	char text[64];
	scene_open_demo(s, rows, cols);
	snprintf(text, sizeof text, ":set cursor=%s\r", form);
	scene_keys(s, text);
	scene_wait(s, "cursor=");
	scene_keys(s, "100G");
	scene_wait(s, " 100 of 309");
	size_t before = s->sent.length;
	for (int i = 1; i <= COUNT; i++) {
		scene_keys(s, "j");
		snprintf(text, sizeof text, " %d of 309", 100 + i);
		scene_wait(s, text);
	}
	size_t bytes = (s->sent.length - before) / COUNT;
	scene_quit(s);
	return bytes;
}

/* A key that moves the cursor is cheap on a slow line. */
static void
test_cursor_bytes(void **state)
{
	struct scene *s = *state;
	assert_in_range(bytes_of_cursor(s, 24, 80, "row"), 1, 200);
	assert_in_range(bytes_of_cursor(s, 45, 160, "row"), 1, 320);
	assert_in_range(bytes_of_cursor(s, 24, 80, "block"), 1, 150);
	assert_in_range(bytes_of_cursor(s, 45, 160, "block"), 1, 150);
}

/* Without colours, the letter of a severity can be told in the row of the cursor. */
static void
test_cursor_mono(void **state)
{
	struct scene *s = *state;
	int row = 0;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", "--theme=mono", "-e",
		   "severity = fatal", NULL);
	scene_wait_row(s, "> 10:06:40.", " F ");
	while (emulator_cell(s->emulator, row, 0).code != '>')
		row++;
	assert_true(emulator_cell(s->emulator, row, 2).reverse);
	assert_int_equal(emulator_cell(s->emulator, row, 18).code, 'F');
	assert_false(emulator_cell(s->emulator, row, 18).reverse);
	assert_true(emulator_cell(s->emulator, row, 18).bold);
	assert_true(emulator_cell(s->emulator, row, 79).reverse);
	scene_quit(s);
}

/* Check the characters of the lines between panes: below the list, next to it, and above the pane
 * with the cursor. */
static void
check_lines(struct scene *s, const char *option, uint32_t rule, uint32_t focus, uint32_t bar)
{
	int row = 0;
	scene_open(s, 24, 140, "xterm-256color", "demo.stp", option, NULL);
	scene_wait(s, "1 of 309");
	scene_keys(s, "pi\033");
	scene_wait(s, "- message 1");
	scene_wait(s, "- time ");
	while (emulator_cell(s->emulator, row, 2).code != 't' ||
	       emulator_cell(s->emulator, row, 0).code != rule)
		assert_in_range(++row, 1, 23);
	int col = 0;
	while (emulator_cell(s->emulator, row - 1, col).code != bar)
		assert_in_range(++col, 1, 139);
	for (int y = 1; y < row; y++)
		assert_int_equal(emulator_cell(s->emulator, y, col).code, bar);
	assert_int_equal(emulator_cell(s->emulator, 1, col + 1).code, rule);
	scene_keys(s, "\t");
	scene_wait(s, "= message 1");
	assert_int_equal(emulator_cell(s->emulator, 1, col + 1).code, focus);
	assert_true(emulator_cell(s->emulator, 1, col + 1).bold);
	scene_quit(s);
}

static void
test_lines(void **state)
{
	struct scene *s = *state;
	check_lines(s, "--color=auto", 0x2500, 0x2550, 0x2502);
	check_lines(s, "--ascii", '-', '=', '|');
	setenv("LC_ALL", "C", 1);
	check_lines(s, "--color=auto", '-', '=', '|');
	setenv("LC_ALL", "C.UTF-8", 1);
}

/* While a key is held down, with all panes open, these wait for its end: much less is sent
 * than for as many single keys.  What is shown then is what is shown anyway. */
static void
test_held_key(void **state)
{
	struct scene *s = *state;
	struct text shown = {0};
	scene_open(s, 45, 160, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, "101Gpcxi");
	scene_wait(s, "- message 101 ");
	scene_keys(s, "\033");
	scene_check_idle(s);
	size_t single = bytes_of_steps(s, 101, 20, 150);
	size_t held = bytes_of_steps(s, 121, 60, 20);
	assert_in_range(held, 1, single / 2);
	text_add(&shown, scene_screen(s));
	scene_keys(s, "\f"); /* all of it anew */
	scene_check_idle(s);
	assert_string_equal(shown.data, scene_screen(s));
	scene_quit(s);
	text_free(&shown);
}

/* Waits until the terminal shows what --snapshot prints with ARGUMENTS. */
static void
wait_snapshot(struct scene *s, const char *name, const char *arguments)
{
	struct text all = {0}, screen = {0};
	text_addf(&all, "--snapshot=%dx%d %s", s->cols, s->rows, arguments);
	batch_print_of(name, all.data, &screen);
	assert_true(screen.length > 0);
	emulator_ascii_lines(&screen);
	scene_wait(s, text_get(&screen));
	text_free(&all);
	text_free(&screen);
}

/* A picture of the screen is what a terminal shows. */
static void
test_snapshot(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	wait_snapshot(s, "demo.stp", "");
	scene_keys(s, "e");
	wait_snapshot(s, "demo.stp", "+e");
	scene_keys(s, "pc");
	wait_snapshot(s, "demo.stp", "+e +pc");
	scene_close(s);
	/* without colours, errors in the timeline are a character */
	scene_open(s, 50, 200, "xterm-256color", "lab.yaml", "--color=never", NULL);
	wait_snapshot(s, "lab.yaml", "");
	scene_keys(s, "3eiC");
	wait_snapshot(s, "lab.yaml", "+3e +iC");
	scene_keys(s, "&severity >= warning\r");
	wait_snapshot(s, "lab.yaml", "+3e +iC -c '&severity >= warning'");
	scene_close(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_mono),	   scene_test(test_ascii),
	    scene_test(test_wide_screen),  scene_test(test_small_screens),
	    scene_test(test_resize),	   scene_test(test_lacks),
	    scene_test(test_colours),	   scene_test(test_signals),
	    scene_test(test_pasted),	   scene_test(test_sequences),
	    scene_test(test_bad_terminal), scene_test(test_idle),
	    scene_test(test_background),   scene_test(test_held_key),
	    scene_test(test_cursor_bytes), scene_test(test_cursor_mono),
	    scene_test(test_lines),	   scene_test(test_snapshot),
	};
	return scene_run_group("screen: terminal", tests);
}
