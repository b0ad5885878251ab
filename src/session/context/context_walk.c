/*
 * A walk through the messages of a cell for contexts: see context_walk.h.
 *
 * Only messages of a kind that some rule needs are expanded; flags mark those with loss.
 * Each change is kept with the index of its message, for each context of each origin (a
 * history). The state at any walked message is then two searches away.
 *
 * A word without its first half, which was lost, may belong to one of several contexts. If
 * earlier events of its name belonged to exactly one, it belongs to that. Otherwise the
 * values become doubtful.
 */
#include "config.h"

#include "session/context/context_walk.h"
#include "base/lower_bound.h"

#include <stdlib.h>
#include <string.h>

enum { COURSES_MAX = 4096 }; /* histories; further ones are not kept */

uint64_t
context_hash(const char *text, size_t length)
{
	uint64_t value = 0xcbf29ce484222325; /* FNV-1a */
	for (size_t i = 0; i < length; i++)
		value = (value ^ (uint8_t)text[i]) * 0x100000001b3;
	return value;
}

/* --- histories ----------------------------------------------------------- */

struct context_walker *
context_walker_new(struct contexts *contexts, struct context_trace *tracked)
{
	struct context_walker *w = mem_new(sizeof *w);
	w->contexts = contexts;
	w->tracked = tracked;
	w->reader = reader_new(tracked->trace);
	reader_set(w->reader, (struct reader_options){.aside = true});
	return w;
}

void
context_walker_clear(struct context_walker *w)
{
	for (size_t i = 0; i < w->histories.count; i++)
		vec_free(&w->histories.at[i].changes);
	vec_clear(&w->histories);
	w->overflowed = false;
	w->unsettled = true;
}

void
context_walker_free(struct context_walker *w)
{
	if (!w)
		return;
	context_walker_clear(w);
	vec_free(&w->histories);
	expansion_free(&w->expansion);
	reader_free(w->reader);
	free(w);
}

int
context_key_compare(struct context_key a, struct context_key b)
{
	if (a.origin != b.origin)
		return a.origin < b.origin ? -1 : 1;
	return (a.context > b.context) - (a.context < b.context);
}

struct context_key
context_key_of(const struct context_trace *tracked, const struct message *m, unsigned context)
{
	bool whole = tracked->whole >> context & 1;
	return (struct context_key){.origin = whole ? 0 : m->origin, .context = context};
}

/* Return the position of the first history with key KEY or a later one. */
static size_t
history_position(const struct context_walker *w, struct context_key key)
{
	size_t at;
	lower_bound(at, w->histories.count, context_key_compare(w->histories.at[at].key, key) < 0);
	return at;
}

struct context_history *
context_history_find(const struct context_walker *w, struct context_key key)
{
	size_t at = history_position(w, key);
	bool found = at < w->histories.count && !context_key_compare(w->histories.at[at].key, key);
	return found ? &w->histories.at[at] : NULL;
}

/* Insert a history. Return NULL if there are too many. */
static struct context_history *
history_add(struct context_walker *w, struct context_key key)
{
	size_t at = history_position(w, key), count = w->histories.count;
	if (count == COURSES_MAX) {
		w->overflowed = true;
		return NULL;
	}
	*vec_add(&w->histories) = (struct context_history){.key = key};
	struct context_history *history = &w->histories.at[at];
	memmove(history + 1, history, (count - at) * sizeof *history);
	*history = (struct context_history){.key = key, .start.state = CONTEXT_NONE};
	return history;
}

const struct context_held *
context_held_now(const struct context_history *history)
{
	size_t count = history->changes.count;
	return count ? &history->changes.at[count - 1].held : &history->start;
}

const struct context_held *
context_held_at(const struct context_history *history, size_t at)
{
	size_t behind;
	lower_bound(behind, history->changes.count, history->changes.at[behind].at <= at);
	return behind ? &history->changes.at[behind - 1].held : &history->start;
}

static void
change_held(struct context_history *history, size_t at, struct context_held held)
{
	size_t count = history->changes.count;
	struct context_change *last = count ? &history->changes.at[count - 1] : NULL;
	if (!last || last->at != at)
		last = vec_add(&history->changes);
	*last = (struct context_change){.at = at, .held = held};
}

/* --- reading a cell ---------------------------------------------------- */

