/*
 * Losses: the ranges of a capture that are known to be missing.
 *
 * Bytes that the system could not read, and bytes that a file no longer has,
 * read as zeros.  Here it is kept which ones, and why.  The list has no limit;
 * while it is empty, asking costs one load.
 *
 * Threads: any.  A signal handler may add, if what it interrupted is not one of
 * these functions (a fault of a mapped byte never is).
 */
#ifndef TRAWL_CAPTURE_LOSS_H
#define TRAWL_CAPTURE_LOSS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOSS_NO_LINE = -1 /* a dump in text has no line for these bytes */ };

struct loss {
	uint64_t offset, end;
	int error; /* errno; 0: the file no longer has these bytes; LOSS_NO_LINE */
};

struct losses { /* all zeros: none */
	atomic_flag lock;
	atomic_size_t count;
	size_t capacity;
	struct loss *at; /* in order, apart from each other */
};

void losses_free(struct losses *);
void losses_clear(struct losses *);

void losses_add(struct losses *, struct loss);

/* Copies the I-th range; false if there are not so many. */
bool losses_get(const struct losses *, size_t i, struct loss *);

/* The first range that ends behind OFFSET; false if there is none. */
bool losses_after(const struct losses *, uint64_t offset, struct loss *);

static inline bool
losses_any(const struct losses *losses)
{
	return atomic_load_explicit(&losses->count, memory_order_acquire) != 0;
}

#endif
