/*
 * The title and the status row.
 *
 * What changes with every key is short and at the left of the status, so that
 * a step costs few bytes: the number of the message, that of the row where a
 * filter is on, and that of the match.  Totals say how sure they are.
 */
#include "config.h"

#include "decode/registry.h"
#include "session/clock/clock_text.h"
#include "session/session.h"
#include "trace/recognise.h"
#include "ui/app.h"
#include "ui/list/moment.h"

#include <string.h>

enum { WIDE = 100 };

/* Draws LEFT, and RIGHT at the end of the row where both fit. */
static void
draw_sides(struct canvas *canvas, const struct area *area, enum role role, const struct text *left,
	   const struct text *right)
{
	int columns = text_columns(text_get(right), right->length);
	canvas_fill(canvas, area, 0, 0, area->cols, role, ' ');
	int x = canvas_put(canvas, area, 0, 0, role, text_get(left), left->length);
	if (right->length && x + 1 + columns <= area->cols)
		canvas_put(canvas, area, 0, area->cols - columns, role, text_get(right),
			   right->length);
}

void
app_add_safe(const struct app *app, const char *string, struct text *out)
{
	text_add_safe(out, string, strlen(string), app->charset);
}

static unsigned
percent_indexed(const struct index_progress *progress)
{
	if (progress->complete || !progress->size)
		return 100;
	unsigned percent = (unsigned)((double)progress->bytes * 100 / (double)progress->size);
	return percent > 99 ? 99 : percent;
}

/* How far the index is; if there is room, how fast, and how long that will take. */
static void
add_progress(const struct index_progress *progress, bool wide, struct text *out)
{
	text_addf(out, "  idx %u%%%s", percent_indexed(progress),
		  progress->paused ? " paused" : "");
	if (progress->paused || !wide || progress->rate < 1)
		return;
	text_add_char(out, ' ');
	text_add_size(out, (uint64_t)progress->rate);
	double seconds = (double)(progress->size - progress->bytes) / progress->rate;
	if (seconds < 1e6)
		text_addf(out, "/s, %.0f s left", seconds);
}

/* Whether the indexes have nearly reached the ends of the captures that are shown. */
static bool
at_end(const struct list *list)
{
	for (size_t i = 0; i < list->lane_count; i++) {
		const struct index *index = trace_index(list->lanes[i].trace);
		if (list_shows(list, i) && index_known(index) + 3 < index_cell_count(index))
			return false;
	}
	return true;
}

/* --- title ------------------------------------------------------------- */

void
bars_add_severities(const struct app *app, struct text *out)
{
	text_add(out, "severities ");
	for (unsigned s = SEVERITY_FATAL; s < SEVERITY_COUNT; s++)
		if (app->filters.severities >> s & 1)
			text_add_char(out, severity_letter(s));
	if (app->filters.severities == 0 || app->filters.severities == 1)
		text_add(out, "none");
}

static void
add_filters(struct app *app, struct text *out)
{
	const struct filters *filters = &app->filters;
	bool whole, hide = !(filters->severities & 1);
	enum severity level = filters_threshold(filters, &whole);
	if (filters->severities == 0xff && !filters->all)
		return;
	text_add(out, filters->off ? "  filters off" : "  only");
	if (filters->off)
		return;
	if (!whole) {
		text_add_char(out, ' ');
		bars_add_severities(app, out);
	} else if (level != SEVERITY_DEBUG) {
		text_addf(out, " %s+", severity_name(level));
	}
	if (hide)
		text_add(out, " assigned");
	if (filters->all) {
		text_add_char(out, ' ');
		app_add_safe(app, filter_expr_text(filters->all), out);
	}
	if (app->list->around)
		text_addf(out, "  context %u", app->list->around);
}

