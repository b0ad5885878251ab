/*
 * Writing messages to a file: see write.h.
 *
 *	:write[!] FILE [FORMAT] [range|shown|marks]
 *
 * Raw bytes go from the first of these messages to the last, with all bytes between them.
 * Without `range`, `shown` or `marks`: the range, if there is one, else the messages that
 * pass the filters.  The range stays, so that writing again writes the same; Esc drops it.
 * The file's ending selects the format.  A thread decodes and writes.  An incomplete file
 * is removed.
 */
#include "config.h"

#include "ui/write.h"
#include "base/nearest.h"
#include "base/notice.h"
#include "base/job.h"
#include "base/writer.h"
#include "export/export_raw.h"
#include "query/filter/filter.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/list/list.h"
#include "ui/list/range.h"
#include "ui/list/search.h"
#include "ui/panes/pane_table.h"
#include "ui/prompt/path.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum what { WHAT_RANGE, WHAT_SHOWN, WHAT_MARKS, WHAT_COUNT };
const char *const write_whats[] = {"range", "shown", "marks", NULL};

struct write_job {
	struct session *session;
	size_t held; /* traces whose bytes are held meanwhile */
	VEC(struct export_place) places;
	struct export_mark *marks; /* one for each place, their notes owned; or NULL */
	struct export_range range;
	bool *hidden;	      /* by trace, the traces left out; or NULL */
	bool *uncounted;      /* the same, for messages with marks */
	struct filter filter; /* a copy */
	char *path;
	struct writer writer;
	struct text table; /* a table to write instead of messages */
	bool is_table;
	size_t rows;
	bool rows_complete;
	struct job thread; /* cancelling it cancels the writing */
	atomic_bool done;
	atomic_bool again; /* start again: not all was known, or something changed */
	atomic_bool news;  /* news came since the last start */
	bool begun;	   /* the present start has written text */
	bool dropped;	   /* the text of the last start was dropped */
	const char *of;	   /* name of the messages, for the notice */
	int64_t written;   /* number of messages, or an error; valid once done */
	struct err err;	   /* the reason of the error */
};

/* --- the thread -------------------------------------------------------- */

static bool
write_text(void *context, struct text *text)
{
	struct write_job *job = context;
	job->begun = true;
	return !job_is_stopping(&job->thread) &&
	       export_flush(text, &(struct export_target){.writer = &job->writer}, &job->err) == 0;
}

static bool
goes_on(void *context)
{
	struct write_job *job = context;
	return !job_is_stopping(&job->thread);
}

/* Write the bytes of the single trace.  Return the number of messages, or an error. */
static int64_t
write_raw(struct write_job *job)
{
	enum { PIECE = 256 * 1024 };
	unsigned generation = clocks_generation(job->session->clocks);
	struct export_place ends[2];
	struct export_cut cut;
	struct text out = {0};
	int failed = export_range_ends(&job->range, ends);
	if (failed == ERR_USAGE)
		return err_set(&job->err, failed, NOTICE_WRITE_RAW_ONE);
	if (!failed && job->range.filter &&
	    !export_cut_select(ends[0].trace, job->range.filter, &ends[0].id, &ends[1].id))
		failed = ERR_END;
	if (clocks_generation(job->session->clocks) != generation)
		return ERR_MORE;
	if (failed)
		return failed == ERR_END ? 0 : failed;
	failed =
	    export_cut_find(ends[0].trace, ends[0].id, ends[1].id, goes_on, job, &cut, &job->err);
	const uint8_t *bytes = capture_bytes(trace_capture(ends[0].trace));
	for (uint64_t at = cut.begin, piece; !failed && at < cut.end; at += piece) {
		piece = cut.end - at < PIECE ? cut.end - at : PIECE;
		text_add_bytes(&out, bytes + at, (size_t)piece);
		failed = write_text(job, &out) ? 0 : ERR_CANCELLED;
	}
	text_free(&out);
	return failed ? failed : (int64_t)cut.messages;
}

/* Drop the written text.  Return false if the file cannot be rewound. */
static bool
rewind_file(struct write_job *job)
{
	job->dropped = job->begun;
	job->begun = false;
	return !job->dropped || writer_rewind(&job->writer);
}

