/*
 * Undo and redo for filters: see filter_history.h.
 *
 * The sets of filters are compared after each command, and commands need not report their
 * changes.  Expressions are shared, which costs a few dozen bytes for each entry.  A tie is a
 * step of its own, made or removed.  It leaves the set of filters unchanged.
 */
#include "config.h"

#include "ui/list/filter_history.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "query/filter/filter.h"
#include "session/clock/clocks.h"
#include "session/link/sync_options.h"
#include "session/session.h"
#include "ui/list/filters.h"
#include "ui/list/list.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 100 };

/* The place of the cursor, and the move count of its list when it left. */
struct filter_place {
	const struct list *list;
	size_t lane;
	struct message_id id;
	unsigned moves;
};

/* A set to return to, with its place of the cursor; or a tie. */
struct filter_step {
	struct filters set;
	struct filter_place place;
	struct sync_options *tie; /* the tie of this step; owned, or NULL */
	bool removed;		  /* the step removed the tie */
};

struct filter_steps {
	VEC(struct filter_step) list;
};

struct filter_history {
	struct filter_step now;
	struct filter_steps undo, redo;
};

static struct filters
copy_set(const struct filters *from)
{
	struct filters to = {.severities = from->severities, .disabled = from->disabled};
	for (size_t i = 0; i < from->list.count; i++)
		*vec_add(&to.list) =
		    (struct filter_entry){.expr = filter_expr_share(from->list.at[i].expr),
					  .exclude = from->list.at[i].exclude,
					  .disabled = from->list.at[i].disabled};
	return to;
}

static bool
same_set(const struct filters *a, const struct filters *b)
{
	bool same = a->severities == b->severities && a->disabled == b->disabled &&
		    a->list.count == b->list.count;
	for (size_t i = 0; same && i < a->list.count; i++) {
		const struct filter_entry *x = &a->list.at[i], *y = &b->list.at[i];
		same = x->exclude == y->exclude && x->disabled == y->disabled &&
		       !strcmp(filter_expr_text(x->expr), filter_expr_text(y->expr));
	}
	return same;
}

static struct filter_place
place_now(const struct screen *screen)
{
	const struct list *list = screen->list;
	return (struct filter_place){list, list->anchor_lane, list->anchor, list->moves};
}

static struct filter_step
step_now(const struct screen *screen)
{
	return (struct filter_step){.set = copy_set(screen->filters), .place = place_now(screen)};
}

static void
free_step(struct filter_step *step)
{
	filters_free(&step->set);
	if (step->tie)
		option_release(&sync_options_table, step->tie);
	free(step->tie);
}

static void
clear_steps(struct filter_steps *steps)
{
	for (size_t i = 0; i < steps->list.count; i++)
		free_step(&steps->list.at[i]);
	vec_clear(&steps->list);
}

/* Append an undo step and clear the redo steps. */
static void
add_step(struct filter_history *history, struct filter_step step)
{
	struct filter_steps *undo = &history->undo;
	if (undo->list.count == STEPS_MAX) {
		free_step(&undo->list.at[0]);
		memmove(undo->list.at, undo->list.at + 1,
			--undo->list.count * sizeof *undo->list.at);
	}
	*vec_add(&undo->list) = step;
	clear_steps(&history->redo);
}

void
filter_history_free(struct filter_history *history)
{
	if (!history)
		return;
	free_step(&history->now);
	clear_steps(&history->undo);
	clear_steps(&history->redo);
	vec_free(&history->undo.list);
	vec_free(&history->redo.list);
	free(history);
}

void
filter_history_begin(struct screen *screen)
{
	filter_history_free(screen->filter_history);
	screen->filter_history = mem_new(sizeof *screen->filter_history);
	screen->filter_history->now = step_now(screen);
}

void
filter_history_note(struct screen *screen)
{
	struct filter_history *history = screen->filter_history;
	if (!history)
		return;
	if (!same_set(&history->now.set, screen->filters)) {
		history->now.place.moves = screen->list->moves;
		add_step(history, history->now);
		history->now.set = copy_set(screen->filters);
	}
	history->now.place = place_now(screen);
}

void
filter_history_note_tie(struct screen *screen, const struct sync_options *tie, bool removed)
{
	struct filter_step step = {.removed = removed};
	if (!screen->filter_history)
		return;
	step.tie = mem_new(sizeof *step.tie);
	option_copy(&sync_options_table, step.tie, tie);
	add_step(screen->filter_history, step);
}

/* Append a description of the present filters. */
static void
add_filters(const struct screen *screen, struct text *out)
{
	const struct filters *filters = screen->filters;
	if (filters->disabled)
		text_add(out, NOTICE_FILTERS_OFF);
	else if (!filters->combined && filters->severities == SEVERITY_ALL)
		text_add(out, NOTICE_FILTERS_CLEARED);
	else
		filters_describe(screen, out);
}

/* Make the tie of a step, or remove it. */
static void
turn_tie(struct screen *screen, const struct filter_step *step, bool undone, struct text *out)
{
	struct clocks *clocks = screen->session->clocks;
	bool makes = step->removed == undone;
	size_t number = clocks_find_equal_tie(clocks, step->tie);
	if (makes)
		clocks_add_ties(clocks, step->tie, 1);
	else if (number != SIZE_MAX)
		clocks_untie(clocks, number);
	text_addf(out, makes ? NOTICE_TIED_AGAIN : NOTICE_UNTIED_AGAIN, step->tie->a.trace,
		  step->tie->b.trace);
}

/* Switch to the set of a step.  The present set becomes a step of OTHERS. */
static void
turn_filters(struct screen *screen, const struct filter_step *to, struct filter_steps *others)
{
	struct filter_history *history = screen->filter_history;
	*vec_add(&others->list) =
	    (struct filter_step){.set = history->now.set, .place = place_now(screen)};
	history->now.set = copy_set(&to->set);
	if (to->place.list == screen->list && to->place.moves == screen->list->moves)
		list_set_anchor(screen->list, to->place.lane, to->place.id);
	filters_replace(screen, to->set);
}

void
filter_history_step(struct screen *screen, const struct command_call *call)
{
	struct filter_history *history = screen->filter_history;
	bool undone = call->id == COMMAND_UNDO_FILTER;
	struct filter_steps *from = undone ? &history->undo : &history->redo;
	struct filter_steps *others = undone ? &history->redo : &history->undo;
	struct text text = {0}, hint = {0};
	for (uint64_t left = call->count; left && from->list.count; left--) {
		struct filter_step to = from->list.at[--from->list.count];
		text_clear(&text);
		if (to.tie) {
			turn_tie(screen, &to, undone, &text);
			*vec_add(&others->list) = to;
		} else {
			turn_filters(screen, &to, others);
			add_filters(screen, &text);
		}
	}
	if (text.length) {
		keymap_hint(screen->keymap, undone ? COMMAND_REDO_FILTER : COMMAND_UNDO_FILTER,
			    &hint);
		screen_say(screen, undone ? NOTICE_UNDONE : NOTICE_REDONE, text.data, hint.data);
	} else {
		screen_say(screen, undone ? NOTICE_NOTHING_TO_UNDO : NOTICE_NOTHING_TO_REDO);
	}
	text_free(&hint);
	text_free(&text);
}
