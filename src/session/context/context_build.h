/*
 * What is known of contexts over whole traces: private to context.c and
 * context_build.c.
 */
#ifndef TRAWL_SESSION_CONTEXT_CONTEXT_BUILD_H
#define TRAWL_SESSION_CONTEXT_CONTEXT_BUILD_H

#include "base/generation.h"
#include "base/job.h"
#include "session/context/context_walk.h"

#include <pthread.h>

struct session;

/* A name of a value, or of a range. */
struct context_value_name {
	bool is_number;
	uint64_t from, to; /* numbers; or hash of the text */
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
	struct context_trace *traces; /* one per trace of the session */
	size_t count;
	bool defined;
	struct text complaint;
	bool patient;
	size_t limit; /* of entries of a trace */
	context_relate *relate;
	void *relate_context;

	pthread_mutex_t building;   /* held while more becomes known, before the next */
	struct generation restarts; /* what was known is not any more */
	struct job job;		    /* its lock is for the traces; it tells of what is known */
	bool requested, allowed;    /* it starts when both are */
};

enum { CONTEXT_ENTRIES_MAX = 512 * 1024 }; /* of a trace: 28 MiB */

struct context_trace *context_trace_of(struct contexts *, const struct trace *);
/* How many cells can be read as they will stay. */
uint64_t context_readable_cells(const struct context_trace *);
uint64_t context_known(struct contexts *, const struct context_trace *);

/* The worker's job: walks what can be read of all traces.  CONTEXT: struct contexts. */
void context_walk_all(void *context);

/* Has what holds at the beginning of CELL be known, if it can be; from any thread, which may
 * wait for others that do the same. */
void context_build(struct contexts *, struct context_trace *, uint64_t cell);

/* Whether a cell behind FROM and before TO may change something under KEY: it does, or one
 * does that is taken together with it, or that is not known yet. */
bool context_changes_between(struct contexts *, const struct context_trace *, struct context_key,
			     uint64_t from, uint64_t to);

/* Sets one of the flags that let the worker start. */
void context_let_run(struct contexts *, bool *flag);

/* Puts the walker at the beginning of CELL, with what is known there; false if
 * that is not known. */
bool context_load(struct context_walker *, uint64_t cell);

/* The first cell of those that are taken together with CELL. */
uint64_t context_group_of(const struct context_trace *, uint64_t cell);
/* The position of the first entry whose cell is not before CELL. */
size_t context_entry_position(const struct context_lane *, uint64_t cell);

#endif
