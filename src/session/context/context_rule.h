/*
 * Rules: the messages that carry a context, and the value they contain. They are made from
 * `contexts:` of a profile, for one trace.
 *
 * Rules are immutable, so threads may share them.
 */
#ifndef TRAWL_SESSION_CONTEXT_CONTEXT_RULE_H
#define TRAWL_SESSION_CONTEXT_CONTEXT_RULE_H

#include "decode/decoder.h"

enum context_scope { CONTEXT_PER_ORIGIN, CONTEXT_PER_TRACE };

struct context_value_options {
	char *value; /* a number, or the text itself */
	char *name;
};

struct context_range_options {
	uint64_t from, to; /* both included */
	char *name;
};

/* An entry of `contexts:`. `from` follows the fixed part in memory: its rows are the fields of
 * all formats. */
struct context_options {
	char *name;
	char *field;
	struct option_list values;     /* struct context_value_options */
	struct option_list ranges;     /* struct context_range_options */
	int per;		       /* enum context_scope */
	struct option_list applies_to; /* texts: TRACE or TRACE:ORIGIN */
};
const struct option_table *context_options_table(void);

/* Return the entries for profiles without any. Immutable; never freed. */
struct option_list context_standard(void);

/* Check that the entries, or without any the standard ones, have a context called NAME and that
 * VALUE, a number or a name, can be its value. Otherwise return false with the member to blame,
 * `context` or `value`, and the expected value. */
bool context_check(const struct option_list *, const char *name, const char *value,
		   struct option_fault *);

enum { CONTEXTS_MAX = 64 };

struct context_condition {
	const struct field_row *row; /* the first of its name */
	const char *want;
	uint64_t number; /* WANT as a number, if it is one */
	bool is_number;
};

struct context_rule {
	unsigned context;	     /* number of its context */
	uint64_t kinds;		     /* of messages that may carry it, a bit each */
	const char *type;	     /* required type, or NULL: the kind suffices */
	const char *origin;	     /* required origin, or NULL */
	const struct field_row *row; /* of the value */
	bool is_element;	     /* the value is element ELEMENT of a list */
	size_t element;
	bool needs_session; /* session fields matter */
	bool is_alone;	    /* session fields matter, but no trace provides them */
	VEC(struct context_condition) conditions;
};
typedef VEC(struct context_rule) context_rules;

/* Make the rule of an entry of context_options_table() for a trace. ALONE: no other trace
 * provides its session fields. Return false if no message of the trace can match. Borrows the
 * entry. */
bool context_rule_make(const struct context_options *, const struct decoder_ops *,
		       const char *trace, bool alone, unsigned context, struct context_rule *);
void context_rule_free(struct context_rule *);

enum context_verdict {
	CONTEXT_MISSES, /* the message does not carry the context */
	CONTEXT_SETS,	/* it sets *value */
	CONTEXT_HIDES,	/* it sets an unknown value */
	CONTEXT_MAY_SET /* it may set *value, or an unknown value if that is NULL */
};

/* Read M by a rule. M has one of the rule's kinds; its expansion includes fields. *RECOVERED:
 * the value was lost and comes from elsewhere. */
enum context_verdict context_rule_read(const struct context_rule *, const struct message *,
				       const struct expansion *, const struct field **value,
				       bool *recovered);

/* True if a field's value is an integer. */
bool context_is_number(const struct field_row *);

/* Return the first field with that name, or NULL. */
const struct field *context_field(const struct expansion *, const char *name);

#endif
