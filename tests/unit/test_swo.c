/*
 * ITM packets of an SWO pin, bare and in frames.
 *
 * Captures of others, with their packets as an independent decoder gives them, lie beside the
 * source tree and are skipped where they do not.  Captures made here come from an encoder that
 * shares nothing with the decoder and says which packets are in them.
 *
 * TRAWL_RUNS=1000 makes so many captures instead of a few.
 */
#include "config.h"

#include "test.h"

#include "base/text.h"
#include "base/vec.h"
#include "decode/coresight/opencsd_element.h"
#include "decode/coresight/opencsd_library.h"
#include "decode/coresight/swo.h"
#include "drive.h"
#include "random.h"
#include "temp_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- captures ------------------------------------------------------------ */

typedef VEC(uint8_t) byte_list;

static byte_list
read_file(const char *path)
{
	byte_list bytes = {0};
	int c;
	FILE *file = fopen(path, "r");
	while (file && (c = getc(file)) != EOF)
		*vec_add(&bytes) = (uint8_t)c;
	if (file)
		fclose(file);
	return bytes;
}

/* A file beside the source tree; the test is skipped where there is none. */
static void
read_capture(const char *name, byte_list *bytes)
{
	const char *srcdir = getenv("srcdir");
	struct text path = {0};
	text_addf(&path, "%s/../shared/captures/real/swo/%s", srcdir ? srcdir : ".", name);
	*bytes = read_file(text_get(&path));
	text_free(&path);
	if (!bytes->count) {
		print_message("# no %s beside this checkout\n", name);
		vec_free(bytes);
		skip();
	}
	*vec_add(bytes) = '\0'; /* so that text ends */
	bytes->count--;
}

struct decoded {
	struct drive drive;
	struct drive_messages messages;
};

static struct decoded
decode(const char *format, const byte_list *bytes, bool lines)
{
	struct decoded d;
	drive_open(&d.drive, format, bytes->at, bytes->count);
	if (!lines)
		drive_set(&d.drive, "lines", "none");
	drive_start(&d.drive);
	drive_all(&d.drive, &d.messages);
	return d;
}

static void
decoded_free(struct decoded *d)
{
	vec_free(&d->messages.list);
	drive_close(&d->drive);
}

static uint64_t
field_number(const struct expansion *e, const char *name)
{
	const struct field *field = expansion_find(e, name);
	if (!field)
		fail_msg("no field %s", name);
	return field->u;
}

static bool
field_is(const struct expansion *e, const char *name, const char *text)
{
	const struct field *field = expansion_find(e, name);
	return field && field->s.length == strlen(text) &&
	       !memcmp(field->s.at, text, field->s.length);
}

/* --- packets of an independent decoder ------------------------------------ */

static uint64_t
number_of(const char *line, const char *key)
{
	const char *at = strstr(line, key);
	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, 10);
}

