/*
 * The time of a message, as the list displays it.
 */
#ifndef TRAWL_UI_DISPLAY_TIME_H
#define TRAWL_UI_DISPLAY_TIME_H

#include "ui/list/list.h"

/* A time in nanoseconds on the session's clock, or else in ticks of the trace's own clock.
 * Times are comparable only on the same clock. */
struct display_time {
	struct trace_clock clock;
	uint64_t ticks;
	int64_t order;	/* sort key, if `common` */
	size_t part;	/* group of related clocks; times of different parts cannot be compared */
	bool before;	/* `ticks` counts back from 0 */
	bool common;	/* on the session's clock */
	bool estimated; /* interpolated; shown with a ~ */
};

/* Return the time of a message in a lane.  Return false if it has none. */
bool display_time_of(const struct list *, const struct list_lane *, const struct message *,
		     struct display_time *);

/* Return the time of a row, or the first time of the list in the part of the cursor's lane. */
bool display_time_of_row(const struct list *, const struct row *, struct display_time *);
bool display_time_first(const struct list *, struct display_time *);

/* Find the nearest of the list's rows above ROW that has a time.  Return NULL without one. */
const struct row *display_time_above(const struct list *, const struct row *,
				     struct display_time *);

/* Set *ROW to the last message before it, in list order, that has a time.  Hidden messages
 * count too.  Return false if none is near. */
bool display_time_find_before(struct list *, struct row *);

/* Return the time of a row, or of that earlier message.  Return false if neither has one. */
bool display_time_at_or_before(struct list *, const struct row *, struct display_time *);

/* Append the fields that explain an interpolated time. */
void display_time_add(const struct list *, const struct list_lane *, const struct message *,
		      struct expansion *);

void display_time_format(const struct display_time *, struct text *);
/* Append the date, if any, and the rest of the time separately.  Either may be NULL. */
void display_time_format_parts(const struct display_time *, struct text *date, struct text *rest);
/* Append the time.  Omit the date if it equals that of HERE (may be NULL). */
void display_time_format_beside(const struct display_time *, const struct display_time *here,
				struct text *);
/* Append a blank and the short name of the zone of a date. Append nothing if the time is no date or
 * its zone is not known. */
void display_time_add_zone(const struct display_time *, struct text *);
/* Append TO - FROM with its sign, but without a plus if PLAIN.  Append nothing if they cannot be
 * compared. */
void display_time_format_difference(const struct display_time *from, const struct display_time *to,
				    bool plain, struct text *);
/* Append TO - FROM with its sign and a unit, `+1.501 ms`. */
void display_time_format_gap(const struct display_time *from, const struct display_time *to,
			     struct text *);

#endif
