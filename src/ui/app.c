/*
 * The screen's loop: keys, signals and notifications in, commands, one paint.
 *
 * The loop sleeps in poll() without a timeout.  Everything that waits is taken
 * before anything is painted, so a held key over a slow line never lags behind
 * by more than one screen.  Signals arrive through a signalfd, news of threads
 * through an eventfd.  A timeout exists only while the list looks for rows
 * (none: it goes on at once) or while the index moves faster than it is worth
 * repainting.
 */
#include "config.h"

#include "ui/app.h"
#include "base/regex.h"
#include "base/thread.h"
#include "session/clock/cycles.h"
#include "session/context/context.h"
#include "session/session.h"
#include "trace/doubts.h"
#include "trace/recognise.h"
#include "ui/list/moment.h"
#include "ui/panes/lines.h"
#include "ui/panes/pane_context.h"
#include "ui/panes/pane_timeline.h"
#include "ui/prompt/complete.h"
#include "ui/settings.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { PROGRESS_MS = 500 }; /* between paints that only show progress */

/* --- for all files ----------------------------------------------------- */

static void __attribute__((format(printf, 3, 0)))
say(struct app *app, bool trouble, const char *format, va_list args)
{
	text_clear(&app->message);
	text_addv(&app->message, format, args);
	app->trouble = trouble;
	log_add(&app->log, trouble, text_get(&app->message));
}

void
app_say(struct app *app, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say(app, false, format, args);
	va_end(args);
}

void
app_trouble(struct app *app, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say(app, true, format, args);
	va_end(args);
}

int64_t
app_count(const struct command_call *call)
{
	return call->count < INT32_MAX ? (int64_t)call->count : INT32_MAX;
}

const struct selection *
app_selection(struct app *app)
{
	struct selection *selection = &app->selection;
	struct list *list = app->list;
	const struct row *row = list_current(list);
	const struct message *m = row ? reader_message(list->reader, row->at) : NULL;
	if (!m)
		return NULL;
	unsigned generation = trace_generation(list->trace) +
			      contexts_generation(app->session->contexts) +
			      cycles_generation(app->session->cycles);
	generation = generation * 2 + app->open[PANE_DETAIL]; /* which shows more */
	if (selection->valid && selection->trace == list->trace &&
	    selection->generation == generation && selection->place.offset == row->place.offset &&
	    selection->place.ordinal == row->place.ordinal &&
	    selection->message.length == m->length)
		return selection;
	selection->valid = true;
	selection->trace = list->trace;
	selection->generation = generation;
	selection->place = row->place;
	selection->message = *m;
	reader_expand(list->reader, &selection->message, EXPAND_FIELDS, &selection->expansion);
	contexts_add(app, &selection->message, &selection->expansion);
	if (app->open[PANE_DETAIL])
		moment_add(list, &list->lanes[list->lane], &selection->message,
			   &selection->expansion);
	return selection;
}

const char *
app_filter_text(const struct app *app)
{
	return app->filters.all ? filter_expr_text(app->filters.all) : NULL;
}

/* Whether the filter may want other messages than when it was last asked. */
static bool
filter_is_stale(struct app *app)
{
	unsigned now = 0, basis = filter_basis(&app->filter);
	for (size_t i = 0; i < app->list->lane_count; i++)
		now += filter_generation(basis, app->list->lanes[i].trace);
	bool stale = now != app->filter_generation;
	app->filter_generation = now;
	return stale;
}

void
app_refilter(struct app *app)
{
	search_uncount(app);
	app->filter = filter_all();
	if (!app->filters.off) {
		app->filter.severities = app->filters.severities;
		app->filter.expr = app->filters.all;
	}
	for (size_t i = 0; i < app->list_count; i++)
		list_refilter(&app->lists[i], i == app->trace);
	filter_is_stale(app);
}

/* Opens what stands in the list's place, and the bytes where there is nothing else. */
static void
show_base(struct app *app)
{
	bool decoded = app_base(app) == PANE_LIST;
	app->open[PANE_LIST] = decoded;
	app->open[PANE_GUESSES] = !decoded;
	if (!decoded && !app->open[PANE_HEX])
		app->hex_closed = app->open[PANE_HEX] = true;
	else if (decoded && app->hex_closed)
		app->hex_closed = app->open[PANE_HEX] = false;
	if (!app->open[app->focus])
		app_focus(app, PANE_LIST);
}

