/*
 * The list on a screen: rows, the cursor, columns and times, the ways to go somewhere.
 */
#include "config.h"

#include "test.h"

#include "folder.h"
#include "scene.h"
#include "shares.h"
#include "temp_file.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
test_list(void **state)
{
	struct scene *s = *state;
	struct truth truth;
	truth_read(&truth, "demo.truth.tsv");
	scene_open_demo(s, 24, 80);
	scene_wait(s, "boot rom "); /* names are there */
	assert_non_null(strstr(emulator_row(s->emulator, 0), "board"));
	assert_non_null(strstr(emulator_row(s->emulator, 0), "syst/stp"));
	for (int row = 2; row < 23; row++)
		truth_check_row(emulator_row(s->emulator, row), &truth, (size_t)row - 2);
	assert_int_equal(emulator_cell(s->emulator, 2, 0).code, '>');

	scene_keys(s, " "); /* a page: the next rows, none left out */
	scene_wait(s, "22 of 309");
	scene_wait(s, "mailbox 2 open to dsp"); /* the collateral is too */
	for (int row = 2; row < 23; row++)
		truth_check_row(emulator_row(s->emulator, row), &truth, (size_t)row - 2 + 21);

	scene_keys(s, "G");
	scene_wait(s, "309 of 309");
	for (int row = 2; row < 23; row++)
		truth_check_row(emulator_row(s->emulator, row), &truth, /* it tells less of a gap */
				truth.rows[TEXT].count - 21 + (size_t)row - 2);
	scene_keys(s, "101Gjjjk"); /* keys that come together */
	scene_wait(s, "103 of 309");
	truth_check_row(scene_row(s, ">"), &truth, 102);
	scene_keys(s, "0\033[B\033[A"); /* arrows */
	scene_keys(s, "\033[5~");
	scene_wait(s, "82 of 309");
	scene_quit(s);
	truth_free(&truth);
}

/* Several traces: one column says who, errors and bulk are of one look, and where there is
 * little room the origin goes first, then the time. */
static void
test_columns(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40."); /* the clocks are known */
	scene_keys(s, "311G");
	scene_wait_at(s, 0,
		      " lab.yaml  5 traces  11.4 kB  2025-11-21 UTC  wall clock \u00b123 ns ");
	scene_wait_at(s, 0, " F1 help");
	scene_wait_row(s, "> 10:06:40.234386 E soc mailbox ", "timeout: seq 70 given up");
	scene_wait_row(s, "  10:06:40.234886 I dsp         ", "User data"); /* one origin */
	scene_wait_row(s, " 311 of 531  +40.815 us   soc 0x6dd ", " F 1  E 5  W 6  ~2");
	int row = 0;
	while (emulator_cell(s->emulator, row, 0).code != '>')
		row++;
	for (int col = 0; col < 80; col++) /* all of the row, in the colour of an error */
		assert_true(emulator_cell(s->emulator, row, col).reverse);
	assert_int_equal(emulator_cell(s->emulator, row, 18).fg, 1);
	assert_int_equal(emulator_cell(s->emulator, row, 40).fg, 1);
	scene_keys(s, ":set cursor=block\r");
	scene_wait(s, "cursor=block");
	assert_true(emulator_cell(s->emulator, row, 18).reverse); /* the letter, and no more */
	assert_int_equal(emulator_cell(s->emulator, row, 18).fg, 1);
	assert_false(emulator_cell(s->emulator, row, 19).reverse);
	for (int col = 20; col < 30; col++)
		if (emulator_cell(s->emulator, row, col).code != ' ')
			assert_int_equal(emulator_cell(s->emulator, row, col).fg, 1);
	scene_keys(s, "j"); /* a flag is of the block */
	scene_wait_row(s, ">?", " hub hart 0 ");
	assert_true(emulator_cell(s->emulator, row + 1, 1).reverse);
	scene_keys(s, "2k");
	scene_wait(s, " 310 of 531 ");
	assert_int_equal(emulator_cell(s->emulator, row, 18).fg, 1);
	assert_true(emulator_cell(s->emulator, row, 18).bold);
	assert_false(emulator_cell(s->emulator, row, 20).bold);
	scene_quit(s);
	scene_open(s, 24, 40, "xterm", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, "311G");
	scene_wait_row(s, "> 10:06:40.234386 E timeout: seq 70 giv>", "");
	scene_quit(s);
	scene_open(s, 10, 24, "xterm", "lab.yaml", NULL);
	scene_wait(s, "F 1");
	scene_keys(s, "311G");
	scene_wait_row(s, "> E timeout: seq 70 giv>", "");
	scene_quit(s);
	scene_open(s, 24, 120, "xterm", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, "311G"); /* all digits, and the time since the row above */
	scene_wait_row(s, "> 10:06:40.234386371   +40.815 us E soc mailbox ", "");
	scene_quit(s);
}

/* A row that is cut shows all of its text below itself, until the cursor goes on; and rows
 * scroll to the end of the one under the cursor and back. */
