/*
 * MIPI SyS-T: the tables of the format, and the functions that stepping needs: a message's extent,
 * kind and sender.
 *
 * Except for the CRC, everything here reads only the prefix of a message.  Text and fields are
 * made in syst_expand.c.  The transports split a capture into messages: syst_raw.c, syst_hex.c,
 * syst_stp.c.  See syst.h for the citations.
 */
#include "config.h"

#include "decode/syst/syst.h"
#include "decode/stp/stp_expand.h"
#include "decode/syst/syst_frame.h"

#include <ctype.h>
#include <stdlib.h>

_Static_assert((int)SYST_F_STP_USER == (int)STP_F_USER, "fields of the transport");
_Static_assert((int)SYST_KIND_COUNT == SYST_STP_ASYNC + (int)STP_KIND_COUNT, "its kinds");

/* --- tables ------------------------------------------------------------ */

const struct kind_row syst_kinds[SYST_KIND_COUNT] = {
    [SYST_BUILD] = {"build", "the version of the sender's software"},
    [SYST_SHORT32] = {"short32", "28 bits of value in one word"},
    [SYST_STRING] = {"string", "text, printf format with arguments, function entry and exit"},
    [SYST_CATALOG] = {"catalog", "the number of a format, with arguments"},
    [4] = {"reserved4", "not used"},
    [5] = {"reserved5", "not used"},
    [SYST_RAW] = {"raw", "bytes of another protocol"},
    [SYST_SHORT64] = {"short64", "60 bits of value in two words"},
    [SYST_CLOCK] = {"clock", "the sender's clock at the transport's time"},
    [SYST_SBD] = {"sbd", "structured binary data: id, address, name, bytes"},
    [SYST_UNKNOWN] = {"unknown", "a reserved type or subtype"},
    [SYST_BAD] = {"bad", "a message that does not hold together"},
    [SYST_FILLER] = {"filler", "a run of zero bytes"},
    [SYST_DAMAGE] = {"damage", "undecoded bytes"},
    [SYST_LINE] = {"line", "a line of other text"},
    [SYST_DATA] = {"data", "a frame that is not SyS-T"},
    STP_KINDS(SYST_STP_ASYNC),
};

/* clang-format off: tables have rows */

/* [SyS-T 1.0, "SyS-T Messages Types"] */
static const char *const type_names[16] = {
    "BUILD", "SHORT32", "STRING",   "CATALOG",	"reserved", "reserved", "RAW",	    "SHORT64",
    "CLOCK", "SBD",	"reserved", "reserved", "reserved", "reserved", "reserved", "reserved"};

/* [SyS-T 1.0, "Severity"] */
static const char *const severity_names[8] = {"MAX",  "FATAL", "ERROR", "WARNING",
					      "INFO", "USER1", "USER2", "DEBUG"};

