/*
 * Output of messages that the user chose: marked ones, a range, or all rows of a list.  It
 * uses the formats and texts of batch output.
 */
#ifndef TRAWL_EXPORT_EXPORT_RANGE_H
#define TRAWL_EXPORT_EXPORT_RANGE_H

#include "export/export.h"
#include "session/sequence.h"

struct export_place {
	struct trace *trace;
	struct message_id id;
	const struct export_mark *mark; /* NULL: none */
};

/* All pointers are borrowed. */
struct export_range {
	struct session *session;
	/* Traces to leave out, by number.  The other traces are written in session order: all
	 * messages, or those between two places, both included, in either order.  NULL: write
	 * the messages at the places, one after the other. */
	const bool *hidden;
	const bool *uncounted; /* for places: traces that numbers do not count; NULL: none */
	const struct export_place *places;
	size_t count;	/* 0 or 2 with `hidden` */
	bool has_marks; /* the places have marks */
	/* Sequence of all traces, or of the only visible one.  It hides the same traces and
	 * belongs to the calling thread.  NULL: export_range makes one. */
	struct sequence *sequence;
	const struct export_format *format;
	const struct filter *filter; /* used by the calling thread; NULL: all messages */
	enum text_charset charset;
	/* Take and clear the text so far, whole messages.  Called now and then and at the end.
	 * Return false to stop. */
	bool (*write)(void *context, struct text *);
	void *context;
};

/* True if indexes, clocks and flows are known as far as the messages depend on them. */
bool export_range_is_known(const struct export_range *);

/*
 * Write the messages.  Return their number, or
 *   ERR_MORE       an index, a clock or a flow is not known far enough, or order or times changed
 *                  meanwhile: the output is void, begin again;
 *   ERR_DATA       a message vanished;
 *   ERR_CANCELLED  `write` returned false.
 */
int64_t export_range(const struct export_range *);

/* Find the first and the last message of the range, in their trace.  Return 0 or an error of
 * export_range.  Return ERR_USAGE if they are of several traces, ERR_END if the range is empty. */
int export_range_ends(const struct export_range *, struct export_place ends[2]);

#endif
