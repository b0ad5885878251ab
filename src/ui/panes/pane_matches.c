/*
 * The rows that match the last search or an expression, while the list shows all rows. The
 * columns are number, time, severity, origin and text.
 *
 * The pane has a list like the list of messages, over the same traces. Its filter is the
 * screen's filter and the pattern. A match set counts its rows, and only rows on the screen are
 * searched. A cursor move here also moves the list of messages. A move in the list moves this
 * cursor when no keys arrive. Texts are kept until a text or a time may have changed.
 */
#include "config.h"

#include "base/notice.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/list/filters.h"
#include "ui/list/jump.h"
#include "ui/list/search.h"
#include "ui/list/shown.h"
#include "ui/list/trail.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { ORIGIN_COLUMNS = 16 /* most columns, as in the list */ };

enum { NUMBER, TIME, SEVERITY, ORIGIN, TEXT, COLUMNS };

struct match_rows_state {
	struct table table;
	struct filter_expr *asked; /* the typed expression, owned; NULL: the last search */
	struct list list;	   /* closed if it has no lanes */
	struct filter want;	   /* borrowed by the list */
	/* the inputs of the list */
	const struct list *beside;
	char *pattern, *filter; /* texts; owned */
	uint16_t severities;

	bool leads;	    /* the list of messages must still go to the row of the cursor */
	struct location at; /* place of the list of messages at the last synchronisation */
	struct expansion expansion;
};

static struct match_rows_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_MATCHES];
}

static void
close_list(struct match_rows_state *state)
{
	if (!state->list.lanes)
		return;
	table_forget(&state->table);
	list_close(&state->list);
	filter_free(&state->want);
	free(state->pattern);
	free(state->filter);
	state->pattern = state->filter = NULL;
}

static void
match_rows_close(void *context)
{
	struct match_rows_state *state = context;
	close_list(state);
	filter_expr_free(state->asked);
	expansion_free(&state->expansion);
	table_free(&state->table);
}

/* --- rows -------------------------------------------------------------- */

/* Return the pattern. NULL: no search yet. */
static struct filter_expr *
pattern_of(struct screen *screen)
{
	struct filter_expr *asked = state_of(screen)->asked;
	return asked ? asked : screen->search->pattern;
}

/* List the matches of an expression; NULL: of the last search. Without a valid expression or a
 * search, show a notice and return false. */
static bool
match_rows_choose(struct screen *screen, const char *typed)
{
	struct match_rows_state *state = state_of(screen);
	struct filter_expr *expr = NULL;
	struct text why = {0};
	bool exclude = false;
	if (typed)
		expr = filters_read(screen->session, typed, &exclude, &why);
	if (exclude) {
		filter_expr_free(expr);
		expr = NULL;
		text_add(&why, ":matches lists matches; &!REGEX hides them");
	}
	if (typed && !expr)
		screen_error(screen, NOTICE_FILTER_REFUSED, text_get(&why));
	else if (!typed && !screen->search->pattern)
		screen_say(screen, NOTICE_MATCHES_NOTHING_YET);
	text_free(&why);
	if (!expr && (typed || !screen->search->pattern))
		return false;
	filter_expr_free(state->asked);
	state->asked = expr;
	trail_remember(screen); /* the list will move with the cursor */
	return true;
}

static const char *
screen_filter_text(const struct screen *screen)
{
	return screen->filter->expr ? filter_expr_text(screen->filter->expr) : "";
}

/* True if the inputs of the list are unchanged. */
static bool
is_current(struct screen *screen)
{
	const struct match_rows_state *state = state_of(screen);
	return state->list.lanes && state->beside == screen->list &&
	       state->severities == screen->filter->severities &&
	       !strcmp(state->filter, screen_filter_text(screen)) &&
	       !strcmp(state->pattern, filter_expr_text(pattern_of(screen)));
}

/* Join the pattern with the filter of the screen. */
static struct filter
make_filter(struct screen *screen)
{
	struct filter want = filter_all();
	struct filter_entry entry = {.expr = pattern_of(screen)};
	struct text why = {0};
	want.severities = screen->filter->severities;
	if (screen->filter->expr)
		want.expr = filters_join(screen, SIZE_MAX, &entry, &why);
	if (why.length)
		screen_error(screen, NOTICE_FILTER_REFUSED, text_get(&why));
	if (!want.expr)
		want.expr = filter_expr_share(entry.expr);
	text_free(&why);
	return want;
}

/* Go to a message in one of the two lists, or to the next row there. */
static void
bring_to(struct list *list, const struct location *location)
{
	struct sequence_position p;
	if (sequence_find_trace(list->sequence, location->trace, &p.trace) &&
	    reader_find_id(list->lanes[p.trace].reader, location->id, &p.at))
		list_goto(list, p);
}