const struct field_row syst_fields[SYST_F_COUNT] = {
    STP_FIELDS,
    [SYST_F_HEADER] = {"header", FIELD_GROUP, "the first word", .folded = true, .part = FIELD_HEAD},
    [SYST_F_TYPE] = {"type", FIELD_UINT, "type of message", .detail = true, .values = type_names,
		     .value_count = 16},
    [SYST_F_SEVERITY] = {"severity", FIELD_UINT, "severity in the header", .detail = true,
			 .values = severity_names, .value_count = 8},
    [SYST_F_RESERVED] = {"reserved", FIELD_HEX, "header bits that should be zero", .detail = true},
    [SYST_F_HAS_LOCATION] = {"has_location", FIELD_BOOL, "whether a source location is given",
			     .detail = true},
    [SYST_F_HAS_LENGTH] = {"has_length", FIELD_BOOL, "whether the payload's length is given",
			   .detail = true},
    [SYST_F_HAS_CRC] = {"has_crc", FIELD_BOOL, "whether a checksum is given", .detail = true},
    [SYST_F_HAS_TIME] = {"has_time", FIELD_BOOL, "whether a time stamp is given", .detail = true},
    [SYST_F_HAS_GUID] = {"has_guid", FIELD_BOOL, "whether a GUID is given", .detail = true},
    [SYST_F_SUBTYPE] = {"subtype", FIELD_UINT, "subtype of message", .detail = true},
    /* 11 bits, with a GUID all of the unit [SyS-T 1.0, "Header"] */
    [SYST_F_UNIT] = {"unit", FIELD_UINT, "part of the sender, by its own numbering",
		     .part = FIELD_HEAD, .most = 2047},
    [SYST_F_MODULE] = {"module", FIELD_UINT, "sender, where it has no GUID", .part = FIELD_HEAD,
		       .most = 127},
    [SYST_F_GUID] = {"guid", FIELD_TEXT, "sender's GUID", .part = FIELD_HEAD},
    [SYST_F_LOCATION] = {"location", FIELD_TEXT, "where in the source: file:line or address",
			 .address = FIELD_ADDRESS},
    [SYST_F_PAYLOAD_LENGTH] = {"payload_length", FIELD_UINT,
			       "bytes of payload by the message's account", .detail = true,
			       .part = FIELD_HEAD},
    [SYST_F_MSG_TS] = {"msg_ts", FIELD_UINT, "sender's time stamp, in its own unit",
		       .part = FIELD_HEAD},
    [SYST_F_ID] = {"id", FIELD_HEXTEXT, "build, catalog or data identifier", .part = FIELD_HEAD},
    [SYST_F_FORMAT] = {"format", FIELD_TEXT, "printf format of the message", .detail = true,
		       .part = FIELD_HEAD},
    [SYST_F_ARGS] = {"args", FIELD_LIST, "arguments of the format"},
    [SYST_F_ARG_INT] = {"arg_int", FIELD_INT, "a signed argument", .argument = true},
    [SYST_F_ARG_UINT] = {"arg_uint", FIELD_UINT, "an unsigned argument", .argument = true},
    [SYST_F_ARG_NUMBER] = {"arg_number", FIELD_NUMBER, "a floating-point argument",
			   .argument = true},
    [SYST_F_ARG_TEXT] = {"arg_text", FIELD_TEXT, "a text argument", .argument = true},
    [SYST_F_VALUE] = {"value", FIELD_HEXTEXT, "value of a short message"},
    [SYST_F_CLOCK] = {"clock", FIELD_UINT, "sender's clock in ticks"},
    [SYST_F_FREQ] = {"freq", FIELD_UINT, "ticks per second of the sender's clock"},
    [SYST_F_ADDR] = {"addr", FIELD_HEXTEXT, "address of the data"},
    [SYST_F_NAME] = {"name", FIELD_TEXT, "name of the data"},
    [SYST_F_DATA] = {"data", FIELD_BYTES, "payload that has no further form"},
    [SYST_F_STRING] = {"string", FIELD_TEXT, "text of the message", .detail = true,
		       .part = FIELD_HEAD},
    [SYST_F_CRC] = {"crc", FIELD_HEX, "CRC-32C at the end of the message", .digits = 8,
		    .part = FIELD_HEAD},
    [SYST_F_CRC_OK] = {"crc_ok", FIELD_BOOL, "whether the CRC fits the message",
		       .part = FIELD_HEAD},
    [SYST_F_TRAILING] = {"trailing", FIELD_BYTES, "bytes that the message does not use",
			 .detail = true, .part = FIELD_HEAD},
    [SYST_F_NOTE] = {"note", FIELD_TEXT, "fault of the message", .detail = true},
};

static const char *const transports[] = {[SYST_TRANSPORT_AUTO] = "auto",
					 [SYST_TRANSPORT_RAW] = "raw",
					 [SYST_TRANSPORT_STP] = "stp",
					 [SYST_TRANSPORT_HEX] = "hex",
					 NULL};
static const char *const nibbles[] = {
    [SYST_NIBBLES_AUTO] = "auto", [SYST_NIBBLES_MSN] = "msn", [SYST_NIBBLES_LSN] = "lsn", NULL};
static const char *const epochs[] = {[SYST_EPOCH_UNIX] = "unix",
				     [SYST_EPOCH_NONE] = "none",
				     [SYST_EPOCH_NANOSECONDS] = "nanoseconds",
				     NULL};

