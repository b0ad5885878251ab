/* Numbers over time: see plot.h. */
#include "config.h"

#include "query/plot.h"
#include "base/generation.h"
#include "query/filter/filter.h"
#include "query/value.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/intervals.h"
#include "session/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_LEAST = 64 /* messages of a run */, CELL_RUNS = 32 };

struct plot_run {
	struct plot_range range;
	int64_t from, to;     /* times */
	uint32_t first, last; /* messages with a number, by index in the cell */
};

/* The value of a message. */
struct point {
	enum { POINT_TIMED, POINT_UNTIMED, POINT_OTHER } kind;
	int64_t time;
	struct plot_range range; /* its number alone */
};

struct plot {
	struct session *session;
	struct value_name *name;
	struct filter filter;
	char *of; /* the filter as typed, or NULL */
	bool any; /* a message passed it */
	bool octaves;
	const struct session_intervals *intervals; /* NULL: the name is no interval's */
	struct reader **readers;		   /* by trace */
	struct expansion scratch;
	VEC(struct point) points; /* of the messages just read */
	uint64_t basis;		  /* epoch of the members below */
	bool by_offset;		  /* offsets serve as times */
	bool waits;		  /* the intervals are not searched so far */
	bool complete;		  /* all messages that can be read were read */
	uint64_t *next;		  /* of each trace: the next cell */
	VEC(struct plot_run) runs;
	VEC(uint32_t) counts; /* by octave, PLOT_OCTAVES for each run */
	size_t cell_runs;     /* most runs of a cell */
	uint64_t untimed, others;
};

/* --- reading ------------------------------------------------------------ */

/* Get the value of a message. */
static void
read_value(const struct value_name *name, struct reader *reader, const struct message *m,
	   struct expansion *e, struct value *value)
{
	struct value_look look = {.reader = reader, .message = m, .expansion = e, .ends = true};
	enum expand_want want;
	if (value_expands(name, &want))
		reader_expand(reader, m, want, e);
	value_get(name, &look, value);
}

/* Read messages FROM to LAST of a cell. Return how many the cell has. */
static size_t
read_messages(struct plot *p, size_t number, uint64_t cell, size_t from, size_t last)
{
	struct reader *reader = p->readers[number];
	struct trace *trace = reader_trace(reader);
	const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
	size_t count = decoded->count, part = clocks_part(trace);
	vec_clear(&p->points);
	for (size_t i = from; i <= last && i < count; i++) {
		decoded = reader_keep(reader, decoded, cell);
		const struct message m = decoded->messages[i]; /* the reader may drop the cell */
		const struct plot_place at = {cell, (uint32_t)i, (uint32_t)number};
		struct point point = {.time = (int64_t)message_id_offset(&m)};
		struct message_time time;
		struct value value;
		long double own = 0;
		if (!filter_match(&p->filter, reader, &m, &p->scratch))
			continue;
		p->any = true;
		read_value(p->name, reader, &m, &p->scratch, &value);
		if (value.type == VALUE_ABSENT)
			continue;
		if (!value_number(&value, &own) || isnan(own))
			point.kind = POINT_OTHER;
		else if (!p->by_offset && (!clocks_time(trace, &m, &time) || time.part != part))
			point.kind = POINT_UNTIMED;
		else if (!p->by_offset)
			point.time = time.order;
		point.range = (struct plot_range){1, own, own, at, at};
		*vec_add(&p->points) = point;
	}
	return count;
}

/* --- runs ----------------------------------------------------------------- */

static void
range_add(struct plot_range *to, const struct plot_range *more)
{
	if (more->count && (!to->count || more->min < to->min)) {
		to->min = more->min;
		to->min_at = more->min_at;
	}
	if (more->count && (!to->count || more->max > to->max)) {
		to->max = more->max;
		to->max_at = more->max_at;
	}
	to->count += more->count;
}

size_t
plot_octave(long double number)
{
	int exponent = 1;
	if (number >= 2)
		frexpl(number, &exponent);
	return exponent > PLOT_OCTAVES ? PLOT_OCTAVES - 1 : (size_t)exponent - 1;
}

/* Add the points of a cell of COUNT messages. */
static void
add_points(struct plot *p, size_t count)
{
	size_t length = count / p->cell_runs < RUN_LEAST ? RUN_LEAST : count / p->cell_runs + 1;
	struct plot_run *run = NULL;
	for (size_t i = 0; i < p->points.count; i++) {
		const struct point *point = &p->points.at[i];
		size_t octave = plot_octave(point->range.min);
		p->others += point->kind == POINT_OTHER;
		p->untimed += point->kind == POINT_UNTIMED;
		if (point->kind != POINT_TIMED)
			continue;
		if (!run || run->first / length != point->range.min_at.at / length) {
			run = vec_add(&p->runs);
			run->from = run->to = point->time;
			run->first = point->range.min_at.at;
			for (size_t k = 0; p->octaves && k < PLOT_OCTAVES; k++)
				(void)vec_add(&p->counts);
		}
		range_add(&run->range, &point->range);
		run->from = point->time < run->from ? point->time : run->from;
		run->to = point->time > run->to ? point->time : run->to;
		run->last = point->range.min_at.at;
		if (p->octaves)
			p->counts.at[p->counts.count - PLOT_OCTAVES + octave]++;
	}
}

