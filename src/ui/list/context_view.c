/*
 * Contexts next to the messages: see context_view.h.
 *
 * A context's value costs a walk of at most two cells.  A value that is not known yet is
 * filled in later.  The first use of a context starts a scan of the trace.
 */
#include "config.h"

#include "ui/list/context_view.h"
#include "base/notice.h"
#include "session/session.h"
#include "ui/list/list.h"
#include "ui/list/trail.h"
#include "ui/list/view.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

static const char prefix[] = "context.";

void
context_view_free(struct screen *screen)
{
	struct context_view *view = screen->contexts;
	for (size_t i = 0; view->cursors && i < screen->session->traces.count; i++)
		context_cursor_free(view->cursors[i]);
	free(view->cursors);
	free(view->rows);
}

/* Return the cursor for a trace of the session, or NULL without contexts. */
static struct context_cursor *
cursor_of_trace(struct screen *screen, size_t trace)
{
	struct contexts *contexts = screen->session->contexts;
	if (!contexts)
		return NULL;
	struct context_view *view = screen->contexts;
	if (!view->cursors)
		view->cursors = mem_new(screen->session->traces.count * sizeof *view->cursors);
	if (!view->cursors[trace])
		view->cursors[trace] =
		    context_cursor_new(contexts, screen->session->traces.at[trace]);
	return view->cursors[trace];
}

/* Return the cursor for a lane of the list, or NULL without contexts. */
static struct context_cursor *
cursor_for(struct screen *screen, size_t lane)
{
	return cursor_of_trace(screen, screen->list->lanes[lane].number);
}

struct context_cursor *
context_view_cursor(struct screen *screen)
{
	return cursor_for(screen, screen->list->lane);
}

void
context_view_add_equation(struct screen *screen, unsigned context,
			  const struct context_value *value, bool hexadecimal, struct text *out)
{
	struct contexts *contexts = screen->session->contexts;
	struct text plain = {0};
	text_addf(out, "context.%s = ", contexts_name(contexts, context));
	if (value->name)
		text_add(&plain, value->name);
	else if (value->is_number && hexadecimal)
		text_addf(&plain, "0x%llx", (unsigned long long)value->number);
	else
		context_text(contexts, context_view_cursor(screen), context, value, &plain);
	if (value->name || !value->is_number)
		filter_quote(text_get(&plain), plain.length, out);
	else
		text_add(out, text_get(&plain));
	text_free(&plain);
}

void
context_view_end(struct screen *screen, const struct message *m, unsigned context,
		 const struct context_value *value, struct context_end *end)
{
	struct contexts *contexts = screen->session->contexts;
	struct position at;
	*end = (struct context_end){.state = CONTEXT_LATER};
	if (value->trace == screen->list->trace) {
		context_end(contexts, context_view_cursor(screen), m, context, value, end);
		return;
	}
	if (value->state != CONTEXT_KNOWN)
		return;
	size_t trace = trace_number(value->trace);
	struct reader *reader = sequence_reader(screen->sequence, trace);
	if (!reader_find_id(reader, value->since, &at))
		return;
	const struct message *since = reader_message(reader, at);
	struct message own = since ? *since : (struct message){0};
	if (since)
		context_end(contexts, cursor_of_trace(screen, trace), &own, context, value, end);
}

/* Append a value that holds in the trace of CURSOR. */
static void
add_value(struct screen *screen, struct context_cursor *cursor, unsigned context,
	  const struct context_value *value, struct text *out)
{
	size_t before = out->length;
	if (value->state == CONTEXT_KNOWN)
		context_text(screen->session->contexts, cursor, context, value, out);
	if (value->name)
		text_addf(out, "%s%s", out->length > before ? " " : "", value->name);
	if (value->state == CONTEXT_UNKNOWN || value->doubtful)
		text_add(out, out->length > before ? " ?" : "?");
	if (value->recovered)
		text_add(out, " recovered");
}

void
context_view_add_value(struct screen *screen, unsigned context, const struct context_value *value,
		       struct text *out)
{
	add_value(screen, context_view_cursor(screen), context, value, out);
}

static struct field_row *
rows_of(struct screen *screen)
{
	size_t count = contexts_count(screen->session->contexts);
	struct context_view *view = screen->contexts;
	if (!view->rows) {
		view->rows = mem_new(count * sizeof *view->rows);
		for (size_t i = 0; i < count; i++)
			view->rows[i] = (struct field_row){
			    .name = contexts_name(screen->session->contexts, (unsigned)i),
			    .type = FIELD_TEXT,
			    .detail = true,
			    .help = "a context"};
	}
	return view->rows;
}

