/*
 * Searching for the next message that matches, near or far.
 */
#ifndef TRAWL_UI_SEARCH_H
#define TRAWL_UI_SEARCH_H

#include "base/regex.h"
#include "command/command.h"
#include "query/next_match.h"
#include "ui/list/list_matches.h"

struct screen;
struct gap_search;
struct selection;

enum { SEARCH_EARLIER = 3 };

/* The expression for a loss. */
#define SEARCH_LOSS "damaged or lost or truncated"

struct search {
	struct regex *regex;		       /* of the last / or ?, for highlighting; owned */
	struct filter_expr *pattern;	       /* the same search as a filter; owned */
	bool bytes;			       /* the search is for bytes, not text */
	struct regex *earlier[SEARCH_EARLIER]; /* older text searches, newest first; owned */
	int direction;			       /* of the last / or ? */
	bool highlight;			       /* highlight matches on the screen */
	struct list_matches matches;	       /* in the present list */

	struct next_match *next;	      /* the running search, or NULL */
	struct gap_search *gap;		      /* the running search for a gap, or NULL */
	struct filter want;		      /* borrows pattern or example */
	bool counts;			      /* the search is the one that `matches` counts */
	const char *what;		      /* for "no ... found" */
	struct list *list;		      /* the list in which to show the match */
	int step;			      /* direction of this search */
	uint64_t left, passed;		      /* matches still to pass; matches passed */
	bool wrapped;			      /* the search went round the end */
	struct sequence_position from, first; /* its start; the first match */
	struct filter_expr *example;	      /* of the last * or ]g; owned, or NULL */
};

bool search_running(const struct search *);

void search_free(struct search *);
void search_forget(struct search *); /* remove all highlighting */
void search_cancel(struct screen *);
void search_uncount(struct screen *); /* before the list or its filter changes */
void search_poll(struct screen *);    /* continue after news from the background */

/* Handlers. */
void search_text(struct screen *, const struct command_call *);	 /* / and ? */
void search_again(struct screen *, const struct command_call *); /* n and N */
void search_kind(struct screen *, const struct command_call *);	 /* e W ]g ... */
void search_origin(struct screen *, const struct command_call *);
void search_example(struct screen *, const struct command_call *); /* * and # */
void search_other(struct screen *, const struct command_call *);   /* ]o and [o */
void search_gap(struct screen *, const struct command_call *);	   /* s and S */

/* Append an expression for messages like the selected one. */
void search_add_example(const struct selection *, struct text *out);

/* Return a flag for each trace of the session: true if the list does not show it.  The caller
 * frees it. */
bool *search_hidden(const struct screen *);

#endif
