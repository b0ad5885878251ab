/*
 * What captures are taken for: bytes that are no trace by no format, ours by the right
 * one; and how they are read otherwise.
 */
#include "config.h"

#include "test.h"

#include "decode/registry.h"
#include "folder.h"
#include "random.h"
#include "session/session.h"
#include "trace/recognise.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is no trace -------------------------------------------------- */

enum { NOISE = 32 * 1024, KINDS_OF_NOISE = 6, ROUNDS = 40 };

static size_t
add_zeros(uint8_t *bytes, size_t at, size_t count)
{
	count = at + count > NOISE ? NOISE - at : count;
	memset(bytes + at, 0, count);
	return at + count;
}

static size_t
add_noise(uint8_t *bytes, size_t at, size_t count, uint64_t *seed, unsigned mask)
{
	for (; count-- && at < NOISE; at++)
		bytes[at] = (uint8_t)(random_next(seed) & mask);
	return at;
}

/* Bytes as other files have them: noise; code and data with zeros between, short, long
 * and of one length; tables of small numbers, of addresses; words of one bit. */
static void
make_noise(uint8_t *bytes, int kind, uint64_t *seed)
{
	size_t at = 0, size = 8 << random_below(seed, 4);
	while (at < NOISE) {
		switch (kind) {
		case 0:
			at = add_noise(bytes, at, NOISE, seed, 0xff);
			break;
		case 1:
			at = add_noise(bytes, at, 1 + random_below(seed, 400), seed, 0xff);
			at = add_zeros(bytes, at, 1 + random_below(seed, 80));
			break;
		case 2:
			at = add_noise(bytes, at, 1 + random_below(seed, 3000), seed, 0xff);
			at = add_zeros(bytes, at, 32 + random_below(seed, 3000));
			break;
		case 3:
			at = add_noise(bytes, at, size, seed, 0x1f);
			at = add_zeros(bytes, at, 4 * size - 1);
			break;
		case 4:
			at = add_noise(bytes, at, 2, seed, 0xff);
			at = add_zeros(bytes, at, random_below(seed, 16) ? 6 : 46);
			break;
		default:
			at = add_noise(bytes, at, 1, seed, 1);
			at = add_zeros(bytes, at, random_below(seed, 64));
			break;
		}
	}
}

static void
test_noise(void **state)
{
	(void)state;
	uint64_t seed = 11;
	uint8_t *bytes = mem_new(NOISE);
	for (int round = 0; round < ROUNDS * KINDS_OF_NOISE; round++) {
		make_noise(bytes, round % KINDS_OF_NOISE, &seed);
		struct window head = {
		    .bytes = bytes, .length = NOISE, .until = UINT64_MAX, .last = round % 2};
		struct recognition r = {0};
		recognition_find(&r, &head, NULL);
		for (size_t i = 0; i < r.candidates.count; i++)
			if (r.candidates.at[i].probe.score >= PROBE_DECODE)
				fail_msg("noise %d of kind %d is %s: %d %%, %s", round,
					 round % KINDS_OF_NOISE,
					 decoder_name(r.candidates.at[i].ops),
					 r.candidates.at[i].probe.score,
					 r.candidates.at[i].probe.reason);
		for (size_t i = 1; i < r.candidates.count; i++)
			assert_true(r.candidates.at[i - 1].probe.score >=
				    r.candidates.at[i].probe.score);
		recognition_free(&r);
	}
	free(bytes);
}

/* --- captures ---------------------------------------------------------- */

