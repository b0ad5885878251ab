/*
 * The messages of a session by a plain sort, for tests: what its sequences, which never
 * have them all, must give.
 */
#ifndef TRAWL_TESTS_UNIT_SORTED_H
#define TRAWL_TESTS_UNIT_SORTED_H

#include "base/vec.h"
#include "session/session.h"

struct sorted_message {
	size_t part; /* the first trace of the session that is related to its own */
	size_t lane;
	int64_t key;	 /* the latest time in the lane so far, INT64_MIN before the first */
	uint64_t number; /* in the lane */
	struct message message;
};

typedef VEC(struct sorted_message) sorted_messages;

/* All messages of the traces in SHOWN, a bit each: a lane for every trace of the
 * session.  To be freed with vec_free(). */
sorted_messages sorted_session(struct session *, unsigned shown);
/* Those of trace NUMBER, which is lane 0. */
sorted_messages sorted_trace(struct session *, size_t number);

/* The first message of PART with a key of at least KEY, or of a part behind it;
 * their number if there is none. */
size_t sorted_find(const sorted_messages *, size_t part, int64_t key);

#endif
