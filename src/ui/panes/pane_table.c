/*
 * A table of the shown messages, grouped by the values of some names. Its columns are counts,
 * first and last time, or statistics of a number.
 *
 * A search (query/group/group_search.h) counts in the background. It starts again when other
 * rows are shown, when clocks are related and when the index is complete. For severity, origin
 * and trace, the index supplies counts until the search is done. Each drawing formats the rows
 * on the screen. Rows are sorted when counts change, but very many only at the end. Counting
 * stops at MEMORY_MAX, and a closed pane keeps no counts.
 */
#include "config.h"

#include "base/notice.h"
#include "export/export_flow.h"
#include "export/export_table.h"
#include "query/group/group_search.h"
#include "session/context/context.h"
#include "session/context/context_naming.h"
#include "session/flows.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/list/filters.h"
#include "ui/list/shown_rows.h"
#include "ui/panes/pane_detail.h"
#include "ui/panes/pane_table.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"
#include "ui/screen/term.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SORTED_EARLY = 20000, /* most rows sorted while counting runs */
	MEMORY_MAX = 256,     /* MiB that the rows may take */
	COPY_MAX = 64 * 1024, /* bytes; many terminals drop longer texts */
	NAME_COLUMNS = 8,     /* least width of a name that needs it */
	NUMBER_COLUMNS = 12,  /* width of a number */
	OTHER_COLUMNS = 61,   /* width of the columns after the names */
	WIDE = 100,	      /* least width for times with nanoseconds */
	MICRO = 6	      /* decimals of times in narrower panes */
};

/* The contents of a screen column. */
enum cell_kind { CELL_NAME, CELL_COLUMN, CELL_SEVERITY };

struct table_cell {
	enum cell_kind kind;
	unsigned number; /* of the name, enum group_column, or severity */
};

struct table_state {
	struct table table;
	struct group_spec spec, counts; /* counts: the same names, only counted */
	struct group_search *search;	/* or NULL */
	struct shown_rows rows;		/* rows of the search */
	bool complete;			/* the counts are final */
	bool full;			/* counting stopped at MEMORY_MAX; reported */
	struct group *indexed;		/* counts of the index until the search is done, or NULL */
	uint64_t found_generation;	/* epoch of the members below */
	size_t *order;
	size_t count;
	unsigned sort; /* a column, as for group_sort() */
	bool sorted;   /* `order` is sorted by `sort` */
	bool waits;    /* unsorted until all rows are counted */

	/* only while drawing */
	struct group *group;
	struct table_column columns[TABLE_COLUMNS_MAX];
	struct table_cell cells[TABLE_COLUMNS_MAX];
	size_t cell_count;
	bool narrow;
	struct text text;
};

static struct table_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_TABLE];
}

static void
drop_search(struct table_state *state)
{
	group_search_free(state->search);
	group_free(state->indexed);
	state->search = NULL;
	state->indexed = NULL;
	shown_rows_free(&state->rows);
	free(state->order);
	state->order = NULL;
	state->full = false;
	state->found_generation = 0;
	state->count = 0;
}

static void
table_close(void *context)
{
	struct table_state *state = context;
	drop_search(state);
	group_spec_free(&state->spec);
	text_free(&state->text);
	table_free(&state->table);
}

/* --- counts ---------------------------------------------------------------- */

/* Return the epoch of the values that rows are grouped by. */
static uint64_t
generation_of(struct screen *screen)
{
	const struct session *session = screen->session;
	unsigned needs = state_of(screen)->spec.needs;
	uint64_t now = generation_join(
	    needs & VALUE_NEEDS_CONTEXTS ? contexts_generation(session->contexts) : 0,
	    needs & VALUE_NEEDS_FLOW ? flows_generation(session) : 0);
	for (size_t i = 0; i < session->traces.count; i++)
		now = generation_join(now, trace_generation(session->traces.at[i]),
				      context_naming_generation(session->traces.at[i]));
	return now;
}

/* Start to count the shown rows, unless that runs already. */
static void
start_search(struct screen *screen)
{
	struct table_state *state = state_of(screen);
	uint64_t generation = generation_of(screen);
	if (state->search && shown_rows_are_current(&state->rows, screen, generation))
		return;
	drop_search(state);
	if (state->spec.needs & VALUE_NEEDS_CONTEXTS && screen->session->contexts)
		contexts_start(screen->session->contexts);
	shown_rows_take(&state->rows, screen, generation);
	state->search =
	    group_search_new(screen->session, &state->spec, screen->filter, state->rows.hidden,
			     (size_t)MEMORY_MAX << 20);
}

