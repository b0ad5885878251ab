/* Scans over the cells of a trace: see scan.h. */
#include "config.h"

#include "query/scan.h"
#include "base/thread.h"
#include "session/clock/clocks.h"

#include <string.h>

/* Skipping this many summaries costs about as much as decoding one cell, or as searching the
 * bytes of sixteen. */
enum { SUMMARIES_PER_CELL = 2048, SUMMARIES_PER_SEARCH = SUMMARIES_PER_CELL / 16 };

struct position
scan_start(const struct scan *scan)
{
	struct index *index = trace_index(reader_trace(scan->reader));
	return scan->direction > 0 ? position_past(UINT64_MAX, 1)
				   : position_past(index_cell_count(index), -1);
}

void
scan_init(struct scan *scan, struct reader *reader, struct filter_pair *pair, int direction)
{
	*scan = (struct scan){.reader = reader,
			      .pair = pair,
			      .direction = direction,
			      .last = direction > 0 ? UINT64_MAX : 0,
			      .strand = SCAN_ALL_STRANDS};
	scan->at = scan_start(scan);
}

/* --- one cell ----------------------------------------------------------- */

/* True if the scan must visit a cell because of its doubts. */
static bool
has_doubt(const struct scan *scan, uint64_t cell)
{
	struct index_cell summary;
	return scan->whole && index_cell(trace_index(reader_trace(scan->reader)), cell, &summary) &&
	       summary.message_flags & DOUBT_MESSAGES;
}

bool
scan_rules_out(const struct scan *scan, uint64_t cell)
{
	struct trace *trace = reader_trace(scan->reader);
	uint64_t count;
	if (scan->known && matches_in_cell(scan->known, cell, &count))
		return !count;
	return filter_pair_judge(scan->pair, trace, cell) == FILTER_NONE && !has_doubt(scan, cell);
}

/* True if the bytes of a cell prove that no message passes. */
static bool
bytes_rule_out(const struct scan *scan, uint64_t cell)
{
	struct trace *trace = reader_trace(scan->reader);
	return filter_pair_scan(scan->pair, trace, cell) == FILTER_NONE && !has_doubt(scan, cell);
}

static bool
is_match(struct scan *scan, const struct message *m)
{
	struct message_time time;
	const struct message own = *m; /* a copy: the filter may have the reader drop the cell */
	return (scan->strand == SCAN_ALL_STRANDS ||
		clocks_strand(reader_trace(scan->reader), &own, &time, NULL) == scan->strand) &&
	       (scan->whole || filter_pair_match(scan->pair, scan->reader, &own));
}

bool
scan_cell(struct scan *scan, uint64_t cell)
{
	const struct decoded_cell *decoded = reader_decoded_cell(scan->reader, cell);
	bool began = cell == scan->at.cell, forward = scan->direction > 0;
	size_t begin = began && forward ? scan->at.at + 1 : 0, end = decoded->count;
	if (began && !forward && scan->at.at < end)
		end = scan->at.at;
	for (size_t i = begin; i < end; i++) {
		struct position at = {.cell = cell, .at = forward ? i : begin + end - 1 - i};
		decoded = reader_keep(scan->reader, decoded, cell);
		if (at.at < decoded->count && is_match(scan, &decoded->messages[at.at])) {
			scan->at = at;
			return true;
		}
	}
	return false;
}

/* Find the next cell of the scan. Return false at its end. */
static bool
next_cell(const struct scan *scan, uint64_t *cell)
{
	*cell = position_next_cell(scan->at, scan->direction);
	return *cell < index_cell_count(trace_index(reader_trace(scan->reader))) &&
	       (scan->direction > 0 ? *cell <= scan->last : *cell >= scan->last);
}

enum scan_result
scan_next(struct scan *scan, unsigned cells)
{
	unsigned budget = cells * SUMMARIES_PER_CELL;
	uint64_t cell;
	while (budget) {
		unsigned cost = 1;
		if (!next_cell(scan, &cell))
			return SCAN_END;
		if (!scan_rules_out(scan, cell)) {
			bool skips = bytes_rule_out(scan, cell);
			cost = skips ? SUMMARIES_PER_SEARCH : SUMMARIES_PER_CELL;
			if (!skips && scan_cell(scan, cell))
				return SCAN_FOUND;
		}
		scan->at = position_past(cell, scan->direction);
		budget -= cost < budget ? cost : budget;
	}
	return SCAN_MORE;
}

/* --- reading ------------------------------------------------------------ */

bool
scan_can_skip(struct trace *trace)
{
	struct capture *capture = trace_capture(trace);
	struct index_progress progress;
	index_get_progress(trace_index(trace), &progress);
	return capture_ended(capture) && !capture_limit(capture) && progress.complete;
}

