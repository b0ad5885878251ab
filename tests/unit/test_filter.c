/*
 * The filter language: where errors lie and what they say; each operator, over
 * messages whose properties the test itself chose; how terms bind; what cells
 * say against what their messages are.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "query/filter/filter.h"
#include "toy.h"
#include "session/session.h"
#include "trace/reader.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 20000, SECOND = 1000000 };

/*
 * Message N: STRING of module 5, unit N % 3, severity N % 8, one second after
 * the one before, its text `n N` and up to 9 blanks; every 7th is a CATALOG
 * with the number N and no text instead.
 */
static bool
is_catalog(unsigned n)
{
	return n % 7 == 6;
}

static void
add_message(struct text *out, unsigned n)
{
	char body[64];
	int length = snprintf(body, sizeof body, "n %u%*s", n, (int)(n % 10), "");
	uint64_t time = (uint64_t)(100 + n) * SECOND;
	uint32_t header =
	    2 | (n % 8) << 4 | 1u << 9 | 1u << 11 | (n % 3) << 12 | 5u << 16 | 1u << 24;
	if (is_catalog(n)) {
		header = (header & ~0xfu) | 3;
		length = 4;
		for (int i = 0; i < 4; i++)
			body[i] = (char)(n >> 8 * i);
	}
	for (int i = 0; i < 4; i++)
		text_add_char(out, (char)(header >> 8 * i));
	text_add_char(out, (char)length);
	text_add_char(out, 0);
	for (int i = 0; i < 8; i++)
		text_add_char(out, (char)(time >> 8 * i));
	text_add_bytes(out, body, (size_t)length);
}

struct fixture {
	char *path;
	struct session session;
	struct trace *trace;
	struct reader *reader;
	struct message *messages;
	struct expansion scratch;
};

static int
setup(void **state)
{
	struct fixture *f = mem_new(sizeof *f);
	struct text bytes = {0};
	struct err err = {0};
	for (unsigned n = 0; n < COUNT; n++)
		add_message(&bytes, n);
	f->path = toy_file(bytes.data, bytes.length);
	text_free(&bytes);
	static const char profile[] = "traces:\n  - match: '*'\n    format: syst\n"
				      "    syst: {ts_hz: 1000000, ts_epoch: none}\n";
	char *yaml = toy_file(profile, sizeof profile - 1);
	assert_int_equal(profile_load(yaml, &f->session.profile, &err), 0);
	unlink(yaml);
	free(yaml);
	f->trace = session_open(&f->session, f->path, "syst/raw", NULL, 0, &err);
	assert_non_null(f->trace);
	f->reader = reader_new(f->trace);
	f->messages = mem_new((COUNT + 1) * sizeof *f->messages);
	size_t got = 0, n;
	while ((n = reader_walk(f->reader, f->messages + got, COUNT + 1 - got)) > 0)
		got += n;
	assert_int_equal(got, COUNT);
	index_build(trace_index(f->trace));
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	expansion_free(&f->scratch);
	reader_free(f->reader);
	session_close(&f->session);
	unlink(f->path);
	free(f->path);
	free(f->messages);
	free(f);
	return 0;
}

static struct filter
parse(struct fixture *f, const char *text)
{
	struct filter_error error;
	struct filter filter = filter_all();
	filter.expr = filter_parse(text, &f->session, &error);
	if (!filter.expr)
		fail_msg("%s: %s (column %zu)", text, error.what, error.at + 1);
	return filter;
}

/* What each cell says about its messages must be true. */
static void
check_cells(struct fixture *f, const struct filter *filter, const char *text)
{
	for (uint64_t cell = 0; cell < index_known(trace_index(f->trace)); cell++) {
		enum filter_verdict verdict = filter_judge(filter, f->trace, cell);
		const struct decoded_cell *decoded = reader_decoded_cell(f->reader, cell);
		for (size_t i = 0; i < decoded->count && verdict != FILTER_SOME; i++) {
			struct message m = reader_decoded_cell(f->reader, cell)->messages[i];
			if (filter_match(filter, f->reader, &m, &f->scratch) !=
			    (verdict == FILTER_ALL))
				fail_msg("%s: cell %d says %d", text, (int)cell, verdict);
		}
	}
}

