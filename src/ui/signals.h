/*
 * Signals through a file descriptor, while the screen runs.
 */
#ifndef TRAWL_UI_SIGNALS_H
#define TRAWL_UI_SIGNALS_H

#include <signal.h>

struct term;

/* Block the signals that the screen handles.  Set *BEFORE to the old mask, to be restored at the
 * end.  Return a descriptor that is readable when a signal has come. */
int signals_open(sigset_t *before);

/* Take the next signal.  Return 0 if there is none. */
int signals_next(int file);

/* Raise a blocked signal with its default action. */
void signals_raise(int number);

/* Stop the program as Ctrl-Z does.  The terminal is released until the program continues. */
void signals_suspend(struct term *);

#endif
