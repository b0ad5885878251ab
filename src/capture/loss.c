/*
 * Missing ranges: see loss.h.
 *
 * The ranges are a sorted array under a spin lock, held for a search or a move of
 * memory.  The array has its own pages, since a signal handler may call mmap but not
 * malloc.  Without memory for one more range, a neighbour is extended across the space
 * between them.  The list then covers too much, never too little.
 */
#include "config.h"

#include "capture/loss.h"
#include "base/lower_bound.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_CAPACITY = 170 }; /* fills a page */

static void
lock_losses(const struct losses *losses)
{
	atomic_flag *flag = &((struct losses *)losses)->lock;
	while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire))
		sched_yield();
}

static void
unlock_losses(const struct losses *losses)
{
	atomic_flag_clear_explicit(&((struct losses *)losses)->lock, memory_order_release);
}

void
losses_free(struct losses *losses)
{
	if (losses->at)
		munmap(losses->at, losses->capacity * sizeof *losses->at);
	losses->at = NULL;
	losses->capacity = 0;
	atomic_store(&losses->count, 0);
}

void
losses_clear(struct losses *losses)
{
	lock_losses(losses);
	atomic_store(&losses->count, 0);
	unlock_losses(losses);
}

/* Make room for one more range than COUNT.  Return false without memory. */
static bool
reserve_losses(struct losses *losses, size_t count)
{
	if (count < losses->capacity)
		return true;
	size_t capacity = losses->capacity ? 2 * losses->capacity : FIRST_CAPACITY;
	struct loss *at = mmap(NULL, capacity * sizeof *at, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return false;
	if (losses->at) {
		memcpy(at, losses->at, count * sizeof *at);
		munmap(losses->at, losses->capacity * sizeof *at);
	}
	losses->at = at;
	losses->capacity = capacity;
	return true;
}

/* Return the index of the first range that ends at or after OFFSET. */
static size_t
find_loss(const struct losses *losses, size_t count, uint64_t offset)
{
	size_t at;
	lower_bound(at, count, losses->at[at].end < offset);
	return at;
}

static bool
losses_touch(const struct loss *a, const struct loss *b)
{
	if (a->error != b->error)
		return a->offset < b->end && b->offset < a->end;
	return a->offset <= b->end && b->offset <= a->end;
}

/* Merge NEW into range I, with all later ranges that it touches. */
static void
join_loss(struct losses *losses, size_t i, struct loss new)
{
	size_t count = atomic_load(&losses->count), last = i;
	struct loss *at = losses->at;
	while (last + 1 < count && losses_touch(&at[last + 1], &new))
		last++;
	if (new.offset < at[i].offset)
		at[i].offset = new.offset;
	at[i].end = new.end > at[last].end ? new.end : at[last].end;
	memmove(at + i + 1, at + last + 1, (count - last - 1) * sizeof *at);
	atomic_store(&losses->count, count - (last - i));
}

static void
insert_loss(struct losses *losses, size_t i, struct loss new)
{
	size_t count = atomic_load(&losses->count);
	if (!reserve_losses(losses, count)) {
		if (count)
			join_loss(losses, i < count ? i : count - 1, new);
		return;
	}
	memmove(losses->at + i + 1, losses->at + i, (count - i) * sizeof *losses->at);
	losses->at[i] = new;
	atomic_store(&losses->count, count + 1);
}

void
losses_add(struct losses *losses, struct loss new)
{
	if (new.offset >= new.end)
		return;
	lock_losses(losses);
	size_t count = atomic_load(&losses->count), i = find_loss(losses, count, new.offset);
	while (i < count && !losses_touch(&losses->at[i], &new) &&
	       losses->at[i].offset < new.offset)
		i++;
	if (i < count && losses_touch(&losses->at[i], &new))
		join_loss(losses, i, new);
	else
		insert_loss(losses, i, new);
	unlock_losses(losses);
}

bool
losses_get(const struct losses *losses, size_t i, struct loss *loss)
{
	lock_losses(losses);
	bool any = i < atomic_load(&losses->count);
	if (any)
		*loss = losses->at[i];
	unlock_losses(losses);
	return any;
}

bool
losses_after(const struct losses *losses, uint64_t offset, struct loss *loss)
{
	if (!losses_any(losses))
		return false;
	lock_losses(losses);
	size_t count = atomic_load(&losses->count), i = find_loss(losses, count, offset);
	while (i < count && losses->at[i].end <= offset)
		i++;
	bool any = i < count;
	if (any)
		*loss = losses->at[i];
	unlock_losses(losses);
	return any;
}