/* Exactly the messages that WANTED says. */
static void
check(struct fixture *f, const char *text, bool (*wanted)(unsigned n))
{
	struct filter filter = parse(f, text), copy = filter_clone(&filter);
	for (unsigned n = 0; n < COUNT; n++) {
		if (filter_match(&filter, f->reader, &f->messages[n], &f->scratch) != wanted(n) ||
		    (n % 16 == 0 &&
		     filter_match(&copy, f->reader, &f->messages[n], &f->scratch) != wanted(n)))
			fail_msg("%s: message %u is %swanted", text, n, wanted(n) ? "" : "not ");
	}
	check_cells(f, &filter, text);
	filter_free(&filter);
	filter_free(&copy);
}

/* --- names and operators ----------------------------------------------- */

#define WANTED(name, expression)                                                                   \
	static bool name(unsigned n)                                                               \
	{                                                                                          \
		return expression;                                                                 \
	}

WANTED(all, n < COUNT)
WANTED(none, n >= COUNT)
WANTED(from_1, n > 0)
WANTED(errors, n % 8 == 2)
WANTED(not_errors, n % 8 != 2)
WANTED(warnings_up, n % 8 <= 3) /* max, which passes, fatal, error, warning */
WANTED(above_warning, n % 8 <= 2)
WANTED(below_warning, n % 8 > 3)
WANTED(warnings_down, n % 8 >= 3)
WANTED(error_or_info, n % 8 == 2 || n % 8 == 4)
WANTED(fatal_to_warning, n % 8 >= 1 && n % 8 <= 3)
WANTED(unassigned, n % 8 == 0)
WANTED(assigned, n % 8 != 0)
WANTED(catalogs, is_catalog(n))
WANTED(strings, !is_catalog(n))
WANTED(unit_1, n % 3 == 1)
WANTED(unit_12, n % 3 > 0)
WANTED(tens, !is_catalog(n) && n % 10 == 7 && n / 10 % 10 == 7)
WANTED(number_5, n == 5)
WANTED(number_range, n >= 100 && n <= 200)
WANTED(after_9000, n > 9000)
WANTED(from_9000, n >= 9000)
WANTED(upto_9000, n <= 9000)
WANTED(before_9000, n < 9000)
WANTED(two_or_range, n == 3 || (n >= 10 && n <= 12))
WANTED(id_13, n == 13)
WANTED(ids_above, is_catalog(n) && n > 15000)
WANTED(ids_not, !(is_catalog(n) && n > 15000))
WANTED(long_ones, !is_catalog(n) && n % 10 == 9 && n >= 10000)
WANTED(catalog_or_error, is_catalog(n) || n % 8 == 2)
WANTED(error_unit_1, n % 8 == 2 && n % 3 == 1)
WANTED(precedence, n % 8 == 2 || (n % 8 == 4 && n % 3 == 1))
WANTED(grouped, (n % 8 == 2 || n % 8 == 4) && n % 3 == 1)
WANTED(not_binds, n % 8 != 2 && n % 3 == 1)
WANTED(not_grouped, !(n % 8 == 2 && n % 3 == 1))
WANTED(not_either, !(n % 8 == 2 || n % 3 == 1))

