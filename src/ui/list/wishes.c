/*
 * Commands that wait until their end is known: see wishes.h.
 *
 * Only the first kept command is checked, because the later ones start where it ends.
 */
#include "config.h"

#include "ui/list/wishes.h"
#include "base/notice.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "ui/list/list.h"
#include "ui/list/range.h"
#include "ui/list/search.h"
#include "ui/list/shown.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

/* How a command depends on the place of the cursor. */
enum bearing {
	BEARING_NONE,
	BEARING_HOLDS,	  /* keeps the message under the cursor */
	BEARING_WAITS,	  /* uses that message, and cannot be undone */
	BEARING_GOES,	  /* goes to its own target; see `needs` of struct wishes */
	BEARING_GOES_NEXT /* goes where the order of all messages leads */
};

static const enum bearing bearings[COMMAND_COUNT] = {
    [COMMAND_TOP] = BEARING_GOES_NEXT,
    [COMMAND_END] = BEARING_GOES_NEXT,
    [COMMAND_PERCENT] = BEARING_GOES_NEXT,
    [COMMAND_GOTO] = BEARING_GOES,
    [COMMAND_BACK] = BEARING_GOES,
    [COMMAND_FORWARD] = BEARING_GOES,
    [COMMAND_SEARCH] = BEARING_GOES_NEXT,
    [COMMAND_SEARCH_BACK] = BEARING_GOES_NEXT,
    [COMMAND_NEXT] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_ERROR] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_ERROR] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_WARNING] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_WARNING] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_LOSS] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_LOSS] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_SYNC] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_SYNC] = BEARING_GOES_NEXT,
    [COMMAND_COUNTERPART] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_RESYNC] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_RESYNC] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_STEP_BACK] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_STEP_BACK] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_TRIGGER] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_TRIGGER] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_CONTEXT] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_CONTEXT] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_INTERVAL] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_INTERVAL] = BEARING_GOES_NEXT,
    [COMMAND_STEP_OVER] = BEARING_GOES_NEXT,
    [COMMAND_STEP_BACK_OVER] = BEARING_GOES_NEXT,
    [COMMAND_STEP_OUT] = BEARING_GOES_NEXT,
    [COMMAND_CALLER] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_CALL] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_CALL] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_EXCEPTION] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_EXCEPTION] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_ORIGIN] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_ORIGIN] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_OTHER] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_OTHER] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_LIKE] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_LIKE] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_GAP] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_GAP] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_MARK] = BEARING_GOES_NEXT,
    [COMMAND_PREVIOUS_MARK] = BEARING_GOES_NEXT,
    [COMMAND_NEXT_TRACE] = BEARING_GOES,
    [COMMAND_PREVIOUS_TRACE] = BEARING_GOES,
    [COMMAND_JUMP] = BEARING_GOES,
    [COMMAND_MARK] = BEARING_HOLDS,
    [COMMAND_BOOKMARK] = BEARING_HOLDS,
    [COMMAND_NOTE] = BEARING_HOLDS,
    [COMMAND_UNMARK] = BEARING_HOLDS,
    [COMMAND_RANGE] = BEARING_HOLDS,
    [COMMAND_COPY] = BEARING_WAITS,
    [COMMAND_COPY_PLACE] = BEARING_WAITS,
    [COMMAND_WRITE] = BEARING_WAITS,
    [COMMAND_TIE] = BEARING_WAITS,
    [COMMAND_UNTIE] = BEARING_WAITS,
};

static enum bearing
bearing_of(const struct command_call *call)
{
	/* without a text it opens a prompt, which sends another call */
	return call->id == COMMAND_NOTE && !call->text ? BEARING_NONE : bearings[call->id];
}

/* --- state before the first step -------------------------------------- */

static struct wishes_cursor
cursor_of(const struct list *list)
{
	const struct row *row = list_current(list);
	return row ? (struct wishes_cursor){true, row->lane, row->id} : (struct wishes_cursor){0};
}

static bool
same_cursor(struct wishes_cursor a, struct wishes_cursor b)
{
	return a.there && b.there && a.lane == b.lane && !message_id_compare(a.id, b.id);
}

static void
free_base(struct wishes_base *base)
{
	vec_free(&base->cursors);
	jumps_free(&base->jumps);
	free(base->searched);
	*base = (struct wishes_base){0};
}

static void
note_base(struct screen *screen)
{
	struct wishes_base *base = &screen->wishes->base;
	free_base(base);
	*base = (struct wishes_base){
	    .trace = screen->trace, .has_range = screen->range->on, .range = screen->range->from};
	for (size_t i = 0; i < screen->list_count; i++)
		*vec_add(&base->cursors) = cursor_of(&screen->lists[i]);
	jumps_copy(&base->jumps, screen->jumps);
	base->direction = screen->search->direction;
	if (screen->search->typed)
		base->searched = mem_text(screen->search->typed);
}

static void
put_back_cursor(struct list *list, struct wishes_cursor cursor)
{
	struct sequence_position p = {.lane = cursor.lane};
	if (cursor.there && !same_cursor(cursor, cursor_of(list)) &&
	    reader_find_id(list->lanes[p.lane].reader, cursor.id, &p.at))
		list_goto(list, p);
}

