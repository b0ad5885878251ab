/*
 * The program on a terminal of its own: keys in, screens out, as a person
 * sees them.  What the list must show is in testdata/demo.truth.tsv, which
 * the encoder of the capture wrote.
 *
 * Nothing here waits for a time to pass: a scene is read until the screen
 * shows what it should and the program waits for the next event, or a deadline
 * is over.  TRAWL_TEST=test_name runs one scene.
 */
#include "config.h"

#include "test.h"

#include "base/bytes.h"
#include "base/vec.h"
#include "decode/coresight/opencsd_library.h"
#include "emulator.h"
#include "folder.h"
#include "session_fixture.h"
#include "trace/merge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { DEADLINE_MS = 30000, ARGUMENTS_MAX = 9 };

struct scene {
	pid_t child;
	int master, slave; /* the slave stays open to look at its modes */
	int rows, cols;
	struct emulator *emulator;
	struct text sent; /* all that came */
	struct text screen;
	struct termios modes; /* before */
	int status;	      /* of the child, once it ended */
};

/* --- driving ----------------------------------------------------------- */

static int64_t
now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void
run_child(struct scene *s, const char *term, char *const *arguments)
{
	setsid();
	ioctl(s->slave, TIOCSCTTY, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(s->slave, fd);
	setenv("TERM", term, 1);
	execv(arguments[0], arguments);
	_exit(127);
}

/* The path of testdata/NAME; an absolute one is itself. */
static void
data_path(const char *name, struct text *path)
{
	const char *srcdir = getenv("srcdir");
	if (*name != '/')
		text_addf(path, "%s/testdata/", srcdir ? srcdir : ".");
	text_add(path, name);
}

static void
scene_start(struct scene *s, int rows, int cols, const char *term, char *const *arguments)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
	if (!arguments[0])
		skip();
	*s = (struct scene){.rows = rows, .cols = cols};
	assert_int_equal(openpty(&s->master, &s->slave, NULL, NULL, &size), 0);
	tcgetattr(s->slave, &s->modes);
	s->emulator = emulator_new(rows, cols);
	s->child = fork();
	if (!s->child)
		run_child(s, term, arguments);
}

/* Starts trawl with further arguments (NULL at the end) on testdata/NAME, or on a
 * whole path.  Nothing is kept from scene to scene. */
static void
scene_open(struct scene *s, int rows, int cols, const char *term, const char *name, ...)
{
	char *arguments[ARGUMENTS_MAX + 3] = {getenv("TRAWL"), (char[]){"--no-state"}};
	struct text path = {0};
	va_list more;
	int count = 2;
	va_start(more, name);
	while (count < ARGUMENTS_MAX && (arguments[count] = va_arg(more, char *)))
		count++;
	va_end(more);
	data_path(name, &path);
	arguments[count] = path.data;
	scene_start(s, rows, cols, term, arguments);
	text_free(&path);
}

/* Reads what has come, waiting up to MS for it; false at the end. */
static bool
scene_read(struct scene *s, int ms)
{
	char bytes[4096];
	struct pollfd file = {.fd = s->master, .events = POLLIN};
	if (poll(&file, 1, ms) <= 0)
		return true;
	ssize_t length = read(s->master, bytes, sizeof bytes);
	if (length <= 0)
		return false;
	emulator_feed(s->emulator, bytes, (size_t)length);
	text_add_bytes(&s->sent, bytes, (size_t)length);
	return true;
}

static const char *
scene_screen(struct scene *s)
{
	text_clear(&s->screen);
	emulator_screen(s->emulator, &s->screen);
	return text_get(&s->screen);
}

static _Noreturn void fail_screen(struct scene *s, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

/* Fails with the screen as it is. */
static _Noreturn void
fail_screen(struct scene *s, const char *form, ...)
{
	char why[256];
	va_list arguments;
	va_start(arguments, form);
	vsnprintf(why, sizeof why, form, arguments);
	va_end(arguments);
	for (int row = 0; row < s->rows; row++)
		print_error("%s\n", emulator_row(s->emulator, row));
	fail_msg("%s", why);
	abort();
}

/* That the program's first thread, which writes the screen, sleeps. */
static bool
is_asleep(pid_t child)
{
	char path[32], line[256] = "";
	snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
	FILE *file = fopen(path, "r");
	if (!file)
		return true;
	const char *state = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
	fclose(file);
	return !state || state[2] != 'R';
}

/* Reads until no more comes: a screen comes in pieces, its title first. */
static void
scene_settle(struct scene *s, int64_t deadline)
{
	struct pollfd file = {.fd = s->master, .events = POLLIN};
	for (;;) {
		bool asleep = is_asleep(s->child);
		if (poll(&file, 1, asleep ? 0 : 1) > 0) {
			if (!scene_read(s, 0))
				return;
		} else if (asleep || now_ms() > deadline) {
			return;
		}
	}
}

/* What a screen is looked at for: a text, where those who ask for that need it in a
 * row, from a column on, or behind the first bytes of the row that starts so. */
struct sought {
	const char *text, *start;
	int row, col;
	size_t skip;
};

/* Reads until something HOLDS of the whole screen; false if it never did. */
static bool
scene_awaits(struct scene *s, bool (*holds)(struct scene *, const struct sought *),
	     const struct sought *sought)
{
	int64_t deadline = now_ms() + DEADLINE_MS;
	while (now_ms() <= deadline) {
		if (holds(s, sought)) {
			scene_settle(s, deadline);
			if (holds(s, sought))
				return true;
		}
		scene_read(s, 100);
	}
	return false;
}

static bool
has_text(struct scene *s, const struct sought *sought)
{
	return strstr(scene_screen(s), sought->text) != NULL;
}

static bool
lacks_text(struct scene *s, const struct sought *sought)
{
	return !has_text(s, sought);
}

/* Waits until the whole screen is there and has TEXT (or, not WANTED, no more). */
static void
scene_until(struct scene *s, const char *text, bool wanted)
{
	if (!scene_awaits(s, wanted ? has_text : lacks_text, &(struct sought){.text = text}))
		fail_screen(s, "%s \"%s\" on the screen", wanted ? "no" : "still", text);
}

static void
scene_wait(struct scene *s, const char *text)
{
	scene_until(s, text, true);
}

static bool
row_has_text(struct scene *s, const struct sought *sought)
{
	return strstr(emulator_row(s->emulator, sought->row), sought->text) != NULL;
}

static void
wait_row(struct scene *s, int row, const char *text)
{
	if (!scene_awaits(s, row_has_text, &(struct sought){.row = row, .text = text}))
		fail_screen(s, "no \"%s\" in row %d", text, row);
}

static void
scene_keys(struct scene *s, const char *keys)
{
	assert_int_equal(write(s->master, keys, strlen(keys)), strlen(keys));
}

/* The row that starts so, or NULL; the text is the emulator's. */
static const char *
scene_row(struct scene *s, const char *start)
{
	for (int row = 0; row < s->rows; row++) {
		const char *text = emulator_row(s->emulator, row);
		if (!strncmp(text, start, strlen(start)))
			return text;
	}
	return NULL;
}

/* That the row that starts so has the text behind its first SKIP bytes. */
static bool
started_row_has_text(struct scene *s, const struct sought *sought)
{
	const char *row = scene_row(s, sought->start);
	return row && strstr(row + sought->skip, sought->text);
}

/* Waits until the row that starts so has TEXT. */
static void
scene_wait_row(struct scene *s, const char *start, const char *text)
{
	if (!scene_awaits(s, started_row_has_text, &(struct sought){.start = start, .text = text}))
		fail_screen(s, "no \"%s\" in a row \"%s\"", text, start);
}

/* Waits for the child's end and what it still has to say. */
static void
scene_end(struct scene *s)
{
	int64_t deadline = now_ms() + DEADLINE_MS;
	while (waitpid(s->child, &s->status, WNOHANG) == 0) {
		if (now_ms() > deadline) {
			kill(s->child, SIGKILL);
			fail_msg("the program does not end");
		}
		scene_read(s, 20);
	}
	s->child = 0;
	struct pollfd file = {.fd = s->master, .events = POLLIN};
	while (poll(&file, 1, 0) > 0 && scene_read(s, 0))
		;
}

static void
scene_close(struct scene *s)
{
	if (s->child) {
		kill(s->child, SIGKILL);
		waitpid(s->child, NULL, 0);
	}
	close(s->master);
	close(s->slave);
	emulator_free(s->emulator);
	text_free(&s->sent);
	text_free(&s->screen);
}

/* That the shell would find the terminal as it was. */
static void
check_restored(struct scene *s)
{
	struct termios modes;
	tcgetattr(s->slave, &modes);
	assert_int_equal(modes.c_lflag, s->modes.c_lflag);
	assert_int_equal(modes.c_iflag, s->modes.c_iflag);
	assert_int_equal(modes.c_oflag, s->modes.c_oflag);
	assert_non_null(strstr(s->sent.data, "\033[?1049l")); /* the shell's screen */
	const char *shown = strrchr(s->sent.data, 'h');	      /* cursor shown last */
	assert_non_null(shown);
	assert_memory_equal(shown - 5, "\033[?25", 5);
}

static void
quit(struct scene *s)
{
	scene_keys(s, "Q");
	scene_end(s);
	assert_true(WIFEXITED(s->status));
	assert_int_equal(WEXITSTATUS(s->status), 0);
	check_restored(s);
	scene_close(s);
}

/* What COMMAND prints, or a file has. */
static void
read_all(FILE *file, struct text *out)
{
	char bytes[4096];
	size_t length;
	assert_non_null(file);
	while ((length = fread(bytes, 1, sizeof bytes, file)))
		text_add_bytes(out, bytes, length);
}

/* --- the truth --------------------------------------------------------- */

enum column { OFFSET, LENGTH, TICKS, STATE, SEVERITY, TYPE, TEXT, FIELDS, COLUMNS };

struct truth {
	char *lines;
	VEC(char *) rows[COLUMNS];
};

static void
read_truth(struct truth *truth, const char *name)
{
	struct text path = {0}, all = {0};
	char bytes[4096];
	size_t length;
	data_path(name, &path);
	FILE *file = fopen(path.data, "r");
	assert_non_null(file);
	while ((length = fread(bytes, 1, sizeof bytes, file)))
		text_add_bytes(&all, bytes, length);
	fclose(file);
	text_free(&path);
	*truth = (struct truth){.lines = all.data};
	char *line = strchr(all.data, '\n') + 1; /* behind the head */
	while (*line) {
		char *end = strchr(line, '\n');
		*end = '\0';
		for (int c = 0; c < COLUMNS; c++) {
			char *cell = c < FIELDS && line ? strsep(&line, "\t") : line;
			*vec_add(&truth->rows[c]) = cell;
		}
		line = end + 1;
	}
}

static void
free_truth(struct truth *truth)
{
	for (int c = 0; c < COLUMNS; c++)
		vec_free(&truth->rows[c]);
	free(truth->lines);
}

/* That the screen's row shows the message: severity and text (cut off at the
 * border). */
static void
check_row(const char *shown, const struct truth *truth, size_t n)
{
	const char *text = truth->rows[TEXT].at[n];
	const char *severity = truth->rows[SEVERITY].at[n];
	char mark[4] = {' ', *severity == 'M' ? '-' : *severity, ' '};
	assert_non_null(strstr(shown, mark));
	if (*text == '*')
		return; /* any */
	char start[24];
	snprintf(start, sizeof start, "%.20s", text);
	for (size_t end = strlen(start); end && start[end - 1] == ' '; end--)
		start[end - 1] = '\0'; /* as there are none at the end of a row */
	if (!strstr(shown, start))
		fail_msg("message %zu: \"%s\" is not in \"%s\"", n, start, shown);
}

/* --- scenes ------------------------------------------------------------ */

static void
open_demo(struct scene *s, int rows, int cols)
{
	scene_open(s, rows, cols, "xterm-256color", "demo.stp", NULL);
	if (rows > 1)
		scene_wait(s, "0 / 309");
}

static void
test_list(void **state)
{
	(void)state;
	struct scene s;
	struct truth truth;
	read_truth(&truth, "demo.truth.tsv");
	open_demo(&s, 24, 80);
	scene_wait(&s, "boot rom  "); /* names are there */
	assert_non_null(strstr(emulator_row(s.emulator, 0), "board"));
	assert_non_null(strstr(emulator_row(s.emulator, 0), "syst/stp"));
	for (int row = 2; row < 23; row++)
		check_row(emulator_row(s.emulator, row), &truth, (size_t)row - 2);
	assert_int_equal(emulator_cell(s.emulator, 2, 0).code, '>');

	scene_keys(&s, " "); /* a page: the next rows, none left out */
	scene_wait(&s, "21 / 309");
	for (int row = 2; row < 23; row++)
		check_row(emulator_row(s.emulator, row), &truth, (size_t)row - 2 + 21);

	scene_keys(&s, "G");
	scene_wait(&s, "308 / 309");
	for (int row = 2; row < 23; row++)
		check_row(emulator_row(s.emulator, row), &truth, /* it tells less of a gap */
			  truth.rows[TEXT].count - 21 + (size_t)row - 2);
	scene_keys(&s, "100Gjjjk"); /* keys that come together */
	scene_wait(&s, "102 / 309");
	check_row(scene_row(&s, ">"), &truth, 102);
	scene_keys(&s, "0\033[B\033[A"); /* arrows */
	scene_keys(&s, "\033[5~");
	scene_wait(&s, "81 / 309");
	quit(&s);
	free_truth(&truth);
}

/* The current row: marker and time reversed, no more. */
static void
test_looks(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_keys(&s, "4G");
	scene_wait(&s, "4 / 309");
	assert_true(emulator_cell(s.emulator, 6, 0).reverse);
	assert_true(emulator_cell(s.emulator, 6, 5).reverse);
	assert_false(emulator_cell(s.emulator, 6, 20).reverse);
	assert_false(emulator_cell(s.emulator, 5, 5).reverse);
	quit(&s);
}

static void
find_error(struct scene *s)
{
	scene_keys(s, "e");
	scene_until(s, " 0 / 309", false);
	for (int col = 0; col < 30; col++) {
		struct emulator_cell cell = emulator_cell(s->emulator, 12, col);
		if (cell.code == 'E' && cell.bold)
			return;
	}
}

static bool
any_coloured(struct scene *s)
{
	bool any = false;
	for (int row = 0; row < s->rows; row++)
		for (int col = 0; col < s->cols; col++)
			any |= emulator_cell(s->emulator, row, col).coloured;
	return any;
}

/* Without colours everything is still told by letters and attributes. */
/* Message 4, once its time is of the common clock: 2119 ticks of 1 / 38.4 MHz. */
static const char common_time[] = " 0.000055182 ";

static void
test_mono(void **state)
{
	(void)state;
	struct scene colour, mono;
	open_demo(&colour, 24, 80);
	scene_open(&mono, 24, 80, "xterm-256color", "demo.stp", "--theme=mono", NULL);
	scene_wait(&mono, "0 / 309");
	scene_wait(&colour, "boot rom  ");
	scene_wait(&mono, "boot rom  ");
	scene_wait(&colour, "E:15 W:12"); /* all is indexed */
	scene_wait(&mono, "E:15 W:12");
	scene_wait(&colour, common_time);
	scene_wait(&mono, common_time);
	find_error(&colour);
	find_error(&mono);
	assert_true(any_coloured(&colour));
	assert_false(any_coloured(&mono));
	for (int row = 0; row < 24; row++) {
		char *text = mem_text(emulator_row(colour.emulator, row));
		assert_string_equal(emulator_row(mono.emulator, row), text);
		free(text);
	}
	quit(&colour);
	quit(&mono);
}

static void
test_ascii(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 24, 80, "xterm-256color", "all-raw.bin", "--ascii", "+x", NULL);
	scene_wait(&s, " hex ");
	scene_keys(&s, "  ");
	scene_keys(&s, "G");
	scene_keys(&s, "?");
	scene_wait(&s, "backward search");
	for (size_t i = 0; i < s.sent.length; i++)
		assert_true((unsigned char)s.sent.data[i] < 0x7f);
	scene_keys(&s, "\003");
	quit(&s);
}

static void
test_panes(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_keys(&s, "4Gpx");
	scene_wait(&s, "- detail");
	scene_wait(&s, "- hex  0x8f  77 B");
	/* offset 143 in the truth is 0x8f; its row of the dump starts at 0x80 */
	scene_wait_row(&s, " 00000080  ", "");
	scene_wait_row(&s, "v stp", "");
	scene_keys(&s, "\t"); /* to the detail pane: close the first group */
	scene_wait(&s, "= detail");
	scene_keys(&s, "gh");
	scene_wait(&s, "> stp");
	scene_keys(&s, "l");
	scene_wait(&s, "v stp");
	scene_keys(&s, "p");
	scene_until(&s, "detail", false);
	scene_keys(&s, "x");
	scene_until(&s, " hex ", false);
	scene_keys(&s, "\r"); /* Enter opens the detail and goes there */
	scene_wait(&s, "= detail");
	scene_keys(&s, "\\");
	scene_wait(&s, "zoom:detail");
	scene_until(&s, "boot rom  ", false);
	scene_keys(&s, "q");
	scene_wait(&s, "boot rom  ");
	scene_keys(&s, "q");
	scene_until(&s, "detail", false);
	quit(&s);
}

/* The bytes of the field under the cursor stand out, nibble by nibble. */
static void
test_field_bytes(void **state)
{
	(void)state;
	struct scene s;
	int reversed = 0;
	open_demo(&s, 24, 80);
	scene_keys(&s, "5G\rx");
	scene_wait(&s, "- hex");
	scene_keys(&s, "G");
	scene_wait(&s, "= detail");
	scene_keys(&s, "g");
	scene_keys(&s, "j"); /* the master: bits of the transport's packets */
	scene_wait(&s, "master");
	scene_keys(&s, "jj");
	scene_keys(&s, ":");
	scene_wait(&s, "\n:");
	for (int row = 0; row < 24; row++)
		for (int col = 10; col < 60; col++)
			reversed += !strncmp(emulator_row(s.emulator, row), " 000000", 7) &&
				    emulator_cell(s.emulator, row, col).reverse;
	assert_true(reversed > 0);
	scene_keys(&s, "\033");
	scene_until(&s, "\n:", false);
	quit(&s);
}

static void
test_wide_screen(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 50, 200);
	scene_keys(&s, "px");
	scene_wait(&s, "- detail");
	scene_wait(&s, "- hex");
	/* beside the list, in the row of its names */
	wait_row(&s, 1, "message");
	wait_row(&s, 1, "- detail");
	scene_keys(&s, "|");
	scene_wait(&s, "layout stacked");
	assert_null(strstr(emulator_row(s.emulator, 1), "detail"));
	quit(&s);
}

static void
test_small_screens(void **state)
{
	(void)state;
	static const struct {
		int rows, cols;
	} sizes[] = {{5, 20}, {3, 10}, {2, 5}, {1, 80}, {1, 1}, {24, 1}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct scene s;
		scene_open(&s, sizes[i].rows, sizes[i].cols, "xterm-256color", "demo.stp", NULL);
		scene_wait(&s, ">");
		scene_keys(&s, "pxjG|\\?\003/a\rgHqBa.\r2;z j&(\033");
		scene_keys(&s, "j");
		quit(&s);
	}
	struct scene s; /* one row: the current message */
	scene_open(&s, 1, 80, "xterm-256color", "demo.stp", NULL);
	scene_keys(&s, "6G");
	scene_wait(&s, "VDD_CORE: 205 mV");
	quit(&s);
}

