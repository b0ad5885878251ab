/*
 * Doubts: counts everything that makes the results of a run doubtful.
 *
 * Examples are flagged messages, undecoded bytes, places after which the program
 * flow is unknown, and files that could not be read. The exit status and the
 * sentences for users depend only on the counts. Exception: a capture or file that
 * could not be read has its own sentence, with its name.
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
	DOUBT_UNDECODED,  /* bytes outside messages that may contain some */
	DOUBT_UNSEARCHED, /* texts that a regular expression gave up on */
	DOUBT_UNFOLLOWED, /* places after which the executed code is unknown */
	DOUBT_MISFIT,	  /* processors with an image other than the traced program */
	DOUBT_TEXTLESS,	  /* instructions without the requested text */
	DOUBT_NAMELESS,	  /* instructions in functions without a name */
	DOUBT_UNNAMED,	  /* the same, on a line of their own */
	DOUBT_CODELESS,	  /* instructions not in any image */
	DOUBT_UNCOUNTED,  /* runs of instructions whose executions are not counted */
	DOUBT_INCOMPLETE, /* captures with missing bytes, or that changed (or their programs) */
	DOUBT_UNLOADED,	  /* traces with unloadable collateral or symbols */
	DOUBT_COUNT
};
enum {
	DOUBT_FLAGS = DOUBT_SUSPECT + 1,     /* doubts that are message flags */
	DOUBT_DECODING = DOUBT_UNDECODED + 1 /* doubts found by decoding */
};

/* Message flags that are doubts. */
#define DOUBT_MESSAGES ((1u << DOUBT_FLAGS) - 1)

/* Zero-initialise. */
struct doubts {
	uint64_t count[DOUBT_COUNT];
};

/* Count a message by its flags and those of its expansion. */
static inline void
doubts_add_flags(struct doubts *doubts, unsigned flags)
{
	if (!(flags & DOUBT_MESSAGES))
		return;
	for (unsigned bit = 0; bit < DOUBT_FLAGS; bit++)
		doubts->count[bit] += flags >> bit & 1;
}

void doubts_add(struct doubts *, const struct doubts *more);

/* Clear the first COUNT doubts: DOUBT_FLAGS or DOUBT_DECODING. */
void doubts_remove(struct doubts *, unsigned count);

/* Add the undecoded bytes in BITS, given by row of the decoder's table. */
void doubts_add_silent(struct doubts *, const struct decoder_ops *, const uint64_t *bits);

/* Add the undecoded bytes that the finished walk of READER passed. */
void doubts_add_walk(struct doubts *, struct reader *);

/* Fill in the silent bits of a whole trace, by row of the decoder's table: from its index if
 * complete and able to count them, else by a walk. */
void doubts_read_silent(struct trace *, uint64_t bits[static DECODE_SILENT_MAX]);

/* Add the undecoded bytes of a trace, when no reader walked all of it from the start. Decodes
 * the trace again if the format can have such bytes. */
void doubts_add_trace(struct doubts *, struct trace *);

/* True if a count means that the results are not good. */
bool doubts_are_bad(const struct doubts *);

/* Append the counts with advice, one line per advice: `3 damaged messages, 1 lost message; -t
 * text marks them`. Append nothing if all counts are 0 or have their own sentences. */
void doubts_describe(const struct doubts *, struct text *);

#endif
