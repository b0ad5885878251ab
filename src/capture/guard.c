/*
 * Guarded maps: see guard.h.
 *
 * The handler must not take a lock, so it finds the map of an address in tables of
 * atomics.  More maps add more tables, which are never freed.
 */
#include "config.h"

#include "capture/guard.h"
#include "base/vec.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD_MAPS = 256 }; /* in each table */

struct guard_table {
	_Atomic(struct guard_map *) maps[GUARD_MAPS];
	_Atomic(struct guard_table *) next;
};
static struct guard_table tables;
static struct sigaction previous; /* handler of SIGBUS before ours */

uint64_t
guard_page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

bool
guard_lay_zeros(void *page, size_t length)
{
	return mmap(page, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
	       MAP_FAILED;
}

/* Return the map that contains ADDRESS, or NULL. */
static struct guard_map *
find_map(const uint8_t *address)
{
	for (struct guard_table *t = &tables; t; t = atomic_load(&t->next)) {
		for (size_t i = 0; i < GUARD_MAPS; i++) {
			struct guard_map *map = atomic_load(&t->maps[i]);
			if (map && address >= map->bytes && address < map->bytes + map->length)
				return map;
		}
	}
	return NULL;
}

static void
bus_error(int number, siginfo_t *info, void *context)
{
	(void)context;
	int saved = errno;
	uint8_t *address = info->si_addr;
	uint64_t size = guard_page_size();
	struct guard_map *map = find_map(address);
	if (map) {
		uint64_t offset = (uint64_t)(address - map->bytes) / size * size;
		if (guard_lay_zeros(map->bytes + offset, (size_t)size)) {
			map->lost(map, offset, offset + size);
			errno = saved;
			return;
		}
	}
	/* Not our map: restore the previous handler, under which the read faults again.  If there
	 * was none, end as abort() does, since the screen handles that signal. */
	if (!(previous.sa_flags & SA_SIGINFO) && previous.sa_handler == SIG_DFL)
		abort();
	sigaction(number, &previous, NULL);
}

/* Install our handler, ahead of any other. */
static void
install_handler(void)
{
	struct sigaction action = {.sa_sigaction = bus_error, .sa_flags = SA_SIGINFO}, now;
	sigaction(SIGBUS, NULL, &now);
	if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == bus_error)
		return;
	previous = now;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

/* Return the table after T.  Append one if T is the last. */
static struct guard_table *
next_table(struct guard_table *t)
{
	struct guard_table *next = atomic_load(&t->next);
	if (next)
		return next;
	struct guard_table *new = mem_new(sizeof *new);
	if (atomic_compare_exchange_strong(&t->next, &next, new))
		return new;
	free(new); /* another thread was faster */
	return next;
}

/* Replace the first OLD in a table with NEW.  Return false if OLD is not there. */
static bool
replace_in(struct guard_table *t, struct guard_map *old, struct guard_map *new)
{
	for (size_t i = 0; i < GUARD_MAPS; i++) {
		struct guard_map *expected = old;
		if (atomic_compare_exchange_strong(&t->maps[i], &expected, new))
			return true;
	}
	return false;
}

void
guard_add(struct guard_map *map)
{
	install_handler();
	struct guard_table *t = &tables;
	while (!replace_in(t, NULL, map))
		t = next_table(t);
}

void
guard_remove(struct guard_map *map)
{
	struct guard_table *t = &tables;
	while (t && !replace_in(t, map, NULL))
		t = atomic_load(&t->next);
}

size_t
guard_count(void)
{
	size_t count = 0;
	for (struct guard_table *t = &tables; t; t = atomic_load(&t->next))
		for (size_t i = 0; i < GUARD_MAPS; i++)
			count += atomic_load(&t->maps[i]) != NULL;
	return count;
}
