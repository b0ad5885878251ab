/*
 * The list of marks: letter, message number, time, note and text.
 *
 * A mark's message may be anywhere in the trace. Its texts are therefore kept until they may have
 * changed, and drawing decodes nothing.
 */
#include "config.h"

#include "base/generation.h"
#include "session/session.h"
#include "ui/list/jump.h"
#include "ui/list/display_time.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <string.h>

enum { NUMBER_COLUMNS = 11, NOTE_COLUMNS = 30 };

struct marks_state {
	struct table table;
	struct expansion expansion;
};

static struct marks_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_MARKS];
}

static void
marks_close(void *context)
{
	struct marks_state *state = context;
	expansion_free(&state->expansion);
	table_free(&state->table);
}

/* --- lines ------------------------------------------------------------- */

enum { MARK_LETTER, MARK_HEAD, MARK_NOTE, MARK_TEXT, MARK_COLUMNS };

static void
fill_cells(struct screen *screen, const struct location *mark, struct text *cells)
{
	struct marks_state *state = state_of(screen);
	struct text *head = &cells[MARK_HEAD];
	struct list *list;
	struct row row;
	struct display_time shown;
	char digits[32];
	bool exact;
	bool found = jump_find(screen, mark, &list, &row);
	bool gone = trace_has_dropped(list->lanes[row.lane].trace, mark->id.offset);
	if (!found || gone) {
		text_add(&cells[MARK_TEXT],
			 gone ? "dropped (--spool-limit)" : "its message is gone");
		return;
	}
	const struct list_lane *lane = &list->lanes[row.lane];
	uint64_t number = list_number(list, row_position(&row), &exact);
	text_addf(head, "%s%s", exact ? "" : "~", text_number(digits, number));
	while (head->length < NUMBER_COLUMNS)
		text_add_char(head, ' ');
	text_add_char(head, ' ');
	reader_expand(lane->reader, &row.message, EXPAND_TEXT, &state->expansion);
	if (display_time_of(list, lane, &row.message, &shown))
		display_time_format(&shown, head);
	const struct text *text = &state->expansion.text;
	text_add_bytes(&cells[MARK_TEXT], text_get(text), text->length);
}

/* --- drawing ----------------------------------------------------------- */

static const struct table_column mark_columns[MARK_COLUMNS] = {
    [MARK_LETTER] = {.gap = 1},
    [MARK_HEAD] = {.gap = 1},
    [MARK_NOTE] = {.until = NOTE_COLUMNS, .gap = 1},
    [MARK_TEXT] = {0},
};

static void
fill_mark(struct screen *screen, struct table_row *row, size_t i)
{
	const struct location *mark = &screen->jumps->marks.at[i];
	bool made;
	struct text *cells = table_keep(row->table, mark->trace, mark->id, &made);
	if (!made)
		fill_cells(screen, mark, cells);
	table_putf(row, MARK_LETTER, row->current ? ROLE_CURSOR : ROLE_MARK, " %c ", mark->letter);
	table_put(row, MARK_HEAD, ROLE_NORMAL, text_get(&cells[MARK_HEAD]),
		  cells[MARK_HEAD].length);
	if (mark->note)
		table_put(row, MARK_NOTE, ROLE_NOTE, mark->note, strlen(mark->note));
	table_put(row, MARK_TEXT, ROLE_NORMAL, text_get(&cells[MARK_TEXT]),
		  cells[MARK_TEXT].length);
}

static void
marks_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct marks_state *state = state_of(screen);
	uint64_t now = screen->indexed; /* numbers become exact */
	for (size_t i = 0; i < screen->session->traces.count; i++) {
		size_t lane;
		const struct list *list = jump_list(screen, i, &lane);
		now = generation_join(now, list_generation(list), list == screen->list);
	}
	table_renew(&state->table, now);
	const struct table_spec spec = {.pane = PANE_MARKS,
					.columns = mark_columns,
					.column_count = MARK_COLUMNS,
					.count = screen->jumps->marks.count,
					.fill = fill_mark};
	if (!table_draw(&state->table, screen, &spec, canvas, area))
		canvas_puts(canvas, area, 0, 0, ROLE_ABSENT, "no marks");
}

static void
marks_title(struct screen *screen, struct text *out)
{
	text_addf(out, "marks  %zu", screen->jumps->marks.count);
}

/* --- commands ---------------------------------------------------------- */

static size_t
count_marks(struct screen *screen)
{
	return screen->jumps->marks.count;
}

static struct location *
marks_selected(struct screen *screen)
{
	size_t cursor = state_of(screen)->table.cursor.line;
	return cursor < screen->jumps->marks.count ? &screen->jumps->marks.at[cursor] : NULL;
}

static void
marks_go(struct screen *screen, const struct command_call *call)
{
	struct location *mark = marks_selected(screen);
	(void)call;
	if (mark)
		jump_to_location(screen, mark);
}

static void
marks_drop(struct screen *screen, const struct command_call *call)
{
	(void)call;
	if (marks_selected(screen))
		jumps_drop(screen->jumps, state_of(screen)->table.cursor.line);
}

static void
marks_note(struct screen *screen, const struct command_call *call)
{
	struct location *mark = marks_selected(screen);
	if (mark)
		jump_note_mark(screen, mark, call->text);
}

static pane_command *const marks_commands[COMMAND_COUNT] = {
    [COMMAND_OPEN] = marks_go,
    [COMMAND_UNMARK] = marks_drop,
    [COMMAND_NOTE] = marks_note,
};

const struct pane_ops pane_marks = {
    .name = "marks",
    .scope = SCOPE_MARKS,
    .state_size = sizeof(struct marks_state),
    .close = marks_close,
    .title = marks_title,
    .keys = {{COMMAND_OPEN, .word = "go"},
	     {COMMAND_NOTE, .word = "note", .spare = true},
	     {COMMAND_UNMARK, .word = "drop", .spare = true},
	     {COMMAND_MARKS, .word = "close"}},
    .draw = marks_draw,
    .commands = marks_commands,
    .lines = count_marks,
};
