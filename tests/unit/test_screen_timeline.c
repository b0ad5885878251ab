/*
 * The timeline: lanes, cursor and window, links between traces.
 */
#include "config.h"

#include "test.h"

#include "scene.h"
#include "session_fixture.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same with the timeline of a session. */
static void
test_idle_timeline(void **state)
{
	struct scene *s = *state;
	scene_open(s, 40, 80, "xterm-256color", "lab.yaml", "+i\033", NULL);
	scene_wait(s, " 531 messages here");
	scene_wait_row(s, "ties ", "^");
	scene_check_idle(s);
	scene_keys(s, "\t++");
	scene_until(s, " 531 messages here", false);
	scene_check_idle(s);
	scene_quit(s);
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

/* The axis is below the rule. */
static const char *
axis_row(struct scene *s)
{
	for (int y = s->rows - 2; y >= 0; y--)
		if (strstr(emulator_row(s->emulator, y), " a cell "))
			return emulator_row(s->emulator, y + 1);
	return "";
}

static bool
is_cursor_behind(struct scene *s, const struct sought *sought)
{
	const char *axis = axis_row(s), *cursor = strchr(axis, 'v');
	return cursor && cursor - axis > sought->col;
}

/* Unfolds what ties traces: the last line. */
static void
unfold_ties(struct scene *s)
{
	scene_wait_row(s, "ties ", "^");
	scene_keys(s, "\t9j ");
	scene_wait(s, ">");
}

/* Waits until the ruler has the cursor behind column LEAST. */
static void
wait_cursor(struct scene *s, int least)
{
	if (!scene_awaits(s, is_cursor_behind, &(struct sought){.col = least}))
		scene_fail(s, "the cursor is not behind column %d", least);
}

/* The cursor follows its message when another clock becomes known for it. */
static void
test_timeline_tie(void **state)
{
	struct scene *s = *state;
	struct text soc = {0};
	testdata_path("lab-soc.stp", &soc);
	scene_open(s, 30, 100, "xterm-256color", "demo.stp", soc.data, NULL);
	text_free(&soc);
	scene_wait(s, "2 clocks, not tied");
	scene_keys(s, "3jmaGi\033");
	scene_wait_row(s, ">", " board ");
	scene_wait_row(s, " 0.112", " messages, "); /* the foot: time of the cursor */
	scene_keys(s, "mb:tie a b\r");
	scene_wait(s, "\n tied: ");
	scene_wait_row(s, ">b10:06:40.", " board ");
	scene_wait_row(s, " 10:06:40.", " messages, ");
	scene_quit(s);
}

/* The timeline of the demo: all its messages, each column that has a loss or an
 * error says so, and the list and the cursor go together. */
static void
test_timeline(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "demo.stp", "--ascii", NULL);
	scene_wait(s, "E 15  W 12");
	size_t before = s->sent.length;
	scene_keys(s, "i\033");
	scene_wait(s, " 309 messages here, 1 fatal, 15 errors, 12 warnings, losses in");
	assert_true(s->sent.length - before < 3072);
	scene_wait_row(s, "board ", "~");
	scene_wait_row(s, "board ", "I");
	assert_null(strchr(lane_row(s, "board "), '!')); /* the colour says it */
	scene_wait_row(s, "ties ", "^");
	scene_wait_row(s, "- time  ", " a cell ");

	scene_keys(s, "G"); /* the cursor goes with the list */
	scene_wait(s, "309 of 309");
	wait_cursor(s, 70);
	scene_keys(s, "g\t\033OC\033OC"); /* and the list with the cursor */
	scene_until(s, " 1 of 309", false);
	scene_keys(s, "\033OD\033OD\033OD"); /* to the first that has a time */
	scene_wait(s, " 3 of 309");

	scene_keys(s, "+++"); /* an eighth of the time */
	scene_until(s, " 309 messages here", false);
	scene_keys(s, "ll");
	scene_until(s, " messages here", true);
	scene_keys(s, "0");
	scene_wait(s, " 309 messages here");
	scene_quit(s);
}

