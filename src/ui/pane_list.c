/*
 * The list of messages: columns of a view over the rows of list.h.
 *
 * Each kind of column has a function that writes its text; only rows on the
 * screen are expanded, and only as far as the columns need.  Columns without
 * a width are as wide as the widest text seen, so they do not jump while one
 * scrolls.  The current row is marked by `>` and by the look of its time
 * alone: that is cheap to move over a slow line, and visible without colour.
 */
#include "config.h"

#include "ui/app.h"
#include "trace/clock_text.h"
#include "ui/moment.h"
#include "ui/pane_context.h"
#include "ui/scrollbar.h"
#include "ui/signs.h"

#include <string.h>

enum {
	GUTTER = 2, /* the marker, and a mark or `~` */
	SIDE_STEP = 8,
	COLUMNS_MAX = 64,
	HEADER_ROWS_MIN = 6, /* a list must have for a row of names */
	BAR_COLUMNS_MIN = 40 /* and for a scroll bar */
};

struct list_state {
	int sideways;		 /* columns of the last one scrolled away */
	int widths[COLUMNS_MAX]; /* of columns without a width of their own */
	const struct list *of;	 /* the widths are for this list */
	enum time_mode mode;	 /* this way to show times */
	size_t count;		 /* and so many columns */
	bool dated;		 /* the header has the date, which the rows leave out */
	struct text date;	 /* that of the cursor, or of the nearest row that has one */
	struct expansion expansion;
	struct text raw, safe;
	struct scrollbar bar;
};

/* What a column's text is made from. */
struct list_row {
	struct app *app;
	const struct column *column;
	const struct row *row, *previous; /* shown before; may be NULL */
	struct message message;
	const struct expansion *expansion; /* NULL: it was not expanded */
	struct text *scratch;
};

static struct list_state *
state_of(struct app *app)
{
	return app->state[PANE_LIST];
}

static void
list_state_close(void *context)
{
	struct list_state *state = context;
	expansion_free(&state->expansion);
	text_free(&state->date);
	text_free(&state->raw);
	text_free(&state->safe);
	scrollbar_free(&state->bar);
}

/* The trace that a row is of. */
static const struct list_lane *
lane_of(const struct list_row *row)
{
	return &row->app->list->lanes[row->row->lane];
}

/* --- the texts of columns ---------------------------------------------- */

static void
add_safe(const struct list_row *row, const struct text *text, struct text *out)
{
	text_add_safe(out, text_get(text), text->length, row->app->charset);
}

static void
number_text(struct list_row *row, struct text *out)
{
	bool exact;
	uint64_t number = list_number(row->app->list, row->row, &exact);
	text_addf(out, "%s%llu", exact ? "" : "~", (unsigned long long)number);
}

static bool
row_moment(struct list_row *row, struct moment *moment)
{
	return moment_of(row->app->list, lane_of(row), &row->message, row->expansion, moment);
}

static void
delta_text(struct list_row *row, struct text *out)
{
	struct moment before, now;
	/* both by the transport: of the other there is no expansion */
	if (moment_of_row(row->app->list, row->previous, &before) &&
	    moment_of_row(row->app->list, row->row, &now)) {
		if (row->column->raw)
			before.clock.hz = now.clock.hz = 0;
		moment_format_difference(&before, &now, false, out);
	}
}

static void
since_start_text(struct list_row *row, const struct moment *now, struct text *out)
{
	struct moment first;
	if (moment_first(row->app->list, &first))
		moment_format_difference(&first, now, true, out);
}

/* The trace's own clock, whatever relates it to others. */
static void
own_time_text(struct list_row *row, struct text *out)
{
	struct trace_clock clock = trace_clock(lane_of(row)->trace);
	if (row->message.flags & MESSAGE_TIMED)
		clock_format(&clock, row->message.ticks, out);
}

static void
ticks_text(struct list_row *row, struct text *out)
{
	if (row->message.flags & MESSAGE_TIMED)
		text_add_uint(out, row->message.ticks);
}

static void
time_text(struct list_row *row, struct text *out)
{
	struct app *app = row->app;
	struct moment now;
	if (app->time_mode == TIME_DELTA) {
		delta_text(row, out);
		return;
	}
	if (app->time_mode == TIME_OWN) {
		own_time_text(row, out);
		return;
	}
	if (!row_moment(row, &now))
		return;
	if (app->time_mode == TIME_TICKS || row->column->raw)
		ticks_text(row, out);
	else if (app->time_mode == TIME_START)
		since_start_text(row, &now, out);
	else if (app->time_mode == TIME_MARK && app->jumps.has_base)
		moment_format_difference(&app->jumps.base, &now, false, out);
	else if (state_of(app)->dated)
		moment_format_parts(&now, NULL, out);
	else
		moment_format(&now, out);
}

