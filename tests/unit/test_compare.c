/*
 * Two runs compared: what is a number of a text; the alignment, against the longest common
 * subsequence by its definition; differences planted into logs, which are all found, and no
 * others; and captures of every format with messages cut out, doubled and swapped, where
 * as many messages must be aligned as can be.
 */
#include "config.h"

#include "test.h"

#include "folder.h"
#include "query/compare/compare.h"
#include "query/compare/compare_align.h"
#include "query/compare/compare_mask.h"
#include "random.h"
#include "samples.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t seed = 1;

/* --- numbers ----------------------------------------------------------- */

static void
numbers_are_masked(void **state)
{
	static const struct {
		const char *text, *masked;
	} rows[] = {
	    {"", ""},
	    {"no number", "no number"},
	    {"send FILTER seq 12", "send FILTER seq #"},
	    {"after 8.65 ms", "after # ms"},
	    {"after 8.65ms, -3 of +4", "after #, # of #"},
	    {"a-3 b - 3", "a-# b - #"},
	    {"at 0x8001fa20: 0X1F", "at #: #"},
	    {"main+0x12", "main+#"},
	    {"uart0 i2c x86_64 cpu12", "uart0 i2c x86_64 cpu12"},
	    {"frame_1204 buf777", "frame_# buf#"},
	    {"12:30:45.25 2024-05-01T12:30:45Z", "# #"},
	    {"7fa0 beef deadbeef be 1f", "# beef # be #"},
	    {"data de ad be ef 01 end", "data # end"},
	    {"data de ad be end", "data de ad be end"},
	    {"{b5a5e2b0-aaaa-bbbb-cccc-0123456789ab}", "{#}"},
	    {"1.2.3.4:80", "#"},
	    {"done 3.", "done #."},
	    {"50%", "#%"},
	    {"caf\xc3\xa9 1", "caf\xc3\xa9 #"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct text out = {0};
		size_t length = strlen(rows[i].text);
		compare_add_masked(rows[i].text, length, &out);
		assert_string_equal(text_get(&out), rows[i].masked);
		for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
			assert_int_equal(
			    !strcmp(rows[i].masked, rows[k].masked),
			    compare_hash_masked(0, rows[i].text, length) ==
				compare_hash_masked(0, rows[k].text, strlen(rows[k].text)));
		text_free(&out);
	}
	assert_true(compare_likeness("a b c", 5, "a b d", 5) >
		    compare_likeness("a b c", 5, "a x d", 5));
	assert_true(compare_likeness("n 1", 3, "n 22", 4) == 1);
	assert_true(compare_likeness("x", 1, "y", 1) == 0);
}

/* --- alignment --------------------------------------------------------- */

/* The length of the longest common subsequence. */
static size_t
common_length(const uint64_t *a, size_t n, const uint64_t *b, size_t m)
{
	size_t *row = mem_new((m + 1) * sizeof *row), common;
	for (size_t i = 0; i < n; i++) {
		size_t diagonal = 0;
		for (size_t k = 0; k < m; k++) {
			size_t above = row[k + 1];
			row[k + 1] = a[i] == b[k] ? diagonal + 1 : above > row[k] ? above : row[k];
			diagonal = above;
		}
	}
	common = row[m];
	free(row);
	return common;
}

/* How many tokens are aligned, by runs that are right. */
static size_t
aligned_length(const uint64_t *a, size_t n, const uint64_t *b, size_t m)
{
	compare_runs runs = {0};
	size_t at_a = 0, at_b = 0, aligned = 0;
	assert_true(compare_align(a, n, b, m, NULL, &runs));
	for (size_t i = 0; i < runs.count; i++) {
		const struct compare_run *run = &runs.at[i];
		assert_true(run->count && run->a >= at_a && run->b >= at_b);
		assert_true(!i || run->a > at_a || run->b > at_b); /* else it is one run */
		for (size_t k = 0; k < run->count; k++)
			assert_int_equal(a[run->a + k], b[run->b + k]);
		at_a = run->a + run->count;
		at_b = run->b + run->count;
		aligned += run->count;
	}
	assert_true(at_a <= n && at_b <= m);
	vec_free(&runs);
	return aligned;
}

/* B is A with EDITS changes, of an alphabet of LETTERS. */
static size_t
edit(const uint64_t *a, size_t n, size_t edits, size_t letters, uint64_t *b)
{
	size_t m = n;
	memcpy(b, a, n * sizeof *a);
	for (size_t i = 0; i < edits; i++) {
		size_t at = random_below(&seed, m + 1);
		if (random_below(&seed, 2) && at < m) {
			memmove(b + at, b + at + 1, (m - at - 1) * sizeof *b);
			m--;
		} else {
			memmove(b + at + 1, b + at, (m - at) * sizeof *b);
			b[at] = random_below(&seed, letters);
			m++;
		}
	}
	return m;
}

static void
alignment_is_longest(void **state)
{
	enum { LENGTH = 120, RUNS = 3000 };
	uint64_t a[LENGTH], b[2 * LENGTH];
	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		size_t letters = 1 + random_below(&seed, 1 << random_below(&seed, 8));
		size_t n = random_below(&seed, LENGTH);
		for (size_t i = 0; i < n; i++)
			a[i] = random_below(&seed, letters);
		size_t m = edit(a, n, random_below(&seed, 70), letters, b);
		assert_int_equal(aligned_length(a, n, b, m), common_length(a, n, b, m));
	}
}

