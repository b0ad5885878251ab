/*
 * Check of names in filters: see origin_names.h.
 *
 * The index has the first message of each origin. Expanding it gives the name, so a check
 * costs the index and one message for each origin. With collateral of several builds, one
 * origin may have several names. Its messages are then expanded again after each message
 * that may change the name, which costs a scan. So does a type, as no index has types.
 */
#include "config.h"

#include "query/origin_names.h"
#include "base/map.h"
#include "base/nearest.h"
#include "base/notice.h"
#include "query/filter/filter.h"
#include "session/session.h"
#include "trace/reader.h"

#include <ctype.h>
#include <string.h>

enum { QUICK_MAX = 256 }; /* origins of a trace to expand while a user waits */

/* A name to find in all traces. */
struct origin_query {
	bool found;
	struct text word; /* the name */
	struct nearest nearest;
	struct text near;
	enum origin_names_effort effort;
};

static void
origin_query_compare(struct origin_query *query, const char *origin)
{
	query->found |= !strcmp(text_get(&query->word), origin);
	if (nearest_is(&query->nearest, origin)) {
		text_clear(&query->near);
		text_add(&query->near, origin);
	}
}

static void
compare_origin(struct reader *reader, const struct message *m, struct origin_query *query)
{
	struct expansion e = {0};
	reader_expand_origin(reader, m, &e);
	origin_query_compare(query, text_get(&e.origin));
	expansion_free(&e);
}

/* Compare the names where the key alone determines the name. */
static void
compare_by_key(struct reader *reader, struct origin_query *query)
{
	struct index *index = trace_index(reader_trace(reader));
	index_origins origins = {0};
	trace_build(reader_trace(reader));
	index_get_origins(index, &origins);
	if (query->effort == ORIGIN_NAMES_QUICK && origins.count > QUICK_MAX)
		query->found = true; /* it may be */
	for (size_t i = 0; i < origins.count && !query->found; i++) {
		struct message m;
		if (reader_find_origin(reader, &origins.at[i], &m))
			compare_origin(reader, &m, query);
	}
	vec_free(&origins);
}

/* Compare the names where messages can change them. With too many keys to remember, forget
 * all and compare them again. */
static void
compare_all(struct reader *reader, struct origin_query *query)
{
	enum { KEYS_MAX = 65536 };
	const struct decoder_ops *ops = trace_decoder(reader_trace(reader))->ops;
	struct map seen = {0}; /* by key: `announced` when it was last compared */
	struct message m;
	uint64_t announced = 1;
	while (!query->found && reader_walk(reader, &m, 1)) {
		announced += ops->kinds_history >> m.kind & 1;
		if (seen.count == KEYS_MAX)
			map_free(&seen);
		uint64_t *last = map_add(&seen, m.origin);
		if (*last != announced)
			compare_origin(reader, &m, query);
		*last = announced;
	}
	map_free(&seen);
}

static void
look_in(struct trace *trace, struct origin_query *query)
{
	struct reader *reader = reader_new(trace);
	if (trace_decoder(trace)->origin_varies && query->effort == ORIGIN_NAMES_QUICK)
		query->found = true; /* it may be */
	else if (trace_decoder(trace)->origin_varies)
		compare_all(reader, query);
	else
		compare_by_key(reader, query);
	reader_free(reader);
}

/* Compare the types of messages, each once if it has a key. */
static void
compare_types(struct reader *reader, struct origin_query *query)
{
	enum { BATCH = 256 };
	struct message batch[BATCH];
	uint64_t keys[BATCH];
	bool keyed[BATCH];
	struct map seen = {0};
	struct expansion e = {0};
	for (size_t count; !query->found && (count = reader_walk(reader, batch, BATCH));) {
		memset(keyed, true, sizeof keyed);
		reader_type_keys(reader, batch, count, keys, keyed);
		for (size_t i = 0; i < count; i++) {
			uint64_t *known = keyed[i] ? map_add(&seen, keys[i]) : NULL;
			if (known && *known)
				continue;
			if (known)
				*known = 1;
			reader_expand(reader, &batch[i], EXPAND_TYPE, &e);
			origin_query_compare(query, text_get(&e.type));
		}
	}
	expansion_free(&e);
	map_free(&seen);
}

