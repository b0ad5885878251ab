/*
 * Turns the elements of a CoreSight origin into steps.
 *
 * The trace decoder has followed the program already, so each element is a step: a range of
 * instructions, an exception, or unseen code.  The program's bytes are read only to find the
 * indirect branches of A32 and T32 that are returns.
 *
 * Belongs to one thread.  Memory: a few hundred bytes.
 */
#ifndef TRAWL_FLOW_CORESIGHT_WALK_H
#define TRAWL_FLOW_CORESIGHT_WALK_H

#include "decode/flow_packet.h"
#include "flow/flow_code.h"
#include "flow/flow_step.h"

struct coresight_walk;

/* Create a walk.  TAKE gets the steps of an element before coresight_walk_packet returns.  CODE
 * is borrowed.  SPACE reads the memory of the origin; its machine is ignored. */
struct coresight_walk *coresight_walk_new(struct flow_code *code, const struct flow_space *space,
					  void (*take)(void *context, const struct flow_step *),
					  void *context);
void coresight_walk_free(struct coresight_walk *); /* NULL is fine */

/* Copy a walk, to go on from where WALK is, with its own code and memory (of struct flow_space).
 * The steps of the copy go to TAKE.  coresight_walk_size returns its bytes. */
struct coresight_walk *coresight_walk_copy(const struct coresight_walk *, struct flow_code *code,
					   const void *memory,
					   void (*take)(void *context, const struct flow_step *),
					   void *context);
size_t coresight_walk_size(void);

void coresight_walk_packet(struct coresight_walk *, const struct flow_packet *);

#endif