/* Checks an alignment of A and B: equal tokens, in order, no token twice. Marks the messages of A
 * with an exact partner, and returns the number of pairs. */
static size_t
check_exact(const uint64_t *a, size_t n, const uint64_t *b, size_t m, size_t letters,
	    const compare_runs *runs, bool *exact)
{
	size_t at_a = 0, at_b = 0, aligned = 0;
	memset(exact, 0, n * sizeof *exact);
	for (size_t i = 0; i < runs->count; i++) {
		const struct compare_run *run = &runs->at[i];
		assert_true(run->count && run->a >= at_a && run->b >= at_b);
		for (size_t k = 0; k < run->count; k++) {
			assert_int_equal(a[run->a + k] % letters, b[run->b + k] % letters);
			exact[run->a + k] = a[run->a + k] == b[run->b + k];
		}
		at_a = run->a + run->count;
		at_b = run->b + run->count;
		aligned += run->count;
	}
	assert_true(at_a <= n && at_b <= m);
	return aligned;
}

/* Exact tokens choose among the longest alignments: no pair and no exact partner is lost. */
static void
alignment_is_exact(void **state)
{
	enum { LENGTH = 120, RUNS = 3000 };
	uint64_t a[LENGTH], b[2 * LENGTH], masked_a[LENGTH], masked_b[2 * LENGTH];
	bool before[LENGTH], after[LENGTH];
	size_t better = 0;
	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		size_t letters = 1 + random_below(&seed, 1 << random_below(&seed, 5));
		size_t all = letters * (1 + random_below(&seed, LENGTH)); /* masking divides */
		size_t n = random_below(&seed, LENGTH);
		for (size_t i = 0; i < n; i++)
			a[i] = random_below(&seed, all);
		size_t m = edit(a, n, random_below(&seed, 70), all, b);
		for (size_t i = 0; i < n; i++)
			masked_a[i] = a[i] % letters;
		for (size_t i = 0; i < m; i++)
			masked_b[i] = b[i] % letters;
		compare_runs runs = {0};
		assert_true(compare_align(masked_a, n, masked_b, m, NULL, &runs));
		size_t longest = check_exact(a, n, b, m, letters, &runs, before);
		assert_int_equal(longest, common_length(masked_a, n, masked_b, m));
		assert_true(compare_align_exact(masked_a, a, n, masked_b, b, m, NULL, &runs));
		assert_int_equal(check_exact(a, n, b, m, letters, &runs, after), longest);
		for (size_t i = 0; i < n; i++) {
			assert_true(after[i] || !before[i]);
			better += after[i] && !before[i];
		}
		vec_free(&runs);
	}
	assert_true(better > RUNS);
}

