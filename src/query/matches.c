/*
 * Match sets: see matches.h.
 *
 * Matches are counted per cell, and summed per group of 256 cells. Ranks and rows are sums
 * over groups, then over the cells of one group. That takes some microseconds for a million
 * cells, and cells can be decided in any order.
 *
 * The screen's thread sweeps over the summaries of newly indexed cells. A summary decides a
 * cell or leaves it to the worker threads. They start only when such a cell exists. If the
 * caller has time, it first decides cells on its own. A small capture then needs no thread,
 * and the first screen of a large one need not wait. If only severities matter, the summary
 * always gives the count. If severities and origins matter, a complete index gives the
 * total at once, while cells are still counted.
 *
 * A set drops all counts if the index restarts. It also does so if texts, times or contexts
 * change and the filter uses them. In both cases generation_of() changes, and the results
 * of running workers are dropped.
 */
#include "config.h"

#include "query/matches.h"
#include "base/generation.h"
#include "base/lower_bound.h"
#include "base/thread.h"
#include "base/vec.h"
#include "base/job.h"
#include "session/context/context.h"
#include "session/context/context_naming.h"
#include "session/flows.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	GROUP = 256,
	SPARSE = 32,	      /* most matches in a cell that keeps its ordinals */
	SPARSE_MAX = 1 << 20, /* ordinals kept in all cells */
	NAMED = 256,	      /* most origins to compare by name with the filter */
	CACHE = 8,
	RUN = 64, /* cells in one direction before the other has its turn */
	NEWS_MS = 500,
	WORKERS_MAX = 8,
	WORKER_BLOCKS = 4, /* cells that a worker's reader keeps; messages look back only a short
			      way */
	CLOCK_LOOK = 64,   /* messages between two checks of the clock */
	AWAITED_MS = 10	   /* between signals of awaited matches */
};

#define NO_END INT64_MAX

/* The count of an undecided cell. */
#define UNDECIDED UINT32_MAX
#define KEPT (UINT32_C(1) << 31) /* flag: the ordinals are kept */

struct matches_group {
	uint64_t matches;
	uint32_t *cells;	/* GROUP entries */
	uint16_t *severities;	/* of the matches, GROUP entries */
	uint32_t undecided;	/* number of swept, undecided cells */
	VEC(uint16_t) ordinals; /* of all cells that are KEPT, in cell order */
};

/* Ordinals in a VEC, with the severities of their messages. */
struct row_list {
	uint32_t *at;
	size_t count, capacity;
	uint16_t severities; /* bit set */
};

/* The matches of a cell. */
struct cell_matches {
	uint64_t cell;
	uint64_t used; /* age; 0: unused */
	struct row_list rows;
};

/* A thread that decides cells, with its own data. */
struct matches_worker {
	struct matches *matches;
	struct job job;
	struct reader *reader; /* made when the thread starts, as are `pair` and `found` */
	struct filter_pair pair;
	struct row_list found;
	uint64_t cell; /* cell in work, which no other worker takes; UINT64_MAX: none */
};

struct matches {
	struct trace *trace;
	struct index *index;
	unsigned basis;	     /* of both filters */
	uint16_t severities; /* severities that pass, if only they matter */

	pthread_mutex_t lock; /* for all members down to the next heading */
	uint64_t generation;  /* last result of generation_of(), an epoch */
	VEC(struct matches_group) groups;
	uint64_t swept;	    /* number of cells swept, from the first */
	uint64_t undecided; /* undecided cells among them */
	uint64_t matched;   /* matches in the decided cells */
	uint64_t looked;
	double seconds;
	size_t sparse; /* ordinals kept */
	/* matches from `open_from` on while the capture has `open_size` bytes; 0: not counted */
	uint64_t open_count, open_from, open_size;
	bool complete; /* the index was complete at the last sweep */
	uint64_t size; /* of the capture at that time */
	bool added_up; /* add_up() has run */
	bool totalled; /* `total` is valid */
	uint64_t total;
	uint64_t around;   /* where the workers should start */
	uint64_t start;	   /* where they started */
	uint64_t up, down; /* all cells between these are decided */
	int awaited;	   /* direction in which matches are awaited, or 0 */
	bool fresh;	   /* matches found since the last signal */
	bool blocked;	   /* workers wait for matches_update */
	bool stopped;
	struct timespec notified;

