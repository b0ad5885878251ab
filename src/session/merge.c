/*
 * Several strands of messages as one list: see merge.h.
 *
 * The keys of cells (lane_notes.h) never decrease along a strand. So bisecting
 * them, and decoding one cell, finds the first message with a key not before a
 * time. Such cuts are the base for everything else. The number of a message is the
 * sum of the cuts of all strands. To find a number, the merge bisects times until
 * that many messages lie before. While the user steps, the cuts are kept and move
 * along.
 *
 * A separate thread makes the notes; they are the main cost. A cell without notes
 * is decoded when needed, and results from it are estimates. A search for a strand
 * decodes only a few such cells.
 */
#include "config.h"

#include "session/merge.h"
#include "base/generation.h"
#include "base/lower_bound.h"
#include "base/job.h"
#include "session/clock/clocks.h"
#include "session/lane_notes.h"
#include "session/session.h"

#include <math.h>
#include <stdlib.h>

enum {
	CACHE = 8,	   /* cells per trace with kept keys */
	CACHE_STRAND = 2,  /* more for each of several strands, which may be far apart */
	FAR_CELLS = 16,	   /* cells without notes to search for a strand */
	USUAL_LENGTH = 32, /* assumed length of a message while nothing is known */
	NEAR_NS = 100000   /* usual error of a time that is estimated from cells */
};

/* The keys of the messages in one cell. With several strands also each message's strand, and its
 * rank in that strand within the cell; BEFORE counts the messages of each strand before the
 * cell. */
struct cell_keys {
	VEC(int64_t) keys;
	VEC(uint8_t) strands;
	VEC(uint32_t) ranks;
	uint64_t before[STRANDS_MAX];
	uint64_t cell, used;
	unsigned generation;
	bool valid, exact;
};

/* The cut of a strand at a time: its first message that is not before it. */
struct cut {
	struct position at;
	int64_t key;
	uint64_t number;
	bool end; /* no such message; `number` is then the count of all */
	bool exact;
};

struct merge_lane {
	struct trace *trace;
	struct reader *reader;
	VEC(struct cell_keys) cache;
	uint64_t used;
	size_t part;
	size_t first, count; /* strands of this trace */
	bool hidden;
	struct lane_notes *notes;
};

struct merge_strand {
	size_t lane, number; /* the trace; number of the strand in it */
	struct cut head;     /* first message not before the current one */
};

struct merge {
	struct session *session;
	struct merge *whole;	  /* merge of all traces; owns the notes */
	struct merge_lane *lanes; /* in the order of the session's traces */
	size_t count;
	VEC(struct merge_strand) strands; /* in the order of their traces */
	struct sequence_position current; /* message for which the heads are valid */
	bool positioned;
	unsigned generation; /* epoch of the clocks for parts and strands */

	struct job job;
	struct generation changes;
};

/* --- noting keys ------------------------------------------------------- */

static void
note_lane(struct merge *m, struct lane_notes *notes, unsigned generation)
{
	bool news = lane_notes_renew(notes, generation);
	while (!job_is_stopping(&m->job) && lane_notes_add(notes))
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
			note_lane(m, m->lanes[i].notes, generation);
	} while (generation != clocks_generation(m->session->clocks) && !job_is_stopping(&m->job));
	if (generation_now(&m->changes) != before)
		job_tell(&m->job);
}

/* Repeat until no new clocks arrive, so that strands and notes have the same epoch. */
void
merge_load(struct merge *m)
{
	do
		merge_work(m);
	while (merge_renew(m));
}

void
merge_start(struct merge *m)
{
	m->job.notify = trace_host_notify;
	m->job.owner = &m->session->host;
	job_start(&m->job);
}

void
merge_wake(struct merge *m)
{
	job_wake(&m->job);
}

unsigned
merge_generation(const struct merge *m)
{
	return generation_now(&m->whole->changes) + m->whole->generation;
}

/* --- parts and strands ------------------------------------------------- */

/* Put traces with comparable times into one part. */
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

/* Make room for the cells that hold the current messages of all strands. Otherwise each step
 * from one strand to another would decode a cell again. */
static void
widen_cache(struct merge_lane *lane)
{
	size_t cells = CACHE + (lane->count > 1 ? CACHE_STRAND * lane->count : 0);
	reader_widen(lane->reader, (unsigned)cells);
	while (lane->cache.count < cells)
		*vec_add(&lane->cache) = (struct cell_keys){.valid = false};
}

