/*
 * A trace: a capture with its decoder, its index, its name and its clock.
 *
 * The host, for example a session, opens and owns traces. Read messages through a
 * reader (reader.h).
 */
#ifndef TRAWL_TRACE_TRACE_H
#define TRAWL_TRACE_TRACE_H

#include "base/zone.h"
#include "capture/capture.h"
#include "decode/decoder.h"
#include "index/index.h"

struct trace;
struct trace_options;
struct reader;
struct option_list;
struct naming;
struct naming_judge;
struct recognition;

/* Settings and callbacks that the owner provides to its traces. Must not move until the last
 * trace is closed. */
struct trace_host {
	const char *spool_dir;	    /* for streams; NULL = the usual place */
	uint64_t spool_limit;	    /* bytes kept of each stream; 0 = all */
	unsigned cell_shift;	    /* of indexes, for tests; 0 = by size */
	const char *images_dir;	    /* folder of programs that captures name, or NULL */
	const char *cache_dir;	    /* for indexes, created when needed; NULL = do not store them */
	unsigned threads;	    /* to build an index or find matches; 0 = one per processor */
	enum capture_follow follow; /* how to follow captures; NOT: by name */
	bool has_write_pointer;	    /* of every capture, see struct capture_dump: */
	uint64_t write_pointer;
	_Atomic enum zone zone;			 /* to show times since 1970 in; any thread */
	bool several;				 /* notices begin with a trace's name */
	const struct option_list *origins;	 /* of a profile, struct origin_options */
	struct naming *naming;			 /* NULL: no symbols */
	const struct naming_judge *judge;	 /* NULL: entries with `when` are unknown */
	void (*report_waiting)(const char *why); /* called if opening takes long, or NULL */
	void (*notify)(void *);			 /* see trace_host_set_notify */
	void *notify_context;
};

/* Set the function to call, from any thread, when something changed; NULL: none. After this
 * returns, the previous one is no longer called. */
void trace_host_set_notify(struct trace_host *, void (*notify)(void *), void *context);

/* Call that function, if set; from any thread. HOST is a struct trace_host, so that a job can
 * use this as its notify. */
void trace_host_notify(void *host);

/* How to decode a trace. */
struct trace_choice {
	const char *format;   /* given by the user, or NULL */
	const char *settings; /* of the format, or NULL: as recognised */
	const char *reason;   /* why this format, or NULL: as recognised */
};

/* Pieces of a file that is already open. */
struct trace_part {
	const struct capture *whole;
	const struct capture_piece *pieces;
	size_t count;
};

/* Arguments of trace_open. */
struct trace_opening {
	const char *path;
	struct trace_choice choice;
	size_t entry;		       /* profile entry of the options; SIZE_MAX: none */
	const char *matched;	       /* name that `match:` was compared with */
	const char *group;	       /* snapshot folder, perf.data file, or NULL */
	const struct trace_part *part; /* or NULL: the whole file */
	const char *container;	       /* see trace_container, or NULL */
	struct trace_options *options; /* ownership passes, even on error */
	char *const *collateral;       /* further files; they outlive the trace */
	size_t collateral_count;
};

/* Open a trace. Return NULL with a reason on error. A capture of no known format is no error. */
struct trace *trace_open(struct trace_host *, const struct trace_opening *, struct err *);
void trace_close(struct trace *); /* NULL is fine */

/* Decode the trace with CHOICE and OPTIONS instead. Takes ownership of OPTIONS. No reader of
 * the trace may be in use. Return 0, or negative with a reason and nothing changed. */
int trace_decode_anew(struct trace *, const struct trace_choice *, struct trace_options *,
		      struct err *);

/* Forget loaded files, and reopen the decoder if it reads other files than the capture.
 * trace_start and trace_load then load again. No reader of the trace may be in use. Return 0,
 * or negative with a reason and the old decoder. */
int trace_decode_again(struct trace *, struct err *);

