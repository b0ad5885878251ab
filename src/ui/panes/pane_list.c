/*
 * The list of messages: columns of a view over the rows of list.h.
 *
 * Each kind of column has a function that writes its text. Only rows on the screen are
 * expanded, and only as far as the columns need. Formatted rows are kept for some screens,
 * until their inputs may have changed (struct list_basis). A row that comes back is only
 * copied.
 *
 * Columns without a fixed width are as wide as the widest text seen. They thus do not jump
 * during scrolling. Empty ones are hidden. Others are hidden when the text would have too
 * little room. `>` and reversed text mark the current row. Over a slow line the cursor may cover
 * only the columns before the origin, which is cheaper to move.
 */
#include "config.h"

#include "base/notice.h"
#include "command/keymap.h"
#include "query/flow/flow_cursor.h"
#include "query/gap/gap.h"
#include "query/next_match.h"
#include "query/gap/step_back.h"
#include "query/value.h"
#include "session/clock/clock_text.h"
#include "session/clock/cycles.h"
#include "session/intervals.h"
#include "session/session.h"
#include "ui/list/context_view.h"
#include "ui/list/display_time.h"
#include "ui/list/flow_rows.h"
#include "ui/list/flow_view.h"
#include "ui/list/range.h"
#include "ui/list/rules.h"
#include "ui/list/run_fold.h"
#include "ui/list/search.h"
#include "ui/list/traces.h"
#include "ui/list/view.h"
#include "ui/panes/pane_differences.h"
#include "ui/panes/pane.h"
#include "ui/panes/scrollbar.h"
#include "ui/screen/screen.h"
#include "ui/screen/signs.h"
#include "ui/screen/term.h"

#include <stdlib.h>
#include <string.h>

enum {
	GUTTER = 2, /* the cursor's `>`, and a mark or `~` */
	SIDE_STEP = 8,
	SIDE_MAX = 100000,
	COLUMNS_MAX = 64,
	HEADER_ROWS_MIN = 6,  /* least rows for a header */
	ROWS_ABOVE = 64,      /* rows searched upwards for a time */
	CELLS_ABOVE = 8,      /* cells searched for each of these rows */
	CELLS_BACK = 8,	      /* cells searched for the last message of an origin */
	BAR_COLUMNS_MIN = 40, /* least width for a scroll bar */
	SCREENS_KEPT = 4,     /* cached screens of formatted rows */
	TAB_COLUMNS = 8,
	ORIGIN_MOST = 16, /* most columns of an origin with its trace */
	NAME_LEAST = 5,	  /* least columns of the trace if it is cut */
	TEXT_MIN = 20,	  /* columns of the text before others are hidden */
	FINE_MIN = 120,	  /* least width for times with all digits */
	DIGITS = 6	  /* digits of the fraction in narrower lists */
};

/* The columns that fit into a width. */
struct columns {
	const struct column *at[COLUMNS_MAX];
	enum column_kind kind[COLUMNS_MAX];
	int width[COLUMNS_MAX]; /* 0: as wide as the texts */
	size_t count;
	bool expands;
	bool differences; /* a column shows the time since the row above */
	bool flow;	  /* a column shows program flow */
	bool brief;	  /* cut times to DIGITS */
	bool joint;	  /* the origin column begins with the trace */
	enum expand_want want;
};

/* The inputs of all formatted rows, except their messages. */
struct list_basis {
	const struct list *list;
	uint64_t generation;
	uint64_t names; /* epoch of the texts of origins */
	uint64_t order; /* epoch of the order of messages */
	unsigned display;
	int cols, sideways;
	enum time_mode mode;
	bool dated;	  /* the title has the date, so rows omit it */
	uint64_t folded;  /* the runs shown as one row: run_fold_state() */
	unsigned origins; /* epoch of list_state.origins */
};

/* A formatted row, and its drawing without the cursor. */
struct formatted_row {
	uint64_t shown; /* number of its last drawing; 0: invalid */
	bool near, loss;
	size_t lane, above_lane;
	struct message_id id, above; /* the message; the message of the row above if that matters */
	bool has_above;
	enum role usual, severity, origin, trace, text; /* of its columns */
	bool suspect, uncertain, steps_back, apart;
	enum difference_sign difference;
	struct text texts; /* all columns, one after the other; safe, and may be cut anywhere */
	size_t ends[COLUMNS_MAX]; /* of each column in `texts` */
	int name_columns;	  /* of the trace in the origin column */
	int rest_col;		  /* first column of the last text */
	bool drawn;
	struct canvas strip; /* one row */
};

struct list_state {
	int sideways;	    /* scroll offset of the last column */
	bool told_sideways; /* the notice about scrolling back was shown */
	bool opened;	    /* the row under the cursor shows its whole text */
	size_t opened_lane;
	struct message_id opened_id;
	struct list_basis basis;
	struct columns columns;	 /* for `basis` */
	int widths[COLUMNS_MAX]; /* of all columns; without a fixed width they grow */
	bool held[COLUMNS_MAX];	 /* a row had text in that column */
	bool shown[COLUMNS_MAX];
	int block; /* width of the cursor */
	VEC(struct lane_origins {
		uint64_t known; /* indexed cells at the last check */
		bool several;	/* it has more than one origin */
		bool apart;	/* see traces_is_apart() */
	}) origins;		/* by lane, for several lanes */
	struct expansion expansion;
	struct text raw, column; /* scratch */
	struct scrollbar bar;
	VEC(struct formatted_row *) kept; /* owned */
	VEC(struct formatted_row *) rows; /* on the screen; borrowed from `kept` */
	size_t near;			  /* first place of the search for the next row */
	uint64_t paint;			  /* number of the current drawing */
	struct gap_cursor *gaps;	  /* while a gap column is shown, or NULL */
	struct flow_rows flow;
	struct flow_cursor *runs;	/* made on demand, or NULL */
	VEC(struct value_name *) names; /* of columns, each made on demand; owned */
	VEC(struct step_back *) steps;	/* by trace number, NULL without a row; owned */
	/* the last time before the rows in memory, for one drawing */
	struct display_time above;
	bool has_above;
	uint64_t above_paint;
};

/* The inputs of a column's text. */
struct list_row {
	struct screen *screen;
	const struct column *column;
	const struct row *row, *previous; /* previous: the row above, or NULL */
	struct message message;
	const struct expansion *expansion; /* NULL: not expanded */
	struct text *scratch;
	bool dated, brief, joint; /* see struct list_basis and struct columns */
	int name_columns;
};

static struct list_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_LIST];
}

static void
list_state_close(void *context)
{
	struct list_state *state = context;
	expansion_free(&state->expansion);
	vec_free(&state->origins);
	text_free(&state->raw);
	text_free(&state->column);
	scrollbar_free(&state->bar);
	gap_cursor_free(state->gaps);
	flow_rows_free(&state->flow);
	flow_cursor_free(state->runs);
	for (size_t i = 0; i < state->names.count; i++)
		value_name_free(state->names.at[i]);
	vec_free(&state->names);
	for (size_t i = 0; i < state->steps.count; i++)
		step_back_free(state->steps.at[i]);
	vec_free(&state->steps);
	for (size_t i = 0; i < state->kept.count; i++) {
		text_free(&state->kept.at[i]->texts);
		canvas_free(&state->kept.at[i]->strip);
		free(state->kept.at[i]);
	}
	vec_free(&state->kept);
	vec_free(&state->rows);
}

