/*
 * Hints about keys: the possible continuations of a key sequence, and the pane in which a
 * key works that does nothing here.
 */
#ifndef TRAWL_UI_HINTS_H
#define TRAWL_UI_HINTS_H

#include "command/keymap.h"

struct screen;

/* Append the possible continuations of the keys in the pane with the cursor.  COLUMNS limits the
 * descriptive words.  Return false if there are none.  *MENU: see card.h. */
bool hints_add_continuations(const struct screen *, const struct keys *, int columns, bool *menu,
			     struct text *out);

/* Append the help of a command that takes a letter, and for a jump the marks that exist. */
void hints_add_letters(const struct screen *, enum command_id, struct text *out);

/* Report that the keys have no command here, and suggest a way on. */
void hints_say_no_key(struct screen *, const struct keys *);

/* For keys without a command in the pane with the cursor: find an open pane that follows the list's
 * message and has one.  Return PANE_COUNT if there is none. */
int hints_find_pane(const struct screen *, const struct keys *, enum keymap_answer *,
		    enum command_id *);

#endif