static void
trace_text(struct list_row *row, struct text *out)
{
	app_add_safe(row->app, trace_name(lane_of(row)->trace), out);
}

static void
origin_text(struct list_row *row, struct text *out)
{
	if (row->column->raw)
		text_addf(out, "0x%llx", (unsigned long long)row->message.origin);
	else
		add_safe(row, &row->expansion->origin, out);
}

static void
severity_text(struct list_row *row, struct text *out)
{
	if (row->column->raw)
		text_addf(out, "%u", row->message.severity);
	else if (row->column->width > 1)
		text_add(out, severity_name((enum severity)row->message.severity));
	else
		text_add_char(out, severity_letter(row->message.severity));
}

static void
type_text(struct list_row *row, struct text *out)
{
	add_safe(row, &row->expansion->type, out);
}

static void
message_text(struct list_row *row, struct text *out)
{
	add_safe(row, &row->expansion->text, out);
}

static void
offset_text(struct list_row *row, struct text *out)
{
	text_addf(out, "0x%08llx", (unsigned long long)row->message.offset);
}

static void
length_text(struct list_row *row, struct text *out)
{
	text_addf(out, "%u", row->message.length);
}

static void
field_text(struct list_row *row, struct text *out)
{
	if (contexts_column(row->app, &row->message, row->column->name, out))
		return;
	for (size_t i = 0; i < row->expansion->fields.count; i++) {
		const struct field *field = &row->expansion->fields.at[i];
		if (strcmp(field->row->name, row->column->name) != 0)
			continue;
		const char *meaning = row->column->raw ? NULL : field_meaning(field);
		text_clear(row->scratch);
		if (meaning)
			text_add(row->scratch, meaning);
		else
			field_format(field, row->scratch);
		add_safe(row, row->scratch, out);
		return;
	}
}

static const struct {
	const char *title;
	void (*text)(struct list_row *, struct text *);
	int width; /* where the view gives none; 0 = as the texts need */
	enum expand_want want;
	bool expands;
} kinds[] = {
    [COLUMN_NUMBER] = {"message", number_text, 0, EXPAND_TEXT, false},
    [COLUMN_TIME] = {"time", time_text, 0, EXPAND_TEXT, false},
    [COLUMN_DELTA] = {"delta", delta_text, 0, EXPAND_TEXT, false},
    [COLUMN_TRACE] = {"trace", trace_text, 0, EXPAND_TEXT, false},
    [COLUMN_ORIGIN] = {"origin", origin_text, 16, EXPAND_TEXT, true},
    [COLUMN_SEVERITY] = {"S", severity_text, 1, EXPAND_TEXT, false},
    [COLUMN_TYPE] = {"type", type_text, 12, EXPAND_TEXT, true},
    [COLUMN_TEXT] = {"text", message_text, 40, EXPAND_TEXT, true},
    [COLUMN_OFFSET] = {"offset", offset_text, 0, EXPAND_TEXT, false},
    [COLUMN_LENGTH] = {"length", length_text, 0, EXPAND_TEXT, false},
    [COLUMN_FIELD] = {NULL, field_text, 12, EXPAND_FIELDS, true},
};

static const char *
title_of(const struct column *column)
{
	const char *title = column->title ? column->title : kinds[column_kind(column->name)].title;
	return title ? title : column->name;
}

/* The time of day takes a column of its own width only if the date is said once. */
static const char *
heading(const struct list_state *state, const struct column *column)
{
	bool date = state->dated && state->date.length && !column->title && !column->raw &&
		    column_kind(column->name) == COLUMN_TIME;
	return date ? state->date.data : title_of(column);
}

/* --- columns ----------------------------------------------------------- */

/* The columns that a list of this width shows. */
struct columns {
	const struct column *at[COLUMNS_MAX];
	int width[COLUMNS_MAX];
	size_t count;
	bool expands;
	enum expand_want want;
};

