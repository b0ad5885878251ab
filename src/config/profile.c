/*
 * Finding and loading profiles: see profile.h.
 *
 * The table of trace/trace.h defines the keys of a profile.  This file has only the search and the
 * paths in it.  They are relative to the profile, not to the working folder.
 */
#include "config.h"

#include "config/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/vec.h"
#include "config/files.h"
#include "config/schema.h"
#include "decode/registry.h"
#include "session/session.h"
#include "trace/trace_options.h"

int
profile_load(const char *path, struct profile *profile, struct err *err)
{
	int result = schema_load_file(path, profile_options_table(), profile, err);
	if (result)
		return result;
	struct text folder = {0};
	const char *slash = strrchr(path, '/');
	text_add_bytes(&folder, path, slash ? (size_t)(slash - path) + 1 : 0);
	option_resolve(profile_options_table(), profile, text_get(&folder));
	text_free(&folder);
	return 0;
}

/* --- settings without effect ------------------------------------------- */

/* Begin a line about the value at KEYS. */
static void
begin_line(const char *path, const char *keys, struct text *out)
{
	if (out->length)
		text_add_char(out, '\n');
	schema_place(path, keys, out);
	text_add(out, ": ");
}

/* True if the profile has entries but no open trace uses one. */
static bool
is_unmatched(const struct session *session)
{
	bool any = false;
	for (size_t i = 0; i < session->traces.count; i++)
		any |= trace_profile_entry(session->traces.at[i]) < SIZE_MAX;
	return session->profile.traces.count && session->traces.count && !any;
}

/* True if ROW is the section of FORMAT, or a part of it that may also stand next to it. */
static bool
is_of_format(const struct option_row *row, const char *format)
{
	const struct option_table *table = trace_options_table();
	const struct option_row *own = option_find(table, format);
	return own && row->member >= own->member && row->member < own->member + own->table->size;
}

/* True if a trace opened with the same entry can use the row. */
static bool
is_used(const struct session *session, size_t entry, const struct option_row *row)
{
	bool used = false;
	for (size_t i = 0; i < session->traces.count; i++) {
		const struct trace *trace = session->traces.at[i];
		used |= trace_profile_entry(trace) == entry &&
			is_of_format(row, trace_decoder(trace)->ops->format);
	}
	return used;
}

/* Report given sections for a format that no trace of the entry has. */
static void
complain_of_formats(const struct session *session, const struct trace *trace, const char *path,
		    struct text *out)
{
	const struct option_table *table = trace_options_table();
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		struct text keys = {0};
		if (!row->given || is_used(session, trace_profile_entry(trace), row) ||
		    !*((const bool *)trace_options(trace) + row->given))
			continue;
		text_addf(&keys, "traces[%zu].%s", trace_profile_entry(trace), row->name);
		begin_line(path, keys.data, out);
		text_addf(out, "%s settings are not used: %s is %s; expected %s settings",
			  row->name, trace_name(trace), decoder_name(ops), ops->format);
		text_free(&keys);
	}
}

/* Return names of the open traces, then those in the profile. */
static const char *
trace_name_at(const struct session *session, size_t i)
{
	const size_t open = session->traces.count, size = trace_options_table()->size;
	if (i < open)
		return trace_name(session->traces.at[i]);
	const struct trace_options *entry =
	    (void *)((char *)session->profile.traces.at + (i - open) * size);
	return entry->name ? entry->name : "";
}

/* True if TEXT is the name of a trace, or TRACE:ORIGIN.  Otherwise *NEAR is the nearest name. */
static bool
names_trace(const struct session *session, const char *text, const char **near)
{
	struct nearest nearest = nearest_to(text);
	*near = NULL;
	for (size_t i = 0; i < session->traces.count + session->profile.traces.count; i++) {
		const char *name = trace_name_at(session, i);
		size_t length = strlen(name);
		if (length && !strncmp(name, text, length) &&
		    (!text[length] || text[length] == ':'))
			return true;
		if (length && nearest_is(&nearest, name))
			*near = name;
	}
	return false;
}

static void
complain_of_name(const struct session *session, const char *path, const char *keys,
		 const char *text, struct text *out)
{
	const char *near;
	if (!text || names_trace(session, text, &near))
		return;
	begin_line(path, keys, out);
	text_addf(out, "%s is \"%s\"; expected the name of a trace", keys, text);
	if (near)
		text_addf(out, ", did you mean %s?", near);
}

