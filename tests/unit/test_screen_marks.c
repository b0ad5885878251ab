/*
 * Marks: their pane, and how they are saved or kept from one time to the next.
 */
#include "config.h"

#include "test.h"

#include "folder.h"
#include "scene.h"
#include "temp_file.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Marks have a pane, with a line each in the order of their places. */
static void
test_marks(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 100);
	scene_keys(s, "6Gma101Gmm9GAfirst bad\r");
	scene_keys(s, "\027m");
	scene_wait(s, "= marks  3");
	scene_wait(s, "\n a  6 ");
	scene_wait(s, "\n *  9           0.000251927 first bad "); /* of its truth */
	scene_wait(s, "\n *  101 ");
	int last = s->rows - 1;
	while (strncmp(emulator_row(s->emulator, last), " *  101", 7) != 0)
		last--;
	assert_memory_equal(emulator_row(s->emulator, last - 1), " *  9", 5);
	assert_memory_equal(emulator_row(s->emulator, last - 2), " a  6", 5);
	scene_keys(s, "G\r"); /* the last of them */
	scene_wait(s, " 101 of 309");
	scene_keys(s, "k:unmark\r");
	scene_wait(s, "= marks  2");
	scene_until(s, "first bad", false);
	scene_keys(s, "gA"); /* a note at the mark under the cursor */
	scene_wait(s, "\nnote:");
	scene_keys(s, "where it began\r");
	scene_wait_row(s, " a  6", "where it began");
	scene_keys(s, "A"); /* what is there is changed, Enter alone keeps it */
	scene_wait(s, "\nnote: where it began");
	scene_keys(s, "\rA again\r");
	scene_wait_row(s, " a  6", "where it began again");
	scene_keys(s, "\r"); /* the same at the message itself */
	scene_wait(s, " 6 of 309");
	scene_keys(s, "A\025changed\r");
	scene_wait_row(s, " a  6", "changed");
	scene_keys(s, "A\025\r");
	scene_until(s, "changed", false);
	scene_keys(s, "\017\017"); /* back, to where Enter was typed */
	scene_wait(s, " 9 of 309");
	scene_keys(s, "q");
	scene_until(s, "marks", false);
	scene_keys(s, "Q");
	scene_end(s);
	scene_close(s);
}

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
	testdata_path("demo.stp", &path);
	FILE *file = fopen(path.data, "r");
	file_read_all(file, &bytes);
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
keeper_again(struct keeper *k, struct scene *s, const char *option)
{
	struct text collateral = {0}, path = {0};
	testdata_path("demo.xml", &path);
	text_addf(&collateral, "--collateral=%s", path.data); /* no notice takes the last row */
	char *arguments[] = {getenv("TRAWL"), (char *)scene_numbered(), (char *)k->capture,
			     collateral.data, (char *)option,		NULL};
	scene_start(s, 24, 120, "xterm-256color", arguments);
	text_free(&collateral);
	text_free(&path);
}

static void
keeper_start(struct keeper *k, struct scene *s, const char *option)
{
	keeper_again(k, s, option);
	scene_wait(s, "power good, die ");
}

