/*
 * What is typed and said in the last row: completion, settings, keys, help.
 */
#include "config.h"

#include "test.h"

#include "scene.h"
#include "temp_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Tab behind an operator puts what the name before it may be compared with. */
static void
test_complete_values(void **state)
{
	static const struct {
		const char *keys, *prompt;
	} cases[] = {
	    {"&origin = b\t", "&origin = \"boot rom\""},
	    {"&origin=\"boot r\t", "&origin=\"boot rom\""},
	    {":filter lost and severity >= w\t", ":filter lost and severity >= warning"},
	    {"&severity in {fatal .. w\t", "&severity in {fatal .. warning"},
	    {"&origin in {\"a, b\", d\t", "&origin in {\"a, b\", \"dma\""},
	    {"&kind not in {clock, stp_x\t", "&kind not in {clock, stp_xsync"},
	    {"&flags != sus\t", "&flags != suspect"},
	    {"&trace = \t", "&trace = \"board\""},
	    {"&type == BU\t", "&type == \"BUILD\""},
	    {"&sev\t", "&severity"}, /* no operator: a name */
	    {"&(flags = lost) and sev\t", "&(flags = lost) and severity"},
	};
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_check_idle(s); /* the index knows all senders */
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		scene_keys(s, cases[i].keys);
		scene_wait_at(s, 23, cases[i].prompt);
		scene_keys(s, "\007");
		scene_wait(s, "1 of 309");
	}
	scene_quit(s);
}

static void
test_help(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "?");
	scene_wait(s, "? again for help");
	scene_keys(s, "?");
	scene_wait(s, "keys of the list");
	scene_keys(s, "m");
	scene_wait(s, "page-down");
	scene_keys(s, "/pane-next\r");
	scene_wait_row(s, "  Tab ", "Tab  Ctrl-W w  Ctrl-W Ctrl-W  pane-next");
	scene_keys(s, "/  layout\r"); /* a long line */
	scene_wait_row(s, "  |  ", "arrange panes: automatic, stacked,");
	scene_wait_row(s, "                                          side", "by side");
	scene_keys(s, "G");
	scene_wait_row(s, "  A, B, v", "timeline");
	scene_keys(s, "qq"); /* the manual and the card */
	scene_until(s, "timeline", false);
	scene_until(s, "keys of the list", false);
	scene_keys(s, "\033OP"); /* F1 */
	scene_wait(s, "keys of the list");
	scene_keys(s, "\033");
	scene_until(s, "keys of the list", false);
	scene_keys(s, ":man\t\r");
	scene_wait(s, "page-down");
	scene_keys(s, "q@"); /* keys that mean nothing */
	scene_wait_notice(s, NOTICE_KEY_UNKNOWN, "@", "F1");
	scene_keys(s, "\027e");
	scene_wait_id(s, NOTICE_KEY_CONTINUES, "Ctrl-W e");
	scene_keys(s, "]\033"); /* but Esc gives up what was begun */
	scene_wait(s, " 1 of 309");
	scene_quit(s);
}

/* / ? n N within the help: what is found is shown, and the help stays. */
static void
test_help_search(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "\033OPm/to the PREVIOUS match\r"); /* a capital counts */
	scene_wait_notice(s, NOTICE_PAGER_NO_MATCH);
	scene_keys(s, "/to the previous m.tch\r"); /* together with what is before it */
	scene_wait_row(s, "  N    ", "to the previous match");
	int row = 0;
	while (strncmp(emulator_row(s->emulator, row), "  N    ", 7) != 0)
		row++;
	int col = (int)(strstr(emulator_row(s->emulator, row), "to the") -
			emulator_row(s->emulator, row));
	assert_true(emulator_cell(s->emulator, row, col).reverse); /* the one gone to */
	assert_true(emulator_cell(s->emulator, row, col + 20).reverse);
	assert_false(emulator_cell(s->emulator, row, col + 21).reverse);
	scene_keys(s, "n");
	scene_wait_notice(s, NOTICE_SEARCH_WRAPPED_TOP);
	scene_keys(s, "g?show or hide the list of marks\r");
	scene_wait_notice(s, NOTICE_SEARCH_WRAPPED_BOTTOM);
	scene_wait(s, "show or hide the list of marks");
	scene_keys(s, "q"); /* the help alone */
	scene_until(s, "show or hide", false);
	scene_keys(s, "q");
	scene_keys(s, "\033OPmn");
	scene_wait_notice(s, NOTICE_SEARCH_NOTHING_YET);
	scene_keys(s, "qq");
	scene_wait(s, " 1 of 309");
	scene_keys(s, "ZQ");
	scene_end(s);
	assert_int_equal(s->status, 0);
	scene_close(s);
}

