/*
 * Batch output: the table of formats and the main loop; see export.h.
 *
 * One thread steps over the messages, which is cheap, and fills pieces.  Other threads
 * format them.  The first thread writes the pieces in order as they come back.  If the
 * trace is indexed, a piece is a few of its cells, and the other threads step too.
 *
 * With a filter, the index of a file is built during the walk, so that cells can be skipped
 * as soon as they are known (query/scan.h).  Where text depends on earlier messages, it is
 * built too, and the walk must not overtake it.  A stream is not divided: its messages go
 * out as they come.
 */
#include "config.h"

#include "export/export.h"
#include "base/thread.h"
#include "base/job.h"
#include "export/export_flow.h"
#include "export/export_pool.h"
#include "export/export_raw.h"
#include "export/export_table.h"
#include "query/check.h"
#include "query/next_match.h"
#include "query/scan.h"
#include "session/clock/clocks.h"
#include "session/sequence.h"
#include "session/session.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FLUSH = 256 * 1024,
	FLUSH_MS = 20,	    /* longest wait of a few matches for more */
	STEP = 256,	    /* messages in a call; a stream is not waited for longer */
	SPAN = 512 * 1024,  /* bytes of a piece: large messages have large texts */
	PIECE_FIRST = STEP, /* messages of the first piece, small so that it comes soon */
	CELLS_MOST = 16,    /* cells of a piece */
	THREADS_MAX = 64
};

static export_walk write_packets;

const struct export_format export_formats[] = {
    {.name = "text",
     .help = "time, severity, origin and text of each message, for people (--wide: also its "
	     "number)",
     .want = EXPAND_TEXT,
     .needs = VALUE_NEEDS_CLOCKS,
     .live = true,
     .columns = EXPORT_ALIGNED,
     .message = export_text},
    {.name = "csv",
     .help = "comma separated values with a header",
     .want = EXPAND_TEXT,
     .header = "number,trace,offset,length,ticks,time,severity,origin,type,text,flags\n",
     .needs = VALUE_NEEDS_CLOCKS | VALUE_NEEDS_NUMBERS,
     .columns = EXPORT_CSV,
     .message = export_csv},
    {.name = "jsonl",
     .help = "one JSON object per line with all fields",
     .want = EXPAND_EXPORTED,
     .needs = VALUE_NEEDS_CLOCKS | VALUE_NEEDS_CONTEXTS | VALUE_NEEDS_INTERVALS,
     .columns = EXPORT_JSON,
     .message = export_jsonl},
    {.name = "csv-systprint",
     .help = "the columns of the SyS-T reference printer",
     .want = EXPAND_TEXT,
     .header = "Decode Status,Payload,Type,Severity,Origin,Unit,Message TimeStamp,"
	       "Context TimeStamp,Location,Raw Length,Checksum,Collateral\n",
     .message = export_printer},
    {.name = "ppl",
     .help = "element lines as trc_pkt_lister prints them",
     .message = export_printer},
    {.name = "ppl-packets",
     .help = "packet lines as trc_pkt_lister prints them, of whole captures",
     .walk = write_packets},
    {.name = "hex",
     .help = "text, then the bytes of each message",
     .want = EXPAND_TEXT,
     .needs = VALUE_NEEDS_CLOCKS,
     .live = true,
     .message = export_hex},
    {.name = "raw",
     .help = "bytes of one trace from the first message that passes to the "
	     "last, and before them the bytes that a decoder needs; trawl "
	     "reads the result like the capture",
     .walk = export_raw},
    {.name = "insn",
     .help = "a line for each instruction and trap that E-Trace or CoreSight trace shows, with the "
	     "program that ran",
     .walk = export_flow_walk,
     .flow = export_insn,
     .fields = &export_insn_columns},
    {.name = "folded",
     .help = "how many instructions were executed in which calls, as -t insn has them, a line per "
	     "stack, "
	     "for flame graphs",
     .walk = export_flow_walk,
     .flow = export_folded},
    {.name = "functions",
     .help = "how often functions were called, and how many instructions were executed in them, "
	     "as -t insn has them",
     .walk = export_flow_walk,
     .flow = export_functions,
     .fields = &export_functions_columns},
    {.name = "lcov",
     .help =
	 "which source lines and functions were executed, and how often, as -t insn has them, for "
	 "genhtml",
     .walk = export_flow_walk,
     .flow = export_lcov},
    {.name = "stats",
     .help = "how many messages of each severity each sender sent",
     .walk = export_stats},
    {.name = "why",
     .help = "likely causes of the slow pairs of an interval (--of=interval.NAME)",
     .needs = VALUE_NEEDS_CLOCKS | VALUE_NEEDS_CONTEXTS | VALUE_NEEDS_INTERVALS,
     .walk = export_why},
    {.name = "table",
     .help = "how many messages have the same values (--by), and what numbers they have (--of), in "
	     "columns for people",
     .rows = EXPORT_ROWS_ALIGNED},
    {.name = "table-csv",
     .help = "the same as comma separated values with a header",
     .rows = EXPORT_ROWS_CSV},
    {.name = "table-jsonl",
     .help = "the same as one JSON object per line",
     .rows = EXPORT_ROWS_JSON},
    {.name = "ctf",
     .help = "a Common Trace Format 1.8 trace, in a new folder",
     .want = EXPAND_TEXT,
     .needs = VALUE_NEEDS_CLOCKS | VALUE_NEEDS_CONTEXTS,
     .folder = true,
     .message = export_ctf,
     .writer = &export_ctf_writer},
    {.name = "perfetto",
     .help = "Chrome trace events, which ui.perfetto.dev and chrome://tracing open",
     .want = EXPAND_TEXT,
     .needs = VALUE_NEEDS_CLOCKS | VALUE_NEEDS_CONTEXTS | VALUE_NEEDS_INTERVALS,
     .header = "[\n",
     .message = export_perfetto,
     .writer = &export_perfetto_writer},
    {.name = "none", .help = "decode all, print nothing"},
};
const size_t export_format_count = sizeof export_formats / sizeof *export_formats;