static void
write_run(void *context)
{
	struct write_job *job = context;
	atomic_store(&job->news, false);
	if (job_is_stopping(&job->thread))
		job->written = ERR_CANCELLED;
	else if (job->is_table)
		job->written = write_text(job, &job->table) ? 0 : ERR_CANCELLED;
	else
		job->written = job->range.format->walk == export_raw ? write_raw(job)
								     : export_range(&job->range);
	if (job->written == ERR_MORE && !job->err.code && rewind_file(job)) {
		atomic_store(&job->again, true);
		if (atomic_load(&job->news))
			session_signal(job->session);
		return;
	}
	if (job->written >= 0 && writer_commit(&job->writer, &job->err) < 0)
		job->written = ERR_IO;
	writer_abandon(&job->writer);
	atomic_store(&job->done, true);
	session_signal(job->session);
}

/* Hold the bytes of the traces while they are written, or release them. */
static void
hold_traces(struct write_job *job, bool on)
{
	if (on)
		job->held = job->session->traces.count;
	for (size_t i = 0; i < job->held; i++)
		capture_hold(trace_capture(job->session->traces.at[i]), on);
}

static void
cancel_writing(struct write_job *job)
{
	job_cancel(&job->thread);
	job_join(&job->thread);
	if (job->path && !atomic_load(&job->done))
		write_run(job); /* only tidies up */
}

static void
writing_free(struct write_job *job)
{
	if (!job)
		return;
	cancel_writing(job);
	job_free(&job->thread);
	hold_traces(job, false);
	filter_free(&job->filter);
	for (size_t i = 0; job->marks && i < job->places.count; i++)
		free((char *)job->marks[i].note);
	free(job->marks);
	free(job->hidden);
	free(job->uncounted);
	vec_free(&job->places);
	writer_abandon(&job->writer);
	text_free(&job->table);
	free(job->path);
	free(job);
}

void
write_free(struct screen *screen)
{
	writing_free(app_of(screen)->writing);
	app_of(screen)->writing = NULL;
}

const char *
write_path(const struct screen *screen)
{
	const struct write_job *job = app_of(screen)->writing;
	return job ? job->path : NULL;
}

void
write_end(struct screen *screen, struct text *why)
{
	struct write_job *job = app_of(screen)->writing;
	if (!job)
		return;
	cancel_writing(job);
	if (job->written < 0 && job->err.code)
		text_add(why, job->err.what);
	else if (job->written < 0)
		text_addf(why, NOTICE_WRITE_CANCELLED, job->path);
	write_free(screen);
}

bool
write_cancel(struct screen *screen)
{
	if (!app_of(screen)->writing)
		return false;
	job_cancel(&app_of(screen)->writing->thread);
	write_poll(screen);
	return true;
}

/* Start the thread once everything that the messages depend on is known. */
static void
start_when_known(struct screen *screen, struct write_job *job)
{
	atomic_store(&job->news, true);
	if (atomic_load(&job->again)) {
		job_join(&job->thread);
		atomic_store(&job->again, false);
		if (job->dropped)
			screen_say(screen, NOTICE_WRITING_AGAIN, job->path);
	}
	if (job_is_running(&job->thread) || atomic_load(&job->done) ||
	    (!job_is_stopping(&job->thread) && !job->is_table &&
	     !export_range_is_known(&job->range)))
		return;
	if (!job_start_once(&job->thread))
		write_run(job);
}

void
write_poll(struct screen *screen)
{
	struct write_job *job = app_of(screen)->writing;
	char digits[32];
	if (job)
		start_when_known(screen, job);
	if (!job || !atomic_load(&job->done))
		return;
	if (job->written < 0 && job->err.code)
		screen_error(screen, NOTICE_WRITE_REFUSED, job->err.what);
	else if (job->written == ERR_CANCELLED)
		screen_say(screen, NOTICE_WRITE_CANCELLED, job->path);
	else if (job->written < 0)
		screen_error(screen, NOTICE_WRITE_CHANGED);
	else if (job->is_table)
		screen_say(screen,
			   job->rows_complete ? NOTICE_TABLE_WRITTEN : NOTICE_TABLE_WRITTEN_SO_FAR,
			   job->rows, job->path);
	else
		screen_say(screen, NOTICE_WRITTEN, text_number(digits, (uint64_t)job->written),
			   job->written == 1 ? "" : "s", job->path, job->range.format->name,
			   job->of);
	write_free(screen);
}