static void
put_back(struct screen *screen)
{
	struct wishes_base *base = &screen->wishes->base;
	search_put_back(screen, base->searched, base->direction);
	if (screen->trace != base->trace)
		shown_set_trace(screen, base->trace);
	screen->range->on = base->has_range;
	screen->range->from = base->range;
	jumps_free(screen->jumps);
	jumps_copy(screen->jumps, &base->jumps);
	for (size_t i = 0; i < base->cursors.count; i++)
		put_back_cursor(&screen->lists[i], base->cursors.at[i]);
}

/* --- steps ------------------------------------------------------------- */

/* Count all later moves as moves by hand. */
static void
note_moves(struct screen *screen)
{
	screen->wishes->list = screen->list;
	screen->wishes->moves = screen->list->moves;
}

static bool
has_moved(const struct screen *screen)
{
	const struct wishes *w = screen->wishes;
	return w->list != screen->list || w->moves != screen->list->moves;
}

static void
add_step(struct wishes *w, struct wishes_step step)
{
	if (step.call.text)
		step.call.text = mem_text(step.call.text);
	*vec_add(&w->steps) = step;
}

static void
drop_first(struct wishes *w)
{
	free((char *)w->steps.at[0].call.text);
	free(w->steps.at[0].said);
	memmove(w->steps.at, w->steps.at + 1, --w->steps.count * sizeof *w->steps.at);
}

static void
drop_all(struct wishes *w)
{
	while (w->steps.count)
		drop_first(w);
	free_base(&w->base);
	w->arriving = false;
}

/* Keep the notice of a step: see run_again(). */
static void
note_said(struct screen *screen, struct wishes_step *step)
{
	free(step->said);
	step->said = mem_text(text_get(&screen->message));
}

/* Run a step.  The last row keeps its notice if the step has none. */
static void
run_step(struct screen *screen, struct wishes_step *step)
{
	struct wishes *w = screen->wishes;
	struct text shown = screen->message;
	screen->message = (struct text){0};
	w->running = true;
	w->needs = (struct sequence_wish){.by = SEQUENCE_BY_NOTHING};
	w->needs_clocks = false;
	step->run(screen, &step->call);
	step->needs = w->needs;
	step->needs_clocks = w->needs_clocks;
	w->running = false;
	note_said(screen, step);
	if (!screen->message.length) {
		text_free(&screen->message);
		screen->message = shown;
	} else {
		text_free(&shown);
	}
}

/* Run a step again.  Its new notice replaces its old one in the last row.  It replaces no other
 * notice, except when a waiting command runs for the first time.  An unchanged notice that a
 * key removed does not return. */
static void
run_again(struct screen *screen, struct wishes_step *step)
{
	struct text shown = screen->message;
	char *said = step->said;
	bool is_error = screen->is_error, own = said && !strcmp(text_get(&shown), said);
	screen->message = (struct text){0};
	step->said = NULL;
	run_step(screen, step);
	bool news = screen->message.length && (!said || strcmp(step->said, said) != 0);
	bool first = bearing_of(&step->call) == BEARING_WAITS;
	bool stays = shown.length ? !own && !(news && first) : !news;
	if (stays) {
		text_free(&screen->message);
		screen->message = shown;
		screen->is_error = is_error;
	} else {
		text_free(&shown);
	}
	free(said);
}

static bool
list_is_growing(const struct list *list)
{
	for (size_t i = 0; i < list->lane_count; i++)
		if (!capture_ended(trace_capture(list->lanes[i].trace)))
			return true;
	return false;
}

/* Return true if the end of a step that ran in LIST is known. */
static bool
is_known(const struct screen *screen, const struct list *list, const struct wishes_step *step)
{
	const struct clocks *clocks = screen->session->clocks;
	bool live = list_is_growing(list);
	if (step->needs_clocks && !live && clocks && clocks_may_change(clocks))
		return false;
	if (step->needs.by != SEQUENCE_BY_NOTHING)
		return sequence_is_known(list->sequence, &step->needs);
	return live || bearing_of(&step->call) != BEARING_GOES_NEXT ||
	       sequence_is_exact(list->sequence);
}

static bool
is_on_its_way(const struct screen *screen)
{
	return search_running(screen->search) || list_busy(screen->list);
}

/* --- running ----------------------------------------------------------- */

void
wishes_free(struct wishes *w)
{
	drop_all(w);
	vec_free(&w->steps);
}

void
wishes_end(struct screen *screen)
{
	struct wishes *w = screen->wishes;
	for (size_t i = 0; i < w->steps.count; i++) {
		const struct command_call *call = &w->steps.at[i].call;
		if (bearing_of(call) != BEARING_WAITS)
			continue;
		screen_say(screen, NOTICE_WISH_CANCELLED, commands[call->id].name);
		break;
	}
	drop_all(w);
}

static void
end_if_moved(struct screen *screen)
{
	if (screen->wishes->steps.count && has_moved(screen))
		wishes_end(screen);
}

