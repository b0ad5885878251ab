/* The bottom layer: numbers out of bytes, strings, terminal safety, options,
 * regular expressions. */
#include "config.h"

#include "test.h"

#include "base/arena.h"
#include "base/byte_map.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/option.h"
#include "base/rank.h"
#include "base/regex.h"
#include "base/text.h"
#include "base/vec.h"

#include "hostile.h"
#include "random.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void
test_bits(void **state)
{
	(void)state;
	static const uint8_t p[] = {0x81, 0x32, 0x04, 0xff};
	assert_int_equal(bytes_bits(p, 4, 0, 8), 0x81);
	assert_int_equal(bytes_bits(p, 4, 4, 8), 0x28);
	assert_int_equal(bytes_bits(p, 4, 7, 3), 5);
	assert_int_equal(bytes_bits(p, 4, 0, 32), 0xff043281);
	assert_int_equal(bytes_bits(p, 4, 28, 64), 0xf); /* past the end reads zero */
	assert_int_equal(bytes_le(p, 3), 0x043281);
	assert_int_equal(bytes_be32(p), 0x813204ff);
	assert_int_equal(bytes_nibble(p, 0), 1);
	assert_int_equal(bytes_nibble(p, 1), 8);
}

/* RFC 3720 appendix B.4. */
static void
test_crc(void **state)
{
	(void)state;
	uint8_t bytes[32];
	memset(bytes, 0, 32);
	assert_int_equal(bytes_crc32c(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, 32);
	assert_int_equal(bytes_crc32c(0, bytes, 32), 0x62a8ab43);
	for (uint8_t i = 0; i < 32; i++)
		bytes[i] = i;
	assert_int_equal(bytes_crc32c(0, bytes, 32), 0x46dd794e);
	assert_int_equal(bytes_crc32c_portable(0, bytes, 32), 0x46dd794e);
	for (size_t cut = 0; cut <= 32; cut++)
		assert_int_equal(bytes_crc32c(bytes_crc32c(0, bytes, cut), bytes + cut, 32 - cut),
				 0x46dd794e);
}

static void
test_zero_run(void **state)
{
	(void)state;
	uint8_t bytes[40] = {0};
	for (size_t i = 0; i < 40; i++) {
		bytes[i] = 1;
		assert_int_equal(bytes_zero_run(bytes, 40), i);
		bytes[i] = 0;
	}
	assert_int_equal(bytes_zero_run(bytes, 40), 40);
	assert_int_equal(bytes_zero_run(bytes, 0), 0);
}

static void
check_safe(const char *bytes, size_t length, enum text_charset charset, const char *expected)
{
	struct text out = {0};
	text_add_safe(&out, bytes, length, charset);
	assert_string_equal(text_get(&out), expected);
	text_free(&out);
}

static void
test_safe(void **state)
{
	(void)state;
	static const struct {
		const char *bytes, *utf8, *ascii;
	} rows[] = {
	    {"plain ~ text", "plain ~ text", "plain ~ text"},
	    {"a\tb\nc\r", "a\\tb\\nc\\r", "a\\tb\\nc\\r"},
	    {"\x1b[2J", "\\x1b[2J", "\\x1b[2J"},
	    {"\x1b]52;c;AAAA\x07", "\\x1b]52;c;AAAA\\x07", "\\x1b]52;c;AAAA\\x07"},
	    {"\x7f", "\\x7f", "\\x7f"},
	    {"\xc2\x9b"
	     "31m",
	     "\\x9b31m", "\\x9b31m"}, /* C1 CSI */
	    {"\x9b"
	     "31m",
	     "\\x9b31m", "\\x9b31m"}, /* the bare byte */
	    {"\xe2\x80\xae"
	     "abc",
	     "\\u{202e}abc", "\\u{202e}abc"},		/* RLO */
	    {"\xe2\x81\xa6", "\\u{2066}", "\\u{2066}"}, /* LRI */
	    {"\xe2\x80\xa8", "\\u{2028}", "\\u{2028}"}, /* line separator */
	    {"\xef\xbb\xbf", "\\u{feff}", "\\u{feff}"},
	    {"\xf3\xa0\x81\x81", "\\u{e0041}", "\\u{e0041}"},	    /* tag */
	    {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"}, /* surrogate */
	    {"\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf"},		    /* overlong */
	    {"\xe6\x97", "\\xe6\\x97", "\\xe6\\x97"},		    /* cut short */
	    {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9", "\\u{00e9}t\\u{00e9}"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_safe(rows[i].bytes, strlen(rows[i].bytes), TEXT_UTF8, rows[i].utf8);
		check_safe(rows[i].bytes, strlen(rows[i].bytes), TEXT_ASCII, rows[i].ascii);
	}
	check_safe("a\0b", 3, TEXT_UTF8, "a\\x00b");
}

/* No byte string at all gets a control through. */
static void
test_safe_all(void **state)
{
	(void)state;
	struct text out = {0};
	for (unsigned c = 0; c < 0x110000; c++) {
		char bytes[4] = {(char)(0xf0 | c >> 18), (char)(0x80 | (c >> 12 & 63)),
				 (char)(0x80 | (c >> 6 & 63)), (char)(0x80 | (c & 63))};
		text_clear(&out);
		text_add_safe(&out, bytes, 4, TEXT_UTF8);
		for (size_t i = 0; i < out.length; i++)
			assert_true((unsigned char)out.data[i] >= 0x20 && out.data[i] != 0x7f);
	}
	text_free(&out);
}

/* Any bytes, of those that matter more than others. */
static size_t
random_bytes(char *bytes, size_t size, uint64_t *seed)
{
	static const char *const pieces[] = {HOSTILE, "\xf0\x9d\x85\xb3", "\u65e5", "e\u0301",
					     "\u00e9"};
	size_t length = 0;
	while (length < size) {
		const char *piece = pieces[random_below(seed, sizeof pieces / sizeof *pieces)];
		if (random_below(seed, 3))
			bytes[length++] = (char)random_next(seed);
		else
			for (; *piece && length < size; piece++)
				bytes[length++] = *piece;
	}
	return length;
}

/* Safe text stays as it is, and a text has the width that it has when it is safe. */
static void
test_safe_again(void **state)
{
	(void)state;
	uint64_t seed = 5;
	struct text once = {0}, again = {0};
	for (int round = 0; round < 20000; round++) {
		enum text_charset charset = round & 1 ? TEXT_ASCII : TEXT_UTF8;
		char bytes[40];
		size_t length = random_bytes(bytes, random_below(&seed, sizeof bytes), &seed);
		int used, columns = (int)random_below(&seed, 30);
		text_clear(&once);
		text_clear(&again);
		text_add_safe(&once, bytes, length, charset);
		text_add_safe(&again, text_get(&once), once.length, charset);
		assert_string_equal(text_get(&again), text_get(&once));
		assert_null(hostile_find(text_get(&once), once.length, ""));
		int width = text_columns(bytes, length, charset);
		assert_int_equal(width, text_columns(text_get(&once), once.length, charset));
		/* what fits is a prefix whose safe form is one, too */
		size_t fits = text_fit(bytes, length, charset, columns, &used);
		text_clear(&again);
		text_add_safe(&again, bytes, fits, charset);
		assert_memory_equal(text_get(&again), text_get(&once), again.length);
		assert_int_equal(used, text_columns(text_get(&again), again.length, charset));
		assert_true(used <= columns && (fits == length || used + 10 > columns));
	}
	text_free(&once);
	text_free(&again);
}

static void
test_safe_lines(void **state)
{
	(void)state;
	static const char lines[] = "a\tb\n\033[2J\r\n\nc\0d";
	struct text out = {0};
	text_add_safe_lines(&out, lines, sizeof lines - 1, TEXT_UTF8);
	assert_string_equal(text_get(&out), "a\tb\n\\x1b[2J\\r\n\nc\\x00d");
	text_clear(&out);
	text_add_safe_lines(&out, "\u00e9\n", 3, TEXT_ASCII);
	assert_string_equal(text_get(&out), "\\u{00e9}\n");
	text_free(&out);
}

static void
test_columns(void **state)
{
	(void)state;
	int used;
	assert_int_equal(text_columns("abc", 3, TEXT_UTF8), 3);
	assert_int_equal(text_columns("\xe6\x97\xa5\xe6\x9c\xac", 6, TEXT_UTF8), 4);
	assert_int_equal(text_fit("\xe6\x97\xa5\xe6\x9c\xac", 6, TEXT_UTF8, 3, &used), 3);
	assert_int_equal(used, 2);
	assert_int_equal(text_columns("e\xcc\x81", 3, TEXT_UTF8), 1);
	assert_int_equal(text_columns("\xc3\xa9", 2, TEXT_ASCII), 8);
	assert_int_equal(text_columns("a\033[m\n", 5, TEXT_UTF8), 9);
	assert_int_equal(text_fit("a\033b", 3, TEXT_UTF8, 4, &used), 1); /* no half an escape */
	assert_int_equal(used, 1);
	assert_int_equal(text_fit("a\033b", 3, TEXT_UTF8, 5, &used), 2);
	assert_int_equal(text_fit_words("one \033\033 two", 10, TEXT_UTF8, 9), 4);
}

static void
test_numbers(void **state)
{
	(void)state;
	char buffer[32];
	uint64_t value;
	assert_string_equal(text_number(buffer, 0), "0");
	assert_string_equal(text_number(buffer, 999), "999");
	assert_string_equal(text_number(buffer, 1048577), "1,048,577");
	assert_string_equal(text_number(buffer, UINT64_MAX), "18,446,744,073,709,551,615");
	assert_true(text_parse_uint("0x1F", 255, &value) && value == 31);
	assert_true(text_parse_uint("18446744073709551615", UINT64_MAX, &value));
	assert_false(text_parse_uint("18446744073709551616", UINT64_MAX, &value));
	assert_false(text_parse_uint("12abc", 255, &value));
	assert_false(text_parse_uint("", 255, &value));
	assert_false(text_parse_uint("0x", 255, &value));
	assert_false(text_parse_uint("-1", 255, &value));
	assert_false(text_parse_uint(" 1", 255, &value));
	assert_false(text_parse_uint("256", 255, &value));
	assert_true(text_parse_size("128M", UINT64_MAX, &value) && value == 128000000);
	assert_true(text_parse_size("7", 255, &value) && value == 7);
	assert_true(text_parse_size("3K", 3000, &value) && value == 3000);
	assert_true(text_parse_size("2T", INT64_MAX, &value) && value == 2000000000000);
	assert_false(text_parse_size("3K", 2999, &value));
	assert_false(text_parse_size("", 255, &value));
	assert_false(text_parse_size("K", UINT64_MAX, &value));
	assert_false(text_parse_size("1KB", UINT64_MAX, &value));
	assert_false(text_parse_size("1.5G", UINT64_MAX, &value));
}

static void
test_text(void **state)
{
	(void)state;
	struct text text = {0};
	assert_string_equal(text_get(&text), "");
	for (int i = 0; i < 1000; i++)
		text_addf(&text, "%d,", i % 10);
	assert_int_equal(text.length, 2000);
	text_cut(&text, 4);
	text_add_hex(&text, (const uint8_t *)"\x00\xff\x1a", 3);
	assert_string_equal(text_get(&text), "0,1,00ff1a");
	text_clear(&text);
	text_add_int(&text, INT64_MIN);
	text_add_int(&text, 0);
	text_add_int(&text, INT64_MAX);
	assert_string_equal(text_get(&text), "-922337203685477580809223372036854775807");
	text_free(&text);
}

/* Every form must come out as the C library would make it. */
static void __attribute__((format(printf, 1, 2))) check_format(const char *format, ...)
{
	char expected[600];
	struct text text = {0};
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	vsnprintf(expected, sizeof expected, format, args);
	text_addv(&text, format, again);
	va_end(again);
	va_end(args);
	assert_string_equal(text_get(&text), expected);
	assert_int_equal(text.length, strlen(expected));
	text_free(&text);
}

static void
test_format(void **state)
{
	(void)state;
	check_format("plain");
	check_format("%s|%c|%%", "text", 'x');
	check_format("%d %d %u", -1, 2147483647, 4294967295u);
	check_format("%lld %lld", -9223372036854775807LL - 1, 9223372036854775807LL);
	check_format("%llu %lu %zu", 18446744073709551615ull, 7ul, (size_t)9);
	check_format("%08X %0*llx %x", 0xbeefu, 12, 0x123456789abcull, 0u);
	check_format("%5d|%05d|%20llu|%10lld.%09lld", -42, -42, 5ull, -3ll, 7ll);
	check_format("%-5d|%+d|% d|%.3s|%5s|%-5s|%3c", 1, 2, 3, "abcdef", "ab", "cd", 'z');
	check_format("%g %.17g %#x %hhx %p", 1.5, 0.1, 255u, (unsigned char)0x1f, (void *)0);
	check_format("%*d|%-*d|%.*s", 5, 1, 5, 2, 2, "abc");
	check_format("%500d", 1);
}

static void
check_digits(struct text *text, uint64_t value)
{
	char expected[32];
	snprintf(expected, sizeof expected, "%llu", (unsigned long long)value);
	text_clear(text);
	text_add_uint(text, value);
	assert_string_equal(text_get(text), expected);
}

static void
test_digits(void **state)
{
	(void)state;
	struct text text = {0};
	for (uint64_t power = 1, more = 1; more; power *= 10, more = power <= UINT64_MAX / 10) {
		for (uint64_t value = power - 1; value <= power + 1; value++) {
			check_digits(&text, value);
			check_format("%llu|%x", (unsigned long long)value, (unsigned)value);
		}
	}
	/* all groups of four digits in all places */
	for (uint64_t scale = 1; scale <= 1000000000000; scale *= 10000)
		for (uint64_t group = 0; group < 10000; group++)
			check_digits(&text, group * scale + scale / 7);
	for (unsigned group = 0; group < 10000; group++) {
		char put[32], expected[32];
		*text_put_four(put, group) = '\0';
		snprintf(expected, sizeof expected, "%04u", group);
		assert_string_equal(put, expected);
	}
	text_clear(&text);
	text_add_uint(&text, UINT64_MAX);
	assert_string_equal(text_get(&text), "18446744073709551615");
	text_free(&text);
}

/* All nibbles in all places, with every number of digits; and runs of every length. */
static void
test_hexadecimal(void **state)
{
	(void)state;
	enum { BYTES = 256 };
	uint8_t bytes[BYTES];
	char expected[2 * BYTES + 1] = "";
	struct text text = {0};
	for (unsigned i = 0; i < 16 * 16 * 21; i++) {
		uint64_t value = (uint64_t)(i % 16) << 4 * (i / 16 % 16);
		unsigned digits = i / 256;
		snprintf(expected, sizeof expected, "%0*llx", (int)digits,
			 (unsigned long long)value);
		text_clear(&text);
		text_add_hex_digits(&text, value, digits);
		assert_string_equal(text_get(&text), expected);
	}
	expected[0] = '\0';
	for (size_t i = 0; i < BYTES; i++) {
		bytes[i] = (uint8_t)(i * 37);
		snprintf(expected + 2 * i, 3, "%02x", bytes[i]);
		text_clear(&text);
		text_add_hex(&text, bytes, i + 1);
		assert_string_equal(text_get(&text), expected);
	}
	text_free(&text);
}

static void
test_byte_map(void **state)
{
	enum { KEYS = 3000, LONGEST = 40 };
	static char keys[KEYS][LONGEST];
	static size_t lengths[KEYS];
	uint64_t expected[KEYS] = {0}, seed = 5;
	struct byte_map map = {0};
	size_t different = 0;
	(void)state;
	for (size_t i = 0; i < KEYS; i++) {
		lengths[i] = random_below(&seed, LONGEST);
		for (size_t k = 0; k < lengths[i]; k++)
			keys[i][k] = (char)random_below(&seed, random_below(&seed, 3) ? 2 : 256);
	}
	for (unsigned turn = 1; turn < 4 * KEYS; turn++) {
		size_t key = random_below(&seed, KEYS), first = 0;
		while (lengths[first] != lengths[key] ||
		       memcmp(keys[first], keys[key], lengths[key]) != 0)
			first++;
		/* a hash of few values: keys of one hash are told apart */
		uint64_t hash = byte_map_hash(keys[key], lengths[key]) & 63;
		byte_map_near(&map, hash);
		byte_map_nearer(&map, hash);
		struct byte_map_entry *entry = byte_map_add(&map, hash, keys[key], lengths[key]);
		assert_int_equal(entry->value, expected[first]);
		assert_int_equal(entry->length, lengths[key]);
		assert_memory_equal(entry->bytes, keys[key], lengths[key]);
		different += !expected[first];
		entry->value = expected[first] = turn;
		assert_int_equal(map.count, different);
	}
	struct byte_map_entry *kept = byte_map_add(&map, 1, "kept", 4);
	size_t size = byte_map_size(&map);
	byte_map_end(&map); /* without slots, entries remain */
	assert_true(byte_map_size(&map) < size);
	assert_memory_equal(kept->bytes, "kept", 4);
	byte_map_clear(&map);
	assert_int_equal(map.count, 0);
	assert_int_equal(byte_map_add(&map, 1, keys[0], lengths[0])->value, 0);
	byte_map_free(&map);
}

static void
test_arena(void **state)
{
	(void)state;
	struct arena arena = {0};
	for (int round = 0; round < 3; round++) {
		char *first = arena_format(&arena, "%d", 42);
		for (size_t i = 1; i < 5000; i += 37)
			memset(arena_alloc(&arena, i), 0xee, i);
		assert_string_equal(first, "42");
		char *large = arena_format(&arena, "%1000d", 7);
		assert_int_equal(strlen(large), 1000);
		arena_reset(&arena);
	}
	arena_free(&arena);
}

struct thing {
	bool flag;
	uint64_t count;
	int64_t level;
	char *name;
	int choice;
};

static const char *const colours[] = {"red", "green", NULL};
static const struct option_row thing_rows[] = {
    {.name = "flag",
     .type = OPTION_BOOL,
     .member = offsetof(struct thing, flag),
     .default_text = "yes"},
    {.name = "count", .type = OPTION_UINT, .member = offsetof(struct thing, count), .max = 16},
    {.name = "level",
     .type = OPTION_INT,
     .member = offsetof(struct thing, level),
     .min = -1,
     .max = 7,
     .default_text = "-1"},
    {.name = "name", .type = OPTION_TEXT, .member = offsetof(struct thing, name)},
    {.name = "choice",
     .type = OPTION_CHOICE,
     .member = offsetof(struct thing, choice),
     .choices = colours},
};
static const struct option_table thing_table = OPTION_TABLE("thing", struct thing, thing_rows);

static void
test_option(void **state)
{
	(void)state;
	struct thing thing;
	char why[256];
	option_defaults(&thing_table, &thing);
	assert_true(thing.flag);
	assert_int_equal(thing.level, -1);
	assert_null(option_set(&thing_rows[1], &thing, "0x10", why));
	assert_int_equal(thing.count, 16);
	assert_string_equal(option_set(&thing_rows[1], &thing, "17", why), "a number from 0 to 16");
	assert_string_equal(option_set(&thing_rows[2], &thing, "-2", why),
			    "a whole number from -1 to 7");
	assert_null(option_set(&thing_rows[4], &thing, "green", why));
	assert_int_equal(thing.choice, 1);
	assert_string_equal(option_set(&thing_rows[4], &thing, "blue", why), "one of red green");
	assert_null(option_set(&thing_rows[3], &thing, "x", why));
	assert_null(option_set(&thing_rows[3], &thing, "y", why));
	assert_string_equal(thing.name, "y");
	assert_string_equal(option_nearest(&thing_table, "cuont"), "count");
	assert_null(option_nearest(&thing_table, "zzzzzz"));
	option_release(&thing_table, &thing);
}

/* Deep recursion has the stack it needs; what is given up is counted. */
static void
test_regex_limits(void **state)
{
	(void)state;
	static char text[40001];
	struct err err;
	size_t start, end;
	uint64_t before = regex_given_up();
	struct regex *re = regex_new("^(a|aa)+b$", 0, &err);
	memset(text, 'a', sizeof text);
	for (size_t length = 1901; length < 40001; length *= 2) {
		text[length - 1] = 'b';
		assert_true(regex_find(re, text, length, 0, &start, &end));
		assert_int_equal(end, length);
		text[length - 1] = 'a';
	}
	assert_int_equal(regex_given_up(), before);
	memcpy(text + 1899, "cb", 2); /* the ways to divide what is before are endless */
	assert_false(regex_find(re, text, 1901, 0, &start, &end));
	assert_int_equal(regex_given_up(), before + 1);
	regex_free(re);
}

static void
test_regex(void **state)
{
	(void)state;
	struct err err = {0};
	size_t start, end;
	struct regex *re = regex_new("time(out|d)", REGEX_SMART_CASE, &err);
	assert_true(regex_find(re, "mbox TIMEOUT now", 16, 0, &start, &end));
	assert_int_equal(start, 5);
	assert_int_equal(end, 12);
	assert_false(regex_find(re, "mbox TIMEOUT now", 16, 6, &start, &end));
	struct regex *other = regex_share(re);
	regex_free(re);
	assert_true(regex_find(other, "timed", 5, 0, &start, &end)); /* which outlives it */
	regex_free(other);
	re = regex_new("Time", REGEX_SMART_CASE, &err);
	assert_false(regex_find(re, "time", 4, 0, &start, &end));
	regex_free(re);
	assert_null(regex_new("a(b", 0, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.what, "character 4"));
	/* a pattern made to take for ever meets a limit instead */
	uint64_t given_up = regex_given_up();
	re = regex_new("(*NO_JIT)^(a+)+$", 0, &err);
	char many[64];
	memset(many, 'a', sizeof many);
	many[63] = 'b';
	assert_false(regex_find(re, many, sizeof many, 0, &start, &end));
	assert_int_equal(regex_given_up(), given_up + 1);
	regex_free(re);
	/* sooner in a short text (2^17 ways here) than in a long one, which needs more */
	static char long_text[30018];
	memset(long_text, '.', 30000);
	memset(long_text + 30000, 'a', 17);
	long_text[30017] = 'b';
	re = regex_new("(*NO_JIT)^\\.*(a+)+$", 0, &err);
	assert_false(regex_fits(re, long_text, sizeof long_text));
	assert_int_equal(regex_given_up(), given_up + 1);
	assert_false(regex_fits(re, long_text + 30000, 18));
	assert_int_equal(regex_given_up(), given_up + 2);
	regex_free(re);
}

/* Who shares a pattern gets what another freed; not one with room for fewer groups. */
static void
test_regex_shares(void **state)
{
	(void)state;
	struct err err;
	const size_t *spans;
	struct regex *re = regex_new("(b+)", 0, &err), *one, *two;
	one = regex_share(re);
	assert_true(regex_fits(one, "b", 1));
	regex_free(one);
	regex_keep_groups(re, 2);
	one = regex_share(re);
	two = regex_share(re);
	assert_ptr_not_equal(one, two);
	spans = regex_find_groups(one, "abbc", 4);
	assert_non_null(spans);
	assert_int_equal(spans[2], 1);
	assert_int_equal(spans[3], 3);
	regex_free(one);
	regex_free(re);
	one = regex_share(two);
	spans = regex_find_groups(one, "aab", 3);
	assert_non_null(spans);
	assert_int_equal(spans[2], 2);
	spans = regex_find_groups(two, "b", 1);
	assert_non_null(spans);
	assert_int_equal(spans[3], 1);
	regex_free(one);
	regex_free(two);
}

static void
test_err(void **state)
{
	(void)state;
	struct err err = {0};
	assert_int_equal(err_set(&err, ERR_IO, "no %s", "file"), ERR_IO);
	assert_int_equal(err_cause(&err, "opening"), ERR_IO);
	assert_string_equal(err.what, "opening: no file");
	assert_int_equal(err_set(NULL, ERR_DATA, "x"), ERR_DATA);
}

static void
test_vec(void **state)
{
	(void)state;
	VEC(uint32_t) numbers = {0};
	for (uint32_t i = 0; i < 1000; i++)
		*vec_add(&numbers) = i;
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(numbers.at[i], i);
	vec_free(&numbers);
	assert_int_equal(numbers.count, 0);
}

static int
compare_unsigned(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Numbers of any sizes, few and many: as qsort sorts them. */
static void
test_rank_sort(void **state)
{
	(void)state;
	static const struct {
		size_t count;
		unsigned shift; /* of 64 random bits */
	} rows[] = {{0, 0},	{1, 0},	    {100, 0},	{511, 60},  {512, 63},	  {5000, 0},
		    {5000, 32}, {5000, 48}, {5000, 56}, {5001, 64}, {100000, 24}, {100000, 5}};
	uint64_t numbers[2 * 100000], seed = 5;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t *sorted = numbers + rows[i].count;
		for (size_t k = 0; k < rows[i].count; k++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			uint64_t random = seed ^ seed >> 31;
			numbers[k] = rows[i].shift < 64 ? random >> rows[i].shift : 7;
		}
		memcpy(sorted, numbers, rows[i].count * sizeof *sorted);
		qsort(sorted, rows[i].count, sizeof *sorted, compare_unsigned);
		rank_sort(numbers, rows[i].count);
		assert_memory_equal(numbers, sorted, rows[i].count * sizeof *sorted);
	}
}

static void
test_counts(void **state)
{
	(void)state;
	static const struct {
		uint64_t count;
		const char *text;
	} rows[] = {{0, "0"},	      {999, "999"},	{1000, "1.0k"},
		    {9949, "9.9k"},   {9950, "10k"},	{168202117, "168M"},
		    {999499, "999k"}, {999500, "1.0M"}, {UINT64_MAX, "18E"}};
	struct text text = {0};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		text_clear(&text);
		text_add_count(&text, rows[i].count);
		assert_string_equal(text_get(&text), rows[i].text);
	}
	text_free(&text);
}

/* --- out of memory ----------------------------------------------------- */

static void
say_act(void)
{
	assert_int_equal(write(STDERR_FILENO, "act, ", 5), 5);
}

static void *
want_too_much(void *context)
{
	VEC(uint64_t) v = {0};
	(void)context;
	vec_reserve(&v, SIZE_MAX / 4);
	return NULL;
}

/* However many threads find that memory is out: what is registered runs once, and one
 * sentence is said behind it. */
static void
test_out_of_memory(void **state)
{
	(void)state;
	int ends[2], status;
	char said[512];
	size_t length = 0;
	ssize_t n;
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (!child) {
		pthread_t threads[4];
		dup2(ends[1], STDERR_FILENO);
		mem_before_end(say_act);
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, want_too_much, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		_exit(0);
	}
	close(ends[1]);
	while ((n = read(ends[0], said + length, sizeof said - 1 - length)) > 0)
		length += (size_t)n;
	said[length] = '\0';
	waitpid(child, &status, 0);
	close(ends[0]);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_string_equal(said, "act, trawl: out of memory; open fewer captures, or raise the "
				  "limit (ulimit -v)\n");
}

static void
test_unquote(void **state)
{
	static const struct {
		const char *quoted, *plain; /* NULL: not in quotes as a whole */
	} rows[] = {
	    {"\"a b\"", "a b"},
	    {"'a b'", "a b"},
	    {"\"a 'b'\"", "a 'b'"},
	    {"'it''s'", "it's"},
	    {"\"\\\"\\\\\"", "\"\\"},
	    {"\"\\d+\"", "\\d+"},
	    {"'\\d'", "\\d"},
	    {"\"\"", ""},
	    {"''", ""},
	    {"", NULL},
	    {"a b", NULL},
	    {"\"", NULL},
	    {"'", NULL},
	    {"\"a\" b", NULL},
	    {"\"a\" \"b\"", NULL},
	    {"\"a\\\"", NULL},
	    {"'a''", NULL},
	    {"\"a'", NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[32];
		snprintf(text, sizeof text, "%s", rows[i].quoted);
		assert_int_equal(text_unquote(text), rows[i].plain != NULL);
		assert_string_equal(text, rows[i].plain ? rows[i].plain : rows[i].quoted);
	}
}

int
main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_unquote),	 cmocka_unit_test(test_bits),
	    cmocka_unit_test(test_crc),		 cmocka_unit_test(test_out_of_memory),
	    cmocka_unit_test(test_zero_run),	 cmocka_unit_test(test_safe),
	    cmocka_unit_test(test_safe_all),	 cmocka_unit_test(test_safe_again),
	    cmocka_unit_test(test_safe_lines),	 cmocka_unit_test(test_columns),
	    cmocka_unit_test(test_numbers),	 cmocka_unit_test(test_text),
	    cmocka_unit_test(test_format),	 cmocka_unit_test(test_digits),
	    cmocka_unit_test(test_arena),	 cmocka_unit_test(test_hexadecimal),
	    cmocka_unit_test(test_byte_map),	 cmocka_unit_test(test_option),
	    cmocka_unit_test(test_regex),	 cmocka_unit_test(test_regex_shares),
	    cmocka_unit_test(test_regex_limits), cmocka_unit_test(test_err),
	    cmocka_unit_test(test_vec),		 cmocka_unit_test(test_rank_sort),
	    cmocka_unit_test(test_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
