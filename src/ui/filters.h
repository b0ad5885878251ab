/*
 * The filters of the screen: a list of expressions, each shows or hides what
 * it holds for, and the severities that are shown.  What passes all of them is
 * in the list of messages.
 */
#ifndef TRAWL_UI_FILTERS_H
#define TRAWL_UI_FILTERS_H

#include "base/vec.h"
#include "ui/list/hits.h"

struct app;
struct session;

struct filter_entry {
	struct filter_expr *expr; /* owned */
	bool out;		  /* hides what it holds for; else hides all else */
	bool off;

	/* its own count, while the pane is open */
	struct hits hits;
	double seconds; /* until it was set up: what sums could tell was told then */
};

struct filters {
	VEC(struct filter_entry) list;
	struct filter_expr *all; /* what those that are on come to; owned, or NULL */
	uint8_t severities;	 /* shown, a bit each */
	bool off;		 /* all of it */
};

void filters_free(struct filters *);

/* The mildest severity that is shown, and whether all worse ones are. */
enum severity filters_threshold(const struct filters *, bool *whole);

/* Reads an expression.  NULL with the reason, which is empty if it is blank. */
struct filter_expr *filters_parse(const struct session *, const char *typed, struct text *why);
/* Reads what a person typed: an expression or, if it is none and not meant to be
 * one, a regular expression; !REGEX sets *OUT.  NULL as before. */
struct filter_expr *filters_read(const struct session *, const char *typed, bool *out,
				 struct text *why);

/* What the list would come to with ENTRY in the place of number AT, or as one
 * more.  NULL with the reason; without one, it is empty. */
struct filter_expr *filters_join(struct app *, size_t at, const struct filter_entry *entry,
				 struct text *why);

/*
 * These say what is wrong, and return false then; nothing changed.
 * Expressions are taken over in any case.  What changes turns all filters on.
 */
bool filters_put(struct app *, size_t at, struct filter_entry); /* AT or as one more */
bool filters_turn(struct app *, size_t at);			/* on or off */
bool filters_invert(struct app *, size_t at);			/* in or out */
void filters_drop(struct app *, size_t at);
void filters_clear(struct app *);
/* What was typed, in the place of number AT, or as one more; empty: none.  OUT:
 * what it holds for is hidden, not only with !REGEX. */
bool filters_type(struct app *, size_t at, const char *typed, bool out);

/* The number of the one under the pane's cursor; SIZE_MAX if there is none. */
size_t filters_cursor(struct app *);

/* Ends the counting of each. */
void filters_uncount(struct app *);

/* --- the list of names that one entry wants or hides ------------------- */

/* Whether messages whose field (origin, trace) has this name pass the entry that
 * lists names of it, if there is one that is on. */
bool filters_name_passes(const struct app *, const char *field, const char *name);
/* Hides messages of that name, or shows them again. */
void filters_name_toggle(struct app *, const char *field, const char *name);
/* Shows them only. */
void filters_name_only(struct app *, const char *field, const char *name);
/* Shows what is hidden by names, and the other way round; false if nothing is. */
bool filters_name_invert(struct app *, const char *field);

#endif
