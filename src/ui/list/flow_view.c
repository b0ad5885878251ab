/* The program flow on the screen: see flow_view.h. */
#include "config.h"

#include "ui/list/flow_view.h"
#include "base/notice.h"
#include "program/insn.h"
#include "query/flow/flow_cursor.h"
#include "query/flow/run_on.h"
#include "session/flows.h"
#include "session/session.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { BEFORE_MOST = 64 }; /* messages without a known sender to skip */

void
flow_view_free(struct screen *screen)
{
	struct flow_view *view = screen->flow;
	for (size_t i = 0; view->traces && i < screen->session->traces.count; i++) {
		flow_looker_free(view->traces[i].looker);
		run_on_free(view->traces[i].run_on);
	}
	free(view->traces);
	flow_look_free(&view->look);
	text_free(&view->name);
	*view = (struct flow_view){0};
}

/* --- traces ------------------------------------------------------------ */

static void
open_trace(struct trace *trace, struct flow_view_trace *followed)
{
	struct err err = {0};
	followed->tried = true;
	followed->index = flows_index(trace, &followed->why);
	if (followed->index)
		followed->looker = flow_looker_new(trace, followed->index, &err);
}

static struct flow_view_trace *
trace_of(struct screen *screen, struct trace *trace)
{
	struct flow_view *view = screen->flow;
	if (!view->traces)
		view->traces = mem_new(screen->session->traces.count * sizeof *view->traces);
	struct flow_view_trace *followed = &view->traces[trace_number(trace)];
	if (!followed->tried) {
		open_trace(trace, followed);
		view->opened++;
	}
	return followed;
}

const struct flow_view_trace *
flow_view_followed(const struct screen *screen, size_t trace)
{
	const struct flow_view_trace *traces = screen->flow->traces;
	return traces && traces[trace].looker ? &traces[trace] : NULL;
}

static struct reader *
reader_of(struct screen *screen, const struct trace *trace)
{
	return sequence_reader(screen->sequence, trace_number(trace));
}

/* --- the message that is shown ------------------------------------------ */

/* Keep a copy of the name, because expanding the message for each title is expensive. */
static void
keep_name(struct flow_view *view, const struct text *name)
{
	text_clear(&view->name);
	text_add_bytes(&view->name, text_get(name), name->length);
}

/* Fill in PLACE and NAME from a message.  Return true if its sender is known. */
static bool
take_sender(struct reader *reader, struct position at, struct flow_view_place *place,
	    struct text *name)
{
	const struct message *m = reader_message(reader, at);
	struct expansion e = {0};
	text_clear(name);
	if (!m)
		return false;
	place->origin = m->origin;
	reader_expand_origin(reader, m, &e);
	bool known = e.origin.length;
	text_add_bytes(name, text_get(&e.origin), e.origin.length);
	expansion_free(&e);
	place->id = reader_message_id(reader, at);
	return known;
}

/* Find the last message of a lane before P with a known sender.  Return false if none is near. */
static bool
find_before(struct screen *screen, struct sequence_position p, size_t lane,
	    struct flow_view_place *place, struct text *name)
{
	struct reader *reader = sequence_reader(screen->sequence, lane);
	struct position at;
	sequence_trace_head(screen->sequence, p, lane, &at);
	for (unsigned i = 0; i < BEFORE_MOST && reader_previous(reader, &at, 1); i++)
		if (take_sender(reader, at, place, name))
			return true;
	return false;
}

/* Find the first message of a trace that can be followed. */
static void
find_first(struct screen *screen, struct flow_view_place *place)
{
	struct text name = {0};
	for (size_t lane = 0; lane < sequence_trace_count(screen->sequence); lane++) {
		struct flow_view_place found = {.trace = screen->session->traces.at[lane],
						.behind = true};
		struct reader *reader = sequence_reader(screen->sequence, lane);
		struct position at;
		bool more = sequence_shows(screen->sequence, lane) &&
			    trace_of(screen, found.trace)->looker && reader_first(reader, &at);
		for (unsigned i = 0; more && i < BEFORE_MOST; i++) {
			if (take_sender(reader, at, &found, &name)) {
				*place = found;
				keep_name(screen->flow, &name);
				text_free(&name);
				return;
			}
			more = reader_next(reader, &at, 1);
		}
	}
	text_free(&name);
}

/* Find the last message before the selected one in a trace that can be followed.  Keep the name
 * of its processor. */
