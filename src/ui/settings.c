/*
 * New looks for a running screen: see settings.h.
 *
 * The looks are loaded by whoever started the screen (ui_options.load); what
 * is wrong with them is said in the last row, and the old ones stay.
 */
#include "config.h"

#include "ui/settings.h"
#include "ui/app.h"

#include <stdlib.h>

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
	app->threshold = severity ? (enum severity)severity : SEVERITY_DEBUG;
	app->hide_unassigned = !unassigned;
	app_run(app, (struct command_call){.id = COMMAND_FILTER, .text = filter ? filter : ""});
}

/* What a view says beside its columns: only of a view that is new, not of one
 * that is read again, because all of it has keys. */
static void
enter_view(struct app *app, bool filters)
{
	const struct view *view = &app->options->looks.view;
	app->time_mode = (enum time_mode)view->time;
	app->layout_mode = (enum layout_mode)view->layout;
	app->open[PANE_DETAIL] = view->detail;
	app->open[PANE_HEX] = view->hex;
	app->open[PANE_MARKS] = view->marks;
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
	struct err err = {0};
	bool good = options->load(options->load_context, part, what, &options->looks, &err) >= 0;
	if (!good)
		app_trouble(app, "%s", err.what);
	apply(app);
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
		char *name = mem_text(call->text); /* it may be the old one */
		free(app->view_name);
		app->view_name = name;
		enter_view(app, true);
	}
	app_say(app, "%s %s", commands[call->id].name, call->text);
}

void
settings_source(struct app *app, const struct command_call *call)
{
	load(app, LOOKS_PARTS, call->text);
}