static void
test_resize(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_keys(&s, "100G");
	scene_wait(&s, "100 / 309");
	struct winsize size = {.ws_row = 8, .ws_col = 40};
	emulator_resize(s.emulator, 8, 40);
	s.rows = 8;
	ioctl(s.master, TIOCSWINSZ, &size);
	scene_wait(&s, "100 / 309");
	scene_wait(&s, ">");
	wait_row(&s, 7, "100 / 309");
	quit(&s);
}

/* A bad checksum is a gap, though only a look at the whole message tells. */
static void
test_gaps(void **state)
{
	(void)state;
	static const uint8_t good[] = {0x32, 0x26, 0x01, 0x01, 0x0c, 0x00, 0x48, 0x65,
				       0x6c, 0x6c, 0x6f, 0x20, 0x77, 0x6f, 0x72, 0x6c,
				       0x64, 0x21, 0xd3, 0x06, 0xb8, 0xea};
	char path[] = "/tmp/test_screen.XXXXXX";
	struct scene s;
	int file = mkstemp(path);
	assert_true(file >= 0);
	for (int i = 0; i < 9; i++) {
		uint8_t bytes[sizeof good];
		memcpy(bytes, good, sizeof good);
		bytes[sizeof good - 1] ^= (uint8_t)(i == 5);
		assert_int_equal(write(file, bytes, sizeof bytes), sizeof bytes);
	}
	close(file);
	scene_open(&s, 24, 80, "xterm-256color", path, "--from=syst/raw", NULL);
	scene_wait(&s, "0 / 9");
	scene_keys(&s, "]g");
	scene_wait(&s, "5 / 9");
	scene_keys(&s, "G[g");
	scene_wait(&s, "5 / 9");
	quit(&s);
	unlink(path);
}

/* The triggers of testdata/demo.truth.tsv and of testdata/all-encap.truth.tsv. */
static void
test_triggers(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_keys(&s, "]t");
	scene_wait_row(&s, ">", "trigger 0x");
	scene_keys(&s, "=");
	scene_wait(&s, " at 0x29e0, 5 B"); /* 10720 */
	quit(&s);
	scene_open(&s, 24, 80, "xterm-256color", "all-encap.bin", NULL);
	scene_wait(&s, " 0 / ");
	scene_keys(&s, "]t");
	scene_wait(&s, " 24 / ");
	scene_keys(&s, "=");
	scene_wait(&s, " at 0xd6, 9 B");
	scene_keys(&s, "2]t");
	scene_wait(&s, " 265 / ");
	scene_keys(&s, "=");
	scene_wait(&s, " at 0x964, 9 B");
	scene_keys(&s, "[t");
	scene_wait(&s, " 183 / ");
	scene_keys(&s, "=");
	scene_wait(&s, " at 0x67d, 13 B");
	quit(&s);
}

/* Events of trace hardware: the trigger of ETMv3, and event 0 of ETMv4, alone or
 * with others. */
static void
test_trigger_events(void **state)
{
	(void)state;
#define EVENT(what) "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_EVENT( " what "; )\n"
	static const char listing[] = EVENT("Numbered:2") EVENT("Trigger") EVENT("Numbered:1")
	    EVENT("Numbered:6") EVENT("Numbered:5");
#undef EVENT
	struct scene s;
	char path[] = "/tmp/test_screen.XXXXXX";
	int file = mkstemp(path);
	assert_int_equal(write(file, listing, strlen(listing)), strlen(listing));
	close(file);
	scene_open(&s, 24, 80, "xterm-256color", path, NULL);
	scene_wait(&s, " 0 / 5");
	scene_keys(&s, "]t");
	scene_wait(&s, " 1 / 5");
	scene_keys(&s, "]t");
	scene_wait(&s, " 2 / 5");
	scene_keys(&s, "]t");
	scene_wait(&s, " 4 / 5");
	quit(&s);
	unlink(path);
}

static void
test_search(void **state)
{
	(void)state;
	struct scene s;
	struct truth truth;
	size_t hits[3], count = 0;
	char want[32];
	read_truth(&truth, "demo.truth.tsv");
	for (size_t i = 1; i < truth.rows[TEXT].count && count < 3; i++)
		if (strstr(truth.rows[TEXT].at[i], "VDD_DSP"))
			hits[count++] = i;
	assert_int_equal(count, 3);
	open_demo(&s, 24, 80);
	scene_wait(&s, "boot rom  ");
	scene_keys(&s, "/vdd_d.p\r"); /* no capital: either case */
	snprintf(want, sizeof want, " %zu / 309", hits[0]);
	scene_wait(&s, want);
	scene_keys(&s, "2n");
	snprintf(want, sizeof want, " %zu / 309", hits[2]);
	scene_wait(&s, want);
	scene_keys(&s, "N");
	snprintf(want, sizeof want, " %zu / 309", hits[1]);
	scene_wait(&s, want);
	scene_keys(&s, "/\\x42 4 2\r"); /* meant for bytes, but none */
	scene_wait(&s, "character 6: a byte is two hexadecimal digits");
	scene_keys(&s, "/\\xgg\r");
	scene_wait(&s, "character 3: a byte is two hexadecimal digits");
	scene_keys(&s, "g/\\x56dd_dsp: en\r"); /* a regular expression */
	scene_wait_row(&s, ">", "VDD_DSP: enable");
	scene_keys(&s, "/Vdd_Dsp\r"); /* capitals: this case only */
	scene_wait(&s, "no match found");
	scene_keys(&s, "/(\r");
	scene_wait(&s, "at character");
	scene_keys(&s, "l");
	scene_wait(&s, ", 0 matches"); /* all counted: nothing to stop */
	scene_keys(&s, "\003");
	scene_wait(&s, "q quits"); /* and Ctrl-C does not */
	scene_keys(&s, "g?VDD_DSP\r");
	scene_wait(&s, "continued at the end");
	quit(&s);
	free_truth(&truth);
}

static void
test_filters(void **state)
{
	(void)state;
	struct scene s;
	struct truth truth;
	unsigned fatal = 0, errors = 0, unassigned = 0;
	char want[64];
	read_truth(&truth, "all-raw.truth.tsv");
	for (size_t i = 0; i < truth.rows[SEVERITY].count; i++) {
		const char *severity = truth.rows[SEVERITY].at[i];
		fatal += !strcmp(severity, "FATAL");
		errors += !strcmp(severity, "ERROR");
		unassigned += !strcmp(severity, "MAX");
	}
	scene_open(&s, 24, 80, "xterm-256color", "all-raw.bin", NULL);
	scene_wait(&s, "0 / 400");
	scene_keys(&s, ":severity error\r");
	scene_wait(&s, "ERROR+");
	scene_keys(&s, "g");
	snprintf(want, sizeof want, "row 1 of %u ", fatal + errors + unassigned);
	scene_wait(&s, want);
	scene_keys(&s, "M");
	scene_wait(&s, "assigned");
	scene_keys(&s, "g");
	snprintf(want, sizeof want, "row 1 of %u ", fatal + errors);
	scene_wait(&s, want);
	scene_keys(&s, "}");
	scene_keys(&s, "g");
	snprintf(want, sizeof want, "row 1 of %u ", fatal);
	scene_wait(&s, want);

	scene_keys(&s, "!"); /* off: all rows, at the same place */
	scene_wait(&s, "filters off");
	scene_keys(&s, "100G");
	scene_wait(&s, "100 / 400");
	scene_keys(&s, "!");
	scene_wait(&s, "only FATAL+");
	scene_keys(&s, "!"); /* nothing moved: back to where it was */
	scene_wait(&s, "filters off");
	scene_keys(&s, "l");
	scene_wait(&s, "100 / 400");

	/* a new filter takes the cursor along, and what was before the only row that is
	 * left is there again with the others */
	scene_keys(&s, ":severity debug\rM");
	scene_keys(&s, "&number = 300\r");
	scene_wait(&s, "300 / 400, row 1 of 1 ");
	scene_keys(&s, "!");
	scene_wait(&s, "filters off");
	scene_keys(&s, "h");
	scene_wait(&s, "300 / 400");
	bool above = false;
	for (int y = 6; y < 23; y++)
		above |= emulator_row(s.emulator, y)[0] == '>';
	assert_true(above);
	quit(&s);
	free_truth(&truth);
}

/* A capture of COUNT messages and its truth, made for this; both paths. */
static void
make_capture(unsigned count, struct text *capture, struct text *truth)
{
	struct text command = {0};
	const char *mkcapture = getenv("MKCAPTURE");
	char name[] = "/tmp/trawl-test.XXXXXX";
	if (!mkcapture)
		skip();
	close(mkstemp(name));
	text_add(capture, name);
	text_addf(truth, "%s.tsv", name);
	text_addf(&command, "'%s' --count=%u --truth=%s -o %s", mkcapture, count, truth->data,
		  name);
	assert_int_equal(system(command.data), 0);
	text_free(&command);
}

/* That the screen shows the messages of ROWS from FIRST on. */
static void
check_page(struct scene *s, const struct truth *truth, const size_t *rows, size_t first)
{
	for (int row = 2; row < 23; row++)
		check_row(emulator_row(s->emulator, row), truth, rows[first + (size_t)row - 2]);
}

/* Opens a capture that was made, up to its last message: its catalog messages have
 * no collateral, which is said until the next key. */
static void
open_made(struct scene *s, const char *path, const char *end)
{
	scene_open(s, 24, 100, "xterm-256color", path, NULL);
	scene_wait(s, "--collateral=FILE");
	scene_keys(s, "g");
	scene_wait(s, end);
}

/* Rows of a filtered list are numbered, paged through and jumped about in as
 * those of any list; matches of a search are numbered among them. */
static void
test_filtered_list(void **state)
{
	(void)state;
	struct scene s;
	struct truth truth;
	struct text capture = {0}, truth_path = {0};
	VEC(size_t) rows = {0}, matches = {0};
	char want[80];
	make_capture(60000, &capture, &truth_path);
	read_truth(&truth, truth_path.data);
	size_t last = truth.rows[OFFSET].count - 1, middle = 0;
	size_t size = strtoull(truth.rows[OFFSET].at[last], NULL, 10) +
		      strtoull(truth.rows[LENGTH].at[last], NULL, 10);
	for (size_t i = 0; i <= last; i++) {
		const char *severity = truth.rows[SEVERITY].at[i];
		if (strcmp(severity, "ERROR") != 0 && strcmp(severity, "FATAL") != 0)
			continue;
		if (strtoull(truth.rows[OFFSET].at[i], NULL, 10) < size / 2)
			middle = rows.count + 1;
		if (strstr(truth.rows[TEXT].at[i], "flush"))
			*vec_add(&matches) = rows.count;
		*vec_add(&rows) = i;
	}
	assert_true(rows.count > 200 && matches.count > 3);

	open_made(&s, capture.data, "0 / 60,000");
	scene_keys(&s, ":severity error\rMg");
	snprintf(want, sizeof want, "row 1 of %zu ", rows.count);
	scene_wait(&s, want);
	check_page(&s, &truth, rows.at, 0);
	scene_keys(&s, " ");
	snprintf(want, sizeof want, "row 22 of %zu ", rows.count);
	scene_wait(&s, want);
	check_page(&s, &truth, rows.at, 21);
	scene_keys(&s, "G");
	snprintf(want, sizeof want, "row %zu of %zu ", rows.count, rows.count);
	scene_wait(&s, want);
	check_page(&s, &truth, rows.at, rows.count - 21);
	scene_keys(&s, "50%");
	snprintf(want, sizeof want, "row %zu of %zu ", middle + 1, rows.count);
	scene_wait(&s, want);
	check_row(scene_row(&s, ">"), &truth, rows.at[middle]);
	scene_keys(&s, "g100j");
	snprintf(want, sizeof want, "row 101 of %zu ", rows.count);
	scene_wait(&s, want);

	scene_keys(&s, "g/flush\r");
	snprintf(want, sizeof want, "row %zu of %zu, match 1 of %zu ", matches.at[0] + 1,
		 rows.count, matches.count);
	scene_wait(&s, want);
	scene_keys(&s, "2n");
	snprintf(want, sizeof want, ", match 3 of %zu ", matches.count);
	scene_wait(&s, want);
	check_row(scene_row(&s, ">"), &truth, rows.at[matches.at[2]]);
	scene_keys(&s, "N");
	snprintf(want, sizeof want, ", match 2 of %zu ", matches.count);
	scene_wait(&s, want);
	scene_keys(&s, "g");
	snprintf(want, sizeof want, ", %zu matches ", matches.count);
	scene_wait(&s, want);
	scene_keys(&s, "\033");
	scene_until(&s, "match", false);
	quit(&s);
	unlink(capture.data);
	unlink(truth_path.data);
	text_free(&capture);
	text_free(&truth_path);
	vec_free(&rows);
	vec_free(&matches);
	free_truth(&truth);
}

/* What stands in the last column of row 2 + I. */
static char
bar_at(struct scene *s, size_t i)
{
	return (char)emulator_cell(s->emulator, 2 + (int)i, s->cols - 1).code;
}

/* The rows of a scroll bar that have hits of TEXT: those where cells of so many
 * bytes begin (1: the messages themselves) that hold one.  How many there are. */
static size_t
find_bar(const struct truth *truth, const char *text, uint64_t cell, bool hits[static 21])
{
	size_t last = truth->rows[OFFSET].count - 1, count = 0;
	uint64_t size = strtoull(truth->rows[OFFSET].at[last], NULL, 10) +
			strtoull(truth->rows[LENGTH].at[last], NULL, 10);
	memset(hits, 0, 21 * sizeof *hits);
	for (size_t i = 0; i <= last; i++)
		if (strstr(truth->rows[TEXT].at[i], text)) {
			uint64_t at = strtoull(truth->rows[OFFSET].at[i], NULL, 10);
			hits[at / cell * cell * 21 / size] = true;
			count++;
		}
	return count;
}

/* A scroll bar tells where hits are: in a large capture by cells of 64 KiB, in a
 * small one by messages. */
static void
test_scroll_bar(void **state)
{
	(void)state;
	static const struct {
		unsigned count;
		const char *end, *text;
		uint64_t cell;
	} cases[] = {{60000, "0 / 60,000", "flush recover", 65536},
		     {8000, "0 / 8,000", "zone ring", 1}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct scene s;
		struct truth truth;
		struct text capture = {0}, truth_path = {0}, keys = {0};
		bool hits[21];
		size_t rows = 0, count = 0;
		make_capture(cases[k].count, &capture, &truth_path);
		read_truth(&truth, truth_path.data);
		count = find_bar(&truth, cases[k].text, cases[k].cell, hits);
		open_made(&s, capture.data, cases[k].end);
		scene_keys(&s, ":set bar=true\r");
		wait_row(&s, 2, "|"); /* the first rows are on the screen */
		text_addf(&keys, "/%s\r", cases[k].text);
		scene_keys(&s, keys.data);
		text_clear(&keys);
		text_addf(&keys, ", match 1 of %zu ", count);
		scene_wait(&s, keys.data);
		for (size_t i = 0; i < 21; i++) {
			rows += hits[i];
			if ((bar_at(&s, i) == '=') != hits[i])
				fail_screen(&s, "row %zu of the bar: '%c'", i, bar_at(&s, i));
		}
		assert_in_range(rows, 3, 18); /* or it tells nothing */
		scene_keys(&s, "Gmx");
		scene_wait(&s, ">x");
		assert_int_equal(bar_at(&s, 20), 'x');
		scene_keys(&s, ":set bar=false\r");
		scene_until(&s, "=\n", false);
		quit(&s);
		unlink(capture.data);
		unlink(truth_path.data);
		text_free(&keys);
		text_free(&capture);
		text_free(&truth_path);
		free_truth(&truth);
	}
}

static void
test_filter_language(void **state)
{
	(void)state;
	struct scene s;
	struct truth truth;
	size_t first = SIZE_MAX, last = 0;
	char top[32], bottom[32];
	read_truth(&truth, "all-raw.truth.tsv");
	for (size_t i = 0; i < truth.rows[SEVERITY].count; i++) {
		if (strcmp(truth.rows[SEVERITY].at[i], "FATAL") != 0)
			continue;
		first = first < i ? first : i;
		last = i;
	}
	assert_true(first < last);
	snprintf(top, sizeof top, "%zu / 400", first);
	snprintf(bottom, sizeof bottom, "%zu / 400", last);

	scene_open(&s, 24, 80, "xterm-256color", "all-raw.bin", NULL);
	scene_wait(&s, "0 / 400");
	scene_keys(&s, "&sever\t = fat\r"); /* Tab completes the name */
	scene_wait(&s, "only severity = fat");
	scene_keys(&s, "g");
	scene_wait(&s, top);
	scene_keys(&s, "G");
	scene_wait(&s, bottom);

	scene_keys(&s, "&severity = loud\r"); /* meant to be one, so no regex */
	scene_wait(&s, "loud is no severity (column 12)");
	scene_keys(&s, "&severity (\r"); /* not meant: a regex, and wrong */
	scene_wait(&s, "missing closing parenthesis");
	scene_wait(&s, "only severity = fat");

	scene_keys(&s, "&no such text\r");
	scene_wait(&s, "only /no such text/s");
	scene_wait(&s, "no message passes the filters");
	scene_keys(&s, "&!a/b\r");
	scene_wait(&s, "only not /a\\/b/s");
	scene_keys(&s, "g");
	scene_wait(&s, "0 / 400");
	scene_keys(&s, ":filter kind = cat\r");
	scene_wait(&s, "no kind of message is named cat");
	scene_keys(&s, ":filter not severity = fatal and number <= ");
	snprintf(top, sizeof top, "%zu\r", first);
	scene_keys(&s, top);
	scene_wait(&s, "only not severity");
	scene_keys(&s, "G");
	snprintf(bottom, sizeof bottom, "%zu / 400", first - 1);
	scene_wait(&s, bottom);
	scene_keys(&s, "&\r"); /* all again, at the same place */
	scene_until(&s, "only", false);
	scene_wait(&s, bottom);
	scene_keys(&s, "g");
	scene_wait(&s, "0 / 400");
	quit(&s);
	free_truth(&truth);
}

/* Tab behind an operator puts what the name before it may be compared with. */
static void
test_complete_values(void **state)
{
	(void)state;
	static const struct {
		const char *keys, *prompt;
	} cases[] = {
	    {"&origin = b\t", "&origin = \"boot rom\""},
	    {"&origin=\"boot r\t", "&origin=\"boot rom\""},
	    {":filter lost and severity >= w\t", ":filter lost and severity >= warning"},
	    {"&severity in {fatal .. w\t", "&severity in {fatal .. warning"},
	    {"&origin in {\"a, b\", d\t", "&origin in {\"a, b\", \"dma\""},
	    {"&kind not in {clock, stp_x\t", "&kind not in {clock, stp_xsync"},
	    {"&flags != sus\t", "&flags != suspect"},
	    {"&trace = \t", "&trace = \"board\""},
	    {"&type == BU\t", "&type == \"BUILD\""},
	    {"&sev\t", "&severity"}, /* no operator: a name */
	    {"&(flags = lost) and sev\t", "&(flags = lost) and severity"},
	};
	struct scene s;
	open_demo(&s, 24, 80);
	scene_keys(&s, "&origin = \"boot rom\""); /* until senders are known by name */
	scene_wait(&s, " on screen, 26 in all");
	scene_keys(&s, "\007");
	scene_wait(&s, "0 / 309");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		scene_keys(&s, cases[i].keys);
		wait_row(&s, 23, cases[i].prompt);
		scene_keys(&s, "\007");
		scene_wait(&s, "0 / 309");
	}
	quit(&s);
}

