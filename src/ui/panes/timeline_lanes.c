/*
 * Lanes, pairs and contexts of the timeline.
 */
#include "config.h"

#include "ui/panes/timeline_lanes.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/sequence.h"
#include "session/session.h"
#include "ui/panes/timeline_state.h"
#include "ui/list/list.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum {
	ORIGINS_MAX = 64, /* most lanes for a single trace */
};

static void
drop_lanes(struct timeline_state *state)
{
	for (size_t i = 0; i < state->names.count; i++)
		free(state->names.at[i]);
	vec_clear(&state->names);
	vec_clear(&state->lanes);
	vec_clear(&state->weights);
	state->left_out[LEFT_ORIGINS] = 0;
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

void
timeline_lanes_free(struct timeline_state *state)
{
	drop_lanes(state);
	drop_pairs(state);
	drop_states(state);
	vec_free(&state->names);
	vec_free(&state->lanes);
	vec_free(&state->weights);
	vec_free(&state->states);
	vec_free(&state->pairs);
}

static void
add_lane(struct timeline_state *state, struct density_lane lane, const struct text *name,
	 uint64_t weight)
{
	if (state->lanes.count == DENSITY_LANES_MAX) {
		state->left_out[LEFT_ORIGINS]++;
		return;
	}
	*vec_add(&state->lanes) = lane;
	*vec_add(&state->weights) = weight;
	*vec_add(&state->names) = mem_text(text_get(name));
}

static int
compare_weights(const void *a, const void *b)
{
	uint64_t first = index_origin_count(a), second = index_origin_count(b);
	return (first < second) - (first > second);
}

/* Add a lane for each origin of a trace, with its name from the list. With too many origins, add
 * only the busiest. */
static void
add_origins(struct screen *screen, size_t trace)
{
	struct timeline_state *state = timeline_state_of(screen);
	struct reader *reader = sequence_reader(screen->sequence, trace);
	index_origins origins = {0};
	struct expansion e = {0};
	index_get_origins(trace_index(screen->session->traces.at[trace]), &origins);
	if (origins.count > ORIGINS_MAX) {
		qsort(origins.at, origins.count, sizeof *origins.at, compare_weights);
		state->left_out[LEFT_ORIGINS] += origins.count - ORIGINS_MAX;
		origins.count = ORIGINS_MAX;
	}
	for (size_t i = 0; i < origins.count; i++) {
		struct message m;
		text_clear(&state->text);
		text_add(&state->text, " ");
		expansion_clear(&e);
		if (reader_find_origin(reader, &origins.at[i], &m))
			reader_expand_origin(reader, &m, &e);
		if (origins.at[i].key == UINT64_MAX)
			text_add(&state->text, "others");
		else if (e.origin.length)
			text_add_safe(&state->text, text_get(&e.origin), e.origin.length,
				      screen->charset);
		else
			text_add(&state->text, "no origin");
		add_lane(state, (struct density_lane){trace, true, origins.at[i].key}, &state->text,
			 index_origin_count(&origins.at[i]));
	}
	expansion_free(&e);
	vec_free(&origins);
}

/* Return an epoch of the inputs of lanes and names. */
static uint64_t
lanes_basis(struct screen *screen)
{
	const struct timeline_state *state = timeline_state_of(screen);
	uint64_t basis = 1;
	for (size_t i = 0; i < screen->session->traces.count; i++) {
		struct trace *trace = screen->session->traces.at[i];
		uint64_t groups = index_known(trace_index(trace)) / INDEX_GROUP;
		basis = generation_join(basis, trace_generation(trace),
					sequence_shows(screen->sequence, i));
		if (state->split[i])
			basis = generation_join(basis, groups, screen->indexed);
	}
	return basis;
}

void
timeline_lanes_make(struct screen *screen)
{
	struct timeline_state *state = timeline_state_of(screen);
	uint64_t basis = lanes_basis(screen);
	if (basis == state->basis)
		return;
	state->basis = basis;
	drop_lanes(state);
	for (size_t i = 0; i < screen->session->traces.count; i++) {
		if (!sequence_shows(screen->sequence, i))
			continue;
		text_clear(&state->text);
		text_add(&state->text, trace_name(screen->session->traces.at[i]));
		add_lane(state, (struct density_lane){.trace = i}, &state->text, 0);
		if (state->split[i])
			add_origins(screen, i);
	}
}

void
timeline_lanes_weigh(const struct screen *screen, struct timeline_state *state)
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

bool
timeline_is_of_pair(const struct density_link *link, const struct timeline_pair *pair)
{
	return link->a == pair->a && link->b == pair->b;
}

void
timeline_pairs_make(struct screen *screen)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct density_answer *answer = state->answer;
	drop_pairs(state);
	for (size_t i = 0; answer && i < answer->links.count; i++) {
		const struct density_link *link = &answer->links.at[i];
		size_t k = 0;
		while (k < state->pairs.count && !timeline_is_of_pair(link, &state->pairs.at[k]))
			k++;
		if (k < state->pairs.count || k == DENSITY_LANES_MAX ||
		    !sequence_shows(screen->sequence, link->a) ||
		    !sequence_shows(screen->sequence, link->b))
			continue;
		text_clear(&state->text);
		text_addf(&state->text, "%s>%s", trace_name(screen->session->traces.at[link->a]),
			  trace_name(screen->session->traces.at[link->b]));
		*vec_add(&state->pairs) =
		    (struct timeline_pair){link->a, link->b, mem_text(state->text.data)};
	}
}

/* Append the owner of a state: its origin, or else its trace. */
static void
add_owner(struct screen *screen, const struct density_state *of, struct text *out)
{
	struct reader *reader = sequence_reader(screen->sequence, of->trace);
	struct expansion e = {0};
	struct position at;
	struct message m;
	if (of->origin && reader_read_id(reader, of->first, &at, &m)) {
		reader_expand_origin(reader, &m, &e);
		text_add_safe(out, text_get(&e.origin), e.origin.length, screen->charset);
	}
	if (!e.origin.length)
		text_add(out, trace_name(screen->session->traces.at[of->trace]));
	expansion_free(&e);
}

static bool
same_states(const struct timeline_state *state, const struct density_answer *answer)
{
	bool same = state->states.count == answer->states.count;
	for (size_t i = 0; same && i < answer->states.count; i++) {
		const struct timeline_context *own = &state->states.at[i];
		const struct density_state *a = &own->of, *b = &answer->states.at[own->number];
		same = a->context == b->context && a->trace == b->trace && a->origin == b->origin;
	}
	return same;
}

/* True if several owners share the context. */
static bool
is_shared(const struct density_answer *answer, unsigned context)
{
	size_t count = 0;
	for (size_t i = 0; i < answer->states.count; i++)
		count += answer->states.at[i].context == context;
	return count > 1;
}

static int
compare_contexts(const void *a, const void *b)
{
	const struct timeline_context *x = a, *y = b;
	if (x->of.context != y->of.context)
		return x->of.context < y->of.context ? -1 : 1;
	int order = strverscmp(x->name, y->name);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

void
timeline_states_make(struct screen *screen, const struct density_answer *answer)
{
	struct timeline_state *state = timeline_state_of(screen);
	state->left_out[LEFT_STATES] = answer->states_left;
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
		text_add(&state->text, contexts_name(screen->session->contexts, of->context));
		*vec_add(&state->states) =
		    (struct timeline_context){*of, i, mem_text(state->text.data)};
	}
	if (state->states.count)
		qsort(state->states.at, state->states.count, sizeof *state->states.at,
		      compare_contexts);
}
