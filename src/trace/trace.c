/*
 * Traces and sessions: opening captures and choosing how to decode them; see
 * trace.h.
 *
 * Which decoder it is says recognise.c.  A trace may be decoded otherwise while it is
 * open, when nobody reads it: its capture stays, decoder and index are made anew.
 * The option structs of all formats lie behind struct trace_options in one
 * block of memory whose layout is made once from the registry of decoders, so
 * that a new format adds a section to the profile by being registered.
 */
#include "config.h"

#include "trace/trace.h"
#include "base/thread.h"
#include "capture/snapshot.h"
#include "decode/coresight/opencsd.h"
#include "decode/registry.h"
#include "trace/clocks.h"
#include "trace/context.h"
#include "trace/cycles.h"
#include "trace/instant.h"
#include "trace/naming.h"
#include "trace/recognise.h"
#include "trace/serial.h"

#include <fnmatch.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_HZ_MAX 1000000000000 /* 1 THz */

enum { HEAD = 64 * 1024, STREAM_PATIENCE_MS = 200 };

#define INDEX_ENDING ".trawl-index" /* of an index beside its capture */

struct trace {
	struct session *session;
	char *name;
	char *group; /* snapshot's folder, or NULL */
	char *path;  /* as it was opened; `-` for standard input */
	struct recognition recognition;
	bool on_trial;		 /* it is read as somebody tries, not as it was recognised */
	char *const *collateral; /* further files, borrowed */
	size_t collateral_count;
	struct capture *capture;
	struct decoder *decoder;
	struct index *index;
	struct serial *serial;	       /* matches its words with a log's events, or NULL */
	struct trace_options *options; /* own, with the formats behind */
	size_t entry;		       /* of the profile, SIZE_MAX: none */
	char *matched;		       /* what `match:` was compared with */
	pthread_t loader;
	bool started; /* its index is built, its files are loaded */
	bool loading;
	atomic_uint generation;
	atomic_bool unnamed; /* see trace_lacks_name */
	pthread_mutex_t lock;
	bool loaded; /* what there is to load */
	struct text notice;
	atomic_bool stirred; /* the capture has news */
	const char *mark;    /* see trace_mark */
	bool replaced;
};

/* --- options ----------------------------------------------------------- */

#define CLOCK(...) OPTION_ROW(struct trace_clock_options, __VA_ARGS__)
static const struct option_row clock_rows[] = {
    CLOCK(hz, NUMBER, "ticks per second, where the capture does not say", .positive = true,
	  .max = CLOCK_HZ_MAX),
};
static const struct option_table clock_table =
    OPTION_TABLE("clock", struct trace_clock_options, clock_rows);

#define TRACE(...) OPTION_ROW(struct trace_options, __VA_ARGS__)
static const struct option_row trace_rows[] = {
    TRACE(match, TEXT, "shell glob on the file name without folder; the first that fits wins"),
    TRACE(file, TEXT, "the capture itself, in a session file", .path = true),
    TRACE(name, TEXT, "shown instead of the file name"),
    TRACE(format, TEXT, "format, or format/transport; found by content if absent",
	  .check = decoder_check),
    TRACE(clock, STRUCT, "the transport's clock", .table = &clock_table),
};

enum { FIXED_ROWS = sizeof trace_rows / sizeof *trace_rows, FORMATS_MAX = 32 };

/* The rows of formats tell by a bool, behind the structs, whether they were given. */
static struct option_row all_rows[FIXED_ROWS + FORMATS_MAX];
static struct option_table trace_table = {.name = "traces", .rows = all_rows};

static size_t
aligned(size_t size)
{
	return (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
}

static void
add_row(struct option_row row)
{
	if (trace_table.count < sizeof all_rows / sizeof *all_rows &&
	    !option_find(&trace_table, row.name))
		all_rows[trace_table.count++] = row;
}

/* A section for each format with options, its struct behind the others, and
 * sections for those parts of it that stand beside it. */
static void
lay_out(void)
{
	memcpy(all_rows, trace_rows, sizeof trace_rows);
	trace_table.count = FIXED_ROWS;
	trace_table.size = aligned(sizeof(struct trace_options));
	for (size_t i = 0; i < decoder_count; i++) {
		const struct option_table *own = decoders[i]->options;
		if (!own || option_find(&trace_table, decoders[i]->format))
			continue;
		add_row((struct option_row){.name = decoders[i]->format,
					    .type = OPTION_STRUCT,
					    .member = trace_table.size,
					    .table = own,
					    .help = decoders[i]->title});
		for (size_t k = 0; k < own->count; k++) {
			struct option_row part = own->rows[k];
			if (!part.beside)
				continue;
			part.member += trace_table.size;
			part.beside = false;
			add_row(part);
		}
		trace_table.size += aligned(own->size);
	}
	for (size_t i = FIXED_ROWS; i < trace_table.count; i++)
		if (all_rows[i].type == OPTION_STRUCT)
			all_rows[i].given = trace_table.size + i;
	trace_table.size += aligned(trace_table.count);
}

const struct option_table *
trace_options_table(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, lay_out);
	return &trace_table;
}

