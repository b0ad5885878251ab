/*
 * Batch output in parts and by several threads: over every capture in testdata/, the
 * parts one after the other are the whole, byte for byte, however many there are, and
 * threads print what one alone does.  And output to a
 * terminal: whatever is in a capture, no format sends a control to it.
 */
#include "config.h"

#include "test.h"

#include "base/bytes.h"
#include "base/vec.h"
#include "config/profile.h"
#include "decode/registry.h"
#include "export/export.h"
#include "folder.h"
#include "toy.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

enum { PARTS_MAX = 16 };

/* Adds what a new session prints of a capture to OUT. */
static struct export_result
print(const char *path, const char *from, struct export_options options, struct text *out)
{
	struct session session = {0};
	struct text profile = {0};
	struct err err = {0};
	struct export_result result = {0};
	if (profile_find((const char *const[]){path}, 1, &profile))
		profile_load(text_get(&profile), &session.profile, &err);
	else
		option_defaults(profile_options_table(), &session.profile);
	assert_int_equal(err.code, 0);
	struct trace *trace = session_open(&session, path, from, NULL, 0, &err);
	assert_non_null(trace);
	trace_load(trace, &err);
	options.filter = filter_all();
	struct writer writer = {.file = memfd_create("test", 0), .is_direct = true};
	options.output = &writer;
	if (export_fits(options.format, trace))
		assert_int_equal(export_run(&session, &options, &result, &err), 0);

	off_t size = lseek(writer.file, 0, SEEK_END);
	char *bytes = mem_new((size_t)size + 1);
	assert_int_equal(pread(writer.file, bytes, (size_t)size, 0), size);
	text_add_bytes(out, bytes, (size_t)size);
	free(bytes);
	writer_abandon(&writer);
	text_free(&profile);
	session_close(&session);
	return result;
}

/* Several threads print what one does. */
static void
check_threads(const char *path, struct export_options options, const struct text *whole,
	      const struct export_result *all)
{
	struct text out = {0};
	options.threads = 3;
	struct export_result result = print(path, NULL, options, &out);
	if (out.length != whole->length ||
	    memcmp(text_get(&out), text_get(whole), whole->length) != 0)
		fail_msg("%s as %s by %u threads", path, options.format->name, options.threads);
	assert_int_equal(result.messages, all->messages);
	assert_int_equal(doubts_are_bad(&result.doubts), doubts_are_bad(&all->doubts));
	text_free(&out);
}

/* Into how many parts: how a message is put into one is no matter of the format, so one
 * is divided in all ways and the others in some. */
static bool
is_divided(const char *format, uint64_t parts)
{
	return !strcmp(format, "jsonl") || parts == 2 || parts == 3 || parts == 7;
}

static void
check(const char *path, const char *format)
{
	struct text whole = {0};
	struct export_options options = {.format = export_find(format), .threads = 1};
	struct export_result all = print(path, NULL, options, &whole);
	check_threads(path, options, &whole, &all);
	for (options.parts = 1; options.parts <= PARTS_MAX; options.parts++) {
		struct text joined = {0};
		uint64_t messages = 0;
		bool damaged = false;
		if (!is_divided(format, options.parts))
			continue;
		options.threads = options.parts == 3 ? 2 : 1;
		for (options.part = 1; options.part <= options.parts; options.part++) {
			struct export_result result = print(path, NULL, options, &joined);
			messages += result.messages;
			damaged |= doubts_are_bad(&result.doubts);
		}
		if (joined.length != whole.length ||
		    memcmp(text_get(&joined), text_get(&whole), whole.length) != 0)
			fail_msg("%s as %s in %d parts", path, format, (int)options.parts);
		assert_int_equal(messages, all.messages);
		assert_int_equal(damaged, doubts_are_bad(&all.doubts));
		text_free(&joined);
	}
	text_free(&whole);
}

static bool
is_capture(const char *name)
{
	static const char *const endings[] = {".bin", ".stp", ".txt", ".csel"};
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
		if (!strcmp(dot, endings[i]))
			return true;
	return false;
}

static void
check_all(const char *format)
{
	char folder[4096], path[8192];
	const char *srcdir = getenv("srcdir");
	unsigned count = 0;
	snprintf(folder, sizeof folder, "%s/testdata", srcdir ? srcdir : ".");
	DIR *dir = opendir(folder);
	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (!is_capture(entry->d_name))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		check(path, format);
		count++;
	}
	closedir(dir);
	assert_true(count > 20);
}

static void
test_text(void **state)
{
	(void)state;
	check_all("text");
}

static void
test_rows(void **state)
{
	(void)state;
	check_all("csv-systprint");
	check_all("ppl");
	check_all("none");
}

