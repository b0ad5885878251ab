/* The spans of contexts: see spans.h. */
#include "config.h"

#include "query/span/spans.h"
#include "base/generation.h"
#include "base/lower_bound.h"
#include "base/map.h"
#include "query/gap/gap.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum { LABELS_MAX = 65536 }; /* the last label stands for all further values */
#define PART_UNKNOWN UINT32_MAX

struct span_trace {
	struct context_turns *turns; /* NULL: the trace has no contexts, or none were looked for
					yet */
	uint64_t basis;		     /* epoch of all that the lanes depend on; 0: not
					read yet */
	bool done, timed;
	struct message_time last; /* valid if TIMED: time of the last message that has one */
};

struct spans {
	struct session *session;
	struct span_trace *traces;
	VEC(struct span_lane) lanes;
	struct map lane_of; /* lane_key: number of the lane, from 1 */
	VEC(char *) labels;
	struct map label_of; /* hash of a value: its index in `labels` */
	struct text text;
};

static void
drop_lanes(struct spans *s)
{
	for (size_t i = 0; i < s->lanes.count; i++)
		vec_free(&s->lanes.at[i].turns);
	for (size_t i = 0; i < s->labels.count; i++)
		free(s->labels.at[i]);
	vec_clear(&s->lanes);
	vec_clear(&s->labels);
	map_free(&s->lane_of);
	map_free(&s->label_of);
	for (size_t i = 0; i < s->session->traces.count; i++) {
		context_turns_free(s->traces[i].turns);
		s->traces[i] = (struct span_trace){0};
	}
}

struct spans *
spans_new(struct session *session)
{
	struct spans *s = mem_new(sizeof *s);
	s->session = session;
	s->traces = mem_new((session->traces.count + 1) * sizeof *s->traces);
	return s;
}

void
spans_free(struct spans *s)
{
	if (!s)
		return;
	drop_lanes(s);
	vec_free(&s->lanes);
	vec_free(&s->labels);
	free(s->traces);
	text_free(&s->text);
	free(s);
}

/* --- reading ------------------------------------------------------------- */

static uint64_t
hash_words(const uint64_t *words, size_t count)
{
	uint64_t hash = 0x9fb21c651e98df25;
	for (size_t i = 0; i < count; i++) {
		hash = (hash ^ words[i]) * 0xd6e8feb86659fd93;
		hash ^= hash >> 32;
	}
	return hash;
}

static uint64_t
lane_key(unsigned context, size_t trace, uint64_t origin)
{
	return hash_words((uint64_t[]){context, trace, origin}, 3);
}

static struct span_lane *
lane_for(struct spans *s, size_t trace, const struct context_turn *turn)
{
	uint64_t *number = map_add(&s->lane_of, lane_key(turn->context, trace, turn->origin));
	if (!*number) {
		*vec_add(&s->lanes) = (struct span_lane){
		    .context = turn->context, .trace = trace, .origin = turn->origin};
		*number = s->lanes.count;
	}
	return &s->lanes.at[*number - 1];
}

/* Return the label of a value.  Equal values share one. */
static uint32_t
label_for(struct spans *s, size_t trace, const struct context_turn *turn)
{
	const struct context_value *value = &turn->value;
	uint64_t key = hash_words((uint64_t[]){turn->context, trace, value->state, value->value,
					       value->row, value->is_number},
				  6);
	uint64_t *number = map_find(&s->label_of, key);
	if (number)
		return (uint32_t)*number;
	if (s->labels.count == LABELS_MAX)
		return LABELS_MAX - 1;
	text_clear(&s->text);
	if (s->labels.count == LABELS_MAX - 1)
		text_add(&s->text, "...");
	else if (value->state == CONTEXT_KNOWN)
		context_turns_text(s->traces[trace].turns, turn, &s->text);
	else
		text_add(&s->text, "?");
	*map_add(&s->label_of, key) = s->labels.count;
	*vec_add(&s->labels) = mem_text(text_get(&s->text));
	return (uint32_t)s->labels.count - 1;
}

struct taking {
	struct spans *spans;
	size_t trace;
};

/* Set the time of a turn.  A turn without a time gets that of the turn before. */
static void
set_time(struct trace *trace, const struct message *m, const span_turns *before,
	 struct span_turn *turn)
{
	const struct span_turn *last = before->count ? &before->at[before->count - 1] : NULL;
	struct message_time time;
	bool own;
	gap_times(trace, m, 1, &time, &own);
	turn->time = last ? last->time : INT64_MIN;
	turn->part = last ? last->part : PART_UNKNOWN;
	bool any = own || clocks_transport_time(trace, m, &time);
	if (any && (turn->part == PART_UNKNOWN || turn->part == time.part)) {
		turn->time = time.order;
		turn->part = (uint32_t)time.part;
		turn->flags |= (uint8_t)((own ? SPAN_TIMED : 0) | (time.known ? 0 : SPAN_TICKS));
	}
}

static void
take_turn(void *context, const struct context_turn *turn)
{
	const struct taking *taking = context;
	struct spans *s = taking->spans;
	span_turns *turns = &lane_for(s, taking->trace, turn)->turns;
	struct span_turn own = {.offset = turn->value.since.offset,
				.ordinal = turn->value.since.ordinal,
				.label = label_for(s, taking->trace, turn),
				.flags = (uint8_t)((turn->begins ? SPAN_BEGINS : 0) |
						   (turn->value.doubtful ? SPAN_DOUBTFUL : 0))};
	set_time(s->session->traces.at[taking->trace], &turn->message, turns, &own);
	*vec_add(turns) = own;
}

