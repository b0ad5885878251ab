/*
 * CSEL: the log of a stream written entry by entry after the file format's
 * page, with every fault that a log can have.
 */
#include "config.h"

#include "test.h"
#include "walk.h"

#include "decode/csel/csel.h"

#include <stdlib.h>
#include <string.h>

enum { INIT = 1000000, START_TIMEOUT = 300000, EVENT_TIMEOUT = 450000 };

struct log {
	uint8_t bytes[4096];
	size_t length;
};

static void
put(struct log *log, uint64_t value, size_t bytes)
{
	while (bytes--) {
		log->bytes[log->length++] = (uint8_t)value;
		value >>= 8;
	}
}

static void
put_text(struct log *log, const char *text, size_t size)
{
	memset(log->bytes + log->length, 0, size);
	memcpy(log->bytes + log->length, text, strlen(text) < size ? strlen(text) : size);
	log->length += size;
}

static struct log
log_new(uint64_t init)
{
	struct log log = {0};
	put_text(&log, "MFMN", 4);
	put(&log, 1, 2);
	put(&log, 0, 2);
	for (unsigned i = 0; i < 16; i++)
		put(&log, 0x10 + i, 1);
	put_text(&log, "front camera", 64);
	put(&log, init, 8);
	put(&log, START_TIMEOUT, 4);
	put(&log, EVENT_TIMEOUT, 4);
	return log;
}

enum { START = 1, STOP, END, EVENT };

static void
entry(struct log *log, unsigned id, uint64_t ts)
{
	put(log, id, 1);
	put(log, ts, 8);
}

static void
event(struct log *log, uint64_t ts, uint32_t sequence, unsigned id)
{
	entry(log, EVENT, ts);
	put(log, sequence, 4);
	put(log, id, 2);
	put(log, 0, 2);
}

struct fixture {
	struct decoder *d;
	struct csel_options options;
	struct log log;
	message_list all;
	struct expansion e;
};

static void
open_log(struct fixture *f, struct log log, enum csel_check check)
{
	memset(f, 0, sizeof *f);
	f->options = (struct csel_options){.tick_us = 1, .sequence_check = check};
	f->log = log;
	struct window head = {.bytes = f->log.bytes, .length = f->log.length};
	f->d = csel_ops.open(&f->options, &head, NULL);
	assert_non_null(f->d);
	f->all = walk_all(f->d, f->log.bytes, f->log.length);
}

/* Bytes that a walk passes over for no message. */
static uint64_t
silent_bytes(const struct fixture *f)
{
	struct message m[64];
	struct decode_state *state = decode_state_new(f->d);
	struct window w = {
	    .bytes = f->log.bytes, .length = f->log.length, .until = UINT64_MAX, .last = true};
	assert_true(csel_ops.step(f->d, state, &w, m, 64) < 64);
	uint64_t bytes = state->silent[0] / 8;
	decode_state_free(f->d, state);
	return bytes;
}

static void
close_log(struct fixture *f)
{
	walk_check(f->d, f->log.bytes, f->log.length);
	vec_free(&f->all);
	expansion_free(&f->e);
	f->d->ops->close(f->d);
}

/* The codes of message AT, joined by blanks. */
static const char *
diags(struct fixture *f, size_t at)
{
	static struct text text;
	text_clear(&text);
	assert_true(at < f->all.count);
	walk_expand(f->d, f->log.bytes, f->log.length, &f->all.at[at], &f->e);
	const struct field *list = walk_field(&f->e, "diag");
	const struct field *end = f->e.fields.at + f->e.fields.count;
	for (const struct field *field = list ? list + 1 : end;
	     field < end && field->depth > list->depth; field++) {
		if (text.length)
			text_add_char(&text, ' ');
		text_add_bytes(&text, field->s.at, field->s.length);
	}
	return text_get(&text);
}

/* Codes, severity and state after each message from FROM on. */
struct expected {
	const char *diags;
	enum severity severity;
	const char *state;
};