static void
test_csv(void **state)
{
	(void)state;
	check_all("csv");
}

static void
test_jsonl(void **state)
{
	(void)state;
	check_all("jsonl");
}

/* A message belongs to the part that its first byte is in. */
static void
test_place(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {
	    0x81, 0x67, 0x45, 0x23,			    /* SHORT32 at 0 */
	    0x81, 0x67, 0x45, 0x23,			    /* and at 4 */
	    0x81, 0x67, 0x45, 0x23, 0x81, 0x67, 0x45, 0x23, /* and at 8 and 12 */
	};
	char *path = toy_file(bytes, sizeof bytes);
	static const unsigned counts[][4] = {{2, 2}, {2, 1, 1}, {1, 1, 1, 1}};
	for (uint64_t parts = 2; parts <= 4; parts++) {
		for (uint64_t part = 1; part <= parts; part++) {
			struct text out = {0};
			struct export_options options = {.format = export_find("csv"),
							 .part = part,
							 .parts = parts,
							 .threads = 1};
			struct export_result result = print(path, "syst/raw", options, &out);
			assert_int_equal(result.messages, counts[parts - 2][part - 1]);
			assert_int_equal(part == 1, !strncmp(text_get(&out), "number,", 7));
			text_free(&out);
		}
	}
	unlink(path);
	free(path);
}

/* What is a number in JSON is no address and has at most thirteen digits. */
static void
test_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < decoder_count; i++) {
		for (size_t k = 0; k < decoders[i]->field_count; k++) {
			const struct field_row *row = &decoders[i]->fields[k];
			if (row->type != FIELD_HEX)
				continue;
			if (row->address || row->digits > 13 || strstr(row->help, "address"))
				fail_msg("%s.%s is FIELD_HEX", decoders[i]->format, row->name);
		}
	}
}

/* Whatever numbers follow each other, JSON lines have them. */
static void
test_near_numbers(void **state)
{
	(void)state;
	static const uint64_t ticks[] = {0,	1,     9999,	 10000,	     10001,
					 19999, 20000, 99,	 123456789,  123456790,
					 1000,	10000, 1u << 31, UINT64_MAX, UINT64_MAX - 9999};
	enum { COUNT = 800, LENGTH = 16, TICKS = sizeof ticks / sizeof *ticks };
	struct text bytes = {0}, out = {0};
	const struct export_options options = {.format = export_find("jsonl"), .threads = 1};
	for (size_t i = 0; i < COUNT; i++) { /* STRING:GENERIC with length and time */
		uint8_t frame[LENGTH] = {0x42, 0x0a, 0, 1, 2, 0};
		bytes_put_le64(frame + 6, ticks[i % TICKS]);
		frame[14] = 'a';
		text_add_bytes(&bytes, frame, sizeof frame);
	}
	char *path = toy_file((const uint8_t *)bytes.data, bytes.length);
	print(path, "syst/raw", options, &out);
	const char *at = text_get(&out);
	for (size_t i = 0; i < COUNT; i++) {
		unsigned long long own = ticks[i % TICKS];
		char place[64], time[64];
		snprintf(place, sizeof place, "{\"n\":%zu,", i);
		assert_memory_equal(at, place, strlen(place));
		snprintf(place, sizeof place, ",\"offset\":%zu,\"length\":16,", i * LENGTH);
		snprintf(time, sizeof time, ",\"ticks\":%llu,", own);
		const char *end = strchr(at, '\n'), *found = strstr(at, place);
		assert_true(found && found < end && (found = strstr(at, time)) && found < end);
		snprintf(time, sizeof time, "\"msg_ts\":%llu}", own);
		assert_true((found = strstr(at, time)) && found < end);
		at = end + 1;
	}
	assert_int_equal(*at, '\0');
	text_free(&bytes);
	text_free(&out);
	unlink(path);
	free(path);
}

/* Opens a terminal that changes nothing, and its other end. */
static int
open_terminal(int *far)
{
	struct termios raw;
	*far = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(*far >= 0 && !grantpt(*far) && !unlockpt(*far));
	int near = open(ptsname(*far), O_RDWR | O_NOCTTY);
	assert_true(near >= 0 && !tcgetattr(near, &raw));
	cfmakeraw(&raw);
	assert_int_equal(tcsetattr(near, TCSANOW, &raw), 0);
	return near;
}

