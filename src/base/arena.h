/*
 * An arena: many small allocations that are freed together.
 *
 * Memory from arena_alloc does not move until arena_reset or arena_free.  A reset keeps the memory
 * for the next round.  A loop that expands one message per turn soon stops calling malloc.
 */
#ifndef TRAWL_BASE_ARENA_H
#define TRAWL_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* Zero-initialise to start; treat as opaque. */
struct arena {
	struct arena_chunk *first, *current;
	size_t size; /* of all chunks; callers may read it */
};

void *arena_alloc(struct arena *, size_t size); /* aligned for any type; not zeroed */
void *arena_copy(struct arena *, const void *data, size_t size);
char *arena_text(struct arena *, const char *data, size_t length); /* adds a NUL */
char *arena_format(struct arena *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_reset(struct arena *);
void arena_free(struct arena *);

#endif
