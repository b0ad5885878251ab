/*
 * The screen's loop: take keys, signals and notifications, run commands, paint once.
 *
 * The loop sleeps in poll().  It takes all pending input before it paints, so a held key
 * over a slow line lags by at most one screen.  Signals arrive through a signalfd, news of
 * threads through an eventfd.  A timeout is set only for a delayed paint or a key hint.
 * It is 0 while the list or a pane has work left.
 *
 * A still (still.h) has no keys.  The screen is settled when nothing is left that could
 * change it: it is painted, no news is waiting, and all workers rest.  Then the loop types
 * the next command, or ends.
 */
#include "config.h"

#include "ui/app.h"
#include "base/notice.h"
#include "base/regex.h"
#include "base/thread.h"
#include "base/job.h"
#include "command/keymap.h"
#include "query/origin_names.h"
#include "session/programs.h"
#include "session/sequence.h"
#include "session/session.h"
#include "trace/doubts.h"
#include "trace/recognise.h"
#include "ui/bars.h"
#include "ui/commands.h"
#include "ui/input.h"
#include "ui/list/context_view.h"
#include "ui/list/filter_history.h"
#include "ui/list/filters.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/list/range.h"
#include "ui/list/rules.h"
#include "ui/list/search.h"
#include "ui/list/selection.h"
#include "ui/list/shown.h"
#include "ui/list/traces.h"
#include "ui/list/view.h"
#include "ui/list/waiting.h"
#include "ui/misfit.h"
#include "ui/panes/pane_timeline.h"
#include "ui/panes/panes.h"
#include "ui/parts.h"
#include "ui/preview.h"
#include "ui/prompt/prompt.h"
#include "ui/recording.h"
#include "ui/screen/log.h"
#include "ui/screen/still.h"
#include "ui/screen/term.h"
#include "ui/settings.h"
#include "ui/signals.h"
#include "ui/state.h"
#include "ui/stop_when.h"
#include "ui/unnamed.h"
#include "ui/write.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	PROGRESS_MS = 500, /* between paints that only show progress */
	PAUSE_MS = 50,	   /* without keys, before the other panes are updated */
	STEP_PARTS = 3,	   /* a held key scrolls the list by its height / STEP_PARTS */
	CONTEXT_ROWS = 3   /* rows of the context pane that show no context: rule, names, blank */
};

/* --- painting ---------------------------------------------------------- */

static void
app_place_panes(struct screen *screen)
{
	int rows, cols;
	term_size(screen->term, &rows, &cols);
	if (screen->canvas->rows != rows || screen->canvas->cols != cols)
		canvas_resize(screen->canvas, rows, cols);
	struct layout_wish wish = {.rows = rows,
				   .cols = cols,
				   .mode = app_of(screen)->layout_mode,
				   .base = shown_base(screen),
				   .focus = screen->focus,
				   .zoom = app_of(screen)->zoom,
				   .split = app_of(screen)->split};
	memcpy(wish.open, screen->open, sizeof wish.open);
	if (wish.base == PANE_GUESSES && !screen->panes[PANE_GUESSES]->lines(screen))
		wish.fill_rows[PANE_HEX] = rows; /* there is little else to show */
	wish.fill_rows[PANE_TIMELINE] = timeline_rows(screen);
	wish.fill_rows[PANE_CONTEXT] =
	    CONTEXT_ROWS + (int)contexts_count(screen->session->contexts);
	screen->layout = layout_make(&wish);
}

static void
draw_bar(struct screen *screen)
{
	const struct area *bar = &screen->layout.bar;
	for (int y = 0; y < bar->rows; y++)
		canvas_line(screen->canvas, bar, y, 0, 1, ROLE_RULE, LINE_BAR);
}

/* True if the keys since the last paint came quickly and only moved the cursor.  The panes next to
 * the list can then wait until the keys pause. */
