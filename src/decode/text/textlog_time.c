/*
 * Logs of lines of text: read a time by its format.
 *
 * A format has letters after `%`, those of strptime where it has them.  A blank
 * matches blanks, or the T of ISO 8601.  Any other character matches itself.  Months
 * are English.  A date without year is in the year in which the log begins, or a later
 * one as the log continues.  Times of day continue over days in the same way.
 */
#include "config.h"

#include "decode/text/textlog.h"
#include "base/zone.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)
enum { LEAP_YEAR = 1972, YEAR_MAX = 2553 };

static const struct {
	const char *name, *format;
	double hz;
} names[] = {
    {"seconds", "%u%f", 1e9},	   /* since boot */
    {"unix", "%s%f", 1e9},	   /* since 1970 */
    {"uptime", "%J:%M:%S%f", 1e9}, /* hours, minutes and seconds since boot */
    {"clock", "%H:%M:%S%f", 1e9},  /* time of day */
    {"iso8601", "%Y-%m-%d %H:%M:%S%f%z", 1e9},
    {"syslog", "%b %d %H:%M:%S%f", 1e9},
    {"monthday", "%m-%d %H:%M:%S%f", 1e9},
    {"ctime", "%a %b %d %H:%M:%S%f %Y", 1e9},
    {"ticks", "%i", 0},
    {"milliseconds", "%i", 1e3},
    {"microseconds", "%i", 1e6},
    {"nanoseconds", "%i", 1e9},
};

static const char letters[] = "YymdeabHJMSfsuiz%";

/* Parts of a time already read. */
struct time_parts {
	uint64_t year, month, day, hour, minute, second, fraction, ticks;
	int64_t zone;
	bool afternoon;
};

static bool
read_digits(const char **p, const char *end, int most, uint64_t *value)
{
	const char *start = *p;
	uint64_t sum = 0;
	for (; *p < end && *p - start < most && (unsigned)(**p - '0') < 10; ++*p)
		sum = 10 * sum + (unsigned)(**p - '0');
	*value = sum;
	return *p > start;
}

/* Read one or two digits. */
static bool
read_two(const char **p, const char *end, uint64_t *value)
{
	unsigned tens, ones;
	if (end - *p < 2 || (tens = (unsigned)(**p - '0')) > 9 ||
	    (ones = (unsigned)((*p)[1] - '0')) > 9)
		return read_digits(p, end, 2, value);
	*p += 2;
	*value = 10 * tens + ones;
	return true;
}

/* Read an optional fraction of a second: digits after a dot or comma, possibly in groups. */
static bool
read_fraction(const char **p, const char *end, uint64_t *value)
{
	static const uint32_t units[] = {0,	100000000, 10000000, 1000000, 100000,
					 10000, 1000,	   100,	     10,      1};
	uint64_t sum = 0;
	unsigned digits = 0;
	while (end - *p >= 2 && (**p == '.' || **p == ',') && (unsigned)((*p)[1] - '0') < 10)
		for (++*p; *p < end && (unsigned)(**p - '0') < 10; ++*p)
			if (digits < 9) {
				sum = 10 * sum + (unsigned)(**p - '0');
				digits++;
			}
	*value = sum * units[digits];
	return true;
}

/* Read Z, an offset, or nothing. */
static bool
read_zone(const char **p, const char *end, int64_t *zone)
{
	const char *at = *p;
	while (at < end && *at == ' ')
		at++;
	const char *start = at;
	if (!zone_read_offset(&at, end, zone))
		return false;
	*p = at > start ? at : *p;
	return true;
}

bool
textlog_zone_read(const char *zone, int64_t *seconds)
{
	const char *end = zone + strlen(zone), *p = zone;
	*seconds = INT64_MAX;
	return read_zone(&p, end, seconds) && p == end && *seconds != INT64_MAX;
}

static bool
read_month(const char **p, const char *end, uint64_t *month)
{
	static const char all[] = "janfebmaraprmayjunjulaugsepoctnovdec";
	if (end - *p < 3)
		return false;
	for (unsigned i = 0; i < 12; i++) {
		const char *own = all + 3 * i;
		if (((*p)[0] | 32) == own[0] && ((*p)[1] | 32) == own[1] &&
		    ((*p)[2] | 32) == own[2]) {
			*month = i + 1;
			*p += 3;
			return true;
		}
	}
	return false;
}

static void
skip_blanks(const char **p, const char *end)
{
	while (*p < end && (**p == ' ' || **p == '\t'))
		++*p;
}

/* Read the part for the letter after a `%`. */
static bool
read_part(char letter, const char **p, const char *end, struct time_parts *t)
{
	switch (letter) {
	case 'Y':
		return read_digits(p, end, 4, &t->year);
	case 'y':
		if (!read_two(p, end, &t->year))
			return false;
		t->year += t->year < 69 ? 2000 : 1900;
		return true;
	case 'm':
		return read_two(p, end, &t->month) && t->month >= 1 && t->month <= 12;
	case 'd':
	case 'e':
		skip_blanks(p, end);
		return read_two(p, end, &t->day) && t->day >= 1 && t->day <= 31;
	case 'a':
		for (int i = 0; i < 3; i++, ++*p)
			if (*p == end || !isalpha((unsigned char)**p))
				return false;
		return true;
	case 'b':
		return read_month(p, end, &t->month);
	case 'H':
		return read_two(p, end, &t->hour) && t->hour < 24;
	case 'J':
		return read_digits(p, end, 6, &t->hour);
	case 'M':
		return read_two(p, end, &t->minute) && t->minute < 60;
	case 'S':
		return read_two(p, end, &t->second) && t->second <= 60;
	case 'f':
		return read_fraction(p, end, &t->fraction);
	case 's':
	case 'u':
		skip_blanks(p, end);
		return read_digits(p, end, 10, &t->second);
	case 'i':
		skip_blanks(p, end);
		return read_digits(p, end, 19, &t->ticks);
	case 'z':
		return read_zone(p, end, &t->zone);
	default:
		return *p < end && *(*p)++ == letter;
	}
}

