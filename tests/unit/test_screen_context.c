/*
 * Contexts: their pane, and the jumps to where they change.
 */
#include "config.h"

#include "test.h"

#include "scene.h"
#include "temp_file.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The contexts of a message in the list of all traces are those of its trace. */
static void
test_contexts_of_all(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40."); /* the clocks are known */
	scene_wait(s, "1 of 531");
	scene_keys(s, "c\033");
	scene_wait(s, "- context ");
	scene_keys(s, "]e");
	scene_wait_row(s, " overlay    dsp  day ",
		       " +500.368 us");	     /* of soc none, but at its time */
	scene_keys(s, "/data=0x80020002\r"); /* wherever it stands by now */
	scene_wait(s, " overlay    dsp  night   0x80020002  ");
	scene_wait(s, "loader");
	scene_quit(s);
}

/* One table: names before numbers, these as texts have them, until when; columns give way
 * where there is little room, names never.  A row is a filter. */
static void
test_context_table(void **state)
{
	struct scene *s = *state;
	static const struct {
		int cols;
		const char *task;
	} cases[] = {
	    {80,
	     " task       log  loader  0x80010200  10:06:40.206634014   27.752 ms  +527.624 us\n"},
	    {60, " task       log  loader  0x80010200   27.752 ms  +527.624 us\n"},
	    {40, " task       log  loader   27.752 ms\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		scene_open(s, 24, cases[i].cols, "xterm-256color", "lab.yaml", "+c\033", NULL);
		scene_wait(s, " 10:06:40.");
		scene_keys(s, "/given up\r");
		scene_wait(s, cases[i].task);
		scene_check_idle(s);
		scene_quit(s);
	}
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", "+c\033", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, "/given up\r");
	scene_wait(s, " context    of   value ");
	scene_wait(s, " +500.368 us\n");
	scene_keys(s, "\tf");
	scene_wait(s, "only context.overlay = \"day\"");
	scene_quit(s);
}

/* A column has the value at each row's own trace, not at that of the cursor.  The overlay is day
 * from the first userCtxChg on, for log and dsp; soc has none. */
static void
test_column_of_traces(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH], view[TEMP_PATH + 8];
	temp_make_text(path, ".yaml",
		       "columns: [{name: time}, {name: trace}, {name: context.overlay}, "
		       "{name: text}]\n");
	snprintf(view, sizeof view, "--view=%s", path);
	for (int cols = 80; cols <= 160; cols += 80) {
		scene_open(s, 30, cols, "xterm-256color", "lab.yaml", view, NULL);
		scene_wait(s, "1 of 531");
		scene_wait(s, " dsp   day          User data=0x80020001 ");
		scene_wait(s, " log   day          userCtxChg 0x80020001 ");
		scene_wait(s, " soc                clock 1763719600000403176 ");
		scene_keys(s, "22G"); /* a dsp message in its own context */
		scene_wait(s, "22 of 531");
		scene_wait(s, " log   day          userCtxChg 0x80020001 ");
		scene_wait(s, " cam                start run 1");
		scene_quit(s);
	}
	unlink(path);
}

/* What is open stands below: by which key, since when, for how long, until when.  That it was
 * sent at .206587314 and that the late ack came at .234954045 is in the list. */
static void
test_open_intervals(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", "+c\033", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, "/given up\r");
	scene_wait(s, "\n mailbox    soc  open    seq 70      10:06:40.206587314   27.799 ms  "
		      "+567.674 us\n");
	scene_check_idle(s);
	scene_keys(s, "\tG\r"); /* to its begin, then to its end */
	scene_wait_row(s, ">", " 10:06:40.206587");
	scene_wait_row(s, " mailbox ", "  0 ns  +28.366 ms");
	scene_keys(s, "l\r");
	scene_wait_row(s, ">", "late ack for seq 70");
	scene_keys(s, "\tj"); /* the next message is in none */
	scene_until(s, "\n mailbox ", false);
	scene_keys(s, ":interval lost begin text ~ /exposure/ end text ~ /none such/ key frame\r");
	scene_wait(s, "interval lost  2 of 2  0 pairs");
	scene_keys(s, "q");
	scene_wait_row(s, " lost ", " open   frame 7 "); /* the last begun first */
	scene_quit(s);
}

/* More than there are rows for are counted: of the log and of the dsp
 * 66 and 38 messages have a time. */
