/*
 * Formatting by several threads.  Pieces of messages go in and come out with their text,
 * in the same order.  If a trace can be divided (query/scan.h), a piece is a few of its
 * cells.  Its worker then walks over their messages too.
 *
 * Workers are independent, so the output equals that of one thread, byte for byte.  One
 * thread fills and takes pieces.  There are only a few for each worker, so memory is
 * bounded.
 */
#ifndef TRAWL_EXPORT_EXPORT_POOL_H
#define TRAWL_EXPORT_EXPORT_POOL_H

#include "export/export.h"

/* Source of a message, with several traces or if messages are skipped. */
struct export_source {
	size_t trace;
	uint64_t number; /* message number in its trace */
	uint64_t listed; /* see struct export_message */
};

/* Messages of a trace, or of several traces, in order. */
struct export_piece {
	struct message *messages;      /* room for EXPORT_PIECE, and the messages around them */
	struct export_source *sources; /* as many; NULL: the messages are successive in one trace */
	size_t count;
	size_t from, until;	  /* messages to write; the others are around them */
	uint64_t first;		  /* number of messages[0], if `sources` is NULL */
	uint64_t cell, cells_end; /* cells to read the messages from instead, if any */

	/* the result */
	struct text out;
	export_deltas deltas;	  /* places of deltas in `out` */
	struct check_part *check; /* results of the options' check, or NULL */
	struct group *group;	  /* table rows of these messages; NULL if there is no table, or the
				 pool's group has them */
	uint64_t written;	  /* messages written */
	struct doubts doubts;
};

enum { EXPORT_PIECE = 4096 };

/* Create a reader for messages to write. */
struct reader *export_reader_new(struct trace *, const struct export_options *);

struct export_pool;

/* Create a pool of THREADS workers.  With 0, or if the system has no threads left, the caller's
 * thread formats.  The traces and the options are borrowed.  SOURCED: each message has a source.
 * GROUP is that of a table, or NULL.  Without workers it gets the messages directly.  With
 * workers each piece has its own group, which the caller appends to GROUP. */
struct export_pool *export_pool_new(struct trace *const *, size_t count, bool sourced,
				    const struct export_options *, struct group *group,
				    unsigned threads);
void export_pool_free(struct export_pool *); /* stops the workers */

/* Return the next piece to fill, or NULL if all are in use.  export_pool_put hands it in. */
struct export_piece *export_pool_empty(struct export_pool *);
void export_pool_put(struct export_pool *);

/* Return the oldest piece handed in, once it is done; with WAIT, wait for it.  Return NULL if
 * there is none.  The piece is the caller's until the next call. */
struct export_piece *export_pool_take(struct export_pool *, bool wait);

#endif
