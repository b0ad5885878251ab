/*
 * Contexts: see context.h.
 *
 * Nothing is kept per message. The contexts at a message come from the beginning of its
 * cell (context_build.c) and a walk from there (context_walk.c). A cursor keeps its walk
 * and the changes on the way, so messages in order cost little more than their expansion.
 *
 * If the thread has not reached the cell, a cursor walks a few cells before the message. A
 * value found there is certain. A value not found is LATER, never guessed.
 *
 * Cost: sizeof(struct context_entry) for each lane and cell that changes it, at most
 * CONTEXT_ENTRIES_MAX in all. A cursor keeps a reader and the changes of one cell.
 */
#include "config.h"

#include "session/context/context_build.h"
#include "base/generation.h"
#include "session/link/serial.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum {
	NEAR_CELLS = 4,	      /* reached by a walk rather than a load */
	BACK_CELLS = 16,      /* walked if nothing is known yet */
	BACK_MESSAGES = 8192, /* expanded during that walk */
	AHEAD_CELLS = 64,     /* most cells walked for the next change */
	STEP_MESSAGES = 256   /* walked at a time for the next change */
};

/* The walkers of a trace: to a message, and to its earliest and latest possible position in
 * another trace. Each moves forward if the messages are in order. */
enum walk { WALK_AT, WALK_LEAST, WALK_MOST, WALKS };

struct context_cursor {
	struct contexts *contexts;
	struct trace *trace;
	struct context_trace *own;	 /* for `trace` */
	struct context_walker **walkers; /* WALKS per trace, made when needed */
	struct context_walker *ahead;	 /* further on in its own trace, for the next change */
	size_t hint;			 /* index of the last message in its cell */
	struct reader *reader;		 /* for origins, made when needed */
	struct expansion expansion;
	uint64_t origin; /* origin of the text in `expansion`, if has_origin */
	bool has_origin;
};

/* --- definitions ------------------------------------------------------- */

static void
add_names(struct definition *definition, const struct context_options *options)
{
	const struct context_value_options *values = options->values.at;
	const struct context_range_options *ranges = options->ranges.at;
	for (size_t i = 0; i < options->values.count; i++) {
		struct context_value_name *name = vec_add(&definition->names);
		name->name = values[i].name;
		name->is_number = text_parse_uint(values[i].value, UINT64_MAX, &name->from);
		if (!name->is_number)
			name->from = context_hash(values[i].value, strlen(values[i].value));
		name->to = name->from;
	}
	for (size_t i = 0; i < options->ranges.count; i++)
		*vec_add(&definition->names) = (struct context_value_name){.is_number = true,
									   .from = ranges[i].from,
									   .to = ranges[i].to,
									   .name = ranges[i].name};
	for (size_t i = 0; i < options->applies_to.count; i++)
		*vec_add(&definition->applies_to) = ((char **)options->applies_to.at)[i];
}

static void
add_complaint(struct contexts *contexts, const char *name, const char *what)
{
	if (contexts->complaint.length)
		text_add(&contexts->complaint, "; ");
	text_addf(&contexts->complaint, "context %s: %s", name, what);
}

/* Make the rules of an entry. Return false if there are none. */
static bool
make_rules(struct contexts *contexts, const struct context_options *options, unsigned context,
	   enum context_scope per)
{
	bool any = false;
	for (size_t i = 0; i < contexts->count; i++) {
		struct context_trace *tracked = &contexts->traces[i];
		struct context_rule rule;
		if (!context_rule_make(options, trace_decoder(tracked->trace)->ops,
				       trace_name(tracked->trace), !serial_of(tracked->trace),
				       context, &rule))
			continue;
		tracked->kinds |= rule.kinds;
		tracked->contexts |= (uint64_t)1 << context;
		if (per == CONTEXT_PER_TRACE)
			tracked->whole |= (uint64_t)1 << context;
		tracked->needs_session |= rule.needs_session && serial_of(tracked->trace);
		*vec_add(&tracked->rules) = rule;
		any = true;
	}
	return any;
}

/* Make the rules of an entry and, unless an earlier entry has its name, a definition. Skip a
 * standard entry that matches no open trace. */
