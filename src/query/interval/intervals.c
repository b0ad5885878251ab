/*
 * The intervals of a session: see intervals.h.
 *
 * The worker joins the begins and ends of all definitions with `or` into one filter. It
 * expands each message that passes and checks it against each definition. If most messages
 * pass, it skips the joined filter. It adds the results to the pairs in batches, under a
 * lock that readers of lengths share. A binary search by offset finds the events of a
 * message. A hash distinguishes messages at one offset, because counting the ordinal would
 * decode the whole cell.
 *
 * `settled` is the epoch of lengths that other code stores. It changes only when a scan
 * reaches the end of the index, not during the scan.
 */
#include "config.h"

#include "query/interval/intervals.h"
#include "query/interval/interval_tree.h"
#include "base/generation.h"
#include "base/lower_bound.h"
#include "base/rank.h"
#include "base/job.h"
#include "query/filter/filter.h"
#include "query/gap/gap.h"
#include "query/value.h"
#include "session/context/context.h"
#include "session/context/context_naming.h"
#include "session/session.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	TELL_MS = 200, /* between two signals */
	BATCH = 1024,  /* messages between two checks for a stop */
	KEYS_MAX = 8,
	LOSS = MESSAGE_LOST | MESSAGE_DAMAGED | MESSAGE_TRUNCATED
};

struct interval_definition {
	char *name;
	char *text; /* both filters, joined */
	struct filter begin, end;
	struct value_name *keys[KEYS_MAX];
	size_t key_count;
	bool across;
	enum expand_want want; /* for the keys */
};

/* Stored results of one definition. */
struct interval_result {
	struct interval_summary summary;
	VEC(struct interval_pair) longest;
};

/* A found event. If LOST, only the trace of `item` is set. */
struct found {
	bool lost;
	struct interval_item item;
};

struct lookup {
	bool unsorted; /* event IDs do not rise: use `order` */
	VEC(uint32_t) order;
	VEC(struct message_id) notable; /* begins for intervals_step, by rising ID */
};

/* The intervals of one definition with comparable times. */
struct interval_forest {
	size_t interval, part;
	VEC(struct interval_node) nodes;
};

struct intervals {
	struct session *session;
	struct session_intervals hook;
	struct interval_definition definitions[INTERVALS_MAX];
	atomic_size_t count; /* of definitions; names never move */
	struct job job;
	bool started;

	/* for the worker only */
	struct filter any;     /* the joined filter; its matches are expanded */
	enum expand_want want; /* how far to expand */
	unsigned passed;       /* matches in the current batch */
	bool dense;	       /* most of the last batch passed: expand all messages */
	struct sequence *sequence;
	struct context_cursor **contexts; /* by trace; made when needed */
	struct expansion scratch;
	struct sequence_position at; /* the last message read */
	bool begun;
	bool loaded;	/* loaded for batch output: clocks, contexts and indexes are complete */
	uint64_t basis; /* last result of basis_of(), an epoch */
	uint64_t fed;	/* number of items fed */
	uint64_t settled_at, summarised_at;
	VEC(struct found) found;

	pthread_rwlock_t lock; /* for the members below */
	struct pairing *pairing;
	struct lookup *lookups; /* by trace */
	VEC(struct interval_result) results;
	VEC(struct interval_forest) forests;
	bool done;
	uint64_t searched; /* see struct session_intervals */
	unsigned starts;   /* likewise */
	struct generation settled;
};

/* --- definitions ----------------------------------------------------------- */

static void
definition_release(struct interval_definition *d)
{
	filter_free(&d->begin);
	filter_free(&d->end);
	for (size_t i = 0; i < d->key_count; i++)
		value_name_free(d->keys[i]);
	free(d->name);
	free(d->text);
}

/* Parse a filter of a definition. It must not depend on other messages. */
static int
define_filter(const char *name, const char *part, const char *text, struct filter *out,
	      struct err *err)
{
	struct filter_error error;
	*out = filter_all();
	out->expr = filter_parse(text, NULL, &error);
	if (!out->expr)
		return err_set(err, ERR_USAGE, "interval %s: %s: %s (column %zu)", name, part,
			       error.what, error.at + 1);
	if (!filter_looks_around(out))
		return 0;
	return err_set(
	    err, ERR_USAGE,
	    "interval %s: %s cannot use interval, gap, delta, steps_back or number, which "
	    "depend on other messages",
	    name, part);
}

static int
define_keys(struct interval_definition *d, const char *keys, struct err *err)
{
	char *list = mem_text(keys), *rest = list;
	int failed = 0;
	for (char *key; !failed && (key = strsep(&rest, ","));) {
		key += strspn(key, " ");
		key[strcspn(key, " ")] = '\0';
		struct value_name *value =
		    d->key_count < KEYS_MAX ? value_name_new(key, NULL, err) : NULL;
		if (d->key_count == KEYS_MAX) {
			failed = err_set(err, ERR_USAGE, "interval %s: key: at most %d names",
					 d->name, KEYS_MAX);
			break;
		}
		if (!value) {
			struct err why = *err;
			failed = err_set(err, ERR_USAGE, "interval %s: key: %s", d->name, why.what);
			break;
		}
		d->keys[d->key_count++] = value;
		enum expand_want want;
		if (value_expands(value, &want) && want > d->want)
			d->want = want;
		if (value_needs(value) & (VALUE_NEEDS_GAPS | VALUE_NEEDS_INTERVALS |
					  VALUE_NEEDS_FLOW | VALUE_NEEDS_RUNS))
			failed = err_set(err, ERR_USAGE, "interval %s: %s cannot be its key",
					 d->name, key);
	}
	free(list);
	return failed;
}

