/*
 * What the random messages are made of.  LEN32 is cheap, a few dozen
 * nanoseconds a message, with origins and severities in the proportions of a
 * firmware log: mostly INFO and DEBUG, an error in a few hundred.  ALL walks
 * through everything the format has; the last four have messages of one kind each.
 * Formats and names are in tables, so that the collateral written beside a
 * capture says exactly what was used.
 */
#include "config.h"

#include "mk_mix.h"
#include "mk_out.h"

#include <inttypes.h>
#include <string.h>

#define ITEMS(array) (sizeof(array) / sizeof *(array))

static const char *const vocabulary[] = {
    "link",    "up",	    "down",	 "rail",     "ready",	"retry",     "timeout", "mailbox",
    "queue",   "full",	    "drained",	 "dma",	     "channel", "ring",	     "flush",	"cache",
    "line",    "interrupt", "masked",	 "clock",    "gated",	"pll",	     "locked",	"sensor",
    "sample",  "threshold", "thermal",	 "zone",     "power",	"state",     "enter",	"leave",
    "suspend", "resume",    "frame",	 "dropped",  "buffer",	"alloc",     "free",	"handle",
    "session", "open",	    "close",	 "firmware", "loaded",	"signature", "checked", "panic",
    "recover", "event",	    "scheduled", "idle",     "wakeup",	"source",    "gpio",	"edge",
};

static const struct {
	uint32_t id;
	const char *format;
} catalog[] = {
    {0x1000, "ready"},
    {0x1001, "rail %s at %d mV"},
    {0x1002, "fifo level %u of %u, peak %5u"},
    {0x1003, "reg 0x%08x = 0x%08X"},
    {0x1004, "%-12s|%10s|%.3s"},
    {0x1005, "t = %.3f C, slope %+e, %g"},
    {0x1006, "handle %p owner %c state %hhu"},
    {0x1007, "%lu bytes in %lld us (%zu left)"},
    {0x1008, "100%% of %*d slots, %-*.*f kB"},
    {0x1009, "flags %#x mode %#o delta %+d % d %i"},
    {0x100a, "seq %hd/%hu at %jd offset %td"},
    {0x100b, "%a %G %E %s"},
    {0x2000, "crc %08lx of block %llu"},
    {0x2001, "%s: state %d -> %d"},
};

static const char *const files[] = {
    "src/boot/main.c",
    "src/pm/rails.c",
    "src/ipc/mailbox.c",
    "src/dma/ring.c",
};

static const uint8_t short_guid[16] = {
    0x7b, 0x1c, 0x0d, 0xe5, 0x3f, 0x52, 0x4c, 0x1a, 0x9d, 0x86, 0x52, 0xa1, 0xf0, 0x0d, 0xca, 0x75,
};

void
mk_guid(unsigned number, uint8_t guid[16])
{
	memcpy(guid, short_guid, 16);
	guid[3] ^= (uint8_t)(number * 29);
	guid[15] ^= (uint8_t)(number * 53);
}

void
mk_maker_open(struct mk_maker *k, enum mk_mix mix, uint64_t seed)
{
	k->mix = mix;
	k->seed = seed;
	k->time = 1700000000000000;
	k->count = 0;
	k->delimited = true;
	for (size_t at = 0; at < sizeof k->words;) {
		const char *word = vocabulary[random_below(&k->seed, ITEMS(vocabulary))];
		size_t length = strlen(word), room = sizeof k->words - at;
		if (length >= room)
			length = room - 1;
		memcpy(k->words + at, word, length);
		k->words[at + length] = ' ';
		at += length + 1;
	}
}

/* LENGTH bytes of words, not terminated. */
static const char *
words(struct mk_maker *k, size_t length)
{
	size_t at = random_below(&k->seed, (uint32_t)(sizeof k->words - length));
	while (at && k->words[at - 1] != ' ')
		at--;
	return k->words + at;
}

