/*
 * UIA: packets, events of every kind in both byte orders, what the profile
 * adds, loggers with gaps, padding, footers and damage.
 */
#include "config.h"

#include "test.h"
#include "uia_write.h"
#include "walk.h"

#include "decode/gem/uia.h"

#include <stdlib.h>
#include <string.h>

struct fixture {
	struct decoder *d;
	struct uia_log log;
	message_list all;
	struct expansion e;
};

static void
walk(struct fixture *f)
{
	struct window head = {.bytes = f->log.bytes.at,
			      .length = f->log.bytes.count,
			      .until = UINT64_MAX,
			      .last = true};
	struct err err = {0};
	f->d = uia_ops.open(&uia_log_options, &head, &err);
	assert_non_null(f->d);
	f->all = walk_all(f->d, f->log.bytes.at, f->log.bytes.count);
}

static const struct expansion *
expand(struct fixture *f, size_t at)
{
	assert_true(at < f->all.count);
	walk_expand(f->d, f->log.bytes.at, f->log.bytes.count, &f->all.at[at], &f->e);
	return &f->e;
}

static void
finish(struct fixture *f)
{
	walk_check(f->d, f->log.bytes.at, f->log.bytes.count);
	vec_free(&f->all);
	vec_free(&f->log.bytes);
	expansion_free(&f->e);
	f->d->ops->close(f->d);
}