static bool
is_name(const char *name)
{
	size_t length =
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return length && !name[length];
}

static int
definition_make(struct interval_definition *d, const struct interval_options *options,
		struct err *err)
{
	struct text both = {0};
	if (!is_name(options->name))
		return err_set(err, ERR_USAGE, "interval %s: a name has only letters, digits and _",
			       options->name);
	d->name = mem_text(options->name);
	d->across = options->across;
	text_addf(&both, "(%s) or (%s)", options->begin, options->end);
	d->text = mem_text(text_get(&both));
	text_free(&both);
	if (define_filter(d->name, "begin", options->begin, &d->begin, err) < 0 ||
	    define_filter(d->name, "end", options->end, &d->end, err) < 0)
		return err->code;
	return options->key ? define_keys(d, options->key, err) : 0;
}

/* Join the filters of all definitions. If the result is no valid filter (it may be too
 * long), let all messages pass. */
static void
join_filters(struct intervals *s)
{
	struct text text = {0};
	struct filter_error error;
	for (size_t i = 0; i < s->count; i++)
		text_addf(&text, "%s%s", i ? " or " : "", s->definitions[i].text);
	filter_free(&s->any);
	s->any = filter_all();
	s->want = EXPAND_TEXT;
	for (size_t i = 0; i < s->count; i++)
		if (s->definitions[i].want > s->want)
			s->want = s->definitions[i].want;
	if (text.length)
		s->any.expr = filter_parse(text.data, NULL, &error);
	text_free(&text);
}

/* --- reading messages --------------------------------------------------- */

/* Add a word to both hashes. */
static void
hash_add(uint64_t hash[2], uint64_t word)
{
	static const uint64_t factors[2] = {0x9fb21c651e98df25, 0xd6e8feb86659fd93};
	for (int i = 0; i < 2; i++) {
		hash[i] = (hash[i] ^ word) * factors[i];
		hash[i] ^= hash[i] >> 29 ^ hash[i] >> 47;
	}
}

static void
hash_bytes(uint64_t hash[2], const char *at, size_t length)
{
	uint64_t word;
	for (; length >= sizeof word; at += sizeof word, length -= sizeof word) {
		memcpy(&word, at, sizeof word);
		hash_add(hash, word);
	}
	word = 0;
	memcpy(&word, at, length);
	hash_add(hash, word);
}

/* Return a hash that differs for messages at one offset. Equal if message_is_same. */
static uint32_t
hash_message(const struct message *m)
{
	uint64_t hash[2] = {m->kind, 0};
	hash_add(hash, m->length);
	hash_add(hash, m->aux);
	hash_add(hash, m->ticks);
	hash_add(hash, m->origin);
	return (uint32_t)(hash[0] >> 16);
}

/* Hash a value. Equal numbers have equal hashes, signed or unsigned. */
static void
hash_value(uint64_t hash[2], const struct value *value)
{
	uint64_t bits;
	switch (value->type) {
	case VALUE_ABSENT:
		hash_add(hash, 1);
		break;
	case VALUE_SIGNED:
		hash_add(hash, value->i < 0 ? 2 : 3);
		hash_add(hash, (uint64_t)value->i);
		break;
	case VALUE_UNSIGNED:
		hash_add(hash, 3);
		hash_add(hash, value->u);
		break;
	case VALUE_REAL:
		memcpy(&bits, &value->d, sizeof bits);
		hash_add(hash, 4);
		hash_add(hash, bits);
		break;
	case VALUE_TEXT:
		hash_add(hash, 5 + (uint64_t)value->text.length * 8);
		hash_bytes(hash, value->text.at, value->text.length);
		break;
	}
}

static struct context_cursor *
cursor_of(struct intervals *s, size_t lane)
{
	struct contexts *contexts = s->session->contexts;
	if (!s->contexts[lane] && contexts)
		s->contexts[lane] = context_cursor_new(contexts, s->session->traces.at[lane]);
	return s->contexts[lane];
}

static void
hash_key(struct intervals *s, size_t lane, const struct interval_definition *d,
	 const struct message *m, uint64_t hash[2])
{
	struct value value;
	struct value_look look = {
	    .reader = sequence_reader(s->sequence, lane), .message = m, .expansion = &s->scratch};
	hash[0] = hash[1] = (uint64_t)(d - s->definitions) + 1;
	if (!d->across) {
		hash_add(hash, lane);
		hash_add(hash, m->origin);
	}
	for (size_t i = 0; i < d->key_count; i++) {
		if (value_needs(d->keys[i]) & VALUE_NEEDS_CONTEXTS)
			look.contexts = cursor_of(s, lane);
		value_get(d->keys[i], &look, &value);
		hash_value(hash, &value);
	}
}

static void
look_for(struct intervals *s, size_t number, const struct message *m)
{
	struct interval_definition *d = &s->definitions[number];
	size_t lane = s->at.trace;
	struct trace *trace = s->session->traces.at[lane];
	struct reader *reader = sequence_reader(s->sequence, lane);
	bool end = filter_match_expanded(&d->end, reader, m, &s->scratch, s->want);
	bool begin = filter_match_expanded(&d->begin, reader, m, &s->scratch, s->want);
	if (!begin && !end)
		return;
	struct message_time time;
	bool timed;
	gap_times(trace, m, 1, &time, &timed);
	struct found found = {.item = {.interval = (uint8_t)number,
				       .end = true,
				       .trace = lane,
				       .id = reader_message_id(reader, s->at.at),
				       .hash = hash_message(m),
				       .timed = timed,
				       .apart = timed && time.part != clocks_part(trace)}};
	found.item.ticks = !time.known;
	found.item.part = time.part;
	found.item.time = time.order;
	hash_key(s, lane, d, m, found.item.key);
	if (end)
		*vec_add(&s->found) = found;
	found.item.end = false;
	if (begin)
		*vec_add(&s->found) = found;
}

