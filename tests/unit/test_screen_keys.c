/*
 * Keys: filters made from a row and taken back, keys that begin a sequence, keys that mean
 * nothing, and the card of keys.
 */
#include "config.h"

#include "test.h"

#include "base/vec.h"
#include "../random.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opens the demo session, wide enough for what is said, at its first error. */
static void
open_at_error(struct scene *s)
{
	scene_open(s, 24, 120, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, "40 nulls");
	scene_wait(s, "1 of 531"); /* without "~": the order is final */
	scene_check_idle(s);	   /* until all is counted */
	scene_keys(s, "ge");
	scene_wait_row(s, ">", "timeout: seq 70");
}

/* How many messages of the demo session an expression holds for, by batch output. */
static size_t
count_of(const char *expression)
{
	char arguments[160];
	struct text out = {0};
	size_t lines = 0;
	snprintf(arguments, sizeof arguments, "-t csv -e '%s'", expression);
	batch_print_of("lab.yaml", arguments, &out);
	for (size_t i = 0; i < out.length; i++)
		lines += out.data[i] == '\n';
	text_free(&out);
	assert_true(lines > 1);
	return lines - 1;
}

/* Each key is an entry of the list of filters, as it would have been typed, that lets pass
 * what the expression says; and undo takes it back. */
static void
test_from_row(void **state)
{
	static const struct {
		const char *keys, *notice, *part, *entry, *expression;
	} rows[] = {
	    {"J", NOTICE_ONLY, "origin \"mailbox\"", " [x] 1 in  origin in {\"mailbox\"}",
	     "origin = mailbox"},
	    {"ao", NOTICE_ONLY, "origin \"mailbox\"", " [x] 1 in  origin in {\"mailbox\"}", NULL},
	    {"D", NOTICE_HIDDEN, "origin \"mailbox\"", " [x] 1 out origin in {\"mailbox\"}", NULL},
	    {"aO", NOTICE_HIDDEN, "origin \"mailbox\"", " [x] 1 out origin in {\"mailbox\"}", NULL},
	    {"a*", NOTICE_ONLY, "type = \"STRING:PRINTF32\"",
	     " [x] 1 in  type = \"STRING:PRINTF32\"", "type = \"STRING:PRINTF32\""},
	    {"a#", NOTICE_HIDDEN, "type = ", " [x] 1 out type = \"STRING:PRINTF32\"", NULL},
	    {"af", NOTICE_ONLY, "trace \"soc\"", " [x] 1 in  trace in {\"soc\"}", "trace = soc"},
	    {"aF", NOTICE_HIDDEN, "trace \"soc\"", " [x] 1 out trace in {\"soc\"}", NULL},
	    {"as", NOTICE_ONLY, "severity >= error", " [x] 1 in  severity >= error",
	     "severity >= error"},
	    {"at", NOTICE_ONLY, "time >= 10:06:40.234386", " [x] 1 in  time >= 10:06",
	     "time >= 10:06:40.234386371"},
	    {"aT", NOTICE_ONLY, "time <= 10:06:40.234386", " [x] 1 in  time <= 10:06",
	     "time <= 10:06:40.234386371"},
	};
	struct scene *s = *state;
	open_at_error(s);
	scene_keys(s, "|"); /* panes below the list */
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		scene_keys(s, rows[i].keys);
		scene_wait_id(s, rows[i].notice, rows[i].part);
		scene_keys(s, "B");
		if (rows[i].expression)
			scene_wait_count(s, rows[i].entry, count_of(rows[i].expression));
		else
			scene_wait_row(s, rows[i].entry, "");
		scene_keys(s, "Bu");
		scene_wait_notice(s, NOTICE_UNDONE, NOTICE_FILTERS_CLEARED, "Ctrl-R");
		scene_wait_row(s, ">", "timeout: seq 70");
	}
	scene_quit(s);
}

/* The contexts that held at a message are one entry; a field is that under the cursor of its
 * pane, which has to be open. */
static void
test_from_states(void **state)
{
	struct scene *s = *state;
	open_at_error(s);
	scene_keys(s, "ac");
	scene_wait_notice(s, NOTICE_CONTEXT_NONE);
	scene_keys(s, "a=");
	scene_wait_notice(s, NOTICE_FIELDS_FIRST, "p");
	scene_keys(s, "/overlay 2: in\rac");
	scene_wait_notice(s, NOTICE_ONLY,
			  "context.overlay = \"night\" and context.task = \"loader\"", "u");
	scene_keys(s, "u");
	scene_wait_id(s, NOTICE_UNDONE, NOTICE_FILTERS_CLEARED);
	scene_keys(s, "gep\033\t\027k\t");
	scene_wait(s, "= message 31");
	scene_keys(s, "jjjj\027ka="); /* a value of the detail, from the list */
	scene_wait_id(s, NOTICE_ONLY, "syst.args = ");
	scene_quit(s);
}