/* Count by the index alone. False if filter or names need messages. */
static bool
count_indexed(struct screen *screen)
{
	struct table_state *state = state_of(screen);
	uint16_t all, none;
	filter_severities(screen->filter, &all, &none);
	group_free(state->indexed);
	state->indexed = NULL;
	if ((all | none) != SEVERITY_ALL)
		return false;
	for (size_t i = 0; i < screen->session->traces.count; i++)
		if (!group_is_indexed(&state->counts, screen->lists[i].lanes[0].reader))
			return false;
	state->indexed = group_new(&state->counts);
	for (size_t i = 0; i < screen->session->traces.count; i++)
		if (!state->rows.hidden[i])
			group_add_index(state->indexed, screen->lists[i].lanes[0].reader, all);
	return true;
}

/* Hold the current counts, in order; release_group() releases them. */
static void
hold_group(struct screen *screen)
{
	struct table_state *state = state_of(screen);
	start_search(screen);
	unsigned found = group_search_generation(state->search);
	bool done = group_search_is_done(state->search);
	state->complete = done && !group_search_is_full(state->search) && screen->indexed &&
			  clocks_are_settled(screen->session->clocks);
	bool news = generation_renew(&state->found_generation, found);
	if (news && !done)
		count_indexed(screen);
	if (done && state->indexed) {
		group_free(state->indexed);
		state->indexed = NULL;
	}
	state->group = group_search_hold(state->search);
	if (state->indexed)
		state->group = state->indexed;
	if (!news && state->sorted && state->count == group_count(state->group))
		return;
	state->count = group_count(state->group);
	state->order = mem_resize(state->order, (state->count + 1) * sizeof *state->order);
	state->waits = !done && state->count > SORTED_EARLY;
	if (!state->waits)
		group_sort(state->group, state->sort, false, state->order);
	else
		for (size_t i = 0; i < state->count; i++)
			state->order[i] = i;
	state->sorted = true;
}

static void
release_group(struct screen *screen)
{
	group_search_release(state_of(screen)->search);
}

static bool
table_has_news(struct screen *screen)
{
	struct table_state *state = state_of(screen);
	if (!screen->open[PANE_TABLE]) {
		drop_search(state);
		return false;
	}
	if (state->search && !state->full && group_search_is_full(state->search)) {
		screen_notice(screen, NOTICE_TABLE_FULL, MEMORY_MAX);
		state->full = true;
	}
	return state->search &&
	       (group_search_generation(state->search) != state->found_generation ||
		!shown_rows_are_current(&state->rows, screen, generation_of(screen)));
}

/* --- names ------------------------------------------------------------------ */

/* Take ownership of SPEC and drop the old counts. */
static void
take_spec(struct table_state *state, struct group_spec spec)
{
	drop_search(state);
	group_spec_free(&state->spec);
	spec.by_severity = true;
	state->spec = state->counts = spec;
	state->counts.counted = 1u << GROUP_COLUMN_COUNT | 1u << GROUP_COLUMN_SHARE;
	state->sort = GROUP_COLUMN_COUNT;
	state->sorted = false;
	state->table.cursor.line = state->table.cursor.top = 0;
}

static bool
set_spec(struct screen *screen, const char *by, const char *of)
{
	struct group_spec spec;
	struct err err = {0};
	if (group_spec_make(&spec, by, of, screen->session, &err) < 0) {
		screen_error(screen, NOTICE_TABLE_REFUSED, err.what);
		return false;
	}
	take_spec(state_of(screen), spec);
	return true;
}

/* Group by a field. Use its label if that is a name: arguments have one. */
static bool
set_field(struct screen *screen, const struct field *field)
{
	struct group_spec spec;
	struct err unused;
	if (!field->label ||
	    group_spec_make(&spec, field->label, NULL, screen->session, &unused) < 0)
		return set_spec(screen, field->row->name, NULL);
	take_spec(state_of(screen), spec);
	return true;
}

/* Group by `NAMES of NAME`. NULL: by the field under the cursor if the detail pane has the focus,
 * else by origin. On an unknown name, show an error and return false. */