uint64_t
plot_generation(const struct plot *p)
{
	unsigned starts = 0;
	if (p->intervals)
		p->intervals->searched(p->intervals->context, &starts);
	uint64_t now = generation_join(clocks_generation(p->session->clocks), starts);
	for (size_t i = 0; i < p->session->traces.count; i++) {
		struct trace *trace = p->session->traces.at[i];
		now = generation_join(now, trace_and_index_generation(trace),
				      filter_generation(filter_basis(&p->filter), trace));
	}
	return now;
}

/* Forget all runs if they may differ now, or if there are too many. */
static void
forget_stale(struct plot *p, bool by_offset)
{
	uint64_t cells = 1, now = generation_join(plot_generation(p), by_offset);
	size_t most = p->octaves ? PLOT_RUNS / 2 : PLOT_RUNS;
	bool many = p->runs.count > 2 * most && p->cell_runs > 1;
	if (!generation_renew(&p->basis, now) && !many)
		return;
	for (size_t i = 0; i < p->session->traces.count; i++) {
		cells += index_cell_count(trace_index(p->session->traces.at[i]));
		p->next[i] = 0;
	}
	p->cell_runs = most / (size_t)cells + 1;
	p->cell_runs = p->cell_runs < CELL_RUNS ? p->cell_runs : CELL_RUNS;
	vec_clear(&p->runs);
	vec_clear(&p->counts);
	p->by_offset = by_offset;
	p->untimed = p->others = 0;
}

bool
plot_extend(struct plot *p, enum track_unit unit, plot_stop *stop, void *context)
{
	size_t traces = p->session->traces.count;
	uint64_t *known = mem_new((traces + 1) * sizeof *known), sum = 0;
	forget_stale(p, unit == TRACK_OFFSETS);
	for (size_t i = 0; i < traces; i++)
		sum += known[i] = index_known(trace_index(p->session->traces.at[i]));
	p->waits = p->intervals && p->intervals->searched(p->intervals->context, NULL) < sum;
	p->complete = true;
	for (size_t i = 0; i < traces; i++) {
		struct trace *trace = p->session->traces.at[i];
		uint64_t begin = index_begin(trace_index(trace)), *next = &p->next[i];
		*next = *next < begin ? begin : *next;
		for (; p->complete && !p->waits && *next < known[i]; p->complete = !stop(context)) {
			if (filter_judge(&p->filter, trace, *next) != FILTER_NONE)
				add_points(p, read_messages(p, i, *next, 0, SIZE_MAX));
			(*next)++;
		}
	}
	free(known);
	return p->complete;
}

/* --- answers ------------------------------------------------------------- */

/* Read a run and add its messages to their columns. */
static void
open_run(struct plot *p, const struct plot_run *run, const struct density_window *w,
	 struct plot_answer *answer)
{
	const struct plot_place *at = &run->range.min_at;
	read_messages(p, at->trace, at->cell, run->first, run->last);
	for (size_t i = 0; i < p->points.count; i++) {
		const struct point *point = &p->points.at[i];
		int64_t column = density_column_of(w, point->time);
		int64_t octave = (int64_t)plot_octave(point->range.min);
		if (point->kind != POINT_TIMED || column < 0 || column >= (int64_t)w->columns)
			continue;
		range_add(&answer->columns[column], &point->range);
		if (p->octaves)
			answer->octaves[column * PLOT_OCTAVES + octave]++;
	}
}

/* Add a run. If it crosses a border, read it, or leave it out from STOP(CONTEXT) on. */
static void
add_run(struct plot *p, const struct plot_run *run, const struct density_window *w, plot_stop *stop,
	void *context, struct plot_answer *answer)
{
	int64_t column = density_column_of(w, run->from), count = (int64_t)w->columns;
	if (column >= count || run->to < w->from)
		return;
	if (column >= 0 && run->to <= density_column_end(w, column)) {
		size_t from = (size_t)(run - p->runs.at) * PLOT_OCTAVES;
		range_add(&answer->columns[column], &run->range);
		for (size_t i = 0; p->octaves && i < PLOT_OCTAVES; i++)
			answer->octaves[column * PLOT_OCTAVES + (int64_t)i] +=
			    p->counts.at[from + i];
		return;
	}
	if (stop(context))
		answer->final = false;
	else
		open_run(p, run, w, answer);
}

