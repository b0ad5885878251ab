/*
 * A trace: a capture with its decoder, its index, its name and its clock.
 *
 * What opens traces, a session, is their host.  Messages are read through a reader
 * (reader.h).
 */
#ifndef TRAWL_TRACE_TRACE_H
#define TRAWL_TRACE_TRACE_H

#include "capture/capture.h"
#include "decode/decoder.h"
#include "index/index.h"

struct trace;
struct trace_options;
struct reader;
struct option_list;
struct naming;
struct recognition;

/* What traces need of their owner.  It stays where it is until the last one is closed. */
struct trace_host {
	const char *spool_dir;	/* for streams; NULL = the usual place */
	uint64_t spool_limit;	/* bytes kept of each stream; 0 = all */
	unsigned cell_shift;	/* of indexes, for tests; 0 = as the size wants it */
	const char *images_dir; /* with programs that captures name, or NULL */
	const char *cache_dir;	/* for indexes, made when needed; NULL = none are kept */
	unsigned threads; /* that build an index or look for matches; 0 = one for each processor */
	enum capture_follow follow; /* how to follow captures; NOT: by name */
	bool has_write_pointer;	    /* of every capture, see struct capture_dump: */
	uint64_t write_pointer;
	bool several;				 /* notices begin with a trace's name */
	const struct option_list *origins;	 /* of a profile, struct origin_options */
	struct naming *naming;			 /* NULL: no symbols */
	void (*report_waiting)(const char *why); /* opening takes long; NULL: not said */
	void (*notify)(void *);			 /* see trace_host_set_notify */
	void *notify_context;
};

/* From now on NOTIFY (NULL: nothing) is called, from any thread, when something
 * worth a look happened; the one before is not called any more. */
void trace_host_set_notify(struct trace_host *, void (*notify)(void *), void *context);

/* Call it, if there is one; from any thread.  HOST: struct trace_host, so that a job can have
 * this as its notify. */
void trace_host_notify(void *host);

/* What decides how a trace is decoded. */
struct trace_choice {
	const char *format;   /* as the user says, or NULL */
	const char *settings; /* of the format, or NULL: as they are recognised */
	const char *reason;   /* why it is that format, or NULL: as it is recognised */
};

/* Pieces of a file that is open already. */
struct trace_part {
	const struct capture *whole;
	const struct capture_piece *pieces;
	size_t count;
};

/* What a trace is opened from. */
struct trace_opening {
	const char *path;
	struct trace_choice choice;
	size_t entry;		       /* of the profile the options are from; SIZE_MAX: none */
	const char *matched;	       /* what `match:` was compared with */
	const char *group;	       /* snapshot's folder, perf.data, or NULL */
	const struct trace_part *part; /* or NULL: all of the file */
	const char *container;	       /* see trace_container, or NULL */
	struct trace_options *options; /* taken over, also on an error */
	char *const *collateral;       /* further files; they outlive the trace */
	size_t collateral_count;
};

/* NULL with a reason on error; that no format explains the bytes is none. */
struct trace *trace_open(struct trace_host *, const struct trace_opening *, struct err *);
void trace_close(struct trace *); /* NULL is fine */

/* Decodes it with CHOICE and OPTIONS, which are taken over, instead of what was.  No reader
 * of it may be in use meanwhile.  0, or negative with a reason; then all is as it was. */
int trace_decode_anew(struct trace *, const struct trace_choice *, struct trace_options *,
		      struct err *);

/* Opens the decoder again as it is if it reads files beside the capture, and forgets what was
 * loaded: trace_start and trace_load read it again.  The same holds of readers.  0, or
 * negative with a reason; then the decoder is as it was. */
int trace_decode_again(struct trace *, struct err *);

/* Fields of a trace's messages that follow from another trace; a cursor makes those of
 * one reader. */
struct session_fields {
	void *(*cursor_new)(void *context, struct reader *);
	void (*cursor_free)(void *cursor);
	void (*expand)(void *cursor, const struct message *, enum expand_want, struct expansion *);
	void *context;
};

/* Has readers add such fields; NULL: none.  Borrowed until another is set, while no reader
 * of the trace is in use. */
void trace_set_session_fields(struct trace *, const struct session_fields *);
const struct session_fields *trace_session_fields(const struct trace *);

/* Its number among the traces of its host, which counts them. */
void trace_set_number(struct trace *, size_t number);
size_t trace_number(const struct trace *);

struct trace_host *trace_host(const struct trace *);
const char *trace_name(const struct trace *);

/* Whether its name is one of NAMES, with commas between; NULL: any. */
bool trace_is_among(const struct trace *, const char *names);

/* Appends what people see of it: the name of its file, and how that is packed. */
void trace_add_label(const struct trace *, struct text *);
const struct decoder *trace_decoder(const struct trace *);
struct capture *trace_capture(const struct trace *);
struct index *trace_index(const struct trace *);
const struct trace_options *trace_options(const struct trace *);

