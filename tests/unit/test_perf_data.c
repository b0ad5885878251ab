/*
 * perf.data as records, in both byte orders, as a file and as a pipe, and the bytes of its
 * trace buffers in order: with every way in which they may be damaged.  What is expected
 * follows from what the writer of these tests was given, and of perf_etm.data from its README.
 */
#include "config.h"

#include "test.h"

#include "capture/capture.h"
#include "capture/perf_data.h"
#include "capture/perf_layout.h"
#include "perf_write.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t build_id[20] = {0xab, 0xcd, 1, 2, 3};

/* Two processors, each with a run; a program; an ID. */
static void
write_all(struct perf_writer *w)
{
	static const uint64_t info[] = {1, 2, 3};
	uint8_t bytes[64];
	memset(bytes, 0x5a, sizeof bytes);
	w->arch = "aarch64";
	perf_begin(w);
	perf_record_info(w, PERF_CS_ETM, info, 3);
	perf_record_comm(w, 9, "program");
	perf_record_mmap2(w, 9, 0x400000, 0x2000, 0x1000, build_id, "/bin/program");
	perf_record_hw_id(w, 1, 0x2040);
	perf_record_aux(w, 0, 9, 0, 32, 0);
	perf_record_aux(w, 1, 9, 0, 64, PERF_RUN_TRUNCATED);
	perf_record_aux(w, 5, 9, 0, 64, 0);
	perf_record_auxtrace(w, 0, 0, 9, 0, bytes, 32);
	perf_record_auxtrace(w, 1, 1, 9, 0, bytes, 64);
	perf_record_lost(w, 1, 9, 3, 40);
	perf_end(w);
}

static struct perf_data *
read_writer(const struct perf_writer *w)
{
	struct err err = {0};
	struct perf_data *data = perf_data_read(w->out.at, w->out.count, &err);
	assert_non_null(data);
	return data;
}

static void
assert_all(const struct perf_data *d, bool piped)
{
	assert_string_equal(text_get(&d->damage), "");
	assert_int_equal(d->piped, piped);
	assert_int_equal(d->trace_type, 3);
	assert_int_equal(d->trace_info.count, 3);
	assert_int_equal(d->trace_info.at[2], 3);
	assert_int_equal(d->buffers.count, 2);
	assert_int_equal(d->buffers.at[1].cpu, 1);
	assert_int_equal(d->buffers.at[1].pieces.count, 1);
	assert_int_equal(d->buffers.at[1].pieces.at[0].size, 64);
	assert_int_equal(d->buffers.at[1].runs.count, 1);
	assert_int_equal(d->buffers.at[1].runs.at[0].flags, PERF_RUN_TRUNCATED);
	assert_int_equal(d->buffers.at[0].runs.at[0].size, 32);
	assert_int_equal(d->buffers.at[0].lost_records, 0);
	assert_int_equal(d->buffers.at[1].lost_records, 3);
	assert_int_equal(d->buffers.at[1].lost_samples, 40);
	assert_int_equal(d->strays, 1);
	assert_int_equal(d->hw_ids.count, 1);
	assert_int_equal(d->hw_ids.at[0].cpu, 1);
	assert_int_equal(d->hw_ids.at[0].id, 0x2040);
	assert_int_equal(d->maps.count, 1);
	assert_int_equal(d->maps.at[0].pid, 9);
	assert_int_equal(d->maps.at[0].address, 0x400000);
	assert_int_equal(d->maps.at[0].length, 0x2000);
	assert_int_equal(d->maps.at[0].offset, 0x1000);
	assert_int_equal(d->maps.at[0].build_id_size, 20);
	assert_memory_equal(d->maps.at[0].build_id, build_id, 20);
	assert_string_equal(d->maps.at[0].name, "/bin/program");
	assert_int_equal(d->counts[11], 3);
	assert_int_equal(d->counts[2], 1);
}

