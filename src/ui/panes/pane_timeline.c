/*
 * The timeline: how many messages there are when, a lane for each trace, with
 * what held meanwhile.
 *
 * What is drawn comes from query/density.h: at once from the index, and better
 * by itself.  The cursor is that of the list: a move in one is a move in the other.
 * A cell shows the worst of its column: `~` for loss, `!` for errors, else a glyph
 * for how many messages there are, by the root of their share of the largest number
 * in sight.
 */
#include "config.h"

#include "ui/panes/pane_timeline.h"
#include "query/density.h"
#include "query/filter/filter.h"
#include "session/clock/clock_text.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/session.h"
#include "ui/list/filters.h"
#include "ui/list/display_time.h"
#include "ui/list/range.h"
#include "ui/list/shown.h"
#include "ui/list/trail.h"
#include "ui/panes/pane.h"
#include "ui/screen/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	GUTTER_MAX = 16, /* columns for the names of lanes */
	LABEL_COLUMNS = 12,
	ORIGINS_MAX = 64,   /* lanes of one trace */
	SKIPPED_MAX = 4096, /* messages that one step passes by */
	RULER_ROWS = 4,	    /* from so many rows on there is a ruler, */
	FOOT_ROWS = 3,	    /* and a foot */
	/* beside its lanes: rule, ruler, foot; sync points, a context, a pair */
	OTHER_ROWS = 6
};

struct mark {
	bool set;
	int64_t time;
};

/* Traces that have moments in common in sight. */
struct pair {
	size_t a, b;
	char *name; /* safe */
};

struct timeline_state {
	struct density *density;
	const struct density_answer *answer; /* borrowed; see density_ask */
	struct density_window window;
	bool opened; /* the window was chosen */
	/* lanes, and what they were made for: */
	VEC(struct density_lane) lanes;
	VEC(char *) names;	/* safe */
	bool *split;		/* per trace: a lane for each origin */
	struct matches **known; /* likewise its match set; borrowed while one asks */
	uint64_t basis;		/* lanes_basis() of them */
	VEC(unsigned) contexts; /* that have lanes */
	VEC(struct pair) pairs; /* likewise */
	size_t lane, top;	/* the line with the cursor, the first on the screen */
	size_t syncs, lines;	/* those of sync points (0 or 1), all of them */
	int gutter;		/* columns that the longest name took so far */
	/* the cursor, and the row of the list it was taken from: */
	struct mark cursor, a, b;
	size_t trace;
	struct message_id id;
	bool seen;
	char *brush; /* the filter that shows A to B, or NULL */
	struct text text;
};

static struct timeline_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_TIMELINE];
}

static void
drop_lanes(struct timeline_state *state)
{
	for (size_t i = 0; i < state->names.count; i++)
		free(state->names.at[i]);
	vec_clear(&state->names);
	vec_clear(&state->lanes);
}

static void
drop_pairs(struct timeline_state *state)
{
	for (size_t i = 0; i < state->pairs.count; i++)
		free(state->pairs.at[i].name);
	vec_clear(&state->pairs);
}

static void
timeline_close(void *context)
{
	struct timeline_state *state = context;
	density_free(state->density);
	drop_lanes(state);
	drop_pairs(state);
	vec_free(&state->names);
	vec_free(&state->lanes);
	vec_free(&state->contexts);
	vec_free(&state->pairs);
	free(state->split);
	free(state->known);
	free(state->brush);
	text_free(&state->text);
}

bool
timeline_has_news(struct screen *screen)
{
	const struct timeline_state *state = state_of(screen);
	return screen->layout.panes[PANE_TIMELINE].rows > 0 && state->density &&
	       density_has_news(state->density);
}

int
timeline_rows(const struct screen *screen)
{
	int rows = OTHER_ROWS;
	for (size_t i = 0; i < screen->session->traces.count; i++)
		rows += sequence_shows(screen->sequence, i);
	return rows;
}

/* --- time and columns -------------------------------------------------- */

