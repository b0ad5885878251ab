/*
 * Files that trawl does not read as captures: see foreign.h.
 *
 * Special rows of the table come before general ones: a core dump is an ELF file, a
 * sigrok capture a ZIP file.  A row has up to two byte strings at fixed offsets.  A
 * format without such bytes has a function that checks the whole head.
 */
#include "config.h"

#include "capture/foreign.h"
#include "base/bytes.h"

#include <stdbool.h>
#include <string.h>

struct magic {
	size_t offset;
	const char *bytes; /* LENGTH bytes; NULL: nothing to compare */
	size_t length;
};
#define MAGIC(at, string)                                                                          \
	{                                                                                          \
		.offset = (at), .bytes = (string), .length = sizeof(string) - 1                    \
	}

/*
 * RISC-V N-Trace 1.0, chapter "Message structure": the two lowest bits of each byte
 * (MSEO) mark the ends of fields and messages.  00 continues, 01 ends a field of variable
 * length, 11 ends a message or is idle, 10 is reserved.  The first byte of a message has
 * 00 and the transfer code (TCODE) above it.
 */
static bool
is_ntrace(const uint8_t *p, size_t length)
{
	/* codes in the table of messages of N-Trace 1.0, and vendor codes */
	static const uint8_t codes[] = {2,  3,	4,  7,	8,  9,	11, 12, 27, 28, 29,
					30, 33, 34, 56, 57, 58, 59, 60, 61, 62, 63};
	enum { LEAST = 16 };
	size_t messages = 0;
	bool inside = true; /* the first bytes may be the rest of a message */
	for (size_t i = 0; i < length; i++) {
		unsigned state = p[i] & 3;
		if (state == 2)
			return false;
		if (!inside && state != 3) {
			if (state || !memchr(codes, p[i] >> 2, sizeof codes))
				return false;
			messages++;
		}
		inside = state != 3;
	}
	return messages >= LEAST;
}

/*
 * Espressif's encoder (ESP32-C6, -H2, -P4) writes E-Trace packets in its own form: a
 * length in five bits, three bits of 0, a 16-bit index that counts packets, then the
 * payload.  Zeros separate some packets [second hand: esp-trace-decoder].  In that source
 * the length includes the three bytes before the payload.  Both readings are tried.
 */
static bool
is_esp_etrace(const uint8_t *p, size_t length)
{
	enum { LEAST = 16, STARTS = 64, HEAD = 3 };
	for (size_t try = 0; try < 2 * STARTS; try++) {
		size_t at = try / 2, count = 0;
		uint16_t next = 0;
		while (length > HEAD && at < length - HEAD && count < LEAST) {
			size_t size = (p[at] & 31) + (try % 2 ? HEAD : 0);
			uint16_t index = bytes_le16(p + at + 1);
			if (!p[at]) {
				at++;
				continue;
			}
			if (p[at] >> 5 || size <= HEAD || (count && index != next))
				break;
			next = (uint16_t)(index + 1);
			count++;
			at += size;
		}
		if (count == LEAST)
			return true;
	}
	return false;
}

/* Return the length of a message of Zephyr's dictionary logs at P, or 0 if it is none.  A message
 * begins with 0, then level and lengths: four bytes in database version 1, five in version 3.  A
 * source and a time follow, 4 or 8 bytes each, then a package.  The first byte of the package is
 * the number of words of its arguments.  Dropped messages are 1 and their number [Zephyr,
 * log_output_dict.h, cbprintf.h]. */
static size_t
dictionary_message(const uint8_t *p, size_t left, bool old, size_t rest)
{
	size_t head = (old ? 5 : 6) + rest;
	if (*p == 1)
		return 3;
	if (*p || left <= head)
		return 0;
	uint32_t bits = bytes_le32(p + 1);
	unsigned level = old ? bits >> 3 & 7 : p[1] >> 4;
	size_t package = old ? bits >> 6 & 0x3ff : bytes_le16(p + 2);
	size_t data = old ? bits >> 16 & 0xfff : bytes_le16(p + 4);
	bool fits = level <= 4 && package >= 8 && p[head] >= 2 && (size_t)4 * p[head] <= package;
	return fits ? head + package + data : 0;
}

