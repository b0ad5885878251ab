/*
 * The message under the cursor, with its fields.
 */
#ifndef TRAWL_UI_SELECTION_H
#define TRAWL_UI_SELECTION_H

#include "trace/reader.h"

struct screen;
struct trace;

/* Zero-initialise. */
struct selection {
	bool valid;
	struct trace *trace;
	struct message_id id;
	uint64_t generation; /* of the data from which the expansion was made */
	struct message message;
	struct expansion expansion;
};

/* Return the selected message, or NULL.  Expand it again if it or its data changed.  Borrowed
 * until the next call. */
const struct selection *selection_get(struct screen *);

void selection_free(struct selection *);

#endif
