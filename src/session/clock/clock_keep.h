/*
 * What was found of a trace's clocks, kept beside its index between runs.
 *
 * Kept is what the capture says, not what the profile says of it, and only of
 * sources whose points are in the trace alone.  It does not travel with an index
 * that is beside the capture: times are never shown as estimates until they are
 * checked, so they are not taken from anywhere.
 *
 * Threads: as clock_feed.h.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_KEEP_H
#define TRAWL_SESSION_CLOCK_CLOCK_KEEP_H

#include "session/clock/clock_feed.h"

/* Writes what a feed has found, once it has looked at all cells; nothing where
 * that is large or no index is kept. */
void clock_keep_write(const struct clock_feed *);

/* Fills a feed that has found nothing yet, as if it had looked at all cells.
 * False, and some of it may be filled, if there is nothing to use. */
bool clock_keep_read(struct clock_feed *);

#endif
