/*
 * The commands that belong to no pane: filters, panes, time, facts, leaving.
 */
#include "config.h"

#include "decode/registry.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/notebook.h"
#include "ui/panes/pane_context.h"
#include "ui/panes/pane_timeline.h"
#include "ui/session.h"
#include "ui/settings.h"

#include <string.h>

/* --- filters ----------------------------------------------------------- */

static void
say_severities(struct app *app)
{
	struct text text = {0};
	bool whole;
	enum severity level = filters_threshold(&app->filters, &whole);
	app->filters.off = false;
	app_refilter(app);
	if (whole)
		text_addf(&text, "severity %s and worse", severity_name(level));
	else
		bars_add_severities(app, &text);
	if (app->list->hits.count) {
		text_add(&text, ": ");
		bars_add_count(app, &app->list->hits, &text);
	}
	app_say(app, "%s; messages without one are %s", text_get(&text),
		app->filters.severities & 1 ? "shown" : "hidden");
	text_free(&text);
}

static void
set_severities(struct app *app, enum severity level)
{
	app->filters.severities = filter_threshold(level, !(app->filters.severities & 1));
	say_severities(app);
}

static void
step_threshold(struct app *app, const struct command_call *call)
{
	bool whole;
	int64_t step = call->id == COMMAND_STRICTER ? -app_count(call) : app_count(call);
	int64_t level = (int64_t)filters_threshold(&app->filters, &whole) + step;
	level = level < SEVERITY_FATAL ? SEVERITY_FATAL : level;
	set_severities(app, level > SEVERITY_DEBUG ? SEVERITY_DEBUG : (enum severity)level);
}

static void
set_threshold(struct app *app, const struct command_call *call)
{
	int level = severity_parse(call->text);
	if (level <= 0) {
		app_trouble(app,
			    "%s is no severity; fatal, error, warning, info, user1, user2, debug",
			    call->text);
		return;
	}
	set_severities(app, (enum severity)level);
}

static void
toggle_unassigned(struct app *app, const struct command_call *call)
{
	(void)call;
	app->filters.severities ^= 1u << SEVERITY_MAX;
	say_severities(app);
}

/* The first filter; with nothing, none at all. */
static void
narrow(struct app *app, const struct command_call *call)
{
	if (call->text[strspn(call->text, " ")])
		filters_type(app, 0, call->text, false);
	else
		filters_clear(app);
}

/* The same, but never taken for a regular expression. */
static void
set_expression(struct app *app, const struct command_call *call)
{
	struct text why = {0};
	struct filter_entry entry = {.expr = filters_parse(app->session, call->text, &why)};
	if (entry.expr)
		filters_put(app, 0, entry);
	else if (why.length)
		app_trouble(app, "%s", why.data);
	else
		filters_clear(app);
	text_free(&why);
}

static void
add_filter(struct app *app, const struct command_call *call)
{
	filters_type(app, SIZE_MAX, call->text, false);
}

static void
surround(struct app *app, const struct command_call *call)
{
	int64_t step = call->id == COMMAND_MORE_CONTEXT ? app_count(call) : -app_count(call);
	int64_t around = (int64_t)app->list->around + step;
	around = around < 0 ? 0 : around > UI_AROUND_MAX ? UI_AROUND_MAX : around;
	for (size_t i = 0; i < app->list_count; i++)
		list_surround(&app->lists[i], (unsigned)around, i == app->trace);
	app_say(app, "%lld messages before and after each that passes", (long long)around);
}

static void
toggle_filters(struct app *app, const struct command_call *call)
{
	(void)call;
	app->filters.off = !app->filters.off;
	app_refilter(app);
	app_say(app, app->filters.off ? "filters off" : "filters on");
}

/* --- panes ------------------------------------------------------------- */

static void
toggle_pane(struct app *app, enum pane_id pane)
{
	app->open[pane] = !app->open[pane];
	if (!app->open[pane] && app->focus == pane)
		app_focus(app, PANE_LIST);
	if (!app->open[PANE_FILTERS])
		filters_uncount(app);
}

static void
toggle_detail(struct app *app, const struct command_call *call)
{
	(void)call;
	toggle_pane(app, PANE_DETAIL);
}