static void
find_other(struct screen *screen, struct flow_view_place *place)
{
	struct sequence_position p = {.trace = trace_number(place->trace)}, last = {0};
	struct text name = {0};
	if (!reader_find_id(reader_of(screen, place->trace), place->id, &p.at))
		return;
	for (size_t lane = 0; lane < sequence_trace_count(screen->sequence); lane++) {
		struct flow_view_place found = {.trace = screen->session->traces.at[lane],
						.before = true};
		struct sequence_position at = {.trace = lane};
		if (lane == p.trace || !sequence_shows(screen->sequence, lane) ||
		    !sequence_relates(screen->sequence, p.trace, lane) ||
		    !trace_of(screen, found.trace)->looker ||
		    !find_before(screen, p, lane, &found, &name) ||
		    !reader_find_id(reader_of(screen, found.trace), found.id, &at.at))
			continue;
		if (place->before && sequence_is_before(screen->sequence, at, last))
			continue;
		*place = found;
		last = at;
		keep_name(screen->flow, &name);
	}
	text_free(&name);
}

const struct flow_view_place *
flow_view_get_place(struct screen *screen)
{
	struct flow_view *view = screen->flow;
	const struct selection *selection = selection_get(screen);
	uint64_t order = sequence_generation(screen->sequence);
	if (!selection)
		return NULL;
	if (view->of.any && view->of.trace == selection->trace && view->of.order == order &&
	    view->of.generation == selection->generation &&
	    !message_id_compare(view->of.id, selection->id))
		return &view->place;
	view->of.any = true;
	view->of.trace = selection->trace;
	view->of.id = selection->id;
	view->of.generation = selection->generation;
	view->of.order = order;
	view->place = (struct flow_view_place){
	    .trace = selection->trace, .id = selection->id, .origin = selection->message.origin};
	keep_name(view, &selection->expansion.origin);
	if (!trace_of(screen, selection->trace)->looker)
		find_other(screen, &view->place);
	if (!trace_of(screen, view->place.trace)->looker)
		find_first(screen, &view->place);
	return &view->place;
}

static struct flow_view_trace *
trace_of_place(struct screen *screen)
{
	const struct flow_view_place *place = flow_view_get_place(screen);
	return place ? trace_of(screen, place->trace) : NULL;
}

struct flow_index *
flow_view_index(struct screen *screen, const char **why)
{
	const struct flow_view_trace *followed = trace_of_place(screen);
	*why = followed ? followed->why : NULL;
	return !followed || *why ? NULL : followed->index;
}

struct flow_looker *
flow_view_looker(struct screen *screen)
{
	const struct flow_view_trace *followed = trace_of_place(screen);
	return followed ? followed->looker : NULL;
}

struct flow_code *
flow_view_code(struct screen *screen)
{
	struct flow_looker *looker = flow_view_looker(screen);
	return looker ? flow_looker_code(looker) : NULL;
}

static bool
is_current(const struct flow_view *view, const struct flow_view_place *place)
{
	return view->made && view->shown.trace == place->trace &&
	       view->generation == view->of.generation &&
	       !message_id_compare(view->shown.id, place->id);
}

const struct flow_look *
flow_view_get(struct screen *screen, const char **why)
{
	const struct flow_view *view = screen->flow;
	const struct flow_view_place *place = flow_view_get_place(screen);
	*why = NULL;
	if (!place)
		return NULL;
	*why = place->behind ? "nothing is known to have been executed before this message"
			     : trace_of(screen, place->trace)->why;
	return !*why && is_current(view, place) ? &view->look : NULL;
}

bool
flow_view_has_news(struct screen *screen)
{
	const struct flow_view *view = screen->flow;
	if (!view->made || !view->look.guess)
		return false;
	const struct flow_index *index = view->traces[trace_number(view->shown.trace)].index;
	return flow_index_generation(index) != view->known;
}

/* Look at a message and at its run. */
static bool
look_at_run(struct flow_view_trace *followed, struct reader *reader, struct position p,
	    struct flow_look *look)
{
	struct run_sums run = {.first = p, .last = p};
	bool exact;
	if (!followed->run_on)
		followed->run_on = run_on_new(reader_trace(reader));
	run_on_find(followed->run_on, reader, p, &run);
	return flow_look_around(followed->looker, reader, p, run.first.cell,
				reader_number(reader, run.first, &exact),
				reader_number(reader, run.last, &exact), look);
}

