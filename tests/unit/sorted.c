/* Messages by a plain sort: see sorted.h. */
#include "config.h"

#include "sorted.h"

#include "session/clock/clocks.h"
#include "trace/reader.h"

#include <stdlib.h>

static int
compare(const void *x, const void *y)
{
	const struct sorted_message *a = x, *b = y;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void
add_trace(sorted_messages *all, struct session *session, size_t number, size_t lane)
{
	struct trace *trace = session->traces.at[number];
	struct reader *reader = reader_new(trace);
	struct sorted_message entry = {.lane = lane, .key = INT64_MIN};
	while (clocks_part(session->traces.at[entry.part]) != clocks_part(trace))
		entry.part++;
	while (reader_walk(reader, &entry.message, 1)) {
		struct message_time time;
		if (clocks_transport_time(trace, &entry.message, &time) && time.order > entry.key)
			entry.key = time.order;
		*vec_add(all) = entry;
		entry.number++;
	}
	reader_free(reader);
}

sorted_messages
sorted_session(struct session *session, unsigned shown)
{
	sorted_messages all = {0};
	for (size_t i = 0; i < session->traces.count; i++)
		if (shown >> i & 1)
			add_trace(&all, session, i, i);
	qsort(all.at, all.count, sizeof *all.at, compare);
	return all;
}

sorted_messages
sorted_trace(struct session *session, size_t number)
{
	sorted_messages all = {0};
	add_trace(&all, session, number, 0); /* its keys never fall */
	return all;
}

size_t
sorted_find(const sorted_messages *all, size_t part, int64_t key)
{
	size_t i = 0;
	while (i < all->count &&
	       (all->at[i].part < part || (all->at[i].part == part && all->at[i].key < key)))
		i++;
	return i;
}
