/*
 * Filters: the line that is typed, the rows they leave, and the pane that lists them.
 */
#include "config.h"

#include "test.h"

#include "base/text.h"
#include "base/thread.h"
#include "base/vec.h"
#include "scene.h"
#include "temp_file.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
test_filters(void **state)
{
	struct scene *s = *state;
	struct truth truth;
	unsigned fatal = 0, errors = 0, max = 0, none = 0;
	char want[64];
	truth_read(&truth, "all-raw.truth.tsv");
	for (size_t i = 0; i < truth.rows[SEVERITY].count; i++) {
		const char *severity = truth.rows[SEVERITY].at[i];
		fatal += !strcmp(severity, "FATAL");
		errors += !strcmp(severity, "ERROR");
		max += !strcmp(severity, "MAX");
		none += !strcmp(severity, "none");
	}
	scene_open(s, 24, 80, "xterm-256color", "all-raw.bin", NULL);
	scene_wait(s, "1 of 400");
	scene_keys(s, ":severity error\r");
	scene_wait(s, "ERROR+");
	scene_keys(s, "g");
	snprintf(want, sizeof want, "row 1 of %u ", max + fatal + errors);
	scene_wait(s, want);
	snprintf(want, sizeof want, "only ERROR+  hides %u without severity ", none);
	scene_wait_at(s, 0, want);
	scene_keys(s, "a-");
	scene_wait_at(s, 0, "only ERROR+ or none ");
	scene_keys(s, "g");
	snprintf(want, sizeof want, "row 1 of %u ", max + fatal + errors + none);
	scene_wait(s, want);
	scene_keys(s, "a-");
	scene_wait_at(s, 0, "only ERROR+  hides ");
	scene_keys(s, "&trace_number < 300\r"); /* hides some of them, too: no count */
	scene_wait_at(s, 0, "  hides those without severity ");
	scene_keys(s, "u");
	scene_wait_at(s, 0, "only ERROR+  hides ");
	scene_keys(s, "}");
	scene_keys(s, "g");
	snprintf(want, sizeof want, "row 1 of %u ", max + fatal);
	scene_wait(s, want);

	scene_keys(s, "!"); /* off: all rows, at the same place */
	scene_wait_notice(s, NOTICE_FILTERS_OFF);
	scene_keys(s, "101G");
	scene_wait(s, "101 of 400");
	scene_keys(s, "!");
	scene_wait(s, "only FATAL+");
	scene_keys(s, "!"); /* nothing moved: back to where it was */
	scene_wait_notice(s, NOTICE_FILTERS_OFF);
	scene_keys(s, "h");
	scene_wait(s, "101 of 400");

	/* a new filter takes the cursor along, and what was before the only row that is
	 * left is there again with the others */
	scene_keys(s, ":severity all\r");
	scene_keys(s, "&trace_number = 300\r");
	scene_wait(s, "301 of 400, row 1 of 1 ");
	scene_keys(s, "!");
	scene_wait_notice(s, NOTICE_FILTERS_OFF);
	scene_keys(s, "h");
	scene_wait(s, "301 of 400");
	bool above = false;
	for (int y = 6; y < 23; y++)
		above |= emulator_row(s->emulator, y)[0] == '>';
	assert_true(above);
	scene_quit(s);
	truth_free(&truth);
}

/* That the screen shows the messages of ROWS from FIRST on. */
static void
check_page(struct scene *s, const struct truth *truth, const size_t *rows, size_t first)
{
	for (int row = 2; row < 23; row++)
		truth_check_row(emulator_row(s->emulator, row), truth,
				rows[first + (size_t)row - 2]);
}

/* Rows of a filtered list are numbered, paged through and jumped about in as
 * those of any list; matches of a search are numbered among them. */
