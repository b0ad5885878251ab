/* Tab in the prompt: the names that may stand there. */
#ifndef TRAWL_UI_COMPLETE_H
#define TRAWL_UI_COMPLETE_H

struct screen;

/* Puts the next name that starts as what was typed; each call one further. */
void complete_next(struct screen *);

#endif