/* The same filter is not added twice; the title has the newest first. */
static void
test_same_filter(void **state)
{
	struct scene *s = *state;
	open_at_error(s);
	scene_keys(s, "a*a*");
	scene_wait_notice(s, NOTICE_ONLY_ALREADY, "type = \"STRING:PRINTF32\"", "B");
	scene_keys(s, "a#"); /* the other way round it is another */
	scene_wait_id(s, NOTICE_HIDDEN, "type =");
	scene_wait(s, "only type = \"STRING:PRINTF32\" without type = \"STRING:PRINTF32\"");
	scene_keys(s, "u");
	scene_wait_id(s, NOTICE_UNDONE, "only type = \"STRING:PRINTF32\"");
	scene_keys(s, "at");
	scene_wait(s, "only time >= 10:06:40.234386371, type = \"STRING:PRINTF32\"");
	scene_keys(s, "2u");
	scene_wait_id(s, NOTICE_UNDONE, NOTICE_FILTERS_CLEARED);
	scene_keys(s, "a*!a*"); /* off: it is another filter that is on */
	scene_wait_notice(s, NOTICE_ONLY, "type = \"STRING:PRINTF32\"", "u");
	scene_quit(s);
}

/* Whatever changes the filters is taken back, one change at a time, and made again; the
 * cursor goes back with it unless it was moved since. */
static void
test_undo(void **state)
{
	struct scene *s = *state;
	open_at_error(s);
	scene_keys(s, "u");
	scene_wait_notice(s, NOTICE_NOTHING_TO_UNDO);
	scene_keys(s, "D");
	scene_wait_id(s, NOTICE_HIDDEN, "origin");
	scene_wait_row(s, ">", "branch.address");
	scene_keys(s, "D"); /* where the cursor came to */
	scene_wait_id(s, NOTICE_HIDDEN, "origin");
	scene_keys(s, "2u");
	scene_wait_id(s, NOTICE_UNDONE, NOTICE_FILTERS_CLEARED);
	scene_wait_row(s, ">", "timeout: seq 70");
	scene_keys(s, "\022");
	scene_wait_notice(s, NOTICE_REDONE, "without mailbox", "u");
	scene_keys(s, "u}");
	scene_wait_id(s, NOTICE_SEVERITIES, "severity");
	scene_keys(s, "u");
	scene_wait_id(s, NOTICE_UNDONE, NOTICE_FILTERS_CLEARED);
	scene_keys(s, "\022u\022"); /* back and forth */
	scene_wait_id(s, NOTICE_REDONE, "only DEBUG+");
	scene_keys(s, "&lost\r");
	scene_keys(s, "\022"); /* a new change: nothing is left to be made again */
	scene_wait_notice(s, NOTICE_NOTHING_TO_REDO);
	scene_keys(s, "u");
	scene_wait_id(s, NOTICE_UNDONE, "only DEBUG+");
	scene_keys(s, "!");
	scene_wait_notice(s, NOTICE_FILTERS_OFF);
	scene_keys(s, "u");
	scene_wait_id(s, NOTICE_UNDONE, "only DEBUG+");
	scene_keys(s, "u");
	scene_wait_id(s, NOTICE_UNDONE, NOTICE_FILTERS_CLEARED);
	scene_keys(s, "a-");
	scene_wait_id(s, NOTICE_SEVERITIES, NULL);
	scene_wait_at(s, 0, "only ");
	scene_keys(s, "u");
	scene_wait_id(s, NOTICE_UNDONE, NOTICE_FILTERS_CLEARED);
	scene_keys(s, ";\r"); /* in a pane */
	scene_wait(s, "only");
	scene_keys(s, "u");
	scene_wait_id(s, NOTICE_UNDONE, NOTICE_FILTERS_CLEARED);
	scene_keys(s, ";J");
	scene_wait(s, "only mailbox");
	scene_keys(s, "D"); /* the last one stays */
	scene_wait_id(s, NOTICE_ORIGIN_LAST, NULL);
	scene_quit(s);
}

/* From a word to its event, and back; and to other origins. */
static void
test_pair(void **state)
{
	struct scene *s = *state;
	open_at_error(s);
	scene_keys(s, "%");
	scene_wait_notice(s, NOTICE_PARTNER_NONE);
	scene_keys(s, "g/SyncPoint\r%");
	scene_wait_row(s, ">", "syncPoint serial");
	scene_keys(s, "%");
	scene_wait_row(s, ">", "SyncPoint");
	scene_keys(s, "ge]o");
	scene_wait_row(s, ">", "branch.address");
	scene_keys(s, "ge[o");
	scene_wait_row(s, ">", "sync.trap");
	scene_keys(s, "]o"); /* the one between is of the mailbox */
	scene_wait_row(s, ">", "timeout: seq 70");
	scene_quit(s);
}

/* The command that is copied leads to the same message. */
static void
test_copy_place(void **state)
{
	struct scene *s = *state;
	open_at_error(s);
	scene_keys(s, "Y");
	scene_wait_id(s, NOTICE_PLACE_COPIED, NULL);
	scene_wait(s, "lab.yaml +t=1:0x6dd");
	scene_keys(s, "y");
	scene_wait_notice(s, NOTICE_ROW_COPIED);
	scene_quit(s);
	scene_open(s, 24, 120, "xterm-256color", "lab.yaml", "+t=1:0x6dd", NULL);
	scene_wait_row(s, ">", "timeout: seq 70");
	scene_quit(s);
}

