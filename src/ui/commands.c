/*
 * The commands that belong to no pane: filters, panes, time, facts, quitting.
 * command.def has their table.
 */
#include "config.h"

#include "ui/commands.h"
#include "base/nearest.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "decode/registry.h"
#include "session/programs.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/list/context_view.h"
#include "ui/list/flow_view.h"
#include "ui/list/filter_history.h"
#include "ui/list/filters.h"
#include "ui/list/list.h"
#include "ui/list/range.h"
#include "ui/list/row_filter.h"
#include "ui/list/run_fold.h"
#include "ui/list/search.h"
#include "ui/list/shown.h"
#include "ui/list/traces.h"
#include "ui/list/view.h"
#include "ui/list/waiting.h"
#include "ui/place.h"
#include "ui/own.h"
#include "ui/save.h"
#include "ui/panes/lines.h"
#include "ui/panes/pane_card.h"
#include "ui/panes/pane_differences.h"
#include "ui/panes/pane_intervals.h"
#include "ui/panes/pane_timeline.h"
#include "ui/panes/timeline_plots.h"
#include "ui/prompt/prompt.h"
#include "ui/screen/term.h"
#include "ui/recording.h"
#include "ui/settings.h"
#include "ui/signals.h"
#include "ui/state.h"
#include "ui/stop_when.h"
#include "ui/write.h"

#include <stdlib.h>
#include <string.h>

/* --- filters ----------------------------------------------------------- */

/* Append the severities shown, as an expression if one exists. */
static void
add_threshold(struct screen *screen, struct text *out)
{
	bool whole;
	enum severity level = filters_threshold(screen->filters, &whole);
	if (level == SEVERITY_NONE)
		text_add(out, NOTICE_SEVERITIES_ALL);
	else if (whole)
		text_addf(out, "severity >= %s", view_severities[level]);
	else
		filters_add_severities(screen, out);
}

/* Append whether messages without a severity are shown, and the key that changes it.  Append
 * nothing if there are none. */
static void
add_unassigned(struct screen *screen, struct text *out)
{
	struct index_progress progress;
	char digits[32];
	struct text hint = {0};
	bool shown = screen->filters->severities >> SEVERITY_NONE & 1;
	list_get_progress(screen->list, &progress);
	uint64_t count = progress.severities[SEVERITY_NONE];
	if (!count && progress.complete)
		return;
	keymap_hint(screen->keymap, COMMAND_UNASSIGNED, &hint);
	if (screen->filters->combined) /* other filters may hide them too */
		text_addf(out, shown ? NOTICE_UNASSIGNED_SHOWN : NOTICE_UNASSIGNED_LEFT_OUT,
			  hint.data);
	else
		text_addf(out, shown ? NOTICE_UNASSIGNED_COUNTED : NOTICE_UNASSIGNED_HIDDEN,
			  text_number(digits, count), progress.complete ? "" : "+", hint.data);
	text_free(&hint);
}

static void
apply_severities(struct screen *screen)
{
	struct text text = {0};
	screen->filters->disabled = false;
	filters_apply(screen);
	add_threshold(screen, &text);
	if (screen->list->matches.count) {
		struct text count = {0};
		bool counted = filters_add_count(screen, &screen->list->matches, &count);
		text_addf(&text, counted ? NOTICE_SEVERITIES_COUNTED : NOTICE_SEVERITIES_COUNTING,
			  text_get(&count));
		text_free(&count);
	}
	add_unassigned(screen, &text);
	screen_say(screen, NOTICE_SEVERITIES, text_get(&text));
	text_free(&text);
}

/* Show LEVEL and worse.  Messages without a severity stay shown or hidden; the view's setting
 * decides if no threshold was on. */
static void
set_severities(struct screen *screen, enum severity level)
{
	unsigned before = screen->filters->severities;
	bool unassigned = before == SEVERITY_ALL ? app_of(screen)->options->looks.view.unassigned
						 : before >> SEVERITY_NONE & 1;
	screen->filters->severities = filter_threshold(level, unassigned);
	apply_severities(screen);
}

/* Return the next level from FROM on that has a message, in steps of STEP, or SEVERITY_COUNT.
 * SEVERITY_NONE is the level that shows all. */
static int
next_level(const struct index_progress *progress, int from, int step)
{
	while (from >= SEVERITY_FATAL && from <= SEVERITY_NONE && !progress->severities[from])
		from += step;
	return from < SEVERITY_FATAL ? SEVERITY_COUNT : from;
}

