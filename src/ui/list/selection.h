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
	unsigned generation; /* of what the expansion was made from */
	struct message message;
	struct expansion expansion;
};

/* The selected message, expanded when it is another or says something else than the
 * last time; NULL if there is none.  Borrowed until the next call. */
const struct selection *selection_get(struct screen *);

void selection_free(struct selection *);

#endif