/* Return the value of the first `"NAME":` of a line of JSON, without quotes. */
static void
json_value(const char *line, const char *name, struct text *out)
{
	char key[32];
	snprintf(key, sizeof key, "\"%s\":", name);
	const char *at = strstr(line, key);
	assert_non_null(at);
	at += strlen(key);
	text_clear(out);
	text_add_bytes(out, at + (*at == '"'), strcspn(at + (*at == '"'), ",\""));
}

/* Check for each message of a capture that t with its offset goes to its row.  TRACES are the names
 * of the traces in the order of the session, or NULL with one trace. */
static void
check_places(struct scene *s, const char *name, const char *const *traces)
{
	struct text lines = {0}, value = {0}, keys = {0}, want = {0};
	size_t row = 0, count = 0, trace = 0;
	batch_print_of(name, "-q -t jsonl", &lines);
	for (const char *at = lines.data; (at = strchr(at, '\n')); at++)
		count++;
	scene_open(s, 24, 120, "xterm-256color", name, NULL);
	text_addf(&want, " of %zu ", count);
	scene_wait(s, want.data);
	scene_check_idle(s);
	for (char *line = strtok(lines.data, "\n"); line; line = strtok(NULL, "\n")) {
		json_value(line, "trace", &value);
		for (trace = 0; traces && strcmp(traces[trace], value.data) != 0; trace++)
			assert_non_null(traces[trace]);
		json_value(line, "offset", &value);
		unsigned long long offset = strtoull(value.data, NULL, 10);
		text_clear(&keys);
		text_addf(&keys, "gt");
		if (traces)
			text_addf(&keys, "%zu:", trace + 1);
		text_addf(&keys, "0x%llx\r", offset);
		scene_keys(s, keys.data);
		text_clear(&want);
		text_addf(&want, "\n %zu of %zu ", ++row, count);
		scene_wait(s, want.data);
	}
	scene_quit(s);
	text_free(&lines);
	text_free(&value);
	text_free(&keys);
	text_free(&want);
}

/* t with the offset of a message goes to that message, also where the last byte of an earlier one
 * lies there: every row of captures and of a session. */
static void
test_goto_offset(void **state)
{
	static const char *const lab[] = {"soc", "dsp", "log", "cam", "hub", NULL};
	struct scene *s = *state;
	check_places(s, "demo.stp", NULL);
	check_places(s, "lab.yaml", lab);
	check_places(s, "all-encap.bin", NULL);
	check_places(s, "all-gem.bin", NULL);
	check_places(s, "all-raw.bin", NULL);
}

/* Y copies the same command whatever the zone of the times, and another for each row. */
static void
test_copy_unique(void **state)
{
	struct scene *s = *state;
	setenv("TZ", "Europe/Berlin", 1);
	open_at_error(s);
	scene_keys(s, ":set utc\rY");
	scene_wait(s, "lab.yaml +t=1:0x6dd");
	scene_quit(s);
	setenv("TZ", "UTC", 1);
	scene_open(s, 24, 120, "xterm-256color", "demo.stp", NULL);
	scene_wait(s, "1 of 309");
	scene_check_idle(s);
	scene_keys(s, "138GY"); /* 137 of the same time comes before it */
	scene_wait(s, "demo.stp +t=0x1cf9");
	scene_quit(s);
}

/* Each press hides something: levels without messages are passed.  The first one hides the
 * messages without a severity.  The title counts them, and M shows them. */
static void
test_severities(void **state)
{
	struct scene *s = *state;
	char want[120], title[120], digits[32], clocks[32];
	open_at_error(s);
	snprintf(clocks, sizeof clocks, "%zu", count_of("type = \"CLOCK:SYNC\""));
	snprintf(title, sizeof title, "  hides %s without severity ", clocks);
	scene_until(s, title, false);
	scene_keys(s, "}");
	scene_wait_id(s, NOTICE_SEVERITIES, "severity >= debug");
	scene_wait_at(s, 0, title);
	scene_keys(s, "}"); /* no user1, no user2 */
	snprintf(digits, sizeof digits, "%zu", count_of("severity >= info"));
	snprintf(want, sizeof want, NOTICE_SEVERITIES_COUNTED, digits);
	scene_wait_id(s, NOTICE_SEVERITIES, want);
	snprintf(want, sizeof want, NOTICE_UNASSIGNED_HIDDEN, clocks, "", "a-");
	scene_wait_id(s, NOTICE_SEVERITIES, want);
	scene_wait_at(s, 0, title);
	scene_keys(s, "a-");
	snprintf(want, sizeof want, NOTICE_UNASSIGNED_COUNTED, clocks, "", "a-");
	scene_wait_id(s, NOTICE_SEVERITIES, want);
	scene_wait_at(s, 0, "only INFO+ or none ");
	scene_until(s, title, false);
	scene_keys(s, "}"); /* they stay */
	scene_wait_at(s, 0, "only WARNING+ or none ");
	scene_keys(s, "{a-");
	scene_wait_at(s, 0, "only INFO+ ");
	scene_wait_at(s, 0, title);
	scene_keys(s, "3}");
	scene_wait_id(s, NOTICE_SEVERITIES, "severity >= fatal");
	scene_keys(s, "}");
	scene_wait_notice(s, NOTICE_SEVERITY_WORST, "fatal");
	scene_keys(s, "{");
	scene_wait_id(s, NOTICE_SEVERITIES, "severity >= error");
	scene_keys(s, "3{"); /* no user1, no user2 */
	scene_wait_id(s, NOTICE_SEVERITIES, "severity >= debug");
	scene_keys(s, "{");
	scene_wait_id(s, NOTICE_SEVERITIES, NOTICE_SEVERITIES_ALL);
	scene_until(s, title, false);
	scene_keys(s, "a-");
	snprintf(want, sizeof want, NOTICE_UNASSIGNED_HIDDEN, clocks, "", "a-");
	scene_wait_id(s, NOTICE_SEVERITIES, want);
	scene_keys(s, ":severity all\r");
	scene_wait_id(s, NOTICE_SEVERITIES, NOTICE_SEVERITIES_ALL);
	scene_quit(s);
}

