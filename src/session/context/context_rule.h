/*
 * Which messages carry a context, and what they say of it: `contexts:` of a
 * profile, made ready for one trace.
 *
 * Rules are immutable once made and may be shared by threads.
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

/* An entry of `contexts:`.  `from` follows the fixed part in memory: its rows
 * are the fields of all formats. */
struct context_options {
	char *name;
	char *field;
	struct option_list values;     /* struct context_value_options */
	struct option_list ranges;     /* struct context_range_options */
	int per;		       /* enum context_scope */
	struct option_list applies_to; /* texts: TRACE or TRACE:ORIGIN */
};
const struct option_table *context_options_table(void);

/* The entries where a profile has none.  Immutable; never freed. */
struct option_list context_standard(void);

enum { CONTEXTS_MAX = 64 };

struct context_condition {
	const struct field_row *row; /* the first of its name */
	const char *want;
	uint64_t number; /* WANT as one, if it is */
	bool is_number;
};

struct context_rule {
	unsigned context;	     /* number of the context it is about */
	uint64_t kinds;		     /* of messages that may carry it, a bit each */
	const char *type;	     /* what their type must be, or NULL: the kind suffices */
	const char *origin;	     /* or their origin, or NULL */
	const struct field_row *row; /* of the value */
	bool is_element;	     /* the value is element ELEMENT of that list */
	size_t element;
	bool needs_session; /* session fields matter */
	bool is_alone;	    /* and no trace is there that would tell them */
	VEC(struct context_condition) conditions;
};
typedef VEC(struct context_rule) context_rules;

/* Makes the rule of an entry of context_options_table() for a trace, which is
 * ALONE if no other trace gives its session fields; false if no message of that
 * trace can carry it.  Borrows the entry. */
bool context_rule_make(const struct context_options *, const struct decoder_ops *,
		       const char *trace, bool alone, unsigned context, struct context_rule *);
void context_rule_free(struct context_rule *);

enum context_verdict {
	CONTEXT_MISSES, /* another message */
	CONTEXT_SETS,	/* to *value */
	CONTEXT_HIDES,	/* it is another now, but which one is not known */
	CONTEXT_MAY_SET /* to *value, or to an unknown one if that is NULL; or not at all */
};

/* What M, of one of the rule's kinds and expanded with fields, says.
 * *RECOVERED: the value was lost and comes from elsewhere. */
enum context_verdict context_rule_read(const struct context_rule *, const struct message *,
				       const struct expansion *, const struct field **value,
				       bool *recovered);

/* Whether a field's value is an integer. */
bool context_is_number(const struct field_row *);

/* The first field of that name, or NULL. */
const struct field *context_field(const struct expansion *, const char *name);

#endif
