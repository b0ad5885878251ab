/*
 * A scan of a trace for messages that may pass a filter, for batch output.
 *
 * With a complete index, the scan skips the cells that summaries rule out. If the filter
 * limits the time, the index is built first. Without an index, the scan skips pieces. The
 * decoder sums up the messages of a piece without filling them in (decoder_ops.summarise).
 * The filter then judges the sums and the bytes. If the capture may still grow, or the
 * filter looks at other messages, the scan visits all messages.
 *
 * Several threads can divide a trace that has a complete index. Each has its own scan and
 * enters one range of cells after another.
 *
 * Threads: a scan belongs to one thread, as its reader does.
 */
#ifndef TRAWL_QUERY_SEEK_H
#define TRAWL_QUERY_SEEK_H

#include "query/filter/filter.h"
#include "trace/doubts.h"

struct seek;

/* Create a scan. READER and the filter are borrowed. It also visits AROUND messages before
 * and after each message that may pass. */
struct seek *seek_new(struct reader *, const struct filter *, unsigned around);

/* Build the index of a trace if the filter makes that worthwhile. */
void seek_prepare(struct trace *, const struct filter *);

/* True if threads can divide the trace by its cells. seek_new_divided() creates such a
 * scan, which starts without cells. */
bool seek_can_divide(struct trace *);
struct seek *seek_new_divided(struct reader *, const struct filter *);

/* Continue a divided scan with the cells [FROM, UNTIL). FROM must not lie before the cells
 * of the last call. */
void seek_enter(struct seek *, uint64_t from, uint64_t until);

void seek_free(struct seek *); /* NULL is fine */

/* True if the scan skips cells. */
bool seek_skips(const struct seek *);

/* Return up to MAX consecutive messages. *FIRST is the number of the first. Return 0 at the
 * end, and if reader_walk returns none. */
size_t seek_walk(struct seek *, struct message *out, size_t max, uint64_t *first);

/* Without an index, skip pieces that have no match by their sums and their bytes. The next
 * messages may then not follow the last ones. Return true if this took so long that earlier
 * matches should be shown. */
bool seek_pass(struct seek *);

/* Add the doubts of the skipped messages, by their flags. Undecoded bytes are not included. */
void seek_add_passed(struct seek *, struct doubts *);

/* Add the doubts of the skipped messages and of undecoded bytes. */
void seek_add_doubts(struct seek *, struct doubts *);

/* Add the doubts of the messages in cells that the filter rules out. Undecoded bytes are
 * not included. The index must be complete. */
void seek_add_ruled_out(struct trace *, const struct filter *, struct doubts *);

#endif