static const struct {
	const char *text;
	bool (*wanted)(unsigned n);
} expressions[] = {
    /* severity, as people read it */
    {"severity = error", errors},
    {"severity == ERROR", errors},
    {"severity=2", errors},
    {"severity != error", not_errors},
    {"severity >= warning", warnings_up},
    {"severity > warning", above_warning},
    {"severity < warning", below_warning},
    {"severity <= warning", warnings_down},
    {"not severity < warning", warnings_up},
    {"severity in {error, info}", error_or_info},
    {"severity in fatal..warning", fatal_to_warning},
    {"severity in warning..fatal", fatal_to_warning},
    {"severity = max", unassigned},
    {"severity >= max", unassigned},
    {"severity", assigned},
    {"severity >= debug", all},
    {"severity = none", none}, /* every header has one */
    {"severity != none", all},
    {"severity in {none, 2}", errors},
    /* kinds, types, origins, traces */
    {"kind = catalog", catalogs},
    {"kind != catalog", strings},
    {"kind in {build, STRING}", strings},
    {"kind ~ /^cat/", catalogs},
    {"kind", all},
    {"type = CATALOG:ID32_P32 or type = CATALOG:ID32", none},
    {"type ~ /^CATALOG/", catalogs},
    {"origin = 5:1", unit_1},
    {"origin = \"5:1\"", unit_1},
    {"origin in {5:1, 5:2}", unit_12},
    {"origin ~ ':[12]$'", unit_12},
    {"trace = nobody", none},
    {"trace", all},
    /* text */
    {"text = \"n 5     \"", number_5},
    {"text = 'n 5\\x20    '", number_5},
    {"text ~ /^n \\d*77 /", tens},
    {"text ~ /^N \\d*77 /i", tens},
    {"text ~ /^N \\d*77 /", none},
    {"text ~ \"^N \\d*77 \"", none},
    {"type ~ /^catalog/", catalogs},
    {"type ~ \"^catalog\"", catalogs},
    {"type ~ /^catalog/I", none},
    {"type ~ /(?i)^Catalog/", catalogs},
    {"/^catalog/", catalogs},
    {"/^catalog/I", none},
    {"text !~ /^n/ and kind != catalog", none},
    {"/^n \\d*77 /", tens},
    {"/^5:1$/", unit_1},
    {"/^CATALOG/", catalogs},
    /* numbers */
    {"trace_number = 5", number_5},
    {"trace_number in 100..200", number_range},
    {"trace_number in 0x64..0b1100_1000", number_range},
    {"trace_number not in 1..19999 and trace_number != 0", none},
    {"trace_number > 9000", after_9000},
    {"trace_number >= 9000", from_9000},
    {"trace_number >= 9_000", from_9000},
    {"trace_number <= 9000", upto_9000},
    {"trace_number < 9000", before_9000},
    {"trace_number < 9000.5", upto_9000},
    {"trace_number in {3, 10..12}", two_or_range},
    {"trace_number >= 18446744073709551615", none},
    {"trace_number > -1", all},
    {"length = 30", long_ones},
    {"length > 1K", none},
    {"length <= 0.5K", all},
    {"offset", all},
    {"offset >= 0 and offset < 4G", all},
    {"ticks > 9100000000", after_9000},
    {"ticks = 105000000", number_5},
    /* times: a tick is a microsecond, the first is 100 seconds */
    {"time > +9000s", after_9000},
    {"time >= +150min", from_9000},
    {"time <= 9100000ms", upto_9000},
    {"time < 9100", before_9000},
    {"time in 200..300.000000", number_range},
    {"time in +100..+200", number_range},
    {"time in {+3, +10s..+12s}", two_or_range},
    {"time", all},
    {"delta", from_1},
    {"delta = 1s", from_1},
    {"delta > 1s or delta < 999ms", none},
    {"delta in 0.9s..1.1s", from_1},
    {"delta >= -1s", from_1},
    {"gap", from_1},
    {"gap = 1s", from_1},
    {"gap < 1s or gap > 1s", none},
    /* flags */
    {"damaged", none},
    {"flags", none},
    {"flags = lost", none},
    {"flags in {lost, damaged}", none},
    {"not lost", all},
    /* bytes */
    {"bytes ~ '6e 20 35 20'", number_5},
    {"bytes ~ '\\x6E\\x20 3520'", number_5},
    {"bytes ~ '?e 2? 35 2?'", number_5},
    {"bytes ~ /n 5 /", number_5},
    {"payload ~ '6e 20 35 20'", number_5},
    /* fields */
    {"unit = 1", unit_1},
    {"syst.unit = 1", unit_1},
    {"unit > 0", unit_12},
    {"id = 13", id_13},
    {"id = 0xd", id_13},
    {"id > 15000", ids_above},
    {"not id > 15000", ids_not},
    {"id <= 15000 and id > 15000", none},
    {"id", catalogs},
    {"not id", strings},
    {"id != 13 and trace_number = 13", none},
    {"id ~ /^0xd$/", id_13},
    {"syst.type = catalog", catalogs},
    {"syst.type = 3", catalogs},
    {"syst.string ~ /^n \\d*77 /", tens},
    {"has_time", all},
    {"has_crc", none},
    {"has_crc = false", all},
    {"has_guid = yes", none},
    /* how terms bind */
    {"severity = error or severity = info and unit = 1", precedence},
    {"unit = 1 and severity = info or severity = error", precedence},
    {"(severity = error or severity = info) and unit = 1", grouped},
    {"unit = 1 and (severity = error || severity = info)", grouped},
    {"not severity = error and unit = 1", not_binds},
    {"! severity = error && unit = 1", not_binds},
    {"unit = 1 && !severity = error", not_binds},
    {"not (severity = error and unit = 1)", not_grouped},
    {"!(severity=error or unit=1)", not_either},
    {"not not severity = error", errors},
    {"((((severity = error))))", errors},
    {"kind = catalog OR severity = error", catalog_or_error},
    {"severity=error AND(unit=1)", error_unit_1},
    {" severity\t=\nerror ", errors},
};

