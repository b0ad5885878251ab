/*
 * Clock points of a trace, stored with its index between runs.
 *
 * The file holds facts of the capture, not of the profile. It covers only sources with
 * points in the trace alone. It does not travel with an index that is stored next to the
 * capture. Times are never shown as estimates until a file is checked, so points from a
 * foreign file are not used.
 *
 * Threads: as clock_feed.h.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_KEEP_H
#define TRAWL_SESSION_CLOCK_CLOCK_KEEP_H

#include "session/clock/clock_feed.h"

/* Write the points of a feed that has looked at all cells. Write nothing if they are too large
 * or no index is kept. */
void clock_keep_write(const struct clock_feed *);

/* Fill an empty feed as if it had looked at all cells. Return false if the file is of no use;
 * the feed may then be partly filled. */
bool clock_keep_read(struct clock_feed *);

#endif