static void
check(struct fixture *f, size_t from, const struct expected *expected, size_t count)
{
	assert_int_equal(f->all.count, from + count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(diags(f, from + i), expected[i].diags);
		assert_int_equal(f->all.at[from + i].severity, expected[i].severity);
		walk_assert_text(&f->e, "state", expected[i].state);
	}
}

#define CHECK(f, from, expected) check(f, from, expected, sizeof expected / sizeof *expected)

static void
test_header(void **state)
{
	struct fixture f;
	(void)state;
	open_log(&f, log_new(INIT), CSEL_CHECK_STREAM);
	assert_int_equal(f.all.count, 4);
	assert_string_equal(diags(&f, 0), "");
	walk_assert_text(&f.e, "signature", "4d464d4e");
	walk_assert_text(&f.e, "version", "1.0");
	walk_assert_text(&f.e, "reserved", "0000");
	assert_string_equal(diags(&f, 1), "");
	walk_assert_text(&f.e, "uuid", "10111213-1415-1617-1819-1a1b1c1d1e1f");
	walk_assert_text(&f.e, "name", "front camera");
	walk_assert_text(&f.e, "init_ts", "1000000");
	assert_string_equal(text_get(&f.e.origin), "front camera");
	assert_string_equal(diags(&f, 2), "");
	walk_assert_text(&f.e, "timeout_init_to_start", "300000");
	walk_assert_text(&f.e, "timeout_start_to_event", "450000");
	assert_string_equal(diags(&f, 3), "missing_start missing_end");
	walk_assert_text(&f.e, "runs", "0");
	assert_int_equal(f.all.at[3].offset, 104);
	assert_int_equal(f.all.at[3].length, 0);
	close_log(&f);
}

static void
test_run(void **state)
{
	struct fixture f;
	struct log log = log_new(INIT);
	(void)state;
	entry(&log, START, INIT + START_TIMEOUT);
	event(&log, INIT + START_TIMEOUT + EVENT_TIMEOUT, 7, 3);
	event(&log, INIT + 900000, 8, 4);
	entry(&log, STOP, INIT + 900001);
	entry(&log, START, INIT + 900002);
	entry(&log, STOP, INIT + 900003);
	entry(&log, END, INIT + 900004);
	open_log(&f, log, CSEL_CHECK_STREAM);
	static const struct expected expected[] = {
	    {"", SEVERITY_INFO, "running"}, {"", SEVERITY_INFO, "running"},
	    {"", SEVERITY_INFO, "running"}, {"", SEVERITY_INFO, "stopped"},
	    {"", SEVERITY_INFO, "running"}, {"", SEVERITY_INFO, "stopped"},
	    {"", SEVERITY_INFO, "ended"},   {"", SEVERITY_DEBUG, "ended"}};
	CHECK(&f, 3, expected);
	diags(&f, 4);
	assert_string_equal(text_get(&f.e.type), "event");
	assert_string_equal(text_get(&f.e.text), "event 3 seq 7");
	assert_int_equal(walk_number(&f.e, "run"), 1);
	assert_int_equal(f.all.at[4].ticks, INIT + START_TIMEOUT + EVENT_TIMEOUT);
	diags(&f, 7);
	assert_int_equal(walk_number(&f.e, "run"), 2);
	diags(&f, 10);
	assert_int_equal(walk_number(&f.e, "runs"), 2);
	close_log(&f);
}

