/*
 * Intervals: the lengths of message pairs that a profile or `:interval` defines.
 *
 * The pane shows one interval definition: a summary of all lengths, then the longest pairs or a
 * histogram; or the causes of slow pairs (query/why/why.h). The background search is in
 * query/interval. Only lines on the screen are decoded.
 */
#include "config.h"

#include "base/nearest.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "query/gap/gap.h"
#include "query/interval/intervals.h"
#include "query/why/why.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/list/search.h"
#include "ui/list/selection.h"
#include "ui/list/trail.h"
#include "ui/panes/pane_intervals.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_ROWS = 2, BAR_COLUMN = 16, BAR_MOST = 40 };

enum { PAIR_LENGTH, PAIR_FROM, PAIR_TO, PAIR_WHO, PAIR_TEXT, PAIR_COLUMNS };

struct intervals_state {
	struct table table;
	size_t interval;
	bool histogram;	     /* instead of the longest pairs */
	uint64_t generation; /* epoch of the members below */
	struct interval_summary summary;
	struct interval_pair *pairs; /* the longest */
	size_t count;
	bool causes;	  /* instead of the longest pairs */
	struct why *why;  /* or NULL */
	uint64_t basis;	  /* epoch of pairs and clocks at its start */
	size_t why_count; /* SIZE_MAX: not known yet */
	size_t visited;	  /* the slow pair visited last, or SIZE_MAX */
	struct expansion expansion;
};

static struct intervals_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_INTERVALS];
}

static void
intervals_close(void *context)
{
	struct intervals_state *state = context;
	free(state->pairs);
	why_free(state->why);
	expansion_free(&state->expansion);
	table_free(&state->table);
}

/* --- results --------------------------------------------------------------- */

/* Copy the current result. False without any interval definition. */
static bool
intervals_prepare(struct screen *screen)
{
	struct intervals_state *state = state_of(screen);
	struct intervals *intervals = intervals_of(screen->session);
	if (!intervals || !intervals_count(intervals))
		return false;
	if (!state->pairs)
		state->pairs = mem_new(INTERVALS_KEPT * sizeof *state->pairs);
	if (generation_renew(&state->generation, intervals_generation(intervals))) {
		intervals_summarise(intervals, state->interval, &state->summary);
		state->count =
		    intervals_longest(intervals, state->interval, state->pairs, INTERVALS_KEPT);
		table_forget(&state->table);
	}
	table_renew(&state->table, list_generation(screen->list));
	return true;
}

static void
drop_causes(struct intervals_state *state)
{
	why_free(state->why);
	state->why = NULL;
	state->why_count = state->visited = SIZE_MAX;
	table_forget(&state->table);
}

/* Search for causes when possible, and again with other pairs or clocks. Return true on news. */
static bool
renew_causes(struct screen *screen)
{
	struct intervals_state *state = state_of(screen);
	const struct session_intervals *hook = screen->session->intervals;
	size_t count = state->why_count;
	unsigned percent;
	const struct clocks *clocks = screen->session->clocks;
	uint64_t basis =
	    generation_join(clocks_generation(clocks), hook ? hook->generation(hook->context) : 0);
	bool shown = screen->open[PANE_INTERVALS] && state->causes && hook;
	if (state->why && (!shown || (count != SIZE_MAX && state->basis != basis)))
		drop_causes(state);
	if (!shown)
		return false;
	bool grows = !screen->list->lanes[0].ended, settled = clocks_are_settled(clocks);
	if (!state->why && (grows || (screen->indexed && settled)) &&
	    intervals_are_done(hook->context)) {
		state->basis = basis;
		state->why = why_new(screen->session, state->interval);
	}
	state->why_count = state->why ? why_count(state->why, &percent) : SIZE_MAX;
	return state->why_count != count || (state->why && count == SIZE_MAX);
}

