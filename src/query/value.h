/*
 * Values: what a message has under a name of the filter language.
 *
 * A name is one that every message has (`severity`, `origin`, `trace`, `type`, `text`,
 * `kind`, `flags`, `number`, `time`, `gap`, `delta`, `ticks`, `offset`, `length`, `bytes`,
 * `depth`, `target`, `run_instructions`, `run_cycles`), a
 * field of a format (`FIELD` or `FORMAT.FIELD`), an argument (`arg.NAME`, `arg.NUMBER`, and
 * NAME where the format has no such field), `context.NAME`,
 * `span.NAME`, or `interval.NAME`.  Tables, intervals and
 * the columns of `--fields` look at messages through these.
 *
 * Threads: a name does not change once it is made and is shared; a look belongs to one
 * thread.
 */
#ifndef TRAWL_QUERY_VALUE_H
#define TRAWL_QUERY_VALUE_H

#include "trace/reader.h"

struct context_cursor;
struct context_value;
struct contexts;
struct flow_cursor;
struct gap_cursor;
struct session;
struct spans;

enum value_type { VALUE_ABSENT, VALUE_SIGNED, VALUE_UNSIGNED, VALUE_REAL, VALUE_TEXT };

struct value {
	enum value_type type;
	/* of a time or a duration: it is in ticks of its trace, as their rate is not known */
	bool ticks;
	union {
		int64_t i;
		uint64_t u;
		double d;
		struct { /* as captured, not safe yet; may hold a NUL */
			const char *at;
			size_t length;
		} text;
	};
	const struct field *field; /* that a number is from, or NULL */
	const char *meaning;	   /* of a number, in safe ASCII; or NULL */
};

struct value_name;

/* NULL, with the reason and a hint, if nothing is named so.  A context's name is looked for
 * in SESSION, if it is not NULL and has any; else it is taken as it is. */
struct value_name *value_name_new(const char *name, const struct session *, struct err *);
void value_name_free(struct value_name *);		/* NULL is fine */
const char *value_name_text(const struct value_name *); /* as it was written */

/* Whether a message must be expanded for it, and then how far at least. */
bool value_expands(const struct value_name *, enum expand_want *);

/* Whether numbers of messages, their raw keys, decide what they have under the name: what has
 * the same key in a trace has the same value, so that it has to be found out only once. */
bool value_has_raw_keys(const struct value_name *);

/* Those of COUNT messages of a trace; KEYED becomes false where a message has none and must be
 * expanded. */
void value_raw_keys(const struct value_name *, struct reader *, const struct message *,
		    size_t count, uint64_t *keys, bool *keyed);

/* Whether the value is a number, VALUE_UNSIGNED, that stands in the message itself. */
bool value_has_head_numbers(const struct value_name *);

/* Those of COUNT messages; ANY: whether each has one. */
void value_head_numbers(const struct value_name *, const struct message *, size_t count,
			uint64_t *numbers, bool *any);

/* Whether the index of a trace counts messages by it. */
bool value_is_indexed(const struct value_name *, struct reader *);

/* What else it takes: batch output loads clocks (clocks_load) and contexts (contexts_load)
 * first; gaps need the index of all traces. */
enum value_need {
	VALUE_NEEDS_CLOCKS = 1 << 0,
	VALUE_NEEDS_CONTEXTS = 1 << 1,
	VALUE_NEEDS_GAPS = 1 << 2,
	VALUE_NEEDS_INTERVALS = 1 << 3, /* and intervals (their hook in the session) */
	VALUE_NEEDS_SPANS = 1 << 4,	/* spans of contexts */
	VALUE_NEEDS_FLOW = 1 << 5,	/* what processors executed (session/flows.h) */
	VALUE_NEEDS_RUNS = 1 << 6	/* the messages behind it: the index of its trace */
};
unsigned value_needs(const struct value_name *);

/* Its numbers are nanoseconds: of a duration, or since the start of the session's clock. */
bool value_is_duration(const struct value_name *);
bool value_is_time(const struct value_name *);

/* Its numbers are parts of one whole, as times in states are of all time. */
bool value_is_part(const struct value_name *);

/* The message that is looked at. */
struct value_look {
	struct reader *reader; /* of its trace */
	const struct message *message;
	uint64_t number;
	struct expansion *expansion;	 /* made as far as value_expands says, else cleared */
	struct context_cursor *contexts; /* of its trace; NULL: there are none */
	struct gap_cursor *gaps;	 /* of its session; NULL: gaps are absent */
	struct flow_cursor *flow;	 /* NULL: what was executed is absent */
	const struct spans *spans;	 /* of its session; NULL: lengths of spans are absent */
	bool ends; /* of an interval only the message that ends it has the length */
};

/* The value of the message; texts are borrowed from the expansion, whose arena has what is
 * made for them, from the trace, or static. */
void value_get(const struct value_name *, struct value_look *, struct value *);

/* As double, and as integers without loss; false if it is no number. */
bool value_number(const struct value *, long double *number);

/* Appends it as people read it: a meaning instead of its number, durations with their unit,
 * times in seconds; nothing where it is absent.  Texts are not made safe. */
void value_add(const struct value_name *, const struct value *, struct text *out);

/* Appends a number in digits alone: of nanoseconds, of ticks; nothing of what is no number. */
void value_add_number(const struct value *, struct text *out);

/* Appends nanoseconds as seconds with nine decimals. */
void value_add_seconds(int64_t nanoseconds, struct text *out);

/* Appends a number as a length of time: nanoseconds with a unit, or ticks.  Whole numbers are
 * exact, real ones rounded; one that leads back in time has a minus. */
void value_add_duration(const struct value *, struct text *out);

/* Appends the value of a context in a word or two, `?` behind it where it is doubtful;
 * nothing where there is none.  Not safe yet. */
void value_add_context(struct contexts *, struct context_cursor *, unsigned context,
		       const struct context_value *, struct text *out);

#endif
