/*
 * Commands that wait in a queue: see waiting.h.
 *
 * Only the first command has to be checked, because the later ones start where it ends.
 */
#include "config.h"

#include "ui/list/waiting.h"
#include "base/notice.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "ui/list/filter_history.h"
#include "ui/list/list.h"
#include "ui/list/search.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

/* Return true if a command uses the row under the cursor, or goes to another row.  Moves by hand
 * do not count. */
static bool
depends_on_cursor(const struct command_call *call)
{
	enum command_id id = call->id;
	enum command_group group = commands[id].group;
	if (id == COMMAND_NOTE)
		return call->text; /* without a text it opens a prompt, which sends another call */
	if (id == COMMAND_CANCEL || id == COMMAND_RECORD)
		return false;
	return group == GROUP_FIND || group == GROUP_MARKS || id == COMMAND_FORMAT ||
	       id == COMMAND_TOP || id == COMMAND_END || id == COMMAND_PERCENT ||
	       id == COMMAND_GOTO || id == COMMAND_BACK || id == COMMAND_FORWARD ||
	       id == COMMAND_TURN_RUN || (id >= COMMAND_ONLY_ORIGIN && id <= COMMAND_ONLY_FIELD);
}

/* Return true if a command changes the rows of the list. */
static bool
changes_rows(const struct command_call *call)
{
	return commands[call->id].group == GROUP_FILTER || call->id == COMMAND_VIEW ||
	       call->id == COMMAND_SOURCE || call->id == COMMAND_SET;
}

/* Return true if a command goes to other rows by hand, or follows the end.  REPEAT sends another
 * call. */
static bool
moves_by_hand(const struct command_call *call)
{
	return commands[call->id].group == GROUP_MOVE && call->id != COMMAND_FREEZE &&
	       call->id != COMMAND_STOP_WHEN && call->id != COMMAND_REPEAT;
}

static bool
list_is_growing(const struct list *list)
{
	for (size_t i = 0; i < list->lane_count; i++)
		if (!capture_ended(trace_capture(list->lanes[i].trace)))
			return true;
	return false;
}

static bool
can_run(const struct screen *screen, const struct waiting_command *command)
{
	const struct clocks *clocks = screen->session->clocks;
	bool live = list_is_growing(screen->list);
	if (command->needs_clocks && !live && clocks && clocks_may_change(clocks))
		return false;
	return (live && command->needs.by == SEQUENCE_BY_PERCENT) ||
	       sequence_is_known(screen->list->sequence, &command->needs);
}

/* Count all later moves as moves by hand. */
static void
note_moves(struct screen *screen)
{
	screen->waiting->list = screen->list;
	screen->waiting->moves = screen->list->moves;
}

static void
drop_all(struct waiting_queue *w)
{
	for (size_t i = 0; i < w->commands.count; i++)
		free((char *)w->commands.at[i].call.text);
	vec_clear(&w->commands);
}

void
waiting_free(struct waiting_queue *w)
{
	drop_all(w);
	vec_free(&w->commands);
}

bool
waiting_shows(const struct waiting_queue *w)
{
	const enum sequence_by by =
	    w->commands.count ? w->commands.at[0].needs.by : SEQUENCE_BY_TIME;
	return w->commands.count > 1 || (by != SEQUENCE_BY_TIME && by != SEQUENCE_BY_TICKS);
}

const char *
waiting_for_marks(const struct waiting_queue *w)
{
	for (size_t i = 0; i < w->commands.count; i++)
		if (commands[w->commands.at[i].call.id].group == GROUP_MARKS)
			return commands[w->commands.at[i].call.id].name;
	return NULL;
}

static void
drop_if_moved(struct screen *screen)
{
	struct waiting_queue *w = screen->waiting;
	if (w->list == screen->list && w->moves == screen->list->moves)
		return;
	search_cancel(screen); /* its match would undo the move */
	if (waiting_shows(w))
		screen_say(screen, NOTICE_WAITING_DROPPED,
			   commands[w->commands.at[w->commands.count - 1].call.id].name);
	drop_all(w);
}

bool
waiting_cancel(struct screen *screen)
{
	bool shows = waiting_shows(screen->waiting);
	drop_all(screen->waiting);
	if (shows)
		screen_say(screen, NOTICE_CANCELLED);
	return shows;
}

/* Insert a command at a place in the queue. */
static void
insert_command(struct screen *screen, size_t at, struct waiting_command command)
{
	struct waiting_queue *w = screen->waiting;
	if (command.call.text)
		command.call.text = mem_text(command.call.text);
	vec_reserve(&w->commands, 1);
	w->commands.count++;
	memmove(w->commands.at + at + 1, w->commands.at + at,
		(w->commands.count - 1 - at) * sizeof command);
	w->commands.at[at] = command;
	note_moves(screen);
}

bool
waiting_for(struct screen *screen, const struct sequence_wish *wish, bool clocks,
	    waiting_run_command *run, const struct command_call *call)
{
	struct waiting_command command = {
	    .run = run, .call = *call, .needs_clocks = clocks, .begun = true};
	if (wish)
		command.needs = *wish;
	if (can_run(screen, &command))
		return false;
	insert_command(screen, 0, command);
	return true;
}

void
waiting_run(struct screen *screen, waiting_run_command *run, const struct command_call *call)
{
	struct waiting_queue *w = screen->waiting;
	drop_if_moved(screen);
	bool depends = depends_on_cursor(call);
	bool follows = changes_rows(call) || (w->starting && moves_by_hand(call));
	bool waits = w->commands.count || search_running(screen->search);
	if (!depends && !(waits && follows)) {
		run(screen, call);
		if (changes_rows(call) || commands[call->id].group == GROUP_SHOW)
			note_moves(screen); /* no move by hand */
	} else if (w->starting || waits) {
		/* at the start the share stands for the order of all messages */
		const enum sequence_by by =
		    w->starting && depends ? SEQUENCE_BY_PERCENT : SEQUENCE_BY_NOTHING;
		insert_command(screen, w->commands.count,
			       (struct waiting_command){.run = run, .call = *call, .needs.by = by});
		waiting_settle(screen);
	} else {
		run(screen, call);
		note_moves(screen);
	}
}

/* Take the first command out of the queue and run it. */
static void
run_first(struct screen *screen)
{
	struct waiting_queue *w = screen->waiting;
	struct waiting_command first = w->commands.at[0];
	memmove(w->commands.at, w->commands.at + 1, --w->commands.count * sizeof first);
	if (!first.begun)
		text_clear(
		    &screen->message); /* the answer to the command before, as its key would */
	first.run(screen, &first.call);
	filter_history_note(screen);
	free((char *)first.call.text);
}

void
waiting_settle(struct screen *screen)
{
	struct waiting_queue *w = screen->waiting;
	drop_if_moved(screen);
	while (w->commands.count && !search_running(screen->search) && !list_busy(screen->list) &&
	       can_run(screen, &w->commands.at[0]))
		run_first(screen);
	note_moves(screen);
}

void
waiting_poll(struct screen *screen)
{
	drop_if_moved(screen);
	search_poll(screen);
	note_moves(screen);
}