/* Step to the next message in an indexed cell. */
static bool
step_on(struct intervals *s)
{
	struct sequence_position next = s->at;
	if (!(s->begun ? sequence_next(s->sequence, &next) : sequence_first(s->sequence, &next)) ||
	    !reader_decoded_cell(sequence_reader(s->sequence, next.trace), next.at.cell)->exact)
		return false;
	s->at = next;
	s->begun = true;
	return true;
}

static void
look_at(struct intervals *s)
{
	const struct message *own = sequence_message(s->sequence, s->at);
	if (!own)
		return;
	const struct message m = *own; /* copy: the reader may drop the cell */
	if (m.flags & LOSS)
		*vec_add(&s->found) = (struct found){.lost = true, .item.trace = s->at.trace};
	struct reader *reader = sequence_reader(s->sequence, s->at.trace);
	if (!s->dense && s->any.expr && !filter_match(&s->any, reader, &m, &s->scratch))
		return;
	reader_expand(reader, &m, s->want, &s->scratch);
	size_t before = s->found.count;
	for (size_t i = 0; i < s->count; i++)
		look_for(s, i, &m);
	s->passed += s->found.count > before;
}

/* Read a batch of messages. Return false after the last one. */
static bool
look_at_batch(struct intervals *s)
{
	unsigned i = 0;
	s->passed = 0;
	for (; i < BATCH && step_on(s); i++)
		look_at(s);
	s->dense = 2 * s->passed > i;
	return i == BATCH;
}

/* --- results ------------------------------------------------------------ */

static void
note_order(struct intervals *s, size_t trace)
{
	const interval_events *events = pairing_events(s->pairing, trace);
	size_t last = events->count - 1;
	if (last && events->at[last].offset < events->at[last - 1].offset)
		s->lookups[trace].unsorted = true;
}

static void
feed_found(struct intervals *s)
{
	if (!s->found.count)
		return;
	pthread_rwlock_wrlock(&s->lock);
	for (size_t i = 0; i < s->found.count; i++) {
		const struct found *found = &s->found.at[i];
		size_t trace = found->item.trace;
		if (found->lost) {
			pairing_lose(s->pairing, trace);
			continue;
		}
		pairing_feed(s->pairing, &found->item);
		if (trace < PAIRING_TRACES_MAX && pairing_events(s->pairing, trace)->count)
			note_order(s, trace);
		s->fed++;
	}
	pthread_rwlock_unlock(&s->lock);
	vec_clear(&s->found);
}

struct by_length {
	int64_t length;
	uint32_t trace, event;
};