static void
test_go_to(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_wait(&s, "boot rom  ");
	scene_keys(&s, "t0x90\r"); /* in the message that starts at 0x8f */
	scene_wait(&s, " 4 / 309");
	scene_keys(&s, "t#7\r");
	scene_wait(&s, " 7 / 309");
	scene_keys(&s, "t0.00005518\r"); /* 2119 ticks of 1 / 38.4 MHz */
	scene_wait(&s, " 4 / 309");
	scene_keys(&s, "t+10us\r"); /* 2119 + 384 ticks: the next is 2728 */
	scene_wait(&s, " 5 / 309");
	scene_keys(&s, "\017"); /* Ctrl-O */
	scene_wait(&s, " 4 / 309");
	scene_keys(&s, "\024"); /* Ctrl-T */
	scene_wait(&s, " 5 / 309");
	scene_keys(&s, "ma200G");
	scene_wait(&s, "200 / 309");
	scene_keys(&s, "'a");
	scene_wait(&s, " 5 / 309");
	scene_keys(&s, "''");
	scene_wait(&s, "200 / 309");
	scene_keys(&s, "tnonsense\r");
	scene_wait(&s, "go to what?");
	scene_keys(&s, ":300\r");
	scene_wait(&s, " 300 / 309");
	scene_keys(&s, ":wq\r");
	scene_wait(&s, "no command \"wq\"; Tab completes");
	scene_keys(&s, ":se 1\r");
	scene_wait(&s, "\"se\" may be: search, search-back, severity, set");
	quit(&s);
}

static void
test_help(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_keys(&s, "?");
	scene_wait(&s, "? again for help");
	scene_keys(&s, "?");
	scene_wait(&s, "page-down");
	scene_keys(&s, "/pane-next\r");
	scene_wait_row(&s, "  Tab ", "Tab  Ctrl-W w  Ctrl-W Ctrl-W  pane-next");
	scene_keys(&s, "/  layout\r"); /* a long line */
	scene_wait_row(&s, "  |  ", "panes by width, below each other,");
	scene_wait_row(&s, "                                          beside", "each other");
	scene_keys(&s, "G");
	scene_wait_row(&s, "  A, B, *", "timeline");
	scene_keys(&s, "q");
	scene_until(&s, "timeline", false);
	scene_keys(&s, "\033OP"); /* F1 */
	scene_wait(&s, "page-down");
	scene_keys(&s, "\033");
	scene_until(&s, "page-down", false);
	scene_keys(&s, ":hel\t\r");
	scene_wait(&s, "page-down");
	scene_keys(&s, "qr"); /* keys that mean nothing */
	scene_wait(&s, "no key r; F1 lists the keys");
	scene_keys(&s, "\027e");
	scene_wait(&s, "no key Ctrl-W e; F1 lists the keys");
	scene_keys(&s, "]\033"); /* but Esc gives up what was begun */
	scene_wait(&s, " 0 / 309");
	quit(&s);
}

/* / ? n N within the help: what is found is shown, and the help stays. */
static void
test_help_search(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_keys(&s, "\033OP/to the PREVIOUS match\r"); /* a capital counts */
	scene_wait(&s, "no match found");
	scene_keys(&s, "/to the previous m.tch\r"); /* together with what is before it */
	scene_wait_row(&s, "  N    ", "to the previous match");
	int row = 0;
	while (strncmp(emulator_row(s.emulator, row), "  N    ", 7) != 0)
		row++;
	int col =
	    (int)(strstr(emulator_row(s.emulator, row), "to the") - emulator_row(s.emulator, row));
	assert_true(emulator_cell(s.emulator, row, col).reverse); /* the one gone to */
	assert_true(emulator_cell(s.emulator, row, col + 20).reverse);
	assert_false(emulator_cell(s.emulator, row, col + 21).reverse);
	scene_keys(&s, "n");
	scene_wait(&s, "continued at the start");
	scene_keys(&s, "g?show or hide the list of marks\r");
	scene_wait(&s, "continued at the end");
	scene_wait(&s, "show or hide the list of marks");
	scene_keys(&s, "q"); /* the help alone */
	scene_until(&s, "show or hide", false);
	scene_keys(&s, "\033OPn");
	scene_wait(&s, "nothing was searched for yet");
	scene_keys(&s, "q");
	scene_wait(&s, " 0 / 309");
	quit(&s);
}

/* A file with TEXT, for an argument. */
static void
make_file(char path[static 32], const char *text)
{
	strcpy(path, "/tmp/test_screen.XXXXXX.yaml");
	int file = mkstemps(path, 5);
	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), strlen(text));
	close(file);
}

/* What is no trace is shown, but not without a word. */
static void
test_no_trace(void **state)
{
	(void)state;
	struct scene s;
	struct folder folder;
	folder_make(&folder);
	folder_put_text(&folder, "notes", "one line\nand another\n");
	const char *path = folder.files.at[0];
	scene_open(&s, 24, 120, "xterm-256color", path, NULL);
	scene_wait(&s, "notes: plain text, none of its first 2 lines is of a trace, so it is shown "
		       "line by line");
	wait_row(&s, 0, "plain text");
	assert_null(strstr(emulator_row(s.emulator, 0), "guessed"));
	scene_keys(&s, "j");
	scene_wait(&s, " 1 / 2");
	quit(&s);
	scene_open(&s, 24, 120, "xterm-256color", path, "--from=syst/hex", NULL); /* as told */
	scene_wait(&s, " 0 / 2");
	quit(&s);
	folder_remove(&folder);
}

/* A doubt about all messages stands in the title, its reason in the log. */
static void
test_old_library(void **state)
{
	(void)state;
	struct scene s;
	struct folder folder;
	int minor = 0;
	const char *version = opencsd_library_version();
	if (!version || (sscanf(version, "1.%d.", &minor) == 1 && minor >= 8)) {
		print_message("# OpenCSD is new, or is not built in: nothing is tested\n");
		return;
	}
	folder_make(&folder);
	folder_put_text(&folder, "etr.bin", "no trace");
	folder_put_text(&folder, "etr.bin.profile.yaml",
			"traces: [{match: '*', format: opencsd, opencsd: {format: source_data, "
			"sources: [{id: 1, name: big, protocol: ETE, regs: {TRCCONFIGR: 1, "
			"TRCIDR0: 1, TRCIDR2: 1}}]}}]\n");
	scene_open(&s, 24, 120, "xterm-256color", folder.files.at[0], NULL);
	scene_wait(&s, "opencsd  [old OpenCSD]");
	scene_keys(&s, ":messages\r");
	scene_wait(&s, "may decode big wrongly");
	quit(&s);
	folder_remove(&folder);
}

/* 96 bytes that are no trace, and 16 words of 12 bytes. */
static void
put_unknown(struct folder *folder)
{
	uint8_t bytes[96];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * 37 + 11);
	folder_make(folder);
	folder_put(folder, "dump", bytes, sizeof bytes);
}

/* Nothing is decoded of what no format explains: why, how to go on, and the bytes. */
static void
test_unrecognised(void **state)
{
	(void)state;
	static const struct {
		int rows, cols;
	} sizes[] = {{24, 80}, {50, 200}};
	struct scene s;
	struct folder folder;
	put_unknown(&folder);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		scene_open(&s, sizes[i].rows, sizes[i].cols, i ? "xterm-256color" : "xterm",
			   folder.files.at[0], NULL);
		wait_row(&s, 0, " trawl  dump  96 B  format unknown");
		wait_row(&s, 1, "No format explains these bytes, so nothing was decoded.");
		scene_wait(&s, ":format NAME tries one (Tab lists them), Esc comes back.");
		scene_wait(&s, "To keep it:  trawl -f NAME ");
		scene_wait(&s, "Formats: syst/raw syst/hex syst/stp csel gem uia encap opencsd");
		scene_wait_row(&s, "- hex  0x0 of 0x60 ---", "---");
		scene_wait_row(&s, " 00000000  ", "0b 30 55 7a");
		wait_row(&s, sizes[i].rows - 1, " not decoded");
		wait_row(&s, sizes[i].rows - 1, "96 bytes");
		scene_keys(&s, ":format nonsense\r");
		scene_wait(&s, "no such format: nonsense; Tab lists them");
		scene_keys(&s, ":format ge\t\r"); /* completed, and tried at once */
		wait_row(&s, 0, "[trying gem]");
		scene_wait(&s, "trawl -f gem keeps it");
		scene_until(&s, "No format explains", false);
		scene_keys(&s, "G");
		scene_wait(&s, " 23 / 24");
		scene_keys(&s, "\033");
		wait_row(&s, 0, "format unknown");
		scene_keys(&s, ":format opencsd\r"); /* needs to be told of sources */
		scene_wait(&s, "the buffer does not say what is in it");
		wait_row(&s, 0, "format unknown");
		scene_keys(&s, "q");
		scene_end(&s);
		check_restored(&s);
		scene_close(&s);
	}
	scene_open(&s, 5, 20, "xterm", folder.files.at[0], NULL); /* wrapped, not cut */
	wait_row(&s, 1, "No format explains");
	wait_row(&s, 2, "  these bytes, so");
	wait_row(&s, 4, " not decoded");
	quit(&s);
	folder_remove(&folder);
}

/* Candidates, best first: Enter decodes with one, Esc comes back to it. */
static void
test_candidates(void **state)
{
	(void)state;
	struct scene s;
	char path[32], option[48];
	make_file(path, "traces: []\n"); /* instead of its own */
	snprintf(option, sizeof option, "--profile=%s", path);
	scene_open(&s, 24, 80, "xterm", "all-encap.bin", option, NULL);
	scene_wait(&s, "Best guesses:");
	scene_wait(&s, "Enter tries one, Esc comes back.");
	scene_wait_row(&s, "> ", "%");
	char first[64], second[64];
	snprintf(first, sizeof first, "%.50s", scene_row(&s, "> "));
	scene_keys(&s, "j");
	scene_until(&s, first, false);
	snprintf(second, sizeof second, "%.50s", scene_row(&s, "> "));
	assert_true(strtol(strchr(first, '%') - 4, NULL, 10) >=
		    strtol(strchr(second, '%') - 4, NULL, 10));
	scene_keys(&s, "\r");
	wait_row(&s, 0, "[trying ");
	scene_keys(&s, ":messages\r");
	scene_wait(&s, "Esc comes back; ");
	scene_keys(&s, "q");
	scene_until(&s, "Esc comes back; ", false);
	scene_keys(&s, "\033");
	wait_row(&s, 0, "format unknown");
	quit(&s);
	unlink(path);
}

/* What it is instead, and what to do; what belongs to a snapshot leads there. */
static void
test_foreign(void **state)
{
	(void)state;
	struct scene s;
	struct folder folder;
	folder_make(&folder);
	folder_put(&folder, "demo.stp.zst", "\x28\xb5\x2f\xfd\4\0", 6);
	scene_open(&s, 24, 80, "xterm", folder.files.at[0], NULL);
	wait_row(&s, 1, "Not decoded: zstd-compressed data: decompress it first: zstd -d");
	scene_wait(&s, ":format NAME decodes it all the same");
	scene_until(&s, "Best guesses", false);
	quit(&s);
	folder_remove(&folder);
	scene_open(&s, 24, 80, "xterm", "all-opencsd/etb.bin", NULL);
	wait_row(&s, 1, "Not decoded: part of a CoreSight snapshot: open its folder,");
	scene_wait(&s, " opens the folder. ");
	scene_keys(&s, "\r");
	wait_row(&s, 0, " trawl  all-opencsd.ETB ");
	quit(&s);
}

/* A guess is called one in the title, and the log says how to make it certain. */
static void
test_guessed(void **state)
{
	(void)state;
	struct scene s;
	struct folder folder;
	static const uint8_t words[] = {3,  0, 0, 4, 7,	 0, 0, 4, 11, 0, 0, 4, 15, 0, 0, 4,
					19, 0, 0, 4, 23, 0, 0, 4, 27, 0, 0, 4, 31, 0, 0, 4,
					35, 0, 0, 4, 39, 0, 0, 4, 43, 0, 0, 4, 47, 0, 0, 4};
	folder_make(&folder);
	folder_put(&folder, "words", words, sizeof words); /* sync points 0 to 11 */
	scene_open(&s, 24, 80, "xterm", folder.files.at[0], NULL);
	wait_row(&s, 0, " trawl  words  48 B  gem  [guessed 5");
	scene_wait(&s, "SyncPoint 11");
	scene_keys(&s, ":messages\r");
	scene_wait(&s, "to make it certain, write into");
	scene_keys(&s, "q");
	quit(&s);
	scene_open(&s, 24, 80, "xterm", folder.files.at[0], "--from=gem", NULL);
	scene_wait(&s, "SyncPoint 11");
	scene_until(&s, "guessed", false);
	quit(&s);
	folder_remove(&folder);
}

/* Columns, names and numbers, filters and rules of a view. */
static void
test_view(void **state)
{
	(void)state;
	struct scene s;
	char path[32], option[48];
	make_file(path, "columns:\n"
			"  - {name: ctx_type, title: raw, width: 3, raw: true}\n"
			"  - {name: ctx_type, width: 9}\n"
			"  - {name: severity, width: 7}\n"
			"  - {name: text}\n"
			"filter: /seq/\n"
			"rules: [{filter: ContextChange, role: accent1}]\n");
	snprintf(option, sizeof option, "--view=%s", path);
	scene_open(&s, 24, 80, "xterm-256color", "all-gem.bin", option, NULL);
	scene_wait(&s, "  raw ctx_type  S       text");
	scene_wait(&s, "  2   ContextC> INFO    ContextChange data=0x83d02bef seq");
	scene_until(&s, "SyncPoint", false); /* has no seq */
	scene_keys(&s, "jjj");
	bool coloured = false, plain = false;
	for (int row = 2; row < 23; row++) {
		const char *text = emulator_row(s.emulator, row);
		bool hit = emulator_cell(s.emulator, row, 25).coloured;
		coloured |= hit;
		plain |= !hit;
		if (strlen(text) > 40)
			assert_int_equal(hit, strstr(text, "ContextChange") != NULL);
	}
	assert_true(coloured && plain);
	scene_keys(&s, ":view default\r"); /* another view: another filter */
	scene_wait(&s, "SyncPoint");
	scene_wait(&s, "origin");
	scene_keys(&s, ":view auto\r");
	scene_wait(&s, "word");
	quit(&s);
	unlink(path);
}

/* Marks have a pane, with a line each in the order of their places. */
static void
test_marks(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 100);
	scene_keys(&s, "5Gma100Gmm8GAfirst bad\r");
	scene_keys(&s, "L");
	scene_wait(&s, "= marks  3");
	scene_wait(&s, "\n a  5 ");
	scene_wait(&s, "\n *  8           0.000251927 first bad "); /* of its truth */
	scene_wait(&s, "\n *  100 ");
	int last = s.rows - 1;
	while (strncmp(emulator_row(s.emulator, last), " *  100", 7) != 0)
		last--;
	assert_memory_equal(emulator_row(s.emulator, last - 1), " *  8", 5);
	assert_memory_equal(emulator_row(s.emulator, last - 2), " a  5", 5);
	scene_keys(&s, "G\r"); /* the last of them */
	scene_wait(&s, " 100 / 309");
	scene_keys(&s, "k:unmark\r");
	scene_wait(&s, "= marks  2");
	scene_until(&s, "first bad", false);
	scene_keys(&s, "gA"); /* a note at the mark under the cursor */
	scene_wait(&s, "\nnote:");
	scene_keys(&s, "where it began\r");
	scene_wait_row(&s, " a  5", "where it began");
	scene_keys(&s, "A"); /* what is there is changed, Enter alone keeps it */
	scene_wait(&s, "\nnote: where it began");
	scene_keys(&s, "\rA again\r");
	scene_wait_row(&s, " a  5", "where it began again");
	scene_keys(&s, "\r"); /* the same at the message itself */
	scene_wait(&s, " 5 / 309");
	scene_keys(&s, "A\025changed\r");
	scene_wait_row(&s, " a  5", "changed");
	scene_keys(&s, "A\025\r");
	scene_until(&s, "changed", false);
	scene_keys(&s, "\017\017"); /* back, to where Enter was typed */
	scene_wait(&s, " 8 / 309");
	scene_keys(&s, "q");
	scene_until(&s, "marks", false);
	scene_keys(&s, "q"); /* nothing is asked */
	scene_end(&s);
	scene_close(&s);
}

/* --- marks from one time to the next ----------------------------------- */

struct keeper {
	struct folder folder; /* of the capture, and of the state */
	const char *capture;
	char state[512]; /* the file, once there is one */
};

static void
keeper_open(struct keeper *k)
{
	struct text path = {0}, bytes = {0};
	folder_make(&k->folder);
	data_path("demo.stp", &path);
	FILE *file = fopen(path.data, "r");
	read_all(file, &bytes);
	fclose(file);
	folder_put(&k->folder, "a.stp", bytes.data, bytes.length);
	k->capture = k->folder.files.at[0];
	*k->state = '\0';
	setenv("XDG_STATE_HOME", k->folder.path, 1);
	text_free(&path);
	text_free(&bytes);
}

static void
keeper_close(struct keeper *k)
{
	char command[64];
	snprintf(command, sizeof command, "rm -r %s", k->folder.path);
	assert_int_equal(system(command), 0);
	assert_int_equal(mkdir(k->folder.path, 0700), 0); /* for folder_remove */
	folder_remove(&k->folder);
}

static void
keeper_start(struct keeper *k, struct scene *s, const char *option)
{
	char *arguments[] = {getenv("TRAWL"), (char *)k->capture, (char *)option, NULL};
	scene_start(s, 24, 120, "xterm-256color", arguments);
	scene_wait(s, "power good, die ");
}

/* How many files there are; the path of one. */
static int
keeper_find(struct keeper *k)
{
	char folder[64];
	struct stat st;
	int count = 0;
	snprintf(folder, sizeof folder, "%s/trawl", k->folder.path);
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (*entry->d_name != '.') {
			snprintf(k->state, sizeof k->state, "%s/%s", folder, entry->d_name);
			assert_int_equal(stat(k->state, &st), 0);
			assert_int_equal(st.st_mode & 07777, 0600);
			count++;
		}
	if (dir) {
		assert_int_equal(fstat(dirfd(dir), &st), 0);
		assert_int_equal(st.st_mode & 07777, 0700);
		closedir(dir);
	}
	return count;
}

