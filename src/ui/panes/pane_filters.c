/*
 * The list of filters: the number of matches, the way of counting and its cost. A line above
 * them shows or hides single severities.
 *
 * Each filter has its own match set from its first drawing until the pane closes. Sums answer
 * at once; the rest is counted in the background.
 */
#include "config.h"

#include "ui/panes/pane_filters.h"
#include "base/thread.h"
#include "command/keymap.h"
#include "ui/list/filters.h"
#include "ui/list/list.h"
#include "ui/panes/table.h"
#include "ui/prompt/prompt.h"
#include "ui/screen/screen.h"

#include <string.h>

enum {
	SEVERITY_LINE = 0, /* the filters follow */
	COUNT_COLUMNS = 13,
	HOW_COLUMNS = 9,
	COST_COLUMNS = 9,
	WIDE = 60 /* least width for the way and cost of counting */
};

struct filters_state {
	struct table table;
	unsigned severity; /* under the cursor, in the line of severities */
	struct text text;
};

static struct filters_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_FILTERS];
}

static size_t
count_lines(struct screen *screen)
{
	return screen->filters->list.count + 1;
}

static void
filters_close(void *context)
{
	struct filters_state *state = context;
	text_free(&state->text);
	table_free(&state->table);
}

/* --- counting ---------------------------------------------------------- */

/* Start to count a filter's matches in the current list. */
static void
count_entry(struct screen *screen, struct filter_entry *entry)
{
	struct filter want = filter_all();
	want.expr = entry->expr;
	if (entry->matches.count && entry->matches.list == screen->list) {
		list_matches_update(&entry->matches);
		return;
	}
	list_matches_close(&entry->matches);
	int64_t start = thread_now_ms();
	list_matches_open(&entry->matches, screen->list, &want, NULL, NULL);
	entry->seconds = (double)(thread_now_ms() - start) / 1000;
}

/* --- drawing ----------------------------------------------------------- */

/* Append the source of the count: index sums, or a scan of messages. */
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

enum {
	FILTER_TICK,
	FILTER_SENSE,
	FILTER_EXPR,
	FILTER_COUNT,
	FILTER_HOW,
	FILTER_COST,
	FILTER_COLUMNS
};

static void
fill_count(struct screen *screen, struct table_row *row, struct filter_entry *entry)
{
	struct text *text = &state_of(screen)->text;
	struct matches_progress progress;
	count_entry(screen, entry);
	list_matches_get_progress(&entry->matches, &progress);
	text_clear(text);
	filters_add_count(screen, &entry->matches, text);
	table_put(row, FILTER_COUNT, ROLE_NORMAL, text_get(text), text->length);
	text_clear(text);
	add_how(&progress, text);
	table_put(row, FILTER_HOW, ROLE_NOTE, text_get(text), text->length);
	table_putf(row, FILTER_COST, ROLE_NORMAL, "%.2f s", entry->seconds + progress.seconds);
}

static void
fill_filter(struct screen *screen, struct table_row *row, size_t i)
{
	struct filter_entry *entry = &screen->filters->list.at[i];
	table_putf(row, FILTER_TICK, row->current ? ROLE_CURSOR : ROLE_NORMAL, " %s %zu ",
		   entry->disabled ? "[ ]" : "[x]", i + 1);
	table_putf(row, FILTER_SENSE, ROLE_FIELD, "%s", entry->exclude ? "out " : "in  ");
	table_putf(row, FILTER_EXPR, entry->disabled ? ROLE_ABSENT : ROLE_NORMAL, "%s",
		   filter_expr_text(entry->expr));
	fill_count(screen, row, entry);
}

