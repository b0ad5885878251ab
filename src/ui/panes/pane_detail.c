/*
 * The selected message: its text, its times, and its fields as a tree that opens and closes
 * (detail_lines.h).
 *
 * The hex pane shows the bytes of the field under the cursor. A value without enough room ends
 * in the truncation sign, so that it does not look like another value.
 */
#include "config.h"

#include "ui/panes/pane_detail.h"
#include "base/notice.h"
#include "query/filter/filter.h"
#include "session/session.h"
#include "ui/list/filters.h"
#include "ui/list/list.h"
#include "ui/list/selection.h"
#include "ui/panes/detail_lines.h"
#include "ui/panes/detail_time.h"
#include "ui/screen/screen.h"

#include <string.h>

enum {
	NAME_COLUMNS = 24,  /* most columns of a name */
	VALUE_COLUMNS = 8,  /* least width of a value next to the field's place */
	DATED_COLUMNS = 90, /* least width for times with dates */
	BESIDE_COLUMNS = 76 /* least width for distances next to the time */
};

struct detail_state {
	struct lines cursor;
	struct detail_lines d;
	struct detail_time time;
	struct text text; /* scratch */
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
	detail_lines_free(&state->d);
	text_free(&state->text);
}

/* --- contents ---------------------------------------------------------- */

/* Make the time and two distances, in one line if they fit. */
static void
make_times(struct screen *screen, const struct selection *selection, int columns)
{
	struct detail_state *state = state_of(screen);
	struct text *times = state->d.times;
	for (int i = 0; i < DETAIL_TIMES; i++)
		text_clear(&times[i]);
	detail_time_add(screen, selection, columns >= DATED_COLUMNS, &times[0]);
	if (columns < BESIDE_COLUMNS || !times[0].length) {
		detail_time_add_above(screen, &times[1]);
		detail_time_add_origin(screen, selection, &state->time, &times[2]);
		return;
	}
	int beside = text_columns(times[0].data, times[0].length, screen->charset) + 3;
	text_add(&times[0], "   ");
	detail_time_add_above(screen, &times[0]);
	text_add_fill(&times[1], ' ', (size_t)beside);
	detail_time_add_origin(screen, selection, &state->time, &times[1]);
	if (times[1].length == (size_t)beside)
		text_clear(&times[1]);
}

static const struct selection *
detail_prepare(struct screen *screen)
{
	const struct selection *selection = selection_get(screen);
	struct detail_state *state = state_of(screen);
	int columns = screen->layout.panes[PANE_DETAIL].cols;
	if (!selection)
		return NULL;
	const struct text *text = &selection->expansion.text;
	text_clear(&state->d.text);
	text_add_bytes(&state->d.text, text_get(text), text->length);
	make_times(screen, selection, columns);
	detail_lines_make(&state->d, &state->cursor, &selection->expansion, columns,
			  screen->charset);
	return state->d.lines.count ? selection : NULL;
}

/* Return the line under the cursor. Set *SELECTION to its message. */
static const struct detail_line *
detail_line(struct screen *screen, const struct selection **selection)
{
	const struct detail_state *state = state_of(screen);
	*selection = detail_prepare(screen);
	return *selection ? &state->d.lines.at[state->cursor.line] : NULL;
}

