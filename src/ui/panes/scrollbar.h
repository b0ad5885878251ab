/*
 * A column at the right of the list: which part of the capture is on the screen,
 * and where in it marks, matches and errors are.
 */
#ifndef TRAWL_UI_SCROLLBAR_H
#define TRAWL_UI_SCROLLBAR_H

#include "base/vec.h"
#include "ui/screen/canvas.h"

#include <stdbool.h>

struct screen;
struct trace;

/* What is kept from one drawing to the next; zeroed at the start. */
struct scrollbar {
	const struct trace *of; /* the errors are of this trace, */
	unsigned generation;	/* of its index, */
	uint64_t size;		/* for so many bytes */
	uint64_t next;		/* and of the cells before this one */
	VEC(bool) errors;	/* in each row */
};

void scrollbar_free(struct scrollbar *);

/* Draws it into an area of one column, for the trace of the list's cursor. */
void scrollbar_draw(struct screen *, struct scrollbar *, struct canvas *, const struct area *);

#endif
