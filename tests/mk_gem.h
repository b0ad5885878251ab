/*
 * What a program on a TI C66x core traces, for mkcapture: the words it writes
 * to the OVERLAY register, and the packets of software events that its loggers
 * write.  Both follow one schedule, which depends on the seed alone.
 */
#ifndef MK_GEM_H
#define MK_GEM_H

#include "mk_sink.h"

struct mk_gem_plan {
	uint64_t seed;		  /* of the schedule */
	unsigned timestamp_bytes; /* of a record, behind its word; at most 8 */
	bool everything;	  /* words and events of any kind, some lost */
	bool contexts; /* some contexts are not logged, some are the same again; the truth
			  about a word says which context holds then */
};

/* What the events are called, for a profile. */
#define MK_UIA_EVENTS                                                                              \
	"        - {id: 1, name: syncPoint}\n"                                                     \
	"        - {id: 2, name: globalTimerFreq}\n"                                               \
	"        - {id: 3, name: threadCtxChg}\n"                                                  \
	"        - {id: 4, name: userCtxChg}\n"                                                    \
	"        - {id: 5, name: snapshot}\n"                                                      \
	"        - {id: 6, name: mark, format: \"%s: %u\"}\n"

void mk_gem(const struct mk_gem_plan *, struct mk_sink *);
void mk_uia(const struct mk_gem_plan *, struct mk_sink *);

#endif
