/*
 * Contexts: see context.h.
 *
 * Nothing is kept per message.  A thread goes through the cells whose kinds
 * may carry a context, or that tell of loss, and keeps for each context of each
 * origin (a lane) what holds at the end of those cells that changed it.  What
 * held at a message is the lane's last entry before its cell, and a walk from
 * there to the message.  A cursor keeps how far it walked and what changed on
 * the way, so that messages in order cost little more than their expansion.
 *
 * Entries are bounded.  When there are too many, cells are taken together, two,
 * four, eight at a time: half of the entries go, and a walk starts so many
 * cells earlier.
 *
 * Where the thread has not been yet, a cursor walks a few cells before the
 * message.  What it finds there is so; what it does not find is LATER, never
 * a guess.
 *
 * Cost: sizeof(struct entry) for each lane and cell that changes it, ENTRIES_MAX
 * in all; a cursor keeps a reader and the changes of one cell.
 */
#include "config.h"

#include "trace/context.h"
#include "base/thread.h"
#include "trace/serial.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
	ENTRIES_MAX = 512 * 1024, /* of a trace: 28 MiB */
	LANES_MAX = 4096,	  /* of a trace; further origins are not followed */
	NEAR_CELLS = 4,		  /* walked on to rather than loaded */
	BACK_CELLS = 16,	  /* walked where nothing is known yet */
	BACK_MESSAGES = 8192,	  /* and expanded there */
	AHEAD_CELLS = 64,	  /* walked for the next change then */
	STEP_MESSAGES = 256,	  /* walked at a time for the next change */
	SHIFT_MAX = 32,
	NOTIFY_MS = 500
};

/* What holds of a lane. */
struct held {
	uint64_t value;	 /* a number, or the hash of a text */
	uint64_t offset; /* place of the message that began it */
	uint64_t ticks;
	uint32_t ordinal;
	uint32_t event; /* hash of the name of the event that last told it, or 0 */
	uint16_t row;
	uint8_t state; /* enum context_state; LATER does not occur */
	uint8_t flags;
};

enum { HELD_DOUBTFUL = 1, HELD_RECOVERED = 2, HELD_EARLIER = 4, HELD_TIMED = 8, HELD_NUMBER = 16 };

static const uint16_t loss = MESSAGE_DAMAGED | MESSAGE_LOST | MESSAGE_TRUNCATED;

struct entry {
	uint64_t cell;
	struct held held; /* at its end */
};

/* A context of an origin, or of the whole trace. */
struct key {
	uint64_t origin; /* 0 if of the trace */
	unsigned context;
};

struct lane {
	struct key key;
	VEC(struct entry) entries;
};

/* A name of a value, or of a range. */
struct value_name {
	bool is_number;
	uint64_t from, to; /* numbers; or hash of the text */
	const char *name;
};

struct definition {
	const char *name;
	enum context_scope per;
	VEC(struct value_name) names;
	VEC(const char *) applies_to;
};

/* What is known of a trace. */
struct ground {
	struct trace *trace;
	context_rules rules;
	uint64_t kinds;	   /* that any of them is about */
	uint64_t contexts; /* a bit each */
	bool needs_session;
	/* under the lock; the thread alone writes */
	VEC(struct lane) lanes; /* in the order of their keys */
	size_t entries;
	bool crowded;	/* there were too many lanes */
	uint64_t known; /* cells */
	unsigned shift; /* cells taken together, as a power of two */
	unsigned generation;
	struct walker *walker;
};

struct contexts {
	struct session *session;
	VEC(struct definition) definitions;
	struct ground *grounds; /* one per trace of the session */
	size_t count;
	bool defined;
	struct text complaint;
	bool patient;
	size_t limit; /* of entries of a trace */
	context_relate *relate;
	void *relate_context;

	pthread_mutex_t lock;
	atomic_uint generation;
	atomic_uint epoch; /* counts up when what was known is not any more */
	pthread_t thread;
	pthread_cond_t changed;
	bool wanted, allowed; /* the thread starts when both are */
	bool running, stopping, woken;
	void (*notify)(void *);
	void *notify_context;
	struct timespec notified;
};

struct change {
	size_t at; /* in the cell */
	struct held held;
};

/* A lane within a cell. */
struct course {
	struct key key;
	struct held start;
	VEC(struct change) changes;
};

/* Where a thread stands in a trace. */
struct walker {
	struct contexts *contexts;
	struct ground *ground;
	struct reader *reader;
	struct expansion expansion;
	VEC(struct course) courses; /* in the order of their keys */
	bool filled;
	bool sure;	/* what no course tells nobody said; else it is not known */
	bool crowded;	/* there were too many lanes */
	bool unsettled; /* not all courses are doubtful */
	uint64_t cell, back;
	size_t done;	  /* messages of the cell that were walked */
	uint64_t place;	  /* of the last one */
	uint32_t ordinal; /* and its number there */
	uint64_t size;	  /* of the capture when the cell was begun */
	uint64_t spent;	  /* messages expanded */
	unsigned epoch;
};

struct context_cursor {
	struct contexts *contexts;
	struct trace *trace;
	struct ground *own;	 /* of that trace */
	struct walker **walkers; /* per trace, made when needed */
	struct walker *ahead;	 /* the same in its own trace, further on */
	size_t hint;		 /* where the last message was in its cell */
	struct reader *reader;	 /* for origins, made when needed */
	struct expansion expansion;
	uint64_t origin; /* whose text the expansion has, if has_origin */
	bool has_origin;
};

/* --- definitions ------------------------------------------------------- */

static uint64_t
hash(const char *text, size_t length)
{
	uint64_t value = 0xcbf29ce484222325; /* FNV-1a */
	for (size_t i = 0; i < length; i++)
		value = (value ^ (uint8_t)text[i]) * 0x100000001b3;
	return value;
}