	/* the screen's */
	struct filter_pair pair;
	struct cell_matches cache[CACHE];
	uint64_t clock;
	unsigned worker_count;
	struct matches_worker *workers; /* stopped together; each `cell` is under the lock */
};

/* --- filters ----------------------------------------------------------- */

/* Return the severities with which a message of EXAMPLE's origin passes. Only valid if no
 * more than origin and severity matter. */
static uint16_t
severities_of(struct matches *m, struct reader *reader, struct message example)
{
	uint16_t set = 0;
	for (unsigned s = 0; s < SEVERITY_COUNT; s++) {
		example.severity = (uint8_t)s;
		if (filter_pair_match(&m->pair, reader, &example))
			set |= (uint16_t)(1u << s);
	}
	return set;
}

/* Count the ROWS before AT. */
static size_t
rows_before(const struct matches_rows *rows, size_t at)
{
	size_t before;
	lower_bound(before, rows->count, rows->at[before] < at);
	return before;
}

/* True if AT is one of ROWS. */
static bool
is_row(const struct matches_rows *rows, size_t at)
{
	size_t before = rows_before(rows, at);
	return before < rows->count && rows->at[before] == at;
}

/* Find the matches of an indexed cell. Return false on a stop, at the time UNTIL, or if the cell
 * is no longer in the index. */
static bool
count_cell(struct matches *m, struct filter_pair *pair, struct reader *reader, uint64_t cell,
	   int64_t until, struct row_list *rows)
{
	vec_clear(rows);
	rows->severities = 0;
	if (filter_pair_scan(pair, m->trace, cell) == FILTER_NONE)
		return true;
	const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
	if (!decoded->exact)
		return false;
	for (size_t i = 0; i < decoded->count; i++) {
		struct message own = decoded->messages[i]; /* copy: the reader may drop the cell */
		if (filter_pair_match(pair, reader, &own)) {
			*vec_add(rows) = (uint32_t)i;
			rows->severities |= (uint16_t)(1u << own.severity);
		}
		if (job_is_stopping(&m->workers[0].job) ||
		    (i % CLOCK_LOOK == 0 && until != NO_END && thread_now_ms() >= until))
			return false;
		decoded = reader_keep(reader, decoded, cell);
	}
	return true;
}

/* --- counts of cells ---------------------------------------------------- */

/* Return the matches of a cell with the flag KEPT, or UNDECIDED. */
static uint32_t
word_of(const struct matches *m, uint64_t cell)
{
	return cell < m->swept ? m->groups.at[cell / GROUP].cells[cell % GROUP] : UNDECIDED;
}

static uint32_t
matches_of_word(uint32_t word)
{
	return word == UNDECIDED ? 0 : word & ~KEPT;
}

/* Return the index of a cell's first ordinal in its group's ordinals. */
static size_t
ordinals_before(const struct matches_group *group, size_t cell)
{
	size_t before = 0;
	for (size_t i = 0; i < cell; i++)
		if (group->cells[i] != UNDECIDED && group->cells[i] & KEPT)
			before += group->cells[i] & ~KEPT;
	return before;
}

static bool
worth_keeping(const struct matches *m, const struct row_list *rows)
{
	return rows->count && rows->count <= SPARSE && m->sparse + rows->count <= SPARSE_MAX &&
	       rows->at[rows->count - 1] <= UINT16_MAX;
}

static void
matches_keep(struct matches *m, struct matches_group *group, size_t cell,
	     const struct row_list *rows)
{
	size_t at = ordinals_before(group, cell);
	vec_reserve(&group->ordinals, rows->count);
	uint16_t *own = group->ordinals.at + at;
	memmove(own + rows->count, own, (group->ordinals.count - at) * sizeof *own);
	for (size_t i = 0; i < rows->count; i++)
		own[i] = (uint16_t)rows->at[i];
	group->ordinals.count += rows->count;
	group->cells[cell] |= KEPT;
	m->sparse += rows->count;
}

/* Store a worker's matches of an undecided cell. */
static void
matches_decide(struct matches *m, uint64_t cell, const struct row_list *rows)
{
	struct matches_group *group = &m->groups.at[cell / GROUP];
	group->cells[cell % GROUP] = (uint32_t)rows->count;
	group->severities[cell % GROUP] = rows->severities;
	if (worth_keeping(m, rows))
		matches_keep(m, group, (size_t)(cell % GROUP), rows);
	group->matches += rows->count;
	group->undecided--;
	m->matched += rows->count;
	m->undecided--;
	m->looked++;
}

