/*
 * Several traces as one list: its order, colours and filters, ties and sync points.
 */
#include "config.h"

#include "test.h"

#include "base/bytes.h"
#include "base/vec.h"
#include "scene.h"
#include "session_fixture.h"
#include "session/sequence.h"
#include "session/session.h"
#include "temp_file.h"
#include "uia_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the rows from 2 on are the messages from NUMBER on of all traces:
 * their numbers and traces. */
static void
check_merged(struct scene *s, struct session *session, struct sequence *sequence, uint64_t number)
{
	struct sequence_position p;
	struct sequence_wish wish = {.by = SEQUENCE_BY_NUMBER, .value = number};
	assert_true(sequence_is_known(sequence, &wish) && sequence_find(sequence, &wish, &p));
	for (int row = 2; row < 23; row++, number++) {
		char digits[32];
		snprintf(digits, sizeof digits, " %llu ", (unsigned long long)number + 1);
		scene_wait_at(s, row, digits);
		scene_wait_at(s, row, trace_name(session->traces.at[p.trace]));
		if (row < 22)
			assert_true(sequence_next(sequence, &p));
	}
}

static uint64_t
count_severity(struct sequence *sequence, enum severity severity)
{
	struct sequence_position p;
	uint64_t count = 0;
	for (bool more = sequence_first(sequence, &p); more; more = sequence_next(sequence, &p))
		count += sequence_message(sequence, p)->severity == severity;
	return count;
}

static void
test_merged(void **state)
{
	struct session_fixture f;
	struct scene *s = *state;
	char path[128], keys[160];
	session_fixture_open(&f, "-c 20000 --jitter=0 --rate=0.02", NULL);
	session_fixture_load(&f);
	struct sequence *sequence = sequence_new(&f.session);
	sequence_load(sequence);
	bool exact;
	uint64_t count = sequence_count(sequence, &exact);
	char total[32], shown[64];
	text_number(total, count);

	snprintf(path, sizeof path, "%s/session.yaml", f.folder);
	scene_open(s, 24, 120, "xterm-256color", path, scene_numbered(), "--no-cache", NULL);
	snprintf(shown, sizeof shown, " 1 of %s", total); /* no ~: the clocks are known */
	scene_wait(s, shown);
	scene_wait(s, " 10:06:40.000175");
	scene_wait(s, " 2025-11-21 ");
	scene_wait(s, "cam.csel");
	check_merged(s, &f.session, sequence, 0);
	scene_keys(s, "Gk"); /* whose number takes the whole order */
	snprintf(keys, sizeof keys, " %s of %s", text_number(shown, count - 1), total);
	scene_wait(s, keys);
	scene_keys(s, "7001G");
	scene_wait(s, " 7,001 of ");
	check_merged(s, &f.session, sequence, 7000 - 10);
	scene_keys(s, "t10:06:41\r");
	scene_wait(s, "10:06:41.000");
	scene_keys(s, "G");
	snprintf(keys, sizeof keys, " %s of %s", text_number(shown, count), total);
	scene_wait(s, keys);
	check_merged(s, &f.session, sequence, count - 21);

	/* matches of all traces are counted, and numbered, together */
	uint64_t warnings = count_severity(sequence, SEVERITY_WARNING);
	assert_true(warnings > 10);
	scene_keys(s, "g&severity = warning");
	snprintf(keys, sizeof keys, " on screen, %s in all", text_number(shown, warnings));
	scene_wait(s, keys);
	scene_keys(s, "\r3j");
	snprintf(keys, sizeof keys, "row 4 of %s", shown);
	scene_wait(s, keys);
	scene_keys(s, "G");
	snprintf(keys, sizeof keys, "row %s of %s", shown, shown);
	scene_wait(s, keys);
	scene_keys(s, "&\r");
	scene_until(s, "only", false);

	scene_keys(s, ":clocks\r");
	scene_wait(s, "wall clock: soc.stp, aux.stp, dsp.gem, dsp.uia, cam.csel");
	scene_wait(s, "SyS-T clock");
	scene_keys(s, "q");
	/* from the word of a sync point to its event and back */
	scene_keys(s, "g/SyncPoint 5 \r");
	scene_wait_row(s, ">", "SyncPoint 5 ");
	scene_wait(s, "  5 traces  ");
	scene_keys(s, "\035"); /* Ctrl-] */
	scene_wait_row(s, ">", "syncPoint serial 5,");
	scene_keys(s, "\035");
	scene_wait_row(s, ">", "SyncPoint 5 ");
	scene_keys(s, ":show-trace dsp.uia\r");
	scene_wait_id(s, NOTICE_TRACE_LEFT_OUT, NULL);
	scene_until(s, "core 1", false);
	sequence_free(sequence);
	session_fixture_close(&f);
	scene_quit(s);
}