/* The list of another trace begins where the one before was, and says that it is another. */
static void
test_next_trace(void **state)
{
	struct scene *s = *state;
	open_at_error(s);
	scene_keys(s, "]f"); /* soc, which the message is of */
	scene_wait_notice(s, NOTICE_TRACE_ALONE_NOW, "soc", (size_t)5, "[f");
	scene_wait_row(s, ">", "timeout: seq 70");
	scene_keys(s, "]f");
	scene_wait_notice(s, NOTICE_TRACE_ALONE, "dsp", (size_t)2, (size_t)5);
	scene_wait_row(s, ">", "10:06:40.234886"); /* its first one after that */
	scene_keys(s, "2[f");
	scene_wait_notice(s, NOTICE_TRACES_ALL, (size_t)5);
	scene_wait_row(s, ">", "10:06:40.234886");
	scene_quit(s);
}

/* The list of origins opens on that of the row. */
static void
test_origin_of_row(void **state)
{
	struct scene *s = *state;
	open_at_error(s);
	scene_keys(s, "; ");
	scene_wait(s, "[ ] soc mailbox");
	scene_quit(s);
}

/* Keys that begin a sequence show what follows: a menu at once, others after a while; Esc
 * leaves. */
static void
test_continuations(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "a");
	scene_wait_at(
	    s, 23, " - without severity  o O origin  * # like  f F trace  s severity  t T  c  =");
	scene_keys(s, "\033");
	scene_until(s, "# like", false);
	scene_keys(s, "]");
	scene_wait_at(
	    s, 23, " e error  w warning  g loss  t trigger  s  c  f  d  j  m  o  ]  k  x  S  b  i");
	scene_keys(s, "\033\027");
	scene_wait_at(s, 23, " w other pane  h l left, right  j k below, above");
	scene_keys(s, "\033mb'");
	scene_wait_at(s, 23, "there are b");
	scene_keys(s, "bm");
	scene_wait_at(s, 23, " set mark a to z here");
	scene_keys(s, "\033");
	scene_wait_notice(s, NOTICE_MARK_LETTER);
	scene_check_idle(s);
	scene_quit(s);
}

/* What means nothing here says where it means something, or what it could have been; where
 * a pane that follows the list is open, its keys act. */
static void
test_unknown(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_keys(s, "-");
	scene_wait_notice(s, NOTICE_KEY_IN_PANE, "-", "timeline", "zoom out: twice the time", "i");
	scene_keys(s, "i\033");
	scene_wait(s, "1.52 ms a cell");
	scene_keys(s, "+");
	scene_wait(s, "762 us a cell");
	scene_keys(s, "-");
	scene_wait(s, "1.52 ms a cell");
	scene_keys(s, "i\033B\t\033[3~"); /* Del */
	scene_wait_id(s, NOTICE_KEY_IN_OPEN_PANE, "filters");
	scene_keys(s, "]z");
	scene_wait_notice(s, NOTICE_KEY_CONTINUES, "]z", "]", "e  w  g  t");
	scene_keys(s, "\027e");
	scene_wait_notice(s, NOTICE_KEY_CONTINUES, "Ctrl-W e", "Ctrl-W", "m  w  h l  j k");
	scene_keys(s, "~");
	scene_wait_notice(s, NOTICE_KEY_UNKNOWN, "~", "F1");
	scene_quit(s);
}

/* The card has the keys of the pane with the cursor as they are bound, then those of the
 * others; what it does not have as a key closes it and acts. */
static void
test_card(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "demo.stp", "--keys=less", NULL);
	scene_check_idle(s);
	scene_keys(s, "\033OP");
	scene_wait(s, " keys of the list, 1 of 12  ");
	scene_wait(s, "  Space b turn  m manual  q back");
	scene_wait_at(
	    s, 2, " move                      next, previous            only, hide: this row's");
	scene_wait(s, "P x   fields, bytes"); /* as they are bound */
	scene_wait(s, "aJ D  origin");
	scene_wait(s, ":redo-filter");
	for (int y = 0; y < 24; y++) { /* there is one trace: as what is absent */
		const char *row = emulator_row(s->emulator, y);
		if (strstr(row, "]f [f trace"))
			assert_false(emulator_cell(s->emulator, y, 28).bold);
		else if (strstr(row, "]g [g loss"))
			assert_true(emulator_cell(s->emulator, y, 28).bold);
	}
	scene_keys(s, "\t");
	scene_wait(s, " signs in the list, mouse, 2 of 12 ");
	scene_wait(s, "\n ~              lost or damaged bytes\n");
	scene_wait(s, "\n ?              order uncertain: ");
	scene_wait(s, "\n W 6  ~2        number of warnings");
	scene_until(s, "--compare", false);
	scene_keys(s, "\t");
	scene_wait(s, " keys of the detail, 3 of 12");
	scene_wait(s, "open the field under the cursor");
	scene_keys(s, "P"); /* ignored, with a hint */
	scene_wait_notice(s, NOTICE_CARD_KEYS, "q");
	scene_keys(s, "qP");
	scene_until(s, "keys of the", false);
	scene_wait(s, "P close");
	scene_keys(s, "P\033OPm"); /* one q for each page */
	scene_wait(s, "Digits before a key are a count");
	scene_keys(s, "q");
	scene_wait(s, "keys of the list, 1 of 12");
	scene_keys(s, "q");
	scene_until(s, "keys of the", false);
	scene_quit(s);
}

