/*
 * The call stack of the selected message's processor, the newest call on top. Each row shows
 * the message at which the call began, and the instructions since then.
 *
 * The panes' work() makes it when no keys arrive (ui/list/flow_view.h). Brackets mark a call
 * from before the known part, `?` a guess, `+` unseen code since then. Inlined functions have
 * rows above their frame. Frames that the previous stack did not have stand out.
 */
#include "config.h"

#include "program/symbols.h"
#include "session/session.h"
#include "ui/list/flow_view.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"
#include "trace/naming.h"

#include <inttypes.h>
#include <string.h>

enum {
	STACK_DEPTH,
	STACK_FUNCTION,
	STACK_CALLED,
	STACK_SINCE,
	STACK_COUNT,
	STACK_CYCLES,
	STACK_COLUMNS
};

enum {
	INLINED_MOST = 32,  /* nested inlined functions */
	INLINED_FRAMES = 64 /* newest frames with a search for inlined functions */
};

struct stack_row {
	size_t frame;	     /* number from the newest on, with frames that are only counted */
	const char *inlined; /* inlined function; NULL: the frame itself */
};

/* The identity of a frame. */
struct stack_frame {
	uint64_t since, entry;
};

struct stack_state {
	struct table table;
	unsigned changes; /* epoch of struct flow_view for `rows` */
	VEC(struct stack_row) rows;
	struct {
		const struct trace *trace;
		uint64_t origin, below; /* calls before the first of `frames` */
		VEC(struct stack_frame) frames;
	} last;		/* the previous stack */
	uint64_t known; /* calls shared with the previous stack; UINT64_MAX: other processor */
};

static struct stack_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_STACK];
}

static void
stack_close(void *context)
{
	struct stack_state *state = context;
	vec_free(&state->rows);
	vec_free(&state->last.frames);
	table_free(&state->table);
}

/* --- rows -------------------------------------------------------------- */

/* Return frame ROW from the newest on, or NULL if it is only counted. Set *DEPTH to its call
 * depth. */
static const struct flow_frame *
frame_of(const struct flow_look *look, size_t row, uint64_t *depth)
{
	const struct flow_frames *frames = &look->frames;
	*depth = call_stack_depth(&frames->calls);
	if (frames->calls.above) {
		if (!row)
			return NULL;
		row--;
	}
	size_t left = frames->frames.count - row;
	*depth = left ? frames->calls.below + left : 0;
	if (left)
		return &frames->frames.at[left - 1];
	return frames->calls.below ? NULL : &frames->base;
}

static void
add_function(struct screen *screen, const struct flow_frame *frame, bool outermost,
	     struct text *out)
{
	if (!frame->entered) {
		text_add(out, outermost ? "[...]" : "[not seen]");
		return;
	}
	if (outermost)
		text_add(out, "[..");
	flow_view_add_place(screen, frame->entry, out);
	if (outermost)
		text_add(out, "..]");
}

static void
add_call(struct screen *screen, const struct flow_frame *frame, struct text *out)
{
	if (!frame->call.trap) {
		uint64_t link = frame->call.link;
		if (frame->call.known)
			flow_view_add_place(screen, flow_view_call_site(screen, frame->space, link),
					    out);
		return;
	}
	if (frame->name) {
		text_addf(out, "%s %s", frame->interrupt ? "interrupt" : "exception", frame->name);
		return;
	}
	text_addf(out, "%s %" PRIu64, frame->interrupt ? "interrupt" : "exception", frame->cause);
}

/* Find an address in the instruction that a frame executed last: the call of the newer frame, if
 * any. False if unknown. */
static bool
find_address(const struct flow_look *look, size_t row, uint64_t *address)
{
	const struct flow_frames *frames = &look->frames;
	uint64_t depth;
	const struct flow_frame *newer = row ? frame_of(look, row - 1, &depth) : NULL;
	*address = newer ? newer->call.link - !newer->call.trap : frames->end - 1;
	return newer ? newer->call.known : !row && frames->running;
}

/* Add the functions inlined at a frame's address, the innermost first, then the frame. */
static void
add_rows(struct screen *screen, const struct flow_look *look, size_t row)
{
	struct stack_state *state = state_of(screen);
	const struct trace *trace = screen->flow->shown.trace;
	const char *names[INLINED_MOST];
	uint64_t address, depth;
	const struct flow_frame *frame = frame_of(look, row, &depth);
	size_t count = 0;
	if (frame && frame->entered && row < INLINED_FRAMES && find_address(look, row, &address))
		count = naming_inlined(trace_host(trace)->naming, trace_name(trace), address, names,
				       INLINED_MOST);
	while (count)
		*vec_add(&state->rows) = (struct stack_row){row, names[--count]};
	*vec_add(&state->rows) = (struct stack_row){row, NULL};
}

