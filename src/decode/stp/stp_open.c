/* Open messages on an STP stream: a hash table with chains, a list by start, a list of spare
 * memory.  See stp_open.h. */
#include "config.h"

#include "decode/stp/stp_open.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS_LEAST = 64 };

/* Double the buckets and fill them again. */
static void
stp_open_grow(struct stp_open *open)
{
	open->bucket_count = open->bucket_count ? 2 * open->bucket_count : BUCKETS_LEAST;
	free(open->buckets);
	open->buckets = mem_new(open->bucket_count * sizeof *open->buckets);
	for (struct stp_message *m = open->oldest; m; m = m->newer) {
		struct stp_message **chain = stp_open_bucket(open, m->sender);
		m->chain = *chain;
		*chain = m;
	}
}

struct stp_message *
stp_open_add(struct stp_open *open, uint64_t nibble, const struct stp_state *stp)
{
	if (open->count == open->bucket_count)
		stp_open_grow(open);
	struct stp_message *m = open->spare;
	if (m)
		open->spare = m->newer;
	else
		m = mem_new(sizeof *m);

	/* one member at a time: most of the struct need not be cleared */
	uint32_t sender = stp_sender(stp);
	struct stp_message **chain = stp_open_bucket(open, sender);
	m->start.nibble = nibble;
	m->start.stp = *stp;
	m->older = open->newest;
	m->newer = NULL;
	m->chain = *chain;
	m->ticks = 0;
	m->sender = sender;
	m->nibbles = 0;
	m->flags = 0;
	m->orphan = m->keeps = false;
	m->limit = 2 * STP_HEAD;
	m->full = UINT32_MAX;
	m->bytes = m->head;
	memset(m->head, 0, sizeof m->head);
	*chain = m;
	if (open->newest)
		open->newest->newer = m;
	else
		open->oldest = m;
	open->newest = m;
	open->count++;
	return m;
}

void
stp_open_remove(struct stp_open *open, struct stp_message *m)
{
	struct stp_message **chain = stp_open_bucket(open, m->sender);
	while (*chain != m)
		chain = &(*chain)->chain;
	*chain = m->chain;

	/* no branches, because the case is unpredictable */
	struct stp_message **before = m->older ? &m->older->newer : &open->oldest;
	struct stp_message **behind = m->newer ? &m->newer->older : &open->newest;
	*before = m->newer;
	*behind = m->older;
	m->newer = open->spare;
	open->spare = m;
	open->count--;
}

void
stp_open_clear(struct stp_open *open)
{
	while (open->oldest)
		stp_open_remove(open, open->oldest);
}

void
stp_open_free(struct stp_open *open)
{
	stp_open_clear(open);
	while (open->spare) {
		struct stp_message *m = open->spare;
		open->spare = m->newer;
		free(m->room);
		free(m);
	}
	free(open->buckets);
	*open = (struct stp_open){0};
}

/* WRITTEN: most bytes that one stp_put() writes. */
enum { WRITTEN = 9, ROOM_LEAST = 512 };

static void
set_room(struct stp_message *m, uint32_t size)
{
	if (m->room_size < size) {
		m->room = mem_resize(m->room, size);
		m->room_size = size;
	}
	m->bytes = m->room;
	m->limit = m->full = 2 * (m->room_size - WRITTEN);
}

void
stp_message_keep(struct stp_message *m)
{
	m->keeps = true;
	set_room(m, ROOM_LEAST);
	memset(m->bytes, 0, sizeof m->head);
}

void
stp_message_grow(struct stp_message *m)
{
	if (m->room_size < STP_KEPT_MAX) {
		set_room(m, 2 * m->room_size);
	} else {
		m->keeps = false;
		m->full = UINT32_MAX;
	}
}
