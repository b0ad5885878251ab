/*
 * The state of a session between runs: see state.h.
 *
 * The file's name is a hash of the captures' paths and formats.  Samples of the bytes that
 * a capture had then show that it is still the same one.  So it may grow and get a new
 * date, but not be replaced.  The text to write is compared with the earlier one, so
 * commands need not report changes.
 */
#include "config.h"

#include "ui/state.h"
#include "base/writer.h"
#include "base/file.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "decode/registry.h"
#include "index/saved.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/list/filter_history.h"
#include "ui/list/filters.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/notebook.h"
#include "ui/screen/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".yaml"

enum { FILES_MAX = 500, FILE_MODE = 0600, FOLDER_MODE = 0700 };

#define CAPTURE(...) OPTION_ROW(struct state_capture, __VA_ARGS__)
static const struct option_row capture_rows[] = {
    CAPTURE(file, TEXT, "a capture, for people; the name of the state's file is made of it"),
    CAPTURE(size, UINT, "how many bytes it had", .required = true),
    CAPTURE(samples, TEXT, "checksums of its first, middle and last 64 KiB", .required = true),
};
static const struct option_table capture_table =
    OPTION_TABLE("captures", struct state_capture, capture_rows);

#define STATE(...) OPTION_ROW(struct state_file, __VA_ARGS__)
static const struct option_row state_rows[] = {
    STATE(captures, LIST, "the captures that this is the state of", .table = &capture_table,
	  .required = true),
    {"session", OPTION_STRUCT, offsetof(struct state_file, notebook), "what was not saved",
     .table = &notebook_options_table},
};

const struct option_table state_options_table =
    OPTION_TABLE("state", struct state_file, state_rows);

#define HEAD "# What was marked, shown"
static const struct file_kind kept_kind = {ENDING, HEAD};
static const struct writer_options kept_options = {
    .flags = WRITER_FORCE | WRITER_DURABLE, .mode = FILE_MODE, .folders = FOLDER_MODE};

/* --- the captures ------------------------------------------------------ */

/* Return the full path of a file, or PATH itself if there is no such file. */
static char *
real_path(const char *path)
{
	char *real = realpath(path, NULL);
	return real ? real : mem_text(path);
}

static uint64_t
hash_path(const char *path, uint64_t hash)
{
	char *real = real_path(path);
	hash = option_hash_text(real, hash);
	free(real);
	return hash;
}

/* Find the path of the session's state file, or the reason why it has none. */
static void
find_path(struct screen *screen)
{
	const struct ui_options *options = app_of(screen)->options;
	const struct session *session = screen->session;
	uint64_t hash = 0xcbf29ce484222325;
	struct text path = {0};
	if (!options->state_dir)
		return;
	if (!*options->state_dir)
		app_of(screen)->kept->reason = "there is no home folder";
	if (options->read_only)
		app_of(screen)->kept->reason = options->read_only;
	for (size_t i = 0; i < session->traces.count; i++) {
		const struct trace *trace = session->traces.at[i];
		if (capture_is_stream(trace_capture(trace)))
			app_of(screen)->kept->reason = "a stream has no name";
		else if (capture_is_spooled(trace_capture(trace))) /* its size is not final yet */
			app_of(screen)->kept->reason = "a capture is compressed";
		hash = hash_path(capture_path(trace_capture(trace)), hash);
		hash = option_hash_text(decoder_name(trace_decoder(trace)->ops), hash);
	}
	if (options->notebook_given)
		hash = hash_path(options->notebook_path, hash);
	text_addf(&path, "%s/%016llx" ENDING, options->state_dir, (unsigned long long)hash);
	if (!app_of(screen)->kept->reason)
		app_of(screen)->kept->path = mem_text(text_get(&path));
	text_free(&path);
}

static char *
sample_capture(const struct capture *capture, uint64_t size)
{
	struct saved_about about;
	struct text text = {0};
	saved_describe(&about, capture, size, 0, 0, 0);
	text_addf(&text, "%08x-%08x-%08x", (unsigned)about.samples[0], (unsigned)about.samples[1],
		  (unsigned)about.samples[2]);
	return text.data;
}

static bool
has_grown_from(const struct capture *capture, const struct state_capture *was)
{
	if (capture_size(capture) < was->size)
		return false;
	char *samples = sample_capture(capture, was->size);
	bool same = !strcmp(samples, was->samples);
	free(samples);
	return same;
}

