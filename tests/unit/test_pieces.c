/* Texts that are ruled out: every way to split a search string over a format and its arguments. */
#include "config.h"

#include "test.h"

#include "decode/syst/syst_printf.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static const char *
pick(const char *const *words, size_t count)
{
	return words[random_below(&seed, count)];
}

/* True if the text of a format with these arguments is ruled out by NEEDLE. */
static bool
lacks(const char *needle, bool fold, const char *format, const void *args, size_t length)
{
	struct needles needles = {.count = 1};
	const struct syst_args own = {.at = args, .length = length};
	needle_init(&needles.at[0], needle, strlen(needle), fold);
	return syst_printf_lacks(&needles, format, strlen(format), &own);
}

static void
test_by_hand(void **state)
{
	static const uint8_t five[] = {5, 0, 0, 0}, five_twice[] = {5, 0, 0, 0, 5, 0, 0, 0},
			     wide[18 * 4] = {0};
	(void)state;
	assert_false(lacks("error", false, "an error", "", 0));
	assert_false(lacks("ERROR", true, "an error", "", 0));
	assert_true(lacks("ERROR", false, "an error", "", 0));
	/* split over the format and an argument */
	assert_false(lacks("error 5", false, "error %d", five, 4));
	assert_false(lacks("5 tasks", false, "%d tasks", five, 4));
	assert_false(lacks("a5b", false, "a%ub", five, 4));
	assert_false(lacks("a 5", false, "a%3d", five, 4));
	assert_true(lacks("axb", false, "a%ub", five, 4));
	assert_true(lacks("a5c", false, "a%ub", five, 4));
	/* a text argument is searched */
	assert_true(lacks("warm", false, "so %s it", "cold", 5));
	assert_false(lacks("cold", false, "so %s it", "cold", 5));
	assert_false(lacks("o cold", false, "so %s it", "cold", 5));
	assert_false(lacks("d it", false, "so %s it", "cold", 5));
	/* any character */
	assert_false(lacks("x", false, "%c", "x\0\0", 4));
	assert_false(lacks("axb", false, "a%cb", "x\0\0", 4));
	assert_false(lacks("a  x", false, "a%3c", "x\0\0", 4));
	assert_true(lacks("xx", false, "%c", "x\0\0", 4));
	/* widths from arguments */
	assert_false(lacks("a    5b", false, "a%*db", five_twice, 8));
	assert_true(lacks("a5c", false, "a%*db", five_twice, 8));
	/* pointers and numbers that are none */
	assert_false(lacks("nil", false, "%p", "\0\0\0", 4));
	assert_false(lacks("inf", false, "%f", "\0\0\0\0\0\0\xf0\x7f", 8));
	/* faults add a complaint to the text, too long texts a note */
	assert_false(lacks("insufficient", false, "%d", "", 0));
	assert_false(lacks("argument", false, "%s", "cold", 4));
	assert_false(lacks("invalid", false, "%", "", 0));
#define SIX_WIDE "%65536d%65536d%65536d%65536d%65536d%65536d"
	assert_false(lacks("cut", false, SIX_WIDE SIX_WIDE SIX_WIDE, wide, sizeof wide));
#undef SIX_WIDE
}

/* Needles are parts of texts, and must never be ruled out. */
static void
test_random(void **state)
{
	static const char *const pieces[] = {"a",    "error ", "%d",   "%u",  "%x",   "%X",  "%5d",
					     "%-4x", "%p",     "%s",   "%c",  "%.2s", "%6s", "%%",
					     "%*d",  "%-*c",   "%.*s", "%2c", "%f",   "%+d", "%lld",
					     "%g",   "%#o",    "b c",  "%n",  "%.3e", "% i"};
	const char *more = getenv("TRAWL_RUNS");
	(void)state;
	for (size_t run = 0; run < 5000 * (more ? strtoull(more, NULL, 10) : 1); run++) {
		char format[100] = "", needle[NEEDLE_MAX + 1] = "";
		uint8_t args[64];
		struct text text = {0};
		for (size_t i = random_below(&seed, 6) + 1; i; i--)
			strcat(format, pick(pieces, sizeof pieces / sizeof *pieces));
		for (size_t i = 0; i < sizeof args; i++)
			args[i] =
			    (uint8_t)(random_below(&seed, 3) ? 'a' + random_below(&seed, 6) : 0);
		const struct syst_args own = {.at = args, .length = sizeof args};
		syst_printf(&text, format, strlen(format), &own, NULL);
		if (text.length) {
			size_t from = random_below(&seed, text.length), length = text.length - from;
			length = 1 + random_below(&seed, length < 12 ? length : 12);
			memcpy(needle, text_get(&text) + from, length);
		}
		if (*needle && lacks(needle, false, format, args, sizeof args))
			fail_msg("%s: %s in %s", format, needle, text_get(&text));
		text_free(&text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand),
					   cmocka_unit_test(test_random)};
	return cmocka_run_group_tests_name("pieces", tests, NULL, NULL);
}
