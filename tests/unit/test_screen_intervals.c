/*
 * Intervals on the screen, of the session that testdata/lab.yaml names: what all lengths are,
 * the longest pairs, how many are of which length, and the other end of a pair.  What is
 * expected are differences of the times that the list shows.
 */
#include "config.h"

#include "test.h"

#include "scene.h"
#include "temp_file.h"

static void
open_lab(struct scene *s)
{
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40."); /* the clocks are known */
	scene_until(s, "idx", false);
}

static void
test_pane(void **state)
{
	struct scene *s = *state;
	open_lab(s);
	scene_keys(s, "I");
	scene_wait(s, "interval mailbox  12 pairs ");
	scene_wait(s, " p50 8.653 ms ");
	scene_wait(s, " max 28.366 ms  sum 122.536 ms  open 0\n");
	scene_wait_row(s, " 28.366 ms ", " 10:06:40.206587314 10:06:40.234954045  soc mailbox ");
	scene_keys(s, "j\r"); /* the next longest: its begin */
	scene_wait_row(s, ">", "10:06:40.374251 D soc mailbox send FILTER seq 12");
	scene_keys(s, "%");
	scene_wait_row(s, ">", "10:06:40.383143 D soc mailbox ack seq 12");
	scene_keys(s, "%");
	scene_wait_row(s, ">", "10:06:40.374251 ");
	scene_keys(s, "o");
	scene_wait(s, "\n          5 ms  ######################################## 11\n");
	scene_wait(s, "\n         10 ms  0\n");
	scene_wait(s, "\n         25 ms  ### 1\n");
	scene_keys(s, "\r");
	scene_wait_notice(s, NOTICE_INTERVAL_HISTOGRAM, "o");
	scene_check_idle(s);
	scene_keys(s, "I");
	scene_until(s, "interval mailbox", false);
	scene_quit(s);
}

/* Why the longest pair is slow, in one key; its row goes there. */
static void
test_why(void **state)
{
	struct scene *s = *state;
	open_lab(s);
	scene_keys(s, "I");
	scene_wait(s, "interval mailbox  12 pairs ");
	scene_keys(s, "r");
	scene_wait(s, "interval mailbox  12 pairs  why slow ");
	scene_wait(s, " only? 1 of 1 slow   0 of 11 others context task loader, of log");
	scene_wait(s, " 1.8x? 1 of 1 slow   6 of 11 others context overlay day, of dsp");
	scene_keys(s, "\r");
	scene_wait_row(s, ">", "soc mailbox send OVERLAY seq 70");
	scene_keys(s, "n");
	scene_wait_id(s, NOTICE_INTERVAL_NONE_FURTHER, NULL);
	scene_check_idle(s);
	scene_keys(s, "r"); /* the longest pairs again */
	scene_wait(s, "max 28.366 ms");
	scene_keys(s, "Igg:why\r"); /* closed, and anywhere */
	scene_wait(s, "interval mailbox  12 pairs  why slow ");
	scene_wait(s, "overlay day");
	scene_keys(s, "o");
	scene_wait(s, "\n         25 ms  ### 1\n");
	scene_keys(s, ":why mailbx\r");
	scene_wait_notice(s, NOTICE_INTERVAL_UNKNOWN, "mailbx", "; did you mean mailbox?");
	scene_quit(s);
}