const char *
export_next_name(void *unused, size_t at)
{
	(void)unused;
	return at < export_format_count ? export_formats[at].name : NULL;
}

const struct export_format *
export_find(const char *name)
{
	for (size_t i = 0; i < export_format_count; i++)
		if (!strcmp(name, export_formats[i].name))
			return &export_formats[i];
	return NULL;
}

/* --- history ----------------------------------------------------------- */

/* The index of a trace, built during a walk that must not overtake it. */
struct history {
	struct trace *trace;
	struct job job;
	bool needed;
	bool limited;		/* the walk's thread builds it, since indexed bytes may be
				   dropped */
	void (*before)(void *); /* the previous receiver of notifications */
	void *before_context;
};

static void
history_progress(void *context)
{
	struct history *history = context;
	job_lock(&history->job);
	job_changed(&history->job);
	job_unlock(&history->job);
	if (history->before)
		history->before(history->before_context);
}

static void
history_build(void *context)
{
	struct history *history = context;
	index_build(trace_index(history->trace));
}

static void
history_open(struct history *history, struct trace *trace, const struct export_options *options,
	     bool divided)
{
	struct index_progress progress;
	index_get_progress(trace_index(trace), &progress);
	*history = (struct history){.trace = trace};
	if (progress.complete || !(divided || atomic_load(&trace_decoder(trace)->needs_history) ||
				   filter_looks_around(&options->filter) ||
				   export_needs(options) & (VALUE_NEEDS_GAPS | VALUE_NEEDS_RUNS)))
		return;
	history->limited = capture_limit(trace_capture(trace));
	if (history->limited)
		return;
	history->needed = true;
	history->before = trace_host(trace)->notify;
	history->before_context = trace_host(trace)->notify_context;
	job_init(&history->job, history_build, history);
	session_notify(session_of(trace), history_progress, history);
	job_run_once(&history->job);
}

/* True if the cell at OFFSET is not indexed though all bytes for it are available. */
static bool
lacks_cell(const struct trace *trace, uint64_t offset)
{
	const struct index *index = trace_index(trace);
	uint64_t size = index_cell_size(index), reach = trace_decoder(trace)->ops->reach;
	uint64_t cell = offset / size;
	return index_known(index) <= cell &&
	       capture_size(trace_capture(trace)) >= (cell + 1) * size + reach;
}

