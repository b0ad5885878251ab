/*
 * Commands that wait for the indexes and clocks of a session end where the same commands end
 * that are given later: the same message under the cursor, the same range, marks and trail, in
 * whichever order the traces become known.  What threads do otherwise is done here by hand, a
 * trace at a time.
 */
#include "config.h"

#include "test.h"

#include "base/notice.h"
#include "random.h"
#include "session/clock/clocks.h"
#include "session/link/serial.h"
#include "session_fixture.h"
#include "sorted.h"
#include "ui/app.h"
#include "ui/commands.h"
#include "ui/input.h"
#include "ui/list/context_view.h"
#include "ui/list/filters.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/list/range.h"
#include "ui/list/rules.h"
#include "ui/list/search.h"
#include "ui/list/selection.h"
#include "ui/list/waiting.h"
#include "ui/parts.h"
#include "ui/preview.h"
#include "ui/prompt/prompt.h"
#include "ui/screen/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRACES = 5, HEIGHT = 20, COMMANDS_MAX = 8, TRIES_MAX = 20000, TRACE_BITS = 31 };

/* --- a screen without a terminal ---------------------------------------- */

struct stage {
	struct session_fixture f;
	struct app app;
	struct ui_options options;
	struct log log;
};

static void
open_stage(struct stage *stage, const char *made)
{
	struct screen *screen = &stage->app.screen;
	memset(stage, 0, sizeof *stage);
	session_fixture_open(&stage->f, made, NULL);
	stage->app.options = &stage->options;
	screen->session = &stage->f.session;
	screen->log = &stage->log;
	parts_open(&stage->app);
	for (size_t i = 0; i < screen->list_count; i++)
		list_resize(&screen->lists[i], HEIGHT);
}

/* Filters the lists by a bit for each severity. */
static void
show_severities(struct stage *stage, unsigned severities)
{
	stage->app.screen.filters->severities = (uint8_t)severities;
	filters_apply(&stage->app.screen);
}

static void
close_stage(struct stage *stage)
{
	parts_close(&stage->app);
	log_free(&stage->log);
	session_fixture_close(&stage->f);
}

/* What the loop does before it paints. */
static void
settle(struct screen *screen)
{
	list_work(screen->list);
	waiting_poll(screen);
	list_settle(screen->list);
	waiting_settle(screen);
}

static void
settle_all(struct screen *screen)
{
	for (int tries = 0;; tries++) {
		settle(screen);
		if (!screen->waiting->commands.count && !search_running(screen->search) &&
		    !list_busy(screen->list))
			return;
		assert_true(tries < TRIES_MAX);
		if (tries > 10)
			usleep(500);
	}
}

/* --- how the session becomes known -------------------------------------- */

/* 0 to TRACES - 1: the index of that trace; then the clocks, and the order. */
enum { CLOCKS = TRACES, ORDER, ARRIVALS };

static void
arrive(struct stage *stage, size_t what)
{
	struct session *session = &stage->f.session;
	if (what == CLOCKS) {
		clocks_load(session->clocks, true);
	} else if (what == ORDER) {
		sequence_load(stage->app.screen.sequence);
	} else {
		struct trace *trace = session->traces.at[what];
		if (serial_of(trace))
			serial_load(serial_of(trace));
		trace_build(trace);
	}
}

/* Everything, in an order that is drawn; at last what is known of the order. */
static void
arrive_all(struct stage *stage, uint64_t *seed)
{
	size_t order[ARRIVALS];
	for (size_t i = 0; i < ARRIVALS; i++) {
		size_t k = random_below(seed, i + 1);
		order[i] = order[k];
		order[k] = i;
	}
	for (size_t i = 0; i < ARRIVALS; i++) {
		arrive(stage, order[i]);
		if (random_below(seed, 2))
			arrive(stage, ORDER);
		settle(&stage->app.screen);
	}
	arrive(stage, CLOCKS); /* which may go by what came behind them */
	arrive(stage, ORDER);
}

