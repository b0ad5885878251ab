/*
 * Output of messages that a person chose: marked ones, a range, or all that a list shows.  In
 * the formats and texts of batch output.
 */
#ifndef TRAWL_EXPORT_EXPORT_RANGE_H
#define TRAWL_EXPORT_EXPORT_RANGE_H

#include "export/export.h"
#include "session/sequence.h"

struct export_place {
	struct trace *trace;
	struct message_id id;
	const struct export_mark *mark; /* or NULL */
};

/* All is borrowed. */
struct export_range {
	struct session *session;
	/* Traces, by number, that are left out: messages of the others are written in the order of
	 * the session, all of them, or those from one place to another, both included, in either
	 * order.  NULL: the messages at the places are written, one after the other. */
	const bool *hidden;
	const struct export_place *places;
	size_t count;	/* with `hidden` 0 or 2 */
	bool has_marks; /* the places have */
	/* Of all traces, or of the one that is not hidden; it hides the same ones, and belongs to
	 * the calling thread.  NULL: export_range makes one. */
	struct sequence *sequence;
	const struct export_format *format;
	const struct filter *filter; /* of the calling thread; NULL: all messages */
	enum text_charset charset;
	/* Takes what is ready, whole messages, and clears it; now and then and at
	 * the end.  False: enough. */
	bool (*write)(void *context, struct text *);
	void *context;
};

/* True if indexes, clocks and flows are known as far as the messages depend on them. */
bool export_range_is_known(const struct export_range *);

/*
 * Returns how many messages were written, or
 *   ERR_MORE       not all is known that they depend on, or their order or times changed while
 *                  they were written: what was written is void, begin again;
 *   ERR_DATA       a message vanished;
 *   ERR_CANCELLED  `write` returned false.
 */
int64_t export_range(const struct export_range *);

/* The first and the last message of the range, in their trace.  0, an error as above, or
 * ERR_USAGE if they are of several traces, ERR_END if there are none. */
int export_range_ends(const struct export_range *, struct export_place ends[2]);

#endif
