/*
 * Intervals on the timeline: see timeline_intervals.h.
 */
#include "config.h"

#include "ui/panes/timeline_intervals.h"
#include "query/gap/gap.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum {
	KEY_ROOM = 8,	 /* shortest bar that shows a key, in columns */
	TOUCHING_MAX = 8 /* most intervals read for a column */
};

static void
drop_lanes(struct timeline_intervals *t)
{
	for (size_t i = 0; i < t->lanes.count; i++) {
		struct bar_lane *lane = &t->lanes.at[i];
		for (size_t k = 0; k < lane->labels.count; k++)
			free(lane->labels.at[k].text);
		vec_free(&lane->labels);
		vec_free(&lane->cells);
	}
	vec_clear(&t->lanes);
}

void
timeline_intervals_free(struct timeline_intervals *t)
{
	drop_lanes(t);
	vec_free(&t->lanes);
}

/* --- keys --------------------------------------------------------------- */

static char *
key_text(struct screen *screen, const struct interval_span *span)
{
	struct text key = {0};
	intervals_add_span_key(intervals_of(screen->session), span,
			       sequence_reader(screen->sequence, span->begin.trace), &key);
	char *own = mem_text(text_get(&key));
	text_free(&key);
	return own;
}

/* --- lanes -------------------------------------------------------------- */

/* Return the sign for the intervals of a column; see timeline_intervals.h. */
static char
bar_sign(const struct interval_span *spans, size_t count, int64_t from, int64_t to)
{
	size_t whole = 0, begins = 0, ends = 0;
	for (size_t i = 0; i < count; i++) {
		bool begun = spans[i].since >= from, ended = spans[i].ended && spans[i].until <= to;
		whole += begun && ended;
		begins += begun && !ended;
		ends += ended && !begun;
	}
	if (whole > 1 || count == TOUCHING_MAX)
		return ':';
	if (whole || (begins && ends))
		return '|';
	return begins ? '<' : ends ? '>' : '=';
}

/* Find the interval that begins in COLUMN. False if none does, or if the column has others. */
static bool
find_single(const struct density_window *w, const struct interval_span *spans, size_t count,
	    size_t column, const struct interval_span **single)
{
	*single = NULL;
	for (size_t i = 0; i < count; i++)
		if (density_column_of(w, spans[i].since) == (int64_t)column)
			*single = &spans[i];
	return *single && count == 1;
}

/* Add the key after the begin in COLUMN, if the bar is long enough. */
static void
add_key(struct screen *screen, struct bar_lane *lane, const struct interval_span *span,
	size_t column)
{
	size_t room = 0;
	while (column + 1 + room < lane->cells.count &&
	       lane->cells.at[column + 1 + room].sign == '=')
		room++;
	if (room < KEY_ROOM)
		return;
	char *text = key_text(screen, span);
	size_t width = (size_t)text_columns(text, strlen(text), screen->charset);
	if (width && width + 4 <= room)
		*vec_add(&lane->labels) = (struct bar_label){column + 3, text};
	else
		free(text);
}

static void
fill_lane(struct screen *screen, const struct density_answer *answer, size_t interval,
	  struct bar_lane *lane)
{
	struct intervals *intervals = intervals_of(screen->session);
	const struct density_window *w = &answer->window;
	size_t part = clocks_part(screen->session->traces.at[w->trace]);
	VEC(struct interval_span) singles = {0};
	for (size_t c = 0; c < w->columns; c++) {
		struct interval_span spans[TOUCHING_MAX];
		const struct interval_span *single;
		int64_t from = density_column_start(w, (int64_t)c);
		int64_t to = density_column_end(w, (int64_t)c);
		struct bar_cell *cell = vec_add(&lane->cells);
		size_t count = 0;
		if (answer->unit != TRACK_OFFSETS && from <= answer->last)
			count = intervals_touching(intervals, interval, part,
						   answer->unit == TRACK_TICKS, from, to, spans,
						   TOUCHING_MAX);
		if (!count)
			continue;
		cell->sign = bar_sign(spans, count, from, to);
		for (size_t i = 0; i < count; i++)
			cell->doubtful |= spans[i].doubtful;
		if (cell->sign == '<' && find_single(w, spans, count, c, &single))
			*vec_add(&singles) = *single;
	}
	for (size_t i = 0; i < singles.count; i++)
		add_key(screen, lane, &singles.at[i],
			(size_t)density_column_of(w, singles.at[i].since));
	vec_free(&singles);
}

void
timeline_intervals_make(struct timeline_intervals *t, struct screen *screen,
			const struct density_answer *answer)
{
	struct intervals *intervals = intervals_of(screen->session);
	if (!intervals || !intervals_count(intervals) || !answer)
		return;
	const struct density_window *w = &answer->window;
	unsigned generation = intervals_generation(intervals);
	if (t->lanes.count && t->window.trace == w->trace && t->window.from == w->from &&
	    t->window.step == w->step && t->window.columns == w->columns &&
	    t->last == answer->last && t->generation == generation)
		return;
	drop_lanes(t);
	t->window = *w;
	t->last = answer->last;
	t->generation = generation;
	for (size_t i = 0; i < intervals_count(intervals); i++)
		fill_lane(screen, answer, i, vec_add(&t->lanes));
}

bool
timeline_intervals_have_news(const struct timeline_intervals *t, const struct screen *screen)
{
	return t->lanes.count &&
	       intervals_generation(intervals_of(screen->session)) != t->generation;
}

/* --- drawing ------------------------------------------------------------ */

void
timeline_intervals_draw(const struct timeline_intervals *t, struct screen *screen,
			const struct area *area, int y, size_t interval)
{
	const struct bar_lane *lane = &t->lanes.at[interval];
	for (size_t c = 0; c < lane->cells.count; c++) {
		const struct bar_cell *cell = &lane->cells.at[c];
		const char sign[] = {cell->sign, '\0'};
		if (cell->sign)
			canvas_puts(screen->canvas, area, y, (int)c,
				    cell->doubtful ? ROLE_LOSS : ROLE_NORMAL, sign);
	}
	for (size_t i = 0; i < lane->labels.count; i++) {
		const struct bar_label *label = &lane->labels.at[i];
		int from = (int)label->column,
		    width = text_columns(label->text, strlen(label->text), screen->charset);
		canvas_fill(screen->canvas, area, y, from, width + 2, ROLE_NORMAL, ' ');
		canvas_puts(screen->canvas, area, y, from + 1, ROLE_NORMAL, label->text);
	}
}

void
timeline_intervals_add_open(struct screen *screen, const struct density_answer *answer, int64_t at,
			    struct text *out)
{
	struct intervals *intervals = intervals_of(screen->session);
	struct interval_span spans[INTERVALS_MAX];
	uint64_t left;
	const struct message_time time = {
	    .order = at,
	    .known = answer->unit == TRACK_NANOSECONDS,
	    .part = clocks_part(screen->session->traces.at[answer->window.trace])};
	if (!intervals || answer->unit == TRACK_OFFSETS)
		return;
	size_t count = intervals_enclosing(intervals, &time, spans, INTERVALS_MAX, &left);
	for (size_t i = 0; i < count; i++) {
		const struct gap gap = {(uint64_t)time.order - (uint64_t)spans[i].since,
					time.known};
		if (i && spans[i].interval == spans[i - 1].interval)
			continue;
		char *key = key_text(screen, &spans[i]);
		text_addf(out, "  %s %s for ", intervals_name(intervals, spans[i].interval), key);
		free(key);
		gap_format(&gap, false, out);
		left--;
	}
	if (left)
		text_addf(out, "  +%llu more", (unsigned long long)left);
}
