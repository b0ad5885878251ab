/*
 * What a processor did at a message, as it is followed from any cell of the index: the same
 * as with all messages from the start.  And where it did something next.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "flow/flow_marks.h"
#include "program/insn.h"
#include "index/index.h"
#include "query/filter/filter.h"
#include "random.h"
#include "session/flows.h"
#include "session/session.h"
#include "seven.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 600 };

struct fixture {
	struct folder folder;
	struct session session;
	struct trace *trace;
	struct reader *reader;
	struct flow_index *index;
	struct flow_looker *looker;
};

/* Opens a capture of these packets in small cells, and follows it. */
static void
fixture_open_session(struct fixture *f, const char *packets, size_t length)
{
	struct err err = {0};
	char path[sizeof(struct folder)];
	memset(f, 0, sizeof *f);
	folder_make(&f->folder);
	seven_put(&f->folder, packets, length);
	f->session.host.cell_shift = 8;
	snprintf(path, sizeof path, "%s", folder_path(&f->folder, "seven.yaml"));
	if (profile_load(path, &f->session.profile, &err) < 0)
		fail_msg("%s", err.what);
	f->trace =
	    session_open(&f->session, folder_path(&f->folder, "seven.encap"), NULL, NULL, 0, &err);
	if (!f->trace)
		fail_msg("%s", err.what);
	session_link(&f->session);
	f->reader = reader_new(f->trace);
}

static void
fixture_open(struct fixture *f, const char *packets, size_t length)
{
	struct err err = {0};
	fixture_open_session(f, packets, length);
	index_build(trace_index(f->trace));
	f->index = flow_index_new(f->trace, &(const struct flow_timer){0}, &err);
	if (!f->index)
		fail_msg("%s", err.what);
	while (flow_index_known(f->index) < index_known(trace_index(f->trace)))
		sched_yield();
	f->looker = flow_looker_new(f->trace, f->index, &err);
	assert_non_null(f->looker);
}

static void
fixture_close(struct fixture *f)
{
	flow_looker_free(f->looker);
	flow_index_free(f->index);
	reader_free(f->reader);
	session_close(&f->session);
	folder_remove(&f->folder);
}

/* --- from any cell as from the start ----------------------------------- */

struct whole {
	VEC(struct flow_step) steps;
	VEC(uint64_t) numbers;
};

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct whole *whole = context;
	*vec_add(&whole->steps) = *step;
	*vec_add(&whole->numbers) = place->number;
}

static void
assert_same_frames(const struct flow_frames *a, const struct flow_frames *b, uint64_t number)
{
	if (a->frames.count != b->frames.count || a->instructions != b->instructions ||
	    a->calls.unsure != b->calls.unsure || a->calls.unknown != b->calls.unknown)
		fail_msg("message %d: %zu and %zu frames", (int)number, a->frames.count,
			 b->frames.count);
	for (size_t i = 0; i < a->frames.count; i++) {
		const struct flow_frame *x = &a->frames.at[i], *y = &b->frames.at[i];
		assert_int_equal(x->entry, y->entry);
		assert_int_equal(x->since, y->since);
		assert_int_equal(x->call.link, y->call.link);
		assert_int_equal(x->instructions, y->instructions);
		assert_int_equal(x->doubtful, y->doubtful);
	}
}

static void
check_look(struct fixture *f, const struct whole *whole, uint64_t number,
	   const struct flow_frames *frames)
{
	struct flow_look look = {0};
	struct position p;
	bool exact;
	size_t count = 0;
	assert_true(reader_find_number(f->reader, number, &p, &exact));
	assert_true(flow_look_at(f->looker, f->reader, p, &look));
	assert_false(look.guess);
	assert_same_frames(&look.frames, frames, number);
	for (size_t i = 0; i < whole->steps.count; i++) {
		if (whole->numbers.at[i] != number)
			continue;
		const struct flow_step *step = &look.here.steps.at[count];
		assert_true(count++ < look.here.steps.count);
		assert_int_equal(step->kind, whole->steps.at[i].kind);
		assert_int_equal(step->first, whole->steps.at[i].first);
		assert_int_equal(step->end, whole->steps.at[i].end);
		assert_int_equal(step->doubtful, whole->steps.at[i].doubtful);
	}
	assert_int_equal(count, look.here.steps.count);
	flow_look_free(&look);
}

/* --- marks -------------------------------------------------------------- */

/* The step behind number AT of all; NULL: none is. */
static const struct flow_step *
step_behind(const struct whole *whole, size_t at)
{
	return at + 1 < whole->steps.count ? &whole->steps.at[at + 1] : NULL;
}

