/*
 * Contexts against a truth that mkcapture writes: what holds at each word of a
 * GEM trace, since when, and whether it is doubtful; in order, out of order,
 * and while not all is known.  Smaller captures are written here by hand.
 */
#include "config.h"

#include "test.h"
#include "uia_write.h"

#include "config/profile.h"
#include "query/matches.h"
#include "random.h"
#include "session/context/context.h"
#include "session/link/serial.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TASK, USER, TOLD };
static const char *const told[TOLD] = {"task", "user"};

/* What is said about a word: VALUE@SINCE and words behind it. */
struct word {
	uint64_t offset;
	char said[TOLD][48];
};

struct fixture {
	struct session session;
	char folder[32];
	VEC(struct word) words;
	struct reader *reader;
	struct context_cursor *cursor;
	struct text text;
};

static void
path_of(const struct fixture *f, const char *name, char path[64])
{
	snprintf(path, 64, "%s/%s", f->folder, name);
}

static void
write_file(const struct fixture *f, const char *name, const void *bytes, size_t length)
{
	char path[64];
	path_of(f, name, path);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

static void
fixture_begin(struct fixture *f)
{
	memset(f, 0, sizeof *f); /* traces point to their session: it stays where it is */
	snprintf(f->folder, sizeof f->folder, "/tmp/trawl-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
}

/* Opens the captures in the fixture's folder (NULL at the end). */
static void
open_files(struct fixture *f, const char *profile, const char *const *names)
{
	char path[64];
	struct err err = {0};
	write_file(f, "p.yaml", profile, strlen(profile));
	path_of(f, "p.yaml", path);
	if (profile_load(path, &f->session.profile, &err) < 0)
		fail_msg("%s", err.what);
	for (; *names; names++) {
		path_of(f, *names, path);
		if (!session_open(&f->session, path, NULL, NULL, 0, &err))
			fail_msg("%s", err.what);
	}
	session_link(&f->session);
	assert_non_null(f->session.contexts);
	f->reader = reader_new(f->session.traces.at[0]);
}

static void
build_indexes(struct fixture *f)
{
	for (size_t i = 0; i < f->session.traces.count; i++)
		index_build(trace_index(f->session.traces.at[i]));
	struct serial *serial = serial_of(f->session.traces.at[0]);
	if (serial)
		serial_load(serial);
}

/* Lets the thread look through everything. */
static void
build_contexts(struct fixture *f)
{
	struct timespec pause = {.tv_nsec = 1000000};
	context_cursor_free(context_cursor_new(f->session.contexts, f->session.traces.at[0]));
	contexts_start(f->session.contexts);
	for (size_t i = 0; i < f->session.traces.count; i++) {
		struct trace *trace = f->session.traces.at[i];
		while (contexts_known(f->session.contexts, trace) < index_known(trace_index(trace)))
			nanosleep(&pause, NULL);
	}
}

static void
new_cursor(struct fixture *f)
{
	context_cursor_free(f->cursor);
	f->cursor = context_cursor_new(f->session.contexts, f->session.traces.at[0]);
}

static void
close_files(struct fixture *f)
{
	context_cursor_free(f->cursor);
	reader_free(f->reader);
	session_close(&f->session);
	vec_free(&f->session.traces);
	f->cursor = NULL;
	f->reader = NULL;
	memset(&f->session, 0, sizeof f->session);
}

static void
fixture_end(struct fixture *f)
{
	char command[64];
	close_files(f);
	vec_free(&f->words);
	text_free(&f->text);
	snprintf(command, sizeof command, "rm -r %s", f->folder);
	assert_int_equal(system(command), 0);
}

/* --- the truth of mkcapture -------------------------------------------- */

static void
make_capture(const struct fixture *f, const char *name, const char *options)
{
	char command[400];
	const char *program = getenv("MKCAPTURE");
	if (!program)
		skip();
	snprintf(command, sizeof command, "'%s' -m contexts %s --truth=%s/%s.tsv -o %s/%s", program,
		 options, f->folder, name, f->folder, name);
	assert_int_equal(system(command), 0);
}

static void
read_truth(struct fixture *f, const char *name)
{
	char path[64], line[1024], file[32];
	snprintf(file, sizeof file, "%s.tsv", name);
	path_of(f, file, path);
	FILE *truth = fopen(path, "r");
	assert_non_null(truth);
	assert_non_null(fgets(line, sizeof line, truth)); /* the head */
	while (fgets(line, sizeof line, truth)) {
		struct word *word = vec_add(&f->words);
		line[strcspn(line, "\n")] = '\0';
		word->offset = strtoull(line, NULL, 10);
		for (int i = 0; i < TOLD; i++) {
			char key[16];
			snprintf(key, sizeof key, "\t%s=", told[i]);
			const char *at = strstr(line, key);
			assert_non_null(at);
			at += strlen(key);
			snprintf(word->said[i], sizeof word->said[i], "%.*s",
				 (int)strcspn(at, "\t"), at);
		}
	}
	fclose(truth);
	assert_true(f->words.count > 0);
}

static const char profile_head[] =
    "traces:\n"
    "  - {match: '*.gem', name: words, format: gem}\n"
    "  - match: '*.uia'\n"
    "    name: log\n"
    "    format: uia\n"
    "    uia: {events: [{id: 1, name: syncPoint}, {id: 3, name: threadCtxChg},\n"
    "          {id: 4, name: userCtxChg}]}\n"
    "contexts:\n"
    "  - {name: user, from: {format: gem, type: second, ctx_name: User}, field: data}\n";

static const char profile_task[] =
    "  - {name: task, from: {format: gem, type: ctxchg}, field: event_new}\n"
    "  - {name: task, from: {format: gem, type: second, ctx_name: ContextChange}, field: data}\n";

static const struct message *
message_at(struct fixture *f, uint64_t offset)
{
	struct position p;
	assert_true(reader_find_offset(f->reader, offset, &p));
	const struct message *m = reader_message(f->reader, p);
	assert_int_equal(m->offset, offset);
	return m;
}

static unsigned
context_named(const struct fixture *f, const char *name)
{
	unsigned context = 0;
	assert_true(contexts_find(f->session.contexts, name, &context));
	return context;
}

static struct context_value
value_of(struct fixture *f, const char *name, const struct message *m)
{
	struct context_value value;
	const struct message own = *m;
	assert_true(
	    context_value(f->session.contexts, f->cursor, &own, context_named(f, name), &value));
	return value;
}

/* The value as the truth writes it. */
static const char *
say(struct fixture *f, const char *name, const struct context_value *value)
{
	struct text *text = &f->text;
	text_clear(text);
	if (value->state == CONTEXT_LATER)
		text_add(text, "later");
	if (value->state == CONTEXT_NONE)
		text_add(text, "-");
	if (value->state == CONTEXT_UNKNOWN)
		text_add(text, "?");
	context_text(f->session.contexts, f->cursor, context_named(f, name), value, text);
	if (value->state == CONTEXT_KNOWN || value->state == CONTEXT_UNKNOWN)
		text_addf(text, "@%llu%s%s", (unsigned long long)value->since.offset,
			  value->doubtful ? " doubtful" : "", value->recovered ? " recovered" : "");
	return text_get(text);
}

/* Compares what holds at word I; false if that is not known yet. */
static bool
check(struct fixture *f, int which, size_t i)
{
	const struct word *word = &f->words.at[i];
	struct context_value value = value_of(f, told[which], message_at(f, word->offset));
	const char *said = say(f, told[which], &value);
	if (value.state == CONTEXT_LATER)
		return false;
	if (value.earlier) /* since then at the latest */
		assert_true(value.since.offset >=
			    strtoull(strchr(word->said[which], '@') + 1, NULL, 10));
	else if (strcmp(said, word->said[which]) != 0)
		fail_msg("%s at %llu is %s, not %s", told[which], (unsigned long long)word->offset,
			 said, word->said[which]);
	return true;
}

static void
check_in_order(struct fixture *f)
{
	new_cursor(f);
	for (size_t i = 0; i < f->words.count; i++)
		for (int which = 0; which < TOLD; which++)
			assert_true(check(f, which, i));
}

/* The words where cells begin, from the last one on: what holds there was told
 * in cells before. */
static size_t
check_borders(struct fixture *f, int which, size_t words)
{
	size_t cell = index_cell_size(trace_index(f->session.traces.at[0])) / 4, known = 0;
	for (size_t first = (f->words.count - words) / cell * cell;; first -= cell) {
		for (size_t i = 0; i < words; i++)
			known += check(f, which, first + i);
		if (!first)
			return known;
	}
}

static void
check_at_random(struct fixture *f, size_t times)
{
	uint64_t seed = 3;
	new_cursor(f);
	while (times--)
		assert_true(
		    check(f, random_below(&seed, TOLD), random_below(&seed, f->words.count)));
	for (int which = 0; which < TOLD; which++)
		check_borders(f, which, 2);
}

static size_t
count_said(const struct fixture *f, int which, const char *text)
{
	size_t count = 0;
	for (size_t i = 0; i < f->words.count; i++)
		count += strstr(f->words.at[i].said[which], text) != NULL;
	return count;
}

/* Words with lost halves, and the log that tells what they said. */
static void
make_matched(struct fixture *f, const char *count)
{
	char options[128];
	fixture_begin(f);
	snprintf(options, sizeof options, "-f gem -c %s --damage=cut,drop --rate=0.02", count);
	make_capture(f, "a.gem", options);
	snprintf(options, sizeof options, "-f uia -c %s", count);
	make_capture(f, "a.uia", options);
	read_truth(f, "a.gem");
}

static void
open_matched(struct fixture *f)
{
	char profile[1024];
	snprintf(profile, sizeof profile, "%s%s", profile_head, profile_task);
	open_files(f, profile, (const char *const[]){"a.gem", "a.uia", NULL});
	assert_non_null(serial_of(f->session.traces.at[0]));
	build_indexes(f);
}

/* Cells are taken together when there are too many entries. */
static void
check_bounded(struct fixture *f)
{
	assert_true(index_known(trace_index(f->session.traces.at[0])) > 7);
	contexts_limit(f->session.contexts, 5);
	build_contexts(f);
	check_at_random(f, 40);
	check_in_order(f);
}

/* More contexts than the 16 bits of a sequence number can count. */
static void
test_matched(void **state)
{
	struct fixture f;
	(void)state;
	make_matched(&f, "110000");
	open_matched(&f);
	assert_true(count_said(&f, TASK, "?") > 1000 && count_said(&f, USER, "?") == 0);
	for (int i = 0; i < TOLD; i++)
		assert_true(count_said(&f, i, "recovered") > 500 &&
			    count_said(&f, i, "doubtful") > 1000);
	check_in_order(&f); /* before the thread has looked */
	contexts_load(f.session.contexts);
	check_at_random(&f, 40);
	build_contexts(&f);
	check_at_random(&f, 150);
	check_in_order(&f);
	assert_true(contexts_memory(f.session.contexts) < 16384);
	close_files(&f);
	open_matched(&f);
	check_bounded(&f);
	fixture_end(&f);
}

/* Nothing is told about words that were not matched yet. */
static void
test_not_matched_yet(void **state)
{
	struct fixture f;
	(void)state;
	fixture_begin(&f);
	make_capture(&f, "a.gem", "-f gem -c 3000");
	make_capture(&f, "a.uia", "-f uia -c 3000");
	read_truth(&f, "a.gem");
	open_files(&f, profile_head, (const char *const[]){"a.gem", "a.uia", NULL});
	new_cursor(&f);
	assert_false(check(&f, USER, 50));
	build_indexes(&f);
	assert_true(check(&f, USER, 50));
	fixture_end(&f);
}

/* Where neither index nor contexts are known, an answer is right or there is
 * none. */
static void
test_incomplete(void **state)
{
	struct fixture f;
	uint64_t seed = 5;
	size_t answers = 0;
	(void)state;
	fixture_begin(&f);
	make_capture(&f, "a.gem", "-f gem -c 300000 --damage=cut --rate=0.02");
	read_truth(&f, "a.gem");
	open_files(&f, profile_head, (const char *const[]){"a.gem", NULL});
	new_cursor(&f);
	for (int i = 0; i < 100; i++)
		answers += check(&f, USER, random_below(&seed, f.words.count));
	assert_true(answers > 95);
	assert_true(check_borders(&f, USER, 2) > 15);
	for (size_t i = 16384; i + 60 < f.words.count; i += 16384) {
		for (size_t k = 4; k < 60; k += 4) {
			new_cursor(&f); /* sees no more than the beginning of the cell */
			answers += check(&f, USER, i + k);
		}
	}
	build_indexes(&f);
	for (int i = 0; i < 100; i++)
		answers += check(&f, USER, random_below(&seed, f.words.count));
	assert_true(answers > 195);
	build_contexts(&f);
	for (int i = 0; i < 150; i++)
		assert_true(check(&f, USER, random_below(&seed, f.words.count)));
	fixture_end(&f);
}

/* Without a log a word tells that there is another context, not which. */
static void
test_alone(void **state)
{
	static const uint8_t words[] = {0x0b, 0x04, 0x00, 0x8a,	 /* ContextChange, 0x800102.. */
					0x03, 0x15, 0x8d, 0xc4,	 /* ..40 */
					0x4b, 0xbc, 0x37, 0x0b}; /* ContextChange, 0xcdef12 */
	struct fixture f;
	char profile[1024];
	(void)state;
	fixture_begin(&f);
	write_file(&f, "a.gem", words, sizeof words);
	snprintf(profile, sizeof profile, "%s%s", profile_head, profile_task);
	open_files(&f, profile, (const char *const[]){"a.gem", NULL});
	new_cursor(&f);
	for (size_t i = 0; i < 3; i++)
		vec_add(&f.words)->offset = i * 4;
	strcpy(f.words.at[0].said[TASK], "-");
	strcpy(f.words.at[1].said[TASK], "0x80010240@4");
	strcpy(f.words.at[2].said[TASK], "?@8");
	for (size_t i = 0; i < 3; i++)
		assert_true(check(&f, TASK, i));
	fixture_end(&f);
}

/* --- ends and steps ---------------------------------------------------- */

static uint64_t
since_of(const struct word *word, int which)
{
	const char *at = strchr(word->said[which], '@');
	return at ? strtoull(at + 1, NULL, 10) : UINT64_MAX;
}

static bool
begins_at(const struct word *word, int which)
{
	return since_of(word, which) == word->offset;
}

/* The first word from I on, in STEPs, at which something begins. */
static size_t
next_begin(const struct fixture *f, size_t i, int step, int which)
{
	for (; i < f->words.count; i += (size_t)(int64_t)step)
		if ((which != USER && begins_at(&f->words.at[i], TASK)) ||
		    (which != TASK && begins_at(&f->words.at[i], USER)))
			return i;
	return SIZE_MAX;
}

static void
check_end(struct fixture *f, int which, size_t i)
{
	const struct message m = *message_at(f, f->words.at[i].offset);
	struct context_value value = value_of(f, told[which], &m);
	struct context_end end;
	context_end(f->session.contexts, f->cursor, &m, context_named(f, told[which]), &value,
		    &end);
	size_t next = next_begin(f, i + 1, 1, which);
	assert_int_equal(end.state, next == SIZE_MAX ? CONTEXT_NONE : CONTEXT_KNOWN);
	if (next != SIZE_MAX)
		assert_int_equal(end.id.offset, f->words.at[next].offset);
}

static void
check_step(struct fixture *f, size_t i, int step)
{
	const struct message m = *message_at(f, f->words.at[i].offset);
	struct message_id id;
	enum context_state state = context_step(f->session.contexts, f->cursor, &m, step > 0, &id);
	size_t next = next_begin(f, i + (size_t)(int64_t)step, step, TOLD);
	assert_int_equal(state, next == SIZE_MAX ? CONTEXT_NONE : CONTEXT_KNOWN);
	if (next != SIZE_MAX)
		assert_int_equal(id.offset, f->words.at[next].offset);
}

static void
test_ends(void **state)
{
	struct fixture f;
	uint64_t seed = 9;
	(void)state;
	make_matched(&f, "40000");
	open_matched(&f);
	build_contexts(&f);
	new_cursor(&f);
	for (int i = 0; i < 100; i++) {
		size_t word = random_below(&seed, f.words.count);
		check_end(&f, (int)random_below(&seed, TOLD), word);
		check_step(&f, word, 1);
		check_step(&f, word, -1);
	}
	for (size_t i = 16383; i + 1 < f.words.count; i += 16384) { /* the last of a cell */
		check_end(&f, TASK, i);
		check_end(&f, USER, i);
		check_step(&f, i, 1);
		check_step(&f, i + 1, -1);
	}
	check_end(&f, TASK, f.words.count - 1);
	check_step(&f, f.words.count - 1, 1);
	check_step(&f, 0, -1);
	fixture_end(&f);
}

/* --- by hand: logs of events ------------------------------------------- */

static const char log_head[] =
    "traces:\n"
    "  - {match: '*.uia', format: uia, uia: {events: [{id: 0x1101, name: syncPoint},\n"
    "     {id: 0x1201, name: threadCtxChg}, {id: 0x1401, name: load, format: '%u'}]}}\n"
    "contexts:\n";

static void
open_log(struct fixture *f, struct uia_log *log, const char *contexts)
{
	char profile[1024];
	fixture_begin(f);
	snprintf(profile, sizeof profile, "%s%s", log_head, contexts);
	write_file(f, "a.uia", log->bytes.at, log->bytes.count);
	write_file(f, "b.uia", log->bytes.at, log->bytes.count);
	open_files(f, profile, (const char *const[]){"a.uia", "b.uia", NULL});
	new_cursor(f);
}

static const char *
said_at(struct fixture *f, const char *name, uint64_t offset)
{
	struct context_value value = value_of(f, name, message_at(f, offset));
	return say(f, name, &value);
}

/* What one core does is nothing to another. */
static void
test_origins(void **state)
{
	struct fixture f;
	struct uia_log log = {0};
	uint64_t at[4];
	(void)state;
	uia_packet_begin(&log, 10, 0, 1, 0);
	at[0] = uia_context_add(&log, 1, 100, 0, 17);
	uia_packet_end(&log);
	uia_packet_begin(&log, 10, 1, 1, 1);
	at[1] = uia_sync_add(&log, 1, 110, 5);
	at[2] = uia_context_add(&log, 5, 120, 0, 18); /* three are missing */
	uia_packet_end(&log);
	uia_packet_begin(&log, 10, 0, 1, 2);
	at[3] = uia_sync_add(&log, 2, 130, 6);
	uia_packet_end(&log);
	open_log(&f, &log,
		 "  - {name: thread, from: {format: uia}, field: new}\n"
		 "  - {name: any, from: {format: uia}, field: new, per: trace}\n");
	char first[32], second[32], late[48];
	snprintf(first, sizeof first, "17@%u", (unsigned)at[0]);
	snprintf(second, sizeof second, "18@%u", (unsigned)at[2]);
	snprintf(late, sizeof late, "%s doubtful", first);
	assert_string_equal(said_at(&f, "thread", at[0]), first);
	assert_string_equal(said_at(&f, "thread", at[1]), "-");
	assert_string_equal(said_at(&f, "thread", at[2]), second);
	assert_string_equal(said_at(&f, "thread", at[3]), first);
	assert_string_equal(said_at(&f, "any", at[1]), first);
	assert_string_equal(said_at(&f, "any", at[3]), second);
	fixture_end(&f);

	/* bytes that are nobody's may have been anybody's */
	for (int i = 0; i < 40; i++)
		*vec_add(&log.bytes) = (uint8_t)(0x30 + i);
	uia_packet_begin(&log, 10, 0, 1, 3);
	uint64_t last = uia_sync_add(&log, 3, 140, 7);
	uia_packet_end(&log);
	open_log(&f, &log, "  - {name: thread, from: {format: uia}, field: new}\n");
	assert_string_equal(said_at(&f, "thread", at[3]), first);
	assert_string_equal(said_at(&f, "thread", last), late);
	vec_free(&log.bytes);
	fixture_end(&f);
}

static void
test_values(void **state)
{
	struct fixture f;
	struct uia_log log = {0};
	uint64_t at[3];
	(void)state;
	uia_packet_begin(&log, 10, 0, 1, 0);
	at[0] = uia_context_add(&log, 1, 100, 0, 17);
	at[1] = uia_event_add(&log, 2, 0x1401, 110, (const uint32_t[]){9, 250}, 2);
	at[2] = uia_context_add(&log, 3, 120, 17, 40);
	uia_packet_end(&log);
	open_log(&f, &log,
		 "  - name: thread\n"
		 "    from: {format: uia, event_id: 0x1201}\n"
		 "    field: new\n"
		 "    values: [{value: 17, name: idle}]\n"
		 "    ranges: [{from: 32, to: 47, name: worker}]\n"
		 "  - {name: load, from: {name: load}, field: 'args[1]'}\n"
		 "  - {name: event, from: {type: event}, field: name, "
		 "values: [{value: load, name: busy}]}\n"
		 "  - {name: never, from: {event_id: 77}, field: seq}\n");
	struct context_value value = value_of(&f, "thread", message_at(&f, at[1]));
	assert_string_equal(value.name, "idle");
	assert_int_equal(value.number, 17);
	assert_true(value.is_number && value.timed);
	assert_int_equal(value.ticks, 100);
	assert_string_equal(value_of(&f, "thread", message_at(&f, at[2])).name, "worker");
	assert_int_equal(value_of(&f, "load", message_at(&f, at[2])).number, 250);
	assert_null(value_of(&f, "load", message_at(&f, at[2])).name);
	value = value_of(&f, "event", message_at(&f, at[0]));
	assert_false(value.is_number);
	assert_null(value.name);
	text_clear(&f.text);
	context_text(f.session.contexts, f.cursor, context_named(&f, "event"), &value, &f.text);
	assert_string_equal(text_get(&f.text), "threadCtxChg");
	assert_string_equal(value_of(&f, "event", message_at(&f, at[1])).name, "busy");
	assert_int_equal(value_of(&f, "never", message_at(&f, at[2])).state, CONTEXT_NONE);
	vec_free(&log.bytes);
	fixture_end(&f);
}

/* The second message of the other trace is that of the first one here. */
static bool
relate(void *context, const struct trace *from, const struct message *m, struct reader *reader,
       struct context_position *position)
{
	(void)context;
	(void)from;
	bool found = reader_find_offset(reader, m->offset, &position->at);
	position->least = position->most = position->at;
	position->open = false;
	return found;
}

static void
test_other_traces(void **state)
{
	struct fixture f;
	struct uia_log log = {0};
	struct context_value value;
	(void)state;
	uia_packet_begin(&log, 10, 3, 1, 0);
	uint64_t set = uia_context_add(&log, 1, 100, 0, 17);
	uint64_t after = uia_sync_add(&log, 2, 110, 1);
	uia_packet_end(&log);
	open_log(&f, &log,
		 "  - {name: all, from: {trace: b.uia}, field: new, applies_to: [a.uia]}\n"
		 "  - {name: one, from: {trace: b.uia}, field: new, "
		 "applies_to: ['a.uia:core 3 logger 1']}\n"
		 "  - {name: other, from: {trace: b.uia}, field: new, "
		 "applies_to: ['a.uia:core 4 logger 1', b.uia]}\n");
	const struct message m = *message_at(&f, after);
	assert_true(context_value(f.session.contexts, f.cursor, &m, 0, &value));
	assert_int_equal(value.state, CONTEXT_LATER); /* no clock tells */
	contexts_relate(f.session.contexts, relate, NULL);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(context_value(f.session.contexts, f.cursor, &m, i, &value));
		assert_int_equal(value.number, 17);
		assert_int_equal(value.since.offset, set);
		assert_ptr_equal(value.trace, f.session.traces.at[1]);
	}
	assert_false(context_value(f.session.contexts, f.cursor, &m, 2, &value));
	vec_free(&log.bytes);
	fixture_end(&f);
}

/* Where a message of one trace is in another, by offsets there. */
struct range {
	uint64_t least, at, most;
};

static bool
relate_range(void *context, const struct trace *from, const struct message *m,
	     struct reader *reader, struct context_position *position)
{
	const struct range *range = context;
	(void)from;
	(void)m;
	position->open = false;
	return reader_find_offset(reader, range->least, &position->least) &&
	       reader_find_offset(reader, range->at, &position->at) &&
	       reader_find_offset(reader, range->most, &position->most);
}

enum { EVENTS = 12000 };

/* Some events that say who runs next, seldom another, and others; *AT are their offsets, *RUNS
 * who runs at them. */
static void
add_turns(struct uia_log *log, uint64_t *seed, uint64_t *at, unsigned *runs)
{
	unsigned now = 17;
	for (unsigned i = 0; i < EVENTS; i++) {
		unsigned next = random_below(seed, 1500) ? now : 17 + 40 - now;
		if (i % 50 == 0)
			uia_packet_begin(log, 10, 0, 1, (uint16_t)(i / 50));
		at[i] = i && next == now && i % 3
			    ? uia_sync_add(log, (uint16_t)(i + 1), 100 + i, i)
			    : uia_context_add(log, (uint16_t)(i + 1), 100 + i, now, next);
		runs[i] = now = next;
		if (i % 50 == 49)
			uia_packet_end(log);
	}
}

/* A value is doubtful if another held anywhere where the message may be, in a cell or in
 * several, whether contexts are known of all cells before or are found as they are asked for. */
static void
test_uncertain(void **state)
{
	struct fixture f;
	struct uia_log log = {0};
	uint64_t seed = 21, at[EVENTS];
	unsigned runs[EVENTS], doubtful = 0, sure = 0;
	(void)state;
	add_turns(&log, &seed, at, runs);
	for (int way = 0; way < 2; way++) {
		struct range range;
		open_log(&f, &log,
			 "  - {name: all, from: {trace: b.uia}, field: new, "
			 "applies_to: [a.uia]}\n");
		build_indexes(&f);
		if (way)
			contexts_load(f.session.contexts);
		else
			build_contexts(&f);
		new_cursor(&f);
		contexts_relate(f.session.contexts, relate_range, &range);
		const struct message m = *message_at(&f, at[1]);
		for (int i = 0; i < 3000; i++) {
			unsigned first = (unsigned)random_below(&seed, EVENTS), now = first;
			unsigned span = 1 + (unsigned)random_below(&seed, i % 4 ? 300 : EVENTS);
			unsigned last = first + span < EVENTS ? first + span : EVENTS - 1;
			bool other = false;
			now += (unsigned)random_below(&seed, last - first + 1);
			for (unsigned k = first; k <= last; k++)
				other |= runs[k] != runs[now];
			range = (struct range){at[first], at[now], at[last]};
			struct context_value value;
			assert_true(context_value(f.session.contexts, f.cursor, &m, 0, &value));
			assert_int_equal(value.state, CONTEXT_KNOWN);
			assert_int_equal(value.number, runs[now]);
			assert_int_equal(value.doubtful, other);
			doubtful += other;
			sure += !other;
		}
		fixture_end(&f);
	}
	assert_true(doubtful > 500 && sure > 500);
	vec_free(&log.bytes);
}

/* --- profiles ---------------------------------------------------------- */

static void
test_errors(void **state)
{
	static const struct {
		const char *profile, *error;
	} wrong[] = {
	    {"contexts:\n  - {name: a, from: {ctx_nam: User}, field: data}\n",
	     ":2:22: unknown key ctx_nam in contexts[0].from; did you mean ctx_name?"},
	    {"contexts:\n  - {name: a, field: dta}\n",
	     ":2:22: contexts[0].field is \"dta\"; expected a field, or LIST[N], see trawl "
	     "--list-fields; did you mean data?"},
	    {"contexts:\n  - {name: a, field: 'args[x]'}\n",
	     ":2:22: contexts[0].field is \"args[x]\"; expected a field, or LIST[N], see trawl "
	     "--list-fields; did you mean args?"},
	    {"contexts:\n  - {name: a, from: {format: gme}, field: data}\n",
	     ":2:30: contexts[0].from.format is \"gme\"; expected a format, see trawl "
	     "--list-formats; did you mean gem?"},
	    {"contexts:\n  - {name: a, field: data, per: core}\n",
	     ":2:33: contexts[0].per is \"core\"; expected one of origin trace"},
	    {"contexts:\n  - {name: a, field: data, ranges: [{from: 1, to: x, name: b}]}\n",
	     ":2:51: contexts[0].ranges[0].to is \"x\"; expected a number, decimal or 0x "
	     "hexadecimal"},
	    {"contexts:\n  - {field: data}\n",
	     ":2:5: contexts[0] has no name; expected name: what to call it; entries with the same "
	     "name are one context"},
	};
	struct fixture f;
	(void)state;
	fixture_begin(&f);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct profile profile;
		struct err err = {0};
		char path[64];
		write_file(&f, "p.yaml", wrong[i].profile, strlen(wrong[i].profile));
		path_of(&f, "p.yaml", path);
		assert_int_equal(profile_load(path, &profile, &err), ERR_CONFIG);
		assert_string_equal(err.what + strlen(path), wrong[i].error);
	}
	fixture_end(&f);
}

