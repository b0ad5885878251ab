/*
 * Decode one trace source, with the OpenCSD library or with itm.c for an ITM, which the library
 * does not decode.  Its elements are those that later versions of the library give.  In the frames
 * of a trace port swo.c decodes an ITM instead.
 *
 * Only opencsd_library.c calls the library.  A tree takes the deformatted bytes of its source,
 * with their index.  It calls back for each element and, if the library reports them, for each
 * packet.
 *
 * Threads: trees are independent.  Each tree is used by one thread at a time.
 */
#ifndef TRAWL_DECODE_OPENCSD_TREE_H
#define TRAWL_DECODE_OPENCSD_TREE_H

#include "decode/coresight/opencsd.h"
#include "decode/coresight/opencsd_element.h"

/* A part of the target's memory. */
struct opencsd_region {
	uint64_t address, length; /* the last address is at most UINT64_MAX */
	const uint8_t *bytes;	  /* NULL: not available */
	uint64_t context;	  /* context ID or VMID that the memory belongs to; 0: any */
};

struct opencsd_source {
	const struct opencsd_source_options *options;
	uint8_t id;
	VEC(struct opencsd_region) memory; /* the first region with an address is used */
	char problem[160];		   /* reason why it cannot be decoded, or empty */
};

/* opencsd_memory.c: find the memory at an address in a context.  A thread may have a different
 * context from the process that owns its memory.  So if no region has the context, use any other
 * region, provided that all have the same bytes there.  Return NULL if none is found or the choice
 * is ambiguous. */
const struct opencsd_region *opencsd_find_region(const struct opencsd_source *, uint64_t context_id,
						 uint64_t vmid, uint64_t address);

struct opencsd_tree_sink {
	void *context;
	void (*element)(void *context, const struct opencsd_element *);
	/* Called for LENGTH bytes from INDEX on, before the elements that they cause.  PACKET has
	 * opencsd_packet_size() bytes that are valid during the call. */
	void (*packet)(void *context, uint64_t index, const uint8_t *bytes, size_t length,
		       const void *packet);
};

struct opencsd_tree;

/* Create a tree.  SOURCE and the data of SINK must outlive it.  Return NULL with an error if
 * options are missing. */
struct opencsd_tree *opencsd_tree_new(const struct opencsd_source *,
				      const struct opencsd_tree_sink *, struct err *);
void opencsd_tree_free(struct opencsd_tree *);

/* Drop all state.  WHOLE: the next byte is the first of the trace; its NO_SYNC element then has
 * the reason INIT, otherwise RESET. */
void opencsd_tree_reset(struct opencsd_tree *, bool whole);

/* Decode bytes and return how many were used.  If the decoder gave up, set *FATAL; it must then be
 * reset.  Otherwise set *FATAL to 0. */
size_t opencsd_tree_feed(struct opencsd_tree *, uint64_t index, const uint8_t *bytes, size_t length,
			 int *fatal);
void opencsd_tree_end(struct opencsd_tree *);

/* Return the reason why a decoder gave up, for display. */
const char *opencsd_fatal_text(int fatal);

/* Text of a packet: `I_ATOM_F1 : Atom format 1.; E`. */
size_t opencsd_packet_size(enum opencsd_protocol);
void opencsd_packet_text(enum opencsd_protocol, const void *packet, struct text *);

#endif