const struct field *
detail_field(struct screen *screen)
{
	const struct selection *selection;
	const struct detail_line *line = detail_line(screen, &selection);
	bool is_field = line && line->kind == DETAIL_FIELD;
	return is_field ? &selection->expansion.fields.at[line->at] : NULL;
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

/* Append a place such as `0x2f81b0c4 4 B`. A place within a byte has the bit after a dot. A length
 * without whole bytes is in `bit`. */
static void
add_bits(uint64_t first, uint64_t bits, struct text *out)
{
	text_addf(out, "0x%llx", (unsigned long long)(first / 8));
	if (first % 8 || bits % 8)
		text_addf(out, ".%u", (unsigned)(first % 8));
	if (bits % 8)
		text_addf(out, " %llu bit", (unsigned long long)bits);
	else
		text_addf(out, " %llu B", (unsigned long long)(bits / 8));
}

/* Append the place of a field, or of the payload for the header line. Transport fields without a
 * place have that of the whole message. */
static void
add_place(const struct selection *selection, const struct detail_line *line, struct text *out)
{
	const struct expansion *e = &selection->expansion;
	const struct field *field = line->kind == DETAIL_FIELD ? &e->fields.at[line->at] : NULL;
	struct place_of place = {0};
	if (field && field->place == FIELD_NOWHERE && field->row->part == FIELD_TRANSPORT)
		add_piece(&place, selection->message.offset * 8, selection->message.length * 8);
	else if (field)
		expansion_locate(e, field, add_piece, &place);
	for (size_t i = 0; !field && i < e->extents.count; i++)
		add_piece(&place, e->extents.at[i].capture_bit, e->extents.at[i].bits);
	if (place.any && field && field->place == FIELD_PAYLOAD)
		add_bits(place.first, field->bits, out);
	else if (place.any)
		add_bits(place.first, place.bits, out);
}

static const char *
name_of(const struct field *field)
{
	return field->label ? field->label : field->row->name;
}

struct summary_of {
	const struct expansion *e;
	struct text *out;
};

/* Append `NAME VALUE` of a field, or `COUNT NAME` of a field with children. */
static bool
add_essential(void *context, size_t i)
{
	struct summary_of *sum = context;
	const struct field *field = &sum->e->fields.at[i];
	size_t count = 0;
	if (field->row->type < FIELD_LIST && field->row->detail && field->row->part == FIELD_HEAD)
		return true; /* too long, or of little use */
	while (i + 1 + count < sum->e->fields.count &&
	       sum->e->fields.at[i + 1 + count].depth > field->depth)
		count++;
	if (field->row->type >= FIELD_LIST && field->row->part == FIELD_HEAD)
		return true;
	text_add(sum->out, sum->out->length ? "  " : "");
	if (field->row->type >= FIELD_LIST) {
		text_addf(sum->out, "%zu %s", count, name_of(field));
		return true;
	}
	text_addf(sum->out, "%s ", name_of(field));
	field_format(field, sum->out);
	return true;
}

/* Append a summary of a closed line's children. */
static void
add_essentials(const struct detail_line *line, const struct expansion *e, struct text *out)
{
	struct summary_of sum = {e, out};
	if (line->kind == DETAIL_HEAD)
		text_add_bytes(out, text_get(&e->type), e->type.length);
	detail_line_children(line, e, add_essential, &sum);
}

/* Draw a field or the header line: name, value, a summary if closed, and the place at the right
 * edge. */
static void
draw_field(struct screen *screen, struct canvas *canvas, const struct area *area, int y,
	   const struct selection *selection, const struct detail_line *line, bool current)
{
	struct detail_state *state = state_of(screen);
	const struct expansion *e = &selection->expansion;
	const struct field *field = line->kind == DETAIL_FIELD ? &e->fields.at[line->at] : NULL;
	bool folds = detail_line_folds(line, e);
	bool open = folds && detail_line_is_open(&state->d, line, e);
	int names = area->cols * 2 / 5 < NAME_COLUMNS ? area->cols * 2 / 5 : NAME_COLUMNS;
	int x = 1 + 2 * line->depth, value_x = 1 + names, end = area->cols;
	struct text *text = &state->text;
	if (folds)
		canvas_puts(canvas, area, y, x, ROLE_KEY, open ? "v" : ">");
	x += 2;
	const char *name = field ? name_of(field) : "message";
	canvas_put_cell(canvas, area, y, x, value_x - 1 - x, current ? ROLE_CURSOR : ROLE_FIELD,
			name, strlen(name));
	text_clear(text);
	add_place(selection, line, text);
	int columns = text_columns(text_get(text), text->length, screen->charset);
	if (columns && value_x + VALUE_COLUMNS + columns < area->cols) {
		end = area->cols - columns - 1;
		canvas_put(canvas, area, y, end, ROLE_NOTE, text->data, text->length);
		end--;
	}
	text_clear(text);
	if (field)
		field_format(field, text);
	bool whole = text_columns(text_get(text), text->length, screen->charset) <= end - value_x;
	x = canvas_put_cell(canvas, area, y, value_x, end - value_x, ROLE_NORMAL, text_get(text),
			    text->length);
	const char *meaning = field ? field_meaning(field) : NULL;
	text_clear(text);
	if (meaning)
		text_add(text, meaning);
	else if (folds && !open)
		add_essentials(line, e, text);
	x += x > value_x;
	if (whole && x + 1 < end && text->length)
		canvas_put_cell(canvas, area, y, x, end - x, ROLE_NOTE, text->data, text->length);
}

static void
draw_line(struct screen *screen, struct canvas *canvas, const struct area *area, int y,
	  const struct selection *selection, const struct detail_line *line, bool current)
{
	const struct detail_lines *d = &state_of(screen)->d;
	enum role role = severity_role(selection->message.severity);
	if (line->kind == DETAIL_TEXT)
		canvas_put_cell(canvas, area, y, 1, area->cols - 1, current ? ROLE_CURSOR : role,
				d->text.data + line->at, line->length);
	else if (line->kind == DETAIL_TIME)
		canvas_put_cell(canvas, area, y, 1, area->cols - 1,
				current ? ROLE_CURSOR : ROLE_NORMAL, d->times[line->at].data,
				d->times[line->at].length);
	else
		draw_field(screen, canvas, area, y, selection, line, current);
}

static void
detail_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct detail_state *state = state_of(screen);
	const struct selection *selection = detail_prepare(screen);
	size_t rows = (size_t)area->rows;
	if (!selection) {
		canvas_puts(canvas, area, 0, 0, ROLE_ABSENT, "no message");
		return;
	}
	lines_show(&state->cursor, state->d.lines.count, area->rows);
	for (size_t y = 0; y < rows && state->cursor.top + y < state->d.lines.count; y++) {
		size_t i = state->cursor.top + y;
		bool current = i == state->cursor.line && screen->focus == PANE_DETAIL;
		draw_line(screen, canvas, area, (int)y, selection, &state->d.lines.at[i], current);
	}
}

