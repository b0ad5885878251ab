/*
 * Words of a GEM trace matched with the events of a log: a simulated program
 * writes both and keeps the truth, which event each word belongs to.  Parts of
 * either side are lost, counts wrap, the log begins before the words or after
 * them, the program starts again.
 */
#include "config.h"

#include "test.h"
#include "base/generation.h"
#include "uia_write.h"

#include "config/profile.h"
#include "decode/gem/gem.h"
#include "random.h"
#include "session/clock/clocks.h"
#include "session/clock/clocks.h"
#include "session/link/serial.h"
#include "session/session.h"
#include "temp_file.h"
#include "trace/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_EVENT UINT64_MAX

/* What a logger has not sent yet. */
struct item {
	enum { SYNC, CONTEXT, SNAPSHOT, OTHER } type;
	uint16_t sequence;
	uint64_t time;
	uint32_t number, old, new;
	size_t word; /* SIZE_MAX: none */
};

struct logger {
	unsigned instance;
	uint16_t sequence;
	VEC(struct item) items;
};

struct program {
	struct uia_log log;
	VEC(uint8_t) words;
	VEC(uint64_t) truth; /* per word: offset of its event */
	VEC(struct sent_word {
		uint32_t data; /* of a second word's pair */
		bool paired;   /* its first word stands before it */
	}) sent;	       /* per word */
	struct logger loggers[2];
	uint32_t serial, snapshot, context;
	uint64_t time;
	uint64_t seed;
	unsigned lose_words, lose_events; /* of 1000 */
	bool words_off, log_off;
	uint16_t packets;
};

static void
flush(struct program *p, struct logger *logger)
{
	if (!logger->items.count)
		return;
	uia_packet_begin(&p->log, 10, 1, logger->instance, p->packets++);
	for (size_t i = 0; i < logger->items.count; i++) {
		const struct item *item = &logger->items.at[i];
		static const uint32_t args[4] = {1, 2, 3, 4};
		size_t at = 0;
		switch (item->type) {
		case SYNC:
			at = uia_sync_add(&p->log, item->sequence, item->time, item->number);
			break;
		case CONTEXT:
			at = uia_context_add(&p->log, item->sequence, item->time, item->old,
					     item->new);
			break;
		case SNAPSHOT:
			at = uia_snapshot_add(&p->log, item->sequence, item->time, item->number,
					      args, 4);
			break;
		case OTHER:
			at = uia_event_add(&p->log, item->sequence, 0x1402, item->time, args, 4);
			break;
		}
		if (item->word != SIZE_MAX && p->truth.at[item->word] == NO_EVENT)
			p->truth.at[item->word] = at;
	}
	uia_packet_end(&p->log);
	vec_clear(&logger->items);
}

static void
log_item(struct program *p, struct logger *logger, struct item item)
{
	item.sequence = ++logger->sequence;
	item.time = p->time;
	if (p->log_off || random_below(&p->seed, 1000) < p->lose_events)
		return;
	*vec_add(&logger->items) = item;
	if (logger->items.count >= 25)
		flush(p, logger);
}

/* Writes a word; returns its number, or SIZE_MAX if it is lost. */
static size_t
write_word(struct program *p, uint32_t word)
{
	if (p->words_off || random_below(&p->seed, 1000) < p->lose_words)
		return SIZE_MAX;
	for (int i = 0; i < 4; i++)
		*vec_add(&p->words) = (uint8_t)(word >> 8 * i);
	*vec_add(&p->truth) = NO_EVENT;
	*vec_add(&p->sent) = (struct sent_word){0};
	return p->truth.count - 1;
}

static void
do_sync(struct program *p)
{
	size_t word = write_word(p, 1u << 26 | (p->serial & 0xffffff) << 2 | 3);
	log_item(p, &p->loggers[0],
		 (struct item){.type = SYNC, .number = p->serial++, .word = word});
}

static void
do_snapshot(struct program *p)
{
	uint32_t id = p->snapshot++;
	size_t word = write_word(p, 3u << 26 | (id & 0xffffff) << 2 | 3);
	for (int i = 0; i < 2; i++) /* two records: the first that is not lost counts */
		log_item(p, &p->loggers[1],
			 (struct item){.type = SNAPSHOT, .number = id, .word = word});
}

