/*
 * An endless stream of which the newest bytes are kept: after each piece that comes, and
 * for limits of all sizes, what stays is what the whole capture has there, with the same
 * offsets and numbers, behind one message of what is lost; all counts are those of the
 * messages that stay; and the disk has no more than the limit.
 *
 * Cells are small here, so that much is dropped of little.
 */
#include "config.h"

#include "test.h"

#include "base/thread.h"
#include "base/vec.h"
#include "capture/spool.h"
#include "capture/unpack.h"
#include "query/matches.h"
#include "random.h"
#include "same_index.h"
#include "session/clock/clocks.h"
#include "session/sequence.h"
#include "session/session.h"
#include "temp_file.h"
#include "trace/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SHIFT = 10, /* cells of 1 KiB, dropped by 256 */
	SIZE = 3 << 20,
	LIMIT_LEAST = 1280 << 10,
	SLACK = 192 << 10, /* bytes of disk beside the limit: the spool's pages */
	PATIENCE_MS = 20000
};

static const struct {
	const char *format, *arguments; /* of mkcapture */
	bool looks_back;		/* what texts need may have been dropped */
} formats[] = {
    {"syst/raw", "-f syst/raw -m len32 -n 3M"},
    {"syst/raw", "-f syst/raw -m all -n 3M"},
    {"syst/hex", "-f syst/hex -m all -n 3M"},
    {"syst/stp", "-f syst/stp -m all -n 3M"},
    {"stp", "-f syst/stp -m len32 --senders=9 -n 3M"},
    {"encap", "-f encap -m all -n 3M", .looks_back = true},
    {"gem", "-f gem -m all -n 3M"},
    {"uia", "-f uia -m all -n 3M"},
    {"csel", "-f csel -m all -n 3M"},
    {"text", "-f syst/hex -m all -n 3M"},
};

struct stream {
	char pipe[TEMP_PATH], file[TEMP_PATH];
	const char *name; /* of what goes wrong */
	bool looks_back;  /* see above */
	int end;	  /* that is written to */
	uint8_t *bytes;
	size_t length, sent;
	struct session session, whole; /* of the pipe, and of all bytes in a file */
	struct trace *trace, *all;
	struct reader *reader, *oracle;
};

static struct trace *
open_trace(struct session *session, const char *path, const char *format, uint64_t limit)
{
	struct err err = {0};
	option_defaults(profile_options_table(), &session->profile);
	session->host.cell_shift = SHIFT;
	session->host.spool_limit = limit;
	session->host.threads = 1;
	struct trace *trace = session_open(session, path, format, NULL, 0, &err);
	if (!trace)
		fail_msg("%s", err.what);
	return trace;
}

/* Sends as much of COUNT bytes as the pipe takes. */
static void
send_some(struct stream *s, size_t count)
{
	size_t left = s->length - s->sent;
	ssize_t n = write(s->end, s->bytes + s->sent, count < left ? count : left);
	s->sent += n > 0 ? (size_t)n : 0;
}

