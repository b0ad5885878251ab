/*
 * Guarded maps: an unreadable page of a mapped file becomes a page of zeros.
 *
 * A read through a map raises SIGBUS if the file became shorter, or if the system cannot
 * read it.  The handler finds the map of the address, puts a page of zeros there, calls
 * `lost` and resumes the read.  It passes other faults to the previous handler.
 *
 * Threads: any.  guard_add starts to guard a map, guard_remove ends that.  Remove a map
 * before changing or unmapping it.
 */
#ifndef TRAWL_CAPTURE_GUARD_H
#define TRAWL_CAPTURE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct guard_map {
	uint8_t *bytes; /* borrowed; begins on a page */
	size_t length;
	/* Called when OFFSET to END have become zeros.  Runs in the signal handler: it may call
	 * only async-signal-safe functions, and must not take a lock that a faulting read may
	 * hold. */
	void (*lost)(struct guard_map *, uint64_t offset, uint64_t end);
};

void guard_add(struct guard_map *); /* borrowed until guard_remove */
void guard_remove(struct guard_map *);

/* Return the number of guarded maps. */
size_t guard_count(void);

/* Map zeros over whole pages of a map.  Return false if the system refuses. */
bool guard_lay_zeros(void *page, size_t length);

/* Return the page size in bytes. */
uint64_t guard_page_size(void);

#endif