/* However small the screen, the card names the keys that turn it; where there is room, it has
 * the help of each key.  A pane's card has the pane's signs. */
static void
test_card_sizes(void **state)
{
	struct scene *s = *state;
	scene_open(s, 15, 60, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, "1 of 531");
	scene_keys(s, "\033OP");
	scene_wait_at(s, 1, ", page 1 of 3       Space b turn");
	scene_quit(s);
	scene_open(s, 45, 160, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, "1 of 531");
	scene_wait(s, "lost 2"); /* instead of ~2 */
	scene_keys(s, "\033OP");
	scene_wait(s, " j k   row                 one row down ");
	scene_wait(s, " m '   mark, go there      set mark a to z here; ");
	scene_keys(s, "\t");
	scene_wait(s, " %              not decoded for sure");
	scene_wait(s, " wheel, click   scroll; ");
	scene_keys(s, "qi\033OP");
	scene_wait(s, " keys of the timeline");
	scene_wait(s, " 4 more ");
	scene_quit(s);
}

/* Pages turn the cards, to the last and back to the first; what is longer than a row is
 * wrapped. */
static void
test_card_turns(void **state)
{
	struct scene *s = *state;
	scene_open_demo(s, 24, 80);
	scene_check_idle(s);
	scene_keys(s, "\033OP");
	scene_wait(s, ":highlight colour rows");
	scene_wait(s, ": :key command, own key");
	scene_until(s, ">", false); /* no row is cut */
	scene_keys(s, "\033[6~");   /* PgDn */
	scene_wait(s, " signs in the list, mouse, 2 of 12");
	scene_keys(s, " ");
	scene_wait(s, " keys of the detail, 3 of 12");
	scene_wait_at(s, 3, "only messages where the field under the cursor");
	scene_wait_at(s, 4, "                has this value");
	scene_keys(s, "    "); /* that of the timeline has two pages */
	scene_wait(s, " keys of the filters, 6 of 12 ");
	scene_wait(s, " 0  1  2  3  4  5  6  7  8 hide messages of that severity");
	scene_until(s, ">", false);
	scene_keys(s, " ");
	scene_wait(s, " keys of the origins, 7 of 12 ");
	scene_keys(s, "   ");
	scene_wait(s, " keys of the table, 10 of 12 ");
	scene_keys(s, " ");
	scene_wait(s, " keys of the code, 11 of 12 ");
	scene_keys(s, " ");
	scene_wait(s, " keys of the functions, 12 of 12, the last  ");
	scene_wait(s, "  b back  m manual");
	scene_keys(s, " ");
	scene_wait_notice(s, NOTICE_CARD_LAST);
	scene_keys(s, "bbbbbb");
	scene_wait(s, " keys of the filters, 6 of 12 ");
	scene_keys(s, "bbbbbb");
	scene_wait(s, " keys of the list, 1 of 12 ");
	scene_keys(s, "b");
	scene_wait_notice(s, NOTICE_CARD_FIRST);
	scene_keys(s, "\033[Z"); /* BackTab goes round, as Tab does */
	scene_wait(s, " 12 of 12, the last");
	scene_keys(s, "\t");
	scene_wait(s, " keys of the list, 1 of 12 ");
	scene_quit(s);
}

/* The first run says how to get help, and out; the next one does not. */
static void
test_first_run(void **state)
{
	struct scene *s = *state;
	char folder[] = "/tmp/trawl-test.XXXXXX", command[64];
	struct text path = {0};
	assert_non_null(mkdtemp(folder));
	setenv("XDG_STATE_HOME", folder, 1);
	testdata_path("demo.stp", &path);
	char *arguments[] = {getenv("TRAWL"), path.data, NULL};
	for (int run = 0; run < 2; run++) {
		scene_start(s, 24, 80, "xterm-256color", arguments);
		if (run)
			scene_wait(s, "309");
		else
			scene_wait_notice(s, NOTICE_WELCOME, "F1", "q");
		if (run)
			scene_until_gone(s, NOTICE_WELCOME);
		scene_keys(s, "q");
		scene_end(s);
		scene_close(s);
	}
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	text_free(&path);
}

/* The mouse is left alone unless it is asked for; then a click goes to a row, the wheel
 * scrolls what is under it, and the terminal is given back without it. */