static void
toggle_hex(struct app *app, const struct command_call *call)
{
	(void)call;
	toggle_pane(app, PANE_HEX);
}

/* Somebody who opens a list wants to choose from it. */
static void
toggle_chooser(struct app *app, enum pane_id pane)
{
	toggle_pane(app, pane);
	if (app->open[pane])
		app_focus(app, pane);
}

static void
toggle_marks(struct app *app, const struct command_call *call)
{
	(void)call;
	toggle_chooser(app, PANE_MARKS);
}

static void
toggle_syncs(struct app *app, const struct command_call *call)
{
	(void)call;
	toggle_chooser(app, PANE_SYNCS);
}

static void
toggle_filter_list(struct app *app, const struct command_call *call)
{
	(void)call;
	toggle_chooser(app, PANE_FILTERS);
}

static void
toggle_context(struct app *app, const struct command_call *call)
{
	(void)call;
	toggle_pane(app, PANE_CONTEXT);
}

static void
toggle_origins(struct app *app, const struct command_call *call)
{
	(void)call;
	toggle_chooser(app, PANE_ORIGINS);
}

static void
open_detail(struct app *app, const struct command_call *call)
{
	(void)call;
	app->open[PANE_DETAIL] = true;
	app_focus(app, PANE_DETAIL);
}

static void
open_help(struct app *app, const struct command_call *call)
{
	(void)call;
	app->open[PANE_HELP] = true;
	app_focus(app, PANE_HELP);
}

static void
open_messages(struct app *app, const struct command_call *call)
{
	(void)call;
	app->open[PANE_MESSAGES] = true;
	app_focus(app, PANE_MESSAGES);
}

static void
open_clocks(struct app *app, const struct command_call *call)
{
	(void)call;
	app->open[PANE_CLOCKS] = true;
	app_focus(app, PANE_CLOCKS);
}

static void
next_pane(struct app *app, const struct command_call *call)
{
	int step = call->id == COMMAND_PANE_NEXT ? 1 : PANE_COUNT - 1;
	int pane = (int)app->focus;
	do
		pane = (pane + step) % PANE_COUNT;
	while (!app->open[pane]);
	app_focus(app, (enum pane_id)pane);
}

/* The pane whose border lies nearest in a direction. */
static void
go_to_pane(struct app *app, const struct command_call *call)
{
	const struct area *from = &app->layout.panes[app->focus];
	int best = -1, least = 0;
	for (int i = 0; i < PANE_COUNT; i++) {
		const struct area *to = &app->layout.panes[i];
		int distance = 0;
		if (!app->open[i] || to->rows <= 0 || i == (int)app->focus)
			continue;
		if (call->id == COMMAND_PANE_LEFT)
			distance = from->col - to->col;
		else if (call->id == COMMAND_PANE_RIGHT)
			distance = to->col - from->col;
		else if (call->id == COMMAND_PANE_UP)
			distance = from->row - (to->row + to->rows) + 1;
		else
			distance = to->row - (from->row + from->rows) + 1;
		if (distance > 0 && (best < 0 || distance < least)) {
			best = i;
			least = distance;
		}
	}
	if (best >= 0)
		app_focus(app, (enum pane_id)best);
}

static void
cycle_layout(struct app *app, const struct command_call *call)
{
	(void)call;
	app->layout_mode = (enum layout_mode)((app->layout_mode + 1) % LAYOUT_MODES);
	app_say(app, "layout %s", layout_mode_name(app->layout_mode));
}

static void
toggle_zoom(struct app *app, const struct command_call *call)
{
	(void)call;
	app->zoom = !app->zoom;
}

static void
move_split(struct app *app, const struct command_call *call)
{
	int64_t step = call->id == COMMAND_SPLIT_MORE ? app_count(call) : -app_count(call);
	int64_t split = app->split + step;
	app->split = split < -10 ? -10 : split > 10 ? 10 : (int)split;
}

/* --- screen and program ------------------------------------------------ */

static void
cycle_time(struct app *app, const struct command_call *call)
{
	(void)call;
	do
		app->time_mode = (enum time_mode)((app->time_mode + 1) % TIME_MODES);
	while (app->time_mode == TIME_MARK && !app->jumps.has_base);
	app_say(app, "time: %s", time_mode_name(app->time_mode));
}