static void
arrive_by_threads(struct stage *stage)
{
	struct screen *screen = &stage->app.screen;
	session_start(screen->session);
	sequence_start(screen->sequence);
	for (int tries = 0; screen->waiting->commands.count || !sequence_is_exact(screen->sequence);
	     tries++) {
		assert_true(tries < TRIES_MAX);
		usleep(500);
		session_wake(screen->session);
		for (size_t i = 0; i < TRACES; i++)
			trace_poll(screen->session->traces.at[i], false);
		sequence_wake(screen->sequence);
		settle(screen);
	}
}

/* --- commands ----------------------------------------------------------- */

struct typed {
	struct command_call call;
	char text[32];
};

static void
give(struct screen *screen, const struct typed *typed)
{
	struct command_call call = typed->call;
	call.text = *typed->text ? typed->text : NULL;
	text_clear(&screen->message);
	commands_run(screen, call);
}

static void
draw_place(uint64_t *seed, size_t messages, char *text, size_t size)
{
	static const struct {
		const char *before, *after;
	} forms[] = {{"#", ""},	  {"", "%"},	 {"+", "ms"},
		     {"-", "us"}, {"'a+", "us"}, {"10:06:40.", ""}};
	size_t form = random_below(seed, sizeof forms / sizeof *forms);
	snprintf(text, size, "%s%u%s", forms[form].before,
		 random_below(seed, form ? 100 : messages), forms[form].after);
}

/* A command with a count, a letter or a text, as it takes them. */
static struct typed
draw_typed(uint64_t *seed, size_t messages)
{
	static const enum command_id ids[] = {
	    COMMAND_TOP,
	    COMMAND_END,
	    COMMAND_PERCENT,
	    COMMAND_GOTO,
	    COMMAND_GOTO,
	    COMMAND_GOTO,
	    COMMAND_NEXT_ERROR,
	    COMMAND_PREVIOUS_ERROR,
	    COMMAND_NEXT_LOSS,
	    COMMAND_SEARCH,
	    COMMAND_NEXT,
	    COMMAND_PREVIOUS,
	    COMMAND_NEXT_ORIGIN,
	    COMMAND_NEXT_OTHER,
	    COMMAND_PREVIOUS_OTHER,
	    COMMAND_NEXT_LIKE,
	    COMMAND_NEXT_SYNC,
	    COMMAND_RANGE,
	    COMMAND_RANGE,
	    COMMAND_MARK,
	    COMMAND_JUMP,
	    COMMAND_BACK,
	    COMMAND_FORWARD,
	    COMMAND_NEXT_MARK,
	    COMMAND_PREVIOUS_MARK,
	    COMMAND_NEXT_WARNING,
	    COMMAND_NEXT_TRACE,
	    COMMAND_COUNTERPART,
	    COMMAND_BOOKMARK,
	    COMMAND_NEXT_GAP,
	    COMMAND_NEXT_STEP_BACK,
	    COMMAND_PREVIOUS_STEP_BACK,
	};
	struct typed typed = {
	    .call = {.id = ids[random_below(seed, sizeof ids / sizeof *ids)], .count = 1}};
	struct command_call *call = &typed.call;
	call->letter = "ab'"[random_below(seed, call->id == COMMAND_MARK ? 2 : 3)];
	call->counted = random_below(seed, 2);
	if (call->id == COMMAND_PERCENT)
		call->count = random_below(seed, 102);
	else if (call->counted && (call->id == COMMAND_TOP || call->id == COMMAND_END))
		call->count = random_below(seed, messages + messages / 8);
	else if (call->counted)
		call->count = 1 + random_below(seed, 5);
	if (call->id == COMMAND_SEARCH)
		strcpy(typed.text, random_below(seed, 2) ? "1" : "7.*2");
	if (call->id == COMMAND_GOTO)
		draw_place(seed, messages, typed.text, sizeof typed.text);
	return typed;
}

/* --- what is compared --------------------------------------------------- */

static bool
same_location(const struct location *a, const struct location *b)
{
	return a->trace == b->trace && !message_id_compare(a->id, b->id) && a->letter == b->letter;
}

static void
assert_same_locations(const struct location *a, size_t count, const struct location *b,
		      size_t other)
{
	assert_int_equal(count, other);
	for (size_t i = 0; i < count; i++)
		assert_true(same_location(&a[i], &b[i]));
}

