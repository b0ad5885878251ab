/*
 * Translate one packet for a follower of the control flow through the program.  Only
 * that packet is read.  The modes are the follower's.
 */
#include "config.h"

#include "decode/encap/encap_frame.h"
#include "decode/flow_packet.h"

/* Flags of messages that may differ from the bytes sent. */
enum { DOUBTFUL = MESSAGE_DAMAGED | MESSAGE_TRUNCATED | MESSAGE_SUSPECT };

static struct flow_modes
modes_of(const struct etrace_place *place)
{
	return (struct flow_modes){
	    .full_address = place->full_address,
	    .implicit_return = place->implicit_return,
	    .implicit_exception = place->implicit_exception,
	    .sijump = place->sijump,
	    .branch_prediction = place->branch_prediction,
	    .jump_target_cache = place->jump_target_cache,
	};
}

static void
fill_flow(const struct etrace_packet *t, struct flow_packet *flow)
{
	static const uint8_t kinds[ENCAP_KIND_COUNT] = {
	    [ETRACE_START] = FLOW_START,	[ETRACE_TRAP] = FLOW_TRAP,
	    [ETRACE_SUPPORT] = FLOW_SUPPORT,	[ETRACE_ADDRESS] = FLOW_ADDRESS,
	    [ETRACE_BRANCH] = FLOW_ADDRESS,	[ETRACE_BRANCH_MAP] = FLOW_BRANCHES,
	    [ETRACE_BRANCH_COUNT] = FLOW_COUNT, [ETRACE_JUMP_TARGET] = FLOW_INDEX,
	    [ETRACE_RESERVED] = FLOW_LOST,
	};
	flow->kind = kinds[t->kind];
	flow->branch = t->branch;
	flow->interrupt = t->is_interrupt;
	flow->thaddr = t->thaddr;
	flow->notify = t->notify;
	flow->updiscon = t->updiscon;
	flow->irreport = t->irreport;
	flow->branches = (uint8_t)t->branches;
	flow->privilege = t->privilege;
	flow->mode = etrace_privilege_name(t->privilege);
	flow->branch_map = t->branch_map;
	flow->address = t->address;
	flow->irdepth = t->irdepth;
	/* "Count of the number of correctly predicted branches, minus 31" [E-Trace 2.0,
	 * "Format 0 packets"] */
	flow->count = t->count + 31;
	flow->index = t->count;
	flow->fails = t->fails;
	flow->addressed = t->has_address;
	flow->cause = t->ecause;
	flow->cause_name = t->cause_name;
	flow->tval = t->tval;
	flow->unhandled = t->unhandled;
	flow->status = t->status;
	flow->modes = modes_of(&t->options);
}

void
encap_read_flow(const struct decoder *decoder, const struct message *m, const struct window *w,
		const struct flow_modes *modes, struct flow_packet *flow)
{
	const struct encap_decoder *d = (const struct encap_decoder *)decoder;
	uint8_t room[ENCAP_LOOK];
	struct encap_packet packet;
	struct etrace_packet t;
	*flow = (struct flow_packet){.kind = FLOW_NOTHING};
	if (m->kind == DECODE_KIND_LOSS || m->flags & DOUBTFUL || m->kind == ENCAP_MALFORMED ||
	    m->kind == ENCAP_TRUNCATED) {
		flow->kind = FLOW_LOST;
		flow->missing = m->kind == DECODE_KIND_LOSS;
		flow->all = flow->missing || m->kind < ETRACE_START;
		return;
	}
	if (m->kind < ETRACE_START || m->kind > ETRACE_RESERVED)
		return;
	const uint8_t *p = encap_fetch(d, m, w, room);
	if (p)
		encap_read(d, p, &packet);
	if (!p || packet.length > m->length || packet.payload_bits < 1 ||
	    packet.class != ENCAP_INSTRUCTION) {
		flow->kind = FLOW_LOST; /* the window is short, or its bytes changed */
		return;
	}
	const struct etrace_options *o = &packet.source->etrace;
	struct etrace_bits bits = encap_bits(p, &packet, NULL);
	const struct etrace_place begin = etrace_begin(o);
	/* the only mode needed to parse payloads; addresses stay as sent */
	struct etrace_place place = {.implicit_exception = modes ? modes->implicit_exception
								 : begin.implicit_exception};
	etrace_read(o, &place, &bits, &t);
	fill_flow(&t, flow);
	flow->begin = modes_of(&begin);
	if (t.error || (t.unused > 7 && t.kind != ETRACE_SUPPORT))
		flow->kind = FLOW_LOST;
	flow->widths = (struct flow_widths){
	    .iaddress_width = (uint8_t)o->iaddress_width,
	    .iaddress_lsb = (uint8_t)o->iaddress_lsb,
	    .bpred_size = (uint8_t)o->bpred_size,
	    .cache_size = (uint8_t)o->cache_size,
	    .return_stack_size = (uint8_t)o->return_stack_size,
	    .call_counter_size = (uint8_t)o->call_counter_size,
	};
}
