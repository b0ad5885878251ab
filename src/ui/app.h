/*
 * The screen with what its loop and its commands need beside what its parts share.
 */
#ifndef TRAWL_UI_APP_H
#define TRAWL_UI_APP_H

#include "ui/screen/screen.h"
#include "ui/ui.h"

struct app {
	struct screen screen; /* first: see app_of */
	struct ui_options *options;
	struct input *input;
	struct preview *preview;     /* of the filter that is typed in the prompt */
	struct ui_state *kept;	     /* what is kept of marks that are not saved */
	struct write_job *writing;   /* NULL: nothing */
	struct stop_when *stop_when; /* likewise */
	struct recording *recording; /* likewise */
	struct unnamed *unnamed;     /* likewise */
	struct misfit *misfit;	     /* likewise */
	char *view_name;	     /* that was chosen while running, or NULL */
	enum layout_mode layout_mode;
	bool zoom;
	bool warned; /* the last quit was refused, as marks would be lost */
	bool light;  /* the background that the theme is for */
	int split;

	/* of the loop */
	bool quick; /* the keys that are taken came soon after others, and only move */
	struct {
		struct layout layout;
		unsigned display_generation;
		enum pane_id focus;
		bool prompt;
	} painted;		 /* what the last paint was of */
	struct app_parts *parts; /* what the screen points to; owned */
	int notify;		 /* eventfd */
	int signals;		 /* see signals.h; -1: a still takes none */
	int rest;		 /* of a still: see jobs_rest_event; else -1 */
	unsigned refusals;	 /* of threads, that were said */
	uint64_t given_up;	 /* texts that patterns gave up on, when that was last said */
	bool left_out;		 /* it was said what does not hold of times */
	bool untied;		 /* it was said that not all clocks are tied */
	unsigned counting;	 /* how far matches were counted when it was last painted */
	int deadly;		 /* signal that ended it, or 0 */
};

/* What a screen is a part of. */
static inline struct app *
app_of(const struct screen *screen)
{
	return (struct app *)screen;
}

#endif
