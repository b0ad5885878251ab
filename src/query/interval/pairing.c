/*
 * Pairs: see pairing.h.
 *
 * Each key with open begins has a stack of them. A table finds the stack by the key's hash.
 * All 128 bits are compared, so the key itself is not stored. An empty stack is removed at
 * once, and its place is reused for another key. Removal changes only a link of the bucket.
 */
#include "config.h"

#include "query/interval/pairing.h"
#include "session/clock/clocks.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS_LEAST = 64 };
#define NONE UINT32_MAX

/* A begin without an end. */
struct open_begin {
	uint64_t serial; /* items and losses before it */
	uint32_t event, below;
	uint32_t part;
	uint16_t trace;
};

/* A key with open begins. `next` links its bucket, or the free list. */
struct open_key {
	uint64_t hash[2];
	uint32_t next, top;
};

struct pairing_trace {
	interval_events events;
	uint64_t lost; /* `serial` at the last loss */
};

struct pairing {
	struct pairing_trace *traces;
	size_t trace_count;
	struct interval_counts counts[INTERVALS_MAX];
	uint64_t serial;
	VEC(struct open_begin) begins;
	uint32_t free_begin, free_key;
	VEC(struct open_key) keys;
	size_t key_count; /* in use */
	uint32_t *buckets;
	size_t bucket_count; /* a power of two */
};

struct pairing *
pairing_new(size_t traces)
{
	struct pairing *p = mem_new(sizeof *p);
	p->trace_count = traces < PAIRING_TRACES_MAX ? traces : PAIRING_TRACES_MAX;
	p->traces = mem_new((p->trace_count + 1) * sizeof *p->traces);
	p->free_begin = p->free_key = NONE;
	p->bucket_count = BUCKETS_LEAST;
	p->buckets = mem_new(p->bucket_count * sizeof *p->buckets);
	memset(p->buckets, 0xff, p->bucket_count * sizeof *p->buckets);
	return p;
}

void
pairing_free(struct pairing *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->trace_count; i++)
		vec_free(&p->traces[i].events);
	vec_free(&p->begins);
	vec_free(&p->keys);
	free(p->traces);
	free(p->buckets);
	free(p);
}

void
pairing_lose(struct pairing *p, size_t trace)
{
	if (trace < p->trace_count)
		p->traces[trace].lost = ++p->serial;
}

/* --- keys ---------------------------------------------------------------- */

static uint32_t *
bucket_of(const struct pairing *p, const uint64_t hash[2])
{
	return &p->buckets[hash[0] & (p->bucket_count - 1)];
}

/* Return the link that holds the key's number, or the last link of the bucket, which is
 * NONE. */
static uint32_t *
find_key(const struct pairing *p, const uint64_t hash[2])
{
	uint32_t *link = bucket_of(p, hash);
	while (*link != NONE && memcmp(p->keys.at[*link].hash, hash, 16) != 0)
		link = &p->keys.at[*link].next;
	return link;
}

static void
grow_buckets(struct pairing *p)
{
	size_t before = p->bucket_count;
	uint32_t *old = p->buckets;
	p->bucket_count = 2 * before;
	p->buckets = mem_new(p->bucket_count * sizeof *p->buckets);
	memset(p->buckets, 0xff, p->bucket_count * sizeof *p->buckets);
	for (size_t i = 0; i < before; i++) {
		for (uint32_t key = old[i], next; key != NONE; key = next) {
			uint32_t *bucket = bucket_of(p, p->keys.at[key].hash);
			next = p->keys.at[key].next;
			p->keys.at[key].next = *bucket;
			*bucket = key;
		}
	}
	free(old);
}

static struct open_key *
add_key(struct pairing *p, const uint64_t hash[2])
{
	uint32_t key = p->free_key;
	if (p->key_count >= p->bucket_count)
		grow_buckets(p);
	if (key != NONE) {
		p->free_key = p->keys.at[key].next;
	} else {
		key = (uint32_t)p->keys.count;
		(void)vec_add(&p->keys);
	}
	uint32_t *bucket = bucket_of(p, hash);
	p->keys.at[key] =
	    (struct open_key){.hash = {hash[0], hash[1]}, .next = *bucket, .top = NONE};
	*bucket = key;
	p->key_count++;
	return &p->keys.at[key];
}

static void
remove_key(struct pairing *p, uint32_t *link)
{
	uint32_t key = *link;
	*link = p->keys.at[key].next;
	p->keys.at[key].next = p->free_key;
	p->free_key = key;
	p->key_count--;
}

/* --- begins and ends ------------------------------------------------------- */