void *
trace_format_options(const struct trace_options *options, const struct decoder_ops *ops)
{
	const struct option_row *row = option_find(trace_options_table(), ops->format);
	return row && row->type == OPTION_STRUCT ? (char *)options + row->member : NULL;
}

#define MATCHES_ANY .min = -1, .max = INT64_MAX

const struct option_table *
origin_options_table(void)
{
#define ROW(...) OPTION_ROW(struct origin_options, __VA_ARGS__)
	static const struct option_row rows[] = {
	    ROW(trace, TEXT, "name of the trace it is in", .trace = true),
	    ROW(guid, TEXT, "GUID of the sender; of a CSEL stream its UUID"),
	    ROW(id, INT,
		"number of the sender: source (encap), trace ID (opencsd, ppl), logger (uia)", "-1",
		MATCHES_ANY),
	    ROW(module, INT, "module of the sender", "-1", MATCHES_ANY),
	    ROW(unit, INT, "unit of the sender", "-1", MATCHES_ANY),
	    ROW(master, INT, "STP master", "-1", MATCHES_ANY),
	    ROW(channel, INT, "STP channel", "-1", MATCHES_ANY),
	    ROW(name, TEXT, "what to call it", .required = true),
	    ROW(clock, STRUCT, "its own clock", .table = &clock_table),
	};
	static const struct option_table table =
	    OPTION_TABLE("origins", struct origin_options, rows);
	return &table;
}

#define PROFILE(...) OPTION_ROW(struct profile, __VA_ARGS__)
static struct option_row profile_rows[] = {
    PROFILE(traces, LIST, "how to read captures"),
    PROFILE(origins, LIST, "names of senders"),
    PROFILE(symbols, LIST, "programs that name the addresses in traces",
	    .table = &symbol_options_table),
    PROFILE(contexts, LIST, "what was true at an instant, by messages that say so"),
    {"sync", OPTION_LIST, offsetof(struct profile, syncs), "what relates traces to each other",
     .table = &sync_options_table},
};

static void
link_profile(void)
{
	profile_rows[0].table = trace_options_table();
	profile_rows[1].table = origin_options_table();
	profile_rows[3].table = context_options_table();
}

const struct option_table *
profile_options_table(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static const struct option_table table =
	    OPTION_TABLE("profile", struct profile, profile_rows);
	pthread_once(&once, link_profile);
	return &table;
}

/* --- choosing a decoder ------------------------------------------------ */

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

static const struct trace_options *
entry_at(const struct profile *profile, size_t i)
{
	return (void *)((char *)profile->traces.at + i * trace_options_table()->size);
}

/* The profile's entry for a capture, or SIZE_MAX. */
static size_t
find_entry(const struct profile *profile, const char *path)
{
	for (size_t i = 0; i < profile->traces.count; i++) {
		const struct trace_options *entry = entry_at(profile, i);
		if ((entry->match && !fnmatch(entry->match, base_name(path), 0)) ||
		    (entry->file && !strcmp(entry->file, path)))
			return i;
	}
	return SIZE_MAX;
}

/* --- opening ----------------------------------------------------------- */

static void
add_notice(struct trace *trace, const char *text)
{
	pthread_mutex_lock(&trace->lock);
	if (trace->notice.length)
		text_add(&trace->notice, "; ");
	text_add(&trace->notice, text);
	pthread_mutex_unlock(&trace->lock);
}

/* Held while somebody is told, so that whoever changes whom to tell can be sure
 * that the one before is left alone. */
static pthread_mutex_t notifying = PTHREAD_MUTEX_INITIALIZER;

void
session_tell(struct session *session)
{
	pthread_mutex_lock(&notifying);
	if (session->notify)
		session->notify(session->notify_context);
	pthread_mutex_unlock(&notifying);
}

static void
tell(void *session)
{
	session_tell(session);
}

static void
stir(void *context)
{
	struct trace *trace = context;
	atomic_store(&trace->stirred, true);
	session_tell(trace->session);
}

void
session_notify(struct session *session, void (*notify)(void *), void *context)
{
	pthread_mutex_lock(&notifying);
	session->notify = notify;
	session->notify_context = context;
	pthread_mutex_unlock(&notifying);
}

static void
add_collateral(struct trace_options *options, const struct decoder_ops *ops,
	       char *const *collateral, size_t count)
{
	const struct option_row *row =
	    ops->options ? option_find(ops->options, "collateral") : NULL;
	if (!row || !count)
		return;
	struct option_list *list =
	    (void *)((char *)trace_format_options(options, ops) + row->member);
	list->at = mem_resize(list->at, (list->count + count) * sizeof(char *));
	for (size_t i = 0; i < count; i++)
		((char **)list->at)[list->count++] = mem_text(collateral[i]);
}

