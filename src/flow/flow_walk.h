/*
 * A walk turns the flow packets of a processor into steps.  Each form of packets (enum flow_form)
 * has one form of walk.
 *
 * etrace_walk.c follows E-Trace packets through the program.  CoreSight elements have been through
 * the program already, so each is a step (coresight_walk.c).
 *
 * Belongs to one thread.  Memory: a few hundred bytes, and the return stack of E-Trace.
 */
#ifndef TRAWL_FLOW_FLOW_WALK_H
#define TRAWL_FLOW_FLOW_WALK_H

#include "decode/flow_packet.h"
#include "flow/flow_code.h"
#include "flow/flow_step.h"

/* Gets the steps of a packet, in order, before `packet` returns. */
typedef void flow_walk_take(void *context, const struct flow_step *);

struct flow_walk_form {
	/* Create a walk.  CODE is borrowed; several walks may share it.  SPACE reads the memory of
	 * the processor; its machine is ignored.  NULL: the first space of CODE. */
	void *(*open)(struct flow_code *code, const struct flow_space *space, flow_walk_take *,
		      void *context);
	void (*close)(void *walk); /* NULL is fine */
	/* Copy a walk, to go on from where it is.  CODE and MEMORY (of struct flow_space) replace
	 * its own. */
	void *(*copy)(const void *walk, struct flow_code *code, const void *memory,
		      flow_walk_take *, void *context);
	size_t (*size)(const void *walk); /* in bytes */
	void (*packet)(void *walk, const struct flow_packet *);
	/* Return the modes that apply to the next packet; NULL before the first one.  May be NULL:
	 * packets have no modes. */
	const struct flow_modes *(*modes)(const void *walk);
	bool held; /* steps wait for a proof in flow_hold */
};

extern const struct flow_walk_form etrace_walk_form, coresight_walk_form;

#endif