/* Return the level one step stricter or looser that shows other messages, as far as they are
 * counted. */
static int
step_level(const struct index_progress *progress, int level, bool stricter)
{
	if (!stricter) {
		int looser = next_level(progress, level + 1, 1);
		bool last = looser >= SEVERITY_DEBUG && !progress->severities[SEVERITY_NONE];
		return last ? SEVERITY_NONE : looser;
	}
	int mildest = next_level(progress, level, -1);
	int worse = mildest < SEVERITY_COUNT ? next_level(progress, mildest - 1, -1) : mildest;
	if (worse < SEVERITY_COUNT)
		return worse;
	return progress->complete ? level : level - 1;
}

static void
step_threshold(struct screen *screen, const struct command_call *call)
{
	struct index_progress progress;
	bool whole, stricter = call->id == COMMAND_STRICTER;
	int before = (int)filters_threshold(screen->filters, &whole), level = before;
	list_get_progress(screen->list, &progress);
	for (int64_t left = command_steps(call); left && level > 0; left--) {
		int next = step_level(&progress, level, stricter);
		if (next == level)
			break;
		level = next;
	}
	if (level < SEVERITY_FATAL)
		level = SEVERITY_FATAL;
	int worst = next_level(&progress, level < SEVERITY_NONE ? level : SEVERITY_DEBUG, -1);
	if (level == before && whole && stricter && worst == SEVERITY_COUNT)
		screen_say(screen, NOTICE_SEVERITY_NONE_ANYWHERE);
	else if (level == before && whole && stricter)
		screen_say(screen, NOTICE_SEVERITY_WORST, view_severities[level]);
	else
		set_severities(screen, (enum severity)level);
}

static void
set_threshold(struct screen *screen, const struct command_call *call)
{
	bool all = !strcmp(call->text, view_severities[0]);
	int level = all ? SEVERITY_NONE : severity_parse(call->text);
	if (level < SEVERITY_FATAL) {
		struct nearest_hint hint = nearest_hint(call->text, severity_next_name, NULL);
		screen_error(screen, NOTICE_SEVERITY_UNKNOWN, call->text,
			     nearest_hint_or(&hint, NOTICE_SEVERITIES_ARE));
		return;
	}
	set_severities(screen, (enum severity)level);
}

static void
toggle_unassigned(struct screen *screen, const struct command_call *call)
{
	(void)call;
	screen->filters->severities ^= 1u << SEVERITY_NONE;
	apply_severities(screen);
}

/* Return the text of the first filter, or NULL if there is none.  The caller frees it. */
static char *
first_filter(const struct screen *screen)
{
	const struct filters *filters = screen->filters;
	struct text text = {0};
	if (!filters->list.count)
		return NULL;
	text_add(&text, filters->list.at[0].exclude ? "not " : "");
	text_add(&text, filter_expr_text(filters->list.at[0].expr));
	return text.data;
}

/* Report the first filter BEFORE a command replaced it, and free that text. */
static void
say_replaced(struct screen *screen, char *before)
{
	char *now = first_filter(screen);
	struct text hint = {0};
	keymap_hint(screen->keymap, COMMAND_UNDO_FILTER, &hint);
	if (before && now && strcmp(before, now) != 0)
		screen_say(screen, NOTICE_FILTER_REPLACED, before, hint.data);
	text_free(&hint);
	free(before);
	free(now);
}

/* Replace the first filter.  A blank text clears all filters. */
static void
set_first_filter(struct screen *screen, const struct command_call *call)
{
	char *before = first_filter(screen);
	if (call->text[strspn(call->text, " ")])
		filters_type(screen, 0, call->text, false);
	else
		filters_clear(screen);
	say_replaced(screen, before);
}

/* As set_first_filter, but never read the text as a regular expression. */
static void
set_expression(struct screen *screen, const struct command_call *call)
{
	struct text why = {0};
	struct filter_entry entry = {.expr = filters_parse(screen->session, call->text, &why)};
	char *before = first_filter(screen);
	if (entry.expr)
		filters_put(screen, 0, entry);
	else if (why.length)
		screen_error(screen, NOTICE_FILTER_REFUSED, why.data);
	else
		filters_clear(screen);
	say_replaced(screen, before);
	text_free(&why);
}