/* The first bytes; of a stream, what comes within a moment. */
static struct window
read_head(struct capture *capture)
{
	uint64_t size = capture_size(capture);
	if (capture_is_stream(capture)) {
		capture_wait(capture, 0, -1);
		size = capture_wait(capture, HEAD - 1, STREAM_PATIENCE_MS);
	}
	capture_want(capture, 0, HEAD);
	return (struct window){.bytes = capture_bytes(capture),
			       .length = size < HEAD ? size : HEAD,
			       .until = UINT64_MAX,
			       .last = size <= HEAD && capture_ended(capture)};
}

/* Ends what depends on how the trace is decoded. */
static void
close_decoder(struct trace *trace)
{
	if (trace->loading)
		pthread_join(trace->loader, NULL);
	trace->loading = false;
	trace->started = false;
	index_free(trace->index);
	trace->index = NULL;
	if (trace->decoder)
		trace->decoder->ops->close(trace->decoder);
	trace->decoder = NULL;
	if (trace->options) {
		option_release(trace_options_table(), trace->options);
		free(trace->options);
		trace->options = NULL;
	}
	recognition_free(&trace->recognition);
}

static void
trace_free(struct trace *trace)
{
	if (!trace)
		return;
	close_decoder(trace);
	capture_close(trace->capture);
	text_free(&trace->notice);
	pthread_mutex_destroy(&trace->lock);
	free(trace->name);
	free(trace->group);
	free(trace->path);
	free(trace->matched);
	free(trace);
}

/* All that decides which messages there are, beside the bytes. */
static uint64_t
hash_settings(const struct trace *trace)
{
	const struct decoder_ops *ops = trace->decoder->ops;
	uint64_t hash = option_hash_text(decoder_name(ops), 0xcbf29ce484222325);
	hash = option_hash_text(PACKAGE_VERSION, hash);
	if (trace->decoder->about) /* the version of a library is there */
		hash = option_hash_text(trace->decoder->about, hash);
	return ops->options
		   ? option_hash(ops->options, trace_format_options(trace->options, ops), hash)
		   : hash;
}

static void
open_index(struct trace *trace)
{
	struct text cache = {0}, beside = {0};
	struct index_options options = {.notify = tell,
					.notify_context = trace->session,
					.threads = trace->session->threads,
					.settings = hash_settings(trace)};
	if (!capture_is_stream(trace->capture)) {
		struct capture_identity file;
		capture_identify(trace->capture, &file);
		text_addf(&beside, "%s" INDEX_ENDING, capture_path(trace->capture));
		text_addf(&cache, "%s/%llx-%llx-%llx.index",
			  trace->session->cache_dir ? trace->session->cache_dir : "",
			  (unsigned long long)file.device, (unsigned long long)file.inode,
			  (unsigned long long)options.settings);
		options.cache = trace->session->cache_dir ? text_get(&cache) : NULL;
		options.beside = text_get(&beside);
	}
	trace->index = index_new(trace->capture, trace->decoder, &options);
	text_free(&cache);
	text_free(&beside);
}

/* What decides how a trace is decoded. */
struct choice {
	const char *format;   /* as the user says, or NULL */
	const char *settings; /* of the format, or NULL: as they are recognised */
	const char *reason;   /* why it is that format, or NULL: as it is recognised */
};

/* Adds to what was recognised what the decoder found by itself. */
static void
note_guess(struct recognition *r, const struct decoder *decoder, const struct window *head)
{
	if (!decoder->guessed || r->score < PROBE_CERTAIN)
		return;
	r->score = decoder->guessed;
	recognition_find(r, head, decoder->ops->format);
	if (r->candidates.count)
		text_add(&r->settings, r->candidates.at[0].probe.settings);
}

/* Opens the decoder of OPTIONS, which are changed as what is recognised wants it; NULL
 * with a reason on error. */
static struct decoder *
open_decoder(const struct trace *trace, const struct choice *choice, struct trace_options *options,
	     struct recognition *r, struct err *err)
{
	struct window head = read_head(trace->capture);
	if (recognise(trace->path, choice->format, options, &head, r, err) < 0)
		return NULL;
	if (choice->settings) {
		text_clear(&r->settings);
		text_add(&r->settings, choice->settings);
	}
	if (choice->reason) {
		text_clear(&r->reason);
		text_add(&r->reason, choice->reason);
	}
	recognition_apply(text_get(&r->settings), r->ops, options, choice->settings);
	add_collateral(options, r->ops, trace->collateral, trace->collateral_count);
	struct decoder *decoder = r->ops->open(trace_format_options(options, r->ops), &head, err);
	if (decoder)
		note_guess(r, decoder, &head);
	return decoder;
}

/* What a trace is opened from. */
struct opening {
	const char *path;
	struct choice choice;
	size_t entry;		       /* of the profile they are from */
	const char *matched;	       /* what `match:` was compared with */
	const char *group;	       /* snapshot's folder, or NULL */
	struct trace_options *options; /* taken over */
	char *const *collateral;
	size_t collateral_count;
};

