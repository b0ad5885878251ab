/*
 * The user's own highlights and keys, kept apart from views and key maps.  :highlight and
 * :key set them and can save them to own.yaml in the settings folder.  That file is read
 * at the start.  A new view, theme or key map leaves them unchanged.
 */
#ifndef TRAWL_UI_OWN_H
#define TRAWL_UI_OWN_H

#include "base/option.h"
#include "command/command.h"

struct screen;

struct own_key {
	char *key;     /* one sequence, for keys_parse */
	char *command; /* a line for keymap_bind_line */
};

struct own {
	struct option_list highlights; /* struct view_rule, before the rules of the view */
	struct option_list keys;       /* struct own_key; a later one wins */
};

extern const struct option_table own_options_table;

/* Record that the present lists were read from the file. */
struct ui_options;
void own_note_read(struct ui_options *);

/* Handlers of :highlight and :key.  Without an argument they list the entries. */
void own_highlight(struct screen *, const struct command_call *);
void own_key(struct screen *, const struct command_call *);

#endif
