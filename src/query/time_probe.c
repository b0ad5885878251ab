/* Bisection over the cells of a trace: see time_probe.h. */
#include "config.h"

#include "query/time_probe.h"
#include "session/clock/clocks.h"

enum { CELLS_ON = 8 /* searched for a message that has a time */ };

/* Find the first message at TIME or later in a cell, or in the next ones if it has no
 * times. Set *TIMED if some message has a time. Return false if none is late enough. */
static bool
find_in_cells(struct reader *reader, uint64_t cell, int64_t time, struct position *at, bool *timed)
{
	struct trace *trace = reader_trace(reader);
	*timed = false;
	for (unsigned left = CELLS_ON; left && !*timed; left--, cell++) {
		const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
		for (size_t i = 0; i < decoded->count; i++) {
			struct message_time found;
			if (!clocks_transport_time(trace, &decoded->messages[i], &found))
				continue;
			*timed = true;
			*at = (struct position){cell, i};
			if (found.order >= time)
				return true;
		}
	}
	return false;
}

bool
time_probe(struct reader *reader, int64_t time, struct position *found)
{
	uint64_t low = 0, high = index_cell_count(trace_index(reader_trace(reader)));
	struct position at;
	bool any = false, reached = false, timed;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		bool past = find_in_cells(reader, middle, time, &at, &timed);
		if (past || (timed && !reached))
			*found = at;
		any |= timed;
		reached |= past;
		if (past || !timed)
			high = middle;
		else
			low = middle + 1;
	}
	return any;
}
