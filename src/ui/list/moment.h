/*
 * When a message was sent, as the list shows it.
 */
#ifndef TRAWL_UI_MOMENT_H
#define TRAWL_UI_MOMENT_H

#include "ui/list/list.h"

/* Ticks of a trace's own clock where that is all there is, else nanoseconds of
 * the session's common clock.  Only moments of like clocks can be compared. */
struct moment {
	struct trace_clock clock;
	uint64_t ticks;
	int64_t order;	/* where `common`: to find it by */
	bool before;	/* so much before 0 */
	bool common;	/* it is of the common clock */
	bool estimated; /* made from times that others tell; shown with a ~ */
};

/* The moment of a message of a lane; OWN is its expansion, or NULL.  False if it
 * has none. */
bool moment_of(const struct list *, const struct list_lane *, const struct message *,
	       const struct expansion *own, struct moment *);

/* That of a row; and the first one of the list, in the part of the cursor's lane. */
bool moment_of_row(const struct list *, const struct row *, struct moment *);
bool moment_first(const struct list *, struct moment *);

/* Adds to a message's fields, where its moment is estimated, from what. */
void moment_add(const struct list *, const struct list_lane *, const struct message *,
		struct expansion *);

void moment_format(const struct moment *, struct text *);
/* The two halves of that: the date, nothing if it has none, and the rest; either
 * may be NULL. */
void moment_format_parts(const struct moment *, struct text *date, struct text *rest);
/* All of it, or only the rest if it is of the same date as HERE (may be NULL). */
void moment_format_beside(const struct moment *, const struct moment *here, struct text *);
/* TO - FROM with its sign, or, PLAIN, without a plus; nothing if they cannot be
 * compared. */
void moment_format_difference(const struct moment *from, const struct moment *to, bool plain,
			      struct text *);

#endif
