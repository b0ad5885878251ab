/*
 * The elements of one source of CoreSight trace as steps.
 *
 * What decodes the trace followed the program already, so an element is a step: a range of
 * instructions, an exception, code that is not seen.  The program's bytes are looked at only
 * where an element does not say all: which indirect branches of A32 and T32 are returns.
 *
 * Belongs to one thread.  Memory: a few hundred bytes.
 */
#ifndef TRAWL_FLOW_CORESIGHT_WALK_H
#define TRAWL_FLOW_CORESIGHT_WALK_H

#include "decode/flow_packet.h"
#include "flow/flow_code.h"
#include "flow/flow_step.h"

struct coresight_walk;

/* TAKE gets the steps of each element before coresight_walk_packet returns.  CODE is
 * borrowed; SPACE says how the memory of the source is read, without its machine. */
struct coresight_walk *coresight_walk_new(struct flow_code *code, const struct flow_space *space,
					  void (*take)(void *context, const struct flow_step *),
					  void *context);
void coresight_walk_free(struct coresight_walk *); /* NULL is fine */

/* Another one that goes on from where WALK is, with memory (of struct flow_space) and code of
 * its own, whose steps go to TAKE; and what it takes in bytes. */
struct coresight_walk *coresight_walk_copy(const struct coresight_walk *, struct flow_code *code,
					   const void *memory,
					   void (*take)(void *context, const struct flow_step *),
					   void *context);
size_t coresight_walk_size(void);

/* Takes one element. */
void coresight_walk_packet(struct coresight_walk *, const struct flow_packet *);

#endif
