/*
 * Text: a growable string, and the only code that makes capture bytes safe for a terminal.
 *
 * Captures are hostile.  Their text may contain escape sequences, C1 controls, half a UTF-8
 * sequence, or bidirectional overrides that reorder the screen.  The canvas and the writer of
 * batch output make all text safe as they draw or print it.  Widths are those of the safe text.
 */
#ifndef TRAWL_BASE_TEXT_H
#define TRAWL_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Zero-initialise to start.  `data` is NUL-terminated after the first append; use text_get if it
 * may be empty. */
struct text {
	char *data;
	size_t length, capacity;
};

void text_free(struct text *);
void text_cut(struct text *, size_t length); /* shortens to LENGTH bytes */

/* Empty the text but keep its memory. */
static inline void
text_clear(struct text *text)
{
	text->length = 0;
	if (text->data)
		*text->data = '\0';
}

/* Return the string, never NULL. */
static inline const char *
text_get(const struct text *text)
{
	return text->data ? text->data : "";
}

void text_grow(struct text *, size_t more); /* for text_reserve */

/* Make room for MORE bytes. */
static inline void
text_reserve(struct text *text, size_t more)
{
	if (text->capacity - text->length <= more)
		text_grow(text, more);
}

/* Append bytes.  Inline, because an exported line has many pieces of a few bytes. */
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
void text_add_int(struct text *, int64_t value);		      /* decimal */
void text_add_digits(struct text *, uint64_t value, unsigned digits); /* padded with zeros */
/* Append lower-case hexadecimal, padded with zeros to DIGITS. */
void text_add_hex_digits(struct text *, uint64_t value, unsigned digits);
void text_add_fill(struct text *, char c, size_t count); /* COUNT times */
/* Write hexadecimal padded to DIGITS (at most 16), decimal, or exactly four decimal digits.  Return
 * the end. */
char *text_put_hex(char *at, uint64_t value, unsigned digits);
char *text_put_uint(char *at, uint64_t value);
char *text_put_four(char *at, uint32_t value);
void text_addf(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_addv(struct text *, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Inline, so that the compiler can compute the length of a literal. */
static inline void
text_add(struct text *text, const char *string)
{
	text_add_bytes(text, string, strlen(string));
}

/* Decode one code point of UTF-8 (RFC 3629: no surrogates, no overlong forms).  Return its
 * length in bytes, 1 to 4.  Return 0 if the first byte does not start a valid sequence within
 * LENGTH. */
size_t text_decode(const char *bytes, size_t length, uint32_t *code);

/* Encode a code point.  Return its length in bytes, 1 to 4. */
size_t text_encode(uint32_t code, char bytes[static 4]);

/* True for characters that no terminal should get: C0, DEL, C1, and those that reorder or hide
 * text (invisible format controls, line separators, private use, tags). */
bool text_is_control(uint32_t code);

enum text_charset {
	TEXT_UTF8, /* printable code points stay */
	TEXT_ASCII /* escape everything above 0x7e */
};

/*
 * Append LENGTH bytes so that printing them cannot move the cursor, change a mode, or reorder
 * text.  LF, CR and TAB become \n \r \t.  Other C0, DEL, C1 and bytes that are not UTF-8 become
 * \xNN.  Invisible format controls (Unicode Cf), line separators, and unassigned or private
 * characters become \u{NNNN}.  U+202A to U+202E and U+2066 to U+2069 are among them.  Safe text
 * stays.
 */
void text_add_safe(struct text *, const char *bytes, size_t length, enum text_charset);

/* Same for whole lines: LF ends a line, and TAB, which separates columns, stays. */
void text_add_safe_lines(struct text *, const char *lines, size_t length, enum text_charset);

/* One character as text_add_safe appends it. */
struct text_shown {
	size_t taken;	 /* bytes of the text */
	int columns;	 /* on a terminal; 0 for a combining character */
	uint32_t code;	 /* the character, if it needs no escape */
	char escape[16]; /* ASCII that replaces it, or an empty string */
};

/* Return the form in which to show the first character of LENGTH bytes, at least one. */
struct text_shown text_show(const char *bytes, size_t length, enum text_charset);

/* Return the number of columns that the safe text takes on a terminal. */
int text_columns(const char *bytes, size_t length, enum text_charset);

/* Return the length, in bytes, of the longest prefix that fits in COLUMNS once it is safe.
 * *USED gets its width, unless NULL.  Never splits a character or its escape. */
size_t text_fit(const char *bytes, size_t length, enum text_charset, int columns, int *used);

/* Return how many bytes to put in a row of COLUMNS once they are safe.  Ends after a blank,
 * unless that leaves half of the row empty.  Returns LENGTH if not even one character fits. */
size_t text_fit_words(const char *bytes, size_t length, enum text_charset, int columns);

/* Write decimal with thousands separators, as `1,048,577`.  BUFFER has 32 bytes. */
char *text_number(char *buffer, uint64_t value);

/* Append a size in bytes for people, as `1.2 MB`. */
void text_add_size(struct text *, uint64_t bytes);
/* Append at most 5 characters: 41, 9.1k, 168M. */
void text_add_count(struct text *, uint64_t count);

/* Parse an unsigned number, decimal or 0x hexadecimal, up to MAX.  Return false if TEXT is
 * anything else. */
bool text_parse_uint(const char *text, uint64_t max, uint64_t *value);

/* Same for a size in bytes.  It may end in K, M, G or T for powers of 1000, as text_add_size
 * counts. */
bool text_parse_size(const char *text, uint64_t max, uint64_t *bytes);

/* Return the quote that ends the quoted text at TEXT, or NULL. */
const char *text_quote_end(const char *text);

/* Remove the quotes, " or ', that enclose all of TEXT.  Between ", \" and \\ lose their
 * backslash; between ', '' becomes '.  Return false if there are none. */
bool text_unquote(char *text);

/* Count the changes that turn A into B (optimal string alignment).  A change replaces, adds or
 * removes a character, or swaps two neighbours.  For "did you mean".  Return SIZE_MAX if B is
 * too long for a word (64 bytes). */
size_t text_distance(const char *a, const char *b);

#endif