static void
test_open_row(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, "314G");
	scene_wait_row(s, "> 10:06:40.234886 I dsp         User data=0x80020002 seq", ">");
	int row = 0;
	while (emulator_cell(s->emulator, row, 0).code != '>')
		row++;
	scene_keys(s, "r");
	scene_wait_at(s, row + 1, "   0x80020001 to 0x80020002");
	assert_int_equal(emulator_cell(s->emulator, row + 1, 2).code, ' ');
	scene_wait_at(s, row + 2, " I log ");
	assert_int_not_equal(emulator_cell(s->emulator, row, 79).code, '>');
	scene_keys(s, "j");
	scene_wait(s, " 315 of 531");
	scene_wait_at(s, row + 1, " I log ");
	scene_keys(s, "kGr"); /* at the end those above go up */
	scene_wait(s, " 531 of 531");
	scene_keys(s, "314Grr");
	scene_wait(s, " 314 of 531");
	scene_until(s, "  0x80020001 to 0x80020002\n", false);
	scene_keys(s, "kr"); /* nothing of it is hidden */
	scene_wait_notice(s, NOTICE_ROW_SHOWN_WHOLE, "p");
	scene_keys(s, "j$");
	scene_wait_row(s, "> 10:06:40.234886 I dsp ", "to 0x80020002");
	scene_keys(s, "k");
	scene_wait_at(s, 23, " 313 of 531");
	scene_keys(s, "$");
	scene_wait_row(s, "> 10:06:40.234886 I dsp ", "first word");
	scene_wait_notice(s, NOTICE_ROW_SHOWN_WHOLE, "p");
	scene_keys(s, "j$");
	scene_wait_row(s, "> 10:06:40.234886 I dsp ", "to 0x80020002");
	scene_keys(s, "^");
	scene_wait_row(s, "> 10:06:40.234886 I dsp ", " User data=");
	scene_quit(s);
}

/* Rows that are scrolled sideways are marked, and how they come back is said once; from
 * another pane they do not scroll. */
static void
test_sideways(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, "314G");
	scene_wait_row(s, "> 10:06:40.234886 I dsp         User data=0x80020002 seq", ">");
	scene_keys(s, "l");
	scene_wait_row(s, "> 10:06:40.234886 I dsp         <=0x80020002 seq", ">");
	scene_wait_notice(s, NOTICE_ROWS_SCROLLED, "0");
	scene_keys(s, "9h");
	scene_wait_row(s, "> 10:06:40.234886 I dsp         User data=", ">");
	scene_keys(s, "3l"); /* short rows begin further left as a whole */
	scene_wait_row(s, "  10:06:40.234886 I dsp ", " <t word");
	scene_wait_at(s, 23, " 314 of 531");
	scene_keys(s, "^x\033\t");
	scene_wait(s, "= bytes 0x");
	scene_keys(s, "l");
	scene_wait_notice(s, NOTICE_ROWS_SCROLL_IN_LIST, "Tab");
	scene_wait_row(s, "> 10:06:40.234886 I dsp         User data=", ">");
	scene_quit(s);
}

/* A message that may differ from the one that was sent has a flag. */
static void
test_suspect(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "damaged-stp.stp", NULL);
	scene_wait(s, "1 of ");
	scene_keys(s, "68G");
	scene_wait(s, " 68 of ");
	scene_wait(s, "\n>%");
	scene_quit(s);
}

/* Before the index of a large capture has begun, the number of messages is estimated by size. */
static void
test_early_total(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH];
	struct text lines = {0};
	for (int i = 0; i < 200000; i++)
		text_add(&lines, "[    1.000000] hello world\n");
	temp_make_text(path, ".txt", text_get(&lines));
	scene_open(s, 24, 80, "xterm-256color", path, "--no-cache", NULL);
	scene_wait(s, " 1 of 200,000 ");
	assert_null(strstr(s->sent.data, " 1 of ~1\033"));
	assert_null(strstr(s->sent.data, " 1 of ~1 "));
	scene_quit(s);
	unlink(path);
	text_free(&lines);
}

/* Columns never become narrower while one pages: the text does not move to the left. */
static void
test_steady_columns(void **state)
{
	struct scene *s = *state;
	int before = 0;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40.");
	scene_wait(s, " of 531");
	for (int i = 0; i < 8; i++) {
		char wanted[32];
		int to = i % 4 * 120 + 24;
		snprintf(wanted, sizeof wanted, "%dG", to);
		scene_keys(s, wanted);
		snprintf(wanted, sizeof wanted, " %d of 531", to);
		scene_wait(s, wanted);
		const char *head = emulator_row(s->emulator, 1);
		int at = (int)(strstr(head, " text") - head);
		assert_true(at >= before);
		before = at;
	}
	scene_quit(s);
}

