/*
 * A walk over the messages of a trace that may pass a filter: the way of batch output.
 *
 * Where the index is complete, the cells that the filter rules out by their summaries are
 * passed without decoding.  A filter that only messages of some time pass is worth an
 * index: it is built first, if there is none.  Else pieces are passed where the decoder can
 * tell what their messages add up to without filling them (decoder_ops.summarise) and the
 * filter rules that out, with their bytes.  Where the capture may still grow, or the filter
 * looks at other messages, the walk goes over all messages.
 *
 * Several threads divide a trace whose index is complete: each has a walk of its own that
 * enters some cells, then others.
 *
 * Threads: a walk belongs to one, as its reader does.
 */
#ifndef TRAWL_QUERY_SEEK_H
#define TRAWL_QUERY_SEEK_H

#include "query/filter/filter.h"
#include "trace/doubts.h"

struct seek;

/* READER and the filter are borrowed.  AROUND: so many messages before and after each
 * that may pass are walked over too. */
struct seek *seek_new(struct reader *, const struct filter *, unsigned around);

/* Builds the index of a trace where a filter is worth it. */
void seek_prepare(struct trace *, const struct filter *);

/* Whether the messages of a trace can be divided by its cells; and a walk over those of the cells
 * that it enters, none at first. */
bool seek_can_divide(struct trace *);
struct seek *seek_new_divided(struct reader *, const struct filter *);

/* Has a divided walk go on with the messages of the cells from FROM, which is not before those
 * of the last call, up to UNTIL. */
void seek_enter(struct seek *, uint64_t from, uint64_t until);

void seek_free(struct seek *); /* NULL is fine */

/* Whether messages are passed over. */
bool seek_skips(const struct seek *);

/* The next messages, at most MAX, which follow each other; *FIRST is the number of the
 * first.  0 at the end, and where reader_walk gives none. */
size_t seek_walk(struct seek *, struct message *out, size_t max, uint64_t *first);

/* Where no index tells, passes over pieces that have no match, by what their messages add up
 * to and by their bytes; the next messages may then not follow the last ones.  True: for so
 * long that what was found before should be shown. */
bool seek_pass(struct seek *);

/* Adds what a walk over all messages would find besides in those that were passed over,
 * by their flags; not in the bytes of no message. */
void seek_add_passed(struct seek *, struct doubts *);

/* The same, and what it would find in the bytes of no message. */
void seek_add_doubts(struct seek *, struct doubts *);

/* The same of the cells of a trace that a filter rules out, with an index that is
 * complete, but not of bytes. */
void seek_add_ruled_out(struct trace *, const struct filter *, struct doubts *);

#endif
