/*
 * Rows of groups: of a log whose levels, tags and numbers are drawn by the test, which counts
 * them itself.  A group of all, groups of random parts that are appended, and groups in which
 * every name must be expanded have the same rows; columns sort them.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "folder.h"
#include "query/group/group_search.h"
#include "random.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <sched.h>

enum { MESSAGES = 4000, LEVELS = 4, TAGS = 5, KEYS = LEVELS * TAGS };

static const char levels[LEVELS + 1] = "DIWE";
static const char *const severities[LEVELS] = {"DEBUG", "INFO", "WARNING", "ERROR"};

struct drawn {
	unsigned level, tag;
	bool numbered; /* it has a number, else none */
	uint64_t pid;
	int64_t time; /* ms in a day */
};

struct fixture {
	struct folder folder;
	struct session session;
	struct reader *reader;
	struct expansion expansion;
	struct drawn drawn[MESSAGES];
};

/* Times go back now and then; numbers are of few and of many digits. */
static void
draw(struct fixture *f, struct text *log)
{
	uint64_t seed = 41;
	int64_t time = 3600000;
	for (size_t i = 0; i < MESSAGES; i++) {
		struct drawn *d = &f->drawn[i];
		time += (int64_t)random_below(&seed, 50) - (random_below(&seed, 20) ? 0 : 30);
		*d = (struct drawn){.level = random_below(&seed, LEVELS),
				    .tag = random_below(&seed, TAGS),
				    .numbered = random_below(&seed, 10) > 0,
				    .time = time};
		d->pid = random_below(&seed, random_below(&seed, 2) ? 8 : 1000000);
		text_addf(log, "%02lld:%02lld:%02lld.%03lld %c tag%u: ", (long long)time / 3600000,
			  (long long)time / 60000 % 60, (long long)time / 1000 % 60,
			  (long long)time % 1000, levels[d->level], d->tag);
		if (d->numbered)
			text_addf(log, "<%llu> ", (unsigned long long)d->pid);
		text_addf(log, "text\n");
	}
}

static int
open_fixture(void **state)
{
	static const char profile[] = "traces:\n"
				      "  - file: drawn.log\n"
				      "    format: text\n"
				      "    text:\n"
				      "      pattern: '^(?<time>[0-9:.]+) (?<level>\\w) "
				      "(?<origin>\\w+): (?:<(?<pid>\\d+)> )?'\n"
				      "      time: clock\n";
	struct fixture *f = mem_new(sizeof *f);
	struct text log = {0};
	struct err err = {0};
	folder_make(&f->folder);
	draw(f, &log);
	folder_put(&f->folder, "drawn.log", log.data, log.length);
	folder_put(&f->folder, "drawn.yaml", profile, sizeof profile - 1);
	const char *path = f->folder.files.at[f->folder.files.count - 1];
	if (profile_load(path, &f->session.profile, &err) < 0)
		fail_msg("%s", err.what);
	f->session.profile_path = path;
	if (session_open_named(&f->session, NULL, 0, &err) < 0)
		fail_msg("%s", err.what);
	assert_true(trace_load(f->session.traces.at[0], &err) >= 0);
	session_link(&f->session);
	session_build(&f->session);
	clocks_load(f->session.clocks, true);
	f->reader = reader_new(f->session.traces.at[0]);
	text_free(&log);
	*state = f;
	return 0;
}

static int
close_fixture(void **state)
{
	struct fixture *f = *state;
	expansion_free(&f->expansion);
	reader_free(f->reader);
	session_close(&f->session);
	folder_remove(&f->folder);
	free(f);
	return 0;
}

static void
make_spec(struct fixture *f, struct group_spec *spec, const char *by, const char *of)
{
	struct err err = {0};
	if (group_spec_make(spec, by, of, &f->session, &err) < 0)
		fail_msg("%s", err.what);
}

/* A group of all messages, in parts of at most PART that are appended; 0: all at once. */
static struct group *
group_all(struct fixture *f, const struct group_spec *spec, size_t part)
{
	struct group *all = group_new(spec), *some = group_new(spec);
	uint64_t seed = part;
	for (size_t i = 0, left = 0; i < MESSAGES; i++, left--) {
		struct position at;
		bool exact;
		assert_true(reader_find_number(f->reader, i, &at, &exact));
		const struct message m = *reader_message(f->reader, at);
		struct value_look look = {
		    .reader = f->reader, .message = &m, .number = i, .expansion = &f->expansion};
		if (part && !left) {
			group_append(all, some);
			assert_int_equal(group_messages(some), 0);
			left = 1 + random_below(&seed, part);
		}
		group_add(part ? some : all, &look);
	}
	group_append(all, some);
	group_free(some);
	if (part)
		group_end(all); /* the rows remain */
	assert_int_equal(group_messages(all), MESSAGES);
	return all;
}

