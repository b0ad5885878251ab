/*
 * The program flow in the rows of the list: the columns `depth` and `target`.
 *
 * A row needs its trace to be followed (ui/list/flow_view.h), which a pane or a jump starts.
 * Until then, and past the followed part, the columns are empty.  Rows are read when keys
 * pause, together with messages near them.
 */
#ifndef TRAWL_UI_FLOW_ROWS_H
#define TRAWL_UI_FLOW_ROWS_H

#include "flow/flow_marks.h"

struct row;
struct screen;

enum {
	FLOW_ROWS_NEAR = 512,	 /* messages read on either side of a row */
	FLOW_ROWS_LEAST = 128,	 /* runs of messages kept, if the screen needs no more */
	FLOW_ROWS_MISSING = 4096 /* messages queued for reading; the oldest give way */
};

/* Consecutive messages of a trace. */
struct flow_rows_run {
	size_t trace;
	unsigned generation; /* of the trace at the time of reading */
	uint64_t first;
	size_t count;
	struct flow_mark *marks; /* owned */
};

/* A message without a mark so far. */
struct flow_missing {
	size_t trace;
	uint64_t cell;
	struct message message;
};

/* Zero-initialise. */
struct flow_rows {
	VEC(struct flow_rows_run) runs;
	size_t next; /* run to replace next */
	VEC(struct flow_missing) missing;
	unsigned generation; /* incremented when rows were read */
};

void flow_rows_free(struct flow_rows *);

/* Clear the queue of missing rows. */
void flow_rows_forget(struct flow_rows *);

/* Return the mark of a row.  If it is not known, queue the row for reading and return NULL. */
const struct flow_mark *flow_rows_find(struct flow_rows *, struct screen *, const struct row *);

/* flow_rows_can_work(): return true if a queued row can be read.  flow_rows_work(): read some
 * rows, and return true if it read any. */
bool flow_rows_can_work(const struct flow_rows *, struct screen *);
bool flow_rows_work(struct flow_rows *, struct screen *);

/* Append the target of a message: `> PLACE`, or `.` for a jump that was not taken. */
void flow_rows_add_target(struct screen *, size_t trace, const struct flow_mark *, struct text *);

#endif
