/*
 * An oracle of time and order: it has what writers of captures tell (sent.h), pairs of a
 * message and its time, and asks all that shows, finds, filters or writes messages by time
 * whether it agrees, message for message.
 */
#ifndef TRAWL_TESTS_UNIT_ORACLE_H
#define TRAWL_TESTS_UNIT_ORACLE_H

#include "test.h"

#include "folder.h"
#include "random.h"
#include "query/filter/filter.h"
#include "sent.h"
#include "session/clock/clocks.h"
#include "session/sequence.h"
#include "session/session.h"

enum { ORACLE_TRACES = 3, ORACLE_SENDERS = 8 };

/* A message of the list: all that its place may follow from. */
struct listed {
	size_t trace, number;
	unsigned clock;
	int64_t key;
};

struct oracle {
	struct folder folder;
	struct session session;
	size_t traces;
	sents sents[ORACLE_TRACES]; /* as the captures have them */
	const struct sent_format *formats[ORACLE_TRACES];
	struct text profile;
	char *origins[ORACLE_TRACES][ORACLE_SENDERS]; /* what the list calls senders; owned */
	uint64_t keys[ORACLE_TRACES][ORACLE_SENDERS]; /* what messages call them */
	int64_t near;				      /* ns that a time may be off */
	bool dated, one;
	unsigned plan;
	uint64_t seed;
	VEC(int64_t) times; /* all there are, in order */
	int64_t start;	    /* what relative times of filters count from */

	/* the list, in the order that is set */
	bool by_time;
	struct sequence *sequence;
	VEC(struct listed) messages[ORACLE_TRACES]; /* of each trace */
	VEC(struct sequence_position) rows;
	VEC(struct listed) all; /* the same */

	size_t moved, passed, matches, printed; /* how much there was to see */
};

/* What is to be shown. */
struct selection {
	struct filter filter;
	struct text text; /* of its expression */
	bool by_time;
	int64_t from, to;
	const char *origin; /* NULL: any */
	unsigned word;	    /* 0: any */
};

/* Writes captures, opens them as a session, and looks at each message. */
void oracle_open(struct oracle *, const struct sent_format *const *formats, size_t traces,
		 unsigned plan, unsigned count, bool dated, bool one);
void oracle_close(struct oracle *);

/* Asks all there is in both orders. */
void oracle_check(struct oracle *);

/* Fails, and says what the session is. */
void oracle_fail(const struct oracle *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline const struct sent *
oracle_sent(const struct oracle *o, const struct listed *listed)
{
	return &o->sents[listed->trace].at[listed->number];
}

/* Whether two times may be the same. */
static inline bool
oracle_near(const struct oracle *o, int64_t a, int64_t b)
{
	return a < b ? b - a <= o->near : a - b <= o->near;
}

/* Some selection, by time if TIMED, else by what happens. */
void oracle_select(struct oracle *, bool timed, struct selection *);
void oracle_select_free(struct selection *);
bool oracle_wants(const struct oracle *, const struct selection *, size_t trace,
		  const struct sent *);

/* Asks what goes by the order of messages: see oracle_list.c. */
void oracle_check_list(struct oracle *, bool by_time);

/* Outputs of what is selected, against the list: see oracle_output.c. */
void oracle_check_outputs(struct oracle *, const struct selection *);

#endif