/* A profile without what it says of sync. */
static void
drop_sync(const char *path)
{
	struct text text = {0};
	FILE *file = fopen(path, "r");
	file_read_all(file, &text);
	fclose(file);
	char *sync = strstr(text.data, "\nsync:");
	assert_non_null(sync);
	assert_int_equal(truncate(path, sync + 1 - text.data), 0);
	text_free(&text);
}

/* A tie made on the screen is there again when the session is, until it is taken
 * back. */
static void
test_tie(void **state)
{
	struct session_fixture f;
	struct scene *s = *state;
	char path[128];
	session_fixture_open(&f, "-c 2000 --jitter=0 --rate=0", NULL);
	snprintf(path, sizeof path, "%s/session.yaml", f.folder);
	drop_sync(path);
	scene_open(s, 24, 120, "xterm-256color", path, scene_numbered(), "--no-cache", NULL);
	scene_wait(s, " 10:06:40.0");
	scene_keys(s, "g/something\r");
	scene_wait_row(s, ">", "something");
	scene_keys(s, "ma:tie a b\r");
	scene_wait_id(s, NOTICE_TIE_WHAT, NULL);
	scene_keys(s, "G");
	scene_wait_row(s, ">", "dsp."); /* which nothing relates to the others */
	scene_wait_at(s, 0, "  2 clocks, not tied");
	scene_wait_row(s, ">/", "dsp.");
	scene_keys(s, "mb:tie a b\r");
	scene_wait_id(s, NOTICE_TIED, "soc.stp 10:06:4");
	scene_wait(s, " = dsp.");
	scene_until(s, "not tied", false);
	scene_wait_row(s, ">b ", "dsp.");
	scene_keys(s, ":tie b a\r"); /* the same again */
	scene_wait_id(s, NOTICE_TIE_REFUSED, ":untie 1");
	scene_keys(s, "X");
	scene_wait(s, "= 1 tie, sync points =");
	scene_wait(s, " tie 1, +0 ns apart: something "); /* a row above those of the list */
	scene_keys(s, "d");				  /* not on it yet */
	scene_wait_notice(s, NOTICE_TIE_NOT_HERE);
	scene_keys(s, "g\r");
	scene_wait_row(s, ">a", "something");
	scene_keys(s, "jjkkd"); /* down to the list, and up again */
	scene_wait_id(s, NOTICE_UNTIED, "soc.stp");
	scene_wait(s, "= sync points =");
	scene_keys(s, "u");
	scene_wait(s, "= 1 tie, sync points =");
	scene_keys(s, "Xu");
	scene_wait_id(s, NOTICE_UNDONE, "Ctrl-R");
	scene_wait(s, "  2 clocks, not tied");
	scene_keys(s, "\022"); /* Ctrl-R */
	scene_wait_id(s, NOTICE_REDONE, "soc.stp");
	scene_until(s, "not tied", false);
	scene_keys(s, "'b:untie\ru"); /* what was removed comes back */
	scene_wait_id(s, NOTICE_UNDONE, "soc.stp");
	scene_keys(s, ":save\r");
	scene_wait_id(s, NOTICE_SAVED, "2");
	scene_quit(s);

	scene_open(s, 24, 120, "xterm-256color", path, scene_numbered(), "--no-cache", NULL);
	scene_wait(s, " 10:06:39."); /* the last of dsp is soc's first */
	scene_keys(s, ":clocks\r");
	scene_wait(s, "wall clock: soc.stp, aux.stp, dsp.gem, dsp.uia, cam.csel");
	scene_wait(s, ": tie, 1 point,");
	scene_wait(s, "tie 1: soc.stp ");
	scene_keys(s, "q:untie 2\r");
	scene_wait_id(s, NOTICE_UNTIE_WHAT, NULL);
	scene_keys(s, "g:untie\r"); /* the first message has none */
	scene_wait_id(s, NOTICE_UNTIE_WHAT, NULL);
	scene_keys(s, "'a:untie\r");
	scene_wait_id(s, NOTICE_UNTIED, NULL);
	scene_keys(s, ":clocks\r");
	scene_wait(s, "wall clock: soc.stp, aux.stp, cam.csel");
	scene_keys(s, "q:save\r");
	scene_wait_id(s, NOTICE_SAVED, "2");
	session_fixture_close(&f);
	scene_quit(s);
}

