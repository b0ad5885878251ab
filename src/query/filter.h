/*
 * A filter: which messages are wanted.  Decided per block from summaries
 * where they suffice, else per message from the fixed struct, and only at
 * last from text.
 *
 * Threads: a filter with text belongs to one thread; filter_clone for more.
 */
#ifndef TRAWL_QUERY_FILTER_H
#define TRAWL_QUERY_FILTER_H

#include "base/regex.h"
#include "trace/reader.h"

struct filter {
	uint8_t severities; /* set wanted, a bit each; 0xff = all */
	uint16_t flags;	    /* at least one of these; 0 = do not care */
	bool by_origin;	    /* only messages of one sender: */
	uint64_t origin;    /* its raw key */
	struct regex *text; /* in the message's text, type or origin; or NULL; owned */
};

/* What a filter's answer rests on. */
enum filter_basis {
	FILTER_ON_SEVERITY = 1 << 0,
	FILTER_ON_ORIGIN = 1 << 1,
	FILTER_ON_STRUCT = 1 << 2, /* the rest of struct message */
	FILTER_ON_TEXT = 1 << 3	   /* what expand makes, which trace_generation() tells apart */
};

enum filter_verdict { FILTER_NONE, FILTER_SOME, FILTER_ALL };

/* The filter that wants all. */
struct filter filter_all(void);
struct filter filter_clone(const struct filter *);
void filter_free(struct filter *);
bool filter_is_all(const struct filter *);

/* The severities at LEVEL or worse; MAX (unassigned) is wanted too unless
 * HIDE_UNASSIGNED. */
uint8_t filter_threshold(enum severity level, bool hide_unassigned);

/* What the summary of a cell says about its messages. */
enum filter_verdict filter_cell(const struct filter *, const struct index_cell *);

/* A set of enum filter_basis. */
unsigned filter_basis(const struct filter *);

/* Whether M is wanted; E is scratch for its text.  Without FILTER_ON_TEXT the
 * reader may be NULL, and of M only what the basis names is looked at. */
bool filter_match(const struct filter *, struct reader *, const struct message *m,
		  struct expansion *e);

#endif
