/*
 * Logs of lines of text: which lines make which messages, whatever stands in them; how
 * times read; what is recognised.
 *
 * Logs are made at random, line by line, with what each line is to be: this file says by the
 * rules of the format which messages come of them.
 *
 * TRAWL_RUNS=1000 makes so many logs instead of a few.
 */
#include "config.h"

#include "test.h"

#include "base/needle.h"
#include "base/text.h"
#include "decode/text/textlog.h"
#include "drive.h"
#include "index/index.h"
#include "random.h"
#include "same_index.h"
#include "session/session.h"
#include "temp_file.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SECOND UINT64_C(1000000000)

/* --- logs -------------------------------------------------------------- */

struct made_log {
	struct text text;
	message_list messages; /* offset, length, kind, ticks, severity, TIMED */
	bool begun;
};

static void
free_log(struct made_log *log)
{
	text_free(&log->text);
	vec_free(&log->messages);
}

/* Adds bytes of a line without its end: text, colours, noise. */
static void
add_words(struct text *out, uint64_t *seed, size_t most)
{
	size_t length = random_below(seed, most);
	for (size_t i = 0; i < length; i++)
		text_add_char(out, (char)('a' + random_below(seed, 26)));
}

static void
add_end(struct made_log *log, uint64_t *seed)
{
	text_add(&log->text, random_below(seed, 3) ? "\n" : "\r\n");
	if (!random_below(seed, 20))
		text_add(&log->text, "\n\r\n");
}

/* A line with a head: a message. */
static void
add_head(struct made_log *log, uint64_t *seed, uint64_t *micros)
{
	static const uint8_t severities[] = {SEVERITY_FATAL, SEVERITY_FATAL,   SEVERITY_FATAL,
					     SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_INFO,
					     SEVERITY_INFO,  SEVERITY_DEBUG};
	struct message *m = vec_add(&log->messages);
	unsigned level = random_below(seed, 9);
	*micros += random_below(seed, 3000);
	if (!random_below(seed, 300))
		*micros = 0; /* it started again */
	m->offset = log->text.length;
	m->kind = TEXTLOG_MESSAGE;
	m->flags = MESSAGE_TIMED;
	m->ticks = 1000 * *micros;
	if (level < 8) {
		text_addf(&log->text, "<%u>", level);
		m->severity = severities[level];
	} else {
		m->severity = SEVERITY_NONE;
	}
	text_addf(&log->text, "[%5llu.%06llu] ", (unsigned long long)(*micros / 1000000),
		  (unsigned long long)(*micros % 1000000));
	add_words(&log->text, seed, random_below(seed, 200) ? 60 : 70000);
	m->length = (uint32_t)(log->text.length - m->offset);
	log->begun = true;
	add_end(log, seed);
}

/* A line without: it goes on in the message before, if there is one. */
static void
add_other(struct made_log *log, uint64_t *seed)
{
	size_t offset = log->text.length;
	text_add(&log->text, random_below(seed, 2) ? "  + " : "--- ");
	add_words(&log->text, seed, 40);
	struct message *last =
	    log->messages.count ? &log->messages.at[log->messages.count - 1] : NULL;
	if (log->begun && log->text.length - last->offset <= 256 * 1024) {
		last->length = (uint32_t)(log->text.length - last->offset);
	} else {
		*vec_add(&log->messages) =
		    (struct message){.offset = offset,
				     .length = (uint32_t)(log->text.length - offset),
				     .kind = TEXTLOG_LINE,
				     .severity = SEVERITY_NONE};
	}
	add_end(log, seed);
}

static void
make_log(struct made_log *log, uint64_t seed, size_t size)
{
	uint64_t micros = 0;
	for (unsigned i = random_below(&seed, 5); i--;)
		add_other(log, &seed);
	while (log->text.length < size)
		if (random_below(&seed, 4))
			add_head(log, &seed, &micros);
		else
			add_other(log, &seed);
	add_head(log, &seed, &micros);
	if (random_below(&seed, 2)) /* the last line has no end */
		while (strchr("\r\n", log->text.data[log->text.length - 1]))
			text_cut(&log->text, log->text.length - 1);
}

