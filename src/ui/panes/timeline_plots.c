/* Plots on the timeline: see timeline_plots.h. */
#include "config.h"

#include "ui/panes/timeline_plots.h"
#include "base/notice.h"
#include "session/sequence.h"
#include "ui/panes/timeline_state.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { EIGHTHS = 8 /* of a row */ };

static void
drop_plot(struct timeline_plot *plot)
{
	plot_free(plot->plot);
	free(plot->name);
	text_free(&plot->most);
	text_free(&plot->least);
}

void
timeline_plots_free(struct timeline_state *state)
{
	for (size_t i = 0; i < state->plots.count; i++)
		drop_plot(&state->plots.at[i]);
	vec_free(&state->plots);
}

/* --- the command --------------------------------------------------------- */

/* Ask for the present plots from now on. */
static void
set_plots(struct screen *screen)
{
	struct timeline_state *state = timeline_state_of(screen);
	density_free(state->density);
	state->answer = NULL;
	state->density = density_new(screen->session);
	for (size_t i = 0; i < state->plots.count; i++)
		density_add_plot(state->density, state->plots.at[i].plot);
}

static void
list_plots(struct screen *screen, const timeline_plots *plots)
{
	struct text out = {0};
	for (size_t i = 0; i < plots->count; i++)
		text_addf(&out, "%s%zu: %s", i ? "; " : "", i + 1, plots->at[i].name);
	if (plots->count)
		screen_say(screen, NOTICE_PLOT_LIST, text_get(&out));
	else
		screen_say(screen, NOTICE_PLOT_NONE);
	text_free(&out);
}

static void
remove_plot(struct screen *screen, timeline_plots *plots, const char *number)
{
	uint64_t at;
	if (!text_parse_uint(number, plots->count, &at) || !at) {
		screen_error(screen, NOTICE_PLOT_UNKNOWN, number);
		return;
	}
	struct timeline_plot removed = plots->at[--at];
	memmove(&plots->at[at], &plots->at[at + 1], (--plots->count - at) * sizeof *plots->at);
	set_plots(screen);
	drop_plot(&removed);
	screen_say(screen, NOTICE_PLOT_REMOVED, plots->count);
}

/* Make the plot `[heat] NAME [of FILTER]`. */
static struct plot *
make_plot(struct screen *screen, const char *typed)
{
	static const char heat[] = "heat ", of[] = " of ";
	bool octaves = !strncmp(typed, heat, sizeof heat - 1);
	char *name = mem_text(typed + (octaves ? sizeof heat - 1 : 0)), *end = strstr(name, of);
	struct err err = {0};
	if (end)
		*end = '\0';
	struct plot *plot =
	    plot_new(screen->session, name, end ? end + sizeof of - 1 : NULL, octaves, &err);
	if (!plot)
		screen_error(screen, NOTICE_PLOT_REFUSED, err.what);
	free(name);
	return plot;
}

bool
timeline_plots_run(struct screen *screen, const char *typed)
{
	struct timeline_state *state = timeline_state_of(screen);
	struct plot *plot = NULL;
	if (!typed || !*typed)
		list_plots(screen, &state->plots);
	else if (*typed == '-')
		remove_plot(screen, &state->plots, typed + 1);
	else
		plot = make_plot(screen, typed);
	if (!plot)
		return false;
	*vec_add(&state->plots) = (struct timeline_plot){.name = mem_text(typed), .plot = plot};
	state->plot_wanted = state->plots.count;
	set_plots(screen);
	return true;
}

/* --- answers --------------------------------------------------------------- */

static void
add_number(struct screen *screen, const struct timeline_plot *plot, const struct plot_place *at,
	   struct text *out)
{
	plot_add_number(plot->plot, at, sequence_reader(screen->sequence, at->trace), out);
}

void
timeline_plots_take(struct screen *screen, const struct density_answer *answer)
{
	struct timeline_state *state = timeline_state_of(screen);
	for (size_t i = 0; i < state->plots.count; i++) {
		struct timeline_plot *plot = &state->plots.at[i];
		struct text *limits[] = {&plot->most, &plot->least};
		plot->answer = answer ? answer->plots.at[i] : NULL;
		for (int k = 0; k < 2; k++) {
			text_clear(limits[k]);
			if (plot->answer && plot->answer->all.count)
				add_number(screen, plot,
					   k ? &plot->answer->all.min_at
					     : &plot->answer->all.max_at,
					   limits[k]);
			int own =
			    text_columns(text_get(limits[k]), limits[k]->length, screen->charset);
			state->plot_columns = own > state->plot_columns ? own : state->plot_columns;
		}
	}
}

struct timeline_plot *
timeline_plots_current(struct timeline_state *state, bool *selected)
{
	const struct timeline_line *line =
	    state->at.line < state->lines.count ? &state->lines.at[state->at.line] : NULL;
	*selected = line && line->kind == LINE_PLOT && line->at < state->plots.count;
	if (*selected)
		return &state->plots.at[line->at];
	return state->plots.count ? &state->plots.at[0] : NULL;
}

/* --- drawing ---------------------------------------------------------------- */

/* Return the sign of a cell that is filled from eighth FROM up to before eighth TO. */
static const char *
fill_sign(enum text_charset charset, int from, int to)
{
	static const char *const low[] = {"\u2581", "\u2581", "\u2582", "\u2583", "\u2584",
					  "\u2585", "\u2586", "\u2587", "\u2588"};
	static const char *const lines[2][3] = {{"\u2581", "\u2500", "\u2594"}, {"_", "-", "'"}};
	int middle = from + to; /* twice */
	if (to - from <= 2)
		return lines[charset == TEXT_ASCII][middle < 6 ? 0 : middle <= 10 ? 1 : 2];
	if (charset == TEXT_ASCII)
		return "|";
	return from <= 1 ? low[to] : middle > EIGHTHS ? "\u2580" : "\u2584";
}