static void
test_order(void **state)
{
	struct fixture f;
	struct log log = log_new(0);
	(void)state;
	event(&log, 1, 0, 0);
	entry(&log, STOP, 2);
	entry(&log, START, 3);
	entry(&log, START, 4);
	entry(&log, STOP, 5);
	entry(&log, STOP, 6);
	event(&log, 7, 0, 0);
	entry(&log, START, 8);
	entry(&log, END, 9);
	event(&log, 10, 0, 0);
	entry(&log, STOP, 11);
	entry(&log, END, 12);
	entry(&log, START, 13);
	open_log(&f, log, CSEL_CHECK_STREAM);
	static const struct expected expected[] = {
	    {"event_before_start", SEVERITY_ERROR, "init"},
	    {"stop_not_running", SEVERITY_ERROR, "init"},
	    {"", SEVERITY_INFO, "running"},
	    {"start_while_running", SEVERITY_ERROR, "running"},
	    {"", SEVERITY_INFO, "stopped"},
	    {"stop_not_running", SEVERITY_ERROR, "stopped"},
	    {"event_after_stop", SEVERITY_ERROR, "stopped"},
	    {"", SEVERITY_INFO, "running"},
	    {"end_while_running", SEVERITY_WARNING, "ended"},
	    {"event_after_end", SEVERITY_ERROR, "ended"},
	    {"stop_after_end", SEVERITY_ERROR, "ended"},
	    {"end_repeated", SEVERITY_ERROR, "ended"},
	    {"start_after_end", SEVERITY_ERROR, "running"},
	    {"missing_stop missing_end", SEVERITY_WARNING, "running"}};
	CHECK(&f, 3, expected);
	close_log(&f);
}

static void
test_timing(void **state)
{
	struct fixture f;
	struct log log = log_new(INIT);
	(void)state;
	entry(&log, START, INIT + START_TIMEOUT + 1);
	event(&log, INIT + START_TIMEOUT + EVENT_TIMEOUT + 2, 0, 0);
	event(&log, INIT + 5, 1, 0); /* highest stays */
	event(&log, INIT + 700000, 2, 0);
	entry(&log, STOP, INIT + 800000);
	entry(&log, START, INIT + 9000000); /* only the first start has a limit */
	event(&log, INIT + 9450001, 5, 0);
	entry(&log, END, INIT - 1);
	open_log(&f, log, CSEL_CHECK_STREAM);
	static const struct expected expected[] = {
	    {"start_timeout", SEVERITY_ERROR, "running"},
	    {"event_timeout", SEVERITY_ERROR, "running"},
	    {"timestamp_regression", SEVERITY_ERROR, "running"},
	    {"timestamp_regression", SEVERITY_ERROR, "running"},
	    {"", SEVERITY_INFO, "stopped"},
	    {"", SEVERITY_INFO, "running"},
	    {"event_timeout", SEVERITY_ERROR, "running"},
	    {"end_while_running timestamp_regression", SEVERITY_ERROR, "ended"},
	    {"", SEVERITY_DEBUG, "ended"}};
	CHECK(&f, 3, expected);
	close_log(&f);
}

static void
test_sequence(void **state)
{
	struct fixture f;
	struct log log = log_new(0);
	(void)state;
	entry(&log, START, 1);
	event(&log, 2, 0xfffffffe, 0);
	event(&log, 3, 0xffffffff, 0);
	event(&log, 4, 0, 0);
	event(&log, 5, 0, 0);
	event(&log, 6, 6, 0);
	event(&log, 7, 5, 0);
	event(&log, 8, 6, 0);
	event(&log, 8, 0x80000005, 0);
	event(&log, 8, 5, 0);
	entry(&log, START, 9);
	event(&log, 10, 100, 0);
	entry(&log, END, 11);
	open_log(&f, log, CSEL_CHECK_STREAM);
	static const struct expected expected[] = {
	    {"", SEVERITY_INFO, "running"},
	    {"", SEVERITY_INFO, "running"},
	    {"", SEVERITY_INFO, "running"},
	    {"", SEVERITY_INFO, "running"},
	    {"sequence_repeat", SEVERITY_ERROR, "running"},
	    {"sequence_gap", SEVERITY_ERROR, "running"},
	    {"sequence_regression", SEVERITY_ERROR, "running"},
	    {"", SEVERITY_INFO, "running"},
	    {"sequence_gap", SEVERITY_ERROR, "running"},
	    {"sequence_regression", SEVERITY_ERROR, "running"},
	    {"start_while_running", SEVERITY_ERROR, "running"},
	    {"", SEVERITY_INFO, "running"},
	    {"end_while_running", SEVERITY_WARNING, "ended"},
	    {"", SEVERITY_DEBUG, "ended"}};
	CHECK(&f, 3, expected);
	diags(&f, 11);
	assert_int_equal(walk_number(&f.e, "missing"), 0x7ffffffe);
	diags(&f, 8);
	assert_int_equal(walk_number(&f.e, "missing"), 5);
	assert_string_equal(text_get(&f.e.text), "event 0 seq 6: sequence_gap (5 missing)");
	diags(&f, 7);
	walk_assert_text(&f.e, "missing", NULL);
	close_log(&f);
}