static void
open_stream(struct stream *s, size_t i, uint64_t limit)
{
	temp_make(s->pipe, "", "", 0);
	unlink(s->pipe);
	assert_int_equal(mkfifo(s->pipe, 0600), 0);
	s->end = open(s->pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_true(s->end >= 0);
	send_some(s, 65536);
	s->trace = open_trace(&s->session, s->pipe, formats[i].format, limit);
	s->all = open_trace(&s->whole, s->file, formats[i].format, 0);
	index_build(trace_index(s->all));
	s->reader = reader_new(s->trace);
	s->oracle = reader_new(s->all);
}

static void
close_stream(struct stream *s)
{
	reader_free(s->reader);
	reader_free(s->oracle);
	session_close(&s->session);
	session_close(&s->whole);
	if (s->end >= 0)
		close(s->end);
	unlink(s->pipe);
}

/* Does what the owner of a session does, until all that was sent is there; or ended. */
static void
take_all(struct stream *s, bool end)
{
	int64_t until = thread_now_ms() + PATIENCE_MS;
	struct capture *capture = trace_capture(s->trace);
	do {
		trace_refresh(s->trace);
		index_build(trace_index(s->trace));
		if (thread_now_ms() > until)
			fail_msg("%s: the stream stands still at %zu of %zu", s->name,
				 (size_t)capture_size(capture), s->sent);
	} while (end ? !capture_ended(capture) : capture_size(capture) < s->sent);
	trace_refresh(s->trace);
	index_build(trace_index(s->trace));
}

/* --- what must hold ------------------------------------------------------ */

static uint64_t
kept_offset(const struct stream *s)
{
	return index_begin(trace_index(s->trace)) << SHIFT;
}

/* What stands in front. */
static uint64_t
check_loss(struct stream *s, uint64_t severities[SEVERITY_COUNT])
{
	struct position p;
	struct expansion e = {0};
	bool exact;
	uint64_t begin = index_begin(trace_index(s->trace));
	const struct decoded_cell *first = reader_decoded_cell(s->oracle, begin);
	if (!begin || !first->first)
		return 0;
	assert_true(reader_first(s->reader, &p));
	struct message lost = *reader_message(s->reader, p);
	reader_expand(s->reader, &lost, EXPAND_TEXT, &e);
	struct text want = {0};
	text_add_size(&want, begin << SHIFT);
	text_add(&want, " dropped");
	if (lost.flags != MESSAGE_LOST || lost.kind != DECODE_KIND_LOSS ||
	    lost.offset >= begin << SHIFT || strncmp(text_get(&e.text), want.data, want.length))
		fail_msg("%s: in front stands `%s`, not `%s`", s->name, text_get(&e.text),
			 want.data);
	assert_int_equal(reader_number(s->reader, p, &exact), first->first - 1);
	assert_true(exact);
	assert_false(reader_previous(s->reader, &p, 0));
	severities[SEVERITY_ERROR]++;
	text_free(&want);
	expansion_free(&e);
	return 1;
}

/* The text of a message is that in the whole capture, or it says why not. */
static void
check_text(struct stream *s, const struct message *m)
{
	struct expansion own = {0}, want = {0};
	reader_expand(s->reader, m, EXPAND_TEXT, &own);
	reader_expand(s->oracle, m, EXPAND_TEXT, &want);
	if (m->offset < capture_begin(trace_capture(s->trace)))
		assert_string_equal(text_get(&own.text), "[its first bytes were dropped]");
	else if (!s->looks_back && strcmp(text_get(&own.text), text_get(&want.text)))
		fail_msg("%s: %zu is `%s`, not `%s`", s->name, (size_t)m->offset,
			 text_get(&own.text), text_get(&want.text));
	expansion_free(&own);
	expansion_free(&want);
}

/* The messages of a cell that is known, which are those of the whole capture. */
static uint64_t
check_cell(struct stream *s, uint64_t cell, bool text, uint64_t severities[SEVERITY_COUNT])
{
	const struct decoded_cell *own = reader_decoded_cell(s->reader, cell);
	const struct decoded_cell *want = reader_decoded_cell(s->oracle, cell);
	if (!own->exact || own->count != want->count || own->first != want->first)
		fail_msg("%s: cell %zu has %zu messages from %zu on, not %zu from %zu", s->name,
			 (size_t)cell, own->count, (size_t)own->first, want->count,
			 (size_t)want->first);
	for (size_t i = 0; i < own->count; i++) {
		if (!message_is_same(&own->messages[i], &want->messages[i]) ||
		    own->messages[i].flags != want->messages[i].flags)
			fail_msg("%s: another message at %zu", s->name,
				 (size_t)own->messages[i].offset);
		severities[own->messages[i].severity]++;
		if (text && i % 8 == 0) {
			struct message copy = own->messages[i];
			check_text(s, &copy);
			own = reader_keep(s->reader, own, cell);
			want = reader_keep(s->oracle, want, cell);
		}
	}
	return own->count;
}

/* The sums of the index, of its origins and of a match set are those of COUNT messages. */
static void
check_sums(struct stream *s, uint64_t count, const uint64_t want[SEVERITY_COUNT])
{
	struct index *index = trace_index(s->trace);
	struct index_progress progress;
	index_origins origins = {0};
	uint64_t by_origin = 0;
	index_get_progress(index, &progress);
	assert_memory_equal(progress.severities, want, sizeof progress.severities);
	index_get_origins(index, &origins);
	for (size_t i = 0; i < origins.count; i++) {
		struct message example;
		if (origins.at[i].key != UINT64_MAX &&
		    !reader_find_origin(s->reader, &origins.at[i], &example))
			fail_msg("%s: an origin has no message", s->name);
		for (unsigned v = 0; v < SEVERITY_COUNT; v++)
			by_origin += origins.at[i].severities[v];
	}
	assert_int_equal(by_origin, count);
	vec_free(&origins);
}

static void
check_disk(const struct stream *s, uint64_t limit)
{
	struct stat st;
	assert_int_equal(fstat(spool_file(capture_spool(trace_capture(s->trace))), &st), 0);
	if ((uint64_t)st.st_blocks * 512 > limit + SLACK)
		fail_msg("%s: %zu bytes of disk for a limit of %zu", s->name,
			 (size_t)st.st_blocks * 512, (size_t)limit);
}

/* What is before the beginning is nowhere; jumps go to the first message. */
static void
check_dropped(struct stream *s, uint64_t *seed)
{
	struct position p, first;
	bool exact;
	uint64_t begin = kept_offset(s);
	if (!begin || !reader_first(s->reader, &first))
		return;
	uint64_t offset = random_below(seed, (uint32_t)begin);
	struct message_id id = {.offset = offset};
	assert_true(reader_find_id(s->reader, id, &p));
	assert_int_equal(p.cell, first.cell);
	assert_int_equal(p.at, first.at);
	uint64_t number = reader_number(s->reader, first, &exact);
	if (number) {
		assert_true(reader_find_number(s->reader, random_below(seed, (uint32_t)number), &p,
					       &exact));
		assert_int_equal(p.cell, first.cell);
	}
	assert_true(reader_find_number(s->reader, number, &p, &exact));
	assert_true(exact);
	assert_int_equal(p.cell, first.cell);
	assert_int_equal(
	    reader_decoded_cell(s->reader, random_below(seed, (uint32_t)first.cell))->count, 0);
}

static void
check_all(struct stream *s, uint64_t limit, uint64_t *seed)
{
	struct index *index = trace_index(s->trace);
	uint64_t severities[SEVERITY_COUNT] = {0}, known = index_known(index);
	uint64_t count = check_loss(s, severities);
	uint64_t marked = index_begin(index) + random_below(seed, 64);
	for (uint64_t cell = index_begin(index); cell < known; cell++)
		count += check_cell(s, cell, cell < index_begin(index) + 2 || cell == marked,
				    severities);
	check_sums(s, count, severities);
	check_dropped(s, seed);
	check_disk(s, limit);
}

/* A walk from the start gives the same, for batch output and exports. */
static void
check_walk(struct stream *s)
{
	struct message batch[64], last = {0};
	uint64_t count = 0, begin = kept_offset(s);
	size_t n;
	bool exact;
	struct position p;
	struct reader *reader = reader_new(s->trace);
	while ((n = reader_walk(reader, batch, 64))) {
		if (!count && begin)
			assert_int_equal(batch[0].kind, DECODE_KIND_LOSS);
		last = batch[n - 1];
		count += n;
	}
	assert_true(reader_first(reader, &p));
	assert_int_equal(reader_number(reader, p, &exact) + count, reader_count(reader, &exact));
	assert_true(reader_last(reader, &p));
	assert_true(message_is_same(reader_message(reader, p), &last));
	reader_free(reader);
}

/* An index that is made now, as when the format is changed, begins with what is kept: behind
 * a resync point it finds what the other one does. */
static void
check_anew(struct stream *s)
{
	enum { BEHIND = 24 /* cells, until that is for sure */ };
	const struct index_options options = {.threads = 1, .cell_shift = SHIFT};
	struct capture *capture = trace_capture(s->trace);
	struct index *index = index_new(capture, trace_decoder(s->trace), &options);
	struct index_cell own, was;
	struct message lost;
	uint64_t first;
	index_build(index);
	uint64_t begin = index_begin(index), known = index_known(index);
	struct decode_state *state = decode_state_new(trace_decoder(s->trace));
	assert_true(begin << SHIFT >= capture_begin(capture));
	assert_true(index_dropped(index, &lost));
	assert_int_equal(lost.offset, (begin << SHIFT) - 1);
	assert_true(index_restore(index, begin, state, &first));
	assert_int_equal(first, 1);
	assert_int_equal(known, index_known(trace_index(s->trace)));
	for (uint64_t cell = begin + BEHIND; cell < known; cell++) {
		assert_true(index_cell(index, cell, &own));
		assert_true(index_cell(trace_index(s->trace), cell, &was));
		if (own.count != was.count || own.kinds != was.kinds)
			fail_msg("%s: cell %zu has %u messages anew, not %u", s->name, (size_t)cell,
				 own.count, was.count);
	}
	decode_state_free(trace_decoder(s->trace), state);
	index_free(index);
}

/* --- runs ---------------------------------------------------------------- */

static void
run(size_t i, struct stream *s, uint64_t *seed)
{
	uint64_t limit = LIMIT_LEAST + random_below(seed, SIZE / 4);
	open_stream(s, i, limit);
	while (s->sent < s->length) {
		size_t piece = 1 + random_below(seed, 1 << 20);
		for (size_t end = s->sent + piece; s->sent < end && s->sent < s->length;) {
			send_some(s, end - s->sent);
			take_all(s, false);
		}
		check_all(s, limit, seed);
	}
	close(s->end);
	s->end = -1;
	take_all(s, true);
	check_all(s, limit, seed);
	check_walk(s);
	check_anew(s);
	assert_true(trace_dropped(s->trace) > 0);
	close_stream(s);
}

/* What mkcapture makes of format I, in the file PATH; caller frees. */
static uint8_t *
read_made(size_t i, const char *path, size_t *length)
{
	struct text command = {0};
	text_addf(&command, "tests/mkcapture %s -o %s", formats[i].arguments, path);
	if (system(text_get(&command)) != 0)
		fail_msg("%s", text_get(&command));
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	uint8_t *bytes = mem_new(2 * SIZE);
	*length = fread(bytes, 1, 2 * SIZE, file);
	fclose(file);
	text_free(&command);
	return bytes;
}

static void
test_newest_bytes(void **state)
{
	(void)state;
	uint64_t seed = 1;
	char path[TEMP_PATH];
	temp_make(path, "", "", 0);
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		size_t length;
		uint8_t *bytes = read_made(i, path, &length);
		for (unsigned j = 0; j < test_runs(1); j++) {
			struct stream s = {.name = formats[i].arguments,
					   .looks_back = formats[i].looks_back,
					   .bytes = bytes,
					   .length = length};
			memcpy(s.file, path, sizeof path);
			run(i, &s, &seed);
		}
		vec_release(bytes);
	}
	unlink(path);
}