static void
open_drive(struct drive *d, const struct text *text, const char *preset)
{
	drive_open(d, "text", (const uint8_t *)text->data, text->length);
	assert_true(drive_set(d, "preset", preset));
	drive_start(d);
}

static void
compare(const struct made_log *log, unsigned run)
{
	struct drive d;
	struct drive_messages all;
	open_drive(&d, &log->text, "dmesg");
	drive_all(&d, &all);
	for (size_t i = 0; i < log->messages.count && i < all.list.count; i++) {
		const struct message *want = &log->messages.at[i], *got = &all.list.at[i];
		if (got->offset != want->offset || got->length != want->length ||
		    got->kind != want->kind || got->ticks != want->ticks ||
		    got->severity != want->severity || got->flags != want->flags)
			fail_msg("run %u: message %zu at %llu is another one, at %llu", run, i,
				 (unsigned long long)want->offset, (unsigned long long)got->offset);
	}
	assert_int_equal(all.list.count, log->messages.count);
	vec_free(&all.list);
	drive_close(&d);
}

static void
test_logs(void **state)
{
	(void)state;
	for (unsigned run = 0; run < test_runs(20); run++) {
		struct made_log log = {0};
		make_log(&log, run, 20000);
		compare(&log, run);
		free_log(&log);
	}
}

/* --- all ways, of hostile logs ------------------------------------------ */

static void
make_hostile(struct text *text, uint64_t seed, size_t size)
{
	static const char *const parts[] = {
	    "[    1.000000] ",
	    "<3>[   12.500000][    T1] usb 1-1: ",
	    "Dec 31 23:59:59 host cron[77]: ",
	    "Jan  1 00:00:01 host cron[78]: ",
	    "[00:00:01.234,567] <err> main: ",
	    "--- 9 messages dropped ---",
	    "\033[1;31m",
	    "\033[",
	    " ",
	    "\t",
	    "\n",
	    "\r\n",
	    "\r",
	    "02-29 16:51:18.810   188   191 V test    : ",
	    "2026-11-22T10:00:00.5+01:00 ",
	    "<34>1 2003-10-11T22:14:15.003Z - - - - - ",
	    "\xff\xfe",
	    "words and more words",
	};
	while (text->length < size) {
		unsigned part = random_below(&seed, COUNT(parts) + 2);
		if (part < COUNT(parts))
			text_add(text, parts[part]);
		else if (part == COUNT(parts))
			text_add_char(text, (char)random_next(&seed));
		else if (!random_below(&seed, 40))
			for (unsigned i = random_below(&seed, 3000); i--;)
				text_add_char(text, 0);
		else
			text_add_char(text, '\n');
	}
}

static void
test_all_ways(void **state)
{
	(void)state;
	for (unsigned run = 0; run < test_runs(3) * textlog_preset_count; run++) {
		struct drive d;
		struct text text = {0};
		make_hostile(&text, run, 3000);
		open_drive(&d, &text, textlog_preset_names[1 + run % (textlog_preset_count + 1)]);
		drive_everything(&d);
		drive_close(&d);
		text_free(&text);
	}
}

/* Every cut of a log. */
static void
test_cuts(void **state)
{
	(void)state;
	struct made_log log = {0};
	make_log(&log, 5, 600);
	for (size_t cut = 0; cut < log.text.length; cut++) {
		struct drive d;
		struct drive_messages all;
		struct text tight = {0};
		text_add_bytes(&tight, log.text.data, cut);
		drive_open(&d, "text", (const uint8_t *)text_get(&tight), cut);
		assert_true(drive_set(&d, "preset", "dmesg"));
		drive_start(&d);
		drive_all(&d, &all);
		drive_expand(&d, &all);
		vec_free(&all.list);
		drive_close(&d);
		text_free(&tight);
	}
	free_log(&log);
}

