/*
 * What was true at the selected message: a line per context that applies to
 * it, with its value and name, since when and until when.
 *
 * Lines are made when the selection or what is known changes, and cost a walk
 * of at most two cells each.  What is not known yet says so, and comes by
 * itself: the trace is looked through from the first look at a context on.
 */
#include "config.h"

#include "ui/panes/pane_context.h"
#include "session/context/context.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/panes/lines.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 16, VALUE_COLUMNS = 24 };

static const char prefix[] = "context.";

struct line {
	unsigned context;
	bool elsewhere; /* it does not apply to the message */
	struct context_value value;
	struct context_end end;
};

struct pane_state {
	struct lines cursor;
	VEC(struct line) lines;
	struct trace *trace; /* what they were made for */
	struct place place;
	unsigned generation;
	bool made;
	struct text text;
};

static struct pane_state *
state_of(struct app *app)
{
	return app->state[PANE_CONTEXT];
}

static void
context_close(void *context)
{
	struct pane_state *state = context;
	vec_free(&state->lines);
	text_free(&state->text);
}

/* --- for others -------------------------------------------------------- */

void
contexts_close(struct app *app)
{
	for (size_t i = 0; app->contexts && i < app->session->traces.count; i++)
		context_cursor_free(app->contexts[i]);
	free(app->contexts);
	free(app->context_rows);
}

/* The cursor for a lane of the list; NULL if there are no contexts. */
static struct context_cursor *
cursor_for(struct app *app, size_t lane)
{
	struct contexts *contexts = app->session->contexts;
	if (!contexts)
		return NULL;
	if (!app->contexts)
		app->contexts = mem_new(app->session->traces.count * sizeof *app->contexts);
	size_t trace = app->list->lanes[lane].number;
	if (!app->contexts[trace])
		app->contexts[trace] = context_cursor_new(contexts, app->list->lanes[lane].trace);
	return app->contexts[trace];
}

/* That for the message that is selected. */
static struct context_cursor *
cursor_of(struct app *app)
{
	return cursor_for(app, app->list->lane);
}

/* Appends the value, its name, and `?` where it is doubtful; not safe yet. */
static void
add_value(struct app *app, unsigned context, const struct context_value *value, struct text *out)
{
	size_t before = out->length;
	if (value->state == CONTEXT_KNOWN)
		context_text(app->session->contexts, cursor_of(app), context, value, out);
	if (value->name)
		text_addf(out, "%s%s", out->length > before ? " " : "", value->name);
	if (value->state == CONTEXT_UNKNOWN || value->doubtful)
		text_add(out, out->length > before ? " ?" : "?");
	if (value->recovered)
		text_add(out, " recovered");
}

static struct field_row *
rows_of(struct app *app)
{
	size_t count = contexts_count(app->session->contexts);
	if (!app->context_rows) {
		app->context_rows = mem_new(count * sizeof *app->context_rows);
		for (size_t i = 0; i < count; i++)
			app->context_rows[i] = (struct field_row){
			    .name = contexts_name(app->session->contexts, (unsigned)i),
			    .type = FIELD_TEXT,
			    .detail = true,
			    .help = "a context"};
	}
	return app->context_rows;
}

void
contexts_add(struct app *app, const struct message *m, struct expansion *e)
{
	static const struct field_row group = {.name = "context",
					       .type = FIELD_GROUP,
					       .detail = true,
					       .help = "what was true at the message"};
	struct contexts *contexts = app->session->contexts;
	if (!app->open[PANE_DETAIL] || !contexts_count(contexts))
		return;
	bool any = false;
	struct text text = {0};
	for (unsigned i = 0; i < contexts_count(contexts); i++) {
		struct context_value value;
		if (!context_value(contexts, cursor_of(app), m, i, &value) ||
		    value.state == CONTEXT_NONE || value.state == CONTEXT_LATER)
			continue;
		if (!any)
			expansion_open(e, &group, FIELD_NOWHERE, 0, 0);
		any = true;
		text_clear(&text);
		add_value(app, i, &value, &text);
		struct field *field = expansion_add(e, &rows_of(app)[i], FIELD_NOWHERE, 0, 0);
		field->s.at = arena_text(&e->arena, text_get(&text), text.length);
		field->s.length = text.length;
	}
	if (any)
		expansion_close(e);
	text_free(&text);
}

bool
contexts_column(struct app *app, const struct message *m, const char *name, struct text *out)
{
	struct contexts *contexts = app->session->contexts;
	struct context_value value;
	unsigned context;
	if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
	    !contexts_find(contexts, name + sizeof prefix - 1, &context))
		return false;
	if (!context_value(contexts, cursor_of(app), m, context, &value))
		return true;
	struct text text = {0};
	if (value.name) {
		text_addf(&text, "%s%s", value.name, value.doubtful ? " ?" : "");
	} else if (value.state != CONTEXT_NONE && value.state != CONTEXT_LATER) {
		value.recovered = false;
		add_value(app, context, &value, &text);
	}
	text_add_safe(out, text_get(&text), text.length, app->charset);
	text_free(&text);
	return true;
}