static bool
intervals_have_news(struct screen *screen)
{
	struct intervals *intervals = intervals_of(screen->session);
	return renew_causes(screen) ||
	       (screen->open[PANE_INTERVALS] && intervals &&
		intervals_generation(intervals) != state_of(screen)->generation);
}

static void
show_interval(struct intervals_state *state, size_t interval)
{
	state->interval = interval;
	state->generation = 0;
	drop_causes(state);
	state->table.cursor = (struct lines){.rows = state->table.cursor.rows};
}

/* Show the interval NAME; NULL: keep the one shown last. If the name is unknown, show an error and
 * return false. */
static bool
intervals_choose(struct screen *screen, const char *name)
{
	size_t interval;
	if (!name)
		return true;
	if (!session_intervals_find(screen->session->intervals, name, &interval)) {
		struct nearest_hint hint =
		    nearest_hint(name, session_intervals_next, (void *)screen->session->intervals);
		screen_error(screen, NOTICE_INTERVAL_UNKNOWN, name,
			     nearest_hint_or(&hint, NOTICE_INTERVAL_DEFINES));
		return false;
	}
	show_interval(state_of(screen), interval);
	return true;
}

bool
intervals_show_causes(struct screen *screen, const char *name)
{
	struct intervals_state *state = state_of(screen);
	struct intervals *intervals = intervals_of(screen->session);
	const struct selection *selection = selection_get(screen);
	struct interval_message other;
	size_t at;
	bool inside = screen->focus == PANE_INTERVALS;
	name = name && *name ? name : NULL;
	if (!intervals_choose(screen, name))
		return false;
	state->causes = name || !inside || !state->causes;
	if (!name && !inside && selection && intervals &&
	    intervals_find_other(intervals,
				 sequence_reader(screen->sequence, trace_number(selection->trace)),
				 &selection->message, &other, &at))
		show_interval(state, at);
	state->histogram = false;
	drop_causes(state);
	return true;
}

/* --- definitions ----------------------------------------------------------- */

/* Find WORD in TEXT, outside quotes and between blanks. NULL if none. */
static char *
find_word(char *text, const char *word)
{
	size_t length = strlen(word);
	char quote = '\0';
	for (char *at = text; *at; at++) {
		if (quote) {
			if (*at == '\\' && at[1])
				at++;
			else if (*at == quote)
				quote = '\0';
		} else if (strchr("\"'/", *at)) {
			quote = *at;
		} else if ((at == text || at[-1] == ' ') && !strncmp(at, word, length) &&
			   (at[length] == ' ' || !at[length])) {
			return at;
		}
	}
	return NULL;
}

/* End TEXT before WORD and its blanks, and return the text after it. NULL without that word. */
static char *
split_at(char *text, const char *word)
{
	char *at = find_word(text, word), *end = at;
	if (!at)
		return NULL;
	while (end > text && end[-1] == ' ')
		end--;
	*end = '\0';
	at += strlen(word);
	return at + strspn(at, " ");
}

bool
intervals_define_typed(struct screen *screen, const char *text)
{
	struct intervals *intervals = intervals_of(screen->session);
	struct interval_options options = {0};
	struct err err = {0};
	char *name = mem_text(text), *key, *across;
	char *begin = split_at(name, "begin"), *end = begin ? split_at(begin, "end") : NULL;
	key = end ? split_at(end, "key") : NULL;
	across = end ? split_at(key ? key : end, "across") : NULL;
	char *parts[] = {name, begin, end, key};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i])
			text_unquote(parts[i]);
	options.name = name;
	options.begin = begin;
	options.end = end;
	options.key = key && *key ? key : NULL;
	options.across = across != NULL;
	bool good = intervals && options.end;
	if (!good)
		screen_error(screen, NOTICE_INTERVAL_EXPECTED);
	else if (intervals_define(intervals, &options, &err) < 0)
		screen_error(screen, NOTICE_INTERVAL_REFUSED, err.what);
	good = good && !err.code && intervals_choose(screen, options.name);
	if (good)
		screen_say(screen, NOTICE_INTERVAL_DEFINED, options.name);
	free(name);
	return good;
}