/* What the last step of a message says, from all steps. */
static void
check_exit(const struct whole *whole, size_t at, const struct flow_mark *mark)
{
	const struct flow_step *step = &whole->steps.at[at], *next = step_behind(whole, at);
	bool runs = next && next->kind == FLOW_STEP_RUN, run = step->kind == FLOW_STEP_RUN;
	if (run && step->class == INSN_BRANCH && !runs)
		assert_int_equal(mark->exit, FLOW_EXIT_UNKNOWN);
	else if (run && step->class == INSN_BRANCH)
		assert_int_equal(mark->exit,
				 next->first == step->end ? FLOW_EXIT_PASSED : FLOW_EXIT_TAKEN);
	else if (run ? step->class != INSN_OTHER : step->kind == FLOW_STEP_TRAP)
		assert_int_equal(mark->exit, FLOW_EXIT_TAKEN);
	else
		assert_int_equal(mark->exit, FLOW_EXIT_NONE);
	if (mark->exit == FLOW_EXIT_TAKEN && runs)
		assert_int_equal(mark->target, next->first);
}

static void
check_marks(struct fixture *f, const struct whole *whole, uint64_t first, size_t count)
{
	struct flow_mark *marks = calloc(count, sizeof *marks);
	struct flow_frames frames = {0};
	struct position p;
	bool exact;
	assert_true(reader_find_number(f->reader, first, &p, &exact));
	flow_marks_read(f->looker, f->reader, p.cell, first, count, marks);
	for (size_t at = 0; at < whole->steps.count; at++) {
		uint64_t number = whole->numbers.at[at];
		bool last = at + 1 == whole->steps.count || whole->numbers.at[at + 1] != number;
		flow_frames_step(&frames, &(struct flow_place){.number = number},
				 &whole->steps.at[at]);
		if (number < first || number - first >= count || !last)
			continue;
		assert_true(marks[number - first].any);
		assert_int_equal(marks[number - first].depth, call_stack_depth(&frames.calls));
		check_exit(whole, at, &marks[number - first]);
	}
	flow_frames_free(&frames);
	free(marks);
}

/* --- names of filters and tables ----------------------------------------- */

static struct filter
filter_of(const struct fixture *f, const char *text)
{
	struct filter_error error;
	struct filter filter = filter_all();
	filter.expr = filter_parse(text, &f->session, &error);
	if (!filter.expr)
		fail_msg("%s: %s", text, error.what);
	return filter;
}

static bool
passes(struct fixture *f, struct filter *filter, uint64_t number)
{
	struct expansion scratch = {0};
	struct position p;
	bool exact;
	assert_true(reader_find_number(f->reader, number, &p, &exact));
	const struct message m = *reader_message(f->reader, p);
	bool match = filter_match(filter, f->reader, &m, &scratch);
	expansion_free(&scratch);
	return match;
}

/* Whether depth and target pass what all steps say, for messages in any order. */
static void
check_names(struct fixture *f, const struct whole *whole, uint64_t count)
{
	struct filter deep = filter_of(f, "depth >= 1"),
		      home = filter_of(f, "target = \"80000000\"");
	struct flow_frames frames = {0};
	bool *depths = calloc(count, sizeof *depths), *targets = calloc(count, sizeof *targets);
	uint64_t seed = 2;
	for (size_t at = 0; at < whole->steps.count; at++) {
		const struct flow_step *step = &whole->steps.at[at], *next = step_behind(whole, at);
		uint64_t number = whole->numbers.at[at];
		bool branch = step->class == INSN_BRANCH, run = step->kind == FLOW_STEP_RUN;
		flow_frames_step(&frames, &(struct flow_place){.number = number}, step);
		depths[number] = call_stack_depth(&frames.calls) >= 1;
		targets[number] =
		    next && next->kind == FLOW_STEP_RUN && next->first == 0x80000000 &&
		    (run ? step->class != INSN_OTHER && !(branch && next->first == step->end)
			 : step->kind == FLOW_STEP_TRAP);
	}
	for (uint64_t i = 0; i < 2 * count; i++) {
		uint64_t number = i < count ? i : random_below(&seed, count);
		assert_int_equal(passes(f, &deep, number), depths[number]);
		assert_int_equal(passes(f, &home, number), targets[number]);
	}
	free(depths);
	free(targets);
	flow_frames_free(&frames);
	filter_free(&deep);
	filter_free(&home);
}

/* --- packets ------------------------------------------------------------ */

struct packets {
	VEC(char) bytes;
};