static void
define_context(struct contexts *contexts, const struct context_options *options)
{
	unsigned context = (unsigned)contexts->definitions.count;
	bool new = !contexts_find(contexts, options->name, &context);
	if (new &&context == CONTEXTS_MAX) {
		add_complaint(contexts, options->name, "too many");
		return;
	}
	enum context_scope per =
	    new ? (enum context_scope)options->per : contexts->definitions.at[context].per;
	bool any = make_rules(contexts, options, context, per);
	if (!any && !contexts->defined)
		return;
	if (!any)
		add_complaint(contexts, options->name,
			      "no trace has such messages with that field");
	if (new)
		*vec_add(&contexts->definitions) =
		    (struct definition){.name = options->name, .per = per};
	add_names(&contexts->definitions.at[context], options);
}

struct contexts *
contexts_new(struct session *session)
{
	struct contexts *contexts = mem_new(sizeof *contexts);
	struct option_list list = session->profile.contexts;
	contexts->session = session;
	contexts->limit = CONTEXT_ENTRIES_MAX;
	contexts->defined = list.count;
	contexts->count = session->traces.count;
	contexts->traces = mem_new(contexts->count * sizeof *contexts->traces);
	pthread_mutex_init(&contexts->building, NULL);
	job_init(&contexts->job, context_walk_all, contexts);
	contexts->job.nice = 10;
	contexts->job.notify = trace_host_notify;
	contexts->job.owner = &session->host;
	for (size_t i = 0; i < contexts->count; i++)
		contexts->traces[i].trace = session->traces.at[i];
	if (!contexts->defined)
		list = context_standard();
	for (size_t i = 0; i < list.count; i++)
		define_context(contexts,
			       (void *)((char *)list.at + i * context_options_table()->size));
	if (!contexts->definitions.count) {
		contexts_free(contexts);
		return NULL;
	}
	return contexts;
}

size_t
contexts_count(const struct contexts *contexts)
{
	return contexts ? contexts->definitions.count : 0;
}

const char *
contexts_name(const struct contexts *contexts, unsigned context)
{
	return contexts->definitions.at[context].name;
}

const char *
contexts_next_name(void *contexts, size_t at)
{
	return at < contexts_count(contexts) ? contexts_name(contexts, (unsigned)at) : NULL;
}

bool
contexts_is_per_trace(const struct contexts *contexts, unsigned context)
{
	return contexts->definitions.at[context].per == CONTEXT_PER_TRACE;
}

bool
contexts_find(const struct contexts *contexts, const char *name, unsigned *context)
{
	for (size_t i = 0; i < contexts_count(contexts); i++) {
		if (!strcmp(contexts->definitions.at[i].name, name)) {
			*context = (unsigned)i;
			return true;
		}
	}
	return false;
}

bool
contexts_defined(const struct contexts *contexts)
{
	return contexts && contexts->defined;
}

const char *
contexts_complaint(const struct contexts *contexts)
{
	return contexts && contexts->complaint.length ? text_get(&contexts->complaint) : NULL;
}

void
contexts_relate(struct contexts *contexts, context_relate *find, void *context)
{
	contexts->relate = find;
	contexts->relate_context = context;
}

/* --- seeking ----------------------------------------------------------- */

/* Walk from BACK cells before CELL, where the contexts are not known. */
static void
walk_blindly(struct context_walker *w, uint64_t cell, uint64_t back)
{
	back = back < cell ? back : cell;
	context_walker_clear(w);
	w->restarts = generation_now(&w->contexts->restarts);
	context_walk_from(w, cell - back, back == cell);
	context_walk_to(w, cell);
	w->back = back;
}

/* Extend the index up to CELL if possible: a stream may have grown. */
static void
build_index(struct contexts *contexts, struct index *index, uint64_t cell)
{
	if (index_known(index) > cell)
		return;
	job_lock(&contexts->job);
	index_build(index);
	job_unlock(&contexts->job);
}