void
context_view_add(struct screen *screen, const struct message *m, struct expansion *e)
{
	static const struct field_row group = {.name = "context",
					       .type = FIELD_GROUP,
					       .detail = true,
					       .help = "contexts at this message"};
	struct contexts *contexts = screen->session->contexts;
	if (!screen->open[PANE_DETAIL] || !contexts_count(contexts))
		return;
	bool any = false;
	struct text text = {0};
	for (unsigned i = 0; i < contexts_count(contexts); i++) {
		struct context_value value;
		if (!context_value(contexts, context_view_cursor(screen), m, i, &value) ||
		    value.state == CONTEXT_NONE || value.state == CONTEXT_LATER)
			continue;
		if (!any)
			expansion_open(e, &group, FIELD_NOWHERE, 0, 0);
		any = true;
		text_clear(&text);
		context_view_add_value(screen, i, &value, &text);
		struct field *field = expansion_add(e, &rows_of(screen)[i], FIELD_NOWHERE, 0, 0);
		field->s.at = arena_text(&e->arena, text_get(&text), text.length);
		field->s.length = text.length;
	}
	if (any)
		expansion_close(e);
	text_free(&text);
}

bool
context_view_column(struct screen *screen, size_t lane, const struct message *m, const char *name,
		    struct text *out)
{
	struct contexts *contexts = screen->session->contexts;
	struct context_cursor *cursor = cursor_for(screen, lane);
	struct context_value value;
	unsigned context;
	if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
	    !contexts_find(contexts, name + sizeof prefix - 1, &context))
		return false;
	if (!context_value(contexts, cursor, m, context, &value))
		return true;
	if (value.name) {
		text_addf(out, "%s%s", value.name, value.doubtful ? " ?" : "");
	} else if (value.state != CONTEXT_NONE && value.state != CONTEXT_LATER) {
		value.recovered = false;
		add_value(screen, cursor, context, &value, out);
	}
	return true;
}

/* Return the message of a lane from which a step finds the change nearest to FROM in the list.
 * NULL means a start after the last message. */
static const struct message *
start_of_step(struct screen *screen, struct sequence_position from, size_t lane, bool forward)
{
	struct reader *reader = screen->list->lanes[lane].reader;
	struct position at;
	bool head = sequence_trace_head(screen->list->sequence, from, lane, &at);
	if (lane == from.trace)
		return reader_message(reader, at);
	if (!head && !forward)
		return NULL;
	if (forward) /* the head may be a change, unless it is the first message of the trace */
		reader_previous(reader, &at, 0);
	return reader_message(reader, at);
}

/* Move *AT to the next change of a context in any trace of the list. */
static enum context_state
step_to_change(struct screen *screen, struct sequence_position *at, bool forward)
{
	const struct list *list = screen->list;
	struct sequence_position from = *at;
	bool any = false, later = false;
	for (size_t lane = 0; lane < list->lane_count; lane++) {
		if (lane != from.trace && !sequence_shows(list->sequence, lane))
			continue;
		struct context_cursor *cursor = cursor_for(screen, lane);
		const struct message *m = start_of_step(screen, from, lane, forward);
		struct message own = m ? *m : (struct message){0};
		struct sequence_position to = {.trace = lane};
		struct message_id id;
		enum context_state state = CONTEXT_NONE;
		if (cursor && (m || !forward))
			state = context_step(screen->session->contexts, cursor, m ? &own : NULL,
					     forward, &id);
		later |= state == CONTEXT_LATER;
		if (state == CONTEXT_KNOWN &&
		    reader_find_id(list->lanes[lane].reader, id, &to.at) &&
		    (!any || sequence_is_before(list->sequence, to, *at) == forward)) {
			*at = to;
			any = true;
		}
	}
	return any ? CONTEXT_KNOWN : later ? CONTEXT_LATER : CONTEXT_NONE;
}

void
context_view_jump(struct screen *screen, const struct command_call *call)
{
	const struct row *row = list_current(screen->list);
	bool forward = call->id == COMMAND_NEXT_CONTEXT;
	if (!row)
		return;
	struct sequence_position at = row_position(row);
	for (uint64_t left = call->count; left; left--) {
		enum context_state state = step_to_change(screen, &at, forward);
		if (state == CONTEXT_KNOWN)
			continue;
		screen_say(screen, state == CONTEXT_LATER ? NOTICE_CONTEXT_CHANGE_LATER
							  : NOTICE_CONTEXT_CHANGE_NONE);
		return;
	}

	trail_go_to(screen, at);
}
