/*
 * From the screen to a file of its marks and filters, and back: see notebook.h.
 *
 * Marks are kept by their place, so they fit as long as the capture is the
 * same or has grown.  Marks of captures that are not open are kept as they
 * are.  A new file takes the place of the old one in one step.
 */
#include "config.h"

#include "ui/notebook.h"
#include "base/file.h"
#include "session/clock/clocks.h"
#include "session/link/serial.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/prompt/path.h"
#include "ui/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *
check_letter(const char *text, char buffer[static 256])
{
	(void)buffer;
	bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
	return letter && !text[1] ? NULL : "a letter, a to z or A to Z";
}

/* A set of severities by their letters; false if one is none's. */
static bool
read_severities(const char *text, uint8_t *set)
{
	*set = 0;
	for (; *text; text++) {
		unsigned s = 0;
		while (s < SEVERITY_COUNT && severity_letter(s) != *text)
			s++;
		if (s == SEVERITY_COUNT)
			return false;
		*set |= (uint8_t)(1u << s);
	}
	return true;
}

static const char *
check_severities(const char *text, char buffer[static 256])
{
	uint8_t set;
	(void)buffer;
	return read_severities(text, &set) ? NULL : "letters of severities, as FEW or F-";
}

#define MARK(...) OPTION_ROW(struct notebook_mark, __VA_ARGS__)
static const struct option_row mark_rows[] = {
    MARK(trace, TEXT, "the trace it is in", .required = true),
    MARK(offset, UINT, "byte of the capture at which its message stands", .required = true),
    MARK(ordinal, UINT, "which of the messages at that byte, from 0", "0", .max = UINT32_MAX),
    MARK(letter, TEXT, "of a mark; without one it is a bookmark", .check = check_letter),
    MARK(note, TEXT, "what was noted there"),
};
static const struct option_table mark_table =
    OPTION_TABLE("marks", struct notebook_mark, mark_rows);

#define FILTER(...) OPTION_ROW(struct notebook_filter, __VA_ARGS__)
static const struct option_row filter_rows[] = {
    FILTER(filter, TEXT, "an expression, see trawl-filter(7)", .required = true),
    FILTER(hide, BOOL, "hides what it holds for; otherwise all else", "false"),
    FILTER(off, BOOL, "it is in the list, but does nothing", "false"),
};
static const struct option_table filter_table =
    OPTION_TABLE("filters", struct notebook_filter, filter_rows);