static void
test_expressions(void **state)
{
	struct fixture *f = *state;
	session_link(&f->session);
	for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++)
		check(*state, expressions[i].text, expressions[i].wanted);
}

/* The same trace if its clock counted from 1970. */
static void
test_dates(void **state)
{
	struct fixture *f = *state;
	struct decoder *decoder = (struct decoder *)trace_decoder(f->trace);
	assert_false(decoder->unix_epoch);
	decoder->unix_epoch = true;
	check(f, "time < 1970-01-01T02:31:40", before_9000);
	check(f, "time < '1970-01-01 02:31:40.000'", before_9000);
	check(f, "time < 02:31:40", before_9000);
	check(f, "time >= 1970-01-01", all);
	check(f, "time < 9000", before_9000); /* since the first message */
	check(f, "time < +9000s", before_9000);
	decoder->unix_epoch = false;
}

/* --- errors ------------------------------------------------------------ */

static const struct {
	const char *text;
	size_t column; /* from 1 */
	const char *words;
	bool meant;
} errors_of[] = {
    {"", 1, "the filter ends here", false},
    {"   ", 4, "the filter ends here", false},
    {"serverity = 3", 1, "; did you mean severity?", true},
    {"sev not in {1}", 1, "; did you mean severity?", true},
    {"lost and serverity", 10, "; did you mean severity?", false},
    {"encap.typo = 3", 1, "; did you mean encap.type?", true},
    {"eth", 1, "eth is not a field; to search the text: /eth/", false},
    {"severity = error and eth0", 22, "eth0 is not a field; to search the text: /eth0/", true},
    {"pigeon.type = 3", 1, "no field is named pigeon.type", true},
    {"span.task > 5ms", 1,
     "span.task is for columns and tables, not for filters; context.task passes what has a value",
     true},
    {"severity", 0, NULL, false},
    {"ppl.trigger_event", 0, NULL, false},
    {"severity =", 11, "a value after =", true},
    {"severity >= none", 13, "none has no order", true},
    {"severity < none", 12, "none has no order", true},
    {"severity in error..none", 20, "none has no order", true},
    {"severity in none..error", 13, "none has no order", true},
    {"severity = loud", 12, "loud is not a severity", true},
    {"severity = erorr", 12, "; did you mean error?", true},
    {"severity ~ /err/", 12, "is not text", true},
    {"kind = strin", 8, "; did you mean string?", true},
    {"kind > string", 8, "has no order", true},
    {"flags = pink", 9, "no flag is named pink", true},
    {"flags < lost", 9, "has no order", true},
    {"lost = true", 1, "stands alone", true},
    {"text > a", 8, "has no order", true},
    {"text ~ /a(b/", 12, "parenthesis", true},
    {"text ~ \"a(b\"", 12, "parenthesis", true},
    {"text ~ /ab", 8, "unterminated /", true},
    {"text ~ /ab/x", 12, "flags i", true},
    {"text = \"ab", 8, "unterminated \"", true},
    {"text = 'a\\q'", 10, "followed by", true},
    {"origin = CAM STREAM 0", 14, "needs quotes", true},
    {"length > 4Q", 10, "is a number", true},
    {"length > 0x", 10, "is a number", true},
    {"length > 0b12", 10, "is a number", true},
    {"length > 0x11112222333344445", 10, "is a number", true},
    {"length > nan", 10, "is a number", true},
    {"length in 5..3", 14, "ends before", true},
    {"length in {1, 2", 16, "a comma or }", true},
    {"length in {1, }", 15, "a value after in", true},
    {"length in 1..", 14, "a value after ..", true},
    {"time > soon", 8, "is not a time", true},
    {"time > 3 weeks", 10, "joined by and", true},
    {"delta > +1s", 9, "is not a duration", true},
    {"bytes ~ '4'", 10, "two hexadecimal digits", true},
    {"bytes ~ '42 4g'", 13, "two hexadecimal digits", true},
    {"bytes ~ ''", 10, "two hexadecimal digits", true},
    {"bytes = '42 ?? 1'", 16, "two hexadecimal digits", true},
    {"bytes = '42 4?'", 9, "matched with ~", true},
    {"unit = one", 8, "unit is a number, and one is not", true},
    {"syst.type = STRIN", 13, "; did you mean STRING?", true},
    {"has_crc = maybe", 11, "true or false", true},
    {"(severity = error", 18, "and, or, or )", true},
    {"severity = error)", 17, "joined by and", true},
    {"severity = error unit = 1", 18, "joined by and", true},
    {"= 3", 1, "the name of a field is expected here", false},
    {"severity = error and", 21, "the name of a field", true},
    {"context.task = 3", 1, "no context", true},
};