static void
add_filter(struct screen *screen, const struct command_call *call)
{
	filters_type(screen, SIZE_MAX, call->text, false);
}

static void
change_surroundings(struct screen *screen, const struct command_call *call)
{
	int64_t step =
	    call->id == COMMAND_MORE_CONTEXT ? command_steps(call) : -command_steps(call);
	int64_t around = (int64_t)screen->list->around + step;
	around = around < 0 ? 0 : around > UI_AROUND_MAX ? UI_AROUND_MAX : around;
	for (size_t i = 0; i < screen->list_count; i++)
		list_surround(&screen->lists[i], (unsigned)around, i == screen->trace);
	bool more = call->id == COMMAND_MORE_CONTEXT;
	struct text hint = {0}, undo = {0};
	keymap_hint(screen->keymap, COMMAND_LESS_CONTEXT, &hint);
	text_addf(&undo, NOTICE_KEY_UNDOES, hint.data);
	screen_say(screen, NOTICE_AROUND, (long long)around, around == 1 ? "" : "s",
		   more ? undo.data : "");
	text_free(&hint);
	text_free(&undo);
}

static void
toggle_filters(struct screen *screen, const struct command_call *call)
{
	(void)call;
	screen->filters->disabled = !screen->filters->disabled;
	filters_apply(screen);
	screen_say(screen, screen->filters->disabled ? NOTICE_FILTERS_OFF : NOTICE_FILTERS_ON);
}

/* Run the command of the detail pane, which has the selected field, wherever the cursor is. */
static void
filter_on_field(struct screen *screen, const struct command_call *call)
{
	struct text hint = {0};
	if (screen->open[PANE_DETAIL]) {
		screen->panes[PANE_DETAIL]->commands[COMMAND_FIELD_FILTER](screen, call);
		return;
	}
	keymap_hint(screen->keymap, COMMAND_DETAIL, &hint);
	screen_say(screen, NOTICE_FIELDS_FIRST, hint.data);
	text_free(&hint);
}

static void
go_to_percent_or_pair(struct screen *screen, const struct command_call *call)
{
	if (call->counted)
		jump_percent(screen, call);
	else if (!intervals_go_to_other(screen) && !flow_view_go_to_other(screen))
		traces_go_to_pair(screen, call);
}

/* --- panes ------------------------------------------------------------- */

static void
close_pane(struct screen *screen, enum pane_id pane)
{
	screen->open[pane] = false;
	if (screen->focus == pane)
		shown_set_focus(screen, PANE_LIST);
	if (screen->panes[pane]->news)
		screen->panes[pane]->news(screen); /* ends its background work */
	if (!screen->open[PANE_FILTERS])
		filters_uncount(screen);
}

/* Open a pane if it is closed, and put the cursor there. */
static void
open_pane(struct screen *screen, enum pane_id pane, const char *text)
{
	(void)text;
	screen->open[pane] = true;
	app_of(screen)->opened |= pane < PANE_GUESSES;
	shown_set_focus(screen, pane);
}

/* Open or close a pane.  With a text, always open it.  A pane that opens gets the cursor. */
static void
toggle_pane(struct screen *screen, enum pane_id pane, const char *text)
{
	const struct pane_ops *ops = screen->panes[pane];
	const char *typed = text && *text ? text : NULL;
	if (!typed && screen->open[pane])
		close_pane(screen, pane);
	else if (!ops->prepare || ops->prepare(screen, typed))
		open_pane(screen, pane, NULL);
}

/* With a range, show its time. */
static void
toggle_timeline(struct screen *screen, const struct command_call *call)
{
	if (timeline_show_range(screen))
		open_pane(screen, PANE_TIMELINE, NULL);
	else
		toggle_pane(screen, PANE_TIMELINE, call->text);
}

static void
plot_values(struct screen *screen, const struct command_call *call)
{
	if (timeline_plots_run(screen, call->text))
		open_pane(screen, PANE_TIMELINE, NULL);
}

static void
open_interval(struct screen *screen, const struct command_call *call)
{
	if (call->id == COMMAND_WHY ? intervals_show_causes(screen, call->text)
				    : call->text && intervals_define_typed(screen, call->text))
		open_pane(screen, PANE_INTERVALS, NULL);
}

