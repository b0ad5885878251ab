/*
 * Which profile belongs to a capture, and what does it say?
 *
 * What may stand in a profile is said by the table of trace/trace.h; here are
 * only the search and the paths in it, which are relative to the profile, not
 * to where the program runs.
 */
#include "config.h"

#include "config/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "config/files.h"
#include "config/schema.h"

/* Puts FOLDER, with its slash, in front of a relative path. */
static void
resolve(char **path, const char *folder)
{
	if (!*path || **path == '/')
		return;
	struct text whole = {0};
	text_addf(&whole, "%s%s", folder, *path);
	free(*path);
	*path = mem_text(whole.data);
	text_free(&whole);
}

static void
resolve_all(const struct option_table *table, void *object, const char *folder)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		void *member = (char *)object + row->member;
		struct option_list *list = member;
		if (row->type == OPTION_STRUCT)
			resolve_all(row->table, member, folder);
		else if (row->type == OPTION_TEXT && row->path)
			resolve(member, folder);
		else if (row->type == OPTION_LIST && row->table)
			for (size_t j = 0; j < list->count; j++)
				resolve_all(row->table, (char *)list->at + j * row->table->size,
					    folder);
		else if (row->type == OPTION_LIST && row->path)
			for (size_t j = 0; j < list->count; j++)
				resolve((char **)list->at + j, folder);
	}
}

int
profile_load(const char *path, struct profile *profile, struct err *err)
{
	int result = schema_load_file(path, profile_options_table(), profile, err);
	if (result)
		return result;
	struct text folder = {0};
	const char *slash = strrchr(path, '/');
	text_add_bytes(&folder, path, slash ? (size_t)(slash - path) + 1 : 0);
	resolve_all(profile_options_table(), profile, text_get(&folder));
	text_free(&folder);
	return 0;
}

static bool
find_beside(const char *capture, struct text *found)
{
	size_t length = strlen(capture);
	const char *slash = strrchr(capture, '/');
	if (slash && !strcmp(slash, "/snapshot.ini")) /* its folder is the capture */
		length = (size_t)(slash - capture);
	while (length > 1 && capture[length - 1] == '/')
		length--;
	for (;;) {
		text_clear(found);
		text_add_bytes(found, capture, length);
		text_add(found, ".profile.yaml");
		if (files_exist(found->data))
			return true;
		do {
			if (length-- == 0 || capture[length] == '/')
				return false;
		} while (capture[length] != '.');
		if (!length || capture[length - 1] == '/') /* a hidden file's dot */
			return false;
	}
}

bool
profile_is_session(const char *path)
{
	const char *ending = strrchr(path, '.');
	return ending && (!strcmp(ending, ".yaml") || !strcmp(ending, ".yml"));
}

bool
profile_find(const char *capture, struct text *found)
{
	if (capture && find_beside(capture, found))
		return true;
	if (files_user_path("profile.yaml", found) && files_exist(found->data))
		return true;
	text_clear(found);
	return false;
}