static void
records_are_read(void **state)
{
	(void)state;
	static const uint64_t sample_types[] = {0x1c7, 0x82, 0x10086, 0x102c7};
	for (unsigned i = 0; i < 16; i++) {
		struct perf_writer w = {
		    .big = i & 1, .piped = i & 2, .sample_type = sample_types[i / 4]};
		write_all(&w);
		struct perf_data *data = read_writer(&w);
		assert_all(data, w.piped);
		if (!w.piped)
			assert_string_equal(data->arch, "aarch64");
		perf_data_free(data);
		vec_free(&w.out);
	}
}

static void
what_is_in_it_is_described(void **state)
{
	(void)state;
	struct perf_writer w = {0};
	struct text out = {0};
	write_all(&w);
	struct perf_data *data = read_writer(&w);
	perf_data_describe(data, &out);
	assert_string_equal(
	    text_get(&out),
	    "perf.data of aarch64, CoreSight ETM\n"
	    "records: 1 LOST, 1 COMM, 1 MMAP2, 3 AUX, 1 LOST_SAMPLES, 1 AUX_OUTPUT_HW_ID, "
	    "1 AUXTRACE_INFO, 2 AUXTRACE\n"
	    "1 AUX records are of no buffer that is there\n");
	text_free(&out);
	perf_data_free(data);
	vec_free(&w.out);
}

/* Every beginning of a file is read, and says so when it is not whole. */
static void
cut_files_are_read(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct perf_writer w = {.big = i & 1, .piped = i & 2};
		write_all(&w);
		size_t whole = w.out.count - (w.piped ? 0 : 28), records = 0;
		for (size_t cut = 0; cut <= w.out.count; cut++) {
			/* of its own size, so that a byte too far is found */
			uint8_t *bytes = malloc(cut + 1);
			memcpy(bytes, w.out.at, cut);
			bytes = realloc(bytes, cut ? cut : 1);
			struct err err = {0};
			struct perf_data *data = perf_data_read(bytes, cut, &err);
			assert_int_equal(data != NULL, cut >= 8);
			assert_int_equal(err.code != 0, cut < 8);
			/* a pipe may end behind any record */
			if (data && cut >= whole)
				assert_string_equal(text_get(&data->damage), "");
			else if (data && (!w.piped || cut < 16))
				assert_true(data->damage.length > 0);
			records += data && data->damage.length;
			perf_data_free(data);
			free(bytes);
		}
		assert_true(records > w.out.count / 2);
		vec_free(&w.out);
	}
}

static void
damaged_records_end_the_walk(void **state)
{
	(void)state;
	struct perf_writer w = {0};
	write_all(&w);
	perf_set(&w, w.data + 6, 7, 2);
	struct perf_data *data = read_writer(&w);
	assert_non_null(strstr(text_get(&data->damage), "a record of impossible size"));
	assert_int_equal(data->buffers.count, 0);
	perf_data_free(data);
	vec_free(&w.out);
}

/* A file whose recorder was killed has no size of its data. */
static void
unfinished_files_are_read(void **state)
{
	(void)state;
	struct perf_writer w = {0};
	write_all(&w);
	w.out.count -= 28;
	perf_set(&w, 48, 0, 8);
	struct perf_data *data = read_writer(&w);
	assert_non_null(strstr(text_get(&data->damage), "did not exit cleanly"));
	assert_int_equal(data->buffers.count, 2);
	perf_data_free(data);
	vec_free(&w.out);
}

/* Attributes whose IDs are the same half of the file cost no more than the file. */
static void
overlapping_ids_are_refused(void **state)
{
	(void)state;
	enum { HEADER = 104, ATTR = 64 + 16, ATTRS = 512, IDS = 1 << 16 };
	struct perf_writer w = {0};
	perf_put(&w, 0x32454c4946524550, 8); /* PERFILE2 */
	perf_put(&w, HEADER, 8);
	perf_put(&w, ATTR, 8);
	perf_put(&w, HEADER, 8);
	perf_put(&w, (uint64_t)ATTRS * ATTR, 8);
	perf_put(&w, HEADER, 8); /* the data section */
	perf_put(&w, 8, 8);
	while (w.out.count < HEADER)
		perf_put(&w, 0, 8);
	for (int i = 0; i < ATTRS; i++) {
		for (int k = 0; k < 64; k += 8)
			perf_put(&w, 0, 8);
		perf_put(&w, HEADER + ATTRS * ATTR, 8);
		perf_put(&w, (uint64_t)IDS * 8, 8);
	}
	for (int i = 0; i < IDS; i++)
		perf_put(&w, (uint64_t)i, 8);
	struct perf_data *data = read_writer(&w);
	assert_non_null(strstr(text_get(&data->damage), "overlapping event IDs"));
	perf_data_free(data);
	vec_free(&w.out);
}

