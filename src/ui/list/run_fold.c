/* Folding of runs: see run_fold.h. */
#include "config.h"

#include "ui/list/run_fold.h"
#include "base/byte_map.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "flow/flow.h"
#include "program/insn.h"
#include "query/flow/flow_cursor.h"
#include "query/flow/run_on.h"
#include "session/session.h"
#include "trace/naming.h"
#include "ui/list/filters.h"
#include "ui/list/flow_view.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/list/selection.h"
#include "ui/screen/screen.h"

#include <string.h>

static const char folds[] = "runs_on";
static const char except[] = " and not (";

/* Return the index of the filter that folds runs, or the number of filters. */
static size_t
find_entry(const struct filters *filters)
{
	size_t i = 0;
	for (; i < filters->list.count; i++) {
		const struct filter_entry *entry = &filters->list.at[i];
		const char *text = filter_expr_text(entry->expr), *rest = text + sizeof folds - 1;
		if (!entry->disabled && entry->exclude && !strncmp(text, folds, sizeof folds - 1) &&
		    (!*rest || !strncmp(rest, except, sizeof except - 1)))
			break;
	}
	return i;
}

bool
run_fold_is_on(const struct screen *screen)
{
	const struct filters *filters = screen->filters;
	return !filters->disabled && find_entry(filters) < filters->list.count;
}

uint64_t
run_fold_state(const struct screen *screen)
{
	if (!run_fold_is_on(screen))
		return 0;
	const struct filters *filters = screen->filters;
	const char *text = filter_expr_text(filters->list.at[find_entry(filters)].expr);
	return byte_map_hash(text, strlen(text)) | 1;
}

void
run_fold_all(struct screen *screen, const struct command_call *call)
{
	const struct list *list = screen->list;
	size_t i = 0;
	(void)call;
	while (i < list->lane_count && !flow_has_elements(list->lanes[i].trace))
		i++;
	if (i < list->lane_count)
		filters_add(screen, folds, true);
	else
		screen_say(screen, NOTICE_RUNS_NONE);
}

/* Append the exception for a run.  Return false if its numbers are not exact yet. */
static bool
add_exception(const struct screen *screen, struct reader *reader, const struct text *origin,
	      const struct run_sums *run, struct text *exception)
{
	const char *name = trace_name(reader_trace(reader));
	bool exact;
	uint64_t first = reader_number(reader, run->first, &exact);
	text_add(exception, except);
	if (screen->session->traces.count > 1) {
		text_add(exception, "trace = ");
		filter_quote(name, strlen(name), exception);
		text_add(exception, " and ");
	}
	if (origin->length) {
		text_add(exception, "origin = ");
		filter_quote(text_get(origin), origin->length, exception);
		text_add(exception, " and ");
	}
	text_addf(exception, "trace_number in %llu..%llu)", (unsigned long long)first,
		  (unsigned long long)reader_number(reader, run->last, &exact));
	return exact;
}

/* Find the run of the selected message, and append its exception.  Return false if there is no
 * run or its numbers are not exact. */
static bool
find_run(struct screen *screen, const struct selection *selection, struct run_sums *run,
	 struct text *exception)
{
	struct reader *reader = sequence_reader(screen->sequence, trace_number(selection->trace));
	struct run_on *on = run_on_new(selection->trace);
	struct position p;
	bool found = reader_find_id(reader, selection->id, &p) && run_on_find(on, reader, p, run);
	run_on_free(on);
	return found && add_exception(screen, reader, &selection->expansion.origin, run, exception);
}

bool
run_fold_is_open(struct screen *screen, struct reader *reader, const struct text *origin,
		 const struct run_sums *run)
{
	const struct filters *filters = screen->filters;
	const size_t at = find_entry(filters);
	struct text exception = {0};
	bool known =
	    at < filters->list.count && add_exception(screen, reader, origin, run, &exception);
	bool open =
	    known && strstr(filter_expr_text(filters->list.at[at].expr), text_get(&exception));
	text_free(&exception);
	return open;
}

/* --- the text of a run -------------------------------------------------- */

static const char *
function_at(const struct trace *trace, uint64_t address)
{
	struct symbol_place place = {0};
	naming_find(trace_host(trace)->naming, trace_name(trace), address, &place);
	return place.function;
}

/* Append the start of a run, and the function of its last instruction if it differs. */
static void
add_functions(const struct trace *trace, const struct run_sums *run, struct text *out)
{
	const char *first = function_at(trace, run->begin.first);
	const char *last = function_at(trace, run->finish.end - run->finish.last);
	if (!first)
		return;
	text_add(out, " [");
	flow_add_address(trace, run->begin.first, out);
	if (last && strcmp(first, last) != 0)
		text_addf(out, " to %s", last);
	text_add(out, "]");
}