/* Whether a message is the packet that LINE describes. */
static void
check_packet(const struct message *m, const struct expansion *e, const char *line, bool framed)
{
	char want[32], what[16];
	assert_int_equal(sscanf(strstr(line, "\"type\": \""), "\"type\": \"%31[^\"]", want), 1);
	assert_string_equal(swo_kinds[m->kind].name, want);
	if (!framed) {
		assert_int_equal(m->offset, number_of(line, "\"offset\": "));
		assert_int_equal(m->length, number_of(line, "\"length\": "));
	}
	if (m->kind == SWO_KIND_PC)
		assert_int_equal(field_number(e, "pc"), number_of(line, "\"value\": "));
	if (m->kind == SWO_KIND_PORT) {
		assert_int_equal(m->origin, number_of(line, "\"port\": "));
		assert_int_equal(field_number(e, "value"), number_of(line, "\"value\": "));
		assert_int_equal(field_number(e, "size"), number_of(line, "\"size\": "));
		assert_int_equal(e->payload_length, 1 + number_of(line, "\"size\": "));
	}
	if (m->kind == SWO_KIND_EXCEPTION) {
		assert_int_equal(field_number(e, "exception"), number_of(line, "\"number\": "));
		assert_int_equal(
		    sscanf(strstr(line, "\"action\": \""), "\"action\": \"%15[^\"]", what), 1);
		assert_true(field_is(e, "action", what));
	}
	if (m->kind == SWO_KIND_LOCAL) {
		assert_int_equal(field_number(e, "ticks"), number_of(line, "\"value\": "));
		assert_int_equal(number_of(line, "\"tc\": "), 0);
		assert_true(field_is(e, "relation", "exact"));
	}
	if (m->kind != SWO_KIND_DATA)
		return;
	assert_int_equal(sscanf(strstr(line, "\"what\": \""), "\"what\": \"%15[^\"]", what), 1);
	assert_true(field_is(e, "what", what));
	const char *value = !strcmp(what, "pc")	       ? "pc"
			    : !strcmp(what, "address") ? "address_low"
						       : "value";
	assert_int_equal(field_number(e, "comparator"), number_of(line, "\"comparator\": "));
	assert_int_equal(field_number(e, "size"), number_of(line, "\"size\": "));
	assert_int_equal(field_number(e, value), number_of(line, "\"value\": "));
}

static void
check_listing(const char *capture, const char *listing, const char *format)
{
	byte_list bytes, lines;
	read_capture(capture, &bytes);
	read_capture(listing, &lines);
	struct decoded d = decode(format, &bytes, false);
	struct window w = drive_window(&d.drive);
	struct expansion e = {0};
	char *rest = (char *)lines.at, *line;
	for (size_t i = 0; i < d.messages.list.count; i++) {
		const struct message *m = &d.messages.list.at[i];
		if (m->kind == SWO_KIND_TRIGGER)
			continue;
		line = strsep(&rest, "\n");
		assert_true(line && *line);
		d.drive.ops->expand(d.drive.decoder, m, &w, EXPAND_FIELDS, NULL, &e);
		check_packet(m, &e, line, d.drive.ops == &tpiu_ops);
	}
	assert_true(!rest || !*rest);
	expansion_free(&e);
	decoded_free(&d);
	vec_free(&bytes);
	vec_free(&lines);
}

static void
listings(void **state)
{
	(void)state;
	check_listing("itm-decode-example.bin", "itm-decode-example.packets.jsonl", "itm");
	check_listing("stm32f105.itm.bin", "stm32f105.itm.packets.jsonl", "itm");
	check_listing("stm32f105.swo", "stm32f105.itm.packets.jsonl", "tpiu");
}

static size_t
count_kind(const struct decoded *d, enum swo_kind kind)
{
	size_t count = 0;
	for (size_t i = 0; i < d->messages.list.count; i++)
		count += d->messages.list.at[i].kind == kind;
	return count;
}

/* Of a program in which one address has a name. */
static bool
name_address(void *context, uint64_t address, struct text *name)
{
	bool known = address == *(const uint32_t *)context;
	if (known)
		text_add(name, "wait+0x2");
	return known;
}