static bool
is_dictionary_log(const uint8_t *p, size_t length)
{
	static const char hex[] = "##ZLOGV1##"; /* [Zephyr, log_backend_uart.c] */
	enum { LEAST = 8 };
	if (memmem(p, length, hex, sizeof hex - 1))
		return true;
	for (unsigned form = 0; form < 6; form++) {
		size_t rest = (size_t)8 + 4 * (form / 2), count = 0, size = 1;
		for (size_t at = 0; at < length && size; at += size) {
			size = dictionary_message(p + at, length - at, form % 2, rest);
			if (!size && length - at > 64)
				count = 0; /* damaged, not just cut */
			count += size && !p[at];
		}
		if (count >= LEAST)
			return true;
	}
	return false;
}

/* True if the tool's comments come first, before the events [second hand: OpenOCD of Espressif,
 * which writes it]. */
static bool
is_systemview(const uint8_t *p, size_t length)
{
	static const char name[] = "SEGGER SystemView";
	return length && *p == ';' &&
	       memmem(p, length < 1024 ? length : 1024, name, sizeof name - 1);
}

/* True if a declaration keyword comes first, up to $end, and later a scope or a variable [IEEE
 * 1364, 18.2]. */
static bool
is_vcd(const uint8_t *p, size_t length)
{
	static const char *const begins[] = {"$date", "$version", "$timescale", "$comment",
					     "$scope"};
	bool begun = false;
	while (length && strchr(" \t\r\n", *p) && *p)
		p++, length--;
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		begun |= length > strlen(begins[i]) && !memcmp(p, begins[i], strlen(begins[i]));
	return begun && memmem(p, length, "$end", 4) &&
	       (memmem(p, length, "$scope", 6) || memmem(p, length, "$var", 4));
}

#define DECOMPRESS(tool) "decompress it first: " tool " FILE"
#define PERF "trawl reads only its CoreSight trace; perf script -D -i FILE shows all of it"
#define NO_READER "trawl does not read it"