void
app_show_trace(struct app *app, size_t trace)
{
	search_uncount(app);
	app->trace = trace;
	app->list = &app->lists[trace];
	list_show(app->list);
	app->generation = list_generation(app->list);
	filter_is_stale(app);
	show_base(app);
}

enum pane_id
app_base(const struct app *app)
{
	return app->list->merge || trace_is_decoded(app->list->trace) ? PANE_LIST : PANE_GUESSES;
}

void
app_focus(struct app *app, enum pane_id pane)
{
	app->focus = pane == PANE_LIST ? app_base(app) : pane;
}

void
app_try(struct app *app, struct app_trial trial)
{
	if (!state_can_keep(app) && state_is_unsaved(app)) {
		app_say(app, "marks or ties are not saved: :save keeps them, then try again");
		return;
	}
	app->trial = trial;
	if (trial.format)
		app->trial.format = mem_text(trial.format);
	if (trial.settings)
		app->trial.settings = mem_text(trial.settings);
	app->quit = true;
}

/* --- keys to commands -------------------------------------------------- */

void
app_run(struct app *app, struct command_call call)
{
	pane_command *run = panes[app->focus]->commands[call.id];
	/* what moves, finds and filters only chooses which rows are shown */
	app->display_generation += commands[call.id].group > GROUP_FILTER;
	if (commands[call.id].argument == ARGUMENT_TEXT && !call.text) {
		prompt_open(&app->prompt, call.id);
		return;
	}
	if (!run && app->focus >= PANE_HELP && call.id != COMMAND_REDRAW &&
	    call.id != COMMAND_SUSPEND && call.id != COMMAND_QUIT)
		app_run(app, (struct command_call){.id = COMMAND_CLOSE});
	if (!run && panes[app->focus]->lines && lines_are_moved(call.id))
		run = lines_move;
	if (!run)
		run = app_commands[call.id];
	if (!run)
		run = panes[PANE_LIST]->commands[call.id];
	if (!run)
		run = pane_mover(call.id);
	if (run)
		run(app, &call);
}

static void
forget_keys(struct app *app)
{
	app->keys.count = 0;
	app->count = 0;
	app->counted = false;
	app->wants_letter = COMMAND_COUNT;
}

static void
run_key(struct app *app, enum command_id id, uint32_t letter)
{
	struct command_call call = {.id = id,
				    .count = app->counted ? app->count : 1,
				    .counted = app->counted,
				    .letter = letter};
	forget_keys(app);
	app_run(app, call);
}

static void
prompt_takes(struct app *app, uint32_t key)
{
	struct prompt *prompt = &app->prompt;
	if (prompt->id == COMMAND_SEARCH_BACK && key == '?' && !prompt->text.length) {
		prompt_close(prompt);
		app_run(app, (struct command_call){.id = COMMAND_HELP});
	} else if (key == KEYCODE_TAB) {
		complete_next(app);
	} else if (prompt_key(prompt, key) == PROMPT_ACCEPTED) {
		char *text = mem_text(text_get(&prompt->text));
		app_run(app, (struct command_call){.id = prompt->id, .text = text});
		free(text);
	}
}

/* Digits, where a pane does not take them as keys, or after others. */
static bool
is_count(const struct app *app, uint32_t key)
{
	const struct keys one = {.at = {key}, .count = 1};
	enum command_id id;
	bool digit = !app->keys.count && key <= '9' && key >= '0';
	return digit &&
	       (app->counted || (key != '0' && keymap_look(&app->keymap, panes[app->focus]->scope,
							   &one, &id) == KEYMAP_NONE));
}

/* Keys that mean nothing, unless they were given up. */
static void
say_no_key(struct app *app, uint32_t last)
{
	struct text text = {0};
	if (last == KEYCODE_ESC || last == KEYCODE_CTRL('C'))
		return;
	text_add(&text, "no key ");
	keys_show(&app->keys, &text);
	text_add(&text, "; ");
	keymap_hint(&app->keymap, COMMAND_HELP, &text);
	app_say(app, "%s lists the keys", text.data);
	text_free(&text);
}

/* Text that is pasted is text in a prompt, in one line, and nothing elsewhere. */
static void
take_pasted(struct app *app, uint32_t code)
{
	bool prints = code >= KEYCODE_SPACE && code < KEYCODE_NAMED && code != KEYCODE_BACKSPACE;
	forget_keys(app);
	if (!app->prompt.active) {
		app_say(app, "pasted text runs no commands; open a prompt for it first, as with :");
		return;
	}
	if (prints && app->paste_gap)
		prompt_key(&app->prompt, KEYCODE_SPACE);
	if (prints)
		prompt_key(&app->prompt, code);
	app->paste_gap = !prints && app->prompt.text.length;
}