/* --- lines ----------------------------------------------------------------- */

static void
add_length(int64_t length, bool ticks, bool brief, struct text *out)
{
	const struct gap gap = {length < 0 ? -(uint64_t)length : (uint64_t)length, !ticks};
	if (length < 0)
		text_add_char(out, '-');
	gap_format(&gap, brief, out);
}

static bool
find_end(struct screen *screen, const struct interval_message *m, struct list **list,
	 struct row *row, struct text *time)
{
	struct display_time shown;
	if (!jump_find(screen, &(struct location){.trace = m->trace, .id = m->id}, list, row))
		return false;
	if (display_time_of(*list, &(*list)->lanes[row->lane], &row->message, &shown))
		display_time_format_parts(&shown, NULL, time);
	return true;
}

static void
fill_cells(struct screen *screen, const struct interval_pair *pair, struct text *cells)
{
	struct intervals_state *state = state_of(screen);
	struct expansion *e = &state->expansion;
	struct list *list;
	struct row row;
	add_length(pair->length, state->summary.ticks, false, &cells[PAIR_LENGTH]);
	if (pair->doubtful)
		text_add(&cells[PAIR_LENGTH], " ?");
	find_end(screen, &pair->end, &list, &row, &cells[PAIR_TO]);
	if (!find_end(screen, &pair->begin, &list, &row, &cells[PAIR_FROM]))
		return;
	const struct list_lane *lane = &list->lanes[row.lane];
	struct text *who = &cells[PAIR_WHO];
	if (screen->session->traces.count > 1)
		text_addf(who, "%s ", trace_name(lane->trace));
	reader_expand(lane->reader, &row.message, EXPAND_TEXT, e);
	text_add_bytes(who, text_get(&e->origin), e->origin.length);
	text_add_bytes(&cells[PAIR_TEXT], text_get(&e->text), e->text.length);
}

/* --- drawing -------------------------------------------------------------------- */

static const struct table_column pair_columns[PAIR_COLUMNS] = {
    [PAIR_LENGTH] = {"length", TABLE_FIT, .gap = 2, .right = true},
    [PAIR_FROM] = {"from", TABLE_FIT, .gap = 1, .right = true},
    [PAIR_TO] = {"to", TABLE_FIT, .gap = 2, .right = true},
    [PAIR_WHO] = {"origin", TABLE_FIT, .gap = 2},
    [PAIR_TEXT] = {"begin", TABLE_REST},
};

static void
fill_pair(struct screen *screen, struct table_row *row, size_t i)
{
	bool made;
	struct text *cells = table_keep(row->table, i, (struct message_id){0}, &made);
	if (!made)
		fill_cells(screen, &state_of(screen)->pairs[i], cells);
	table_put_all(row, cells, PAIR_COLUMNS, ROLE_NORMAL);
}

static size_t
count_lines(struct screen *screen)
{
	const struct intervals_state *state = state_of(screen);
	if (state->causes)
		return state->why_count == SIZE_MAX ? 0 : state->why_count;
	return state->histogram ? 0 : state->count;
}

static void
fill_cause(struct screen *screen, struct table_row *row, size_t i)
{
	bool made;
	struct text *cell = table_keep(row->table, i, (struct message_id){0}, &made);
	if (!made)
		why_add_row(state_of(screen)->why, i, cell);
	table_put_all(row, cell, 1, ROLE_NORMAL);
}