/* From A to B: the difference, and only what lies there in the list. */
static void
test_timeline_brush(void **state)
{
	struct scene *s = *state;
	struct truth truth;
	char text[64];
	size_t shown = 0;
	truth_read(&truth, "demo.truth.tsv");
	/* the truth's ticks are of 38.4 MHz */
	uint64_t from = strtoull(truth.rows[TICKS].at[20], NULL, 10);
	uint64_t to = strtoull(truth.rows[TICKS].at[40], NULL, 10);
	for (size_t i = 0; i < truth.rows[TICKS].count; i++) {
		const char *own = truth.rows[TICKS].at[i];
		uint64_t ticks = strtoull(own, NULL, 10);
		shown += *own >= '0' && *own <= '9' && ticks >= from && ticks <= to;
	}
	assert_true(shown > 10 && shown < 100);
	scene_open(s, 24, 80, "xterm-256color", "demo.stp", "--ascii", NULL);
	scene_wait(s, "E 15  W 12");
	scene_wait(s, DEMO_TIME);
	scene_keys(s, "i\03321G\ta");
	scene_keys(s, "41Gb");
	scene_wait(s, " A to B ");
	scene_keys(s, "v");
	scene_wait(s, "only time in ");
	snprintf(text, sizeof text, " of %zu  ", shown);
	scene_wait(s, text);
	scene_quit(s);

	scene_open(s, 24, 80, "xterm-256color", "demo.stp", "--ascii", NULL);
	scene_wait(s, "E 15  W 12");
	scene_wait(s, DEMO_TIME);
	scene_keys(s, "21Gv41Gi\033"); /* a range shows its time */
	scene_wait(s, " messages here");
	scene_until(s, " 309 messages here", false);
	wait_cursor(s, 60); /* nearly at the end */
	scene_quit(s);
	truth_free(&truth);
}

/* On any screen: lanes of a session, origins, places instead of times. */
static void
test_timeline_screens(void **state)
{
	struct scene *s = *state;
	scene_open(s, 50, 200, "xterm-256color", "demo.stp", "+i\033", NULL);
	scene_wait(s, " 309 messages here");
	scene_wait_row(s, "board ", "\u2588"); /* a full block */
	scene_keys(s, "\t ");		       /* a lane for each origin, the busiest ones */
	scene_wait(s, "\n pmic ");
	scene_wait(s, "\n5 more ");
	scene_until(s, "\n 16:256 ", false);
	scene_keys(s, "9j "); /* and all of them */
	scene_wait(s, "\n 16:256 ");
	scene_keys(s, "20k ");
	scene_until(s, "\n pmic ", false);
	scene_quit(s);
	scene_open(s, 24, 80, "xterm-256color", "demo.stp", "--theme=mono", "--ascii", "+i\033",
		   NULL);
	scene_wait(s, " 309 messages here");
	assert_false(scene_has_colours(s));
	scene_wait_row(s, "board ", "!");
	scene_quit(s);
	scene_open(s, 5, 20, "xterm-256color", "demo.stp", "+i\033", NULL);
	scene_wait(s, "of 309"); /* no room: it leaves first */
	scene_until(s, "- time", false);
	scene_keys(s, "\t\\"); /* zoomed it has all */
	scene_until(s, "boa", true);
	scene_quit(s);
	scene_open(s, 24, 80, "xterm-256color", "all-gem.bin", "--ascii", "+i\033", NULL);
	scene_wait(s, "- offsets  "); /* there are no times */
	scene_wait(s, " messages here");
	scene_quit(s);
}

/* The timeline of a session, zoomed: at most 3 KB each time it is drawn. */
static void
test_timeline_bytes(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", "+i\033", NULL);
	scene_wait(s, " 531 messages here");
	scene_wait(s, " 10:06:40.");
	unfold_ties(s);
	scene_keys(s, "\\"); /* all of the screen */
	scene_wait_row(s, "dsp>log ", "^");
	scene_wait_row(s, "soc>hub ", "^");
	scene_check_idle(s);
	static const char *const keys[] = {"+", "+", "l", "+", "-", "-", "-", "0"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t before = s->sent.length;
		scene_keys(s, keys[i]);
		scene_check_idle(s); /* drawn at first sight, and exact */
		assert_true(s->sent.length - before <= 2 * 3072);
	}
	scene_quit(s);
}

/* Moments that two traces have in common: a line for each pair, while both are shown. */
static void
test_timeline_links(void **state)
{
	struct scene *s = *state;
	scene_open(s, 40, 80, "xterm-256color", "lab.yaml", "--ascii", "--theme=mono", "+i\033",
		   NULL);
	unfold_ties(s);
	scene_wait_row(s, "dsp>log ", "^"); /* words and their events */
	scene_wait_row(s, "soc>hub ", "^"); /* ties of the profile */
	scene_wait_row(s, "soc>log ", "^");
	assert_false(scene_has_colours(s));
	scene_keys(s, ":show-trace log\r");
	scene_until(s, "soc>log ", false);
	scene_wait(s, "\nsoc>hub ");
	scene_quit(s);
}

/* Where an offset of the profile sets two traces apart, a line leads from the tick
 * in the first one to the other's, whichever is earlier. */
