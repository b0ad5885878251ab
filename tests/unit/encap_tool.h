/*
 * For the tests of the encapsulation: an encoder that shares no code with the
 * decoder, and a decoder of bytes in memory.
 */
#ifndef TRAWL_TESTS_UNIT_ENCAP_TOOL_H
#define TRAWL_TESTS_UNIT_ENCAP_TOOL_H

#include "decode/encap/encap.h"

/* --- writing ----------------------------------------------------------- */

/* A string of bits, the first in the lowest bit of the first byte. */
struct bits {
	uint8_t bytes[256];
	unsigned count;
};

void bits_add(struct bits *, uint64_t value, unsigned count);
unsigned bits_get(const struct bits *, unsigned at);
/* Leaves out bits at the top that repeat the one below them. */
void bits_shorten(struct bits *);

/* The widths of a stream. */
struct encap_widths {
	unsigned srcid, stamp, type; /* bits, bytes, bits */
};

struct stream {
	uint8_t *bytes;
	size_t length, capacity;
};
void stream_add(struct stream *, const void *bytes, size_t length);
void stream_free(struct stream *);

/* Appends a normal packet; without STAMP (NULL) it is not extended.  The
 * payload is continued with its top bit up to the next byte. */
void stream_packet(struct stream *, const struct encap_widths *, unsigned flow, unsigned srcid,
		   const uint64_t *stamp, unsigned type, const struct bits *payload);
/* Appends COUNT null packets, the last one an alignment. */
void stream_nulls(struct stream *, size_t count);

/* A generator of the same numbers each time. */

/* --- reading ----------------------------------------------------------- */

struct decoded {
	struct encap_options options;
	struct decoder *decoder;
	struct window window;
	VEC(struct message) messages;
	struct expansion e;
	struct decode_history history; /* over `messages` */
};

/* Default options with these widths. */
struct decoded decoded_new(const struct encap_widths *);
/* Steps over all of BYTES, which must live. */
void decoded_open(struct decoded *, const void *bytes, size_t length);
void decoded_close(struct decoded *);

/* Appends what a walk over a window gives, MAX (at most 64) messages at a time. */
void decoded_walk(struct decoded *, struct decode_state *, const struct window *, size_t max);

/* Expands message I into `e`, with the history. */
void decoded_expand(struct decoded *, size_t i);
/* A field of the message expanded last, or NULL. */
const struct field *decoded_field(const struct decoded *, const char *name);
uint64_t decoded_number(const struct decoded *, const char *name); /* it must be there */
bool decoded_is(const struct decoded *, const char *name, const char *text);

#endif
