/*
 * The code that the processor executed at the selected message, with the message before and the
 * one after. One line per instruction, in the order of execution, with the target of each jump.
 *
 * The panes' work() finds the code when no keys arrive (ui/list/flow_view.h). Lines after
 * LINES_MOST are only counted. A `?` marks a guess.
 */
#include "config.h"

#include "program/disassemble.h"
#include "program/source.h"
#include "session/session.h"
#include "trace/naming.h"
#include "ui/list/flow_view.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/panes/pane_code.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINES_MOST = 8192,
	NEAR_MOST = 8 /* instructions shown before the selected message, and after it */
};

enum code_line_kind {
	CODE_HEAD, /* start of straight code, with its messages */
	CODE_INSN,
	CODE_SOURCE, /* source line of the next instruction */
	CODE_EVENT,  /* a step without instructions */
	CODE_MORE,   /* `count` instructions that are not shown */
	CODE_UNKNOWN /* `count` instructions without bytes in any image */
};

struct code_line {
	uint8_t kind; /* enum code_line_kind */
	bool here;    /* executed at the selected message */
	bool last;    /* last instruction of its step */
	bool has_next;
	const struct flow_step *step;
	uint64_t number, last_number; /* messages: of the step; the last one of the straight code */
	uint64_t address, next;	      /* `next`: start of the next step */
	uint64_t count;
	uint64_t cycles;  /* CODE_HEAD: known cycles of the straight code */
	bool more_cycles; /* `cycles` is incomplete */
};

struct code_state {
	struct table table;
	VEC(struct code_line) lines;
	unsigned changes; /* epoch of struct flow_view for `lines` */
	unsigned counted; /* epoch of the flow index for the counts on the screen */
	bool opcodes, sources, made;
	bool unknown; /* bytes of some instructions are missing */
	bool patched; /* some instructions are patched */
	bool opened;  /* the search for the disassembler has run */
	struct disassembler *disassembler;
	struct err missing; /* reason for no disassembler */
	struct source source;
	struct text text;
};

static struct code_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_CODE];
}

static void
code_close(void *context)
{
	struct code_state *state = context;
	vec_free(&state->lines);
	text_free(&state->text);
	disassembler_free(state->disassembler);
	source_free(&state->source);
	table_free(&state->table);
}

/* --- lines ------------------------------------------------------------- */

static void
add_line(struct screen *screen, struct code_line line)
{
	*vec_add(&state_of(screen)->lines) = line;
}

static bool
find_source(struct screen *screen, uint64_t address, struct symbol_place *place)
{
	const struct trace *trace = screen->flow->shown.trace;
	*place = (struct symbol_place){0};
	return naming_find(trace_host(trace)->naming, trace_name(trace), address, place) &&
	       place->path;
}

/* Add the source line of an instruction, if it differs from the previous one. */
static void
add_source(struct screen *screen, struct code_line line, int *number)
{
	struct symbol_place place;
	if (!state_of(screen)->sources || !find_source(screen, line.address, &place) ||
	    place.line == *number)
		return;
	*number = place.line;
	line.kind = CODE_SOURCE;
	add_line(screen, line);
}

static void
add_more(struct screen *screen, struct code_line line, uint64_t count)
{
	line.kind = CODE_MORE;
	line.count = count;
	if (count)
		add_line(screen, line);
}

/* Add the rest of a run, if only the place of its last instruction is known. */
static void
add_unknown(struct screen *screen, struct code_line line, uint64_t count)
{
	line.last = line.step->last;
	line.kind = CODE_UNKNOWN;
	line.count = count - line.last;
	state_of(screen)->unknown = true;
	if (line.count)
		add_line(screen, line);
	line.kind = CODE_INSN;
	line.address = line.step->end - line.step->last;
	if (!line.last)
		return;
	add_source(screen, line, &(int){-1});
	add_line(screen, line);
}

