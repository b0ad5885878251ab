/*
 * Ticks to text and back: see clock_text.h.
 *
 * Rates are doubles but nearly always whole numbers; then all arithmetic is in integers. A
 * fractional rate goes through long double: its 64 bits hold any tick.
 */
#include "config.h"

#include "session/clock/clock_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 12 };

/* Return the digits after the point that separate one tick from the next. */
static int
digits_of(double hz)
{
	int digits = 0;
	for (double step = 1; step < hz && digits < DIGITS_MAX; step *= 10)
		digits++;
	return digits;
}

static uint64_t
power_of_ten(int digits)
{
	uint64_t value = 1;
	while (digits--)
		value *= 10;
	return value;
}

static bool
is_whole(double hz)
{
	return hz >= 1 && hz < 1e12 && hz == (double)(uint64_t)hz;
}

/* Split ticks into seconds and units of 10^-DIGITS s, rounded down. */
static void
split_ticks(double hz, int digits, uint64_t ticks, uint64_t *seconds, uint64_t *part)
{
	uint64_t scale = power_of_ten(digits);
	if (is_whole(hz)) {
		uint64_t rate = (uint64_t)hz, rest = ticks % rate;
		*seconds = ticks / rate;
		*part = (uint64_t)((unsigned __int128)rest * scale / rate);
	} else {
		long double value = (long double)ticks / (long double)hz;
		*seconds = value < 0x1p64L ? (uint64_t)value : UINT64_MAX;
		*part = (uint64_t)((value - (long double)*seconds) * (long double)scale);
	}
}

static void
add_part(uint64_t part, int digits, struct text *out)
{
	if (digits)
		text_addf(out, ".%0*llu", digits, (unsigned long long)part);
}

static void
add_seconds(double hz, uint64_t ticks, struct text *out)
{
	uint64_t seconds, part;
	int digits = digits_of(hz);
	split_ticks(hz, digits, ticks, &seconds, &part);
	text_addf(out, "%llu", (unsigned long long)seconds);
	add_part(part, digits, out);
}

void
clock_format(const struct trace_clock *clock, uint64_t ticks, struct text *out)
{
	uint64_t seconds, part;
	int digits = digits_of(clock->hz);
	if (!(clock->hz > 0)) {
		text_addf(out, "%llu", (unsigned long long)ticks);
		return;
	}
	split_ticks(clock->hz, digits, ticks, &seconds, &part);
	if (clock->has_epoch && seconds <= INT64_MAX &&
	    zone_add_date(clock->zone, (int64_t)seconds, ' ', NULL, out))
		add_part(part, digits, out);
	else
		add_seconds(clock->hz, ticks, out);
}

void
clock_format_difference(const struct trace_clock *clock, uint64_t from, uint64_t to, bool plain,
			struct text *out)
{
	bool back = to < from;
	uint64_t ticks = back ? from - to : to - from;
	if (back || !plain)
		text_add_char(out, back ? '-' : '+');
	if (clock->hz > 0)
		add_seconds(clock->hz, ticks, out);
	else
		text_addf(out, "%llu", (unsigned long long)ticks);
}

/* --- reading ----------------------------------------------------------- */

static bool
ticks_of_seconds(const struct trace_clock *clock, long double seconds, uint64_t *ticks)
{
	long double value = seconds * (long double)clock->hz + 0.5L;
	if (!(value >= 0) || value >= 0x1p64L)
		return false;
	*ticks = (uint64_t)value;
	return true;
}

bool
clock_parse_duration(const struct trace_clock *clock, const char *text, uint64_t *ticks)
{
	static const struct {
		const char *name;
		long double seconds;
	} units[] = {{"", 1},	     {"s", 1},	  {"ms", 1e-3L}, {"us", 1e-6L}, {"ns", 1e-9L},
		     {"ps", 1e-12L}, {"min", 60}, {"m", 60},	 {"h", 3600}};
	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	if (!(clock->hz > 0))
		return text_parse_uint(text, UINT64_MAX, ticks);
	char *end;
	long double value = strtold(text, &end);
	while (*end == ' ')
		end++;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].name))
			return ticks_of_seconds(clock, value * units[i].seconds, ticks);
	return false;
}

/* Read YYYY-MM-DD as days since 1970. Return its length, or 0 if it is no date. */
static int
read_date(const char *text, int64_t *days)
{
	unsigned year, month, day;
	int used = 0;
	if (!isdigit((unsigned char)*text) ||
	    sscanf(text, "%4u-%2u-%2u%n", &year, &month, &day, &used) != 3 || !year || !month ||
	    month > 12 || !day || day > 31)
		return 0;
	*days = zone_days(year, month, day);
	return used;
}

/* Read HH:MM[:SS[.FRACTION]] as seconds. Return its length, or 0 if it is no time of day. */
static int
read_time_of_day(const char *text, int64_t *seconds, long double *fraction)
{
	unsigned hour, minute;
	int used = 0, more = 0;
	if (!isdigit((unsigned char)*text) || sscanf(text, "%2u:%2u%n", &hour, &minute, &used) != 2)
		return 0;
	*seconds = 3600 * (int64_t)hour + 60 * (int64_t)minute;
	if (text[used] == ':' && isdigit((unsigned char)text[used + 1])) {
		char *end;
		unsigned second;
		sscanf(text + used, ":%2u%n", &second, &more);
		*seconds += second;
		used += more;
		if (text[used] == '.') {
			*fraction = strtold(text + used, &end);
			used = (int)(end - text);
		}
	}
	return used;
}

/* Parse a date, a time of day or both, with or without a zone. */
static bool
parse_date(const struct trace_clock *clock, const char *text, uint64_t near, uint64_t *ticks)
{
	const char *end = text + strlen(text);
	int64_t days, seconds = 0, offset = INT64_MAX;
	long double fraction = 0;
	int dated = read_date(text, &days);
	text += dated;
	text += dated && (*text == 'T' || *text == ' ');
	int timed = read_time_of_day(text, &seconds, &fraction);
	text += timed;
	if ((!dated && !timed) || (timed && !zone_read_offset(&text, end, &offset)) || *text)
		return false;
	if (!dated) { /* the day of NEAR in the same zone */
		long double seconds_near = (long double)near / (long double)clock->hz;
		if (seconds_near >= 0x1p62L)
			return false;
		int64_t now = (int64_t)seconds_near;
		now += offset == INT64_MAX ? zone_offset(clock->zone, now, NULL) : offset;
		days = (now - (((now % ZONE_DAY) + ZONE_DAY) % ZONE_DAY)) / ZONE_DAY;
	}
	seconds += days * ZONE_DAY;
	seconds = offset == INT64_MAX ? zone_find(clock->zone, seconds) : seconds - offset;
	return ticks_of_seconds(clock, (long double)seconds + fraction, ticks);
}

bool
clock_parse(const struct trace_clock *clock, const char *text, uint64_t near, uint64_t *ticks)
{
	if (clock->has_epoch && clock->hz > 0 && parse_date(clock, text, near, ticks))
		return true;
	return clock_parse_duration(clock, text, ticks);
}
