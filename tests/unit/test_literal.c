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

/* A place of a needle as it was asked for. */
struct place {
	bool has[256];
};

static size_t
find_naively(const struct place *needle, size_t length, const uint8_t *p, size_t size)
{
	for (size_t at = 0; at + length <= size; at++) {
		size_t same = 0;
		while (same < length && needle[same].has[p[at + same]])
			same++;
		if (same == length)
			return at;
	}
	return size;
}

/* A character, or any of some. */
static struct place
some_place(const char *letters, size_t kinds, bool fold, uint8_t *only)
{
	struct place place = {0};
	*only = (uint8_t)letters[below(kinds)];
	place.has[*only] = true;
	if (fold && *only < 128 && isalpha(*only))
		place.has[*only ^ 0x20] = true;
	return place;
}

static void
widen(struct place *place, const char *letters, size_t kinds)
{
	unsigned from = (unsigned)below(256), to = from + (unsigned)below(below(3) ? 8 : 256);
	for (size_t i = below(4); i--;)
		place->has[(uint8_t)letters[below(kinds)]] = true;
	for (unsigned c = from; c < to && c < 256 && !below(3); c++)
		place->has[c] = true;
}

static void
test_needles(void **state)
{
	static const char letters[] = "aAbB@`[{1 \xe1\xc1";
	(void)state;
	for (unsigned i = 0; i < 20000 * test_runs(1); i++) {
		uint8_t *p = malloc(200);
		char text[6];
		struct place places[sizeof text];
		struct byte_set sets[sizeof text] = {0};
		size_t size = below(200), length = 1 + below(sizeof text), kinds = 2 + below(11);
		bool fold = below(2), wide = below(2);
		struct needle needle;
		for (size_t k = 0; k < size; k++)
			p[k] = (uint8_t)(below(20) ? (size_t)letters[below(kinds)] : below(256));
		for (size_t k = 0; k < length; k++) {
			places[k] = some_place(letters, kinds, fold, (uint8_t *)&text[k]);
			if (wide && below(2))
				widen(&places[k], letters, kinds);
			for (unsigned c = 0; c < 256; c++)
				if (places[k].has[c])
					byte_set_add(&sets[k], (uint8_t)c);
		}
		if (wide)
			needle_init_sets(&needle, sets, length);
		else
			needle_init(&needle, text, length, fold);
		p = realloc(p, size ? size : 1); /* so that nothing behind it is read */
		assert_int_equal(needle_find(&needle, p, size),
				 find_naively(places, length, p, size));
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

/* Writes a class as its ranges between brackets. */
static void
add_set(struct text *out, const struct byte_set *set)
{
	unsigned count = 0;
	for (unsigned c = 0; c < 256; c++)
		count += byte_set_has(set, (uint8_t)c);
	text_add(out, count > 1 ? "[" : "");
	for (unsigned c = 0, last; c < 256; c = last + 1) {
		for (last = c; last < 255 && byte_set_has(set, (uint8_t)(last + 1));)
			last++;
		if (!byte_set_has(set, (uint8_t)c)) {
			last = c;
			continue;
		}
		text_add_bytes(out, &(char){(char)c}, 1);
		if (last > c)
			text_addf(out, "-%c", last);
	}
	text_add(out, count > 1 ? "]" : "");
}

static void
assert_literals(const char *pattern, unsigned flags, const char *wanted)
{
	struct needles set = literals_of(pattern, flags);
	struct text got = {0};
	for (size_t i = 0; i < set.count; i++) {
		text_add(&got, i ? "," : "");
		for (size_t k = 0; k < set.at[i].length; k++) {
			const struct byte_set place = needle_place(&set.at[i], k);
			add_set(&got, &place);
		}
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
	    {"Time out", REGEX_IGNORE_CASE, "[Tt][Ii][Mm][Ee] [Oo][Uu][Tt]"},
	    {"timeout", REGEX_SMART_CASE, "[Tt][Ii][Mm][Ee][Oo][Uu][Tt]"},
	    {"^rail .* mV$", 0, "rail "},
	    {"a.*longer", 0, "longer"},
	    {"colou?r", 0, "colo"},
	    {"abc+def", 0, "cdef"}, /* as long as abc, and longer */
	    {"abx*cdef", 0, "cdef"},
	    {"abcx{0,3}de", 0, "abc"},
	    {"abcx{2}de", 0, "abcxxde"},
	    {"abcx{2,}de", 0, "abcxx"},
	    {"abcx{0}de", 0, "abcde"},
	    {"[a-z]+state", 0, "state"},
	    {"[]x]ab", 0, "[]x]ab"},
	    {"[[:digit:]]ab", 0, "[0-9]ab"},
	    {"[qz][tu][a-f]", 0, "[qz][t-u][a-f]"},
	    {"x[01]y", 0, "x[0-1]y"},
	    {"x[01]+y", 0, "x[0-1]"},
	    {"x[01]?y", 0, ""},
	    {"[0-2a]b", 0, "[0-2a]b"},
	    {"[0-9]b", 0, ""}, /* too frequent */
	    {"[^a]b", 0, ""},
	    {"[a-]b", 0, "[-a]b"},
	    {"[\\d]b", 0, ""},
	    {"[Ee]rror", 0, "rror"}, /* one is enough */
	    {"([ab]c|[de]f)x", 0, "[a-b]c,[d-e]f"},
	    {"[aB]c", REGEX_IGNORE_CASE, "[A-Ba-b][Cc]"},
	    {"[\\]x]ab", 0, "[]x]ab"},
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
	    {"err[0-9]", 0, "err"}, /* which is enough */
	    {"e[0-9]r", 0, "e[0-9]r"},
	    {"[0-9a-f]{4}:", 0, "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]:"},
	    {"[a-z]{9}", 0, ""},
	    {"#", 0, "#"},
	    {"[qz]k{2,}[ab]", 0, "kk"},
	    {"[--/q]x", 0, "[--/q]x"},
	    {"[!\\-q]x", 0, "[!-q]x"},
	    {"[!\\]q]x", 0, "[!]q]x"},
	    {"[a-c-e]q", 0, ""},
	    {"[\\x41-C!]q", 0, "[!A-C]q"},
	    {"e[\\d!]r", 0, "e[!0-9]r"},
	    {"k\\h_", 0, "k[\t \xa0]_"},
	    {"q[[:digit:]_]x", 0, "q[0-9_]x"},
	    {"q[[:^digit:]]x", 0, ""},
	    {"q[^\\D]x", 0, "q[0-9]x"},
	    {"q[[:upper:]]x", REGEX_IGNORE_CASE, "[Qq][A-Za-z][Xx]"},
	    {"\xc3\xa9[qz][ab]", 0, "\xc3\xa9"},
	    {"\xc3\xa9*[qz][ab]", 0, "[qz][a-b]"},
	    {"\xc3\xa9*[^q][ab]z", 0, "[a-b]z"}, /* any character */
	    {"\xc3\xa9*[q\xc3\xa9][ab]z", 0, "[a-b]z"},
	    {"\xc3\xa9*\\D[ab]z", 0, "[a-b]z"},
	    {"\xc3\xa9*.[ab]z", 0, "[a-b]z"},
	    {"\xc3\xa9*\\d[ab]y", 0, "[0-9][a-b]y"},
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
	static const char *const sets[] = {
	    "[ab]",	    "[^a]",	     "[qz]",	     "[q-z]",
	    "[^\\d]",	    "[\\w-]",	     "[a-c4]",	     "[[:punct:]q]",
	    "\\d",	    "\\D",	     "\\w",	     "\\s",
	    "[^B-]",	    "[--/z]",	     "[\\x61-c]",    "[^\\Wq]",
	    "[a\xc3\xa9]",  "[[:upper:]]",   "[\\S]",	     "[a-a\\-q]",
	    "[]q]",	    "\\W",	     "\\xc3",	     "[\\x80-\\xff]",
	    "[[:lower:]-]", "[[:^alpha:]q]", "[a-\\d]",	     "[k-s]",
	    "\\h",	    "\\V",	     "[^[:alpha:]]", "."};
	static const char *const often[] = {
	    "?",  "*",	"+",	"{2}",	"{0,2}", "{1,}", "{0}",	 "{,2}",   "??",   "*?",
	    "+?", "*+", "{02}", "{00}", "{1,0}", "{3}",	 "{2,}", "{1,3}?", "{2}+", "{40}"};
	static const char *const opens[] = {"(",   "(?:",  "(",		"(?:", "(?=",
					    "(?!", "(?<=", "(?<!",	"(?>", "(?<n>",
					    "(?|", "(?i:", "(*ACCEPT)("};
	static const size_t usual[] = {4, 13};
	for (size_t i = 1 + below(5); i--;) {
		if (depth && !below(4)) {
			text_add(out, opens[below(usual[!below(4)])]);
			add_pattern(out, depth - 1);
			text_add(out, ")");
		} else if (!below(3)) {
			text_add(out, sets[below(sizeof sets / sizeof *sets)]);
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
	static const char *const parts[] = {"a",    "b",
					    "c",    "ab",
					    "abc",  "A",
					    "B",    "aB",
					    ".",    "4",
					    " ",    "\t",
					    "k",    "\xc3\xa9",
					    "s",    "ba",
					    "\n",   "]",
					    "-",    "{",
					    "#",    "\xe2\x84\xaa",
					    "[",    "aab",
					    "bbc",  "\xc5\xbf",
					    "{,2}", "/",
					    "Q",    "q",
					    "z",    "zq",
					    "9",    "\x85",
					    "\xc3", "\xa0"};
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