/* Each event id counts for itself. */
static void
test_sequence_per_id(void **state)
{
	struct fixture f;
	struct log log = log_new(0);
	(void)state;
	entry(&log, START, 1);
	for (uint32_t cycle = 0; cycle < 3; cycle++)
		for (unsigned id = 0; id < 5; id++)
			event(&log, 2 + cycle, 10 * id + cycle, id);
	event(&log, 9, 33, 3);
	event(&log, 9, 25, 2);
	entry(&log, END, 10);
	open_log(&f, log, CSEL_CHECK_PER_EVENT_ID);
	for (size_t i = 3; i < 3 + 1 + 15 + 1; i++)
		assert_string_equal(diags(&f, i), "");
	assert_string_equal(diags(&f, 20), "sequence_gap");
	assert_int_equal(walk_number(&f.e, "missing"), 2);
	close_log(&f);

	open_log(&f, log, CSEL_CHECK_OFF);
	assert_string_equal(diags(&f, 20), "");
	close_log(&f);
	open_log(&f, log, CSEL_CHECK_STREAM);
	assert_string_equal(diags(&f, 5), "sequence_gap");
	close_log(&f);
}

static void
test_header_faults(void **state)
{
	struct fixture f;
	struct log log = log_new(INIT);
	(void)state;
	log.bytes[4] = 2;
	log.bytes[7] = 1;
	memset(log.bytes + 24, 'x', 64);
	memset(log.bytes + 100, 0, 4);
	entry(&log, START, INIT);
	event(&log, INIT + 100 * EVENT_TIMEOUT, 0, 0);
	log.bytes[log.length - 1] = 1;
	open_log(&f, log, CSEL_CHECK_STREAM);
	static const struct expected expected[] = {
	    {"bad_version reserved_nonzero", SEVERITY_WARNING, NULL},
	    {"name_not_terminated", SEVERITY_WARNING, NULL},
	    {"zero_event_timeout", SEVERITY_ERROR, NULL},
	    {"", SEVERITY_INFO, "running"},
	    {"reserved_nonzero", SEVERITY_INFO, "running"}, /* and no timeout */
	    {"missing_stop missing_end", SEVERITY_WARNING, "running"}};
	CHECK(&f, 0, expected);
	assert_int_equal(walk_number(&f.e, "runs"), 1);
	close_log(&f);

	log.bytes[3] = 'O';
	open_log(&f, log, CSEL_CHECK_STREAM);
	static const struct expected foreign[] = {
	    {"bad_signature bad_version reserved_nonzero", SEVERITY_FATAL, NULL}};
	CHECK(&f, 0, foreign);
	assert_int_equal(silent_bytes(&f), log.length - 8);
	close_log(&f);
}

static void
test_unknown(void **state)
{
	struct fixture f;
	struct log log = log_new(0);
	(void)state;
	entry(&log, START, 1);
	put(&log, 5, 1);
	put(&log, 0, 100);
	open_log(&f, log, CSEL_CHECK_STREAM);
	assert_int_equal(f.all.count, 6);
	assert_string_equal(diags(&f, 4), "unknown_entry");
	assert_string_equal(text_get(&f.e.text),
			    "unknown entry 0x05, 101 bytes from there (to search the bytes after "
			    "it, write after_unknown: search in a profile): unknown_entry");
	assert_int_equal(walk_number(&f.e, "id"), 5);
	assert_int_equal(f.all.at[4].length, 101);
	assert_int_equal(f.all.at[4].severity, SEVERITY_FATAL);
	assert_string_equal(diags(&f, 5), "missing_stop missing_end");
	close_log(&f);
}