/* Names of the session: contexts, their spans, intervals, arguments of messages in view. */
static void
test_complete_names(void **state)
{
	static const struct {
		const char *keys, *shown;
	} cases[] = {
	    {"&interval.\t", "&interval.mailbox"},
	    {"&lost or se\t\t", "&lost or seq"},
	    {":table context.ov\t", ":table context.overlay"},
	    {":table context.overlay of span.ov\t", ":table context.overlay of span.overlay"},
	    {":table severity, ty\t", ":table severity, type"},
	    {":table se\t\t", ":table seq"},
	    {":intervals ma\t", ":intervals mailbox"},
	};
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40.");
	scene_keys(s, "/given up\r");
	scene_wait_row(s, ">", "given up");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		scene_keys(s, cases[i].keys);
		scene_wait(s, cases[i].shown);
		scene_keys(s, "\003");
	}
	scene_quit(s);
}

/* Settings, by name, with completion; and what was said about it. */
static void
test_settings(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, ":set hea\tfal\t\t\r"); /* no word starts with `fal` any more */
	scene_wait(s, "header=");
	scene_keys(s, "\007"); /* Ctrl-G, as Esc */
	scene_keys(s, ":set head\t");
	scene_wait(s, ":set header=");
	scene_keys(s, "f\t");
	scene_wait(s, ":set header=false");
	scene_keys(s, "\r");
	scene_until(s, "origin ", false);
	scene_keys(s, ":set time=tic\t\r");
	scene_wait(s, "T:ticks");
	scene_keys(s, ":set filter-list=true\r");
	scene_wait(s, "\n- filters ");
	scene_keys(s, ":set origins=true\r");
	scene_wait(s, "\n- origins ");
	scene_keys(s, ":set filter-list=false\r");
	scene_until(s, "\n- filters ", false);
	scene_keys(s, ":th\t l\t");
	scene_wait(s, ":theme l");
	scene_keys(s, "\003:sev fa\t\r");
	scene_wait(s, "only FATAL+");
	scene_wait(s, "T:ticks"); /* one setting changes no other */
	scene_keys(s, ":set severity=all\r");
	scene_until(s, "FATAL+", false);
	scene_keys(s, ":set severity=1\r");
	scene_wait_notice(s, NOTICE_SETTING_REFUSED, "severity", "1", "one of all fatal error");
	scene_keys(s, ":set severty\r");
	scene_wait_notice(s, NOTICE_SETTING_UNKNOWN, "severty", "; did you mean severity?");
	scene_keys(s, ":\020"); /* the last line again */
	scene_wait(s, ":set severty");
	scene_keys(s, "\033");
	scene_until(s, "\n:set", false);
	scene_keys(s, ":mess\t\r");
	scene_wait_logged(s, NOTICE_SETTING_UNKNOWN, "severty");
	scene_wait_logged(s, NOTICE_SETTING_REFUSED, NULL);
	scene_keys(s, "\033OP"); /* the card takes its place */
	scene_wait(s, "keys of the list");
	scene_until(s, "severty", false);
	scene_keys(s, "\033OP");
	scene_wait(s, " 1 of 309");
	scene_quit(s);
}

static void
rewrite(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Files that change while the program runs. */
static void
test_source(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH], line[64];
	temp_make_text(path, ".yaml",
		       "keys: {down: n}\nview: {columns: [{name: offset}, {name: text}]}\n");
	scene_open_demo(s, 24, 80);
	snprintf(line, sizeof line, ":source %s\r", path);
	scene_keys(s, line);
	scene_wait(s, "  offset     text");
	scene_keys(s, "n");
	scene_wait(s, " 2 of 309");
	rewrite(path, "keys: {down: n}\nview:\n  columns: [{name: offset}, {nam: text}]\n");
	scene_keys(s, "R");
	scene_wait(s, NOTICE_CUT); /* the row is too short */
	scene_keys(s, ":messages\r");
	scene_wait(s, ":3:30: unknown key nam in view.columns[1]; did");
	scene_wait(s, "name?");
	scene_keys(s, "q");
	scene_until(s, "unknown key", false);
	scene_keys(s, "n"); /* the old ones stay */
	scene_wait(s, " 3 of 309");
	scene_wait(s, "  offset     text");
	rewrite(path, "keys: {down: \"]\"}\nview:\n  columns: [{name: text}]\n");
	scene_keys(s, ":source\r");
	scene_wait_notice(s, NOTICE_SETTINGS_READ, NOTICE_ALL_LOOKS);
	scene_until(s, "offset", false);
	scene_keys(s, "]");
	scene_wait(s, " 4 of 309");
	scene_keys(s, ":source /nonexistent.yaml\r");
	scene_wait(s, "cannot open /nonexistent.yaml: No such file");
	scene_quit(s);
	unlink(path);
}

