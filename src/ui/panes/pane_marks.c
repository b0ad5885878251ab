/*
 * The list of marks: letter, message number, time, note and text of each.
 *
 * A mark's message may be anywhere, so what its line says is kept, and made
 * anew only when the index or a text may have changed it: painting decodes
 * nothing.
 */
#include "config.h"

#include "ui/app.h"
#include "ui/panes/lines.h"

#include <string.h>

enum { NUMBER_COLUMNS = 11, NOTE_COLUMNS = 30 };

/* What is known of the message of a mark. */
struct mark_line {
	size_t trace;
	struct place place;
	const struct list *of; /* that it tells of */
	unsigned generation;
	bool exact;	  /* the number will not change */
	struct text head; /* number and time */
	struct text text;
};

struct marks_state {
	struct lines cursor;
	VEC(struct mark_line) lines; /* as many as marks were, in any order */
	struct expansion expansion;
	struct text safe;
};

static struct marks_state *
state_of(struct app *app)
{
	return app->state[PANE_MARKS];
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
	text_free(&state->safe);
}

/* --- what a line says -------------------------------------------------- */

static void
fill_line(struct app *app, struct mark_line *line)
{
	struct marks_state *state = state_of(app);
	struct list *list;
	struct row row;
	struct moment moment;
	char digits[32];
	bool found =
	    jump_find(app, &(struct spot){.trace = line->trace, .place = line->place}, &list, &row);
	text_clear(&line->head);
	text_clear(&line->text);
	line->of = list;
	line->generation = list_generation(list);
	if (!found) {
		line->exact = true;
		text_add(&line->text, "there is no message any more");
		return;
	}
	const struct list_lane *lane = &list->lanes[row.lane];
	uint64_t number = list_number(list, &row, &line->exact);
	text_addf(&line->head, "%s%s", line->exact ? "" : "~", text_number(digits, number));
	while (line->head.length < NUMBER_COLUMNS)
		text_add_char(&line->head, ' ');
	text_add_char(&line->head, ' ');
	reader_expand(lane->reader, &row.message, EXPAND_TEXT, &state->expansion);
	if (moment_of(list, lane, &row.message, &state->expansion, &moment))
		moment_format(&moment, &line->head);
	const struct text *text = &state->expansion.text;
	text_add_safe(&line->text, text_get(text), text->length, app->charset);
}

/* The line of a mark, made or made anew if need be. */
static const struct mark_line *
line_of(struct app *app, const struct spot *mark)
{
	struct marks_state *state = state_of(app);
	struct mark_line *line = NULL;
	for (size_t i = 0; i < state->lines.count && !line; i++)
		if (state->lines.at[i].trace == mark->trace &&
		    !place_compare(state->lines.at[i].place, mark->place))
			line = &state->lines.at[i];
	bool fresh = line && line->of->merge == app->list->merge &&
		     line->generation == list_generation(line->of) &&
		     (line->exact || !app->indexed);
	if (!line) {
		if (state->lines.count > 2 * app->jumps.marks.count)
			drop_lines(state); /* of marks that went */
		line = vec_add(&state->lines);
		line->trace = mark->trace;
		line->place = mark->place;
	}
	if (!fresh)
		fill_line(app, line);
	return line;
}

/* --- drawing ----------------------------------------------------------- */

static void
draw_mark(struct app *app, struct canvas *canvas, const struct area *area, int y,
	  const struct spot *mark, bool current)
{
	struct marks_state *state = state_of(app);
	const struct mark_line *line = line_of(app, mark);
	enum role role = current && app->focus == PANE_MARKS ? ROLE_CURSOR : ROLE_MARK;
	canvas_putf(canvas, area, y, 0, role, " %c ", mark->letter);
	int x =
	    canvas_put(canvas, area, y, 4, ROLE_NORMAL, text_get(&line->head), line->head.length);
	if (mark->note) {
		text_clear(&state->safe);
		text_add_safe(&state->safe, mark->note, strlen(mark->note), app->charset);
		x = canvas_put(canvas, area, y, x + 1, ROLE_NOTE, state->safe.data,
			       state->safe.length);
		x = x < NOTE_COLUMNS ? NOTE_COLUMNS : x;
	}
	canvas_put(canvas, area, y, x + 1, ROLE_NORMAL, text_get(&line->text), line->text.length);
}

static void
marks_draw(struct app *app, struct canvas *canvas, const struct area *area)
{
	struct marks_state *state = state_of(app);
	size_t count = app->jumps.marks.count, rows = (size_t)area->rows;
	if (!count)
		canvas_puts(canvas, area, 0, 0, ROLE_ABSENT, "no marks");
	lines_show(&state->cursor, count, area->rows);
	for (size_t i = 0; i < rows && state->cursor.top + i < count; i++)
		draw_mark(app, canvas, area, (int)i, &app->jumps.marks.at[state->cursor.top + i],
			  state->cursor.top + i == state->cursor.line);
}

static void
marks_title(struct app *app, struct text *out)
{
	text_addf(out, "  %zu", app->jumps.marks.count);
}

/* --- commands ---------------------------------------------------------- */

static size_t
count_marks(struct app *app)
{
	return app->jumps.marks.count;
}

static struct spot *
selected(struct app *app)
{
	size_t cursor = state_of(app)->cursor.line;
	return cursor < app->jumps.marks.count ? &app->jumps.marks.at[cursor] : NULL;
}

static void
go(struct app *app, const struct command_call *call)
{
	struct spot *mark = selected(app);
	(void)call;
	if (mark)
		jump_to_spot(app, mark);
}

static void
drop(struct app *app, const struct command_call *call)
{
	(void)call;
	if (selected(app))
		jumps_drop(&app->jumps, state_of(app)->cursor.line);
}

static void
note(struct app *app, const struct command_call *call)
{
	struct spot *mark = selected(app);
	if (mark)
		jump_note_mark(app, mark, call->text);
}

static pane_command *const marks_commands[COMMAND_COUNT] = {
    [COMMAND_OPEN] = go,
    [COMMAND_UNMARK] = drop,
    [COMMAND_NOTE] = note,
};

const struct pane_ops pane_marks = {
    .name = "marks",
    .scope = SCOPE_MARKS,
    .state_size = sizeof(struct marks_state),
    .close = marks_close,
    .title = marks_title,
    .draw = marks_draw,
    .commands = marks_commands,
    .lines = count_marks,
};