/* Keeps a mark and a bookmark with a note. */
static void
keeper_mark(struct keeper *k)
{
	struct scene s;
	keeper_start(k, &s, NULL);
	scene_keys(&s, "3Gma10GAcold\r");
	scene_wait_row(&s, ">*     10", "");
	quit(&s);
	assert_int_equal(keeper_find(k), 1);
}

static void
test_kept(void **state)
{
	(void)state;
	struct keeper k;
	struct scene s;
	struct stat before, after;
	keeper_open(&k);
	keeper_mark(&k);
	assert_int_equal(stat(k.state, &before), 0);
	keeper_start(&k, &s, NULL);
	scene_wait(&s, "\n back from last time: 2 marks; L shows them");
	scene_keys(&s, "L");
	scene_wait(&s, "\n a  3  ");
	scene_wait_row(&s, " *  10 ", "cold");
	quit(&s); /* with nothing new */
	keeper_start(&k, &s, "--no-state");
	scene_keys(&s, "3GL");
	scene_wait(&s, "marks  0");
	scene_keys(&s, "mb");
	scene_wait(&s, "marks  1");
	quit(&s);
	assert_int_equal(stat(k.state, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	keeper_start(&k, &s, NULL); /* a signal is an end too */
	scene_wait(&s, "back from last time: 2 marks;");
	scene_keys(&s, "5Gmb");
	scene_wait_row(&s, ">b      5", "");
	kill(s.child, SIGTERM);
	scene_end(&s);
	scene_close(&s);
	keeper_start(&k, &s, NULL);
	scene_wait(&s, "back from last time: 3 marks;");
	kill(s.child, SIGHUP);
	scene_end(&s);
	scene_close(&s);
	keeper_start(&k, &s, NULL); /* until there is nothing left */
	scene_wait(&s, "back from last time: 3 marks;");
	scene_keys(&s, "3G:unmark\r5G:unmark\r10G:unmark\rL");
	scene_wait(&s, "marks  0");
	quit(&s);
	assert_int_equal(keeper_find(&k), 0);
	keeper_close(&k);
}

/* What is saved is kept there; what comes after that is kept again. */
static void
test_kept_and_saved(void **state)
{
	(void)state;
	struct keeper k;
	struct scene s;
	keeper_open(&k);
	keeper_mark(&k);
	keeper_start(&k, &s, NULL);
	scene_keys(&s, ":save\r");
	scene_wait(&s, "2 marks saved to ");
	quit(&s);
	assert_int_equal(keeper_find(&k), 0);
	keeper_start(&k, &s, NULL);
	scene_keys(&s, "L");
	scene_wait(&s, "marks  2");
	scene_until(&s, "back from", false);
	scene_keys(&s, "q3G:unmark\r:view default\r");
	scene_wait(&s, "view default");
	quit(&s);
	keeper_start(&k, &s, NULL); /* less than was saved */
	scene_wait(&s, "back from last time: 1 mark; L shows them");
	quit(&s);
	assert_int_equal(keeper_find(&k), 1);
	folder_put_text(&k.folder, "a.stp.session.yaml",
			"marks: [{trace: a.stp, offset: 0, letter: z}]\n"); /* newer */
	keeper_start(&k, &s, NULL);
	scene_keys(&s, "L");
	scene_wait_row(&s, " z  0", "");
	scene_wait(&s, "marks  1");
	scene_keys(&s, "q:messages\r");
	scene_wait(&s, "left out: the session's file is newer");
	quit(&s);
	keeper_close(&k);
}

/* Only a capture that is the same, or has grown, gets its marks. */
static void
test_kept_of_other(void **state)
{
	(void)state;
	struct keeper k;
	struct scene s;
	char command[1200];
	keeper_open(&k);
	keeper_mark(&k);
	FILE *file = fopen(k.capture, "a");
	assert_non_null(file);
	assert_int_equal(fputc(0, file), 0);
	fclose(file);
	keeper_start(&k, &s, NULL);
	scene_wait(&s, "back from last time: 2 marks;");
	quit(&s);

	file = fopen(k.capture, "r+"); /* a byte of the last message is another */
	assert_non_null(file);
	assert_int_equal(fseek(file, -9, SEEK_END), 0);
	int byte = fgetc(file);
	assert_int_equal(fseek(file, -9, SEEK_END), 0);
	fputc(byte ^ 0x10, file);
	fclose(file);
	keeper_start(&k, &s, NULL);
	scene_keys(&s, "L");
	scene_wait(&s, "marks  0");
	scene_keys(&s, "q:messages\r");
	scene_wait(&s, "marks of last time are left out: the capture has changed since");
	quit(&s);

	file = fopen(k.capture, "r+"); /* what it was */
	assert_non_null(file);
	assert_int_equal(fseek(file, -9, SEEK_END), 0);
	fputc(byte, file);
	fclose(file);
	snprintf(command, sizeof command,
		 "sed -i '/letter: a/s/ordinal: [0-9]*//;"
		 "/letter: a/s/offset: [0-9]*/&, ordinal: 7/' %s",
		 k.state);
	assert_int_equal(system(command), 0);
	keeper_start(&k, &s, NULL); /* which is no message */
	scene_wait(&s, "1 mark of last time dropped: no message is there any more");
	scene_keys(&s, "L");
	scene_wait(&s, "marks  1");
	quit(&s);
	keeper_close(&k);
}

/* Neither a file that is damaged nor a folder that cannot be written to is more than
 * a line. */
static void
test_kept_badly(void **state)
{
	(void)state;
	struct keeper k;
	struct scene s;
	keeper_open(&k);
	keeper_mark(&k);
	static const char *const damage[] = {"marks: [", "captures: []\n", "", "\377\n",
					     "captures: [{size: 1, samples: x}]\nsession: 7\n"};
	for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
		FILE *file = fopen(k.state, "w");
		assert_non_null(file);
		fputs(damage[i], file);
		fclose(file);
		keeper_start(&k, &s, NULL);
		scene_keys(&s, "j:messages\r");
		scene_wait(&s, "the marks of last time are left out: ");
		quit(&s);
	}
	setenv("XDG_STATE_HOME", "/dev/null", 1);
	keeper_start(&k, &s, NULL);
	scene_keys(&s, "maQ");
	scene_end(&s);
	assert_int_equal(WEXITSTATUS(s.status), 0);
	const char *line = strstr(s.sent.data, "trawl: the marks are not kept: /dev/null/trawl/");
	assert_non_null(line);
	assert_non_null(strstr(line, ".yaml: Not a directory\r\n"));
	scene_close(&s);
	keeper_close(&k);
}

/* A capture that is read as another format has other marks, and its own again after. */
static void
test_kept_on_trial(void **state)
{
	(void)state;
	struct keeper k;
	struct scene s;
	keeper_open(&k);
	keeper_start(&k, &s, NULL);
	scene_keys(&s, "3Gma:format gem\r");
	scene_wait(&s, "tried as gem");
	scene_keys(&s, "L");
	scene_wait(&s, "marks  0");
	scene_keys(&s, "q\033");
	scene_wait(&s, "back from last time: 1 mark;");
	quit(&s);
	assert_int_equal(keeper_find(&k), 1);
	keeper_close(&k);
}

/* In the list of all traces marks and contexts tell its times and numbers, and
 * lead to messages within it.  Times are those of testdata/lab.truth.tsv. */
static void
test_marks_of_all(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 30, 120, "xterm-256color", "lab.yaml", NULL);
	scene_wait(&s, " 10:06:40."); /* the clocks are known */
	scene_wait(&s, " 0 / 526");
	scene_keys(&s, "/seq 70 given up\rmaL");
	scene_wait(&s, "= marks  1");
	scene_wait_row(&s, " a  310 ", " 2025-11-21 10:06:40.234386371 timeout: seq 70");
	scene_keys(&s, "=");
	scene_wait(&s, " message 310, of its trace number 48, at ");
	scene_wait_row(&s, ">a    310 ", " 10:06:40.234386371 ");
	scene_wait_row(&s, "  message ", " 2025-11-21 trace "); /* the date is said once */
	scene_keys(&s, "q/overlay 2: in\rmb");			/* of another trace */
	scene_wait(&s, " 316 / 526");
	scene_keys(&s, "[m");
	scene_wait(&s, " 310 / 526");
	scene_keys(&s, "]m");
	scene_wait(&s, " 316 / 526");
	scene_keys(&s, "c");
	scene_wait_row(&s, " overlay ", "night");
	scene_wait_row(&s, " overlay ", "since dsp 10:06:40.234886739 (-0.000022910) #313");
	scene_keys(&s, "\t");
	scene_wait(&s, "= context ");
	scene_keys(&s, "g\r");
	scene_wait(&s, " 313 / 526");
	scene_wait(&s, " trawl  lab.yaml: dsp and 4 more  ");
	scene_wait_row(&s, ">     313 ", " dsp ");
	quit(&s);
}

/* What is saved comes back; a file that is damaged does not keep from looking
 * at the capture. */
static void
test_session(void **state)
{
	(void)state;
	struct scene s;
	char path[32], option[48];
	make_file(path, "marks: [{trace: elsewhere, offset: 7, note: \"a: \\\"b\\\"\"}]\n");
	snprintf(option, sizeof option, "--session=%s", path);
	scene_open(&s, 24, 100, "xterm-256color", "demo.stp", option, NULL);
	scene_wait(&s, "1 marks are in captures that are not open");
	scene_keys(&s, "3Gmx:note reset: \"cold\" # 1\r:sev info\r:view default\r");
	scene_wait(&s, "view default");
	scene_keys(&s, ":sev warning\r&dma\r:save\r");
	scene_wait(&s, "2 marks saved to ");
	quit(&s);

	scene_open(&s, 24, 100, "xterm-256color", "demo.stp", option, NULL);
	scene_wait(&s, "only WARNING+ /dma/");
	scene_keys(&s, "L");
	scene_wait(&s, "\n x  3  ");
	scene_wait(&s, "reset: \"cold\" # 1");
	scene_keys(&s, ":save\r");
	scene_wait(&s, "2 marks saved to "); /* the one elsewhere is still there */
	scene_keys(&s, ":save /dev/null/no\r");
	scene_wait(&s, "Not a directory");
	quit(&s);

	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("marks:\n  - {trace: board, offset: x}\n", file);
	fclose(file);
	scene_open(&s, 24, 100, "xterm-256color", "demo.stp", option, NULL);
	scene_wait(&s, ":2:28: marks[0].offset is \"x\"; expected a number");
	scene_keys(&s, "j:messages\r");
	scene_wait(&s, ":2:28: marks[0].offset");
	scene_keys(&s, "q");
	scene_wait(&s, " 1 / 309");
	quit(&s);
	unlink(path);
}

static void
run_batch_on(const char *name, const char *arguments, struct text *out)
{
	struct text command = {0};
	const char *srcdir = getenv("srcdir");
	text_addf(&command, "'%s' %s '%s/testdata/%s'", getenv("TRAWL"), arguments,
		  srcdir ? srcdir : ".", name);
	FILE *pipe = popen(command.data, "r");
	read_all(pipe, out);
	pclose(pipe);
	text_free(&command);
}

static void
run_batch(const char *arguments, struct text *out)
{
	run_batch_on("demo.stp", arguments, out);
}

/* The line of the CSV of message N, with its end. */
static const char *
csv_line(const struct text *csv, unsigned n)
{
	char start[16];
	snprintf(start, sizeof start, "\n%u,", n);
	const char *line = strstr(csv->data, start);
	assert_non_null(line);
	return line + 1;
}

static void
add_csv_lines(struct text *out, const struct text *csv, const unsigned *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *line = csv_line(csv, numbers[i]);
		text_add_bytes(out, line, (size_t)(strchr(line, '\n') + 1 - line));
	}
}

static void
check_file(const char *path, const char *expected, size_t length)
{
	struct text written = {0};
	FILE *file = fopen(path, "r");
	read_all(file, &written);
	fclose(file);
	assert_int_equal(written.length, length);
	assert_memory_equal(written.data, expected, length);
	text_free(&written);
	unlink(path);
}

/* What the last row tells of a range, and that it says when there is none any more. */
static void
test_range(void **state)
{
	(void)state;
	struct scene s;
	struct truth truth;
	char want[80];
	read_truth(&truth, "demo.truth.tsv");
	unsigned long long from = strtoull(truth.rows[TICKS].at[20], NULL, 10);
	unsigned long long to = strtoull(truth.rows[TICKS].at[31], NULL, 10);
	unsigned shown = 0;
	for (size_t i = 20; i <= 31; i++)
		shown += *truth.rows[SEVERITY].at[i] == 'I';
	open_demo(&s, 24, 80);
	scene_wait(&s, "E:15 W:12");
	scene_keys(&s, "31Gv");
	scene_wait(&s, "range: move to its end");
	scene_keys(&s, "20G"); /* backwards; ticks of 1 / 38.4 MHz */
	snprintf(want, sizeof want, " 20 / 309   range: 12 messages, %.9f s",
		 (double)(to - from) / 38400000);
	scene_wait(&s, want);
	scene_keys(&s, "&severity = info\rj"); /* what the filters show of it */
	snprintf(want, sizeof want, "   range: %u messages, ", shown - 1);
	scene_wait(&s, want);
	scene_keys(&s, "v");
	scene_wait(&s, "range dropped");
	scene_keys(&s, "j");
	scene_until(&s, "range", false);
	scene_keys(&s, "vj\033");
	scene_wait(&s, "range dropped");
	quit(&s);
	free_truth(&truth);
}

/* Names of files: quotes, `~`, and what is no format behind them. */
static void
test_paths(void **state)
{
	(void)state;
	struct scene s;
	struct folder home;
	char *before = getenv("HOME");
	before = before ? mem_text(before) : NULL;
	folder_make(&home);
	folder_path(&home, "t.csv");
	folder_path(&home, "a b.txt");
	setenv("HOME", home.path, 1);
	open_demo(&s, 24, 100);
	scene_keys(&s, ":w ~/t.csv foo\r");
	scene_wait(&s, "foo is no format: text csv jsonl");
	assert_int_equal(access(home.files.at[0], F_OK), -1);
	scene_keys(&s, "jmmk:w ~/t.csv marks\r");
	scene_wait(&s, "1 messages written to /");
	assert_int_equal(access(home.files.at[0], F_OK), 0);
	scene_keys(&s, ":w \"~/a b.txt\" marks text\r");
	scene_wait(&s, "a b.txt as text");
	assert_int_equal(access(home.files.at[1], F_OK), 0);
	scene_keys(&s, ":w! '~/a b.txt' marks csv\r"); /* once more, over it */
	scene_wait(&s, "a b.txt as csv");
	scene_keys(&s, ":w \"~/a b.txt marks\r");
	scene_wait(&s, "a quote of the name is not closed");
	scene_keys(&s, ":save ~/a b.txt\r"); /* the only word: it needs no quotes */
	scene_wait(&s, "/a b.txt is there already; :save! FILE overwrites it");
	scene_keys(&s, ":save! ~/a b.txt\r");
	scene_wait(&s, "marks saved to");
	assert_int_equal(access("!", F_OK), -1);
	scene_keys(&s, ":q! x\r");
	scene_wait(&s, "takes no !");
	scene_keys(&s, ":source ~/t.csv\r");
	scene_wait(&s, "/t.csv:1:");
	quit(&s);
	if (before)
		setenv("HOME", before, 1);
	else
		unsetenv("HOME");
	free(before);
	folder_remove(&home);
}

/* That a file has two lines, and how they end. */
static void
check_ends(const char *path, const char *first, const char *second)
{
	struct text written = {0};
	FILE *file = fopen(path, "r");
	read_all(file, &written);
	fclose(file);
	size_t length = (size_t)(strchr(written.data, '\n') + 1 - written.data);
	assert_memory_equal(written.data + length - strlen(first), first, strlen(first));
	assert_string_equal(written.data + written.length - strlen(second), second);
	assert_ptr_equal(strchr(written.data + length, '\n') + 1, written.data + written.length);
	text_free(&written);
	unlink(path);
}

/* The contexts of a message in the list of all traces are those of its trace. */
static void
test_contexts_of_all(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 24, 80, "xterm-256color", "lab.yaml", NULL);
	scene_wait(&s, " 10:06:40."); /* the clocks are known */
	scene_wait(&s, "0 / 526");
	scene_keys(&s, "c");
	scene_wait(&s, "- context ");
	scene_keys(&s, "]e");
	scene_wait_row(&s, " overlay (dsp) ", "day "); /* of soc none, but at its time */
	scene_keys(&s, "/data=0x80020002\r");	       /* wherever it stands by now */
	scene_wait(&s, " overlay          0x80020002 night");
	scene_wait(&s, "loader");
	quit(&s);
}

