/*
 * A session: the traces that are open, and what relates them.
 *
 * It is the host of its traces and owns them.  What one trace's messages owe to another
 * (serial numbers, clocks, contexts, times by cycles) is made by session_link.
 *
 * Threads: the owner's, unless it says otherwise.
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

/* What a profile says; freed by session_close.  Zeroed: nothing. */
struct profile {
	struct option_list traces;    /* struct trace_options with their formats */
	struct option_list origins;   /* struct origin_options */
	struct option_list syncs;     /* struct sync_options */
	struct option_list symbols;   /* struct symbol_options */
	struct option_list contexts;  /* struct context_options with their `from` */
	struct option_list intervals; /* struct interval_options */
	int order;		      /* enum clocks_order; later see session_set_order */
};
const struct option_table *profile_options_table(void);

/* Zeroed: no traces.  It stays where it is while a trace is open. */
struct session {
	struct trace_host host; /* its settings may be set before the first trace */
	VEC(struct trace *) traces;
	struct profile profile;
	const char *profile_path;  /* borrowed; NULL: there is none */
	struct clocks *clocks;	   /* from session_link on; see clocks.h */
	struct contexts *contexts; /* made by session_link; NULL: none */
	struct cycles *cycles;	   /* made by session_link; NULL: none */
	struct flows *flows;	   /* made by session_link */
	struct programs *programs; /* see programs.h; NULL: not asked for */
	/* set by who makes them, and taken back by it; NULL: none */
	const struct session_intervals *intervals;
	/* for main(), after session_close(): */
	int ended_by;		     /* the signal that ends the program; 0: none */
	const struct trace *part_of; /* its snapshot is opened in its place; or NULL */
};

/* The session of a trace. */
static inline struct session *
session_of(const struct trace *trace)
{
	return (void *)((char *)trace_host(trace) - offsetof(struct session, host));
}

/* As trace_host_set_notify: NOTIFY is called when something worth a look happened. */
static inline void
session_notify(struct session *session, void (*notify)(void *), void *context)
{
	trace_host_set_notify(&session->host, notify, context);
}

/* Calls it, if there is one; from any thread. */
static inline void
session_signal(struct session *session)
{
	trace_host_notify(&session->host);
}

/*
 * Opens PATH as a trace and adds it to the session; a CoreSight snapshot as one
 * trace for each of its buffers, named FOLDER.BUFFER.  FORMAT (may be NULL)
 * overrules the profile's and what the content says.  COLLATERAL: further
 * files or folders, added to the profile's; they must outlive the session.  NULL with
 * a reason on error; that no format explains the bytes is none.
 */
struct trace *session_open(struct session *session, const char *path, const char *format,
			   char *const *collateral, size_t collateral_count, struct err *);

/* Opens all captures that the profile names by `file:`; how many, or an error. */
int session_open_named(struct session *session, char *const *collateral, size_t collateral_count,
		       struct err *);
void session_close(struct session *session);

/* Whether one of its captures is a live source. */
bool session_is_live(const struct session *);

/* After all captures are open: finds the traces that belong together, by the
 * profile's `sync:` and, where one gem and one uia trace are open, without; and
 * makes the session's clocks and what contexts and counts of cycles there are. */
void session_link(struct session *session);

/* Whether every name of LIST, with commas between, is a trace's; ERR_USAGE with the reason. */
int session_check_names(const struct session *session, const char *list, struct err *);

/* Adds what `kind: offset` of a profile adds: NAME=SECONDS, to the time of the trace of that
 * name.  Before session_link; 0, or ERR_USAGE with the reason. */
int session_add_offset(struct session *session, const char *offset, struct err *);

/* The order of messages: ORDER as it is named in a profile.  ERR_USAGE with a reason if
 * nothing is named so.  From then on, also for clocks that there are. */
int session_set_order(struct session *session, const char *order, struct err *);
const char *session_order(const struct session *session);

/* Appends a line for what does not hold of times: senders' clocks that have no strand for want
 * of room, where the order is not the transport's; and, once all clocks were looked at, messages
 * between which no length of time can be made. */
void session_describe_clocks(const struct session *, struct text *);

/* For batch output: finds all pairs of intervals (intervals.h), with all that it takes. */
void session_load_intervals(struct session *session);

/* Starts what trace_start starts, for all traces, and the threads that relate them. */
void session_start(struct session *session);

/* Has those threads look on: an index went on, or a capture grew. */
void session_wake(struct session *session);

/* Builds the indexes of all traces in this thread, each once its capture has ended. */
void session_build(struct session *session);

/* Ends all trace_wait, now and later; from any thread. */
void session_interrupt(struct session *session);

/* Appends how a user sets the rate of a clock. */
void session_add_rate_hint(const struct session *session, struct text *);

/* Return true if a capture of the session was opened from this file; a writer_options.is_taken. */
bool session_has_file(void *session, const struct stat *);

/* Add a text to the notices of the first trace. */
void session_add_notice(struct session *session, const char *text);

/*
 * Decodes a trace as FORMAT with SETTINGS (as in struct probe; NULL: as they are found),
 * or, FORMAT being NULL, as it was recognised.  No reader of the session may be in use
 * meanwhile; what session_link made is made anew, and needs session_start.  0, or negative
 * with a reason; then the trace is as it was.
 */
int session_try(struct session *session, struct trace *, const char *format, const char *settings,
		struct err *);

/*
 * Reads the programs of the session and the memory images of its decoders again, as they are
 * now; the same holds.  What goes wrong with names is reported when they are loaded.
 */
int session_read_programs(struct session *session, struct err *);

#endif