/* --- several traces ------------------------------------------------------ */

/* Lines with a time each, 2 ms apart, from FIRST on. */
static void
add_lines(struct text *out, unsigned first, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned ms = 2 * i + first;
		text_addf(out, "2026-11-22T%02u:%02u:%02u.%03uZ line %u\n", ms / 3600000,
			  ms / 60000 % 60, ms / 1000 % 60, ms % 1000, ms);
	}
}

/* All that is there in one order: the numbers follow each other, and lead to their
 * messages; times do not step back. */
static uint64_t
check_order(struct sequence *sequence, uint64_t *seed, bool exact)
{
	struct sequence_position p, q, found[32];
	uint64_t numbers[32], count = 0, first;
	bool sure;
	size_t kept = 0;
	int64_t time = INT64_MIN;
	assert_true(sequence_first(sequence, &p));
	q = p;
	assert_false(sequence_previous(sequence, &q));
	first = sequence_number(sequence, p, &sure);
	do {
		struct sequence_key key = sequence_key(sequence, p);
		assert_true(key.time >= time);
		time = key.time;
		uint64_t number = sequence_number(sequence, p, &sure);
		assert_true(!exact || sure);
		if (sure)
			assert_int_equal(number, first + count);
		if (kept < 32 && !random_below(seed, 500)) {
			numbers[kept] = first + count;
			found[kept++] = p;
		}
		count++;
		q = p;
	} while (sequence_next(sequence, &p));
	assert_true(sequence_last(sequence, &p));
	assert_true(sequence_position_is_same(p, q));
	if (exact)
		assert_int_equal(sequence_count(sequence, &sure), first + count);
	for (size_t i = 0; i < kept && exact; i++) {
		struct sequence_wish wish = {.by = SEQUENCE_BY_NUMBER, .value = numbers[i]};
		assert_true(sequence_find(sequence, &wish, &p));
		assert_true(sequence_position_is_same(p, found[i]));
	}
	if (first) {
		struct sequence_wish wish = {.by = SEQUENCE_BY_NUMBER,
					     .value = random_below(seed, (uint32_t)first)};
		assert_true(sequence_find(sequence, &wish, &p));
	}
	for (uint64_t left = count; --left;)
		assert_true(sequence_previous(sequence, &q));
	assert_false(sequence_previous(sequence, &q));
	return count;
}