static void
add_names(struct definition *definition, const struct context_options *options)
{
	const struct context_value_options *values = options->values.at;
	const struct context_range_options *ranges = options->ranges.at;
	for (size_t i = 0; i < options->values.count; i++) {
		struct value_name *name = vec_add(&definition->names);
		name->name = values[i].name;
		name->is_number = text_parse_uint(values[i].value, UINT64_MAX, &name->from);
		if (!name->is_number)
			name->from = hash(values[i].value, strlen(values[i].value));
		name->to = name->from;
	}
	for (size_t i = 0; i < options->ranges.count; i++)
		*vec_add(&definition->names) = (struct value_name){.is_number = true,
								   .from = ranges[i].from,
								   .to = ranges[i].to,
								   .name = ranges[i].name};
	for (size_t i = 0; i < options->applies_to.count; i++)
		*vec_add(&definition->applies_to) = ((char **)options->applies_to.at)[i];
}

static void
complain(struct contexts *contexts, const char *name, const char *what)
{
	if (contexts->complaint.length)
		text_add(&contexts->complaint, "; ");
	text_addf(&contexts->complaint, "context %s: %s", name, what);
}

/* Makes the rules of an entry; false if there are none. */
static bool
make_rules(struct contexts *contexts, const struct context_options *options, unsigned context)
{
	bool any = false;
	for (size_t i = 0; i < contexts->count; i++) {
		struct ground *ground = &contexts->grounds[i];
		struct context_rule rule;
		if (!context_rule_make(options, trace_decoder(ground->trace)->ops,
				       trace_name(ground->trace), !trace_serial(ground->trace),
				       context, &rule))
			continue;
		ground->kinds |= rule.kinds;
		ground->contexts |= (uint64_t)1 << context;
		ground->needs_session |= rule.needs_session && trace_serial(ground->trace);
		*vec_add(&ground->rules) = rule;
		any = true;
	}
	return any;
}

/* Makes an entry's rules and, unless its name has one, its definition; of the
 * standard ones only those that are about a trace that is open. */
static void
define(struct contexts *contexts, const struct context_options *options)
{
	unsigned context = (unsigned)contexts->definitions.count;
	bool new = !contexts_find(contexts, options->name, &context);
	if (new &&context == CONTEXTS_MAX) {
		complain(contexts, options->name, "too many");
		return;
	}
	bool any = make_rules(contexts, options, context);
	if (!any && !contexts->defined)
		return;
	if (!any)
		complain(contexts, options->name, "no trace has such messages with that field");
	if (new)
		*vec_add(&contexts->definitions) = (struct definition){
		    .name = options->name, .per = (enum context_scope)options->per};
	add_names(&contexts->definitions.at[context], options);
}

