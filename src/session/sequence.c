/*
 * The messages of several strands in one order: see sequence.h.
 *
 * The keys of cells (strand_notes.h) never decrease along a strand. So bisecting
 * them, and decoding one cell, finds the first message with a key not before a
 * time. Such cuts are the base for everything else. The number of a message is the
 * sum of the cuts of all strands. To find a number, the sequence bisects times until
 * that many messages lie before. While the user steps, the cuts are kept and move
 * along.
 *
 * A separate thread makes the notes; they are the main cost. A cell without notes
 * is decoded when needed, and results from it are estimates. A search for a strand
 * decodes only a few such cells.
 */
#include "config.h"

#include "session/sequence.h"
#include "base/generation.h"
#include "base/job.h"
#include "base/lower_bound.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "session/strand_notes.h"

#include <math.h>
#include <stdlib.h>

enum {
	CACHE = 8,	   /* cells per trace with kept keys */
	CACHE_STRAND = 2,  /* more for each of several strands, which may be far apart */
	FAR_CELLS = 16,	   /* cells without notes to search for a strand */
	USUAL_LENGTH = 32, /* assumed length of a message while nothing is known */
	UNTIMED_MAX = 64,  /* cells without a time to skip while bisecting */
	NEAR_CELLS = 16,   /* cells to search for the message */
	WALK_CELLS = 4	   /* cells that a reader of a walk keeps */
};

/* The keys of the messages in one cell, the strand of each, and its rank in that strand within
 * the cell; BEFORE counts the messages of each strand before the cell. */
struct cell_keys {
	VEC(int64_t) keys;
	VEC(uint8_t) strands;
	VEC(uint32_t) ranks;
	uint64_t before[STRANDS_MAX];
	uint64_t cell, used;
	unsigned epoch; /* of the clocks; 0: no keys yet */
	bool exact;
};

/* The cut of a strand at a time: its first message that is not before it. */
struct cut {
	struct position at;
	int64_t key;
	uint64_t number;
	bool end; /* no such message; `number` is then the count of all */
	bool exact;
};

struct sequence_trace {
	struct trace *trace;
	struct reader *reader;
	struct strand_notes *notes;
	VEC(struct cell_keys) cache;
	uint64_t used;
	size_t part;	     /* group of traces with comparable times */
	size_t first, count; /* strands of this trace */
	bool hidden;
};

struct strand {
	struct sequence_trace *of;
	size_t number;	 /* in its trace */
	struct cut head; /* first message not before the current one */
};

struct sequence {
	struct session *session;
	struct sequence *all;		  /* of all traces; has the order and the notes */
	struct sequence_trace *traces;	  /* in the order of the session */
	size_t first, count;		  /* number of the first trace, and of traces */
	VEC(struct strand) strands;	  /* in the order of their traces */
	struct sequence_position current; /* message for which the heads are valid */
	bool positioned;
	uint64_t epoch; /* of the clocks for parts and strands */

	struct job job;
	struct generation changes;
};

/* --- order ------------------------------------------------------------- */

/* Put traces with comparable times into one part. */
static void
make_parts(struct sequence *s)
{
	size_t parts = 0;
	for (size_t i = 0; i < s->count; i++) {
		struct sequence_trace *t = &s->traces[i];
		size_t k = 0;
		while (k < i && clocks_part(s->traces[k].trace) != clocks_part(t->trace))
			k++;
		t->part = k < i ? s->traces[k].part : parts++;
	}
}

/* Make room for the cells that hold the current messages of all strands. Otherwise each step
 * from one strand to another would decode a cell again. */
static void
widen_cache(struct sequence_trace *t)
{
	size_t cells = CACHE + (t->count > 1 ? CACHE_STRAND * t->count : 0);
	reader_limit(t->reader, cells > READER_CELLS ? (unsigned)cells : READER_CELLS);
	while (t->cache.count < cells)
		*vec_add(&t->cache) = (struct cell_keys){.epoch = 0};
}

static void
make_strands(struct sequence *s)
{
	vec_clear(&s->strands);
	for (size_t i = 0; i < s->count; i++) {
		struct sequence_trace *t = &s->traces[i];
		t->first = s->strands.count;
		t->count = clocks_strand_count(t->trace);
		for (size_t k = 0; k < t->count; k++)
			*vec_add(&s->strands) = (struct strand){.of = t, .number = k};
		widen_cache(t);
	}
}

/* Return true if the order is new. */
static bool
renew_order(struct sequence *s, unsigned epoch)
{
	bool changed = generation_renew(&s->epoch, epoch);
	if (changed) {
		s->positioned = false;
		make_parts(s);
		make_strands(s);
	}
	return changed;
}

/* Take over the order of the sequence of all traces.  That changes only in sequence_renew() and
 * sequence_load(), so never in the middle of a call. */
static void
follow_all(struct sequence *s)
{
	renew_order(s, s->all->epoch);
}

void
sequence_renew(struct sequence *s)
{
	renew_order(s->all, clocks_generation(s->session->clocks));
}

bool
sequence_is_current(const struct sequence *s)
{
	return s->all->epoch == clocks_generation(s->session->clocks);
}

/* True if the times of all messages are final, and the order follows them. */
static bool
are_times_final(const struct sequence *s)
{
	return !clocks_may_change(s->session->clocks) && sequence_is_current(s);
}

/* True if neither times nor strands can change the order any more. */
static bool
is_order_final(const struct sequence *s)
{
	return are_times_final(s) || (s->strands.count == 1 &&
				      clocks_get_order(s->session->clocks) == CLOCKS_BY_TRANSPORT);
}

uint64_t
sequence_generation(struct sequence *s)
{
	follow_all(s);
	return s->strands.count == 1 ? 0
				     : generation_join(generation_now(&s->all->changes), s->epoch);
}

/* --- noting keys ------------------------------------------------------- */

