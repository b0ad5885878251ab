/*
 * The preview of a filter while it is typed: its errors, the number of rows on the screen
 * that pass, and the number of messages in all.  Nothing is applied.
 */
#ifndef TRAWL_UI_PREVIEW_H
#define TRAWL_UI_PREVIEW_H

#include "ui/list/list_matches.h"
#include "ui/screen/canvas.h"

struct screen;

struct preview {
	bool on;		     /* a filter is being typed */
	struct text of;		     /* the typed text that the preview is for */
	bool pattern;		     /* the text is read as a regular expression */
	const char *note;	     /* a note on a surprising reading, or NULL */
	struct text trouble;	     /* the error, or empty */
	struct filter filter;	     /* owned; the new filter joined with the others */
	struct list_matches matches; /* of `filter` */
	size_t on_screen;	     /* number of rows that pass */
};

/* Update the preview to the typed text.  Called before each paint. */
void preview_follow(struct screen *);
void preview_free(struct preview *);

/* Draw the preview at the right end of the prompt's row, after column USED, if there is room. */
void preview_draw(struct screen *, struct canvas *, const struct area *, int used);

#endif