/* Return the lane of a row. */
static const struct list_lane *
lane_of(const struct list_row *row)
{
	return &row->screen->list->lanes[row->row->lane];
}

/* --- the texts of columns ---------------------------------------------- */

static void
add_text(const struct text *text, struct text *out)
{
	text_add_bytes(out, text_get(text), text->length);
}

static void
number_text(struct list_row *row, struct text *out)
{
	bool exact;
	uint64_t number = list_number(row->screen->list, row_position(row->row), &exact);
	text_addf(out, "%s%llu", exact ? "" : "~", (unsigned long long)number);
}

static void
gap_text(struct list_row *row, struct text *out)
{
	struct gap gap;
	if (!gap_cursor_find(state_of(row->screen)->gaps, lane_of(row)->trace, &row->message, &gap))
		return;
	if (row->column->raw)
		text_add_uint(out, gap.length);
	else
		gap_format(&gap, false, out);
}

/* Find the last time before the rows in memory. False if none is near. */
static bool
time_above_all(struct screen *screen, struct display_time *shown)
{
	struct list *list = screen->list;
	struct next_query query = {.sequence = list->sequence,
				   .want = list->filter,
				   .from = row_position(&list->rows.at[0]),
				   .direction = -1};
	for (int i = 0; i < ROWS_ABOVE; i++) {
		struct sequence_position p;
		if (!next_match_near(&query, CELLS_ABOVE, &p))
			return false;
		const struct message *m = sequence_message(list->sequence, p);
		if (m && display_time_of(list, &list->lanes[p.trace], m, shown))
			return true;
		query.from = p;
	}
	return false;
}

/* Find the time of the nearest row above that has one. */
static bool
time_above(struct list_row *row, struct display_time *shown)
{
	struct list_state *state = state_of(row->screen);
	if (display_time_above(row->screen->list, row->row, shown))
		return true;
	if (state->above_paint != state->paint)
		state->has_above = time_above_all(row->screen, &state->above);
	state->above_paint = state->paint;
	*shown = state->above;
	return state->has_above;
}

static void
delta_text(struct list_row *row, struct text *out)
{
	struct display_time before, now;
	if (!display_time_of_row(row->screen->list, row->row, &now) || !time_above(row, &before))
		return;
	if (row->column->raw) {
		before.clock.hz = now.clock.hz = 0;
		display_time_format_difference(&before, &now, false, out);
	} else {
		display_time_format_gap(&before, &now, out);
	}
}

/* Cut a fraction at the end to DIGITS digits. */
static void
cut_fraction(struct text *out, size_t start)
{
	const char *point = strchr(text_get(out) + start, '.');
	size_t whole = point ? (size_t)(point - out->data) + 1 : out->length;
	if (out->length > whole + DIGITS)
		text_cut(out, whole + DIGITS);
}

static void
time_text(struct list_row *row, struct text *out)
{
	struct screen *screen = row->screen;
	struct display_time now, first;
	bool timed = row->message.flags & MESSAGE_TIMED;
	size_t start = out->length;
	if (screen->time_mode == TIME_DELTA) {
		delta_text(row, out);
		return;
	}
	if (screen->time_mode == TIME_OWN) { /* even if that clock is related to others */
		struct trace_clock clock = trace_clock(lane_of(row)->trace);
		if (timed)
			clock_format(&clock, row->message.ticks, out);
		return;
	}
	if (!display_time_of(screen->list, lane_of(row), &row->message, &now))
		return;
	if (screen->time_mode == TIME_TICKS || row->column->raw) {
		if (timed)
			text_add_uint(out, row->message.ticks);
	} else if (screen->time_mode == TIME_START) {
		if (display_time_first(screen->list, &first))
			display_time_format_difference(&first, &now, true, out);
	} else if (screen->time_mode == TIME_MARK && screen->jumps->has_base) {
		display_time_format_difference(&screen->jumps->base, &now, false, out);
	} else if (row->dated && now.clock.has_epoch) {
		display_time_format_parts(&now, NULL, out);
	} else {
		display_time_format(&now, out);
	}
	if (row->brief && now.clock.hz > 0 && screen->time_mode != TIME_TICKS)
		cut_fraction(out, start);
}

static void
trace_text(struct list_row *row, struct text *out)
{
	text_add(out, list_trace_name(row->screen->list, row->row->lane));
}

static void
origin_text(struct list_row *row, struct text *out)
{
	if (row->column->raw)
		text_addf(out, "0x%llx", (unsigned long long)row->message.origin);
	else
		add_text(&row->expansion->origin, out);
}

/* Cut the name from START on, so that MORE columns of the origin fit after it. */
static void
cut_name(const struct list_row *row, size_t start, int more, struct text *out)
{
	int most = row->column->width ? (int)row->column->width : ORIGIN_MOST;
	int room = most - more < NAME_LEAST ? NAME_LEAST : most - more;
	enum text_charset charset = row->screen->charset;
	if (text_columns(text_get(out) + start, out->length - start, charset) <= room)
		return;
	text_cut(out,
		 start + text_fit(out->data + start, out->length - start, charset, room - 1, NULL));
	text_add(out, signs[SIGN_CUT].text);
}

/* Append the trace, and the origin if the trace has several. */
static void
joint_text(struct list_row *row, struct text *out)
{
	const enum text_charset charset = row->screen->charset;
	size_t start = out->length;
	struct text *origin = row->scratch;
	text_clear(origin);
	if (state_of(row->screen)->origins.at[row->row->lane].several)
		origin_text(row, origin);
	trace_text(row, out);
	if (origin->length)
		cut_name(row, start, 1 + text_columns(origin->data, origin->length, charset), out);
	row->name_columns = text_columns(text_get(out) + start, out->length - start, charset);
	if (origin->length) {
		text_add_char(out, ' ');
		add_text(origin, out);
	}
}

static void
origin_column_text(struct list_row *row, struct text *out)
{
	if (row->joint)
		joint_text(row, out);
	else
		origin_text(row, out);
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
	add_text(&row->expansion->type, out);
}

static bool
find_run(struct list_row *row, struct run_sums *run)
{
	struct list_state *state = state_of(row->screen);
	if (!state->runs)
		state->runs = flow_cursor_new();
	return flow_cursor_run(state->runs, lane_of(row)->reader, &row->message, run);
}

/* Append the summary of a run shown as one row. False if the row is no such run. */
static bool
add_run_text(struct list_row *row, struct text *out)
{
	const struct list_state *state = state_of(row->screen);
	const struct text *origin = &row->expansion->origin;
	struct reader *reader = lane_of(row)->reader;
	struct run_sums run;
	if (!state->basis.folded || !find_run(row, &run) || run.messages == 1 ||
	    run_fold_is_open(row->screen, reader, origin, &run))
		return false;
	uint64_t pages = run.instructions ? 0 : flow_cursor_pages(state->runs, reader, &run);
	run_fold_add_text(lane_of(row)->trace, &run, pages, out);
	return true;
}