static void
test_mouse(void **state)
{
	struct scene *s = *state;
	char before[100];
	scene_open_demo(s, 24, 80);
	scene_check_idle(s); /* until names are known */
	snprintf(before, sizeof before, "%.60s", emulator_row(s->emulator, 8));
	assert_null(strstr(s->sent.data, "\033[?1000h"));
	scene_keys(s, "\033[<0;10;9M:set mouse\r"); /* not asked for: nothing */
	scene_wait(s, "mouse=true");
	assert_non_null(strstr(s->sent.data, "\033[?1000h\033[?1006h"));
	assert_int_equal(emulator_row(s->emulator, 2)[0], '>');
	scene_keys(s, "\033[<0;10;9M\033[<0;10;9m");
	scene_wait_row(s, ">", before + 1);
	scene_keys(s, "\033[<65;10;9M"); /* the wheel, towards oneself */
	scene_wait_at(s, 5, before + 1);
	scene_keys(s, "\033[<64;10;9M");
	scene_wait_at(s, 8, before + 1);
	scene_keys(s, "Q");
	scene_end(s);
	const char *off = strstr(s->sent.data, "\033[?1006l\033[?1000l");
	assert_non_null(off);
	scene_check_restored(s);
	scene_close(s);
}

/* The colour of the text of the row with the cursor, by its number; -1: none. */
static int
colour_of_row(struct scene *s)
{
	for (int row = 0; row < s->rows; row++)
		if (emulator_row(s->emulator, row)[0] == '>')
			return emulator_cell(s->emulator, row, 60).fg;
	return -2;
}

/* A highlight colours the rows it holds for at once, over their severity, the first one that
 * holds; what is an expression as a whole names no colour. */
static void
test_highlight(void **state)
{
	static const struct {
		const char *typed, *notice, *part;
		int colour;
	} rows[] = {
	    {"timeout red", NOTICE_HIGHLIGHT_ADDED, " red", 1},
	    {"\"timeout\" green", NOTICE_HIGHLIGHT_ADDED, " green", 2},
	    {"severity = error", NOTICE_HIGHLIGHT_ADDED, "2: severity = error", 2},
	    {"origin = mailbox blue", NOTICE_HIGHLIGHT_ADDED, "3: origin = mailbox", 2},
	    {"", NOTICE_HIGHLIGHT_LIST,
	     "1: timeout in green; 2: severity = error in accent2; 3: origin", 2},
	    {"-timeout", NOTICE_OWN_REMOVED, "2 highlights", 116},
	    {"-1", NOTICE_OWN_REMOVED, "1 highlight", 4},
	    {"-7", NOTICE_OWN_UNKNOWN, "highlight 7", 4},
	    {"'timeout: seq' bright cyan", NOTICE_HIGHLIGHT_ADDED, "2: timeout: seq in bright-cyan",
	     4},
	    {"-2", NOTICE_OWN_REMOVED, "1 highlight", 4},
	    {"timeout bright green", NOTICE_HIGHLIGHT_ADDED, "2: timeout in bright-green", 4},
	    {"-2", NOTICE_OWN_REMOVED, "1 highlight", 4},
	    {"timeout gren", NOTICE_HIGHLIGHT_BLANKS, "\"timeout gren\"; did you mean green?", 4},
	    {"timeout: seq red", NOTICE_HIGHLIGHT_BLANKS, "\"timeout: seq\" red", 4},
	    {"\"timeout\" purple", NOTICE_OWN_REFUSED, "purple", 4},
	    {"severity >= bad", NOTICE_OWN_REFUSED, "severity >= bad", 4},
	};
	struct scene *s = *state;
	open_at_error(s);
	scene_keys(s, ":highlight\r");
	scene_wait_notice(s, NOTICE_HIGHLIGHT_NONE);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		scene_keys(s, ":highlight ");
		scene_keys(s, rows[i].typed);
		scene_keys(s, "\r");
		scene_wait_id(s, rows[i].notice, rows[i].part);
		assert_int_equal(colour_of_row(s), rows[i].colour);
	}
	scene_keys(s, ":view default\rR"); /* these have others, and leave one's own */
	scene_wait(s, "timeout: seq 70");
	assert_int_equal(colour_of_row(s), 4);
	scene_quit(s);
}

/* NO_COLOR leaves a highlight bold, and without its colour. */
static void
test_highlight_mono(void **state)
{
	struct scene *s = *state;
	setenv("NO_COLOR", "1", 1);
	open_at_error(s);
	scene_keys(s, ":highlight timeout red\r");
	scene_wait_id(s, NOTICE_HIGHLIGHT_ADDED, " red");
	assert_false(scene_has_colours(s));
	scene_quit(s);
	unsetenv("NO_COLOR");
}

/* A key runs a command with what belongs to it, or what is typed behind / and &; what it was
 * is said, and it is that again when it is removed. */
