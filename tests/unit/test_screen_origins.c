/*
 * The pane of origins: how many messages each has, and which are ticked.
 */
#include "config.h"

#include "test.h"

#include "scene.h"
#include "shares.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where there is no room beside the list, a pane takes its place. */
static void
test_chooser_small(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 5, 20);
	scene_keys(s, "B");
	scene_wait(s, "\n [F]1 [E]15 [W]12");
	scene_keys(s, ";g");
	scene_wait(s, "\n [x] mailbox");
	scene_keys(s, "q");
	scene_wait(s, "\n>");
	scene_quit(s);
}

/* A time that its column has no room for is cut with a sign. */
static void
test_first_times(void **state)
{
	struct scene *s = *state;
	scene_open(s, 45, 160, "xterm-256color", "lab.yaml", NULL);
	scene_keys(s, ";");
	scene_wait(s, " 25 E1                 10:06:40>\n");
	scene_keys(s, "|"); /* below the list */
	scene_wait(s, " 23             10:06:40.006598507");
	scene_quit(s);
}

/* Who sent what, as many as the encoder made; and only what is ticked. */
static void
test_origins(void **state)
{
	struct truth truth;
	static const char dma[] = "guid={61d32a98-", mailbox[] = "guid={954bc01e-";
	truth_read(&truth, "demo.truth.tsv");
	size_t by_dma = truth_count(&truth, NULL, dma, 0);
	size_t by_mailbox = truth_count(&truth, NULL, mailbox, 0);
	size_t errors = truth_count(&truth, "ERROR", mailbox, 0);
	size_t warnings = truth_count(&truth, "WARNING", mailbox, 0);
	char few[32], title[48];
	snprintf(few, sizeof few, " E%zu W%zu ", errors, warnings);
	for (int wide = 0; wide < 2; wide++) {
		struct scene *s = *state;
		scene_open_demo(s, wide ? 50 : 24, wide ? 200 : 80);
		scene_keys(s, "|"); /* below the list, so that rows begin with it */
		scene_keys(s, ";");
		scene_wait(s, "= origins");
		scene_wait_count(s, " [x] mailbox ", by_mailbox);
		if (!wide)
			scene_wait_row(s, " [x] mailbox ", few);
		scene_wait_count(s, " [x] dma ", by_dma);
		scene_keys(s, "g\r"); /* the one that has most, only */
		scene_wait(s, " [ ] dma ");
		snprintf(title, sizeof title, "of %zu ", by_mailbox);
		scene_keys(s, "\tg");
		scene_wait(s, title);
		scene_wait(s, "only mailbox");
		scene_keys(s, ";;v"); /* close, open again: it is remembered */
		scene_wait(s, " [ ] mailbox ");
		scene_wait(s, " [x] dma ");
		scene_wait(s, "without mailbox");
		scene_keys(s, "j ");
		scene_wait(s, " [ ] dma ");
		scene_wait(s, "without mailbox, dma");
		scene_keys(s, "k ");
		scene_wait(s, "without dma");
		scene_keys(s, "j ");
		scene_until(s, "  without ", false);
		scene_keys(s, "S");
		scene_wait(s, "by errors");
		scene_keys(s, "g");
		scene_wait(s, "first\n [x] watchdog "); /* the one that is fatal */
		scene_keys(s, "S");
		scene_wait(s, "by name");
		scene_quit(s);
	}
	truth_free(&truth);
}

/* The graph of a sender, of so many columns: a slice lies in the column where it
 * begins, and in all it covers. */
static void
expect_graph(unsigned sender, unsigned slices, unsigned columns, char *out)
{
	static const char signs[] = " .:-=+*%#";
	unsigned counts[200] = {0}, most = 0;
	for (unsigned i = 0; i < slices; i++) {
		unsigned from = i * columns / slices, to = (i + 1) * columns / slices;
		for (unsigned c = from; c < to || c == from; c++)
			counts[c] += shares[i % 6][sender];
	}
	for (unsigned c = 0; c < columns; c++)
		most = counts[c] > most ? counts[c] : most;
	for (unsigned c = 0; c < columns; c++) {
		unsigned level = counts[c] * 8 / most;
		out[c] = signs[counts[c] && level < 8 ? level + 1 : level];
	}
	for (; columns && out[columns - 1] == ' '; columns--)
		continue;
	out[columns] = '\0'; /* as there are no blanks at the end of a row */
}

/* Each column of a graph in the pane of origins has the messages of that sender in
 * that part of the capture, be it more or less than what the index counts apart. */
static void
test_origin_graphs(void **state)
{
	static const struct {
		unsigned slices;
		int rows, cols;
	} cases[] = {{6, 50, 200}, {40, 24, 90}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct scene *s = *state;
		char path[] = "/tmp/test_screen.XXXXXX", want[201], start[16];
		shares_make(path, cases[k].slices);
		scene_open(s, cases[k].rows, cases[k].cols, "xterm-256color", path, "--ascii", "-f",
			   "syst/raw", "--no-cache", "--threads=1", NULL);
		snprintf(want, sizeof want, "1 of %s", cases[k].slices == 6 ? "1,536" : "10,240");
		scene_wait(s, want);
		scene_keys(s, ";\\"); /* all of the screen */
		scene_wait(s, "zoom:origins");
		scene_wait(s, " first");
		const char *head = scene_row(s, "     origin ");
		assert_non_null(head);
		int x = (int)(strstr(head, " first") - head) + 1 + 19;
		unsigned columns = (unsigned)(cases[k].cols - x - 1);
		for (unsigned sender = 0; sender < SHARES_SENDERS; sender++) {
			expect_graph(sender, cases[k].slices, columns < 100 ? columns : 100, want);
			snprintf(start, sizeof start, " [x] %u:0 ", sender + 1);
			scene_wait_row(s, start, "");
			const char *row = scene_row(s, start);
			if (strlen(row) < (size_t)x || strcmp(row + x, want) != 0)
				scene_fail(s, "graph of %u: \"%s\"", sender + 1, want);
		}
		scene_quit(s);
		unlink(path);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_chooser_small),
	    scene_test(test_first_times),
	    scene_test(test_origins),
	    scene_test(test_origin_graphs),
	};
	return scene_run_group("screen: origins", tests);
}
