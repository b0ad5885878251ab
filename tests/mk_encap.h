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
	unsigned call_counter;	  /* bits, at most 16; 0: no implicit returns */
	uint64_t sync;		  /* bytes from one sync sequence to the next */
	uint64_t seed;
	bool everything; /* lost trace, opaque payloads, nulls in between */
};

void mk_encap(const struct mk_encap_plan *, struct mk_sink *);

/* One source with instruction trace, packet by packet: for a session. */
enum mk_hart_what {
	MK_HART_SYNC,	   /* a sync sequence of the capture */
	MK_HART_SUPPORT,   /* how it is set: implicit returns, if calls are counted */
	MK_HART_START,	   /* at `pc` */
	MK_HART_END,	   /* at the address of the packet before */
	MK_HART_INTERRUPT, /* `cause`; its handler is at `pc` */
	MK_HART_EXCEPTION, /* the same, with `tval` */
	MK_HART_REACHED,   /* `pc`, by `branches` */
};
struct mk_hart_packet {
	enum mk_hart_what what;
	uint32_t pc, cause, tval;
	uint32_t branch_map; /* the oldest lowest; 0: taken */
	unsigned branches;   /* at most 30 */
};
struct mk_hart;
struct mk_hart *mk_hart_new(const struct mk_encap_plan *, struct mk_sink *, unsigned id);
void mk_hart_free(struct mk_hart *);
void mk_hart_send(struct mk_hart *, const struct mk_hart_packet *, uint64_t time);

#endif