static void
test_own_key(void **state)
{
	struct scene *s = *state;
	open_at_error(s);
	scene_keys(s, ":key\r");
	scene_wait_notice(s, NOTICE_KEY_NONE);
	scene_keys(s, ":key r \"filter severity >= error\"\rr");
	scene_wait(s, "only severity >= error");
	scene_keys(s, "u:key r next-error\r");
	scene_wait_notice(s, NOTICE_KEY_CHANGED, "r", "next-error", "filter severity >= error");
	scene_keys(s, "r");
	scene_wait_row(s, ">", "frame 8: no free buffer");
	scene_keys(s, ":key s /bite: camera\r");
	scene_wait_notice(s, NOTICE_KEY_CHANGED, "s", "/bite: camera", "next-gap");
	scene_keys(s, "s");
	scene_wait_row(s, ">", "watchdog bite");
	scene_keys(s, ":key\r");
	scene_wait(s, "\n r: next-error; s: /bite: camera");
	scene_keys(s, ":key -r\rr");
	scene_until_gone(s, NOTICE_OWN_REMOVED);
	scene_wait_row(s, ">", "watchdog bite"); /* open-row again */
	scene_keys(s, ":key x3 next-error\r");
	scene_wait_notice(s, NOTICE_KEY_CHANGED, "x3", "next-error", "hex");
	scene_keys(s, ":key Foo next-error\r");
	scene_wait_notice(s, NOTICE_OWN_REFUSED, "Foo", "a key like F5, x, Ctrl-D, PgDn or ]e");
	scene_keys(s, ":key F5 nexterror\r");
	scene_wait_notice(s, NOTICE_OWN_REFUSED, "nexterror",
			  "a command as after :; did you mean next-error?");
	scene_keys(s, "\033OPm"); /* the manual has what its commands do not */
	scene_wait(s, "Keys of your own");
	scene_wait(s, "\n  s  ");
	scene_wait(s, " /bite: camera");
	scene_keys(s, "q:key F7 next-err\t");
	scene_wait(s, "\n:key F7 next-error");
	scene_keys(s, "\003:key F5\r");
	scene_wait_id(s, NOTICE_KEY_WHAT, "F5");
	scene_quit(s);
}

/* What is kept is there at the next start, and what another list of the file had stays; a
 * mistake in it is told with its place, before there is a screen. */