static int64_t
clamp_time(__int128 value)
{
	return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* Where a column of the window begins; it need not be in sight. */
static int64_t
column_start(const struct density_window *w, int64_t column)
{
	return clamp_time((__int128)w->from + (__int128)column * (__int128)w->step);
}

static int64_t
column_of(const struct density_window *w, int64_t time)
{
	__int128 away = (__int128)time - w->from, step = (__int128)w->step;
	return clamp_time(away >= 0 ? away / step : -((step - 1 - away) / step));
}

static bool
is_in_sight(const struct density_window *w, int64_t time)
{
	int64_t column = column_of(w, time);
	return column >= 0 && column < (int64_t)w->columns;
}

/* The time of a message of a trace, or (CARRIED) that of the transport, as its track has
 * it. */
static bool
time_of(struct screen *screen, size_t trace, const struct message *m, bool carried, int64_t *time)
{
	const struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = state->answer;
	struct message_time found;
	struct trace *own = screen->session->traces.at[trace];
	if (carried ? clocks_transport_time(own, m, &found) : clocks_time(own, m, &found)) {
		*time = found.order;
		return true;
	}
	*time = (int64_t)message_id_offset(m);
	return answer && answer->first <= answer->last && answer->window.trace == trace &&
	       answer->unit == TRACK_OFFSETS;
}

/* The same for one without a time: what the transport had got to before it, in its cell. */
static bool
time_at(struct screen *screen, size_t trace, struct reader *reader, struct position at,
	int64_t *time)
{
	for (bool carried = false;; carried = true, at.at--) {
		const struct message *found = reader_message(reader, at);
		struct message m = found ? *found : (struct message){0};
		if (found && time_of(screen, trace, &m, carried, time))
			return true;
		if (!at.at || !found)
			return false;
	}
}

/* --- what is shown ----------------------------------------------------- */

static void
add_lane(struct timeline_state *state, struct density_lane lane, const struct text *name)
{
	if (state->lanes.count == DENSITY_LANES_MAX)
		return;
	*vec_add(&state->lanes) = lane;
	*vec_add(&state->names) = mem_text(text_get(name));
}

/* A lane for each origin of a trace, named as the list names it. */
static void
add_origins(struct screen *screen, size_t trace)
{
	struct timeline_state *state = state_of(screen);
	struct reader *reader = sequence_reader(screen->sequence, trace);
	index_origins origins = {0};
	struct expansion e = {0};
	index_get_origins(trace_index(screen->session->traces.at[trace]), &origins);
	for (size_t i = 0; i < origins.count && i < ORIGINS_MAX; i++) {
		struct message m;
		text_clear(&state->text);
		text_add(&state->text, " ");
		expansion_clear(&e);
		if (reader_find_origin(reader, &origins.at[i], &m))
			reader_expand(reader, &m, EXPAND_TEXT, &e);
		if (origins.at[i].key == UINT64_MAX)
			text_add(&state->text, "others");
		else if (e.origin.length)
			text_add_safe(&state->text, text_get(&e.origin), e.origin.length,
				      screen->charset);
		else
			text_add(&state->text, "no origin");
		add_lane(state, (struct density_lane){trace, true, origins.at[i].key},
			 &state->text);
	}
	expansion_free(&e);
	vec_free(&origins);
}

/* What lanes and their names depend on, as a hash: which ones are shown is no count. */
static uint64_t
lanes_basis(struct screen *screen)
{
	const struct timeline_state *state = state_of(screen);
	uint64_t basis = 1;
	for (size_t i = 0; i < screen->session->traces.count; i++) {
		struct trace *trace = screen->session->traces.at[i];
		basis = basis * 31 + trace_generation(trace) + sequence_shows(screen->sequence, i);
		if (state->split[i])
			basis = basis * 31 + 1 + index_known(trace_index(trace)) / INDEX_GROUP +
				screen->indexed;
	}
	return basis;
}

static void
make_lanes(struct screen *screen)
{
	struct timeline_state *state = state_of(screen);
	uint64_t basis = lanes_basis(screen);
	if (basis == state->basis)
		return;
	state->basis = basis;
	drop_lanes(state);
	for (size_t i = 0; i < screen->session->traces.count; i++) {
		if (!sequence_shows(screen->sequence, i))
			continue;
		text_clear(&state->text);
		screen_add_safe(screen, trace_name(screen->session->traces.at[i]), &state->text);
		add_lane(state, (struct density_lane){.trace = i}, &state->text);
		if (state->split[i])
			add_origins(screen, i);
	}
}

static bool
same_part(struct screen *screen, size_t a, size_t b)
{
	struct trace *const *traces = screen->session->traces.at;
	return a == b || clocks_part(traces[a]) == clocks_part(traces[b]);
}

static void
center_window(struct density_window *w, int64_t time)
{
	w->from = clamp_time((__int128)time - (__int128)w->step * (__int128)(w->columns / 2));
}

/* Takes the cursor from the list, if it moved there: before anything is made
 * of it, since several keys may come before a screen is drawn. */
static void
follow_list(struct screen *screen)
{
	struct timeline_state *state = state_of(screen);
	struct list *list = screen->list;
	const struct row *row = list_current(list);
	struct density_window *w = &state->window;
	if (!row)
		return;
	size_t trace = list->lanes[row->lane].number;
	if (state->seen && state->trace == trace && !message_id_compare(state->id, row->id))
		return;
	if (!state->opened || !same_part(screen, trace, w->trace)) {
		state->opened = true;
		w->trace = trace;
		w->fit = true;
	}
	bool moved = state->seen;
	struct mark *cursor = &state->cursor;
	bool known = state->answer && state->answer->first <= state->answer->last;
	bool timed = time_at(screen, trace, list->lanes[row->lane].reader, row->at, &cursor->time);
	if (!timed && known) /* before all that has a time */
		cursor->time = state->answer->first;
	cursor->set = timed || known;
	state->seen = cursor->set; /* else it is asked again when more is known */
	state->trace = trace;
	state->id = row->id;
	if (moved && cursor->set && !w->fit && !is_in_sight(w, cursor->time))
		center_window(w, cursor->time);
}

static bool
is_of_pair(const struct density_link *link, const struct pair *pair)
{
	return link->a == pair->a && link->b == pair->b;
}

/* A line for each two traces that are shown and have moments in common. */
static void
make_pairs(struct screen *screen)
{
	struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = state->answer;
	drop_pairs(state);
	for (size_t i = 0; answer && i < answer->links.count; i++) {
		const struct density_link *link = &answer->links.at[i];
		size_t k = 0;
		while (k < state->pairs.count && !is_of_pair(link, &state->pairs.at[k]))
			k++;
		if (k < state->pairs.count || k == DENSITY_LANES_MAX ||
		    !sequence_shows(screen->sequence, link->a) ||
		    !sequence_shows(screen->sequence, link->b))
			continue;
		text_clear(&state->text);
		screen_add_safe(screen, trace_name(screen->session->traces.at[link->a]),
				&state->text);
		text_add_char(&state->text, '>');
		screen_add_safe(screen, trace_name(screen->session->traces.at[link->b]),
				&state->text);
		*vec_add(&state->pairs) =
		    (struct pair){link->a, link->b, mem_text(state->text.data)};
	}
}

/* The match sets of a list, by the numbers of their traces. */
static void
find_matches(const struct list *list, struct matches **known, size_t traces)
{
	memset(known, 0, traces * sizeof *known);
	for (size_t i = 0; i < list->matches.count; i++)
		known[list->lanes[i].number] = list->matches.of[i];
}

static void
ask_density(struct screen *screen, size_t columns)
{
	struct timeline_state *state = state_of(screen);
	struct density_window *w = &state->window;
	const struct row *row = list_current(screen->list);
	struct density_origin of = {.with_contexts = row != NULL};
	if (row) {
		of.trace = screen->list->lanes[row->lane].number;
		of.origin = row->message.origin;
	}
	if (!w->fit && w->columns != columns && w->columns) { /* the same time */
		unsigned __int128 length = (unsigned __int128)w->step * w->columns;
		length = (length + columns - 1) / columns;
		w->step = length > INT64_MAX ? INT64_MAX : (uint64_t)length + !length;
	}
	w->columns = columns;
	if (!state->known)
		state->known = mem_new(screen->session->traces.count * sizeof *state->known);
	const struct density_passing passing = {screen->list->filter, state->known};
	find_matches(screen->list, state->known, screen->session->traces.count);
	state->answer =
	    density_ask(state->density, w, state->lanes.at, state->lanes.count, &of, &passing);
	make_pairs(screen);
	const struct density_answer *answer = state->answer;
	if (!answer || !answer->refined)
		return;
	vec_clear(&state->contexts);
	for (size_t i = 0; i < answer->spans.count; i++) {
		unsigned context = answer->spans.at[i].context;
		size_t count = state->contexts.count;
		if (!count || state->contexts.at[count - 1] != context)
			*vec_add(&state->contexts) = context;
	}
}

/* The answer, if it tells something of what is on the screen. */
static const struct density_answer *
answer_of(const struct timeline_state *state)
{
	const struct density_answer *answer = state->answer;
	bool fits = answer && answer->first <= answer->last &&
		    answer->window.columns == state->window.columns &&
		    answer->lanes == state->lanes.count;
	return fits ? answer : NULL;
}

/* --- words ------------------------------------------------------------- */

static uint64_t
power_of_ten(int digits)
{
	uint64_t value = 1;
	while (digits-- > 0)
		value *= 10;
	return value;
}

/* Appends a time as exactly as steps of STEP need it. */
static void
add_time(const struct density_answer *answer, int64_t time, uint64_t step, bool date,
	 struct text *out)
{
	int digits = 9;
	if (answer->unit == TRACK_OFFSETS) {
		text_addf(out, "0x%llx", (unsigned long long)time);
		return;
	}
	if (answer->unit == TRACK_TICKS) {
		text_addf(out, "%lld", (long long)time);
		return;
	}
	while (digits && step % 10 == 0) {
		step /= 10;
		digits--;
	}
	bool before = time < 0;
	uint64_t ns = before ? -(uint64_t)time : (uint64_t)time;
	struct display_time shown = {
	    .clock = {.hz = (double)power_of_ten(digits), .has_epoch = answer->wall},
	    .ticks = ns / power_of_ten(9 - digits),
	    .before = before};
	size_t start = out->length;
	display_time_format(&shown, out);
	const char *blank = strchr(out->data + start, ' ');
	if (!date && blank) { /* the time of the day only */
		struct text rest = {0};
		text_add(&rest, blank + 1);
		text_cut(out, start);
		text_add(out, rest.data);
		text_free(&rest);
	}
}

/* Appends a length with so many digits. */
static void
add_length(const struct density_answer *answer, uint64_t length, int digits, struct text *out)
{
	static const struct {
		double least;
		const char *unit;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
	size_t i = 0;
	if (answer->unit == TRACK_OFFSETS) {
		text_add_size(out, length);
		return;
	}
	if (answer->unit == TRACK_TICKS) {
		text_addf(out, "%llu ticks", (unsigned long long)length);
		return;
	}
	while ((double)length < units[i].least)
		i++;
	double value = (double)length / (units[i].least > 0 ? units[i].least : 1);
	if (value < 1000)
		text_addf(out, "%.*g %s", digits, value, units[i].unit);
	else /* seconds: never with an exponent */
		text_addf(out, "%.0f %s", value, units[i].unit);
}

/* A round number of units, at least LEAST. */
static uint64_t
round_up(const struct density_answer *answer, double least)
{
	static const double parts[] = {1, 2, 5, 10};
	double ten = 1;
	size_t i = 0;
	if (answer->unit == TRACK_OFFSETS) {
		while (ten < least)
			ten *= 2;
		return ten < 0x1p62 ? (uint64_t)ten : (uint64_t)1 << 62;
	}
	while (ten * 10 < least)
		ten *= 10;
	while (parts[i] * ten < least && i < 3)
		i++;
	return parts[i] * ten < 4e18 ? (uint64_t)(parts[i] * ten) : (uint64_t)4e18;
}

/* The step that times in the title and foot are exact to. */
static uint64_t
title_step(const struct density_answer *answer)
{
	return round_up(answer, (double)answer->window.step / 10);
}

/* --- drawing ----------------------------------------------------------- */

static uint64_t
sum_of(const struct density_column *column)
{
	uint64_t sum = 0;
	for (int s = 0; s < SEVERITY_COUNT; s++)
		sum += column->severities[s];
	return sum;
}

static uint64_t
largest_count(const struct density_answer *answer)
{
	uint64_t most = 1;
	for (size_t i = 0; i < answer->lanes * answer->window.columns; i++) {
		uint64_t sum = sum_of(&answer->columns[i]);
		most = sum > most ? sum : most;
	}
	return most;
}

/* What a column looks like. */
static const char *
glyph_of(const struct screen *screen, const struct density_column *column, double most,
	 size_t trace, enum role *role)
{
	static const char *const ascii[] = {".", ":", "i", "I"};
	static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
					     "\u2585", "\u2586", "\u2587", "\u2588"};
	size_t levels = screen->charset == TEXT_ASCII ? 4 : 8;
	uint64_t sum = sum_of(column);
	*role = trace_role(screen->session, trace);
	if (!sum && !column->open && !column->hidden)
		return " ";
	if (column->flags & (MESSAGE_LOST | MESSAGE_DAMAGED)) {
		*role = ROLE_LOSS;
		return "~";
	}
	if (!sum) { /* some may be here; or all are hidden by a filter */
		*role = ROLE_ABSENT;
		return column->open ? "-" : screen->charset == TEXT_ASCII ? ascii[0] : blocks[0];
	}
	if (column->severities[SEVERITY_FATAL] || column->severities[SEVERITY_ERROR]) {
		*role = column->severities[SEVERITY_FATAL] ? ROLE_FATAL : ROLE_ERROR;
		return "!";
	}
	if (column->severities[SEVERITY_WARNING])
		*role = ROLE_WARNING;
	else if (column->estimated > sum / 4)
		*role = ROLE_ABSENT;
	size_t level = (size_t)(sqrt((double)sum / most) * (double)levels);
	level = level < levels ? level : levels - 1;
	return screen->charset == TEXT_ASCII ? ascii[level] : blocks[level];
}

static void
draw_density(struct screen *screen, const struct area *area, int y, size_t lane)
{
	const struct density_answer *answer = answer_of(state_of(screen));
	const struct density_column *columns = &answer->columns[lane * answer->window.columns];
	size_t trace = state_of(screen)->lanes.at[lane].trace;
	double most = (double)largest_count(answer);
	if (answer->apart[lane]) {
		canvas_puts(screen->canvas, area, y, 0, ROLE_ABSENT,
			    "not on the common clock (:tie relates it)");
		return;
	}
	for (size_t c = 0; c < answer->window.columns; c++) {
		enum role role;
		const char *glyph = glyph_of(screen, &columns[c], most, trace, &role);
		if (*glyph != ' ')
			canvas_puts(screen->canvas, area, y, (int)c, role, glyph);
	}
}

static void
draw_spans(struct screen *screen, const struct area *area, int y, unsigned context)
{
	const struct density_answer *answer = answer_of(state_of(screen));
	struct text safe = {0};
	for (size_t i = 0; i < answer->spans.count; i++) {
		const struct density_span *s = &answer->spans.at[i];
		int from = (int)s->from, room = (int)(s->to - s->from) - 1;
		enum role role = s->doubtful ? ROLE_LOSS : ROLE_NORMAL;
		if (s->context != context)
			continue;
		if (room < 0) {
			canvas_puts(screen->canvas, area, y, from, role, "|");
			continue;
		}
		text_clear(&safe);
		text_add_safe(&safe, s->text, strlen(s->text), screen->charset);
		text_add(&safe, s->doubtful ? " ?" : "");
		canvas_puts(screen->canvas, area, y, from, role, "[");
		if (s->doubtful)
			canvas_fill(screen->canvas, area, y, from + 1, room, role, '~');
		canvas_put_cell(screen->canvas, area, y, from + 1, room, role, text_get(&safe),
				safe.length);
		canvas_puts(screen->canvas, area, y, (int)s->to, role, "]");
	}
	text_free(&safe);
}

static bool
has_sync(const struct density_answer *answer, size_t column)
{
	for (size_t lane = 0; lane < answer->lanes; lane++)
		if (answer->columns[lane * answer->window.columns + column].flags & MESSAGE_SYNC)
			return true;
	return false;
}

static bool
any_sync(const struct density_answer *answer)
{
	for (size_t c = 0; c < answer->window.columns; c++)
		if (has_sync(answer, c))
			return true;
	return false;
}

static void
draw_syncs(struct screen *screen, const struct area *area, int y)
{
	const struct density_answer *answer = answer_of(state_of(screen));
	for (size_t c = 0; c < answer->window.columns; c++)
		if (has_sync(answer, c))
			canvas_puts(screen->canvas, area, y, (int)c, ROLE_NOTE, "^");
}

/* A tick for each moment that two traces have in common; from the first one's to
 * the other's where these are apart. */
static void
draw_links(struct screen *screen, const struct area *area, int y, const struct pair *pair)
{
	const struct density_answer *answer = answer_of(state_of(screen));
	const char *line = screen->charset == TEXT_ASCII ? "-" : "\u2500";
	for (size_t i = 0; i < answer->links.count; i++) {
		const struct density_link *link = &answer->links.at[i];
		enum role role = link->rejected ? ROLE_WARNING : ROLE_NOTE;
		int from = (int)link->from, to = (int)link->to, step = from < to ? 1 : -1;
		if (!is_of_pair(link, pair))
			continue;
		for (int x = from + step; from != to && x != to; x += step)
			canvas_puts(screen->canvas, area, y, x, role, line);
		if (from != to)
			canvas_puts(screen->canvas, area, y, to, role, step > 0 ? ">" : "<");
		canvas_puts(screen->canvas, area, y, from, role, "^");
	}
}

static void
draw_mark(struct screen *screen, const struct area *area, int y, const struct mark *mark,
	  enum role role, const char *letter)
{
	const struct density_window *w = &answer_of(state_of(screen))->window;
	if (mark->set && is_in_sight(w, mark->time))
		canvas_puts(screen->canvas, area, y, (int)column_of(w, mark->time), role, letter);
}

static void
draw_marks(struct screen *screen, const struct area *area, int y)
{
	const struct timeline_state *state = state_of(screen);
	draw_mark(screen, area, y, &state->a, ROLE_MARK, "A");
	draw_mark(screen, area, y, &state->b, ROLE_MARK, "B");
	draw_mark(screen, area, y, &state->cursor, ROLE_CURSOR, "*");
}

/* Whether a mark stands between two columns, at which it would tear a label. */
static bool
any_mark(const struct timeline_state *state, const struct density_window *w, int64_t from,
	 int64_t to)
{
	const struct mark *marks[] = {&state->a, &state->b, &state->cursor};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		int64_t column = column_of(w, marks[i]->time);
		if (marks[i]->set && column >= from && column < to)
			return true;
	}
	return false;
}

