/*
 * A filter decides which messages pass. It first decides whole cells from their
 * summaries. If that is not enough, it reads the fixed struct of each message. The
 * text is the last resort.
 *
 * A filter has a few cheap members that must all hold. It may also have an
 * expression in the filter language, trawl-filter(7).
 *
 * Threads: a filter with an expression belongs to one thread; use filter_clone()
 * for more. The clone shares the compiled code, so it costs one allocation and may
 * outlive the original. Free a filter before the sessions that it was used on.
 */
#ifndef TRAWL_QUERY_FILTER_H
#define TRAWL_QUERY_FILTER_H

#include "trace/reader.h"

struct filter_expr;
struct message_time;
struct session;

struct filter {
	uint16_t severities;	  /* passing severities, a bit each */
	uint16_t flags;		  /* a message needs at least one; 0 = ignore */
	bool by_origin;		  /* require ORIGIN */
	uint64_t origin;	  /* raw key */
	struct filter_expr *expr; /* or NULL; owned */
};

enum filter_verdict { FILTER_NONE, FILTER_SOME, FILTER_ALL };

/* Return the filter that every message passes. */
struct filter filter_all(void);
struct filter filter_clone(const struct filter *); /* caller frees; from any thread */
void filter_free(struct filter *);
bool filter_is_all(const struct filter *);
/* True if both filters have the same members and share one compiled expression. Two expressions
 * compiled separately count as different, even from equal texts. */
bool filter_is_same(const struct filter *, const struct filter *);
/* Like filter_is_same(), but ignore the severities. */
bool filter_is_like(const struct filter *, const struct filter *);

/* Return the severities at LEVEL or worse; SEVERITY_NONE: all. Messages without a severity pass
 * too if UNASSIGNED is set. */
uint16_t filter_threshold(enum severity level, bool unassigned);

/* Find the severities with which all messages pass, and with which none do: a bit each. */
void filter_severities(const struct filter *, uint16_t *all, uint16_t *none);

/* Judge the messages of a cell from its summary, for any trace. */
enum filter_verdict filter_cell(const struct filter *, const struct index_cell *);

/* Judge a cell of TRACE. This decides more: kinds, times, offsets, numbers, origins. Return
 * FILTER_SOME if the cell is not in the index. */
enum filter_verdict filter_judge(const struct filter *, struct trace *, uint64_t cell);

/* Like filter_judge(), but also search the bytes of the cell. Use it before decoding the cell:
 * it costs much less, about as much as reading the bytes. Return FILTER_SOME if the filter has
 * no needles. */
enum filter_verdict filter_scan(const struct filter *, struct trace *, uint64_t cell);

/* True if a term of the filter has needles. */
bool filter_has_needles(const struct filter *);
/* True if the bytes have a needle of each such term. */
bool filter_finds_needles(const struct filter *, const uint8_t *p, size_t length);

/* True if M passes an expression; parameters as for filter_match(). */
bool filter_expr_match(struct filter_expr *, struct reader *, const struct message *m,
		       struct expansion *e);

/* True if M passes; E is scratch for its text. Without FILTER_ON_TEXT the reader may be NULL,
 * and M needs only the members that filter_basis() names. */
static inline bool
filter_match(const struct filter *filter, struct reader *reader, const struct message *m,
	     struct expansion *e)
{
	return filter->severities >> m->severity & 1 &&
	       (!filter->flags || filter->flags & m->flags) &&
	       (!filter->by_origin || filter->origin == m->origin) &&
	       (!filter->expr || filter_expr_match(filter->expr, reader, m, e));
}

/* Like filter_match(), where E already holds the expansion of M as far as MADE. */
bool filter_match_expanded(const struct filter *, struct reader *, const struct message *m,
			   struct expansion *e, enum expand_want made);

/* Inputs that a filter's answer depends on. */
enum filter_basis {
	FILTER_ON_SEVERITY = 1 << 0,
	FILTER_ON_ORIGIN = 1 << 1,
	FILTER_ON_STRUCT = 1 << 2,   /* the message struct, beyond severity and origin */
	FILTER_ON_TEXT = 1 << 3,     /* expansions, times; without STRUCT: origin or trace name */
	FILTER_ON_CONTEXT = 1 << 4,  /* contexts */
	FILTER_ON_ORDER = 1 << 5,    /* messages in other traces */
	FILTER_ON_INTERVAL = 1 << 6, /* intervals */
	FILTER_ON_FLOW = 1 << 7	     /* instructions that processors executed */
};

/* Return a set of enum filter_basis. */
unsigned filter_basis(const struct filter *);

