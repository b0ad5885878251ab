/*
 * Interface to the OpenCSD library.  Only opencsd_library.c includes its headers.  In a build
 * without the library, no source opens.
 *
 * Functions work like those of the same name in opencsd_tree.h.
 */
#ifndef TRAWL_DECODE_OPENCSD_LIBRARY_H
#define TRAWL_DECODE_OPENCSD_LIBRARY_H

#include "decode/coresight/opencsd_tree.h"

struct opencsd_library;

/* Return the version of the linked library, `1.3.3`, or NULL in a build without it. */
const char *opencsd_library_version(void);

/* Append features of such a source that only later versions decode correctly and this one gets
 * wrong without notice.  Example: `loops of Armv8.1-M (needs 1.8.0), ...`. */
void opencsd_library_limits(const struct opencsd_source_options *, struct text *);

struct opencsd_library *opencsd_library_new(const struct opencsd_source *,
					    const struct opencsd_tree_sink *, struct err *);
void opencsd_library_free(struct opencsd_library *);
void opencsd_library_reset(struct opencsd_library *);
size_t opencsd_library_feed(struct opencsd_library *, uint64_t index, const uint8_t *bytes,
			    size_t length, int *fatal);
void opencsd_library_end(struct opencsd_library *);
const char *opencsd_library_fatal(int fatal);
size_t opencsd_library_packet_size(enum opencsd_protocol);
void opencsd_library_packet_text(enum opencsd_protocol, const void *packet, struct text *);

#endif