/* Add the instructions of a run from number FROM up to END. */
static void
add_run(struct screen *screen, struct code_line line, uint64_t from, uint64_t end)
{
	struct flow_code *code = flow_view_code(screen);
	int source = -1;
	line.address = line.step->first;
	for (uint64_t i = 0; code && i < end; i++) {
		const struct insn *insn = flow_code_find_in(code, line.step->space, line.address);
		unsigned length = insn->length;
		if (!length) {
			add_unknown(screen, line, line.step->count - i);
			return;
		}
		line.kind = CODE_INSN;
		line.last = i + 1 == line.step->count;
		if (i >= from) {
			state_of(screen)->patched |= insn->patched;
			add_source(screen, line, &source);
			add_line(screen, line);
		}
		line.address += length;
	}
}

/* Make the line of step I of STEPS. AFTER contains the steps that follow STEPS. */
static struct code_line
line_of_step(const struct flow_steps *steps, size_t i, const struct flow_steps *after, bool here)
{
	const struct flow_step *next = NULL;
	if (i + 1 < steps->steps.count)
		next = &steps->steps.at[i + 1];
	else if (after && !steps->dropped && after->steps.count)
		next = &after->steps.at[0];
	bool runs = next && next->kind == FLOW_STEP_RUN;
	return (struct code_line){.kind = steps->steps.at[i].kind == FLOW_STEP_RUN ? CODE_HEAD
										   : CODE_EVENT,
				  .here = here,
				  .has_next = runs,
				  .step = &steps->steps.at[i],
				  .number = steps->numbers.at[i],
				  .last_number = steps->numbers.at[i],
				  .next = runs ? next->first : 0};
}

/* True if step I + 1 starts where step I ends. */
static bool
goes_straight_on(const struct flow_steps *steps, size_t i)
{
	const struct flow_step *step = &steps->steps.at[i], *next = step + 1;
	return i + 1 < steps->steps.count && step->kind == FLOW_STEP_RUN &&
	       next->kind == FLOW_STEP_RUN && next->first == step->end;
}

/* Add one CODE_HEAD line for step I and all steps that follow it straight on. */
static void
add_head(struct screen *screen, struct code_line line, const struct flow_steps *steps, size_t i)
{
	line.cycles = steps->cycles.at[i];
	for (; goes_straight_on(steps, i); i++) {
		line.last_number = steps->numbers.at[i + 1];
		line.cycles += steps->cycles.at[i + 1];
	}
	line.more_cycles = steps->dropped && i + 1 == steps->steps.count;
	add_line(screen, line);
}

/* Add MOST instructions of STEPS after the first SKIP. AFTER contains the steps that follow
 * STEPS. */
static void
add_steps(struct screen *screen, const struct flow_steps *steps, const struct flow_steps *after,
	  bool here, uint64_t skip, uint64_t most)
{
	const struct code_state *state = state_of(screen);
	struct code_line line = {.here = here};
	uint64_t behind = 0, skipped = skip, left = steps->dropped;
	for (size_t i = 0; i < steps->steps.count; i++) {
		line = line_of_step(steps, i, after, here);
		bool run = line.kind == CODE_HEAD;
		uint64_t count = run ? line.step->count : 1, from = skip < count ? skip : count;
		uint64_t shown = count - from < most ? count - from : most;
		if (state->lines.count >= LINES_MOST || !most) {
			left += count;
			continue;
		}
		if (!run || !behind || line.step->first != behind)
			add_head(screen, line, steps, i);
		behind = run ? line.step->end : 0;
		if (from < count) {
			add_more(screen, line, skipped);
			skipped = 0;
		}
		if (run)
			add_run(screen, line, from, from + shown);
		skip -= from;
		most -= shown;
		left += count - from - shown;
	}
	add_more(screen, line, left);
}

/* Add the last step before the message, with the steps that led straight to it. */
static void
add_before(struct screen *screen, const struct flow_look *look)
{
	struct flow_steps steps = look->before;
	const struct flow_steps *after = look->here.steps.count ? &look->here : &look->after;
	size_t from = steps.steps.count ? steps.steps.count - 1 : 0;
	uint64_t all = 0; /* instructions */
	while (from && goes_straight_on(&steps, from - 1))
		from--;
	steps.steps.at += from;
	steps.numbers.at += from;
	steps.cycles.at += from;
	steps.steps.count -= from;
	for (size_t i = 0; i < steps.steps.count; i++)
		all += steps.steps.at[i].kind == FLOW_STEP_RUN ? steps.steps.at[i].count : 0;
	steps.dropped = 0;
	add_steps(screen, &steps, after, false, all > NEAR_MOST ? all - NEAR_MOST : 0, UINT64_MAX);
	if (steps.steps.count)
		state_of(screen)->lines.at[0].more_cycles = !from && look->before.dropped;
}