static void
draw_causes(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct intervals_state *state = state_of(screen);
	struct area rest = *area;
	struct text text = {0};
	unsigned percent = 0;
	renew_causes(screen);
	static const struct table_column column = {.width = TABLE_REST};
	const struct table_spec spec = {.pane = PANE_INTERVALS,
					.columns = &column,
					.column_count = 1,
					.left = 1,
					.count = count_lines(screen),
					.fill = fill_cause};
	if (state->why && why_count(state->why, &percent) != SIZE_MAX)
		why_describe(state->why, &text);
	else
		text_addf(&text, "%u %%\n", percent);
	for (const char *line = text.data; *line && rest.rows > 0; rest.row++, rest.rows--) {
		size_t length = strcspn(line, "\n");
		canvas_put(canvas, &rest, 0, 1, ROLE_NORMAL, line, length);
		line += length + 1;
	}
	text_free(&text);
	if (rest.rows > 0 && spec.count)
		table_draw(&state->table, screen, &spec, canvas, &rest);
}

static void
add_named(struct text *out, const char *name, int64_t length, bool ticks)
{
	text_addf(out, "  %s ", name);
	add_length(length, ticks, false, out);
}

/* Draw the summary of all lengths. */
static void
draw_summary(const struct intervals_state *state, struct canvas *canvas, const struct area *area)
{
	const struct interval_summary *s = &state->summary;
	struct text line = {0};
	if (s->timed) {
		add_named(&line, "min", s->min, s->ticks);
		add_named(&line, "mean", (int64_t)(s->sum / (long double)s->timed), s->ticks);
		add_named(&line, "p50", s->p50, s->ticks);
		add_named(&line, "p90", s->p90, s->ticks);
		canvas_puts(canvas, area, 0, 0, ROLE_NORMAL, text_get(&line));
		text_clear(&line);
		add_named(&line, "p99", s->p99, s->ticks);
		add_named(&line, "max", s->max, s->ticks);
		add_named(&line, "sum",
			  s->sum < (long double)INT64_MAX ? (int64_t)s->sum : INT64_MAX, s->ticks);
	}
	text_addf(&line, "  open %llu", (unsigned long long)s->counts.open);
	if (s->counts.unbegun)
		text_addf(&line, "  without begin %llu", (unsigned long long)s->counts.unbegun);
	if (s->counts.doubtful)
		text_addf(&line, "  doubtful %llu", (unsigned long long)s->counts.doubtful);
	if (s->counts.untimed)
		text_addf(&line, "  without time %llu", (unsigned long long)s->counts.untimed);
	canvas_puts(canvas, area, 1, 0, ROLE_NORMAL, text_get(&line));
	text_free(&line);
}

static void
draw_histogram(const struct intervals_state *state, struct canvas *canvas, const struct area *area)
{
	const struct interval_summary *s = &state->summary;
	uint64_t most = 1;
	int room = area->cols - BAR_COLUMN - 12;
	room = room > BAR_MOST ? BAR_MOST : room;
	for (size_t i = 0; i < s->bin_count; i++)
		most = s->bins[i] > most ? s->bins[i] : most;
	for (size_t i = 0; i < s->bin_count && (int)i < area->rows; i++) {
		struct text line = {0};
		const int64_t from = s->bin_start + (int64_t)i * s->bin_width;
		add_length(from, s->ticks, true, &line);
		int width = text_columns(text_get(&line), line.length, canvas->charset);
		canvas_puts(canvas, area, (int)i, BAR_COLUMN - 2 - width, ROLE_NORMAL,
			    text_get(&line));
		text_clear(&line);
		int bar = room > 0 ? (int)((long double)s->bins[i] * room / (long double)most) : 0;
		for (int k = 0; k < bar || (k == 0 && s->bins[i]); k++)
			text_add_char(&line, '#');
		text_addf(&line, "%s%llu", line.length ? " " : "", (unsigned long long)s->bins[i]);
		canvas_puts(canvas, area, (int)i, BAR_COLUMN, ROLE_NORMAL, text_get(&line));
		text_free(&line);
	}
}

