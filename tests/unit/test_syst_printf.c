/*
 * SyS-T printf.  Wire sizes are those of the SyS-T library's argument packing;
 * texts are what a C compiler's printf makes of the same arguments.
 */
#include "config.h"

#include "test.h"

#include "decode/syst/syst_printf.h"
#include "hex.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct syst_printf_result
print(struct text *out, const char *format, const char *args, enum syst_packing packing, bool *cut)
{
	struct hex hex = hex_bytes(args);
	const struct syst_args wire = {
	    .at = hex.bytes.at, .length = hex.bytes.count, .packing = packing};
	text_clear(out);
	struct syst_printf_result result = syst_printf(out, format, strlen(format), &wire, NULL);
	*cut = result.cut;
	hex_free(&hex);
	return result;
}

static void
expect(const char *format, const char *args, enum syst_packing packing, const char *text)
{
	struct text out = {0};
	bool cut;
	assert_false(print(&out, format, args, packing, &cut).faulty);
	assert_string_equal(text_get(&out), text);
	assert_false(cut);
	text_free(&out);
}

static void
expect_both(const char *format, const char *args, const char *text)
{
	expect(format, args, SYST_P32, text);
	expect(format, args, SYST_P64, text);
}

static void
test_integers(void **state)
{
	(void)state;
	expect_both("%d %i", "FFFFFFFF 2A000000", "-1 42");
	expect_both("%u %o %x %X", "FFFFFFFF 08000000 EFBEADDE EFBEADDE",
		    "4294967295 10 deadbeef DEADBEEF");
	expect_both("%hhd %hhu %hd %hu", "FF010000 FF010000 00800100 00800100",
		    "-1 255 -32768 32768");
	expect_both("%lld %llx %jd", "FEFFFFFFFFFFFFFF EFCDAB8967452301 0100000000000000",
		    "-2 123456789abcdef 1");
	expect_both("[%5d|%-5d|%05d|%+d|% d|%#x|%.3d]",
		    "07000000 07000000 07000000 07000000 07000000 07000000 07000000",
		    "[    7|7    |00007|+7| 7|0x7|007]");
}

/* long, size_t, ptrdiff_t and pointers have the size of the sender's. */
static void
test_packing(void **state)
{
	static const char *const formats[] = {"%ld|%d", "%zd|%d", "%td|%d"};
	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		expect(formats[i], "FBFFFFFF 07000000", SYST_P32, "-5|7");
		expect(formats[i], "FBFFFFFFFFFFFFFF 07000000", SYST_P64, "-5|7");
	}
	expect("%lu %zx", "FFFFFFFF FFFFFFFF", SYST_P32, "4294967295 ffffffff");
	expect("%lu", "FFFFFFFFFFFFFFFF", SYST_P64, "18446744073709551615");
	expect("%p %p %d", "00100000 00000000 01000000", SYST_P32, "0x1000 (nil) 1");
	expect("%p %p %d", "0010000000000000 0000000000000000 01000000", SYST_P64,
	       "0x1000 (nil) 1");
	expect("a%nb %d", "11111111 09000000", SYST_P32, "ab 9");
	expect("a%nb %d", "1111111111111111 09000000", SYST_P64, "ab 9");
}

static void
test_text(void **state)
{
	(void)state;
	expect_both("%s=%d", "'count' 00 03000000", "count=3");
	expect_both("[%7s|%-7s|%.2s|%s]", "'abc'00 'abc'00 'abc'00 00", "[    abc|abc    |ab|]");
	expect_both("[%c%3c%-3c]", "41000000 42000000 43000000", "[A  BC  ]");
	expect_both("[%c]", "00000000", "[]");
	expect_both("[%3c]", "00000000", "[  ]");
	expect_both("%lc%lc", "AC200000 00F60100", "\xe2\x82\xac\xf0\x9f\x98\x80");
	expect_both("100%% %%%% 5%%", "", "100% %% 5%");
	expect_both("plain", "01020304", "plain");
	expect_both("", "", "");
}

