/*
 * Several traces as one list: see merge.h.
 *
 * For each cell of a trace the key of its last message is noted: the latest time
 * so far.  These never decrease, so the first message whose key is not before a
 * time is found by bisecting them, and one cell is decoded.  All else is made of
 * that cut.  A position's number is the sum of the cuts of the other traces; the
 * message with a number is found by bisecting times until as many messages lie
 * before.  While one walks, the cuts are kept and move along.
 *
 * Cost: 8 bytes per cell, noted by a thread of its own from the summaries; a
 * cell is decoded for that only if its trace has several clocks or one that
 * starts again.  A cell that is not noted yet is decoded when it matters, and
 * what is found with it is an estimate.
 */
#include "config.h"

#include "session/merge.h"
#include "base/generation.h"
#include "base/lower_bound.h"
#include "base/worker.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	CACHE = 8,	  /* cells per trace whose keys are kept */
	NOTE_CELLS = 512, /* between two looks at whether to stop */
	WITNESSES = 4,	  /* messages that bear a time out */
	USUAL_LENGTH = 32 /* of a message, while nothing is known */
};

#define FIRST INT64_MIN /* the key of what comes before any time */

/* Nanoseconds that times may step back among neighbours. */
#define FAR_BACK UINT64_C(1000000000)

/* The keys of the messages of one cell. */
struct cell_keys {
	VEC(int64_t) keys;
	uint64_t cell, used;
	unsigned generation;
	bool valid, exact;
};

/* Where a time cuts a trace: the first message that is not before it. */
struct cut {
	struct position at;
	int64_t key;
	uint64_t number;
	bool end; /* there is none; `number` is how many there are */
	bool exact;
};

struct merge_lane {
	struct trace *trace;
	struct reader *reader;
	struct cell_keys cache[CACHE];
	uint64_t used;
	size_t part;
	bool hidden;
	struct cut head; /* its first message that is not before the current one */
};

/* What the thread notes; under the lock. */
struct notes {
	VEC(int64_t) latest;   /* key of the last message up to each cell's end */
	unsigned generation;   /* of the clocks then, */
	unsigned indexed;      /* and of the index */
	struct reader *reader; /* the thread's alone */
};

struct merge {
	struct session *session;
	struct merge_lane *lanes; /* as the session's traces */
	size_t count;
	struct sequence_position current; /* what the heads are for */
	bool positioned;
	unsigned generation; /* of the clocks that the parts are by */

	pthread_mutex_t lock;
	struct notes *notes;
	struct worker worker;
	bool signals;
	struct generation changes;
};

/* --- noting keys ------------------------------------------------------- */

/* The times of messages, FIRST for those that have none. */
static void
times_of(struct trace *trace, size_t part, const struct message *messages, size_t count,
	 int64_t *times)
{
	for (size_t i = 0; i < count; i++) {
		struct message_time time;
		bool any = clocks_transport_time(trace, &messages[i], &time) && time.part == part;
		times[i] = any ? time.order : FIRST;
	}
}

/* Whether what follows bears a time out: most of the next ones are not far before
 * it.  A damaged time must not hold up all the others. */
static bool
is_borne_out(const int64_t *times, size_t count, size_t i)
{
	unsigned looked = 0, good = 0;
	for (size_t k = i + 1; k < count && looked < WITNESSES; k++) {
		if (times[k] == FIRST)
			continue;
		looked++;
		good += times[k] >= times[i] || (uint64_t)times[i] - (uint64_t)times[k] < FAR_BACK;
	}
	return 2 * good >= looked;
}

/* Makes times of messages their keys, from KEY on. */
static int64_t
make_increasing(int64_t *times, size_t count, int64_t key)
{
	for (size_t i = 0; i < count; i++) {
		/* those behind are still times */
		if (times[i] > key && is_borne_out(times, count, i))
			key = times[i];
		times[i] = key;
	}
	return key;
}

