/*
 * Match sets against a naive walk: every message of the capture in turn, asked
 * of the filter.  What a set says about counts, rows and ranks must agree, for
 * any filter, while the capture grows, after it shrank, after texts came.
 */
#include "config.h"

#include "test.h"

#include "base/bytes.h"
#include "base/vec.h"
#include "decode/coresight/opencsd_library.h"
#include "base/thread.h"
#include "query/matches.h"
#include "random.h"
#include "session/session.h"
#include "toy.h"
#include "ui/list/list_matches.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- captures ---------------------------------------------------------- */

/* SyS-T strings with LEN (`n NUMBER`, some with `needle`), of mixed severities,
 * units and lengths; RARE: how seldom an error or a needle comes.  At times
 * there is damage. */
static void
add_strings(struct text *out, uint64_t *seed, size_t count, uint32_t rare)
{
	static const uint8_t junk[] = {0xff, 0xff, 0xff, 0xff, 0xff};
	for (size_t i = 0; i < count; i++) {
		uint32_t severity = random_below(seed, rare) ? 4 + random_below(seed, 2) * 3
							     : random_below(seed, 4);
		char body[256];
		int length = snprintf(body, sizeof body, "n %zu%s%*s", i,
				      random_below(seed, rare) ? "" : " needle",
				      (int)random_below(seed, 150), "");
		uint32_t unit = random_below(seed, 7);
		uint32_t header = 2 | severity << 4 | 1u << 9 | unit << 12 | 5u << 16 | 1u << 24;
		uint8_t prefix[6] = {(uint8_t)header,	      (uint8_t)(header >> 8),
				     (uint8_t)(header >> 16), (uint8_t)(header >> 24),
				     (uint8_t)length,	      0};
		text_add_bytes(out, (const char *)prefix, 6);
		text_add_bytes(out, body, (size_t)length);
		if (!random_below(seed, 1000))
			text_add_bytes(out, (const char *)junk, sizeof junk);
	}
}

struct fixture {
	struct text bytes;
	char *path;
	bool made; /* the file is ours */
	struct session session;
	struct trace *trace;
	struct reader *reader;
	VEC(struct message) walked; /* all messages */
	sem_t told;
};

static void
ring(void *context)
{
	sem_post(context);
}

/* Opens what is at f->path. */
static void
open_path(struct fixture *f, const char *format, char *const *collateral, size_t collateral_count)
{
	struct err err = {0};
	option_defaults(profile_options_table(), &f->session.profile);
	f->trace = session_open(&f->session, f->path, format, collateral, collateral_count, &err);
	assert_non_null(f->trace);
	f->reader = reader_new(f->trace);
	sem_init(&f->told, 0, 0);
	session_notify(&f->session, ring, &f->told);
}

static void
open_bytes(struct fixture *f)
{
	f->path = toy_file(f->bytes.data, f->bytes.length);
	f->made = true;
	open_path(f, "syst/raw", NULL, 0);
}

static char *
data_path(const char *name)
{
	const char *srcdir = getenv("srcdir");
	struct text path = {0};
	text_addf(&path, "%s/testdata/%s", srcdir ? srcdir : ".", name);
	return path.data;
}

static struct fixture
strings(uint64_t seed, size_t count, uint32_t rare)
{
	struct fixture f = {0};
	add_strings(&f.bytes, &seed, count, rare);
	return f;
}

static void
walk_all(struct fixture *f)
{
	struct message batch[256];
	struct reader *reader = reader_new(f->trace);
	size_t count;
	vec_clear(&f->walked);
	while ((count = reader_walk(reader, batch, 256)) > 0)
		for (size_t i = 0; i < count; i++)
			*vec_add(&f->walked) = batch[i];
	reader_free(reader);
}

static void
close_fixture(struct fixture *f)
{
	session_notify(&f->session, NULL, NULL);
	reader_free(f->reader);
	session_close(&f->session);
	if (f->made)
		unlink(f->path);
	free(f->path);
	text_free(&f->bytes);
	vec_free(&f->walked);
	sem_destroy(&f->told);
}

