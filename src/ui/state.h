/*
 * The state of a session: marks, filters, view and place.  It is kept at the end of a run
 * and restored when the same captures are opened again.
 *
 * Each set of captures has one file in a folder of the user.  The file has the format of a
 * session, plus data that identifies its captures.  :save supersedes it: the file exists
 * only while part of the state is saved nowhere else and differs from the default.
 */
#ifndef TRAWL_UI_STATE_H
#define TRAWL_UI_STATE_H

#include "base/err.h"
#include "query/filter/filter.h"
#include "ui/notebook.h"

struct state_capture {
	char *file; /* full path */
	uint64_t size;
	char *samples; /* checksums of the first, middle and last 64 KiB */
};

/* The content of a state file. */
struct state_file {
	struct option_list captures; /* struct state_capture, in the session's order */
	struct notebook notebook;    /* NOTEBOOK_ALL */
};

extern const struct option_table state_options_table;

/* The state of the open session. */
struct ui_state {
	char *path;		/* the state file; NULL: nothing is kept */
	const char *reason;	/* why nothing can be kept, or NULL */
	struct state_file was;	/* the state of the last run; unused if it has no captures */
	bool unchecked;		/* the marks of `was` may have no messages */
	struct filter restored; /* restored filters that may hide every message; or none */
	bool filters_saved;	/* :save wrote the filters of the command line, too */
	struct notebook saved;	/* the session's file as last read or saved */
	struct text same;	/* marks and ties as last restored or saved, as YAML */
	struct text usual;	/* the whole state before the restore, as YAML */
	struct text kept;	/* the whole state as last restored or saved, as YAML */
};

/* Restore the state kept for these captures, or else the session's file. */
void state_restore(struct screen *);

/* Go to the kept place, unless the user named another. */
void state_restore_place(struct screen *);

/* Drop restored marks that have no message, and restored filters that no message passes, and report
 * that.  Happens once, when the indexes are complete. */
void state_check(struct screen *);

/* True if there are marks or ties that are saved nowhere. */
bool state_is_unsaved(struct screen *);

/* True if state_keep can keep marks and ties. */
bool state_can_keep(const struct screen *);

/* Merge the changes that another run saved in the session's file since this one read or saved
 * it. */
void state_merge_saved(struct screen *, const char *path, struct notebook *);

/* Record that NOTEBOOK was written to the session's file. */
void state_saved(struct screen *, const struct notebook *);

/* Keep the unsaved state at the end.  Return 0, or negative with the reason. */
int state_keep(struct screen *, struct err *);

/* True if this is probably the user's first run.  The call records the run: later calls return
 * false. */
bool state_is_first_run(const struct screen *);

void state_free(struct ui_state *);

#endif
