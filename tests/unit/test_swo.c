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
#include "formatter.h"
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
	assert_string_equal(SWO_KINDS[m->kind].name, want);
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

/* Decodes as `opencsd`: the ETM with its registers [README.md of the captures] and, if BOTH,
 * the ITM. */
static struct decoded
decode_mixed(const uint8_t *bytes, size_t length, bool both)
{
	static const char *const settings[][2] = {
	    {"format", "tpiu"},
	    {"lines", "none"},
	    {"sources.0.id", "2"},
	    {"sources.0.protocol", "ETMV3"},
	    {"sources.0.regs.ETMCR", "0xd80"},
	    {"sources.0.regs.ETMIDR", "0x4114f250"},
	    {"sources.0.regs.ETMCCER", "0x18541800"},
	    {"sources.1.id", "1"},
	    {"sources.1.protocol", "ITM"},
	};
	struct decoded d;
	drive_open(&d.drive, "opencsd", bytes, length);
	for (size_t i = 0; i < (both ? 9 : 7); i++)
		assert_true(drive_set(&d.drive, settings[i][0], settings[i][1]));
	drive_start(&d.drive);
	drive_all(&d.drive, &d.messages);
	return d;
}

static void
skip_without_library(void)
{
	if (opencsd_library_version())
		return;
	print_message("# built without the OpenCSD library\n");
	skip();
}

/* The elements that a decoder gives, as trc_pkt_lister prints them. */
static struct text
list_elements(const struct decoded *d)
{
	struct window w = drive_window(&d->drive);
	struct expansion e = {0};
	struct text list = {0};
	for (size_t i = 0; i < d->messages.list.count; i++)
		if (d->drive.ops->print(d->drive.decoder, &d->messages.list.at[i], &w, &e, &list))
			text_add_char(&list, '\n');
	expansion_free(&e);
	return list;
}

/* The other source, with its registers: 8 triggers, the first address [README.md of the
 * capture], wherever the frames begin; with the ITM it is the same. */
static void
registers(void **state)
{
	(void)state;
	byte_list bytes, moved = {0};
	skip_without_library();
	read_capture("stm32f105.swo", &bytes);
	for (size_t i = 0; i < 3; i++)
		*vec_add(&moved) = 0;
	for (size_t i = 0; i < bytes.count; i++)
		*vec_add(&moved) = bytes.at[i];
	for (size_t i = 0; i < 4; i++) {
		size_t from = i % 2 ? 3 : 0;
		struct decoded d = decode_mixed(moved.at + from, moved.count - from, i / 2 != 0);
		struct text list = list_elements(&d);
		const char *first = strstr(text_get(&list), "ADDR_");
		assert_int_equal(count_text(text_get(&list), "_EVENT( Trigger"), 8);
		assert_int_equal(count_text(text_get(&list), "_ADDR_NACC("), 272);
		assert_non_null(first);
		assert_memory_equal(first, "ADDR_NACC( 0x8000306 )", 22);
		drive_everything(&d.drive);
		text_free(&list);
		decoded_free(&d);
	}
	vec_free(&bytes);
	vec_free(&moved);
}

/* Without the messages of one source, the others are those of that source alone. */
static void
check_parts(const struct decoded *mixed, const struct decoded *itm)
{
	size_t n = 0;
	for (size_t i = 0; i < mixed->messages.list.count; i++) {
		const struct message *m = &mixed->messages.list.at[i], *want;
		if (m->kind < OPENCSD_KIND_COUNT)
			continue;
		assert_true(n < itm->messages.list.count);
		want = &itm->messages.list.at[n++];
		assert_int_equal(m->kind - OPENCSD_KIND_COUNT, want->kind);
		assert_int_equal(m->offset, want->offset);
		assert_int_equal(m->length, want->length);
		assert_int_equal(m->flags, want->flags);
		assert_int_equal(m->ticks, want->ticks);
		assert_int_equal(m->aux, want->aux);
	}
	assert_int_equal(n, itm->messages.list.count);
}

/* ITM and ETM in one list: the packets of the one as `tpiu` gives them, and the elements of the
 * other as it has them alone. */
static void
mixed(void **state)
{
	(void)state;
	byte_list bytes;
	skip_without_library();
	read_capture("stm32f105.swo", &bytes);
	struct decoded both = decode_mixed(bytes.at, bytes.count, true);
	struct decoded etm = decode_mixed(bytes.at, bytes.count, false);
	struct decoded itm = decode("tpiu", &bytes, false);
	struct text got = list_elements(&both), want = list_elements(&etm);
	assert_string_equal(text_get(&got), text_get(&want));
	check_parts(&both, &itm);
	text_free(&got);
	text_free(&want);
	decoded_free(&both);
	decoded_free(&etm);
	decoded_free(&itm);
	/* frames that go on elsewhere; the ETM sends nothing but the end of its trace */
	vec_free(&bytes);
	read_capture("etm_itm_tpiu.bin", &bytes);
	both = decode_mixed(bytes.at, bytes.count, true);
	itm = decode("tpiu", &bytes, false);
	check_parts(&both, &itm);
	decoded_free(&both);
	decoded_free(&itm);
	vec_free(&bytes);
}