static void
assert_kinds(const struct fixture *f, const enum uia_kind *kinds, size_t count)
{
	assert_int_equal(f->all.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(f->all.at[i].kind, kinds[i]);
}

#define KINDS(f, ...)                                                                              \
	assert_kinds(f, (const enum uia_kind[]){__VA_ARGS__},                                      \
		     sizeof((const enum uia_kind[]){__VA_ARGS__}) / sizeof(enum uia_kind))

static void
events_in(bool big)
{
	static const uint32_t timer[] = {9, 6, 116666666, 1}, data[] = {0x11223344, 0x55667788};
	static const uint32_t other[] = {0x80020000, 77,	 (uint32_t)-5, 40,
					 0x80020004, 0x80020008, 0xabc};
	struct fixture f = {.log.big = big};
	uia_packet_begin(&f.log, 10, 3, 2, 17);
	uia_sync_add(&f.log, 1, 0x123456789a, 9);
	uia_event_add(&f.log, 2, UIA_TIMER_EVENT, 0x123456789b, timer, 4);
	uia_context_add(&f.log, 3, 0x123456789c, 0x80010000, 0x80010240);
	uia_snapshot_add(&f.log, 4, 0x123456789d, 21, data, 2);
	uia_snapshot_add(&f.log, 5, 0, 22, data, 1);
	uia_event_add(&f.log, 6, UIA_OTHER_EVENT, 0, other, 7);
	uia_event_add(&f.log, 7, 0x7777, 0, NULL, 0);
	uia_packet_end(&f.log);
	walk(&f);
	KINDS(&f, UIA_PACKET, UIA_EVENT, UIA_EVENT, UIA_EVENT, UIA_EVENT, UIA_EVENT, UIA_EVENT,
	      UIA_EVENT);
	assert_true(f.d->hz > 699999999 && f.d->hz < 700000001); /* by the sync point */

	const struct expansion *e = expand(&f, 0);
	walk_assert_text(e, "hdr_type", "10");
	walk_assert_text(e, "endian", big ? "1" : "0");
	assert_int_equal(walk_number(e, "event_length"), f.log.bytes.count);
	walk_assert_text(e, "seq", "17");
	walk_assert_text(e, "instance", "2");
	walk_assert_text(e, "module", "32801");
	walk_assert_text(e, "dest", "65535");
	walk_assert_text(e, "src", "3");

	e = expand(&f, 1);
	walk_assert_text(e, "name", "syncPoint");
	walk_assert_text(e, "logger", "2");
	walk_assert_text(e, "module_id", "32848");
	walk_assert_text(e, "serial", "9");
	assert_int_equal(walk_number(e, "cpu_ts"), 0x123456789a);
	assert_int_equal(walk_number(e, "timestamp"), 0x123456789a);
	assert_int_equal(walk_number(e, "global_ts"), (uint32_t)(0x123456789a / 6));
	walk_assert_text(e, "cpu_freq", "700000000");
	walk_assert_text(e, "cycles_per_tick", "1");
	assert_string_equal(text_get(&e->origin), "core 3 logger 2");
	assert_int_equal(f.all.at[1].ticks, 0x123456789a);
	assert_true(f.all.at[1].flags & MESSAGE_SYNC);

	e = expand(&f, 2);
	walk_assert_text(e, "cycles_per_global_tick", "6");
	assert_int_equal(walk_number(e, "global_freq"), 0x100000000 + 116666666);

	e = expand(&f, 3);
	assert_int_equal(f.all.at[3].severity, SEVERITY_USER1);
	walk_assert_text(e, "old", "2147549184");
	walk_assert_text(e, "new", "2147549760");
	walk_assert_text(e, "line", "33");

	e = expand(&f, 4);
	walk_assert_text(e, "hdr_type", "3");
	walk_assert_text(e, "snapshot_id", "21");
	walk_assert_text(e, "address", "2415919168");
	walk_assert_text(e, "total_length", "16");
	walk_assert_text(e, "rec_length", "8");
	walk_assert_text(e, "data", big ? "1122334455667788" : "4433221188776655");
	walk_assert_text(e, "args", NULL);

	e = expand(&f, 5);
	walk_assert_text(e, "hdr_type", "2");
	walk_assert_text(e, "timestamp", NULL);
	assert_false(f.all.at[5].flags & MESSAGE_TIMED);

	e = expand(&f, 6);
	assert_int_equal(f.all.at[6].severity, SEVERITY_DEBUG);
	assert_string_equal(text_get(&e->text), "at 0x80020000:77: -5 of 40% in 0x80020004, "
						"0x80020008buffer 0x0abc");
	e = expand(&f, 7);
	walk_assert_text(e, "name", NULL);
	walk_assert_text(e, "event_id", "30583");
	assert_string_equal(text_get(&e->text), "event 30583()");
	finish(&f);
}

static void
test_little(void **state)
{
	(void)state;
	events_in(false);
}

static void
test_big(void **state)
{
	(void)state;
	events_in(true);
}

/* The sizes of the documentation: write4 with time is 32 bytes, write8 is 48. */
static void
test_sizes(void **state)
{
	static const uint32_t args[8] = {0};
	struct fixture f = {0};
	(void)state;
	uia_packet_begin(&f.log, 10, 1, 1, 0);
	size_t four = uia_event_add(&f.log, 5, 1, 1, args, 4);
	size_t eight = uia_event_add(&f.log, 6, 1, 1, args, 8);
	uia_packet_end(&f.log);
	assert_int_equal(bytes_le32(f.log.bytes.at + four), 0x08200005);
	assert_int_equal(bytes_le32(f.log.bytes.at + eight), 0x08300006);
	walk(&f);
	assert_int_equal(f.all.at[1].length, 32);
	assert_int_equal(f.all.at[2].length, 48);
	finish(&f);
}

/* Each logger counts by itself, over its packets; cores have their own. */
static void
test_gaps(void **state)
{
	struct fixture f = {0};
	(void)state;
	static const struct {
		unsigned source, instance;
		uint16_t sequence;
		const char *missing;
		bool back;
	} events[] = {
	    {1, 1, 65534, NULL, false}, {1, 1, 65535, NULL, false}, {1, 2, 1, NULL, false},
	    {1, 1, 0, NULL, false},	{1, 2, 4, "2", false},	    {2, 1, 700, NULL, false},
	    {1, 1, 1, NULL, false},	{2, 1, 701, NULL, false},   {1, 1, 1, NULL, true},
	    {1, 2, 1, NULL, true},	{1, 2, 2, NULL, false},	    {1, 2, 32770, "32767", false},
	    {1, 2, 32760, NULL, true},
	};
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		uia_packet_begin(&f.log, 10, events[i].source, events[i].instance, (uint16_t)i);
		uia_event_add(&f.log, events[i].sequence, 1, 1 + i, NULL, 0);
		uia_packet_end(&f.log);
	}
	walk(&f);
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		const struct message *m = &f.all.at[2 * i + 1];
		walk_assert_text(expand(&f, 2 * i + 1), "missing", events[i].missing);
		assert_int_equal((m->flags & MESSAGE_LOST) != 0, events[i].missing != NULL);
		assert_int_equal((m->flags & MESSAGE_SUSPECT) != 0, events[i].back);
		assert_int_equal(m->severity, events[i].missing ? SEVERITY_ERROR
					      : events[i].back	? SEVERITY_WARNING
								: SEVERITY_INFO);
	}
	finish(&f);
}