/* Lines and messages that are too long go on in another one. */
static void
test_long(void **state)
{
	(void)state;
	enum { LONGEST = 256 * 1024 };
	struct text text = {0};
	struct drive d;
	struct drive_messages all;
	text_add(&text, "<3>[    1.000000] ");
	while (text.length < LONGEST + 1000)
		text_add_char(&text, 'x');
	text_add(&text, "\n<3>[    2.000000] y\n");
	size_t second = text.length - 20;
	while (text.length < second + LONGEST + 50)
		text_add(&text, "0123456789012345678901234567890123456789012345678\n");
	text_add(&text, "[    3.000000] z\n");
	open_drive(&d, &text, "dmesg");
	drive_all(&d, &all);
	assert_int_equal(all.list.count, 5);
	const struct message *m = all.list.at;
	assert_int_equal(m[0].length, LONGEST);
	assert_int_equal(m[1].offset, LONGEST);
	assert_int_equal(m[1].length, 1000);
	assert_int_equal(m[1].kind, TEXTLOG_REST);
	assert_int_equal(m[1].ticks, SECOND);
	assert_int_equal(m[1].severity, SEVERITY_ERROR);
	assert_int_equal(m[2].offset, second);
	assert_true(m[2].length <= LONGEST && m[2].length > LONGEST - 50);
	assert_int_equal(m[3].kind, TEXTLOG_REST);
	assert_int_equal(m[3].ticks, 2 * SECOND);
	assert_int_equal(m[4].ticks, 3 * SECOND);
	drive_windows(&d, &all, 1000);
	drive_growing(&d, &all, 100000);
	drive_blocks(&d, &all, 65536);
	vec_free(&all.list);
	drive_close(&d);
	text_free(&text);
}

/* From anywhere: to the next head, or where there is none to the next line. */
static void
test_resync(void **state)
{
	static const char text[] = "[    1.000000] a\n  b\n[    2.000000] c\nd\ne\n";
	static const struct {
		size_t from, to;
	} cases[] = {{0, 0}, {1, 21}, {17, 21}, {20, 21}, {21, 38}, {22, 38}, {38, 40}};
	struct drive d;
	(void)state;
	drive_open(&d, "text", (const uint8_t *)text, sizeof text - 1);
	assert_true(drive_set(&d, "preset", "dmesg"));
	drive_start(&d);
	struct decode_state *at = decode_state_new(d.decoder);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct window w = drive_window(&d);
		w.bytes += cases[i].from;
		w.offset += cases[i].from;
		w.length -= cases[i].from;
		w.last = false;
		assert_int_equal(d.ops->resync(d.decoder, at, &w), 0);
		assert_int_equal(at->offset, cases[i].to);
	}
	decode_state_free(d.decoder, at);
	drive_close(&d);
}