/* --- what is expected ------------------------------------------------------------ */

struct expected {
	uint64_t count, numbers, sum;
	int64_t first, last, gap; /* ms; -1: none */
	uint64_t sorted[MESSAGES];
};

static int
compare_unsigned(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static void
count_expected(const struct fixture *f, unsigned level, unsigned tag, struct expected *e)
{
	*e = (struct expected){.gap = -1};
	for (size_t i = 0; i < MESSAGES; i++) {
		const struct drawn *d = &f->drawn[i];
		if (d->level != level || d->tag != tag)
			continue;
		if (e->count++ == 0)
			e->first = d->time;
		else if (d->time - e->last > e->gap)
			e->gap = d->time - e->last;
		e->last = d->time;
		if (d->numbered) {
			e->sorted[e->numbers++] = d->pid;
			e->sum += d->pid;
		}
	}
	qsort(e->sorted, e->numbers, sizeof *e->sorted, compare_unsigned);
}

/* By the definition: the least number that so many per cent do not exceed. */
static uint64_t
percentile(const struct expected *e, unsigned percent)
{
	size_t rank = 1;
	while (rank * 100 < e->numbers * percent)
		rank++;
	return e->sorted[rank - 1];
}

static uint64_t
column(struct group *group, size_t row, enum group_column column)
{
	struct value value;
	group_value(group, row, column, &value);
	assert_true(value.type == VALUE_UNSIGNED || value.type == VALUE_SIGNED);
	return value.u;
}

static double
real_column(struct group *group, size_t row, enum group_column column)
{
	struct value value;
	group_value(group, row, column, &value);
	assert_int_equal(value.type, VALUE_REAL);
	return value.d;
}

static void
check_row(struct group *group, size_t row, const struct expected *e)
{
	const uint64_t ms = 1000000;
	assert_int_equal(column(group, row, GROUP_COLUMN_COUNT), e->count);
	assert_true(real_column(group, row, GROUP_COLUMN_SHARE) == (double)e->count / MESSAGES);
	assert_int_equal(column(group, row, GROUP_COLUMN_LAST) -
			     column(group, row, GROUP_COLUMN_FIRST),
			 (uint64_t)(e->last - e->first) * ms);
	assert_int_equal(column(group, row, GROUP_COLUMN_GAP), (uint64_t)e->gap * ms);
	assert_int_equal(column(group, row, GROUP_COLUMN_VALUES), e->numbers);
	assert_int_equal(column(group, row, GROUP_COLUMN_SUM), e->sum);
	assert_int_equal(column(group, row, GROUP_COLUMN_MIN), e->sorted[0]);
	assert_int_equal(column(group, row, GROUP_COLUMN_MAX), e->sorted[e->numbers - 1]);
	assert_true(real_column(group, row, GROUP_COLUMN_MEAN) ==
		    (double)((long double)e->sum / (long double)e->numbers));
	assert_int_equal(column(group, row, GROUP_COLUMN_P50), percentile(e, 50));
	assert_int_equal(column(group, row, GROUP_COLUMN_P90), percentile(e, 90));
	assert_int_equal(column(group, row, GROUP_COLUMN_P99), percentile(e, 99));
}

static struct group_key
key_of(const struct group *group, size_t row, size_t name)
{
	struct group_key key;
	group_get_key(group_row(group, row), name, &key);
	return key;
}

static bool
is_key(const struct group *group, size_t row, size_t name, const char *text)
{
	const struct group_key key = key_of(group, row, name);
	return key.length == strlen(text) && !memcmp(key.text, text, key.length);
}

/* Each level and tag has its row, with what was drawn. */
static void
check_rows(const struct fixture *f, struct group *group)
{
	struct expected *e = mem_new(sizeof *e);
	assert_int_equal(group_count(group), KEYS);
	for (unsigned i = 0; i < KEYS; i++) {
		char tag[16];
		size_t row = 0;
		snprintf(tag, sizeof tag, "tag%u", i % TAGS);
		while (row < KEYS &&
		       !(is_key(group, row, 0, severities[i / TAGS]) && is_key(group, row, 1, tag)))
			row++;
		assert_true(row < KEYS);
		count_expected(f, i / TAGS, i % TAGS, e);
		check_row(group, row, e);
	}
	free(e);
}

/* --- tests ------------------------------------------------------------------------ */

static void
test_parts(void **state)
{
	struct fixture *f = *state;
	static const size_t parts[] = {0, 1, 3, 100, 1500};
	struct group_spec spec;
	make_spec(f, &spec, "severity, origin", "pid");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct group *group = group_all(f, &spec, parts[i]);
		check_rows(f, group);
		group_free(group);
	}
	group_spec_free(&spec);
}