static struct trace *
open_trace(struct session *session, const struct opening *from, struct err *err)
{
	struct trace *trace = mem_new(sizeof *trace);
	struct capture_options capture_options = {
	    .spool_dir = session->spool_dir, .notify = stir, .notify_context = trace};
	trace->session = session;
	trace->options = from->options;
	trace->entry = from->entry;
	trace->matched = mem_text(from->matched);
	pthread_mutex_init(&trace->lock, NULL);
	trace->capture = capture_open(from->path, &capture_options, err);
	if (!trace->capture) {
		trace_free(trace);
		return NULL;
	}
	trace->name = mem_text(trace->options->name	 ? trace->options->name
			       : strcmp(from->path, "-") ? base_name(from->path)
							 : "stdin");

	trace->group = from->group ? mem_text(from->group) : NULL;
	trace->path = mem_text(from->path);
	trace->collateral = from->collateral;
	trace->collateral_count = from->collateral_count;
	trace->decoder =
	    open_decoder(trace, &from->choice, trace->options, &trace->recognition, err);
	if (!trace->decoder) {
		err_cause(err, "%s", from->path);
		trace_free(trace);
		return NULL;
	}
	open_index(trace);
	*vec_add(&session->traces) = trace;
	return trace;
}

static void
take_options(const struct profile *profile, const char *path, struct opening *from)
{
	from->options = mem_new(trace_options_table()->size);
	from->entry = find_entry(profile, path);
	from->matched = base_name(path);
	if (from->entry < SIZE_MAX)
		option_copy(trace_options_table(), from->options, entry_at(profile, from->entry));
	else
		option_defaults(trace_options_table(), from->options);
}

/* One trace for each buffer of a snapshot that can be opened; the first. */
static struct trace *
open_snapshot(struct session *session, struct opening from, struct err *err)
{
	struct snapshot *snapshot = snapshot_read(from.path, err);
	struct trace *first = NULL;
	if (!snapshot)
		return NULL;
	for (size_t i = 0; i < snapshot->buffers.count; i++) {
		const struct snapshot_buffer *buffer = &snapshot->buffers.at[i];
		struct text name = {0};
		text_addf(&name, "%s.%s", snapshot->folder, buffer->name);
		take_options(&session->profile, text_get(&name), &from);
		struct opencsd_options *own = trace_format_options(from.options, &opencsd_ops);
		if (buffer->outside && !own->outside) {
			option_release(trace_options_table(), from.options);
			free(from.options);
			text_free(&name);
			continue;
		}
		opencsd_use_snapshot(own, snapshot, buffer, &snapshot->notes);
		if (!from.options->name)
			from.options->name = mem_text(text_get(&name));
		from.path = buffer->path;
		from.choice.format = opencsd_ops.format;
		from.choice.reason = "opencsd, as the snapshot says";
		from.group = snapshot->folder;
		struct err failed = {0};
		struct trace *trace = open_trace(session, &from, &failed);
		text_free(&name);
		if (!trace)
			text_addf(&snapshot->notes, "%s\n", failed.what);
		if (!first)
			first = trace;
	}
	if (snapshot->notes.length)
		text_cut(&snapshot->notes, snapshot->notes.length - 1); /* the last line's end */
	if (!first)
		err_set(err, ERR_DATA, "%s", text_get(&snapshot->notes));
	else if (snapshot->notes.length)
		add_notice(first, text_get(&snapshot->notes));
	snapshot_free(snapshot);
	return first;
}

struct trace *
session_open(struct session *session, const char *path, const char *format, char *const *collateral,
	     size_t collateral_count, struct err *err)
{
	struct opening from = {.path = path,
			       .choice = {.format = format},
			       .collateral = collateral,
			       .collateral_count = collateral_count};
	if (!format && snapshot_is(path))
		return open_snapshot(session, from, err);
	take_options(&session->profile, path, &from);
	return open_trace(session, &from, err);
}

int
session_open_named(struct session *session, char *const *collateral, size_t collateral_count,
		   struct err *err)
{
	int opened = 0;
	for (size_t i = 0; i < session->profile.traces.count; i++) {
		const char *path = entry_at(&session->profile, i)->file;
		if (path && !session_open(session, path, NULL, collateral, collateral_count, err))
			return err->code;
		opened += path != NULL;
	}
	return opened;
}

/* --- traces that belong together --------------------------------------- */

/* The only trace of FORMAT whose name is NAME (NULL: any); NULL if there is
 * none, or more than one. */
static struct trace *
only_trace(struct session *session, const char *format, const char *name)
{
	struct trace *found = NULL;
	for (size_t i = 0; i < session->traces.count; i++) {
		struct trace *trace = session->traces.at[i];
		if (strcmp(trace->decoder->ops->format, format) != 0 ||
		    (name && strcmp(trace->name, name) != 0))
			continue;
		if (found)
			return NULL;
		found = trace;
	}
	return found;
}

static void
link_serial(struct session *session, const struct sync_options *sync)
{
	struct trace *gem = only_trace(session, "gem", sync ? sync->gem : NULL);
	struct trace *uia = only_trace(session, "uia", sync ? sync->uia : NULL);
	if (gem && uia && !gem->serial)
		gem->serial = serial_new(gem, uia, sync);
}

