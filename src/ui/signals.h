/*
 * Signals as something to read, while the screen runs.
 */
#ifndef TRAWL_UI_SIGNALS_H
#define TRAWL_UI_SIGNALS_H

#include <signal.h>

struct term;

/* Blocks what is caught; *BEFORE is the mask to be set again at the end.  A file
 * that is readable when a signal came. */
int signals_open(sigset_t *before);

/* Takes the next signal that came; 0: none. */
int signals_next(int file);

/* Lets a blocked signal do what it does without us. */
void signals_raise(int number);

/* Stops the program as Ctrl-Z does, with the terminal given back meanwhile. */
void signals_suspend(struct term *);

#endif
