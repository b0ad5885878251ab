/*
 * What elements of CoreSight trace say of where a program went, and what exceptions are
 * called.
 */
#ifndef TRAWL_DECODE_OPENCSD_FLOW_H
#define TRAWL_DECODE_OPENCSD_FLOW_H

#include "decode/coresight/opencsd.h"
#include "decode/coresight/opencsd_element.h"
#include "decode/flow_packet.h"

/* The name of an exception of a source by its number, and the number of an interrupt, IRQ,
 * negative if there is none; NULL: it has none. */
const char *opencsd_exception_name(const struct opencsd_source_options *, uint32_t number,
				   int *irq);

/* SOURCE may be NULL: exceptions have no names then. */
void opencsd_element_flow(const struct opencsd_element *, const struct opencsd_source_options *,
			  struct flow_packet *);

/* The same of a message that is no element, or tells all of it; false: its element does, and
 * nothing is filled. */
bool opencsd_message_flow(const struct message *, struct flow_packet *);

#endif
