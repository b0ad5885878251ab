/*
 * Following E-Trace packets of one hart through its program: packets in, steps out.
 *
 * The reference algorithm [E-Trace 2.0, "Decoder pseudo code"], with implicit returns and
 * sequentially inferable jumps as the text of "Implicit return mode" and "Sequentially
 * inferable jump mode" has them.  Modes that are not followed and what packets and
 * program, or packets among each other, disagree about are damage:
 * a step says why, and the walk goes on at the next synchronisation.
 *
 * Belongs to one thread.  Memory: a few hundred bytes, and the return stack.
 */
#ifndef TRAWL_FLOW_ETRACE_WALK_H
#define TRAWL_FLOW_ETRACE_WALK_H

#include "decode/flow_packet.h"
#include "flow/flow_code.h"
#include "flow/flow_step.h"

struct etrace_walk;

/* TAKE gets the steps of each packet, in order, before etrace_walk_packet returns.  CODE is
 * borrowed; several walks may share it. */
struct etrace_walk *etrace_walk_new(struct flow_code *code,
				    void (*take)(void *context, const struct flow_step *),
				    void *context);
void etrace_walk_free(struct etrace_walk *); /* NULL is fine */

/* Another one that goes on from where WALK is, whose steps go to TAKE. */
struct etrace_walk *etrace_walk_copy(const struct etrace_walk *, struct flow_code *code,
				     void (*take)(void *context, const struct flow_step *),
				     void *context);
size_t etrace_walk_size(const struct etrace_walk *); /* in bytes */

/* The modes that its next packet is to be read by; NULL before the first one. */
const struct flow_modes *etrace_walk_modes(const struct etrace_walk *);

/* Follows one packet. */
void etrace_walk_packet(struct etrace_walk *, const struct flow_packet *);

#endif
