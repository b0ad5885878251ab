/*
 * Formatting by several threads; see export_pool.h.
 *
 * The pieces are a ring.  They go to the workers in turn, not to the next idle one.  A
 * worker's pieces are then never further apart than the ring, so its reader's memory of
 * earlier messages stays useful.  A lock is taken twice for each piece of some thousands
 * of messages.
 *
 * Batch output applies the filter to each message here, without a cursor from match to
 * match (query/next_match.h).  Without an index, one thread decodes all messages in order,
 * since doubts are counted for all of them.  All threads make the texts for a filter.
 * With an index, all threads do both.
 */
#include "config.h"

#include "export/export_pool.h"
#include "base/thread.h"
#include "base/job.h"
#include "export/export_table.h"
#include "query/check.h"
#include "query/flow/flow_cursor.h"
#include "query/scan.h"
#include "query/span/spans.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum {
	PIECES_PER_WORKER = 4,
	TIMES_AHEAD = 64,
	TEXT_KEPT = 4 << 20 /* bytes of text buffer that a piece keeps for reuse */
};

/* State of a thread that formats. */
struct formatter {
	const struct export_pool *pool;
	struct reader **readers;	 /* for each trace, created on first use */
	struct context_cursor **cursors; /* for each trace, created on first use */
	struct cycles_walk **cycles;	 /* for each trace, created on first use */
	struct export_kept *kept;	 /* for each trace */
	struct gap_cursor *gaps;	 /* created on first use */
	struct flow_cursor *flow;	 /* created on first use */
	struct filter filter;
	bool all;		 /* all messages pass `filter` */
	struct filter_pair pair; /* of `scan`; borrows `filter` */
	struct scan scan;	 /* over cells, opened on first use */
	struct expansion expansion, scratch;
	struct export_message message; /* the current message; most members stay for a whole
					  trace */
	size_t begun;		       /* the trace that `message` is set up for */
	/* times of messages times_from to times_until - 1 of a piece, found together under one
	 * lock */
	struct message_time times[TIMES_AHEAD];
	bool timed[TIMES_AHEAD];
	size_t times_from, times_until;
	VEC(uint8_t) shown; /* for each message of a piece, if messages around matches are
			       written */
};

struct pool_slot {
	struct export_piece piece;
	bool done;
};

struct pool_worker {
	struct export_pool *pool;
	struct formatter formatter;
	struct job job;
	uint64_t next; /* number of its next piece */
};

struct export_pool {
	struct trace *const *traces;
	size_t trace_count;
	const struct export_options *options;
	struct spans *spans;  /* if the format shows them */
	struct formatter own; /* used without workers */
	struct pool_slot *slots;
	uint64_t slot_count;
	struct group *group; /* of all pieces, without workers; or NULL */
	struct pool_worker *workers;
	unsigned worker_count;

	pthread_mutex_t lock;
	pthread_cond_t done;
	uint64_t put, taken; /* numbers of pieces put and taken */
};

/* --- formatting -------------------------------------------------------- */

static void
formatter_open(struct formatter *f, const struct export_pool *pool)
{
	f->pool = pool;
	f->readers = mem_new(pool->trace_count * sizeof *f->readers);
	f->cursors = mem_new(pool->trace_count * sizeof *f->cursors);
	f->cycles = mem_new(pool->trace_count * sizeof *f->cycles);
	f->kept = mem_new(pool->trace_count * sizeof *f->kept);
	f->filter = filter_clone(&pool->options->filter);
	f->all = filter_is_all(&f->filter);
	f->pair = filter_pair_borrow(&f->filter, NULL);
}

static void
formatter_close(struct formatter *f)
{
	filter_pair_free(&f->pair);
	for (size_t i = 0; i < f->pool->trace_count; i++) {
		reader_free(f->readers[i]);
		context_cursor_free(f->cursors[i]);
		cycles_walk_free(f->cycles[i]);
		export_kept_free(&f->kept[i]);
	}
	gap_cursor_free(f->gaps);
	flow_cursor_free(f->flow);
	free(f->readers);
	free(f->cursors);
	free(f->cycles);
	free(f->kept);
	filter_free(&f->filter);
	expansion_free(&f->expansion);
	expansion_free(&f->scratch);
	vec_free(&f->shown);
}

