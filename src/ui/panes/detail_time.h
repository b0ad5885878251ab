/*
 * The time of the selected message, and the time since earlier messages.
 */
#ifndef TRAWL_UI_DETAIL_TIME_H
#define TRAWL_UI_DETAIL_TIME_H

#include "trace/reader.h"

struct screen;
struct selection;

/* Zero-initialise. */
struct detail_time {
	struct trace *trace; /* the message that the other members describe */
	struct message_id id;
	bool begun;
	enum { ORIGIN_SOUGHT, ORIGIN_FOUND, ORIGIN_NOT_FOUND } state;
	struct position at; /* last message of the origin, or the searched place */
	unsigned passed;    /* messages searched up to now */
	bool row; /* while searching: keep a row, as the message selected before had one */
};

/* Append the time, its clock and ticks, or nothing without a time. DATE: include the day. */
void detail_time_add(struct screen *, const struct selection *, bool date, struct text *);
/* Append the time since the row above, or nothing if that is unknown. */
void detail_time_add_above(struct screen *, struct text *);
/* Append the time since the last message of the origin, once found. Until then append `...` if a
 * row is kept. */
void detail_time_add_origin(struct screen *, const struct selection *, struct detail_time *,
			    struct text *);

/* Search one slice for the last message of the origin. True if it was found. */
bool detail_time_work(struct screen *, const struct selection *, struct detail_time *);
/* True while the search is not finished. */
bool detail_time_is_open(const struct selection *, struct detail_time *);

#endif