/* Put the walker at CELL. Return false if nothing is known yet. */
static bool
walker_seek(struct context_walker *w, uint64_t cell)
{
	struct contexts *contexts = w->contexts;
	uint64_t known = context_known(contexts, w->tracked);
	if (w->restarts != generation_now(&contexts->restarts))
		w->filled = false;
	if (w->tracked->needs_session && cell >= serial_known(serial_of(w->tracked->trace)))
		return false;
	if (contexts->patient)
		build_index(contexts, trace_index(w->tracked->trace), cell);
	bool ready = w->filled && w->sure && w->cell <= cell;
	if (w->filled && w->cell == cell && (w->sure || known < cell)) {
		context_walk_refresh(w);
		return true;
	}
	if (ready && cell - w->cell <= NEAR_CELLS) {
		context_walk_to(w, cell);
		return true;
	}
	if (contexts->patient && known < cell) {
		context_build(contexts, w->tracked, cell);
		known = context_known(contexts, w->tracked);
	}
	uint64_t from = cell < known ? cell : known;
	if (cell - from <= NEAR_CELLS || contexts->patient) {
		if (!context_load(w, from))
			return false;
		context_walk_to(w, cell);
		return true;
	}
	w->spent = 0;
	walk_blindly(w, cell, 0);
	return true;
}

/* Return the history of KEY in the walker's cell. If its value at message AT is unknown, look a
 * few cells further back. */
static const struct context_history *
resolve_history(struct context_walker *w, struct context_key key, size_t at)
{
	context_walk(w, at + 1);
	const struct context_history *history = context_history_find(w, key);
	while (!w->sure && (!history || context_held_at(history, at)->state == CONTEXT_NONE) &&
	       w->back < BACK_CELLS && w->spent < BACK_MESSAGES) {
		walk_blindly(w, w->cell, w->back ? w->back * 4 : 1);
		context_walk(w, at + 1);
		history = context_history_find(w, key);
	}
	return history;
}

/* --- cursors ----------------------------------------------------------- */

struct context_cursor *
context_cursor_new(struct contexts *contexts, struct trace *trace)
{
	struct context_cursor *cursor = mem_new(sizeof *cursor);
	cursor->contexts = contexts;
	cursor->trace = trace;
	cursor->own = context_trace_of(contexts, trace);
	cursor->walkers = mem_new(WALKS * contexts->count * sizeof *cursor->walkers);
	context_let_run(contexts, &contexts->requested);
	return cursor;
}

void
context_cursor_free(struct context_cursor *cursor)
{
	if (!cursor)
		return;
	for (size_t i = 0; i < WALKS * cursor->contexts->count; i++)
		context_walker_free(cursor->walkers[i]);
	context_walker_free(cursor->ahead);
	reader_free(cursor->reader);
	expansion_free(&cursor->expansion);
	free(cursor->walkers);
	free(cursor);
}

static struct context_walker *
walker_for(struct context_cursor *cursor, struct context_trace *tracked, enum walk walk)
{
	size_t trace = (size_t)(tracked - cursor->contexts->traces);
	struct context_walker **walker = &cursor->walkers[WALKS * trace + walk];
	if (!*walker)
		*walker = context_walker_new(cursor->contexts, tracked);
	return *walker;
}

static uint64_t
cell_of(const struct trace *trace, uint64_t offset)
{
	uint64_t cell = offset / index_cell_size(trace_index(trace));
	uint64_t count = index_cell_count(trace_index(trace));
	return cell < count ? cell : count - 1; /* a note about the end of the capture */
}

/* Return M's index in its cell. *HINT: index to try first, updated for the next call. */
static size_t
find_message(struct reader *reader, uint64_t cell, const struct message *m, size_t *hint)
{
	const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
	if (*hint < decoded->count && message_is_same(&decoded->messages[*hint], m))
		return *hint;
	if (*hint + 1 < decoded->count && message_is_same(&decoded->messages[*hint + 1], m))
		return ++*hint;
	size_t first = decoded_cell_find(decoded, message_id_offset(m)), at = first;
	while (at < decoded->count &&
	       message_id_offset(&decoded->messages[at]) == message_id_offset(m) &&
	       !message_is_same(&decoded->messages[at], m))
		at++;
	return *hint = at < decoded->count ? at : first;
}

/* Return the name of M's origin. */
static const char *
origin_text(struct context_cursor *cursor, const struct message *m)
{
	if (!cursor->reader) {
		cursor->reader = reader_new(cursor->trace);
		reader_set(cursor->reader, (struct reader_options){.aside = true});
	}
	if (!cursor->has_origin || cursor->origin != m->origin)
		reader_expand_origin(cursor->reader, m, &cursor->expansion);
	cursor->has_origin = true;
	cursor->origin = m->origin;
	return text_get(&cursor->expansion.origin);
}

