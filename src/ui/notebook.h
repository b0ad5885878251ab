/*
 * A notebook: marks with notes, the view, the filters and the ties of clocks, in a YAML
 * file next to the capture.  :save writes it.  It is read at the start if it exists.
 */
#ifndef TRAWL_UI_NOTEBOOK_H
#define TRAWL_UI_NOTEBOOK_H

#include "base/option.h"
#include "command/command.h"

#include <stdbool.h>

struct screen;

struct notebook_mark {
	char *trace;
	uint64_t offset; /* with `ordinal` a struct message_id */
	uint64_t ordinal;
	char *letter; /* NULL: a bookmark */
	char *note;   /* or NULL */
};

struct notebook_filter {
	char *filter; /* an expression */
	bool hide;    /* hide the messages that pass; else hide all others */
	bool off;
};

/* A message of a trace. */
struct notebook_place {
	char *trace;
	uint64_t offset, ordinal; /* a struct message_id */
};

struct notebook {
	char *view;	  /* name or file; NULL: none chosen */
	int severity;	  /* enum severity, 0 = all */
	bool unassigned;  /* show messages without a severity */
	char *severities; /* letters of the severities shown, if they are no threshold; or NULL */
	char *filter;	  /* as typed after `&`, or NULL */
	struct option_list filters; /* struct notebook_filter, added after `filter` */
	struct option_list marks;   /* struct notebook_mark */
	struct option_list ties;    /* struct sync_options with two ends */
	bool has_place;
	struct notebook_place place; /* of the cursor */
};

extern const struct option_table notebook_options_table;

/* The part of a notebook to collect. */
enum notebook_part {
	NOTEBOOK_MARKS, /* marks and ties */
	NOTEBOOK_SAVED, /* also the view and the filters */
	NOTEBOOK_ALL	/* also the place; without filters of the command line */
};

/* Restore the state of the last run, or else of the session's file: all but the place.  Restore
 * filters only if the command line has none. */
void notebook_restore(struct screen *);

/* Go to the restored place, if there is one. */
void notebook_go_to_place(struct screen *);

/* Merge into OURS the marks and ties that another run changed in the file since both read BASE.  If
 * both gave a letter to different messages, it stays ours, and their mark becomes a bookmark.
 * Return the number of marks and ties added. */
size_t notebook_merge(struct notebook *ours, const struct notebook *base,
		      const struct notebook *theirs);

/* Fill a notebook with the current state.  The caller releases it. */
void notebook_collect(struct screen *, enum notebook_part, struct notebook *);

#endif