/* The key of the last of all messages of a cell, by them alone. */
static int64_t
latest_of(struct trace *trace, const struct decoded_cell *decoded)
{
	int64_t *times = mem_new(decoded->count * sizeof *times);
	times_of(trace, clocks_part(trace), decoded->messages, decoded->count, times);
	int64_t latest = make_increasing(times, decoded->count, FIRST);
	free(times);
	return latest;
}

static int64_t
note_cell(struct trace *trace, struct notes *notes, uint64_t cell, const struct index_cell *summary)
{
	int64_t latest;
	if (clocks_cell_time(trace, cell, summary, &latest))
		return latest;
	if (!notes->reader)
		notes->reader = reader_new(trace);
	return latest_of(trace, reader_decoded_cell(notes->reader, cell));
}

/* Notes some of the cells that are known; false if there are no more. */
static bool
note_some(struct merge *m, size_t lane)
{
	struct trace *trace = m->lanes[lane].trace;
	struct notes *notes = &m->notes[lane];
	int64_t latest[NOTE_CELLS];
	size_t count = 0, from = notes->latest.count;
	int64_t last = from ? notes->latest.at[from - 1] : FIRST;
	struct index_cell summary;
	while (count < NOTE_CELLS && index_cell(trace_index(trace), from + count, &summary)) {
		int64_t own = note_cell(trace, notes, from + count, &summary);
		last = own > last ? own : last;
		latest[count++] = last;
	}
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < count; i++)
		*vec_add(&notes->latest) = latest[i];
	pthread_mutex_unlock(&m->lock);
	return count > 0;
}

static void
note_lane(struct merge *m, size_t lane)
{
	struct notes *notes = &m->notes[lane];
	unsigned generation = clocks_generation(m->session->clocks);
	unsigned indexed = index_generation(trace_index(m->lanes[lane].trace));
	bool stale = notes->generation != generation || notes->indexed != indexed ||
		     notes->latest.count > index_known(trace_index(m->lanes[lane].trace));
	if (stale) {
		pthread_mutex_lock(&m->lock);
		vec_clear(&notes->latest);
		notes->generation = generation;
		notes->indexed = indexed;
		pthread_mutex_unlock(&m->lock);
	}
	bool news = stale;
	while (!worker_is_stopping(&m->worker) && note_some(m, lane))
		news = true;
	if (news)
		generation_bump(&m->changes);
}

static void
merge_work(void *context)
{
	struct merge *m = context;
	unsigned before = generation_now(&m->changes), generation;
	do {
		generation = clocks_generation(m->session->clocks);
		for (size_t i = 0; i < m->count; i++)
			note_lane(m, i);
	} while (generation != clocks_generation(m->session->clocks) &&
		 !worker_is_stopping(&m->worker));
	if (m->signals && generation_now(&m->changes) != before)
		session_signal(m->session);
}

void
merge_load(struct merge *m)
{
	merge_work(m);
}

void
merge_start(struct merge *m)
{
	m->signals = true;
	worker_start(&m->worker);
}

void
merge_wake(struct merge *m)
{
	worker_wake(&m->worker);
}

unsigned
merge_generation(const struct merge *m)
{
	return generation_now(&m->changes) + clocks_generation(m->session->clocks);
}

/* The key of the last message up to the end of CELL; false if it is not noted. */
static bool
merge_noted_key(struct merge *m, size_t lane, uint64_t cell, int64_t *key)
{
	struct notes *notes = &m->notes[lane];
	pthread_mutex_lock(&m->lock);
	bool any = cell < notes->latest.count && notes->generation == m->generation;
	if (any)
		*key = notes->latest.at[cell];
	pthread_mutex_unlock(&m->lock);
	return any;
}

/* How many cells of a trace are noted, and the first of them, from the first on,
 * whose key is not before KEY (their count: none). */
static uint64_t
noted_cell(struct merge *m, size_t lane, int64_t key, uint64_t *count)
{
	struct notes *notes = &m->notes[lane];
	pthread_mutex_lock(&m->lock);
	uint64_t cell;
	*count = notes->generation == m->generation ? notes->latest.count : 0;
	lower_bound(cell, *count, notes->latest.at[cell] < key);
	pthread_mutex_unlock(&m->lock);
	return cell;
}

