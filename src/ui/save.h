/*
 * Save the session to a file of the user.
 */
#ifndef TRAWL_UI_SAVE_H
#define TRAWL_UI_SAVE_H

struct command_call;
struct screen;

/* Handler of :save. */
void save_session(struct screen *, const struct command_call *);

#endif