/* Which entry of the profile's `traces:` it was opened with; SIZE_MAX: none. */
size_t trace_profile_entry(const struct trace *);

/* What it was opened as a part of, a snapshot's folder or a perf.data file; or NULL. */
const char *trace_group(const struct trace *);

/* What else is in the file that it is a part of, a line each, for the first trace of such a
 * file; or NULL. */
const char *trace_container(const struct trace *);

/* Builds the index to its end and writes it into the cache folder.  0, ERR_USAGE or ERR_IO. */
int trace_keep_index(struct trace *, struct err *);

/* Whether texts have no more than its decoder makes of their bytes and its files. */
bool trace_is_of_decoder(const struct trace *);

/* Why this decoder was chosen, for `=` and --info. */
const char *trace_reason(const struct trace *);

/* The path that it was opened by, `-` for standard input. */
const char *trace_path(const struct trace *);

/* The further files that it was opened with, borrowed. */
char *const *trace_collateral(const struct trace *, size_t *count);

/* Whether its format has a use for such files. */
bool trace_takes_collateral(const struct trace *);

/* Add a notice, an id of base/notice.h and its arguments, to those that trace_take_notice
 * returns.  From any thread. */
void trace_add_notice(struct trace *, const char *notice, ...)
    __attribute__((format(printf, 2, 3)));

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

/* Since a choice with a format was tried. */
bool trace_on_trial(const struct trace *);

/* Appends an entry of `traces:` that reads such a capture as it was read, with FOLDER and
 * its slash in front of relative paths. */
void trace_propose(const struct trace *, const char *folder, struct text *profile);

/* What the beginning of the capture holds, a line each, and what is missing to read it
 * well; false, and nothing, if the format has nothing to say of that. */
bool trace_survey(struct trace *, struct text *about, struct text *missing);

/* Whether it looks like memory (it was dumped in text, or has a size that buffers have),
 * and nobody says whether it is a circular buffer.  Times may show that. */
bool trace_may_be_circular(const struct trace *);

/* Ticks per second, 0 if unknown; and nanoseconds since the Unix epoch of
 * tick 0, if `has_epoch`. */
struct trace_clock {
	double hz;
	bool has_epoch;
};
struct trace_clock trace_clock(const struct trace *);

/* Loads collateral in the background and then starts the index; the host
 * is notified.  Batch output calls trace_load to wait for the first part. */
void trace_start(struct trace *);
int trace_load(struct trace *, struct err *);

/* A message has a number that no loaded file names: that becomes a notice, once, and
 * not before the files are loaded.  GENERATION is trace_generation() before it was expanded:
 * with files loaded since then it may have a name.  From any thread; cheap after the first
 * call. */
void trace_lacks_name(struct trace *, unsigned generation);

/* Whether messages have the names that files give them.  From any thread. */
enum trace_names {
	TRACE_NAMES_LOADING,
	TRACE_NAMES_GOOD,   /* as far as messages were expanded */
	TRACE_NAMES_LACKING /* see trace_lacks_name */
};
enum trace_names trace_names(struct trace *);

/* Counts up when text or times may have changed (collateral came): cached text from
 * before is stale. */
unsigned trace_generation(const struct trace *);

/* Counts it up; from any thread. */
void trace_bump_generation(struct trace *);

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
 * be no more.  For threads that walk all messages: those before are not needed any more
 * where a limit keeps the newest bytes alone. */
bool trace_wait(struct trace *);

/* The same, for MILLISECONDS at most (negative: no limit); false also if nothing changed. */
bool trace_wait_for(struct trace *, int milliseconds);

/* Waits until a compressed capture is unpacked; of others, and where it is kept in part
 * alone, for nothing. */
void trace_unpack(struct trace *);

/* Follows the capture as it grows, as its host says how, or not any more. */
void trace_follow(struct trace *, bool on);

/* Reads all anew, and instead of the old file the one that has its name now. */
void trace_reread(struct trace *);

/* After a reader_walk: whether there is another capture to walk, since this one
 * is of another GENERATION or gave its name away.  Blocks while that may come. */
bool trace_begins_anew(struct trace *, unsigned generation);

/* How many of its first bytes were dropped, with their messages, since --spool-limit left no
 * room for them. */
uint64_t trace_dropped(const struct trace *);
/* Whether the message with its ID at OFFSET went with them. */
bool trace_has_dropped(const struct trace *, uint64_t offset);

/* What became of the file, in a word that stays true: cut, removed, ...; NULL
 * if it is as it was opened. */
const char *trace_mark(const struct trace *);

/* Builds the index in this thread, if that has not been done. */
void trace_build(struct trace *);

/* The same once the capture has ended, which it waits for. */
void trace_build_whole(struct trace *);

/* An estimate of the number of messages: exact if the index is complete. */
uint64_t trace_count(const struct trace *, bool *exact);

#endif