/* Draw `[E]41 [W]302 I 9.1M none 7 [-]0`. Brackets mark shown severities. */
static void
draw_severities(struct screen *screen, struct canvas *canvas, const struct area *area, int y,
		bool current)
{
	struct filters_state *state = state_of(screen);
	struct index_progress progress;
	int x = 1;
	list_get_progress(screen->list, &progress);
	for (unsigned i = 0; i < SEVERITY_COUNT; i++) {
		unsigned s = (i + 1) % SEVERITY_COUNT; /* MAX comes last */
		bool shown = screen->filters->severities >> s & 1;
		bool here = current && s == state->severity;
		const char letter[] = {severity_letter(s), '\0'};
		x = canvas_putf(canvas, area, y, x, here ? ROLE_CURSOR : severity_role(s),
				shown ? "[%s]" : " %s ",
				s == SEVERITY_NONE ? severity_name(s) : letter);
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
fill_line(struct screen *screen, struct table_row *row, size_t i)
{
	if (i == SEVERITY_LINE)
		draw_severities(screen, row->canvas, row->area, row->y, row->current);
	else
		fill_filter(screen, row, i - 1);
}

static void
filters_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct filters_state *state = state_of(screen);
	bool wide = area->cols >= WIDE;
	const struct table_column columns[FILTER_COLUMNS] = {
	    [FILTER_TICK] = {.width = TABLE_FLOW},
	    [FILTER_SENSE] = {.width = TABLE_FLOW},
	    [FILTER_EXPR] = {.width = TABLE_REST},
	    [FILTER_COUNT] = {.width = COUNT_COLUMNS, .gap = wide ? 2 : 1, .right = true},
	    [FILTER_HOW] = {.width = wide ? HOW_COLUMNS : TABLE_HIDDEN},
	    [FILTER_COST] = {.width = wide ? COST_COLUMNS : TABLE_HIDDEN, .gap = 1, .right = true},
	};
	const struct table_spec spec = {.pane = PANE_FILTERS,
					.columns = columns,
					.column_count = FILTER_COLUMNS,
					.count = count_lines(screen),
					.fill = fill_line};
	table_draw(&state->table, screen, &spec, canvas, area);
	if (spec.count == 1 && area->rows > 1) {
		text_clear(&state->text);
		text_add(&state->text, " no filters; ");
		keymap_hint(screen->keymap, COMMAND_FILTER_ADD, &state->text);
		text_add(&state->text, " adds one");
		canvas_put(canvas, area, 1, 0, ROLE_ABSENT, state->text.data, state->text.length);
	}
}

static void
filters_title(struct screen *screen, struct text *out)
{
	char digits[32];
	bool exact;
	text_add(out, "filters  ");
	if (screen->list->matches.count)
		filters_add_count(screen, &screen->list->matches, out);
	else
		text_add(out, "all");
	uint64_t total = sequence_count(screen->list->sequence, &exact);
	text_addf(out, " of %s%s shown", exact ? "" : "~", text_number(digits, total));
	if (screen->filters->disabled)
		text_add(out, "  all off");
}

/* --- commands ---------------------------------------------------------- */

/* Move along the line of severities. */
static void
pane_filters_sideways(struct screen *screen, const struct command_call *call)
{
	struct filters_state *state = state_of(screen);
	unsigned step = call->id == COMMAND_RIGHT ? 1 : SEVERITY_COUNT - 1;
	if (state->table.cursor.line == SEVERITY_LINE)
		state->severity = (state->severity + step) % SEVERITY_COUNT;
}

/* Find the filter under the cursor. False without one. */
static bool
pane_filters_selected(struct screen *screen, size_t *at)
{
	size_t cursor = state_of(screen)->table.cursor.line;
	*at = cursor - 1;
	return cursor > SEVERITY_LINE && *at < screen->filters->list.count;
}

size_t
pane_filters_cursor(struct screen *screen)
{
	size_t at;
	return pane_filters_selected(screen, &at) ? at : SIZE_MAX;
}

static void
toggle_severity(struct screen *screen, unsigned severity)
{
	screen->filters->severities ^= (uint16_t)(1u << severity);
	screen->filters->disabled = false;
	filters_apply(screen);
}

static void
pane_filters_turn_severity(struct screen *screen, const struct command_call *call)
{
	bool digit = call->letter >= '0' && call->letter < '0' + SEVERITY_COUNT;
	toggle_severity(screen, digit ? call->letter - '0' : state_of(screen)->severity);
}

static void
pane_filters_turn(struct screen *screen, const struct command_call *call)
{
	size_t at;
	(void)call;
	if (pane_filters_selected(screen, &at))
		filters_turn(screen, at);
	else if (state_of(screen)->table.cursor.line == SEVERITY_LINE)
		toggle_severity(screen, state_of(screen)->severity);
}

static void
pane_filters_invert(struct screen *screen, const struct command_call *call)
{
	size_t at;
	(void)call;
	if (pane_filters_selected(screen, &at))
		filters_invert(screen, at);
}

static void
pane_filters_drop(struct screen *screen, const struct command_call *call)
{
	size_t at;
	(void)call;
	if (pane_filters_selected(screen, &at))
		filters_drop(screen, at);
}

static void
pane_filters_add(struct screen *screen, const struct command_call *call)
{
	if (filters_type(screen, SIZE_MAX, call->text, false))
		lines_go_to(&state_of(screen)->table.cursor, count_lines(screen), INT64_MAX);
}

static void
pane_filters_edit(struct screen *screen, const struct command_call *call)
{
	size_t at;
	if (!pane_filters_selected(screen, &at))
		return;
	if (call->text) {
		filters_type(screen, at, call->text, screen->filters->list.at[at].exclude);
		return;
	}
	prompt_open(screen->prompt, COMMAND_FILTER_EDIT);
	prompt_replace(screen->prompt, 0, filter_expr_text(screen->filters->list.at[at].expr));
}

static pane_command *const filters_commands[COMMAND_COUNT] = {
    [COMMAND_LEFT] = pane_filters_sideways,
    [COMMAND_RIGHT] = pane_filters_sideways,
    [COMMAND_FILTER_ADD] = pane_filters_add,
    [COMMAND_FILTER_EDIT] = pane_filters_edit,
    [COMMAND_FILTER_DROP] = pane_filters_drop,
    [COMMAND_FILTER_TURN] = pane_filters_turn,
    [COMMAND_FILTER_INVERT] = pane_filters_invert,
    [COMMAND_SEVERITY_TURN] = pane_filters_turn_severity,
};

const struct pane_ops pane_filters = {
    .name = "filters",
    .scope = SCOPE_FILTERS,
    .state_size = sizeof(struct filters_state),
    .close = filters_close,
    .title = filters_title,
    .keys = {{COMMAND_FILTER_TURN, .word = "on/off"},
	     {COMMAND_FILTER_ADD, .word = "add"},
	     {COMMAND_FILTER_EDIT, .word = "edit", .spare = true},
	     {COMMAND_FILTER_DROP, .word = "drop", .spare = true},
	     {COMMAND_FILTER_INVERT, .word = "in/out", .spare = true},
	     {COMMAND_FILTERS, .word = "all", .spare = true},
	     {COMMAND_FILTER_LIST, .word = "close"}},
    .draw = filters_draw,
    .commands = filters_commands,
    .lines = count_lines,
};
