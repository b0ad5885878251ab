/* Growable arrays and allocation that cannot fail: see vec.h. */
#include "config.h"

#include "base/vec.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *
checked(void *memory)
{
	if (!memory) {
		fputs("trawl: out of memory\n", stderr);
		abort();
	}
	return memory;
}

void *
mem_new(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *
mem_resize(void *old, size_t size)
{
	return checked(realloc(old, size ? size : 1));
}

char *
mem_text(const char *text)
{
	return checked(strdup(text));
}

void *
vec_grow(void *at, size_t count, size_t more, size_t *capacity, size_t size)
{
	if (*capacity - count >= more)
		return at;
	size_t want = *capacity ? *capacity + *capacity / 2 : 8;
	if (want < count + more)
		want = count + more;
	if (want > SIZE_MAX / size)
		checked(NULL);
	*capacity = want;
	return mem_resize(at, want * size);
}

void
vec_release(void *at)
{
	free(at);
}