static bool
table_set_names(struct screen *screen, const char *names)
{
	static const char before[] = " of ";
	const struct field *field =
	    screen->focus == PANE_DETAIL && !names ? detail_field(screen) : NULL;
	if (field && field->row->type < FIELD_LIST)
		return set_field(screen, field);
	if (!names)
		return set_spec(
		    screen, screen->session->traces.count > 1 ? "trace,origin" : "origin", NULL);
	const char *of = strstr(names, before);
	struct text by = {0};
	text_add_bytes(&by, names, of ? (size_t)(of - names) : strlen(names));
	bool good = set_spec(screen, text_get(&by), of ? of + sizeof before - 1 : NULL);
	text_free(&by);
	return good;
}

/* Append the names, with ", " between. */
static void
add_names(const struct group_spec *spec, struct text *out)
{
	for (size_t i = 0; i < spec->by_count; i++)
		text_addf(out, "%s%s", i ? ", " : "", value_name_text(spec->by[i]));
}

/* --- columns ----------------------------------------------------------------- */

static void
add_column(struct table_state *state, enum cell_kind kind, unsigned number, const char *title,
	   struct table_column column)
{
	if (state->cell_count == TABLE_COLUMNS_MAX)
		return;
	column.title = title;
	state->cells[state->cell_count] = (struct table_cell){kind, number};
	state->columns[state->cell_count++] = column;
}

/* Return the width of a name's values on the screen. */
static int
name_columns(struct screen *screen, const struct area *area, size_t name)
{
	struct table_state *state = state_of(screen);
	const struct group_spec *spec = &state->spec;
	const char *title = value_name_text(spec->by[name]);
	int width = text_columns(title, strlen(title), screen->charset);
	size_t top = state->table.cursor.top;
	for (size_t i = top; i < state->count && i < top + (size_t)area->rows; i++) {
		const struct group_row *row = group_row(state->group, state->order[i]);
		struct group_key key;
		text_clear(&state->text);
		group_get_key(row, name, &key);
		group_add_key_text(spec, name, &key, &state->text);
		int own = text_columns(text_get(&state->text), state->text.length, screen->charset);
		width = own > width ? own : width;
	}
	return width;
}

/* Add the columns of names. Narrow the widest ones to make room for other columns. False if that is
 * not enough. */
static bool
add_name_columns(struct screen *screen, const struct area *area)
{
	struct table_state *state = state_of(screen);
	size_t count = state->spec.by_count;
	int widths[GROUP_NAMES_MAX], left = area->cols - OTHER_COLUMNS;
	for (size_t i = 0; i < count; i++) {
		widths[i] = name_columns(screen, area, i);
		left -= widths[i] + 2;
	}
	for (size_t widest = 0; left < 0; left++) {
		for (size_t i = 0; i < count; i++)
			widest = widths[i] > widths[widest] ? i : widest;
		if (widths[widest] <= NAME_COLUMNS)
			break;
		widths[widest]--;
	}
	for (size_t i = 0; i < count; i++)
		add_column(state, CELL_NAME, (unsigned)i, value_name_text(state->spec.by[i]),
			   (struct table_column){.width = widths[i], .gap = 2});
	return left >= 0;
}

/* Return a bit set of the number columns that fit, the most useful ones first. */
static unsigned
choose_numbers(const struct group_spec *spec, const struct area *area)
{
	static const enum group_column of_any[] = {
	    GROUP_COLUMN_P50, GROUP_COLUMN_MAX, GROUP_COLUMN_MIN,  GROUP_COLUMN_SUM,
	    GROUP_COLUMN_P90, GROUP_COLUMN_P99, GROUP_COLUMN_MEAN, GROUP_COLUMN_SHARE};
	static const enum group_column of_parts[sizeof of_any / sizeof *of_any] = {
	    GROUP_COLUMN_SUM, GROUP_COLUMN_PART, GROUP_COLUMN_VALUES, GROUP_COLUMN_MAX,
	    GROUP_COLUMN_P50, GROUP_COLUMN_MIN,	 GROUP_COLUMN_P90,    GROUP_COLUMN_P99};
	const enum group_column *first = value_is_part(spec->of) ? of_parts : of_any;
	unsigned chosen = 0;
	int left = area->cols - 2 * NUMBER_COLUMNS;
	for (size_t i = 0; i < sizeof of_any / sizeof *of_any && left >= NUMBER_COLUMNS; i++) {
		chosen |= 1u << first[i];
		left -= NUMBER_COLUMNS;
	}
	return chosen;
}

