/* Dates in a time zone, and times as people write them.  Expected seconds are those of
 * `TZ=... date +%s`, and the rules of POSIX TZ. */
#include "config.h"

#include "test.h"

#include "base/zone.h"
#include "session/clock/clock_text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
#define NEWFOUNDLAND "NST3:30NDT,M3.2.0,M11.1.0"

static void
use_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void
test_dates(void **state)
{
	(void)state;
	static const struct {
		const char *tz;
		enum zone zone;
		int64_t seconds;
		const char *date, *name, *offset;
	} cases[] = {
	    {BERLIN, ZONE_LOCAL, 1711846799, "2024-03-31 01:59:59", "CET", "+01:00"},
	    {BERLIN, ZONE_LOCAL, 1711846800, "2024-03-31 03:00:00", "CEST", "+02:00"},
	    {BERLIN, ZONE_LOCAL, 1729990799, "2024-10-27 02:59:59", "CEST", "+02:00"},
	    {BERLIN, ZONE_LOCAL, 1729990800, "2024-10-27 02:00:00", "CET", "+01:00"},
	    {BERLIN, ZONE_UTC, 1711846800, "2024-03-31 01:00:00", "UTC", "Z"},
	    {BERLIN, ZONE_UNNAMED, 1711846800, "2024-03-31 01:00:00", "", ""},
	    {BERLIN, ZONE_LOCAL, 0, "1970-01-01 01:00:00", "CET", "+01:00"},
	    {BERLIN, ZONE_UTC, -1, "1969-12-31 23:59:59", "UTC", "Z"},
	    {"UTC0", ZONE_LOCAL, 1709164800, "2024-02-29 00:00:00", "UTC", "Z"},
	    {"UTC0", ZONE_LOCAL, 951782400, "2000-02-29 00:00:00", "UTC", "Z"},
	    {"UTC0", ZONE_UTC, 4107542400, "2100-03-01 00:00:00", "UTC", "Z"},
	    {"UTC0", ZONE_UTC, -62162208000, "0000-02-28 00:00:00", "UTC", "Z"},
	    {NEWFOUNDLAND, ZONE_LOCAL, 1704067200, "2023-12-31 20:30:00", "NST", "-03:30"},
	    {NEWFOUNDLAND, ZONE_LOCAL, 1719792000, "2024-06-30 21:30:00", "NDT", "-02:30"},
	    {"<+1245>-12:45", ZONE_LOCAL, 1719792000, "2024-07-01 12:45:00", "+1245", "+12:45"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text date = {0}, name = {0}, offset = {0};
		use_zone(cases[i].tz);
		assert_true(zone_add_date(cases[i].zone, cases[i].seconds, ' ', NULL, &date));
		zone_add_name(cases[i].zone, cases[i].seconds, &name);
		zone_add_offset(cases[i].zone, cases[i].seconds, NULL, &offset);
		assert_string_equal(text_get(&date), cases[i].date);
		assert_string_equal(text_get(&name), cases[i].name);
		assert_string_equal(text_get(&offset), cases[i].offset);
		text_free(&date);
		text_free(&name);
		text_free(&offset);
	}
	struct text none = {0};
	assert_false(zone_add_date(ZONE_UTC, INT64_MAX, ' ', NULL, &none));
	assert_false(zone_add_date(ZONE_LOCAL, INT64_MIN, ' ', NULL, &none));
	assert_int_equal(none.length, 0);
}

/* A cache changes no offset, whatever the order of the times. */
static void
test_cache(void **state)
{
	(void)state;
	/* the clock changes at 00:17:21 in local time */
	use_zone("AAA1:10BBB,M3.5.0/0:17:21,M10.5.0/1:02:03");
	struct zone_cache cache = {0};
	for (int64_t at = 1711800000; at < 1711900000; at += 7)
		assert_int_equal(zone_offset(ZONE_LOCAL, at, &cache),
				 zone_offset(ZONE_LOCAL, at, NULL));
	struct zone_cache minute = {0};
	for (int64_t at = 1711843000; at < 1711850000; at++) {
		struct text cached = {0}, date = {0};
		assert_true(zone_add_date(ZONE_LOCAL, at, ' ', &minute, &cached));
		assert_true(zone_add_date(ZONE_LOCAL, at, ' ', NULL, &date));
		assert_string_equal(text_get(&cached), text_get(&date));
		text_free(&cached);
		text_free(&date);
	}
	for (int64_t at = 1730100000; at > 1729900000; at -= 11)
		assert_int_equal(zone_offset(ZONE_LOCAL, at, &cache),
				 zone_offset(ZONE_LOCAL, at, NULL));
	for (int64_t at = -10000; at < 10000; at += 13)
		assert_int_equal(zone_offset(ZONE_LOCAL, at, &cache), -4200);
}

/* Every time is found again from its date; the repeated hour gives its first time. */
static void
test_find(void **state)
{
	(void)state;
	use_zone(BERLIN);
	for (int64_t at = 1711000000; at < 1731000000; at += 599) {
		int64_t offset = zone_offset(ZONE_LOCAL, at, NULL);
		bool again = at >= 1729990800 && at < 1729990800 + 3600;
		assert_int_equal(zone_find(ZONE_LOCAL, at + offset), at - (again ? 3600 : 0));
	}
	/* 02:30 is skipped and becomes 03:30, 01:30 in UTC */
	assert_int_equal(zone_find(ZONE_LOCAL, 1711846800 - 3600 + 2 * 3600 + 1800), 1711848600);
	assert_int_equal(zone_find(ZONE_UTC, 1711852200), 1711852200);
}

static void
test_parse(void **state)
{
	(void)state;
	static const int64_t noon = 1711879200; /* 2024-03-31 12:00 in Berlin */
	static const struct {
		const char *text;
		int64_t milliseconds; /* -1: refused */
	} cases[] = {
	    {"2024-03-31 12:00", 1711879200000},
	    {"2024-03-31T12:00:00.25", 1711879200250},
	    {"2024-03-31", 1711839600000},
	    {"2024-03-31 01:30", 1711845000000},
	    {"2024-03-31 02:30", 1711848600000}, /* skipped */
	    {"2024-03-31 03:30", 1711848600000},
	    {"2024-10-27 02:30", 1729989000000}, /* the first of two */
	    {"2024-10-27 02:30+01:00", 1729992600000},
	    {"2024-10-27T02:30:00+02", 1729989000000},
	    {"2024-10-27T00:30Z", 1729989000000},
	    {"2024-10-27T00:30:00.5z", 1729989000500},
	    {"2024-10-26T21:00:00-0330", 1729989000000},
	    {"12:30", 1711881000000}, /* of the day of NEAR */
	    {"00:30", 1711841400000},
	    {"12:30Z", 1711888200000},
	    {"00:30+14:00", 1711881000000}, /* of the next day there */
	    {"2024-13-01", -1},
	    {"2024-00-01", -1},
	    {"2024-01-32", -1},
	    {"2024-01-01 12:00+25:00", -1},
	    {"2024-01-01 12:00+", -1},
	    {"2024-01-01 12:00 CET", -1},
	    {"2024-01-01Z", -1},
	    {"12:", -1},
	};
	use_zone(BERLIN);
	const struct trace_clock clock = {.hz = 1e3, .has_epoch = true, .zone = ZONE_LOCAL};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t ticks = 0;
		bool good = clock_parse(&clock, cases[i].text, (uint64_t)noon * 1000, &ticks);
		if (good != (cases[i].milliseconds >= 0) ||
		    (good && ticks != (uint64_t)cases[i].milliseconds))
			fail_msg("%s: %d, %llu", cases[i].text, good, (unsigned long long)ticks);
	}
}

/* What a clock shows, it also reads. */
static void
test_format(void **state)
{
	(void)state;
	struct text out = {0};
	uint64_t ticks;
	use_zone(BERLIN);
	const struct trace_clock clock = {.hz = 1e3, .has_epoch = true, .zone = ZONE_LOCAL};
	clock_format(&clock, 1711846800123, &out);
	assert_string_equal(text_get(&out), "2024-03-31 03:00:00.123");
	assert_true(clock_parse(&clock, text_get(&out), 0, &ticks));
	assert_int_equal(ticks, 1711846800123);
	text_free(&out);
	const struct trace_clock relative = {.hz = 1e3, .zone = ZONE_LOCAL};
	clock_format(&relative, 4123, &out);
	assert_string_equal(text_get(&out), "4.123");
	text_free(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dates),  cmocka_unit_test(test_cache),
	    cmocka_unit_test(test_find),   cmocka_unit_test(test_parse),
	    cmocka_unit_test(test_format),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