enum { SERIALS_MAX = 10 }; /* of one digit */

/* Where the sync points with each serial number lie in dsp.gem and in dsp.uia, as
 * mkcapture lays them out; -1: not there. */
struct sync_places {
	long gem[SERIALS_MAX], uia[SERIALS_MAX];
};

static void
find_syncs(const char *folder, struct sync_places *places)
{
	enum { RECORD = 12, TYPE_SYNC = 1, HEAD = 16, EVENT_SYNC = 1 };
	struct text gem = {0}, uia = {0};
	char path[128];
	memset(places, 0xff, sizeof *places);
	snprintf(path, sizeof path, "%s/dsp.gem", folder);
	FILE *file = fopen(path, "r");
	file_read_all(file, &gem);
	fclose(file);
	snprintf(path, sizeof path, "%s/dsp.uia", folder);
	file = fopen(path, "r");
	file_read_all(file, &uia);
	fclose(file);
	for (size_t at = 0; at + RECORD <= gem.length; at += RECORD) {
		uint32_t word = bytes_le32((const uint8_t *)gem.data + at);
		if (word >> 26 == TYPE_SYNC && (word >> 2 & 0xffffff) < SERIALS_MAX)
			places->gem[word >> 2 & 0xffffff] = (long)at;
	}
	for (size_t at = 0; at + HEAD + 20 <= uia.length;) {
		const uint8_t *event = (const uint8_t *)uia.data + at + HEAD;
		if (bytes_le32(event + 12) >> 16 == EVENT_SYNC &&
		    bytes_le32(event + 16) < SERIALS_MAX)
			places->uia[bytes_le32(event + 16)] = (long)at + HEAD;
		at += bytes_be32(event - HEAD) & 0xfffffff;
	}
	text_free(&gem);
	text_free(&uia);
}

/* When mkcapture sent what lies there, in seconds of its minute. */
static double
sent_at(const char *folder, const char *trace, long place)
{
	char path[128], name[32];
	long at;
	long long time;
	snprintf(path, sizeof path, "%s/session.truth.tsv", folder);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fscanf(file, "%31s %ld %lld", name, &at, &time) == 3)
		if (at == place && !strcmp(name, trace))
			break;
	fclose(file);
	return (double)(time % 60000000000) / 1e9;
}

/* The row of a sync point, with its partner if that is there; and the time in it. */
static void
check_sync(struct scene *s, const char *folder, const char *trace, long place, const char *what)
{
	double shown = 0;
	scene_wait(s, what);
	for (int y = 0; y < s->rows; y++) {
		const char *row = emulator_row(s->emulator, y);
		if (strstr(row, what) && strstr(row, trace))
			assert_int_equal(sscanf(strchr(row, ':'), ":%*d:%lf", &shown), 1);
	}
	assert_true(fabs(shown - sent_at(folder, trace, place)) < 1e-4);
}

/* Where nothing ties two clocks it lists resync points, with the bytes from one to the
 * next: sync sequences of 33 nulls (N is 32: 31 + a byte of source), each before a
 * packet of two bytes that says nothing of the place. */
static void
test_resyncs(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH];
	enum { SEQUENCE = 33 + 3 };
	uint8_t bytes[5 * SEQUENCE] = {[32] = 0x80, [33] = 0x01, [34] = 0x03, [35] = 0x12};
	for (int i = 1; i < 5; i++)
		memcpy(bytes + i * SEQUENCE, bytes, SEQUENCE);
	temp_make(path, "", bytes, sizeof bytes);
	scene_open(s, 24, 100, "xterm-256color", path, "--from=encap", "--no-cache", NULL);
	scene_wait_at(s, 23, " 1 of 10");
	scene_keys(s, "X");
	scene_wait(s, " resync points (there are no sync points) ");
	scene_wait(s, "since last resync point");
	scene_wait(s, "      36 B null_run 33 nulls: 32 idle, 1 alignment, sync");
	scene_quit(s);
	unlink(path);
}

