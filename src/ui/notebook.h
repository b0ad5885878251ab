/*
 * A session that is kept: marks with their notes, the view, the filters, ties of
 * clocks, in a YAML file beside the capture.  Written when the user asks for it (:save),
 * read when it is there.
 */
#ifndef TRAWL_UI_NOTEBOOK_H
#define TRAWL_UI_NOTEBOOK_H

#include "base/option.h"

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

struct notebook {
	char *view;	  /* name or file, NULL: as usual */
	int severity;	  /* enum severity, 0 = all */
	bool unassigned;  /* messages without one are shown */
	char *severities; /* letters of those shown, where they are no threshold; or NULL */
	char *filter;	  /* as after `&`, or NULL */
	struct option_list filters; /* struct notebook_filter: what comes after that */
	struct option_list marks;   /* struct notebook_mark */
	struct option_list ties;    /* struct sync_options with two ends */
};

extern const struct option_table notebook_options_table;

/* Makes the screen as ui_options.notebook says; its marks and ties only where no others
 * were kept. */
void notebook_restore(struct screen *);

/* Fills a notebook with the marks and ties there are, and, WHOLE, with the rest; to be
 * released. */
void notebook_collect(struct screen *, bool whole, struct notebook *);

#endif
