/*
 * The time of a message, as the list displays it.
 */
#ifndef TRAWL_UI_DISPLAY_TIME_H
#define TRAWL_UI_DISPLAY_TIME_H

#include "ui/list/list.h"

/* Ticks of a trace's own clock where that is all there is, else nanoseconds of
 * the session's common clock.  Only times of like clocks can be compared. */
struct display_time {
	struct trace_clock clock;
	uint64_t ticks;
	int64_t order;	/* where `common`: to find it by */
	size_t part;	/* of the session's clocks: times of others cannot be compared with it */
	bool before;	/* so much before 0 */
	bool common;	/* it is of the common clock */
	bool estimated; /* made from times that others tell; shown with a ~ */
};

/* The time of a message of a lane; false if it has none. */
bool display_time_of(const struct list *, const struct list_lane *, const struct message *,
		     struct display_time *);

/* That of a row; and the first one of the list, in the part of the cursor's lane. */
bool display_time_of_row(const struct list *, const struct row *, struct display_time *);
bool display_time_first(const struct list *, struct display_time *);

/* That of the last row above, among those that the list holds, that has one; NULL if none
 * has. */
const struct row *display_time_above(const struct list *, const struct row *,
				     struct display_time *);

/* Makes *ROW, of a message without a time, the last row before it in the order of the list
 * that has one; false if there is none near.  What the filter hides counts too. */
bool display_time_find_before(struct list *, struct row *);

/* The time of a row, or of that message; false if neither has one. */
bool display_time_at_or_before(struct list *, const struct row *, struct display_time *);

/* Adds to a message's fields, where its time is estimated, from what. */
void display_time_add(const struct list *, const struct list_lane *, const struct message *,
		      struct expansion *);

void display_time_format(const struct display_time *, struct text *);
/* The two halves of that: the date, nothing if it has none, and the rest; either
 * may be NULL. */
void display_time_format_parts(const struct display_time *, struct text *date, struct text *rest);
/* All of it, or only the rest if it is of the same date as HERE (may be NULL). */
void display_time_format_beside(const struct display_time *, const struct display_time *here,
				struct text *);
/* TO - FROM with its sign, or, PLAIN, without a plus; nothing if they cannot be
 * compared. */
void display_time_format_difference(const struct display_time *from, const struct display_time *to,
				    bool plain, struct text *);
/* The same with its sign and a unit, `+1.501 ms`. */
void display_time_format_gap(const struct display_time *from, const struct display_time *to,
			     struct text *);

#endif
