/*
 * Search: matches, what stands out, and where the scroll bar says that matches are.
 */
#include "config.h"

#include "test.h"

#include "folder.h"
#include "scene.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The message and the match that the status names, also beside a notice: from 0. */
static void
say_match(char want[static 96], const size_t *matches, size_t match, size_t count)
{
	snprintf(want, 96, " %zu of 309, match %zu of %zu", matches[match] + 1, match + 1, count);
}

static void
test_search(void **state)
{
	struct scene *s = *state;
	struct truth truth;
	size_t matches[64] = {0}, count = 0;
	char want[96];
	truth_read(&truth, "demo.truth.tsv");
	for (size_t i = 0; i < truth.rows[TEXT].count && count < 64; i++)
		if (strstr(truth.rows[TEXT].at[i], "VDD_DSP"))
			matches[count++] = i;
	assert_in_range(count, 6, 63);
	scene_open_demo(s, 24, 80);
	scene_wait(s, "boot rom ");
	scene_keys(s, "/vdd_d.p\r"); /* no capital: either case */
	say_match(want, matches, 0, count);
	scene_wait(s, want);
	scene_keys(s, "2n");
	say_match(want, matches, 2, count);
	scene_wait(s, want);
	scene_keys(s, "N");
	say_match(want, matches, 1, count);
	scene_wait(s, want);
	scene_keys(s, "G5n"); /* a count goes on at the other end, as single steps do, */
	scene_wait_notice(s, NOTICE_SEARCH_WRAPPED_TOP);
	scene_keys(s, "h");
	say_match(want, matches, 4, count);
	scene_wait(s, want);
	scene_keys(s, "1000000007n"); /* but does not go all the rounds */
	scene_wait_notice(s, NOTICE_SEARCH_WRAPPED_TOP);
	scene_keys(s, "h");
	say_match(want, matches, (4 + 1000000007) % count, count);
	scene_wait(s, want);
	scene_keys(s, "1000000007N");
	scene_wait_notice(s, NOTICE_SEARCH_WRAPPED_BOTTOM);
	scene_keys(s, "h");
	say_match(want, matches, 4, count);
	scene_wait(s, want);
	scene_keys(s, "/\\x42 4 2\r"); /* meant for bytes, but none */
	scene_wait_notice(s, NOTICE_SEARCH_REFUSED_AT, (size_t)6,
			  "a byte is two hexadecimal digits");
	scene_keys(s, "/\\xgg\r");
	scene_wait_notice(s, NOTICE_SEARCH_REFUSED_AT, (size_t)3,
			  "a byte is two hexadecimal digits");
	scene_keys(s, "g/\\x56dd_dsp: en\r"); /* a regular expression */
	scene_wait_row(s, ">", "VDD_DSP: enable");
	scene_keys(s, "/VDD_dsp/i\r"); /* unless they say otherwise */
	scene_wait_row(s, ">", "VDD_DSP: ");
	scene_keys(s, "/vdd_dsp/I\r");
	scene_wait_notice(s, NOTICE_SEARCH_NONE, "match");
	scene_keys(s, "g/^pmic$\r"); /* an origin */
	scene_wait_row(s, ">", " pmic ");
	scene_keys(s, "/Vdd_Dsp\r"); /* capitals: this case only */
	scene_wait_notice(s, NOTICE_SEARCH_NONE, "match");
	scene_keys(s, "/(\r");
	scene_wait_id(s, NOTICE_FILTER_REFUSED, "character");
	scene_keys(s, "h");
	scene_wait(s, ", 0 matches"); /* all counted: nothing to stop */
	scene_keys(s, "\003");
	scene_wait_notice(s, NOTICE_KEY_QUITS, "q"); /* and Ctrl-C does not */
	scene_keys(s, "g?VDD_DSP\r");
	scene_wait_notice(s, NOTICE_SEARCH_WRAPPED_BOTTOM);
	scene_quit(s);
	truth_free(&truth);
}

/* What stands in the last column of row 2 + I. */
static char
bar_at(struct scene *s, size_t i)
{
	return (char)emulator_cell(s->emulator, 2 + (int)i, s->cols - 1).code;
}

/* The rows of a scroll bar that have matches of TEXT: those where cells of so many
 * bytes begin (1: the messages themselves) that hold one.  How many there are. */
static size_t
find_bar(const struct truth *truth, const char *text, uint64_t cell, bool matches[static 21])
{
	size_t last = truth->rows[OFFSET].count - 1, count = 0;
	uint64_t size = strtoull(truth->rows[OFFSET].at[last], NULL, 10) +
			strtoull(truth->rows[LENGTH].at[last], NULL, 10);
	memset(matches, 0, 21 * sizeof *matches);
	for (size_t i = 0; i <= last; i++)
		if (strstr(truth->rows[TEXT].at[i], text)) {
			uint64_t at = strtoull(truth->rows[OFFSET].at[i], NULL, 10);
			matches[at / cell * cell * 21 / size] = true;
			count++;
		}
	return count;
}

/* A scroll bar tells where matches are: in a large capture by cells of 64 KiB, in a
 * small one by messages. */
