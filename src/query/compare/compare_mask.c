/*
 * Find the numbers in a text: see compare_mask.h.
 *
 * A text consists of pieces: numbers, words, and single characters between them.
 * All functions walk over these pieces, so only next_piece() contains the rule.
 * Cost: each text is read once or twice.
 */
#include "config.h"

#include "query/compare/compare_mask.h"

#include <string.h>

enum {
	NAME_DIGITS = 2, /* trailing digits that belong to a word: `uart1` */
	HEX_LEAST = 4,	 /* least length of a hexadecimal word with digits */
	HEX_SURE = 8,	 /* the same without digits */
	BYTES_LEAST = 4, /* least number of hexadecimal bytes in a row */
	GUID_LENGTH = 36,
	WORDS_MAX = 32 /* words to compare */
};

enum { CLASS_DIGIT = 1, CLASS_HEX = 2, CLASS_WORD = 4 };

/* Return the classes of a character, regardless of locale; bytes of UTF-8 are letters. */
static unsigned
class_of(char c)
{
	unsigned char u = (unsigned char)c;
	if (u >= '0' && u <= '9')
		return CLASS_DIGIT | CLASS_HEX | CLASS_WORD;
	unsigned char lower = u | 0x20;
	if (lower >= 'a' && lower <= 'z')
		return CLASS_WORD | (lower <= 'f' ? CLASS_HEX : 0);
	return u == '_' || u >= 0x80 ? CLASS_WORD : 0;
}

static bool
is_digit_at(const char *text, size_t length, size_t at)
{
	return at < length && class_of(text[at]) & CLASS_DIGIT;
}

/* Return the end of the word at AT. */
static size_t
word_end(const char *text, size_t length, size_t at)
{
	while (at < length && class_of(text[at]))
		at++;
	return at;
}

static bool
is_guid(const char *text, size_t length)
{
	if (length < GUID_LENGTH || (length > GUID_LENGTH && class_of(text[GUID_LENGTH])))
		return false;
	for (size_t i = 0; i < GUID_LENGTH; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		if (dash ? text[i] != '-' : !(class_of(text[i]) & CLASS_HEX))
			return false;
	}
	return true;
}

/* Return the end of the hexadecimal bytes at AT, or AT if they are too few. */
static size_t
bytes_end(const char *text, size_t length, size_t at)
{
	size_t end = at, next = at;
	int count = 0;
	while (length - next >= 2 && class_of(text[next]) & CLASS_HEX &&
	       class_of(text[next + 1]) & CLASS_HEX &&
	       (length - next == 2 || !class_of(text[next + 2]))) {
		count++;
		end = next + 2;
		if (end == length || text[end] != ' ')
			break;
		next = end + 1;
	}
	return count >= BYTES_LEAST ? end : at;
}

/* Return the end of a number that begins with the digit at AT. */
static size_t
number_end(const char *text, size_t length, size_t at)
{
	for (;;) {
		size_t end = word_end(text, length, at);
		bool dated = end < length && text[end] == '-' && end - at == 4;
		bool month = end < length && text[end] == '-' && end - at == 2 && at >= 5 &&
			     text[at - 1] == '-' && is_digit_at(text, length, at - 2);
		if (end == length || !(text[end] == '.' || text[end] == ':' || dated || month) ||
		    !is_digit_at(text, length, end + 1))
			return end;
		at = end + 1;
	}
}

/* True if the word from AT to END is a hexadecimal number. */
static bool
is_hex_word(const char *text, size_t at, size_t end)
{
	bool digit = false;
	for (size_t i = at; i < end; i++) {
		unsigned class = class_of(text[i]);
		if (!(class & CLASS_HEX))
			return false;
		digit |= class & CLASS_DIGIT;
	}
	return end - at >= HEX_SURE || (digit && end - at >= HEX_LEAST);
}

/* True if the sign at AT belongs to a number, and is no operator or dash. */
static bool
is_sign(const char *text, size_t length, size_t at)
{
	return (text[at] == '-' || text[at] == '+') && is_digit_at(text, length, at + 1) &&
	       (!at || strchr(" =:([{,<>/", text[at - 1]));
}