/* --- an ETM of our own ------------------------------------------------------ */

enum { BLOCKS = 240, FIRST_ADDRESS = 0x08000000, BLOCK_BYTES = 0x100 };

/* Packets of an ETMv3 [IHI0014, "ETMv3 signal protocol", second hand: OpenCSD]: alignment
 * synchronisation, synchronisation of instructions with an address in Thumb state, an
 * instruction that is executed, and a trigger. */
static void
add_block(struct formatter *f, unsigned n)
{
	const uint32_t address = (FIRST_ADDRESS + n * BLOCK_BYTES) | 1;
	const uint8_t packets[] = {0,
				   0,
				   0,
				   0,
				   0,
				   0x80,
				   0x08,
				   0x21,
				   (uint8_t)address,
				   (uint8_t)(address >> 8),
				   (uint8_t)(address >> 16),
				   (uint8_t)(address >> 24),
				   0x84,
				   0x0c};
	formatter_add(f, 2, packets, sizeof packets);
}

/* Frames of blocks of an ETM among packets of an ITM, and of nobody; but the ALONE ones in the
 * middle, whose source is named long before what it sends. */
static void
make_blocks(struct formatter *f, unsigned count, unsigned alone_count)
{
	static const uint8_t idle[200];
	uint64_t seed = 5;
	for (unsigned i = 0; i < count; i++) {
		const bool alone = i >= (count - alone_count) / 2 && i < (count + alone_count) / 2;
		for (unsigned k = alone ? 0 : 8 + random_below(&seed, 20); k; k--) {
			/* port 1, of 4 bytes, and a sample of the program counter */
			const uint32_t pc = 0x08000000 + 2 * random_below(&seed, 500);
			const uint8_t write[] = {0x0b, (uint8_t)k, 0xff, 0xfe, 0xfd};
			const uint8_t sample[] = {0x17, (uint8_t)pc, (uint8_t)(pc >> 8),
						  (uint8_t)(pc >> 16), (uint8_t)(pc >> 24)};
			formatter_add(f, 1, k % 2 ? write : sample, 5);
		}
		add_block(f, i);
		formatter_add(f, 0, idle, alone ? 0 : 1 + random_below(&seed, sizeof idle));
	}
	formatter_run(f);
}

/* How many blocks have their address, in order, and their trigger. */
static size_t
count_blocks(const struct decoded *d)
{
	uint64_t last = FIRST_ADDRESS - BLOCK_BYTES;
	size_t addresses = 0, triggers = 0;
	for (size_t i = 0; i < d->messages.list.count; i++) {
		const struct message *m = &d->messages.list.at[i];
		triggers += m->kind == OPENCSD_EVENT;
		if (m->kind != OPENCSD_ADDR_NACC)
			continue;
		assert_int_equal(m->ticks % BLOCK_BYTES, 0);
		assert_true(m->ticks > last);
		last = m->ticks;
		addresses++;
	}
	assert_int_equal(addresses, triggers);
	return addresses;
}

static size_t
count_mixed_kind(const struct decoded *d, unsigned kind)
{
	size_t count = 0;
	for (size_t i = 0; i < d->messages.list.count; i++)
		count += d->messages.list.at[i].kind == kind;
	return count;
}

/* What is read again for a row is what the row stands for. */
static void
check_addresses(const struct decoded *d)
{
	struct window w = drive_window(&d->drive);
	struct expansion e = {0};
	for (size_t i = d->messages.list.count; i-- > 0;) {
		const struct message *m = &d->messages.list.at[i];
		if (m->kind != OPENCSD_ADDR_NACC)
			continue;
		expansion_clear(&e);
		d->drive.ops->expand(d->drive.decoder, m, &w, EXPAND_FIELDS, NULL, &e);
		assert_int_equal(field_number(&e, "st_addr"), m->ticks);
	}
	expansion_free(&e);
}

