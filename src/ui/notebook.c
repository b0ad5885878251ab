/*
 * Marks and filters from the screen to a file, and back: see notebook.h.
 *
 * Marks are kept by their message ID, so they stay valid while the capture is the same or
 * grows.  Marks of captures that are not open are kept unchanged.
 */
#include "config.h"

#include "ui/notebook.h"
#include "base/notice.h"
#include "query/filter/filter.h"
#include "session/clock/clocks.h"
#include "session/link/sync_options.h"
#include "session/sequence.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/list/filters.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/list/view.h"
#include "ui/settings.h"
#include "ui/state.h"

#include <stdlib.h>
#include <string.h>

static const char *
check_letter(const char *text, char buffer[static 256])
{
	(void)buffer;
	bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
	return letter && !text[1] ? NULL : "a letter, a to z or A to Z";
}

/* Read a set of severities from their letters.  Return false for an unknown letter. */
static bool
read_severities(const char *text, uint16_t *set)
{
	*set = 0;
	for (; *text; text++) {
		unsigned s = 0;
		while (s < SEVERITY_COUNT && severity_letter(s) != *text)
			s++;
		if (s == SEVERITY_COUNT)
			return false;
		*set |= (uint16_t)(1u << s);
	}
	return true;
}

static const char *
check_severities(const char *text, char buffer[static 256])
{
	uint16_t set;
	(void)buffer;
	return read_severities(text, &set) ? NULL : "letters of severities, as FEW or F-";
}

#define MARK(...) OPTION_ROW(struct notebook_mark, __VA_ARGS__)
static const struct option_row mark_rows[] = {
    MARK(trace, TEXT, "the trace it is in", .required = true),
    MARK(offset, UINT, "byte of the capture at which its message stands", .required = true),
    MARK(ordinal, UINT, "which of the messages at that byte, from 0", "0", .max = UINT32_MAX),
    MARK(letter, TEXT, "letter of a mark; absent: a bookmark", .check = check_letter),
    MARK(note, TEXT, "text of the note"),
};
static const struct option_table mark_table =
    OPTION_TABLE("marks", struct notebook_mark, mark_rows);

#define FILTER(...) OPTION_ROW(struct notebook_filter, __VA_ARGS__)
static const struct option_row filter_rows[] = {
    FILTER(filter, TEXT, "an expression, see trawl-filter(7)", .required = true),
    FILTER(hide, BOOL, "true: hide the matches; false: hide everything else", "false"),
    FILTER(off, BOOL, "it is in the list, but does nothing", "false"),
};
static const struct option_table filter_table =
    OPTION_TABLE("filters", struct notebook_filter, filter_rows);

#define PLACE(...) OPTION_ROW(struct notebook_place, __VA_ARGS__)
static const struct option_row place_rows[] = {
    PLACE(trace, TEXT, "the trace it is in", .required = true),
    PLACE(offset, UINT, "byte of the capture at which its message stands", .required = true),
    PLACE(ordinal, UINT, "which of the messages at that byte, from 0", "0", .max = UINT32_MAX),
};
static const struct option_table place_table =
    OPTION_TABLE("place", struct notebook_place, place_rows);

#define NOTEBOOK(...) OPTION_ROW(struct notebook, __VA_ARGS__)
static const struct option_row notebook_rows[] = {
    NOTEBOOK(view, TEXT, "name or file of the view"),
    NOTEBOOK(severity, CHOICE, "only this severity or worse", "all", .choices = view_severities),
    NOTEBOOK(unassigned, BOOL, "the threshold shows messages without a severity, too", "false"),
    NOTEBOOK(severities, TEXT,
	     "instead: letters of the severities shown, - for MAX, a blank for messages without "
	     "one",
	     .check = check_severities),
    NOTEBOOK(filter, TEXT, "only messages that fit, as typed after &"),
    NOTEBOOK(filters, LIST, "the list of filters; a message has to pass all",
	     .table = &filter_table),
    NOTEBOOK(marks, LIST, "marks, bookmarks and their notes", .table = &mark_table),
    {"sync", OPTION_LIST, offsetof(struct notebook, ties), "ties made by :tie, as in a profile",
     .table = &sync_options_table},
    NOTEBOOK(place, STRUCT, "the message under the cursor",
	     .given = offsetof(struct notebook, has_place), .table = &place_table),
};

static bool
check_notebook(const void *object, struct option_fault *fault)
{
	const struct notebook *notebook = object;
	const struct sync_options *ties = notebook->ties.at;
	for (size_t i = 0; i < notebook->ties.count; i++)
		if (ties[i].kind != SYNC_TIE || !ties[i].a.trace || !ties[i].b.trace) {
			*fault = (struct option_fault){
			    "sync", "only ties, with a and b; the rest is a profile's"};
			return false;
		}
	return true;
}

