/*
 * The walk of a search for causes: see why.h.  Private to this folder.
 *
 * Pairs are numbered by their begin.  Trees of counts hold the open ones, so the pairs that get a
 * candidate at a message are a difference of two sums: the open pairs that began after the last
 * message with that candidate.
 */
#ifndef TRAWL_QUERY_WHY_WHY_WALK_H
#define TRAWL_QUERY_WHY_WHY_WALK_H

#include "base/job.h"
#include "base/map.h"
#include "query/span/spans.h"
#include "query/why/why.h"

/* Sets of open pairs: others, slow ones in their window, slow ones until their end. */
enum why_set { WHY_OTHERS, WHY_SLOW, WHY_SLOW_WHOLE, WHY_SETS };

struct why_candidate {
	enum why_kind kind;
	/* what it is: a context with a label, of a lane (ALL_LANES: of the pair's own origin); an
	 * interval; a message; a gap of a trace */
	uint32_t lane, context, label;
	struct interval_message message;
	int64_t length;

	uint32_t with[WHY_SETS]; /* pairs that have it, of each set */
	uint32_t at_begin[2];	 /* others and slow ones that have it at their begin */
	uint32_t places;	 /* messages, or periods, that gave it to slow pairs */
	uint32_t doubtful;	 /* pairs that have it in doubt */
	uint32_t last;		 /* open pairs with a lower number have it already */
	uint32_t row;		 /* second walk: 1 + the row that lists its pairs; 0: none */
	bool on, doubt;		 /* it holds now; in doubt */
	bool counted;		 /* in `places`, since it came on */
	uint32_t begun[2];	 /* pairs begun before it came on */
};
#define WHY_ALL_LANES UINT32_MAX

struct why_tree {
	uint32_t *at, total;
};

struct why_pair {
	struct interval_message begin;
	int64_t since;
	bool slow, in[WHY_SETS];
	uint32_t older[WHY_SETS], newer[WHY_SETS]; /* neighbours in the set; only slow ones */
};

/* The state of a trace. */
struct why_lane {
	interval_events events;
	uint32_t *numbers; /* of the pairs that events begin, or WHY_NONE */
	size_t next;	   /* event */
	size_t part;	   /* of the clocks */
	bool timed;	   /* of the last message with a time: */
	int64_t last;
	uint32_t begun; /* pairs begun until then */
	size_t class;	/* the next length of a gap */
};
#define WHY_NONE UINT32_MAX

/* The value that a context has now. */
struct why_held {
	uint32_t candidate, label;
	bool any, doubt;
};

enum { WHY_CLASSES_MAX = 8 };

struct why_walk {
	struct session *session;
	struct job *job;
	atomic_uint *percent;
	struct spans *spans;
	struct why_result *result;
	VEC(struct why_pair) pairs;
	VEC(struct why_candidate) candidates;
	bool listing; /* the second walk */
	bool missed;  /* an event has no message: the capture changed meanwhile */

	/* private */
	struct sequence *sequence;
	struct why_lane *lanes; /* of traces */
	struct why_tree trees[WHY_SETS];
	uint32_t newest[WHY_SETS];
	uint32_t begun[2], due; /* pairs begun; first slow one that may leave its window */
	struct map by_what;	/* hash of a candidate: 1 + its number */
	struct map lane_of;	/* own contexts: 1 + the lane of spans */
	VEC(struct why_turn) turns;
	size_t turn;
	struct why_held *held; /* of each lane of spans */
	uint64_t shared;       /* bit set: contexts with several lanes */
	uint32_t *open;	       /* open pairs of each interval */
	int64_t classes[WHY_CLASSES_MAX];
	size_t class_count;
	size_t part;
	int64_t now, gap_due;
	bool running;
	struct expansion expansion;
};

/* Copy the pairs, and choose the slow ones.  Return false if there are none to compare. */
bool why_walk_open(struct why_walk *, struct intervals *);
/* Walk over all messages: count, or list the pairs of the candidates that have a row. */
void why_walk_run(struct why_walk *);
void why_walk_free(struct why_walk *);

/* Append the text of a candidate; not safe. */
void why_walk_describe(struct why_walk *, const struct why_candidate *, bool at_begin,
		       struct text *);

#endif
