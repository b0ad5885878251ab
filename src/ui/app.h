/*
 * The state of the screen, shared by its files.
 *
 * One loop (app.c) takes keys, signals and notifications, lets commands
 * change this state, and paints it when nothing else is waiting.
 */
#ifndef TRAWL_UI_APP_H
#define TRAWL_UI_APP_H

#include "command/keymap.h"
#include "ui/filters.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/log.h"
#include "ui/pane.h"
#include "ui/prompt/preview.h"
#include "ui/prompt/prompt.h"
#include "ui/list/range.h"
#include "ui/list/rules.h"
#include "ui/list/search.h"
#include "ui/state.h"
#include "ui/screen/term.h"
#include "ui/ui.h"
#include "ui/write.h"

struct session;

/* The message under the cursor with its fields; see app_selection. */
struct selection {
	bool valid;
	struct trace *trace;
	struct place place;
	unsigned generation;
	struct message message;
	struct expansion expansion;
};

/* Another way to read a trace; it is tried when the loop has ended. */
struct app_trial {
	struct trace *trace;  /* NULL: nothing is to be tried */
	const char *format;   /* NULL: as it was recognised */
	const char *settings; /* as in struct probe, or NULL */
	bool folder;	      /* the snapshot that it is a part of, instead of it */
};

struct app {
	struct session *session;
	struct ui_options *options;
	struct app_trial trial;
	struct term *term;
	struct canvas canvas;
	struct layout layout;
	enum text_charset charset;

	struct merge *merge; /* of all traces */
	struct list *lists;  /* one per trace, and one of all where there are several; owned */
	size_t list_count;
	size_t trace; /* number of the present list */
	struct list *list;
	unsigned generation;	    /* of its texts, when last looked at */
	unsigned filter_generation; /* of what the filter rests on, likewise */
	unsigned display_generation; /* counts up when rows may show something else */
	bool indexed;		    /* its index was complete then */
	bool counting;		    /* and matches were being counted */
	struct selection selection;
	struct context_cursor **contexts; /* per trace, made when needed; owned */
	struct field_row *context_rows;	  /* one per context, for the detail pane; owned */

	struct filters filters;
	struct filter filter; /* borrows their whole; what the lists obey */
	struct rules rules;   /* of the view */

	bool open[PANE_COUNT];
	bool hex_closed; /* the bytes are only shown as long as nothing is decoded */
	enum pane_id focus;
	void *state[PANE_COUNT];
	enum layout_mode layout_mode;
	bool zoom;
	int split;
	enum time_mode time_mode;

	/* keys so far of a command */
	struct keymap keymap;
	struct keys keys;
	uint64_t count;
	bool counted;
	unsigned refusals;	      /* of threads, that were said */
	bool paste_gap;		      /* a line ended in pasted text: a blank, if more comes */
	enum command_id wants_letter; /* COMMAND_COUNT: none */

	struct prompt prompt;
	struct preview preview; /* of the filter that is typed there */
	struct search search;
	struct jumps jumps;
	struct ui_state kept; /* what is kept of those that are not saved */
	struct range range;
	struct write_job *writing; /* NULL: nothing */
	char *view_name;	   /* that was chosen while running, or NULL */
	struct log log;		   /* of what was said */
	struct text message;	   /* for the last row, until the next key */
	bool trouble;		   /* it is an error */

	int notify;	   /* eventfd */
	int signals;	   /* signalfd */
	uint64_t given_up; /* texts that patterns gave up on, when that was last said */
	bool quit;
	int deadly; /* signal that ended it, or 0 */
};

/* Runs a command, or opens the prompt for the text it needs. */
void app_run(struct app *, struct command_call);
void app_key(struct app *, uint32_t key);

/* The handlers that belong to no pane. */
extern pane_command *const app_commands[COMMAND_COUNT];

/* Says something in the last row until the next key. */
void app_say(struct app *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void app_trouble(struct app *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The selected message, its fields expanded; NULL if there is none. */
const struct selection *app_selection(struct app *);

/* What the filters come to, be they on or off; NULL: nothing is filtered. */
const char *app_filter_text(const struct app *);

/* After a change of the filters. */
void app_refilter(struct app *);

/* Shows a trace, or all of them merged: the number of traces. */
void app_show_trace(struct app *, size_t trace);
void app_focus(struct app *, enum pane_id); /* the list: or what is in its place */

/* The pane that stands in the list's place: the list, unless nothing is decoded. */
enum pane_id app_base(const struct app *);

/* Reads a trace in another way.  What is shown is made anew; texts are copied. */
void app_try(struct app *, struct app_trial);

/* Makes the layout what the next paint will have. */
void app_place_panes(struct app *);
void app_suspend(struct app *);

/* The first and the last row (bars.c). */
void bars_draw_title(struct app *, struct canvas *, const struct area *);
void bars_draw_status(struct app *, struct canvas *, const struct area *);

/* Appends the letters of the severities that are shown. */
void bars_add_severities(const struct app *, struct text *out);

/* Appends a string as it may be shown on this terminal. */
void app_add_safe(const struct app *, const char *, struct text *out);

/* Appends how many matches there are, with a sign while there may be more; false if
 * there is no number yet, and words instead. */
bool bars_add_count(struct app *, const struct hits *, struct text *out);

/* A move by a command's count, never so large that adding it overflows. */
int64_t app_count(const struct command_call *);

#endif
