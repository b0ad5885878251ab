/*
 * Filters as they were: see filter_history.h.
 *
 * Sets are compared after each command, so that no command says what it changed.
 * Expressions are shared, which costs a few dozen bytes for each entry.
 */
#include "config.h"

#include "ui/list/filter_history.h"
#include "command/keymap.h"
#include "query/filter/filter.h"
#include "ui/list/filters.h"
#include "ui/list/list.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 100 };

/* Where the cursor was, and the moves of its list when it left. */
struct filter_place {
	const struct list *list;
	size_t lane;
	struct message_id id;
	unsigned moves;
};

/* A set to go to, and where the cursor was with it. */
struct filter_step {
	struct filters set;
	struct filter_place place;
};

struct filter_history {
	struct filter_step now;
	VEC(struct filter_step) undo;
	VEC(struct filter_step) redo;
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
	return (struct filter_step){copy_set(screen->filters), place_now(screen)};
}

static void
free_steps(struct filter_step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		filters_free(&steps[i].set);
}

void
filter_history_free(struct filter_history *history)
{
	if (!history)
		return;
	free_steps(&history->now, 1);
	free_steps(history->undo.at, history->undo.count);
	free_steps(history->redo.at, history->redo.count);
	vec_free(&history->undo);
	vec_free(&history->redo);
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
		if (history->undo.count == STEPS_MAX) {
			free_steps(history->undo.at, 1);
			memmove(history->undo.at, history->undo.at + 1,
				--history->undo.count * sizeof *history->undo.at);
		}
		history->now.place.moves = screen->list->moves;
		*vec_add(&history->undo) = history->now;
		history->now.set = copy_set(screen->filters);
		free_steps(history->redo.at, history->redo.count);
		vec_clear(&history->redo);
	}
	history->now.place = place_now(screen);
}

/* Says what the filters are by now, and how to turn back. */
static void
say_step(struct screen *screen, bool undone)
{
	struct text text = {0};
	const struct filters *filters = screen->filters;
	text_add(&text, undone ? "undone: " : "redone: ");
	if (filters->disabled)
		text_add(&text, "filters off");
	else if (!filters->combined && filters->severities == 0xff)
		text_add(&text, "no filters");
	if (!filters->disabled && filters->severities != 0xff)
		filters_add_severities(screen, &text);
	if (!filters->disabled && filters->combined)
		text_addf(&text, "%s %s", filters->severities == 0xff ? "only" : " and",
			  filter_expr_text(filters->combined));
	text_add(&text, "; ");
	keymap_hint(screen->keymap, undone ? COMMAND_REDO_FILTER : COMMAND_UNDO_FILTER, &text);
	screen_say(screen, "%s %s it", text.data, undone ? "redoes" : "undoes");
	text_free(&text);
}

void
filter_history_step(struct screen *screen, const struct command_call *call)
{
	struct filter_history *history = screen->filter_history;
	bool undone = call->id == COMMAND_UNDO_FILTER;
	uint64_t left = call->count;
	for (; left; left--) {
		if (!(undone ? history->undo.count : history->redo.count))
			break;
		struct filter_step to = undone ? history->undo.at[--history->undo.count]
					       : history->redo.at[--history->redo.count];
		struct filter_step from = {history->now.set, place_now(screen)};
		if (undone)
			*vec_add(&history->redo) = from;
		else
			*vec_add(&history->undo) = from;
		history->now.set = copy_set(&to.set);
		if (to.place.list == screen->list && to.place.moves == screen->list->moves)
			list_set_anchor(screen->list, to.place.lane, to.place.id);
		filters_replace(screen, to.set);
	}
	if (left == call->count)
		screen_say(screen, "nothing to %s", undone ? "undo" : "redo");
	else
		say_step(screen, undone);
}
