/*
 * The filters of the screen: the shown severities, and a list of expressions.  Each
 * expression shows or hides the messages that match it.  The list shows the messages that
 * pass all of them.
 */
#ifndef TRAWL_UI_FILTERS_H
#define TRAWL_UI_FILTERS_H

#include "base/vec.h"
#include "ui/list/list_matches.h"

struct screen;

struct filter_entry {
	struct filter_expr *expr; /* owned */
	bool exclude;		  /* hide matches; else hide all other messages */
	bool disabled;

	/* Its own count, while the pane is open: */
	struct list_matches matches;
	double seconds; /* the time that opening `matches` took */
};

struct filters {
	VEC(struct filter_entry) list;
	struct filter_expr *combined; /* all enabled entries together; owned, or NULL */
	uint16_t severities;	      /* bit set of the shown ones */
	bool disabled;		      /* all filters are off */
};

void filters_free(struct filters *);

/* Apply changed filters to the lists. */
void filters_apply(struct screen *);

/* Return true if the set of passing messages may have changed since the last call. */
bool filters_are_stale(struct screen *);

/* Return the combined filter, even if filters are off.  NULL if there is none. */
const char *filters_text(const struct screen *);

/* Append the severities that are shown, by their letters. */
void filters_add_severities(const struct screen *, struct text *out);

/* Append a description of the filters, even if they are off: `only ERROR+ seq = 70 without
 * origin in {"dma"}`.  Append nothing if all messages are shown. */
void filters_describe(const struct screen *, struct text *out);

/* Append the number of matches, with a sign if it may still grow.  Return false if no match is
 * known yet, and append words instead. */
bool filters_add_count(struct screen *, const struct list_matches *, struct text *out);

/* Return the mildest severity that is shown, or SEVERITY_NONE if all messages are.  Set *WHOLE if
 * all worse ones are shown too. */
enum severity filters_threshold(const struct filters *, bool *whole);

/* Parse an expression.  On error return NULL with the reason, which is empty for blank text. */
struct filter_expr *filters_parse(const struct session *, const char *typed, struct text *why);
/* Parse the user's input: an expression, or else a regular expression. !REGEX sets *EXCLUDE.
 * Errors as above. */
struct filter_expr *filters_read(const struct session *, const char *typed, bool *exclude,
				 struct text *why);

/* Return true if the expression is a single regular expression, which needs no parentheses. */
bool filters_is_pattern(const char *text);

/* Return the combined filter with ENTRY as number AT, or appended.  Return NULL with a reason on
 * error, or without one if there is no filter. */
struct filter_expr *filters_join(struct screen *, size_t at, const struct filter_entry *entry,
				 struct text *why);

/*
 * Functions that change the list.  Those that return a value show an error and return false
 * on failure, with nothing changed.  They take ownership of expressions, even on failure.
 * Each change turns all filters on.
 */
bool filters_put(struct screen *, size_t at, struct filter_entry); /* replace AT, or append */
bool filters_turn(struct screen *, size_t at);			   /* on or off */
bool filters_invert(struct screen *, size_t at);		   /* show or hide */
void filters_drop(struct screen *, size_t at);
void filters_clear(struct screen *);
/* Replace all filters with SET, and take ownership of it.  Its member `combined` is ignored. */
void filters_replace(struct screen *, struct filters set);
/* Parse the user's input and replace number AT with it, or append it.  Empty input removes the
 * entry.  With EXCLUDE, hide the matches even without !REGEX. */
bool filters_type(struct screen *, size_t at, const char *typed, bool exclude);

/* Append an expression of the program's own.  Show a notice of the change, with the key that
 * undoes it. */
void filters_add(struct screen *, const char *expression, bool exclude);
/* Show that notice after a change of the filters. */
void filters_say_change(struct screen *, bool exclude, const char *expression);

/* Stop counting for all entries. */
void filters_uncount(struct screen *);

/* --- the list of names that one entry shows or hides ------------------- */

/* Return true if messages with this name in FIELD (origin, trace) pass.  The enabled entry that
 * lists such names decides; without one, all pass. */
bool filters_name_passes(const struct screen *, const char *field, const char *name);
/* Return true if that entry shows this name and no other. */
bool filters_name_is_last(const struct screen *, const char *field, const char *name);
/* Hide messages of that name, or show them again. */
void filters_name_toggle(struct screen *, const char *field, const char *name);
/* Show only messages of that name. */
void filters_name_only(struct screen *, const char *field, const char *name);
/* Swap shown and hidden names.  Return false if no entry lists names of FIELD. */
bool filters_name_invert(struct screen *, const char *field);

#endif
