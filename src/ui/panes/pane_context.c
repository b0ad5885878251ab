/*
 * The contexts at the selected message: a row each with its value, its start, its length and
 * its end. Open intervals have rows too, with their keys.
 *
 * Rows are made again when the selection or the known values change. The search for the end of
 * a value runs when no keys arrive, one row at a time. Its result stays while the next messages
 * have the same value. The first request for a context starts a scan of the traces, which
 * supplies the unknown values.
 */
#include "config.h"

#include "base/notice.h"
#include "query/filter/filter.h"
#include "query/gap/gap.h"
#include "query/interval/intervals.h"
#include "session/session.h"
#include "ui/list/context_view.h"
#include "ui/list/display_time.h"
#include "ui/list/filters.h"
#include "ui/list/jump.h"
#include "ui/list/selection.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A message at which a value begins or ends. */
struct context_edge {
	bool made, found, timed;
	bool common; /* comparable with the times of the list */
	bool exact;
	uint64_t number; /* in the list of its trace or session */
	struct location location;
	struct display_time time; /* if timed */
};

enum {
	SPANS_MAX = 64, /* most rows of open intervals */
	KEY_MAX = 64	/* bytes of an interval's key */
};

struct context_line {
	unsigned context; /* number of the context, or of the interval after all contexts */
	bool is_interval;
	uint64_t more;	  /* open intervals without a row; other members are unused */
	bool hexadecimal; /* written so in the message that began the value */
	struct context_value value;
	struct context_end end;
	struct interval_span span;	  /* of the interval */
	char key[KEY_MAX];		  /* its key; not safe */
	struct context_edge since, until; /* until: made after the search for it */
};

struct context_pane {
	struct table table;
	VEC(struct context_line) lines, before; /* before: rows of the last selection */
	struct trace *trace;			/* the message of `lines` */
	struct message_id id;
	uint64_t generation;
	unsigned intervals; /* epoch of the intervals */
	bool made;
	bool at_until; /* the cursor is in the column of ends */
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
	vec_free(&state->before);
	text_free(&state->text);
	table_free(&state->table);
}

/* --- rows -------------------------------------------------------------- */

static bool
is_valued(const struct context_value *value)
{
	return value->state == CONTEXT_KNOWN || value->state == CONTEXT_UNKNOWN;
}

/* Find a message and its time, as its list shows it. */
static void
make_edge(struct screen *screen, struct trace *trace, struct message_id id,
	  struct context_edge *edge)
{
	struct list *list;
	struct row row;
	*edge = (struct context_edge){.made = true,
				      .location = {.trace = trace_number(trace), .id = id}};
	edge->found = jump_find(screen, &edge->location, &list, &row);
	if (!edge->found)
		return;
	edge->timed = display_time_of_row(list, &row, &edge->time);
	edge->common = list == screen->list || edge->time.common;
	edge->number = list_number(list, row_position(&row), &edge->exact);
}

/* True if the message that began the value writes it in hexadecimal. */
static bool
is_hexadecimal(struct screen *screen, const struct context_value *value)
{
	struct reader *reader = sequence_reader(screen->sequence, trace_number(value->trace));
	struct expansion e = {0};
	struct position at;
	char digits[32];
	if (!value->is_number || !reader_find_id(reader, value->since, &at))
		return false;
	const struct message *m = reader_message(reader, at);
	if (!m)
		return false;
	const struct message own = *m;
	reader_expand(reader, &own, EXPAND_BARE, &e);
	int length = snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)value->number);
	const char *found = strstr(text_get(&e.text), digits);
	bool is = found && !isxdigit((unsigned char)found[length]);
	expansion_free(&e);
	return is;
}

/* Return the row with the same value in the last selection, or NULL. */
static const struct context_line *
line_before(const struct context_pane *state, const struct context_line *line)
{
	for (size_t i = 0; i < state->before.count; i++) {
		const struct context_line *old = &state->before.at[i];
		if (old->context == line->context && old->value.trace == line->value.trace &&
		    old->value.state == line->value.state &&
		    !message_id_compare(old->value.since, line->value.since))
			return old;
	}
	return NULL;
}

