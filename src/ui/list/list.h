/*
 * The rows of the list: which messages are on the screen, and how the cursor moves.
 *
 * A list keeps a run of rows around the screen: messages that pass the filter.  It extends
 * the run at either end when the cursor goes there.  A row is identified by its message ID,
 * never by a number.  It therefore stays in place when the index arrives and numbers change.
 * The list remembers the user's last position while a filter hides it, and returns there
 * when the filter is removed.  No call takes long: work that needs more than one time slice
 * stays pending, and list_work() continues it.
 */
#ifndef TRAWL_UI_LIST_H
#define TRAWL_UI_LIST_H

#include "session/sequence.h"
#include "ui/list/list_matches.h"

struct session;

struct row {
	size_t lane; /* lane of the message */
	struct position at;
	struct message_id id;
	struct message message; /* a copy, so that painting it again decodes nothing */
	bool there;		/* false if the message was gone before it could be copied */
	bool near;		/* no match itself, but shown around one */
};

static inline struct sequence_position
row_position(const struct row *row)
{
	return (struct sequence_position){row->lane, row->at};
}

/* One end of the run: where to continue, and whether the list ends there. */
struct list_edge {
	struct sequence_position from;
	bool end;
	bool crossed;		 /* the search passed beyond the last row, up to `from` */
	bool looked;		 /* `next` continues from `from` */
	struct next_match *next; /* owned, or NULL */
};

/* A trace of a list, as a lane of its sequence. */
struct list_lane {
	size_t number; /* in the session */
	struct trace *trace;
	struct index *index;
	struct reader *reader; /* owned by the sequence */
	/* State at the last look: */
	unsigned generation; /* of the capture */
	uint64_t size;	     /* of the capture */
	bool ended;	     /* the capture is complete */
	uint64_t known;	     /* cells in the index */
	uint64_t dropped;    /* bytes dropped at the start of the capture */
};

enum { LIST_BEFORE, LIST_AFTER, LIST_NOWHERE };

struct list {
	struct list_lane *lanes;
	size_t lane_count;
	struct sequence *sequence; /* of the lanes */
	bool owns_sequence;	   /* false if it is borrowed */
	size_t lane;		   /* lane of the cursor; `trace` and `reader` belong to it */
	struct trace *trace;
	struct reader *reader;
	const struct filter *filter; /* borrowed */
	struct list_matches matches; /* of the current filter, once list_show() was called */
	struct list_matches former;  /* of the previous filter, in case the user returns to it */
	bool outdated;		     /* the rows were made with an older filter */
	unsigned around;	     /* messages shown before and after each match */
	VEC(struct row) rows;
	size_t top; /* row at the top of the screen */
	size_t cursor;
	struct list_edge edges[2]; /* LIST_BEFORE, LIST_AFTER */
	size_t height;		   /* rows on the screen */
	bool before;		   /* the row above the top is needed too */
	int64_t pending_moves;	   /* rows still to move */
	size_t scroll_margin;	   /* rows wanted above the cursor after a jump */
	size_t scroll_step;	   /* rows wanted past the cursor after it left the screen */
	struct message_id anchor;  /* the user's last position, even if the filter hides it */
	size_t anchor_lane;	   /* lane of `anchor` */
	bool moving;		   /* the anchor follows the cursor */
	unsigned moves;		   /* incremented when the user goes elsewhere */
	int stays_at;		   /* until the order is final: stay at this end, or LIST_NOWHERE */
	bool busy;		   /* the last slice was too short */
	bool waiting;		   /* for rows that the match set will find */
	bool stopped;		   /* the user cancelled the search for rows */
	bool provisional;	   /* some rows were found without the index */
	uint64_t passed;	   /* the index may still find messages in cells before this one */
	bool exact;		   /* the order was final at the last look at the lanes */
	bool tail;		   /* the cursor stays on the last row as messages arrive */
	struct message_id seen;	   /* last message when the user left the tail */
	size_t seen_lane;	   /* lane of `seen` */
	bool any_seen;
	uint64_t generation; /* of the order */
	bool fell;	     /* the message at the cursor was dropped; see list_take_fall() */
	size_t common;	     /* length of the prefix that all trace names share */
};

/* Open a list of all traces of a sequence, or of one of them.  The sequence must outlive it. */
void list_open(struct list *, struct sequence *, const struct filter *);
void list_open_lane(struct list *, struct sequence *all, size_t trace, const struct filter *);
void list_close(struct list *);

/* Return true if the message at the cursor was dropped since the last call.  The cursor then
 * went to the first message that is kept. */
bool list_take_fall(struct list *);

/* Set the number of rows on the screen. */
void list_resize(struct list *, size_t height);

/* Return true if the message passes the filter. */
bool list_is_match(struct list *, struct sequence_position);

/* Go to a message, or to the nearest row if the filter hides it. */
void list_goto(struct list *, struct sequence_position);

/* Go to the first row (LIST_BEFORE) or to the last one. */
void list_goto_edge(struct list *, int side);

/* Make the row under the cursor the user's position, instead of a hidden message. */
void list_stay(struct list *);

/* Set the user's position.  The next rows are made around it. */
void list_set_anchor(struct list *, size_t lane, struct message_id);

/* Move the cursor; the screen follows. */
void list_move(struct list *, int64_t rows);
/* Move the screen, and the cursor with it. */
void list_page(struct list *, int64_t rows);
/* Move the screen.  The cursor stays on its row while that is visible. */
void list_scroll(struct list *, int64_t rows);

/* Go to the last row and follow new rows until the cursor moves up or goes elsewhere. */
void list_follow(struct list *);
/* Return how many messages arrived since the user left the tail. */
uint64_t list_unseen(struct list *, bool *exact);

/* Return an epoch that changes when bytes, texts, times or the order may have changed. */
uint64_t list_generation(const struct list *);

/* Sum up the progress and counts of the indexes of all shown traces. */
void list_get_progress(const struct list *, struct index_progress *);

/* Show the list: make its rows with the current filter, and count its matches. */
void list_show(struct list *);
/* Show AROUND messages before and after each match too.  SHOWN as for list_refilter(). */
void list_surround(struct list *, unsigned around, bool shown);
/* Apply a changed filter.  If the list is not SHOWN, list_show() makes the rows later. */
void list_refilter(struct list *, bool shown);

/* Make the same rows again after the index or the capture changed.  list_settle() first checks
 * whether anything did. */
void list_rebuild(struct list *);
void list_settle(struct list *);

/* Work on missing rows for one slice.  Return true if there is more work.  Return false also
 * while the list waits for news of the session (see list_busy()). */
bool list_work(struct list *);
/* Work after a paint.  Return true also if rows were added. */
bool list_work_unseen(struct list *);
bool list_busy(const struct list *);	 /* rows are still missing */
bool list_can_work(const struct list *); /* rows are missing, and no news is needed to find them */
void list_cancel(struct list *);	 /* drop pending moves and stop looking */

/* Return the name of a lane's trace, without the prefix that all names share. */
const char *list_trace_name(const struct list *, size_t lane);

/* Return the number of a message, from 1.  Clear *EXACT if it is estimated. */
uint64_t list_number(const struct list *, struct sequence_position, bool *exact);
/* Append the number of a row, after a ~ if it is estimated. */
void list_add_number(struct list *, const struct row *, struct text *);

/* Return the row under the cursor, or NULL. */
const struct row *list_current(const struct list *);
/* Return the row I rows below the top, or NULL. */
const struct row *list_row(const struct list *, size_t i);

#endif