static struct columns
columns_make(struct app *app, int width)
{
	static char fallback_name[] = "text", whose_name[] = "trace";
	static const struct column fallback = {.name = fallback_name};
	static const struct column trace_column = {.name = whose_name};
	const struct option_list *list = &app->options->looks.view.columns;
	const struct column *all = list->at;
	struct columns columns = {.want = EXPAND_TEXT};
	bool whose = app->list->merge; /* where it is not told, tell it behind the time */
	for (size_t i = 0; i < list->count; i++)
		whose &= column_kind(all[i].name) != COLUMN_TRACE || all[i].wide > (uint64_t)width;
	for (size_t i = 0; i < list->count && columns.count + 1 < COLUMNS_MAX; i++) {
		if (all[i].wide > (uint64_t)width)
			continue;
		columns.at[columns.count++] = &all[i];
		if (whose && column_kind(all[i].name) == COLUMN_TIME)
			columns.at[columns.count++] = &trace_column;
	}
	if (!columns.count)
		columns.at[columns.count++] = &fallback;
	for (size_t i = 0; i < columns.count; i++) {
		enum column_kind kind = column_kind(columns.at[i]->name);
		int own = (int)columns.at[i]->width;
		columns.width[i] = own ? own : kinds[kind].width;
		columns.expands |= kinds[kind].expands;
		if (kinds[kind].want == EXPAND_FIELDS)
			columns.want = EXPAND_FIELDS;
	}
	return columns;
}

/* Fills ROW for the row I below the top; false if there is none. */
static bool
row_make(struct app *app, size_t i, struct list_row *row)
{
	struct list *list = app->list;
	struct list_state *state = state_of(app);
	const struct row *at = list_row(list, i);
	if (!at || !at->there)
		return false;
	*row = (struct list_row){.app = app,
				 .row = at,
				 .previous = list->top + i ? at - 1 : NULL,
				 .message = at->message,
				 .scratch = &state->raw};
	return true;
}

static bool
add_date(struct app *app, size_t i)
{
	struct text *date = &state_of(app)->date;
	struct list_row row;
	struct moment moment;
	if (row_make(app, i, &row) && row_moment(&row, &moment) && moment.clock.has_epoch) {
		text_clear(date);
		moment_format_parts(&moment, date, NULL);
		return date->length;
	}
	return false;
}

/* Finds the date for the header: of the cursor, or upwards, or else downwards. */
static void
note_date(struct app *app)
{
	const struct list *list = app->list;
	size_t cursor = list->cursor - list->top, i = cursor + 1;
	text_clear(&state_of(app)->date);
	if (app->time_mode != TIME_ABSOLUTE)
		return;
	while (i-- > 0)
		if (add_date(app, i))
			return;
	for (i = cursor + 1; i < list->height && !add_date(app, i); i++)
		continue;
}

static void
row_expand(struct list_row *row, const struct columns *columns)
{
	struct list_state *state = state_of(row->app);
	if (!columns->expands)
		return;
	reader_expand(lane_of(row)->reader, &row->message, columns->want, &state->expansion);
	row->expansion = &state->expansion;
}

static const struct text *
column_text(struct list_row *row, const struct column *column)
{
	struct list_state *state = state_of(row->app);
	row->column = column;
	text_clear(&state->safe);
	kinds[column_kind(column->name)].text(row, &state->safe);
	return &state->safe;
}

/* Measures the columns without a width over the rows on the screen. */
static void
measure(struct app *app, struct columns *columns, bool dated)
{
	struct list_state *state = state_of(app);
	struct list_row row;
	if (state->of != app->list || state->mode != app->time_mode || state->dated != dated ||
	    state->count != columns->count)
		memset(state->widths, 0, sizeof state->widths);
	state->of = app->list;
	state->mode = app->time_mode;
	state->dated = dated;
	state->count = columns->count;
	for (size_t c = 0; c + 1 < columns->count; c++) {
		if (columns->width[c])
			continue;
		int *width = &state->widths[c], title = (int)strlen(heading(state, columns->at[c]));
		*width = *width > title ? *width : title;
		for (size_t i = 0; i < app->list->height && row_make(app, i, &row); i++) {
			const struct text *text = column_text(&row, columns->at[c]);
			int used = text_columns(text_get(text), text->length);
			*width = *width > used ? *width : used;
		}
		columns->width[c] = *width;
	}
}

/* --- drawing ----------------------------------------------------------- */

static const uint16_t loss_flags = MESSAGE_DAMAGED | MESSAGE_LOST | MESSAGE_TRUNCATED;

/* Draws text cut or padded to WIDTH columns. */
static void
draw_aligned(struct canvas *canvas, const struct area *area, int y, int x, int width, int align,
	     enum role role, const struct text *text)
{
	int used = text_columns(text_get(text), text->length);
	int indent = align == ALIGN_RIGHT && used < width ? width - used : 0;
	canvas_put_cell(canvas, area, y, x + indent, width - indent, role, text_get(text),
			text->length);
}

