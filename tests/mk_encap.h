/*
 * RISC-V trace packets in their encapsulation, with E-Trace payloads, for
 * mkcapture: an encoder of its own, from the specifications.
 */
#ifndef MK_ENCAP_H
#define MK_ENCAP_H

#include "mk_sink.h"

struct mk_encap_plan {
	unsigned srcid_width;	  /* bits, at most 16 */
	unsigned timestamp_bytes; /* at most 8 */
	unsigned type_width;	  /* bits, at most 8; 1: data trace too, 2: others too */
	unsigned sources;	  /* at most 64 */
	uint64_t sync;		  /* bytes from one sync sequence to the next */
	uint64_t seed;
	bool everything; /* lost trace, opaque payloads, nulls in between */
};

void mk_encap(const struct mk_encap_plan *, struct mk_sink *);

/* One source with instruction trace, packet by packet: for a session.  A sync
 * sequence, how it is set and where it starts come first. */
enum mk_hart_what {
	MK_HART_SYNC,
	MK_HART_SUPPORT,
	MK_HART_START,
	MK_HART_INTERRUPT,
	MK_HART_EXCEPTION,
	MK_HART_BRANCHES
};
struct mk_hart;
struct mk_hart *mk_hart_new(const struct mk_encap_plan *, struct mk_sink *, unsigned id);
void mk_hart_free(struct mk_hart *);
void mk_hart_send(struct mk_hart *, enum mk_hart_what, uint64_t time);

#endif