/* Round times, each behind a bar at its column. */
static void
draw_ruler(struct screen *screen, const struct area *area, int y)
{
	struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = answer_of(state);
	const struct density_window *w = &answer->window;
	uint64_t step = round_up(answer, (double)w->step * LABEL_COLUMNS);
	text_clear(&state->text);
	add_time(answer, w->from, step, false, &state->text);
	size_t room = state->text.length + 2; /* of a label, and a blank */
	if (room > LABEL_COLUMNS)
		step = round_up(answer, (double)w->step * (double)room);
	__int128 time = w->from / (int64_t)step;
	for (time *= (int64_t)step; clamp_time(time) == time; time += (int64_t)step) {
		int64_t column = column_of(w, (int64_t)time);
		if (column >= (int64_t)w->columns)
			break;
		if (time < w->from)
			continue;
		text_clear(&state->text);
		text_add_char(&state->text, '|');
		add_time(answer, (int64_t)time, step, false, &state->text);
		size_t fits = state->text.length;
		if (any_mark(state, w, column, column + (int64_t)fits))
			fits = 1; /* the bar only */
		canvas_put(screen->canvas, area, y, (int)column, ROLE_HEADER, state->text.data,
			   fits);
	}
	draw_marks(screen, area, y);
}

static void
add_totals(const struct timeline_state *state, const struct density_answer *answer,
	   struct text *out)
{
	uint64_t severities[SEVERITY_COUNT] = {0}, sum = 0, losses = 0;
	char digits[32];
	bool open = false, shared = false;
	for (size_t lane = 0; lane < answer->lanes; lane++) {
		if (state->lanes.at[lane].by_origin) /* that of its trace has them */
			continue;
		for (size_t c = 0; c < answer->window.columns; c++) {
			const struct density_column *column =
			    &answer->columns[lane * answer->window.columns + c];
			for (int s = 0; s < SEVERITY_COUNT; s++)
				severities[s] += column->severities[s];
			losses += (column->flags & (MESSAGE_LOST | MESSAGE_DAMAGED)) != 0;
			open |= column->open;
			shared |= column->shared;
		}
	}
	for (int s = 0; s < SEVERITY_COUNT; s++)
		sum += severities[s];
	text_addf(out, "%s%s in view", open ? "~" : "", text_number(digits, sum));
	for (int s = SEVERITY_FATAL; s <= SEVERITY_WARNING; s++)
		if (severities[s])
			text_addf(out, "  %c:%s%llu", severity_letter((enum severity)s),
				  shared ? "~" : "", (unsigned long long)severities[s]);
	if (losses)
		text_addf(out, "  loss in %llu bins", (unsigned long long)losses);
}

