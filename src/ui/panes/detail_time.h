/*
 * When the selected message was sent, and how long after what.
 */
#ifndef TRAWL_UI_DETAIL_TIME_H
#define TRAWL_UI_DETAIL_TIME_H

#include "trace/reader.h"

struct screen;
struct selection;

/* Zero-initialise. */
struct detail_time {
	struct trace *trace; /* what the rest is for */
	struct message_id id;
	bool begun;
	enum { ORIGIN_SOUGHT, ORIGIN_FOUND, ORIGIN_NOT_FOUND } state;
	struct position at; /* up to where its origin's last message is sought, or where it is */
	unsigned passed;    /* messages so far */
	bool row; /* while it is sought: the message before has one, so a row is kept for it */
};

/* Appends the time, its clock and ticks; nothing if it has none.  DATE: with the day. */
void detail_time_add(struct screen *, const struct selection *, bool date, struct text *);
/* Appends how long after the row above it is; nothing if that is not known. */
void detail_time_add_above(struct screen *, struct text *);
/* The same after the last message of its origin, once that is found; until then `...` where
 * a row is kept. */
void detail_time_add_origin(struct screen *, const struct selection *, struct detail_time *,
			    struct text *);

/* Looks for that message for a slice; true if it was found. */
bool detail_time_work(struct screen *, const struct selection *, struct detail_time *);
/* Whether there is more to look for. */
bool detail_time_is_open(const struct selection *, struct detail_time *);

#endif