static enum mk_severity
severity(struct mk_maker *k)
{
	static const struct {
		uint16_t below; /* of 4096 */
		uint8_t severity;
	} shares[] = {
	    {1, MK_FATAL},   {16, MK_ERROR},   {120, MK_WARNING}, {140, MK_UNASSIGNED},
	    {1800, MK_INFO}, {1850, MK_USER1}, {1880, MK_USER2},  {4096, MK_DEBUG},
	};
	uint32_t roll = random_below(&k->seed, 4096);
	size_t i = 0;
	while (roll >= shares[i].below)
		i++;
	return (enum mk_severity)shares[i].severity;
}

/* --- LEN32 ------------------------------------------------------------- */

/* mk_format_add() for formats of the catalog, which no compiler can check. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void
piece(struct mk_format *f, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	mk_format_vadd(f, format, list);
	va_end(list);
}
#pragma GCC diagnostic pop

static void
fill(struct mk_maker *k, uint8_t *to, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = (uint8_t)(random_next(&k->seed) >> 56);
}

/* Words ended by two numbers; LENGTH is at least PRINTF_LEAST. */
static const char printf_numbers[] = " %u %x";
enum { PRINTF_LEAST = sizeof printf_numbers + 8 + 4 };

static void
printf_payload(struct mk_maker *k, struct mk_message *m, size_t length, uint32_t a, uint32_t b)
{
	size_t text = length - sizeof printf_numbers - 8;
	char format[64];
	memcpy(format, words(k, text), text);
	memcpy(format + text, printf_numbers, sizeof printf_numbers);
	mk_format_clear(&k->format, false);
	piece(&k->format, format, a, b);
	m->subtype = MK_PRINTF32;
	mk_printf(m, &k->format);
}

/* A payload of LENGTH bytes: words ended by two numbers, an id with numbers,
 * bytes, or just words. */
static void
len32_payload(struct mk_maker *k, struct mk_message *m, size_t length)
{
	struct mk_format *f = &k->format;
	uint32_t roll = random_below(&k->seed, 100), a = random_below(&k->seed, 1 << 16),
		 b = random_below(&k->seed, 1 << 20);
	if (roll < 15 && length >= PRINTF_LEAST) {
		printf_payload(k, m, length, a, b);
	} else if (roll < 30 && length == 12) {
		mk_format_clear(f, false);
		piece(f, catalog[3].format, a, b);
		m->type = MK_CATALOG;
		m->subtype = (uint8_t)mk_catalog_subtype(false, false);
		mk_catalog(m, catalog[3].id, f);
	} else if (roll < 35) {
		uint8_t bytes[64];
		fill(k, bytes, length);
		m->type = MK_RAW;
		m->subtype = (uint8_t)random_below(&k->seed, 4);
		mk_raw(m, bytes, length);
	} else {
		mk_string(m, words(k, length - 1), length - 1, true);
	}
}

/* Who sent it and when, with the length. */
static void
len32_head(struct mk_maker *k, struct mk_message *m)
{
	static const uint8_t modules[] = {1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 16, 33, 40};
	m->module = modules[random_below(&k->seed, ITEMS(modules))];
	m->unit = (uint16_t)random_below(&k->seed, 3);
	m->has_length = true;
	m->time = k->time;
}

enum { PREFIX = 4 + 2, STAMP = 8 };

static void
len32(struct mk_maker *k, struct mk_message *m)
{
	enum { CLOCK_EVERY = 1 << 16 };

	if (k->count % CLOCK_EVERY == CLOCK_EVERY - 1) {
		mk_begin(m, MK_CLOCK, 1, MK_UNASSIGNED);
		mk_clock(m, k->time * 19 / 5, 3800000);
	} else {
		size_t length = 8 + random_below(&k->seed, 49);
		mk_begin(m, MK_STRING, MK_GENERIC, severity(k));
		m->has_time = length >= PREFIX + STAMP + 2;
		len32_payload(k, m, length - PREFIX - (m->has_time ? STAMP : 0));
	}
	len32_head(k, m);
}

/* --- ALL --------------------------------------------------------------- */

