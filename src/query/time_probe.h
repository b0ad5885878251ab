/*
 * About where a time is in a trace, while the index does not tell: by looking into a few
 * cells, as if the transport's times rose.
 *
 * Cost: some 20 cells are decoded.
 */
#ifndef TRAWL_QUERY_TIME_PROBE_H
#define TRAWL_QUERY_TIME_PROBE_H

#include "trace/reader.h"

/* A message near the first that the transport carried at TIME (`order` of struct
 * message_time) or later.  False: no time is found. */
bool time_probe(struct reader *, int64_t time, struct position *);

#endif