/* What :write puts into a file is what batch output prints of it. */
static void
test_write(void **state)
{
	(void)state;
	struct scene s;
	struct text all = {0}, some = {0};
	char path[32], keys[80];
	run_batch("-t csv", &all);
	run_batch("-t csv -s warning --unassigned=hide", &some);
	assert_true(all.length > some.length && some.length > 500);
	make_file(path, "");
	open_demo(&s, 24, 80);
	scene_wait(&s, "E:15 W:12"); /* numbers are known */
	scene_wait(&s, common_time);
	snprintf(keys, sizeof keys, ":write %s csv\r", path);
	scene_keys(&s, keys);
	scene_wait(&s, "File exists; :write! FILE overwrites it");
	unlink(path);
	scene_keys(&s, ":write all.json perfetto\r");
	scene_wait(&s, "perfetto is of whole captures");
	scene_keys(&s, keys);
	scene_wait(&s, "309 messages written to ");
	scene_wait(&s, "as csv: all");
	check_file(path, all.data, all.length);

	scene_keys(&s, "j:sev warning\rM");
	scene_until(&s, "written", false);
	scene_keys(&s, keys);
	scene_wait(&s, " messages written to ");
	check_file(path, some.data, some.length);

	scene_keys(&s, "!20G"); /* filters off; backwards is a range too */
	scene_wait(&s, " 20 / 309");
	scene_keys(&s, "v12G");
	scene_wait(&s, " 12 / 309");
	int bars = 0;
	for (int row = 0; row < 24; row++)
		bars += emulator_row(s.emulator, row)[0] == '|';
	assert_int_equal(bars, 8); /* 13 to 20; the cursor's has its own sign */
	scene_keys(&s, keys);
	scene_wait(&s, "9 messages written to ");
	const char *head = all.data, *from = csv_line(&all, 12), *to = csv_line(&all, 21);
	struct text part = {0};
	text_add_bytes(&part, head, (size_t)(strchr(head, '\n') + 1 - head));
	text_add_bytes(&part, from, (size_t)(to - from));
	check_file(path, part.data, part.length);
	keys[strlen(keys) - strlen("csv\r")] = '\0'; /* the range stays for another format */
	scene_keys(&s, keys);
	scene_keys(&s, "text\r");
	scene_wait(&s, "9 messages written to ");
	scene_wait(&s, "as text: the range");
	strcat(keys, "csv\r");
	unlink(path);
	scene_keys(&s, "v");
	scene_wait(&s, "range dropped");
	scene_keys(&s, "j"); /* the range is over */
	scene_wait(&s, " 13 / 309");
	assert_null(scene_row(&s, "|"));

	/* a filter moves the cursor, but not the end of the range */
	scene_keys(&s, "15G");
	scene_wait(&s, " 15 / 309");
	scene_keys(&s, "v22G");
	scene_wait(&s, " 22 / 309");
	scene_keys(&s, ":sev info\r"); /* which turns filters on again */
	scene_wait_row(&s, ">", "signature good");
	scene_keys(&s, keys);
	scene_wait(&s, "3 messages written to ");
	text_cut(&part, (size_t)(strchr(head, '\n') + 1 - head));
	add_csv_lines(&part, &all, (const unsigned[]){15, 20, 21}, 3);
	check_file(path, part.data, part.length);
	scene_keys(&s, "vv!"); /* it begins at the cursor, not where that comes from */
	scene_wait_row(&s, "  0.002793020 D", "block 10/10");
	scene_keys(&s, keys);
	scene_wait(&s, "1 messages written to ");
	text_cut(&part, (size_t)(strchr(head, '\n') + 1 - head));
	add_csv_lines(&part, &all, (const unsigned[]){34}, 1);
	check_file(path, part.data, part.length);
	scene_keys(&s, "v15G");
	scene_wait(&s, " 15 / 309");
	scene_keys(&s, "v22G");
	scene_wait(&s, " 22 / 309");
	scene_keys(&s, "!");
	scene_wait_row(&s, ">", "signature good");
	scene_keys(&s, "j"); /* a move does */
	scene_wait_row(&s, ">", "task 0 ");
	scene_keys(&s, keys);
	scene_wait(&s, "5 messages written to ");
	text_cut(&part, (size_t)(strchr(head, '\n') + 1 - head));
	add_csv_lines(&part, &all, (const unsigned[]){15, 20, 21, 34, 36}, 5);
	check_file(path, part.data, part.length);
	scene_keys(&s, "v!13G");
	scene_wait(&s, " 13 / 309");

	scene_keys(&s, "vj");
	scene_wait(&s, " 14 / 309");
	scene_keys(&s, "y"); /* OSC 52: text/plain in base 64 */
	scene_wait(&s, "copied 2 messages");
	assert_non_null(strstr(s.sent.data, "\033]52;c;"));

	scene_keys(&s, "mm308GmaAa \"b\"\r");
	scene_wait(&s, "308 / 309");
	snprintf(keys, sizeof keys, ":write %s marks csv\r", path);
	scene_keys(&s, keys);
	scene_wait(&s, "2 messages written to ");
	text_cut(&part, (size_t)(strchr(head, '\n') - head));
	text_add(&part, ",mark,note\n"); /* the rows as ever, and these */
	from = csv_line(&all, 14);
	text_add_bytes(&part, from, (size_t)(csv_line(&all, 15) - 1 - from));
	text_add(&part, ",*,\"\"\n");
	from = csv_line(&all, 308);
	text_add_bytes(&part, from, strlen(from) - 1);
	text_add(&part, ",a,\"a \"\"b\"\"\"\n");
	check_file(path, part.data, part.length);
	snprintf(keys, sizeof keys, ":write %s marks jsonl\r", path);
	scene_keys(&s, keys);
	scene_wait(&s, " as jsonl");
	check_ends(path, ",\"mark\":\"*\",\"note\":null}\n",
		   ",\"mark\":\"a\",\"note\":\"a \\\"b\\\"\"}\n");
	snprintf(keys, sizeof keys, ":write %s marks text\r", path);
	scene_keys(&s, keys);
	scene_wait(&s, " as text");
	check_ends(path, "  [*]\n", "  [a] a \"b\"\n");
	text_free(&part);
	text_free(&all);
	text_free(&some);
	quit(&s);
}

static const char *
skip_lines(const char *text, unsigned count)
{
	while (count--)
		text = strchr(text, '\n') + 1;
	return text;
}

/* Of a list of several traces all that are shown are written, in its order, as batch
 * output has them. */
static void
test_write_all(void **state)
{
	(void)state;
	struct scene s;
	struct text all = {0}, some = {0}, part = {0};
	char path[32], keys[80];
	run_batch_on("lab.yaml", "-t csv", &all);
	run_batch_on("lab.yaml", "-t csv -e 'trace != log and origin ~ /e/'", &some);
	make_file(path, "");
	unlink(path);
	scene_open(&s, 24, 100, "xterm-256color", "lab.yaml", NULL);
	scene_wait(&s, " 10:06:40."); /* the clocks are known */
	scene_wait(&s, "0 / 526");
	snprintf(keys, sizeof keys, ":write %s csv\r", path);
	scene_keys(&s, keys);
	scene_wait(&s, "526 messages written to ");
	check_file(path, all.data, all.length);

	scene_keys(&s, "373Gv228G"); /* from a message of soc up to one of log */
	scene_wait(&s, " 228 / 526   range: 146 messages, 0.100991086 s");
	scene_keys(&s, keys);
	scene_wait(&s, "146 messages written to ");
	const char *head = skip_lines(all.data, 1);
	const char *from = skip_lines(head, 228), *to = skip_lines(head, 374);
	text_add_bytes(&part, all.data, (size_t)(head - all.data));
	text_add_bytes(&part, from, (size_t)(to - from));
	check_file(path, part.data, part.length);

	scene_keys(&s, "v:show-trace log\r&origin ~ /e/\r"); /* one left out, and a filter */
	scene_wait(&s, "only origin ~ /e/");
	scene_keys(&s, keys);
	scene_wait(&s, " messages written to ");
	check_file(path, some.data, some.length);
	text_free(&all);
	text_free(&some);
	text_free(&part);
	quit(&s);
}

/* Settings, by name, with completion; and what was said about it. */
static void
test_settings(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_keys(&s, ":set hea\tfal\t\t\r"); /* no word starts with `fal` any more */
	scene_wait(&s, "header=");
	scene_keys(&s, "\007"); /* Ctrl-G, as Esc */
	scene_keys(&s, ":set head\t");
	scene_wait(&s, ":set header=");
	scene_keys(&s, "f\t");
	scene_wait(&s, ":set header=false");
	scene_keys(&s, "\r");
	scene_until(&s, "origin ", false);
	scene_keys(&s, ":set time=tic\t\r");
	scene_wait(&s, "T:ticks");
	scene_keys(&s, ":set filter-list=true\r");
	scene_wait(&s, "\n- filters ");
	scene_keys(&s, ":set origins=true\r");
	scene_wait(&s, "\n- origins ");
	scene_keys(&s, ":set filter-list=false\r");
	scene_until(&s, "\n- filters ", false);
	scene_keys(&s, ":th\t l\t");
	scene_wait(&s, ":theme l");
	scene_keys(&s, "\003:sev fa\t\r");
	scene_wait(&s, "only FATAL+");
	scene_wait(&s, "T:ticks"); /* one setting changes no other */
	scene_keys(&s, ":set severity=all\r");
	scene_until(&s, "FATAL+", false);
	scene_keys(&s, ":set severity=1\r");
	scene_wait(&s, "severity is not 1; expected one of all fatal error");
	scene_keys(&s, ":set severty\r");
	scene_wait(&s, "no setting severty; did you mean severity");
	scene_keys(&s, ":\020"); /* the last line again */
	scene_wait(&s, ":set severty");
	scene_keys(&s, "\033");
	scene_until(&s, "\n:set", false);
	scene_keys(&s, ":mess\t\r");
	scene_wait(&s, "no setting severty");
	scene_wait(&s, "severity is not 1;");
	scene_keys(&s, "\033OP"); /* the help takes its place */
	scene_wait(&s, "page-down");
	scene_until(&s, "no setting", false);
	scene_keys(&s, "\033OP");
	scene_wait(&s, " 0 / 309");
	quit(&s);
}

static void
rewrite(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Files that change while the program runs. */
static void
test_source(void **state)
{
	(void)state;
	struct scene s;
	char path[32], line[64];
	make_file(path, "keys: {down: n}\nview: {columns: [{name: offset}, {name: text}]}\n");
	open_demo(&s, 24, 80);
	snprintf(line, sizeof line, ":source %s\r", path);
	scene_keys(&s, line);
	scene_wait(&s, "  offset     text");
	scene_keys(&s, "n");
	scene_wait(&s, " 1 / 309");
	rewrite(path, "keys: {down: n}\nview:\n  columns: [{name: offset}, {nam: text}]\n");
	scene_keys(&s, "R");
	scene_wait(&s, "  :messages tells all"); /* the row is too short */
	scene_keys(&s, ":messages\r");
	scene_wait(&s, ":3:30: unknown key nam in view.columns[1]; did");
	scene_wait(&s, "name?");
	scene_keys(&s, "q");
	scene_until(&s, "unknown key", false);
	scene_keys(&s, "n"); /* the old ones stay */
	scene_wait(&s, " 2 / 309");
	scene_wait(&s, "  offset     text");
	rewrite(path, "keys: {down: \"]\"}\nview:\n  columns: [{name: text}]\n");
	scene_keys(&s, ":source\r");
	scene_wait(&s, "view, theme and keys read");
	scene_until(&s, "offset", false);
	scene_keys(&s, "]");
	scene_wait(&s, " 3 / 309");
	scene_keys(&s, ":source /nonexistent.yaml\r");
	scene_wait(&s, "cannot open /nonexistent.yaml: No such file");
	quit(&s);
	unlink(path);
}

/* What a terminal cannot do is told to those who ask. */
static void
test_lacks(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 24, 80, "vt100", "demo.stp", NULL);
	scene_wait(&s, "0 / 309");
	scene_keys(&s, ":messages\r");
	scene_wait(&s, "terminal vt100: no colours");
	assert_false(any_coloured(&s));
	scene_keys(&s, "Q");
	scene_end(&s);
	assert_true(WIFEXITED(s.status));
	scene_close(&s);
}

/* The colour that was meant, or the like of it that the terminal has. */
static void
test_colours(void **state)
{
	(void)state;
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
	char path[32], option[48];
	make_file(path, "info: {fg: \"#ff8700\"}\n");
	snprintf(option, sizeof option, "--theme=%s", path);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct scene s;
		setenv("COLORTERM", rows[i].colorterm, 1);
		scene_open(&s, 24, 80, rows[i].term, "demo.stp", option, NULL);
		scene_wait(&s, "0 / 309");
		assert_true(any_coloured(&s) == (rows[i].sent != NULL));
		if (rows[i].sent)
			assert_non_null(strstr(s.sent.data, rows[i].sent));
		scene_keys(&s, "Q");
		scene_end(&s);
		scene_close(&s);
	}
	unlink(path);
	unsetenv("COLORTERM");
	if (kept)
		setenv("COLORTERM", kept, 1);
	free(kept);
}

/* Messages like the one under the cursor: 59, 65 and 71 say that mailbox 2 has
 * its answer, and no other has between them. */
static void
test_example(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_wait(&s, "boot rom  "); /* texts are there */
	scene_keys(&s, "59G*");
	scene_wait(&s, " 65 / 309");
	scene_keys(&s, "*");
	scene_wait(&s, " 71 / 309");
	scene_keys(&s, "2#");
	scene_wait(&s, " 59 / 309");
	quit(&s);
}

/* The end of a long silence, there and back. */
static void
test_silence(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_until(&s, "idx", false);
	scene_keys(&s, "Ss");		   /* the first has nothing before it */
	scene_wait(&s, "silence of 0.00"); /* milliseconds where microseconds are usual */
	scene_wait(&s, "retry 1 of 3");	   /* of a dead core the story tells */
	scene_wait_row(&s, ">", "0.027700546");
	scene_keys(&s, "s");
	scene_wait_row(&s, ">", "0.029540937");
	scene_keys(&s, "S");
	scene_wait_row(&s, ">", "0.027700546");
	scene_wait(&s, "silence of 0.00");
	scene_keys(&s, "S");
	scene_wait(&s, "no long silence found");
	quit(&s);
}

/* Keys of a user's choice, in the help too, and changed while it runs. */
static void
test_keys(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 24, 100, "xterm-256color", "demo.stp", "--keys=less", NULL);
	scene_wait(&s, "0 / 309");
	scene_keys(&s, "e");
	scene_wait(&s, " 1 / 309");
	scene_keys(&s, "h");
	scene_wait(&s, "j  e  Down  Ctrl-E");
	scene_keys(&s, "q:keys default\r");
	scene_wait(&s, "keys default");
	scene_keys(&s, "h"); /* now: scrolls */
	scene_keys(&s, "e");
	scene_until(&s, " 1 / 309", false);
	scene_keys(&s, "\033OP");
	scene_wait(&s, "j  Down  Ctrl-N");
	scene_keys(&s, "q:keys nosuch\r");
	scene_wait(&s, "no nosuch in keys; give a file or one of default emacs less lnav");
	quit(&s);
}

/* --- leaving ----------------------------------------------------------- */

static void
test_signals(void **state)
{
	(void)state;
	static const int numbers[] = {SIGTERM, SIGHUP,	SIGSEGV, SIGABRT,
				      SIGQUIT, SIGALRM, SIGUSR1, SIGPIPE};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct scene s;
		if (getenv("ASAN_OPTIONS") && numbers[i] == SIGSEGV)
			continue;	     /* the sanitizer has it */
		signal(numbers[i], SIG_DFL); /* a shell's background jobs ignore some */
		open_demo(&s, 24, 80);
		kill(s.child, numbers[i]);
		scene_end(&s);
		assert_true(WIFSIGNALED(s.status));
		assert_int_equal(WTERMSIG(s.status), numbers[i]);
		check_restored(&s);
		scene_close(&s);
	}
}

/* What is pasted is text where text is typed, and runs no command elsewhere. */
static void
test_pasted(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	assert_non_null(strstr(s.sent.data, "\033[?2004h"));
	scene_keys(&s, "\033[200~G:quit\rQ\r\033[201~");
	scene_wait(&s, "pasted text runs no commands");
	wait_row(&s, 2, ">    ");
	scene_keys(&s, ":\033[200~one\r\033[Atwo\tthree\r\033[201~");
	scene_wait(&s, ":one two three");
	scene_keys(&s, "!");
	scene_wait(&s, ":one two three!");
	scene_keys(&s, "\033");
	scene_until(&s, ":one", false);
	quit(&s);
}

/* Sequences that no key sends are read to their end, even if it comes late. */
static void
test_sequences(void **state)
{
	(void)state;
	static const char *const sequences[] = {
	    "\033[<0;5;5M",	"\033[<0;5;5m",	   "\033[M G!",	 "\033]11;rgb:GG/GG/GG\033\\",
	    "\033]52;c;R0c=\a", "\033P>|GG\033\\", "\033[?1;2c", "\033[I",
	    "\033[O",		"\033[12;34R",	   "\033OG"};
	struct scene s;
	open_demo(&s, 24, 80);
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
		scene_keys(&s, sequences[i]);
	scene_keys(&s, ":sequences");
	scene_wait(&s, ":sequences");
	wait_row(&s, 2, ">    ");
	scene_keys(&s, "\003");
	scene_until(&s, ":sequences", false);
	quit(&s);
}

static void
test_bad_terminal(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 24, 80, "dumb", "demo.stp", NULL);
	scene_end(&s);
	assert_true(WIFEXITED(s.status));
	assert_int_equal(WEXITSTATUS(s.status), 2);
	assert_non_null(strstr(scene_screen(&s), "TERM=dumb"));
	scene_close(&s);
}

/* Each row of batch output is on the screen: its number, and its time with the sign of
 * an estimate, or none. */
static void
assert_batch_times(struct scene *s, const char *path)
{
	struct text command = {0};
	char line[512];
	unsigned rows = 0;
	text_addf(&command, "'%s' -t text '%s'", getenv("TRAWL"), path);
	FILE *batch = popen(text_get(&command), "r");
	assert_non_null(batch);
	for (; fgets(line, sizeof line, batch); rows++) {
		unsigned number;
		char time[32], want[64];
		assert_int_equal(sscanf(line, "%u %31s", &number, time), 2);
		bool none = !strcmp(time, "-"), estimated = strstr(line, "~estimated");
		snprintf(want, sizeof want, "  %u %s%4s ", number, estimated ? "~" : " ",
			 none ? "" : time);
		scene_wait(s, want);
	}
	assert_int_equal(pclose(batch) & ~(1 << 8), 0); /* good, or damaged */
	assert_int_equal(rows, 7);
	text_free(&command);
}

/* Between two times of a processor others follow from the cycles it counted: 1000
 * ticks went by in 40 of them.  They come as soon as they are made. */
static void
test_cycles(void **state)
{
	(void)state;
#define ELEMENT(name) "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_" name "\n"
	static const char listing[] = ELEMENT("TIMESTAMP( [ TS=0x0000000003e8]; )")
	    ELEMENT("CYCLE_COUNT( [CC=10]; )") ELEMENT("ADDR_NACC( 0x80 )")
		ELEMENT("CYCLE_COUNT( [CC=30]; )") ELEMENT("TIMESTAMP( [ TS=0x0000000007d0]; )")
		    ELEMENT("TRACE_ON( [overflow])") ELEMENT("ADDR_NACC( 0x90 )");
#undef ELEMENT
	struct scene s;
	char path[] = "/tmp/test_screen.XXXXXX";
	int file = mkstemp(path);
	assert_int_equal(write(file, listing, strlen(listing)), strlen(listing));
	close(file);
	scene_open(&s, 30, 100, "xterm-256color", path, NULL);
	scene_wait(&s, "  0  1000 D ID 0x10 ");
	scene_wait(&s, "  1 ~1250 D ID 0x10 ");
	scene_wait(&s, "  2 ~1250 D ID 0x10 ");
	scene_wait(&s, "  3 ~2000 D ID 0x10 ");
	scene_wait(&s, "  4  2000 D ID 0x10 ");
	scene_wait(&s, "  5       E ID 0x10 ");
	scene_wait(&s, "  6       D ID 0x10 ");
	assert_batch_times(&s, path);
	scene_keys(&s, "jj\r");
	scene_wait(&s, " ~1250 ");
	scene_wait_row(&s, "v estimated_time", "");
	scene_wait_row(&s, "    after ", " 1000");
	scene_wait_row(&s, "    before ", " 2000");
	scene_wait_row(&s, "    off_by_at_most ", " 751");
	scene_keys(&s, "q");
	scene_until(&s, "estimated_time", false);
	scene_keys(&s, "T");
	scene_wait(&s, "time: start");
	scene_wait(&s, "  1  ~250 D ID 0x10 ");
	scene_keys(&s, "T");
	scene_wait(&s, "time: delta");
	scene_wait(&s, "  1 ~+250 D ID 0x10 ");
	scene_wait(&s, "  3 ~+750 D ID 0x10 ");
	scene_keys(&s, "TT"); /* beyond ticks, which are only those that are told */
	scene_wait(&s, "time: own");
	scene_wait(&s, "  0 1000 D ID 0x10 ");
	scene_wait(&s, "  1      D ID 0x10 ");
	quit(&s);
	unlink(path);
}