/* With after_unknown: search an entry whose identifier is damaged costs no other, and neither do
 * bytes between entries; what is behind them is said to be a guess. */
static void
test_search(void **state)
{
	enum { EVENTS = 40, AT = 104 + 9 };
	struct csel_options options = {.tick_us = 1, .after_unknown = CSEL_AFTER_UNKNOWN_SEARCH};
	struct log log = log_new(INIT);
	(void)state;
	entry(&log, START, INIT + 10);
	for (uint32_t i = 0; i < EVENTS; i++)
		event(&log, INIT + 20 + i * 10000, i, i % 5);
	struct window head = {.bytes = log.bytes, .length = log.length};
	struct decoder *d = csel_ops.open(&options, &head, NULL);
	message_list whole = walk_all(d, log.bytes, log.length);
	assert_int_equal(whole.count, 3 + 1 + EVENTS + 1);

	for (size_t i = 0; i < EVENTS - 1; i++) { /* behind the last one there is nothing */
		struct log damaged = log;
		damaged.bytes[AT + i * 17] = (uint8_t)(i % 2 ? 0x84 : 0);
		message_list all = walk_all(d, damaged.bytes, damaged.length);
		walk_check(d, damaged.bytes, damaged.length);
		assert_int_equal(all.count, whole.count);
		for (size_t k = 0; k < all.count; k++) {
			assert_int_equal(all.at[k].offset, whole.at[k].offset);
			assert_int_equal(all.at[k].length, whole.at[k].length);
			assert_true(k == 4 + i || all.at[k].ticks == whole.at[k].ticks);
		}
		const struct message *unknown = &all.at[4 + i];
		assert_int_equal(unknown->severity, SEVERITY_ERROR);
		assert_int_equal(unknown->flags, MESSAGE_DAMAGED | MESSAGE_ESTIMATED);
		assert_true(all.at[5 + i].flags & MESSAGE_LOST || i == 0);
		vec_free(&all);
	}
	for (size_t bytes = 1; bytes < 60; bytes++) { /* and the log is cut in its last entry */
		struct log longer = log;
		size_t at = AT + bytes % EVENTS * 17, cut = bytes % 17;
		memset(longer.bytes + at, 0xa5, bytes);
		memcpy(longer.bytes + at + bytes, log.bytes + at, log.length - at);
		longer.length += bytes - cut;
		message_list all = walk_all(d, longer.bytes, longer.length);
		walk_check(d, longer.bytes, longer.length);
		bool found = bytes % EVENTS < EVENTS - 2 || !cut;
		if (found) {
			assert_int_equal(all.count, whole.count + 1);
			assert_int_equal(all.at[4 + bytes % EVENTS].length, bytes);
		}
		vec_free(&all);
	}
	vec_free(&whole);
	d->ops->close(d);
}

/* While a log grows nothing is said of it that more bytes deny. */
static void
test_search_growing(void **state)
{
	enum { EVENTS = 40, DAMAGED = 10 };
	struct csel_options options = {.tick_us = 1, .after_unknown = CSEL_AFTER_UNKNOWN_SEARCH};
	struct log log = log_new(INIT);
	struct message m[EVENTS + 8];
	(void)state;
	for (uint32_t i = 0; i < EVENTS; i++)
		event(&log, INIT + 20 + i * 10000, i, i % 5);
	uint8_t *damaged = log.bytes + 104 + DAMAGED * 17;
	memset(damaged, 0xff, 17);
	damaged[1] = STOP; /* which seems to be the last one until there is more */
	struct window head = {.bytes = log.bytes, .length = log.length};
	struct decoder *d = csel_ops.open(&options, &head, NULL);
	message_list all = walk_all(d, log.bytes, log.length);
	for (size_t length = 104; length <= log.length; length++) {
		struct decode_state *own = decode_state_new(d);
		struct window w = {.bytes = log.bytes, .length = length, .until = UINT64_MAX};
		size_t count = d->ops->step(d, own, &w, m, EVENTS + 8);
		assert_true(count <= all.count);
		for (size_t i = 0; i < count; i++)
			assert_memory_equal(&m[i], &all.at[i], sizeof m[i]);
		assert_true(count > 3 + DAMAGED || length <= 104 + (DAMAGED + 1 + 16) * 17);
		decode_state_free(d, own);
	}
	vec_free(&all);
	d->ops->close(d);
}