void
app_key(struct app *app, uint32_t key)
{
	enum command_id id;
	text_clear(&app->message);
	if (key & KEYCODE_PASTED) {
		take_pasted(app, key & ~(uint32_t)KEYCODE_PASTED);
		return;
	}
	app->paste_gap = false;
	if (app->prompt.active) {
		prompt_takes(app, key);
		return;
	}
	if (app->wants_letter != COMMAND_COUNT) {
		run_key(app, app->wants_letter, key);
		return;
	}
	if (is_count(app, key)) {
		app->counted = true;
		app->count =
		    app->count > UINT64_MAX / 16 ? app->count : app->count * 10 + key - '0';
		return;
	}
	app->keys.at[app->keys.count++] = key;
	switch (keymap_look(&app->keymap, panes[app->focus]->scope, &app->keys, &id)) {
	case KEYMAP_FOUND:
		if (commands[id].argument == ARGUMENT_LETTER) {
			app->keys.count = 0;
			app->wants_letter = id;
		} else {
			run_key(app, id, key);
		}
		break;
	case KEYMAP_PREFIX:
		if (app->keys.count == KEYS_MAX)
			forget_keys(app);
		break;
	case KEYMAP_NONE:
		say_no_key(app, key);
		forget_keys(app);
		break;
	}
}

/* Types a +COMMAND: keys, a prompt that is still open at the end accepted;
 * `t=TIME` is `tTIME`. */
static void
type_command(struct app *app, const char *text)
{
	size_t length = strlen(text), at = 0;
	while (at < length) {
		uint32_t code;
		size_t taken = text_decode(text + at, length - at, &code);
		if (!taken)
			return;
		if (!(at == 1 && text[0] == 't' && code == '='))
			app_key(app, code);
		at += taken;
	}
	if (app->prompt.active)
		app_key(app, KEYCODE_ENTER);
	forget_keys(app);
}

/* --- painting ---------------------------------------------------------- */

void
app_place_panes(struct app *app)
{
	int rows, cols;
	term_size(app->term, &rows, &cols);
	if (app->canvas.rows != rows || app->canvas.cols != cols)
		canvas_resize(&app->canvas, rows, cols);
	struct layout_wish wish = {.rows = rows,
				   .cols = cols,
				   .mode = app->layout_mode,
				   .base = app_base(app),
				   .focus = app->focus,
				   .zoom = app->zoom,
				   .split = app->split};
	memcpy(wish.open, app->open, sizeof wish.open);
	if (wish.base == PANE_GUESSES && !panes[PANE_GUESSES]->lines(app))
		wish.wanted[PANE_HEX] = rows; /* there is little else to show */
	wish.wanted[PANE_TIMELINE] = timeline_rows(app);
	app->layout = layout_make(&wish);
}

static void
draw_rule(struct app *app, enum pane_id pane)
{
	const struct area *area = &app->layout.rules[pane];
	enum role role = app->focus == pane ? ROLE_RULE_FOCUS : ROLE_RULE;
	char line = app->focus == pane ? '=' : '-';
	struct text title = {0};
	text_addf(&title, " %s", panes[pane]->name);
	if (panes[pane]->title)
		panes[pane]->title(app, &title);
	text_add(&title, " ");
	canvas_fill(&app->canvas, area, 0, 0, area->cols, role, line);
	canvas_put(&app->canvas, area, 0, 1, role, text_get(&title), title.length);
	text_free(&title);
}

static void
draw_bar(struct app *app)
{
	const struct area *bar = &app->layout.bar;
	for (int y = 0; y < bar->rows; y++)
		canvas_puts(&app->canvas, bar, y, 0, ROLE_RULE, "|");
}

static void
paint(struct app *app)
{
	app_place_panes(app);
	list_settle(app->list);
	preview_follow(app); /* once for keys that came together */
	canvas_clear(&app->canvas);
	for (int pane = 0; pane < PANE_COUNT; pane++) {
		if (app->layout.panes[pane].rows > 0)
			panes[pane]->draw(app, &app->canvas, &app->layout.panes[pane]);
		if (app->layout.rules[pane].rows > 0)
			draw_rule(app, (enum pane_id)pane);
	}
	draw_bar(app);
	if (app->layout.title.rows)
		bars_draw_title(app, &app->canvas, &app->layout.title);
	if (app->layout.status.rows)
		bars_draw_status(app, &app->canvas, &app->layout.status);
	term_paint(app->term, &app->canvas);
}

