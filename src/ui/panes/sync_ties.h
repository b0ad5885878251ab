/*
 * The ties that the user made (:tie), as lines of the pane of sync points: which messages they
 * tie, and how far apart the times of these are.
 */
#ifndef TRAWL_UI_SYNC_TIES_H
#define TRAWL_UI_SYNC_TIES_H

#include "base/text.h"
#include "base/vec.h"
#include "ui/list/jump.h"

struct list;

/* A tie; its number is its place, from 0, in clocks_ties. */
struct sync_tie {
	bool known; /* both messages are */
	struct location ends[2];
	struct text time, trace, with, what; /* safe */
};

/* Zero-initialise. */
struct sync_ties {
	VEC(struct sync_tie) ties;
	unsigned generation; /* of what they say */
	bool any;	     /* they were made */
};

/* Makes them as they are by now, with times as LIST shows them. */
void sync_ties_make(struct sync_ties *, struct screen *, const struct list *);
void sync_ties_free(struct sync_ties *);

#endif
