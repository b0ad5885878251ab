/* An arena as a list of chunks.  Each is at least twice as large as the one before, up to 1 MiB.
 * See arena.h. */
#include "config.h"

#include "base/arena.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

static struct arena_chunk *
chunk_new(size_t size)
{
	struct arena_chunk *chunk = mem_resize(NULL, sizeof *chunk + size);
	chunk->next = NULL;
	chunk->used = 0;
	chunk->size = size;
	return chunk;
}

void *
arena_alloc(struct arena *arena, size_t size)
{
	const size_t align = alignof(max_align_t);
	size = (size + align - 1) / align * align;

	struct arena_chunk *chunk = arena->current;
	while (chunk && chunk->size - chunk->used < size && chunk->next) {
		chunk = chunk->next;
		chunk->used = 0;
	}
	if (!chunk || chunk->size - chunk->used < size) {
		size_t want = chunk ? chunk->size * 2 : 4096;
		if (want > 1 << 20)
			want = 1 << 20;
		if (want < size)
			want = size;
		struct arena_chunk *fresh = chunk_new(want);
		if (chunk)
			chunk->next = fresh;
		else
			arena->first = fresh;
		arena->size += sizeof *fresh + want;
		chunk = fresh;
	}
	arena->current = chunk;
	void *memory = chunk->bytes + chunk->used;
	chunk->used += size;
	return memory;
}

void *
arena_copy(struct arena *arena, const void *data, size_t size)
{
	void *copy = arena_alloc(arena, size);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

char *
arena_text(struct arena *arena, const char *data, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);
	if (length)
		memcpy(copy, data, length);
	copy[length] = '\0';
	return copy;
}

char *
arena_format(struct arena *arena, const char *format, ...)
{
	char small[256];
	va_list args;
	va_start(args, format);
	int length = vsnprintf(small, sizeof small, format, args);
	va_end(args);
	if (length < 0)
		length = 0;
	if ((size_t)length < sizeof small)
		return arena_text(arena, small, (size_t)length);

	char *text = arena_alloc(arena, (size_t)length + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

void
arena_reset(struct arena *arena)
{
	arena->current = arena->first;
	if (arena->first)
		arena->first->used = 0;
}

void
arena_free(struct arena *arena)
{
	struct arena_chunk *chunk = arena->first;
	while (chunk) {
		struct arena_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
	*arena = (struct arena){0};
}
