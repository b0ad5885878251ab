/*
 * Output of parts of traces: from one place to another, as a person marked
 * them.  The same formats and texts as those of a whole session.
 */
#ifndef TRAWL_EXPORT_EXPORT_RANGE_H
#define TRAWL_EXPORT_EXPORT_RANGE_H

#include "export/export.h"
#include "session/sequence.h"

/* The messages from one place to another, both included. */
struct export_span {
	struct trace *trace;
	struct message_id first, last;
	bool in_strand;			/* those alone that are in one strand of the trace: */
	size_t strand;			/* clocks_strand() */
	const struct export_mark *mark; /* of all of them, or NULL */
};

struct export_range {
	const struct export_span *spans; /* written one after the other, or, */
	size_t count;
	struct sequence *sequence; /* if not NULL, in its order: of all traces, borrowed,
				of the calling thread, loaded; then one of a strand at most */
	bool ordered;		   /* a sequence will be given */
	bool marks;		   /* the spans have marks */
	const struct export_format *format;
	const struct filter *filter; /* of the calling thread; NULL: all messages */
	enum text_charset charset;
	/* Takes what is ready, whole messages, and clears it; now and then and at
	 * the end.  False: enough. */
	bool (*write)(void *context, struct text *);
	void *context;
};

/* Whether the index has come so far that numbers, and times where the format
 * has them, are no estimates. */
bool export_range_is_known(const struct export_range *);

/*
 * Returns how many messages were taken, ERR_CANCELLED if `write` had enough, or
 * ERR_MORE if it is not known so far.
 */
int64_t export_range(const struct export_range *);

#endif