/* True if the file describes the open captures. */
static bool
is_of_session(const struct state_file *file, const struct session *session)
{
	const struct state_capture *was = file->captures.at;
	bool same = file->captures.count == session->traces.count;
	for (size_t i = 0; same && i < file->captures.count; i++)
		same = has_grown_from(trace_capture(session->traces.at[i]), &was[i]);
	return same;
}

/* --- from the file ----------------------------------------------------- */

static bool
is_newer(const char *path, const char *other)
{
	struct stat a, b;
	if (!path || stat(path, &a) != 0 || stat(other, &b) != 0)
		return false;
	return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec
						    : a.st_mtim.tv_nsec > b.st_mtim.tv_nsec;
}

static void
state_forget(struct ui_state *state)
{
	option_release(&state_options_table, &state->was);
	state->was = (struct state_file){0};
}

static void
state_load(struct screen *screen)
{
	struct ui_state *state = app_of(screen)->kept;
	const struct ui_options *options = app_of(screen)->options;
	struct err err = {0};
	if (!state->path || access(state->path, F_OK) != 0)
		return;
	if (is_newer(options->notebook_path, state->path)) {
		screen_log(screen, NOTICE_STATE_OLDER);
		return;
	}
	if (options->load_yaml(state->path, &state_options_table, &state->was, &err) < 0) {
		state_forget(state);
		screen_error(screen, NOTICE_STATE_UNREADABLE, err.what);
	} else if (!is_of_session(&state->was, screen->session)) {
		state_forget(state);
		screen_log(screen, NOTICE_STATE_OF_OTHER);
	}
}

static void
add_count(struct text *out, size_t count, const char *what)
{
	if (count)
		text_addf(out, "%s%zu %s%s", out->length ? ", " : "", count, what,
			  count == 1 ? "" : "s");
}

/* True if the place of the last run is restored: not if the user chose what to look at. */
static bool
restores_place(const struct screen *screen)
{
	const struct ui_options *options = app_of(screen)->options;
	const struct notebook *read = options->notebook;
	return (app_of(screen)->kept->was.notebook.has_place || (read && read->has_place)) &&
	       !options->command_count && !options->follow && !filter_limits_time(&options->filter);
}

void
state_restore_place(struct screen *screen)
{
	if (restores_place(screen))
		notebook_go_to_place(screen);
}

/* Append the key that shows or undoes the restored state. */
static void
add_hint(struct screen *screen, size_t marks, size_t ties, size_t filters, struct text *out)
{
	enum command_id id = marks     ? COMMAND_MARKS
			     : ties    ? COMMAND_CLOCKS
			     : filters ? COMMAND_UNDO_FILTER
				       : COMMAND_TOP;
	struct text hint = {0};
	keymap_hint(screen->keymap, id, &hint);
	text_addf(out,
		  marks || ties ? NOTICE_KEY_SHOWS
		  : filters	? NOTICE_KEY_UNDOES
				: NOTICE_KEY_TO_START,
		  hint.data);
	text_free(&hint);
}

static void
say_restored(struct screen *screen)
{
	struct text what = {0}, hint = {0};
	size_t marks = screen->jumps->marks.count, ties;
	size_t filters =
	    screen->filters->list.count + (screen->filters->severities != SEVERITY_ALL);
	clocks_ties(screen->session->clocks, &ties);
	if (!filter_is_all(&app_of(screen)->options->filter))
		filters = 0;
	if (restores_place(screen))
		text_add(&what, "position");
	add_count(&what, filters, "filter");
	add_count(&what, marks, "mark");
	add_count(&what, ties, "tie");
	add_hint(screen, marks, ties, filters, &hint);
	if (what.length)
		screen_say(screen, NOTICE_STATE_RESTORED, what.data, hint.data);
	text_free(&what);
	text_free(&hint);
}

/* Append the present state as YAML, in the form in which it is kept. */
static void
write_part(struct screen *screen, enum notebook_part part, struct text *out)
{
	struct notebook now;
	notebook_collect(screen, part, &now);
	option_write(&notebook_options_table, &now, out);
	option_release(&notebook_options_table, &now);
}

static void
note_kept(struct screen *screen, enum notebook_part part)
{
	struct ui_state *state = app_of(screen)->kept;
	text_clear(&state->same);
	text_clear(&state->kept);
	write_part(screen, NOTEBOOK_MARKS, &state->same);
	write_part(screen, part, &state->kept);
}

static void
note_saved(struct ui_state *state, const struct notebook *notebook)
{
	option_release(&notebook_options_table, &state->saved);
	option_copy(&notebook_options_table, &state->saved, notebook);
}

