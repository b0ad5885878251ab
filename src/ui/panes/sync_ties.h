/*
 * The ties of the user (:tie), as lines of the pane of sync points. A line shows the two
 * messages and the time between them.
 */
#ifndef TRAWL_UI_SYNC_TIES_H
#define TRAWL_UI_SYNC_TIES_H

#include "base/text.h"
#include "base/vec.h"
#include "ui/list/jump.h"

struct list;

/* A tie. Its place in the vector is its number in clocks_ties(). */
struct sync_tie {
	bool known; /* both messages are found */
	struct location ends[2];
	struct text time, trace, with, what; /* safe */
};

/* Zero-initialise. */
struct sync_ties {
	VEC(struct sync_tie) ties;
	uint64_t generation; /* epoch of texts and ties; 0: none made */
};

/* Make the lines of all ties, with times as LIST shows them. */
void sync_ties_make(struct sync_ties *, struct screen *, const struct list *);
void sync_ties_free(struct sync_ties *);

#endif