/* Return the end of the piece at AT, and whether it is a number. PART: it is the number at the
 * end of a word. */
static size_t
next_piece(const char *text, size_t length, size_t at, bool part, bool *number)
{
	unsigned class = class_of(text[at]);
	*number = true;
	if (part)
		return word_end(text, length, at);
	if (!class && is_sign(text, length, at))
		return number_end(text, length, at + 1);
	if (class & CLASS_HEX) {
		if (is_guid(text + at, length - at))
			return at + GUID_LENGTH;
		size_t end = bytes_end(text, length, at);
		if (end > at)
			return end;
	}
	if (class & CLASS_DIGIT)
		return number_end(text, length, at);
	*number = false;
	if (!class)
		return at + 1;
	size_t end = word_end(text, length, at), digits = end;
	if (is_hex_word(text, at, end)) {
		*number = true;
		return end;
	}
	while (class_of(text[digits - 1]) & CLASS_DIGIT)
		digits--;
	return end - digits > NAME_DIGITS ? digits : end;
}

/* A piece of a text. */
struct pieces {
	const char *text;
	size_t length;
	size_t start, end; /* bounds of the piece */
	bool number;
};

static bool
take_piece(struct pieces *pieces)
{
	size_t start = pieces->end;
	if (start >= pieces->length)
		return false;
	bool part = start && !pieces->number && class_of(pieces->text[start - 1]) &&
		    class_of(pieces->text[start]);
	pieces->start = start;
	pieces->end = next_piece(pieces->text, pieces->length, start, part, &pieces->number);
	return true;
}

uint64_t
compare_hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *at = bytes; /* FNV-1a, after whole words of 8 bytes */
	hash ^= UINT64_C(0xcbf29ce484222325);
	for (; length >= sizeof(uint64_t); at += sizeof(uint64_t), length -= sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, at, sizeof word);
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 29;
}

uint64_t
compare_hash_masked(uint64_t hash, const char *text, size_t length)
{
	struct pieces pieces = {.text = text, .length = length};
	hash ^= UINT64_C(0xcbf29ce484222325);
	while (take_piece(&pieces)) {
		if (pieces.number) {
			hash = (hash ^ 0x100) * UINT64_C(0x100000001b3);
			continue;
		}
		for (size_t i = pieces.start; i < pieces.end; i++)
			hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	}
	return hash ^ hash >> 29;
}

void
compare_add_masked(const char *text, size_t length, struct text *out)
{
	struct pieces pieces = {.text = text, .length = length};
	while (take_piece(&pieces)) {
		if (pieces.number)
			text_add_char(out, '#');
		else
			text_add_bytes(out, text + pieces.start, pieces.end - pieces.start);
	}
}

/* List the hashes of the words in a text, without blanks. */
static size_t
list_words(const char *text, size_t length, uint64_t words[static WORDS_MAX])
{
	struct pieces pieces = {.text = text, .length = length};
	size_t count = 0;
	while (count < WORDS_MAX && take_piece(&pieces)) {
		if (pieces.number)
			words[count++] = 1;
		else if (text[pieces.start] != ' ')
			words[count++] =
			    compare_hash_bytes(0, text + pieces.start, pieces.end - pieces.start);
	}
	return count;
}

double
compare_likeness(const char *a, size_t a_length, const char *b, size_t b_length)
{
	uint64_t words_a[WORDS_MAX], words_b[WORDS_MAX];
	size_t count_a = list_words(a, a_length, words_a);
	size_t count_b = list_words(b, b_length, words_b);
	unsigned char common[WORDS_MAX + 1] = {0}; /* common words per prefix of B */
	for (size_t i = 0; i < count_a; i++) {
		unsigned char diagonal = 0;
		for (size_t k = 0; k < count_b; k++) {
			unsigned char above = common[k + 1];
			common[k + 1] = words_a[i] == words_b[k] ? diagonal + 1
					: above > common[k]	 ? above
								 : common[k];
			diagonal = above;
		}
	}
	return count_a + count_b ? 2.0 * common[count_b] / (double)(count_a + count_b) : 1;
}
