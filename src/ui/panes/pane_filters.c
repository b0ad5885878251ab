/*
 * The list of filters: what each is, how many messages it has, how that is
 * known and what it took; above them the severities, to be shown or hidden one
 * by one.
 *
 * Each filter is counted by a match set of its own, from when its line is first
 * on the screen until the pane is closed: sums answer at once, the rest is counted
 * behind the screen.
 */
#include "config.h"

#include "base/thread.h"
#include "ui/app.h"
#include "ui/panes/lines.h"

#include <string.h>

enum {
	SEVERITY_LINE = 0, /* the filters follow */
	COUNT_COLUMNS = 14,
	HOW_COLUMNS = 11,
	COST_COLUMNS = 9,
	WIDE = 60 /* columns from which a line says how it was answered */
};

struct filters_state {
	struct lines cursor;
	unsigned severity; /* under the cursor, where the severities are */
	struct text text;
};

static struct filters_state *
state_of(struct app *app)
{
	return app->state[PANE_FILTERS];
}

static size_t
count_lines(struct app *app)
{
	return app->filters.list.count + 1;
}

static void
filters_close(void *context)
{
	struct filters_state *state = context;
	text_free(&state->text);
}

/* --- counting ---------------------------------------------------------- */

/* Begins to count, in the list that is shown. */
static void
count(struct app *app, struct filter_entry *entry)
{
	struct filter want = filter_all();
	want.expr = entry->expr;
	if (entry->hits.count && entry->hits.list == app->list) {
		hits_update(&entry->hits);
		return;
	}
	hits_close(&entry->hits);
	int64_t start = thread_now_ms();
	hits_open(&entry->hits, app->list, &want, NULL);
	entry->seconds = (double)(thread_now_ms() - start) / 1000;
}

/* --- drawing ----------------------------------------------------------- */

static void
draw_right(struct canvas *canvas, const struct area *area, int y, int end, const struct text *text)
{
	int columns = text_columns(text_get(text), text->length);
	canvas_put(canvas, area, y, end - columns, ROLE_NORMAL, text_get(text), text->length);
}

/* Where the answer comes from: sums of the index, or messages looked at. */
static void
add_how(const struct matches_progress *progress, struct text *out)
{
	if (!progress->looked && !progress->working)
		text_add(out, progress->exact ? "index" : "index...");
	else if (progress->working && progress->of)
		text_addf(out, "scan %u%%",
			  (unsigned)((double)progress->cells * 100 / (double)progress->of));
	else
		text_add(out, progress->exact ? "scan" : "scan...");
}

static void
draw_count(struct app *app, struct canvas *canvas, const struct area *area, int y,
	   struct filter_entry *entry)
{
	struct text *text = &state_of(app)->text;
	struct matches_progress progress;
	int end = area->cols - 1;
	count(app, entry);
	hits_get_progress(&entry->hits, &progress);
	if (area->cols >= WIDE) {
		text_clear(text);
		text_addf(text, "%.2f s", entry->seconds + progress.seconds);
		draw_right(canvas, area, y, end, text);
		text_clear(text);
		add_how(&progress, text);
		canvas_put(canvas, area, y, end - COST_COLUMNS - HOW_COLUMNS + 2, ROLE_NOTE,
			   text_get(text), text->length);
		end -= COST_COLUMNS + HOW_COLUMNS;
	}
	text_clear(text);
	bars_add_count(app, &entry->hits, text);
	draw_right(canvas, area, y, end, text);
}

static void
draw_filter(struct app *app, struct canvas *canvas, const struct area *area, int y, size_t i,
	    bool current)
{
	struct text *text = &state_of(app)->text;
	struct filter_entry *entry = &app->filters.list.at[i];
	enum role role = current && app->focus == PANE_FILTERS ? ROLE_CURSOR : ROLE_NORMAL;
	int counts = COUNT_COLUMNS + (area->cols >= WIDE ? HOW_COLUMNS + COST_COLUMNS : 0);
	int x =
	    canvas_putf(canvas, area, y, 0, role, " %s %zu ", entry->off ? "[ ]" : "[x]", i + 1);
	x = canvas_puts(canvas, area, y, x, ROLE_FIELD, entry->out ? "out " : "in  ");
	text_clear(text);
	app_add_safe(app, filter_expr_text(entry->expr), text);
	int room = area->cols - counts - x;
	canvas_put_cell(canvas, area, y, x, room > 0 ? room : 0,
			entry->off ? ROLE_ABSENT : ROLE_NORMAL, text_get(text), text->length);
	draw_count(app, canvas, area, y, entry);
}

/* `[E]41 [W]302  I 9.1M`: those in brackets are shown. */
static void
draw_severities(struct app *app, struct canvas *canvas, const struct area *area, int y,
		bool current)
{
	struct filters_state *state = state_of(app);
	struct index_progress progress;
	int x = 1;
	list_get_progress(app->list, &progress);
	for (unsigned i = 0; i < SEVERITY_COUNT; i++) {
		unsigned s = (i + 1) % SEVERITY_COUNT; /* those without one last */
		bool shown = app->filters.severities >> s & 1;
		bool here = current && s == state->severity && app->focus == PANE_FILTERS;
		if (!s)
			x = canvas_puts(canvas, area, y, x, ROLE_NOTE, " | none ") - 1;
		x = canvas_putf(canvas, area, y, x, here ? ROLE_CURSOR : severity_role(s),
				shown ? "[%c]" : " %c ", severity_letter(s));
		text_clear(&state->text);
		text_add_count(&state->text, progress.severities[s]);
		x = canvas_put(canvas, area, y, x, shown ? ROLE_NORMAL : ROLE_ABSENT,
			       text_get(&state->text), state->text.length);
		x++;
	}
	if (!progress.complete)
		canvas_puts(canvas, area, y, x, ROLE_ABSENT, "so far");
}