/* Make all lines. Put the cursor on the first line of the selected message. */
static void
make_lines(struct screen *screen, const struct flow_look *look)
{
	struct code_state *state = state_of(screen);
	if (!state->opened)
		state->disassembler = disassembler_new(&state->missing);
	state->opened = true;
	vec_clear(&state->lines);
	state->unknown = state->patched = false;
	add_before(screen, look);
	size_t first = state->lines.count;
	add_steps(screen, &look->here, &look->after, true, 0, UINT64_MAX);
	add_steps(screen, &look->after, NULL, false, 0, NEAR_MOST);
	size_t line = first;
	while (line < state->lines.count && (state->lines.at[line].kind == CODE_HEAD ||
					     state->lines.at[line].number != look->number))
		line++;
	line = line < state->lines.count ? line : first;
	state->table.cursor.line = line < state->lines.count ? line : 0;
	state->table.cursor.top = first > 2 ? first - 2 : 0;
}

static const struct flow_look *
code_prepare(struct screen *screen, const char **why)
{
	struct code_state *state = state_of(screen);
	const struct flow_look *look = flow_view_get(screen, why);
	if (!look) {
		vec_clear(&state->lines);
		state->made = false;
		return NULL;
	}
	if (!state->made || state->changes != screen->flow->changes) {
		state->made = true;
		state->changes = screen->flow->changes;
		make_lines(screen, look);
	}
	return look;
}

/* True if the cursor is in the code pane, or went from there to its bytes. */
static bool
has_cursor(const struct screen *screen)
{
	bool from = screen->focus == PANE_HEX && screen->focus_before == PANE_CODE;
	return screen->open[PANE_CODE] && (screen->focus == PANE_CODE || from);
}

bool
code_find_place(struct screen *screen, struct code_place *place)
{
	const struct code_state *state = state_of(screen);
	const char *why;
	if (!has_cursor(screen) || !code_prepare(screen, &why) ||
	    state->table.cursor.line >= state->lines.count)
		return false;
	const struct code_line *line = &state->lines.at[state->table.cursor.line];
	bool head = line->kind == CODE_HEAD;
	if (!head && line->kind != CODE_INSN && line->kind != CODE_SOURCE)
		return false;
	*place = (struct code_place){.code = flow_view_code(screen),
				     .space = line->step->space,
				     .address = head ? line->step->first : line->address};
	place->length = flow_code_find_in(place->code, place->space, place->address)->length;
	return place->length;
}

/* --- drawing ----------------------------------------------------------- */

enum { CODE_MARK, CODE_TIMES, CODE_PLACE, CODE_OPCODE, CODE_WHAT, CODE_WHERE, CODE_COLUMNS };

static const char *
event_word(const struct flow_step *step)
{
	switch ((enum flow_step_kind)step->kind) {
	case FLOW_STEP_TRAP:
		return step->interrupt ? "interrupt" : "exception";
	case FLOW_STEP_RETURN:
		return "return from an exception";
	case FLOW_STEP_UNSEEN:
		return "not seen:";
	case FLOW_STEP_DAMAGE:
		return "not known:";
	case FLOW_STEP_RUN:
	case FLOW_STEP_CYCLES:
	case FLOW_STEP_PROOF:
		break;
	}
	return "";
}

static void
fill_event(const struct flow_step *step, struct text *out)
{
	text_addf(out, "%s", event_word(step));
	if (step->kind == FLOW_STEP_TRAP && step->name)
		text_addf(out, " %s", step->name);
	else if (step->kind == FLOW_STEP_TRAP)
		text_addf(out, " %" PRIu64, step->cause);
	if (step->why)
		text_addf(out, " %s", step->why);
	if (step->has_at)
		text_addf(out, " at 0x%" PRIx64, step->at);
	if (step->kind == FLOW_STEP_TRAP && step->has_epc)
		text_addf(out, " at 0x%08" PRIx64, step->epc);
	if (step->kind == FLOW_STEP_TRAP && step->tval)
		text_addf(out, " tval 0x%" PRIx64, step->tval);
}