static void
note_trace(struct sequence *s, struct strand_notes *notes, unsigned epoch)
{
	bool news = strand_notes_renew(notes, epoch);
	while (!job_is_stopping(&s->job) && strand_notes_add(notes))
		news = true;
	if (news)
		generation_bump(&s->changes);
}

static void
note_all(void *context)
{
	struct sequence *s = context;
	unsigned before = generation_now(&s->changes), epoch;
	do {
		epoch = clocks_generation(s->session->clocks);
		for (size_t i = 0; i < s->count; i++)
			note_trace(s, s->traces[i].notes, epoch);
	} while (epoch != clocks_generation(s->session->clocks) && !job_is_stopping(&s->job));
	if (generation_now(&s->changes) != before)
		job_tell(&s->job);
}

/* Repeat until no new clocks arrive, so that strands and notes have the same epoch. */
void
sequence_load(struct sequence *s)
{
	do
		note_all(s);
	while (renew_order(s->all, clocks_generation(s->session->clocks)));
}

void
sequence_start(struct sequence *s)
{
	s->job.notify = trace_host_notify;
	s->job.owner = &s->session->host;
	job_start(&s->job);
}

void
sequence_wake(struct sequence *s)
{
	job_wake(&s->job);
}

/* --- making and freeing ------------------------------------------------ */

static struct sequence *
make_sequence(struct session *session, size_t first, size_t count)
{
	struct sequence *s = mem_new(sizeof *s);
	*s = (struct sequence){.session = session, .all = s, .first = first, .count = count};
	s->traces = mem_new((count + 1) * sizeof *s->traces);
	for (size_t i = 0; i < count; i++) {
		s->traces[i].trace = session->traces.at[first + i];
		s->traces[i].reader = reader_new(s->traces[i].trace);
	}
	job_init(&s->job, note_all, s);
	return s;
}

struct sequence *
sequence_new(struct session *session)
{
	struct sequence *s = make_sequence(session, 0, session->traces.count);
	for (size_t i = 0; i < s->count; i++) {
		s->traces[i].notes = mem_new(sizeof *s->traces[i].notes);
		strand_notes_open(s->traces[i].notes, s->traces[i].trace);
	}
	sequence_renew(s);
	return s;
}

struct sequence *
sequence_new_walk(struct session *session, const bool *hidden)
{
	struct sequence *s = sequence_new(session);
	for (size_t i = 0; i < s->count; i++) {
		reader_limit(s->traces[i].reader, WALK_CELLS);
		if (hidden && hidden[i])
			sequence_show(s, i, false);
	}
	return s;
}

struct sequence *
sequence_new_single(struct sequence *all, size_t trace)
{
	struct sequence *s = make_sequence(all->session, trace, 1);
	s->all = all;
	s->traces[0].notes = all->traces[trace].notes;
	follow_all(s);
	return s;
}

void
sequence_free(struct sequence *s)
{
	if (!s)
		return;
	job_free(&s->job);
	for (size_t i = 0; i < s->count; i++) {
		struct sequence_trace *t = &s->traces[i];
		for (size_t k = 0; k < t->cache.count; k++) {
			vec_free(&t->cache.at[k].keys);
			vec_free(&t->cache.at[k].strands);
			vec_free(&t->cache.at[k].ranks);
		}
		vec_free(&t->cache);
		reader_free(t->reader);
		if (s->all != s)
			continue;
		strand_notes_close(t->notes);
		free(t->notes);
	}
	free(s->traces);
	vec_free(&s->strands);
	free(s);
}

/* --- traces and strands ------------------------------------------------ */

size_t
sequence_trace_count(const struct sequence *s)
{
	return s->count;
}

struct reader *
sequence_reader(const struct sequence *s, size_t trace)
{
	return s->traces[trace].reader;
}

bool
sequence_find_trace(const struct sequence *s, size_t number, size_t *trace)
{
	*trace = number - s->first;
	return *trace < s->count;
}

void
sequence_show(struct sequence *s, size_t trace, bool on)
{
	if (s->count == 1)
		return;
	s->traces[trace].hidden = !on;
	s->positioned = false;
	generation_bump(&s->changes);
}

bool
sequence_shows(const struct sequence *s, size_t trace)
{
	return !s->traces[trace].hidden;
}

bool
sequence_relates(const struct sequence *s, size_t trace, size_t other)
{
	return s->traces[trace].part == s->traces[other].part;
}

size_t
sequence_strand_count(struct sequence *s)
{
	follow_all(s);
	return s->strands.count;
}

size_t
sequence_strand_trace(const struct sequence *s, size_t strand)
{
	return (size_t)(s->strands.at[strand].of - s->traces);
}

bool
sequence_strand_group(const struct sequence *s, size_t strand, size_t *number)
{
	*number = s->strands.at[strand].number;
	return s->strands.at[strand].of->count > 1;
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
		first[keys->strands.at[k]] = any;
	}
	for (size_t k = 0; k < keys->keys.count; k++) {
		int64_t own = first[keys->strands.at[k]];
		if (keys->keys.at[k] == KEY_FIRST)
			keys->keys.at[k] = own == KEY_FIRST ? any : own;
	}
}

static void
make_keys(struct sequence *s, struct sequence_trace *t, struct cell_keys *keys,
	  const struct decoded_cell *decoded)
{
	int64_t last[STRANDS_MAX];
	uint32_t ranks[STRANDS_MAX] = {0};
	size_t count = decoded->count;
	keys->exact = strand_notes_before(t->notes, s->epoch, decoded->cell, last, keys->before) &&
		      decoded->exact;
	keys->cell = decoded->cell;
	keys->epoch = s->epoch;
	vec_clear(&keys->keys);
	vec_clear(&keys->strands);
	vec_clear(&keys->ranks);
	vec_reserve(&keys->keys, count);
	vec_reserve(&keys->strands, count);
	vec_reserve(&keys->ranks, count);
	keys->keys.count = keys->strands.count = keys->ranks.count = count;
	strand_keys_make(t->trace, t->count, decoded->messages, count, last, keys->keys.at,
			 keys->strands.at);
	for (size_t k = 0; k < count; k++)
		keys->ranks.at[k] = ranks[keys->strands.at[k]]++;
	if (!keys->exact)
		guess_first_keys(keys, t->count);
}