static void
highlight_one(struct canvas *canvas, const struct area *area, int y, int x, struct regex *regex,
	      enum role role, const char *text, size_t length)
{
	size_t start, end, from = 0;
	while (regex && from < length && regex_find(regex, text, length, from, &start, &end)) {
		canvas_role(canvas, area, y, x + text_columns(text, start),
			    text_columns(text + start, end - start), role);
		from = end > start ? end : end + 1;
	}
}

/* Earlier searches first, so that the last one is on top. */
static void
highlight(struct app *app, struct canvas *canvas, const struct area *area, int y, int x,
	  const char *text, size_t length)
{
	static const enum role roles[SEARCH_EARLIER] = {ROLE_ACCENT1, ROLE_ACCENT2, ROLE_ACCENT3};
	struct search *search = &app->search;
	if (!search->highlight)
		return;
	for (int i = SEARCH_EARLIER - 1; i >= 0; i--)
		highlight_one(canvas, area, y, x, search->earlier[i], roles[i], text, length);
	if (!search->bytes)
		highlight_one(canvas, area, y, x, search->regex, ROLE_MATCH, text, length);
}

/* The last column: it takes the rest and scrolls sideways. */
static void
draw_rest(struct app *app, struct canvas *canvas, const struct area *area, int y, int x,
	  enum role role, const struct text *text)
{
	int hidden;
	size_t skip = text_fit(text_get(text), text->length, state_of(app)->sideways, &hidden);
	if (hidden < state_of(app)->sideways)
		skip = text->length; /* all of it is to the left */
	const char *from = text_get(text) + skip;
	int room = area->cols > x ? area->cols - x : 0;
	canvas_put_cell(canvas, area, y, x, room, role, from, text->length - skip);
	highlight(app, canvas, area, y, x, from, text_fit(from, text->length - skip, room, NULL));
}

/* Whether the row and the one before could stand the other way round. */
static bool
is_uncertain(struct app *app, const struct list_row *row)
{
	const struct row *before = row->previous;
	return app->list->merge && before &&
	       merge_is_uncertain(app->list->merge,
				  (struct merge_position){before->lane, before->at},
				  (struct merge_position){row->row->lane, row->row->at});
}

static void
draw_gutter(struct app *app, struct canvas *canvas, const struct area *area, int y,
	    const struct list_row *row, bool current)
{
	char mark = jumps_mark(&app->jumps, lane_of(row)->number, row->row->place);
	if (range_has(app, lane_of(row)->number, row->row->place))
		canvas_puts(canvas, area, y, 0, ROLE_MARK, signs[SIGN_RANGE].text);
	if (current) /* one run with a time that follows: less to send */
		canvas_putf(canvas, area, y, 0, ROLE_CURSOR, "%s ", signs[SIGN_CURSOR].text);
	if (mark)
		canvas_putf(canvas, area, y, 1, ROLE_MARK, "%c", mark);
	else if (row->message.flags & loss_flags)
		canvas_puts(canvas, area, y, 1, ROLE_LOSS, signs[SIGN_LOSS].text);
	else if (is_uncertain(app, row))
		canvas_puts(canvas, area, y, 1, ROLE_ABSENT, signs[SIGN_UNCERTAIN].text);
}

static void
draw_row(struct app *app, struct canvas *canvas, const struct area *area, int y,
	 const struct columns *columns, struct list_row *row, bool current)
{
	enum role usual = row->message.flags & loss_flags ? ROLE_LOSS : ROLE_NORMAL;
	int x = GUTTER;
	usual = rules_role(&app->rules, lane_of(row)->reader, &row->message, usual);
	if (row->row->near)
		usual = ROLE_ABSENT;
	row_expand(row, columns);
	draw_gutter(app, canvas, area, y, row, current);
	for (size_t c = 0; c < columns->count && x < area->cols; c++) {
		enum column_kind kind = column_kind(columns->at[c]->name);
		const struct text *text = column_text(row, columns->at[c]);
		enum role role = usual;
		if (kind == COLUMN_SEVERITY && !row->row->near)
			role = severity_role(row->message.severity);
		else if (kind == COLUMN_TIME && current)
			role = ROLE_CURSOR;
		else if (kind == COLUMN_TRACE && usual == ROLE_NORMAL)
			role = trace_role(app->session, lane_of(row)->number);
		if (c + 1 == columns->count)
			draw_rest(app, canvas, area, y, x, role, text);
		else
			draw_aligned(canvas, area, y, x, columns->width[c], columns->at[c]->align,
				     role, text);
		x += columns->width[c] + 1;
	}
}