/* Append the text with its tabs expanded, so that columns of a log stay aligned. The detail pane
 * shows the tabs. */
static void
message_text(struct list_row *row, struct text *out)
{
	const struct text *text = &row->expansion->text;
	const char *at = text_get(text), *end = at + text->length, *tab;
	const size_t start = out->length;
	if (add_run_text(row, out))
		return;
	while ((tab = memchr(at, '\t', (size_t)(end - at)))) {
		text_add_bytes(out, at, (size_t)(tab - at));
		int column =
		    text_columns(text_get(out) + start, out->length - start, row->screen->charset);
		text_addf(out, "%*s", TAB_COLUMNS - column % TAB_COLUMNS, "");
		at = tab + 1;
	}
	text_add_bytes(out, at, (size_t)(end - at));
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

/* Find the flow mark of a row. For a run shown as one row, use its last message. */
static const struct flow_mark *
find_flow(struct list_row *row)
{
	struct list_state *state = state_of(row->screen);
	struct row at = *row->row;
	struct run_sums run;
	if (state->basis.folded && find_run(row, &run)) {
		const struct message *last = reader_message(lane_of(row)->reader, run.end);
		at.at = last ? run.end : at.at;
		at.message = last ? *last : at.message;
	}
	const struct flow_mark *mark = flow_rows_find(&state->flow, row->screen, &at);
	return mark && mark->any ? mark : NULL;
}

static void
depth_text(struct list_row *row, struct text *out)
{
	const struct flow_mark *mark = find_flow(row);
	if (mark)
		text_addf(out, "%llu%s", (unsigned long long)mark->depth,
			  mark->doubtful && !row->column->raw ? "?" : "");
}

static void
target_text(struct list_row *row, struct text *out)
{
	const struct flow_mark *mark = find_flow(row);
	if (mark && row->column->raw && mark->has_target)
		text_addf(out, "0x%llx", (unsigned long long)mark->target);
	else if (mark && !row->column->raw)
		flow_rows_add_target(row->screen, lane_of(row)->number, mark, out);
}

static void
run_instructions_text(struct list_row *row, struct text *out)
{
	struct run_sums run;
	if (find_run(row, &run) && run.instructions)
		text_addf(out, "%llu%s", (unsigned long long)run.instructions, run.more ? "+" : "");
}

static void
run_cycles_text(struct list_row *row, struct text *out)
{
	struct run_sums run;
	if (find_run(row, &run) && run.cycles)
		text_addf(out, "%llu%s", (unsigned long long)run.cycles, run.more ? "+" : "");
}

/* Return the value with a column's name, or NULL if there is none. */
static const struct value_name *
find_value(struct screen *screen, const struct column *column)
{
	struct list_state *state = state_of(screen);
	struct err unused;
	for (size_t i = 0; i < state->names.count; i++)
		if (!strcmp(value_name_text(state->names.at[i]), column->name))
			return state->names.at[i];
	struct value_name *name = value_name_new(column->name, NULL, &unused);
	if (name)
		*vec_add(&state->names) = name;
	return name;
}

static void
value_text(struct list_row *row, struct text *out)
{
	const struct value_name *name = find_value(row->screen, row->column);
	struct list_state *state = state_of(row->screen);
	struct reader *reader = lane_of(row)->reader;
	struct value value;
	bool exact;
	if (context_view_column(row->screen, row->row->lane, &row->message, row->column->name,
				out) ||
	    !name)
		return;
	struct value_look look = {.reader = reader,
				  .message = &row->message,
				  .number = reader_number(reader, row->row->at, &exact),
				  .expansion = &state->expansion};
	value_get(name, &look, &value);
	text_clear(row->scratch);
	if (!exact && !strcmp(row->column->name, "trace_number"))
		text_add_char(row->scratch, '~');
	if (row->column->raw && value.field && value.type != VALUE_ABSENT)
		field_format(value.field, row->scratch);
	else if (row->column->raw && value.type != VALUE_TEXT)
		value_add_number(&value, row->scratch);
	else
		value_add(name, &value, row->scratch);
	add_text(row->scratch, out);
}

static const struct {
	const char *title;
	void (*text)(struct list_row *, struct text *);
	int width; /* default without a width in the view; 0: as wide as the texts */
	enum expand_want want;
	bool expands;
	int rank; /* the highest is hidden first; 0: never */
	int most; /* most columns if texts need more; 0: no limit */
} kinds[] = {
    [COLUMN_NUMBER] = {"message", number_text, 0, EXPAND_TEXT, false, 4, 0},
    [COLUMN_TIME] = {"time", time_text, 0, EXPAND_TEXT, false, 1, 0},
    [COLUMN_DELTA] = {"delta", delta_text, 0, EXPAND_TEXT, false, 3, 0},
    [COLUMN_GAP] = {"gap", gap_text, 0, EXPAND_TEXT, false, 3, 0},
    [COLUMN_TRACE] = {"trace", trace_text, 0, EXPAND_TEXT, false, 2, 0},
    [COLUMN_ORIGIN] = {"origin", origin_column_text, 0, EXPAND_TEXT, true, 2, ORIGIN_MOST},
    [COLUMN_SEVERITY] = {"S", severity_text, 1, EXPAND_TEXT, false, 0, 0},
    [COLUMN_TYPE] = {"type", type_text, 12, EXPAND_TEXT, true, 4, 0},
    [COLUMN_TEXT] = {"text", message_text, 40, EXPAND_TEXT, true, 0, 0},
    [COLUMN_OFFSET] = {"offset", offset_text, 0, EXPAND_TEXT, false, 4, 0},
    [COLUMN_LENGTH] = {"length", length_text, 0, EXPAND_TEXT, false, 4, 0},
    [COLUMN_DEPTH] = {"d", depth_text, 0, EXPAND_TEXT, false, 3, 0},
    [COLUMN_TARGET] = {"target", target_text, 20, EXPAND_TEXT, false, 4, 0},
    [COLUMN_RUN_INSTRUCTIONS] = {"n", run_instructions_text, 0, EXPAND_TEXT, false, 4, 0},
    [COLUMN_RUN_CYCLES] = {"cycles", run_cycles_text, 0, EXPAND_TEXT, false, 3, 0},
    [COLUMN_VALUE] = {NULL, value_text, 12, EXPAND_FIELDS, true, 4, 0},
};

static const char *
title_of(const struct columns *columns, size_t c)
{
	const struct column *column = columns->at[c];
	const char *title = column->title ? column->title : kinds[columns->kind[c]].title;
	return title ? title : column->name;
}

/* --- columns ----------------------------------------------------------- */

/* True if the cursor covers columns of that kind. */
static bool
is_leading(enum column_kind kind)
{
	return kind <= COLUMN_GAP || kind == COLUMN_SEVERITY;
}

static struct columns
columns_make(struct screen *screen, int width)
{
	static char fallback_name[] = "text", whose_name[] = "trace";
	static const struct column fallback = {.name = fallback_name};
	static const struct column trace_column = {.name = whose_name};
	const struct option_list *list = &screen->view->columns;
	const struct column *all = list->at;
	struct columns columns = {.want = EXPAND_TEXT, .brief = width < FINE_MIN};
	/* Without a trace column, the origin column shows the trace. If that is missing too, a
	 * trace column comes before the first column that is_leading() rejects. */
	bool whose = screen->list->lane_count > 1;
	for (size_t i = 0; i < list->count; i++)
		whose &= column_kind(all[i].name) != COLUMN_TRACE || all[i].wide > (uint64_t)width;
	for (size_t i = 0; i < list->count; i++)
		columns.joint |= whose && column_kind(all[i].name) == COLUMN_ORIGIN &&
				 !all[i].raw && all[i].wide <= (uint64_t)width;
	whose &= !columns.joint;
	bool folded = run_fold_is_on(screen);
	for (size_t i = 0; i < list->count && columns.count + 1 < COLUMNS_MAX; i++) {
		enum column_kind kind = column_kind(all[i].name);
		bool of_runs = kind == COLUMN_RUN_INSTRUCTIONS || kind == COLUMN_RUN_CYCLES;
		if (all[i].wide > (uint64_t)width || (of_runs && !folded))
			continue;
		if (whose && !is_leading(kind)) {
			columns.at[columns.count++] = &trace_column;
			whose = false;
		}
		columns.at[columns.count++] = &all[i];
	}
	if (!columns.count)
		columns.at[columns.count++] = &fallback;
	for (size_t i = 0; i < columns.count; i++) {
		enum column_kind kind = column_kind(columns.at[i]->name);
		int own = (int)columns.at[i]->width;
		columns.kind[i] = kind;
		columns.width[i] = own ? own : kinds[kind].width;
		columns.expands |= kinds[kind].expands;
		columns.differences |= kind == COLUMN_DELTA ||
				       (kind == COLUMN_TIME && screen->time_mode == TIME_DELTA);
		columns.flow |= kind == COLUMN_DEPTH || kind == COLUMN_TARGET;
		if (kinds[kind].want == EXPAND_FIELDS)
			columns.want = EXPAND_FIELDS;
	}
	return columns;
}

/* Fill ROW for row I below the top. False if none. */
static bool
row_make(struct screen *screen, size_t i, struct list_row *row)
{
	struct list *list = screen->list;
	struct list_state *state = state_of(screen);
	const struct row *at = list_row(list, i);
	if (!at || !at->there)
		return false;
	*row = (struct list_row){.screen = screen,
				 .row = at,
				 .previous = list->before && list->top + i ? at - 1 : NULL,
				 .message = at->message,
				 .scratch = &state->raw};
	return true;
}

static void
row_expand(struct list_row *row, const struct columns *columns)
{
	struct list_state *state = state_of(row->screen);
	if (!columns->expands)
		return;
	reader_expand(lane_of(row)->reader, &row->message, columns->want, &state->expansion);
	row->expansion = &state->expansion;
}

/* Append the safe text of a column. */
static void
add_column(struct list_row *row, const struct columns *columns, size_t c, struct text *out)
{
	struct text *text = &state_of(row->screen)->column;
	text_clear(text);
	row->column = columns->at[c];
	kinds[columns->kind[c]].text(row, text);
	text_add_safe(out, text_get(text), text->length, row->screen->charset);
}

/* --- formatted rows ---------------------------------------------------- */

/* True if a message's time is before that of the last message of its origin. Only near messages
 * count. */
static bool
steps_back(struct screen *screen, const struct row *row)
{
	struct list_state *state = state_of(screen);
	const struct list_lane *lane = &screen->list->lanes[row->lane];
	struct position at;
	while (state->steps.count <= lane->number)
		*vec_add(&state->steps) = NULL;
	struct step_back **own = &state->steps.at[lane->number];
	if (!*own)
		*own = step_back_new(lane->trace);
	return row->message.flags & MESSAGE_TIMED &&
	       reader_find_message(lane->reader, &row->message, &at) &&
	       step_back_test(*own, reader_decoded_cell(lane->reader, at.cell), at.at, CELLS_BACK);
}

static bool
same_message(size_t lane, struct message_id id, const struct row *row)
{
	return lane == row->lane && !message_id_compare(id, row->id);
}

static bool
is_formatted(const struct formatted_row *f, const struct list_row *row)
{
	return f->shown && f->near == row->row->near && same_message(f->lane, f->id, row->row);
}

static bool
is_below_same(const struct formatted_row *f, const struct list_row *row)
{
	return f->has_above == (row->previous != NULL) &&
	       (!row->previous || same_message(f->above_lane, f->above, row->previous));
}

/* Store the row above, and whether the order of both is uncertain, or the clock of the message is
 * not related to that of its trace. */
static void
note_above(struct screen *screen, const struct list_row *row, struct formatted_row *f)
{
	const struct row *before = row->previous;
	struct trace *trace = lane_of(row)->trace;
	struct message_time time;
	f->has_above = before != NULL;
	if (before) {
		f->above_lane = before->lane;
		f->above = before->id;
	}
	f->uncertain = before && before->there &&
		       sequence_is_uncertain(screen->list->sequence, before->lane, &before->message,
					     row->row->lane, &row->row->message);
	f->apart = clocks_time(trace, &row->message, &time) && time.part != clocks_part(trace);
}

/* Choose the roles of a row's columns. Errors and debug rows have one colour, which is cheap to
 * send; only an error's letter differs. In other rows single words stand out. */
static void
choose_roles(struct screen *screen, const struct list_row *row, struct formatted_row *f)
{
	static const struct {
		enum role row, letter;
	} roles[SEVERITY_COUNT] = {
	    [SEVERITY_FATAL] = {ROLE_FATAL, ROLE_FATAL_LETTER},
	    [SEVERITY_ERROR] = {ROLE_ERROR, ROLE_ERROR_LETTER},
	    [SEVERITY_DEBUG] = {ROLE_DEBUG, ROLE_DEBUG},
	};
	unsigned severity = row->message.severity;
	enum role own = severity < SEVERITY_COUNT ? roles[severity].row : ROLE_NORMAL;
	f->usual = rules_role(screen->rules, lane_of(row)->reader, &row->message, own);
	f->severity = own == ROLE_NORMAL ? severity_role(severity) : roles[severity].letter;
	f->origin =
	    f->usual == ROLE_NORMAL && severity == SEVERITY_WARNING ? f->severity : f->usual;
	f->trace = f->origin == ROLE_NORMAL ? trace_role(screen->session, lane_of(row)->number)
					    : f->origin;
	f->text = f->loss && f->usual == own ? ROLE_LOSS : f->usual;
	if (row->row->near)
		f->usual = f->severity = f->origin = f->trace = f->text = ROLE_ABSENT;
}

static void
row_format(struct screen *screen, struct list_row *row, struct formatted_row *f)
{
	const struct columns *columns = &state_of(screen)->columns;
	f->drawn = false;
	f->lane = row->row->lane;
	f->id = row->row->id;
	f->near = row->row->near;
	f->loss = row->message.flags & MESSAGE_LOSS;
	f->suspect = row->message.flags & MESSAGE_SUSPECT;
	choose_roles(screen, row, f);
	note_above(screen, row, f);
	f->steps_back = steps_back(screen, row->row);
	f->difference = differences_sign(screen, row->row);
	text_clear(&f->texts);
	row->dated = state_of(screen)->basis.dated;
	row->brief = columns->brief;
	row->joint = columns->joint;
	row_expand(row, columns);
	for (size_t c = 0; c < columns->count; c++) {
		add_column(row, columns, c, &f->texts);
		f->ends[c] = f->texts.length;
	}
	f->name_columns = row->name_columns;
}

/* Return the text of a column. */
static const char *
formatted_text(const struct formatted_row *f, size_t column, size_t *length)
{
	size_t start = column ? f->ends[column - 1] : 0;
	*length = f->ends[column] - start;
	return text_get(&f->texts) + start;
}

/* Find the formatted row. If none exists, return an invalid entry for it: a new one, or the one not
 * shown for longest. Rows in unchanged order are found at once. */
static struct formatted_row *
find_formatted(struct list_state *state, const struct list_row *row, size_t most)
{
	struct formatted_row *oldest = NULL;
	for (size_t i = 0; i < state->kept.count; i++) {
		size_t at = (state->near + i) % state->kept.count;
		struct formatted_row *f = state->kept.at[at];
		if (is_formatted(f, row)) {
			state->near = at + 1;
			return f;
		}
		if (f->shown != state->paint && (!oldest || f->shown < oldest->shown))
			oldest = f;
	}
	if (!oldest || state->kept.count < most)
		*vec_add(&state->kept) = oldest = mem_new(sizeof *oldest);
	oldest->shown = 0;
	return oldest;
}

/* Format a row, except for its valid parts. */
static struct formatted_row *
row_fill(struct screen *screen, struct list_row *row)
{
	struct list_state *state = state_of(screen);
	struct formatted_row *f = find_formatted(state, row, SCREENS_KEPT * screen->list->height);
	bool same_above = f->shown && is_below_same(f, row);
	if (!f->shown || (!same_above && state->columns.differences))
		row_format(screen, row, f);
	else if (!same_above)
		note_above(screen, row, f);
	f->shown = state->paint;
	return f;
}

/* Create the gap cursor if a column needs it, else free it. */
static void
follow_gaps(struct screen *screen)
{
	struct list_state *state = state_of(screen);
	bool any = false;
	for (size_t c = 0; c < state->columns.count; c++)
		any |= state->columns.kind[c] == COLUMN_GAP;
	if (any == (state->gaps != NULL))
		return;
	gap_cursor_free(state->gaps);
	state->gaps = any ? gap_cursor_new(screen->session) : NULL;
}

/* Find the lanes with more than one origin, as far as indexed. True if the result changed. A list
 * of one lane needs none. */
static bool
look_at_origins(struct screen *screen)
{
	struct list_state *state = state_of(screen);
	const struct list *list = screen->list;
	bool changed = state->basis.list != list || list->lane_count != state->origins.count;
	if (changed)
		vec_clear(&state->origins);
	while (state->origins.count < list->lane_count)
		*vec_add(&state->origins) = (struct lane_origins){.known = UINT64_MAX};
	for (size_t i = 0; list->lane_count > 1 && i < list->lane_count; i++) {
		struct lane_origins *lane = &state->origins.at[i];
		uint64_t known = index_known(list->lanes[i].index);
		if (lane->several || lane->known == known)
			continue;
		index_origins origins = {0};
		index_get_origins(list->lanes[i].index, &origins);
		lane->known = known;
		lane->several = origins.count > 1;
		changed |= lane->several;
		vec_free(&origins);
	}
	return changed;
}

/* Find the lanes with times on another clock. A list of one lane has none. */
static void
look_at_clocks(struct screen *screen)
{
	struct list_state *state = state_of(screen);
	const struct list *list = screen->list;
	bool several = list->lane_count > 1 && traces_count_clocks(screen, list) > 1;
	for (size_t i = 0; i < state->origins.count; i++)
		state->origins.at[i].apart = several && traces_is_apart(list, i);
}

/* Update the basis. If it changed, all formatted rows become invalid. */
static void
basis_renew(struct screen *screen, int cols)
{
	struct list_state *state = state_of(screen);
	struct list_basis old = state->basis, *now = &state->basis;
	size_t columns = state->columns.count;
	const struct session_intervals *intervals = screen->session->intervals;
	memset(now, 0, sizeof *now); /* clear the padding for memcmp() */
	now->list = screen->list;
	now->generation = generation_join(list_generation(screen->list),
					  contexts_generation(screen->session->contexts),
					  cycles_generation(screen->session->cycles),
					  state->gaps ? gap_generation(screen->session) : 0,
					  intervals ? intervals->generation(intervals->context) : 0,
					  state->flow.generation, screen->flow->opened);
	for (size_t i = 0; i < now->list->lane_count; i++)
		now->names =
		    generation_join(now->names, trace_generation(now->list->lanes[i].trace));
	now->order = sequence_generation(screen->sequence);
	now->display = screen->display_generation;
	now->cols = cols;
	now->sideways = state->sideways;
	now->mode = screen->time_mode;
	now->dated = screen->layout.title.rows && screen->time_mode == TIME_ABSOLUTE;
	now->folded = run_fold_state(screen);
	now->origins = old.origins + look_at_origins(screen);
	look_at_clocks(screen);
	if (columns && !memcmp(&old, now, sizeof old))
		return;
	for (size_t i = 0; i < state->kept.count; i++)
		state->kept.at[i]->shown = 0;
	flow_rows_forget(&state->flow);
	state->columns = columns_make(screen, cols);
	follow_gaps(screen);
	if (old.list != now->list || old.mode != now->mode || old.dated != now->dated ||
	    old.order != now->order || columns != state->columns.count) {
		memset(state->widths, 0, sizeof state->widths);
		memset(state->held, 0, sizeof state->held);
	}
	for (size_t c = 0; c < state->columns.count && old.names != now->names; c++)
		if (state->columns.kind[c] == COLUMN_ORIGIN)
			state->widths[c] = 0; /* names may have replaced long raw keys */
}

/* Format the rows on the screen. Return their number. */
static size_t
rows_format(struct screen *screen)
{
	struct list_state *state = state_of(screen);
	struct list_row row;
	state->paint++;
	vec_clear(&state->rows);
	for (size_t i = 0; i < screen->list->height && row_make(screen, i, &row); i++)
		*vec_add(&state->rows) = row_fill(screen, &row);
	return state->rows.count;
}

/* Return the greatest width of a column in rows not drawn yet, at least WIDTH. */
static int
widest_text(const struct list_state *state, size_t c, size_t count, int width)
{
	for (size_t i = 0; i < count; i++) {
		size_t length;
		if (state->rows.at[i]->drawn)
			continue;
		const char *text = formatted_text(state->rows.at[i], c, &length);
		int used = text_columns(text, length, TEXT_UTF8);
		width = width > used ? width : used;
	}
	return width;
}

/* Update the widths from the rows on the screen. */
static void
measure_columns(struct list_state *state, size_t count, enum text_charset charset)
{
	const struct columns *columns = &state->columns;
	for (size_t c = 0; c < columns->count; c++) {
		int before = state->widths[c], *width = &state->widths[c];
		int most = kinds[columns->kind[c]].most, used = widest_text(state, c, count, 0);
		state->held[c] |= used > 0;
		*width = columns->width[c] ? columns->width[c] : before;
		if (columns->width[c] || c + 1 == columns->count)
			continue;
		const char *title = title_of(&state->columns, c);
		int least = text_columns(title, strlen(title), charset);
		*width = *width > least ? *width : least;
		*width = *width > used ? *width : used;
		*width = most && *width > most ? most : *width;
		for (size_t i = 0; *width != before && i < state->kept.count; i++)
			state->kept.at[i]->drawn = false;
	}
}

/* Return the column to hide next: the last one of the highest rank. Return the count if none. */
static size_t
next_to_go(const struct list_state *state)
{
	const struct columns *columns = &state->columns;
	size_t next = columns->count;
	int highest = 1;
	for (size_t c = 0; c + 1 < columns->count; c++) {
		int rank = kinds[columns->kind[c]].rank;
		if (!state->shown[c] || rank < highest)
			continue;
		highest = rank;
		next = c;
	}
	return next;
}

/* Choose the columns for COLS screen columns, and the width of the cursor. */
static void
choose_columns(struct list_state *state, size_t rows, int cols)
{
	const struct columns *columns = &state->columns;
	bool before[COLUMNS_MAX], leading = true;
	int used = GUTTER;
	memcpy(before, state->shown, sizeof before);
	for (size_t c = 0; c < columns->count; c++) {
		bool last = c + 1 == columns->count;
		state->shown[c] = last || !rows || state->held[c];
		used += !last && state->shown[c] ? state->widths[c] + 1 : 0;
	}
	for (size_t c; cols - used < TEXT_MIN && (c = next_to_go(state)) < columns->count;) {
		state->shown[c] = false;
		used -= state->widths[c] + 1;
	}
	state->block = GUTTER;
	for (size_t c = 0; c + 1 < columns->count; c++) {
		leading &= is_leading(columns->kind[c]);
		state->block += leading && state->shown[c] ? state->widths[c] + 1 : 0;
	}
	state->block -= state->block > GUTTER; /* the blank after them */
	if (memcmp(before, state->shown, sizeof before) != 0)
		for (size_t i = 0; i < state->kept.count; i++)
			state->kept.at[i]->drawn = false;
}

/* --- drawing ----------------------------------------------------------- */

/* Draw a text, cut or padded to WIDTH columns. */
static void
draw_aligned(struct canvas *canvas, const struct area *area, int x, int width, int align,
	     enum role role, const char *text, size_t length)
{
	int used = align == ALIGN_RIGHT ? text_columns(text, length, canvas->charset) : width;
	int indent = used < width ? width - used : 0;
	canvas_put_cell(canvas, area, 0, x + indent, width - indent, role, text, length);
}

static void
highlight_one(struct canvas *canvas, const struct area *area, int y, int x, struct regex *regex,
	      enum role role, const char *text, size_t length)
{
	size_t start, end, from = 0;
	while (regex && from < length && regex_find(regex, text, length, from, &start, &end)) {
		canvas_role(canvas, area, y, x + text_columns(text, start, canvas->charset),
			    text_columns(text + start, end - start, canvas->charset), role);
		from = end > start ? end : end + 1;
	}
}

/* Highlight all searches, the last one on top. */
static void
highlight_all(struct screen *screen, struct canvas *canvas, const struct area *area, int y, int x,
	      const char *text, size_t length)
{
	static const enum role roles[SEARCH_EARLIER] = {ROLE_ACCENT1, ROLE_ACCENT2, ROLE_ACCENT3};
	struct search *search = screen->search;
	if (!search->highlight)
		return;
	for (int i = SEARCH_EARLIER - 1; i >= 0; i--)
		highlight_one(canvas, area, y, x, search->earlier[i], roles[i], text, length);
	if (!search->bytes)
		highlight_one(canvas, area, y, x, search->regex, ROLE_MATCH, text, length);
}

/* Return the part of the last column that is not scrolled away. */
static const char *
rest_of(const struct list_state *state, const struct formatted_row *f, size_t *length)
{
	int hidden;
	const char *text = formatted_text(f, state->columns.count - 1, length);
	size_t skip = text_fit(text, *length, TEXT_UTF8, state->sideways, &hidden);
	if (hidden < state->sideways)
		skip = *length; /* all of it is to the left */
	*length -= skip;
	return text + skip;
}

static void
draw_gutter(struct screen *screen, struct canvas *canvas, const struct area *area, int y,
	    const struct formatted_row *f, bool current)
{
	size_t trace = screen->list->lanes[f->lane].number;
	const struct list_state *state = state_of(screen);
	char mark = jumps_mark(screen->jumps, trace, f->id);
	bool apart =
	    f->apart || (f->lane < state->origins.count && state->origins.at[f->lane].apart);
	if (range_has(screen, trace, f->id))
		canvas_puts(canvas, area, y, 0, ROLE_MARK, signs[SIGN_RANGE].text);
	if (current) /* the blank joins it to the next column: less to send */
		canvas_putf(canvas, area, y, 0, ROLE_CURSOR, "%s ", signs[SIGN_CURSOR].text);
	if (mark)
		canvas_putf(canvas, area, y, 1, ROLE_MARK, "%c", mark);
	else if (f->loss)
		canvas_puts(canvas, area, y, 1, current ? ROLE_CURSOR : ROLE_LOSS,
			    signs[SIGN_LOSS].text);
	else if (f->difference)
		canvas_puts(
		    canvas, area, y, 1, current ? ROLE_CURSOR : ROLE_MARK,
		    signs[f->difference == DIFFERENCE_HERE ? SIGN_DIFFERS : SIGN_MISSING].text);
	else if (f->suspect || f->steps_back || f->uncertain || apart)
		canvas_puts(canvas, area, y, 1, current ? ROLE_CURSOR : ROLE_ABSENT,
			    signs[f->suspect	  ? SIGN_SUSPECT
				  : f->steps_back ? SIGN_STEPS_BACK
				  : f->uncertain  ? SIGN_UNCERTAIN
						  : SIGN_APART]
				.text);
}

/* Return the role of a column in a row. */
static enum role
column_role(const struct formatted_row *f, enum column_kind kind)
{
	if (kind == COLUMN_SEVERITY)
		return f->severity;
	if (kind == COLUMN_TEXT)
		return f->text;
	if (kind == COLUMN_ORIGIN)
		return f->origin;
	return kind == COLUMN_TRACE ? f->trace : f->usual;
}

/* Draw the sign of a text cut at its left, at X. */
static void
mark_left_cut(struct canvas *strip, const struct area *area, int x, enum role role)
{
	if (x + 1 < strip->cols && !strip->cells[x + 1].columns) /* half of a wide one */
		canvas_puts(strip, area, 0, x + 1, role, " ");
	canvas_puts(strip, area, 0, x, role, signs[SIGN_CUT_LEFT].text);
}

/* Draw a formatted row into its strip. */
static void
draw_strip(const struct list_state *state, struct formatted_row *f, int cols)
{
	const struct columns *columns = &state->columns;
	const struct area area = {0, 0, 1, cols};
	int x = GUTTER;
	size_t length;
	canvas_resize(&f->strip, 1, cols);
	for (size_t c = 0; c + 1 < columns->count; c++) {
		int width = state->widths[c];
		if (!state->shown[c])
			continue;
		const char *text = formatted_text(f, c, &length);
		draw_aligned(&f->strip, &area, x, width, columns->at[c]->align,
			     column_role(f, columns->kind[c]), text, length);
		if (columns->joint && columns->kind[c] == COLUMN_ORIGIN)
			canvas_role(&f->strip, &area, 0, x,
				    f->name_columns < width ? f->name_columns : width, f->trace);
		x += width + 1;
	}
	const char *rest = rest_of(state, f, &length);
	canvas_put_cell(&f->strip, &area, 0, x, cols - x,
			column_role(f, columns->kind[columns->count - 1]), rest, length);
	if (rest != formatted_text(f, columns->count - 1, &length))
		mark_left_cut(&f->strip, &area, x,
			      column_role(f, columns->kind[columns->count - 1]));
	f->rest_col = x;
	f->drawn = true;
}

/* Draw the text of a row from its column on, wrapped at words, in up to MOST lines from Y. Return
 * the number of lines. Without a canvas, only count. */
static int
draw_opened(const struct list_state *state, const struct formatted_row *f, struct canvas *canvas,
	    const struct area *area, int y, int most)
{
	size_t length, at = 0;
	int lines = 0, room = area->cols - f->rest_col;
	const char *text = formatted_text(f, state->columns.count - 1, &length);
	while (room > 0 && at < length && lines < most) {
		size_t part = text_fit_words(text + at, length - at, TEXT_UTF8, room);
		if (canvas) {
			canvas_fill(canvas, area, y + lines, f->rest_col, room, ROLE_NORMAL, ' ');
			canvas_put(canvas, area, y + lines, f->rest_col, f->text, text + at, part);
		}
		at += part;
		lines++;
	}
	return lines;
}

/* Return the number of lines for the row under the cursor: 1 unless it is opened. */
static int
opened_lines(struct screen *screen, const struct area *area)
{
	struct list_state *state = state_of(screen);
	size_t at = screen->list->cursor - screen->list->top;
	struct formatted_row *f = at < state->rows.count ? state->rows.at[at] : NULL;
	state->opened = state->opened && f && f->lane == state->opened_lane &&
			!message_id_compare(f->id, state->opened_id);
	if (!state->opened)
		return 1;
	if (!f->drawn)
		draw_strip(state, f, area->cols);
	int lines = draw_opened(state, f, NULL, area, 0, area->rows / 2);
	return lines > 1 ? lines : 1;
}

/* Highlight searches in the columns of origin and type, which are searched along with the text. */
static void
highlight_names(struct screen *screen, struct canvas *canvas, const struct area *area, int y,
		const struct formatted_row *f)
{
	const struct list_state *state = state_of(screen);
	const struct columns *columns = &state->columns;
	int x = GUTTER;
	for (size_t c = 0; c + 1 < columns->count; c++) {
		int width = state->widths[c], skipped = 0;
		enum column_kind kind = columns->kind[c];
		if (!state->shown[c])
			continue;
		if (kind == COLUMN_ORIGIN || kind == COLUMN_TYPE) {
			size_t length, skip = 0;
			const char *text = formatted_text(f, c, &length);
			int used = text_columns(text, length, canvas->charset);
			bool right = columns->at[c]->align == ALIGN_RIGHT && used < width;
			length = text_fit(text, length, canvas->charset, width, NULL);
			if (columns->joint && kind == COLUMN_ORIGIN) /* not the trace */
				skip = text_fit(text, length, canvas->charset, f->name_columns,
						&skipped);
			highlight_all(screen, canvas, area, y,
				      x + skipped + (right ? width - used : 0), text + skip,
				      length - skip);
		}
		x += width + 1;
	}
}

static void
draw_row(struct screen *screen, struct canvas *canvas, const struct area *area, size_t i, int y)
{
	const struct list_state *state = state_of(screen);
	struct formatted_row *f = state->rows.at[i];
	bool current = screen->list->top + i == screen->list->cursor;
	if (!f->drawn)
		draw_strip(state, f, area->cols);
	canvas_copy(canvas, area, y, &f->strip);
	int block = screen->view->cursor == CURSOR_ROW ? area->cols : state->block;
	if (current)
		canvas_cursor(canvas, area, y, GUTTER, block - GUTTER);
	draw_gutter(screen, canvas, area, y, f, current);
	if (screen->search->highlight) {
		size_t length;
		const char *rest = rest_of(state, f, &length);
		int room = area->cols > f->rest_col ? area->cols - f->rest_col : 0;
		length = text_fit(rest, length, TEXT_UTF8, room, NULL);
		highlight_all(screen, canvas, area, y, f->rest_col, rest, length);
		highlight_names(screen, canvas, area, y, f);
	}
}

static void
draw_header(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct list_state *state = state_of(screen);
	int x = GUTTER;
	for (size_t c = 0; c < state->columns.count && x < area->cols; c++) {
		if (!state->shown[c])
			continue;
		const char *title = title_of(&state->columns, c);
		draw_aligned(canvas, area, x, state->widths[c], state->columns.at[c]->align,
			     ROLE_HEADER, title, strlen(title));
		x += state->widths[c] + 1;
	}
}

/* Draw the text in place of missing rows. */
static void
draw_absent(struct screen *screen, struct canvas *canvas, const struct area *area, size_t rows)
{
	const struct list *list = screen->list;
	const struct capture *capture = trace_capture(list->trace);
	const char *text = NULL;
	struct text hint = {0};
	if (!list->edges[LIST_AFTER].end || (!rows && !list->edges[LIST_BEFORE].end))
		text = list->stopped ? "... stopped; move to go on" : "...";
	else if (!rows && filter_is_all(screen->filter) && capture_size(capture))
		text = "no messages";
	else if (!rows && filter_is_all(screen->filter)) {
		text_add(&hint, "the capture is empty");
		if (!list->tail && !capture_is_stream(capture)) {
			text_add(&hint, "; ");
			keymap_hint(screen->keymap, COMMAND_REREAD, &hint);
			text_add(&hint, " reads it again");
		}
		text = hint.data;
	} else if (!rows) {
		text_add(&hint, "no message passes the filters; ");
		keymap_hint(screen->keymap, COMMAND_FILTERS, &hint);
		text_add(&hint, " turns them off");
		text = hint.data;
	}
	if (text && rows < list->height)
		canvas_puts(canvas, area, (int)rows, GUTTER, ROLE_ABSENT, text);
	text_free(&hint);
}

/* Draw the rows. An opened row moves the rows below it down. If that is not enough, rows above it
 * move up. */
static void
draw_rows(struct screen *screen, struct canvas *canvas, const struct area *area, size_t count)
{
	struct list_state *state = state_of(screen);
	size_t cursor = screen->list->cursor - screen->list->top;
	int more = opened_lines(screen, area) - 1;
	int over = (int)cursor + more + 1 - area->rows, above = more && over > 0 ? over : 0;
	for (size_t i = (size_t)above; i < count; i++)
		draw_row(screen, canvas, area, i, (int)i - above + (i > cursor ? more : 0));
	if (more)
		draw_opened(state, state->rows.at[cursor], canvas, area, (int)cursor - above,
			    more + 1);
	draw_absent(screen, canvas, area, count + (size_t)more - (size_t)above);
}

static void
list_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct list *list = screen->list;
	struct list_state *state = state_of(screen);
	const struct view *view = screen->view;
	struct area body = *area, bar;
	range_find(screen);
	bool header = view->header && area->rows >= HEADER_ROWS_MIN;
	bool has_bar = view->bar && area->cols >= BAR_COLUMNS_MIN;
	body.cols -= has_bar;
	if (header) {
		body.row++;
		body.rows--;
	}
	basis_renew(screen, body.cols);
	list->before = sequence_strand_count(list->sequence) > 1 || state->columns.differences ||
		       screen->open[PANE_DETAIL];
	list_resize(list, (size_t)body.rows);
	size_t count = rows_format(screen);
	measure_columns(state, count, screen->charset);
	choose_columns(state, count, body.cols);
	if (header)
		draw_header(screen, canvas, area);
	draw_rows(screen, canvas, &body, count);
	bar = (struct area){body.row, body.col + body.cols, body.rows, 1};
	if (has_bar)
		scrollbar_draw(screen, &state->bar, canvas, &bar);
}

