/*
 * The rows of the list: which messages are on the screen, and moving among
 * them.
 *
 * A list keeps a run of messages that the filter passes, around what the
 * screen shows, and makes it longer at either end when the cursor goes there.
 * Rows are kept by their message ID, never by a number, so they stay when the
 * index arrives and numbers change; and where the user went last is kept
 * while a filter hides it, so that the filter's end leads back there.  No
 * call takes long: what needs more time than a slice stays pending, and
 * list_work() goes on with it.
 */
#ifndef TRAWL_UI_LIST_H
#define TRAWL_UI_LIST_H

#include "session/sequence.h"
#include "ui/list/list_matches.h"

struct session;

struct row {
	size_t lane; /* whose message it is */
	struct position at;
	struct message_id id;
	struct message message; /* so that showing it again decodes nothing */
	bool there;		/* false: it vanished before it was copied */
	bool near;		/* shown because of a match around it */
};

static inline struct sequence_position
row_position(const struct row *row)
{
	return (struct sequence_position){row->lane, row->at};
}

/* One end of the run: where to look further, and whether there is more. */
struct list_edge {
	struct sequence_position from;
	bool end;
	bool crossed;		 /* `from` is no row: the way to there was looked through */
	bool looked;		 /* `next` goes on from there */
	struct next_match *next; /* owned, or NULL */
};

/* A trace of a list: a lane of its sequence. */
struct list_lane {
	size_t number; /* in the session */
	struct trace *trace;
	struct index *index;
	struct reader *reader; /* borrowed of the sequence */
	/* when it was last looked at: */
	unsigned generation; /* of the capture, */
	uint64_t size;	     /* its size, */
	bool ended;	     /* and whether that was all; */
	uint64_t known;	     /* cells of the index, */
	uint64_t dropped;    /* bytes in front */
};

enum { LIST_BEFORE, LIST_AFTER };

struct list {
	struct list_lane *lanes;
	size_t lane_count;
	struct sequence *sequence; /* of them */
	bool owns_sequence;	   /* else it is borrowed */
	size_t lane;		   /* that of the cursor, of which are: */
	struct trace *trace;
	struct reader *reader;
	const struct filter *filter; /* borrowed */
	struct list_matches matches; /* of it, once list_show was called */
	struct list_matches former;  /* of the filter before it, which people turn back to */
	bool outdated;		     /* the rows are by a filter that was before it */
	unsigned around;	     /* messages shown before and after each match */
	VEC(struct row) rows;
	size_t top; /* row at the top of the screen */
	size_t cursor;
	struct list_edge edges[2]; /* LIST_BEFORE, LIST_AFTER */
	size_t height;		   /* rows on the screen */
	bool before;		   /* the row before the top is needed too */
	int64_t pending_moves;	   /* rows still to move */
	size_t scroll_margin;	   /* rows to be above the cursor after a jump */
	size_t scroll_step;	   /* rows to be beyond the cursor after it left the screen */
	struct message_id anchor;  /* where the user went last, filtered out or not, */
	size_t anchor_lane;	   /* and in which lane */
	bool moving;		   /* the anchor follows the cursor */
	unsigned moves;		   /* counts up when the user goes elsewhere */
	bool busy;		   /* the last slice did not suffice */
	bool waiting;		   /* for rows that the match set will find */
	bool stopped;		   /* by the user: nothing is looked for */
	bool provisional;	   /* some rows were found without the index, */
	uint64_t passed;	   /* or cells before this one were passed */
	bool exact;		   /* the order was known when the lanes were last looked at */
	bool tail;		   /* the cursor stays on the last row as more come */
	struct message_id seen;	   /* the last message when it was taken from there, */
	size_t seen_lane;	   /* and whose it is */
	bool any_seen;
	unsigned generation; /* of the order */
	bool fell;	     /* the message at the cursor was dropped; see list_take_fall */
	size_t common;	     /* bytes that names of several traces begin with alike */
};

/* Of all traces of a sequence; of one of them alone.  The sequence must outlive it. */
void list_open(struct list *, struct sequence *, const struct filter *);
void list_open_lane(struct list *, struct sequence *all, size_t trace, const struct filter *);
void list_close(struct list *);

/* Whether the message at the cursor was dropped since this was asked last, so that the cursor
 * went to the first one that is kept. */
bool list_take_fall(struct list *);

/* How many rows the screen has for it. */
void list_resize(struct list *, size_t height);

/* Whether the filter passes a message. */
bool list_is_match(struct list *, struct sequence_position);

/* Goes to a message, or to the nearest row the filter passes. */
void list_goto(struct list *, struct sequence_position);

/* Goes to the first row the filter passes (LIST_BEFORE) or to the last one. */
void list_goto_edge(struct list *, int side);

/* Scrolls so that the cursor has so many rows above it, as far as there are. */
void list_set_margin(struct list *, size_t rows);

/* The user is where the cursor is, not at what the filter hid below it. */
void list_stay(struct list *);

/* The user is at a message, which the rows that are made next are around. */
void list_set_anchor(struct list *, size_t lane, struct message_id);

/* Moves the cursor; the screen follows. */
void list_move(struct list *, int64_t rows);
/* Moves the screen and the cursor with it. */
void list_page(struct list *, int64_t rows);
/* Moves the screen; the cursor stays while it can. */
void list_scroll(struct list *, int64_t rows);

/* Goes to the last row and stays there as more come, until the cursor moves up or
 * goes elsewhere. */
void list_follow(struct list *);
/* How many messages came since then. */
uint64_t list_unseen(struct list *, bool *exact);

/* Counts up when texts, times or the order of it may have changed. */
unsigned list_generation(const struct list *);

/* How far the indexes of its traces are and what they count, together. */
void list_get_progress(const struct list *, struct index_progress *);

/* The list comes on the screen: makes its rows by the filter as it is now, and
 * counts what that shows. */
void list_show(struct list *);
/* Shows so many messages before and after each match too; SHOWN as below. */
void list_surround(struct list *, unsigned around, bool shown);
/* After the filter changed: makes the rows anew and counts, or, if it is not SHOWN,
 * leaves that to list_show. */
void list_refilter(struct list *, bool shown);

/* After the index or the capture changed: the same rows again.  list_settle
 * finds out by itself whether anything did. */
void list_rebuild(struct list *);
void list_settle(struct list *);

/* Works for one slice at what is missing; true if there is more to do.  False
 * too while it waits for news of the session (list_busy). */
bool list_work(struct list *);
/* The same behind a paint; true too if there is more to be seen. */
bool list_work_unseen(struct list *);
bool list_busy(const struct list *);	 /* it looked for rows in vain so far */
bool list_can_work(const struct list *); /* the same, and without waiting for news */
void list_cancel(struct list *);	 /* forgets pending moves and looks no further */

/* The name of a lane's trace, without what all of them begin with. */
const char *list_trace_name(const struct list *, size_t lane);

/* The number of a message as people read it, from 1; not EXACT: an estimate. */
uint64_t list_number(const struct list *, struct sequence_position, bool *exact);
/* Appends that of a row, with a ~ where it is an estimate. */
void list_add_number(struct list *, const struct row *, struct text *);

/* The row under the cursor, or NULL. */
const struct row *list_current(const struct list *);
/* The row I rows below the top, or NULL. */
const struct row *list_row(const struct list *, size_t i);

#endif