/* True if a context of another trace applies to M. */
static bool
applies_here(struct context_cursor *cursor, const struct definition *definition,
	     const struct message *m)
{
	const char *name = trace_name(cursor->trace);
	size_t length = strlen(name);
	for (size_t i = 0; i < definition->applies_to.count; i++) {
		const char *to = definition->applies_to.at[i];
		if (strncmp(to, name, length) != 0)
			continue;
		if (!to[length] ||
		    (to[length] == ':' && !strcmp(to + length + 1, origin_text(cursor, m))))
			return true;
	}
	return false;
}

/* Return the key of a context in another trace, where no origin is given: that of its only
 * history. With several or none, `context` is CONTEXTS_MAX. */
static struct context_key
only_key(const struct context_walker *w, unsigned context)
{
	struct context_key key = {.context = CONTEXTS_MAX};
	for (size_t i = 0; i < w->histories.count; i++) {
		if (w->histories.at[i].key.context != context)
			continue;
		if (key.context != CONTEXTS_MAX)
			return (struct context_key){.context = CONTEXTS_MAX};
		key = w->histories.at[i].key;
	}
	return key;
}

/* --- values ------------------------------------------------------------ */

static const char *
name_of(const struct definition *definition, const struct decoder_ops *ops,
	const struct context_held *held)
{
	bool number = held->flags & HELD_NUMBER;
	for (size_t i = 0; i < definition->names.count; i++) {
		const struct context_value_name *name = &definition->names.at[i];
		if (name->is_number == number && name->from <= held->value &&
		    held->value <= name->to)
			return name->name;
	}
	if (!number)
		return NULL;
	struct field field = {.row = &ops->fields[held->row], .u = held->value};
	return field_meaning(&field);
}

void
context_describe(const struct context_walker *w, unsigned context, const struct context_held *held,
		 struct context_value *value)
{
	const struct definition *definition = &w->contexts->definitions.at[context];
	*value = (struct context_value){.state = (enum context_state)held->state,
					.trace = w->tracked->trace};
	if (held->state == CONTEXT_NONE && !w->sure)
		value->state = CONTEXT_LATER;
	if (held->state == CONTEXT_NONE)
		return;
	value->doubtful = held->flags & HELD_DOUBTFUL;
	value->recovered = held->flags & HELD_RECOVERED;
	value->earlier = held->flags & HELD_EARLIER;
	value->since = (struct message_id){.offset = held->offset, .ordinal = held->ordinal};
	value->timed = held->flags & HELD_TIMED;
	value->ticks = held->ticks;
	value->is_number = held->flags & HELD_NUMBER;
	value->value = held->value;
	value->number = value->is_number ? held->value : 0;
	value->row = held->row;
	if (held->state == CONTEXT_KNOWN)
		value->name = name_of(definition, trace_decoder(w->tracked->trace)->ops, held);
}

static void
value_at(struct context_walker *w, uint64_t cell, size_t at, struct context_key key,
	 struct context_value *value)
{
	const struct context_history *history =
	    walker_seek(w, cell) ? resolve_history(w, key, at) : NULL;
	static const struct context_held none = {.state = CONTEXT_NONE};
	context_describe(w, key.context, history ? context_held_at(history, at) : &none, value);
	if (!history && (w->overflowed || !w->filled || w->cell != cell))
		value->state = CONTEXT_LATER;
}

static bool
is_other(const struct context_held *held, const struct context_value *value)
{
	return (enum context_state)held->state != value->state || held->value != value->value;
}

/* True if KEY may differ from VALUE in a cell, from message FROM up to TO. */
static bool
is_other_within(struct context_walker *w, uint64_t cell, size_t from, size_t to,
		struct context_key key, const struct context_value *value)
{
	struct context_value first;
	value_at(w, cell, from, key, &first);
	if (first.state != value->state || first.value != value->value)
		return true;
	context_walk(w, to == SIZE_MAX ? to : to + 1);
	const struct context_history *history = context_history_find(w, key);
	for (size_t i = 0; history && i < history->changes.count; i++) {
		const struct context_change *change = &history->changes.at[i];
		if (change->at > from && change->at <= to && is_other(&change->held, value))
			return true;
	}
	return false;
}

