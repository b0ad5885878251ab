/* Times that step back: see step_back.h. */
#include "config.h"

#include "query/gap/step_back.h"
#include "base/vec.h"
#include "session/clock/clocks.h"

#include <stdlib.h>

struct step_back {
	struct trace *trace;
	struct reader *reader; /* for earlier cells, created when needed */
	struct clocks_nature nature;
	uint64_t generation; /* of trace and index, for the fields below */
	VEC(uint64_t) most;  /* for each cell: the highest ticks in the cells before it, 0 if
				they have none */
};

static void
start_again(struct step_back *step)
{
	step->generation = trace_and_index_generation(step->trace);
	step->nature = clocks_nature(step->trace);
	vec_clear(&step->most);
}

struct step_back *
step_back_new(struct trace *trace)
{
	struct step_back *step = mem_new(sizeof *step);
	step->trace = trace;
	start_again(step);
	return step;
}

void
step_back_free(struct step_back *step)
{
	if (!step)
		return;
	reader_free(step->reader);
	vec_free(&step->most);
	free(step);
}

bool
step_back_order(struct trace *trace, const struct message *m, uint64_t *order)
{
	struct message_time time;
	if (!(m->flags & MESSAGE_TIMED) || !clocks_time(trace, m, &time))
		return false;
	*order = time.known ? (uint64_t)time.nanoseconds ^ (uint64_t)1 << 63 : m->ticks;
	return true;
}

/* --- by summaries ---------------------------------------------------- */

/* Return the highest ticks before a cell.  *KNOWN is false if the summaries do not give them. */
static uint64_t
most_before(struct step_back *step, uint64_t cell, bool *known)
{
	struct index_cell summary;
	uint64_t most = 0;
	if (step->generation != trace_and_index_generation(step->trace))
		start_again(step);
	*known = step->nature.rising && !step->nature.own;
	while (*known && step->most.count <= cell) {
		uint64_t last = step->most.count;
		if (last) {
			*known = index_cell(trace_index(step->trace), last - 1, &summary);
			most = step->most.at[last - 1];
			if (*known && summary.flags & CELL_TIMED && summary.time_max > most)
				most = summary.time_max;
		}
		if (*known)
			*vec_add(&step->most) = most;
	}
	return *known ? step->most.at[cell] : 0;
}

bool
step_back_rules_out(struct step_back *step, uint64_t cell)
{
	struct index_cell summary;
	bool known;
	uint64_t most = most_before(step, cell, &known);
	if (!index_cell(trace_index(step->trace), cell, &summary))
		return false;
	return !(summary.flags & CELL_TIMED) ||
	       (known && !(summary.flags & CELL_TIME_BACK) && summary.time_min >= most);
}

/* --- by messages ------------------------------------------------------- */

/* Find the last time of an origin among the first COUNT messages of a cell. */
static bool
find_last(struct trace *trace, const struct decoded_cell *decoded, size_t count, uint64_t origin,
	  uint64_t *order)
{
	while (count--)
		if (decoded->messages[count].origin == origin &&
		    step_back_order(trace, &decoded->messages[count], order))
			return true;
	return false;
}

/* Find the last time of an origin before a cell. */
static bool
find_before(struct step_back *step, uint64_t cell, uint64_t origin, unsigned limit, uint64_t *order)
{
	uint64_t absent = UINT64_MAX; /* group without messages of the origin */
	unsigned looked = 0;
	if (!step->reader)
		step->reader = reader_new(step->trace);
	while (cell--) {
		uint64_t group = cell / INDEX_GROUP;
		if (cell % INDEX_GROUP == INDEX_GROUP - 1 || !looked)
			absent = index_may_have_origin(trace_index(step->trace), cell, origin)
				     ? UINT64_MAX
				     : group;
		if (group == absent) {
			cell = group * INDEX_GROUP;
			continue;
		}
		if (limit && looked++ >= limit)
			return false;
		looked += !looked;
		const struct decoded_cell *decoded = reader_decoded_cell(step->reader, cell);
		if (!decoded->exact)
			return false;
		if (find_last(step->trace, decoded, decoded->count, origin, order))
			return true;
	}
	return false;
}

bool
step_back_test(struct step_back *step, const struct decoded_cell *decoded, size_t at,
	       unsigned limit)
{
	const struct message *m = &decoded->messages[at];
	uint64_t own, last;
	bool known;
	if (!decoded->exact || !step_back_order(step->trace, m, &own))
		return false;
	if (find_last(step->trace, decoded, at, m->origin, &last))
		return own < last;
	uint64_t most = most_before(step, decoded->cell, &known);
	if (known && m->ticks >= most)
		return false;
	return find_before(step, decoded->cell, m->origin, limit, &last) && own < last;
}