/* Order by length, longest first, then by trace and event. */
static int
compare_lengths(const void *a, const void *b)
{
	const struct by_length *x = a, *y = b;
	if (x->length != y->length)
		return x->length < y->length ? 1 : -1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static struct interval_message
event_message(size_t trace, const struct interval_event *event)
{
	return (struct interval_message){trace, {event->offset, event->ordinal}};
}

static struct interval_pair
pair_at(const struct intervals *s, size_t trace, const struct interval_event *end)
{
	const interval_events *others = pairing_events(s->pairing, end->other_trace);
	return (struct interval_pair){
	    .begin = event_message(end->other_trace, &others->at[end->other]),
	    .end = event_message(trace, end),
	    .length = end->flags & INTERVAL_TIMED ? pairing_length(s->pairing, end) : 0,
	    .doubtful = end->flags & INTERVAL_DOUBTFUL};
}

/* Return the sorted pairs of an interval that have a length. With two units, use the unit
 * of the first pair. */
static struct by_length *
list_lengths(const struct intervals *s, size_t interval, size_t *count, bool *ticks)
{
	size_t most = (size_t)pairing_counts(s->pairing, interval)->pairs;
	struct by_length *list = mem_new((most + 1) * sizeof *list);
	const uint8_t want = INTERVAL_END | INTERVAL_PAIRED | INTERVAL_TIMED;
	*count = 0;
	*ticks = false;
	for (size_t t = 0; t < s->session->traces.count && t < PAIRING_TRACES_MAX; t++) {
		const interval_events *events = pairing_events(s->pairing, t);
		for (size_t i = 0; i < events->count; i++) {
			const struct interval_event *event = &events->at[i];
			bool own = event->flags & INTERVAL_TICKS;
			if (event->interval != interval || (event->flags & want) != want)
				continue;
			if (!*count)
				*ticks = own;
			if (own == *ticks)
				list[(*count)++] = (struct by_length){
				    pairing_length(s->pairing, event), (uint32_t)t, (uint32_t)i};
		}
	}
	qsort(list, *count, sizeof *list, compare_lengths);
	return list;
}

/* Return a percentile of LIST, which has the longest first. */
static int64_t
find_percentile(const struct by_length *list, size_t count, unsigned percent)
{
	return list[count - rank_nearest(count, percent)].length;
}

/* Return the least number of the form 1, 2 or 5 times a power of ten that is not below
 * VALUE. */
static int64_t
round_up(uint64_t value)
{
	static const unsigned steps[] = {1, 2, 5};
	for (uint64_t power = 1; power < UINT64_C(1000000000000000000); power *= 10)
		for (size_t i = 0; i < 3; i++)
			if (steps[i] * power >= value)
				return (int64_t)(steps[i] * power);
	return INT64_MAX;
}

static void
fill_histogram(struct interval_summary *summary, const struct by_length *list, size_t count)
{
	uint64_t range = (uint64_t)summary->max - (uint64_t)summary->min;
	summary->bin_width = round_up(range / (INTERVAL_BINS - 1) + 1);
	int64_t rest = summary->min % summary->bin_width;
	summary->bin_start = summary->min - rest - (rest < 0 ? summary->bin_width : 0);
	for (size_t i = 0; i < count; i++) {
		uint64_t from = (uint64_t)list[i].length - (uint64_t)summary->bin_start;
		size_t bin = (size_t)(from / (uint64_t)summary->bin_width);
		bin = bin < INTERVAL_BINS ? bin : INTERVAL_BINS - 1;
		summary->bins[bin]++;
		if (bin >= summary->bin_count)
			summary->bin_count = bin + 1;
	}
}

static void
summarise_pairs(struct intervals *s, size_t interval)
{
	struct interval_summary summary = {0};
	size_t count;
	struct by_length *list = list_lengths(s, interval, &count, &summary.ticks);
	summary.timed = count;
	if (count) {
		summary.max = list[0].length;
		summary.min = list[count - 1].length;
		summary.p50 = find_percentile(list, count, 50);
		summary.p90 = find_percentile(list, count, 90);
		summary.p99 = find_percentile(list, count, 99);
		for (size_t i = 0; i < count; i++)
			summary.sum += (long double)list[i].length;
		fill_histogram(&summary, list, count);
	}
	pthread_rwlock_wrlock(&s->lock);
	struct interval_result *result = &s->results.at[interval];
	result->summary = summary;
	vec_clear(&result->longest);
	for (size_t i = 0; i < count && i < INTERVALS_KEPT; i++)
		*vec_add(&result->longest) =
		    pair_at(s, list[i].trace,
			    &pairing_events(s->pairing, list[i].trace)->at[list[i].event]);
	pthread_rwlock_unlock(&s->lock);
	free(list);
}

struct by_offset {
	uint64_t offset;
	uint32_t ordinal, event;
};

static int
compare_offsets(const void *a, const void *b)
{
	const struct by_offset *x = a, *y = b;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->ordinal != y->ordinal)
		return x->ordinal < y->ordinal ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Sort the events of a trace by ID, if they came in another order. */
static void
sort_lookup(struct intervals *s, size_t trace)
{
	struct lookup *lookup = &s->lookups[trace];
	const interval_events *events = pairing_events(s->pairing, trace);
	struct by_offset *list = mem_new((events->count + 1) * sizeof *list);
	for (size_t i = 0; i < events->count; i++)
		list[i] =
		    (struct by_offset){events->at[i].offset, events->at[i].ordinal, (uint32_t)i};
	qsort(list, events->count, sizeof *list, compare_offsets);
	pthread_rwlock_wrlock(&s->lock);
	vec_clear(&lookup->order);
	for (size_t i = 0; i < events->count; i++)
		*vec_add(&lookup->order) = list[i].event;
	pthread_rwlock_unlock(&s->lock);
	free(list);
}

/* --- trees and notable begins ------------------------------------------- */

/* Map a time to a signed number of the same order. Ticks are unsigned. */
static int64_t
point_of(int64_t order, bool ticks)
{
	return ticks ? (int64_t)((uint64_t)order ^ (uint64_t)1 << 63) : order;
}

static void
add_nodes(const struct intervals *s, size_t trace, struct interval_forest *forest)
{
	const interval_events *events = pairing_events(s->pairing, trace);
	for (size_t i = 0; i < events->count; i++) {
		const struct interval_event *event = &events->at[i];
		bool ticks = event->flags & INTERVAL_TICKS;
		if (event->interval != forest->interval ||
		    event->flags & (INTERVAL_END | INTERVAL_APART) ||
		    !(event->flags & INTERVAL_TIMED))
			continue;
		int64_t begin = point_of(event->time, ticks), end = INT64_MAX;
		if (event->flags & INTERVAL_PAIRED)
			end = point_of(
			    pairing_events(s->pairing, event->other_trace)->at[event->other].time,
			    ticks);
		if (begin <= end)
			*vec_add(&forest->nodes) = (struct interval_node){.begin = begin,
									  .end = end,
									  .event = (uint32_t)i,
									  .trace = (uint16_t)trace};
	}
}

static void
free_forests(struct intervals *s)
{
	for (size_t i = 0; i < s->forests.count; i++)
		vec_free(&s->forests.at[i].nodes);
	vec_clear(&s->forests);
}

/* Build a tree for each definition and part of the session's clocks. */
static void
plant_forests(struct intervals *s)
{
	VEC(struct interval_forest) forests = {0};
	size_t traces = s->session->traces.count;
	for (size_t i = 0; i < s->count; i++) {
		size_t first = forests.count;
		for (size_t t = 0; t < traces && t < PAIRING_TRACES_MAX; t++) {
			size_t at = first, part = clocks_part(s->session->traces.at[t]);
			while (at < forests.count && forests.at[at].part != part)
				at++;
			if (at == forests.count)
				*vec_add(&forests) =
				    (struct interval_forest){.interval = i, .part = part};
			add_nodes(s, t, &forests.at[at]);
		}
	}
	for (size_t i = 0; i < forests.count; i++)
		interval_tree_make(forests.at[i].nodes.at, forests.at[i].nodes.count);
	pthread_rwlock_wrlock(&s->lock);
	free_forests(s);
	for (size_t i = 0; i < forests.count; i++)
		*vec_add(&s->forests) = forests.at[i];
	pthread_rwlock_unlock(&s->lock);
	vec_free(&forests);
}

static int
compare_ids(const void *a, const void *b)
{
	return message_id_compare(*(const struct message_id *)a, *(const struct message_id *)b);
}

/* List the begins of a trace with an open or slow interval. */
static void
note_begins(struct intervals *s, size_t trace)
{
	const interval_events *events = pairing_events(s->pairing, trace);
	VEC(struct message_id) notable = {0};
	for (size_t i = 0; i < events->count; i++) {
		const struct interval_event *event = &events->at[i];
		const struct interval_summary *summary = &s->results.at[event->interval].summary;
		bool open = !(event->flags & INTERVAL_PAIRED);
		bool slow = event->flags & INTERVAL_TIMED && summary->timed &&
			    !(event->flags & INTERVAL_TICKS) == !summary->ticks && !open &&
			    pairing_length(s->pairing, event) >= summary->p99;
		if (!(event->flags & INTERVAL_END) && (open || slow))
			*vec_add(&notable) = (struct message_id){event->offset, event->ordinal};
	}
	if (notable.count)
		qsort(notable.at, notable.count, sizeof *notable.at, compare_ids);
	pthread_rwlock_wrlock(&s->lock);
	struct lookup *lookup = &s->lookups[trace];
	vec_clear(&lookup->notable);
	for (size_t i = 0; i < notable.count; i++)
		*vec_add(&lookup->notable) = notable.at[i];
	pthread_rwlock_unlock(&s->lock);
	vec_free(&notable);
}

/* Publish the results of all pairs. DONE: the messages of INDEXED cells were read. */
static void
publish_pairs(struct intervals *s, bool done, uint64_t indexed)
{
	bool more = s->fed != s->summarised_at;
	s->summarised_at = s->fed;
	for (size_t i = 0; more && !s->loaded && i < s->count; i++)
		summarise_pairs(s, i);
	size_t traces = s->session->traces.count;
	traces = traces < PAIRING_TRACES_MAX ? traces : PAIRING_TRACES_MAX;
	for (size_t i = 0; done && more && i < traces; i++)
		if (s->lookups[i].unsorted)
			sort_lookup(s, i);
	if (more && !s->loaded) { /* only a screen needs these */
		plant_forests(s);
		for (size_t i = 0; i < traces; i++)
			note_begins(s, i);
	}
	pthread_rwlock_wrlock(&s->lock);
	bool news = more || s->done != done || (done && s->searched != indexed);
	s->done = done;
	s->searched = done ? indexed : s->searched;
	pthread_rwlock_unlock(&s->lock);
	if (done && s->settled_at != s->fed)
		generation_bump(&s->settled);
	if (done)
		s->settled_at = s->fed;
	if (news) /* otherwise each pass would wake the screen, which wakes this worker */
		job_tell(&s->job);
}

/* --- the scan ----------------------------------------------------------- */

/* Drop all results. */
static void
start_anew(struct intervals *s)
{
	size_t traces = s->session->traces.count;
	pthread_rwlock_wrlock(&s->lock);
	pairing_free(s->pairing);
	s->pairing = pairing_new(traces);
	for (size_t i = 0; s->lookups && i < traces; i++) {
		vec_clear(&s->lookups[i].order);
		vec_clear(&s->lookups[i].notable);
		s->lookups[i].unsorted = false;
	}
	if (!s->lookups)
		s->lookups = mem_new((traces + 1) * sizeof *s->lookups);
	for (size_t i = 0; i < s->results.count; i++)
		vec_free(&s->results.at[i].longest);
	vec_clear(&s->results);
	for (size_t i = 0; i < s->count; i++)
		(void)vec_add(&s->results);
	free_forests(s);
	s->done = false;
	s->searched = 0;
	s->starts++;
	pthread_rwlock_unlock(&s->lock);
	vec_clear(&s->found);
	s->begun = false;
	s->fed = s->summarised_at = 0;
	if (s->settled_at)
		generation_bump(&s->settled);
	s->settled_at = 0;
}

static bool
needs_contexts(const struct intervals *s)
{
	bool needs = s->any.expr && filter_needs_contexts(&s->any);
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->definitions[i].key_count; k++)
			needs |=
			    (value_needs(s->definitions[i].keys[k]) & VALUE_NEEDS_CONTEXTS) != 0;
	return needs;
}

