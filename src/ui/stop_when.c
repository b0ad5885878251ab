/*
 * :stop-when EXPR, and :stop-when alone to cancel it: see stop_when.h.
 *
 * The search starts after the message that was the last one when the command was typed.
 * It continues when captures have grown, in this thread, BUDGET_MS at a time.  The last
 * message is searched again, since new bytes may change it.
 */
#include "config.h"

#include "ui/stop_when.h"
#include "base/notice.h"
#include "base/thread.h"
#include "base/vec.h"
#include "query/next_match.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/list/filters.h"
#include "ui/list/list.h"
#include "ui/list/shown.h"
#include "ui/list/trail.h"

#include <stdlib.h>

enum { BUDGET_MS = 20 };

struct stop_when {
	struct filter want;
	char *text;
	size_t list; /* number of the list to search */
	struct sequence_position from;
	struct next_match *next; /* the search, or NULL: all was searched */
};

void
stop_when_free(struct stop_when *stop)
{
	if (!stop)
		return;
	next_match_free(stop->next);
	filter_free(&stop->want);
	free(stop->text);
	free(stop);
}

static void
forget_stop(struct screen *screen)
{
	stop_when_free(app_of(screen)->stop_when);
	app_of(screen)->stop_when = NULL;
}

void
stop_when_set(struct screen *screen, const struct command_call *call)
{
	struct sequence_position last;
	struct text why = {0};
	if (!call->text) {
		screen_say(screen, app_of(screen)->stop_when ? NOTICE_STOP_OFF : NOTICE_STOP_WHEN);
		forget_stop(screen);
		return;
	}
	struct filter_expr *expr = filters_parse(screen->session, call->text, &why);
	if (!expr) {
		screen_error(screen, NOTICE_FILTER_REFUSED, text_get(&why));
	} else if (!sequence_last(screen->list->sequence, &last)) {
		filter_expr_free(expr);
		screen_error(screen, NOTICE_NO_MESSAGES_YET);
	} else {
		forget_stop(screen);
		struct stop_when *stop = mem_new(sizeof *stop);
		stop->want = filter_all();
		stop->want.expr = expr;
		stop->text = mem_text(call->text);
		stop->list = (size_t)(screen->list - screen->lists);
		stop->from = last;
		app_of(screen)->stop_when = stop;
		screen_say(screen, NOTICE_STOP_SET, stop->text);
	}
	text_free(&why);
}

static enum next_result
look_on(struct screen *screen, struct stop_when *stop, struct sequence_position *found)
{
	const struct next_bound bound = {.until = thread_now_ms() + BUDGET_MS};
	const struct next_query query = {.sequence = screen->lists[stop->list].sequence,
					 .want = &stop->want,
					 .from = stop->from,
					 .direction = 1};
	if (!stop->next)
		stop->next = next_match_new(&query);
	return next_match(stop->next, &bound, found);
}

/* End a search that is complete.  If new messages came, the next search begins with the last
 * one. */
static void
move_on(struct screen *screen, struct stop_when *stop)
{
	struct sequence *sequence = screen->lists[stop->list].sequence;
	struct sequence_position last;
	next_match_free(stop->next);
	stop->next = NULL;
	if (sequence_last(sequence, &last) && !sequence_position_is_same(last, stop->from) &&
	    sequence_previous(sequence, &last))
		stop->from = last;
}

/* Go to the message and report it.  If the list does not show it, report its number. */
static void
show_found(struct screen *screen, const struct stop_when *stop, struct sequence_position found)
{
	char digits[32];
	bool exact;
	if (screen->list != &screen->lists[stop->list])
		shown_set_trace(screen, stop->list);
	trail_go_to(screen, found);
	if (list_is_match(screen->list, found)) {
		screen_say(screen, NOTICE_STOPPED, stop->text);
		return;
	}
	uint64_t number = list_number(screen->list, found, &exact);
	screen_say(screen, NOTICE_STOPPED_HIDDEN, exact ? "" : "~", text_number(digits, number));
}

bool
stop_when_poll(struct screen *screen)
{
	struct stop_when *stop = app_of(screen)->stop_when;
	struct sequence_position found;
	if (!stop || screen->frozen)
		return false;
	enum next_result result = look_on(screen, stop, &found);
	if (result == NEXT_END)
		move_on(screen, stop);
	else if (result != NEXT_FOUND)
		session_signal(screen->session); /* more messages remain */
	if (result != NEXT_FOUND)
		return false;
	screen->frozen = true;
	show_found(screen, stop, found);
	forget_stop(screen);
	return true;
}
