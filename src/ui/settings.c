/*
 * New looks for a running screen: see settings.h.
 *
 * main() supplies the function that loads the looks (ui_options.load).  If that fails, the
 * last row shows the error and the old looks stay.
 */
#include "config.h"

#include "ui/settings.h"
#include "base/nearest.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "ui/app.h"
#include "ui/list/filters.h"
#include "ui/list/rules.h"
#include "ui/list/shown.h"
#include "ui/list/view.h"
#include "session/sequence.h"
#include "session/session.h"
#include "ui/prompt/path.h"
#include "ui/screen/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PALETTE = 256 /* colours needed to choose a theme by the background */ };

void
settings_apply(struct screen *screen)
{
	const struct looks *looks = &app_of(screen)->options->looks;
	const struct own *own = &app_of(screen)->options->own;
	const struct own_key *keys = own->keys.at;
	struct text unused = {0};
	keymap_free(screen->keymap);
	keymap_make(screen->keymap, &looks->keys);
	for (size_t i = 0; i < own->keys.count; i++)
		keymap_bind_line(screen->keymap, keys[i].key, keys[i].command, &unused);
	rules_free(screen->rules);
	rules_add(screen->rules, own->highlights.at, own->highlights.count);
	rules_add(screen->rules, looks->view.rules.at, looks->view.rules.count);
	term_theme(screen->term, &looks->theme, screen->rules->colours.at,
		   screen->rules->colours.count);
	text_free(&unused);
}

void
settings_filters(struct screen *screen, int severity, bool unassigned, const char *filter)
{
	enum severity level = severity ? (enum severity)severity : SEVERITY_NONE; /* 0: all */
	screen->filters->severities = filter_threshold(level, unassigned);
	filters_clear(screen);
	if (filter)
		filters_type(screen, 0, filter, false);
}

/* Return the member of a view that opens a pane, or NULL. */
static bool *
pane_member(struct view *view, int pane)
{
	bool *const all[PANE_COUNT] = {
	    [PANE_DETAIL] = &view->detail,     [PANE_HEX] = &view->hex,
	    [PANE_MARKS] = &view->marks,       [PANE_CONTEXT] = &view->context,
	    [PANE_TIMELINE] = &view->timeline, [PANE_FILTERS] = &view->filter_list,
	    [PANE_ORIGINS] = &view->origins};
	return all[pane];
}

/* Apply the settings of a view other than its columns.  Reading a view again does not do this: keys
 * may have changed all these settings. */
static void
enter_view(struct screen *screen, bool filters)
{
	struct view *view = &app_of(screen)->options->looks.view;
	screen->time_mode = (enum time_mode)view->time;
	session_set_utc(screen->session, view->utc);
	app_of(screen)->layout_mode = (enum layout_mode)view->layout;
	term_set_mouse(screen->term, view->mouse);
	for (int i = 0; i < PANE_COUNT; i++)
		if (pane_member(view, i))
			screen->open[i] = *pane_member(view, i);
	if (!screen->open[PANE_FILTERS])
		filters_uncount(screen);
	if (!screen->open[screen->focus])
		shown_set_focus(screen, PANE_LIST);
	if (filters)
		settings_filters(screen, view->severity, view->unassigned, view->filter);
}

/* Load the theme for the terminal's background, unless the user chose one. */
static void
suit_terminal(struct screen *screen, bool light)
{
	struct ui_options *options = app_of(screen)->options;
	struct err err = {0};
	if (options->suit(options->load_context, light ? "light" : "dark-256", &options->looks,
			  &err) < 0)
		screen_error(screen, NOTICE_SETTINGS_REFUSED, err.what);
}

bool
settings_follow_background(struct screen *screen)
{
	bool light = screen->term->light;
	if (light == app_of(screen)->light || screen->term->colours < PALETTE)
		return false;
	app_of(screen)->light = light;
	suit_terminal(screen, light);
	settings_apply(screen);
	return true;
}

void
settings_start(struct screen *screen)
{
	if (screen->term->colours >= PALETTE) {
		term_ask_background(screen->term);
		app_of(screen)->light = screen->term->light;
		suit_terminal(screen, app_of(screen)->light);
	}
	settings_apply(screen);
	enter_view(screen, filter_is_all(&app_of(screen)->options->filter));
}

static bool
load_looks(struct screen *screen, enum looks_part part, const char *what)
{
	struct ui_options *options = app_of(screen)->options;
	struct text path = {0};
	struct err err = {0};
	if (what)
		path_read(what, &path);
	bool good = options->load(options->load_context, part, what ? text_get(&path) : NULL,
				  &options->looks, &err) >= 0;
	if (!good)
		screen_error(screen, NOTICE_SETTINGS_REFUSED, err.what);
	settings_apply(screen);
	text_free(&path);
	return good;
}

void
settings_choose(struct screen *screen, const struct command_call *call)
{
	enum looks_part part = call->id == COMMAND_VIEW	   ? LOOKS_VIEW
			       : call->id == COMMAND_THEME ? LOOKS_THEME
							   : LOOKS_KEYS;
	if (!load_looks(screen, part, call->text))
		return;
	if (part == LOOKS_VIEW) {
		struct text name = {0}; /* call->text may be the old name */
		path_read(call->text, &name);
		free(app_of(screen)->view_name);
		app_of(screen)->view_name = name.data;
		enter_view(screen, true);
	}
	screen_say(screen, NOTICE_LOOK_CHOSEN, commands[call->id].name, call->text);
}

