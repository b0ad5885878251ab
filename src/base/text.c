/* Growable strings, and text made safe for a terminal: see text.h. */
#include "config.h"

#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

void
text_grow(struct text *text, size_t more)
{
	text->data = vec_grow(text->data, text->length, more + 1, &text->capacity, 1);
}

void
text_cut(struct text *text, size_t length)
{
	if (text->data && length <= text->length) {
		text->length = length;
		text->data[length] = '\0';
	}
}

void
text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){0};
}

void
text_add_fill(struct text *text, char c, size_t count)
{
	text_reserve(text, count);
	memset(text->data + text->length, c, count);
	text->length += count;
	text->data[text->length] = '\0';
}

static const char hex_digits[] = "0123456789abcdef";

void
text_add_hex(struct text *text, const uint8_t *data, size_t length)
{
	text_reserve(text, 2 * length);
	char *out = text->data + text->length;
	for (size_t i = 0; i < length; i++) {
		*out++ = hex_digits[data[i] >> 4];
		*out++ = hex_digits[data[i] & 15];
	}
	*out = '\0';
	text->length += 2 * length;
}

/* A conversion of quick_format: %[0][width|*][l|ll|z](c|s|d|u|x|X). */
struct conversion {
	bool zero, wide;
	int width;
	char letter;
};

static const char *
parse_conversion(const char *format, struct conversion *c)
{
	*c = (struct conversion){.zero = *format == '0'};
	format += c->zero;
	if (*format == '*') {
		c->width = -1; /* an argument */
		format++;
	}
	while (*format >= '0' && *format <= '9' && c->width >= 0 && c->width < 1000)
		c->width = 10 * c->width + *format++ - '0';
	while (*format == 'l' || *format == 'z') {
		c->wide = true; /* 64 bits wherever this runs; see quick_format */
		format++;
	}
	c->letter = *format;
	return format + 1;
}

enum { NUMBER_MAX = 24 }; /* digits of any number, and room */

/* Write the last COUNT digits of VALUE. */
static char *
put_decimal(char *at, uint64_t value, unsigned count)
{
	for (unsigned i = count; i--; value /= 10)
		at[i] = (char)('0' + value % 10);
	return at + count;
}

char *
text_put_uint(char *at, uint64_t value)
{
	unsigned count = 1;
	for (uint64_t rest = value; rest >= 10; rest /= 10)
		count++;
	return put_decimal(at, value, count);
}

char *
text_put_four(char *at, uint32_t value)
{
	return put_decimal(at, value, 4);
}

static char *
put_hexadecimal(char *at, uint64_t value, unsigned least, const char *digits)
{
	unsigned own = (67 - (unsigned)__builtin_clzll(value | 1)) / 4;
	unsigned count = own > least ? own : least;
	for (unsigned i = count; i--; value >>= 4)
		at[i] = digits[value & 15];
	return at + count;
}

char *
text_put_hex(char *at, uint64_t value, unsigned digits)
{
	return put_hexadecimal(at, value, digits, hex_digits);
}

void
text_add_uint(struct text *text, uint64_t value)
{
	text_reserve(text, NUMBER_MAX);
	char *end = text_put_uint(text->data + text->length, value);
	*end = '\0';
	text->length = (size_t)(end - text->data);
}

void
text_add_int(struct text *text, int64_t value)
{
	text_reserve(text, NUMBER_MAX);
	char *at = text->data + text->length;
	*at = '-';
	char *end = text_put_uint(at + (value < 0), value < 0 ? -(uint64_t)value : (uint64_t)value);
	*end = '\0';
	text->length = (size_t)(end - text->data);
}

void
text_add_digits(struct text *text, uint64_t value, unsigned digits)
{
	char own[NUMBER_MAX];
	size_t count = (size_t)(text_put_uint(own, value) - own);
	text_add_fill(text, '0', digits > count ? digits - count : 0);
	text_add_bytes(text, own, count);
}