/* What FORMAT sends to a terminal for the capture at PATH. */
static size_t
send_to_terminal(const char *path, const struct export_format *format, enum text_charset charset,
		 char *buffer, size_t room)
{
	struct session session = {0};
	struct err err = {0};
	struct export_result result;
	int far;
	option_defaults(profile_options_table(), &session.profile);
	assert_non_null(session_open(&session, path, NULL, NULL, 0, &err));
	session_link(&session);
	clocks_load(session.clocks, false);
	struct writer writer = {.file = open_terminal(&far), .is_direct = true};
	const struct export_options options = {.format = format,
					       .filter = filter_all(),
					       .output = &writer,
					       .charset = charset,
					       .threads = 1};
	if (export_fits(format, session.traces.at[0]) && format->walk != export_why)
		assert_int_equal(export_run(&session, &options, &result, &err), 0);
	assert_int_equal(write(writer.file, "", 1), 1);
	size_t length = 0;
	while (!length || buffer[length - 1]) {
		ssize_t got = read(far, buffer + length, room - length);
		assert_true(got > 0);
		length += (size_t)got;
	}
	writer_abandon(&writer);
	close(far);
	session_close(&session);
	return length - 1;
}

static void
test_terminal(void **state)
{
	/* ESC ] title, BEL, CSI as C1, a right-to-left override, CR, half a character */
	static const char capture[] =
	    "SYS-T RAW DATA: 42100301611B5D303B780761C29B41E280AE610D62C300\n"
	    "other\x1b[31m text\xe2\x80\xae \x9b\n";
	struct folder folder;
	char buffer[65536];
	(void)state;
	folder_make(&folder);
	folder_put(&folder, "t.txt", capture, sizeof capture - 1);
	for (size_t i = 0; i < 2 * export_format_count; i++) {
		const struct export_format *format = &export_formats[i / 2];
		enum text_charset charset = i % 2 ? TEXT_ASCII : TEXT_UTF8;
		uint32_t code;
		if (format->folder || format->walk == export_raw) /* which is refused */
			continue;
		size_t length = send_to_terminal(folder_path(&folder, "t.txt"), format, charset,
						 buffer, sizeof buffer);
		for (size_t at = 0, size; at < length; at += size) {
			size = text_decode(buffer + at, length - at, &code);
			if (!size || (text_is_control(code) && code != '\n') ||
			    (charset == TEXT_ASCII && code > 0x7e))
				fail_msg("%s sends 0x%02x at %zu", format->name,
					 (unsigned char)buffer[at], at);
		}
	}
	folder_remove(&folder);
}

/* What a byte below 0x80 is in a JSON string [RFC 8259, section 7]. */
static void
add_escaped(struct text *out, unsigned char byte)
{
	if (byte == '"' || byte == '\\')
		text_addf(out, "\\%c", byte);
	else if (byte < 0x20 || byte == 0x7f)
		text_addf(out, "\\u%04x", byte);
	else
		text_add_char(out, (char)byte);
}

/* Each byte is escaped or not by itself, wherever it stands. */
static void
test_json_string(void **state)
{
	struct text made = {0}, expected = {0};
	char bytes[20];
	(void)state;
	for (unsigned byte = 0; byte < 0x80; byte++) {
		for (size_t at = 0; at < sizeof bytes; at++) {
			memset(bytes, at % 2 ? 'a' : '~', sizeof bytes);
			bytes[at] = (char)byte;
			text_clear(&made);
			text_clear(&expected);
			export_json_string(&made, bytes, sizeof bytes);
			text_add_char(&expected, '"');
			for (size_t i = 0; i < sizeof bytes; i++)
				add_escaped(&expected, (unsigned char)bytes[i]);
			text_add_char(&expected, '"');
			assert_string_equal(text_get(&made), text_get(&expected));
		}
	}
	text_free(&made);
	text_free(&expected);
}

/* A cell has quotes if it needs them [RFC 4180, section 2, 6 and 7]. */
static void
test_csv_cell(void **state)
{
	static const char *const cells[][2] = {
	    {"", ""},
	    {"plain", "plain"},
	    {"a,b", "\"a,b\""},
	    {"\"", "\"\"\"\""},
	    {"say \"a\"", "\"say \"\"a\"\"\""},
	    {"a\nb", "\"a\nb\""},
	    {"a\rb", "\"a\rb\""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
		struct text made = {0}, expected = {0};
		text_add(&made, "x,");
		text_add(&made, cells[i][0]);
		export_csv_end_cell(&made, 2);
		text_addf(&expected, "x,%s", cells[i][1]);
		assert_string_equal(text_get(&made), text_get(&expected));
		text_free(&made);
		text_free(&expected);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_place),	 cmocka_unit_test(test_text),
	    cmocka_unit_test(test_csv),		 cmocka_unit_test(test_jsonl),
	    cmocka_unit_test(test_rows),	 cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_terminal),	 cmocka_unit_test(test_json_string),
	    cmocka_unit_test(test_near_numbers), cmocka_unit_test(test_csv_cell),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
