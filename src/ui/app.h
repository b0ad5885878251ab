/*
 * The screen, and the state that only its loop and its commands use.
 */
#ifndef TRAWL_UI_APP_H
#define TRAWL_UI_APP_H

#include "ui/screen/screen.h"
#include "ui/ui.h"

struct app {
	struct screen screen; /* first: see app_of */
	struct ui_options *options;
	struct input *input;
	struct preview *preview;     /* of the filter being typed in the prompt */
	struct ui_state *kept;	     /* the state kept between runs */
	struct write_job *writing;   /* NULL: no file is being written */
	struct stop_when *stop_when; /* NULL: not set */
	struct recording *recording; /* NULL: off */
	struct text checked;	     /* the last filter checked for unknown names */
	struct unnamed *unnamed;     /* NULL before the first poll */
	struct misfit *misfit;	     /* NULL before the first poll */
	char *view_name;	     /* the view chosen while running, or NULL */
	enum layout_mode layout_mode;
	bool zoom;
	bool warned;		  /* the last quit was refused: marks or a file would be lost */
	bool opened;		  /* a pane was opened by a command */
	bool asked;		  /* the last key was a q that asked for another */
	struct command_call last; /* for the command `repeat`; count 0: none */
	bool light;		  /* the theme is for a light background */
	int split;

	/* used by the loop alone */
	bool quick; /* the keys just taken follow others quickly and only move the cursor */
	struct {
		struct layout layout;
		unsigned display_generation;
		enum pane_id focus;
		bool prompt;
	} painted;		 /* the state at the last paint */
	struct app_parts *parts; /* the memory that the screen points to; owned */
	int notify;		 /* eventfd */
	int signals;		 /* a signalfd, see signals.h; -1 for a still */
	int rest;		 /* for a still, see jobs_rest_event; else -1 */
	unsigned refusals;	 /* refused threads already reported */
	uint64_t given_up;	 /* texts that patterns gave up on, at the last report */
	bool left_out;		 /* the limits of the times were reported */
	bool untied;		 /* untied clocks were reported */
	unsigned counting;	 /* counting_now() at the last paint */
	int deadly;		 /* signal that ended the loop, or 0 */
};

/* Return the app that contains SCREEN. */
static inline struct app *
app_of(const struct screen *screen)
{
	return (struct app *)screen;
}

#endif