/* Return the epoch of all that messages, their order and their times depend on. */
static uint64_t
basis_of(const struct intervals *s)
{
	uint64_t now =
	    generation_join(sequence_generation(s->sequence), clocks_generation(s->session->clocks),
			    needs_contexts(s) ? contexts_generation(s->session->contexts) : 0);
	for (size_t i = 0; i < s->session->traces.count; i++)
		now = generation_join(now, trace_and_index_generation(s->session->traces.at[i]),
				      context_naming_generation(s->session->traces.at[i]));
	return now;
}

static void
walk_on(struct intervals *s)
{
	bool more = true;
	uint64_t next = 4 * s->fed + BATCH, indexed = 0;
	for (size_t i = 0; i < s->session->traces.count; i++)
		indexed += index_known(trace_index(s->session->traces.at[i]));
	while (more && !job_is_stopping(&s->job)) {
		more = look_at_batch(s);
		feed_found(s);
		if (more && !s->loaded && s->fed >= next) { /* publish early results, at every
							       fourfold number of items */
			publish_pairs(s, false, indexed);
			next = 4 * s->fed;
		}
		if (more && !job_told_within(&s->job, TELL_MS))
			job_tell(&s->job);
	}
	publish_pairs(s, !more, indexed);
}

static void
intervals_job(void *context)
{
	struct intervals *s = context;
	if (!s->sequence) {
		s->sequence = sequence_new_walk(s->session, NULL);
		s->contexts = mem_new((s->session->traces.count + 1) * sizeof *s->contexts);
	}
	sequence_load(s->sequence);
	if (generation_renew(&s->basis, basis_of(s)))
		start_anew(s);
	/* the order of several traces is only known when all are indexed */
	bool ordered = s->loaded || s->session->traces.count < 2 || sequence_is_exact(s->sequence);
	if (s->count && ordered)
		walk_on(s);
}