/* Append the class of the last instruction of a run, if it is a jump. */
static void
add_end(const struct flow_element *finish, struct text *out)
{
	if (finish->class <= INSN_OTHER)
		return;
	text_add(out, ", ");
	for (const char *at = insn_class_name(finish->class); *at; at++)
		text_add_char(out, *at == '_' ? ' ' : *at);
	if (finish->passed)
		text_add(out, " not taken");
	else if (finish->class == INSN_BRANCH)
		text_add(out, " taken");
}

static void
add_unseen(const struct run_sums *run, uint64_t pages, struct text *out)
{
	text_addf(out, "%llu addresses in %llu page%s have no image",
		  (unsigned long long)run->messages, (unsigned long long)pages,
		  pages == 1 ? "" : "s");
}

void
run_fold_add_text(const struct trace *trace, const struct run_sums *run, uint64_t pages,
		  struct text *out)
{
	const char *more = run->more ? "+" : "";
	const char *set = insn_machine_name((enum insn_machine)run->finish.machine);
	if (!run->instructions) {
		add_unseen(run, pages, out);
		return;
	}
	text_addf(out, "0x%llx-0x%llx", (unsigned long long)run->begin.first,
		  (unsigned long long)run->finish.end);
	add_functions(trace, run, out);
	text_addf(out, "%s%s %llu%s instr", set ? " " : "", set ? set : "",
		  (unsigned long long)run->instructions, more);
	add_end(&run->finish, out);
	if (run->cycles)
		text_addf(out, ", %llu%s cycles", (unsigned long long)run->cycles, more);
}

/* --- folding ----------------------------------------------------------- */

/* Replace the filter with TEXT. */
static bool
put_text(struct screen *screen, size_t at, const char *text)
{
	struct filter_error error;
	struct filter_entry entry = {.exclude = true};
	entry.expr = filter_parse(text, screen->session, &error);
	if (entry.expr)
		return filters_put(screen, at, entry);
	screen_error(screen, NOTICE_FILTER_REFUSED, error.what);
	return false;
}

static void
say_unfolded(struct screen *screen, const struct run_sums *run)
{
	char messages[32], instructions[32], cycles[32];
	struct text text = {0};
	text_addf(&text, "%s messages, %s instructions, %s cycles%s; ",
		  text_number(messages, run->messages),
		  text_number(instructions, run->instructions), text_number(cycles, run->cycles),
		  run->more ? ", and more" : "");
	keymap_hint(screen->keymap, COMMAND_TURN_RUN, &text);
	screen_say(screen, NOTICE_RUNS_UNFOLDED, text_get(&text));
	text_free(&text);
}

/* Go to the first message of the run, which remains when the others are hidden. */
static void
go_to_first(struct screen *screen, const struct selection *selection, const struct run_sums *run)
{
	size_t trace = trace_number(selection->trace);
	struct reader *reader = sequence_reader(screen->sequence, trace);
	const struct location first = {.trace = trace, .id = reader_message_id(reader, run->first)};
	if (message_id_compare(first.id, selection->id))
		jump_to_location(screen, &first);
}

/* Remove the exception from the filter, or add it. */
static void
turn_exception(struct screen *screen, const struct selection *selection, const struct run_sums *run,
	       const char *exception)
{
	const size_t at = find_entry(screen->filters);
	const char *text = filter_expr_text(screen->filters->list.at[at].expr);
	const char *there = strstr(text, exception);
	struct text changed = {0};
	text_add_bytes(&changed, text, there ? (size_t)(there - text) : strlen(text));
	text_add(&changed, there ? there + strlen(exception) : exception);
	if (there)
		go_to_first(screen, selection, run);
	if (!there && run->messages == 1)
		screen_say(screen, NOTICE_RUN_NOT_FOLDED);
	else if (put_text(screen, at, text_get(&changed)) && !there)
		say_unfolded(screen, run);
	text_free(&changed);
}

void
run_fold_turn(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection = selection_get(screen);
	struct text exception = {0};
	struct run_sums run;
	if (!run_fold_is_on(screen))
		run_fold_all(screen, call);
	else if (selection && find_run(screen, selection, &run, &exception))
		turn_exception(screen, selection, &run, text_get(&exception));
	else
		screen_say(screen, NOTICE_RUN_NONE);
	text_free(&exception);
}