/* Search for the last message of the same origin. */
static bool
detail_work(struct screen *screen)
{
	const struct selection *selection = selection_get(screen);
	struct detail_time *time = &state_of(screen)->time;
	return selection &&
	       (detail_time_work(screen, selection, time) || detail_time_is_open(selection, time));
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
	if (screen->session->traces.count > 1)
		text_addf(out, " %s", trace_name(selection->trace));
	if (e->origin.length) {
		text_add_char(out, ' ');
		text_add_bytes(out, e->origin.data, e->origin.length);
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
	return detail_prepare(screen) ? state_of(screen)->d.lines.count : 0;
}

static void
detail_moved(struct screen *screen)
{
	struct detail_state *state = state_of(screen);
	detail_lines_moved(&state->d, &state->cursor, &selection_get(screen)->expansion);
}

static void
detail_unfold(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection;
	const struct detail_line *line = detail_line(screen, &selection);
	(void)call;
	if (line && detail_line_folds(line, &selection->expansion))
		detail_line_set_open(&state_of(screen)->d, line, &selection->expansion, true);
}

/* Close an open field. Otherwise move the cursor to its parent. */
static void
detail_fold(struct screen *screen, const struct command_call *call)
{
	struct detail_state *state = state_of(screen);
	const struct selection *selection;
	const struct detail_line *line = detail_line(screen, &selection);
	(void)call;
	if (!line)
		return;
	const struct expansion *e = &selection->expansion;
	if (detail_line_folds(line, e) && detail_line_is_open(&state->d, line, e)) {
		detail_line_set_open(&state->d, line, e, false);
		return;
	}
	for (size_t i = state->cursor.line; i-- > 0;) {
		if (state->d.lines.at[i].depth < line->depth) {
			lines_go_to(&state->cursor, state->d.lines.count, (int64_t)i);
			detail_moved(screen);
			return;
		}
	}
}

/* Return the field whose name a filter must use. For an element of a list that is the list. */
static const struct field *
named_field(const struct expansion *e, const struct field *field)
{
	const struct field *around = field;
	while (around > e->fields.at && around->depth >= field->depth)
		around--;
	return around->depth < field->depth && around->row->type == FIELD_LIST ? around : field;
}

/* Append the expression `FORMAT.NAME = VALUE`, or one without the format. */
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

static bool
is_expression(const struct screen *screen, const char *text)
{
	struct filter_error error;
	struct filter_expr *expr = filter_parse(text, screen->session, &error);
	filter_expr_free(expr);
	return expr;
}

static void
filter_field(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection = selection_get(screen);
	const struct field *field = detail_field(screen);
	struct text text = {0};
	(void)call;
	if (!field) {
		screen_say(screen, NOTICE_FIELD_CHOOSE);
		return;
	}
	if (field->row->type >= FIELD_LIST) {
		screen_say(screen, NOTICE_FIELD_GROUP, name_of(field));
		return;
	}
	add_equation(selection, field, true, &text);
	if (!is_expression(screen, text.data)) {
		text_clear(&text); /* fields of the transport and contexts have no format */
		add_equation(selection, field, false, &text);
	}
	filters_add(screen, text.data, false);
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
    .work = detail_work,
};