/* Store the screen's state in the view, as far as a view can hold it. */
static void
remember_view(struct screen *screen)
{
	struct view *view = &app_of(screen)->options->looks.view;
	view->time = screen->time_mode;
	view->layout = app_of(screen)->layout_mode;
	for (int i = 0; i < PANE_COUNT; i++)
		if (pane_member(view, i))
			*pane_member(view, i) = screen->open[i];
	bool whole;
	enum severity level = filters_threshold(screen->filters, &whole);
	view->severity = level == SEVERITY_NONE ? 0 : (int)level;
	if (level != SEVERITY_NONE)
		view->unassigned = screen->filters->severities >> SEVERITY_NONE & 1;
	free(view->filter);
	view->filter = filters_text(screen) ? mem_text(filters_text(screen)) : NULL;
}

static void
say_setting(struct screen *screen, const struct option_row *row)
{
	struct text value = {0};
	bool there = option_get(row, &app_of(screen)->options->looks.view, &value);
	screen_say(screen, NOTICE_SETTING, row->name, there ? text_get(&value) : "");
	text_free(&value);
}

/* Find a member by its name, or by its name after `no`.  Where VALUE is not NULL and *VALUE is, set
 * that to the value that vi gives such a name: a boolean becomes true, after `no` false. */
static const struct option_row *
find_member(const char *name, const char **value)
{
	const struct option_row *row = option_find(&view_options_table, name);
	bool off = !row && value && !*value && !strncmp(name, "no", 2);
	if (off)
		row = option_find(&view_options_table, name + 2);
	if (off && row && row->type != OPTION_BOOL)
		return NULL;
	if (row && row->type == OPTION_BOOL && value && !*value)
		*value = off ? "false" : "true";
	return row;
}

/* Set one member.  An empty text removes a filter. */
static const char *
set_member(const struct option_row *row, struct view *view, const char *value,
	   char buffer[static 256])
{
	if (row->type == OPTION_TEXT && !*value) {
		char **text = (char **)((char *)view + row->member);
		free(*text);
		*text = NULL;
		return NULL;
	}
	return option_set(row, view, value, buffer);
}

/* Set the session's order of messages, and report it. */
static void
set_order(struct screen *screen, const char *order)
{
	struct err err = {0};
	if (*order && session_set_order(screen->session, order, &err) < 0) {
		screen_error(screen, NOTICE_ORDER_REFUSED, err.what);
		return;
	}
	if (*order) {
		sequence_wake(screen->sequence);
		screen->display_generation++;
	}
	screen_say(screen, NOTICE_ORDER, session_order(screen->session));
}

void
settings_set(struct screen *screen, const struct command_call *call)
{
	struct view *view = &app_of(screen)->options->looks.view;
	if (!call->text || !*call->text) {
		screen->open[PANE_SETTINGS] = true;
		shown_set_focus(screen, PANE_SETTINGS);
		return;
	}
	size_t length = strcspn(call->text, "= ?");
	const char *value = call->text + length;
	bool shown = *value == '?';
	char name[32], buffer[256];
	snprintf(name, sizeof name, "%.*s", (int)length, call->text);
	if (!strcmp(name, "order")) {
		set_order(screen, shown ? "" : value + (*value != '\0'));
		return;
	}
	value = *value && !shown ? value + 1 : NULL;
	const struct option_row *row = find_member(name, shown ? NULL : &value);
	if (!row) {
		struct nearest_hint hint =
		    nearest_hint(name, option_next_name, (void *)&view_options_table);
		char line[40];
		snprintf(line, sizeof line, "set %s", name);
		const char *instead = habit_line_find(line);
		if (instead)
			screen_error(screen, NOTICE_COMMAND_INSTEAD, line, instead);
		else
			screen_error(screen, NOTICE_SETTING_UNKNOWN, name,
				     nearest_hint_or(&hint, NOTICE_TAB_LISTS));
		return;
	}
	remember_view(screen);
	if (!value) {
		say_setting(screen, row);
		return;
	}
	int severity = view->severity;
	bool unassigned = view->unassigned;
	char *filter = view->filter ? mem_text(view->filter) : NULL;
	const char *expected = set_member(row, view, value, buffer);
	bool filters = severity != view->severity || unassigned != view->unassigned ||
		       !filter != !view->filter || (filter && strcmp(filter, view->filter) != 0);
	free(filter);
	if (expected) {
		screen_error(screen, NOTICE_SETTING_REFUSED, name, value, expected);
		return;
	}
	enter_view(screen, filters);
	say_setting(screen, row);
}

void
settings_source(struct screen *screen, const struct command_call *call)
{
	if (load_looks(screen, LOOKS_PARTS, call->text) && call->id == COMMAND_SOURCE)
		screen_say(screen, NOTICE_SETTINGS_READ,
			   call->text ? call->text : NOTICE_ALL_LOOKS);
}