/* Where the cursor is on code, the table is that of functions. */
static void
toggle_table(struct screen *screen, const struct command_call *call)
{
	bool code = screen->focus == PANE_CODE || screen->focus == PANE_STACK ||
		    screen->focus == PANE_FUNCTIONS;
	bool names = call->text && *call->text;
	toggle_pane(screen, code && !names ? PANE_FUNCTIONS : PANE_TABLE, call->text);
}

/* Return the lowest pane that is open next to the list, or PANE_LIST if there is none.  The hex
 * pane of an undecoded trace does not count: it belongs to the pane in the list's place. */
static enum pane_id
lowest_pane(const struct screen *screen)
{
	enum pane_id lowest = PANE_LIST;
	for (int pane = PANE_DETAIL; pane < PANE_GUESSES; pane++) {
		const struct area *own = &screen->layout.rules[pane];
		bool opened = screen->open[pane] && !(pane == PANE_HEX && screen->hex_closed);
		if (opened && (lowest == PANE_LIST || own->row > screen->layout.rules[lowest].row))
			lowest = (enum pane_id)pane;
	}
	return lowest;
}

static void
next_pane(struct screen *screen, const struct command_call *call)
{
	int step = call->id == COMMAND_PANE_NEXT ? 1 : PANE_COUNT - 1;
	int pane = (int)screen->focus;
	if (call->id == COMMAND_PANE_NEXT && call->letter == KEYCODE_TAB &&
	    pane == (int)PANE_LIST && lowest_pane(screen) == PANE_LIST) {
		/* vi's Ctrl-I is the same key */
		commands_run(screen, (struct command_call){.id = COMMAND_FORWARD, .count = 1});
		return;
	}
	do
		pane = (pane + step) % PANE_COUNT;
	while (!screen->open[pane]);
	shown_set_focus(screen, (enum pane_id)pane);
}