static void
do_context(struct program *p)
{
	struct item item = {.type = CONTEXT, .old = p->context, .word = SIZE_MAX};
	uint32_t sequence = p->loggers[1].sequence + 1u;
	p->context = item.new = 0x80010000 | random_below(&p->seed, 4096);
	if (random_below(&p->seed, 2)) {
		item.word = write_word(p, 2u << 26 | sequence << 2 | 3);
	} else {
		size_t first = write_word(p, 1u << 31 | 15u << 26 | item.new >> 8 << 2 | 3);
		item.word = write_word(p, 3u << 30 | sequence << 10 | (item.new & 0xff) << 2 | 3);
		if (item.word != SIZE_MAX)
			p->sent.at[item.word] = (struct sent_word){
			    item.new, first != SIZE_MAX &&first + 1 == item.word};
	}
	log_item(p, &p->loggers[1], item);
}

static void
do_other(struct program *p, unsigned count)
{
	while (count--)
		log_item(p, &p->loggers[1], (struct item){.type = OTHER, .word = SIZE_MAX});
}

static void
simulate(struct program *p, unsigned steps)
{
	while (steps--) {
		p->time += 1000 + random_below(&p->seed, 1000);
		switch (random_below(&p->seed, 8)) {
		case 0:
		case 1:
			do_sync(p);
			break;
		case 2:
			do_snapshot(p);
			break;
		case 3:
		case 4:
		case 5:
			do_context(p);
			break;
		default:
			do_other(p, 1 + random_below(&p->seed, 3));
		}
	}
}

static struct program
begin(void)
{
	return (struct program){.seed = 7,
				.time = 1u << 20,
				.serial = 1,
				.snapshot = 1,
				.loggers = {{.instance = 1}, {.instance = 2}}};
}

/* --- a session --------------------------------------------------------- */

struct fixture {
	struct session session;
	char paths[3][TEMP_PATH];
	struct reader *reader;
	struct expansion e;
};

static void
open_program(struct fixture *f, struct program *p, const char *sync)
{
	static const char profile[] = "traces:\n"
				      "  - {match: '*.gem', name: words, format: gem}\n"
				      "  - match: '*.uia'\n"
				      "    name: log\n"
				      "    format: uia\n"
				      "    uia: {events: [{id: 0x1101, name: syncPoint}, {id: "
				      "0x1201, name: threadCtxChg}]}\n";
	char text[1024];
	struct err err = {0};
	memset(f, 0, sizeof *f); /* traces point to their session: it stays where it is */
	for (int i = 0; i < 2; i++)
		flush(p, &p->loggers[i]);
	snprintf(text, sizeof text, "%s%s", profile, sync);
	temp_make(f->paths[0], ".gem", p->words.at, p->words.count);
	temp_make(f->paths[1], ".uia", p->log.bytes.at, p->log.bytes.count);
	temp_make_text(f->paths[2], ".yaml", text);
	if (profile_load(f->paths[2], &f->session.profile, &err) < 0)
		fail_msg("%s", err.what);
	for (int i = 0; i < 2; i++)
		assert_non_null(session_open(&f->session, f->paths[i], NULL, NULL, 0, &err));
	session_link(&f->session);
	assert_non_null(serial_of(f->session.traces.at[0]));
	serial_load(serial_of(f->session.traces.at[0]));
	f->reader = reader_new(f->session.traces.at[0]);
}

static void
close_all(struct fixture *f, struct program *p)
{
	expansion_free(&f->e);
	reader_free(f->reader);
	session_close(&f->session);
	vec_free(&f->session.traces);
	for (int i = 0; i < 3; i++)
		unlink(f->paths[i]);
	for (int i = 0; i < 2; i++)
		vec_free(&p->loggers[i].items);
	vec_free(&p->words);
	vec_free(&p->truth);
	vec_free(&p->sent);
	vec_free(&p->log.bytes);
}

static const struct field *
field_of(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->e.fields.count; i++)
		if (!strcmp(f->e.fields.at[i].row->name, name))
			return &f->e.fields.at[i];
	return NULL;
}

/* The offset of the event that word N is matched with. */
static uint64_t
event_of(struct fixture *f, size_t n)
{
	struct position position;
	bool exact;
	assert_true(reader_find_number(f->reader, n, &position, &exact) && exact);
	const struct message *m = reader_message(f->reader, position);
	reader_expand(f->reader, m, EXPAND_FIELDS, &f->e);
	const struct field *field = field_of(f, "event_offset");
	return field ? field->u : NO_EVENT;
}

/* How many words are not matched as the truth has it, in order
 * and, for some, out of order. */