/* A definition that fits no trace is said; without any there are standard ones. */
static void
test_definitions(void **state)
{
	struct fixture f;
	struct uia_log log = {0};
	(void)state;
	uia_packet_begin(&log, 10, 0, 1, 0);
	uia_context_add(&log, 1, 100, 0, 17);
	uia_packet_end(&log);
	open_log(&f, &log, "  - {name: task, from: {format: gem}, field: data}\n");
	assert_true(contexts_defined(f.session.contexts));
	assert_string_equal(contexts_complaint(f.session.contexts),
			    "context task: no trace has such messages with that field");
	fixture_end(&f);
	open_log(&f, &log, "  []\n");
	assert_false(contexts_defined(f.session.contexts));
	assert_null(contexts_complaint(f.session.contexts));
	assert_int_equal(contexts_count(f.session.contexts), 1);
	assert_string_equal(contexts_name(f.session.contexts, 0), "thread");
	vec_free(&log.bytes);
	fixture_end(&f);
}

/* --- in filters -------------------------------------------------------- */

static const char profile_names[] = ",\n     ranges: [{from: 0, to: 0x87ffffff, name: low}]}\n";

/* What the truth says of a word, in C. */
static bool
is_known(const char *said)
{
	return said[0] == '0';
}

static bool
is_low(const char *said)
{
	return is_known(said) && strtoull(said, NULL, 16) < 0x88000000;
}