/* Return the class of an instruction: from its bytes or, for the last one of a step, from the
 * trace. */
static enum insn_class
class_of(const struct code_line *line, const struct insn *insn)
{
	return insn->length ? (enum insn_class)insn->class : (enum insn_class)line->step->class;
}

/* Return 1 if the instruction jumped, 0 if not, -1 if unknown. */
static int
is_taken(const struct code_line *line, const struct insn *insn)
{
	enum insn_class class = class_of(line, insn);
	bool jumps = class >= INSN_JUMP && class <= INSN_TRAP_RETURN;
	if (class != INSN_BRANCH && !jumps)
		return -1;
	if (!line->last || line->step->passed)
		return 0;
	if (jumps)
		return 1;
	return line->has_next ? line->next != line->step->end : -1;
}

static void
fill_jump(struct screen *screen, const struct code_line *line, const struct insn *insn, int taken,
	  struct text *out)
{
	if (taken == 0) {
		text_add(out, "not taken");
		return;
	}
	bool known = line->has_next;
	uint64_t target = known ? line->next : insn->target;
	known |= insn->class == INSN_JUMP || insn->class == INSN_CALL;
	text_add(out, taken < 0 ? "?" : "> ");
	if (taken > 0 && known)
		flow_view_add_place(screen, target, out);
	else if (taken > 0)
		text_add(out, "?");
}

static void
put_text(struct screen *screen, struct table_row *row, size_t column, enum role role)
{
	struct text *text = &state_of(screen)->text;
	table_put(row, column, role, text_get(text), text->length);
	text_clear(text);
}

/* Append the disassembled instruction, or its opcode and class. */
static void
add_insn(struct screen *screen, const struct code_line *line, const struct insn *insn,
	 struct text *out)
{
	struct code_state *state = state_of(screen);
	enum insn_machine machine = flow_code_machine(flow_view_code(screen), line->step->space);
	if (insn->length && state->disassembler &&
	    disassembler_add(state->disassembler, machine, line->address, insn, out))
		return;
	if (insn->length && !state->opcodes)
		text_addf(out, insn->length == 2 ? "%04x      " : "%08x  ", insn->opcode);
	text_add(out, insn_class_name(class_of(line, insn)));
}

/* Put the number of executions up to now. */
static void
put_times(struct screen *screen, struct table_row *row, const struct code_line *line)
{
	const char *why;
	struct flow_index *index = flow_view_index(screen, &why);
	bool more = false;
	uint64_t times = index ? flow_index_count(index, line->address, &more) : 0;
	if (times)
		table_putf(row, CODE_TIMES, times == 1 ? ROLE_NOTE : ROLE_ABSENT, "%" PRIu64 "%sx",
			   times, more ? "+" : "");
	else
		table_put(row, CODE_TIMES, ROLE_ABSENT, "-", 1);
}

static void
fill_insn(struct screen *screen, struct table_row *row, const struct code_line *line,
	  enum role role)
{
	struct code_state *state = state_of(screen);
	const struct insn *insn =
	    flow_code_find_in(flow_view_code(screen), line->step->space, line->address);
	int taken = is_taken(line, insn);
	bool jump = class_of(line, insn) == INSN_BRANCH || taken >= 0;
	text_clear(&state->text);
	if (jump)
		table_put(row, CODE_MARK, taken > 0 ? ROLE_MARK : role,
			  taken > 0 ? ">"
			  : taken   ? "?"
				    : ".",
			  1);
	put_times(screen, row, line);
	table_putf(row, CODE_PLACE, role, "%08" PRIx64 "%s%s", line->address,
		   insn->patched ? "*" : "", line->step->doubtful ? " ?" : "");
	if (state->opcodes && insn->length)
		table_putf(row, CODE_OPCODE, role, insn->length == 2 ? "%04x" : "%08x",
			   insn->opcode);
	add_insn(screen, line, insn, &state->text);
	put_text(screen, row, CODE_WHAT, role);
	if (!jump)
		return;
	fill_jump(screen, line, insn, taken, &state->text);
	put_text(screen, row, CODE_WHERE, role);
}