/* A file with nothing in it takes long enough to be paused on the way. */
static void
test_pause(void **state)
{
	(void)state;
	struct scene s;
	char path[] = "/tmp/test_screen.XXXXXX";
	int file = mkstemp(path);
	assert_int_equal(ftruncate(file, (off_t)1 << 36), 0);
	close(file);
	scene_open(&s, 24, 80, "xterm-256color", path, "-f", "syst/raw", "--no-cache", "+:pause",
		   NULL);
	scene_wait(&s, "% paused");
	scene_keys(&s, "G"); /* one gets about all the same */
	scene_wait(&s, " ~2,147,");
	scene_wait(&s, "% paused");
	scene_keys(&s, "/zzz\r");
	scene_wait(&s, "searching... Ctrl-C cancels");
	scene_keys(&s, "\003");
	scene_wait(&s, "cancelled");
	scene_keys(&s, "l"); /* nothing was found in what is known: that is no number */
	scene_wait(&s, ", none yet");
	scene_keys(&s, ":pause\r");
	scene_wait(&s, "indexing goes on");
	scene_until(&s, "paused", false);
	scene_wait(&s, " idx ");
	quit(&s);
	unlink(path);
}

/* Once all is shown nothing more is sent: no clock, no blinking. */
/* Whether the rows from 2 on are the messages from NUMBER on of the merged list:
 * their numbers and traces. */
static void
check_merged(struct scene *s, struct session *session, struct merge *merge, uint64_t number)
{
	struct merge_position p;
	bool exact;
	assert_true(merge_find_number(merge, number, &p, &exact) && exact);
	for (int row = 2; row < 23; row++, number++) {
		char digits[32];
		snprintf(digits, sizeof digits, " %llu ", (unsigned long long)number);
		wait_row(s, row, digits);
		wait_row(s, row, trace_name(session->traces.at[p.trace]));
		if (row < 22)
			assert_true(merge_next(merge, &p));
	}
}

static uint64_t
count_severity(struct merge *merge, enum severity severity)
{
	struct merge_position p;
	uint64_t count = 0;
	for (bool more = merge_first(merge, &p); more; more = merge_next(merge, &p))
		count += merge_message(merge, p)->severity == severity;
	return count;
}

static void
test_merged(void **state)
{
	(void)state;
	struct session_fixture f;
	struct scene s;
	char path[128], keys[160];
	session_fixture_open(&f, "-c 20000 --jitter=0 --rate=0.02", NULL);
	session_fixture_load(&f);
	struct merge *merge = merge_new(&f.session);
	merge_load(merge);
	bool exact;
	uint64_t count = merge_count(merge, &exact);
	char total[32], shown[64];
	text_number(total, count);

	snprintf(path, sizeof path, "%s/session.yaml", f.folder);
	scene_open(&s, 24, 110, "xterm-256color", path, "--no-cache", NULL);
	snprintf(shown, sizeof shown, " 0 / %s", total); /* no ~: the clocks are known */
	scene_wait(&s, shown);
	scene_wait(&s, " 10:06:40.000175");
	scene_wait(&s, " 2025-11-21 ");
	scene_wait(&s, "cam.csel");
	check_merged(&s, &f.session, merge, 0);
	scene_keys(&s, "Gk"); /* whose number takes the whole order */
	snprintf(keys, sizeof keys, " %s / %s", text_number(shown, count - 2), total);
	scene_wait(&s, keys);
	scene_keys(&s, "7000G");
	scene_wait(&s, " 7,000 / ");
	check_merged(&s, &f.session, merge, 7000 - 10);
	scene_keys(&s, "t10:06:41\r");
	scene_wait(&s, "10:06:41.000");
	scene_keys(&s, "G");
	snprintf(keys, sizeof keys, " %s / %s", text_number(shown, count - 1), total);
	scene_wait(&s, keys);
	check_merged(&s, &f.session, merge, count - 21);

	/* hits of all traces are counted, and numbered, together */
	uint64_t warnings = count_severity(merge, SEVERITY_WARNING);
	assert_true(warnings > 10);
	scene_keys(&s, "g&severity = warning");
	snprintf(keys, sizeof keys, " on screen, %s in all", text_number(shown, warnings));
	scene_wait(&s, keys);
	scene_keys(&s, "\r3j");
	snprintf(keys, sizeof keys, "row 4 of %s", shown);
	scene_wait(&s, keys);
	scene_keys(&s, "G");
	snprintf(keys, sizeof keys, "row %s of %s", shown, shown);
	scene_wait(&s, keys);
	scene_keys(&s, "&\r");
	scene_until(&s, "only", false);

	scene_keys(&s, ":clocks\r");
	scene_wait(&s, "wall clock: soc.stp, aux.stp, dsp.gem, dsp.uia, cam.csel");
	scene_wait(&s, "SyS-T clock");
	scene_keys(&s, "q");
	/* from the word of a sync point to its event and back */
	scene_keys(&s, "g/SyncPoint 5 \r");
	scene_wait_row(&s, ">", "SyncPoint 5 ");
	scene_wait(&s, "dsp.gem and 4 more");
	scene_keys(&s, "\035"); /* Ctrl-] */
	scene_wait(&s, "dsp.uia and 4 more");
	scene_wait_row(&s, ">", "syncPoint serial 5,");
	scene_keys(&s, "\035");
	scene_wait(&s, "dsp.gem and 4 more");
	scene_wait_row(&s, ">", "SyncPoint 5 ");
	scene_keys(&s, ":show-trace dsp.uia\r");
	scene_wait(&s, "left out");
	scene_until(&s, "core 1", false);
	merge_free(merge);
	session_fixture_close(&f);
	quit(&s);
}

/* How often all threads of the program have been woken. */
static unsigned long
count_wakes(pid_t child)
{
	char path[320], line[256];
	unsigned long sum = 0, own;
	snprintf(path, sizeof path, "/proc/%d/task", (int)child);
	DIR *tasks = opendir(path);
	assert_non_null(tasks);
	for (struct dirent *task; (task = readdir(tasks));) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)child, task->d_name);
		FILE *file = *task->d_name == '.' ? NULL : fopen(path, "r");
		while (file && fgets(line, sizeof line, file))
			if (sscanf(line, "voluntary_ctxt_switches: %lu", &own) == 1)
				sum += own;
		if (file)
			fclose(file);
	}
	closedir(tasks);
	return sum;
}

/* That the program comes to rest: then it says nothing and nothing wakes it. */
static void
check_idle(struct scene *s)
{
	struct pollfd file = {.fd = s->master, .events = POLLIN};
	int64_t deadline = now_ms() + DEADLINE_MS;
	unsigned long wakes, before;
	do {
		if (now_ms() > deadline)
			fail_screen(s, "the program does not come to rest");
		scene_settle(s, deadline);
		before = count_wakes(s->child);
		wakes = poll(&file, 1, 700) ? before + 1 : count_wakes(s->child);
	} while (wakes != before);
}

/* A profile without what it says of sync. */
static void
drop_sync(const char *path)
{
	struct text text = {0};
	FILE *file = fopen(path, "r");
	read_all(file, &text);
	fclose(file);
	char *sync = strstr(text.data, "\nsync:");
	assert_non_null(sync);
	assert_int_equal(truncate(path, sync + 1 - text.data), 0);
	text_free(&text);
}

/* A tie made on the screen is there again when the session is, until it is taken
 * back. */
static void
test_tie(void **state)
{
	(void)state;
	struct session_fixture f;
	struct scene s;
	char path[128];
	session_fixture_open(&f, "-c 2000 --jitter=0 --rate=0", NULL);
	snprintf(path, sizeof path, "%s/session.yaml", f.folder);
	drop_sync(path);
	scene_open(&s, 24, 110, "xterm-256color", path, "--no-cache", NULL);
	scene_wait(&s, " 10:06:40.0");
	scene_keys(&s, "g/something\r");
	scene_wait_row(&s, ">", "something");
	scene_keys(&s, "ma:tie a b\r");
	scene_wait(&s, "tie what?");
	scene_keys(&s, "G");
	scene_wait_row(&s, ">", "dsp."); /* which nothing relates to the others */
	scene_keys(&s, "mb:tie a b\r");
	scene_wait(&s, "\n tied");
	scene_keys(&s, ":save\r");
	scene_wait(&s, "2 marks and 1 ties saved to ");
	quit(&s);

	scene_open(&s, 24, 110, "xterm-256color", path, "--no-cache", NULL);
	scene_wait(&s, " 10:06:39."); /* the last of dsp is soc's first */
	scene_keys(&s, ":clocks\r");
	scene_wait(&s, "wall clock: soc.stp, aux.stp, dsp.gem, dsp.uia, cam.csel");
	scene_wait(&s, ": tie, 1 points");
	scene_wait(&s, "tie 1: soc.stp ");
	scene_keys(&s, "q:untie 2\r");
	scene_wait(&s, "untie what?");
	scene_keys(&s, "g:untie\r"); /* the first message has none */
	scene_wait(&s, "untie what?");
	scene_keys(&s, "'a:untie\r");
	scene_wait(&s, "\n untied");
	scene_keys(&s, ":clocks\r");
	scene_wait(&s, "wall clock: soc.stp, aux.stp, cam.csel");
	scene_keys(&s, "q:save\r");
	scene_wait(&s, "2 marks saved to ");
	session_fixture_close(&f);
	quit(&s);
}

enum { SERIALS_MAX = 10 }; /* of one digit */

/* Where the sync points with each serial number lie in dsp.gem and in dsp.uia, as
 * mkcapture lays them out; -1: not there. */
struct sync_places {
	long gem[SERIALS_MAX], uia[SERIALS_MAX];
};

static void
find_syncs(const char *folder, struct sync_places *places)
{
	enum { RECORD = 12, TYPE_SYNC = 1, HEAD = 16, EVENT_SYNC = 1 };
	struct text gem = {0}, uia = {0};
	char path[128];
	memset(places, 0xff, sizeof *places);
	snprintf(path, sizeof path, "%s/dsp.gem", folder);
	FILE *file = fopen(path, "r");
	read_all(file, &gem);
	fclose(file);
	snprintf(path, sizeof path, "%s/dsp.uia", folder);
	file = fopen(path, "r");
	read_all(file, &uia);
	fclose(file);
	for (size_t at = 0; at + RECORD <= gem.length; at += RECORD) {
		uint32_t word = bytes_le32((const uint8_t *)gem.data + at);
		if (word >> 26 == TYPE_SYNC && (word >> 2 & 0xffffff) < SERIALS_MAX)
			places->gem[word >> 2 & 0xffffff] = (long)at;
	}
	for (size_t at = 0; at + HEAD + 20 <= uia.length;) {
		const uint8_t *event = (const uint8_t *)uia.data + at + HEAD;
		if (bytes_le32(event + 12) >> 16 == EVENT_SYNC &&
		    bytes_le32(event + 16) < SERIALS_MAX)
			places->uia[bytes_le32(event + 16)] = (long)at + HEAD;
		at += bytes_be32(event - HEAD) & 0xfffffff;
	}
	text_free(&gem);
	text_free(&uia);
}

/* When mkcapture sent what lies there, in seconds of its minute. */
static double
sent_at(const char *folder, const char *trace, long place)
{
	char path[128], name[32];
	long at;
	long long time;
	snprintf(path, sizeof path, "%s/session.truth.tsv", folder);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fscanf(file, "%31s %ld %lld", name, &at, &time) == 3)
		if (at == place && !strcmp(name, trace))
			break;
	fclose(file);
	return (double)(time % 60000000000) / 1e9;
}

/* The row of a sync point, with its partner if that is there; and the time in it. */
static void
check_sync(struct scene *s, const char *folder, const char *trace, long place, const char *what)
{
	double shown = 0;
	scene_wait(s, what);
	for (int y = 0; y < s->rows; y++) {
		const char *row = emulator_row(s->emulator, y);
		if (strstr(row, what) && strstr(row, trace))
			assert_int_equal(sscanf(strchr(row, ':'), ":%*d:%lf", &shown), 1);
	}
	assert_true(fabs(shown - sent_at(folder, trace, place)) < 1e-4);
}

/* Where nothing ties two clocks it lists resync points, with the bytes from one to the
 * next: sync sequences of 33 nulls (N is 32: 31 + a byte of source), each before a
 * packet of two bytes that says nothing of the place. */
static void
test_resyncs(void **state)
{
	(void)state;
	struct scene s;
	char path[] = "/tmp/trawl-test.XXXXXX";
	int file = mkstemp(path);
	uint8_t sequence[33 + 3] = {[32] = 0x80, [33] = 0x01, [34] = 0x03, [35] = 0x12};
	assert_true(file >= 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(write(file, sequence, sizeof sequence), sizeof sequence);
	close(file);
	scene_open(&s, 24, 100, "xterm-256color", path, "--from=encap", "--no-cache", NULL);
	wait_row(&s, 23, " 0 / 10");
	scene_keys(&s, "X");
	scene_wait(&s, " sync points: none; resync points ");
	scene_wait(&s, "since last resync point");
	scene_wait(&s, "      36 B null_run 33 nulls: 32 idle, 1 alignment, sync");
	quit(&s);
	unlink(path);
}

/* The pane of sync points has all there are, lost ones marked, and leads there. */
static void
test_syncs(void **state)
{
	(void)state;
	struct session_fixture f;
	struct scene s;
	struct sync_places places;
	char path[128], what[96];
	int known = 0, missing = 0;
	session_fixture_open(&f, "-c 9000 --jitter=0 --rate=0.35 --seed=2", NULL);
	find_syncs(f.folder, &places);
	snprintf(path, sizeof path, "%s/session.yaml", f.folder);
	scene_open(&s, 70, 120, "xterm-256color", path, "--no-cache", NULL);
	wait_row(&s, 69, " 0 / 7,"); /* no ~: the clocks are known */
	scene_keys(&s, "X\\");	     /* alone on the screen */
	for (int i = 0; i < SERIALS_MAX; i++) {
		bool both = places.gem[i] >= 0 && places.uia[i] >= 0;
		known += both;
		if (places.gem[i] >= 0) {
			snprintf(what, sizeof what, "%s dsp.uia syncpoint SyncPoint %d",
				 both ? "=" : "?", i);
			check_sync(&s, f.folder, "dsp.gem", places.gem[i], what);
			missing += !both;
		}
		if (places.uia[i] >= 0) {
			snprintf(what, sizeof what, "%s dsp.gem event syncPoint serial %d,",
				 both ? "=" : "?", i);
			check_sync(&s, f.folder, "dsp.uia", places.uia[i], what);
			missing += !both;
		}
	}
	assert_true(known > 2 && missing > 2);
	for (int i = 1; i < SERIALS_MAX; i++) { /* and the time since the last one */
		double before, now, since;
		if (places.gem[i - 1] < 0 || places.gem[i] < 0)
			continue;
		before = sent_at(f.folder, "dsp.gem", places.gem[i - 1]);
		now = sent_at(f.folder, "dsp.gem", places.gem[i]);
		snprintf(what, sizeof what, "SyncPoint %d", i);
		for (int y = 0; y < s.rows; y++) {
			const char *row = emulator_row(s.emulator, y);
			if (!strstr(row, what))
				continue;
			assert_int_equal(sscanf(strstr(row, "dsp.gem"), "dsp.gem %lf", &since), 1);
			assert_true(fabs(since - (now - before)) < 1e-4);
		}
	}
	/* from the last one to its message, which has the same hour and trace */
	for (int y = 0; y < s.rows; y++)
		if (!strncmp(emulator_row(s.emulator, y), " 2025-", 6))
			snprintf(what, sizeof what, "%.26s", emulator_row(s.emulator, y) + 12);
	scene_keys(&s, "G\r\\");
	scene_wait_row(&s, ">", what);
	session_fixture_close(&f);
	quit(&s);
}

/* The rows of the list are the lines of a CSV, by trace and text, save those of
 * the trace LEFT; how many there are. */
static int
check_lines(struct scene *s, const struct text *csv, const char *left)
{
	char *all = mem_text(csv->data), *next = NULL;
	int rows = 0;
	strtok_r(all, "\n", &next); /* the head */
	for (char *line; (line = strtok_r(NULL, "\n", &next));) {
		char trace[16], name[20], *column = line;
		assert_int_equal(sscanf(line, "%*d,\"%15[^\"]\"", trace), 1);
		if (!strcmp(trace, left))
			continue;
		for (int i = 0; i < 9; i++) /* none before the text has a comma */
			column = strchr(column, ',') + 1;
		column[12] = 0; /* what has room */
		snprintf(name, sizeof name, " %s ", trace);
		wait_row(s, 2 + rows, name);
		wait_row(s, 2 + rows++, column + (*column == '"'));
	}
	free(all);
	return rows;
}

/* Filters show of a list of several traces what batch output has, with a trace
 * left out before or after. */
static void
test_filtered_traces(void **state)
{
	(void)state;
	struct scene s;
	struct text csv = {0};
	char shown[48];
	run_batch_on("lab.yaml", "-t csv -e 'severity in fatal..warning'", &csv);
	scene_open(&s, 40, 110, "xterm-256color", "lab.yaml", NULL);
	scene_wait(&s, " 10:06:40."); /* the clocks are known */
	scene_wait(&s, " 0 / 526");
	scene_keys(&s, ":filter severity in fatal..warning\r");
	int all = check_lines(&s, &csv, "");
	scene_keys(&s, ":show-trace\r");
	scene_wait(&s, "which trace? soc, dsp, log, cam, hub");
	scene_keys(&s, ":show-trace dps\r");
	scene_wait(&s, "no trace is named dps; there are soc, dsp, log, cam, hub");
	scene_keys(&s, ":show-trace log\r");
	scene_wait(&s, "left out");
	scene_keys(&s, "G");
	int rest = check_lines(&s, &csv, "log");
	assert_true(rest > 3 && rest < all);
	snprintf(shown, sizeof shown, ", row %d of %d", rest, rest);
	scene_wait(&s, shown);
	scene_wait_row(&s, ">", " cam ");
	scene_keys(&s, "!"); /* off and on again, with the trace left out */
	scene_until(&s, shown, false);
	scene_keys(&s, "!");
	scene_wait(&s, "filters on");
	check_lines(&s, &csv, "log");
	scene_keys(&s, ":show-trace soc\r:show-trace log\rgG");
	rest = check_lines(&s, &csv, "soc");
	snprintf(shown, sizeof shown, ", row %d of %d", rest, rest);
	scene_wait(&s, shown);
	text_free(&csv);
	quit(&s);
}

static void
test_idle(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_wait(&s, "boot rom  ");
	scene_wait(&s, common_time);
	scene_keys(&s, "T"); /* an answer to this comes behind all else */
	scene_wait(&s, "T:start");
	size_t before = s.sent.length;
	struct pollfd file = {.fd = s.master, .events = POLLIN};
	assert_int_equal(poll(&file, 1, 700), 0);
	assert_int_equal(s.sent.length, before);
	check_idle(&s);
	quit(&s);
}

/* The same with the timeline of a session. */
static void
test_idle_timeline(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 40, 80, "xterm-256color", "lab.yaml", "+i", NULL);
	scene_wait(&s, " 526 in view");
	scene_wait_row(&s, "dsp>log ", "^");
	check_idle(&s);
	scene_keys(&s, "\t++");
	scene_until(&s, " 526 in view", false);
	check_idle(&s);
	quit(&s);
}

