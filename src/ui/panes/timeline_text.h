/*
 * Times and lengths on the timeline, in the unit of its answer: nanoseconds, ticks or offsets.
 */
#ifndef TRAWL_UI_TIMELINE_TEXT_H
#define TRAWL_UI_TIMELINE_TEXT_H

#include "query/density.h"

struct text;

/* Append a time with the precision that STEP needs. DATE: include the day. */
void timeline_add_time(const struct density_answer *answer, int64_t time, uint64_t step, bool date,
		       struct text *out);

/* Append a length with DIGITS digits. */
void timeline_add_length(const struct density_answer *answer, uint64_t length, int digits,
			 struct text *out);

/* Return a round number of units, at least LEAST. */
uint64_t timeline_round_up(const struct density_answer *answer, double least);

/* Return the step for the precision of times in the title and foot. */
uint64_t timeline_title_step(const struct density_answer *answer);

/* Return the length of the common start of all times from FROM to TO, in bytes. It ends before a
 * `:` or `.`. */
size_t timeline_common_part(const struct density_answer *answer, int64_t from, int64_t to,
			    uint64_t step);

#endif