/* True if KEY may differ from VALUE somewhere within the error of a position. */
static bool
may_be_other(struct context_cursor *cursor, struct context_trace *tracked, struct context_key key,
	     const struct context_position *position, const struct context_value *value)
{
	const struct position least = position->least, most = position->most;
	bool other;
	if (least.cell == most.cell && least.at == most.at)
		return position->open;
	if (least.cell == most.cell)
		other = is_other_within(walker_for(cursor, tracked, WALK_AT), least.cell, least.at,
					most.at, key, value);
	else
		other =
		    is_other_within(walker_for(cursor, tracked, WALK_LEAST), least.cell, least.at,
				    SIZE_MAX, key, value) ||
		    is_other_within(walker_for(cursor, tracked, WALK_MOST), most.cell, 0, most.at,
				    key, value) ||
		    context_changes_between(cursor->contexts, tracked, key, least.cell, most.cell);
	return other || position->open;
}

/* Find the value of a context in another trace at the same time. */
static void
foreign_value(struct context_cursor *cursor, const struct message *m, struct context_trace *tracked,
	      unsigned context, struct context_value *value)
{
	struct contexts *contexts = cursor->contexts;
	const struct definition *definition = &contexts->definitions.at[context];
	struct context_walker *w = walker_for(cursor, tracked, WALK_AT);
	struct context_position *position = &w->position;
	*value = (struct context_value){.state = CONTEXT_LATER, .trace = tracked->trace};
	if (!contexts->relate(contexts->relate_context, cursor->trace, m, w->reader, position) ||
	    !walker_seek(w, position->at.cell))
		return;
	struct context_key key = {.context = context};
	context_walk(w, position->at.at + 1);
	if (definition->per == CONTEXT_PER_ORIGIN)
		key = only_key(w, context);
	if (key.context != CONTEXTS_MAX) {
		value_at(w, position->at.cell, position->at.at, key, value);
		value->doubtful |= value->state >= CONTEXT_UNKNOWN &&
				   may_be_other(cursor, tracked, key, position, value);
	} else if (w->sure) {
		value->state = CONTEXT_NONE;
	}
}

bool
context_value(struct contexts *contexts, struct context_cursor *cursor, const struct message *m,
	      unsigned context, struct context_value *value)
{
	if (cursor->own->contexts >> context & 1) {
		struct context_walker *w = walker_for(cursor, cursor->own, WALK_AT);
		uint64_t cell = cell_of(cursor->trace, message_id_offset(m));
		size_t at = find_message(w->reader, cell, m, &cursor->hint);
		value_at(w, cell, at, context_key_of(cursor->own, m, context), value);
		return true;
	}
	if (!contexts->relate || !applies_here(cursor, &contexts->definitions.at[context], m))
		return false;
	for (size_t i = 0; i < contexts->count; i++) {
		if (contexts->traces[i].contexts >> context & 1) {
			foreign_value(cursor, m, &contexts->traces[i], context, value);
			return true;
		}
	}
	return false;
}

bool
context_elsewhere(struct contexts *contexts, struct context_cursor *cursor, const struct message *m,
		  unsigned context, struct context_value *value)
{
	for (size_t i = 0; contexts->relate && i < contexts->count; i++) {
		if (!(contexts->traces[i].contexts >> context & 1))
			continue;
		foreign_value(cursor, m, &contexts->traces[i], context, value);
		if (value->state >= CONTEXT_UNKNOWN)
			return true;
	}
	return false;
}

/* Return the value's field, read again from the message that began it. */
static const struct field *
read_again(struct context_walker *w, unsigned context, const struct context_value *value)
{
	struct position p;
	struct message m;
	if (!reader_read_id(w->reader, value->since, &p, &m))
		return NULL;
	reader_expand(w->reader, &m, EXPAND_FIELDS, &w->expansion);
	for (size_t i = 0; i < w->tracked->rules.count; i++) {
		const struct context_rule *rule = &w->tracked->rules.at[i];
		const struct field *field;
		bool recovered;
		if (rule->context == context && rule->kinds >> m.kind & 1 &&
		    context_rule_read(rule, &m, &w->expansion, &field, &recovered) !=
			CONTEXT_MISSES &&
		    field)
			return field;
	}
	return NULL;
}