static void
make_strands(struct merge *m)
{
	vec_clear(&m->strands);
	for (size_t i = 0; i < m->count; i++) {
		m->lanes[i].first = m->strands.count;
		m->lanes[i].count = clocks_strand_count(m->lanes[i].trace);
		for (size_t k = 0; k < m->lanes[i].count; k++)
			*vec_add(&m->strands) = (struct merge_strand){.lane = i, .number = k};
		widen_cache(&m->lanes[i]);
	}
}

static bool
make_order(struct merge *m, unsigned generation)
{
	bool changed = generation_renew(&m->generation, generation);
	if (changed) {
		m->positioned = false;
		make_parts(m);
		make_strands(m);
	}
	return changed;
}

bool
merge_renew(struct merge *m)
{
	return make_order(m->whole, clocks_generation(m->session->clocks));
}

/* Take over the order of the merge of all traces, which never changes in the middle of a call. */
static void
follow_whole(struct merge *m)
{
	make_order(m, m->whole->generation);
}

bool
merge_is_current(const struct merge *m)
{
	return m->whole->generation == clocks_generation(m->session->clocks);
}

/* True if the clocks are settled and the order is current. */
static bool
is_settled(const struct merge *m)
{
	return clocks_are_settled(m->session->clocks) && merge_is_current(m);
}

size_t
merge_part(const struct merge *m, size_t trace)
{
	return m->lanes[trace].part;
}

size_t
merge_strand_count(struct merge *m)
{
	follow_whole(m);
	return m->strands.count;
}

size_t
merge_strand_lane(const struct merge *m, size_t strand)
{
	return m->strands.at[strand].lane;
}

static struct merge_lane *
lane_of(const struct merge *m, size_t strand)
{
	return &m->lanes[m->strands.at[strand].lane];
}

/* True if a strand is all of its trace. */
static bool
is_whole(const struct merge *m, size_t strand)
{
	return lane_of(m, strand)->count == 1;
}

bool
merge_strand_is_part(const struct merge *m, size_t strand, size_t *number)
{
	*number = m->strands.at[strand].number;
	return !is_whole(m, strand);
}

/* --- the keys of messages ---------------------------------------------- */

/* Guess keys when those before the cell are unknown. A message without a time gets the first
 * time of its strand in the cell, else that of the cell. */
static void
guess_first_keys(struct cell_keys *keys, size_t strands)
{
	int64_t first[STRANDS_MAX], any = KEY_FIRST;
	for (size_t s = 0; s < strands; s++)
		first[s] = KEY_FIRST;
	for (size_t k = keys->keys.count; k-- > 0;) {
		if (keys->keys.at[k] == KEY_FIRST)
			continue;
		any = keys->keys.at[k];
		first[strands > 1 ? keys->strands.at[k] : 0] = any;
	}
	for (size_t k = 0; k < keys->keys.count; k++) {
		int64_t own = first[strands > 1 ? keys->strands.at[k] : 0];
		if (keys->keys.at[k] == KEY_FIRST)
			keys->keys.at[k] = own == KEY_FIRST ? any : own;
	}
}

static void
make_keys(struct merge *m, struct merge_lane *lane, struct cell_keys *keys,
	  const struct decoded_cell *decoded)
{
	int64_t last[STRANDS_MAX];
	uint32_t ranks[STRANDS_MAX] = {0};
	size_t count = decoded->count;
	keys->exact =
	    lane_notes_before(lane->notes, m->generation, decoded->cell, last, keys->before) &&
	    decoded->exact;
	keys->cell = decoded->cell;
	keys->generation = m->generation;
	keys->valid = true;
	vec_clear(&keys->keys);
	vec_reserve(&keys->keys, count);
	vec_clear(&keys->strands);
	vec_clear(&keys->ranks);
	if (lane->count > 1) {
		vec_reserve(&keys->strands, count);
		vec_reserve(&keys->ranks, count);
		keys->strands.count = keys->ranks.count = count;
	}
	keys->keys.count = count;
	lane_keys_make(lane->trace, lane->count, decoded->messages, count, last, keys->keys.at,
		       keys->strands.at);
	for (size_t k = 0; k < keys->ranks.count; k++)
		keys->ranks.at[k] = ranks[keys->strands.at[k]]++;
	if (!keys->exact)
		guess_first_keys(keys, lane->count);
}

static bool
is_fresh(struct merge *m, struct merge_lane *lane, const struct cell_keys *keys,
	 const struct decoded_cell *decoded)
{
	return keys->generation == m->generation && keys->keys.count == decoded->count &&
	       (keys->exact || !decoded->exact ||
		lane_notes_count(lane->notes, m->generation) < keys->cell);
}

