/*
 * Text: a growable string, and the one place that makes bytes of a capture
 * safe for a terminal.
 *
 * Captures are hostile: their text may hold escape sequences, C1 controls,
 * half a UTF-8 sequence, or bidirectional overrides that reorder the screen.
 * The canvas and the writer of batch output make all text safe as they draw or
 * print it; widths are those of the safe text.
 */
#ifndef TRAWL_BASE_TEXT_H
#define TRAWL_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Zero-initialise to start.  `data` is NUL-terminated once anything was
 * added; use text_get where it may be empty. */
struct text {
	char *data;
	size_t length, capacity;
};

void text_free(struct text *);
void text_cut(struct text *, size_t length); /* shortens to LENGTH bytes */

/* Empties it, and keeps the memory. */
static inline void
text_clear(struct text *text)
{
	text->length = 0;
	if (text->data)
		*text->data = '\0';
}

/* Never NULL. */
static inline const char *
text_get(const struct text *text)
{
	return text->data ? text->data : "";
}

void text_grow(struct text *, size_t more); /* for text_reserve */

/* Makes room for MORE bytes. */
static inline void
text_reserve(struct text *text, size_t more)
{
	if (text->capacity - text->length <= more)
		text_grow(text, more);
}

/* Inline, as the pieces of an exported line are a few bytes each. */
static inline void
text_add_bytes(struct text *text, const void *data, size_t length)
{
	text_reserve(text, length);
	if (length)
		memcpy(text->data + text->length, data, length);
	text->length += length;
	text->data[text->length] = '\0';
}

static inline void
text_add_char(struct text *text, char c)
{
	text_add_bytes(text, &c, 1);
}

void text_add_hex(struct text *, const uint8_t *data, size_t length); /* lower case, no blanks */
void text_add_uint(struct text *, uint64_t value);		      /* decimal */
void text_add_int(struct text *, int64_t value);		      /* the same */
void text_add_digits(struct text *, uint64_t value, unsigned digits); /* with zeros before */
/* Hexadecimal in lower case, with zeros before if it has fewer digits. */
void text_add_hex_digits(struct text *, uint64_t value, unsigned digits);
void text_add_fill(struct text *, char c, size_t count); /* so many of them */
/* Hexadecimal as text_add_hex_digits has it, of at most 16 digits, decimal, and all eight or four
 * digits of a value that has no more; return where it ends.  Bytes behind that may change, up to
 * the 20th. */
char *text_put_hex(char *at, uint64_t value, unsigned digits);
static inline char *text_put_uint(char *at, uint64_t value);
char *text_put_eight(char *at, uint32_t value);
char *text_put_four(char *at, uint32_t value);
void text_addf(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_addv(struct text *, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

char *text_put_long(char *at, uint64_t value); /* for text_put_uint */

/* Inline, as most numbers are small. */
static inline char *
text_put_uint(char *at, uint64_t value)
{
	if (value >= 100)
		return text_put_long(at, value);
	bool two = value >= 10;
	unsigned tens = (unsigned)value / 10, units = (unsigned)value % 10;
	at[0] = (char)('0' + (two ? tens : units));
	at[1] = (char)('0' + units);
	return at + 1 + two;
}

/* Inline, so that the length of a literal is known. */
static inline void
text_add(struct text *text, const char *string)
{
	text_add_bytes(text, string, strlen(string));
}

/* Decodes one code point of UTF-8 (RFC 3629: no surrogates, no overlong
 * forms).  Returns its length in bytes, 1 to 4, or 0 if the first byte does
 * not start a valid sequence within LENGTH. */
size_t text_decode(const char *bytes, size_t length, uint32_t *code);

/* Encodes a code point; returns its length in bytes, 1 to 4. */
size_t text_encode(uint32_t code, char bytes[static 4]);

/* C0, DEL, C1, and the characters that reorder or hide text (invisible format controls, line
 * separators, private use, tags): what no terminal should be sent. */
bool text_is_control(uint32_t code);

enum text_charset {
	TEXT_UTF8, /* printable code points stay as they are */
	TEXT_ASCII /* everything above 0x7e is escaped */
};

/*
 * Appends LENGTH bytes so that printing them cannot move the cursor, change
 * a mode, or reorder text: LF, CR and TAB become \n \r \t; other C0, DEL, C1
 * and bytes that are not UTF-8 become \xNN; format controls (those of Unicode Cf
 * that are invisible, and line separators, U+202A to U+202E and U+2066 to U+2069 among them) and
 * unassigned or private characters become \u{NNNN}.  Safe text stays as it is.
 */
void text_add_safe(struct text *, const char *bytes, size_t length, enum text_charset);

/* The same for whole lines: LF ends a line, and TAB, which separates columns, stays. */
void text_add_safe_lines(struct text *, const char *lines, size_t length, enum text_charset);

/* One character as text_add_safe appends it. */
struct text_shown {
	size_t taken;	 /* bytes of the text */
	int columns;	 /* on a terminal; 0 if it combines with the character before it */
	uint32_t code;	 /* the character, if it is shown as it is */
	char escape[16]; /* the ASCII that takes its place, or an empty string */
};

/* Return how the first character of LENGTH bytes, at least one, is shown. */
struct text_shown text_show(const char *bytes, size_t length, enum text_charset);

/* The columns that text takes on a terminal once it is safe. */
int text_columns(const char *bytes, size_t length, enum text_charset);

/* The longest prefix of a text that fits in COLUMNS once it is safe, in bytes; its width
 * goes to *USED if not NULL.  Never splits a character or its escape. */
size_t text_fit(const char *bytes, size_t length, enum text_charset, int columns, int *used);

/* How much of a text goes into a row of COLUMNS once it is safe: to the end of a word, unless
 * that would leave half of it empty; all, where there is no room for a character. */
size_t text_fit_words(const char *bytes, size_t length, enum text_charset, int columns);

/* Decimal with thousands separators, as `1,048,577`.  BUFFER has 32 bytes. */
char *text_number(char *buffer, uint64_t value);

/* A size in bytes for people, as `1.2 MB`. */
void text_add_size(struct text *, uint64_t bytes);
/* Appends at most 5 characters: 41, 9.1k, 168M. */
void text_add_count(struct text *, uint64_t count);

/* Reads an unsigned number: decimal or 0x hexadecimal, all of TEXT, within
 * MAX.  Returns false if it is anything else. */
bool text_parse_uint(const char *text, uint64_t max, uint64_t *value);

/* The same for a size in bytes, which may end in K, M, G or T: times 1000 and so on, as
 * text_add_size counts. */
bool text_parse_size(const char *text, uint64_t max, uint64_t *bytes);

/* How many changes make A of B: a character changed, added, left out, or swapped
 * with the next one (optimal string alignment), for "did you mean"; SIZE_MAX where
 * B is longer than words are. */
size_t text_distance(const char *a, const char *b);

#endif
