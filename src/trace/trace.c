/*
 * Traces: opens a capture and chooses its decoder; see trace.h.
 *
 * recognise.c finds the format. An open trace can switch to another format while no
 * reader uses it: the capture stays open, decoder and index are replaced.
 */
#include "config.h"

#include "trace/trace.h"
#include "base/generation.h"
#include "base/notice.h"
#include "base/thread.h"
#include "base/job.h"
#include "capture/foreign.h"
#include "decode/lines.h"
#include "decode/registry.h"
#include "trace/dump_guess.h"
#include "trace/naming.h"
#include "trace/recognise.h"
#include "trace/trace_options.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	HEAD = 64 * 1024,
	HEAD_LEAST = 4096,	 /* bytes; fewer at the start of a stream may mislead */
	HEAD_PAUSE_MS = 50,	 /* pause in a stream before its first bytes are examined */
	HEAD_PATIENCE_MS = 1000, /* pause before they are used as they are */
	HEAD_SAID_MS = 200,	 /* the same if the format is given */
	HEAD_MOST_MS = 3000,	 /* longest wait after the first byte */
	LIVE_PATIENCE_MS = 1000
};

struct trace {
	struct trace_host *host;
	size_t number;
	char *name;
	char *label; /* name of the file, or from the profile */
	char *group; /* see trace_group */
	char *container;
	char *path; /* as given to trace_open; `-` for standard input */
	struct recognition recognition;
	bool looks_at_dump;	 /* the byte order of a dump may still be guessed */
	uint64_t seam;		 /* possible write pointer, or 0 */
	bool dump_guessed;	 /* swap or write pointer in its options were guessed */
	bool is_early;		 /* recognised from few bytes */
	bool on_trial;		 /* decoded as the user tries, not as recognised */
	char *const *collateral; /* further files, borrowed */
	size_t collateral_count;
	struct capture *capture;
	struct decoder *decoder;
	struct index *index;
	const struct session_fields *session_fields; /* or NULL */
	struct trace_options *options;		     /* owned, followed by the options of formats */
	size_t entry;				     /* entry of the profile, SIZE_MAX: none */
	char *matched;				     /* name that `match:` was compared with */
	struct job loader;
	bool started; /* index_start was called */
	bool loading; /* its loader was started */
	struct generation generation;
	atomic_bool unnamed; /* see trace_lacks_name */
	pthread_mutex_t lock;
	bool loaded; /* all files are loaded */
	struct text notice;
	atomic_bool changed; /* the capture may have changed */
	const char *mark;    /* see trace_mark */
	uint64_t needed;     /* first byte that the remaining cells need */
	bool replaced;
};

/* --- opening ----------------------------------------------------------- */

void
trace_add_notice(struct trace *trace, const char *notice, ...)
{
	va_list args;
	va_start(args, notice);
	pthread_mutex_lock(&trace->lock);
	if (trace->notice.length)
		text_add(&trace->notice, "; ");
	text_addv(&trace->notice, notice, args);
	pthread_mutex_unlock(&trace->lock);
	va_end(args);
}

/* Held during a call of notify: after trace_host_set_notify, the old function is not called. */
static pthread_mutex_t notifying = PTHREAD_MUTEX_INITIALIZER;

void
trace_host_notify(void *context)
{
	struct trace_host *host = context;
	pthread_mutex_lock(&notifying);
	if (host->notify)
		host->notify(host->notify_context);
	pthread_mutex_unlock(&notifying);
}

void
trace_host_set_notify(struct trace_host *host, void (*notify)(void *), void *context)
{
	pthread_mutex_lock(&notifying);
	host->notify = notify;
	host->notify_context = context;
	pthread_mutex_unlock(&notifying);
}

static void
mark_changed(void *context)
{
	struct trace *trace = context;
	atomic_store(&trace->changed, true);
	trace_host_notify(trace->host);
}

/* Return the format's option for collateral, or NULL. */
static const struct option_row *
find_collateral(const struct decoder_ops *ops)
{
	return ops->options ? option_find(ops->options, "collateral") : NULL;
}

static void
add_collateral(struct trace_options *options, const struct decoder_ops *ops,
	       char *const *collateral, size_t count)
{
	const struct option_row *row = find_collateral(ops);
	if (!row || !count)
		return;
	struct option_list *list =
	    (void *)((char *)trace_format_options(options, ops) + row->member);
	list->at = mem_resize(list->at, (list->count + count) * sizeof(char *));
	for (size_t i = 0; i < count; i++)
		((char **)list->at)[list->count++] = mem_text(collateral[i]);
}

/* Return the first bytes that are present, at most HEAD. */
static struct window
read_head(struct capture *capture)
{
	uint64_t begin = capture_begin(capture); /* the kept part counts as a capture */
	uint64_t size = capture_size(capture) - begin;
	capture_want(capture, begin, HEAD);
	return (struct window){.bytes = capture_bytes(capture) + begin,
			       .length = size < HEAD ? size : HEAD,
			       .until = UINT64_MAX,
			       .last = size <= HEAD && capture_ended(capture)};
}