static const struct cell_keys *
keys_of(struct merge *m, struct merge_lane *lane, uint64_t cell)
{
	const struct decoded_cell *decoded = reader_decoded_cell(lane->reader, cell);
	struct cell_keys *oldest = &lane->cache.at[0];
	for (size_t k = 0; k < lane->cache.count; k++) {
		struct cell_keys *keys = &lane->cache.at[k];
		if (keys->valid && keys->cell == cell) {
			oldest = keys;
			break;
		}
		if (keys->used < oldest->used)
			oldest = keys;
	}
	oldest->used = ++lane->used;
	if (!oldest->valid || oldest->cell != cell || !is_fresh(m, lane, oldest, decoded))
		make_keys(m, lane, oldest, decoded);
	return oldest;
}

static int64_t
key_at(struct merge *m, struct merge_lane *lane, struct position at)
{
	const struct cell_keys *keys = keys_of(m, lane, at.cell);
	return at.at < keys->keys.count ? keys->keys.at[at.at] : INT64_MAX;
}

/* True if message AT of a cell is in strand NUMBER of its trace. */
static bool
is_in(const struct cell_keys *keys, size_t at, size_t number)
{
	return !keys->strands.count || keys->strands.at[at] == number;
}

size_t
merge_strand(struct merge *m, struct sequence_position p)
{
	follow_whole(m);
	struct merge_lane *lane = &m->lanes[p.lane];
	if (lane->count == 1)
		return lane->first;
	const struct cell_keys *keys = keys_of(m, lane, p.at.cell);
	return lane->first + (p.at.at < keys->strands.count ? keys->strands.at[p.at.at] : 0);
}

/* --- along a strand ---------------------------------------------------- */

/* Find the next cell that may contain messages of a strand, from *CELL on. Beyond the notes, try
 * *FAR more cells. */
static bool
next_cell(struct merge *m, size_t strand, uint64_t *cell, unsigned *far)
{
	struct merge_lane *lane = lane_of(m, strand);
	struct noted_cell found;
	if (lane_notes_find_cell(lane->notes, m->generation, m->strands.at[strand].number, *cell, 1,
				 &found)) {
		*cell = found.cell;
		return true;
	}
	uint64_t noted = lane_notes_count(lane->notes, m->generation);
	*cell = *cell > noted ? *cell : noted;
	return *cell < index_cell_count(trace_index(lane->trace)) && (*far)-- > 0;
}

/* Find the previous such cell, before *CELL. */
static bool
previous_cell(struct merge *m, size_t strand, uint64_t *cell, unsigned *far)
{
	struct merge_lane *lane = lane_of(m, strand);
	uint64_t noted = lane_notes_count(lane->notes, m->generation);
	struct noted_cell found;
	if (*cell > noted && *far) {
		--*far;
		--*cell;
		return true;
	}
	if (!lane_notes_find_cell(lane->notes, m->generation, m->strands.at[strand].number, *cell,
				  -1, &found))
		return false;
	*cell = found.cell;
	return true;
}

/* With several strands, find the first message of a strand from a position on. */
static bool
find_from(struct merge *m, size_t strand, struct position from, struct position *at)
{
	unsigned far = FAR_CELLS;
	do {
		const struct cell_keys *keys = keys_of(m, lane_of(m, strand), from.cell);
		for (; from.at < keys->keys.count; from.at++) {
			if (is_in(keys, from.at, m->strands.at[strand].number)) {
				*at = from;
				return true;
			}
		}
		from = (struct position){.cell = from.cell + 1};
	} while (next_cell(m, strand, &from.cell, &far));
	return false;
}

/* Find the last message before a position. */
static bool
find_before(struct merge *m, size_t strand, struct position from, struct position *at)
{
	unsigned far = FAR_CELLS;
	do {
		const struct cell_keys *keys = keys_of(m, lane_of(m, strand), from.cell);
		from.at = from.at < keys->keys.count ? from.at : keys->keys.count;
		while (from.at-- > 0) {
			if (is_in(keys, from.at, m->strands.at[strand].number)) {
				*at = from;
				return true;
			}
		}
		from.at = SIZE_MAX;
	} while (previous_cell(m, strand, &from.cell, &far));
	return false;
}

