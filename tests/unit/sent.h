/*
 * Captures of random messages, by writers that tell when each was sent.
 *
 * What is told follows from the writer's own arithmetic in integers; who compares needs to
 * know (message, time) pairs and nothing of formats.
 */
#ifndef TRAWL_TESTS_UNIT_SENT_H
#define TRAWL_TESTS_UNIT_SENT_H

#include "base/text.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SENT_SECOND INT64_C(1000000000)
#define SENT_BEGIN (INT64_C(1700000000) * SENT_SECOND) /* of time, by clocks that show a date */
#define SENT_APART (10 * SENT_SECOND)		       /* from there on a sender is not believed */

#define SENT_SOMEWHERE UINT64_MAX

enum {
	SENT_ANY = 255,	 /* severity: whatever the format makes of it */
	SENT_CLOCKS = 6, /* of a capture, with the transport's */
	SENT_WORDS = 4	 /* words of texts, from 1 */
};
extern const char *const sent_words[SENT_WORDS];

/* A message. */
struct sent {
	uint64_t place; /* message_id_offset, or SENT_SOMEWHERE: whatever the format says */
	bool timed;
	int64_t made;	 /* its time, in ns of the session */
	int64_t carried; /* the transport's */
	unsigned clock;	 /* whose `made` is: from 1, 0: the transport's */
	unsigned sender; /* from 1, 0: nobody */
	unsigned severity;
	unsigned word; /* that its text has, from 1; 0: none of them */
};
typedef VEC(struct sent) sents;

/* What a capture is to be like. */
struct sent_plan {
	uint64_t seed;
	size_t number; /* of the trace in the session */
	unsigned plan;
	unsigned count; /* of messages, about */
	bool dated;	/* times of the session are since 1970 */
	bool one;	/* STP: all senders have one clock, by the profile */
};

/* What a profile says of a capture. */
struct sent_profile {
	struct text trace;   /* in its entry of `traces:`, `, key: value` */
	struct text origins; /* entries of `origins:`, a line each */
};

struct sent_format {
	const char *name;
	bool wall;    /* times of a dated capture are since 1970 by itself */
	bool related; /* captures of it are related by themselves */
	int64_t near; /* ns that a time may be off */
	/* Writes a capture to PATH; appends what it holds to SENTS, and to what the profile
	 * says. */
	void (*write)(const struct sent_plan *, const char *path, sents *, struct sent_profile *);
};
extern const struct sent_format sent_stp;
extern const struct sent_format sent_formats[];
size_t sent_format_count(void); /* of those that can be read */

#endif