static void
test_filtered_list(void **state)
{
	struct scene *s = *state;
	struct truth truth;
	struct text capture = {0}, truth_path = {0};
	VEC(size_t) rows = {0}, matches = {0};
	char want[80];
	truth_make_capture(60000, &capture, &truth_path);
	truth_read(&truth, truth_path.data);
	size_t last = truth.rows[OFFSET].count - 1, middle = 0;
	size_t size = strtoull(truth.rows[OFFSET].at[last], NULL, 10) +
		      strtoull(truth.rows[LENGTH].at[last], NULL, 10);
	for (size_t i = 0; i <= last; i++) {
		const char *severity = truth.rows[SEVERITY].at[i];
		if (strcmp(severity, "ERROR") != 0 && strcmp(severity, "FATAL") != 0 &&
		    strcmp(severity, "MAX") != 0)
			continue;
		if (strtoull(truth.rows[OFFSET].at[i], NULL, 10) < size / 2)
			middle = rows.count + 1;
		if (strstr(truth.rows[TEXT].at[i], "flush"))
			*vec_add(&matches) = rows.count;
		*vec_add(&rows) = i;
	}
	assert_true(rows.count > 200 && matches.count > 3);

	scene_open_made(s, capture.data, "1 of 60,000");
	scene_keys(s, ":severity error\rg");
	snprintf(want, sizeof want, "row 1 of %zu ", rows.count);
	scene_wait(s, want);
	check_page(s, &truth, rows.at, 0);
	scene_keys(s, " ");
	snprintf(want, sizeof want, "row 22 of %zu ", rows.count);
	scene_wait(s, want);
	check_page(s, &truth, rows.at, 21);
	scene_keys(s, "G");
	snprintf(want, sizeof want, "row %zu of %zu ", rows.count, rows.count);
	scene_wait(s, want);
	check_page(s, &truth, rows.at, rows.count - 21);
	scene_keys(s, "50%");
	snprintf(want, sizeof want, "row %zu of %zu ", middle + 1, rows.count);
	scene_wait(s, want);
	truth_check_row(scene_row(s, ">"), &truth, rows.at[middle]);
	scene_keys(s, "g100j");
	snprintf(want, sizeof want, "row 101 of %zu ", rows.count);
	scene_wait(s, want);

	scene_keys(s, "g/flush\r");
	snprintf(want, sizeof want, "row %zu of %zu, match 1 of %zu ", matches.at[0] + 1,
		 rows.count, matches.count);
	scene_wait(s, want);
	scene_keys(s, "2n");
	snprintf(want, sizeof want, ", match 3 of %zu ", matches.count);
	scene_wait(s, want);
	truth_check_row(scene_row(s, ">"), &truth, rows.at[matches.at[2]]);
	scene_keys(s, "N");
	snprintf(want, sizeof want, ", match 2 of %zu ", matches.count);
	scene_wait(s, want);
	scene_keys(s, "g");
	snprintf(want, sizeof want, ", %zu matches ", matches.count);
	scene_wait(s, want);
	scene_keys(s, "\033");
	scene_until(s, "match", false);
	scene_quit(s);
	unlink(capture.data);
	unlink(truth_path.data);
	text_free(&capture);
	text_free(&truth_path);
	vec_free(&rows);
	vec_free(&matches);
	truth_free(&truth);
}

