/*
 * Times by cycles: see cycles_walk.h.
 *
 * Each processor has a state: its last time, the cycles counted since the walk
 * began, and the messages of the cell asked for that wait for the next time.
 * The walk begins a cell before the one asked for, or several where that did not tell
 * enough, and goes on behind it while messages wait.
 *
 * Cost: the cell asked for and mostly its neighbours are decoded, 17 at worst; where
 * the summaries of the index tell of no times, none but itself.
 *
 * What is farther apart than that gets no estimate, or one that no time follows.
 */
#include "config.h"

#include "trace/cycles_walk.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCES_MAX = 256 }; /* processors; CoreSight has fewer */

/* So many ticks went by in so many cycles. */
struct rate {
	uint64_t ticks, cycles; /* no cycles: not known */
};

/* A message that waits, and the cycles when it was sent. */
struct waiting {
	size_t at; /* in its cell */
	uint64_t cycles;
};

struct source_state {
	uint64_t source;
	uint64_t cycles;
	bool based;	      /* a time was met: */
	uint64_t ticks, base; /* which, and at how many cycles */
	struct rate rate;     /* between the last two times that can be compared */
	bool ended;	      /* nothing can be counted any more from there */
	bool carried;	      /* messages carry counts, see struct decode_cycles; */
	uint64_t apart;	      /* until then: the count of the last time, not added up */
	bool marks;	      /* times are for marks, */
	bool cut;	      /* but that of the last one may lie before the walk */
	bool marked;	      /* the next time is for here: */
	uint64_t mark;	      /* so many cycles */
	size_t mark_waiting;  /* and so many messages that wait come before */
	VEC(struct waiting) waiting;
};

struct cycles_walk {
	struct trace *trace;
	struct reader *reader;
	VEC(struct source_state) sources;
	VEC(struct cycles_estimate) estimates;
	bool lacking;	  /* an earlier start would tell more */
	bool cell_walked; /* a cell, whose estimates are there: */
	uint64_t cell;
};

struct cycles_walk *
cycles_walk_new(struct trace *trace)
{
	struct cycles_walk *w = mem_new(sizeof *w);
	w->trace = trace;
	w->reader = reader_new(trace);
	return w;
}

static void
forget_sources(struct cycles_walk *w)
{
	for (size_t i = 0; i < w->sources.count; i++)
		vec_free(&w->sources.at[i].waiting);
	vec_clear(&w->sources);
}

void
cycles_walk_free(struct cycles_walk *w)
{
	if (!w)
		return;
	forget_sources(w);
	vec_free(&w->sources);
	vec_free(&w->estimates);
	reader_free(w->reader);
	free(w);
}

/* The state of a processor; NULL: there are too many. */
static struct source_state *
source_of(struct cycles_walk *w, uint64_t source)
{
	for (size_t i = 0; i < w->sources.count; i++)
		if (w->sources.at[i].source == source)
			return &w->sources.at[i];
	if (w->sources.count == SOURCES_MAX)
		return NULL;
	*vec_add(&w->sources) = (struct source_state){.source = source};
	return &w->sources.at[w->sources.count - 1];
}

/* --- times ------------------------------------------------------------- */

/* Ticks so many cycles behind BASE, at most TO; BASE if RATE is not known. */
static uint64_t
ticks_after(uint64_t base, uint64_t cycles, struct rate rate, uint64_t to)
{
	unsigned __int128 ticks = base;
	if (rate.cycles)
		ticks += (unsigned __int128)cycles * rate.ticks / rate.cycles;
	return ticks < to ? (uint64_t)ticks : to;
}

/* Gives the first COUNT messages that wait their times, by RATE from the last time
 * on and not behind TO. */
static void
settle_waiting(struct cycles_walk *w, struct source_state *state, size_t count, struct rate rate,
	       uint64_t to)
{
	struct waiting *waiting = state->waiting.at;
	for (size_t i = 0; i < count; i++) {
		uint64_t cycles = waiting[i].cycles;
		uint64_t gone = cycles > state->base ? cycles - state->base : 0;
		bool known = rate.cycles || !gone;
		w->lacking |= !known || (state->marks && state->cut);
		w->estimates.at[waiting[i].at] =
		    (struct cycles_estimate){.ticks = ticks_after(state->ticks, gone, rate, to),
					     .from = state->ticks,
					     .to = to,
					     .known = known};
	}
	state->waiting.count -= count;
	if (count && state->waiting.count)
		memmove(waiting, waiting + count, state->waiting.count * sizeof *waiting);
}

/* A message of a processor has a time: of when as many cycles were counted as at the
 * mark for it, else as here. */
static void
take_time(struct cycles_walk *w, struct source_state *state, uint64_t ticks,
	  const struct decode_cycles *cycles)
{
	uint64_t now = state->marked ? state->mark : state->cycles + cycles->count;
	size_t before = state->marked ? state->mark_waiting : state->waiting.count;
	bool later = state->based && ticks >= state->ticks;
	bool counted = later && !state->ended && !cycles->ends && now > state->base;
	struct rate rate = state->rate;
	if (counted)
		rate = (struct rate){ticks - state->ticks, now - state->base};
	settle_waiting(w, state, before, rate, later ? ticks : UINT64_MAX);
	if (cycles->renews || !later)
		state->rate = (struct rate){0};
	else if (rate.ticks) /* within less than a tick it is not known */
		state->rate = rate;
	if (state->carried)
		state->cycles += cycles->count;
	else
		state->apart = cycles->count;
	state->cut = !state->based && !state->marked;
	state->ticks = ticks;
	state->base = now;
	state->based = true;
	state->ended = state->marked = false;
}