static bool
panes_rest(struct app *app)
{
	const struct screen *screen = &app->screen;
	bool same = app->painted.display_generation == screen->display_generation &&
		    app->painted.focus == screen->focus && !app->painted.prompt &&
		    !screen->prompt->active &&
		    !memcmp(&app->painted.layout, &screen->layout, sizeof screen->layout);
	bool rest = app->quick && same;
	app->quick = false;
	app->painted.layout = screen->layout;
	app->painted.display_generation = screen->display_generation;
	app->painted.focus = screen->focus;
	app->painted.prompt = screen->prompt->active;
	return rest;
}

static void
draw_pane(struct screen *screen, enum pane_id pane)
{
	const struct area *area = &screen->layout.panes[pane];
	if (area->rows > 0)
		screen->panes[pane]->draw(screen, screen->canvas, area);
	if (screen->layout.rules[pane].rows > 0)
		pane_draw_rule(screen, pane);
}

/* Paint the screen.  Return false if some panes still need drawing when the keys pause. */
static bool
app_paint(struct app *app)
{
	struct screen *screen = &app->screen;
	app_place_panes(screen);
	list_settle(screen->list);
	if (list_take_fall(screen->list))
		screen_say(screen, NOTICE_CURSOR_DROPPED);
	waiting_settle(screen);
	preview_follow(screen);	     /* once for all keys taken together */
	if (!screen->prompt->active) /* the prompt uses the last row, too */
		screen_show_notice(screen);
	bool rest = panes_rest(app), all = true;
	if (!rest)
		canvas_clear(screen->canvas);
	for (int pane = 0; pane < PANE_COUNT; pane++) {
		const struct area *area = &screen->layout.panes[pane];
		if (rest && pane != PANE_LIST && pane != (int)screen->focus) {
			all &= area->rows <= 0;
			continue;
		}
		if (rest)
			canvas_clear_area(screen->canvas, area);
		draw_pane(screen, (enum pane_id)pane);
	}
	draw_bar(screen);
	bars_draw(screen);
	term_paint(screen->term, screen->canvas);
	return all;
}

/* --- events ------------------------------------------------------------ */

static void
take_signals(struct app *app)
{
	int number;
	while ((number = signals_next(app->signals))) {
		switch (number) {
		case SIGTERM:
		case SIGHUP:
			app->deadly = number;
			app->screen.quit = true;
			break;
		case SIGINT:
			input_take_key(&app->screen, KEYCODE_CTRL('C'));
			break;
		case SIGTSTP:
			signals_suspend(app->screen.term);
			break;
		case SIGCONT:
			term_resume(app->screen.term); /* a shell may have changed its modes */
			break;
		}
	}
}

static void
app_notify(void *context)
{
	const struct app *app = context;
	uint64_t one = 1;
	if (write(app->notify, &one, sizeof one) < 0) {
		/* full: the loop will wake anyway */
	}
}

static bool
is_indexed(const struct screen *screen)
{
	struct index_progress progress;
	for (size_t i = 0; i < screen->list->lane_count; i++) {
		index_get_progress(trace_index(screen->list->lanes[i].trace), &progress);
		if (!progress.complete)
			return false;
	}
	return true;
}

/* Return the state of a count as bits: 1 while it runs, 2 while it is not exact. */
static unsigned
counting_of(const struct list_matches *matches)
{
	struct matches_progress progress;
	list_matches_get_progress(matches, &progress);
	return (progress.working ? 1 : 0) | (progress.exact ? 0 : 2);
}

/* Combine the states of all counts that the screen shows. */
static unsigned
counting_now(const struct app *app)
{
	const struct screen *screen = &app->screen;
	return counting_of(&screen->list->matches) | counting_of(&screen->search->matches) << 2 |
	       counting_of(&app->preview->matches) << 4;
}

static void
say_lines(struct screen *screen, char *lines)
{
	for (char *rest = lines, *line; (line = strsep(&rest, "\n"));)
		screen_notice(screen, NOTICE_FROM_TRACE, line);
}

/* Report that patterns give up on texts, and again when their number has doubled.  Return false if
 * nothing is new. */