/* Block until everything up to OFFSET, included, is indexed. */
static void
history_wait(struct history *history, uint64_t offset)
{
	struct index *index = trace_index(history->trace);
	if (history->limited && lacks_cell(history->trace, offset))
		index_build(index);
	if (!history->needed)
		return;
	job_lock(&history->job);
	while (!job_is_done(&history->job) && index_known(index) <= offset / index_cell_size(index))
		job_await(&history->job, NULL);
	job_unlock(&history->job);
}

static void
history_close(struct history *history)
{
	if (!history->needed)
		return;
	session_notify(session_of(history->trace), history->before, history->before_context);
	if (!job_is_done(&history->job))
		index_stop(trace_index(history->trace));
	job_free(&history->job);
	index_allow(trace_index(history->trace)); /* for another file later */
}

/* --- the loop ---------------------------------------------------------- */

struct run {
	const struct export_options *options;
	struct export_result *result;
	void *writer;	     /* state of the format's writer, or NULL */
	struct group *group; /* of a table, or NULL */
	struct text out;
	int64_t flushed;	  /* time of the last write, by thread_now_ms() */
	struct export_delta last; /* the last delta written that has a time */
};

static int
flush_output(struct run *run, struct err *err)
{
	const struct export_options *options = run->options;
	const struct export_target target = {.writer = options->output,
					     .charset = options->charset,
					     .styled = options->format->styled};
	if (options->format->folder || !run->out.length) /* a folder's writer writes the files */
		return 0;
	return export_flush(&run->out, &target, err);
}

/* The walk over the messages of a trace, or of several traces in order. */
struct walk {
	struct reader *reader;
	struct filter_pair pair;       /* of `scan`; borrows the filter */
	struct scan scan;	       /* of a trace that is neither divided nor a part */
	struct sequence *sequence;     /* of several traces, or NULL */
	struct next_match *next_match; /* of several traces, if cells are skipped; or NULL */
	struct sequence_position at;
	bool ended;	      /* of several traces */
	bool numbered;	      /* the format shows `listed` */
	uint64_t listed;      /* of several traces: number of the last message, from 1 */
	uint64_t from, until; /* offsets to write */
	uint64_t next;	      /* number of the next message */
	size_t most;	      /* size limit of the next piece, in messages */
	bool is_part;	      /* the messages of [from, until) are written */
	bool live;	      /* the capture may still grow */
	bool divided;	      /* pieces are cells */
	uint64_t cell, cells; /* the next cell; cells in the next piece */

	/* messages to repeat in the next piece: those around its messages, and those that still
	 * need messages around them */
	size_t around;
	VEC(struct message) kept;
	VEC(struct export_source) kept_sources;
	size_t written; /* number of kept messages already written */
};

/* Return the number of threads that format.  It is 0 for a stream, and if there is no work
 * except stepping: the stepping thread then does all. */
static unsigned
threads_for(const struct export_options *options, bool live)
{
	unsigned threads = options->threads ? options->threads : thread_processors();
	const struct export_format *format = options->format;
	bool nothing =
	    !format->message && !format->rows && !options->filter.expr && !options->check;
	if (threads < 2 || live || nothing)
		return 0;
	return threads < THREADS_MAX ? threads : THREADS_MAX;
}

/* True if pieces are cells, and the threads that format also walk.  The index may still be
 * incomplete. */
static bool
can_divide(struct trace *trace, const struct export_options *options)
{
	return !options->around && !options->stop && !options->follow &&
	       (scan_can_skip(trace) || scan_pays(trace, &options->filter));
}

static void
open_walk(struct walk *walk, struct trace *trace, const struct export_options *options)
{
	struct capture *capture = trace_capture(trace);
	*walk = (struct walk){
	    .until = UINT64_MAX, .most = PIECE_FIRST, .cells = 1, .is_part = options->parts};
	/* bytes that a limit drops must have been written */
	walk->live =
	    !capture_ended(capture) && (!capture_is_unpacking(capture) || capture_limit(capture));
	walk->reader = export_reader_new(trace, options);
	if (options->parts) {
		uint64_t size = capture_wait(capture, UINT64_MAX, -1); /* until the capture ends */
		unsigned __int128 share = (unsigned __int128)size * options->part;
		walk->from = (uint64_t)((share - size) / options->parts);
		if (options->part < options->parts)
			walk->until = (uint64_t)(share / options->parts);
		if (walk->from)
			trace_build(trace);
		walk->next = reader_walk_from(walk->reader, walk->from);
		return;
	}
	walk->divided = can_divide(trace, options);
	if (!walk->divided)
		scan_prepare(trace, &options->filter);
	walk->pair = filter_pair_borrow(&options->filter, NULL);
	scan_open(&walk->scan, walk->reader, &walk->pair, options->around);
	walk->scan.skips |= walk->divided;
}

