/*
 * What can stand at the end of a prompt: see complete.h.
 *
 * Each command that takes names has a function that gives the I-th of them; the
 * tables of commands, settings, formats and files are the only lists.  A name
 * replaces what was typed from the beginning of its word on.  In a filter, behind
 * an operator, values.c tells what may stand there.  While Tab goes through several
 * names, those around the one in the prompt stand in a row above it.
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

#include <stdio.h>
#include <string.h>

/* Appends the I-th name that may stand at STEM, or nothing if that one may not;
 * false behind the last. */
typedef bool name_giver(struct screen *, const char *stem, size_t i, struct text *);

static bool
command_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	(void)screen;
	(void)stem;
	if (i < COMMAND_COUNT)
		text_add(out, commands[i].name);
	return i < COMMAND_COUNT;
}

static bool
name_of_looks(struct screen *screen, enum looks_part part, size_t i, struct text *out)
{
	const struct ui_options *options = app_of(screen)->options;
	return options->name && options->name(options->load_context, part, i, out);
}

static bool
view_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	(void)stem;
	return name_of_looks(screen, LOOKS_VIEW, i, out);
}

static bool
theme_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	(void)stem;
	return name_of_looks(screen, LOOKS_THEME, i, out);
}

static bool
keys_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	(void)stem;
	return name_of_looks(screen, LOOKS_KEYS, i, out);
}

static bool
choice_name(const char *const *choices, size_t i, struct text *out)
{
	for (size_t k = 0; k < i; k++)
		if (!choices[k])
			return false;
	if (choices[i])
		text_add(out, choices[i]);
	return choices[i];
}

static bool
severity_choice(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	(void)screen;
	(void)stem;
	return choice_name(view_severities, i, out);
}

/* The I-th of the settings that are one value. */
static const struct option_row *
find_setting(size_t i)
{
	for (size_t k = 0; k < view_options_table.count; k++) {
		const struct option_row *row = &view_options_table.rows[k];
		if (row->type != OPTION_LIST && row->type != OPTION_STRUCT && !i--)
			return row;
	}
	return i ? NULL : option_find(profile_options_table(), "order");
}

/* `NAME=`, and behind it what the setting may be. */
static bool
setting_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	static const char *const switches[] = {"true", "false", NULL};
	const char *equals = strchr(stem, '=');
	(void)screen;
	if (!equals) {
		const struct option_row *row = find_setting(i);
		if (row)
			text_addf(out, "%s=", row->name);
		return row;
	}
	char name[32];
	snprintf(name, sizeof name, "%.*s", (int)(equals - stem), stem);
	const struct option_row *row = option_find(&view_options_table, name);
	if (!strcmp(name, "order"))
		row = option_find(profile_options_table(), name);
	if (!row || (row->type != OPTION_BOOL && row->type != OPTION_CHOICE))
		return false;
	text_addf(out, "%s=", name);
	return choice_name(row->type == OPTION_BOOL ? switches : row->choices, i, out);
}

static bool
write_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	(void)screen;
	(void)stem;
	if (i >= export_format_count)
		return choice_name(write_whats, i - export_format_count, out);
	text_add(out, export_formats[i].name);
	return true;
}

/* Appends the I-th name of a context, an interval or an argument; false where there are fewer,
 * which I is less by then. */
static bool
add_session_name(struct screen *screen, size_t *i, struct text *out)
{
	const struct contexts *contexts = screen->session->contexts;
	const struct session_intervals *hook = screen->session->intervals;
	size_t intervals = hook ? hook->count(hook->context) : 0;
	if (*i < contexts_count(contexts)) {
		text_addf(out, "context.%s", contexts_name(contexts, (unsigned)*i));
		return true;
	}
	*i -= contexts_count(contexts);
	if (*i < intervals) {
		text_addf(out, "interval.%s", hook->name(hook->context, *i));
		return true;
	}
	*i -= intervals;
	return values_give_argument(screen, i, out);
}

/* Appends the I-th name that begins so; false where there are fewer, which I is less by then. */
static bool
add_field(struct screen *screen, const char *stem, size_t *i, struct text *out)
{
	char name[64];
	const char *found = NULL;
	size_t next = 0, count = 0;
	while (count <= *i && (found = filter_complete(stem, strlen(stem), &next, name)))
		count++;
	if (found) {
		text_add(out, found);
		return true;
	}
	*i -= count;
	return add_session_name(screen, i, out);
}

static bool
field_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	return add_field(screen, stem, &i, out);
}

/* What stands in an expression, and the colour behind it. */
static bool
highlight_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	return add_field(screen, stem, &i, out) || colour_add_name(i, out);
}

/* What a table may be by, and of. */
static bool
column_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	const struct contexts *contexts = screen->session->contexts;
	size_t start = out->length;
	struct err err;
	if (!add_field(screen, stem, &i, out)) {
		if (i < contexts_count(contexts))
			text_addf(out, "span.%s", contexts_name(contexts, (unsigned)i));
		return i < contexts_count(contexts);
	}
	/* names of filters alone are none */
	struct value_name *name = value_name_new(out->data + start, screen->session, &err);
	if (!name)
		text_cut(out, start);
	value_name_free(name);
	return true;
}

static bool
interval_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	const struct session_intervals *hook = screen->session->intervals;
	bool any = hook && i < hook->count(hook->context);
	(void)stem;
	if (any)
		text_add(out, hook->name(hook->context, i));
	return any;
}

static bool
show_trace_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	(void)stem;
	if (i < screen->session->traces.count)
		text_add(out, trace_name(screen->session->traces.at[i]));
	return i < screen->session->traces.count;
}