/* Where there are many differences the alignment is near the longest. */
static void
alignment_of_many_differences(void **state)
{
	enum { LENGTH = 4000 };
	uint64_t *a = mem_new(LENGTH * sizeof *a), *b = mem_new(2 * LENGTH * sizeof *b);
	(void)state;
	for (unsigned run = 0; run < 40; run++) {
		size_t letters = 4 + random_below(&seed, 1 << random_below(&seed, 13));
		for (size_t i = 0; i < LENGTH; i++)
			a[i] = random_below(&seed, letters);
		size_t m = edit(a, LENGTH, 100 + random_below(&seed, 900), letters, b);
		size_t most = common_length(a, LENGTH, b, m);
		size_t got = aligned_length(a, LENGTH, b, m);
		if (got < most - most / 4)
			fail_msg("%zu letters: %zu of %zu", letters, got, most);
	}
	/* a block that only one has, in a log that repeats itself */
	for (size_t i = 0; i < LENGTH; i++)
		a[i] = random_below(&seed, 12);
	memcpy(b, a, 1000 * sizeof *b);
	memcpy(b + 1000, a + 2500, (LENGTH - 2500) * sizeof *b);
	b[10] = b[LENGTH - 1500 - 10] = 99; /* neither head nor tail is equal to its end */
	assert_true(aligned_length(a, LENGTH, b, LENGTH - 1500) >= LENGTH - 1500 - 2 - 40);
	free(a);
	free(b);
}

/* --- runs -------------------------------------------------------------- */

struct runs {
	struct folder folder;
	struct session sessions[2];
	struct filter filter;
	struct compare_side side;
	struct compare_good good;
	struct compare *compare;
};

static void
compare_open(struct runs *runs, const char *format, const struct text files[2])
{
	static const char *const names[2] = {"good", "bad"};
	struct compare_side sides[2] = {0};
	const struct compare_options options = {COMPARE_FACTOR, COMPARE_LEAST};
	struct err err = {0};
	*runs = (struct runs){0};
	folder_make(&runs->folder);
	runs->filter = filter_all();
	for (int i = 0; i < 2; i++) {
		struct session *session = &runs->sessions[i];
		folder_put(&runs->folder, names[i], text_get(&files[i]), files[i].length);
		option_defaults(profile_options_table(), &session->profile);
		if (!session_open(session, folder_path(&runs->folder, names[i]), format, NULL, 0,
				  &err))
			fail_msg("%s", err.what);
		session_link(session);
		trace_load(session->traces.at[0], &err);
		clocks_load(session->clocks, true);
		sides[i].session = session;
		sides[i].filter = &runs->filter;
	}
	runs->good = (struct compare_good){.count = 1, .sides = &runs->side};
	runs->side = sides[0];
	runs->compare = compare_new(&runs->good, &sides[1], &options, NULL);
	assert_true(compare_run(runs->compare));
}

static void
compare_close(struct runs *runs)
{
	compare_free(runs->compare);
	session_close(&runs->sessions[0]);
	session_close(&runs->sessions[1]);
	folder_remove(&runs->folder);
}

/* --- differences that are planted --------------------------------------- */

enum { SENDERS = 3, LINES = 400, PLANTS = 5, APART = LINES / PLANTS };

struct line {
	int64_t us;
	unsigned sender, word;
	bool gone;
};

static void
add_log_line(const struct line *line, unsigned late, struct text *out)
{
	static const char *const senders[SENDERS] = {"mailbox", "isp", "dma0"};
	static const char *const words[] = {"send", "ack", "done", "start", "stop", "bark", "bite"};
	text_addf(out, "[%5lld.%06lld] %s: %s frame %u at 0x%x\n",
		  (long long)((line->us + late) / 1000000),
		  (long long)((line->us + late) % 1000000), senders[line->sender],
		  words[line->word], random_below(&seed, 1000), random_below(&seed, 1 << 30));
}

