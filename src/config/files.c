/*
 * Finding the view, theme, keys or profile that the user named: see files.h.
 *
 * The user's folder comes first, so a file there replaces a shipped one.  The program also
 * contains the shipped files (config/builtin.h), so it needs no installation.  Names complete from
 * builtin_files; folders are not listed.
 */
#include "config.h"

#include "config/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "config/builtin.h"
#include "config/schema.h"

#define ENDING ".yaml"

bool
files_exist(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Set PATH to the folder that VARIABLE names, or to USUAL in the user's home. */
static bool
base_folder(const char *variable, const char *usual, struct text *path)
{
	const char *variable_folder = getenv(variable), *home = getenv("HOME");
	text_clear(path);
	if (variable_folder &&
	    *variable_folder == '/') /* the XDG specification ignores relative paths */
		text_addf(path, "%s/trawl", variable_folder);
	else if (home && *home)
		text_addf(path, "%s/%s/trawl", home, usual);
	return path->length > 0;
}

bool
files_user_path(const char *name, struct text *path)
{
	if (!base_folder("XDG_CONFIG_HOME", ".config", path))
		return false;
	text_addf(path, "/%s", name);
	return true;
}

bool
files_cache_path(struct text *path)
{
	return base_folder("XDG_CACHE_HOME", ".cache", path);
}

bool
files_state_path(struct text *path)
{
	return base_folder("XDG_STATE_HOME", ".local/state", path);
}

static bool
is_path(const char *what)
{
	size_t length = strlen(what), ending = strlen(ENDING);
	return strchr(what, '/') || (length > ending && !strcmp(what + length - ending, ENDING));
}

static bool
find_installed(const char *name, struct text *path)
{
	text_clear(path);
#ifdef TRAWL_DATADIR
	text_addf(path, "%s/%s", TRAWL_DATADIR, name);
	return files_exist(path->data);
#else
	(void)name;
	return false;
#endif
}

bool
files_demo_path(struct text *path)
{
	return find_installed("demo/lab.yaml", path);
}

/* Find the file NAME ("views/default.yaml") outside the program. */
static bool
find_file(const char *name, struct text *path)
{
	return (files_user_path(name, path) && files_exist(path->data)) ||
	       find_installed(name, path);
}

static const struct builtin_file *
find_builtin(const char *name)
{
	for (size_t i = 0; i < builtin_file_count; i++)
		if (!strcmp(builtin_files[i].name, name))
			return &builtin_files[i];
	return NULL;
}

bool
files_shipped(const char *name)
{
	struct text unused = {0};
	bool shipped = find_builtin(name) || find_installed(name, &unused);
	text_free(&unused);
	return shipped;
}

bool
files_name(const char *kind, size_t i, struct text *out)
{
	size_t folder = strlen(kind) + 1;
	for (size_t k = 0; k < builtin_file_count; k++) {
		const char *name = builtin_files[k].name;
		if (strncmp(name, kind, folder - 1) != 0 || name[folder - 1] != '/' || i--)
			continue;
		name += folder;
		text_addf(out, "%.*s", (int)(strlen(name) - strlen(ENDING)), name);
		return true;
	}
	return false;
}

/* The names of a folder, for nearest_hint(). */
struct folder_names {
	const char *kind;
	struct text name;
};

static const char *
next_file(void *context, size_t at)
{
	struct folder_names *names = context;
	text_clear(&names->name);
	return files_name(names->kind, at, &names->name) ? text_get(&names->name) : NULL;
}

static int
fail_unknown(const char *kind, const char *what, struct err *err)
{
	struct text known = {0};
	struct folder_names names = {.kind = kind};
	struct nearest_hint hint = nearest_hint(what, next_file, &names);
	text_add(&known, "; give a file or one of");
	for (size_t i = 0; next_file(&names, i); i++)
		text_addf(&known, " %s", names.name.data);
	int result = err_set(err, ERR_USAGE, "no %s in %s%s", what, kind,
			     nearest_hint_or(&hint, text_get(&known)));
	text_free(&names.name);
	text_free(&known);
	return result;
}

static int
merge_builtin(const struct builtin_file *file, const struct option_table *table, void *object,
	      struct err *err)
{
	return schema_merge_text(file->name, file->text, strlen(file->text), table, object, err);
}

int
files_merge_builtin(const char *kind, const char *name, const struct option_table *table,
		    void *object, struct err *err)
{
	struct text path = {0};
	text_addf(&path, "%s/%s" ENDING, kind, name);
	const struct builtin_file *builtin = find_builtin(path.data);
	text_free(&path);
	return builtin ? merge_builtin(builtin, table, object, err) : 0;
}

int
files_merge(const char *kind, const char *what, const struct option_table *table, void *object,
	    struct err *err)
{
	if (is_path(what))
		return schema_merge_file(what, table, object, err);

	struct text name = {0}, path = {0};
	const struct builtin_file *builtin;
	int result;
	text_addf(&name, "%s/%s" ENDING, kind, what);
	if (find_file(name.data, &path))
		result = schema_merge_file(path.data, table, object, err);
	else if ((builtin = find_builtin(name.data)))
		result = merge_builtin(builtin, table, object, err);
	else
		result = fail_unknown(kind, what, err);
	text_free(&name);
	text_free(&path);
	return result;
}

static bool
find_key_in(const char *path, const char *key, struct text *where)
{
	size_t line = schema_find_key_in(path, key);
	if (line)
		text_addf(where, "%s:%zu", path, line);
	return line;
}

bool
files_find_key(const char *kind, const char *what, const char *key, struct text *where)
{
	if (is_path(what))
		return find_key_in(what, key, where);

	struct text name = {0}, path = {0};
	const struct builtin_file *builtin;
	bool found = false;
	text_addf(&name, "%s/%s" ENDING, kind, what);
	if (find_file(name.data, &path)) {
		found = find_key_in(path.data, key, where);
	} else if ((builtin = find_builtin(name.data))) {
		found = schema_find_key(builtin->text, strlen(builtin->text), key);
		if (found)
			text_addf(where, "built-in %s/%s", kind, what);
	}
	text_free(&name);
	text_free(&path);
	return found;
}