static void
make_columns(struct screen *screen, const struct area *area)
{
	static const unsigned severities[] = {SEVERITY_FATAL, SEVERITY_ERROR, SEVERITY_WARNING};
	static const char *const letters[] = {"F", "E", "W"};
	struct table_state *state = state_of(screen);
	const struct table_column right = {.width = TABLE_FIT, .gap = 2, .right = true};
	unsigned chosen = 1u << GROUP_COLUMN_COUNT;
	if (state->spec.of)
		chosen |= choose_numbers(&state->spec, area);
	else
		chosen |= 1u << GROUP_COLUMN_SHARE | 1u << GROUP_COLUMN_FIRST |
			  1u << GROUP_COLUMN_LAST | 1u << GROUP_COLUMN_GAP;
	state->cell_count = 0;
	state->narrow = area->cols < WIDE;
	if (!add_name_columns(screen, area))
		chosen &= ~(1u << GROUP_COLUMN_FIRST);
	for (unsigned c = 0; c < GROUP_COLUMNS; c++) {
		if (chosen >> c & 1)
			add_column(state, CELL_COLUMN, c,
				   c == GROUP_COLUMN_GAP ? "gap" : group_column_names[c], right);
		for (size_t s = 0; c == GROUP_COLUMN_SHARE && !state->spec.of && s < 3; s++)
			add_column(state, CELL_SEVERITY, severities[s], letters[s],
				   (struct table_column){
				       .width = TABLE_FIT, .gap = s < 2 ? 1 : 2, .right = true});
	}
}

/* --- cells -------------------------------------------------------------------- */

/* Append a time in the format of the list. */
static void
add_time(const struct group_time *time, enum zone zone, bool narrow, struct text *out)
{
	bool back = time->order < 0;
	const struct display_time shown = {.clock = {1e9, time->wall, zone},
					   .ticks = back ? -(uint64_t)time->order
							 : (uint64_t)time->order,
					   .before = back,
					   .common = true};
	if (!time->known) {
		text_add_uint(out, (uint64_t)time->order);
		return;
	}
	display_time_format_parts(&shown, NULL, out);
	const char *point = strrchr(text_get(out), '.');
	size_t end = point ? (size_t)(point - out->data) + 1 + MICRO : out->length;
	if (narrow && end < out->length)
		text_cut(out, end);
}

/* Append the time of a row's last message. Drop the parts before a `:` that it shares with the
 * first. */
static void
add_last(const struct group_row *row, enum zone zone, bool narrow, struct text *out)
{
	struct text first = {0}, last = {0};
	add_time(&row->first, zone, narrow, &first);
	add_time(group_row_last(row), zone, narrow, &last);
	size_t same = 0;
	for (size_t i = 0; i < first.length && i < last.length; i++) {
		if (first.data[i] != last.data[i])
			break;
		if (last.data[i] == ':')
			same = i + 1;
	}
	text_add(out, text_get(&last) + same);
	text_free(&first);
	text_free(&last);
}

static void
put_count(struct table_row *row, size_t column, enum role role, uint64_t count)
{
	if (count)
		table_putf(row, column, role, "%llu", (unsigned long long)count);
	else
		table_putf(row, column, ROLE_ABSENT, ".");
}

static void
put_column(struct screen *screen, struct table_row *row, size_t c, size_t at)
{
	struct table_state *state = state_of(screen);
	const struct group_row *counted = group_row(state->group, at);
	enum group_column column = (enum group_column)state->cells[c].number;
	enum zone zone = state->spec.zone = screen->session->host.zone;
	struct value value;
	text_clear(&state->text);
	group_value(state->group, at, column, &value);
	if (value.type == VALUE_ABSENT)
		text_add(&state->text, state->indexed ? "..." : "-");
	else if (column == GROUP_COLUMN_FIRST)
		add_time(&counted->first, zone, state->narrow, &state->text);
	else if (column == GROUP_COLUMN_LAST)
		add_last(counted, zone, state->narrow, &state->text);
	else
		group_add_cell(state->group, &state->spec, at, column, &state->text);
	table_put(row, c, value.type == VALUE_ABSENT ? ROLE_ABSENT : ROLE_NORMAL,
		  text_get(&state->text), state->text.length);
}