static bool
strand_first(struct merge *m, size_t strand, struct position *at)
{
	if (is_whole(m, strand))
		return reader_first(lane_of(m, strand)->reader, at);
	struct position from = {0};
	unsigned far = FAR_CELLS;
	return next_cell(m, strand, &from.cell, &far) && find_from(m, strand, from, at);
}

static bool
strand_next(struct merge *m, size_t strand, struct position *at)
{
	if (is_whole(m, strand))
		return reader_next(lane_of(m, strand)->reader, at, 0);
	return find_from(m, strand, (struct position){at->cell, at->at + 1}, at);
}

static bool
strand_previous(struct merge *m, size_t strand, struct position *at)
{
	if (is_whole(m, strand))
		return reader_previous(lane_of(m, strand)->reader, at, 0);
	return find_before(m, strand, *at, at);
}

static bool
strand_last(struct merge *m, size_t strand, struct position *at)
{
	struct merge_lane *lane = lane_of(m, strand);
	if (is_whole(m, strand))
		return reader_last(lane->reader, at);
	struct position end = {.cell = index_cell_count(trace_index(lane->trace))};
	return find_before(m, strand, end, at);
}

/* Return the number of a message in its strand. */
static uint64_t
strand_number(struct merge *m, size_t strand, struct position at, bool *exact)
{
	struct merge_lane *lane = lane_of(m, strand);
	if (is_whole(m, strand))
		return reader_number(lane->reader, at, exact);
	const struct cell_keys *keys = keys_of(m, lane, at.cell);
	*exact = keys->exact && at.at < keys->ranks.count;
	if (*exact)
		return keys->before[m->strands.at[strand].number] + keys->ranks.at[at.at];
	bool sure;
	return reader_number(lane->reader, at, &sure) / lane->count;
}

static bool
strand_find_number(struct merge *m, size_t strand, uint64_t number, struct position *at)
{
	struct merge_lane *lane = lane_of(m, strand);
	size_t own = m->strands.at[strand].number;
	struct noted_cell found;
	bool exact;
	if (is_whole(m, strand))
		return reader_find_number(lane->reader, number, at, &exact);
	if (!lane_notes_find_number(lane->notes, m->generation, own, number, &found))
		return false;
	const struct cell_keys *keys = keys_of(m, lane, found.cell);
	*at = (struct position){.cell = found.cell};
	while (at->at < keys->ranks.count && (keys->strands.at[at->at] != own ||
					      keys->before[own] + keys->ranks.at[at->at] != number))
		at->at++;
	return at->at < keys->ranks.count;
}

/* True if the keys of all cells of a trace are noted. */
static bool
is_all_noted(struct merge *m, struct merge_lane *lane)
{
	uint64_t count = lane_notes_count(lane->notes, m->generation);
	bool exact;
	trace_count(lane->trace, &exact);
	return exact && count >= index_cell_count(trace_index(lane->trace));
}

/* Return the number of messages of a strand. */
static uint64_t
strand_count(struct merge *m, size_t strand, bool *exact)
{
	struct merge_lane *lane = lane_of(m, strand);
	uint64_t all = trace_count(lane->trace, exact);
	if (is_whole(m, strand))
		return all;
	*exact = is_all_noted(m, lane);
	return *exact ? lane_notes_total(lane->notes, m->generation, m->strands.at[strand].number)
		      : all / lane->count;
}

/* --- cuts -------------------------------------------------------------- */

static struct cut
cut_with_key(struct merge *m, size_t strand, struct position at, int64_t key)
{
	struct cut cut = {.at = at, .key = key};
	cut.number = strand_number(m, strand, at, &cut.exact);
	return cut;
}

static struct cut
cut_at(struct merge *m, size_t strand, struct position at)
{
	return cut_with_key(m, strand, at, key_at(m, lane_of(m, strand), at));
}

static struct cut
cut_at_end(struct merge *m, size_t strand)
{
	struct cut cut = {.end = true, .key = INT64_MAX};
	cut.number = strand_count(m, strand, &cut.exact);
	return cut;
}

static struct cut
cut_at_first(struct merge *m, size_t strand)
{
	struct position at;
	if (!strand_first(m, strand, &at))
		return cut_at_end(m, strand);
	return cut_at(m, strand, at);
}

