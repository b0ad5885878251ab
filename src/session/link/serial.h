/*
 * Serial numbers: match the words of a GEM trace with the software events of a UIA trace.
 *
 * Both traces count the same things: sync points and snapshots by their own numbers,
 * context changes by the sequence numbers of a logger. A word holds the low 24 or 20 bits
 * of a number, or the low 16 bits of a logger's count. These wrap, so a word matches the
 * event nearest to the last match.
 *
 * A match adds session fields to the word's expansion. Threads: all share a struct serial;
 * a cursor belongs to one.
 */
#ifndef TRAWL_SESSION_LINK_SERIAL_H
#define TRAWL_SESSION_LINK_SERIAL_H

#include "decode/decoder.h"

struct trace;
struct reader;
struct serial;
struct serial_cursor;
struct sync_options;

/* Add fields to the messages of GEM. Both traces are borrowed until serial_free(), OPTIONS (may
 * be NULL) for the call. */
struct serial *serial_new(struct trace *gem, struct trace *uia, const struct sync_options *);
void serial_free(struct serial *); /* stops its thread */

/* Return the serial that adds fields to a trace's messages, or NULL. */
struct serial *serial_of(const struct trace *gem);

/* Match all words in the calling thread, and build both indexes if necessary. For batch output. */
void serial_load(struct serial *);

/* Match words in a thread, as far as the indexes are known, and then notify the session.
 * serial_wake(): an index or a trace grew. */
void serial_start(struct serial *);
void serial_wake(struct serial *);

/* Return how many cells of the GEM trace, from the first on, have all words matched. */
uint64_t serial_known(struct serial *);

/* Return the epoch of the matches. It goes up when words may have new matches, which makes
 * cached text out of date. */
unsigned serial_generation(const struct serial *);

/* Make a cursor. GEM, a reader of the GEM trace, is borrowed until serial_cursor_free(). */
struct serial_cursor *serial_cursor_new(struct serial *, struct reader *gem);
void serial_cursor_free(struct serial_cursor *);

/* Add the fields of M, a message of the GEM trace, to its expansion E. Messages in order are
 * cheapest. Add nothing after the last anchor, nor to words of a kind that the log does not
 * have. */
void serial_expand(struct serial_cursor *, const struct message *, enum expand_want,
		   struct expansion *e);

/* Find the event that M matches, as an offset in the log's capture. *KNOWN is false if M has not
 * yet been matched. */
bool serial_find_event(struct serial_cursor *, const struct message *, uint64_t *event,
		       bool *known);

struct trace *serial_log(const struct serial *);

#endif