static size_t
count_text(const char *text, const char *part)
{
	size_t count = 0;
	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

/* 393 PC samples, of which 148 are of one address, 140 and 93 of two others and 3 of a fourth
 * [stm32f105.itm.packets.jsonl]. */
static void
check_hottest(const char *about)
{
	assert_non_null(strstr(about, "hottest of 393 PC samples:\n"
				      "  pc 0x08000216  37 %  wait+0x2\n"
				      "  pc 0x08000218  35 %\n"
				      "  pc 0x08000214  23 %\n"
				      "  pc 0x080002c0  <1 %\n"));
	assert_int_equal(count_text(about, "  pc 0x0800"), 8);
}

/* 8 triggers; the other source is known by its bytes [README.md of the capture]. */
static void
sources(void **state)
{
	(void)state;
	byte_list bytes;
	read_capture("stm32f105.swo", &bytes);
	struct decoded d = decode("tpiu", &bytes, true);
	struct text about = {0}, missing = {0};
	struct window w = drive_window(&d.drive);
	uint32_t named = 0x08000216;
	const struct decoder_names names = {name_address, &named};
	assert_int_equal(count_kind(&d, SWO_KIND_TRIGGER), 8);
	d.drive.ops->guide->survey(d.drive.decoder, &w, &names, &about, &missing);
	assert_non_null(strstr(text_get(&about), "ID 0x01: 2619 bytes, ITM"));
	assert_non_null(strstr(text_get(&about), "ID 0x02: 760 bytes, ETMv3"));
	assert_non_null(strstr(text_get(&missing), "ID 0x02"));
	check_hottest(text_get(&about));
	text_free(&about);
	text_free(&missing);
	decoded_free(&d);
	vec_free(&bytes);
}

/* Frames without any synchronisation: at least what frames at one place give, and a byte that
 * came in between is lost alone. */
static void
misaligned(void **state)
{
	(void)state;
	byte_list bytes;
	read_capture("etm_itm_tpiu.bin", &bytes);
	struct decoded d = decode("tpiu", &bytes, false);
	size_t lost = 0;
	assert_true(count_kind(&d, SWO_KIND_PC) >= 8381);
	assert_true(count_kind(&d, SWO_KIND_PORT) >= 2078);
	assert_true(count_kind(&d, SWO_KIND_EXCEPTION) >= 344);
	assert_true(count_kind(&d, SWO_KIND_OVERFLOW) >= 289);
	assert_int_equal(count_kind(&d, SWO_KIND_DAMAGE), 0);
	for (size_t i = 0; i < d.messages.list.count; i++)
		if (d.messages.list.at[i].kind == SWO_KIND_ALIGN)
			lost += d.messages.list.at[i].length;
	assert_int_equal(count_kind(&d, SWO_KIND_ALIGN), 2);
	assert_int_equal(lost, 2); /* byte 0, and the ff at 33 */
	decoded_free(&d);
	vec_free(&bytes);
}

/* The other source, with its registers: 8 triggers [README.md of the capture], wherever the
 * frames begin. */
static void
registers(void **state)
{
	static const char *const settings[][2] = {
	    {"format", "tpiu"},
	    {"sources.0.id", "2"},
	    {"sources.0.protocol", "ETMV3"},
	    {"sources.0.regs.ETMCR", "0xd80"},
	    {"sources.0.regs.ETMIDR", "0x4114f250"},
	    {"sources.0.regs.ETMCCER", "0x18541800"},
	};
	(void)state;
	byte_list bytes, moved = {0};
	if (!opencsd_library_version()) {
		print_message("# built without the OpenCSD library\n");
		skip();
	}
	read_capture("stm32f105.swo", &bytes);
	for (size_t i = 0; i < 3; i++)
		*vec_add(&moved) = 0;
	for (size_t i = 0; i < bytes.count; i++)
		*vec_add(&moved) = bytes.at[i];
	for (size_t from = 0; from <= 3; from += 3) {
		struct drive d;
		struct drive_messages all;
		size_t events = 0, accesses = 0;
		drive_open(&d, "opencsd", moved.at + from, moved.count - from);
		for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
			assert_true(drive_set(&d, settings[i][0], settings[i][1]));
		drive_start(&d);
		drive_all(&d, &all);
		for (size_t i = 0; i < all.list.count; i++) {
			events += all.list.at[i].kind == OPENCSD_EVENT;
			accesses += all.list.at[i].kind == OPENCSD_ADDR_NACC;
		}
		assert_int_equal(events, 8);
		assert_int_equal(accesses, 272);
		vec_free(&all.list);
		drive_everything(&d);
		drive_close(&d);
	}
	vec_free(&bytes);
	vec_free(&moved);
}

/* What a decoder of trace buffers says that it lacks. */
static struct text
list_missing(const byte_list *bytes, const char *format)
{
	struct text about = {0}, missing = {0};
	struct drive d;
	drive_open(&d, "opencsd", bytes->at, bytes->count);
	assert_true(drive_set(&d, "format", format));
	assert_true(drive_set(&d, "sources.0.id", "1"));
	assert_true(drive_set(&d, "sources.0.protocol", "ITM"));
	drive_start(&d);
	struct window w = drive_window(&d);
	d.ops->guide->survey(d.decoder, &w, NULL, &about, &missing);
	text_free(&about);
	drive_close(&d);
	return missing;
}

/* It decodes an ITM from its first synchronisation on: one file has some, the other none
 * [README.md of the captures]. */
static void
unsynced(void **state)
{
	(void)state;
	byte_list without, with;
	read_capture("stm32f105.swo", &without);
	read_capture("itm-decode-example.bin", &with);
	struct text missing = list_missing(&without, "tpiu");
	assert_non_null(
	    strstr(text_get(&missing), "ITM of trace ID 0x01 sends no synchronisation"));
	assert_non_null(strstr(text_get(&missing), "-f tpiu"));
	text_free(&missing);
	missing = list_missing(&with, "source_data");
	assert_int_equal(missing.length, 0);
	text_free(&missing);
	vec_free(&without);
	vec_free(&with);
}

/* --- captures of an encoder of its own -------------------------------------- */

/* A message as a line: its type, and what the truth says of its fields. */
typedef VEC(char *) line_list;

static void
lines_free(line_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->at[i]);
	vec_free(list);
}

