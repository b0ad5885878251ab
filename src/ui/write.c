/*
 * What is written, and where: see write.h.
 *
 *	:write[!] FILE [FORMAT] [range|shown|marks]
 *
 * Raw bytes go from the first of these messages to the last, with what lies between.
 * Without more words: the range, if there is one, else what the filters show.  The
 * range stays, so that writing again writes the same; Esc drops it.
 * The format follows from the file's ending.  A thread of its own decodes and
 * writes; what was cut short does not stay behind.
 */
#include "config.h"

#include "ui/write.h"
#include "base/notice.h"
#include "base/worker.h"
#include "base/writer.h"
#include "export/export_raw.h"
#include "query/filter/filter.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/list/list.h"
#include "ui/list/range.h"
#include "ui/panes/pane_table.h"
#include "ui/prompt/path.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum what { WHAT_RANGE, WHAT_SHOWN, WHAT_MARKS, WHAT_COUNT };
const char *const write_whats[] = {"range", "shown", "marks", NULL};

struct write_job {
	struct session *session;
	size_t held; /* traces of which nothing is dropped meanwhile */
	VEC(struct export_span) spans;
	struct export_mark *marks; /* of the spans, their notes owned; or NULL */
	struct export_range range;
	bool *shown;	      /* which traces of the session are; NULL: one is written */
	struct filter filter; /* a copy */
	char *path;
	struct writer writer;
	struct text table; /* to be written instead of messages, with so many rows */
	size_t rows;
	bool rows_complete;
	struct worker worker; /* cancelled with it */
	atomic_bool done;
	const char *of;	 /* what is written, for people */
	int64_t written; /* or an error; valid once done */
	struct err err;	 /* why not */
};

/* --- the thread -------------------------------------------------------- */

static bool
write_text(void *context, struct text *text)
{
	struct write_job *job = context;
	return !worker_is_stopping(&job->worker) &&
	       export_flush(text, &job->writer, &job->err) == 0;
}

static bool
goes_on(void *context)
{
	struct write_job *job = context;
	return !worker_is_stopping(&job->worker);
}

/* The bytes of the one span there is; how many messages these are, or an error. */
static int64_t
write_raw(struct write_job *job)
{
	enum { PIECE = 256 * 1024 };
	struct export_span *span = job->spans.at;
	struct export_cut cut;
	struct text out = {0};
	if (job->range.filter &&
	    !export_cut_select(span->trace, job->range.filter, &span->first, &span->last))
		return 0;
	int failed =
	    export_cut_find(span->trace, span->first, span->last, goes_on, job, &cut, &job->err);
	const uint8_t *bytes = capture_bytes(trace_capture(span->trace));
	for (uint64_t at = cut.begin, piece; !failed && at < cut.end; at += piece) {
		piece = cut.end - at < PIECE ? cut.end - at : PIECE;
		text_add_bytes(&out, bytes + at, (size_t)piece);
		failed = write_text(job, &out) ? 0 : ERR_CANCELLED;
	}
	text_free(&out);
	return failed ? failed : (int64_t)cut.messages;
}

/* A sequence of the thread's own. */
static struct sequence *
make_sequence(struct write_job *job)
{
	struct sequence *sequence = sequence_new(job->session);
	for (size_t i = 0; i < job->session->traces.count; i++)
		sequence_show(sequence, i, job->shown[i]);
	sequence_load(sequence);
	return sequence;
}

static void
write_run(void *context)
{
	struct write_job *job = context;
	struct sequence *sequence = NULL;
	bool raw = job->range.format->raw;
	if (job->range.ordered && !raw && !worker_is_stopping(&job->worker))
		sequence = job->range.sequence = make_sequence(job);
	if (worker_is_stopping(&job->worker))
		job->written = ERR_CANCELLED;
	else if (job->rows)
		job->written = write_text(job, &job->table) ? 0 : ERR_CANCELLED;
	else
		job->written = raw ? write_raw(job) : export_range(&job->range);
	sequence_free(sequence);
	if (job->written >= 0 && writer_commit(&job->writer, &job->err) < 0)
		job->written = ERR_IO;
	writer_abandon(&job->writer);
	atomic_store(&job->done, true);
	session_signal(job->session);
}