/* What it is read as, and how sure that is. */
static void
add_format(const struct trace *trace, int columns, struct text *out)
{
	const char *name = decoder_name(trace_decoder(trace)->ops);
	const char *settings = text_get(&trace_recognition(trace)->settings);
	if (!trace_is_decoded(trace))
		text_add(out, "  format unknown");
	else if (trace_on_trial(trace) && *settings && columns >= WIDE)
		text_addf(out, "  [trying %s: %s]", name, settings);
	else if (trace_on_trial(trace))
		text_addf(out, "  [trying %s]", name);
	else
		text_addf(out, "  %s", trace_recognition(trace)->plain ? "plain text" : name);
	if (trace_guess(trace))
		text_addf(out, "  [guessed %d %%]", trace_guess(trace));
}

void
bars_draw_title(struct app *app, struct canvas *canvas, const struct area *area)
{
	struct text left = {0}, right = {0};
	struct trace *trace = app->list->trace;
	struct index_progress progress;
	list_get_progress(app->list, &progress);
	text_add(&left, " trawl  ");
	if (app->options->session_name) {
		app_add_safe(app, app->options->session_name, &left);
		text_add(&left, ": ");
	}
	app_add_safe(app, trace_name(trace), &left);
	if (app->list->merge)
		text_addf(&left, " and %zu more", app->session->traces.count - 1);
	else if (app->session->traces.count > 1)
		text_addf(&left, " +%zu", app->session->traces.count - 1);
	text_add(&left, "  ");
	text_add_size(&left, capture_size(trace_capture(trace)));
	add_format(trace, area->cols, &left);
	if (trace_mark(trace))
		text_addf(&left, "  [%s]", trace_mark(trace));
	if (trace_decoder(trace)->mark)
		text_addf(&left, "  [%s]", trace_decoder(trace)->mark);
	add_filters(app, &left);
	if (app->time_mode != TIME_ABSOLUTE)
		text_addf(&right, " T:%s", time_mode_name(app->time_mode));
	if (app->layout_mode != LAYOUT_AUTO)
		text_addf(&right, "  %s", layout_mode_name(app->layout_mode));
	if (app->zoom)
		text_addf(&right, "  zoom:%s", panes[app->focus]->name);
	bool grows = !capture_ended(trace_capture(trace));
	if (!progress.complete && !at_end(app->list))
		add_progress(&progress, area->cols >= WIDE, &right);
	if (grows)
		text_add(&right, app->list->tail ? "  follow" : "  reading on");
	text_add(&right, " ");
	draw_sides(canvas, area, ROLE_TITLE, &left, &right);
	text_free(&left);
	text_free(&right);
}

/* --- status ------------------------------------------------------------ */

bool
bars_add_count(struct app *app, const struct hits *hits, struct text *out)
{
	struct matches_progress progress;
	char digits[32];
	hits_get_progress(hits, &progress);
	if (!progress.exact && !progress.count) {
		text_add(out, progress.working ? "searching" : "none yet");
		return false;
	}
	if (!progress.exact)
		text_add(out, app->charset == TEXT_ASCII ? ">=" : "\u2265");
	text_add(out, text_number(digits, progress.count));
	return true;
}

/* The rank of a row among the matches counted, and how many they are: `, row 3
 * of 300`; or only how many: `, 300 shown`. */
static void
add_rank(struct app *app, const struct hits *hits, const struct row *row, const char *one,
	 const char *many, struct text *out)
{
	char digits[32];
	uint64_t rank;
	bool exact, hit = hits_rank(hits, row, &rank, &exact);
	if (hit && exact)
		text_addf(out, ", %s %s of ", one, text_number(digits, rank + 1));
	else
		text_add(out, ", ");
	if (bars_add_count(app, hits, out) && (!hit || !exact))
		text_addf(out, " %s", many);
}