static void
test_filter_language(void **state)
{
	struct scene *s = *state;
	struct truth truth;
	size_t first = SIZE_MAX, last = 0;
	char top[32], bottom[32];
	truth_read(&truth, "all-raw.truth.tsv");
	for (size_t i = 0; i < truth.rows[SEVERITY].count; i++) {
		if (strcmp(truth.rows[SEVERITY].at[i], "FATAL") != 0)
			continue;
		first = first < i ? first : i;
		last = i;
	}
	assert_true(first < last);
	snprintf(top, sizeof top, "%zu of 400", first + 1);
	snprintf(bottom, sizeof bottom, "%zu of 400", last + 1);

	scene_open(s, 24, 80, "xterm-256color", "all-raw.bin", NULL);
	scene_wait(s, "1 of 400");
	scene_keys(s, "&sever\t = fat\r"); /* Tab completes the name */
	scene_wait(s, "only severity = fat");
	scene_keys(s, "g");
	scene_wait(s, top);
	scene_keys(s, "G");
	scene_wait(s, bottom);

	scene_keys(s, "&severity = loud\r"); /* meant to be one, so no regex */
	scene_wait(s, "loud is not a severity (column 12)");
	scene_keys(s, "&severity (\r"); /* not meant: a regex, and wrong */
	scene_wait(s, "missing closing parenthesis");
	scene_wait(s, "only severity = fat");

	scene_keys(s, "&no such text\r");
	scene_wait_notice(s, NOTICE_FILTER_REPLACED, "severity = fat", "u");
	scene_wait(s, "only /no such text/");
	scene_wait(s, "no message passes the filters");
	scene_keys(s, "&!a/b\r");
	scene_wait(s, "without /a\\/b/");
	scene_keys(s, "g");
	scene_wait(s, "1 of 400");
	scene_keys(s, ":filter kind = cat\r");
	scene_wait(s, "no kind of message is named cat");
	scene_keys(s, ":filter not severity = fatal and trace_number <= ");
	snprintf(top, sizeof top, "%zu\r", first);
	scene_keys(s, top);
	scene_wait(s, "only not severity");
	scene_keys(s, "G");
	snprintf(bottom, sizeof bottom, "%zu of 400", first);
	scene_wait(s, bottom);
	scene_keys(s, "&\r"); /* all again, at the same place */
	scene_until(s, "only", false);
	scene_wait(s, bottom);
	scene_keys(s, "g");
	scene_wait(s, "1 of 400");
	scene_quit(s);
	truth_free(&truth);
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
	static const struct {
		int rows, cols;
		const char *theme;
	} screens[] = {{24, 80, "--theme=default"}, {50, 200, "--theme=mono"}};
	struct truth truth;
	truth_read(&truth, "all-raw.truth.tsv");
	size_t debug = truth_count(&truth, "DEBUG", NULL, 0);
	size_t errors = truth_count(&truth, "ERROR", NULL, 0);
	size_t late = truth_count(&truth, NULL, NULL, 5000);
	size_t both = truth_count(&truth, "DEBUG", NULL, 5000);
	size_t none = truth_count(&truth, "MAX", NULL, 0);
	assert_true(debug > both && both && late > both && errors && none);
	for (size_t i = 0; i < 2; i++) {
		struct scene *s = *state;
		scene_open(s, screens[i].rows, screens[i].cols, "xterm-256color", "all-raw.bin",
			   (char *)screens[i].theme, NULL);
		scene_wait(s, "1 of 400");
		scene_keys(s, "|B"); /* below the list, so that rows begin with it */
		scene_wait(s, "no filters; a adds one");
		scene_keys(s, "aseverity = debug\r");
		scene_wait_count(s, " [x] 1 in  severity = debug", debug);
		wait_shown(s, debug);
		scene_keys(s, "aoffset >= 5000\r");
		scene_wait_count(s, " [x] 2 in  offset >= 5000", late);
		wait_shown(s, both);
		scene_keys(s, "i");
		scene_wait(s, " [x] 2 out offset >= 5000");
		wait_shown(s, debug - both);
		scene_keys(s, " ");
		scene_wait(s, " [ ] 2 out offset");
		wait_shown(s, debug);
		scene_keys(s, "e\025severity = err\r"); /* it hides still */
		scene_wait_count(s, " [x] 2 out severity = err", errors);
		scene_keys(s, "k");
		scene_keys(s, "d");
		scene_wait(s, " [x] 1 out severity = err");
		wait_shown(s, 400 - errors);
		scene_keys(s, "!");
		scene_wait_notice(s, NOTICE_FILTERS_OFF);
		scene_keys(s, "!0"); /* a digit is no count here */
		wait_shown(s, 400 - errors - none);
		scene_keys(s, "7");
		wait_shown(s, 400 - errors - none - debug);
		scene_keys(s, "g07 "); /* under the cursor: those without one */
		wait_shown(s, 400 - errors - none);
		scene_keys(s, "&\r"); /* drops the whole list, not the severities */
		scene_wait(s, "no filters");
		wait_shown(s, 400 - none);
		scene_keys(s, "q");
		scene_until(s, "filters", false);
		scene_quit(s);
	}
	truth_free(&truth);
}