/* The pane of sync points has all there are, lost ones marked, and leads there. */
static void
test_syncs(void **state)
{
	struct session_fixture f;
	struct scene *s = *state;
	struct sync_places places;
	char path[128], what[96];
	int known = 0, missing = 0;
	session_fixture_open(&f, "-c 9000 --jitter=0 --rate=0.35 --seed=2", NULL);
	find_syncs(f.folder, &places);
	snprintf(path, sizeof path, "%s/session.yaml", f.folder);
	scene_open(s, 70, 120, "xterm-256color", path, "--no-cache", NULL);
	scene_wait_at(s, 69, " 1 of 7,"); /* no ~: the clocks are known */
	scene_keys(s, "X\\");		  /* alone on the screen */
	for (int i = 0; i < SERIALS_MAX; i++) {
		bool both = places.gem[i] >= 0 && places.uia[i] >= 0;
		known += both;
		if (places.gem[i] >= 0) {
			snprintf(what, sizeof what, "%s dsp.uia syncpoint SyncPoint %d",
				 both ? "=" : "?", i);
			check_sync(s, f.folder, "dsp.gem", places.gem[i], what);
			missing += !both;
		}
		if (places.uia[i] >= 0) {
			snprintf(what, sizeof what, "%s dsp.gem event syncPoint serial %d,",
				 both ? "=" : "?", i);
			check_sync(s, f.folder, "dsp.uia", places.uia[i], what);
			missing += !both;
		}
	}
	assert_true(known > 2 && missing > 2);
	for (int i = 1; i < SERIALS_MAX; i++) { /* and the time since the last one */
		double before, now, since;
		if (places.gem[i - 1] < 0 || places.gem[i] < 0)
			continue;
		before = sent_at(f.folder, "dsp.gem", places.gem[i - 1]);
		now = sent_at(f.folder, "dsp.gem", places.gem[i]);
		snprintf(what, sizeof what, "SyncPoint %d", i);
		for (int y = 0; y < s->rows; y++) {
			const char *row = emulator_row(s->emulator, y);
			if (!strstr(row, what))
				continue;
			char unit[4];
			assert_int_equal(
			    sscanf(strstr(row, "dsp.gem"), "dsp.gem %lf %3s", &since, unit), 2);
			assert_string_equal(unit, "s");
			assert_true(fabs(since - (now - before)) < 1e-4);
		}
	}
	/* from the last one to its message, which has the same hour and trace */
	for (int y = 0; y < s->rows; y++)
		if (!strncmp(emulator_row(s->emulator, y), " 10:06:", 7))
			snprintf(what, sizeof what, "%.26s", emulator_row(s->emulator, y) + 1);
	scene_keys(s, "G\r\\");
	scene_wait_row(s, ">", what + strlen("10:06:40.800783662"));
	what[strlen("10:06:40.800783")] = '\0';
	scene_wait_row(s, ">", what);
	session_fixture_close(&f);
	scene_quit(s);
}

/* The rows of the list are the lines of a CSV, by trace and text, save those of
 * the trace LEFT; how many there are. */
static int
check_lines(struct scene *s, const struct text *csv, const char *left)
{
	char *all = mem_text(csv->data), *next = NULL;
	int rows = 0;
	strtok_r(all, "\n", &next); /* the head */
	for (char *line; (line = strtok_r(NULL, "\n", &next));) {
		char trace[16], name[20], *column = line;
		assert_int_equal(sscanf(line, "%*d,\"%15[^\"]\"", trace), 1);
		if (!strcmp(trace, left))
			continue;
		for (int i = 0; i < 9; i++) /* none before the text has a comma */
			column = strchr(column, ',') + 1;
		column[12] = 0; /* what has room */
		snprintf(name, sizeof name, " %s ", trace);
		scene_wait_at(s, 2 + rows, name);
		scene_wait_at(s, 2 + rows++, column + (*column == '"'));
	}
	free(all);
	return rows;
}