void
text_add_hex_digits(struct text *text, uint64_t value, unsigned digits)
{
	enum { MOST = 16 };
	if (digits > MOST)
		text_add_fill(text, '0', digits - MOST);
	text_reserve(text, NUMBER_MAX);
	char *end = text_put_hex(text->data + text->length, value, digits > MOST ? MOST : digits);
	*end = '\0';
	text->length = (size_t)(end - text->data);
}

static void
add_number(struct text *text, const struct conversion *c, uint64_t value, bool negative)
{
	char digits[NUMBER_MAX], *end;
	if (c->letter == 'x')
		end = text_put_hex(digits, value, 1);
	else if (c->letter == 'X')
		end = put_hexadecimal(digits, value, 1, "0123456789ABCDEF");
	else
		end = text_put_uint(digits, value);
	size_t count = (size_t)(end - digits);
	size_t width =
	    (size_t)c->width > count + negative ? (size_t)c->width - count - negative : 0;
	if (width && !c->zero)
		text_add_fill(text, ' ', width);
	if (negative)
		text_add_char(text, '-');
	if (width && c->zero)
		text_add_fill(text, '0', width);
	text_add_bytes(text, digits, count);
}

/*
 * Format as vsnprintf does, for the few conversions that nearly all our formats use.  For any
 * other, return false and append nothing.  Exports format millions of messages, and this is
 * several times as fast.
 */
static bool
quick_format(struct text *text, const char *format, va_list args)
{
	size_t start = text->length;
	_Static_assert(sizeof(long) == 8 || sizeof(long) == 4, "an integer is 4 or 8 bytes");
	if (sizeof(long) != 8 || sizeof(size_t) != 8)
		return false;
	while (*format) {
		const char *percent = strchrnul(format, '%');
		if (percent != format)
			text_add_bytes(text, format, (size_t)(percent - format));
		format = percent;
		if (!*format)
			break;
		struct conversion c;
		format = parse_conversion(format + 1, &c);
		if (c.width < 0 && (c.width = va_arg(args, int)) < 0)
			c.letter = '\0';
		int64_t number;
		switch (c.letter) {
		case 'd':
			number = c.wide ? va_arg(args, int64_t) : va_arg(args, int);
			add_number(text, &c, number < 0 ? -(uint64_t)number : (uint64_t)number,
				   number < 0);
			continue;
		case 'u':
		case 'x':
		case 'X':
			add_number(text, &c,
				   c.wide ? va_arg(args, uint64_t) : va_arg(args, unsigned), false);
			continue;
		case 's':
			if (!c.width && !c.wide) {
				text_add(text, va_arg(args, const char *));
				continue;
			}
			break;
		case 'c':
			if (!c.width && !c.wide) {
				text_add_char(text, (char)va_arg(args, int));
				continue;
			}
			break;
		default:
			break;
		}
		text_cut(text, start);
		return false;
	}
	return true;
}

void
text_addv(struct text *text, const char *format, va_list args)
{
	va_list again;
	text_reserve(text, 64);
	va_copy(again, args);
	bool done = quick_format(text, format, again);
	va_end(again);
	if (done)
		return;
	va_copy(again, args);
	size_t room = text->capacity - text->length;
	int length = vsnprintf(text->data + text->length, room, format, args);
	if (length < 0) {
		text->data[text->length] = '\0';
	} else {
		if ((size_t)length >= room) {
			text_reserve(text, (size_t)length);
			vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
		}
		text->length += (size_t)length;
	}
	va_end(again);
}

void
text_addf(struct text *text, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	text_addv(text, format, args);
	va_end(args);
}

