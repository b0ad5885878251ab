/*
 * The candidates for lines of the timeline, with their names. They are lanes for traces or
 * their origins, pairs of traces with common times, and contexts of origins.
 */
#ifndef TRAWL_UI_TIMELINE_LANES_H
#define TRAWL_UI_TIMELINE_LANES_H

#include <stdbool.h>

struct density_answer;
struct density_link;
struct screen;
struct timeline_pair;
struct timeline_state;

/* Make the lanes of the shown traces, unless they are current. */
void timeline_lanes_make(struct screen *screen);

/* Set the weights of whole traces. Those of origins are set when their lanes are made. */
void timeline_lanes_weigh(const struct screen *screen, struct timeline_state *state);

/* Make a line for each pair of shown traces with common times. */
void timeline_pairs_make(struct screen *screen);

/* Make a line for each context of each origin. Its name is the context, with the owner if several
 * share the context. */
void timeline_states_make(struct screen *screen, const struct density_answer *answer);

/* True if a link ties the traces of a pair. */
bool timeline_is_of_pair(const struct density_link *link, const struct timeline_pair *pair);

/* Free lanes, pairs and contexts. */
void timeline_lanes_free(struct timeline_state *);

#endif
