/*
 * What comes while one looks: :freeze keeps the list, :record writes what comes.
 */
#include "config.h"

#include "test.h"

#include "base/vec.h"
#include "folder.h"
#include "scene.h"
#include "temp_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct live_files {
	char folder[32], fifo[64], record[64];
	int to; /* the FIFO's end to be written */
};

static void
send_lines(const struct live_files *f, const char *lines)
{
	assert_int_equal(write(f->to, lines, strlen(lines)), strlen(lines));
}

static void
open_fifo(struct scene *s, struct live_files *f)
{
	strcpy(f->folder, "/tmp/trawl-live.XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->fifo, sizeof f->fifo, "%s/log", f->folder);
	snprintf(f->record, sizeof f->record, "%s/recorded", f->folder);
	assert_int_equal(mkfifo(f->fifo, 0600), 0);
	f->to = open(f->fifo, O_RDWR | O_CLOEXEC);
	assert_true(f->to >= 0);
	send_lines(f, "first line\nsecond line\nthird line\n");
	scene_open(s, 24, 80, "xterm-256color", f->fifo, "-f", "text", "-F", NULL);
	scene_wait(s, "second line");
}

static void
close_fifo(struct scene *s, struct live_files *f)
{
	scene_quit(s);
	close(f->to);
	unlink(f->fifo);
	unlink(f->record);
	rmdir(f->folder);
}

static void
test_freeze(void **state)
{
	struct scene *s = *state;
	struct live_files f;
	open_fifo(s, &f);
	scene_keys(s, ":freeze\r");
	scene_wait_at(s, 0, "frozen");
	send_lines(&f, "fourth line\nfifth line\n");
	scene_wait_at(s, 0, "frozen +23 B");
	scene_until(s, "fourth", false);
	scene_keys(s, "k"); /* one may look around */
	scene_check_idle(s);
	scene_until(s, "fourth", false);
	scene_keys(s, ":freeze\r");
	scene_wait(s, "fourth line");
	scene_until(s, "frozen", false);
	scene_wait_at(s, 0, "reading on, F follows");

	scene_keys(s, ":freeze\r");
	scene_wait_at(s, 0, "frozen");
	send_lines(&f, "sixth line\nseventh line\n");
	scene_wait_at(s, 0, "frozen +");
	scene_keys(s, "F"); /* goes to the end of what came */
	scene_wait(s, "sixth line");
	scene_until(s, "frozen", false);
	scene_wait_at(s, 0, " follow");
	scene_until(s, "follows", false);
	close_fifo(s, &f);
}

static void
check_recorded(const struct live_files *f, const char *want)
{
	struct text text = {0};
	FILE *file = fopen(f->record, "r");
	assert_non_null(file);
	file_read_all(file, &text);
	fclose(file);
	assert_string_equal(text_get(&text), want);
	text_free(&text);
}

static void
type_record(struct scene *s, const char *command, const struct live_files *f)
{
	scene_keys(s, command);
	scene_keys(s, f->record);
	scene_keys(s, "\r");
}

static void
test_record(void **state)
{
	struct scene *s = *state;
	struct live_files f;
	open_fifo(s, &f);
	scene_keys(s, ":record\r");
	scene_wait_notice(s, NOTICE_RECORD_WHERE);
	type_record(s, ":record ", &f);
	scene_wait_id(s, NOTICE_RECORDING, NULL);
	scene_wait_at(s, 0, "follow  recording");
	type_record(s, ":record ", &f);
	scene_wait_id(s, NOTICE_RECORD_RUNS, NULL);
	scene_keys(s, ":freeze\r"); /* which is of the list alone */
	scene_wait_at(s, 0, "frozen");
	send_lines(&f, "fourth line\n");
	scene_wait_at(s, 0, "frozen +12 B");
	scene_keys(s, ":record\r");
	scene_wait_id(s, NOTICE_RECORDED, "46");
	scene_until(s, "recording", false);
	send_lines(&f, "fifth line\n");
	check_recorded(&f, "first line\nsecond line\nthird line\nfourth line\n");

	type_record(s, ":record ", &f);
	scene_wait_id(s, NOTICE_RECORD_REFUSED, NULL);
	unlink(f.record);
	type_record(s, ":record ", &f);
	scene_wait_at(s, 0, "frozen +23 B  recording");
	close_fifo(s, &f);
}

/* A recording is whole if the program ends while it goes on. */
static void
test_quit(void **state)
{
	struct scene *s = *state;
	struct live_files f;
	open_fifo(s, &f);
	type_record(s, ":record ", &f);
	scene_wait_at(s, 0, "follow  recording");
	send_lines(&f, "fourth line\n");
	scene_wait(s, "fourth line");
	scene_quit(s);
	check_recorded(&f, "first line\nsecond line\nthird line\nfourth line\n");
	close(f.to);
	unlink(f.fifo);
	unlink(f.record);
	rmdir(f.folder);
}

static void
test_full_disk(void **state)
{
	struct scene *s = *state;
	struct live_files f;
	if (access("/dev/full", W_OK))
		skip();
	open_fifo(s, &f);
	scene_keys(s, ":record /dev/full\r");
	scene_wait_id(s, NOTICE_RECORD_FAILED, "No space left on device");
	close_fifo(s, &f);
}

static void
test_file(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, ":record /tmp/never\r");
	scene_wait_id(s, NOTICE_RECORD_IS_FILE, NULL);
	scene_quit(s);
}