/* Bisect the cells without notes, from FROM on, by decoding them. */
static uint64_t
unnoted_cell(struct merge *m, size_t strand, int64_t key, uint64_t from)
{
	struct merge_lane *lane = lane_of(m, strand);
	uint64_t low = from, high = index_cell_count(trace_index(lane->trace));
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const struct cell_keys *keys = keys_of(m, lane, middle);
		size_t last = keys->keys.count;
		while (last && !is_in(keys, last - 1, m->strands.at[strand].number))
			last--;
		/* in a cell without messages of the strand, use the others */
		last = last ? last : keys->keys.count;
		if (!last || keys->keys.at[last - 1] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Find the first message of a strand with a key not before KEY. */
static struct cut
cut_by_key(struct merge *m, size_t strand, int64_t key)
{
	struct merge_lane *lane = lane_of(m, strand);
	size_t own = m->strands.at[strand].number;
	struct noted_cell found;
	if (!lane_notes_find_key(lane->notes, m->generation, own, key, &found, NULL))
		found.cell =
		    unnoted_cell(m, strand, key, lane_notes_count(lane->notes, m->generation));
	if (found.cell >= index_cell_count(trace_index(lane->trace)))
		return cut_at_end(m, strand);
	const struct cell_keys *keys = keys_of(m, lane, found.cell);
	bool exact = keys->exact;
	struct position at = {.cell = found.cell};
	if (is_whole(m, strand))
		lower_bound(at.at, keys->keys.count, keys->keys.at[at.at] < key);
	else
		while (at.at < keys->keys.count &&
		       (keys->strands.at[at.at] != own || keys->keys.at[at.at] < key))
			at.at++;
	if (at.at == keys->keys.count) { /* a wrong estimate, or an empty cell */
		if (is_whole(m, strand) || !find_from(m, strand, at, &at))
			return cut_at_end(m, strand);
		exact = false;
	}
	struct cut cut = cut_at(m, strand, at);
	cut.exact &= exact;
	return cut;
}

/* Find the first message of a strand with a key after KEY. */
static struct cut
cut_behind(struct merge *m, size_t strand, int64_t key)
{
	return key == INT64_MAX ? cut_at_end(m, strand) : cut_by_key(m, strand, key + 1);
}

/* --- walking ----------------------------------------------------------- */

static bool
is_shown(const struct merge *m, size_t strand)
{
	return !lane_of(m, strand)->hidden;
}

/* Find the heads of all strands for a message. */
static void
go_to(struct merge *m, struct sequence_position p)
{
	follow_whole(m);
	if (m->positioned && sequence_position_is_same(m->current, p))
		return;
	int64_t key = key_at(m, &m->lanes[p.lane], p.at);
	size_t part = m->lanes[p.lane].part, own = merge_strand(m, p);
	for (size_t i = 0; i < m->strands.count; i++) {
		struct cut *head = &m->strands.at[i].head;
		size_t other = lane_of(m, i)->part;
		if (!is_shown(m, i))
			continue;
		if (i == own)
			*head = cut_with_key(m, i, p.at, key);
		else if (other != part)
			*head = other < part ? cut_at_end(m, i) : cut_at_first(m, i);
		else
			*head = i < own ? cut_behind(m, i, key) : cut_by_key(m, i, key);
	}
	m->current = p;
	m->positioned = true;
}

/* True if A of strand I comes before B of strand K. */
static bool
is_before(const struct merge *m, size_t i, const struct cut *a, size_t k, const struct cut *b)
{
	const struct sequence_key first = {lane_of(m, i)->part, i, a->key},
				  second = {lane_of(m, k)->part, k, b->key};
	return sequence_key_is_before(&first, &second);
}

static struct sequence_position
position_in(const struct merge *m, size_t strand, struct position at)
{
	return (struct sequence_position){m->strands.at[strand].lane, at};
}

/* Make the first of all heads the current message. */
static bool
take_first(struct merge *m, struct sequence_position *p)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < m->strands.count; i++) {
		const struct cut *head = &m->strands.at[i].head;
		if (!is_shown(m, i) || head->end)
			continue;
		if (best == SIZE_MAX || is_before(m, i, head, best, &m->strands.at[best].head))
			best = i;
	}
	m->positioned = best != SIZE_MAX;
	if (m->positioned)
		*p = m->current = position_in(m, best, m->strands.at[best].head.at);
	return m->positioned;
}

bool
merge_next(struct merge *m, struct sequence_position *p)
{
	go_to(m, *p);
	size_t strand = merge_strand(m, *p);
	struct cut *head = &m->strands.at[strand].head, before = *head;
	*head =
	    strand_next(m, strand, &head->at) ? cut_at(m, strand, head->at) : cut_at_end(m, strand);
	if (take_first(m, p))
		return true;
	*head = before;
	m->positioned = true;
	return false;
}