/* Check all names of traces in OBJECT at path KEYS. */
static void
complain_of_names(const struct session *session, const char *path, const struct option_table *table,
		  const void *object, struct text *keys, struct text *out)
{
	size_t outer = keys->length;
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		const void *member = (const char *)object + row->member;
		const struct option_list *list = member;
		text_addf(keys, "%s%s", outer ? "." : "", row->name);
		size_t length = keys->length;
		if (row->type == OPTION_STRUCT)
			complain_of_names(session, path, row->table, member, keys, out);
		else if (row->type == OPTION_TEXT && row->trace)
			complain_of_name(session, path, keys->data, *(char *const *)member, out);
		for (size_t k = 0; row->type == OPTION_LIST && k < list->count; k++) {
			text_addf(keys, "[%zu]", k);
			if (row->table)
				complain_of_names(session, path, row->table,
						  (char *)list->at + k * row->table->size, keys,
						  out);
			else if (row->trace)
				complain_of_name(session, path, keys->data,
						 ((char *const *)list->at)[k], out);
			text_cut(keys, length);
		}
		text_cut(keys, outer);
	}
}

/* Return the greatest number that a field can have in the traces that ORIGIN is for, or UINT64_MAX
 * if a format does not limit it. */
static uint64_t
most_of_field(const struct session *session, const struct origin_options *origin, const char *name)
{
	uint64_t most = 0;
	for (size_t i = 0; i < session->traces.count; i++) {
		const struct trace *trace = session->traces.at[i];
		const struct decoder_ops *ops = trace_decoder(trace)->ops;
		for (size_t k = 0; k < ops->field_count; k++) {
			const struct field_row *row = &ops->fields[k];
			if (strcmp(row->name, name) != 0 ||
			    (origin->trace && strcmp(origin->trace, trace_name(trace)) != 0))
				continue;
			uint64_t own = row->most ? row->most : UINT64_MAX;
			most = own > most ? own : most;
		}
	}
	return most ? most : UINT64_MAX;
}

/* Report numbers of senders that no open trace can have. */
static void
complain_of_numbers(const struct session *session, const char *path, struct text *out)
{
	const struct origin_options *origins = session->profile.origins.at;
	const struct option_table *table = origin_options_table();
	struct text keys = {0};
	for (size_t i = 0; i < session->profile.origins.count; i++)
		for (size_t k = 0; k < table->count; k++) {
			const struct option_row *row = &table->rows[k];
			if (row->type != OPTION_INT)
				continue;
			int64_t value = *(const int64_t *)((const char *)&origins[i] + row->member);
			uint64_t most = most_of_field(session, &origins[i], row->name);
			if (value < 0 || (uint64_t)value <= most)
				continue;
			text_clear(&keys);
			text_addf(&keys, "origins[%zu].%s", i, row->name);
			begin_line(path, keys.data, out);
			text_addf(out, "%s is %lld; expected a number up to %llu", keys.data,
				  (long long)value, (unsigned long long)most);
		}
	text_free(&keys);
}

void
profile_complain(const struct session *session, const char *path, struct text *out)
{
	struct text keys = {0};
	if (files_user_path("profile.yaml", &keys) && !strcmp(keys.data, path)) {
		text_free(&keys); /* it is for all captures, and mostly unused */
		return;
	}
	text_clear(&keys);
	if (is_unmatched(session)) {
		begin_line(path, "traces", out);
		text_addf(out,
			  "no entry matches %s, so no settings are used; expected match: with its "
			  "file name or a pattern of it",
			  trace_name(session->traces.at[0]));
	}
	for (size_t i = 0; i < session->traces.count; i++)
		if (trace_profile_entry(session->traces.at[i]) < SIZE_MAX)
			complain_of_formats(session, session->traces.at[i], path, out);
	complain_of_names(session, path, profile_options_table(), &session->profile, &keys, out);
	complain_of_numbers(session, path, out);
	text_free(&keys);
}

/* --- finding one ------------------------------------------------------- */

static bool
find_beside(const char *capture, struct text *found)
{
	size_t length = strlen(capture);
	const char *slash = strrchr(capture, '/');
	if (slash && !strcmp(slash, "/snapshot.ini")) /* the capture is its folder */
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
		if (!length || capture[length - 1] == '/') /* the dot of a hidden file */
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
profile_find(const char *const *captures, size_t count, struct text *found)
{
	for (size_t i = 0; i < count; i++)
		if (find_beside(captures[i], found))
			return true;
	if (files_user_path("profile.yaml", found) && files_exist(found->data))
		return true;
	text_clear(found);
	return false;
}
