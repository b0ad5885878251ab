/*
 * Seeking: see seek.h.
 *
 * One scan, a cell at a time, serves the bounded look in the caller's thread
 * and the unbounded one in a thread of its own.  Cells whose summary, or a match
 * set, rules a hit out are passed without decoding.  A wrapped scan ends with the cell it
 * began in.
 */
#include "config.h"

#include "query/seek.h"
#include "base/vec.h"
#include "base/worker.h"
#include "query/matches.h"
#include "query/silence.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Passing this many summaries costs about as much as decoding one cell. */
enum { SUMMARIES_PER_CELL = 2048 };

struct scan {
	struct trace *trace;
	struct reader *reader;
	struct filter_pair pair;
	const struct filter *also; /* or NULL */
	struct matches *known;
	struct position from;
	int direction;
	bool wrap, wrapped;
	uint64_t cell; /* to look at next */
	bool done;
	struct silence silence;
};

static bool
ruled_out(struct scan *scan, uint64_t cell)
{
	uint64_t hits;
	bool began = cell == scan->from.cell && !scan->wrapped;
	if (began && scan->from.at == (scan->direction > 0 ? SIZE_MAX : 0))
		return true; /* nothing of it lies ahead */
	if (scan->silence.least)
		return !began && silence_passes(&scan->silence, scan->trace, scan->also, cell);
	if (scan->known && matches_hits(scan->known, cell, &hits))
		return !hits;
	return filter_pair_judge(&scan->pair, scan->trace, cell) == FILTER_NONE;
}

/* The part [*begin, *end) of the present cell's messages that may be hit: all,
 * but in the cell where the scan began only what lies ahead, and after a full
 * round only the rest, the message where it began included. */
static void
range(const struct scan *scan, size_t count, size_t *begin, size_t *end)
{
	*begin = 0;
	*end = count;
	if (scan->cell != scan->from.cell)
		return;
	size_t at = scan->from.at < count ? scan->from.at : count;
	size_t after = at < count ? at + 1 : count;
	if (!scan->wrapped && scan->direction > 0)
		*begin = after;
	else if (!scan->wrapped)
		*end = at;
	else if (scan->direction > 0)
		*end = after;
	else
		*begin = at;
}

static bool
scan_cell(struct scan *scan, struct position *hit)
{
	const struct block *block = reader_block(scan->reader, scan->cell);
	size_t begin, end;
	range(scan, block->count, &begin, &end);
	for (size_t i = begin; i < end; i++) {
		size_t at = scan->direction > 0 ? i : begin + end - 1 - i;
		block = reader_keep(scan->reader, block, scan->cell);
		if (at >= block->count)
			continue;
		struct message m = block->messages[at]; /* the block may have to go */
		*hit = (struct position){.cell = scan->cell, .at = at};
		if (filter_pair_match(&scan->pair, scan->reader, &m) &&
		    (!scan->silence.least ||
		     silence_ends(&scan->silence, scan->reader, &m, *hit, hit)))
			return true;
	}
	return false;
}

static void
advance(struct scan *scan)
{
	uint64_t count = index_cell_count(trace_index(scan->trace));
	if (scan->wrapped && scan->cell == scan->from.cell) {
		scan->done = true;
		return;
	}
	bool at_end = scan->direction > 0 ? scan->cell + 1 >= count : scan->cell == 0;
	if (!at_end) {
		scan->cell += (uint64_t)(int64_t)scan->direction;
	} else if (scan->wrap && !scan->wrapped) {
		scan->wrapped = true;
		scan->cell = scan->direction > 0 ? 0 : count - 1;
	} else {
		scan->done = true;
	}
}