static void
test_own_kept(void **state)
{
	struct scene *s = *state;
	char folder[] = "/tmp/test_keys.XXXXXX", command[80], file[80];
	char *before = mem_text(getenv("XDG_CONFIG_HOME") ? getenv("XDG_CONFIG_HOME") : "");
	assert_non_null(mkdtemp(folder));
	setenv("XDG_CONFIG_HOME", folder, 1);
	snprintf(file, sizeof file, "%s/trawl/own.yaml", folder);
	open_at_error(s);
	scene_keys(s, ":highlight timeout red\r:highlight --save\r");
	scene_wait_id(s, NOTICE_OWN_SAVED, "1 highlight");
	scene_quit(s);
	open_at_error(s);
	assert_int_equal(colour_of_row(s), 1);
	scene_keys(s, ":key F5 filter origin = dma\r:key --save\r");
	scene_wait_id(s, NOTICE_OWN_SAVED, "1 key");
	scene_quit(s);
	open_at_error(s);
	assert_int_equal(colour_of_row(s), 1);
	scene_keys(s, "\033[15~");
	scene_wait(s, "only origin = dma");
	scene_keys(s, ":highlight lost blue --save\r");
	scene_wait_id(s, NOTICE_OWN_SAVED, "2 highlights");
	scene_keys(s, ":highlight --save frame yellow\r");
	scene_wait_id(s, NOTICE_OWN_SAVED, "3 highlights");
	scene_keys(s, ":key --save x3 facts\r");
	scene_wait_id(s, NOTICE_OWN_SAVED, "2 keys");
	scene_keys(s, ":key x4 filter /a b/ --save \r");
	scene_wait_id(s, NOTICE_OWN_SAVED, "3 keys");
	scene_keys(s, ":highlight nosuch purpel --save\r"); /* a mistake saves nothing */
	scene_wait_id(s, NOTICE_HIGHLIGHT_BLANKS, NULL);
	scene_keys(s, ":key --save -x3\r");
	scene_wait_id(s, NOTICE_OWN_SAVED, "2 keys");
	scene_quit(s);
	open_at_error(s);
	scene_keys(s, ":key\r");
	scene_wait(s, "F5: filter origin = dma; x4: filter /a b/");
	scene_keys(s, ":highlight\r");
	scene_wait(s, "2: lost in blue; 3: frame in yellow");
	scene_quit(s);
	FILE *own = fopen(file, "w");
	assert_non_null(own);
	fputs("highlights: # of one's own\n"
	      "- {filter: lost, role: mark}\n"
	      "# why\n",
	      own);
	fclose(own);
	open_at_error(s);
	scene_keys(s, ":key x3 facts\r:key --save\r");
	scene_wait_id(s, NOTICE_OWN_SAVED, "1 key");
	scene_quit(s);
	struct text kept = {0};
	own = fopen(file, "r");
	file_read_all(own, &kept);
	fclose(own);
	assert_string_equal(kept.data, "# why\n"
				       "highlights:\n"
				       "  - {filter: lost, role: mark}\n"
				       "keys:\n"
				       "  - {key: x3, command: facts}\n");
	text_free(&kept);
	own = fopen(file, "w");
	assert_non_null(own);
	fputs("keys:\n- {key: F5, command: nosuch}\n", own);
	fclose(own);
	scene_open(s, 24, 200, "xterm-256color", "lab.yaml", NULL);
	scene_end(s);
	assert_non_null(strstr(s->sent.data,
			       "own.yaml:2:22: keys[0].command is \"nosuch\"; expected "
			       "a command as after :"));
	scene_close(s);
	setenv("XDG_CONFIG_HOME", before, 1);
	free(before);
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* Two kinds of entries, as defined now and as saved: the model of test_own_random(). */
struct own_model {
	struct own_entry {
		const char *name, *value;
	} at[2][4]; /* highlights, keys */
	size_t count[2];
};

static void
model_set(struct own_model *model, int kind, const char *name, const char *value)
{
	size_t i = 0;
	while (i < model->count[kind] && strcmp(model->at[kind][i].name, name) != 0)
		i++;
	if (!value) {
		if (i < model->count[kind])
			memmove(&model->at[kind][i], &model->at[kind][i + 1],
				(--model->count[kind] - i) * sizeof(struct own_entry));
		return;
	}
	model->at[kind][i] = (struct own_entry){name, value};
	if (i == model->count[kind])
		model->count[kind]++;
}

/* Check that the file has the entries of the model and nothing else. */
static void
check_own_file(const char *path, const struct own_model *model)
{
	static const char *const kinds[] = {"highlights", "keys"};
	static const char *const names[] = {"filter", "key"}, *const values[] = {"role", "command"};
	struct text want = {0}, kept = {0};
	FILE *file = fopen(path, "r");
	for (int kind = 0; kind < 2; kind++) {
		text_addf(&want, "%s:%s\n", kinds[kind], model->count[kind] ? "" : " []");
		for (size_t i = 0; i < model->count[kind]; i++)
			text_addf(&want, "  - {%s: %s, %s: %s}\n", names[kind],
				  model->at[kind][i].name, values[kind], model->at[kind][i].value);
	}
	assert_non_null(file);
	file_read_all(file, &kept);
	fclose(file);
	assert_non_null(strstr(text_get(&kept), "highlights:"));
	assert_string_equal(strstr(kept.data, "highlights:"), want.data);
	text_free(&want);
	text_free(&kept);
}

/* Define, remove or save an entry of a random kind, on the screen and in the model. */
static void
step_own(struct scene *s, uint64_t *seed, const char *path, struct own_model *now,
	 struct own_model *saved)
{
	static const char *const names[2][4] = {{"aa", "bb", "cc", "dd"}, {"F5", "F6", "F7", "F8"}};
	static const char *const values[2][2] = {{"mark", "accent2"}, {"facts", "next-error"}};
	static const char *const command[] = {"highlight", "key"};
	int kind = (int)(random_next(seed) % 2), what = (int)(random_next(seed) % 4);
	const char *name = names[kind][random_next(seed) % 4];
	const char *value = what == 1 ? NULL : values[kind][random_next(seed) % 2];
	struct text keys = {0};
	if (what == 3) {
		text_addf(&keys, ":%s --save\r", command[kind]);
		memcpy(saved->at[kind], now->at[kind], sizeof now->at[kind]);
		saved->count[kind] = now->count[kind];
	} else {
		text_addf(&keys, ":%s %s%s %s\r", command[kind], value ? "" : "-", name,
			  value ? value : "");
		model_set(now, kind, name, value);
	}
	scene_keys(s, keys.data);
	text_clear(&keys);
	if (what == 3) {
		text_addf(&keys, "%zu %s", now->count[kind], command[kind]);
		scene_wait_id(s, NOTICE_OWN_SAVED, keys.data);
		check_own_file(path, saved);
		scene_keys(s, "j"); /* the next notice may be equal */
		scene_until_gone(s, NOTICE_OWN_SAVED);
	}
	text_free(&keys);
}

/* Random definitions, removals, saves and restarts of highlights and keys are equal to a model
 * where a save keeps one kind and leaves the other as it is, in the file and in memory. */
static void
test_own_random(void **state)
{
	struct scene *s = *state;
	char folder[] = "/tmp/test_keys.XXXXXX", command[80], file[80];
	char *before = mem_text(getenv("XDG_CONFIG_HOME") ? getenv("XDG_CONFIG_HOME") : "");
	struct own_model now = {0}, saved = {0};
	uint64_t seed = 45;
	assert_non_null(mkdtemp(folder));
	setenv("XDG_CONFIG_HOME", folder, 1);
	snprintf(file, sizeof file, "%s/trawl/own.yaml", folder);
	for (int run = 0; run < 8; run++) {
		open_at_error(s);
		for (int i = 0; i < 12; i++)
			step_own(s, &seed, file, &now, &saved);
		scene_quit(s);
		now = saved;
	}
	setenv("XDG_CONFIG_HOME", before, 1);
	free(before);
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_from_row),	     scene_test(test_from_states),
	    scene_test(test_same_filter),    scene_test(test_undo),
	    scene_test(test_pair),	     scene_test(test_copy_place),
	    scene_test(test_severities),     scene_test(test_next_trace),
	    scene_test(test_origin_of_row),  scene_test(test_continuations),
	    scene_test(test_unknown),	     scene_test(test_card),
	    scene_test(test_card_turns),     scene_test(test_first_run),
	    scene_test(test_mouse),	     scene_test(test_highlight),
	    scene_test(test_highlight_mono), scene_test(test_card_sizes),
	    scene_test(test_own_key),	     scene_test(test_own_kept),
	    scene_test(test_own_random),     scene_test(test_goto_offset),
	    scene_test(test_copy_unique),
	};
	return scene_run_group("screen: keys", tests);
}
