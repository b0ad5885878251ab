/*
 * Needles by a naive search; literals by hand, and by PCRE2: whatever a pattern matches
 * has one of its literals.  TRAWL_RUNS=100 tries so many times as many patterns,
 * TRAWL_SEED=7 other ones.
 */
#include "config.h"

#include "test.h"

#include "base/needle.h"
#include "base/regex.h"
#include "base/text.h"
#include "query/filter/literal.h"
#include "random.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static size_t
below(size_t n)
{
	return random_below(&seed, n);
}

/* --- needles ------------------------------------------------------------- */

static size_t
find_naively(const char *needle, size_t length, bool fold, const uint8_t *p, size_t size)
{
	for (size_t at = 0; at + length <= size; at++) {
		size_t same = 0;
		for (; same < length; same++) {
			int a = needle[same] & 0xff, b = p[at + same];
			if (a != b &&
			    !(fold && a < 128 && b < 128 && isalpha(a) && tolower(a) == tolower(b)))
				break;
		}
		if (same == length)
			return at;
	}
	return size;
}

static void
test_needles(void **state)
{
	static const char letters[] = "aAbB@`[{1 \xe1\xc1";
	(void)state;
	for (unsigned i = 0; i < 20000 * test_runs(1); i++) {
		uint8_t *p = malloc(200);
		char text[4];
		size_t size = below(200), length = 1 + below(sizeof text), kinds = 2 + below(11);
		bool fold = below(2);
		struct needle needle;
		for (size_t k = 0; k < size; k++)
			p[k] = (uint8_t)letters[below(kinds)];
		for (size_t k = 0; k < length; k++)
			text[k] = letters[below(kinds)];
		needle_init(&needle, text, length, fold);
		p = realloc(p, size ? size : 1); /* so that nothing behind it is read */
		assert_int_equal(needle_find(&needle, p, size),
				 find_naively(text, length, fold, p, size));
		free(p);
	}
}

static void
test_long_needle(void **state)
{
	char text[100];
	struct needle needle;
	(void)state;
	memset(text, 'x', sizeof text);
	text[50] = 'y';
	needle_init(&needle, text, sizeof text, false);
	assert_int_equal(needle.length, NEEDLE_MAX);
	assert_int_equal(needle_find(&needle, (const uint8_t *)text, sizeof text), 0);
	assert_int_equal(needle_find(&needle, (const uint8_t *)text, NEEDLE_MAX - 1),
			 NEEDLE_MAX - 1);
	assert_false(needle_find(&needle, (const uint8_t *)text + 30, 50) < 50);
}

/* --- literals by hand ---------------------------------------------------- */

static struct needles
literals_of(const char *pattern, unsigned flags)
{
	struct needles set;
	struct err err;
	struct regex *regex = regex_new(pattern, flags, &err);
	assert_non_null(regex);
	bool whole;
	bool any = literal_of_regex(pattern, regex_folds(regex), regex_is_utf(regex), &set, &whole);
	assert_int_equal(any, set.count > 0);
	regex_free(regex);
	return set;
}

static void
assert_literals(const char *pattern, unsigned flags, const char *wanted)
{
	struct needles set = literals_of(pattern, flags);
	struct text got = {0};
	for (size_t i = 0; i < set.count; i++) {
		text_add(&got, i ? "," : "");
		text_add_bytes(&got, set.at[i].bytes, set.at[i].length);
	}
	if (strcmp(text_get(&got), wanted) != 0)
		fail_msg("/%s/ gives %s, not %s", pattern, text_get(&got), wanted);
	text_free(&got);
}

