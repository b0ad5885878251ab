/*
 * The tree that an expression becomes; internal to query/filter.
 *
 * Parsing resolves everything once: names, rows of field tables, numbers, sets,
 * regular expressions. Values that depend on a trace (ticks of times, its decoder)
 * are resolved at the trace's first message. Testing a message allocates nothing.
 */
#ifndef TRAWL_QUERY_FILTER_TREE_H
#define TRAWL_QUERY_FILTER_TREE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/needle.h"
#include "base/regex.h"
#include "query/filter/filter.h"
#include "session/clock/clocks.h"

#include <stdatomic.h>

struct gap_cursor;
struct flow_cursor;
struct run_on;
struct step_back;

/* Cost of a test, cheapest first. It sorts the terms of `and` and `or`. */
enum filter_cost {
	FILTER_FIXED,  /* the fixed struct decides */
	FILTER_RAW,    /* bytes of the capture */
	FILTER_AROUND, /* other messages too */
	FILTER_SENDER, /* origin, once for each sender */
	FILTER_TEXT,   /* text, type, origin */
	FILTER_FIELDS
};

/* --- values ------------------------------------------------------------ */

/* A value as the user wrote it. `text` ends with NUL; it has no quotes but keeps its escapes. */
struct filter_word {
	const char *text;
	size_t at;		      /* offset of its first character in the expression */
	char mark;		      /* enclosing character: " or ' or /, else 0 */
	bool ignore_case, match_case; /* flags of /regex/; else smart case */
};

enum filter_relation {
	FILTER_EQUAL,
	FILTER_LESS,
	FILTER_LESS_EQUAL,
	FILTER_GREATER,
	FILTER_GREATER_EQUAL,
	FILTER_BETWEEN
};

/* One value or range that a name is compared with. */
struct filter_item {
	enum filter_relation relation;
	struct filter_word low, high; /* high: only for FILTER_BETWEEN */
};

/* Numbers are long double: its 64 bits hold any integer and any double. */
struct filter_range {
	long double low, high;
	bool open_low, open_high; /* the limit itself is excluded */
};

struct filter_ranges {
	const struct filter_range *at;
	size_t count;
};

bool filter_range_has(const struct filter_range *, long double value);
bool filter_ranges_have(const struct filter_ranges *, long double value);
/* Judge values that lie between LEAST and MOST. */
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

/* A byte pattern; a byte with mask 0xff must be equal. */
struct filter_pattern {
	const uint8_t *values, *masks;
	size_t length;
};

/* One row of a field table that a name stands for, and the values it must have. */
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
	bool names;			 /* a set of names in double quotes */
	struct filter_word pattern_word; /* FILTER_MATCHED */

	/* resolved, depending on the type of the name */
	uint64_t set;	 /* severities or flags */
	uint64_t *kinds; /* set of kinds for each decoder of decoders[] */
	struct filter_ranges ranges;
	struct filter_strings strings;
	struct filter_pattern pattern;
	size_t regex; /* FILTER_MATCHED: number of its regex, from 1; 0: none */
	struct filter_field *fields;
	size_t field_count, own_count; /* rows from OWN_COUNT on are arguments */
	const char *argument;	       /* name or number of the argument, or NULL */
	bool unknown;		       /* the name is no field, so it needs an operator */
	size_t timed;		       /* its number among the leaves that depend on a clock */
	size_t origin_leaf;	       /* its number among the leaves on the origin or the
					  type */
	size_t needles;		       /* number of its needles, from 1; 0: none */
	bool literal;		       /* a text matches if it contains a needle */
};

struct filter_node {
	enum { FILTER_AND, FILTER_OR, FILTER_NOT, FILTER_LEAF } type;
	enum filter_cost cost;
	struct filter_leaf *leaf;
	struct filter_node *child, *next; /* first operand; next operand of the parent */
};

/* The terms on time and gap, resolved for one trace. */
struct filter_times {
	struct clocks_nature nature;
	bool known, wall;	      /* nanoseconds (known), since 1970 (wall); else ticks */
	bool by_ticks;		      /* `ticks` exist and decide alone */
	struct filter_ranges *ranges; /* by filter_leaf.timed */
	struct filter_ranges *ticks;  /* the same ranges in ticks of the trace */
	bool looked, valid;	      /* search for the first time: done, successful */
	uint64_t cells;		      /* number of cells at that search */
	unsigned generation;	      /* trace_generation() */
};

/* An expression resolved for one trace. */
struct filter_bound {
	struct trace *trace;
	size_t decoder; /* index in decoders[] */
	struct filter_times times;
	struct context_cursor *cursor; /* created at first use */
	struct step_back *step_back;   /* created at first use */
	struct run_on *run_on;	       /* created at first use */
	/* Answers of leaves on the origin, by raw key. Each leaf has two bits: answer known,
	 * answer. */
	struct map origins;
	struct map types;    /* the same for types, by reader_type_keys */
	struct map kinds;    /* the same for reader_kind_lacks, by kind and flags */
	uint64_t by_key;     /* kinds with an origin that follows from the key */
	bool looked;	     /* `by_key` is valid, for texts of */
	unsigned generation; /* trace_generation() */
};