/* What must be found. */
struct plant {
	enum compare_kind kind;
	uint64_t good, bad; /* numbers, where it has a message */
};

/* The next line of the same sender. */
static size_t
next_of_sender(const struct line *lines, size_t at)
{
	size_t next = at + 1;
	while (lines[next].sender != lines[at].sender)
		next++;
	return next;
}

/* Writes two logs with PLANTS differences in the second. */
static void
write_logs(struct text files[2], struct plant *plants)
{
	struct line lines[LINES + 32], extra = {0};
	int64_t now = 1000;
	unsigned late = 0;
	uint64_t bad = 0;
	for (size_t i = 0; i < LINES + 32; i++) {
		unsigned sender = random_below(&seed, SENDERS);
		now += 5 + random_below(&seed, 40);
		lines[i] = (struct line){now, i < SENDERS ? (unsigned)i : sender,
					 random_below(&seed, 5), false};
	}
	for (size_t i = 0; i < LINES; i++)
		add_log_line(&lines[i], 0, &files[0]);
	for (size_t i = 0; i < LINES; i++) {
		size_t plant = i / APART, other = next_of_sender(lines, i);
		struct line line = lines[i];
		if (i % APART == APART / 2) {
			struct plant *p = &plants[plant];
			*p = (struct plant){random_below(&seed, 5), i, bad};
			if (p->kind == COMPARE_MOVED && lines[other].word == line.word)
				p->kind = COMPARE_CHANGED;
			if (p->kind == COMPARE_EXTRA) {
				extra = line;
				extra.word = 5;
				add_log_line(&extra, late, &files[1]);
				bad++;
			}
			if (p->kind == COMPARE_CHANGED)
				line.word = 6;
			if (p->kind == COMPARE_SLOWER)
				late += 20000;
			if (p->kind == COMPARE_MOVED) { /* swapped with the next one */
				line.word = lines[other].word;
				lines[other].word = lines[i].word;
			}
			if (p->kind == COMPARE_MISSING)
				continue;
		}
		add_log_line(&line, late, &files[1]);
		bad++;
	}
}

static void
print_differences(const struct compare *compare, const struct plant *plants)
{
	for (size_t i = 0; i < PLANTS; i++)
		print_message("planted: %s %" PRIu64 " %" PRIu64 "\n",
			      compare_kind_name(plants[i].kind), plants[i].good, plants[i].bad);
	for (size_t i = 0; i < compare_count(compare); i++) {
		const struct compare_difference *d = compare_get(compare, i);
		print_message("found: %s %" PRIu64 " %" PRIu64 "\n", compare_kind_name(d->kind),
			      d->at[COMPARE_GOOD].number, d->at[COMPARE_BAD].number);
	}
}

static void
plants_are_found(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 100; run++) {
		struct text files[2] = {{0}};
		struct plant plants[PLANTS];
		struct runs runs;
		write_logs(files, plants);
		compare_open(&runs, "text", files);
		assert_int_equal(compare_count_messages(runs.compare, COMPARE_GOOD), LINES);
		if (compare_count(runs.compare) != PLANTS)
			print_differences(runs.compare, plants);
		assert_int_equal(compare_count(runs.compare), PLANTS);
		for (size_t i = 0; i < PLANTS; i++) {
			const struct compare_difference *d = compare_get(runs.compare, i);
			assert_int_equal(d->kind, plants[i].kind);
			/* which of equal messages is missing, or moved past which, is open */
			if (d->kind == COMPARE_CHANGED || d->kind == COMPARE_SLOWER)
				assert_int_equal(d->at[COMPARE_GOOD].number, plants[i].good);
			if (d->kind != COMPARE_MOVED && d->kind != COMPARE_MISSING)
				assert_int_equal(d->at[COMPARE_BAD].number, plants[i].bad);
			if (d->kind == COMPARE_MISSING)
				assert_int_equal(d->at[COMPARE_GOOD].number, plants[i].good);
			if (d->kind == COMPARE_SLOWER)
				assert_in_range(d->took[1] - d->took[0], 19990000, 20010000);
		}
		compare_close(&runs);
		text_free(&files[0]);
		text_free(&files[1]);
	}
}

