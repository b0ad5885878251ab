/*
 * The program flow in the rows of the list: see flow_rows.h.
 *
 * The key of a row is the number of its message, which is exact in a followed trace.  To
 * follow from the last checkpoint costs much more than reading a message.  Messages near a row
 * are therefore read with it, ready for scrolling.
 */
#include "config.h"

#include "ui/list/flow_rows.h"
#include "base/thread.h"
#include "query/flow/flow_cursor.h"
#include "session/session.h"
#include "ui/list/flow_view.h"
#include "ui/list/list.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { WORK_MS = 20 }; /* time between two checks of the keyboard */

void
flow_rows_free(struct flow_rows *rows)
{
	for (size_t i = 0; i < rows->runs.count; i++)
		free(rows->runs.at[i].marks);
	vec_free(&rows->runs);
	vec_free(&rows->missing);
}

void
flow_rows_forget(struct flow_rows *rows)
{
	vec_clear(&rows->missing);
}

static const struct flow_mark *
find_mark(const struct flow_rows *rows, const struct trace *trace, uint64_t number)
{
	for (size_t i = 0; i < rows->runs.count; i++) {
		const struct flow_rows_run *run = &rows->runs.at[i];
		if (run->trace == trace_number(trace) && number >= run->first &&
		    number - run->first < run->count && run->generation == trace_generation(trace))
			return &run->marks[number - run->first];
	}
	return NULL;
}

static void
add_missing(struct flow_rows *rows, const struct flow_missing *missing)
{
	enum { HALF = FLOW_ROWS_MISSING / 2 };
	if (rows->missing.count == FLOW_ROWS_MISSING) {
		memmove(rows->missing.at, rows->missing.at + HALF, HALF * sizeof *rows->missing.at);
		rows->missing.count = HALF;
	}
	*vec_add(&rows->missing) = *missing;
}

const struct flow_mark *
flow_rows_find(struct flow_rows *rows, struct screen *screen, const struct row *row)
{
	const struct list_lane *lane = &screen->list->lanes[row->lane];
	const struct flow_mark *mark = NULL;
	struct position at;
	bool exact;
	if (!flow_view_followed(screen, lane->number))
		return NULL;
	if (reader_find_message(lane->reader, &row->message, &at))
		mark = find_mark(rows, lane->trace, reader_number(lane->reader, at, &exact));
	if (!mark)
		add_missing(rows, &(struct flow_missing){lane->number, row->at.cell, row->message});
	return mark;
}

static bool
can_read(struct screen *screen, const struct flow_missing *missing)
{
	const struct flow_view_trace *followed = flow_view_followed(screen, missing->trace);
	return followed && missing->cell < flow_index_known(followed->index);
}

bool
flow_rows_can_work(const struct flow_rows *rows, struct screen *screen)
{
	for (size_t i = 0; i < rows->missing.count; i++)
		if (can_read(screen, &rows->missing.at[i]))
			return true;
	return false;
}

/* Return the run to fill: a new one up to MOST runs, then each of them in turn. */
static struct flow_rows_run *
next_run(struct flow_rows *rows, size_t most)
{
	if (rows->runs.count < most) {
		*vec_add(&rows->runs) = (struct flow_rows_run){0};
		return &rows->runs.at[rows->runs.count - 1];
	}
	struct flow_rows_run *run = &rows->runs.at[rows->next++ % most];
	free(run->marks);
	return run;
}

/* Read message number MESSAGE of trace NUMBER, with nearby messages of its cell. */
static void
read_near(struct flow_rows *rows, struct screen *screen, size_t number, struct position at,
	  uint64_t message)
{
	const struct flow_view_trace *followed = flow_view_followed(screen, number);
	struct reader *reader = sequence_reader(screen->sequence, number);
	size_t most = 2 * screen->list->height;
	size_t before = at.at < FLOW_ROWS_NEAR ? at.at : FLOW_ROWS_NEAR;
	size_t behind = reader_decoded_cell(reader, at.cell)->count - at.at;
	behind = behind < FLOW_ROWS_NEAR ? behind : FLOW_ROWS_NEAR;
	struct flow_rows_run *run = next_run(rows, most < FLOW_ROWS_LEAST ? FLOW_ROWS_LEAST : most);
	*run = (struct flow_rows_run){.trace = number,
				      .generation =
					  trace_generation(screen->session->traces.at[number]),
				      .first = message - before,
				      .count = before + behind};
	run->marks = mem_new(run->count * sizeof *run->marks);
	flow_marks_read(followed->looker, reader, at.cell, run->first, run->count, run->marks);
}

/* Read a message, unless its mark is known.  Return false if the message is gone. */
static bool
read_missing(struct flow_rows *rows, struct screen *screen, const struct flow_missing *missing)
{
	struct reader *reader = sequence_reader(screen->sequence, missing->trace);
	struct position at;
	bool exact;
	if (!reader_find_message(reader, &missing->message, &at))
		return false;
	uint64_t number = reader_number(reader, at, &exact);
	if (!find_mark(rows, screen->session->traces.at[missing->trace], number))
		read_near(rows, screen, missing->trace, at, number);
	return true;
}

bool
flow_rows_work(struct flow_rows *rows, struct screen *screen)
{
	int64_t end = thread_now_ms() + WORK_MS;
	bool any = false;
	size_t left = 0;
	for (size_t i = 0; i < rows->missing.count; i++) {
		const struct flow_missing missing = rows->missing.at[i];
		if (!can_read(screen, &missing) || thread_now_ms() > end)
			rows->missing.at[left++] = missing;
		else
			any |= read_missing(rows, screen, &missing);
	}
	rows->missing.count = left;
	rows->generation += any;
	return any;
}

void
flow_rows_add_target(struct screen *screen, size_t trace, const struct flow_mark *mark,
		     struct text *out)
{
	if (mark->exit == FLOW_EXIT_PASSED)
		text_add(out, ".");
	else if (mark->exit == FLOW_EXIT_UNKNOWN || (mark->exit && !mark->has_target))
		text_add(out, mark->exit == FLOW_EXIT_TAKEN ? "> ?" : "?");
	else if (mark->exit) {
		text_add(out, "> ");
		flow_add_address(screen->session->traces.at[trace], mark->target, out);
	}
}