static void
say_facts(struct app *app, const struct command_call *call)
{
	struct trace *trace = app->list->trace;
	const struct row *row = list_current(app->list);
	const struct message *m = row ? reader_message(app->list->reader, row->at) : NULL;
	struct index_progress progress;
	struct text facts = {0};
	char digits[32];
	bool exact;
	(void)call;
	if (m) {
		uint64_t number = list_number(app->list, row, &exact);
		text_addf(&facts, "message %s%s", exact ? "" : "~", text_number(digits, number));
		if (app->list->merge) { /* as files and filters have it */
			number = reader_number(app->list->reader, row->at, &exact);
			text_addf(&facts, ", of its trace number %s%s", exact ? "" : "~",
				  text_number(digits, number));
		}
		text_addf(&facts, ", at 0x%llx, %u B, ", (unsigned long long)m->offset, m->length);
	}
	index_get_progress(trace_index(trace), &progress);
	text_addf(&facts, "%s, %s (%s), %s B, ", trace_name(trace),
		  decoder_name(trace_decoder(trace)->ops), trace_reason(trace),
		  text_number(digits, capture_size(trace_capture(trace))));
	if (progress.complete)
		text_addf(&facts, "%s messages", text_number(digits, progress.messages));
	else
		text_addf(&facts, "%s messages so far", text_number(digits, progress.messages));
	app_say(app, "%s", text_get(&facts));
	text_free(&facts);
}

/* All traces, so that none is behind when one looks at it. */
static void
follow(struct app *app, const struct command_call *call)
{
	bool on = !app->list->tail;
	(void)call;
	for (size_t i = 0; i < app->session->traces.count; i++) {
		trace_follow(app->session->traces.at[i], on);
		if (on)
			list_follow(&app->lists[i]);
		app->lists[i].tail = on;
	}
	if (app->list->merge && on)
		list_follow(app->list);
	app->list->tail = on;
	if (!on)
		app_say(app, "no longer following");
}

static void
reread(struct app *app, const struct command_call *call)
{
	for (size_t i = 0; i < app->session->traces.count; i++)
		trace_reread(app->session->traces.at[i]);
	settings_source(app, call);
	list_rebuild(app->list);
}

/* For who needs the disk or the processors for something else. */
static void
pause_index(struct app *app, const struct command_call *call)
{
	struct index_progress progress;
	(void)call;
	index_get_progress(trace_index(app->list->trace), &progress);
	for (size_t i = 0; i < app->session->traces.count; i++)
		index_pause(trace_index(app->session->traces.at[i]), !progress.paused);
	app_say(app, progress.paused ? "indexing goes on" : "indexing is paused; :pause goes on");
}

static void
try_format(struct app *app, const struct command_call *call)
{
	if (!decoder_find(call->text))
		app_trouble(app, "no such format: %s; Tab lists them", call->text);
	else
		app_try(app, (struct app_trial){.trace = app->list->trace, .format = call->text});
}

static void
redraw(struct app *app, const struct command_call *call)
{
	(void)call;
	term_forget(app->term);
}

static void
suspend(struct app *app, const struct command_call *call)
{
	(void)call;
	app_suspend(app);
}

/* Ends the counting of matches, if there is any. */
static bool
stop_counting(struct hits *hits)
{
	struct matches_progress progress;
	hits_get_progress(hits, &progress);
	bool stops = progress.working && !progress.exact;
	if (stops)
		hits_stop(hits);
	return stops;
}

static bool
stop_counts(struct app *app)
{
	bool matches = stop_counting(&app->search.hits);
	return stop_counting(&app->list->hits) || matches;
}

static void
cancel(struct app *app, const struct command_call *call)
{
	if (search_running(&app->search)) {
		search_cancel(app);
		return;
	}
	if (write_cancel(app))
		return;
	if (list_busy(app->list)) {
		list_cancel(app->list);
		return;
	}
	if (range_drop(app))
		return;
	if (call->letter != KEYCODE_CTRL('C') && !app->search.highlight &&
	    trace_on_trial(app->list->trace)) {
		app_try(app, (struct app_trial){.trace = app->list->trace});
		return;
	}
	if (call->letter != KEYCODE_CTRL('C')) {
		search_forget(&app->search);
		search_uncount(app);
	} else if (stop_counts(app)) {
		app_say(app, "stopped counting");
	} else {
		struct text hint = {0};
		keymap_hint(&app->keymap, COMMAND_CLOSE, &hint);
		app_say(app, "%s quits", hint.data);
		text_free(&hint);
	}
}