void
session_link(struct session *session)
{
	const struct sync_options *syncs = session->profile.syncs.at;
	for (size_t i = 0; i < session->profile.syncs.count; i++)
		if (syncs[i].kind == SYNC_SERIAL)
			link_serial(session, &syncs[i]);
	link_serial(session, NULL);
	session->clocks = clocks_new(session);
	if (!session->naming)
		session->naming = naming_new(&session->profile.symbols);
	contexts_free(session->contexts);
	session->contexts = contexts_new(session);
	if (session->contexts)
		contexts_relate(session->contexts, instant_find, NULL);
	session->cycles = cycles_new(session);
	const char *complaint = contexts_complaint(session->contexts);
	if (complaint && session->traces.count)
		add_notice(session->traces.at[0], complaint);
}

/* Takes back what session_link made, and what reads messages of several traces. */
static void
unlink_traces(struct session *session)
{
	clocks_free(session->clocks);
	session->clocks = NULL;
	contexts_free(session->contexts); /* before the traces that it reads */
	session->contexts = NULL;
	cycles_free(session->cycles);
	session->cycles = NULL;
	for (size_t i = 0; i < session->traces.count; i++) {
		struct trace *trace = session->traces.at[i];
		serial_free(trace->serial); /* before the traces that it reads */
		trace->serial = NULL;
	}
}

void
session_close(struct session *session)
{
	unlink_traces(session);
	for (size_t i = 0; i < session->traces.count; i++)
		trace_free(session->traces.at[i]);
	vec_free(&session->traces);
	naming_free(session->naming); /* after the threads that load it */
	session->naming = NULL;
	option_release(profile_options_table(), &session->profile);
}

/* --- reading it otherwise ---------------------------------------------- */

/* Decodes with CHOICE instead of what was.  0, or negative with a reason; then all is as
 * it was. */
static int
decode_anew(struct trace *trace, const struct choice *choice, struct err *err)
{
	struct session *session = trace->session;
	struct opening from = {.path = trace->path};
	struct recognition r = {0};
	take_options(&session->profile, trace->path, &from);
	struct decoder *decoder = open_decoder(trace, choice, from.options, &r, err);
	if (!decoder) {
		recognition_free(&r);
		option_release(trace_options_table(), from.options);
		free(from.options);
		return err->code;
	}
	close_decoder(trace);
	trace->options = from.options;
	trace->decoder = decoder;
	trace->recognition = r;
	open_index(trace);
	return 0;
}

int
session_try(struct session *session, struct trace *trace, const char *format, const char *settings,
	    struct err *err)
{
	const struct choice choice = {.format = format, .settings = settings};
	if (trace->group)
		return err_set(err, ERR_USAGE, "%s: the snapshot says what it is", trace->name);
	unlink_traces(session);
	int failed = decode_anew(trace, &choice, err);
	if (!failed)
		trace->on_trial = format;
	session_link(session);
	return failed;
}

int
session_open_folder(struct session *session, struct trace *trace, struct err *err)
{
	struct opening from = {.path = trace->recognition.folder,
			       .collateral = trace->collateral,
			       .collateral_count = trace->collateral_count};
	size_t number = trace_number(trace);
	unlink_traces(session);
	if (open_snapshot(session, from, err)) {
		trace_free(trace);
		session->traces.count--;
		memmove(&session->traces.at[number], &session->traces.at[number + 1],
			(session->traces.count - number) * sizeof *session->traces.at);
	}
	session_link(session);
	return err->code;
}

/* --- what is known ----------------------------------------------------- */

const char *
trace_name(const struct trace *trace)
{
	return trace->name;
}

const struct decoder *
trace_decoder(const struct trace *trace)
{
	return trace->decoder;
}

struct capture *
trace_capture(const struct trace *trace)
{
	return trace->capture;
}

struct index *
trace_index(const struct trace *trace)
{
	return trace->index;
}

struct serial *
trace_serial(const struct trace *trace)
{
	return trace->serial;
}

struct session *
trace_session(const struct trace *trace)
{
	return trace->session;
}

size_t
trace_number(const struct trace *trace)
{
	size_t i = 0;
	while (i < trace->session->traces.count && trace->session->traces.at[i] != trace)
		i++;
	return i;
}

size_t
trace_profile_entry(const struct trace *trace)
{
	return trace->entry;
}

void
session_add_notice(struct session *session, const char *text)
{
	if (session->traces.count)
		add_notice(session->traces.at[0], text);
}

const char *
trace_reason(const struct trace *trace)
{
	return text_get(&trace->recognition.reason);
}

const char *
trace_path(const struct trace *trace)
{
	return trace->path;
}

const struct recognition *
trace_recognition(const struct trace *trace)
{
	return &trace->recognition;
}

bool
trace_is_decoded(const struct trace *trace)
{
	return trace->decoder->ops != &undecoded_ops;
}

bool
trace_is_foreign(const struct trace *trace)
{
	return trace->recognition.foreign || trace->recognition.folder;
}

bool
trace_on_trial(const struct trace *trace)
{
	return trace->on_trial;
}

int
trace_guess(const struct trace *trace)
{
	const struct recognition *r = &trace->recognition;
	return !trace_is_decoded(trace) || r->plain || r->score >= PROBE_CERTAIN ? 0 : r->score;
}