#define NOTEBOOK(...) OPTION_ROW(struct notebook, __VA_ARGS__)
static const struct option_row notebook_rows[] = {
    NOTEBOOK(view, TEXT, "name or file of the view"),
    NOTEBOOK(severity, CHOICE, "only this severity or worse", "all", .choices = view_severities),
    NOTEBOOK(unassigned, BOOL, "messages without a severity are shown", "true"),
    NOTEBOOK(severities, TEXT,
	     "instead: letters of those that are shown, - for messages without one",
	     .check = check_severities),
    NOTEBOOK(filter, TEXT, "only messages that fit, as typed after &"),
    NOTEBOOK(filters, LIST, "the list of filters; a message has to pass all",
	     .table = &filter_table),
    NOTEBOOK(marks, LIST, "marks, bookmarks and their notes", .table = &mark_table),
    {"sync", OPTION_LIST, offsetof(struct notebook, ties), "ties made by :tie, as in a profile",
     .table = &sync_options_table},
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

/* The open trace of that name, or the number of traces. */
static size_t
find_trace(const struct app *app, const char *name)
{
	size_t i = 0;
	while (i < app->session->traces.count &&
	       strcmp(trace_name(app->session->traces.at[i]), name) != 0)
		i++;
	return i;
}

static bool
is_open(const struct app *app, const struct notebook_mark *mark)
{
	return find_trace(app, mark->trace) < app->session->traces.count;
}

static void
restore_filters(struct app *app, const struct notebook *notebook)
{
	const struct notebook_filter *filters = notebook->filters.at;
	struct filter_error error;
	settings_filters(app, notebook->severity, notebook->unassigned, notebook->filter);
	if (notebook->severities) {
		read_severities(notebook->severities, &app->filters.severities);
		app_refilter(app);
	}
	for (size_t i = 0; i < notebook->filters.count; i++) {
		struct filter_entry entry = {.out = filters[i].hide, .off = filters[i].off};
		entry.expr = filter_parse(filters[i].filter, app->session, &error);
		if (entry.expr)
			filters_put(app, SIZE_MAX, entry);
		else
			app_trouble(app, "%s, in %s", error.what, filters[i].filter);
	}
}

/* What marks and ties come from: what was kept last time, or the file; NULL. */
static const struct notebook *
marks_before(const struct app *app)
{
	const struct state_file *was = &app->kept.was;
	return was->captures.count ? &was->notebook : app->options->notebook;
}

static void
restore_marks(struct app *app, const struct notebook *notebook)
{
	const struct notebook_mark *marks = notebook->marks.at;
	size_t elsewhere = 0;
	for (size_t i = 0; i < notebook->marks.count; i++) {
		const struct notebook_mark *mark = &marks[i];
		elsewhere += !is_open(app, mark);
		if (is_open(app, mark))
			jumps_add(&app->jumps,
				  (struct spot){.trace = find_trace(app, mark->trace),
						.place = {mark->offset, (uint32_t)mark->ordinal},
						.letter = mark->letter ? *mark->letter : '*',
						.note = mark->note ? mem_text(mark->note) : NULL});
	}
	if (notebook->ties.count)
		clocks_add_ties(app->session->clocks, notebook->ties.at, notebook->ties.count);
	if (elsewhere)
		app_say(app, "%zu marks are in captures that are not open", elsewhere);
}

void
notebook_restore(struct app *app)
{
	const struct notebook *notebook = app->options->notebook, *before = marks_before(app);
	if (app->options->trouble)
		app_trouble(app, "%s", app->options->trouble);
	if (notebook && notebook->view)
		app_run(app, (struct command_call){.id = COMMAND_VIEW, .text = notebook->view});
	if (notebook && filter_is_all(&app->options->filter))
		restore_filters(app, notebook);
	if (before)
		restore_marks(app, before);
}

/* --- to the file ------------------------------------------------------- */

/* A single filter as it would be typed, else the list. */
static void
collect_filters(struct app *app, struct notebook *notebook, char letters[SEVERITY_COUNT + 1])
{
	const struct filters *filters = &app->filters;
	struct notebook_filter *list = notebook->filters.at;
	bool whole;
	enum severity level = filters_threshold(filters, &whole);
	notebook->severity = whole && level != SEVERITY_DEBUG ? (int)level : SEVERITY_MAX;
	notebook->unassigned = filters->severities & 1;
	for (unsigned s = 0; !whole && s < SEVERITY_COUNT; s++)
		if (filters->severities >> s & 1)
			*letters++ = severity_letter(s);
	for (size_t i = 0; i < filters->list.count; i++) {
		const struct filter_entry *entry = &filters->list.at[i];
		char *text = (char *)filter_expr_text(entry->expr);
		bool plain = filters->list.count == 1 && !entry->out && !entry->off;
		if (plain)
			notebook->filter = text;
		else
			list[notebook->filters.count++] =
			    (struct notebook_filter){text, entry->out, entry->off};
	}
}

/* The texts are borrowed. */
static void
collect_marks(struct app *app, struct notebook *notebook, char (*letters)[2])
{
	const struct notebook *before = marks_before(app);
	const struct notebook_mark *old = before ? before->marks.at : NULL;
	struct notebook_mark *marks = notebook->marks.at;
	size_t count = 0;
	notebook->ties.at = (void *)clocks_ties(app->session->clocks, &notebook->ties.count);
	for (size_t i = 0; i < app->jumps.marks.count; i++) {
		const struct spot *spot = &app->jumps.marks.at[i];
		letters[i][0] = spot->letter;
		marks[count++] = (struct notebook_mark){
		    .trace = (char *)trace_name(app->session->traces.at[spot->trace]),
		    .offset = spot->place.offset,
		    .ordinal = spot->place.ordinal,
		    .letter = spot->letter == '*' ? NULL : letters[i],
		    .note = spot->note};
	}
	for (size_t i = 0; old && i < before->marks.count; i++)
		if (!is_open(app, &old[i]))
			marks[count++] = old[i];
	notebook->marks.count = count;
}

void
notebook_collect(struct app *app, bool whole, struct notebook *to)
{
	const struct notebook *before = marks_before(app);
	size_t most = app->jumps.marks.count + (before ? before->marks.count : 0);
	struct notebook now;
	char severities[SEVERITY_COUNT + 1] = "";
	char(*letters)[2] = mem_new((app->jumps.marks.count + 1) * sizeof *letters);
	option_defaults(&notebook_options_table, &now);
	now.marks.at = mem_new((most + 1) * sizeof(struct notebook_mark));
	now.filters.at = mem_new((app->filters.list.count + 1) * sizeof(struct notebook_filter));
	collect_marks(app, &now, letters);
	if (whole) {
		now.view = app->view_name;
		collect_filters(app, &now, severities);
		now.severities = *severities ? severities : NULL;
	}
	option_copy(&notebook_options_table, to, &now);
	free(letters);
	free(now.filters.at);
	free(now.marks.at);
}

static void
say_saved(struct app *app, const struct notebook *notebook, const char *path)
{
	size_t ties = notebook->ties.count;
	if (ties)
		app_say(app, "%zu marks and %zu ties saved to %s", notebook->marks.count, ties,
			path);
	else
		app_say(app, "%zu marks saved to %s", notebook->marks.count, path);
}

void
notebook_save(struct app *app, const struct command_call *call)
{
	const struct ui_options *options = app->options;
	struct text given = {0};
	const char *typed = call->text ? call->text : "";
	bool force = *typed == '!';
	typed += force + strspn(typed + force, " ");
	if (*typed)
		path_read(typed, &given);
	const char *path = *typed ? text_get(&given) : options->notebook_path;
	struct notebook notebook;
	struct text out = {0};
	notebook_collect(app, true, &notebook);
	text_add(&out,
		 "# What was marked and noted, and what was shown: for trawl --session=FILE.\n");
	option_write(&notebook_options_table, &notebook, &out);
	if (!path) {
		app_trouble(app, "save to which file?");
	} else if (*typed && !force && access(path, F_OK) == 0 &&
		   (!options->notebook_path || strcmp(path, options->notebook_path) != 0)) {
		app_trouble(app, "%s is there already; :save! FILE overwrites it", path);
	} else if (file_replace(path, 0666, 0, &(struct iovec){out.data, out.length}, 1) < 0) {
		app_trouble(app, "%s: %s", path, strerror(errno));
	} else {
		if (options->notebook_path && !strcmp(path, options->notebook_path))
			state_saved(app);
		say_saved(app, &notebook, path);
	}
	text_free(&out);
	text_free(&given);
	option_release(&notebook_options_table, &notebook);
}
