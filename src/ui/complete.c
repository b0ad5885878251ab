/*
 * Completion at the end of a prompt: see complete.h.
 *
 * Each command that takes names has a function that supplies them.  The tables of
 * commands, settings, formats and files are the only lists.  A name replaces the text from
 * the start of its word on.  In a filter, after an operator, values.c supplies the values.
 * While Tab steps through several names, a row above the prompt shows those around the
 * present one.
 */
#include "config.h"

#include "ui/complete.h"
#include "command/keymap.h"
#include "decode/registry.h"
#include "export/export.h"
#include "query/value.h"
#include "session/context/context.h"
#include "session/intervals.h"
#include "session/session.h"
#include "trace/trace.h"
#include "ui/app.h"
#include "ui/list/view.h"
#include "ui/prompt/prompt.h"
#include "ui/screen/canvas.h"
#include "ui/screen/colour.h"
#include "ui/screen/theme.h"
#include "ui/values.h"
#include "ui/write.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names that start with STEM, in the order in which Tab shows them. */
struct names {
	const char *stem;
	VEC(char *) all;
};

static void
names_free(struct names *names)
{
	for (size_t i = 0; i < names->all.count; i++)
		free(names->all.at[i]);
	vec_free(&names->all);
}

/* Return whether NAME starts with STEM, with or without quotes. */
static bool
starts_with(const char *name, const char *stem)
{
	name += *name == '"';
	stem += *stem == '"';
	return !strncmp(name, stem, strlen(stem));
}

/* Append NAME if it fits.  The context is a struct names, as for values_take. */
static void
names_add(void *context, const char *name)
{
	struct names *names = context;
	if (*name && starts_with(name, names->stem))
		*vec_add(&names->all) = mem_text(name);
}

