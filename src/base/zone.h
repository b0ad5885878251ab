/*
 * Time zones: dates and times of day of seconds since 1970-01-01 00:00 UTC, and back.
 *
 * The local zone is that of the environment (TZ).  Call tzset() once before.  Any thread.
 */
#ifndef TRAWL_BASE_ZONE_H
#define TRAWL_BASE_ZONE_H

#include "base/text.h"

#include <stdint.h>

enum { ZONE_DAY = 86400 /* seconds */ };

enum zone {
	ZONE_UNNAMED, /* computed as UTC, but shown without a name */
	ZONE_UTC,
	ZONE_LOCAL
};

/* Results found last, to make the next ones cheap.  Belongs to one thread and one zone.  Zeroed:
 * none. */
struct zone_cache {
	int64_t from, to; /* OFFSET holds for these seconds, FROM included; equal: none */
	int64_t offset;
	int64_t minute; /* first second of the minute in TEXT */
	char text[17];	/* 2024-05-01 12:30:, as zone_add_date() wrote it; "": none */
};

/* Return the seconds east of UTC at a time.  The cache may be NULL. */
int64_t zone_offset(enum zone, int64_t seconds, struct zone_cache *);

/* Return the time at which clocks in the zone show LOCAL, in seconds from 1970-01-01 00:00 there.
 * If they show it twice, return the first time.  If they skip it, count on with the old offset,
 * so that 02:30 becomes 03:30. */
int64_t zone_find(enum zone, int64_t local);

/* Append the date and time of day, with BETWEEN in the middle: 2024-05-01 12:30:05.  Return false
 * and append nothing outside the years 0 to 9999.  The cache may be NULL. */
bool zone_add_date(enum zone, int64_t seconds, char between, struct zone_cache *, struct text *);

/* Append the zone's short name at a time, such as CET.  Append nothing for ZONE_UNNAMED. */
void zone_add_name(enum zone, int64_t seconds, struct text *);

/* Append the offset as ISO 8601 writes it: Z or +01:00.  Append nothing for ZONE_UNNAMED. */
void zone_add_offset(enum zone, int64_t seconds, struct zone_cache *, struct text *);

/* Return the days from 1970-01-01 to a date of the Gregorian calendar, month and day from 1. */
int64_t zone_days(uint64_t year, uint64_t month, uint64_t day);

/* Read Z or an offset, such as +01:00, +0100 or +01, and move *P past it.  Leave *SECONDS alone
 * if there is neither.  Return false if it is no valid offset. */
bool zone_read_offset(const char **p, const char *end, int64_t *seconds);

#endif
