/*
 * Time zones: see zone.h.
 *
 * localtime_r() takes a lock and reads the rules of the zone.  An hour with equal offsets at both
 * ends has that offset throughout, so a cache of one hour answers nearly all requests.
 */
#include "config.h"

#include "base/zone.h"

#include <string.h>
#include <time.h>

enum { HOUR = 3600, CALENDAR_TO_1970 = 719469 /* days from 0000-03-01, plus 1 */ };

/* The year 9999 ends before this time in every zone. */
static const int64_t seconds_end = INT64_C(253402300800) - ZONE_DAY;
static const int64_t seconds_begin = INT64_C(-62167219200) + ZONE_DAY;

int64_t
zone_days(uint64_t year, uint64_t month, uint64_t day)
{
	/* years begin in March, so that the leap day comes last */
	uint64_t y = year - (month <= 2), m = month > 2 ? month - 3 : month + 9;
	return (int64_t)(365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day) -
	       CALENDAR_TO_1970;
}

/* --- offsets ----------------------------------------------------------- */

static bool
break_down(int64_t seconds, struct tm *tm)
{
	time_t time = (time_t)seconds;
	return time == seconds && localtime_r(&time, tm);
}

static int64_t
local_offset(int64_t seconds)
{
	struct tm tm;
	if (seconds < seconds_begin || seconds >= seconds_end || !break_down(seconds, &tm))
		return 0;
	int64_t days =
	    zone_days((uint64_t)tm.tm_year + 1900, (uint64_t)tm.tm_mon + 1, (uint64_t)tm.tm_mday);
	return days * ZONE_DAY + tm.tm_hour * HOUR + tm.tm_min * 60 + tm.tm_sec - seconds;
}

int64_t
zone_offset(enum zone zone, int64_t seconds, struct zone_cache *cache)
{
	if (zone != ZONE_LOCAL)
		return 0;
	if (!cache)
		return local_offset(seconds);
	if (seconds >= cache->from && seconds < cache->to)
		return cache->offset;
	int64_t past = ((seconds % HOUR) + HOUR) % HOUR, offset = local_offset(seconds);
	if (local_offset(seconds - past) == offset &&
	    local_offset(seconds - past + HOUR - 1) == offset)
		*cache = (struct zone_cache){seconds - past, seconds - past + HOUR, offset};
	return offset;
}

int64_t
zone_find(enum zone zone, int64_t local)
{
	int64_t before = zone_offset(zone, local - ZONE_DAY, NULL);
	int64_t after = zone_offset(zone, local + ZONE_DAY, NULL);
	if (zone_offset(zone, local - before, NULL) != before &&
	    zone_offset(zone, local - after, NULL) == after)
		return local - after;
	return local - before;
}

bool
zone_read_offset(const char **p, const char *end, int64_t *seconds)
{
	const char *at = *p;
	unsigned parts[2] = {0, 0};
	if (at < end && (*at == 'Z' || *at == 'z')) {
		*seconds = 0;
		*p = at + 1;
		return true;
	}
	if (at == end || (*at != '+' && *at != '-'))
		return true;
	bool west = *at++ == '-';
	for (size_t i = 0; i < 2; i++) {
		const char *start = at;
		for (; at < end && at - start < 2 && (unsigned)(*at - '0') < 10; at++)
			parts[i] = 10 * parts[i] + (unsigned)(*at - '0');
		if (at == start && !i)
			return false;
		if (!i && at < end && *at == ':')
			at++;
	}
	if (parts[0] > 23 || parts[1] > 59)
		return false;
	*seconds = (int64_t)(HOUR * parts[0] + 60 * parts[1]) * (west ? -1 : 1);
	*p = at;
	return true;
}

/* --- text -------------------------------------------------------------- */

static void
add_two(uint64_t value, char before, struct text *out)
{
	text_add_char(out, before);
	text_add_digits(out, value, 2);
}

/* Append the date, hour and minute, and a colon. */
static void
add_minute(int64_t local, char between, struct text *out)
{
	uint64_t since = (uint64_t)(local - INT64_C(-62167219200));
	/* Days from 0000-03-01, 60 days after the year 0 begins, and a cycle of 400 years more. */
	uint64_t days = since / ZONE_DAY + 146097 - 60, time = since % ZONE_DAY;
	uint64_t of_cycle = days % 146097;
	uint64_t y = (of_cycle - of_cycle / 1460 + of_cycle / 36524 - of_cycle / 146096) / 365;
	uint64_t of_year = of_cycle - (365 * y + y / 4 - y / 100);
	uint64_t m = (5 * of_year + 2) / 153, day = of_year - (153 * m + 2) / 5 + 1;
	uint64_t month = m < 10 ? m + 3 : m - 9;
	text_add_digits(out, y + 400 * (days / 146097) - 400 + (month <= 2), 4);
	add_two(month, '-', out);
	add_two(day, '-', out);
	add_two(time / HOUR, between, out);
	add_two(time / 60 % 60, ':', out);
	text_add_char(out, ':');
}

bool
zone_add_date(enum zone zone, int64_t seconds, char between, struct zone_cache *cache,
	      struct text *out)
{
	if (seconds < seconds_begin || seconds >= seconds_end)
		return false;
	if (cache && *cache->text && seconds >= cache->minute && seconds < cache->minute + 60) {
		text_add_bytes(out, cache->text, sizeof cache->text);
		text_add_digits(out, (uint64_t)(seconds - cache->minute), 2);
		return true;
	}
	int64_t local = seconds + zone_offset(zone, seconds, cache), second = local % 60;
	size_t start = out->length;
	second += second < 0 ? 60 : 0;
	add_minute(local, between, out);
	text_add_digits(out, (uint64_t)second, 2);
	if (cache && zone_offset(zone, seconds - second, cache) == local - seconds &&
	    zone_offset(zone, seconds - second + 59, cache) == local - seconds) {
		memcpy(cache->text, out->data + start, sizeof cache->text);
		cache->minute = seconds - second;
	}
	return true;
}

void
zone_add_name(enum zone zone, int64_t seconds, struct text *out)
{
	struct tm tm;
	char name[64];
	if (zone == ZONE_UTC)
		text_add(out, "UTC");
	else if (zone == ZONE_LOCAL && break_down(seconds, &tm) &&
		 strftime(name, sizeof name, "%Z", &tm))
		text_add(out, name);
}

void
zone_add_offset(enum zone zone, int64_t seconds, struct zone_cache *cache, struct text *out)
{
	int64_t offset = zone_offset(zone, seconds, cache);
	uint64_t minutes = (uint64_t)(offset < 0 ? -offset : offset) / 60;
	if (zone == ZONE_UNNAMED)
		return;
	if (!offset) {
		text_add_char(out, 'Z');
		return;
	}
	add_two(minutes / 60, offset < 0 ? '-' : '+', out);
	add_two(minutes % 60, ':', out);
}