/* Run the steps from FROM on the present data. */
static void
run_early(struct screen *screen, size_t from)
{
	struct wishes *w = screen->wishes;
	for (size_t i = from; i < w->steps.count; i++)
		if (bearing_of(&w->steps.at[i].call) != BEARING_WAITS)
			run_again(screen, &w->steps.at[i]);
}

static void
go_to_start(struct screen *screen, const struct command_call *call)
{
	struct sequence_position p;
	(void)call;
	if (sequence_first(screen->list->sequence, &p))
		list_goto(screen->list, p);
}

/* Return true if a command needs no wait. */
static bool
runs_at_once(const struct screen *screen, const struct command_call *call)
{
	const struct wishes *w = screen->wishes;
	enum bearing bearing = bearing_of(call);
	if (w->running || bearing == BEARING_NONE)
		return true;
	if (bearing == BEARING_GOES || bearing == BEARING_GOES_NEXT)
		return false;
	/* without an earlier jump by the user, the message on the screen is the right one */
	return !w->steps.count || (call->id == COMMAND_COPY && !screen->range->on &&
				   w->steps.count == 1 && w->steps.at[0].run == go_to_start);
}

/* Keep a step that has not run yet. */
static void
keep_waiting(struct screen *screen, struct wishes_step step)
{
	add_step(screen->wishes, step);
	if (bearing_of(&step.call) != BEARING_WAITS)
		return;
	screen_say(screen, NOTICE_WISH_WAITS, commands[step.call.id].name);
	note_said(screen, &screen->wishes->steps.at[screen->wishes->steps.count - 1]);
}

void
wishes_run(struct screen *screen, wishes_command *run, const struct command_call *call)
{
	struct wishes *w = screen->wishes;
	struct wishes_step step = {.run = run, .call = *call};
	end_if_moved(screen);
	if (runs_at_once(screen, call)) {
		run(screen, call);
		return;
	}
	bool first = !w->steps.count;
	if (w->arriving || bearing_of(call) == BEARING_WAITS) {
		keep_waiting(screen, step);
		return;
	}
	const struct list *list = screen->list;
	if (first)
		note_base(screen);
	run_step(screen, &step);
	bool known = first && is_known(screen, list, &step);
	w->arriving = known && w->together && is_on_its_way(screen);
	if (known && !w->arriving) {
		drop_all(w);
		free(step.said);
	} else {
		add_step(w, step);
	}
	note_moves(screen);
}

/* Run the first step for good.  If it now needs data that is not known, run all steps on the
 * present data. */
static void
run_first(struct screen *screen)
{
	struct wishes *w = screen->wishes;
	const struct list *list = screen->list;
	run_again(screen, &w->steps.at[0]);
	w->arriving = is_known(screen, list, &w->steps.at[0]);
	if (!w->arriving)
		run_early(screen, 1);
}

/* Continue with the steps that can be answered.  Return false if the first cannot, or has not
 * arrived. */
static bool
go_on(struct screen *screen)
{
	struct wishes *w = screen->wishes;
	if (w->arriving && is_on_its_way(screen))
		return false;
	if (w->arriving) {
		w->arriving = false;
		drop_first(w);
		note_base(screen);
	} else if (is_known(screen, &screen->lists[w->base.trace], &w->steps.at[0])) {
		put_back(screen);
	} else {
		return false;
	}
	if (w->steps.count)
		run_first(screen);
	return true;
}

/* The message under the cursor, and its distance from the top of the screen. */
struct wish_view {
	const struct list *list;
	struct wishes_cursor cursor;
	size_t margin; /* SIZE_MAX if the cursor is not on the screen */
};

static struct wish_view
view_of(const struct list *list)
{
	return (struct wish_view){.list = list,
				  .cursor = cursor_of(list),
				  .margin = list->cursor < list->top ? SIZE_MAX
								     : list->cursor - list->top};
}

/* Keep the screen as it was if the same message is still under the cursor. */
static void
keep_view(struct screen *screen, const struct wish_view *before)
{
	const struct wish_view now = view_of(screen->list);
	if (now.list == before->list && same_cursor(now.cursor, before->cursor) &&
	    now.margin != before->margin && before->margin < screen->list->height)
		list_set_margin(screen->list, before->margin);
}

void
wishes_settle(struct screen *screen)
{
	struct wishes *w = screen->wishes;
	end_if_moved(screen);
	if (!w->steps.count)
		return;
	const struct wish_view before = view_of(screen->list);
	bool any = false;
	while (w->steps.count && go_on(screen))
		any = true;
	if (any)
		keep_view(screen, &before);
	if (!w->steps.count)
		drop_all(w);
	note_moves(screen);
}

void
wishes_poll(struct screen *screen)
{
	end_if_moved(screen);
	search_poll(screen);
	note_moves(screen);
}

void
wishes_begin(struct screen *screen)
{
	struct wishes *w = screen->wishes;
	const struct command_call call = {.id = COMMAND_TOP, .count = 1};
	w->together = true;
	if (screen->list->lane_count > 1 || screen->session->profile.order == CLOCKS_BY_TIME)
		wishes_run(screen, go_to_start, &call);
}

void
wishes_begun(struct screen *screen)
{
	screen->wishes->together = false;
}