static struct location
cursor_of(const struct screen *screen)
{
	const struct row *row = list_current(screen->list);
	assert_non_null(row);
	return (struct location){.trace = screen->list->lanes[row->lane].number, .id = row->id};
}

static void
assert_same(struct screen *a, struct screen *b)
{
	assert_int_equal(a->trace, b->trace);
	assert_int_equal(list_current(a->list) != NULL, list_current(b->list) != NULL);
	if (list_current(a->list)) {
		struct location first = cursor_of(a), second = cursor_of(b);
		assert_true(same_location(&first, &second));
	}
	assert_int_equal(a->range->on, b->range->on);
	if (a->range->on)
		assert_true(same_location(&a->range->from, &b->range->from));
	assert_same_locations(a->jumps->marks.at, a->jumps->marks.count, b->jumps->marks.at,
			      b->jumps->marks.count);
	assert_same_locations(a->jumps->trail.at, a->jumps->trail.count, b->jumps->trail.at,
			      b->jumps->trail.count);
	assert_int_equal(a->jumps->at, b->jumps->at);
}

/* The cursor is on that message of a plain sort. */
static void
assert_at(struct screen *screen, const struct sorted_message *expected)
{
	const struct row *row = list_current(screen->list);
	assert_non_null(row);
	assert_int_equal(row->lane, expected->lane);
	assert_int_equal(row->message.offset, expected->message.offset);
}

static void
assert_only(struct screen *screen, size_t count)
{
	struct text expected = {0};
	char digits[32];
	text_addf(&expected, NOTICE_MESSAGES_ONLY, text_number(digits, count));
	assert_string_equal(text_get(&screen->message), text_get(&expected));
	text_free(&expected);
}

/* --- tests -------------------------------------------------------------- */

/* Commands of the command line wait for the order, those that are typed behind a jump by number. */
static void
run_one(uint64_t seed, const char *made, size_t messages)
{
	static struct stage early, late;
	struct typed typed[COMMANDS_MAX];
	size_t count = 1 + random_below(&seed, COMMANDS_MAX);
	bool at_start = random_below(&seed, 2);
	for (size_t i = 0; i < count; i++) {
		typed[i] = draw_typed(&seed, messages);
		if (!i && !at_start)
			typed[i].call = (struct command_call){
			    COMMAND_TOP, 1 + random_below(&seed, messages), true, 0, NULL};
		print_message("#    %s %llu %c %s\n", commands[typed[i].call.id].name,
			      (unsigned long long)typed[i].call.count, (char)typed[i].call.letter,
			      typed[i].text);
	}
	unsigned severities = random_below(&seed, 2) ? 0xff : 1 + random_below(&seed, 0xff);
	open_stage(&late, made);
	show_severities(&late, severities);
	session_fixture_load(&late.f);
	sequence_load(late.app.screen.sequence);
	open_stage(&early, made);
	show_severities(&early, severities);
	early.app.screen.waiting->starting = at_start;
	for (size_t i = 0; i < count; i++) {
		give(&early.app.screen, &typed[i]);
		settle_all(&late.app.screen);
		give(&late.app.screen, &typed[i]);
	}
	early.app.screen.waiting->starting = false;
	settle_all(&late.app.screen);
	if (random_below(&seed, 4))
		arrive_all(&early, &seed);
	else
		arrive_by_threads(&early);
	settle_all(&early.app.screen);
	assert_same(&early.app.screen, &late.app.screen);
	close_stage(&early);
	close_stage(&late);
}

static void
test_random(void **state)
{
	(void)state;
	for (unsigned i = 0; i < test_runs(40); i++) {
		print_message("# seed %u\n", i);
		run_one(i, i % 8 ? "-c 400" : "-c 20000", i % 8 ? 400 : 20000);
	}
}