/* Keys of a user's choice, in the help too, and changed while it runs. */
static void
test_keys(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 100, "xterm-256color", "demo.stp", "--keys=less", NULL);
	scene_wait(s, "1 of 309");
	scene_keys(s, "e");
	scene_wait(s, " 2 of 309");
	scene_keys(s, "hm");
	scene_wait(s, "j  e  Down  Ctrl-E");
	scene_keys(s, "q:keys default\r");
	scene_wait(s, "keys default");
	scene_keys(s, "h"); /* now: scrolls */
	scene_keys(s, "e");
	scene_until(s, " 2 of 309", false);
	scene_keys(s, "\033OPm");
	scene_wait(s, "j  Down  Ctrl-N");
	scene_keys(s, "q:keys nosuch\r");
	scene_wait(s, "no nosuch in keys; give a file or one of default emacs less lnav");
	scene_quit(s);
}

/* Commands of -c and of a file run at the start, in their order. */
static void
test_commands_at_start(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH];
	temp_make_text(path, ".trawl", "# errors alone\n\n:severity error\n  goto 0.03\n");
	scene_open(s, 24, 100, "xterm-256color", "demo.stp", scene_numbered(), "-c", "/ecc", "-x",
		   path, NULL);
	scene_wait(s, "only ERROR+");
	scene_wait(s, "\n>     177 "); /* the first past that time */
	scene_keys(s, "N");	       /* the search is there */
	scene_wait(s, "174 of 309, row 3 of 16, match 2 of 3");
	scene_quit(s);
	unlink(path);
}

/* Tab lists what it goes through, in pages, above what is known of the command; the one in the
 * prompt stands out.  A single name is no list, and any other key ends it. */
static void
test_tab_lists(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 40);
	scene_keys(s, ":theme \t");
	scene_wait_at(s, 21, " auto dark-256 default  3 more");
	scene_wait_at(s, 22, " theme  colours of this theme");
	assert_true(emulator_cell(s->emulator, 21, 1).reverse);
	assert_false(emulator_cell(s->emulator, 21, 6).reverse);
	scene_keys(s, "\t\t\t");
	scene_wait(s, "\n:theme high-contrast");
	scene_wait_at(s, 21, " < high-contrast light mono");
	scene_until(s, "more", false);
	assert_true(emulator_cell(s->emulator, 21, 3).reverse);
	scene_keys(s, "\t\t\t"); /* the first again */
	scene_wait_at(s, 21, " auto dark-256 default  3 more");
	scene_keys(s, "x");
	scene_wait(s, "\n:theme autox");
	scene_until(s, "dark-256", false);
	scene_keys(s, "\003:theme h\t");
	scene_wait(s, "\n:theme high-contrast");
	scene_until(s, "light", false);
	scene_keys(s, "\003:format syst/\t\t"); /* of those that begin so */
	scene_wait_at(s, 21, " syst/raw syst/hex syst/stp");
	assert_true(emulator_cell(s->emulator, 21, 10).reverse);
	scene_keys(s, "\003:highlight lost brig\t\t");
	scene_wait(s, "\n:highlight lost bright-red");
	scene_keys(s, "\003:highlight sev\t");
	scene_wait(s, "\n:highlight severity");
	scene_keys(s, " = err\t yel\t");
	scene_wait(s, "\n:highlight severity = error yellow");
	scene_keys(s, "\003&sev\t"); /* nothing else is above this prompt */
	scene_wait(s, "\n&severity");
	scene_keys(s, "\003&se\t");
	scene_wait_at(s, 22, " seq");
	scene_keys(s, "\003");
	scene_quit(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_complete_values),
	    scene_test(test_complete_names),
	    scene_test(test_help),
	    scene_test(test_help_search),
	    scene_test(test_settings),
	    scene_test(test_source),
	    scene_test(test_keys),
	    scene_test(test_commands_at_start),
	    scene_test(test_tab_lists),
	};
	return scene_run_group("screen: prompt", tests);
}