/* A third name that takes expanding: rows are found by their texts. */
static void
test_texts(void **state)
{
	struct fixture *f = *state;
	struct group_spec spec;
	make_spec(f, &spec, "severity,origin,text", "pid");
	assert_false(spec.by_raw);
	struct group *group = group_all(f, &spec, 70);
	check_rows(f, group);
	group_free(group);
	group_spec_free(&spec);
}

/* Numbers as rows: each once, in their order and not in that of their digits; what has none
 * last, either way. */
static void
test_sort(void **state)
{
	struct fixture *f = *state;
	struct group_spec spec;
	make_spec(f, &spec, "pid", NULL);
	struct group *group = group_all(f, &spec, 200);
	size_t count = group_count(group), *order = mem_new(count * sizeof *order);
	for (int backwards = 0; backwards < 2; backwards++) {
		uint64_t messages = 0;
		group_sort(group, GROUP_COLUMNS, backwards, order);
		for (size_t i = 0; i < count; i++) {
			const struct group_row *row = group_row(group, order[i]);
			messages += row->count;
			const struct group_key key = key_of(group, order[i], 0);
			assert_int_equal(key.absent, i == count - 1);
			if (i == 0 || i == count - 1)
				continue;
			long double before = key_of(group, order[i - 1], 0).number;
			assert_true(backwards ? before > key.number : before < key.number);
		}
		assert_int_equal(messages, MESSAGES);
	}
	group_sort(group, GROUP_COLUMN_COUNT, false, order); /* equal counts by their number */
	for (size_t i = 1; i < count; i++) {
		const struct group_row *before = group_row(group, order[i - 1]);
		const struct group_row *row = group_row(group, order[i]);
		assert_true(before->count >= row->count);
		const struct group_key key = key_of(group, order[i], 0);
		if (before->count == row->count && !key.absent)
			assert_true(key_of(group, order[i - 1], 0).number < key.number);
	}
	free(order);
	group_free(group);
	group_spec_free(&spec);
}

/* Negative, 0 or positive as keys are in order from the least; what is absent is last, either
 * way. */
static int
compare_keys(const struct group_key *a, const struct group_key *b, bool backwards)
{
	if (a->absent || b->absent)
		return a->absent - b->absent;
	size_t common = a->length < b->length ? a->length : b->length;
	int order = a->is_number ? (a->number > b->number) - (a->number < b->number)
				 : memcmp(a->text, b->text, common);
	if (!order && !a->is_number)
		order = (a->length > b->length) - (a->length < b->length);
	return backwards ? -order : order;
}

/* The same of what rows have in a column, from the least. */
static int
compare_column(struct group *group, size_t a, size_t b, enum group_column column, bool backwards)
{
	struct value x, y;
	long double number, other;
	group_value(group, a, column, &x);
	group_value(group, b, column, &y);
	bool none = !value_number(&x, &number), no_other = !value_number(&y, &other);
	if (none || no_other)
		return none - no_other;
	int order = (number > other) - (number < other);
	return backwards ? -order : order;
}

/* Each row stands before the next in the column, or by its names where both are equal there. */
static void
check_order(struct group *group, unsigned column, bool backwards)
{
	size_t count = group_count(group), *order = mem_new(count * sizeof *order);
	bool upwards = column == GROUP_COLUMN_FIRST || column == GROUP_COLUMN_LAST ||
		       column == GROUP_COLUMN_GAP_FROM;
	group_sort(group, column, backwards, order);
	for (size_t i = 1; i < count; i++) {
		size_t a = order[i - 1], b = order[i];
		int found = 0;
		if (column < GROUP_COLUMNS)
			found = compare_column(group, a, b, (enum group_column)column,
					       upwards == backwards);
		for (size_t name = 0; !found && name < group_names(group); name++) {
			const struct group_key k = key_of(group, a, name);
			const struct group_key l = key_of(group, b, name);
			found = compare_keys(&k, &l, column >= GROUP_COLUMNS && backwards);
		}
		assert_true(found < 0);
	}
	free(order);
}

