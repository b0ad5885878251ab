/*
 * Functions on the timeline: the calls of the selected message's processor, a lane for each
 * depth.
 *
 * When no keys arrive, the visible part of its trace is followed, unless it has too many
 * messages.
 */
#ifndef TRAWL_UI_TIMELINE_FLOW_H
#define TRAWL_UI_TIMELINE_FLOW_H

#include "query/density.h"
#include "trace/reader.h"

struct area;
struct screen;

enum { TIMELINE_FLOW_LANES = 8 /* at most */ };

/* A call, from its first message to its last. */
struct flow_bar {
	size_t from, to; /* columns */
	uint64_t depth;
	uint64_t since, instructions; /* identify its frame */
	uint64_t entry;
	bool entered;
};

/* Zero-initialise. */
struct timeline_flow {
	bool on;
	bool made; /* the members below are valid for this window */
	struct density_window window;
	enum track_unit unit;
	int64_t last;
	size_t trace;
	uint64_t origin;
	unsigned known; /* epoch of the flow index at that time */
	bool guess;
	uint64_t least; /* depth of the first lane */
	size_t lanes;
	const char *why;	   /* reason for no lanes, or NULL */
	VEC(struct flow_bar) bars; /* in the order of their begins */
	VEC(size_t) open;	   /* by depth: index in `bars` plus one; 0: none */
	VEC(uint32_t) columns;	   /* column of each message from `first` on */
	uint64_t first;
	char name[TIMELINE_FLOW_LANES][24]; /* of lanes */
};

void timeline_flow_free(struct timeline_flow *);

/* Find the time of a message in the unit of the window; CARRIED: its transport time. */
typedef bool timeline_time_of(struct screen *, size_t trace, const struct message *, bool carried,
			      int64_t *time);

/* Follow the window of ANSWER, unless that was done already. True if it did. */
bool timeline_flow_work(struct timeline_flow *, struct screen *, const struct density_answer *,
			timeline_time_of *);

/* True if the flow index has grown since then. */
bool timeline_flow_has_news(const struct timeline_flow *, struct screen *);

/* Return the number of lanes to draw. */
size_t timeline_flow_lanes(const struct timeline_flow *);

void timeline_flow_draw(const struct timeline_flow *, struct screen *, const struct area *, int y,
			size_t lane);

#endif