/* Read up to STEP messages of the part.  Return 0 at its end. */
static size_t
read_part(struct walk *walk, struct message *out)
{
	size_t count, before;
	do {
		count = reader_walk(walk->reader, out, STEP);
		for (before = 0; before < count && message_id_offset(&out[before]) < walk->from;)
			before++;
		walk->next += before;
	} while (count && before == count);
	count -= before;
	memmove(out, out + before, count * sizeof *out);
	while (count && message_id_offset(&out[count - 1]) >= walk->until)
		count--;
	return count;
}

/* Append up to STEP successive messages to a piece. */
static size_t
read_messages(struct walk *walk, struct export_piece *piece)
{
	struct message *to = piece->messages + piece->count;
	size_t count =
	    walk->is_part ? read_part(walk, to) : scan_read(&walk->scan, to, STEP, &walk->next);
	piece->first = walk->next - piece->count;
	for (size_t i = 0; piece->sources && i < count; i++)
		piece->sources[piece->count + i] =
		    (struct export_source){.number = walk->next + i, .listed = walk->next + i + 1};
	piece->count += count;
	walk->next += count;
	return count;
}

/* Go to the next message of several traces. */
static bool
step_in_order(struct walk *walk)
{
	const struct next_bound bound = {.until = INT64_MAX};
	return walk->next_match ? next_match(walk->next_match, &bound, &walk->at) == NEXT_FOUND
				: sequence_next(walk->sequence, &walk->at);
}

/* Fill a piece with the next messages of several traces.  Return false at the end. */
static bool
fill_in_order(struct walk *walk, struct export_piece *piece)
{
	size_t kept = piece->count;
	while (!walk->ended && piece->count - kept < EXPORT_PIECE) {
		struct reader *reader = sequence_reader(walk->sequence, walk->at.trace);
		bool exact;
		walk->listed = walk->next_match && walk->numbered
				   ? sequence_number(walk->sequence, walk->at, &exact) + 1
				   : walk->listed + 1;
		piece->messages[piece->count] = *reader_message(reader, walk->at.at);
		piece->sources[piece->count++] =
		    (struct export_source){.trace = walk->at.trace,
					   .number = reader_number(reader, walk->at.at, &exact),
					   .listed = walk->listed};
		walk->ended = !step_in_order(walk);
	}
	return piece->count > kept;
}

/* Fill a piece with the next messages.  Return false at the end. */
static bool
fill_piece(struct walk *walk, struct export_piece *piece)
{
	size_t count, kept = piece->count;
	uint64_t span;
	do {
		count = read_messages(walk, piece);
		span = count ? message_id_offset(&piece->messages[piece->count - 1]) -
				   message_id_offset(piece->messages)
			     : 0;
	} while (count == STEP && !walk->live && piece->count - kept + STEP <= walk->most &&
		 span < SPAN);
	if (walk->most < EXPORT_PIECE)
		walk->most *= 2;
	return piece->count > kept;
}

/* Keep the end of a piece for the next one. */
static void
keep_end(struct walk *walk, const struct export_piece *piece)
{
	size_t from = piece->until > walk->around ? piece->until - walk->around : 0;
	vec_clear(&walk->kept);
	vec_clear(&walk->kept_sources);
	for (size_t i = from; walk->around && i < piece->count; i++) {
		*vec_add(&walk->kept) = piece->messages[i];
		if (piece->sources)
			*vec_add(&walk->kept_sources) = piece->sources[i];
	}
	walk->written = piece->until - from;
}

/* Fill a piece, including messages around its own.  Return false at the end.  The last messages
 * of a piece wait for the next piece, if there is one. */
