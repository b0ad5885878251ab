/*
 * Options that relate traces: entries of `sync:` in a profile.
 */
#ifndef TRAWL_SESSION_LINK_SYNC_OPTIONS_H
#define TRAWL_SESSION_LINK_SYNC_OPTIONS_H

#include "base/option.h"

/* Kind of an entry. In an entry, -1 and NULL match any. */
enum sync_kind { SYNC_TIE, SYNC_OFFSET, SYNC_SERIAL };

/* A time by the clock of a trace or of a core in it. */
struct sync_end {
	char *trace; /* its name */
	uint64_t ticks;
	int64_t core; /* source of the packets; -1: the clock of the trace */
};

struct sync_options {
	int kind; /* enum sync_kind */
	/* for SYNC_SERIAL */
	char *gem, *uia; /* names of traces */
	int64_t logger;	 /* instance of the logger that counts the context changes */
	int64_t core;	 /* source of the packets to look at */
	/* for SYNC_TIE, two equal times */
	struct sync_end a, b;
	/* for SYNC_OFFSET, seconds to add to the times of a trace */
	char *trace;
	double seconds;
};
extern const struct option_table sync_options_table;

#endif