/* What is set by the second word of a pair holds until the next such pair. */
static void
test_contexts(void **state)
{
	(void)state;
	struct scene s;
	struct truth truth;
	const char *data[2] = {NULL};
	size_t at[2] = {0}, found = 0;
	char text[64];
	read_truth(&truth, "all-gem.truth.tsv");
	for (size_t n = 0; n < truth.rows[FIELDS].count && found < 2; n++) {
		const char *fields = truth.rows[FIELDS].at[n];
		const char *value = strstr(fields, "\tdata=");
		if (strcmp(truth.rows[TYPE].at[n], "second") != 0 ||
		    !strstr(fields, "ctx_name=User"))
			continue;
		data[found] = value + strlen("\tdata=");
		at[found++] = n;
	}
	assert_true(found == 2);
	scene_open(&s, 24, 100, "xterm-256color", "all-gem.bin", NULL);
	scene_wait(&s, "User data=");
	scene_keys(&s, "c");
	snprintf(text, sizeof text, "%zuG", at[0] + 1);
	scene_keys(&s, text);
	snprintf(text, sizeof text, "since #%zu  until #%zu", at[0], at[1]);
	scene_wait(&s, text);
	snprintf(text, sizeof text, "%.10s", data[0]);
	scene_wait_row(&s, " user ", text);
	scene_keys(&s, "]c[c\tj\r"); /* there and back; in the pane: to where it began */
	snprintf(text, sizeof text, " %zu / ", at[0]);
	scene_wait(&s, text);
	scene_keys(&s, "qp"); /* the detail pane has it too */
	scene_wait(&s, "v context");
	quit(&s);
	free_truth(&truth);

	/* in a list of several traces they are those of all; a word of dsp changes the
	 * overlay, an event of log the task */
	scene_open(&s, 24, 110, "xterm-256color", "lab.yaml", NULL);
	scene_wait(&s, " 0 / 526");
	scene_keys(&s, "357G]c");
	scene_wait_row(&s, ">", "threadCtxChg 0x80010000 to 0x80010100");
	scene_keys(&s, "]c");
	scene_wait_row(&s, ">", "threadCtxChg 0x80010100 to 0x80010000");
	scene_keys(&s, "2[c");
	scene_wait_row(&s, ">", "User data=0x80020002");
	scene_keys(&s, "G[c");
	scene_wait_row(&s, ">", "threadCtxChg");
	quit(&s);
}

/* The row of the timeline that starts so, without its name; the text is S's. */
static const char *
lane_row(struct scene *s, const char *name)
{
	const char *row = NULL;
	for (int y = s->rows - 1; y >= 0 && !row; y--)
		if (!strncmp(emulator_row(s->emulator, y), name, strlen(name)))
			row = emulator_row(s->emulator, y);
	assert_non_null(row);
	return row + strlen(name);
}

static bool
is_cursor_behind(struct scene *s, const struct sought *sought)
{
	const char *ruler = lane_row(s, "      "), *cursor = strchr(ruler, '*');
	return cursor && cursor - ruler > sought->col;
}

/* Waits until the ruler has the cursor behind column LEAST. */
static void
wait_cursor(struct scene *s, int least)
{
	if (!scene_awaits(s, is_cursor_behind, &(struct sought){.col = least}))
		fail_screen(s, "the cursor is not behind column %d", least);
}

/* The timeline of the demo: all its messages, each column that has a loss or an
 * error says so, and the list and the cursor go together. */
static void
test_timeline(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 24, 80, "xterm-256color", "demo.stp", "--ascii", NULL);
	scene_wait(&s, "E:15 W:12");
	size_t before = s.sent.length;
	scene_keys(&s, "i");
	scene_wait(&s, " 309 in view  F:1  E:15  W:12  loss in");
	assert_true(s.sent.length - before < 3072);
	scene_wait_row(&s, "board ", "~");
	scene_wait_row(&s, "board ", "!");
	scene_wait_row(&s, "board ", "I");
	scene_wait_row(&s, "sync ", "^");
	scene_wait_row(&s, "- timeline  0", "");

	scene_keys(&s, "G"); /* the cursor goes with the list */
	scene_wait(&s, "308 / 309");
	wait_cursor(&s, 70);
	scene_keys(&s, "g\t\033OC\033OC"); /* and the list with the cursor */
	scene_until(&s, " 0 / 309", false);
	scene_keys(&s, "\033OD\033OD\033OD"); /* to the first that has a time */
	scene_wait(&s, " 2 / 309");

	scene_keys(&s, "+++"); /* an eighth of the time */
	scene_until(&s, " 309 in view", false);
	scene_keys(&s, "ll");
	scene_until(&s, " in view", true);
	scene_keys(&s, "0");
	scene_wait(&s, " 309 in view");
	quit(&s);
}

/* From A to B: the difference, and only what lies there in the list. */
static void
test_timeline_brush(void **state)
{
	(void)state;
	struct scene s;
	struct truth truth;
	char text[64];
	size_t shown = 0;
	read_truth(&truth, "demo.truth.tsv");
	/* the truth's ticks are of 38.4 MHz */
	uint64_t from = strtoull(truth.rows[TICKS].at[20], NULL, 10);
	uint64_t to = strtoull(truth.rows[TICKS].at[40], NULL, 10);
	for (size_t i = 0; i < truth.rows[TICKS].count; i++) {
		const char *own = truth.rows[TICKS].at[i];
		uint64_t ticks = strtoull(own, NULL, 10);
		shown += *own >= '0' && *own <= '9' && ticks >= from && ticks <= to;
	}
	assert_true(shown > 10 && shown < 100);
	scene_open(&s, 24, 80, "xterm-256color", "demo.stp", "--ascii", NULL);
	scene_wait(&s, "E:15 W:12");
	scene_wait(&s, common_time);
	scene_keys(&s, "i20G\ta");
	scene_keys(&s, "40Gb");
	scene_wait(&s, "A..B ");
	scene_keys(&s, "v");
	scene_wait(&s, "only time in ");
	snprintf(text, sizeof text, " of %zu  ", shown);
	scene_wait(&s, text);
	quit(&s);

	scene_open(&s, 24, 80, "xterm-256color", "demo.stp", "--ascii", NULL);
	scene_wait(&s, "E:15 W:12");
	scene_wait(&s, common_time);
	scene_keys(&s, "20Gv40Gi"); /* a range shows its time */
	scene_wait(&s, " in view");
	scene_until(&s, " 309 in view", false);
	wait_cursor(&s, 60); /* nearly at the end */
	quit(&s);
	free_truth(&truth);
}

/* On any screen: lanes of a session, origins, places instead of times. */
static void
test_timeline_screens(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 50, 200, "xterm-256color", "demo.stp", "+i", NULL);
	scene_wait(&s, " 309 in view");
	scene_wait_row(&s, "board ", "\u2588"); /* a full block */
	scene_keys(&s, "\t ");			/* a lane for each origin */
	scene_wait(&s, "\n boot rom ");
	scene_wait(&s, "\n pmic ");
	scene_keys(&s, " ");
	scene_until(&s, "\n pmic ", false);
	quit(&s);
	scene_open(&s, 24, 80, "xterm-256color", "demo.stp", "--theme=mono", "--ascii", "+i", NULL);
	scene_wait(&s, " 309 in view");
	assert_false(any_coloured(&s));
	scene_wait_row(&s, "board ", "!");
	quit(&s);
	scene_open(&s, 5, 20, "xterm-256color", "demo.stp", "+i", NULL);
	scene_wait(&s, "/ 309"); /* no room: it leaves first */
	scene_until(&s, "timeline", false);
	scene_keys(&s, "\t\\"); /* zoomed it has all */
	scene_until(&s, "boa", true);
	quit(&s);
	scene_open(&s, 24, 80, "xterm-256color", "all-gem.bin", "--ascii", "+i", NULL);
	scene_wait(&s, "timeline  0x0.."); /* no times: places */
	scene_wait(&s, " in view");
	quit(&s);
}

/* The timeline of a session, zoomed: at most 3 KB each time it is drawn. */
static void
test_timeline_bytes(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 24, 80, "xterm-256color", "lab.yaml", "+i", NULL);
	scene_wait(&s, " 526 in view");
	scene_wait(&s, " 10:06:40.");
	scene_keys(&s, "\t\\"); /* all of the screen */
	scene_wait_row(&s, "dsp>log ", "^");
	scene_wait_row(&s, "soc>hub ", "^");
	check_idle(&s);
	static const char *const keys[] = {"+", "+", "l", "+", "-", "-", "-", "0"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t before = s.sent.length;
		scene_keys(&s, keys[i]);
		check_idle(&s); /* drawn at first sight, and exact */
		assert_true(s.sent.length - before <= 2 * 3072);
	}
	quit(&s);
}

/* Moments that two traces have in common: a line for each pair, while both are shown. */
static void
test_timeline_links(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 40, 80, "xterm-256color", "lab.yaml", "--ascii", "--theme=mono", "+i", NULL);
	scene_wait_row(&s, "dsp>log ", "^"); /* words and their events */
	scene_wait_row(&s, "soc>hub ", "^"); /* ties of the profile */
	scene_wait_row(&s, "soc>log ", "^");
	assert_false(any_coloured(&s));
	scene_keys(&s, ":show-trace log\r");
	scene_until(&s, "soc>log ", false);
	scene_wait(&s, "\nsoc>hub ");
	quit(&s);
}

/* Where an offset of the profile sets two traces apart, a line leads from the tick
 * in the first one to the other's, whichever is earlier. */
static void
test_timeline_apart(void **state)
{
	(void)state;
	static const char *const seconds[] = {"0.05", "-0.05"};
	static const char *const lines[] = {"<---", "--->"}, *const ends[] = {"---^", "^---"};
	for (int i = 0; i < 2; i++) {
		struct session_fixture f;
		struct scene s;
		char path[128];
		session_fixture_open(&f, "-c 5000 --rate=0 --jitter=0", NULL);
		snprintf(path, sizeof path, "%s/session.yaml", f.folder);
		FILE *file = fopen(path, "a");
		assert_non_null(file);
		fprintf(file, "  - {kind: offset, trace: dsp.gem, seconds: %s}\n", seconds[i]);
		fclose(file);
		scene_open(&s, 40, 80, "xterm-256color", path, "--no-cache", "--ascii", "+i", NULL);
		scene_wait_row(&s, "dsp.gem>dsp.uia ", lines[i]);
		scene_wait_row(&s, "dsp.gem>dsp.uia ", ends[i]);
		scene_wait_row(&s, "soc.stp>dsp.uia ", "^");
		assert_null(strchr(lane_row(&s, "soc.stp>dsp.uia "), '-'));
		quit(&s);
		session_fixture_close(&f);
	}
}

/* The first row from one on that has a text in a column, or -1. */
static int
find_in_column(struct scene *s, const struct sought *sought)
{
	for (int row = sought->row; row < s->rows; row++) {
		const char *text = emulator_row(s->emulator, row);
		if ((int)strlen(text) > sought->col &&
		    !strncmp(text + sought->col, sought->text, strlen(sought->text)))
			return row;
	}
	return -1;
}

static bool
is_in_column(struct scene *s, const struct sought *sought)
{
	return find_in_column(s, sought) >= 0;
}

/* The colour of the first cell of NAME from a row on, once it stands in column COL. */
static int
colour_of(struct scene *s, const char *name, int from, int col)
{
	struct sought sought = {.text = name, .row = from, .col = col};
	if (!scene_awaits(s, is_in_column, &sought))
		fail_screen(s, "no \"%s\" in column %d", name, col);
	return emulator_cell(s->emulator, find_in_column(s, &sought), col).fg;
}

/* Each trace of a session has a colour, in the list, its lane and among the clocks;
 * a single one has none, nor has any in the mono theme. */
static void
test_trace_colours(void **state)
{
	(void)state;
	enum { COLUMN = 21, LIST = 2, LANES = 16 };
	static const char *const names[] = {"soc ", "dsp ", "log ", "cam ", "hub "};
	struct scene s;
	int colours[5];
	scene_open(&s, 40, 80, "xterm-256color", "lab.yaml", "--ascii", "+i", NULL);
	scene_wait_row(&s, "dsp>log ", "^");
	scene_wait(&s, " 10:06:40.");
	for (int i = 0; i < 5; i++) {
		colours[i] = colour_of(&s, names[i], LIST, COLUMN);
		assert_int_equal(colour_of(&s, names[i], LANES, 0), colours[i]);
		assert_true(colours[i] >= 0);
		for (int k = 0; k < i; k++)
			assert_int_not_equal(colours[i], colours[k]);
	}
	scene_keys(&s, ":clocks\r");
	scene_wait(&s, "wall clock: soc, dsp");
	scene_until(&s, "so far", false);
	assert_int_equal(colour_of(&s, "soc,", 1, 12), colours[0]);
	assert_int_equal(colour_of(&s, "dsp,", 1, 17), colours[1]);
	assert_int_equal(colour_of(&s, "wall", 1, 0), -1);
	quit(&s);
	scene_open(&s, 24, 80, "xterm-256color", "demo.stp", "--ascii", "+i", NULL);
	scene_wait(&s, " 309 in view");
	assert_int_equal(colour_of(&s, "iI:i", 2, 7), -1); /* of the lane */
	quit(&s);
}

/* What held: a lane with the values of the context. */
static void
test_timeline_contexts(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, 40, 100, "xterm-256color", "all-gem.bin", "--ascii", "+i", NULL);
	scene_wait(&s, "\nuser ");
	assert_non_null(strchr(lane_row(&s, "user "), '['));
	quit(&s);
}

/* How many messages have SEVERITY (NULL: any), and WHAT in their fields, from
 * byte FROM on. */
static size_t
count_rows(const struct truth *truth, const char *severity, const char *what, uint64_t from)
{
	size_t count = 0;
	for (size_t i = 0; i < truth->rows[OFFSET].count; i++) {
		const char *fields = truth->rows[FIELDS].at[i];
		count += strtoull(truth->rows[OFFSET].at[i], NULL, 10) >= from &&
			 (!severity || !strcmp(truth->rows[SEVERITY].at[i], severity)) &&
			 (!what || (fields && strstr(fields, what)));
	}
	return count;
}

/* That the row that starts so has COUNT in it as a word. */
static void
wait_count(struct scene *s, const char *start, size_t count)
{
	char want[32];
	snprintf(want, sizeof want, " %zu ", count);
	if (!scene_awaits(s, started_row_has_text,
			  &(struct sought){.start = start, .skip = strlen(start), .text = want}))
		fail_screen(s, "no \"%s\" with %zu on the screen", start, count);
}

static void
wait_shown(struct scene *s, size_t count)
{
	char want[48];
	snprintf(want, sizeof want, "filters  %zu of 400 shown", count);
	scene_wait(s, want);
}

/* Filters are added, turned off and over, changed and dropped; each has its own
 * count, and all that are on hold together. */
static void
test_filter_list(void **state)
{
	(void)state;
	static const struct {
		int rows, cols;
		const char *theme;
	} screens[] = {{24, 80, "--theme=default"}, {50, 200, "--theme=mono"}};
	struct truth truth;
	read_truth(&truth, "all-raw.truth.tsv");
	size_t debug = count_rows(&truth, "DEBUG", NULL, 0);
	size_t errors = count_rows(&truth, "ERROR", NULL, 0);
	size_t late = count_rows(&truth, NULL, NULL, 5000);
	size_t both = count_rows(&truth, "DEBUG", NULL, 5000);
	size_t none = count_rows(&truth, "MAX", NULL, 0);
	assert_true(debug > both && both && late > both && errors && none);
	for (size_t i = 0; i < 2; i++) {
		struct scene s;
		scene_open(&s, screens[i].rows, screens[i].cols, "xterm-256color", "all-raw.bin",
			   (char *)screens[i].theme, NULL);
		scene_wait(&s, "0 / 400");
		scene_keys(&s, "|B"); /* below the list, so that rows begin with it */
		scene_wait(&s, "no filters; a adds one");
		scene_keys(&s, "aseverity = debug\r");
		wait_count(&s, " [x] 1 in  severity = debug", debug);
		wait_shown(&s, debug);
		scene_keys(&s, "aoffset >= 5000\r");
		wait_count(&s, " [x] 2 in  offset >= 5000", late);
		wait_shown(&s, both);
		scene_keys(&s, "i");
		scene_wait(&s, " [x] 2 out offset >= 5000");
		wait_shown(&s, debug - both);
		scene_keys(&s, " ");
		scene_wait(&s, " [ ] 2 out offset");
		wait_shown(&s, debug);
		scene_keys(&s, "e\025severity = err\r"); /* it hides still */
		wait_count(&s, " [x] 2 out severity = err", errors);
		scene_keys(&s, "k");
		scene_keys(&s, "d");
		scene_wait(&s, " [x] 1 out severity = err");
		wait_shown(&s, 400 - errors);
		scene_keys(&s, "!");
		scene_wait(&s, "filters off");
		scene_keys(&s, "!0"); /* a digit is no count here */
		wait_shown(&s, 400 - errors - none);
		scene_keys(&s, "7");
		wait_shown(&s, 400 - errors - none - debug);
		scene_keys(&s, "g07 "); /* under the cursor: those without one */
		wait_shown(&s, 400 - errors - none);
		scene_keys(&s, "&\r"); /* drops the whole list, not the severities */
		scene_wait(&s, "no filters");
		wait_shown(&s, 400 - none);
		scene_keys(&s, "q");
		scene_until(&s, "filters", false);
		quit(&s);
	}
	free_truth(&truth);
}

/* Where there is no room beside the list, a pane takes its place. */
static void
test_chooser_small(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 5, 20);
	scene_keys(&s, "B");
	scene_wait(&s, "\n [F]1 [E]15 [W]12");
	scene_keys(&s, ";");
	scene_wait(&s, "\n [x] mailbox");
	scene_keys(&s, "q");
	scene_wait(&s, "\n>");
	quit(&s);
}

/* The list of filters is kept, with all that was said of each. */
static void
test_filter_session(void **state)
{
	(void)state;
	struct scene s;
	char path[32], option[48];
	make_file(path, "marks: []\n");
	snprintf(option, sizeof option, "--session=%s", path);
	scene_open(&s, 24, 100, "xterm-256color", "demo.stp", option, NULL);
	scene_wait(&s, "0 / 309");
	scene_keys(&s, "&severity = debug\rB3a!a\"b\raoffset > 5\rG :save\r");
	scene_wait(&s, "0 marks saved to ");
	quit(&s);
	scene_open(&s, 24, 100, "xterm-256color", "demo.stp", option, NULL);
	scene_wait(&s, "only severities FEI12D (severity = debug) and not /a\"b/s");
	scene_keys(&s, "B");
	scene_wait(&s, " [x] 2 out /a\"b/s");
	scene_wait(&s, " [ ] 3 in  offset > 5");
	quit(&s);
	unlink(path);
}