static bool
is_no_8d(const char *said)
{
	return is_known(said) && strncmp(said, "0x8d", 4) != 0;
}

static bool
is_between(const char *said)
{
	unsigned long long value = strtoull(said, NULL, 16);
	return is_known(said) && value >= 0x82000000 && value <= 0x8e000000;
}

static const struct question {
	const char *text;
	int which;
	bool (*holds)(const char *said);
} questions[] = {
    {"context.user", USER, is_known},
    {"context.task < 0x88000000", TASK, is_low},
    {"context.user = low", USER, is_low},
    {"context.user ~ /^lo/", USER, is_low},
    {"context.task and context.task !~ /^0x8d/", TASK, is_no_8d},
    {"context.user in {nobody, 0x82000000..0x8e000000}", USER, is_between},
};

static struct filter
filter_of(struct fixture *f, const char *text)
{
	struct filter filter = filter_all();
	struct filter_error error;
	filter.expr = filter_parse(text, &f->session, &error);
	if (!filter.expr)
		fail_msg("%s: %s", text, error.what);
	return filter;
}

/* Asks of all words; how many are wanted. */
static unsigned
ask(struct fixture *f, const struct question *question)
{
	struct filter filter = filter_of(f, question->text);
	struct expansion scratch = {0};
	unsigned matches = 0;
	for (size_t i = 0; i < f->words.count; i++) {
		const struct word *word = &f->words.at[i];
		struct message m = *message_at(f, word->offset);
		bool wanted = question->holds(word->said[question->which]);
		matches += wanted;
		if (filter_match(&filter, f->reader, &m, &scratch) != wanted)
			fail_msg("%s: %llu, %s", question->text, (unsigned long long)word->offset,
				 word->said[question->which]);
	}
	expansion_free(&scratch);
	filter_free(&filter);
	return matches;
}

