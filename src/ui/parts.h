/*
 * What a screen points to, from one start to the next: its filters, jumps, marks and
 * lists.  They need a session but no terminal.
 */
#ifndef TRAWL_UI_PARTS_H
#define TRAWL_UI_PARTS_H

struct app;

/* Makes the parts and the lists of APP's screen, which has its session, and of APP, which
 * has its options.  Nothing is filtered or restored yet. */
void parts_open(struct app *app);

/* Frees them; the session must still be open. */
void parts_close(struct app *app);

#endif