static void
test_numbers(void **state)
{
	(void)state;
	expect_both("%f %.2F", "000000000000F83F 000000000000F83F", "1.500000 1.50");
	expect_both("%e %G", "000000000000F83F 000000000000F83F", "1.500000e+00 1.5");
	expect_both("%a", "000000000000F83F", "0x1.8p+0");
	expect_both("[%10.3f|%-10.1Lf]", "0000000000000440 0000000000000440",
		    "[     2.500|2.5       ]");
	expect_both("%f %f", "000000000000F07F 000000000000F87F", "inf nan");
}

/* Width and precision as arguments stand before their value. */
static void
test_stars(void **state)
{
	(void)state;
	expect_both("[%*.*d]", "08000000 04000000 2A000000", "[    0042]");
	expect_both("[%*d]", "FBFFFFFF 2A000000", "[42   ]");
	expect_both("[%.*d]", "FFFFFFFF 2A000000", "[42]");
	expect_both("[%-*s|%d]", "05000000 'ab'00 01000000", "[ab   |1]");
}

/* In mipi_syst_api.c of the library only l, ll, j, z and t make an integer longer
 * than int: L is for long double alone. */
static void
test_long_integers(void **state)
{
	(void)state;
	expect_both("%Ld %Li|%Lu|%Lx|%d", "FFFFFFFF FEFFFFFF FDFFFFFF EFBEADDE 07000000",
		    "-1 -2|4294967293|deadbeef|7");
}

/* What is wrong is said in the reference printer's words; what could be made
 * before stays, where the printer drops some of it. */
static void
expect_fault(const char *format, const char *args, bool nul_behind, const char *text,
	     const char *printer)
{
	struct hex hex = hex_bytes(args);
	struct text out = {0};
	const struct syst_args wire = {
	    .at = hex.bytes.at, .length = hex.bytes.count, .nul_behind = nul_behind};
	assert_true(syst_printf(&out, format, strlen(format), &wire, NULL).faulty);
	assert_string_equal(text_get(&out), text);
	text_clear(&out);
	syst_printf_strictly(&out, format, strlen(format), &wire);
	assert_string_equal(text_get(&out), printer);
	text_free(&out);
	hex_free(&hex);
}

static void
test_faults(void **state)
{
	static const char *const invalid[] = {"%y", "%", "%1$d", "%'d", "%5%", "%-", "%l"};
	(void)state;
	for (size_t i = 0; i < COUNT(invalid); i++) {
		char text[80];
		snprintf(text, sizeof text, "invalid format string '%s'", invalid[i]);
		expect_fault(invalid[i], "0100000002000000", false, text, text);
	}
	expect_fault("v=%d %y", "03000000", false, "v=3  - invalid format string 'v=%d %y'",
		     "invalid format string 'v=%d %y'");
	expect_fault("v=%d %d %y", "03000000", false,
		     "v=3 - insufficient argument bytes for format 'v=%d %d %y'",
		     "invalid format string 'v=%d %d %y'");
	expect_fault("v=%d %d", "03000000", false,
		     "v=3 - insufficient argument bytes for format 'v=%d %d'",
		     "v=3 - insufficient argument bytes for format 'v=%d %d'");
	expect_fault("%*d", "0300", false, "- insufficient argument bytes for format '%*d'",
		     "- insufficient argument bytes for format '%*d'");
	expect_fault("%d", "", false, "- insufficient argument bytes for format '%d'",
		     "- insufficient argument bytes for format '%d'");
	expect_fault("str %s", "'abc'", false,
		     "str abc - corrupt printf payload, missing argument string termination",
		     " - corrupt printf payload, missing argument string termination");
	expect_fault("s %4s", "'ab'", true,
		     "s   ab- insufficient argument bytes for format 's %4s'",
		     "s   ab- insufficient argument bytes for format 's %4s'");
}