/* Wait for the loader. A later trace_start loads again. */
static void
end_loader(struct trace *trace)
{
	job_join(&trace->loader);
	trace->loading = false;
}

/* Free index and decoder. */
static void
close_index(struct trace *trace)
{
	end_loader(trace);
	trace->started = false;
	index_free(trace->index);
	trace->index = NULL;
	if (trace->decoder)
		trace->decoder->ops->close(trace->decoder);
	trace->decoder = NULL;
}

/* Free everything that depends on the format. */
static void
close_decoder(struct trace *trace)
{
	close_index(trace);
	trace_options_free(trace->options);
	trace->options = NULL;
	recognition_free(&trace->recognition);
}

void
trace_close(struct trace *trace)
{
	if (!trace)
		return;
	close_decoder(trace);
	job_free(&trace->loader);
	capture_close(trace->capture);
	text_free(&trace->notice);
	pthread_mutex_destroy(&trace->lock);
	free(trace->name);
	free(trace->label);
	free(trace->group);
	free(trace->container);
	free(trace->path);
	free(trace->matched);
	free(trace);
}

/* Return a hash of everything except the bytes that determines the messages. */
static uint64_t
hash_settings(const struct trace *trace)
{
	const struct decoder_ops *ops = trace->decoder->ops;
	uint64_t hash = option_hash_text(decoder_name(ops), 0xcbf29ce484222325);
	hash = option_hash_text(PACKAGE_VERSION, hash);
	if (trace->decoder->about) /* it contains the version of a library */
		hash = option_hash_text(trace->decoder->about, hash);
	return ops->options
		   ? option_hash(ops->options, trace_format_options(trace->options, ops), hash)
		   : hash;
}

static void
open_index(struct trace *trace)
{
	struct text cache = {0};
	struct index_options options = {.notify = trace_host_notify,
					.cell_shift = trace->host->cell_shift,
					.notify_context = trace->host,
					.threads = trace->host->threads,
					.settings = hash_settings(trace)};
	if (!capture_is_spooled(trace->capture) && trace->host->cache_dir) {
		struct capture_identity file;
		capture_identify(trace->capture, &file);
		text_addf(&cache, "%s/%llx-%llx.index", trace->host->cache_dir,
			  (unsigned long long)file.inode, (unsigned long long)options.settings);
		options.cache = text_get(&cache);
	}
	trace->index = index_new(trace->capture, trace->decoder, &options);
	text_free(&cache);
}

/* Add the settings that the decoder guessed on opening. */
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

/* Add that few bytes were present, which makes the format a guess. */
static void
note_early(struct recognition *r, const struct window *head)
{
	text_addf(&r->reason,
		  "; only %zu bytes came before a pause, and more may show another format",
		  head->length);
	if (r->score >= PROBE_CERTAIN)
		r->score = PROBE_CERTAIN - 1;
}

/* Guess whether the words of the capture need their bytes swapped; if so, set this in OPTIONS
 * and return true. Only for captures that no format matches with certainty, or that do not
 * decode as the given format. */
static bool
guess_swap(struct trace *trace, const struct trace_choice *choice, struct trace_options *options,
	   const struct recognition *r, const struct window *head)
{
	const char *said = choice->format ? choice->format : options->format;
	unsigned size = 0;
	if (options->swap || capture_is_stream(trace->capture) || r->foreign || r->folder)
		return false;
	if (r->ops == decoder_of_snapshots())
		size = dump_guess_swap_of(r->ops, trace_format_options(options, r->ops), head);
	else if (said ? !line_ends_pass(r->ops)
		      : r->ops == &undecoded_ops || r->score < PROBE_CERTAIN)
		size = dump_guess_swap(head, said);
	trace_options_set_swap(options, size);
	return size;
}

/* Guess whether the capture is a circular buffer; if so, set this in its options and return
 * true. Keep an uncertain write pointer in `seam`. */
static bool
guess_pointer(struct trace *trace)
{
	uint64_t pointer;
	struct capture_packing packing;
	struct trace_options *options = trace->options;
	if (capture_is_stream(trace->capture) || options->write_pointer >= 0 ||
	    options->wrapped == CAPTURE_NOT_WRAPPED)
		return false;
	if (capture_packing(trace->capture, &packing) && *packing.name)
		return false;
	if (capture_is_unpacking(trace->capture))
		capture_wait(trace->capture, DUMP_SEAM_MOST, -1);
	enum dump_seam seam = dump_guess_seam(trace->decoder, trace->capture, &pointer);
	if (seam == DUMP_SEAM_FOUND)
		options->write_pointer = (int64_t)pointer;
	if (seam == DUMP_SEAM_MAYBE)
		trace->seam = pointer;
	return seam == DUMP_SEAM_FOUND;
}

/* Open the decoder for OPTIONS, after changing them to fit the recognised format. Return NULL
 * with a reason on error. */