static void
test_scroll_bar(void **state)
{
	static const struct {
		unsigned count;
		const char *end, *text;
		uint64_t cell;
	} cases[] = {{60000, "1 of 60,000", "flush recover", 65536},
		     {8000, "1 of 8,000", "zone ring", 1}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct scene *s = *state;
		struct truth truth;
		struct text capture = {0}, truth_path = {0}, keys = {0};
		bool matches[21];
		size_t rows = 0, count = 0;
		truth_make_capture(cases[k].count, &capture, &truth_path);
		truth_read(&truth, truth_path.data);
		count = find_bar(&truth, cases[k].text, cases[k].cell, matches);
		scene_open_made(s, capture.data, cases[k].end);
		scene_keys(s, ":set bar=true\r");
		scene_wait_at(s, 2, "|"); /* the first rows are on the screen */
		text_addf(&keys, "/%s\r", cases[k].text);
		scene_keys(s, keys.data);
		text_clear(&keys);
		text_addf(&keys, ", match 1 of %zu ", count);
		scene_wait(s, keys.data);
		for (size_t i = 0; i < 21; i++) {
			rows += matches[i];
			if ((bar_at(s, i) == '=') != matches[i])
				scene_fail(s, "row %zu of the bar: '%c'", i, bar_at(s, i));
		}
		assert_in_range(rows, 3, 18); /* or it tells nothing */
		scene_keys(s, "Gmx");
		scene_wait(s, ">x");
		assert_int_equal(bar_at(s, 20), 'x');
		scene_keys(s, ":set bar=false\r");
		scene_until(s, "=\n", false);
		scene_quit(s);
		unlink(capture.data);
		unlink(truth_path.data);
		text_free(&keys);
		text_free(&capture);
		text_free(&truth_path);
		truth_free(&truth);
	}
}

/* What was searched for before the last time stands out still, in another way. */
static void
test_highlights(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_wait(s, "boot rom ");
	scene_keys(s, "/rail VDD\r/VDD_CORE\r6G");
	scene_wait(s, " 6 of 309, match 1 of ");
	const char *row = emulator_row(s->emulator, 7);
	int rail = (int)(strstr(row, "rail VDD_CORE") - row);
	assert_true(emulator_cell(s->emulator, 7, rail).coloured);
	assert_true(emulator_cell(s->emulator, 7, rail).bold);
	assert_true(emulator_cell(s->emulator, 7, rail + 5).coloured);
	assert_false(emulator_cell(s->emulator, 7, rail + 5).bold);
	scene_keys(s, "\033T");
	scene_wait(s, "T:start");
	row = emulator_row(s->emulator, 7);
	rail = (int)(strstr(row, "rail VDD_CORE") - row);
	assert_false(emulator_cell(s->emulator, 7, rail).coloured);
	int pmic = (int)(strstr(row, " pmic ") - row);
	int before = emulator_cell(s->emulator, 7, pmic + 1).fg;
	scene_keys(s, "/^PMIC/i\r6G"); /* in the column of origins */
	scene_wait(s, " 6 of 309, match ");
	assert_int_not_equal(emulator_cell(s->emulator, 7, pmic + 1).fg, before);
	scene_quit(s);
}

/* Times that step back are marked, and found. */
static void
test_steps_back(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "all-csel.csel", "--ascii", NULL);
	scene_wait(s, " 1 of 412");
	scene_wait_row(s, " ^06:22:21.108252", " timestamp_regression");
	scene_keys(s, "]b");
	scene_wait_row(s, ">^06:22:21.108252", " timestamp_regression");
	scene_wait(s, " 7 of 412");
	scene_keys(s, "]b");
	scene_wait(s, " 105 of 412");
	scene_keys(s, "[b");
	scene_wait(s, " 7 of 412");
	scene_keys(s, "&steps_back\r");
	scene_wait(s, ", row 1 of 2 ");
	scene_quit(s);
}

/* A capture made as OPTIONS say, from SINCE on, where TIME is that of the first row. */
static void
look_since(struct scene *s, const char *options, const char *traces, const char *since,
	   const char *time)
{
	struct folder folder;
	char command[512], path[128], profile[128];
	folder_make(&folder);
	snprintf(path, sizeof path, "%s", folder_path(&folder, "t.bin"));
	snprintf(profile, sizeof profile, "%s", folder_path(&folder, "p.yaml"));
	folder_put_text(&folder, "p.yaml", traces);
	snprintf(command, sizeof command, "%s %s -o %s", getenv("MKCAPTURE"), options, path);
	assert_int_equal(system(command), 0);
	scene_open(s, 24, 120, "xterm-256color", path, "-p", profile, "--no-cache", "-S", since,
		   scene_numbered(), "+:pause", NULL);
	scene_wait(s, "% paused");
	scene_wait_row(s, ">", "~");
	scene_wait_row(s, ">", time);
	scene_keys(s, "h");
	scene_wait(s, " shown"); /* there are rows, though none is counted */
	scene_until(s, "none yet", false);
	scene_keys(s, ":pause\r");
	scene_keys(s, "h");
	if (strstr(options, "raw")) { /* with catalog messages */
		scene_wait_id(s, NOTICE_NO_COLLATERAL, NULL);
		scene_keys(s, "h");
	}
	scene_wait(s, ", row 1 of ");
	scene_until(s, "~", false);
	scene_wait_row(s, ">", time);
	scene_quit(s);
	folder_remove(&folder);
}

/* What is asked for by time is on the screen before the index is there, as an estimate. */
static void
test_since(void **state)
{
	look_since(*state, "-f syst/raw -n 4M",
		   "traces:\n  - {match: t.bin, format: syst/raw, clock: {hz: 1000000}}\n", "+3s",
		   " 1700000003.0000");
	look_since(*state, "-f syst/stp -m text -n 8M",
		   "traces: [{match: t.bin, format: syst/stp}]\n", "+300ms", " 3.3000");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_search),	 scene_test(test_scroll_bar), scene_test(test_highlights),
	    scene_test(test_steps_back), scene_test(test_since),
	};
	return scene_run_group("screen: search", tests);
}