static void
compressed_records_are_seen(void **state)
{
	(void)state;
	struct perf_writer w = {0};
	perf_begin(&w);
	perf_start_record(&w, 81, 0);
	perf_put(&w, 1, 8);
	perf_end_record(&w);
	perf_end(&w);
	struct perf_data *data = read_writer(&w);
	assert_true(data->compressed);
	assert_null(perf_data_trace_name(data));
	perf_data_free(data);
	vec_free(&w.out);
}

/* --- layouts ------------------------------------------------------------------- */

static struct perf_buffer
make_buffer(const struct perf_piece *pieces, size_t piece_count, const struct perf_run *runs,
	    size_t run_count)
{
	struct perf_buffer buffer = {.cpu = 0};
	for (size_t i = 0; i < piece_count; i++)
		*vec_add(&buffer.pieces) = pieces[i];
	for (size_t i = 0; i < run_count; i++)
		*vec_add(&buffer.runs) = runs[i];
	return buffer;
}

/* What is gathered, as a line: pieces as AT+LENGTH, marks as OFFSET with what is there. */
static char *
gather(const struct perf_piece *pieces, size_t piece_count, const struct perf_run *runs,
       size_t run_count, uint32_t cpu, unsigned unit)
{
	struct perf_buffer buffer = make_buffer(pieces, piece_count, runs, run_count);
	struct perf_layout layout = {0};
	struct text out = {0};
	uint64_t size = 0;
	const struct perf_part part = {&buffer, cpu, 0, unit};
	perf_layout_fill(&part, &layout);
	for (size_t i = 0; i < layout.pieces.count; i++) {
		text_addf(&out, "%s%d+%d", i ? " " : "", (int)layout.pieces.at[i].offset,
			  (int)layout.pieces.at[i].length);
		size += layout.pieces.at[i].length;
	}
	assert_int_equal(size, layout.size);
	for (size_t i = 0; i < layout.marks.count; i++) {
		const struct perf_mark *mark = &layout.marks.at[i];
		text_addf(&out, "; %d", (int)mark->offset);
		if (mark->uncovered)
			text_addf(&out, " uncovered %d", (int)mark->uncovered);
		if (mark->lost)
			text_addf(&out, " lost %d", (int)mark->lost);
		if (mark->flags)
			text_addf(&out, " flags %d", (int)mark->flags);
	}
	if (layout.repeated)
		text_addf(&out, "; repeated %d", (int)layout.repeated);
	perf_layout_free(&layout);
	vec_free(&buffer.pieces);
	vec_free(&buffer.runs);
	return out.data ? out.data : mem_text("");
}

#define PIECES(...)                                                                                \
	(const struct perf_piece[])                                                                \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define RUNS(...)                                                                                  \
	(const struct perf_run[])                                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define assert_gathers(expected, p, r, cpu, unit)                                                  \
	do {                                                                                       \
		char *got =                                                                        \
		    gather(p, sizeof(p) / sizeof *(p), r, sizeof(r) / sizeof *(r), cpu, unit);     \
		assert_string_equal(got, expected);                                                \
		free(got);                                                                         \
	} while (0)