struct reader *
export_reader_new(struct trace *trace, const struct export_options *options)
{
	struct reader *reader = reader_new(trace);
	/* tables expand few messages, and none that a severity hides */
	if (options->format->table && !options->filter.expr && !options->filter.flags &&
	    !options->filter.by_origin && !capture_limit(trace_capture(trace)))
		reader_set(reader, (struct reader_options){.checked = options->filter.severities});
	return reader;
}

static struct reader *
reader_of(struct formatter *f, size_t trace)
{
	if (!f->readers[trace]) {
		f->readers[trace] = reader_new(f->pool->traces[trace]);
		reader_set(f->readers[trace], (struct reader_options){.patient = true});
		if (!f->pool->options->follow)
			f->cycles[trace] =
			    export_cycles(f->pool->options->format, f->pool->traces[trace]);
	}
	return f->readers[trace];
}

/* Return the cursor for contexts of a trace, created on first use.  Return NULL if the format
 * shows no contexts. */
static struct context_cursor *
cursor_of(struct formatter *f, size_t trace)
{
	struct contexts *contexts = session_of(f->pool->traces[trace])->contexts;
	if (f->pool->options->follow || !export_has_contexts(f->pool->options->format, contexts))
		return NULL;
	if (!f->cursors[trace])
		f->cursors[trace] = context_cursor_new(contexts, f->pool->traces[trace]);
	return f->cursors[trace];
}

/* Return the cursor for gaps, created if the output has gaps. */
static struct gap_cursor *
gaps_of(struct formatter *f)
{
	if (!f->gaps && export_needs(f->pool->options) & VALUE_NEEDS_GAPS)
		f->gaps = gap_cursor_new(session_of(f->pool->traces[0]));
	return f->gaps;
}

/* Return the cursor for program flow, created if the output needs it. */
static struct flow_cursor *
flow_of(struct formatter *f)
{
	if (!f->flow && export_needs(f->pool->options) & (VALUE_NEEDS_FLOW | VALUE_NEEDS_RUNS))
		f->flow = flow_cursor_new();
	return f->flow;
}

static bool
message_passes(struct formatter *f, const struct export_piece *piece, size_t at)
{
	if (f->all)
		return true;
	struct reader *reader = reader_of(f, piece->sources ? piece->sources[at].trace : 0);
	return filter_match(&f->filter, reader, &piece->messages[at], &f->scratch);
}

/* Mark the messages that pass, and those around them. */
static void
find_shown(struct formatter *f, const struct export_piece *piece, size_t around)
{
	size_t done = 0; /* marks are set up to here */
	vec_clear(&f->shown);
	vec_reserve(&f->shown, piece->count);
	memset(f->shown.at, 0, piece->count);
	for (size_t i = 0; i < piece->count; i++) {
		if (!message_passes(f, piece, i))
			continue;
		size_t from = i > around ? i - around : 0;
		size_t until = piece->count - i > around ? i + around + 1 : piece->count;
		from = from < done ? done : from;
		memset(f->shown.at + from, 1, until - from);
		done = until;
	}
}

/* Return the flags of a formatted message. */
static unsigned
flags_of(struct formatter *f, struct reader *reader, const struct message *m)
{
	bool expanded = f->pool->options->format->want;
	if (!expanded && m->flags & MESSAGE_CHECKED) {
		reader_expand(reader, m, EXPAND_FLAGS, &f->expansion);
		expanded = true;
	}
	return m->flags | (expanded ? f->expansion.flags : 0);
}

/* True if a message of a piece is written. */
static bool
is_shown(struct formatter *f, const struct export_piece *piece, size_t at)
{
	return f->pool->options->around ? f->shown.at[at] : message_passes(f, piece, at);
}

