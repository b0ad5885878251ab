/*
 * Why some pairs of an interval are slow: the likely causes, and how many pairs have each.
 *
 * The search (query/why/why.h) runs in the background once all pairs are known.  The table stays
 * that of the state then; the title has the number of pairs found since.
 */
#include "config.h"

#include "base/generation.h"
#include "base/notice.h"
#include "query/gap/gap.h"
#include "query/why/why.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "ui/list/jump.h"
#include "ui/panes/pane_intervals.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <string.h>

struct why_state {
	struct table table;
	size_t interval;
	bool asked;	     /* for `interval` */
	struct why *why;     /* or NULL */
	uint64_t generation; /* epoch of the clocks at its start */
	unsigned percent;    /* at the last drawing */
	const struct why_result *result;
	size_t row, at; /* the last slow pair visited, and its row */
	bool went;
	uint64_t found; /* pairs found when the search began */
};

static struct why_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_WHY];
}

static void
drop_search(struct why_state *state)
{
	why_free(state->why);
	state->why = NULL;
	state->result = NULL;
	state->went = false;
	table_forget(&state->table);
}

static void
why_close(void *context)
{
	struct why_state *state = context;
	drop_search(state);
	table_free(&state->table);
}

/* Choose the interval NAME; NULL: the one at hand. */
static bool
why_choose(struct screen *screen, const char *name)
{
	struct why_state *state = state_of(screen);
	size_t interval;
	if (!intervals_find_typed(screen, name, &interval))
		return false;
	drop_search(state);
	state->table.cursor.line = 0;
	state->interval = interval;
	state->asked = true;
	return true;
}

/* --- results --------------------------------------------------------------- */

/* Start the search once all pairs are known, or again with other clocks. */
static void
why_prepare(struct screen *screen)
{
	struct why_state *state = state_of(screen);
	struct intervals *intervals = intervals_of(screen->session);
	uint64_t now = clocks_generation(screen->session->clocks);
	if (!intervals || !state->asked || state->interval >= intervals_count(intervals))
		return;
	if (state->result && state->generation != now)
		drop_search(state);
	if (!state->why && screen->indexed && clocks_are_settled(screen->session->clocks) &&
	    intervals_are_done(intervals)) {
		struct interval_summary summary;
		intervals_summarise(intervals, state->interval, &summary);
		state->found = summary.counts.pairs;
		state->generation = now;
		state->why = why_new(screen->session, state->interval);
	}
	state->percent = state->why ? why_percent(state->why) : 0;
	state->result = state->why ? why_get(state->why) : NULL;
}

static bool
why_has_news(struct screen *screen)
{
	struct why_state *state = state_of(screen);
	const struct why_result *before = state->result;
	unsigned percent = state->percent;
	if (!screen->open[PANE_WHY]) {
		drop_search(state);
		return false;
	}
	why_prepare(screen);
	return state->result != before || state->percent != percent;
}

/* --- drawing --------------------------------------------------------------- */

static const struct table_column cause_columns[WHY_CELLS] = {
    [WHY_CELL_LIFT] = {"lift", TABLE_FIT, .gap = 2, .right = true},
    [WHY_CELL_SLOW] = {"slow", TABLE_FIT, .gap = 2, .right = true},
    [WHY_CELL_OTHERS] = {"others", TABLE_FIT, .gap = 2, .right = true},
    [WHY_CELL_AFTER] = {"after", TABLE_FIT, .gap = 2, .right = true},
    [WHY_CELL_KIND] = {"kind", TABLE_FIT, .gap = 2},
    [WHY_CELL_CAUSE] = {"cause", TABLE_REST},
};

static void
fill_cause(struct screen *screen, struct table_row *to, size_t i)
{
	const struct why_result *result = state_of(screen)->result;
	bool made;
	struct text *cells = table_keep(to->table, i, (struct message_id){0}, &made);
	if (!made)
		for (int cell = 0; cell < WHY_CELLS; cell++)
			why_add_cell(result, &result->rows.at[i], (enum why_cell)cell,
				     &cells[cell]);
	table_put_all(to, cells, WHY_CELLS, ROLE_NORMAL);
}

static size_t
count_causes(struct screen *screen)
{
	const struct why_state *state = state_of(screen);
	return state->result ? state->result->rows.count : 0;
}