/* All blocks are there; bytes that are lost or come in cost the blocks that they are near. */
static void
made_mixed(void **state)
{
	struct formatter f = {0};
	(void)state;
	skip_without_library();
	make_blocks(&f, BLOCKS, 0);
	struct decoded d = decode_mixed(f.frames.at, f.frames.count, true);
	assert_int_equal(count_blocks(&d), BLOCKS);
	assert_int_equal(count_mixed_kind(&d, OPENCSD_KIND_COUNT + SWO_KIND_ALIGN), 0);
	check_addresses(&d);
	drive_everything(&d.drive);
	decoded_free(&d);

	byte_list bytes = {0};
	for (size_t i = 0; i < f.frames.count; i++) {
		if (i == 20003) /* comes in */
			*vec_add(&bytes) = 0xff;
		if (i < 40005 || i >= 41008) /* are lost */
			*vec_add(&bytes) = f.frames.at[i];
	}
	d = decode_mixed(bytes.at, bytes.count, true);
	size_t blocks = count_blocks(&d);
	print_message("%zu of %d blocks, %zu changes of place\n", blocks, BLOCKS,
		      count_mixed_kind(&d, OPENCSD_KIND_COUNT + SWO_KIND_ALIGN));
	assert_true(blocks >= BLOCKS - 8 && blocks < BLOCKS);
	assert_in_range(count_mixed_kind(&d, OPENCSD_KIND_COUNT + SWO_KIND_ALIGN), 2, 4);
	check_addresses(&d);
	drive_everything(&d.drive);
	decoded_free(&d);
	vec_free(&bytes);
	formatter_free(&f);
}

/* Nothing but the ETM for three times as long as places to start from lie apart. */
static void
made_alone(void **state)
{
	enum { COUNT = 1000, ALONE = 900 };
	struct formatter f = {0};
	(void)state;
	skip_without_library();
	make_blocks(&f, COUNT, ALONE);
	struct decoded d = decode_mixed(f.frames.at, f.frames.count, true);
	assert_int_equal(count_blocks(&d), COUNT);
	check_addresses(&d);
	decoded_free(&d);
	formatter_free(&f);
}

/* Every cut of a small one, and bytes that are of nothing. */
static void
cut_mixed(void **state)
{
	struct formatter f = {0};
	uint64_t seed = 7;
	(void)state;
	skip_without_library();
	make_blocks(&f, 4, 0);
	for (size_t length = 0; length <= f.frames.count; length++) {
		uint8_t *copy = mem_new(length + !length);
		memcpy(copy, f.frames.at, length);
		struct decoded d = decode_mixed(copy, length, true);
		drive_everything(&d.drive);
		decoded_free(&d);
		free(copy);
	}
	for (size_t i = 0; i < f.frames.count; i++)
		f.frames.at[i] = (uint8_t)random_next(&seed);
	struct decoded d = decode_mixed(f.frames.at, f.frames.count, true);
	drive_thoroughly(&d.drive);
	decoded_free(&d);
	formatter_free(&f);
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

/* It decodes an ITM from its first synchronisation on, save in the frames of a trace port: one
 * file has some, the others none [README.md of the captures]. */
static void
unsynced(void **state)
{
	(void)state;
	byte_list without, with, framed;
	read_capture("stm32f105.itm.bin", &without);
	read_capture("stm32f105.swo", &framed);
	read_capture("itm-decode-example.bin", &with);
	struct text missing = list_missing(&without, "source_data");
	assert_non_null(
	    strstr(text_get(&missing), "ITM of trace ID 0x01 sends no synchronisation"));
	assert_non_null(strstr(text_get(&missing), "-f itm"));
	text_free(&missing);
	missing = list_missing(&framed, "tpiu");
	assert_int_equal(missing.length, 0);
	text_free(&missing);
	missing = list_missing(&with, "source_data");
	assert_int_equal(missing.length, 0);
	text_free(&missing);
	vec_free(&without);
	vec_free(&framed);
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
	for (unsigned run = 0; run < 4 * test_runs(3); run++) {
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
 * found, and few that were not sent. */
static void
made_misaligned(void **state)
{
	static const char arguments[] =
	    "-f tpiu -m all -c 6000 --damage=garbage,drop,cut --rate=0.004";
	(void)state;
	for (unsigned run = 0; run < test_runs(3); run++) {
		struct made made;
		make(&made, arguments, run);
		struct decoded d = decode("tpiu", &made.bytes, false);
		line_list want = read_truth(made.truth, false), got = read_decoded(&d, false, true);
		size_t common = count_common(&want, &got);
		print_message("%zu sent, %zu decoded, %zu the same, %zu changes of place\n",
			      want.count, got.count, common, count_kind(&d, SWO_KIND_ALIGN));
		assert_true(common * 100 >= want.count * 96);
		assert_true(common * 100 >= got.count * 97);
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
	    cmocka_unit_test(cut_anywhere),    cmocka_unit_test(mixed),
	    cmocka_unit_test(made_mixed),      cmocka_unit_test(cut_mixed),
	    cmocka_unit_test(made_alone),
	};
	return cmocka_run_group_tests_name("swo", tests, NULL, NULL);
}