/* Packets that fit, and some that do not. */
static void
add_packets(struct packets *out, uint64_t *seed)
{
	static const struct {
		const char *bytes;
		size_t length;
	} blocks[] = {
#define BLOCK(packets) {packets, sizeof(packets) - 1}
	    BLOCK(SEVEN_START SEVEN_CALL),
	    BLOCK(SEVEN_START SEVEN_BACK),
	    BLOCK(SEVEN_START SEVEN_BACK SEVEN_TRAP),
	    BLOCK(SEVEN_START SEVEN_CALL SEVEN_TRAP SEVEN_NOWHERE),
	    BLOCK(SEVEN_TRAP),
#undef BLOCK
	};
	size_t which = random_below(seed, sizeof blocks / sizeof *blocks);
	for (size_t i = 0; i < blocks[which].length; i++)
		*vec_add(&out->bytes) = blocks[which].bytes[i];
}

static void
any_cell_is_as_the_start(void **state)
{
	struct packets packets = {0};
	struct fixture f;
	struct whole whole = {0};
	struct err err = {0};
	struct message m;
	uint64_t seed = 1, count = 0;
	(void)state;
	for (int i = 0; i < ROUNDS; i++)
		add_packets(&packets, &seed);
	fixture_open(&f, packets.bytes.at, packets.bytes.count);
	assert_true(index_known(trace_index(f.trace)) > 8);

	struct flow *flow = flow_new(f.trace, take_step, &whole, &err);
	struct reader *walk = reader_new(f.trace);
	for (; reader_walk(walk, &m, 1); count++)
		flow_message(flow, walk, &m, count, true);
	flow_end(flow);
	struct flow_frames frames = {0};
	size_t at = 0;
	for (uint64_t number = 0; number < count; number++) {
		for (; at < whole.steps.count && whole.numbers.at[at] <= number; at++)
			flow_frames_step(&frames, &(struct flow_place){.number = number},
					 &whole.steps.at[at]);
		check_look(&f, &whole, number, &frames);
	}
	for (uint64_t first = 0, some = 1; first < count; first += some, some = some * 3 % 97)
		check_marks(&f, &whole, first, count - first < some ? count - first : some);
	flows_load(&f.session);
	check_names(&f, &whole, count);
	flow_frames_free(&frames);
	reader_free(walk);
	flow_free(flow);
	vec_free(&whole.steps);
	vec_free(&whole.numbers);
	fixture_close(&f);
	vec_free(&packets.bytes);
}

/* --- a few packets, by hand -------------------------------------------- */

/* Follows a call, and an interrupt within it. */
static void
frames_are_told(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_TRAP;
	struct fixture f;
	struct flow_look look = {0};
	struct position p;
	bool exact;
	(void)state;
	fixture_open(&f, packets, sizeof packets - 1);
	assert_true(reader_find_number(f.reader, 1, &p, &exact));
	assert_true(flow_look_at(f.looker, f.reader, p, &look));
	/* 80000000 was known with the start; the call, the branch and the ret are here */
	assert_int_equal(look.here.steps.count, 3);
	assert_int_equal(look.here.steps.at[0].first, 0x80000004);
	assert_int_equal(look.here.steps.at[2].first, 0x80000018);
	assert_int_equal(look.frames.frames.count, 1);
	const struct flow_frame *frame = &look.frames.frames.at[0];
	assert_int_equal(frame->entry, 0x80000010);
	assert_int_equal(frame->call.link, 0x80000008);
	assert_int_equal(frame->since, 1);
	assert_int_equal(look.frames.instructions - frame->instructions, 2);
	assert_int_equal(look.frames.instructions, 4);
	assert_int_equal(look.before.numbers.at[0], 0);
	assert_int_equal(look.after.numbers.at[0], 2);
	assert_int_equal(look.after.steps.at[0].kind, FLOW_STEP_TRAP);
	flow_look_free(&look);
	fixture_close(&f);
}

static uint64_t
find(struct fixture *f, uint64_t from, enum flow_find what, bool forward)
{
	struct position p;
	bool exact, ended;
	assert_true(reader_find_number(f->reader, from, &p, &exact));
	if (flow_look_find(f->looker, f->reader, &p, what, forward, &ended))
		return reader_number(f->reader, p, &exact);
	assert_true(ended);
	return UINT64_MAX;
}