static bool
say_given_up(struct app *app)
{
	struct screen *screen = &app->screen;
	struct doubts doubts = {.count[DOUBT_UNSEARCHED] = regex_given_up()};
	struct text line = {0};
	if (!doubts.count[DOUBT_UNSEARCHED] || doubts.count[DOUBT_UNSEARCHED] < 2 * app->given_up)
		return false;
	app->given_up = doubts.count[DOUBT_UNSEARCHED];
	doubts_describe(&doubts, &line);
	screen_notice(screen, NOTICE_GIVEN_UP, text_get(&line));
	text_free(&line);
	return true;
}

/* Report the limits of the times (session_describe_clocks).  Return false if nothing is new. */
static bool
say_left_out(struct app *app)
{
	struct text lines = {0};
	session_describe_clocks(app->screen.session, &lines);
	bool news = lines.length && !app->left_out;
	app->left_out = lines.length > 0;
	if (news) {
		text_cut(&lines, lines.length - 1);
		say_lines(&app->screen, lines.data);
	}
	text_free(&lines);
	return news;
}

/* Report once that clocks are not tied, and how to tie them.  Return false if nothing is new. */
static bool
say_untied(struct app *app)
{
	struct screen *screen = &app->screen;
	size_t clocks = 0;
	if (!app->untied && screen->list->lane_count > 1)
		clocks = traces_count_clocks(screen, screen->list);
	if (clocks < 2)
		return false;
	app->untied = true;
	screen_notice(screen, NOTICE_CLOCKS_NOT_TIED, clocks);
	return true;
}

/* Once all is indexed and named, report names in the filter that no message has.  Return false if
 * nothing is new. */
static bool
say_unknown_names(struct app *app)
{
	struct screen *screen = &app->screen;
	const struct filter_expr *expr = screen->filter->expr;
	const char *text = expr ? filter_expr_text(expr) : "";
	struct text unknown = {0};
	if (!strcmp(text, text_get(&app->checked)) || !is_indexed(screen) ||
	    !session_is_named(screen->session))
		return false;
	text_clear(&app->checked);
	text_add(&app->checked, text);
	if (expr)
		origin_names_check(screen->session, expr, app->options->source, ORIGIN_NAMES_QUICK,
				   &unknown);
	bool any = unknown.length;
	for (char *rest = unknown.data, *line; (line = strsep(&rest, "\n"));)
		screen_say(screen, NOTICE_NAMES_UNKNOWN, line);
	text_free(&unknown);
	return any;
}

static void
say_program(void *context, const char *path, enum file_change change)
{
	struct screen *screen = context;
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct text hint = {0};
	keymap_hint(screen->keymap, COMMAND_REREAD, &hint);
	if (change == FILE_GONE)
		screen_notice(screen, NOTICE_PROGRAM_GONE, name);
	else
		screen_notice(screen, NOTICE_PROGRAM_CHANGED, name, text_get(&hint));
	text_free(&hint);
}

static bool
panes_have_news(struct screen *screen)
{
	bool any = false;
	for (int pane = 0; pane < PANE_COUNT; pane++)
		if (screen->panes[pane]->news)
			any |= screen->panes[pane]->news(screen);
	return any;
}

