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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- captures ------------------------------------------------------------ */

typedef VEC(uint8_t) byte_list;

/* A file beside the source tree; skips the test where there is none. */
static byte_list
read_capture(const char *name)
{
	const char *srcdir = getenv("srcdir");
	struct text path = {0};
	byte_list bytes = {0};
	int c;
	text_addf(&path, "%s/../shared/captures/real/swo/%s", srcdir ? srcdir : ".", name);
	FILE *file = fopen(text_get(&path), "r");
	text_free(&path);
	if (!file) {
		print_message("no %s beside the source tree\n", name);
		skip();
	}
	while ((c = getc(file)) != EOF)
		*vec_add(&bytes) = (uint8_t)c;
	fclose(file);
	*vec_add(&bytes) = '\0'; /* so that text ends */
	bytes.count--;
	return bytes;
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
	byte_list bytes = read_capture(capture), lines = read_capture(listing);
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

/* 8 triggers; the other source is known by its bytes [README.md of the capture]. */
static void
sources(void **state)
{
	(void)state;
	byte_list bytes = read_capture("stm32f105.swo");
	struct decoded d = decode("tpiu", &bytes, true);
	struct text about = {0}, missing = {0};
	struct window w = drive_window(&d.drive);
	assert_int_equal(count_kind(&d, SWO_KIND_TRIGGER), 8);
	d.drive.ops->guide->survey(d.drive.decoder, &w, &about, &missing);
	assert_non_null(strstr(text_get(&about), "ID 0x01: 2619 bytes, ITM"));
	assert_non_null(strstr(text_get(&about), "ID 0x02: 760 bytes, ETMv3"));
	assert_non_null(strstr(text_get(&missing), "ID 0x02"));
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
	byte_list bytes = read_capture("etm_itm_tpiu.bin");
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
	if (!opencsd_library_version())
		skip();
	byte_list bytes = read_capture("stm32f105.swo"), moved = {0};
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(listings),
	    cmocka_unit_test(sources),
	    cmocka_unit_test(misaligned),
	    cmocka_unit_test(registers),
	};
	return cmocka_run_group_tests_name("swo", tests, NULL, NULL);
}