/* --- commands ---------------------------------------------------------- */

/* Scroll rows to column COLUMNS. Explain once how to scroll back. */
static void
set_sideways(struct screen *screen, int64_t columns)
{
	struct list_state *state = state_of(screen);
	struct text hint = {0};
	state->sideways = columns < 0 ? 0 : columns > SIDE_MAX ? SIDE_MAX : (int)columns;
	if (!state->sideways || state->told_sideways)
		return;
	state->told_sideways = true;
	keymap_hint(screen->keymap, COMMAND_ROW_START, &hint);
	screen_say(screen, NOTICE_ROWS_SCROLLED, hint.data);
	text_free(&hint);
}

/* Scroll sideways, but only with the focus on the list. */
static void
list_sideways(struct screen *screen, const struct command_call *call)
{
	int64_t step = command_steps(call) * SIDE_STEP;
	struct text hint = {0};
	if (screen->focus == PANE_LIST) {
		set_sideways(screen, state_of(screen)->sideways +
					 (call->id == COMMAND_RIGHT ? step : -step));
		return;
	}
	keymap_hint(screen->keymap, COMMAND_PANE_NEXT, &hint);
	screen_say(screen, NOTICE_ROWS_SCROLL_IN_LIST, hint.data);
	text_free(&hint);
}