/* True if most samples of the capture lack a needle, so that most cells can be skipped. */
static bool
is_rare(const struct trace *trace, const struct filter *filter)
{
	enum { SAMPLES = 16, SAMPLE = 65536 };
	const struct capture *capture = trace_capture(trace);
	uint64_t size = capture_size(capture);
	unsigned with = 0;
	for (unsigned i = 0; i < SAMPLES; i++) {
		uint64_t at = size / SAMPLES * i, left = size - at;
		with += filter_finds_needles(filter, capture_bytes(capture) + at,
					     left < SAMPLE ? (size_t)left : SAMPLE);
	}
	return with < SAMPLES / 2;
}

bool
scan_pays(struct trace *trace, const struct filter *filter)
{
	const struct capture *capture = trace_capture(trace);
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	unsigned set = trace_host(trace)->threads, threads = set ? set : thread_processors();
	bool quick = !ops->silent_repeats &&
		     (ops->summarise ? threads > 1 || !filter_is_all(filter) : threads > 2);
	bool in_place = ops->in_place && filter_has_needles(filter);
	return capture_ended(capture) && !capture_limit(capture) &&
	       (quick || filter_limits_time(filter) || (in_place && is_rare(trace, filter)));
}

void
scan_prepare(struct trace *trace, const struct filter *filter)
{
	if (scan_pays(trace, filter))
		trace_build(trace);
}

void
scan_open(struct scan *scan, struct reader *reader, struct filter_pair *pair, unsigned around)
{
	struct trace *trace = reader_trace(reader);
	scan_init(scan, reader, pair, 1);
	scan->whole = true;
	scan->skips = scan_can_skip(trace);
	scan->around = around;
	scan->generation = capture_generation(trace_capture(trace));
	if (!scan->skips)
		scan->next = reader_walk_from(reader, 0); /* dropped messages have numbers, too */
}

void
scan_set_cells(struct scan *scan, uint64_t from, uint64_t until)
{
	scan->skips = true;
	scan->at = position_past(from - 1, 1);
	scan->last = until - 1;
}

/* True if a cell may have a match. */
static bool
may_match(const struct scan *scan, uint64_t cell)
{
	return !scan_rules_out(scan, cell) && !bytes_rule_out(scan, cell);
}

/* True if a cell must be visited: it, or one with messages up to `around` before or after its
 * own, may have a match. */
static bool
is_near_match(const struct scan *scan, uint64_t cell)
{
	const struct index *index = trace_index(reader_trace(scan->reader));
	struct index_cell own, other;
	if (may_match(scan, cell))
		return true;
	if (!scan->around || !index_cell(index, cell, &own))
		return false;
	for (int step = -1; step <= 1; step += 2)
		for (uint64_t i = cell + (uint64_t)(int64_t)step; index_cell(index, i, &other);
		     i += (uint64_t)(int64_t)step) {
			uint64_t between = step < 0 ? own.first - other.first - other.count
						    : other.first - own.first - own.count;
			if (between >= scan->around)
				break;
			if (may_match(scan, i))
				return true;
		}
	return false;
}

/* Copy the next messages of the cells that are not skipped. */
static size_t
read_cells(struct scan *scan, struct message *out, size_t max, uint64_t *first)
{
	struct capture *capture = trace_capture(reader_trace(scan->reader));
	uint64_t cell;
	for (; next_cell(scan, &cell); scan->at = position_past(cell, 1)) {
		bool begun = cell == scan->at.cell;
		if (capture_interrupted(capture) || capture_generation(capture) != scan->generation)
			return 0;
		if (!begun && !is_near_match(scan, cell))
			continue;
		const struct decoded_cell *decoded = reader_decoded_cell(scan->reader, cell);
		size_t from = begun ? scan->at.at + 1 : 0;
		if (from >= decoded->count)
			continue;
		size_t count = decoded->count - from < max ? decoded->count - from : max;
		memcpy(out, decoded->messages + from, count * sizeof *out);
		*first = decoded->first + from;
		scan->at = (struct position){.cell = cell, .at = from + count - 1};
		return count;
	}
	return 0;
}

size_t
scan_read(struct scan *scan, struct message *out, size_t max, uint64_t *first)
{
	if (scan->skips)
		return read_cells(scan, out, max, first);
	size_t count = reader_walk(scan->reader, out, max);
	*first = scan->next;
	scan->next += count;
	return count;
}

void
scan_add_undecoded(struct scan *scan, struct doubts *doubts)
{
	if (scan->skips)
		doubts_add_trace(doubts, reader_trace(scan->reader));
	else
		doubts_add_walk(doubts, scan->reader);
}
