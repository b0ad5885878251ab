/* Filters: see filter.h. The cheapest test runs first: the summary of a cell, then the fixed
 * struct, then the text. */
#include "config.h"

#include "query/filter/filter_tree.h"
#include "query/gap/gap.h"
#include "session/context/context.h"
#include "session/context/context_naming.h"
#include "session/flows.h"
#include "session/intervals.h"
#include "session/session.h"

struct filter
filter_all(void)
{
	return (struct filter){.severities = SEVERITY_ALL};
}

struct filter
filter_clone(const struct filter *filter)
{
	struct filter copy = *filter;
	if (filter->expr)
		copy.expr = filter_expr_share(filter->expr);
	return copy;
}

void
filter_free(struct filter *filter)
{
	filter_expr_free(filter->expr);
	*filter = filter_all();
}

bool
filter_is_all(const struct filter *filter)
{
	return filter->severities == SEVERITY_ALL && !filter->flags && !filter->by_origin &&
	       !filter->expr;
}

bool
filter_is_like(const struct filter *a, const struct filter *b)
{
	return a->flags == b->flags && a->by_origin == b->by_origin &&
	       (!a->by_origin || a->origin == b->origin) && !a->expr == !b->expr &&
	       (!a->expr || a->expr->code == b->expr->code);
}

bool
filter_is_same(const struct filter *a, const struct filter *b)
{
	return a->severities == b->severities && filter_is_like(a, b);
}

unsigned
filter_basis(const struct filter *filter)
{
	unsigned uses = filter->expr ? filter->expr->code->uses : 0;
	bool by_severity = filter->severities != SEVERITY_ALL || uses & FILTER_USES_SEVERITY;
	return (by_severity ? FILTER_ON_SEVERITY : 0) | (filter->by_origin ? FILTER_ON_ORIGIN : 0) |
	       (filter->flags || uses & FILTER_USES_STRUCT ? FILTER_ON_STRUCT : 0) |
	       (uses & FILTER_USES_READER ? FILTER_ON_TEXT : 0) |
	       (uses & FILTER_USES_CONTEXT ? FILTER_ON_CONTEXT : 0) |
	       (uses & FILTER_USES_ORDER ? FILTER_ON_ORDER : 0) |
	       (uses & FILTER_USES_INTERVAL ? FILTER_ON_INTERVAL : 0) |
	       (uses & FILTER_USES_FLOW ? FILTER_ON_FLOW : 0);
}

uint64_t
filter_generation(unsigned basis, const struct trace *trace)
{
	const struct session_intervals *intervals = session_of(trace)->intervals;
	return generation_join(
	    basis & FILTER_ON_TEXT ? trace_generation(trace) : 0,
	    basis & FILTER_ON_TEXT ? context_naming_generation(trace) : 0,
	    basis & FILTER_ON_CONTEXT ? contexts_generation(session_of(trace)->contexts) : 0,
	    basis & FILTER_ON_ORDER ? gap_generation(session_of(trace)) : 0,
	    basis & FILTER_ON_FLOW ? flows_generation(session_of(trace)) : 0,
	    basis & FILTER_ON_INTERVAL && intervals ? intervals->generation(intervals->context)
						    : 0);
}

bool
filter_needs_clocks(const struct filter *filter)
{
	return filter->expr && filter->expr->code->uses & FILTER_USES_CLOCK;
}

bool
filter_needs_contexts(const struct filter *filter)
{
	return filter->expr && filter->expr->code->uses & FILTER_USES_CONTEXT;
}

bool
filter_needs_intervals(const struct filter *filter)
{
	return filter->expr && filter->expr->code->uses & FILTER_USES_INTERVAL;
}

bool
filter_needs_flow(const struct filter *filter)
{
	return filter->expr && filter->expr->code->uses & FILTER_USES_FLOW;
}

void
filter_count_ends(struct filter *filter)
{
	if (filter->expr)
		filter->expr->ends = true;
}

bool
filter_looks_around(const struct filter *filter)
{
	return filter->expr && filter->expr->code->uses & FILTER_USES_AROUND;
}

bool
filter_needs_order(const struct filter *filter)
{
	return filter->expr && filter->expr->code->uses & FILTER_USES_ORDER;
}

uint16_t
filter_threshold(enum severity level, bool unassigned)
{
	return (uint16_t)((2u << level) - 1) | (uint16_t)(unassigned << SEVERITY_NONE);
}

/* --- cells ------------------------------------------------------------- */