/* Return the number of matches that the summary of a cell implies, or UNDECIDED. */
static uint32_t
matches_judge_summary(const struct matches *m, const struct index_cell *summary)
{
	if (!(m->basis & ~(unsigned)FILTER_ON_SEVERITY)) {
		uint32_t matches = 0;
		for (unsigned s = 0; s < SEVERITY_COUNT; s++)
			if (m->severities >> s & 1)
				matches += summary->severities[s];
		return matches;
	}
	switch (filter_pair_judge(&m->pair, m->trace, m->swept)) {
	case FILTER_NONE:
		return 0;
	case FILTER_SOME:
		return UNDECIDED;
	case FILTER_ALL:
		break;
	}
	return summary->count;
}

/* Restart the outward search at CELL. */
static void
start_around(struct matches *m, uint64_t cell)
{
	m->around = cell;
	m->start = cell < m->swept ? cell : m->swept;
	m->up = m->start;
	m->down = m->start - 1;
}

/* Add newly indexed cells. */
static void
matches_sweep(struct matches *m)
{
	struct index_cell summary;
	uint64_t undecided = m->undecided;
	while (index_cell(m->index, m->swept, &summary)) {
		if (m->swept % GROUP == 0) {
			struct matches_group *more = vec_add(&m->groups);
			more->cells = mem_new(GROUP * sizeof *more->cells);
			more->severities = mem_new(GROUP * sizeof *more->severities);
		}
		struct matches_group *group = &m->groups.at[m->swept / GROUP];
		uint32_t word = matches_judge_summary(m, &summary);
		group->severities[m->swept % GROUP] = SEVERITY_ALL;
		group->cells[m->swept++ % GROUP] = word;
		group->undecided += word == UNDECIDED;
		m->undecided += word == UNDECIDED;
		group->matches += matches_of_word(word);
		m->matched += matches_of_word(word);
	}
	if (m->undecided != undecided)
		start_around(m, m->around);
}

static void
matches_forget(struct matches *m)
{
	for (size_t i = 0; i < m->groups.count; i++) {
		free(m->groups.at[i].cells);
		free(m->groups.at[i].severities);
		vec_free(&m->groups.at[i].ordinals);
	}
	vec_clear(&m->groups);
	m->swept = m->undecided = m->matched = m->looked = 0;
	m->open_size = 0;
	m->seconds = 0;
	m->sparse = 0;
	m->complete = m->added_up = m->totalled = false;
	for (size_t i = 0; i < CACHE; i++)
		m->cache[i].used = 0;
}

/* Compute the total from the sums of the index, where only severities and origins matter. */
static void
add_up(struct matches *m)
{
	struct reader *reader = m->basis & FILTER_ON_TEXT ? reader_new(m->trace) : NULL;
	index_origins origins = {0};
	index_get_origins(m->index, &origins);
	m->total = 0;
	m->added_up = true;
	m->totalled =
	    !reader || (origins.count <= NAMED && reader_origin_kinds(reader) == UINT64_MAX);
	for (size_t i = 0; i < origins.count && m->totalled; i++) {
		const struct index_origin *origin = &origins.at[i];
		struct message example = {.origin = origin->key};
		m->totalled = origin->key != UINT64_MAX && /* several origins together */
			      (!reader || reader_find_origin(reader, origin, &example));
		uint16_t set = m->totalled ? severities_of(m, reader, example) : 0;
		for (unsigned s = 0; s < SEVERITY_COUNT; s++)
			if (set >> s & 1)
				m->total += origin->severities[s];
	}
	vec_free(&origins);
	reader_free(reader);
}

/* --- the workers ------------------------------------------------------- */

static uint64_t
beyond_group(uint64_t cell, int direction)
{
	uint64_t first = cell / GROUP * GROUP;
	return direction > 0 ? first + GROUP : first - 1;
}

/* Return the next undecided cell, FROM included, or UINT64_MAX. */
static uint64_t
undecided_from(const struct matches *m, uint64_t from, int direction)
{
	uint64_t cell = from;
	while (cell < m->swept) { /* a step below 0 wraps past it */
		const struct matches_group *group = &m->groups.at[cell / GROUP];
		if (!group->undecided)
			cell = beyond_group(cell, direction);
		else if (group->cells[cell % GROUP] != UNDECIDED)
			cell += (uint64_t)(int64_t)direction;
		else
			return cell;
	}
	return UINT64_MAX;
}

