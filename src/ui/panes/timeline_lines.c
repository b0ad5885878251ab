/*
 * The choice of lines on the timeline.
 */
#include "config.h"

#include "ui/panes/timeline_lines.h"
#include "query/interval/intervals.h"
#include "session/session.h"
#include "ui/screen/screen.h"

#include <stdio.h>
#include <string.h>

enum {
	GUTTER_MAX = 16,   /* columns for the names of lanes */
	LANE_ROWS_MAX = 4, /* of a lane, if room allows */
	PLOT_ROWS = 3,	   /* of a plot, even if others must scroll */
	WIDE = 100,	   /* least columns for more words */
};

static const struct {
	const char *what, *where;
} lefts[LEFT_COUNT] = {
    [LEFT_ORIGINS] = {"origins", ":table origin has all"},
    [LEFT_STATES] = {"states", ":table context.NAME of span.NAME has all"},
};

bool
timeline_has_sync(const struct density_answer *answer, size_t column)
{
	for (size_t lane = 0; lane < answer->lanes; lane++)
		if (answer->columns[lane * answer->window.columns + column].flags & MESSAGE_SYNC)
			return true;
	return false;
}

const char *
timeline_line_name(struct screen *screen, const struct timeline_line *line)
{
	const struct timeline_state *state = timeline_state_of(screen);
	switch (line->kind) {
	case LINE_LANE:
		return state->names.at[line->at];
	case LINE_FLOW:
		return state->flow.lanes ? state->flow.name[line->at] : "functions";
	case LINE_PLOT:
		return state->plots.at[line->at].name;
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

const char *
timeline_left_where(enum timeline_left which)
{
	return lefts[which].where;
}

/* Find the busiest lane with a 0 in MARKS and set that to 1. False if none. */
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

/* Add a line that counts the origins or states without a lane. */
static void
add_left(struct timeline_state *state, enum timeline_left which)
{
	size_t count = state->left_out[which];
	if (!count)
		return;
	snprintf(state->left[which], sizeof state->left[which], "+%zu %s", count,
		 lefts[which].what);
	add_line(state, LINE_LEFT, which);
}

/* Choose the lanes with their own lines, for ROOM lines in all. */
static void
choose_lanes(struct timeline_state *state, size_t room)
{
	const struct density_answer *answer = timeline_answer(state);
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
		snprintf(state->more, sizeof state->more,
			 answer && answer->window.columns >= WIDE ? "%zu more lanes" : "%zu more",
			 count - (room - 1));
	add_line(state, LINE_MORE, 0);
}

/* Give spare rows to the busiest lanes, up to ROWS in all. */
static void
spread_lanes(struct timeline_state *state, size_t rows)
{
	size_t lane;
	size_t spare = rows - state->lines.count;
	for (int high = 2; spare && high <= LANE_ROWS_MAX; high++) {
		memset(state->kept.at, 0, state->kept.count);
		/* all lanes have lines, which come first */
		for (; spare && take_busiest(state, state->kept.at, &lane); spare--)
			state->lines.at[lane].rows = high;
	}
	memset(state->kept.at, 1, state->kept.count);
}

void
timeline_lines_make(struct timeline_state *state, size_t rows)
{
	const struct density_answer *answer = timeline_answer(state);
	bool syncs = false;
	for (size_t c = 0; answer && c < answer->window.columns && !syncs; c++)
		syncs = timeline_has_sync(answer, c);
	size_t pairs = state->pairs.count, ties = syncs + pairs;
	ties = ties && !state->unfolded ? 1 : ties;
	size_t flow = timeline_flow_lanes(&state->flow);
	flow = flow < rows / 2 ? flow : rows / 2;
	size_t others = ties + state->states.count + state->intervals.lanes.count +
			(state->left_out[LEFT_ORIGINS] > 0) + (state->left_out[LEFT_STATES] > 0) +
			flow;
	size_t plots = state->plots.count, high = TIMELINE_PLOT_ROWS;
	size_t least = rows / 3 < 2 || plots ? 2 : rows / 3; /* for lanes */
	while (high > 1 &&
	       (high > rows || (high > PLOT_ROWS && others + least + plots * high > rows)))
		high--;
	others += plots * high;
	vec_clear(&state->lines);
	choose_lanes(state, rows > others + least ? rows - others : least);
	add_left(state, LEFT_ORIGINS);
	for (size_t i = 0; i < flow; i++)
		add_line(state, LINE_FLOW, i);
	for (size_t i = 0; i < plots; i++) {
		add_line(state, LINE_PLOT, i);
		state->lines.at[state->lines.count - 1].rows = (int)high;
		if (state->plot_wanted == i + 1)
			state->at.line = state->lines.count - 1;
	}
	for (size_t i = 0; i < state->states.count; i++)
		add_line(state, LINE_CONTEXT, i);
	add_left(state, LEFT_STATES);
	for (size_t i = 0; i < state->intervals.lanes.count; i++)
		add_line(state, LINE_INTERVAL, i);
	if (ties && !state->unfolded)
		add_line(state, LINE_TIES, 0);
	for (size_t i = 0; state->unfolded && i < syncs; i++)
		add_line(state, LINE_SYNC, 0);
	for (size_t i = 0; state->unfolded && i < pairs; i++)
		add_line(state, LINE_PAIR, i);
	size_t higher = plots * (high - 1); /* rows after the first of each plot */
	if (state->lines.count + higher < rows && state->lanes.count)
		spread_lanes(state, rows - higher);
}

int
timeline_gutter(struct screen *screen, int cols)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct density_answer *answer = timeline_answer(state);
	int least = answer && answer->wall ? 8 : 5; /* common start of the axis times */
	int most = state->gutter > least ? state->gutter : least,
	    limit = cols / 4 < GUTTER_MAX ? cols / 4 : GUTTER_MAX;
	for (size_t i = 0; i < state->lines.count; i++) {
		const char *name = timeline_line_name(screen, &state->lines.at[i]);
		int own = text_columns(name, strlen(name), screen->charset) + 1;
		most = own > most ? own : most;
	}
	if (state->plots.count && state->plot_columns >= most)
		most = state->plot_columns + 1;
	state->gutter = most;
	return most < limit ? most : limit;
}