struct contexts *
contexts_new(struct session *session)
{
	struct contexts *contexts = mem_new(sizeof *contexts);
	struct option_list list = session->profile.contexts;
	contexts->session = session;
	contexts->limit = ENTRIES_MAX;
	contexts->defined = list.count;
	contexts->count = session->traces.count;
	contexts->grounds = mem_new(contexts->count * sizeof *contexts->grounds);
	pthread_mutex_init(&contexts->lock, NULL);
	pthread_cond_init(&contexts->changed, NULL);
	for (size_t i = 0; i < contexts->count; i++)
		contexts->grounds[i].trace = session->traces.at[i];
	if (!contexts->defined)
		list = context_standard();
	for (size_t i = 0; i < list.count; i++)
		define(contexts, (void *)((char *)list.at + i * context_options_table()->size));
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

static struct ground *
ground_of(struct contexts *contexts, const struct trace *trace)
{
	for (size_t i = 0; i < contexts->count; i++)
		if (contexts->grounds[i].trace == trace)
			return &contexts->grounds[i];
	return NULL;
}

/* How many cells can be read as they will stay. */
static uint64_t
readable(const struct ground *ground)
{
	uint64_t known = index_known(trace_index(ground->trace));
	if (!ground->needs_session)
		return known;
	uint64_t matched = serial_known(trace_serial(ground->trace));
	return matched < known ? matched : known;
}

/* --- courses ----------------------------------------------------------- */

static struct walker *
walker_new(struct contexts *contexts, struct ground *ground)
{
	struct walker *w = mem_new(sizeof *w);
	w->contexts = contexts;
	w->ground = ground;
	w->reader = reader_new(ground->trace);
	return w;
}

static void
clear_courses(struct walker *w)
{
	for (size_t i = 0; i < w->courses.count; i++)
		vec_free(&w->courses.at[i].changes);
	vec_clear(&w->courses);
	w->crowded = false;
	w->unsettled = true;
}

static void
walker_free(struct walker *w)
{
	if (!w)
		return;
	clear_courses(w);
	vec_free(&w->courses);
	expansion_free(&w->expansion);
	reader_free(w->reader);
	free(w);
}

static int
compare(struct key a, struct key b)
{
	if (a.origin != b.origin)
		return a.origin < b.origin ? -1 : 1;
	return (a.context > b.context) - (a.context < b.context);
}

/* The position of the first course whose key is not before KEY. */
static size_t
course_position(const struct walker *w, struct key key)
{
	size_t low = 0, high = w->courses.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare(w->courses.at[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct course *
course_find(const struct walker *w, struct key key)
{
	size_t at = course_position(w, key);
	bool found = at < w->courses.count && !compare(w->courses.at[at].key, key);
	return found ? &w->courses.at[at] : NULL;
}

/* Adds a course where it belongs; NULL if there are too many. */
static struct course *
course_add(struct walker *w, struct key key)
{
	size_t at = course_position(w, key), count = w->courses.count;
	if (count == LANES_MAX) {
		w->crowded = true;
		return NULL;
	}
	*vec_add(&w->courses) = (struct course){.key = key};
	struct course *course = &w->courses.at[at];
	memmove(course + 1, course, (count - at) * sizeof *course);
	*course = (struct course){.key = key, .start.state = CONTEXT_NONE};
	return course;
}

/* What holds now, at the end of what was walked. */
static const struct held *
present(const struct course *course)
{
	size_t count = course->changes.count;
	return count ? &course->changes.at[count - 1].held : &course->start;
}

/* What held at message AT of the cell. */
static const struct held *
held_at(const struct course *course, size_t at)
{
	size_t low = 0, high = course->changes.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (course->changes.at[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &course->changes.at[low - 1].held : &course->start;
}

static void
change(struct course *course, size_t at, struct held held)
{
	size_t count = course->changes.count;
	struct change *last = count ? &course->changes.at[count - 1] : NULL;
	if (!last || last->at != at)
		last = vec_add(&course->changes);
	*last = (struct change){.at = at, .held = held};
}

static bool
same_run(const struct held *a, const struct held *b)
{
	return a->state == b->state && a->offset == b->offset && a->ordinal == b->ordinal;
}

/* --- reading a cell ---------------------------------------------------- */

/* A message of the cell that carries something, or tells of loss. */
struct sight {
	struct message m;
	size_t at;
	uint32_t ordinal; /* in its place */
};

static void
doubt(struct course *course, size_t at)
{
	struct held held = *present(course);
	if (held.state == CONTEXT_NONE || held.flags & HELD_DOUBTFUL)
		return;
	held.flags |= HELD_DOUBTFUL;
	change(course, at, held);
}

/* Loss: of one sender, or of what may be anybody's. */
static void
lose(struct walker *w, const struct sight *sight)
{
	uint64_t origin = sight->m.origin;
	bool all = origin == trace_decoder(w->ground->trace)->ops->origin_none;
	if (!w->unsettled)
		return;
	for (size_t i = 0; i < w->courses.count; i++) {
		struct course *course = &w->courses.at[i];
		bool whole =
		    w->contexts->definitions.at[course->key.context].per == CONTEXT_PER_TRACE;
		if (all || whole || course->key.origin == origin)
			doubt(course, sight->at);
	}
	w->unsettled = !all;
}

/* Whether events of that name have told this context, and no other. */
static bool
is_its_event(const struct walker *w, const struct course *course, uint32_t event)
{
	if (!event || present(course)->event != event)
		return false;
	for (size_t i = 0; i < w->courses.count; i++)
		if (&w->courses.at[i] != course && present(&w->courses.at[i])->event == event)
			return false;
	return true;
}

static uint32_t
event_of(const struct expansion *e)
{
	const struct field *name = context_field(e, "event_name");
	return name ? (uint32_t)hash(name->s.at, name->s.length) | 1 : 0;
}

static void
take_value(struct held *held, const struct walker *w, const struct field *field)
{
	const struct decoder_ops *ops = trace_decoder(w->ground->trace)->ops;
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
	held->value = hash(text_get(&text), text.length);
	text_free(&text);
}

/* The course has a value, or an unknown one (FIELD NULL), from a message on. */
static void
settle(struct walker *w, struct course *course, const struct sight *sight,
       const struct field *field, bool recovered)
{
	const struct held *before = present(course);
	struct held held = {.state = field ? CONTEXT_KNOWN : CONTEXT_UNKNOWN,
			    .offset = message_place(&sight->m),
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
	change(course, sight->at, held);
}

static void
apply(struct walker *w, const struct context_rule *rule, const struct sight *sight)
{
	const struct field *field;
	bool recovered;
	enum context_verdict verdict =
	    context_rule_read(rule, &sight->m, &w->expansion, &field, &recovered);
	if (verdict == CONTEXT_MISSES)
		return;
	bool whole = w->contexts->definitions.at[rule->context].per == CONTEXT_PER_TRACE;
	struct key key = {.origin = whole ? 0 : sight->m.origin, .context = rule->context};
	struct course *course = course_find(w, key);
	if (verdict == CONTEXT_MAY_SET) {
		if (!course)
			return;
		if (!w->sure) /* whose events are whose may be told before */
			change(course, sight->at, (struct held){.state = CONTEXT_NONE});
		else if (field && is_its_event(w, course, event_of(&w->expansion)))
			settle(w, course, sight, field, recovered);
		else
			doubt(course, sight->at);
		return;
	}
	if (!course)
		course = course_add(w, key);
	if (course)
		settle(w, course, sight, field, recovered);
}

static void
look(struct walker *w, const struct sight *sight)
{
	const struct ground *ground = w->ground;
	bool expanded = false;
	if (sight->m.flags & loss)
		lose(w, sight);
	for (size_t i = 0; i < ground->rules.count; i++) {
		const struct context_rule *rule = &ground->rules.at[i];
		if (!(rule->kinds >> sight->m.kind & 1))
			continue;
		if (!expanded)
			reader_expand(w->reader, &sight->m, EXPAND_FIELDS, &w->expansion);
		w->spent += !expanded;
		expanded = true;
		apply(w, rule, sight);
	}
}

/* Whether a cell is known to hold nothing that matters. */
static bool
is_idle(const struct ground *ground, uint64_t cell)
{
	struct index_cell summary;
	return index_cell(trace_index(ground->trace), cell, &summary) &&
	       !(summary.kinds & ground->kinds) && !(summary.messages & loss);
}

/* Walks on in the cell, up to message END; true if there are more. */
static bool
walk(struct walker *w, size_t end)
{
	if (w->done >= end || is_idle(w->ground, w->cell))
		return false;
	const struct block *block = reader_block(w->reader, w->cell);
	for (; w->done < end && w->done < block->count; w->done++) {
		const struct message *m = &block->messages[w->done];
		w->ordinal = message_place(m) == w->place ? w->ordinal + 1 : 0;
		w->place = message_place(m);
		if (!(w->ground->kinds >> m->kind & 1) && !(m->flags & loss))
			continue;
		look(w, &(struct sight){.m = *m, .at = w->done, .ordinal = w->ordinal});
		block = reader_block(w->reader, w->cell); /* looking back may have moved it */
	}
	return w->done < block->count;
}

/* Begins to walk the cell, whose courses have their starts. */
static void
begin_cell(struct walker *w)
{
	for (size_t i = 0; i < w->courses.count; i++)
		vec_clear(&w->courses.at[i].changes);
	w->size = capture_size(trace_capture(w->ground->trace));
	w->done = 0;
	w->place = UINT64_MAX;
	w->unsettled = true;
}

/* Begins again if the end of the capture was in sight, and has moved. */
static void
refresh(struct walker *w)
{
	const struct trace *trace = w->ground->trace;
	uint64_t end = (w->cell + 1) * index_cell_size(trace_index(trace));
	uint64_t size = capture_size(trace_capture(trace));
	if (w->size != size && w->size < end + trace_decoder(trace)->ops->reach)
		begin_cell(w);
}

/* Walks to the next cell. */
static void
walk_on(struct walker *w)
{
	refresh(w);
	walk(w, SIZE_MAX);
	for (size_t i = 0; i < w->courses.count; i++)
		w->courses.at[i].start = *present(&w->courses.at[i]);
	w->cell++;
	begin_cell(w);
}

static void
walk_to(struct walker *w, uint64_t cell)
{
	while (w->cell < cell)
		walk_on(w);
}

/* Begins at a cell with what the courses hold. */
static void
begin(struct walker *w, uint64_t cell, bool sure)
{
	w->cell = cell;
	w->sure = sure;
	w->filled = true;
	begin_cell(w);
}

/* --- entries ----------------------------------------------------------- */

/* The position of the first entry whose cell is not before CELL. */
static size_t
entry_position(const struct lane *lane, uint64_t cell)
{
	size_t low = 0, high = lane->entries.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (lane->entries.at[middle].cell < cell)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first cell of those that are taken together with CELL. */
static uint64_t
group_of(const struct ground *ground, uint64_t cell)
{
	return cell >> ground->shift << ground->shift;
}

/* Takes twice as many cells together. */
static void
thin_out(struct ground *ground)
{
	ground->shift++;
	ground->entries = 0;
	for (size_t i = 0; i < ground->lanes.count; i++) {
		struct lane *lane = &ground->lanes.at[i];
		size_t kept = 0;
		for (size_t k = 0; k < lane->entries.count; k++) {
			const struct entry entry = lane->entries.at[k];
			if (kept && group_of(ground, lane->entries.at[kept - 1].cell) ==
					group_of(ground, entry.cell))
				kept--;
			lane->entries.at[kept++] = entry;
		}
		lane->entries.count = kept;
		ground->entries += kept;
	}
}

static void
add_entry(struct ground *ground, struct lane *lane, struct entry entry)
{
	size_t count = lane->entries.count;
	struct entry *last = count ? &lane->entries.at[count - 1] : NULL;
	if (last && group_of(ground, last->cell) == group_of(ground, entry.cell)) {
		*last = entry;
		return;
	}
	*vec_add(&lane->entries) = entry;
	ground->entries++;
}

/* Keeps what the walker's cell changed.  Courses and lanes have the same order,
 * and each lane is a course. */
static void
keep(struct ground *ground, const struct walker *w)
{
	for (size_t i = 0; i < w->courses.count; i++) {
		const struct course *course = &w->courses.at[i];
		size_t count = ground->lanes.count;
		if (i == count || compare(ground->lanes.at[i].key, course->key)) {
			*vec_add(&ground->lanes) = (struct lane){.key = course->key};
			struct lane *lane = &ground->lanes.at[i];
			memmove(lane + 1, lane, (count - i) * sizeof *lane);
			*lane = (struct lane){.key = course->key};
		}
		if (course->changes.count)
			add_entry(ground, &ground->lanes.at[i],
				  (struct entry){.cell = w->cell, .held = *present(course)});
	}
	ground->crowded |= w->crowded;
	while (ground->entries > w->contexts->limit && ground->shift < SHIFT_MAX)
		thin_out(ground);
}

/* Puts the walker at the beginning of CELL, with what is known there; false if
 * that is not known. */
static bool
load(struct walker *w, uint64_t cell)
{
	struct ground *ground = w->ground;
	pthread_mutex_lock(&w->contexts->lock);
	bool known = ground->known >= cell;
	uint64_t start = group_of(ground, cell);
	if (known) {
		clear_courses(w);
		w->epoch = atomic_load(&w->contexts->epoch);
	}
	for (size_t i = 0; known && i < ground->lanes.count; i++) {
		const struct lane *lane = &ground->lanes.at[i];
		size_t at = entry_position(lane, start);
		if (at)
			*vec_add(&w->courses) = (struct course){
			    .key = lane->key, .start = lane->entries.at[at - 1].held};
	}
	w->crowded |= ground->crowded;
	pthread_mutex_unlock(&w->contexts->lock);
	if (!known)
		return false;
	begin(w, start, true);
	walk_to(w, cell);
	return true;
}

/* --- the thread -------------------------------------------------------- */

static bool
is_stopping(struct contexts *contexts)
{
	pthread_mutex_lock(&contexts->lock);
	bool stopping = contexts->stopping;
	pthread_mutex_unlock(&contexts->lock);
	return stopping;
}

static void
forget(struct contexts *contexts, struct ground *ground)
{
	pthread_mutex_lock(&contexts->lock);
	for (size_t i = 0; i < ground->lanes.count; i++)
		vec_free(&ground->lanes.at[i].entries);
	vec_clear(&ground->lanes);
	ground->entries = 0;
	ground->known = 0;
	ground->shift = 0;
	ground->crowded = false;
	atomic_fetch_add(&contexts->epoch, 1);
	pthread_mutex_unlock(&contexts->lock);
	clear_courses(ground->walker);
	ground->walker->filled = false;
}

static void
tell(struct contexts *contexts, bool now)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	int64_t passed = (time.tv_sec - contexts->notified.tv_sec) * 1000 +
			 (time.tv_nsec - contexts->notified.tv_nsec) / 1000000;
	if (!now && passed < NOTIFY_MS)
		return;
	contexts->notified = time;
	atomic_fetch_add(&contexts->generation, 1);
	if (contexts->notify)
		contexts->notify(contexts->notify_context);
}

/* Goes through the cells of a trace that can be read; true if there were any. */
static bool
work(struct contexts *contexts, struct ground *ground)
{
	if (!ground->rules.count)
		return false;
	if (!ground->walker)
		ground->walker = walker_new(contexts, ground);
	struct walker *w = ground->walker;
	/* of a gem trace it counts the events that were found, which stay */
	unsigned generation = trace_serial(ground->trace) ? 0 : trace_generation(ground->trace);
	if (ground->known > index_known(trace_index(ground->trace)) ||
	    generation != ground->generation)
		forget(contexts, ground);
	ground->generation = generation;
	bool any = false;
	while (ground->known < readable(ground) && !is_stopping(contexts)) {
		if (w->filled)
			walk_on(w);
		else
			begin(w, 0, true);
		walk(w, SIZE_MAX);
		pthread_mutex_lock(&contexts->lock);
		keep(ground, w);
		ground->known++;
		pthread_mutex_unlock(&contexts->lock);
		tell(contexts, false);
		any = true;
	}
	return any;
}

static void *
run(void *context)
{
	struct contexts *contexts = context;
	setpriority(PRIO_PROCESS, (id_t)gettid(), 10);
	pthread_mutex_lock(&contexts->lock);
	while (!contexts->stopping) {
		contexts->woken = false;
		pthread_mutex_unlock(&contexts->lock);
		bool any = false;
		for (size_t i = 0; i < contexts->count; i++)
			any |= work(contexts, &contexts->grounds[i]);
		if (any)
			tell(contexts, true);
		pthread_mutex_lock(&contexts->lock);
		while (!contexts->stopping && !contexts->woken)
			pthread_cond_wait(&contexts->changed, &contexts->lock);
	}
	pthread_mutex_unlock(&contexts->lock);
	return NULL;
}

/* Sets one of the flags that let the thread start. */
static void
let_run(struct contexts *contexts, bool *flag)
{
	pthread_mutex_lock(&contexts->lock);
	*flag = true;
	if (contexts->wanted && contexts->allowed && !contexts->running)
		contexts->running = thread_start(&contexts->thread, run, contexts);
	pthread_mutex_unlock(&contexts->lock);
}

void
contexts_start(struct contexts *contexts, void (*notify)(void *), void *context)
{
	if (contexts->allowed)
		return;
	contexts->notify = notify;
	contexts->notify_context = context;
	let_run(contexts, &contexts->allowed);
}

void
contexts_wake(struct contexts *contexts)
{
	pthread_mutex_lock(&contexts->lock);
	contexts->woken = true;
	pthread_cond_signal(&contexts->changed);
	pthread_mutex_unlock(&contexts->lock);
}

void
contexts_load(struct contexts *contexts)
{
	for (size_t i = 0; i < contexts->count; i++) {
		struct ground *ground = &contexts->grounds[i];
		struct index_progress progress;
		index_get_progress(trace_index(ground->trace), &progress);
		if (ground->rules.count && !progress.complete)
			index_build(trace_index(ground->trace));
	}
	contexts->patient = true;
}

void
contexts_free(struct contexts *contexts)
{
	if (!contexts)
		return;
	pthread_mutex_lock(&contexts->lock);
	contexts->stopping = true;
	pthread_cond_signal(&contexts->changed);
	pthread_mutex_unlock(&contexts->lock);
	if (contexts->running)
		pthread_join(contexts->thread, NULL);
	for (size_t i = 0; i < contexts->count; i++) {
		struct ground *ground = &contexts->grounds[i];
		for (size_t k = 0; k < ground->rules.count; k++)
			context_rule_free(&ground->rules.at[k]);
		vec_free(&ground->rules);
		for (size_t k = 0; k < ground->lanes.count; k++)
			vec_free(&ground->lanes.at[k].entries);
		vec_free(&ground->lanes);
		walker_free(ground->walker);
	}
	for (size_t i = 0; i < contexts->definitions.count; i++) {
		vec_free(&contexts->definitions.at[i].names);
		vec_free(&contexts->definitions.at[i].applies_to);
	}
	vec_free(&contexts->definitions);
	free(contexts->grounds);
	text_free(&contexts->complaint);
	pthread_mutex_destroy(&contexts->lock);
	pthread_cond_destroy(&contexts->changed);
	free(contexts);
}

unsigned
contexts_generation(const struct contexts *contexts)
{
	return contexts ? atomic_load(&contexts->generation) : 0;
}

static uint64_t
known_cells(struct contexts *contexts, const struct ground *ground)
{
	pthread_mutex_lock(&contexts->lock);
	uint64_t known = ground->known;
	pthread_mutex_unlock(&contexts->lock);
	return known;
}

uint64_t
contexts_known(struct contexts *contexts, const struct trace *trace)
{
	const struct ground *ground = ground_of(contexts, trace);
	return ground && ground->rules.count ? known_cells(contexts, ground) : UINT64_MAX;
}

void
contexts_limit(struct contexts *contexts, size_t entries)
{
	contexts->limit = entries;
}

size_t
contexts_memory(struct contexts *contexts)
{
	size_t sum = 0;
	pthread_mutex_lock(&contexts->lock);
	for (size_t i = 0; i < contexts->count; i++) {
		const struct ground *ground = &contexts->grounds[i];
		for (size_t k = 0; k < ground->lanes.count; k++)
			sum += ground->lanes.at[k].entries.capacity * sizeof(struct entry);
		sum += ground->lanes.capacity * sizeof(struct lane);
	}
	pthread_mutex_unlock(&contexts->lock);
	return sum;
}

/* --- seeking ----------------------------------------------------------- */

/* Walks from BACK cells before CELL, where it is not known what holds. */
static void
walk_blindly(struct walker *w, uint64_t cell, uint64_t back)
{
	back = back < cell ? back : cell;
	clear_courses(w);
	w->epoch = atomic_load(&w->contexts->epoch);
	begin(w, cell - back, back == cell);
	walk_to(w, cell);
	w->back = back;
}

/* Of a stream more may be there now. */
static void
build_index(struct contexts *contexts, struct index *index, uint64_t cell)
{
	if (index_known(index) > cell)
		return;
	pthread_mutex_lock(&contexts->lock);
	index_build(index);
	pthread_mutex_unlock(&contexts->lock);
}

/* Puts the walker at CELL; false if nothing can be told of it yet. */
static bool
seek(struct walker *w, uint64_t cell)
{
	struct contexts *contexts = w->contexts;
	uint64_t known = known_cells(contexts, w->ground);
	if (w->epoch != atomic_load(&contexts->epoch))
		w->filled = false;
	if (w->ground->needs_session && cell >= serial_known(trace_serial(w->ground->trace)))
		return false;
	if (contexts->patient)
		build_index(contexts, trace_index(w->ground->trace), cell);
	bool ready = w->filled && w->sure && w->cell <= cell;
	if (w->filled && w->cell == cell && (w->sure || known < cell)) {
		refresh(w);
		return true;
	}
	if (ready && cell - w->cell <= NEAR_CELLS) {
		walk_to(w, cell);
		return true;
	}
	if (known < cell && ready && contexts->patient) {
		walk_to(w, cell);
		return true;
	}
	uint64_t from = cell < known ? cell : known;
	if (cell - from <= NEAR_CELLS || contexts->patient) {
		if (!load(w, from))
			return false;
		walk_to(w, cell);
		return true;
	}
	w->spent = 0;
	walk_blindly(w, cell, 0);
	return true;
}

/* The course of KEY at the walker's cell; where it is not known what holds at
 * message AT, looks a few cells further back. */
static const struct course *
resolve(struct walker *w, struct key key, size_t at)
{
	walk(w, at + 1);
	const struct course *course = course_find(w, key);
	while (!w->sure && (!course || held_at(course, at)->state == CONTEXT_NONE) &&
	       w->back < BACK_CELLS && w->spent < BACK_MESSAGES) {
		walk_blindly(w, w->cell, w->back ? w->back * 4 : 1);
		walk(w, at + 1);
		course = course_find(w, key);
	}
	return course;
}

/* --- cursors ----------------------------------------------------------- */

struct context_cursor *
context_cursor_new(struct contexts *contexts, struct trace *trace)
{
	struct context_cursor *cursor = mem_new(sizeof *cursor);
	cursor->contexts = contexts;
	cursor->trace = trace;
	cursor->own = ground_of(contexts, trace);
	cursor->walkers = mem_new(contexts->count * sizeof *cursor->walkers);
	let_run(contexts, &contexts->wanted);
	return cursor;
}

void
context_cursor_free(struct context_cursor *cursor)
{
	if (!cursor)
		return;
	for (size_t i = 0; i < cursor->contexts->count; i++)
		walker_free(cursor->walkers[i]);
	walker_free(cursor->ahead);
	reader_free(cursor->reader);
	expansion_free(&cursor->expansion);
	free(cursor->walkers);
	free(cursor);
}

static struct walker *
walker_for(struct context_cursor *cursor, struct ground *ground)
{
	struct walker **walker = &cursor->walkers[ground - cursor->contexts->grounds];
	if (!*walker)
		*walker = walker_new(cursor->contexts, ground);
	return *walker;
}

static bool
is_same(const struct message *a, const struct message *b)
{
	return a->offset == b->offset && a->length == b->length && a->kind == b->kind &&
	       a->aux == b->aux && a->ticks == b->ticks && a->origin == b->origin;
}

static uint64_t
cell_of(const struct trace *trace, uint64_t place)
{
	uint64_t cell = place / index_cell_size(trace_index(trace));
	uint64_t count = index_cell_count(trace_index(trace));
	return cell < count ? cell : count - 1; /* a note about the end of the capture */
}

/* Where M is in its cell; *HINT: where to look first, and next time. */
static size_t
find_message(struct reader *reader, uint64_t cell, const struct message *m, size_t *hint)
{
	const struct block *block = reader_block(reader, cell);
	if (*hint < block->count && is_same(&block->messages[*hint], m))
		return *hint;
	if (*hint + 1 < block->count && is_same(&block->messages[*hint + 1], m))
		return ++*hint;
	size_t low = 0, high = block->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (message_place(&block->messages[middle]) < message_place(m))
			low = middle + 1;
		else
			high = middle;
	}
	size_t at = low;
	while (at < block->count && message_place(&block->messages[at]) == message_place(m) &&
	       !is_same(&block->messages[at], m))
		at++;
	return *hint = at < block->count ? at : low;
}

/* The text of M's origin. */
static const char *
origin_text(struct context_cursor *cursor, const struct message *m)
{
	if (!cursor->reader)
		cursor->reader = reader_new(cursor->trace);
	if (!cursor->has_origin || cursor->origin != m->origin)
		reader_expand(cursor->reader, m, EXPAND_TEXT, &cursor->expansion);
	cursor->has_origin = true;
	cursor->origin = m->origin;
	return text_get(&cursor->expansion.origin);
}

/* Whether a context of another trace holds for M. */
static bool
applies(struct context_cursor *cursor, const struct definition *definition, const struct message *m)
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

/* The course of a context in another trace, whose origin is not told: the only
 * one. */
static struct key
only_key(const struct walker *w, unsigned context)
{
	struct key key = {.context = CONTEXTS_MAX};
	for (size_t i = 0; i < w->courses.count; i++) {
		if (w->courses.at[i].key.context != context)
			continue;
		if (key.context != CONTEXTS_MAX)
			return (struct key){.context = CONTEXTS_MAX};
		key = w->courses.at[i].key;
	}
	return key;
}

/* --- values ------------------------------------------------------------ */

static const char *
name_of(const struct definition *definition, const struct decoder_ops *ops, const struct held *held)
{
	bool number = held->flags & HELD_NUMBER;
	for (size_t i = 0; i < definition->names.count; i++) {
		const struct value_name *name = &definition->names.at[i];
		if (name->is_number == number && name->from <= held->value &&
		    held->value <= name->to)
			return name->name;
	}
	if (!number)
		return NULL;
	struct field field = {.row = &ops->fields[held->row], .u = held->value};
	return field_meaning(&field);
}

static void
tell_value(const struct walker *w, unsigned context, const struct held *held,
	   struct context_value *value)
{
	const struct definition *definition = &w->contexts->definitions.at[context];
	*value = (struct context_value){.state = (enum context_state)held->state,
					.trace = w->ground->trace};
	if (held->state == CONTEXT_NONE && !w->sure)
		value->state = CONTEXT_LATER;
	if (held->state == CONTEXT_NONE)
		return;
	value->doubtful = held->flags & HELD_DOUBTFUL;
	value->recovered = held->flags & HELD_RECOVERED;
	value->earlier = held->flags & HELD_EARLIER;
	value->since = (struct place){.offset = held->offset, .ordinal = held->ordinal};
	value->timed = held->flags & HELD_TIMED;
	value->ticks = held->ticks;
	value->is_number = held->flags & HELD_NUMBER;
	value->value = held->value;
	value->number = value->is_number ? held->value : 0;
	value->row = held->row;
	if (held->state == CONTEXT_KNOWN)
		value->name = name_of(definition, trace_decoder(w->ground->trace)->ops, held);
}

static void
value_at(struct walker *w, uint64_t cell, size_t at, struct key key, struct context_value *value)
{
	const struct course *course = seek(w, cell) ? resolve(w, key, at) : NULL;
	static const struct held none = {.state = CONTEXT_NONE};
	tell_value(w, key.context, course ? held_at(course, at) : &none, value);
	if (!course && (w->crowded || !w->filled || w->cell != cell))
		value->state = CONTEXT_LATER;
}

/* A context of another trace, at the same time. */
static bool
foreign_value(struct context_cursor *cursor, const struct message *m, struct ground *ground,
	      unsigned context, struct context_value *value)
{
	struct contexts *contexts = cursor->contexts;
	const struct definition *definition = &contexts->definitions.at[context];
	struct position p;
	if (!contexts->relate || !applies(cursor, definition, m))
		return false;
	struct walker *w = walker_for(cursor, ground);
	*value = (struct context_value){.state = CONTEXT_LATER, .trace = ground->trace};
	if (!contexts->relate(contexts->relate_context, cursor->trace, m, w->reader, &p) ||
	    !seek(w, p.cell))
		return true;
	struct key key = {.context = context};
	walk(w, p.at + 1);
	if (definition->per == CONTEXT_PER_ORIGIN)
		key = only_key(w, context);
	if (key.context != CONTEXTS_MAX)
		value_at(w, p.cell, p.at, key, value);
	else if (w->sure)
		value->state = CONTEXT_NONE;
	return true;
}

static struct key
key_for(const struct contexts *contexts, const struct message *m, unsigned context)
{
	bool whole = contexts->definitions.at[context].per == CONTEXT_PER_TRACE;
	return (struct key){.origin = whole ? 0 : m->origin, .context = context};
}

bool
context_value(struct contexts *contexts, struct context_cursor *cursor, const struct message *m,
	      unsigned context, struct context_value *value)
{
	if (cursor->own->contexts >> context & 1) {
		struct walker *w = walker_for(cursor, cursor->own);
		uint64_t cell = cell_of(cursor->trace, message_place(m));
		size_t at = find_message(w->reader, cell, m, &cursor->hint);
		value_at(w, cell, at, key_for(contexts, m, context), value);
		return true;
	}
	for (size_t i = 0; i < contexts->count; i++)
		if (contexts->grounds[i].contexts >> context & 1 &&
		    foreign_value(cursor, m, &contexts->grounds[i], context, value))
			return true;
	return false;
}

/* The value's field, read again from the message that began it. */
static const struct field *
read_again(struct walker *w, unsigned context, const struct context_value *value)
{
	struct position p;
	const struct message *found =
	    reader_find_place(w->reader, value->since, &p) ? reader_message(w->reader, p) : NULL;
	if (!found)
		return NULL;
	const struct message m = *found;
	reader_expand(w->reader, &m, EXPAND_FIELDS, &w->expansion);
	for (size_t i = 0; i < w->ground->rules.count; i++) {
		const struct context_rule *rule = &w->ground->rules.at[i];
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
context_text(struct contexts *contexts, struct context_cursor *cursor, unsigned context,
	     const struct context_value *value, struct text *out)
{
	if (value->state != CONTEXT_KNOWN)
		return;
	const struct decoder_ops *ops = trace_decoder(value->trace)->ops;
	struct field own = {.u = value->number};
	const struct field *field = &own;
	if (value->is_number)
		own.row = &ops->fields[value->row];
	else
		field = read_again(walker_for(cursor, ground_of(contexts, value->trace)), context,
				   value);
	if (field)
		field_format(field, out);
}

/* --- where it ends, and the next change -------------------------------- */

static bool
begins(const struct held *held, const struct held *before)
{
	return held->state != CONTEXT_NONE && !same_run(held, before);
}

/* The first change of a course behind message AT that begins something; all of
 * the cell if WHOLE. */
static const struct held *
next_begin(const struct course *course, bool whole, size_t at)
{
	const struct held *before = whole ? &course->start : held_at(course, at);
	for (size_t i = 0; i < course->changes.count; i++) {
		const struct change *one = &course->changes.at[i];
		if ((whole || one->at > at) && begins(&one->held, before))
			return &one->held;
	}
	return NULL;
}

static bool
is_before(const struct held *a, const struct held *b)
{
	return a->offset < b->offset || (a->offset == b->offset && a->ordinal < b->ordinal);
}

/* The first of all courses, or of that of KEY, in what was walked. */
static const struct held *
next_walked(const struct walker *w, const struct key *key, bool whole, size_t at)
{
	const struct held *best = NULL;
	for (size_t i = 0; i < w->courses.count; i++) {
		const struct course *course = &w->courses.at[i];
		if (key && compare(course->key, *key))
			continue;
		const struct held *held = next_begin(course, whole, at);
		if (held && (!best || is_before(held, best)))
			best = held;
	}
	return best;
}

/* The same in all of the cell. */
static const struct held *
next_in_cell(struct walker *w, const struct key *key, bool whole, size_t at)
{
	const struct held *held;
	bool more = true;
	while (!(held = next_walked(w, key, whole, at)) && more)
		more = walk(w, w->done + STEP_MESSAGES);
	return held;
}

/* The next cells in which something begins, by the entries: the first of those
 * that are taken together.  False if there are none. */
static bool
next_group(struct contexts *contexts, const struct ground *ground, const struct key *key,
	   uint64_t cell, uint64_t *found)
{
	uint64_t size = index_cell_size(trace_index(ground->trace));
	*found = UINT64_MAX;
	pthread_mutex_lock(&contexts->lock);
	for (size_t i = 0; i < ground->lanes.count; i++) {
		const struct lane *lane = &ground->lanes.at[i];
		if (key && compare(lane->key, *key))
			continue;
		for (size_t k = entry_position(lane, cell + 1); k < lane->entries.count; k++) {
			const struct entry *entry = &lane->entries.at[k];
			uint64_t group = group_of(ground, entry->cell);
			if (group >= *found)
				break;
			if (entry->held.offset / size >= group) {
				*found = group;
				break;
			}
		}
	}
	pthread_mutex_unlock(&contexts->lock);
	return *found != UINT64_MAX;
}

/* The first thing that begins behind message AT of CELL, of one lane or of
 * any (KEY NULL).  NULL: *state says whether there is none. */
static const struct held *
next_change(struct context_cursor *cursor, struct walker *w, struct walker **ahead,
	    const struct key *key, uint64_t cell, size_t at, enum context_state *state)
{
	struct contexts *contexts = cursor->contexts;
	struct ground *ground = w->ground;
	uint64_t known = known_cells(contexts, ground), group, first = cell + 1;
	uint64_t count = index_cell_count(trace_index(ground->trace));
	const struct held *held = next_in_cell(w, key, false, at);
	*state = CONTEXT_KNOWN;
	if (held)
		return held;
	if (!*ahead)
		*ahead = walker_new(contexts, ground);
	if (known > first) {
		if (next_group(contexts, ground, key, cell, &group))
			first = group > cell ? group : cell + 1;
		else
			first = known;
	}
	uint64_t end = first + AHEAD_CELLS < count ? first + AHEAD_CELLS : count;
	(*ahead)->spent = 0;
	for (uint64_t c = first; c < end && (*ahead)->spent < BACK_MESSAGES && seek(*ahead, c);
	     c++) {
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
	if (value->trace != cursor->trace)
		return;
	struct walker *w = walker_for(cursor, cursor->own);
	uint64_t cell = cell_of(cursor->trace, message_place(m));
	size_t at = find_message(w->reader, cell, m, &cursor->hint);
	struct key key = key_for(contexts, m, context);
	if (!seek(w, cell))
		return;
	const struct held *held =
	    next_change(cursor, w, &cursor->ahead, &key, cell, at, &end->state);
	if (!held)
		return;
	end->place = (struct place){.offset = held->offset, .ordinal = held->ordinal};
	end->timed = held->flags & HELD_TIMED;
	end->ticks = held->ticks;
}

/* The last thing that began before message AT of the walker's cell. */
static const struct held *
last_change(struct walker *w, size_t at)
{
	const struct held *best = NULL;
	walk(w, at);
	for (size_t i = 0; i < w->courses.count; i++) {
		const struct course *course = &w->courses.at[i];
		const struct held *held = at ? held_at(course, at - 1) : &course->start;
		if (held->state != CONTEXT_NONE && (!best || is_before(best, held)))
			best = held;
	}
	return best;
}

enum context_state
context_step(struct contexts *contexts, struct context_cursor *cursor, const struct message *m,
	     bool forward, struct place *place)
{
	struct walker *w = walker_for(cursor, cursor->own);
	uint64_t cell = cell_of(cursor->trace, message_place(m));
	size_t at = find_message(w->reader, cell, m, &cursor->hint);
	enum context_state state = CONTEXT_LATER;
	const struct held *held;
	(void)contexts;
	if (!cursor->own->rules.count)
		return CONTEXT_NONE;
	if (!seek(w, cell))
		return CONTEXT_LATER;
	if (forward) {
		held = next_change(cursor, w, &cursor->ahead, NULL, cell, at, &state);
	} else {
		while (!(held = last_change(w, at)) && !w->sure && w->back < BACK_CELLS)
			walk_blindly(w, cell, w->back ? w->back * 4 : 1);
		state = held ? CONTEXT_KNOWN : w->sure ? CONTEXT_NONE : CONTEXT_LATER;
	}
	if (held)
		*place = (struct place){.offset = held->offset, .ordinal = held->ordinal};
	return state;
}
