/*
 * A filter: which messages pass.  Decided per cell from summaries
 * where they suffice, else per message from the fixed struct, and only at
 * last from text.
 *
 * A filter has a few cheap members that are all to hold, and may have an
 * expression in the filter language, trawl-filter(7), as well.
 *
 * Threads: a filter with an expression belongs to one thread; filter_clone for
 * more.  The copy refers to what was compiled, so it costs an allocation, and
 * outlives what it was made from.  A filter is freed before the sessions whose
 * messages it has looked at.
 */
#ifndef TRAWL_QUERY_FILTER_H
#define TRAWL_QUERY_FILTER_H

#include "trace/reader.h"

struct filter_expr;
struct message_time;
struct session;

struct filter {
	uint8_t severities;	  /* those that pass, a bit each; 0xff = all */
	uint16_t flags;		  /* at least one of these; 0 = do not care */
	bool by_origin;		  /* only messages of one origin: */
	uint64_t origin;	  /* its raw key */
	struct filter_expr *expr; /* or NULL; owned */
};

enum filter_verdict { FILTER_NONE, FILTER_SOME, FILTER_ALL };

/* The filter that all pass. */
struct filter filter_all(void);
struct filter filter_clone(const struct filter *); /* caller frees; from any thread */
void filter_free(struct filter *);
bool filter_is_all(const struct filter *);
/* Whether both pass the same: by the same members and what was compiled once; of two texts
 * that were compiled apart that is not found out. */
bool filter_is_same(const struct filter *, const struct filter *);
/* The same, whatever their severities. */
bool filter_is_like(const struct filter *, const struct filter *);

/* The severities at LEVEL or worse; no severity passes too unless
 * HIDE_UNASSIGNED. */
uint8_t filter_threshold(enum severity level, bool hide_unassigned);

/* The severities of which all messages pass, and those of which none does: a bit each. */
void filter_severities(const struct filter *, uint8_t *all, uint8_t *none);

/* What the summary of a cell says about its messages, of whatever trace. */
enum filter_verdict filter_cell(const struct filter *, const struct index_cell *);

/* The same for a cell of TRACE, which decides more: kinds, times, offsets,
 * numbers, origins.  FILTER_SOME if the cell is not in the index. */
enum filter_verdict filter_judge(const struct filter *, struct trace *, uint64_t cell);

/* The same for who would decode the cell next, after a look at its bytes, which costs as much
 * as reading them: a small part of decoding.  FILTER_SOME where there is nothing to look
 * for. */
enum filter_verdict filter_scan(const struct filter *, struct trace *, uint64_t cell);

/* The same, its bytes too, for messages that a walk passed over, and are in no index. */
enum filter_verdict filter_judge_piece(const struct filter *, struct trace *,
				       const struct reader_piece *);

/* Notes what the origin of M is for the term that is looked at first, so that pieces with
 * messages of it are judged; E is scratch. */
void filter_learn_origin(const struct filter *, struct reader *, const struct message *m,
			 struct expansion *e);

/* Whether M passes an expression, as filter_match. */
bool filter_expr_match(struct filter_expr *, struct reader *, const struct message *m,
		       struct expansion *e);

/* Whether M passes; E is scratch for its text.  Without FILTER_ON_TEXT the
 * reader may be NULL, and of M only what the basis names is looked at. */
static inline bool
filter_match(const struct filter *filter, struct reader *reader, const struct message *m,
	     struct expansion *e)
{
	return filter->severities >> m->severity & 1 &&
	       (!filter->flags || filter->flags & m->flags) &&
	       (!filter->by_origin || filter->origin == m->origin) &&
	       (!filter->expr || filter_expr_match(filter->expr, reader, m, e));
}

/* Return needles of which the text or type of every message that passes has one; NULL if the
 * filter asks for none.  They last as long as the filter. */
const struct needles *filter_required(const struct filter *);

/* The same where E has been made for M already, as far as MADE. */
bool filter_match_expanded(const struct filter *, struct reader *, const struct message *m,
			   struct expansion *e, enum expand_want made);

/* What a filter's answer rests on. */
enum filter_basis {
	FILTER_ON_SEVERITY = 1 << 0,
	FILTER_ON_ORIGIN = 1 << 1,
	FILTER_ON_STRUCT = 1 << 2,   /* the message itself, beyond severity and origin */
	FILTER_ON_TEXT = 1 << 3,     /* what expand makes, or times; without
				      FILTER_ON_STRUCT only the origin's name */
	FILTER_ON_CONTEXT = 1 << 4,  /* what was true */
	FILTER_ON_ORDER = 1 << 5,    /* the messages of other traces */
	FILTER_ON_INTERVAL = 1 << 6, /* which pairs there are */
	FILTER_ON_FLOW = 1 << 7	     /* what processors executed */
};

