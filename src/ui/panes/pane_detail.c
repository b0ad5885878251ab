/*
 * The fields of the selected message, as a tree that opens and closes.
 *
 * What is closed is remembered by field, not by message, so that the tree
 * looks the same from message to message; so is the field under the cursor,
 * whose bytes the hex pane shows.
 */
#include "config.h"

#include "ui/panes/pane_detail.h"
#include "query/filter/filter.h"
#include "session/session.h"
#include "ui/list/filters.h"
#include "ui/list/list.h"
#include "ui/list/selection.h"
#include "ui/panes/lines.h"
#include "ui/screen/screen.h"

#include <string.h>

enum { NAME_COLUMNS = 20 };

struct detail_state {
	struct lines cursor;
	VEC(const struct field_row *) turned; /* opened, or closed, by the user */
	VEC(size_t) lines;		      /* fields that are shown, by their number */
	const struct field_row *row;	      /* of the field under the cursor */
	struct text raw, safe;
};

static struct detail_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_DETAIL];
}

static void
detail_close(void *context)
{
	struct detail_state *state = context;
	vec_free(&state->turned);
	vec_free(&state->lines);
	text_free(&state->raw);
	text_free(&state->safe);
}

/* --- the tree ---------------------------------------------------------- */

/* Where a row stands in the list of those that the user has turned. */
static size_t
turned_at(const struct detail_state *state, const struct field_row *row)
{
	size_t i = 0;
	while (i < state->turned.count && state->turned.at[i] != row)
		i++;
	return i;
}

static bool
is_closed(const struct detail_state *state, const struct field_row *row)
{
	return row->folded != (turned_at(state, row) < state->turned.count);
}

static void
set_closed(struct detail_state *state, const struct field_row *row, bool closed)
{
	if (is_closed(state, row) == closed)
		return;
	size_t i = turned_at(state, row);
	if (i < state->turned.count)
		state->turned.at[i] = state->turned.at[--state->turned.count];
	else
		*vec_add(&state->turned) = row;
}

static bool
has_children(const struct expansion *e, size_t i)
{
	return i + 1 < e->fields.count && e->fields.at[i + 1].depth > e->fields.at[i].depth;
}

/* Makes the list of shown fields anew and finds the cursor's again. */
static void
refresh_lines(struct detail_state *state, const struct expansion *e)
{
	unsigned hidden_below = UINT8_MAX + 1; /* deeper fields are closed away */
	size_t cursor = state->cursor.line;
	bool found = false;
	vec_clear(&state->lines);
	for (size_t i = 0; i < e->fields.count; i++) {
		const struct field *field = &e->fields.at[i];
		if (field->depth > hidden_below)
			continue;
		hidden_below = is_closed(state, field->row) ? field->depth : UINT8_MAX + 1;
		if (field->row == state->row && (!found || state->lines.count == cursor)) {
			state->cursor.line = state->lines.count;
			found = true;
		}
		*vec_add(&state->lines) = i;
	}
	if (state->cursor.line >= state->lines.count)
		state->cursor.line = state->lines.count ? state->lines.count - 1 : 0;
}

static const struct expansion *
detail_prepare(struct screen *screen)
{
	const struct selection *selection = selection_get(screen);
	if (!selection)
		return NULL;
	refresh_lines(state_of(screen), &selection->expansion);
	return state_of(screen)->lines.count ? &selection->expansion : NULL;
}

const struct field *
detail_field(struct screen *screen)
{
	const struct detail_state *state = state_of(screen);
	const struct expansion *e = detail_prepare(screen);
	return e ? &e->fields.at[state->lines.at[state->cursor.line]] : NULL;
}

/* --- drawing ----------------------------------------------------------- */

struct place_of {
	uint64_t first, bits;
	bool any;
};

static void
add_piece(void *context, uint64_t bit, uint32_t bits)
{
	struct place_of *place = context;
	if (!place->any || bit < place->first)
		place->first = bit;
	place->any = true;
	place->bits += bits;
}

