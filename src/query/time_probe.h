/*
 * Estimate of the position of a time in a trace that is not indexed yet. It decodes a few
 * cells and assumes that transport times rise.
 *
 * Cost: some 20 cells are decoded.
 */
#ifndef TRAWL_QUERY_TIME_PROBE_H
#define TRAWL_QUERY_TIME_PROBE_H

#include "trace/reader.h"

/* Find a message near the first one with a transport time of TIME or later (`order` of
 * struct message_time). Return false if no message with a time is found. */
bool time_probe(struct reader *, int64_t time, struct position *);

#endif
