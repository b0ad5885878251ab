/*
 * The commands that keys run, in each scope.
 *
 * A map starts with the defaults (command.def) and can change.  A later binding of the same keys
 * in the same scope replaces the earlier one.  The bindings of a pane win over those for all
 * panes.
 */
#ifndef TRAWL_COMMAND_KEYMAP_H
#define TRAWL_COMMAND_KEYMAP_H

#include "base/err.h"
#include "base/option.h"
#include "base/vec.h"
#include "command/command.h"
#include "command/keys.h"

struct binding {
	struct keys keys;
	enum command_scope scope;
	enum command_id command;
	/* Owned.  If not NULL, the command is COMMAND_COMMAND, which runs this line. */
	char *line;
};

/* Zero-initialise, or call keymap_standard.  Free with keymap_free. */
struct keymap {
	VEC(struct binding) bindings;
};

enum keymap_answer {
	KEYMAP_NONE,   /* no binding starts with these keys */
	KEYMAP_PREFIX, /* a binding starts with these keys: wait for the next one */
	KEYMAP_FOUND
};

/* The contents of a user's file (keys/NAME.yaml): the keys of commands, alternatives separated
 * by a blank.  NULL: the default; "none": no keys. */
struct keymap_options {
	char *keys[COMMAND_COUNT];
};
extern const struct option_table keymap_options_table;

void keymap_standard(struct keymap *); /* adds all defaults */
/* Make the defaults with OPTIONS over them.  A command mentioned there has only these keys, and
 * other commands lose them. */
void keymap_make(struct keymap *, const struct keymap_options *);
void keymap_free(struct keymap *);

/* Bind the keys written in TEXT. */
int keymap_bind(struct keymap *, enum command_scope, const char *text, size_t length,
		enum command_id, struct err *);

/*
 * Bind the keys written in KEY to LINE: a command as typed after `:`, or a prompt's input after
 * its `/`, `?` or `&`.  Both must be valid (keymap_check_key, keymap_check_line).  A bare name
 * becomes that command.  Clashing bindings of the same scope are removed, and those of the list if
 * LINE is for all panes.  Append the names of their commands to WAS, separated by commas.
 */
void keymap_bind_line(struct keymap *, const char *key, const char *line, struct text *was);

/* Check one sequence of keys, or such a line, for option tables. */
const char *keymap_check_key(const char *text, char buffer[static 256]);
const char *keymap_check_line(const char *text, char buffer[static 256]);

/* Look up keys in a scope, then in SCOPE_ANY. */
enum keymap_answer keymap_look(const struct keymap *, enum command_scope, const struct keys *,
			       enum command_id *);
/* Return the line of keys that keymap_look found, or NULL if they run a plain command.  Borrowed
 * until the map changes. */
const char *keymap_line(const struct keymap *, enum command_scope, const struct keys *);

/* Return a binding of a command, valid in a scope, that begins with START and is longer, or
 * NULL.  Borrowed until the map changes. */
const struct binding *keymap_continuation(const struct keymap *, enum command_scope,
					  enum command_id, const struct keys *start);

/* Append the keys of a command for people, alternatives separated by two blanks. */
void keymap_keys(const struct keymap *, enum command_id, struct text *out);
/* Append the first key, or `:NAME` if it has none. */
void keymap_hint(const struct keymap *, enum command_id, struct text *out);

/* Write the map as options: every command with its keys. */
void keymap_describe(const struct keymap *, struct keymap_options *);

#endif
