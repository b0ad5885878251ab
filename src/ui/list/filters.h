/*
 * The filters of the screen: a list of expressions, each shows or hides what
 * it holds for, and the severities that are shown.  What passes all of them is
 * in the list of messages.
 */
#ifndef TRAWL_UI_FILTERS_H
#define TRAWL_UI_FILTERS_H

#include "base/vec.h"
#include "ui/list/list_matches.h"

struct screen;

struct filter_entry {
	struct filter_expr *expr; /* owned */
	bool exclude;		  /* hides what it holds for; else hides all else */
	bool disabled;

	/* its own count, while the pane is open */
	struct list_matches matches;
	double seconds; /* until it was set up: what sums can decide was decided then */
};

struct filters {
	VEC(struct filter_entry) list;
	struct filter_expr *combined; /* what those that are on come to; owned, or NULL */
	uint8_t severities;	      /* shown, a bit each */
	bool disabled;		      /* all of it */
};

void filters_free(struct filters *);

/* After a change: the lists obey what the filters come to. */
void filters_apply(struct screen *);

/* Whether other messages may pass than when this was last asked. */
bool filters_are_stale(struct screen *);

/* What the filters come to, be they on or off; NULL: nothing is filtered. */
const char *filters_text(const struct screen *);

/* Appends the letters of the severities that are shown. */
void filters_add_severities(const struct screen *, struct text *out);

/* Appends what is shown and what is hidden, be the filters on or off, in one form for all
 * places, `only ERROR+ seq = 70 without origin in {"dma"}`; nothing if all is shown. */
void filters_describe(const struct screen *, struct text *out);

/* Appends how many matches there are, with a sign while there may be more; false if
 * there is no number yet, and words instead. */
bool filters_add_count(struct screen *, const struct list_matches *, struct text *out);

/* The mildest severity that is shown, and whether all worse ones are. */
enum severity filters_threshold(const struct filters *, bool *whole);

/* Reads an expression.  NULL with the reason, which is empty if it is blank. */
struct filter_expr *filters_parse(const struct session *, const char *typed, struct text *why);
/* Reads what a person typed: an expression or, if it is none and not meant to be
 * one, a regular expression; !REGEX sets *EXCLUDE.  NULL as before. */
struct filter_expr *filters_read(const struct session *, const char *typed, bool *exclude,
				 struct text *why);

/* Whether the text of an expression is one regular expression, which needs no parentheses. */
bool filters_is_pattern(const char *text);

/* What the list would come to with ENTRY in the place of number AT, or as one
 * more.  NULL with the reason; without one, it is empty. */
struct filter_expr *filters_join(struct screen *, size_t at, const struct filter_entry *entry,
				 struct text *why);

/*
 * These say what is wrong, and return false then; nothing changed.
 * Expressions are taken over in any case.  What changes turns all filters on.
 */
bool filters_put(struct screen *, size_t at, struct filter_entry); /* AT or as one more */
bool filters_turn(struct screen *, size_t at);			   /* on or off */
bool filters_invert(struct screen *, size_t at);		   /* in or out */
void filters_drop(struct screen *, size_t at);
void filters_clear(struct screen *);
/* All of it as in SET, which is taken over; of that `combined` is not looked at. */
void filters_replace(struct screen *, struct filters set);
/* What was typed, in the place of number AT, or as one more; empty: none.  OUT:
 * what it holds for is hidden, not only with !REGEX. */
bool filters_type(struct screen *, size_t at, const char *typed, bool exclude);

/* An expression of the program's own as one more; says what is shown or, EXCLUDE, hidden by
 * it, and the key that undoes it. */
void filters_add(struct screen *, const char *expression, bool exclude);
/* Says that: WHAT became of the filters, which have just changed. */
void filters_say_change(struct screen *, bool exclude, const char *expression);

/* Ends the counting of each. */
void filters_uncount(struct screen *);

/* --- the list of names that one entry shows or hides ------------------- */

/* Whether messages whose field (origin, trace) has this name pass the entry that
 * lists names of it, if there is one that is on. */
bool filters_name_passes(const struct screen *, const char *field, const char *name);
/* Whether that entry shows this name and no other. */
bool filters_name_is_last(const struct screen *, const char *field, const char *name);
/* Hides messages of that name, or shows them again. */
void filters_name_toggle(struct screen *, const char *field, const char *name);
/* Shows them only. */
void filters_name_only(struct screen *, const char *field, const char *name);
/* Shows what is hidden by names, and the other way round; false if nothing is. */
bool filters_name_invert(struct screen *, const char *field);

#endif
