/*
 * Memory as lines of text: see words.h.
 *
 * Each form is a row of a table: the characters around the address, whether characters
 * follow the digits, and the byte order of a group.  If characters follow, they must
 * match the bytes of the line.  That distinguishes xxd from xxd -e.
 *
 * The forms come from the tools: xxd 2022, OpenOCD 0.12 (`mdw`, second hand), GDB 13
 * (`x`, second hand), U-Boot (`md`, which is as xxd -e, second hand), J-Link Commander
 * (`mem`, second hand: a line in a forum), util-linux hexdump, GNU od, Xilinx XSCT
 * (`mrd`, second hand), TRACE32 (`Data.dump`, second hand: mails to the Linux kernel's
 * list), TI Code Composer Studio (its help, "Data File Formats").  Records are those of
 * Intel (Hexadecimal Object File Format Specification, 1988) and Motorola (S-records,
 * M68000 Family Programmer's Manual, C).
 *
 * A line is kept until the next one is read.  od pads its last group with zeros, and only
 * the address after that group shows how many bytes are real.
 */
#include "config.h"

#include "capture/words.h"
#include "base/bytes.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
	CHUNK = 64 * 1024,
	GLANCE = 512,	  /* first bytes, which rule out most other text */
	LINE_MOST = 4096, /* longer lines fit no form */
	ROW_MOST = 512,	  /* bytes in a line */
	WORD_MOST = 8,	  /* bytes in a group that is a number */
	EQUALS_MOST = 16, /* bytes in a line of J-Link */
	OTHERS_MOST = 2,  /* other lines allowed in the head, plus 1 in OTHERS_SHARE */
	OTHERS_SHARE = 10,
	WORDS_LEAST = 16 /* least lines of a single number, a form without other marks */
};

enum address {
	ADDRESS_COLON,	/* 00000000: */
	ADDRESS_PREFIX, /* 0x00000000: */
	ADDRESS_EQUALS, /* 00000000 = */
	ADDRESS_BAR,	/* SD:00000000| */
	ADDRESS_INTEL,	/* in a record :LLAAAATT */
	ADDRESS_S,	/* in a record S1LLAAAA */
	ADDRESS_HEAD,	/* in the first line, 1651 1 00000000 0 0 */
	ADDRESS_BARE,	/* 00000000 */
	ADDRESS_OCTAL,	/* 0000000 */
	ADDRESS_ARRAY,	/* none; 0x00, in a C array */
	ADDRESS_WORD,	/* none; 0x00000000, one in each line */
	ADDRESS_NONE,
};

static const struct words_form {
	const char *name;
	enum address address;
	enum { CHARS_NONE, CHARS_BEHIND_GAP, CHARS_IN_BARS } chars;
	bool little;	/* bytes of a group in reverse order */
	bool prefixed;	/* groups begin with 0x */
	bool single;	/* one group in each line */
	unsigned bytes; /* in a group; 0: any */
	unsigned base;	/* of the digits, 8 or 2; 0: 16 */
} forms[] = {
    {.name = "xxd", .address = ADDRESS_COLON, .chars = CHARS_BEHIND_GAP},
    {.name = "xxd -e", .address = ADDRESS_COLON, .chars = CHARS_BEHIND_GAP, .little = true},
    {.name = "mrd", .address = ADDRESS_COLON, .little = true, .single = true},
    {.name = "Data.dump", .address = ADDRESS_BAR, .chars = CHARS_BEHIND_GAP, .little = true},
    {.name = "Intel HEX", .address = ADDRESS_INTEL},
    {.name = "S-records", .address = ADDRESS_S},
    {.name = "CCS data", .address = ADDRESS_HEAD},
    {.name = "mdb", .address = ADDRESS_PREFIX, .bytes = 1},
    {.name = "mdh", .address = ADDRESS_PREFIX, .little = true, .bytes = 2},
    {.name = "mdw", .address = ADDRESS_PREFIX, .little = true, .bytes = 4},
    {.name = "mdd", .address = ADDRESS_PREFIX, .little = true, .bytes = 8},
    {.name = "gdb x", .address = ADDRESS_PREFIX, .little = true, .prefixed = true},
    {.name = "hexdump -C", .address = ADDRESS_BARE, .chars = CHARS_IN_BARS, .little = true},
    {.name = "od", .address = ADDRESS_BARE, .little = true},
    {.name = "od", .address = ADDRESS_OCTAL, .little = true},
    {.name = "od", .address = ADDRESS_OCTAL, .chars = CHARS_IN_BARS, .little = true},
    {.name = "od", .address = ADDRESS_OCTAL, .little = true, .base = 8},
    {.name = "od", .address = ADDRESS_BARE, .little = true, .base = 8},
    {.name = "xxd -b", .address = ADDRESS_COLON, .chars = CHARS_BEHIND_GAP, .base = 2},
    {.name = "xxd -i", .address = ADDRESS_ARRAY},
    {.name = "mem", .address = ADDRESS_EQUALS, .chars = CHARS_BEHIND_GAP, .bytes = 1},
    {.name = "mem8", .address = ADDRESS_EQUALS, .bytes = 1},
    {.name = "mem16", .address = ADDRESS_EQUALS, .little = true, .bytes = 2},
    {.name = "mem32", .address = ADDRESS_EQUALS, .little = true, .bytes = 4},
    {.name = "mem64", .address = ADDRESS_EQUALS, .little = true, .bytes = 8},
    {.name = "words", .address = ADDRESS_WORD, .prefixed = true},
    {.name = "xxd -p", .address = ADDRESS_NONE},
};