/* The messages found are the right ones, not only the same ones twice. */
static void
test_places(void **state)
{
	(void)state;
	static struct stage stage;
	for (unsigned way = 0; way < 6; way++) {
		uint64_t seed = way;
		open_stage(&stage, "-c 4000");
		struct screen *screen = &stage.app.screen;
		struct typed number = {.call = {COMMAND_TOP, 702, true, 0, NULL}};
		struct typed far = {.call = {COMMAND_TOP, 1000000, true, 0, NULL}};
		struct typed half = {.call = {COMMAND_PERCENT, 50, true, 0, NULL}};
		struct typed range = {.call = {COMMAND_RANGE, 1, false, 0, NULL}};
		struct typed end = {.call = {COMMAND_END, 1, false, 0, NULL}};
		if (way == 1)
			give(screen, &number);
		if (way == 2)
			give(screen, &half);
		if (way == 3) {
			give(screen, &number);
			give(screen, &range);
			give(screen, &end);
		}
		if (way == 4)
			give(screen, &far);
		if (way == 5)
			give(screen, &end);
		arrive_all(&stage, &seed);
		settle_all(screen);
		sorted_messages all = sorted_session(screen->session, TRACE_BITS);
		size_t last = all.count - 1;
		const size_t expected[] = {0, 701, last / 2, last, last, last};
		assert_at(screen, &all.at[expected[way]]);
		assert_int_equal(screen->range->on, way == 3);
		if (way == 3) {
			assert_int_equal(screen->range->from.trace, all.at[701].lane);
			assert_int_equal(screen->range->from.id.offset, all.at[701].message.offset);
		}
		if (way == 4)
			assert_only(screen, all.count);
		vec_free(&all);
		close_stage(&stage);
	}
}

/* The first and the last row are those of the final order, though they do not wait for it. */
static void
test_edges(void **state)
{
	(void)state;
	static struct stage early, late;
	for (unsigned i = 0; i < 4; i++) {
		uint64_t seed = i;
		struct typed edge = {
		    .call = {i % 2 ? COMMAND_END : COMMAND_TOP, 1, false, 0, NULL}};
		unsigned severities = 1u << (i / 2 ? SEVERITY_INFO : SEVERITY_DEBUG);
		open_stage(&late, "-c 4000");
		show_severities(&late, severities);
		session_fixture_load(&late.f);
		sequence_load(late.app.screen.sequence);
		settle_all(&late.app.screen);
		give(&late.app.screen, &edge);
		settle_all(&late.app.screen);
		open_stage(&early, "-c 4000");
		show_severities(&early, severities);
		give(&early.app.screen, &edge);
		assert_int_equal(early.app.screen.waiting->commands.count, 0);
		arrive_all(&early, &seed);
		settle_all(&early.app.screen);
		struct location first = cursor_of(&early.app.screen);
		struct location second = cursor_of(&late.app.screen);
		assert_true(same_location(&first, &second));
		close_stage(&early);
		close_stage(&late);
	}
}

/* A move by hand drops the queue. */
static void
test_moves(void **state)
{
	(void)state;
	static struct stage stage;
	uint64_t seed = 7;
	struct typed number = {.call = {COMMAND_TOP, 702, true, 0, NULL}};
	struct typed mark = {.call = {COMMAND_MARK, 1, false, 'a', NULL}};
	struct typed down = {.call = {COMMAND_DOWN, 1, false, 0, NULL}};
	open_stage(&stage, "-c 4000");
	struct screen *screen = &stage.app.screen;
	struct location first = cursor_of(screen);
	give(screen, &number);
	give(screen, &mark);
	assert_int_equal(screen->waiting->commands.count, 2);
	struct location still = cursor_of(screen);
	assert_true(same_location(&first, &still));
	give(screen, &down);
	struct location below = cursor_of(screen);
	assert_false(same_location(&first, &below));
	arrive_all(&stage, &seed);
	settle_all(screen);
	struct location now = cursor_of(screen);
	assert_true(same_location(&now, &below));
	assert_int_equal(screen->jumps->marks.count, 0);
	struct text dropped = {0};
	text_addf(&dropped, NOTICE_WAITING_DROPPED, "mark");
	assert_string_equal(text_get(&screen->message), text_get(&dropped));
	text_free(&dropped);
	close_stage(&stage);
}