/* A set of enum filter_basis. */
unsigned filter_basis(const struct filter *);

/* Counts up when answers that rest on BASIS may have changed, though the capture
 * did not. */
unsigned filter_generation(unsigned basis, const struct trace *);

/* Whether it looks at other messages than the one in question (gap, number): batch
 * output builds the index first; and at those of other traces: of all of them. */
bool filter_looks_around(const struct filter *);
bool filter_needs_order(const struct filter *);

/* Whether it goes by the session's clocks, or contexts: batch output loads them
 * first. */
bool filter_needs_clocks(const struct filter *);

/* Whether only messages of some time can pass: an index tells which cells can have one. */
bool filter_limits_time(const struct filter *);

/* From which time on (`order` of struct message_time, by the clocks of TRACE) they can;
 * false if there is no such time, or none is known so far. */
bool filter_find_begin(const struct filter *, struct trace *, int64_t *time);

/* What `+10ms` counts from in a trace: the first time (`order` of struct message_time) of
 * all traces that its own can be compared with; false while it has none. */
bool filter_find_start(struct trace *, struct message_time *start);
bool filter_needs_contexts(const struct filter *);

/* And intervals: so does their hook in the session. */
bool filter_needs_intervals(const struct filter *);
/* And what processors executed (session/flows.h). */
bool filter_needs_flow(const struct filter *);
/* From now on of a pair only the message that ends it has a length: for who counts pairs. */
void filter_count_ends(struct filter *);

/* --- expressions ------------------------------------------------------- */

enum { FILTER_TEXT_MAX = 4096, FILTER_DEPTH_MAX = 64 };

struct filter_error {
	size_t at;	/* byte of the expression where it lies */
	bool meant;	/* there are a word and an operator: it is no regex */
	size_t word;	/* length of a word there that is no name, and of which nothing is
			   asked; 0: it is something else */
	char what[256]; /* one sentence, without a place */
};

/* Reads an expression; NULL on error.  SESSION (may be NULL) lets times and
 * units be checked against its clocks; the result serves any trace. */
struct filter_expr *filter_parse(const char *text, const struct session *, struct filter_error *);
/* The same expression for another owner or thread, as filter_clone. */
struct filter_expr *filter_expr_share(const struct filter_expr *);
void filter_expr_free(struct filter_expr *); /* NULL is fine */

/* The expression of a regular expression that people type: in text, origin or
 * type, whatever the case unless there is a capital. */
struct filter_expr *filter_parse_pattern(const char *pattern, struct filter_error *);

/* What people type where both are welcome: a word alone is looked for as that
 * pattern unless it is a flag; so is a word that is no name, beside a comparison
 * (`mailbox and severity >= warning`), and what is no expression and not meant to be
 * one. */
struct filter_expr *filter_parse_typed(const char *text, const struct session *,
				       struct filter_error *);

/* The text it was read from. */
const char *filter_expr_text(const struct filter_expr *);

/* Whether it is a set of names, `FIELD in {"a", "b"}` (origin or trace), and no more; then
 * name number AT of it, NULL past the last.  Borrowed; without a NUL. */
bool filter_expr_lists(const struct filter_expr *, const char *field);
const char *filter_expr_name(const struct filter_expr *, size_t at, size_t *length);

/* What may surprise people in it, a few words without a full stop; NULL: nothing. */
const char *filter_expr_note(const struct filter_expr *);

/* Appends a text between quotes, as a value. */
void filter_quote(const char *, size_t length, struct text *out);

/* Appends a regular expression between slashes, as a term. */
void filter_quote_regex(const char *pattern, struct text *out);

/* Appends the sentence with its column, TEXT, and a caret under the place. */
void filter_explain(const struct filter_error *, const char *text, struct text *out);

/* What WORD may have been meant to be, as `; warning?`, or nothing; names come
 * from NEXT until it gives NULL. */
struct filter_hint {
	char text[80];
};
struct filter_hint filter_hint(const char *word, const char *(*next)(void *context, size_t at),
			       void *context);

/* Whether WORD is so near to a name that it may be that name mistyped. */
bool filter_is_near_name(const char *word);

/* The next name, from *NEXT on (0 at first), that starts with the LENGTH bytes
 * at STEM, for completion; NULL at the end. */
const char *filter_complete(const char *stem, size_t length, size_t *next, char name[static 64]);

/* --- the names that every message has, for the manual ------------------ */

struct filter_help {
	const char *name, *type, *help;
};
/* The row number AT; false past the end. */
bool filter_help(size_t at, struct filter_help *);

#endif