static void
runs_are_marked(void **state)
{
	(void)state;
	assert_gathers("1000+64; 0; 32", PIECES({1000, 0, 64}),
		       RUNS({0, 32, 0, 0, 0}, {32, 32, 0, 0, 0}), PERF_NONE, 16);
	/* over the border of pieces; in any order; what a flag says */
	assert_gathers("1000+40 2000+24; 0; 32 flags 1", PIECES({1000, 0, 40}, {2000, 40, 24}),
		       RUNS({32, 32, 1, 0, 0}, {0, 32, 0, 0, 0}), PERF_NONE, 16);
	/* a run without bytes, at the end too */
	assert_gathers("1000+32; 0 flags 1; 32 flags 4", PIECES({1000, 0, 32}),
		       RUNS({0, 0, 1, 0, 0}, {0, 32, 0, 0, 0}, {32, 0, 4, 0, 0}), PERF_NONE, 16);
}

static void
missing_bytes_are_lost(void **state)
{
	(void)state;
	/* the start, the middle, the end of a run */
	assert_gathers("1000+32; 0 lost 16", PIECES({1000, 16, 32}), RUNS({0, 48, 0, 0, 0}),
		       PERF_NONE, 16);
	assert_gathers("1000+16 2000+16; 0; 16 lost 32", PIECES({1000, 0, 16}, {2000, 48, 16}),
		       RUNS({0, 64, 0, 0, 0}), PERF_NONE, 16);
	assert_gathers("1000+16; 0; 16 lost 48", PIECES({1000, 0, 16}), RUNS({0, 64, 0, 0, 0}),
		       PERF_NONE, 16);
	/* frames that are not whole: the rest of a run; what comes before the next frame, and
	 * what is not there behind it */
	assert_gathers("1000+16 1020+16; 0; 16 lost 4", PIECES({1000, 0, 36}),
		       RUNS({0, 20, 0, 0, 0}, {20, 16, 0, 0, 0}), PERF_NONE, 16);
	assert_gathers("1004+16; 0 lost 16; 16 lost 12", PIECES({1000, 12, 20}),
		       RUNS({0, 44, 0, 0, 0}), PERF_NONE, 16);
	assert_gathers("1000+20; 0 lost 12; 20 lost 12", PIECES({1000, 12, 20}),
		       RUNS({0, 44, 0, 0, 0}), PERF_NONE, 1);
}

static void
uncovered_bytes_are_marked(void **state)
{
	(void)state;
	assert_gathers("1000+64; 0 uncovered 16; 16; 48 uncovered 16", PIECES({1000, 0, 64}),
		       RUNS({16, 32, 0, 0, 0}), PERF_NONE, 16);
	/* neither read nor in a run */
	assert_gathers("1000+16 2000+16; 0; 16 lost 32", PIECES({1000, 0, 16}, {2000, 48, 16}),
		       RUNS({0, 16, 0, 0, 0}, {48, 16, 0, 0, 0}), PERF_NONE, 16);
	/* another format */
	assert_gathers("1000+32; 0; 16 uncovered 16", PIECES({1000, 0, 32}),
		       RUNS({0, 16, 0, 0, 0}, {16, 16, 0x100, 0, 0}), PERF_NONE, 16);
	/* what fills a piece up is no trace */
	assert_gathers("1000+13 2000+11; 0; 13", PIECES({1000, 0, 16}, {2000, 13, 16}),
		       RUNS({0, 13, 0, 0, 0}, {13, 11, 0, 0, 0}), PERF_NONE, 1);
}

static void
read_twice_is_taken_once(void **state)
{
	(void)state;
	assert_gathers("1000+32 2016+16; 0; 32; repeated 16", PIECES({1000, 0, 32}, {2000, 16, 32}),
		       RUNS({0, 32, 0, 0, 0}, {32, 16, 0, 0, 0}), PERF_NONE, 16);
	assert_gathers("1000+32; 0; repeated 16", PIECES({1000, 0, 32}, {2000, 0, 16}),
		       RUNS({0, 32, 0, 0, 0}), PERF_NONE, 16);
	/* two snapshots; their runs name their ends, and more bytes than were read */
	assert_gathers("1000+64 2032+32; 0 flags 2; 64 flags 2; repeated 32",
		       PIECES({1000, 64, 64}, {2000, 96, 64}),
		       RUNS({128, 64, 2, 0, 0}, {160, 4096, 2, 0, 0}), PERF_NONE, 16);
	/* a snapshot whose bytes were overwritten is no loss */
	assert_gathers("1000+32; 0 flags 2", PIECES({1000, 64, 32}),
		       RUNS({32, 16, 2, 0, 0}, {96, 32, 2, 0, 0}), PERF_NONE, 16);
}