/* Return an epoch. It goes up when answers that depend on BASIS may change although the capture
 * does not. */
uint64_t filter_generation(unsigned basis, const struct trace *);

/* True if the filter tests messages other than the current one (gap, number). Batch output then
 * builds the index first. filter_needs_order(): they may be in other traces, so it builds all
 * indexes. */
bool filter_looks_around(const struct filter *);
bool filter_needs_order(const struct filter *);

/* True if the filter needs the session's clocks, or contexts. Batch output loads them first. */
bool filter_needs_clocks(const struct filter *);

/* True if only messages within some time range can pass. The index then rules out cells. */
bool filter_limits_time(const struct filter *);

/* Find the earliest time at which a message can pass (`order` of struct message_time, by the
 * clocks of TRACE). Return false if that time does not exist or is not yet known. */
bool filter_find_begin(const struct filter *, struct trace *, int64_t *time);

/* Find the time from which `+10ms` counts in a trace (`order` of struct message_time). It is the
 * first time of all traces with comparable times. Return false while the trace has no time. */
bool filter_find_start(struct trace *, struct message_time *start);
bool filter_needs_contexts(const struct filter *);

/* True if the filter needs intervals, and thus their hook in the session. */
bool filter_needs_intervals(const struct filter *);
/* True if the filter needs the executed instructions (session/flows.h). */
bool filter_needs_flow(const struct filter *);
/* From now on only the end message of an interval has its length. Use it to count pairs. */
void filter_count_ends(struct filter *);

/* --- expressions ------------------------------------------------------- */

enum { FILTER_TEXT_MAX = 4096, FILTER_DEPTH_MAX = 64 };

struct filter_error {
	size_t at;	/* byte of the expression where the error is */
	bool meant;	/* the user wrote a word and an operator, so this is no regex */
	size_t word;	/* length of an unknown word there without an operator; 0: another
			   error */
	char what[256]; /* one sentence, without the column */
};

/* Parse an expression; return NULL on error. If SESSION is not NULL, check times and units
 * against its clocks. The result works for any trace. */
struct filter_expr *filter_parse(const char *text, const struct session *, struct filter_error *);
/* Return the same expression for another owner or thread, as filter_clone() does. */
struct filter_expr *filter_expr_share(const struct filter_expr *);
void filter_expr_free(struct filter_expr *); /* NULL is allowed */

/* Make an expression from a regular expression that a user typed (regex_split). It searches text,
 * origin and type. */
struct filter_expr *filter_parse_pattern(const char *pattern, struct filter_error *);

/* Parse input that may be an expression or a pattern. A single word becomes a pattern, unless it
 * is a flag. So does an unknown word next to a comparison (`mailbox and severity >= warning`).
 * Text that does not parse becomes a pattern if it has no operator. */
struct filter_expr *filter_parse_typed(const char *text, const struct session *,
				       struct filter_error *);

/* Return the source text of the expression. */
const char *filter_expr_text(const struct filter_expr *);

/* True if the expression is only a set of names, `FIELD in {"a", "b"}` (origin or trace).
 * filter_expr_name() then returns name number AT, or NULL past the last. The name is borrowed
 * and has no NUL. */
bool filter_expr_lists(const struct filter_expr *, const char *field);
const char *filter_expr_name(const struct filter_expr *, size_t at, size_t *length);

/* Return value number AT that FIELD (origin, type or trace) is compared with anywhere in the
 * expression, or NULL past the last. Borrowed, without a NUL. */
const char *filter_expr_value(const struct filter_expr *, const char *field, size_t at,
			      size_t *length);

/* Return a hint about a surprising part of the expression: a few words without a full stop, or
 * NULL. */
const char *filter_expr_note(const struct filter_expr *);

/* Append a text as a quoted value. */
void filter_quote(const char *, size_t length, struct text *out);

/* Append a regular expression that a user typed (regex_split) as a term between slashes. */
void filter_quote_regex(const char *typed, struct text *out);

/* Append the error with its column, then TEXT with a caret under the place. */
void filter_explain(const struct filter_error *, const char *text, struct text *out);

/* True if WORD is so similar to a name that it may be a typing error. */
bool filter_is_near_name(const char *word);

/* Find the next name that starts with the LENGTH bytes at STEM, for completion. *NEXT is 0 at
 * first. Return NULL at the end. */
const char *filter_complete(const char *stem, size_t length, size_t *next, char name[static 64]);

/* --- the names that every message has, for the manual ------------------ */

struct filter_help {
	const char *name, *type, *help;
};
/* Get row number AT; return false past the end. */
bool filter_help(size_t at, struct filter_help *);

#endif
