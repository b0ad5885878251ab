/*
 * One trace source, decoded: by the OpenCSD library, or by itm.c where the
 * library has no decoder: of an ITM it gives the elements that later versions of
 * the library give.  In the frames of a trace port swo.c decodes an ITM instead.
 *
 * Only opencsd_library.c calls the library.  A tree takes the bytes of its
 * source, deformatted, with their index, and calls back for each element and,
 * where the library gives them, each packet.
 *
 * Threads: trees are independent; one tree, one thread.
 */
#ifndef TRAWL_DECODE_OPENCSD_TREE_H
#define TRAWL_DECODE_OPENCSD_TREE_H

#include "decode/coresight/opencsd.h"
#include "decode/coresight/opencsd_element.h"

/* Part of the target's memory. */
struct opencsd_region {
	uint64_t address, length; /* the last address is no more than UINT64_MAX */
	const uint8_t *bytes;	  /* NULL: not at hand */
	uint64_t context;	  /* context ID or VMID whose memory it is; 0: of all */
};

struct opencsd_source {
	const struct opencsd_source_options *options;
	uint8_t id;
	VEC(struct opencsd_region) memory; /* the first that has an address counts */
	char problem[160];		   /* why it cannot be decoded; empty: it can */
};

/* opencsd_memory.c: the memory at an address in a context.  A thread may have another context
 * than the process whose memory it uses: where none is of its own, that of others is taken if
 * they all have the same there.  NULL: there is none, or it is not at hand. */
const struct opencsd_region *opencsd_find_region(const struct opencsd_source *, uint64_t context_id,
						 uint64_t vmid, uint64_t address);

struct opencsd_tree_sink {
	void *context;
	void (*element)(void *context, const struct opencsd_element *);
	/* LENGTH bytes from INDEX on, before the elements that they cause.
	 * PACKET has opencsd_packet_size() bytes that live for the call.
	 */
	void (*packet)(void *context, uint64_t index, const uint8_t *bytes, size_t length,
		       const void *packet);
};

struct opencsd_tree;

/* SOURCE and what SINK points to must outlive the tree.  NULL with a reason
 * where the options lack something. */
struct opencsd_tree *opencsd_tree_new(const struct opencsd_source *,
				      const struct opencsd_tree_sink *, struct err *);
void opencsd_tree_free(struct opencsd_tree *);

/* Forgets all.  WHOLE: the first byte of the trace comes next; its NO_SYNC
 * element then has the reason INIT, else RESET. */
void opencsd_tree_reset(struct opencsd_tree *, bool whole);

/* Decodes bytes.  Returns how many were used: fewer than LENGTH, or *FATAL is
 * set, where the decoder gave up; it must be reset then. */
size_t opencsd_tree_feed(struct opencsd_tree *, uint64_t index, const uint8_t *bytes, size_t length,
			 int *fatal);
void opencsd_tree_end(struct opencsd_tree *);

/* Why a decoder gave up, for people. */
const char *opencsd_fatal_text(int fatal);

/* A packet's text: `I_ATOM_F1 : Atom format 1.; E`. */
size_t opencsd_packet_size(enum opencsd_protocol);
void opencsd_packet_text(enum opencsd_protocol, const void *packet, struct text *);

#endif