/* Esc drops the queue, too. */
static void
test_cancelled(void **state)
{
	(void)state;
	static struct stage stage;
	uint64_t seed = 7;
	struct typed number = {.call = {COMMAND_TOP, 702, true, 0, NULL}};
	struct typed cancel = {.call = {COMMAND_CANCEL, 1, false, 0, NULL}};
	open_stage(&stage, "-c 4000");
	struct screen *screen = &stage.app.screen;
	give(screen, &number);
	give(screen, &cancel);
	assert_int_equal(screen->waiting->commands.count, 0);
	assert_string_equal(text_get(&screen->message), NOTICE_CANCELLED);
	arrive_all(&stage, &seed);
	settle_all(screen);
	sorted_messages all = sorted_session(screen->session, TRACE_BITS);
	assert_at(screen, &all.at[0]); /* the cursor has not moved: it is still at the first row */
	vec_free(&all);
	close_stage(&stage);
}

/* While captures grow there is no end to wait for. */
static void
test_growing(void **state)
{
	(void)state;
	static struct stage stage;
	struct typed end = {.call = {COMMAND_END, 1, false, 0, NULL}};
	struct typed number = {.call = {COMMAND_TOP, 702, true, 0, NULL}};
	open_stage(&stage, "-c 4000");
	struct screen *screen = &stage.app.screen;
	for (size_t i = 0; i < TRACES; i++)
		trace_follow(screen->session->traces.at[i], true);
	settle(screen);
	give(screen, &end);
	assert_int_equal(screen->waiting->commands.count, 0);
	give(screen, &number);
	assert_int_equal(screen->waiting->commands.count, 1);
	close_stage(&stage);
}

/* A duration counts from the last time before a message that has none. */
static void
test_untimed(void **state)
{
	enum { MILLISECOND = 1000000, ENOUGH = 30 };
	(void)state;
	static struct stage stage;
	struct message_time time, last = {0};
	struct typed later = {.call = {COMMAND_GOTO, 1, false, 0, NULL}, .text = "+1ms"};
	unsigned looked = 0;
	open_stage(&stage, "-c 4000");
	struct screen *screen = &stage.app.screen;
	session_fixture_load(&stage.f);
	sequence_load(screen->sequence);
	settle_all(screen);
	sorted_messages all = sorted_session(screen->session, TRACE_BITS);
	for (size_t i = 0; i < all.count && looked < ENOUGH; i++) {
		const struct sorted_message *m = &all.at[i];
		struct trace *trace = screen->session->traces.at[m->lane];
		if (clocks_time(trace, &m->message, &time) && time.known) {
			last = time;
			continue;
		}
		size_t target = sorted_find(&all, m->part, last.order + MILLISECOND);
		if (!last.known || last.part != clocks_part(trace) || target == all.count ||
		    all.at[target].part != m->part)
			continue;
		struct typed number = {.call = {COMMAND_TOP, i + 1, true, 0, NULL}};
		give(screen, &number);
		settle_all(screen);
		give(screen, &later);
		settle_all(screen);
		assert_at(screen, &all.at[target]);
		assert_non_null(strstr(text_get(&screen->message), ", the last time before"));
		looked++;
	}
	assert_int_equal(looked, ENOUGH);
	vec_free(&all);
	close_stage(&stage);
}

/* Moves of the command line wait for the jump before them.  By hand they cancel it. */
static void
test_moves_at_start(void **state)
{
	static const struct {
		enum command_id id;
		int rows;
	} moves[] = {{COMMAND_DOWN, 1}, {COMMAND_UP, -1}};
	static struct stage stage;
	(void)state;
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
		uint64_t seed = i;
		open_stage(&stage, "-c 4000");
		struct screen *screen = &stage.app.screen;
		struct typed number = {.call = {COMMAND_TOP, 702, true, 0, NULL}};
		struct typed move = {.call = {moves[i].id, 1, false, 0, NULL}};
		struct typed mark = {.call = {COMMAND_MARK, 1, false, 'a', NULL}};
		screen->waiting->starting = true;
		give(screen, &number);
		give(screen, &move);
		give(screen, &mark);
		screen->waiting->starting = false;
		assert_int_equal(screen->waiting->commands.count, 3);
		assert_string_equal(text_get(&screen->message), "");
		arrive_all(&stage, &seed);
		settle_all(screen);
		sorted_messages all = sorted_session(screen->session, TRACE_BITS);
		assert_int_equal(screen->jumps->marks.count, 1);
		assert_at(screen, &all.at[701 + moves[i].rows]);
		vec_free(&all);
		close_stage(&stage);
	}
}