/* What no row has is no column: there is no time here, and no origin. */
static void
test_empty_columns(void **state)
{
	static const char hex[] = "SYS-T RAW DATA: 20100000\nSYS-T RAW DATA: 20100000\n";
	struct scene *s = *state;
	char path[TEMP_PATH];
	temp_make_text(path, ".txt", hex);
	scene_open(s, 24, 80, "xterm-256color", path, NULL);
	scene_wait(s, " 1 of 2");
	scene_wait_at(s, 1, "  S ");
	assert_null(strstr(emulator_row(s->emulator, 1), "time"));
	scene_quit(s);
	unlink(path);
}

/* `:set` lists the settings that it can change, so neither columns nor rules. */
static void
test_settings(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 40, 80);
	scene_keys(s, ":set\r");
	scene_wait(s, "\n order ");
	scene_wait(s, "\n filter ");
	assert_null(strstr(scene_screen(s), "\n columns"));
	assert_null(strstr(scene_screen(s), "\n rules"));
	scene_quit(s);
}

/* The current row is reversed, and no other. */
static void
test_looks(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "5G");
	scene_wait(s, "5 of 309");
	assert_true(emulator_cell(s->emulator, 6, 0).reverse);
	assert_true(emulator_cell(s->emulator, 6, 5).reverse);
	assert_true(emulator_cell(s->emulator, 6, 11).reverse);
	assert_true(emulator_cell(s->emulator, 6, 79).reverse);
	assert_false(emulator_cell(s->emulator, 5, 5).reverse);
	scene_quit(s);
}

/* A bad checksum is a gap, though only a look at the whole message tells. */
static void
test_gaps(void **state)
{
	static const uint8_t good[] = {0x32, 0x26, 0x01, 0x01, 0x0c, 0x00, 0x48, 0x65,
				       0x6c, 0x6c, 0x6f, 0x20, 0x77, 0x6f, 0x72, 0x6c,
				       0x64, 0x21, 0xd3, 0x06, 0xb8, 0xea};
	char path[] = "/tmp/test_screen.XXXXXX";
	struct scene *s = *state;
	int file = mkstemp(path);
	assert_true(file >= 0);
	for (int i = 0; i < 9; i++) {
		uint8_t bytes[sizeof good];
		memcpy(bytes, good, sizeof good);
		bytes[sizeof good - 1] ^= (uint8_t)(i == 5);
		assert_int_equal(write(file, bytes, sizeof bytes), sizeof bytes);
	}
	close(file);
	scene_open(s, 24, 80, "xterm-256color", path, "--from=syst/raw", NULL);
	scene_wait(s, "1 of 9");
	scene_keys(s, "]g");
	scene_wait(s, "6 of 9");
	scene_keys(s, "G[g");
	scene_wait(s, "6 of 9");
	scene_quit(s);
	unlink(path);
}

/* The triggers of testdata/demo.truth.tsv and of testdata/all-encap.truth.tsv. */
static void
test_triggers(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "]t");
	scene_wait_row(s, ">", "trigger 0x");
	scene_keys(s, "=");
	scene_wait_row(s, " bytes ", "5 B at 0x29e0");
	scene_quit(s);
	scene_open(s, 24, 80, "xterm-256color", "all-encap.bin", NULL);
	scene_wait(s, " 1 of ");
	scene_keys(s, "]t");
	scene_wait(s, " 25 of ");
	scene_keys(s, "=");
	scene_wait_row(s, " bytes ", "9 B at 0xd6");
	scene_keys(s, "2]t");
	scene_wait(s, " 266 of ");
	scene_keys(s, "=");
	scene_wait_row(s, " bytes ", "9 B at 0x964");
	scene_keys(s, "[t");
	scene_wait(s, " 184 of ");
	scene_keys(s, "=");
	scene_wait_row(s, " bytes ", "13 B at 0x67d");
	scene_quit(s);
}

/* That the facts name so many messages and losses. */
static void
check_facts(struct scene *s, const char *messages, const char *losses)
{
	scene_wait_row(s, " messages  ", messages);
	scene_wait_row(s, " losses  ", losses);
}

/* = counts losses as ]g finds them; the demo has five, one of which a checksum tells. */
static void
test_losses(void **state)
{
	struct scene *s = *state;
	struct text lines = {0};
	size_t count = 0;
	batch_print("-q -t csv --fields=number -e 'damaged or lost or truncated'", &lines);
	for (const char *at = lines.data; (at = strchr(at, '\n')); at++)
		count++;
	assert_int_equal(count - 1, 5); /* but for the header */
	scene_open_demo(s, 24, 160);
	scene_check_idle(s);
	scene_keys(s, "=");
	check_facts(s, "309", "5");
	scene_keys(s, "="); /* each of = Esc q closes it */
	scene_until(s, " losses  ", false);
	scene_keys(s, "=");
	check_facts(s, "309", "5");
	scene_keys(s, "\x1b");
	scene_until(s, " losses  ", false);
	scene_keys(s, "\x07q");
	scene_until(s, " losses  ", false);
	scene_wait(s, "1 of 309");
	scene_quit(s);
	scene_open(s, 24, 160, "xterm-256color", "len32.bin", NULL);
	scene_wait(s, " 1 of 518");
	scene_check_idle(s);
	scene_keys(s, "=");
	check_facts(s, "518", "0");
	scene_quit(s);
	text_free(&lines);
}