/* True if message LATER follows message AT directly in its trace, counted over LATER - AT
 * messages. */
static bool
is_consecutive(const struct export_piece *piece, size_t at, size_t later)
{
	const struct export_source *s = piece->sources;
	return !s ||
	       (s[later].trace == s[at].trace && s[later].number - s[at].number == later - at);
}

/* Return the end of the run of written, successive messages from AT.  *HIDDEN: the next message
 * is not written. */
static size_t
find_run(struct formatter *f, const struct export_piece *piece, size_t at, bool *hidden)
{
	size_t end = f->all && !piece->sources ? piece->until : at;
	*hidden = false;
	while (end < piece->until && is_consecutive(piece, at, end) && !*hidden) {
		*hidden = !is_shown(f, piece, end);
		end += !*hidden;
	}
	return end;
}

/* Add the doubts of messages that are written. */
static void
add_doubts(struct formatter *f, struct reader *reader, const struct message *m, size_t count,
	   struct doubts *doubts)
{
	unsigned flags = 0;
	for (size_t i = 0; i < count; i++)
		flags |= m[i].flags;
	if (!(flags & (DOUBT_MESSAGES | MESSAGE_CHECKED)))
		return;
	for (size_t i = 0; i < count; i++)
		doubts_add_flags(doubts, flags_of(f, reader, &m[i]));
}

/* Count the messages of a piece in a table. */
static void
group_piece(struct formatter *f, struct export_piece *piece, struct group *group)
{
	for (size_t i = piece->from; i < piece->until;) {
		bool hidden;
		const struct export_source *source = piece->sources ? &piece->sources[i] : NULL;
		size_t trace = source ? source->trace : 0;
		struct reader *reader = reader_of(f, trace);
		struct value_look look = {.reader = reader,
					  .number = source ? source->number : piece->first + i,
					  .expansion = &f->expansion,
					  .contexts = cursor_of(f, trace),
					  .gaps = gaps_of(f),
					  .flow = flow_of(f),
					  .spans = f->pool->spans,
					  .ends = true}; /* count pairs at their ends */
		size_t end = find_run(f, piece, i, &hidden);
		group_add_run(group, &look, &piece->messages[i], end - i);
		piece->written += end - i;
		add_doubts(f, reader, &piece->messages[i], end - i, &piece->doubts);
		i = end;
		if (hidden)
			doubts_add_flags(&piece->doubts, piece->messages[i++].flags);
	}
}

/* Find the times of this message and the next ones at once.  Only if all messages of a single
 * trace are written and their times depend on the clocks alone. */
static void
find_time_ahead(struct formatter *f, const struct export_piece *piece, size_t at,
		struct export_message *message)
{
	const struct export_options *options = f->pool->options;
	if (!f->all || piece->sources || message->cycles || options->follow ||
	    !(options->format->needs & VALUE_NEEDS_CLOCKS))
		return;
	if (at >= f->times_until) {
		size_t left = piece->until - at, count = left < TIMES_AHEAD ? left : TIMES_AHEAD;
		f->times_from = at;
		f->times_until = at + count;
		clocks_times(f->pool->traces[0], &piece->messages[at], count, f->times, f->timed);
	}
	message->found = &f->times[at - f->times_from];
	message->found_any = f->timed[at - f->times_from];
}

/* Set up `message` for the messages of a trace. */
static void
begin_trace(struct formatter *f, const struct export_options *options, struct export_piece *piece,
	    size_t trace)
{
	f->begun = trace;
	f->message = (struct export_message){.reader = reader_of(f, trace),
					     .expansion = &f->expansion,
					     .contexts = cursor_of(f, trace),
					     .cycles = f->cycles[trace],
					     .charset = options->charset,
					     .columns = options->columns,
					     .deltas = &piece->deltas,
					     .gaps = gaps_of(f),
					     .flow = flow_of(f),
					     .spans = f->pool->spans,
					     .kept = &f->kept[trace],
					     .line = options->format->line};
}