/* --- every format ------------------------------------------------------- */

/* A message as it is compared, by a walk of the test's own. */
struct seen {
	uint64_t origin, token;
	uint64_t offset, length;
};
typedef VEC(struct seen) seens;

static void
see_messages(struct session *session, seens *seen)
{
	struct reader *reader = reader_new(session->traces.at[0]);
	struct expansion e = {0};
	struct message m;
	while (reader_walk(reader, &m, 1)) {
		struct text key = {0};
		reader_expand(reader, &m, EXPAND_TEXT, &e);
		text_addf(&key, "%s|%x|", text_get(&e.type), (m.flags | e.flags) & 0xf);
		compare_add_masked(text_get(&e.text), e.text.length, &key);
		*vec_add(seen) =
		    (struct seen){compare_hash_bytes(0, text_get(&e.origin), e.origin.length),
				  compare_hash_bytes(0, key.data, key.length), m.offset, m.length};
		text_free(&key);
	}
	expansion_free(&e);
	reader_free(reader);
}

/* How many messages of all origins can be aligned. */
static size_t
most_aligned(const seens *a, const seens *b)
{
	size_t most = 0;
	uint64_t *tokens = mem_new((a->count + b->count + 1) * sizeof *tokens);
	for (size_t i = 0; i < a->count; i++) {
		size_t n = 0, m = 0;
		bool before = false;
		for (size_t k = 0; k < i; k++)
			before |= a->at[k].origin == a->at[i].origin;
		if (before)
			continue;
		for (size_t k = 0; k < a->count; k++)
			if (a->at[k].origin == a->at[i].origin)
				tokens[n++] = a->at[k].token;
		for (size_t k = 0; k < b->count; k++)
			if (b->at[k].origin == a->at[i].origin)
				tokens[n + m++] = b->at[k].token;
		most += common_length(tokens, n, tokens + n, m);
	}
	free(tokens);
	return most;
}

/* Cuts out, doubles or swaps some of the messages. */
static void
edit_capture(const char *bytes, size_t length, const seens *seen, struct text *out)
{
	size_t at = 0;
	for (size_t i = 0; i < seen->count; i++) {
		const struct seen *s = &seen->at[i];
		if (s->offset < at || s->offset + s->length > length || random_below(&seed, 12))
			continue;
		text_add_bytes(out, bytes + at, s->offset - at);
		at = s->offset + s->length;
		for (unsigned copies = random_below(&seed, 3); copies == 2; copies = 0)
			for (int k = 0; k < 2; k++)
				text_add_bytes(out, bytes + s->offset, s->length);
	}
	text_add_bytes(out, bytes + at, length - at);
}

static bool
has_origin(const seens *seen, uint64_t origin)
{
	for (size_t i = 0; i < seen->count; i++)
		if (seen->at[i].origin == origin)
			return true;
	return false;
}

/* Whether both have the same origins: if not, others may belong together by their names. */
static bool
same_origins(const seens *a, const seens *b)
{
	bool same = true;
	for (size_t i = 0; i < a->count; i++)
		same &= has_origin(b, a->at[i].origin);
	for (size_t i = 0; i < b->count; i++)
		same &= has_origin(a, b->at[i].origin);
	return same;
}