/* Events of trace hardware: the trigger of ETMv3, and event 0 of ETMv4, alone or
 * with others. */
static void
test_trigger_events(void **state)
{
#define EVENT(what) "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_EVENT( " what "; )\n"
	static const char listing[] = EVENT("Numbered:2") EVENT("Trigger") EVENT("Numbered:1")
	    EVENT("Numbered:6") EVENT("Numbered:5");
#undef EVENT
	struct scene *s = *state;
	char path[TEMP_PATH];
	temp_make_text(path, "", listing);
	scene_open(s, 24, 80, "xterm-256color", path, NULL);
	scene_wait(s, " 1 of 5");
	scene_keys(s, "]t");
	scene_wait(s, " 2 of 5");
	scene_keys(s, "]t");
	scene_wait(s, " 3 of 5");
	scene_keys(s, "]t");
	scene_wait(s, " 5 of 5");
	scene_quit(s);
	unlink(path);
}

static void
test_go_to(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_wait(s, "boot rom ");
	scene_keys(s, "t0x90\r"); /* in the message that starts at 0x8f */
	scene_wait(s, " 5 of 309");
	scene_keys(s, "t#8\r");
	scene_wait(s, " 8 of 309");
	scene_keys(s, "t0.00005518\r"); /* 2119 ticks of 1 / 38.4 MHz */
	scene_wait(s, " 5 of 309");
	scene_keys(s, "t+10us\r"); /* 2119 + 384 ticks: the next is 2728 */
	scene_wait(s, " 6 of 309");
	scene_keys(s, "\017"); /* Ctrl-O */
	scene_wait(s, " 5 of 309");
	scene_keys(s, "]j");
	scene_wait(s, " 6 of 309");
	scene_keys(s, "ma201G");
	scene_wait(s, "201 of 309");
	scene_keys(s, "'a");
	scene_wait(s, " 6 of 309");
	scene_keys(s, "''");
	scene_wait(s, "201 of 309");
	scene_keys(s, "tnonsense\r");
	scene_wait_id(s, NOTICE_GOTO_WHERE, "nonsense");
	scene_keys(s, ":301\r");
	scene_wait(s, " 301 of 309");
	scene_keys(s, "t10:06:40.2\r"); /* the clock has a rate, but no date */
	scene_wait_id(s, NOTICE_GOTO_REFUSED, "10:06:40.2 is a time of day");
	scene_keys(s, "t-1s\r");
	scene_wait_id(s, NOTICE_GOTO_DOUBT, "before the first time, ");
	scene_keys(s, "zz"); /* vi: center the row */
	scene_wait_notice(s, NOTICE_AROUND, 2LL, "s", "; [z undoes that");
	scene_keys(s, "2[z");
	scene_wait_notice(s, NOTICE_AROUND, 0LL, "s", "");
	scene_keys(s, ":50%\r"); /* of the bytes */
	scene_until(s, " 301 of 309", false);
	scene_keys(s, ":'a\r");
	scene_wait(s, " 6 of 309");
	scene_keys(s, ":0x1cf9\r");
	scene_wait(s, " 138 of 309");
	scene_keys(s, ":0.0195\r"); /* the first row not before that time */
	scene_wait_at(s, 23, " 136 of 309");
	scene_keys(s, ":set nu\r");
	scene_wait_id(s, NOTICE_COMMAND_INSTEAD, "last row");
	scene_keys(s, ":/watchdog bite\r");
	scene_wait_row(s, ">", "watchdog");
	scene_keys(s, ":nohl\r:301\r");
	scene_wait(s, " 301 of 309");
	scene_keys(s, ":wq\r");
	scene_wait_id(s, NOTICE_COMMAND_INSTEAD, "wq");
	scene_keys(s, ":x\r");
	scene_wait_id(s, NOTICE_COMMAND_INSTEAD, ":x");
	scene_keys(s, ":set ic\r");
	scene_wait_id(s, NOTICE_COMMAND_INSTEAD, "set ic");
	scene_keys(s, ":severty error\r");
	scene_wait_notice(s, NOTICE_COMMAND_UNKNOWN, 7, "severty", "; did you mean severity?");
	scene_keys(s, ":severity eror\r");
	scene_wait_notice(s, NOTICE_SEVERITY_UNKNOWN, "eror", "; did you mean error?");
	scene_keys(s, ":se 1\r");
	scene_wait_notice(s, NOTICE_COMMAND_AMBIGUOUS, 2, "se",
			  "search, search-back, severity, set");
	scene_quit(s);
}

/* A duration from the first rows of STP, which have no time, counts from the first message that
 * has one, as -S does: from message 3 at 0, +10ms leads to message 86 at 0.010545755. */
