/*
 * Times as people read and write them.
 *
 * Ticks are exact; seconds are shown with as many digits as one tick needs.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_TEXT_H
#define TRAWL_SESSION_CLOCK_CLOCK_TEXT_H

#include "base/text.h"
#include "trace/trace.h"

/* Appends TICKS as a point in time: a date where the clock has an epoch, else
 * seconds; ticks as they are where the rate is not known. */
void clock_format(const struct trace_clock *, uint64_t ticks, struct text *);

/* Appends TO - FROM as seconds with a sign, or as ticks; without a sign if
 * PLAIN and not negative. */
void clock_format_difference(const struct trace_clock *, uint64_t from, uint64_t to, bool plain,
			     struct text *);

/* Reads a duration, `10ms`, `1.5` (seconds), `20` ticks where the rate is not
 * known, as ticks; units s ms us ns ps and min, h. */
bool clock_parse_duration(const struct trace_clock *, const char *text, uint64_t *ticks);

/* Reads a point in time: seconds as clock_format shows them, or a date or a
 * time of the day of NEAR where the clock has an epoch. */
bool clock_parse(const struct trace_clock *, const char *text, uint64_t near, uint64_t *ticks);

#endif