/* --- parts ------------------------------------------------------------- */

/* Puts traces whose times can be compared into one part. */
static void
make_parts(struct merge *m)
{
	size_t parts = 0;
	for (size_t i = 0; i < m->count; i++) {
		size_t k = 0;
		while (k < i && clocks_part(m->lanes[k].trace) != clocks_part(m->lanes[i].trace))
			k++;
		m->lanes[i].part = k < i ? m->lanes[k].part : parts++;
	}
}

/* Takes notice of new clocks. */
static void
merge_refresh(struct merge *m)
{
	if (!generation_renew(&m->generation, clocks_generation(m->session->clocks)))
		return;
	m->positioned = false;
	make_parts(m);
}

size_t
merge_part(const struct merge *m, size_t trace)
{
	return m->lanes[trace].part;
}

/* --- the keys of messages ---------------------------------------------- */

static void
make_keys(struct merge *m, size_t i, struct cell_keys *keys, const struct decoded_cell *decoded)
{
	struct merge_lane *lane = &m->lanes[i];
	int64_t key = FIRST;
	keys->exact =
	    decoded->exact && (!decoded->cell || merge_noted_key(m, i, decoded->cell - 1, &key));
	keys->cell = decoded->cell;
	keys->generation = m->generation;
	keys->valid = true;
	vec_clear(&keys->keys);
	vec_reserve(&keys->keys, decoded->count);
	keys->keys.count = decoded->count;
	times_of(lane->trace, clocks_part(lane->trace), decoded->messages, decoded->count,
		 keys->keys.at);
	make_increasing(keys->keys.at, decoded->count, key);
	/* what came before is not known: as the first that has a time */
	size_t first = 0;
	while (first < decoded->count && keys->keys.at[first] == FIRST)
		first++;
	for (size_t k = 0; !keys->exact && first < decoded->count && k < first; k++)
		keys->keys.at[k] = keys->keys.at[first];
}

static bool
is_fresh(struct merge *m, size_t lane, const struct cell_keys *keys,
	 const struct decoded_cell *decoded)
{
	int64_t key;
	return keys->generation == m->generation && keys->keys.count == decoded->count &&
	       (keys->exact || !decoded->exact || !merge_noted_key(m, lane, keys->cell - 1, &key));
}

static const struct cell_keys *
keys_of(struct merge *m, size_t i, uint64_t cell)
{
	struct merge_lane *lane = &m->lanes[i];
	const struct decoded_cell *decoded = reader_decoded_cell(lane->reader, cell);
	struct cell_keys *oldest = &lane->cache[0];
	for (size_t k = 0; k < CACHE; k++) {
		struct cell_keys *keys = &lane->cache[k];
		if (keys->valid && keys->cell == cell) {
			oldest = keys;
			break;
		}
		if (keys->used < oldest->used)
			oldest = keys;
	}
	oldest->used = ++lane->used;
	if (!oldest->valid || oldest->cell != cell || !is_fresh(m, i, oldest, decoded))
		make_keys(m, i, oldest, decoded);
	return oldest;
}

static int64_t
key_at(struct merge *m, size_t lane, struct position at)
{
	const struct cell_keys *keys = keys_of(m, lane, at.cell);
	return at.at < keys->keys.count ? keys->keys.at[at.at] : INT64_MAX;
}

/* --- cuts -------------------------------------------------------------- */

static struct cut
cut_with_key(struct merge *m, size_t lane, struct position at, int64_t key)
{
	struct cut cut = {.at = at, .key = key};
	cut.number = reader_number(m->lanes[lane].reader, at, &cut.exact);
	return cut;
}

static struct cut
cut_at(struct merge *m, size_t lane, struct position at)
{
	return cut_with_key(m, lane, at, key_at(m, lane, at));
}

static struct cut
cut_at_end(struct merge *m, size_t lane)
{
	struct cut cut = {.end = true, .key = INT64_MAX};
	cut.number = trace_count(m->lanes[lane].trace, &cut.exact);
	return cut;
}

