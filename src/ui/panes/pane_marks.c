/*
 * The list of marks: letter, message number, time, note and text.
 *
 * A mark's message may be anywhere in the trace. Its line is therefore kept until the index or
 * a text may have changed it, and drawing decodes nothing.
 */
#include "config.h"

#include "ui/list/jump.h"
#include "ui/list/display_time.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <string.h>

enum { NUMBER_COLUMNS = 11, NOTE_COLUMNS = 30 };

/* The cached line of a mark. */
struct mark_line {
	size_t trace;
	struct message_id id;
	const struct list *of; /* the list for `head` */
	uint64_t generation;
	bool exact;	  /* the number is final */
	struct text head; /* number and time */
	struct text text;
};

struct marks_state {
	struct table table;
	VEC(struct mark_line) lines; /* of current and some dropped marks, in any order */
	struct expansion expansion;
};

static struct marks_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_MARKS];
}

static void
drop_lines(struct marks_state *state)
{
	for (size_t i = 0; i < state->lines.count; i++) {
		text_free(&state->lines.at[i].head);
		text_free(&state->lines.at[i].text);
	}
	vec_clear(&state->lines);
}

static void
marks_close(void *context)
{
	struct marks_state *state = context;
	drop_lines(state);
	vec_free(&state->lines);
	expansion_free(&state->expansion);
	table_free(&state->table);
}

/* --- lines ------------------------------------------------------------- */

static void
fill_line(struct screen *screen, struct mark_line *line)
{
	struct marks_state *state = state_of(screen);
	struct list *list;
	struct row row;
	struct display_time shown;
	char digits[32];
	bool found = jump_find(screen, &(struct location){.trace = line->trace, .id = line->id},
			       &list, &row);
	text_clear(&line->head);
	text_clear(&line->text);
	line->of = list;
	line->generation = list_generation(list);
	bool gone = trace_has_dropped(list->lanes[row.lane].trace, line->id.offset);
	if (!found || gone) {
		line->exact = true;
		text_add(&line->text, gone ? "dropped (--spool-limit)" : "its message is gone");
		return;
	}
	const struct list_lane *lane = &list->lanes[row.lane];
	uint64_t number = list_number(list, row_position(&row), &line->exact);
	text_addf(&line->head, "%s%s", line->exact ? "" : "~", text_number(digits, number));
	while (line->head.length < NUMBER_COLUMNS)
		text_add_char(&line->head, ' ');
	text_add_char(&line->head, ' ');
	reader_expand(lane->reader, &row.message, EXPAND_TEXT, &state->expansion);
	if (display_time_of(list, lane, &row.message, &shown))
		display_time_format(&shown, &line->head);
	const struct text *text = &state->expansion.text;
	text_add_bytes(&line->text, text_get(text), text->length);
}

/* Return the line of a mark. Make it first if it is new or out of date. */
static const struct mark_line *
line_of(struct screen *screen, const struct location *mark)
{
	struct marks_state *state = state_of(screen);
	struct mark_line *line = NULL;
	for (size_t i = 0; i < state->lines.count && !line; i++)
		if (state->lines.at[i].trace == mark->trace &&
		    !message_id_compare(state->lines.at[i].id, mark->id))
			line = &state->lines.at[i];
	size_t lane;
	bool fresh = line && line->of == jump_list(screen, mark->trace, &lane) &&
		     line->generation == list_generation(line->of) &&
		     (line->exact || !screen->indexed);
	if (!line) {
		if (state->lines.count > 2 * screen->jumps->marks.count)
			drop_lines(state); /* of marks that are gone */
		line = vec_add(&state->lines);
		line->trace = mark->trace;
		line->id = mark->id;
	}
	if (!fresh)
		fill_line(screen, line);
	return line;
}

/* --- drawing ----------------------------------------------------------- */

enum { MARK_LETTER, MARK_HEAD, MARK_NOTE, MARK_TEXT, MARK_COLUMNS };

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
	const struct mark_line *line = line_of(screen, mark);
	table_putf(row, MARK_LETTER, row->current ? ROLE_CURSOR : ROLE_MARK, " %c ", mark->letter);
	table_put(row, MARK_HEAD, ROLE_NORMAL, text_get(&line->head), line->head.length);
	if (mark->note)
		table_put(row, MARK_NOTE, ROLE_NOTE, mark->note, strlen(mark->note));
	table_put(row, MARK_TEXT, ROLE_NORMAL, text_get(&line->text), line->text.length);
}

static void
marks_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	const struct table_spec spec = {.pane = PANE_MARKS,
					.columns = mark_columns,
					.column_count = MARK_COLUMNS,
					.count = screen->jumps->marks.count,
					.fill = fill_mark};
	if (!table_draw(&state_of(screen)->table, screen, &spec, canvas, area))
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
