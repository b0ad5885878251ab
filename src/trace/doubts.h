/*
 * Doubts: what keeps a run over captures from being good, counted in one place.
 *
 * What is found is added to the counts: of messages by their flags, of bytes
 * in no message that may hold some, of searches that a limit ended, of places from which on
 * the flow is not known, of captures and collateral that could not be read.  The exit status
 * and the sentences for people follow from the counts alone, save that a capture or a file
 * that could not be read has a sentence of its own, with its name.
 */
#ifndef TRAWL_TRACE_DOUBTS_H
#define TRAWL_TRACE_DOUBTS_H

#include "base/text.h"
#include "trace/reader.h"

enum doubt {
	/* messages, by the first flags of enum message_flag, in that order */
	DOUBT_DAMAGED,
	DOUBT_LOST,
	DOUBT_TRUNCATED,
	DOUBT_SUSPECT,
	DOUBT_UNDECODED,  /* bytes in no message that may hold some */
	DOUBT_UNSEARCHED, /* texts that a regular expression gave up on */
	DOUBT_UNFOLLOWED, /* places from which on it is not known what was executed */
	DOUBT_MISFIT,	  /* processors whose program is not the one that was traced */
	DOUBT_TEXTLESS,	  /* instructions whose text was asked for */
	DOUBT_NAMELESS,	  /* instructions in functions without a name */
	DOUBT_UNNAMED,	  /* the same, each in a line of its own */
	DOUBT_CODELESS,	  /* instructions whose bytes no image has */
	DOUBT_UNCOUNTED,  /* runs of instructions whose executions are not counted */
	DOUBT_INCOMPLETE, /* captures with bytes missing; they or programs changed meanwhile */
	DOUBT_UNLOADED,	  /* traces with collateral or symbols that could not be loaded */
	DOUBT_COUNT
};
enum {
	DOUBT_FLAGS = DOUBT_SUSPECT + 1,     /* the doubts that are flags of messages */
	DOUBT_DECODING = DOUBT_UNDECODED + 1 /* those that decoding finds */
};

/* Flags of messages that are doubts. */
#define DOUBT_MESSAGES ((1u << DOUBT_FLAGS) - 1)

/* Zero-initialise. */
struct doubts {
	uint64_t count[DOUBT_COUNT];
};

/* Counts a message with these flags, of its own and of its expansion. */
static inline void
doubts_add_flags(struct doubts *doubts, unsigned flags)
{
	if (!(flags & DOUBT_MESSAGES))
		return;
	for (unsigned bit = 0; bit < DOUBT_FLAGS; bit++)
		doubts->count[bit] += flags >> bit & 1;
}

void doubts_add(struct doubts *, const struct doubts *more);

/* Takes out the first COUNT doubts: DOUBT_FLAGS or DOUBT_DECODING. */
void doubts_remove(struct doubts *, unsigned count);

/* Adds bytes in no message that may hold some, of BITS by row of the decoder's table. */
void doubts_add_silent(struct doubts *, const struct decoder_ops *, const uint64_t *bits);

/* Adds what is no message's: the bytes that the walk of READER, which is over, passed
 * over and that may hold messages. */
void doubts_add_walk(struct doubts *, struct reader *);

/* The same after a walk that was no single one from the start, or not by one
 * reader: decodes the trace again if anything can be found so. */
void doubts_add_trace(struct doubts *, struct trace *);

/* Whether the captures are not good. */
bool doubts_are_bad(const struct doubts *);

/* Appends what was counted, and what to do next, a line for each thing to do:
 * `3 damaged messages, 1 lost message; -t text marks them`.  Nothing if there is
 * nothing, or nothing but what has sentences of its own. */
void doubts_describe(const struct doubts *, struct text *);

#endif