/* More bytes than a piece holds, and entries from where a piece ends on. */
static void
test_long_search(void **state)
{
	struct csel_options options = {.tick_us = 1, .after_unknown = CSEL_AFTER_UNKNOWN_SEARCH};
	struct log head = log_new(0), tail = {0};
	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		event(&tail, 20 + i, i, i % 5);
	for (size_t from = 65536 * 2 - 20; from <= 65536 * 2 + 20; from++) {
		size_t length = from + tail.length;
		uint8_t *bytes = calloc(length, 1);
		memcpy(bytes, head.bytes, head.length);
		memcpy(bytes + from, tail.bytes, tail.length);
		struct decoder *d = csel_ops.open(&options, &(struct window){0}, NULL);
		message_list all = walk_all(d, bytes, length);
		assert_int_equal(all.count, 3 + 2 + (from > 65536 * 2) + 20 + 1);
		assert_int_equal(all.at[all.count - 21].offset, from);
		assert_int_equal(all.at[3].severity, SEVERITY_ERROR);
		assert_true(all.at[all.count - 22].flags & MESSAGE_ESTIMATED);
		vec_free(&all);
		d->ops->close(d);
		free(bytes);
	}
}

/* What is unknown is cut as runs are: at the first multiple of 64 KiB that is
 * 64 bytes on at least. */
static void
test_long_unknown(void **state)
{
	struct csel_options options = {.tick_us = 1};
	size_t length = 200000;
	uint8_t *bytes = calloc(length, 1);
	struct log log = log_new(0);
	(void)state;
	memcpy(bytes, log.bytes, log.length);
	struct decoder *d = csel_ops.open(&options, &(struct window){0}, NULL);
	message_list all = walk_all(d, bytes, length);
	assert_int_equal(all.count, 3 + 4 + 1);
	assert_int_equal(all.at[3].severity, SEVERITY_FATAL);
	for (size_t i = 4; i < 7; i++) {
		assert_int_equal(all.at[i].offset, (i - 3) * 65536);
		assert_true(all.at[i].flags & MESSAGE_FILLER);
	}
	assert_int_equal(all.at[6].length, length - 3 * 65536);
	vec_free(&all);
	d->ops->close(d);
	free(bytes);
}

static void
test_truncated(void **state)
{
	struct fixture f;
	struct log log = log_new(0);
	(void)state;
	entry(&log, START, 1);
	event(&log, 2, 0, 0);
	log.length -= 3;
	open_log(&f, log, CSEL_CHECK_STREAM);
	assert_string_equal(diags(&f, 4), "truncated");
	assert_string_equal(text_get(&f.e.type), "truncated");
	assert_int_equal(walk_number(&f.e, "id"), 4);
	assert_int_equal(f.all.at[4].length, 14);
	assert_true(f.all.at[4].flags & MESSAGE_TRUNCATED);
	assert_string_equal(diags(&f, 5), "missing_stop missing_end");
	close_log(&f);

	log.length = 36; /* in the metadata: then there is no end to speak of */
	open_log(&f, log, CSEL_CHECK_STREAM);
	assert_int_equal(f.all.count, 2);
	assert_string_equal(diags(&f, 1), "truncated");
	assert_string_equal(text_get(&f.e.type), "metadata");
	close_log(&f);
}