static void
quit(struct app *app, const struct command_call *call)
{
	(void)call;
	app->quit = true;
}

/* Closes the pane with the cursor; the list is the last. */
static void
close_top(struct app *app, const struct command_call *call)
{
	if (app->zoom)
		app->zoom = false;
	else if (app->focus != app_base(app))
		toggle_pane(app, app->focus);
	else
		quit(app, call);
}

/* What a beginning of names may mean, or that it means nothing. */
static void
say_unknown(struct app *app, const char *name, size_t length)
{
	struct text names = {0};
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strncmp(commands[i].name, name, length))
			text_addf(&names, "%s%s", names.length ? ", " : "", commands[i].name);
	if (names.length)
		app_trouble(app, "\"%.*s\" may be: %s", (int)length, name, names.data);
	else
		app_trouble(app, "no command \"%.*s\"; Tab completes", (int)length, name);
	text_free(&names);
}

/* Runs `NAME TEXT`; a number goes to that message. */
static void
run_line(struct app *app, const struct command_call *call)
{
	const char *text = call->text + strspn(call->text, " ");
	size_t length = strcspn(text, " ");
	struct command_call number = {.id = COMMAND_TOP, .counted = true};
	if (!text[strspn(text, "0123456789")] && text_parse_uint(text, UINT64_MAX, &number.count)) {
		jump_top(app, &number);
		return;
	}
	bool force = length > 1 && text[length - 1] == '!'; /* then `!` is of the text */
	length -= force;
	enum command_id id = command_find(text, length);
	if (!length)
		return;
	if (id == COMMAND_COUNT) {
		say_unknown(app, text, length);
		return;
	}
	if (force && id != COMMAND_WRITE && id != COMMAND_SAVE) {
		app_trouble(app, ":%s takes no !; leave it out", commands[id].name);
		return;
	}
	const char *rest = text + length + strspn(text + length, " ");
	struct command_call run = {.id = id, .count = 1};
	if ((commands[id].argument == ARGUMENT_TEXT || commands[id].argument == ARGUMENT_LINE) &&
	    *rest)
		run.text = rest;
	else if (commands[id].argument == ARGUMENT_COUNT)
		run.counted = text_parse_uint(rest, UINT64_MAX, &run.count);
	else if (commands[id].argument == ARGUMENT_LETTER)
		run.letter = (unsigned char)*rest;
	app_run(app, run);
}