static void
test_errors(void **state)
{
	struct fixture *f = *state;
	for (size_t i = 0; i < sizeof errors_of / sizeof *errors_of; i++) {
		struct filter_error error = {0};
		struct filter_expr *expr = filter_parse(errors_of[i].text, &f->session, &error);
		if ((expr == NULL) != (errors_of[i].words != NULL))
			fail_msg("%s: %s", errors_of[i].text, expr ? "accepted" : error.what);
		if (!expr &&
		    (!strstr(error.what, errors_of[i].words) ||
		     error.at + 1 != errors_of[i].column || error.meant != errors_of[i].meant))
			fail_msg("%s: column %zu%s: %s", errors_of[i].text, error.at + 1,
				 error.meant ? ", meant" : "", error.what);
		filter_expr_free(expr);
	}
}

/* What people type at a prompt, and what it is read as; NULL: an error. */
static void
test_typed(void **state)
{
	struct fixture *f = *state;
	static const char *const typed[][2] = {
	    {"severity = error", "severity = error"},
	    {"error", "/error/"}, /* though there is a field of that name */
	    {" severity ", "/ severity /"},
	    {"damaged", "damaged"}, /* a flag */
	    {"(crc)", "(crc)"},
	    {"no such text", "/no such text/"},
	    {"a/b", "/a\\/b/"},
	    {"a/b/i", "/a\\/b/i"},
	    {"a/b/I", "/a\\/b/I"},
	    {"/a/i", "/a/i"},
	    {"a\\/i", "/a\\/i/"},
	    {"a\\\\/i", "/a\\\\/i"},
	    {"/i", "/\\/i/"},
	    {"mailbox and severity >= warning", "/mailbox/ and severity >= warning"},
	    {"severity >= warning and (not Ack or late)",
	     "severity >= warning and (not /Ack/ or /late/)"},
	    {"read and write", "/read and write/"},
	    {"mailbox and severity >= wrning", NULL},
	    {"mailbox and sevrity >= warning", NULL},
	    {"sevrity = error", NULL},
	    {"sevrity not in {3}", NULL},
	    {"irq not in {3}", "irq not in {3}"}, /* an argument's name */
	    {"", NULL},
	    {"(", NULL},
	};
	for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
		struct filter_error error;
		struct filter_expr *expr = filter_parse_typed(typed[i][0], &f->session, &error);
		if (!expr != !typed[i][1])
			fail_msg("%s: %s", typed[i][0], expr ? "accepted" : error.what);
		if (expr)
			assert_string_equal(filter_expr_text(expr), typed[i][1]);
		filter_expr_free(expr);
	}
}

static void
test_limits(void **state)
{
	struct fixture *f = *state;
	struct filter_error error;
	struct text text = {0};
	for (int i = 0; i < FILTER_DEPTH_MAX; i++)
		text_add_char(&text, '(');
	text_add(&text, "lost");
	for (int i = 0; i < FILTER_DEPTH_MAX; i++)
		text_add_char(&text, ')');
	struct filter_expr *expr = filter_parse(text.data, &f->session, &error);
	assert_non_null(expr);
	filter_expr_free(expr);
	text_clear(&text);
	for (int i = 0; i <= FILTER_DEPTH_MAX; i++)
		text_add_char(&text, '!');
	text_add(&text, "lost");
	assert_null(filter_parse(text.data, &f->session, &error));
	assert_int_equal(error.at, FILTER_DEPTH_MAX);
	text_clear(&text);
	while (text.length + 8 < FILTER_TEXT_MAX)
		text_add(&text, "lost or ");
	text_add(&text, "lost");
	expr = filter_parse(text.data, &f->session, &error);
	assert_non_null(expr);
	filter_expr_free(expr);
	text_add(&text, " or lost");
	assert_null(filter_parse(text.data, &f->session, &error));
	text_free(&text);
}

