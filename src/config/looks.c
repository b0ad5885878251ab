/*
 * The files that make up the looks: see looks.h.
 *
 * Each part is a stack of layers.  The lowest has the compiled-in settings.  Next comes a name or
 * a file of its kind, then files with several parts (--config, :source).  A setting missing from a
 * layer comes from the ones below.  So a file with one colour or one rule is a whole theme or
 * view.  The view `auto` is the one named after the format of the captures.  The theme `auto` is
 * the one for the colours and background of the terminal.
 */
#include "config.h"

#include "config/looks.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "config/files.h"
#include "config/schema.h"

static const char automatic[] = "auto";

static const struct {
	const char *folder, *standard;
} kinds[LOOKS_PARTS] = {
    [LOOKS_VIEW] = {"views", automatic},
    [LOOKS_THEME] = {"themes", automatic},
    [LOOKS_KEYS] = {"keys", "default"},
};

static void
clear_layers(struct looks_source *source, enum looks_part part)
{
	for (size_t i = 0; i < source->parts[part].count; i++)
		free(source->parts[part].at[i].what);
	vec_clear(&source->parts[part]);
}

/* Put a layer on top.  A file that is read again moves to the top. */
static void
add_layer(struct looks_source *source, enum looks_part part, const char *what, bool config)
{
	struct looks_layer new = {.what = mem_text(what), .config = config};
	size_t kept = 0;
	for (size_t i = 0; i < source->parts[part].count; i++) {
		struct looks_layer layer = source->parts[part].at[i];
		if (config && layer.config && !strcmp(layer.what, new.what))
			free(layer.what);
		else
			source->parts[part].at[kept++] = layer;
	}
	source->parts[part].count = kept;
	*vec_add(&source->parts[part]) = new;
}

static void
set_origin(struct looks_source *source, enum looks_part part, const char *what)
{
	char *copy = mem_text(what); /* it may belong to an old layer */
	clear_layers(source, part);
	add_layer(source, part, copy, false);
	free(copy);
}

static bool
refuses_colour(void)
{
	const char *no_color = getenv("NO_COLOR");
	return no_color && *no_color;
}

void
looks_standard(struct looks_source *source)
{
	for (int part = 0; part < LOOKS_PARTS; part++)
		set_origin(source, (enum looks_part)part, kinds[part].standard);
	if (refuses_colour())
		set_origin(source, LOOKS_THEME, "mono");
}

void
looks_free(struct looks_source *source)
{
	for (int part = 0; part < LOOKS_PARTS; part++) {
		clear_layers(source, (enum looks_part)part);
		vec_free(&source->parts[part]);
	}
	*source = (struct looks_source){0};
}

/* Return the view for a format.  The user's files come before shipped ones, even one for all
 * formats. */
static const char *
automatic_view(const char *format)
{
	static const char standard[] = "default";
	struct text own = {0}, name = {0};
	bool all;
	text_addf(&name, "views/%s.yaml", format ? format : standard);
	bool special = files_user_path(name.data, &own) && files_exist(own.data);
	all = files_user_path("views/default.yaml", &own) && files_exist(own.data);
	if (!special && !all && format)
		special = files_shipped(name.data);
	text_free(&own);
	text_free(&name);
	return special && format ? format : standard;
}

/* Return the theme for a terminal.  The user's `default` comes before SUITS. */
static const char *
automatic_theme(const char *suits)
{
	static const char standard[] = "default";
	struct text own = {0};
	bool all = files_user_path("themes/default.yaml", &own) && files_exist(own.data);
	text_free(&own);
	return all || !suits ? standard : suits;
}

/* Read the lowest layer: the compiled-in settings for all, then those for the format. */
static int
read_base(const struct looks_source *source, enum looks_part part, void *object, struct err *err)
{
	const struct option_table *table = looks_options_table.rows[part].table;
	const char *folder = kinds[part].folder;
	bool mono = part == LOOKS_THEME && refuses_colour();
	option_defaults(table, object);
	int failed = files_merge_builtin(folder, mono ? "mono" : "default", table, object, err);
	if (!failed && part == LOOKS_VIEW && source->format)
		failed = files_merge_builtin(folder, source->format, table, object, err);
	return failed;
}

/* Replace the name `auto`; return any other name unchanged. */
static const char *
what_is_meant(const struct looks_source *source, enum looks_part part, const char *what)
{
	if (part == LOOKS_VIEW && !strcmp(what, automatic))
		return automatic_view(source->format);
	if (part == LOOKS_THEME && !strcmp(what, automatic))
		return automatic_theme(source->theme);
	return what;
}

static int
read_layer(const struct looks_source *source, enum looks_part part, const struct looks_layer *layer,
	   struct looks *looks, struct err *err)
{
	const struct option_row *row = &looks_options_table.rows[part];
	const char *what = layer->what;
	if (layer->config)
		return schema_merge_file(what, &looks_options_table, looks, err);
	return files_merge(kinds[part].folder, what_is_meant(source, part, what), row->table,
			   (char *)looks + row->member, err);
}