/* The packets that mkcapture sent: offset, length, ticks (or nothing of these), type, fields. */
static line_list
read_truth(const char *path, bool places)
{
	char row[1024], *rest, *cell[8];
	line_list list = {0};
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(row, sizeof row, file));
	while (fgets(row, sizeof row, file)) {
		struct text line = {0};
		row[strcspn(row, "\n")] = '\0';
		rest = row;
		for (int i = 0; i < 7; i++)
			cell[i] = strsep(&rest, "\t");
		if (places)
			text_addf(&line, "%s+%s %s ", cell[0], cell[1], cell[2]);
		text_add(&line, cell[5]);
		while (rest && *rest)
			text_addf(&line, " %s", strsep(&rest, "\t"));
		*vec_add(&list) = line.data;
	}
	fclose(file);
	return list;
}

static void
add_fields(const struct expansion *e, struct text *line)
{
	/* those that the encoder tells, in its order */
	static const char *const names[] = {"port",   "size",	     "value", "exception",
					    "action", "pc",	     "state", "comparator",
					    "what",   "address_low", "page",  "ticks"};
	bool port = expansion_find(e, "port"), data = expansion_find(e, "comparator");
	static const char *const order[] = {"comparator", "what", "pc", "address_low", "value"};
	for (size_t i = 0; i < (data ? 5 : 12); i++) {
		const char *name = data ? order[i] : names[i];
		const struct field *field = expansion_find(e, name);
		struct text value = {0};
		if (!field || (!strcmp(name, "value") && !port && !data))
			continue;
		field_format(field, &value);
		text_addf(line, " %s=%s", name, text_get(&value));
		text_free(&value);
	}
}

static line_list
read_decoded(const struct decoded *d, bool places, bool damaged)
{
	struct window w = drive_window(&d->drive);
	struct expansion e = {0};
	line_list list = {0};
	for (size_t i = 0; i < d->messages.list.count; i++) {
		const struct message *m = &d->messages.list.at[i];
		struct text line = {0};
		if (damaged && m->kind >= SWO_KIND_TRIGGER)
			continue;
		d->drive.ops->expand(d->drive.decoder, m, &w, EXPAND_FIELDS, NULL, &e);
		if (places)
			text_addf(&line, "%llu+%u ", (unsigned long long)m->offset, m->length);
		if (places && m->flags & MESSAGE_TIMED)
			text_addf(&line, "%llu ", (unsigned long long)m->ticks);
		else if (places)
			text_add(&line, "- ");
		text_add(&line, text_get(&e.type));
		add_fields(&e, &line);
		*vec_add(&list) = line.data;
	}
	expansion_free(&e);
	return list;
}