/* Go to the pane whose border is nearest in the direction of the command. */
static void
go_to_pane(struct screen *screen, const struct command_call *call)
{
	const struct area *from = &screen->layout.panes[screen->focus];
	int best = -1, least = 0;
	screen_place_panes(screen); /* keys may be faster than paints */
	for (int i = 0; i < PANE_COUNT; i++) {
		const struct area *to = &screen->layout.panes[i];
		int distance = 0;
		if (!screen->open[i] || to->rows <= 0 || i == (int)screen->focus)
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
		shown_set_focus(screen, (enum pane_id)best);
}

static void
cycle_layout(struct screen *screen, const struct command_call *call)
{
	(void)call;
	app_of(screen)->layout_mode =
	    (enum layout_mode)((app_of(screen)->layout_mode + 1) % LAYOUT_MODES);
	screen_say(screen, NOTICE_LAYOUT, layout_mode_name(app_of(screen)->layout_mode));
}

static void
toggle_zoom(struct screen *screen, const struct command_call *call)
{
	(void)call;
	app_of(screen)->zoom = !app_of(screen)->zoom;
}

static void
move_split(struct screen *screen, const struct command_call *call)
{
	int64_t step = call->id == COMMAND_SPLIT_MORE ? command_steps(call) : -command_steps(call);
	int64_t split = app_of(screen)->split + step;
	app_of(screen)->split = split < -10 ? -10 : split > 10 ? 10 : (int)split;
}

/* --- screen and program ------------------------------------------------ */

static void
cycle_time(struct screen *screen, const struct command_call *call)
{
	(void)call;
	do
		screen->time_mode = (enum time_mode)((screen->time_mode + 1) % TIME_MODES);
	while (screen->time_mode == TIME_MARK && !screen->jumps->has_base);
	screen_say(screen, NOTICE_TIME_MODE, time_mode_name(screen->time_mode));
}

/* Freeze or release the list.  After the release the loop adopts the bytes that came meanwhile. */
static void
toggle_freeze(struct screen *screen, const struct command_call *call)
{
	(void)call;
	screen->frozen = !screen->frozen;
	session_signal(screen->session);
	screen_say(screen, screen->frozen ? NOTICE_FROZEN : NOTICE_UNFROZEN);
}

/* Follow all traces, or stop, so that no trace lags when it is shown. */
static void
toggle_follow(struct screen *screen, const struct command_call *call)
{
	bool on = screen->frozen || !screen->list->tail;
	(void)call;
	screen->frozen = false;
	screen_drop_notice(screen);
	for (size_t i = 0; i < screen->session->traces.count; i++) {
		trace_follow(screen->session->traces.at[i], on);
		if (on)
			list_follow(&screen->lists[i]);
		screen->lists[i].tail = on;
	}
	if (on && screen->list->lane_count > 1)
		list_follow(screen->list);
	screen->list->tail = on;
	if (!on)
		screen_say(screen, NOTICE_FOLLOW_OFF);
}

static void
reread_captures(struct screen *screen, const struct command_call *call)
{
	screen->frozen = false;
	screen_drop_notice(screen);
	for (size_t i = 0; i < screen->session->traces.count; i++)
		trace_reread(screen->session->traces.at[i]);
	settings_source(screen, call);
	list_rebuild(screen->list);
	if (programs_have_changed(screen->session))
		screen_try(screen,
			   (struct screen_trial){.trace = screen->list->trace, .programs = true});
}

/* Pause or continue the index.  Other programs may need the disk and the processors. */
static void
pause_index(struct screen *screen, const struct command_call *call)
{
	struct index_progress progress;
	(void)call;
	index_get_progress(trace_index(screen->list->trace), &progress);
	for (size_t i = 0; i < screen->session->traces.count; i++)
		index_pause(trace_index(screen->session->traces.at[i]), !progress.paused);
	screen_say(screen, progress.paused ? NOTICE_INDEX_CONTINUES : NOTICE_INDEX_PAUSED);
}

static void
try_format(struct screen *screen, const struct command_call *call)
{
	struct nearest_hint hint = nearest_hint(call->text, decoder_next_name, NULL);
	if (!decoder_find(call->text))
		screen_error(screen, NOTICE_FORMAT_UNKNOWN, call->text,
			     nearest_hint_or(&hint, NOTICE_TAB_LISTS));
	else
		screen_try(screen, (struct screen_trial){.trace = screen->list->trace,
							 .format = call->text});
}

static void
redraw_screen(struct screen *screen, const struct command_call *call)
{
	(void)call;
	term_forget(screen->term);
}

static void
suspend_program(struct screen *screen, const struct command_call *call)
{
	(void)call;
	signals_suspend(screen->term);
}

/* Stop counting matches.  Return false if no counting was running. */
static bool
stop_counting(struct list_matches *matches)
{
	struct matches_progress progress;
	list_matches_get_progress(matches, &progress);
	bool stops = progress.working && !progress.exact;
	if (stops)
		list_matches_stop(matches);
	return stops;
}

static bool
stop_counts(struct screen *screen)
{
	bool matches = stop_counting(&screen->search->matches);
	return stop_counting(&screen->list->matches) || matches;
}

static void
cancel_work(struct screen *screen, const struct command_call *call)
{
	if (search_running(screen->search)) {
		search_cancel(screen);
		waiting_cancel(screen);
		return;
	}
	if (waiting_cancel(screen) || write_cancel(screen))
		return;
	if (call->letter != KEYCODE_CTRL('C') && screen->focus != shown_base(screen)) {
		app_of(screen)->zoom = false;
		shown_set_focus(screen, PANE_LIST);
		return;
	}
	if (list_busy(screen->list)) {
		list_cancel(screen->list);
		return;
	}
	if (range_drop(screen))
		return;
	if (call->letter != KEYCODE_CTRL('C') && !screen->search->highlight &&
	    trace_on_trial(screen->list->trace)) {
		screen_try(screen, (struct screen_trial){.trace = screen->list->trace});
		return;
	}
	if (call->letter != KEYCODE_CTRL('C')) {
		search_forget(screen->search);
		search_uncount(screen);
	} else if (stop_counts(screen)) {
		screen_say(screen, NOTICE_COUNTING_STOPPED);
	} else {
		struct text hint = {0};
		keymap_hint(screen->keymap, COMMAND_CLOSE, &hint);
		screen_say(screen, NOTICE_KEY_QUITS, hint.data);
		text_free(&hint);
	}
}

static void
quit_program(struct screen *screen, const struct command_call *call)
{
	struct err err = {0};
	(void)call;
	const char *writing = write_path(screen);
	bool lost = state_is_unsaved(screen) && state_keep(screen, &err) < 0;
	const char *waits = waiting_for_marks(screen->waiting);
	screen->quit = (!lost && !writing && !waits) || app_of(screen)->warned;
	app_of(screen)->warned = lost || writing || waits;
	if (!screen->quit && lost)
		screen_error(screen, NOTICE_QUIT_UNSAVED, err.what);
	else if (!screen->quit && writing)
		screen_error(screen, NOTICE_QUIT_WRITING, writing);
	else if (!screen->quit)
		screen_error(screen, NOTICE_QUIT_WAITING, waits);
}

/* Ask for another q.  One may have been typed for a pane that was already closed. */
static void
ask_to_quit(struct screen *screen)
{
	struct text hint = {0};
	app_of(screen)->asked = true;
	keymap_hint(screen->keymap, COMMAND_CLOSE, &hint);
	screen_say(screen, NOTICE_QUIT_AGAIN, hint.data);
	text_free(&hint);
}

/* Close the pane with the cursor, else the lowest one.  If only the list is left, quit. */
static void
close_top(struct screen *screen, const struct command_call *call)
{
	enum pane_id pane = screen->focus;
	bool asked = app_of(screen)->asked;
	app_of(screen)->asked = false;
	if (pane == shown_base(screen))
		pane = lowest_pane(screen);
	if (app_of(screen)->zoom)
		app_of(screen)->zoom = false;
	else if (pane != PANE_LIST)
		close_pane(screen, pane);
	else if (app_of(screen)->opened && !asked)
		ask_to_quit(screen);
	else
		quit_program(screen, call);
}

/* Report the commands that NAME may abbreviate, or that there is none. */
static void
say_unknown(struct screen *screen, const char *name, size_t length)
{
	struct text names = {0}, word = {0};
	if (length == 1 && *name == 'e') { /* of vi and less */
		screen_error(screen, NOTICE_OPEN_AT_START);
		return;
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strncmp(commands[i].name, name, length))
			text_addf(&names, "%s%s", names.length ? ", " : "", commands[i].name);
	if (names.length)
		screen_error(screen, NOTICE_COMMAND_AMBIGUOUS, (int)length, name, names.data);
	text_add_bytes(&word, name, length);
	struct nearest_hint hint = nearest_hint(text_get(&word), command_next_name, NULL);
	const char *instead = habit_line_find(text_get(&word));
	if (!names.length && instead)
		screen_error(screen, NOTICE_COMMAND_INSTEAD, word.data, instead);
	else if (!names.length)
		screen_error(screen, NOTICE_COMMAND_UNKNOWN, (int)length, name,
			     nearest_hint_or(&hint, NOTICE_TAB_COMPLETES));
	text_free(&word);
	text_free(&names);
}

/* Run a line that begins like a place or with the key of a prompt: `50%`, `10:06`, `'a`, `/text`.
 * Return false if TEXT is none. */
static bool
run_place(struct screen *screen, const char *text)
{
	static const struct {
		const char *first;
		enum command_id id;
		bool whole; /* the first character belongs to the text */
	} rows[] = {{"/", COMMAND_SEARCH, false},
		    {"?", COMMAND_SEARCH_BACK, false},
		    {"&", COMMAND_NARROW, false},
		    {"0123456789'", COMMAND_GOTO, true}};
	for (size_t i = 0; *text && i < sizeof rows / sizeof *rows; i++) {
		if (!strchr(rows[i].first, *text))
			continue;
		const char *rest = text + !rows[i].whole;
		struct command_call call = {
		    .id = rows[i].id, .count = 1, .text = *rest ? rest : NULL};
		if (*text == '\'' && text[1] && !text[2])
			call = (struct command_call){
			    .id = COMMAND_JUMP, .count = 1, .letter = (unsigned char)text[1]};
		commands_run(screen, call);
		return true;
	}
	return false;
}

/* Run `NAME TEXT`.  A number alone goes to that message. */
static void
run_line(struct screen *screen, const struct command_call *call)
{
	const char *text = call->text + strspn(call->text, " ");
	size_t length = strcspn(text, " ");
	struct command_call number = {.id = COMMAND_TOP, .counted = true};
	if (!text[strspn(text, "0123456789")] && text_parse_uint(text, UINT64_MAX, &number.count)) {
		waiting_run(screen, jump_top, &number);
		return;
	}
	if (run_place(screen, text))
		return;
	/* then `!` belongs to the text after the name */
	bool force = length > 1 && text[length - 1] == '!' &&
		     command_find_alias(text, length) == COMMAND_COUNT;
	length -= force;
	enum command_id id = command_find(text, length);
	if (!length)
		return;
	if (id == COMMAND_COUNT) {
		say_unknown(screen, text, length);
		return;
	}
	if (force && id != COMMAND_WRITE && id != COMMAND_SAVE && id != COMMAND_RECORD) {
		screen_error(screen, NOTICE_COMMAND_NO_FORCE, commands[id].name);
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
	commands_run(screen, run);
}

/* Note a jump or a search for `repeat`. */
static void
note_last(struct screen *screen, const struct command_call *call)
{
	struct command_call *last = &app_of(screen)->last;
	enum command_id id = call->id;
	if (id == COMMAND_SEARCH || id == COMMAND_SEARCH_BACK)
		*last = (struct command_call){.id = COMMAND_NEXT, .count = 1};
	else if (id == COMMAND_GOTO)
		*last = (struct command_call){.id = id, .count = 1, .text = "."};
	else if (commands[id].group == GROUP_FIND && id != COMMAND_CANCEL)
		*last = *call;
}

static void
repeat_last(struct screen *screen, const struct command_call *call)
{
	struct command_call last = app_of(screen)->last;
	if (!last.count) {
		screen_say(screen, NOTICE_REPEAT_NOTHING);
		return;
	}
	if (call->counted)
		last.count = call->count;
	commands_run(screen, last);
}

static pane_command show_pane;

/* The handlers of command.def, and the pane that a command only shows. */
static const struct {
	pane_command *run;
	void (*show)(struct screen *, enum pane_id, const char *text);
	enum pane_id pane;
} handlers[COMMAND_COUNT] = {
#define PANE(how, id) show_pane, how, PANE_##id
#define COMMAND(id, name, group, scope, keys, argument, handler, help) [COMMAND_##id] = {handler},
#include "command/command.def"
#undef COMMAND
#undef PANE
};

static void
show_pane(struct screen *screen, const struct command_call *call)
{
	handlers[call->id].show(screen, handlers[call->id].pane, call->text);
}

/* Find the handler of an open pane although the cursor is elsewhere: the list can zoom the
 * timeline. */
static pane_command *
find_in_open_pane(const struct screen *screen, enum command_id id)
{
	for (int pane = 0; pane < PANE_HELP; pane++)
		if (screen->open[pane] && screen->panes[pane]->scope == commands[id].scope)
			return screen->panes[pane]->commands[id];
	return NULL;
}

static void
run_command(struct screen *screen, struct command_call call)
{
	pane_command *run = screen->panes[screen->focus]->commands[call.id];
	if (call.id != COMMAND_CLOSE)
		app_of(screen)->asked = false;
	bool to_message = call.counted && (call.id == COMMAND_TOP || call.id == COMMAND_END);
	if (to_message && screen->focus < PANE_HELP)
		run = NULL;
	bool of_pane = run && screen->focus != PANE_LIST;
	/* commands that move, find and filter only choose which rows are shown */
	screen->display_generation += commands[call.id].group > GROUP_FILTER;
	app_of(screen)->quick &= pane_mover(call.id) != NULL;
	if (commands[call.id].argument == ARGUMENT_TEXT && !call.text) {
		prompt_open(screen->prompt, call.id);
		return;
	}
	note_last(screen, &call);
	bool over_card = screen->focus == PANE_CARD && call.id == COMMAND_MANUAL;
	if (!run && !over_card && screen->focus >= PANE_HELP && call.id != COMMAND_REDRAW &&
	    call.id != COMMAND_SUSPEND && call.id != COMMAND_QUIT)
		commands_run(screen, (struct command_call){.id = COMMAND_CLOSE});
	if (!run && !to_message && screen->panes[screen->focus]->lines &&
	    lines_are_moved(call.id)) {
		run = lines_move;
		of_pane = true;
	}
	if (!run)
		run = handlers[call.id].run;
	if (!run)
		run = screen->panes[PANE_LIST]->commands[call.id];
	if (!run)
		run = pane_mover(call.id);
	if (!run) {
		run = find_in_open_pane(screen, call.id);
		of_pane = true;
	}
	if (run && of_pane)
		run(screen, &call);
	else if (run)
		waiting_run(screen, run, &call);
}

void
commands_run(struct screen *screen, struct command_call call)
{
	sequence_renew(screen->sequence);
	run_command(screen, call);
	filter_history_note(screen);
}
