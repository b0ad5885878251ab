/*
 * The longest gaps among the shown rows: length, start, end, the number of the message at the end,
 * and the origins before and after.
 *
 * A search (query/gap_search.h) runs in the background. It starts again when other rows are
 * shown, when clocks are related and when the index is complete. Only lines on the screen are
 * decoded. Their texts are kept until the list of gaps or a text may have changed.
 */
#include "config.h"

#include "base/notice.h"
#include "query/gap_search.h"
#include "session/clock/clock_text.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/list/jump.h"
#include "ui/list/shown_rows.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum {
	LONGEST = 100, /* most gaps without a minimum length */
	MOST = 10000   /* most gaps with one */
};

enum { GAP_LENGTH, GAP_FROM, GAP_TO, GAP_NUMBER, GAP_BEFORE, GAP_AFTER, GAP_COLUMNS };

struct gaps_state {
	struct table table;
	uint64_t least;		   /* minimum length from the user; 0: list the longest */
	struct gap_search *search; /* or NULL */
	struct shown_rows rows;	   /* rows of the search */
	uint64_t searched_least;   /* minimum length of the search */
	bool complete;		   /* the result is final */
	uint64_t found_generation; /* epoch of the members below */
	struct gap_found *found;
	size_t count;
	struct expansion expansion;
};

static struct gaps_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_GAPS];
}

/* Return the limit of the list. */
static size_t
most_gaps(const struct gaps_state *state)
{
	return state->least ? MOST : LONGEST;
}

static void
drop_search(struct gaps_state *state)
{
	gap_search_free(state->search);
	state->search = NULL;
	shown_rows_free(&state->rows);
	state->found_generation = 0;
	state->count = 0;
	table_forget(&state->table);
}

static void
gaps_close(void *context)
{
	struct gaps_state *state = context;
	drop_search(state);
	free(state->found);
	expansion_free(&state->expansion);
	table_free(&state->table);
}

/* --- results ----------------------------------------------------------- */

/* Start a search for the shown rows, unless it runs already. */
static void
start_search(struct screen *screen)
{
	struct gaps_state *state = state_of(screen);
	if (state->search && state->searched_least == state->least &&
	    shown_rows_are_current(&state->rows, screen, 0))
		return;
	drop_search(state);
	shown_rows_take(&state->rows, screen, 0);
	state->searched_least = state->least;
	const struct gap_query query = {.session = screen->session,
					.hidden = state->rows.hidden,
					.filter = screen->filter,
					.least = state->least,
					.most = most_gaps(state)};
	state->search = gap_search_new(&query);
}

/* Copy the current result. */
static void
gaps_prepare(struct screen *screen)
{
	struct gaps_state *state = state_of(screen);
	start_search(screen);
	unsigned found = gap_search_generation(state->search);
	state->complete = gap_search_is_done(state->search) && screen->indexed &&
			  clocks_are_settled(screen->session->clocks);
	if (!state->found)
		state->found = mem_new(MOST * sizeof *state->found);
	if (generation_renew(&state->found_generation, found)) {
		state->count = gap_search_get(state->search, state->found, MOST);
		table_forget(&state->table);
	}
	table_renew(&state->table, list_generation(screen->list));
}

static bool
gaps_have_news(struct screen *screen)
{
	struct gaps_state *state = state_of(screen);
	if (!screen->open[PANE_GAPS]) {
		drop_search(state);
		return false;
	}
	return state->search && (gap_search_generation(state->search) != state->found_generation ||
				 !shown_rows_are_current(&state->rows, screen, 0));
}

/* List gaps of at least LENGTH, such as `5ms`, or the longest ones for NULL. If LENGTH is no
 * length, show an error and return false. */
static bool
gaps_set_least(struct screen *screen, const char *length)
{
	const struct trace_clock nanoseconds = {.hz = 1e9};
	uint64_t least = 0;
	if (length && (!clock_parse_duration(&nanoseconds, length, &least) || !least)) {
		screen_error(screen, NOTICE_GAP_LENGTH, length);
		return false;
	}
	state_of(screen)->least = least;
	return true;
}

/* --- lines ------------------------------------------------------------- */