/* Checks what was found against what is seen. */
static void
check_counts(const struct runs *runs, const seens seen[2], const char *name)
{
	uint64_t found[2] = {0};
	size_t most = most_aligned(&seen[0], &seen[1]);
	for (size_t i = 0; i < compare_count(runs->compare); i++) {
		const struct compare_difference *d = compare_get(runs->compare, i);
		for (int run = 0; run < 2 && d->kind != COMPARE_SLOWER; run++)
			found[run] += d->count[run];
		assert_true(!i || compare_get(runs->compare, i - 1)->order <= d->order);
	}
	for (int run = 0; run < 2; run++) {
		size_t least = seen[run].count - most;
		if (found[run] > least + (least > 40 ? least / 4 : 0) ||
		    (found[run] < least && same_origins(&seen[0], &seen[1])))
			fail_msg("%s: %" PRIu64 " of run %d differ, not %zu", name, found[run], run,
				 least);
	}
}

static void
compare_sample(const char *name, const char *decoder, const char *bytes, size_t length)
{
	struct text files[2] = {{0}};
	struct runs runs;
	seens seen[2] = {{0}};
	text_add_bytes(&files[0], bytes, length);
	compare_open(&runs, decoder, (struct text[]){files[0], files[0]});
	if (compare_count(runs.compare))
		fail_msg("%s: differs from itself", name);
	see_messages(&runs.sessions[0], &seen[0]);
	assert_int_equal(compare_count_messages(runs.compare, COMPARE_BAD), seen[0].count);
	compare_close(&runs);
	for (unsigned times = 0; times < 4; times++) {
		text_clear(&files[1]);
		if (times == 3)
			text_add_bytes(&files[1], bytes, random_below(&seed, length + 1));
		else
			edit_capture(bytes, length, &seen[0], &files[1]);
		if (!files[1].length)
			text_add_bytes(&files[1], bytes, 1);
		compare_open(&runs, decoder, files);
		see_messages(&runs.sessions[1], &seen[1]);
		check_counts(&runs, seen, name);
		vec_clear(&seen[1]);
		compare_close(&runs);
	}
	for (int run = 0; run < 2; run++) {
		text_free(&files[run]);
		vec_free(&seen[run]);
	}
}

static void
every_format_is_aligned(void **state)
{
	static const char *const logs[] = {"log-dmesg.txt", "log-logcat.txt", "log-rfc5424.txt",
					   "log-zephyr.txt", "lab-hub.enc"};
	size_t length;
	(void)state;
	for (size_t i = 0; i < sample_count; i++) {
		char *bytes = sample_read(&samples[i], &length);
		compare_sample(samples[i].name, samples[i].decoder, bytes, length);
		vec_release(bytes);
	}
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		char *bytes = sample_read_file(logs[i], &length);
		compare_sample(logs[i], NULL, bytes, length);
		vec_release(bytes);
	}
}

/* All of a run is missing, or extra; and a run of many is one difference. */
static void
runs_that_are_empty(void **state)
{
	struct text files[2] = {{0}};
	struct runs runs;
	(void)state;
	for (unsigned i = 0; i < 40; i++)
		text_addf(&files[0], "[    1.%06u] isp: line %u\n", i, i);
	compare_open(&runs, "text", files);
	assert_int_equal(compare_count(runs.compare), 1);
	assert_int_equal(compare_get(runs.compare, 0)->kind, COMPARE_MISSING);
	assert_int_equal(compare_get(runs.compare, 0)->count[COMPARE_GOOD], 40);
	assert_false(compare_get(runs.compare, 0)->at[COMPARE_BAD].any);
	compare_close(&runs);
	compare_open(&runs, "text", (struct text[]){files[1], files[0]});
	assert_int_equal(compare_count(runs.compare), 1);
	assert_int_equal(compare_get(runs.compare, 0)->kind, COMPARE_EXTRA);
	compare_close(&runs);
	compare_open(&runs, "text", (struct text[]){files[1], files[1]});
	assert_int_equal(compare_count(runs.compare), 0);
	compare_close(&runs);
	text_free(&files[0]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_are_masked),  cmocka_unit_test(alignment_is_longest),
	    cmocka_unit_test(alignment_is_exact),  cmocka_unit_test(alignment_of_many_differences),
	    cmocka_unit_test(plants_are_found),	   cmocka_unit_test(every_format_is_aligned),
	    cmocka_unit_test(runs_that_are_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
