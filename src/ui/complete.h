/* Tab in the prompt: the names that may stand there. */
#ifndef TRAWL_UI_COMPLETE_H
#define TRAWL_UI_COMPLETE_H

struct area;
struct canvas;
struct screen;

/* Puts the next name that starts as what was typed; each call one further. */
void complete_next(struct screen *);

/* While a prompt is open: draws, over the last rows of the area above it, the names that Tab goes
 * through, and of a command what it does, or which commands begin so. */
void complete_draw(struct screen *, struct canvas *, const struct area *above);

#endif
