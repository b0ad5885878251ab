/*
 * Live sources: bytes sent by a TCP peer or a serial port.
 *
 * A source can be opened repeatedly.  Each call of live_connect returns a descriptor,
 * readable until the peer closes it or the device is gone.  Nothing is ever written to
 * it.
 *
 * One thread at a time.
 */
#ifndef TRAWL_CAPTURE_LIVE_H
#define TRAWL_CAPTURE_LIVE_H

#include "base/err.h"

#include <stdbool.h>

struct live;

/* True if PATH has the form of a live source: it begins with `tcp:` or `serial:`.  Full names are
 * tcp:HOST:PORT, tcp:[ADDRESS]:PORT and serial:DEVICE[@BAUD]. */
bool live_is_named(const char *path);

/* Parse the name and look up the addresses of a host, which may take a while.  Return NULL with a
 * reason on error. */
struct live *live_new(const char *path, struct err *);
void live_free(struct live *); /* NULL is fine */

/* Open the source, which may take seconds.  Give up once STOP is readable.  Reopening looks the
 * host up again, and uses the old addresses if that fails.  Return a descriptor, or negative with a
 * reason in ERR:
 *  ERR_IO         not reachable now
 *  ERR_USAGE      never usable: access is denied, or there is no such device
 *  ERR_CANCELLED  STOP is readable */
int live_connect(struct live *, int stop, struct err *);

/* Close a descriptor from live_connect.  Restore the earlier settings of a serial port. */
void live_disconnect(struct live *, int file);

#endif