static void
test_from_first_time(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 120);
	scene_wait(s, "1 of 309");
	scene_keys(s, "t+10ms\r");
	scene_wait(s, "> 0.010545755");
	scene_wait(s, ", the first time");
	scene_quit(s);
}

/* Dates are in the local zone or, with `:set utc`, in UTC.  Jumps and filters follow.  The clocks
 * go forward at 01:00 UTC. */
static void
test_zone(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	char *before = getenv("TZ") ? mem_text(getenv("TZ")) : NULL;
	folder_make(&folder);
	folder_put_text(&folder, "a.log",
			"2024-03-31T00:30:00.250Z host app[1]: one\n"
			"2024-03-31T01:00:00.500Z host app[1]: two\n"
			"2024-03-31T12:30:00.750Z host app[1]: three\n");
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	scene_open(s, 24, 100, "xterm-256color", folder_path(&folder, "a.log"), NULL);
	scene_wait_row(s, "> 01:30:00.250000", "one");
	scene_wait_at(s, 0, "  2024-03-31 CET  ");
	scene_wait_row(s, "  03:00:00.500000", "two");
	scene_keys(s, "t14:30\r");
	scene_wait_row(s, "> 14:30:00.750000", "three");
	scene_wait_at(s, 0, "  2024-03-31 CEST  ");
	for (int i = 0; i < 4; i++) { /* every time mode takes a time of day */
		scene_keys(s, "T");
		scene_keys(s, "t03:00:00.5\r");
		scene_wait(s, " 2 of 3");
		scene_keys(s, "t2024-03-31 14:30\r");
		scene_wait(s, " 3 of 3");
	}
	scene_keys(s, ":set time=start\rt1800.25\r"); /* other times count from the start there */
	scene_wait(s, " 2 of 3");
	scene_keys(s, ":set time=absolute\r");
	scene_keys(s, "t00:30Z\r");
	scene_wait_row(s, "> 01:30:00.250000", "one");
	scene_keys(s, "&time >= 02:30\r"); /* 03:30: 02:30 does not exist */
	scene_wait_row(s, "> 14:30:00.750000", "three");
	scene_until(s, "two", false);
	scene_keys(s, ":set utc\r");
	scene_wait_at(s, 0, "  2024-03-31 UTC  ");
	scene_wait_row(s, "> 12:30:00.750000", "three");
	scene_keys(s, "&time >= 01:00\r");
	scene_wait_row(s, "  01:00:00.500000", "two");
	scene_keys(s, "t01:00\r");
	scene_wait_row(s, "> 01:00:00.500000", "two");
	scene_keys(s, ":set utc?\r");
	scene_wait_notice(s, NOTICE_SETTING, "utc", "true");
	scene_keys(s, ":set noutc\r"); /* the filter means 01:00 in CET now */
	scene_wait_row(s, "> 03:00:00.500000", "two");
	scene_wait_row(s, "  01:30:00.250000", "one");
	scene_quit(s);
	if (before)
		setenv("TZ", before, 1);
	else
		unsetenv("TZ");
	free(before);
	folder_remove(&folder);
}

/* A duration where no rate is known: what to set is said, and in which file. */
static void
test_rate(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	struct text path = {0}, profile = {0};
	folder_make(&folder);
	testdata_path("short.bin", &path);
	char *whole = realpath(path.data, NULL); /* else from the profile's folder on */
	text_addf(&profile, "traces: [{format: syst/raw, file: %s}]\n", whole);
	free(whole);
	folder_put_text(&folder, "p.yaml", profile.data);
	scene_open(s, 24, 200, "xterm-256color", folder_path(&folder, "p.yaml"), NULL);
	scene_wait(s, "1 of 200");
	scene_keys(s, "4Gt+10ms\r");
	scene_wait(s, "10ms needs the rate of the clock, which is not known");
	scene_wait(s, "set clock: {hz: ...} of its trace in /");
	scene_wait(s, "/p.yaml");
	scene_keys(s, "t4.5s\r");
	scene_wait(s, "4.5s needs the rate of the clock");
	scene_keys(s, "6Gt+0\r");
	scene_wait(s, "counted from 1700000000000025, the last time before");
	scene_keys(s, "\014");
	scene_wait(s, "1 of 200");
	scene_quit(s);
	text_free(&path);
	text_free(&profile);
	folder_remove(&folder);
}