static const struct typed far = {.call = {COMMAND_SEARCH, 1, false, 0, NULL}, .text = "seq 49700$"};

/* Commands typed during a search wait for its end. */
static void
test_searching(void **state)
{
	(void)state;
	static struct stage early, late;
	uint64_t seed = 7;
	const struct typed typed[] = {far,
				      {.call = {COMMAND_MARK, 1, false, 'a', NULL}},
				      {.call = {COMMAND_TOP, 702, true, 0, NULL}}};
	open_stage(&early, "-c 250000");
	open_stage(&late, "-c 250000");
	session_fixture_load(&late.f);
	sequence_load(late.app.screen.sequence);
	for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
		give(&early.app.screen, &typed[i]);
		settle_all(&late.app.screen);
		give(&late.app.screen, &typed[i]);
	}
	assert_true(search_running(early.app.screen.search));
	arrive_all(&early, &seed);
	settle_all(&early.app.screen);
	assert_same(&early.app.screen, &late.app.screen);
	assert_int_equal(late.app.screen.jumps->marks.count, 1);
	close_stage(&early);
	close_stage(&late);
}

/* A move by hand ends a search. */
static void
test_searching_moved(void **state)
{
	(void)state;
	static struct stage stage;
	uint64_t seed = 7;
	struct typed down = {.call = {COMMAND_DOWN, 1, false, 0, NULL}};
	open_stage(&stage, "-c 250000");
	struct screen *screen = &stage.app.screen;
	give(screen, &far);
	assert_true(search_running(screen->search));
	give(screen, &down);
	struct location below = cursor_of(screen);
	arrive_all(&stage, &seed);
	settle_all(screen);
	struct location now = cursor_of(screen);
	assert_true(same_location(&now, &below));
	assert_string_equal(text_get(&screen->message), NOTICE_CANCELLED);
	close_stage(&stage);
}

/* A repeated jump of the command line runs in its place. */
static void
test_repeated_at_start(void **state)
{
	(void)state;
	static struct stage stage;
	uint64_t seed = 7;
	static const struct typed typed[] = {{.call = {COMMAND_TOP, 1, true, 0, NULL}},
					     {.call = {COMMAND_NEXT_ERROR, 1, false, 0, NULL}},
					     {.call = {COMMAND_REPEAT, 1, false, 0, NULL}},
					     {.call = {COMMAND_MARK, 1, false, 'a', NULL}},
					     {.call = {COMMAND_TOP, 1, true, 0, NULL}},
					     {.call = {COMMAND_NEXT_ERROR, 2, true, 0, NULL}}};
	open_stage(&stage, "-c 4000");
	struct screen *screen = &stage.app.screen;
	screen->waiting->starting = true;
	for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
		give(screen, &typed[i]);
	screen->waiting->starting = false;
	arrive_all(&stage, &seed);
	settle_all(screen);
	struct location now = cursor_of(screen);
	assert_int_equal(screen->jumps->marks.count, 1);
	now.letter = 'a';
	assert_true(same_location(&screen->jumps->marks.at[0], &now));
	close_stage(&stage);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random),
	    cmocka_unit_test(test_places),
	    cmocka_unit_test(test_moves),
	    cmocka_unit_test(test_cancelled),
	    cmocka_unit_test(test_growing),
	    cmocka_unit_test(test_edges),
	    cmocka_unit_test(test_untimed),
	    cmocka_unit_test(test_moves_at_start),
	    cmocka_unit_test(test_searching),
	    cmocka_unit_test(test_searching_moved),
	    cmocka_unit_test(test_repeated_at_start),
	};
	return cmocka_run_group_tests_name("waiting", tests, NULL, NULL);
}
