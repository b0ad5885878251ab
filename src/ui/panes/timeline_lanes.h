/*
 * What the timeline can show: a lane for each trace or each of its origins, the pairs of traces
 * that have times in common, and the contexts of origins, with their names.
 */
#ifndef TRAWL_UI_TIMELINE_LANES_H
#define TRAWL_UI_TIMELINE_LANES_H

#include <stdbool.h>

struct density_answer;
struct density_link;
struct screen;
struct timeline_pair;
struct timeline_state;

/* Makes the lanes of the traces that are shown, if they are not made. */
void timeline_lanes_make(struct screen *screen);

/* Weighs the lanes of whole traces; those of origins are weighed when they are made. */
void timeline_lanes_weigh(const struct screen *screen, struct timeline_state *state);

/* A line for each two traces that are shown and have times in common. */
void timeline_pairs_make(struct screen *screen);

/* A line for each context of each origin, named by the context, and by whose it is where
 * several have it. */
void timeline_states_make(struct screen *screen, const struct density_answer *answer);

/* Whether a link ties the traces of a pair. */
bool timeline_is_of_pair(const struct density_link *link, const struct timeline_pair *pair);

/* Frees lanes, pairs and contexts. */
void timeline_lanes_free(struct timeline_state *);

#endif