static void
intervals_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct intervals_state *state = state_of(screen);
	if (!intervals_prepare(screen)) {
		canvas_puts(
		    canvas, area, 0, 1, ROLE_ABSENT,
		    "no intervals; define one, as :interval NAME begin EXPR end EXPR key NAMES");
		return;
	}
	if (state->causes) {
		draw_causes(screen, canvas, area);
		return;
	}
	draw_summary(state, canvas, area);
	const struct area rest = {area->row + HEAD_ROWS, area->col, area->rows - HEAD_ROWS,
				  area->cols};
	const struct table_spec spec = {.pane = PANE_INTERVALS,
					.columns = pair_columns,
					.column_count = PAIR_COLUMNS,
					.left = 1,
					.count = state->count,
					.fill = fill_pair};
	if (rest.rows > 0 && state->histogram)
		draw_histogram(state, canvas, &rest);
	else if (rest.rows > 0 && !table_draw(&state->table, screen, &spec, canvas, &rest))
		canvas_puts(canvas, &rest, 0, 1, ROLE_ABSENT,
			    state->summary.done ? "no pairs" : "...");
}

static void
intervals_title(struct screen *screen, struct text *out)
{
	struct intervals_state *state = state_of(screen);
	struct intervals *intervals = intervals_of(screen->session);
	if (!intervals_prepare(screen)) {
		text_add(out, "intervals");
		return;
	}
	text_addf(out, "interval %s", intervals_name(intervals, state->interval));
	if (intervals_count(intervals) > 1)
		text_addf(out, "  %zu of %zu", state->interval + 1, intervals_count(intervals));
	text_addf(out, "  %llu%s pairs%s", (unsigned long long)state->summary.counts.pairs,
		  state->summary.done ? "" : "+", state->causes ? "  why slow" : "");
}

/* --- commands -------------------------------------------------------------------- */

/* Go to the message that begins the pair; the line shows its text. */
static void
intervals_go(struct screen *screen, const struct command_call *call)
{
	struct intervals_state *state = state_of(screen);
	size_t cursor = state->table.cursor.line;
	(void)call;
	if (state->histogram) { /* it has no pairs to go to */
		struct text key = {0};
		keymap_hint(screen->keymap, COMMAND_INTERVAL_HISTOGRAM, &key);
		screen_say(screen, NOTICE_INTERVAL_HISTOGRAM, text_get(&key));
		text_free(&key);
	}
	if (cursor >= count_lines(screen))
		return;
	const struct interval_message *begin = &state->pairs[cursor].begin;
	jump_to_location(screen, &(struct location){.trace = begin->trace, .id = begin->id});
}

/* Go to the first slow pair with a cause, or to the next or previous one. */
static void
go_to_slow(struct screen *screen, const struct command_call *call)
{
	struct intervals_state *state = state_of(screen);
	struct interval_message begin;
	if (!state->causes) {
		(call->id == COMMAND_OPEN ? intervals_go : search_again)(screen, call);
		return;
	}
	if (state->table.cursor.line >= count_lines(screen))
		return;
	if (call->id == COMMAND_OPEN)
		state->visited = SIZE_MAX;
	if (why_step(state->why, state->table.cursor.line, call->id == COMMAND_PREVIOUS,
		     &state->visited, &begin))
		jump_to_location(screen, &(struct location){.trace = begin.trace, .id = begin.id});
	else
		screen_say(screen, NOTICE_INTERVAL_NONE_FURTHER);
}

static void
show_next(struct screen *screen, const struct command_call *call)
{
	struct intervals_state *state = state_of(screen);
	struct intervals *intervals = intervals_of(screen->session);
	(void)call;
	if (intervals && intervals_count(intervals))
		show_interval(state, (state->interval + 1) % intervals_count(intervals));
}

static void
toggle_histogram(struct screen *screen, const struct command_call *call)
{
	(void)call;
	state_of(screen)->histogram = !state_of(screen)->histogram;
	state_of(screen)->causes = false;
	drop_causes(state_of(screen));
}