static void
test_stop_when(void **state)
{
	struct scene *s = *state;
	struct live_files f;
	open_fifo(s, &f);
	scene_keys(s, ":stop-when\r");
	scene_wait_id(s, NOTICE_STOP_WHEN, NULL);
	scene_keys(s, ":stop-when text = (\r");
	scene_wait(s, "(column ");
	scene_keys(s, ":stop-when text ~ 's..th|second'\r"); /* one is there already */
	scene_wait_notice(s, NOTICE_STOP_SET, "text");
	send_lines(&f, "fourth line\nfifth line\n");
	scene_wait(s, "fifth line");
	send_lines(&f, "sixth line\nseventh line\n");
	scene_wait_at(s, 0, "frozen");
	scene_wait_row(s, ">", "sixth line");
	scene_wait_id(s, NOTICE_STOPPED, "text");
	send_lines(&f, "another sixth line\n");
	scene_wait_at(s, 0, "frozen +19 B");
	scene_keys(s, "F");
	scene_wait(s, "another sixth line"); /* it stops once */
	scene_until(s, "frozen", false);

	scene_keys(s, ":stop-when severity = fatal\r");
	scene_wait_id(s, NOTICE_STOP_SET, NULL);
	scene_keys(s, ":stop-when\r");
	scene_wait_notice(s, NOTICE_STOP_OFF);
	close_fifo(s, &f);
}

/* It stops though the list does not show the message, and says where that is. */
static void
test_stop_hidden(void **state)
{
	struct scene *s = *state;
	struct live_files f;
	open_fifo(s, &f);
	scene_keys(s, "&text ~ r\r");
	scene_until(s, "second line", false);
	scene_keys(s, ":stop-when text ~ fifth\r");
	scene_wait_notice(s, NOTICE_STOP_SET, "text");
	send_lines(&f, "fourth line\nfifth line\nsixth line\n");
	scene_wait_at(s, 0, "frozen");
	scene_wait_notice(s, NOTICE_STOPPED_HIDDEN, "", "5");
	scene_wait_row(s, ">", "fourth line"); /* the nearest row */
	close_fifo(s, &f);
}

/* Sends about so many million bytes in lines that begin with their numbers. */
static void
send_many(const struct live_files *f, unsigned *number, unsigned millions)
{
	enum { WIDTH = 100, LINES = 10000 };
	char *lines = mem_new(LINES * WIDTH + 1);
	for (unsigned m = 0; m < millions; m++) {
		for (unsigned i = 0; i < LINES; i++)
			snprintf(lines + i * WIDTH, WIDTH + 1, "number %-*u\n", WIDTH - 8,
				 (*number)++);
		for (size_t at = 0; at < LINES * WIDTH;) {
			ssize_t n = write(f->to, lines + at, LINES * WIDTH - at);
			assert_true(n > 0);
			at += (size_t)n;
		}
	}
	free(lines);
}

/* Of an endless stream the newest bytes are kept: the cursor goes to the first message that
 * stays, marks say that theirs went, and nothing goes while it is looked at frozen. */
static void
test_limit(void **state)
{
	struct scene *s = *state;
	struct live_files f = {.folder = "/tmp/trawl-live.XXXXXX"};
	unsigned number = 0;
	assert_non_null(mkdtemp(f.folder));
	snprintf(f.fifo, sizeof f.fifo, "%s/log", f.folder);
	assert_int_equal(mkfifo(f.fifo, 0600), 0);
	f.to = open(f.fifo, O_RDWR | O_CLOEXEC);
	assert_true(f.to >= 0);
	send_lines(&f, "first line\nsecond line\n");
	scene_open(s, 24, 132, "xterm-256color", f.fifo, "-f", "text", "--spool-limit=128M", NULL);
	scene_wait(s, "second line");
	scene_keys(s, "jma");
	send_many(&f, &number, 100);
	scene_wait_at(s, 0, "100.0 MB");
	scene_until(s, "dropped", false);
	send_many(&f, &number, 50);
	scene_wait_at(s, 0, "150.0 MB");
	scene_wait_at(s, 0, "[dropped 50.3 MB]");
	scene_wait(s, "50.3 MB dropped: --spool-limit keeps the newest 128.0 MB");
	scene_wait_id(s, NOTICE_CURSOR_DROPPED, NULL);
	scene_wait_row(s, ">", "50.3 MB dropped");
	scene_keys(s, "j");
	scene_until_gone(s, NOTICE_CURSOR_DROPPED);
	scene_keys(s, "'a");
	scene_wait_id(s, NOTICE_TARGET_DROPPED, NULL);
	scene_keys(s, "=");
	scene_wait(s, "503,319 messages dropped");
	scene_wait_row(s, " losses  ", " 1");
	scene_keys(s, "q");
	scene_keys(s, "G");
	scene_wait(s, "number 1499999");

	scene_keys(s, "\x1b:freeze\r");
	scene_wait_at(s, 0, "frozen");
	send_many(&f, &number, 20);
	scene_wait_at(s, 0, "frozen +20.0 MB");
	scene_wait(s, "number 1499999");
	scene_keys(s, ":freeze\r");
	scene_wait_at(s, 0, "[dropped 67.1 MB]");
	scene_quit(s);
	close(f.to);
	unlink(f.fifo);
	rmdir(f.folder);
}