static bool
fill_around(struct walk *walk, struct export_piece *piece)
{
	piece->count = walk->kept.count;
	piece->first = walk->next - piece->count;
	for (size_t i = 0; i < piece->count; i++) {
		piece->messages[i] = walk->kept.at[i];
		if (piece->sources)
			piece->sources[i] = walk->kept_sources.at[i];
	}
	bool filled = walk->sequence ? fill_in_order(walk, piece) : fill_piece(walk, piece);
	piece->from = piece->count && walk->around ? walk->written : 0;
	piece->until = piece->count;
	if (filled)
		piece->until = piece->count > piece->from + walk->around
				   ? piece->count - walk->around
				   : piece->from;
	keep_end(walk, piece);
	return filled || piece->until > piece->from;
}

/* Assign the next cells to a piece.  Return false at the end. */
static bool
take_cells(struct walk *walk, struct export_piece *piece)
{
	struct trace *trace = reader_trace(walk->reader);
	uint64_t count = index_cell_count(trace_index(trace)), end = walk->cell + walk->cells;
	if (walk->cell >= count || capture_interrupted(trace_capture(trace)))
		return false;
	piece->cell = walk->cell;
	piece->cells_end = walk->cell = end < count ? end : count;
	return true;
}

/* Return the last offset of the cells that share counts of origins with this one. */
static uint64_t
end_of_group(struct trace *trace, uint64_t cell)
{
	return (cell / INDEX_GROUP + 1) * INDEX_GROUP * index_cell_size(trace_index(trace)) - 1;
}

/* Adapt the number of cells in a piece to the text size of a finished one. */
static void
fit_cells(struct walk *walk, const struct export_piece *done)
{
	if (done->out.length > FLUSH)
		walk->cells -= walk->cells / 2;
	else if (walk->cells < CELLS_MOST)
		walk->cells *= 2;
}

/* True if it is time to write: after many bytes, or after FLUSH_MS, so that the first of a few
 * matches does not wait for the last. */
static bool
is_flush_due(struct run *run, bool live)
{
	int64_t now = thread_now_ms();
	bool due =
	    live || run->out.length >= FLUSH || (run->out.length && now - run->flushed >= FLUSH_MS);
	if (due)
		run->flushed = now;
	return due;
}

/* Append formatted text to the waiting text.  Swap buffers if none waits. */
static void
take_text(struct run *run, struct export_piece *piece)
{
	struct text waiting = run->out;
	if (waiting.length || piece->deltas.count) {
		export_add_deltas(&piece->out, &piece->deltas, &run->last, &run->out);
		return;
	}
	run->out = piece->out;
	piece->out = waiting;
}

static int
write_piece(struct run *run, struct export_piece *piece, bool live, struct err *err)
{
	run->result->messages += piece->written;
	doubts_add(&run->result->doubts, &piece->doubts);
	const struct export_writer *writer = run->options->format->writer;
	int failed = 0;
	if (piece->check)
		check_append(run->options->check, piece->check);
	if (piece->group)
		group_append(run->group, piece->group);
	else if (run->group)
		; /* the group counted them already */
	else if (writer)
		failed = writer->write(run->writer, &piece->out, &run->out, err);
	else
		take_text(run, piece);
	return !failed && is_flush_due(run, live) ? flush_output(run, err) : failed;
}

/* End a piece after the first message that stops the output.  Return false if none does. */
static bool
cut_at_stop(const struct run *run, struct walk *walk, struct export_piece *piece)
{
	struct expansion scratch = {0};
	bool stops = false;
	size_t i = piece->from;
	for (; run->options->stop && i < piece->until && !stops; i++) {
		struct message m = piece->messages[i]; /* making its text may evict the cell */
		stops = filter_match(run->options->stop, walk->reader, &m, &scratch);
	}
	if (stops)
		piece->until = piece->count = i;
	expansion_free(&scratch);
	return stops;
}