static void
fill_cells(struct screen *screen, const struct flow_look *look, const struct stack_row *row,
	   struct text *cells)
{
	uint64_t depth;
	const struct flow_frames *frames = &look->frames;
	const struct flow_frame *frame = frame_of(look, row->frame, &depth);
	struct message_id id;
	if (row->inlined) {
		text_add(&cells[STACK_FUNCTION], row->inlined);
		text_add(&cells[STACK_CALLED], "inlined");
		return;
	}
	if (!frame) {
		text_addf(&cells[STACK_FUNCTION], "[%" PRIu64 " more calls]",
			  depth ? frames->calls.above : frames->calls.below);
		return;
	}
	bool outermost = frame == &frames->base;
	text_addf(&cells[STACK_DEPTH], "%" PRIu64, depth);
	add_function(screen, frame, outermost, &cells[STACK_FUNCTION]);
	if (frame->doubtful || (outermost && look->guess))
		text_add(&cells[STACK_FUNCTION], " ?");
	if (!outermost)
		add_call(screen, frame, &cells[STACK_CALLED]);
	else
		text_add(&cells[STACK_CALLED], "[before this is known]");
	flow_view_message(screen, frame->since, &id, &cells[STACK_SINCE]);
	const char *more = frames->unseen != frame->unseen ? "+" : "";
	text_addf(&cells[STACK_COUNT], "%" PRIu64 "%s", frames->instructions - frame->instructions,
		  more);
	text_addf(&cells[STACK_CYCLES], "%" PRIu64 "%s", frames->cycles - frame->cycles, more);
}

/* True if the previous stack had the frame at the same depth. */
static bool
was_there(const struct stack_state *state, uint64_t depth, const struct flow_frame *frame)
{
	if (depth < state->last.below || depth - state->last.below >= state->last.frames.count)
		return false;
	const struct stack_frame *last = &state->last.frames.at[depth - state->last.below];
	return last->since == frame->since && last->entry == frame->entry;
}

/* Count the calls shared with the previous stack, and store the current ones. */
static void
compare_frames(struct stack_state *state, const struct flow_view_place *shown,
	       const struct flow_frames *frames)
{
	const uint64_t below = frames->calls.below;
	bool same = state->last.trace == shown->trace && state->last.origin == shown->origin;
	size_t known = 0;
	while (known < frames->frames.count &&
	       was_there(state, below + known, &frames->frames.at[known]))
		known++;
	state->known = same ? below + known : UINT64_MAX;
	state->last.trace = shown->trace;
	state->last.origin = shown->origin;
	state->last.below = below;
	vec_clear(&state->last.frames);
	for (size_t i = 0; i < frames->frames.count; i++)
		*vec_add(&state->last.frames) =
		    (struct stack_frame){frames->frames.at[i].since, frames->frames.at[i].entry};
}

/* Return the look and update the rows for it. Without one, return NULL with the reason in *WHY. */
static const struct flow_look *
stack_prepare(struct screen *screen, const char **why)
{
	struct stack_state *state = state_of(screen);
	const struct flow_look *look = flow_view_get(screen, why);
	if (look && state->changes != screen->flow->changes) {
		state->changes = screen->flow->changes;
		state->table.cursor.line = 0;
		table_forget(&state->table);
		vec_clear(&state->rows);
		compare_frames(state, &screen->flow->shown, &look->frames);
		/* calls that are only counted add a frame on either side */
		size_t frames = (look->frames.calls.above > 0) + look->frames.frames.count + 1;
		for (size_t i = 0; i < frames; i++)
			add_rows(screen, look, i);
	}
	if (look)
		table_renew(&state->table, list_generation(screen->list));
	return look;
}

/* --- drawing ----------------------------------------------------------- */

static const struct table_column stack_columns[STACK_COLUMNS] = {
    [STACK_DEPTH] = {"d", TABLE_FIT, .gap = 1, .right = true},
    [STACK_FUNCTION] = {"function", TABLE_FIT, .gap = 2},
    [STACK_CALLED] = {"called at", TABLE_REST, .gap = 2},
    [STACK_SINCE] = {"since #", TABLE_FIT, .gap = 2, .right = true},
    [STACK_COUNT] = {"instr", TABLE_FIT, .gap = 2, .right = true},
    [STACK_CYCLES] = {"cycles", TABLE_FIT, .gap = 1, .right = true},
};