/* --- the hook -------------------------------------------------------------------- */

/* Return event number AT of a trace, ordered by ID. */
static const struct interval_event *
event_in_order(const struct intervals *s, size_t trace, size_t at)
{
	const struct lookup *lookup = &s->lookups[trace];
	return &pairing_events(s->pairing, trace)->at[lookup->unsorted ? lookup->order.at[at] : at];
}

/* The events that a search accepts. */
enum event_choice { EVENT_PAIRED, EVENT_END, EVENT_OPEN };

static bool
is_chosen(const struct interval_event *event, enum event_choice choice)
{
	bool paired = event->flags & INTERVAL_PAIRED;
	if (choice == EVENT_OPEN)
		return !paired;
	return paired && (choice == EVENT_PAIRED || event->flags & INTERVAL_END);
}

/* Find the event of a message. INTERVAL may be SIZE_MAX for any. An end comes before a
 * begin. Called with the lock held. */
static const struct interval_event *
find_event(struct intervals *s, size_t interval, struct reader *reader, const struct message *m,
	   enum event_choice choice)
{
	size_t trace = trace_number(reader_trace(reader)), at;
	uint64_t offset = message_id_offset(m);
	const struct interval_event *found = NULL, *first = NULL;
	if (!s->pairing || trace >= s->session->traces.count || trace >= PAIRING_TRACES_MAX)
		return NULL;
	const struct lookup *lookup = &s->lookups[trace];
	size_t count =
	    lookup->unsorted ? lookup->order.count : pairing_events(s->pairing, trace)->count;
	lower_bound(at, count, event_in_order(s, trace, at)->offset < offset);
	if (at == count || event_in_order(s, trace, at)->offset != offset)
		return NULL;
	uint32_t hash = hash_message(m);
	for (; at < count && event_in_order(s, trace, at)->offset == offset; at++) {
		const struct interval_event *event = event_in_order(s, trace, at);
		bool end = event->flags & INTERVAL_END;
		if (event->hash != hash || (first && event->ordinal != first->ordinal))
			continue;
		first = first ? first : event;
		if (!is_chosen(event, choice) ||
		    (interval != SIZE_MAX && event->interval != interval))
			continue;
		if (!found || event->interval < found->interval ||
		    (event->interval == found->interval && end))
			found = event;
	}
	return found;
}

static bool
hook_find(void *context, size_t interval, struct reader *reader, const struct message *m, bool ends,
	  struct interval_length *length)
{
	struct intervals *s = context;
	pthread_rwlock_rdlock(&s->lock);
	const struct interval_event *event =
	    find_event(s, interval, reader, m, ends ? EVENT_END : EVENT_PAIRED);
	bool found = event && event->flags & INTERVAL_TIMED;
	if (found)
		*length = (struct interval_length){.length = pairing_length(s->pairing, event),
						   .ticks = event->flags & INTERVAL_TICKS,
						   .doubtful = event->flags & INTERVAL_DOUBTFUL};
	pthread_rwlock_unlock(&s->lock);
	return found;
}

static size_t
hook_count(void *context)
{
	return intervals_count(context);
}

static const char *
hook_name(void *context, size_t interval)
{
	return intervals_name(context, interval);
}

static unsigned
hook_generation(void *context)
{
	const struct intervals *s = context;
	return generation_now(&s->settled);
}

static uint64_t
hook_searched(void *context, unsigned *starts)
{
	struct intervals *s = context;
	pthread_rwlock_rdlock(&s->lock);
	uint64_t searched = s->searched;
	if (starts)
		*starts = s->starts;
	pthread_rwlock_unlock(&s->lock);
	return searched;
}

static void
hook_unlink(void *context)
{
	struct intervals *s = context;
	job_stop(&s->job);
	for (size_t i = 0; s->contexts && i < sequence_trace_count(s->sequence); i++)
		context_cursor_free(s->contexts[i]);
	sequence_free(s->sequence);
	free(s->contexts);
	s->sequence = NULL;
	s->contexts = NULL;
	for (size_t i = 0; i < s->count; i++) { /* drop the data that the filters store about
						   traces */
		struct interval_definition *d = &s->definitions[i];
		struct filter begin = filter_clone(&d->begin), end = filter_clone(&d->end);
		filter_free(&d->begin);
		filter_free(&d->end);
		d->begin = begin;
		d->end = end;
	}
	join_filters(s);
	pthread_rwlock_wrlock(&s->lock);
	for (size_t i = 0; s->lookups && i < s->session->traces.count; i++) {
		vec_free(&s->lookups[i].order);
		vec_free(&s->lookups[i].notable);
	}
	free_forests(s);
	free(s->lookups);
	s->lookups = NULL;
	pairing_free(s->pairing);
	s->pairing = NULL;
	s->basis = 0;
	pthread_rwlock_unlock(&s->lock);
}

static void
hook_start(void *context)
{
	struct intervals *s = context;
	s->started = true;
	if (s->count)
		job_start(&s->job);
}

static void
hook_wake(void *context)
{
	struct intervals *s = context;
	job_wake(&s->job);
}

