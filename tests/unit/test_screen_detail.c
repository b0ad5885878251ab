/*
 * The panes of one message: its fields, and its bytes.
 */
#include "config.h"

#include "test.h"

#include "scene.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
test_panes(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "5G");
	scene_wait(s, " 5 of ");
	scene_keys(s, "px\033");
	scene_wait(s, "- message 5  ");
	scene_wait(s, "- bytes 0x8f 77 B");
	/* offset 143 in the truth is 0x8f; its row of the dump starts at 0x80 */
	scene_wait_row(s, " 00000080  ", "");
	scene_wait_row(s, " > stp ", "master 1  channel 1  ");
	scene_keys(s, "\t"); /* to the detail pane: open the last group */
	scene_wait(s, "= message ");
	scene_keys(s, "Gl");
	scene_wait(s, " v stp");
	scene_keys(s, "h");
	scene_wait(s, " > stp");
	scene_keys(s, "p");
	scene_until(s, "message 5", false);
	scene_keys(s, "x");
	scene_until(s, " bytes ", false);
	scene_keys(s, "\r"); /* Enter opens the detail and goes there */
	scene_wait(s, "= message ");
	scene_keys(s, "\\");
	scene_wait(s, "zoom:detail");
	scene_wait_at(s, 1, "= message "); /* its heading stays */
	scene_until(s, "(power-on)", false);
	scene_keys(s, "q");
	scene_wait(s, "boot rom ");
	scene_keys(s, "q");
	scene_until(s, "= message", false);
	scene_quit(s);
}

/* From the list q closes the panes from below, and quits when there is none. */
static void
test_close(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "4G");
	scene_wait(s, " 4 of ");
	scene_keys(s, "pix\033");
	scene_wait(s, "- time  ");
	scene_wait(s, "- bytes ");
	scene_wait(s, "- message 4  ");
	scene_keys(s, "q");
	scene_until(s, "- time  ", false);
	scene_wait(s, "- bytes ");
	scene_keys(s, "q");
	scene_until(s, "- bytes ", false);
	scene_wait(s, "- message 4  ");
	scene_keys(s, "q");
	scene_until(s, "- message 4  ", false);
	scene_keys(s, "qq");
	scene_end(s);
	scene_check_restored(s);
	scene_close(s);
}

/* A pane that opens gets the cursor, whatever it shows.  Esc goes back to the list and leaves the
 * pane open; q in the pane closes it. */
static void
test_cursor(void **state)
{
	static const struct {
		const char *key, *rule;
	} panes[] = {{"p", "= message 5 "}, {"x", "= bytes "},	      {"c", "= context"},
		     {"i", "= time "},	    {":marks\r", "= marks "}, {":stack\r", "= stack"},
		     {"B", "= filters"},    {";", "= origins"}};
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "5G");
	scene_wait(s, " 5 of 309");
	for (size_t i = 0; i < sizeof panes / sizeof *panes; i++) {
		char below[32];
		snprintf(below, sizeof below, "-%s", panes[i].rule + 1);
		scene_keys(s, panes[i].key);
		scene_wait(s, panes[i].rule);
		scene_keys(s, "\033");
		scene_wait(s, below);
		scene_keys(s, "j"); /* in the list */
		scene_wait(s, " 6 of 309");
		scene_keys(s, "k\t");
		scene_wait(s, panes[i].rule);
		scene_keys(s, "q");
		scene_until(s, panes[i].rule, false);
		scene_until(s, below, false);
		scene_wait(s, " 5 of 309");
	}
	scene_keys(s, "x"); /* the bytes of the capture from end to end; with a count: messages */
	scene_wait(s, "= bytes 0x8f ");
	scene_keys(s, "G");
	scene_until(s, "\n 00000080  ", false);
	scene_keys(s, "g");
	scene_wait_row(s, " 00000000  ", "");
	scene_keys(s, "7G");
	scene_wait(s, " 7 of 309");
	scene_quit(s);
}

/* The rule of a pane has its keys, as they are bound, where there is room. */
static void
test_rules(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "5G");
	scene_wait(s, " 5 of ");
	scene_keys(s, "pi\033");
	scene_wait(s, " f filter  y copy  x bytes  p close -\n");
	scene_wait(s, " + - zoom  v span  0 fit  i close -\n");
	for (int row = 0; row < 24; row++) { /* keys are bold, words are not */
		const char *text = emulator_row(s->emulator, row);
		const char *close = strstr(text, "p close");
		if (!close)
			continue;
		assert_true(emulator_cell(s->emulator, row, (int)(close - text)).bold);
		assert_false(emulator_cell(s->emulator, row, (int)(close - text) + 2).bold);
	}
	scene_quit(s);
	scene_open_demo(s, 24, 59);
	scene_keys(s, "5G");
	scene_wait(s, " 5 of ");
	scene_keys(s, "p\033");
	scene_wait(s, "- message 5  ");
	scene_until(s, "p close", false);
	scene_quit(s);
	scene_open(s, 24, 80, "xterm-256color", "demo.stp", "--keys=less", "+5G", "+P", NULL);
	scene_wait(s, "= message 5  ");
	scene_wait(s, "  P close =\n");
	scene_quit(s);
}