static void
format_message(struct formatter *f, const struct export_options *options,
	       struct export_piece *piece, size_t at)
{
	const struct message *m = &piece->messages[at];
	const struct export_source *source = piece->sources ? &piece->sources[at] : NULL;
	size_t trace = source ? source->trace : 0;
	if (!is_shown(f, piece, at)) {
		doubts_add_flags(&piece->doubts, m->flags);
		return;
	}
	if (f->begun != trace)
		begin_trace(f, options, piece, trace);
	f->message.message = m;
	f->message.number = source ? source->number : piece->first + at;
	f->message.listed = source ? source->listed : f->message.number + 1;
	find_time_ahead(f, piece, at, &f->message);
	export_message(options->format, &f->message, &piece->out);
	if (piece->check)
		check_part_add(piece->check, f->message.reader, m, f->message.number, &f->scratch);
	/* flags that only expand finds are counted by the checks */
	doubts_add_flags(&piece->doubts,
			 piece->check ? m->flags : flags_of(f, f->message.reader, m));
	piece->written++;
}

static void
clear_piece(struct export_piece *piece)
{
	if (piece->out.capacity > TEXT_KEPT)
		text_free(&piece->out);
	text_clear(&piece->out);
	vec_clear(&piece->deltas);
	piece->written = 0;
	piece->doubts = (struct doubts){0};
}

/* Format the messages of a piece. */
static void
format_messages(struct formatter *f, const struct export_options *options,
		struct export_piece *piece)
{
	f->times_until = 0;
	f->begun = SIZE_MAX;
	if (options->around)
		find_shown(f, piece, options->around);
	struct group *group = piece->group ? piece->group : f->pool->group;
	if (group)
		group_piece(f, piece, group);
	for (size_t at = piece->from; !group && at < piece->until; at++)
		format_message(f, options, piece, at);
}

/* Read the messages of a piece's cells and format them, some at a time. */
static void
format_cells(struct formatter *f, const struct export_options *options, struct export_piece *piece)
{
	if (!f->scan.reader)
		scan_open(&f->scan, reader_of(f, 0), &f->pair, 0);
	scan_set_cells(&f->scan, piece->cell, piece->cells_end);
	while ((piece->count = scan_read(&f->scan, piece->messages, SCAN_BATCH, &piece->first)) >
	       0) {
		piece->until = piece->count;
		format_messages(f, options, piece);
	}
}

static void
format_piece(struct formatter *f, const struct export_options *options, struct export_piece *piece)
{
	clear_piece(piece);
	if (piece->cell < piece->cells_end) {
		format_cells(f, options, piece);
		return;
	}
	format_messages(f, options, piece);
}

/* --- workers ----------------------------------------------------------- */

/* Format the pieces handed in for this worker. */
static void
format_own_pieces(void *context)
{
	struct pool_worker *own = context;
	struct export_pool *pool = own->pool;
	while (!job_is_stopping(&own->job)) {
		pthread_mutex_lock(&pool->lock);
		bool any = own->next < pool->put;
		pthread_mutex_unlock(&pool->lock);
		if (!any)
			break;
		struct pool_slot *slot = &pool->slots[own->next % pool->slot_count];
		format_piece(&own->formatter, pool->options, &slot->piece);
		pthread_mutex_lock(&pool->lock);
		slot->done = true;
		pthread_cond_signal(&pool->done);
		pthread_mutex_unlock(&pool->lock);
		own->next += pool->worker_count; /* fixed in start_workers, before the first
						    piece */
	}
}

static void
close_worker(struct pool_worker *own)
{
	job_free(&own->job);
	formatter_close(&own->formatter);
}

static void
start_workers(struct export_pool *pool, unsigned count)
{
	pool->workers = mem_new(count * sizeof *pool->workers);
	for (unsigned i = 0; i < count; i++) {
		struct pool_worker *own = &pool->workers[i];
		*own = (struct pool_worker){.pool = pool, .next = i};
		formatter_open(&own->formatter, pool);
		job_init(&own->job, format_own_pieces, own);
		if (!job_start(&own->job)) {
			close_worker(own);
			break;
		}
		pool->worker_count++;
	}
}