/* Adds one conversion, FORMAT, with an argument that suits it. */
static void
add_conversion(struct mk_maker *k, const char *format, bool narrow)
{
	struct mk_format *f = &k->format;
	uint64_t r = random_next(&k->seed);
	int width = (int)random_below(&k->seed, 12), digits = (int)random_below(&k->seed, 5);
	bool wide_type = strpbrk(format, "lzjt") != NULL;
	bool always_8 = strstr(format, "ll") || strchr(format, 'j');
	char last = format[strlen(format) - 1];

	if (last == 's') {
		char word[16];
		int length = (int)random_below(&k->seed, sizeof word);
		snprintf(word, sizeof word, "%.*s", length, words(k, sizeof word));
		piece(f, format, word);
	} else if (strchr("fFeEgGaA", last) && strstr(format, "*.*")) {
		piece(f, format, width, digits, (double)(int32_t)r / 1024);
	} else if (strchr("fFeEgGaA", last)) {
		piece(f, format, (double)(int32_t)r / 4096);
	} else if (strchr(format, '*')) {
		piece(f, format, width, (int)r);
	} else if (last == 'c') {
		piece(f, format, 'a' + (int)(r % 26));
	} else if (last == 'p') {
		piece(f, format, (void *)(uintptr_t)(narrow ? (r >> 33 | 1) : r | 1));
	} else if (wide_type) {
		/* What a 32-bit long cannot hold is no value of a 32-bit target. */
		piece(f, format, narrow && !always_8 ? r >> 33 : r);
	} else {
		piece(f, format, (int)r);
	}
}

/* All of FORMAT with random arguments, one conversion at a time. */
static void
add_format(struct mk_maker *k, const char *format, bool wide)
{
	mk_format_clear(&k->format, wide);
	while (*format) {
		char part[128];
		bool conversion = *format == '%';
		size_t length = conversion ? 1 + strcspn(format + 1, "%csdiouxXpfFeEgGaA") + 1
					   : strcspn(format, "%");
		memcpy(part, format, length);
		part[length] = '\0';
		format += length;
		if (conversion && part[length - 1] != '%')
			add_conversion(k, part, !wide);
		else
			piece(&k->format, part);
	}
}

static void
all_string(struct mk_maker *k, struct mk_message *m)
{
	static const uint8_t subtypes[] = {MK_GENERIC, MK_ENTER,    MK_EXIT,	MK_INVPARAM,
					   MK_ASSERT,  MK_PRINTF32, MK_PRINTF64};
	m->subtype = subtypes[random_below(&k->seed, ITEMS(subtypes))];
	if (m->subtype >= MK_PRINTF32) {
		add_format(k, catalog[random_below(&k->seed, ITEMS(catalog))].format,
			   m->subtype == MK_PRINTF64);
		mk_printf(m, &k->format);
		return;
	}
	size_t length = 1 + random_below(&k->seed, random_below(&k->seed, 50) ? 60 : 3000);
	bool terminated = k->delimited || random_below(&k->seed, 2);
	mk_string(m, words(k, length), length, terminated);
}

static void
all_catalog(struct mk_maker *k, struct mk_message *m)
{
	bool wide_id = random_below(&k->seed, 2), wide = random_below(&k->seed, 2);
	uint32_t row = random_below(&k->seed, ITEMS(catalog));
	m->subtype = (uint8_t)mk_catalog_subtype(wide_id, wide);
	add_format(k, catalog[row].format, wide);
	mk_catalog(m, wide_id ? (uint64_t)catalog[row].id << 32 : catalog[row].id, &k->format);
}

static void
all_bytes(struct mk_maker *k, struct mk_message *m)
{
	uint8_t bytes[200];
	size_t length = random_below(&k->seed, sizeof bytes);
	fill(k, bytes, length);
	m->subtype = (uint8_t)random_below(&k->seed, m->type == MK_RAW ? 64 : 16);
	if (m->type == MK_RAW) {
		mk_raw(m, bytes, length);
		return;
	}
	static const uint64_t masks[] = {0, UINT16_MAX, UINT32_MAX, UINT64_MAX};
	uint64_t id = random_next(&k->seed) >> (m->subtype & 1 ? 0 : 32);
	uint64_t address = random_next(&k->seed) & masks[m->subtype >> 2];
	mk_sbd(m, id, address, files[random_below(&k->seed, ITEMS(files))], bytes, length);
}