bool
intervals_go_to_other(struct screen *screen)
{
	const struct selection *selection = selection_get(screen);
	struct intervals *intervals = intervals_of(screen->session);
	struct interval_message other;
	size_t interval;
	if (!selection || !intervals)
		return false;
	struct reader *reader = sequence_reader(screen->sequence, trace_number(selection->trace));
	if (!intervals_find_other(intervals, reader, &selection->message, &other, &interval))
		return false;
	jump_to_location(screen, &(struct location){.trace = other.trace, .id = other.id});
	return true;
}

/* Set *ID to the highest possible ID before it. False if none. */
static bool
id_before(struct message_id *id)
{
	if (id->ordinal)
		id->ordinal--;
	else if (id->offset)
		*id = (struct message_id){id->offset - 1, UINT32_MAX};
	else
		return false;
	return true;
}

/* Move *AT to the nearest interval begin in any trace of the list. */
static bool
step_to_interval(struct screen *screen, struct sequence_position *at, bool forward)
{
	struct intervals *intervals = intervals_of(screen->session);
	const struct list *list = screen->list;
	const struct sequence_position from = *at;
	bool any = false;
	for (size_t lane = 0; lane < list->lane_count; lane++) {
		struct reader *reader = list->lanes[lane].reader;
		struct sequence_position to = {.trace = lane};
		struct message_id id = {0};
		bool head = sequence_trace_head(list->sequence, from, lane, &to.at);
		if ((lane != from.trace && !sequence_shows(list->sequence, lane)) ||
		    (!head && forward))
			continue;
		if (head)
			id = reader_message_id(reader, to.at);
		/* in other lanes, the head itself is after the cursor */
		bool limited = head && (lane == from.trace || !forward || id_before(&id));
		if (intervals_step(intervals, list->lanes[lane].number, limited ? &id : NULL,
				   forward, &id) &&
		    reader_find_id(reader, id, &to.at) &&
		    (!any || sequence_is_before(list->sequence, to, *at) == forward)) {
			*at = to;
			any = true;
		}
	}
	return any;
}

void
intervals_jump(struct screen *screen, const struct command_call *call)
{
	const struct row *row = list_current(screen->list);
	struct intervals *intervals = intervals_of(screen->session);
	bool forward = call->id == COMMAND_NEXT_INTERVAL;
	if (!intervals || !intervals_count(intervals)) {
		screen_say(screen, NOTICE_INTERVAL_NONE);
		return;
	}
	if (!row)
		return;
	struct sequence_position at = row_position(row);
	for (uint64_t left = call->count; left; left--) {
		if (step_to_interval(screen, &at, forward))
			continue;
		screen_say(screen, intervals_are_done(intervals) ? NOTICE_INTERVAL_NONE_FURTHER
								 : NOTICE_INTERVAL_LATER);
		return;
	}
	trail_go_to(screen, at);
}

static pane_command *const intervals_commands[COMMAND_COUNT] = {
    [COMMAND_OPEN] = go_to_slow,
    [COMMAND_NEXT] = go_to_slow,
    [COMMAND_PREVIOUS] = go_to_slow,
    [COMMAND_INTERVAL_SWITCH] = show_next,
    [COMMAND_INTERVAL_HISTOGRAM] = toggle_histogram,
};

const struct pane_ops pane_intervals = {
    .name = "intervals",
    .scope = SCOPE_INTERVALS,
    .state_size = sizeof(struct intervals_state),
    .close = intervals_close,
    .prepare = intervals_choose,
    .title = intervals_title,
    .keys = {{COMMAND_INTERVAL_HISTOGRAM, .word = "histogram"},
	     {COMMAND_WHY, .word = "why"},
	     {COMMAND_INTERVAL_SWITCH, .word = "next", .spare = true},
	     {COMMAND_OPEN, .word = "go"},
	     {COMMAND_CLOSE, .word = "close"}},
    .draw = intervals_draw,
    .commands = intervals_commands,
    .lines = count_lines,
    .news = intervals_have_news,
};