static void
open_list(struct screen *screen)
{
	struct match_rows_state *state = state_of(screen);
	const struct list *beside = screen->list;
	close_list(state);
	state->beside = beside;
	state->pattern = mem_text(filter_expr_text(pattern_of(screen)));
	state->filter = mem_text(screen_filter_text(screen));
	state->severities = screen->filter->severities;
	state->want = make_filter(screen);
	if (beside->owns_sequence)
		list_open_lane(&state->list, screen->sequence, beside->lanes[0].number,
			       &state->want);
	else
		list_open(&state->list, screen->sequence, &state->want);
	list_show(&state->list);
	if (trail_here(screen, &state->at))
		bring_to(&state->list, &state->at);
	state->leads = false;
}

/* Open the list or bring it up to date. False without a pattern. */
static bool
match_rows_prepare(struct screen *screen)
{
	struct match_rows_state *state = state_of(screen);
	if (!pattern_of(screen))
		return false;
	if (!is_current(screen))
		open_list(screen);
	list_settle(&state->list);
	uint64_t now = list_generation(&state->list);
	for (size_t i = 0; i < state->list.lane_count; i++) {
		const struct list_lane *lane = &state->list.lanes[i];
		now = generation_join(now, index_is_complete(lane->index), lane->known);
	}
	table_renew(&state->table, now);
	return true;
}

/* Also close the list after the pane is closed. */
static bool
match_rows_have_news(struct screen *screen)
{
	struct match_rows_state *state = state_of(screen);
	if (!screen->open[PANE_MATCHES])
		close_list(state);
	return state->list.lanes && list_busy(&state->list);
}

/* --- two cursors ------------------------------------------------------- */

/* Move the list of messages to the row of the cursor, once that row is known. */
static void
lead_list(struct screen *screen)
{
	struct match_rows_state *state = state_of(screen);
	const struct row *row = list_current(&state->list);
	if (!state->leads || !row || state->list.pending_moves)
		return;
	state->leads = false;
	state->at = (struct location){.trace = state->list.lanes[row->lane].number, .id = row->id};
	bring_to(screen->list, &state->at);
}

/* Move to the place of the list's cursor. True if it had moved. */
static bool
follow_list(struct screen *screen)
{
	struct match_rows_state *state = state_of(screen);
	struct location here;
	if (!trail_here(screen, &here) ||
	    (here.trace == state->at.trace && !message_id_compare(here.id, state->at.id)))
		return false;
	state->at = here;
	bring_to(&state->list, &here);
	return true;
}

static bool
match_rows_work(struct screen *screen)
{
	struct match_rows_state *state = state_of(screen);
	if (!state->list.lanes)
		return false;
	if (list_busy(&state->list) && list_work_unseen(&state->list))
		return true;
	bool led = state->leads;
	lead_list(screen);
	if (led)
		return !state->leads;
	return screen->focus != PANE_MATCHES && follow_list(screen);
}

/* --- lines ------------------------------------------------------------- */

static void
fill_cells(struct screen *screen, const struct row *row, struct text *cells)
{
	struct match_rows_state *state = state_of(screen);
	struct expansion *e = &state->expansion;
	struct list *list = &state->list;
	const struct list_lane *lane = &list->lanes[row->lane];
	struct display_time now;
	if (display_time_of(list, lane, &row->message, &now))
		display_time_format_parts(&now, NULL, &cells[TIME]);
	text_add_char(&cells[SEVERITY], severity_letter(row->message.severity));
	reader_expand(lane->reader, &row->message, EXPAND_TEXT, e);
	if (list->lane_count > 1)
		text_addf(&cells[ORIGIN], "%s ", list_trace_name(list, row->lane));
	text_add_bytes(&cells[ORIGIN], text_get(&e->origin), e->origin.length);
	text_add_bytes(&cells[TEXT], text_get(&e->text), e->text.length);
}

/* --- drawing ----------------------------------------------------------- */

static void
fill_row(struct screen *screen, struct table_row *table_row, size_t i)
{
	const struct row *row = list_row(&state_of(screen)->list, i);
	bool made;
	struct text *cells = table_keep(table_row->table, row->lane, row->id, &made);
	if (!made)
		fill_cells(screen, row, cells);
	text_clear(&cells[NUMBER]); /* it may have become exact */
	list_add_number(&state_of(screen)->list, row, &cells[NUMBER]);
	enum role severity = severity_role(row->message.severity);
	bool warning = row->message.severity == SEVERITY_WARNING; /* its text has the normal role */
	for (size_t c = 0; c < COLUMNS; c++) {
		const struct text *text = &cells[c];
		enum role role = table_row->current && c <= SEVERITY	    ? ROLE_CURSOR
				 : c >= SEVERITY && !(warning && c == TEXT) ? severity
									    : ROLE_NORMAL;
		table_put(table_row, c, role, text_get(text), text->length);
	}
}

