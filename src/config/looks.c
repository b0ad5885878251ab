/*
 * Which files make the looks?  Each part has an origin of its own: a name, a
 * file of its kind, or a file that holds several parts (--config, :source).
 * The view `auto` is the one named as the format of what is open.
 */
#include "config.h"

#include "config/looks.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "config/files.h"
#include "config/schema.h"

static const char view_auto[] = "auto";

static const struct {
	const char *folder, *standard;
} kinds[LOOKS_PARTS] = {
    [LOOKS_VIEW] = {"views", view_auto},
    [LOOKS_THEME] = {"themes", "default"},
    [LOOKS_KEYS] = {"keys", "default"},
};

static void
set_origin(struct looks_source *source, enum looks_part part, const char *what, bool config)
{
	struct looks_origin *origin = &source->parts[part];
	char *copy = mem_text(what); /* it may be the old one */
	free(origin->what);
	*origin = (struct looks_origin){.what = copy, .config = config};
}

void
looks_standard(struct looks_source *source)
{
	const char *no_color = getenv("NO_COLOR");
	for (int part = 0; part < LOOKS_PARTS; part++)
		set_origin(source, (enum looks_part)part, kinds[part].standard, false);
	if (no_color && *no_color)
		set_origin(source, LOOKS_THEME, "mono", false);
}

void
looks_free(struct looks_source *source)
{
	for (int part = 0; part < LOOKS_PARTS; part++)
		free(source->parts[part].what);
	*source = (struct looks_source){0};
}

/* The view for a format: the user's own goes before what came with the
 * program, also if it is for all formats. */
static const char *
automatic(const char *format)
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

static int
read_part(const struct looks_source *source, enum looks_part part, const struct looks_origin *from,
	  struct looks *looks, struct err *err)
{
	const struct option_row *row = &looks_options_table.rows[part];
	const char *what = from->what;
	struct looks new = {0};
	int failed;
	if (from->config) {
		failed = schema_load_file(what, &looks_options_table, &new, err);
	} else {
		if (part == LOOKS_VIEW && !strcmp(what, view_auto))
			what = automatic(source->format);
		failed = files_load(kinds[part].folder, what, row->table,
				    (char *)&new + row->member, err);
	}
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
		failed = read_part(source, (enum looks_part)part, &source->parts[part], &new, err);
	for (int part = 0; part < LOOKS_PARTS && !failed; part++)
		looks_move(looks, &new, (enum looks_part)part);
	option_release(&looks_options_table, &new);
	return failed;
}

int
looks_choose(struct looks_source *source, struct looks *looks, enum looks_part part,
	     const char *what, struct err *err)
{
	struct looks_origin from = {.what = (char *)what};
	int failed = read_part(source, part, &from, looks, err);
	if (!failed)
		set_origin(source, part, what, false);
	return failed;
}

int
looks_read(struct looks_source *source, struct looks *looks, const char *path, struct err *err)
{
	struct looks new;
	bool any = false;
	int failed = schema_load_file(path, &looks_options_table, &new, err);
	for (int part = 0; part < LOOKS_PARTS && !failed; part++) {
		if (!new.given[part])
			continue;
		any = true;
		looks_move(looks, &new, (enum looks_part)part);
		set_origin(source, (enum looks_part)part, path, true);
	}
	option_release(&looks_options_table, &new);
	if (!failed && !any)
		failed = err_set(err, ERR_CONFIG, "%s says nothing of view, theme or keys", path);
	return failed;
}

bool
looks_name(enum looks_part part, size_t i, struct text *out)
{
	if (part == LOOKS_VIEW && i-- == 0) {
		text_add(out, view_auto);
		return true;
	}
	return files_name(kinds[part].folder, i, out);
}