/* That a file grew is not said any more once it is followed. */
static void
test_growth(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH];
	temp_make_text(path, ".log", "one\n");
	scene_open(s, 24, 80, "xterm-256color", path, NULL);
	scene_wait_at(s, 23, ": plain text, "); /* until the next key */
	FILE *file = fopen(path, "a");
	assert_non_null(file);
	assert_true(fputs("two\n", file) >= 0);
	fclose(file);
	scene_check_idle(s);
	scene_keys(s, "F");
	scene_wait_row(s, ">", "two");
	scene_wait_at(s, 0, " follow");
	scene_check_idle(s);
	scene_wait_at(s, 23, " 2 of 2");
	scene_keys(s, ":messages\r");
	scene_wait(s, "the capture grew by 4 B; R or F reads on");
	scene_quit(s);
	unlink(path);
}

/* A file that was cut to nothing, and has lines again, is read by R. */
static void
test_emptied(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH];
	temp_make_text(path, ".log", "one\n");
	scene_open(s, 24, 80, "xterm-256color", path, "--follow", NULL);
	scene_wait_at(s, 0, " follow");
	scene_keys(s, "F");
	scene_wait_id(s, NOTICE_FOLLOW_OFF, NULL);
	assert_int_equal(truncate(path, 0), 0);
	scene_wait(s, "the capture is empty; R reads it again");
	FILE *file = fopen(path, "a");
	assert_non_null(file);
	assert_true(fputs("two\n", file) >= 0);
	fclose(file);
	scene_keys(s, "R");
	scene_wait_row(s, ">", "two");
	scene_quit(s);
	unlink(path);
}

/* What passes a filter is counted to the end of a file that grows. */
static void
test_filtered(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH];
	temp_make_text(path, ".log",
		       "<6>[    0.100000] one\n<3>[    0.200000] two\n<3>[    0.300000] "
		       "three\n<6>[    0.400000] four\n");
	scene_open(s, 24, 80, "xterm-256color", path, NULL);
	scene_wait(s, "four");
	scene_keys(s, "F");
	scene_wait_at(s, 0, " follow");
	scene_keys(s, "&severity = error\r");
	scene_until(s, "four", false);
	FILE *file = fopen(path, "a");
	assert_non_null(file);
	assert_true(fputs("<3>[    0.500000] five\n<6>[    0.600000] six\n", file) >= 0);
	fclose(file);
	scene_wait_at(s, 23, " 5 of 6, 3 shown"); /* not at least 3 */
	scene_quit(s);
	unlink(path);
}

static void
copy_file(struct folder *folder, const char *name)
{
	struct text path = {0};
	char bytes[65536];
	testdata_path(name, &path);
	FILE *file = fopen(text_get(&path), "r");
	assert_non_null(file);
	folder_put(folder, name, bytes, fread(bytes, 1, sizeof bytes, file));
	fclose(file);
	text_free(&path);
}

/* A session that is followed from the start has its clocks, and keeps them where a capture grows:
 * all its captures are shorter than a cell, and the last cell of what grows is indexed no more. */
static void
test_session(void **state)
{
	static const char *const names[] = {"lab.yaml",	   "lab-soc.stp",  "lab-dsp.gem",
					    "lab-dsp.uia", "lab-cam.csel", "lab-hub.enc"};
	struct scene *s = *state;
	struct folder folder;
	folder_make(&folder);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		copy_file(&folder, names[i]);
	scene_open(s, 24, 100, "xterm-256color", folder_path(&folder, "lab.yaml"), "-F", NULL);
	scene_wait_at(s, 0, " wall clock");
	scene_wait_at(s, 0, " follow");
	scene_wait(s, " 531 of 531 ");
	FILE *file = fopen(folder_path(&folder, "lab-cam.csel"), "a");
	assert_non_null(file);
	fputs("damage", file);
	fclose(file);
	scene_wait(s, " of ~");
	scene_wait_at(s, 0, " wall clock");
	scene_keys(s, "g");
	scene_wait(s, "10:06:40.000000");
	assert_null(strstr(scene_screen(s), " 0.026"));
	scene_quit(s);
	folder_remove(&folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_freeze),	  scene_test(test_record),  scene_test(test_quit),
	    scene_test(test_full_disk),	  scene_test(test_file),    scene_test(test_stop_when),
	    scene_test(test_stop_hidden), scene_test(test_limit),   scene_test(test_growth),
	    scene_test(test_filtered),	  scene_test(test_session), scene_test(test_emptied),
	};
	return scene_run_group("screen_live", tests);
}