static size_t
count_wrong(struct fixture *f, const struct program *p)
{
	size_t wrong = 0;
	uint64_t seed = 1;
	for (size_t i = 0; i < p->truth.count; i++)
		wrong += event_of(f, i) != p->truth.at[i];
	for (size_t i = 0; i < 50 && p->truth.count; i++) {
		size_t n = random_below(&seed, p->truth.count);
		wrong += event_of(f, n) != p->truth.at[n];
	}
	return wrong;
}

static void
assert_all_matched(struct program *p)
{
	struct fixture f;
	open_program(&f, p, "");
	assert_int_equal(count_wrong(&f, p), 0);
	close_all(&f, p);
}

/* --- tests ------------------------------------------------------------- */

static void
test_all(void **state)
{
	struct program p = begin();
	(void)state;
	simulate(&p, 3000);
	assert_all_matched(&p);
}

static void
test_fields(void **state)
{
	struct program p = begin();
	(void)state;
	p.serial = 0x12fffffe;
	do_sync(&p);
	do_sync(&p);
	do_sync(&p); /* 24 bits wrap */
	p.context = 0x80010000;
	do_context(&p);
	struct fixture f;
	open_program(&f, &p, "");
	assert_int_equal(count_wrong(&f, &p), 0);
	event_of(&f, 2);
	assert_int_equal(field_of(&f, "serial32")->u, 0x13000000);
	assert_string_equal(text_get(&f.e.text), "SyncPoint 0 serial 318767104");
	event_of(&f, p.truth.count - 1);
	assert_int_equal(field_of(&f, "event_prev")->u, 0x80010000);
	assert_int_equal(field_of(&f, "event_new")->u, p.context);
	assert_memory_equal(field_of(&f, "event_name")->s.at, "threadCtxChg", 12);
	close_all(&f, &p);
}

/* A lost first word: its data come from the event. */
static void
test_recovered(void **state)
{
	struct program p = begin();
	(void)state;
	simulate(&p, 50);
	p.lose_words = 100;
	simulate(&p, 3000);
	p.lose_words = 0;
	struct fixture f;
	open_program(&f, &p, "");
	size_t recovered = 0;
	for (size_t i = 0; i < p.truth.count; i++) {
		uint64_t offset = event_of(&f, i);
		const struct field *data = field_of(&f, "recovered_data");
		assert_int_equal(offset, p.truth.at[i]);
		if (!data)
			continue;
		recovered++;
		assert_int_equal(data->u, bytes_le32(p.log.bytes.at + offset + 32));
	}
	assert_true(recovered > 20);
	close_all(&f, &p);
}

/* A second word after the first word of another pair: the data are those of the event with its
 * sequence number (seed 003), and the row is suspect.  No other data that were never sent are
 * shown without that, and nearly no true pair is suspect. */
static void
test_mispaired(void **state)
{
	struct program p = begin();
	struct fixture f;
	struct message m;
	size_t at = 0, pairs = 0, wrong = 0, accused = 0, corrected = 0;
	(void)state;
	simulate(&p, 50);
	p.lose_words = 100;
	while (p.truth.count < 100000)
		simulate(&p, 1000);
	open_program(&f, &p, "");
	struct reader *reader = reader_new(f.session.traces.at[0]);
	for (; reader_walk(reader, &m, 1); at++) {
		const struct sent_word *sent = &p.sent.at[at];
		if (m.kind != GEM_SECOND)
			continue;
		reader_expand(f.reader, &m, EXPAND_FIELDS, &f.e);
		const struct field *data = field_of(&f, "data");
		bool suspect = f.e.flags & MESSAGE_SUSPECT;
		if (!data)
			continue;
		pairs += sent->paired;
		accused += sent->paired && suspect;
		wrong += data->u != sent->data && !suspect;
		corrected += !sent->paired && suspect && data->u == sent->data;
	}
	assert_int_equal(at, p.truth.count);
	assert_int_equal(wrong, 0);
	assert_true(pairs > 10000 && accused * 100 <= pairs);
	assert_true(corrected > 20);
	reader_free(reader);
	close_all(&f, &p);
}

static void
test_lost_events(void **state)
{
	struct program p = begin();
	(void)state;
	p.lose_events = 300;
	p.lose_words = 50;
	simulate(&p, 6000);
	assert_all_matched(&p);
}

/* Of a long log the words are the last part only, as in an on-chip buffer;
 * the logger's 16 bits have wrapped several times before. */