/* Strings, indexed and walked. */
static void
open_strings(struct fixture *f, uint64_t seed, size_t count, uint32_t rare)
{
	*f = strings(seed, count, rare);
	open_bytes(f);
	walk_all(f);
	index_build(trace_index(f->trace));
}

static struct filter
text_filter(const char *pattern)
{
	struct filter filter = filter_all();
	filter.expr = filter_parse_pattern(pattern, NULL);
	return filter;
}

/* Waits for news until the count is exact. */
static void
wait_exact(struct fixture *f, struct matches *m)
{
	struct matches_progress progress;
	struct timespec deadline;
	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += 60;
	for (;;) {
		matches_update(m);
		matches_get_progress(m, &progress);
		if (progress.exact)
			return;
		assert_int_equal(sem_timedwait(&f->told, &deadline), 0);
	}
}

/* --- against the walk -------------------------------------------------- */

/* The numbers of all messages that both filters want. */
typedef VEC(size_t) numbers;

static numbers
naive(struct fixture *f, const struct filter *want, const struct filter *also)
{
	numbers matches = {0};
	struct expansion scratch = {0};
	for (size_t i = 0; i < f->walked.count; i++) {
		struct message own = f->walked.at[i];
		if (filter_match(want, f->reader, &own, &scratch) &&
		    (!also || filter_match(also, f->reader, &own, &scratch)))
			*vec_add(&matches) = i;
	}
	expansion_free(&scratch);
	return matches;
}

static size_t
number_at(struct fixture *f, struct position p)
{
	bool exact;
	size_t number = (size_t)reader_number(f->reader, p, &exact);
	assert_true(exact);
	return number;
}

static void
check_steps(struct fixture *f, struct matches *m, const numbers *matches)
{
	struct position p = {0}, match;
	uint64_t last = index_cell_count(trace_index(f->trace)) - 1;
	size_t i = 0;
	if (matches->count && matches->at[0] == 0)
		i = 1; /* past the first message */
	while (matches_next(m, f->reader, p, 1, &match) == MATCHES_FOUND) {
		assert_true(i < matches->count);
		assert_int_equal(number_at(f, match), matches->at[i++]);
		p = match;
	}
	assert_int_equal(i, matches->count);
	assert_int_equal(matches_next(m, f->reader, p, 1, &match), MATCHES_END);
	p = (struct position){.cell = last, .at = SIZE_MAX};
	while (matches_next(m, f->reader, p, -1, &match) == MATCHES_FOUND) {
		assert_true(i > 0);
		assert_int_equal(number_at(f, match), matches->at[--i]);
		p = match;
	}
	assert_int_equal(i, 0);
	assert_int_equal(matches_next(m, f->reader, p, -1, &match), MATCHES_END);
}

static void
check_ranks(struct fixture *f, struct matches *m, const numbers *matches, size_t step)
{
	struct position p;
	uint64_t rank;
	bool exact;
	for (size_t i = 0; i < matches->count; i += step) {
		assert_true(matches_find(m, f->reader, i, &p));
		assert_int_equal(number_at(f, p), matches->at[i]);
		assert_true(matches_rank(m, f->reader, p, &rank, &exact));
		assert_true(exact);
		assert_int_equal(rank, i);
	}
	assert_false(matches_find(m, f->reader, matches->count, &p));
	for (size_t i = 0, at = 0; i < f->walked.count; i += 97) { /* mostly no matches */
		while (at < matches->count && matches->at[at] < i)
			at++;
		assert_true(reader_find_number(f->reader, i, &p, &exact));
		bool match = matches_rank(m, f->reader, p, &rank, &exact);
		assert_int_equal(match, at < matches->count && matches->at[at] == i);
		assert_int_equal(rank, at);
		assert_true(exact);
	}
}