static void
fill_row(struct screen *screen, struct table_row *row, size_t i)
{
	struct stack_state *state = state_of(screen);
	bool made;
	struct text *cells = table_keep(row->table, i, (struct message_id){0}, &made);
	if (!made)
		fill_cells(screen, &screen->flow->look, &state->rows.at[i], cells);
	const struct flow_look *look = &screen->flow->look;
	uint64_t depth;
	frame_of(look, state->rows.at[i].frame, &depth);
	table_put_all(row, cells, look->frames.cycles ? STACK_COLUMNS : STACK_CYCLES,
		      depth > state->known ? ROLE_KEY : ROLE_NORMAL);
}

/* Append a warning about guesses, unseen code or missing names, if any. */
static void
add_note(struct screen *screen, const struct flow_look *look, struct text *out)
{
	const struct flow_frames *frames = &look->frames;
	const struct trace *trace = screen->flow->shown.trace;
	struct symbol_place place = {0};
	if (look->guess)
		text_add(out, "? the trace is not followed up to here yet; calls before it are "
			      "missing");
	else if (frames->calls.unsure)
		text_addf(out,
			  "? code that is not seen ran: calls may be missing above frame %" PRIu64,
			  frames->calls.below + frames->unsure);
	else if (!naming_find(trace_host(trace)->naming, trace_name(trace), frames->first,
			      &place) ||
		 !place.function)
		text_addf(out, "no names: %s", symbols_missing);
}

static void
stack_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	const char *why;
	const struct flow_look *look = stack_prepare(screen, &why);
	struct area rest = *area;
	struct text note = {0};
	if (!look || !look->any) {
		if (!why)
			why = look ? "nothing is known to have been executed before this message"
				   : "...";
		flow_view_draw_why(canvas, area, why);
		return;
	}
	add_note(screen, look, &note);
	flow_view_draw_note(canvas, &rest, text_get(&note), state_of(screen)->rows.count + 1);
	const struct table_spec spec = {.pane = PANE_STACK,
					.columns = stack_columns,
					.column_count = look->frames.cycles ? STACK_COLUMNS
									    : (size_t)STACK_CYCLES,
					.left = 1,
					.head = true,
					.count = state_of(screen)->rows.count,
					.fill = fill_row};
	table_draw(&state_of(screen)->table, screen, &spec, canvas, &rest);
	text_free(&note);
}

static void
stack_title(struct screen *screen, struct text *out)
{
	text_add(out, "stack  ");
	flow_view_add_title(screen, out);
}

/* --- commands ---------------------------------------------------------- */

static size_t
count_lines(struct screen *screen)
{
	const char *why;
	const struct flow_look *look = stack_prepare(screen, &why);
	return look && look->any ? state_of(screen)->rows.count : 0;
}

/* Go to the message that reported the call. */
static void
stack_go(struct screen *screen, const struct command_call *call)
{
	const char *why;
	const struct flow_look *look = stack_prepare(screen, &why);
	size_t line = state_of(screen)->table.cursor.line;
	uint64_t depth;
	(void)call;
	if (line >= count_lines(screen))
		return;
	const struct flow_frame *frame =
	    frame_of(look, state_of(screen)->rows.at[line].frame, &depth);
	if (frame)
		flow_view_go(screen, frame->since);
}

static bool
stack_has_news(struct screen *screen)
{
	return screen->open[PANE_STACK] && flow_view_has_news(screen);
}

static pane_command *const stack_commands[COMMAND_COUNT] = {
    [COMMAND_OPEN] = stack_go,
};

const struct pane_ops pane_stack = {
    .name = "stack",
    .scope = SCOPE_STACK,
    .state_size = sizeof(struct stack_state),
    .close = stack_close,
    .title = stack_title,
    .keys = {{COMMAND_OPEN, .word = "call"},
	     {COMMAND_STEP_OUT, .word = "out"},
	     {COMMAND_CALLER, .word = "caller"},
	     {COMMAND_STACK, .word = "close"}},
    .draw = stack_draw,
    .commands = stack_commands,
    .lines = count_lines,
    .work = flow_view_work,
    .news = stack_has_news,
};
