/*
 * Which keys mean which command, in which scope.
 *
 * Starts as the table says (command.def) and can be bound anew.  A later
 * binding of the same keys in the same scope replaces the earlier one.  What a
 * pane binds goes before what holds in all of them.
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
	char *line; /* owned; not NULL: the command is COMMAND_COMMAND, and this is typed for it */
};

/* Zero-initialise, or keymap_standard; keymap_free at the end. */
struct keymap {
	VEC(struct binding) bindings;
};

enum keymap_answer {
	KEYMAP_NONE,   /* no binding starts so */
	KEYMAP_PREFIX, /* the beginning of one: wait for another key */
	KEYMAP_FOUND
};

/* What a user's file says (keys/NAME.yaml): the keys of commands, a blank
 * between alternatives; NULL: as in the table, "none": no keys. */
struct keymap_options {
	char *keys[COMMAND_COUNT];
};
extern const struct option_table keymap_options_table;

void keymap_standard(struct keymap *); /* adds all defaults */
/* The defaults with OPTIONS over them: a command that has keys there has these
 * only, and takes them away from any other. */
void keymap_make(struct keymap *, const struct keymap_options *);
void keymap_free(struct keymap *);

/* Binds the keys written in TEXT. */
int keymap_bind(struct keymap *, enum command_scope, const char *text, size_t length,
		enum command_id, struct err *);

/*
 * Binds the keys written in KEY to LINE, which is a command as typed after `:`, or what is typed
 * with / ? or & in front; both are right (keymap_check_key, keymap_check_line).  A name alone is
 * that command.  Keys that clash in the same scope, and those of the list with those of all
 * panes, lose their commands, whose names are appended to WAS with a comma between.
 */
void keymap_bind_line(struct keymap *, const char *key, const char *line, struct text *was);

/* For option tables, of one sequence of keys and of such a line. */
const char *keymap_check_key(const char *text, char buffer[static 256]);
const char *keymap_check_line(const char *text, char buffer[static 256]);

/* What keys mean in a scope, or else in any. */
enum keymap_answer keymap_look(const struct keymap *, enum command_scope, const struct keys *,
			       enum command_id *);
/* The line of keys that keymap_look found, or NULL: they are a command alone.  Borrowed until the
 * map changes. */
const char *keymap_line(const struct keymap *, enum command_scope, const struct keys *);

/* A binding of a command that begins with START and is longer, and holds in a scope; NULL if
 * there is none.  Borrowed until the map changes. */
const struct binding *keymap_continuation(const struct keymap *, enum command_scope,
					  enum command_id, const struct keys *start);

/* Appends the keys of a command for people, two blanks between alternatives. */
void keymap_keys(const struct keymap *, enum command_id, struct text *out);
/* Appends the first of them, or `:NAME` where it has none. */
void keymap_hint(const struct keymap *, enum command_id, struct text *out);

/* The map as a file would say it: every command with its keys. */
void keymap_describe(const struct keymap *, struct keymap_options *);

#endif