/* The list of filters is kept, with all that was said of each. */
static void
test_filter_session(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH], option[48];
	temp_make_text(path, ".yaml", "marks: []\n");
	snprintf(option, sizeof option, "--session=%s", path);
	scene_open(s, 24, 100, "xterm-256color", "demo.stp", option, NULL);
	scene_wait(s, "1 of 309");
	scene_keys(s, "&severity = debug\rB3a!a\"b\raoffset > 5\rG :save\r");
	scene_wait_id(s, NOTICE_SAVED, "0");
	scene_quit(s);
	scene_open(s, 24, 100, "xterm-256color", "demo.stp", option, NULL);
	scene_wait(s, "only severities FEI12D- or none severity = debug without /a\"b/");
	scene_keys(s, "B");
	scene_wait(s, " W 12 [I]");
	scene_wait(s, "[none]17 [-]0");
	scene_wait(s, " [x] 2 out /a\"b/");
	scene_wait(s, " [ ] 3 in  offset > 5");
	scene_quit(s);
	unlink(path);
}

/* While a filter is typed nothing changes but what is said of it. */
static void
test_preview(void **state)
{
	struct scene *s = *state;
	struct truth truth;
	char want[64], shown[8][90];
	truth_read(&truth, "demo.truth.tsv");
	size_t all = truth_count(&truth, "INFO", NULL, 0), here = 0;
	for (size_t i = 0; i < 21; i++)
		here += !strcmp(truth.rows[SEVERITY].at[i], "INFO");
	scene_open_demo(s, 24, 80);
	scene_wait(s, "boot rom ");
	scene_wait(s, "E 15  W 12");
	scene_wait(s, DEMO_TIME);
	scene_check_idle(s);
	for (int i = 0; i < 8; i++)
		snprintf(shown[i], sizeof shown[i], "%s", emulator_row(s->emulator, i));
	scene_keys(s, "&severity = inf");
	snprintf(want, sizeof want, "ok, %zu on screen, %zu in all", here, all);
	scene_wait(s, want);
	scene_keys(s, "x");
	scene_wait(s, "infx is not a severity");
	scene_wait(s, "(column 12)");
	scene_keys(s, "\177 or (");
	scene_wait(s, "(column 20)");
	scene_keys(s, "\025severity ~ \"a\" or text = \"bbb\""); /* no room for the advice */
	scene_wait_row(s, "&severity ~ \"a\"", "  severity is not text (column 12)");
	for (int i = 0; i < 8; i++)
		assert_string_equal(shown[i], emulator_row(s->emulator, i));
	scene_keys(s, "\033");
	scene_until(s, "column", false);
	scene_wait(s, "1 of 309");
	scene_keys(s, "&severity <= fatal"); /* what reads like a number's order */
	scene_wait(s, " in all; < is milder, > is worse");
	scene_keys(s, "\025severity >= error");
	scene_wait(s, " in all; not those without one");
	scene_keys(s, "\025severity = max"); /* nothing has it; JSON lines name none so */
	scene_wait(s, "; = none finds SyS-T's MAX of JSON");
	scene_keys(s, "\025severity = fatal");
	scene_until(s, "without one", false);
	scene_keys(s, "\025!zzz");
	scene_wait(s, "regex, 21 on screen, 309 in all");
	scene_keys(s, "\r");
	scene_wait(s, "without /zzz/");
	scene_quit(s);
	truth_free(&truth);
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
			scene_wait_at(s, y, start); /* the rows come as they are found */
	}
}