const struct option_table notebook_options_table = {
    .name = "session",
    .size = sizeof(struct notebook),
    .rows = notebook_rows,
    .count = sizeof notebook_rows / sizeof *notebook_rows,
    .check = check_notebook,
};

/* --- from the file ----------------------------------------------------- */

/* Return the number of the open trace with that name, or the number of traces. */
static size_t
find_trace(const struct screen *screen, const char *name)
{
	size_t i = 0;
	while (i < screen->session->traces.count &&
	       strcmp(trace_name(screen->session->traces.at[i]), name) != 0)
		i++;
	return i;
}

static bool
is_open(const struct screen *screen, const struct notebook_mark *mark)
{
	return find_trace(screen, mark->trace) < screen->session->traces.count;
}

static void
restore_filters(struct screen *screen, const struct notebook *notebook)
{
	const struct notebook_filter *filters = notebook->filters.at;
	struct filter_error error;
	settings_filters(screen, notebook->severity, notebook->unassigned, notebook->filter);
	if (notebook->severities) {
		read_severities(notebook->severities, &screen->filters->severities);
		filters_apply(screen);
	}
	for (size_t i = 0; i < notebook->filters.count; i++) {
		struct filter_entry entry = {.exclude = filters[i].hide,
					     .disabled = filters[i].off};
		entry.expr = filter_parse(filters[i].filter, screen->session, &error);
		if (entry.expr)
			filters_put(screen, SIZE_MAX, entry);
		else
			screen_error(screen, NOTICE_FILTER_REFUSED_IN, error.what,
				     filters[i].filter);
	}
}

/* Return the notebook of the last run, else that of the session's file, or NULL. */
static const struct notebook *
notebook_before(const struct screen *screen)
{
	const struct state_file *was = &app_of(screen)->kept->was;
	return was->captures.count ? &was->notebook : app_of(screen)->options->notebook;
}

static void
restore_marks(struct screen *screen, const struct notebook *notebook)
{
	const struct notebook_mark *marks = notebook->marks.at;
	size_t elsewhere = 0;
	for (size_t i = 0; i < notebook->marks.count; i++) {
		const struct notebook_mark *mark = &marks[i];
		elsewhere += !is_open(screen, mark);
		if (is_open(screen, mark))
			jumps_add(
			    screen->jumps,
			    (struct location){.trace = find_trace(screen, mark->trace),
					      .id = {mark->offset, (uint32_t)mark->ordinal},
					      .letter = mark->letter ? *mark->letter : '*',
					      .note = mark->note ? mem_text(mark->note) : NULL});
	}
	if (notebook->ties.count)
		clocks_add_ties(screen->session->clocks, notebook->ties.at, notebook->ties.count);
	if (elsewhere)
		screen_say(screen, NOTICE_MARKS_ELSEWHERE, elsewhere);
}

void
notebook_restore(struct screen *screen)
{
	const struct notebook *before = notebook_before(screen);
	if (app_of(screen)->options->trouble)
		screen_error(screen, NOTICE_SESSION_REFUSED, app_of(screen)->options->trouble);
	bool foreign = app_of(screen)->options->read_only; /* it may name any file */
	if (before && before->view && !(foreign && strpbrk(before->view, "/.")))
		settings_choose(screen,
				&(struct command_call){.id = COMMAND_VIEW, .text = before->view});
	if (before && filter_is_all(&app_of(screen)->options->filter))
		restore_filters(screen, before);
	if (before)
		restore_marks(screen, before);
}

void
notebook_go_to_place(struct screen *screen)
{
	const struct notebook *before = notebook_before(screen);
	if (!before || !before->has_place)
		return;
	struct location location = {.trace = find_trace(screen, before->place.trace),
				    .id = {before->place.offset, (uint32_t)before->place.ordinal}};
	if (location.trace < screen->session->traces.count)
		jump_to_location(screen, &location);
}

/* --- to the file ------------------------------------------------------- */

/* Collect the filters: a plain single one as typed, otherwise the list. */
static void
collect_filters(struct screen *screen, struct notebook *notebook, char letters[SEVERITY_COUNT + 1])
{
	const struct filters *filters = screen->filters;
	struct notebook_filter *list = notebook->filters.at;
	bool whole;
	enum severity level = filters_threshold(filters, &whole);
	notebook->severity = whole && level != SEVERITY_NONE ? (int)level : 0;
	notebook->unassigned =
	    whole && level != SEVERITY_NONE && filters->severities >> SEVERITY_NONE & 1;
	for (unsigned s = 0; !whole && s < SEVERITY_COUNT; s++)
		if (filters->severities >> s & 1)
			*letters++ = severity_letter(s);
	for (size_t i = 0; i < filters->list.count; i++) {
		const struct filter_entry *entry = &filters->list.at[i];
		char *text = (char *)filter_expr_text(entry->expr);
		bool plain = filters->list.count == 1 && !entry->exclude && !entry->disabled;
		if (plain)
			notebook->filter = text;
		else
			list[notebook->filters.count++] =
			    (struct notebook_filter){text, entry->exclude, entry->disabled};
	}
}

