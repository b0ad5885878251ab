/* Functions on the timeline: see timeline_flow.h. */
#include "config.h"

#include "ui/panes/timeline_flow.h"
#include "flow/flow_look.h"
#include "session/sequence.h"
#include "session/session.h"
#include "ui/list/flow_view.h"
#include "ui/screen/screen.h"

#include <stdio.h>
#include <string.h>

enum {
	MESSAGES_MOST = 20000, /* on the screen */
	DEPTHS_MOST = 256,     /* nested calls */
	BARS_MOST = 1 << 17
};

void
timeline_flow_free(struct timeline_flow *t)
{
	vec_free(&t->bars);
	vec_free(&t->open);
	vec_free(&t->columns);
	t->made = false;
}

/* --- following --------------------------------------------------------- */

/* Find the first message of the trace on the screen. False if none. */
static bool
find_first(const struct timeline_flow *t, struct screen *screen, struct reader *reader,
	   struct position *p)
{
	size_t lane;
	int64_t from = t->window.from;
	if (t->unit == TRACK_OFFSETS)
		return reader_find_offset(reader, from < 0 ? 0 : (uint64_t)from, p);
	return sequence_find_trace(screen->sequence, t->trace, &lane) &&
	       sequence_find_in_trace(screen->sequence, lane, from, p);
}

/* Record the column of each message on the screen. A message without a time takes the column of the
 * previous one. False if it finds too many. */
static bool
note_columns(struct timeline_flow *t, struct screen *screen, struct reader *reader,
	     struct position p, timeline_time_of *time_of)
{
	size_t column = 0;
	bool exact;
	t->first = reader_number(reader, p, &exact);
	do {
		const struct message *found = reader_message(reader, p);
		struct message m = found ? *found : (struct message){0};
		int64_t time;
		if (!found)
			break;
		if (time_of(screen, t->trace, &m, false, &time)) {
			int64_t own = density_column_of(&t->window, time);
			if (own >= (int64_t)t->window.columns)
				break;
			column = own > (int64_t)column ? (size_t)own : column;
		}
		if (t->columns.count == MESSAGES_MOST)
			return false;
		*vec_add(&t->columns) = (uint32_t)column;
	} while (reader_next(reader, &p, 0));
	return true;
}

static void
watch_frame(struct timeline_flow *t, size_t depth, uint64_t below, size_t column,
	    const struct flow_frame *frame)
{
	size_t open = t->open.at[depth];
	const struct flow_bar *last = open ? &t->bars.at[open - 1] : NULL;
	if (!last || last->since != frame->since || last->instructions != frame->instructions) {
		if (t->bars.count == BARS_MOST)
			return;
		*vec_add(&t->bars) = (struct flow_bar){.from = column,
						       .depth = below + depth,
						       .since = frame->since,
						       .instructions = frame->instructions};
		open = t->open.at[depth] = t->bars.count;
	}
	struct flow_bar *bar = &t->bars.at[open - 1];
	bar->to = column;
	bar->entered = frame->entered;
	bar->entry = frame->entry;
}

static bool
watch_frames(void *context, const struct flow_place *place, const struct flow_step *step,
	     const struct flow_frames *frames)
{
	struct timeline_flow *t = context;
	if (place->origin != t->origin || step->kind == FLOW_STEP_CYCLES)
		return true;
	if (place->number - t->first >= t->columns.count)
		return false;
	uint32_t column = t->columns.at[place->number - t->first];
	size_t count = frames->running ? frames->frames.count + 1 : 0;
	count = count < DEPTHS_MOST ? count : DEPTHS_MOST;
	while (t->open.count < count)
		(void)vec_add(&t->open);
	for (size_t i = 0; i < count; i++)
		watch_frame(t, i, frames->calls.below, column,
			    i ? &frames->frames.at[i - 1] : &frames->base);
	for (size_t i = count; i < t->open.count; i++)
		t->open.at[i] = 0;
	return true;
}

/* Choose the depths of the lanes, from the lowest depth on. */
static void
choose_lanes(struct timeline_flow *t)
{
	uint64_t most = 0;
	t->least = UINT64_MAX;
	for (size_t i = 0; i < t->bars.count; i++) {
		uint64_t depth = t->bars.at[i].depth;
		t->least = depth < t->least ? depth : t->least;
		most = depth > most ? depth : most;
	}
	t->lanes = t->bars.count ? (size_t)(most - t->least) + 1 : 0;
	t->lanes = t->lanes < TIMELINE_FLOW_LANES ? t->lanes : TIMELINE_FLOW_LANES;
	if (!t->lanes && !t->why)
		t->why = "nothing is known to have been executed here";
	for (size_t i = 0; i < t->lanes; i++)
		snprintf(t->name[i], sizeof t->name[i], " %llu", (unsigned long long)t->least + i);
}

