/*
 * Rows from the index alone: see group.h.
 *
 * For each origin, the index has the number of messages of each severity and the offset of
 * the first. That message is decoded for the name. Origins that the index had no room for
 * share one row, "(others)".
 */
#include "config.h"

#include "query/group/group.h"

#include <string.h>

bool
group_is_indexed(const struct group_spec *spec, struct reader *reader)
{
	unsigned counts = 1u << GROUP_COLUMN_COUNT | 1u << GROUP_COLUMN_SHARE;
	bool all = !spec->of && !(spec->counted & ~counts);
	for (size_t i = 0; i < spec->by_count; i++)
		all &= value_is_indexed(spec->by[i], reader);
	return all;
}

void
group_add_index(struct group *group, struct reader *reader, uint16_t severities)
{
	index_origins origins = {0};
	struct expansion e = {0};
	index_get_origins(trace_index(reader_trace(reader)), &origins);
	for (size_t i = 0; i < origins.count; i++) {
		struct message m = {0};
		struct value_look look = {.reader = reader, .message = &m, .expansion = &e};
		expansion_clear(&e);
		if (reader_find_origin(reader, &origins.at[i], &m))
			reader_expand_origin(reader, &m, &e);
		else
			text_add(&e.origin, "(others)");
		for (unsigned s = 0; s < SEVERITY_COUNT; s++) {
			m.severity = (uint8_t)s;
			if (severities >> s & 1 && origins.at[i].severities[s])
				group_add_count(group, &look, origins.at[i].severities[s]);
		}
	}
	expansion_free(&e);
	vec_free(&origins);
}