/* Columns, names and numbers, filters and rules of a view. */
static void
test_view(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH], option[48];
	temp_make_text(path, ".yaml",
		       "columns:\n"
		       "  - {name: ctx_type, title: raw, width: 3, raw: true}\n"
		       "  - {name: ctx_type, width: 9}\n"
		       "  - {name: severity, width: 7}\n"
		       "  - {name: text}\n"
		       "filter: /seq/\n"
		       "rules: [{filter: ContextChange, role: accent1}]\n");
	snprintf(option, sizeof option, "--view=%s", path);
	scene_open(s, 24, 80, "xterm-256color", "all-gem.bin", option, NULL);
	scene_wait(s, "  raw ctx_type  S       text");
	scene_wait(s, "  2   ContextC> INFO    ContextChange data=0x83d02bef seq");
	scene_until(s, "SyncPoint", false); /* has no seq */
	scene_keys(s, "jjj");
	bool coloured = false, plain = false;
	for (int row = 2; row < 23; row++) {
		const char *text = emulator_row(s->emulator, row);
		bool match = emulator_cell(s->emulator, row, 25).coloured;
		coloured |= match;
		plain |= !match;
		if (strlen(text) > 40)
			assert_int_equal(match, strstr(text, "ContextChange") != NULL);
	}
	assert_true(coloured && plain);
	scene_keys(s, ":view default\r"); /* another view: another filter */
	scene_wait(s, "SyncPoint");
	scene_wait(s, "origin");
	scene_keys(s, ":view auto\r");
	scene_wait(s, "word");
	scene_quit(s);
	unlink(path);
}

/* Messages like the one under the cursor: 59, 65 and 71 say that mailbox 2 has
 * its answer, and no other has between them. */
static void
test_example(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_wait(s, "boot rom "); /* texts are there */
	scene_keys(s, "60G*");
	scene_wait(s, " 66 of 309");
	scene_keys(s, "*");
	scene_wait(s, " 72 of 309");
	scene_keys(s, "2#");
	scene_wait(s, " 60 of 309");
	scene_quit(s);
}

/* The end of a long gap, there and back. */
static void
test_gap(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_until(s, "idx", false);
	scene_keys(s, "Ss");			    /* the first has nothing before it */
	scene_wait_id(s, NOTICE_GAP_BEFORE, " ms"); /* microseconds are usual */
	scene_wait(s, "retry 1 of 3");		    /* of a dead core the story tells */
	scene_wait_row(s, ">", "0.027700 ");
	scene_keys(s, "s");
	scene_wait_row(s, ">", "0.029540 ");
	scene_keys(s, "S");
	scene_wait_row(s, ">", "0.027700 ");
	scene_wait_id(s, NOTICE_GAP_BEFORE, NULL);
	scene_keys(s, "S");
	scene_wait_notice(s, NOTICE_GAP_NONE);
	scene_quit(s);
}

/* Each row of batch output is on the screen: its number, and its time with the sign of
 * an estimate, or none. */
static void
assert_batch_times(struct scene *s, const char *path)
{
	struct text command = {0};
	char line[512];
	unsigned rows = 0;
	text_addf(&command, "'%s' --wide '%s'", getenv("TRAWL"), path);
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
#define ELEMENT(name) "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_" name "\n"
	static const char listing[] = ELEMENT("TIMESTAMP( [ TS=0x0000000003e8]; )")
	    ELEMENT("CYCLE_COUNT( [CC=10]; )") ELEMENT("ADDR_NACC( 0x80 )")
		ELEMENT("CYCLE_COUNT( [CC=30]; )") ELEMENT("TIMESTAMP( [ TS=0x0000000007d0]; )")
		    ELEMENT("TRACE_ON( [overflow])") ELEMENT("ADDR_NACC( 0x90 )");
#undef ELEMENT
	struct scene *s = *state;
	char path[TEMP_PATH];
	temp_make_text(path, "", listing);
	scene_open(s, 30, 100, "xterm-256color", path, scene_numbered(), NULL);
	scene_wait(s, "  1  1000 D ID 0x10 ");
	scene_wait(s, "  2 ~1250 D ID 0x10 ");
	scene_wait(s, "  3 ~1250 D ID 0x10 ");
	scene_wait(s, "  4 ~2000 D ID 0x10 ");
	scene_wait(s, "  5  2000 D ID 0x10 ");
	scene_wait(s, "  6       E ID 0x10 ");
	scene_wait(s, "  7       D ID 0x10 ");
	assert_batch_times(s, path);
	scene_keys(s, "jj\r");
	scene_wait(s, " ~1250 ");
	scene_wait_row(s, " v estimated_time", "");
	scene_wait_row(s, "     after ", " 1000");
	scene_wait_row(s, "     before ", " 2000");
	scene_wait_row(s, "     off_by_at_most ", " 751");
	scene_keys(s, "q");
	scene_until(s, "estimated_time", false);
	scene_keys(s, "T");
	scene_wait_notice(s, NOTICE_TIME_MODE, "start");
	scene_wait(s, "  2  ~250 D ID 0x10 ");
	scene_keys(s, "T");
	scene_wait_notice(s, NOTICE_TIME_MODE, "delta");
	scene_wait(s, "  2 ~+250 D ID 0x10 ");
	scene_wait(s, "  4 ~+750 D ID 0x10 ");
	scene_keys(s, "TT"); /* beyond ticks, which are only those that are told */
	scene_wait_notice(s, NOTICE_TIME_MODE, "own");
	scene_wait(s, "  1 1000 D ID 0x10 ");
	scene_wait(s, "  2      D ID 0x10 ");
	scene_quit(s);
	unlink(path);
}

