/*
 * Finding an instant: see instant.h.
 *
 * The cells that the index knows are halved by the latest time in each; cells
 * without any count with the one before.  Then one cell is decoded, or two.
 */
#include "config.h"

#include "trace/instant.h"
#include "trace/clocks.h"

enum { UNTIMED_MAX = 64 }; /* cells without a time passed at once */

/* The latest time in a cell; INT64_MIN if it has none. */
static int64_t
latest(struct reader *reader, uint64_t cell)
{
	struct trace *trace = reader_trace(reader);
	struct index_cell summary;
	int64_t order = INT64_MIN;
	if (index_cell(trace_index(trace), cell, &summary) &&
	    clocks_cell_time(trace, cell, &summary, &order))
		return order;
	const struct block *block = reader_block(reader, cell);
	for (size_t i = 0; i < block->count; i++) {
		struct message_time time;
		if (clocks_time(trace, &block->messages[i], NULL, &time) && time.order > order)
			order = time.order;
	}
	return order;
}

/* The latest time in a cell or, where it has none, in those shortly before. */
static int64_t
latest_until(struct reader *reader, uint64_t cell)
{
	int64_t order = latest(reader, cell);
	for (unsigned i = 0; order == INT64_MIN && cell && i < UNTIMED_MAX; i++)
		order = latest(reader, --cell);
	return order;
}

/* The first known cell in which something is later than ORDER, or the number of
 * known cells. */
static uint64_t
first_later(struct reader *reader, int64_t order)
{
	uint64_t low = 0, high = index_known(trace_index(reader_trace(reader)));
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (latest_until(reader, middle) > order)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool
instant_find(void *unused, const struct trace *from, const struct message *m, struct reader *reader,
	     struct position *at)
{
	struct trace *trace = reader_trace(reader);
	struct message_time now, time;
	(void)unused;
	if (clocks_part((struct trace *)from) != clocks_part(trace) ||
	    !clocks_time((struct trace *)from, m, NULL, &now))
		return false;
	*at = (struct position){.cell = first_later(reader, now.order)};
	const struct block *block = reader_block(reader, at->cell);
	for (; at->at < block->count; at->at++)
		if (clocks_time(trace, &block->messages[at->at], NULL, &time) &&
		    time.order > now.order)
			break;
	return reader_previous(reader, at, 0);
}