/* Filters show of a list of several traces what batch output has, with a trace
 * left out before or after. */
static void
test_filtered_traces(void **state)
{
	struct scene *s = *state;
	struct text csv = {0};
	char shown[48];
	batch_print_of("lab.yaml", "-t csv -e 'severity in fatal..warning'", &csv);
	scene_open(s, 40, 110, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40."); /* the clocks are known */
	scene_wait(s, " 1 of 531");
	scene_keys(s, ":filter severity in fatal..warning\r");
	int all = check_lines(s, &csv, "");
	scene_keys(s, ":show-trace\r");
	scene_wait_notice(s, NOTICE_TRACE_WHICH, "soc, dsp, log, cam, hub");
	scene_keys(s, ":show-trace dps\r");
	scene_wait_notice(s, NOTICE_TRACE_UNKNOWN, "dps", "; did you mean dsp?");
	scene_keys(s, "&origin = mailbx\r"); /* known once all is indexed */
	scene_wait_id(s, NOTICE_NAMES_UNKNOWN, "mailbx; did you mean mailbox?");
	scene_keys(s, "u&origin = soc\r");
	scene_wait_id(s, NOTICE_NAMES_UNKNOWN, "soc; soc is a trace: trace = soc");
	scene_keys(s, "u&trace = sco\r");
	scene_wait_id(s, NOTICE_NAMES_UNKNOWN, "sco; did you mean soc?");
	scene_keys(s, "u:show-trace nothing\r");
	scene_wait_notice(s, NOTICE_TRACE_UNKNOWN, "nothing",
			  "; there are soc, dsp, log, cam, hub");
	scene_keys(s, ":show-trace log\r");
	scene_wait_id(s, NOTICE_TRACE_LEFT_OUT, NULL);
	scene_keys(s, "G");
	int rest = check_lines(s, &csv, "log");
	assert_true(rest > 3 && rest < all);
	snprintf(shown, sizeof shown, ", row %d of %d", rest, rest);
	scene_wait(s, shown);
	scene_wait_row(s, ">", " cam ");
	scene_keys(s, "!"); /* off and on again, with the trace left out */
	scene_until(s, shown, false);
	scene_keys(s, "!");
	scene_wait_notice(s, NOTICE_FILTERS_ON);
	check_lines(s, &csv, "log");
	scene_keys(s, ":show-trace soc\r:show-trace log\rgG");
	rest = check_lines(s, &csv, "soc");
	snprintf(shown, sizeof shown, ", row %d of %d", rest, rest);
	scene_wait(s, shown);
	text_free(&csv);
	scene_quit(s);
}

/* The first row from one on that has a text in a column, or -1. */
static int
find_in_column(struct scene *s, const struct sought *sought)
{
	for (int row = sought->row; row < s->rows; row++) {
		const char *text = emulator_row(s->emulator, row);
		if ((int)strlen(text) > sought->col &&
		    !strncmp(text + sought->col, sought->text, strlen(sought->text)))
			return row;
	}
	return -1;
}

static bool
is_in_column(struct scene *s, const struct sought *sought)
{
	return find_in_column(s, sought) >= 0;
}

/* The colour of the first cell of NAME from a row on, once it stands in column COL. */
static int
colour_of(struct scene *s, const char *name, int from, int col)
{
	struct sought sought = {.text = name, .row = from, .col = col};
	if (!scene_awaits(s, is_in_column, &sought))
		scene_fail(s, "no \"%s\" in column %d", name, col);
	int row = find_in_column(s, &sought), fg = -1;
	for (; row >= 0 && fg < 0; row = find_in_column(s, &sought)) {
		fg = emulator_cell(s->emulator, row, col).fg; /* bulk has none */
		sought.row = row + 1;
	}
	return fg;
}

/* Each trace of a session has a colour, in the list, its lane and among the clocks;
 * a single one has none, nor has any in the mono theme. */
static void
test_trace_colours(void **state)
{
	enum { COLUMN = 20, LIST = 2, LANES = 16 };
	static const char *const names[] = {"soc ", "dsp ", "log ", "cam ", "hub "};
	struct scene *s = *state;
	int colours[5], shown = 0;
	scene_open(s, 40, 80, "xterm-256color", "lab.yaml", "--ascii", "--theme=default", "+i\033",
		   NULL);
	scene_wait_row(s, "ties ", "^");
	scene_wait(s, " 10:06:40.");
	for (int i = 0; i < 5; i++) {
		int listed = colour_of(s, names[i], LIST, COLUMN);
		colours[i] = colour_of(s, names[i], LANES, 0);
		assert_true(colours[i] >= 0);
		if (listed >= 0) /* else there is nothing but bulk of it */
			assert_int_equal(listed, colours[i]);
		shown += listed >= 0;
		for (int k = 0; k < i; k++)
			assert_int_not_equal(colours[i], colours[k]);
	}
	assert_true(shown >= 3);
	scene_keys(s, ":clocks\r");
	scene_wait(s, "wall clock: soc, dsp");
	scene_until(s, "so far", false);
	assert_int_equal(colour_of(s, "soc,", 1, 12), colours[0]);
	assert_int_equal(colour_of(s, "dsp,", 1, 17), colours[1]);
	assert_int_equal(colour_of(s, "wall", 1, 0), -1);
	scene_quit(s);
	scene_open(s, 24, 80, "xterm-256color", "demo.stp", "--ascii", "+i\033", NULL);
	scene_wait(s, " 309 messages here");
	assert_int_equal(colour_of(s, "IIII", 2, 8), -1); /* of the lane */
	scene_quit(s);
}

/* A jump by number or share waits until the order is known. */
static void
test_waiting(void **state)
{
	static const char *const keys[] = {"30001G", "t#30001\r", "50%"};
	struct session_fixture f;
	struct scene *s = *state;
	bool exact;
	char path[128], digits[32];
	session_fixture_open(&f, "-c 100000", NULL);
	session_fixture_load(&f);
	struct sequence *sequence = sequence_new(&f.session);
	sequence_load(sequence);
	uint64_t half = (sequence_count(sequence, &exact) - 1) / 2;
	snprintf(path, sizeof path, "%s/session.yaml", f.folder);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		scene_open(s, 24, 120, "xterm-256color", path, scene_numbered(), "--no-cache",
			   "+:pause", NULL);
		scene_wait(s, "paused");
		scene_keys(s, keys[i]);
		scene_wait_notice(s, NOTICE_WAITING);
		scene_keys(s, ":pause\r");
		uint64_t number = i < 2 ? 30000 : half;
		snprintf(digits, sizeof digits, " %llu ", (unsigned long long)number + 1);
		scene_wait_row(s, ">", digits);
		check_merged(s, &f.session, sequence, number - 10);
		scene_quit(s);
	}
	scene_open(s, 24, 120, "xterm-256color", path, scene_numbered(), "--no-cache", "+:pause",
		   NULL);
	scene_wait(s, "paused");
	scene_keys(s, "1000000000G"); /* there may be so many */
	scene_wait_notice(s, NOTICE_WAITING);
	scene_quit(s);
	sequence_free(sequence);
	session_fixture_close(&f);
}