bool
trace_explain_guess(const struct trace *trace, struct text *out)
{
	const struct recognition *r = &trace->recognition;
	const char *format = decoder_name(trace->decoder->ops);
	if (!trace_guess(trace))
		return false;
	text_addf(out, "%s: guessed %d %%: %s", trace->name, trace_guess(trace), format);
	if (r->candidates.count)
		text_addf(out, ", %s", r->candidates.at[0].probe.reason);
	if (!r->settings.length)
		text_addf(out, "; -f %s makes it certain", format);
	if (r->settings.length) {
		text_add(out, "; to make it certain, ");
		trace_add_profile(trace, trace->decoder->ops, text_get(&r->settings), out);
	}
	return true;
}

void
trace_add_profile(const struct trace *trace, const struct decoder_ops *ops, const char *settings,
		  struct text *out)
{
	text_addf(out, "write into %s.profile.yaml: traces: [{match: \"*\", format: %s, %s: {%s}}]",
		  strcmp(trace->path, "-") ? trace->path : "CAPTURE", decoder_name(ops),
		  ops->format, settings);
}

void
trace_list_candidates(const struct trace *trace, struct text *out)
{
	struct recognition own = {0};
	const struct recognition *r = &trace->recognition;
	const struct decoder_ops *ops = trace->decoder->ops;
	if (!r->candidates.count && ops->candidates) {
		struct window head = read_head(trace->capture);
		recognition_find(&own, &head, ops->format);
		r = &own;
	}
	for (size_t i = 0; i < r->candidates.count && !trace_is_foreign(trace); i++) {
		const struct candidate *candidate = &r->candidates.at[i];
		text_addf(out, "%-10s %3d %%  %s\n", decoder_name(candidate->ops),
			  candidate->probe.score, candidate->probe.reason);
	}
	recognition_free(&own);
}

/* The glob that fits the name and nothing else. */
static void
add_glob(const char *name, struct text *out)
{
	struct text glob = {0};
	for (; *name; name++) {
		if (strchr("*?[\\", *name))
			text_add_char(&glob, '\\');
		text_add_char(&glob, *name);
	}
	option_quote(text_get(&glob), out);
	text_free(&glob);
}

void
trace_propose(const struct trace *trace, struct text *profile)
{
	const struct decoder_ops *ops = trace->decoder->ops;
	struct window head = read_head(trace->capture);
	text_add(profile, "  - match: ");
	add_glob(trace->matched, profile);
	if (trace_is_decoded(trace))
		text_addf(profile, "\n    format: %s\n", decoder_name(ops));
	else
		text_add(profile, "\n    # format: not recognised; see trawl --list-formats\n");
	if (trace->entry < SIZE_MAX)
		text_add(profile, "    # settings of a profile are in force; they stay there\n");
	else if (ops->propose)
		ops->propose(&head, profile);
}

struct trace_clock
trace_clock(const struct trace *trace)
{
	double told = trace->options->clock.hz;
	return (struct trace_clock){.hz = told > 0 ? told : trace->decoder->hz,
				    .has_epoch = trace->decoder->unix_epoch};
}

const struct trace_options *
trace_options(const struct trace *trace)
{
	return trace->options;
}

const char *
trace_group(const struct trace *trace)
{
	return trace->group;
}

unsigned
trace_generation(const struct trace *trace)
{
	const struct clocks *clocks = trace->session->clocks;
	return atomic_load(&trace->generation) +
	       (trace->serial ? serial_generation(trace->serial) : 0) +
	       (clocks ? clocks_generation(clocks) : 0);
}

void
trace_build(struct trace *trace)
{
	struct index_progress progress;
	index_get_progress(trace->index, &progress);
	if (!progress.complete)
		index_build(trace->index);
}

uint64_t
trace_count(const struct trace *trace, bool *exact)
{
	struct index_progress progress;
	index_get_progress(trace->index, &progress);
	*exact = progress.complete && progress.checked;
	if (progress.complete || !progress.bytes)
		return progress.messages;
	double per_byte = (double)progress.messages / (double)progress.bytes;
	return (uint64_t)((double)progress.size * per_byte);
}

/* --- background -------------------------------------------------------- */

/* Whoever comes first opens the files; the others wait for it. */
static int
load_names(struct trace *trace, struct err *err)
{
	static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
	struct naming *naming = trace->session->naming;
	if (!naming_applies(naming, trace->name))
		return 0;
	struct err own = {0};
	pthread_mutex_lock(&loading);
	naming_load(naming, &own);
	pthread_mutex_unlock(&loading);
	if (own.code && !err->code)
		*err = own;
	return 1;
}

bool
trace_survey(struct trace *trace, struct text *about, struct text *lacks)
{
	const struct decoder_ops *ops = trace->decoder->ops;
	if (!ops->survey || capture_is_stream(trace->capture))
		return false;
	struct window head = read_head(trace->capture);
	ops->survey(trace->decoder, &head, about, lacks);
	return true;
}