void
state_restore(struct screen *screen)
{
	struct ui_state *state = app_of(screen)->kept;
	find_path(screen);
	write_part(screen, NOTEBOOK_ALL, &state->usual);
	state_load(screen);
	notebook_restore(screen);
	note_kept(screen, NOTEBOOK_ALL);
	bool restores = (state->was.captures.count || app_of(screen)->options->notebook) &&
			filter_is_all(&app_of(screen)->options->filter);
	state->restored = restores ? filter_clone(screen->filter) : filter_all();
	if (app_of(screen)->options->notebook)
		note_saved(state, app_of(screen)->options->notebook);
	state->unchecked = state->was.captures.count;
	if (!state->unchecked)
		return;
	if (state->was.notebook.has_place) { /* the cursor is not there yet */
		text_clear(&state->kept);
		option_write(&notebook_options_table, &state->was.notebook, &state->kept);
	}
	say_restored(screen);
}

/* True if there is a message at exactly this place, not only near it. */
static bool
has_message(struct screen *screen, const struct location *mark)
{
	struct list *list;
	struct row row;
	if (!jump_find(screen, mark, &list, &row))
		return false;
	struct message_id id = reader_message_id(list->lanes[row.lane].reader, row.at);
	return !message_id_compare(id, mark->id);
}

/* Remove the restored filters once it is certain that no message passes them. Keep filters on
 * contexts, order, intervals or flow: they may find messages after the index is complete. */
static void
check_filters(struct screen *screen)
{
	struct filter *restored = &app_of(screen)->kept->restored;
	const unsigned late =
	    FILTER_ON_CONTEXT | FILTER_ON_ORDER | FILTER_ON_INTERVAL | FILTER_ON_FLOW;
	struct matches_progress progress;
	struct text key = {0};
	if (filter_is_all(restored) || !session_is_named(screen->session))
		return;
	list_show(screen->list); /* it may have counted with other names */
	bool same = filter_is_same(restored, screen->filter);
	bool counted = list_matches_get_progress(&screen->list->matches, &progress);
	if (same && !progress.count &&
	    (!counted || !progress.exact || !clocks_are_settled(screen->session->clocks)))
		return; /* not known yet */
	bool blind = same && !progress.count && !(filter_basis(restored) & late);
	filter_free(restored);
	*restored = filter_all();
	if (!blind)
		return;
	struct filters none = {.severities = SEVERITY_ALL};
	filter_history_note(screen);
	filters_replace(screen, none);
	filter_history_note(screen);
	keymap_hint(screen->keymap, COMMAND_UNDO_FILTER, &key);
	screen_say(screen, NOTICE_STATE_BLIND, key.data);
	text_free(&key);
}

void
state_check(struct screen *screen)
{
	struct jumps *jumps = screen->jumps;
	struct text what = {0};
	size_t dropped = 0;
	if (!app_of(screen)->kept->unchecked && filter_is_all(&app_of(screen)->kept->restored))
		return;
	for (size_t i = 0; i < screen->session->traces.count; i++)
		if (!index_is_complete(trace_index(screen->session->traces.at[i])))
			return;
	check_filters(screen);
	if (!app_of(screen)->kept->unchecked)
		return;
	app_of(screen)->kept->unchecked = false;
	for (size_t i = jumps->marks.count; i-- > 0;)
		if (!has_message(screen, &jumps->marks.at[i])) {
			jumps_drop(jumps, i);
			dropped++;
		}
	add_count(&what, dropped, "mark");
	if (dropped)
		screen_say(screen, NOTICE_STATE_DROPPED, what.data);
	text_free(&what);
}

/* --- to the file ------------------------------------------------------- */

/* True if the present state differs from WAS. */
static bool
has_changed(struct screen *screen, enum notebook_part part, const struct text *was)
{
	struct text now = {0};
	write_part(screen, part, &now);
	bool same = !strcmp(text_get(&now), text_get(was));
	text_free(&now);
	return !same;
}

bool
state_is_unsaved(struct screen *screen)
{
	return has_changed(screen, NOTEBOOK_MARKS, &app_of(screen)->kept->same);
}

bool
state_can_keep(const struct screen *screen)
{
	return app_of(screen)->kept->path;
}

/* Merge the changes that another run has written since this one read the file. */
static size_t
merge_others(struct screen *screen, struct notebook *now)
{
	const struct ui_state *state = app_of(screen)->kept;
	const struct ui_options *options = app_of(screen)->options;
	struct state_file theirs;
	struct err err = {0};
	size_t added = 0;
	if (access(state->path, F_OK) != 0 ||
	    options->load_yaml(state->path, &state_options_table, &theirs, &err) < 0)
		return 0;
	if (is_of_session(&theirs, screen->session) &&
	    !is_newer(options->notebook_path, state->path))
		added = notebook_merge(now, &state->was.notebook, &theirs.notebook);
	option_release(&state_options_table, &theirs);
	return added;
}