/* The compiled expression. It never changes after parsing, and all copies of the expression
 * share it, on any thread. */
struct filter_code {
	atomic_uint references;
	char *text;
	const char *note; /* hint about a surprising part, or NULL */
	struct arena arena;
	struct filter_node *root;
	VEC(struct regex *) regexes; /* each thread makes its own with regex_share() */
	VEC(struct filter_leaf *) timed;
	VEC(struct needles) needles; /* by filter_leaf.needles */
	size_t origins;		     /* number of leaves on the origin or the type */
	unsigned uses;		     /* enum filter_use of all leaves */
	uint16_t all, none; /* severities with which all messages pass, or none: a bit each */
};

/* An expression as one thread uses it. */
struct filter_expr {
	struct filter_code *code;
	struct arena arena; /* memory of `bounds` */
	VEC(struct filter_bound) bounds;
	size_t last;		  /* index of the last bound used */
	struct gap_cursor *gaps;  /* created at first use */
	struct flow_cursor *flow; /* created at first use */
	bool ends;		  /* an interval has its length only at its end message */
	struct text scratch;
	struct regex *regexes[]; /* as in the code; each created at first use */
};

/* --- names ------------------------------------------------------------- */

/* Inputs that a term depends on. */
enum filter_use {
	FILTER_USES_SEVERITY = 1 << 0,
	FILTER_USES_STRUCT = 1 << 1,   /* the rest of struct message */
	FILTER_USES_READER = 1 << 2,   /* the trace, its bytes and texts */
	FILTER_USES_AROUND = 1 << 3,   /* other messages */
	FILTER_USES_CLOCK = 1 << 4,    /* the session's clocks */
	FILTER_USES_CONTEXT = 1 << 5,  /* contexts */
	FILTER_USES_ORDER = 1 << 6,    /* messages in other traces */
	FILTER_USES_INTERVAL = 1 << 7, /* intervals */
	FILTER_USES_FLOW = 1 << 8      /* instructions that processors executed */
};

/* The message under test. */
struct filter_look {
	struct filter_expr *expr;
	struct filter_bound *bound;
	struct reader *reader;
	const struct message *m;
	struct expansion *e;
	bool has; /* E is expanded, as far as MADE */
	enum expand_want made;
	/* leaf that proves E's missing text to be no match, or NULL */
	const struct filter_leaf *lacking;
};

/* The cell under judgement. */
struct filter_facts {
	struct index *index;	    /* NULL: a cell of any trace */
	struct filter_bound *bound; /* NULL for any trace */
	struct filter_expr *expr;   /* NULL for any trace */
	uint64_t number;	    /* number of the cell in the index */
	const struct index_cell *cell;
	bool severities_only; /* judge only terms on severity */
	bool bytes;	      /* searching the bytes of the cell is allowed */
};

struct filter_build {
	struct filter_code *code;
	const struct session *session;
	struct filter_error *error;
};

/* A name and its operations. */
struct filter_name {
	const char *name;
	const char *type; /* for the manual */
	const char *help; /* one sentence, no full stop */
	enum filter_cost cost;
	unsigned uses;
	/* Resolve the values of a leaf; return a negative value on error. */
	int (*resolve)(struct filter_build *, struct filter_leaf *);
	bool (*test)(struct filter_look *, const struct filter_leaf *);
	/* NULL stands for FILTER_SOME. */
	enum filter_verdict (*judge)(const struct filter_facts *, const struct filter_leaf *);
};

extern const struct filter_name filter_any_text;  /* a bare /regex/ */
extern const struct filter_name filter_flag_name; /* a flag alone, as `damaged` */

/* Return NAME of the leaf's context.NAME. */
const char *filter_context_of(const struct filter_leaf *);
/* Return NAME of the leaf's interval.NAME. */
const char *filter_interval_of(const struct filter_leaf *);

/* Set the leaf's name from its word. If none fits, record an error and return a negative value. */
int filter_find_name(struct filter_build *, struct filter_leaf *);
bool filter_is_flag(const char *word);
/* Record the error that no name fits the leaf's word. */
int filter_fail_name(struct filter_build *, const struct filter_leaf *);

/* Record an error at a byte of the expression; return a negative value. */
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

/* Return the ranges of a leaf on time or gap, in ticks of a clock. The first message is at
 * START. Return no ranges if the clock cannot read a value. */
struct filter_ranges filter_time_ranges(struct arena *, const struct filter_leaf *,
					const struct trace_clock *, int64_t start);

/* --- testing (filter_eval.c, filter_time.c, filter_context.c) ---------- */

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

/* Test a number, or a text, against the values of a leaf. */
bool filter_number_fits(const struct filter_leaf *, uint64_t value);
bool filter_text_fits(struct filter_look *, const struct filter_leaf *, const char *,
		      size_t length);

/* Return the expression resolved for a trace; resolve it at the first call. */
struct filter_bound *filter_bind(struct filter_expr *, struct trace *);

/* True if a message passes an expression. */
bool filter_node_test(struct filter_look *, const struct filter_node *);
enum filter_verdict filter_node_judge(const struct filter_facts *, const struct filter_node *);

/* Find the severities with which all messages pass, and with which none do. */
void filter_decide_severities(struct filter_code *);

#endif