static struct decoder *
open_decoder(struct trace *trace, const struct trace_choice *choice, struct trace_options *options,
	     struct recognition *r, struct err *err)
{
	struct window head = read_head(trace->capture);
	if (recognise_capture(trace->capture, choice->format, options, &head, r, err) < 0)
		return NULL;
	trace->is_early &= head.length < HEAD_LEAST && !head.last;
	if (trace->is_early && !choice->format && !options->format)
		note_early(r, &head);
	if (trace->looks_at_dump && guess_swap(trace, choice, options, r, &head))
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

/* Name the trace. A compressed capture is named after its content, so that settings that name
 * it still apply. */
static void
name_trace(struct trace *trace, const char *path)
{
	const char *name = trace->options->name;
	if (!name)
		name = strcmp(path, "-") ? trace->matched : "stdin";
	trace->label = mem_text(name);
	if (capture_is_spooled(trace->capture) && !capture_is_stream(trace->capture))
		trace->matched[foreign_plain_length(trace->matched)] = '\0';
	trace->name = mem_text(name);
}

/* Wait for the first bytes of a live source. Report the wait if it takes long. */
static void
await_live(struct trace *trace)
{
	struct text why = {0};
	if (capture_link(trace->capture, NULL) == LINK_NONE ||
	    capture_wait(trace->capture, 0, LIVE_PATIENCE_MS))
		return;
	bool waiting = capture_link(trace->capture, &why) == LINK_WAITING;
	struct text sentence = {0};
	text_addf(&sentence, "%s: %s; waiting for the first bytes, Ctrl-C ends",
		  capture_path(trace->capture), waiting ? text_get(&why) : "connected");
	if (trace->host->report_waiting)
		trace->host->report_waiting(text_get(&sentence));
	text_free(&sentence);
	text_free(&why);
	capture_wait(trace->capture, 0, -1);
}

static void load_in_background(void *);

/* True if the given format reads lines of text. */
static bool
reads_lines(const struct trace *trace, const struct trace_choice *choice)
{
	const char *format = choice->format ? choice->format : trace->options->format;
	const struct decoder_ops *ops = format ? decoder_find(format) : NULL;
	return ops && line_ends_pass(ops);
}

/* Return how the capture was dumped, as far as its options state. */
static struct capture_dump
dump_as_said(const struct trace *trace, const struct trace_choice *choice)
{
	const struct trace_options *options = trace->options;
	return (struct capture_dump){
	    .words = !options->words && !reads_lines(trace, choice),
	    .swap = trace_options_swap(options),
	    .has_write_pointer = options->write_pointer >= 0,
	    .write_pointer = (uint64_t)options->write_pointer,
	    .wrapped = options->wrapped,
	};
}

/* True if more bytes of a stream will hardly show another format: there are many, or they are
 * lines of a known log. */
static bool
is_settled(const struct window *head, const char *format)
{
	struct recognition r = {0};
	recognition_find(&r, head, format);
	bool settled = r.candidates.count && r.candidates.at[0].probe.score >= PROBE_CERTAIN &&
		       (head->length >= HEAD_LEAST || line_ends_pass(r.candidates.at[0].ops));
	recognition_free(&r);
	return settled;
}

/* Wait for the bytes that show the format. A stream is read until they do, it ends, or it
 * pauses. */
static void
await_head(struct trace *trace, const char *format)
{
	struct capture *capture = trace->capture;
	if (!capture_is_spooled(capture))
		return;
	uint64_t size = capture_wait(capture, 0, -1), looked = 0;
	if (!capture_is_stream(capture)) {
		capture_wait(capture, HEAD - 1, -1);
		return;
	}
	int64_t start = thread_now_ms(), last = start, now = start;
	int patience = format ? HEAD_SAID_MS : HEAD_PATIENCE_MS;
	while (size < HEAD && !capture_ended(capture) && now - last < patience &&
	       now - start < HEAD_MOST_MS) {
		uint64_t more = capture_wait(
		    capture, size, looked < size ? HEAD_PAUSE_MS : (int)(last + patience - now));
		now = thread_now_ms();
		if (more > size) {
			last = now;
		} else if (looked < size) {
			struct window head = read_head(capture);
			looked = size;
			if (is_settled(&head, format))
				return;
		}
		size = more;
	}
	trace->is_early = size < HEAD && !capture_ended(capture);
}

/* Open capture and decoder with the present options. Return 0 without a decoder if guess_swap
 * changed the options: then open again. */
static int
open_dump(struct trace *trace, const struct trace_opening *from, struct err *err)
{
	struct capture_options options = {.spool_dir = trace->host->spool_dir,
					  .spool_limit = trace->host->spool_limit,
					  .unpack = true,
					  .dump = dump_as_said(trace, &from->choice),
					  .notify = mark_changed,
					  .notify_context = trace};
	const struct trace_part *part = from->part;
	trace->capture =
	    part ? capture_open_pieces(part->whole, part->pieces, part->count, &options, err)
		 : capture_open(trace->path, &options, err);
	if (!trace->capture)
		return err->code;
	await_live(trace);
	await_head(trace, from->choice.format ? from->choice.format : trace->options->format);
	trace->decoder =
	    open_decoder(trace, &from->choice, trace->options, &trace->recognition, err);
	bool guessed = !trace->decoder && trace_options_swap(trace->options);
	return trace->decoder || guessed ? 0 : err_cause(err, "%s", trace->path);
}

/* Open again with the guessed options. */
static int
open_dump_anew(struct trace *trace, const struct trace_opening *from, struct err *err)
{
	trace->looks_at_dump = false;
	trace->dump_guessed = true;
	if (trace->decoder)
		trace->decoder->ops->close(trace->decoder);
	recognition_free(&trace->recognition);
	capture_close(trace->capture);
	return open_dump(trace, from, err);
}

bool
trace_may_be_circular(const struct trace *trace)
{
	enum { LEAST = 1024 };
	struct capture_packing packing;
	uint64_t size = capture_size(trace->capture);
	bool is_dump = capture_packing(trace->capture, &packing) && *packing.dump;
	bool is_round = size >= LEAST && !(size & (size - 1));
	return trace->options->write_pointer < 0 &&
	       trace->options->wrapped == CAPTURE_WRAPPED_AUTO &&
	       !capture_is_stream(trace->capture) && !line_ends_pass(trace->decoder->ops) &&
	       (is_dump || is_round);
}

/* Append the guesses about a dump: the first after BETWEEN, the second after a semicolon. */
static void
add_dump_guess(const struct trace *trace, const char *between, struct text *out)
{
	const struct trace_options *options = trace->options;
	if (trace->dump_guessed && trace_options_swap(options)) {
		text_addf(out,
			  "%sit decodes only with the bytes of %u-byte words swapped; swap: no in "
			  "its profile leaves them as they are",
			  between, trace_options_swap(options));
		between = "; ";
	}
	if (trace->dump_guessed && options->write_pointer >= 0)
		text_addf(out,
			  "%sa circular buffer, as times go back at 0x%llx and its end continues "
			  "at its beginning; wrapped: no in its profile keeps the order",
			  between, (unsigned long long)options->write_pointer);
}

struct trace *
trace_open(struct trace_host *host, const struct trace_opening *from, struct err *err)
{
	struct trace *trace = mem_new(sizeof *trace);
	trace->host = host;
	trace->options = from->options;
	trace->entry = from->entry;
	pthread_mutex_init(&trace->lock, NULL);
	job_init(&trace->loader, load_in_background, trace);
	trace->matched = mem_text(from->matched);
	trace->group = from->group ? mem_text(from->group) : NULL;
	trace->container = from->container ? mem_text(from->container) : NULL;
	trace->path = mem_text(from->path);
	trace->collateral = from->collateral;
	trace->collateral_count = from->collateral_count;
	if (host->has_write_pointer)
		trace->options->write_pointer = (int64_t)host->write_pointer;
	/* each guess opens it again, first for swapped words, then for a circular buffer */
	trace->looks_at_dump = !from->part;
	int opened = open_dump(trace, from, err);
	if (!opened && !trace->decoder)
		opened = open_dump_anew(trace, from, err);
	if (!opened && !from->part && guess_pointer(trace))
		opened = open_dump_anew(trace, from, err);
	if (opened < 0) {
		trace_close(trace);
		return NULL;
	}
	name_trace(trace, from->path);
	add_dump_guess(trace, "; ", &trace->recognition.reason);
	if (trace->seam)
		trace_add_notice(trace, NOTICE_CIRCULAR, trace->name,
				 (unsigned long long)trace->seam, (unsigned long long)trace->seam);
	open_index(trace);
	return trace;
}

/* --- reading it otherwise ---------------------------------------------- */

int
trace_decode_anew(struct trace *trace, const struct trace_choice *choice,
		  struct trace_options *options, struct err *err)
{
	struct recognition r = {0};
	struct decoder *decoder = open_decoder(trace, choice, options, &r, err);
	if (!decoder) {
		if (!err->code)
			err_set(err, ERR_USAGE,
				"%s needs the bytes of %u-byte words swapped: open it with "
				"trawl -f %s",
				r.ops->format, trace_options_swap(options), r.ops->format);
		recognition_free(&r);
		trace_options_free(options);
		return err->code;
	}
	close_decoder(trace);
	trace->options = options;
	trace->decoder = decoder;
	trace->recognition = r;
	trace->on_trial = choice->format;
	open_index(trace);
	return 0;
}

int
trace_decode_again(struct trace *trace, struct err *err)
{
	const struct decoder_ops *ops = trace->decoder->ops;
	end_loader(trace);
	pthread_mutex_lock(&trace->lock);
	trace->loaded = false;
	pthread_mutex_unlock(&trace->lock);
	trace_bump_generation(trace);
	if (!trace->decoder->stamp_count)
		return 0;
	struct window head = read_head(trace->capture);
	struct decoder *decoder = ops->open(trace_format_options(trace->options, ops), &head, err);
	if (!decoder)
		return err->code;
	close_index(trace);
	trace->decoder = decoder;
	open_index(trace);
	return 0;
}

/* --- what is known ----------------------------------------------------- */

const char *
trace_name(const struct trace *trace)
{
	return trace->name;
}

bool
trace_is_among(const struct trace *trace, const char *names)
{
	size_t own = strlen(trace->name);
	if (!names)
		return true;
	for (size_t length;; names += length + 1) {
		length = strcspn(names, ",");
		if (length == own && !memcmp(names, trace->name, length))
			return true;
		if (!names[length])
			return false;
	}
}

void
trace_add_label(const struct trace *trace, struct text *out)
{
	struct capture_packing packing;
	text_add(out, trace->label);
	if (!capture_packing(trace->capture, &packing))
		return;
	const char *guessed = trace->dump_guessed ? ": guessed" : "";
	bool swap = trace->dump_guessed && !packing.order;
	if (*packing.name || *packing.dump)
		text_addf(out, " (%s%s%s%s)", packing.name,
			  *packing.name && *packing.dump ? ", " : "", packing.dump,
			  swap ? guessed : "");
	if (packing.order)
		text_addf(out, " [%s%s]", packing.order, guessed);
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

struct trace_host *
trace_host(const struct trace *trace)
{
	return trace->host;
}

void
trace_set_session_fields(struct trace *trace, const struct session_fields *fields)
{
	trace->session_fields = fields;
}

const struct session_fields *
trace_session_fields(const struct trace *trace)
{
	return trace->session_fields;
}

void
trace_set_number(struct trace *trace, size_t number)
{
	trace->number = number;
}

size_t
trace_number(const struct trace *trace)
{
	return trace->number;
}

size_t
trace_profile_entry(const struct trace *trace)
{
	return trace->entry;
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

bool
trace_takes_collateral(const struct trace *trace)
{
	return find_collateral(trace->decoder->ops);
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

/* Append the sentence about the format and its settings. */
static void
add_format_guess(const struct trace *trace, struct text *out)
{
	const struct recognition *r = &trace->recognition;
	const char *format = decoder_name(trace->decoder->ops);
	text_addf(out, " %d %%: %s", trace_guess(trace), format);
	if (r->candidates.count)
		text_addf(out, ", %s", r->candidates.at[0].probe.reason);
	if (trace->is_early) {
		text_add(
		    out,
		    "; only the bytes before a pause were looked at: say the format with -f NAME");
		return;
	}
	if (!r->settings.length)
		text_addf(out, "; if that is right, -f %s confirms it", format);
	if (r->settings.length) {
		text_add(out, "; to make it certain, ");
		trace_add_profile(trace, trace->decoder->ops, text_get(&r->settings), out);
	}
}

bool
trace_explain_guess(const struct trace *trace, struct text *out)
{
	if (!trace_guess(trace) && !trace->dump_guessed)
		return false;
	text_addf(out, "%s: guessed", trace->name);
	if (trace_guess(trace))
		add_format_guess(trace, out);
	add_dump_guess(trace, trace_guess(trace) ? "; " : ": ", out);
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
	bool open = !trace_is_decoded(trace) || trace_guess(trace);
	if (!r->candidates.count) {
		struct window head = read_head(trace->capture);
		recognition_find(&own, &head, trace->decoder->ops->format);
		open |= own.candidates.count && *own.candidates.at[0].probe.settings;
		r = &own;
	}
	for (size_t i = 0; open && i < r->candidates.count && !trace_is_foreign(trace); i++) {
		const struct candidate *candidate = &r->candidates.at[i];
		text_addf(out, "%-10s %3d %%  %s\n", decoder_name(candidate->ops),
			  candidate->probe.score, candidate->probe.reason);
	}
	recognition_free(&own);
}

/* Append the glob that matches only this name. */
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

static const char *const common_keys[] = {"name",	   "clock",   "words", "swap",
					  "write_pointer", "wrapped", NULL};

/* Append the present settings. REASONS: settings found in the head come with them. */
static void
propose_settings(const struct trace *trace, const struct trace_options *options, bool reasons,
		 struct text *profile)
{
	const struct option_table *table = trace_options_table();
	const struct decoder_ops *ops = trace->decoder->ops;
	struct window head = read_head(trace->capture);
	const struct option_row *row = option_find(table, ops->format);
	if (!options->name) {
		text_add(profile, "    name: ");
		option_quote(trace->name, profile);
		text_add_char(profile, '\n');
	}
	for (const char *const *name = common_keys; *name; name++)
		option_write_changed(table, option_find(table, *name), options, 4, profile);
	if (reasons && trace->entry == SIZE_MAX && ops->guide && ops->guide->propose &&
	    ops->guide->propose(&head, profile))
		return;
	if (!row)
		return;
	struct option_row section = *row;
	section.given = 0; /* settings may come from elsewhere */
	option_write_changed(table, &section, options, 4, profile);
}

void
trace_propose(const struct trace *trace, const struct trace_options *options, bool reasons,
	      struct text *profile)
{
	text_addf(profile, "  - %s: ", options->file ? "file" : "match");
	if (options->file)
		option_quote(options->file, profile);
	else
		add_glob(trace->matched, profile);
	if (trace_is_decoded(trace)) {
		text_addf(profile, "\n    format: %s\n", decoder_name(trace->decoder->ops));
		propose_settings(trace, options, reasons, profile);
	} else {
		text_add(profile, "\n    # format: not recognised; see trawl --list-formats\n");
	}
}

struct trace_clock
trace_clock(const struct trace *trace)
{
	double configured = trace->options->clock.hz;
	return (struct trace_clock){.hz = configured > 0 ? configured : trace->decoder->hz,
				    .has_epoch = trace->decoder->unix_epoch,
				    .zone = trace_zone(trace)};
}

enum zone
trace_zone(const struct trace *trace)
{
	return trace->host->zone;
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

const char *
trace_container(const struct trace *trace)
{
	return trace->container;
}

unsigned
trace_generation(const struct trace *trace)
{
	return generation_now(&trace->generation);
}

uint64_t
trace_and_index_generation(const struct trace *trace)
{
	return generation_join(trace_generation(trace), index_generation(trace->index));
}

void
trace_bump_generation(struct trace *trace)
{
	generation_bump(&trace->generation);
}

void
trace_build(struct trace *trace)
{
	struct index_progress progress;
	index_get_progress(trace->index, &progress);
	if (!progress.complete)
		index_build(trace->index);
}

void
trace_build_whole(struct trace *trace)
{
	while (trace_wait(trace))
		continue;
	trace_build(trace);
}

uint64_t
trace_count(const struct trace *trace, bool *exact)
{
	struct index_progress progress;
	index_get_progress(trace->index, &progress);
	*exact = progress.complete;
	if (progress.complete || !progress.bytes)
		return progress.messages;
	double per_byte = (double)progress.messages / (double)progress.bytes;
	return (uint64_t)((double)progress.size * per_byte);
}

/* --- background -------------------------------------------------------- */

/* Load the symbol files. The first thread loads them; the others wait for it. */
static int
load_names(struct trace *trace, struct err *err)
{
	static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
	struct naming *naming = trace->host->naming;
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

static bool
name_address(void *context, uint64_t address, struct text *name)
{
	const struct trace *trace = context;
	return naming_name(trace->host->naming, trace->name, address, name);
}

bool
trace_survey(struct trace *trace, struct text *about, struct text *missing)
{
	const struct decoder_ops *ops = trace->decoder->ops;
	if (!ops->guide || !ops->guide->survey || capture_is_stream(trace->capture))
		return false;
	struct window head = read_head(trace->capture);
	const struct decoder_names names = {name_address, trace};
	ops->guide->survey(trace->decoder, &head, &names, about, missing);
	return true;
}

/* Add a notice if anything needed to read the capture well is missing. */
static void
add_missing_notice(struct trace *trace)
{
	struct text about = {0}, missing = {0};
	if (trace_survey(trace, &about, &missing) && missing.length)
		trace_add_notice(trace, NOTICE_MISSING, trace->name, missing.data);
	text_free(&about);
	text_free(&missing);
}

static void
say_unnamed(struct trace *trace)
{
	trace_add_notice(trace, NOTICE_NO_COLLATERAL, trace->name);
	trace_host_notify(trace->host);
}

void
trace_lacks_name(struct trace *trace, unsigned generation)
{
	if (atomic_load_explicit(&trace->unnamed, memory_order_relaxed))
		return;
	pthread_mutex_lock(&trace->lock);
	bool older = generation != trace_generation(trace);
	bool first = !older && !atomic_exchange(&trace->unnamed, true) && trace->loaded;
	pthread_mutex_unlock(&trace->lock);
	if (first)
		say_unnamed(trace);
}

enum trace_names
trace_names(struct trace *trace)
{
	pthread_mutex_lock(&trace->lock);
	bool loaded = trace->loaded, unnamed = atomic_load(&trace->unnamed);
	pthread_mutex_unlock(&trace->lock);
	return !loaded ? TRACE_NAMES_LOADING : unnamed ? TRACE_NAMES_LACKING : TRACE_NAMES_GOOD;
}

/* True if files may give names to messages. */
static bool
loads_names(const struct trace *trace)
{
	return trace->decoder->ops->load || naming_applies(trace->host->naming, trace->name);
}

bool
trace_awaits_names(struct trace *trace)
{
	return loads_names(trace) && trace_names(trace) == TRACE_NAMES_LOADING;
}

/* Mark loading as finished. If ANY files were loaded, messages are expanded again, as they
 * may have names now. */
static void
end_loading(struct trace *trace, bool any)
{
	if (any) /* first, so that no older expansion counts after `loaded` is set */
		trace_bump_generation(trace);
	pthread_mutex_lock(&trace->lock);
	bool unnamed = !any && !trace->loaded && atomic_load(&trace->unnamed);
	trace->loaded = true;
	if (any)
		atomic_store(&trace->unnamed, false);
	pthread_mutex_unlock(&trace->lock);
	if (unnamed)
		say_unnamed(trace);
}

int
trace_load(struct trace *trace, struct err *err)
{
	const struct decoder_ops *ops = trace->decoder->ops;
	int loaded = ops->load ? ops->load(trace->decoder, err) : 0;
	loaded += load_names(trace, err);
	add_missing_notice(trace);
	end_loading(trace, loaded > 0);
	return loaded;
}

static void
load_in_background(void *context)
{
	struct trace *trace = context;
	struct err err = {0};
	trace_load(trace, &err);
	if (err.code)
		trace_add_notice(trace, NOTICE_LOAD_FAILED, err.what);
	/* even if nothing was loaded: missing names are final only now */
	trace_host_notify(trace->host);
}

int
trace_keep_index(struct trace *trace, struct err *err)
{
	if (capture_is_stream(trace->capture))
		return err_set(err, ERR_USAGE, "%s: no index is kept of a stream", trace->name);
	if (capture_is_spooled(trace->capture))
		return err_set(err, ERR_USAGE,
			       trace->group
				   ? "%s: no index is kept of a part of a file"
				   : "%s: no index is kept of a compressed capture; decompress it "
				     "first",
			       trace->name);
	if (!trace->host->cache_dir)
		return err_set(err, ERR_USAGE, "%s: there is no cache folder for its index",
			       trace->name);
	index_build(trace->index);
	return index_save(trace->index, err);
}

bool
trace_is_of_decoder(const struct trace *trace)
{
	return !naming_applies(trace->host->naming, trace->name) && !trace->session_fields;
}

/* --- in the background ------------------------------------------------- */

static void arm_notice(struct trace *);

void
trace_start(struct trace *trace)
{
	if (!trace->started)
		index_start(trace->index);
	trace->started = true;
	if (!trace->loading && loads_names(trace))
		job_start_once(&trace->loader);
	trace->loading = true;
	if (capture_followed(trace->capture) == FOLLOW_NOT)
		arm_notice(trace);
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

/* Append the state of the connection to a live source. */
static void
describe_link(const struct capture *capture, struct text *out)
{
	struct text why = {0};
	text_add(out, capture_path(capture));
	if (capture_link(capture, &why) == LINK_WAITING)
		text_addf(out, NOTICE_LINK_WAITING, text_get(&why));
	else
		text_add(out, NOTICE_LINK_CONNECTED);
	text_free(&why);
}

/* For each change: a sentence for the user (or the capture's own), and a word for later. */
static const struct {
	const char *sentence, *mark;
	void (*describe)(const struct capture *, struct text *); /* appends the sentence */
} changes[CAPTURE_CHANGES] = {
    [CAPTURE_SHRANK] = {NOTICE_CAPTURE_SHRANK, "cut"},
    [CAPTURE_REWRITTEN] = {NOTICE_CAPTURE_REWRITTEN, "rewritten"},
    [CAPTURE_REPLACED] = {NOTICE_CAPTURE_REPLACED, "replaced"},
    [CAPTURE_GONE] = {NOTICE_CAPTURE_GONE, "removed"},
    [CAPTURE_UNREADABLE] = {.mark = "unreadable", .describe = capture_describe_loss},
    [CAPTURE_BROKE] = {.mark = "broken off", .describe = capture_describe_loss},
    [CAPTURE_LINK] = {.describe = describe_link},
    [CAPTURE_OUTGREW] = {.mark = "incomplete", .describe = capture_describe_loss},
};

static void
say_change(struct trace *trace, const char *sentence)
{
	if (trace->host->several)
		trace_add_notice(trace, NOTICE_CAPTURE_OF, trace->name, sentence);
	else
		trace_add_notice(trace, NOTICE_CAPTURE, sentence);
	trace_host_notify(trace->host);
}

/* Request a notification of the next change to a file that is not followed. */
static void
arm_notice(struct trace *trace)
{
	uint64_t more;
	capture_notice(trace->capture);
	if (capture_look(trace->capture, &more) != CAPTURE_SAME)
		mark_changed(trace); /* it changed before the request */
}

static void
say_dropping(struct trace *trace)
{
	struct text sentence = {0};
	text_add(&sentence,
		 "the oldest bytes are dropped from now on: --spool-limit keeps the newest ");
	text_add_size(&sentence, capture_limit(trace->capture));
	say_change(trace, text_get(&sentence));
	text_free(&sentence);
}

/* Drop the due bytes that are indexed, so that the stream can continue. Return true if any
 * were dropped. */
static bool
drop_due(struct trace *trace)
{
	uint64_t due = capture_due(trace->capture);
	bool first = !trace_dropped(trace);
	uint64_t needed = due ? index_drop(trace->index, due) : 0;
	if (needed)
		trace->needed = needed;
	if (due) /* a recording may have prevented it before */
		capture_drop(trace->capture, trace->needed);
	if (needed && first && trace->started) /* batch output reports this in a message */
		say_dropping(trace);
	return needed > 0;
}

/* Build the index so that due bytes can be dropped. For batch output, which has no workers. */
static void
index_due(struct trace *trace)
{
	if (!trace->started && capture_due(trace->capture))
		index_build(trace->index);
}

uint64_t
trace_dropped(const struct trace *trace)
{
	return index_begin(trace->index) * index_cell_size(trace->index);
}

bool
trace_has_dropped(const struct trace *trace, uint64_t offset)
{
	uint64_t dropped = trace_dropped(trace);
	return dropped && offset < dropped - 1; /* offset of the message about the drop */
}

static enum capture_change
refresh_capture(struct trace *trace)
{
	struct index_progress progress;
	uint64_t size = capture_size(trace->capture);
	unsigned before = capture_generation(trace->capture);
	enum capture_change change = capture_refresh(trace->capture);
	bool grew = capture_size(trace->capture) > size;
	index_get_progress(trace->index, &progress);
	if (capture_generation(trace->capture) != before || index_is_stale(trace->index))
		index_restart(trace->index);
	else if (grew || (!progress.complete && capture_ended(trace->capture)))
		index_wake(trace->index);
	return drop_due(trace) && change == CAPTURE_SAME ? CAPTURE_DROPPED : change;
}

/* Refresh the capture and add a notice of the change. Skip the notice of a replacement if the
 * caller switches to the new file. */
static bool
refresh_and_say(struct trace *trace, bool renews)
{
	enum capture_change change = refresh_capture(trace);
	trace->replaced |= change == CAPTURE_REPLACED;
	bool said = changes[change].sentence || changes[change].describe;
	if (said && !(change == CAPTURE_REPLACED && renews)) {
		struct text sentence = {0};
		if (changes[change].describe)
			changes[change].describe(trace->capture, &sentence);
		else
			text_add(&sentence, changes[change].sentence);
		say_change(trace, text_get(&sentence));
		if (changes[change].mark)
			trace->mark = changes[change].mark;
		text_free(&sentence);
	}
	return change != CAPTURE_SAME;
}

bool
trace_refresh(struct trace *trace)
{
	return refresh_and_say(trace, false);
}

static bool
reopen_capture(struct trace *trace)
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
	refresh_and_say(trace, true); /* changes since then */
	return true;
}

/* If a file is followed by name and was replaced, switch to the new one. */
static void
trace_renew(struct trace *trace)
{
	while (trace->replaced && capture_followed(trace->capture) == FOLLOW_NAME &&
	       reopen_capture(trace))
		continue;
}

void
trace_reread(struct trace *trace)
{
	if (!trace->replaced || !reopen_capture(trace))
		trace_refresh(trace);
	if (capture_followed(trace->capture) == FOLLOW_NOT)
		arm_notice(trace);
}

/* Add a notice of growth for a file that is not followed. Any other change takes effect at once. */
static bool
report_growth(struct trace *trace)
{
	uint64_t more;
	enum capture_change change = capture_look(trace->capture, &more);
	if (change != CAPTURE_GREW) {
		bool changed = trace_refresh(trace);
		arm_notice(trace);
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
	bool vanished = capture_damaged(trace->capture);
	if (!atomic_exchange(&trace->changed, false) && !vanished && !capture_due(trace->capture))
		return false;
	enum capture_follow followed = capture_followed(trace->capture);
	if (!vanished && followed == FOLLOW_NOT && !capture_is_spooled(trace->capture))
		return report_growth(trace);
	renew &= followed == FOLLOW_NAME;
	bool changed = refresh_and_say(trace, renew);
	if (renew)
		trace_renew(trace);
	return changed;
}

bool
trace_wait_for(struct trace *trace, int milliseconds)
{
	index_due(trace);
	while (!refresh_and_say(trace, capture_followed(trace->capture) == FOLLOW_NAME)) {
		if (!capture_await(trace->capture, milliseconds))
			return false;
		index_due(trace);
	}
	return !capture_interrupted(trace->capture);
}

bool
trace_wait(struct trace *trace)
{
	return trace_wait_for(trace, -1);
}

void
trace_unpack(struct trace *trace)
{
	while (!capture_limit(trace->capture) && capture_is_unpacking(trace->capture) &&
	       trace_wait(trace))
		continue;
}

void
trace_follow(struct trace *trace, bool on)
{
	enum capture_follow how = trace->host->follow;
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
trace_begins_anew(struct trace *trace, unsigned generation)
{
	while (!capture_interrupted(trace->capture)) {
		trace_renew(trace);
		if (capture_generation(trace->capture) != generation)
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
