/*
 * Values of messages under the names of the filter language.
 *
 * A name is one of these:
 * * a name that every message has: `severity`, `origin`, `trace`, `type`, `text`, `kind`,
 * `flags`, `trace_number`, `time`, `gap`, `delta`, `ticks`, `offset`, `length`, `bytes`, `depth`,
 * `target`, `run_instructions`, `run_cycles`
 * * a field of a format: `FIELD` or `FORMAT.FIELD`
 * * an argument: `arg.NAME`, `arg.NUMBER`, or NAME if the format has no such field
 * * `context.NAME`, `span.NAME` or `interval.NAME`
 *
 * Tables, intervals and the columns of `--fields` read messages through values.
 *
 * Threads: a name can be shared. It is constant, except that it notes if a message had a value.
 * A look belongs to one thread.
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
	/* a time or duration is in ticks of its trace, at an unknown rate */
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
	const struct field *field; /* origin of a number, or NULL */
	/* of a number, or the word for an absent value, in safe ASCII; or NULL */
	const char *meaning;
};

struct value_name;

/* Create a name. Return NULL, with the reason and a hint, if nothing has this name. If
 * SESSION has contexts, a context's name must be one of them. If not, any name is accepted. */
struct value_name *value_name_new(const char *name, const struct session *, struct err *);
/* True if NAME is `context`, `span`, `interval` or `arg`, with or without the name after it. */
bool value_is_in_group(const char *name);
/* True if only an argument of a message can have the name: any word that names nothing else. */
bool value_is_argument(const struct value_name *);
void value_name_free(struct value_name *);		/* NULL is fine */
const char *value_name_text(const struct value_name *); /* as written by the user */

/* True if a message must be expanded for the value. *WANT is how far at least. */
bool value_expands(const struct value_name *, enum expand_want *);

/* True if messages have raw keys for the value. Messages of a trace with equal keys have
 * equal values, so each value is computed only once. */
bool value_has_raw_keys(const struct value_name *);

/* Fill in the raw keys of COUNT messages of a trace. Clear KEYED where a message has no key
 * and must be expanded. */
void value_raw_keys(const struct value_name *, struct reader *, const struct message *,
		    size_t count, uint64_t *keys, bool *keyed);

/* True if the value is a VALUE_UNSIGNED in the message itself. */
bool value_has_head_numbers(const struct value_name *);

/* Fill in those numbers for COUNT messages. ANY: set where a message has one. */
void value_head_numbers(const struct value_name *, const struct message *, size_t count,
			uint64_t *numbers, bool *any);

/* True if the index of a trace counts messages by this value. */
bool value_is_indexed(const struct value_name *, struct reader *);

/* Data to load first. Batch output loads clocks (clocks_load) and contexts (contexts_load).
 * Gaps need the index of all traces. */
enum value_need {
	VALUE_NEEDS_CLOCKS = 1 << 0,
	VALUE_NEEDS_CONTEXTS = 1 << 1,
	VALUE_NEEDS_GAPS = 1 << 2,
	VALUE_NEEDS_INTERVALS = 1 << 3, /* intervals, through their hook in the session */
	VALUE_NEEDS_SPANS = 1 << 4,	/* spans of contexts */
	VALUE_NEEDS_FLOW = 1 << 5,	/* the program flow (session/flows.h) */
	VALUE_NEEDS_RUNS = 1 << 6,	/* the index of its trace, to read later messages */
	VALUE_NEEDS_NUMBERS = 1 << 7	/* numbers in the session's order */
};
unsigned value_needs(const struct value_name *);

/* True if the numbers are nanoseconds: of a duration, or since the start of the session's
 * clock. */
bool value_is_duration(const struct value_name *);
bool value_is_time(const struct value_name *);

/* True if single messages, or ends of intervals, may have a number under this name. */
bool value_can_be_plotted(const struct value_name *);

/* True if the values add up to a whole, as the times in all states do. */
bool value_is_part(const struct value_name *);

/* The message to read, with the data that values need. */
struct value_look {
	struct reader *reader; /* of the message's trace */
	const struct message *message;
	uint64_t number;
	struct expansion *expansion;	 /* made as far as value_expands requires, else cleared */
	struct context_cursor *contexts; /* of the message's trace; NULL: none */
	struct gap_cursor *gaps;	 /* of the session; NULL: gaps are absent */
	struct flow_cursor *flow;	 /* NULL: values of the program flow are absent */
	const struct spans *spans;	 /* of the session; NULL: lengths of spans are absent */
	bool ends;			 /* only the end of an interval has its length */
};

/* Get the value of the message. Texts are borrowed from the expansion, its arena or the
 * trace, or they are static. */
void value_get(const struct value_name *, struct value_look *, struct value *);

typedef const char *value_lister(void *context, size_t at); /* names, for nearest_hint() */

/* Append a line if no message of value_get had a value under NAME, which is a field or an
 * argument. For an argument, add the nearest name that NEXT lists; NULL: those of values. */
void value_explain_absent(const struct value_name *, value_lister *next, struct text *out);

/* Convert to a long double, which holds integers without loss. Return false if the value is
 * no number. */
bool value_number(const struct value *, long double *number);

/* Append the value for a reader: meanings instead of numbers, durations with their unit,
 * times in seconds. Append nothing if it is absent and has no word for that. Texts are not made
 * safe. */
void value_add(const struct value_name *, const struct value *, struct text *out);

/* Append a number in plain digits (nanoseconds or ticks). Append nothing if it is no
 * number. */
void value_add_number(const struct value *, struct text *out);

/* Append nanoseconds as seconds with nine decimals. */
void value_add_seconds(int64_t nanoseconds, struct text *out);

/* Append a number as a duration: nanoseconds with a unit, or ticks. Integers are exact,
 * reals are rounded. Negative ones get a minus. */
void value_add_duration(const struct value *, struct text *out);

/* Append the value of a context in a word or two, with `?` after it if doubtful. Append
 * nothing if it has none. Not safe yet. */
void value_add_context(struct contexts *, struct context_cursor *, unsigned context,
		       const struct context_value *, struct text *out);

#endif