/* Find the time of the last message that has one. */
static void
find_last(struct spans *s, size_t trace)
{
	struct span_trace *own = &s->traces[trace];
	struct trace *of = s->session->traces.at[trace];
	struct reader *reader = reader_new(of);
	struct message_time time;
	own->timed = false;
	for (uint64_t cell = index_known(trace_index(of)); cell-- && !own->timed;) {
		struct index_cell summary;
		if (!index_cell(trace_index(of), cell, &summary) ||
		    !(summary.message_flags & MESSAGE_TIMED || clocks_nature(of).by_offset))
			continue;
		const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
		for (size_t i = decoded->count; i-- && !own->timed;) {
			own->timed = gap_time(of, &decoded->messages[i], &time);
			own->last = time;
		}
	}
	reader_free(reader);
}

static uint64_t
basis_of(const struct spans *s, size_t trace)
{
	struct trace *of = s->session->traces.at[trace];
	return generation_join(trace_and_index_generation(of),
			       clocks_generation(s->session->clocks));
}

static bool
is_stale(const struct spans *s)
{
	for (size_t i = 0; i < s->session->traces.count; i++)
		if (s->traces[i].basis && s->traces[i].basis != basis_of(s, i))
			return true;
	return false;
}

bool
spans_extend(struct spans *s, bool (*stop)(void *), void *context)
{
	if (is_stale(s))
		drop_lanes(s);
	for (size_t i = 0; i < s->session->traces.count; i++) {
		struct span_trace *trace = &s->traces[i];
		struct taking taking = {s, i};
		bool any = false;
		if (!trace->basis && s->session->contexts)
			trace->turns =
			    context_turns_new(s->session->contexts, s->session->traces.at[i]);
		trace->basis = basis_of(s, i);
		while (trace->turns && context_turns_next(trace->turns, take_turn, &taking)) {
			any = true;
			if (stop && stop(context))
				return false;
		}
		if (any)
			find_last(s, i);
	}
	return true;
}

/* --- queries --------------------------------------------------------- */

size_t
spans_count(const struct spans *s)
{
	return s->lanes.count;
}

const struct span_lane *
spans_lane(const struct spans *s, size_t lane)
{
	return &s->lanes.at[lane];
}

const char *
spans_label(const struct spans *s, uint32_t label)
{
	return s->labels.at[label];
}

bool
spans_is_related(const struct spans *s, const struct span_lane *lane)
{
	uint32_t part =
	    lane->turns.count ? lane->turns.at[lane->turns.count - 1].part : PART_UNKNOWN;
	return part == PART_UNKNOWN || part == clocks_part(s->session->traces.at[lane->trace]);
}

bool
spans_end(const struct spans *s, size_t trace, int64_t *time)
{
	*time = s->traces[trace].last.order;
	return s->traces[trace].timed;
}

static struct message_time
time_of(const struct span_turn *turn)
{
	return (struct message_time){
	    .order = turn->time, .part = turn->part, .known = !(turn->flags & SPAN_TICKS)};
}

/* Return the number of the turn where a message begins a span, or the number of turns if it
 * begins none. */
static size_t
find_turn(const span_turns *turns, struct reader *reader, const struct message *m)
{
	uint64_t offset = message_id_offset(m);
	struct position position;
	size_t at;
	lower_bound(at, turns->count, turns->at[at].offset < offset);
	if (at == turns->count || turns->at[at].offset != offset ||
	    !reader_find_message(reader, m, &position))
		return turns->count;
	uint32_t ordinal = reader_message_id(reader, position).ordinal;
	for (; at < turns->count && turns->at[at].offset == offset; at++)
		if (turns->at[at].ordinal == ordinal && turns->at[at].flags & SPAN_BEGINS)
			return at;
	return turns->count;
}

bool
spans_find(const struct spans *s, unsigned context, struct reader *reader, const struct message *m,
	   int64_t *length, bool *ticks)
{
	size_t trace = trace_number(reader_trace(reader));
	bool whole = contexts_is_per_trace(s->session->contexts, context);
	uint64_t *number = map_find(&s->lane_of, lane_key(context, trace, whole ? 0 : m->origin));
	if (!number)
		return false;
	const span_turns *turns = &s->lanes.at[*number - 1].turns;
	size_t at = find_turn(turns, reader, m), next = at + 1;
	if (at == turns->count || !(turns->at[at].flags & SPAN_TIMED))
		return false;
	while (next < turns->count && !(turns->at[next].flags & SPAN_BEGINS))
		next++;
	const struct message_time from = time_of(&turns->at[at]);
	const struct span_trace *own = &s->traces[trace];
	const struct message_time to = next < turns->count ? time_of(&turns->at[next]) : own->last;
	bool timed = next < turns->count ? turns->at[next].flags & SPAN_TIMED : own->timed;
	*ticks = !from.known;
	*length = (int64_t)((uint64_t)to.order - (uint64_t)from.order);
	return timed && clocks_can_subtract(&from, &to);
}