static void
test_timeline_apart(void **state)
{
	static const char *const seconds[] = {"0.05", "-0.05"};
	static const char *const lines[] = {"<---", "--->"}, *const ends[] = {"---^", "^---"};
	for (int i = 0; i < 2; i++) {
		struct session_fixture f;
		struct scene *s = *state;
		char path[128];
		session_fixture_open(&f, "-c 5000 --rate=0 --jitter=0", NULL);
		snprintf(path, sizeof path, "%s/session.yaml", f.folder);
		FILE *file = fopen(path, "a");
		assert_non_null(file);
		fprintf(file, "  - {kind: offset, trace: dsp.gem, seconds: %s}\n", seconds[i]);
		fclose(file);
		scene_open(s, 40, 80, "xterm-256color", path, "--no-cache", "--ascii", "+i\033",
			   NULL);
		unfold_ties(s);
		scene_wait_row(s, "dsp.gem>dsp.uia ", lines[i]);
		scene_wait_row(s, "dsp.gem>dsp.uia ", ends[i]);
		scene_wait_row(s, "soc.stp>dsp.uia ", "^");
		assert_null(strchr(lane_row(s, "soc.stp>dsp.uia "), '-'));
		scene_quit(s);
		session_fixture_close(&f);
	}
}

/* What held: a lane with the values of the context. */
static void
test_timeline_contexts(void **state)
{
	struct scene *s = *state;
	scene_open(s, 40, 100, "xterm-256color", "all-gem.bin", "--ascii", "+i\033", NULL);
	scene_wait(s, "\nuser ");
	assert_non_null(strchr(lane_row(s, "user "), '['));
	scene_quit(s);
}

/* States of all origins and intervals, whose trace has the cursor: what held as bars with its
 * name, cut with a mark, and what was open with its key where there is room.  That seq 70 was
 * open while the loader ran, until the night was in, stands in three lines. */
static void
test_timeline_states(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", "--ascii", "+i\033", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, "/given up\r");
	scene_wait_row(s, "overlay ", "[day                                ][  ][][night      ");
	scene_wait_row(s, "task ", "][  ][idle ]|");
	scene_wait_row(s, "privilege ", "[M ");
	scene_wait_row(s, "mailbox ", " <>   <>   <=>   <>   <>   <=>   <===>      <>   <>   <=>");
	scene_wait_row(s, "ties ", "^");
	scene_wait(
	    s, "\n 10:06:40.234386371  mailbox seq 70 for 27.799 ms  overlay day  task loader ");
	scene_check_idle(s);
	scene_keys(s, "\t+++");
	scene_wait_row(s, "mailbox ", "<== seq 70 ====");
	scene_wait_row(s, "task ", "[loader ");
	scene_keys(s, "\tjj"); /* a message of another origin: the same lines */
	scene_wait_row(s, "mailbox ", "<== seq 70 ====");
	scene_wait_row(s, "task ", "[loader ");
	scene_quit(s);
}

/* A log of origins whose process is a context: ADD ends each of 2,000 lines, 5 ms apart. */
struct log_scene {
	char folder[32];
	struct text log, profile;
};

static void
open_log(struct scene *s, struct log_scene *l, void (*add)(FILE *, int i))
{
	*l = (struct log_scene){.folder = "/tmp/trawl-states-XXXXXX"};
	assert_non_null(mkdtemp(l->folder));
	text_addf(&l->log, "%s/random.log", l->folder);
	text_addf(&l->profile, "%s/random.yaml", l->folder);
	FILE *file = fopen(text_get(&l->log), "w");
	assert_non_null(file);
	for (int i = 0; i < 2000; i++) {
		fprintf(file, "11-22 10:00:%02d.%03d ", i / 200, i % 200 * 5);
		add(file, i);
	}
	fclose(file);
	file = fopen(text_get(&l->profile), "w");
	assert_non_null(file);
	fprintf(file, "traces: [{file: random.log, format: text, text: {preset: logcat}}]\n"
		      "contexts: [{name: mode, field: pid}]\n");
	fclose(file);
	scene_open(s, 24, 80, "xterm-256color", text_get(&l->profile), "--ascii", "+i\033", NULL);
}

static void
close_log(struct scene *s, struct log_scene *l)
{
	scene_quit(s);
	remove(text_get(&l->log));
	remove(text_get(&l->profile));
	rmdir(l->folder);
	text_free(&l->log);
	text_free(&l->profile);
}

/* tag0 by turns of 1 s, tag1 at each message. */
static void
add_two(FILE *file, int i)
{
	fprintf(file, "  %d   90 I tag%d: text\n", i % 2 ? i % 4 : 800 + i / 200, i % 2);
}