/* By every column and the first name, both ways.  The bytes of the lines begin alike. */
static void
test_orders(void **state)
{
	static const char *const names[] = {"bytes", "pid", "origin,pid", "severity,origin,bytes"};
	struct fixture *f = *state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct group_spec spec;
		make_spec(f, &spec, names[i], "pid");
		struct group *group = group_all(f, &spec, 0);
		for (unsigned column = 0; column < GROUP_COLUMNS; column++)
			for (int backwards = 0; backwards < 2; backwards++)
				check_order(group, column, backwards);
		if (!strchr(names[i], ','))
			for (int backwards = 0; backwards < 2; backwards++)
				check_order(group, GROUP_COLUMNS, backwards);
		group_free(group);
		group_spec_free(&spec);
	}
}

/* What the index counts is what the messages are. */
static void
test_index(void **state)
{
	struct fixture *f = *state;
	struct group_spec spec;
	struct expected *e = mem_new(sizeof *e);
	make_spec(f, &spec, "severity,origin", NULL);
	assert_false(group_is_indexed(&spec, f->reader));
	spec.counted = 1u << GROUP_COLUMN_COUNT;
	assert_true(group_is_indexed(&spec, f->reader));
	struct group *group = group_new(&spec);
	group_add_index(group, f->reader, 0xff);
	assert_int_equal(group_messages(group), MESSAGES);
	assert_int_equal(group_count(group), KEYS);
	for (size_t row = 0; row < KEYS; row++) {
		unsigned level = 0;
		while (level < LEVELS && !is_key(group, row, 0, severities[level]))
			level++;
		assert_true(level < LEVELS);
		count_expected(f, level, (unsigned)(key_of(group, row, 1).text[3] - '0'), e);
		assert_int_equal(group_row(group, row)->count, e->count);
	}
	group_free(group);
	group_spec_free(&spec);
	free(e);
}

static void
test_names(void **state)
{
	struct fixture *f = *state;
	struct group_spec spec;
	struct err err = {0};
	assert_int_equal(group_spec_make(&spec, "severity,sevrity", NULL, &f->session, &err),
			 ERR_USAGE);
	assert_int_equal(group_spec_make(&spec,
					 "number,time,trace,severity,origin,type,text,kind,ticks",
					 NULL, &f->session, &err),
			 ERR_USAGE);
	assert_string_equal(err.what, "a table groups by at most 8 names");
	make_spec(f, &spec, NULL, NULL);
	assert_string_equal(value_name_text(spec.by[0]), "origin");
	assert_int_equal(group_find_column(&spec, "origin"), GROUP_COLUMNS);
	assert_int_equal(group_find_column(&spec, "count"), GROUP_COLUMN_COUNT);
	assert_true(group_find_column(&spec, "p50") < 0);
	group_spec_free(&spec);
}

/* A search in the background counts all messages, or stops once its rows take too much. */
static void
test_search(void **state)
{
	struct fixture *f = *state;
	struct group_spec spec;
	make_spec(f, &spec, "text,origin", NULL);
	const struct filter all = {.severities = SEVERITY_ALL};
	for (int few = 0; few < 2; few++) {
		struct group_search *search =
		    group_search_new(&f->session, &spec, &all, NULL, few ? 1 : SIZE_MAX);
		while (!group_search_is_done(search))
			sched_yield();
		assert_int_equal(group_search_is_full(search), few);
		uint64_t counted = group_messages(group_search_hold(search));
		group_search_release(search);
		assert_true(few ? counted > 0 && counted < MESSAGES : counted == MESSAGES);
		group_search_free(search);
	}
	group_spec_free(&spec);
}

/* The size of a group grows with its rows and its numbers. */
static void
test_size(void **state)
{
	struct fixture *f = *state;
	static const char *const by[] = {"severity", "severity", "pid"};
	static const char *const of[] = {NULL, "pid", NULL};
	size_t sizes[3];
	for (size_t i = 0; i < 3; i++) {
		struct group_spec spec;
		make_spec(f, &spec, by[i], of[i]);
		struct group *group = group_all(f, &spec, 100);
		sizes[i] = group_bytes(group);
		group_free(group);
		group_spec_free(&spec);
	}
	/* about half of the numbers are below 8, the others mostly differ */
	assert_true(sizes[1] > sizes[0] + MESSAGES / 3 * sizeof(uint64_t));
	assert_true(sizes[2] > sizes[0] + MESSAGES / 3 * sizeof(struct group_row));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parts), cmocka_unit_test(test_texts),
	    cmocka_unit_test(test_sort),  cmocka_unit_test(test_orders),
	    cmocka_unit_test(test_index), cmocka_unit_test(test_names),
	    cmocka_unit_test(test_search), cmocka_unit_test(test_size),
	};
	return cmocka_run_group_tests_name("group", tests, open_fixture, close_fixture);
}
