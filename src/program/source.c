/* Lines of source files: see source.h. */
#include "config.h"

#include "program/source.h"
#include "base/file.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

void
source_free(struct source *source)
{
	free(source->path);
	text_free(&source->text);
	*source = (struct source){0};
}

/* Read a file, unless it is the last one read. */
static void
read_file(struct source *source, const char *path)
{
	char piece[1 << 14];
	size_t got;
	if (source->path && !strcmp(source->path, path))
		return;
	source_free(source);
	source->path = mem_text(path);
	FILE *file = file_open_stream(path, &source->why);
	if (!file)
		return;
	while (source->text.length < SOURCE_MOST && (got = fread(piece, 1, sizeof piece, file)))
		text_add_bytes(&source->text, piece, got);
	fclose(file);
}

bool
source_add_line(struct source *source, const char *path, int line, struct text *out,
		const char **why)
{
	read_file(source, path);
	const char *at = text_get(&source->text), *end = at + source->text.length, *next;
	*why = source->why ? source->why : "it has no such line";
	for (; line > 1 && (next = memchr(at, '\n', (size_t)(end - at))); line--)
		at = next + 1;
	if (source->why || line > 1 || at == end)
		return false;
	next = memchr(at, '\n', (size_t)(end - at));
	end = next ? next : end;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	text_add_bytes(out, at, (size_t)(end - at));
	return true;
}