/* Appends what lies between two marks. */
static void
add_between(const struct density_answer *answer, const char *name, const struct mark *from,
	    const struct mark *to, struct text *out)
{
	if (!from->set || !to->set)
		return;
	bool back = to->time < from->time;
	uint64_t length = back ? (uint64_t)from->time - (uint64_t)to->time
			       : (uint64_t)to->time - (uint64_t)from->time;
	text_addf(out, "  %s %s", name, back ? "-" : "");
	add_length(answer, length, 9, out);
}

static void
draw_foot(struct screen *screen, const struct area *area, int y)
{
	struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = answer_of(state);
	text_clear(&state->text);
	if (state->a.set || state->b.set) {
		add_between(answer, "A..B", &state->a, &state->b, &state->text);
		add_between(answer, "*-A", &state->a, &state->cursor, &state->text);
		add_between(answer, "*-B", &state->b, &state->cursor, &state->text);
	} else if (state->cursor.set) {
		text_add(&state->text, "  * ");
		add_time(answer, state->cursor.time, title_step(answer), true, &state->text);
	}
	size_t right = state->text.length;
	canvas_put(screen->canvas, area, y, area->cols - (int)right - 1, ROLE_NOTE,
		   text_get(&state->text), right);
	text_clear(&state->text);
	text_add_char(&state->text, ' ');
	add_totals(state, answer, &state->text);
	int room = area->cols - (int)right - 1;
	canvas_put(screen->canvas, area, y, 0, ROLE_NOTE, state->text.data,
		   text_fit(state->text.data, state->text.length, room > 0 ? room : 0, NULL));
}