static void
draw_header(struct app *app, struct canvas *canvas, const struct area *area,
	    const struct columns *columns)
{
	int x = GUTTER;
	for (size_t c = 0; c < columns->count && x < area->cols; c++) {
		struct text *title = &state_of(app)->safe;
		text_clear(title);
		app_add_safe(app, heading(state_of(app), columns->at[c]), title);
		draw_aligned(canvas, area, 0, x, columns->width[c], columns->at[c]->align,
			     ROLE_HEADER, title);
		x += columns->width[c] + 1;
	}
}

/* What stands where rows are missing. */
static void
draw_absent(struct app *app, struct canvas *canvas, const struct area *area, size_t rows)
{
	const struct list *list = app->list;
	const char *text = NULL;
	struct text hint = {0}, safe = {0};
	if (!list->edges[LIST_AFTER].end || (!rows && !list->edges[LIST_BEFORE].end))
		text = list->stopped ? "... stopped; move to go on" : "...";
	else if (!rows && filter_is_all(&app->filter))
		text = "no messages";
	else if (!rows) {
		text_add(&hint, "no message passes the filters; ");
		keymap_hint(&app->keymap, COMMAND_FILTERS, &hint);
		text_add(&hint, " turns them off");
		text_add_safe(&safe, hint.data, hint.length, app->charset);
		text = safe.data;
	}
	if (text && rows < list->height)
		canvas_puts(canvas, area, (int)rows, GUTTER, ROLE_ABSENT, text);
	text_free(&hint);
	text_free(&safe);
}

static bool
shows(const struct columns *columns, enum column_kind kind)
{
	for (size_t c = 0; c < columns->count; c++)
		if (column_kind(columns->at[c]->name) == kind)
			return true;
	return false;
}

static void
list_draw(struct app *app, struct canvas *canvas, const struct area *area)
{
	struct list *list = app->list;
	const struct view *view = &app->options->looks.view;
	struct area body = *area, bar;
	struct list_row row;
	range_find(app);
	bool header = view->header && area->rows >= HEADER_ROWS_MIN;
	bool has_bar = view->bar && area->cols >= BAR_COLUMNS_MIN;
	body.cols -= has_bar;
	struct columns columns = columns_make(app, body.cols);
	if (header) {
		body.row++;
		body.rows--;
	}
	list->before = list->merge || shows(&columns, COLUMN_DELTA) ||
		       (app->time_mode == TIME_DELTA && shows(&columns, COLUMN_TIME));
	list_resize(list, (size_t)body.rows);
	if (header)
		note_date(app);
	measure(app, &columns, header);
	if (header)
		draw_header(app, canvas, area, &columns);
	size_t i = 0;
	for (; i < list->height && row_make(app, i, &row); i++)
		draw_row(app, canvas, &body, (int)i, &columns, &row, list->top + i == list->cursor);
	draw_absent(app, canvas, &body, i);
	bar = (struct area){body.row, body.col + body.cols, body.rows, 1};
	if (has_bar)
		scrollbar_draw(app, &state_of(app)->bar, canvas, &bar);
}

/* --- commands ---------------------------------------------------------- */

static void
sideways(struct app *app, const struct command_call *call)
{
	int *at = &state_of(app)->sideways;
	int64_t step = app_count(call) * SIDE_STEP;
	int64_t to = *at + (call->id == COMMAND_RIGHT ? step : -step);
	*at = to < 0 ? 0 : to > 100000 ? 100000 : (int)to;
}

static void
copy(struct app *app, const struct command_call *call)
{
	struct columns columns = columns_make(app, app->canvas.cols);
	struct list_row row;
	struct text line = {0};
	(void)call;
	if (range_copy(app) || !row_make(app, app->list->cursor - app->list->top, &row))
		return;
	row_expand(&row, &columns);
	for (size_t c = 0; c < columns.count; c++) {
		const struct text *text = column_text(&row, columns.at[c]);
		if (line.length && text->length)
			text_add_char(&line, ' ');
		text_add_bytes(&line, text_get(text), text->length);
	}
	term_copy(app->term, text_get(&line), line.length);
	app_say(app, "copied");
	text_free(&line);
}

static pane_command *const list_commands[COMMAND_COUNT] = {
    [COMMAND_LEFT] = sideways, [COMMAND_RIGHT] = sideways, [COMMAND_TOP] = jump_top,
    [COMMAND_END] = jump_end,  [COMMAND_COPY] = copy,
};

const struct pane_ops pane_list = {
    .name = "list",
    .scope = SCOPE_LIST,
    .state_size = sizeof(struct list_state),
    .close = list_state_close,
    .draw = list_draw,
    .commands = list_commands,
};