/* A message of the cell with a context or with loss. */
struct sight {
	struct message m;
	size_t at;
	uint32_t ordinal; /* among the messages at its offset */
};

static void
doubt_history(struct context_history *history, size_t at)
{
	struct context_held held = *context_held_now(history);
	if (held.state == CONTEXT_NONE || held.flags & HELD_DOUBTFUL)
		return;
	held.flags |= HELD_DOUBTFUL;
	change_held(history, at, held);
}

/* Mark contexts of an origin as doubtful: those of the whole trace if WHOLE, else the others. */
static void
doubt_those_of(struct context_walker *w, uint64_t origin, bool whole, size_t at)
{
	size_t i = history_position(w, (struct context_key){.origin = origin});
	for (; i < w->histories.count && w->histories.at[i].key.origin == origin; i++)
		if ((w->tracked->whole >> w->histories.at[i].key.context & 1) == whole)
			doubt_history(&w->histories.at[i], at);
}

/* Apply a loss in one origin, or one that may concern any origin. */
static void
note_loss(struct context_walker *w, const struct sight *sight)
{
	bool all = sight->m.origin == trace_decoder(w->tracked->trace)->ops->origin_none;
	if (!w->unsettled)
		return;
	for (size_t i = 0; all && i < w->histories.count; i++)
		doubt_history(&w->histories.at[i], sight->at);
	if (!all)
		doubt_those_of(w, sight->m.origin, false, sight->at);
	if (!all)
		doubt_those_of(w, 0, true, sight->at);
	w->unsettled = !all;
}

/* True if EVENT, the hash of a name, belongs to this context and to no other of its origin. */
static bool
is_its_event(const struct context_walker *w, const struct context_history *history, uint32_t event)
{
	uint64_t origin = history->key.origin;
	if (!event || context_held_now(history)->event != event)
		return false;
	size_t i = history_position(w, (struct context_key){.origin = origin});
	for (; i < w->histories.count && w->histories.at[i].key.origin == origin; i++)
		if (&w->histories.at[i] != history &&
		    context_held_now(&w->histories.at[i])->event == event)
			return false;
	return true;
}

static uint32_t
event_of(const struct expansion *e)
{
	const struct field *name = context_field(e, "event_name");
	return name ? (uint32_t)context_hash(name->s.at, name->s.length) | 1 : 0;
}

static void
take_value(struct context_held *held, const struct context_walker *w, const struct field *field)
{
	const struct decoder_ops *ops = trace_decoder(w->tracked->trace)->ops;
	held->row = UINT16_MAX;
	if (field->row >= ops->fields && field->row < ops->fields + ops->field_count)
		held->row = (uint16_t)(field->row - ops->fields);
	if (context_is_number(field->row) && held->row != UINT16_MAX) {
		held->value = field->u;
		held->flags |= HELD_NUMBER;
		return;
	}
	struct text text = {0};
	field_format(field, &text);
	held->value = context_hash(text_get(&text), text.length);
	text_free(&text);
}

/* Set a history to a value, or to an unknown one (FIELD NULL), from a message on. */
static void
settle_held(struct context_walker *w, struct context_history *history, const struct sight *sight,
	    const struct field *field, bool recovered)
{
	const struct context_held *before = context_held_now(history);
	struct context_held held = {.state = field ? CONTEXT_KNOWN : CONTEXT_UNKNOWN,
				    .offset = message_id_offset(&sight->m),
				    .ordinal = sight->ordinal,
				    .ticks = sight->m.ticks};
	uint32_t event = event_of(&w->expansion);
	held.event = event ? event : before->event;
	if (sight->m.flags & MESSAGE_TIMED)
		held.flags |= HELD_TIMED;
	if (recovered)
		held.flags |= HELD_RECOVERED;
	if (before->state == CONTEXT_NONE && !w->sure)
		held.flags |= HELD_EARLIER;
	if (field)
		take_value(&held, w, field);
	if (w->expansion.flags & MESSAGE_DAMAGED ||
	    sight->m.flags & (MESSAGE_DAMAGED | MESSAGE_TRUNCATED))
		held.flags |= HELD_DOUBTFUL;
	bool goes_on = field && before->state == CONTEXT_KNOWN && before->value == held.value &&
		       !((before->flags | held.flags) & HELD_DOUBTFUL);
	if (goes_on && before->event == held.event)
		return;
	if (goes_on) {
		held = *before;
		held.event = event;
	}
	w->unsettled = true;
	change_held(history, sight->at, held);
}