/* Make a part from COUNT layers over the lowest one. */
static int
read_part(const struct looks_source *source, enum looks_part part, const struct looks_layer *layers,
	  size_t count, struct looks *looks, struct err *err)
{
	struct looks new = {0};
	int failed =
	    read_base(source, part, (char *)&new + looks_options_table.rows[part].member, err);
	for (size_t i = 0; i < count && !failed; i++)
		failed = read_layer(source, part, &layers[i], &new, err);
	if (!failed)
		looks_move(looks, &new, part);
	option_release(&looks_options_table, &new);
	return failed;
}

int
looks_load(struct looks_source *source, struct looks *looks, struct err *err)
{
	struct looks new = {0};
	int failed = 0;
	for (int part = 0; part < LOOKS_PARTS && !failed; part++)
		failed = read_part(source, (enum looks_part)part, source->parts[part].at,
				   source->parts[part].count, &new, err);
	for (int part = 0; part < LOOKS_PARTS && !failed; part++)
		looks_move(looks, &new, (enum looks_part)part);
	option_release(&looks_options_table, &new);
	return failed;
}

int
looks_choose(struct looks_source *source, struct looks *looks, enum looks_part part,
	     const char *what, struct err *err)
{
	struct looks_layer only = {.what = (char *)what};
	int failed = read_part(source, part, &only, 1, looks, err);
	if (!failed)
		set_origin(source, part, what);
	return failed;
}

int
looks_suit(struct looks_source *source, struct looks *looks, const char *theme, struct err *err)
{
	source->theme = theme;
	return read_part(source, LOOKS_THEME, source->parts[LOOKS_THEME].at,
			 source->parts[LOOKS_THEME].count, looks, err);
}

int
looks_read(struct looks_source *source, struct looks *looks, const char *path, struct err *err)
{
	struct looks new;
	bool any = false;
	option_copy(&looks_options_table, &new, looks);
	memset(new.given, 0, sizeof new.given);
	int failed = schema_merge_file(path, &looks_options_table, &new, err);
	for (int part = 0; part < LOOKS_PARTS && !failed; part++) {
		if (!new.given[part])
			continue;
		any = true;
		looks_move(looks, &new, (enum looks_part)part);
		add_layer(source, (enum looks_part)part, path, true);
	}
	option_release(&looks_options_table, &new);
	if (!failed && !any)
		failed =
		    err_set(err, ERR_CONFIG, "%s has no settings of view, theme or keys", path);
	return failed;
}

/* Append the source of KEY in a part. */
static void
add_source(const struct looks_source *source, enum looks_part part, const char *key,
	   struct text *out)
{
	const char *folder = kinds[part].folder;
	struct text keys = {0};
	bool found = false;
	text_addf(&keys, "%s.%s", looks_options_table.rows[part].name, key);
	for (size_t i = source->parts[part].count; i-- > 0 && !found;) {
		const struct looks_layer *layer = &source->parts[part].at[i];
		const char *what = what_is_meant(source, part, layer->what);
		size_t line = layer->config ? schema_find_key_in(what, keys.data) : 0;
		if (line)
			text_addf(out, "%s:%zu", what, line);
		found = layer->config ? line : files_find_key(folder, what, key, out);
	}
	if (!found && part == LOOKS_VIEW && source->format)
		found = files_find_key(folder, source->format, key, out);
	if (!found && !files_find_key(folder, "default", key, out))
		text_add(out, "built-in");
	text_free(&keys);
}

void
looks_add_sources(const struct looks_source *source, const char *yaml,
		  const char *(*given)(const void *context, const char *keys), const void *context,
		  struct text *out)
{
	int part = 0;
	struct text key = {0};
	for (size_t length; *yaml; yaml += length + (yaml[length] == '\n')) {
		length = strcspn(yaml, "\n");
		size_t indent = strspn(yaml, " ");
		size_t name = strcspn(yaml + indent, ":\n");
		text_add_bytes(out, yaml, length);
		if (!indent) /* name of a part */
			for (part = 0; part + 1 < LOOKS_PARTS &&
				       strncmp(looks_options_table.rows[part].name, yaml, name);)
				part++;
		if (indent == 2 && yaml[indent] != '-') {
			text_clear(&key);
			text_addf(&key, "%s.%.*s", looks_options_table.rows[part].name, (int)name,
				  yaml + indent);
			const char *option = given ? given(context, key.data) : NULL;
			text_add(out, "  # ");
			if (option)
				text_addf(out, "--%s", option);
			else
				add_source(source, (enum looks_part)part, strchr(key.data, '.') + 1,
					   out);
		}
		text_add_char(out, '\n');
	}
	text_free(&key);
}

bool
looks_name(enum looks_part part, size_t i, struct text *out)
{
	if (part != LOOKS_KEYS && i-- == 0) {
		text_add(out, automatic);
		return true;
	}
	return files_name(kinds[part].folder, i, out);
}