/* Write the messages of a walk over COUNT traces. */
static int
write_walk(struct run *run, struct walk *walk, struct trace *const *traces, size_t count,
	   struct err *err)
{
	struct history history;
	bool sourced = walk->sequence || (walk->scan.skips && !walk->divided);
	struct export_pool *pool = export_pool_new(traces, count, sourced, run->options, run->group,
						   threads_for(run->options, walk->live));
	int failed = 0;
	history_open(&history, traces[0], run->options, walk->divided);
	walk->around = run->options->around;
	for (bool more = true, busy = false; !failed && (more || busy);) {
		struct export_piece *piece = more ? export_pool_empty(pool) : NULL;
		bool filled =
		    piece && (walk->divided ? take_cells(walk, piece) : fill_around(walk, piece));
		if (filled && walk->divided) {
			history_wait(&history, end_of_group(traces[0], piece->cells_end - 1));
		} else if (filled) {
			if (cut_at_stop(run, walk, piece)) {
				capture_interrupt(trace_capture(traces[0]));
				more = false;
			}
			history_wait(&history,
				     message_id_offset(&piece->messages[piece->count - 1]));
		}
		if (filled)
			export_pool_put(pool);
		else if (piece)
			more = false;
		/* with nothing left to fill, wait for the oldest */
		struct export_piece *done = export_pool_take(pool, !filled);
		busy = done || filled;
		for (; done && !failed; done = export_pool_take(pool, false)) {
			fit_cells(walk, done);
			failed = write_piece(run, done, walk->live, err);
		}
	}
	export_pool_free(pool);
	history_close(&history);
	vec_free(&walk->kept);
	vec_free(&walk->kept_sources);
	return failed;
}

/* Write all messages from the first. */
static int
write_all(struct run *run, struct trace *trace, struct err *err)
{
	struct walk walk;
	open_walk(&walk, trace, run->options);
	int failed = write_walk(run, &walk, &trace, 1, err);
	if (!failed && walk.scan.skips) /* undecoded bytes may need a walk: write the text first */
		failed = flush_output(run, err);
	if (!walk.is_part)
		scan_add_undecoded(&walk.scan, &run->result->doubts);
	else if (run->options->part == run->options->parts)
		doubts_add_trace(&run->result->doubts, trace);
	filter_pair_free(&walk.pair);
	reader_free(walk.reader);
	return failed;
}

/* Write a trace; write again if a followed capture was truncated, rewritten or replaced. */
static int
write_trace(struct run *run, struct trace *trace, struct err *err)
{
	const struct export_format *format = run->options->format;
	bool silent = !format->message && !format->rows && !run->options->check;
	unsigned generation;
	int failed = 0;
	do {
		struct export_result counted = {0};
		generation = capture_generation(trace_capture(trace));
		if (silent && export_count(trace, run->options, &counted)) {
			run->result->messages += counted.messages;
			doubts_add(&run->result->doubts, &counted.doubts);
		} else {
			failed = write_all(run, trace, err);
		}
	} while (!failed && trace_begins_anew(trace, generation));
	return failed;
}

static bool
is_chosen(const struct export_options *options, const struct trace *trace)
{
	return trace_is_among(trace, options->source);
}

bool
export_fits(const struct export_format *format, const struct trace *trace)
{
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	if (format->flow)
		return ops->flow;
	if (format->walk == write_packets)
		return ops->listing && !strcmp(ops->listing->name, format->name);
	return format->message != export_printer ||
	       (ops->printer && !strcmp(ops->printer, format->name));
}

void
export_name_unfit(const struct session *session, const struct export_options *options,
		  struct text *out)
{
	for (size_t i = 0; i < session->traces.count; i++) {
		const struct trace *trace = session->traces.at[i];
		if (is_chosen(options, trace) && !export_fits(options->format, trace))
			text_addf(out, "%s%s", out->length ? ", " : "", trace_name(trace));
	}
}

/* Destination of a listing. */
struct listing {
	const struct export_sink *sink;
	struct err *err;
	int failed;
};

static bool
take_line(void *context, const struct text *line)
{
	struct listing *listing = context;
	text_add_bytes(listing->sink->out, line->data, line->length);
	listing->failed = export_sink_flush(listing->sink, listing->err);
	return !listing->failed;
}

