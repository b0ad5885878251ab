/*
 * What a profile says of how traces are related: entries of `sync:`.
 */
#ifndef TRAWL_SESSION_LINK_SYNC_OPTIONS_H
#define TRAWL_SESSION_LINK_SYNC_OPTIONS_H

#include "base/option.h"

/* An entry of `sync:` in a profile; -1 and NULL match any. */
enum sync_kind { SYNC_TIE, SYNC_OFFSET, SYNC_SERIAL };

/* A time by a trace's clock, or by a core's in it. */
struct sync_end {
	char *trace; /* its name */
	uint64_t ticks;
	int64_t core; /* source of the packets; -1: the clock of the trace */
};

struct sync_options {
	int kind; /* enum sync_kind */
	/* serial */
	char *gem, *uia; /* names of traces */
	int64_t logger;	 /* instance of the logger that counts the context changes */
	int64_t core;	 /* source of the packets to look at */
	/* tie: both are the same time */
	struct sync_end a, b;
	/* offset: what is added to a trace's time */
	char *trace;
	double seconds;
};
extern const struct option_table sync_options_table;

#endif
