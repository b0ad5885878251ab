/*
 * Why some pairs of an interval are slow: the likely causes, and how many pairs have each.
 *
 * The search (query/why/why.h) runs in the background once all pairs are known, and again when more
 * pairs or other clocks are.
 */
#include "config.h"

#include "base/generation.h"
#include "base/notice.h"
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
	bool asked;	 /* for `interval` */
	struct why *why; /* or NULL */
	bool done;
	unsigned percent;
	uint64_t generation; /* epoch of pairs and clocks at its start */
	size_t at;	     /* the slow pair visited last, or SIZE_MAX */
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
	state->done = false;
	state->at = SIZE_MAX;
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
	struct intervals *intervals = intervals_of(screen->session);
	if (!intervals || !intervals_count(intervals)) {
		screen_error(screen, NOTICE_INTERVAL_NONE);
		return false;
	}
	if (!intervals_find_typed(screen, name, &state->interval))
		return false;
	drop_search(state);
	return state->asked = true;
}

/* Start the search when possible.  Return true if there is news. */
static bool
why_renew(struct screen *screen)
{
	struct why_state *state = state_of(screen);
	const struct session_intervals *hook = screen->session->intervals;
	const struct why_state before = *state;
	if (!screen->open[PANE_WHY] || !state->asked) {
		drop_search(state);
		return false;
	}
	uint64_t now = generation_join(clocks_generation(screen->session->clocks),
				       hook->generation(hook->context));
	if (state->done && state->generation != now)
		drop_search(state);
	if (!state->why && screen->indexed && clocks_are_settled(screen->session->clocks) &&
	    intervals_are_done(hook->context)) {
		state->generation = now;
		state->why = why_new(screen->session, state->interval);
	}
	state->percent = 0;
	state->done = state->why && why_is_done(state->why, &state->percent);
	return state->done != before.done || state->percent != before.percent;
}

static size_t
count_causes(struct screen *screen)
{
	return state_of(screen)->done ? why_count(state_of(screen)->why) : 0;
}

static const struct table_column why_columns[WHY_CELLS] = {
    [WHY_LIFT] = {"lift", TABLE_FIT, .gap = 2, .right = true},
    [WHY_SLOW] = {"slow", TABLE_FIT, .gap = 2, .right = true},
    [WHY_OTHERS] = {"others", TABLE_FIT, .gap = 2, .right = true},
    [WHY_AFTER] = {"after", TABLE_FIT, .gap = 2, .right = true},
    [WHY_CAUSE] = {"cause", TABLE_REST},
};

static void
fill_cause(struct screen *screen, struct table_row *to, size_t i)
{
	bool made;
	struct text *cells = table_keep(to->table, i, (struct message_id){0}, &made);
	for (int c = 0; c < WHY_CELLS && !made; c++)
		why_add_cell(state_of(screen)->why, i, (enum why_cell)c, &cells[c]);
	table_put_all(to, cells, WHY_CELLS, ROLE_NORMAL);
}

static void
why_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct why_state *state = state_of(screen);
	struct area rest = *area;
	struct text text = {0};
	why_renew(screen);
	if (state->done)
		why_describe(state->why, &text);
	else
		text_addf(&text, "%u %%\n", state->percent);
	for (const char *line = text.data; *line && rest.rows > 0; rest.row++, rest.rows--) {
		size_t length = strcspn(line, "\n");
		canvas_put(canvas, &rest, 0, 1, ROLE_NORMAL, line, length);
		line += length + 1;
	}
	text_free(&text);
	const struct table_spec spec = {.pane = PANE_WHY,
					.columns = why_columns,
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
	const struct why_state *state = state_of(screen);
	if (state->asked)
		text_addf(out, "why is %s slow?",
			  intervals_name(intervals_of(screen->session), state->interval));
}

/* Go to the first slow pair with the cause under the cursor, or to the next or previous one from the
 * pair visited last. */
static void
why_go(struct screen *screen, const struct command_call *call)
{
	struct why_state *state = state_of(screen);
	size_t row = state->table.cursor.line;
	struct interval_message begin;
	if (row >= count_causes(screen))
		return;
	if (call->id == COMMAND_OPEN)
		state->at = SIZE_MAX;
	if (why_step(state->why, row, call->id == COMMAND_PREVIOUS, &state->at, &begin))
		jump_to_location(screen, &(struct location){.trace = begin.trace, .id = begin.id});
	else
		screen_say(screen, NOTICE_WHY_NO_FURTHER);
}

static pane_command *const why_commands[COMMAND_COUNT] = {
    [COMMAND_OPEN] = why_go, [COMMAND_NEXT] = why_go, [COMMAND_PREVIOUS] = why_go};

const struct pane_ops pane_why = {
    .name = "why",
    .scope = SCOPE_WHY,
    .state_size = sizeof(struct why_state),
    .close = why_close,
    .prepare = why_choose,
    .title = why_title,
    .keys = {{COMMAND_OPEN, .word = "go"},
	     {COMMAND_NEXT, COMMAND_PREVIOUS, .word = "next"},
	     {COMMAND_CLOSE, .word = "close"}},
    .draw = why_draw,
    .commands = why_commands,
    .lines = count_causes,
    .news = why_renew,
};