/* Handle the news of the threads.  Return true if it is more than progress. */
static bool
take_news(struct app *app)
{
	struct screen *screen = &app->screen;
	uint64_t count;
	bool searching = search_running(screen->search), writing = app->writing;
	bool indexed = screen->indexed, more = false;
	const struct recording *recording = app->recording;
	if (read(app->notify, &count, sizeof count) < 0)
		return false;
	screen->display_generation++;
	sequence_renew(screen->sequence);
	waiting_poll(screen);
	write_poll(screen);
	recording_poll(screen);
	session_wake(screen->session);
	for (size_t i = 0; i < screen->session->traces.count; i++) {
		bool tail = screen->lists[i].tail || screen->list->tail;
		/* vanished bytes are gone, frozen or not */
		bool polls = !screen->frozen ||
			     capture_damaged(trace_capture(screen->session->traces.at[i]));
		if (polls && trace_poll(screen->session->traces.at[i], tail))
			more |= tail;
		char *notice = trace_take_notice(screen->session->traces.at[i]);
		if (notice)
			say_lines(screen, notice);
		more |= notice != NULL;
		free(notice);
	}
	more |= stop_when_poll(screen);
	more |= unnamed_poll(screen);
	more |= misfit_poll(screen);
	more |= say_given_up(app);
	more |= say_left_out(app);
	more |= say_untied(app);
	state_check(screen);
	sequence_wake(screen->sequence);
	more |= generation_renew(&screen->generation, list_generation(screen->list));
	if (filters_are_stale(screen))
		list_rebuild(screen->list);
	screen->indexed = is_indexed(screen);
	more |= app->counting != counting_now(app) || list_busy(screen->list);
	more |= panes_have_news(screen);
	return more || screen->indexed != indexed || searching != search_running(screen->search) ||
	       writing != (app->writing != NULL) || recording != app->recording;
}

static bool
take_keys(struct screen *screen)
{
	uint32_t key;
	bool any = false;
	while (screen_is_running(screen) && (key = term_key(screen->term)) != KEYCODE_NONE) {
		input_take_key(screen, key);
		any = true;
	}
	any |= settings_follow_background(screen); /* reported among the terminal's keys */
	return any;
}

/* Report that threads could not be started: work that waits for one never gets done. */
static void
say_refusals(struct app *app)
{
	unsigned refusals = thread_refusals();
	if (refusals != app->refusals)
		screen_notice(&app->screen, NOTICE_NO_THREADS);
	app->refusals = refusals;
}

static bool
pane_works(struct screen *screen, int pane)
{
	const struct pane_ops *ops = screen->panes[pane];
	return screen->layout.panes[pane].rows > 0 && ops->work &&
	       (!ops->may_work || ops->may_work(screen));
}

/* True if a pane on the screen may still have something to look for. */
static bool
panes_may_work(struct screen *screen)
{
	int pane = 0;
	while (pane < PANE_COUNT && !pane_works(screen, pane))
		pane++;
	return pane < PANE_COUNT;
}

/* Let the panes on the screen work for a slice.  Return true if one should be drawn again. */
static bool
panes_work(struct screen *screen)
{
	bool more = false;
	for (int pane = 0; pane < PANE_COUNT; pane++)
		if (pane_works(screen, pane))
			more |= screen->panes[pane]->work(screen);
	return more;
}

/* Note whether the next keys follow others quickly.  With panes next to the list no region of the
 * terminal can scroll, so each step would write all rows.  While a key is held down, the list then
 * scrolls by several rows at once. */
static void
follow_pace(struct app *app, bool quick)
{
	struct screen *screen = &app->screen;
	const struct area *area = &screen->layout.panes[PANE_LIST];
	bool beside = area->cols < screen->canvas->cols;
	app->quick = quick;
	screen->list->scroll_step = quick && beside ? (size_t)area->rows / STEP_PARTS : 0;
}

/* Return true if no thread will change a still: all workers rest and no news is waiting. */
static bool
is_settled(const struct app *app)
{
	struct pollfd news = {.fd = app->notify, .events = POLLIN};
	return app->rest >= 0 && jobs_rest() && !poll(&news, 1, 0);
}

/* Reset the event of resting workers.  The loop checks that they rest before it sleeps. */
static void
drain_rest(const struct app *app)
{
	uint64_t count;
	if (read(app->rest, &count, sizeof count) < 0) {
		/* nothing else reads it */
	}
}

/* Type the next command given for the start.  Return false if none is left. */
static bool
type_command(struct app *app)
{
	struct ui_options *options = app->options;
	if (!options->command_count)
		return false;
	options->command_count--;
	input_type(&app->screen, *options->commands++);
	return true;
}

/* True if the order of several traces may come from clocks that are not read yet.  The end of a
 * followed file is not indexed, so its clocks are read before that. */
static bool
awaits_clocks(const struct screen *screen)
{
	return screen->session->traces.count > 1 && !session_is_live(screen->session) &&
	       (!screen->indexed || !clocks_are_settled(screen->session->clocks));
}

