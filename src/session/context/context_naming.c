/* Contexts that choose the programs of addresses: see context_naming.h. Nothing is kept from one
 * message to the next, so no name outlives its overlay. */
#include "config.h"

#include "session/context/context_naming.h"
#include "session/context/context_walk.h"
#include "session/session.h"

#include <string.h>

static void *
cursor_new(struct trace *trace)
{
	struct contexts *contexts = session_of(trace)->contexts;
	return contexts ? context_cursor_new(contexts, trace) : NULL;
}

static void
cursor_free(void *cursor)
{
	context_cursor_free(cursor);
}

static enum naming_hold
compare_value(const char *want, const struct context_value *value)
{
	uint64_t number;
	if (value->state != CONTEXT_KNOWN || value->doubtful)
		return NAMING_UNKNOWN;
	bool same = value->is_number
			? text_parse_uint(want, UINT64_MAX, &number) && number == value->number
			: context_hash(want, strlen(want)) == value->value;
	return same || (value->name && !strcmp(value->name, want)) ? NAMING_HOLDS : NAMING_DIFFERS;
}

static void
judge_entries(void *cursor, const struct trace *trace, const struct message *m,
	      enum naming_hold *holds)
{
	const struct session *session = session_of(trace);
	const struct symbol_options *symbols = session->profile.symbols.at;
	const char *last = NULL;
	struct context_value value = {0};
	bool applies = false;
	for (size_t i = 0; i < session->profile.symbols.count; i++) {
		const struct symbol_when *when = &symbols[i].when;
		unsigned context;
		holds[i] = NAMING_APART;
		if (!symbols[i].conditional ||
		    !contexts_find(session->contexts, when->context, &context))
			continue;
		if (!last || strcmp(last, when->context) != 0)
			applies = context_value(session->contexts, cursor, m, context, &value);
		last = when->context;
		holds[i] = applies ? compare_value(when->value, &value) : NAMING_APART;
	}
}

const struct naming_judge context_naming = {cursor_new, cursor_free, judge_entries};

bool
context_names(const struct session *session, const struct trace *trace)
{
	return session->contexts &&
	       naming_conditions(session->host.naming, trace ? trace_name(trace) : NULL);
}

unsigned
context_naming_generation(const struct trace *trace)
{
	const struct session *session = session_of(trace);
	return context_names(session, trace) ? contexts_generation(session->contexts) : 0;
}