static void
add_line(struct screen *screen, struct context_line line)
{
	struct context_pane *state = state_of(screen);
	const struct context_line *old = is_valued(&line.value) ? line_before(state, &line) : NULL;
	if (old) {
		line.hexadecimal = old->hexadecimal;
		line.since = old->since;
		line.until = old->until;
		line.end = old->end;
	} else if (is_valued(&line.value)) {
		line.hexadecimal = is_hexadecimal(screen, &line.value);
		make_edge(screen, line.value.trace, line.value.since, &line.since);
	}
	*vec_add(&state->lines) = line;
}

/* Make the key of the interval from its first message. */
static void
make_key(struct screen *screen, struct context_line *line)
{
	struct text key = {0};
	intervals_add_span_key(intervals_of(screen->session), &line->span,
			       sequence_reader(screen->sequence, line->span.begin.trace), &key);
	size_t fits = text_fit(text_get(&key), key.length, screen->charset, KEY_MAX / 4, NULL);
	if (fits < key.length) {
		text_cut(&key, fits);
		text_add_char(&key, '>');
	}
	snprintf(line->key, sizeof line->key, "%s", text_get(&key));
	text_free(&key);
}

static void
add_interval(struct screen *screen, const struct interval_span *span, bool done)
{
	struct context_pane *state = state_of(screen);
	struct context_line line = {
	    .is_interval = true,
	    .context = (unsigned)(contexts_count(screen->session->contexts) + span->interval),
	    .value = {.state = CONTEXT_KNOWN,
		      .doubtful = span->doubtful,
		      .trace = screen->session->traces.at[span->begin.trace],
		      .since = span->begin.id},
	    .end = {.state = done && !span->ended ? CONTEXT_NONE : CONTEXT_LATER},
	    .span = *span};
	const struct context_line *old = line_before(state, &line);
	if (old) {
		memcpy(line.key, old->key, sizeof line.key);
		line.since = old->since;
		line.until = old->until;
	} else {
		make_key(screen, &line);
		make_edge(screen, line.value.trace, line.value.since, &line.since);
	}
	*vec_add(&state->lines) = line;
}

/* Add rows for the intervals open at the selected message. Without a time, it uses the last earlier
 * message with a time. */
static void
add_intervals(struct screen *screen, const struct selection *selection)
{
	struct intervals *intervals = intervals_of(screen->session);
	const struct row *current = list_current(screen->list);
	struct interval_span spans[SPANS_MAX];
	struct message_time time;
	uint64_t all;
	if (!intervals || !intervals_count(intervals) || !current)
		return;
	struct row row = *current;
	if (!gap_time(selection->trace, &selection->message, &time) &&
	    (!display_time_find_before(screen->list, &row) ||
	     !gap_time(screen->list->lanes[row.lane].trace, &row.message, &time)))
		return;
	bool done = intervals_are_done(intervals);
	size_t count = intervals_enclosing(intervals, &time, spans, SPANS_MAX, &all);
	for (size_t i = 0; i < count; i++)
		add_interval(screen, &spans[i], done);
	if (all > count)
		*vec_add(&state_of(screen)->lines) =
		    (struct context_line){.context = UINT_MAX, .more = all - count};
}

static unsigned
intervals_now(struct screen *screen)
{
	const struct intervals *intervals = intervals_of(screen->session);
	return intervals ? intervals_generation(intervals) : 0;
}

/* True if the pane may show the wrong open intervals. */
static bool
context_has_news(struct screen *screen)
{
	const struct context_pane *state = state_of(screen);
	return screen->open[PANE_CONTEXT] && state->made &&
	       state->intervals != intervals_now(screen);
}

