/*
 * Elements that stepping made a moment ago, for who expands their messages next: then
 * nothing is decoded twice.
 *
 * A table of so many entries, where a new element takes the place of an older one; what is
 * not in it is found by decoding again.  Stepping fills it only while somebody asks.
 *
 * Threads: any.
 */
#ifndef TRAWL_DECODE_OPENCSD_KEPT_H
#define TRAWL_DECODE_OPENCSD_KEPT_H

#include "decode/coresight/opencsd_element.h"

/* A message, and the element that it stands for. */
struct opencsd_kept_element {
	struct message message;
	struct opencsd_element element;
};

struct opencsd_kept;
struct opencsd_kept *opencsd_kept_new(void);
void opencsd_kept_free(struct opencsd_kept *); /* NULL is fine */

/* True if elements of the next chunk are worth keeping: one was asked for not long ago. */
bool opencsd_kept_wanted(struct opencsd_kept *);

/* Keeps COUNT elements. */
void opencsd_kept_add(struct opencsd_kept *, const struct opencsd_kept_element *, size_t count);

/* Asks for the element of a message; false if it is not kept. */
bool opencsd_kept_find(struct opencsd_kept *, const struct message *, struct opencsd_element *);

#endif
