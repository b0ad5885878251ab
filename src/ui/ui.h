/*
 * The interface of the screen for main().
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
	const char *session_name;	       /* the session's file, for the title; or NULL */
	const char *command;		       /* shell command that opens the same files */
	const struct compare_request *compare; /* with GOOD, this run is BAD; or NULL */
	struct looks looks;
	struct own own;	      /* see own.h */
	struct own own_saved; /* as last read or saved */
	const char *own_path; /* its file, which may not exist yet; NULL: no folder for it */
	const char *source;   /* names of the traces in the list; NULL: all */
	struct filter filter; /* at the start; copied */
	unsigned around;      /* messages shown before and after each match */
	const struct notebook *notebook; /* to restore, or NULL */
	const char *notebook_path;	 /* default file of :save, or NULL */
	const char *read_only;		 /* why no state is kept, or NULL */
	struct notebook *collect;	 /* filled in at the end; NULL: not */
	bool notebook_given;		 /* the user named the file */
	const char *state_dir;		 /* see state.h; "": no home folder; NULL: keep no state */
	const char *trouble;		 /* error to report at the start, or NULL */
	bool ascii;			 /* the terminal shows only ASCII */
	/* Each +COMMAND, without the plus, to be typed at the start.  A still types the next one
	 * each time the screen is settled.  The list shrinks as ui_run() takes them. */
	const char *const *commands;
	size_t command_count;
	bool follow;	     /* follow the captures from the start, as F does */
	struct still *still; /* makes a picture; NULL: use the terminal */

	/* Load one part of the looks by name or from a file.  LOOKS_PARTS loads all parts that the
	 * file WHAT contains.  If WHAT is NULL, it loads all of them from their sources again.  On
	 * error the looks keep their values. */
	int (*load)(void *context, enum looks_part, const char *what, struct looks *, struct err *);
	/* Load THEME, which suits the terminal, unless the user chose a theme. */
	int (*suit)(void *context, const char *theme, struct looks *, struct err *);
	/* Append name I of a part.  Return false past the last one. */
	bool (*name)(void *context, enum looks_part, size_t i, struct text *);
	void *load_context;

	/* Fill an object from a YAML file with that table.  It need not be initialised. */
	int (*load_yaml)(const char *path, const struct option_table *, void *object, struct err *);
	/* Print a line after the screen has released the terminal. */
	void (*complain)(const char *line);
};

/*
 * Show the session until the user quits, or until a still shows all that the captures
 * contain now.  The first paint comes before session_start(), which this function calls.
 * It uses session_notify() while it runs.  SIGTERM, SIGHUP and Enter on a part of a
 * snapshot end the screen, too; the session records that for the caller.
 *
 * Return 0, or 1 if a file was not written because the user quit or writing failed at the
 * end; complain() prints the reason.  Return a negative error with the reason if no
 * terminal is usable.
 */
int ui_run(struct session *, struct ui_options *, struct err *);

#endif