static void
test_many_open(void **state)
{
	struct scene *s = *state;
	scene_open(s, 40, 120, "xterm-256color", "lab.yaml", "+c", "+i\033", NULL);
	scene_wait(s, " 10:06:40.");
	scene_wait(s, "1 of 531");
	scene_keys(s, ":interval many begin trace = log end text ~ /none such/\r");
	scene_wait(s, "interval many  ");
	scene_keys(s, ":interval late begin trace = dsp end text ~ /none such/\r");
	scene_wait(s, "open 38");
	scene_keys(s, "qG");
	scene_wait(s, "  +102 more"); /* the timeline names one of each */
	scene_keys(s, "\tG");
	scene_wait_row(s, " +40 more", "open"); /* 64 have a row */
	scene_keys(s, "\r");			/* there is nowhere to go */
	scene_wait_row(s, " +40 more", "open");
	scene_quit(s);
}

/* The next begin of one that has no end, or is as long as p99: of twelve pairs the longest. */
static void
test_interval_jumps(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40.");
	scene_wait(s, "1 of 531");
	scene_keys(s, "I");
	scene_wait(s, "interval mailbox  12 pairs ");
	scene_keys(s, "q]i");
	scene_wait_row(s, ">", "send OVERLAY seq 70");
	scene_keys(s, "]i");
	scene_wait_notice(s, NOTICE_INTERVAL_NONE_FURTHER);
	scene_keys(s, "G[i");
	scene_wait_row(s, ">", "send OVERLAY seq 70");
	scene_keys(s, ":interval lone begin text ~ /exposure/ end text ~ /none such/ key frame\r");
	scene_wait(s, "interval lone  2 of 2  0 pairs");
	scene_keys(s, "q[i");
	scene_wait_row(s, ">", "exposure");
	scene_keys(s, "2]i");
	scene_wait_row(s, ">", "exposure");
	scene_quit(s);
	scene_open_demo(s, 24, 80);
	scene_keys(s, "]i");
	scene_wait_notice(s, NOTICE_INTERVAL_NONE);
	scene_quit(s);
}

/* What is set by the second word of a pair holds until the next such pair. */
static void
test_contexts(void **state)
{
	struct scene *s = *state;
	struct truth truth;
	const char *data[2] = {NULL};
	size_t at[2] = {0}, found = 0;
	char text[64];
	truth_read(&truth, "all-gem.truth.tsv");
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
	scene_open(s, 24, 100, "xterm-256color", "all-gem.bin", NULL);
	scene_wait(s, "User data=");
	scene_keys(s, "c\033");
	snprintf(text, sizeof text, "%zuG", at[0] + 1);
	scene_keys(s, text);
	snprintf(text, sizeof text, "  #%zu ", at[0] + 1);
	scene_wait_row(s, " user ", text);
	snprintf(text, sizeof text, " #%zu\n", at[1] + 1);
	scene_wait(s, text);
	snprintf(text, sizeof text, "%.10s", data[0]);
	scene_wait_row(s, " user ", text);
	scene_keys(s, "]c[c\tj\r"); /* there and back; in the pane: to where it began */
	snprintf(text, sizeof text, " %zu of ", at[0] + 1);
	scene_wait(s, text);
	scene_keys(s, "l\r"); /* and to where it ends */
	snprintf(text, sizeof text, " %zu of ", at[1] + 1);
	scene_wait(s, text);
	scene_keys(s, "q\rG"); /* the detail pane has it too */
	scene_wait_row(s, " v context", "");
	scene_quit(s);
	truth_free(&truth);

	/* in a list of several traces they are those of all; a word of dsp changes the
	 * overlay, an event of log the task */
	scene_open(s, 24, 110, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 1 of 531");
	scene_keys(s, "358G");
	scene_wait(s, " 358 of 531"); /* without "~": the order is final */
	scene_keys(s, "]c");
	scene_wait_row(s, ">", "threadCtxChg 0x80010000 to 0x80010100");
	scene_keys(s, "]c");
	scene_wait_row(s, ">", "threadCtxChg 0x80010100 to 0x80010000");
	scene_keys(s, "2[c");
	scene_wait_row(s, ">", "User data=0x80020002");
	scene_keys(s, "G[c");
	scene_wait_row(s, ">", "threadCtxChg");
	scene_quit(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_contexts_of_all),  scene_test(test_context_table),
	    scene_test(test_column_of_traces), scene_test(test_open_intervals),
	    scene_test(test_many_open),	       scene_test(test_interval_jumps),
	    scene_test(test_contexts),
	};
	return scene_run_group("screen: context", tests);
}
