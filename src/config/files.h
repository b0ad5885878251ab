/*
 * Finding the user's files and those shipped with the program.
 */
#ifndef TRAWL_CONFIG_FILES_H
#define TRAWL_CONFIG_FILES_H

#include "base/err.h"
#include "base/option.h"
#include "base/text.h"

#include <stdbool.h>

bool files_exist(const char *path); /* true unless missing or a folder */

/* Set PATH to NAME in the user's settings folder, $XDG_CONFIG_HOME/trawl or ~/.config/trawl.
 * Without a home, return false and an empty PATH. */
bool files_user_path(const char *name, struct text *path);

/* Set PATH to the folder for files that can be made again, $XDG_CACHE_HOME/trawl or
 * ~/.cache/trawl.  Without a home, return false and an empty PATH. */
bool files_cache_path(struct text *path);

/* Set PATH to the folder for files worth keeping that are no settings, $XDG_STATE_HOME/trawl or
 * ~/.local/state/trawl.  Without a home, return false and an empty PATH. */
bool files_state_path(struct text *path);

/* Set PATH to the session of --demo, where `make install` put it.  Return false if it is
 * missing. */
bool files_demo_path(struct text *path);

/* True if the file NAME ("views/default.yaml") is shipped with the program. */
bool files_shipped(const char *name);

/* Append the I-th shipped name of a kind.  Return false past the last. */
bool files_name(const char *kind, size_t i, struct text *);

/*
 * Merge a view, a theme or keys into OBJECT, as schema_merge_file does.  KIND is "views", "themes"
 * or "keys".  WHAT is a file if it contains a slash or ends in .yaml.  Otherwise it is a name,
 * searched in the user's folder, the installed folder, and the program.  Return ERR_USAGE with the
 * known names if it is not found.
 */
int files_merge(const char *kind, const char *what, const struct option_table *, void *object,
		struct err *);
/* Append where the file or text that files_merge would use sets KEY: "FILE:LINE" or "built-in
 * views/NAME".  Return false if it does not mention KEY. */
bool files_find_key(const char *kind, const char *what, const char *key, struct text *where);

/* Merge the compiled-in text NAME into OBJECT.  Do nothing if none exists. */
int files_merge_builtin(const char *kind, const char *name, const struct option_table *,
			void *object, struct err *);

#endif