static void
keeper_grow(struct keeper *k)
{
	FILE *file = fopen(k->capture, "a");
	assert_non_null(file);
	assert_int_equal(fputc(0, file), 0);
	fclose(file);
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
keeper_mark(struct keeper *k, struct scene *s)
{
	keeper_start(k, s, NULL);
	scene_keys(s, "4Gma11GAcold\r");
	scene_wait_row(s, ">*     11", "");
	scene_quit(s);
	assert_int_equal(keeper_find(k), 1);
}

static void
test_kept(void **state)
{
	struct keeper k;
	struct scene *s = *state;
	struct stat before, after;
	keeper_open(&k);
	keeper_mark(&k, s);
	assert_int_equal(stat(k.state, &before), 0);
	keeper_start(&k, s, NULL);
	scene_wait_id(s, NOTICE_STATE_RESTORED, "position, 2 marks");
	scene_keys(s, "\027m");
	scene_wait(s, "\n a  4  ");
	scene_wait_row(s, " *  11 ", "cold");
	scene_quit(s); /* with nothing new */
	keeper_start(&k, s, "--no-state");
	scene_keys(s, "4G\027m");
	scene_wait(s, "marks  0");
	scene_keys(s, "mb");
	scene_wait(s, "marks  1");
	scene_quit(s);
	assert_int_equal(stat(k.state, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	keeper_start(&k, s, NULL); /* a signal is an end too */
	scene_wait_id(s, NOTICE_STATE_RESTORED, "position, 2 marks");
	scene_keys(s, "6Gmb");
	scene_wait_row(s, ">b      6", "");
	kill(s->child, SIGTERM);
	scene_end(s);
	scene_close(s);
	keeper_start(&k, s, NULL);
	scene_wait_id(s, NOTICE_STATE_RESTORED, "position, 3 marks");
	kill(s->child, SIGHUP);
	scene_end(s);
	scene_close(s);
	keeper_start(&k, s, NULL); /* until there is nothing left */
	scene_wait_id(s, NOTICE_STATE_RESTORED, "position, 3 marks");
	scene_keys(s, "4G:unmark\r6G:unmark\r11G:unmark\rg\027m");
	scene_wait(s, "marks  0");
	scene_quit(s);
	assert_int_equal(keeper_find(&k), 0);
	keeper_close(&k);
}

/* What is back is still said when the order of several traces is known, by which the place is
 * gone to once more. */
static void
test_kept_of_several(void **state)
{
	struct keeper k;
	struct text lab = {0};
	struct scene *s = *state;
	keeper_open(&k);
	testdata_path("lab.yaml", &lab);
	for (int i = 0; i < 2; i++) {
		char *arguments[] = {getenv("TRAWL"), lab.data, NULL};
		scene_start(s, 24, 100, "xterm-256color", arguments);
		scene_wait(s, "wall clock");
		if (!i)
			scene_keys(s, "311G");
		else
			scene_wait_id(s, NOTICE_STATE_RESTORED, "position");
		scene_wait_row(s, ">", "timeout: seq 70");
		scene_check_idle(s);
		if (i)
			scene_wait_id(s, NOTICE_STATE_RESTORED, "position");
		scene_quit(s);
	}
	text_free(&lab);
	keeper_close(&k);
}

/* Filters and the place come back too, for the same captures; said once, taken back by U. */
static void
test_kept_view(void **state)
{
	struct keeper k;
	struct scene *s = *state;
	keeper_open(&k);
	keeper_start(&k, s, NULL);
	scene_keys(s, ":severity error\r&text ~ /ecc/\r");
	scene_wait(s, "only ERROR+");
	scene_keys(s, "171G");
	scene_wait(s, " 171 of 309");
	scene_quit(s);
	assert_int_equal(keeper_find(&k), 1);
	keeper_again(&k, s, NULL);
	scene_wait(s, "only ERROR+ text ~ /ecc/");
	scene_wait_row(s, ">     171 ", "");
	scene_keys(s, ":messages\r");
	scene_wait_logged(s, NOTICE_STATE_RESTORED, "position, 2 filters");
	scene_keys(s, "qu");
	scene_until(s, "only ERROR+", false);
	scene_wait_id(s, NOTICE_UNDONE, NOTICE_FILTERS_CLEARED);
	scene_keys(s, "g");
	scene_wait(s, " 1 of 309");
	scene_quit(s); /* all is as usual: nothing is kept */
	assert_int_equal(keeper_find(&k), 0);
	keeper_start(&k, s, NULL);
	scene_keys(s, "6G");
	scene_wait(s, " 6 of 309");
	scene_quit(s);
	keeper_again(&k, s, "+9G"); /* who names a place goes there */
	scene_wait(s, " 9 of 309");
	scene_until_gone(s, NOTICE_STATE_RESTORED);
	scene_quit(s);
	keeper_again(&k, s, "--severity=error"); /* for this time only */
	scene_keys(s, ":messages\r");
	scene_wait_logged(s, NOTICE_STATE_RESTORED, "position");
	scene_quit(s);
	keeper_again(&k, s, NULL);
	scene_wait_row(s, ">     138 ", ""); /* the place of last time */
	scene_until(s, "only", false);
	scene_quit(s);
	keeper_close(&k);
}

/* What is saved is kept there; what comes after that is kept again. */
static void
test_kept_and_saved(void **state)
{
	struct keeper k;
	struct scene *s = *state;
	keeper_open(&k);
	keeper_mark(&k, s);
	keeper_start(&k, s, NULL);
	scene_keys(s, ":save\r");
	scene_wait_id(s, NOTICE_SAVED, "2");
	scene_quit(s); /* the place is saved nowhere else */
	assert_int_equal(keeper_find(&k), 1);
	keeper_start(&k, s, NULL);
	scene_wait_id(s, NOTICE_STATE_RESTORED, "position, 2 marks");
	scene_wait_row(s, ">*     11", "");
	scene_keys(s, "g:save\r");
	scene_wait_id(s, NOTICE_SAVED, "2");
	scene_quit(s);
	assert_int_equal(keeper_find(&k), 0);
	keeper_start(&k, s, NULL);
	scene_keys(s, "\027m");
	scene_wait(s, "marks  2");
	scene_until_gone(s, NOTICE_STATE_RESTORED);
	scene_keys(s, "q4G:unmark\r:view default\r");
	scene_wait(s, "view default");
	scene_quit(s);
	keeper_start(&k, s, NULL); /* less than was saved */
	scene_wait_id(s, NOTICE_STATE_RESTORED, "position, 1 mark");
	scene_quit(s);
	assert_int_equal(keeper_find(&k), 1);
	folder_put_text(&k.folder, "a.stp.session.yaml",
			"marks: [{trace: a.stp, offset: 0, letter: z}]\n"); /* newer */
	keeper_start(&k, s, NULL);
	scene_keys(s, "\027m");
	scene_wait_row(s, " z  1", "");
	scene_wait(s, "marks  1");
	scene_keys(s, "q:messages\r");
	scene_wait_logged(s, NOTICE_STATE_OLDER, NULL);
	scene_quit(s);
	keeper_close(&k);
}

/* A saved filter of the command line comes back with the place. A mark removed after :save does
 * not. */
static void
test_saved_with_place(void **state)
{
	struct keeper k;
	struct scene *s = *state;
	keeper_open(&k);
	keeper_again(&k, s, "--severity=error");
	scene_keys(s, "138Gma:save\r");
	scene_wait_id(s, NOTICE_SAVED, "1");
	scene_keys(s, ":unmark\r");
	scene_wait_row(s, ">     138 ", "");
	scene_quit(s);
	keeper_again(&k, s, NULL);
	scene_wait_id(s, NOTICE_STATE_RESTORED, "position, 1 filter");
	scene_wait_row(s, ">     138 ", "");
	scene_wait(s, "only ERROR+");
	scene_keys(s, ":messages\r");
	scene_until(s, "1 mark", false);
	scene_quit(s);
	keeper_close(&k);
}

/* A filter that no message passes is not restored, but u has it.  Also if the capture grew. */
static void
test_kept_blind(void **state)
{
	struct keeper k;
	struct scene *s = *state;
	keeper_open(&k);
	for (int grown = 0; grown < 2; grown++) {
		keeper_start(&k, s, NULL);
		scene_keys(s, "&no such text\r");
		scene_wait(s, "no message passes the filters");
		scene_quit(s);
		if (grown)
			keeper_grow(&k);
		keeper_start(&k, s, NULL);
		scene_wait_notice(s, NOTICE_STATE_BLIND, "u");
		scene_until(s, "only /no such text/", false);
		scene_keys(s, "u");
		scene_wait(s, "no message passes the filters");
		scene_wait(s, "only /no such text/");
		scene_keys(s, "&\r");
		scene_wait(s, "power good, die ");
		scene_quit(s);
	}
	keeper_start(&k, s, NULL);
	scene_keys(s, "&power good\r");
	scene_wait(s, "row 1 of ");
	scene_quit(s);
	keeper_start(&k, s, NULL);
	scene_wait(s, "only /power good/");
	scene_keys(s, "j");
	scene_wait(s, "only /power good/");
	scene_quit(s);
	keeper_close(&k);
}

/* The same of a log: no file gives names to its messages. */
static void
test_kept_blind_log(void **state)
{
	struct keeper k;
	struct scene *s = *state;
	keeper_open(&k);
	folder_put_text(&k.folder, "a.log", "<6>[    0.100000] one\n<3>[    0.200000] two\n");
	char *arguments[] = {getenv("TRAWL"), (char *)folder_path(&k.folder, "a.log"), NULL};
	scene_start(s, 24, 120, "xterm-256color", arguments);
	scene_wait(s, " two");
	scene_keys(s, "&no such text\r");
	scene_wait(s, "no message passes the filters");
	scene_quit(s);
	scene_start(s, 24, 120, "xterm-256color", arguments);
	scene_wait_notice(s, NOTICE_STATE_BLIND, "u");
	scene_wait(s, " two");
	scene_quit(s);
	keeper_close(&k);
}

/* Only a capture that is the same, or has grown, gets its marks. */
static void
test_kept_of_other(void **state)
{
	struct keeper k;
	struct scene *s = *state;
	char command[1200];
	keeper_open(&k);
	keeper_mark(&k, s);
	keeper_grow(&k);
	keeper_start(&k, s, NULL);
	scene_wait_id(s, NOTICE_STATE_RESTORED, "position, 2 marks");
	scene_quit(s);

	FILE *file = fopen(k.capture, "r+"); /* a byte of the last message is another */
	assert_non_null(file);
	assert_int_equal(fseek(file, -9, SEEK_END), 0);
	int byte = fgetc(file);
	assert_int_equal(fseek(file, -9, SEEK_END), 0);
	fputc(byte ^ 0x10, file);
	fclose(file);
	keeper_start(&k, s, NULL);
	scene_keys(s, "\027m");
	scene_wait(s, "marks  0");
	scene_keys(s, "q:messages\r");
	scene_wait_logged(s, NOTICE_STATE_OF_OTHER, NULL);
	scene_quit(s);

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
	keeper_start(&k, s, NULL); /* which is no message */
	scene_wait_notice(s, NOTICE_STATE_DROPPED, "1 mark");
	scene_keys(s, "\027m");
	scene_wait(s, "marks  1");
	scene_quit(s);
	keeper_close(&k);
}

/* Neither a file that is damaged nor a folder that cannot be written to is more than
 * a line. */
static void
test_kept_badly(void **state)
{
	struct keeper k;
	struct scene *s = *state;
	keeper_open(&k);
	keeper_mark(&k, s);
	static const char *const damage[] = {"marks: [", "captures: []\n", "", "\377\n",
					     "captures: [{size: 1, samples: x}]\nsession: 7\n"};
	for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
		FILE *file = fopen(k.state, "w");
		assert_non_null(file);
		fputs(damage[i], file);
		fclose(file);
		keeper_start(&k, s, NULL);
		scene_keys(s, "j:messages\r");
		scene_wait_logged(s, NOTICE_STATE_UNREADABLE, NULL);
		scene_quit(s);
	}
	setenv("XDG_STATE_HOME", "/dev/null", 1);
	keeper_start(&k, s, NULL);
	scene_keys(s, "maQ"); /* asked once */
	scene_wait_id(s, NOTICE_QUIT_UNSAVED, "/dev/null/trawl/");
	scene_keys(s, "jQ");
	scene_end(s);
	assert_int_equal(WEXITSTATUS(s->status), 0);
	const char *line = strstr(s->sent.data, "cannot write /dev/null/trawl/");
	assert_non_null(line);
	assert_non_null(strstr(line, ".yaml: Not a directory\r\n"));
	scene_close(s);
	keeper_close(&k);
}

/* Two instances set marks in the same capture: the file keeps those of both, and what one of them
 * removed is gone. */
static void
test_kept_by_two(void **state)
{
	struct keeper k;
	struct scene *s = *state, *other = s + 1;
	keeper_open(&k);
	keeper_mark(&k, s); /* a at 4, a bookmark at 11 */
	keeper_start(&k, s, NULL);
	keeper_start(&k, other, NULL);
	scene_wait_id(other, NOTICE_STATE_RESTORED, NULL);
	scene_keys(s, "6Gmb4G:unmark\r");
	scene_wait_row(s, ">       4", "");
	scene_keys(other, "8Gmb9Gmc");
	scene_wait_row(other, ">c      9", "");
	scene_quit(s);
	scene_quit(other);
	keeper_start(&k, s, NULL);
	scene_wait_id(s, NOTICE_STATE_RESTORED, "4 marks");
	scene_keys(s, "\027m");
	scene_wait_row(s, " *  6 ", ""); /* b, which the other gave to 8 */
	scene_wait_row(s, " b  8 ", "");
	scene_wait_row(s, " c  9 ", "");
	scene_wait_row(s, " *  11 ", "cold");
	assert_null(scene_row(s, " a  4"));
	scene_quit(s);
	keeper_close(&k);
}

/* A capture that is read as another format has other marks, and its own again after. */
static void
test_kept_on_trial(void **state)
{
	struct keeper k;
	struct scene *s = *state;
	keeper_open(&k);
	keeper_start(&k, s, NULL);
	scene_keys(s, "4Gma:format gem\r");
	scene_wait_id(s, NOTICE_TRIAL, "gem");
	scene_keys(s, "\027m");
	scene_wait(s, "marks  0");
	scene_keys(s, "q\033");
	scene_wait_id(s, NOTICE_STATE_RESTORED, "position, 1 mark");
	scene_quit(s);
	assert_int_equal(keeper_find(&k), 1);
	keeper_close(&k);
}

/* In the list of all traces marks and contexts tell its times and numbers, and
 * lead to messages within it.  Times are those of testdata/lab.truth.tsv. */
static void
test_marks_of_all(void **state)
{
	struct scene *s = *state;
	scene_open(s, 30, 120, "xterm-256color", "lab.yaml", scene_numbered(), NULL);
	scene_wait(s, " 10:06:40."); /* the clocks are known */
	scene_wait(s, " 1 of 531");
	scene_keys(s, "/seq 70 given up\r");
	scene_wait(s, " 311 of 531");
	scene_keys(s, "ma\027m");
	scene_wait(s, "= marks  1");
	scene_wait_row(s, " a  311 ", " 2025-11-21 10:06:40.234386371 timeout: seq 70");
	scene_keys(s, "=");
	scene_wait_row(s, " message  ", "311");
	scene_keys(s, "\x1b");
	scene_wait_row(s, ">a    311 ", " 10:06:40.234386371 ");
	scene_wait_at(s, 0, "  2025-11-21 UTC  "); /* the date is said once */
	scene_keys(s, "q/overlay 2: in\r");	   /* of another trace */
	scene_wait(s, " 317 of 531");
	scene_keys(s, "mb[m");
	scene_wait(s, " 311 of 531");
	scene_keys(s, "]m");
	scene_wait(s, " 317 of 531");
	scene_keys(s, "c");
	scene_wait_row(s, " overlay ", "night");
	scene_wait_row(s, " overlay ", " 10:06:40.234886739  #314   22.910 us ");
	scene_wait(s, "= context ");
	scene_keys(s, "g\r");
	scene_wait(s, " 314 of 531");
	scene_wait(s, " lab.yaml  5 traces  ");
	scene_wait_row(s, ">     314 ", " dsp ");
	scene_quit(s);
}

/* What is saved comes back; a file that is damaged does not keep from looking
 * at the capture. */
static void
test_session(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH], option[48];
	temp_make_text(path, ".yaml",
		       "marks: [{trace: elsewhere, offset: 7, note: \"a: \\\"b\\\"\"}]\n");
	snprintf(option, sizeof option, "--session=%s", path);
	scene_open(s, 24, 100, "xterm-256color", "demo.stp", option, NULL);
	scene_wait_notice(s, NOTICE_MARKS_ELSEWHERE, (size_t)1);
	scene_keys(s, "4Gmx:note reset: \"cold\" # 1\r:sev info\r:view default\r");
	scene_wait(s, "view default");
	scene_keys(s, ":sev warning\r&dma\r:save\r");
	scene_wait_id(s, NOTICE_SAVED, "2");
	scene_quit(s);

	scene_open(s, 24, 100, "xterm-256color", "demo.stp", option, NULL);
	scene_wait(s, "only WARNING+ /dma/");
	scene_keys(s, "\027m");
	scene_wait(s, "\n x  4  ");
	scene_wait(s, "reset: \"cold\" # 1");
	scene_keys(s, ":save\r");
	scene_wait_id(s, NOTICE_SAVED, "2"); /* the one elsewhere is still there */
	scene_keys(s, ":save /dev/null/no\r");
	scene_wait(s, "Not a directory");
	scene_quit(s);

	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("marks:\n  - {trace: board, offset: x}\n", file);
	fclose(file);
	scene_open(s, 24, 100, "xterm-256color", "demo.stp", option, NULL);
	scene_wait(s, ":2:28: marks[0].offset is \"x\"; expected a number");
	scene_keys(s, "j:messages\r");
	scene_wait(s, ":2:28: marks[0].offset");
	scene_keys(s, "q");
	scene_wait(s, " 2 of 309");
	scene_quit(s);
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_marks),	      scene_test(test_kept),
	    scene_test(test_kept_of_several), scene_test(test_kept_view),
	    scene_test(test_kept_and_saved),  scene_test(test_saved_with_place),
	    scene_test(test_kept_blind),      scene_test(test_kept_blind_log),
	    scene_test(test_kept_of_other),   scene_test(test_kept_by_two),
	    scene_test(test_kept_badly),      scene_test(test_kept_on_trial),
	    scene_test(test_marks_of_all),    scene_test(test_session),
	};
	return scene_run_group("screen: marks", tests);
}