pane_command *const app_commands[COMMAND_COUNT] = {
    [COMMAND_GOTO] = jump_goto,
    [COMMAND_FOLLOW] = follow,
    [COMMAND_PERCENT] = jump_percent,
    [COMMAND_BACK] = jump_trail,
    [COMMAND_FORWARD] = jump_trail,
    [COMMAND_SEARCH] = search_text,
    [COMMAND_SEARCH_BACK] = search_text,
    [COMMAND_NEXT] = search_again,
    [COMMAND_PREVIOUS] = search_again,
    [COMMAND_NEXT_ERROR] = search_kind,
    [COMMAND_PREVIOUS_ERROR] = search_kind,
    [COMMAND_NEXT_WARNING] = search_kind,
    [COMMAND_PREVIOUS_WARNING] = search_kind,
    [COMMAND_NEXT_LOSS] = search_kind,
    [COMMAND_PREVIOUS_LOSS] = search_kind,
    [COMMAND_NEXT_SYNC] = search_kind,
    [COMMAND_PREVIOUS_SYNC] = search_kind,
    [COMMAND_NEXT_RESYNC] = search_kind,
    [COMMAND_PREVIOUS_RESYNC] = search_kind,
    [COMMAND_NEXT_TRIGGER] = search_kind,
    [COMMAND_PREVIOUS_TRIGGER] = search_kind,
    [COMMAND_NEXT_CONTEXT] = contexts_jump,
    [COMMAND_PREVIOUS_CONTEXT] = contexts_jump,
    [COMMAND_NEXT_ORIGIN] = search_origin,
    [COMMAND_PREVIOUS_ORIGIN] = search_origin,
    [COMMAND_NEXT_LIKE] = search_example,
    [COMMAND_PREVIOUS_LIKE] = search_example,
    [COMMAND_NEXT_SILENCE] = search_silence,
    [COMMAND_PREVIOUS_SILENCE] = search_silence,
    [COMMAND_NEXT_TRACE] = jump_trace,
    [COMMAND_PREVIOUS_TRACE] = jump_trace,
    [COMMAND_CANCEL] = cancel,
    [COMMAND_STRICTER] = step_threshold,
    [COMMAND_LOOSER] = step_threshold,
    [COMMAND_SEVERITY] = set_threshold,
    [COMMAND_UNASSIGNED] = toggle_unassigned,
    [COMMAND_NARROW] = narrow,
    [COMMAND_FILTER] = set_expression,
    [COMMAND_FILTERS] = toggle_filters,
    [COMMAND_MORE_CONTEXT] = surround,
    [COMMAND_LESS_CONTEXT] = surround,
    [COMMAND_FILTER_LIST] = toggle_filter_list,
    [COMMAND_FILTER_ADD] = add_filter,
    [COMMAND_ORIGINS] = toggle_origins,
    [COMMAND_MARK] = jump_set,
    [COMMAND_BOOKMARK] = jump_set,
    [COMMAND_JUMP] = jump_mark,
    [COMMAND_NOTE] = jump_note,
    [COMMAND_UNMARK] = jump_unmark,
    [COMMAND_RANGE] = range_toggle,
    [COMMAND_WRITE] = write_start,
    [COMMAND_SAVE] = notebook_save,
    [COMMAND_MARKS] = toggle_marks,
    [COMMAND_SYNCS] = toggle_syncs,
    [COMMAND_MESSAGES] = open_messages,
    [COMMAND_CLOCKS] = open_clocks,
    [COMMAND_SHOW_TRACE] = session_show_trace,
    [COMMAND_TIE] = session_tie,
    [COMMAND_UNTIE] = session_untie,
    [COMMAND_COUNTERPART] = session_counterpart,
    [COMMAND_NEXT_MARK] = jump_next_mark,
    [COMMAND_PREVIOUS_MARK] = jump_next_mark,
    [COMMAND_DETAIL] = toggle_detail,
    [COMMAND_HEX] = toggle_hex,
    [COMMAND_CONTEXT] = toggle_context,
    [COMMAND_TIMELINE] = timeline_toggle,
    [COMMAND_OPEN] = open_detail,
    [COMMAND_PANE_NEXT] = next_pane,
    [COMMAND_PANE_PREVIOUS] = next_pane,
    [COMMAND_PANE_LEFT] = go_to_pane,
    [COMMAND_PANE_DOWN] = go_to_pane,
    [COMMAND_PANE_UP] = go_to_pane,
    [COMMAND_PANE_RIGHT] = go_to_pane,
    [COMMAND_LAYOUT] = cycle_layout,
    [COMMAND_ZOOM] = toggle_zoom,
    [COMMAND_SPLIT_LESS] = move_split,
    [COMMAND_SPLIT_MORE] = move_split,
    [COMMAND_TIME] = cycle_time,
    [COMMAND_FACTS] = say_facts,
    [COMMAND_REREAD] = reread,
    [COMMAND_PAUSE] = pause_index,
    [COMMAND_VIEW] = settings_choose,
    [COMMAND_THEME] = settings_choose,
    [COMMAND_KEYS] = settings_choose,
    [COMMAND_SET] = settings_set,
    [COMMAND_SOURCE] = settings_source,
    [COMMAND_FORMAT] = try_format,
    [COMMAND_REDRAW] = redraw,
    [COMMAND_HELP] = open_help,
    [COMMAND_COMMAND] = run_line,
    [COMMAND_CLOSE] = close_top,
    [COMMAND_QUIT] = quit,
    [COMMAND_SUSPEND] = suspend,
};
