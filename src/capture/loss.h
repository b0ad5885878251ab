/*
 * Losses: the ranges of a capture that are known to be missing.
 *
 * Bytes that the system could not read, or that a file no longer has, read as zeros.
 * This list keeps their ranges and the causes.  It has no limit.  While it is empty, a
 * query costs one load.
 *
 * Threads: any.  A signal handler may add a loss unless it interrupted a function of this
 * file.  A fault on a mapped byte never does.
 */
#ifndef TRAWL_CAPTURE_LOSS_H
#define TRAWL_CAPTURE_LOSS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOSS_NO_LINE = -1 /* a text dump has no line for these bytes */ };

struct loss {
	uint64_t offset, end;
	int error; /* errno, LOSS_NO_LINE, or 0 if the file no longer has these bytes */
};

struct losses { /* all zeros: none */
	atomic_flag lock;
	atomic_size_t count;
	size_t capacity;
	struct loss *at; /* sorted and disjoint */
};

void losses_free(struct losses *);
void losses_clear(struct losses *);

void losses_add(struct losses *, struct loss);

/* Copy range I.  Return false if the list is shorter. */
bool losses_get(const struct losses *, size_t i, struct loss *);

/* Find the first range that ends after OFFSET.  Return false if none does. */
bool losses_after(const struct losses *, uint64_t offset, struct loss *);

static inline bool
losses_any(const struct losses *losses)
{
	return atomic_load_explicit(&losses->count, memory_order_acquire) != 0;
}

#endif