/* Lines are messages where the profile says so, whatever they look like. */
static void
test_none(void **state)
{
	static const char text[] = "[    1.000000] a\n  b\n[    2.000000] c\n";
	struct drive d;
	struct drive_messages all;
	(void)state;
	drive_open(&d, "text", (const uint8_t *)text, sizeof text - 1);
	assert_true(drive_set(&d, "preset", "none"));
	drive_start(&d);
	drive_all(&d, &all);
	assert_int_equal(all.list.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(all.list.at[i].kind, TEXTLOG_LINE);
	assert_true(d.decoder->untimed);
	assert_non_null(d.decoder->mark);
	vec_free(&all.list);
	drive_close(&d);
}

/* --- searching --------------------------------------------------------- */

/* Bytes without a needle, which a terminal may show with one. */
static void
test_in_place(void **state)
{
	static const struct {
		const char *bytes, *needle;
		uint64_t kinds;
		bool lacks;
	} cases[] = {
	    {"ab cd\n", "bc", 1 << TEXTLOG_MESSAGE, true},
	    {"ab\033[0mcd\n", "bc", 1 << TEXTLOG_MESSAGE, false},
	    {"ab\033[0mcd\n", "bd", 1 << TEXTLOG_MESSAGE, true},
	    {"x\nabXX\b\bcd\r\ny", "bc", 1 << TEXTLOG_LINE, false},
	    {"x\nbdabc\rb\r\ny", "bb", 1 << TEXTLOG_LINE, true},
	    {"x\ndabc\rb\r\ny", "ba", 1 << TEXTLOG_LINE, false},
	    {"ab\nb\n", "AGE", 1 << TEXTLOG_MESSAGE, false}, /* its type: MESSAGE */
	    {"ab\nb\n", "AGE", 1 << TEXTLOG_LINE, true},
	    {"ab\ncd\n", "xy", 1 << TEXTLOG_REST, true},
	    {"ab\rcd\n", "xy", 1 << TEXTLOG_REST, false}, /* it began in a line before */
	    {"ab\r\ncd\r\n", "b\nc", 1 << TEXTLOG_MESSAGE, false},
	    {"ab\n", "xy", UINT64_C(1) << DECODE_KIND_LOSS, false},
	};
	struct drive d;
	struct text text = {0};
	(void)state;
	open_drive(&d, &text, "none");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct needles needles = {.count = 1};
		const struct window w = {.bytes = (const uint8_t *)cases[i].bytes,
					 .length = strlen(cases[i].bytes)};
		needle_init(&needles.at[0], cases[i].needle, strlen(cases[i].needle), false);
		if (d.decoder->ops->in_place(d.decoder, &needles, &w, cases[i].kinds, 0) !=
		    cases[i].lacks)
			fail_msg("case %zu", i);
	}
	drive_close(&d);
}

/* --- indexes ----------------------------------------------------------- */

static struct index *
build(struct session *session, unsigned threads)
{
	struct trace *trace = session->traces.at[0];
	struct index_options options = {.threads = threads, .segment = 1};
	struct index *index = index_new(trace_capture(trace), trace_decoder(trace), &options);
	index_build(index);
	return index;
}

/* Years go by: what is found ahead of the known edge is in the first one. */
static void
make_years(struct text *text)
{
	for (unsigned i = 0; i < 20000; i++)
		text_addf(text, "%s %2u 10:00:%02u host daemon[%u]: message %u\n%s",
			  i / 5000 % 2 ? "Jan" : "Dec", 1 + i % 5000 / 200, i % 60, i, i,
			  i % 50 ? "" : " and more\n");
}

static void
test_parallel(void **state)
{
	(void)state;
	for (unsigned run = 0; run < test_runs(3); run++) {
		struct session session = {0};
		struct err err = {0};
		struct made_log log = {0};
		char path[TEMP_PATH];
		if (run)
			make_log(&log, run, 900000);
		else
			make_years(&log.text);
		temp_make(path, ".log", log.text.data, log.text.length);
		option_defaults(profile_options_table(), &session.profile);
		assert_non_null(session_open(&session, path, NULL, NULL, 0, &err));
		struct index *one = build(&session, 1), *many = build(&session, 2 + run % 3);
		same_index(trace_decoder(session.traces.at[0]), one, many, "text");
		index_free(one);
		index_free(many);
		session_close(&session);
		unlink(path);
		free_log(&log);
	}
}

/* --- times and tables --------------------------------------------------- */