void
context_walker_text(struct context_walker *w, unsigned context, const struct context_value *value,
		    struct text *out)
{
	if (value->state != CONTEXT_KNOWN)
		return;
	const struct decoder_ops *ops = trace_decoder(value->trace)->ops;
	struct field own = {.u = value->number};
	const struct field *field = &own;
	if (value->is_number)
		own.row = &ops->fields[value->row];
	else
		field = read_again(w, context, value);
	if (field)
		field_format(field, out);
}

void
context_text(struct contexts *contexts, struct context_cursor *cursor, unsigned context,
	     const struct context_value *value, struct text *out)
{
	if (value->state == CONTEXT_KNOWN)
		context_walker_text(
		    walker_for(cursor, context_trace_of(contexts, value->trace), WALK_AT), context,
		    value, out);
}

/* --- the end of a value, and the next change ------------------------------- */

static bool
same_run(const struct context_held *a, const struct context_held *b)
{
	return a->state == b->state && a->offset == b->offset && a->ordinal == b->ordinal;
}

static bool
is_beginning(const struct context_held *held, const struct context_held *before)
{
	return held->state != CONTEXT_NONE && !same_run(held, before);
}

/* Return the first change after message AT that begins a value; WHOLE: the first one in the
 * cell. */
static const struct context_held *
next_begin(const struct context_history *history, bool whole, size_t at)
{
	const struct context_held *before = whole ? &history->start : context_held_at(history, at);
	for (size_t i = 0; i < history->changes.count; i++) {
		const struct context_change *one = &history->changes.at[i];
		if ((whole || one->at > at) && is_beginning(&one->held, before))
			return &one->held;
	}
	return NULL;
}

static bool
is_before(const struct context_held *a, const struct context_held *b)
{
	return a->offset < b->offset || (a->offset == b->offset && a->ordinal < b->ordinal);
}

/* Return the first such change of all histories, or of KEY's, in the walked messages. */
static const struct context_held *
next_walked(const struct context_walker *w, const struct context_key *key, bool whole, size_t at)
{
	const struct context_held *best = NULL;
	for (size_t i = 0; i < w->histories.count; i++) {
		const struct context_history *history = &w->histories.at[i];
		if (key && context_key_compare(history->key, *key))
			continue;
		const struct context_held *held = next_begin(history, whole, at);
		if (held && (!best || is_before(held, best)))
			best = held;
	}
	return best;
}

/* Return the first such change in the whole cell, walking on if necessary. */
static const struct context_held *
next_in_cell(struct context_walker *w, const struct context_key *key, bool whole, size_t at)
{
	const struct context_held *held;
	bool more = true;
	while (!(held = next_walked(w, key, whole, at)) && more)
		more = context_walk(w, w->done + STEP_MESSAGES);
	return held;
}

/* Find the next group of cells in which a value begins, by the entries. *FOUND: its first cell.
 * Raise *CELLS to the number of its cells if that is larger.
 * Return false if none. */
static bool
next_group(struct contexts *contexts, const struct context_trace *tracked,
	   const struct context_key *key, uint64_t cell, uint64_t *found, uint64_t *cells)
{
	uint64_t size = index_cell_size(trace_index(tracked->trace));
	*found = UINT64_MAX;
	job_lock(&contexts->job);
	for (size_t i = 0; i < tracked->lanes.count; i++) {
		const struct context_lane *lane = &tracked->lanes.at[i];
		if (key && context_key_compare(lane->key, *key))
			continue;
		for (size_t k = context_entry_position(lane, cell + 1); k < lane->entries.count;
		     k++) {
			const struct context_entry *entry = &lane->entries.at[k];
			uint64_t group = context_group_of(tracked, entry->cell);
			if (group >= *found)
				break;
			if (entry->held.offset / size >= group) {
				*found = group;
				break;
			}
		}
	}
	if (*found != UINT64_MAX && UINT64_C(1) << tracked->shift > *cells)
		*cells = UINT64_C(1) << tracked->shift;
	job_unlock(&contexts->job);
	return *found != UINT64_MAX;
}

/* Return the first value that begins after message AT of CELL, in KEY's lane or, with NULL, any.
 * If it returns NULL, *STATE is NONE for no such value or LATER for not known. */
