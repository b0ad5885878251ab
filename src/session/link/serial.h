/*
 * Serial numbers: the words of a GEM trace and the software events of a UIA
 * trace that belong together.
 *
 * Both traces count the same things: sync points and snapshots by their own
 * numbers, context changes by the sequence numbers of a logger.  The words
 * hold 24, 20 or, of a logger's count, 16 bits that mean something, so they
 * wrap: a word belongs to the event nearest to the one that was matched last.
 *
 * What is found is added to a word's expansion as session fields.  A struct
 * serial is shared by all threads, a cursor belongs to one.
 */
#ifndef TRAWL_SESSION_LINK_SERIAL_H
#define TRAWL_SESSION_LINK_SERIAL_H

#include "decode/decoder.h"

struct trace;
struct reader;
struct serial;
struct serial_cursor;
struct sync_options;

/* Adds fields to the messages of GEM.  Both traces are borrowed until serial_free, OPTIONS
 * (NULL: none are said) for the call. */
struct serial *serial_new(struct trace *gem, struct trace *uia, const struct sync_options *);
void serial_free(struct serial *); /* stops its thread */

/* The one that adds fields to the messages of a trace, or NULL. */
struct serial *serial_of(const struct trace *gem);

/* Matches all there is, in this thread, and builds both indexes where that has
 * not been done: for batch output. */
void serial_load(struct serial *);

/* The same in a thread of its own, as far as the indexes are known; then
 * NOTIFY.  serial_wake: an index went on or a trace grew. */
void serial_start(struct serial *);
void serial_wake(struct serial *);

/* The words of how many cells of the GEM trace, from the first on, are matched. */
uint64_t serial_known(struct serial *);

/* Counts up when words may have found other events: cached text is stale. */
unsigned serial_generation(const struct serial *);

/* GEM, a reader of that trace, is borrowed until serial_cursor_free. */
struct serial_cursor *serial_cursor_new(struct serial *, struct reader *gem);
void serial_cursor_free(struct serial_cursor *);

/* Adds what is known of M, a message of the GEM trace that E is the expansion
 * of.  Cheapest when messages come in order.  Nothing is added where the
 * anchors do not reach yet, nor to words that no event belongs to. */
void serial_expand(struct serial_cursor *, const struct message *, enum expand_want,
		   struct expansion *e);

/* Which event M belongs to: its offset in the log's capture.  *KNOWN is false
 * where that is not known yet. */
bool serial_find_event(struct serial_cursor *, const struct message *, uint64_t *event,
		       bool *known);

struct trace *serial_log(const struct serial *);

#endif