static bool
is_fresh(struct sequence *s, struct sequence_trace *t, const struct cell_keys *keys,
	 const struct decoded_cell *decoded)
{
	return keys->epoch == s->epoch && keys->keys.count == decoded->count &&
	       (keys->exact || !decoded->exact ||
		strand_notes_count(t->notes, s->epoch) < keys->cell);
}

static const struct cell_keys *
keys_of(struct sequence *s, struct sequence_trace *t, uint64_t cell)
{
	const struct decoded_cell *decoded = reader_decoded_cell(t->reader, cell);
	struct cell_keys *oldest = &t->cache.at[0];
	for (size_t k = 0; k < t->cache.count; k++) {
		struct cell_keys *keys = &t->cache.at[k];
		if (keys->epoch && keys->cell == cell) {
			oldest = keys;
			break;
		}
		if (keys->used < oldest->used)
			oldest = keys;
	}
	oldest->used = ++t->used;
	if (oldest->cell != cell || !is_fresh(s, t, oldest, decoded))
		make_keys(s, t, oldest, decoded);
	return oldest;
}

/* Return the key of a message. With one strand all are equal: nothing is compared with it. */
static int64_t
key_at(struct sequence *s, struct sequence_trace *t, struct position at)
{
	if (s->strands.count == 1)
		return 0;
	const struct cell_keys *keys = keys_of(s, t, at.cell);
	return at.at < keys->keys.count ? keys->keys.at[at.at] : INT64_MAX;
}

static struct strand *
strand_of(struct sequence *s, struct sequence_position p)
{
	struct sequence_trace *t = &s->traces[p.trace];
	size_t number = 0;
	if (t->count > 1) {
		const struct cell_keys *keys = keys_of(s, t, p.at.cell);
		number = p.at.at < keys->strands.count ? keys->strands.at[p.at.at] : 0;
	}
	return &s->strands.at[t->first + number];
}

size_t
sequence_strand(struct sequence *s, struct sequence_position p)
{
	follow_all(s);
	return (size_t)(strand_of(s, p) - s->strands.at);
}

/* --- along a strand ---------------------------------------------------- */

static uint64_t
cell_count(const struct strand *strand)
{
	return index_cell_count(trace_index(strand->of->trace));
}

/* True if all messages of its trace are in the strand. */
static bool
has_all(const struct strand *strand)
{
	return strand->of->count == 1;
}

/* Find the next cell that may contain messages of a strand, from *CELL on. Beyond the notes, try
 * *FAR more cells. */
static bool
next_cell(struct sequence *s, struct strand *strand, uint64_t *cell, unsigned *far)
{
	struct strand_notes *notes = strand->of->notes;
	struct noted_cell found;
	if (strand_notes_find_cell(notes, s->epoch, strand->number, *cell, 1, &found)) {
		*cell = found.cell;
		return true;
	}
	uint64_t noted = strand_notes_count(notes, s->epoch);
	*cell = *cell > noted ? *cell : noted;
	return *cell < cell_count(strand) && (*far)-- > 0;
}

/* Find the previous such cell, before *CELL. */
static bool
previous_cell(struct sequence *s, struct strand *strand, uint64_t *cell, unsigned *far)
{
	struct strand_notes *notes = strand->of->notes;
	struct noted_cell found;
	if (*cell > strand_notes_count(notes, s->epoch) && *far) {
		--*far;
		--*cell;
		return true;
	}
	if (!strand_notes_find_cell(notes, s->epoch, strand->number, *cell, -1, &found))
		return false;
	*cell = found.cell;
	return true;
}

/* Find the first message of a strand from a position on. */
static bool
find_from(struct sequence *s, struct strand *strand, struct position from, struct position *at)
{
	unsigned far = FAR_CELLS;
	do {
		const struct cell_keys *keys = keys_of(s, strand->of, from.cell);
		for (; from.at < keys->keys.count; from.at++) {
			if (keys->strands.at[from.at] == strand->number) {
				*at = from;
				return true;
			}
		}
		from = (struct position){.cell = from.cell + 1};
	} while (next_cell(s, strand, &from.cell, &far));
	return false;
}

/* Find the last message before a position. */
static bool
find_before(struct sequence *s, struct strand *strand, struct position from, struct position *at)
{
	unsigned far = FAR_CELLS;
	do {
		const struct cell_keys *keys = keys_of(s, strand->of, from.cell);
		from.at = from.at < keys->keys.count ? from.at : keys->keys.count;
		while (from.at-- > 0) {
			if (keys->strands.at[from.at] == strand->number) {
				*at = from;
				return true;
			}
		}
		from.at = SIZE_MAX;
	} while (previous_cell(s, strand, &from.cell, &far));
	return false;
}

static bool
strand_first(struct sequence *s, struct strand *strand, struct position *at)
{
	if (has_all(strand))
		return reader_first(strand->of->reader, at);
	struct position from = {0};
	unsigned far = FAR_CELLS;
	return next_cell(s, strand, &from.cell, &far) && find_from(s, strand, from, at);
}

static bool
strand_last(struct sequence *s, struct strand *strand, struct position *at)
{
	if (has_all(strand))
		return reader_last(strand->of->reader, at);
	return find_before(s, strand, (struct position){.cell = cell_count(strand)}, at);
}

