/*
 * The timeline: how many messages there are when, a lane for each trace, with
 * what held meanwhile.
 *
 * What is drawn comes from query/density.h: at once from the index, and better
 * by itself.  The cursor is that of the list: a move in one is a move in the other.
 * A cell shows how many messages its column has, by the root of their share of the largest
 * number in sight, in the colour of the worst of them; `~` where there is loss, and without
 * colours `!` for errors.  Rows that are left make the busiest lanes higher; where they do not
 * suffice, the busiest lanes stay and the others are one.
 */
#include "config.h"

#include "ui/panes/pane_timeline.h"
#include "query/density.h"
#include "query/filter/filter.h"
#include "query/interval/intervals.h"
#include "session/clock/clock_text.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/session.h"
#include "ui/list/context_view.h"
#include "ui/list/filters.h"
#include "ui/list/display_time.h"
#include "ui/list/range.h"
#include "ui/list/shown.h"
#include "ui/list/trail.h"
#include "ui/panes/pane.h"
#include "ui/panes/timeline_flow.h"
#include "ui/panes/timeline_intervals.h"
#include "ui/screen/screen.h"
#include "ui/screen/term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	GUTTER_MAX = 16,    /* columns for the names of lanes */
	LABEL_COLUMNS = 12, /* from one time on the axis to the next, at least */
	ORIGINS_MAX = 64,   /* lanes of one trace */
	SKIPPED_MAX = 4096, /* messages that one step passes by */
	AXIS_ROWS = 4,	    /* from so many rows on there is an axis, */
	FOOT_ROWS = 3,	    /* a foot, */
	WORDS_ROWS = 7,	    /* and a second row of it */
	LANE_ROWS_MAX = 4,  /* of a lane, where there is room */
	OTHER_ROWS = 5,	    /* beside its lanes: rule, axis, foot, ties */
	STATE_ROWS = 2,	    /* for contexts and intervals, at least */
};

struct mark {
	bool set;
	int64_t time;
};

/* Traces that have times in common in sight. */
struct pair {
	size_t a, b;
	char *name; /* safe */
};

/* A context of an origin. */
struct state_lane {
	struct density_state of;
	char *name; /* safe */
};

enum line_kind {
	LINE_LANE,
	LINE_FLOW,
	LINE_MORE,
	LINE_CONTEXT,
	LINE_LEFT,
	LINE_INTERVAL,
	LINE_TIES,
	LINE_SYNC,
	LINE_PAIR
};

struct timeline_line {
	enum line_kind kind;
	size_t at; /* number among those of its kind */
	int rows;  /* on the screen */
};

/* What has no lane, and where all of it is. */
enum { LEFT_ORIGINS, LEFT_STATES, LEFT_COUNT };

static const struct {
	const char *what, *where;
} lefts[LEFT_COUNT] = {
    [LEFT_ORIGINS] = {"origins", ":table origin has all"},
    [LEFT_STATES] = {"states", ":table context.NAME of span.NAME has all"},
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
	VEC(struct state_lane) states;
	struct timeline_intervals intervals;
	struct timeline_flow flow;
	VEC(struct pair) pairs; /* likewise */
	VEC(uint64_t) weights;	/* messages of each lane */
	VEC(uint8_t) kept;	/* whether a lane has a line of its own */
	VEC(struct timeline_line) lines;
	size_t lane, top;	   /* the line with the cursor, the first on the screen */
	bool unfolded;		   /* sync points and pairs of traces have lines of their own */
	bool all;		   /* so do all lanes */
	char more[32];		   /* the name of the line for the others */
	size_t origins_left;	   /* that have no lane */
	char left[LEFT_COUNT][32]; /* and of those for what has none */
	int gutter;		   /* columns that the longest name took so far */
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
	vec_clear(&state->weights);
	state->origins_left = 0;
}

static void
drop_pairs(struct timeline_state *state)
{
	for (size_t i = 0; i < state->pairs.count; i++)
		free(state->pairs.at[i].name);
	vec_clear(&state->pairs);
}

static void
drop_states(struct timeline_state *state)
{
	for (size_t i = 0; i < state->states.count; i++)
		free(state->states.at[i].name);
	vec_clear(&state->states);
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
	vec_free(&state->weights);
	vec_free(&state->kept);
	vec_free(&state->lines);
	drop_states(state);
	vec_free(&state->states);
	timeline_intervals_free(&state->intervals);
	timeline_flow_free(&state->flow);
	vec_free(&state->pairs);
	free(state->split);
	free(state->known);
	free(state->brush);
	text_free(&state->text);
}

static bool
timeline_has_news(struct screen *screen)
{
	const struct timeline_state *state = state_of(screen);
	return screen->layout.panes[PANE_TIMELINE].rows > 0 && state->density &&
	       (density_has_news(state->density) ||
		timeline_intervals_have_news(&state->intervals, screen) ||
		timeline_flow_has_news(&state->flow, screen));
}

/* --- time and columns -------------------------------------------------- */