/* The name of a line: a lane, a context, the sync points, or a pair of traces. */
static const char *
line_name(struct screen *screen, size_t line)
{
	const struct timeline_state *state = state_of(screen);
	if (line < state->lanes.count)
		return state->names.at[line];
	line -= state->lanes.count;
	if (line < state->contexts.count)
		return contexts_name(screen->session->contexts, state->contexts.at[line]);
	line -= state->contexts.count;
	return line < state->syncs ? "sync" : state->pairs.at[line - state->syncs].name;
}

static void
draw_line(struct screen *screen, const struct area *area, int y, size_t line, int gutter)
{
	struct timeline_state *state = state_of(screen);
	struct area right = {area->row, area->col + gutter, area->rows, area->cols - gutter};
	enum role role = ROLE_FIELD;
	if (line == state->lane && screen->focus == PANE_TIMELINE)
		role = ROLE_CURSOR;
	else if (line < state->lanes.count && screen->session->traces.count > 1)
		role = trace_role(screen->session, state->lanes.at[line].trace);
	struct text safe = {0};
	screen_add_safe(screen, line_name(screen, line), &safe);
	canvas_put_cell(screen->canvas, area, y, 0, gutter > 0 ? gutter - 1 : 0, role,
			text_get(&safe), safe.length);
	text_free(&safe);
	if (!answer_of(state))
		return;
	size_t contexts = state->lanes.count, syncs = contexts + state->contexts.count;
	if (line < contexts)
		draw_density(screen, &right, y, line);
	else if (line < syncs)
		draw_spans(screen, &right, y, state->contexts.at[line - contexts]);
	else if (line < syncs + state->syncs)
		draw_syncs(screen, &right, y);
	else
		draw_links(screen, &right, y, &state->pairs.at[line - syncs - state->syncs]);
}