static bool
is_taken(const struct matches *m, uint64_t cell)
{
	bool taken = false;
	for (unsigned i = 0; i < m->worker_count; i++)
		taken |= m->workers[i].cell == cell;
	return taken;
}

/* Return the next undecided cell that no worker has taken, FROM included, or UINT64_MAX. */
static uint64_t
free_from(const struct matches *m, uint64_t from, int direction)
{
	uint64_t cell = undecided_from(m, from, direction);
	while (cell != UINT64_MAX && is_taken(m, cell))
		cell = undecided_from(m, cell + (uint64_t)(int64_t)direction, direction);
	return cell;
}

/* Pick the next cell outward from `start`, in runs that follow the bytes. While matches are
 * awaited, only go in their direction. */
static bool
matches_pick(struct matches *m, uint64_t *cell)
{
	if (m->blocked || m->stopped || !m->undecided)
		return false;
	m->up = undecided_from(m, m->up, 1);
	m->down = undecided_from(m, m->down, -1);
	uint64_t next = free_from(m, m->up, 1), before = free_from(m, m->down, -1);
	bool up =
	    m->awaited ? m->awaited > 0 : (next - m->start) / RUN <= (m->start - before) / RUN;
	if (next == UINT64_MAX || before == UINT64_MAX)
		up = before == UINT64_MAX;
	*cell = up ? next : before;
	return *cell != UINT64_MAX;
}

static double
seconds_since(const struct timespec *then)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) * 1e-9;
}

/* Signal the session. Called with the lock held; releases it meanwhile. */
static void
matches_notify(struct matches *m)
{
	m->awaited = 0;
	m->fresh = false;
	clock_gettime(CLOCK_MONOTONIC, &m->notified);
	pthread_mutex_unlock(&m->lock);
	session_signal(session_of(m->trace));
	pthread_mutex_lock(&m->lock);
}

/* True if the contexts and the flow that the filter uses are known up to the cell. */
static bool
is_ready(struct matches *m, uint64_t cell)
{
	struct contexts *contexts = session_of(m->trace)->contexts;
	bool named = m->basis & FILTER_ON_TEXT && context_names(session_of(m->trace), m->trace);
	bool waits = contexts && (m->basis & FILTER_ON_CONTEXT || named);
	return (!waits || contexts_known(contexts, m->trace) > cell) &&
	       (!(m->basis & FILTER_ON_FLOW) || flows_known(m->trace) > cell);
}

/* Return the epoch of all that the counts depend on. */
static uint64_t
generation_of(const struct matches *m)
{
	return generation_join(index_generation(m->index), filter_generation(m->basis, m->trace));
}

/* Count the matches in the worker's cell. Called with the lock held; releases it while
 * decoding. Return true if the session should be signalled. */
static bool
matches_decode_cell(struct matches *m, struct matches_worker *own)
{
	uint64_t generation = m->generation;
	bool first = !m->matched;
	struct timespec began;
	pthread_mutex_unlock(&m->lock);
	clock_gettime(CLOCK_MONOTONIC, &began);
	bool good = is_ready(m, own->cell) &&
		    count_cell(m, &own->pair, own->reader, own->cell, NO_END, &own->found) &&
		    generation_of(m) == generation;
	pthread_mutex_lock(&m->lock);
	if (generation != m->generation)
		return false;
	m->blocked |= !good;
	if (!good)
		return false;
	m->seconds += seconds_since(&began);
	matches_decide(m, own->cell, &own->found);
	m->fresh |= own->found.count > 0;
	double ms = seconds_since(&m->notified) * 1000;
	return (first && m->fresh) || (m->awaited && m->fresh && ms > AWAITED_MS) || ms > NEWS_MS;
}

static void
prepare_worker(struct matches_worker *own)
{
	const struct filter_pair *pair = &own->matches->pair;
	own->pair = filter_pair_copy(&pair->first, &pair->second);
	own->reader = reader_new(own->matches->trace);
	reader_limit(own->reader, WORKER_BLOCKS);
}

