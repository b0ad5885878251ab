/*
 * Filters from a row: see row_filter.h.
 *
 * Origins and traces go into the set of names that the pane of origins ticks.  A single entry
 * therefore lists all hidden names, wherever the user chose them.
 */
#include "config.h"

#include "ui/list/row_filter.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "session/session.h"
#include "ui/list/context_view.h"
#include "ui/list/display_time.h"
#include "ui/list/filters.h"
#include "ui/list/search.h"
#include "ui/list/selection.h"
#include "ui/list/view.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

/* Show only messages with this name in FIELD, or hide them.  The last name that is shown cannot
 * be hidden. */
static void
choose_name(struct screen *screen, const char *field, const char *name, bool hide)
{
	struct text what = {0};
	text_addf(&what, "%s ", field);
	filter_quote(name, strlen(name), &what);
	if (!hide) {
		filters_name_only(screen, field, name);
		filters_say_change(screen, false, what.data);
	} else if (filters_name_is_last(screen, field, name)) {
		screen_say(screen, NOTICE_ORIGIN_LAST, what.data);
	} else if (filters_name_passes(screen, field, name)) {
		filters_name_toggle(screen, field, name);
		filters_say_change(screen, true, what.data);
	} else {
		screen_say(screen, NOTICE_ORIGIN_HIDDEN, what.data);
	}
	text_free(&what);
}

void
row_filter_trace(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection = selection_get(screen);
	if (selection)
		choose_name(screen, "trace", trace_name(selection->trace),
			    call->id == COMMAND_HIDE_TRACE);
}

/* Show or hide an origin.  To show a message without an origin alone, use its trace. */
void
row_filter_origin(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection = selection_get(screen);
	bool hide = call->id == COMMAND_HIDE_ORIGIN;
	if (!selection)
		return;
	const struct text *origin = &selection->expansion.origin;
	if (hide && !origin->length) {
		struct text key = {0};
		keymap_hint(screen->keymap, COMMAND_HIDE_TRACE, &key);
		screen_say(screen, NOTICE_ORIGIN_NONE, key.data);
		text_free(&key);
		return;
	}
	char *name = mem_text(origin->length ? text_get(origin) : trace_name(selection->trace));
	choose_name(screen, origin->length ? "origin" : "trace", name, hide);
	free(name);
}

void
row_filter_like(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection = selection_get(screen);
	struct text text = {0};
	if (!selection)
		return;
	search_add_example(selection, &text);
	filters_add(screen, text.data, call->id == COMMAND_HIDE_LIKE);
	text_free(&text);
}

void
row_filter_severity(struct screen *screen, const struct command_call *call)
{
	const struct row *row = list_current(screen->list);
	struct text text = {0};
	(void)call;
	if (!row)
		return;
	if (row->message.severity < SEVERITY_FATAL || row->message.severity > SEVERITY_DEBUG) {
		screen_say(screen, NOTICE_SEVERITY_NONE);
		return;
	}
	text_addf(&text, "severity >= %s", view_severities[row->message.severity]);
	filters_add(screen, text.data, false);
	text_free(&text);
}

/* Append a time in filter syntax: a time of the first message's day, a date as a single word,
 * or seconds with their unit. */
static void
add_time_value(const struct list *list, struct display_time shown, struct text *out)
{
	struct display_time first;
	size_t start = out->length;
	bool any = display_time_first(list, &first);
	shown.estimated = false;
	display_time_format_beside(&shown, any ? &first : NULL, out);
	char *blank = strchr(out->data + start, ' ');
	if (blank)
		*blank = 'T';
	else if (shown.clock.hz > 0 && !strchr(out->data + start, ':'))
		text_add_char(out, 's');
}

void
row_filter_time(struct screen *screen, const struct command_call *call)
{
	const struct row *current = list_current(screen->list);
	struct display_time shown;
	struct text text = {0};
	if (!current)
		return;
	if (!display_time_at_or_before(screen->list, current, &shown)) {
		screen_say(screen, NOTICE_TIME_NONE);
		return;
	}
	text_addf(&text, "time %s ", call->id == COMMAND_ONLY_AFTER ? ">=" : "<=");
	add_time_value(screen->list, shown, &text);
	filters_add(screen, text.data, false);
	text_free(&text);
}

void
row_filter_context(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection = selection_get(screen);
	struct contexts *contexts = screen->session->contexts;
	struct context_value value;
	struct text text = {0};
	(void)call;
	for (unsigned i = 0; selection && i < contexts_count(contexts); i++)
		if (context_value(contexts, context_view_cursor(screen), &selection->message, i,
				  &value) &&
		    value.state == CONTEXT_KNOWN) {
			text_add(&text, text.length ? " and " : "");
			context_view_add_equation(screen, i, &value, true, &text);
		}
	if (text.length)
		filters_add(screen, text.data, false);
	else
		screen_say(screen, NOTICE_CONTEXT_NONE);
	text_free(&text);
}
