/*
 * A session: the open traces and everything that relates them.
 *
 * It hosts its traces and owns them. session_link() creates the parts that combine
 * messages of several traces: serial numbers, clocks, contexts, times by cycles.
 *
 * Threads: the owner's, unless a function allows others.
 */
#ifndef TRAWL_SESSION_SESSION_H
#define TRAWL_SESSION_SESSION_H

#include "base/option.h"
#include "base/vec.h"
#include "trace/trace.h"

#include <stddef.h>
#include <sys/stat.h>

struct clocks;
struct contexts;
struct cycles;
struct flows;
struct programs;
struct session_intervals;

/* A profile; session_close() frees it. Zeroed: empty. */
struct profile {
	struct option_list traces;    /* struct trace_options with their formats */
	struct option_list origins;   /* struct origin_options */
	struct option_list syncs;     /* struct sync_options */
	struct option_list symbols;   /* struct symbol_options */
	struct option_list contexts;  /* struct context_options with their `from` */
	struct option_list intervals; /* struct interval_options */
	int order;		      /* enum clocks_order; later use session_set_order() */
};
const struct option_table *profile_options_table(void);

/* Zeroed: no traces. It must not move while a trace is open. */
struct session {
	struct trace_host host; /* set its options before the first trace */
	VEC(struct trace *) traces;
	struct profile profile;
	bool utc;		   /* see session_set_utc() */
	const char *profile_path;  /* borrowed, or NULL */
	struct clocks *clocks;	   /* made by session_link(); see clocks.h */
	struct contexts *contexts; /* made by session_link(), or NULL */
	struct cycles *cycles;	   /* made by session_link(), or NULL */
	struct flows *flows;	   /* made by session_link() */
	struct programs *programs; /* see programs.h; NULL before first use */
	/* set and cleared by the code that makes the pairs; or NULL */
	const struct session_intervals *intervals;
	/* for main(), after session_close(): */
	int ended_by;		     /* signal that ends the program; 0: none */
	const struct trace *part_of; /* trace to replace by its snapshot, or NULL */
};

/* Return the session of a trace. */
static inline struct session *
session_of(const struct trace *trace)
{
	return (void *)((char *)trace_host(trace) - offsetof(struct session, host));
}

/* Set the function to call when the owner should look for changes, as trace_host_set_notify()
 * does. */
static inline void
session_notify(struct session *session, void (*notify)(void *), void *context)
{
	trace_host_set_notify(&session->host, notify, context);
}

/* Call that function, if set; from any thread. */
static inline void
session_signal(struct session *session)
{
	trace_host_notify(&session->host);
}

/*
 * Open PATH as a trace and add it to the session. A CoreSight snapshot becomes one
 * trace for each of its buffers, named FOLDER.BUFFER. FORMAT (may be NULL)
 * overrules the profile and the recognition by content. COLLATERAL lists more files
 * or folders, besides the profile's; it must outlive the session. Return the first
 * trace, or NULL with a reason on error. Bytes that fit no format are not an error.
 */
struct trace *session_open(struct session *session, const char *path, const char *format,
			   char *const *collateral, size_t collateral_count, struct err *);

/* Open all captures that the profile names by `file:`. Return their number, or an error. */
int session_open_named(struct session *session, char *const *collateral, size_t collateral_count,
		       struct err *);
void session_close(struct session *session);

/* True if one of its captures is a live source. */
bool session_is_live(const struct session *);

/* Relate the traces, after all captures are open. Pair traces by the profile's `sync:`; a single
 * gem trace and a single uia trace need no entry. Then create the session's clocks, and the
 * contexts and cycle counts if it has any. */
void session_link(struct session *session);

/* Check that every name in LIST, separated by commas, is a trace's. Return ERR_USAGE with a
 * reason otherwise. */
int session_check_names(const struct session *session, const char *list, struct err *);

/* True if no trace waits for files with names. Texts, types and origins are final then. */
bool session_is_named(const struct session *session);

/* Return the name of trace AT, for nearest_hint(). */
const char *session_next_trace(void *session, size_t at);

/* Add an offset NAME=SECONDS to the times of trace NAME, as `kind: offset` in a profile does.
 * Call it before session_link(). Return 0, or ERR_USAGE with a reason. */
int session_add_offset(struct session *session, const char *offset, struct err *);

/* Set the order of messages, by its name in a profile; existing clocks follow. Return ERR_USAGE
 * with a reason if the name is unknown. */
int session_set_order(struct session *session, const char *order, struct err *);
const char *session_order(const struct session *session);

/* Show and read times since 1970 in UTC, or in the local zone. Dates of captures that name no zone
 * are shown as written, unless another capture counts from 1970. */
void session_set_utc(struct session *session, bool utc);

/* Append a line for each limit on times. In order of time: sender clocks without a strand
 * because there are too many. After a look at all clocks: messages without a length of time
 * between them. */
void session_describe_clocks(const struct session *, struct text *);

/* Find all pairs of intervals (intervals.h) and load everything that takes, for batch output. */
void session_load_intervals(struct session *session);

/* Start the threads of all traces (trace_start) and those that relate them. */
void session_start(struct session *session);

/* Wake the threads that relate traces: an index advanced or a capture grew. */
void session_wake(struct session *session);

/* Build the indexes of all traces in this thread, each after the end of its capture. */
void session_build(struct session *session);

/* End every trace_wait(), now and later; from any thread. */
void session_interrupt(struct session *session);

/* Append a hint on how to set the rate of a clock. */
void session_add_rate_hint(const struct session *session, struct text *);

/* True if a capture of the session was opened from this file; a writer_options.is_taken. */
bool session_has_file(void *session, const struct stat *);

/* Add a text to the notices of the first trace. */
void session_add_notice(struct session *session, const char *text);

/*
 * Decode a trace as FORMAT with SETTINGS (as in struct probe; NULL: as recognised).
 * FORMAT NULL: decode it as it was recognised. No reader of the session may be in
 * use. This repeats session_link(), so call session_start() afterwards. Return 0,
 * or a negative value with a reason; the trace is then unchanged.
 */
int session_try(struct session *session, struct trace *, const char *format, const char *settings,
		struct err *);

/*
 * Read the session's programs and its decoders' memory images again. The conditions
 * of session_try() apply. Errors in symbols are reported later, when they are
 * loaded.
 */
int session_read_programs(struct session *session, struct err *);

#endif
