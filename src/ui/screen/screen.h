/*
 * The screen as its parts see it: what is shown and how, and a few verbs.
 *
 * The list, the panes and the prompt share this.  What a member points to is declared
 * in the header of its module, and a file that uses it includes that.  What belongs to the
 * loop alone is in ui/app.h.  All of it is of one thread.
 */
#ifndef TRAWL_UI_SCREEN_H
#define TRAWL_UI_SCREEN_H

#include "command/command.h"
#include "ui/screen/layout.h"

#include <string.h>

enum time_mode {
	TIME_ABSOLUTE,
	TIME_START,
	TIME_DELTA,
	TIME_MARK,
	TIME_TICKS,
	TIME_OWN, /* by the trace's own clock */
	TIME_MODES
};

struct screen;

/* What the loop does for the parts of the screen. */
struct screen_verbs {
	/* Runs a command, or opens the prompt for the text it needs. */
	void (*run)(struct screen *, struct command_call);
	/* Makes the layout what the next paint will have. */
	void (*place_panes)(struct screen *);
};

/* Another way to read a trace. */
struct screen_trial {
	struct trace *trace;  /* NULL: nothing is to be tried */
	const char *format;   /* NULL: as it was recognised */
	const char *settings; /* as in struct probe, or NULL */
	bool folder;	      /* the snapshot that it is a part of, instead of it */
	bool programs;	      /* all as they are, with their programs read again */
};

struct screen {
	struct session *session;
	const struct compare_request *compare; /* with which run it is compared, or NULL */
	struct sequence *sequence;	       /* of all traces */
	struct term *term;
	struct canvas *canvas; /* all of the screen */
	enum text_charset charset;
	const struct screen_verbs *verbs;

	/* which messages are shown */
	struct list *lists; /* one per trace, and one of all where there are several */
	size_t list_count;
	size_t trace;	       /* number of the present list, */
	struct list *list;     /* and that list */
	struct filter *filter; /* what the lists obey */
	struct filters *filters;
	struct filter_history *filter_history; /* owned, or NULL */
	struct search *search;
	struct jumps *jumps;
	struct range *range;
	struct wishes *wishes;
	struct selection *selection;
	struct context_view *contexts;
	struct flow_view *flow;
	unsigned generation;	     /* of the list's texts, when last looked at */
	unsigned filter_generation;  /* of what the filter rests on, likewise */
	unsigned display_generation; /* counts up when rows may show something else */
	bool indexed;		     /* the list's index was complete then */

	/* how they are shown */
	const struct view *view;
	struct rules *rules; /* of the view */
	struct keymap *keymap;
	enum time_mode time_mode;

	/* the panes */
	const struct pane_ops *const *panes; /* PANE_COUNT of them */
	void *state[PANE_COUNT];	     /* of each its own */
	bool open[PANE_COUNT];
	bool hex_closed; /* the bytes are only shown as long as nothing is decoded */
	enum pane_id focus;
	struct layout layout;
	struct prompt *prompt;

	/* what was said */
	struct log *log;
	struct text message; /* for the last row, until the next key */
	bool is_error;
	bool is_answer;	    /* to the last key: no notice takes its place */
	struct text notice; /* that comes when the answer goes */

	bool frozen; /* what comes is read, but not adopted */

	/* what ends the loop */
	struct screen_trial trial; /* to be tried; its texts are owned */
	bool quit;
};

/* Show a notice in the last row until the next key, and add it to the log.  NOTICE is an id of
 * base/notice.h, its arguments follow. */
void screen_say(struct screen *, const char *notice, ...) __attribute__((format(printf, 2, 3)));
void screen_error(struct screen *, const char *notice, ...) __attribute__((format(printf, 2, 3)));

/* Add a notice that no key asked for to the log.  The last row shows the newest of them once
 * the answer to the last key is gone. */
void screen_notice(struct screen *, const char *notice, ...) __attribute__((format(printf, 2, 3)));

/* Add a notice to the log alone. */
void screen_log(struct screen *, const char *notice, ...) __attribute__((format(printf, 2, 3)));

/* Shows it, if no answer stands there. */
void screen_show_notice(struct screen *);

/* One that waits comes no more: what it advises is done by now.  The log has it. */
void screen_drop_notice(struct screen *);

/* See struct screen_verbs. */
void screen_run(struct screen *, struct command_call);
void screen_place_panes(struct screen *);

/* Asks for a trace to be read in another way, when the key that is taken is done.  What
 * is shown is made anew then.  Texts are copied. */
void screen_try(struct screen *, struct screen_trial);
void screen_forget_trial(struct screen *);

/* Whether the loop goes on. */
static inline bool
screen_is_running(const struct screen *screen)
{
	return !screen->quit && !screen->trial.trace;
}

#endif