/* How many messages a filter wants, damaged ones too. */
static uint64_t
count_all(struct fixture *f, const struct filter *filter)
{
	struct trace *trace = f->session.traces.at[0];
	struct reader *reader = reader_new(trace), *other = reader_new(trace);
	struct expansion scratch = {0};
	struct message batch[64];
	uint64_t matches = 0;
	size_t count;
	while ((count = reader_walk(reader, batch, 64)) > 0)
		for (size_t i = 0; i < count; i++)
			matches += filter_match(filter, other, &batch[i], &scratch);
	expansion_free(&scratch);
	reader_free(reader);
	reader_free(other);
	return matches;
}

/* What a match set that was made before the contexts were known says at last. */
static uint64_t
count_late(struct fixture *f, const char *text)
{
	struct filter filter = filter_of(f, text);
	struct matches *matches = matches_new(f->session.traces.at[0], &filter, NULL, 0);
	struct matches_progress progress;
	struct timespec pause = {.tv_nsec = 1000000};
	contexts_start(f->session.contexts);
	for (int tries = 0; tries == 0 || progress.working; tries++) {
		assert_true(tries < 20000);
		nanosleep(&pause, NULL);
		matches_update(matches);
		matches_get_progress(matches, &progress);
	}
	assert_true(progress.exact);
	matches_free(matches);
	filter_free(&filter);
	return progress.count;
}