/* Read the parts of a format up to STOP. */
static bool
read_parts(const char *format, const char *stop, const char **p, const char *end,
	   struct time_parts *t)
{
	for (; format < stop; format++) {
		if (*format == '%') {
			if (!read_part(*++format, p, end, t))
				return false;
		} else if (*format == ' ') {
			if (*p == end || (**p != ' ' && **p != '\t' && (**p | 0x20) != 't'))
				return false;
			++*p;
			skip_blanks(p, end);
		} else if (*p == end || *(*p)++ != *format) {
			return false;
		}
	}
	return true;
}

/* Return the offset of the second in a format.  Return 0 if equal bytes before it could still mean
 * another minute: parts of it follow, or the bytes before contain more than a minute. */
static size_t
find_tail(const char *format)
{
	const char *tail = strstr(format, "%S");
	if (!tail || tail == format || tail[-1] == ' ')
		return 0;
	for (const char *p = format; *p; p++)
		if (*p == '%' && p++ != tail && !strchr(p < tail ? "YymdeabHJM%" : "fz%", *p))
			return 0;
	return (size_t)(tail - format);
}

const char *
textlog_time_set(struct textlog_time *time, const char *name)
{
	static const char expected[] =
	    "seconds, unix, uptime, clock, iso8601, syslog, monthday, ctime, ticks, "
	    "milliseconds, microseconds, nanoseconds, or a format of them with %";
	const char *format = strchr(name, '%') ? name : NULL;
	time->hz = 1e9;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(names[i].name, name) != 0)
			continue;
		format = names[i].format;
		time->hz = names[i].hz;
	}
	if (!format || strlen(format) >= sizeof time->format)
		return expected;
	bool year = false, date = false, clock = false;
	for (const char *p = format; *p; p++) {
		if (*p != '%')
			continue;
		if (!*++p || !strchr(letters, *p))
			return "%Y %y %m %d %e %a %b %H %M %S %f %z, %J hours and %u seconds since "
			       "boot, %s seconds since 1970, or %i ticks";
		year |= *p == 'Y' || *p == 'y' || *p == 's';
		date |= *p == 'm' || *p == 'b' || *p == 'd' || *p == 'e';
		clock |= *p == 'H';
		time->hz = *p == 'i' && format == name ? 0 : time->hz;
	}
	snprintf(time->format, sizeof time->format, "%s", format);
	time->tail = find_tail(format);
	time->counted = strstr(format, "%i");
	time->dated = date;
	time->no_year = date && !year;
	time->no_date = clock && !date && !year;
	time->wall = year || (time->no_year && time->year);
	time->zoned = time->wall && date;
	return NULL;
}

uint64_t
textlog_time_period(const struct textlog_time *time)
{
	return (time->no_date ? ZONE_DAY : time->no_year ? 365 * (uint64_t)ZONE_DAY : 0) * SECOND;
}

/* Add up the parts of a time as far as its minute, in seconds.  Return false if the date is out of
 * range. */
static bool
sum_minutes(const struct textlog_time *time, const struct time_parts *t, uint32_t turns,
	    int64_t *seconds)
{
	int64_t days = time->no_date ? turns : 0;
	uint64_t year = t->year;
	if (time->no_year) {
		year = (time->year ? time->year : LEAP_YEAR) + turns;
		days = time->year ? 0 : -zone_days(LEAP_YEAR, 1, 1);
	}
	if (time->dated && (year < 1970 || year > YEAR_MAX))
		return false;
	if (time->dated)
		days += zone_days(year, t->month, t->day);
	*seconds = days * ZONE_DAY + (int64_t)(60 * (60 * t->hour + t->minute));
	return true;
}

static void
keep_minute(struct textlog_minute *minute, const char *text, size_t length, uint32_t turns,
	    int64_t seconds)
{
	minute->length = length <= sizeof minute->text ? length : 0;
	memcpy(minute->text, text, minute->length);
	minute->turns = turns;
	minute->seconds = seconds;
}

bool
textlog_time_read(const struct textlog_time *time, struct textlog_minute *minute, const char *text,
		  size_t length, uint32_t turns, uint64_t *ticks)
{
	struct time_parts t = {.month = 1, .day = 1, .zone = time->zone};
	const char *p = text, *end = text + length, *format = time->format;
	const char *tail = format + time->tail, *stop = format + strlen(format);
	bool known = minute->length && minute->length <= length && minute->turns == turns &&
		     !memcmp(minute->text, text, minute->length);
	p += known ? minute->length : 0;
	if (!known && !read_parts(format, tail, &p, end, &t))
		return false;
	size_t head = (size_t)(p - text);
	if (!read_parts(tail, stop, &p, end, &t) || p != end)
		return false;
	if (time->counted) {
		*ticks = t.ticks;
		return true;
	}
	int64_t seconds = minute->seconds;
	if (!known && !sum_minutes(time, &t, turns, &seconds))
		return false;
	if (!known && time->tail)
		keep_minute(minute, text, head, turns, seconds);
	seconds += (int64_t)t.second - (time->zoned ? t.zone : 0);
	if (seconds < 0)
		return false;
	*ticks = (uint64_t)seconds * SECOND + t.fraction;
	return true;
}