static struct cut
cut_at_first(struct merge *m, size_t lane)
{
	struct position at;
	if (!reader_first(m->lanes[lane].reader, &at))
		return cut_at_end(m, lane);
	return cut_at(m, lane, at);
}

/* Bisects cells that are not noted, from FROM on, by decoding them. */
static uint64_t
unnoted_cell(struct merge *m, size_t lane, int64_t key, uint64_t from)
{
	uint64_t low = from, high = index_cell_count(trace_index(m->lanes[lane].trace));
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const struct cell_keys *keys = keys_of(m, lane, middle);
		size_t count = keys->keys.count;
		if (!count || keys->keys.at[count - 1] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first message of a trace whose key is not before KEY. */
static struct cut
cut_by_key(struct merge *m, size_t lane, int64_t key)
{
	uint64_t count, cells = index_cell_count(trace_index(m->lanes[lane].trace));
	uint64_t cell = noted_cell(m, lane, key, &count);
	if (cell == count && count < cells)
		cell = unnoted_cell(m, lane, key, count);
	if (cell >= cells)
		return cut_at_end(m, lane);
	const struct cell_keys *keys = keys_of(m, lane, cell);
	size_t at;
	lower_bound(at, keys->keys.count, keys->keys.at[at] < key);
	if (at == keys->keys.count) /* an estimate was wrong, or it is empty */
		return cut_at_end(m, lane);
	bool exact = keys->exact;
	struct position first = {.cell = cell, .at = at};
	struct cut cut = cut_with_key(m, lane, first, keys->keys.at[at]);
	cut.exact &= exact;
	return cut;
}

/* The first message behind all those whose key is KEY. */
static struct cut
cut_behind(struct merge *m, size_t lane, int64_t key)
{
	return key == INT64_MAX ? cut_at_end(m, lane) : cut_by_key(m, lane, key + 1);
}

/* --- walking ----------------------------------------------------------- */

/* Finds the heads of all traces for a message. */
static void
go_to(struct merge *m, struct sequence_position p)
{
	merge_refresh(m);
	if (m->positioned && sequence_position_is_same(m->current, p))
		return;
	int64_t key = key_at(m, p.lane, p.at);
	size_t part = m->lanes[p.lane].part;
	for (size_t i = 0; i < m->count; i++) {
		struct merge_lane *lane = &m->lanes[i];
		if (lane->hidden)
			continue;
		if (i == p.lane)
			lane->head = cut_with_key(m, i, p.at, key);
		else if (lane->part != part)
			lane->head = lane->part < part ? cut_at_end(m, i) : cut_at_first(m, i);
		else
			lane->head = i < p.lane ? cut_behind(m, i, key) : cut_by_key(m, i, key);
	}
	m->current = p;
	m->positioned = true;
}

/* Whether the message at A of trace I comes before that at B of trace K. */
static bool
is_before(const struct merge *m, size_t i, const struct cut *a, size_t k, const struct cut *b)
{
	const struct sequence_key first = {m->lanes[i].part, i, a->key},
				  second = {m->lanes[k].part, k, b->key};
	return sequence_key_is_before(&first, &second);
}

/* Makes the first of the heads the current message. */
static bool
take_first(struct merge *m, struct sequence_position *p)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < m->count; i++) {
		const struct merge_lane *lane = &m->lanes[i];
		if (lane->hidden || lane->head.end)
			continue;
		if (best == SIZE_MAX || is_before(m, i, &lane->head, best, &m->lanes[best].head))
			best = i;
	}
	m->positioned = best != SIZE_MAX;
	if (m->positioned)
		*p = m->current = (struct sequence_position){best, m->lanes[best].head.at};
	return m->positioned;
}

bool
merge_next(struct merge *m, struct sequence_position *p)
{
	go_to(m, *p);
	struct merge_lane *lane = &m->lanes[p->lane];
	struct cut *head = &lane->head, before = *head;
	*head = reader_next(lane->reader, &head->at, 0) ? cut_at(m, p->lane, head->at)
							: cut_at_end(m, p->lane);
	if (take_first(m, p))
		return true;
	*head = before;
	m->positioned = true;
	return false;
}