/* Find the last message of a strand before its head. */
static bool
before_head(struct merge *m, size_t strand, struct cut *cut)
{
	const struct cut *head = &m->strands.at[strand].head;
	struct position at = head->at;
	if (!(head->end ? strand_last(m, strand, &at) : strand_previous(m, strand, &at)))
		return false;
	*cut = cut_at(m, strand, at);
	return true;
}

/* Make the last message before all heads the current one. */
static bool
take_last(struct merge *m, struct sequence_position *p)
{
	size_t best = SIZE_MAX;
	struct cut cut, latest = {0};
	for (size_t i = 0; i < m->strands.count; i++) {
		if (!is_shown(m, i) || !before_head(m, i, &cut))
			continue;
		if (best == SIZE_MAX || is_before(m, best, &latest, i, &cut)) {
			best = i;
			latest = cut;
		}
	}
	if (best == SIZE_MAX)
		return false;
	m->strands.at[best].head = latest;
	*p = m->current = position_in(m, best, latest.at);
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
	follow_whole(m);
	for (size_t i = 0; i < m->strands.count; i++)
		if (is_shown(m, i))
			m->strands.at[i].head = cut_at_first(m, i);
	return take_first(m, p);
}

bool
merge_last(struct merge *m, struct sequence_position *p)
{
	follow_whole(m);
	m->positioned = false;
	for (size_t i = 0; i < m->strands.count; i++)
		if (is_shown(m, i))
			m->strands.at[i].head = cut_at_end(m, i);
	return take_last(m, p);
}

/* --- numbers ----------------------------------------------------------- */

uint64_t
merge_number(struct merge *m, struct sequence_position p, bool *exact)
{
	uint64_t number = 0;
	go_to(m, p);
	*exact = true;
	for (size_t i = 0; i < m->strands.count; i++) {
		struct cut *head = &m->strands.at[i].head;
		if (!is_shown(m, i))
			continue;
		if (!head->exact) /* more may be known now */
			*head = head->end ? cut_at_end(m, i) : cut_at(m, i, head->at);
		number += head->number;
		*exact &= head->exact;
	}
	*exact &= is_settled(m);
	return number;
}

/* Return the number of messages of a trace; estimate it by size while nothing is known. */
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

/* Ways to count the messages of a part with keys before KEY. */
enum counting { AT_LEAST, AT_MOST, ABOUT, EXACTLY };

/* Count the messages of a strand before KEY, from notes and summaries alone. */
static uint64_t
count_by_cells(struct merge *m, size_t strand, int64_t key, enum counting how)
{
	struct merge_lane *lane = lane_of(m, strand);
	struct noted_cell found, before;
	struct index_cell cell;
	bool any = lane_notes_find_key(lane->notes, m->generation, m->strands.at[strand].number,
				       key, &found, &before);
	if (any && is_whole(m, strand)) {
		any = index_cell(trace_index(lane->trace), found.cell, &cell);
		before.count = cell.first;
		found.count = cell.first + cell.count;
	}
	if (!any)
		return strand_count(m, strand, &any);
	if (how == AT_LEAST)
		return before.count;
	if (how == AT_MOST)
		return found.count;
	double share =
	    ((double)key - (double)before.key) / ((double)found.key - (double)before.key);
	return before.count + (uint64_t)(share * (double)(found.count - before.count));
}

static uint64_t
count_before(struct merge *m, size_t part, int64_t key, enum counting how)
{
	uint64_t count = 0;
	for (size_t i = 0; i < m->strands.count; i++) {
		if (is_shown(m, i) && lane_of(m, i)->part == part)
			count += how == EXACTLY ? cut_by_key(m, i, key).number
						: count_by_cells(m, i, key, how);
	}
	return count;
}

/* Find the largest key from LOW to HIGH with at most NUMBER messages before it. */
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

/* Find the same key exactly. Search near the estimate, so that few cells are decoded. */
static int64_t
bisect_near(struct merge *m, size_t part, uint64_t number, int64_t low, int64_t high)
{
	int64_t guess = merge_bisect(m, part, number, ABOUT, low, high);
	bool above = count_before(m, part, guess, EXACTLY) <= number;
	uint64_t step = NEAR_NS, left;
	if (above)
		low = guess;
	else
		high = guess > low ? guess - 1 : low;
	while (low < high && step < (left = (uint64_t)high - (uint64_t)low)) {
		int64_t probe = (int64_t)(above ? (uint64_t)low + step : (uint64_t)high - step);
		if (count_before(m, part, probe, EXACTLY) <= number) {
			low = probe;
			if (!above)
				break;
		} else {
			high = probe - 1;
			if (above)
				break;
		}
		step = step > left / 4 ? left : step * 4;
	}
	return merge_bisect(m, part, number, EXACTLY, low, high);
}