/* What testdata/NAME is without a profile; NULL: nothing says it. */
static const struct {
	const char *name, *format;
	bool certain;
	const char *settings;
} captures[] = {
    {"all-csel.csel", "csel", true, ""},
    {"damaged-csel.csel", "csel", true, ""},
    {"all-gem.bin", "gem", false, "record_size: 4, word_offset: 0, endian: little"},
    {"lab-dsp.gem", "gem", false,
     "record_size: 12, word_offset: 0, endian: little, timestamp_offset: 4, timestamp_width: 8"},
    {"all-gem.uia.bin", "uia", true, ""},
    {"lab-dsp.uia", "uia", true, ""},
    {"damaged-uia.bin", "uia", false, ""},
    {"all-hex.txt", "syst/hex", true, ""},
    {"damaged-hex.txt", "syst/hex", true, ""},
    {"all-lsn.stp", "syst/stp", true, ""},
    {"all-msn.stp", "syst/stp", true, ""},
    {"damaged-stp.stp", "syst/stp", true, ""},
    {"demo.stp", "syst/stp", true, ""},
    {"all-raw.bin", "syst/raw", true, ""},
    {"damaged-raw.bin", "syst/raw", true, ""},
    {"len32.bin", "syst/raw", false, ""},
    {"short.bin", "syst/raw", true, ""},
    {"log-dmesg.txt", "text", true, "preset: dmesg"},
    {"log-dmesg-wall.txt", "text", true, "preset: dmesg-wall"},
    {"log-syslog.txt", "text", true, "preset: syslog"},
    {"log-rfc5424.txt", "text", true, "preset: rfc5424"},
    {"log-zephyr.txt", "text", true, "preset: zephyr"},
    {"log-logcat.txt", "text", true, "preset: logcat"},
    {"log-iso8601.txt", "text", true, "preset: iso8601"},
};

static void
copy_capture(struct folder *folder, const char *name)
{
	const char *srcdir = getenv("srcdir");
	struct text path = {0};
	static char bytes[64 * 1024];
	text_addf(&path, "%s/testdata/%s", srcdir ? srcdir : ".", name);
	FILE *file = fopen(text_get(&path), "rb");
	assert_non_null(file);
	size_t length = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	folder_put(folder, name, bytes, length);
	text_free(&path);
}

static void
test_captures(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof captures / sizeof *captures; i++) {
		struct folder folder;
		struct session session = {0};
		struct err err = {0};
		folder_make(&folder);
		copy_capture(&folder, captures[i].name);
		option_defaults(profile_options_table(), &session.profile);
		struct trace *trace =
		    session_open(&session, folder.files.at[0], NULL, NULL, 0, &err);
		assert_non_null(trace);
		const struct recognition *r = trace_recognition(trace);
		assert_string_equal(decoder_name(trace_decoder(trace)->ops), captures[i].format);
		assert_int_equal(trace_guess(trace) == 0, captures[i].certain);
		assert_string_equal(text_get(&r->settings), captures[i].settings);
		struct text said = {0};
		assert_int_equal(trace_explain_guess(trace, &said), !captures[i].certain);
		text_free(&said);
		session_close(&session);
		folder_remove(&folder);
	}
}

/* Nothing is decoded, then as somebody says, with settings, then nothing again. */
static void
test_trial(void **state)
{
	(void)state;
	struct folder folder;
	struct session session = {0};
	struct err err = {0};
	uint8_t bytes[96];
	bool exact;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * 37 + 11);
	folder_make(&folder);
	folder_put(&folder, "x", bytes, sizeof bytes);
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, folder.files.at[0], NULL, NULL, 0, &err);
	assert_non_null(trace);
	session_link(&session);
	assert_false(trace_is_decoded(trace));
	assert_int_equal(trace_guess(trace), 0);
	trace_build(trace);
	assert_int_equal(trace_count(trace, &exact), 0);

	assert_int_equal(session_try(&session, trace, "gem",
				     "record_size: 12, word_offset: 8, endian: big", &err),
			 0);
	assert_true(trace_is_decoded(trace) && trace_on_trial(trace));
	trace_build(trace);
	assert_int_equal(trace_count(trace, &exact), sizeof bytes / 12);

	/* a format that cannot be opened leaves it as it is */
	assert_true(session_try(&session, trace, "gem", "word_offset: 9", &err) < 0);
	assert_true(trace_on_trial(trace));
	assert_int_equal(trace_count(trace, &exact), sizeof bytes / 12);

	err = (struct err){0};
	assert_int_equal(session_try(&session, trace, NULL, NULL, &err), 0);
	assert_false(trace_is_decoded(trace) || trace_on_trial(trace));
	session_close(&session);
	folder_remove(&folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_noise),
	    cmocka_unit_test(test_captures),
	    cmocka_unit_test(test_trial),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
