/*
 * Records: what several threads make of messages for a writer, which gets them
 * in order; and the times that all of them have there, since in most other
 * formats nothing can be without one.
 *
 * Traces whose clocks nothing relates are in different parts, one behind the
 * other, each with a time of its own.
 */
#ifndef TRAWL_EXPORT_EXPORT_RECORD_H
#define TRAWL_EXPORT_EXPORT_RECORD_H

#include "export/export.h"

struct session;

struct export_record {
	size_t size; /* of the record in bytes, with this */
	const struct trace *trace;
	bool timed, wall; /* as in struct export_message */
	int64_t time;
};

/* Begins a record in OUT; export_record_end takes what was returned.  What was
 * appended in between is the record's body.  Forgets the message's time if its
 * sender's clock is not related to its trace's, and flags what has none. */
size_t export_record_begin(struct export_message *, struct text *out);
void export_record_end(struct text *out, size_t start);

/* The record at *AT, which moves on; its body has `size` - sizeof *record bytes
 * and lives as long as RECORDS.  False at the end. */
bool export_record_next(const struct text *records, size_t *at, struct export_record *,
			const char **body);

/* How far time has come in a part of the session. */
struct export_part {
	size_t clock;	/* clocks_part() of its traces */
	bool begun;	/* something in it had a time: */
	bool wall;	/* which counts from 1970 */
	int64_t first;	/* of the first message that had one */
	int64_t latest; /* of all so far */
};

struct export_times {
	struct session *session;
	size_t *part_of; /* each trace: in `parts` */
	VEC(struct export_part) parts;
};

void export_times_open(struct export_times *, struct session *);
void export_times_close(struct export_times *);

/* Notes a record's time and gives it that of the messages before if it has none.
 * Returns the number of the trace in the session. */
size_t export_times_take(struct export_times *, struct export_record *);

#endif