/* List the packets of a trace once it is complete. */
static int
list_trace(struct trace *trace, const struct export_sink *sink, struct err *err)
{
	const struct decoder *decoder = trace_decoder(trace);
	const struct capture *capture = trace_capture(trace);
	struct listing listing = {.sink = sink, .err = err};
	while (trace_wait(trace))
		continue;
	struct window window = {.bytes = capture_bytes(capture),
				.length = (size_t)capture_size(capture),
				.until = UINT64_MAX,
				.last = true};
	decoder->ops->listing->list(decoder, &window, take_line, &listing);
	return listing.failed;
}

/* -t ppl-packets.  The packets have no messages, so the doubts come from a second walk. */
static int
write_packets(struct session *session, const struct export_options *options,
	      const struct export_sink *sink, struct export_result *result, struct err *err)
{
	struct export_options silent = *options;
	struct run run = {.options = &silent, .result = result};
	int failed = 0;
	silent.format = export_find("none");
	if (options->filter.expr || options->filter.severities != SEVERITY_ALL)
		return err_set(err, ERR_USAGE, "-t %s prints packets, which filters do not select",
			       options->format->name);
	for (size_t i = 0; i < session->traces.count && !failed; i++) {
		struct trace *trace = session->traces.at[i];
		if (!is_chosen(options, trace))
			continue;
		if (export_fits(options->format, trace))
			failed = list_trace(trace, sink, err);
		if (!failed)
			failed = write_trace(&run, trace, err);
	}
	text_free(&run.out);
	return failed;
}

static int
check_choice(const struct session *session, const struct export_options *options, struct err *err)
{
	const struct export_format *format = options->format;
	size_t count = 0, fitting = 0;
	for (size_t i = 0; i < session->traces.count; i++) {
		const struct trace *trace = session->traces.at[i];
		count += is_chosen(options, trace);
		fitting += is_chosen(options, trace) && export_fits(format, trace);
	}
	if (!count)
		return err_set(err, ERR_USAGE, "no trace is named %s; --info shows their names",
			       options->source ? options->source : "so");
	if (!fitting)
		return err_set(err, ERR_USAGE,
			       "-t %s has no rows for traces of this format; -t text has",
			       format->name);
	if (options->parts && count > 1)
		return err_set(err, ERR_USAGE,
			       "--split divides one trace; name one of %zu with --source", count);
	if (options->follow && count > 1)
		return err_set(
		    err, ERR_USAGE,
		    "only one trace can be printed while it grows; name it with --source");
	if ((format->writer || format->rows || format->walk) && (options->parts || options->follow))
		return err_set(err, ERR_USAGE, "-t %s needs whole captures; leave out %s",
			       format->name,
			       options->parts ? "--split" : "--follow and live sources");
	if (format->walk && format->walk != export_stats && session->host.spool_limit)
		return err_set(err, ERR_USAGE,
			       "-t %s needs whole captures; leave out --spool-limit", format->name);
	if (session->profile.order == CLOCKS_BY_TIME && (options->parts || options->follow))
		return err_set(err, ERR_USAGE,
			       "%s needs the order of the transport: add --order=transport",
			       options->parts ? "--split" : "--follow");
	if (options->columns && !format->columns)
		return err_set(err, ERR_USAGE,
			       "-t %s has no columns to add; text, csv and jsonl have",
			       format->name);
	if ((options->columns & EXPORT_DELTA || format->delta) && options->parts > 1)
		return err_set(err, ERR_USAGE,
			       "--split has no delta: a part lacks the message printed before it");
	if (options->follow && options->parts)
		return err_set(err, ERR_USAGE, "--split needs a capture that does not grow");
	return 0;
}

/* True if a format writes the messages of several traces in one order. */
static bool
merges_traces(const struct export_format *format)
{
	return format->table ? format->needs & VALUE_NEEDS_CLOCKS
			     : format->message && format->message != export_printer;
}

bool
export_is_ordered(const struct session *session, const struct export_options *options)
{
	size_t strands = 0;
	for (size_t i = 0; i < session->traces.count; i++)
		if (is_chosen(options, session->traces.at[i]))
			strands += clocks_strand_count(session->traces.at[i]);
	return strands > 1 && merges_traces(options->format);
}

bool
export_rests_on_clocks(const struct session *session, const struct export_options *options)
{
	/* contexts and fields may depend on other traces, even if those are not written */
	bool several = session->traces.count > 1 || session->profile.order == CLOCKS_BY_TIME;
	return export_needs_times(options) || (several && merges_traces(options->format)) ||
	       filter_needs_clocks(&options->filter);
}

