/*
 * The parts of a screen: its filters, jumps, marks and lists.  They need a session but no
 * terminal.  Reading a trace in another way (screen_try) closes and opens them again.
 */
#ifndef TRAWL_UI_PARTS_H
#define TRAWL_UI_PARTS_H

struct app;

/* Create the parts and lists of APP.  Its session and its options must be set.  Nothing is filtered
 * or restored yet. */
void parts_open(struct app *app);

/* Free the parts.  The session must still be open. */
void parts_close(struct app *app);

#endif