/* Who sent what, as many as the encoder made; and only what is ticked. */
static void
test_origins(void **state)
{
	(void)state;
	struct truth truth;
	static const char dma[] = "guid={61d32a98-", mailbox[] = "guid={954bc01e-";
	read_truth(&truth, "demo.truth.tsv");
	size_t by_dma = count_rows(&truth, NULL, dma, 0);
	size_t by_mailbox = count_rows(&truth, NULL, mailbox, 0);
	size_t errors = count_rows(&truth, "ERROR", mailbox, 0);
	size_t warnings = count_rows(&truth, "WARNING", mailbox, 0);
	char few[32], title[48];
	snprintf(few, sizeof few, " E%zu W%zu ", errors, warnings);
	for (int wide = 0; wide < 2; wide++) {
		struct scene s;
		open_demo(&s, wide ? 50 : 24, wide ? 200 : 80);
		scene_keys(&s, "|"); /* below the list, so that rows begin with it */
		scene_keys(&s, ";");
		scene_wait(&s, "= origins");
		wait_count(&s, " [x] mailbox ", by_mailbox);
		if (!wide)
			scene_wait_row(&s, " [x] mailbox ", few);
		wait_count(&s, " [x] dma ", by_dma);
		scene_keys(&s, "g\r"); /* the one that has most, only */
		scene_wait(&s, " [ ] dma ");
		snprintf(title, sizeof title, "of %zu ", by_mailbox);
		scene_keys(&s, "\tg");
		scene_wait(&s, title);
		scene_wait(&s, "only origin in {\"mailbox\"}");
		scene_keys(&s, ";;v"); /* close, open again: it is remembered */
		scene_wait(&s, " [ ] mailbox ");
		scene_wait(&s, " [x] dma ");
		scene_wait(&s, "only not (origin in {\"mailbox\"})");
		scene_keys(&s, "j ");
		scene_wait(&s, " [ ] dma ");
		scene_wait(&s, "only not (origin in {\"mailbox\", \"dma\"})");
		scene_keys(&s, "k ");
		scene_wait(&s, "only not (origin in {\"dma\"})");
		scene_keys(&s, "j ");
		scene_until(&s, "  only ", false);
		scene_keys(&s, "S");
		scene_wait(&s, "by errors");
		scene_keys(&s, "g");
		scene_wait(&s, "first\n [x] watchdog "); /* the one that is fatal */
		scene_keys(&s, "S");
		scene_wait(&s, "by name");
		quit(&s);
	}
	free_truth(&truth);
}

enum { GRAPH_SLICE = 16 << 20, GRAPH_MESSAGE = 1 << 16, GRAPH_SENDERS = 3 };

/* How many of the 256 messages of a slice each sender has. */
static const unsigned shares[][GRAPH_SENDERS] = {{256, 0, 0},  {128, 128, 0}, {64, 0, 192},
						 {32, 224, 0}, {1, 0, 255},   {0, 255, 1}};

/* A capture of so many slices of 16 MiB, of messages (RAW, with length) of modules 1
 * to 3; mostly holes. */
static void
make_shares(char *path, unsigned slices)
{
	int file = mkstemp(path);
	assert_true(file >= 0);
	for (unsigned i = 0; i < slices * 256; i++) {
		const unsigned *share = shares[i / 256 % 6];
		unsigned at = i % 256;
		unsigned module = at < share[0] ? 1 : at < share[0] + share[1] ? 2 : 3;
		uint8_t head[8]; /* RAW, INFO, with a length; the length; payload */
		bytes_put_le64(head, 6 | 4 << 4 | 1 << 9 | module << 16 |
					 (uint64_t)(GRAPH_MESSAGE - 6) << 32);
		assert_int_equal(pwrite(file, head, 8, (off_t)i * GRAPH_MESSAGE), 8);
	}
	assert_int_equal(ftruncate(file, (off_t)slices * GRAPH_SLICE), 0);
	close(file);
}

/* The graph of a sender, of so many columns: a slice lies in the column where it
 * begins, and in all it covers. */
static void
expect_graph(unsigned sender, unsigned slices, unsigned columns, char *out)
{
	static const char signs[] = " .:-=+*%#";
	unsigned counts[200] = {0}, most = 0;
	for (unsigned i = 0; i < slices; i++) {
		unsigned from = i * columns / slices, to = (i + 1) * columns / slices;
		for (unsigned c = from; c < to || c == from; c++)
			counts[c] += shares[i % 6][sender];
	}
	for (unsigned c = 0; c < columns; c++)
		most = counts[c] > most ? counts[c] : most;
	for (unsigned c = 0; c < columns; c++) {
		unsigned level = counts[c] * 8 / most;
		out[c] = signs[counts[c] && level < 8 ? level + 1 : level];
	}
	for (; columns && out[columns - 1] == ' '; columns--)
		continue;
	out[columns] = '\0'; /* as there are no blanks at the end of a row */
}

/* Each column of a graph in the pane of origins has the messages of that sender in
 * that part of the capture, be it more or less than what the index counts apart. */
static void
test_origin_graphs(void **state)
{
	(void)state;
	static const struct {
		unsigned slices;
		int rows, cols;
	} cases[] = {{6, 50, 200}, {40, 24, 90}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct scene s;
		char path[] = "/tmp/test_screen.XXXXXX", want[201], start[16];
		make_shares(path, cases[k].slices);
		scene_open(&s, cases[k].rows, cases[k].cols, "xterm-256color", path, "--ascii",
			   "-f", "syst/raw", "--no-cache", "--threads=1", NULL);
		snprintf(want, sizeof want, "0 / %s", cases[k].slices == 6 ? "1,536" : "10,240");
		scene_wait(&s, want);
		scene_keys(&s, ";\\"); /* all of the screen */
		scene_wait(&s, "zoom:origins");
		scene_wait(&s, " first");
		const char *head = scene_row(&s, "     origin ");
		assert_non_null(head);
		int x = (int)(strstr(head, " first") - head) + 1 + 19;
		unsigned columns = (unsigned)(cases[k].cols - x - 1);
		for (unsigned sender = 0; sender < GRAPH_SENDERS; sender++) {
			expect_graph(sender, cases[k].slices, columns < 100 ? columns : 100, want);
			snprintf(start, sizeof start, " [x] %u:0 ", sender + 1);
			scene_wait_row(&s, start, "");
			const char *row = scene_row(&s, start);
			if (strlen(row) < (size_t)x || strcmp(row + x, want) != 0)
				fail_screen(&s, "graph of %u: \"%s\"", sender + 1, want);
		}
		quit(&s);
		unlink(path);
	}
}

/* A capture in which nothing tells where messages begin until the index comes by:
 * the screen does not wait for that, and then shows all of them. */
static void
test_no_feet(void **state)
{
	(void)state;
	struct scene s;
	char path[] = "/tmp/test_screen.XXXXXX";
	make_shares(path, 40);
	scene_open(&s, 24, 120, "xterm-256color", path, "-f", "syst/raw", "--no-cache",
		   "--threads=1", "+:pause", NULL);
	wait_row(&s, 0, "% paused"); /* the list is being looked for: it does not rest */
	scene_keys(&s, ":pause\r");
	wait_row(&s, 23, "indexing goes on");
	scene_keys(&s, "l");
	wait_row(&s, 23, "/ 10,240");
	for (int row = 2; row < 23; row++) {
		char number[16];
		snprintf(number, sizeof number, "%8d ", row - 2);
		wait_row(&s, row, number);
	}
	quit(&s);
	unlink(path);
}

/* Ids that no collateral names: the screen says so, and what to do. */
static void
test_unnamed(void **state)
{
	(void)state;
	struct scene s;
	struct folder folder;
	folder_make(&folder);
	folder_put_text(&folder, "t.txt",
			"SYS-T RAW DATA: 4310800111223344556677888"
			"899AABBCCDDEEFF7700000001000000\n");
	scene_open(&s, 24, 120, "xterm-256color", folder.files.at[0], NULL);
	wait_row(&s, 2, "id 0x77 args 0x00000001");
	wait_row(&s, 23, "--collateral=FILE");
	quit(&s);
	folder_remove(&folder);
}

/* The field under the cursor, with its value. */
static void
test_field_filter(void **state)
{
	(void)state;
	struct scene s;
	struct truth truth;
	size_t row = 0;
	char keys[64], want[48];
	read_truth(&truth, "demo.truth.tsv");
	while (!truth.rows[FIELDS].at[row] || !strstr(truth.rows[FIELDS].at[row], "id=1025"))
		row++;
	open_demo(&s, 24, 80);
	scene_wait(&s, "boot rom  ");
	snprintf(keys, sizeof keys, "%zuG\r\\", row);
	scene_keys(&s, keys);
	scene_wait(&s, "zoom:detail");
	for (int i = 0; i < 40; i++) { /* down to the line of `id` */
		scene_keys(&s, "f");
		scene_read(&s, 100);
		scene_read(&s, 50);
		if (strstr(scene_screen(&s), "syst.id = 0x401"))
			break;
		scene_keys(&s, ":narrow\r\rj");
		scene_until(&s, "  only ", false);
	}
	scene_wait(&s, "only syst.id = 0x401");
	scene_keys(&s, "qq");
	scene_keys(&s, "\033g");
	snprintf(want, sizeof want, "row 1 of %zu ", count_rows(&truth, NULL, "id=1025", 0));
	scene_wait(&s, want);
	quit(&s);
	free_truth(&truth);
}

/* While a filter is typed nothing changes but what is said of it. */
static void
test_preview(void **state)
{
	(void)state;
	struct scene s;
	struct truth truth;
	char want[64], shown[8][90];
	read_truth(&truth, "demo.truth.tsv");
	size_t all = count_rows(&truth, "INFO", NULL, 0), here = 0;
	for (size_t i = 0; i < 21; i++)
		here += !strcmp(truth.rows[SEVERITY].at[i], "INFO");
	open_demo(&s, 24, 80);
	scene_wait(&s, "boot rom  ");
	scene_wait(&s, "E:15 W:12");
	scene_wait(&s, common_time);
	for (int i = 0; i < 8; i++)
		snprintf(shown[i], sizeof shown[i], "%s", emulator_row(s.emulator, i));
	scene_keys(&s, "&severity = inf");
	snprintf(want, sizeof want, "ok, %zu on screen, %zu in all", here, all);
	scene_wait(&s, want);
	scene_keys(&s, "x");
	scene_wait(&s, "infx is no severity");
	scene_wait(&s, "(column 12)");
	scene_keys(&s, "\177 or (");
	scene_wait(&s, "(column 20)");
	scene_keys(&s, "\025severity ~ \"a\" or text = \"bbb\""); /* no room for the advice */
	scene_wait_row(&s, "&severity ~ \"a\"", "  severity is no text (column 12)");
	for (int i = 0; i < 8; i++)
		assert_string_equal(shown[i], emulator_row(s.emulator, i));
	scene_keys(&s, "\033");
	scene_until(&s, "column", false);
	scene_wait(&s, "0 / 309");
	scene_keys(&s, "&severity <= fatal"); /* what reads like a number's order */
	scene_wait(&s, " in all; < is milder, > is worse");
	scene_keys(&s, "\025severity >= fatal");
	scene_until(&s, "milder", false);
	scene_keys(&s, "\025!zzz");
	scene_wait(&s, "ok, 21 on screen, 309 in all");
	scene_keys(&s, "\r");
	scene_wait(&s, "only not /zzz/s");
	quit(&s);
	free_truth(&truth);
}

/* That the screen shows the texts of ROWS from FIRST on. */
static void
check_texts(struct scene *s, const struct truth *truth, const size_t *rows, size_t first)
{
	for (int y = 2; y < 23; y++) {
		const char *text = truth->rows[TEXT].at[rows[first + (size_t)y - 2]];
		char start[16];
		snprintf(start, sizeof start, "%.12s", text);
		if (*text != '*')
			wait_row(s, y, start); /* the rows come as they are found */
	}
}

/* Rows around those that pass: the same as in the truth. */
static void
test_surround(void **state)
{
	(void)state;
	struct scene s;
	struct truth truth;
	VEC(size_t) rows = {0};
	char want[64];
	read_truth(&truth, "all-raw.truth.tsv");
	size_t count = truth.rows[OFFSET].count;
	for (size_t i = 0; i < count; i++) {
		bool near = false;
		for (size_t k = i < 2 ? 0 : i - 2; k <= i + 2 && k < count; k++)
			near |= !strcmp(truth.rows[SEVERITY].at[k], "FATAL");
		if (near)
			*vec_add(&rows) = i;
	}
	assert_true(rows.count > 60 && rows.count < count);
	scene_open(&s, 24, 80, "xterm-256color", "all-raw.bin", NULL);
	scene_wait(&s, "0 / 400");
	scene_keys(&s, "&severity = fatal\r3zZg");
	scene_wait(&s, "context 2");
	snprintf(want, sizeof want, ", %zu shown", count_rows(&truth, "FATAL", NULL, 0));
	scene_wait(&s, want); /* what is around is not counted */
	snprintf(want, sizeof want, "\n %zu / 400", rows.at[0]);
	scene_wait(&s, want);
	check_texts(&s, &truth, rows.at, 0);
	scene_keys(&s, " ");
	snprintf(want, sizeof want, " %zu / 400", rows.at[21]);
	scene_wait(&s, want);
	check_texts(&s, &truth, rows.at, 21);
	scene_keys(&s, "G");
	snprintf(want, sizeof want, " %zu / 400", rows.at[rows.count - 1]);
	scene_wait(&s, want);
	check_texts(&s, &truth, rows.at, rows.count - 21);
	scene_keys(&s, "10k20Z!");
	scene_wait(&s, "filters off");
	scene_keys(&s, "!g");
	scene_wait(&s, "row 1 of ");
	quit(&s);
	vec_free(&rows);
	free_truth(&truth);
}

/* Bytes are found, and stand out among those of the message. */
static void
test_search_bytes(void **state)
{
	(void)state;
	struct scene s;
	int marked = 0;
	open_demo(&s, 24, 80);
	scene_keys(&s, "x/\\x00 00 ?9 3f0?\r"); /* no place in the demo: 0x3f.. */
	scene_wait(&s, "no match found");
	/* the first three bytes of the second row in the dump of message 4 */
	scene_keys(&s, "4G");
	scene_wait(&s, " 00000080  ");
	const char *row = scene_row(&s, " 00000090  ");
	char keys[64], digits[16];
	assert_non_null(row);
	snprintf(digits, sizeof digits, "%.8s", row + 11);
	snprintf(keys, sizeof keys, "g/\\x%.2s ?%c %c?\r", digits, digits[4], digits[6]);
	scene_keys(&s, keys);
	scene_wait(&s, " 4 / 309, match 1 of ");
	for (int y = 0; y < 24; y++)
		for (int x = 11; x < 19; x++)
			marked += !strncmp(emulator_row(s.emulator, y), " 00000090  ", 11) &&
				  x % 3 != 1 && emulator_cell(s.emulator, y, x).underline;
	assert_int_equal(marked, 6);
	quit(&s);
}

/* What was searched for before the last time stands out still, in another way. */
static void
test_highlights(void **state)
{
	(void)state;
	struct scene s;
	open_demo(&s, 24, 80);
	scene_wait(&s, "boot rom  ");
	scene_keys(&s, "/rail VDD\r/VDD_CORE\r5G");
	scene_wait(&s, " 5 / 309, match 1 of ");
	const char *row = emulator_row(s.emulator, 7);
	int rail = (int)(strstr(row, "rail VDD_CORE") - row);
	assert_true(emulator_cell(s.emulator, 7, rail).coloured);
	assert_false(emulator_cell(s.emulator, 7, rail).underline);
	assert_true(emulator_cell(s.emulator, 7, rail + 5).underline);
	scene_keys(&s, "\033T");
	scene_wait(&s, "T:start");
	row = emulator_row(s.emulator, 7);
	rail = (int)(strstr(row, "rail VDD_CORE") - row);
	assert_false(emulator_cell(s.emulator, 7, rail).coloured);
	quit(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_list),
	    cmocka_unit_test(test_looks),
	    cmocka_unit_test(test_mono),
	    cmocka_unit_test(test_ascii),
	    cmocka_unit_test(test_panes),
	    cmocka_unit_test(test_field_bytes),
	    cmocka_unit_test(test_wide_screen),
	    cmocka_unit_test(test_small_screens),
	    cmocka_unit_test(test_resize),
	    cmocka_unit_test(test_triggers),
	    cmocka_unit_test(test_trigger_events),
	    cmocka_unit_test(test_search),
	    cmocka_unit_test(test_filters),
	    cmocka_unit_test(test_filtered_list),
	    cmocka_unit_test(test_scroll_bar),
	    cmocka_unit_test(test_filter_language),
	    cmocka_unit_test(test_complete_values),
	    cmocka_unit_test(test_go_to),
	    cmocka_unit_test(test_help),
	    cmocka_unit_test(test_help_search),
	    cmocka_unit_test(test_no_trace),
	    cmocka_unit_test(test_old_library),
	    cmocka_unit_test(test_unrecognised),
	    cmocka_unit_test(test_candidates),
	    cmocka_unit_test(test_foreign),
	    cmocka_unit_test(test_guessed),
	    cmocka_unit_test(test_signals),
	    cmocka_unit_test(test_pasted),
	    cmocka_unit_test(test_sequences),
	    cmocka_unit_test(test_bad_terminal),
	    cmocka_unit_test(test_keys),
	    cmocka_unit_test(test_merged),
	    cmocka_unit_test(test_cycles),
	    cmocka_unit_test(test_pause),
	    cmocka_unit_test(test_tie),
	    cmocka_unit_test(test_resyncs),
	    cmocka_unit_test(test_syncs),
	    cmocka_unit_test(test_filtered_traces),
	    cmocka_unit_test(test_idle),
	    cmocka_unit_test(test_idle_timeline),
	    cmocka_unit_test(test_example),
	    cmocka_unit_test(test_silence),
	    cmocka_unit_test(test_view),
	    cmocka_unit_test(test_marks),
	    cmocka_unit_test(test_kept),
	    cmocka_unit_test(test_kept_and_saved),
	    cmocka_unit_test(test_kept_of_other),
	    cmocka_unit_test(test_kept_badly),
	    cmocka_unit_test(test_kept_on_trial),
	    cmocka_unit_test(test_marks_of_all),
	    cmocka_unit_test(test_session),
	    cmocka_unit_test(test_contexts_of_all),
	    cmocka_unit_test(test_write),
	    cmocka_unit_test(test_write_all),
	    cmocka_unit_test(test_paths),
	    cmocka_unit_test(test_range),
	    cmocka_unit_test(test_settings),
	    cmocka_unit_test(test_source),
	    cmocka_unit_test(test_lacks),
	    cmocka_unit_test(test_colours),
	    cmocka_unit_test(test_gaps),
	    cmocka_unit_test(test_contexts),
	    cmocka_unit_test(test_timeline),
	    cmocka_unit_test(test_timeline_brush),
	    cmocka_unit_test(test_timeline_screens),
	    cmocka_unit_test(test_timeline_bytes),
	    cmocka_unit_test(test_timeline_links),
	    cmocka_unit_test(test_timeline_apart),
	    cmocka_unit_test(test_trace_colours),
	    cmocka_unit_test(test_timeline_contexts),
	    cmocka_unit_test(test_filter_list),
	    cmocka_unit_test(test_filter_session),
	    cmocka_unit_test(test_chooser_small),
	    cmocka_unit_test(test_origins),
	    cmocka_unit_test(test_origin_graphs),
	    cmocka_unit_test(test_no_feet),
	    cmocka_unit_test(test_unnamed),
	    cmocka_unit_test(test_field_filter),
	    cmocka_unit_test(test_preview),
	    cmocka_unit_test(test_surround),
	    cmocka_unit_test(test_search_bytes),
	    cmocka_unit_test(test_highlights),
	};
	cmocka_set_test_filter(getenv("TRAWL_TEST"));
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