/* SHORT, BUILD and CLOCK. */
static void
all_number(struct mk_maker *k, struct mk_message *m)
{
	unsigned shift = random_below(&k->seed, 60);
	uint64_t value = random_next(&k->seed) >> shift | 1;
	if (m->type == MK_BUILD) {
		m->subtype = (uint8_t)random_below(&k->seed, 3);
		mk_build(m, value, random_below(&k->seed, 2) ? "1.4.2-rc1 (nightly)" : NULL);
	} else if (m->type == MK_CLOCK) {
		m->subtype = 1;
		m->severity = MK_UNASSIGNED;
		mk_clock(m, k->time * 19 / 5, 3800000);
	} else {
		mk_short(m, value);
	}
}

static void
all_location(struct mk_maker *k, struct mk_message *m)
{
	m->has_location = true;
	m->location_form = (uint8_t)random_below(&k->seed, 4);
	uint64_t r = random_next(&k->seed);
	if (m->location_form >= 2)
		m->location = m->location_form == 2 ? r >> 32 : r;
	else /* files the collateral does not know */
		m->location = (uint64_t)(100 + (r & 1023)) << 32 | (r >> 40 & 0xffff);
}

static void
all(struct mk_maker *k, struct mk_message *m, const uint8_t *types, uint32_t type_count)
{
	static void (*const make[])(struct mk_maker *, struct mk_message *) = {
	    [MK_BUILD] = all_number,	[MK_SHORT32] = all_number, [MK_STRING] = all_string,
	    [MK_CATALOG] = all_catalog, [MK_RAW] = all_bytes,	   [MK_SHORT64] = all_number,
	    [MK_CLOCK] = all_number,	[MK_SBD] = all_bytes,
	};
	uint8_t type = types[random_below(&k->seed, type_count)];
	mk_begin(m, (enum mk_type)type, 0, (enum mk_severity)random_below(&k->seed, 8));
	make[type](k, m);

	uint64_t r = random_next(&k->seed);
	m->has_guid = r & 1;
	m->has_time = r & 2;
	m->has_crc = r & 4;
	m->has_length = r & 8;
	if (k->delimited && !mk_self_delimiting(m))
		m->has_length = true;
	if (r & 16)
		all_location(k, m);
	if (m->has_guid)
		mk_guid(1 + (r >> 8 & 0xff) % (MK_GUIDS - 1), m->guid);
	m->unit = (uint16_t)(r >> 16 & (m->has_guid ? 2047 : 15));
	m->module = (uint8_t)(r >> 32 & 7) + 1;
	m->time = k->time;
}

/* --- one kind ---------------------------------------------------------- */

static void
one_string(struct mk_maker *k, struct mk_message *m, size_t length, bool rare)
{
	const char *text = rare ? MK_RARE_WORD : words(k, length - 1);
	mk_string(m, text, rare ? strlen(text) : length - 1, true);
}

static void
one_printf(struct mk_maker *k, struct mk_message *m, size_t length, bool rare)
{
	uint32_t a = random_below(&k->seed, 1 << 16), b = random_below(&k->seed, 1 << 20);
	if (!rare) {
		printf_payload(k, m, length < PRINTF_LEAST ? PRINTF_LEAST : length, a, b);
		return;
	}
	mk_format_clear(&k->format, false);
	piece(&k->format, MK_RARE_WORD " %u", a);
	m->subtype = MK_PRINTF32;
	mk_printf(m, &k->format);
}

/* The rare one has the last id but one. */
static void
one_catalog(struct mk_maker *k, struct mk_message *m, size_t length, bool rare)
{
	uint32_t last = ITEMS(catalog) - 2, row = rare ? last : random_below(&k->seed, last);
	(void)length;
	m->type = MK_CATALOG;
	m->subtype = (uint8_t)mk_catalog_subtype(false, false);
	add_format(k, catalog[row].format, false);
	mk_catalog(m, catalog[row].id, &k->format);
}

