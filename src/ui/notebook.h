/*
 * A session that is kept: marks with their notes, the view, the filters, ties of
 * clocks, in a YAML file beside the capture.  Written when the user asks for it (:save),
 * read when it is there.
 */
#ifndef TRAWL_UI_NOTEBOOK_H
#define TRAWL_UI_NOTEBOOK_H

#include "base/option.h"
#include "command/command.h"

#include <stdbool.h>

struct screen;

struct notebook_mark {
	char *trace;	 /* its name */
	uint64_t offset; /* these two: struct message_id */
	uint64_t ordinal;
	char *letter; /* NULL: a bookmark */
	char *note;   /* or NULL */
};

struct notebook_filter {
	char *filter; /* an expression */
	bool hide;    /* what it holds for */
	bool off;
};

/* A message of a trace. */
struct notebook_place {
	char *trace;
	uint64_t offset, ordinal; /* struct message_id */
};

struct notebook {
	char *view;	  /* name or file, NULL: as usual */
	int severity;	  /* enum severity, 0 = all */
	bool unassigned;  /* messages without one are shown */
	char *severities; /* letters of those shown, where they are no threshold; or NULL */
	char *filter;	  /* as after `&`, or NULL */
	struct option_list filters; /* struct notebook_filter: what comes after that */
	struct option_list marks;   /* struct notebook_mark */
	struct option_list ties;    /* struct sync_options with two ends */
	bool has_place;
	struct notebook_place place; /* of the cursor */
};

extern const struct option_table notebook_options_table;

/* What of it is collected. */
enum notebook_part {
	NOTEBOOK_MARKS, /* marks and ties */
	NOTEBOOK_SAVED, /* the view and the filters, too */
	NOTEBOOK_ALL	/* and the place; filters of the command line are not in it */
};

/* Makes the screen as a session's file says, or as it was kept last time: all but the
 * place.  Filters only where the command line has none. */
void notebook_restore(struct screen *);

/* Goes to the place that was kept, if there is one. */
void notebook_go_to_place(struct screen *, const struct command_call *);

/* Merge into a notebook the marks and ties that another run has changed in the same file since
 * both read BASE.  A letter that both gave to different messages stays ours, and theirs becomes
 * a bookmark.  Return the number of marks and ties added. */
size_t notebook_merge(struct notebook *ours, const struct notebook *base,
		      const struct notebook *theirs);

/* Fills a notebook with what there is; to be released. */
void notebook_collect(struct screen *, enum notebook_part, struct notebook *);

#endif