size_t
text_decode(const char *bytes, size_t length, uint32_t *code)
{
	const unsigned char *p = (const unsigned char *)bytes;
	if (!length)
		return 0;
	if (p[0] < 0x80) {
		*code = p[0];
		return 1;
	}
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = {{0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	for (size_t extra = 1; extra <= 3; extra++) {
		if ((p[0] & forms[extra - 1].mask) != forms[extra - 1].lead)
			continue;
		if (length <= extra)
			return 0;
		uint32_t value = p[0] & (unsigned char)~forms[extra - 1].mask;
		for (size_t i = 1; i <= extra; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return 0;
			value = value << 6 | (p[i] & 0x3f);
		}
		if (value < forms[extra - 1].least || value > 0x10ffff ||
		    (value >= 0xd800 && value <= 0xdfff))
			return 0;
		*code = value;
		return extra + 1;
	}
	return 0;
}

size_t
text_encode(uint32_t code, char bytes[static 4])
{
	static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
	size_t extra = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	for (size_t i = extra; i > 0; i--, code >>= 6)
		bytes[i] = (char)(0x80 | (code & 0x3f));
	bytes[0] = (char)(leads[extra] | code);
	return extra + 1;
}

/* A list, because the C library's answer differs between systems. */
bool
text_is_control(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
	    {0, 0x1f},		{0x7f, 0x9f},	    {0xad, 0xad},	{0x61c, 0x61c},
	    {0x180e, 0x180e},	{0x200b, 0x200f},   {0x2028, 0x202e},	{0x2060, 0x206f},
	    {0xe000, 0xf8ff},	{0xfeff, 0xfeff},   {0xfff0, 0xfffb},	{0x13430, 0x1343f},
	    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}, {0xf0000, UINT32_MAX}};
	size_t i = 0;
	while (c > ranges[i].last)
		i++;
	return c >= ranges[i].first;
}

/* True for printable ASCII, which nearly all characters are. */
static bool
is_plain(char c)
{
	return c >= 0x20 && c < 0x7f;
}

/* Write the escape of a code point, or of a byte that is not UTF-8. */
static void
make_escape(uint32_t code, bool byte, struct text_shown *out)
{
	static const char letters[0x20] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};
	out->code = 0;
	if (!byte && code < sizeof letters && letters[code])
		snprintf(out->escape, sizeof out->escape, "\\%c", letters[code]);
	else if (byte || code < 0xa0)
		snprintf(out->escape, sizeof out->escape, "\\x%02x", (unsigned)code);
	else
		snprintf(out->escape, sizeof out->escape, "\\u{%04x}", (unsigned)code);
	out->columns = (int)strlen(out->escape);
}

struct text_shown
text_show(const char *bytes, size_t length, enum text_charset charset)
{
	struct text_shown shown = {.taken = 1, .columns = 1, .code = (unsigned char)*bytes};
	if (is_plain(*bytes))
		return shown;
	shown.taken = text_decode(bytes, length, &shown.code);
	if (!shown.taken) {
		shown.taken = 1;
		make_escape((unsigned char)*bytes, true, &shown);
		return shown;
	}
	/* a locale without UTF-8 has no widths above ASCII */
	bool hidden = charset == TEXT_ASCII || text_is_control(shown.code);
	shown.columns = hidden ? -1 : wcwidth((wchar_t)shown.code);
	if (shown.columns < 0)
		make_escape(shown.code, false, &shown);
	return shown;
}

void
text_add_safe(struct text *text, const char *bytes, size_t length, enum text_charset charset)
{
	while (length) {
		size_t taken = 0;
		while (taken < length && is_plain(bytes[taken]))
			taken++;
		if (taken) {
			text_add_bytes(text, bytes, taken);
		} else {
			struct text_shown shown = text_show(bytes, length, charset);
			taken = shown.taken;
			if (*shown.escape)
				text_add(text, shown.escape);
			else
				text_add_bytes(text, bytes, taken);
		}
		bytes += taken;
		length -= taken;
	}
}

void
text_add_safe_lines(struct text *text, const char *lines, size_t length, enum text_charset charset)
{
	size_t start = 0;
	for (size_t i = 0; i < length; i++) {
		if (lines[i] != '\n' && lines[i] != '\t')
			continue;
		text_add_safe(text, lines + start, i - start, charset);
		text_add_char(text, lines[i]);
		start = i + 1;
	}
	text_add_safe(text, lines + start, length - start, charset);
}