/* --- events ------------------------------------------------------------ */

static const int caught[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT};

static void
signal_set(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
		sigaddset(set, caught[i]);
}

/* Lets a blocked signal do what it does without us. */
static void
raise_default(int number)
{
	sigset_t one;
	sigemptyset(&one);
	sigaddset(&one, number);
	signal(number, SIG_DFL);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
}

void
app_suspend(struct app *app)
{
	term_suspend(app->term);
	raise_default(SIGTSTP);
	term_resume(app->term);
}

static void
take_signals(struct app *app)
{
	struct signalfd_siginfo info;
	while (read(app->signals, &info, sizeof info) == (ssize_t)sizeof info) {
		switch ((int)info.ssi_signo) {
		case SIGTERM:
		case SIGHUP:
			app->deadly = (int)info.ssi_signo;
			app->quit = true;
			break;
		case SIGINT:
			app_key(app, KEYCODE_CTRL('C'));
			break;
		case SIGTSTP:
			app_suspend(app);
			break;
		case SIGCONT:
			term_resume(app->term); /* a shell may have changed its modes */
			break;
		}
	}
}

static void
notify(void *context)
{
	const struct app *app = context;
	uint64_t one = 1;
	if (write(app->notify, &one, sizeof one) < 0) {
		/* full: the loop will wake anyway */
	}
}

static bool
is_indexed(const struct app *app)
{
	struct index_progress progress;
	for (size_t i = 0; i < app->list->lane_count; i++) {
		index_get_progress(trace_index(app->list->lanes[i].trace), &progress);
		if (!progress.complete)
			return false;
	}
	return true;
}

static bool
is_working(const struct hits *hits)
{
	struct matches_progress progress;
	hits_get_progress(hits, &progress);
	return progress.working;
}

static void
say_lines(struct app *app, char *lines)
{
	for (char *rest = lines, *line; (line = strsep(&rest, "\n"));)
		app_trouble(app, "%s", line);
}

/* Says that a pattern gives up, and again when it is much more; false: nothing new. */
static bool
say_given_up(struct app *app)
{
	struct doubts doubts = {.count[DOUBT_UNSEARCHED] = regex_given_up()};
	struct text line = {0};
	if (!doubts.count[DOUBT_UNSEARCHED] || doubts.count[DOUBT_UNSEARCHED] < 2 * app->given_up)
		return false;
	app->given_up = doubts.count[DOUBT_UNSEARCHED];
	doubts_describe(&doubts, &line);
	app_trouble(app, "%s", text_get(&line));
	text_free(&line);
	return true;
}

/* Takes what threads have to tell; true if it is more than progress. */
static bool
take_news(struct app *app)
{
	uint64_t count;
	bool searching = search_running(&app->search), writing = app->writing;
	bool indexed = app->indexed, more = false;
	if (read(app->notify, &count, sizeof count) < 0)
		return false;
	app->display_generation++;
	search_poll(app);
	write_poll(app);
	session_wake(app->session);
	for (size_t i = 0; i < app->session->traces.count; i++) {
		bool tail = app->lists[i].tail || app->list->tail;
		if (trace_poll(app->session->traces.at[i], tail))
			more |= tail;
		char *notice = trace_take_notice(app->session->traces.at[i]);
		if (notice)
			say_lines(app, notice);
		more |= notice != NULL;
		free(notice);
	}
	more |= say_given_up(app);
	state_check(app);
	merge_wake(app->merge);
	unsigned generation = list_generation(app->list);
	more |= generation != app->generation;
	app->generation = generation;
	if (filter_is_stale(app))
		list_rebuild(app->list);
	app->indexed = is_indexed(app);
	bool counting = is_working(&app->list->hits) || is_working(&app->search.hits) ||
			is_working(&app->preview.hits);
	more |= app->counting != counting || list_busy(app->list);
	app->counting = counting;
	more |= timeline_has_news(app);
	return more || app->indexed != indexed || searching != search_running(&app->search) ||
	       writing != (app->writing != NULL);
}

static bool
take_keys(struct app *app)
{
	uint32_t key;
	bool any = false;
	while (!app->quit && (key = term_key(app->term)) != KEYCODE_NONE) {
		app_key(app, key);
		any = true;
	}
	return any;
}

