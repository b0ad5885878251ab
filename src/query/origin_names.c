/*
 * Is there an origin of that name?  The index knows the first message of each
 * origin, and expanding it gives the name, so that a check costs the index and a
 * message for each origin: see origin_names.h.
 */
#include "config.h"

#include "query/origin_names.h"
#include "trace/reader.h"

#include <string.h>

/* A name that is looked for in all traces. */
struct wanted {
	const char *name;
	size_t length;
	bool found;
	struct text near;
	size_t least; /* distance of `near`; what is farther is not near */
};

static void
compare(struct wanted *wanted, const char *origin)
{
	struct text name = {0};
	text_add_bytes(&name, wanted->name, wanted->length);
	size_t distance = text_distance(text_get(&name), origin);
	wanted->found |= !distance;
	if (distance < wanted->least) {
		wanted->least = distance;
		text_clear(&wanted->near);
		text_add(&wanted->near, origin);
	}
	text_free(&name);
}

static void
look_in(struct trace *trace, struct wanted *wanted)
{
	struct reader *reader = reader_new(trace);
	struct expansion e = {0};
	index_origins origins = {0};
	trace_build(trace);
	index_get_origins(trace_index(trace), &origins);
	wanted->found |= trace_decoder(trace)->origin_varies;
	for (size_t i = 0; i < origins.count && !wanted->found; i++) {
		struct message m;
		if (!reader_find_origin(reader, &origins.at[i], &m))
			continue;
		reader_expand(reader, &m, EXPAND_TEXT, &e);
		compare(wanted, text_get(&e.origin));
	}
	vec_free(&origins);
	expansion_free(&e);
	reader_free(reader);
}

static void
check_one(struct session *session, struct wanted wanted, const char *source, struct text *out)
{
	wanted.least = wanted.length / 2 + 1;
	for (size_t i = 0; i < session->traces.count && !wanted.found; i++) {
		struct trace *trace = session->traces.at[i];
		if (!source || !strcmp(source, trace_name(trace)))
			look_in(trace, &wanted);
	}
	if (!wanted.found) {
		text_addf(out, "%sno origin is named %.*s", out->length ? "\n" : "",
			  (int)wanted.length, wanted.name);
		if (wanted.near.length)
			text_addf(out, "; did you mean %s?", wanted.near.data);
		else
			text_add(out, "; -t stats lists them");
	}
	text_free(&wanted.near);
}

void
origin_names_check(struct session *session, const char *list, const char *source, struct text *out)
{
	for (;;) {
		size_t length = strcspn(list, ",");
		if (length)
			check_one(session, (struct wanted){.name = list, .length = length}, source,
				  out);
		if (!list[length])
			break;
		list += length + 1;
	}
}