/* How many lines both have in the same order, at most: the longest common subsequence. */
static size_t
count_common(const line_list *a, const line_list *b)
{
	size_t *best = mem_new((b->count + 1) * sizeof *best);
	for (size_t i = 0; i < a->count; i++) {
		size_t before = 0; /* of the row before, a column back */
		for (size_t k = 0; k < b->count; k++) {
			size_t above = best[k + 1];
			if (!strcmp(a->at[i], b->at[k]))
				best[k + 1] = before + 1;
			else if (best[k] > above)
				best[k + 1] = best[k];
			before = above;
		}
	}
	size_t common = best[b->count];
	free(best);
	return common;
}

struct made {
	char file[TEMP_PATH], truth[TEMP_PATH];
	byte_list bytes;
};

static void
make(struct made *made, const char *arguments, unsigned seed)
{
	struct text command = {0};
	*made = (struct made){.bytes = {0}};
	temp_make_text(made->file, "", "");
	temp_make_text(made->truth, "", "");
	text_addf(&command, "tests/mkcapture %s --seed=%u --truth=%s -o %s", arguments, seed,
		  made->truth, made->file);
	assert_int_equal(system(text_get(&command)), 0);
	text_free(&command);
	made->bytes = read_file(made->file);
}

static void
made_free(struct made *made)
{
	unlink(made->file);
	unlink(made->truth);
	vec_free(&made->bytes);
}

static unsigned
run_count(void)
{
	const char *runs = getenv("TRAWL_RUNS");
	return runs ? (unsigned)atoi(runs) : 3;
}

/* Without damage each packet is the message that was sent, with its place and time. */
static void
made_whole(void **state)
{
	static const char *const kinds[][2] = {
	    {"itm", "-f itm -m all -c 600"},
	    {"itm", "-f itm -c 600"},
	    {"tpiu", "-f tpiu -m all -c 600"},
	    {"tpiu", "-f tpiu -c 600"},
	};
	(void)state;
	for (unsigned run = 0; run < 4 * run_count(); run++) {
		struct made made;
		make(&made, kinds[run % 4][1], run);
		struct decoded d = decode(kinds[run % 4][0], &made.bytes, false);
		line_list want = read_truth(made.truth, true), got = read_decoded(&d, true, false);
		for (size_t i = 0; i < want.count && i < got.count; i++)
			assert_string_equal(got.at[i], want.at[i]);
		assert_int_equal(got.count, want.count);
		drive_everything(&d.drive);
		lines_free(&want);
		lines_free(&got);
		decoded_free(&d);
		made_free(&made);
	}
}

/* Frames that lose bytes, or have some between them: the packets of all other frames are
 * found, and hardly any that were not sent. */
static void
made_misaligned(void **state)
{
	static const char arguments[] =
	    "-f tpiu -m all -c 6000 --damage=garbage,drop,cut --rate=0.004";
	(void)state;
	for (unsigned run = 0; run < run_count(); run++) {
		struct made made;
		make(&made, arguments, run);
		struct decoded d = decode("tpiu", &made.bytes, false);
		line_list want = read_truth(made.truth, false), got = read_decoded(&d, false, true);
		size_t common = count_common(&want, &got);
		print_message("%zu sent, %zu decoded, %zu the same, %zu changes of place\n",
			      want.count, got.count, common, count_kind(&d, SWO_KIND_ALIGN));
		assert_true(common * 100 >= want.count * 96);
		assert_true(common * 100 >= got.count * 98);
		assert_true(count_kind(&d, SWO_KIND_ALIGN) >= 3);
		lines_free(&want);
		lines_free(&got);
		decoded_free(&d);
		made_free(&made);
	}
}