static void
add_position(struct app *app, struct text *out)
{
	const struct row *row = list_current(app->list);
	char digits[32];
	bool exact;
	if (!row)
		return;
	uint64_t number = list_number(app->list, row, &exact);
	text_addf(out, " %s%s / ", exact ? "" : "~", text_number(digits, number));
	uint64_t total = list_total(app->list, &exact);
	if (!exact && total <= number)
		total = number + 1; /* an estimate knows no more than we see */
	text_addf(out, "%s%s", exact ? "" : "~", text_number(digits, total));
	if (app->list->hits.count)
		add_rank(app, &app->list->hits, row, "row", "shown", out);
	if (app->search.hits.count)
		add_rank(app, &app->search.hits, row, "match", "matches", out);
}

static void
add_time(struct app *app, struct text *out)
{
	struct list *list = app->list;
	const struct selection *selection =
	    app->time_mode != TIME_ABSOLUTE ? app_selection(app) : NULL;
	struct moment now;
	if (!selection || !moment_of(list, &list->lanes[list->lane], &selection->message,
				     &selection->expansion, &now))
		return;
	text_add(out, "   ");
	moment_format(&now, out);
}

/* What was typed of a command so far. */
static void
add_typed(const struct app *app, struct text *out)
{
	if (app->counted)
		text_addf(out, "%llu", (unsigned long long)app->count);
	keys_format(&app->keys, out);
	if (app->wants_letter != COMMAND_COUNT)
		keymap_hint(&app->keymap, app->wants_letter, out);
	if (out->length)
		text_add(out, "  ");
}

/* What came since the end was left behind. */
static void
add_unseen(struct app *app, struct text *out)
{
	char digits[32];
	bool exact;
	if (app->list->tail || capture_ended(trace_capture(app->list->trace)))
		return;
	uint64_t count = list_unseen(app->list, &exact);
	if (count)
		text_addf(out, "+%s%s new ", exact ? "" : "~", text_number(digits, count));
}

static void
add_totals(const struct index_progress *progress, struct text *out)
{
	static const enum severity shown[] = {SEVERITY_FATAL, SEVERITY_ERROR, SEVERITY_WARNING};
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		uint64_t count = progress->severities[shown[i]];
		if (count)
			text_addf(out, "%c:%llu%s ", severity_letter(shown[i]),
				  (unsigned long long)count, progress->complete ? "" : "+");
	}
}

/* What was said; or as much as there is room for, and where to find the rest. */
static void
add_message(struct app *app, int room, struct text *out)
{
	static const char more[] = "  :messages tells all";
	int less = room - (int)strlen(more);
	text_add_char(out, ' ');
	app_add_safe(app, app->message.data, out);
	if (text_columns(out->data, out->length) > room && less > 0) {
		text_cut(out, text_fit(out->data, out->length, less, NULL));
		text_add(out, more);
	}
}

void
bars_draw_status(struct app *app, struct canvas *canvas, const struct area *area)
{
	struct text left = {0}, right = {0};
	struct index_progress progress;
	enum role role = ROLE_STATUS;
	if (app->prompt.active) {
		preview_draw(app, canvas, area,
			     prompt_draw(&app->prompt, canvas, area, app->charset));
		return;
	}
	list_get_progress(app->list, &progress);
	add_typed(app, &right);
	if (app->message.length) {
		add_message(app, area->cols, &left);
		role = app->trouble ? ROLE_TROUBLE : ROLE_STATUS;
	} else if (search_running(&app->search)) {
		text_add(&left, " searching... Ctrl-C cancels");
	} else if (app_base(app) == PANE_GUESSES) {
		char digits[32];
		text_add(&left, " not decoded");
		text_addf(&right, "%s bytes ",
			  text_number(digits, capture_size(trace_capture(app->list->trace))));
	} else {
		add_position(app, &left);
		add_time(app, &left);
		range_describe(app, &left);
		add_unseen(app, &right);
		add_totals(&progress, &right);
	}
	draw_sides(canvas, area, role, &left, &right);
	text_free(&left);
	text_free(&right);
}