static void
test_explain(void **state)
{
	(void)state;
	struct filter_error error;
	struct text out = {0};
	static const char text[] = "text = \"\xc3\xa4\" and lots";
	assert_null(filter_parse(text, NULL, &error));
	filter_explain(&error, text, &out);
	assert_string_equal(out.data, "no field is named lots; did you mean lost? (column 17)\n"
				      "  text = \"\xc3\xa4\" and lots\n"
				      "                 ^");
	text_free(&out);
	filter_quote("a\"b\\", 4, &out);
	assert_string_equal(out.data, "\"a\\\"b\\\\\"");
	text_free(&out);
}

static void
test_complete(void **state)
{
	(void)state;
	char name[64];
	size_t next = 0, found = 0;
	const char *got;
	assert_string_equal(filter_complete("sev", 3, &next, name), "severity");
	assert_null(filter_complete("severi_", 7, &next, name));
	next = 0;
	assert_string_equal(filter_complete("encap.ty", 8, &next, name), "encap.type");
	next = 0; /* whose fields are those of another format */
	assert_string_equal(filter_complete("ppl.trig", 8, &next, name), "ppl.trigger_event");
	for (next = 0; (got = filter_complete("id", 2, &next, name));)
		found += !strcmp(got, "id");
	assert_int_equal(found, 1); /* though several formats have one */
}

/* The cheap members hold besides the expression. */
static void
test_members(void **state)
{
	struct fixture *f = *state;
	struct filter filter = parse(f, "unit = 1 and /7 /");
	filter.severities = filter_threshold(SEVERITY_ERROR, false);
	assert_false(filter_is_all(&filter));
	assert_int_equal(filter_basis(&filter),
			 FILTER_ON_SEVERITY | FILTER_ON_STRUCT | FILTER_ON_TEXT);
	assert_false(filter_looks_around(&filter));
	for (unsigned n = 0; n < COUNT; n++) {
		bool wanted = n % 3 == 1 && n % 8 <= 2 && !is_catalog(n) && n % 10 == 7;
		assert_int_equal(filter_match(&filter, f->reader, &f->messages[n], &f->scratch),
				 wanted);
	}
	struct filter same = filter_clone(&filter), other = parse(f, "unit = 1 and /8 /");
	assert_true(filter_is_same(&filter, &same));
	same.severities = filter_threshold(SEVERITY_WARNING, false);
	assert_false(filter_is_same(&filter, &same));
	other.severities = filter.severities;
	assert_false(filter_is_same(&filter, &other));
	filter_free(&other);
	other.severities = filter.severities;
	assert_false(filter_is_same(&filter, &other));
	filter_free(&same);
	filter_free(&filter);
	assert_true(filter_is_all(&filter));
}

/* A set of names is told from all else, and gives them back as they are. */
static void
test_names(void **state)
{
	struct fixture *f = *state;
	static const char *const others[] = {"origin in {a}",	      "origin in {\"a\", b}",
					     "origin not in {\"a\"}", "origin = \"a\"",
					     "origin in \"a\"",	      "trace in {\"a\"}",
					     "not origin in {\"a\"}", "origin in {\"a\"} or lost"};
	static const char *const names[] = {"a, b", "c\"d\\", "\x01"};
	struct filter filter = parse(f, "origin in {\"a, b\",\"c\\\"d\\\\\" , \"\\x01\"}");
	size_t length;
	assert_true(filter_expr_lists(filter.expr, "origin"));
	assert_false(filter_expr_lists(filter.expr, "trace"));
	for (size_t i = 0; i < 3; i++) {
		const char *name = filter_expr_name(filter.expr, i, &length);
		assert_int_equal(length, strlen(names[i]));
		assert_memory_equal(name, names[i], length);
	}
	assert_null(filter_expr_name(filter.expr, 3, &length));
	filter_free(&filter);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		filter = parse(f, others[i]);
		if (filter_expr_lists(filter.expr, "origin"))
			fail_msg("%s", others[i]);
		filter_free(&filter);
	}
}

struct copy {
	struct fixture *f;
	struct filter filter;
	unsigned found;
};

