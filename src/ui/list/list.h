/*
 * The rows of the list: which messages are on the screen, and moving among
 * them.
 *
 * A list keeps a run of messages that the filter passes, around what the
 * screen shows, and makes it longer at either end when somebody moves there.
 * Rows are known by their place, never by a number, so they stay when the
 * index arrives and numbers change; and where the user went last is kept
 * while a filter hides it, so that the filter's end leads back there.  No
 * call takes long: what needs more time than a slice stays owed, and
 * list_work() goes on with it.
 */
#ifndef TRAWL_UI_LIST_H
#define TRAWL_UI_LIST_H

#include "session/merge.h"
#include "ui/list/hits.h"

struct session;

struct row {
	size_t lane; /* whose message it is */
	struct position at;
	struct place place;
	struct message message; /* so that showing it again decodes nothing */
	bool there;		/* false: it vanished before it was copied */
	bool near;		/* shown because of a hit around it */
};

/* What comes next in a lane of a merged list with a filter. */
struct list_ahead {
	struct position from;
	bool end, found; /* found: it is at `from` */
};

/* One end of the run: where to look further, and whether there is more. */
struct list_edge {
	struct merge_position from; /* its trace is a lane */
	bool end;
	bool crossed;		  /* `from` is no row: the way to there was looked through */
	bool looked;		  /* `ahead` is valid */
	struct list_ahead *ahead; /* of each lane; owned */
};

/* A trace of a list. */
struct list_lane {
	size_t number; /* in the session */
	struct trace *trace;
	struct reader *reader;
	/* when it was last looked at: */
	unsigned epoch; /* of the capture, */
	uint64_t size;	/* its size, */
	bool ended;	/* and whether that was all; */
	uint64_t known; /* cells of the index */
};

enum { LIST_BEFORE, LIST_AFTER };

struct list {
	struct list_lane *lanes;
	size_t lane_count;
	struct merge *merge; /* of several traces, borrowed; NULL: of one */
	size_t lane;	     /* that of the cursor, of which are: */
	struct trace *trace;
	struct reader *reader;
	const struct filter *filter; /* borrowed */
	struct hits hits;	     /* of it, once list_show was called */
	bool outdated;		     /* the rows are by a filter that was before it */
	unsigned around;	     /* messages shown before and after each hit */
	VEC(struct row) rows;
	size_t top; /* row at the top of the screen */
	size_t cursor;
	struct list_edge edges[2]; /* LIST_BEFORE, LIST_AFTER */
	size_t height;		   /* rows on the screen */
	bool before;		   /* the row before the top is needed too */
	int64_t owed;		   /* rows still to move */
	size_t lead;		   /* rows wanted above the cursor after a jump */
	struct place home;	   /* where the user went last, filtered out or not, */
	size_t home_lane;	   /* and in which lane */
	bool moving;		   /* home follows the cursor */
	bool busy;		   /* the last slice did not suffice */
	bool waiting;		   /* for rows that the match set will find */
	bool stopped;		   /* by the user: nothing is looked for */
	bool provisional;	   /* some rows were found without the index */
	bool tail;		   /* the cursor stays on the last row as more come */
	struct place seen;	   /* the last message when it was taken from there, */
	size_t seen_lane;	   /* and whose it is */
	bool any_seen;
	unsigned generation; /* of the merged order */
};

/* Of trace NUMBER of a session; of all of them, merged. */
void list_open(struct list *, struct session *, size_t number, const struct filter *);
void list_open_merged(struct list *, struct session *, struct merge *, const struct filter *);
void list_close(struct list *);

/* From now on positions are of that lane, as after a move of the cursor there. */
void list_turn(struct list *, size_t lane);

/* How many rows the screen has for it. */
void list_resize(struct list *, size_t height);

/* Goes to a position of the cursor's lane, or to the nearest row the filter passes. */
void list_goto(struct list *, struct position);
/* The same with rows of the message above it kept on the screen. */
void list_goto_row(struct list *, struct position, size_t lead);

/* Goes to the first row the filter passes (LIST_BEFORE) or to the last one. */
void list_goto_edge(struct list *, int side);

/* The user is where the cursor is, not at what the filter hid below it. */
void list_stay(struct list *);

/* Moves the cursor; the screen follows. */
void list_move(struct list *, int64_t rows);
/* Moves the screen and the cursor with it. */
void list_page(struct list *, int64_t rows);
/* Moves the screen; the cursor stays while it can. */
void list_scroll(struct list *, int64_t rows);

/* Goes to the last row and stays there as more come, until somebody moves up or
 * goes elsewhere. */
void list_follow(struct list *);
/* How many messages came since then. */
uint64_t list_unseen(struct list *, bool *exact);

/* The first and the last message, turning to its lane; false: there is none. */
bool list_first(struct list *, struct position *);
bool list_last(struct list *, struct position *);
/* The number of a row, how many messages there are, and the one with a number;
 * estimates unless *exact. */
uint64_t list_number(struct list *, const struct row *, bool *exact);
uint64_t list_total(struct list *, bool *exact);
bool list_find_number(struct list *, uint64_t number, struct position *, bool *exact);

/* Counts up when texts, times or the order of it may have changed. */
unsigned list_generation(const struct list *);

/* Whether the rows of a lane are in it: traces can be left out. */
bool list_shows(const struct list *, size_t lane);

/* How far the indexes of its traces are and what they count, together. */
void list_get_progress(const struct list *, struct index_progress *);

/* The list comes on the screen: makes its rows by the filter as it is now, and
 * counts what that shows. */
void list_show(struct list *);
/* Shows so many messages before and after each hit too; SHOWN as below. */
void list_surround(struct list *, unsigned around, bool shown);
/* After the filter changed: makes the rows anew and counts, or, if it is not SHOWN,
 * leaves that to list_show. */
void list_refilter(struct list *, bool shown);

/* After the index or the capture changed: the same place again.  list_settle
 * finds out by itself whether anything did. */
void list_rebuild(struct list *);
void list_settle(struct list *);

/* Works for one slice at what is missing; true if there is more to do.  False
 * too while it waits for news of the session (list_busy). */
bool list_work(struct list *);
bool list_busy(const struct list *); /* it looked for rows in vain so far */
void list_cancel(struct list *);     /* forgets what is owed and looks no further */

/* The row under the cursor, or NULL. */
const struct row *list_current(const struct list *);
/* The row I rows below the top, or NULL. */
const struct row *list_row(const struct list *, size_t i);

#endif