/* Report that the row under the cursor is not cut. */
static void
say_shown_whole(struct screen *screen)
{
	struct text key = {0};
	keymap_hint(screen->keymap, COMMAND_DETAIL, &key);
	screen_say(screen, NOTICE_ROW_SHOWN_WHOLE, key.data);
	text_free(&key);
}

/* Scroll to the end of the row under the cursor, or back. */
static void
list_to_side(struct screen *screen, const struct command_call *call)
{
	struct list_state *state = state_of(screen);
	const size_t at = screen->list->cursor - screen->list->top;
	int hidden = 0;
	if (call->id == COMMAND_ROW_END && at < state->rows.count) {
		size_t length;
		const char *text =
		    formatted_text(state->rows.at[at], state->columns.count - 1, &length);
		hidden = text_columns(text, length, TEXT_UTF8) -
			 (state->basis.cols - state->rows.at[at]->rest_col);
	}
	set_sideways(screen, hidden);
	if (call->id == COMMAND_ROW_END && hidden <= 0)
		say_shown_whole(screen);
}

/* True if the last drawing shows all of the text under the cursor. */
static bool
shows_whole(const struct list_state *state, const struct list *list)
{
	const size_t at = list->cursor - list->top;
	const struct formatted_row *f = at < state->rows.count ? state->rows.at[at] : NULL;
	const struct area area = {.rows = 1, .cols = state->basis.cols};
	return f && f->drawn && f->lane == state->opened_lane && !state->sideways &&
	       !message_id_compare(f->id, state->opened_id) &&
	       draw_opened(state, f, NULL, &area, 0, 2) <= 1;
}