/* Decide the remaining cells, until a stop. */
static void
decide_cells(void *context)
{
	struct matches_worker *own = context;
	struct matches *m = own->matches;
	bool any = false;
	if (!own->reader)
		prepare_worker(own);
	pthread_mutex_lock(&m->lock);
	while (!job_is_stopping(&own->job) && matches_pick(m, &own->cell)) {
		bool news = matches_decode_cell(m, own);
		own->cell = UINT64_MAX;
		if (news)
			matches_notify(m);
		any = true;
	}
	if (any && !job_is_stopping(&own->job))
		matches_notify(m); /* all done */
	pthread_mutex_unlock(&m->lock);
}

/* Create a worker for each thread allowed. */
static void
open_workers(struct matches *m)
{
	unsigned threads = trace_host(m->trace)->threads;
	threads = threads ? threads : thread_processors();
	m->worker_count = threads < WORKERS_MAX ? threads : WORKERS_MAX;
	m->workers = mem_new(m->worker_count * sizeof *m->workers);
	for (unsigned i = 0; i < m->worker_count; i++) {
		struct matches_worker *own = &m->workers[i];
		*own = (struct matches_worker){.matches = m, .cell = UINT64_MAX};
		job_init(&own->job, decide_cells, own);
		own->job.nice = 5;
	}
}

/* Start at most one worker for each undecided cell. */
static void
start_workers(struct matches *m, uint64_t cells)
{
	for (unsigned i = 0; i < m->worker_count && i < cells; i++)
		job_start(&m->workers[i].job);
}

static void
close_workers(struct matches *m)
{
	for (unsigned i = 0; i < m->worker_count; i++)
		job_cancel(&m->workers[i].job);
	for (unsigned i = 0; i < m->worker_count; i++) {
		struct matches_worker *own = &m->workers[i];
		job_free(&own->job);
		reader_free(own->reader);
		vec_free(&own->found);
		filter_pair_free(&own->pair);
	}
	free(m->workers);
}

static bool
is_working(const struct matches *m)
{
	bool running = false;
	for (unsigned i = 0; i < m->worker_count; i++)
		running |= job_is_running(&m->workers[i].job);
	return running && !m->stopped;
}

/* --- making and keeping up --------------------------------------------- */

/* True if all counts are out of date. Update the epoch. */
static bool
is_stale(struct matches *m)
{
	return generation_renew(&m->generation, generation_of(m));
}

bool
matches_update(struct matches *m)
{
	struct index_progress progress;
	bool stale = false, again;
	pthread_mutex_lock(&m->lock);
	do {
		index_get_progress(m->index, &progress); /* first: the sweep then covers all
							    cells that it counts */
		m->size = progress.size;
		matches_sweep(m);
		again = is_stale(m);
		if (again)
			matches_forget(m);
		stale |= again;
	} while (again);
	m->complete = progress.complete && m->swept >= index_cell_count(m->index);
	if (m->complete && m->undecided && !(m->basis & FILTER_ON_STRUCT) && !m->added_up)
		add_up(m);
	m->blocked = false;
	uint64_t cells = m->stopped ? 0 : m->undecided;
	pthread_mutex_unlock(&m->lock);
	start_workers(m, cells);
	return stale;
}

/* Return the cache slot of a cell's rows, or a free slot for them. */
static struct cell_matches *
slot_of(struct matches *m, uint64_t cell)
{
	struct cell_matches *oldest = &m->cache[0];
	for (size_t i = 0; i < CACHE; i++) {
		if (m->cache[i].used && m->cache[i].cell == cell)
			return &m->cache[i];
		if (m->cache[i].used < oldest->used)
			oldest = &m->cache[i];
	}
	oldest->used = 0;
	return oldest;
}

/* Decide the cells in which FORMER found nothing, if FORMER passes every message that M
 * does. */
static void
take_empty_cells(struct matches *m, struct matches *former)
{
	const struct filter *own = &m->pair.first, *other = &former->pair.first;
	uint64_t matches;
	if (m->pair.both || former->pair.both || !filter_is_like(own, other) ||
	    own->severities & ~other->severities || generation_of(former) != former->generation)
		return;
	for (uint64_t cell = 0; (cell = undecided_from(m, cell, 1)) != UINT64_MAX; cell++) {
		if (!matches_in_cell(former, cell, &matches) || matches)
			continue;
		struct matches_group *group = &m->groups.at[cell / GROUP];
		group->cells[cell % GROUP] = 0;
		group->undecided--;
		m->undecided--;
	}
}

