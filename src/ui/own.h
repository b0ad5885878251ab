/*
 * Highlights and keys of the user's own, beside those of views and key maps: what :highlight and
 * :key set, and what these keep in own.yaml in the user's folder of settings, which is read at
 * the start.  A new view, theme or key map leaves them.
 */
#ifndef TRAWL_UI_OWN_H
#define TRAWL_UI_OWN_H

#include "base/option.h"
#include "command/command.h"

struct screen;

struct own_key {
	char *key;     /* one sequence, as keys_parse reads it */
	char *command; /* as keymap_bind_line reads it */
};

struct own {
	struct option_list highlights; /* struct view_rule; before the rules of the view */
	struct option_list keys;       /* struct own_key; a later one wins */
};

extern const struct option_table own_options_table;

/* Remember the lists as they are in the file now. */
struct ui_options;
void own_note_saved(struct ui_options *);

/* :highlight and :key: without a text they say which there are. */
void own_highlight(struct screen *, const struct command_call *);
void own_key(struct screen *, const struct command_call *);

#endif