/* Of several origins each has a line, named by it; what is finer than a column is `:`. */
static void
test_timeline_origins(void **state)
{
	struct scene *s = *state;
	struct log_scene l;
	open_log(s, &l, add_two);
	scene_wait_row(s, "tag0 mode ", "[800 ");
	scene_wait_row(s, "tag0 mode ", "][809 ");
	scene_wait_row(s, "tag1 mode ", "::::::::::::::::::::");
	close_log(s, &l);
}

static void
add_many(FILE *file, int i)
{
	fprintf(file, "  %d   90 I tag%d: text\n", 800 + i / 200, i % 70);
}

/* The row that begins with NAME, -1: none. */
static int
find_row(struct scene *s, const char *name)
{
	for (int y = 0; y < s->rows; y++)
		if (!strncmp(emulator_row(s->emulator, y), name, strlen(name)))
			return y;
	return -1;
}

static void
add_twelve(FILE *file, int i)
{
	fprintf(file, "  %d   90 I tag%d: text\n", 800 + i / 200, 11 - i % 12);
}

/* Lines of origins are in the order of their names, numbers in them by size; where there is no
 * room for all, it is said which ones are shown. */
static void
test_timeline_order(void **state)
{
	struct scene *s = *state;
	struct log_scene l;
	open_log(s, &l, add_twelve);
	scene_wait(s, " 2,000 messages here, lanes 1 to 8 of 13");
	int first = find_row(s, "tag0 mode ");
	assert_true(first > 0);
	assert_int_equal(find_row(s, "tag1 mode "), first + 1);
	assert_int_equal(find_row(s, "tag2 mode "), first + 2);
	scene_keys(s, "\t12j");
	scene_wait(s, " 2,000 messages here, lanes 6 to 13 of 13");
	int last = find_row(s, "tag11 mode ");
	assert_int_equal(find_row(s, "tag9 mode "), last - 2);
	assert_int_equal(find_row(s, "tag10 mode "), last - 1);
	scene_keys(s, "\\"); /* on all of the screen */
	scene_wait(s, " 2,000 messages here\n");
	close_log(s, &l);
}

/* What has no line is counted. */
static void
test_timeline_many_origins(void **state)
{
	struct scene *s = *state;
	struct log_scene l;
	open_log(s, &l, add_many);
	scene_wait_row(s, "tag", "[800 ");
	scene_keys(s, "\t70j");
	scene_wait_row(s, "tag69 mode ", "[800]");
	scene_wait(s, " of 66\n"); /* with the line that counts */
	scene_keys(s, "9j");
	scene_wait_row(s, "+6 states ", "have no lane; :table context.NAME of span.NAME has all");
	scene_keys(s, "99k "); /* a lane for each origin */
	scene_wait_row(s, "+6 origins ", "have no lane; :table origin has all");
	close_log(s, &l);
}

/* What a filter hides is low, and not counted; an empty list says that it is. */
static void
test_timeline_filter(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "demo.stp", "--ascii", "+i\033", NULL);
	scene_wait(s, " 309 messages here, 1 fatal, 15 errors, 12 warnings");
	assert_non_null(strpbrk(lane_row(s, "board "), ":iI"));
	scene_keys(s, "&severity = error and text ~ /e/\r");
	scene_wait(s, ", row 1 of 14 ");
	scene_wait(s, " 14 messages here, 14 errors, losses in");
	scene_wait_row(s, "board ", ".");
	scene_keys(s, "&\r");
	scene_wait(s, " 309 messages here, 1 fatal, 15 errors, 12 warnings");
	scene_keys(s, "&text ~ /no such text/\r");
	scene_wait(s, " no message passes the filter");
	scene_wait(s, " 0 messages here");
	assert_null(strpbrk(lane_row(s, "board "), ":iI"));
	scene_quit(s);
	/* an origin without a text */
	scene_open(s, 40, 80, "xterm-256color", "lab.yaml", "--ascii", "+i\033", NULL);
	scene_wait(s, " 531 messages here");
	scene_wait(s, " lab.yaml  5 traces  ");
	scene_keys(s, "\t \\"); /* on all of the screen */
	scene_wait(s, "\n no origin ");
	scene_quit(s);
}

/* How many cells of a row are bars in colour. */
static int
count_coloured(struct scene *s, const char *name)
{
	int count = 0;
	for (int y = 0; y < s->rows; y++)
		for (int x = 0; x < s->cols; x++) {
			struct emulator_cell cell = emulator_cell(s->emulator, y, x);
			count += !strncmp(emulator_row(s->emulator, y), name, strlen(name)) &&
				 cell.coloured && cell.code >= 0x2581 && cell.code <= 0x2588;
		}
	return count;
}

