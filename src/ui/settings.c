/*
 * New looks for a running screen: see settings.h.
 *
 * The looks are loaded by whoever started the screen (ui_options.load); what
 * is wrong with them is said in the last row, and the old ones stay.
 */
#include "config.h"

#include "ui/settings.h"
#include "ui/app.h"

/* Makes what is on the screen follow the looks. */
static void
apply(struct app *app)
{
	struct looks *looks = &app->options->looks;
	term_theme(app->term, &looks->theme);
	keymap_free(&app->keymap);
	keymap_make(&app->keymap, &looks->keys);
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
	if (load(app, part, call->text))
		app_say(app, "%s %s", commands[call->id].name, call->text);
}

void
settings_source(struct app *app, const struct command_call *call)
{
	load(app, LOOKS_PARTS, call->text);
}