/* Commands of the command line come before any clock is related. */
static void
test_start(void **state)
{
	static const struct {
		const char *commands[3], *shown;
	} cases[] = {
	    {{"+G"}, " 531 of 531 "},
	    {{"+124G"}, " 124 of 531 "},
	    {{"+124"}, " 124 of 531 "},
	    {{"+50%"}, " 266 of 531 "},
	    {{"+229G", "+v", "+124G"}, " 124 of 531   range: 106 messages"},
	};
	struct scene *s = *state;
	char path[] = "/tmp/trawl-start-XXXXXX", write[64];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const *commands = cases[i].commands;
		scene_open(s, 24, 110, "xterm-256color", "lab.yaml", "--no-cache", commands[0],
			   commands[1], commands[2], NULL);
		scene_wait(s, cases[i].shown);
		scene_quit(s);
	}
	scene_open(s, 24, 110, "xterm-256color", "lab.yaml", "--no-cache", "+10000G", NULL);
	scene_wait_notice(s, NOTICE_MESSAGES_ONLY, "531");
	scene_quit(s);
	/* a later command waits for those before it */
	assert_non_null(mkdtemp(path));
	snprintf(write, sizeof write, "+:write %s/out.txt", path);
	scene_open(s, 24, 110, "xterm-256color", "lab.yaml", "--no-cache", "+124G", "+v", "+229G",
		   write, NULL);
	scene_wait_id(s, NOTICE_WRITTEN, "106");
	scene_quit(s);
	snprintf(write, sizeof write, "%s/out.txt", path);
	assert_int_equal(unlink(write), 0);
	assert_int_equal(rmdir(path), 0);
}