bool
flow_view_work(struct screen *screen)
{
	struct flow_view *view = screen->flow;
	const struct flow_view_place *place = flow_view_get_place(screen);
	if (!place || place->behind || (is_current(view, place) && !flow_view_has_news(screen)))
		return false;
	struct flow_view_trace *followed = trace_of(screen, place->trace);
	struct reader *reader = reader_of(screen, place->trace);
	struct position p;
	if (!followed->looker)
		return false;
	view->known = flow_index_generation(followed->index);
	view->made = true;
	view->shown = *place;
	view->generation = view->of.generation;
	view->changes++;
	if (!reader_find_id(reader, place->id, &p) ||
	    !look_at_run(followed, reader, p, &view->look))
		flow_look_free(&view->look);
	return true;
}

/* --- text -------------------------------------------------------------- */

bool
flow_view_add_place(struct screen *screen, uint64_t address, struct text *out)
{
	return flow_add_address(flow_view_get_place(screen)->trace, address, out);
}

uint64_t
flow_view_call_site(struct screen *screen, uint16_t space, uint64_t link)
{
	struct flow_code *code = flow_view_code(screen);
	for (unsigned length = 4; code && length >= 2; length -= 2) {
		const struct insn *insn = flow_code_find_in(code, space, link - length);
		if (insn->length == length &&
		    (insn->class == INSN_CALL || insn->class == INSN_INDIRECT_CALL ||
		     insn->class == INSN_SWAP))
			return link - length;
	}
	return link - 1;
}

/* Return the ID of a message, and append its number in the list. */
static void
add_number(struct screen *screen, const struct trace *trace, struct position p,
	   struct message_id *id, struct text *shown)
{
	struct list *list;
	struct row row;
	*id = reader_message_id(reader_of(screen, trace), p);
	if (jump_find(screen, &(struct location){.trace = trace_number(trace), .id = *id}, &list,
		      &row))
		list_add_number(list, &row, shown);
}

bool
flow_view_message(struct screen *screen, uint64_t number, struct message_id *id, struct text *shown)
{
	const struct trace *trace = flow_view_get_place(screen)->trace;
	struct position p;
	bool exact;
	if (!reader_find_number(reader_of(screen, trace), number, &p, &exact))
		return false;
	add_number(screen, trace, p, id, shown);
	return true;
}

void
flow_view_add_title(struct screen *screen, struct text *out)
{
	const struct flow_view_place *place = flow_view_get_place(screen);
	const struct text *name = &screen->flow->name;
	struct text number = {0};
	struct message_id id;
	struct position p;
	if (!place || place->behind ||
	    !reader_find_id(reader_of(screen, place->trace), place->id, &p))
		return;
	text_add_bytes(out, text_get(name), name->length);
	text_add(out, name->length ? " at " : "at ");
	add_number(screen, place->trace, p, &id, &number);
	text_add(out, text_get(&number));
	text_add(out, place->before ? ", the last before" : "");
	text_free(&number);
}

/* Draw text from ROW in lines that break between words, at most MOST.  Return the number of
 * lines.  Lines past the area are only counted. */
static int
draw_words(struct canvas *canvas, const struct area *area, int row, int most, const char *text,
	   size_t length)
{
	int lines = 0, room = area->cols - 1;
	for (size_t at = 0, part; room > 0 && at < length && lines < most; at += part, lines++) {
		part = text_fit_words(text + at, length - at, canvas->charset, room);
		size_t shown = lines + 1 == most ? length - at : part; /* marks the cut */
		canvas_put_cell(canvas, area, row + lines, 1, room, ROLE_ABSENT, text + at, shown);
	}
	return lines;
}

void
flow_view_draw_why(struct canvas *canvas, const struct area *area, const char *why)
{
	const char *rest = strstr(why, "; ");
	size_t length = rest ? (size_t)(rest - why) + 1 : strlen(why);
	int lines = draw_words(canvas, area, 0, area->rows, why, length);
	if (rest && lines < area->rows)
		draw_words(canvas, area, lines, area->rows - lines, rest + 2, strlen(rest + 2));
}

void
flow_view_draw_note(struct canvas *canvas, struct area *area, const char *note, size_t needed)
{
	enum { LEAST = 3, PART = 4 }; /* least rows of an area with a note; its share, 1/PART */
	const struct area whole = *area;
	int most = area->rows < LEAST ? 0 : area->rows < PART ? 1 : area->rows / PART;
	int spare = needed < (size_t)area->rows ? area->rows - (int)needed : 0;
	most = most < spare ? spare : most;
	int lines = draw_words(canvas, area, area->rows, most, note, strlen(note));
	area->rows -= lines;
	draw_words(canvas, &whole, area->rows, lines, note, strlen(note));
}

