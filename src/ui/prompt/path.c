/*
 * Quotes and `~` in file names: see path.h.
 *
 * No variables, no `~user`, no patterns: names are taken literally.
 */
#include "config.h"

#include "ui/prompt/path.h"

#include <stdlib.h>

static void
add_path(const char *name, size_t length, struct text *path)
{
	const char *home = getenv("HOME");
	bool is_home = length && *name == '~' && (length == 1 || name[1] == '/') && home;
	if (is_home)
		text_add(path, home);
	text_add_bytes(path, name + is_home, length - is_home);
}

static bool
is_quote(char c)
{
	return c == '"' || c == '\'';
}

const char *
path_take(const char *text, struct text *path)
{
	text += strspn(text, " ");
	bool quoted = is_quote(*text);
	const char end[] = {quoted ? *text : ' ', '\0'};
	text += quoted;
	size_t length = strcspn(text, end);
	add_path(text, length, path);
	if (quoted && !text[length])
		return NULL;
	text += length + quoted;
	return text + strspn(text, " ");
}

void
path_read(const char *text, struct text *path)
{
	const char *rest = is_quote(*text) ? path_take(text, path) : NULL;
	if (rest && !*rest)
		return;
	text_clear(path);
	add_path(text, strlen(text), path);
}
