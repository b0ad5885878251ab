/* Completion: Tab in the prompt inserts the names that fit there. */
#ifndef TRAWL_UI_COMPLETE_H
#define TRAWL_UI_COMPLETE_H

struct area;
struct canvas;
struct screen;

/* Insert the next name that starts with the typed text.  Each call moves on by one name. */
void complete_next(struct screen *);

/* Draw the help of an open prompt over the last rows of the area above it: the names that Tab steps
 * through, and the help of the typed command or the list of commands that match. */
void complete_draw(struct screen *, struct canvas *, const struct area *above);

#endif