/* Says that threads could not be started: nothing that waits for one gets done. */
static void
say_refusals(struct app *app)
{
	unsigned refusals = thread_refusals();
	if (refusals != app->refusals)
		app_trouble(app, "no more threads can be started (ulimit -u): counts, times and "
				 "the timeline stay incomplete; raise the limit");
	app->refusals = refusals;
}

/* Whether a pane on the screen still works at what it shows. */
static bool
panes_work(struct app *app)
{
	bool more = false;
	for (int pane = 0; pane < PANE_COUNT; pane++)
		if (app->layout.panes[pane].rows > 0 && panes[pane]->work)
			more |= panes[pane]->work(app);
	return more;
}

static void
loop(struct app *app)
{
	struct pollfd files[] = {{.fd = term_file(app->term), .events = POLLIN},
				 {.fd = app->signals, .events = POLLIN},
				 {.fd = app->notify, .events = POLLIN}};
	int64_t next = 0; /* when progress may be painted again */
	bool due = true, progress = false, more = false;
	while (!app->quit) {
		int64_t wait = next - thread_now_ms();
		if (due || (progress && wait <= 0)) {
			list_work(app->list);
			say_refusals(app);
			paint(app);
			more = panes_work(app) || list_busy(app->list);
			for (size_t i = 0; i < app->list->lane_count; i++)
				if (capture_damaged(trace_capture(app->list->lanes[i].trace)))
					notify(app); /* what was read had vanished */
			next = thread_now_ms() + PROGRESS_MS;
			wait = PROGRESS_MS;
			progress = false;
		}
		int ready = poll(files, 3, more ? 0 : progress ? (int)wait : -1);
		if ((ready < 0 && errno != EINTR) ||
		    files[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			break;
		due = more;
		if (files[1].revents) {
			take_signals(app);
			due = true;
		}
		if (files[2].revents) {
			due |= take_news(app);
			progress = true;
		}
		due |= take_keys(app);
	}
}

/* --- from start to end ------------------------------------------------- */

/* For those who wonder how it looks: nothing is said of it in the last row. */
static void
log_lacks(struct app *app)
{
	struct text lacks = {0};
	term_lacks(app->term, &lacks);
	for (char *line = lacks.data, *next; line && *line; line = next) {
		next = strchr(line, '\n') + 1;
		next[-1] = '\0';
		log_add(&app->log, false, line);
	}
	if (app->charset == TEXT_ASCII)
		log_add(&app->log, false, "ASCII only: other characters are written as escapes");
	text_free(&lacks);
}

/* Where it is not what the screen shows anyway, how to get there. */
static void
say_undecoded(struct app *app, const struct trace *trace)
{
	struct text text = {0};
	text_addf(&text, "%s: %s", trace_name(trace), trace_reason(trace));
	if (app_base(app) == PANE_GUESSES) {
		log_add(&app->log, false, text_get(&text));
	} else {
		text_add(&text, "; ");
		keymap_hint(&app->keymap, COMMAND_NEXT_TRACE, &text);
		app_say(app, "%s goes there", text_get(&text));
	}
	text_free(&text);
}

/* What is no trace, or only guessed to be one: in the log too, since the last row is
 * short. */
static void
say_guesses(struct app *app)
{
	for (size_t i = 0; i < app->session->traces.count; i++) {
		const struct trace *trace = app->session->traces.at[i];
		struct text text = {0};
		if (trace_explain_guess(trace, &text)) /* the title says that it is one */
			log_add(&app->log, false, text_get(&text));
		else if (trace_recognition(trace)->plain)
			app_say(app, "%s: %s", trace_name(trace), trace_reason(trace));
		else if (!trace_is_decoded(trace))
			say_undecoded(app, trace);
		text_free(&text);
	}
}

static void
open_parts(struct app *app)
{
	struct session *session = app->session;
	const struct filter *filter = &app->options->filter;
	app->filters.severities = filter->severities;
	app->charset = app->options->ascii ? TEXT_ASCII : TEXT_UTF8;
	log_lacks(app);
	app->wants_letter = COMMAND_COUNT;
	for (int i = 0; i < PANE_COUNT; i++)
		app->state[i] = mem_new(panes[i]->state_size);
	size_t count = session->traces.count;
	app->merge = merge_new(session);
	app->list_count = count > 1 ? count + 1 : count;
	app->lists = mem_new(app->list_count * sizeof *app->lists);
	for (size_t i = 0; i < count; i++)
		list_open(&app->lists[i], session, i, &app->filter);
	if (count > 1)
		list_open_merged(&app->lists[count], session, app->merge, &app->filter);
	for (size_t i = 0; i < app->list_count; i++)
		app->lists[i].around = app->options->around;
	app->trace = app->list_count - 1;
	app->list = &app->lists[app->trace];
	settings_start(app);
	if (filter->expr)
		filters_put(app, 0, (struct filter_entry){.expr = filter_clone(filter).expr});
	else
		app_refilter(app);
	say_guesses(app);
	state_restore(app);
	show_base(app);
}

static void
close_parts(struct app *app)
{
	search_free(&app->search);
	write_free(app);
	for (size_t i = 0; i < app->list_count; i++)
		list_close(&app->lists[i]);
	free(app->lists);
	merge_free(app->merge);
	for (int i = 0; i < PANE_COUNT; i++) {
		if (panes[i]->close)
			panes[i]->close(app->state[i]);
		free(app->state[i]);
	}
	contexts_close(app);
	jumps_free(&app->jumps);
	state_free(&app->kept);
	range_free(&app->range);
	preview_free(&app->preview);
	prompt_free(&app->prompt);
	keymap_free(&app->keymap);
	expansion_free(&app->selection.expansion);
	filters_free(&app->filters);
	rules_free(&app->rules);
	canvas_free(&app->canvas);
	text_free(&app->message);
	free(app->view_name);
}

static void
run(struct app *app)
{
	struct session *session = app->session;
	app_place_panes(app);
	paint(app);
	for (size_t i = 0; i < app->options->command_count; i++)
		type_command(app, app->options->commands[i]);
	if (app->options->command_count)
		paint(app);
	if (app->options->follow)
		app_run(app, (struct command_call){.id = COMMAND_FOLLOW, .count = 1});
	session_start(session);
	merge_start(app->merge);
	loop(app);
}

static void
say_trial(struct app *app, const struct app_trial *trial)
{
	struct text text = {0};
	if (!trial->format)
		return;
	text_addf(&text, "tried as %s: Esc comes back; ", trial->format);
	if (trial->settings && *trial->settings) {
		text_add(&text, "to keep it, ");
		trace_add_profile(trial->trace, trace_decoder(trial->trace)->ops, trial->settings,
				  &text);
	} else {
		text_addf(&text, "trawl -f %s keeps it", trial->format);
	}
	app_say(app, "%s", text_get(&text));
	text_free(&text);
}

/* Reads a trace as it shall be tried, and makes all parts anew around it. */
static void
retry(struct app *app)
{
	struct session *session = app->session;
	struct app_trial trial = app->trial;
	struct app next = {.session = session,
			   .options = app->options,
			   .term = app->term,
			   .log = app->log,
			   .notify = app->notify,
			   .signals = app->signals};
	struct err err = {0}, lost = {0};
	size_t number = trace_number(trial.trace);
	state_keep(app, &lost);
	close_parts(app);
	*app = next;
	app->options->command_count = 0; /* those were for the start */
	app->options->follow = false;
	int failed = trial.folder
			 ? session_open_folder(session, trial.trace, &err)
			 : session_try(session, trial.trace, trial.format, trial.settings, &err);
	open_parts(app);
	if (!trial.folder)
		app_show_trace(app, number);
	if (failed < 0)
		app_trouble(app, "%s", err.what);
	else
		say_trial(app, &trial);
	if (lost.code)
		app_trouble(app, "%s", lost.what);
	free((char *)trial.format);
	free((char *)trial.settings);
}

int
ui_run(struct session *session, struct ui_options *options, struct err *err)
{
	struct app app = {.session = session, .options = options};
	struct err lost = {0};
	sigset_t set, before;
	app.term = term_open(&options->looks.theme, err);
	if (!app.term)
		return ERR_UNSUPPORTED;
	signal_set(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	app.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	app.notify = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	session_notify(session, notify, &app);

	open_parts(&app);
	for (run(&app); app.trial.trace && !app.deadly; run(&app))
		retry(&app);
	term_close(app.term);
	if (state_keep(&app, &lost) < 0)
		options->complain(lost.what);

	session_notify(session, NULL, NULL);
	close_parts(&app);
	log_free(&app.log);
	close(app.notify);
	close(app.signals);
	if (app.deadly)
		raise_default(app.deadly);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return 0;
}
