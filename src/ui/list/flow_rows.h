/*
 * What the program flow is to the rows of the list: the columns `depth` and `target`.
 *
 * Rows are told while they are followed (ui/list/flow_view.h), which a pane or a jump begins:
 * before that, and where that is not yet, they are empty.  What rows say is read when keys
 * pause, with that of messages near them.
 */
#ifndef TRAWL_UI_FLOW_ROWS_H
#define TRAWL_UI_FLOW_ROWS_H

#include "flow/flow_marks.h"

struct row;
struct screen;

enum {
	FLOW_ROWS_NEAR = 512,	 /* messages on either side of a row that are read with it */
	FLOW_ROWS_LEAST = 128,	 /* runs of messages that are kept, or as many as rows */
	FLOW_ROWS_MISSING = 4096 /* messages that are read later; of more the newest */
};

/* Messages of a trace that follow each other. */
struct flow_rows_run {
	size_t trace;
	unsigned generation; /* of the trace, when it was read */
	uint64_t first;
	size_t count;
	struct flow_mark *marks; /* owned */
};

/* A message that nothing is known of. */
struct flow_missing {
	size_t trace;
	uint64_t cell;
	struct message message;
};

/* Zero-initialise. */
struct flow_rows {
	VEC(struct flow_rows_run) runs;
	size_t next; /* run that gives way next */
	VEC(struct flow_missing) missing;
	unsigned generation; /* counts what was read */
};

void flow_rows_free(struct flow_rows *);

/* Behind this no row is missing, until it is asked for. */
void flow_rows_forget(struct flow_rows *);

/* Of a row of the list; NULL: it is not known, and is read once it can be. */
const struct flow_mark *flow_rows_find(struct flow_rows *, struct screen *, const struct row *);

/* Whether a row that was asked for can be read; and reads some; true: some were. */
bool flow_rows_can_work(const struct flow_rows *, struct screen *);
bool flow_rows_work(struct flow_rows *, struct screen *);

/* Appends where a message went: `> PLACE`, `.` where a jump was not taken. */
void flow_rows_add_target(struct screen *, size_t trace, const struct flow_mark *, struct text *);

#endif
