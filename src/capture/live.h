/*
 * Live sources: what a TCP peer sends, or a serial port.
 *
 * A source is opened again and again: each call of live_connect gives a descriptor that
 * can be read until the peer closes it or the device is gone.  Nothing is ever written to
 * it.
 *
 * One thread at a time.
 */
#ifndef TRAWL_CAPTURE_LIVE_H
#define TRAWL_CAPTURE_LIVE_H

#include "base/err.h"

#include <stdbool.h>

struct live;

/* Whether PATH names one: tcp:HOST:PORT, tcp:[ADDRESS]:PORT or serial:DEVICE[@BAUD]. */
bool live_is_named(const char *path);

/* Reads the name and, of a host, looks up its addresses, which may take a while.  NULL
 * with a reason. */
struct live *live_new(const char *path, struct err *);
void live_free(struct live *); /* NULL is fine */

/* Opens the source, which may take seconds, until STOP can be read.  A host that is opened
 * again is looked up again; where that fails, its addresses are those of before.  A
 * descriptor, or negative with a reason in ERR:
 *   ERR_IO         it cannot be reached now
 *   ERR_USAGE      it never can, as it is refused or no such thing
 *   ERR_CANCELLED  STOP can be read */
int live_connect(struct live *, int stop, struct err *);

/* Close such a descriptor.  A serial port gets back the settings that it had. */
void live_disconnect(struct live *, int file);

#endif