/* `0x2f81b0c4 4 B`, or `... 3 bit` where it is no whole byte. */
static void
add_place(const struct expansion *e, const struct field *field, struct text *out)
{
	struct place_of place = {0};
	expansion_locate(e, field, add_piece, &place);
	if (!place.any)
		return;
	text_addf(out, "0x%llx", (unsigned long long)(place.first / 8));
	if (field->bits % 8 || place.first % 8)
		text_addf(out, ".%u %u bit", (unsigned)(place.first % 8), field->bits);
	else
		text_addf(out, " %llu B", (unsigned long long)(place.bits / 8));
}

static void
add_value(struct screen *screen, const struct field *field, struct text *out)
{
	struct detail_state *state = state_of(screen);
	text_clear(&state->raw);
	field_format(field, &state->raw);
	text_add_safe(out, text_get(&state->raw), state->raw.length, screen->charset);
}

static void
draw_line(struct screen *screen, struct canvas *canvas, const struct area *area, int y,
	  const struct expansion *e, size_t i, bool current)
{
	struct detail_state *state = state_of(screen);
	const struct field *field = &e->fields.at[i];
	const char *sign = !has_children(e, i) ? " " : is_closed(state, field->row) ? ">" : "v";
	int x = 2 * field->depth;
	bool focus = screen->focus == PANE_DETAIL;
	x = canvas_puts(canvas, area, y, x, ROLE_NORMAL, sign) + 1;
	x = canvas_puts(canvas, area, y, x, current && focus ? ROLE_CURSOR : ROLE_FIELD,
			field->row->name);
	x = x + 1 > NAME_COLUMNS ? x + 1 : NAME_COLUMNS;
	text_clear(&state->safe);
	add_value(screen, field, &state->safe);
	x = canvas_put(canvas, area, y, x, ROLE_NORMAL, text_get(&state->safe), state->safe.length);
	const char *meaning = field_meaning(field);
	if (meaning) {
		text_clear(&state->safe);
		screen_add_safe(screen, meaning, &state->safe);
		x += x > NAME_COLUMNS;
		x = canvas_put(canvas, area, y, x, ROLE_NOTE, text_get(&state->safe),
			       state->safe.length);
	}
	text_clear(&state->safe);
	add_place(e, field, &state->safe);
	int place_x = area->cols - (int)state->safe.length;
	if (state->safe.length && x + 1 < place_x)
		canvas_put(canvas, area, y, place_x, ROLE_NOTE, state->safe.data,
			   state->safe.length);
}

static void
detail_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct detail_state *state = state_of(screen);
	const struct expansion *e = detail_prepare(screen);
	size_t rows = (size_t)area->rows;
	if (!e) {
		canvas_puts(canvas, area, 0, 0, ROLE_ABSENT, "no message");
		return;
	}
	lines_show(&state->cursor, state->lines.count, area->rows);
	for (size_t i = 0; i < rows && state->cursor.top + i < state->lines.count; i++)
		draw_line(screen, canvas, area, (int)i, e, state->lines.at[state->cursor.top + i],
			  state->cursor.top + i == state->cursor.line);
}

static void
detail_title(struct screen *screen, struct text *out)
{
	const struct selection *selection = selection_get(screen);
	if (!selection) {
		text_add(out, "message");
		return;
	}
	const struct expansion *e = &selection->expansion;
	text_add(out, "message ");
	list_add_number(screen->list, list_current(screen->list), out);
	text_add_char(out, ' ');
	if (screen->session->traces.count > 1) {
		text_add_char(out, ' ');
		screen_add_safe(screen, trace_name(selection->trace), out);
	}
	if (e->origin.length) {
		text_add_char(out, ' ');
		text_add_safe(out, e->origin.data, e->origin.length, screen->charset);
	}
	if (selection->message.severity)
		text_addf(out, "  %s", severity_name(selection->message.severity));
	const char *blanks = "  ";
	for (unsigned bit = 0; bit < MESSAGE_FLAGS_SHOWN; bit++) {
		if (selection->message.flags >> bit & 1) {
			text_addf(out, "%s%s", blanks, message_flag_name(bit));
			blanks = " ";
		}
	}
}