static void
test_by_hand(void **state)
{
	static const struct {
		const char *pattern;
		unsigned flags;
		const char *wanted;
	} rows[] = {
	    {"timeout", 0, "timeout"},
	    {"Time out", REGEX_IGNORE_CASE, "time out"},
	    {"timeout", REGEX_SMART_CASE, "timeout"},
	    {"^rail .* mV$", 0, "rail "},
	    {"a.*longer", 0, "longer"},
	    {"colou?r", 0, "colo"},
	    {"abc+def", 0, "cdef"}, /* as long as abc, and longer */
	    {"abx*cdef", 0, "cdef"},
	    {"abcx{0,3}de", 0, "abc"},
	    {"abcx{2}de", 0, "abcx"},
	    {"abcx{0}de", 0, "abc"},
	    {"[a-z]+state", 0, "state"},
	    {"[]x]ab", 0, "ab"},
	    {"[[:digit:]]ab", 0, "ab"},
	    {"[qz][tu][a-f]", 0, "qt,zt,qu,zu"},
	    {"x[01]y", 0, "x0y,x1y"},
	    {"x[01]+y", 0, "x0,x1"},
	    {"x[01]?y", 0, ""},
	    {"[0-2a]b", 0, "0b,1b,2b,ab"},
	    {"[0-9]b", 0, ""}, /* they are too many */
	    {"[^a]b", 0, ""},
	    {"[a-]b", 0, ""},
	    {"[\\d]b", 0, ""},
	    {"[Ee]rror", 0, "rror"}, /* one is enough */
	    {"([ab]c|[de]f)x", 0, "ac,bc,df,ef"},
	    {"[aB]c", REGEX_IGNORE_CASE, "ac,bc"},
	    {"[\\]x]ab", 0, "ab"},
	    {"fifo|block", 0, "fifo,block"},
	    {"(fifo|block) level", 0, " level"},
	    {"(?:fifo|block)\\d", 0, "fifo,block"},
	    {"(fifo|block)?xy", 0, "xy"},
	    {"fifo|.", 0, ""},
	    {"fifo|", 0, ""},
	    {"a|b|c", 0, ""}, /* too short to be worth a look */
	    {"\\btask\\b", 0, "task"},
	    {"a\\.b", 0, "a.b"},
	    {"a\\x41b", 0, "aAb"},
	    {"a\\tb", 0, "a\tb"},
	    {"\\d\\d\\d", 0, ""},
	    {"(?i)fifo", 0, ""},
	    {"(?=fifo)", 0, ""},
	    {"fifo(?!x)", 0, ""},
	    {"(ab)\\1", 0, ""},
	    {"\\Qab\\E", 0, ""},
	    {"[\\Q]\\E]ab", 0, ""},
	    {"ab{,3}", 0, ""},
	    {"stra\xc3\x9f"
	     "e",
	     0,
	     "stra\xc3\x9f"
	     "e"},
	    {"stra\xc3\x9f?e", 0, "stra"},
	    {"stra\xc3\x9f"
	     "e",
	     REGEX_IGNORE_CASE, ""}, /* s is the long one too */
	    {"a|b|c|d|e|f|g|h|i", 0, ""},
	    {"aa|bb|cc|dd|ee|ff|gg|hh|ii", 0, ""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_literals(rows[i].pattern, rows[i].flags, rows[i].wanted);
}

static void
test_deep(void **state)
{
	struct text pattern = {0};
	(void)state;
	for (int i = 0; i < 100; i++)
		text_add(&pattern, "(");
	text_add(&pattern, "abc");
	for (int i = 0; i < 100; i++)
		text_add(&pattern, ")");
	assert_literals(text_get(&pattern), 0, "");
	text_free(&pattern);
}

/* --- literals by PCRE2 --------------------------------------------------- */

/* Adds random parts of patterns, whether or not they are one together. */
static void
add_pattern(struct text *out, int depth)
{
	static const char *const parts[] = {"a",       "b",	   "c",
					    "ab",      "A",	   "B",
					    ".",       "[ab]",	   "[^a]",
					    "[]a]",    "[^]a]",	   "\\.",
					    "\\x61",   "\\x4",	   "\\d",
					    "\\w",     "\\W",	   "\\s",
					    "\\b",     "^",	   "$",
					    "\\t",     "\\Q",	   "\\E",
					    "[[:x]",   "(?i)",	   "(?-i)",
					    "\\1",     "\\K",	   "\\A",
					    "\\z",     "\\R",	   "\\h",
					    "{",       "}",	   "]",
					    "-",       "\xc3\xa9", "k",
					    "s",       "[\\]a]",   "[[:alpha:]]",
					    "[a\\E]",  "(?#b)",	   "\\/",
					    "\\Z",     "\\e",	   "(?x)",
					    " ",       "#",	   "\\061",
					    "\\o{61}", "\\cA",	   "\\N",
					    "\\ca",    "[[.a]",	   "[a[:^digit:]]",
					    "\\X",     "\\C"};
	static const char *const often[] = {"?",    "*",   "+",	   "{2}",  "{0,2}",
					    "{1,}", "{0}", "{,2}", "??",   "*?",
					    "+?",   "*+",  "{02}", "{00}", "{1,0}"};
	static const char *const opens[] = {"(",   "(?:",  "(",		"(?:", "(?=",
					    "(?!", "(?<=", "(?<!",	"(?>", "(?<n>",
					    "(?|", "(?i:", "(*ACCEPT)("};
	static const size_t usual[] = {4, 13};
	for (size_t i = 1 + below(5); i--;) {
		if (depth && !below(4)) {
			text_add(out, opens[below(usual[!below(4)])]);
			add_pattern(out, depth - 1);
			text_add(out, ")");
		} else {
			text_add(out, parts[below(below(3) ? 8 : sizeof parts / sizeof *parts)]);
		}
		if (!below(3))
			text_add(out, often[below(sizeof often / sizeof *often)]);
		if (!below(6))
			text_add(out, "|");
	}
}

static size_t
make_subject(char *out, size_t size)
{
	static const char *const parts[] = {
	    "a",  "b",	 "c",	     "ab",	 "abc",	 "A",  "B", "aB", ".", "4", " ",
	    "\t", "k",	 "\xc3\xa9", "s",	 "ba",	 "\n", "]", "-",  "{", "#", "\xe2\x84\xaa",
	    "[",  "aab", "bbc",	     "\xc5\xbf", "{,2}", "/",  "Q"};
	size_t length = 0;
	for (size_t i = below(10); i--;) {
		const char *part = parts[below(below(2) ? 8 : sizeof parts / sizeof *parts)];
		if (length + strlen(part) > size)
			break;
		memcpy(out + length, part, strlen(part));
		length += strlen(part);
	}
	return length;
}

static void
test_random(void **state)
{
	unsigned with = 0, matched = 0, ruled_out = 0, enough = 0;
	bool whole;
	(void)state;
	for (unsigned i = 0; i < 60000 * test_runs(1); i++) {
		struct text pattern = {0};
		struct needles set;
		struct err err;
		add_pattern(&pattern, 3);
		struct regex *regex =
		    regex_new(text_get(&pattern), below(3) ? 0 : REGEX_IGNORE_CASE, &err);
		if (regex && literal_of_regex(text_get(&pattern), regex_folds(regex),
					      regex_is_utf(regex), &set, &whole)) {
			with++;
			enough += whole;
			for (int k = 0; k < 30; k++) {
				char subject[64];
				size_t length = make_subject(subject, sizeof subject);
				bool has = needles_are_in(&set, (const uint8_t *)subject, length);
				bool fits = regex_fits(regex, subject, length);
				matched += fits;
				ruled_out += !has;
				if (fits != has && (fits || whole))
					fail_msg("/%s/ %s \"%.*s\"", text_get(&pattern),
						 fits ? "matches" : "does not match", (int)length,
						 subject);
			}
		}
		regex_free(regex);
		text_free(&pattern);
	}
	assert_true(with > 1000 && matched > 1000 && ruled_out > 1000 && enough > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_needles), cmocka_unit_test(test_long_needle),
	    cmocka_unit_test(test_by_hand), cmocka_unit_test(test_deep),
	    cmocka_unit_test(test_random),
	};
	const char *other = getenv("TRAWL_SEED");
	if (other)
		seed = strtoull(other, NULL, 10);
	return cmocka_run_group_tests_name("literal", tests, NULL, NULL);
}