/* The cell of the cursor in the lane of the list's message. */
static void
draw_cursor(struct screen *screen, const struct area *area, int y, size_t line, bool star)
{
	const struct timeline_state *state = state_of(screen);
	const struct density_window *w = &answer_of(state)->window;
	bool own = line < state->lanes.count && state->lanes.at[line].trace == state->trace &&
		   !state->lanes.at[line].by_origin;
	if (!own || !state->cursor.set || !is_in_sight(w, state->cursor.time))
		return;
	if (star)
		draw_marks(screen, area, y);
	else
		canvas_role(screen->canvas, area, y, (int)column_of(w, state->cursor.time), 1,
			    ROLE_CURSOR);
}

/* Columns for the names.  They do not become fewer when a line goes, since what is
 * in sight depends on them in turn. */
static int
gutter_for(struct screen *screen, int cols)
{
	struct timeline_state *state = state_of(screen);
	int most = state->gutter > 5 ? state->gutter : 5,
	    limit = cols / 4 < GUTTER_MAX ? cols / 4 : GUTTER_MAX;
	for (size_t i = 0; i < state->lines; i++) {
		const char *name = line_name(screen, i);
		int own = text_columns(name, strlen(name)) + 1;
		most = own > most ? own : most;
	}
	state->gutter = most;
	return most < limit ? most : limit;
}

static void
count_lines(struct timeline_state *state)
{
	const struct density_answer *answer = answer_of(state);
	state->syncs = answer && any_sync(answer);
	state->lines =
	    state->lanes.count + state->contexts.count + state->syncs + state->pairs.count;
}

static void
prepare_timeline(struct screen *screen, const struct area *area, int *gutter)
{
	struct timeline_state *state = state_of(screen);
	if (!state->density)
		state->density = density_new(screen->session);
	if (!state->split)
		state->split = mem_new(screen->session->traces.count * sizeof *state->split);
	make_lanes(screen);
	follow_list(screen);
	count_lines(state);
	*gutter = gutter_for(screen, area->cols);
	ask_density(screen, (size_t)(area->cols - *gutter));
	if (!state->seen)
		follow_list(screen); /* its unit is known by now */
	count_lines(state);
}

static void
timeline_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct timeline_state *state = state_of(screen);
	int gutter, y = 0, foot = area->rows >= FOOT_ROWS;
	bool ruler = area->rows >= RULER_ROWS;
	if (area->cols < 2 || area->rows < 1)
		return;
	prepare_timeline(screen, area, &gutter);
	const struct density_answer *answer = answer_of(state);
	struct area right = {area->row, area->col + gutter, area->rows, area->cols - gutter};
	size_t rows = (size_t)(area->rows - ruler - foot);
	if (state->lane >= state->lines)
		state->lane = state->lines ? state->lines - 1 : 0;
	if (state->lane < state->top || state->top + rows > state->lines)
		state->top = state->lane;
	if (state->lines <= rows)
		state->top = 0;
	else if (state->lane >= state->top + rows)
		state->top = state->lane - rows + 1;
	if (answer && ruler)
		draw_ruler(screen, &right, y);
	if (ruler && state->lines > rows)
		canvas_putf(canvas, area, y, 0, ROLE_NOTE, "%zu of %zu", rows, state->lines);
	y += ruler;
	for (size_t i = state->top; i < state->lines && i < state->top + rows; i++, y++) {
		draw_line(screen, area, y, i, gutter);
		if (answer)
			draw_cursor(screen, &right, y, i, !ruler);
	}
	if (!answer)
		canvas_puts(canvas, &right, ruler, 0, ROLE_ABSENT, "not known yet");
	else if (foot)
		draw_foot(screen, area, area->rows - 1);
}

/* How much time there is, and how much of it in a cell. */
static void
timeline_title(struct screen *screen, struct text *out)
{
	const struct density_answer *answer = answer_of(state_of(screen));
	text_add(out, answer && answer->unit == TRACK_OFFSETS ? "offsets" : "time");
	if (!answer)
		return;
	const struct density_window *w = &answer->window;
	unsigned __int128 length = (unsigned __int128)w->step * w->columns;
	text_add(out, "  ");
	add_length(answer, length > UINT64_MAX ? UINT64_MAX : (uint64_t)length, 4, out);
	text_add(out, "  ");
	add_length(answer, w->step, 3, out);
	text_add(out, " a cell");
	if (!answer->complete)
		text_add(out, "  so far");
	else if (!answer->refined)
		text_add(out, "  ~");
}

/* --- commands ---------------------------------------------------------- */

/* The window that is on the screen becomes one of its own, to be changed. */
static struct density_window *
hold_window(struct screen *screen)
{
	struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = answer_of(state);
	follow_list(screen);
	if (!answer)
		return NULL;
	if (state->window.fit) {
		state->window = answer->window;
		state->window.fit = false;
	}
	return &state->window;
}

