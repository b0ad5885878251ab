/*
 * The camera hub of the demo session: its firmware (tests/hub/hub.c), executed
 * by a hart, and the E-Trace of what it executes.
 */
#ifndef MK_HUB_H
#define MK_HUB_H

#include "mk_encap.h"

struct mk_hub;

/* The hub with its firmware in FILE, an ELF file, which has been copied; the trace goes to
 * SINK. */
struct mk_hub *mk_hub_new(const char *file, const struct mk_encap_plan *, struct mk_sink *,
			  unsigned id);
void mk_hub_free(struct mk_hub *);

/* Lets it begin anew, with all buffers empty. */
void mk_hub_reset(struct mk_hub *);

/* A group of lines of a frame is there; FREES: the DMA has emptied the buffer that was filled
 * first. */
void mk_hub_lines(struct mk_hub *, unsigned group, bool frees);

/* Announces what is traced: a packet of WHAT, but for MK_HART_REACHED and traps. */
void mk_hub_announce(struct mk_hub *, enum mk_hart_what, uint64_t time);

/* Executes instructions until the program waits, and sends a packet that says where. */
void mk_hub_settle(struct mk_hub *, uint64_t time);

/* Executes instructions until the trace has a packet more.  The program waits for lines
 * without a packet: then mkcapture ends. */
void mk_hub_run(struct mk_hub *, uint64_t time);

#endif