struct plot_answer *
plot_answer_new(struct plot *p, const struct density_window *w, plot_stop *stop, void *context)
{
	struct plot_answer *answer = mem_new(sizeof *answer + w->columns * sizeof *answer->columns);
	struct trace *const *traces = p->session->traces.at;
	size_t part = clocks_part(traces[w->trace]);
	if (p->octaves)
		answer->octaves = mem_new(w->columns * PLOT_OCTAVES * sizeof *answer->octaves);
	answer->untimed = p->untimed;
	answer->others = p->others;
	answer->waits = p->waits;
	answer->final = p->complete && !p->waits;
	for (size_t i = 0; i < p->runs.count; i++) {
		const struct plot_run *run = &p->runs.at[i];
		size_t trace = run->range.min_at.trace;
		if (p->by_offset ? trace != w->trace : clocks_part(traces[trace]) != part)
			answer->untimed += run->range.count;
		else
			add_run(p, run, w, stop, context, answer);
	}
	for (size_t c = 0; c < w->columns; c++)
		range_add(&answer->all, &answer->columns[c]);
	return answer;
}

void
plot_answer_free(struct plot_answer *answer)
{
	free(answer->octaves);
	free(answer);
}

void
plot_add_number(const struct plot *p, const struct plot_place *at, struct reader *reader,
		struct text *out)
{
	const struct message *found = reader_message(reader, (struct position){at->cell, at->at});
	const struct message m = found ? *found : (struct message){0};
	struct expansion e = {0};
	struct value value = {0};
	if (found)
		read_value(p->name, reader, &m, &e, &value);
	value_add(p->name, &value, out);
	expansion_free(&e);
}

void
plot_explain_absent(const struct plot *p, struct text *out)
{
	if (p->of && !p->any)
		text_addf(out, "no message here is of %s", p->of);
	else
		value_explain_absent(p->name, NULL, out);
}

/* --- life ---------------------------------------------------------------- */

/* Parse OF: a word is the name of a trace or of an origin, all else is an expression. */
static int
parse_of(struct plot *p, const char *of, struct err *err)
{
	struct filter_error error;
	struct text text = {0};
	bool word = !of[strcspn(of, " =<>~!(){}/\"'")], is_trace = false;
	for (size_t i = 0; i < p->session->traces.count; i++)
		is_trace |= !strcmp(of, trace_name(p->session->traces.at[i]));
	text_addf(&text, !word ? "%s" : is_trace ? "trace = \"%s\"" : "origin = \"%s\"", of);
	p->filter.expr = filter_parse(text_get(&text), p->session, &error);
	text_free(&text);
	p->of = mem_text(of);
	if (!p->filter.expr)
		return err_set(err, ERR_USAGE, "of %.60s: %s (column %zu)", of, error.what,
			       error.at + 1);
	if (filter_looks_around(&p->filter) || filter_needs_flow(&p->filter))
		return err_set(err, ERR_USAGE,
			       "of: expected an origin, or a filter without interval, gap, number "
			       "and program flow");
	if (filter_needs_contexts(&p->filter) && p->session->contexts)
		contexts_start(p->session->contexts);
	return 0;
}

static int
parse_name(struct plot *p, const char *name, struct err *err)
{
	p->name = value_name_new(name, p->session, err);
	if (!p->name)
		return err->code;
	if (!value_can_be_plotted(p->name))
		return err_set(err, ERR_USAGE,
			       "%.32s is no number; expected a field, arg.NAME or interval.NAME",
			       name);
	if (value_needs(p->name) & VALUE_NEEDS_INTERVALS)
		p->intervals = p->session->intervals;
	return 0;
}

struct plot *
plot_new(struct session *session, const char *name, const char *of, bool octaves, struct err *err)
{
	struct plot *p = mem_new(sizeof *p);
	size_t traces = session->traces.count;
	p->session = session;
	p->filter = filter_all();
	p->octaves = octaves;
	p->next = mem_new((traces + 1) * sizeof *p->next);
	p->readers = mem_new((traces + 1) * sizeof *p->readers);
	for (size_t i = 0; i < traces; i++)
		p->readers[i] = reader_new(session->traces.at[i]);
	if (parse_name(p, name, err) == 0 && (!of || parse_of(p, of, err) == 0))
		return p;
	plot_free(p);
	return NULL;
}

void
plot_free(struct plot *p)
{
	for (size_t i = 0; i < p->session->traces.count; i++)
		reader_free(p->readers[i]);
	free(p->readers);
	value_name_free(p->name);
	filter_free(&p->filter);
	expansion_free(&p->scratch);
	vec_free(&p->points);
	vec_free(&p->runs);
	vec_free(&p->counts);
	free(p->next);
	free(p->of);
	free(p);
}