/* A parsed line. */
struct words_row {
	bool addressed;
	uint64_t address;
	size_t count; /* 0: only an address */
	size_t group; /* bytes in the first group */
	char brace;   /* in arrays and records: `{` opens, `}` closes; else 0 */
	bool open;    /* an array's line that ends in a comma, so more follow */
	bool silent;  /* a record without bytes */
	/* carried over to the next line */
	uint64_t upper; /* base of the addresses in records */
	bool headed;	/* the first line of a CCS file was read */
	uint64_t due;	/* words to follow, by that line; 0: unknown */
	uint8_t bytes[ROW_MOST];
};

struct words {
	struct unpack_source source;
	const struct words_form *form;
	uint64_t base;
	uint64_t taken; /* bytes of the text already read */
	bool ended, unreadable;
	char text[CHUNK];
	size_t text_count, text_at;

	struct words_row row; /* last line; the next one may correct its length */
	bool started;	      /* ROW is valid */
	bool starred;	      /* a `*` came after it */
	bool broken;	      /* a damaged line with an address came after it */
	bool halved;	      /* the text ends within a byte or an element */
	bool in_array;	      /* the closing line has not come */
	size_t unsent;	      /* bytes of ROW not yet returned */
	uint64_t repeat;      /* repeated bytes not yet returned */
	size_t phase;	      /* index in ROW of the first such byte */
	uint64_t repeated;
	uint64_t gap;	       /* missing bytes before NEXT */
	struct words_row next; /* line after ROW, if NEXT_READ */
	bool next_read;
	uint8_t out[CHUNK];
};

/* --- lines --------------------------------------------------------------- */