/* Every cut of a small capture, and bytes that are of nothing. */
static void
cut_anywhere(void **state)
{
	static const char *const formats[] = {"itm", "tpiu"};
	struct made made;
	uint64_t seed = 7;
	(void)state;
	for (unsigned format = 0; format < 2; format++) {
		make(&made, format ? "-f tpiu -m all -c 60" : "-f itm -m all -c 60", 9);
		for (size_t length = 0; length <= made.bytes.count; length++) {
			struct drive d;
			uint8_t *copy =
			    mem_new(length); /* of its size, so that reads past it are seen */
			memcpy(copy, made.bytes.at, length);
			drive_open(&d, formats[format], copy, length);
			drive_start(&d);
			drive_everything(&d);
			drive_close(&d);
			free(copy);
		}
		for (size_t i = 0; i < made.bytes.count; i++)
			made.bytes.at[i] = (uint8_t)random_next(&seed);
		struct decoded d = decode(formats[format], &made.bytes, true);
		drive_thoroughly(&d.drive);
		decoded_free(&d);
		made_free(&made);
	}
}

/* Adds a frame of bytes of one source [IHI0029, trace formatter]. */
static void
add_frame(byte_list *bytes, uint8_t id, const uint8_t data[static 14])
{
	uint8_t low = 0;
	*vec_add(bytes) = (uint8_t)(id << 1 | 1);
	*vec_add(bytes) = data[0];
	for (unsigned i = 2; i < 15; i++) {
		bool even = i % 2 == 0;
		low |= (uint8_t)(even ? (data[i - 1] & 1) << i / 2 : 0);
		*vec_add(bytes) = even ? data[i - 1] & 0xfe : data[i - 1];
	}
	*vec_add(bytes) = low;
}

/* A line and a packet that are under way while another source has the bus for longer than
 * the low bits of an offset tell. */
static void
long_silence(void **state)
{
	enum { OTHERS = 6000 };
	/* port 0, size 1, is 01 [ARMv7-M, D4.2.1]; the last byte begins a write */
	static const uint8_t before[14] = {1, 'o', 1, 'n', 1, 'e', 1, ' ', 1, 't', 1, 'w', 1, 'o'},
			     begun[14] = {1, 'x', 1, 'y', 1, 'z', 1, '!', 1, '?', 1, '.', 1, '-'},
			     after[14] = {1, 'n', 1, 'e', 1, 'x', 1, 't', 1, '\n', 1, 'a', 1, '\n'},
			     other[14] = {0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55,
					  0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55};
	byte_list bytes = {0};
	(void)state;
	for (unsigned i = 0; i < 40; i++)
		add_frame(&bytes, 1, after);
	add_frame(&bytes, 1, begun);
	add_frame(&bytes, 1, before);
	for (unsigned i = 0; i < OTHERS; i++)
		add_frame(&bytes, 2, other);
	for (unsigned i = 0; i < 40; i++)
		add_frame(&bytes, 1, after);
	struct decoded d = decode("tpiu", &bytes, true);
	const struct message *m = d.messages.list.at;
	assert_int_equal(d.messages.list.count, 40 * 2 + 1 + 40 * 2);
	assert_int_equal(m[80].offset, 40 * 16);
	assert_true(m[80].length < 64 * 1024);
	for (unsigned i = 0; i < 80; i++)
		assert_int_equal(m[81 + i].offset, (42 + OTHERS + i / 2) * 16);
	drive_everything(&d.drive);
	decoded_free(&d);
	vec_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(listings),	       cmocka_unit_test(sources),
	    cmocka_unit_test(misaligned),      cmocka_unit_test(registers),
	    cmocka_unit_test(unsynced),	       cmocka_unit_test(made_whole),
	    cmocka_unit_test(made_misaligned), cmocka_unit_test(long_silence),
	    cmocka_unit_test(cut_anywhere),
	};
	return cmocka_run_group_tests_name("swo", tests, NULL, NULL);
}
