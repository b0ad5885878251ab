/*
 * Names of programs that share addresses, in any order and while contexts are still being read,
 * against the truth of mkoverlay: a name is right, or `?` until more is known, but never that of
 * another overlay.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "program/symbols.h"
#include "query/matches.h"
#include "random.h"
#include "session/context/context.h"
#include "session/session.h"
#include "trace/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME = 16, OFTEN = 5, RARELY = 400 };

struct fixture {
	char folder[32];
	struct session session;
	struct trace *trace;
	struct reader *reader;
	struct expansion expansion;
	VEC(struct { char name[NAME]; }) truth;
};

static const char profile[] =
    "traces: [{match: gem.bin, format: gem}, {match: elements.ppl, format: ppl}]\n"
    "symbols:\n"
    "  - {file: base.elf}\n"
    "  - {file: day.elf, when: {context: overlay, value: day}}\n"
    "  - {file: night.elf, when: {context: overlay, value: 0x80020002}}\n"
    "  - {file: guest.elf, when: {context: vmid, value: 7}}\n"
    "contexts:\n"
    "  - {name: overlay, from: {format: gem, type: second, ctx_name: User}, field: data,\n"
    "     values: [{value: 0x80020001, name: day}]}\n"
    "  - {name: overlay, from: {format: ppl}, field: context_id,\n"
    "     values: [{value: 0x80020001, name: day}]}\n"
    "  - {name: vmid, from: {format: ppl}, field: vmid}\n";

static void
read_truth(struct fixture *f, const char *path)
{
	char line[64];
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = '\0';
		snprintf(vec_add(&f->truth)->name, NAME, "%.15s", line);
	}
	fclose(file);
}

/* Opens the capture NAME.ENDING that mkoverlay makes, with its index.  STEPS: between switches. */
static void
fixture_open(struct fixture *f, const char *name, const char *ending, int steps)
{
	char command[128], path[64];
	const char *maker = getenv("MKOVERLAY");
	struct err err = {0};
	memset(f, 0, sizeof *f);
	if (!maker || !symbols_version())
		skip();
	snprintf(f->folder, sizeof f->folder, "/tmp/trawl-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(command, sizeof command, "cd %s && '%s' 5 4000 %d >made", f->folder, maker, steps);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof path, "%s/%s.truth", f->folder, name);
	read_truth(f, path);
	snprintf(path, sizeof path, "%s/p.yaml", f->folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(profile, file);
	fclose(file);
	if (profile_load(path, &f->session.profile, &err) < 0)
		fail_msg("%s", err.what);
	f->session.host.cell_shift = steps == RARELY ? 6 : 12;
	snprintf(path, sizeof path, "%s/%s.%s", f->folder, name, ending);
	f->trace = session_open(&f->session, path, NULL, NULL, 0, &err);
	assert_non_null(f->trace);
	session_link(&f->session);
	assert_true(trace_load(f->trace, &err) > 0);
	index_build(trace_index(f->trace));
	f->reader = reader_new(f->trace);
}

static void
fixture_close(struct fixture *f)
{
	char command[64];
	reader_free(f->reader);
	expansion_free(&f->expansion);
	session_close(&f->session);
	vec_free(&f->session.traces);
	vec_free(&f->truth);
	snprintf(command, sizeof command, "rm -r %s", f->folder);
	assert_int_equal(system(command), 0);
}

static const char *
name_at(struct fixture *f, uint64_t number, char name[NAME])
{
	struct position p;
	bool exact;
	assert_true(reader_find_number(f->reader, number, &p, &exact));
	struct message m = *reader_message(f->reader, p);
	reader_expand(f->reader, &m, EXPAND_FIELDS, &f->expansion);
	const struct field *field = expansion_find(&f->expansion, "function");
	snprintf(name, NAME, "%.*s", field ? (int)field->s.length : 0, field ? field->s.at : "");
	return name;
}

/* Compares the name of a message.  Returns true if it is right; `?` may stand for others. */
static bool
check_name(struct fixture *f, uint64_t number)
{
	char name[NAME];
	const char *want = f->truth.at[number].name;
	if (!strcmp(name_at(f, number, name), want))
		return true;
	if (strcmp(name, "?") != 0)
		fail_msg("message %llu: %s, not %s", (unsigned long long)number, name, want);
	return false;
}

static void
check_whole(struct fixture *f)
{
	uint64_t seed = 1, count;
	bool exact;
	count = trace_count(f->trace, &exact);
	assert_int_equal(count, f->truth.count);
	for (uint64_t i = 0; i < 2000; i++)
		assert_true(check_name(f, random_below(&seed, count)));
	for (uint64_t i = count; i-- > 0;)
		assert_true(check_name(f, i));
}

/* Waits for the thread that reads contexts, and looks at names meanwhile. */
static void
build_contexts(struct fixture *f)
{
	uint64_t seed = 2;
	contexts_start(f->session.contexts);
	while (contexts_known(f->session.contexts, f->trace) < index_known(trace_index(f->trace)))
		check_name(f, random_below(&seed, f->truth.count));
}

static void
check_order(const char *name, const char *ending)
{
	struct fixture f;
	fixture_open(&f, name, ending, OFTEN);
	/* nothing is known of contexts: a walk back finds most */
	size_t right = 0;
	uint64_t seed = 3;
	for (int i = 0; i < 1000; i++)
		right += check_name(&f, random_below(&seed, f.truth.count));
	assert_true(right > 500);
	build_contexts(&f);
	check_whole(&f);
	fixture_close(&f);
	fixture_open(&f, name, ending, OFTEN);
	contexts_load(f.session.contexts); /* as batch output does */
	check_whole(&f);
	fixture_close(&f);
}

static void
test_words(void **state)
{
	(void)state;
	check_order("gem", "bin");
}

static void
test_elements(void **state)
{
	(void)state;
	check_order("elements", "ppl");
}

static size_t
count_of(const struct fixture *f, const char *name)
{
	size_t count = 0;
	for (size_t i = 0; i < f->truth.count; i++)
		count += !strcmp(f->truth.at[i].name, name);
	return count;
}

/* A filter on names counts what the list shows, though it starts before contexts are known, and
 * they were set too far back to be found from a message. */
static void
test_filter(void **state)
{
	static const char *const names[] = {"day_5", "night_2", "loader", "?"};
	struct timespec pause = {.tv_nsec = 1000000};
	struct fixture f;
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct filter filter = filter_all();
		struct filter_error error;
		struct matches_progress progress = {0};
		char text[64];
		fixture_open(&f, "gem", "bin", RARELY);
		snprintf(text, sizeof text, "text ~ /\\[\\Q%s\\E[ +\\]]/", names[i]);
		filter.expr = filter_parse(text, &f.session, &error);
		assert_non_null(filter.expr);
		struct matches *matches = matches_new(f.trace, &filter, NULL, 0);
		session_start(&f.session);
		while (matches_get_progress(matches, &progress), !progress.exact) {
			nanosleep(&pause, NULL);
			matches_update(matches);
		}
		assert_int_equal(progress.count, count_of(&f, names[i]));
		assert_true(progress.count > 0);
		matches_free(matches);
		filter_free(&filter);
		fixture_close(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_elements),
	    cmocka_unit_test(test_filter),
	};
	return cmocka_run_group_tests_name("overlay", tests, NULL, NULL);
}