/* 24 loggers in turn are all checked; of 25, in turn, none is. */
static void
test_many_loggers(void **state)
{
	(void)state;
	for (unsigned loggers = 24; loggers <= 25; loggers++) {
		struct fixture f = {0};
		for (unsigned i = 0; i < 4 * loggers; i++) {
			uia_packet_begin(&f.log, 10, i % loggers,
					 40000 / (i % loggers + 1) & 0x7fff, (uint16_t)i);
			uia_event_add(&f.log, (uint16_t)(100 + 2 * (i / loggers)), 1, 1, NULL, 0);
			uia_packet_end(&f.log);
		}
		walk(&f);
		for (size_t i = 0; i < 4 * loggers; i++)
			walk_assert_text(expand(&f, 2 * i + 1), "missing",
					 loggers == 24 && i >= 24 ? "1" : NULL);
		finish(&f);
	}
}

static void
packet(struct uia_log *log, uint16_t sequence)
{
	uia_packet_begin(log, 10, 1, 1, sequence);
	uia_event_add(log, sequence, 1, 1, NULL, 0);
	uia_packet_end(log);
}

static void
test_between(void **state)
{
	struct fixture f = {0};
	(void)state;
	packet(&f.log, 1);
	uia_word_add(&f.log, (uint32_t)(f.log.bytes.count << 16) | 0x7777, true); /* footer */
	packet(&f.log, 2);
	uia_word_add(&f.log, 24, true); /* a packet without data */
	for (int i = 0; i < 5; i++)
		uia_word_add(&f.log, 0xdeadbeef, true);
	for (int i = 0; i < 5; i++)
		uia_word_add(&f.log, 0, true);
	packet(&f.log, 3);
	uia_packet_begin(&f.log, 11, 1, 1, 4); /* ETB data */
	for (int i = 0; i < 9; i++)
		uia_word_add(&f.log, 0xa5a5a5a5, true);
	uia_packet_end(&f.log);
	packet(&f.log, 4);
	for (int i = 0; i < 3; i++)
		uia_word_add(&f.log, 0, true);
	uia_word_add(&f.log, 4, true); /* begins with zero bytes */
	walk(&f);
	KINDS(&f, UIA_PACKET, UIA_EVENT, UIA_FOOTER, UIA_PACKET, UIA_EVENT, UIA_PADDING,
	      UIA_PADDING, UIA_PACKET, UIA_EVENT, UIA_PACKET, UIA_DATA, UIA_PACKET, UIA_EVENT,
	      UIA_PADDING, UIA_PADDING);
	assert_int_equal(f.all.at[13].length, 12);
	assert_int_equal(f.all.at[5].severity, SEVERITY_WARNING);
	assert_int_equal(f.all.at[5].length, 24);
	assert_int_equal(f.all.at[6].length, 20);
	assert_true(f.all.at[6].flags & MESSAGE_FILLER);
	assert_int_equal(f.all.at[10].length, 36);
	for (size_t i = 0; i < f.all.count; i++)
		walk_assert_text(expand(&f, i), "missing", NULL);
	finish(&f);
}

/* An event that cannot be ends its packet, or the next packet does. */
static void
test_damaged_event(void **state)
{
	struct fixture f = {0};
	(void)state;
	uia_packet_begin(&f.log, 10, 1, 1, 1);
	uia_event_add(&f.log, 1, 1, 1, NULL, 0);
	size_t bad = uia_event_add(&f.log, 2, 1, 1, NULL, 0);
	uia_event_add(&f.log, 3, 1, 1, NULL, 0);
	uia_packet_end(&f.log);
	packet(&f.log, 4);
	f.log.bytes.at[bad + 3] = 0xf8; /* type 31 */
	walk(&f);
	KINDS(&f, UIA_PACKET, UIA_EVENT, UIA_DAMAGE, UIA_PACKET, UIA_EVENT);
	assert_int_equal(f.all.at[2].offset, bad);
	assert_int_equal(f.all.at[2].length, 32);
	walk_assert_text(expand(&f, 4), "missing", "2");
	/* a packet that claims more than it has */
	vec_free(&f.all);
	f.d->ops->close(f.d);
	f.log.bytes.at[2] = 0x40;
	walk(&f);
	KINDS(&f, UIA_PACKET, UIA_EVENT, UIA_DAMAGE, UIA_PACKET, UIA_EVENT);
	finish(&f);
}

/* A packet whose length is too great ends where the next one begins. */
static void
test_long_claim(void **state)
{
	struct fixture f = {0};
	(void)state;
	for (uint16_t i = 1; i <= 4; i++)
		packet(&f.log, i);
	f.log.bytes.at[3] += 32;
	walk(&f);
	KINDS(&f, UIA_PACKET, UIA_EVENT, UIA_PACKET, UIA_EVENT, UIA_PACKET, UIA_EVENT, UIA_PACKET,
	      UIA_EVENT);
	finish(&f);
}