static bool
is_current(const struct timeline_flow *t, const struct density_answer *answer,
	   const struct flow_view_place *place, unsigned known)
{
	const struct density_window *w = &answer->window;
	return t->made && t->window.from == w->from && t->window.step == w->step &&
	       t->window.columns == w->columns && t->window.trace == w->trace &&
	       t->unit == answer->unit && t->last == answer->last &&
	       t->trace == trace_number(place->trace) && t->origin == place->origin &&
	       (!t->guess || t->known == known);
}

bool
timeline_flow_work(struct timeline_flow *t, struct screen *screen,
		   const struct density_answer *answer, timeline_time_of *time_of)
{
	const struct flow_view_place *place = flow_view_get_place(screen);
	struct position p;
	const char *why;
	if (!t->on || !answer || !place)
		return false;
	struct flow_index *index = flow_view_index(screen, &why);
	unsigned known = index ? flow_index_generation(index) : 0;
	if (is_current(t, answer, place, known))
		return false;
	struct reader *reader = sequence_reader(screen->sequence, trace_number(place->trace));
	*t = (struct timeline_flow){.on = true,
				    .made = true,
				    .window = answer->window,
				    .unit = answer->unit,
				    .last = answer->last,
				    .trace = trace_number(place->trace),
				    .origin = place->origin,
				    .known = known,
				    .why = why,
				    .bars = t->bars,
				    .open = t->open,
				    .columns = t->columns};
	vec_clear(&t->bars);
	vec_clear(&t->open);
	vec_clear(&t->columns);
	if (!index || !find_first(t, screen, reader, &p))
		return true;
	if (!note_columns(t, screen, reader, p, time_of))
		t->why = "too many messages are in sight for functions; + zooms in";
	else if (t->columns.count)
		t->guess = flow_look_steps(flow_view_looker(screen), reader, p.cell, t->first,
					   t->columns.count, watch_frames, t);
	choose_lanes(t);
	return true;
}

bool
timeline_flow_has_news(const struct timeline_flow *t, struct screen *screen)
{
	const char *why;
	struct flow_index *index = t->on && t->made ? flow_view_index(screen, &why) : NULL;
	return index && t->guess && flow_index_generation(index) != t->known;
}

/* --- drawing ----------------------------------------------------------- */

size_t
timeline_flow_lanes(const struct timeline_flow *t)
{
	return !t->on ? 0 : t->lanes ? t->lanes : 1;
}

static void
draw_bar(const struct timeline_flow *t, struct screen *screen, const struct area *area, int y,
	 const struct flow_bar *bar, int *drawn)
{
	int from = (int)bar->from, to = (int)bar->to, room = to - from - 1;
	enum role role = t->guess ? ROLE_ABSENT : ROLE_NORMAL;
	struct text name = {0};
	if (from <= *drawn) /* that column has several */
		canvas_puts(screen->canvas, area, y, from, role, ":");
	else
		canvas_puts(screen->canvas, area, y, from, role, room < 0 ? "|" : "[");
	if (bar->entered && room > 0)
		flow_view_add_place(screen, bar->entry, &name);
	else
		text_add(&name, "...");
	if (text_columns(text_get(&name), name.length, screen->charset) <= room)
		canvas_put(screen->canvas, area, y, from + 1, role, text_get(&name), name.length);
	if (room >= 0)
		canvas_puts(screen->canvas, area, y, to, role, "]");
	*drawn = to;
	text_free(&name);
}

void
timeline_flow_draw(const struct timeline_flow *t, struct screen *screen, const struct area *area,
		   int y, size_t lane)
{
	int drawn = -1;
	if (!t->lanes && t->why)
		canvas_puts(screen->canvas, area, y, 0, ROLE_ABSENT, t->why);
	if (!t->made || !flow_view_get_place(screen))
		return;
	for (size_t i = 0; i < t->bars.count; i++)
		if (t->bars.at[i].depth == t->least + lane)
			draw_bar(t, screen, area, y, &t->bars.at[i], &drawn);
}