static void
test_times(void **state)
{
	static const struct {
		const char *time, *text;
		uint64_t ticks; /* 0: it is none */
		uint32_t turns;
	} cases[] = {
	    {"seconds", "    1.5", 1500000000},
	    {"seconds", "1.", 0},
	    {"seconds", "", 0},
	    {"unix", "1795341600.000000001", 1795341600000000001},
	    {"iso8601", "2026-11-22T10:00:00Z", 1795341600 * SECOND},
	    {"iso8601", "2026-11-22 10:00:00", 1795341600 * SECOND},
	    {"iso8601", "2026-11-22t11:00:00+01", 1795341600 * SECOND},
	    {"iso8601", "2026-11-22T08:30:00,000000002-0130", 1795341600 * SECOND + 2},
	    {"iso8601", "1970-01-01T00:00:00.000000001Z", 1},
	    {"iso8601", "1969-12-31T23:59:59Z", 0},
	    {"iso8601", "1970-01-01T00:00:00+01:00", 0},
	    {"iso8601", "2100-02-28T00:00:00Z", 4107456000 * SECOND},
	    {"iso8601", "2100-03-01T00:00:00Z", 4107542400 * SECOND},
	    {"iso8601", "2026-13-22T10:00:00Z", 0},
	    {"iso8601", "2026-11-22T10:60:00Z", 0},
	    {"iso8601", "2026-11-22T10:00:00Zx", 0},
	    {"iso8601", "9999-11-22T10:00:00Z", 0},
	    {"uptime", "27:46:40.000,001", 100000 * SECOND + 1000},
	    {"clock", "23:59:59.5", 86399 * SECOND + SECOND / 2},
	    {"clock", "00:00:01", 2 * 86400 * SECOND + SECOND, 2},
	    {"clock", "24:00:00", 0},
	    {"syslog", "Jan  2 00:00:00", 86400 * SECOND},
	    {"syslog", "Jan  1 00:00:00", 366 * 86400 * SECOND, 1},
	    {"monthday", "01-02 00:00:00.25", 86400 * SECOND + SECOND / 4},
	    {"ctime", "Sun Nov 22 10:00:00 2026", 1795341600 * SECOND},
	    {"ticks", "00012345", 12345},
	    {"%d.%m.%Y %H:%M", "22.11.2026 10:00", 1795341600 * SECOND},
	    {"%y%m%d-%H%M%S", "261122-100000", 1795341600 * SECOND},
	    {"%d.%m.%Y %H:%M", "22.11.2026 10.00", 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct textlog_time time = {0};
		uint64_t ticks = 0;
		assert_null(textlog_time_set(&time, cases[i].time));
		struct textlog_minute minute = {0};
		bool read = textlog_time_read(&time, &minute, cases[i].text, strlen(cases[i].text),
					      cases[i].turns, &ticks);
		if (read != !!cases[i].ticks || (read && ticks != cases[i].ticks))
			fail_msg("%s: %s is %llu", cases[i].time, cases[i].text,
				 (unsigned long long)ticks);
	}
	struct textlog_time time = {0};
	assert_non_null(textlog_time_set(&time, "soon"));
	assert_non_null(textlog_time_set(&time, "%Q"));
	assert_non_null(textlog_time_set(&time, "%"));
}

/* A time after others reads as it does alone: no part is taken from another minute. */
static void
test_minutes(void **state)
{
	static const struct {
		const char *time, *text;
	} cases[] = {{"iso8601", "2026-11-22T10:01:02.5+01:00"},
		     {"syslog", "Nov 22 10:01:02"},
		     {"uptime", "123:01:02.003,004"},
		     {"clock", "23:59:59.5"},
		     {"ctime", "Sun Nov 22 10:01:02 2026"},
		     {"seconds", "  12.5"},
		     {"ticks", "12345"},
		     {"%y%m%d-%H%M%S", "261122-101112"},
		     {"%S %H:%M %Y", "11 12:13 2026"},
		     {"%H:%M: %S", "12:13:  14"},
		     {"%H:%M%f:%S", "12:13.25:14"},
		     {"%J%S", "1234561"},
		     {"%S%S", "1214"}};
	uint64_t seed = 45;
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct textlog_time time = {.year = 2026};
		struct textlog_minute kept = {0};
		char text[40];
		assert_null(textlog_time_set(&time, cases[i].time));
		for (int k = 0; k < 2000; k++) {
			struct textlog_minute none = {0};
			uint64_t alone = 0, after = 0;
			uint32_t turns = (uint32_t)random_below(&seed, 2);
			if (!random_below(&seed, 4) || !k)
				strcpy(text, cases[i].text);
			text[random_below(&seed, strlen(text))] =
			    "0123456789 :.-"[random_below(&seed, 14)];
			bool reads =
			    textlog_time_read(&time, &none, text, strlen(text), turns, &alone);
			bool same =
			    textlog_time_read(&time, &kept, text, strlen(text), turns, &after);
			if (reads != same || (reads && alone != after))
				fail_msg("%s: %s is %llu, not %llu", cases[i].time, text,
					 (unsigned long long)alone, (unsigned long long)after);
		}
	}
}