/* Tells what is missing to read a capture well. */
static void
say_lacks(struct trace *trace)
{
	struct text about = {0}, lacks = {0}, all = {0};
	if (trace_survey(trace, &about, &lacks) && lacks.length) {
		text_addf(&all, "%s: %s", trace->name, lacks.data);
		add_notice(trace, text_get(&all));
	}
	text_free(&about);
	text_free(&lacks);
	text_free(&all);
}

static void
say_unnamed(struct trace *trace)
{
	struct text notice = {0};
	text_addf(&notice,
		  "%s: no collateral for some catalog messages; add it with --collateral=FILE",
		  trace->name);
	add_notice(trace, text_get(&notice));
	text_free(&notice);
	session_tell(trace->session);
}

void
trace_lacks_name(struct trace *trace)
{
	if (atomic_load_explicit(&trace->unnamed, memory_order_relaxed))
		return;
	pthread_mutex_lock(&trace->lock);
	bool first = !atomic_exchange(&trace->unnamed, true) && trace->loaded;
	pthread_mutex_unlock(&trace->lock);
	if (first)
		say_unnamed(trace);
}

/* What was unnamed before may have a name now: it is expanded again. */
static void
end_loading(struct trace *trace, bool any)
{
	pthread_mutex_lock(&trace->lock);
	bool unnamed = !any && !trace->loaded && atomic_load(&trace->unnamed);
	trace->loaded = true;
	if (any)
		atomic_store(&trace->unnamed, false);
	pthread_mutex_unlock(&trace->lock);
	if (any)
		atomic_fetch_add(&trace->generation, 1);
	if (unnamed)
		say_unnamed(trace);
}

int
trace_load(struct trace *trace, struct err *err)
{
	const struct decoder_ops *ops = trace->decoder->ops;
	int loaded = ops->load ? ops->load(trace->decoder, err) : 0;
	loaded += load_names(trace, err);
	say_lacks(trace);
	end_loading(trace, loaded > 0);
	return loaded;
}

static void *
load(void *context)
{
	struct trace *trace = context;
	struct err err = {0};
	int loaded = trace_load(trace, &err);
	if (err.code)
		add_notice(trace, err.what);
	if (loaded || err.code || trace->decoder->ops->survey)
		session_tell(trace->session);
	return NULL;
}

int
trace_keep_index(struct trace *trace, struct err *err)
{
	struct text path = {0};
	if (capture_is_stream(trace->capture))
		return err_set(err, ERR_USAGE, "%s: there is no file to keep an index beside",
			       trace->name);
	index_build(trace->index);
	text_addf(&path, "%s" INDEX_ENDING, capture_path(trace->capture));
	int failed = index_save(trace->index, text_get(&path), 0666, err);
	text_free(&path);
	return failed;
}
static void offer(struct trace *);

void
trace_start(struct trace *trace)
{
	bool first = !trace->started;
	trace->started = true;
	if (first)
		index_start(trace->index);
	if (trace->serial)
		serial_start(trace->serial, tell, trace->session);
	if (trace->session->contexts)
		contexts_start(trace->session->contexts, tell, trace->session);
	if (first &&
	    (trace->decoder->ops->load || naming_applies(trace->session->naming, trace->name)))
		trace->loading = thread_start(&trace->loader, load, trace);
	if (capture_followed(trace->capture) == FOLLOW_NOT)
		offer(trace);
}

void
session_start(struct session *session)
{
	for (size_t i = 0; i < session->traces.count; i++)
		trace_start(session->traces.at[i]);
	if (session->clocks)
		clocks_start(session->clocks);
	cycles_start(session->cycles);
}

char *
trace_take_notice(struct trace *trace)
{
	char *notice = NULL;
	pthread_mutex_lock(&trace->lock);
	if (trace->notice.length)
		notice = mem_text(trace->notice.data);
	text_clear(&trace->notice);
	pthread_mutex_unlock(&trace->lock);
	return notice;
}

/* --- a capture that changes -------------------------------------------- */

/* What changes mean for the user: a sentence (or that of the capture about what
 * is missing), and a word for later. */
static const struct {
	const char *sentence, *mark;
	bool loss;
} changes[CAPTURE_CHANGES] = {
    [CAPTURE_SHRANK] = {"the capture became shorter; the removed part cannot be shown", "cut"},
    [CAPTURE_REWRITTEN] = {"the capture was written anew; these are its new bytes", "rewritten"},
    [CAPTURE_REPLACED] = {"another file has this name now; R reads it", "replaced"},
    [CAPTURE_GONE] = {"the file was removed; its bytes are still here", "removed"},
    [CAPTURE_UNREADABLE] = {.mark = "unreadable", .loss = true},
    [CAPTURE_BROKE] = {.mark = "broken off", .loss = true},
    [CAPTURE_OUTGREW] = {.mark = "incomplete", .loss = true},
};

static void
say_change(struct trace *trace, const char *sentence)
{
	struct text all = {0};
	if (trace->session->traces.count > 1)
		text_addf(&all, "%s: ", trace->name);
	text_add(&all, sentence);
	add_notice(trace, text_get(&all));
	text_free(&all);
	session_tell(trace->session);
}

