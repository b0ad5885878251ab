/*
 * Two runs compared on the screen: the demo with its fault, and without.  What is expected
 * is what batch output says of both.
 */
#include "config.h"

#include "test.h"

#include "folder.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>

/* The session without the fault, below a folder of its own. */
static void
make_good(struct folder *folder, struct text *path)
{
	static const char *const files[] = {"lab.yaml",	   "lab-soc.stp",  "lab-dsp.gem",
					    "lab-dsp.uia", "lab-cam.csel", "lab-hub.enc",
					    "lab-hub.elf", "lab.truth.tsv"};
	struct text command = {0};
	const char *mkcapture = getenv("MKCAPTURE");
	if (!mkcapture)
		skip();
	folder_make(folder);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		folder_path(folder, files[i]);
	text_addf(&command, "%s lab-good %s", mkcapture, folder->path);
	assert_int_equal(system(command.data), 0);
	text_addf(path, "%s/lab.yaml", folder->path);
	text_free(&command);
}

/* Only the software of the SoC, which has 17 differences. */
static void
open_soc(struct scene *s, int rows, int cols, const char *good)
{
	/* options come before the capture */
	scene_open(s, rows, cols, "xterm-256color", "lab.yaml", "--compare", "--source=soc", good,
		   NULL);
}

static void
test_differences(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	struct text good = {0};
	make_good(&folder, &good);
	open_soc(s, 30, 120, good.data);
	scene_wait(s, "  17 differences from ");
	scene_keys(s, "]d");
	scene_wait_notice(s, NOTICE_DIFFERENCE, (size_t)1, (size_t)17,
			  "missing soc: STP 2.1, natural times");
	scene_keys(s, "/bark\r");
	scene_wait_row(s, ">+", "watchdog bark: no frame");
	scene_keys(s, "]d");
	scene_wait_id(s, NOTICE_DIFFERENCE, "extra soc watchdog: bite: camera restarted");
	scene_wait_row(s, ">+", "watchdog bite");
	scene_keys(s, "[d");
	scene_wait_id(s, NOTICE_DIFFERENCE, "extra soc watchdog: bark: no frame for 60 ms");
	scene_keys(s, "gg[d");
	scene_wait_id(s, NOTICE_DIFFERENCE_WRAPPED_BOTTOM, "17");
	scene_keys(s, "]d");
	scene_wait_notice(s, NOTICE_DIFFERENCE_WRAPPED_TOP, (size_t)1, (size_t)17, "");
	scene_keys(s, ":differences\r");
	scene_wait(s, "differences  17 from /");
	scene_wait(s, "kind    good bad time");
	scene_wait(s, "soc camera  frame 7: exposure, 3 lx");
	scene_keys(s, "G\r");
	scene_wait_row(s, ">+", "streaming again");
	scene_keys(s, ":differences\r");
	scene_until(s, "differences  17 from", false);
	scene_check_idle(s);
	scene_quit(s);
	text_free(&good);
	folder_remove(&folder);
}

/* In 80 columns there is room for what the message under the cursor was, which its row lacks. */
static void
test_changed(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	struct text good = {0};
	make_good(&folder, &good);
	open_soc(s, 24, 80, good.data);
	scene_wait(s, "17 differences");
	scene_keys(s, "/retry 1\r");
	scene_wait_row(s, ">+", "no ack for seq 70, retry 1 of 2");
	scene_keys(s, "[d]d");
	scene_wait_id(s, NOTICE_DIFFERENCE, "changed  [was: ack seq 70 ");
	scene_quit(s);
	text_free(&good);
	folder_remove(&folder);
}

static void
test_equal(void **state)
{
	struct scene *s = *state;
	struct text lab = {0};
	testdata_path("lab.yaml", &lab);
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", "--compare", lab.data, NULL);
	scene_wait(s, "  no difference from ");
	scene_keys(s, "]d");
	scene_wait_notice(s, NOTICE_COMPARE_EQUAL);
	scene_keys(s, "\033OP"); /* what goes to differences is there, as they are asked for */
	scene_wait(s, "]d [d difference");
	scene_keys(s, "\033OP");
	scene_until(s, "keys of the", false);
	scene_quit(s);
	text_free(&lab);
}

/* Two good runs without noise: two steps are longer than in both, if less than twice as long. */
static void
test_several(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	struct text good = {0};
	make_good(&folder, &good);
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", "--compare", "--source=soc", good.data,
		   good.data, "--", NULL);
	scene_wait(s, "19 differences from 2 good runs, nearest: ");
	scene_keys(s, "]d");
	scene_wait_notice(s, NOTICE_DIFFERENCE, (size_t)1, (size_t)19,
			  "missing soc: STP 2.1, natural times");
	scene_keys(s, "[d");
	scene_wait_id(s, NOTICE_DIFFERENCE_WRAPPED_BOTTOM, "19");
	scene_keys(s, ":differences\r");
	scene_wait(s, "differences  19 from 2 good runs, nearest: /");
	scene_check_idle(s);
	scene_quit(s);
	text_free(&good);
	folder_remove(&folder);
}

static void
test_alone(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "]d");
	scene_wait_notice(s, NOTICE_COMPARE_NONE);
	scene_keys(s, ":differences\r");
	scene_wait_id(s, NOTICE_COMPARE_NONE, NULL);
	scene_keys(s, "\033OP");
	scene_wait(s, "]t [t trigger");
	scene_until(s, "]d [d", false);
	scene_quit(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_differences),
	    scene_test(test_changed),
	    scene_test(test_equal),
	    scene_test(test_several),
	    scene_test(test_alone),
	};
	return scene_run_group("screen: differences", tests);
}
