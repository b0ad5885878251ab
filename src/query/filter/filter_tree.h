/*
 * Inside filters: the tree that an expression becomes.  For query/filter*.c.
 *
 * Everything is looked up when the expression is read: names, rows of field
 * tables, numbers, sets, regular expressions.  What depends on a trace (ticks
 * of times, its decoder) is worked out when the trace is first met.  A look at
 * a message allocates nothing.
 */
#ifndef TRAWL_QUERY_FILTER_TREE_H
#define TRAWL_QUERY_FILTER_TREE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/regex.h"
#include "decode/sought.h"
#include "query/filter/filter.h"
#include "session/clock/clocks.h"

#include <stdatomic.h>

struct gap_cursor;
struct flow_cursor;
struct run_on;
struct step_back;

/* What a look costs, cheapest first; sorts the terms of `and` and `or`. */
enum filter_cost {
	FILTER_FIXED,  /* the fixed struct decides */
	FILTER_RAW,    /* bytes of the capture */
	FILTER_AROUND, /* other messages too */
	FILTER_SENDER, /* who sent it, once for each that there is */
	FILTER_TEXT,   /* text, type, origin */
	FILTER_FIELDS
};

/* --- values ------------------------------------------------------------ */

/* A value as it was written.  `text` ends with NUL and is without its quotes,
 * escapes and all. */
struct filter_word {
	const char *text;
	size_t at;		      /* in the expression, of its first character */
	char mark;		      /* " or ' or / where it was enclosed so, else 0 */
	bool ignore_case, smart_case; /* flags of /regex/ */
};

enum filter_relation {
	FILTER_EQUAL,
	FILTER_LESS,
	FILTER_LESS_EQUAL,
	FILTER_GREATER,
	FILTER_GREATER_EQUAL,
	FILTER_BETWEEN
};

/* One thing that a name is compared with. */
struct filter_item {
	enum filter_relation relation;
	struct filter_word low, high; /* high: FILTER_BETWEEN only */
};

/* Numbers are long double: its 64 bits hold any integer and any double. */
struct filter_range {
	long double low, high;
	bool open_low, open_high; /* the limit itself is not in it */
};

struct filter_ranges {
	const struct filter_range *at;
	size_t count;
};

bool filter_range_has(const struct filter_range *, long double value);
bool filter_ranges_have(const struct filter_ranges *, long double value);
/* Of values from LEAST to MOST. */
enum filter_verdict filter_ranges_judge(const struct filter_ranges *, long double least,
					long double most);

struct filter_string {
	const char *at;
	size_t length;
};

struct filter_strings {
	const struct filter_string *at;
	size_t count;
};

/* Bytes, those with mask 0xff exactly. */
struct filter_pattern {
	const uint8_t *values, *masks;
	size_t length;
};

/* One row of a field table that a name stands for, and what is asked of it. */
struct filter_field {
	const struct field_row *row;
	struct filter_ranges ranges;   /* for numbers */
	struct filter_strings strings; /* for texts */
	struct filter_strings bytes;   /* for bytes */
};

/* --- the tree ---------------------------------------------------------- */

struct filter_name;
struct session;

struct filter_leaf {
	const struct filter_name *name;
	struct filter_word word; /* the name as written */
	enum { FILTER_PRESENT, FILTER_COMPARED, FILTER_MATCHED } how;
	const struct filter_item *items; /* FILTER_COMPARED */
	size_t item_count;
	bool names;			 /* they are names in quotes between braces */
	struct filter_word pattern_word; /* FILTER_MATCHED */

	/* resolved, as the name's type needs it */
	uint64_t set;	 /* severities or flags */
	uint64_t *kinds; /* set by decoder, as in decoders[] */
	struct filter_ranges ranges;
	struct filter_strings strings;
	struct filter_pattern pattern;
	size_t regex; /* FILTER_MATCHED: its number among the patterns, from 1 on; 0: by
			 `pattern` or `kinds` alone */
	struct filter_field *fields;
	size_t field_count, own_count; /* those behind the first OWN_COUNT are arguments */
	const char *argument;	       /* what these are called, or their number; NULL: none */
	bool unknown;	    /* nothing but an argument can be called so: it is to be asked for */
	size_t timed;	    /* its number among those that depend on a clock */
	size_t origin_leaf; /* its number among those on the origin or the type */
	size_t sought;	    /* its number among what texts must contain, from 1 on; 0: nothing */
	bool literal;	    /* the pattern asks for no more */
};

