/* Messages under way on an STP stream: a hash table with chains, a list by
 * start, a list of spare memory.  See stp_open.h. */
#include "config.h"

#include "decode/stp/stp_open.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS_LEAST = 64 };

static struct stp_message **
stp_open_bucket(const struct stp_open *open, uint32_t sender)
{
	return &open->buckets[sender * 0x9e3779b1u >> 8 & (open->bucket_count - 1)];
}

struct stp_message *
stp_open_find(const struct stp_open *open, uint32_t sender)
{
	struct stp_message *m = open->count ? *stp_open_bucket(open, sender) : NULL;
	while (m && m->sender != sender)
		m = m->chain;
	return m;
}

/* Makes twice as many buckets and fills them again. */
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
stp_open_add(struct stp_open *open, const struct stp_point *start)
{
	if (open->count == open->bucket_count)
		stp_open_grow(open);
	struct stp_message *m = open->spare;
	if (m)
		open->spare = m->newer;
	else
		m = mem_new(sizeof *m);

	uint32_t sender = stp_sender(&start->stp);
	struct stp_message **chain = stp_open_bucket(open, sender);
	*m = (struct stp_message){
	    .room = m->room,
	    .payload = m->payload,
	    .start = *start,
	    .older = open->newest,
	    .chain = *chain,
	    .sender = sender,
	};
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

	if (m->older)
		m->older->newer = m->newer;
	else
		open->oldest = m->newer;
	if (m->newer)
		m->newer->older = m->older;
	else
		open->newest = m->older;
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
		free(m->payload);
		free(m);
	}
	free(open->buckets);
	*open = (struct stp_open){0};
}

void
stp_message_keep(struct stp_message *m, uint64_t data, unsigned count)
{
	uint32_t at = m->nibbles - count;
	if (at / 2 + 9 > STP_KEPT_MAX) {
		m->keeps = false;
		return;
	}
	if (at / 2 + 9 > m->room) {
		m->room = m->room ? 2 * m->room : 512;
		m->payload = mem_resize(m->payload, m->room);
	}
	if (!m->kept)
		memcpy(m->payload, m->head, sizeof m->head);
	m->kept = true;
	uint8_t *p = m->payload + at / 2;
	bytes_put_le64(p, at % 2 ? data << 4 | *p : data);
	if (at % 2)
		p[8] = (uint8_t)(data >> 60);
}
