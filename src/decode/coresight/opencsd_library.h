/*
 * What this program needs of the OpenCSD library; opencsd_library.c alone
 * includes its headers.  Built without the library, no source opens.
 *
 * Functions are as those of opencsd_tree.h that have the same name.
 */
#ifndef TRAWL_DECODE_OPENCSD_LIBRARY_H
#define TRAWL_DECODE_OPENCSD_LIBRARY_H

#include "decode/coresight/opencsd_tree.h"

struct opencsd_library;

/* The version of the library that is linked, `1.3.3`; NULL: built without it. */
const char *opencsd_library_version(void);

/* Append what a later version decodes of such a source and this one gets wrong without a sign:
 * `loops of Armv8.1-M (needs 1.8.0), ...`.  Nothing is appended where all is known. */
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
