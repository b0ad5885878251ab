/*
 * Finding the next message that matches, near or far.
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

/* What a loss is, as an expression. */
#define SEARCH_LOSS "damaged or lost or truncated"

struct search {
	struct regex *regex;	     /* of the last / or ?, to be seen on the screen; owned */
	struct filter_expr *pattern; /* the same as a filter; owned */
	char *typed;		     /* and as it was typed; owned */
	bool bytes;		     /* it looks at bytes, not texts */
	struct regex *earlier[SEARCH_EARLIER]; /* of texts, the last first; owned, or NULL */
	int direction;			       /* of the last */
	bool highlight;			       /* matches on the screen */
	struct list_matches matches;	       /* that the present list shows */

	struct next_match *next;	      /* what runs, in the background too; or NULL */
	struct gap_search *gap;		      /* or this, for a gap; or NULL */
	struct filter want;		      /* borrows pattern or example */
	bool counts;			      /* it is what `matches` counts */
	const char *what;		      /* for "no ... found" */
	struct list *list;		      /* where the match will be shown */
	int step;			      /* direction */
	uint64_t left, passed;		      /* matches still to pass, and passed */
	bool wrapped;			      /* the end was passed */
	struct sequence_position from, first; /* where it began, and the first match */
	struct filter_expr *example;	      /* of the last * or ]g; owned, or NULL */
};

bool search_running(const struct search *);

void search_free(struct search *);
/* As it was when that had been typed (NULL: nothing) and the direction was that; what runs
 * is ended, and nothing said. */
void search_put_back(struct screen *, const char *typed, int direction);
void search_forget(struct search *); /* nothing is highlighted any more */
void search_cancel(struct screen *);
void search_uncount(struct screen *); /* the list or its filter changes */
void search_poll(struct screen *);    /* something may have been found */

/* Handlers. */
void search_text(struct screen *, const struct command_call *);	 /* / and ? */
void search_again(struct screen *, const struct command_call *); /* n and N */
void search_kind(struct screen *, const struct command_call *);	 /* e W ]g ... */
void search_origin(struct screen *, const struct command_call *);
void search_example(struct screen *, const struct command_call *); /* * and # */
void search_other(struct screen *, const struct command_call *);   /* ]o and [o */
void search_gap(struct screen *, const struct command_call *);	   /* s and S */

/* Appends what a message must be to be like the selected one, an expression. */
void search_add_example(const struct selection *, struct text *out);

/* Which traces of the session the list does not show, by number; the caller frees it. */
bool *search_hidden(const struct screen *);

#endif