static void
one_bytes(struct mk_maker *k, struct mk_message *m, size_t length, bool rare)
{
	uint8_t bytes[64];
	fill(k, bytes, length);
	if (rare)
		memcpy(bytes, MK_RARE_WORD, length = strlen(MK_RARE_WORD));
	m->type = MK_RAW;
	m->subtype = (uint8_t)random_below(&k->seed, 4);
	mk_raw(m, bytes, length);
}

static void
one_kind(struct mk_maker *k, struct mk_message *m)
{
	enum { RARE_EVERY = 1000000 };
	static void (*const make[])(struct mk_maker *, struct mk_message *, size_t, bool) = {
	    [MK_MIX_STRINGS] = one_string,
	    [MK_MIX_PRINTF] = one_printf,
	    [MK_MIX_CATALOG] = one_catalog,
	    [MK_MIX_BYTES] = one_bytes,
	};
	size_t length = 2 + random_below(&k->seed, 41); /* 16 to 56 with what goes before */
	mk_begin(m, MK_STRING, MK_GENERIC, severity(k));
	m->has_time = true;
	make[k->mix](k, m, length, k->count % RARE_EVERY == RARE_EVERY / 2);
	len32_head(k, m);
}

void
mk_make(struct mk_maker *k, struct mk_message *m)
{
	static const uint8_t every[] = {MK_BUILD, MK_SHORT32, MK_STRING,  MK_STRING, MK_CATALOG,
					MK_RAW,	  MK_SHORT64, MK_CATALOG, MK_CLOCK,  MK_SBD};
	static const uint8_t small[] = {MK_BUILD, MK_SHORT32, MK_SHORT64};
	static const uint8_t string[] = {MK_STRING};

	k->time += random_below(&k->seed, 64);
	switch (k->mix) {
	case MK_MIX_LEN32:
		len32(k, m);
		break;
	case MK_MIX_ALL:
		all(k, m, every, ITEMS(every));
		break;
	case MK_MIX_SHORT:
		all(k, m, small, ITEMS(small));
		m->has_length |= !mk_is_short(m);
		break;
	case MK_MIX_TEXT:
		all(k, m, string, ITEMS(string));
		break;
	case MK_MIX_STRINGS:
	case MK_MIX_PRINTF:
	case MK_MIX_CATALOG:
	case MK_MIX_BYTES:
		one_kind(k, m);
		break;
	}
	k->count++;
}

/* --- collateral -------------------------------------------------------- */

static void
collateral_catalog(FILE *to, const char *element, int shift)
{
	fprintf(to, "    <syst:%s>\n", element);
	for (size_t i = 0; i < ITEMS(catalog); i++)
		fprintf(to,
			"      <syst:Format ID=\"0x%" PRIx64 "\">"
			"<![CDATA[%s]]></syst:Format>\n",
			(uint64_t)catalog[i].id << shift, catalog[i].format);
	fprintf(to, "    </syst:%s>\n", element);
}

void
mk_collateral(FILE *to)
{
	fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
	      "<syst:Collateral xmlns:syst=\"http://www.mipi.org/1.0/sys-t\">\n"
	      "  <syst:Client Name=\"mix\">\n"
	      "    <syst:Guids>\n",
	      to);
	for (unsigned i = 1; i < MK_GUIDS; i++) {
		uint8_t guid[16];
		char text[40];
		mk_guid(i, guid);
		mk_guid_text(guid, text);
		fprintf(to, "      <syst:Guid ID=\"%s\">sender %u</syst:Guid>\n", text, i);
	}
	fputs("      <syst:Guid ID=\"{00000000-0000-0000-0000-000000000000}\""
	      " Mask=\"{ffffffff-ffff-ff00-ffff-ffffffffffff}\">module</syst:Guid>\n"
	      "    </syst:Guids>\n",
	      to);
	collateral_catalog(to, "Catalog32", 0);
	collateral_catalog(to, "Catalog64", 32);
	fputs("  </syst:Client>\n</syst:Collateral>\n", to);
}