/* The last message of a trace before its head. */
static bool
before_head(struct merge *m, size_t i, struct cut *cut)
{
	struct merge_lane *lane = &m->lanes[i];
	struct position at = lane->head.at;
	if (!(lane->head.end ? reader_last(lane->reader, &at)
			     : reader_previous(lane->reader, &at, 0)))
		return false;
	*cut = cut_at(m, i, at);
	return true;
}

/* Makes the last message before all heads the current one. */
static bool
take_last(struct merge *m, struct sequence_position *p)
{
	size_t best = SIZE_MAX;
	struct cut cut, latest = {0};
	for (size_t i = 0; i < m->count; i++) {
		if (m->lanes[i].hidden || !before_head(m, i, &cut))
			continue;
		if (best == SIZE_MAX || is_before(m, best, &latest, i, &cut)) {
			best = i;
			latest = cut;
		}
	}
	if (best == SIZE_MAX)
		return false;
	m->lanes[best].head = latest;
	*p = m->current = (struct sequence_position){best, latest.at};
	m->positioned = true;
	return true;
}

bool
merge_previous(struct merge *m, struct sequence_position *p)
{
	go_to(m, *p);
	return take_last(m, p);
}

bool
merge_first(struct merge *m, struct sequence_position *p)
{
	merge_refresh(m);
	for (size_t i = 0; i < m->count; i++)
		if (!m->lanes[i].hidden)
			m->lanes[i].head = cut_at_first(m, i);
	return take_first(m, p);
}

bool
merge_last(struct merge *m, struct sequence_position *p)
{
	merge_refresh(m);
	m->positioned = false;
	for (size_t i = 0; i < m->count; i++)
		if (!m->lanes[i].hidden)
			m->lanes[i].head = cut_at_end(m, i);
	return take_last(m, p);
}

const struct message *
merge_message(struct merge *m, struct sequence_position p)
{
	return reader_message(m->lanes[p.lane].reader, p.at);
}

/* --- numbers ----------------------------------------------------------- */

uint64_t
merge_number(struct merge *m, struct sequence_position p, bool *exact)
{
	uint64_t number = 0;
	go_to(m, p);
	*exact = true;
	for (size_t i = 0; i < m->count; i++) {
		struct merge_lane *lane = &m->lanes[i];
		if (lane->hidden)
			continue;
		if (!lane->head.exact) /* more may be known by now */
			lane->head =
			    lane->head.end ? cut_at_end(m, i) : cut_at(m, i, lane->head.at);
		number += lane->head.number;
		*exact &= lane->head.exact;
	}
	*exact &= clocks_are_settled(m->session->clocks);
	return number;
}

/* How many messages a trace has; an estimate before anything is known. */
static uint64_t
count_of(struct merge *m, size_t lane, bool *exact)
{
	struct trace *trace = m->lanes[lane].trace;
	uint64_t count = trace_count(trace, exact);
	return count || *exact ? count : 1 + capture_size(trace_capture(trace)) / USUAL_LENGTH;
}

uint64_t
merge_count(struct merge *m, bool *exact)
{
	uint64_t count = 0;
	*exact = true;
	for (size_t i = 0; i < m->count; i++) {
		bool own = true;
		if (!m->lanes[i].hidden)
			count += count_of(m, i, &own);
		*exact &= own;
	}
	return count;
}

/* How many messages of a part have keys before KEY: at least, at most, or just so
 * many. */
enum counting { AT_LEAST, AT_MOST, EXACTLY };

static uint64_t
count_before(struct merge *m, size_t part, int64_t key, enum counting how)
{
	uint64_t count = 0, noted_count;
	for (size_t i = 0; i < m->count; i++) {
		struct merge_lane *lane = &m->lanes[i];
		struct index_cell cell;
		bool any;
		if (lane->hidden || lane->part != part)
			continue;
		if (how == EXACTLY) {
			count += cut_by_key(m, i, key).number;
			continue;
		}
		any = index_cell(trace_index(lane->trace), noted_cell(m, i, key, &noted_count),
				 &cell);
		if (any)
			count += cell.first + (how == AT_MOST ? cell.count : 0);
		else
			count += trace_count(lane->trace, &any);
	}
	return count;
}