static void
put_name(struct screen *screen, struct table_row *row, size_t c, const struct group_row *counted)
{
	struct table_state *state = state_of(screen);
	struct group_key key;
	group_get_key(counted, state->cells[c].number, &key);
	enum role role = key.absent ? ROLE_ABSENT : ROLE_NORMAL;
	text_clear(&state->text);
	group_add_key_text(&state->spec, state->cells[c].number, &key, &state->text);
	table_put(row, c, row->current && !c ? ROLE_CURSOR : role, text_get(&state->text),
		  state->text.length);
}

/* Fill the last line, with the totals. */
static void
fill_totals(struct screen *screen, struct table_row *row)
{
	struct table_state *state = state_of(screen);
	for (size_t c = 0; c < state->cell_count; c++) {
		const struct table_cell *cell = &state->cells[c];
		uint64_t sum = 0;
		for (size_t i = 0; cell->kind == CELL_SEVERITY && i < state->count; i++)
			sum += group_row(state->group, i)->more->severities[cell->number];
		if (cell->kind == CELL_SEVERITY)
			put_count(row, c, severity_role(cell->number), sum);
		else if (cell->kind == CELL_COLUMN && cell->number == GROUP_COLUMN_COUNT)
			table_putf(row, c, ROLE_NORMAL, "%llu",
				   (unsigned long long)group_messages(state->group));
		else
			table_putf(row, c, row->current && !c ? ROLE_CURSOR : ROLE_NOTE, "%s",
				   c ? "" : "all");
	}
}

static void
fill_row(struct screen *screen, struct table_row *row, size_t i)
{
	struct table_state *state = state_of(screen);
	if (i == state->count) {
		fill_totals(screen, row);
		return;
	}
	const struct group_row *counted = group_row(state->group, state->order[i]);
	for (size_t c = 0; c < state->cell_count; c++) {
		const struct table_cell *cell = &state->cells[c];
		if (cell->kind == CELL_NAME)
			put_name(screen, row, c, counted);
		else if (cell->kind == CELL_SEVERITY)
			put_count(row, c, severity_role(cell->number),
				  counted->more->severities[cell->number]);
		else
			put_column(screen, row, c, state->order[i]);
	}
}

/* --- drawing -------------------------------------------------------------------- */

static void
table_draw_pane(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct table_state *state = state_of(screen);
	hold_group(screen);
	make_columns(screen, area);
	const struct table_spec spec = {.pane = PANE_TABLE,
					.columns = state->columns,
					.column_count = state->cell_count,
					.left = 1,
					.count = state->count ? state->count + 1 : 0,
					.fill = fill_row};
	const struct area body = table_body(&spec, area);
	if (!table_draw(&state->table, screen, &spec, canvas, area))
		canvas_puts(canvas, &body, 0, 1, ROLE_ABSENT,
			    state->complete ? "no messages" : "...");
	release_group(screen);
}

static const char *
sort_name(const struct table_state *state)
{
	return state->sort >= GROUP_COLUMNS
		   ? value_name_text(state->spec.by[state->sort - GROUP_COLUMNS])
		   : group_column_names[state->sort];
}

static void
table_title(struct screen *screen, struct text *out)
{
	struct table_state *state = state_of(screen);
	hold_group(screen);
	text_add(out, "table  ");
	add_names(&state->spec, out);
	if (state->spec.of)
		text_addf(out, " of %s", value_name_text(state->spec.of));
	char digits[32];
	text_addf(out, "  %s%s %s %s", text_number(digits, state->count),
		  state->complete ? "" : "+", state->waits ? "to be sorted by" : "by",
		  sort_name(state));
	if (state->full)
		text_addf(out, "  of the first %s messages",
			  text_number(digits, group_messages(state->group)));
	release_group(screen);
}

/* --- commands --------------------------------------------------------------------- */

static size_t
count_lines(struct screen *screen)
{
	const struct table_state *state = state_of(screen);
	return state->count ? state->count + 1 : 0;
}

/* Sort by the next column on the screen. */
static void
table_sort(struct screen *screen, const struct command_call *call)
{
	struct table_state *state = state_of(screen);
	size_t at = 0;
	(void)call;
	for (size_t c = 0; c < state->cell_count; c++) {
		const struct table_cell *cell = &state->cells[c];
		unsigned own = cell->number + (cell->kind == CELL_NAME ? GROUP_COLUMNS : 0);
		if (cell->kind != CELL_SEVERITY && own == state->sort)
			at = c;
	}
	do
		at = (at + 1) % (state->cell_count ? state->cell_count : 1);
	while (state->cells[at].kind == CELL_SEVERITY);
	state->sort =
	    state->cells[at].number + (state->cells[at].kind == CELL_NAME ? GROUP_COLUMNS : 0);
	state->sorted = false;
}

