/*
 * Sums over messages, kept instead of the messages: counts by severity and
 * origin, kinds and flags, and the range of times.
 *
 * Threads: a summary belongs to one.
 */
#ifndef TRAWL_DECODE_SUMMARY_H
#define TRAWL_DECODE_SUMMARY_H

#include "decode/decoder.h"

struct tally_row {
	uint64_t key;	  /* message.origin */
	uint64_t example; /* ID offset of its first message */
	uint32_t severities[SEVERITY_COUNT];
};
typedef VEC(struct tally_row) tally_rows;

struct tally_slot {
	uint64_t key;
	uint32_t round, row;
};

/* Counts by origin and severity: an open hash over the rows.  Slots of an earlier round are
 * free, so tally_clear costs nothing.  Call tally_clear before use. */
struct tally {
	tally_rows rows;
	struct tally_slot *slots;
	unsigned slot_bits; /* 1 << slot_bits slots */
	uint32_t round;
};

void tally_free(struct tally *);
void tally_clear(struct tally *);
/* Return the row of an origin, and make it if new, for a message at OFFSET.  Valid until the
 * next call. */
struct tally_row *tally_row(struct tally *, uint64_t key, uint64_t offset);

/* Return the home slot of a key.  The high bits of the product depend on all bits of the key. */
static inline size_t
tally_home(const struct tally *tally, uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15 >> (64 - tally->slot_bits));
}

/* Count a message. */
static inline void
tally_count(struct tally *tally, uint64_t key, enum severity severity, uint64_t offset)
{
	const struct tally_slot *slot = &tally->slots[tally_home(tally, key)];
	struct tally_row *row = slot->key == key && slot->round == tally->round
				    ? &tally->rows.at[slot->row]
				    : tally_row(tally, key, offset);
	row->severities[severity]++;
}

/* Return the row of KEY, or NULL. */
const struct tally_row *tally_find(const struct tally *, uint64_t key);
size_t tally_memory(const struct tally *);

/* Call summary_clear before use. */
struct summary {
	uint64_t count;
	uint64_t kinds;	 /* kinds that occur, a bit each */
	uint64_t losses; /* messages with a flag of MESSAGE_LOSS */
	unsigned flags;	 /* message flags that occur */
	bool goes_back;	 /* a time is earlier than the time before it */
	/* valid if `flags` has MESSAGE_TIMED */
	uint64_t ticks_first, ticks_last;
	uint64_t ticks_min, ticks_max;
	/* sender times of timed messages; min > max: none */
	uint64_t sender_min, sender_max;
	bool lacks_sender; /* a timed message has no sender time */
	struct tally tally;
};

void summary_clear(struct summary *);
void summary_free(struct summary *);

/* Add messages in the order of the capture. */
void summary_add(struct summary *, const struct message *, size_t count);

/* A summary while messages are added, so that its numbers stay in registers.  Between open and
 * close only its tally is up to date. */
struct summing {
	uint64_t count, kinds, losses;
	uint64_t ticks_first, ticks_last, ticks_min, ticks_max;
	uint64_t sender_min, sender_max;
	unsigned flags;
	bool goes_back, lacks_sender;
	struct tally *tally;
};

static inline struct summing
summing_open(struct summary *s)
{
	return (struct summing){
	    .count = s->count,
	    .kinds = s->kinds,
	    .losses = s->losses,
	    .ticks_first = s->ticks_first,
	    .ticks_last = s->ticks_last,
	    .ticks_min = s->ticks_min,
	    .ticks_max = s->ticks_max,
	    .sender_min = s->sender_min,
	    .sender_max = s->sender_max,
	    .flags = s->flags,
	    .goes_back = s->goes_back,
	    .lacks_sender = s->lacks_sender,
	    .tally = &s->tally,
	};
}

static inline void
summing_close(const struct summing *sums, struct summary *s)
{
	s->count = sums->count;
	s->kinds = sums->kinds;
	s->losses = sums->losses;
	s->ticks_first = sums->ticks_first;
	s->ticks_last = sums->ticks_last;
	s->ticks_min = sums->ticks_min;
	s->ticks_max = sums->ticks_max;
	s->sender_min = sums->sender_min;
	s->sender_max = sums->sender_max;
	s->flags = sums->flags;
	s->goes_back = sums->goes_back;
	s->lacks_sender = sums->lacks_sender;
}

/* Add the time of a message, without a branch on MESSAGE_TIMED.  In a random mix of messages
 * with and without a time, mispredicted branches would cost more than the rest. */
static inline __attribute__((always_inline)) void
summing_time(struct summing *s, const struct message *m)
{
	bool timed = m->flags & MESSAGE_TIMED;
	uint64_t now = timed ? m->ticks : s->ticks_last;
	uint64_t low = timed ? now : UINT64_MAX, high = timed ? now : 0;
	s->goes_back |= now < s->ticks_last;
	s->ticks_last = now;
	s->ticks_min = low < s->ticks_min ? low : s->ticks_min;
	s->ticks_max = high > s->ticks_max ? high : s->ticks_max;
	s->lacks_sender |= timed && !(m->flags & MESSAGE_SENDER_TIMED);
	if (timed && m->flags & MESSAGE_SENDER_TIMED) {
		uint64_t sender = m->sender_ticks;
		s->sender_min = sender < s->sender_min ? sender : s->sender_min;
		s->sender_max = sender > s->sender_max ? sender : s->sender_max;
	}
}

/* Count a message with ID offset OFFSET, without its time.  Inline, so that callers compute only
 * the values that are counted. */
static inline __attribute__((always_inline)) void
summing_count(struct summing *s, unsigned kind, unsigned flags, uint64_t origin,
	      enum severity severity, uint64_t offset)
{
	s->count++;
	s->kinds |= (uint64_t)1 << kind;
	if (flags & MESSAGE_LOSS)
		s->losses++;
	s->flags |= flags;
	tally_count(s->tally, origin, severity, offset);
}

/* Add a message. */
static inline __attribute__((always_inline)) void
summing_add(struct summing *s, const struct message *m)
{
	if (!(s->flags & MESSAGE_TIMED) && m->flags & MESSAGE_TIMED)
		s->ticks_first = s->ticks_last = m->ticks;
	summing_time(s, m);
	summing_count(s, m->kind, m->flags, m->origin, m->severity, message_id_offset(m));
}

#endif
