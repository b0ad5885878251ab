/*
 * Gaps on the screen, of the session that testdata/lab.yaml names: jumps over them, the
 * list of the longest, and columns.  What is expected are differences of the times that
 * the list shows.
 */
#include "config.h"

#include "test.h"

#include "scene.h"
#include "temp_file.h"

#include <stdio.h>
#include <unistd.h>

static void
open_lab(struct scene *s, const char *option)
{
	scene_open(s, 30, 120, "xterm-256color", "lab.yaml", option, NULL);
	scene_wait(s, " 10:06:40."); /* the clocks are known */
	scene_wait(s, "1 of 531");
	scene_until(s, "idx", false);
}

/* Over all traces, among the rows shown. */
static void
test_jumps(void **state)
{
	struct scene *s = *state;
	open_lab(s, NULL);
	scene_keys(s, "gs");
	scene_wait_notice(s, NOTICE_GAP_BEFORE, "8.159 ms");
	scene_wait_row(s, ">", "10:06:40.014803912 ");
	scene_wait_row(s, ">", " log");
	scene_keys(s, "s");
	scene_wait_notice(s, NOTICE_GAP_BEFORE, "14.901 ms");
	scene_wait_row(s, ">", "10:06:40.033746000 ");
	scene_wait_row(s, ">", " cam");
	scene_keys(s, "s");
	scene_wait_notice(s, NOTICE_GAP_BEFORE, "8.568 ms");
	scene_wait_row(s, ">", "10:06:40.048544556 ");
	scene_wait_row(s, ">", " log");
	scene_keys(s, "2S");
	scene_wait_notice(s, NOTICE_GAP_BEFORE, "8.159 ms");
	scene_keys(s, "301Gs");
	scene_wait_row(s, ">", "10:06:40.249151159 ");
	scene_wait_row(s, ">", " soc");
	scene_quit(s);
}

static void
test_pane(void **state)
{
	struct scene *s = *state;
	open_lab(s, NULL);
	scene_keys(s, ":gaps\r");
	scene_wait(s, "gaps  100 longest");
	scene_wait(s, " 15.016 ms  10:06:40.118728211 10:06:40.133745000     165  soc display ");
	scene_wait(s, " 14.901 ms  10:06:40.018844543 10:06:40.033746000      63  ");
	scene_keys(s, "j\r");
	scene_wait_row(s, ">", "10:06:40.033746000 ");
	scene_wait(s, " 63 of 531");
	scene_wait_row(s, ">", " cam");
	scene_keys(s, ":gaps 14.9ms\r");
	scene_wait(s, "gaps  2 of at least 14.9 ms, longest first");
	scene_keys(s, ":gaps 1 fortnight\r");
	scene_wait_id(s, NOTICE_GAP_LENGTH, NULL);
	scene_keys(s, ":show-trace cam\r");
	scene_until(s, "cam camera frames", false);
	scene_wait(s, " 15.022 ms  10:06:40.118728211 10:06:40.133751086  ");
	scene_keys(s, "q");
	scene_until(s, "of at least", false);
	scene_quit(s);
}

/* A column that the screen has no room for is marked as cut. */
static void
test_narrow(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, ":gaps\r");
	scene_wait(
	    s, " 15.016 ms  10:06:40.118728211 10:06:40.133745000     165  soc display  cam cam>");
	scene_quit(s);
}

/* Behind rows without a time too. */
static void
test_columns(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH], option[48];
	temp_make_text(path, ".yaml",
		       "columns:\n"
		       "  - {name: time}\n"
		       "  - {name: delta, width: 12, align: right}\n"
		       "  - {name: gap, width: 11, align: right}\n"
		       "  - {name: text}\n");
	snprintf(option, sizeof option, "--view=%s", path);
	open_lab(s, option);
	scene_keys(s, "311G");
	scene_wait(s, "10:06:40.234909649   +20.347 us   20.347 us log   overlay 2: in after");
	/* among fewer rows delta grows, and gap does not */
	scene_keys(s, "&severity <= warning and text ~ /overlay|timeout/\r");
	scene_wait(s, "10:06:40.234909649   +28.272 ms   20.347 us log   overlay 2: in after");
	scene_quit(s);
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {scene_test(test_jumps), scene_test(test_pane),
					   scene_test(test_columns), scene_test(test_narrow)};
	return scene_run_group("screen: gaps", tests);
}