/* 0 start, 1 call, 2 start, 3 call and return, 4 interrupt. */
static void
places_are_found(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_START SEVEN_BACK SEVEN_TRAP;
	struct fixture f;
	(void)state;
	fixture_open(&f, packets, sizeof packets - 1);
	assert_int_equal(find(&f, 0, FLOW_FIND_CALL, true), 1);
	assert_int_equal(find(&f, 1, FLOW_FIND_CALL, true), 3);
	assert_int_equal(find(&f, 4, FLOW_FIND_CALL, false), 3);
	assert_int_equal(find(&f, 3, FLOW_FIND_CALL, false), 1);
	assert_int_equal(find(&f, 1, FLOW_FIND_CALL, false), UINT64_MAX);
	assert_int_equal(find(&f, 0, FLOW_FIND_TRAP, true), 4);
	assert_int_equal(find(&f, 4, FLOW_FIND_TRAP, true), UINT64_MAX);
	assert_int_equal(find(&f, 4, FLOW_FIND_OUT, true), UINT64_MAX);
	fixture_close(&f);
}

/* The same: where each went, and how deep in calls it is; the return to 80000000, which was
 * not called from before that, ends no call. */
static void
marks_are_told(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_START SEVEN_BACK;
	static const struct flow_mark expected[] = {{.any = true},
						    {.any = true,
						     .exit = FLOW_EXIT_TAKEN,
						     .has_target = true,
						     .target = 0x80000000,
						     .depth = 1},
						    {.any = true, .depth = 1},
						    {.any = true, .depth = 1}};
	enum { COUNT = sizeof expected / sizeof *expected };
	struct fixture f;
	struct flow_mark marks[COUNT];
	(void)state;
	fixture_open(&f, packets, sizeof packets - 1);
	flow_marks_read(f.looker, f.reader, 0, 0, COUNT, marks);
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(marks[i].any, expected[i].any);
		assert_int_equal(marks[i].exit, expected[i].exit);
		assert_int_equal(marks[i].depth, expected[i].depth);
		assert_int_equal(marks[i].has_target, expected[i].has_target);
		if (marks[i].has_target)
			assert_int_equal(marks[i].target, expected[i].target);
	}
	/* which is told by a message behind those that are asked for */
	flow_marks_read(f.looker, f.reader, 0, 1, 1, marks);
	assert_int_equal(marks[0].target, 0x80000000);
	fixture_close(&f);
}

/* Nothing passes before it is known, and that it is known later is told once. */
static void
what_comes_late_is_told(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_START SEVEN_BACK;
	struct fixture f;
	(void)state;
	fixture_open_session(&f, packets, sizeof packets - 1);
	struct filter deep = filter_of(&f, "depth = 1");
	uint64_t before = filter_generation(filter_basis(&deep), f.trace);
	assert_false(passes(&f, &deep, 1));
	assert_int_equal(filter_generation(filter_basis(&deep), f.trace), before);
	flows_load(&f.session);
	uint64_t behind = filter_generation(filter_basis(&deep), f.trace);
	assert_int_not_equal(behind, before);
	assert_true(passes(&f, &deep, 1));
	assert_int_equal(filter_generation(filter_basis(&deep), f.trace), behind);
	filter_free(&deep);
	fixture_close(&f);
}

/* What a tree was when times begin to be counted. */
struct begun {
	struct flow_index *index;
	unsigned generation;
	size_t nodes;
};

static void
look_at_tree(void *context)
{
	struct begun *begun = context;
	begun->nodes = flow_tree_count(flow_index_hold(begun->index));
	begun->generation = flow_index_generation(begun->index);
	flow_index_release(begun->index);
}

static struct flow_time
find_no_time(void *context, const struct message *m)
{
	(void)context, (void)m;
	return (struct flow_time){0};
}

/* A tree that begins anew has other functions than one that was held before, and its
 * generation tells so at once. */
static void
trees_begin_anew(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_START SEVEN_BACK;
	struct begun before = {0}, begun = {0};
	struct err err = {0};
	struct fixture f;
	(void)state;
	fixture_open_session(&f, packets, sizeof packets - 1);
	index_build(trace_index(f.trace));
	f.index =
	    flow_index_new(f.trace,
			   &(const struct flow_timer){
			       .begin = look_at_tree, .find = find_no_time, .context = &begun},
			   &err);
	assert_non_null(f.index);
	before.index = begun.index = f.index;
	flow_index_build(f.index);
	look_at_tree(&before);
	flow_index_want_times(f.index);
	flow_index_build(f.index); /* in this thread */
	assert_true(begun.nodes < before.nodes);
	assert_int_not_equal(begun.generation, before.generation);
	fixture_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(frames_are_told),	       cmocka_unit_test(places_are_found),
	    cmocka_unit_test(marks_are_told),	       cmocka_unit_test(any_cell_is_as_the_start),
	    cmocka_unit_test(what_comes_late_is_told), cmocka_unit_test(trees_begin_anew),
	};
	return cmocka_run_group_tests_name("flow: looks", tests, NULL, NULL);
}
