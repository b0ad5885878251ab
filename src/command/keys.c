/*
 * Reading and writing the names of keys: see keys.h.
 *
 * A sequence is read from the left: `Ctrl-` and a character, else the longest
 * name of the table, else one character.
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

/* Each reader takes a key off the front of the text: its length, or 0. */

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

static size_t
read_function(const char *text, size_t length, uint32_t *key)
{
	if (length < 2 || text[0] != 'F' || text[1] < '1' || text[1] > '9')
		return 0;
	unsigned number = (unsigned)(text[1] - '0');
	size_t size = 2;
	if (length > 2 && text[1] == '1' && text[2] >= '0' && text[2] <= '2') {
		number = 10 + (unsigned)(text[2] - '0');
		size = 3;
	}
	*key = KEYCODE_F1 + number - 1;
	return size;
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

bool
keys_parse(const char *text, size_t length, struct keys *keys)
{
	keys->count = 0;
	while (length) {
		uint32_t key;
		size_t taken = read_control(text, length, &key);
		if (!taken)
			taken = read_name(text, length, &key);
		if (!taken)
			taken = read_function(text, length, &key);
		if (!taken)
			taken = text_decode(text, length, &key);
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
	else if (key < 0x20)
		text_addf(out, "Ctrl-%c", (char)(key | 0x40));
	else
		add_character(key, out);
}

void
keys_format(const struct keys *keys, struct text *out)
{
	for (size_t i = 0; i < keys->count; i++)
		add_key(keys->at[i], out);
}

/* Whether a key is written as a word. */
static bool
is_named(uint32_t key)
{
	return key <= KEYCODE_SPACE || key == KEYCODE_BACKSPACE || key >= KEYCODE_NAMED;
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