static void
timeline_zoom(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	struct density_window *w = hold_window(screen);
	if (!w)
		return;
	bool in = call->id == COMMAND_TIMELINE_IN;
	bool seen = state->cursor.set && is_in_sight(w, state->cursor.time);
	int64_t column = seen ? column_of(w, state->cursor.time) : (int64_t)w->columns / 2;
	int64_t time = seen ? state->cursor.time : column_start(w, column);
	for (uint64_t left = call->count; left && left < 64; left--) {
		if (in)
			w->step = w->step > 1 ? w->step / 2 : 1;
		else if (w->step < (uint64_t)INT64_MAX / 2)
			w->step *= 2;
	}
	w->from = clamp_time((__int128)time - (__int128)column * (__int128)w->step);
	const struct density_answer *answer = state->answer;
	if (!in && w->from <= answer->first && column_start(w, (int64_t)w->columns) > answer->last)
		w->fit = true;
}

static void
timeline_pan(struct screen *screen, const struct command_call *call)
{
	struct density_window *w = hold_window(screen);
	if (!w)
		return;
	int64_t columns = (int64_t)(w->columns / 4 + 1) * command_steps(call);
	w->from = column_start(w, call->id == COMMAND_TIMELINE_LATER ? columns : -columns);
}

/* Shows what lies between two times, with a little room. */
static void
show_between(struct timeline_state *state, int64_t from, int64_t to)
{
	struct density_window *w = &state->window;
	uint64_t length = (uint64_t)to - (uint64_t)from;
	size_t columns = w->columns > 4 ? w->columns - 2 : 1;
	w->fit = false;
	w->step = length / columns + 1;
	w->from = clamp_time((__int128)from - (w->columns > 4 ? (__int128)w->step : 0));
}

/* A and B, the earlier one first; false if they are not both set. */
static bool
find_marked(const struct timeline_state *state, int64_t *from, int64_t *to)
{
	bool back = state->a.time > state->b.time;
	*from = back ? state->b.time : state->a.time;
	*to = back ? state->a.time : state->b.time;
	return state->a.set && state->b.set;
}

static void
timeline_fit(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	int64_t from, to;
	(void)call;
	if (state->window.fit && find_marked(state, &from, &to) && from < to)
		show_between(state, from, to);
	else
		state->window.fit = true;
}

static void
set_mark(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	struct mark *mark = call->id == COMMAND_TIMELINE_A ? &state->a : &state->b;
	follow_list(screen);
	if (mark->set && state->cursor.set && mark->time == state->cursor.time)
		mark->set = false;
	else
		*mark = state->cursor;
}

/* The first message of the list that is not before a time, else the last one. */
static bool
find_at(struct screen *screen, int64_t time, struct sequence_position *p)
{
	struct list *list = screen->list;
	const struct density_answer *answer = state_of(screen)->answer;
	struct sequence_wish wish = {.by = SEQUENCE_BY_TIME, .lane = list->lane, .time = time};
	*p = (struct sequence_position){.lane = list->lane};
	if (answer->unit == TRACK_OFFSETS && list->lanes[list->lane].number == answer->window.trace)
		return reader_find_offset(list->reader, time < 0 ? 0 : (uint64_t)time, &p->at) ||
		       reader_last(list->reader, &p->at);
	return sequence_find(list->sequence, &wish, p);
}

static bool
time_at_position(struct screen *screen, struct sequence_position p, int64_t *time)
{
	const struct list_lane *lane = &screen->list->lanes[p.lane];
	return time_at(screen, lane->number, lane->reader, p.at, time);
}

/* The list goes to a message, the cursor of the pane to where it is, even if a
 * filter hides it. */
static void
go_to(struct screen *screen, struct sequence_position p, bool jump)
{
	struct timeline_state *state = state_of(screen);
	int64_t time;
	bool timed = time_at_position(screen, p, &time);

	if (jump)
		trail_go_to(screen, p);
	else
		list_goto(screen->list, p);
	const struct row *row = list_current(screen->list);
	if (!timed || !row)
		return;
	state->trace = screen->list->lanes[row->lane].number;
	state->id = row->id;
	state->cursor = (struct mark){true, time};
	if (!state->window.fit && !is_in_sight(&state->window, time))
		center_window(&state->window, time);
}

/* Goes on from P, the first that the transport carried at TIME or later, to the first
 * that also has such a time, if one is near: what was kept back was made earlier. */
static void
skip_earlier(struct screen *screen, int64_t time, struct sequence_position *p)
{
	struct sequence_position at = *p;
	int64_t own;
	for (unsigned i = 0; i < SKIPPED_MAX; i++) {
		if (time_at_position(screen, at, &own) && own >= time) {
			*p = at;
			return;
		}
		if (!sequence_next(screen->list->sequence, &at))
			return;
	}
}

/* To the first message of the next column that has any, or of the one before. */
static void
timeline_step(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = answer_of(state);
	struct sequence_position p;
	follow_list(screen);
	if (!answer || !state->cursor.set)
		return;
	const struct density_window *w = &answer->window;
	bool right = call->id == COMMAND_TIMELINE_RIGHT;
	int64_t column = column_of(w, state->cursor.time), time;
	int64_t count = command_steps(call) - 1;
	column += right ? count + 1 : -count;
	if (!find_at(screen, column_start(w, column), &p))
		return;
	if (right) {
		skip_earlier(screen, column_start(w, column), &p);
	} else {
		if (time_at_position(screen, p, &time) && column_of(w, time) < column) {
			/* the last of all lies before already */
		} else if (!sequence_previous(screen->list->sequence, &p)) {
			return;
		}
		if (!time_at_position(screen, p, &time) ||
		    !find_at(screen, column_start(w, column_of(w, time)), &p))
			return;
	}
	go_to(screen, p, false);
}