static uint32_t
add_event(struct pairing *p, const struct interval_item *item)
{
	interval_events *events = &p->traces[item->trace].events;
	*vec_add(events) = (struct interval_event){
	    .offset = item->id.offset,
	    .ordinal = item->id.ordinal,
	    .hash = item->hash,
	    .time = item->time,
	    .interval = item->interval,
	    .flags =
		(uint8_t)((item->end ? INTERVAL_END : 0) | (item->timed ? INTERVAL_TIMED : 0) |
			  (item->ticks ? INTERVAL_TICKS : 0) | (item->apart ? INTERVAL_APART : 0)),
	};
	return (uint32_t)(events->count - 1);
}

static void
feed_begin(struct pairing *p, const struct interval_item *item)
{
	uint32_t *link = find_key(p, item->key), begin = p->free_begin;
	struct open_key *key = *link == NONE ? add_key(p, item->key) : &p->keys.at[*link];
	if (begin != NONE) {
		p->free_begin = p->begins.at[begin].below;
	} else {
		begin = (uint32_t)p->begins.count;
		(void)vec_add(&p->begins);
	}
	p->begins.at[begin] = (struct open_begin){.serial = p->serial,
						  .event = add_event(p, item),
						  .below = key->top,
						  .trace = (uint16_t)item->trace,
						  .part = (uint32_t)item->part};
	key->top = begin;
	p->counts[item->interval].open++;
}

/* True if the pair has a length, in one unit. */
static bool
is_comparable(const struct interval_event *begin, size_t part, const struct interval_item *item)
{
	const struct message_time from = {.part = part, .known = !(begin->flags & INTERVAL_TICKS)};
	const struct message_time to = {.part = item->part, .known = !item->ticks};
	return begin->flags & INTERVAL_TIMED && item->timed && clocks_can_subtract(&from, &to);
}

static void
pair_up(struct pairing *p, const struct open_begin *open, const struct interval_item *item)
{
	struct interval_counts *counts = &p->counts[item->interval];
	uint32_t event = add_event(p, item);
	struct interval_event *end = &p->traces[item->trace].events.at[event];
	struct interval_event *begin = &p->traces[open->trace].events.at[open->event];
	uint8_t flags = INTERVAL_PAIRED;
	if (p->traces[open->trace].lost > open->serial ||
	    p->traces[item->trace].lost > open->serial)
		flags |= INTERVAL_DOUBTFUL;
	if (!is_comparable(begin, open->part, item)) {
		begin->flags &= (uint8_t)~INTERVAL_TIMED;
		end->flags &= (uint8_t)~INTERVAL_TIMED;
		counts->untimed++;
	}
	begin->flags |= flags;
	end->flags |= flags;
	begin->other = event;
	begin->other_trace = (uint16_t)item->trace;
	end->other = open->event;
	end->other_trace = open->trace;
	counts->pairs++;
	counts->open--;
	counts->doubtful += (flags & INTERVAL_DOUBTFUL) != 0;
}

static void
feed_end(struct pairing *p, const struct interval_item *item)
{
	uint32_t *link = find_key(p, item->key);
	if (*link == NONE) {
		p->counts[item->interval].unbegun++;
		return;
	}
	struct open_key *key = &p->keys.at[*link];
	uint32_t begin = key->top;
	struct open_begin open = p->begins.at[begin];
	key->top = open.below;
	p->begins.at[begin].below = p->free_begin;
	p->free_begin = begin;
	if (key->top == NONE)
		remove_key(p, link);
	pair_up(p, &open, item);
}

void
pairing_feed(struct pairing *p, const struct interval_item *item)
{
	if (item->trace >= p->trace_count || p->traces[item->trace].events.count >= NONE - 1 ||
	    p->begins.count >= NONE - 1)
		return;
	p->serial++;
	if (item->end)
		feed_end(p, item);
	else
		feed_begin(p, item);
}

/* --- results ------------------------------------------------------------ */

const interval_events *
pairing_events(const struct pairing *p, size_t trace)
{
	return &p->traces[trace].events;
}

const struct interval_counts *
pairing_counts(const struct pairing *p, size_t interval)
{
	return &p->counts[interval];
}

size_t
pairing_memory(const struct pairing *p)
{
	size_t size = p->bucket_count * sizeof *p->buckets + p->keys.capacity * sizeof *p->keys.at +
		      p->begins.capacity * sizeof *p->begins.at;
	for (size_t i = 0; i < p->trace_count; i++)
		size += p->traces[i].events.capacity * sizeof *p->traces[i].events.at;
	return size;
}

int64_t
pairing_length(const struct pairing *p, const struct interval_event *event)
{
	const struct interval_event *other = &p->traces[event->other_trace].events.at[event->other];
	uint64_t own = (uint64_t)event->time, others = (uint64_t)other->time;
	return (int64_t)(event->flags & INTERVAL_END ? own - others : others - own);
}