/* Decide cells in the caller's thread, before any worker starts. */
static void
decide_here(struct matches *m, struct reader *reader, int64_t until)
{
	uint64_t cell;
	while (thread_now_ms() < until && matches_pick(m, &cell) && is_ready(m, cell)) {
		struct cell_matches *slot = slot_of(m, cell);
		struct timespec began;
		clock_gettime(CLOCK_MONOTONIC, &began);
		if (!count_cell(m, &m->pair, reader, cell, until, &slot->rows) ||
		    generation_of(m) != m->generation)
			break;
		slot->cell = cell;
		slot->used = ++m->clock;
		m->seconds += seconds_since(&began);
		matches_decide(m, cell, &slot->rows);
	}
}

struct matches *
matches_new_here(struct trace *trace, const struct filter *want, const struct filter *also,
		 uint64_t around, struct matches *former, struct reader *reader, int64_t until)
{
	struct matches *m = mem_new(sizeof *m);
	m->trace = trace;
	m->index = trace_index(trace);
	m->pair = filter_pair_copy(want, also);
	m->basis = filter_pair_basis(&m->pair);
	if (!(m->basis & ~(unsigned)FILTER_ON_SEVERITY))
		m->severities = severities_of(m, NULL, (struct message){0});
	m->around = around;
	pthread_mutex_init(&m->lock, NULL);
	clock_gettime(CLOCK_MONOTONIC, &m->notified);
	open_workers(m);
	is_stale(m);
	if (reader) {
		matches_sweep(m);
		if (former)
			take_empty_cells(m, former);
		decide_here(m, reader, until);
	}
	matches_update(m);
	return m;
}

struct matches *
matches_new(struct trace *trace, const struct filter *want, const struct filter *also,
	    uint64_t around)
{
	return matches_new_here(trace, want, also, around, NULL, NULL, 0);
}

void
matches_free(struct matches *m)
{
	if (!m)
		return;
	close_workers(m);
	matches_forget(m);
	vec_free(&m->groups);
	for (size_t i = 0; i < CACHE; i++)
		vec_free(&m->cache[i].rows);
	filter_pair_free(&m->pair);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

void
matches_around(struct matches *m, uint64_t cell)
{
	pthread_mutex_lock(&m->lock);
	start_around(m, cell);
	pthread_mutex_unlock(&m->lock);
}

void
matches_stop(struct matches *m, bool stop)
{
	pthread_mutex_lock(&m->lock);
	m->stopped = stop;
	pthread_mutex_unlock(&m->lock);
}

bool
matches_is_of(const struct matches *m, const struct filter *want)
{
	return !m->pair.both && filter_is_same(&m->pair.first, want);
}

/* --- results ------------------------------------------------------------ */

/* True if the swept cells are all cells of the capture. */
static bool
is_complete(const struct matches *m)
{
	return m->complete && capture_size(trace_capture(m->trace)) == m->size;
}

void
matches_get_progress(struct matches *m, struct matches_progress *out)
{
	pthread_mutex_lock(&m->lock);
	bool complete = is_complete(m);
	*out = (struct matches_progress){
	    .count = complete && m->totalled ? m->total : m->matched,
	    .exact = complete && (m->totalled || !m->undecided),
	    .working = is_working(m) && m->undecided,
	    .cells = m->swept - m->undecided,
	    .of = index_cell_count(m->index),
	    .looked = m->looked,
	    .seconds = m->seconds,
	};
	pthread_mutex_unlock(&m->lock);
}

void
matches_get_progress_here(struct matches *m, struct reader *reader, struct matches_progress *out)
{
	enum { CELLS = 2 };
	uint64_t size = capture_size(trace_capture(m->trace)), end = index_cell_count(m->index);
	struct row_list rows = {0};
	matches_get_progress(m, out);
	pthread_mutex_lock(&m->lock);
	uint64_t cell = m->swept, open = 0;
	bool near = !m->undecided && end > cell && end - cell <= CELLS;
	pthread_mutex_unlock(&m->lock);
	if (out->exact || !near)
		return;
	bool known = m->open_size == size && m->open_from == cell && size;
	for (uint64_t i = cell; i < end && !known; i++) {
		if (!count_cell(m, &m->pair, reader, i, NO_END, &rows))
			end = 0;
		open += rows.count;
	}
	vec_free(&rows);
	if (!end)
		return;
	if (!known) {
		m->open_size = size;
		m->open_from = cell;
		m->open_count = open;
	}
	out->count += m->open_count;
	out->cells = out->of;
	out->exact = true;
}

static uint32_t
look_up(struct matches *m, uint64_t cell)
{
	pthread_mutex_lock(&m->lock);
	uint32_t word = word_of(m, cell);
	pthread_mutex_unlock(&m->lock);
	return word;
}

bool
matches_in_cell(struct matches *m, uint64_t cell, uint64_t *matches)
{
	uint32_t word = look_up(m, cell);
	*matches = matches_of_word(word);
	return word != UNDECIDED;
}

void
matches_copy_cells(struct matches *m, size_t count, struct matches_cell *out)
{
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < count; i++) {
		uint32_t word = word_of(m, i);
		bool decided = word != UNDECIDED;
		uint16_t set = decided ? m->groups.at[i / GROUP].severities[i % GROUP] : 0;
		out[i] = (struct matches_cell){matches_of_word(word), decided, set};
	}
	pthread_mutex_unlock(&m->lock);
}