/* Count the dropped messages of a part, before its first ones. */
static uint64_t
count_dropped(struct merge *m, size_t part)
{
	uint64_t count = 0;
	for (size_t i = 0; i < m->strands.count; i++)
		if (is_shown(m, i) && lane_of(m, i)->part == part &&
		    trace_dropped(lane_of(m, i)->trace))
			count += cut_at_first(m, i).number;
	return count;
}

/* Find the message with a number in its part; for a dropped message, the first one. */
static bool
find_in_part(struct merge *m, size_t part, uint64_t number, struct sequence_position *p)
{
	uint64_t dropped = count_dropped(m, part);
	number = number > dropped ? number : dropped;
	int64_t low = merge_bisect(m, part, number, AT_MOST, KEY_FIRST, INT64_MAX);
	int64_t high = merge_bisect(m, part, number, AT_LEAST, low, INT64_MAX);
	int64_t key = bisect_near(m, part, number, low, high);
	uint64_t rest = number - count_before(m, part, key, EXACTLY);
	for (size_t i = 0; i < m->strands.count; i++) {
		if (!is_shown(m, i) || lane_of(m, i)->part != part)
			continue;
		uint64_t from = cut_by_key(m, i, key).number;
		uint64_t same = cut_behind(m, i, key).number - from;
		if (rest < same) {
			p->lane = m->strands.at[i].lane;
			return strand_find_number(m, i, from + rest, &p->at);
		}
		rest -= same;
	}
	return false;
}

/* Estimate a position: as far into the largest trace as NUMBER is into the part. */
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