static void
check_cells(struct fixture *f, struct matches *m, const numbers *matches)
{
	uint64_t cells = index_cell_count(trace_index(f->trace)), got;
	size_t i = 0;
	for (uint64_t cell = 0; cell < cells; cell++) {
		struct matches_rows rows;
		const struct decoded_cell *decoded = reader_decoded_cell(f->reader, cell);
		size_t first = (size_t)decoded->first, end = first + decoded->count, begin = i;
		while (i < matches->count && matches->at[i] < end)
			i++;
		assert_true(matches_in_cell(m, cell, &got));
		assert_int_equal(got, i - begin);
		assert_true(matches_rows(m, f->reader, cell, &rows));
		assert_int_equal(rows.count, i - begin);
		for (size_t k = 0; k < rows.count; k++)
			assert_int_equal(first + rows.at[k], matches->at[begin + k]);
	}
	assert_int_equal(i, matches->count);
	assert_false(matches_in_cell(m, cells, &got));
}

static void
check(struct fixture *f, struct matches *m, const struct filter *want, const struct filter *also)
{
	struct matches_progress progress;
	numbers matches = naive(f, want, also);
	matches_get_progress(m, &progress);
	assert_true(progress.exact);
	assert_int_equal(progress.count, matches.count);
	if (progress.cells < progress.of) { /* known from sums: wait for the cells too */
		while (progress.cells < progress.of) {
			usleep(1000);
			matches_get_progress(m, &progress);
		}
		assert_int_equal(progress.count, matches.count);
	}
	assert_int_equal(progress.of, index_cell_count(trace_index(f->trace)));
	check_cells(f, m, &matches);
	check_steps(f, m, &matches);
	check_ranks(f, m, &matches, matches.count / 1000 + 1);
	vec_free(&matches);
}

static void
compare(struct fixture *f, const struct filter *want, const struct filter *also)
{
	struct matches *m = matches_new(f->trace, want, also, 0);
	wait_exact(f, m);
	check(f, m, want, also);
	matches_free(m);
}

/* What is decided at once is the same, be it all or some of it, and of all no thread
 * has to go on. */
static void
compare_here(struct fixture *f, const struct filter *want, const struct filter *also)
{
	uint64_t middle = index_cell_count(trace_index(f->trace)) / 2;
	struct matches_progress progress;
	struct matches *m =
	    matches_new_here(f->trace, want, also, middle, NULL, f->reader, INT64_MAX);
	matches_get_progress(m, &progress);
	assert_true(progress.exact);
	assert_false(progress.working);
	check(f, m, want, also);
	matches_free(m);
	m = matches_new_here(f->trace, want, also, middle, NULL, f->reader, thread_now_ms() + 1);
	wait_exact(f, m);
	check(f, m, want, also);
	matches_free(m);
}

/* What a set takes over from one of a filter that is the same but for its severities, or is
 * another one, is what it would find itself. */
static void
compare_after(struct fixture *f, const struct filter *want, const struct filter *before)
{
	struct filter other = *want;
	other.severities = before->severities;
	const struct filter *const filters[] = {&other, before};
	for (size_t i = 0; i < 2; i++) {
		struct matches *former = matches_new(f->trace, filters[i], NULL, 0);
		if (want->severities & 1)
			wait_exact(f, former);
		struct matches *m =
		    matches_new_here(f->trace, want, NULL, 0, former, f->reader, INT64_MAX);
		matches_free(former);
		wait_exact(f, m);
		check(f, m, want, NULL);
		matches_free(m);
	}
}

/* A filter of random parts; REGEXES are of growing cost. */
static struct filter
any_filter(struct fixture *f, uint64_t *seed)
{
	static const char *const patterns[] = {"needle", "n [0-9]*7 ", "^n 1", "no such thing", ""};
	struct filter filter = filter_all();
	if (random_below(seed, 2))
		filter.severities = (uint8_t)random_below(seed, 256);
	if (!random_below(seed, 4))
		filter.flags = MESSAGE_DAMAGED;
	if (!random_below(seed, 3)) {
		filter.by_origin = true;
		filter.origin = f->walked.at[random_below(seed, f->walked.count)].origin +
				!random_below(seed, 4);
	}
	if (!random_below(seed, 3))
		filter.expr = filter_parse_pattern(
		    patterns[random_below(seed, sizeof patterns / sizeof *patterns)], NULL);
	return filter;
}