/* Collect the marks and ties.  Their texts are borrowed. */
static void
collect_marks(struct screen *screen, struct notebook *notebook, char (*letters)[2])
{
	const struct notebook *before = notebook_before(screen);
	const struct notebook_mark *old = before ? before->marks.at : NULL;
	struct notebook_mark *marks = notebook->marks.at;
	size_t count = 0;
	notebook->ties.at = (void *)clocks_ties(screen->session->clocks, &notebook->ties.count);
	for (size_t i = 0; i < screen->jumps->marks.count; i++) {
		const struct location *location = &screen->jumps->marks.at[i];
		letters[i][0] = location->letter;
		marks[count++] = (struct notebook_mark){
		    .trace = (char *)trace_name(screen->session->traces.at[location->trace]),
		    .offset = location->id.offset,
		    .ordinal = location->id.ordinal,
		    .letter = location->letter == '*' ? NULL : letters[i],
		    .note = location->note};
	}
	for (size_t i = 0; old && i < before->marks.count; i++)
		if (!is_open(screen, &old[i]))
			marks[count++] = old[i];
	notebook->marks.count = count;
}

/* Keep the earlier filters: those of the command line are for this run only. */
static void
collect_filters_before(const struct notebook *before, struct notebook *notebook)
{
	if (!before)
		return;
	notebook->severity = before->severity;
	notebook->unassigned = before->unassigned;
	notebook->severities = before->severities;
	notebook->filter = before->filter;
	notebook->filters = before->filters;
}

/* Collect the message under the cursor, unless it is the first one or the list follows the end. */
static void
collect_place(struct screen *screen, struct notebook *notebook)
{
	struct list *list = screen->list;
	const struct row *row = list_current(list);
	bool exact;
	if (!row || list->tail ||
	    (!sequence_number(list->sequence, row_position(row), &exact) && exact))
		return;
	struct message_id id = reader_message_id(list->lanes[row->lane].reader, row->at);
	notebook->has_place = true;
	notebook->place =
	    (struct notebook_place){.trace = (char *)trace_name(list->lanes[row->lane].trace),
				    .offset = id.offset,
				    .ordinal = id.ordinal};
}

void
notebook_collect(struct screen *screen, enum notebook_part part, struct notebook *to)
{
	const struct notebook *before = notebook_before(screen);
	size_t most = screen->jumps->marks.count + (before ? before->marks.count : 0);
	struct notebook now;
	char severities[SEVERITY_COUNT + 1] = "";
	char(*letters)[2] = mem_new((screen->jumps->marks.count + 1) * sizeof *letters);
	option_defaults(&notebook_options_table, &now);
	now.marks.at = mem_new((most + 1) * sizeof(struct notebook_mark));
	struct notebook_filter *filters =
	    mem_new((screen->filters->list.count + 1) * sizeof *filters);
	now.filters.at = filters;
	collect_marks(screen, &now, letters);
	if (part >= NOTEBOOK_SAVED)
		now.view = app_of(screen)->view_name;
	if (part == NOTEBOOK_ALL && !app_of(screen)->kept->filters_saved &&
	    !filter_is_all(&app_of(screen)->options->filter)) {
		collect_filters_before(before, &now);
	} else if (part >= NOTEBOOK_SAVED) {
		collect_filters(screen, &now, severities);
		now.severities = *severities ? severities : NULL;
	}
	if (part == NOTEBOOK_ALL)
		collect_place(screen, &now);
	option_copy(&notebook_options_table, to, &now);
	free(letters);
	free(filters);
	free(now.marks.at);
}

/* --- two runs ---------------------------------------------------------- */

/* Leave a letter to the first mark that has it. */
static void
drop_second_letters(struct option_list *list)
{
	struct notebook_mark *marks = list->at;
	for (size_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < i && marks[i].letter; k++)
			if (marks[k].letter && !strcmp(marks[k].letter, marks[i].letter)) {
				free(marks[i].letter);
				marks[i].letter = NULL;
			}
}

size_t
notebook_merge(struct notebook *ours, const struct notebook *base, const struct notebook *theirs)
{
	const struct option_row *marks = option_find(&notebook_options_table, "marks");
	const struct option_row *ties = option_find(&notebook_options_table, "sync");
	size_t added = option_merge(marks, &ours->marks, &base->marks, &theirs->marks) +
		       option_merge(ties, &ours->ties, &base->ties, &theirs->ties);
	drop_second_letters(&ours->marks);
	return added;
}