/* --- commands ---------------------------------------------------------- */

static size_t
count_lines(struct screen *screen)
{
	return detail_prepare(screen) ? state_of(screen)->lines.count : 0;
}

static void
detail_moved(struct screen *screen)
{
	struct detail_state *state = state_of(screen);
	const struct expansion *e = &selection_get(screen)->expansion;
	state->row = e->fields.at[state->lines.at[state->cursor.line]].row;
}

static void
detail_unfold(struct screen *screen, const struct command_call *call)
{
	const struct field *field = detail_field(screen);
	(void)call;
	if (field)
		set_closed(state_of(screen), field->row, false);
}

/* Closes an open field; from any other the cursor goes to its parent. */
static void
detail_fold(struct screen *screen, const struct command_call *call)
{
	struct detail_state *state = state_of(screen);
	const struct expansion *e = detail_prepare(screen);
	(void)call;
	if (!e)
		return;
	size_t i = state->lines.at[state->cursor.line];
	const struct field *field = &e->fields.at[i];
	if (has_children(e, i) && !is_closed(state, field->row)) {
		set_closed(state, field->row, true);
		return;
	}
	for (size_t line = state->cursor.line; line-- > 0;) {
		if (e->fields.at[state->lines.at[line]].depth < field->depth) {
			lines_go_to(&state->cursor, state->lines.count, (int64_t)line);
			detail_moved(screen);
			return;
		}
	}
}

/* Elements of a list are compared under its name. */
static const struct field *
named_field(const struct expansion *e, const struct field *field)
{
	const struct field *around = field;
	while (around > e->fields.at && around->depth >= field->depth)
		around--;
	return around->depth < field->depth && around->row->type == FIELD_LIST ? around : field;
}

/* Appends `FORMAT.NAME = VALUE`, or without the format, as an expression. */
static void
add_equation(const struct selection *selection, const struct field *field, bool format,
	     struct text *out)
{
	struct text value = {0};
	if (format)
		text_addf(out, "%s.", trace_decoder(selection->trace)->ops->format);
	text_addf(out, "%s = ", named_field(&selection->expansion, field)->row->name);
	field_format(field, &value);
	if (field->row->type == FIELD_TEXT)
		filter_quote(text_get(&value), value.length, out);
	else
		text_add(out, text_get(&value));
	text_free(&value);
}

static void
filter_field(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection = selection_get(screen);
	const struct field *field = detail_field(screen);
	struct filter_entry entry = {0};
	struct filter_error error;
	struct text text = {0};
	(void)call;
	if (!field)
		return;
	if (field->row->type >= FIELD_LIST) {
		screen_say(screen, "%s has fields, but no value of its own", field->row->name);
		return;
	}
	for (int format = 1; format >= 0 && !entry.expr; format--) {
		text_clear(&text); /* a field of the transport, a context: by its name alone */
		add_equation(selection, field, format, &text);
		entry.expr = filter_parse(text.data, screen->session, &error);
	}
	if (!entry.expr)
		screen_error(screen, "%s, in %s", error.what, text.data);
	else if (filters_put(screen, SIZE_MAX, entry))
		screen_say(screen, "only %s", text.data);
	text_free(&text);
}

static pane_command *const detail_commands[COMMAND_COUNT] = {
    [COMMAND_UNFOLD] = detail_unfold,
    [COMMAND_FOLD] = detail_fold,
    [COMMAND_FIELD_FILTER] = filter_field,
};

const struct pane_ops pane_detail = {
    .name = "detail",
    .scope = SCOPE_DETAIL,
    .state_size = sizeof(struct detail_state),
    .close = detail_close,
    .title = detail_title,
    .keys = {{COMMAND_FIELD_FILTER, .word = "filter"},
	     {COMMAND_COPY, .word = "copy", .spare = true},
	     {COMMAND_HEX, .word = "bytes", .spare = true},
	     {COMMAND_DETAIL, .word = "close"}},
    .draw = detail_draw,
    .commands = detail_commands,
    .lines = count_lines,
    .moved = detail_moved,
};
