/*
 * Finding what the user wrote and what came with the program.
 */
#ifndef TRAWL_CONFIG_FILES_H
#define TRAWL_CONFIG_FILES_H

#include "base/err.h"
#include "base/option.h"
#include "base/text.h"

#include <stdbool.h>

bool files_exist(const char *path); /* and is no folder */

/* The path of NAME in the user's folder of settings, $XDG_CONFIG_HOME/trawl
 * or ~/.config/trawl.  False without a home; then PATH is empty. */
bool files_user_path(const char *name, struct text *path);

/* The folder for what can be made again, $XDG_CACHE_HOME/trawl or
 * ~/.cache/trawl.  False without a home; then PATH is empty. */
bool files_cache_path(struct text *path);

/* The folder for what is worth keeping but is no setting, $XDG_STATE_HOME/trawl or
 * ~/.local/state/trawl.  False without a home; then PATH is empty. */
bool files_state_path(struct text *path);

/* The session of --demo, where `make install` put it; false if it is not there. */
bool files_demo_path(struct text *path);

/* Whether a file NAME ("views/default.yaml") came with the program. */
bool files_shipped(const char *name);

/* Appends the I-th name of what came with the program of a kind; false, and
 * nothing, behind the last. */
bool files_name(const char *kind, size_t i, struct text *);

/*
 * Lays a view, a theme or keys over OBJECT, as schema_merge_file does: KIND is
 * "views", "themes" or "keys".  WHAT is a file if it has a slash or ends in .yaml;
 * else a name, looked for in the user's folder, the installed folder, and in the
 * program itself.  ERR_USAGE if there is none, with the names there are.
 */
int files_merge(const char *kind, const char *what, const struct option_table *, void *object,
		struct err *);
/* Appends where files_merge finds KEY in what it lays over, "FILE:LINE" or "built-in
 * views/NAME"; false, and nothing, if that does not mention it. */
bool files_find_key(const char *kind, const char *what, const char *key, struct text *where);

/* Lays what is compiled in under that name over OBJECT; nothing, if there is
 * none. */
int files_merge_builtin(const char *kind, const char *name, const struct option_table *,
			void *object, struct err *);

#endif