static void
apply_rule(struct context_walker *w, const struct context_rule *rule, const struct sight *sight)
{
	const struct field *field;
	bool recovered;
	enum context_verdict verdict =
	    context_rule_read(rule, &sight->m, &w->expansion, &field, &recovered);
	if (verdict == CONTEXT_MISSES)
		return;
	struct context_key key = context_key_of(w->tracked, &sight->m, rule->context);
	struct context_history *history = context_history_find(w, key);
	if (verdict == CONTEXT_MAY_SET) {
		if (!history)
			return;
		if (!w->sure) /* earlier cells may show which events belong to it */
			change_held(history, sight->at,
				    (struct context_held){.state = CONTEXT_NONE});
		else if (field && is_its_event(w, history, event_of(&w->expansion)))
			settle_held(w, history, sight, field, recovered);
		else
			doubt_history(history, sight->at);
		return;
	}
	if (!history)
		history = history_add(w, key);
	if (history)
		settle_held(w, history, sight, field, recovered);
}

static void
apply_rules(struct context_walker *w, const struct sight *sight)
{
	const struct context_trace *tracked = w->tracked;
	bool expanded = false;
	if (sight->m.flags & MESSAGE_LOSS)
		note_loss(w, sight);
	for (size_t i = 0; i < tracked->rules.count; i++) {
		const struct context_rule *rule = &tracked->rules.at[i];
		if (!(rule->kinds >> sight->m.kind & 1))
			continue;
		if (!expanded)
			reader_expand(w->reader, &sight->m, EXPAND_FIELDS, &w->expansion);
		w->spent += !expanded;
		expanded = true;
		apply_rule(w, rule, sight);
	}
}

/* True if a cell provably has no context and no loss. */
static bool
is_idle(const struct context_trace *tracked, uint64_t cell)
{
	struct index_cell summary;
	return index_cell(trace_index(tracked->trace), cell, &summary) &&
	       !(summary.kinds & tracked->kinds) && !(summary.message_flags & MESSAGE_LOSS);
}

bool
context_walk(struct context_walker *w, size_t end)
{
	if (w->done >= end || is_idle(w->tracked, w->cell))
		return false;
	const struct decoded_cell *decoded = reader_decoded_cell(w->reader, w->cell);
	for (; w->done < end && w->done < decoded->count; w->done++) {
		const struct message *m = &decoded->messages[w->done];
		w->ordinal = message_id_offset(m) == w->last_offset ? w->ordinal + 1 : 0;
		w->last_offset = message_id_offset(m);
		if (!(w->tracked->kinds >> m->kind & 1) && !(m->flags & MESSAGE_LOSS))
			continue;
		apply_rules(w, &(struct sight){.m = *m, .at = w->done, .ordinal = w->ordinal});
		decoded =
		    reader_decoded_cell(w->reader, w->cell); /* looking back may have moved it */
	}
	return w->done < decoded->count;
}

/* Start the cell; the `start` of each history is set. */
static void
begin_cell(struct context_walker *w)
{
	for (size_t i = 0; i < w->histories.count; i++)
		vec_clear(&w->histories.at[i].changes);
	w->size = capture_size(trace_capture(w->tracked->trace));
	w->done = 0;
	w->last_offset = UINT64_MAX;
	w->unsettled = true;
}

void
context_walk_refresh(struct context_walker *w)
{
	const struct trace *trace = w->tracked->trace;
	uint64_t end = (w->cell + 1) * index_cell_size(trace_index(trace));
	uint64_t size = capture_size(trace_capture(trace));
	if (w->size != size && w->size < end + trace_decoder(trace)->ops->reach)
		begin_cell(w);
}

void
context_walk_on(struct context_walker *w)
{
	context_walk_refresh(w);
	context_walk(w, SIZE_MAX);
	for (size_t i = 0; i < w->histories.count; i++)
		w->histories.at[i].start = *context_held_now(&w->histories.at[i]);
	w->cell++;
	begin_cell(w);
}

void
context_walk_to(struct context_walker *w, uint64_t cell)
{
	while (w->cell < cell)
		context_walk_on(w);
}

void
context_walk_from(struct context_walker *w, uint64_t cell, bool sure)
{
	w->cell = cell;
	w->sure = sure;
	w->filled = true;
	begin_cell(w);
}