/* Looks at cells worth CELLS decodings. */
static enum seek_result
look(struct scan *scan, unsigned cells, struct position *hit)
{
	unsigned budget = cells * SUMMARIES_PER_CELL;
	while (!scan->done) {
		bool skip = ruled_out(scan, scan->cell);
		if (!skip && scan_cell(scan, hit))
			return SEEK_FOUND;
		advance(scan);
		unsigned cost = skip ? 1 : SUMMARIES_PER_CELL;
		if (budget <= cost)
			return scan->done ? SEEK_NOT_FOUND : SEEK_RUNNING;
		budget -= cost;
	}
	return SEEK_NOT_FOUND;
}

static struct scan
scan_begin(const struct seek_query *query, struct reader *reader)
{
	struct scan scan = {.trace = query->trace,
			    .reader = reader,
			    .pair = filter_pair_borrow(query->want, query->also),
			    .also = query->also,
			    .known = query->known,
			    .from = query->from,
			    .direction = query->direction,
			    .wrap = query->wrap,
			    .cell = query->from.cell};
	if (query->silence)
		scan.silence = silence_begin(query->silence, query->direction, reader, query->from);
	return scan;
}

enum seek_result
seek_near(const struct seek_query *query, struct reader *reader, unsigned cells,
	  struct position *hit, bool *wrapped)
{
	struct scan scan = scan_begin(query, reader);
	enum seek_result result = look(&scan, cells, hit);
	if (result == SEEK_RUNNING) /* the end of the cell behind the next one */
		*hit = query->direction > 0
			   ? (struct position){.cell = scan.cell - 1, .at = SIZE_MAX}
			   : (struct position){.cell = scan.cell + 1};
	*wrapped = scan.wrapped;
	filter_pair_free(&scan.pair);
	return result;
}

struct seek {
	struct seek_query query;
	struct filter want, also;
	bool has_also;
	struct worker worker;
	atomic_int result;
	_Atomic uint64_t looked;
	struct position hit; /* valid once result says so */
	bool wrapped;
	void (*notify)(void *);
	void *context;
};

static void
seek_job(void *context)
{
	struct seek *seek = context;
	struct reader *reader = reader_new(seek->query.trace);
	struct scan scan = scan_begin(&seek->query, reader);
	enum seek_result result = SEEK_RUNNING;
	while (result == SEEK_RUNNING) {
		if (worker_is_stopping(&seek->worker)) {
			result = SEEK_CANCELLED;
			break;
		}
		result = look(&scan, 1, &seek->hit);
		atomic_fetch_add(&seek->looked, 1);
	}
	seek->wrapped = scan.wrapped;
	atomic_store(&seek->result, result);
	filter_pair_free(&scan.pair);
	reader_free(reader);
	seek->notify(seek->context);
}

struct seek *
seek_start(const struct seek_query *query, void (*notify)(void *), void *context)
{
	struct seek *seek = mem_new(sizeof *seek);
	seek->query = *query;
	seek->want = filter_clone(query->want);
	seek->query.want = &seek->want;
	if (query->also) {
		seek->also = filter_clone(query->also);
		seek->has_also = true;
		seek->query.also = &seek->also;
	}
	seek->notify = notify;
	seek->context = context;
	atomic_store(&seek->result, SEEK_RUNNING);
	worker_init(&seek->worker, seek_job, seek);
	if (!worker_start_once(&seek->worker))
		atomic_store(&seek->result, SEEK_NOT_FOUND);
	return seek;
}

enum seek_result
seek_poll(struct seek *seek, struct position *hit, bool *wrapped, uint64_t *cells_looked_at)
{
	enum seek_result result = (enum seek_result)atomic_load(&seek->result);
	*cells_looked_at = atomic_load(&seek->looked);
	if (result == SEEK_FOUND)
		*hit = seek->hit;
	if (result != SEEK_RUNNING)
		*wrapped = seek->wrapped;
	return result;
}

void
seek_cancel(struct seek *seek)
{
	worker_cancel(&seek->worker);
}

void
seek_free(struct seek *seek)
{
	if (!seek)
		return;
	worker_stop(&seek->worker);
	filter_free(&seek->want);
	if (seek->has_also)
		filter_free(&seek->also);
	free(seek);
}