/* The message of a lane from which a step finds the change that is next to FROM in
 * the list; NULL: from behind the last one. */
static const struct message *
start_of_step(struct app *app, struct merge_position from, size_t lane, bool forward)
{
	struct reader *reader = app->list->lanes[lane].reader;
	struct position at = from.at;
	if (lane == from.trace)
		return reader_message(reader, at);
	if (!merge_head(app->list->merge, from, lane, &at) && !forward)
		return NULL;
	if (forward) /* the head itself may be one, unless it is the trace's first message */
		reader_previous(reader, &at, 0);
	return reader_message(reader, at);
}

/* Moves *AT to the next change of a context in any trace of the list. */
static enum context_state
step(struct app *app, struct merge_position *at, bool forward)
{
	const struct list *list = app->list;
	struct merge_position from = *at;
	bool any = false, later = false;
	for (size_t lane = 0; lane < list->lane_count; lane++) {
		if (lane != from.trace && (!list->merge || !list_shows(list, lane)))
			continue;
		struct context_cursor *cursor = cursor_for(app, lane);
		const struct message *m = start_of_step(app, from, lane, forward);
		struct message own = m ? *m : (struct message){0};
		struct merge_position to = {.trace = lane};
		struct place place;
		enum context_state state = CONTEXT_NONE;
		if (cursor && (m || !forward))
			state = context_step(app->session->contexts, cursor, m ? &own : NULL,
					     forward, &place);
		later |= state == CONTEXT_LATER;
		if (state == CONTEXT_KNOWN &&
		    reader_find_place(list->lanes[lane].reader, place, &to.at) &&
		    (!any || merge_is_before(list->merge, to, *at) == forward)) {
			*at = to;
			any = true;
		}
	}
	return any ? CONTEXT_KNOWN : later ? CONTEXT_LATER : CONTEXT_NONE;
}

void
contexts_jump(struct app *app, const struct command_call *call)
{
	const struct row *row = list_current(app->list);
	bool forward = call->id == COMMAND_NEXT_CONTEXT;
	if (!row)
		return;
	struct merge_position at = {row->lane, row->at};
	for (uint64_t left = call->count; left; left--) {
		enum context_state state = step(app, &at, forward);
		if (state == CONTEXT_KNOWN)
			continue;
		app_say(app, state == CONTEXT_LATER ? "no change of a context known so far"
						    : "no change of a context that way");
		return;
	}
	list_turn(app->list, at.trace);
	jump_to(app, at.at);
}

/* --- lines ------------------------------------------------------------- */