static void
fill_head(struct screen *screen, struct table_row *row, const struct code_line *line,
	  enum role role)
{
	struct text *text = &state_of(screen)->text;
	struct message_id id;
	text_clear(text);
	flow_view_add_place(screen, line->step->first, text);
	put_text(screen, row, CODE_PLACE, role);
	bool several = line->last_number != line->number;
	text_add(text, several ? "messages " : "message ");
	flow_view_message(screen, line->number, &id, text);
	if (several) {
		text_add(text, "-");
		flow_view_message(screen, line->last_number, &id, text);
	}
	if (line->cycles)
		text_addf(text, ", %" PRIu64 "%s cycle%s", line->cycles,
			  line->more_cycles ? "+" : "", line->cycles == 1 ? "" : "s");
	put_text(screen, row, CODE_WHERE, ROLE_ABSENT);
}

static void
fill_source(struct screen *screen, struct table_row *row, const struct code_line *line)
{
	struct text *text = &state_of(screen)->text;
	struct symbol_place place;
	const char *why;
	if (!find_source(screen, line->address, &place))
		return;
	text_clear(text);
	const char *name = strrchr(place.path, '/');
	text_addf(text, "%s:%d  ", name ? name + 1 : place.path, place.line);
	if (!source_add_line(&state_of(screen)->source, place.path, place.line, text, &why))
		text_addf(text, "[%s: %s]", place.path, why);
	put_text(screen, row, CODE_PLACE, ROLE_ABSENT);
}

static void
fill_row(struct screen *screen, struct table_row *row, size_t i)
{
	struct code_state *state = state_of(screen);
	const struct code_line *line = &state->lines.at[i];
	enum role role = row->current ? ROLE_CURSOR : line->here ? ROLE_NORMAL : ROLE_DEBUG;
	switch ((enum code_line_kind)line->kind) {
	case CODE_HEAD:
		fill_head(screen, row, line, role);
		break;
	case CODE_INSN:
		fill_insn(screen, row, line, role);
		break;
	case CODE_SOURCE:
		fill_source(screen, row, line);
		break;
	case CODE_EVENT:
		text_clear(&state->text);
		fill_event(line->step, &state->text);
		put_text(screen, row, CODE_PLACE,
			 line->step->kind == FLOW_STEP_TRAP ? role : ROLE_WARNING);
		break;
	case CODE_UNKNOWN:
		table_putf(row, CODE_PLACE, ROLE_ABSENT,
			   line->count == 1 ? "%" PRIu64 " instruction whose bytes are not known"
					    : "%" PRIu64 " instructions whose bytes are not known",
			   line->count);
		break;
	case CODE_MORE:
		table_putf(row, CODE_PLACE, ROLE_ABSENT, "%" PRIu64 " more", line->count);
		break;
	}
}

static const char bytes_missing[] =
    "program not known: `symbols: [{file: PROGRAM.elf}]` of a profile names it";

static const char bytes_patched[] =
    "* patched: another image of the same place has other bytes; a dump goes before ELF files";

static const char *
note_of(const struct code_state *state)
{
	if (state->unknown)
		return bytes_missing;
	return state->patched ? bytes_patched : state->missing.what;
}

static const struct table_column code_columns[CODE_COLUMNS] = {
    [CODE_MARK] = {.width = 1, .gap = 1},
    [CODE_TIMES] = {.width = TABLE_FIT, .gap = 1, .right = true},
    [CODE_PLACE] = {.least = 10, .gap = 2},
    [CODE_OPCODE] = {.gap = 2},
    [CODE_WHAT] = {.least = 28, .gap = 2},
    [CODE_WHERE] = {.gap = 0},
};

