/*
 * Sums over messages: see summary.h.
 *
 * A message costs one probe of a small hash.
 */
#include "config.h"

#include "decode/summary.h"

#include <stdlib.h>
#include <string.h>

static size_t
tally_slot_count(const struct tally *tally)
{
	return (size_t)1 << tally->slot_bits;
}

/* Return the slot of KEY: its own, or the free one for it. */
static struct tally_slot *
tally_slot_of(const struct tally *tally, uint64_t key)
{
	size_t at = tally_home(tally, key);
	for (;;) {
		struct tally_slot *slot = &tally->slots[at];
		if (slot->key == key || slot->round != tally->round)
			return slot;
		at = (at + 1) & (tally_slot_count(tally) - 1);
	}
}

static void
tally_rehash(struct tally *tally)
{
	tally->slot_bits = tally->slots ? tally->slot_bits + 1 : 8;
	free(tally->slots);
	tally->slots = mem_new(((size_t)1 << tally->slot_bits) * sizeof *tally->slots);
	tally->round = 1;
	for (size_t i = 0; i < tally->rows.count; i++) {
		uint64_t key = tally->rows.at[i].key;
		*tally_slot_of(tally, key) =
		    (struct tally_slot){.key = key, .round = 1, .row = (uint32_t)i};
	}
}

void
tally_free(struct tally *tally)
{
	vec_free(&tally->rows);
	free(tally->slots);
}

void
tally_clear(struct tally *tally)
{
	vec_clear(&tally->rows);
	if (!tally->slots) {
		tally_rehash(tally);
	} else if (!++tally->round) { /* the round wrapped: old slots would look current */
		memset(tally->slots, 0, tally_slot_count(tally) * sizeof *tally->slots);
		tally->round = 1;
	}
}

struct tally_row *
tally_row(struct tally *tally, uint64_t key, uint64_t offset)
{
	if (2 * (tally->rows.count + 1) > tally_slot_count(tally))
		tally_rehash(tally);
	struct tally_slot *slot = tally_slot_of(tally, key);
	if (slot->round == tally->round)
		return &tally->rows.at[slot->row];
	*slot = (struct tally_slot){
	    .key = key, .round = tally->round, .row = (uint32_t)tally->rows.count};
	struct tally_row *row = vec_add(&tally->rows);
	*row = (struct tally_row){.key = key, .example = offset};
	return row;
}

const struct tally_row *
tally_find(const struct tally *tally, uint64_t key)
{
	const struct tally_slot *slot = tally_slot_of(tally, key);
	return slot->round == tally->round ? &tally->rows.at[slot->row] : NULL;
}

size_t
tally_memory(const struct tally *tally)
{
	return tally->rows.count * sizeof *tally->rows.at +
	       tally_slot_count(tally) * sizeof *tally->slots;
}

/* --- all of it --------------------------------------------------------- */

void
summary_clear(struct summary *s)
{
	tally_clear(&s->tally);
	*s = (struct summary){.ticks_min = UINT64_MAX, .sender_min = UINT64_MAX, .tally = s->tally};
}

void
summary_free(struct summary *s)
{
	tally_free(&s->tally);
}

void
summary_add(struct summary *s, const struct message *messages, size_t count)
{
	struct summing sums = summing_open(s);
	for (size_t i = 0; i < count; i++)
		summing_add(&sums, &messages[i]);
	summing_close(&sums, s);
}