/* A few bytes must not make gigabytes. */
static void
test_limits(void **state)
{
	struct text out = {0}, many = {0};
	bool cut;
	(void)state;
	print(&out, "%1000000000d", "01000000", SYST_P32, &cut);
	assert_true(cut);
	assert_int_equal(out.length, SYST_PRINTF_WIDTH_MAX);
	print(&out, "%*d", "FFFFFF7F 01000000", SYST_P32, &cut);
	assert_int_equal(out.length, SYST_PRINTF_WIDTH_MAX);
	print(&out, "%*d", "00000080 01000000", SYST_P32, &cut);
	assert_int_equal(out.length, SYST_PRINTF_WIDTH_MAX);
	print(&out, "%.99999999999999999999f", "000000000000F83F", SYST_P32, &cut);
	assert_true(cut);
	assert_in_range(out.length, SYST_PRINTF_WIDTH_MAX, SYST_PRINTF_WIDTH_MAX + 2);

	text_clear(&out);
	for (int i = 0; i < 1000; i++) {
		text_add(&many, "%65536d");
		text_add(&out, "01000000");
	}
	char *args = mem_text(out.data);
	print(&out, many.data, args, SYST_P32, &cut);
	assert_true(cut);
	assert_in_range(out.length, SYST_PRINTF_TEXT_MAX / 2,
			SYST_PRINTF_TEXT_MAX + 2 * SYST_PRINTF_WIDTH_MAX);
	vec_release(args);
	text_free(&out);
	text_free(&many);
}

struct seen {
	struct syst_arg args[8];
	size_t count;
};

static void
note_arg(void *context, const struct syst_arg *arg)
{
	struct seen *seen = context;
	assert_true(seen->count < COUNT(seen->args));
	seen->args[seen->count++] = *arg;
}

static void
test_sink(void **state)
{
	struct hex hex = hex_bytes("FEFFFFFF 'ab'00 000000000000F83F 0500000000000000 77");
	const struct syst_args args = {
	    .at = hex.bytes.at, .length = hex.bytes.count, .packing = SYST_P64};
	const char *format = "%d %-4s %f %lu";
	struct seen seen = {0};
	const struct syst_arg_sink sink = {&seen, note_arg};
	struct text out = {0};
	size_t size;
	(void)state;

	assert_int_equal(syst_printf(&out, format, strlen(format), &args, &sink).used, 23);
	assert_int_equal(seen.count, 4);
	assert_int_equal(seen.args[0].type, SYST_ARG_INT);
	assert_int_equal(seen.args[0].i, -2);
	assert_int_equal(seen.args[1].type, SYST_ARG_TEXT);
	assert_int_equal(seen.args[1].at, 4);
	assert_int_equal(seen.args[1].length, 3);
	assert_int_equal(seen.args[1].s.length, 2);
	assert_int_equal(seen.args[1].spec_length, 4);
	assert_memory_equal(seen.args[1].spec, "%-4s", 4);
	assert_int_equal(seen.args[2].type, SYST_ARG_NUMBER);
	assert_true(seen.args[2].d == 1.5);
	assert_int_equal(seen.args[3].type, SYST_ARG_UINT);
	assert_int_equal(seen.args[3].at, 15);
	assert_int_equal(seen.args[3].u, 5);

	assert_true(syst_printf_size(format, strlen(format), &args, &size));
	assert_int_equal(size, 23);
	assert_false(syst_printf_size("%lld%lld%f%c", 12, &args, &size));
	assert_false(syst_printf_size("%y", 2, &args, &size));
	text_free(&out);
	hex_free(&hex);
}