/* A stream beside a file whose lines stand between its own. */
static void
test_merged(void **state)
{
	(void)state;
	struct text stream = {0}, file = {0};
	struct stream s = {.name = "merged"};
	uint64_t seed = 1;
	struct err err = {0};
	add_lines(&stream, 0, 80000);
	add_lines(&file, 40001, 20000);
	s.bytes = (uint8_t *)stream.data;
	s.length = stream.length;
	temp_make(s.file, "", file.data, file.length);
	temp_make(s.pipe, "", "", 0);
	unlink(s.pipe);
	assert_int_equal(mkfifo(s.pipe, 0600), 0);
	s.end = open(s.pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_true(s.end >= 0);
	send_some(&s, 65536);
	s.trace = open_trace(&s.session, s.pipe, NULL, LIMIT_LEAST);
	s.all = session_open(&s.session, s.file, NULL, NULL, 0, &err);
	assert_non_null(s.all);
	session_link(&s.session);
	index_build(trace_index(s.all));
	struct sequence *kept = sequence_new(&s.session);
	while (s.sent < s.length) {
		for (size_t end = s.sent + (700 << 10); s.sent < end && s.sent < s.length;) {
			send_some(&s, end - s.sent);
			take_all(&s, false);
		}
		if (s.sent == s.length) {
			close(s.end);
			take_all(&s, true);
		}
		clocks_load(s.session.clocks, false);
		sequence_load(kept);
		check_order(kept, &seed, s.sent == s.length);
		struct sequence *fresh = sequence_new(&s.session);
		sequence_load(fresh);
		check_order(fresh, &seed, s.sent == s.length);
		sequence_free(fresh);
	}
	assert_true(trace_dropped(s.trace) > 0);
	assert_int_equal(sequence_strand_count(kept), 2);
	sequence_free(kept);
	session_close(&s.session);
	unlink(s.pipe);
	unlink(s.file);
	text_free(&stream);
	text_free(&file);
}

static uint64_t
count_all(struct reader *reader)
{
	struct position p;
	uint64_t count = 0;
	assert_true(reader_first(reader, &p));
	do
		count++;
	while (reader_next(reader, &p, 0));
	return count;
}

/* A stream whose senders have clocks of their own, in order of time: each is a strand, and
 * what goes is taken from several of them. */
static void
test_strands(void **state)
{
	(void)state;
	const size_t stp = 3;
	struct stream s = {.name = "strands"};
	uint64_t seed = 1;
	assert_string_equal(formats[stp].format, "syst/stp");
	temp_make(s.file, "", "", 0);
	s.bytes = read_made(stp, s.file, &s.length);
	open_stream(&s, stp, LIMIT_LEAST);
	assert_int_equal(session_set_order(&s.session, "time", NULL), 0);
	session_link(&s.session);
	while (s.sent < s.length) {
		send_some(&s, 700 << 10);
		take_all(&s, false);
	}
	close(s.end);
	s.end = -1;
	take_all(&s, true);
	clocks_load(s.session.clocks, true);
	struct sequence *kept = sequence_new(&s.session);
	sequence_load(kept);
	uint64_t count = check_order(kept, &seed, true);
	assert_true(trace_dropped(s.trace) > 0);
	assert_true(sequence_strand_count(kept) > 2);
	assert_int_equal(count, count_all(s.reader));
	sequence_free(kept);
	close_stream(&s);
	unlink(s.file);
	vec_release(s.bytes);
}

/* What is unpacked is limited as a stream is. */
static void
test_packed(void **state)
{
	(void)state;
	struct text lines = {0}, command = {0};
	struct stream s = {.name = "packed", .end = -1};
	uint64_t seed = 1;
	char packed[TEMP_PATH + 3];
	if (!unpack_version()) {
		print_message("# built without libarchive\n");
		skip();
	}
	add_lines(&lines, 0, 100000);
	temp_make(s.file, "", lines.data, lines.length);
	snprintf(packed, sizeof packed, "%s.gz", s.file);
	text_addf(&command, "gzip -k %s", s.file);
	assert_int_equal(system(text_get(&command)), 0);
	s.length = s.sent = lines.length;
	s.trace = open_trace(&s.session, packed, NULL, LIMIT_LEAST);
	s.all = open_trace(&s.whole, s.file, NULL, 0);
	index_build(trace_index(s.all));
	s.reader = reader_new(s.trace);
	s.oracle = reader_new(s.all);
	take_all(&s, true);
	check_all(&s, LIMIT_LEAST, &seed);
	assert_true(trace_dropped(s.trace) > lines.length - LIMIT_LEAST);
	reader_free(s.reader);
	reader_free(s.oracle);
	session_close(&s.session);
	session_close(&s.whole);
	unlink(packed);
	unlink(s.file);
	text_free(&lines);
	text_free(&command);
}

/* --- with threads -------------------------------------------------------- */

/* How many of the messages that stay pass FILTER. */
static uint64_t
count_matches(struct stream *s, const struct filter *filter)
{
	struct position p;
	struct expansion scratch = {0};
	uint64_t count = 0;
	assert_true(reader_first(s->reader, &p));
	do {
		struct message m = *reader_message(s->reader, p);
		count += filter_match(filter, s->reader, &m, &scratch);
	} while (reader_next(s->reader, &p, 0));
	expansion_free(&scratch);
	return count;
}

/* The index is built and matches are counted while more comes and goes. */
static void
test_threads(void **state)
{
	(void)state;
	struct text bytes = {0};
	struct stream s = {.name = "threads"};
	struct matches_progress progress;
	struct filter filter = filter_all();
	uint64_t seed = 1;
	filter.expr = filter_parse_pattern("line [0-9]*7[0-9]*7", NULL);
	assert_non_null(filter.expr);
	add_lines(&bytes, 0, 100000);
	s.bytes = (uint8_t *)bytes.data;
	s.length = bytes.length;
	temp_make(s.pipe, "", "", 0);
	unlink(s.pipe);
	assert_int_equal(mkfifo(s.pipe, 0600), 0);
	s.end = open(s.pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	send_some(&s, 65536);
	s.trace = open_trace(&s.session, s.pipe, NULL, LIMIT_LEAST);
	s.reader = reader_new(s.trace);
	trace_start(s.trace);
	struct matches *matches = matches_new(s.trace, &filter, NULL, 0);
	int64_t until = thread_now_ms() + 3 * PATIENCE_MS;
	do {
		struct position p;
		if (s.end >= 0)
			send_some(&s, 1 + random_below(&seed, 65536));
		if (s.sent == s.length && s.end >= 0) {
			close(s.end);
			s.end = -1;
		}
		trace_refresh(s.trace);
		matches_update(matches);
		matches_get_progress(matches, &progress);
		if (reader_first(s.reader, &p) && trace_dropped(s.trace))
			assert_int_equal(reader_message(s.reader, p)->kind, DECODE_KIND_LOSS);
		assert_true(thread_now_ms() < until);
	} while (s.end >= 0 || !progress.exact || !capture_ended(trace_capture(s.trace)));
	assert_true(trace_dropped(s.trace) > 0);
	assert_int_equal(progress.count, count_matches(&s, &filter));
	matches_free(matches);
	filter_free(&filter);
	reader_free(s.reader);
	session_close(&s.session);
	unlink(s.pipe);
	text_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_newest_bytes), cmocka_unit_test(test_packed),
	    cmocka_unit_test(test_merged), cmocka_unit_test(test_strands),
	    cmocka_unit_test(test_threads)};
	return cmocka_run_group_tests_name("spool_limit", tests, NULL, NULL);
}