static void
test_any_filter(void **state)
{
	(void)state;
	static const uint32_t rarity[] = {2, 40, 3000};
	uint64_t seed = 1;
	for (size_t i = 0; i < 3; i++) {
		struct fixture f;
		open_strings(&f, (uint32_t)i, 12000, rarity[i]);
		for (int k = 0; k < 20; k++) {
			struct filter want = any_filter(&f, &seed), also = any_filter(&f, &seed);
			compare(&f, &want, random_below(&seed, 2) ? &also : NULL);
			compare_here(&f, &want, &also);
			compare_after(&f, &want, &also);
			filter_free(&want);
			filter_free(&also);
		}
		close_fixture(&f);
	}
}

/* Damaged captures of the other formats, from the encoders of tests/mkcapture. */
static void
test_formats(void **state)
{
	(void)state;
	static const struct {
		const char *name, *format;
	} captures[] = {{"demo.stp", "syst/stp"},	{"damaged-hex.txt", "syst/hex"},
			{"damaged-encap.bin", "encap"}, {"damaged-gem.bin", "gem"},
			{"damaged-uia.bin", "uia"},	{"damaged-csel.csel", "csel"}};
	uint64_t seed = 77;
	for (size_t i = 0; i < sizeof captures / sizeof *captures; i++) {
		struct fixture f = {.path = data_path(captures[i].name)};
		open_path(&f, captures[i].format, NULL, 0);
		walk_all(&f);
		index_build(trace_index(f.trace));
		for (int k = 0; k < 10; k++) {
			struct filter want = any_filter(&f, &seed);
			compare(&f, &want, NULL);
			filter_free(&want);
		}
		close_fixture(&f);
	}
}

/* CoreSight: packets of an STM have one key, whatever master they are of. */
static void
test_names_that_vary(void **state)
{
	(void)state;
	struct fixture f = {.path = data_path("all-opencsd")};
	if (!opencsd_library_version()) {
		print_message("# built without the OpenCSD library\n");
		free(f.path);
		skip();
	}
	struct filter stm = filter_all();
	stm.expr = filter_parse("origin ~ /STM_0 /", NULL, NULL);
	assert_non_null(stm.expr);
	open_path(&f, NULL, NULL, 0);
	walk_all(&f);
	index_build(trace_index(f.trace));
	numbers matches = {0};
	struct expansion e = {0};
	for (size_t i = 0; i < f.walked.count; i++) {
		reader_expand(f.reader, &f.walked.at[i], EXPAND_TEXT, &e);
		if (strstr(text_get(&e.origin), "STM_0 "))
			*vec_add(&matches) = i;
	}
	assert_true(matches.count > 10);
	struct matches *m = matches_new(f.trace, &stm, NULL, 0);
	struct matches_progress progress;
	wait_exact(&f, m);
	matches_get_progress(m, &progress);
	assert_int_equal(progress.count, matches.count);
	check_cells(&f, m, &matches);
	matches_free(m);
	expansion_free(&e);
	vec_free(&matches);
	filter_free(&stm);
	close_fixture(&f);
}

/* More cells than a group holds: sums over groups, and groups passed at once. */
static void
test_groups(void **state)
{
	(void)state;
	struct fixture f;
	open_strings(&f, 7, 420000, 30000);
	assert_true(index_cell_count(trace_index(f.trace)) > 512);
	struct filter errors = {.severities = 1 << SEVERITY_ERROR};
	struct filter most = {.severities = 1 << SEVERITY_INFO};
	struct filter text = text_filter("needle");
	compare(&f, &errors, NULL);
	compare(&f, &most, NULL);
	compare(&f, &text, NULL);
	compare(&f, &text, &most);
	filter_free(&text);
	close_fixture(&f);
}

