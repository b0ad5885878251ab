/* Growable arrays and allocation that cannot fail: see vec.h. */
#include "config.h"

#include "base/vec.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STATUS_FAILED = 2, WIDE = 8 << 20 };

static _Atomic(void (*)(void)) last_act;

void
mem_before_end(void (*act)(void))
{
	atomic_store(&last_act, act);
}

void
mem_end(void)
{
	static const char sentence[] = "trawl: out of memory; open fewer captures, or raise the "
				       "limit (ulimit -v)\n";
	static atomic_flag ending = ATOMIC_FLAG_INIT;
	while (atomic_flag_test_and_set(&ending))
		pause(); /* another thread ends the program */
	void (*act)(void) = atomic_load(&last_act);
	if (act)
		act();
	if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0) {
		/* the exit status reports it anyway */
	}
	_exit(STATUS_FAILED);
}

static void *
checked_memory(void *memory)
{
	if (!memory)
		mem_end();
	return memory;
}

void *
mem_new(size_t size)
{
	return checked_memory(calloc(1, size ? size : 1));
}

/* Request large pages.  They save page table walks at random access, and page faults.  A system
 * without them refuses, which does no harm. */
static void *
ask_wide(void *memory, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)memory;
	uintptr_t from = (at + page - 1) / page * page;
	if (size >= WIDE)
		madvise((void *)from, (at + size - from) / page * page, MADV_HUGEPAGE);
	return memory;
}

void *
mem_new_wide(size_t size)
{
	return ask_wide(mem_new(size), size);
}

void *
mem_resize(void *old, size_t size)
{
	return checked_memory(realloc(old, size ? size : 1));
}

char *
mem_text(const char *text)
{
	return checked_memory(strdup(text));
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
		mem_end();
	*capacity = want;
	return ask_wide(mem_resize(at, want * size), want * size);
}

void
vec_release(void *at)
{
	free(at);
}