/* Fields of a trace's messages that depend on another trace. Each reader has its own cursor. */
struct session_fields {
	void *(*cursor_new)(void *context, struct reader *);
	void (*cursor_free)(void *cursor);
	void (*expand)(void *cursor, const struct message *, enum expand_want, struct expansion *);
	void *context;
};

/* Make readers add such fields; NULL: none. Borrowed until the next call. No reader of the
 * trace may be in use. */
void trace_set_session_fields(struct trace *, const struct session_fields *);
const struct session_fields *trace_session_fields(const struct trace *);

/* Set the number of the trace, which its host assigns. */
void trace_set_number(struct trace *, size_t number);
size_t trace_number(const struct trace *);

struct trace_host *trace_host(const struct trace *);
const char *trace_name(const struct trace *);

/* True if its name is in NAMES, separated by commas, or NAMES is NULL. */
bool trace_is_among(const struct trace *, const char *names);

/* Append the label for users: the file name, and how the file is packed. */
void trace_add_label(const struct trace *, struct text *);
const struct decoder *trace_decoder(const struct trace *);
struct capture *trace_capture(const struct trace *);
struct index *trace_index(const struct trace *);
const struct trace_options *trace_options(const struct trace *);

/* Return the index of its entry in the profile's `traces:`; SIZE_MAX: none. */
size_t trace_profile_entry(const struct trace *);

/* Return the snapshot folder or perf.data file that contains it, or NULL. */
const char *trace_group(const struct trace *);

/* Return the other contents of the perf.data file that contains it, one per line. NULL except
 * for the first trace of such a file. */
const char *trace_container(const struct trace *);

/* Build the whole index and write it to the cache folder. Return 0, ERR_USAGE or ERR_IO. */
int trace_keep_index(struct trace *, struct err *);

/* True if texts depend only on the bytes, the decoder and its files: no symbols, no other trace. */
bool trace_is_of_decoder(const struct trace *);

/* Return why this decoder was chosen, for `=` and --info. */
const char *trace_reason(const struct trace *);

/* Return the path given to trace_open; `-` for standard input. */
const char *trace_path(const struct trace *);

/* True if its format uses such files. */
bool trace_takes_collateral(const struct trace *);

/* Append a notice, an id of base/notice.h with its arguments, for trace_take_notice. From any
 * thread. */
void trace_add_notice(struct trace *, const char *notice, ...)
    __attribute__((format(printf, 2, 3)));

/* Return the possible formats, best first (recognise.h). */
const struct recognition *trace_recognition(const struct trace *);

/* True if a format was recognised or given. Otherwise there are no messages. */
bool trace_is_decoded(const struct trace *);

/* Return the confidence in format and settings, in per cent; 0 if nothing was guessed or
 * nothing is decoded. */
int trace_guess(const struct trace *);

/* Append one sentence about the guesses and how to make them certain. Return false if nothing
 * was guessed. */
bool trace_explain_guess(const struct trace *, struct text *out);

/* True if the file is no trace or only part of a snapshot. No format would help; trace_reason
 * contains advice. */
bool trace_is_foreign(const struct trace *);

/* Append the profile that makes OPS with SETTINGS certain, and its file name. */
void trace_add_profile(const struct trace *, const struct decoder_ops *, const char *settings,
		       struct text *out);

/* Append one line for each candidate, if the format or its settings are not certain. */
void trace_list_candidates(const struct trace *, struct text *out);

/* True if the user chose a format in trace_decode_anew. */
bool trace_on_trial(const struct trace *);

/* Append an entry of `traces:` that reads such a capture as this one was read. OPTIONS are those
 * of the trace, with paths for the reader. REASONS: explain settings that were found. */
void trace_propose(const struct trace *, const struct trace_options *options, bool reasons,
		   struct text *profile);

/* Append the contents of the capture's beginning to ABOUT, one per line. Append to MISSING
 * anything needed to read it well that was not found. Return false if the format has no
 * survey or the capture is a stream. */
bool trace_survey(struct trace *, struct text *about, struct text *missing);

/* True if it looks like memory: a dump in text, or the size of a buffer. False if its options
 * state whether it is circular. Times may show that. */