/* What summaries tell is there at once, without a thread. */
static void
test_at_once(void **state)
{
	(void)state;
	struct fixture f;
	open_strings(&f, 3, 20000, 50);
	struct matches_progress progress;
	struct filter errors = {.severities = 1 << SEVERITY_ERROR | 1 << SEVERITY_FATAL};
	struct matches *m = matches_new(f.trace, &errors, NULL, 0);
	matches_get_progress(m, &progress);
	assert_true(progress.exact);
	assert_false(progress.working);
	assert_int_equal(progress.looked, 0);
	check(&f, m, &errors, NULL);
	matches_free(m);

	/* of an origin the total; which cells it is in takes longer */
	struct filter origin = {
	    .severities = 1 << SEVERITY_INFO, .by_origin = true, .origin = f.walked.at[0].origin};
	numbers matches = naive(&f, &origin, NULL);
	m = matches_new(f.trace, &origin, NULL, 0);
	matches_get_progress(m, &progress);
	assert_true(progress.exact);
	assert_int_equal(progress.count, matches.count);
	assert_true(matches.count > 0);
	vec_free(&matches);
	matches_free(m);

	/* and so by what it is called */
	struct filter named = filter_all();
	named.expr = filter_parse("severity <= warning and origin ~ /:[25]$/", NULL, NULL);
	assert_non_null(named.expr);
	matches = naive(&f, &named, NULL);
	m = matches_new(f.trace, &named, NULL, 0);
	matches_get_progress(m, &progress);
	assert_true(progress.exact);
	assert_int_equal(progress.count, matches.count);
	assert_in_range(matches.count, 100, f.walked.count / 2);
	vec_free(&matches);
	check(&f, m, &named, NULL);
	matches_free(m);
	filter_free(&named);
	close_fixture(&f);
}

/* --- changes ----------------------------------------------------------- */

static void
append(const char *path, const char *bytes, size_t length)
{
	int file = open(path, O_WRONLY | O_APPEND);
	assert_int_equal(write(file, bytes, length), (ssize_t)length);
	close(file);
}

/* Waits until the index knows all that can be known of the present bytes. */
static void
wait_walked(struct fixture *f, uint64_t cells)
{
	while (index_known(trace_index(f->trace)) < cells)
		usleep(1000);
}

static void
test_growth(void **state)
{
	(void)state;
	struct fixture f = strings(11, 30000, 200);
	struct text all = f.bytes;
	size_t cut[] = {all.length / 7, all.length / 3, all.length / 3 * 2, all.length};
	struct filter errors = {.severities = 1 << SEVERITY_ERROR};
	struct filter text = text_filter("needle");
	f.bytes.length = cut[0];
	open_bytes(&f);
	f.bytes.length = all.length;
	capture_follow(trace_capture(f.trace), true);
	index_start(trace_index(f.trace));
	struct matches *sets[] = {matches_new(f.trace, &errors, NULL, 0),
				  matches_new(f.trace, &text, NULL, 0)};
	uint64_t before[2] = {0};
	for (size_t i = 0; i < 4; i++) {
		if (i)
			append(f.path, all.data + cut[i - 1], cut[i] - cut[i - 1]);
		if (i == 3)
			capture_follow(trace_capture(f.trace), false);
		trace_refresh(f.trace);
		wait_walked(&f, (cut[i] >> 16) - 2);
		for (size_t k = 0; k < 2; k++) {
			struct matches_progress progress;
			assert_false(matches_update(sets[k]));
			matches_get_progress(sets[k], &progress);
			assert_true(progress.count >= before[k]);
			assert_true(i == 3 || !progress.exact);
			struct position end = {.cell = index_known(trace_index(f.trace)), .at = 0};
			assert_true(i == 3 || matches_next(sets[k], f.reader, end, 1, &end) ==
						  MATCHES_UNDECIDED);
			before[k] = progress.count;
		}
	}
	walk_all(&f);
	wait_exact(&f, sets[0]);
	wait_exact(&f, sets[1]);
	check(&f, sets[0], &errors, NULL);
	check(&f, sets[1], &text, NULL);
	matches_free(sets[0]);
	matches_free(sets[1]);
	filter_free(&text);
	close_fixture(&f);
}

