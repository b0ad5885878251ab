/*
 * Cuts: the bytes of some messages, with what a decoder needs in front of them, so that
 * they decode by themselves.
 */
#ifndef TRAWL_EXPORT_EXPORT_RAW_H
#define TRAWL_EXPORT_EXPORT_RAW_H

#include "query/filter/filter.h"

/* Bytes of a capture.  A decoder that begins at the first of them gives the messages of the
 * cut: in front of them those of what it needs, behind them at most what is cut off. */
struct export_cut {
	uint64_t begin, end;
	uint64_t messages;
	bool ticks_differ; /* by the same number in all: how often a counter wrapped is not in it */
};

/* The first and the last message of a trace from *FIRST to *LAST, which need not be there,
 * that pass a filter; false: none does.  Waits for nothing. */
bool export_cut_select(struct trace *, const struct filter *, struct message_id *first,
		       struct message_id *last);

/* Finds the cut from message FIRST to LAST, both included, by decoding it both ways.
 * GOES_ON (NULL: it does) is asked now and then.  0, ERR_CANCELLED, or ERR_UNSUPPORTED
 * with the reason. */
int export_cut_find(struct trace *, struct message_id first, struct message_id last,
		    bool (*goes_on)(void *context), void *context, struct export_cut *,
		    struct err *);

#endif
