/*
 * trawl is a child on a pseudo-terminal; libvterm keeps the screen it draws.  When
 * a screen is complete is read from /proc: the thread that draws sleeps, the program
 * has read all keys, and nothing is left to be read.
 */
#include "config.h"

#include "scene.h"

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	ARGUMENTS_MAX = 9,
	QUIET_MS = 700,
	BUSY_PART = 10,	  /* divides the time in which the program does not sleep */
	BREAK_US = 300000 /* the most that counts between two looks at the clock */
};

/* --- begin and end ----------------------------------------------------- */

void
scene_prepare_group(void)
{
	cmocka_set_test_filter(getenv("TRAWL_TEST"));
	setlocale(LC_CTYPE, "C.UTF-8");
}

int
scene_setup(void **state)
{
	*state = calloc(SCENES_MAX, sizeof(struct scene));
	return *state ? 0 : -1;
}

int
scene_teardown(void **state)
{
	struct scene *scenes = *state;
	for (int i = 0; i < SCENES_MAX; i++)
		scene_close(scenes + i);
	free(scenes);
	return 0;
}

/* The state of the program's first thread, which reads the keys and writes the screen: R while it
 * runs, D while it waits for a disk, S while it sleeps, or T or Z where it reads no more keys. */
static char
main_state(pid_t child)
{
	char path[32], line[256] = "";
	snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
	FILE *file = fopen(path, "r");
	if (!file)
		return 'Z';
	const char *state = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
	fclose(file);
	return state ? state[2] : 'Z';
}

/* Return how long the program had to answer.  It is not late while it waits for a processor or
 * for a disk, nor while this process does: on a busy machine that takes half a minute. */
static int64_t
waited_ms(struct scene *s)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000, passed = us - s->looked_us;
	s->looked_us = us;
	if (strchr("RD", main_state(s->child)))
		passed /= BUSY_PART;
	s->waited_us += passed < BREAK_US ? passed : BREAK_US;
	return s->waited_us / 1000;
}

static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

static void
run_child(struct scene *s, const char *term, char *const *arguments)
{
	setsid();
	ioctl(s->slave, TIOCSCTTY, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(s->slave, fd);
	setenv("TERM", term, 1);
	/* tests that run in the background may ignore some of these */
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		signal(deadly[i], SIG_DFL);
	execv(arguments[0], arguments);
	_exit(127);
}

void
testdata_path(const char *name, struct text *path)
{
	const char *srcdir = getenv("srcdir");
	if (*name != '/')
		text_addf(path, "%s/testdata/", srcdir ? srcdir : ".");
	text_add(path, name);
}

void
scene_start(struct scene *s, int rows, int cols, const char *term, char *const *arguments)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
	if (!arguments[0])
		skip();
	assert_null(s->emulator);
	*s = (struct scene){.rows = rows, .cols = cols};
	assert_int_equal(openpty(&s->master, &s->slave, NULL, NULL, &size), 0);
	fcntl(s->master, F_SETFD, FD_CLOEXEC); /* its close hangs up on the program */
	fcntl(s->slave, F_SETFD, FD_CLOEXEC);
	tcgetattr(s->slave, &s->modes);
	s->emulator = emulator_new(rows, cols);
	s->child = fork();
	if (!s->child)
		run_child(s, term, arguments);
}

void
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
	testdata_path(name, &path);
	arguments[count] = path.data;
	scene_start(s, rows, cols, term, arguments);
	text_free(&path);
}

const char *
scene_numbered(void)
{
	static char option[512];
	const char *srcdir = getenv("srcdir");
	snprintf(option, sizeof option, "--view=%s/tests/unit/numbered.yaml",
		 srcdir ? srcdir : ".");
	return option;
}

void
scene_open_demo(struct scene *s, int rows, int cols)
{
	scene_open(s, rows, cols, "xterm-256color", "demo.stp", NULL);
	if (rows > 1)
		scene_wait(s, "1 of 309");
}

