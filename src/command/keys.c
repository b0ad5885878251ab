/*
 * Parsing and writing keys: see keys.h.
 *
 * The parser reads a sequence from the left.  A key is `Ctrl-` and a character, else the longest
 * name in the table, else one character.  Before letters, such keys need brackets: `<Ctrl-X>`,
 * `<Home>`.  An unknown word is an error, not a sequence of letters: `Ctrl-Foo`, `Pgdn`, `Homee`,
 * `F13`.  Esc is an exception, because people use it to write Alt, as `Escv`.
 */
#include "config.h"

#include "command/keys.h"

#include <string.h>

static const struct {
	const char *name;
	uint32_t key;
} names[] = {
    {"Space", KEYCODE_SPACE},
    {"Tab", KEYCODE_TAB},
    {"Enter", KEYCODE_ENTER},
    {"Esc", KEYCODE_ESC},
    {"Backspace", KEYCODE_BACKSPACE},
    {"Up", KEYCODE_UP},
    {"Down", KEYCODE_DOWN},
    {"Left", KEYCODE_LEFT},
    {"Right", KEYCODE_RIGHT},
    {"Home", KEYCODE_HOME},
    {"End", KEYCODE_END},
    {"PgUp", KEYCODE_PAGE_UP},
    {"PgDn", KEYCODE_PAGE_DOWN},
    {"Ins", KEYCODE_INSERT},
    {"Del", KEYCODE_DELETE},
    {"BackTab", KEYCODE_BACKTAB},
};
enum { NAMES = sizeof names / sizeof *names };

const char *
keys_word(size_t i)
{
	return i < NAMES ? names[i].name : NULL;
}

/* Each reader parses one key at the start of the text and returns its length, or 0. */

static size_t
read_control(const char *text, size_t length, uint32_t *key)
{
	static const char prefix[] = "Ctrl-";
	size_t size = sizeof prefix - 1;
	if (length <= size || strncmp(text, prefix, size) != 0)
		return 0;
	*key = KEYCODE_CTRL((unsigned char)text[size]);
	return size + 1;
}

static const char shift_prefix[] = "Shift-";

static size_t
read_function(const char *text, size_t length, uint32_t *key)
{
	const size_t shift = sizeof shift_prefix - 1;
	if (length > shift && !strncmp(text, shift_prefix, shift)) {
		size_t taken = read_function(text + shift, length - shift, key);
		*key += taken ? KEYCODE_SHIFT_F1 - KEYCODE_F1 : 0;
		return taken && *key <= KEYCODE_SHIFT_F12 ? shift + taken : 0;
	}
	if (length < 2 || text[0] != 'F' || text[1] < '1' || text[1] > '9')
		return 0;
	unsigned number = (unsigned)(text[1] - '0');
	size_t size = 2;
	if (length > 2 && text[1] == '1' && text[2] >= '0' && text[2] <= '2') {
		number = 10 + (unsigned)(text[2] - '0');
		size = 3;
	}
	*key = KEYCODE_F1 + number - 1;
	return length > size && text[size] >= '0' && text[size] <= '9' ? 0 : size;
}

static size_t
read_name(const char *text, size_t length, uint32_t *key)
{
	size_t longest = 0;
	for (size_t i = 0; i < NAMES; i++) {
		size_t size = strlen(names[i].name);
		if (size > longest && size <= length && !strncmp(text, names[i].name, size)) {
			longest = size;
			*key = names[i].key;
		}
	}
	return longest;
}

/* Read a key that is written as a word. */
static size_t
read_word(const char *text, size_t length, uint32_t *key)
{
	size_t taken = read_control(text, length, key);
	if (!taken)
		taken = read_name(text, length, key);
	return taken ? taken : read_function(text, length, key);
}

static size_t
count_small(const char *text, size_t length)
{
	size_t count = 0;
	while (count < length && text[count] >= 'a' && text[count] <= 'z')
		count++;
	return count;
}