struct words_cursor {
	const char *p, *end;
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void
skip_blanks(struct words_cursor *at)
{
	while (at->p < at->end && is_blank(*at->p))
		at->p++;
}

static bool
skip_char(struct words_cursor *at, char c)
{
	bool found = at->p < at->end && *at->p == c;
	at->p += found;
	return found;
}

/* Read digits of BASE.  Return their number. */
static size_t
read_digits(struct words_cursor *at, unsigned base, uint64_t *value)
{
	const char *start = at->p;
	for (*value = 0; at->p < at->end; at->p++) {
		int digit = bytes_hex_digit((unsigned char)*at->p);
		if (digit < 0 || digit >= (int)base)
			break;
		*value = *value * base + (unsigned)digit;
	}
	return (size_t)(at->p - start);
}

static bool
skip_prefix(struct words_cursor *at)
{
	bool found = at->end - at->p > 2 && at->p[0] == '0' && (at->p[1] | 0x20) == 'x';
	at->p += found ? 2 : 0;
	return found;
}

/* Skip the memory class and the space of a process, `NSD:0000::`. */
static void
skip_class(struct words_cursor *at)
{
	const char *bar = memchr(at->p, '|', (size_t)(at->end - at->p)), *p = bar;
	while (p && p > at->p && p[-1] != ':')
		p--;
	at->p = p ? p : at->p;
}

static bool
read_address(const struct words_form *form, struct words_cursor *at, struct words_row *row)
{
	enum { MOST = 22 };
	bool prefix = form->address == ADDRESS_PREFIX;
	size_t least = prefix || form->single ? 1 : form->address == ADDRESS_EQUALS ? 8 : 4;
	skip_blanks(at);
	if (form->address == ADDRESS_BAR)
		skip_class(at);
	if (skip_prefix(at) != prefix)
		return false;
	size_t digits = read_digits(at, form->address == ADDRESS_OCTAL ? 8 : 16, &row->address);
	if (digits < least || digits > MOST)
		return false;
	row->addressed = true;
	if (form->address == ADDRESS_BARE || form->address == ADDRESS_OCTAL)
		return at->p == at->end || is_blank(*at->p);
	if (form->prefixed && at->end - at->p > 2 && !memcmp(at->p, " <", 2)) {
		const char *close = memchr(at->p, '>', (size_t)(at->end - at->p));
		at->p = close ? close + 1 : at->p;
	}
	if (form->address == ADDRESS_EQUALS)
		skip_blanks(at);
	if (form->address == ADDRESS_BAR)
		return skip_char(at, '|');
	return skip_char(at, form->address == ADDRESS_EQUALS ? '=' : ':') && at->p < at->end &&
	       is_blank(*at->p);
}

/* Return the size in bytes of a group with this number of digits and this value.  Return 0 if no
 * size fits. */
static size_t
size_of_digits(const struct words_form *form, size_t digits, const char *first, uint64_t value)
{
	static const uint8_t octal[] = {[3] = 1, [6] = 2, [11] = 4, [22] = 8};
	if (!form->base)
		return digits % 2 ? 0 : digits / 2;
	if (form->base == 2)
		return digits == 8;
	size_t size = digits < sizeof octal ? octal[digits] : 0;
	bool fits = size == WORD_MOST ? *first <= '1' : !(value >> 8 * size);
	return fits ? size : 0;
}

/* Append a group of digits to the row.  Return false and leave AT unchanged if none follows. */
static bool
read_group(const struct words_form *form, struct words_cursor *at, struct words_row *row)
{
	struct words_cursor begin = *at;
	uint64_t value;
	skip_blanks(at);
	if (form->address == ADDRESS_BAR)
		skip_char(at, '>'); /* marks the requested byte */
	bool prefix = skip_prefix(at);
	const char *digits = at->p;
	size_t length = read_digits(at, form->base ? form->base : 16, &value);
	size_t count = size_of_digits(form, length, digits, value);
	bool ends =
	    at->p == at->end || is_blank(*at->p) || (form->address == ADDRESS_BAR && *at->p == '>');
	if (!ends || prefix != form->prefixed || !count || count > ROW_MOST - row->count ||
	    (form->bytes && count != form->bytes)) {
		*at = begin;
		return false;
	}
	uint8_t *out = row->bytes + row->count;
	for (size_t i = 0; i < count; i++) {
		if (form->base) {
			out[i] = (uint8_t)(value >> 8 * i);
			continue;
		}
		int high = bytes_hex_digit((unsigned char)digits[2 * i]);
		int low = bytes_hex_digit((unsigned char)digits[2 * i + 1]);
		out[form->little ? count - 1 - i : i] = (uint8_t)(high << 4 | low);
	}
	if (!row->count)
		row->group = count;
	row->count += count;
	return true;
}

/* True if the characters at P are those of the bytes. */
static bool
are_chars(const char *p, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (p[i] != (bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.'))
			return false;
	return true;
}

/* True if blanks and the characters of the row's bytes follow the digits. */
static bool
has_chars_behind(const struct words_cursor *at, const struct words_row *row)
{
	size_t left = (size_t)(at->end - at->p);
	struct words_cursor gap = *at;
	if (left <= row->count)
		return false;
	skip_blanks(&gap);
	return gap.p >= at->end - row->count &&
	       are_chars(at->end - row->count, row->bytes, row->count);
}

/* Read groups and the characters after them.  Characters may look like groups, so take the most
 * groups whose bytes match the characters. */
static bool
read_groups_and_chars(const struct words_form *form, struct words_cursor at, struct words_row *row)
{
	struct {
		struct words_cursor at;
		size_t count;
	} ends[ROW_MOST + 1];
	size_t groups = 0;
	while (read_group(form, &at, row)) {
		ends[groups].at = at;
		ends[groups++].count = row->count;
	}
	while (groups--) {
		row->count = ends[groups].count;
		if (has_chars_behind(&ends[groups].at, row))
			return true;
	}
	return false;
}

static bool
has_chars_in_bars(struct words_cursor at, const struct words_row *row)
{
	skip_blanks(&at);
	return at.end - at.p == (ptrdiff_t)row->count + 2 && strchr("|>", *at.p) &&
	       at.end[-1] == (*at.p == '|' ? '|' : '<') &&
	       are_chars(at.p + 1, row->bytes, row->count);
}

/* Append the elements of an array's line: 0x00, separated by commas.  Stop at a bad element and
 * return false. */
static bool
read_elements(struct words_cursor *at, struct words_row *row)
{
	for (row->open = true; row->open && at->p < at->end; skip_blanks(at)) {
		uint64_t value;
		if (row->count == ROW_MOST || !skip_prefix(at) || read_digits(at, 16, &value) != 2)
			return false;
		row->bytes[row->count++] = (uint8_t)value;
		skip_blanks(at);
		row->open = skip_char(at, ',');
	}
	row->group = 1;
	return at->p == at->end && row->count;
}

/* Parse a line of an array: its elements, or a line before or after them. */
static bool
parse_array(struct words_cursor at, struct words_row *row)
{
	static const char length[] = "unsigned int ";
	row->brace = 0;
	row->open = false;
	skip_blanks(&at);
	if (at.p == at.end)
		return false;
	size_t left = (size_t)(at.end - at.p);
	if (at.end[-1] == '{')
		row->brace = '{';
	else if (*at.p == '}')
		row->brace = '}';
	else if (at.end[-1] != ';' || left < sizeof length ||
		 memcmp(at.p, length, sizeof length - 1))
		return read_elements(&at, row);
	return true;
}

/* --- records and single words ---------------------------------------------- */

/* Read COUNT bytes of two digits and add them to *SUM.  Return false at other characters. */
static bool
read_bytes(struct words_cursor *at, uint8_t *out, size_t count, unsigned *sum)
{
	for (size_t i = 0; i < count; i++, at->p += 2) {
		if (at->end - at->p < 2)
			return false;
		int high = bytes_hex_digit((unsigned char)at->p[0]);
		int low = bytes_hex_digit((unsigned char)at->p[1]);
		if (high < 0 || low < 0)
			return false;
		out[i] = (uint8_t)(high << 4 | low);
		*sum += out[i];
	}
	return true;
}

static void
fill_record(struct words_row *row, uint64_t address, size_t count)
{
	row->addressed = true;
	row->address = address;
	row->count = count;
	row->group = 1;
	row->brace = '{';
}

/* Parse length, address, type, data, and a checksum that makes the sum 0.  Type 0 is data, 1 the
 * end.  Types 2 and 4 set the base of addresses, 3 and 5 the start of a program. */
static bool
parse_intel(struct words_cursor at, struct words_row *row)
{
	uint8_t head[4], check;
	unsigned sum = 0;
	skip_blanks(&at);
	if (!skip_char(&at, ':') || !read_bytes(&at, head, sizeof head, &sum))
		return false;
	size_t count = head[0], type = head[3];
	uint64_t address = (uint64_t)head[1] << 8 | head[2];
	row->addressed = !type;
	if (!read_bytes(&at, row->bytes, count, &sum) || !read_bytes(&at, &check, 1, &sum))
		return false;
	skip_blanks(&at);
	if (at.p < at.end || sum & 0xff || type > 5 || (type % 2 == 0 && type && count != 2))
		return false;
	if (type)
		row->silent = true;
	else
		fill_record(row, row->upper + address, count);
	if (type == 1)
		row->brace = '}';
	if (type == 2 || type == 4)
		row->upper = ((uint64_t)row->bytes[0] << 8 | row->bytes[1]) << (type == 2 ? 4 : 16);
	return true;
}

/* Parse type, length of the rest, address, data, and a checksum that makes the sum 0xff.  Types 1
 * to 3 are data with addresses of 2 to 4 bytes, 7 to 9 the end. */
static bool
parse_s_record(struct words_cursor at, struct words_row *row)
{
	static const uint8_t widths[] = {2, 2, 3, 4, 2, 2, 3, 4, 3, 2};
	uint8_t length, address[4], check;
	unsigned sum = 0;
	skip_blanks(&at);
	if (at.end - at.p < 4 || !skip_char(&at, 'S') || *at.p < '0' || *at.p > '9')
		return false;
	unsigned type = (unsigned)(*at.p++ - '0');
	size_t width = widths[type];
	row->addressed = type >= 1 && type <= 3;
	if (!read_bytes(&at, &length, 1, &sum) || length < width + 1 ||
	    !read_bytes(&at, address, width, &sum) ||
	    !read_bytes(&at, row->bytes, length - width - 1, &sum) ||
	    !read_bytes(&at, &check, 1, &sum))
		return false;
	skip_blanks(&at);
	if (at.p < at.end || (sum & 0xff) != 0xff)
		return false;
	uint64_t value = 0;
	for (size_t i = 0; i < width; i++)
		value = value << 8 | address[i];
	if (row->addressed)
		fill_record(row, value, length - width - 1);
	else
		row->silent = true;
	if (type >= 7)
		row->brace = '}';
	return true;
}

/* Parse the first line of a Code Composer Studio file: 1651, the number format (1 and 9 are
 * hexadecimal), the address, a page, the count. */
static bool
read_head(struct words_cursor at, struct words_row *row)
{
	uint64_t values[5];
	for (size_t i = 0; i < 5; i++) {
		if (!read_digits(&at, 16, &values[i]))
			return false;
		skip_blanks(&at);
	}
	if (values[0] != 0x1651 || (values[1] != 1 && values[1] != 9))
		return false;
	row->addressed = row->headed = true;
	row->address = values[2];
	row->due = values[4];
	return true;
}

/* Parse a line that contains one number. */
static bool
parse_word(const struct words_form *form, struct words_cursor at, struct words_row *row)
{
	uint64_t value;
	bool headed = form->address == ADDRESS_HEAD;
	if (headed && !row->headed)
		return read_head(at, row);
	skip_blanks(&at);
	bool prefix = skip_prefix(&at);
	size_t digits = read_digits(&at, 16, &value);
	skip_blanks(&at);
	if (at.p < at.end || digits % 2 || digits > 2 * WORD_MOST || digits < (headed ? 2 : 8) ||
	    !(prefix || headed))
		return false;
	row->count = row->group = digits / 2;
	for (size_t i = 0; i < row->count; i++)
		row->bytes[i] = (uint8_t)(value >> 8 * i);
	return true;
}

/* Parse a line without its end.  Return false if it does not fit the form. */
static bool
parse_row(const struct words_form *form, const char *line, size_t length, struct words_row *row)
{
	struct words_cursor at = {line, line + length};
	row->count = 0;
	row->addressed = row->silent = false;
	row->brace = 0;
	if (form->address == ADDRESS_ARRAY)
		return parse_array(at, row);
	if (form->address == ADDRESS_INTEL)
		return parse_intel(at, row);
	if (form->address == ADDRESS_S)
		return parse_s_record(at, row);
	if (form->address == ADDRESS_HEAD || form->address == ADDRESS_WORD)
		return parse_word(form, at, row);
	if (form->address != ADDRESS_NONE && !read_address(form, &at, row))
		return false;
	if (form->chars == CHARS_BEHIND_GAP)
		return read_groups_and_chars(form, at, row);
	while (read_group(form, &at, row))
		;
	if (form->chars == CHARS_IN_BARS && row->count)
		return has_chars_in_bars(at, row);
	skip_blanks(&at);
	bool bare = form->address == ADDRESS_BARE || form->address == ADDRESS_OCTAL;
	if (at.p < at.end || !row->count)
		return at.p == at.end && bare;
	if (form->address == ADDRESS_EQUALS && row->count > EQUALS_MOST)
		return false; /* more would be characters of a cut line */
	if (form->single && row->count != row->group)
		return false;
	bool power = !(row->group & (row->group - 1));
	return !form->little || (power && row->group <= WORD_MOST && row->count % row->group == 0);
}

/* --- recognition --------------------------------------------------------- */

static bool
is_text(const char *p, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((p[i] < 0x20 || p[i] >= 0x7f) && !strchr("\t\r\n", p[i]))
			return false;
	return length && !memchr(p, 0, length);
}

/* Find the length of the line at P, without its end and, in *ALL, with it.  Return false if it has
 * no end. */
static bool
find_line(const char *p, size_t length, size_t *line, size_t *all)
{
	const char *end = memchr(p, '\n', length);
	*line = end ? (size_t)(end - p) : length;
	*all = end ? *line + 1 : length;
	while (*line && (p[*line - 1] == '\r'))
		--*line;
	return end;
}

static bool
is_star(const char *line, size_t length)
{
	return length == 1 && *line == '*';
}

/* How well the lines of the head fit a form. */
struct fit {
	size_t rows, others, jumps, ends; /* ends: lines with only an address after a row */
	uint64_t base;
};

static void
fit_form(const struct words_form *form, const char *p, size_t length, bool last, struct fit *fit)
{
	struct words_row row = {.count = 0};
	uint64_t expected = 0;
	size_t line, all;
	bool starred = false;
	*fit = (struct fit){0};
	for (; length && (find_line(p, length, &line, &all) || last); p += all, length -= all) {
		if (!line)
			continue;
		if (is_star(p, line) && fit->rows) {
			starred = true;
		} else if (line > LINE_MOST || !parse_row(form, p, line, &row)) {
			fit->others++;
		} else if (!row.silent) {
			/* od pads its last group, so the address after it may be smaller */
			bool end = !row.count && row.address <= expected;
			if (!fit->rows && row.addressed)
				fit->base = row.address;
			else if (row.addressed && row.address != expected && !end)
				fit->jumps += !(starred && row.address > expected);
			fit->ends += !row.count && fit->rows;
			fit->rows += row.count > 0;
			starred = false;
			expected = row.address + row.count;
		}
	}
}

/* True if the text is pairs of digits in equally long lines, except the last line. */
static bool
is_plain_hex(const char *p, size_t length, bool last)
{
	enum { LEAST = 32 };
	size_t line, all, first = 0, digits = 0;
	bool ended = false;
	for (; length; p += all, length -= all) {
		bool whole = find_line(p, length, &line, &all);
		for (size_t i = 0; i < line; i++)
			if (bytes_hex_digit((unsigned char)p[i]) < 0)
				return false;
		first = first ? first : line;
		if (ended || (whole && line % 2))
			return false;
		ended = (whole || last) && line != first;
		digits += line;
	}
	return digits >= LEAST;
}

/* True if a line of the head fits some form, or the head is plain hex. */
static bool
has_row(const char *p, size_t length)
{
	struct fit fit = {0};
	for (size_t i = 0; i < sizeof forms / sizeof *forms && !fit.rows; i++)
		if (forms[i].address != ADDRESS_NONE)
			fit_form(&forms[i], p, length, true, &fit);
	return fit.rows || is_plain_hex(p, length, false);
}

/* Return the form that nearly all lines fit, with the first address in *BASE. */
static const struct words_form *
find_form(const char *head, size_t length, bool last, uint64_t *base)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct fit fit;
		*base = 0;
		if (forms[i].address == ADDRESS_NONE) {
			if (is_plain_hex(head, length, last))
				return &forms[i];
			continue;
		}
		fit_form(&forms[i], head, length, last, &fit);
		*base = fit.base;
		size_t share = fit.rows / OTHERS_SHARE;
		bool marked = forms[i].address < ADDRESS_BARE && !forms[i].single;
		if (forms[i].address == ADDRESS_WORD && (fit.others || fit.rows < WORDS_LEAST))
			continue;
		if (fit.rows >= (last && (marked || fit.ends) ? 1 : 2) &&
		    fit.others <= OTHERS_MOST + share && fit.others <= fit.rows &&
		    fit.jumps <= share)
			return &forms[i];
	}
	return NULL;
}

/* --- reading ------------------------------------------------------------- */

/* Read until LENGTH bytes of text are present or the text ends.  Without ALL, read only once. */
static void
read_text(struct words *words, size_t length, bool all)
{
	if (words->text_at) {
		words->text_count -= words->text_at;
		memmove(words->text, words->text + words->text_at, words->text_count);
		words->text_at = 0;
	}
	bool more = true;
	while (more && !words->ended && words->text_count < length) {
		ssize_t n =
		    words->source.read(words->source.context, words->taken,
				       words->text + words->text_count, length - words->text_count);
		words->unreadable |= n < 0;
		words->ended = n <= 0;
		words->text_count += n > 0 ? (size_t)n : 0;
		words->taken += n > 0 ? (uint64_t)n : 0;
		more = all;
	}
}

/* Find the next line that is not empty, without its end.  Return false at the end of the text. */
static bool
next_line(struct words *words, const char **line, size_t *length)
{
	size_t all;
	for (;;) {
		const char *p = words->text + words->text_at;
		size_t left = words->text_count - words->text_at;
		bool whole = left && find_line(p, left, length, &all);
		if (!whole && !words->ended && left < LINE_MOST) {
			read_text(words, CHUNK, false);
			continue;
		}
		if (!left)
			return false;
		/* xxd -p may print all bytes in one line */
		if (words->form->address == ADDRESS_NONE && *length > 2 * ROW_MOST)
			*length = all = 2 * ROW_MOST;
		*line = p;
		words->text_at += all;
		if (*length)
			return true;
	}
}

/* Update the state for a line of an array.  Return false if it yields no bytes. */
static bool
adopt_element_line(struct words *words, bool good, bool cut)
{
	struct words_row *row = &words->next;
	if (good && row->brace)
		words->in_array = row->brace == '{';
	if (!good && row->count && !cut) { /* damaged: all its bytes are missing */
		words->gap += row->count;
		return false;
	}
	words->halved |= cut && row->count; /* more elements may have followed */
	return good || row->count;
}

/* Parse the next line of the form into `next`.  Return false at the end. */
static bool
next_row(struct words *words)
{
	const bool plain = words->form->address == ADDRESS_NONE;
	const char *line;
	size_t length;
	while (next_line(words, &line, &length)) {
		struct words_row *row = &words->next;
		if (is_star(line, length)) {
			words->starred = words->started;
			continue;
		}
		bool cut = words->ended && line + length == words->text + words->text_count;
		if (plain && cut && length % 2) {
			words->halved = true;
			length--;
		}
		bool good = parse_row(words->form, line, length, row);
		row->due -= row->due && !row->addressed;
		if (words->form->address == ADDRESS_ARRAY)
			good = adopt_element_line(words, good, cut);
		else if (good && row->brace)
			words->in_array = row->brace == '{';
		if (good && row->silent)
			continue;
		if (cut && !plain && words->form->chars == CHARS_NONE && words->row.count &&
		    row->count && row->group != words->row.group)
			good = false; /* it ends within a group */
		if (good)
			return true;
		words->broken |= row->addressed;
		/* no address shows how many bytes are missing */
		if (plain)
			words->gap += length / 2 + 1;
		else if (words->form->address == ADDRESS_HEAD ||
			 words->form->address == ADDRESS_WORD)
			words->gap += words->row.count ? words->row.count : 1;
	}
	return false;
}

/* Compare the last line with the line after it.  Find how many bytes of the last line count, and
 * the repeats or the gap between the two. */
static void
adopt_next(struct words *words)
{
	const struct words_row *next = &words->next;
	struct words_row *row = &words->row;
	uint64_t expected = row->address + row->count, step = next->address - expected;
	if (!words->started || !next->addressed)
		return;
	if (!next->count && next->address > row->address && next->address < expected) {
		row->count = words->unsent = (size_t)(next->address - row->address);
	} else if (words->starred && row->count && step <= WORDS_REPEAT_MOST - words->repeated) {
		words->repeat = step;
		words->repeated += step;
		words->phase = 0;
	} else if (step && (next->count || next->address > expected)) {
		words->gap = step <= WORDS_GAP_MOST ? step : row->count ? row->count : 1;
	}
}

/* Read the next line and update the last one. */
static void
read_following(struct words *words)
{
	words->broken = false;
	words->next_read = next_row(words);
	if (words->next_read)
		adopt_next(words);
	else if (words->starred || words->broken) /* the text is cut */
		words->gap += words->row.count;
	else if (words->halved || words->in_array || words->row.open)
		words->gap++;
	else if (words->next.due) /* the first line counts more words */
		words->gap += words->next.due < WORDS_GAP_MOST / WORD_MOST
				  ? words->next.due * words->row.count
				  : words->row.count;
	words->halved &= words->next_read;
	words->starred = false;
}

static size_t
give_row(struct words *words, size_t at)
{
	memcpy(words->out + at, words->row.bytes, words->unsent);
	size_t count = words->unsent;
	words->unsent = 0;
	return count;
}

static size_t
give_repeats(struct words *words, size_t at)
{
	size_t count = CHUNK - at;
	count = words->repeat < count ? (size_t)words->repeat : count;
	for (size_t i = 0; i < count; i++) {
		words->out[at + i] = words->row.bytes[words->phase++];
		words->phase %= words->row.count;
	}
	words->repeat -= count;
	return count;
}

ssize_t
words_read(struct words *words, const void **bytes)
{
	size_t count = 0;
	*bytes = words->out;
	while (count + ROW_MOST <= CHUNK) {
		if (words->unsent) {
			count += give_row(words, count);
		} else if (words->repeat) {
			count += give_repeats(words, count);
		} else if (words->gap) {
			if (count)
				break;
			count = (size_t)words->gap;
			words->gap = 0;
			*bytes = NULL;
			break;
		} else if (words->next_read) {
			words->row = words->next;
			words->unsent = words->row.count;
			words->started = true;
			words->next_read = false;
			read_following(words);
		} else {
			break;
		}
	}
	return !count && words->unreadable ? -1 : (ssize_t)count;
}

/* --- the interface ------------------------------------------------------- */

bool
words_may_be(const uint8_t *head, ssize_t length)
{
	const char *text = (const char *)head;
	return length > 0 && is_text(text, (size_t)length) && has_row(text, (size_t)length);
}

struct words *
words_open(const struct unpack_source *source)
{
	struct words *words = mem_new(sizeof *words);
	size_t head = source->head && source->head < WORDS_HEAD ? source->head : WORDS_HEAD;
	words->source = *source;
	read_text(words, head < GLANCE ? head : GLANCE, true);
	if (words_may_be((const uint8_t *)words->text, (ssize_t)words->text_count))
		read_text(words, head, true);
	words->form = words_may_be((const uint8_t *)words->text, (ssize_t)words->text_count)
			  ? find_form(words->text, words->text_count, words->ended, &words->base)
			  : NULL;
	if (words->form && !words->unreadable) {
		read_following(words);
		return words;
	}
	words_close(words);
	return NULL;
}

void
words_close(struct words *words)
{
	free(words);
}

const char *
words_name(const struct words *words)
{
	return words->form->name;
}

uint64_t
words_base(const struct words *words)
{
	return words->base;
}