/* --- the request ------------------------------------------------------- */

/* The parsed text after :write. */
struct wish {
	struct text path;
	const struct export_format *format;
	enum what what;
	bool what_given, force;
};

/* Take a word if it is a format or one of `write_whats`. */
static bool
take_word(struct wish *wish, const char *word)
{
	const struct export_format *format = export_find(word);
	int what = 0;
	while (what < WHAT_COUNT && strcmp(word, write_whats[what]) != 0)
		what++;
	if (format) {
		wish->format = format;
	} else if (what < WHAT_COUNT) {
		wish->what = (enum what)what;
		wish->what_given = true;
	}
	return format || what < WHAT_COUNT;
}

/* True if a format needs only the messages, not whole captures. */
static bool
is_of_parts(const struct export_format *format)
{
	return !format->writer && (!format->walk || format->walk == export_raw);
}

static void
say_no_format(struct screen *screen, const char *word)
{
	struct text known = {0}, text = {0};
	struct nearest_hint hint = nearest_hint(word, export_next_name, NULL);
	text_add(&known, NOTICE_WRITE_FORMATS_ARE);
	for (size_t i = 0; i < export_format_count; i++)
		if (is_of_parts(&export_formats[i]))
			text_addf(&known, " %s", export_formats[i].name);
	text_addf(&text, NOTICE_WRITE_FORMATS, word, nearest_hint_or(&hint, known.data));
	screen_error(screen, NOTICE_WRITE_NAME, text.data);
	text_free(&known);
	text_free(&text);
}

static const struct export_format *
format_of(const char *path)
{
	const char *ending = strrchr(path, '.');
	const struct export_format *format = ending ? export_find(ending + 1) : NULL;
	return format ? format : export_find("text");
}

/* Parse the text.  Return false, and report why, if that fails. */
static bool
read_wish(struct screen *screen, const char *text, struct wish *wish)
{
	struct text word = {0};
	bool good = true;
	wish->force = *text == '!';
	text = path_take(text + wish->force, &wish->path);
	if (!text)
		screen_error(screen, NOTICE_WRITE_QUOTE);
	while (text && *text && good) {
		size_t length = strcspn(text, " ");
		text_clear(&word);
		text_add_bytes(&word, text, length);
		good = take_word(wish, word.data);
		if (!good)
			say_no_format(screen, word.data);
		text += length + strspn(text + length, " ");
	}
	text_free(&word);
	if (!wish->format)
		wish->format = format_of(text_get(&wish->path));
	if (!wish->what_given)
		wish->what = range_find(screen) ? WHAT_RANGE : WHAT_SHOWN;
	return text && good;
}

/* Choose the messages to write.  Return false if there are none. */
static bool
add_places(struct screen *screen, enum what what, struct write_job *job)
{
	struct export_place ends[2];
	if (what == WHAT_RANGE && !range_places(screen, ends))
		return false;
	for (size_t i = 0; what == WHAT_RANGE && i < 2; i++)
		*vec_add(&job->places) = ends[i];
	if (what != WHAT_MARKS) {
		job->hidden = search_hidden(screen);
		return true;
	}
	job->marks = mem_new((screen->jumps->marks.count + 1) * sizeof *job->marks);
	for (size_t i = 0; i < screen->jumps->marks.count; i++) {
		const struct location *mark = &screen->jumps->marks.at[i];
		job->marks[i] =
		    (struct export_mark){mark->letter, mark->note ? mem_text(mark->note) : NULL};
		*vec_add(&job->places) = (struct export_place){
		    screen->session->traces.at[mark->trace], mark->id, &job->marks[i]};
	}
	return job->places.count;
}

/* True if all messages belong to one trace, as far as is known yet. */
static bool
is_one_trace(struct screen *screen, const struct write_job *job)
{
	const struct range *range = screen->range;
	size_t shown = 0;
	bool one = true;
	for (size_t i = 1; !job->hidden && i < job->places.count; i++)
		one &= job->places.at[i].trace == job->places.at[0].trace;
	for (size_t i = 0; job->hidden && i < screen->session->traces.count; i++)
		shown += !job->hidden[i];
	if (!job->hidden || !job->places.count)
		return one && shown < 2;
	range_find(screen);
	for (size_t i = 1; i < range->spans.count; i++)
		one &= range->spans.at[i].trace == range->spans.at[0].trace;
	return one;
}

