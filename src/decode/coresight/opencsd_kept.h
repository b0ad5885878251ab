/*
 * Elements that step() made recently, kept for the expansion of their messages, which then need
 * not decode them again.
 *
 * The table has a fixed size, and new elements replace old ones.  An element that is missing is
 * decoded again. step() fills the table only while opencsd_kept_find() is in use.
 *
 * Threads: any.
 */
#ifndef TRAWL_DECODE_OPENCSD_KEPT_H
#define TRAWL_DECODE_OPENCSD_KEPT_H

#include "decode/coresight/opencsd_element.h"

/* A message and its element. */
struct opencsd_kept_element {
	struct message message;
	struct opencsd_element element;
};

struct opencsd_kept;
struct opencsd_kept *opencsd_kept_new(void);
void opencsd_kept_free(struct opencsd_kept *); /* accepts NULL */

/* True if the elements of the next chunk should be kept: opencsd_kept_find() was called
 * recently. */
bool opencsd_kept_wanted(struct opencsd_kept *);

/* Keep COUNT elements. */
void opencsd_kept_add(struct opencsd_kept *, const struct opencsd_kept_element *, size_t count);

/* Find the element of a message.  Return false if it is not kept. */
bool opencsd_kept_find(struct opencsd_kept *, const struct message *, struct opencsd_element *);

#endif