static void
draw_column(struct screen *screen, const struct area *area, int y, int rows, size_t c,
	    const struct plot_answer *answer)
{
	const struct plot_range *all = &answer->all, *range = &answer->columns[c];
	long double span = all->max - all->min, most = (long double)(rows * EIGHTHS - 1);
	int from = (int)(span > 0 ? (range->min - all->min) / span * most + 0.5L : most / 2);
	int to = (int)(span > 0 ? (range->max - all->min) / span * most + 0.5L : most / 2);
	for (int row = from / EIGHTHS; range->count && row <= to / EIGHTHS; row++) {
		int base = row * EIGHTHS, end = to + 1 - base;
		canvas_puts(screen->canvas, area, y + rows - 1 - row, (int)c, ROLE_NORMAL,
			    fill_sign(screen->charset, from > base ? from - base : 0,
				      end < EIGHTHS ? end : EIGHTHS));
	}
}

static void
draw_heat(struct screen *screen, const struct area *area, int y, int rows, size_t columns,
	  const struct plot_answer *answer)
{
	static const char *const shades[2][4] = {{"\u2591", "\u2592", "\u2593", "\u2588"},
						 {".", ":", "*", "#"}};
	size_t first = plot_octave(answer->all.min), last = plot_octave(answer->all.max);
	size_t high = (size_t)rows, each = (last - first) / high + 1; /* octaves in a row */
	uint64_t *sums = mem_new(columns * high * sizeof *sums), most = 1;
	for (size_t i = 0; i < columns * PLOT_OCTAVES; i++) {
		if (!answer->octaves[i])
			continue;
		uint64_t *sum = &sums[i / PLOT_OCTAVES * high + (i % PLOT_OCTAVES - first) / each];
		*sum += answer->octaves[i];
		most = *sum > most ? *sum : most;
	}
	for (size_t i = 0; i < columns * high; i++) {
		double part = (double)sums[i] / (double)most;
		size_t shade = part > 0.5 ? 3 : part > 0.25 ? 2 : part > 0.125;
		if (sums[i])
			canvas_puts(screen->canvas, area, y + rows - 1 - (int)(i % high),
				    (int)(i / high), ROLE_NORMAL,
				    shades[screen->charset == TEXT_ASCII][shade]);
	}
	free(sums);
}

/* Append what the columns of an answer (NULL: none) leave out. */
static void
add_left_out(const struct plot_answer *answer, struct text *out)
{
	char digits[32];
	if (answer && answer->untimed)
		text_addf(out, ", %s without a time", text_number(digits, answer->untimed));
	if (answer && answer->others)
		text_addf(out, ", %s other values", text_number(digits, answer->others));
}

void
timeline_plots_draw(struct screen *screen, const struct area *area, const struct area *right, int y,
		    int rows, size_t number)
{
	const struct timeline_state *state = timeline_state_of(screen);
	const struct timeline_plot *plot = &state->plots.at[number];
	const struct plot_answer *answer = plot->answer;
	int gutter = area->cols - right->cols - 1;
	if (!answer || !answer->all.count) {
		struct text why = {0};
		if (!answer || !answer->final || !state->answer->complete)
			text_add(&why, "not known yet");
		else
			plot_explain_absent(plot->plot, &why);
		if (!why.length)
			text_add(&why, "no numbers in this time");
		add_left_out(answer, &why);
		canvas_put(screen->canvas, right, y, 0, ROLE_ABSENT, text_get(&why), why.length);
		text_free(&why);
		return;
	}
	if (rows > 2) { /* the name stands between */
		canvas_put_cell(screen->canvas, area, y, 0, gutter, ROLE_NOTE,
				text_get(&plot->most), plot->most.length);
		canvas_put_cell(screen->canvas, area, y + rows - 1, 0, gutter, ROLE_NOTE,
				text_get(&plot->least), plot->least.length);
	}
	size_t columns = state->answer->window.columns;
	for (size_t c = 0; c < columns && !answer->octaves; c++)
		draw_column(screen, right, y, rows, c, answer);
	if (answer->octaves)
		draw_heat(screen, right, y, rows, columns, answer);
}

void
timeline_plots_add_here(struct screen *screen, struct text *out)
{
	struct timeline_state *state = timeline_state_of(screen);
	bool selected;
	const struct timeline_plot *plot = timeline_plots_current(state, &selected);
	const struct plot_answer *answer = selected ? plot->answer : NULL;
	const struct plot_range *at = NULL;
	char digits[32];
	if (!answer || !answer->all.count)
		return;
	const struct density_window *w = &state->answer->window;
	if (state->cursor.set && timeline_in_sight(w, state->cursor.time))
		at = &answer->columns[density_column_of(w, state->cursor.time)];
	if (at && at->count) {
		text_add(out, "cursor: ");
		add_number(screen, plot, &at->min_at, out);
		text_add(out, at->count > 1 ? " to " : "");
		if (at->count > 1)
			add_number(screen, plot, &at->max_at, out);
		text_addf(out, ", %s of ", text_number(digits, at->count));
	} else if (at) {
		text_add(out, "cursor: none of ");
	}
	text_addf(out, "%s numbers here%s", text_number(digits, answer->all.count),
		  answer->final ? "" : " so far");
	add_left_out(answer, out);
}
