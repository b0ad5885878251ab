/*
 * Contexts over whole traces: the shared state and the thread that fills it. Private to
 * the .c files of this folder.
 */
#ifndef TRAWL_SESSION_CONTEXT_CONTEXT_BUILD_H
#define TRAWL_SESSION_CONTEXT_CONTEXT_BUILD_H

#include "base/generation.h"
#include "base/job.h"
#include "session/context/context_walk.h"

#include <pthread.h>

struct session;

/* A name of a value or of a range. */
struct context_value_name {
	bool is_number;
	uint64_t from, to; /* numbers; or the hash of the text */
	const char *name;
};

struct definition {
	const char *name;
	enum context_scope per;
	VEC(struct context_value_name) names;
	VEC(const char *) applies_to;
};

struct contexts {
	struct session *session;
	VEC(struct definition) definitions;
	struct context_trace *traces; /* one for each trace of the session */
	size_t count;
	bool defined;
	struct text complaint;
	bool patient;
	size_t limit; /* of entries per trace */
	context_relate *relate;
	void *relate_context;

	pthread_mutex_t building;   /* held while a cell is added; taken before the job's lock */
	struct generation restarts; /* epoch that goes up when known cells become invalid */
	struct job job;		    /* its lock protects the traces; it notifies of new cells */
	bool requested, allowed;    /* it starts when both are true */
};

enum { CONTEXT_ENTRIES_MAX = 512 * 1024 }; /* per trace: 28 MiB */

struct context_trace *context_trace_of(struct contexts *, const struct trace *);
/* Return the number of cells with final contents. */
uint64_t context_readable_cells(const struct context_trace *);
uint64_t context_known(struct contexts *, const struct context_trace *);

/* Scan the readable cells of all traces. The worker's job; CONTEXT is a struct contexts. */
void context_walk_all(void *context);

/* Make the contexts at the beginning of CELL known, if possible. Any thread may call it; it may
 * wait for others doing the same. */
void context_build(struct contexts *, struct context_trace *, uint64_t cell);

/* True if a cell after FROM and before TO may change KEY. Such a cell changes it, is in a group
 * with one that does, or is not known yet. */
bool context_changes_between(struct contexts *, const struct context_trace *, struct context_key,
			     uint64_t from, uint64_t to);

/* Set one of the two flags that let the worker start. */
void context_let_run(struct contexts *, bool *flag);

/* Put the walker at the beginning of CELL, with the contexts known there. Return false if they
 * are unknown. */
bool context_load(struct context_walker *, uint64_t cell);

/* Return the first cell in CELL's group. */
uint64_t context_group_of(const struct context_trace *, uint64_t cell);
/* Return the position of the first entry at or after CELL. */
size_t context_entry_position(const struct context_lane *, uint64_t cell);

#endif
