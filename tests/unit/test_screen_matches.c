/*
 * The list of matches beside the list of messages, of the session that testdata/lab.yaml
 * names.  What is expected are the messages that batch output prints with the same filter.
 */
#include "config.h"

#include "test.h"

#include "scene.h"

#include <stdio.h>
#include <string.h>

static void
open_lab(struct scene *s, const char *option)
{
	scene_open(s, 30, 120, "xterm-256color", "lab.yaml", option, NULL);
	scene_wait(s, "\302\26123 ns"); /* the clocks are related */
	scene_wait(s, "1 of 531");
	scene_until(s, "idx", false);
}

/* How many messages of all traces pass a filter. */
static size_t
count_in_batch(const char *filter)
{
	struct text out = {0}, arguments = {0};
	size_t count = 0;
	text_addf(&arguments, "-t text -e '%s'", filter);
	batch_print_of("lab.yaml", arguments.data, &out);
	for (size_t i = 0; i < out.length; i++)
		count += out.data[i] == '\n';
	text_free(&arguments);
	text_free(&out);
	return count;
}

static void
wait_rank(struct scene *s, size_t rank, size_t count, const char *pattern)
{
	char title[80];
	snprintf(title, sizeof title, " matches  %zu of %zu  %s ", rank, count, pattern);
	scene_wait(s, title);
}

static void
test_last_search(void **state)
{
	struct scene *s = *state;
	size_t frames = count_in_batch("/frame/");
	open_lab(s, NULL);
	scene_keys(s, ":matches\r");
	scene_wait_id(s, NOTICE_MATCHES_NOTHING_YET, NULL);
	scene_keys(s, "/frame\r");
	scene_wait(s, "match 1 of ");
	scene_keys(s, ":matches\rg");
	wait_rank(s, 1, frames, "/frame/");
	scene_keys(s, "G");
	wait_rank(s, frames, frames, "/frame/");
	/* another search is shown as soon as it is made */
	scene_keys(s, "/timeout\r");
	wait_rank(s, 1, count_in_batch("/timeout/"), "/timeout/");
	scene_keys(s, ":matches\r");
	scene_until(s, " matches  ", false);
	scene_quit(s);
}

/* The cursor moves the list along, and is moved with it. */
static void
test_cursors(void **state)
{
	struct scene *s = *state;
	size_t errors = count_in_batch("severity = error");
	open_lab(s, NULL);
	scene_keys(s, ":matches severity = error\r");
	wait_rank(s, 1, errors, "severity = error");
	scene_wait_row(s, ">", "STP 2.1"); /* the list stays until the cursor moves */
	scene_wait(s, "1 of 531");
	scene_keys(s, "jj");
	wait_rank(s, 3, errors, "severity = error");
	scene_wait_row(s, ">", "E soc camera   frames 7 and 8: lost");
	scene_wait(s, "330 of 531");
	scene_wait(s, "     330 10:06:40.237150970 E soc camera");
	scene_keys(s, "\r"); /* to the list, */
	scene_keys(s, "G");  /* where the cursor takes the other one with it */
	scene_wait(s, "531 of 531");
	wait_rank(s, errors, errors, "severity = error");
	scene_keys(s, "g");
	wait_rank(s, 1, errors, "severity = error");
	scene_wait(s, "1 of 531");
	scene_quit(s);
}

/* The trail leads back to where the list was. */
static void
test_trail(void **state)
{
	struct scene *s = *state;
	open_lab(s, NULL);
	scene_keys(s, "100G");
	scene_wait(s, "100 of 531");
	scene_keys(s, ":matches severity = error\r");
	wait_rank(s, 1, count_in_batch("severity = error"), "severity = error");
	scene_keys(s, "G");
	scene_wait(s, "346 of 531");
	scene_keys(s, "\017");
	scene_wait(s, "100 of 531");
	scene_quit(s);
}

/* What the filters of the screen hide is not listed, nor what another list has. */
static void
test_filters(void **state)
{
	struct scene *s = *state;
	size_t soc = count_in_batch("severity = error and trace = \"soc\"");
	open_lab(s, NULL);
	scene_keys(s, ":filter trace = \"soc\"\r:matches severity = error\r");
	wait_rank(s, 1, soc, "severity = error");
	scene_keys(s, "!"); /* filters off */
	wait_rank(s, 1, count_in_batch("severity = error"), "severity = error");
	scene_keys(s, ":severity fatal\r");
	scene_wait(s, "no row matches");
	scene_wait(s, " matches  0  severity = error ");
	scene_keys(s, "{{{{{{{{]f"); /* the first trace alone */
	scene_wait(s, " soc +4");
	wait_rank(s, 1, soc, "severity = error");
	scene_quit(s);
}

static void
test_mistakes(void **state)
{
	struct scene *s = *state;
	open_lab(s, NULL);
	scene_keys(s, ":matches severity = eror\r");
	scene_wait(s, "eror");
	scene_until(s, "- matches ", false);
	scene_keys(s, ":matches !frame\r");
	scene_wait(s, "&!REGEX hides them");
	scene_quit(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_last_search), scene_test(test_cursors),  scene_test(test_trail),
	    scene_test(test_filters),	  scene_test(test_mistakes),
	};
	return scene_run_group("screen_matches", tests);
}