/* Append time, origin and, unless NUMBER is NULL, the number of a message. */
static void
add_message(struct screen *screen, const struct gap_message *m, struct text *time,
	    struct text *origin, struct text *number)
{
	struct gaps_state *state = state_of(screen);
	struct list *list;
	struct row row;
	struct display_time shown;
	if (!jump_find(screen, &(struct location){.trace = m->trace, .id = m->id}, &list, &row))
		return;
	const struct list_lane *lane = &list->lanes[row.lane];
	if (display_time_of(list, lane, &row.message, &shown))
		display_time_format_parts(&shown, NULL, time);
	if (number)
		list_add_number(list, &row, number);
	if (screen->session->traces.count > 1)
		text_addf(origin, "%s ", trace_name(lane->trace));
	reader_expand(lane->reader, &row.message, EXPAND_TEXT, &state->expansion);
	text_add_bytes(origin, text_get(&state->expansion.origin), state->expansion.origin.length);
}

/* --- drawing ----------------------------------------------------------- */

static const struct table_column gap_columns[GAP_COLUMNS] = {
    [GAP_LENGTH] = {"length", TABLE_FIT, .gap = 2, .right = true},
    [GAP_FROM] = {"from", TABLE_FIT, .gap = 1, .right = true},
    [GAP_TO] = {"to", TABLE_FIT, .gap = 1, .right = true},
    [GAP_NUMBER] = {"message", TABLE_FIT, .gap = 2, .right = true},
    [GAP_BEFORE] = {"before", TABLE_FIT, .gap = 2},
    [GAP_AFTER] = {"after", TABLE_FIT},
};

static void
fill_gap(struct screen *screen, struct table_row *row, size_t i)
{
	const struct gap_found *found = &state_of(screen)->found[i];
	bool made;
	struct text *cells = table_keep(row->table, i, (struct message_id){0}, &made);
	if (!made) {
		gap_format(&found->gap, false, &cells[GAP_LENGTH]);
		add_message(screen, &found->before, &cells[GAP_FROM], &cells[GAP_BEFORE], NULL);
		add_message(screen, &found->after, &cells[GAP_TO], &cells[GAP_AFTER],
			    &cells[GAP_NUMBER]);
	}
	table_put_all(row, cells, GAP_COLUMNS, ROLE_NORMAL);
}

static void
gaps_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct gaps_state *state = state_of(screen);
	gaps_prepare(screen);
	const struct table_spec spec = {.pane = PANE_GAPS,
					.columns = gap_columns,
					.column_count = GAP_COLUMNS,
					.left = 1,
					.count = state->count,
					.fill = fill_gap};
	const struct area body = table_body(&spec, area);
	if (!table_draw(&state->table, screen, &spec, canvas, area))
		canvas_puts(canvas, &body, 0, 1, ROLE_ABSENT, state->complete ? "no gaps" : "...");
}

static void
gaps_title(struct screen *screen, struct text *out)
{
	struct gaps_state *state = state_of(screen);
	const struct gap least = {state->least, true};
	gaps_prepare(screen);
	text_addf(out, "gaps  %zu%s", state->count, state->complete ? "" : "+");
	if (state->count == most_gaps(state))
		text_add(out, " longest");
	if (state->least) {
		text_add(out, " of at least ");
		gap_format(&least, true, out);
	}
	if (state->count < most_gaps(state))
		text_add(out, ", longest first");
}

/* --- commands ---------------------------------------------------------- */

static size_t
count_gaps(struct screen *screen)
{
	return state_of(screen)->count;
}

/* Go to the message after the gap. */
static void
gaps_go(struct screen *screen, const struct command_call *call)
{
	struct gaps_state *state = state_of(screen);
	size_t cursor = state->table.cursor.line;
	(void)call;
	if (cursor >= state->count)
		return;
	const struct gap_message *after = &state->found[cursor].after;
	jump_to_location(screen, &(struct location){.trace = after->trace, .id = after->id});
}

static pane_command *const gaps_commands[COMMAND_COUNT] = {
    [COMMAND_OPEN] = gaps_go,
};

const struct pane_ops pane_gaps = {
    .name = "gaps",
    .scope = SCOPE_GAPS,
    .state_size = sizeof(struct gaps_state),
    .close = gaps_close,
    .prepare = gaps_set_least,
    .title = gaps_title,
    .keys = {{COMMAND_OPEN, .word = "go"}, {COMMAND_CLOSE, .word = "close"}},
    .draw = gaps_draw,
    .commands = gaps_commands,
    .lines = count_gaps,
    .news = gaps_have_news,
};