static void
list_open_row(struct screen *screen, const struct command_call *call)
{
	struct list_state *state = state_of(screen);
	const struct row *row = list_current(screen->list);
	(void)call;
	if (!row)
		return;
	bool same =
	    state->opened_lane == row->lane && !message_id_compare(state->opened_id, row->id);
	state->opened = !(state->opened && same);
	state->opened_lane = row->lane;
	state->opened_id = row->id;
	if (!state->opened || !shows_whole(state, screen->list))
		return;
	state->opened = false;
	say_shown_whole(screen);
}

static void
list_copy(struct screen *screen, const struct command_call *call)
{
	struct columns columns = columns_make(screen, screen->canvas->cols);
	struct list_row row;
	struct text line = {0};
	(void)call;
	if (range_copy(screen) || !row_make(screen, screen->list->cursor - screen->list->top, &row))
		return;
	row_expand(&row, &columns);
	row.dated = state_of(screen)->basis.dated;
	row.joint = columns.joint;
	for (size_t c = 0; c < columns.count; c++) {
		size_t before = line.length;
		if (before)
			text_add_char(&line, ' ');
		size_t start = line.length;
		add_column(&row, &columns, c, &line);
		if (line.length == start)
			text_cut(&line, before);
	}
	term_copy(screen->term, text_get(&line), line.length);
	screen_say(screen, NOTICE_ROW_COPIED);
	text_free(&line);
}

/* --- after a drawing --------------------------------------------------- */

static bool
list_may_work(struct screen *screen)
{
	return flow_rows_can_work(&state_of(screen)->flow, screen);
}

static bool
list_pane_work(struct screen *screen)
{
	return flow_rows_work(&state_of(screen)->flow, screen);
}

static pane_command *const list_commands[COMMAND_COUNT] = {
    [COMMAND_LEFT] = list_sideways,	[COMMAND_RIGHT] = list_sideways,
    [COMMAND_TOP] = jump_top,		[COMMAND_END] = jump_end,
    [COMMAND_COPY] = list_copy,		[COMMAND_ROW_END] = list_to_side,
    [COMMAND_ROW_START] = list_to_side, [COMMAND_OPEN_ROW] = list_open_row,
};

const struct pane_ops pane_list = {
    .name = "list",
    .scope = SCOPE_LIST,
    .state_size = sizeof(struct list_state),
    .close = list_state_close,
    .draw = list_draw,
    .commands = list_commands,
    .may_work = list_may_work,
    .work = list_pane_work,
    .news = list_may_work,
};
