/*
 * Find the program counter and the modes of a source before a packet.
 *
 * Most packets contain only the distance that the program counter moved.  Its value
 * thus depends on all packets since the last absolute one (sync.start,
 * sync.trap).  Stepping does not track it, because a checkpoint has no room for many
 * sources.  Expanding a message walks back over the packets of its source and reads
 * them again, oldest first.  The last result is remembered for each source, so the
 * next message needs only one packet.  If messages are expanded one after the other,
 * it needs no walk.  Support and context packets do not move the counter.  Differences
 * refer to the last reported address [E-Trace 2.0, "Delta address mode"].
 *
 * The modes (addresses in full, data without address) come from the last support
 * packet, which may be far back.  That search skips index cells without one.  After
 * damage the counter is unknown, because packets may be missing.
 */
#include "config.h"

#include "decode/encap/encap_frame.h"

#include <string.h>

const uint8_t *
encap_fetch(const struct encap_decoder *d, const struct message *m, const struct window *w,
	    uint8_t room[static ENCAP_LOOK])
{
	uint64_t end = w->offset + w->length;
	if (m->offset < w->offset || m->offset > end ||
	    end - m->offset < m->length + (uint64_t)(d->phase > 0))
		return NULL;
	const uint8_t *p = w->bytes + (m->offset - w->offset);
	if (!d->phase && !d->options->container.reversed && end - m->offset >= ENCAP_LOOK)
		return p;
	size_t length = m->length < ENCAP_LOOK ? m->length : ENCAP_LOOK;
	memset(room, 0, ENCAP_LOOK);
	encap_align(d, p, length, room);
	return room;
}

#define KIND(kind) (1ull << (kind))
#define KINDS_MODE KIND(ETRACE_SUPPORT)
#define KINDS_MOVE                                                                                 \
	(KIND(ETRACE_START) | KIND(ETRACE_TRAP) | KIND(ETRACE_ADDRESS) | KIND(ETRACE_BRANCH) |     \
	 KIND(ETRACE_BRANCH_COUNT) | KIND(ETRACE_JUMP_TARGET) | KIND(ETRACE_RESERVED))
#define KINDS_DATA                                                                                 \
	(KIND(DTRACE_LOAD) | KIND(DTRACE_STORE) | KIND(DTRACE_CSR) | KIND(DTRACE_ATOMIC) |         \
	 KIND(DTRACE_SPLIT))
#define KINDS_ALL (KINDS_MODE | KINDS_MOVE | KINDS_DATA)

enum { CHAIN_MAX = 64 * 1024 }; /* most packets to read again without a sync.start */

/* Walk back over the packets of a source. */
struct encap_walk {
	const struct encap_place_memory *memory; /* of the source, or NULL */
	VEC(struct message) chain;		 /* packets that change the state, latest first */
	bool remembered;			 /* the walk reached the packet of `memory` */
};

/* Return the place for the memory of a source, or NULL. */
static struct encap_place_memory *
memory_of(const struct decode_history *history, uint64_t origin)
{
	struct encap_memory *memory = history ? history->memory : NULL;
	return memory ? &memory->sources[origin % ENCAP_MEMORIES] : NULL;
}

/* True if no packet of M's source, and no damage, lies between the remembered packet and M. */
static bool
is_next(const struct decode_history *history, const struct encap_place_memory *source,
	const struct message *m)
{
	const struct encap_memory *memory = history->memory;
	return m->offset == memory->to && source->offset >= memory->from &&
	       source->offset < memory->to; /* it may be of messages expanded before these */
}

static bool
walk_move(void *context, const struct message *m)
{
	struct encap_walk *walk = context;
	if (m->flags & MESSAGE_DAMAGED)
		return false;
	if (walk->memory && walk->memory->offset == m->offset) {
		walk->remembered = true;
		return false;
	}
	if (!(KINDS_DATA >> m->kind & 1))
		*vec_add(&walk->chain) = *m;
	return m->kind != ETRACE_START && m->kind != ETRACE_TRAP && walk->chain.count < CHAIN_MAX;
}

/* Read M again and apply its changes to PLACE. */
static void
encap_reapply(const struct encap_decoder *d, const struct message *m, const struct window *w,
	      struct etrace_place *place)
{
	uint8_t room[ENCAP_LOOK];
	const uint8_t *p = encap_fetch(d, m, w, room);
	struct encap_packet packet;
	struct etrace_packet payload;
	if (p)
		encap_read(d, p, &packet);
	if (!p || packet.length > m->length || packet.payload_bits < 1 ||
	    packet.class != ENCAP_INSTRUCTION) {
		place->known = false; /* the window is short, or its bytes changed */
		return;
	}
	struct etrace_bits bits = encap_bits(p, &packet, NULL);
	etrace_read(&packet.source->etrace, place, &bits, &payload);
	etrace_apply(&packet.source->etrace, &payload, place);
}

/* Return the modes before M, with an unknown pc. */
static struct etrace_place
modes_before(const struct encap_decoder *d, const struct message *m, const struct window *w,
	     const struct decode_history *history)
{
	const struct encap_source *source = encap_source_of(d, (uint32_t)m->origin & UINT16_MAX);
	struct etrace_place place = etrace_begin(&source->etrace);
	struct message support;
	if (decode_last(history, m, KINDS_MODE, &support))
		encap_reapply(d, &support, w, &place);
	return place;
}

bool
encap_place_matters(const struct message *m)
{
	return KINDS_ALL >> m->kind & 1;
}

struct etrace_place
encap_place_before(const struct encap_decoder *d, const struct message *m, const struct window *w,
		   const struct decode_history *history)
{
	const struct encap_place_memory *memory = memory_of(history, m->origin);
	struct encap_walk walk = {0};
	struct etrace_place place = {0};
	if (!history || !history->walk_back)
		return place;
	if (memory && memory->valid && memory->origin == m->origin)
		walk.memory = memory;
	if (walk.memory && is_next(history, memory, m))
		return memory->place;
	history->walk_back(history->context, m, KINDS_ALL, MESSAGE_DAMAGED, walk_move, &walk);
	const struct message *oldest = walk.chain.count ? &walk.chain.at[walk.chain.count - 1] : m;
	place = walk.remembered ? memory->place : modes_before(d, oldest, w, history);
	for (size_t i = walk.chain.count; i > 0; i--)
		encap_reapply(d, &walk.chain.at[i - 1], w, &place);
	vec_free(&walk.chain);
	return place;
}

void
encap_place_after(const struct message *m, const struct etrace_place *place,
		  const struct decode_history *history)
{
	struct encap_place_memory *memory = memory_of(history, m->origin);
	if (memory && !(m->flags & MESSAGE_DAMAGED))
		*memory = (struct encap_place_memory){
		    .origin = m->origin, .offset = m->offset, .place = *place, .valid = true};
}

void
encap_place_passed(const struct message *m, const struct decode_history *history)
{
	struct encap_memory *memory = history ? history->memory : NULL;
	if (!memory)
		return;
	if (m->flags & MESSAGE_DAMAGED)
		memory->from = m->offset + m->length;
	else if (m->offset != memory->to)
		memory->from = m->offset;
	memory->to = m->offset + m->length;
}
