/*
 * Functions on the timeline: which calls the processor of the selected message was in, a lane
 * for each depth.
 *
 * The part of its trace that is in sight is followed when keys pause, if it has not too many
 * messages.
 */
#ifndef TRAWL_UI_TIMELINE_FLOW_H
#define TRAWL_UI_TIMELINE_FLOW_H

#include "query/density.h"
#include "trace/reader.h"

struct area;
struct screen;

enum { TIMELINE_FLOW_LANES = 8 /* at most */ };

/* A call, from the first message at which it was made to the last. */
struct flow_bar {
	size_t from, to; /* columns */
	uint64_t depth;
	uint64_t since, instructions; /* of its frame, which tell it from others */
	uint64_t entry;
	bool entered;
};

/* Zero-initialise. */
struct timeline_flow {
	bool on;
	bool made; /* of what follows, for: */
	struct density_window window;
	enum track_unit unit;
	int64_t last;
	size_t trace;
	uint64_t origin;
	unsigned known; /* how much was followed then */
	bool guess;
	uint64_t least; /* the depth of the first lane */
	size_t lanes;
	const char *why;	   /* there are none, or NULL */
	VEC(struct flow_bar) bars; /* in the order of their begins */
	VEC(size_t) open;	   /* by depth: place in `bars` and one */
	VEC(uint32_t) columns;	   /* of messages from `first` on */
	uint64_t first;
	char name[TIMELINE_FLOW_LANES][24]; /* of lanes */
};

void timeline_flow_free(struct timeline_flow *);

/* The time of a message of a trace, or (CARRIED) that of the transport, in the unit of the
 * window. */
typedef bool timeline_time_of(struct screen *, size_t trace, const struct message *, bool carried,
			      int64_t *time);

/* Follows what ANSWER shows, if that was not done; true if it did. */
bool timeline_flow_work(struct timeline_flow *, struct screen *, const struct density_answer *,
			timeline_time_of *);

/* Whether more is known than was when it was followed. */
bool timeline_flow_has_news(const struct timeline_flow *, struct screen *);

/* How many lanes there are to draw. */
size_t timeline_flow_lanes(const struct timeline_flow *);

void timeline_flow_draw(const struct timeline_flow *, struct screen *, const struct area *, int y,
			size_t lane);

#endif