#define OPTION(...) OPTION_ROW(struct syst_options, __VA_ARGS__)
static const struct option_row option_rows[] = {
    OPTION(transport, CHOICE, "how messages lie in the capture; auto: found by content", "auto",
	   .choices = transports),
    OPTION(nibbles, CHOICE, "STP nibble order; auto: as its VERSION declares, else guessed", "auto",
	   .choices = nibbles),
    OPTION(plain, LIST,
	   "STP masters and channels with data other than SyS-T, as "
	   "MASTER:CHANNEL; none: no sender; absent: found in the first "
	   "64 KiB"),
    OPTION(guid, TEXT,
	   "sender of short messages, as {8-4-4-4-12} hexadecimal digits; without it, STP master "
	   "and channel",
	   .check = option_check_guid),
    OPTION(collateral, LIST, "XML files or their folders, with the texts of messages", .path = true,
	   .description = true),
    OPTION(ts_hz, UINT, "ticks per second of the messages' own time stamps, 0 if unknown",
	   .max = 1000000000000),
    OPTION(ts_epoch, CHOICE,
	   "start of the messages' own timestamps; nanoseconds: since "
	   "1970, regardless of ts_hz",
	   "unix", .choices = epochs),
};
/* clang-format on */

const struct option_table syst_options = OPTION_TABLE("syst", struct syst_options, option_rows);

#define BIT(n) (1ull << (n))
const uint64_t syst_subtypes[16] = {
    [SYST_BUILD] = BIT(0) | BIT(1) | BIT(2),
    [SYST_SHORT32] = UINT64_MAX,
    [SYST_STRING] = BIT(1) | BIT(2) | BIT(3) | BIT(5) | BIT(7) | BIT(11) | BIT(12),
    [SYST_CATALOG] = BIT(1) | BIT(2) | BIT(5) | BIT(6),
    [SYST_RAW] = UINT64_MAX,
    [SYST_SHORT64] = UINT64_MAX,
    [SYST_CLOCK] = BIT(1),
    [SYST_SBD] = 0xffff, /* bits: wide id, name, two for the address */
};

const uint64_t syst_words[2][16] = {
    {[SYST_BUILD] = BIT(SYST_BUILD_COMPACT32), [SYST_SHORT32] = UINT64_MAX},
    {[SYST_BUILD] = BIT(SYST_BUILD_COMPACT64), [SYST_SHORT64] = UINT64_MAX},
};

const uint64_t syst_formatted[16] = {
    [SYST_STRING] = BIT(SYST_STRING_PRINTF32) | BIT(SYST_STRING_PRINTF64),
    [SYST_CATALOG] = BIT(1) | BIT(2) | BIT(5) | BIT(6),
};

/* BUILD: a number of 64 bits; CATALOG: an id of 32 or 64; CLOCK: two numbers of 64; SBD: id and
 * address [SyS-T 1.0, payloads, second hand: library, systprint]. */
const uint8_t syst_payload_least[16][16] = {
    [SYST_BUILD] = {[2] = 8},
    [SYST_CATALOG] = {[1] = 4, [2] = 8, [5] = 4, [6] = 8},
    [SYST_CLOCK] = {[1] = 16},
    [SYST_SBD] = {4, 8, 4, 8, 6, 10, 6, 10, 8, 12, 8, 12, 12, 16, 12, 16},
};

const char *
syst_type_name(unsigned type)
{
	return type < 16 && syst_subtypes[type] ? type_names[type] : NULL;
}

const char *
syst_subtype_name(unsigned type, unsigned subtype)
{
	/* [SyS-T 1.0, subtypes, second hand: library, systprint] */
	static const char *const names[16][16] = {
	    [SYST_BUILD] = {"COMPACT32", "COMPACT64", "LONG"},
	    [SYST_STRING] = {[1] = "GENERIC",
			     [2] = "ENTER",
			     [3] = "EXIT",
			     [5] = "INVPARAM",
			     [7] = "ASSERT",
			     [11] = "PRINTF32",
			     [12] = "PRINTF64"},
	    [SYST_CATALOG] = {[1] = "ID32P32", [2] = "ID64P32", [5] = "ID32P64", [6] = "ID64P64"},
	    [SYST_CLOCK] = {[1] = "SYNC"},
	};
	return type < 16 && subtype < 16 ? names[type][subtype] : NULL;
}

/* --- GUIDs ------------------------------------------------------------- */

char *
syst_guid_text(char text[static SYST_GUID_TEXT], const uint8_t guid[static 16])
{
	static const char digits[] = "0123456789abcdef";
	char *out = text;
	*out++ = '{';
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*out++ = '-';
		*out++ = digits[guid[i] >> 4];
		*out++ = digits[guid[i] & 15];
	}
	*out++ = '}';
	*out = '\0';
	return text;
}