static void names_addf(struct names *names, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void
names_addf(struct names *names, const char *format, ...)
{
	struct text name = {0};
	va_list values;
	va_start(values, format);
	text_addv(&name, format, values);
	va_end(values);
	names_add(names, text_get(&name));
	text_free(&name);
}

/* Append all names that a command takes; names_add leaves out those that do not fit. */
typedef void name_giver(struct screen *, struct names *);

static void
give_commands(struct screen *screen, struct names *names)
{
	(void)screen;
	for (int i = 0; i < COMMAND_COUNT; i++)
		names_add(names, commands[i].name);
}

static void
give_looks(struct screen *screen, enum looks_part part, struct names *names)
{
	const struct ui_options *options = app_of(screen)->options;
	struct text name = {0};
	for (size_t i = 0; options->name && options->name(options->load_context, part, i, &name);
	     i++) {
		names_add(names, text_get(&name));
		text_clear(&name);
	}
	text_free(&name);
}

static void
give_views(struct screen *screen, struct names *names)
{
	give_looks(screen, LOOKS_VIEW, names);
}

static void
give_themes(struct screen *screen, struct names *names)
{
	give_looks(screen, LOOKS_THEME, names);
}

static void
give_keys(struct screen *screen, struct names *names)
{
	give_looks(screen, LOOKS_KEYS, names);
}

static void
give_severities(struct screen *screen, struct names *names)
{
	(void)screen;
	for (size_t i = 0; view_severities[i]; i++)
		names_add(names, view_severities[i]);
}

/* Return the row of a setting, or NULL. */
static const struct option_row *
find_setting(const char *name)
{
	const struct option_row *row = option_find(&view_options_table, name);
	if (!strcmp(name, "order"))
		row = option_find(profile_options_table(), name);
	return row;
}

/* Append the values of a setting, after `NAME=`. */
static void
give_choices(const char *name, struct names *names)
{
	static const char *const switches[] = {"true", "false", NULL};
	const struct option_row *row = find_setting(name);
	if (!row || (row->type != OPTION_BOOL && row->type != OPTION_CHOICE))
		return;
	const char *const *choices = row->type == OPTION_BOOL ? switches : row->choices;
	for (size_t i = 0; choices[i]; i++)
		names_addf(names, "%s=%s", name, choices[i]);
}

/* Append `NAME=` of each setting, or the values of the one that the stem names. */
static void
give_settings(struct screen *screen, struct names *names)
{
	const char *equals = strchr(names->stem, '=');
	char name[32];
	(void)screen;
	if (equals) {
		snprintf(name, sizeof name, "%.*s", (int)(equals - names->stem), names->stem);
		give_choices(name, names);
		return;
	}
	for (size_t i = 0; i < view_options_table.count; i++) {
		const struct option_row *row = &view_options_table.rows[i];
		if (view_can_set(row))
			names_addf(names, "%s=", row->name);
	}
	names_add(names, "order=");
}

static void
give_write(struct screen *screen, struct names *names)
{
	(void)screen;
	for (size_t i = 0; i < export_format_count; i++)
		names_add(names, export_formats[i].name);
	for (size_t i = 0; write_whats[i]; i++)
		names_add(names, write_whats[i]);
}

/* Append the names of filters, of contexts and intervals, and of arguments in view. */
static void
give_fields(struct screen *screen, struct names *names)
{
	const struct contexts *contexts = screen->session->contexts;
	const struct session_intervals *hook = screen->session->intervals;
	size_t next = 0, intervals = hook ? hook->count(hook->context) : 0;
	char name[64];
	const char *found;
	while ((found = filter_complete(names->stem, strlen(names->stem), &next, name)))
		names_add(names, found);
	for (size_t i = 0; i < contexts_count(contexts); i++)
		names_addf(names, "context.%s", contexts_name(contexts, (unsigned)i));
	for (size_t i = 0; i < intervals; i++)
		names_addf(names, "interval.%s", hook->name(hook->context, i));
	values_give_arguments(screen, names_add, names);
}

/* Append the names of an expression, and the colours that may follow it. */
static void
give_highlights(struct screen *screen, struct names *names)
{
	struct text colour = {0};
	give_fields(screen, names);
	for (size_t i = 0; text_clear(&colour), colour_add_name(i, &colour); i++)
		names_add(names, text_get(&colour));
	text_free(&colour);
}

/* Append the names of columns of a table. */
static void
give_columns(struct screen *screen, struct names *names)
{
	const struct contexts *contexts = screen->session->contexts;
	struct names fields = {.stem = names->stem};
	struct err err;
	give_fields(screen, &fields);
	for (size_t i = 0; i < fields.all.count; i++) {
		struct value_name *name = value_name_new(fields.all.at[i], screen->session, &err);
		if (name) /* some names are for filters only */
			names_add(names, fields.all.at[i]);
		value_name_free(name);
	}
	for (size_t i = 0; i < contexts_count(contexts); i++)
		names_addf(names, "span.%s", contexts_name(contexts, (unsigned)i));
	names_free(&fields);
}

static void
give_intervals(struct screen *screen, struct names *names)
{
	const struct session_intervals *hook = screen->session->intervals;
	for (size_t i = 0; hook && i < hook->count(hook->context); i++)
		names_add(names, hook->name(hook->context, i));
}

static void
give_traces(struct screen *screen, struct names *names)
{
	for (size_t i = 0; i < screen->session->traces.count; i++)
		names_add(names, trace_name(screen->session->traces.at[i]));
}

static void
give_formats(struct screen *screen, struct names *names)
{
	(void)screen;
	for (size_t i = 0; i < decoder_count; i++)
		names_add(names, decoder_name(decoders[i]));
}

static name_giver *const givers[COMMAND_COUNT] = {
    [COMMAND_COMMAND] = give_commands,	   [COMMAND_VIEW] = give_views,
    [COMMAND_THEME] = give_themes,	   [COMMAND_KEYS] = give_keys,
    [COMMAND_SEVERITY] = give_severities,  [COMMAND_SET] = give_settings,
    [COMMAND_WRITE] = give_write,	   [COMMAND_NARROW] = give_fields,
    [COMMAND_STOP_WHEN] = give_fields,	   [COMMAND_FILTER] = give_fields,
    [COMMAND_FILTER_ADD] = give_fields,	   [COMMAND_FILTER_EDIT] = give_fields,
    [COMMAND_SHOW_TRACE] = give_traces,	   [COMMAND_FORMAT] = give_formats,
    [COMMAND_HIGHLIGHT] = give_highlights, [COMMAND_KEY] = give_commands,
    [COMMAND_MATCHES] = give_fields,	   [COMMAND_TABLE] = give_columns,
    [COMMAND_TABLE_BY] = give_columns,	   [COMMAND_INTERVALS] = give_intervals,
    [COMMAND_PLOT] = give_columns,
    [COMMAND_WHY] = give_intervals,
};

/* Find the command whose text is at the end of the prompt, and set *START to where that text
 * begins.  Return COMMAND_COUNT if the prompt names no command. */
static enum command_id
find_command(const struct prompt *prompt, size_t *start)
{
	const char *text = text_get(&prompt->text);
	*start = 0;
	if (prompt->id != COMMAND_COMMAND)
		return prompt->id;
	size_t blanks = strspn(text, " "), length = strcspn(text + blanks, " ");
	if (!text[blanks + length]) {
		*start = blanks;
		return COMMAND_COMMAND;
	}
	*start = blanks + length + strspn(text + blanks + length, " ");
	return command_find(text + blanks, length);
}

/* The names that can complete a prompt. */
struct completion {
	name_giver *give;	    /* NULL: values of COMPARED */
	size_t start;		    /* start, in the prompt, of the word that a name replaces */
	struct text stem;	    /* the beginning of the names */
	char compared[VALUES_NAME]; /* the name that the values are compared with */
};

/* Fill in C.  Return false if nothing is completed.  The stem is the text before the first Tab. */
static bool
completion_find(const struct prompt *prompt, struct completion *c)
{
	size_t value;
	*c = (struct completion){0};
	enum command_id id = find_command(prompt, &c->start);
	c->give = id < COMMAND_COUNT ? givers[id] : NULL;
	if (!c->give)
		return false;
	const char *text = text_get(&prompt->text);
	bool named = c->give == give_fields || c->give == give_columns;
	if ((c->give == give_fields || c->give == give_highlights) &&
	    values_find(text + c->start, prompt->stem - c->start, &value, c->compared)) {
		c->give = NULL;
		c->start += value;
	}
	for (size_t i = c->start; c->give && i < prompt->stem; i++)
		if (named ? !values_is_name(text[i]) : text[i] == ' ')
			c->start = i + 1; /* of several words, complete the last */
	text_add_bytes(&c->stem, text + c->start, prompt->stem - c->start);
	return true;
}

/* Find the names that fit the end of the prompt.  Return false if nothing is completed there. */
static bool
names_find(struct screen *screen, struct names *names, struct completion *c)
{
	if (!completion_find(screen->prompt, c))
		return false;
	*names = (struct names){.stem = text_get(&c->stem)};
	if (c->give)
		c->give(screen, names);
	else
		values_give(screen, c->compared, names_add, names);
	return true;
}

void
complete_next(struct screen *screen)
{
	struct prompt *prompt = screen->prompt;
	struct completion c;
	struct names names;
	if (!prompt->completed)
		prompt->stem = prompt->text.length;
	if (prompt->id == COMMAND_COMMAND && !prompt->text.length && !prompt->listed) {
		/* show the names before one is chosen */
		prompt->listed = true;
		return;
	}
	if (!names_find(screen, &names, &c))
		return;
	if (prompt->completed >= names.all.count) /* start again with the first */
		prompt->completed = 0;
	if (names.all.count)
		prompt_replace(prompt, c.start, names.all.at[prompt->completed++]);
	names_free(&names);
	text_free(&c.stem);
}

/* --- the list of names ------------------------------------------------- */

enum { REST = 12 /* columns for the number of names after the page */ };

/* The page of names that contains the chosen one. */
struct page {
	struct text names;
	enum text_charset charset;
	int chosen, columns; /* position and width of the chosen name; width 0: not reached yet */
	size_t behind;	     /* names on later pages */
	size_t all;
};

/* Add a name.  If it has no room, begin another page.  Once the page has the chosen name, only
 * count the names that do not fit. */
static void
page_add(struct page *page, const char *name, bool chosen, int cols)
{
	int at = text_columns(text_get(&page->names), page->names.length, page->charset);
	int columns = text_columns(name, strlen(name), page->charset);
	page->all++;
	if (page->behind || (page->columns && at + columns + 2 > cols - REST)) {
		page->behind++;
		return;
	}
	if (at + columns + 2 > cols - REST && page->all > 1) {
		text_clear(&page->names);
		text_add(&page->names, " <");
		at = 2;
	}
	text_addf(&page->names, " %s", name);
	if (chosen) {
		page->chosen = at + 1;
		page->columns = columns;
	}
}

/* Draw the names that Tab steps through, as far as there is room, and highlight the one in the
 * prompt.  Return the number of rows used: 0 for fewer than two names. */
static int
draw_names(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	const struct prompt *prompt = screen->prompt;
	struct completion c;
	struct names names;
	struct page page = {.charset = screen->charset};
	if ((!prompt->completed && !prompt->listed) || area->rows < 1 ||
	    !names_find(screen, &names, &c))
		return 0;
	for (size_t i = 0; i < names.all.count; i++)
		page_add(&page, names.all.at[i], i + 1 == prompt->completed + !prompt->completed,
			 area->cols);
	if (page.behind)
		text_addf(&page.names, "  %zu more", page.behind);
	if (page.all > 1) {
		canvas_fill(canvas, area, 0, 0, area->cols, ROLE_NOTE, ' ');
		canvas_put_cell(canvas, area, 0, 0, area->cols, ROLE_NOTE, page.names.data,
				page.names.length);
		if (prompt->completed)
			canvas_role(canvas, area, 0, page.chosen, page.columns, ROLE_CURSOR);
	}
	names_free(&names);
	text_free(&c.stem);
	text_free(&page.names);
	return page.all > 1;
}

/* --- the typed command ------------------------------------------------- */

/* Append a command's name, keys and help. */
static void
add_command(const struct screen *screen, enum command_id id, struct text *out)
{
	text_addf(out, "%s  ", commands[id].name);
	size_t named = out->length;
	keymap_keys(screen->keymap, id, out);
	if (out->length > named)
		text_add(out, "  ");
	text_add(out, commands[id].help);
}

/* Append the commands that begin with STEM, as many as fit.  If one matches exactly or alone,
 * append its keys and help instead. */
static void
add_candidates(const struct screen *screen, const char *stem, int columns, struct text *out)
{
	enum command_id only = COMMAND_COUNT;
	size_t count = 0, length = strlen(stem);
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (!strncmp(commands[i].name, stem, length)) {
			only = (enum command_id)i;
			count++;
		}
	enum command_id exact = command_find(stem, length);
	if (exact < COMMAND_COUNT || count == 1) {
		add_command(screen, exact < COMMAND_COUNT ? exact : only, out);
		return;
	}
	text_addf(out, count ? "%zu commands:" : "no command begins like this; Tab lists all",
		  count);
	for (int i = 0; count && i < COMMAND_COUNT; i++) {
		const char *name = commands[i].name;
		if (strncmp(name, stem, length) != 0)
			continue;
		if (text_columns(out->data, out->length, screen->charset) + (int)strlen(name) + 5 >
		    columns) {
			text_add(out, " ...");
			return;
		}
		text_addf(out, " %s", name);
	}
}

/* Draw help for the typed command.  Return the number of rows used. */
static int
draw_command(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	const struct prompt *prompt = screen->prompt;
	struct text text = {0};
	size_t start;
	if (prompt->id != COMMAND_COMMAND || area->rows < 1)
		return 0;
	enum command_id id = find_command(prompt, &start);
	const char *typed = text_get(&prompt->text) + start;
	text_add_char(&text, ' ');
	if (id == COMMAND_COMMAND && !*typed)
		text_add(&text, "a command or its beginning, Tab lists; a number: that message");
	else if (id == COMMAND_COMMAND && !typed[strspn(typed, "0123456789")])
		text_addf(&text, "to message %s", typed);
	else if (id == COMMAND_COMMAND)
		add_candidates(screen, typed, area->cols, &text);
	else if (id < COMMAND_COUNT)
		add_command(screen, id, &text);
	bool any = text.length > 1;
	if (any) {
		canvas_fill(canvas, area, 0, 0, area->cols, ROLE_NOTE, ' ');
		canvas_put_cell(canvas, area, 0, 0, area->cols, ROLE_NOTE, text.data, text.length);
	}
	text_free(&text);
	return any;
}

void
complete_draw(struct screen *screen, struct canvas *canvas, const struct area *above)
{
	struct area row = {above->row + above->rows - 1, above->col, above->rows > 0, above->cols};
	if (!screen->prompt->active)
		return;
	row.row -= draw_command(screen, canvas, &row);
	row.rows = row.row >= above->row && above->rows;
	draw_names(screen, canvas, &row);
}