/* Rows around those that pass: the same as in the truth. */
static void
test_surround(void **state)
{
	struct scene *s = *state;
	struct truth truth;
	VEC(size_t) rows = {0};
	char want[64];
	truth_read(&truth, "all-raw.truth.tsv");
	size_t count = truth.rows[OFFSET].count;
	for (size_t i = 0; i < count; i++) {
		bool near = false;
		for (size_t k = i < 2 ? 0 : i - 2; k <= i + 2 && k < count; k++)
			near |= !strcmp(truth.rows[SEVERITY].at[k], "FATAL");
		if (near)
			*vec_add(&rows) = i;
	}
	assert_true(rows.count > 60 && rows.count < count);
	scene_open(s, 24, 80, "xterm-256color", "all-raw.bin", NULL);
	scene_wait(s, "1 of 400");
	scene_keys(s, "&severity = fatal\r3z[zg");
	scene_wait(s, "context 2");
	snprintf(want, sizeof want, ", %zu shown", truth_count(&truth, "FATAL", NULL, 0));
	scene_wait(s, want); /* what is around is not counted */
	snprintf(want, sizeof want, "\n %zu of 400", rows.at[0] + 1);
	scene_wait(s, want);
	check_texts(s, &truth, rows.at, 0);
	scene_keys(s, " ");
	snprintf(want, sizeof want, " %zu of 400", rows.at[21] + 1);
	scene_wait(s, want);
	check_texts(s, &truth, rows.at, 21);
	scene_keys(s, "G");
	snprintf(want, sizeof want, " %zu of 400", rows.at[rows.count - 1] + 1);
	scene_wait(s, want);
	check_texts(s, &truth, rows.at, rows.count - 21);
	scene_keys(s, "10k20[z!");
	scene_wait_notice(s, NOTICE_FILTERS_OFF);
	scene_keys(s, "!g");
	scene_wait(s, "row 1 of ");
	scene_quit(s);
	vec_free(&rows);
	truth_free(&truth);
}

/* A log of which every seventh line, from the first on, has a word. */
enum { LINES = 30000, SEVENTHS = (LINES + 6) / 7 };

static void
write_log(struct text *log)
{
	for (unsigned i = 0; i < LINES; i++)
		text_addf(log, "11-22 10:%02u:%02u.%03u  80  80 I a: %s number %u of a log\n",
			  i / 60000, i / 1000 % 60, i % 1000, i % 7 ? "text" : "seventh", i);
}

/* Milliseconds from a key to a text. */
static int64_t
time_keys(struct scene *s, const char *keys, const char *want)
{
	int64_t began = thread_now_ms();
	scene_keys(s, keys);
	scene_wait(s, want);
	return thread_now_ms() - began;
}

/* How many a filter leaves is there once it is counted, not when progress is painted next, half a
 * second later: at the best of a few times, as the machine may be busy. */
static void
test_count_at_once(void **state)
{
	struct scene *s = *state;
	struct text log = {0};
	char path[TEMP_PATH], want[64], keys[64];
	int64_t best = INT64_MAX;
	write_log(&log);
	temp_make(path, ".log", log.data, log.length);
	scene_open(s, 24, 80, "xterm-256color", path, NULL);
	scene_wait(s, "1 of 30,000");
	scene_until(s, "idx", false);
	snprintf(want, sizeof want, "row 1 of %u,%03u ", SEVENTHS / 1000, SEVENTHS % 1000);
	for (int i = 0; i < 20 && best >= 450; i++) {
		snprintf(keys, sizeof keys, "&text ~ \"seventh number [0-9]{1,%d}\"\r", 6 + i);
		int64_t took = time_keys(s, keys, want); /* another one each time */
		best = took < best ? took : best;
		scene_keys(s, "u");
		scene_wait_id(s, NOTICE_UNDONE, NOTICE_FILTERS_CLEARED);
	}
	assert_true(best < 450);
	scene_check_idle(s);
	scene_quit(s);
	unlink(path);
	text_free(&log);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_filters),	      scene_test(test_filtered_list),
	    scene_test(test_filter_language), scene_test(test_filter_list),
	    scene_test(test_filter_session),  scene_test(test_preview),
	    scene_test(test_surround),	      scene_test(test_count_at_once),
	};
	return scene_run_group("screen: filters", tests);
}