/* A definition that is typed; a quoted word of it is none. */
static void
test_define(void **state)
{
	struct scene *s = *state;
	open_lab(s);
	scene_keys(s, ":interval shown begin text ~ /exposure.* end / or text ~ /: exposure/ "
		      "end origin = display and text ~ /: shown/ key frame across\r");
	scene_wait(s, "interval shown  2 of 2  11 pairs");
	scene_wait_id(s, NOTICE_INTERVAL_DEFINED, "shown");
	scene_wait(s, "  open 2\n");
	scene_keys(s, "s");
	scene_wait(s, "interval mailbox  1 of 2  12 pairs");
	scene_keys(s, ":filter interval.mailbox > 20ms\r");
	scene_wait(s, "of 2 ");
	scene_wait(s, "send OVERLAY seq 70");
	scene_keys(s, "I"); /* the same definition in quotes, as in a profile */
	scene_keys(
	    s, ":interval single begin 'text ~ /^send/' end 'text ~ \"^(late )?ack\"' key seq\r");
	scene_wait(s, "interval single  3 of 3  12 pairs");
	scene_keys(s, ":interval \"double\" begin \"text ~ \\\"^send\\\"\" "
		      "end \"text ~ /^(late )?ack/\" key \"seq\"\r");
	scene_wait(s, "interval double  4 of 4  12 pairs");
	scene_keys(s, ":interval shown begin lost end text ~ /\r");
	scene_wait_id(s, NOTICE_INTERVAL_REFUSED, "interval shown: end: ");
	scene_keys(s, ":interval shown begin lost\r");
	scene_wait_id(s, NOTICE_INTERVAL_EXPECTED, NULL);
	scene_keys(s, ":intervals none\r");
	scene_wait_notice(s, NOTICE_INTERVAL_UNKNOWN, "none", NOTICE_INTERVAL_DEFINES);
	scene_keys(s, ":intervals mailbx\r");
	scene_wait_notice(s, NOTICE_INTERVAL_UNKNOWN, "mailbx", "; did you mean mailbox?");
	scene_quit(s);
}

/* COUNT pairs from FIRST on; those with 9 at the end stall without a beat, for 400 ms, not 100. */
static void
write_pairs(const char *path, const char *mode, int first, int count)
{
	FILE *file = fopen(path, mode);
	assert_non_null(file);
	for (int i = first; i < first + count; i++) {
		fprintf(file, "[%5d.000000] a: begin %d\n", i, i);
		fprintf(file, "[%5d.050000] b: %s %d\n", i, i % 10 == 9 ? "stall" : "beat", i);
		fprintf(file, "[%5d.%d00000] a: end %d\n", i, i % 10 == 9 ? 4 : 1, i);
	}
	assert_int_equal(fclose(file), 0);
}

/* Causes of a capture that grows, and no cause where there are too few pairs. */
static void
test_why_grows(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH];
	temp_make_text(path, ".log", "");
	write_pairs(path, "w", 0, 9);
	scene_open(s, 24, 80, "xterm-256color", path, "-F", NULL);
	scene_keys(s, ":interval own begin text ~ /^begin/ end text ~ /^end/\r:why\r");
	scene_wait(s, "needs at least 10 pairs, not 9\n");
	write_pairs(path, "a", 9, 2);
	scene_wait(s, "slow: 1 of 11 pairs, above 100 ms (p90); their first 100 ms count\n");
	scene_wait(s, " only? 1 of 1 slow   0 of 10 others message b: stall #\n");
	write_pairs(path, "a", 11, 60);
	scene_wait(s, " only  7 of 7 slow   0 of 64 others message b: stall #\n");
	scene_wait(s, " only  7 of 7 slow   0 of 64 others gap in trawl-test.");
	scene_wait(s, " only  7 of 7 slow   0 of 64 others no message b: beat #\n");
	scene_keys(s, "jj\rn");
	scene_wait_row(s, ">", "begin 19");
	scene_keys(s, "N");
	scene_wait_row(s, ">", "begin 9");
	scene_quit(s);
	unlink(path);
}

/* Without any. */
static void
test_none(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "I");
	scene_wait(s, "no intervals; define one, as :interval NAME begin EXPR end EXPR");
	scene_quit(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_pane),
	    scene_test(test_why),
	    scene_test(test_why_grows),
	    scene_test(test_define),
	    scene_test(test_none),
	};
	return scene_run_group("screen: intervals", tests);
}