/* The largest key between LOW and HIGH before which there are not more than
 * NUMBER messages. */
static int64_t
merge_bisect(struct merge *m, size_t part, uint64_t number, enum counting how, int64_t low,
	     int64_t high)
{
	while (low < high) {
		uint64_t half = ((uint64_t)high - (uint64_t)low) / 2 + 1;
		int64_t middle = (int64_t)((uint64_t)low + half);
		if (count_before(m, part, middle, how) <= number)
			low = middle;
		else
			high = (int64_t)((uint64_t)middle - 1);
	}
	return low;
}

/* The message with a number in its part. */
static bool
find_in_part(struct merge *m, size_t part, uint64_t number, struct sequence_position *p)
{
	int64_t low = merge_bisect(m, part, number, AT_MOST, FIRST, INT64_MAX);
	int64_t high = merge_bisect(m, part, number, AT_LEAST, low, INT64_MAX);
	int64_t key = merge_bisect(m, part, number, EXACTLY, low, high);
	uint64_t rest = number - count_before(m, part, key, EXACTLY);
	for (size_t i = 0; i < m->count; i++) {
		bool exact;
		if (m->lanes[i].hidden || m->lanes[i].part != part)
			continue;
		uint64_t from = cut_by_key(m, i, key).number;
		uint64_t same = cut_behind(m, i, key).number - from;
		if (rest < same) {
			p->lane = i;
			return reader_find_number(m->lanes[i].reader, from + rest, &p->at, &exact);
		}
		rest -= same;
	}
	return false;
}

/* Near enough: so far in the largest trace of the part as in the whole part. */
static bool
guess_in_part(struct merge *m, size_t part, uint64_t number, uint64_t all,
	      struct sequence_position *p)
{
	uint64_t most = 0;
	bool found = false;
	for (size_t i = 0; i < m->count; i++) {
		if (m->lanes[i].hidden || m->lanes[i].part != part)
			continue;
		uint64_t size = capture_size(trace_capture(m->lanes[i].trace));
		if (!found || size > most)
			p->lane = i;
		most = size > most ? size : most;
		found = true;
	}
	double share = all ? (double)number / (double)all : 0;
	return found && reader_find_offset(m->lanes[p->lane].reader,
					   (uint64_t)(share * (double)most), &p->at);
}

/* Whether the keys of all cells of a trace are noted. */
static bool
is_all_noted(struct merge *m, size_t lane)
{
	uint64_t count;
	bool exact;
	noted_cell(m, lane, FIRST, &count);
	trace_count(m->lanes[lane].trace, &exact);
	return exact && count >= index_cell_count(trace_index(m->lanes[lane].trace));
}

bool
merge_find_number(struct merge *m, uint64_t number, struct sequence_position *p, bool *exact)
{
	merge_refresh(m);
	*exact = clocks_are_settled(m->session->clocks);
	for (size_t part = 0; part < m->count; part++) {
		uint64_t count = 0;
		bool all_noted = true, own;
		for (size_t i = 0; i < m->count; i++) {
			if (m->lanes[i].hidden || m->lanes[i].part != part)
				continue;
			count += count_of(m, i, &own);
			all_noted &= is_all_noted(m, i);
		}
		*exact &= all_noted;
		if (number < count)
			return all_noted ? find_in_part(m, part, number, p)
					 : guess_in_part(m, part, number, count, p);
		number -= count;
	}
	return false;
}

bool
merge_find_time(struct merge *m, size_t trace, int64_t order, struct sequence_position *p)
{
	merge_refresh(m);
	size_t part = m->lanes[trace].part;
	for (size_t i = 0; i < m->count; i++) {
		struct merge_lane *lane = &m->lanes[i];
		if (lane->hidden)
			continue;
		if (lane->part != part)
			lane->head = lane->part < part ? cut_at_end(m, i) : cut_at_first(m, i);
		else
			lane->head = cut_by_key(m, i, order);
	}
	return take_first(m, p);
}