bool
syst_guid_parse(const char *text, uint8_t guid[static 16])
{
	bool braces = *text == '{';
	text += braces;
	for (int i = 0; i < 16; i++) {
		if ((i == 4 || i == 6 || i == 8 || i == 10) && *text++ != '-')
			return false;
		int high = bytes_hex_digit((unsigned char)text[0]);
		int low = high < 0 ? -1 : bytes_hex_digit((unsigned char)text[1]);
		if (low < 0)
			return false;
		guid[i] = (uint8_t)(high << 4 | low);
		text += 2;
	}
	return (!braces || *text++ == '}') && !*text;
}

/* --- frames ------------------------------------------------------------ */

/* Copy LENGTH bytes, fewer than SYST_PREFIX_MAX, and append zeroes. */
static const uint8_t *
pad_prefix(uint8_t padded[static SYST_PREFIX_MAX], const uint8_t *p, size_t length)
{
	memset(padded, 0, SYST_PREFIX_MAX);
	return memcpy(padded, p, length);
}

void
syst_peek(const uint8_t *p, size_t length, struct syst_peek *peek)
{
	uint8_t padded[SYST_PREFIX_MAX];
	if (length >= SYST_PREFIX_MAX)
		syst_peek_padded(p, length, peek);
	else
		syst_peek_zeroed(pad_prefix(padded, p, length), length, peek);
}

bool
syst_plausible(const uint8_t *p, size_t length)
{
	struct syst_peek peek;
	syst_peek(p, length, &peek);
	if (peek.extent != SYST_WHOLE && peek.extent != SYST_OPEN)
		return false;
	size_t own = peek.length ? peek.length : length;
	return !peek.suspect && own >= peek.least;
}

void
syst_message(const uint8_t *p, size_t length, struct message *m)
{
	struct syst_peek peek;
	syst_peek(p, length, &peek);
	syst_fill(&peek, length, m);
}

void
syst_frame_parse(struct syst_frame *f, const uint8_t *p, size_t length)
{
	uint8_t padded[SYST_PREFIX_MAX];
	f->p = p;
	f->length = length;
	f->header = f->type = f->subtype = 0;
	f->word = false;
	f->at = (struct syst_layout){0};
	f->payload = f->payload_end = 0;
	if (length < sizeof padded)
		p = pad_prefix(padded, p, length);
	syst_peek_zeroed(p, length, &f->peek);
	f->fault = syst_fault(&f->peek, length);
	if (length < 4)
		return;

	f->header = bytes_le32(p);
	f->type = syst_header_type(f->header);
	f->subtype = syst_header_subtype(f->header);
	f->word = syst_word_size(f->header) != 0;
	if (f->word) {
		f->payload_end = f->peek.length < length ? f->peek.length : length;
		return;
	}
	f->at = syst_layout(f->header, p);
	f->payload = f->at.payload < length ? f->at.payload : length;
	/* without a length field, the message ends with the frame; if the frame ends before the
	 * stated length, the CRC is missing too */
	bool stated = f->peek.has_length && length >= f->at.payload;
	bool cut = stated && length < f->peek.length;
	f->payload_end = stated && !cut ? f->peek.length : length;
	if (f->header & SYST_HEADER_CRC && !cut && f->payload_end - f->payload >= 4)
		f->payload_end -= 4;
}

void
syst_frame_drop_crc(struct syst_frame *f)
{
	f->payload_end += 4;
}

bool
syst_frame_crc(const struct syst_frame *f, uint32_t *stated, uint32_t *computed)
{
	if (f->word || !(f->header & SYST_HEADER_CRC) || f->payload_end + 4 > f->length ||
	    f->payload_end < f->payload)
		return false;
	*stated = bytes_le32(f->p + f->payload_end);
	*computed = bytes_crc32c(0, f->p, f->payload_end);
	return true;
}

/* True if an origin determines the field.  It is module and unit, or a GUID, for which the unit
 * may vary [SyS-T 1.0, "Header"]. */
bool
syst_origin_tells(const struct message *m, const struct field_row *row)
{
	if (m->origin == SYST_ORIGIN_NONE)
		return false;
	return row == &syst_fields[SYST_F_MODULE] || row == &syst_fields[SYST_F_GUID] ||
	       (row == &syst_fields[SYST_F_UNIT] && !(m->origin & SYST_ORIGIN_GUID));
}