/* Another, shorter content under the same set. */
static void
test_restart(void **state)
{
	(void)state;
	struct fixture f = strings(5, 20000, 20);
	struct text other = {0};
	uint64_t seed = 99;
	struct filter text = text_filter("needle");
	open_bytes(&f);
	index_start(trace_index(f.trace));
	struct matches *m = matches_new(f.trace, &text, NULL, 0);
	wait_exact(&f, m);

	add_strings(&other, &seed, 9000, 100);
	assert_int_equal(truncate(f.path, 0), 0);
	append(f.path, other.data, other.length);
	unsigned epoch = index_generation(trace_index(f.trace));
	trace_refresh(f.trace);
	while (index_generation(trace_index(f.trace)) == epoch)
		usleep(1000);
	assert_true(matches_update(m));
	wait_exact(&f, m);
	reader_free(f.reader);
	f.reader = reader_new(f.trace);
	walk_all(&f);
	check(&f, m, &text, NULL);
	matches_free(m);
	filter_free(&text);
	text_free(&other);
	close_fixture(&f);
}

/* Names that come with collateral change what a text filter finds. */
static void
test_late_text(void **state)
{
	(void)state;
	struct fixture f = {.path = data_path("demo.stp")};
	struct err err = {0};
	char *collateral[] = {data_path("demo.xml")};
	open_path(&f, "syst/stp", collateral, 1);
	index_build(trace_index(f.trace));
	walk_all(&f);

	struct filter text = filter_all(), info = {.severities = 1 << SEVERITY_INFO};
	text.expr = filter_parse_pattern("^boot rom$", NULL);
	struct matches *m = matches_new(f.trace, &text, NULL, 0);
	struct matches *other = matches_new(f.trace, &info, NULL, 0);
	/* a text of the catalog: before, it is sure that messages lack it */
	struct filter catalog = text_filter("send DECODE");
	struct matches *texts = matches_new(f.trace, &catalog, NULL, 0);
	struct matches_progress progress;
	wait_exact(&f, m);
	matches_get_progress(m, &progress);
	assert_int_equal(progress.count, 0);
	wait_exact(&f, texts);
	matches_get_progress(texts, &progress);
	assert_int_equal(progress.count, 0);
	unsigned before = trace_generation(f.trace);
	assert_true(trace_load(f.trace, &err) > 0);
	/* what was expanded before has a name now */
	trace_lacks_name(f.trace, before);
	assert_int_equal(trace_names(f.trace), TRACE_NAMES_GOOD);
	assert_true(matches_update(texts));
	wait_exact(&f, texts);
	matches_get_progress(texts, &progress);
	assert_true(progress.count > 0);
	check(&f, texts, &catalog, NULL);
	matches_free(texts);
	filter_free(&catalog);
	struct filter fewer = text; /* nothing is taken over from before that */
	fewer.severities = 0xfe;
	struct matches *after = matches_new_here(f.trace, &fewer, NULL, 0, m, f.reader, INT64_MAX);
	check(&f, after, &fewer, NULL);
	matches_get_progress(after, &progress);
	assert_true(progress.count > 0);
	matches_free(after);
	assert_false(matches_update(other)); /* rests on no text */
	assert_true(matches_update(m));
	wait_exact(&f, m);
	matches_get_progress(m, &progress);
	assert_true(progress.count > 0);
	check(&f, m, &text, NULL);
	trace_lacks_name(f.trace, trace_generation(f.trace));
	assert_int_equal(trace_names(f.trace), TRACE_NAMES_LACKING);
	matches_free(m);
	matches_free(other);
	filter_free(&text);
	close_fixture(&f);
	free(collateral[0]);
}

/* --- order, ends, bounds ----------------------------------------------- */

/* What is seen when the first match is told, by the thread that found it. */
struct witness {
	struct matches *_Atomic m;
	uint64_t near, far;
	bool near_decided, far_decided, heard;
	sem_t go, told;
};

static void
look_round(void *context)
{
	struct witness *w = context;
	uint64_t matches;
	sem_wait(&w->go);
	if (!w->heard) {
		w->near_decided = matches_in_cell(w->m, w->near, &matches);
		w->far_decided = matches_in_cell(w->m, w->far, &matches);
	}
	w->heard = true;
	sem_post(&w->go);
	sem_post(&w->told);
}