static void
hook_load(void *context)
{
	struct intervals *s = context;
	s->loaded = true;
	intervals_job(s);
}

/* --- start and end ------------------------------------------------------ */

struct intervals *
intervals_new(struct session *session, struct err *err)
{
	struct intervals *s = mem_new(sizeof *s);
	const struct interval_options *options = session->profile.intervals.at;
	s->session = session;
	s->any = filter_all();
	s->hook = (struct session_intervals){
	    s,	       hook_count,  hook_name,	hook_find, hook_generation, hook_searched,
	    hook_load, hook_unlink, hook_start, hook_wake};
	pthread_rwlock_init(&s->lock, NULL);
	job_init(&s->job, intervals_job, s);
	s->job.nice = 10;
	s->job.notify = trace_host_notify;
	s->job.owner = &session->host;
	session->intervals = &s->hook;
	for (size_t i = 0; i < session->profile.intervals.count; i++) {
		if (intervals_define(s, &options[i], err) == 0)
			continue;
		intervals_free(s);
		return NULL;
	}
	return s;
}

void
intervals_free(struct intervals *s)
{
	if (!s)
		return;
	hook_unlink(s);
	job_free(&s->job);
	s->session->intervals = NULL;
	for (size_t i = 0; i < s->count; i++)
		definition_release(&s->definitions[i]);
	for (size_t i = 0; i < s->results.count; i++)
		vec_free(&s->results.at[i].longest);
	vec_free(&s->results);
	vec_free(&s->forests);
	vec_free(&s->found);
	filter_free(&s->any);
	expansion_free(&s->scratch);
	pthread_rwlock_destroy(&s->lock);
	free(s);
}

struct intervals *
intervals_of(const struct session *session)
{
	return session->intervals ? session->intervals->context : NULL;
}

int
intervals_define(struct intervals *s, const struct interval_options *options, struct err *err)
{
	struct interval_definition d = {.begin = filter_all(), .end = filter_all()};
	size_t at;
	if (definition_make(&d, options, err) < 0) {
		definition_release(&d);
		return err->code;
	}
	bool known = session_intervals_find(&s->hook, d.name, &at);
	if (!known && s->count == INTERVALS_MAX) {
		definition_release(&d);
		return err_set(err, ERR_USAGE, "interval %s: there are at most %d intervals",
			       options->name, INTERVALS_MAX);
	}
	hook_unlink(s);
	if (known) {
		char *name = s->definitions[at].name;
		free(d.name);
		s->definitions[at].name = NULL;
		definition_release(&s->definitions[at]);
		d.name = name;
	}
	s->definitions[at] = d;
	s->count += !known;
	join_filters(s);
	if (s->started)
		hook_start(s);
	return 0;
}

size_t
intervals_count(const struct intervals *s)
{
	return s->count;
}

const char *
intervals_name(const struct intervals *s, size_t interval)
{
	return s->definitions[interval].name;
}

unsigned
intervals_generation(const struct intervals *s)
{
	return job_generation(&s->job);
}

/* --- queries ------------------------------------------------------------ */

/* Return the bytes used by trees and lists of begins. */
static size_t
count_places(const struct intervals *s)
{
	size_t size = 0;
	for (size_t i = 0; i < s->forests.count; i++)
		size += s->forests.at[i].nodes.capacity * sizeof(struct interval_node);
	for (size_t i = 0; i < s->session->traces.count; i++)
		size += s->lookups[i].notable.capacity * sizeof(struct message_id);
	return size;
}

void
intervals_summarise(struct intervals *s, size_t interval, struct interval_summary *summary)
{
	*summary = (struct interval_summary){0};
	pthread_rwlock_rdlock(&s->lock);
	if (s->pairing && interval < s->results.count) {
		*summary = s->results.at[interval].summary;
		summary->counts = *pairing_counts(s->pairing, interval);
		summary->done = s->done;
		summary->memory = pairing_memory(s->pairing) + count_places(s);
	}
	pthread_rwlock_unlock(&s->lock);
}

size_t
intervals_longest(struct intervals *s, size_t interval, struct interval_pair *out, size_t max)
{
	size_t count = 0;
	pthread_rwlock_rdlock(&s->lock);
	if (s->pairing && interval < s->results.count) {
		const struct interval_result *result = &s->results.at[interval];
		count = result->longest.count < max ? result->longest.count : max;
		for (size_t i = 0; i < count; i++)
			out[i] = result->longest.at[i];
	}
	pthread_rwlock_unlock(&s->lock);
	return count;
}

void
intervals_visit(struct intervals *s, size_t trace, interval_visitor *visit, void *context)
{
	pthread_rwlock_rdlock(&s->lock);
	const interval_events *events =
	    s->pairing && trace < PAIRING_TRACES_MAX ? pairing_events(s->pairing, trace) : NULL;
	for (size_t i = 0; events && i < events->count; i++) {
		const struct interval_event *e = &events->at[i];
		if (!(e->flags & INTERVAL_END) && e->flags & INTERVAL_PAIRED)
			visit(context, trace, e,
			      &pairing_events(s->pairing, e->other_trace)->at[e->other]);
	}
	pthread_rwlock_unlock(&s->lock);
}

bool
intervals_are_done(struct intervals *s)
{
	pthread_rwlock_rdlock(&s->lock);
	bool done = s->done;
	pthread_rwlock_unlock(&s->lock);
	return done;
}

