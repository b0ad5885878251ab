/*
 * Guarded maps: a page of a mapped file that cannot be read becomes a page of zeros.
 *
 * A read through a map raises SIGBUS where the file became shorter, or where the system cannot
 * read it.  The handler finds the map of that address, lays a page of zeros there, calls `lost`
 * and lets the read go on.  A fault elsewhere goes to the handler before this one.
 *
 * Threads: any.  A map is guarded from guard_add to guard_remove; before it changes or goes, it
 * is removed.
 */
#ifndef TRAWL_CAPTURE_GUARD_H
#define TRAWL_CAPTURE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct guard_map {
	uint8_t *bytes; /* borrowed; begins on a page */
	size_t length;
	/* Zeros are read from OFFSET to END now.  Runs in the handler: it may do only what is
	 * safe there, and takes no lock that a fault may be under. */
	void (*lost)(struct guard_map *, uint64_t offset, uint64_t end);
};

void guard_add(struct guard_map *); /* borrowed until it is removed */
void guard_remove(struct guard_map *);

/* How many there are. */
size_t guard_count(void);

/* Lays zeros over whole pages of a map; false: the system refuses. */
bool guard_lay_zeros(void *page, size_t length);

/* Bytes of a page. */
uint64_t guard_page_size(void);

#endif