/* Copy the kept ordinals of a cell. Return false if it keeps none. */
static bool
copy_kept(struct matches *m, uint64_t cell, struct row_list *rows)
{
	pthread_mutex_lock(&m->lock);
	uint32_t word = word_of(m, cell);
	bool kept = word != UNDECIDED && word & KEPT;
	vec_clear(rows);
	if (kept) {
		const struct matches_group *group = &m->groups.at[cell / GROUP];
		const uint16_t *own =
		    group->ordinals.at + ordinals_before(group, (size_t)(cell % GROUP));
		for (uint32_t i = 0; i < matches_of_word(word); i++)
			*vec_add(rows) = own[i];
	}
	pthread_mutex_unlock(&m->lock);
	return kept;
}

bool
matches_rows(struct matches *m, struct reader *reader, uint64_t cell, struct matches_rows *out)
{
	*out = (struct matches_rows){0};
	uint32_t word = look_up(m, cell);
	if (word == UNDECIDED || !matches_of_word(word))
		return word != UNDECIDED;
	struct cell_matches *slot = slot_of(m, cell);
	if (!slot->used) {
		if (!copy_kept(m, cell, &slot->rows) &&
		    !count_cell(m, &m->pair, reader, cell, NO_END, &slot->rows))
			return false;
		slot->cell = cell;
	}
	slot->used = ++m->clock;
	*out = (struct matches_rows){.at = slot->rows.at, .count = slot->rows.count};
	return true;
}

/* Return the number of matches in the cells before CELL. */
static uint64_t
matches_before_cell(struct matches *m, uint64_t cell, bool *exact)
{
	uint64_t matches = 0, end = cell;
	bool undecided = false;
	pthread_mutex_lock(&m->lock);
	*exact = end <= m->swept;
	end = *exact ? end : m->swept;
	for (size_t i = 0; i < end / GROUP; i++) {
		matches += m->groups.at[i].matches;
		undecided |= m->groups.at[i].undecided > 0;
	}
	for (uint64_t i = end / GROUP * GROUP; i < end; i++) {
		undecided |= word_of(m, i) == UNDECIDED;
		matches += matches_of_word(word_of(m, i));
	}
	pthread_mutex_unlock(&m->lock);
	*exact = *exact && !undecided;
	return matches;
}

bool
matches_rank(struct matches *m, struct reader *reader, struct position p, uint64_t *rank,
	     bool *exact)
{
	struct matches_rows rows;
	*rank = matches_before_cell(m, p.cell, exact);
	if (!matches_rows(m, reader, p.cell, &rows)) {
		*exact = false;
		return false;
	}
	*rank += rows_before(&rows, p.at);
	return is_row(&rows, p.at);
}

uint64_t
matches_before(struct matches *m, uint64_t cell)
{
	bool exact;
	return matches_before_cell(m, cell, &exact);
}

/* Find the cell of the match that has *RANK matches before it. *RANK becomes its number
 * within the cell. Return false if an undecided cell comes before, or if no cell has it. */
static bool
cell_of(struct matches *m, uint64_t *rank, uint64_t *cell)
{
	bool found = false;
	pthread_mutex_lock(&m->lock);
	size_t g = 0;
	for (;
	     g < m->groups.count && !m->groups.at[g].undecided && *rank >= m->groups.at[g].matches;
	     g++)
		*rank -= m->groups.at[g].matches;
	for (uint64_t i = (uint64_t)g * GROUP; i < m->swept; i++) {
		uint32_t word = word_of(m, i);
		if (word == UNDECIDED)
			break;
		if (*rank < matches_of_word(word)) {
			*cell = i;
			found = true;
			break;
		}
		*rank -= matches_of_word(word);
	}
	pthread_mutex_unlock(&m->lock);
	return found;
}