/* Judge the cheap members. */
static enum filter_verdict
judge_members(const struct filter *filter, const struct index_cell *cell)
{
	uint32_t passing = 0;
	for (unsigned s = 0; s < SEVERITY_COUNT; s++)
		if (filter->severities >> s & 1)
			passing += cell->severities[s];
	if (!passing || (filter->flags && !(filter->flags & cell->message_flags)))
		return FILTER_NONE;
	bool more = filter->flags || filter->by_origin;
	return passing == cell->count && !more ? FILTER_ALL : FILTER_SOME;
}

/* True if the filter's one origin may be in the cell. */
static bool
has_origin(const struct filter *filter, const struct filter_facts *facts)
{
	return !facts->index || index_may_have_origin(facts->index, facts->number, filter->origin);
}

static enum filter_verdict
filter_judge_facts(const struct filter *filter, const struct filter_facts *facts)
{
	enum filter_verdict verdict = judge_members(filter, facts->cell);
	if (verdict == FILTER_SOME && filter->by_origin && !has_origin(filter, facts))
		return FILTER_NONE;
	if (verdict == FILTER_NONE || !filter->expr)
		return verdict;
	enum filter_verdict more = filter_node_judge(facts, filter->expr->code->root);
	return more < verdict ? more : verdict;
}

enum filter_verdict
filter_cell(const struct filter *filter, const struct index_cell *cell)
{
	const struct filter_facts facts = {.cell = cell};
	return filter_judge_facts(filter, &facts);
}

static enum filter_verdict
judge_cell(const struct filter *filter, struct trace *trace, uint64_t number, bool bytes)
{
	struct index_cell cell;
	if (!index_cell(trace_index(trace), number, &cell))
		return FILTER_SOME;
	struct filter_facts facts = {
	    .index = trace_index(trace), .number = number, .cell = &cell, .bytes = bytes};
	if (filter->expr) {
		facts.bound = filter_bind(filter->expr, trace);
		facts.expr = filter->expr;
	}
	return filter_judge_facts(filter, &facts);
}

enum filter_verdict
filter_judge(const struct filter *filter, struct trace *trace, uint64_t cell)
{
	return judge_cell(filter, trace, cell, false);
}

bool
filter_has_needles(const struct filter *filter)
{
	return filter->expr && filter->expr->code->needles.count;
}

bool
filter_finds_needles(const struct filter *filter, const uint8_t *p, size_t length)
{
	const struct filter_code *code = filter->expr->code;
	for (size_t i = 0; i < code->needles.count; i++)
		if (!needles_are_in(&code->needles.at[i], p, length))
			return false;
	return true;
}

enum filter_verdict
filter_scan(const struct filter *filter, struct trace *trace, uint64_t cell)
{
	return filter_has_needles(filter) ? judge_cell(filter, trace, cell, true) : FILTER_SOME;
}

/* --- messages ---------------------------------------------------------- */

void
filter_severities(const struct filter *filter, uint16_t *all, uint16_t *none)
{
	const struct filter_code *code = filter->expr ? filter->expr->code : NULL;
	bool more = filter->flags || filter->by_origin;
	*none = (SEVERITY_ALL & ~filter->severities) | (code ? code->none : 0);
	*all = more ? 0 : filter->severities & (code ? code->all : SEVERITY_ALL);
}

static bool
expr_match(struct filter_expr *expr, struct reader *reader, const struct message *m,
	   struct expansion *e, bool has, enum expand_want made)
{
	const struct filter_code *code = expr->code;
	if ((code->all | code->none) >> m->severity & 1)
		return code->all >> m->severity & 1;
	struct filter_bound *bound = reader ? filter_bind(expr, reader_trace(reader)) : NULL;
	const struct message own = *m; /* testing neighbours may drop its cell */
	struct filter_look look = {.expr = expr,
				   .bound = bound,
				   .reader = reader,
				   .m = &own,
				   .e = e,
				   .has = has,
				   .made = made};
	return filter_node_test(&look, code->root);
}

bool
filter_expr_match(struct filter_expr *expr, struct reader *reader, const struct message *m,
		  struct expansion *e)
{
	return expr_match(expr, reader, m, e, false, EXPAND_FLAGS);
}

/* Return the filter without its expression. */
static struct filter
members_of(const struct filter *filter)
{
	struct filter members = *filter;
	members.expr = NULL;
	return members;
}

bool
filter_match_expanded(const struct filter *filter, struct reader *reader, const struct message *m,
		      struct expansion *e, enum expand_want made)
{
	const struct filter members = members_of(filter);
	return filter_match(&members, reader, m, e) &&
	       (!filter->expr || expr_match(filter->expr, reader, m, e, true, made));
}