static void
test_words_begin_late(void **state)
{
	struct program p = begin();
	(void)state;
	p.words_off = true;
	simulate(&p, 150000);
	assert_true(p.loggers[1].sequence + 65536u * 2 < 150000 * 2u);
	p.words_off = false;
	for (int i = 0; i < 20; i++)
		do_context(&p); /* before the first sync point */
	simulate(&p, 3000);
	assert_all_matched(&p);
}

/* The log is the last part: nothing belongs to the words before it. */
static void
test_log_begins_late(void **state)
{
	struct program p = begin();
	(void)state;
	p.log_off = true;
	simulate(&p, 5000);
	p.log_off = false;
	simulate(&p, 5000);
	assert_all_matched(&p);
}

/* Many cells on both sides, 16-bit counts that wrap, losses. */
static void
test_long(void **state)
{
	struct program p = begin();
	(void)state;
	p.serial = 0xfffff0;
	p.lose_events = 10;
	p.lose_words = 10;
	simulate(&p, 200000);
	assert_all_matched(&p);
}

/* All counts start again at 1. */
static void
test_restart(void **state)
{
	struct program p = begin();
	(void)state;
	for (int i = 0; i < 3; i++) {
		p.serial = p.snapshot = 1;
		p.loggers[1].sequence = 0;
		simulate(&p, 400);
		flush(&p, &p.loggers[0]);
		flush(&p, &p.loggers[1]);
	}
	assert_all_matched(&p);
}

/* Words in another order than their events, over more than a cell. */
static void
test_out_of_order(void **state)
{
	struct program p = begin();
	(void)state;
	for (int i = 0; i < 3000; i++)
		do_sync(&p);
	struct fixture f;
	flush(&p, &p.loggers[0]);
	for (size_t i = 0; i + 2500 < p.truth.count; i += 500) {
		uint64_t event = p.truth.at[i];
		p.truth.at[i] = p.truth.at[i + 2500];
		p.truth.at[i + 2500] = event;
		for (size_t b = 4 * i; b < 4 * i + 4; b++) {
			uint8_t byte = p.words.at[b];
			p.words.at[b] = p.words.at[b + 10000];
			p.words.at[b + 10000] = byte;
		}
	}
	open_program(&f, &p, "");
	assert_int_equal(count_wrong(&f, &p), 0);
	close_all(&f, &p);
}

/* A word with wrong bits is not matched, or wrongly; those behind it are. */
static void
test_damaged_words(void **state)
{
	struct program p = begin();
	size_t damaged = 0;
	(void)state;
	simulate(&p, 60000);
	for (size_t i = 100; i < p.truth.count; i += 100, damaged++)
		p.words.at[4 * i + 2] ^= 0x10;
	struct fixture f;
	open_program(&f, &p, "");
	size_t wrong = count_wrong(&f, &p);
	assert_true(wrong >= damaged / 2 && wrong <= damaged + 10);
	close_all(&f, &p);
}

/* Two loggers write contexts: the profile says which one counts. */
static void
test_logger_choice(void **state)
{
	struct program p = begin();
	(void)state;
	for (int i = 0; i < 30; i++)
		log_item(&p, &p.loggers[0], (struct item){.type = CONTEXT, .word = SIZE_MAX});
	simulate(&p, 500);
	struct fixture f;
	open_program(&f, &p, "sync: [{kind: serial, gem: words, uia: log, logger: 2}]\n");
	assert_int_equal(count_wrong(&f, &p), 0);
	close_all(&f, &p);

	p = begin();
	for (int i = 0; i < 30; i++)
		log_item(&p, &p.loggers[0], (struct item){.type = CONTEXT, .word = SIZE_MAX});
	simulate(&p, 500);
	open_program(&f, &p, "sync: [{kind: serial, logger: 1}]\n");
	assert_true(count_wrong(&f, &p) > 100);
	close_all(&f, &p);
}

