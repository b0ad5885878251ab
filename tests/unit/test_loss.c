/*
 * Bytes that are missing: over random captures of every format, of which pages
 * cannot be read or an end was cut off, all that shows messages says so, and so
 * do streams that break off.
 */
#include "config.h"

#include "test.h"

#include "base/vec.h"
#include "capture/loss.h"
#include "config/profile.h"
#include "export/export.h"
#include "mk_out.h"
#include "toy.h"
#include "session/session.h"
#include "trace/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* --- the list of ranges ------------------------------------------------- */

enum { BYTES = 600 };

/* Whether a list says of each byte what a plain array of all bytes says. */
static void
same_as_bytes(const struct losses *losses, const bool bytes[static BYTES])
{
	for (uint64_t at = 0; at < BYTES; at++) {
		struct loss loss;
		bool misses = losses_after(losses, at, &loss) && loss.offset <= at;
		assert_int_equal(misses, bytes[at]);
	}
}

static void
test_ranges(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (int round = 0; round < 60; round++) {
		struct losses losses = {0};
		bool bytes[BYTES] = {false};
		for (int i = 0; i < 60; i++) {
			uint64_t offset = random_below(&seed, BYTES);
			uint64_t length = random_below(&seed, round % 2 ? 4 : 40);
			int error = random_below(&seed, 3) ? EIO : 0;
			losses_add(&losses, (struct loss){offset, offset + length, error});
			for (uint64_t at = offset; at < offset + length && at < BYTES; at++)
				bytes[at] = true;
			same_as_bytes(&losses, bytes);
		}
		struct loss before = {0}, loss;
		for (size_t i = 0; losses_get(&losses, i, &loss); i++) {
			assert_true(loss.offset < loss.end && loss.offset >= before.end);
			before = loss;
		}
		losses_clear(&losses);
		assert_false(losses_any(&losses));
		losses_free(&losses);
	}
}

/* More ranges than any first allocation holds. */
static void
test_many_ranges(void **state)
{
	(void)state;
	struct losses losses = {0};
	struct loss loss;
	for (uint64_t i = 10000; i-- > 0;)
		losses_add(&losses, (struct loss){3 * i, 3 * i + 1, EIO});
	for (uint64_t i = 0; i < 10000; i++) {
		assert_true(losses_get(&losses, i, &loss));
		assert_int_equal(loss.offset, 3 * i);
	}
	assert_false(losses_get(&losses, 10000, &loss));
	losses_free(&losses);
}

/* --- captures ----------------------------------------------------------- */

static const struct sample {
	const char *arguments, *name, *format;
	bool covers; /* each byte is in a message */
} samples[] = {
    {"-f syst/raw -m all", "a.bin", "syst/raw", true},
    {"-f syst/hex", "a.txt", "syst/hex", false},
    {"-f syst/stp -m all", "a.stp", "syst/stp", false},
    {"-f encap", "a.enc", "encap", false},
    {"-f gem -m all", "a.gem", "gem", true},
    {"-f uia -m all", "a.uia", "uia", true},
    {"-f csel", "a.csel", "csel", false},
    {"-f opencsd", "a", NULL, false},
};
enum { SAMPLES = sizeof samples / sizeof *samples, SIZE_K = 100, PAGE = 4096 };

struct fixture {
	char folder[64], path[128];
	const struct sample *sample;
	struct session session;
	struct trace *trace;
	struct capture *capture;
	uint64_t size;
	bool *missing; /* of each byte */
	VEC(struct message) messages;
};

static bool
make(struct fixture *f, const struct sample *sample)
{
	char command[512];
	const char *maker = getenv("MKCAPTURE");
	if (!maker)
		skip();
	*f = (struct fixture){.sample = sample, .folder = "/tmp/trawl-loss-XXXXXX"};
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->path, sizeof f->path, "%s/%s", f->folder, sample->name);
	snprintf(command, sizeof command, "'%s' %s -n %uK -o %s", maker, sample->arguments,
		 (unsigned)SIZE_K, f->path);
	assert_int_equal(system(command), 0);
	return true;
}

static bool
open_fixture(struct fixture *f)
{
	struct err err = {0};
	f->session = (struct session){0};
	option_defaults(profile_options_table(), &f->session.profile);
	f->trace = session_open(&f->session, f->path, f->sample->format, NULL, 0, &err);
	if (!f->trace) /* a format that is not built in */
		return false;
	session_link(&f->session);
	f->capture = trace_capture(f->trace);
	f->size = capture_size(f->capture);
	f->missing = mem_new(f->size);
	return true;
}

