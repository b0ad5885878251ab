/*
 * Links between clocks: see clock_link.h.
 */
#include "config.h"

#include "session/clock/clock_link.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum { LINKS_MAX = 4096 }; /* links in all; senders' clocks beyond that have none */

/* --- clocks ------------------------------------------------------------ */

bool
clock_id_same(const struct clock_id *a, const struct clock_id *b)
{
	return a->kind == b->kind && a->trace == b->trace && a->key == b->key;
}

const struct clock_source *
clock_source_of(const struct trace *trace)
{
	return trace_decoder(trace)->ops->clocks;
}

bool
clock_is_transported(const struct trace *trace)
{
	const struct clock_source *source = clock_source_of(trace);
	return source && source->owner;
}

struct clock_id
clock_id_of(const struct session *session, size_t number)
{
	struct trace *trace = session->traces.at[number];
	const char *group = trace_group(trace);
	bool untimed = trace_decoder(trace)->untimed;
	struct clock_id id = {.kind = untimed ? CLOCK_OFFSETS : CLOCK_TRACE, .trace = number};
	for (size_t i = 0; group && i <= number; i++) {
		struct trace *other = session->traces.at[i];
		if (trace_group(other) && !strcmp(trace_group(other), group) &&
		    trace_clock(other).hz == trace_clock(trace).hz)
			return (struct clock_id){.kind = CLOCK_GROUP, .trace = i};
	}
	return id;
}

/* --- links ------------------------------------------------------------- */

static void
add_link(struct clock_links *links, struct clock_link *link)
{
	uint64_t *latest = map_add(&links->latest, link->b.key);
	*vec_add(links) = link;
	link->before = *latest;
	*latest = links->count;
}

struct clock_link *
clock_link_between(struct clock_links *links, const char *kind, struct clock_id a,
		   struct clock_id b)
{
	const uint64_t *latest = map_find(&links->latest, b.key);
	for (uint64_t i = latest ? *latest : 0; i; i = links->at[i - 1]->before) {
		struct clock_link *link = links->at[i - 1];
		if (clock_id_same(&link->b, &b) && clock_id_same(&link->a, &a) &&
		    (link->kind == kind || !strcmp(link->kind, kind)))
			return link;
	}
	if (links->count >= LINKS_MAX) {
		links->overflowed = true;
		return NULL;
	}
	struct clock_link *link = mem_new(sizeof *link);
	*link = (struct clock_link){.kind = kind, .a = a, .b = b, .owner = SIZE_MAX};
	add_link(links, link);
	return link;
}

static void
link_free(struct clock_link *link)
{
	vec_free(&link->points.points);
	free(link);
}

void
clock_links_remove(struct clock_links *links, size_t trace)
{
	size_t count = links->count;
	links->count = 0;
	map_free(&links->latest);
	for (size_t i = 0; i < count; i++) {
		struct clock_link *link = links->at[i];
		if (link->owner == trace || link->a.trace == trace)
			link_free(link);
		else
			add_link(links, link);
	}
}

void
clock_links_free(struct clock_links *links)
{
	for (size_t i = 0; i < links->count; i++)
		link_free(links->at[i]);
	map_free(&links->latest);
	vec_free(links);
}
