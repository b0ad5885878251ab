/*
 * Cuts: the bytes of some messages, plus the bytes before them that a decoder needs.  A
 * cut decodes without the rest of the capture.
 */
#ifndef TRAWL_EXPORT_EXPORT_RAW_H
#define TRAWL_EXPORT_EXPORT_RAW_H

#include "query/filter/filter.h"

/* Bytes of a capture.  A decoder that starts at `begin` gives the messages of the cut.  Before
 * them it may give messages of the bytes it needed, and after them at most a cut-off rest. */
struct export_cut {
	uint64_t begin, end;
	uint64_t messages;
	bool ticks_differ; /* all ticks differ by one constant: the cut does not contain how
			      often the counter wrapped */
};

/* Find the first and last message from *FIRST to *LAST that pass a filter.  The two need not
 * exist.  Return false if none passes.  Does not wait. */
bool export_cut_select(struct trace *, const struct filter *, struct message_id *first,
		       struct message_id *last);

/* Find the cut from message FIRST to LAST, both included, by decoding it both ways.  Calls
 * GOES_ON (NULL: never stop) now and then.  Return 0, ERR_CANCELLED, or ERR_UNSUPPORTED with the
 * reason. */
int export_cut_find(struct trace *, struct message_id first, struct message_id last,
		    bool (*goes_on)(void *context), void *context, struct export_cut *,
		    struct err *);

#endif