static void
describe_captures(const struct session *session, struct option_list *list)
{
	struct state_capture *captures = mem_new(session->traces.count * sizeof *captures);
	*list = (struct option_list){captures, session->traces.count};
	for (size_t i = 0; i < list->count; i++) {
		const struct capture *capture = trace_capture(session->traces.at[i]);
		captures[i].file = real_path(capture_path(capture));
		captures[i].size = capture_size(capture);
		captures[i].samples = sample_capture(capture, captures[i].size);
	}
}

static int
write_file(struct screen *screen, const struct state_file *file, struct err *err)
{
	const char *path = app_of(screen)->kept->path;
	struct text out = {0};
	text_add(&out, HEAD " and looked at: trawl puts it back, and :save "
			    "removes this.\n");
	option_write(&state_options_table, file, &out);
	if (writer_put(path, &kept_options, out.data, out.length, err) < 0)
		err_cause(err, "marks are not saved; :save FILE saves them");
	else
		file_prune(path, &kept_kind, FILES_MAX, UINT64_MAX);
	text_free(&out);
	return err->code;
}

/* Write the state, or remove its file if NEEDED is false and no other run added to it. */
static int
put_state(struct screen *screen, bool needed, struct err *err)
{
	const struct ui_state *state = app_of(screen)->kept;
	struct state_file now = {0};
	int failed = 0, lock = writer_lock(state->path, needed ? FOLDER_MODE : 0);
	notebook_collect(screen, NOTEBOOK_ALL, &now.notebook);
	needed |= merge_others(screen, &now.notebook) > 0;
	describe_captures(screen->session, &now.captures);
	if (needed)
		failed = write_file(screen, &now, err);
	else
		unlink(state->path);
	option_release(&state_options_table, &now);
	if (lock >= 0)
		close(lock);
	return failed;
}

void
state_merge_saved(struct screen *screen, const char *path, struct notebook *now)
{
	struct notebook theirs;
	struct err unimportant = {0};
	if (access(path, F_OK) == 0 &&
	    app_of(screen)->options->load_yaml(path, &notebook_options_table, &theirs,
					       &unimportant) == 0) {
		notebook_merge(now, &app_of(screen)->kept->saved, &theirs);
		option_release(&notebook_options_table, &theirs);
	}
}

void
state_saved(struct screen *screen, const struct notebook *notebook)
{
	struct err unimportant = {0};
	note_saved(app_of(screen)->kept, notebook);
	app_of(screen)->kept->filters_saved = true;
	note_kept(screen, NOTEBOOK_SAVED); /* not the place: the end keeps it */
	if (app_of(screen)->kept->path)
		put_state(screen, false, &unimportant);
}

int
state_keep(struct screen *screen, struct err *err)
{
	const struct ui_state *state = app_of(screen)->kept;
	const char *saved = app_of(screen)->options->notebook_path;
	if (!app_of(screen)->options->state_dir || app_of(screen)->options->still ||
	    !has_changed(screen, NOTEBOOK_ALL, &state->kept))
		return 0;
	if (!state->path)
		return !state_is_unsaved(screen)
			   ? 0
			   : err_set(err, ERR_IO, "marks are not saved: %s; :save FILE saves them",
				     state->reason);
	return put_state(screen,
			 has_changed(screen, NOTEBOOK_ALL, &state->usual) ||
			     (saved && access(saved, F_OK) == 0),
			 err);
}

bool
state_is_first_run(const struct screen *screen)
{
	static const char line[] = "The first run was before this.\n";
	struct err unimportant;
	const char *folder = app_of(screen)->options->state_dir;
	struct text path = {0};
	if (!folder || !*folder || app_of(screen)->options->still)
		return false;
	text_addf(&path, "%s/.first-run", folder);
	bool first = access(path.data, F_OK) < 0 &&
		     writer_put(path.data, &kept_options, line, sizeof line - 1, &unimportant) == 0;
	text_free(&path);
	return first;
}

void
state_free(struct ui_state *state)
{
	state_forget(state);
	option_release(&notebook_options_table, &state->saved);
	filter_free(&state->restored);
	text_free(&state->same);
	text_free(&state->usual);
	text_free(&state->kept);
	free(state->path);
	*state = (struct ui_state){0};
}