static void
close_fixture(struct fixture *f)
{
	session_close(&f->session);
	free(f->missing);
	vec_free(&f->messages);
	f->missing = NULL;
}

static void
remove_fixture(struct fixture *f)
{
	char command[128];
	snprintf(command, sizeof command, "rm -r %s", f->folder);
	assert_int_equal(system(command), 0);
}

/* Some random pages can no longer be read. */
static void
lose_pages(struct fixture *f, uint64_t *seed)
{
	for (uint32_t i = 0, count = 1 + random_below(seed, 4); i < count; i++) {
		uint64_t offset = random_below(seed, (uint32_t)f->size);
		uint64_t length = 1 + random_below(seed, 3 * PAGE);
		capture_lose(f->capture, offset, length, EIO);
		uint64_t end = (offset + length + PAGE - 1) / PAGE * PAGE;
		for (uint64_t at = offset / PAGE * PAGE; at < end && at < f->size; at++)
			f->missing[at] = true;
	}
}

static void
walk(struct fixture *f)
{
	struct reader *reader = reader_new(f->trace);
	struct message batch[100];
	size_t count;
	vec_clear(&f->messages);
	while ((count = reader_walk(reader, batch, 100)) > 0)
		for (size_t i = 0; i < count; i++)
			*vec_add(&f->messages) = batch[i];
	reader_free(reader);
}

static bool
misses(const struct fixture *f, const struct message *m)
{
	for (uint64_t at = m->offset; at < m->offset + m->length; at++)
		if (f->missing[at])
			return true;
	return false;
}

/* Each message of which bytes are missing says so, in its flags and its text. */
static void
messages_are_flagged(struct fixture *f)
{
	struct reader *reader = reader_new(f->trace);
	struct expansion e = {0};
	bool *covered = mem_new(f->size);
	const char *note = "[bytes are missing]";
	for (size_t i = 0; i < f->messages.count; i++) {
		const struct message *m = &f->messages.at[i];
		assert_true(m->offset + m->length <= f->size);
		memset(covered + m->offset, true, m->length);
		if (!misses(f, m))
			continue;
		reader_expand(reader, m, EXPAND_TEXT, &e);
		assert_true((m->flags | e.flags) & MESSAGE_DAMAGED);
		assert_true(e.text.length >= strlen(note)); /* zeros may stand before */
		assert_string_equal(e.text.data + e.text.length - strlen(note), note);
	}
	for (uint64_t at = 0; f->sample->covers && at < f->size; at++)
		assert_true(covered[at]);
	free(covered);
	expansion_free(&e);
	reader_free(reader);
}