struct filter_node {
	enum { FILTER_AND, FILTER_OR, FILTER_NOT, FILTER_LEAF } type;
	enum filter_cost cost;
	struct filter_leaf *leaf;
	struct filter_node *child, *next; /* first of its own, next of the same */
};

/* What terms on time and gap ask for in one trace. */
struct filter_times {
	struct clocks_nature nature;
	bool known, wall;	      /* nanoseconds, from 1970 on; else ticks */
	bool by_ticks;		      /* `ticks` are there and suffice */
	struct filter_ranges *ranges; /* by filter_leaf.timed */
	struct filter_ranges *ticks;  /* the same in ticks of the trace */
	bool looked, valid;	      /* a first time was looked for, and found */
	uint64_t cells;		      /* that there were then */
	unsigned generation;	      /* trace_generation() */
};

/* What an expression means in one trace. */
struct filter_bound {
	struct trace *trace;
	size_t decoder; /* in decoders[] */
	struct filter_times times;
	struct context_cursor *cursor; /* made when needed */
	struct step_back *step_back;   /* likewise */
	struct run_on *run_on;	       /* likewise */
	/* whether origins, by raw key, are what leaves on the origin let pass: for
	 * each such leaf a bit that says it is known, and the answer */
	struct map origins;
	struct map types;	/* the same of types, by the key that sifting gives */
	struct sought **sought; /* by filter_leaf.sought; each made when it is needed */
	size_t sought_count;
	uint64_t by_key;     /* kinds of messages whose key tells who sent them: these are kept */
	bool looked;	     /* that has been found out, for texts of */
	unsigned generation; /* trace_generation() */
};

/* What was compiled.  It does not change once it is read, and is shared by all
 * copies of an expression, whatever their thread. */
struct filter_code {
	atomic_uint references;
	char *text;
	const char *note; /* what may surprise in it, or NULL */
	struct arena arena;
	struct filter_node *root;
	VEC(struct regex *) regexes; /* only to be shared */
	VEC(struct filter_leaf *) timed;
	VEC(struct needles) needles;	    /* by filter_leaf.sought */
	size_t origins;			    /* leaves on the origin or the type */
	unsigned uses;			    /* enum filter_use of all leaves */
	const struct filter_leaf *required; /* one that must hold and seeks something; or NULL */
	uint8_t all, none; /* severities of which all messages pass, or none: a bit each */
};

/* An expression as one thread uses it. */
struct filter_expr {
	struct filter_code *code;
	struct arena arena; /* of what bounds refer to */
	VEC(struct filter_bound) bounds;
	size_t last;		  /* bound that was used last */
	struct gap_cursor *gaps;  /* made when needed, */
	struct flow_cursor *flow; /* likewise */
	bool ends;		  /* of an interval only the message that ends it counts */
	struct text scratch;
	struct regex *regexes[]; /* of the code, each made when it is needed */
};

/* --- names ------------------------------------------------------------- */

/* What a term depends on. */
enum filter_use {
	FILTER_USES_SEVERITY = 1 << 0,
	FILTER_USES_STRUCT = 1 << 1, /* the rest of struct message */
	FILTER_USES_READER = 1 << 2, /* the trace, its bytes, texts */
	FILTER_USES_AROUND = 1 << 3, /* other messages */
	/* and nothing besides, if only the reader is used too: */
	FILTER_USES_SENDER = 1 << 4,
	FILTER_USES_TRACE = 1 << 5,
	FILTER_USES_CLOCK = 1 << 6,    /* the session's clocks */
	FILTER_USES_CONTEXT = 1 << 7,  /* contexts, */
	FILTER_USES_ORDER = 1 << 8,    /* and the messages of other traces */
	FILTER_USES_INTERVAL = 1 << 9, /* intervals */
	FILTER_USES_FLOW = 1 << 10     /* what processors executed */
};