/* A file with nothing in it takes long enough to be paused on the way. */
static void
test_pause(void **state)
{
	struct scene *s = *state;
	char path[] = "/tmp/test_screen.XXXXXX";
	int file = mkstemp(path);
	assert_int_equal(ftruncate(file, (off_t)1 << 36), 0);
	close(file);
	scene_open(s, 24, 80, "xterm-256color", path, "-f", "syst/raw", "--no-cache", "+:pause",
		   NULL);
	scene_wait(s, "% paused");
	scene_keys(s, "G"); /* one gets about all the same */
	scene_wait(s, " ~2,147,");
	scene_wait(s, "% paused");
	scene_keys(s, "/zzz\r");
	scene_wait(s, "searching... Ctrl-C cancels");
	scene_keys(s, "\003");
	scene_wait_notice(s, NOTICE_CANCELLED);
	scene_keys(s, "h"); /* nothing was found in what is known: that is no number */
	scene_wait(s, ", none yet");
	scene_keys(s, ":pause\r");
	scene_wait_notice(s, NOTICE_INDEX_CONTINUES);
	scene_until(s, "paused", false);
	scene_wait(s, " idx ");
	scene_quit(s);
	unlink(path);
}

/* A capture in which nothing tells where messages begin until the index comes by:
 * the screen does not wait for that, and then shows all of them. */
static void
test_no_checkpoint(void **state)
{
	struct scene *s = *state;
	char path[] = "/tmp/test_screen.XXXXXX";
	shares_make(path, 5);
	scene_open(s, 24, 120, "xterm-256color", path, "-f", "syst/raw", "--no-cache",
		   scene_numbered(), "--threads=1", "+:pause", NULL);
	scene_wait_at(s, 0, "% paused"); /* the list is being looked for: it does not rest */
	scene_keys(s, ":pause\r");
	scene_wait_notice(s, NOTICE_INDEX_CONTINUES);
	scene_keys(s, "h");
	scene_wait_at(s, 23, "of 1,280");
	for (int row = 2; row < 23; row++) {
		char number[16];
		snprintf(number, sizeof number, "%8d ", row - 1);
		scene_wait_at(s, row, number);
	}
	scene_quit(s);
	unlink(path);
}

/* Ids that no collateral names: the screen says so, and what to do. */
static void
test_unnamed(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	folder_make(&folder);
	folder_put_text(&folder, "t.txt",
			"SYS-T RAW DATA: 4310800111223344556677888"
			"899AABBCCDDEEFF7700000001000000\n");
	scene_open(s, 24, 120, "xterm-256color", folder.files.at[0], NULL);
	scene_wait_at(s, 2, "id 0x77 args 0x00000001");
	scene_wait_id(s, NOTICE_NO_COLLATERAL, NULL);
	scene_quit(s);
	folder_remove(&folder);
}

/* Twenty calls whose returns lead to elsewhere: the title says that their image does not fit. */
static void
test_misfit(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	struct text lines = {0};
	for (int i = 0; i < 21; i++)
		text_addf(&lines,
			  "Idx:%d; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x1000:[0x1008] "
			  "num_i(2) last_sz(4) (ISA=A64) E BR  b+link )\n"
			  "Idx:%d; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x2000:[0x2004] "
			  "num_i(1) last_sz(4) (ISA=A64) E iBR A64:ret )\n",
			  i, i);
	folder_make(&folder);
	folder_put_text(&folder, "t.ppl", lines.data);
	scene_open(s, 24, 80, "xterm-256color", folder.files.at[0], NULL);
	scene_wait_at(s, 0, "  [image does not fit]  ");
	scene_quit(s);
	text_free(&lines);
	folder_remove(&folder);
}

/* The title says it though the first screen has no such message; the notice waits for the
 * answer to a command to go, and for a key that has none. */
static void
test_unnamed_below(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	struct text lines = {0};
	for (int i = 0; i < 60; i++)
		text_add(&lines, "SYS-T RAW DATA: 20100000\n");
	text_add(&lines, "SYS-T RAW DATA: 4310800111223344556677888"
			 "899AABBCCDDEEFF7700000001000000\n");
	folder_make(&folder);
	folder_put_text(&folder, "t.txt", lines.data);
	scene_open(s, 24, 80, "xterm-256color", folder.files.at[0], "+:layout", NULL);
	scene_wait_at(s, 0, "  [no collateral]  ");
	scene_wait_notice(s, NOTICE_LAYOUT, "stacked");
	scene_keys(s, ":layout\r");
	scene_wait_notice(s, NOTICE_LAYOUT, "side");
	scene_keys(s, "j");
	scene_wait_notice(s, NOTICE_NO_COLLATERAL, "t.txt");
	scene_wait_at(s, 23, "  2 of 61");
	scene_keys(s, "j");
	scene_wait_at(s, 23, " 3 of 61");
	scene_quit(s);

	/* what a filter found stands beside it, too */
	scene_open(s, 24, 80, "xterm-256color", folder.files.at[0], "+:layout", NULL);
	scene_wait_notice(s, NOTICE_LAYOUT, "stacked");
	scene_keys(s, "&not text ~ \"0x77\"\r");
	scene_wait_at(s, 23, NOTICE_CUT);
	scene_wait_notice(s, NOTICE_NO_COLLATERAL, "t.txt");
	scene_wait_at(s, 23, "  1 of 61, row 1 of 60");
	scene_keys(s, "j");
	scene_wait_at(s, 23, " 2 of 61, row 2 of 60 ");
	scene_quit(s);

	/* but where there is little room it has the row */
	scene_open(s, 24, 44, "xterm-256color", folder.files.at[0], NULL);
	scene_wait_notice(s, NOTICE_NO_COLLATERAL, "t.txt");
	assert_null(strstr(emulator_row(s->emulator, 23), " of 61"));
	scene_quit(s);
	folder_remove(&folder);
	text_free(&lines);
}