static void
make_lines(struct screen *screen, const struct selection *selection)
{
	struct context_pane *state = state_of(screen);
	struct contexts *contexts = screen->session->contexts;
	state->intervals = intervals_now(screen);
	uint64_t now =
	    generation_join(selection->generation, screen->display_generation, state->intervals);
	if (state->made && state->trace == selection->trace && state->generation == now &&
	    !message_id_compare(state->id, selection->id))
		return;
	vec_clear(&state->before);
	for (size_t i = 0; i < state->lines.count && state->generation == now; i++)
		*vec_add(&state->before) = state->lines.at[i];
	state->made = true;
	state->trace = selection->trace;
	state->generation = now;
	state->id = selection->id;
	vec_clear(&state->lines);
	struct context_cursor *cursor = context_view_cursor(screen);
	const struct message *m = &selection->message;
	for (unsigned i = 0; i < contexts_count(contexts); i++) {
		struct context_line line = {.context = i};
		if (context_value(contexts, cursor, m, i, &line.value) ||
		    context_elsewhere(contexts, cursor, m, i, &line.value))
			add_line(screen, line);
	}
	add_intervals(screen, selection);
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

static void
find_end(struct screen *screen, const struct selection *selection, struct context_line *line)
{
	const struct interval_message *end = &line->span.end;
	if (!line->is_interval)
		context_view_end(screen, &selection->message, line->context, &line->value,
				 &line->end);
	if (line->is_interval && line->span.ended)
		make_edge(screen, screen->session->traces.at[end->trace], end->id, &line->until);
	else if (line->end.state == CONTEXT_KNOWN)
		make_edge(screen, line->value.trace, line->end.id, &line->until);
	line->until.made = true;
}

/* Find the end of the first value whose end is not yet searched. */
static bool
context_work(struct screen *screen)
{
	const struct selection *selection = context_prepare(screen);
	struct context_pane *state = state_of(screen);
	for (size_t i = 0; selection && i < state->lines.count; i++) {
		struct context_line *line = &state->lines.at[i];
		if (is_valued(&line->value) && !line->until.made) {
			find_end(screen, selection, line);
			return true;
		}
	}
	return false;
}

/* --- cells ------------------------------------------------------------- */

enum {
	CONTEXT_NAME,
	CONTEXT_OF,
	CONTEXT_VALUE,
	CONTEXT_RAW,
	CONTEXT_SINCE,
	CONTEXT_NUMBER, /* of the message in CONTEXT_SINCE */
	CONTEXT_FOR,
	CONTEXT_UNTIL,
	CONTEXT_COLUMNS
};

static const char *const titles[CONTEXT_COLUMNS] = {"context", "of", "value", "",
						    "since",   "",   "for",   "until"};

/* Columns to hide in a narrow pane, in this order. `for` can replace `since`, and a name its raw
 * number. */
static const uint8_t spare[] = {CONTEXT_NUMBER, CONTEXT_SINCE, CONTEXT_UNTIL,
				CONTEXT_RAW,	CONTEXT_FOR,   CONTEXT_OF};

static bool
time_here(struct screen *screen, struct display_time *here)
{
	const struct row *row = list_current(screen->list);
	return row && display_time_of_row(screen->list, row, here);
}

/* Append the value without its name. */
static void
add_raw(struct screen *screen, const struct context_line *line, struct text *out)
{
	if (line->is_interval)
		text_add(out, line->key);
	else if (line->hexadecimal)
		text_addf(out, "0x%llx", (unsigned long long)line->value.number);
	else
		context_text(screen->session->contexts, context_view_cursor(screen), line->context,
			     &line->value, out);
}

static void
add_value(struct screen *screen, const struct context_line *line, struct text *out)
{
	const struct context_value *value = &line->value;
	if (value->state == CONTEXT_UNKNOWN || value->doubtful)
		text_add(out, value->state == CONTEXT_UNKNOWN ? "?" : "? ");
	if (line->is_interval)
		text_add(out, "open");
	else if (value->name)
		text_add(out, value->name);
	else if (value->state == CONTEXT_KNOWN)
		add_raw(screen, line, out);
	if (value->recovered)
		text_add(out, " recovered");
}

static void
add_number(const struct context_edge *edge, struct text *out)
{
	text_addf(out, "#%s%llu", edge->exact ? "" : "~", (unsigned long long)edge->number);
}

static void
add_since(struct screen *screen, const struct context_line *line, struct text *out)
{
	const struct context_edge *edge = &line->since;
	struct display_time here;
	bool near = edge->common && time_here(screen, &here);
	text_add(out, line->value.earlier ? "before " : "");
	if (edge->timed)
		display_time_format_beside(&edge->time, near ? &here : NULL, out);
	else if (edge->found)
		add_number(edge, out);
}

static void
add_for(struct screen *screen, const struct context_line *line, struct text *out)
{
	struct text length = {0};
	struct display_time here;
	if (line->since.timed && line->since.common && time_here(screen, &here))
		display_time_format_gap(&line->since.time, &here, &length);
	text_add(out, text_get(&length) + (text_get(&length)[0] == '+'));
	text_free(&length);
}

/* Append the time from the message to the end of the value. Append a dash if it does not end. */
static void
add_until(struct screen *screen, const struct context_line *line, struct text *out)
{
	const struct context_edge *edge = &line->until;
	struct display_time here;
	if (edge->timed && edge->common && time_here(screen, &here))
		display_time_format_gap(&here, &edge->time, out);
	else if (edge->found)
		add_number(edge, out);
	else if (edge->made && line->end.state == CONTEXT_NONE)
		text_add_char(out, '-');
}

/* Append a cell of a row; not safe yet. */
static void
add_cell(struct screen *screen, const struct context_line *line, int column, struct text *out)
{
	bool valued = is_valued(&line->value);
	if (line->more) {
		if (column == CONTEXT_NAME)
			text_addf(out, "+%llu more", (unsigned long long)line->more);
		else if (column == CONTEXT_VALUE)
			text_add(out, "open");
		return;
	}
	if (column == CONTEXT_NAME)
		text_add(out,
			 line->is_interval
			     ? intervals_name(intervals_of(screen->session), line->span.interval)
			     : contexts_name(screen->session->contexts, line->context));
	else if (column == CONTEXT_VALUE && !valued)
		text_add(out,
			 line->value.state == CONTEXT_LATER ? "not known yet" : "no value yet");
	else if (column == CONTEXT_VALUE)
		add_value(screen, line, out);
	if (!valued)
		return;
	if (column == CONTEXT_OF)
		text_add(out, trace_name(line->value.trace));
	else if (column == CONTEXT_RAW && line->value.state == CONTEXT_KNOWN &&
		 (line->is_interval || line->value.name))
		add_raw(screen, line, out);
	else if (column == CONTEXT_SINCE)
		add_since(screen, line, out);
	else if (column == CONTEXT_NUMBER && line->since.timed)
		add_number(&line->since, out);
	else if (column == CONTEXT_FOR)
		add_for(screen, line, out);
	else if (column == CONTEXT_UNTIL)
		add_until(screen, line, out);
}

static void
make_cell(struct screen *screen, const struct context_line *line, int column, struct text *out)
{
	text_clear(out);
	add_cell(screen, line, column, out);
}

/* --- drawing ----------------------------------------------------------- */

static enum role
cell_role(const struct context_pane *state, const struct table_row *row,
	  const struct context_line *line, int column)
{
	const struct context_value *value = &line->value;
	int edge = state->at_until ? CONTEXT_UNTIL : CONTEXT_SINCE;
	if (row->current && (column == CONTEXT_NAME || column == edge))
		return ROLE_CURSOR;
	if (column == CONTEXT_NAME)
		return ROLE_FIELD;
	if (!is_valued(value))
		return ROLE_ABSENT;
	if (column == CONTEXT_VALUE && (value->doubtful || value->state == CONTEXT_UNKNOWN))
		return ROLE_LOSS;
	return column >= CONTEXT_RAW && column <= CONTEXT_NUMBER ? ROLE_NOTE : ROLE_NORMAL;
}

static void
fill_context(struct screen *screen, struct table_row *row, size_t i)
{
	struct context_pane *state = state_of(screen);
	const struct context_line *line = &state->lines.at[i];
	for (int column = 0; column < CONTEXT_COLUMNS; column++) {
		make_cell(screen, line, column, &state->text);
		if (state->text.length)
			table_put(row, (size_t)column, cell_role(state, row, line, column),
				  state->text.data, state->text.length);
	}
}

/* Return the width of the cells in a column. */
static int
column_width(struct screen *screen, int column)
{
	struct context_pane *state = state_of(screen);
	int width = 0;
	for (size_t i = 0; i < state->lines.count; i++) {
		make_cell(screen, &state->lines.at[i], column, &state->text);
		int own = text_columns(text_get(&state->text), state->text.length, screen->charset);
		width = own > width ? own : width;
	}
	return width;
}

/* Choose the columns that fit. */
static void
make_columns(struct screen *screen, int room, struct table_column *columns)
{
	int used = 0;
	for (int c = 0; c < CONTEXT_COLUMNS; c++) {
		int width = column_width(screen, c), title = (int)strlen(titles[c]);
		bool hidden = c == CONTEXT_OF ? screen->session->traces.count < 2 : !width;
		hidden &= c != CONTEXT_UNTIL; /* its cells arrive later */
		width = width > title ? width : title;
		columns[c] = (struct table_column){.title = titles[c],
						   .width = hidden ? TABLE_HIDDEN : width,
						   .gap = 2,
						   .right = c >= CONTEXT_FOR};
		used += hidden ? 0 : width + columns[c].gap;
	}
	used -= columns[CONTEXT_UNTIL].gap; /* no gap after the last column */
	for (size_t i = 0; i < sizeof spare && used > room; i++) {
		struct table_column *column = &columns[spare[i]];
		if (column->width == TABLE_HIDDEN)
			continue;
		used -= column->width + column->gap;
		column->width = TABLE_HIDDEN;
	}
	if (used > room && columns[CONTEXT_VALUE].width > used - room)
		columns[CONTEXT_VALUE].width -= used - room;
}

static void
context_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct context_pane *state = state_of(screen);
	const struct selection *selection = context_prepare(screen);
	struct table_column columns[CONTEXT_COLUMNS];
	const struct table_spec spec = {.pane = PANE_CONTEXT,
					.columns = columns,
					.column_count = CONTEXT_COLUMNS,
					.left = 1,
					.head = true,
					.count = state->lines.count,
					.fill = fill_context};
	make_columns(screen, area->cols - 1, columns);
	if (selection && state->lines.count)
		table_draw(&state->table, screen, &spec, canvas, area);
	else
		canvas_puts(canvas, area, 0, 1, ROLE_ABSENT,
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

/* Return the row under the cursor, or NULL if it has no value. */
static struct context_line *
selected_line(struct screen *screen)
{
	struct context_pane *state = state_of(screen);
	if (!context_prepare(screen) || state->table.cursor.line >= state->lines.count)
		return NULL;
	struct context_line *line = &state->lines.at[state->table.cursor.line];
	return is_valued(&line->value) ? line : NULL;
}

static void
choose_edge(struct screen *screen, const struct command_call *call)
{
	state_of(screen)->at_until = call->id == COMMAND_RIGHT;
}

static void
context_go(struct screen *screen, const struct command_call *call)
{
	struct context_line *line = selected_line(screen);
	bool until = state_of(screen)->at_until;
	(void)call;
	if (!line)
		return;
	if (until && !line->until.made) /* the key came before context_work() */
		find_end(screen, selection_get(screen), line);
	const struct context_edge *edge = until ? &line->until : &line->since;
	if (edge->found)
		jump_to_location(screen, &edge->location);
	else if (line->end.state != CONTEXT_NONE)
		screen_say(screen, NOTICE_CONTEXT_END_LATER);
	else
		screen_say(screen, line->is_interval ? NOTICE_INTERVAL_OPEN : NOTICE_CONTEXT_LASTS);
}

static void
context_filter(struct screen *screen, const struct command_call *call)
{
	const struct context_line *line = selected_line(screen);
	struct text text = {0};
	(void)call;
	if (!line || line->value.state != CONTEXT_KNOWN)
		return;
	if (line->is_interval) {
		screen_say(screen, NOTICE_CONTEXT_NOT_INTERVAL,
			   intervals_name(intervals_of(screen->session), line->span.interval));
		return;
	}
	context_view_add_equation(screen, line->context, &line->value, line->hexadecimal, &text);
	filters_add(screen, text.data, false);
	text_free(&text);
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
    [COMMAND_CONTEXT_FILTER] = context_filter,
    [COMMAND_LEFT] = choose_edge,
    [COMMAND_RIGHT] = choose_edge,
};

const struct pane_ops pane_context = {
    .name = "context",
    .scope = SCOPE_CONTEXT,
    .state_size = sizeof(struct context_pane),
    .close = context_close,
    .title = context_title,
    .keys = {{COMMAND_CONTEXT_GO, .word = "go to change"},
	     {COMMAND_CONTEXT_FILTER, .word = "filter", .spare = true},
	     {COMMAND_CONTEXT, .word = "close"}},
    .draw = context_draw,
    .commands = context_commands,
    .lines = count_lines,
    .work = context_work,
    .news = context_has_news,
};
