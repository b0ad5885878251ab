/*
 * Growable arrays of any type:
 *
 *	VEC(struct thing) things = {0};
 *	*vec_add(&things) = (struct thing){...};
 *	for (size_t i = 0; i < things.count; i++) use(&things.at[i]);
 *	vec_free(&things);
 *
 * Growth moves the elements: pointers into `at` are valid until the next vec_add or vec_reserve.
 * The program ends if memory runs out (mem_end), as for all its small allocations.  The caller
 * limits sizes that come from a capture.
 */
#ifndef TRAWL_BASE_VEC_H
#define TRAWL_BASE_VEC_H

#include <stddef.h>
#include <string.h>

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *at;                                                                          \
		size_t count, capacity;                                                            \
	}

/* Make room for MORE further elements (evaluated twice). */
#define vec_reserve(v, more)                                                                       \
	((v)->capacity - (v)->count >= (size_t)(more)                                              \
	     ? (void)0                                                                             \
	     : (void)((v)->at =                                                                    \
			  vec_grow((v)->at, (v)->count, (more), &(v)->capacity, sizeof *(v)->at)))

/* Append one zeroed element and yield a pointer to it. */
#define vec_add(v)                                                                                 \
	(vec_reserve(v, 1), memset(&(v)->at[(v)->count++], 0, sizeof *(v)->at),                    \
	 &(v)->at[(v)->count - 1])

/* Make room for exactly N elements in an empty array that will not grow. */
#define vec_fit(v, n)                                                                              \
	((n) ? (void)((v)->at = mem_resize(NULL, (n) * sizeof *(v)->at), (v)->capacity = (n))      \
	     : (void)0)

#define vec_clear(v) ((void)((v)->count = 0))

#define vec_free(v) (vec_release((v)->at), (v)->at = NULL, (v)->count = (v)->capacity = 0)

void *vec_grow(void *at, size_t count, size_t more, size_t *capacity, size_t size);
void vec_release(void *at);

/* calloc, realloc and strdup that end the program if memory runs out. */
void *mem_new(size_t size); /* zeroed */
void *mem_resize(void *old, size_t size);
/* mem_new for large memory with random access: uses large pages if available. */
void *mem_new_wide(size_t size);
char *mem_text(const char *text);

/* End the program, out of memory: one sentence on standard error and status 2.  Any thread may
 * call it, for code that allocates in other ways. */
_Noreturn void mem_end(void);

/* Set ACT (NULL: none) to run before that, in any thread.  It must not allocate. */
void mem_before_end(void (*act)(void));

#endif
