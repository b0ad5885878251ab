/*
 * Times as people read and write them.
 *
 * Ticks are exact. Seconds have as many digits as one tick needs.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_TEXT_H
#define TRAWL_SESSION_CLOCK_CLOCK_TEXT_H

#include "base/text.h"
#include "trace/trace.h"

/* Append TICKS as a time: a date in the clock's zone if it has an epoch, else seconds. Append the
 * bare ticks if the rate is unknown. */
void clock_format(const struct trace_clock *, uint64_t ticks, struct text *);

/* Append TO - FROM in seconds or ticks, with a sign. PLAIN omits the plus sign. */
void clock_format_difference(const struct trace_clock *, uint64_t from, uint64_t to, bool plain,
			     struct text *);

/* Parse a duration into ticks: `10ms`, `1.5` (seconds), or `20` ticks if the rate is unknown.
 * Units: s ms us ns ps, and min, h. */
bool clock_parse_duration(const struct trace_clock *, const char *text, uint64_t *ticks);

/* Parse a time: seconds as clock_format() shows them. If the clock has an epoch, a date or a
 * time of NEAR's day, too. They are in the clock's zone (see zone_find()), or with Z or an offset
 * in that one. */
bool clock_parse(const struct trace_clock *, const char *text, uint64_t near, uint64_t *ticks);

#endif