/* The last message, and no other, tells what is missing of the capture. */
static void
ends_with_loss(struct fixture *f, const char *why)
{
	struct reader *reader = reader_new(f->trace);
	struct expansion e = {0};
	size_t count = f->messages.count;
	assert_true(count > 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(f->messages.at[i].kind == DECODE_KIND_LOSS, i + 1 == count);
	const struct message *last = &f->messages.at[count - 1];
	assert_int_equal(last->offset, f->size);
	assert_int_equal(last->length, 0);
	assert_true(last->flags & MESSAGE_LOST);
	reader_expand(reader, last, EXPAND_FIELDS, &e);
	assert_string_equal(text_get(&e.type), "loss");
	assert_non_null(strstr(text_get(&e.text), why));
	expansion_free(&e);
	reader_free(reader);
}

/* The index and its cells give what the walk gave, and cells say what they lack. */
static void
index_agrees(struct fixture *f)
{
	struct reader *reader = reader_new(f->trace);
	struct index *index = trace_index(f->trace);
	size_t at = 0;
	bool exact;
	index_build(index);
	assert_int_equal(trace_count(f->trace, &exact), f->messages.count);
	assert_true(exact);
	for (uint64_t i = 0; i < index_cell_count(index); i++) {
		struct index_cell cell;
		const struct decoded_cell *decoded = reader_decoded_cell(reader, i);
		unsigned flags = 0;
		assert_true(index_cell(index, i, &cell));
		assert_int_equal(cell.count, decoded->count);
		for (size_t k = 0; k < decoded->count; k++, at++) {
			assert_true(message_is_same(&decoded->messages[k], &f->messages.at[at]));
			assert_int_equal(decoded->messages[k].flags, f->messages.at[at].flags);
			flags |= decoded->messages[k].flags;
		}
		assert_int_equal(cell.message_flags & flags, flags);
	}
	assert_int_equal(at, f->messages.count);
	assert_false(index_is_stale(index));
	reader_free(reader);
}

/* Every batch format says in its result that something is amiss; one that COUNTS or
 * lists looks at the file again.  A cut of the bytes has their damage in it; instructions
 * take a program. */
static void
exports_say_so(struct fixture *f, bool counts)
{
	struct err err = {0};
	for (size_t i = 0; i < export_format_count; i++) {
		struct writer writer = {.file = memfd_create("test", 0), .is_direct = true};
		struct export_options options = {.format = &export_formats[i],
						 .filter = filter_all(),
						 .threads = 1,
						 .output = &writer};
		struct export_result result;
		bool fits = export_fits(options.format, f->trace) &&
			    options.format->walk != export_raw &&
			    options.format->walk != export_why && !options.format->flow;
		bool again = options.format->walk;
		if (fits && !options.format->folder && (counts || !again)) {
			assert_int_equal(export_run(&f->session, &options, &result, &err), 0);
			assert_true(doubts_are_bad(&result.doubts));
		}
		writer_abandon(&writer);
	}
}

static void
check_unreadable(const struct sample *sample, uint64_t *seed)
{
	struct fixture f;
	make(&f, sample);
	for (int run = 0; run < 2 && open_fixture(&f); run++) {
		if (run % 2) { /* what an index knew is not true any more */
			index_build(trace_index(f.trace));
			lose_pages(&f, seed);
			assert_true(index_is_stale(trace_index(f.trace)));
			assert_true(trace_refresh(f.trace));
		} else {
			lose_pages(&f, seed);
		}
		walk(&f);
		messages_are_flagged(&f);
		ends_with_loss(&f, "could not be read and are shown as zeros: Input/output error");
		index_agrees(&f);
		exports_say_so(&f, true);
		close_fixture(&f);
	}
	remove_fixture(&f);
}

static void
test_unreadable(void **state)
{
	(void)state;
	uint64_t seed = 7;
	for (size_t i = 0; i < SAMPLES; i++)
		check_unreadable(&samples[i], &seed);
}

/* The file is cut under the map, with no one to look at it again. */
static void
check_cut(const struct sample *sample, uint64_t *seed)
{
	struct fixture f;
	make(&f, sample);
	if (open_fixture(&f)) {
		uint64_t left = random_below(seed, (uint32_t)f.size);
		assert_int_equal(truncate(capture_path(f.capture), (off_t)left), 0);
		memset(f.missing + left, true, f.size - left);
		walk(&f);
		messages_are_flagged(&f);
		ends_with_loss(&f, "the file became shorter while it was read");
		walk(&f); /* the rest of the page with the new end is known only now */
		index_agrees(&f);
		exports_say_so(&f, false);
		assert_false(capture_is_whole(f.capture));
		trace_refresh(f.trace); /* what is left is whole */
		assert_true(capture_is_whole(f.capture));
		assert_int_equal(capture_size(f.capture), left);
		close_fixture(&f);
	}
	remove_fixture(&f);
}

static void
test_cut(void **state)
{
	(void)state;
	uint64_t seed = 11;
	for (size_t i = 0; i < SAMPLES; i++)
		for (int run = 0; run < 2; run++)
			check_cut(&samples[i], &seed);
}

/* A capture that is not kept open reads as one that is. */
static void
test_no_descriptor(void **state)
{
	(void)state;
	char *bytes = mem_new(3 * PAGE), *read = mem_new(3 * PAGE);
	memset(bytes, 'x', 3 * PAGE);
	char *path = toy_file(bytes, 3 * PAGE);
	struct capture_options options = {.no_descriptor = true};
	struct capture *c = capture_open(path, &options, NULL);
	assert_int_equal(capture_read(c, 0, read, 3 * PAGE), 3 * PAGE);
	assert_memory_equal(read, bytes, 3 * PAGE);
	assert_int_equal(capture_refresh(c), CAPTURE_SAME);
	assert_int_equal(truncate(path, PAGE), 0);
	assert_int_equal(capture_read(c, 0, read, 3 * PAGE), 3 * PAGE);
	assert_memory_equal(read, bytes, PAGE);
	assert_int_equal(read[PAGE], 0);
	assert_true(capture_misses(c, PAGE, 1));
	assert_false(capture_misses(c, 0, PAGE));
	assert_int_equal(capture_refresh(c), CAPTURE_SHRANK);
	assert_int_equal(capture_size(c), PAGE);
	assert_true(capture_is_whole(c));
	assert_int_equal(truncate(path, 2 * PAGE), 0);
	assert_int_equal(capture_refresh(c), CAPTURE_GREW);
	unlink(path);
	assert_int_equal(capture_refresh(c), CAPTURE_GONE);
	assert_int_equal(capture_read(c, 0, read, PAGE), PAGE);
	assert_memory_equal(read, bytes, PAGE);
	capture_close(c);
	free(path);
	free(bytes);
	free(read);
}

/* A file that grows beyond its addresses. */
static void
test_outgrown(void **state)
{
	(void)state;
	char *path = toy_file("1234", 4);
	struct capture_options options = {.room = 1};
	struct capture *c = capture_open(path, &options, NULL);
	struct text why = {0};
	assert_int_equal(truncate(path, 10 * PAGE), 0);
	assert_int_equal(capture_refresh(c), CAPTURE_OUTGREW);
	assert_true(capture_size(c) < 10 * PAGE);
	assert_false(capture_is_whole(c));
	capture_describe_loss(c, &why);
	assert_non_null(strstr(text_get(&why), "beyond the address space"));
	assert_int_equal(capture_refresh(c), CAPTURE_SAME); /* said once */
	text_free(&why);
	capture_close(c);
	unlink(path);
	free(path);
}

/* --- streams ------------------------------------------------------------ */

/* What is missing of LENGTH bytes that standard input gives; IN is its end to read,
 * or one that cannot be read.  How many came goes to *SIZE. */
static void
read_stream(int in, const struct capture_options *options, uint64_t *size, struct text *why)
{
	int before = dup(STDIN_FILENO);
	dup2(in, STDIN_FILENO);
	close(in);
	struct capture *c = capture_open("-", options, NULL);
	dup2(before, STDIN_FILENO);
	close(before);
	*size = capture_wait(c, UINT64_MAX, 10000);
	assert_true(capture_ended(c));
	assert_false(capture_is_whole(c));
	capture_describe_loss(c, why);
	capture_close(c);
}

/* A pipe with LENGTH bytes in it, at most what a pipe holds. */
static int
filled_pipe(size_t length)
{
	int ends[2];
	char *zeros = mem_new(length);
	assert_int_equal(pipe(ends), 0);
	memset(zeros, 'x', length);
	assert_int_equal(write(ends[1], zeros, length), length);
	close(ends[1]);
	free(zeros);
	return ends[0];
}

static void
test_streams(void **state)
{
	(void)state;
	struct capture_options few = {.room = 2 * PAGE};
	struct text why = {0};
	uint64_t size;
	read_stream(filled_pipe(10 * PAGE), &few, &size, &why);
	assert_int_equal(size, 3 * PAGE);
	assert_non_null(strstr(text_get(&why), "no address space is left"));

	struct rlimit limit, less;
	getrlimit(RLIMIT_FSIZE, &limit);
	less = limit;
	less.rlim_cur = 5 * PAGE + 1;
	text_clear(&why);
	setrlimit(RLIMIT_FSIZE, &less);
	read_stream(filled_pipe(10 * PAGE), NULL, &size, &why);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(size, 5 * PAGE + 1); /* what could be kept is */
	assert_non_null(strstr(text_get(&why), "cannot be kept in"));
	assert_non_null(strstr(text_get(&why), "--spool=DIR"));

	int ends[2];
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	text_clear(&why);
	read_stream(ends[1], NULL, &size, &why); /* the end to write */
	assert_int_equal(size, 0);
	assert_non_null(strstr(text_get(&why), "cannot be read: Bad file descriptor"));
	text_free(&why);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ranges),	  cmocka_unit_test(test_many_ranges),
	    cmocka_unit_test(test_unreadable),	  cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_no_descriptor), cmocka_unit_test(test_outgrown),
	    cmocka_unit_test(test_streams),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