static void
filters_draw(struct app *app, struct canvas *canvas, const struct area *area)
{
	struct filters_state *state = state_of(app);
	size_t lines = count_lines(app), rows = (size_t)area->rows;
	lines_show(&state->cursor, lines, area->rows);
	for (size_t i = 0; i < rows && state->cursor.top + i < lines; i++) {
		size_t line = state->cursor.top + i;
		bool current = line == state->cursor.line;
		if (line == SEVERITY_LINE)
			draw_severities(app, canvas, area, (int)i, current);
		else
			draw_filter(app, canvas, area, (int)i, line - 1, current);
	}
	if (lines == 1 && rows > 1) {
		text_clear(&state->text);
		text_add(&state->text, " no filters; ");
		keymap_hint(&app->keymap, COMMAND_FILTER_ADD, &state->text);
		text_add(&state->text, " adds one");
		canvas_put(canvas, area, 1, 0, ROLE_ABSENT, state->text.data, state->text.length);
	}
}

static void
add_hint(struct app *app, enum command_id id, const char *what, struct text *out)
{
	text_add(out, "  ");
	keymap_hint(&app->keymap, id, out);
	text_addf(out, " %s", what);
}

static void
filters_title(struct app *app, struct text *out)
{
	char digits[32];
	bool exact;
	text_add(out, "  ");
	if (app->list->hits.count)
		bars_add_count(app, &app->list->hits, out);
	else
		text_add(out, "all");
	uint64_t total = list_total(app->list, &exact);
	text_addf(out, " of %s%s shown", exact ? "" : "~", text_number(digits, total));
	if (app->filters.off) {
		text_add(out, "  off:");
		add_hint(app, COMMAND_FILTERS, "all on", out);
		return;
	}
	add_hint(app, COMMAND_FILTER_TURN, "on/off", out);
	add_hint(app, COMMAND_FILTER_ADD, "add", out);
	add_hint(app, COMMAND_FILTER_EDIT, "edit", out);
	add_hint(app, COMMAND_FILTER_DROP, "drop", out);
	add_hint(app, COMMAND_FILTER_INVERT, "in/out", out);
}

/* --- commands ---------------------------------------------------------- */

/* Along the severities, as they stand. */
static void
sideways(struct app *app, const struct command_call *call)
{
	struct filters_state *state = state_of(app);
	unsigned step = call->id == COMMAND_RIGHT ? 1 : SEVERITY_COUNT - 1;
	if (state->cursor.line == SEVERITY_LINE)
		state->severity = (state->severity + step) % SEVERITY_COUNT;
}

/* The filter under the cursor; false if there is none. */
static bool
selected(struct app *app, size_t *at)
{
	size_t cursor = state_of(app)->cursor.line;
	*at = cursor - 1;
	return cursor > SEVERITY_LINE && *at < app->filters.list.count;
}

size_t
filters_cursor(struct app *app)
{
	size_t at;
	return selected(app, &at) ? at : SIZE_MAX;
}

static void
turn_one(struct app *app, unsigned severity)
{
	app->filters.severities ^= (uint8_t)(1u << severity);
	app->filters.off = false;
	app_refilter(app);
}

static void
turn_severity(struct app *app, const struct command_call *call)
{
	bool digit = call->letter >= '0' && call->letter < '0' + SEVERITY_COUNT;
	turn_one(app, digit ? call->letter - '0' : state_of(app)->severity);
}

static void
turn(struct app *app, const struct command_call *call)
{
	size_t at;
	(void)call;
	if (selected(app, &at))
		filters_turn(app, at);
	else if (state_of(app)->cursor.line == SEVERITY_LINE)
		turn_one(app, state_of(app)->severity);
}

static void
invert(struct app *app, const struct command_call *call)
{
	size_t at;
	(void)call;
	if (selected(app, &at))
		filters_invert(app, at);
}

static void
drop(struct app *app, const struct command_call *call)
{
	size_t at;
	(void)call;
	if (selected(app, &at))
		filters_drop(app, at);
}

static void
add(struct app *app, const struct command_call *call)
{
	if (filters_type(app, SIZE_MAX, call->text, false))
		lines_go_to(&state_of(app)->cursor, count_lines(app), INT64_MAX);
}

static void
edit(struct app *app, const struct command_call *call)
{
	size_t at;
	if (!selected(app, &at))
		return;
	if (call->text) {
		filters_type(app, at, call->text, app->filters.list.at[at].out);
		return;
	}
	prompt_open(&app->prompt, COMMAND_FILTER_EDIT);
	prompt_replace(&app->prompt, 0, filter_expr_text(app->filters.list.at[at].expr));
}

static pane_command *const filters_commands[COMMAND_COUNT] = {
    [COMMAND_LEFT] = sideways,	      [COMMAND_RIGHT] = sideways,
    [COMMAND_FILTER_ADD] = add,	      [COMMAND_FILTER_EDIT] = edit,
    [COMMAND_FILTER_DROP] = drop,     [COMMAND_FILTER_TURN] = turn,
    [COMMAND_FILTER_INVERT] = invert, [COMMAND_SEVERITY_TURN] = turn_severity,
};

const struct pane_ops pane_filters = {
    .name = "filters",
    .scope = SCOPE_FILTERS,
    .state_size = sizeof(struct filters_state),
    .close = filters_close,
    .title = filters_title,
    .draw = filters_draw,
    .commands = filters_commands,
    .lines = count_lines,
};