static void
make_lines(struct app *app, const struct selection *selection)
{
	struct pane_state *state = state_of(app);
	struct contexts *contexts = app->session->contexts;
	unsigned generation = selection->generation;
	if (state->made && state->trace == selection->trace && state->generation == generation &&
	    state->place.offset == selection->place.offset &&
	    state->place.ordinal == selection->place.ordinal)
		return;
	state->made = true;
	state->trace = selection->trace;
	state->generation = generation;
	state->place = selection->place;
	vec_clear(&state->lines);
	struct context_cursor *cursor = cursor_of(app);
	for (unsigned i = 0; i < contexts_count(contexts); i++) {
		struct line line = {.context = i};
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
	lines_go_to(&state->cursor, state->lines.count, (int64_t)state->cursor.line);
}

static const struct selection *
prepare(struct app *app)
{
	const struct selection *selection = app_selection(app);
	if (selection)
		make_lines(app, selection);
	return selection;
}

/* --- drawing ----------------------------------------------------------- */

/* A place in a trace of the session. */
static struct spot
spot_in(const struct app *app, const struct trace *trace, struct place place)
{
	struct spot spot = {.place = place};
	while (app->session->traces.at[spot.trace] != trace)
		spot.trace++;
	return spot;
}

/* Appends when a message was sent, how long from the selected one on, and which
 * it is, all as in the list that shows it. */
static void
add_message(struct app *app, const struct spot *spot, struct text *out)
{
	const struct row *selected = list_current(app->list);
	struct list *list;
	struct row row;
	struct moment here, there;
	struct text apart = {0};
	bool exact;
	if (!jump_find(app, spot, &list, &row))
		return;
	if (moment_of_row(list, &row, &there)) {
		bool near = (list == app->list || there.common) &&
			    moment_of_row(app->list, selected, &here);
		text_add_char(out, ' ');
		moment_format_beside(&there, near ? &here : NULL, out);
		if (near)
			moment_format_difference(&here, &there, false, &apart);
		if (apart.length)
			text_addf(out, " (%s)", apart.data);
		text_free(&apart);
	}
	uint64_t number = list_number(list, &row, &exact);
	text_addf(out, " #%s%llu", exact ? "" : "~", (unsigned long long)number);
}

static void
add_since(struct app *app, const struct context_value *value, struct text *out)
{
	struct spot spot = spot_in(app, value->trace, value->since);
	text_add(out, value->earlier ? "since before" : "since");
	if (value->trace != app->list->trace)
		text_addf(out, " %s", trace_name(value->trace));
	add_message(app, &spot, out);
}

static void
add_until(struct app *app, const struct context_end *end, struct text *out)
{
	struct spot spot = spot_in(app, app->list->trace, end->place);
	if (end->state == CONTEXT_NONE)
		text_add(out, "  to the end");
	if (end->state != CONTEXT_KNOWN)
		return;
	text_add(out, "  until");
	add_message(app, &spot, out);
}

static int
put(struct app *app, struct canvas *canvas, const struct area *area, int y, int x, enum role role,
    const struct text *text)
{
	struct text safe = {0};
	text_add_safe(&safe, text_get(text), text->length, app->charset);
	x = canvas_put(canvas, area, y, x, role, text_get(&safe), safe.length);
	text_free(&safe);
	return x;
}

static void
draw_line(struct app *app, struct canvas *canvas, const struct area *area, int y,
	  const struct line *line, bool current)
{
	struct text *text = &state_of(app)->text;
	const struct context_value *value = &line->value;
	bool told = value->state == CONTEXT_KNOWN || value->state == CONTEXT_UNKNOWN;
	text_clear(text);
	text_add(text, contexts_name(app->session->contexts, line->context));
	if (line->elsewhere)
		text_addf(text, " (%s)", trace_name(value->trace));
	int x = put(app, canvas, area, y, 1, current ? ROLE_CURSOR : ROLE_FIELD, text) + 1;
	x = x > NAME_COLUMNS + 2 ? x : NAME_COLUMNS + 2;
	if (!told) {
		canvas_puts(canvas, area, y, x, ROLE_ABSENT,
			    value->state == CONTEXT_LATER ? "not known yet"
							  : "nothing said so far");
		return;
	}
	text_clear(text);
	add_value(app, line->context, value, text);
	bool doubtful = value->doubtful || value->state == CONTEXT_UNKNOWN;
	enum role role = doubtful ? ROLE_LOSS : line->elsewhere ? ROLE_NOTE : ROLE_NORMAL;
	int after = put(app, canvas, area, y, x, role, text) + 1;
	text_clear(text);
	add_since(app, value, text);
	add_until(app, &line->end, text);
	x += VALUE_COLUMNS;
	put(app, canvas, area, y, x > after ? x : after, ROLE_NOTE, text);
}

static void
context_draw(struct app *app, struct canvas *canvas, const struct area *area)
{
	struct pane_state *state = state_of(app);
	const struct selection *selection = prepare(app);
	size_t rows = (size_t)area->rows;
	if (!selection || !state->lines.count) {
		canvas_puts(canvas, area, 0, 0, ROLE_ABSENT,
			    !selection		     ? "no message"
			    : app->session->contexts ? "no context applies to this message"
						     : "no contexts: a profile defines them");
		return;
	}
	lines_show(&state->cursor, state->lines.count, area->rows);
	for (size_t i = 0; i < rows && state->cursor.top + i < state->lines.count; i++)
		draw_line(app, canvas, area, (int)i, &state->lines.at[state->cursor.top + i],
			  app->focus == PANE_CONTEXT &&
			      state->cursor.top + i == state->cursor.line);
}

/* --- commands ---------------------------------------------------------- */

static size_t
count_lines(struct app *app)
{
	return state_of(app)->lines.count;
}

static void
go(struct app *app, const struct command_call *call)
{
	struct pane_state *state = state_of(app);
	(void)call;
	if (!prepare(app) || state->cursor.line >= state->lines.count)
		return;
	const struct context_value *value = &state->lines.at[state->cursor.line].value;
	if (value->state != CONTEXT_KNOWN && value->state != CONTEXT_UNKNOWN)
		return;
	struct spot spot = spot_in(app, value->trace, value->since);
	jump_to_spot(app, &spot);
}

static pane_command *const context_commands[COMMAND_COUNT] = {
    [COMMAND_CONTEXT_GO] = go,
};

const struct pane_ops pane_context = {
    .name = "context",
    .scope = SCOPE_CONTEXT,
    .state_size = sizeof(struct pane_state),
    .close = context_close,
    .draw = context_draw,
    .commands = context_commands,
    .lines = count_lines,
};