/* In a thread of its own, while words are looked at. */
static void
test_thread(void **state)
{
	struct program p = begin();
	(void)state;
	simulate(&p, 20000);
	struct fixture f;
	open_program(&f, &p, "");
	struct trace *gem = f.session.traces.at[0], *uia = f.session.traces.at[1];
	serial_free(serial_of(gem)); /* a trace has one, which the session made */
	struct serial *serial = serial_new(gem, uia, NULL);
	struct serial_cursor *cursor = serial_cursor_new(serial, f.reader);
	serial_start(serial);
	struct position last;
	assert_true(reader_last(f.reader, &last));
	const struct message m = *reader_message(f.reader, last);
	size_t at = p.truth.count - 1;
	while (p.truth.at[at] == NO_EVENT)
		at--;
	do {
		serial_wake(serial);
		expansion_clear(&f.e);
		serial_expand(cursor, &m, EXPAND_FIELDS, &f.e);
	} while (serial_generation(serial) == GENERATION_FIRST);
	bool exact;
	struct position position;
	assert_true(reader_find_number(f.reader, at, &position, &exact));
	expansion_clear(&f.e);
	serial_expand(cursor, reader_message(f.reader, position), EXPAND_FIELDS, &f.e);
	assert_int_equal(field_of(&f, "event_offset")->u, p.truth.at[at]);
	serial_cursor_free(cursor);
	serial_free(serial);
	close_all(&f, &p);
}

/* The words have no time stamps: the time of one is that of its event, and what
 * lies between two lies between their times. */
static void
test_times(void **state)
{
	struct program p = begin();
	struct fixture f;
	struct message_time last = {0};
	(void)state;
	simulate(&p, 3000);
	open_program(&f, &p, "");
	struct trace *words = f.session.traces.at[0], *log = f.session.traces.at[1];
	clocks_load(f.session.clocks, true);
	struct reader *events = reader_new(log);
	size_t matched = 0;
	for (size_t i = 0; i < p.truth.count; i++) {
		struct position at;
		bool exact;
		struct message_time time, event;
		assert_true(reader_find_number(f.reader, i, &at, &exact));
		assert_true(clocks_time(words, reader_message(f.reader, at), &time));
		if (p.truth.at[i] != NO_EVENT) {
			assert_true(reader_find_offset(events, p.truth.at[i], &at));
			assert_true(clocks_time(log, reader_message(events, at), &event));
			assert_int_equal(time.part, event.part);
			assert_int_equal(time.order, event.order);
			assert_false(time.estimated);
			matched++;
		} else {
			assert_true(time.estimated);
		}
		if (i)
			assert_true(time.order >= last.order);
		last = time;
	}
	assert_true(matched > 1000);
	reader_free(events);
	close_all(&f, &p);
}

/* Words that tell half of the global time, [UIA 1.01, GemTraceSync] type 14, and no others: the
 * log has the upper half. */
static void
test_global_alone(void **state)
{
	enum { STEP = 1000 };
	struct program p = begin();
	struct fixture f;
	struct message_time time, event;
	struct message m;
	uint64_t seconds[4];
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		p.time = (1u << 20) + i * STEP;
		log_item(&p, &p.loggers[0],
			 (struct item){.type = SYNC, .number = p.serial++, .word = SIZE_MAX});
		uint32_t low = (uint32_t)(p.time / 6); /* as uia_sync_add has it */
		write_word(&p, 1u << 31 | 14u << 26 | low >> 8 << 2 | 3);
		seconds[i] = p.words.count;
		write_word(&p, 3u << 30 | (uint32_t)i << 10 | (low & 0xff) << 2 | 3);
	}
	open_program(&f, &p, "");
	struct trace *words = f.session.traces.at[0], *log = f.session.traces.at[1];
	clocks_load(f.session.clocks, true);
	struct reader *events = reader_new(log), *pairs = reader_new(words);
	size_t i = 0;
	while (i < 4 && reader_walk(events, &m, 1)) {
		if (!(m.flags & MESSAGE_SYNC))
			continue;
		struct position at;
		assert_true(clocks_time(log, &m, &event));
		assert_true(reader_find_offset(pairs, seconds[i], &at));
		assert_true(clocks_time(words, reader_message(pairs, at), &time));
		assert_int_equal(time.part, event.part);
		assert_int_equal(time.order, event.order);
		i++;
	}
	assert_int_equal(i, 4);
	reader_free(events);
	reader_free(pairs);
	close_all(&f, &p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_times),
	    cmocka_unit_test(test_global_alone),
	    cmocka_unit_test(test_all),
	    cmocka_unit_test(test_fields),
	    cmocka_unit_test(test_recovered),
	    cmocka_unit_test(test_mispaired),
	    cmocka_unit_test(test_lost_events),
	    cmocka_unit_test(test_words_begin_late),
	    cmocka_unit_test(test_log_begins_late),
	    cmocka_unit_test(test_long),
	    cmocka_unit_test(test_restart),
	    cmocka_unit_test(test_out_of_order),
	    cmocka_unit_test(test_damaged_words),
	    cmocka_unit_test(test_logger_choice),
	    cmocka_unit_test(test_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
