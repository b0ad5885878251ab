/*
 * Times and lengths as the timeline writes them, in the unit of its answer: nanoseconds, ticks
 * or offsets.
 */
#ifndef TRAWL_UI_TIMELINE_TEXT_H
#define TRAWL_UI_TIMELINE_TEXT_H

#include "query/density.h"

struct text;

/* Appends a time as exactly as steps of STEP need it. */
void timeline_add_time(const struct density_answer *answer, int64_t time, uint64_t step, bool date,
		       struct text *out);

/* Appends a length with so many digits. */
void timeline_add_length(const struct density_answer *answer, uint64_t length, int digits,
			 struct text *out);

/* A round number of units, at least LEAST. */
uint64_t timeline_round_up(const struct density_answer *answer, double least);

/* The step that times in the title and foot are exact to. */
uint64_t timeline_title_step(const struct density_answer *answer);

/* How many bytes of a time all times from FROM to TO have in common, up to where a part of
 * it ends. */
size_t timeline_common_part(const struct density_answer *answer, int64_t from, int64_t to,
			    uint64_t step);

#endif