/* Any format and arguments end, and stay in bounds (sanitizers tell). */
static void
test_noise(void **state)
{
	static const char letters[] = "%%%%%*.-+ #0159hljztLdiouxXcfFeEgGaApnsy";
	struct text out = {0};
	uint64_t seed = 7;
	(void)state;
	for (int round = 0; round < 20000; round++) {
		char format[24];
		uint8_t bytes[24];
		for (size_t i = 0; i < sizeof format; i++) {
			format[i] = letters[random_below(&seed, sizeof letters - 1)];
			bytes[i] = (uint8_t)(random_next(&seed) & (round % 2 ? 0x0f : 0xff));
		}
		size_t length = random_below(&seed, 16);
		uint8_t *copy = mem_new(length ? length : 1);
		memcpy(copy, bytes, length);
		struct syst_args args = {.at = copy, .length = length, .packing = round & 1};
		text_clear(&out);
		assert_in_range(syst_printf(&out, format, sizeof format, &args, NULL).used, 0,
				length);
		syst_printf_strictly(&out, format, sizeof format, &args);
		vec_release(copy);
	}
	text_free(&out);
}

static void
note_arg_again(void *context, const struct syst_arg *arg)
{
	struct seen *seen = context;
	const struct syst_arg *before = &seen->args[seen->count % COUNT(seen->args)];
	if (seen->count++ >= COUNT(seen->args))
		return;
	assert_int_equal(arg->type, before->type);
	assert_int_equal(arg->at, before->at);
	assert_int_equal(arg->length, before->length);
	assert_int_equal(arg->u, before->u);
	assert_ptr_equal(arg->spec, before->spec);
	assert_int_equal(arg->spec_length, before->spec_length);
	assert_int_equal(arg->width, before->width);
	assert_non_null(arg->name);
}

static void
note_first_args(void *context, const struct syst_arg *arg)
{
	struct seen *seen = context;
	if (seen->count < COUNT(seen->args))
		seen->args[seen->count] = *arg;
	seen->count++;
}

/* Whether a format that is taken apart gives the same as one that is not; it FITS or not. */
static void
check_apart(const char *format, const struct syst_args *args, const struct syst_args *apart,
	    bool *fits)
{
	struct text out = {0}, again = {0};
	struct seen seen = {0};
	const struct syst_arg_sink first = {&seen, note_first_args};
	const struct syst_arg_sink second = {&seen, note_arg_again};
	size_t length = strlen(format), count;
	struct syst_printf_result result = syst_printf(&out, format, length, args, &first);
	count = seen.count;
	seen.count = 0;
	struct syst_printf_result other = syst_printf(&again, format, length, apart, &second);
	assert_string_equal(text_get(&again), text_get(&out));
	assert_int_equal(seen.count, count);
	assert_int_equal(other.used, result.used);
	assert_int_equal(other.faulty, result.faulty);
	assert_int_equal(other.cut, result.cut);
	*fits = !result.faulty;
	text_free(&out);
	text_free(&again);
}

/* Formats that are taken apart give the same texts and arguments; and whether arguments fit is
 * what making the text finds. */
static void
test_apart(void **state)
{
	static const char *const pieces[] = {
	    "%d",  "%s",  "%s", "%*d", "%.*s", "%lld",	"%-*.*ld", "%p",
	    "%c",  "%f",  "%n", "%%",  "text", "%5s",	"%hhu",	   "%zu",
	    "%td", "%Lx", "%",	"%jd", "%lc",  "%.3e ", "%i",	   "%65535d",
	    "%a",  "%o",  "%u", "%LG", "%X",   " %% ",	"%70000d"};
	uint64_t seed = 77, fitting = 0;
	struct arena arena = {0};
	(void)state;
	for (int round = 0; round < 20000; round++) {
		char format[256] = "";
		uint8_t bytes[48];
		for (uint32_t i = random_below(&seed, round % 16 ? 6 : 24); i--;)
			strcat(format, pieces[random_below(&seed, COUNT(pieces))]);
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = (uint8_t)(random_below(&seed, 3) ? random_next(&seed) : 0);
		const struct syst_args args = {.at = bytes,
					       .length = random_below(&seed, sizeof bytes + 1),
					       .packing = round & 1,
					       .nul_behind = random_below(&seed, 2)};
		struct syst_args apart = args;
		bool fits;
		apart.apart = syst_format_new(&arena, format, strlen(format));
		assert_non_null(apart.apart);
		check_apart(format, &args, &apart, &fits);
		assert_int_equal(syst_printf_fits(format, strlen(format), &args), fits);
		assert_int_equal(syst_printf_fits(format, strlen(format), &apart), fits);
		fitting += fits;
		arena_reset(&arena);
	}
	assert_in_range(fitting, 2000, 18000);
	arena_free(&arena);
}