/* Draw the remarks on the result.  Return the number of rows. */
static int
draw_remarks(const struct why_state *state, struct canvas *canvas, const struct area *area)
{
	struct text text = {0};
	int row = 0;
	why_describe(state->why, state->result, &text);
	for (char *line = text.data; line && *line && row < area->rows; row++) {
		size_t length = strcspn(line, "\n");
		canvas_put(canvas, area, row, 1, ROLE_NORMAL, line, length);
		line += length + (line[length] == '\n');
	}
	text_free(&text);
	return row;
}

static void
why_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct why_state *state = state_of(screen);
	why_prepare(screen);
	if (!state->result) {
		canvas_puts(canvas, area, 0, 1, ROLE_ABSENT, "...");
		return;
	}
	int used = draw_remarks(state, canvas, area);
	const struct area rest = {area->row + used, area->col, area->rows - used, area->cols};
	const struct table_spec spec = {.pane = PANE_WHY,
					.columns = cause_columns,
					.column_count = WHY_CELLS,
					.left = 1,
					.count = count_causes(screen),
					.fill = fill_cause};
	if (rest.rows > 0 && spec.count)
		table_draw(&state->table, screen, &spec, canvas, &rest);
}

static void
why_title(struct screen *screen, struct text *out)
{
	struct why_state *state = state_of(screen);
	struct intervals *intervals = intervals_of(screen->session);
	struct interval_summary summary;
	why_prepare(screen);
	text_add(out, "why");
	if (!intervals || !state->asked)
		return;
	text_addf(out, " is interval %s slow?", intervals_name(intervals, state->interval));
	if (!state->result) {
		text_addf(out, "  %u %%", state->percent);
		return;
	}
	intervals_summarise(intervals, state->interval, &summary);
	if (summary.counts.pairs > state->found)
		text_addf(out, "  %llu more pairs since then",
			  (unsigned long long)(summary.counts.pairs - state->found));
}

/* --- commands -------------------------------------------------------------- */

/* Go to slow pair AT of the row under the cursor. */
static void
go_to_pair(struct screen *screen, size_t at)
{
	struct why_state *state = state_of(screen);
	const struct why_row *row = &state->result->rows.at[state->table.cursor.line];
	const struct interval_message begin = why_begin(state->why, row->pairs.at[at]);
	state->went = true;
	state->row = state->table.cursor.line;
	state->at = at;
	jump_to_location(screen, &(struct location){.trace = begin.trace, .id = begin.id});
	screen_say(screen, NOTICE_WHY_PAIR, at + 1, row->pairs.count);
}

/* Go to the first slow pair with the cause under the cursor, or to the next or previous one. */
static void
why_go(struct screen *screen, const struct command_call *call)
{
	struct why_state *state = state_of(screen);
	bool back = call->id == COMMAND_PREVIOUS || call->id == COMMAND_PREVIOUS_INTERVAL;
	if (state->table.cursor.line >= count_causes(screen))
		return;
	size_t count = state->result->rows.at[state->table.cursor.line].pairs.count;
	size_t steps = (size_t)(call->count < count ? call->count : count);
	bool here = state->went && state->row == state->table.cursor.line;
	if (!count)
		return;
	if (!here || call->id == COMMAND_OPEN)
		go_to_pair(screen, 0);
	else if (back ? state->at < steps : state->at + steps >= count)
		screen_say(screen, NOTICE_WHY_NO_FURTHER, count);
	else
		go_to_pair(screen, back ? state->at - steps : state->at + steps);
}

static pane_command *const why_commands[COMMAND_COUNT] = {
    [COMMAND_OPEN] = why_go,
    [COMMAND_NEXT] = why_go,
    [COMMAND_PREVIOUS] = why_go,
    [COMMAND_NEXT_INTERVAL] = why_go,
    [COMMAND_PREVIOUS_INTERVAL] = why_go,
};

const struct pane_ops pane_why = {
    .name = "why",
    .scope = SCOPE_WHY,
    .state_size = sizeof(struct why_state),
    .close = why_close,
    .prepare = why_choose,
    .title = why_title,
    .keys = {{COMMAND_OPEN, .word = "go"},
	     {COMMAND_NEXT, .word = "next pair"},
	     {COMMAND_CLOSE, .word = "close"}},
    .draw = why_draw,
    .commands = why_commands,
    .lines = count_causes,
    .news = why_has_news,
};
