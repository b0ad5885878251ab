/*
 * Filter terms on contexts: see filter_tree.h.
 *
 * Each trace has a cursor that finds the value of a context at a message. A known
 * value counts, even a doubtful one. Before a value is known, no term holds;
 * contexts_generation() changes when more values become known.
 */
#include "config.h"

#include "query/filter/filter_tree.h"
#include "session/context/context.h"
#include "session/session.h"

#include <string.h>

static struct context_cursor *
cursor_of(struct filter_bound *bound, struct contexts *contexts)
{
	if (!bound->cursor)
		bound->cursor = context_cursor_new(contexts, bound->trace);
	return bound->cursor;
}

/* Decide no cell, but create the cursor that reads the contexts in it. */
enum filter_verdict
filter_judge_context(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	(void)leaf;
	if (facts->bound && session_of(facts->bound->trace)->contexts)
		cursor_of(facts->bound, session_of(facts->bound->trace)->contexts);
	return FILTER_SOME;
}

bool
filter_test_context(struct filter_look *look, const struct filter_leaf *leaf)
{
	struct contexts *contexts = session_of(look->bound->trace)->contexts;
	struct context_value value;
	unsigned context;
	if (!contexts || !contexts_find(contexts, filter_context_of(leaf), &context))
		return false;
	struct context_cursor *cursor = cursor_of(look->bound, contexts);
	if (!context_value(contexts, cursor, look->m, context, &value) ||
	    value.state != CONTEXT_KNOWN)
		return false;
	if (leaf->how == FILTER_PRESENT ||
	    (value.name && filter_text_fits(look, leaf, value.name, strlen(value.name))))
		return true;
	if (value.is_number && leaf->how == FILTER_COMPARED)
		return filter_ranges_have(&leaf->ranges, (long double)value.number);
	struct text *text = &look->expr->scratch;
	text_clear(text);
	context_text(contexts, cursor, context, &value, text);
	return filter_text_fits(look, leaf, text_get(text), text->length);
}