/* One message that is looked at. */
struct filter_look {
	struct filter_expr *expr;
	struct filter_bound *bound;
	struct reader *reader;
	const struct message *m;
	struct expansion *e;
	bool has; /* E is made, as far as: */
	enum expand_want made;
	const struct filter_leaf *sifted; /* what ANSWER is for; or NULL */
	struct sought_answer answer;
};

/* One cell that is judged. */
struct filter_facts {
	struct index *index;	    /* NULL: of any trace, or of PIECE */
	struct filter_bound *bound; /* NULL too, of any trace */
	struct filter_expr *expr;   /* likewise */
	uint64_t number;	    /* in the index */
	const struct index_cell *cell;
	const struct reader_piece *piece; /* that is judged instead; or NULL */
	bool severities_only;		  /* are said of the cell */
	bool bytes;			  /* the cell's bytes may be looked at, too */
};

struct filter_build {
	struct filter_code *code;
	const struct session *session;
	struct filter_error *error;
};

/* A name, and what can be done with it. */
struct filter_name {
	const char *name;
	const char *type; /* for people */
	const char *help; /* one sentence, no full stop */
	enum filter_cost cost;
	unsigned uses;
	/* Resolves what the leaf asks; negative on error. */
	int (*resolve)(struct filter_build *, struct filter_leaf *);
	bool (*test)(struct filter_look *, const struct filter_leaf *);
	/* NULL: FILTER_SOME. */
	enum filter_verdict (*judge)(const struct filter_facts *, const struct filter_leaf *);
};

extern const struct filter_name filter_any_text;  /* a bare /regex/ */
extern const struct filter_name filter_flag_name; /* `damaged` alone */

/* NAME, of a leaf on a context. */
const char *filter_context_of(const struct filter_leaf *);
/* And of one on an interval. */
const char *filter_interval_of(const struct filter_leaf *);

/* Sets the leaf's name, from its word; negative with the reason if there is
 * none. */
int filter_find_name(struct filter_build *, struct filter_leaf *);
bool filter_is_flag(const char *word);
/* Says that nothing is called so. */
int filter_fail_name(struct filter_build *, const struct filter_leaf *);