/* Step to the next message of a strand, or to the previous one. *AT need not be a message. */
static bool
strand_step(struct sequence *s, struct strand *strand, int direction, struct position *at)
{
	struct reader *reader = strand->of->reader;
	if (has_all(strand))
		return direction > 0 ? reader_next(reader, at, 0) : reader_previous(reader, at, 0);
	if (direction < 0)
		return find_before(s, strand, *at, at);
	bool past = at->at == SIZE_MAX;
	return find_from(s, strand, (struct position){at->cell + past, past ? 0 : at->at + 1}, at);
}

/* Return the number of a message in its strand. */
static uint64_t
strand_number(struct sequence *s, struct strand *strand, struct position at, bool *exact)
{
	struct reader *reader = strand->of->reader;
	if (has_all(strand))
		return reader_number(reader, at, exact);
	const struct cell_keys *keys = keys_of(s, strand->of, at.cell);
	*exact = keys->exact && at.at < keys->ranks.count;
	if (*exact)
		return keys->before[strand->number] + keys->ranks.at[at.at];
	bool sure;
	return reader_number(reader, at, &sure) / strand->of->count;
}

static bool
strand_find_number(struct sequence *s, struct strand *strand, uint64_t number, struct position *at)
{
	struct sequence_trace *t = strand->of;
	struct noted_cell found;
	bool exact;
	if (has_all(strand))
		return reader_find_number(t->reader, number, at, &exact);
	if (!strand_notes_find_number(t->notes, s->epoch, strand->number, number, &found))
		return false;
	const struct cell_keys *keys = keys_of(s, t, found.cell);
	uint64_t rank = number - keys->before[strand->number];
	*at = (struct position){.cell = found.cell};
	while (at->at < keys->ranks.count &&
	       (keys->strands.at[at->at] != strand->number || keys->ranks.at[at->at] != rank))
		at->at++;
	return at->at < keys->ranks.count;
}

/* True if the keys of all cells of a trace are noted. */
static bool
is_all_noted(struct sequence *s, struct sequence_trace *t)
{
	bool exact;
	uint64_t count = strand_notes_count(t->notes, s->epoch);
	trace_count(t->trace, &exact);
	return exact && count >= index_cell_count(trace_index(t->trace));
}

/* Return the number of messages of a strand. */
static uint64_t
strand_count(struct sequence *s, struct strand *strand, bool *exact)
{
	struct sequence_trace *t = strand->of;
	struct noted_cell last = {0};
	uint64_t all = trace_count(t->trace, exact);
	if (has_all(strand))
		return all;
	*exact = is_all_noted(s, t);
	if (!*exact)
		return all / t->count;
	strand_notes_find_cell(t->notes, s->epoch, strand->number, UINT64_MAX, -1, &last);
	return last.count;
}

/* --- cuts -------------------------------------------------------------- */

static struct cut
cut_with_key(struct sequence *s, struct strand *strand, struct position at, int64_t key)
{
	struct cut cut = {.at = at, .key = key};
	cut.number = strand_number(s, strand, at, &cut.exact);
	return cut;
}

static struct cut
cut_at(struct sequence *s, struct strand *strand, struct position at)
{
	return cut_with_key(s, strand, at, key_at(s, strand->of, at));
}

static struct cut
cut_at_end(struct sequence *s, struct strand *strand)
{
	struct cut cut = {.end = true, .key = INT64_MAX};
	cut.number = strand_count(s, strand, &cut.exact);
	return cut;
}

static struct cut
cut_at_first(struct sequence *s, struct strand *strand)
{
	struct position at;
	return strand_first(s, strand, &at) ? cut_at(s, strand, at) : cut_at_end(s, strand);
}