static void
look_for_type(struct trace *trace, struct origin_query *query)
{
	struct reader *reader = reader_new(trace);
	compare_types(reader, query);
	reader_free(reader);
}

static void
look_at_trace_name(struct trace *trace, struct origin_query *query)
{
	origin_query_compare(query, trace_name(trace));
}

/* Append a value, in quotes if it needs them. */
static void
add_value(const char *value, size_t length, struct text *out)
{
	bool bare = length;
	for (size_t i = 0; i < length; i++)
		bare &= isalnum((unsigned char)value[i]) || value[i] == '_';
	if (bare)
		text_add_bytes(out, value, length);
	else
		filter_quote(value, length, out);
}

/* Append `trace = soc` if WORD is the name of a trace, and the rest if it only begins with one,
 * as in the list. Return false if it does not. */
static bool
add_trace(const struct session *session, const char *word, struct text *out)
{
	for (size_t i = 0; i < session->traces.count; i++) {
		const char *name = trace_name(session->traces.at[i]);
		size_t length = strlen(name);
		if (strncmp(word, name, length) != 0 || (word[length] && word[length] != ' '))
			continue;
		const char *rest = word + length + strspn(word + length, " ");
		text_addf(out, NOTICE_IS_TRACE, name);
		add_value(name, length, out);
		text_add(out, *rest ? NOTICE_IS_TRACE_AND : "");
		if (*rest)
			add_value(rest, strlen(rest), out);
		return true;
	}
	return false;
}

/* A field with values to check. */
static const struct checked_field {
	const char *name;
	void (*look)(struct trace *, struct origin_query *);
	const char *unknown;
	bool scans; /* costs a scan */
} fields[] = {{"origin", look_in, NOTICE_ORIGIN_UNKNOWN, false},
	      {"trace", look_at_trace_name, NOTICE_TRACE_NOT_NAMED, false},
	      {"type", look_for_type, NOTICE_TYPE_UNKNOWN, true}};

static void
check_value(struct session *session, const struct checked_field *field, const char *value,
	    size_t length, const char *source, enum origin_names_effort effort, struct text *out)
{
	struct origin_query query = {.effort = effort};
	struct text hint = {0};
	text_add_bytes(&query.word, value, length);
	const char *word = text_get(&query.word);
	query.nearest = nearest_to(word);
	for (size_t i = 0; i < session->traces.count && !query.found; i++)
		if (trace_is_among(session->traces.at[i], source))
			field->look(session->traces.at[i], &query);
	bool is_origin = field == &fields[0];
	if (!query.found && !(is_origin && add_trace(session, word, &hint)) && query.near.length)
		text_addf(&hint, NOTICE_NEAR, query.near.data);
	if (!query.found) {
		text_add(out, out->length ? "\n" : "");
		text_addf(out, NOTICE_NAME_UNKNOWN, field->unknown, word,
			  hint.length ? hint.data
			  : is_origin ? NOTICE_ORIGINS_ARE
				      : "");
	}
	text_free(&hint);
	text_free(&query.near);
	text_free(&query.word);
}

void
origin_names_check(struct session *session, const struct filter_expr *expr, const char *source,
		   enum origin_names_effort effort, struct text *out)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const char *value;
		size_t length;
		if (effort != ORIGIN_NAMES_SCAN && fields[i].scans)
			continue;
		for (size_t at = 0; (value = filter_expr_value(expr, fields[i].name, at, &length));
		     at++)
			if (length)
				check_value(session, &fields[i], value, length, source, effort,
					    out);
	}
}