/* Forgets a mark for which no time came, and what waits behind it if only that could
 * have told its time. */
static void
drop_mark(struct source_state *state)
{
	if (state->marked && (state->ended || !state->based))
		state->waiting.count = state->mark_waiting;
	state->marked = false;
}

/* The next time is for here. */
static void
set_mark(struct source_state *state)
{
	drop_mark(state);
	state->marks = state->marked = true;
	state->mark = state->cycles;
	state->mark_waiting = state->waiting.count;
}

/* Takes the next message, which stands AT in the cell asked for, or, SIZE_MAX, in
 * another one. */
static void
take_message(struct cycles_walk *w, const struct message *m, size_t at)
{
	struct decode_cycles cycles;
	struct source_state *state;
	if (!trace_decoder(w->trace)->ops->cycles(m, &cycles) ||
	    !(state = source_of(w, cycles.source)))
		return;
	if (m->flags & MESSAGE_TIMED) {
		if (m->ticks) /* else the source had no time yet */
			take_time(w, state, m->ticks, &cycles);
		return;
	}
	if (cycles.carried && !state->carried)
		state->cycles += state->apart;
	state->carried |= cycles.carried;
	uint64_t before = state->cycles;
	state->cycles += cycles.count;
	if (cycles.ends) {
		drop_mark(state);
		state->ended = true;
	}
	if (cycles.marks)
		set_mark(state);
	if (at == SIZE_MAX)
		return;
	if (state->marked || (state->based && !state->ended))
		*vec_add(&state->waiting) =
		    (struct waiting){at, cycles.before ? before : state->cycles};
	else
		w->lacking |= !state->ended;
}

/* --- cells ------------------------------------------------------------- */

static bool
any_waits(const struct cycles_walk *w)
{
	for (size_t i = 0; i < w->sources.count; i++)
		if (w->sources.at[i].waiting.count)
			return true;
	return false;
}

/* Whether some cell of these has a time, or may have one: the first that is not known. */
static bool
has_times(const struct cycles_walk *w, uint64_t from, uint64_t until)
{
	struct index_cell summary;
	uint64_t known = index_known(trace_index(w->trace));
	if (from <= known && known < until)
		return true;
	for (uint64_t cell = from; cell < until; cell++)
		if (index_cell(trace_index(w->trace), cell, &summary) && summary.flags & CELL_TIMED)
			return true;
	return false;
}

static void
walk_cell(struct cycles_walk *w, uint64_t cell, bool is_target)
{
	const struct decoded_cell *decoded = reader_decoded_cell(w->reader, cell);
	size_t room = is_target ? w->estimates.count : 0;
	for (size_t i = 0; i < decoded->count; i++)
		take_message(w, &decoded->messages[i], i < room ? i : SIZE_MAX);
}

static void
walk_on(struct cycles_walk *w, uint64_t cell)
{
	uint64_t known = index_known(trace_index(w->trace)), end = cell + 1 + CYCLES_CELLS;
	if (end > known)
		end = known + 1;
	while (++cell < end && any_waits(w) && has_times(w, cell, end))
		walk_cell(w, cell, false);
}

/* What still waits has no time behind it. */
static void
settle_rest(struct cycles_walk *w)
{
	for (size_t i = 0; i < w->sources.count; i++) {
		struct source_state *state = &w->sources.at[i];
		drop_mark(state);
		settle_waiting(w, state, state->waiting.count, state->rate, UINT64_MAX);
	}
}

/* Makes an empty estimate for each of so many messages. */
static void
make_room(struct cycles_walk *w, size_t count)
{
	while (w->estimates.count < count)
		(void)vec_add(&w->estimates);
}

static void
walk_around(struct cycles_walk *w, uint64_t cell, uint64_t from)
{
	forget_sources(w);
	vec_clear(&w->estimates);
	make_room(w, reader_decoded_cell(w->reader, cell)->count);
	w->lacking = false;
	for (uint64_t before = from; before < cell; before++)
		walk_cell(w, before, false);
	walk_cell(w, cell, true);
	walk_on(w, cell);
	settle_rest(w);
}

const struct decoded_cell *
cycles_walk_cell(struct cycles_walk *w, uint64_t cell, const struct cycles_estimate **estimates)
{
	uint64_t from = cell ? cell - 1 : 0, first = cell > CYCLES_CELLS ? cell - CYCLES_CELLS : 0;
	vec_clear(&w->estimates);
	w->lacking = false;
	if (has_times(w, first, cell + 1 + CYCLES_CELLS))
		walk_around(w, cell, from);
	if (w->lacking && has_times(w, first, from))
		walk_around(w, cell, first);
	const struct decoded_cell *decoded = reader_decoded_cell(w->reader, cell);
	make_room(w, decoded->count); /* or should the capture have changed meanwhile */
	w->cell_walked = true;
	w->cell = cell;
	*estimates = w->estimates.at;
	return decoded;
}

bool
cycles_walk_find(struct cycles_walk *w, const struct message *m, struct cycles_estimate *estimate)
{
	const struct cycles_estimate *estimates = w->estimates.at;
	struct position at;
	*estimate = (struct cycles_estimate){0};
	if (m->flags & MESSAGE_TIMED || !reader_find_message(w->reader, m, &at))
		return false;
	if (!w->cell_walked || w->cell != at.cell)
		cycles_walk_cell(w, at.cell, &estimates);
	if (at.at < w->estimates.count)
		*estimate = estimates[at.at];
	return estimate->known;
}