void
scene_open_made(struct scene *s, const char *path, const char *end)
{
	scene_open(s, 24, 100, "xterm-256color", path, NULL);
	scene_wait_id(s, NOTICE_NO_COLLATERAL, NULL);
	scene_keys(s, "g");
	scene_wait(s, end);
}

void
scene_end(struct scene *s)
{
	int64_t deadline = waited_ms(s) + SCENE_DEADLINE_MS;
	while (waitpid(s->child, &s->status, WNOHANG) == 0) {
		if (waited_ms(s) > deadline) {
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

void
scene_close(struct scene *s)
{
	if (!s->emulator)
		return;
	if (s->child) {
		kill(s->child, SIGKILL);
		waitpid(s->child, NULL, 0);
	}
	close(s->master);
	close(s->slave);
	emulator_free(s->emulator);
	text_free(&s->sent);
	text_free(&s->screen);
	*s = (struct scene){0};
}

void
scene_check_restored(struct scene *s)
{
	struct termios modes;
	tcgetattr(s->slave, &modes);
	assert_int_equal(modes.c_lflag, s->modes.c_lflag);
	assert_int_equal(modes.c_iflag, s->modes.c_iflag);
	assert_int_equal(modes.c_oflag, s->modes.c_oflag);
	assert_non_null(strstr(s->sent.data, "\033[?1049l")); /* the shell's screen */
	const char *hidden = s->sent.data;
	for (const char *next; (next = strstr(hidden + 1, "\033[?25l"));)
		hidden = next;
	assert_non_null(strstr(hidden, "\033[?25h")); /* the cursor, shown last */
}

void
scene_quit(struct scene *s)
{
	scene_keys(s, "Q");
	scene_end(s);
	assert_true(WIFEXITED(s->status));
	assert_int_equal(WEXITSTATUS(s->status), 0);
	scene_check_restored(s);
	scene_close(s);
}

/* --- keys, and what the screen shows ----------------------------------- */

void
scene_keys(struct scene *s, const char *keys)
{
	assert_int_equal(write(s->master, keys, strlen(keys)), strlen(keys));
}

bool
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

const char *
scene_screen(struct scene *s)
{
	text_clear(&s->screen);
	emulator_screen(s->emulator, &s->screen);
	return text_get(&s->screen);
}

const char *
scene_row(struct scene *s, const char *start)
{
	for (int row = 0; row < s->rows; row++) {
		const char *text = emulator_row(s->emulator, row);
		if (!strncmp(text, start, strlen(start)))
			return text;
	}
	return NULL;
}

bool
scene_has_colours(struct scene *s)
{
	bool any = false;
	for (int row = 0; row < s->rows; row++)
		for (int col = 0; col < s->cols; col++)
			any |= emulator_cell(s->emulator, row, col).coloured;
	return any;
}

/* Prints where the program hangs: keys that it did not read, and whether one more key helps. */
static void
print_rest(struct scene *s)
{
	int keys = -1;
	size_t before = s->sent.length;
	if (!s->child)
		return;
	ioctl(s->slave, FIONREAD, &keys);
	print_error("%d bytes typed are not read, state %c; ", keys, main_state(s->child));
	scene_keys(s, "\f");
	for (int64_t end = waited_ms(s) + 1000; waited_ms(s) < end;)
		scene_read(s, 50);
	print_error("Ctrl-L: %zu bytes sent\n", s->sent.length - before);
	for (int row = 0; row < s->rows && s->sent.length > before; row++)
		print_error("%s\n", emulator_row(s->emulator, row));
}

_Noreturn void
scene_fail(struct scene *s, const char *form, ...)
{
	char why[256];
	va_list arguments;
	va_start(arguments, form);
	vsnprintf(why, sizeof why, form, arguments);
	va_end(arguments);
	for (int row = 0; row < s->rows; row++)
		print_error("%s\n", emulator_row(s->emulator, row));
	print_rest(s);
	fail_msg("%s", why);
	abort();
}

/* That keys were typed that nobody has read.  To poll the terminal also passes on what was written
 * to its other end. */
static bool
has_keys_left(struct scene *s)
{
	struct pollfd keys = {.fd = s->slave, .events = POLLIN};
	return poll(&keys, 1, 0) > 0;
}

static bool
has_come_to_rest(struct scene *s)
{
	bool keys = has_keys_left(s);
	char state = main_state(s->child);
	return state == 'T' || state == 'Z' || (state != 'R' && !keys);
}

/* Reads until no more comes: a screen comes in pieces, its title first. */
static void
scene_settle(struct scene *s, int64_t deadline)
{
	struct pollfd file = {.fd = s->master, .events = POLLIN};
	for (;;) {
		bool asleep = has_come_to_rest(s);
		if (poll(&file, 1, asleep ? 0 : 1) > 0) {
			if (!scene_read(s, 0))
				return;
		} else if (asleep || waited_ms(s) > deadline) {
			return;
		}
	}
}

bool
scene_has_ended(const struct scene *s)
{
	siginfo_t info = {0};
	return !s->child ||
	       (waitid(P_PID, (id_t)s->child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		info.si_pid != 0);
}

bool
scene_awaits(struct scene *s, bool (*holds)(struct scene *, const struct sought *),
	     const struct sought *sought)
{
	int64_t deadline = waited_ms(s) + SCENE_DEADLINE_MS;
	while (waited_ms(s) <= deadline) {
		if (holds(s, sought)) {
			scene_settle(s, deadline);
			if (holds(s, sought))
				return true;
		}
		bool ended = scene_has_ended(s);
		size_t before = s->sent.length;
		scene_read(s, 100);
		if (ended && s->sent.length == before)
			break; /* no more will come */
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

void
scene_until(struct scene *s, const char *text, bool wanted)
{
	if (!scene_awaits(s, wanted ? has_text : lacks_text, &(struct sought){.text = text}))
		scene_fail(s, "%s \"%s\" on the screen", wanted ? "no" : "still", text);
}

void
scene_wait(struct scene *s, const char *text)
{
	scene_until(s, text, true);
}

/* Return the end of the notice that ROW begins with, or NULL.  Each literal piece of the format
 * must follow the one before it.  Pieces that NOTICE_CUT hides are left out. */
static const char *
match_notice(const char *row, const char *format)
{
	const char *at = row, *cut = strstr(row, NOTICE_CUT);
	for (bool first = true; *format; first = false) {
		char piece[256];
		size_t length = 0;
		for (; *format && (*format != '%' || format[1] == '%');
		     format += 1 + (*format == '%'))
			piece[length++] = *format;
		piece[length] = '\0';
		format += *format == '%';
		format += strcspn(format, "cdusx%");
		format += *format != '\0';
		const char *found = first && strncmp(at, piece, length) ? NULL : strstr(at, piece);
		if (!found && cut && at <= cut) {
			size_t left = (size_t)(cut - at);
			return !first || !strncmp(at, piece, left) ? cut : NULL;
		}
		if (!found)
			return NULL;
		at = found + length;
	}
	return at;
}

/* Return the notice in the last row, or NULL while that row shows something else. */
static const char *
last_row(struct scene *s)
{
	const char *row = emulator_row(s->emulator, s->rows - 1);
	return *row == ' ' ? row + 1 : NULL;
}

static bool
shows_notice(struct scene *s, const struct sought *sought)
{
	const char *row = last_row(s);
	return row && match_notice(row, sought->start) &&
	       (!sought->text || strstr(row, sought->text));
}

static bool
lacks_notice(struct scene *s, const struct sought *sought)
{
	return !shows_notice(s, sought);
}

/* The rows that a notice of the log goes on in are joined to its first. */
static bool
logs_notice(struct scene *s, const struct sought *sought)
{
	bool found = false;
	struct text whole = {0};
	for (int i = 0; i < s->rows && !found; i++) {
		const char *row = emulator_row(s->emulator, i);
		text_clear(&whole);
		text_add(&whole, row + strspn(row, " !"));
		while (i + 1 < s->rows && !strncmp(emulator_row(s->emulator, i + 1), "  ", 2))
			text_add(&whole, emulator_row(s->emulator, ++i) + 1);
		row = text_get(&whole);
		found = match_notice(row, sought->start) &&
			(!sought->text || strstr(row, sought->text));
	}
	text_free(&whole);
	return found;
}

/* That the last row is the text, or its beginning and NOTICE_CUT. */
static bool
shows_text(struct scene *s, const struct sought *sought)
{
	const char *row = last_row(s);
	const char *cut = row ? strstr(row, NOTICE_CUT) : NULL;
	size_t length = cut && (size_t)(cut - row) < strlen(sought->text) ? (size_t)(cut - row)
									  : strlen(sought->text);
	return row && length && !strncmp(row, sought->text, length);
}

void
scene_wait_notice(struct scene *s, const char *notice, ...)
{
	struct text text = {0};
	va_list args;
	va_start(args, notice);
	text_addv(&text, notice, args);
	va_end(args);
	if (!scene_awaits(s, shows_text, &(struct sought){.text = text_get(&text)}))
		scene_fail(s, "no notice \"%s\"", text_get(&text));
	text_free(&text);
}

void
scene_wait_id(struct scene *s, const char *notice, const char *part)
{
	if (!scene_awaits(s, shows_notice, &(struct sought){.start = notice, .text = part}))
		scene_fail(s, "no notice \"%s\" with \"%s\"", notice, part ? part : "");
}

void
scene_until_gone(struct scene *s, const char *notice)
{
	if (!scene_awaits(s, lacks_notice, &(struct sought){.start = notice}))
		scene_fail(s, "still a notice \"%s\"", notice);
}

void
scene_wait_logged(struct scene *s, const char *notice, const char *part)
{
	if (!scene_awaits(s, logs_notice, &(struct sought){.start = notice, .text = part}))
		scene_fail(s, "no notice \"%s\" with \"%s\" in the log", notice, part ? part : "");
}

static bool
row_has_text(struct scene *s, const struct sought *sought)
{
	return strstr(emulator_row(s->emulator, sought->row), sought->text) != NULL;
}

void
scene_wait_at(struct scene *s, int row, const char *text)
{
	if (!scene_awaits(s, row_has_text, &(struct sought){.row = row, .text = text}))
		scene_fail(s, "no \"%s\" in row %d", text, row);
}

/* That the row that starts so has the text behind its first SKIP bytes. */
static bool
started_row_has_text(struct scene *s, const struct sought *sought)
{
	const char *row = scene_row(s, sought->start);
	return row && strstr(row + sought->skip, sought->text);
}

void
scene_wait_row(struct scene *s, const char *start, const char *text)
{
	if (!scene_awaits(s, started_row_has_text, &(struct sought){.start = start, .text = text}))
		scene_fail(s, "no \"%s\" in a row \"%s\"", text, start);
}

void
scene_wait_count(struct scene *s, const char *start, size_t count)
{
	char want[32];
	snprintf(want, sizeof want, " %zu ", count);
	if (!scene_awaits(s, started_row_has_text,
			  &(struct sought){.start = start, .skip = strlen(start), .text = want}))
		scene_fail(s, "no \"%s\" with %zu on the screen", start, count);
}

/* What the threads of the program do: each sleeps until an event, or one runs, or one has a time
 * limit or does not tell. */
enum rest { REST_FULL, REST_NONE, REST_LIMITED };

/* Tell from /proc/PID/syscall of a thread how it waits. */
static enum rest
rest_of_thread(const char *call)
{
	long number;
	unsigned long long arguments[4];
	if (!strncmp(call, "running", 7) || !strncmp(call, "-1 ", 3))
		return REST_NONE;
	if (sscanf(call, "%ld %llx %llx %llx %llx", &number, arguments, arguments + 1,
		   arguments + 2, arguments + 3) != 5)
		return REST_LIMITED;
#ifdef SYS_poll
	if (number == SYS_poll)
		return (int)arguments[2] < 0 ? REST_FULL : REST_LIMITED;
#endif
#ifdef SYS_ppoll
	if (number == SYS_ppoll)
		return arguments[2] ? REST_LIMITED : REST_FULL;
#endif
#ifdef SYS_futex
	if (number == SYS_futex)
		return arguments[3] ? REST_LIMITED : REST_FULL;
#endif
	return REST_LIMITED;
}

/* Read the first line of a thread's file in /proc that starts so; an empty one if there is none. */
static void
read_of_task(pid_t child, const char *task, const char *name, const char *start, char line[256])
{
	char path[320];
	snprintf(path, sizeof path, "/proc/%d/task/%s/%s", (int)child, task, name);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, 256, file))
		if (!strncmp(line, start, strlen(start))) {
			fclose(file);
			return;
		}
	*line = '\0';
	if (file)
		fclose(file);
}

/* Return how all threads wait, and how often they have been woken. */
static enum rest
look_at_threads(pid_t child, unsigned long *wakes)
{
	static const char start[] = "voluntary_ctxt_switches:";
	char path[32], line[256];
	enum rest rest = REST_FULL;
	snprintf(path, sizeof path, "/proc/%d/task", (int)child);
	DIR *tasks = opendir(path);
	assert_non_null(tasks);
	*wakes = 0;
	for (struct dirent *task; (task = readdir(tasks));) {
		if (*task->d_name == '.')
			continue;
		read_of_task(child, task->d_name, "status", start, line);
		if (*line)
			*wakes += strtoul(line + sizeof start - 1, NULL, 10);
		read_of_task(child, task->d_name, "syscall", "", line);
		enum rest own = rest_of_thread(line);
		if (rest == REST_FULL || own == REST_NONE)
			rest = own;
	}
	closedir(tasks);
	return rest;
}

/*
 * A thread that waits without a time limit wakes when another one or a file wakes it.  If all
 * wait so, none woke since the look before, and no key or output is on its way, nothing more
 * happens.  Where a wait has a limit, as before the next try to open a port, or a thread does
 * not tell, none may wake for a while.
 */
void
scene_check_idle(struct scene *s)
{
	struct pollfd file = {.fd = s->master, .events = POLLIN};
	int64_t since = waited_ms(s), deadline = since + SCENE_DEADLINE_MS;
	unsigned long wakes, before = 0;
	while (waited_ms(s) <= deadline) {
		scene_settle(s, deadline);
		enum rest rest = look_at_threads(s->child, &wakes);
		if (rest == REST_NONE || wakes != before)
			since = waited_ms(s);
		before = wakes;
		if (has_keys_left(s) || poll(&file, 1, rest == REST_FULL ? 0 : 10))
			since = waited_ms(s);
		else if (rest == REST_FULL
			     ? look_at_threads(s->child, &wakes) == rest && wakes == before
			     : waited_ms(s) - since >= QUIET_MS)
			return;
	}
	scene_fail(s, "the program does not come to rest");
}

/* --- files and batch output -------------------------------------------- */

void
file_read_all(FILE *file, struct text *out)
{
	char bytes[4096];
	size_t length;
	assert_non_null(file);
	while ((length = fread(bytes, 1, sizeof bytes, file)))
		text_add_bytes(out, bytes, length);
}

void
batch_print_of(const char *name, const char *arguments, struct text *out)
{
	struct text command = {0}, path = {0};
	testdata_path(name, &path);
	text_addf(&command, "'%s' %s '%s'", getenv("TRAWL"), arguments, path.data);
	FILE *pipe = popen(command.data, "r");
	file_read_all(pipe, out);
	pclose(pipe);
	text_free(&command);
	text_free(&path);
}

void
batch_print(const char *arguments, struct text *out)
{
	batch_print_of("demo.stp", arguments, out);
}