static void
timeline_go(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = answer_of(state);
	struct sequence_position p;
	(void)call;
	follow_list(screen);
	bool away =
	    answer && state->cursor.set && !is_in_sight(&answer->window, state->cursor.time);
	if (away &&
	    find_at(screen, column_start(&answer->window, (int64_t)answer->window.columns / 2), &p))
		go_to(screen, p, true);
	shown_set_focus(screen, PANE_LIST);
}

/* Appends the filter that holds from A to B. */
static void
add_brush(const struct density_answer *answer, int64_t from, int64_t to, struct text *out)
{
	static const char *const names[] = {
	    [TRACK_NANOSECONDS] = "time", [TRACK_TICKS] = "ticks", [TRACK_OFFSETS] = "offset"};
	const int64_t ends[] = {from, to};
	text_addf(out, "%s in ", names[answer->unit]);
	for (int i = 0; i < 2; i++) {
		size_t start = out->length + 1;
		text_add(out, i ? ".." : "");
		add_time(answer, ends[i], 1, true, out);
		char *blank = strchr(out->data + start, ' ');
		if (blank)
			*blank = 'T';
		else if (answer->unit == TRACK_NANOSECONDS)
			text_add_char(out, 's');
	}
}

/* The filter that the last brush made, in whose place the next one comes. */
static size_t
find_brush(struct screen *screen)
{
	const struct timeline_state *state = state_of(screen);
	size_t i = 0;
	for (; i < screen->filters->list.count; i++)
		if (state->brush &&
		    !strcmp(filter_expr_text(screen->filters->list.at[i].expr), state->brush))
			break;
	return i;
}

static void
timeline_brush(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = answer_of(state);
	int64_t from, to;
	struct text text = {0};
	(void)call;
	if (!answer || !find_marked(state, &from, &to)) {
		screen_say(screen, "set A and B first, with a and b");
		return;
	}
	add_brush(answer, from, to, &text);
	if (filters_type(screen, find_brush(screen), text.data, false)) {
		free(state->brush);
		state->brush = mem_text(text.data);
	}
	text_free(&text);
}

static void
split_lane(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	(void)call;
	if (state->lane >= state->lanes.count)
		return;
	size_t trace = state->lanes.at[state->lane].trace;
	state->split[trace] = !state->split[trace];
	state->gutter = 0;
	while (state->lane && state->lanes.at[state->lane].by_origin)
		state->lane--;
}

static void
timeline_move(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	int64_t line = (int64_t)state->lane + pane_step(call, 1);
	int64_t last = (int64_t)state->lines - 1;
	line = line > last ? last : line;
	state->lane = line > 0 ? (size_t)line : 0;
}

void
timeline_toggle(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	const struct location *location = &screen->range->from;
	const struct row *row = list_current(screen->list);
	struct position at;
	int64_t from, to;
	(void)call;
	bool ranged =
	    screen->range->on && row &&
	    reader_find_id(sequence_reader(screen->sequence, location->trace), location->id, &at) &&
	    time_at(screen, location->trace, sequence_reader(screen->sequence, location->trace), at,
		    &from) &&
	    time_at_position(screen, row_position(row), &to);
	screen->open[PANE_TIMELINE] = ranged || !screen->open[PANE_TIMELINE];
	if (ranged && from != to) {
		state->window.trace = location->trace;
		state->window.columns += !state->window.columns;
		state->opened = true;
		show_between(state, from < to ? from : to, from < to ? to : from);
	}
	if (!screen->open[PANE_TIMELINE] && screen->focus == PANE_TIMELINE)
		shown_set_focus(screen, PANE_LIST);
}

static pane_command *const timeline_commands[COMMAND_COUNT] = {
    [COMMAND_DOWN] = timeline_move,
    [COMMAND_UP] = timeline_move,
    [COMMAND_TIMELINE_IN] = timeline_zoom,
    [COMMAND_TIMELINE_OUT] = timeline_zoom,
    [COMMAND_TIMELINE_FIT] = timeline_fit,
    [COMMAND_TIMELINE_EARLIER] = timeline_pan,
    [COMMAND_TIMELINE_LATER] = timeline_pan,
    [COMMAND_TIMELINE_LEFT] = timeline_step,
    [COMMAND_TIMELINE_RIGHT] = timeline_step,
    [COMMAND_TIMELINE_GO] = timeline_go,
    [COMMAND_TIMELINE_A] = set_mark,
    [COMMAND_TIMELINE_B] = set_mark,
    [COMMAND_TIMELINE_BRUSH] = timeline_brush,
    [COMMAND_TIMELINE_LANES] = split_lane,
};

const struct pane_ops pane_timeline = {
    .name = "timeline",
    .scope = SCOPE_TIMELINE,
    .state_size = sizeof(struct timeline_state),
    .close = timeline_close,
    .title = timeline_title,
    .keys = {{COMMAND_TIMELINE_IN, COMMAND_TIMELINE_OUT, "zoom"},
	     {COMMAND_TIMELINE_EARLIER, COMMAND_TIMELINE_LATER, "pan", .spare = true},
	     {COMMAND_TIMELINE_A, COMMAND_TIMELINE_B, "measure", .spare = true},
	     {COMMAND_TIMELINE_BRUSH, .word = "span"},
	     {COMMAND_TIMELINE_LANES, .word = "unfold", .spare = true},
	     {COMMAND_TIMELINE_FIT, .word = "fit"},
	     {COMMAND_TIMELINE, .word = "close"}},
    .draw = timeline_draw,
    .commands = timeline_commands,
};
