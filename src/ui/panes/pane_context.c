/*
 * What was true at the selected message: a line per context that applies to
 * it, with its value and name, since when and until when.
 *
 * Lines are made when the selection or what is known changes, and cost a walk
 * of at most two cells each.  What is not known yet says so, and comes by
 * itself: the trace is looked through from the first look at a context on.
 */
#include "config.h"

#include "session/context/context.h"
#include "session/session.h"
#include "ui/list/context_view.h"
#include "ui/list/jump.h"
#include "ui/list/display_time.h"
#include "ui/list/selection.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 16, VALUE_COLUMNS = 23 };

struct context_line {
	unsigned context;
	bool elsewhere; /* it does not apply to the message */
	struct context_value value;
	struct context_end end;
};

struct context_pane {
	struct table table;
	VEC(struct context_line) lines;
	struct trace *trace; /* what they were made for */
	struct message_id id;
	unsigned generation;
	bool made;
	struct text text;
};

static struct context_pane *
state_of(struct screen *screen)
{
	return screen->state[PANE_CONTEXT];
}

static void
context_close(void *context)
{
	struct context_pane *state = context;
	vec_free(&state->lines);
	text_free(&state->text);
	table_free(&state->table);
}

/* --- lines ------------------------------------------------------------- */

static void
make_lines(struct screen *screen, const struct selection *selection)
{
	struct context_pane *state = state_of(screen);
	struct contexts *contexts = screen->session->contexts;
	unsigned generation = selection->generation;
	if (state->made && state->trace == selection->trace && state->generation == generation &&
	    !message_id_compare(state->id, selection->id))
		return;
	state->made = true;
	state->trace = selection->trace;
	state->generation = generation;
	state->id = selection->id;
	vec_clear(&state->lines);
	struct context_cursor *cursor = context_view_cursor(screen);
	for (unsigned i = 0; i < contexts_count(contexts); i++) {
		struct context_line line = {.context = i};
		line.elsewhere =
		    !context_value(contexts, cursor, &selection->message, i, &line.value);
		if (line.elsewhere &&
		    !context_elsewhere(contexts, cursor, &selection->message, i, &line.value))
			continue;
		if (line.value.state == CONTEXT_KNOWN || line.value.state == CONTEXT_UNKNOWN)
			context_end(contexts, cursor, &selection->message, i, &line.value,
				    &line.end);
		*vec_add(&state->lines) = line;
	}
	lines_go_to(&state->table.cursor, state->lines.count, (int64_t)state->table.cursor.line);
}

static const struct selection *
context_prepare(struct screen *screen)
{
	const struct selection *selection = selection_get(screen);
	if (selection)
		make_lines(screen, selection);
	return selection;
}

/* --- drawing ----------------------------------------------------------- */

static struct location
location_in(const struct screen *screen, const struct trace *trace, struct message_id id)
{
	struct location location = {.id = id};
	while (screen->session->traces.at[location.trace] != trace)
		location.trace++;
	return location;
}

/* Appends when a message was sent, how long from the selected one on, and which
 * it is, all as in the list that shows it. */
static void
add_message(struct screen *screen, const struct location *location, struct text *out)
{
	const struct row *selected = list_current(screen->list);
	struct list *list;
	struct row row;
	struct display_time here, there;
	struct text apart = {0};
	bool exact;
	if (!jump_find(screen, location, &list, &row))
		return;
	if (display_time_of_row(list, &row, &there)) {
		bool near = (list == screen->list || there.common) &&
			    display_time_of_row(screen->list, selected, &here);
		text_add_char(out, ' ');
		display_time_format_beside(&there, near ? &here : NULL, out);
		if (near)
			display_time_format_difference(&here, &there, false, &apart);
		if (apart.length)
			text_addf(out, " (%s)", apart.data);
		text_free(&apart);
	}
	uint64_t number = sequence_number(list->sequence, row_position(&row), &exact);
	text_addf(out, " #%s%llu", exact ? "" : "~", (unsigned long long)number);
}

static void
add_since(struct screen *screen, const struct context_value *value, struct text *out)
{
	struct location location = location_in(screen, value->trace, value->since);
	text_add(out, value->earlier ? "since before" : "since");
	if (value->trace != screen->list->trace)
		text_addf(out, " %s", trace_name(value->trace));
	add_message(screen, &location, out);
}