static void
runs_of_one_processor_are_chosen(void **state)
{
	(void)state;
	assert_gathers("1016+16; 0", PIECES({1000, 0, 48}),
		       RUNS({0, 16, 0, 0, 7}, {16, 16, 0, 1, 7}, {32, 16, 0, 0, 7}), 1, 1);
	assert_gathers("1000+16 1032+16; 0; 16", PIECES({1000, 0, 48}),
		       RUNS({0, 16, 0, 0, 7}, {16, 16, 0, 1, 7}, {32, 16, 0, 0, 7}), 0, 1);
}

static void
without_runs_all_is_one(void **state)
{
	(void)state;
	char *got = gather(PIECES({1000, 64, 64}), 1, NULL, 0, PERF_NONE, 16);
	assert_string_equal(got, "1000+64; 0");
	free(got);
}

/* --- a capture of others ---------------------------------------------------------- */

static void
a_real_file_is_read(void **state)
{
	(void)state;
	struct err err = {0};
	struct text path = {0};
	const char *srcdir = getenv("srcdir");
	text_addf(&path, "%s/../shared/captures/real/perf/perf_etm.data", srcdir ? srcdir : ".");
	struct capture *c = capture_open(text_get(&path), NULL, &err);
	text_free(&path);
	if (!c) {
		print_message("# no reference captures beside this checkout\n");
		skip();
	}
	struct perf_data *data = perf_data_read(capture_bytes(c), capture_size(c), &err);
	assert_non_null(data);
	assert_string_equal(text_get(&data->damage), "");
	assert_string_equal(data->arch, "aarch64");
	assert_int_equal(data->trace_type, 3);
	assert_int_equal(data->buffers.count, 1);
	const struct perf_buffer *buffer = data->buffers.at;
	assert_int_equal(buffer->idx, 7);
	assert_int_equal(buffer->cpu, 7);
	assert_int_equal(buffer->pieces.count, 1);
	assert_int_equal(buffer->pieces.at[0].size, 384);
	static const uint64_t offsets[] = {0, 80, 160, 240}, sizes[] = {80, 80, 80, 144};
	assert_int_equal(buffer->runs.count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(buffer->runs.at[i].offset, offsets[i]);
		assert_int_equal(buffer->runs.at[i].size, sizes[i]);
		assert_int_equal(buffer->runs.at[i].cpu, 7);
	}
	struct perf_layout layout = {0};
	const struct perf_part part = {buffer, PERF_NONE, 0, 16};
	perf_layout_fill(&part, &layout);
	assert_int_equal(layout.size, 384);
	assert_int_equal(layout.marks.count, 4);
	perf_layout_free(&layout);
	perf_data_free(data);
	capture_close(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(records_are_read),
	    cmocka_unit_test(what_is_in_it_is_described),
	    cmocka_unit_test(cut_files_are_read),
	    cmocka_unit_test(damaged_records_end_the_walk),
	    cmocka_unit_test(unfinished_files_are_read),
	    cmocka_unit_test(overlapping_ids_are_refused),
	    cmocka_unit_test(compressed_records_are_seen),
	    cmocka_unit_test(runs_are_marked),
	    cmocka_unit_test(missing_bytes_are_lost),
	    cmocka_unit_test(uncovered_bytes_are_marked),
	    cmocka_unit_test(read_twice_is_taken_once),
	    cmocka_unit_test(runs_of_one_processor_are_chosen),
	    cmocka_unit_test(without_runs_all_is_one),
	    cmocka_unit_test(a_real_file_is_read),
	};
	return cmocka_run_group_tests_name("perf_data", tests, NULL, NULL);
}