size_t
text_fit(const char *bytes, size_t length, enum text_charset charset, int columns, int *used)
{
	size_t fits = 0;
	int width = 0;
	while (fits < length) {
		struct text_shown shown = {.taken = 1, .columns = 1};
		if (!is_plain(bytes[fits]))
			shown = text_show(bytes + fits, length - fits, charset);
		if (width + shown.columns > columns)
			break;
		width += shown.columns;
		fits += shown.taken;
	}
	if (used)
		*used = width;
	return fits;
}

size_t
text_fit_words(const char *bytes, size_t length, enum text_charset charset, int columns)
{
	size_t fits = text_fit(bytes, length, charset, columns, NULL), end = fits;
	if (!fits || fits == length)
		return length;
	while (end > fits / 2 && bytes[end] != ' ')
		end--;
	return end > fits / 2 ? end + 1 : fits;
}

int
text_columns(const char *bytes, size_t length, enum text_charset charset)
{
	int used;
	text_fit(bytes, length, charset, 1 << 30, &used);
	return used;
}

char *
text_number(char *buffer, uint64_t value)
{
	char digits[24];
	int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
	char *out = buffer;
	for (int i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return buffer;
}

void
text_add_size(struct text *text, uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	size_t unit = 0;
	double value = (double)bytes;
	while (value >= 999.95 && unit + 1 < sizeof units / sizeof *units) {
		value /= 1000;
		unit++;
	}
	text_addf(text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

void
text_add_count(struct text *text, uint64_t count)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;
	double value = (double)count;
	while (value >= 999.5 && units[unit + 1]) {
		value /= 1000;
		unit++;
	}
	if (!unit)
		text_addf(text, "%.0f", value);
	else
		text_addf(text, value < 9.95 ? "%.1f%c" : "%.0f%c", value, units[unit]);
}

bool
text_parse_uint(const char *text, uint64_t max, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	if (!strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789"))
		return false;
	char *end;
	errno = 0;
	unsigned long long number = strtoull(digits, &end, hex ? 16 : 10);
	if (errno || *end || number > max)
		return false;
	*value = number;
	return true;
}

bool
text_parse_size(const char *text, uint64_t max, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	size_t length = strlen(text);
	const char *unit = length ? strchr(units, text[length - 1]) : NULL;
	uint64_t times = 1;
	struct text digits = {0};
	for (const char *at = units; unit && at <= unit; at++)
		times *= 1000;
	text_add_bytes(&digits, text, length - (unit != NULL));
	bool good = text_parse_uint(text_get(&digits), max / times, bytes);
	if (good)
		*bytes *= times;
	text_free(&digits);
	return good;
}

const char *
text_quote_end(const char *text)
{
	char quote = *text;
	for (const char *at = text + 1; *text && *at; at++) {
		bool escapes = quote == '"' ? *at == '\\' : *at == quote && at[1] == quote;
		if (escapes && at[1])
			at++;
		else if (*at == quote)
			return at;
	}
	return NULL;
}

bool
text_unquote(char *text)
{
	char quote = *text;
	const char *end = quote == '"' || quote == '\'' ? text_quote_end(text) : NULL;
	if (!end || end[1])
		return false;
	for (const char *from = text + 1; from < end; from++) {
		bool escapes =
		    quote == '"' ? *from == '\\' && strchr("\"\\", from[1]) : *from == quote;
		from += escapes;
		*text++ = *from;
	}
	*text = '\0';
	return true;
}

size_t
text_distance(const char *a, const char *b)
{
	size_t rows[3][64] = {{0}};
	size_t n = strlen(b), i = 0;
	if (n >= sizeof rows[0] / sizeof *rows[0])
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		rows[0][j] = j;
	for (; a[i]; i++) {
		const size_t *before = rows[(i + 2) % 3], *above = rows[i % 3];
		size_t *row = rows[(i + 1) % 3];
		row[0] = i + 1;
		for (size_t j = 1; j <= n; j++) {
			size_t best = above[j - 1] + (a[i] != b[j - 1]);
			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			bool swapped = i && j > 1 && a[i] == b[j - 2] && a[i - 1] == b[j - 1];
			if (swapped && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[i % 3][n];
}