static const struct context_held *
next_change(struct context_cursor *cursor, struct context_walker *w, struct context_walker **ahead,
	    const struct context_key *key, uint64_t cell, size_t at, enum context_state *state)
{
	struct contexts *contexts = cursor->contexts;
	struct context_trace *tracked = w->tracked;
	uint64_t known = context_known(contexts, tracked), group, first = cell + 1;
	uint64_t cells = AHEAD_CELLS;
	uint64_t count = index_cell_count(trace_index(tracked->trace));
	const struct context_held *held = next_in_cell(w, key, false, at);
	*state = CONTEXT_KNOWN;
	if (held)
		return held;
	if (!*ahead)
		*ahead = context_walker_new(contexts, tracked);
	if (known > first) {
		if (next_group(contexts, tracked, key, cell, &group, &cells))
			first = group > cell ? group : cell + 1;
		else
			first = known;
	}
	uint64_t end = first + cells < count ? first + cells : count;
	(*ahead)->spent = 0;
	for (uint64_t c = first;
	     c < end && (*ahead)->spent < BACK_MESSAGES && walker_seek(*ahead, c); c++) {
		held = next_in_cell(*ahead, key, true, 0);
		if (held && ((*ahead)->sure || !(held->flags & HELD_EARLIER)))
			return held;
	}
	*state = first >= count ? CONTEXT_NONE : CONTEXT_LATER;
	return NULL;
}

void
context_end(struct contexts *contexts, struct context_cursor *cursor, const struct message *m,
	    unsigned context, const struct context_value *value, struct context_end *end)
{
	*end = (struct context_end){.state = CONTEXT_LATER};
	(void)contexts;
	if (value->trace != cursor->trace)
		return;
	struct context_walker *w = walker_for(cursor, cursor->own, WALK_AT);
	uint64_t cell = cell_of(cursor->trace, message_id_offset(m));
	size_t at = find_message(w->reader, cell, m, &cursor->hint);
	struct context_key key = context_key_of(cursor->own, m, context);
	if (!walker_seek(w, cell))
		return;
	const struct context_held *held =
	    next_change(cursor, w, &cursor->ahead, &key, cell, at, &end->state);
	if (!held)
		return;
	end->id = (struct message_id){.offset = held->offset, .ordinal = held->ordinal};
	end->timed = held->flags & HELD_TIMED;
	end->ticks = held->ticks;
}

/* Return the last value that began before message AT of the walker's cell. */
static const struct context_held *
last_change(struct context_walker *w, size_t at)
{
	const struct context_held *best = NULL;
	context_walk(w, at);
	for (size_t i = 0; i < w->histories.count; i++) {
		const struct context_history *history = &w->histories.at[i];
		const struct context_held *held =
		    at ? context_held_at(history, at - 1) : &history->start;
		if (held->state != CONTEXT_NONE && (!best || is_before(best, held)))
			best = held;
	}
	return best;
}

enum context_state
context_step(struct contexts *contexts, struct context_cursor *cursor, const struct message *m,
	     bool forward, struct message_id *id)
{
	struct context_walker *w = walker_for(cursor, cursor->own, WALK_AT);
	uint64_t cells = index_cell_count(trace_index(cursor->trace)), cell = cells - 1;
	enum context_state state = CONTEXT_LATER;
	const struct context_held *held;
	size_t at;
	(void)contexts;
	if (!cursor->own->rules.count || !cells)
		return CONTEXT_NONE;
	if (m) {
		cell = cell_of(cursor->trace, message_id_offset(m));
		at = find_message(w->reader, cell, m, &cursor->hint);
	} else {
		at = reader_decoded_cell(w->reader, cell)->count;
	}
	if (!walker_seek(w, cell))
		return CONTEXT_LATER;
	if (forward) {
		held = next_change(cursor, w, &cursor->ahead, NULL, cell, at, &state);
	} else {
		while (!(held = last_change(w, at)) && !w->sure && w->back < BACK_CELLS)
			walk_blindly(w, cell, w->back ? w->back * 4 : 1);
		state = held ? CONTEXT_KNOWN : w->sure ? CONTEXT_NONE : CONTEXT_LATER;
	}
	if (held)
		*id = (struct message_id){.offset = held->offset, .ordinal = held->ordinal};
	return state;
}
