/* Tab in the prompt: the names that may stand there. */
#ifndef TRAWL_UI_COMPLETE_H
#define TRAWL_UI_COMPLETE_H

struct area;
struct canvas;
struct screen;

/* Puts the next name that starts as what was typed; each call one further. */
void complete_next(struct screen *);

/* While a command is typed: draws over the first row of the area what the command does, or
 * which commands begin so. */
void complete_draw(struct screen *, struct canvas *, const struct area *);

#endif
