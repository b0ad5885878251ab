/*
 * The screen as its parts see it: its contents, its settings and a few verbs.
 *
 * The list, the panes and the prompt share this.  The header of each module
 * declares the type that a pointer here points to; a file that uses the type
 * includes that header.  The loop's private state is in ui/app.h.  Everything
 * belongs to one thread.
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
	TIME_OWN, /* on the trace's own clock */
	TIME_MODES
};

struct screen;

/* Functions of the loop for the parts of the screen. */
struct screen_verbs {
	/* Run a command, or open the prompt for the text it needs. */
	void (*run)(struct screen *, struct command_call);
	/* Compute the layout of the next paint. */
	void (*place_panes)(struct screen *);
};

/* Another way to read a trace. */
struct screen_trial {
	struct trace *trace;  /* NULL: nothing to try */
	const char *format;   /* NULL: the recognised one */
	const char *settings; /* as in struct probe, or NULL */
	bool folder;	      /* read the snapshot that contains the trace instead */
	bool programs;	      /* keep everything, but read the programs again */
};

struct screen {
	struct session *session;
	const struct compare_request *compare; /* run to compare with, or NULL */
	struct sequence *sequence;	       /* of all traces */
	struct term *term;
	struct canvas *canvas; /* the whole screen */
	enum text_charset charset;
	const struct screen_verbs *verbs;

	/* messages in the list */
	struct list *lists; /* one per trace; with several traces also one of all */
	size_t list_count;
	size_t trace;	       /* index of the current list in `lists` */
	struct list *list;     /* current list */
	struct filter *filter; /* filter of the lists */
	struct filters *filters;
	struct filter_history *filter_history; /* owned, or NULL */
	struct search *search;
	struct jumps *jumps;
	struct range *range;
	struct waiting_queue *waiting;
	struct selection *selection;
	struct context_view *contexts;
	struct flow_view *flow;
	uint64_t generation;	     /* epoch of the list's texts at the last check */
	uint64_t filter_generation;  /* epoch of the filter's basis at the last check */
	unsigned display_generation; /* goes up when rows may show something else */
	bool indexed;		     /* the list's index was complete at the last check */

	/* display */
	const struct view *view;
	struct rules *rules; /* of the view */
	struct keymap *keymap;
	enum time_mode time_mode;

	/* the panes */
	const struct pane_ops *const *panes; /* PANE_COUNT entries */
	void *state[PANE_COUNT];	     /* private state of each pane */
	bool open[PANE_COUNT];
	bool hex_closed; /* the hex pane is open only while nothing is decoded */
	enum pane_id focus;
	enum pane_id focus_before; /* the pane that had the cursor before */
	struct layout layout;
	struct prompt *prompt;

	/* notices */
	struct log *log;
	struct text message; /* text of the last row, until the next key */
	bool is_error;
	bool is_answer;	    /* it answers the last key: no notice replaces it */
	struct text notice; /* shown once the answer is gone */

	bool frozen; /* new bytes are read, but not shown */

	/* end of the loop */
	struct screen_trial trial; /* next trial; owns its texts */
	bool quit;
};

/* Show a notice in the last row until the next key, and add it to the log.  NOTICE is an id of
 * base/notice.h, its arguments follow. */
void screen_say(struct screen *, const char *notice, ...) __attribute__((format(printf, 2, 3)));
void screen_error(struct screen *, const char *notice, ...) __attribute__((format(printf, 2, 3)));

/* Add a notice that answers no key to the log.  The last row shows the newest such notice once
 * the answer to the last key is gone. */
void screen_notice(struct screen *, const char *notice, ...) __attribute__((format(printf, 2, 3)));

/* Add a notice to the log alone. */
void screen_log(struct screen *, const char *notice, ...) __attribute__((format(printf, 2, 3)));

/* Show the waiting notice, unless the last row has an answer. */
void screen_show_notice(struct screen *);

/* Drop the waiting notice, because its advice is already done.  The log keeps it. */
void screen_drop_notice(struct screen *);

/* See struct screen_verbs. */
void screen_run(struct screen *, struct command_call);
void screen_place_panes(struct screen *);

/* Request to read a trace in another way once the current key is handled.  That rebuilds the
 * screen.  Texts are copied. */
void screen_try(struct screen *, struct screen_trial);
void screen_forget_trial(struct screen *);

/* True while the loop goes on. */
static inline bool
screen_is_running(const struct screen *screen)
{
	return !screen->quit && !screen->trial.trace;
}

#endif