/* A trace's name gives way to the origin behind it. */
static void
test_long_name(void **state)
{
	struct scene *s = *state;
	struct text path = {0};
	testdata_path("log-dmesg.txt", &path);
	scene_open(s, 24, 80, "xterm-256color", "demo.stp", path.data, NULL);
	scene_wait(s, "   log-dmesg.txt    Starting kernel");
	scene_wait(s, "   log-dmesg.t> smp Bringing up secondary");
	scene_wait(s, " W log-> cam-csi 3> frame 17 is late");
	scene_wait(s, " I log-> EXT4-fs (> mounted");
	scene_quit(s);
	text_free(&path);
}

/* Two cores that nothing relates: events of one each, core 1 far off. */
static void
write_cores(struct uia_log *log)
{
	for (unsigned i = 0; i < 8; i++) {
		uint64_t ticks = 1000 * (i / 2 + 1) + (i % 2 ? 9000000 : 0);
		uia_packet_begin(log, 10, i % 2, 1, (uint16_t)i);
		uia_event_add(log, (uint16_t)(i / 2), UIA_OTHER_EVENT, ticks, NULL, 0);
		uia_packet_end(log);
	}
}

/* Rows of the other clock are marked, and no length of time leads to them. */
static void
test_unrelated_cores(void **state)
{
	struct scene *s = *state;
	struct uia_log log = {0};
	char path[TEMP_PATH], profile[TEMP_PATH];
	write_cores(&log);
	temp_make(path, ".uia", log.bytes.at, log.bytes.count);
	temp_make_text(profile, ".yaml",
		       "traces: [{match: \"*.uia\", format: uia, clock: {hz: 1000000000}}]\n");
	scene_open(s, 24, 90, "xterm", path, "-p", profile, "--time-format=delta", NULL);
	scene_wait(s, "8 messages have a clock of");
	scene_wait(s, "\n /          I core 1");
	assert_null(strstr(scene_screen(s), " ms I core"));
	scene_keys(s, "8G");
	scene_wait(s, "\n>/");
	scene_keys(s, "p\033");
	scene_wait(s, "+1.000 us after the last core 1");
	assert_null(strstr(scene_screen(s), "above"));
	scene_quit(s);
	unlink(path);
	unlink(profile);
	vec_free(&log.bytes);
}

/* Senders of two traces may have the same key: `o` stays with the sender at the cursor. */
static void
test_same_origin(void **state)
{
	struct scene *s = *state;
	struct text path = {0};
	char folder[] = "/tmp/trawl-origin-XXXXXX", other[64];
	assert_non_null(mkdtemp(folder));
	snprintf(other, sizeof other, "%s/other.csel", folder);
	testdata_path("all-csel.csel", &path);
	char *whole = realpath(path.data, NULL);
	assert_non_null(whole);
	assert_int_equal(symlink(whole, other), 0);
	scene_open(s, 24, 110, "xterm-256color", "all-csel.csel", other, "--no-cache", "+:pause",
		   NULL);
	scene_wait(s, "paused");
	scene_keys(s, "g3o"); /* the third is the row after all heads: 3 of each trace */
	scene_wait_row(s, ">", " start run 1");
	scene_quit(s);
	text_free(&path);
	free(whole);
	unlink(other);
	rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_merged),	      scene_test(test_tie),
	    scene_test(test_resyncs),	      scene_test(test_syncs),
	    scene_test(test_filtered_traces), scene_test(test_trace_colours),
	    scene_test(test_waiting),	      scene_test(test_start),
	    scene_test(test_long_name),	      scene_test(test_unrelated_cores),
	    scene_test(test_same_origin),
	};
	return scene_run_group("screen: traces", tests);
}