/* Return how many small letters may follow KEY without brackets. */
static size_t
letters_after(uint32_t key)
{
	if (key == KEYCODE_ESC)
		return KEYS_MAX;
	return key < KEYCODE_SPACE && key != KEYCODE_TAB && key != KEYCODE_ENTER ? 1 : 0;
}

/* True if a character and TEXT after it form a word. */
static bool
begins_word(uint32_t key, const char *text, size_t length)
{
	bool function = key == 'F' && length && *text >= '0' && *text <= '9';
	return function || (key >= 'A' && key <= 'Z' && count_small(text, length) > 1);
}

static size_t
read_between(const char *text, size_t length, uint32_t *key)
{
	if (length < 3 || *text != '<')
		return 0;
	size_t taken = read_word(text + 1, length - 1, key);
	if (!taken)
		taken = text_decode(text + 1, length - 1, key);
	return taken && taken + 1 < length && text[taken + 1] == '>' ? taken + 2 : 0;
}

static size_t
read_key(const char *text, size_t length, uint32_t *key)
{
	size_t taken = read_between(text, length, key);
	if (taken)
		return taken;
	taken = read_word(text, length, key);
	if (taken && count_small(text + taken, length - taken) <= letters_after(*key))
		return taken;
	taken = text_decode(text, length, key);
	return taken && begins_word(*key, text + taken, length - taken) ? 0 : taken;
}

bool
keys_parse(const char *text, size_t length, struct keys *keys)
{
	keys->count = 0;
	while (length) {
		uint32_t key = 0;
		size_t taken = read_key(text, length, &key);
		if (!taken || keys->count == KEYS_MAX)
			return false;
		keys->at[keys->count++] = key;
		text += taken;
		length -= taken;
	}
	return keys->count > 0;
}

static void
add_character(uint32_t code, struct text *out)
{
	char bytes[4];
	text_add_bytes(out, bytes, text_encode(code, bytes));
}

static void
add_key(uint32_t key, struct text *out)
{
	for (size_t i = 0; i < NAMES; i++) {
		if (names[i].key == key) {
			text_add(out, names[i].name);
			return;
		}
	}
	if (key >= KEYCODE_F1 && key <= KEYCODE_F12)
		text_addf(out, "F%u", key - KEYCODE_F1 + 1);
	else if (key >= KEYCODE_SHIFT_F1 && key <= KEYCODE_SHIFT_F12)
		text_addf(out, "%sF%u", shift_prefix, key - KEYCODE_SHIFT_F1 + 1);
	else if (key < 0x20)
		text_addf(out, "Ctrl-%c", (char)(key | 0x40));
	else
		add_character(key, out);
}

/* True if a key is written as a word. */
static bool
is_named(uint32_t key)
{
	return key <= KEYCODE_SPACE || key == KEYCODE_BACKSPACE || key >= KEYCODE_NAMED;
}

/* True if a key before NEXT needs brackets. */
static bool
needs_brackets(uint32_t key, const char *next)
{
	size_t length = strlen(next);
	if (is_named(key))
		return count_small(next, length) > letters_after(key);
	return begins_word(key, next, length) || (key == '<' && length > 1);
}

static void
format_from(const struct keys *keys, size_t i, struct text *out)
{
	struct text rest = {0};
	if (i == keys->count)
		return;
	format_from(keys, i + 1, &rest);
	bool brackets = needs_brackets(keys->at[i], text_get(&rest));
	if (brackets)
		text_add_char(out, '<');
	add_key(keys->at[i], out);
	if (brackets)
		text_add_char(out, '>');
	text_add(out, text_get(&rest));
	text_free(&rest);
}

void
keys_format(const struct keys *keys, struct text *out)
{
	format_from(keys, 0, out);
}

void
keys_show(const struct keys *keys, struct text *out)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (i && (is_named(keys->at[i - 1]) || is_named(keys->at[i])))
			text_add_char(out, ' ');
		add_key(keys->at[i], out);
	}
}