/* Records an error at a byte of the expression; negative. */
int filter_fail(struct filter_build *, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- resolving (filter_type.c) ----------------------------------------- */

int filter_resolve_severity(struct filter_build *, struct filter_leaf *);
int filter_resolve_flags(struct filter_build *, struct filter_leaf *);
int filter_resolve_kind(struct filter_build *, struct filter_leaf *);
int filter_resolve_origin(struct filter_build *, struct filter_leaf *);
int filter_resolve_text(struct filter_build *, struct filter_leaf *);
int filter_resolve_made_text(struct filter_build *, struct filter_leaf *);
int filter_resolve_number(struct filter_build *, struct filter_leaf *);
int filter_resolve_time(struct filter_build *, struct filter_leaf *);
int filter_resolve_duration(struct filter_build *, struct filter_leaf *);
int filter_resolve_step_back(struct filter_build *, struct filter_leaf *);
int filter_resolve_run_on(struct filter_build *, struct filter_leaf *);
int filter_resolve_depth(struct filter_build *, struct filter_leaf *);
int filter_resolve_target(struct filter_build *, struct filter_leaf *);
int filter_resolve_bytes(struct filter_build *, struct filter_leaf *);
int filter_resolve_field(struct filter_build *, struct filter_leaf *);
int filter_resolve_context(struct filter_build *, struct filter_leaf *);
int filter_resolve_interval(struct filter_build *, struct filter_leaf *);

/* What a leaf on time or gap asks for, in ticks of a clock whose first message
 * is at START.  Nothing where the clock cannot say. */
struct filter_ranges filter_time_ranges(struct arena *, const struct filter_leaf *,
					const struct trace_clock *, int64_t start);

/* --- looking (filter_eval.c, filter_time.c, filter_context.c) ---------- */

bool filter_test_severity(struct filter_look *, const struct filter_leaf *);
bool filter_test_flags(struct filter_look *, const struct filter_leaf *);
bool filter_test_kind(struct filter_look *, const struct filter_leaf *);
bool filter_test_trace(struct filter_look *, const struct filter_leaf *);
bool filter_test_origin(struct filter_look *, const struct filter_leaf *);
bool filter_test_type(struct filter_look *, const struct filter_leaf *);
bool filter_test_text(struct filter_look *, const struct filter_leaf *);
bool filter_test_any(struct filter_look *, const struct filter_leaf *);
bool filter_test_time(struct filter_look *, const struct filter_leaf *);
bool filter_test_ticks(struct filter_look *, const struct filter_leaf *);
bool filter_test_gap(struct filter_look *, const struct filter_leaf *);
bool filter_test_step_back(struct filter_look *, const struct filter_leaf *);
bool filter_test_run_on(struct filter_look *, const struct filter_leaf *);
bool filter_test_depth(struct filter_look *, const struct filter_leaf *);
bool filter_test_target(struct filter_look *, const struct filter_leaf *);
bool filter_test_run_instructions(struct filter_look *, const struct filter_leaf *);
bool filter_test_run_cycles(struct filter_look *, const struct filter_leaf *);
bool filter_test_offset(struct filter_look *, const struct filter_leaf *);
bool filter_test_length(struct filter_look *, const struct filter_leaf *);
bool filter_test_number(struct filter_look *, const struct filter_leaf *);
bool filter_test_bytes(struct filter_look *, const struct filter_leaf *);
bool filter_test_payload(struct filter_look *, const struct filter_leaf *);
bool filter_test_field(struct filter_look *, const struct filter_leaf *);
bool filter_test_context(struct filter_look *, const struct filter_leaf *);
bool filter_test_interval(struct filter_look *, const struct filter_leaf *);

enum filter_verdict filter_judge_severity(const struct filter_facts *, const struct filter_leaf *);
enum filter_verdict filter_judge_flags(const struct filter_facts *, const struct filter_leaf *);
enum filter_verdict filter_judge_kind(const struct filter_facts *, const struct filter_leaf *);
enum filter_verdict filter_judge_trace(const struct filter_facts *, const struct filter_leaf *);
enum filter_verdict filter_judge_origin(const struct filter_facts *, const struct filter_leaf *);
enum filter_verdict filter_judge_text(const struct filter_facts *, const struct filter_leaf *);
enum filter_verdict filter_judge_any(const struct filter_facts *, const struct filter_leaf *);
enum filter_verdict filter_judge_time(const struct filter_facts *, const struct filter_leaf *);
enum filter_verdict filter_judge_step_back(const struct filter_facts *, const struct filter_leaf *);
enum filter_verdict filter_judge_ticks(const struct filter_facts *, const struct filter_leaf *);
enum filter_verdict filter_judge_offset(const struct filter_facts *, const struct filter_leaf *);
enum filter_verdict filter_judge_number(const struct filter_facts *, const struct filter_leaf *);

enum filter_verdict filter_judge_context(const struct filter_facts *, const struct filter_leaf *);

void filter_bound_release(struct filter_bound *);
void filter_times_release(struct filter_times *);

/* What a leaf asks of a number, and of a text. */
bool filter_number_fits(const struct filter_leaf *, uint64_t value);
bool filter_text_fits(struct filter_look *, const struct filter_leaf *, const char *,
		      size_t length);
bool filter_one_of(const struct filter_strings *, const char *at, size_t length);
/* Whether the leaf's pattern matches somewhere in a text. */
bool filter_regex_fits(struct filter_look *, const struct filter_leaf *, const char *at,
		       size_t length);

/* What it means in a trace, worked out now if it was not yet. */
struct filter_bound *filter_bind(struct filter_expr *, struct trace *);

/* Whether a message passes an expression. */
bool filter_node_test(struct filter_look *, const struct filter_node *);
enum filter_verdict filter_node_judge(const struct filter_facts *, const struct filter_node *);

/* Asks for the origin of a message where the term that is looked at first does: so no more is
 * made of messages than when they are tested. */
void filter_node_learn(struct filter_look *, const struct filter_node *);

/* Works out what all that passes contains. */
const struct filter_leaf *filter_find_required(const struct filter_node *);

/* Works out of which severities all or no messages pass. */
void filter_decide_severities(struct filter_code *);

#endif
