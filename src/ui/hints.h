/*
 * What is said of keys: how a sequence that was begun goes on, and where a key that means
 * nothing here means something.
 */
#ifndef TRAWL_UI_HINTS_H
#define TRAWL_UI_HINTS_H

#include "command/keymap.h"

struct screen;

/* Appends what may follow the keys in the pane with the cursor, in at most so many columns as
 * far as words are concerned; false if nothing may.  *MENU: see card.h. */
bool hints_add_continuations(const struct screen *, const struct keys *, int columns, bool *menu,
			     struct text *out);

/* Appends what a letter after the keys of a command does: that command takes one. */
void hints_add_letters(const struct screen *, enum command_id, struct text *out);

/* Says that the keys mean nothing here, and what is near. */
void hints_say_no_key(struct screen *, const struct keys *);

/* An open pane that shows something of the list's message, and in which the keys mean what
 * they do not in the pane with the cursor; PANE_COUNT: none is. */
int hints_find_pane(const struct screen *, const struct keys *, enum keymap_answer *,
		    enum command_id *);

#endif