static void
test_damaged_header(void **state)
{
	struct fixture f = {0};
	(void)state;
	packet(&f.log, 1);
	size_t bad = f.log.bytes.count;
	packet(&f.log, 2);
	packet(&f.log, 3);
	f.log.bytes.at[bad + 6] = 0xff; /* reserved bits */
	walk(&f);
	KINDS(&f, UIA_PACKET, UIA_EVENT, UIA_DAMAGE, UIA_PACKET, UIA_EVENT);
	assert_int_equal(f.all.at[2].length, 32);
	walk_assert_text(expand(&f, 4), "missing", "1");
	finish(&f);
}

static void
test_cut(void **state)
{
	struct fixture f = {0};
	(void)state;
	uia_packet_begin(&f.log, 10, 1, 1, 1);
	size_t first = uia_event_add(&f.log, 1, 1, 1, NULL, 0);
	size_t second = uia_event_add(&f.log, 2, 1, 1, NULL, 0);
	uia_packet_end(&f.log);
	f.log.bytes.count = second + 7;
	walk(&f);
	KINDS(&f, UIA_PACKET, UIA_EVENT, UIA_TRUNCATED);
	assert_int_equal(f.all.at[2].length, 7);
	vec_free(&f.all);
	f.d->ops->close(f.d);
	f.log.bytes.count = second; /* between events: a note */
	walk(&f);
	KINDS(&f, UIA_PACKET, UIA_EVENT, UIA_TRUNCATED);
	assert_int_equal(f.all.at[2].length, 0);
	vec_free(&f.all);
	f.d->ops->close(f.d);
	f.log.bytes.count = first - 3; /* in the header */
	walk(&f);
	KINDS(&f, UIA_TRUNCATED);
	finish(&f);
}

/* Long data and long zeros are cut at 64 KiB. */
static void
test_long(void **state)
{
	struct fixture f = {0};
	(void)state;
	packet(&f.log, 1);
	uia_packet_begin(&f.log, 12, 1, 1, 1);
	for (int i = 0; i < 50000; i++)
		uia_word_add(&f.log, 0x01020304, true);
	uia_packet_end(&f.log);
	for (int i = 0; i < 50000; i++)
		uia_word_add(&f.log, 0, true);
	packet(&f.log, 2);
	walk(&f);
	KINDS(&f, UIA_PACKET, UIA_EVENT, UIA_PACKET, UIA_DATA, UIA_DATA, UIA_DATA, UIA_DATA,
	      UIA_PADDING, UIA_PADDING, UIA_PADDING, UIA_PADDING, UIA_PACKET, UIA_EVENT);
	for (size_t i = 4; i <= 6; i++)
		assert_int_equal(f.all.at[i].offset % 65536, 0);
	vec_free(&f.all);
	vec_free(&f.log.bytes);
	f.d->ops->close(f.d);
}

static void
test_damage(void **state)
{
	static const uint32_t data[] = {1, 2, 3};
	struct fixture f = {0};
	(void)state;
	for (int i = 0; i < 2; i++) {
		f.log.big = i;
		uia_packet_begin(&f.log, 10, 1, 1, 1);
		uia_sync_add(&f.log, (uint16_t)(1 + i), 1, 9);
		uia_snapshot_add(&f.log, (uint16_t)(2 + i), 1, 21, data, 3);
		uia_packet_end(&f.log);
		uia_word_add(&f.log, 0x7777, true);
		uia_word_add(&f.log, 8, true);
		uia_word_add(&f.log, 0xffffffff, true);
		uia_packet_begin(&f.log, 10, 1, 2, 1);
		uia_context_add(&f.log, 7, 1, 2, 3);
		uia_packet_end(&f.log);
		uia_word_add(&f.log, 0, true);
	}
	walk(&f);
	walk_truncate(f.d, f.log.bytes.at, f.log.bytes.count, 1);
	walk_flip(f.d, f.log.bytes.at, f.log.bytes.count, 400);
	struct probe probe = {0};
	struct window head = {.bytes = f.log.bytes.at, .length = f.log.bytes.count};
	uia_ops.probe(&head, &probe);
	assert_true(probe.score >= 40 && *probe.reason);
	finish(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_little),	   cmocka_unit_test(test_big),
	    cmocka_unit_test(test_sizes),	   cmocka_unit_test(test_gaps),
	    cmocka_unit_test(test_many_loggers),   cmocka_unit_test(test_between),
	    cmocka_unit_test(test_damaged_event),  cmocka_unit_test(test_long_claim),
	    cmocka_unit_test(test_damaged_header), cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_long),	   cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