/* Begin to follow the captures, once, if the options request it.  Return false otherwise. */
static bool
begin_to_follow(struct app *app)
{
	bool follows = app->options->follow && !awaits_clocks(&app->screen);
	app->options->follow &= !follows;
	if (follows)
		commands_run(&app->screen, (struct command_call){.id = COMMAND_FOLLOW, .count = 1});
	return follows;
}

static void
app_loop(struct app *app)
{
	struct screen *screen = &app->screen;
	struct pollfd files[] = {{.fd = screen->term->file, .events = POLLIN},
				 {.fd = app->signals, .events = POLLIN},
				 {.fd = app->notify, .events = POLLIN},
				 {.fd = app->rest, .events = POLLIN}};
	int64_t next = 0;  /* time of the next paint of progress */
	int64_t pause = 0; /* time when the keys count as paused */
	bool due = true, progress = false, more = false, held = false;
	while (screen_is_running(screen)) {
		int64_t wait = next - thread_now_ms();
		if (due || (progress && (wait <= 0 || is_settled(app)))) {
			list_work(screen->list);
			say_refusals(app);
			app->counting = counting_now(app);
			held =
			    !app_paint(app) || (thread_now_ms() < pause && panes_may_work(screen));
			more = (!held && panes_work(screen)) || list_can_work(screen->list);
			for (size_t i = 0; i < screen->list->lane_count; i++)
				if (capture_damaged(trace_capture(screen->list->lanes[i].trace)))
					app_notify(app); /* painted from vanished bytes */
			next = thread_now_ms() + PROGRESS_MS;
			wait = PROGRESS_MS;
			progress = false;
		}
		int64_t held_for = pause - thread_now_ms();
		if (held && (!progress || held_for < wait))
			wait = held_for > 0 ? held_for : 0;
		int timeout = more ? 0 : progress || held ? (int)wait : -1;
		int hint = input_hint_wait(app->input);
		if (hint >= 0 && (timeout < 0 || hint < timeout))
			timeout = hint;
		if (timeout < 0 && is_settled(app)) {
			due = type_command(app) || begin_to_follow(app) || say_unknown_names(app);
			if (!due)
				break;
			continue;
		}
		int ready = poll(files, 4, timeout);
		if ((ready < 0 && errno != EINTR) ||
		    files[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			break;
		due = more || (held && thread_now_ms() >= pause);
		if (files[1].revents) {
			take_signals(app);
			due = true;
		}
		if (files[2].revents) {
			due |= take_news(app);
			due |= app->rest < 0 && begin_to_follow(app);
			progress = true;
		}
		if (files[3].revents)
			drain_rest(app);
		follow_pace(app, thread_now_ms() < pause);
		if (take_keys(screen)) {
			pause = thread_now_ms() + PAUSE_MS;
			due = true;
		}
		if (due || progress)
			due |= say_unknown_names(app);
		if (due)
			programs_look(screen->session, say_program, screen);
		due |= input_show_hint(app->input);
	}
}

/* --- from start to end ------------------------------------------------- */

/* Log the features that the terminal lacks.  The last row does not mention them. */
static void
log_missing_features(struct screen *screen)
{
	struct text missing = {0};
	term_missing_features(screen->term, &missing);
	for (char *line = missing.data, *next; line && *line; line = next) {
		next = strchr(line, '\n') + 1;
		next[-1] = '\0';
		screen_log(screen, NOTICE_TERMINAL, line);
	}
	if (screen->charset == TEXT_ASCII)
		screen_log(screen, NOTICE_ASCII);
	text_free(&missing);
}

/* Report a trace that is not decoded, and the key that leads to it.  Only log it if the screen
 * shows the trace anyway. */
static void
say_undecoded(struct screen *screen, const struct trace *trace)
{
	struct text hint = {0};
	keymap_hint(screen->keymap, COMMAND_NEXT_TRACE, &hint);
	if (shown_base(screen) == PANE_GUESSES)
		screen_log(screen, NOTICE_RECOGNISED, trace_name(trace), trace_reason(trace));
	else
		screen_say(screen, NOTICE_NOT_DECODED, trace_name(trace), trace_reason(trace),
			   hint.data);
	text_free(&hint);
}

/* Report each trace that is not decoded or has a guessed format.  The log gets all of it, since the
 * last row is short. */
static void
say_guesses(struct screen *screen)
{
	for (size_t i = 0; i < screen->session->traces.count; i++) {
		const struct trace *trace = screen->session->traces.at[i];
		struct text text = {0};
		if (trace_explain_guess(trace, &text)) /* the title shows that it is a guess */
			screen_log(screen, NOTICE_GUESS, text_get(&text));
		else if (trace_recognition(trace)->plain)
			screen_say(screen, NOTICE_RECOGNISED, trace_name(trace),
				   trace_reason(trace));
		else if (!trace_is_decoded(trace))
			say_undecoded(screen, trace);
		text_free(&text);
	}
}

static const struct screen_verbs verbs = {.run = commands_run, .place_panes = app_place_panes};

/* Show the traces that the user named: a single one in its own list, several in the list of all
 * traces. */
static void
choose_traces(struct screen *screen, const char *names)
{
	size_t chosen = 0, last = 0;
	for (size_t i = 0; names && i < screen->session->traces.count; i++) {
		bool among = trace_is_among(screen->session->traces.at[i], names);
		chosen += among;
		last = among ? i : last;
	}
	if (chosen == 1)
		shown_set_trace(screen, last);
	for (size_t i = 0; chosen > 1 && i < screen->session->traces.count; i++)
		sequence_show(screen->sequence, i,
			      trace_is_among(screen->session->traces.at[i], names));
}

static void
open_screen(struct app *app)
{
	struct screen *screen = &app->screen;
	const struct filter *filter = &app->options->filter;
	parts_open(app);
	screen->verbs = &verbs;
	screen->filters->severities = filter->severities;
	log_missing_features(screen);
	settings_start(screen);
	if (filter->expr)
		filters_put(screen, 0, (struct filter_entry){.expr = filter_clone(filter).expr});
	else
		filters_apply(screen);
	choose_traces(screen, app->options->source);
	say_guesses(screen);
	filter_history_begin(screen);
	state_restore(screen);
	filter_history_note(screen);
	shown_open_base(screen);
}

/* On the user's first run, show the keys for help and for quitting. */
static void
say_welcome(struct screen *screen)
{
	struct text help = {0}, quit = {0};
	if (screen->message.length || !state_is_first_run(screen))
		return;
	keymap_hint(screen->keymap, COMMAND_HELP, &help);
	keymap_hint(screen->keymap, COMMAND_CLOSE, &quit);
	screen_say(screen, NOTICE_WELCOME, help.data, quit.data);
	text_free(&help);
	text_free(&quit);
}

static void
app_show(struct app *app)
{
	struct screen *screen = &app->screen;
	app_place_panes(screen);
	say_welcome(screen);
	app_paint(app);
	if (filter_limits_time(&app->options->filter))
		jump_to_filter(screen, &(struct command_call){.id = COMMAND_GOTO});
	state_restore_place(screen);
	bool typed = false;
	screen->waiting->starting = !app->options->follow; /* following drops the queue */
	while (!app->options->still && type_command(app))
		typed = true;
	screen->waiting->starting = false;
	if (typed)
		app_paint(app);
	if (!app->options->still)
		begin_to_follow(app);
	session_start(screen->session);
	sequence_start(screen->sequence);
	app_loop(app);
}

static void
say_trial(struct screen *screen, const struct screen_trial *trial)
{
	struct text profile = {0};
	if (trial->programs)
		screen_say(screen, NOTICE_PROGRAMS_READ);
	if (!trial->format)
		return;
	if (trial->settings && *trial->settings) {
		trace_add_profile(trial->trace, trace_decoder(trial->trace)->ops, trial->settings,
				  &profile);
		screen_say(screen, NOTICE_TRIAL_PROFILE, trial->format, text_get(&profile));
	} else {
		screen_say(screen, NOTICE_TRIAL, trial->format, trial->format);
	}
	text_free(&profile);
}

/* Show the list and the panes of the screen BEFORE, except panes that need an argument. */
static void
show_as_before(struct screen *screen, const struct screen *before)
{
	static const enum pane_id kept[] = {PANE_DETAIL, PANE_HEX,   PANE_CONTEXT,  PANE_TIMELINE,
					    PANE_CODE,	 PANE_STACK, PANE_FUNCTIONS};
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		screen->open[kept[i]] = before->open[kept[i]];
		if (before->open[kept[i]] && before->focus == kept[i])
			shown_set_focus(screen, kept[i]);
	}
	shown_set_trace(screen, before->trace);
}

/* Read the trace as the trial requests, and build all parts of the screen again. */
static void
app_retry(struct app *app)
{
	struct session *session = app->screen.session;
	const struct screen before = app->screen; /* what it points to is freed below */
	struct screen_trial trial = app->screen.trial;
	struct app next = {
	    .screen = {.session = session, .term = app->screen.term, .log = app->screen.log},
	    .options = app->options,
	    .recording = app->recording,
	    .notify = app->notify,
	    .signals = app->signals,
	    .rest = app->rest};
	struct err err = {0}, lost = {0};
	size_t number = trace_number(trial.trace);
	app->options->follow |= trial.programs && before.list->tail;
	state_keep(&app->screen, &lost);
	parts_close(app);
	*app = next;
	int failed = trial.programs
			 ? session_read_programs(session, &err)
			 : session_try(session, trial.trace, trial.format, trial.settings, &err);
	open_screen(app);
	if (trial.programs)
		show_as_before(&app->screen, &before);
	else
		shown_set_trace(&app->screen, number);
	if (failed < 0)
		screen_error(&app->screen, NOTICE_TRIAL_FAILED, err.what);
	else
		say_trial(&app->screen, &trial);
	if (lost.code)
		screen_error(&app->screen, NOTICE_STATE_NOT_SAVED, lost.what);
	free((char *)trial.format);
	free((char *)trial.settings);
}

/* Stop writing.  Return false, and report why, if a file was not written. */
static bool
end_writing(struct app *app)
{
	struct text why = {0};
	write_end(&app->screen, &why);
	recording_end(&app->screen, &why);
	bool good = !why.length;
	if (!good)
		app->options->complain(why.data);
	text_free(&why);
	return good;
}

int
ui_run(struct session *session, struct ui_options *options, struct err *err)
{
	struct log log = {0};
	struct app app = {.screen = {.session = session, .log = &log}, .options = options};
	struct err lost = {0};
	struct still *still = options->still;
	sigset_t before;
	app.screen.term = still ? still_open(still) : term_open(&options->looks.theme, err);
	if (!app.screen.term)
		return ERR_UNSUPPORTED;
	app.signals = still ? -1 : signals_open(&before); /* signals end a still as in batch */
	app.rest = still ? jobs_rest_event() : -1;
	app.notify = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	session_notify(session, app_notify, &app);

	open_screen(&app);
	const struct screen_trial *trial = &app.screen.trial;
	for (app_show(&app); trial->trace && !trial->folder && !app.deadly; app_show(&app))
		app_retry(&app);
	session->part_of = trial->folder && !app.deadly ? trial->trace : NULL;
	term_close(app.screen.term);
	if (options->collect)
		notebook_collect(&app.screen, NOTEBOOK_ALL, options->collect);
	if (state_keep(&app.screen, &lost) < 0)
		options->complain(lost.what);

	bool written = end_writing(&app);
	session_notify(session, NULL, NULL);
	screen_forget_trial(&app.screen);
	session_interrupt(session); /* no thread may wait for a growing capture */
	parts_close(&app);
	log_free(&log);
	close(app.notify);
	if (still)
		return 0;
	close(app.signals);
	session->ended_by = app.deadly;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return !written;
}
