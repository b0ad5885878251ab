/*
 * The encoder behind mk_syst.h.  Order of a message on the wire: header, GUID,
 * location, LEN, time stamp, payload, CRC-32C; everything little-endian but
 * the GUID.  Printf arguments are packed without alignment, in 4 or 8 bytes
 * by conversion and packing; the text is what the C library makes of them.
 */
#include "config.h"

#include "mk_out.h"
#include "mk_syst.h"

#include <inttypes.h>
#include <string.h>

static const char *const severity_names[] = {
    "MAX", "FATAL", "ERROR", "WARNING", "INFO", "USER1", "USER2", "DEBUG", "none",
};

/* --- bytes ------------------------------------------------------------- */

static uint8_t *
little(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*to++ = (uint8_t)(value >> 8 * i);
	return to;
}

static void
put(struct mk_message *m, const void *bytes, size_t length)
{
	if (length > sizeof m->payload - m->length)
		length = sizeof m->payload - m->length;
	if (length)
		memcpy(m->payload + m->length, bytes, length);
	m->length += length;
}

static void
put_number(struct mk_message *m, uint64_t value, unsigned bytes)
{
	uint8_t wire[8];
	little(wire, value, bytes);
	put(m, wire, bytes);
}

static uint32_t
crc32c(const uint8_t *p, size_t length)
{
	uint32_t crc = UINT32_MAX;
	while (length--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

/* --- what a reader should make of it ----------------------------------- */

__attribute__((format(printf, 2, 3))) static void
extra(struct mk_message *m, const char *format, ...)
{
	if (!m->told)
		return;
	va_list list;
	va_start(list, format);
	size_t room = sizeof m->extra - m->extra_length;
	int n = vsnprintf(m->extra + m->extra_length, room, format, list);
	va_end(list);
	if (n < 0 || (size_t)n >= room)
		mk_die("too many fields for the truth");
	m->extra_length += (size_t)n;
}

__attribute__((format(printf, 2, 3))) static void
text(struct mk_message *m, const char *format, ...)
{
	if (!m->told)
		return;
	va_list list;
	va_start(list, format);
	vsnprintf(m->text, sizeof m->text, format, list);
	va_end(list);
}

static void
text_hex(char *to, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to += sprintf(to, "%02x", bytes[i]);
	*to = '\0';
}

/* --- printf ------------------------------------------------------------ */

static void
pack(struct mk_format *f, const void *bytes, size_t length)
{
	if (length > sizeof f->args - f->args_length)
		mk_die("too many arguments for one message");
	memcpy(f->args + f->args_length, bytes, length);
	f->args_length += length;
}

static void
pack_number(struct mk_format *f, uint64_t value, unsigned bytes)
{
	uint8_t wire[8];
	little(wire, value, bytes);
	pack(f, wire, bytes);
}

/* Packs the argument of one conversion whose modifiers start at AT; returns
 * where the conversion ends. */
static const char *
pack_conversion(struct mk_format *f, const char *at, va_list *list)
{
	const unsigned native = f->wide ? 8 : 4;
	unsigned bytes = 4;
	char size = 0;
	for (; strchr("hlzjtL", *at); at++) {
		size = size == 'l' && *at == 'l' ? 'q' : *at;
		if (size == 'l' || size == 'z' || size == 't')
			bytes = native;
		if (size == 'q' || size == 'j')
			bytes = 8;
	}
	if (strchr("fFeEgGaA", *at)) {
		double number = va_arg(*list, double);
		uint64_t bits;
		memcpy(&bits, &number, sizeof bits);
		pack_number(f, bits, 8);
	} else if (*at == 's') {
		const char *string = va_arg(*list, const char *);
		pack(f, string, strlen(string) + 1);
	} else if (*at == 'p') {
		pack_number(f, (uintptr_t)va_arg(*list, void *), native);
	} else if (size == 0 || size == 'h') {
		pack_number(f, (uint64_t)va_arg(*list, int), bytes);
	} else {
		pack_number(f, va_arg(*list, uint64_t), bytes); /* long, long long, ... */
	}
	return at + 1;
}

void
mk_format_clear(struct mk_format *f, bool wide)
{
	f->wide = wide;
	f->format_length = f->args_length = f->text_length = 0;
	f->format[0] = f->text[0] = '\0';
}

void
mk_format_vadd(struct mk_format *f, const char *piece, va_list list)
{
	va_list args; /* LIST is read twice: for the text and for the wire */
	va_copy(args, list);
	int n = vsnprintf(f->text + f->text_length, sizeof f->text - f->text_length, piece, args);
	va_end(args);
	f->text_length += (size_t)n;

	size_t length = strlen(piece);
	if (f->text_length >= sizeof f->text || length >= sizeof f->format - f->format_length)
		mk_die("a text is too long for one message");
	memcpy(f->format + f->format_length, piece, length + 1);
	f->format_length += length;

	va_copy(args, list);
	for (const char *at = strchr(piece, '%'); at; at = strchr(at, '%')) {
		for (at++; *at && strchr("-+ #0123456789.*", *at); at++)
			if (*at == '*')
				pack_number(f, (uint64_t)va_arg(args, int), 4);
		at = *at == '%' ? at + 1 : pack_conversion(f, at, &args);
	}
	va_end(args);
}

void
mk_format_add(struct mk_format *f, const char *piece, ...)
{
	va_list list;
	va_start(list, piece);
	mk_format_vadd(f, piece, list);
	va_end(list);
}

/* --- messages ---------------------------------------------------------- */

void
mk_begin(struct mk_message *m, enum mk_type type, unsigned subtype, enum mk_severity severity)
{
	bool told = m->told;
	memset(m, 0, offsetof(struct mk_message, payload));
	m->told = told;
	m->type = (uint8_t)type;
	m->subtype = (uint8_t)subtype;
	m->severity = (uint8_t)severity;
	m->text[0] = '\0';
	m->extra[0] = '\0';
}

void
mk_build(struct mk_message *m, uint64_t number, const char *words)
{
	if (m->subtype != MK_BUILD_LONG) {
		bool small = m->subtype == MK_BUILD_COMPACT32;
		m->value = number & (((uint64_t)1 << (small ? 22 : 54)) - 1);
		text(m, "0x%0*" PRIX64, small ? 8 : 16, m->value);
		extra(m, "\tid=%" PRIu64, m->value);
		return;
	}
	put_number(m, number, 8);
	if (words)
		put(m, words, strlen(words) + 1);
	text(m, "0x%016" PRIX64 "%s%s", number, words ? " " : "", words ? words : "");
	extra(m, "\tid=%" PRIu64, number);
}

void
mk_short(struct mk_message *m, uint64_t value)
{
	bool small = m->type == MK_SHORT32;
	m->value = value & (((uint64_t)1 << (small ? 28 : 60)) - 1);
	text(m, "0x%0*" PRIX64, small ? 8 : 16, m->value);
	extra(m, "\tvalue=%" PRIu64, m->value);
}

void
mk_string(struct mk_message *m, const char *words, size_t length, bool terminated)
{
	put(m, words, length);
	if (terminated)
		put(m, "", 1);
	text(m, "%.*s", (int)length, words);
}

void
mk_printf(struct mk_message *m, const struct mk_format *f)
{
	put(m, f->format, f->format_length + 1);
	put(m, f->args, f->args_length);
	text(m, "%s", f->text);
}

unsigned
mk_catalog_subtype(bool wide_id, bool wide_args)
{
	return 1u + (wide_id ? 1 : 0) + (wide_args ? 4 : 0);
}

void
mk_catalog(struct mk_message *m, uint64_t id, const struct mk_format *f)
{
	put_number(m, id, m->subtype & 1 ? 4 : 8);
	put(m, f->args, f->args_length);
	text(m, "%s", f->text);
	extra(m, "\tid=%" PRIu64, id);
}

void
mk_raw(struct mk_message *m, const uint8_t *bytes, size_t length)
{
	put(m, bytes, length);
	if (m->told)
		text_hex(m->text, bytes, length);
}

void
mk_clock(struct mk_message *m, uint64_t clock, uint64_t hz)
{
	put_number(m, clock, 8);
	put_number(m, hz, 8);
	text(m, "*");
	extra(m, "\tclock=%" PRIu64 "\tfreq=%" PRIu64, clock, hz);
}

void
mk_sbd(struct mk_message *m, uint64_t id, uint64_t address, const char *name, const uint8_t *bytes,
       size_t length)
{
	static const uint8_t address_bytes[] = {0, 2, 4, 8};
	put_number(m, id, m->subtype & 1 ? 8 : 4);
	extra(m, "\tid=%" PRIu64, id);
	if (address_bytes[m->subtype >> 2 & 3]) {
		put_number(m, address, address_bytes[m->subtype >> 2 & 3]);
		extra(m, "\taddr=%" PRIu64, address);
	}
	if (m->subtype & 2) {
		put(m, name, strlen(name) + 1);
		extra(m, "\tname=%s", name);
	}
	put(m, bytes, length);
	text(m, "*");
	if (m->told && length && length < 512) {
		char hex[1024];
		text_hex(hex, bytes, length);
		extra(m, "\tdata=%s", hex);
	}
}

bool
mk_is_short(const struct mk_message *m)
{
	return m->type == MK_SHORT32 || m->type == MK_SHORT64 ||
	       (m->type == MK_BUILD && m->subtype != MK_BUILD_LONG);
}

bool
mk_self_delimiting(const struct mk_message *m)
{
	return m->has_length || m->type == MK_CLOCK || mk_is_short(m);
}

/* SHORT and compact BUILD: one word, most of it the value.  False: M is not
 * one of them. */
static bool
encode_short(const struct mk_message *m, uint8_t *to, size_t *length)
{
	if (!mk_is_short(m))
		return false;
	if (m->type != MK_BUILD) {
		*length = m->type == MK_SHORT32 ? 4 : 8;
		little(to, m->value << 4 | m->type, (unsigned)*length);
		return true;
	}
	*length = m->subtype == MK_BUILD_COMPACT32 ? 4 : 8;
	little(to, (m->value & 0xfffff) << 4 | (uint64_t)m->subtype << 24 | m->value >> 20 << 30,
	       (unsigned)*length);
	return true;
}

static uint8_t *
encode_location(const struct mk_message *m, uint8_t *to)
{
	uint32_t file = (uint32_t)(m->location >> 32), line = (uint32_t)m->location;
	*to++ = m->location_form;
	switch (m->location_form) {
	case 0:
		return little(little(to, file, 2), line, 2);
	case 1:
		return little(little(to, file, 4), line, 4);
	case 2:
		return little(to, m->location, 4);
	default:
		return little(to, m->location, 8);
	}
}

size_t
mk_encode(const struct mk_message *m, uint8_t *to)
{
	size_t length;
	if (encode_short(m, to, &length))
		return length;

	uint32_t header = m->type | (uint32_t)m->severity << 4 | (uint32_t)m->has_location << 8 |
			  (uint32_t)m->has_length << 9 | (uint32_t)m->has_crc << 10 |
			  (uint32_t)m->has_time << 11 | (uint32_t)m->has_guid << 23 |
			  (uint32_t)m->subtype << 24;
	header |= m->has_guid ? (m->unit & 2047u) << 12
			      : (m->unit & 15u) << 12 | (m->module & 127u) << 16;

	uint8_t *at = little(to, header, 4);
	if (m->has_guid) {
		memcpy(at, m->guid, 16);
		at += 16;
	}
	if (m->has_location)
		at = encode_location(m, at);
	if (m->has_length)
		at = little(at, m->length, 2);
	if (m->has_time)
		at = little(at, m->time, 8);
	memcpy(at, m->payload, m->length);
	at += m->length;
	if (m->has_crc)
		at = little(at, crc32c(to, (size_t)(at - to)) ^ (m->bad_crc ? 0x5a : 0), 4);
	return (size_t)(at - to);
}

/* --- the truth --------------------------------------------------------- */

void
mk_truth_head(FILE *truth)
{
	fputs("offset\tlength\tticks\tstate\tseverity\ttype\ttext\tfields\n", truth);
}

/* As captured, but nothing that would break a line or a column. */
static void
truth_text(FILE *truth, const char *at)
{
	for (; *at; at++) {
		unsigned char c = (unsigned char)*at;
		if (c < ' ' || c == '\\' || c == 0x7f)
			fprintf(truth, "\\x%02x", c);
		else
			putc(c, truth);
	}
}

void
mk_truth_other(FILE *truth, uint64_t offset, uint64_t length, const char *state,
	       const struct mk_transport *t, enum mk_severity severity, const char *type,
	       const char *words, const char *fields)
{
	fprintf(truth, "%" PRIu64 "\t%" PRIu64 "\t", offset, length);
	if (t && t->timed)
		fprintf(truth, "%" PRIu64, t->ticks);
	else
		putc('-', truth);
	fprintf(truth, "\t%s\t%s\t%s\t", state, severity_names[severity], type);
	truth_text(truth, words);
	if (t && t->addressed)
		fprintf(truth, "\tmaster=%u\tchannel=%u", t->master, t->channel);
	fputs(fields, truth);
	putc('\n', truth);
}

static void
type_name(const struct mk_message *m, char *to, size_t size)
{
	static const char *const builds[] = {"COMPACT32", "COMPACT64", "LONG"};
	static const char *const strings[64] = {
	    [MK_GENERIC] = "GENERIC",	[MK_ENTER] = "ENTER",	[MK_EXIT] = "EXIT",
	    [MK_INVPARAM] = "INVPARAM", [MK_ASSERT] = "ASSERT", [MK_PRINTF32] = "PRINTF32",
	    [MK_PRINTF64] = "PRINTF64",
	};
	static const char *const catalogs[] = {
	    [1] = "ID32P32",
	    [2] = "ID64P32",
	    [5] = "ID32P64",
	    [6] = "ID64P64",
	};
	switch ((enum mk_type)m->type) {
	case MK_BUILD:
		snprintf(to, size, "BUILD:%s", builds[m->subtype]);
		break;
	case MK_SHORT32:
		snprintf(to, size, "SHORT32");
		break;
	case MK_SHORT64:
		snprintf(to, size, "SHORT64");
		break;
	case MK_STRING:
		snprintf(to, size, "STRING:%s", strings[m->subtype]);
		break;
	case MK_CATALOG:
		snprintf(to, size, "CATALOG:%s", catalogs[m->subtype]);
		break;
	case MK_RAW:
		if (m->protocol)
			snprintf(to, size, "RAW:%s", m->protocol);
		else
			snprintf(to, size, "RAW:%u", m->subtype);
		break;
	case MK_CLOCK:
		snprintf(to, size, "CLOCK:SYNC");
		break;
	case MK_SBD:
		snprintf(to, size, "SBD:%u", m->subtype);
		break;
	}
}

void
mk_guid_text(const uint8_t guid[16], char text_of[40])
{
	char *at = text_of + sprintf(text_of, "{");
	for (int i = 0; i < 16; i++)
		at +=
		    sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", guid[i]);
	sprintf(at, "}");
}

/* The fields of the header, as `\tname=value`. */
static void
header_fields(const struct mk_message *m, char *to, size_t size)
{
	*to = '\0';
	if (mk_is_short(m))
		return;
	char *at = to;
	if (m->has_guid) {
		char guid[40];
		mk_guid_text(m->guid, guid);
		at += snprintf(at, size, "\tguid=%s", guid);
	} else {
		at += snprintf(at, size, "\tmodule=%u", m->module);
	}
	at += sprintf(at, "\tunit=%u", m->unit);
	if (m->has_location && m->file_name)
		at += sprintf(at, "\tlocation=%s:%" PRIu32, m->file_name, (uint32_t)m->location);
	else if (m->has_location && m->location_form < 2)
		at += sprintf(at, "\tlocation=%" PRIu64 ":%" PRIu64, m->location >> 32,
			      m->location & UINT32_MAX);
	else if (m->has_location)
		at += sprintf(at, "\tlocation=0x%0*" PRIX64, m->location_form == 2 ? 8 : 16,
			      m->location);
	if (m->has_time)
		at += sprintf(at, "\tmsg_ts=%" PRIu64, m->time);
	if (m->has_crc)
		sprintf(at, "\tcrc_ok=%d", !m->bad_crc);
}

void
mk_truth_message(FILE *truth, uint64_t offset, uint64_t length, const char *state,
		 const struct mk_transport *t, const struct mk_message *m)
{
	char type[32], fields[256 + sizeof m->extra];
	type_name(m, type, sizeof type);
	header_fields(m, fields, sizeof fields);
	strcat(fields, m->extra);

	bool whole = !mk_is_short(m), rates = whole && (m->type != MK_CLOCK || m->severity);
	struct mk_transport own = {.timed = whole && m->has_time, .ticks = m->time};
	mk_truth_other(
	    truth, offset, length, m->bad_crc ? "bad-crc" : state, t && t->timed ? t : &own,
	    rates ? (enum mk_severity)m->severity : MK_NO_SEVERITY, type, m->text, fields);
}