/* Write all chosen traces in the session's order.  All indexes are built, so texts that depend
 * on earlier messages need not wait. */
static int
write_in_order(struct run *run, struct session *session, struct err *err)
{
	const struct filter *filter = &run->options->filter;
	session_build(session);
	struct walk walk = {.sequence = sequence_new(session),
			    .numbered = export_needs(run->options) & VALUE_NEEDS_NUMBERS};
	for (size_t i = 0; i < session->traces.count; i++)
		sequence_show(walk.sequence, i, is_chosen(run->options, session->traces.at[i]));
	sequence_load(walk.sequence);
	if ((filter_limits_time(filter) || filter->severities != SEVERITY_ALL) &&
	    !run->options->around) {
		const struct next_query query = {
		    .sequence = walk.sequence, .want = filter, .direction = 1, .whole = true};
		walk.next_match = next_match_new(&query);
		walk.ended = !step_in_order(&walk);
	} else {
		walk.ended = !sequence_first(walk.sequence, &walk.at);
	}
	int failed = write_walk(run, &walk, session->traces.at, session->traces.count, err);
	next_match_free(walk.next_match);
	sequence_free(walk.sequence);
	for (size_t i = 0; i < session->traces.count && !failed; i++)
		if (is_chosen(run->options, session->traces.at[i]))
			doubts_add_trace(&run->result->doubts, session->traces.at[i]);
	return failed;
}

/* True if the indexes of the traces contain all counts for a table. */
static bool
is_counted(const struct session *session, const struct export_options *options)
{
	const struct filter *filter = &options->filter;
	bool all = options->format->table && !filter->expr && !filter->flags &&
		   !filter->by_origin && !options->around;
	for (size_t i = 0; i < session->traces.count && all; i++) {
		if (!is_chosen(options, session->traces.at[i]))
			continue;
		struct reader *reader = reader_new(session->traces.at[i]);
		all = group_is_indexed(export_table_spec(options->format->table), reader);
		reader_free(reader);
	}
	return all;
}

static int
flush_run(void *context, struct err *err)
{
	return flush_output(context, err);
}

/* Write the chosen traces one after the other. */
static int
write_traces(struct run *run, struct session *session, struct err *err)
{
	int failed = 0;
	for (size_t i = 0; i < session->traces.count && !failed; i++) {
		struct trace *trace = session->traces.at[i];
		if (!is_chosen(run->options, trace))
			continue;
		if (run->options->follow)
			trace_follow(trace, true);
		if (is_counted(session, run->options))
			export_count_indexed(trace, run->options, run->group, run->result);
		else
			failed = write_trace(run, trace, err);
	}
	return failed;
}

int
export_run(struct session *session, const struct export_options *options,
	   struct export_result *result, struct err *err)
{
	const struct export_format *format = options->format;
	struct run run = {.options = options, .result = result};
	const struct export_sink sink = {.out = &run.out, .flush = flush_run, .context = &run};
	*result = (struct export_result){0};
	int failed = check_choice(session, options, err);
	if (failed)
		return failed;
	if (format->header && options->part <= 1)
		text_add(&run.out, format->header);
	if (format->columns == EXPORT_CSV && options->part <= 1)
		export_add_column_names(options->columns, &run.out);
	if (format->writer)
		run.writer = format->writer->open(session, options);
	if (format->table)
		run.group = group_new(export_table_spec(format->table));
	if (format->walk)
		failed = format->walk(session, options, &sink, result, err);
	else if (export_is_ordered(session, options) && !is_counted(session, options))
		failed = write_in_order(&run, session, err);
	else
		failed = write_traces(&run, session, err);
	if (format->writer) {
		struct err unused;
		int ended = format->writer->close(run.writer, &run.out, failed ? &unused : err);
		failed = failed ? failed : ended;
	}
	if (run.group && !failed)
		failed = export_table_write(format->table, run.group, options->charset, &sink, err);
	group_free(run.group);
	if (!failed)
		failed = flush_output(&run, err);
	text_free(&run.out);
	return failed;
}
