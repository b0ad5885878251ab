/*
 * Records: the threads that format make one of each message, and the writer gets them in
 * order.  Here also each record gets a time, since most other formats require one.
 *
 * Traces with unrelated clocks are in different parts, one after the other.  Each part has
 * its own time.
 */
#ifndef TRAWL_EXPORT_EXPORT_RECORD_H
#define TRAWL_EXPORT_EXPORT_RECORD_H

#include "export/export.h"

struct session;

struct export_record {
	size_t size; /* size of the record in bytes, header included */
	const struct trace *trace;
	bool timed, wall; /* as in struct export_message */
	int64_t time;
};

/* Begin a record in OUT, and return its start for export_record_end.  The caller appends the
 * body in between.  Drops the message's time if its sender's clock is not related to its
 * trace's, and flags messages without a time. */
size_t export_record_begin(struct export_message *, struct text *out);
void export_record_end(struct text *out, size_t start);

/* Read the record at *AT, and advance *AT.  Its body has `size` - sizeof *record bytes and lives
 * as long as RECORDS.  Return false at the end. */
bool export_record_next(const struct text *records, size_t *at, struct export_record *,
			const char **body);

/* Progress of time in a part of the session. */
struct export_part {
	size_t clock;	/* clocks_part() of its traces */
	bool begun;	/* a message had a time */
	bool wall;	/* times count from 1970 */
	int64_t first;	/* time of the first message that had one */
	int64_t latest; /* latest time until now */
};

struct export_times {
	struct session *session;
	size_t *part_of; /* for each trace: its index in `parts` */
	VEC(struct export_part) parts;
};

void export_times_open(struct export_times *, struct session *);
void export_times_close(struct export_times *);

/* Note a record's time; a record without one gets that of the record before.  Return the number
 * of its trace in the session. */
size_t export_times_take(struct export_times *, struct export_record *);

#endif