static void *
count_by_copy(void *context)
{
	struct copy *copy = context;
	struct reader *reader = reader_new(copy->f->trace);
	struct expansion scratch = {0};
	for (unsigned round = 0; round < 20; round++)
		for (unsigned n = 0; n < COUNT; n++)
			copy->found +=
			    filter_match(&copy->filter, reader, &copy->f->messages[n], &scratch);
	expansion_free(&scratch);
	filter_free(&copy->filter);
	reader_free(reader);
	return NULL;
}

/* Copies serve a thread each, at the same time, and outlive what they were made from. */
static void
test_copies(void **state)
{
	struct fixture *f = *state;
	struct filter filter = parse(f, "/7 / or (origin ~ /s/i and time > 1us)");
	struct copy copies[2] = {{f, filter_clone(&filter), 0}};
	copies[1] = (struct copy){f, filter_clone(&copies[0].filter), 0};
	unsigned found = 0;
	for (unsigned n = 0; n < COUNT; n++)
		found += filter_match(&filter, f->reader, &f->messages[n], &f->scratch);
	assert_in_range(found, 1, COUNT - 1);
	filter_free(&filter);
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_by_copy, &copies[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(copies[0].found, 20 * found);
	assert_int_equal(copies[1].found, 20 * found);
}

/* A bad checksum is damage, though only expanding finds it; a cell without
 * checksums has none. */
static void
test_checksums(void **state)
{
	static const uint8_t good[] = {0x32, 0x26, 0x01, 0x01, 0x0c, 0x00, 0x48, 0x65,
				       0x6c, 0x6c, 0x6f, 0x20, 0x77, 0x6f, 0x72, 0x6c,
				       0x64, 0x21, 0xd3, 0x06, 0xb8, 0xea};
	uint8_t bytes[2 * sizeof good];
	struct fixture *f = *state;
	struct session session = {0};
	struct err err;
	memcpy(bytes, good, sizeof good);
	memcpy(bytes + sizeof good, good, sizeof good);
	bytes[sizeof bytes - 1] ^= 1;
	char *path = toy_file(bytes, sizeof bytes);
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, path, "syst/raw", NULL, 0, &err);
	assert_non_null(trace);
	index_build(trace_index(trace));
	struct reader *reader = reader_new(trace);
	struct filter damaged = parse(f, "damaged"), lost = parse(f, "lost");
	struct message m[3];
	assert_int_equal(reader_walk(reader, m, 3), 2);
	assert_false(filter_match(&damaged, reader, &m[0], &f->scratch));
	assert_true(filter_match(&damaged, reader, &m[1], &f->scratch));
	assert_false(filter_match(&lost, reader, &m[1], &f->scratch));
	assert_int_equal(filter_judge(&damaged, trace, 0), FILTER_SOME);
	assert_int_equal(filter_judge(&lost, trace, 0), FILTER_NONE);
	reader_free(reader);
	session_close(&session);
	unlink(path);
	free(path);

	/* a PRINTF message has none, but a format, which its arguments may not fit */
	uint8_t cell[2][9] = {{0x32, 0x22, 0x01, 0x01, 3, 0, 'o', 'k', 0},
			      {0x32, 0x22, 0x01, 0x0b, 3, 0, '%', 'd', 0}};
	for (size_t i = 0; i < 2; i++) {
		path = toy_file(cell[i], sizeof cell[i]);
		option_defaults(profile_options_table(), &session.profile);
		trace = session_open(&session, path, "syst/raw", NULL, 0, &err);
		assert_non_null(trace);
		index_build(trace_index(trace));
		assert_int_equal(filter_judge(&damaged, trace, 0), i ? FILTER_SOME : FILTER_NONE);
		reader = reader_new(trace);
		assert_int_equal(reader_walk(reader, m, 3), 1);
		assert_int_equal(filter_match(&damaged, reader, &m[0], &f->scratch), i);
		reader_free(reader);
		session_close(&session);
		unlink(path);
		free(path);
	}
	filter_free(&damaged);
	filter_free(&lost);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    /* before clocks are related, which the next relates */
	    cmocka_unit_test(test_dates),     cmocka_unit_test(test_expressions),
	    cmocka_unit_test(test_errors),    cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_typed),     cmocka_unit_test(test_explain),
	    cmocka_unit_test(test_complete),  cmocka_unit_test(test_members),
	    cmocka_unit_test(test_copies),    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_checksums),
	};
	setlocale(LC_CTYPE, "C.UTF-8"); /* widths of characters */
	return cmocka_run_group_tests_name("filter", tests, setup, teardown);
}