static void
table_by(struct screen *screen, const struct command_call *call)
{
	struct table_state *state = state_of(screen);
	struct text by = {0};
	char *of = state->spec.of ? mem_text(value_name_text(state->spec.of)) : NULL;
	add_names(&state->spec, &by);
	text_addf(&by, ", %s", call->text);
	set_spec(screen, text_get(&by), of);
	free(of);
	text_free(&by);
}

/* Append the condition that a name has the value of a key. */
static void
add_equation(const char *name, const struct group_key *key, struct text *out)
{
	if (key->absent && !strcmp(name, "origin")) {
		text_add(out, "origin = \"\"");
		return;
	}
	if (key->absent && !key->length) {
		text_addf(out, "not %s", name);
		return;
	}
	text_addf(out, "%s = ", name);
	if (!strcmp(name, "severity") || !strcmp(name, "kind"))
		text_add_bytes(out, key->text, key->length);
	else if (key->is_named)
		text_addf(out, "%.0Lf", key->number);
	else if (key->is_number)
		text_add_bytes(out, key->text, key->length);
	else
		filter_quote(key->text, key->length, out);
}

/* Append the filter expression for the row under the cursor. False without a row. */
static bool
describe_row(struct screen *screen, struct text *out)
{
	struct table_state *state = state_of(screen);
	const struct group_spec *spec = &state->spec;
	size_t line = state->table.cursor.line;
	hold_group(screen);
	bool any = line < state->count;
	for (size_t i = 0; any && i < spec->by_count; i++) {
		struct group_key key;
		group_get_key(group_row(state->group, state->order[line]), i, &key);
		text_add(out, i ? " and " : "");
		add_equation(value_name_text(spec->by[i]), &key, out);
	}
	release_group(screen);
	return any;
}

static void
table_only(struct screen *screen, const struct command_call *call)
{
	struct text text = {0};
	(void)call;
	if (describe_row(screen, &text))
		filters_add(screen, text_get(&text), false);
	text_free(&text);
}

static void
table_copy(struct screen *screen, const struct command_call *call)
{
	struct table_state *state = state_of(screen);
	struct text text = {0};
	struct err unused;
	const struct export_sink sink = {.out = &text};
	(void)call;
	hold_group(screen);
	export_table_write_rows(EXPORT_ROWS_TABS, state->group, &state->spec, state->order,
				state->count, screen->charset, &sink, &unused);
	release_group(screen);
	if (text.length > COPY_MAX) {
		screen_error(screen, NOTICE_TABLE_TOO_LARGE, state->count);
	} else {
		term_copy(screen->term, text_get(&text), text.length);
		screen_say(screen, NOTICE_TABLE_COPIED, state->count);
	}
	text_free(&text);
}

size_t
table_add_rows(struct screen *screen, enum export_rows rows, struct text *out, bool *complete)
{
	struct table_state *state = state_of(screen);
	struct err none = {0};
	const struct export_sink sink = {.out = out};
	hold_group(screen);
	export_table_write_rows(rows, state->group, &state->spec, state->order, state->count,
				TEXT_UTF8, &sink, &none);
	release_group(screen);
	*complete = state->complete;
	return state->count;
}

static pane_command *const table_commands[COMMAND_COUNT] = {
    [COMMAND_TABLE_SORT] = table_sort,
    [COMMAND_TABLE_BY] = table_by,
    [COMMAND_TABLE_ONLY] = table_only,
    [COMMAND_COPY] = table_copy,
};

const struct pane_ops pane_table = {
    .name = "table",
    .scope = SCOPE_TABLE,
    .state_size = sizeof(struct table_state),
    .close = table_close,
    .prepare = table_set_names,
    .title = table_title,
    .keys = {{COMMAND_TABLE_SORT, .word = "sort"},
	     {COMMAND_TABLE_BY, .word = "group"},
	     {COMMAND_TABLE_ONLY, .word = "only"},
	     {COMMAND_TABLE, .word = "close"}},
    .draw = table_draw_pane,
    .commands = table_commands,
    .lines = count_lines,
    .news = table_has_news,
};
