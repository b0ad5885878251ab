/*
 * New looks for a running screen: see settings.h.
 *
 * The looks are loaded by whoever started the screen (ui_options.load); what
 * is wrong with them is said in the last row, and the old ones stay.
 */
#include "config.h"

#include "ui/settings.h"
#include "ui/app.h"
#include "ui/prompt/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes what is on the screen follow the looks. */
static void
apply(struct app *app)
{
	struct looks *looks = &app->options->looks;
	term_theme(app->term, &looks->theme);
	keymap_free(&app->keymap);
	keymap_make(&app->keymap, &looks->keys);
	rules_make(&app->rules, &looks->view);
}

void
settings_filters(struct app *app, int severity, bool unassigned, const char *filter)
{
	app->filters.severities =
	    filter_threshold(severity ? (enum severity)severity : SEVERITY_DEBUG, !unassigned);
	filters_clear(app);
	if (filter)
		filters_type(app, 0, filter, false);
}

/* Where a view says whether a pane is open; NULL: it does not. */
static bool *
wanted(struct view *view, int pane)
{
	bool *const all[PANE_COUNT] = {
	    [PANE_DETAIL] = &view->detail,     [PANE_HEX] = &view->hex,
	    [PANE_MARKS] = &view->marks,       [PANE_CONTEXT] = &view->context,
	    [PANE_TIMELINE] = &view->timeline, [PANE_FILTERS] = &view->filter_list,
	    [PANE_ORIGINS] = &view->origins};
	return all[pane];
}

/* What a view says beside its columns: only of a view that is new, not of one
 * that is read again, because all of it has keys. */
static void
enter_view(struct app *app, bool filters)
{
	struct view *view = &app->options->looks.view;
	app->time_mode = (enum time_mode)view->time;
	app->layout_mode = (enum layout_mode)view->layout;
	for (int i = 0; i < PANE_COUNT; i++)
		if (wanted(view, i))
			app->open[i] = *wanted(view, i);
	if (!app->open[PANE_FILTERS])
		filters_uncount(app);
	if (!app->open[app->focus])
		app_focus(app, PANE_LIST);
	if (filters)
		settings_filters(app, view->severity, view->unassigned, view->filter);
}

void
settings_start(struct app *app)
{
	apply(app);
	enter_view(app, filter_is_all(&app->options->filter));
}

static bool
load(struct app *app, enum looks_part part, const char *what)
{
	struct ui_options *options = app->options;
	struct text path = {0};
	struct err err = {0};
	if (what)
		path_read(what, &path);
	bool good = options->load(options->load_context, part, what ? text_get(&path) : NULL,
				  &options->looks, &err) >= 0;
	if (!good)
		app_trouble(app, "%s", err.what);
	apply(app);
	text_free(&path);
	return good;
}

void
settings_choose(struct app *app, const struct command_call *call)
{
	enum looks_part part = call->id == COMMAND_VIEW	   ? LOOKS_VIEW
			       : call->id == COMMAND_THEME ? LOOKS_THEME
							   : LOOKS_KEYS;
	if (!load(app, part, call->text))
		return;
	if (part == LOOKS_VIEW) {
		struct text name = {0}; /* call->text may be the old one */
		path_read(call->text, &name);
		free(app->view_name);
		app->view_name = name.data;
		enter_view(app, true);
	}
	app_say(app, "%s %s", commands[call->id].name, call->text);
}

/* Puts what the screen has now into the view, as far as a view can say it. */
static void
remember_view(struct app *app)
{
	struct view *view = &app->options->looks.view;
	view->time = app->time_mode;
	view->layout = app->layout_mode;
	for (int i = 0; i < PANE_COUNT; i++)
		if (wanted(view, i))
			*wanted(view, i) = app->open[i];
	bool whole;
	enum severity level = filters_threshold(&app->filters, &whole);
	view->severity = level == SEVERITY_DEBUG ? SEVERITY_MAX : (int)level;
	view->unassigned = app->filters.severities & 1;
	free(view->filter);
	view->filter = app_filter_text(app) ? mem_text(app_filter_text(app)) : NULL;
}

static void
tell(struct app *app, const struct option_row *row)
{
	struct text value = {0};
	bool there = option_get(row, &app->options->looks.view, &value);
	app_say(app, "%s=%s", row->name, there ? text_get(&value) : "");
	text_free(&value);
}

/* Sets one member; an empty text takes a filter away. */
static const char *
set(const struct option_row *row, struct view *view, const char *value, char buffer[static 256])
{
	if (row->type == OPTION_TEXT && !*value) {
		char **text = (char **)((char *)view + row->member);
		free(*text);
		*text = NULL;
		return NULL;
	}
	return option_set(row, view, value, buffer);
}

void
settings_set(struct app *app, const struct command_call *call)
{
	struct view *view = &app->options->looks.view;
	size_t length = strcspn(call->text, "= ");
	const char *value = call->text + length;
	char name[32], buffer[256];
	snprintf(name, sizeof name, "%.*s", (int)length, call->text);
	const struct option_row *row = option_find(&view_options_table, name);
	if (!row) {
		const char *near = option_nearest(&view_options_table, name);
		app_trouble(app, "no setting %s; %s%s", name,
			    near ? "did you mean " : "Tab shows them", near ? near : "");
		return;
	}
	remember_view(app);
	if (!*value) {
		tell(app, row);
		return;
	}
	int severity = view->severity;
	bool unassigned = view->unassigned;
	char *filter = view->filter ? mem_text(view->filter) : NULL;
	const char *expected = set(row, view, value + 1, buffer);
	bool filters = severity != view->severity || unassigned != view->unassigned ||
		       !filter != !view->filter || (filter && strcmp(filter, view->filter) != 0);
	free(filter);
	if (expected) {
		app_trouble(app, "%s is not %s; expected %s", name, value + 1, expected);
		return;
	}
	enter_view(app, filters);
	tell(app, row);
}

void
settings_source(struct app *app, const struct command_call *call)
{
	if (load(app, LOOKS_PARTS, call->text) && call->id == COMMAND_SOURCE)
		app_say(app, "%s read", call->text ? call->text : "view, theme and keys");
}
