/*
 * Follows the E-Trace packets of a hart through its program: packets in, steps out.
 *
 * This is the reference algorithm [E-Trace 2.0, "Decoder pseudo code"].  Implicit returns and
 * sequentially inferable jumps follow the text of "Implicit return mode" and "Sequentially
 * inferable jump mode".  Unsupported modes are damage, and so is any contradiction among packets
 * or between packets and program.  A damage step gives the reason, and the walk goes on at the
 * next synchronisation.
 *
 * Belongs to one thread.  Memory: a few hundred bytes, and the return stack.
 */
#ifndef TRAWL_FLOW_ETRACE_WALK_H
#define TRAWL_FLOW_ETRACE_WALK_H

#include "decode/flow_packet.h"
#include "flow/flow_code.h"
#include "flow/flow_step.h"

struct etrace_walk;

/* Create a walk.  TAKE gets the steps of each packet, in order, before etrace_walk_packet
 * returns.  CODE is borrowed; several walks may share it. */
struct etrace_walk *etrace_walk_new(struct flow_code *code,
				    void (*take)(void *context, const struct flow_step *),
				    void *context);
void etrace_walk_free(struct etrace_walk *); /* NULL is fine */

/* Copy a walk, to go on from where WALK is.  The steps of the copy go to TAKE. */
struct etrace_walk *etrace_walk_copy(const struct etrace_walk *, struct flow_code *code,
				     void (*take)(void *context, const struct flow_step *),
				     void *context);
size_t etrace_walk_size(const struct etrace_walk *); /* in bytes */

/* Return the modes that apply to the next packet; NULL before the first one. */
const struct flow_modes *etrace_walk_modes(const struct etrace_walk *);

void etrace_walk_packet(struct etrace_walk *, const struct flow_packet *);

#endif