bool
merge_find_number(struct merge *m, uint64_t number, struct sequence_position *p, bool *exact)
{
	follow_whole(m);
	*exact = is_settled(m);
	for (size_t part = 0; part < m->count; part++) {
		uint64_t count = 0;
		bool all_noted = true, own;
		for (size_t i = 0; i < m->count; i++) {
			if (m->lanes[i].hidden || m->lanes[i].part != part)
				continue;
			count += count_of(m, i, &own);
			all_noted &= is_all_noted(m, &m->lanes[i]);
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
	follow_whole(m);
	size_t part = m->lanes[trace].part;
	for (size_t i = 0; i < m->strands.count; i++) {
		struct cut *head = &m->strands.at[i].head;
		size_t other = lane_of(m, i)->part;
		if (!is_shown(m, i))
			continue;
		if (other != part)
			*head = other < part ? cut_at_end(m, i) : cut_at_first(m, i);
		else
			*head = cut_by_key(m, i, order);
	}
	return take_first(m, p);
}

bool
merge_head(struct merge *m, struct sequence_position p, size_t strand, struct position *at)
{
	go_to(m, p);
	const struct cut *head = &m->strands.at[strand].head;
	*at = head->at;
	if (head->end)
		*at = (struct position){
		    .cell = index_cell_count(trace_index(lane_of(m, strand)->trace))};
	return !head->end;
}

bool
merge_step(struct merge *m, size_t strand, struct position from, int direction, struct position *at)
{
	follow_whole(m);
	if (is_whole(m, strand)) {
		*at = from;
		return direction > 0 ? strand_next(m, strand, at) : strand_previous(m, strand, at);
	}
	if (direction < 0)
		return find_before(m, strand, from, at);
	from = from.at == SIZE_MAX ? (struct position){.cell = from.cell + 1}
				   : (struct position){from.cell, from.at + 1};
	return find_from(m, strand, from, at);
}

struct sequence_key
merge_key(struct merge *m, struct sequence_position p)
{
	follow_whole(m);
	struct merge_lane *lane = &m->lanes[p.lane];
	return (struct sequence_key){lane->part, merge_strand(m, p), key_at(m, lane, p.at)};
}

bool
merge_is_exact(struct merge *m)
{
	follow_whole(m);
	bool exact = is_settled(m);
	for (size_t i = 0; i < m->count && exact; i++)
		exact = m->lanes[i].hidden || is_all_noted(m, &m->lanes[i]);
	return exact;
}

bool
merge_cut(struct merge *m, size_t trace, int64_t order, struct position *at)
{
	follow_whole(m);
	const struct merge_lane *lane = &m->lanes[trace];
	struct cut best = cut_by_key(m, lane->first, order);
	for (size_t i = lane->first + 1; i < lane->first + lane->count; i++) {
		struct cut cut = cut_by_key(m, i, order);
		if (!cut.end && (best.end || cut.key < best.key))
			best = cut;
	}
	*at = best.at;
	return !best.end;
}

/* True if the cells around a cut of a trace are noted, or no such cell exists. */
static bool
is_cut_noted(struct merge *m, struct merge_lane *lane, int64_t order)
{
	struct noted_cell found;
	for (size_t s = 0; s < lane->count; s++)
		if (!lane_notes_find_key(lane->notes, m->generation, s, order, &found, NULL))
			return is_all_noted(m, lane);
	return true;
}

bool
merge_cut_is_known(struct merge *m, size_t trace, int64_t order)
{
	follow_whole(m);
	return is_settled(m) && is_cut_noted(m, &m->lanes[trace], order);
}

bool
merge_time_is_known(struct merge *m, size_t trace, int64_t order)
{
	follow_whole(m);
	bool known = is_settled(m);
	for (size_t i = 0; i < m->count && known; i++)
		known = m->lanes[i].hidden || m->lanes[i].part != m->lanes[trace].part ||
			is_cut_noted(m, &m->lanes[i], order);
	return known;
}

/* Find the time that orders a message, and its strand in the trace. */
static bool
order_time(const struct merge_lane *lane, const struct message *m, struct message_time *time,
	   size_t *strand)
{
	*strand = lane->count > 1 ? clocks_strand(lane->trace, m, time, NULL) : 0;
	return *strand || clocks_transport_time(lane->trace, m, time);
}

bool
merge_is_uncertain(const struct merge *m, size_t i, const struct message *a, size_t k,
		   const struct message *b)
{
	struct message_time first, second;
	size_t strand, other;
	return (i != k || m->lanes[i].count > 1) && m->lanes[i].part == m->lanes[k].part &&
	       order_time(&m->lanes[i], a, &first, &strand) &&
	       order_time(&m->lanes[k], b, &second, &other) && (i != k || strand != other) &&
	       fabs((double)second.order - (double)first.order) < first.error + second.error;
}

/* --- making and freeing ------------------------------------------------ */

static struct merge *
make_merge(struct session *session, size_t first, size_t count)
{
	struct merge *m = mem_new(sizeof *m);
	m->session = session;
	m->whole = m;
	m->count = count;
	m->lanes = mem_new((count + 1) * sizeof *m->lanes);
	for (size_t i = 0; i < count; i++) {
		m->lanes[i].trace = session->traces.at[first + i];
		m->lanes[i].reader = reader_new(m->lanes[i].trace);
	}
	job_init(&m->job, merge_work, m);
	return m;
}

struct merge *
merge_new(struct session *session)
{
	struct merge *m = make_merge(session, 0, session->traces.count);
	merge_renew(m);
	for (size_t i = 0; i < m->count; i++) {
		m->lanes[i].notes = mem_new(sizeof *m->lanes[i].notes);
		lane_notes_open(m->lanes[i].notes, m->lanes[i].trace);
	}
	return m;
}

struct merge *
merge_new_lane(struct merge *whole, size_t trace)
{
	struct merge *m = make_merge(whole->session, trace, 1);
	m->whole = whole;
	follow_whole(m);
	m->lanes[0].notes = whole->lanes[trace].notes;
	return m;
}

void
merge_free(struct merge *m)
{
	if (!m)
		return;
	job_free(&m->job);
	for (size_t i = 0; i < m->count; i++) {
		for (size_t k = 0; k < m->lanes[i].cache.count; k++) {
			vec_free(&m->lanes[i].cache.at[k].keys);
			vec_free(&m->lanes[i].cache.at[k].strands);
			vec_free(&m->lanes[i].cache.at[k].ranks);
		}
		vec_free(&m->lanes[i].cache);
		reader_free(m->lanes[i].reader);
		if (m->whole != m)
			continue;
		lane_notes_close(m->lanes[i].notes);
		free(m->lanes[i].notes);
	}
	free(m->lanes);
	vec_free(&m->strands);
	free(m);
}

void
merge_show(struct merge *m, size_t trace, bool on)
{
	m->lanes[trace].hidden = !on;
	m->positioned = false;
	generation_bump(&m->changes);
}

struct reader *
merge_reader(struct merge *m, size_t trace)
{
	return m->lanes[trace].reader;
}
