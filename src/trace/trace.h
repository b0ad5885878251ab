/*
 * A trace: a capture with its decoder, its index, its name and its clock.
 *
 * A session is the list of traces that are open; it owns everything.
 * Messages are reached through a reader (reader.h).
 */
#ifndef TRAWL_TRACE_TRACE_H
#define TRAWL_TRACE_TRACE_H

#include "capture/capture.h"
#include "decode/decoder.h"
#include "index/index.h"

struct trace;
struct serial;
struct clocks;
struct contexts;
struct cycles;
struct naming;
struct recognition;

/* An entry of `traces:` in a profile.  The options of each format follow the
 * fixed part in memory: trace_options_table() lays them out from the registry
 * of decoders, trace_format_options() finds them. */
struct trace_options {
	char *match;  /* shell glob on the file name, or NULL */
	char *file;   /* path, in a session file */
	char *name;   /* shown instead of the file name, or NULL */
	char *format; /* as in decoder_find, or NULL: found by content */
	struct trace_clock_options {
		double hz; /* 0 = as the capture says */
	} clock;
};

/* An entry of `origins:`: a name for senders.  -1 and NULL match any. */
struct origin_options {
	char *trace;
	char *guid;
	int64_t id, module, unit, master, channel;
	char *name;
	struct trace_clock_options clock;
};

const struct option_table *trace_options_table(void);
const struct option_table *origin_options_table(void);
void *trace_format_options(const struct trace_options *, const struct decoder_ops *);

/* What a profile says; freed by session_close.  Zeroed: nothing. */
struct profile {
	struct option_list traces;   /* struct trace_options with their formats */
	struct option_list origins;  /* struct origin_options */
	struct option_list syncs;    /* struct sync_options */
	struct option_list symbols;  /* struct symbol_options */
	struct option_list contexts; /* struct context_options with their `from` */
};
const struct option_table *profile_options_table(void);

struct session {
	VEC(struct trace *) traces;
	struct profile profile;
	struct clocks *clocks;	    /* from session_link on; see clocks.h */
	struct contexts *contexts;  /* made by session_link; NULL: none */
	struct cycles *cycles;	    /* made by session_link; NULL: none */
	struct naming *naming;	    /* made by session_link; NULL: no symbols */
	const char *spool_dir;	    /* for streams; NULL = the usual place */
	const char *cache_dir;	    /* for indexes, made when needed; NULL = none are kept */
	unsigned threads;	    /* that build an index; 0 = one for each processor */
	enum capture_follow follow; /* how to follow captures; NOT: by name */
	void (*notify)(void *);	    /* see session_notify */
	void *notify_context;
};

/* From now on NOTIFY (NULL: nothing) is called, from any thread, when something
 * worth a look happened; the one before is not called any more. */
void session_notify(struct session *, void (*notify)(void *), void *context);

/* Calls it, if there is one; from any thread. */
void session_tell(struct session *);

/*
 * Opens PATH as a trace and adds it to the session; a CoreSight snapshot as one
 * trace for each of its buffers, named FOLDER.BUFFER.  FORMAT (may be NULL)
 * overrules the profile's and what the content says.  COLLATERAL: further
 * files or folders, added to the profile's; they must outlive the session.  NULL with
 * a reason on error; that no format explains the bytes is none.
 */
struct trace *session_open(struct session *, const char *path, const char *format,
			   char *const *collateral, size_t collateral_count, struct err *);

/* Opens all captures that the profile names by `file:`; how many, or an error. */
int session_open_named(struct session *, char *const *collateral, size_t collateral_count,
		       struct err *);
void session_close(struct session *);

/* After all captures are open: finds the traces that belong together, by the
 * profile's `sync:` and, where one gem and one uia trace are open, without; and
 * makes the session's clocks and what contexts and counts of cycles there are. */
void session_link(struct session *);

/* Adds to what trace_take_notice gives of the first trace. */
void session_add_notice(struct session *, const char *text);

/* Starts what trace_start starts, for all traces and for the session. */
void session_start(struct session *);

const char *trace_name(const struct trace *);
const struct decoder *trace_decoder(const struct trace *);
struct capture *trace_capture(const struct trace *);
struct index *trace_index(const struct trace *);
struct session *trace_session(const struct trace *);
size_t trace_number(const struct trace *);	   /* in its session */
struct serial *trace_serial(const struct trace *); /* of a gem trace with a log, or NULL */
const struct trace_options *trace_options(const struct trace *);

/* Which entry of the profile's `traces:` it was opened with; SIZE_MAX: none. */
size_t trace_profile_entry(const struct trace *);

/* What it was opened as a part of, a snapshot's folder; or NULL. */
const char *trace_group(const struct trace *);

/* Builds the index to its end and writes it beside the capture, where it is found
 * wherever both go.  0, or ERR_IO. */
