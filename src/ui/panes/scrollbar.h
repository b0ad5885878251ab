/*
 * A column at the right edge of the list. It shows the part of the capture on the screen, and
 * the places of marks, matches and errors.
 */
#ifndef TRAWL_UI_SCROLLBAR_H
#define TRAWL_UI_SCROLLBAR_H

#include "base/vec.h"
#include "ui/screen/canvas.h"

#include <stdbool.h>

struct screen;
struct trace;

/* The state between two drawings; zeroed at the start. */
struct scrollbar {
	const struct trace *of; /* the trace of `errors` */
	unsigned generation;	/* epoch of the index */
	uint64_t size;		/* bytes of the capture */
	uint64_t next;		/* first cell not yet searched for errors */
	VEC(bool) errors;	/* per row */
};

void scrollbar_free(struct scrollbar *);

/* Draw the bar into an area of one column, for the trace with the list's cursor. */
void scrollbar_draw(struct screen *, struct scrollbar *, struct canvas *, const struct area *);

#endif
