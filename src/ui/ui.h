/*
 * The screen, as main sees it.
 */
#ifndef TRAWL_UI_UI_H
#define TRAWL_UI_UI_H

#include "query/filter/filter.h"
#include "trace/trace.h"
#include "ui/looks.h"
#include "ui/notebook.h"
#include "ui/own.h"

struct compare_request;
struct session;
struct still;

enum { UI_AROUND_MAX = 50 };

struct ui_options {
	const char *session_name; /* its file, for the title; NULL: it has none */
	const char *command;	  /* the command line that opens the same files, for a shell */
	const struct compare_request *compare; /* with another run, which is BAD; or NULL */
	struct looks looks;
	struct own own;	      /* see own.h */
	struct own own_saved; /* as it was read or saved last */
	const char *own_path; /* its file, which need not be there; NULL: it has no place */
	const char *source;   /* names of the traces in the list; NULL: all */
	struct filter filter; /* at the start; copied */
	unsigned around;      /* messages shown round those that pass */
	const struct notebook *notebook; /* to be restored, or NULL */
	const char *notebook_path;	 /* where :save writes, or NULL */
	bool notebook_given;		 /* the user named it */
	const char *state_dir; /* see state.h; "": there can be none, NULL: none is to be */
	const char *trouble;   /* to be said at the start, or NULL */
	bool ascii;	       /* the terminal shows nothing but ASCII */
	/* Each +COMMAND, without the plus: typed at the start, or for a still one by one, each
	 * when the screen is settled.  ui_run() takes them off. */
	const char *const *commands;
	size_t command_count;
	bool follow;	     /* from the start, as F does */
	struct still *still; /* takes a picture instead of a terminal; or NULL */

	/* Loads one part of the looks by a name or from a file; for LOOKS_PARTS
	 * all that a file says, or, WHAT being NULL, all from where it came.
	 * On error the looks stay as they are. */
	int (*load)(void *context, enum looks_part, const char *what, struct looks *, struct err *);
	/* Reads the theme again, where the user chose none: that one suits the terminal. */
	int (*suit)(void *context, const char *theme, struct looks *, struct err *);
	/* Appends the I-th name there is for a part; false behind the last. */
	bool (*name)(void *context, enum looks_part, size_t i, struct text *);
	void *load_context;

	/* Fills an object, which need not be initialised, from a file of that table. */
	int (*load_yaml)(const char *path, const struct option_table *, void *object, struct err *);
	/* Says a line when the terminal is no longer the screen's. */
	void (*complain)(const char *line);
};

/*
 * Shows the session until the user quits, or until a still shows all that the captures
 * have now.  The first screen comes before session_start(), which this calls;
 * session_notify() is this function's while it runs.  Return 0; 1 if a file was not written
 * because the user quit or its writing failed then, which complain() says; negative with a
 * reason if there is no usable terminal.  What follows is noted in the session: SIGTERM and
 * SIGHUP end the screen, and so does Enter on a part of a snapshot.
 */
int ui_run(struct session *, struct ui_options *, struct err *);

#endif