static void
test_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < textlog_preset_count; i++) {
		struct textlog_time time = {0};
		struct err err;
		const struct textlog_preset *preset = &textlog_presets[i];
		struct regex *regex = regex_new(preset->pattern, 0, &err);
		assert_non_null(regex);
		regex_free(regex);
		assert_string_equal(preset->name, textlog_preset_names[TEXTLOG_PRESET_FIRST + i]);
		assert_true(!preset->time || !textlog_time_set(&time, preset->time));
	}
	assert_null(textlog_preset_names[TEXTLOG_PRESET_FIRST + textlog_preset_count]);
}

/* --- recognising ------------------------------------------------------- */

static void
test_probe(void **state)
{
	static const struct {
		const char *text, *settings;
		int least, most;
		bool plain;
	} cases[] = {
	    {"[    0.000000] Linux version 6.1\n", "preset: dmesg", 90, 100},
	    {"[    0.000000] <inf> main: a\n", "preset: zephyr-seconds", 90, 100},
	    {"a\nb\nc\n[    0.000000] x\n[    0.000001] x\n", "preset: dmesg", 50, 89},
	    {"a\nb\nc\nd\ne\nf\n[    0.000000] x\n", "", 0, 0, true},
	    {"Nov 22 10:00:00 host x: y\n", "preset: syslog", 90, 100},
	    {"text\nand more text\n", "", 0, 0, true},
	    {"ssh\t\t22/tcp\t\t\t# SSH\ndomain\t\t53/udp\n", "", 0, 0, true},
	    {"#include <stdio.h>\n\nint main(void)\n{\n\treturn 0;\n}\n", "", 0, 0, true},
	    {"# Title\n\n[link](1.0)\n- [ ] 2026-11-22 a date\n", "", 0, 0, true},
	    {"1.5,2,3\n2.5,3,4\n", "", 0, 0, true},
	    {"\033[1mtext\033[0m\t\xc3\xa4\r\n", "", 0, 0, true},
	    {"[    0.000000] x\nSYS-T RAW DATA: 8167\n", "", 0, 0, false}, /* of syst/hex */
	    {"no lines", "", 0, 0, false},
	    {"a \001\n", "", 0, 0, false},
	    {"a \xff\n", "", 0, 0, false},
	    {"", "", 0, 0, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct window head = {.bytes = (const uint8_t *)cases[i].text,
				      .length = strlen(cases[i].text),
				      .until = UINT64_MAX,
				      .last = true};
		struct probe probe = {0};
		text_ops.probe(&head, &probe);
		if (probe.score < cases[i].least || probe.score > cases[i].most ||
		    probe.plain != cases[i].plain || strcmp(probe.settings, cases[i].settings) != 0)
			fail_msg("case %zu: %d %%, %s, %s", i, probe.score, probe.settings,
				 probe.reason);
	}
	/* a head may end within a character */
	struct window head = {
	    .bytes = (const uint8_t *)"a\n\xe2\x82", .length = 4, .until = UINT64_MAX};
	struct probe probe = {0};
	text_ops.probe(&head, &probe);
	assert_true(probe.plain && !probe.score);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_logs),     cmocka_unit_test(test_all_ways),
	    cmocka_unit_test(test_cuts),     cmocka_unit_test(test_long),
	    cmocka_unit_test(test_resync),   cmocka_unit_test(test_none),
	    cmocka_unit_test(test_parallel), cmocka_unit_test(test_times),
	    cmocka_unit_test(test_minutes),  cmocka_unit_test(test_in_place),
	    cmocka_unit_test(test_tables),   cmocka_unit_test(test_probe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
