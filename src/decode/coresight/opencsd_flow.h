/*
 * Program flow and names of exceptions in elements of CoreSight trace.
 */
#ifndef TRAWL_DECODE_OPENCSD_FLOW_H
#define TRAWL_DECODE_OPENCSD_FLOW_H

#include "decode/coresight/opencsd.h"
#include "decode/coresight/opencsd_element.h"
#include "decode/flow_packet.h"

/* Return the name of an exception of a source, or NULL if it has none.  Set *IRQ to the number of
 * the interrupt, or to a negative value. */
const char *opencsd_exception_name(const struct opencsd_source_options *, uint32_t number,
				   int *irq);

/* Fill in the flow of an element.  Without SOURCE, exceptions have no names. */
void opencsd_element_flow(const struct opencsd_element *, const struct opencsd_source_options *,
			  struct flow_packet *);

/* Fill in the flow of a message if the element is not needed for that.  Return false if it is,
 * with nothing filled in. */
bool opencsd_message_flow(const struct message *, struct flow_packet *);

#endif