/* Lets a file that is not followed tell of its next change. */
static void
offer(struct trace *trace)
{
	uint64_t more;
	capture_notice(trace->capture);
	if (capture_look(trace->capture, &more) != CAPTURE_SAME)
		stir(trace); /* it was faster */
}

static enum capture_change
refresh(struct trace *trace)
{
	struct index_progress progress;
	uint64_t size = capture_size(trace->capture);
	unsigned epoch = capture_epoch(trace->capture);
	enum capture_change change = capture_refresh(trace->capture);
	bool grew = capture_size(trace->capture) > size;
	index_get_progress(trace->index, &progress);
	if (capture_epoch(trace->capture) != epoch || index_is_stale(trace->index))
		index_restart(trace->index);
	else if (grew || (!progress.complete && capture_ended(trace->capture)))
		index_wake(trace->index);
	return change;
}

/* Says what changed, save that it was replaced if that RENEWS it. */
static bool
refresh_and_say(struct trace *trace, bool renews)
{
	enum capture_change change = refresh(trace);
	trace->replaced |= change == CAPTURE_REPLACED;
	if (changes[change].mark && !(change == CAPTURE_REPLACED && renews)) {
		struct text loss = {0};
		if (changes[change].loss)
			capture_describe_loss(trace->capture, &loss);
		say_change(trace,
			   changes[change].loss ? text_get(&loss) : changes[change].sentence);
		trace->mark = changes[change].mark;
		text_free(&loss);
	}
	return change != CAPTURE_SAME;
}

bool
trace_refresh(struct trace *trace)
{
	return refresh_and_say(trace, false);
}

static bool
reopen(struct trace *trace)
{
	struct err err = {0};
	if (capture_reopen(trace->capture, &err)) {
		say_change(trace, err.what);
		return false;
	}
	index_restart(trace->index);
	trace->replaced = false;
	trace->mark = "new file";
	say_change(trace, "the file was replaced; this is the new one");
	refresh_and_say(trace, true); /* what happened since */
	return true;
}

bool
trace_renew(struct trace *trace)
{
	bool any = false;
	while (trace->replaced && capture_followed(trace->capture) == FOLLOW_NAME && reopen(trace))
		any = true;
	return any;
}

void
trace_reread(struct trace *trace)
{
	if (!trace->replaced || !reopen(trace))
		trace_refresh(trace);
	if (capture_followed(trace->capture) == FOLLOW_NOT)
		offer(trace);
}

/* Says that a file that is not followed grew; anything else is taken at once. */
static bool
glance(struct trace *trace)
{
	uint64_t more;
	enum capture_change change = capture_look(trace->capture, &more);
	if (change != CAPTURE_GREW) {
		bool changed = trace_refresh(trace);
		offer(trace);
		return changed;
	}
	struct text sentence = {0};
	text_add(&sentence, "the capture grew by ");
	text_add_size(&sentence, more);
	text_add(&sentence, "; R or F reads on");
	say_change(trace, text_get(&sentence));
	text_free(&sentence);
	return false;
}

bool
trace_poll(struct trace *trace, bool renew)
{
	if (trace->serial)
		serial_wake(trace->serial);
	if (trace->session->clocks)
		clocks_wake(trace->session->clocks);
	if (trace->session->contexts)
		contexts_wake(trace->session->contexts);
	cycles_wake(trace->session->cycles);
	bool vanished = capture_damaged(trace->capture);
	if (!atomic_exchange(&trace->stirred, false) && !vanished)
		return false;
	enum capture_follow followed = capture_followed(trace->capture);
	if (!vanished && followed == FOLLOW_NOT && !capture_is_stream(trace->capture))
		return glance(trace);
	renew &= followed == FOLLOW_NAME;
	bool changed = refresh_and_say(trace, renew);
	if (renew)
		trace_renew(trace);
	return changed;
}

bool
trace_wait(struct trace *trace)
{
	while (!refresh_and_say(trace, capture_followed(trace->capture) == FOLLOW_NAME))
		if (!capture_await(trace->capture, -1))
			return false;
	return !capture_interrupted(trace->capture);
}

void
trace_follow(struct trace *trace, bool on)
{
	enum capture_follow how = trace->session->follow;
	if (how == FOLLOW_NOT)
		how = FOLLOW_NAME;
	if (on)
		capture_follow(trace->capture, how);
	else
		capture_notice(trace->capture);
	refresh_and_say(trace, on && how == FOLLOW_NAME);
	trace_renew(trace);
}

bool
trace_begins_anew(struct trace *trace, unsigned epoch)
{
	while (!capture_interrupted(trace->capture)) {
		trace_renew(trace);
		if (capture_epoch(trace->capture) != epoch)
			return true;
		if (capture_ended(trace->capture))
			return false;
		trace_wait(trace);
	}
	return false;
}

const char *
trace_mark(const struct trace *trace)
{
	return trace->mark;
}

void
session_interrupt(struct session *session)
{
	for (size_t i = 0; i < session->traces.count; i++)
		capture_interrupt(session->traces.at[i]->capture);
}