/* Names by the rules of argument.h: a word in front, each but once. */
static void
test_apart_names(void **state)
{
	static const char format[] = "seq %u of seq=%u, 100%% rail: %*d 0x%x (not %c) addr 0x%p";
	static const char *const names[] = {"seq", "", "", "rail", "", "", "addr"};
	const uint8_t bytes[32] = {0};
	struct arena arena = {0};
	struct text out = {0};
	struct seen seen = {0};
	(void)state;
	const struct syst_args args = {.at = bytes,
				       .length = sizeof bytes,
				       .apart = syst_format_new(&arena, format, strlen(format))};
	const struct syst_arg_sink sink = {&seen, note_first_args};
	assert_false(syst_printf(&out, format, strlen(format), &args, &sink).faulty);
	assert_int_equal(seen.count, COUNT(names));
	for (size_t i = 0; i < seen.count; i++)
		assert_string_equal(seen.args[i].name, names[i]);

	char many[3 * 80] = ""; /* too many to be kept */
	for (int i = 0; i < 79; i++)
		strcat(many, "%d ");
	assert_null(syst_format_new(&arena, many, strlen(many)));
	text_free(&out);
	arena_free(&arena);
}

/* A conversion of random flags, width and precision. */
static void
make_conversion(uint64_t *seed, const char *letters, const char *modifier, char format[static 32])
{
	static const char flags[] = "-+ #0";
	char *at = format;
	*at++ = '%';
	for (unsigned set = random_below(seed, 2) ? 0 : random_below(seed, 32), i = 0; i < 5; i++)
		if (set >> i & 1)
			*at++ = flags[i];
	if (random_below(seed, 2))
		at += sprintf(at, "%u", 1 + random_below(seed, 30));
	if (random_below(seed, 2))
		at += sprintf(at, ".%u", random_below(seed, 24));
	sprintf(at, "%s%c", modifier, letters[random_below(seed, strlen(letters))]);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* Numbers are what the C library makes of them, whatever the flags. */
static void
test_like_library(void **state)
{
	(void)state;
	uint64_t seed = 31;
	struct text out = {0};
	for (int round = 0; round < 200000; round++) {
		char format[32], right[512];
		bool whole = round % 2;
		uint64_t bits = random_next(&seed) >> random_below(&seed, 64);
		double value = (double)(int64_t)bits / 1e6;
		bits = random_below(&seed, 8) ? bits : 0;
		make_conversion(&seed, whole ? "diouxX" : "eEfFgGaA", whole ? "ll" : "", format);
		if (!whole && random_below(&seed, 2))
			memcpy(&value, &bits, sizeof value);
		if (whole)
			snprintf(right, sizeof right, format, (long long)bits);
		else
			snprintf(right, sizeof right, format, value);
		if (!whole)
			memcpy(&bits, &value, sizeof bits);
		const struct syst_args args = {.at = (const uint8_t *)&bits, .length = sizeof bits};
		text_clear(&out);
		assert_false(syst_printf(&out, format, strlen(format), &args, NULL).faulty);
		if (strlen(right) < sizeof right - 1) {
			assert_string_equal(text_get(&out), right);
			assert_int_equal(out.length, strlen(right));
		}
	}
	text_free(&out);
}

#pragma GCC diagnostic pop

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_integers),	  cmocka_unit_test(test_packing),
	    cmocka_unit_test(test_text),	  cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_stars),	  cmocka_unit_test(test_faults),
	    cmocka_unit_test(test_long_integers), cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_sink),	  cmocka_unit_test(test_noise),
	    cmocka_unit_test(test_like_library),  cmocka_unit_test(test_apart),
	    cmocka_unit_test(test_apart_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