void
flow_view_go(struct screen *screen, uint64_t number)
{
	const struct trace *trace = flow_view_get_place(screen)->trace;
	struct message_id id;
	struct text shown = {0};
	if (flow_view_message(screen, number, &id, &shown))
		jump_to_location(screen,
				 &(struct location){.trace = trace_number(trace), .id = id});
	text_free(&shown);
}

/* --- jumps ------------------------------------------------------------- */

static const struct flow_jump {
	enum flow_find what;
	bool forward;
	const char *none;
} jumps[COMMAND_COUNT] = {
    [COMMAND_STEP_OVER] = {FLOW_FIND_LEVEL, true, NOTICE_FLOW_NO_STEP_AFTER},
    [COMMAND_STEP_BACK_OVER] = {FLOW_FIND_LEVEL, false, NOTICE_FLOW_NO_STEP_BEFORE},
    [COMMAND_STEP_OUT] = {FLOW_FIND_OUT, true, NOTICE_FLOW_NO_RETURN},
    [COMMAND_CALLER] = {FLOW_FIND_OUT, false, NOTICE_FLOW_NO_CALLER},
    [COMMAND_NEXT_CALL] = {FLOW_FIND_CALL, true, NOTICE_FLOW_NO_CALL_AFTER},
    [COMMAND_PREVIOUS_CALL] = {FLOW_FIND_CALL, false, NOTICE_FLOW_NO_CALL_BEFORE},
    [COMMAND_NEXT_EXCEPTION] = {FLOW_FIND_TRAP, true, NOTICE_FLOW_NO_TRAP_AFTER},
    [COMMAND_PREVIOUS_EXCEPTION] = {FLOW_FIND_TRAP, false, NOTICE_FLOW_NO_TRAP_BEFORE},
};

void
flow_view_jump(struct screen *screen, const struct command_call *call)
{
	const struct flow_view_place *place = flow_view_get_place(screen);
	const struct flow_jump *jump = &jumps[call->id];
	if (!place)
		return;
	struct trace *trace = place->trace;
	struct flow_view_trace *followed = trace_of(screen, trace);
	struct reader *reader = reader_of(screen, trace);
	struct position p;
	bool ended = true, found = reader_find_id(reader, place->id, &p);
	if (place->before && !jump->forward)
		reader_next(reader, &p, 1); /* so that this message counts */
	if (!followed->looker) {
		screen_error(screen, NOTICE_FLOW_UNKNOWN, followed->why);
		return;
	}
	for (uint64_t left = call->count; found && left; left--)
		found =
		    flow_look_find(followed->looker, reader, &p, jump->what, jump->forward, &ended);
	if (!found && ended)
		screen_say(screen, NOTICE_FLOW_NONE_FURTHER, jump->none);
	else if (!found)
		screen_say(screen, NOTICE_FLOW_NOT_NEAR, jump->none,
			   (int)(index_cell_size(trace_index(trace)) * LOOK_CELLS >> 20));
	else
		jump_to_location(screen, &(struct location){.trace = trace_number(trace),
							    .id = reader_message_id(reader, p)});
}

/* Return the class of the last instruction of the selected message, or INSN_NONE if unknown. */
static unsigned
last_class(const struct flow_look *look)
{
	for (size_t i = look->here.steps.count; i-- > 0;) {
		const struct flow_step *step = &look->here.steps.at[i];
		if (look->here.numbers.at[i] == look->number && step->kind == FLOW_STEP_RUN)
			return step->passed ? INSN_NONE : step->class;
	}
	return INSN_NONE;
}

bool
flow_view_go_to_other(struct screen *screen)
{
	const struct flow_view_place *place = flow_view_get_place(screen);
	if (!place || place->before || place->behind ||
	    !flow_view_followed(screen, trace_number(place->trace)))
		return false;
	flow_view_work(screen); /* a look is good enough even if the clocks changed since */
	unsigned class = last_class(&screen->flow->look);
	struct command_call call = {.count = 1};
	if (class == INSN_CALL || class == INSN_INDIRECT_CALL)
		call.id = COMMAND_STEP_OVER;
	else if (class == INSN_RETURN || class == INSN_TRAP_RETURN)
		call.id = COMMAND_CALLER;
	else
		return false;
	flow_view_jump(screen, &call);
	return true;
}