bool
merge_head(struct merge *m, struct sequence_position p, size_t trace, struct position *at)
{
	go_to(m, p);
	const struct merge_lane *lane = &m->lanes[trace];
	*at = lane->head.at;
	if (lane->head.end)
		*at = (struct position){.cell = index_cell_count(trace_index(lane->trace))};
	return !lane->head.end;
}

struct sequence_key
merge_key(struct merge *m, struct sequence_position p)
{
	merge_refresh(m);
	return (struct sequence_key){m->lanes[p.lane].part, p.lane, key_at(m, p.lane, p.at)};
}

bool
merge_is_exact(struct merge *m)
{
	bool exact = clocks_are_settled(m->session->clocks);
	merge_refresh(m);
	for (size_t i = 0; i < m->count && exact; i++)
		exact = m->lanes[i].hidden || is_all_noted(m, i);
	return exact;
}

bool
merge_cut(struct merge *m, size_t trace, int64_t order, struct position *at)
{
	merge_refresh(m);
	struct cut cut = cut_by_key(m, trace, order);
	*at = cut.at;
	return !cut.end;
}

/* Whether the cell where a trace is cut is noted, or there is none. */
static bool
is_cut_noted(struct merge *m, size_t lane, int64_t order)
{
	uint64_t count;
	return noted_cell(m, lane, order, &count) < count || is_all_noted(m, lane);
}

bool
merge_cut_is_known(struct merge *m, size_t trace, int64_t order)
{
	merge_refresh(m);
	return clocks_are_settled(m->session->clocks) && is_cut_noted(m, trace, order);
}

bool
merge_time_is_known(struct merge *m, size_t trace, int64_t order)
{
	merge_refresh(m);
	bool known = clocks_are_settled(m->session->clocks);
	for (size_t i = 0; i < m->count && known; i++)
		known = m->lanes[i].hidden || m->lanes[i].part != m->lanes[trace].part ||
			is_cut_noted(m, i, order);
	return known;
}

bool
merge_is_uncertain(const struct merge *m, size_t i, const struct message *a, size_t k,
		   const struct message *b)
{
	struct message_time first, second;
	return i != k && m->lanes[i].part == m->lanes[k].part &&
	       clocks_transport_time(m->lanes[i].trace, a, &first) &&
	       clocks_transport_time(m->lanes[k].trace, b, &second) &&
	       fabs((double)second.order - (double)first.order) < first.error + second.error;
}

/* --- from start to end ------------------------------------------------- */

struct merge *
merge_new(struct session *session)
{
	struct merge *m = mem_new(sizeof *m);
	m->session = session;
	m->count = session->traces.count;
	m->lanes = mem_new(m->count * sizeof *m->lanes);
	m->notes = mem_new(m->count * sizeof *m->notes);
	for (size_t i = 0; i < m->count; i++) {
		m->lanes[i].trace = session->traces.at[i];
		m->lanes[i].reader = reader_new(session->traces.at[i]);
	}
	pthread_mutex_init(&m->lock, NULL);
	worker_init(&m->worker, merge_work, m);
	merge_refresh(m);
	return m;
}

void
merge_free(struct merge *m)
{
	if (!m)
		return;
	worker_stop(&m->worker);
	for (size_t i = 0; i < m->count; i++) {
		for (size_t k = 0; k < CACHE; k++)
			vec_free(&m->lanes[i].cache[k].keys);
		reader_free(m->lanes[i].reader);
		reader_free(m->notes[i].reader);
		vec_free(&m->notes[i].latest);
	}
	pthread_mutex_destroy(&m->lock);
	free(m->lanes);
	free(m->notes);
	free(m);
}

void
merge_show(struct merge *m, size_t trace, bool on)
{
	m->lanes[trace].hidden = !on;
	m->positioned = false;
	generation_bump(&m->changes);
}

bool
merge_shows(const struct merge *m, size_t trace)
{
	return !m->lanes[trace].hidden;
}

struct reader *
merge_reader(struct merge *m, size_t trace)
{
	return m->lanes[trace].reader;
}