/* The axis says once what all times have in common; errors colour bars, which keep their
 * height; the cursor hides no mark; what holds at the cursor is said in words. */
static void
test_timeline_looks(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "demo.stp", "+&severity = error", "+i\033", NULL);
	scene_wait(s, "15 errors, losses in 2 cells\n");
	assert_true(count_coloured(s, "board ") > 3);
	scene_keys(s, "5G");
	scene_wait(s, "\n     0.00 ");
	assert_non_null(strchr(axis_row(s), 'v'));
	scene_keys(s, "\ta");
	scene_wait(s, " from A ");
	assert_null(strchr(axis_row(s), 'v'));
	assert_non_null(strchr(axis_row(s), 'A'));
	scene_quit(s);

	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", "+i\033", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, "/threadCtxChg 0x80010000 to 0x80010100\r");
	scene_wait(s, "\n  10:06:40.v              .1  ");
	scene_wait(s, "  overlay day  ");
	scene_quit(s);
}

static void
add_pid(FILE *file, int i)
{
	fprintf(file, "  %d   90 I tag%d: text\n", 1000 + i % 700, i % 2);
}

/* A plot goes to its extremes, costs nothing while nothing changes, and can be removed. */
static void
test_timeline_plot(void **state)
{
	struct scene *s = *state;
	struct log_scene l;
	open_log(s, &l, add_pid);
	scene_wait(s, " 2,000 messages here");
	scene_keys(s, ":plot pid of tag0\r");
	scene_wait_row(s, "1698 ", "|");
	scene_wait_row(s, "pid of tag0 ", "|");
	scene_wait_row(s, "1000 ", "|");
	scene_wait(s, " of 1,000 numbers here\n");
	scene_check_idle(s);
	scene_keys(s, "^");
	scene_wait(s, "\n 699 of 2,000 ");
	scene_wait(s, "\n cursor: ");
	scene_keys(s, "_");
	scene_wait(s, "\n 1 of 2,000 ");
	scene_keys(s, ":plot arg.none\r");
	scene_wait(s, "\narg.none\n");
	scene_check_idle(s);
	scene_keys(s, ":plot -2\r");
	scene_until(s, "arg.none", false);
	scene_keys(s, ":plot -1\r");
	scene_until(s, "1698 ", false);
	close_log(s, &l);
}

/* A plot extends as the capture grows. */
static void
test_timeline_plot_grows(void **state)
{
	struct session_fixture f;
	struct scene *s = *state;
	char whole[128], part[128], command[512], before[64] = "";
	session_fixture_open(&f, "-c 40000 --rate=0", NULL);
	snprintf(whole, sizeof whole, "%s/soc.stp", f.folder);
	snprintf(part, sizeof part, "%s/part.stp", f.folder);
	snprintf(command, sizeof command, "head -c 150000 %s >%s", whole, part);
	assert_int_equal(system(command), 0);
	scene_open(s, 24, 80, "xterm-256color", part, "--no-cache", "--ascii", "--follow", NULL);
	scene_wait_at(s, 0, " follow");
	scene_keys(s, ":plot length\r");
	scene_wait(s, " numbers here");
	scene_check_idle(s);
	for (int y = 0; y < s->rows; y++) {
		const char *row = emulator_row(s->emulator, y), *end = strstr(row, " numbers here");
		if (end)
			snprintf(before, sizeof before, "%.*s here", (int)(end + 8 - row), row);
	}
	assert_string_not_equal(before, "");
	snprintf(command, sizeof command, "tail -c +150001 %s >>%s", whole, part);
	assert_int_equal(system(command), 0);
	scene_until(s, before, false);
	scene_wait(s, " numbers here");
	scene_check_idle(s);
	scene_quit(s);
	session_fixture_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_idle_timeline),	  scene_test(test_timeline),
	    scene_test(test_timeline_brush),	  scene_test(test_timeline_screens),
	    scene_test(test_timeline_bytes),	  scene_test(test_timeline_links),
	    scene_test(test_timeline_apart),	  scene_test(test_timeline_many_origins),
	    scene_test(test_timeline_order),	  scene_test(test_timeline_contexts),
	    scene_test(test_timeline_states),	  scene_test(test_timeline_origins),
	    scene_test(test_timeline_filter),	  scene_test(test_timeline_looks),
	    scene_test(test_timeline_tie),	  scene_test(test_timeline_plot),
	    scene_test(test_timeline_plot_grows),
	};
	return scene_run_group("screen: timeline", tests);
}