/* A title that is too long is shortened: its name, then the filters; the way to the keys
 * stays. */
static void
test_long_title(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	folder_make(&folder);
	folder_put_text(&folder, "a-capture-of-the-board-after-the-third-brownout-of-the-day.txt",
			"SYS-T RAW DATA: 4310800111223344556677888"
			"899AABBCCDDEEFF7700000001000000\n");
	scene_open(s, 24, 60, "xterm-256color", folder.files.at[0], NULL);
	scene_wait_at(s, 0, " a-capture-of-the-board-after-the>  [no collateral] F1 help");
	scene_keys(s, "&id 0x77 or severity <= error or lost\r");
	scene_wait_at(s, 0, " a-capture->  [no collateral]  only /id 0x77 or se> F1 help");
	scene_quit(s);
	folder_remove(&folder);
}

/* Collateral that cannot be read: the screen says where it is wrong. */
static void
test_broken_collateral(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	char option[160];
	folder_make(&folder);
	folder_put_text(&folder, "t.txt", "SYS-T RAW DATA: 20100000\n");
	folder_put_text(&folder, "broken.xml", "<syst:Collateral>\n</b>");
	snprintf(option, sizeof option, "--collateral=%s", folder.files.at[1]);
	scene_open(s, 24, 120, "xterm-256color", folder.files.at[0], option, NULL);
	scene_wait_at(s, 23, "broken.xml:2:3: mismatched tag");
	scene_quit(s);
	folder_remove(&folder);
}

/* As many losses in the last row as messages are damaged, lost or truncated. */
static void
test_loss_total(void **state)
{
	struct scene *s = *state;
	struct text out = {0};
	char total[16];
	size_t count = 0;
	batch_print_of("damaged-gem.bin", "-t text -e 'damaged or lost or truncated' 2>/dev/null",
		       &out);
	for (size_t i = 0; i < out.length; i++)
		count += out.data[i] == '\n';
	snprintf(total, sizeof total, "  ~%zu", count);
	scene_open(s, 24, 80, "xterm", "damaged-gem.bin", NULL);
	scene_wait(s, total);
	scene_quit(s);
	text_free(&out);
}

/* Tabs are as a terminal shows them, what is escaped before one counted; the detail tells
 * them. */
static void
test_tabs(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH];
	temp_make_text(path, ".log", "echo\t\t7/tcp\nftp-data\t20/tcp\n\a\tbell\n");
	scene_open(s, 24, 80, "xterm-256color", path, "-f", "text", NULL);
	scene_wait(s, ">   echo            7/tcp\n    ftp-data        20/tcp\n"
		      "    \\x07    bell\n");
	scene_keys(s, "/bell\r");
	scene_wait_row(s, ">", "bell");
	assert_int_equal(emulator_cell(s->emulator, 4, 12).fg, 16); /* where it is shown */
	scene_keys(s, "gp\033");
	scene_wait(s, " echo\\t\\t7/tcp\n");
	scene_quit(s);
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_list),
	    scene_test(test_columns),
	    scene_test(test_empty_columns),
	    scene_test(test_settings),
	    scene_test(test_open_row),
	    scene_test(test_sideways),
	    scene_test(test_looks),
	    scene_test(test_suspect),
	    scene_test(test_early_total),
	    scene_test(test_steady_columns),
	    scene_test(test_gaps),
	    scene_test(test_triggers),
	    scene_test(test_losses),
	    scene_test(test_loss_total),
	    scene_test(test_trigger_events),
	    scene_test(test_go_to),
	    scene_test(test_view),
	    scene_test(test_example),
	    scene_test(test_gap),
	    scene_test(test_cycles),
	    scene_test(test_pause),
	    scene_test(test_no_checkpoint),
	    scene_test(test_unnamed),
	    scene_test(test_unnamed_below),
	    scene_test(test_misfit),
	    scene_test(test_long_title),
	    scene_test(test_tabs),
	    scene_test(test_broken_collateral),
	    scene_test(test_from_first_time),
	    scene_test(test_rate),
	    scene_test(test_zone),
	};
	return scene_run_group("screen: list", tests);
}