int trace_keep_index(struct trace *, struct err *);

/* Why this decoder was chosen, for `=` and --info. */
const char *trace_reason(const struct trace *);

/* The path that it was opened by, `-` for standard input. */
const char *trace_path(const struct trace *);

/* Which formats it may have, best first (recognise.h). */
const struct recognition *trace_recognition(const struct trace *);

/* Whether a format explains the bytes, or one was said; false: there are no messages. */
bool trace_is_decoded(const struct trace *);

/* How sure the format is, and its settings, in per cent; 0: nothing of it is a guess, or
 * nothing is decoded. */
int trace_guess(const struct trace *);

/* Appends one sentence that says what was guessed, and how to make it certain; false if
 * nothing was. */
bool trace_explain_guess(const struct trace *, struct text *out);

/* Whether the bytes are known to be something else, or a part of a snapshot: trace_reason
 * says what to do, and no format would help. */
bool trace_is_foreign(const struct trace *);

/* Appends the profile that makes OPS with SETTINGS certain, and where to write it. */
void trace_add_profile(const struct trace *, const struct decoder_ops *, const char *settings,
		       struct text *out);

/* Appends a line for each candidate there is. */
void trace_list_candidates(const struct trace *, struct text *out);

/*
 * Decodes a trace as FORMAT with SETTINGS (as in struct probe; NULL: as they are found),
 * or, FORMAT being NULL, as it was recognised.  Nobody may read any trace of the session
 * meanwhile; what session_link made is made anew, and wants session_start.  0, or negative
 * with a reason; then the trace is as it was.
 */
int session_try(struct session *, struct trace *, const char *format, const char *settings,
		struct err *);
bool trace_on_trial(const struct trace *); /* since a session_try with a format */

/* Replaces a trace by those of the snapshot whose part its capture is; the same holds. */
int session_open_folder(struct session *, struct trace *, struct err *);

/* Appends an entry of `traces:` that reads such a capture as it was read. */
void trace_propose(const struct trace *, struct text *profile);

/* What the beginning of the capture holds, a line each, and what is missing to read it
 * well; false, and nothing, if the format has nothing to say of that. */
bool trace_survey(struct trace *, struct text *about, struct text *lacks);

/* Ticks per second, 0 if unknown; and nanoseconds since the Unix epoch of
 * tick 0, if `has_epoch`. */
struct trace_clock {
	double hz;
	bool has_epoch;
};
struct trace_clock trace_clock(const struct trace *);

/* Loads collateral in the background and then starts the index; the session
 * is notified.  Batch output calls trace_load to wait for the first part. */
void trace_start(struct trace *);
int trace_load(struct trace *, struct err *);

/* A message has a number that no loaded file names: that becomes a notice, once, and
 * not before the files are loaded.  From any thread; cheap after the first call. */
void trace_lacks_name(struct trace *);

/* Counts up when text may have changed (collateral came): cached text from
 * before is stale. */
unsigned trace_generation(const struct trace *);

/* Messages about the trace that a user should see once (truncation, replaced
 * file, damaged collateral); NULL when there is none.  Caller frees. */
char *trace_take_notice(struct trace *);

/* Looks at the file again and reads on where it grew; true if something
 * changed.  What is worth a sentence becomes a notice. */
bool trace_refresh(struct trace *);

/* The same where there is reason to: a stream or a followed file that may have
 * brought more, bytes that vanished while they were read.  That a file which is
 * not followed grew is only said.  RENEW: a file that is followed by name gives
 * way to another that got its name.  Cheap without a reason. */
bool trace_poll(struct trace *, bool renew);

/* Blocks until there may be more, and does trace_refresh; false once there will
 * be no more.  For threads that walk all messages. */
bool trace_wait(struct trace *);

/* Follows the capture as it grows, as the session says how, or not any more. */
void trace_follow(struct trace *, bool on);

/* Reads all anew, and instead of the old file the one that has its name now. */
void trace_reread(struct trace *);

/* Where a file that was followed by name has given it to another: takes that
 * one.  False if there is none. */
bool trace_renew(struct trace *);

/* After a reader_walk: whether there is another capture to walk, since this one
 * is not of EPOCH any more or gave its name away.  Blocks while that may come. */
bool trace_begins_anew(struct trace *, unsigned epoch);

/* What became of the file, in a word that stays true: cut, removed, ...; NULL
 * if it is as it was opened. */
const char *trace_mark(const struct trace *);

/* Ends all trace_wait, now and later; from any thread. */
void session_interrupt(struct session *);

/* Builds the index in this thread, if that has not been done. */
void trace_build(struct trace *);

/* An estimate of the number of messages: exact if the index is complete. */
uint64_t trace_count(const struct trace *, bool *exact);

#endif
