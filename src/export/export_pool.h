/*
 * Formatting by several threads: pieces of messages go in and come out again
 * in the same order, with their text.  Of a trace that can be divided (query/seek.h) a piece is
 * some of its cells, and who formats it walks over their messages, too.
 *
 * Nothing a worker does depends on what the others do, so the output is that
 * of one thread, byte for byte.  One thread fills pieces and takes them; it
 * never has more than a few per worker, so memory is bounded.
 */
#ifndef TRAWL_EXPORT_EXPORT_POOL_H
#define TRAWL_EXPORT_EXPORT_POOL_H

#include "decode/payloads.h"
#include "export/export.h"

/* Whose a message is, where there are several traces or messages are passed over. */
struct export_source {
	size_t trace;
	uint64_t number; /* in it */
};

/* Messages of a trace, or of several traces, in their order. */
struct export_piece {
	struct message *messages;      /* room for EXPORT_PIECE, and what is around */
	struct export_source *sources; /* likewise; NULL: they follow each other in one trace */
	size_t count;
	size_t from, until;	  /* those to be written, the others are around them */
	uint64_t first;		  /* number of messages[0], without sources */
	struct payloads payloads; /* of messages, what their walk kept */
	uint64_t cell, cells_end; /* cells whose messages it has instead, if there are any */

	/* what became of them */
	struct text out;
	export_deltas deltas; /* that belong into it */
	struct group *group;  /* of a table: rows of these messages; or NULL, also where they
				 are in the pool's */
	uint64_t written;     /* messages */
	struct doubts doubts;
};

enum { EXPORT_PIECE = 4096 };

/* A reader for a walk over messages that are to be written. */
struct reader *export_walker_new(struct trace *, const struct export_options *);

struct export_pool;

/* THREADS workers; with 0, or where the system has none to give, pieces are
 * formatted by who hands them in.  COUNT traces and the options are borrowed.  SOURCED:
 * each message has a source.  GROUP, of a table, gets the messages as they are handed in
 * where there are no workers; else each piece has a group, to be appended to it. */
struct export_pool *export_pool_new(struct trace *const *, size_t count, bool sourced,
				    const struct export_options *, struct group *group,
				    unsigned threads);
void export_pool_free(struct export_pool *); /* stops the workers */

/* The next piece to fill, NULL if all are in use; and hands it in. */
struct export_piece *export_pool_empty(struct export_pool *);
void export_pool_put(struct export_pool *);

/* The oldest piece handed in, when it is done; WAIT: waits for it.  NULL if
 * there is none.  It is the caller's until the next piece is asked for. */
struct export_piece *export_pool_take(struct export_pool *, bool wait);

#endif
