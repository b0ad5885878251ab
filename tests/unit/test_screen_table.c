/*
 * Tables on the screen, of the session that testdata/lab.yaml names and of demo.stp: opened,
 * sorted, grouped further, filtered to a row, copied and written.  Counts are those of the
 * titles that their filters give (and of test_screen_origins); times and gaps those of
 * tests/cli/table.sh.
 */
#include "config.h"

#include "test.h"

#include "scene.h"
#include "temp_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
open_lab(struct scene *s)
{
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40."); /* the clocks are known */
	scene_wait(s, "1 of 531");
	scene_until(s, "idx", false);
}

static void
test_opened(void **state)
{
	struct scene *s = *state;
	open_lab(s);
	scene_keys(s, "P");
	scene_wait(s, "table  trace, origin  11 by count");
	scene_wait(s, " trace  origin      count  share  F E W  first            last       ");
	scene_wait(s, " hub    hart 0        220    41%  . . 1  10:06:40.000000  40.434724   "
		      "28.707 ms");
	scene_wait(s, " soc    watchdog        2     0%  1 . 1  10:06:40.249151  40.259151   "
		      "10.000 ms");
	scene_wait(s, " soc    -              14     3%  . . .                -          -  ");
	scene_keys(s, "P");
	scene_until(s, "by count", false);
	scene_quit(s);
}

static void
test_sorted_and_grouped(void **state)
{
	struct scene *s = *state;
	open_lab(s);
	scene_keys(s, ":table severity\r");
	scene_wait(s, "table  severity  6 by count");
	scene_wait(s, " all         531         1 5 6");
	scene_keys(s, "SS");
	scene_wait(s, "by first");
	scene_keys(s, "btrace\r");
	scene_wait(s, "table  severity, trace  17 by count");
	scene_wait(s,
		   " WARNING   soc        4     1%  . . 4  10:06:40.215885  40.249151   14.197 ms");
	scene_keys(s, ":table origin of gap\r");
	scene_wait(s, "table  origin of gap  10 by count");
	scene_wait(s, " mailbox             27  267.897 us       7 ns  12.161 us   40.815 us");
	scene_keys(s, ":table sevrity\r");
	scene_wait(s, "no column is named \"sevrity\"; did you mean severity?");
	scene_quit(s);
}

/* The time in each state: what the words of the trace say, and the last to its end. */
static void
test_states(void **state)
{
	struct scene *s = *state;
	open_lab(s);
	scene_keys(s, ":table context.overlay of span.overlay\r");
	scene_wait(s, "context.overlay  count  values  sum         part  max\n");
	scene_wait_row(s, " day ", "2  242.789 ms   56%  234.786 ms");
	scene_wait_row(s, " night ", "2  191.834 ms   44%  167.068 ms");
	scene_check_idle(s);
	scene_quit(s);
}

/* Enter shows the messages of a row, as an entry of the filters; U takes that back. */
static void
test_filtered(void **state)
{
	struct scene *s = *state;
	open_lab(s);
	scene_keys(s, ":table origin,severity\r");
	scene_wait(s, "table  origin, severity  ");
	scene_keys(s, "SSSS");
	scene_wait(s, "24 by origin"); /* all are counted */
	scene_keys(s, "G");
	scene_wait(s, " watchdog  WARNING  ");
	scene_keys(s, "kkk\r"); /* from the sum of all */
	scene_wait(s, "only origin = \"watchdog\" and severity = FATAL");
	scene_wait(s, "table  origin, severity  1 by");
	scene_keys(s, "u");
	scene_wait(s, "table  origin, severity  24 by");
	scene_quit(s);
}

static void
test_written(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH], command[TEMP_PATH + 40], line[200] = "";
	temp_make_text(path, ".csv", "");
	open_lab(s);
	snprintf(command, sizeof command, ":write! %s table\r", path);
	scene_keys(s, command);
	scene_wait_notice(s, NOTICE_WRITE_NO_TABLE);
	scene_keys(s, ":table trace\r");
	scene_wait(s, "table  trace  5 by count");
	scene_until(s, "5+ by", false);
	scene_keys(s, command);
	scene_wait_id(s, NOTICE_TABLE_WRITTEN, "5");
	FILE *in = fopen(path, "r");
	assert_non_null(in);
	assert_non_null(fgets(line, sizeof line, in));
	assert_string_equal(line, "trace,count,share,first,last,longest_gap,gap_from\n");
	assert_non_null(fgets(line, sizeof line, in));
	assert_memory_equal(line, "\"hub\",228,0.4293", 16);
	fclose(in);
	scene_keys(s, "y");
	scene_wait_notice(s, NOTICE_TABLE_COPIED, (size_t)5);
	scene_keys(s, "&text = none_has_it\r"); /* without rows the header remains */
	scene_wait(s, "table  trace  0 by count");
	scene_keys(s, command);
	scene_wait_id(s, NOTICE_TABLE_WRITTEN, "0");
	in = fopen(path, "r");
	assert_non_null(in);
	assert_non_null(fgets(line, sizeof line, in));
	assert_string_equal(line, "trace,count,share,first,last,longest_gap,gap_from\n");
	assert_null(fgets(line, sizeof line, in));
	fclose(in);
	scene_quit(s);
	unlink(path);
}

/* By the field that is looked at. */
static void
test_of_a_field(void **state)
{
	struct scene *s = *state;
	scene_open(s, 40, 100, "xterm-256color", "demo.stp", "+42G", "+p", NULL);
	scene_wait(s, "ring at 0x40010000");
	scene_wait(s, "location ");
	scene_keys(s, "jjP");
	scene_wait(s, "table  location  ");
	scene_wait(s, " location            count  share");
	scene_wait(s, " drivers/dma.c:41 ");
	scene_quit(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_opened),  scene_test(test_sorted_and_grouped),
	    scene_test(test_states),  scene_test(test_filtered),
	    scene_test(test_written), scene_test(test_of_a_field)};
	return scene_run_group("screen: tables", tests);
}