static bool
format_name(struct screen *screen, const char *stem, size_t i, struct text *out)
{
	(void)screen;
	(void)stem;
	if (i < decoder_count)
		text_add(out, decoder_name(decoders[i]));
	return i < decoder_count;
}

static name_giver *const givers[COMMAND_COUNT] = {
    [COMMAND_COMMAND] = command_name,	    [COMMAND_VIEW] = view_name,
    [COMMAND_THEME] = theme_name,	    [COMMAND_KEYS] = keys_name,
    [COMMAND_SEVERITY] = severity_choice,   [COMMAND_SET] = setting_name,
    [COMMAND_WRITE] = write_name,	    [COMMAND_NARROW] = field_name,
    [COMMAND_STOP_WHEN] = field_name,	    [COMMAND_FILTER] = field_name,
    [COMMAND_FILTER_ADD] = field_name,	    [COMMAND_FILTER_EDIT] = field_name,
    [COMMAND_SHOW_TRACE] = show_trace_name, [COMMAND_FORMAT] = format_name,
    [COMMAND_HIGHLIGHT] = highlight_name,   [COMMAND_KEY] = command_name,
    [COMMAND_MATCHES] = field_name,	    [COMMAND_TABLE] = column_name,
    [COMMAND_TABLE_BY] = column_name,	    [COMMAND_INTERVALS] = interval_name,
};

/* The command whose text is at the end of the prompt, and where that text
 * begins; COMMAND_COUNT if the prompt names none. */
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

/* Whether NAME starts with STEM, be it in quotes or not. */
static bool
starts_with(const char *name, const char *stem)
{
	name += *name == '"';
	stem += *stem == '"';
	return !strncmp(name, stem, strlen(stem));
}

/* What can stand at the end of a prompt. */
struct completion {
	name_giver *give;
	size_t start;		    /* of the word that a name replaces, in the prompt */
	struct text stem;	    /* how the names begin */
	char compared[VALUES_NAME]; /* the name behind which values stand */
};

/* False where nothing is completed.  The stem is what was typed before the first Tab. */
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
	bool named = c->give == field_name || c->give == column_name;
	if ((c->give == field_name || c->give == highlight_name) &&
	    values_find(text + c->start, prompt->stem - c->start, &value, c->compared)) {
		c->give = values_give;
		c->start += value;
	}
	for (size_t i = c->start; c->give != values_give && i < prompt->stem; i++)
		if (named ? !values_is_name(text[i]) : text[i] == ' ')
			c->start = i + 1; /* the last word of several */
	text_add_bytes(&c->stem, text + c->start, prompt->stem - c->start);
	return true;
}

/* Puts the next name that fits, from the *I-th on, into NAME, and *I behind it; false, and
 * nothing, behind the last. */
static bool
completion_next(struct screen *screen, const struct completion *c, size_t *i, struct text *name)
{
	const char *stem = text_get(&c->stem);
	const char *of = c->give == values_give ? c->compared : stem;
	while (text_clear(name), c->give(screen, of, *i, name)) {
		++*i;
		if (name->length && starts_with(name->data, stem))
			return true;
	}
	return false;
}

void
complete_next(struct screen *screen)
{
	struct prompt *prompt = screen->prompt;
	struct completion c;
	struct text name = {0};
	if (!prompt->completed)
		prompt->stem = prompt->text.length;
	if (!completion_find(prompt, &c))
		return;
	bool again = prompt->completed;
	bool fits = completion_next(screen, &c, &prompt->completed, &name);
	if (!fits && again) { /* once more from the first */
		prompt->completed = 0;
		fits = completion_next(screen, &c, &prompt->completed, &name);
	}
	if (fits)
		prompt_replace(prompt, c.start, text_get(&name));
	text_free(&c.stem);
	text_free(&name);
}

/* --- the list of names ------------------------------------------------- */

enum {
	NAMES_MAX = 2000, /* looked at for the list */
	REST = 12	  /* columns for how many there are behind those listed */
};

/* The names of the page on which the chosen one is. */
struct page {
	struct text names;
	enum text_charset charset;
	int chosen, columns; /* of the chosen one, both in columns; no columns: not met yet */
	size_t behind;	     /* names that are on later pages */
	size_t all;
};

/* Adds a name; one for which there is no room begins another page, until the page has the chosen
 * one. */
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

/* Draws the names that Tab goes through, as far as there is room, and which of them is in the
 * prompt; the number of rows that takes, none where there are no two. */
static int
draw_names(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	const struct prompt *prompt = screen->prompt;
	struct completion c;
	struct page page = {.charset = screen->charset};
	struct text name = {0};
	if (!prompt->completed || area->rows < 1 || !completion_find(prompt, &c))
		return 0;
	for (size_t i = 0; i < NAMES_MAX && completion_next(screen, &c, &i, &name);)
		page_add(&page, name.data, i == prompt->completed, area->cols);
	if (page.behind)
		text_addf(&page.names, "  %zu more", page.behind);
	if (page.all > 1) {
		canvas_fill(canvas, area, 0, 0, area->cols, ROLE_NOTE, ' ');
		canvas_put_cell(canvas, area, 0, 0, area->cols, ROLE_NOTE, page.names.data,
				page.names.length);
		canvas_role(canvas, area, 0, page.chosen, page.columns, ROLE_CURSOR);
	}
	text_free(&c.stem);
	text_free(&page.names);
	text_free(&name);
	return page.all > 1;
}

/* --- what is typed ----------------------------------------------------- */

/* Appends a command's name, keys and help. */
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

/* Appends the names that begin as what is typed, as many as there are columns for; the only
 * one with its keys and its help. */
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

/* Draws what is known of the command that is typed; the number of rows that takes. */
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