/* --- the ring ---------------------------------------------------------- */

struct export_pool *
export_pool_new(struct trace *const *traces, size_t count, bool sourced,
		const struct export_options *options, struct group *group, unsigned threads)
{
	struct export_pool *pool = mem_new(sizeof *pool);
	pool->traces = traces;
	pool->trace_count = count;
	pool->options = options;
	pthread_mutex_init(&pool->lock, NULL);
	thread_cond_init(&pool->done);
	if (options->format->needs & VALUE_NEEDS_SPANS && count && !options->follow) {
		pool->spans = spans_new(session_of(traces[0]));
		spans_extend(pool->spans, NULL, NULL);
	}
	start_workers(pool, threads);
	if (!pool->worker_count)
		formatter_open(&pool->own, pool);
	pool->group = pool->worker_count ? NULL : group;
	pool->slot_count = pool->worker_count ? PIECES_PER_WORKER * pool->worker_count : 1;
	pool->slots = mem_new(pool->slot_count * sizeof *pool->slots);
	for (uint64_t i = 0; i < pool->slot_count; i++) {
		struct export_piece *piece = &pool->slots[i].piece;
		size_t room = EXPORT_PIECE + 2 * (size_t)options->around;
		piece->messages = mem_resize(NULL, room * sizeof *piece->messages);
		if (group && pool->worker_count)
			piece->group = group_new(export_table_spec(options->format->table));
		if (options->check)
			piece->check = check_part_new(options->check);
		if (sourced)
			piece->sources = mem_resize(NULL, room * sizeof *piece->sources);
	}
	return pool;
}

void
export_pool_free(struct export_pool *pool)
{
	for (unsigned i = 0; i < pool->worker_count; i++)
		job_cancel(&pool->workers[i].job); /* cancel all before the first wait */
	for (unsigned i = 0; i < pool->worker_count; i++)
		close_worker(&pool->workers[i]);
	if (!pool->worker_count)
		formatter_close(&pool->own);
	spans_free(pool->spans);
	free(pool->workers);
	for (uint64_t i = 0; i < pool->slot_count; i++) {
		free(pool->slots[i].piece.messages);
		free(pool->slots[i].piece.sources);
		text_free(&pool->slots[i].piece.out);
		vec_free(&pool->slots[i].piece.deltas);
		group_free(pool->slots[i].piece.group);
		check_part_free(pool->slots[i].piece.check);
	}
	free(pool->slots);
	pthread_cond_destroy(&pool->done);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

struct export_piece *
export_pool_empty(struct export_pool *pool)
{
	if (pool->put - pool->taken >= pool->slot_count)
		return NULL;
	return &pool->slots[pool->put % pool->slot_count].piece;
}

void
export_pool_put(struct export_pool *pool)
{
	struct pool_slot *slot = &pool->slots[pool->put % pool->slot_count];
	slot->done = !pool->worker_count;
	if (!pool->worker_count)
		format_piece(&pool->own, pool->options, &slot->piece);
	pthread_mutex_lock(&pool->lock);
	uint64_t number = pool->put++;
	pthread_mutex_unlock(&pool->lock);
	if (pool->worker_count)
		job_wake(&pool->workers[number % pool->worker_count].job);
}

struct export_piece *
export_pool_take(struct export_pool *pool, bool wait)
{
	if (pool->taken == pool->put)
		return NULL;
	struct pool_slot *slot = &pool->slots[pool->taken % pool->slot_count];
	pthread_mutex_lock(&pool->lock);
	while (wait && !slot->done)
		pthread_cond_wait(&pool->done, &pool->lock);
	bool done = slot->done;
	pthread_mutex_unlock(&pool->lock);
	if (!done)
		return NULL;
	pool->taken++;
	return &slot->piece;
}