/* Bisect the cells without notes, from FROM on, by decoding them. */
static uint64_t
unnoted_cell(struct sequence *s, struct strand *strand, int64_t key, uint64_t from)
{
	uint64_t low = from, high = cell_count(strand);
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const struct cell_keys *keys = keys_of(s, strand->of, middle);
		size_t last = keys->keys.count;
		while (last && keys->strands.at[last - 1] != strand->number)
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
cut_by_key(struct sequence *s, struct strand *strand, int64_t key)
{
	struct strand_notes *notes = strand->of->notes;
	struct noted_cell found;
	if (!strand_notes_find_key(notes, s->epoch, strand->number, key, &found, NULL))
		found.cell = unnoted_cell(s, strand, key, strand_notes_count(notes, s->epoch));
	if (found.cell >= cell_count(strand))
		return cut_at_end(s, strand);
	const struct cell_keys *keys = keys_of(s, strand->of, found.cell);
	bool exact = keys->exact;
	struct position at = {.cell = found.cell};
	if (strand->of->count == 1)
		lower_bound(at.at, keys->keys.count, keys->keys.at[at.at] < key);
	while (at.at < keys->keys.count &&
	       (keys->strands.at[at.at] != strand->number || keys->keys.at[at.at] < key))
		at.at++;
	if (at.at == keys->keys.count) { /* a wrong estimate, or an empty cell */
		if (!find_from(s, strand, at, &at))
			return cut_at_end(s, strand);
		exact = false;
	}
	struct cut cut = cut_at(s, strand, at);
	cut.exact &= exact;
	return cut;
}

/* Find the first message of a strand with a key after KEY. */
static struct cut
cut_after(struct sequence *s, struct strand *strand, int64_t key)
{
	return key == INT64_MAX ? cut_at_end(s, strand) : cut_by_key(s, strand, key + 1);
}

/* --- walking ----------------------------------------------------------- */

/* Set the heads of all strands for a time in a part: to their first messages not before KEY. OWN
 * (or NULL) is the strand of the message AT with that key; strands before it are past KEY. */
static void
set_heads(struct sequence *s, size_t part, int64_t key, const struct strand *own,
	  struct position at)
{
	for (size_t i = 0; i < s->strands.count; i++) {
		struct strand *strand = &s->strands.at[i];
		size_t other = strand->of->part;
		if (strand->of->hidden)
			continue;
		if (strand == own)
			strand->head = cut_with_key(s, strand, at, key);
		else if (other != part)
			strand->head =
			    other < part ? cut_at_end(s, strand) : cut_at_first(s, strand);
		else
			strand->head = own && strand < own ? cut_after(s, strand, key)
							   : cut_by_key(s, strand, key);
	}
}

/* Find the heads of all strands for a message. */
static void
go_to(struct sequence *s, struct sequence_position p)
{
	follow_all(s);
	if (s->positioned && sequence_position_is_same(s->current, p))
		return;
	struct sequence_trace *t = &s->traces[p.trace];
	set_heads(s, t->part, key_at(s, t, p.at), strand_of(s, p), p.at);
	s->current = p;
	s->positioned = true;
}

static struct sequence_key
make_key(const struct sequence *s, const struct strand *strand, int64_t time)
{
	return (struct sequence_key){strand->of->part, (size_t)(strand - s->strands.at), time};
}

/* True if cut A of strand I comes before cut B of strand K. */
static bool
is_before(const struct sequence *s, const struct strand *i, const struct cut *a,
	  const struct strand *k, const struct cut *b)
{
	struct sequence_key first = make_key(s, i, a->key), second = make_key(s, k, b->key);
	return sequence_key_is_before(&first, &second);
}

/* Make the message at the head of a strand the current one. */
static void
take_head(struct sequence *s, const struct strand *strand, struct sequence_position *p)
{
	*p = (struct sequence_position){(size_t)(strand->of - s->traces), strand->head.at};
	s->current = *p;
	s->positioned = true;
}

/* Make the first of all heads the current message. */
static bool
take_first(struct sequence *s, struct sequence_position *p)
{
	const struct strand *best = NULL;
	for (size_t i = 0; i < s->strands.count; i++) {
		const struct strand *strand = &s->strands.at[i];
		if (strand->of->hidden || strand->head.end)
			continue;
		if (!best || is_before(s, strand, &strand->head, best, &best->head))
			best = strand;
	}
	s->positioned = false;
	if (best)
		take_head(s, best, p);
	return best;
}

/* Find the last message of a strand before its head. */
static bool
before_head(struct sequence *s, struct strand *strand, struct cut *cut)
{
	struct position at = strand->head.at;
	bool any = strand->head.end ? strand_last(s, strand, &at) : strand_step(s, strand, -1, &at);
	if (any)
		*cut = cut_at(s, strand, at);
	return any;
}

/* Make the last message before all heads the current one. */
static bool
take_last(struct sequence *s, struct sequence_position *p)
{
	struct strand *best = NULL;
	struct cut cut, latest = {0};
	for (size_t i = 0; i < s->strands.count; i++) {
		struct strand *strand = &s->strands.at[i];
		if (strand->of->hidden || !before_head(s, strand, &cut))
			continue;
		if (!best || is_before(s, best, &latest, strand, &cut)) {
			best = strand;
			latest = cut;
		}
	}
	if (!best)
		return false;
	best->head = latest;
	take_head(s, best, p);
	return true;
}

bool
sequence_next(struct sequence *s, struct sequence_position *p)
{
	go_to(s, *p);
	struct strand *strand = strand_of(s, *p);
	struct cut before = strand->head;
	struct position at = before.at;
	strand->head =
	    strand_step(s, strand, 1, &at) ? cut_at(s, strand, at) : cut_at_end(s, strand);
	if (take_first(s, p))
		return true;
	strand->head = before;
	s->positioned = true;
	return false;
}

bool
sequence_previous(struct sequence *s, struct sequence_position *p)
{
	go_to(s, *p);
	return take_last(s, p);
}

bool
sequence_first(struct sequence *s, struct sequence_position *p)
{
	follow_all(s);
	for (size_t i = 0; i < s->strands.count; i++)
		if (!s->strands.at[i].of->hidden)
			s->strands.at[i].head = cut_at_first(s, &s->strands.at[i]);
	return take_first(s, p);
}

bool
sequence_last(struct sequence *s, struct sequence_position *p)
{
	follow_all(s);
	s->positioned = false;
	for (size_t i = 0; i < s->strands.count; i++)
		if (!s->strands.at[i].of->hidden)
			s->strands.at[i].head = cut_at_end(s, &s->strands.at[i]);
	return take_last(s, p);
}

const struct message *
sequence_message(struct sequence *s, struct sequence_position p)
{
	return reader_message(s->traces[p.trace].reader, p.at);
}

static bool
is_earlier(struct position a, struct position b)
{
	return a.cell != b.cell ? a.cell < b.cell : a.at < b.at;
}

bool
sequence_is_before(struct sequence *s, struct sequence_position a, struct sequence_position b)
{
	if (sequence_strand(s, a) == sequence_strand(s, b))
		return is_earlier(a.at, b.at);
	struct sequence_key first = sequence_key(s, a), second = sequence_key(s, b);
	return sequence_key_is_before(&first, &second);
}

struct sequence_key
sequence_key(struct sequence *s, struct sequence_position p)
{
	follow_all(s);
	return make_key(s, strand_of(s, p), key_at(s, &s->traces[p.trace], p.at));
}

bool
sequence_head(struct sequence *s, struct sequence_position p, size_t strand, struct position *at)
{
	*at = p.at;
	if (strand == sequence_strand(s, p))
		return true;
	go_to(s, p);
	const struct strand *own = &s->strands.at[strand];
	*at = own->head.end ? (struct position){.cell = cell_count(own)} : own->head.at;
	return !own->head.end;
}

bool
sequence_step(struct sequence *s, size_t strand, struct position from, int direction,
	      struct position *at)
{
	follow_all(s);
	*at = from;
	return strand_step(s, &s->strands.at[strand], direction, at);
}

bool
sequence_between(struct sequence *s, size_t strand, struct sequence_position first,
		 struct sequence_position last, struct position *from, struct position *to)
{
	if (!sequence_head(s, first, strand, from))
		return false;
	*to = last.at;
	if (strand != sequence_strand(s, last)) {
		sequence_head(s, last, strand, to);
		if (!sequence_step(s, strand, *to, -1, to))
			return false;
	}
	return !is_earlier(*to, *from);
}

bool
sequence_trace_head(struct sequence *s, struct sequence_position p, size_t trace,
		    struct position *at)
{
	const struct sequence_trace *t = &s->traces[trace];
	bool any = trace == p.trace;
	*at = p.at;
	follow_all(s);
	for (size_t i = t->first; trace != p.trace && i < t->first + t->count; i++) {
		struct position head;
		bool own = sequence_head(s, p, i, &head);
		if (!any || (own && is_earlier(head, *at)))
			*at = head;
		any |= own;
	}
	return any;
}

bool
sequence_is_exact(struct sequence *s)
{
	follow_all(s);
	bool exact = is_order_final(s);
	for (size_t i = 0; s->strands.count > 1 && i < s->count && exact; i++)
		exact = s->traces[i].hidden || is_all_noted(s, &s->traces[i]);
	return exact;
}

/* Find the time that orders a message, and its strand in the trace. */
static bool
order_time(const struct sequence_trace *t, const struct message *m, struct message_time *time,
	   size_t *strand)
{
	*strand = t->count > 1 ? clocks_strand(t->trace, m, time, NULL) : 0;
	return *strand || clocks_transport_time(t->trace, m, time);
}

bool
sequence_is_uncertain(const struct sequence *s, size_t trace, const struct message *m, size_t other,
		      const struct message *of_other)
{
	const struct sequence_trace *a = &s->traces[trace], *b = &s->traces[other];
	struct message_time first, second;
	size_t strand, other_strand;
	return (a != b || a->count > 1) && a->part == b->part &&
	       order_time(a, m, &first, &strand) &&
	       order_time(b, of_other, &second, &other_strand) &&
	       (a != b || strand != other_strand) &&
	       fabs((double)second.order - (double)first.order) < first.error + second.error;
}

/* --- numbers ----------------------------------------------------------- */

uint64_t
sequence_number(struct sequence *s, struct sequence_position p, bool *exact)
{
	uint64_t number = 0;
	go_to(s, p);
	*exact = is_order_final(s);
	for (size_t i = 0; i < s->strands.count; i++) {
		struct strand *strand = &s->strands.at[i];
		struct cut *head = &strand->head;
		if (strand->of->hidden)
			continue;
		if (!head->exact) /* more may be known now */
			*head = head->end ? cut_at_end(s, strand) : cut_at(s, strand, head->at);
		number += head->number;
		*exact &= head->exact;
	}
	return number;
}

/* Return COUNT, or an estimate by size while nothing is known of a trace. */
static uint64_t
count_or_guess(const struct sequence_trace *t, uint64_t count, bool exact)
{
	return count || exact ? count : 1 + capture_size(trace_capture(t->trace)) / USUAL_LENGTH;
}

static uint64_t
count_of(const struct sequence_trace *t, bool *exact)
{
	uint64_t count = trace_count(t->trace, exact);
	return count_or_guess(t, count, *exact);
}

uint64_t
sequence_count(struct sequence *s, bool *exact)
{
	uint64_t count = 0;
	follow_all(s);
	if (s->strands.count == 1) {
		count = reader_count(s->traces[0].reader, exact);
		return count_or_guess(&s->traces[0], count, *exact);
	}
	*exact = true;
	for (size_t i = 0; i < s->count; i++) {
		bool own = true;
		if (!s->traces[i].hidden)
			count += count_of(&s->traces[i], &own);
		*exact &= own;
	}
	return count;
}

/* Ways to count the messages of a part with keys before KEY. */
enum counting { AT_LEAST, AT_MOST, EXACTLY };

/* Count the messages of a strand before KEY, from notes alone. */
static uint64_t
count_by_cells(struct sequence *s, struct strand *strand, int64_t key, enum counting how)
{
	struct noted_cell found;
	uint64_t before;
	bool exact;
	if (!strand_notes_find_key(strand->of->notes, s->epoch, strand->number, key, &found,
				   &before))
		return strand_count(s, strand, &exact);
	return how == AT_LEAST ? before : found.count;
}

static uint64_t
count_before(struct sequence *s, size_t part, int64_t key, enum counting how)
{
	uint64_t count = 0;
	for (size_t i = 0; i < s->strands.count; i++) {
		struct strand *strand = &s->strands.at[i];
		if (!strand->of->hidden && strand->of->part == part)
			count += how == EXACTLY ? cut_by_key(s, strand, key).number
						: count_by_cells(s, strand, key, how);
	}
	return count;
}

/* Find the largest key from LOW to HIGH with at most NUMBER messages before it. */
static int64_t
find_key(struct sequence *s, size_t part, uint64_t number, enum counting how, int64_t low,
	 int64_t high)
{
	while (low < high) {
		uint64_t half = ((uint64_t)high - (uint64_t)low) / 2 + 1;
		int64_t middle = (int64_t)((uint64_t)low + half);
		if (count_before(s, part, middle, how) <= number)
			low = middle;
		else
			high = (int64_t)((uint64_t)middle - 1);
	}
	return low;
}

/* Count the dropped messages of a part, before its first ones. */
static uint64_t
count_dropped(struct sequence *s, size_t part)
{
	uint64_t count = 0;
	for (size_t i = 0; i < s->strands.count; i++) {
		struct strand *strand = &s->strands.at[i];
		if (!strand->of->hidden && strand->of->part == part &&
		    trace_dropped(strand->of->trace))
			count += cut_at_first(s, strand).number;
	}
	return count;
}

/* Find the message with a number in its part; for a dropped message, the first one. */
static bool
find_in_part(struct sequence *s, size_t part, uint64_t number, struct sequence_position *p)
{
	uint64_t dropped = count_dropped(s, part);
	number = number > dropped ? number : dropped;
	int64_t low = find_key(s, part, number, AT_MOST, KEY_FIRST, INT64_MAX);
	int64_t high = find_key(s, part, number, AT_LEAST, low, INT64_MAX);
	int64_t key = find_key(s, part, number, EXACTLY, low, high);
	uint64_t rest = number - count_before(s, part, key, EXACTLY);
	for (size_t i = 0; i < s->strands.count; i++) {
		struct strand *strand = &s->strands.at[i];
		if (strand->of->hidden || strand->of->part != part)
			continue;
		uint64_t from = cut_by_key(s, strand, key).number;
		uint64_t same = cut_after(s, strand, key).number - from;
		if (rest < same) {
			p->trace = (size_t)(strand->of - s->traces);
			return strand_find_number(s, strand, from + rest, &p->at);
		}
		rest -= same;
	}
	return false;
}

/* Estimate a position: as far into the largest trace as NUMBER is into the part. */
static bool
guess_in_part(struct sequence *s, size_t part, uint64_t number, uint64_t all,
	      struct sequence_position *p)
{
	uint64_t most = 0;
	bool found = false;
	for (size_t i = 0; i < s->count; i++) {
		if (s->traces[i].hidden || s->traces[i].part != part)
			continue;
		uint64_t size = capture_size(trace_capture(s->traces[i].trace));
		if (!found || size > most)
			p->trace = i;
		most = size > most ? size : most;
		found = true;
	}
	double share = all ? (double)number / (double)all : 0;
	return found && reader_find_offset(s->traces[p->trace].reader,
					   (uint64_t)(share * (double)most), &p->at);
}

static bool
find_number(struct sequence *s, uint64_t number, struct sequence_position *p)
{
	bool exact;
	p->trace = 0;
	if (s->strands.count == 1)
		return reader_find_number(s->traces[0].reader, number, &p->at, &exact);
	for (size_t part = 0; part < s->count; part++) {
		uint64_t count = 0;
		bool all_noted = true;
		for (size_t i = 0; i < s->count; i++) {
			if (s->traces[i].hidden || s->traces[i].part != part)
				continue;
			count += count_of(&s->traces[i], &exact);
			all_noted &= is_all_noted(s, &s->traces[i]);
		}
		if (number < count)
			return all_noted ? find_in_part(s, part, number, p)
					 : guess_in_part(s, part, number, count, p);
		number -= count;
	}
	return false;
}

static bool
number_is_known(struct sequence *s, uint64_t number)
{
	uint64_t cell;
	bool exact;
	if (s->strands.count != 1 || !is_order_final(s))
		return sequence_is_exact(s);
	trace_count(s->traces[0].trace, &exact);
	return exact || index_find(trace_index(s->traces[0].trace), number, &cell);
}

static bool
find_percent(struct sequence *s, const struct sequence_wish *wish, struct sequence_position *p)
{
	uint64_t percent = wish->value < 100 ? wish->value : 100;
	if (s->strands.count > 1 && sequence_is_exact(s)) {
		bool exact;
		uint64_t count = sequence_count(s, &exact);
		double share = count ? (double)(count - 1) / 100 * (double)percent : 0;
		return find_number(s, (uint64_t)share, p);
	}
	struct sequence_trace *t = &s->traces[wish->trace];
	uint64_t size = capture_size(trace_capture(t->trace));
	p->trace = wish->trace;
	return reader_find_offset(t->reader, size / 100 * percent + size % 100 * percent / 100,
				  &p->at);
}

/* --- times ------------------------------------------------------------- */

/* True if, by its summary, no message of a cell has a time. */
static bool
is_untimed(struct trace *trace, uint64_t cell)
{
	struct index_cell summary;
	return !clocks_nature(trace).by_offset && index_cell(trace_index(trace), cell, &summary) &&
	       !(summary.message_flags & MESSAGE_TIMED);
}

/* Find the last message of a strand before FROM in its cell for which HAS is true. */
static bool
find_in_cell(struct sequence *s, size_t strand, struct position from, sequence_has *has,
	     void *context, struct sequence_position *found)
{
	size_t trace = sequence_strand_trace(s, strand);
	const struct decoded_cell *cell = reader_decoded_cell(s->traces[trace].reader, from.cell);
	size_t at = from.at < cell->count ? from.at : cell->count;
	while (at-- > 0) {
		*found = (struct sequence_position){trace, {from.cell, at}};
		if (has(context, trace, &cell->messages[at]) &&
		    sequence_strand(s, *found) == strand)
			return true;
	}
	return false;
}

/* If a strand is a group of senders, move *FROM after the strand's last message before
 * *FROM. It may be many cells back. Return false if there is none. */
static bool
skip_others(struct sequence *s, size_t strand, struct position *from)
{
	size_t number;
	struct position last;
	if (!sequence_strand_group(s, strand, &number))
		return true;
	if (!sequence_step(s, strand, *from, -1, &last))
		return false;
	*from = (struct position){.cell = last.cell, .at = last.at + 1};
	return true;
}

/* Find the last message for which HAS is true in one strand, before FROM. */
static bool
find_timed_before(struct sequence *s, size_t strand, struct position from, unsigned cells,
		  sequence_has *has, void *context, struct sequence_position *found)
{
	struct trace *trace = s->strands.at[strand].of->trace;
	for (unsigned decoded = 0; decoded < cells && skip_others(s, strand, &from);) {
		if (from.at && !is_untimed(trace, from.cell)) {
			if (find_in_cell(s, strand, from, has, context, found))
				return true;
			decoded++;
		}
		if (!from.cell)
			return false;
		from = (struct position){.cell = from.cell - 1, .at = SIZE_MAX};
	}
	return false;
}

bool
sequence_find_timed_before(struct sequence *s, struct sequence_position p, unsigned cells,
			   sequence_has *has, void *context, struct sequence_position *found)
{
	bool any = false;
	size_t strands = sequence_strand_count(s);
	for (size_t i = 0; i < strands; i++) {
		struct sequence_position own;
		struct position head;
		size_t trace = sequence_strand_trace(s, i);
		if (!sequence_shows(s, trace) || !sequence_relates(s, trace, p.trace))
			continue;
		sequence_head(s, p, i, &head);
		if (!find_timed_before(s, i, head, cells, has, context, &own) ||
		    (any && sequence_is_before(s, own, *found)))
			continue;
		*found = own;
		any = true;
	}
	return any;
}

bool
sequence_find_in_trace(struct sequence *s, size_t trace, int64_t time, struct position *at)
{
	const struct sequence_trace *t = &s->traces[trace];
	struct cut first = {.end = true};
	follow_all(s);
	for (size_t i = t->first; i < t->first + t->count; i++) {
		struct cut cut = cut_by_key(s, &s->strands.at[i], time);
		if (!cut.end && (first.end || cut.key < first.key))
			first = cut;
	}
	*at = first.at;
	return !first.end || reader_last(t->reader, at);
}

/* True if the cells around a time of a trace are noted, or no such cell exists. */
static bool
is_time_noted(struct sequence *s, struct sequence_trace *t, int64_t time)
{
	struct noted_cell found;
	for (size_t i = 0; i < t->count; i++)
		if (!strand_notes_find_key(t->notes, s->epoch, i, time, &found, NULL))
			return is_all_noted(s, t);
	return true;
}

static bool
find_time(struct sequence *s, const struct sequence_wish *wish, struct sequence_position *p)
{
	set_heads(s, s->traces[wish->trace].part, wish->time, NULL, (struct position){0});
	return take_first(s, p) || sequence_last(s, p);
}

static bool
time_is_known(struct sequence *s, const struct sequence_wish *wish)
{
	bool known = are_times_final(s);
	for (size_t i = 0; i < s->count && known; i++)
		known = s->traces[i].hidden || !sequence_relates(s, i, wish->trace) ||
			is_time_noted(s, &s->traces[i], wish->time);
	return known;
}

/* Find the latest time in a cell; return false if it has none. */
static bool
cell_time(struct reader *reader, uint64_t cell, uint64_t *ticks)
{
	struct index_cell summary;
	if (index_cell(trace_index(reader_trace(reader)), cell, &summary)) {
		*ticks = summary.time_max;
		return summary.flags & CELL_TIMED;
	}
	const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
	for (size_t i = decoded->count; i-- > 0;) {
		if (decoded->messages[i].flags & MESSAGE_TIMED) {
			*ticks = decoded->messages[i].ticks;
			return true;
		}
	}
	return false;
}

/* Find the first message from CELL on that is not before TICKS. */
static bool
find_in_cells(struct reader *reader, uint64_t cell, uint64_t ticks, struct position *at)
{
	for (unsigned looked = 0; looked < NEAR_CELLS; looked++, cell++) {
		const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
		for (size_t i = 0; i < decoded->count; i++) {
			if (decoded->messages[i].flags & MESSAGE_TIMED &&
			    decoded->messages[i].ticks >= ticks) {
				*at = (struct position){.cell = cell, .at = i};
				return true;
			}
		}
	}
	return reader_last(reader, at);
}

/* Bisect the cells, by their summaries or, before they are indexed, by decoding: about twenty
 * cells in a capture of any size. */
static bool
find_ticks(struct reader *reader, uint64_t ticks, struct position *at)
{
	uint64_t low = 0, high = index_cell_count(trace_index(reader_trace(reader)));
	while (low < high) {
		uint64_t middle = low + (high - low) / 2, cell = middle, time = 0;
		uint64_t end = high - middle < UNTIMED_MAX ? high : middle + UNTIMED_MAX;
		while (cell < end && !cell_time(reader, cell, &time))
			cell++;
		if (cell < end && time < ticks)
			low = cell + 1;
		else
			high = middle;
	}
	return find_in_cells(reader, low, ticks, at);
}

/* True if the index is complete or has reached TICKS. */
static bool
ticks_are_known(struct reader *reader, uint64_t ticks)
{
	struct index *index = trace_index(reader_trace(reader));
	struct index_cell last;
	if (index_is_complete(index))
		return true;
	uint64_t known = index_known(index);
	return known && index_cell(index, known - 1, &last) && last.flags & CELL_TIMED &&
	       last.time_max >= ticks;
}

/* --- wishes ------------------------------------------------------------ */

bool
sequence_find(struct sequence *s, const struct sequence_wish *wish, struct sequence_position *p)
{
	follow_all(s);
	switch (wish->by) {
	case SEQUENCE_BY_NUMBER:
		return find_number(s, wish->value, p);
	case SEQUENCE_BY_PERCENT:
		return find_percent(s, wish, p);
	case SEQUENCE_BY_TIME:
		return find_time(s, wish, p);
	case SEQUENCE_BY_TICKS:
		p->trace = wish->trace;
		return find_ticks(s->traces[wish->trace].reader, wish->value, &p->at);
	case SEQUENCE_BY_NOTHING:
		break;
	}
	return false;
}

bool
sequence_is_known(struct sequence *s, const struct sequence_wish *wish)
{
	follow_all(s);
	switch (wish->by) {
	case SEQUENCE_BY_NUMBER:
		return number_is_known(s, wish->value);
	case SEQUENCE_BY_PERCENT:
		return sequence_is_exact(s);
	case SEQUENCE_BY_TIME:
		return time_is_known(s, wish);
	case SEQUENCE_BY_TICKS:
		return ticks_are_known(s->traces[wish->trace].reader, wish->value);
	case SEQUENCE_BY_NOTHING:
		break;
	}
	return true;
}