static bool
is_in_sight(const struct density_window *w, int64_t time)
{
	int64_t column = density_column_of(w, time);
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
add_lane(struct timeline_state *state, struct density_lane lane, const struct text *name,
	 uint64_t weight)
{
	if (state->lanes.count == DENSITY_LANES_MAX) {
		state->origins_left++;
		return;
	}
	*vec_add(&state->lanes) = lane;
	*vec_add(&state->weights) = weight;
	*vec_add(&state->names) = mem_text(text_get(name));
}

static uint64_t
weigh_origin(const struct index_origin *origin)
{
	uint64_t weight = 0;
	for (int severity = 0; severity < SEVERITY_COUNT; severity++)
		weight += origin->severities[severity];
	return weight;
}

static int
compare_weights(const void *a, const void *b)
{
	uint64_t first = weigh_origin(a), second = weigh_origin(b);
	return (first < second) - (first > second);
}

/* A lane for each origin of a trace, named as the list names it; for the busiest ones where
 * there are many. */
static void
add_origins(struct screen *screen, size_t trace)
{
	struct timeline_state *state = state_of(screen);
	struct reader *reader = sequence_reader(screen->sequence, trace);
	index_origins origins = {0};
	struct expansion e = {0};
	index_get_origins(trace_index(screen->session->traces.at[trace]), &origins);
	if (origins.count > ORIGINS_MAX) {
		qsort(origins.at, origins.count, sizeof *origins.at, compare_weights);
		state->origins_left += origins.count - ORIGINS_MAX;
		origins.count = ORIGINS_MAX;
	}
	for (size_t i = 0; i < origins.count; i++) {
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
		add_lane(state, (struct density_lane){trace, true, origins.at[i].key}, &state->text,
			 weigh_origin(&origins.at[i]));
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
		add_lane(state, (struct density_lane){.trace = i}, &state->text, 0);
		if (state->split[i])
			add_origins(screen, i);
	}
}

int
timeline_rows(struct screen *screen)
{
	const struct intervals *intervals = intervals_of(screen->session);
	int states = (int)(contexts_count(screen->session->contexts) +
			   (intervals ? intervals_count(intervals) : 0));
	int rows = OTHER_ROWS + (states > STATE_ROWS ? states : STATE_ROWS);
	const struct timeline_state *state = state_of(screen);
	int lanes = 0;
	if (state && state->split && screen->open[PANE_TIMELINE])
		make_lanes(screen); /* which the area has to suit before it is drawn */
	for (size_t i = 0; i < screen->session->traces.count; i++)
		lanes += sequence_shows(screen->sequence, i);
	if (state && (int)state->lanes.count > lanes) /* some are unfolded */
		lanes = (int)state->lanes.count;
	if (state)
		rows += (int)timeline_flow_lanes(&state->flow);
	if (state && state->unfolded)
		rows += (int)state->pairs.count;
	return rows + lanes;
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
	w->from =
	    density_clamp_time((__int128)time - (__int128)w->step * (__int128)(w->columns / 2));
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

/* A line for each two traces that are shown and have times in common. */
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

/* Who has the state: its origin, or else its trace. */
static void
add_owner(struct screen *screen, const struct density_state *of, struct text *out)
{
	struct reader *reader = sequence_reader(screen->sequence, of->trace);
	struct expansion e = {0};
	struct position at;
	struct message m;
	if (of->origin && reader_read_id(reader, of->first, &at, &m)) {
		reader_expand(reader, &m, EXPAND_TEXT, &e);
		text_add_safe(out, text_get(&e.origin), e.origin.length, screen->charset);
	}
	if (!e.origin.length)
		screen_add_safe(screen, trace_name(screen->session->traces.at[of->trace]), out);
	expansion_free(&e);
}

static bool
same_states(const struct timeline_state *state, const struct density_answer *answer)
{
	bool same = state->states.count == answer->states.count;
	for (size_t i = 0; same && i < answer->states.count; i++) {
		const struct density_state *a = &state->states.at[i].of, *b = &answer->states.at[i];
		same = a->context == b->context && a->trace == b->trace && a->origin == b->origin;
	}
	return same;
}

/* Whether several have the context. */
static bool
is_shared(const struct density_answer *answer, unsigned context)
{
	size_t count = 0;
	for (size_t i = 0; i < answer->states.count; i++)
		count += answer->states.at[i].context == context;
	return count > 1;
}

/* A line for each context of each origin, named by the context, and by whose it is where
 * several have it. */
static void
make_states(struct screen *screen, const struct density_answer *answer)
{
	struct timeline_state *state = state_of(screen);
	if (same_states(state, answer))
		return;
	drop_states(state);
	for (size_t i = 0; i < answer->states.count; i++) {
		const struct density_state *of = &answer->states.at[i];
		text_clear(&state->text);
		if (is_shared(answer, of->context)) {
			add_owner(screen, of, &state->text);
			text_add_char(&state->text, ' ');
		}
		screen_add_safe(screen, contexts_name(screen->session->contexts, of->context),
				&state->text);
		*vec_add(&state->states) = (struct state_lane){*of, mem_text(state->text.data)};
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

static void
ask_density(struct screen *screen, size_t columns)
{
	struct timeline_state *state = state_of(screen);
	struct density_window *w = &state->window;
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
	    density_ask(state->density, w, state->lanes.at, state->lanes.count, true, &passing);
	make_pairs(screen);
	timeline_intervals_make(&state->intervals, screen, answer_of(state));
	const struct density_answer *answer = state->answer;
	if (!answer || !answer->refined)
		return;
	make_states(screen, answer);
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

/* The largest number of messages in a column; its lane goes to *LANE. */
static uint64_t
largest_count(const struct density_answer *answer, size_t *lane)
{
	size_t columns = answer->window.columns;
	uint64_t most = 1;
	for (size_t i = 0; i < answer->lanes * columns; i++) {
		uint64_t sum = sum_of(&answer->columns[i]);
		if (sum > most && lane)
			*lane = i / columns;
		most = sum > most ? sum : most;
	}
	return most;
}

/* How a column looks in a lane. */
struct timeline_bar {
	const char *foot; /* in the lowest row; NULL: as LEVEL says */
	size_t level;	  /* how high it is, in levels of which a row has so many as glyphs */
	enum role role;
};

static size_t
row_levels(const struct screen *screen)
{
	return screen->charset == TEXT_ASCII ? 4 : 8;
}

static const char *
glyph_of(const struct screen *screen, size_t level)
{
	static const char *const ascii[] = {" ", ".", ":", "i", "I"};
	static const char *const blocks[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
					     "\u2585", "\u2586", "\u2587", "\u2588"};
	return screen->charset == TEXT_ASCII ? ascii[level] : blocks[level];
}

static enum role
bar_role(const struct density_column *column, uint64_t sum, enum role of_trace)
{
	if (column->severities[SEVERITY_FATAL])
		return ROLE_FATAL_LETTER;
	if (column->severities[SEVERITY_ERROR])
		return ROLE_ERROR;
	if (column->severities[SEVERITY_WARNING])
		return ROLE_WARNING;
	return column->estimated > sum / 4 ? ROLE_ABSENT : of_trace;
}

/* What a column looks like in a lane of so many rows. */
static struct timeline_bar
bar_of(const struct screen *screen, const struct density_column *column, double most, int rows,
       enum role role)
{
	size_t levels = row_levels(screen) * (size_t)rows;
	uint64_t sum = sum_of(column);
	if (column->flags & (MESSAGE_LOST | MESSAGE_DAMAGED))
		return (struct timeline_bar){"~", 0, ROLE_LOSS};
	if (!sum && (column->open || column->hidden)) /* some may be here, or filters hide them */
		return (struct timeline_bar){column->open ? "-" : NULL, 1, ROLE_ABSENT};
	if (!sum)
		return (struct timeline_bar){NULL, 0, role};
	size_t level = (size_t)(sqrt((double)sum / most) * (double)levels) + 1;
	struct timeline_bar bar = {NULL, level < levels ? level : levels,
				   bar_role(column, sum, role)};
	bool error = bar.role == ROLE_FATAL_LETTER || bar.role == ROLE_ERROR;
	if (error && !term_has_colours(screen->term))
		bar.foot = "!";
	return bar;
}

/* Draws it in so many rows up to row FOOT. */
static void
draw_bar(struct screen *screen, const struct area *area, int foot, int x, int rows,
	 const struct timeline_bar *bar)
{
	size_t high = row_levels(screen), level = bar->level;
	for (int i = 0; i < rows; i++) {
		const char *glyph = glyph_of(screen, level < high ? level : high);
		if (!i && bar->foot)
			glyph = bar->foot;
		if (*glyph != ' ')
			canvas_puts(screen->canvas, area, foot - i, x, bar->role, glyph);
		level -= level < high ? level : high;
	}
}

/* What a column of a line has: of its lane, or of all lanes without a line. */
static struct density_column
line_column(const struct timeline_state *state, const struct timeline_line *line, size_t c)
{
	const struct density_answer *answer = answer_of(state);
	size_t columns = answer->window.columns;
	struct density_column sum = {0};
	if (line->kind == LINE_LANE)
		return answer->columns[line->at * columns + c];
	for (size_t lane = 0; lane < answer->lanes; lane++) {
		const struct density_column *one = &answer->columns[lane * columns + c];
		if (state->kept.at[lane])
			continue;
		for (int s = 0; s < SEVERITY_COUNT; s++)
			sum.severities[s] += one->severities[s];
		sum.hidden += one->hidden;
		sum.estimated += one->estimated;
		sum.flags |= one->flags;
		sum.open |= one->open;
	}
	return sum;
}

static void
draw_density(struct screen *screen, const struct area *area, int y,
	     const struct timeline_line *line)
{
	const struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = answer_of(state);
	double most = (double)largest_count(answer, NULL);
	enum role role = line->kind == LINE_LANE
			     ? trace_role(screen->session, state->lanes.at[line->at].trace)
			     : ROLE_NORMAL;
	if (line->kind == LINE_LANE && answer->apart[line->at]) {
		canvas_puts(screen->canvas, area, y, 0, ROLE_ABSENT,
			    "not on the common clock (:tie relates it)");
		return;
	}
	for (size_t c = 0; c < answer->window.columns; c++) {
		const struct density_column column = line_column(state, line, c);
		const struct timeline_bar bar = bar_of(screen, &column, most, line->rows, role);
		draw_bar(screen, area, y + line->rows - 1, (int)c, line->rows, &bar);
	}
}

static void
draw_spans(struct screen *screen, const struct area *area, int y, size_t state)
{
	const struct density_answer *answer = answer_of(state_of(screen));
	struct text safe = {0};
	for (size_t i = 0; i < answer->spans.count; i++) {
		const struct density_span *s = &answer->spans.at[i];
		int from = (int)s->from, room = (int)(s->to - s->from) - 1;
		enum role role = s->doubtful ? ROLE_LOSS : ROLE_NORMAL;
		if (s->state != state)
			continue;
		if (s->dense) {
			canvas_fill(screen->canvas, area, y, from, room + 2, role, ':');
			continue;
		}
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

/* A tick for each time that two traces have in common; from the first one's to
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

/* All ties in one line: sync points, and what ties two traces. */
static void
draw_ties(struct screen *screen, const struct area *area, int y)
{
	const struct density_answer *answer = answer_of(state_of(screen));
	draw_syncs(screen, area, y);
	for (size_t i = 0; i < answer->links.count; i++) {
		const struct density_link *link = &answer->links.at[i];
		enum role role = link->rejected ? ROLE_WARNING : ROLE_NOTE;
		if (!sequence_shows(screen->sequence, link->a) ||
		    !sequence_shows(screen->sequence, link->b))
			continue;
		canvas_puts(screen->canvas, area, y, (int)link->from, role, "^");
		canvas_puts(screen->canvas, area, y, (int)link->to, role, "^");
	}
}

static void
draw_mark(struct screen *screen, const struct area *area, int y, const struct mark *mark,
	  enum role role, const char *letter)
{
	const struct density_window *w = &answer_of(state_of(screen))->window;
	if (mark->set && is_in_sight(w, mark->time))
		canvas_puts(screen->canvas, area, y, (int)density_column_of(w, mark->time), role,
			    letter);
}

/* A and B stand over the cursor, which the lanes have too. */
static void
draw_marks(struct screen *screen, const struct area *area, int y)
{
	const struct timeline_state *state = state_of(screen);
	draw_mark(screen, area, y, &state->cursor, ROLE_CURSOR, "v");
	draw_mark(screen, area, y, &state->a, ROLE_MARK, "A");
	draw_mark(screen, area, y, &state->b, ROLE_MARK, "B");
}

/* --- the axis ----------------------------------------------------------- */

/* How many bytes of a time all times from FROM to TO have in common, up to where a part of
 * it ends. */
static size_t
common_part(const struct density_answer *answer, int64_t from, int64_t to, uint64_t step)
{
	struct text first = {0}, last = {0};
	size_t common = 0, length = 0;
	add_time(answer, from, step, false, &first);
	add_time(answer, to, step, false, &last);
	while (common < first.length && first.data[common] == last.data[common])
		common++;
	for (size_t i = 0; i <= common && i < first.length; i++)
		if (first.data[i] == ':' || first.data[i] == '.')
			length = i;
	length = first.length == last.length && from != to ? length : 0;
	text_free(&first);
	text_free(&last);
	return length;
}

/* Round times, each from its column on; what all have in common once, before the first. */
static void
draw_axis(struct screen *screen, const struct area *area, int gutter, int y)
{
	struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = answer_of(state);
	const struct density_window *w = &answer->window;
	const struct area right = {area->row, area->col + gutter, area->rows, area->cols - gutter};
	uint64_t step = round_up(answer, (double)w->step * LABEL_COLUMNS);
	text_clear(&state->text);
	add_time(answer, w->from, step, false, &state->text);
	size_t room = state->text.length + 2; /* of a label, and blanks */
	size_t common =
	    common_part(answer, w->from, density_column_start(w, (int64_t)w->columns), step);
	if (room - common > LABEL_COLUMNS)
		step = round_up(answer, (double)w->step * (double)(room - common));
	common = common_part(answer, w->from, density_column_start(w, (int64_t)w->columns), step);
	__int128 time = w->from / (int64_t)step;
	int used = 0; /* columns of the row */
	for (time *= (int64_t)step; density_clamp_time(time) == time; time += (int64_t)step) {
		int64_t column = density_column_of(w, (int64_t)time);
		if (column >= (int64_t)w->columns)
			break;
		if (time < w->from)
			continue;
		text_clear(&state->text);
		add_time(answer, (int64_t)time, step, false, &state->text);
		int x = gutter + (int)column, before = used ? 0 : (int)common;
		if (before && x < before) { /* the first one has no room for it */
			canvas_put(screen->canvas, area, y, 0, ROLE_HEADER, state->text.data,
				   common);
			used = (int)common + 1;
		}
		if (x < used)
			continue;
		size_t skip = used ? common : 0;
		x -= (int)(common - skip);
		int end = x + (int)(state->text.length - skip);
		if (end <= area->cols) /* what is cut would read as another time */
			canvas_put(screen->canvas, area, y, x, ROLE_HEADER, state->text.data + skip,
				   state->text.length - skip);
		used = end + 1;
	}
	draw_marks(screen, &right, y);
}

/* --- the foot ----------------------------------------------------------- */

/* Appends `, 5 errors`; nothing for none. */
static void
add_count(uint64_t count, bool about, const char *one, const char *many, struct text *out)
{
	char digits[32];
	if (count)
		text_addf(out, ", %s%s %s", about ? "~" : "", text_number(digits, count),
			  count == 1 ? one : many);
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
	text_addf(out, "%s%s %s here", open ? "~" : "", text_number(digits, sum),
		  sum == 1 ? "message" : "messages");
	add_count(severities[SEVERITY_FATAL], shared, "fatal", "fatal", out);
	add_count(severities[SEVERITY_ERROR], shared, "error", "errors", out);
	add_count(severities[SEVERITY_WARNING], shared, "warning", "warnings", out);
	if (losses)
		text_addf(out, ", losses in %llu %s", (unsigned long long)losses,
			  losses == 1 ? "cell" : "cells");
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

/* Appends the contexts that hold at the message under the cursor. */
static void
add_contexts(struct screen *screen, const struct row *row, struct text *out)
{
	struct contexts *contexts = screen->session->contexts;
	struct context_cursor *cursor = context_view_cursor(screen);
	const struct message *m = &row->message;
	struct context_value value;
	struct text text = {0};
	for (unsigned i = 0; i < contexts_count(contexts); i++) {
		if (!context_value(contexts, cursor, m, i, &value) &&
		    !context_elsewhere(contexts, cursor, m, i, &value))
			continue;
		bool unknown = value.state == CONTEXT_UNKNOWN;
		if (!unknown && value.state != CONTEXT_KNOWN)
			continue;
		text_clear(&text);
		if (value.name)
			text_add(&text, value.name);
		else
			context_text(contexts, cursor, i, &value, &text);
		text_add(out, "  ");
		screen_add_safe(screen, contexts_name(contexts, i), out);
		text_add(out, unknown || value.doubtful ? " ? " : " ");
		screen_add_safe(screen, text_get(&text), out);
	}
	text_free(&text);
}

/* Appends the time at the cursor and, HELD, what is open and which contexts hold there for its
 * message. */
static void
add_cursor(struct screen *screen, bool held, struct text *out)
{
	struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = answer_of(state);
	const struct row *row = list_current(screen->list);
	if (!state->cursor.set)
		return;
	add_time(answer, state->cursor.time, held ? 1 : title_step(answer), !held, out);
	if (!held || !row || !is_in_sight(&answer->window, state->cursor.time))
		return;
	timeline_intervals_add_open(&state->intervals, screen, answer, state->cursor.time, out);
	add_contexts(screen, row, out);
}

/* Draws LEFT and RIGHT in a row; where both do not fit, only LEFT. */
static void
draw_words(struct screen *screen, const struct area *area, int y, const struct text *left,
	   const struct text *right)
{
	int columns = text_columns(text_get(right), right->length);
	int x = canvas_put_cell(screen->canvas, area, y, 1, area->cols - 1, ROLE_NOTE,
				text_get(left), left->length);
	if (x + 2 + columns < area->cols)
		canvas_put(screen->canvas, area, y, area->cols - columns - 1, ROLE_NOTE,
			   text_get(right), right->length);
}

/* What is in sight, and what the highest bar stands for; what is at the cursor, and how far
 * the marks are from each other and from it. */
static void
draw_foot(struct screen *screen, const struct area *area, int y, int rows)
{
	struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = answer_of(state);
	struct text left = {0}, legend = {0}, here = {0}, between = {0};
	size_t lane = 0;
	uint64_t most = largest_count(answer, &lane);
	char digits[32];
	add_totals(state, answer, &left);
	text_addf(&legend, "%s = %s %s, ", glyph_of(screen, row_levels(screen)),
		  text_number(digits, most), most == 1 ? "message" : "messages");
	if (state->lanes.count)
		text_add(&legend, state->names.at[lane] + strspn(state->names.at[lane], " "));
	add_between(answer, "A to B", &state->a, &state->b, &between);
	add_between(answer, "from A", &state->a, &state->cursor, &between);
	add_between(answer, "from B", &state->b, &state->cursor, &between);
	add_cursor(screen, rows > 1, &here);
	const struct text *marked = between.length ? &between : rows > 1 ? &legend : &here;
	draw_words(screen, area, y, &left, rows > 1 ? &(struct text){0} : marked);
	if (rows > 1)
		draw_words(screen, area, y + 1, &here, marked);
	text_free(&left);
	text_free(&legend);
	text_free(&here);
	text_free(&between);
}

/* --- the lines ---------------------------------------------------------- */

static const char *
line_name(struct screen *screen, const struct timeline_line *line)
{
	const struct timeline_state *state = state_of(screen);
	switch (line->kind) {
	case LINE_LANE:
		return state->names.at[line->at];
	case LINE_FLOW:
		return state->flow.lanes ? state->flow.name[line->at] : "functions";
	case LINE_CONTEXT:
		return state->states.at[line->at].name;
	case LINE_LEFT:
		return state->left[line->at];
	case LINE_INTERVAL:
		return intervals_name(intervals_of(screen->session), line->at);
	case LINE_PAIR:
		return state->pairs.at[line->at].name;
	case LINE_MORE:
		return state->more;
	case LINE_TIES:
		return "ties";
	case LINE_SYNC:
		break;
	}
	return "sync";
}

static void
draw_left(struct screen *screen, const struct area *area, int y, size_t which)
{
	struct text text = {0};
	text_addf(&text, "have no lane; %s", lefts[which].where);
	canvas_puts(screen->canvas, area, y, 0, ROLE_ABSENT, text_get(&text));
	text_free(&text);
}

static void
draw_line(struct screen *screen, const struct area *area, int y, size_t i, int gutter)
{
	struct timeline_state *state = state_of(screen);
	const struct timeline_line *line = &state->lines.at[i];
	const struct density_answer *answer = answer_of(state);
	struct area right = {area->row, area->col + gutter, area->rows, area->cols - gutter};
	enum role role = ROLE_FIELD;
	if (i == state->lane && screen->focus == PANE_TIMELINE)
		role = ROLE_CURSOR;
	else if (line->kind == LINE_LANE && screen->session->traces.count > 1)
		role = trace_role(screen->session, state->lanes.at[line->at].trace);
	struct text safe = {0};
	screen_add_safe(screen, line_name(screen, line), &safe);
	canvas_put_cell(screen->canvas, area, y + line->rows - 1, 0, gutter > 0 ? gutter - 1 : 0,
			role, text_get(&safe), safe.length);
	text_free(&safe);
	if (!answer)
		return;
	if (line->kind == LINE_CONTEXT)
		draw_spans(screen, &right, y, line->at);
	else if (line->kind == LINE_FLOW)
		timeline_flow_draw(&state->flow, screen, &right, y, line->at);
	else if (line->kind == LINE_INTERVAL)
		timeline_intervals_draw(&state->intervals, screen, &right, y, line->at);
	else if (line->kind == LINE_LEFT)
		draw_left(screen, &right, y, line->at);
	else if (line->kind == LINE_TIES)
		draw_ties(screen, &right, y);
	else if (line->kind == LINE_SYNC)
		draw_syncs(screen, &right, y);
	else if (line->kind == LINE_PAIR)
		draw_links(screen, &right, y, &state->pairs.at[line->at]);
	else if (line->kind == LINE_LANE || !state->all)
		draw_density(screen, &right, y, line);
	const struct density_window *w = &answer->window;
	for (int row = 0; row < line->rows; row++)
		if (state->cursor.set && is_in_sight(w, state->cursor.time))
			canvas_role(screen->canvas, &right, y + row,
				    (int)density_column_of(w, state->cursor.time), 1, ROLE_CURSOR);
}

/* Weighs the lanes of whole traces; those of origins are weighed when they are made. */
static void
weigh_lanes(const struct screen *screen, struct timeline_state *state)
{
	for (size_t i = 0; i < state->lanes.count; i++) {
		const struct density_lane *lane = &state->lanes.at[i];
		struct index_progress progress;
		if (lane->by_origin)
			continue;
		index_get_progress(trace_index(screen->session->traces.at[lane->trace]), &progress);
		state->weights.at[i] = progress.messages;
	}
}

/* The busiest lane of those whose MARKS are 0, which becomes 1; false: there is none. */
static bool
take_busiest(const struct timeline_state *state, uint8_t *marks, size_t *busiest)
{
	uint64_t most = 0;
	bool any = false;
	for (size_t i = 0; i < state->lanes.count; i++) {
		if (marks[i] || (any && state->weights.at[i] <= most))
			continue;
		most = state->weights.at[i];
		*busiest = i;
		any = true;
	}
	if (any)
		marks[*busiest] = 1;
	return any;
}

static void
add_line(struct timeline_state *state, enum line_kind kind, size_t at)
{
	*vec_add(&state->lines) = (struct timeline_line){kind, at, 1};
}

/* A line that counts what has no lane. */
static void
add_left(struct timeline_state *state, size_t which, size_t count)
{
	if (!count)
		return;
	snprintf(state->left[which], sizeof state->left[which], "+%zu %s", count,
		 lefts[which].what);
	add_line(state, LINE_LEFT, which);
}

/* Chooses which lanes have a line of their own where there is ROOM for so many lines. */
static void
choose_lanes(struct timeline_state *state, size_t room)
{
	size_t count = state->lanes.count, lane;
	bool fits = count <= room;
	vec_clear(&state->kept);
	for (size_t i = 0; i < count; i++)
		*vec_add(&state->kept) = fits || state->all;
	for (size_t left = fits || state->all ? 0 : room - 1; left; left--)
		take_busiest(state, state->kept.at, &lane);
	for (size_t i = 0; i < count; i++)
		if (state->kept.at[i])
			add_line(state, LINE_LANE, i);
	if (fits)
		return;
	if (state->all)
		snprintf(state->more, sizeof state->more, "fewer");
	else
		snprintf(state->more, sizeof state->more, "%zu more", count - (room - 1));
	add_line(state, LINE_MORE, 0);
}

/* Makes the busiest lanes higher, as far as ROWS suffice. */
static void
spread_lanes(struct timeline_state *state, size_t rows)
{
	size_t lane;
	size_t spare = rows - state->lines.count;
	for (int high = 2; spare && high <= LANE_ROWS_MAX; high++) {
		memset(state->kept.at, 0, state->kept.count);
		/* all lanes have lines, and come first */
		for (; spare && take_busiest(state, state->kept.at, &lane); spare--)
			state->lines.at[lane].rows = high;
	}
	memset(state->kept.at, 1, state->kept.count);
}

/* Chooses the lines for so many rows. */
static void
make_lines(struct timeline_state *state, size_t rows)
{
	const struct density_answer *answer = answer_of(state);
	bool syncs = answer && any_sync(answer);
	size_t pairs = state->pairs.count, ties = syncs + pairs;
	ties = ties && !state->unfolded ? 1 : ties;
	size_t flow = timeline_flow_lanes(&state->flow);
	flow = flow < rows / 2 ? flow : rows / 2;
	size_t others = ties + state->states.count + state->intervals.lanes.count +
			(state->origins_left > 0) + flow;
	size_t least = rows / 3 < 2 ? 2 : rows / 3; /* for lanes */
	vec_clear(&state->lines);
	choose_lanes(state, rows > others + least ? rows - others : least);
	add_left(state, LEFT_ORIGINS, state->origins_left);
	for (size_t i = 0; i < flow; i++)
		add_line(state, LINE_FLOW, i);
	for (size_t i = 0; i < state->states.count; i++)
		add_line(state, LINE_CONTEXT, i);
	if (answer)
		add_left(state, LEFT_STATES, answer->states_left);
	for (size_t i = 0; i < state->intervals.lanes.count; i++)
		add_line(state, LINE_INTERVAL, i);
	if (ties && !state->unfolded)
		add_line(state, LINE_TIES, 0);
	for (size_t i = 0; state->unfolded && i < syncs; i++)
		add_line(state, LINE_SYNC, 0);
	for (size_t i = 0; state->unfolded && i < pairs; i++)
		add_line(state, LINE_PAIR, i);
	if (state->lines.count < rows && state->lanes.count)
		spread_lanes(state, rows);
}

/* Columns for the names.  They do not become fewer when a line goes, since what is
 * in sight depends on them in turn. */
static int
gutter_for(struct screen *screen, int cols)
{
	struct timeline_state *state = state_of(screen);
	const struct density_answer *answer = answer_of(state);
	int least = answer && answer->wall ? 8 : 5; /* what times of a day have in common */
	int most = state->gutter > least ? state->gutter : least,
	    limit = cols / 4 < GUTTER_MAX ? cols / 4 : GUTTER_MAX;
	for (size_t i = 0; i < state->lines.count; i++) {
		const char *name = line_name(screen, &state->lines.at[i]);
		int own = text_columns(name, strlen(name)) + 1;
		most = own > most ? own : most;
	}
	state->gutter = most;
	return most < limit ? most : limit;
}

/* Asks for what ROWS of lines show beside names of *GUTTER columns. */
static void
prepare_timeline(struct screen *screen, const struct area *area, size_t rows, int *gutter)
{
	struct timeline_state *state = state_of(screen);
	if (!state->density)
		state->density = density_new(screen->session);
	if (!state->split)
		state->split = mem_new(screen->session->traces.count * sizeof *state->split);
	make_lanes(screen);
	weigh_lanes(screen, state);
	follow_list(screen);
	make_lines(state, rows);
	*gutter = gutter_for(screen, area->cols);
	ask_density(screen, (size_t)(area->cols - *gutter));
	if (!state->seen)
		follow_list(screen); /* its unit is known by now */
	make_lines(state, rows);
	int wider = gutter_for(screen, area->cols);
	if (wider > *gutter) { /* lines came with longer names */
		*gutter = wider;
		ask_density(screen, (size_t)(area->cols - *gutter));
		make_lines(state, rows);
	}
}

/* Makes the line with the cursor one of the ROWS that are shown. */
static void
scroll_lines(struct timeline_state *state, size_t rows)
{
	size_t count = state->lines.count;
	if (state->lane >= count)
		state->lane = count ? count - 1 : 0;
	if (state->lane < state->top)
		state->top = state->lane;
	if (state->lane >= state->top + rows)
		state->top = state->lane - rows + 1;
	if (state->top + rows > count)
		state->top = count > rows ? count - rows : 0;
}

static void
timeline_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct timeline_state *state = state_of(screen);
	int gutter;
	bool axis = area->rows >= AXIS_ROWS;
	int foot = area->rows >= WORDS_ROWS ? 2 : area->rows >= FOOT_ROWS;
	if (area->cols < 2 || area->rows < 1)
		return;
	size_t rows = (size_t)(area->rows - axis - foot);
	prepare_timeline(screen, area, rows, &gutter);
	const struct density_answer *answer = answer_of(state);
	struct area right = {area->row, area->col + gutter, area->rows, area->cols - gutter};
	scroll_lines(state, rows);
	if (answer && axis)
		draw_axis(screen, area, gutter, 0);
	int y = axis;
	for (size_t i = state->top; i < state->lines.count && y < axis + (int)rows; i++) {
		draw_line(screen, area, y, i, gutter);
		y += state->lines.at[i].rows;
	}
	if (!answer)
		canvas_puts(canvas, &right, axis, 0, ROLE_ABSENT, "not known yet");
	else if (foot)
		draw_foot(screen, area, area->rows - foot, foot);
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
	int64_t column = seen ? density_column_of(w, state->cursor.time) : (int64_t)w->columns / 2;
	int64_t time = seen ? state->cursor.time : density_column_start(w, column);
	for (uint64_t left = call->count; left && left < 64; left--) {
		if (in)
			w->step = w->step > 1 ? w->step / 2 : 1;
		else if (w->step < (uint64_t)INT64_MAX / 2)
			w->step *= 2;
	}
	w->from = density_clamp_time((__int128)time - (__int128)column * (__int128)w->step);
	const struct density_answer *answer = state->answer;
	if (!in && w->from <= answer->first &&
	    density_column_start(w, (int64_t)w->columns) > answer->last)
		w->fit = true;
}

static void
timeline_pan(struct screen *screen, const struct command_call *call)
{
	struct density_window *w = hold_window(screen);
	if (!w)
		return;
	int64_t columns = (int64_t)(w->columns / 4 + 1) * command_steps(call);
	w->from = density_column_start(w, call->id == COMMAND_TIMELINE_LATER ? columns : -columns);
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
	w->from = density_clamp_time((__int128)from - (w->columns > 4 ? (__int128)w->step : 0));
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
	int64_t column = density_column_of(w, state->cursor.time), time;
	int64_t count = command_steps(call) - 1;
	column += right ? count + 1 : -count;
	if (!find_at(screen, density_column_start(w, column), &p))
		return;
	if (right) {
		skip_earlier(screen, density_column_start(w, column), &p);
	} else {
		if (time_at_position(screen, p, &time) && density_column_of(w, time) < column) {
			/* the last of all lies before already */
		} else if (!sequence_previous(screen->list->sequence, &p)) {
			return;
		}
		if (!time_at_position(screen, p, &time) ||
		    !find_at(screen, density_column_start(w, density_column_of(w, time)), &p))
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
	    find_at(screen,
		    density_column_start(&answer->window, (int64_t)answer->window.columns / 2), &p))
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

/* Unfolds what is in the line under the cursor, or folds it again. */
static void
unfold_line(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	(void)call;
	if (state->lane >= state->lines.count)
		return;
	const struct timeline_line *line = &state->lines.at[state->lane];
	state->gutter = 0;
	if (line->kind == LINE_MORE) {
		state->all = !state->all;
	} else if (line->kind == LINE_LANE) {
		size_t trace = state->lanes.at[line->at].trace;
		state->split[trace] = !state->split[trace];
		while (state->lane && state->lines.at[state->lane].kind == LINE_LANE &&
		       state->lanes.at[state->lines.at[state->lane].at].by_origin)
			state->lane--;
	} else if (line->kind == LINE_TIES || line->kind == LINE_SYNC || line->kind == LINE_PAIR) {
		state->unfolded = !state->unfolded;
	}
}

static void
toggle_functions(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	(void)call;
	state->flow.on = !state->flow.on;
	state->gutter = 0;
}

static bool
timeline_work(struct screen *screen)
{
	struct timeline_state *state = state_of(screen);
	return timeline_flow_work(&state->flow, screen, answer_of(state), time_of);
}

static void
timeline_move(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = state_of(screen);
	int64_t line = (int64_t)state->lane + pane_step(call, 1);
	int64_t last = (int64_t)state->lines.count - 1;
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
    [COMMAND_TIMELINE_LANES] = unfold_line,
    [COMMAND_TIMELINE_FUNCTIONS] = toggle_functions,
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
	     {COMMAND_TIMELINE_FUNCTIONS, .word = "calls", .spare = true},
	     {COMMAND_TIMELINE_FIT, .word = "fit"},
	     {COMMAND_TIMELINE, .word = "close"}},
    .draw = timeline_draw,
    .commands = timeline_commands,
    .work = timeline_work,
    .news = timeline_has_news,
};