static const struct foreign_row {
	struct foreign foreign;
	struct magic magic, more;
	bool (*fits)(const uint8_t *, size_t); /* or NULL */
} rows[] = {
    /* System V ABI, "ELF header": EI_DATA at 5, e_type at 16, which is 4 for a core */
    {{"core dump", "it holds memory, not a trace"}, MAGIC(0, "\177ELF"), MAGIC(16, "\4\0")},
    {{"core dump", "it holds memory, not a trace"}, MAGIC(0, "\177ELF"), MAGIC(16, "\0\4")},
    {{"ELF program or library",
      "a program, not a trace; name it in the profile of its trace, under symbols or images"},
     MAGIC(0, "\177ELF"),
     {0}},
    /* trawl reads the CoreSight trace in it before it uses this table */
    {{"perf.data", PERF}, MAGIC(0, "PERFILE2"), {0}},
    {{"perf.data", PERF}, MAGIC(0, "2ELIFREP"), {0}},
    {{"gzip-compressed data", DECOMPRESS("gzip -dk"), "gzip"}, MAGIC(0, "\x1f\x8b\x08"), {0}},
    {{"xz-compressed data", DECOMPRESS("xz -dk"), "xz"},
     MAGIC(0, "\xfd"
	      "7zXZ\0"),
     {0}},
    {{"zstd-compressed data", DECOMPRESS("zstd -d"), "zstd"}, MAGIC(0, "\x28\xb5\x2f\xfd"), {0}},
    {{"bzip2-compressed data", DECOMPRESS("bzip2 -dk"), "bzip2"},
     MAGIC(0, "BZh"),
     MAGIC(4, "\x31\x41\x59\x26\x53\x59")},
    {{"bzip2-compressed data", DECOMPRESS("bzip2 -dk"), "bzip2"}, /* an empty file */
     MAGIC(0, "BZh"),
     MAGIC(4, "\x17\x72\x45\x38\x50\x90")},
    {{"lz4-compressed data", DECOMPRESS("lz4 -d"), "lz4"}, MAGIC(0, "\x04\x22\x4d\x18"), {0}},
    {{"sigrok session", "export its samples first: sigrok-cli -i FILE -O binary -o FILE.bin"},
     MAGIC(0, "PK\3\4"),
     MAGIC(30, "version")},
    {{"ZIP archive", "extract it first: unzip FILE", "zip"}, MAGIC(0, "PK\3\4"), {0}},
    {{"tar archive", "extract it first: tar -xf FILE", "tar"}, MAGIC(257, "ustar"), {0}},
    {{"pcap network capture", "wireshark reads it"}, MAGIC(0, "\xd4\xc3\xb2\xa1"), {0}},
    {{"pcap network capture", "wireshark reads it"}, MAGIC(0, "\xa1\xb2\xc3\xd4"), {0}},
    {{"pcap network capture", "wireshark reads it"}, MAGIC(0, "\x4d\x3c\xb2\xa1"), {0}},
    {{"pcap network capture", "wireshark reads it"}, MAGIC(0, "\xa1\xb2\x3c\x4d"), {0}},
    {{"pcapng network capture", "wireshark reads it"}, MAGIC(0, "\x0a\x0d\x0d\x0a"), {0}},
    /* CTF 1.8.3, section 5 (packet header) and section 7.1 (metadata) */
    {{"CTF packets", "babeltrace2 reads the folder it lies in"}, MAGIC(0, "\xc1\x1f\xfc\xc1"), {0}},
    {{"CTF packets", "babeltrace2 reads the folder it lies in"}, MAGIC(0, "\xc1\xfc\x1f\xc1"), {0}},
    {{"CTF metadata", "babeltrace2 reads the folder it lies in"},
     MAGIC(0, "\x57\x1d\xd1\x75"),
     {0}},
    {{"CTF metadata", "babeltrace2 reads the folder it lies in"},
     MAGIC(0, "\x75\xd1\x1d\x57"),
     {0}},
    {{"CTF metadata", "babeltrace2 reads the folder it lies in"}, MAGIC(0, "/* CTF 1."), {0}},
    /* AUTOSAR, Diagnostic Log and Trace: the storage header, and the serial one */
    {{"DLT log", "dlt-viewer reads it"}, MAGIC(0, "DLT\1"), {0}},
    {{"DLT log", "dlt-viewer reads it"}, MAGIC(0, "DLS\1"), {0}},
    {{"SEGGER SystemView recording", "SystemView reads it"}, {0}, {0}, is_systemview},
    {{"value change dump (VCD)", "gtkwave FILE shows it"}, {0}, {0}, is_vcd},
    {{"Zephyr dictionary log",
      "log_parser.py of Zephyr reads it: scripts/logging/dictionary/log_parser.py "
      "log_dictionary.json FILE"},
     {0},
     {0},
     is_dictionary_log},
    {{"E-Trace of an Espressif chip", "esp-trace-decoder reads it, with the program's ELF file"},
     {0},
     {0},
     is_esp_etrace},
    {{"RISC-V N-Trace", NO_READER "; of RISC-V it reads E-Trace in its encapsulation"},
     {0},
     {0},
     is_ntrace},
};

static bool
has_magic(const struct magic *magic, const uint8_t *head, size_t length)
{
	return magic->offset + magic->length <= length &&
	       (!magic->bytes || !memcmp(head + magic->offset, magic->bytes, magic->length));
}

const struct foreign *
foreign_find(const uint8_t *head, size_t length)
{
	if (!length)
		return NULL;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct foreign_row *row = &rows[i];
		if (has_magic(&row->magic, head, length) && has_magic(&row->more, head, length) &&
		    (!row->fits || row->fits(head, length)))
			return &row->foreign;
	}
	return NULL;
}

size_t
foreign_plain_length(const char *name)
{
	static const char *const endings[] = {".gz",  ".xz",  ".zst", ".bz2",  ".lz4",	".zip",
					      ".tar", ".tgz", ".txz", ".tzst", ".tbz2", ".tlz4"};
	size_t length = strlen(name), cut;
	do {
		cut = 0;
		for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
			size_t ending = strlen(endings[i]);
			if (length > ending && name[length - ending - 1] != '/' &&
			    !memcmp(name + length - ending, endings[i], ending))
				cut = ending;
		}
		length -= cut;
	} while (cut);
	return length;
}

void
foreign_explain(const struct foreign *foreign, const char *path, struct text *out)
{
	static const char file[] = "FILE";
	const char *help = foreign->help, *at;
	text_addf(out, "%s: ", foreign->name);
	for (; (at = strstr(help, file)); help = at + strlen(file)) {
		text_add_bytes(out, help, (size_t)(at - help));
		text_add(out, path);
	}
	text_add(out, help);
}