/* The bytes of the field under the cursor stand out, nibble by nibble. */
static void
test_field_bytes(void **state)
{
	struct scene *s = *state;
	int reversed = 0;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "6G");
	scene_wait(s, " 6 of ");
	scene_keys(s, "x\033\r");
	scene_wait(s, "- bytes");
	scene_keys(s, "G");
	scene_wait(s, "= message ");
	scene_keys(s, "lj"); /* the master: bits of the transport's packets */
	scene_wait(s, "master");
	scene_keys(s, "jj");
	scene_keys(s, ":");
	scene_wait(s, "\n:");
	scene_check_idle(s); /* panes are painted when the keys pause */
	for (int row = 0; row < 24; row++)
		for (int col = 10; col < 60; col++)
			reversed += !strncmp(emulator_row(s->emulator, row), " 000000", 7) &&
				    emulator_cell(s->emulator, row, col).reverse;
	assert_true(reversed > 0);
	scene_keys(s, "\033");
	scene_until(s, "\n:", false);
	scene_quit(s);
}

/* Text, time and distances come first, then the arguments by the words before them; what
 * has no room ends in the sign of that. */
static void
test_message(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", "+p\033", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, "/given up\r");
	scene_wait(s, "\n timeout: seq 70 given up after 27800 us\n");
	scene_wait(s,
		   "\n 10:06:40.234386371  soc, ticks 10000976   +40.815 us after the row above\n");
	scene_wait(s, " +9.251 ms after the last mailbox row\n");
	scene_wait_row(s, "     seq %u  ", " 70 ");
	scene_wait_row(s, "     seq %u  ", " 0x708 4 B");
	scene_wait_row(s, "     after %u  ", " 27800 ");
	scene_wait_row(s, "     after %u  ", " 0x710.4 4 B");
	scene_wait_row(s, " > message  ", " STRING:PRINTF32  module 18  unit 0 ");
	scene_wait_row(s, " > stp  ", "> 0x6dd 58 B");
	scene_check_idle(s);
	scene_quit(s);

	scene_open(s, 24, 30, "xterm-256color", "lab.yaml", "+p\033", NULL); /* all of the text */
	scene_keys(s, "/given up\r");
	scene_wait(s, "\n timeout: seq 70 given up\n after 27800 us\n");
	scene_wait(s, "\n 10:06:40.234386371  soc, tic>\n +40.815 us after the row abo>\n");
	scene_quit(s);
}

/* The field under the cursor, with its value. */
static void
test_field_filter(void **state)
{
	struct scene *s = *state;
	struct truth truth;
	size_t row = 0;
	char keys[64], want[48];
	truth_read(&truth, "demo.truth.tsv");
	while (!truth.rows[FIELDS].at[row] || !strstr(truth.rows[FIELDS].at[row], "id=1025"))
		row++;
	scene_open_demo(s, 24, 80);
	scene_wait(s, "boot rom ");
	snprintf(keys, sizeof keys, "%zuG\r\\", row + 1);
	scene_keys(s, keys);
	scene_wait(s, "zoom:detail");
	scene_keys(s, "j"); /* past the text; the head is opened */
	for (int i = 0; i < 6 && !strstr(scene_screen(s), " v message"); i++) {
		scene_keys(s, "lj");
		scene_check_idle(s);
	}
	for (int i = 0; i < 40; i++) { /* down to the line of `id` */
		scene_keys(s, "f");
		scene_check_idle(s);
		if (strstr(scene_screen(s), "syst.id = 0x401"))
			break;
		scene_keys(s, ":narrow\r\rj");
		scene_until(s, "  only ", false);
	}
	scene_wait(s, "only syst.id = 0x401");
	scene_keys(s, "qq");
	scene_keys(s, "\033g");
	snprintf(want, sizeof want, "row 1 of %zu ", truth_count(&truth, NULL, "id=1025", 0));
	scene_wait(s, want);
	scene_quit(s);
	truth_free(&truth);
}

/* Bytes are found, and stand out among those of the message. */
static void
test_search_bytes(void **state)
{
	struct scene *s = *state;
	int marked = 0;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "x\033/\\x00 00 ?9 3f0?\r"); /* no place in the demo: 0x3f.. */
	scene_wait_notice(s, NOTICE_SEARCH_NONE, "match");
	/* the first three bytes of the second row in the dump of message 4 */
	scene_keys(s, "5G");
	scene_wait(s, " 00000080  ");
	const char *row = scene_row(s, " 00000090  ");
	char keys[64], digits[16];
	assert_non_null(row);
	snprintf(digits, sizeof digits, "%.8s", row + 11);
	snprintf(keys, sizeof keys, "g/\\x%.2s ?%c %c?\r", digits, digits[4], digits[6]);
	scene_keys(s, keys);
	scene_wait(s, " 5 of 309, match 1 of ");
	for (int y = 0; y < 24; y++)
		for (int x = 11; x < 19; x++)
			marked += !strncmp(emulator_row(s->emulator, y), " 00000090  ", 11) &&
				  x % 3 != 1 && emulator_cell(s->emulator, y, x).coloured;
	assert_int_equal(marked, 6);
	scene_quit(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_panes),	   scene_test(test_cursor),
	    scene_test(test_rules),	   scene_test(test_close),
	    scene_test(test_message),	   scene_test(test_field_bytes),
	    scene_test(test_field_filter), scene_test(test_search_bytes),
	};
	return scene_run_group("screen: detail", tests);
}