static void
match_rows_title(struct screen *screen, struct text *out)
{
	struct match_rows_state *state = state_of(screen);
	struct list *list = &state->list;
	const struct row *row = list_current(list);
	uint64_t rank;
	bool exact;
	char digits[32];
	text_add(out, "matches  ");
	if (!pattern_of(screen))
		return;
	if (row && list_matches_rank(&list->matches, row, &rank, &exact) && exact)
		text_addf(out, "%s of ", text_number(digits, rank + 1));
	filters_add_count(screen, &list->matches, out);
	text_addf(out, "  %s", filter_expr_text(pattern_of(screen)));
}

/* Return the text in place of missing rows, or NULL. */
static const char *
absent_text(const struct list *list, int rows)
{
	bool below = list->edges[LIST_AFTER].end, above = list->edges[LIST_BEFORE].end;
	if (!below || (!rows && !above))
		return "...";
	return rows ? NULL : "no row matches";
}

static void
match_rows_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct match_rows_state *state = state_of(screen);
	if (!match_rows_prepare(screen)) {
		canvas_puts(canvas, area, 0, 1, ROLE_ABSENT, "nothing was searched for yet");
		return;
	}
	static const struct table_column columns[COLUMNS] = {
	    [NUMBER] = {"message", TABLE_FIT, .gap = 1, .right = true},
	    [TIME] = {"time", TABLE_FIT, .gap = 1, .right = true},
	    [SEVERITY] = {"S", 1, .gap = 1},
	    [ORIGIN] = {"origin", TABLE_FIT, .most = ORIGIN_COLUMNS, .gap = 1},
	    [TEXT] = {"text", TABLE_REST},
	};
	const struct table_spec spec = {.pane = PANE_MATCHES,
					.columns = columns,
					.column_count = COLUMNS,
					.left = 1,
					.list = &state->list,
					.fill = fill_row};
	const struct area body = table_body(&spec, area);
	int rows = table_draw(&state->table, screen, &spec, canvas, area);
	const char *absent = absent_text(&state->list, rows);
	if (absent && rows < body.rows)
		canvas_puts(canvas, &body, rows, 1, ROLE_ABSENT, absent);
}

/* --- commands ---------------------------------------------------------- */

static struct list *
match_rows_list(struct screen *screen)
{
	return &state_of(screen)->list;
}

static void
match_rows_move(struct screen *screen, const struct command_call *call)
{
	struct match_rows_state *state = state_of(screen);
	if (!state->list.lanes)
		return;
	pane_mover(call->id)(screen, call);
	state->leads = true;
	lead_list(screen);
}

static void
match_rows_edge(struct screen *screen, const struct command_call *call)
{
	struct match_rows_state *state = state_of(screen);
	if (!state->list.lanes)
		return;
	list_goto_edge(&state->list, call->id == COMMAND_TOP ? LIST_BEFORE : LIST_AFTER);
	state->leads = true;
	lead_list(screen);
}

/* Go to the row in the list of messages. */
static void
match_rows_go(struct screen *screen, const struct command_call *call)
{
	struct match_rows_state *state = state_of(screen);
	(void)call;
	state->leads = state->list.lanes != NULL;
	lead_list(screen);
	shown_set_focus(screen, PANE_LIST);
}

static pane_command *const match_rows_commands[COMMAND_COUNT] = {
    [COMMAND_DOWN] = match_rows_move,	     [COMMAND_UP] = match_rows_move,
    [COMMAND_PAGE_DOWN] = match_rows_move,   [COMMAND_PAGE_UP] = match_rows_move,
    [COMMAND_HALF_DOWN] = match_rows_move,   [COMMAND_HALF_UP] = match_rows_move,
    [COMMAND_SCROLL_DOWN] = match_rows_move, [COMMAND_SCROLL_UP] = match_rows_move,
    [COMMAND_TOP] = match_rows_edge,	     [COMMAND_END] = match_rows_edge,
    [COMMAND_OPEN] = match_rows_go,
};

const struct pane_ops pane_matches = {
    .name = "matches",
    .scope = SCOPE_MATCHES,
    .state_size = sizeof(struct match_rows_state),
    .close = match_rows_close,
    .prepare = match_rows_choose,
    .title = match_rows_title,
    .keys = {{COMMAND_OPEN, .word = "go"}, {COMMAND_CLOSE, .word = "close"}},
    .draw = match_rows_draw,
    .commands = match_rows_commands,
    .list = match_rows_list,
    .work = match_rows_work,
    .news = match_rows_have_news,
};