static void
test_filters(void **state)
{
	char profile[1024];
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct fixture f;
		fixture_begin(&f);
		make_capture(&f, "a.gem", "-f gem -c 60000 --damage=cut,drop --rate=0.02");
		make_capture(&f, "a.uia", "-f uia -c 60000");
		read_truth(&f, "a.gem");
		/* the last context of the head gets names */
		size_t length = (size_t)(strrchr(profile_head, '}') - profile_head);
		snprintf(profile, sizeof profile, "%.*s%s%s", (int)length, profile_head,
			 profile_names, profile_task);
		open_files(&f, profile, (const char *const[]){"a.gem", "a.uia", NULL});
		build_indexes(&f);
		uint64_t counted = late ? count_late(&f, "context.user = low") : 0;
		contexts_load(f.session.contexts);
		for (size_t i = 0; i < sizeof questions / sizeof *questions && !late; i++) {
			unsigned matches = ask(&f, &questions[i]);
			assert_true(matches > 1000 && matches < f.words.count);
		}
		if (late) {
			struct filter filter = filter_of(&f, "context.user = low");
			assert_int_equal(counted, count_all(&f, &filter));
			assert_true(counted > 1000);
			filter_free(&filter);
		}
		fixture_end(&f);
	}
}

static void
test_filter_errors(void **state)
{
	static const struct {
		const char *text, *what;
		size_t at;
	} wrong[] = {
	    {"context.usr = 1", "no context is named usr; did you mean user?", 0},
	    {"context.user > low", "low is not a number", 15},
	    {"context.user in 5..3", "ends before it starts", 19},
	};
	struct fixture f;
	(void)state;
	fixture_begin(&f);
	make_capture(&f, "a.gem", "-f gem -c 10");
	open_files(&f, profile_head, (const char *const[]){"a.gem", NULL});
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct filter_error error;
		assert_null(filter_parse(wrong[i].text, &f.session, &error));
		assert_non_null(strstr(error.what, wrong[i].what));
		assert_int_equal(error.at, wrong[i].at);
	}
	fixture_end(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_filters),	cmocka_unit_test(test_filter_errors),
	    cmocka_unit_test(test_matched),	cmocka_unit_test(test_not_matched_yet),
	    cmocka_unit_test(test_incomplete),	cmocka_unit_test(test_alone),
	    cmocka_unit_test(test_ends),	cmocka_unit_test(test_origins),
	    cmocka_unit_test(test_values),	cmocka_unit_test(test_other_traces),
	    cmocka_unit_test(test_uncertain),	cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_definitions),
	};
	return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