static void
test_outward(void **state)
{
	(void)state;
	struct fixture f;
	open_strings(&f, 21, 60000, 20);
	struct filter text = text_filter("needle");
	uint64_t cells = index_cell_count(trace_index(f.trace));
	struct witness w = {.near = cells / 2};
	sem_init(&w.go, 0, 0);
	sem_init(&w.told, 0, 0);
	session_notify(&f.session, look_round, &w);
	f.session.host.threads = 1; /* of several the first need not be the first that is done */
	w.m = matches_new(f.trace, &text, NULL, w.near);
	sem_post(&w.go);
	sem_wait(&w.told);
	assert_true(w.near_decided);
	assert_false(w.far_decided);
	matches_free(w.m);
	session_notify(&f.session, NULL, NULL);
	filter_free(&text);
	close_fixture(&f);
	sem_destroy(&w.go);
	sem_destroy(&w.told);
}

/* Going from match to match while they are still being found: each wait for news
 * ends, and all matches come in the end. */
static void
test_await(void **state)
{
	(void)state;
	static const int directions[] = {1, -1};
	struct fixture f;
	open_strings(&f, 23, 60000, 2000);
	struct filter text = text_filter("needle");
	numbers matches = naive(&f, &text, NULL);
	assert_true(matches.count > 10);
	uint64_t last = index_cell_count(trace_index(f.trace)) - 1;
	for (size_t k = 0; k < 2; k++) {
		int direction = directions[k];
		uint64_t from = direction > 0 ? 0 : last;
		struct matches *m = matches_new(f.trace, &text, NULL, from);
		struct position p = {.cell = from, .at = direction > 0 ? 0 : SIZE_MAX}, match;
		struct timespec deadline;
		enum matches_result result;
		size_t count = direction > 0 && matches.at[0] == 0;
		clock_gettime(CLOCK_REALTIME, &deadline);
		deadline.tv_sec += 60;
		while ((result = matches_next(m, f.reader, p, direction, &match)) != MATCHES_END) {
			p = match;
			if (result == MATCHES_FOUND)
				assert_int_equal(
				    number_at(&f, match),
				    matches.at[direction > 0 ? count : matches.count - 1 - count]);
			count += result == MATCHES_FOUND;
			if (result == MATCHES_UNDECIDED && matches_await(m, match, direction))
				assert_int_equal(sem_timedwait(&f.told, &deadline), 0);
		}
		assert_int_equal(count, matches.count);
		matches_free(m);
	}
	vec_free(&matches);
	filter_free(&text);
	close_fixture(&f);
}

static double
seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Stopped sets stay where they are, and answer with what they have. */
static void
test_stop(void **state)
{
	(void)state;
	struct fixture f;
	open_strings(&f, 31, 200000, 20);
	struct filter text = text_filter("(n|e)+(e|d)+l.*e");
	struct matches_progress progress, later;
	struct position match;
	struct matches *m = matches_new(f.trace, &text, NULL, 0);
	sem_wait(&f.told);
	matches_stop(m, true);
	matches_get_progress(m, &progress);
	assert_true(progress.count > 0);
	assert_false(progress.exact);
	assert_false(progress.working);
	assert_true(progress.cells < progress.of);
	usleep(200000);
	matches_update(m);
	matches_get_progress(m, &later);
	/* the cells that threads were looking at may still be decided, and no others */
	assert_in_range(later.cells, progress.cells, progress.cells + thread_processors());

	/* matches up to the first undecided cell, where the caller must go on */
	struct position p = {0};
	uint64_t matches, count = 0;
	enum matches_result result;
	while ((result = matches_next(m, f.reader, p, 1, &match)) == MATCHES_FOUND) {
		p = match;
		count++;
	}
	assert_int_equal(result, MATCHES_UNDECIDED);
	assert_true(count + 1 >= progress.count); /* the very first message may be one */
	assert_true(matches_in_cell(m, match.cell, &matches) || match.cell == 0);
	assert_false(matches_in_cell(m, match.cell + 1, &matches));
	matches_free(m);

	m = matches_new(f.trace, &text, NULL, 0);
	double began = seconds();
	matches_free(m);
	assert_true(seconds() - began < 10); /* of a machine that has other work too */
	filter_free(&text);
	close_fixture(&f);
}

