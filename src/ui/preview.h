/*
 * What a filter would show while it is typed: whether it is one, how many of
 * the rows on the screen pass, and how many messages in all.  Nothing is
 * applied.
 */
#ifndef TRAWL_UI_PREVIEW_H
#define TRAWL_UI_PREVIEW_H

#include "ui/list/list_matches.h"
#include "ui/screen/canvas.h"

struct screen;

struct preview {
	bool on;		     /* the prompt asks for a filter */
	struct text of;		     /* what was typed when it was made */
	bool pattern;		     /* it is read as a regular expression */
	const char *note;	     /* what may surprise in it, or NULL */
	struct text trouble;	     /* what is wrong with it, or empty */
	struct filter filter;	     /* owned: with all others */
	struct list_matches matches; /* of it */
	size_t on_screen;	     /* rows that pass */
};

/* Before painting: whatever may have been typed. */
void preview_follow(struct screen *);
void preview_free(struct preview *);

/* Draws it at the end of the prompt's row, behind column USED, if there is room. */
void preview_draw(struct screen *, struct canvas *, const struct area *, int used);

#endif
