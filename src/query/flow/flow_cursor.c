/* Program flow at a message: see flow_cursor.h. */
#include "config.h"

#include "query/flow/flow_cursor.h"
#include "base/generation.h"
#include "session/flows.h"
#include "trace/naming.h"

#include <inttypes.h>
#include <stdlib.h>

/* Marks of the last cell followed in a trace. */
struct cell_marks {
	struct trace *trace;
	struct run_on *run_on; /* created when needed */
	bool opened;
	struct flow_looker *looker; /* valid if OPENED; NULL: the trace cannot be followed */
	struct reader *reader;
	bool made; /* `marks` holds those of `cell` */
	uint64_t cell;
	uint64_t generation; /* of trace and index */
	VEC(struct flow_mark) marks;
};

struct flow_cursor {
	VEC(struct cell_marks) traces; /* one for each trace in use */
};

struct flow_cursor *
flow_cursor_new(void)
{
	return mem_new(sizeof(struct flow_cursor));
}

void
flow_cursor_free(struct flow_cursor *cursor)
{
	if (!cursor)
		return;
	for (size_t i = 0; i < cursor->traces.count; i++) {
		run_on_free(cursor->traces.at[i].run_on);
		flow_looker_free(cursor->traces.at[i].looker);
		reader_free(cursor->traces.at[i].reader);
		vec_free(&cursor->traces.at[i].marks);
	}
	vec_free(&cursor->traces);
	free(cursor);
}

static struct cell_marks *
marks_of(struct flow_cursor *cursor, struct trace *trace)
{
	for (size_t i = 0; i < cursor->traces.count; i++)
		if (cursor->traces.at[i].trace == trace)
			return &cursor->traces.at[i];
	struct cell_marks *marks = vec_add(&cursor->traces);
	marks->trace = trace;
	return marks;
}

/* Open the looker once.  Return true if the trace can be followed. */
static bool
open_looker(struct cell_marks *marks)
{
	const char *why;
	struct err err = {0};
	if (marks->opened)
		return marks->looker;
	marks->opened = true;
	struct flow_index *index = flows_index(marks->trace, &why);
	if (index)
		marks->looker = flow_looker_new(marks->trace, index, &err);
	if (marks->looker)
		marks->reader = reader_new(marks->trace);
	return marks->looker;
}

/* Follow a cell, unless its marks are there.  Return false if the cell is not followed yet. */
static bool
make_marks(struct cell_marks *marks, uint64_t cell)
{
	bool renewed =
	    generation_renew(&marks->generation, trace_and_index_generation(marks->trace));
	if (marks->made && !renewed && marks->cell == cell)
		return true;
	marks->made = cell < flows_known(marks->trace);
	marks->cell = cell;
	if (!marks->made) {
		flows_missed(marks->trace, cell);
		return false;
	}
	const struct decoded_cell *decoded = reader_decoded_cell(marks->reader, cell);
	uint64_t first = decoded->first;
	size_t count = decoded->count;
	vec_clear(&marks->marks);
	vec_reserve(&marks->marks, count);
	marks->marks.count = count;
	flow_marks_read(marks->looker, marks->reader, cell, first, count, marks->marks.at);
	return true;
}

const struct flow_mark *
flow_cursor_find(struct flow_cursor *cursor, struct reader *reader, const struct message *m)
{
	struct cell_marks *marks = marks_of(cursor, reader_trace(reader));
	struct position at;
	if (!open_looker(marks) || !reader_find_message(reader, m, &at) ||
	    !make_marks(marks, at.cell) || at.at >= marks->marks.count)
		return NULL;
	const struct flow_mark *mark = &marks->marks.at[at.at];
	return mark->any ? mark : NULL;
}

bool
flow_cursor_run(struct flow_cursor *cursor, struct reader *reader, const struct message *m,
		struct run_sums *run)
{
	struct cell_marks *marks = marks_of(cursor, reader_trace(reader));
	struct position at;
	if (!marks->run_on)
		marks->run_on = run_on_new(marks->trace);
	return reader_find_message(reader, m, &at) && run_on_read(marks->run_on, reader, at, run);
}

uint64_t
flow_cursor_pages(struct flow_cursor *cursor, struct reader *reader, const struct run_sums *run)
{
	return run_on_pages(marks_of(cursor, reader_trace(reader))->run_on, reader, run);
}

bool
flow_add_address(const struct trace *trace, uint64_t address, struct text *out)
{
	struct symbol_place place = {0};
	naming_find(trace_host(trace)->naming, trace_name(trace), address, &place);
	if (!place.function) {
		text_addf(out, "%08" PRIx64, address);
		return false;
	}
	text_add(out, place.function);
	if (place.offset)
		text_addf(out, "+0x%" PRIx64, place.offset);
	return true;
}
