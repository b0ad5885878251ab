/*
 * STP: payloads of messages in one pass, see stp_gather.h.
 *
 * The result equals that of stp_walk_collect().  A slot contains all data of its sender from one
 * packet on, decoded with the stream's state at that packet.  If a message starts at that packet
 * with that state, both walks read the same data.  The packets chosen to restart a slot therefore
 * decide only which payloads are found, never their content.
 */
#include "config.h"

#include "decode/stp/stp_gather.h"

/* One call of stp_gather().  BASE is the window's first nibble; END is relative to it. */
struct gather_run {
	struct stp_gatherer *g;
	const struct stp_setup *setup;
	const struct window *window;
	uint64_t base, end;
};

static struct stp_gathered *
slot_of(struct stp_gatherer *g, uint32_t sender)
{
	return &g->slots[sender * 0x9e3779b97f4a7c15 >> 32 & (STP_GATHER_SLOTS - 1)];
}

static void
begin_slot(const struct stp_gatherer *g, struct stp_gathered *slot)
{
	slot->start = g->next;
	slot->sender = stp_sender(&g->stp);
	slot->nibbles = 0;
	slot->clock = g->stp.clock;
	slot->lsn = g->stp.lsn;
	slot->run = g->run;
	slot->ended = false;
}

static inline void
add_data(struct stp_gathered *slot, uint64_t data, unsigned count)
{
	if (slot->nibbles < 2 * STP_GATHER_BYTES)
		stp_put(slot->bytes, slot->nibbles, data);
	slot->nibbles += count;
}

/* Return the current sender's slot for data that do not begin a message, or NULL. */
static struct stp_gathered *
open_slot(struct stp_gatherer *g)
{
	struct stp_gathered *slot = slot_of(g, stp_sender(&g->stp));
	bool own = slot->run == g->run && slot->sender == stp_sender(&g->stp);
	return own && !slot->ended ? slot : NULL;
}

/* Take data or FLAG at `next` of the current sender.  COUNT is 0 for a FLAG. */
static void
take_border(const struct gather_run *r, const struct stp_opcode *opcode, uint64_t data,
	    unsigned count)
{
	struct stp_gatherer *g = r->g;
	struct stp_role role = stp_role_of(r->setup, opcode);
	struct stp_gathered *slot = role.begins ? NULL : open_slot(g);
	if (!slot) {
		slot = slot_of(g, stp_sender(&g->stp));
		begin_slot(g, slot);
	}
	add_data(slot, data, count);
	slot->ended = role.ends;
}

/* Pass over frequent packets that are sure to end before `end`. */
static void
gather_plain(const struct gather_run *r)
{
	struct stp_gatherer *g = r->g;
	const struct window *w = r->window;
	const struct stp_short *shorts = r->setup->shorts.at;
	const uint64_t length = 2 * (uint64_t)w->length;
	const bool lsn = g->stp.lsn;
	uint64_t stop = length > 2 * STP_LOOK ? length - 2 * STP_LOOK : 0;
	uint64_t at = g->next - r->base, end = r->end < stop ? r->end : stop;
	uint64_t first = at < end ? stp_look(w->bytes, at) : 0;
	struct stp_gathered *slot = NULL; /* of the current sender, once looked up */
	while (at < end) {
		const struct stp_short *start = &shorts[first & 0xff];
		uint64_t then = stp_short_end(start, w->bytes, at, g->stp.clock);
		if (then > r->end || start->bulk == STP_BULK_NONE)
			break;
		uint64_t next = stp_look(w->bytes, then);
		if (stp_may_cut(next))
			break;
		if (start->bulk == STP_BULK_DATA) {
			if (!slot && !(slot = open_slot(g)))
				break;
			add_data(slot, stp_value(w->bytes, at + 1, start->count, lsn),
				 start->count);
		} else if (start->bulk == STP_BULK_SENDER) {
			stp_take_sender(&g->stp, start, first);
			slot = NULL;
		} else if (start->bulk >= STP_BULK_TIMED) {
			uint64_t data = stp_value(w->bytes, at + start->data_at, start->count, lsn);
			g->next = at + r->base;
			take_border(r, &stp_opcodes[start->opcode], start->count ? data : 0,
				    start->count);
			slot = NULL;
		}
		at = then;
		first = next;
	}
	g->next = at + r->base;
}

/* Pass over one packet of any kind.  Return false if none ends before `end`. */
static bool
gather_packet(const struct gather_run *r)
{
	struct stp_gatherer *g = r->g;
	const struct window *w = r->window;
	struct stp_packet packet;
	if (g->next >= r->end + r->base)
		return false;
	int got = stp_read(&g->stp, w->bytes, w->length, g->next - r->base, &packet);
	if (got <= 0 || g->next - r->base + packet.nibbles > r->end)
		return false;
	stp_apply(&g->stp, &packet, &r->setup->order);
	if (packet.opcode->what == STP_DATA || packet.opcode->what == STP_FLAG)
		take_border(r, packet.opcode, packet.data, packet.data_nibbles);
	g->next += packet.nibbles;
	return true;
}

/* True if the message ends after AT and the way to it is little longer than the message. */
static bool
is_near(uint64_t at, uint64_t from, uint64_t end)
{
	enum { LITTLE = 512 }; /* nibbles */
	return at <= end && from <= at + (end - from) + LITTLE;
}

const uint8_t *
stp_gather(struct stp_gatherer *g, const struct stp_setup *setup, const struct message *m,
	   const struct window *w, size_t *length)
{
	const struct stp_state own = stp_aux_state(m->aux);
	uint64_t from = stp_first_nibble(m), end = stp_end_nibble(m), base = 2 * w->offset;
	bool follows = is_near(g->last, from, end);
	g->last = end;
	if (m->offset < w->offset || end > base + 2 * w->length)
		return NULL;
	if (!g->run || g->next < base || !is_near(g->next, from, end)) {
		/* not worthwhile for a message that stands alone, or began before `next` */
		if (!follows || (from < g->next && end > g->next))
			return NULL;
		g->run++;
		g->next = from;
		g->stp = own;
	}
	const struct gather_run r = {g, setup, w, base, end - base};
	do
		gather_plain(&r);
	while (gather_packet(&r));

	const struct stp_gathered *slot = slot_of(g, stp_sender(&own));
	if (slot->run != g->run || slot->sender != stp_sender(&own) || slot->start != from ||
	    slot->lsn != own.lsn || slot->clock != own.clock ||
	    slot->nibbles > 2 * STP_GATHER_BYTES)
		return NULL;
	*length = (slot->nibbles + 1) / 2;
	return slot->bytes;
}