static void
add_until(struct screen *screen, const struct context_end *end, struct text *out)
{
	struct location location = location_in(screen, screen->list->trace, end->id);
	if (end->state == CONTEXT_NONE)
		text_add(out, "  to the end");
	if (end->state != CONTEXT_KNOWN)
		return;
	text_add(out, "  until");
	add_message(screen, &location, out);
}

enum { CONTEXT_NAME, CONTEXT_VALUE, CONTEXT_TIMES, CONTEXT_COLUMNS };

static const struct table_column context_columns[CONTEXT_COLUMNS] = {
    [CONTEXT_NAME] = {.least = NAME_COLUMNS, .gap = 1},
    [CONTEXT_VALUE] = {.least = VALUE_COLUMNS, .gap = 1},
    [CONTEXT_TIMES] = {0},
};

static void
put_safe(struct screen *screen, struct table_row *row, size_t column, enum role role,
	 const struct text *text)
{
	struct text safe = {0};
	text_add_safe(&safe, text_get(text), text->length, screen->charset);
	table_put(row, column, role, text_get(&safe), safe.length);
	text_free(&safe);
}

static void
fill_context(struct screen *screen, struct table_row *row, size_t i)
{
	struct text *text = &state_of(screen)->text;
	const struct context_line *line = &state_of(screen)->lines.at[i];
	const struct context_value *value = &line->value;
	text_clear(text);
	text_add(text, contexts_name(screen->session->contexts, line->context));
	if (line->elsewhere)
		text_addf(text, " (%s)", trace_name(value->trace));
	put_safe(screen, row, CONTEXT_NAME, row->current ? ROLE_CURSOR : ROLE_FIELD, text);
	if (value->state != CONTEXT_KNOWN && value->state != CONTEXT_UNKNOWN) {
		table_putf(row, CONTEXT_VALUE, ROLE_ABSENT, "%s",
			   value->state == CONTEXT_LATER ? "not known yet" : "nothing said so far");
		return;
	}
	text_clear(text);
	context_view_add_value(screen, line->context, value, text);
	bool doubtful = value->doubtful || value->state == CONTEXT_UNKNOWN;
	enum role role = doubtful ? ROLE_LOSS : line->elsewhere ? ROLE_NOTE : ROLE_NORMAL;
	put_safe(screen, row, CONTEXT_VALUE, role, text);
	text_clear(text);
	add_since(screen, value, text);
	add_until(screen, &line->end, text);
	put_safe(screen, row, CONTEXT_TIMES, ROLE_NOTE, text);
}

static void
context_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct context_pane *state = state_of(screen);
	const struct selection *selection = context_prepare(screen);
	const struct table_spec spec = {.pane = PANE_CONTEXT,
					.columns = context_columns,
					.column_count = CONTEXT_COLUMNS,
					.left = 1,
					.count = state->lines.count,
					.fill = fill_context};
	if (selection && state->lines.count)
		table_draw(&state->table, screen, &spec, canvas, area);
	else
		canvas_puts(canvas, area, 0, 0, ROLE_ABSENT,
			    !selection			? "no message"
			    : screen->session->contexts ? "no context applies to this message"
							: "no contexts: a profile defines them");
}

/* --- commands ---------------------------------------------------------- */

static size_t
count_lines(struct screen *screen)
{
	return state_of(screen)->lines.count;
}

static void
context_go(struct screen *screen, const struct command_call *call)
{
	struct context_pane *state = state_of(screen);
	(void)call;
	if (!context_prepare(screen) || state->table.cursor.line >= state->lines.count)
		return;
	const struct context_value *value = &state->lines.at[state->table.cursor.line].value;
	if (value->state != CONTEXT_KNOWN && value->state != CONTEXT_UNKNOWN)
		return;
	struct location location = location_in(screen, value->trace, value->since);
	jump_to_location(screen, &location);
}

static void
context_title(struct screen *screen, struct text *out)
{
	const struct row *row = list_current(screen->list);
	text_add(out, "context");
	if (row) {
		text_add(out, " of message ");
		list_add_number(screen->list, row, out);
	}
}

static pane_command *const context_commands[COMMAND_COUNT] = {
    [COMMAND_CONTEXT_GO] = context_go,
};

const struct pane_ops pane_context = {
    .name = "context",
    .scope = SCOPE_CONTEXT,
    .state_size = sizeof(struct context_pane),
    .close = context_close,
    .title = context_title,
    .keys = {{COMMAND_CONTEXT_GO, .word = "go to change"}, {COMMAND_CONTEXT, .word = "close"}},
    .draw = context_draw,
    .commands = context_commands,
    .lines = count_lines,
};