bool trace_may_be_circular(const struct trace *);

/* Return the zone to show and read times since 1970 in. */
enum zone trace_zone(const struct trace *);

/* Clock of a trace: ticks per second, 0 if unknown. `has_epoch`: ticks count from the Unix
 * epoch, and are shown and read in `zone`. */
struct trace_clock {
	double hz;
	bool has_epoch;
	enum zone zone;
};
struct trace_clock trace_clock(const struct trace *);

/* Start the index and load collateral, both in the background; the host is notified. Batch
 * output calls trace_load instead, which loads in the calling thread. */
void trace_start(struct trace *);
int trace_load(struct trace *, struct err *);

/* Report that a message has a number without a name in any loaded file. The first report
 * becomes a notice, once the files are loaded. GENERATION is trace_generation() before the
 * message was expanded: files loaded since then may name it. From any thread; cheap after the
 * first call. */
void trace_lacks_name(struct trace *, unsigned generation);

/* State of the names that files give to messages. From any thread. */
enum trace_names {
	TRACE_NAMES_LOADING,
	TRACE_NAMES_GOOD,   /* in every message expanded up to now */
	TRACE_NAMES_LACKING /* see trace_lacks_name */
};
enum trace_names trace_names(struct trace *);

/* True if files that give names to messages are still to be loaded. From any thread. */
bool trace_awaits_names(struct trace *);

/* Return a counter that changes when text or times may have changed, for example with new
 * collateral. Texts cached before then are stale. */
unsigned trace_generation(const struct trace *);
/* Return an epoch that also changes when indexed cells become invalid. */
uint64_t trace_and_index_generation(const struct trace *);

/* Increment that counter; from any thread. */
void trace_bump_generation(struct trace *);

/* Return notices about the trace (truncation, replaced file, damaged collateral) and clear
 * them; NULL if none. The caller frees the string. */
char *trace_take_notice(struct trace *);

/* Check the file again and read new bytes; true if something changed. Important changes
 * become notices. */
bool trace_refresh(struct trace *);

/* Refresh if there is a reason: new bytes of a stream or a followed file, or bytes that
 * vanished while they were read. A file that is not followed gets only a notice of its
 * growth. RENEW: if a file is followed by name, switch to the file that now has that name.
 * Cheap without a reason. */
bool trace_poll(struct trace *, bool renew);

/* Block until there may be more bytes, then refresh. Return false once no more can come. Only
 * for threads that walk all messages: with a spool limit, it may drop messages before the
 * newest bytes. */
bool trace_wait(struct trace *);

/* Like trace_wait, for at most MILLISECONDS (negative: no limit). Also return false if
 * nothing changed. */
bool trace_wait_for(struct trace *, int milliseconds);

/* Wait until a compressed capture is unpacked. Return at once for other captures or if only a
 * part is kept. */
void trace_unpack(struct trace *);

/* Follow the capture as it grows, in the way its host states, or stop following. */
void trace_follow(struct trace *, bool on);

/* Read new bytes, or switch to the file that now has the name of a replaced one. */
void trace_reread(struct trace *);

/* After reader_walk returns 0: true if there is a new capture to walk, because the bytes are
 * not of GENERATION or the file was replaced. Blocks while that may still happen. */
bool trace_begins_anew(struct trace *, unsigned generation);

/* Return the number of first bytes that were dropped, with their messages, to keep to
 * --spool-limit. */
uint64_t trace_dropped(const struct trace *);
/* True if the message with its ID at OFFSET was dropped. */
bool trace_has_dropped(const struct trace *, uint64_t offset);

/* Return a lasting word for the change to the file: cut, removed, ...; NULL if there was none. */
const char *trace_mark(const struct trace *);

/* Build the index in this thread, if it is not complete. */
void trace_build(struct trace *);

/* Wait for the end of the capture, then build the index in this thread. */
void trace_build_whole(struct trace *);

/* Return the number of messages: an estimate until the index is complete. */
uint64_t trace_count(const struct trace *, bool *exact);

#endif