static bool
open_file(struct screen *screen, const struct wish *wish, struct write_job *job)
{
	const char *path = text_get(&wish->path);
	const struct writer_options options = {.flags = wish->force ? WRITER_FORCE : 0,
					       .mode = 0666,
					       .hint = ":write! FILE overwrites it",
					       .is_taken = session_has_file,
					       .context = screen->session,
					       .stop = job_stop_event(&job->thread)};
	struct err err = {0};
	if (!*path)
		screen_error(screen, NOTICE_WRITE_WHERE);
	else if (writer_open(&job->writer, path, &options, &err) < 0)
		screen_error(screen, NOTICE_WRITE_REFUSED, err.what);
	return *path && !err.code;
}

/* Take the rows of the table pane, which are already counted. */
static bool
take_table(struct screen *screen, const struct wish *wish, struct write_job *job)
{
	const char *ending = strrchr(text_get(&wish->path), '.');
	const struct export_format *format = wish->format;
	if (!screen->open[PANE_TABLE]) {
		screen_error(screen, NOTICE_WRITE_NO_TABLE);
		return false;
	}
	if (format->rows == EXPORT_ROWS_ALIGNED && ending && !strcmp(ending, ".csv"))
		format = export_find("table-csv");
	job->is_table = true;
	job->rows = table_add_rows(screen, format->rows, &job->table, &job->rows_complete);
	return true;
}

/* Parse the text, find the messages and open the file.  Return false, and report why, if one of
 * these fails. */
static bool
prepare_job(struct screen *screen, const char *text, struct wish *wish, struct write_job *job)
{
	if (!read_wish(screen, text, wish))
		return false;
	if (app_of(screen)->writing)
		screen_error(screen, NOTICE_WRITE_RUNS);
	else if (wish->format->rows)
		return take_table(screen, wish, job) && open_file(screen, wish, job);
	else if (!is_of_parts(wish->format))
		screen_error(screen, NOTICE_WRITE_WHOLE, wish->format->name, wish->format->name);
	else if (!add_places(screen, wish->what, job))
		screen_error(screen, wish->what == WHAT_MARKS ? NOTICE_WRITE_NO_MARK
							      : NOTICE_WRITE_NO_RANGE);
	else if (wish->format->walk == export_raw && !is_one_trace(screen, job))
		screen_error(screen, NOTICE_WRITE_RAW_ONE);
	else
		return open_file(screen, wish, job);
	return false;
}

static const char *
name_messages(const struct screen *screen, enum what what)
{
	if (what == WHAT_SHOWN)
		return filter_is_all(screen->filter) ? "all" : "what the filters show";
	return what == WHAT_RANGE ? "the range" : "those with marks";
}

void
write_start(struct screen *screen, const struct command_call *call)
{
	struct wish wish = {0};
	struct write_job *job = mem_new(sizeof *job);
	job->session = screen->session;
	job->writer.file = -1;
	job_init(&job->thread, write_run, job);
	if (prepare_job(screen, call->text, &wish, job))
		job->path = mem_text(text_get(&wish.path));
	text_free(&wish.path);
	if (!job->path) {
		writing_free(job);
		return;
	}
	hold_traces(job, true);
	job->uncounted = job->hidden ? NULL : search_hidden(screen);
	job->filter = filter_clone(screen->filter);
	job->range = (struct export_range){.session = job->session,
					   .hidden = job->hidden,
					   .uncounted = job->uncounted,
					   .places = job->places.at,
					   .count = job->places.count,
					   .has_marks = wish.what == WHAT_MARKS,
					   .format = wish.format,
					   .filter = wish.what == WHAT_MARKS ? NULL : &job->filter,
					   .write = write_text,
					   .context = job};
	job->of = name_messages(screen, wish.what);
	app_of(screen)->writing = job;
	screen_say(screen, NOTICE_WRITING, job->path);
	write_poll(screen);
}