bool
matches_find(struct matches *m, struct reader *reader, uint64_t rank, struct position *p)
{
	struct matches_rows rows;
	uint64_t cell;
	if (!cell_of(m, &rank, &cell) || !matches_rows(m, reader, cell, &rows) ||
	    rank >= rows.count)
		return false;
	*p = (struct position){.cell = cell, .at = rows.at[rank]};
	return true;
}

/* Advance *CELL to the first cell, *CELL included, that has or may have matches. */
static enum matches_result
next_cell(struct matches *m, uint64_t *cell, int direction)
{
	enum matches_result result = MATCHES_END;
	uint64_t at = *cell;
	pthread_mutex_lock(&m->lock);
	while (at < m->swept && result == MATCHES_END) {
		const struct matches_group *group = &m->groups.at[at / GROUP];
		uint32_t word = group->cells[at % GROUP];
		if (!group->matches && !group->undecided)
			at = beyond_group(at, direction);
		else if (word)
			result = word == UNDECIDED ? MATCHES_UNDECIDED : MATCHES_FOUND;
		else
			at += (uint64_t)(int64_t)direction;
	}
	if (at != UINT64_MAX && at >= m->swept) {
		at = *cell < m->swept ? m->swept : *cell;
		if (direction < 0 || !is_complete(m))
			result = MATCHES_UNDECIDED;
	}
	pthread_mutex_unlock(&m->lock);
	*cell = at;
	return result;
}

/* Find the first of ROWS in DIRECTION. If FROM is in CELL, start past FROM. */
static bool
next_row(const struct matches_rows *rows, uint64_t cell, struct position from, int direction,
	 struct position *match)
{
	size_t at = direction > 0 ? 0 : rows->count;
	if (cell == from.cell) {
		at = rows_before(rows, from.at);
		at += direction > 0 && at < rows->count && rows->at[at] == from.at;
	}
	if (direction > 0 ? at == rows->count : at == 0)
		return false;
	*match = (struct position){.cell = cell, .at = rows->at[direction > 0 ? at : at - 1]};
	return true;
}

enum matches_result
matches_next(struct matches *m, struct reader *reader, struct position from, int direction,
	     struct position *match)
{
	struct matches_rows rows;
	uint64_t first = position_next_cell(from, direction);
	for (uint64_t cell = first;; cell += (uint64_t)(int64_t)direction) {
		enum matches_result result = next_cell(m, &cell, direction);
		if (result == MATCHES_END)
			return MATCHES_END;
		if (result == MATCHES_FOUND && matches_rows(m, reader, cell, &rows)) {
			if (next_row(&rows, cell, from, direction, match))
				return MATCHES_FOUND;
			if (cell == from.cell)
				continue;
		}
		*match = from;
		if (cell != first)
			*match = position_past(cell - (uint64_t)(int64_t)direction, direction);
		return MATCHES_UNDECIDED;
	}
}

bool
matches_await(struct matches *m, struct position from, int direction)
{
	uint64_t cell = position_next_cell(from, direction);
	pthread_mutex_lock(&m->lock);
	bool comes = is_working(m) && cell < m->swept && word_of(m, cell) == UNDECIDED;
	if (comes) {
		start_around(m, cell);
		m->awaited = direction;
	}
	pthread_mutex_unlock(&m->lock);
	return comes;
}

size_t
matches_memory(struct matches *m)
{
	pthread_mutex_lock(&m->lock);
	size_t bytes = sizeof *m + m->worker_count * sizeof *m->workers +
		       m->groups.capacity * sizeof *m->groups.at +
		       m->groups.count * GROUP * (sizeof(uint32_t) + sizeof(uint8_t));
	for (size_t i = 0; i < m->groups.count; i++)
		bytes += m->groups.at[i].ordinals.capacity * sizeof(uint16_t);
	pthread_mutex_unlock(&m->lock);
	for (size_t i = 0; i < CACHE; i++)
		bytes += m->cache[i].rows.capacity * sizeof(uint32_t);
	return bytes;
}