/* What is to be written stays while it is. */
static void
hold_traces(struct write_job *job, bool on)
{
	if (on)
		job->held = job->session->traces.count;
	for (size_t i = 0; i < job->held; i++)
		capture_hold(trace_capture(job->session->traces.at[i]), on);
}

static void
job_free(struct write_job *job)
{
	if (!job)
		return;
	worker_cancel(&job->worker);
	if (!worker_is_running(&job->worker) && job->path && !atomic_load(&job->done))
		write_run(job); /* nothing but to tidy up */
	worker_stop(&job->worker);
	hold_traces(job, false);
	filter_free(&job->filter);
	for (size_t i = 0; job->marks && i < job->spans.count; i++)
		free((char *)job->marks[i].note);
	free(job->marks);
	free(job->shown);
	vec_free(&job->spans);
	writer_abandon(&job->writer);
	text_free(&job->table);
	free(job->path);
	free(job);
}

void
write_free(struct screen *screen)
{
	job_free(app_of(screen)->writing);
	app_of(screen)->writing = NULL;
}

bool
write_cancel(struct screen *screen)
{
	if (!app_of(screen)->writing)
		return false;
	worker_cancel(&app_of(screen)->writing->worker);
	write_poll(screen);
	return true;
}

/* Starts when the index has come so far that all numbers are known. */
static void
start_when_known(struct write_job *job)
{
	if (worker_is_running(&job->worker) || atomic_load(&job->done) ||
	    (!worker_is_stopping(&job->worker) && !export_range_is_known(&job->range)))
		return;
	if (!worker_start_once(&job->worker))
		write_run(job);
}

void
write_poll(struct screen *screen)
{
	struct write_job *job = app_of(screen)->writing;
	char digits[32];
	if (job)
		start_when_known(job);
	if (!job || !atomic_load(&job->done))
		return;
	if (job->written < 0 && job->err.code)
		screen_error(screen, NOTICE_WRITE_REFUSED, job->err.what);
	else if (job->written == ERR_CANCELLED)
		screen_say(screen, NOTICE_WRITE_CANCELLED, job->path);
	else if (job->written < 0)
		screen_error(screen, NOTICE_WRITE_CHANGED);
	else if (job->rows)
		screen_say(screen,
			   job->rows_complete ? NOTICE_TABLE_WRITTEN : NOTICE_TABLE_WRITTEN_SO_FAR,
			   job->rows, job->path);
	else
		screen_say(screen, NOTICE_WRITTEN, text_number(digits, (uint64_t)job->written),
			   job->written == 1 ? "" : "s", job->path, job->range.format->name,
			   job->of);
	write_free(screen);
}

/* --- what was asked for ------------------------------------------------ */

/* What the text after :write says. */
struct wish {
	struct text path;
	const struct export_format *format;
	enum what what;
	bool what_given, force;
};

/* Takes a word if it is a format or says what to write. */
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

/* Formats that need nothing but the messages: of no whole captures. */
static bool
is_of_parts(const struct export_format *format)
{
	return !format->writer && !format->counts && !format->flow;
}

static void
say_no_format(struct screen *screen, const char *word)
{
	struct text text = {0};
	text_addf(&text, NOTICE_WRITE_FORMATS, word);
	for (size_t i = 0; i < export_format_count; i++)
		if (is_of_parts(&export_formats[i]))
			text_addf(&text, " %s", export_formats[i].name);
	screen_error(screen, NOTICE_WRITE_NAME, text.data);
	text_free(&text);
}

static const struct export_format *
format_of(const char *path)
{
	const char *ending = strrchr(path, '.');
	const struct export_format *format = ending ? export_find(ending + 1) : NULL;
	return format ? format : export_find("text");
}

/* False, and said why, if it cannot be read. */
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

