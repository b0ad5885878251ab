/*
 * Check of origin names: see origin_names.h.
 *
 * The index has the first message of each origin. Expanding it gives the name, so a check
 * costs the index and one message for each origin. With collateral of several builds, one
 * origin may have several names. Its messages are then expanded again after each message
 * that may change the name, which costs a scan.
 */
#include "config.h"

#include "query/origin_names.h"
#include "base/map.h"
#include "base/nearest.h"
#include "session/session.h"
#include "trace/reader.h"

#include <string.h>

/* A name to find in all traces. */
struct origin_query {
	const char *name;
	size_t length;
	bool found;
	struct text word; /* the name alone */
	struct nearest nearest;
	struct text near;
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
	if (trace_decoder(trace)->origin_varies)
		compare_all(reader, query);
	else
		compare_by_key(reader, query);
	reader_free(reader);
}

static void
check_one(struct session *session, struct origin_query query, const char *source, struct text *out)
{
	text_add_bytes(&query.word, query.name, query.length);
	query.nearest = nearest_to(text_get(&query.word));
	for (size_t i = 0; i < session->traces.count && !query.found; i++) {
		struct trace *trace = session->traces.at[i];
		if (trace_is_among(trace, source))
			look_in(trace, &query);
	}
	if (!query.found) {
		text_addf(out, "%sno origin is named %.*s", out->length ? "\n" : "",
			  (int)query.length, query.name);
		if (query.near.length)
			text_addf(out, "; did you mean %s?", query.near.data);
		else
			text_add(out, "; -t stats lists them");
	}
	text_free(&query.near);
	text_free(&query.word);
}

void
origin_names_check(struct session *session, const char *list, const char *source, struct text *out)
{
	for (;;) {
		size_t length = strcspn(list, ",");
		if (length)
			check_one(session, (struct origin_query){.name = list, .length = length},
				  source, out);
		if (!list[length])
			break;
		list += length + 1;
	}
}