static struct list_matches
one_set(struct fixture *f, const struct filter *want)
{
	struct list_matches matches = {.of = mem_new(sizeof *matches.of), .count = 1};
	matches.of[0] = matches_new(f->trace, want, NULL, 0);
	return matches;
}

/* Sets that are turned back to are the same ones, and go on where they were left. */
static void
test_turn(void **state)
{
	(void)state;
	struct fixture f;
	open_strings(&f, 37, 50000, 20);
	struct filter all = filter_all(), first = text_filter("(n|e)+(e|d)+l.*e"), second = first;
	second.severities = filter_threshold(SEVERITY_ERROR, false);
	struct list_matches now = one_set(&f, &first), former = {0};
	struct matches *a = now.of[0];
	list_matches_turn(&now, &former, &second);
	assert_int_equal(now.count, 0);
	assert_ptr_equal(former.of[0], a);

	now = one_set(&f, &second);
	struct matches *b = now.of[0];
	wait_exact(&f, b);
	list_matches_turn(&now, &former, &first);
	assert_ptr_equal(now.of[0], a);
	assert_ptr_equal(former.of[0], b);
	wait_exact(&f, a);
	check(&f, a, &first, NULL);
	check(&f, b, &second, NULL);

	list_matches_turn(&now, &former, &all); /* none are counted for that */
	assert_int_equal(now.count, 0);
	assert_ptr_equal(former.of[0], a);
	list_matches_turn(&now, &former, &second);
	assert_int_equal(now.count, 0);
	list_matches_turn(&now, &former, &first);
	assert_ptr_equal(now.of[0], a);
	assert_int_equal(former.count, 0);
	list_matches_close(&now);
	filter_free(&first);
	close_fixture(&f);
}

/* Matches in every cell, few enough to be kept. */
static void
test_memory(void **state)
{
	(void)state;
	struct fixture f;
	open_strings(&f, 41, 200000, 20);
	struct filter text = text_filter("n [0-9]*77 ");
	uint64_t cells = index_cell_count(trace_index(f.trace));
	struct matches *m = matches_new(f.trace, &text, NULL, 0);
	wait_exact(&f, m);
	struct matches_progress progress;
	matches_get_progress(m, &progress);
	uint64_t groups = (cells + 255) / 256;
	assert_true(matches_memory(m) >= groups * 1024 + 2 * progress.count);
	assert_true(matches_memory(m) <= groups * 1200 + 3 * progress.count + 4096);
	matches_free(m);
	filter_free(&text);

	text = text_filter("n"); /* most, which are not kept */
	m = matches_new(f.trace, &text, NULL, 0);
	wait_exact(&f, m);
	assert_true(matches_memory(m) <= groups * 1200 + 4096);
	matches_free(m);
	filter_free(&text);
	close_fixture(&f);
}

/* Nothing to count, and nowhere to go. */
static void
test_empty_capture(void **state)
{
	(void)state;
	struct fixture f = {0};
	struct position match;
	open_bytes(&f);
	index_build(trace_index(f.trace));
	struct filter errors = {.severities = 1 << SEVERITY_ERROR};
	struct matches *m = matches_new(f.trace, &errors, NULL, 0);
	struct matches_progress progress;
	matches_get_progress(m, &progress);
	assert_int_equal(progress.count, 0);
	assert_int_not_equal(matches_next(m, f.reader, (struct position){0}, 1, &match),
			     MATCHES_FOUND);
	assert_int_not_equal(matches_next(m, f.reader, (struct position){0}, -1, &match),
			     MATCHES_FOUND);
	assert_false(matches_find(m, f.reader, 0, &match));
	matches_free(m);
	close_fixture(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_any_filter),
	    cmocka_unit_test(test_formats),
	    cmocka_unit_test(test_names_that_vary),
	    cmocka_unit_test(test_groups),
	    cmocka_unit_test(test_at_once),
	    cmocka_unit_test(test_growth),
	    cmocka_unit_test(test_restart),
	    cmocka_unit_test(test_late_text),
	    cmocka_unit_test(test_outward),
	    cmocka_unit_test(test_stop),
	    cmocka_unit_test(test_await),
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_turn),
	    cmocka_unit_test(test_empty_capture),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
