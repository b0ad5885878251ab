/*
 * The screen, as main sees it.
 */
#ifndef TRAWL_UI_UI_H
#define TRAWL_UI_UI_H

#include "query/filter.h"
#include "trace/trace.h"
#include "ui/theme.h"
#include "ui/view.h"

struct ui_options {
	struct view view;
	struct theme theme;
	struct filter filter;	     /* at the start; copied */
	bool ascii;		     /* the terminal shows nothing but ASCII */
	const char *const *commands; /* each +COMMAND, without the plus: typed at the start */
	size_t command_count;
	bool follow; /* from the start, as F does */

	/* Loads view and theme again, as R asks for; NULL: cannot.  On error
	 * they stay as they are. */
	int (*reload)(void *context, struct view *, struct theme *, struct err *);
	void *reload_context;
};

/*
 * Shows the session until the user quits.  The first screen comes before
 * trace_start() of the traces, which this calls; session->notify is this
 * function's while it runs.  Negative with a reason if there is no usable
 * terminal; ends by the signal itself on SIGTERM and SIGHUP, the terminal
 * restored.
 */
int ui_run(struct session *, struct ui_options *, struct err *);

#endif