/* What the list shows of its traces: of the range, or all. */
static void
add_lanes(struct screen *screen, enum what what, struct write_job *job)
{
	const struct list *list = screen->list;
	for (size_t i = 0; what == WHAT_RANGE && i < screen->range->spans.count; i++)
		*vec_add(&job->spans) = screen->range->spans.at[i];
	for (size_t i = 0; what == WHAT_SHOWN && i < list->lane_count; i++)
		if (sequence_shows(list->sequence, i))
			*vec_add(&job->spans) = (struct export_span){
			    .trace = list->lanes[i].trace, .last = {UINT64_MAX, UINT32_MAX}};
	if (sequence_strand_count(list->sequence) == 1)
		return;
	size_t lane, count = screen->session->traces.count;
	job->shown = mem_new(count * sizeof *job->shown);
	for (size_t i = 0; i < count; i++)
		job->shown[i] = sequence_find_lane(list->sequence, i, &lane) &&
				sequence_shows(list->sequence, lane);
}

/* The places to write; false if there are none. */
static bool
add_spans(struct screen *screen, enum what what, struct write_job *job)
{
	if (what == WHAT_RANGE && !range_find(screen))
		return false;
	if (what != WHAT_MARKS) {
		add_lanes(screen, what, job);
		return true;
	}
	job->marks = mem_new((screen->jumps->marks.count + 1) * sizeof *job->marks);
	for (size_t i = 0; i < screen->jumps->marks.count; i++) {
		const struct location *mark = &screen->jumps->marks.at[i];
		job->marks[i] =
		    (struct export_mark){mark->letter, mark->note ? mem_text(mark->note) : NULL};
		*vec_add(&job->spans) =
		    (struct export_span){.trace = screen->session->traces.at[mark->trace],
					 .first = mark->id,
					 .last = mark->id,
					 .mark = &job->marks[i]};
	}
	return job->spans.count;
}

/* Makes one span, of one trace, of all there are; false if they are of several. */
static bool
join_spans(struct screen *screen, struct write_job *job)
{
	struct export_span *one = job->spans.at;
	for (size_t i = 1; i < job->spans.count; i++) {
		const struct export_span *span = &job->spans.at[i];
		if (span->trace != one->trace) {
			screen_error(screen, NOTICE_WRITE_RAW_ONE);
			return false;
		}
		if (message_id_compare(span->first, one->first) < 0)
			one->first = span->first;
		if (message_id_compare(span->last, one->last) > 0)
			one->last = span->last;
	}
	return true;
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
					       .stop = worker_stop_event(&job->worker)};
	struct err err = {0};
	if (!*path)
		screen_error(screen, NOTICE_WRITE_WHERE);
	else if (writer_open(&job->writer, path, &options, &err) < 0)
		screen_error(screen, NOTICE_WRITE_REFUSED, err.what);
	return *path && !err.code;
}

/* Take the rows of the table pane, which are counted already. */
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
	job->rows = table_add_rows(screen, format->rows, &job->table, &job->rows_complete);
	return true;
}

/* Reads what is wished, finds the messages and opens the file; false, and said
 * why, if that cannot be. */
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
	else if (!add_spans(screen, wish->what, job))
		screen_error(screen, wish->what == WHAT_MARKS ? NOTICE_WRITE_NO_MARK
							      : NOTICE_WRITE_NO_RANGE);
	else if (!wish->format->raw || join_spans(screen, job))
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
	worker_init(&job->worker, write_run, job);
	if (prepare_job(screen, call->text, &wish, job))
		job->path = mem_text(text_get(&wish.path));
	text_free(&wish.path);
	if (!job->path) {
		job_free(job);
		return;
	}
	hold_traces(job, true);
	job->filter = filter_clone(screen->filter);
	job->range = (struct export_range){.spans = job->spans.at,
					   .count = job->spans.count,
					   .ordered = job->shown,
					   .marks = wish.what == WHAT_MARKS,
					   .format = wish.format,
					   .filter = wish.what == WHAT_MARKS ? NULL : &job->filter,
					   .write = write_text,
					   .context = job};
	job->of = name_messages(screen, wish.what);
	app_of(screen)->writing = job;
	screen_say(screen, NOTICE_WRITING, job->path);
	write_poll(screen);
}