bool
intervals_find_other(struct intervals *s, struct reader *reader, const struct message *m,
		     struct interval_message *other, size_t *interval)
{
	pthread_rwlock_rdlock(&s->lock);
	const struct interval_event *event = find_event(s, SIZE_MAX, reader, m, EVENT_PAIRED);
	if (event) {
		const interval_events *events = pairing_events(s->pairing, event->other_trace);
		*other = event_message(event->other_trace, &events->at[event->other]);
		*interval = event->interval;
	}
	pthread_rwlock_unlock(&s->lock);
	return event;
}

bool
intervals_is_open(struct intervals *s, size_t interval, struct reader *reader,
		  const struct message *m)
{
	pthread_rwlock_rdlock(&s->lock);
	bool is = find_event(s, interval, reader, m, EVENT_OPEN);
	pthread_rwlock_unlock(&s->lock);
	return is;
}

static int
compare_begins(const void *a, const void *b)
{
	const struct interval_node *x = *(const struct interval_node *const *)a;
	const struct interval_node *y = *(const struct interval_node *const *)b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? 1 : -1;
	return x->event < y->event ? 1 : x->event > y->event ? -1 : 0;
}

static struct interval_span
span_of_node(const struct intervals *s, const struct interval_node *node)
{
	const struct interval_event *begin =
	    &pairing_events(s->pairing, node->trace)->at[node->event];
	struct interval_span span = {.interval = begin->interval,
				     .begin = event_message(node->trace, begin),
				     .ended = begin->flags & INTERVAL_PAIRED,
				     .doubtful = begin->flags & INTERVAL_DOUBTFUL,
				     .since = begin->time};
	if (span.ended) {
		const struct interval_event *end =
		    &pairing_events(s->pairing, begin->other_trace)->at[begin->other];
		span.end = event_message(begin->other_trace, end);
		span.until = end->time;
	}
	return span;
}

size_t
intervals_enclosing(struct intervals *s, const struct message_time *time, struct interval_span *out,
		    size_t max, uint64_t *all)
{
	const struct interval_node **found = mem_new((max + 1) * sizeof *found);
	int64_t point = point_of(time->order, !time->known);
	size_t count = 0;
	*all = 0;
	pthread_rwlock_rdlock(&s->lock);
	for (size_t i = 0; i < s->forests.count && count < max; i++) {
		const struct interval_forest *forest = &s->forests.at[i];
		size_t later = s->forests.count - i - 1, room = max - count;
		if (forest->part != time->part)
			continue;
		room = room > later ? room - later : 1;
		size_t own = interval_tree_find(forest->nodes.at, forest->nodes.count, point, point,
						found, room);
		qsort(found, own, sizeof *found, compare_begins);
		for (size_t k = 0; k < own; k++)
			out[count++] = span_of_node(s, found[k]);
	}
	for (size_t i = 0; i < s->forests.count; i++) {
		const struct interval_forest *forest = &s->forests.at[i];
		if (forest->part == time->part)
			*all += interval_tree_find(forest->nodes.at, forest->nodes.count, point,
						   point, NULL, SIZE_MAX);
	}
	pthread_rwlock_unlock(&s->lock);
	free(found);
	return count;
}

size_t
intervals_touching(struct intervals *s, size_t interval, size_t part, bool ticks, int64_t from,
		   int64_t to, struct interval_span *out, size_t max)
{
	const struct interval_node *found[64];
	size_t count = 0;
	max = max < 64 ? max : 64;
	pthread_rwlock_rdlock(&s->lock);
	for (size_t i = 0; i < s->forests.count; i++) {
		const struct interval_forest *forest = &s->forests.at[i];
		if (forest->interval == interval && forest->part == part)
			count = interval_tree_find(forest->nodes.at, forest->nodes.count,
						   point_of(from, ticks), point_of(to, ticks),
						   found, max);
	}
	for (size_t i = 0; i < count; i++)
		out[i] = span_of_node(s, found[i]);
	pthread_rwlock_unlock(&s->lock);
	return count;
}

bool
intervals_step(struct intervals *s, size_t trace, const struct message_id *from, bool forward,
	       struct message_id *to)
{
	bool found = false;
	pthread_rwlock_rdlock(&s->lock);
	if (s->lookups && trace < s->session->traces.count) {
		const struct lookup *lookup = &s->lookups[trace];
		size_t count = lookup->notable.count, at = forward ? 0 : count;
		if (from) /* find the first one after FROM, or the first not before FROM */
			lower_bound(at, count,
				    message_id_compare(lookup->notable.at[at], *from) < forward);
		found = forward ? at < count : at > 0;
		if (found)
			*to = lookup->notable.at[forward ? at : at - 1];
	}
	pthread_rwlock_unlock(&s->lock);
	return found;
}

void
intervals_add_key(const struct intervals *s, size_t interval, struct value_look *look,
		  struct text *out)
{
	const struct interval_definition *d = &s->definitions[interval];
	struct value value;
	reader_expand(look->reader, look->message, d->want, look->expansion);
	for (size_t i = 0; i < d->key_count; i++) {
		value_get(d->keys[i], look, &value);
		text_addf(out, "%s%s ", i ? " " : "", value_name_text(d->keys[i]));
		if (value.type == VALUE_ABSENT)
			text_add_char(out, '-');
		else
			value_add(d->keys[i], &value, out);
	}
}

void
intervals_add_span_key(const struct intervals *s, const struct interval_span *span,
		       struct reader *reader, struct text *out)
{
	struct expansion e = {0};
	struct position at;
	struct message m;
	if (reader_read_id(reader, span->begin.id, &at, &m)) {
		struct value_look look = {.reader = reader, .message = &m, .expansion = &e};
		intervals_add_key(s, span->interval, &look, out);
	}
	expansion_free(&e);
}
