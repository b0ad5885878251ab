/*
 * Estimates times from cycle counts: see cycles_walk.h.
 *
 * Each processor has a state: its last timestamp, the cycles counted since the walk
 * began, and the waiting messages of the target cell. These wait for the next
 * timestamp. The walk begins one cell before the target, or several if one was not
 * enough. It continues after the target while messages wait.
 *
 * Cost: the target and mostly its neighbours are decoded, 17 cells at worst; only
 * the target if the index shows no timestamps nearby.
 *
 * A message farther from a timestamp gets no estimate, or one without an upper
 * bound.
 */
#include "config.h"

#include "trace/cycles_walk.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCES_MAX = 256 }; /* processors; CoreSight has fewer */

/* Rate of ticks per cycle. */
struct rate {
	uint64_t ticks, cycles; /* 0 cycles: unknown */
};

/* A waiting message, and the cycle count when it was sent. */
struct waiting {
	size_t at; /* in its cell */
	uint64_t cycles;
};

struct source_state {
	uint64_t source;
	uint64_t cycles;
	bool based;	      /* a timestamp was found: */
	uint64_t ticks, base; /* that timestamp, and its cycle count */
	struct rate rate;     /* between the last two comparable timestamps */
	bool ended;	      /* counting ended after `base` */
	bool carried;	      /* messages carry counts, see struct decode_cycles; */
	uint64_t apart;	      /* before that: count of the last timestamp, not added */
	bool marks;	      /* timestamps belong to marks */
	bool cut;	      /* the mark of the last one may be before the walk */
	bool marked;	      /* the next timestamp belongs to: */
	uint64_t mark;	      /* this cycle count */
	size_t mark_waiting;  /* number of messages that wait before the mark */
	VEC(struct waiting) waiting;
};

struct cycles_walk {
	struct trace *trace;
	struct reader *reader;
	VEC(struct source_state) sources;
	VEC(struct cycles_estimate) estimates;
	bool lacking;	  /* an earlier start would give more estimates */
	bool cell_walked; /* `estimates` are valid, for this cell: */
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

/* Return the state of a processor; NULL if there are too many. */
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

/* Return the ticks CYCLES after BASE, at most TO; BASE if RATE is unknown. */
static uint64_t
ticks_after(uint64_t base, uint64_t cycles, struct rate rate, uint64_t to)
{
	unsigned __int128 ticks = base;
	if (rate.cycles)
		ticks += (unsigned __int128)cycles * rate.ticks / rate.cycles;
	return ticks < to ? (uint64_t)ticks : to;
}

/* Estimate the first COUNT waiting messages: by RATE from the last timestamp on, at most TO. */
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

/* Handle a timestamp. It belongs to the cycle count of the last mark, else to the present one. */
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
	else if (rate.ticks) /* a rate from less than one tick is unknown */
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

/* Drop a mark without a timestamp, and the messages that wait after it if they have no other
 * timestamp. */
static void
drop_mark(struct source_state *state)
{
	if (state->marked && (state->ended || !state->based))
		state->waiting.count = state->mark_waiting;
	state->marked = false;
}

/* Mark this place as that of the next timestamp. */
static void
set_mark(struct source_state *state)
{
	drop_mark(state);
	state->marks = state->marked = true;
	state->mark = state->cycles;
	state->mark_waiting = state->waiting.count;
}

/* Handle the next message. AT is its index in the target cell, or SIZE_MAX in other cells. */
static void
take_message(struct cycles_walk *w, const struct message *m, size_t at)
{
	struct decode_cycles cycles;
	struct source_state *state;
	if (!trace_decoder(w->trace)->ops->cycles(m, &cycles) ||
	    !(state = source_of(w, cycles.source)))
		return;
	if (m->flags & MESSAGE_TIMED) {
		if (m->ticks) /* 0: the source had no time yet */
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

/* True if one of these cells has timestamps, or may have some: the first unknown cell. */
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

/* Estimate messages that still wait: no timestamp follows them. */
static void
settle_rest(struct cycles_walk *w)
{
	for (size_t i = 0; i < w->sources.count; i++) {
		struct source_state *state = &w->sources.at[i];
		drop_mark(state);
		settle_waiting(w, state, state->waiting.count, state->rate, UINT64_MAX);
	}
}

/* Append empty estimates until there are COUNT. */
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
	make_room(w, decoded->count); /* nothing was walked, or the capture changed meanwhile */
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
