/*
 * What was marked, shown and looked at: kept at the end, and back when the same captures
 * are opened again.
 *
 * A file for each set of captures, in a folder of the user's, in the form of a session
 * with what tells its captures from others.  What :save writes takes its place: the
 * file is there only while something of a session is nowhere else and not as usual.
 */
#ifndef TRAWL_UI_STATE_H
#define TRAWL_UI_STATE_H

#include "base/err.h"
#include "ui/notebook.h"

struct state_capture {
	char *file; /* its whole path */
	uint64_t size;
	char *samples; /* checksums of some of so many bytes */
};

/* What such a file says. */
struct state_file {
	struct option_list captures; /* struct state_capture, in the session's order */
	struct notebook notebook;    /* NOTEBOOK_ALL */
};

extern const struct option_table state_options_table;

/* The state of the session that is open. */
struct ui_state {
	char *path;	       /* NULL: nothing is kept */
	const char *reason;    /* why that cannot be; NULL: it can, or is not asked for */
	struct state_file was; /* last time; without captures: nothing is used of it */
	bool unchecked;	       /* whether its marks have messages */
	struct notebook saved; /* the session's file as it was read or saved last */
	struct text same;      /* marks and ties as they are kept somewhere */
	struct text usual;     /* all of it before anything was put back, as YAML */
	struct text kept;      /* and after that */
};

/* Puts back what was kept of these captures, or what the session's file has. */
void state_restore(struct screen *);

/* Goes to the place that was kept, where the user names no other. */
void state_restore_place(struct screen *);

/* Drops marks put back that no message has, and says how many; once, as the messages
 * are known. */
void state_check(struct screen *);

/* Whether there are marks or ties that are kept nowhere. */
bool state_is_unsaved(struct screen *);

/* Whether state_keep can keep them. */
bool state_can_keep(const struct screen *);

/* Merge the changes that another run saved in the session's file since this one read or saved
 * it. */
void state_merge_saved(struct screen *, const char *path, struct notebook *);

/* After NOTEBOOK was written to the session's file. */
void state_saved(struct screen *, const struct notebook *);

/* Keeps what is unsaved, at the end.  0, or negative with the reason. */
int state_keep(struct screen *, struct err *);

/* Whether the user runs the program for the first time, as far as can be known; by this call
 * it is known from then on. */
bool state_is_first_run(const struct screen *);

void state_free(struct ui_state *);

#endif