/* A log that still grows has no end yet. */
static void
test_growing(void **state)
{
	struct fixture f;
	struct log log = log_new(0);
	struct message m[8];
	(void)state;
	entry(&log, START, 1);
	open_log(&f, log, CSEL_CHECK_STREAM);
	struct decode_state *own = decode_state_new(f.d);
	struct window w = {.bytes = log.bytes, .length = log.length, .until = UINT64_MAX};
	assert_int_equal(f.d->ops->step(f.d, own, &w, m, 8), 4);
	assert_int_equal(f.d->ops->step(f.d, own, &w, m, 8), 0);
	w.last = true;
	assert_int_equal(f.d->ops->step(f.d, own, &w, m, 8), 1);
	assert_int_equal(m[0].length, 0);
	assert_int_equal(f.d->ops->step(f.d, own, &w, m, 8), 0);
	decode_state_free(f.d, own);
	close_log(&f);
}

static void
test_clock(void **state)
{
	static const struct {
		struct csel_options options;
		uint64_t init;
		double hz;
		bool unix_epoch;
	} cases[] = {
	    {{.tick_us = 1}, 1701066141314201, 1e6, true},
	    {{.tick_us = 1}, 1000, 1e6, false},
	    {{.tick_us = 1, .epoch = CSEL_EPOCH_UNIX}, 1000, 1e6, true},
	    {{.tick_us = 1, .epoch = CSEL_EPOCH_NONE}, 1701066141314201, 1e6, false},
	    {{.tick_us = 1000}, 1701066141314, 1e3, true},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct log log = log_new(cases[i].init);
		struct window head = {.bytes = log.bytes, .length = log.length};
		struct decoder *d = csel_ops.open(&cases[i].options, &head, NULL);
		assert_true(d->hz > cases[i].hz * 0.999 && d->hz < cases[i].hz * 1.001);
		assert_int_equal(d->unix_epoch, cases[i].unix_epoch);
		d->ops->close(d);
	}
	struct err err = {0};
	struct csel_options wrong = {.tick_us = 0};
	assert_null(csel_ops.open(&wrong, &(struct window){0}, &err));
	assert_int_equal(err.code, ERR_CONFIG);
}

static void
test_damage(void **state)
{
	struct fixture f;
	struct log log = log_new(INIT);
	(void)state;
	entry(&log, START, INIT + 10);
	for (uint32_t i = 0; i < 12; i++)
		event(&log, INIT + 20 + i, i, i % 7);
	entry(&log, STOP, INIT + 50);
	entry(&log, START, INIT + 60);
	entry(&log, END, INIT + 70);
	for (int check = CSEL_CHECK_STREAM; check <= CSEL_CHECK_OFF; check++) {
		open_log(&f, log, (enum csel_check)check);
		walk_truncate(f.d, f.log.bytes, f.log.length, 1);
		walk_flip(f.d, f.log.bytes, f.log.length, 100);
		f.options.after_unknown = CSEL_AFTER_UNKNOWN_SEARCH;
		walk_truncate(f.d, f.log.bytes, f.log.length, 1);
		walk_flip(f.d, f.log.bytes, f.log.length, 100);
		close_log(&f);
	}
	struct probe probe = {0};
	struct window head = {.bytes = log.bytes, .length = log.length};
	csel_ops.probe(&head, &probe);
	assert_true(probe.score > 90 && *probe.reason);
	log.bytes[0] ^= 1;
	probe = (struct probe){0};
	csel_ops.probe(&head, &probe);
	assert_int_equal(probe.score, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_header),	  cmocka_unit_test(test_run),
	    cmocka_unit_test(test_order),	  cmocka_unit_test(test_timing),
	    cmocka_unit_test(test_sequence),	  cmocka_unit_test(test_sequence_per_id),
	    cmocka_unit_test(test_header_faults), cmocka_unit_test(test_unknown),
	    cmocka_unit_test(test_search),	  cmocka_unit_test(test_search_growing),
	    cmocka_unit_test(test_long_search),	  cmocka_unit_test(test_long_unknown),
	    cmocka_unit_test(test_truncated),	  cmocka_unit_test(test_growing),
	    cmocka_unit_test(test_clock),	  cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