static void
code_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	const char *why;
	const struct flow_look *look = code_prepare(screen, &why);
	const struct code_state *state = state_of(screen);
	if (!look || !state->lines.count) {
		if (!why)
			why = look ? "nothing is known to have been executed here" : "...";
		flow_view_draw_why(canvas, area, why);
		return;
	}
	const struct table_spec spec = {.pane = PANE_CODE,
					.columns = code_columns,
					.column_count = CODE_COLUMNS,
					.left = 1,
					.count = state->lines.count,
					.fill = fill_row};
	struct flow_index *index = flow_view_index(screen, &why);
	state_of(screen)->counted = index ? flow_index_generation(index) : 0;
	struct area rest = *area;
	flow_view_draw_note(canvas, &rest, note_of(state), state->lines.count);
	table_draw(&state_of(screen)->table, screen, &spec, canvas, &rest);
}

/* Return the first code of the selected message, else the first one on the screen. NULL without
 * code. */
static const struct flow_step *
first_code(struct screen *screen)
{
	const struct code_state *state = state_of(screen);
	const struct code_line *found = NULL;
	for (size_t i = 0; i < state->lines.count && !(found && found->here); i++) {
		const struct code_line *line = &state->lines.at[i];
		if (line->kind == CODE_HEAD && (!found || line->here))
			found = line;
	}
	return found ? found->step : NULL;
}

/* Append the instruction set, and the processor's mode if known. */
static void
add_mode(struct screen *screen, const struct flow_step *step, struct text *out)
{
	const struct flow_code *code = flow_view_code(screen);
	const char *set = insn_machine_name(flow_code_machine(code, step->space));
	if (set)
		text_addf(out, "  %s", set);
	if (step->mode)
		text_addf(out, set ? " %s" : "  %s", step->mode);
}

static void
code_title(struct screen *screen, struct text *out)
{
	const char *why;
	const struct flow_look *look = code_prepare(screen, &why);
	text_add(out, "code  ");
	flow_view_add_title(screen, out);
	const struct flow_step *step = look ? first_code(screen) : NULL;
	if (step)
		add_mode(screen, step, out);
	if (look && (look->guess || (step && step->doubtful)))
		text_add(out, " ?");
}

/* --- commands ---------------------------------------------------------- */

static size_t
count_lines(struct screen *screen)
{
	const char *why;
	code_prepare(screen, &why);
	return state_of(screen)->lines.count;
}

/* Go to the message that reported the line. */
static void
code_go(struct screen *screen, const struct command_call *call)
{
	struct code_state *state = state_of(screen);
	(void)call;
	if (state->table.cursor.line < count_lines(screen))
		flow_view_go(screen, state->lines.at[state->table.cursor.line].number);
}

static void
toggle_opcodes(struct screen *screen, const struct command_call *call)
{
	(void)call;
	state_of(screen)->opcodes = !state_of(screen)->opcodes;
}

static void
toggle_sources(struct screen *screen, const struct command_call *call)
{
	struct code_state *state = state_of(screen);
	(void)call;
	state->sources = !state->sources;
	state->made = false;
}

static bool
code_has_news(struct screen *screen)
{
	const char *why;
	bool outdated = flow_view_has_news(screen);
	struct flow_index *index = screen->open[PANE_CODE] ? flow_view_index(screen, &why) : NULL;
	return index && (outdated || flow_index_generation(index) != state_of(screen)->counted);
}

static pane_command *const code_commands[COMMAND_COUNT] = {
    [COMMAND_OPEN] = code_go,
    [COMMAND_CODE_OPCODES] = toggle_opcodes,
    [COMMAND_CODE_SOURCES] = toggle_sources,
};

const struct pane_ops pane_code = {
    .name = "code",
    .scope = SCOPE_CODE,
    .state_size = sizeof(struct code_state),
    .close = code_close,
    .title = code_title,
    .keys = {{COMMAND_CODE_SOURCES, .word = "source", .spare = true},
	     {COMMAND_CODE_OPCODES, .word = "opcodes", .spare = true},
	     {COMMAND_OPEN, .word = "go"},
	     {COMMAND_CODE, .word = "close"}},
    .draw = code_draw,
    .commands = code_commands,
    .lines = count_lines,
    .work = flow_view_work,
    .news = code_has_news,
};
