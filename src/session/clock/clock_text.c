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
#include <time.h>

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
	struct tm date;
	if (!(clock->hz > 0)) {
		text_addf(out, "%llu", (unsigned long long)ticks);
		return;
	}
	split_ticks(clock->hz, digits, ticks, &seconds, &part);
	time_t epoch = (time_t)seconds;
	if (clock->has_epoch && epoch >= 0 && gmtime_r(&epoch, &date) && date.tm_year < 8100) {
		text_addf(out, "%04d-%02d-%02d %02d:%02d:%02d", date.tm_year + 1900,
			  date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec);
		add_part(part, digits, out);
	} else {
		add_seconds(clock->hz, ticks, out);
	}
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

/* Return the seconds from the epoch to the start of NEAR's day. */
static long double
day_of(const struct trace_clock *clock, uint64_t near)
{
	uint64_t days = (uint64_t)((long double)near / (long double)clock->hz / 86400);
	return (long double)days * 86400;
}

static bool
parse_date(const struct trace_clock *clock, const char *text, uint64_t near, uint64_t *ticks)
{
	struct tm date = {0};
	double second = 0;
	int used = 0;
	long double base;
	if (sscanf(text, "%4d-%2d-%2d%n", &date.tm_year, &date.tm_mon, &date.tm_mday, &used) == 3) {
		date.tm_year -= 1900;
		date.tm_mon -= 1;
		base = (long double)timegm(&date);
		text += used;
		text += *text == 'T' || *text == ' ';
		if (!*text)
			return ticks_of_seconds(clock, base, ticks);
	} else {
		base = day_of(clock, near);
	}
	int hour, minute;
	used = 0;
	if (sscanf(text, "%2d:%2d%n", &hour, &minute, &used) != 2)
		return false;
	text += used;
	if (*text == ':' && sscanf(text, ":%lf%n", &second, &used) == 1)
		text += used;
	if (*text == 'Z')
		text++;
	return !*text && ticks_of_seconds(
			     clock, base + hour * 3600 + minute * 60 + (long double)second, ticks);
}

bool
clock_parse(const struct trace_clock *clock, const char *text, uint64_t near, uint64_t *ticks)
{
	if (clock->has_epoch && clock->hz > 0 && parse_date(clock, text, near, ticks))
		return true;
	return clock_parse_duration(clock, text, ticks);
}
